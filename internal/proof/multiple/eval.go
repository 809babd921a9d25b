package multiple

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// rounds is how many bits weierstrass.Mul takes.
const rounds = 521

// Eval: 0 ≤ k, k < 2⁵²¹, OnCurve(P) ⊢ [k]P = Mul(k, P), which doubles and adds.
func (l *Laws) Eval(k, P Term) Theorem { return instance(l.eval.get(), subst{vk: k, vQ: P}) }

// pow2 is 2ⁱ.
var pow2 = func() logic.Def {
	rec := integer("rec")
	return mustDef(logic.DefineRec("multiple.pow2", vi, rec, nil, one, logic.Add(rec, rec)))
}()

// A state of weierstrass.Multiples is a tuple of points R and S and a number j.
func stateParts(s Term) (R, S, j Term) { return logic.Proj(0, s), logic.Proj(1, s), logic.Proj(2, s) }

// invariant of the state after i rounds, where w = 2ⁱ: R and S are on the curve, 0 ≤ j, 0 ≤ w, w·j ≤ k, and
// R + [j]S = [k]Q.
func (l *Laws) invariant(s, w Term) Term {
	R, S, j := stateParts(s)
	return logic.And(l.on(R), l.on(S), logic.Ge0(j), logic.Ge0(w), logic.Le(logic.Mul(w, j), vk),
		logic.Eq(l.plus(R, l.Multiple(j, S)), l.Multiple(vk, vQ)))
}

// conclude proves the invariant of a state from its parts.
func (l *Laws) conclude(s, w Term, parts ...Theorem) Theorem {
	return taut(l.invariant(s, w), parts...)
}

// move moves the invariant along the equation e between states.
func (l *Laws) move(th Theorem, e equation, w Term) Theorem {
	return auto.Must(kernel.Leibniz(e.th, e.l, e.r, th, l.invariant(holeState, w), holeState))
}

// stateEval makes the lemma of this file.
func (l *Laws) stateEval() {
	at := func(i Term) Term { return weierstrass.Multiples(i, vk, l.c.P, l.c.A, vQ) }
	top := logic.Pow2(rounds)
	l.eval = l.lemma(func() Theorem {
		on, nk := assume(l.on(vQ)), assume(logic.Ge0(vk))
		goal := l.invariant(at(vi), pow2.App(vi))

		// At first it's (O, Q, k).
		first, w0 := unfold(at(zero)), pow2.App(zero)
		w1 := compute(w0) // 2⁰ = 1
		w1lin := lin(w1, w0, one, logic.Neg(vk))
		base := l.conclude(first.r, w0, l.onInfinity(), on, nk, nonneg(w0, nil, lin(w1, w0, one, one)),
			nonneg(logic.Sub(vk, logic.Mul(w0, vk)), nil, w1lin),
			l.leftZero(l.Multiple(vk, vQ), l.isOn(vk, vQ, on)).th)
		base = l.move(base, first.back(), w0)

		th := instance(induct(vi, goal, base, l.round(at, goal, nk)), subst{vi: logic.N(rounds)})

		// At last 2⁵²¹·j ≤ k < 2⁵²¹, so that j = 0.
		s, w := at(logic.N(rounds)), pow2.App(logic.N(rounds))
		th = rewrite(th, equation{compute(w), w, top})
		R, S, j := stateParts(s)
		part := func(q Term) Theorem { return taut(q, th) }
		nj, bound := part(logic.Ge0(j)), part(logic.Le(logic.Mul(top, j), vk))
		below := nonneg(logic.Sub(logic.Sub(top, one), logic.Mul(top, j)), []Theorem{bound, assume(logic.Lt(vk, top))})
		none := antisym(j, nj, auto.Cut(below, auto.Pow2(rounds), logic.Neg(j)))
		total, kQ := l.plus(R, l.Multiple(j, S)), l.Multiple(vk, vQ)
		sum := equal(part(logic.Eq(total, kQ)), total, kQ)
		m := weierstrass.Mul(vk, l.c.P, l.c.A, vQ)
		return chain(m, unfold(m), l.rightZero(R, part(l.on(R))).back(), l.zero(S).back(),
			l.sameMultiple(zero, j, none, S), sum).th
	}, logic.Eq(l.Multiple(vk, vQ), weierstrass.Mul(vk, l.c.P, l.c.A, vQ)), logic.Ge0(vk), logic.Lt(vk, top), l.on(vQ))
}

// round proves that the invariant after i rounds implies it after i+1.
func (l *Laws) round(at func(i Term) Term, goal Term, nk Theorem) Theorem {
	two := logic.N(2)
	hyp, ni := assume(goal), assume(logic.Ge0(vi))
	s, w := at(vi), pow2.App(vi)
	next, w2 := at(logic.Add(vi, one)), pow2.App(logic.Add(vi, one))
	R, S, j := stateParts(s)
	part := func(q Term) Theorem { return taut(q, hyp) }
	onR, onS, nj, nw := part(l.on(R)), part(l.on(S)), part(logic.Ge0(j)), part(logic.Ge0(w))
	bound := part(logic.Le(logic.Mul(w, j), vk))
	total := l.Multiple(vk, vQ)
	sum := equal(part(logic.Eq(l.plus(R, l.Multiple(j, S)), total)), l.plus(R, l.Multiple(j, S)), total)
	start := fact{ni, logic.Le(logic.Add(vi, one), zero)}

	double := lin(unfold(w2, start).th, w2, logic.Add(w, w), one) // 2ⁱ⁺¹ = 2ⁱ + 2ⁱ
	nw2 := nonneg(w2, []Theorem{nw, nw}, double)

	// j = 0: nothing changes.
	ended, going := decide(logic.Eq(j, zero))
	bound0 := nonneg(logic.Sub(vk, logic.Mul(w2, j)), []Theorem{nk}, lin(ended.th, j, zero, logic.Neg(w2)))
	stop := l.move(l.conclude(s, w2, onR, onS, nj, nw2, bound0, sum.th), unfold(next, start, ended).back(), w2)

	// j = 2h + c otherwise.
	h, c := logic.Div(j, two), logic.Mod(j, two)
	division := auto.Must(kernel.DivMod(j, two))
	split := lin(division, j, logic.Add(h, h, c), one)
	clo, chi, err := kernel.ModRange(j, two, auto.True())
	auto.Must(clo, err)
	// 2h ≥ −1
	nh := cut(big.NewInt(2), h, one, []Theorem{nj, chi}, by(split, logic.N(-1)))
	n2h := times(big.NewInt(2), h, nh)
	// 2w·h ≤ w·j ≤ k
	wc := product(logic.Sub(logic.Mul(w, j), logic.Mul(w2, h)), nw, clo, by(split, w), by(double, logic.Neg(h)))
	bound2 := nonneg(logic.Sub(vk, logic.Mul(w2, h)), []Theorem{bound, wc})
	onSS := use(l.g.Closed(S, S), onS)
	// [h](S + S) = [2h]S
	oneS := l.one(S, onS)
	doubled := chain(l.Multiple(h, l.plus(S, S)), l.twice(S, onS).back(), l.product(h, two, S, nh, onS).back())

	even, odd := decide(logic.Eq(c, zero))
	is2h := auto.Equal(j, logic.Add(h, h), split, lin(even.th, c, zero, one))
	sum0 := chain(l.plus(R, l.Multiple(h, l.plus(S, S))), doubled, l.sameMultiple(logic.Add(h, h), j, is2h, S), sum)
	evenNext := unfold(next, start, going, even)
	if0 := l.move(l.conclude(evenNext.r, w2, onR, onSS, nh, nw2, bound2, sum0.th), evenNext.back(), w2)

	// c = 1, being in 0…1 and not 0
	isOne := antisym(logic.Sub(c, one), positive(c, clo, odd.th), chi)
	is2h1 := auto.Equal(j, logic.Add(one, h, h), split, lin(isOne, c, one, one))
	RS := l.plus(R, S)
	h2S := l.Multiple(logic.Add(h, h), S)
	sum1 := chain(l.plus(RS, l.Multiple(h, l.plus(S, S))), doubled,
		l.assoc(R, S, h2S, onR, onS, l.isOn(logic.Add(h, h), S, onS)),
		chain(l.plus(l.Multiple(one, S), h2S), oneS).back(),
		l.sum(one, logic.Add(h, h), S, n2h, onS).back(),
		l.sameMultiple(logic.Add(one, h, h), j, is2h1, S), sum)
	oddNext := unfold(next, start, going, odd)
	onRS := use(l.g.Closed(R, S), onR, onS)
	if1 := l.move(l.conclude(oddNext.r, w2, onRS, onSS, nh, nw2, bound2, sum1.th), oddNext.back(), w2)

	g := l.invariant(next, w2)
	return auto.Cases(g, ended.c, stop, auto.Cases(g, even.c, if0, if1))
}

// twice is [2]P = P + P.
func (l *Laws) twice(P Term, on Theorem) equation {
	return chain(l.Multiple(logic.N(2), P), l.next(one, P, auto.True()), l.one(P, on))
}

// positive proves 1 ≤ t from 0 ≤ t and t ≠ 0.
func positive(t Term, ge, not Theorem) Theorem {
	le := logic.Le(t, zero)
	return taut(logic.Not(le), not, implied(le, antisym(t, ge, assume(le))))
}
