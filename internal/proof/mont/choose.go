package mont

import (
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var (
	word0    = logic.BVUint(64, 0)
	wordOnes = logic.BVUint(64, 1<<64-1)
)

// maskCases proves the goal in the two cases of a mask word that is required to be 0 or all ones.
func (pr *prover) maskCases(g machine.Goal, mask Term, in func(eq kernel.Equation) Theorem) Theorem {
	zero, ones := logic.Eq(mask, word0), logic.Eq(mask, wordOnes)
	var premises []Theorem
	for _, h := range g.Hyps {
		for _, v := range logic.FreeVars(h) {
			if v == mask {
				premises = append(premises, assume(h))
				break
			}
		}
	}
	for _, c := range []kernel.Equation{auto.Rewritten(assume(zero), mask, word0), auto.Rewritten(assume(ones), mask, wordOnes)} {
		premises = append(premises, auto.Must(kernel.Discharge(c.Th.Concl(), in(c))))
	}
	return auto.Must(kernel.Taut(g.Concl, premises...))
}

// cmov proves a conditional move word by word: in each case of the mask both sides of the goal are one term.
func (pr *prover) cmov(g machine.Goal) []Theorem {
	mask := pr.view.Before("cond")[0]
	return []Theorem{pr.maskCases(g, mask, func(eq kernel.Equation) Theorem {
		return auto.Must(kernel.Taut(g.Concl, auto.Must(kernel.RewriteTerm(g.Concl, eq))))
	})}
}

// cneg proves a conditional negation: for the mask 0 the result is a, for the mask of ones −a or m − a.
func (pr *prover) cneg(g machine.Goal) []Theorem {
	mask := pr.view.Before("cond")[0]
	A, m, out := auto.Word(pr.view.Before("a")...), pr.mTerm(), pr.out(g.View)
	return []Theorem{pr.maskCases(g, mask, func(eq kernel.Equation) Theorem {
		cur := logic.Replace(out, map[Term]Term{eq.From: eq.To})
		// the goal, with the mask's value in its conditions; whatever it says of the result follows from these
		goalTh := auto.Must(kernel.RewriteTerm(g.Concl, eq))
		goal := logic.Replace(g.Concl, map[Term]Term{eq.From: eq.To})
		e := engine{tele: pr.p.tele, m: pr.m, n: pr.n, scale: 1, facts: []Theorem{assume(pr.below(A))}}
		e.candidates = []Term{A}
		target := A
		if eq.To == wordOnes {
			target = logic.Neg(A)
			e.candidates = []Term{target, logic.Add(target, m), logic.N(0)}
		}
		ths := e.cases(cur, cur, auto.True(), nil, e.facts, []Term{pr.below(cur), logic.Cong(cur, target, m)}, []func(kase) Theorem{func(k kase) Theorem {
			return auto.Congruent(cur, target, m, auto.Lin{Th: k.eq, L: cur, R: k.x, By: logic.N(1)})
		}})
		if cur == A {
			ths = append(ths, auto.True())
		}
		last := auto.Must(kernel.Taut(goal, ths...))
		return auto.Must(kernel.Taut(g.Concl, goalTh, last))
	})}
}

// scan proves a masked scan of a table. A goal index = i ⇒ r = entry becomes true when the index is set to i, since all
// masks fold to constants. The goal index ≥ 16 ⇒ r = 0 becomes true for the indices 0…15, whose premise is false, and
// for the others, for which all masks are zero.
func (pr *prover) scan(g machine.Goal) []Theorem {
	index := pr.view.Before("index")[0]
	q := g.Concl
	at := func(i int) (c Term, th Theorem) { // index = i ⊢ index = i ⇒ q
		k := logic.BVUint(64, uint64(i))
		c = logic.Eq(index, k)
		return c, auto.Must(kernel.Discharge(c, auto.Must(kernel.RewriteTerm(q, auto.Rewritten(assume(c), index, k)))))
	}
	if i, ok := premiseIndex(q, index); ok {
		_, th := at(i)
		return []Theorem{auto.Must(kernel.Taut(q, th))}
	}
	var none []kernel.Equation
	var conds []Term
	var ths []Theorem
	for i := range spec.Entries {
		c, th := at(i)
		conds, ths = append(conds, c), append(ths, th)
		not := assume(logic.Not(c))
		none = append(none, auto.Rewritten(not, c, logic.False()))
		for _, d := range comparisons(q, index, i) {
			none = append(none, differs(d, index, i, not))
		}
	}
	last := auto.Must(kernel.RewriteTerm(q, none...))
	for i, c := range conds {
		last = auto.Must(kernel.Taut(q, auto.Must(kernel.Discharge(logic.Not(c), last)), ths[i]))
	}
	return []Theorem{last}
}

// premiseIndex is the i of a goal index = i ⇒ …, which is ¬(index = i ∧ …).
func premiseIndex(q, index Term) (int, bool) {
	if q.Op() != logic.OpNot {
		return 0, false
	}
	for _, c := range q.Arg(0).Args() {
		if c.Op() == logic.OpEq && c.Arg(0) == index {
			if v, ok := c.Arg(1).Const(); ok {
				return int(v.Int64()), true
			}
		}
	}
	return 0, false
}

// comparisons finds the conditions in q by which the code compares the index with i: differences equal to zero.
func comparisons(q, index Term, i int) []Term {
	var found []Term
	seen := map[Term]bool{}
	var walk func(t Term)
	walk = func(t Term) {
		if seen[t] || t.IsClosed() {
			return
		}
		seen[t] = true
		if t.Op() == logic.OpEq && t.Arg(1) == word0 {
			if _, err := kernel.LowRing(t.Arg(0), logic.BVSub(index, logic.BVUint(64, uint64(i)))); err == nil {
				found = append(found, t)
				return
			}
			if _, err := kernel.LowRing(t.Arg(0), logic.BVSub(logic.BVUint(64, uint64(i)), index)); err == nil {
				found = append(found, t)
				return
			}
		}
		for _, a := range t.Args() {
			walk(a)
		}
		for _, m := range t.Monomials() {
			for _, a := range m.Atoms {
				if a != t {
					walk(a)
				}
			}
		}
	}
	walk(q)
	return found
}

// differs proves that a difference d = (±(index − i) = 0) is false where index ≠ i.
func differs(d, index Term, i int, not Theorem) kernel.Equation {
	c := logic.BVUint(64, uint64(i))
	x := d.Arg(0)
	// index = i + x or i − x, and x = 0 gives index = i
	back := logic.BVAdd(c, x)
	th, err := kernel.LowRing(index, back)
	if err != nil {
		back = logic.BVSub(c, x)
		th = auto.Must(kernel.LowRing(index, back))
	}
	eq := auto.Must(kernel.RewriteTerm(back, auto.Rewritten(assume(d), x, word0)))
	ic := auto.Must(kernel.Leibniz(th, back, index, eq, logic.Eq(hole, c), hole))
	no := auto.Must(kernel.Taut(logic.Not(d), auto.Must(kernel.Discharge(d, ic)), not))
	return auto.Rewritten(no, d, logic.False())
}

var hole = logic.Var("mont.hole", logic.BV(64))
