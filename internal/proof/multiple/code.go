package multiple

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// code numbers the points of a curve: 2x + y mod 2, and 2p for O. −(x, y) = (x, p−y), and p is odd.
var code = func() logic.Def {
	p, two := integer("p"), logic.N(2)
	return mustDef(logic.Define("multiple.code", []Term{p, vP}, logic.Ite(weierstrass.IsInfinity(vP), logic.Mul(two, p),
		logic.Add(logic.Mul(two, weierstrass.X(vP)), logic.Mod(weierstrass.Y(vP), two)))))
}()

// shape is what follows from OnCurve(P), if P is O and if it isn't.
type shape struct {
	P, x, y Term
	inf     fact    // IsInfinity(P), and
	o       Theorem // IsInfinity(P) ⊢ P = O; or
	affine  fact    // ¬IsInfinity(P), and these, all from it:
	x0, x1  Theorem // 0 ≤ x, x < p
	y0, y1  Theorem
	square  Theorem // y² ≡ x³ + ax + b
	tuple   equation

	half, oddity Term // y div 2, y mod 2
	odd0, odd1   Theorem
	division     auto.Lin // y = 2·half + oddity
}

// shapeOf finds the shape of P. Its theorems have the hypothesis OnCurve(P).
func (l *Laws) shapeOf(P Term) shape {
	two := logic.N(2)
	s := shape{P: P, x: weierstrass.X(P), y: weierstrass.Y(P)}
	on := l.on(P)
	body := logic.Unfold(on)
	open := taut(body, auto.Must(kernel.Unfold(on)), assume(on))
	s.inf, s.affine = decide(weierstrass.IsInfinity(P))
	s.o = taut(logic.Eq(P, o), open, s.inf.th)
	part := func(q Term) Theorem { return taut(q, open, s.affine.th) }
	s.x0, s.x1 = part(logic.Ge0(s.x)), part(logic.Lt(s.x, l.c.P))
	s.y0, s.y1 = part(logic.Ge0(s.y)), part(logic.Lt(s.y, l.c.P))
	s.square = part(logic.Cong(logic.Mul(s.y, s.y), l.cubic(s.x), l.c.P))
	eta := equation{auto.Must(kernel.TupleEta(P)), P, logic.MkTuple(s.inf.c, s.x, s.y)}
	s.tuple = chain(P, eta, equation{s.affine.th, s.inf.c, logic.False()})
	s.half, s.oddity = logic.Div(s.y, two), logic.Mod(s.y, two)
	var err error
	s.odd0, s.odd1, err = kernel.ModRange(s.y, two, auto.True())
	auto.Must(s.odd0, err)
	s.division = lin(auto.Must(kernel.DivMod(s.y, two)), s.y, logic.Add(s.half, s.half, s.oddity), one)
	return s
}

// cubic is x³ + ax + b.
func (l *Laws) cubic(x Term) Term { return logic.Add(logic.Mul(x, x, x), logic.Mul(l.c.A, x), l.c.B) }

// code is code(P) = what it is, if P is O or if it isn't.
func (l *Laws) code(s shape, f fact) auto.Lin {
	e := unfold(code.App(l.c.P, s.P), f)
	return lin(e.th, e.l, e.r, one)
}

func (l *Laws) p() *big.Int {
	p, _ := l.c.P.Const()
	return p
}

func (l *Laws) n() *big.Int {
	n, _ := l.c.N.Const()
	return n
}

// proveSameCode: the codes give x and the parity of y. Of the two points with this x, (x, y) and (x, p−y), one has it.
func (l *Laws) proveSameCode() Theorem {
	two, minus := logic.N(2), logic.N(-1)
	P, Q := l.shapeOf(vP), l.shapeOf(vQ)
	goal := logic.Eq(vP, vQ)
	cP, cQ := code.App(l.c.P, vP), code.App(l.c.P, vQ)
	same := lin(assume(logic.Eq(cP, cQ)), cP, cQ, one)

	bothO := chain(vP, equal(P.o, vP, o), equal(Q.o, vQ, o).back()).th
	// 2p ≤ 2x + c, for x < p and c ≤ 1
	onlyP := absurd(goal, impossible([]Theorem{Q.x1, Q.x1, Q.odd1},
		l.code(P, P.inf), by(l.code(Q, Q.affine), minus), by(same, minus)))
	onlyQ := absurd(goal, impossible([]Theorem{P.x1, P.x1, P.odd1},
		l.code(Q, Q.inf), by(l.code(P, P.affine), minus), same))

	// 2·(x − x′) = c′ − c
	codes := func(s int64) []auto.Lin {
		cp, cq := l.code(P, P.affine), l.code(Q, Q.affine)
		return []auto.Lin{by(same, logic.N(s)), by(cp, logic.N(-s)), by(cq, logic.N(s))}
	}
	dx := logic.Sub(P.x, Q.x)
	up := cut(big.NewInt(2), dx, one, []Theorem{Q.odd0, P.odd1}, codes(1)...)
	down := cut(big.NewInt(2), logic.Neg(dx), one, []Theorem{P.odd0, Q.odd1}, codes(-1)...)
	sameX := lin(antisym(dx, up, down), P.x, Q.x, one)
	sameOdd := lin(auto.Equal(P.oddity, Q.oddity, append(codes(1), by(sameX, logic.N(-2)))...), P.oddity, Q.oddity, one)

	// y² ≡ y′², so that y ≡ y′ or y ≡ −y′
	yy, zz := logic.Mul(P.y, P.y), logic.Mul(Q.y, Q.y)
	slope := logic.Add(logic.Mul(P.x, P.x), logic.Mul(P.x, Q.x), logic.Mul(Q.x, Q.x), l.c.A)
	squares := auto.Congruent(yy, zz, l.c.P, lin(P.square, yy, l.cubic(P.x), one),
		lin(Q.square, zz, l.cubic(Q.x), minus), by(sameX, slope))
	roots := use(number.Squares(l.c.P, P.y, Q.y), squares)
	plus := logic.Cong(P.y, Q.y, l.c.P)
	sameY := logic.Eq(P.y, Q.y)
	if0 := use(number.Same(l.c.P, P.y, Q.y), P.y0, P.y1, Q.y0, Q.y1)
	// y + y′ = p·s, where s is 0 or 1
	opposite := assume(logic.Cong(P.y, logic.Neg(Q.y), l.c.P))
	ys := logic.Add(P.y, Q.y)
	d := opposite.Concl().Arg(0)
	s := logic.Div(d, l.c.P)
	elim := lin(auto.Must(kernel.DvdElim(opposite)), d, logic.Mul(l.c.P, s), one)
	if d != ys {
		s, elim.By = logic.Neg(s), minus
	}
	is := lin(auto.Equal(ys, logic.Mul(l.c.P, s), elim), ys, logic.Mul(l.c.P, s), one)
	s0 := cut(l.p(), s, zero, []Theorem{P.y0, Q.y0}, by(is, minus))
	s1 := cut(l.p(), logic.Neg(s), logic.Sub(logic.Add(l.c.P, l.c.P), two), []Theorem{P.y1, Q.y1}, is)
	none, some := logic.Le(s, zero), logic.Le(one, s)
	noY := func(y Theorem, t, u Term, z Theorem) auto.Lin { // t = 0, from 0 ≤ t, 0 ≤ u and t + u = p·s = 0
		zeroS := lin(antisym(s, s0, assume(none)), s, zero, l.c.P)
		le := nonneg(logic.Neg(t), []Theorem{z}, by(is, minus), by(zeroS, logic.Neg(l.c.P)))
		return lin(antisym(t, y, le), t, zero, one)
	}
	y0 := auto.Equal(P.y, Q.y, noY(P.y0, P.y, Q.y, Q.y0), by(noY(Q.y0, Q.y, P.y, P.y0), minus))
	// p = y + y′ = 2·h, which is odd
	oneS := lin(antisym(logic.Sub(s, one), assume(some), s1), s, one, l.c.P)
	h := logic.Add(P.half, Q.half, Q.oddity)
	half := new(big.Int).Rsh(l.p(), 1)
	t := logic.Sub(h, logic.IntConst(half)) // 2·t = 1
	eqs := func(s int64) []auto.Lin {
		return []auto.Lin{by(is, logic.N(s)), by(oneS, auto.Scale(big.NewInt(s), l.c.P)),
			by(P.division, logic.N(-s)), by(Q.division, logic.N(-s)), by(sameOdd, logic.N(-s))}
	}
	ge := cut(big.NewInt(2), t, minus, nil, eqs(1)...)
	le := cut(big.NewInt(2), logic.Neg(t), one, nil, eqs(-1)...)
	y1 := absurd(sameY, impossible([]Theorem{ge, le}))
	if1 := auto.Cases(sameY, none, y0, y1)
	yEq := taut(sameY, roots, implied(plus, if0), implied(opposite.Concl(), if1))

	both := chain(vP, P.tuple, equal(sameX.Th, P.x, Q.x), equal(yEq, P.y, Q.y), Q.tuple.back()).th
	return auto.Cases(goal, P.inf.c, auto.Cases(goal, Q.inf.c, bothO, onlyP), auto.Cases(goal, Q.inf.c, onlyQ, both))
}
