package weierstrass

import (
	"fmt"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/ecdsa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (s *Signatures) digestProgram(k Key) (machine.Program, machine.Prover, error) {
	f, err := s.c.Scalars.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewDigest(k.Target, k.Variant, s.digest.contract, f)
	return code.Program, digestProof{octets: s.c.Spec.Bytes()}, err
}

// digestProof goes through the sizes that a digest may have: for each the code gives a row of octets.
type digestProof struct {
	machine.NoProof
	octets int // as many count
}

// Prove proves the postcondition.
func (pr digestProof) Prove(g machine.Goal) (Theorem, error) {
	v := g.View
	size, bytes := v.Arg("size"), v.Before("digest")
	u := logic.Uint(size)
	le := assume(logic.Le(u, logic.N(ecdsa.DigestBytes)))
	if !slices.Contains(g.Hyps, le.Concl()) {
		return Theorem{}, fmt.Errorf("the size isn't bounded")
	}
	E := bigEndian(bytes)
	// from size = top or top < size: for each size from top on, the goal, or a greater size
	var at func(c int64, ge Theorem) Theorem
	at = func(c int64, ge Theorem) Theorem {
		n := logic.N(c)
		if c > ecdsa.DigestBytes { // 65 ≤ size ≤ 64
			return taut(g.Concl, auto.NonNeg(logic.N(-1), []Theorem{ge, le}))
		}
		is := logic.Eq(u, n)
		eq := auto.Rewritten(fromUint(assume(is), size, uint64(c)), size, logic.BVUint(64, uint64(c)))
		there := auto.Must(kernel.RewriteTerm(g.Concl, eq))
		goal := logic.Replace(g.Concl, map[Term]Term{size: eq.To})
		yes := taut(g.Concl, there, pr.row(goal, E, bytes, int(c)))
		// n ≤ size and not n = size: n + 1 ≤ size
		greater := logic.Lt(n, u)
		same := auto.Must(kernel.Antisym(logic.Sub(u, n), ge, assume(logic.Le(u, n))))
		next := taut(greater, implied(logic.Le(u, n), same), assume(logic.Not(is)))
		return auto.Cases(g.Concl, is, yes, at(c+1, next))
	}
	return at(0, auto.NonNeg(u, nil)), nil
}

// row proves, for a digest of size octets, that the number in the goal is that of the first octets of E.
func (pr digestProof) row(goal, E Term, bytes []Term, size int) Theorem {
	n := min(size, pr.octets)
	q, r := bigEndian(bytes[:n]), bigEndian(bytes[n:])
	bits := 8 * (len(bytes) - n)
	power := machine.Pow256(logic.N(int64(len(bytes) - n)))
	pow := auto.Rewritten(auto.Must(kernel.Compute(power)), power, logic.Pow2(bits))
	div, _ := divided(E, q, r, bits)
	th := auto.Must(kernel.RewriteTerm(goal, pow))
	goal2 := logic.Replace(goal, map[Term]Term{power: pow.To})
	quotient := auto.Rewritten(div, logic.Div(E, pow.To), q)
	th2 := auto.Must(kernel.RewriteTerm(goal2, quotient))
	goal3 := logic.Replace(goal2, map[Term]Term{quotient.From: q})
	// goal3 is x = q, where the words of x are made of octets
	if goal3 != logic.True() {
		x := goal3.Arg(0)
		rest, eqs := auto.NewTelescope().Reduce(x)
		if rest != logic.N(0) {
			panic(fmt.Errorf("of %d octets: %v remains", size, rest))
		}
		th2 = taut(goal2, th2, auto.Equal(x, rest, eqs...))
	}
	return taut(goal, th, th2)
}
