package group

import "verum.example/internal/tcb/logic"

// The lemmas of this file are associativity of sums of affine points, in numbers: from the lines of S = P + Q, T = Q +
// R, U = S + R and V = P + T follows U = V. It doesn't matter whether a line is a chord or a tangent, but for U and V
// one needs to know a denominator of the slope that isn't 0: x_R − x_S for a chord, 2y_S for a tangent.

// sums are the four lines of associativity.
type sums struct{ S, T, U, V lineFact }

func assumedSums() sums {
	return sums{assumed(cP, cQ, cS, lS), assumed(cQ, cR, cT, lT), assumed(cS, cR, cU, lU), assumed(cP, cT, cV, lV)}
}

// outer eliminates the coordinates of U and V.
func (s sums) outer() []rule {
	return []rule{{s.U.is[2], cU.y}, {s.V.is[2], cV.y}, {s.U.is[0], cU.x}, {s.V.is[0], cV.x}}
}

// inner eliminates all coordinates but those of Q, x_S and x_T: x_P = l² − x_Q − x_S and so on.
func (s sums) inner() []rule {
	return []rule{
		{s.S.is[2], cS.y}, {s.S.is[1], cP.y}, {s.T.is[2], cT.y}, {s.T.is[1], cR.y},
		{s.S.is[0], cP.x}, {s.T.is[0], cR.x},
	}
}

// curves is the relation between what inner leaves: the lines of S and T belong to the same curve, to one a. It is
// monic in x_S.
func (s sums) curves() rule {
	c, d := lineConditions(a, cP, cQ, cS, lS)[3], lineConditions(a, cQ, cR, cT, lT)[3]
	both := difference(c.r, d.r).add(s.S.is[3], c.l, c.r, logic.N(-1)).add(s.T.is[3], d.l, d.r, one).done(m)
	return rule{difference(c.r, d.r).by(s.inner()...).left(both, m), cS.x}
}

// chordsX: the four lines ⊢ (x_R − x_S)²(x_T − x_P)²(x_U − x_V) ≡ 0.
var chordsX = &lemma{prove: func() Theorem {
	s := assumedSums()
	return difference(cU.x, cV.x).by(s.outer()...).eliminate(s.U.is[1], lU).eliminate(s.V.is[1], lV).
		by(s.inner()...).by(s.curves()).done(m)
}}

// chordsY: the four lines, x_U ≡ x_V ⊢ (x_R − x_S)³(x_T − x_P)(y_U − y_V) ≡ 0.
var chordsY = &lemma{prove: func() Theorem {
	s := assumedSums()
	same := rule{assume(logic.Cong(cU.x, cV.x, m)), cV.x}
	return difference(cU.y, cV.y).by(rule{s.U.is[2], cU.y}, rule{s.V.is[2], cV.y}, same, rule{s.U.is[0], cU.x}).
		eliminate(s.U.is[1], lU).eliminate(s.V.is[1], lV).by(s.inner()...).by(s.curves()).done(m)
}}

// tangentSums has what follows from R = S, the hypotheses x_R ≡ x_S and y_R ≡ y_S.
type tangentSums struct {
	sums
	x, y      Theorem // x_R ≡ x_S, y_R ≡ y_S
	half      Theorem // 2y_S ≡ (l_T − l_S)(x_S − x_Q)
	d, dx, w  Term    // l_T − l_S, x_T − x_P, and what l_V·d is: doubleProduct
	nextSlope Term    // l_V + d, what l_U is
}

// doubleProduct is w = 2x_S + x_Q − l_T² + l_T·l_S − l_S².
func doubleProduct(Q, S xy, lS, lT Term) Term {
	return logic.Add(S.x, S.x, Q.x, logic.Mul(lT, lS), logic.Neg(logic.Mul(lT, lT)), logic.Neg(logic.Mul(lS, lS)))
}

func assumedTangent() tangentSums {
	t := tangentSums{sums: assumedSums(), x: assume(logic.Cong(cR.x, cS.x, m)), y: assume(logic.Cong(cR.y, cS.y, m))}
	t.d, t.dx, t.w = logic.Sub(lT, lS), logic.Sub(cT.x, cP.x), doubleProduct(cQ, cS, lS, lT)
	t.nextSlope = logic.Add(lV, t.d)
	c, d := lineConditions(a, cP, cQ, cS, lS), lineConditions(a, cQ, cR, cT, lT)
	t.half = difference(logic.Mul(two, cS.y), logic.Mul(t.d, logic.Sub(cS.x, cQ.x))).
		add(t.S.is[1], c[1].l, c[1].r, one).add(t.S.is[2], c[2].l, c[2].r, logic.N(-1)).
		add(t.T.is[1], d[1].l, d[1].r, one).
		by(rule{t.y, cR.y}, rule{t.x, cR.x}).done(m)
	return t
}

// inner leaves x_Q, x_S and slopes: there is no relation between them.
func (t tangentSums) inner() []rule {
	return []rule{
		{t.S.is[3], a}, {t.T.is[2], cT.y}, {t.T.is[1], cQ.y}, {t.S.is[2], cP.y}, {t.T.is[0], cT.x}, {t.S.is[0], cP.x},
		{t.y, cR.y}, {t.x, cR.x}, {t.half, cS.y},
	}
}

// tangentU: R = S ⊢ 2y_S·(x_T − x_P)·(l_U − l_V − l_T + l_S) ≡ 0.
var tangentU = &lemma{prove: func() Theorem {
	t := assumedTangent()
	c, dy := tangentSlope(a, cS, cR, lU), logic.Mul(two, cS.y)
	slope := lineTangent.at(subst{cP.x: cS.x, cP.y: cS.y, cQ.x: cR.x, cQ.y: cR.y, cS.x: cU.x, cS.y: cU.y, lS: lU})
	v := lineConditions(a, cP, cT, cV, lV)[1]
	return difference(logic.Mul(dy, t.dx, logic.Sub(lU, t.nextSlope)), zero).
		add(slope, c.l, c.r, t.dx).add(t.V.is[1], v.l, v.r, dy).by(t.inner()...).done(m)
}}

// tangentV: R = S ⊢ (x_T − x_P)·(l_V·(l_T − l_S) − w) ≡ 0.
var tangentV = &lemma{prove: func() Theorem {
	t := assumedTangent()
	v := lineConditions(a, cP, cT, cV, lV)[1]
	return difference(logic.Mul(t.dx, logic.Sub(logic.Mul(lV, t.d), t.w)), zero).
		add(t.V.is[1], v.l, v.r, logic.Neg(t.d)).by(t.inner()...).done(m)
}}

// slopes are the hypotheses that tangentU and tangentV lead to: l_U ≡ l_V + l_T − l_S and l_V·(l_T − l_S) ≡ w.
func (t tangentSums) slopes() (u, v Theorem) {
	return assume(logic.Cong(lU, t.nextSlope, m)), assume(logic.Cong(logic.Mul(lV, t.d), t.w, m))
}

// tangentX: R = S, l_U ≡ l_V + l_T − l_S, l_V·(l_T − l_S) ≡ w ⊢ x_U ≡ x_V.
var tangentX = &lemma{prove: func() Theorem {
	t := assumedTangent()
	u, v := t.slopes()
	return difference(cU.x, cV.x).by(t.outer()...).by(rule{u, lU}).
		add(v, logic.Mul(lV, t.d), t.w, two).by(t.inner()...).done(m)
}}

// tangentY: as tangentX, and x_U ≡ x_V ⊢ 2(y_U − y_V) ≡ 0.
var tangentY = &lemma{prove: func() Theorem {
	t := assumedTangent()
	u, v := t.slopes()
	same := rule{assume(logic.Cong(cU.x, cV.x, m)), cU.x}
	return difference(logic.Mul(two, cU.y), logic.Mul(two, cV.y)).
		by(rule{t.U.is[2], cU.y}, rule{t.V.is[2], cV.y}, same, rule{t.V.is[0], cV.x}, rule{u, lU}).
		add(v, logic.Mul(lV, t.d), t.w, logic.Mul(two, logic.Sub(lT, lV))).by(t.inner()...).done(m)
}}

// twoTangents: R = S, x_T ≡ x_P ⊢ 4·y_Q·y_S ≡ 0. (It is −(x_T − x_P)(x_S − x_Q)².)
var twoTangents = &lemma{prove: func() Theorem {
	t := assumedTangent()
	dx := logic.Sub(cS.x, cQ.x)
	same := assume(logic.Cong(cT.x, cP.x, m))
	return difference(logic.Mul(logic.N(4), cQ.y, cS.y), zero).
		add(same, cT.x, cP.x, logic.Neg(logic.Mul(dx, dx))).by(t.inner()...).done(m)
}}

// identities are the lemmas that don't depend on the curve.
func identities() []*lemma {
	return []*lemma{
		lineSwap, lineCancel, lineTurn, lineNeg, lineCurve, lineTangent, chordLast, tangentLast,
		slopesX, slopesY, sameX, sameY, chordsX, chordsY, tangentU, tangentV, tangentX, tangentY, twoTangents,
	}
}
