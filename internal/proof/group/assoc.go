package group

import (
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// triple are the points of associativity and their sums, with proofs of the lines from the hypotheses that P, Q, R are
// on the curve and that none of the seven points is O.
type triple struct {
	g                   *Group
	S, T, U, V          Term // P + Q, Q + R, (P + Q) + R, P + (Q + R)
	lS, lT, lU, lV      Theorem
	onS, onT, onU, onV  Theorem
	sameLeft, sameRight Term // X(S) = X(R), X(P) = X(T): the outer sum is by a tangent
}

func (g *Group) triple() triple {
	t := triple{g: g, S: g.Add(vP, vQ), T: g.Add(vQ, vR)}
	t.U, t.V = g.Add(t.S, vR), g.Add(vP, t.T)
	t.onS, t.onT = g.Closed(vP, vQ), g.Closed(vQ, vR)
	t.onU, t.onV = use(g.Closed(t.S, vR), t.onS), use(g.Closed(vP, t.T), t.onT)
	t.lS, t.lT = g.sumFact(vP, vQ), g.sumFact(vQ, vR)
	t.lU, t.lV = use(g.sumFact(t.S, vR), t.onS), use(g.sumFact(vP, t.T), t.onT)
	t.sameLeft, t.sameRight = equalX(t.S, vR), equalX(vP, t.T)
	return t
}

func (t triple) goal() Term { return logic.Eq(t.U, t.V) }

// equal is U = V from congruences of their coordinates.
func (t triple) equal(x, y Theorem) Theorem { return use(t.g.Same(t.U, t.V), t.onU, t.onV, x, y) }

// proveAssocChords: On(P), On(Q), On(R), none of P, Q, R, S, T, U, V is O, X(S) ≠ X(R), X(P) ≠ X(T) ⊢ U = V.
func (g *Group) proveAssocChords() Theorem {
	t := g.triple()
	left, right := use(g.apart(t.S, vR), t.onS), use(g.apart(vP, t.T), t.onT)
	dl, dr := logic.Sub(of(vR).x, of(t.S).x), logic.Sub(of(t.T).x, of(vP).x)
	// cancelled is d ≡ 0 from d·dlⁱ·drʲ ≡ 0.
	cancelled := func(th Theorem, d Term, i, j int) Theorem {
		for ; i > 0; i-- {
			th = g.divide(logic.Mul(d, power(dl, i-1), power(dr, j)), dl, th, left)
		}
		for ; j > 0; j-- {
			th = g.divide(logic.Mul(d, power(dr, j-1)), dr, th, right)
		}
		return th
	}
	lines := []Theorem{t.lS, t.lT, t.lU, t.lV}
	U, V := of(t.U), of(t.V)
	x := cancelled(use(g.outerSums(chordsX, t.lS, t.lT, t.lU, t.lV), lines...), logic.Sub(U.x, V.x), 2, 2)
	y := cancelled(use(g.outerSums(chordsY, t.lS, t.lT, t.lU, t.lV), append(lines, x)...), logic.Sub(U.y, V.y), 3, 1)
	return t.equal(x, y)
}

// outerSums is an instance of a lemma about four lines.
func (g *Group) outerSums(l *lemma, lineS, lineT, lineU, lineV Theorem) Theorem {
	s, t, u, v := readLine(lineS), readLine(lineT), readLine(lineU), readLine(lineV)
	return g.numbers(l, subst{lS: s.l, lT: t.l, lU: u.l, lV: v.l},
		place{cP, s.P}, place{cQ, s.Q}, place{cR, t.Q}, place{cS, s.S}, place{cT, t.S}, place{cU, u.S}, place{cV, v.S})
}

// doubled are the congruences of the coordinates of U and V, from lines of S = P + Q, T = Q + R, U = S + R, V = P + T,
// from R = S as congruences, and from ¬(y_S ≡ 0) and ¬(x_T ≡ x_P).
func (g *Group) doubled(lineS, lineT, lineU, lineV, sameX, sameY, some, apart Theorem) (x, y Theorem) {
	s, t, u, v := readLine(lineS), readLine(lineT), readLine(lineU), readLine(lineV)
	facts := []Theorem{lineS, lineT, lineU, lineV, sameX, sameY}
	lemma := func(l *lemma, more ...Theorem) Theorem {
		return use(g.outerSums(l, lineS, lineT, lineU, lineV), append(facts, more...)...)
	}
	dx, d := logic.Sub(t.S.x, s.P.x), logic.Sub(t.l, s.l)
	du := logic.Sub(u.l, logic.Add(v.l, d))
	slopeU := g.half(logic.Mul(s.S.y, dx, du), lemma(tangentU))
	slopeU = g.divide(du, s.S.y, g.divide(logic.Mul(s.S.y, du), dx, slopeU, apart), some)
	w := doubleProduct(s.Q, s.S, s.l, t.l)
	slopeV := g.divide(logic.Sub(logic.Mul(v.l, d), w), dx, lemma(tangentV), apart)
	x = lemma(tangentX, slopeU, slopeV)
	y = g.half(logic.Sub(u.S.y, v.S.y), lemma(tangentY, slopeU, slopeV, x))
	return x, y
}

// coincide is X(P) ≡ X(Q) and Y(P) ≡ Y(Q), from the hypotheses of sumDouble.
func (g *Group) coincide(P, Q Term) (x, y Theorem) {
	same := assume(equalX(P, Q))
	return difference(of(P).x, of(Q).x).by(rule{same, of(P).x}).done(g.p), g.sumDouble.at(subst{vP: P, vQ: Q})
}

// proveAssocTangent: On(P), On(Q), On(R), none of P, Q, R, S, T, U, V is O, X(S) = X(R) or X(P) = X(T) ⊢ U = V. Not
// both hold, as there are no points of order 2.
func (g *Group) proveAssocTangent() Theorem {
	t := g.triple()
	xl, yl := g.coincide(t.S, vR)
	xr, yr := g.coincide(vP, t.T)
	yl, yr = use(yl, t.onS), use(yr, t.onT)
	someS, someT := use(g.Torsion(t.S), t.onS), use(g.Torsion(t.T), t.onT)
	// R = S
	left := t.equal(g.doubled(t.lS, t.lT, t.lU, t.lV, xl, yl, someS, use(g.apart(vP, t.T), t.onT)))
	// P = T: the same from right to left
	lS, lT, lU, lV := g.swap(t.lT), g.swap(t.lS), g.swap(t.lV), g.swap(t.lU)
	x, y := g.doubled(lS, lT, lU, lV, xr, yr, someT, use(g.apart(vR, t.S), t.onS))
	right := t.equal(x, y)
	// both: 4·y_Q·y_S ≡ 0
	four := use(g.outerSums(twoTangents, t.lS, t.lT, t.lU, t.lV), t.lS, t.lT, t.lU, t.lV, xl, yl, xr)
	yQ, yS := of(vQ).y, of(t.S).y
	product := g.half(logic.Mul(yQ, yS), g.half(logic.Mul(two, yQ, yS), four))
	both := taut(t.goal(), g.divide(yS, yQ, product, g.Torsion(vQ)), someS)
	// cases
	l, r := t.sameLeft, t.sameRight
	onlyLeft, onlyRight := implied(l, implied(logic.Not(r), left)), implied(r, implied(logic.Not(l), right))
	return taut(t.goal(), onlyLeft, onlyRight, implied(l, implied(r, both)), assume(logic.Or(l, r)))
}

// proveOuterLeft: On(P), On(Q), On(R), none of P, Q, R, S, T is O, U is O ⊢ U = V. Because R = −S, P, Q and R are on a
// line, and T = −P.
func (g *Group) proveOuterLeft() Theorem {
	t := g.triple()
	S, P, O := g.negOf(t.S), g.negOf(vP), weierstrass.Infinity()
	R := eq{use(g.isNeg(t.S, vR).th, t.onS), vR, S.N}
	T := under(g.addTo(vQ), R).then(g.uniqueSum(vQ, S.N, P.N, g.turn(t.lS, S, P)))
	V := under(g.addTo(vP), T).then(eq{g.RightNeg(vP), g.Add(vP, P.N), O})
	th := g.isZero(t.U).then(V.sym()).th
	return use(th, t.onU, g.NegClosed(t.S), t.onS, g.NegClosed(vP), S.finite, P.finite)
}

// proveOuterRight: On(P), On(Q), On(R), none of P, Q, R, S, T is O, V is O ⊢ U = V. Because T = −P, P, Q and R are on a
// line, and S = −R.
func (g *Group) proveOuterRight() Theorem {
	t := g.triple()
	T, R, O := g.negOf(t.T), g.negOf(vR), weierstrass.Infinity()
	minus := eq{use(g.isNeg(vP, t.T).th, t.onT), t.T, g.Neg(vP)}
	back := under(g.Neg, minus).then(eq{g.NegNeg(vP), g.Neg(g.Neg(vP)), vP}).sym() // P = −T
	S := under(g.plus(vQ), back).
		then(g.uniqueSum(T.N, vQ, R.N, g.swap(g.turn(g.swap(t.lT), T, R))))
	U := under(g.plus(vR), S).then(eq{g.Comm(R.N, vR), g.Add(R.N, vR), g.Add(vR, R.N)}).
		then(eq{g.RightNeg(vR), g.Add(vR, R.N), O})
	th := U.then(g.isZero(t.V).sym()).th
	return use(th, t.onV, g.NegClosed(t.T), t.onT, g.NegClosed(vR), T.finite, R.finite)
}

// proveAssoc: On(P), On(Q), On(R) ⊢ (P + Q) + R = P + (Q + R).
func (g *Group) proveAssoc() Theorem {
	t := g.triple()
	goal := t.goal()
	zeroP := under(g.plus(vR), g.left(vP, vQ)).then(g.left(vP, t.T).sym()).th
	zeroQ := under(g.plus(vR), g.right(vP, vQ)).then(under(g.addTo(vP), g.left(vQ, vR)).sym()).th
	zeroR := use(g.right(t.S, vR).then(under(g.addTo(vP), g.right(vQ, vR)).sym()).th, t.onS)
	// Q = −P: R = (R + Q) + −Q = P + (Q + R), as −Q = P
	minusQ := under(g.Neg, g.isNeg(vP, vQ)).then(eq{g.NegNeg(vP), g.Neg(g.Neg(vP)), vP})
	RQ := g.Add(vR, vQ)
	V := under(g.addTo(vP), eq{g.Comm(vQ, vR), t.T, RQ}).then(eq{g.Comm(vP, RQ), g.Add(vP, RQ), g.Add(RQ, vP)}).
		then(under(g.addTo(RQ), minusQ).sym()).then(eq{g.Cancel(vR, vQ), g.Add(RQ, g.Neg(vQ)), vR})
	zeroS := use(g.left(t.S, vR).then(V.sym()).th, g.Closed(vR, vQ))
	// R = −Q: (P + Q) + −Q = P
	U := under(g.addTo(t.S), g.isNeg(vQ, vR)).then(eq{g.Cancel(vP, vQ), g.Add(t.S, g.Neg(vQ)), vP})
	zeroT := use(U.then(g.right(vP, t.T).sym()).th, t.onT)

	tangent := logic.Or(t.sameLeft, t.sameRight)
	noLeft, noRight := logic.Not(t.sameLeft), logic.Not(t.sameRight)
	chords := taut(goal, implied(noLeft, implied(noRight, g.assocChords.get())), assume(logic.Not(tangent)))
	th := cases(goal, tangent, g.assocTangent.get(), chords)
	for _, c := range []struct {
		point Term
		proof Theorem
	}{
		{t.V, g.outerRight.get()}, {t.U, g.outerLeft.get()},
		{t.T, zeroT}, {t.S, zeroS}, {vR, zeroR}, {vQ, zeroQ}, {vP, zeroP},
	} {
		th = cases(goal, isO(c.point), c.proof, th)
	}
	return th
}
