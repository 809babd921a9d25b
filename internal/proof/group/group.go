// Package group proves that the points of a curve of spec/weierstrass, with the Add, Neg and OnCurve of that package,
// are an abelian group.
//
// Each method of a Group gives one theorem about given terms, whose conclusion and hypotheses are those that its
// comment lists, in the terms of the specification for the p, a, b of the curve; a hypothesis that is evident for the
// given terms may have folded away. No axiom is used, and nothing is assumed about the curve: that p is prime and that
// the curve has no point of order 2 is proved. The package is untrusted. It panics when it finds no proof, as package
// auto does.
//
// # Memory
//
// A theorem is proved for variables when it is first asked for, and then kept and instantiated. What is made within a
// generation of the logic's store (package registry) is dropped with it and proved again when it is needed: about 0.2 s
// for all of P-256. Warm, called where no generation is open, as at the initialisation of a package, proves all for
// good.
//
// # The proof
//
// What makes associativity short is the predicate line (line.go): it relates P, Q, S = P + Q and the slope, the same
// way for chords and tangents, and it is symmetric in P, Q, −S. Where there is no point of order 2 (torsion.go), it
// says P + Q = S, no more and no less (sum.go). Closure, (P + Q) − Q = P, −(P + Q) = −P − Q and the cases of
// associativity in which some sum is O follow by permuting the points of a line. There remain (outer.go) the case in
// which both outer sums are by chords, and that in which one is by a tangent, each one identity in slopes and
// coordinates modulo the equations of four lines, proved once for all curves.
package group

import (
	"maps"
	"sync"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// Group is the group of a curve.
type Group struct {
	name    string
	p, a, b Term

	noRoot                                     *lemma // torsion.go
	infinite, affine, element, samePoint       *lemma // points.go
	negInfinite, negAffine, negOn, negNeg      *lemma
	torsion                                    *lemma
	leftInfinite, leftZero, rightZero, zeroSum *lemma // sum.go
	sumLine, sumZero, sumDouble, closed        *lemma
	unique, zeroNeg, rightNeg, comm, cancel    *lemma
	leftCancel, negAdd, doubleZero             *lemma
	assoc, assocChords, assocTangent           *lemma // assoc.go
	outerLeft, outerRight                      *lemma
}

var groups struct {
	sync.Mutex
	of map[weierstrass.Curve]*Group
}

// For is the group of a curve. It proves nothing yet.
func For(c weierstrass.Curve) *Group {
	groups.Lock()
	defer groups.Unlock()
	g, ok := groups.of[c]
	if !ok {
		g = newGroup(c.Name(), c.P(), c.A(), c.B())
		if groups.of == nil {
			groups.of = map[weierstrass.Curve]*Group{}
		}
		groups.of[c] = g
	}
	return g
}

func newGroup(name string, p, a, b Term) *Group {
	g := &Group{name: name, p: p, a: a, b: b}
	by := func(prove func() Theorem) *lemma { return &lemma{prove: prove} }
	g.noRoot = by(g.proveNoRoot)
	g.infinite, g.affine = by(g.proveInfinite), by(g.proveAffine)
	g.element, g.samePoint = by(g.proveElement), by(g.proveSamePoint)
	g.negInfinite, g.negAffine = by(g.proveNegInfinite), by(g.proveNegAffine)
	g.negOn, g.negNeg = by(g.proveNegOn), by(g.proveNegNeg)
	g.torsion = by(g.proveTorsion)
	g.leftInfinite, g.leftZero, g.rightZero = by(g.proveLeftInfinite), by(g.proveLeftZero), by(g.proveRightZero)
	g.zeroSum, g.sumLine, g.sumZero = by(g.proveZeroSum), by(g.proveSumLine), by(g.proveSumZero)
	g.sumDouble, g.closed, g.unique = by(g.proveSumDouble), by(g.proveClosed), by(g.proveUnique)
	g.zeroNeg, g.rightNeg, g.comm = by(g.proveZeroNeg), by(g.proveRightNeg), by(g.proveComm)
	g.cancel, g.leftCancel = by(g.proveCancel), by(g.proveLeftCancel)
	g.negAdd, g.doubleZero = by(g.proveNegAdd), by(g.proveDoubleZero)
	g.assocChords, g.assocTangent = by(g.proveAssocChords), by(g.proveAssocTangent)
	g.outerLeft, g.outerRight, g.assoc = by(g.proveOuterLeft), by(g.proveOuterRight), by(g.proveAssoc)
	return g
}

// Warm proves everything, so that what follows is instances only.
func (g *Group) Warm() *Group {
	for _, l := range g.laws() {
		l.get()
	}
	return g
}

// laws are the lemmas that the methods instantiate.
func (g *Group) laws() []*lemma {
	return []*lemma{
		g.infinite, g.affine, g.samePoint, g.closed, g.comm, g.leftZero, g.rightZero, g.rightNeg, g.negOn, g.negNeg,
		g.negAdd, g.cancel, g.leftCancel, g.assoc, g.torsion, g.doubleZero,
	}
}

// Add is P + Q, Neg is −P, On says that P is on the curve: the specification's terms, with the curve's parameters.
func (g *Group) Add(P, Q Term) Term { return weierstrass.Add(g.p, g.a, P, Q) }

// Neg is explained at Add.
func (g *Group) Neg(P Term) Term { return weierstrass.Neg(g.p, P) }

// On is explained at Add.
func (g *Group) On(P Term) Term { return weierstrass.OnCurve(g.p, g.a, g.b, P) }

func isO(P Term) Term { return weierstrass.IsInfinity(P) }

// finite says that P ≠ O.
func finite(P Term) Term { return logic.Not(isO(P)) }

// Infinite: On(P), IsInfinity(P) ⊢ P = O.
func (g *Group) Infinite(P Term) Theorem { return g.infinite.at(subst{vP: P}) }

// Affine: ¬IsInfinity(P) ⊢ P = Affine(X(P), Y(P)).
func (g *Group) Affine(P Term) Theorem { return g.affine.at(subst{vP: P}) }

// Same: On(P), On(Q), ¬IsInfinity(P), ¬IsInfinity(Q), X(P) ≡ X(Q), Y(P) ≡ Y(Q) (mod p) ⊢ P = Q.
func (g *Group) Same(P, Q Term) Theorem { return g.samePoint.at(subst{vP: P, vQ: Q}) }

// Closed: On(P), On(Q) ⊢ On(P + Q).
func (g *Group) Closed(P, Q Term) Theorem { return g.closed.at(subst{vP: P, vQ: Q}) }

// Comm: On(P), On(Q) ⊢ P + Q = Q + P.
func (g *Group) Comm(P, Q Term) Theorem { return g.comm.at(subst{vP: P, vQ: Q}) }

// LeftZero: ⊢ O + P = P.
func (g *Group) LeftZero(P Term) Theorem { return g.leftZero.at(subst{vP: P}) }

// RightZero: On(P) ⊢ P + O = P.
func (g *Group) RightZero(P Term) Theorem { return g.rightZero.at(subst{vP: P}) }

// RightNeg: On(P) ⊢ P + −P = O.
func (g *Group) RightNeg(P Term) Theorem { return g.rightNeg.at(subst{vP: P}) }

// NegClosed: On(P) ⊢ On(−P).
func (g *Group) NegClosed(P Term) Theorem { return g.negOn.at(subst{vP: P}) }

// NegNeg: On(P) ⊢ −−P = P.
func (g *Group) NegNeg(P Term) Theorem { return g.negNeg.at(subst{vP: P}) }

// NegAdd: On(P), On(Q) ⊢ −(P + Q) = −P + −Q.
func (g *Group) NegAdd(P, Q Term) Theorem { return g.negAdd.at(subst{vP: P, vQ: Q}) }

// Cancel: On(P), On(Q) ⊢ (P + Q) + −Q = P.
func (g *Group) Cancel(P, Q Term) Theorem { return g.cancel.at(subst{vP: P, vQ: Q}) }

// LeftCancel: On(P), On(Q), On(R), P + Q = P + R ⊢ Q = R.
func (g *Group) LeftCancel(P, Q, R Term) Theorem {
	return g.leftCancel.at(subst{vP: P, vQ: Q, vR: R})
}

// Assoc: On(P), On(Q), On(R) ⊢ (P + Q) + R = P + (Q + R).
func (g *Group) Assoc(P, Q, R Term) Theorem { return g.assoc.at(subst{vP: P, vQ: Q, vR: R}) }

// Torsion: On(P), ¬IsInfinity(P) ⊢ ¬(Y(P) ≡ 0 (mod p)).
func (g *Group) Torsion(P Term) Theorem { return g.torsion.at(subst{vP: P}) }

// DoubleZero: On(P), P + P = O ⊢ P = O.
func (g *Group) DoubleZero(P Term) Theorem { return g.doubleZero.at(subst{vP: P}) }

// The variables of the lemmas about points.
var (
	vP, vQ, vR = point("P"), point("Q"), point("R")
	vl         = integer("l")
)

func point(name string) Term { return logic.Var("group."+name, weierstrass.PointSort()) }

// of are the coordinates of P.
func of(P Term) xy { return xy{weierstrass.X(P), weierstrass.Y(P)} }

// place says that a point of the lemmas about numbers has some coordinates.
type place struct{ from, to xy }

// numbers is an instance of a lemma about numbers, for the curve.
func (g *Group) numbers(l *lemma, slopes subst, ps ...place) Theorem {
	s := subst{m: g.p, a: g.a, b: g.b}
	maps.Copy(s, slopes)
	for _, p := range ps {
		s[p.from.x], s[p.from.y] = p.to.x, p.to.y
	}
	return l.at(s)
}

func (g *Group) cong(l, r Term) Term { return logic.Cong(l, r, g.p) }

// cases proves q from proofs of it under c and under ¬c.
func cases(q, c Term, yes, no Theorem) Theorem { return auto.Cases(q, c, yes, no) }
