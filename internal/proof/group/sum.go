package group

import (
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// slopeDef is the slope of the specification's chord or tangent through affine points.
var slopeDef = define("group.slope", []Term{m, a, vP, vQ}, func() Term {
	P, Q := of(vP), of(vQ)
	chord := logic.Mul(logic.Sub(Q.y, P.y), weierstrass.Inv(m, logic.Sub(Q.x, P.x)))
	tangent := logic.Mul(logic.Add(logic.Mul(three, P.x, P.x), a), weierstrass.Inv(m, logic.Mul(two, P.y)))
	return logic.Ite(logic.Eq(P.x, Q.x), logic.Mod(tangent, m), logic.Mod(chord, m))
}())

func (g *Group) slope(P, Q Term) Term { return slopeDef.App(g.p, g.a, P, Q) }

// line says that P, Q and −S are on a line of slope l.
func (g *Group) line(P, Q, S, l Term) Term { return line(g.p, g.a, of(P), of(Q), of(S), l) }

// equalX says X(P) = X(Q), and oppositeY Y(P) + Y(Q) ≡ 0 (mod p): what distinguishes the cases of Add.
func equalX(P, Q Term) Term { return logic.Eq(of(P).x, of(Q).x) }

// oppositeY is explained at equalX.
func (g *Group) oppositeY(P, Q Term) Term { return g.cong(logic.Add(of(P).y, of(Q).y), zero) }

// proveLeftInfinite: IsInfinity(P) ⊢ P + Q = Q.
func (g *Group) proveLeftInfinite() Theorem { return unfold(g.Add(vP, vQ), assume(isO(vP))).th }

// proveLeftZero: ⊢ O + P = P.
func (g *Group) proveLeftZero() Theorem { return unfold(g.Add(weierstrass.Infinity(), vP)).th }

// proveRightZero: On(P) ⊢ P + O = P.
func (g *Group) proveRightZero() Theorem {
	t := g.Add(vP, weierstrass.Infinity())
	yes, no := unfold(t, assume(isO(vP))), unfold(t, assume(finite(vP)))
	return cases(logic.Eq(t, vP), isO(vP), yes.then(g.isZero(vP).sym()).th, no.th)
}

// isZero is P = O, from the hypotheses On(P) and IsInfinity(P).
func (g *Group) isZero(P Term) eq { return eq{g.Infinite(P), P, weierstrass.Infinity()} }

// left is P + Q = Q, from the hypothesis IsInfinity(P); right is P + Q = P, from On(P), On(Q) and IsInfinity(Q).
func (g *Group) left(P, Q Term) eq { return eq{g.leftInfinite.at(subst{vP: P, vQ: Q}), g.Add(P, Q), Q} }

// right is explained at left.
func (g *Group) right(P, Q Term) eq {
	O := weierstrass.Infinity()
	return under(g.addTo(P), g.isZero(Q)).then(eq{g.RightZero(P), g.Add(P, O), P})
}

// addTo and plus are the functions P + h and h + Q of h, for under.
func (g *Group) addTo(P Term) func(Term) Term { return func(h Term) Term { return g.Add(P, h) } }

// plus is explained at addTo.
func (g *Group) plus(Q Term) func(Term) Term { return func(h Term) Term { return g.Add(h, Q) } }

// divide proves t ≡ 0 from c·t ≡ 0 and ¬(c ≡ 0).
func (g *Group) divide(t, c Term, product, nonzero Theorem) Theorem {
	return taut(g.cong(t, zero), use(number.Euclid(g.p, c, t), product), nonzero)
}

// half proves t ≡ 0 from 2t ≡ 0.
func (g *Group) half(t Term, double Theorem) Theorem { return use(number.Euclid(g.p, two, t), double) }

// apart is ¬(X(Q) − X(P) ≡ 0), from the hypotheses that P and Q are affine points of the curve, and X(P) ≠ X(Q).
func (g *Group) apart(P, Q Term) Theorem {
	same := g.cong(of(Q).x, of(P).x)
	return taut(logic.Not(same), implied(same, g.sameNumber(P, Q, weierstrass.X).th), assume(logic.Not(equalX(P, Q))))
}

// sum is what is known of S = P + Q for affine points with an affine sum, by a chord or by a tangent.
type sum struct {
	finite Theorem // ¬IsInfinity(S)
	line   Theorem // line(P, Q, S, slope)
	on     Theorem // On(S)
}

// A quotient is num/den, a slope, with a proof of ¬(den ≡ 0).
type quotient struct {
	num, den Term
	nonzero  Theorem
}

// open finds what is known of P + Q in the case of Add, and of the slope, that the facts select. second and last prove
// the conditions 1 and 3 of the line from slope·den ≡ num and from the condition 0.
func (g *Group) open(facts []Theorem, q quotient, second, last func(slope, first Theorem) Theorem) sum {
	S, s, inv := g.Add(vP, vQ), g.slope(vP, vQ), weierstrass.Inv(g.p, q.den)
	add, slope := unfold(S, facts...), unfold(s, facts...)
	point := add.then(unfold(add.r))
	n := g.openAffine(point.then(inside(point.r, slope.sym())))

	unit := taut(g.cong(logic.Mul(q.den, inv), one), number.Inverse(g.p, q.den), q.nonzero)
	divided := difference(logic.Mul(s, q.den), q.num).by(rule{slope.th, s}, g.modulo(slope.r)).
		add(unit, logic.Mul(q.den, inv), one, q.num).done(g.p)

	c := lineConditions(g.a, of(vP), of(vQ), of(S), s)
	first := difference(c[0].l, c[0].r).by(rule{n.x.th, n.x.l}, g.modulo(n.x.r)).done(g.p)
	third := difference(c[2].l, c[2].r).by(rule{n.y.th, n.y.l}, g.modulo(n.y.r), rule{n.x.th, n.x.l}).done(g.p)
	r := sum{finite: n.finite}
	r.line = makeLine(g.p, g.a, of(vP), of(vQ), of(S), s, first, second(divided, first), third, last(divided, first))

	curve := g.numbers(lineCurve, subst{lS: s}, place{cP, of(vP)}, place{cQ, of(vQ)}, place{cS, of(S)})
	curve = use(curve, g.curveOf(vP), r.line)
	x0, x1 := n.ranges(n.x)
	y0, y1 := n.ranges(n.y)
	r.on = g.onFrom(S, n.finite, x0, x1, y0, y1, curve)
	return r
}

func affinePair() []Theorem { return []Theorem{assume(finite(vP)), assume(finite(vQ))} }

// chord is the sum of P and Q with X(P) ≠ X(Q).
func (g *Group) chord() sum {
	P, Q, S, s := of(vP), of(vQ), of(g.Add(vP, vQ)), g.slope(vP, vQ)
	dx := logic.Sub(Q.x, P.x)
	apart := g.apart(vP, vQ)
	facts := append(affinePair(), assume(logic.Not(equalX(vP, vQ))))
	last := func(slope, first Theorem) Theorem {
		th := g.numbers(chordLast, subst{b: g.b, lS: s}, place{cP, P}, place{cQ, Q}, place{cS, S})
		c := lineConditions(g.a, P, Q, S, s)[3]
		return g.divide(logic.Sub(c.l, c.r), dx, use(th, g.curveOf(vP), g.curveOf(vQ), first, slope), apart)
	}
	second := func(slope, _ Theorem) Theorem { return slope }
	return g.open(facts, quotient{logic.Sub(Q.y, P.y), dx, apart}, second, last)
}

// equalY is Y(P) ≡ Y(Q), from the hypotheses that P and Q are affine points of the curve, X(P) = X(Q) and not
// Y(P) + Y(Q) ≡ 0.
func (g *Group) equalY() Theorem {
	P, Q := of(vP), of(vQ)
	c, d := onCurve(g.a, g.b, P), onCurve(g.a, g.b, Q)
	squares := difference(c.l, d.l).add(g.curveOf(vP), c.l, c.r, one).add(g.curveOf(vQ), d.l, d.r, logic.N(-1)).
		by(rule{assume(equalX(vP, vQ)), P.x}).done(g.p)
	return taut(g.cong(P.y, Q.y), use(number.Squares(g.p, P.y, Q.y), squares), assume(logic.Not(g.oppositeY(vP, vQ))))
}

// tangent is the sum of P and Q with X(P) = X(Q) and not Y(P) ≡ −Y(Q).
func (g *Group) tangent() sum {
	P, Q, S, s := of(vP), of(vQ), of(g.Add(vP, vQ)), g.slope(vP, vQ)
	same, no := assume(equalX(vP, vQ)), assume(logic.Not(g.oppositeY(vP, vQ)))
	equal := g.equalY()
	sameX := difference(Q.x, P.x).by(rule{same, Q.x}).done(g.p)
	// 2y_P ≡ 0 would give y_P + y_Q ≡ 0
	double := logic.Mul(two, P.y)
	none := difference(logic.Add(P.y, Q.y), zero).by(rule{equal, Q.y}).
		add(assume(g.cong(double, zero)), double, zero, one).done(g.p)
	nonzero := taut(logic.Not(g.cong(double, zero)), implied(g.cong(double, zero), none), no)
	second := func(_, _ Theorem) Theorem {
		c := lineConditions(g.a, P, Q, S, s)[1]
		return difference(c.l, c.r).by(rule{equal, Q.y}, rule{same, Q.x}).done(g.p)
	}
	last := func(slope, first Theorem) Theorem {
		th := g.numbers(tangentLast, subst{lS: s}, place{cP, P}, place{cQ, Q}, place{cS, S})
		return use(th, sameX, slope, first)
	}
	q := quotient{logic.Add(logic.Mul(three, P.x, P.x), g.a), double, nonzero}
	return g.open(append(affinePair(), same, no), q, second, last)
}

// proveZeroSum: ¬IsInfinity(P), ¬IsInfinity(Q), X(P) = X(Q), Y(P) + Y(Q) ≡ 0 ⊢ P + Q = O.
func (g *Group) proveZeroSum() Theorem {
	facts := append(affinePair(), assume(equalX(vP, vQ)), assume(g.oppositeY(vP, vQ)))
	return unfold(g.Add(vP, vQ), facts...).th
}

// noSum is IsInfinity(P + Q), from zeroSum.
func (g *Group) noSum(P, Q Term) Theorem {
	th := g.zeroSum.at(subst{vP: P, vQ: Q})
	return inside(isO(g.Add(P, Q)), eq{th, g.Add(P, Q), weierstrass.Infinity()}).th
}

// proveSumLine: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), ¬IsInfinity(P + Q) ⊢ line(P, Q, P + Q, slope).
func (g *Group) proveSumLine() Theorem {
	S := g.Add(vP, vQ)
	goal, x, y := g.line(vP, vQ, S, g.slope(vP, vQ)), equalX(vP, vQ), g.oppositeY(vP, vQ)
	zero := taut(goal, g.noSum(vP, vQ), assume(finite(S)))
	return cases(goal, x, cases(goal, y, zero, g.tangent().line), g.chord().line)
}

// proveSumZero: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), IsInfinity(P + Q) ⊢ X(P) = X(Q) and Y(P) + Y(Q) ≡ 0.
func (g *Group) proveSumZero() Theorem {
	x, y := equalX(vP, vQ), g.oppositeY(vP, vQ)
	chord, tangent := implied(logic.Not(x), g.chord().finite), implied(x, implied(logic.Not(y), g.tangent().finite))
	return taut(logic.And(x, y), chord, tangent, assume(isO(g.Add(vP, vQ))))
}

// proveSumDouble: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), ¬IsInfinity(P + Q), X(P) = X(Q) ⊢ Y(P) ≡ Y(Q).
func (g *Group) proveSumDouble() Theorem {
	y := g.oppositeY(vP, vQ)
	th := g.equalY()
	return taut(th.Concl(), implied(logic.Not(y), th), implied(y, g.noSum(vP, vQ)), assume(finite(g.Add(vP, vQ))))
}

// proveClosed: On(P), On(Q) ⊢ On(P + Q).
func (g *Group) proveClosed() Theorem {
	S := g.Add(vP, vQ)
	goal, x, y := g.On(S), equalX(vP, vQ), g.oppositeY(vP, vQ)
	zero := g.onBy(eq{g.zeroSum.get(), S, weierstrass.Infinity()}, g.onZero())
	affine := cases(goal, x, cases(goal, y, zero, g.tangent().on), g.chord().on)
	left, right := g.onBy(g.left(vP, vQ), assume(g.On(vQ))), g.onBy(g.right(vP, vQ), assume(g.On(vP)))
	return cases(goal, isO(vP), left, cases(goal, isO(vQ), right, affine))
}

// sumFact is sumLine.
func (g *Group) sumFact(P, Q Term) Theorem { return g.sumLine.at(subst{vP: P, vQ: Q}) }

// proveUnique: On(P), On(Q), On(R), ¬IsInfinity(P), ¬IsInfinity(Q), ¬IsInfinity(R), line(P, Q, R, l) ⊢ P + Q = R. As
// there are no points of order 2, the hypotheses exclude Q = −P.
func (g *Group) proveUnique() Theorem {
	P, Q, R, S, s := of(vP), of(vQ), of(vR), g.Add(vP, vQ), g.slope(vP, vQ)
	l := assume(g.line(vP, vQ, vR, vl))
	x, y := equalX(vP, vQ), g.oppositeY(vP, vQ)
	// Q = −P gives y_Q ≡ y_P, hence 2y_P ≡ 0.
	c := lineConditions(g.a, P, Q, R, vl)[1]
	double := difference(logic.Mul(two, P.y), zero).add(assume(y), logic.Add(P.y, Q.y), zero, one).
		add(readLine(l).is[1], c.l, c.r, logic.N(-1)).by(rule{assume(x), P.x}).done(g.p)
	absurd := taut(logic.False(), g.half(P.y, double), g.Torsion(vP))
	notBoth := implied(x, implied(y, absurd))
	some := taut(finite(S), implied(isO(S), g.sumZero.get()), notBoth)
	own := use(g.sumFact(vP, vQ), some)

	ps := []place{{cP, P}, {cQ, Q}, {cS, of(S)}, {cT, R}}
	slopes := subst{lS: s, lT: vl}
	d, dx := logic.Sub(s, vl), logic.Sub(Q.x, P.x)
	byX := use(number.Euclid(g.p, d, dx), use(g.numbers(slopesX, slopes, ps...), own, l))
	byY := use(number.Euclid(g.p, d, logic.Add(P.y, Q.y)), use(g.numbers(slopesY, slopes, ps...), own, l))
	equal := implied(g.cong(dx, zero), g.sameNumber(vP, vQ, weierstrass.X).th)
	same := taut(g.cong(s, vl), byX, equal, byY, notBoth)
	sx, sy := use(g.numbers(sameX, slopes, ps...), own, l, same), use(g.numbers(sameY, slopes, ps...), own, l, same)
	return use(g.Same(S, vR), g.Closed(vP, vQ), some, sx, sy)
}

// uniqueSum is P + Q = R by unique, from a proof of a line.
func (g *Group) uniqueSum(P, Q, R Term, line Theorem) eq {
	th := g.unique.at(subst{vP: P, vQ: Q, vR: R, vl: line.Concl().Arg(8)})
	return eq{use(th, line), g.Add(P, Q), R}
}

// swap is line(Q, P, S, l) from line(P, Q, S, l), turn line(Q, −S, −P, l).
func (g *Group) swap(th Theorem) Theorem {
	f := readLine(th)
	return use(g.numbers(lineSwap, subst{lS: f.l}, place{cP, f.P}, place{cQ, f.Q}, place{cS, f.S}), th)
}

// turn is explained at swap.
func (g *Group) turn(th Theorem, S, P negated) Theorem {
	f := readLine(th)
	turned := g.numbers(lineTurn, subst{lS: f.l}, place{cP, f.P}, place{cQ, f.Q}, place{cS, f.S},
		place{negS, of(S.N)}, place{negP, of(P.N)})
	return use(turned, th, S.x, S.y, P.x, P.y)
}

// proveZeroNeg: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), IsInfinity(P + Q) ⊢ Q = −P.
func (g *Group) proveZeroNeg() Theorem {
	n, zero := g.negOf(vP), g.sumZero.get()
	Q, N := of(vQ), of(n.N)
	x := difference(Q.x, N.x).by(n.rules()...).by(rule{taut(equalX(vP, vQ), zero), Q.x}).done(g.p)
	y := difference(Q.y, N.y).by(n.rules()...).by(rule{taut(g.oppositeY(vP, vQ), zero), Q.y}).done(g.p)
	return use(g.Same(vQ, n.N), g.NegClosed(vP), n.finite, x, y)
}

// isNeg is Q = −P by zeroNeg.
func (g *Group) isNeg(P, Q Term) eq { return eq{g.zeroNeg.at(subst{vP: P, vQ: Q}), Q, g.Neg(P)} }

// proveRightNeg: On(P) ⊢ P + −P = O.
func (g *Group) proveRightNeg() Theorem {
	n := g.negOf(vP)
	S, O := g.Add(vP, n.N), weierstrass.Infinity()
	yes := g.left(vP, n.N).then(eq{g.negInfinite.get(), n.N, vP}).then(g.isZero(vP))
	no := use(g.zeroSum.at(subst{vQ: n.N}), n.finite, n.equal, n.y)
	return cases(logic.Eq(S, O), isO(vP), yes.th, no)
}

// proveComm: On(P), On(Q) ⊢ P + Q = Q + P.
func (g *Group) proveComm() Theorem {
	S, U := g.Add(vP, vQ), g.Add(vQ, vP)
	goal := logic.Eq(S, U)
	left := g.left(vP, vQ).then(g.right(vQ, vP).sym()).th
	right := g.right(vP, vQ).then(g.left(vQ, vP).sym()).th
	// X(P) = X(Q) and Y(P) + Y(Q) ≡ 0 are the same terms for Q, P.
	both := g.sumZero.get()
	opposite := use(g.zeroSum.at(subst{vP: vQ, vQ: vP}), taut(equalX(vP, vQ), both), taut(g.oppositeY(vP, vQ), both))
	zero := use(g.isZero(S).th, g.Closed(vP, vQ))
	none := eq{zero, S, weierstrass.Infinity()}.then(eq{opposite, U, weierstrass.Infinity()}.sym()).th
	some := use(g.uniqueSum(vQ, vP, S, g.swap(g.sumFact(vP, vQ))).th, g.Closed(vP, vQ))
	affine := cases(goal, isO(S), none, some)
	return cases(goal, isO(vP), left, cases(goal, isO(vQ), right, affine))
}

// proveCancel: On(P), On(Q) ⊢ (P + Q) + −Q = P.
func (g *Group) proveCancel() Theorem {
	S, n := g.Add(vP, vQ), g.negOf(vQ)
	goal := logic.Eq(g.Add(S, n.N), vP)
	left := under(g.plus(n.N), g.left(vP, vQ)).then(eq{g.RightNeg(vQ), g.Add(vQ, n.N), weierstrass.Infinity()}).
		then(g.isZero(vP).sym())
	same := eq{g.negInfinite.at(subst{vP: vQ}), n.N, vQ}
	right := under(g.plus(n.N), g.right(vP, vQ)).then(under(g.addTo(vP), same)).then(g.right(vP, vQ))
	// Q = −P, and −Q = −−P = P
	none := g.left(S, n.N).then(under(g.Neg, g.isNeg(vP, vQ))).then(eq{g.NegNeg(vP), g.Neg(g.Neg(vP)), vP})
	f := readLine(g.sumFact(vP, vQ))
	line := g.numbers(lineCancel, subst{lS: f.l}, place{cP, f.P}, place{cQ, f.Q}, place{cS, f.S}, place{negQ, of(n.N)})
	some := use(g.uniqueSum(S, n.N, vP, use(line, f.th, n.x, n.y)).th, g.Closed(vP, vQ), g.NegClosed(vQ), n.finite)
	affine := cases(goal, isO(S), none.th, some)
	return cases(goal, isO(vP), left.th, cases(goal, isO(vQ), right.th, affine))
}

// proveLeftCancel: On(P), On(Q), On(R), P + Q = P + R ⊢ Q = R.
func (g *Group) proveLeftCancel() Theorem {
	back := func(Q Term) eq { return eq{g.Cancel(Q, vP), g.Add(g.Add(Q, vP), g.Neg(vP)), Q} } // (Q + P) + −P = Q
	swap := func(Q Term) eq { return eq{g.Comm(Q, vP), g.Add(Q, vP), g.Add(vP, Q)} }
	same := eq{assume(logic.Eq(g.Add(vP, vQ), g.Add(vP, vR))), g.Add(vP, vQ), g.Add(vP, vR)}
	sums := swap(vQ).then(same).then(swap(vR).sym())
	return back(vQ).sym().then(under(g.plus(g.Neg(vP)), sums)).then(back(vR)).th
}

// proveNegAdd: On(P), On(Q) ⊢ −(P + Q) = −P + −Q.
func (g *Group) proveNegAdd() Theorem {
	S, nP, nQ, O := g.Add(vP, vQ), g.negOf(vP), g.negOf(vQ), weierstrass.Infinity()
	nS := g.negOf(S)
	goal := logic.Eq(nS.N, g.Add(nP.N, nQ.N))
	same := func(P Term) eq { return eq{g.negInfinite.at(subst{vP: P}), g.Neg(P), P} }
	left := under(g.Neg, g.left(vP, vQ)).then(under(g.plus(nQ.N), same(vP)).then(g.left(vP, nQ.N)).sym())
	right := under(g.Neg, g.right(vP, vQ)).then(under(g.addTo(nP.N), same(vQ)).then(g.right(nP.N, vQ)).sym())
	// P + Q = O and Q = −P: −O = O = −P + −−P
	opposite := under(g.addTo(nP.N), under(g.Neg, g.isNeg(vP, vQ))).
		then(eq{g.RightNeg(nP.N), g.Add(nP.N, g.Neg(nP.N)), O})
	none := under(g.Neg, g.isZero(S)).then(unfold(g.Neg(O))).then(opposite.sym())
	f := readLine(g.sumFact(vP, vQ))
	line := use(g.numbers(lineNeg, subst{lS: f.l}, place{cP, f.P}, place{cQ, f.Q}, place{cS, f.S},
		place{negP, of(nP.N)}, place{negQ, of(nQ.N)}, place{negS, of(nS.N)}), f.th, nP.x, nP.y, nQ.x, nQ.y, nS.x, nS.y)
	some := use(g.uniqueSum(nP.N, nQ.N, nS.N, line).th,
		g.NegClosed(vP), g.NegClosed(vQ), g.NegClosed(S), nP.finite, nQ.finite, nS.finite)
	affine := cases(goal, isO(S), none.th, some)
	th := cases(goal, isO(vP), left.th, cases(goal, isO(vQ), right.th, affine))
	return use(th, g.Closed(vP, vQ), g.NegClosed(vP))
}

// proveDoubleZero: On(P), P + P = O ⊢ P = O.
func (g *Group) proveDoubleZero() Theorem {
	S, O := g.Add(vP, vP), weierstrass.Infinity()
	none := inside(isO(S), eq{assume(logic.Eq(S, O)), S, O}).th
	both := use(g.sumZero.at(subst{vQ: vP}), none)
	absurd := taut(logic.Eq(vP, O), g.half(of(vP).y, taut(g.oppositeY(vP, vP), both)), g.Torsion(vP))
	return cases(logic.Eq(vP, O), isO(vP), g.Infinite(vP), absurd)
}
