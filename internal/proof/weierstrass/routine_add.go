package weierstrass

import (
	"fmt"
	"math/big"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// sum is what is known at the end of a routine r = a + b: the coordinates of r are those of a if b is O, else those of
// b if a is O, else those that the formulas give. All terms are over the trace's variables.
type sum struct {
	c  *Curve
	tr *Trace

	a, b  []Term // coordinates of a and of b; b's Z may be the constant that stands for 1
	P, Q  Term   // the points
	r     []Term // coordinates of r
	aIsO  Term   // the conditions on which the code decides
	bIsO  Term
	masks map[Term]kernel.Equation // mask words are maskOf(a condition)

	pick     func(x Term, aYes, bYes bool) (y Term, th Theorem) // what the coordinate x of r is under the conditions
	decided  func(isO bool) []kernel.Equation                   // what decides Q's definition, under bIsO or its negation
	formulas func(s []Term) Theorem                             // the coordinates s are those of P + Q, under ¬aIsO, ¬bIsO
}

// stepOf finds the step that gives x.
func (tr *Trace) stepOf(x Term) Step {
	for _, s := range tr.Steps {
		if s.Dst == x {
			return s
		}
	}
	panic(fmt.Errorf("%v is the result of no step", x))
}

// zero proves x = 0 from 0 ≤ x, x < p and x·R⁻¹ ≡ 0 (mod p).
func (c *Curve) zero(x Term) Theorem {
	p, zero := c.Field.P(), logic.N(0)
	ge, lt := assume(logic.Ge0(x)), assume(logic.Lt(x, p))
	res := c.Residue(x)
	th := auto.Congruent(x, zero, p, lin(assume(logic.Cong(res, zero, p)), res, zero, logic.IntConst(c.Field.R())))
	k := logic.Div(x, p)
	pk := logic.Mul(p, k)
	eq := func(by int64) auto.Lin { // x = p·k
		return auto.Lin{Th: auto.Must(kernel.DvdElim(th)), L: x, R: pk, By: logic.N(by)}
	}
	m, top := c.Field.spec.M, logic.Sub(p, logic.N(1))
	lo := auto.Cut(auto.NonNeg(pk, []Theorem{ge}, eq(-1)), m, k)
	hi := auto.Cut(auto.NonNeg(logic.Sub(top, pk), []Theorem{lt}, eq(1)), m, logic.Neg(k))
	none := auto.Must(kernel.Antisym(k, lo, hi))
	return auto.Equal(x, zero, eq(1), auto.Lin{Th: none, L: k, R: zero, By: p})
}

// isZero is the equivalence x = 0 ⇔ x·R⁻¹ ≡ 0 in one direction: under x = 0, or its negation, the congruence as a
// rewriting to its truth value.
func (c *Curve) isZero(x Term, yes bool) kernel.Equation {
	zero := logic.N(0)
	res, p := c.Residue(x), c.Field.P()
	cond, cong := logic.Eq(x, zero), logic.Cong(res, zero, p)
	if yes {
		th := auto.Congruent(res, zero, p, lin(assume(cond), x, zero, logic.IntConst(c.Field.Ri())))
		return auto.Rewritten(th, cong, logic.True())
	}
	th := auto.Must(kernel.Discharge(cong, c.zero(x)))
	return auto.Rewritten(auto.Must(kernel.Taut(logic.Not(cong), th, assume(logic.Not(cond)))), cong, logic.False())
}

// unfolded is a term's definition, simplified by equations, as a rewriting.
func unfolded(t Term, eqs ...kernel.Equation) kernel.Equation {
	th := auto.Must(kernel.Unfold(t))
	if len(eqs) > 0 {
		th = auto.Must(kernel.Rewrite(th, eqs...))
	}
	return auto.Rewritten(th, t, otherSide(th.Concl(), t))
}

// otherSide is u in the equation t = u.
func otherSide(eq, t Term) Term {
	switch {
	case eq.Op() != logic.OpEq0 && eq.Arg(0) == t:
		return eq.Arg(1)
	case eq.Op() != logic.OpEq0:
		return eq.Arg(0)
	}
	// ±(t − u) = 0
	u := logic.Sub(t, eq.Arg(0))
	if !slices.ContainsFunc(u.Monomials(), func(m logic.Monomial) bool { return slices.Contains(m.Atoms, t) }) {
		return u
	}
	return logic.Add(t, eq.Arg(0))
}

// condition is c, or its negation, as a rewriting.
func (s *sum) condition(c Term, yes bool) kernel.Equation {
	if yes {
		return auto.Rewritten(assume(c), c, logic.True())
	}
	return auto.Rewritten(assume(logic.Not(c)), c, logic.False())
}

// chosen is x as what a conditional move takes.
func (s *sum) chosen(x Term, cond Term, yes bool) (y Term, eq auto.Lin) {
	st := s.tr.stepOf(x)
	if st.Op.Name != "CMov" {
		panic(fmt.Errorf("%s is no conditional move", st.Mark))
	}
	m, ok := s.masks[st.Src[1]]
	if !ok {
		panic(fmt.Errorf("%s: the condition is no mask", st.Mark))
	}
	th := auto.Must(kernel.Rewrite(st.Facts[0], m))
	th = auto.Must(kernel.Rewrite(th, s.condition(cond, yes)))
	if y = st.Old; yes {
		y = st.Src[0]
	}
	if th.Concl() != logic.Eq(x, y) {
		panic(fmt.Errorf("%s: %v", st.Mark, th))
	}
	return y, auto.Lin{Th: th, L: x, R: y, By: logic.N(1)}
}

// moved is what conditional moves make of x.
func (s *sum) moved(x Term, aYes, bYes bool) (y Term, th Theorem) {
	y, e := s.chosen(x, s.bIsO, bYes)
	lins := []auto.Lin{e}
	if !bYes {
		y, e = s.chosen(y, s.aIsO, aYes)
		lins = append(lins, e)
	}
	return y, auto.Equal(x, y, lins...)
}

// prove proves r = a + b.
func (s *sum) prove() Theorem {
	goal := logic.Eq(s.c.Point(s.r[0], s.r[1], s.r[2]), s.c.Sum(s.P, s.Q))
	side := func(aYes, bYes bool) Theorem {
		var to []kernel.Equation
		var vals []Term
		for _, x := range s.r {
			y, th := s.pick(x, aYes, bYes)
			vals = append(vals, y)
			to = append(to, auto.Rewritten(th, x, y))
		}
		first := auto.Must(kernel.RewriteTerm(goal, to...))
		J, add := s.c.Point(vals[0], vals[1], vals[2]), s.c.Sum(s.P, s.Q)
		if !aYes && !bYes {
			return auto.Must(kernel.Taut(goal, first, s.formulas(vals)))
		}
		P := unfolded(s.P, s.c.isZero(s.a[2], aYes))
		Q := unfolded(s.Q, s.decided(bYes)...)
		eqs := []kernel.Equation{P, Q}
		if J != s.P && J != s.Q { // b with Z = 1
			eqs = append(eqs, s.withOne(J))
		}
		second := auto.Must(kernel.RewriteTerm(logic.Eq(J, add), eqs...))
		third := unfolded(s.c.Sum(P.To, Q.To))
		J2 := logic.Replace(J, map[Term]Term{P.From: P.To, Q.From: Q.To, eqs[len(eqs)-1].From: eqs[len(eqs)-1].To})
		last := auto.Must(kernel.RewriteTerm(logic.Eq(J2, third.From), third))
		return auto.Must(kernel.Taut(goal, first, second, last))
	}
	rest := auto.Cases(goal, s.aIsO, side(true, false), side(false, false))
	return auto.Cases(goal, s.bIsO, auto.Cases(goal, s.aIsO, side(true, true), side(false, true)), rest)
}

// withOne unfolds the point with a third coordinate that is the constant for 1.
func (s *sum) withOne(J Term) kernel.Equation {
	e := unfolded(J)
	inv := spec.Inv(s.c.Spec.P(), s.c.Residue(s.b[2]))
	th := auto.Must(kernel.Compute(inv))
	th = auto.Must(kernel.Rewrite(e.Th, auto.Rewritten(th, inv, logic.N(1))))
	return auto.Rewritten(th, J, otherSide(th.Concl(), J))
}

// notO proves that the point is not O from its definition, an affine point, by eq.
func notO(eq kernel.Equation) Theorem {
	t := spec.IsInfinity(eq.From)
	return auto.Must(kernel.Taut(logic.Not(t), auto.Must(kernel.RewriteTerm(t, eq))))
}

// distinct proves a ≠ b where neither is O.
func (s *sum) distinct() Theorem {
	ne := logic.Not(logic.Eq(s.P, s.Q))
	complete := assume(logic.Or(spec.IsInfinity(s.P), spec.IsInfinity(s.Q), ne))
	P := unfolded(s.P, s.c.isZero(s.a[2], false))
	Q := unfolded(s.Q, s.decided(false)...)
	return auto.Must(kernel.Taut(ne, complete, notO(P), notO(Q)))
}

// add proves the sum of a point and a cached point.
func (c *Curve) add(tr *Trace, v machine.View) []Theorem {
	s := c.addition(tr, v, chordTerms{u: tr.result("Mul", 3), s: tr.result("Mul", 4), h: tr.result("Sub", 0), r: tr.result("Sub", 1)})
	s.setMasks()
	return []Theorem{s.prove()}
}

// chordTerms are the formulas' values for a sum: U and S of a, and the differences H and R.
type chordTerms struct{ u, s, h, r Term }

// addition is a + b for a cached point b; how r is chosen is left open.
func (c *Curve) addition(tr *Trace, v machine.View, m chordTerms) *sum {
	a, b := c.inputs(tr, v, "a", 3), c.inputs(tr, v, "b", 5)
	tr.Premise(c.Field, "Mul", b[4], b[3], b[2])
	tr.Premise(c.Field, "Sqr", b[3], b[2])
	s := &sum{c: c, tr: tr, a: a, b: b[:3], r: c.coordinates(tr, v, "r", 3)}
	s.P, s.Q = c.Point(a[0], a[1], a[2]), c.Point(b[0], b[1], b[2])
	s.aIsO, s.bIsO = logic.Eq(a[2], logic.N(0)), logic.Eq(b[2], logic.N(0))
	s.decided = func(isO bool) []kernel.Equation { return []kernel.Equation{c.isZero(b[2], isO)} }
	s.formulas = func(S []Term) Theorem {
		u1, s1, h, r := m.u, m.s, m.h, m.r
		th := point.For(c.Spec).Add(c.Residue(a[0]), c.Residue(a[1]), c.Residue(a[2]),
			c.Residue(b[0]), c.Residue(b[1]), c.Residue(b[2]), point.AddTerms{
				U: c.Residue(u1), V: c.Residue(s1), H: c.Residue(h), R: c.Residue(r),
				X: c.Residue(S[0]), Y: c.Residue(S[1]), Z: c.Residue(S[2])})
		th = c.given(tr, th, c.chord(a, b, c.Residue(b[2]), u1, s1, h, r, S)...)
		return s.conditions(th)
	}
	return s
}

// addAffine proves the sum of a point and an affine point.
func (c *Curve) addAffine(tr *Trace, v machine.View) []Theorem {
	s := c.additionAffine(tr, v, chordTerms{h: tr.result("Sub", 0), r: tr.result("Sub", 1)})
	s.setMasks()
	mask := tr.Var(v.Mem("tmp", 8*c.Field.Words()*impl.MaskTemp+8, 8))
	s.masks[mask] = auto.Rewritten(assume(logic.Eq(mask, maskOf(s.bIsO))), mask, maskOf(s.bIsO))
	return []Theorem{s.prove()}
}

// additionAffine is addition for an affine point b.
func (c *Curve) additionAffine(tr *Trace, v machine.View, m chordTerms) *sum {
	a, b := c.inputs(tr, v, "a", 3), c.inputs(tr, v, "b", 2)
	one := logic.IntConst(new(big.Int).Mod(c.Field.R(), c.Field.spec.M))
	s := &sum{c: c, tr: tr, a: a, b: append(b, one), r: c.coordinates(tr, v, "r", 3)}
	s.P, s.Q = c.Point(a[0], a[1], a[2]), c.AffinePoint(b[0], b[1])
	w := auto.Pow2(64 * c.Field.Words())
	both := logic.Add(b[0], auto.Scale(w, b[1]))
	zero := logic.N(0)
	s.aIsO, s.bIsO = logic.Eq(a[2], zero), logic.Eq(both, zero)
	s.decided = func(isO bool) []kernel.Equation {
		cx, cy := logic.Eq(b[0], zero), logic.Eq(b[1], zero)
		if !isO { // both congruent to 0 would make both 0
			x, y := c.isZero(b[0], true).From, c.isZero(b[1], true).From
			sum := auto.Equal(both, zero, lin(assume(cx), b[0], zero, logic.N(1)), lin(assume(cy), b[1], zero, logic.IntConst(w)))
			not := taut(logic.Not(logic.And(x, y)), implied(x, c.zero(b[0])), implied(y, c.zero(b[1])),
				implied(cx, implied(cy, sum)), assume(logic.Not(s.bIsO)))
			return []kernel.Equation{auto.Rewritten(not, logic.And(x, y), logic.False())}
		}
		// both are 0, being natural numbers with the sum 0
		gx, gy := assume(logic.Ge0(b[0])), assume(logic.Ge0(b[1]))
		eq := auto.Lin{Th: assume(s.bIsO), L: both, R: zero, By: logic.N(-1)}
		wy := auto.Must(kernel.Le(auto.Scale(w, b[1]), []Theorem{gy}, []kernel.Product{{Coef: w, Factors: []int{0}}}))
		zx := auto.Must(kernel.Antisym(b[0], gx, auto.NonNeg(logic.Neg(b[0]), []Theorem{wy}, eq)))
		le := auto.Cut(auto.NonNeg(auto.Scale(new(big.Int).Neg(w), b[1]), []Theorem{gx}, eq), w, logic.Neg(b[1]))
		zy := auto.Must(kernel.Antisym(b[1], gy, le))
		ex, ey := c.isZero(b[0], true), c.isZero(b[1], true)
		ex.Th, ey.Th = Cut(ex.Th, cx, zx), Cut(ey.Th, cy, zy)
		return []kernel.Equation{ex, ey}
	}
	s.formulas = func(S []Term) Theorem {
		h, r := m.h, m.r
		x1, y1 := c.Residue(a[0]), c.Residue(a[1])
		th := point.For(c.Spec).AddAffine(x1, y1, c.Residue(a[2]), c.Residue(b[0]), c.Residue(b[1]), point.AddTerms{
			H: c.Residue(h), R: c.Residue(r), X: c.Residue(S[0]), Y: c.Residue(S[1]), Z: c.Residue(S[2])})
		th = c.given(tr, th, c.chord(a, b, logic.N(1), a[0], a[1], h, r, S)...)
		return s.conditions(th)
	}
	return s
}

// chord are the congruences of the formulas for a sum, S; z2 is the residue.
func (c *Curve) chord(a, b []Term, z2, u1, s1, h, r Term, S []Term) []congruence {
	x1, y1, z1, x2, y2 := c.Residue(a[0]), c.Residue(a[1]), c.Residue(a[2]), c.Residue(b[0]), c.Residue(b[1])
	U, V, H, R := c.Residue(u1), c.Residue(s1), c.Residue(h), c.Residue(r)
	x3, y3, z3 := c.Residue(S[0]), c.Residue(S[1]), c.Residue(S[2])
	H2, H3 := logic.Mul(H, H), logic.Mul(H, H, H)
	return []congruence{
		{U, logic.Mul(x1, z2, z2), nil},
		{V, logic.Mul(y1, z2, z2, z2), nil},
		{H, logic.Sub(logic.Mul(x2, z1, z1), U), []Term{u1}},
		{R, logic.Sub(logic.Mul(y2, z1, z1, z1), V), []Term{s1}},
		{x3, logic.Sub(logic.Sub(logic.Mul(R, R), H3), logic.Mul(logic.N(2), U, H2)), []Term{u1, h, r}},
		{y3, logic.Sub(logic.Mul(R, logic.Sub(logic.Mul(U, H2), x3)), logic.Mul(V, H3)), []Term{u1, s1, h, r, S[0]}},
		{z3, logic.Mul(z1, z2, H), []Term{h}},
	}
}

// conditions cuts the hypotheses that the formulas' theorem has besides congruences: neither is O, and a ≠ b.
func (s *sum) conditions(th Theorem) Theorem {
	for _, q := range append(s.decided(false), s.c.isZero(s.a[2], false)) {
		th = Cut(th, logic.Not(q.From), q.Th)
	}
	return Cut(th, logic.Not(logic.Eq(s.P, s.Q)), s.distinct())
}

// setMasks notes the masks among the steps.
func (s *sum) setMasks() {
	s.pick = s.moved
	s.masks = map[Term]kernel.Equation{}
	for _, st := range s.tr.Steps {
		if st.Op.Name == impl.Mask {
			s.masks[st.Dst] = auto.Rewritten(st.Facts[0], st.Dst, maskOf(logic.Eq(st.Src[0], logic.N(0))))
		}
	}
}
