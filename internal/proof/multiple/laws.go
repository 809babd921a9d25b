package multiple

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/logic"
)

// Zero: ⊢ [0]P = O.
func (l *Laws) Zero(P Term) Theorem { return l.zero(P).th }

func (l *Laws) zero(P Term) equation { return unfold(l.Multiple(zero, P)) }

// One: OnCurve(P) ⊢ [1]P = P.
func (l *Laws) One(P Term) Theorem { return instance(l.firstMultiple.get(), subst{vQ: P}) }

func (l *Laws) one(P Term, on Theorem) equation {
	return equal(use(l.One(P), on), l.Multiple(one, P), P)
}

// Infinity: ⊢ [k]O = O.
func (l *Laws) Infinity(k Term) Theorem { return instance(l.infinity.get(), subst{vk: k}) }

func (l *Laws) infinite(k Term) equation { return equal(l.Infinity(k), l.Multiple(k, o), o) }

// Succ: 0 ≤ k ⊢ [k+1]P = [k]P + P.
func (l *Laws) Succ(k, P Term) Theorem { return instance(l.succ.get(), subst{vk: k, vQ: P}) }

func (l *Laws) next(k, P Term, nk Theorem) equation {
	return equal(use(l.Succ(k, P), nk), l.Multiple(logic.Add(k, one), P), l.plus(l.Multiple(k, P), P))
}

// Closed: OnCurve(P) ⊢ OnCurve([k]P).
func (l *Laws) Closed(k, P Term) Theorem { return instance(l.closed.get(), subst{vk: k, vQ: P}) }

func (l *Laws) isOn(k, P Term, on Theorem) Theorem { return use(l.Closed(k, P), on) }

// Add: 0 ≤ i, 0 ≤ j, OnCurve(P) ⊢ [i+j]P = [i]P + [j]P.
func (l *Laws) Add(i, j, P Term) Theorem { return instance(l.add.get(), subst{vi: i, vj: j, vQ: P}) }

func (l *Laws) sum(i, j, P Term, facts ...Theorem) equation {
	sum := l.plus(l.Multiple(i, P), l.Multiple(j, P))
	return equal(use(l.Add(i, j, P), facts...), l.Multiple(logic.Add(i, j), P), sum)
}

// Sub: 0 ≤ j, j ≤ i, OnCurve(P) ⊢ [i]P + (−[j]P) = [i−j]P.
func (l *Laws) Sub(i, j, P Term) Theorem { return instance(l.sub.get(), subst{vi: i, vj: j, vQ: P}) }

// Mul: 0 ≤ i, 0 ≤ j, OnCurve(P) ⊢ [i·j]P = [i][j]P.
func (l *Laws) Mul(i, j, P Term) Theorem { return instance(l.mul.get(), subst{vi: i, vj: j, vQ: P}) }

func (l *Laws) product(i, j, P Term, facts ...Theorem) equation {
	return equal(use(l.Mul(i, j, P), facts...), l.Multiple(logic.Mul(i, j), P), l.Multiple(i, l.Multiple(j, P)))
}

// Swap: 0 ≤ i, 0 ≤ j, OnCurve(P) ⊢ [i][j]P = [j][i]P.
func (l *Laws) Swap(i, j, P Term) Theorem { return instance(l.swap.get(), subst{vi: i, vj: j, vQ: P}) }

// Double: 0 ≤ k, OnCurve(P) ⊢ [k]P + [k]P = [2k]P.
func (l *Laws) Double(k, P Term) Theorem { return instance(l.double.get(), subst{vk: k, vQ: P}) }

// Doublings: 0 ≤ k, OnCurve(P) ⊢ D = [2ʳ·k]P, where D is [k]P doubled r times: X + X for X = [k]P, and so on.
func (l *Laws) Doublings(r int, k, P Term) Theorem {
	D, m, e := l.Multiple(vk, vQ), vk, equation{th: auto.True()}
	nk := assume(logic.Ge0(vk))
	for s := range r {
		nm := times(auto.Pow2(s), vk, nk)
		next := auto.Scale(auto.Pow2(1), m)
		double := equal(use(l.Double(m, vQ), nm), l.plus(l.Multiple(m, vQ), l.Multiple(m, vQ)), l.Multiple(next, vQ))
		D, m = l.plus(D, D), next
		if s == 0 {
			e = double
		} else {
			e = chain(D, e, double)
		}
	}
	return instance(e.th, subst{vk: k, vQ: P})
}

// stateLaws makes the lemmas of this file.
func (l *Laws) stateLaws() {
	onQ := l.on(vQ)
	ge, eq, at := logic.Ge0, logic.Eq, l.Multiple
	sum := logic.Add(vi, vj)
	diff := logic.Sub(vi, vj)

	l.succ = l.lemma(func() Theorem {
		k1 := logic.Add(vk, one)
		return unfold(l.Multiple(k1, vQ), fact{assume(logic.Ge0(vk)), logic.Le(k1, zero)}).th
	}, eq(at(logic.Add(vk, one), vQ), l.plus(l.Multiple(vk, vQ), vQ)), ge(vk))

	// below is k < 0 ⊢ [k]P = O.
	below := func(P Term) equation {
		low := nonneg(logic.Neg(vk), []Theorem{assume(logic.Lt(vk, zero))})
		return unfold(l.Multiple(vk, P), fact{low, logic.Le(vk, zero)})
	}

	l.closed = l.lemma(func() Theorem {
		goal := l.on(l.Multiple(vk, vQ))
		base := rewrite(l.onInfinity(), l.zero(vQ).back())
		step := rewrite(l.g.Closed(l.Multiple(vk, vQ), vQ), l.next(vk, vQ, assume(logic.Ge0(vk))).back())
		yes := induct(vk, goal, base, step)
		no := rewrite(l.onInfinity(), below(vQ).back())
		return auto.Cases(goal, logic.Ge0(vk), yes, no)
	}, l.on(l.Multiple(vk, vQ)), onQ)

	l.infinity = l.lemma(func() Theorem {
		m := l.Multiple(vk, o)
		goal := logic.Eq(m, o)
		step := chain(l.Multiple(logic.Add(vk, one), o), l.next(vk, o, assume(logic.Ge0(vk))),
			equal(assume(goal), m, o), l.leftZero(o, l.onInfinity()))
		return auto.Cases(goal, logic.Ge0(vk), induct(vk, goal, l.zero(o).th, step.th), below(o).th)
	}, eq(at(vk, o), o))

	l.firstMultiple = l.lemma(func() Theorem {
		return chain(l.Multiple(one, vQ), l.next(zero, vQ, auto.True()), l.zero(vQ), l.leftZero(vQ, assume(onQ))).th
	}, eq(at(one, vQ), vQ), onQ)

	l.add = l.lemma(func() Theorem {
		on, ni, nj := assume(onQ), assume(logic.Ge0(vi)), assume(logic.Ge0(vj))
		l0, lj, li := l.Multiple(zero, vQ), l.Multiple(vj, vQ), l.Multiple(vi, vQ)
		goal := logic.Eq(l.Multiple(sum, vQ), l.plus(li, lj))
		base := chain(l.plus(li, l0), l.zero(vQ), l.rightZero(li, l.isOn(vi, vQ, on)))
		step := chain(l.Multiple(logic.Add(sum, one), vQ),
			l.next(sum, vQ, nonneg(sum, []Theorem{ni, nj})),
			equal(assume(goal), l.Multiple(sum, vQ), l.plus(li, lj)),
			l.assoc(li, lj, vQ, l.isOn(vi, vQ, on), l.isOn(vj, vQ, on), on),
			l.next(vj, vQ, nj).back())
		return induct(vj, goal, base.th, step.th)
	}, eq(at(sum, vQ), l.plus(l.Multiple(vi, vQ), l.Multiple(vj, vQ))), ge(vi), ge(vj), onQ)

	l.sub = l.lemma(func() Theorem {
		on, nj, nd := assume(onQ), assume(logic.Ge0(vj)), assume(logic.Ge0(diff))
		li, lj, ld := l.Multiple(vi, vQ), l.Multiple(vj, vQ), l.Multiple(diff, vQ)
		onJ, onD := l.isOn(vj, vQ, on), l.isOn(diff, vQ, on)
		return chain(l.plus(li, l.neg(lj)),
			equation{l.sum(diff, vj, vQ, nd, nj, on).th, li, l.plus(ld, lj)},
			l.assoc(ld, lj, l.neg(lj), onD, onJ, use(l.g.NegClosed(lj), onJ)),
			l.rightNeg(lj, onJ),
			l.rightZero(ld, onD)).th
	}, logic.Eq(l.plus(l.Multiple(vi, vQ), l.neg(l.Multiple(vj, vQ))), l.Multiple(diff, vQ)), ge(vj), ge(diff), onQ)

	l.mul = l.lemma(func() Theorem {
		on, ni, nj := assume(onQ), assume(logic.Ge0(vi)), assume(logic.Ge0(vj))
		ij, lj := logic.Mul(vi, vj), l.Multiple(vj, vQ)
		goal := logic.Eq(l.Multiple(ij, vQ), l.Multiple(vi, lj))
		base := chain(l.Multiple(zero, vQ), l.zero(vQ), l.zero(lj).back())
		step := chain(l.Multiple(logic.Add(ij, vj), vQ),
			l.sum(ij, vj, vQ, product(ij, ni, nj), nj, on),
			equal(assume(goal), l.Multiple(ij, vQ), l.Multiple(vi, lj)),
			l.next(vi, lj, ni).back())
		return induct(vi, goal, base.th, step.th)
	}, logic.Eq(l.Multiple(logic.Mul(vi, vj), vQ), l.Multiple(vi, l.Multiple(vj, vQ))), ge(vi), ge(vj), onQ)

	l.swap = l.lemma(func() Theorem {
		on, ni, nj := assume(onQ), assume(logic.Ge0(vi)), assume(logic.Ge0(vj))
		return chain(l.Multiple(vi, l.Multiple(vj, vQ)), l.product(vi, vj, vQ, ni, nj, on).back(),
			l.product(vj, vi, vQ, ni, nj, on)).th
	}, logic.Eq(l.Multiple(vi, l.Multiple(vj, vQ)), l.Multiple(vj, l.Multiple(vi, vQ))), ge(vi), ge(vj), onQ)

	l.double = l.lemma(func() Theorem {
		return use(l.Add(vk, vk, vQ))
	}, logic.Eq(l.plus(l.Multiple(vk, vQ), l.Multiple(vk, vQ)), l.Multiple(logic.Add(vk, vk), vQ)), ge(vk), onQ)
}
