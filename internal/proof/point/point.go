// Package point leads from congruences between residues to points of a curve of spec/weierstrass: it says what point a
// triple of Jacobian coordinates stands for, and proves the formulas for sums.
//
// Each method of Formulas that gives a theorem gives one about given terms, whose conclusion and hypotheses are exactly
// those that its comment lists; a hypothesis that is evident for the given terms (as is a congruence between equal
// polynomials) has folded away. Use replaces hypotheses by facts. Coordinates are any integers that stand for residues
// modulo p; they needn't be reduced. Residues that are congruent give the same point.
//
// No axiom is used, and of the curve only that p is prime, which package number proves. The package is untrusted. It
// panics when it finds no proof, as package auto does.
//
// A theorem is proved for variables when it is first asked for, and then kept and instantiated. What is made within a
// generation of the logic's store is dropped with it and proved again when it is needed.
package point

import (
	"fmt"
	"math/big"
	"sync"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

func integer(name string) Term { return logic.Var("point."+name, logic.Int()) }

// The variables of the lemmas and definitions.
var (
	vp, x, y, z, u, v = integer("p"), integer("x"), integer("y"), integer("z"), integer("u"), integer("v")
	s                 = logic.Var("point.s", logic.Bool())

	zero, one, two, three = logic.N(0), logic.N(1), logic.N(2), logic.N(3)
)

func define(name string, params []Term, body Term) logic.Def {
	d, err := logic.Define("point."+name, params, body)
	if err != nil {
		panic(fmt.Sprintf("proof/point: %v", err))
	}
	return d
}

var jacobian = func() logic.Def {
	i := weierstrass.Inv(vp, z)
	return define("jacobian", []Term{vp, x, y, z}, logic.Ite(logic.Cong(z, zero, vp), weierstrass.Infinity(),
		weierstrass.Affine(logic.Mod(logic.Mul(x, i, i), vp), logic.Mod(logic.Mul(y, i, i, i), vp))))
}()

var affine = define("affine", []Term{vp, x, y},
	logic.Ite(logic.And(logic.Cong(x, zero, vp), logic.Cong(y, zero, vp)), weierstrass.Infinity(),
		weierstrass.Affine(logic.Mod(x, vp), logic.Mod(y, vp))))

// Jac is the point with the Jacobian coordinates x, y, z: (x/z², y/z³), O for z ≡ 0 (mod p).
func Jac(c weierstrass.Curve, x, y, z Term) Term { return jacobian.App(c.P(), x, y, z) }

// Aff is the point (x, y), O for x ≡ y ≡ 0 (mod p): (0, 0) is on no curve here, as b ≠ 0.
func Aff(c weierstrass.Curve, x, y Term) Term { return affine.App(c.P(), x, y) }

// Mem is the point with the Jacobian coordinates X, Y, Z in Montgomery form, as they are in memory: those of Jac are
// Ri·X, Ri·Y, Ri·Z, where Ri is the inverse modulo p of R = 2⁶⁴ᵏ, k the number of words of p.
func Mem(c weierstrass.Curve, X, Y, Z Term) Term { return For(c).Mem(X, Y, Z) }

// MemAff is Aff of coordinates in Montgomery form.
func MemAff(c weierstrass.Curve, X, Y Term) Term { return For(c).MemAff(X, Y) }

// Formulas are the formulas of a curve.
type Formulas struct {
	p, a, b Term
	n       *big.Int // p
	words   int      // of p

	mu     sync.Mutex
	lemmas map[string]*lemma
}

var curves struct {
	sync.Mutex
	of map[weierstrass.Curve]*Formulas
}

// For are the formulas of a curve. It proves nothing yet.
func For(c weierstrass.Curve) *Formulas {
	curves.Lock()
	defer curves.Unlock()
	f, ok := curves.of[c]
	if !ok {
		f = newFormulas(c.P(), c.A(), c.B())
		if curves.of == nil {
			curves.of = map[weierstrass.Curve]*Formulas{}
		}
		curves.of[c] = f
	}
	return f
}

// newFormulas takes a prime p > 3.
func newFormulas(p, a, b Term) *Formulas {
	n, ok := p.Const()
	if !ok || n.Cmp(big.NewInt(3)) <= 0 || n.Bit(0) == 0 {
		fail("%v is no prime > 3", p)
	}
	return &Formulas{p: p, a: a, b: b, n: n, words: (n.BitLen() + 63) / 64, lemmas: map[string]*lemma{}}
}

// ---- terms

// Jac and Aff are the points of the functions of that name.
func (f *Formulas) Jac(x, y, z Term) Term { return jacobian.App(f.p, x, y, z) }

// Aff is explained at Jac.
func (f *Formulas) Aff(x, y Term) Term { return affine.App(f.p, x, y) }

// R is 2⁶⁴ᵏ, k the number of words of p; Ri is its inverse, 0 < Ri < p.
func (f *Formulas) R() Term { return logic.Pow2(64 * f.words) }

// Ri is explained at R.
func (f *Formulas) Ri() Term { return f.inverseOf(auto.Pow2(64 * f.words)) }

// half is the inverse of 2.
func (f *Formulas) half() Term { return f.inverseOf(big.NewInt(2)) }

func (f *Formulas) inverseOf(v *big.Int) Term { return logic.IntConst(new(big.Int).ModInverse(v, f.n)) }

// Residue is Ri·X, what X in Montgomery form stands for.
func (f *Formulas) Residue(X Term) Term { return logic.Mul(f.Ri(), X) }

// Mem is Jac(Ri·X, Ri·Y, Ri·Z).
func (f *Formulas) Mem(X, Y, Z Term) Term { return f.Jac(f.Residue(X), f.Residue(Y), f.Residue(Z)) }

// MemAff is Aff(Ri·X, Ri·Y).
func (f *Formulas) MemAff(X, Y Term) Term { return f.Aff(f.Residue(X), f.Residue(Y)) }

// Sum is P + Q, Opposite −P, On says that P is on the curve: the specification's terms.
func (f *Formulas) Sum(P, Q Term) Term { return weierstrass.Add(f.p, f.a, P, Q) }

// Opposite is explained at Sum.
func (f *Formulas) Opposite(P Term) Term { return weierstrass.Neg(f.p, P) }

// On is explained at Sum.
func (f *Formulas) On(P Term) Term { return weierstrass.OnCurve(f.p, f.a, f.b, P) }

// ---- one point

// Infinite: z ≡ 0 ⊢ Jac(x, y, z) = O.
func (f *Formulas) Infinite(x0, y0, z0 Term) Theorem {
	return f.at("infinite", f.proveInfinite, subst{x: x0, y: y0, z: z0})
}

// IsInfinity: ⊢ IsInfinity(Jac(x, y, z)) = (z ≡ 0).
func (f *Formulas) IsInfinity(x0, y0, z0 Term) Theorem {
	return f.at("isInfinity", f.proveIsInfinity, subst{x: x0, y: y0, z: z0})
}

// Coordinates: z ≢ 0 ⊢ Jac(x, y, z) = Affine(x·Inv(z)² mod p, y·Inv(z)³ mod p).
func (f *Formulas) Coordinates(x0, y0, z0 Term) Theorem {
	return f.at("coordinates", f.proveCoordinates, subst{x: x0, y: y0, z: z0})
}

// X: z ≢ 0 ⊢ X(Jac(x, y, z))·z² ≡ x.
func (f *Formulas) X(x0, y0, z0 Term) Theorem {
	return f.at("x", f.proveX, subst{x: x0, y: y0, z: z0})
}

// Y: z ≢ 0 ⊢ Y(Jac(x, y, z))·z³ ≡ y.
func (f *Formulas) Y(x0, y0, z0 Term) Theorem {
	return f.at("y", f.proveY, subst{x: x0, y: y0, z: z0})
}

// Range: ⊢ 0 ≤ X, X < p, 0 ≤ Y, Y < p for the coordinates X and Y of Jac(x, y, z), as one conjunction.
func (f *Formulas) Range(x0, y0, z0 Term) Theorem {
	return f.at("range", f.proveRange, subst{x: x0, y: y0, z: z0})
}

// Unique: z ≢ 0, 0 ≤ u, u < p, 0 ≤ v, v < p, u·z² ≡ x, v·z³ ≡ y ⊢ Jac(x, y, z) = Affine(u, v).
func (f *Formulas) Unique(x0, y0, z0, u0, v0 Term) Theorem {
	return f.at("unique", f.proveUnique, subst{x: x0, y: y0, z: z0, u: u0, v: v0})
}

// One: 0 ≤ x, x < p, 0 ≤ y, y < p ⊢ Jac(x, y, 1) = Affine(x, y).
func (f *Formulas) One(x0, y0 Term) Theorem { return f.Unique(x0, y0, one, x0, y0) }

// Congruent: x ≡ x′, y ≡ y′, z ≡ z′ ⊢ Jac(x, y, z) = Jac(x′, y′, z′).
func (f *Formulas) Congruent(x0, y0, z0, x1, y1, z1 Term) Theorem {
	return f.at("congruent", f.proveCongruent, subst{x: x0, y: y0, z: z0, x2: x1, y2: y1, z2: z1})
}

// Scale: u ≢ 0 ⊢ Jac(x·u², y·u³, z·u) = Jac(x, y, z).
func (f *Formulas) Scale(x0, y0, z0, u0 Term) Theorem {
	return f.at("scale", f.proveScale, subst{x: x0, y: y0, z: z0, u: u0})
}

// Neg: v ≡ −y ⊢ Jac(x, v, z) = −Jac(x, y, z).
func (f *Formulas) Neg(x0, y0, z0, v0 Term) Theorem {
	return f.at("neg", f.proveNeg, subst{x: x0, y: y0, z: z0, v: v0})
}

// NegSelect: v ≡ ite(s, −y, y) ⊢ Jac(x, v, z) = ite(s, −Jac(x, y, z), Jac(x, y, z)).
func (f *Formulas) NegSelect(x0, y0, z0, v0, s0 Term) Theorem {
	return f.at("negSelect", f.proveNegSelect, subst{x: x0, y: y0, z: z0, v: v0, s: s0})
}

// XCongruent: z ≢ 0 ⊢ (X(Jac(x, y, z)) ≡ u) = (u·z² ≡ x).
func (f *Formulas) XCongruent(x0, y0, z0, u0 Term) Theorem {
	return f.at("xCongruent", f.proveXCongruent, subst{x: x0, y: y0, z: z0, u: u0})
}

// XEqual: z ≢ 0, 0 ≤ u, u < p ⊢ (X(Jac(x, y, z)) = u) = (u·z² ≡ x).
func (f *Formulas) XEqual(x0, y0, z0, u0 Term) Theorem {
	return f.at("xEqual", f.proveXEqual, subst{x: x0, y: y0, z: z0, u: u0})
}

// OnCurve: z ≢ 0 ⊢ On(Jac(x, y, z)) = (y² ≡ x³ + a·x·z⁴ + b·z⁶).
func (f *Formulas) OnCurve(x0, y0, z0 Term) Theorem {
	return f.at("onCurve", f.proveOnCurve, subst{x: x0, y: y0, z: z0})
}

// AffIsInfinity: ⊢ IsInfinity(Aff(x, y)) = (x ≡ 0 ∧ y ≡ 0).
func (f *Formulas) AffIsInfinity(x0, y0 Term) Theorem {
	return f.at("affIsInfinity", f.proveAffIsInfinity, subst{x: x0, y: y0})
}

// AffOne: ¬(x ≡ 0 ∧ y ≡ 0) ⊢ Aff(x, y) = Jac(x, y, 1).
func (f *Formulas) AffOne(x0, y0 Term) Theorem {
	return f.at("affOne", f.proveAffOne, subst{x: x0, y: y0})
}

// AffCongruent: x ≡ x′, y ≡ y′ ⊢ Aff(x, y) = Aff(x′, y′).
func (f *Formulas) AffCongruent(x0, y0, x1, y1 Term) Theorem {
	return f.at("affCongruent", f.proveAffCongruent, subst{x: x0, y: y0, x2: x1, y2: y1})
}

// AffNeg: v ≡ −y ⊢ Aff(x, v) = −Aff(x, y).
func (f *Formulas) AffNeg(x0, y0, v0 Term) Theorem {
	return f.at("affNeg", f.proveAffNeg, subst{x: x0, y: y0, v: v0})
}

// AffNegSelect: v ≡ ite(s, −y, y) ⊢ Aff(x, v) = ite(s, −Aff(x, y), Aff(x, y)).
func (f *Formulas) AffNegSelect(x0, y0, v0, s0 Term) Theorem {
	return f.at("affNegSelect", f.proveAffNegSelect, subst{x: x0, y: y0, v: v0, s: s0})
}

// opened is Jac(x, y, z) = Affine(xa, ya) under z ≢ 0.
type opened struct {
	is     eq
	xa, ya Term
	i      Term     // Inv(z)
	inv    auto.Lin // z·i ≡ 1
	xai    auto.Lin // xa ≡ x·i²
	yai    auto.Lin // ya ≡ y·i³
	x, y   auto.Lin // x ≡ xa·z², y ≡ ya·z³
	ranges []Theorem
}

func (f *Formulas) open(x, y, z Term) opened {
	J := f.Jac(x, y, z)
	o := opened{is: unfold(J, assume(f.isUnit(z))), i: weierstrass.Inv(f.p, z), inv: f.inverse(z)}
	o.xa, o.ya = weierstrass.X(o.is.r), weierstrass.Y(o.is.r)
	tx, ty := logic.Mul(x, o.i, o.i), logic.Mul(y, o.i, o.i, o.i)
	o.xai, o.yai = f.modulo(tx), f.modulo(ty)
	o.x = f.follows(x, logic.Mul(o.xa, z, z), []auto.Lin{o.one(logic.Neg(x), z, 2)}, o.xai)
	o.y = f.follows(y, logic.Mul(o.ya, z, z, z), []auto.Lin{o.one(logic.Neg(y), z, 3)}, o.yai)
	o.ranges = append(f.modRange(tx), f.modRange(ty)...)
	return o
}

// one is t·(zⁿiⁿ − 1) ≡ 0 as a multiple of z·i ≡ 1.
func (o opened) one(t, z Term, n int) auto.Lin {
	var sum []Term
	for k := range n {
		sum = append(sum, power(logic.Mul(z, o.i), k))
	}
	return by(o.inv, logic.Mul(t, logic.Add(sum...)))
}

func (f *Formulas) proveInfinite() Theorem { return unfold(f.Jac(x, y, z), assume(f.isZero(z))).th }

// infinite is Jac(x, y, z) = O, from a proof of z ≡ 0.
func (f *Formulas) infinite(x, y, z Term, none Theorem) eq {
	return eq{Use(f.Infinite(x, y, z), none), f.Jac(x, y, z), weierstrass.Infinity()}
}

func (f *Formulas) proveCoordinates() Theorem { return f.open(x, y, z).is.th }

// decided is goal from proofs under z ≡ 0 and under z ≢ 0.
func (f *Formulas) decided(goal, z Term, yes, no Theorem) Theorem {
	return auto.Cases(goal, f.isZero(z), yes, no)
}

func (f *Formulas) proveIsInfinity() Theorem {
	t, c := weierstrass.IsInfinity(f.Jac(x, y, z)), f.isZero(z)
	yes := inside(t, f.infinite(x, y, z, assume(c))).th
	no := inside(t, f.open(x, y, z).is).th
	return taut(logic.Eq(t, c), implied(c, yes), implied(logic.Not(c), no))
}

func (f *Formulas) proveX() Theorem {
	o := f.open(x, y, z)
	X := weierstrass.X(o.is.l)
	return auto.Must(kernel.Rewrite(o.x.Th, auto.Rewritten(inside(X, o.is).th, o.xa, X)))
}

func (f *Formulas) proveY() Theorem {
	o := f.open(x, y, z)
	Y := weierstrass.Y(o.is.l)
	return auto.Must(kernel.Rewrite(o.y.Th, auto.Rewritten(inside(Y, o.is).th, o.ya, Y)))
}

// inRange says 0 ≤ t, t < p for each of the terms.
func (f *Formulas) inRange(ts ...Term) (cs []Term) {
	for _, t := range ts {
		cs = append(cs, logic.Ge0(t), logic.Lt(t, f.p))
	}
	return cs
}

func (f *Formulas) proveRange() Theorem {
	o := f.open(x, y, z)
	goal := logic.And(f.inRange(weierstrass.X(o.is.l), weierstrass.Y(o.is.l))...)
	yes := inside(goal, f.infinite(x, y, z, assume(f.isZero(z))))
	no := inside(goal, o.is)
	return f.decided(goal, z, taut(goal, yes.th), taut(goal, append(o.ranges, no.th)...))
}

func (f *Formulas) proveUnique() Theorem {
	o := f.open(x, y, z)
	i := o.i
	hx, hy := f.given(logic.Mul(u, z, z), x), f.given(logic.Mul(v, z, z, z), y)
	eu := f.follows(o.xa, u, []auto.Lin{by(hx, logic.Neg(logic.Mul(i, i))), o.one(u, z, 2)}, o.xai)
	ev := f.follows(o.ya, v, []auto.Lin{by(hy, logic.Neg(logic.Mul(i, i, i))), o.one(v, z, 3)}, o.yai)
	xu, yv := f.same(o.xa, u, append(o.ranges[:2:2], eu.Th)...), f.same(o.ya, v, append(o.ranges[2:4:4], ev.Th)...)
	return o.is.then(inside(o.is.r, xu, yv)).th
}

// is is Jac(x, y, z) = Affine(xa, ya) by Unique, from facts that are its hypotheses.
func (f *Formulas) is(x, y, z, xa, ya Term, facts ...Theorem) eq {
	return eq{Use(f.Unique(x, y, z, xa, ya), facts...), f.Jac(x, y, z), weierstrass.Affine(xa, ya)}
}

func (f *Formulas) proveCongruent() Theorem {
	P, Q := f.Jac(x, y, z), f.Jac(x2, y2, z2)
	ex, ey, ez := f.given(x, x2), f.given(y, y2), f.given(z, z2)
	none := assume(f.isZero(z))
	none2 := f.follows(z2, zero, []auto.Lin{by(ez, logic.N(-1)), lin(none, z, zero, one)}).Th
	yes := f.infinite(x, y, z, none).then(f.infinite(x2, y2, z2, none2).sym()).th
	unit := f.isUnit(z2)
	no := func() Theorem {
		o := f.open(x2, y2, z2)
		cx := f.follows(logic.Mul(o.xa, z, z), x, nil, ez, ex, o.x)
		cy := f.follows(logic.Mul(o.ya, z, z, z), y, nil, ez, ey, o.y)
		return f.is(x, y, z, o.xa, o.ya, append(o.ranges, cx.Th, cy.Th)...).then(o.is.sym()).th
	}()
	back := f.follows(z, zero, []auto.Lin{ez, lin(assume(f.isZero(z2)), z2, zero, one)}).Th
	no = Use(no, taut(unit, implied(f.isZero(z2), back), assume(f.isUnit(z))))
	return f.decided(logic.Eq(P, Q), z, yes, no)
}

func (f *Formulas) proveScale() Theorem {
	xu, yu, zu := logic.Mul(x, u, u), logic.Mul(y, u, u, u), logic.Mul(z, u)
	none := lin(assume(f.isZero(z)), z, zero, u)
	yes := f.infinite(xu, yu, zu, f.follows(zu, zero, []auto.Lin{none}).Th).then(f.infinite(x, y, z, none.Th).sym()).th
	o := f.open(x, y, z)
	cx := f.follows(logic.Mul(o.xa, zu, zu), xu, nil, o.x)
	cy := f.follows(logic.Mul(o.ya, zu, zu, zu), yu, nil, o.y)
	no := f.is(xu, yu, zu, o.xa, o.ya, append(o.ranges, cx.Th, cy.Th, f.unit(z, u))...).then(o.is.sym()).th
	return f.decided(logic.Eq(f.Jac(xu, yu, zu), f.Jac(x, y, z)), z, yes, no)
}

func (f *Formulas) proveNeg() Theorem {
	P, Q := f.Jac(x, y, z), f.Jac(x, v, z)
	goal := logic.Eq(Q, f.Opposite(P))
	none := assume(f.isZero(z))
	O := weierstrass.Infinity()
	negO := inside(f.Opposite(P), f.infinite(x, y, z, none)).then(unfold(f.Opposite(O)))
	yes := f.infinite(x, v, z, none).then(negO.sym()).th
	o := f.open(x, y, z)
	neg := inside(f.Opposite(P), o.is).then(unfold(f.Opposite(o.is.r)))
	t := logic.Neg(o.ya)
	cx := f.follows(logic.Mul(o.xa, z, z), x, nil, o.x)
	cy := f.follows(logic.Mul(logic.Mod(t, f.p), z, z, z), v, nil, f.modulo(t), f.given(v, logic.Neg(y)), o.y)
	facts := append(f.modRange(t), o.ranges[0], o.ranges[1], cx.Th, cy.Th)
	no := f.is(x, v, z, o.xa, logic.Mod(t, f.p), facts...).then(neg.sym()).th
	return f.decided(goal, z, yes, no)
}

func (f *Formulas) proveNegSelect() Theorem {
	return f.selected(f.Jac(x, v, z), f.Jac(x, y, z), f.Neg(x, y, z, v), f.Congruent(x, v, z, x, y, z))
}

// selected is v ≡ ite(s, −y, y) ⊢ Q = ite(s, −P, P), from v ≡ −y ⊢ Q = −P and v ≡ y ⊢ Q = P.
func (f *Formulas) selected(Q, P Term, opposite, equal Theorem) Theorem {
	h := assume(f.cong(v, logic.Ite(s, logic.Neg(y), y)))
	choice := logic.Ite(s, f.Opposite(P), P)
	side := func(th, cond Theorem, R Term) Theorem {
		e := truth(cond)
		fact := auto.Must(kernel.Rewrite(h, auto.Rewritten(e.th, e.l, e.r)))
		return eq{Use(th, fact), Q, R}.then(inside(choice, e).sym()).th
	}
	return auto.Cases(logic.Eq(Q, choice), s,
		side(opposite, assume(s), f.Opposite(P)), side(equal, assume(logic.Not(s)), P))
}

func (f *Formulas) proveXCongruent() Theorem {
	o := f.open(x, y, z)
	X := weierstrass.X(o.is.l)
	X2 := lin(f.X(x, y, z), x, logic.Mul(X, z, z), one)
	l, r := f.given(X, u), f.given(logic.Mul(u, z, z), x)
	there := f.follows(r.L, r.R, nil, X2, l).Th
	ii := logic.Mul(o.i, o.i)
	back := f.follows(X, u, []auto.Lin{
		o.one(logic.Neg(X), z, 2), by(X2, logic.Neg(ii)), by(r, logic.Neg(ii)), o.one(u, z, 2),
	}).Th
	goal := logic.Eq(l.Th.Concl(), r.Th.Concl())
	return taut(goal, implied(l.Th.Concl(), there), implied(r.Th.Concl(), back))
}

func (f *Formulas) proveXEqual() Theorem {
	X := weierstrass.X(f.Jac(x, y, z))
	same, cong := logic.Eq(X, u), f.cong(X, u)
	bounds := f.Range(x, y, z)
	to := f.follows(X, u, []auto.Lin{lin(assume(same), X, u, one)}).Th
	in := f.inRange(X)
	from := f.same(X, u, taut(in[0], bounds), taut(in[1], bounds)).th
	iff := f.XCongruent(x, y, z, u)
	goal := logic.Eq(same, f.cong(logic.Mul(u, z, z), x))
	return taut(goal, iff, implied(same, to), implied(cong, from))
}

// curve says that (x, y) solves the equation of the curve.
func (f *Formulas) curve(x, y Term) (l, r Term) {
	return logic.Mul(y, y), logic.Add(logic.Mul(x, x, x), logic.Mul(f.a, x), f.b)
}

// onOpened is On(P) = (the equation of the curve holds) for o.is: P = Affine(xa, ya).
func (f *Formulas) onOpened(o opened) Theorem {
	on := inside(f.On(o.is.l), o.is).then(unfold(f.On(o.is.r), o.ranges...))
	return on.th
}

func (f *Formulas) proveOnCurve() Theorem {
	o := f.open(x, y, z)
	on := f.onOpened(o)
	l, r := f.curve(o.xa, o.ya)
	z4 := logic.Mul(z, z, z, z)
	L, R := logic.Mul(y, y), logic.Add(logic.Mul(x, x, x), logic.Mul(f.a, x, z4), logic.Mul(f.b, z4, z, z))
	plain, proj := f.given(l, r), f.given(L, R)
	there := f.follows(L, R, []auto.Lin{by(plain, logic.Mul(z4, z, z))}, o.x, o.y).Th
	d := logic.Sub(l, r)
	back := f.follows(l, r, []auto.Lin{o.one(logic.Neg(d), z, 6), by(proj, power(o.i, 6))}, o.x, o.y).Th
	P, Q := plain.Th.Concl(), proj.Th.Concl()
	return taut(logic.Eq(f.On(o.is.l), Q), on, implied(P, there), implied(Q, back))
}

// affNone says x ≡ 0 ∧ y ≡ 0.
func (f *Formulas) affNone(x, y Term) Term { return logic.And(f.isZero(x), f.isZero(y)) }

// affOpen is Aff(x, y) = Affine(x mod p, y mod p), under ¬(x ≡ 0 ∧ y ≡ 0).
func (f *Formulas) affOpen(x, y Term) eq {
	return unfold(f.Aff(x, y), assume(logic.Not(f.affNone(x, y))))
}

// affInfinite is Aff(x, y) = O, under x ≡ 0 ∧ y ≡ 0.
func (f *Formulas) affInfinite(x, y Term) eq { return unfold(f.Aff(x, y), assume(f.affNone(x, y))) }

func (f *Formulas) proveAffIsInfinity() Theorem {
	t, c := weierstrass.IsInfinity(f.Aff(x, y)), f.affNone(x, y)
	yes, no := inside(t, f.affInfinite(x, y)).th, inside(t, f.affOpen(x, y)).th
	return taut(logic.Eq(t, c), implied(c, yes), implied(logic.Not(c), no))
}

func (f *Formulas) proveAffOne() Theorem {
	e := f.affOpen(x, y)
	facts := append(f.modRange(x), f.modRange(y)...)
	is := f.is(x, y, one, logic.Mod(x, f.p), logic.Mod(y, f.p), append(facts, f.modulo(x).Th, f.modulo(y).Th)...)
	return e.then(is.sym()).th
}

// affOne is AffOne as an equation, under a proof of its hypothesis.
func (f *Formulas) affOne(x, y Term, some Theorem) eq {
	return eq{Use(f.AffOne(x, y), some), f.Aff(x, y), f.Jac(x, y, one)}
}

func (f *Formulas) proveAffCongruent() Theorem {
	ex, ey := f.given(x, x2), f.given(y, y2)
	c, c2 := f.affNone(x, y), f.affNone(x2, y2)
	zeros := func(x, x2 Term, e auto.Lin) (to, from Theorem) {
		to = f.follows(x2, zero, []auto.Lin{by(e, logic.N(-1)), lin(assume(f.isZero(x)), x, zero, one)}).Th
		from = f.follows(x, zero, []auto.Lin{e, lin(assume(f.isZero(x2)), x2, zero, one)}).Th
		return implied(f.isZero(x), to), implied(f.isZero(x2), from)
	}
	tx, fx := zeros(x, x2, ex)
	ty, fy := zeros(y, y2, ey)
	O, O2 := f.affInfinite(x, y), f.affInfinite(x2, y2)
	O2.th = Use(O2.th, taut(c2, tx, ty, assume(c)))
	yes := O.then(O2.sym()).th
	some := assume(logic.Not(c))
	some2 := taut(logic.Not(c2), fx, fy, some)
	e := eq{f.Congruent(x, y, one, x2, y2, one), f.Jac(x, y, one), f.Jac(x2, y2, one)}
	no := f.affOne(x, y, some).then(e).then(f.affOne(x2, y2, some2).sym()).th
	return auto.Cases(logic.Eq(f.Aff(x, y), f.Aff(x2, y2)), c, yes, no)
}

func (f *Formulas) proveAffNeg() Theorem {
	e := f.given(v, logic.Neg(y))
	c, d := f.affNone(x, y), f.affNone(x, v)
	to := f.follows(v, zero, []auto.Lin{e, lin(assume(f.isZero(y)), y, zero, logic.N(-1))}).Th
	from := f.follows(y, zero, []auto.Lin{e, lin(assume(f.isZero(v)), v, zero, logic.N(-1))}).Th
	P, Q := f.Aff(x, y), f.Aff(x, v)
	O := weierstrass.Infinity()
	R := f.affInfinite(x, v)
	R.th = Use(R.th, taut(d, implied(f.isZero(y), to), assume(c)))
	yes := R.then(inside(f.Opposite(P), f.affInfinite(x, y)).then(unfold(f.Opposite(O))).sym()).th
	some := assume(logic.Not(c))
	other := taut(logic.Not(d), implied(f.isZero(v), from), some)
	J := f.Jac(x, y, one)
	neg := inside(f.Opposite(P), f.affOne(x, y, some))
	no := f.affOne(x, v, other).then(eq{f.Neg(x, y, one, v), f.Jac(x, v, one), f.Opposite(J)}).then(neg.sym()).th
	return auto.Cases(logic.Eq(Q, f.Opposite(P)), c, yes, no)
}

func (f *Formulas) proveAffNegSelect() Theorem {
	return f.selected(f.Aff(x, v), f.Aff(x, y), f.AffNeg(x, y, v), f.AffCongruent(x, v, x, y))
}
