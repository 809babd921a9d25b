package weierstrass

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/group"
	"verum.example/internal/proof/multiple"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Laws of multiples of a point. Each takes proofs of its premises.

// law is concl, by a law th whose hypotheses are among the conclusions of the premises.
func law(concl Term, th Theorem, premises ...Theorem) Theorem {
	return taut(concl, number.Use(th, premises...))
}

// laws are those of multiples of points of the curve.
func (c *Curve) laws() *multiple.Laws { return multiple.For(c.Spec) }

// Multiple is [k]P.
func (c *Curve) Multiple(k, P Term) Term { return spec.SMul(k, c.Spec.P(), c.Spec.A(), P) }

// Negated is −P.
func (c *Curve) Negated(P Term) Term { return spec.Neg(c.Spec.P(), P) }

// base is a point of which multiples are taken, with the proofs that it is on the curve and not O.
type base struct {
	c        *Curve
	Q        Term
	on, some Theorem // OnCurve(Q), ¬IsInfinity(Q)
}

// multiple is [k]Q.
func (b *base) multiple(k Term) Term { return b.c.Multiple(k, b.Q) }

// closed: [k]Q is on the curve.
func (b *base) closed(k Term) Theorem {
	return law(b.c.OnCurve(b.multiple(k)), b.c.laws().Closed(k, b.Q), b.on)
}

// negClosed: −P is on the curve.
func (c *Curve) negClosed(P Term, on Theorem) Theorem {
	return law(c.OnCurve(c.Negated(P)), group.For(c.Spec).NegClosed(P), on)
}

// add: [i+j]Q = [i]Q + [j]Q, from 0 ≤ i, 0 ≤ j.
func (b *base) add(i, j Term, ni, nj Theorem) Theorem {
	return law(logic.Eq(b.multiple(logic.Add(i, j)), b.c.Sum(b.multiple(i), b.multiple(j))),
		b.c.laws().Add(i, j, b.Q), ni, nj, b.on)
}

// sub: [i−j]Q = [i]Q + (−[j]Q), from 0 ≤ j, 0 ≤ i − j.
func (b *base) sub(i, j Term, nj, nd Theorem) Theorem {
	return law(logic.Eq(b.multiple(logic.Sub(i, j)), b.c.Sum(b.multiple(i), b.c.Negated(b.multiple(j)))),
		b.c.laws().Sub(i, j, b.Q), nj, nd, b.on)
}

// distinct: i ≡ j (mod n), from [i]Q = [j]Q, 0 ≤ i, 0 ≤ j.
func (b *base) distinct(i, j Term, ni, nj, eq Theorem) Theorem {
	return law(logic.Cong(i, j, b.c.Spec.N()), b.c.laws().Distinct(i, j, b.Q), ni, nj, eq, b.on, b.some)
}

// order: [n]Q = O.
func (b *base) order() Theorem {
	return law(logic.Eq(b.multiple(b.c.Spec.N()), spec.Infinity()), b.c.laws().Order(b.Q), b.on)
}

// zero: [0]Q = O, by definition.
func (b *base) zero() kernel.Equation {
	t := b.multiple(logic.N(0))
	return auto.Rewritten(auto.Must(kernel.Unfold(t)), t, spec.Infinity())
}

// opposite: −[j]Q = [n−j]Q, for 0 ≤ j, 0 ≤ n − j.
func (b *base) opposite(j Term, nj, nd Theorem) Theorem {
	n := b.c.Spec.N()
	th := b.sub(n, j, nj, nd) // [n−j]Q = [n]Q + (−[j]Q)
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(b.order(), b.multiple(n), spec.Infinity())))
	neg := b.c.Negated(b.multiple(j))
	sum := b.c.Sum(spec.Infinity(), neg)
	return auto.Must(kernel.Rewrite(th, auto.Rewritten(auto.Must(kernel.Unfold(sum)), sum, neg)))
}
