package weierstrass

import (
	"fmt"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// staged is a proof by steps that also proves theorems at marks, each about the state there. They are used for what is
// required and ensured after the mark. They are closed.
type staged struct {
	*Steps
	at map[string]func(tr *Trace, v machine.View) []Theorem
}

// Mark notes an operation, or proves what is to be proved at the mark.
func (s *staged) Mark(name string, v machine.View) error {
	if err := s.Steps.Mark(name, v); err != nil {
		return err
	}
	if f := s.at[name]; f != nil {
		s.proved = append(s.proved, f(s.Trace, v)...)
	}
	return nil
}

// mask is a word that code has made of masks by Builder.all.
type mask struct {
	word Term    // its variable
	cond Term    // it is maskOf(cond), over variables
	is   Theorem // closed: that it is
}

// maskAt is the mask at p: words are the masks that it's made of, in the order of Builder.all, first the positive ones; each
// is maskOf(cond) as a fact.
func (tr *Trace) maskAt(v machine.View, p impl.Ptr, yes, no []flag) mask {
	value := v.Mem(p.Region, p.Off, 8)
	vars, inst := map[Term]Term{}, map[Term]Term{}
	var hyps, conds, all []Term
	words := append(append([]flag(nil), yes...), no...)
	var eqs []Theorem
	for i, w := range words {
		vars[tr.Value(w.word)] = w.word
		b := logic.Fresh(fmt.Sprintf("mask%d", i), logic.Bool())
		inst[b] = w.cond
		conds = append(conds, b)
		hyps = append(hyps, logic.Eq(w.word, maskOf(b)))
		if i < len(yes) {
			all = append(all, b)
		} else {
			all = append(all, logic.Not(b))
		}
	}
	over := logic.Replace(value, vars)
	goal := logic.Eq(over, maskOf(logic.And(all...)))
	for _, h := range hyps {
		eqs = append(eqs, assume(h))
	}
	var prove func(i int, known []kernel.Equation) Theorem
	prove = func(i int, known []kernel.Equation) Theorem {
		if th := rewritten(goal, known...); th.Concl() == goal {
			return th
		}
		if i == len(words) {
			panic(fmt.Errorf("%v is not proved", goal))
		}
		side := func(c Term, word Term) Theorem {
			th := auto.Must(kernel.Rewrite(eqs[i], truth(assume(c), conds[i])))
			return prove(i+1, append(known[:len(known):len(known)], truth(assume(c), conds[i]), auto.Rewritten(th, words[i].word, word)))
		}
		return auto.Cases(goal, conds[i], side(conds[i], ones64()), side(logic.Not(conds[i]), zero64()))
	}
	th := tr.Close(auto.Must(kernel.Inst(prove(0, nil), inst)))
	return mask{tr.Var(value), logic.Subst(logic.And(all...), inst), th}
}

// flag is a word that is maskOf(cond), over variables.
type flag struct{ word, cond Term }

// hyp says what the mask is, over variables.
func (m mask) hyp() Term { return logic.Eq(m.word, maskOf(m.cond)) }

// close closes a theorem that has the hypothesis hyp.
func (tr *Trace) close(th Theorem, ms ...mask) Theorem {
	th = tr.Close(th)
	for _, m := range ms {
		th = Cut(th, tr.Value(m.hyp()), m.is)
	}
	return th
}

// isCondition is that the mask is 0 or all ones, as conditional moves require. It's closed.
func (m mask) isCondition(tr *Trace) Theorem {
	goal := isCondition(m.word)
	eq := auto.Rewritten(assume(m.hyp()), m.word, maskOf(m.cond))
	return tr.close(taut(goal, rewritten(goal, eq)), m)
}

// decided is the mask's word, under cond or its negation, as a rewriting.
func (m mask) decided(yes bool) kernel.Equation {
	given, to := assume(logic.Not(m.cond)), zero64()
	if yes {
		given, to = assume(m.cond), ones64()
	}
	th := auto.Must(kernel.Rewrite(assume(m.hyp()), auto.Rewritten(given, m.cond, logic.BoolConst(yes))))
	return auto.Rewritten(th, m.word, to)
}
