package weierstrass

import (
	"fmt"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// Scan is the program of impl.Select and its proof. The contract c is that of an internal routine with the parameters
// r (Out, size bytes), table (In, entries·size bytes) and index (In, 8 bytes), without aliases. It may ensure of each
// word of r anything that follows from what it is: with the tests index = 1, index = 2, …, index = entries, as equations
// of 64-bit words, it is the word of that entry where one of them holds, else 0.
func Scan(c machine.Contract, t machine.Target, variant string, entries, size int) (machine.Program, machine.Prover,
	error) {
	code, features, err := impl.Select(t, variant, entries, size)
	p := machine.Program{Target: t, Variant: variant, Features: features, Contract: c, Code: code}
	return p, &scanProof{entries: entries}, err
}

// scanProof proves a goal by cases on the index: each entry, and none.
type scanProof struct {
	machine.NoProof
	entries int
}

// Prove is by cases: with index = i every mask is a constant.
func (p *scanProof) Prove(g machine.Goal) (th kernel.Theorem, err error) {
	err = auto.Run(func() {
		s := newScan(g.View.Before("index")[0], p.entries)
		th = s.none(g.Concl)
		for i, is := range s.is {
			given := auto.Must(kernel.Assume(is))
			yes := s.fold(g.Concl, auto.Rewritten(given, s.index, s.number(i)))
			th = auto.Cases(g.Concl, is, yes, th)
		}
	})
	return th, err
}

// scan are facts about one index.
type scan struct {
	index logic.Term
	is    []logic.Term      // index = i + 1
	not   []kernel.Equation // by hypotheses: these are false
}

func newScan(index logic.Term, entries int) *scan {
	s := &scan{index: index}
	for i := range entries {
		is := logic.Eq(index, s.number(i))
		s.is = append(s.is, is)
		s.not = append(s.not, auto.Rewritten(auto.Must(kernel.Assume(logic.Not(is))), is, logic.False()))
	}
	return s
}

// number is the index of entry i, which is counted from 0.
func (s *scan) number(i int) logic.Term { return logic.BVUint(64, uint64(i+1)) }

// fold proves q, which the equations make true.
func (s *scan) fold(q logic.Term, eqs ...kernel.Equation) kernel.Theorem {
	th := auto.Must(kernel.RewriteTerm(q, eqs...))
	if th.Concl() != q {
		panic(fmt.Errorf("%v does not fold to true", q.Format(6)))
	}
	return th
}

// none proves q under the hypotheses that index is none of the entries' numbers. Code that compares 32-bit lanes tests
// whether the upper half of the index is 0, and if so, whether the lower half is the number.
func (s *scan) none(q logic.Term) kernel.Theorem {
	if th := auto.Must(kernel.RewriteTerm(q, s.not...)); th.Concl() == q {
		return th
	}
	upper := logic.Extract(63, 32, s.index)
	small := logic.Eq(upper, logic.BVUint(32, 0))
	no, yes := auto.Must(kernel.Assume(logic.Not(small))), auto.Must(kernel.Assume(small))
	and := func(e kernel.Equation) []kernel.Equation { return append(s.not[:len(s.not):len(s.not)], e) }
	large := s.fold(q, and(auto.Rewritten(no, small, logic.False()))...)
	step := auto.Must(kernel.RewriteTerm(q, and(auto.Rewritten(yes, small, logic.True()))...))
	rest := logic.Replace(q, s.replacing(small))
	var low []kernel.Equation
	for i := range s.is {
		low = append(low, s.lower(i, upper, yes))
	}
	return auto.Cases(q, small, auto.Must(kernel.Taut(q, step, s.fold(rest, low...))), large)
}

// replacing is what none's first step replaces.
func (s *scan) replacing(small logic.Term) map[logic.Term]logic.Term {
	m := map[logic.Term]logic.Term{small: logic.True()}
	for _, e := range s.not {
		m[e.From] = e.To
	}
	return m
}

// lower proves that the lower half of the index is not that of the number of entry i, if the upper half is 0.
func (s *scan) lower(i int, upper logic.Term, small kernel.Theorem) kernel.Equation {
	lower, number := logic.Extract(31, 0, s.index), logic.BVUint(32, uint64(i+1))
	is := logic.Eq(lower, number)
	v := logic.Fresh("half", logic.BV(32))
	whole := logic.Eq(s.index, logic.Concat(v, upper)) // for v = lower, this is true
	th := auto.Must(kernel.Leibniz(auto.Must(kernel.Assume(is)), lower, number, auto.True(), whole, v))
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(small, upper, logic.BVUint(32, 0))))
	not := auto.Must(kernel.Taut(logic.Not(is), auto.Must(kernel.Discharge(is, th)), s.not[i].Th))
	return auto.Rewritten(not, is, logic.False())
}
