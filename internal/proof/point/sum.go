package point

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// The variables of the lemmas about sums. The first point is x, y, z.
var (
	x2, y2, z2 = integer("x2"), integer("y2"), integer("z2")
	x3, y3, z3 = integer("x3"), integer("y3"), integer("z3")
	h, m, r    = integer("h"), integer("m"), integer("r")
)

// same is x = y by number.Same, from facts that are its hypotheses.
func (f *Formulas) same(x, y Term, facts ...Theorem) eq {
	return eq{Use(number.Same(f.p, x, y), facts...), x, y}
}

// Double:
//
//	2m ≡ 3x² + a·z⁴, x3 ≡ m² − 2xy², y3 ≡ m(xy² − x3) − y⁴, z3 ≡ yz
//	⊢ Jac(x3, y3, z3) = Jac(x, y, z) + Jac(x, y, z)
//
// Nothing is excluded: not O, not y ≡ 0, and not points off the curve.
func (f *Formulas) Double(x0, y0, z0, m0, X, Y, Z Term) Theorem {
	return f.at("double", f.proveDouble, subst{x: x0, y: y0, z: z0, m: m0, x3: X, y3: Y, z3: Z})
}

// DoubleMinus3 is Double for a = −3, with 2m ≡ 3(x − z²)(x + z²) for its first hypothesis.
func (f *Formulas) DoubleMinus3(x0, y0, z0, m0, X, Y, Z Term) Theorem {
	return f.at("doubleMinus3", f.proveDoubleMinus3, subst{x: x0, y: y0, z: z0, m: m0, x3: X, y3: Y, z3: Z})
}

func (f *Formulas) proveDouble() Theorem {
	P, J, O := f.Jac(x, y, z), f.Jac(x3, y3, z3), weierstrass.Infinity()
	sum := f.Sum(P, P)
	goal := logic.Eq(J, sum)
	yy, z4 := logic.Mul(y, y), power(z, 4)
	hm := f.given(logic.Mul(two, m), logic.Add(logic.Mul(three, x, x), logic.Mul(f.a, z4)))
	hx := f.given(x3, logic.Sub(logic.Mul(m, m), logic.Mul(two, x, yy)))
	hy := f.given(y3, logic.Sub(logic.Mul(m, logic.Sub(logic.Mul(x, yy), x3)), logic.Mul(yy, yy)))
	hz := f.given(z3, logic.Mul(y, z))

	// P is O
	none := lin(assume(f.isZero(z)), z, zero, one)
	no3 := f.follows(z3, zero, nil, hz, none).Th
	caseO := f.infinite(x3, y3, z3, no3).
		then(inside(sum, f.infinite(x, y, z, none.Th)).then(unfold(f.Sum(O, O))).sym()).th

	// P = −P
	A := f.open(x, y, z)
	plain := f.Sum(A.is.r, A.is.r)
	open := inside(sum, A.is)
	twice := f.isZero(logic.Add(A.ya, A.ya))
	tw := lin(assume(twice), logic.Add(A.ya, A.ya), zero, one)
	y0 := f.follows(y, zero, []auto.Lin{A.y, by(tw, logic.Mul(f.half(), z, z, z))})
	z0 := f.follows(z3, zero, nil, hz, y0).Th
	caseTwo := f.infinite(x3, y3, z3, z0).then(open.then(unfold(plain, tw.Th)).sym()).th

	// the tangent: its slope is l with 2ya·l ≡ 3xa² + a
	not := assume(logic.Not(twice))
	T := f.third(open.then(unfold(plain, not)))
	ya2 := logic.Mul(two, A.ya)
	w := f.inverse(ya2)
	rise := logic.Add(logic.Mul(three, A.xa, A.xa), f.a)
	slope := f.follows(logic.Mul(ya2, T.slope), rise, []auto.Lin{by(w, rise)}, T.l)
	// m ≡ z⁴·ya·l
	mEq := f.follows(m, logic.Mul(z4, A.ya, T.slope), []auto.Lin{
		by(hm, f.half()), by(slope, logic.Neg(logic.Mul(f.half(), z4))),
		by(A.x, logic.Mul(f.half(), three, logic.Add(x, A.x.R))),
	})
	cx := f.follows(logic.Mul(T.x, z3, z3), x3, nil, T.xl, hx, hz, mEq, A.x, A.y)
	x3Eq := lin(cx.Th, x3, cx.L, one)
	cy := f.follows(logic.Mul(T.y, z3, z3, z3), y3, nil, T.yl, hy, x3Eq, hz, mEq, A.x, A.y)
	// y ≢ 0: ya ≡ y·i³
	yNot := func() Theorem {
		th := f.follows(logic.Add(A.ya, A.ya), zero, nil, A.yai, lin(assume(f.isZero(y)), y, zero, one))
		return taut(f.isUnit(y), implied(f.isZero(y), th.Th), not)
	}()
	z3Not := Use(f.carry(hz, f.unit(y, z)), yNot)
	facts := append(T.ranges, cx.Th, cy.Th, z3Not)
	caseTangent := f.is(x3, y3, z3, T.x, T.y, facts...).then(T.is.sym()).th

	return f.decided(goal, z, caseO, auto.Cases(goal, twice, caseTwo, caseTangent))
}

func (f *Formulas) proveDoubleMinus3() Theorem {
	zz, l := logic.Mul(z, z), logic.Mul(two, m)
	hm := f.given(l, logic.Mul(three, logic.Sub(x, zz), logic.Add(x, zz)))
	r := logic.Add(logic.Mul(three, x, x), logic.Mul(f.a, zz, zz))
	if c, ok := logic.Add(f.a, three).Const(); !ok || c.Cmp(f.n) != 0 && c.Sign() != 0 {
		fail("a is %v, not −3", f.a)
	}
	return Use(f.Double(x, y, z, m, x3, y3, z3), f.follows(l, r, []auto.Lin{hm}).Th)
}

// chord is a sum that is the third point of a line, is: sum = Affine(x, y).
type chord struct {
	is     eq
	slope  Term
	l      auto.Lin // slope ≡ its quotient
	x, y   Term
	xl, yl auto.Lin // x ≡ slope² − …, y ≡ slope·(…) − …
	ranges []Theorem
}

// third unfolds e: a sum = Third(…).
func (f *Formulas) third(e eq) chord {
	c := chord{is: e.then(unfold(e.r)), slope: e.r.Arg(1)}
	c.l = f.modulo(c.slope.Arg(0))
	c.x, c.y = weierstrass.X(c.is.r), weierstrass.Y(c.is.r)
	c.xl, c.yl = f.modulo(c.x.Arg(0)), f.modulo(c.y.Arg(0))
	c.ranges = append(f.modRange(c.x.Arg(0)), f.modRange(c.y.Arg(0))...)
	return c
}

// AddTerms are the terms of Add: residues between the operands and the sum, and the sum.
type AddTerms struct{ U, V, H, R, X, Y, Z Term }

// Add, for P = Jac(x1, y1, z1), Q = Jac(x2, y2, z2):
//
//	u ≡ x1·z2², v ≡ y1·z2³, h ≡ x2·z1² − u, r ≡ y2·z1³ − v,
//	x3 ≡ r² − h³ − 2uh², y3 ≡ r(uh² − x3) − vh³, z3 ≡ z1·z2·h,
//	z1 ≢ 0, z2 ≢ 0, On(P), On(Q), P ≠ Q
//	⊢ Jac(x3, y3, z3) = P + Q
//
// P = −Q is not excluded.
func (f *Formulas) Add(x0, y0, z0, x1, y1, z1 Term, t AddTerms) Theorem {
	return f.at("add", f.proveAdd, subst{
		x: x0, y: y0, z: z0, x2: x1, y2: y1, z2: z1, u: t.U, v: t.V, h: t.H, r: t.R, x3: t.X, y3: t.Y, z3: t.Z})
}

func (f *Formulas) proveAdd() Theorem {
	P, Q, J := f.Jac(x, y, z), f.Jac(x2, y2, z2), f.Jac(x3, y3, z3)
	sum := f.Sum(P, Q)
	goal := logic.Eq(J, sum)
	hu, hv := f.given(u, logic.Mul(x, z2, z2)), f.given(v, logic.Mul(y, z2, z2, z2))
	hh, hr := f.given(h, logic.Sub(logic.Mul(x2, z, z), u)), f.given(r, logic.Sub(logic.Mul(y2, z, z, z), v))
	h2, h3 := logic.Mul(h, h), logic.Mul(h, h, h)
	hx := f.given(x3, logic.Sub(logic.Sub(logic.Mul(r, r), h3), logic.Mul(two, u, h2)))
	hy := f.given(y3, logic.Sub(logic.Mul(r, logic.Sub(logic.Mul(u, h2), x3)), logic.Mul(v, h3)))
	hz := f.given(z3, logic.Mul(z, z2, h))

	A, B := f.open(x, y, z), f.open(x2, y2, z2)
	dx, dy := logic.Sub(B.xa, A.xa), logic.Sub(B.ya, A.ya)
	zz, zzz := logic.Mul(z, z, z2, z2), logic.Mul(z, z, z, z2, z2, z2)
	hEq := f.follows(h, logic.Mul(dx, zz), nil, hh, hu, A.x, B.x)
	rEq := f.follows(r, logic.Mul(dy, zzz), nil, hr, hv, A.y, B.y)
	zEq := f.follows(z3, logic.Mul(dx, zzz), nil, hz, hEq)
	open := inside(sum, A.is, B.is)
	same := logic.Eq(A.xa, B.xa)

	// x is the same, so y is not: P = −Q
	caseSame := func() Theorem {
		e := lin(assume(same), A.xa, B.xa, one)
		square := func(o opened) auto.Lin { // ya² ≡ xa³ + a·xa + b
			l, r := f.curve(o.xa, o.ya)
			return lin(taut(f.cong(l, r), f.onOpened(o), assume(f.On(o.is.l))), l, r, one)
		}
		ca, cb := square(A), square(B)
		rise := logic.Add(logic.Mul(A.xa, A.xa), logic.Mul(A.xa, B.xa), logic.Mul(B.xa, B.xa), f.a)
		squares := f.follows(ca.L, cb.L, []auto.Lin{ca, by(cb, logic.N(-1)), by(e, rise)})
		yes, no := f.cong(A.ya, B.ya), f.cong(A.ya, logic.Neg(B.ya))
		ys := f.same(A.ya, B.ya, A.ranges[2], A.ranges[3], B.ranges[2], B.ranges[3])
		equal := A.is.then(inside(A.is.r, eq{e.Th, A.xa, B.xa}, ys)).then(B.is.sym())
		opposite := taut(no, Use(number.Squares(f.p, A.ya, B.ya), squares.Th), implied(yes, equal.th),
			assume(logic.Not(logic.Eq(P, Q))))
		zero3 := f.follows(z3, zero, []auto.Lin{zEq, by(e, logic.Neg(zzz))}).Th
		O := open.then(unfold(f.Sum(A.is.r, B.is.r), assume(same), opposite))
		return f.infinite(x3, y3, z3, zero3).then(O.sym()).th
	}()

	// the chord: its slope is l with dx·l ≡ dy
	caseChord := func() Theorem {
		not := assume(logic.Not(same))
		// dx ≢ 0: numbers that are congruent are the same
		d0 := f.isZero(dx)
		equal := f.same(A.xa, B.xa, append(append(A.ranges[:2:2], B.ranges[:2]...),
			f.follows(A.xa, B.xa, []auto.Lin{lin(assume(d0), dx, zero, logic.N(-1))}).Th)...)
		dxNot := taut(logic.Not(d0), implied(d0, equal.th), not)
		T := f.third(open.then(unfold(f.Sum(A.is.r, B.is.r), not)))
		slope := f.follows(logic.Mul(dx, T.slope), dy, []auto.Lin{by(f.inverse(dx), dy)}, T.l)
		rl := f.follows(r, logic.Mul(T.slope, dx, zzz), []auto.Lin{rEq, by(slope, logic.Neg(zzz))})
		cx := f.follows(logic.Mul(T.x, z3, z3), x3, nil, T.xl, hx, zEq, rl, hEq, hu, A.x)
		x3Eq := lin(cx.Th, x3, cx.L, one)
		cy := f.follows(logic.Mul(T.y, z3, z3, z3), y3, nil, T.yl, hy, x3Eq, zEq, rl, hEq, hu, hv, A.x, A.y)
		z3Not := f.carry(zEq, f.unit(dx, z, z, z, z2, z2, z2))
		facts := append(T.ranges, cx.Th, cy.Th, z3Not)
		return Use(f.is(x3, y3, z3, T.x, T.y, facts...).then(T.is.sym()).th, dxNot)
	}()
	return auto.Cases(goal, same, caseSame, caseChord)
}

// AddAffine, for P = Jac(x1, y1, z1), Q = Aff(x2, y2):
//
//	h ≡ x2·z1² − x1, r ≡ y2·z1³ − y1,
//	x3 ≡ r² − h³ − 2·x1·h², y3 ≡ r(x1·h² − x3) − y1·h³, z3 ≡ z1·h,
//	z1 ≢ 0, ¬(x2 ≡ 0 ∧ y2 ≡ 0), On(P), On(Q), P ≠ Q
//	⊢ Jac(x3, y3, z3) = P + Q
//
// t.U and t.V are not used.
func (f *Formulas) AddAffine(x0, y0, z0, x1, y1 Term, t AddTerms) Theorem {
	return f.at("addAffine", f.proveAddAffine, subst{
		x: x0, y: y0, z: z0, x2: x1, y2: y1, h: t.H, r: t.R, x3: t.X, y3: t.Y, z3: t.Z})
}

func (f *Formulas) proveAddAffine() Theorem {
	P, Q, J := f.Jac(x, y, z), f.Aff(x2, y2), f.Jac(x2, y2, one)
	th := f.Add(x, y, z, x2, y2, one, AddTerms{x, y, h, r, x3, y3, z3})
	e := f.affOne(x2, y2, assume(logic.Not(f.affNone(x2, y2))))
	back := auto.Rewritten(e.th, J, Q)
	hyps := []Term{f.On(Q), logic.Not(logic.Eq(P, Q))}
	for _, t := range []Term{logic.Not(logic.Eq(P, J)), f.On(J)} {
		th = implied(t, th)
	}
	th = auto.Must(kernel.Rewrite(th, back))
	return taut(logic.Eq(f.Jac(x3, y3, z3), f.Sum(P, Q)), th, assume(hyps[0]), assume(hyps[1]))
}
