package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (s *Signatures) matchProgram(k Key) (machine.Program, machine.Prover, error) {
	f, err := s.c.Scalars.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	affine, err := s.c.PointAffine(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewMatch(k.Target, k.Variant, s.match.contract, f, affine)
	return code.Program, NewSteps(s.c.Scalars, code, s.proveMatch), err
}

// proveMatch proves what the word ok is: x mod n − r ≡ 0 just if x mod n = r. O has the coordinate 0, which r isn't.
func (s *Signatures) proveMatch(tr *Trace, v machine.View) []Theorem {
	c, f, n, zero := s.c, s.c.Scalars, s.c.Spec.N(), logic.N(0)
	a := c.inputs(tr, v, "a", 3)
	P := c.Point(a[0], a[1], a[2])
	x, m, d, ok := tr.Steps[0].Src[0], tr.Steps[1].Dst, tr.Steps[2].Dst, tr.Steps[3]
	r := tr.Steps[2].Src[1]
	isM := f.isMod(tr, m, x, tr.Congruent(f, m, x)) // m = x mod n
	isX := assume(logic.Eq(x, spec.X(P)))
	at := logic.Fresh("x", logic.Int())
	mod := logic.Mod(spec.X(P), n)
	isM = auto.Must(kernel.Leibniz(isX, x, spec.X(P), isM, logic.Eq(m, logic.Mod(at, n)), at))
	// d = 0 ⇔ m = r
	diff := tr.Congruent(f, d, logic.Sub(m, r), m)
	none, same := logic.Eq(d, zero), logic.Eq(mod, r)
	back := auto.Congruent(m, r, n, lin(diff, d, logic.Sub(m, r), logic.N(-1)), lin(assume(none), d, zero, logic.N(1)))
	ge := func(x Term) Theorem { return assume(logic.Ge0(x)) }
	is := number.Use(number.Same(n, m, r), ge(m), tr.Range(f, m), ge(r), assume(logic.Lt(r, n)), back)
	is = taut(same, auto.Must(kernel.Rewrite(is, auto.Rewritten(isM, m, mod))))
	there := auto.Congruent(d, zero, n, lin(diff, d, logic.Sub(m, r), logic.N(1)), lin(isM, m, mod, logic.N(1)),
		lin(assume(same), mod, r, logic.N(1)))
	is0 := number.Use(number.Same(n, d, zero), ge(d), tr.Range(f, d), there)
	equal := taut(logic.Eq(none, same), implied(none, is), implied(same, is0))
	// and then a isn't O
	isO := spec.IsInfinity(P)
	cond := logic.Cong(c.Residue(a[2]), zero, c.Field.P())
	goal := logic.Imp(same, logic.Not(isO))
	O := unfolded(P, truth(assume(cond), cond))
	th := auto.Must(kernel.Rewrite(assume(same), O)) // 0 = r
	absurd := auto.NonNeg(logic.N(-1), []Theorem{assume(logic.Le(logic.N(1), r))}, lin(th, zero, r, logic.N(1)))
	some := unfolded(P, truth(assume(logic.Not(cond)), cond))
	not := taut(goal, rewritten(isO, some))
	isNot := auto.Cases(goal, cond, taut(goal, implied(same, absurd)), not)
	is2 := logic.And(logic.Not(isO), same)
	all := taut(logic.Eq(none, is2), equal, isNot)
	return []Theorem{auto.Must(kernel.Rewrite(ok.Facts[0], auto.Rewritten(all, none, is2)))}
}
