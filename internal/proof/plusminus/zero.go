package plusminus

import (
	"fmt"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

var zeroLemma lemma

// Zero is about s = Iter(t; a, b, d): 0 ≤ t, a = 0 ⊢ s.a = 0, s.b = b, s.h = 0.
func Zero(t, a, b, d Term) []Theorem {
	is := func(s Term) []Term {
		return []Term{logic.Eq(at(A, s), zero), logic.Eq(at(B, s), vb), logic.Eq(at(H, s), zero)}
	}
	ths := zeroLemma.get(func() []Theorem {
		state := func(t Term) Term { return Iter(t, zero, vb, vd) }
		goal := func(s Term) Term { return logic.And(is(s)...) }
		base := replaced(auto.True(), start(zero, vb, vd), goal)
		s := state(vt)
		var eqs []kernel.Equation
		for i, c := range []int{A, B, H} {
			h := is(s)[i]
			to := zero
			if c == B {
				to = vb
			}
			eqs = append(eqs, auto.Rewritten(taut(h, assume(goal(s))), at(c, s), to))
		}
		after := goal(step(s))
		th := taut(after, auto.Must(kernel.RewriteTerm(after, eqs...)))
		th = replaced(th, next(vt, zero, vb, vd, assume(logic.Ge0(vt))), goal)
		all := auto.Must(kernel.Induct(vt, goal(s), base, th))
		hole := logic.Fresh("zero", logic.Int())
		eq := assume(logic.Eq(va, zero))
		var ths []Theorem
		for i, q := range is(s) {
			th := taut(q, all, assume(logic.Ge0(vt)))
			ths = append(ths, auto.Must(kernel.Leibniz(eq, zero, va, th, is(Iter(vt, hole, vb, vd))[i], hole)))
		}
		return ths
	})
	r, err := kernel.InstAll(ths, subst{vt: t, va: a, vb: b, vd: d})
	if err != nil {
		panic(fmt.Errorf("plusminus: %w", err))
	}
	return r
}
