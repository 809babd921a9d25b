package group

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// A reduction looks for a proof that a polynomial is congruent to 0: it subtracts multiples of facts until nothing is
// left. goal = rest + Σ By·(what a fact says is ≡ 0).
type reduction struct {
	goal, rest Term
	ms         []kernel.Multiple
}

// difference starts with l − r.
func difference(l, r Term) *reduction {
	t := logic.Sub(l, r)
	return &reduction{goal: t, rest: t}
}

// residue is the polynomial that a congruence or an equation says is ≡ 0, the zero Term for a fact that has folded
// away.
func residue(fact Theorem) Term {
	switch c := fact.Concl(); {
	case c == logic.True():
		return Term{}
	case c.Op() == logic.OpDvd, c.Op() == logic.OpEq0:
		return c.Arg(0)
	default:
		fail("%v is no congruence", c)
		return Term{}
	}
}

func (r *reduction) subtract(fact Theorem, by Term) {
	r.rest = logic.Sub(r.rest, logic.Mul(by, residue(fact)))
	r.ms = append(r.ms, kernel.Multiple{Fact: fact, By: by})
}

// add subtracts by·(l − r), which the fact says is ≡ 0.
func (r *reduction) add(fact Theorem, left, right, by Term) *reduction {
	switch e, d := residue(fact), logic.Sub(left, right); {
	case e.IsZero():
	case e == d:
		r.subtract(fact, by)
	case e == logic.Neg(d):
		r.subtract(fact, logic.Neg(by))
	default:
		fail("%v is not %v ≡ %v", fact.Concl(), left, right)
	}
	return r
}

// coefficients lists those of the powers of v in t.
func coefficients(t, v Term) []Term {
	var parts [][]logic.Monomial
	for _, m := range t.Monomials() {
		d := 0
		var rest []Term
		for _, a := range m.Atoms {
			if a == v {
				d++
			} else {
				rest = append(rest, a)
			}
		}
		for len(parts) <= d {
			parts = append(parts, nil)
		}
		parts[d] = append(parts[d], logic.Monomial{Coef: m.Coef, Atoms: rest})
	}
	cs := make([]Term, len(parts))
	for i, p := range parts {
		cs[i] = logic.FromMonomials(p)
	}
	return cs
}

// rule is a fact to eliminate v with: its leading coefficient as a polynomial in v is a constant. A sequence of rules
// has those first whose v occur in no later fact.
type rule struct {
	fact Theorem
	v    Term
}

// by divides by the facts of rules.
func (r *reduction) by(rules ...rule) *reduction {
	for _, u := range rules {
		e := residue(u.fact)
		if e.IsZero() {
			continue
		}
		es, ts := coefficients(e, u.v), coefficients(r.rest, u.v)
		d := len(es) - 1
		if d < 1 {
			fail("%v does not occur in %v", u.v, e)
		}
		lead, ok := es[d].Const()
		if !ok {
			fail("%v is no rule for %v", e, u.v)
		}
		var quotient []Term
		for k := len(ts) - 1; k >= d; k-- {
			q := divided(ts[k], lead)
			for j, c := range es {
				ts[k-d+j] = logic.Sub(ts[k-d+j], logic.Mul(q, c))
			}
			quotient = append(quotient, logic.Mul(q, power(u.v, k-d)))
		}
		if len(quotient) > 0 {
			r.subtract(u.fact, logic.Add(quotient...))
		}
	}
	return r
}

func power(v Term, k int) Term {
	r := one
	for range k {
		r = logic.Mul(r, v)
	}
	return r
}

// divided is t/c, which must be a polynomial.
func divided(t Term, c *big.Int) Term {
	ms := t.Monomials()
	for i, m := range ms {
		q, rem := new(big.Int).QuoRem(m.Coef, c, new(big.Int))
		if rem.Sign() != 0 {
			fail("%v is not divisible by %v", t, c)
		}
		ms[i].Coef = q
	}
	return logic.FromMonomials(ms)
}

// eliminate eliminates v with a fact u·v + w ≡ 0, u a polynomial: goal and rest are multiplied by uⁿ, n the degree of
// the rest in v, and then the powers uᵏvᵏ replaced by (−w)ᵏ:
//
//	uⁿ·Σ cₖvᵏ − Σ cₖuⁿ⁻ᵏ(−w)ᵏ = Σₖ cₖuⁿ⁻ᵏ·((uv)ᵏ − (−w)ᵏ) = (uv + w)·Σₖ cₖuⁿ⁻ᵏ·Σ_{i<k} (uv)ⁱ(−w)ᵏ⁻¹⁻ⁱ
func (r *reduction) eliminate(fact Theorem, v Term) *reduction {
	es, cs := coefficients(residue(fact), v), coefficients(r.rest, v)
	if len(es) != 2 {
		fail("%v is not linear in %v", fact.Concl(), v)
	}
	u, w, n := es[1], logic.Neg(es[0]), len(cs)-1
	scale := power(u, n)
	r.goal, r.rest = logic.Mul(scale, r.goal), logic.Mul(scale, r.rest)
	for i := range r.ms {
		r.ms[i].By = logic.Mul(scale, r.ms[i].By)
	}
	uv := logic.Mul(u, v)
	var q []Term
	for k, c := range cs {
		for i := range k {
			q = append(q, logic.Mul(c, power(u, n-k), power(uv, i), power(w, k-1-i)))
		}
	}
	if len(q) > 0 {
		r.subtract(fact, logic.Add(q...))
	}
	return r
}

// left is the theorem rest ≡ 0 (mod m), from goal ≡ 0.
func (r *reduction) left(goal Theorem, m Term) Theorem {
	s := difference(r.rest, zero).add(goal, r.goal, zero, one)
	for _, u := range r.ms {
		s.subtract(u.Fact, logic.Neg(u.By))
	}
	return s.done(m)
}

// done is the theorem goal ≡ 0 (mod m). What is left must be 0, or have coefficients that are multiples of a constant
// m.
func (r *reduction) done(m Term) Theorem {
	k := zero
	if _, ok := m.Const(); ok {
		k = Term{}
	}
	return auto.Must(kernel.Cong(r.goal, m, k, r.ms...))
}
