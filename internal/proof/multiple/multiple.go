// Package multiple proves the laws of multiples of a point, weierstrass.SMul, on top of the group law: that [i+j]Q is
// [i]Q + [j]Q, that doubling and adding computes [k]Q, that [n]Q = O for every point Q of a curve whose base point has
// the prime order n, and what follows from it.
//
// Each method of Laws gives one theorem, whose conclusion and hypotheses are those that its comment lists. A hypothesis
// that is true of the constants in it has folded away; number.Use replaces hypotheses by facts. Where they aren't
// arguments, p, a, b, n and G are those of the curve, and OnCurve(P) says that P is on it. P ≠ O is written as
// Not(IsInfinity(P)).
//
// Theorems are proved once for each curve, with variables, when they are first needed, and instantiated. They are kept
// beyond the generation of the logic's store in which they are proved, as their terms are permanent.
//
// The package is untrusted. Its functions panic when they find no proof, as those of package auto do.
package multiple

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/group"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

type (
	// Term and Theorem are abbreviations.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

// Group is the group law of a curve: that of package group. The hypotheses of a theorem may be fewer than those listed.
type Group interface {
	// Closed: OnCurve(P), OnCurve(Q) ⊢ OnCurve(P + Q).
	Closed(P, Q Term) Theorem
	// NegClosed: OnCurve(P) ⊢ OnCurve(−P).
	NegClosed(P Term) Theorem
	// LeftZero: OnCurve(P) ⊢ O + P = P.
	LeftZero(P Term) Theorem
	// RightZero: OnCurve(P) ⊢ P + O = P.
	RightZero(P Term) Theorem
	// RightNeg: OnCurve(P) ⊢ P + (−P) = O.
	RightNeg(P Term) Theorem
	// Assoc: OnCurve(P), OnCurve(Q), OnCurve(R) ⊢ (P + Q) + R = P + (Q + R).
	Assoc(P, Q, R Term) Theorem
	// DoubleZero: OnCurve(P), P + P = O ⊢ P = O.
	DoubleZero(P Term) Theorem
}

// Parameters are those of a curve of prime order: constants, of which p > 3 and n are primes, 2p + 1 < 3n, and G is an
// affine point.
type Parameters struct{ P, A, B, N, G Term }

// Laws are the laws of multiples for one curve. They may be used concurrently.
type Laws struct {
	c Parameters
	g Group

	lemmas []*lemma

	succ, closed, infinity, firstMultiple, add, sub, mul, swap, double, eval *lemma
	cancel, torsion, sameCode, codeRange, collision, order                   *lemma
	annihilator, nonzero, distinct, opposed, opposite, reduce, congruent     *lemma
	digitClosed, addDigit, digitDistinct                                     *lemma

	base baseMultiples
}

// For are the laws for a curve of package weierstrass. Order and what rests on it fail for P-521, as package number has
// no proof that its n is prime.
func For(c weierstrass.Curve) *Laws {
	l, ok := curves[c]
	if !ok {
		fail("no curve %q", c.Name())
	}
	return l
}

// curves has the laws of each curve, not proved yet, made here because no generation is open.
var curves = func() map[weierstrass.Curve]*Laws {
	m := map[weierstrass.Curve]*Laws{}
	for _, c := range weierstrass.Curves() {
		m[c] = With(Parameters{P: c.P(), A: c.A(), B: c.B(), N: c.N(), G: c.G()}, group.For(c))
	}
	return m
}()

// With are the laws for a curve with the given group law. It must not be called while a generation of the logic's store
// is open.
func With(c Parameters, g Group) *Laws {
	l := &Laws{c: c, g: g}
	l.stateLaws()
	l.stateEval()
	l.stateOrder()
	l.stateConsequences()
	l.stateBase()
	return l
}

// lemma makes the lemma hyps ⊢ concl.
func (l *Laws) lemma(prove func() Theorem, concl Term, hyps ...Term) *lemma {
	m := &lemma{prove: prove, concl: concl, hyps: hyps}
	l.lemmas = append(l.lemmas, m)
	return m
}

// Warm proves the theorems that are proved once, if they aren't yet: for P-256 in 0.1 s on top of the group law.
func (l *Laws) Warm() {
	for _, m := range l.lemmas {
		m.get()
	}
}

// The variables of the theorems.
var (
	vi, vj, vk, vd = integer("i"), integer("j"), integer("k"), integer("d")
	vP, vQ, vR     = point("P"), point("Q"), point("R")
)

// Multiple is [k]P.
func (l *Laws) Multiple(k, P Term) Term { return weierstrass.SMul(k, l.c.P, l.c.A, P) }

func (l *Laws) plus(P, Q Term) Term { return weierstrass.Add(l.c.P, l.c.A, P, Q) }

func (l *Laws) neg(P Term) Term { return weierstrass.Neg(l.c.P, P) }

func (l *Laws) on(P Term) Term { return weierstrass.OnCurve(l.c.P, l.c.A, l.c.B, P) }

// onInfinity: ⊢ OnCurve(O).
func (l *Laws) onInfinity() Theorem { return compute(l.on(o)) }

var o = weierstrass.Infinity()

// affine is P ≠ O.
func affine(P Term) Term { return logic.Not(weierstrass.IsInfinity(P)) }

// The group law as equations, from proofs that the points are on the curve.
func (l *Laws) leftZero(P Term, on Theorem) equation {
	return equal(use(l.g.LeftZero(P), on), l.plus(o, P), P)
}

func (l *Laws) rightZero(P Term, on Theorem) equation {
	return equal(use(l.g.RightZero(P), on), l.plus(P, o), P)
}

func (l *Laws) rightNeg(P Term, on Theorem) equation {
	return equal(use(l.g.RightNeg(P), on), l.plus(P, l.neg(P)), o)
}

func (l *Laws) assoc(P, Q, R Term, on ...Theorem) equation {
	return equal(use(l.g.Assoc(P, Q, R), on...), l.plus(l.plus(P, Q), R), l.plus(P, l.plus(Q, R)))
}

// sameMultiple is [i]P = [j]P, from i = j.
func (l *Laws) sameMultiple(i, j Term, eq Theorem, P Term) equation {
	m := l.Multiple(i, P)
	return equation{auto.Must(kernel.Leibniz(eq, i, j, auto.True(), logic.Eq(m, l.Multiple(holeInt, P)), holeInt)),
		m, l.Multiple(j, P)}
}
