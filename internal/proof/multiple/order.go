package multiple

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Order: OnCurve(Q) ⊢ [n]Q = O.
//
// Suppose that [n]Q ≠ O. The numbers t < 3n are mapped to points [t mod n]G + [t div n]Q, and these to numbers up to 2p
// (definition code). As 2p + 1 < 3n, two of them have the same point (file pigeonhole.go): then
// [d]Q = [k]G, where d is 0, 1 or 2 and 1 ≤ k. If d is 0, then k < n, and G ≠ O has no such multiple. Otherwise
// [d][n]Q = [n][k]G = [k][n]G = O, for d = 2 because no point has the order 2. So [n]Q = O.
func (l *Laws) Order(Q Term) Theorem { return instance(l.order.get(), subst{vQ: Q}) }

// ordered is [n]Q = O.
func (l *Laws) ordered(Q Term, on Theorem) equation {
	return equal(use(l.Order(Q), on), l.Multiple(l.c.N, Q), o)
}

// mustDef ends the process if a definition is refused, as it would be if somebody had taken its name.
func mustDef(d logic.Def, err error) logic.Def {
	if err != nil {
		panic(fmt.Errorf("proof/multiple: %w", err))
	}
	return d
}

// impossible proves false from facts 0 ≤ a and equations: their sum is a negative constant.
func impossible(facts []Theorem, eqs ...auto.Lin) Theorem { return nonneg(logic.N(-1), facts, eqs...) }

// stateOrder makes the lemmas of this file.
func (l *Laws) stateOrder() {
	onP, onQ := l.on(vP), l.on(vQ)

	// cancel: OnCurve(P), OnCurve(Q), OnCurve(R), P + R = Q + R ⊢ P = Q.
	l.cancel = l.lemma(func() Theorem {
		onR := assume(l.on(vR))
		strip := func(P Term) equation {
			on := assume(l.on(P))
			assoc := l.assoc(P, vR, l.neg(vR), on, onR, use(l.g.NegClosed(vR), onR))
			return chain(assoc.l, assoc, l.rightNeg(vR, onR), l.rightZero(P, on))
		}
		same := equal(assume(logic.Eq(l.plus(vP, vR), l.plus(vQ, vR))), l.plus(vP, vR), l.plus(vQ, vR))
		return chain(vP, strip(vP).back(), same, strip(vQ)).th
	}, logic.Eq(vP, vQ), onP, onQ, l.on(vR), logic.Eq(l.plus(vP, vR), l.plus(vQ, vR)))

	// torsion: 0 ≤ j, [n]Q = O, [j]Q = O, OnCurve(Q) ⊢ j ≡ 0 (mod n) ∨ Q = O.
	l.torsion = l.lemma(l.proveTorsion, logic.Or(logic.Cong(vj, zero, l.c.N), logic.Eq(vQ, o)),
		logic.Ge0(vj), logic.Eq(l.Multiple(l.c.N, vQ), o), logic.Eq(l.Multiple(vj, vQ), o), onQ)

	// sameCode: OnCurve(P), OnCurve(Q), code(P) = code(Q) ⊢ P = Q.
	l.sameCode = l.lemma(l.proveSameCode, logic.Eq(vP, vQ), onP, onQ,
		logic.Eq(code.App(l.c.P, vP), code.App(l.c.P, vQ)))

	// codeRange: OnCurve(P) ⊢ 0 ≤ code(P) ∧ code(P) ≤ 2p.
	codeP, twoP := code.App(l.c.P, vP), logic.Add(l.c.P, l.c.P)
	inRange := logic.And(logic.Ge0(codeP), logic.Le(codeP, twoP))
	l.codeRange = l.lemma(func() Theorem {
		s := l.shapeOf(vP)
		side := func(e auto.Lin, up, down []Theorem) Theorem {
			return taut(inRange, nonneg(codeP, up, e), nonneg(logic.Sub(twoP, codeP), down, by(e, logic.N(-1))))
		}
		return auto.Cases(inRange, s.inf.c, side(l.code(s, s.inf), nil, nil),
			side(l.code(s, s.affine), []Theorem{s.x0, s.x0, s.odd0}, []Theorem{s.x1, s.x1, s.odd1}))
	}, inRange, onP)

	// collision: 0 ≤ i, i < j, j < 3n, slot(i) = slot(j), OnCurve(Q) ⊢ [n]Q = O.
	trivial := logic.Eq(l.Multiple(l.c.N, vQ), o)
	l.collision = l.lemma(l.proveCollision, trivial, append(l.pigeons().colliding(vi, vj), onQ)...)

	l.order = l.lemma(func() Theorem {
		no := logic.Not(trivial)
		g := l.pigeons()
		t := g.slot(vk)
		e := unfold(t)
		holes := instance(l.codeRange.get(), subst{vP: l.slotPoint(vk)})
		holes = rewrite(use(holes, l.slotOn(vk)), e.back())
		g.low, g.high = taut(logic.Ge0(t), holes), taut(logic.Lt(t, g.m), holes)
		g.collision = taut(logic.False(), l.collision.get(), assume(no))
		return taut(trivial, implied(no, g.crowded()))
	}, trivial, onQ)
}

// pigeons are the numbers t < 3n with holes up to 2p.
func (l *Laws) pigeons() *pigeons {
	return &pigeons{
		args: []Term{l.c.P, l.c.A, l.c.N, l.c.G, vQ},
		n:    auto.Scale(big.NewInt(3), l.c.N), m: logic.Add(l.c.P, l.c.P, one),
	}
}

// slotPoint is the point with the code slot(t).
func slotPoint(t, p, a, n, g, q Term) Term {
	return weierstrass.Add(p, a, weierstrass.SMul(logic.Mod(t, n), p, a, g), weierstrass.SMul(logic.Div(t, n), p, a, q))
}

func (l *Laws) slotPoint(t Term) Term { return slotPoint(t, l.c.P, l.c.A, l.c.N, l.c.G, vQ) }

// slotOn: OnCurve(Q) ⊢ slotPoint(t) is on the curve.
func (l *Laws) slotOn(t Term) Theorem {
	u, q := logic.Mod(t, l.c.N), logic.Div(t, l.c.N)
	return use(l.g.Closed(l.Multiple(u, l.c.G), l.Multiple(q, vQ)), l.isOn(u, l.c.G, l.onBase()),
		l.isOn(q, vQ, assume(l.on(vQ))))
}

// onBase: ⊢ OnCurve(G).
func (l *Laws) onBase() Theorem { return compute(l.on(l.c.G)) }

// baseOrder: ⊢ [n]G = O.
func (l *Laws) baseOrder() equation {
	m := weierstrass.Mul(l.c.N, l.c.P, l.c.A, l.c.G)
	e := equal(use(l.Eval(l.c.N, l.c.G), l.onBase()), l.Multiple(l.c.N, l.c.G), m)
	return chain(e.l, e, equal(compute(m), m, o))
}

// divided has the facts about t = n·q + u, q = t div n, u = t mod n.
type divided struct {
	q, u   Term
	t      auto.Lin
	u0, u1 Theorem // 0 ≤ u, u < n
}

// divide divides t by a positive constant n.
func divide(t, n Term) divided {
	d := divided{q: logic.Div(t, n), u: logic.Mod(t, n)}
	d.t = lin(auto.Must(kernel.DivMod(t, n)), t, logic.Add(logic.Mul(n, d.q), d.u), one)
	var err error
	d.u0, d.u1, err = kernel.ModRange(t, n, auto.True())
	auto.Must(d.u0, err)
	return d
}

// proveTorsion: if j ≢ 0, let m be its inverse modulo n; then Q = [m·j]Q = [m]O.
func (l *Laws) proveTorsion() Theorem {
	n, m := l.c.N, number.Inv(l.c.N, vj)
	on, nj := assume(l.on(vQ)), assume(logic.Ge0(vj))
	nQ := equal(assume(logic.Eq(l.Multiple(n, vQ), o)), l.Multiple(n, vQ), o)
	jQ := equal(assume(logic.Eq(l.Multiple(vj, vQ), o)), l.Multiple(vj, vQ), o)
	nm, _ := number.InvRange(n, vj)
	mj := logic.Mul(m, vj)
	// m·j = 1 + q·n, 0 ≤ q
	cong := assume(logic.Cong(mj, one, n))
	d := cong.Concl().Arg(0)
	q := logic.Div(d, n)
	elim := lin(auto.Must(kernel.DvdElim(cong)), d, logic.Mul(n, q), one)
	if d != logic.Sub(mj, one) {
		q, elim.By = logic.Neg(q), logic.N(-1)
	}
	qn := logic.Mul(q, n)
	is := auto.Equal(mj, logic.Add(one, qn), elim)
	nq := auto.Cut(product(logic.Add(qn, one), nm, nj, by(lin(is, mj, logic.Add(one, qn), one), logic.N(-1))), l.n(), q)
	nqn := times(l.n(), q, nq)
	// Q = [1]Q + [q][n]Q = [1+q·n]Q = [m·j]Q = [m][j]Q = O
	zeroes := chain(l.Multiple(qn, vQ), l.product(q, n, vQ, nq, on), nQ, l.infinite(q))
	sum := chain(l.Multiple(logic.Add(one, qn), vQ), l.sum(one, qn, vQ, nqn, on), zeroes,
		l.rightZero(l.Multiple(one, vQ), l.isOn(one, vQ, on)), l.one(vQ, on))
	th := chain(vQ, sum.back(), l.sameMultiple(logic.Add(one, qn), mj, is, vQ), l.product(m, vj, vQ, nm, nj, on),
		jQ, l.infinite(m))
	goal := logic.Or(logic.Cong(vj, zero, n), th.th.Concl())
	return taut(goal, use(number.Inverse(n, vj)), implied(cong.Concl(), th.th))
}

// proveCollision is the argument of Order for t = i and t = j.
func (l *Laws) proveCollision() Theorem {
	n, g := l.c.N, l.c.G
	on, onG := assume(l.on(vQ)), l.onBase()
	hs := l.pigeons().colliding(vi, vj)
	ni, less, below, code := assume(hs[0]), assume(hs[1]), assume(hs[2]), assume(hs[3])
	di, dj := divide(vi, n), divide(vj, n)
	pi, pj := l.slotPoint(vi), l.slotPoint(vj)
	si, sj := unfold(l.pigeons().slot(vi)), unfold(l.pigeons().slot(vj))
	code = rewrite(code, si, sj)
	same := equal(use(instance(l.sameCode.get(), subst{vP: pi, vQ: pj}), code, l.slotOn(vi), l.slotOn(vj)), pi, pj)

	// 0 ≤ qᵢ ≤ qⱼ ≤ 2
	minus := logic.N(-1)
	qi := cut(l.n(), di.q, logic.Sub(n, one), []Theorem{ni, di.u1}, by(di.t, minus))
	d := logic.Sub(dj.q, di.q)
	nd := cut(l.n(), d, logic.Sub(n, logic.N(2)), []Theorem{less, di.u0, dj.u1}, di.t, by(dj.t, minus))
	qj := cut(l.n(), logic.Neg(dj.q), logic.Sub(logic.Add(n, n, n), one), []Theorem{below, dj.u0}, dj.t) // 0 ≤ 2 − qⱼ
	d2 := nonneg(logic.Sub(logic.N(2), d), []Theorem{qj, qi})

	// For k = n − uⱼ + uᵢ, [k]G + [qᵢ]Q = [n−uⱼ]G + ([uᵢ]G + [qᵢ]Q) = [n−uⱼ]G + ([uⱼ]G + [qⱼ]Q)
	// = [n]G + [qⱼ]Q = [d]Q + [qᵢ]Q.
	c := logic.Sub(n, dj.u)
	nc := nonneg(c, []Theorem{dj.u1})
	k := logic.Add(c, di.u)
	nk := nonneg(logic.Sub(k, one), []Theorem{dj.u1, di.u0})
	k0 := nonneg(k, []Theorem{dj.u1, di.u0})
	cG, kG := l.Multiple(c, g), l.Multiple(k, g)
	qiQ, qjQ, dQ := l.Multiple(di.q, vQ), l.Multiple(dj.q, vQ), l.Multiple(d, vQ)
	onC, onI, onJ := l.isOn(c, g, onG), l.isOn(di.q, vQ, on), l.isOn(dj.q, vQ, on)
	nG := l.baseOrder()
	left := chain(l.plus(kG, qiQ), l.sum(c, di.u, g, nc, di.u0, onG),
		l.assoc(cG, l.Multiple(di.u, g), qiQ, onC, l.isOn(di.u, g, onG), onI))
	right := chain(l.plus(cG, pj), l.assoc(cG, l.Multiple(dj.u, g), qjQ, onC, l.isOn(dj.u, g, onG), onJ).back(),
		l.sum(c, dj.u, g, nc, dj.u0, onG).back(), nG, l.leftZero(qjQ, onJ), l.sum(d, di.q, vQ, nd, qi, on))
	all := chain(l.plus(kG, qiQ), left, same, right)
	onK, onD := l.isOn(k, g, onG), l.isOn(d, vQ, on)
	dk := equal(use(instance(l.cancel.get(), subst{vP: dQ, vQ: kG, vR: qiQ}), onD, onK, onI, all.th), dQ, kG)

	// [d]W = [n][d]Q = [n][k]G = [k][n]G = O for W = [n]Q
	w := l.Multiple(n, vQ)
	onW := l.isOn(n, vQ, on)
	swap := func(i, j, P Term, facts ...Theorem) equation {
		return equal(use(l.Swap(i, j, P), facts...), l.Multiple(i, l.Multiple(j, P)), l.Multiple(j, l.Multiple(i, P)))
	}
	dW := chain(l.Multiple(d, w), swap(d, n, vQ, nd, on), dk, swap(n, k, g, k0, onG), nG, l.infinite(k))

	goal := logic.Eq(w, o)
	is := func(v int64, ge, le Theorem) Theorem { return antisym(logic.Sub(d, logic.N(v)), ge, le) }
	// d = 0: uᵢ < uⱼ, k < n, and [k]G = O
	le0, le1 := logic.Le(d, zero), logic.Le(d, one)
	z := is(0, nd, assume(le0))
	kO := chain(kG, dk.back(), l.sameMultiple(d, zero, z, vQ), l.zero(vQ))
	torsion := use(instance(l.torsion.get(), subst{vj: k, vQ: g}), k0, nG.th, kO.th, onG)
	kn := nonneg(logic.Sub(logic.Sub(n, one), k), []Theorem{less}, di.t, by(dj.t, minus), lin(z, d, zero, logic.Neg(n)))
	kz := use(number.Same(n, k, zero), k0, kn)
	no := impossible([]Theorem{nk}, lin(kz, k, zero, minus))
	if0 := taut(goal, torsion, compute(logic.Eq(g, o)), implied(logic.Cong(k, zero, n), no))
	// d = 1
	o1 := is(1, assume(logic.Not(le0)), assume(le1))
	if1 := chain(w, l.one(w, onW).back(), l.sameMultiple(one, d, o1, w), dW).th
	// d = 2
	o2 := is(2, assume(logic.Not(le1)), d2)
	ww := chain(l.plus(w, w), l.twice(w, onW).back(), l.sameMultiple(logic.N(2), d, o2, w), dW)
	if2 := use(l.g.DoubleZero(w), onW, ww.th)
	return auto.Cases(goal, le0, if0, auto.Cases(goal, le1, if1, if2))
}
