package weierstrass

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func in(name string, n int) machine.Param {
	return machine.Param{Name: name, Bytes: n, Elem: 8, Mode: machine.ModeIn}
}

func out(name string, n int) machine.Param {
	return machine.Param{Name: name, Bytes: n, Elem: 8, Mode: machine.ModeOut}
}

func inOut(name string, n int) machine.Param {
	return machine.Param{Name: name, Bytes: n, Elem: 8, Mode: machine.ModeInOut}
}

func zero64() Term { return logic.BVUint(64, 0) }
func ones64() Term { return logic.BVUint(64, 1<<64-1) }

// maskOf is the word that is all ones if c holds, else 0.
func maskOf(c Term) Term { return logic.Ite(c, ones64(), zero64()) }

// maskContract: the word d is all ones if a = 0, else 0.
func maskContract(name string, n int) (machine.Contract, error) {
	return machine.Internal(machine.Func{
		Name:   name,
		Doc:    name + fmt.Sprintf(" sets the word d to all ones if the %d words a are zero, else to 0.", n),
		Params: []machine.Param{out("d", 8), in("a", 8*n)},
		Ensures: func(e machine.Env) []Term {
			return []Term{logic.Eq(e.After().Word("d", 0), maskOf(logic.Eq(e.LE("a"), logic.N(0))))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": auto.Pow2(64*n - 1)} },
	})
}

func maskProgram(c machine.Contract, t machine.Target, n int) (machine.Program, machine.Prover, error) {
	m, err := impl.NewMask(t, n)
	return machine.Program{Target: t, Contract: c, Code: m.Code}, &maskProof{code: m}, err
}

// maskProof: the code computes D = 0 − a + 2^(64n)·(a borrow). Without a borrow a ≤ 0, with one a ≥ 1.
type maskProof struct {
	machine.NoProof
	code impl.MaskCode
	at   machine.View // at the mark
}

// Mark keeps the state at the mark.
func (pr *maskProof) Mark(_ string, v machine.View) error { pr.at = v; return nil }

// Prove proves that the mask is right, with a borrow and without.
func (pr *maskProof) Prove(g machine.Goal) (Theorem, error) {
	var ws []Term
	for _, r := range pr.code.Diff {
		ws = append(ws, pr.at.Reg(r))
	}
	D, A, zero := auto.Word(ws...), auto.Word(g.View.Before("a")...), logic.N(0)
	isZero := logic.Eq(A, zero)
	c := pr.at.Flag(pr.code.Carry)
	for c.Op() == logic.OpBVNot {
		c = c.Arg(0)
	}
	hyp, yes, no := auto.BitCases(c)
	side := func(e kernel.Equation) Theorem {
		tele := auto.NewTelescope()
		v, _ := e.To.Const()
		tele.Define(logic.Uint(c), logic.IntConst(v), auto.Value(e))
		sum := logic.Add(D, A)
		total, eqs := tele.Reduce(sum) // 0 or 2^(64n)
		eq := auto.Lin{Th: auto.Equal(sum, total, eqs...), L: sum, R: total, By: logic.N(1)}
		var is kernel.Equation
		if total == zero {
			ge := auto.NonNeg(A, nil)
			eq.By = logic.N(-1)
			le := auto.NonNeg(logic.Neg(A), nil, eq)
			is = auto.Rewritten(auto.Must(kernel.Antisym(A, ge, le)), isZero, logic.True())
		} else {
			pos := auto.NonNeg(logic.Sub(A, logic.N(1)), nil, eq)
			no := auto.Must(kernel.Le(logic.N(-1), []Theorem{pos}, []kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}},
				kernel.Multiple{Fact: auto.Must(kernel.Assume(isZero)), By: logic.N(-1)}))
			if no.Concl() != logic.False() {
				panic(fmt.Errorf("1 ≤ a = 0 is no contradiction: %v", no))
			}
			is = auto.Rewritten(taut(logic.Not(isZero), implied(isZero, no)), isZero, logic.False())
		}
		return auto.Must(kernel.Taut(g.Concl, auto.Must(kernel.RewriteTerm(g.Concl, e, is))))
	}
	return auto.Cases(g.Concl, hyp, side(yes), side(no)), nil
}
