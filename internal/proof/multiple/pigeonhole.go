package multiple

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// The pigeonhole principle, for the mapping slot. There are no sets in the logic, nor are they needed: it is a matter
// of counting, by induction.

// Parameters of the definitions.
var (
	vm, vv, vt = integer("m"), integer("v"), integer("t")
	rec        = integer("rec")

	slotParams = []Term{integer("p"), integer("a"), integer("n"), point("G"), vQ}
)

// slot(t, p, a, n, G, Q) is the code of [t mod n]G + [t div n]Q.
var slot = func() logic.Def {
	p, a, n, g := slotParams[0], slotParams[1], slotParams[2], slotParams[3]
	body := code.App(p, slotPoint(vt, p, a, n, g, vQ))
	return mustDef(logic.Define("multiple.slot", append([]Term{vt}, slotParams...), body))
}()

// count(t, v, …) is how many i < t have slot(i) = v; last(t, v, …) is the last of them, −1 if there is none; and
// total(m, t, …) is the sum of count(t, v) over v < m.
var (
	count = func() logic.Def {
		hit := logic.Eq(slot.App(append([]Term{vt}, slotParams...)...), vv)
		return mustDef(logic.DefineRec("multiple.count", vt, rec, append([]Term{vv}, slotParams...), zero,
			logic.Add(rec, indicator(hit))))
	}()
	last = func() logic.Def {
		hit := logic.Eq(slot.App(append([]Term{vt}, slotParams...)...), vv)
		return mustDef(logic.DefineRec("multiple.last", vt, rec, append([]Term{vv}, slotParams...), logic.N(-1),
			logic.Ite(hit, vt, rec)))
	}()
	total = mustDef(logic.DefineRec("multiple.total", vm, rec, append([]Term{vt}, slotParams...), zero,
		logic.Add(rec, count.App(append([]Term{vt, vm}, slotParams...)...))))
)

// indicator is 1 if c is true, else 0.
func indicator(c Term) Term { return logic.Ite(c, one, zero) }

// indicated is indicator(c) = 1 or 0, by a fact.
func indicated(f fact) auto.Lin {
	t, v := indicator(f.c), zero
	if f.th.Concl() == f.c {
		v = one
	}
	return lin(auto.Must(kernel.RewriteTerm(t, f.rewriting())), t, v, one)
}

// pigeons are the numbers i with 0 ≤ i < n, and holes the numbers v with 0 ≤ v < m. Each i has its hole slot(i, args).
type pigeons struct {
	args      []Term
	n, m      Term
	low, high Theorem // 0 ≤ slot(k) and slot(k) < m, of all k; their hypotheses have none of the variables k, m, v
	collision Theorem // 0 ≤ i, i < j, j < n, slot(i) = slot(j) ⊢ false, with other hypotheses of that kind
}

func (g *pigeons) app(d logic.Def, ts ...Term) Term { return d.App(append(ts, g.args...)...) }

func (g *pigeons) slot(t Term) Term     { return g.app(slot, t) }
func (g *pigeons) count(t, v Term) Term { return g.app(count, t, v) }
func (g *pigeons) last(t, v Term) Term  { return g.app(last, t, v) }
func (g *pigeons) total(m, t Term) Term { return g.app(total, m, t) }

// colliding are the conditions of a collision.
func (g *pigeons) colliding(i, j Term) []Term {
	return []Term{logic.Ge0(i), logic.Lt(i, j), logic.Lt(j, g.n), logic.Eq(g.slot(i), g.slot(j))}
}

// next is the step of a recursive definition: f(t+1, …), with 0 ≤ t.
func (g *pigeons) next(f Term, t Term, facts ...fact) auto.Lin {
	start := fact{assume(logic.Ge0(t)), logic.Le(logic.Add(t, one), zero)}
	e := unfold(f, append([]fact{start}, facts...)...)
	return lin(e.th, e.l, e.r, one)
}

// atZero is the base of a recursive definition: f(0, …).
func (g *pigeons) atZero(f Term) auto.Lin {
	e := unfold(f)
	return lin(e.th, e.l, e.r, one)
}

// crowded proves false, where m < n are constants.
func (g *pigeons) crowded() Theorem {
	all := g.total(g.m, g.n)
	// total(m, n) is n, and at most m
	full := use(instance(g.all(), subst{vk: g.n}))
	atMost := instance(g.bound(), subst{vm: g.m})
	return impossible([]Theorem{atMost}, lin(full, all, g.n, one))
}

// row: 0 ≤ k, 0 ≤ m ⊢ total(m, k+1) = total(m, k) + indicator(slot(k) < m).
func (g *pigeons) row() Theorem {
	k1, m1, fk := logic.Add(vk, one), logic.Add(vm, one), g.slot(vk)
	below := func(m Term) Term { return logic.Lt(fk, m) }
	sides := func(m Term) (l, r Term) {
		return g.total(m, k1), logic.Add(g.total(m, vk), indicator(below(m)))
	}
	minus := logic.N(-1)
	l0, r0 := sides(zero)
	none := fact{g.low, below(zero)}
	base := auto.Equal(l0, r0, g.atZero(l0), by(g.atZero(g.total(zero, vk)), minus), by(indicated(none), minus))

	l, r := sides(vm)
	hyp := logic.Eq(l, r)
	l1, r1 := sides(m1)
	goal := logic.Eq(l1, r1)
	step := func(less, same, lessNext fact) Theorem {
		return auto.Equal(l1, r1, g.next(l1, vm), by(g.next(g.total(m1, vk), vm), minus), g.next(g.count(k1, vm), vk),
			lin(assume(hyp), l, r, one), indicated(less), indicated(same), by(indicated(lessNext), minus))
	}
	less, notLess := decide(below(vm))
	same, notSame := decide(logic.Eq(fk, vm))
	c := below(m1)
	both := absurd(goal, impossible([]Theorem{less.th}, lin(same.th, fk, vm, one)))
	isLess := step(less, notSame, fact{nonneg(logic.Sub(vm, fk), []Theorem{less.th}), c})
	isSame := step(notLess, same, fact{nonneg(logic.Sub(vm, fk), nil, lin(same.th, fk, vm, logic.N(-1))), c})
	// m ≤ slot(k) ≤ m is slot(k) = m
	is := antisym(logic.Sub(fk, vm), notLess.th, assume(c))
	more := taut(logic.Not(c), implied(c, is), notSame.th)
	isMore := step(notLess, notSame, fact{more, c})
	th := auto.Cases(goal, less.c, auto.Cases(goal, same.c, both, isLess), auto.Cases(goal, same.c, isSame, isMore))
	return induct(vm, hyp, base, th)
}

// all: 0 ≤ k ⊢ total(m, k) = k, for the number m of holes.
func (g *pigeons) all() Theorem {
	// total(m, 0) = 0
	none := logic.Eq(g.total(vm, zero), zero)
	m1 := g.total(logic.Add(vm, one), zero)
	step := auto.Equal(m1, zero, g.next(m1, vm), lin(assume(none), g.total(vm, zero), zero, one),
		g.atZero(g.count(zero, vm)))
	base := instance(induct(vm, none, g.atZero(g.total(zero, zero)).Th, step), subst{vm: g.m})

	k1, t := logic.Add(vk, one), g.total(g.m, vk)
	l := g.total(g.m, k1)
	in := fact{g.high, logic.Lt(g.slot(vk), g.m)}
	hyp := logic.Eq(t, vk)
	row := lin(instance(g.row(), subst{vm: g.m}), l, logic.Add(t, indicator(in.c)), one)
	th := auto.Equal(l, k1, row, indicated(in), lin(assume(hyp), t, vk, one))
	return induct(vk, hyp, base, th)
}

// found: 0 ≤ k, 1 ≤ count(k, v) ⊢ slot(i) = v ∧ 0 ≤ i ∧ i < k, for i = last(k, v).
func (g *pigeons) found() Theorem {
	is := func(k, i Term) Term {
		return logic.And(logic.Eq(g.slot(i), vv), logic.Ge0(i), logic.Lt(i, k))
	}
	some := func(k Term) Term { return logic.Le(one, g.count(k, vv)) }
	hyp := logic.Imp(some(vk), is(vk, g.last(vk, vv)))
	c0 := g.atZero(g.count(zero, vv))
	no := impossible([]Theorem{assume(some(zero))}, by(c0, logic.N(-1)))
	base := implied(some(zero), absurd(is(zero, g.last(zero, vv)), no))

	k1, nk := logic.Add(vk, one), assume(logic.Ge0(vk))
	lk, l1 := g.last(vk, vv), g.last(k1, vv)
	goal := is(k1, l1)
	move := func(th Theorem, i Term, e auto.Lin) Theorem {
		return auto.Must(kernel.Leibniz(e.Th, i, l1, th, is(k1, holeInt), holeInt))
	}
	hit, miss := decide(logic.Eq(g.slot(vk), vv))
	yes := move(taut(is(k1, vk), hit.th, nk), vk, g.next(l1, vk, hit))
	before := nonneg(logic.Sub(g.count(vk, vv), one), []Theorem{assume(some(k1))},
		by(g.next(g.count(k1, vv), vk), logic.N(-1)), by(indicated(miss), logic.N(-1)))
	old := taut(is(vk, lk), assume(hyp), before)
	up := nonneg(logic.Sub(vk, lk), []Theorem{taut(logic.Lt(lk, vk), old)})
	th := move(taut(is(k1, lk), old, up), lk, g.next(l1, vk, miss))
	step := implied(some(k1), auto.Cases(goal, hit.c, yes, th))
	return taut(is(vk, lk), induct(vk, hyp, base, step), assume(some(vk)))
}

// single: 0 ≤ k, k ≤ n ⊢ count(k, v) ≤ 1.
func (g *pigeons) single() Theorem {
	count := g.count(vk, vv)
	hyp := logic.Imp(logic.Le(vk, g.n), logic.Le(count, one))
	c0 := g.count(zero, vv)
	base := taut(logic.Subst(hyp, subst{vk: zero}), nonneg(logic.Sub(one, c0), nil, by(g.atZero(c0), logic.N(-1))))

	k1 := logic.Add(vk, one)
	room := assume(logic.Le(k1, g.n))
	c1 := g.count(k1, vv)
	goal := logic.Le(c1, one)
	hit, miss := decide(logic.Eq(g.slot(vk), vv))
	result := func(f fact, c Theorem) Theorem {
		return nonneg(logic.Sub(one, c1), []Theorem{c}, by(g.next(c1, vk), logic.N(-1)), by(indicated(f), logic.N(-1)))
	}
	old := taut(logic.Le(count, one), assume(hyp), nonneg(logic.Sub(g.n, vk), []Theorem{room}))
	no := result(miss, old)
	// If slot(k) = v and 1 ≤ count(k, v), then last(k, v) and k collide.
	some := logic.Le(one, count)
	i := g.last(vk, vv)
	found := g.found()
	same := auto.Equal(g.slot(i), g.slot(vk), lin(taut(logic.Eq(g.slot(i), vv), found), g.slot(i), vv, one),
		lin(hit.th, g.slot(vk), vv, logic.N(-1)))
	collision := use(instance(g.collision, subst{vi: i, vj: vk}),
		taut(logic.Ge0(i), found), taut(logic.Lt(i, vk), found), room, same)
	none := taut(logic.Not(some), implied(some, collision))
	yes := result(hit, none)
	step := implied(logic.Le(k1, g.n), auto.Cases(goal, hit.c, yes, no))
	return taut(logic.Le(count, one), induct(vk, hyp, base, step), assume(logic.Le(vk, g.n)))
}

// bound: 0 ≤ m ⊢ total(m, n) ≤ m.
func (g *pigeons) bound() Theorem {
	m1 := logic.Add(vm, one)
	t, t1, t0 := g.total(vm, g.n), g.total(m1, g.n), g.total(zero, g.n)
	hyp := logic.Le(t, vm)
	base := nonneg(logic.Neg(t0), nil, by(g.atZero(t0), logic.N(-1)))
	one := instance(g.single(), subst{vk: g.n, vv: vm})
	step := nonneg(logic.Sub(m1, t1), []Theorem{assume(hyp), one}, by(g.next(t1, vm), logic.N(-1)))
	return induct(vm, hyp, base, step)
}
