package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (c *Curve) scalarProgram(k Key) (machine.Program, machine.Prover, error) {
	f, err := c.Scalars.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewScalar(k.Target, k.Variant, c.parts.scalar, f)
	return code.Program, NewSteps(c.Scalars, code, c.scalar), err
}

// scalar proves what the routine ensures: FromBytes gives 0 for n ≤ d, so that what it gives is 0 just if d is no
// scalar.
func (c *Curve) scalar(tr *Trace, _ machine.View) []Theorem {
	from, mask, move := tr.Steps[0], tr.Steps[1], tr.Steps[2]
	zero, one := logic.N(0), logic.N(1)
	d, x, invalid, k := from.Src[0], from.Dst, mask.Dst, move.Dst
	ok, isZero, isD := c.IsScalar(d), logic.Eq(x, zero), logic.Eq(x, d)
	// where x = d, it is 0 just if not 1 ≤ d, as d is natural
	none, some := logic.Lt(d, one), logic.Le(one, d)
	dZero := auto.Must(kernel.Antisym(d, assume(logic.Ge0(d)), assume(none)))
	there := auto.Equal(x, zero, lin(assume(isD), x, d, one), lin(dZero, d, zero, one))
	absurd := auto.NonNeg(logic.N(-1), []Theorem{assume(some)},
		lin(assume(isD), x, d, one), lin(assume(isZero), x, zero, logic.N(-1)))
	same := taut(logic.Eq(isZero, logic.Not(ok)), from.Facts[0], from.Facts[1], implied(isD, implied(none, there)),
		implied(isD, implied(isZero, implied(some, absurd))))
	word := auto.Must(kernel.Rewrite(mask.Facts[0], auto.Rewritten(same, isZero, logic.Not(ok))))

	is := logic.Eq(k, logic.Ite(ok, d, one))
	side := func(yes bool, value, low Theorem) (isK, atLeast1 Theorem) {
		given, to, m := assume(logic.Not(ok)), one, ones64()
		if yes {
			given, to, m = assume(ok), d, zero64()
		}
		cond := truth(given, ok)
		w := auto.Rewritten(auto.Must(kernel.Rewrite(word, cond)), invalid, m)
		th := auto.Must(kernel.Rewrite(move.Facts[0], w))
		if yes { // k = x
			th = auto.Must(kernel.Rewrite(th, auto.Rewritten(value, x, d)))
		}
		isK = taut(is, rewritten(is, cond), th)
		atLeast1 = auto.NonNeg(logic.Sub(k, one), []Theorem{low}, lin(th, k, to, one))
		return isK, atLeast1
	}
	yes1, yes2 := side(true, taut(isD, from.Facts[0], assume(ok)), taut(some, assume(ok)))
	no1, no2 := side(false, Theorem{}, auto.True())
	return []Theorem{word, auto.Cases(is, ok, yes1, no1), auto.Cases(logic.Le(one, k), ok, yes2, no2)}
}
