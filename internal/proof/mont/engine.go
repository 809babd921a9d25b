package mont

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// engine proves what a computation without branches computes, when it selects by a carry: it splits into cases on the
// bits that steer selections and masks, and finds in each case which of the candidates the result is.
type engine struct {
	tele       *auto.Telescope
	m          *big.Int
	n          int
	scale      int64     // scale·out is one of the candidates
	candidates []Term    // over the leaves
	facts      []Theorem // inequalities that bound them
	free       bool      // the result needs no bound m−1
}

// kase is a case in which the result is known.
type kase struct {
	eq    Theorem // scale·out = x, under the hypotheses of the case
	curEq Theorem // scale·cur = x, cur being out with the bits of the case put in
	x     Term
	facts []Theorem         // inequalities of the case
	bits  []kernel.Equation // what the case says of bits
}

// prove proves the goals in each case with the given functions (and out ≤ m−1 for the first goal unless free), and puts
// the cases together.
func (e *engine) prove(out Term, goals []Term, fs ...func(kase) Theorem) []Theorem {
	return e.cases(out, out, auto.True(), nil, e.facts, goals, fs)
}

// cases proves the goals under the bits chosen so far; cur is what out has become under them, by eq: out = cur.
func (e *engine) cases(out, cur Term, eq Theorem, bits []kernel.Equation, facts []Theorem, goals []Term, fs []func(kase) Theorem) []Theorem {
	c, ok := control(cur)
	if !ok {
		return e.solve(out, cur, eq, bits, facts, goals, fs)
	}
	hyp, yes, no := auto.BitCases(c)
	branch := func(b kernel.Equation, value int64) []Theorem {
		th := auto.Must(kernel.RewriteTerm(cur, b))
		next := logic.Replace(cur, map[Term]Term{b.From: b.To})
		all := auto.Equal(out, next, auto.Lin{Th: eq, L: out, R: cur, By: logic.N(1)}, auto.Lin{Th: th, L: cur, R: next, By: logic.N(1)})
		v := auto.Value(b)
		undo := e.tele.Define(logic.Uint(c), logic.N(value), v)
		defer undo()
		fs2 := facts
		if f, ok := e.carryFact(c, value, v); ok {
			fs2 = append(facts[:len(facts):len(facts)], f)
		}
		return e.cases(out, next, all, append(bits[:len(bits):len(bits)], b), fs2, goals, fs)
	}
	y, n := branch(yes, 1), branch(no, 0)
	ths := make([]Theorem, len(goals))
	for i, g := range goals {
		ths[i] = auto.Cases(g, hyp, y[i], n[i])
	}
	return ths
}

// solve finds the candidate that the result is.
func (e *engine) solve(out, cur Term, eq Theorem, bits []kernel.Equation, facts []Theorem, goals []Term, fs []func(kase) Theorem) []Theorem {
	s := big.NewInt(e.scale)
	sc := auto.Scale(s, cur)
	var rests []Term
	for _, x := range e.candidates {
		rest, _ := e.tele.Reduce(logic.Sub(sc, x))
		if _, ok := quotient(rest, auto.Pow2(64*e.n)); !ok {
			rests = append(rests, rest)
			continue
		}
		th := absorb(e.tele, sc, x, 64*e.n, facts...)
		so := auto.Scale(s, out)
		all := auto.Equal(so, x, auto.Lin{Th: eq, L: out, R: cur, By: logic.IntConst(s)}, auto.Lin{Th: th, L: sc, R: x, By: logic.N(1)})
		k := kase{eq: all, curEq: th, x: x, facts: facts, bits: bits}
		var ths []Theorem
		if !e.free {
			ths = append(ths, e.range_(out, k))
		}
		for _, f := range fs {
			ths = append(ths, f(k))
		}
		for i, g := range goals {
			if ths[i].Concl() != g {
				panic(fmt.Errorf("proved %v instead of %v", ths[i].Concl(), g))
			}
		}
		return ths
	}
	panic(fmt.Errorf("the result is none of the candidates in the case %v: it is off by %v", bits, rests))
}

// range_ proves out ≤ m−1 from x = scale·out.
func (e *engine) range_(out Term, k kase) Theorem {
	s := big.NewInt(e.scale)
	top := new(big.Int).Mul(s, e.m)
	top.Sub(top, big.NewInt(1)) // scale·out ≤ scale·m − 1
	so := auto.Scale(s, out)
	th := auto.NonNeg(logic.Sub(logic.IntConst(top), so), k.facts, auto.Lin{Th: k.eq, L: so, R: k.x, By: logic.N(-1)})
	return auto.Cut(th, s, logic.Neg(out))
}

// control finds a bit that steers a selection or a mask in t: a BV(1) term in the condition of an ite, or below a
// bitwise operation.
func control(t Term) (Term, bool) {
	type key struct {
		t      Term
		inside bool
	}
	seen := map[key]bool{}
	var found []Term
	var walk func(t Term, inside bool)
	walk = func(t Term, inside bool) {
		if t.IsClosed() || seen[key{t, inside}] {
			return
		}
		seen[key{t, inside}] = true
		if inside && t.Width() == 1 {
			for t.Op() == logic.OpBVNot {
				t = t.Arg(0)
			}
			if t.Op() != logic.OpIte {
				found = append(found, t)
				return
			}
		}
		switch t.Op() {
		case logic.OpIte:
			walk(t.Arg(0), true)
			walk(t.Arg(1), inside)
			walk(t.Arg(2), inside)
		case logic.OpBVAnd, logic.OpBVOr, logic.OpBVXor:
			walk(t.Arg(0), true)
			walk(t.Arg(1), true)
		default:
			for _, a := range t.Args() {
				walk(a, inside)
			}
			for _, m := range t.Monomials() {
				for _, a := range m.Atoms {
					if a != t {
						walk(a, inside)
					}
				}
			}
		}
	}
	walk(t, false)
	if len(found) == 0 {
		return Term{}, false
	}
	// The lowest first: the one that doesn't depend on the others.
	best := found[0]
	for _, c := range found[1:] {
		if dependsOn(best, c) {
			best = c
		}
	}
	return best, true
}

// dependsOn tells that b is a subterm of a, other than a.
func dependsOn(a, b Term) bool {
	return a != b && logic.Replace(a, map[Term]Term{b: logic.Fresh("hole", b.Sort())}) != a
}

// carryFact turns the value of a carry out of a chain of words into an inequality: with L the low words of the chain,
// 0 ≤ L ≤ 2ᵏ−1 and L + 2ᵏ·carry = P, a polynomial in the leaves. So 0 ≤ P − 2ᵏ if the carry is 1, P ≤ 2ᵏ−1 if 0.
func (e *engine) carryFact(carry Term, value int64, v Theorem) (Theorem, bool) {
	for _, lows := range chains(carry) {
		k := 64 * len(lows)
		L := auto.Word(lows...)
		t := logic.Add(L, auto.Scale(auto.Pow2(k), logic.Uint(carry)))
		P, eqs := e.tele.Reduce(t)
		if e.hasCarry(P) {
			continue // not the chain: a carry that is a word of its own was taken for one that is passed on
		}
		// In the case at hand uint(carry) is its value, in P as well.
		eq := auto.Equal(t, P, eqs...)
		by, goal, sign := logic.Pow2(k), logic.Sub(P, logic.Pow2(k)), logic.N(-1)
		if value == 0 {
			by, goal, sign = logic.Neg(by), logic.Sub(logic.IntConst(ones(k)), P), logic.N(1)
		}
		return auto.NonNeg(goal, nil,
			auto.Lin{Th: eq, L: t, R: P, By: sign},
			auto.Lin{Th: v, L: logic.Uint(carry), R: logic.N(value), By: by}), true
	}
	return Theorem{}, false
}

// hasCarry tells that a carry is left in p.
func (e *engine) hasCarry(p Term) bool {
	for _, m := range p.Monomials() {
		for _, a := range m.Atoms {
			if x := a.Arg(0); x.Op() == logic.OpExtract && x.Lo() == 64 && x.Hi() == 64 && !e.tele.IsLeaf(x) {
				return true
			}
		}
	}
	return false
}

// chains lists the chains of additions that may end in carry, as their low words, least significant first. There are
// several when the last addition has two bits as operands: one carry, and one that is a word of its own.
func chains(carry Term) [][]Term {
	if carry.Op() != logic.OpExtract || carry.Lo() != 64 || carry.Hi() != 64 || carry.Arg(0).Op() != logic.OpBVAdd {
		return nil
	}
	s := carry.Arg(0)
	low := logic.Extract(63, 0, s)
	var before [][]Term
	var in func(t Term)
	in = func(t Term) {
		switch t.Op() {
		case logic.OpBVAdd:
			in(t.Arg(0))
			in(t.Arg(1))
		case logic.OpConcat:
			if c := t.Arg(0); t.NumArgs() == 2 && c.Width() == 1 {
				before = append(before, chains(c)...)
			}
		}
	}
	in(s)
	var all [][]Term
	for _, b := range before {
		all = append(all, append(b[:len(b):len(b)], low))
	}
	return append(all, []Term{low})
}
