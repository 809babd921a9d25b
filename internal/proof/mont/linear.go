package mont

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// linear proves Add, Sub, Neg and Half: the result (or twice it) is the wanted value, or that ± m, by the carries.
func (pr *prover) linear(g machine.Goal) []Theorem {
	p := pr.p
	m, out := pr.mTerm(), pr.out(g.View)
	A := auto.Word(pr.view.Before("a")...)
	e := engine{tele: p.tele, m: pr.m, n: pr.n, scale: 1, facts: []Theorem{assume(pr.below(A))}}
	want, times := A, logic.N(1)
	switch pr.op {
	case "Add", "Sub":
		B := auto.Word(pr.view.Before("b")...)
		e.facts = append(e.facts, assume(pr.below(B)))
		if pr.op == "Add" {
			want = logic.Add(A, B)
			e.candidates = []Term{want, logic.Sub(want, m)}
		} else {
			want = logic.Sub(A, B)
			e.candidates = []Term{want, logic.Add(want, m)}
		}
	case "Neg":
		want = logic.Neg(A)
		e.candidates = []Term{want, logic.Add(want, m), logic.N(0)}
	case "Half":
		e.scale = 2
		times = logic.N(2)
		e.candidates = []Term{A, logic.Add(A, m)}
		evenSum(p.tele, pr.view.Before("a")[0], pr.m)
	}
	x := logic.Mul(times, out)
	return e.prove(out, []Term{pr.below(out), logic.Cong(x, want, m)}, func(k kase) Theorem {
		return auto.Congruent(x, want, m, auto.Lin{Th: k.eq, L: x, R: k.x, By: logic.N(1)})
	})
}

// evenSum tells the telescope that a + m is even where a is odd: bit 0 of the sum of their low words is 0 when bit 0 of
// a is 1.
func evenSum(t *auto.Telescope, a0 Term, m *big.Int) {
	m0 := logic.BVConst(64, m)
	s := logic.BVAdd(logic.BVAdd(logic.Zext(65, a0), logic.Zext(65, m0)), logic.Zext(65, logic.BVUint(1, 0)))
	low := logic.Extract(0, 0, s)
	odd, one := logic.Extract(0, 0, a0), logic.BVUint(1, 1)
	_, yes, _ := auto.BitCases(odd)
	sum := auto.Must(kernel.LowRing(low, logic.BVAdd(odd, one)))                                          // m is odd
	th := auto.Must(kernel.RewriteTerm(logic.Uint(low), auto.Rewritten(sum, low, logic.BVAdd(odd, one)))) // uint(low) = uint(odd + 1)
	u := logic.Uint(logic.BVAdd(odd, one))
	val := auto.Must(kernel.RewriteTerm(u, yes)) // uint(odd + 1) = 0
	eq := auto.Equal(logic.Uint(low), logic.N(0), auto.Lin{Th: th, L: logic.Uint(low), R: u, By: logic.N(1)}, auto.Lin{Th: val, L: u, R: logic.N(0), By: logic.N(1)})
	t.Define(logic.Uint(low), logic.N(0), eq)
}
