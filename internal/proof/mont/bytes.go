package mont

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// toBytes proves an equation between words and bytes by binary notation.
func (pr *prover) toBytes(g machine.Goal) []Theorem {
	if g.Concl.Op() != logic.OpEq0 {
		return nil
	}
	t := g.Concl.Arg(0)
	rest, eqs := pr.p.tele.Reduce(t)
	if rest != logic.N(0) {
		return nil
	}
	return []Theorem{auto.Equal(t, rest, eqs...)}
}

// fromBytes proves that the words are the number that the bytes are if that is below m, else zero: the two cases of the
// trial subtraction's borrow. The goals are about the result, the number, and ok, whose value each case gives.
func (pr *prover) fromBytes(g machine.Goal) []Theorem {
	bytes := pr.view.Before("b")
	value := logic.N(0) // big-endian
	for i, b := range bytes {
		value = logic.Add(value, auto.Scale(auto.Pow2(8*(len(bytes)-1-i)), logic.Uint(b)))
	}
	e := engine{tele: pr.p.tele, m: pr.m, n: pr.n, scale: 1, free: true, candidates: []Term{value, logic.N(0)}}
	return e.prove(pr.out(g.View), []Term{g.Concl}, func(k kase) Theorem {
		var steps []Theorem
		goal := g.Concl
		for _, b := range k.bits {
			steps = append(steps, auto.Must(kernel.RewriteTerm(goal, b)))
			goal = logic.Replace(goal, map[Term]Term{b.From: b.To})
		}
		last := auto.Must(kernel.Taut(goal, append(k.facts[:len(k.facts):len(k.facts)], k.curEq)...))
		return auto.Must(kernel.Taut(g.Concl, append(steps, last)...))
	})
}
