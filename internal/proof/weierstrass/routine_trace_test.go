package weierstrass

import (
	"math/big"
	"strings"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// trial is a function of Go's that reads a number from bytes, and returns ((2x)·x − x²)/2 as bytes, with the sign changed
// if x is 0 modulo p: all operations occur. The result is x²/2 in the end.
func trial(f *Field) machine.Contract {
	n := f.Bytes()
	return must(machine.Trial(machine.Func{
		Name: "trial",
		Params: []machine.Param{
			{Name: "r", Bytes: n, Elem: 1, Mode: machine.ModeOut},
			{Name: "x", Bytes: n, Elem: 1, Mode: machine.ModeIn},
			inOut("work", 8*n),
		},
		Result: "ok",
		Ensures: func(e machine.Env) []Term {
			x, r, p := e.BE("x"), e.After().BE("r"), f.P()
			valid := logic.Lt(x, p)
			return []Term{
				logic.Imp(valid, logic.Eq(logic.Uint(e.Result()), logic.N(1))),
				logic.Imp(logic.Not(valid), logic.Eq(logic.Uint(e.Result()), logic.N(0))),
				logic.Lt(r, p),
				logic.Imp(valid, logic.Cong(logic.Mul(logic.N(2), r), logic.Mul(x, x), p)),
			}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(5)} },
	}))
}

func trialCode(k Key, c machine.Contract, f *impl.Field) (impl.Code, error) {
	b := impl.NewBuilder(k.Target, k.Variant, c)
	work, n := b.Param("work"), f.Bytes()
	x, y, z, ok, mask := work, work.At(n), work.At(2*n), work.At(3*n), work.At(4*n)
	b.Do(f, "FromBytes", x, b.Param("x"))
	b.StoreReg(ok, b.ParamReg(0))
	b.Do(f, "ToMont", x, x)
	b.Add(f, y, x, x)
	b.Mul(f, y, y, x)
	b.Sqr(f, z, x)
	b.Sub(f, y, y, z)
	b.Half(f, y, y)
	b.Mask(f, mask, x)
	b.CNeg(f, y, y, mask)
	b.Neg(f, z, y)
	b.CMov(f, y, z, mask) // twice negated
	b.Do(f, "FromMont", y, y)
	b.Do(f, "ToBytes", b.Param("r"), y)
	b.LoadReg(b.ParamReg(0), ok)
	b.Return("ok", b.ParamReg(0))
	b.Zero(work, 5*n)
	return b.Finish()
}

// trialProof proves r = x²/2 in both cases of the mask.
func trialProof(f *Field) func(tr *Trace, v machine.View) []Theorem {
	return func(tr *Trace, v machine.View) []Theorem {
		steps := map[string]Step{}
		for _, s := range tr.Steps {
			steps[s.Op.Name] = s
		}
		in, mask, cneg, cmov, from, to := steps["FromBytes"], steps[impl.Mask], steps["CNeg"], steps["CMov"], steps["FromMont"], steps["ToBytes"]
		x, d, p := in.Src[0], in.Dst, f.P()
		valid, one := logic.Lt(x, p), logic.N(1)
		ok := auto.Must(kernel.Taut(logic.Imp(valid, logic.Eq(logic.Uint(in.Result), one)), in.Facts[0]))
		bad := auto.Must(kernel.Taut(logic.Imp(logic.Not(valid), logic.Eq(logic.Uint(in.Result), logic.N(0))), in.Facts[1]))
		// what FromBytes gives under valid
		same := auto.Must(kernel.Taut(logic.Eq(d, x), in.Facts[0], assume(valid)))
		c0 := logic.Eq(mask.Src[0], logic.N(0))
		moved := func(zero bool) auto.Lin { // what CMov gives, as a congruence
			half := cneg.Src[0]
			eqs := auto.Rewritten(mask.Facts[0], mask.Dst, maskOf(c0))
			fact := auto.Must(kernel.Rewrite(cmov.Facts[0], eqs))
			neg := auto.Must(kernel.Rewrite(auto.Must(kernel.Taut(logic.And(cneg.Facts[1].Concl(), cneg.Facts[2].Concl()), cneg.Facts[1], cneg.Facts[2])), eqs))
			hyp := assume(c0)
			truth := logic.True()
			if !zero {
				hyp, truth = assume(logic.Not(c0)), logic.False()
			}
			fact = auto.Must(kernel.Rewrite(fact, auto.Rewritten(hyp, c0, truth)))
			neg = auto.Must(kernel.Rewrite(neg, auto.Rewritten(hyp, c0, truth)))
			negStep := steps["Neg"]
			if !zero {
				return auto.Lin{Th: auto.Equal(cmov.Dst, half, auto.Lin{Th: fact, L: cmov.Dst, R: cneg.Dst, By: one},
					auto.Lin{Th: neg, L: cneg.Dst, R: half, By: one}), L: cmov.Dst, R: half, By: one}
			}
			return auto.Lin{Th: auto.Congruent(cmov.Dst, half, p, auto.Lin{Th: fact, L: cmov.Dst, R: negStep.Dst, By: one},
				auto.Lin{Th: negStep.Facts[1], L: negStep.Dst, R: logic.Neg(cneg.Dst), By: one},
				auto.Lin{Th: neg, L: cneg.Dst, R: logic.Neg(half), By: logic.N(-1)}), L: cmov.Dst, R: half, By: one}
		}
		two, xx := logic.N(2), logic.Mul(x, x)
		goal := logic.Cong(logic.Mul(two, to.Dst), xx, p)
		side := func(zero bool) Theorem {
			e := moved(zero)
			// 2·Ri·half ≡ d², from the steps
			half := tr.Congruent(f, logic.Mul(two, f.Residue(e.R)), logic.Mul(d, d))
			ri := logic.IntConst(f.Ri())
			return auto.Congruent(logic.Mul(two, to.Dst), xx, p,
				auto.Lin{Th: to.Facts[0], L: to.Dst, R: from.Dst, By: two},
				auto.Lin{Th: tr.Congruent(f, from.Dst, f.Residue(cmov.Dst), cmov.Dst), L: from.Dst, R: f.Residue(cmov.Dst), By: two},
				auto.Lin{Th: e.Th, L: e.L, R: e.R, By: logic.Mul(two, ri)},
				auto.Lin{Th: half, L: logic.Mul(two, f.Residue(e.R)), R: logic.Mul(d, d), By: one},
				auto.Lin{Th: same, L: d, R: x, By: logic.Add(d, x)})
		}
		th := auto.Cases(goal, c0, side(true), side(false))
		th = auto.Must(kernel.Taut(logic.Imp(valid, goal), auto.Must(kernel.Discharge(valid, th))))
		return []Theorem{ok, bad, th}
	}
}

// TestTrace verifies a function in which all operations occur.
func TestTrace(t *testing.T) {
	for _, f := range []*Field{P256().Field, P256().Scalars} {
		c := trial(f)
		for _, k := range Keys() {
			v, err := f.Verified(k.Target, k.Variant)
			if err != nil {
				t.Fatal(err)
			}
			code, err := trialCode(k, c, v)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = machine.Verify(code.Program, NewSteps(f, code, trialProof(f))); err != nil {
				t.Errorf("%v: %v", k, err)
			}
		}
	}
}

// TestTraceRefuses: a congruence that does not follow is not proved.
func TestTraceRefuses(t *testing.T) {
	f := P256().Field
	k := Keys()[0]
	v, err := f.Verified(k.Target, k.Variant)
	if err != nil {
		t.Fatal(err)
	}
	code, err := trialCode(k, trial(f), v)
	if err != nil {
		t.Fatal(err)
	}
	finish := func(tr *Trace, view machine.View) []Theorem {
		d := tr.result("Mul", 0)
		x := tr.result("ToMont", 0)
		tr.Congruent(f, f.Residue(d), logic.Mul(logic.N(3), f.Residue(x), f.Residue(x)), x)
		return nil
	}
	_, err = machine.Verify(code.Program, NewSteps(f, code, finish))
	if err == nil || !strings.Contains(err.Error(), "doesn't follow") {
		t.Errorf("2x·x ≡ 3x²: %v", err)
	}
}
