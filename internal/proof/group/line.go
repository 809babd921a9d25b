package group

import (
	"fmt"

	"verum.example/internal/tcb/logic"
)

// The lemmas of this file are about numbers modulo m, where m, a, b are variables too; they serve all curves.

var (
	zero, one = logic.N(0), logic.N(1)
	two       = logic.N(2)
	three     = logic.N(3)
)

func integer(name string) Term { return logic.Var("group."+name, logic.Int()) }

// xy are the coordinates of a point.
type xy struct{ x, y Term }

func coordinates(name string) xy { return xy{integer("x" + name), integer("y" + name)} }

// The variables of the lemmas: the points P, Q, R and their sums S = P + Q, T = Q + R, U = S + R, V = P + T, the slopes
// of the lines through the summands, and −P, −Q, −S.
var (
	m, a, b        = integer("m"), integer("a"), integer("b")
	cP, cQ, cR     = coordinates("P"), coordinates("Q"), coordinates("R")
	cS, cT         = coordinates("S"), coordinates("T")
	cU, cV         = coordinates("U"), coordinates("V")
	lS, lT         = integer("lS"), integer("lT")
	lU, lV         = integer("lU"), integer("lV")
	negP, negQ     = coordinates("nP"), coordinates("nQ")
	negS           = coordinates("nS")
	lineParameters = []Term{m, a, cP.x, cP.y, cQ.x, cQ.y, cS.x, cS.y, lS}
	lineDef        = define("group.line", lineParameters, lineBody(m, a, cP, cQ, cS, lS))
)

func define(name string, params []Term, body Term) logic.Def {
	d, err := logic.Define(name, params, body)
	if err != nil {
		panic(fmt.Sprintf("proof/group: %v", err))
	}
	return d
}

// line says that P, Q and −S are the three points, with multiplicity, in which a line of slope l meets a curve with the
// coefficient a: what l, S = P + Q and the curve's equation have to do with each other, whether P = Q or not. With l·x
// + n for the line, x³ + ax + b − (l·x + n)² = (x − x_P)(x − x_Q)(x − x_S); the coefficients of x² and x are the first
// and the last of lineConditions.
//
// Chords and tangents both lead to it (sumLine), it is symmetric in P, Q, −S, and it determines S (unique). So there
// are few cases of associativity: a tangent differs from a chord only where a slope of an outer sum is wanted as a
// quotient.
func line(m, a Term, P, Q, S xy, l Term) Term {
	return lineDef.App(m, a, P.x, P.y, Q.x, Q.y, S.x, S.y, l)
}

// congruence is l ≡ r (mod m).
type congruence struct{ l, r Term }

func lineConditions(a Term, P, Q, S xy, l Term) [4]congruence {
	return [4]congruence{
		{logic.Mul(l, l), logic.Add(P.x, Q.x, S.x)},
		{logic.Sub(Q.y, P.y), logic.Mul(l, logic.Sub(Q.x, P.x))},
		{logic.Neg(logic.Add(S.y, P.y)), logic.Mul(l, logic.Sub(S.x, P.x))},
		{a, logic.Add(logic.Mul(P.x, Q.x), logic.Mul(P.x, S.x), logic.Mul(Q.x, S.x),
			logic.Mul(two, l, logic.Sub(P.y, logic.Mul(l, P.x))))},
	}
}

func lineBody(m, a Term, P, Q, S xy, l Term) Term {
	var ts []Term
	for _, c := range lineConditions(a, P, Q, S, l) {
		ts = append(ts, c.mod(m))
	}
	return logic.And(ts...)
}

// A lineFact is a proof of line(m, a, P, Q, S, l), and of its conditions.
type lineFact struct {
	th      Theorem
	m, a    Term
	P, Q, S xy
	l       Term
	is      [4]Theorem
}

// readLine reads what a theorem line(…) says.
func readLine(th Theorem) lineFact {
	t := th.Concl().Args()
	f := lineFact{th: th, m: t[0], a: t[1], P: xy{t[2], t[3]}, Q: xy{t[4], t[5]}, S: xy{t[6], t[7]}, l: t[8]}
	open := unfold(th.Concl()).th
	for i, c := range lineConditions(f.a, f.P, f.Q, f.S, f.l) {
		f.is[i] = taut(c.mod(f.m), th, open)
	}
	return f
}

// assumed are the facts that the hypothesis line(m, a, P, Q, S, l) gives, m and a the variables.
func assumed(P, Q, S xy, l Term) lineFact { return readLine(assume(line(m, a, P, Q, S, l))) }

// makeLine concludes line(m, a, P, Q, S, l) from its conditions.
func makeLine(m, a Term, P, Q, S xy, l Term, conditions ...Theorem) Theorem {
	t := line(m, a, P, Q, S, l)
	return taut(t, append(conditions, unfold(t).th)...)
}

// lineBy is line(m, a, P, Q, S, l), if its conditions follow by the rules.
func lineBy(P, Q, S xy, l Term, rules ...rule) Theorem {
	var is []Theorem
	for _, c := range lineConditions(a, P, Q, S, l) {
		is = append(is, difference(c.l, c.r).by(rules...).done(m))
	}
	return makeLine(m, a, P, Q, S, l, is...)
}

// first eliminates a, Q and S: what a line says when everything is expressed by P, l and x_Q.
func (f lineFact) first() []rule {
	return []rule{{f.is[3], f.a}, {f.is[2], f.S.y}, {f.is[1], f.Q.y}, {f.is[0], f.S.x}}
}

// oppositely are rules for coordinates N by the hypotheses x_N ≡ x_P, y_N ≡ −y_P, which say that N = −P; then first's.
func (f lineFact) oppositely(pairs ...[2]xy) (rules []rule) {
	for _, p := range pairs {
		N, P := p[0], p[1]
		x, y := assume(logic.Cong(N.x, P.x, m)), assume(logic.Cong(N.y, logic.Neg(P.y), m))
		rules = append(rules, rule{x, N.x}, rule{y, N.y})
	}
	return append(rules, f.first()...)
}

// onCurve is the equation y² ≡ x³ + ax + b.
func onCurve(a, b Term, P xy) congruence {
	return congruence{logic.Mul(P.y, P.y), logic.Add(logic.Mul(P.x, P.x, P.x), logic.Mul(a, P.x), b)}
}

func (c congruence) mod(m Term) Term { return logic.Cong(c.l, c.r, m) }

// lineSwap: line(P, Q, S, l) ⊢ line(Q, P, S, l).
var lineSwap = &lemma{prove: func() Theorem {
	return lineBy(cQ, cP, cS, lS, assumed(cP, cQ, cS, lS).first()...)
}}

// lineCancel: line(P, Q, S, l) ⊢ line(S, −Q, P, −l), where −Q stands for coordinates that are hypotheses.
var lineCancel = &lemma{prove: func() Theorem {
	rules := assumed(cP, cQ, cS, lS).oppositely([2]xy{negQ, cQ})
	return lineBy(cS, negQ, cP, logic.Neg(lS), rules...)
}}

// lineTurn: line(P, Q, S, l) ⊢ line(Q, −S, −P, l).
var lineTurn = &lemma{prove: func() Theorem {
	rules := assumed(cP, cQ, cS, lS).oppositely([2]xy{negS, cS}, [2]xy{negP, cP})
	return lineBy(cQ, negS, negP, lS, rules...)
}}

// lineNeg: line(P, Q, S, l) ⊢ line(−P, −Q, −S, −l).
var lineNeg = &lemma{prove: func() Theorem {
	rules := assumed(cP, cQ, cS, lS).oppositely([2]xy{negP, cP}, [2]xy{negQ, cQ}, [2]xy{negS, cS})
	return lineBy(negP, negQ, negS, logic.Neg(lS), rules...)
}}

// lineCurve: line(P, Q, S, l), P on the curve ⊢ S on the curve.
var lineCurve = &lemma{prove: func() Theorem {
	c := onCurve(a, b, cS)
	rules := append([]rule{{assume(onCurve(a, b, cP).mod(m)), b}}, assumed(cP, cQ, cS, lS).first()...)
	return difference(c.l, c.r).by(rules...).done(m)
}}

// tangentSlope is l·(y_P + y_Q) ≡ x_P² + x_P·x_Q + x_Q² + a: for P = Q the slope of a tangent.
func tangentSlope(a Term, P, Q xy, l Term) congruence {
	return congruence{logic.Mul(l, logic.Add(P.y, Q.y)),
		logic.Add(logic.Mul(P.x, P.x), logic.Mul(P.x, Q.x), logic.Mul(Q.x, Q.x), a)}
}

// lineTangent: line(P, Q, S, l) ⊢ tangentSlope(P, Q, l).
var lineTangent = &lemma{prove: func() Theorem {
	c := tangentSlope(a, cP, cQ, lS)
	return difference(c.l, c.r).by(assumed(cP, cQ, cS, lS).first()...).done(m)
}}

// chordLast: P and Q on the curve, and the first two conditions of line(P, Q, S, l) ⊢ the last one, times x_Q − x_P.
var chordLast = &lemma{prove: func() Theorem {
	c := lineConditions(a, cP, cQ, cS, lS)
	dx := logic.Sub(cQ.x, cP.x)
	onP, onQ := onCurve(a, b, cP), onCurve(a, b, cQ)
	sum, chord := assume(c[0].mod(m)), assume(c[1].mod(m))
	return difference(logic.Mul(dx, logic.Sub(c[3].l, c[3].r)), zero).
		add(assume(onQ.mod(m)), onQ.l, onQ.r, logic.N(-1)).
		add(assume(onP.mod(m)), onP.l, onP.r, one).
		by(rule{sum, cS.x}, rule{chord, cQ.y}).done(m)
}}

// tangentLast: x_Q ≡ x_P, l·2y_P ≡ 3x_P² + a, and the first condition of line(P, Q, S, l) ⊢ the last one.
var tangentLast = &lemma{prove: func() Theorem {
	c := lineConditions(a, cP, cQ, cS, lS)
	s := doubleSlope(a, cP, lS)
	slope, first, same := assume(s.mod(m)), assume(c[0].mod(m)), assume(logic.Cong(cQ.x, cP.x, m))
	return difference(c[3].l, c[3].r).by(rule{slope, a}, rule{first, cS.x}, rule{same, cQ.x}).done(m)
}}

// doubleSlope is l·2y_P ≡ 3x_P² + a.
func doubleSlope(a Term, P xy, l Term) congruence {
	return congruence{logic.Mul(l, two, P.y), logic.Add(logic.Mul(three, P.x, P.x), a)}
}

// slopesX: line(P, Q, S, l), line(P, Q, T, l′) ⊢ (l − l′)(x_Q − x_P) ≡ 0. With slopesY: P and Q determine the line,
// unless Q = −P.
var slopesX = &lemma{prove: func() Theorem {
	f, g := assumed(cP, cQ, cS, lS), assumed(cP, cQ, cT, lT)
	cf, cg := lineConditions(a, cP, cQ, cS, lS)[1], lineConditions(a, cP, cQ, cT, lT)[1]
	return difference(logic.Mul(logic.Sub(lS, lT), logic.Sub(cQ.x, cP.x)), zero).
		add(f.is[1], cf.l, cf.r, logic.N(-1)).add(g.is[1], cg.l, cg.r, one).done(m)
}}

// slopesY: line(P, Q, S, l), line(P, Q, T, l′) ⊢ (l − l′)(y_P + y_Q) ≡ 0.
var slopesY = &lemma{prove: func() Theorem {
	f, g := tangentSlope(a, cP, cQ, lS), tangentSlope(a, cP, cQ, lT)
	return difference(logic.Mul(logic.Sub(lS, lT), logic.Add(cP.y, cQ.y)), zero).
		add(lineTangent.get(), f.l, f.r, one).
		add(lineTangent.at(subst{cS.x: cT.x, cS.y: cT.y, lS: lT}), g.l, g.r, logic.N(-1)).done(m)
}}

// sameSum: line(P, Q, S, l), line(P, Q, T, l′), l ≡ l′ ⊢ x_S ≡ x_T, or y_S ≡ y_T.
func sameSum(pick func(xy) Term) *lemma {
	return &lemma{prove: func() Theorem {
		f, g := assumed(cP, cQ, cS, lS), assumed(cP, cQ, cT, lT)
		same := rule{assume(logic.Cong(lS, lT, m)), lS}
		return difference(pick(cS), pick(cT)).
			by(rule{f.is[2], cS.y}, rule{g.is[2], cT.y}, rule{f.is[0], cS.x}, rule{g.is[0], cT.x}, same).done(m)
	}}
}

var (
	sameX = sameSum(func(P xy) Term { return P.x })
	sameY = sameSum(func(P xy) Term { return P.y })
)
