package group

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// proveInfinite: On(P), IsInfinity(P) ⊢ P = O.
func (g *Group) proveInfinite() Theorem {
	on := unfold(g.On(vP))
	return taut(logic.Eq(vP, weierstrass.Infinity()), on.th, assume(on.l), assume(isO(vP)))
}

// proveAffine: ¬IsInfinity(P) ⊢ P = Affine(X(P), Y(P)).
func (g *Group) proveAffine() Theorem {
	return auto.Must(kernel.Rewrite(auto.Must(kernel.TupleEta(vP)), given(assume(finite(vP)))))
}

// elementConditions say that an affine P is on the curve.
func (g *Group) elementConditions(P Term) []Term {
	c := of(P)
	return []Term{logic.Ge0(c.x), logic.Lt(c.x, g.p), logic.Ge0(c.y), logic.Lt(c.y, g.p), onCurve(g.a, g.b, c).mod(g.p)}
}

// proveElement: On(P), ¬IsInfinity(P) ⊢ 0 ≤ X(P) < p, 0 ≤ Y(P) < p, Y(P)² ≡ X(P)³ + aX(P) + b, as one conjunction.
func (g *Group) proveElement() Theorem {
	on := unfold(g.On(vP))
	return taut(logic.And(g.elementConditions(vP)...), on.th, assume(on.l), assume(finite(vP)))
}

// elementOf are the conjuncts of element.
func (g *Group) elementOf(P Term) []Theorem {
	th := g.element.at(subst{vP: P})
	var is []Theorem
	for _, c := range g.elementConditions(P) {
		is = append(is, taut(c, th))
	}
	return is
}

// curveOf is On(P), ¬IsInfinity(P) ⊢ Y(P)² ≡ X(P)³ + aX(P) + b.
func (g *Group) curveOf(P Term) Theorem { return g.elementOf(P)[4] }

// onFrom concludes On(P) from ¬IsInfinity(P) and elementConditions.
func (g *Group) onFrom(P Term, finite Theorem, is ...Theorem) Theorem {
	on := unfold(g.On(P))
	return taut(on.l, append(is, on.th, finite)...)
}

// onBy is On(l), for an equation l = r, from On(r).
func (g *Group) onBy(e eq, on Theorem) Theorem {
	h := hole(weierstrass.PointSort())
	return auto.Must(kernel.Leibniz(e.th, e.r, e.l, on, g.On(h), h))
}

// onZero is ⊢ On(O).
func (g *Group) onZero() Theorem { return unfold(g.On(weierstrass.Infinity())).th }

// sameNumber: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), x ≡ x′ ⊢ x = x′ for the coordinates x = X(P), x′ = X(Q), or
// the Ys.
func (g *Group) sameNumber(P, Q Term, pick func(Term) Term) eq {
	i := 0
	if pick(P) != weierstrass.X(P) {
		i = 2
	}
	p, q := g.elementOf(P), g.elementOf(Q)
	x, y := pick(P), pick(Q)
	return eq{use(number.Same(g.p, x, y), p[i], p[i+1], q[i], q[i+1]), x, y}
}

// proveSamePoint: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), X(P) ≡ X(Q), Y(P) ≡ Y(Q) (mod p) ⊢ P = Q.
func (g *Group) proveSamePoint() Theorem {
	x, y := g.sameNumber(vP, vQ, weierstrass.X), g.sameNumber(vP, vQ, weierstrass.Y)
	p := eq{g.Affine(vP), vP, weierstrass.Affine(x.l, y.l)}
	q := eq{g.Affine(vQ), vQ, weierstrass.Affine(x.r, y.r)}
	return p.then(inside(p.r, x, y)).then(q.sym()).th
}

// proveNegInfinite: IsInfinity(P) ⊢ −P = P.
func (g *Group) proveNegInfinite() Theorem { return unfold(g.Neg(vP), assume(isO(vP))).th }

// negAffineConditions say what −P is for an affine P.
func (g *Group) negAffineConditions(P Term) []Term {
	n, c := of(g.Neg(P)), of(P)
	return []Term{finite(g.Neg(P)), logic.Eq(n.x, c.x), g.cong(n.y, logic.Neg(c.y)), logic.Ge0(n.y), logic.Lt(n.y, g.p)}
}

// proveNegAffine: ¬IsInfinity(P) ⊢ ¬IsInfinity(−P), X(−P) = X(P), Y(−P) ≡ −Y(P) (mod p), 0 ≤ Y(−P) < p, as one
// conjunction.
func (g *Group) proveNegAffine() Theorem {
	n := g.openAffine(unfold(g.Neg(vP), assume(finite(vP))))
	c := of(vP)
	lo, hi := n.ranges(n.y)
	return taut(logic.And(g.negAffineConditions(vP)...), n.finite, n.x.th,
		difference(n.y.l, logic.Neg(c.y)).by(rule{n.y.th, n.y.l}, g.modulo(n.y.r)).done(g.p), lo, hi)
}

// negated is what −P is for an affine P.
type negated struct {
	P, N         Term
	finite       Theorem // ¬IsInfinity(N)
	equal        Theorem // X(N) = X(P)
	x, y, lo, hi Theorem // X(N) ≡ X(P), Y(N) ≡ −Y(P), 0 ≤ Y(N), Y(N) < p
}

// negOf is −P, from the hypothesis ¬IsInfinity(P).
func (g *Group) negOf(P Term) negated {
	th, cs := g.negAffine.at(subst{vP: P}), g.negAffineConditions(P)
	n := negated{P: P, N: g.Neg(P), finite: taut(cs[0], th), equal: taut(cs[1], th), y: taut(cs[2], th),
		lo: taut(cs[3], th), hi: taut(cs[4], th)}
	n.x = difference(of(n.N).x, of(P).x).by(rule{n.equal, of(n.N).x}).done(g.p)
	return n
}

// rules eliminate the coordinates of −P.
func (n negated) rules() []rule { return []rule{{n.x, of(n.N).x}, {n.y, of(n.N).y}} }

// modulo is t mod p ≡ t, as a rule for the residue.
func (g *Group) modulo(r Term) rule {
	t := r.Arg(0)
	split := auto.Must(kernel.DivMod(t, g.p))
	sum := logic.Add(logic.Mul(g.p, logic.Div(t, g.p)), r)
	return rule{difference(r, t).add(split, t, sum, logic.N(-1)).done(g.p), r}
}

// affinePoint is what P = Affine(x, y) says.
type affinePoint struct {
	finite Theorem
	x, y   eq // X(P) = x, Y(P) = y
	g      *Group
}

func (g *Group) openAffine(e eq) affinePoint {
	c, t := of(e.l), e.r.Args()
	inf := inside(isO(e.l), e)
	return affinePoint{
		finite: taut(finite(e.l), inf.th), g: g,
		x: eq{inside(c.x, e).th, c.x, t[1]}, y: eq{inside(c.y, e).th, c.y, t[2]},
	}
}

// ranges are 0 ≤ c and c < p for a coordinate c = t mod p.
func (n affinePoint) ranges(c eq) (lo, hi Theorem) {
	lo, hi, err := kernel.ModRange(c.r.Arg(0), n.g.p, auto.True())
	auto.Must(lo, err)
	back := auto.Rewritten(c.th, c.r, c.l)
	return auto.Must(kernel.Rewrite(lo, back)), auto.Must(kernel.Rewrite(hi, back))
}

// proveNegOn: On(P) ⊢ On(−P).
func (g *Group) proveNegOn() Theorem {
	n, is := g.negOf(vP), g.elementOf(vP)
	yes := g.onBy(eq{g.negInfinite.get(), n.N, vP}, assume(g.On(vP)))
	back := auto.Rewritten(n.equal, of(vP).x, of(n.N).x)
	lo, hi := auto.Must(kernel.Rewrite(is[0], back)), auto.Must(kernel.Rewrite(is[1], back))
	c, d := onCurve(g.a, g.b, of(n.N)), onCurve(g.a, g.b, of(vP))
	curve := difference(c.l, c.r).by(n.rules()...).add(is[4], d.l, d.r, one).done(g.p)
	return cases(g.On(n.N), isO(vP), yes, g.onFrom(n.N, n.finite, lo, hi, n.lo, n.hi, curve))
}

// proveNegNeg: On(P) ⊢ −−P = P.
func (g *Group) proveNegNeg() Theorem {
	n := g.negOf(vP)
	nn := g.negOf(n.N)
	same := eq{g.negInfinite.get(), n.N, vP} // where P is O
	yes := under(g.Neg, same).then(same).th
	rules := append(nn.rules(), n.rules()...)
	x := difference(of(nn.N).x, of(vP).x).by(rules...).done(g.p)
	y := difference(of(nn.N).y, of(vP).y).by(rules...).done(g.p)
	no := use(g.Same(nn.N, vP), g.NegClosed(n.N), g.NegClosed(vP), nn.finite, x, y, n.finite)
	return cases(logic.Eq(nn.N, vP), isO(vP), yes, no)
}

// proveTorsion: On(P), ¬IsInfinity(P) ⊢ ¬(Y(P) ≡ 0 (mod p)).
func (g *Group) proveTorsion() Theorem {
	none, c := g.cong(of(vP).y, zero), onCurve(g.a, g.b, of(vP))
	root := difference(zero, c.r).add(g.curveOf(vP), c.l, c.r, one).by(rule{assume(none), of(vP).y}).done(g.p)
	absurd := use(g.noRoot.at(subst{vx: of(vP).x}), root)
	return taut(logic.Not(none), implied(none, absurd))
}
