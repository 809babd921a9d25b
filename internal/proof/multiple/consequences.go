package multiple

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Torsion: 0 ≤ j, [j]Q = O, OnCurve(Q), Q ≠ O ⊢ j ≡ 0 (mod n).
func (l *Laws) Torsion(j, Q Term) Theorem { return instance(l.annihilator.get(), subst{vj: j, vQ: Q}) }

// Nonzero: 0 < j, j < n, OnCurve(Q), Q ≠ O ⊢ [j]Q ≠ O.
func (l *Laws) Nonzero(j, Q Term) Theorem { return instance(l.nonzero.get(), subst{vj: j, vQ: Q}) }

// Distinct: 0 ≤ i, 0 ≤ j, [i]Q = [j]Q, OnCurve(Q), Q ≠ O ⊢ i ≡ j (mod n).
func (l *Laws) Distinct(i, j, Q Term) Theorem {
	return instance(l.distinct.get(), subst{vi: i, vj: j, vQ: Q})
}

// Opposed: 0 ≤ i, 0 ≤ j, [i]Q = −[j]Q, OnCurve(Q), Q ≠ O ⊢ i + j ≡ 0 (mod n).
func (l *Laws) Opposed(i, j, Q Term) Theorem {
	return instance(l.opposed.get(), subst{vi: i, vj: j, vQ: Q})
}

// Opposite: 0 ≤ j, j ≤ n, OnCurve(Q) ⊢ −[j]Q = [n−j]Q.
func (l *Laws) Opposite(j, Q Term) Theorem { return instance(l.opposite.get(), subst{vj: j, vQ: Q}) }

// Reduce: 0 ≤ k, OnCurve(Q) ⊢ [k mod n]Q = [k]Q.
func (l *Laws) Reduce(k, Q Term) Theorem { return instance(l.reduce.get(), subst{vk: k, vQ: Q}) }

// Congruent: 0 ≤ i, 0 ≤ j, i ≡ j (mod n), OnCurve(Q) ⊢ [i]Q = [j]Q.
func (l *Laws) Congruent(i, j, Q Term) Theorem {
	return instance(l.congruent.get(), subst{vi: i, vj: j, vQ: Q})
}

// Digit is [d]Q for a signed d: −[−d]Q for d < 0.
func (l *Laws) Digit(d, Q Term) Term {
	return logic.Ite(logic.Ge0(d), l.Multiple(d, Q), l.neg(l.Multiple(logic.Neg(d), Q)))
}

// DigitClosed: OnCurve(Q) ⊢ OnCurve(Digit(d, Q)).
func (l *Laws) DigitClosed(d, Q Term) Theorem {
	return instance(l.digitClosed.get(), subst{vd: d, vQ: Q})
}

// AddDigit: 0 ≤ k, 0 ≤ k + d, OnCurve(Q) ⊢ [k]Q + Digit(d, Q) = [k+d]Q.
func (l *Laws) AddDigit(k, d, Q Term) Theorem {
	return instance(l.addDigit.get(), subst{vk: k, vd: d, vQ: Q})
}

// DigitDistinct: 0 ≤ k, [k]Q = Digit(d, Q), OnCurve(Q), Q ≠ O ⊢ k ≡ d (mod n).
func (l *Laws) DigitDistinct(k, d, Q Term) Theorem {
	return instance(l.digitDistinct.get(), subst{vk: k, vd: d, vQ: Q})
}

// stateConsequences makes the lemmas of this file.
func (l *Laws) stateConsequences() {
	n, minus := l.c.N, logic.N(-1)
	ge := logic.Ge0
	onQ, some := l.on(vQ), affine(vQ)
	iQ, jQ, kQ := l.Multiple(vi, vQ), l.Multiple(vj, vQ), l.Multiple(vk, vQ)
	sum := logic.Add(vi, vj)
	cong := func(a, b Term) Term { return logic.Cong(a, b, n) }
	on := func() Theorem { return assume(l.on(vQ)) }

	l.annihilator = l.lemma(func() Theorem {
		t := use(l.torsion.get(), l.Order(vQ))
		isO := equal(assume(logic.Eq(vQ, o)), vQ, o)
		noO := implied(isO.th.Concl(), absurd(logic.False(), rewrite(assume(affine(vQ)), isO)))
		return taut(cong(vj, zero), t, noO)
	}, cong(vj, zero), ge(vj), logic.Eq(jQ, o), onQ, some)

	l.nonzero = l.lemma(func() Theorem {
		pos, below := assume(logic.Lt(zero, vj)), assume(logic.Lt(vj, n))
		nj := nonneg(vj, []Theorem{pos})
		inf, _ := decide(logic.Proj(0, jQ))
		body := l.shapeOf(jQ)
		jO := use(body.o, l.isOn(vj, vQ, on()))
		t := use(l.Torsion(vj, vQ), nj, jO)
		same := use(number.Same(n, vj, zero), nj, below, t)
		return taut(logic.Not(inf.c), implied(inf.c, impossible([]Theorem{pos}, lin(same, vj, zero, minus))))
	}, affine(jQ), logic.Lt(zero, vj), logic.Lt(vj, n), onQ, some)

	// below is distinct for j ≤ i, where d = i − j.
	below := func(i, j Term) Theorem {
		d, x, y := logic.Sub(i, j), l.Multiple(i, vQ), l.Multiple(j, vQ)
		nd := assume(logic.Ge0(d))
		dQ := l.Multiple(d, vQ)
		dO := chain(dQ, equal(l.Sub(i, j, vQ), l.plus(x, l.neg(y)), dQ).back(), equal(assume(logic.Eq(x, y)), x, y),
			l.rightNeg(y, l.isOn(j, vQ, on())))
		t := use(l.Torsion(d, vQ), nd, dO.th)
		return auto.Congruent(i, j, n, lin(t, d, zero, one))
	}
	l.distinct = l.lemma(func() Theorem {
		goal, order := cong(vi, vj), logic.Le(vj, vi)
		no := logic.Lt(vi, vj)
		less := use(below(vj, vi), nonneg(logic.Sub(vj, vi), []Theorem{assume(no)}))
		return auto.Cases(goal, order, below(vi, vj), less)
	}, cong(vi, vj), ge(vi), ge(vj), logic.Eq(iQ, jQ), onQ, some)

	l.opposed = l.lemma(func() Theorem {
		ni, nj := assume(logic.Ge0(vi)), assume(logic.Ge0(vj))
		eq := equal(assume(logic.Eq(iQ, l.neg(jQ))), iQ, l.neg(jQ))
		sumO := chain(l.Multiple(sum, vQ), l.sum(vj, vi, vQ, ni, nj, on()), eq, l.rightNeg(jQ, l.isOn(vj, vQ, on())))
		return use(l.Torsion(sum, vQ), nonneg(sum, []Theorem{ni, nj}), sumO.th)
	}, cong(sum, zero), ge(vi), ge(vj), logic.Eq(iQ, l.neg(jQ)), onQ, some)

	l.opposite = l.lemma(func() Theorem {
		negJ, nQ := l.neg(jQ), l.Multiple(n, vQ)
		onNeg := use(l.g.NegClosed(jQ), l.isOn(vj, vQ, on()))
		return chain(negJ, l.leftZero(negJ, onNeg).back(), chain(l.plus(nQ, negJ), l.ordered(vQ, on())).back(),
			equal(l.Sub(n, vj, vQ), l.plus(nQ, negJ), l.Multiple(logic.Sub(n, vj), vQ))).th
	}, logic.Eq(l.neg(jQ), l.Multiple(logic.Sub(n, vj), vQ)), ge(vj), logic.Le(vj, n), onQ)

	l.reduce = l.lemma(func() Theorem {
		d := divide(vk, n)
		nk := assume(logic.Ge0(vk))
		nq := cut(l.n(), d.q, logic.Sub(n, one), []Theorem{nk, d.u1}, by(d.t, minus))
		qn, uQ := logic.Mul(d.q, n), l.Multiple(d.u, vQ)
		return chain(kQ, l.sameMultiple(vk, logic.Add(qn, d.u), d.t.Th, vQ),
			l.sum(qn, d.u, vQ, times(l.n(), d.q, nq), d.u0, on()),
			l.product(d.q, n, vQ, nq, on()), l.ordered(vQ, on()), l.infinite(d.q),
			l.leftZero(uQ, l.isOn(d.u, vQ, on()))).th
	}, logic.Eq(l.Multiple(logic.Mod(vk, n), vQ), kQ), ge(vk), onQ)

	l.congruent = l.lemma(func() Theorem {
		reduced := func(k Term) equation {
			return equal(l.Reduce(k, vQ), l.Multiple(logic.Mod(k, n), vQ), l.Multiple(k, vQ))
		}
		same := l.sameMultiple(logic.Mod(vi, n), logic.Mod(vj, n), number.Mod(n, vi, vj), vQ)
		return chain(iQ, reduced(vi).back(), same, reduced(vj)).th
	}, logic.Eq(iQ, jQ), ge(vi), ge(vj), cong(vi, vj), onQ)

	// The cases of a digit.
	digit, dQ := l.Digit(vd, vQ), l.Multiple(vd, vQ)
	negD := logic.Neg(vd)
	ndQ := l.Multiple(negD, vQ)
	pos, less := logic.Ge0(vd), logic.Lt(vd, zero)
	cases := func(goal Term, yes, no Theorem) Theorem { // from the goal for both branches
		hole := logic.Replace(goal, subst{digit: holePoint})
		side := func(th Theorem, c Term, value Term) Theorem {
			f := fact{assume(c), pos}
			e := auto.Must(kernel.RewriteTerm(digit, f.rewriting()))
			return auto.Must(kernel.Leibniz(e, value, digit, th, hole, holePoint))
		}
		return auto.Cases(goal, pos, side(yes, pos, dQ), side(no, less, l.neg(ndQ)))
	}
	l.digitClosed = l.lemma(func() Theorem {
		no := use(l.g.NegClosed(ndQ), l.isOn(negD, vQ, on()))
		return cases(l.on(digit), l.isOn(vd, vQ, on()), no)
	}, l.on(digit), onQ)

	kd := logic.Add(vk, vd)
	l.addDigit = l.lemma(func() Theorem {
		minusD := nonneg(negD, []Theorem{assume(less)})
		no := use(l.Sub(vk, negD, vQ), minusD)
		return cases(logic.Eq(l.plus(kQ, digit), l.Multiple(kd, vQ)), l.Add(vk, vd, vQ), no)
	}, logic.Eq(l.plus(kQ, digit), l.Multiple(kd, vQ)), ge(vk), ge(kd), onQ)

	l.digitDistinct = l.lemma(func() Theorem {
		same := logic.Eq(kQ, digit)
		goal := logic.Imp(same, cong(vk, vd))
		yes := implied(logic.Eq(kQ, dQ), l.Distinct(vk, vd, vQ))
		minusD := nonneg(negD, []Theorem{assume(less)})
		opposed := use(l.Opposed(vk, negD, vQ), minusD)
		th := cases(goal, yes, implied(logic.Eq(kQ, l.neg(ndQ)), opposed))
		return taut(cong(vk, vd), th, assume(same))
	}, cong(vk, vd), ge(vk), logic.Eq(kQ, digit), onQ, some)
}
