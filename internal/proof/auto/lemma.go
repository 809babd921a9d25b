package auto

import (
	"math/big"
	"slices"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

func sortTerms(ts []Term) { slices.SortFunc(ts, logic.Compare) }

// complementVar is the variable of the lemma complement(n).
func complementVar(n int) Term { return logic.Var("complement.x", logic.BV(n)) }

// complement is the lemma ⊢ uint(¬x) = 2ⁿ−1 − uint(x): both sides are congruent modulo 2ⁿ and in 0…2ⁿ−1.
func complement(n int) Theorem {
	x := complementVar(n)
	u, v := logic.Uint(logic.BVNot(x)), logic.Sub(logic.IntConst(new(big.Int).Sub(Pow2(n), one)), logic.Uint(x))
	m := logic.Pow2(n)
	cong := Congruent(u, v, m, congruence(logic.BVNot(x)))
	p := cong.Concl().Arg(0)
	k := logic.Div(p, m)
	a, b := u, v
	if p != logic.Sub(u, v) {
		a, b = v, u
	}
	eq := Equal(a, logic.Add(b, logic.Mul(m, k)), Lin{Must(kernel.DvdElim(cong)), p, logic.Mul(m, k), logic.N(1)})
	th, _ := Absorb(a, b, k, n, eq)
	return th
}

// congruence is UintMod of x as an equation modulo 2ⁿ.
func congruence(x Term) Lin {
	return Lin{Must(kernel.UintMod(x)), logic.Uint(x), kernel.Polynomial(x), logic.N(1)}
}

// BitCases are the theorems c = 1 ⊢ c = 1 and c ≠ 1 ⊢ c = 0 for a bit c, as rewritings, with the hypothesis c = 1.
func BitCases(c Term) (hyp Term, yes, no kernel.Equation) {
	b1, b0 := logic.BVUint(1, 1), logic.BVUint(1, 0)
	hyp = logic.Eq(c, b1)
	yes = Rewritten(Must(kernel.Assume(hyp)), c, b1)
	no = Rewritten(Must(kernel.Assume(logic.Not(hyp))), c, b0) // logic.Eq(c, 0) is Not(c = 1)
	return hyp, yes, no
}

// Value proves uint(x) = c from x = c.
func Value(eq kernel.Equation) Theorem {
	return Must(kernel.RewriteTerm(logic.Uint(eq.From), eq))
}
