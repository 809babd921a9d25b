// Package selftest proves the functions of spec/selftest on each target. The proofs are written out, where a real
// function would use more of package auto, and show a proof of every kind of obligation.
package selftest

import (
	"fmt"
	"math/big"
	"slices"

	impl "verum.example/internal/impl/selftest"
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/selftest"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

type (
	// Term and Theorem are abbreviations.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

// Names lists the functions that Verify knows.
func Names() []string { return []string{"Sum", "Scan", "Put", "Choose", "Collatz", "Triple"} }

// Verify proves a function on a target.
func Verify(name string, t machine.Target) (machine.Verified, error) {
	p, pr, err := Program(name, t)
	if err != nil {
		return machine.Verified{}, err
	}
	return machine.Verify(p, pr)
}

// Program is what Verify verifies: the code and its proof.
func Program(name string, t machine.Target) (machine.Program, machine.Prover, error) {
	g, ok := impl.For(t)
	if !ok {
		return machine.Program{}, nil, fmt.Errorf("selftest: no code for %v", t)
	}
	f, ok := functions[name]
	if !ok {
		return machine.Program{}, nil, fmt.Errorf("selftest: no function %s", name)
	}
	add, err := Add(t)
	if err != nil {
		return machine.Program{}, nil, err
	}
	p := f.code(g, add)
	return complete(t, f.contract, p), f.proof(p), nil
}

// functions are what Verify puts together, by name.
var functions = map[string]struct {
	contract machine.Contract
	code     func(g impl.Generator, add machine.Verified) impl.Program
	proof    func(impl.Program) machine.Prover
}{
	"Sum": {spec.Sum, func(g impl.Generator, _ machine.Verified) impl.Program { return g.Sum() },
		func(p impl.Program) machine.Prover { return &sumProof{p: p} }},
	"Scan": {spec.Scan, func(g impl.Generator, _ machine.Verified) impl.Program { return g.Scan(spec.Squares()) },
		func(impl.Program) machine.Prover { return scanProof{} }},
	"Put": {spec.Put, func(g impl.Generator, _ machine.Verified) impl.Program { return g.Put() },
		func(impl.Program) machine.Prover { return putProof{} }},
	"Choose": {spec.Choose, func(g impl.Generator, add machine.Verified) impl.Program { return g.Choose(add) },
		func(impl.Program) machine.Prover { return chooseProof{} }},
	"Collatz": {spec.Collatz, func(g impl.Generator, _ machine.Verified) impl.Program { return g.Collatz() },
		func(impl.Program) machine.Prover { return collatzProof{} }},
	"Triple": {spec.Triple, func(g impl.Generator, add machine.Verified) impl.Program { return g.Triple(add) },
		func(impl.Program) machine.Prover { return tripleProof{} }},
}

// complete is what the generator made, with target and contract.
func complete(t machine.Target, c machine.Contract, p impl.Program) machine.Program {
	return machine.Program{Target: t, Contract: c, Frame: p.Frame, Tables: p.Tables, Code: p.Code}
}

// Add proves the routine r = a + b, which Choose and Triple call. Its contract is internal to the proofs.
func Add(t machine.Target) (machine.Verified, error) {
	g, ok := impl.For(t)
	if !ok {
		return machine.Verified{}, fmt.Errorf("selftest: no code for %v", t)
	}
	c, err := machine.Internal(machine.Func{
		Name: "add64",
		Doc:  "add64 sets r = a + b modulo 2⁶⁴.",
		Params: []machine.Param{
			{Name: "r", Bytes: 8, Elem: 8, Mode: machine.ModeOut},
			{Name: "a", Bytes: 8, Elem: 8, Mode: machine.ModeIn},
			{Name: "b", Bytes: 8, Elem: 8, Mode: machine.ModeIn},
		},
		Alias: [][]string{{"r", "a"}, {"r", "a", "b"}},
		Ensures: func(e machine.Env) []Term {
			return []Term{logic.Cong(e.After().LE("r"), logic.Add(e.LE("a"), e.LE("b")), m64)}
		},
	})
	if err != nil {
		return machine.Verified{}, err
	}
	return machine.Verify(complete(t, c, g.Add()), addProof{})
}

var (
	m64  = logic.Pow2(64)
	zero = logic.BVUint(64, 0)
	n1   = logic.N(1)
)

func assume(t Term) Theorem { return auto.Must(kernel.Assume(t)) }

// lowEqual proves a = b as polynomials modulo 2⁶⁴, as a rewriting of a to b.
func lowEqual(a, b Term) kernel.Equation {
	return auto.Rewritten(auto.Must(kernel.LowRing(a, b)), a, b)
}

// addProof: the low word of the sum is congruent to the sum.
type addProof struct{ machine.NoProof }

func (addProof) Prove(g machine.Goal) (Theorem, error) {
	a, b := g.View.Before("a")[0], g.View.Before("b")[0]
	r, sum := g.View.Mem("r", 0, 8), logic.BVAdd(a, b)
	th := auto.Must(kernel.UintMod(sum))
	return kernel.Rewrite(th, lowEqual(sum, r))
}

// tripleProof adds up what the two calls ensure.
type tripleProof struct{ machine.NoProof }

func (tripleProof) Prove(g machine.Goal) (Theorem, error) {
	var facts []kernel.Multiple
	for _, h := range g.Hyps {
		if h.Op() == logic.OpDvd {
			facts = append(facts, kernel.Multiple{Fact: assume(h), By: n1})
		}
	}
	// the facts are ±(t − 2x) and ±(r − t − x), with the signs that the constructor gave them
	for i := range 4 {
		fs := slices.Clone(facts)
		for j := range fs {
			fs[j].By = logic.N(int64(1 - 2*(i>>j&1)))
		}
		for _, p := range []Term{g.Concl.Arg(0), logic.Neg(g.Concl.Arg(0))} {
			if th, err := kernel.Cong(p, m64, Term{}, fs...); err == nil && th.Concl() == g.Concl {
				return th, nil
			}
		}
	}
	return Theorem{}, fmt.Errorf("the facts don't add up to %v", g.Concl)
}

// chooseProof: a fact of the branch taken holds under its condition.
type chooseProof struct{ machine.NoProof }

func (chooseProof) Prove(g machine.Goal) (Theorem, error) {
	no := logic.Eq(g.View.Arg("c"), zero)
	r := g.View.Mem("r", 0, 8)
	var branch Theorem // c ≠ 0 ⇒ r' ≡ x + x, r' being what the call returned
	for _, h := range g.Hyps {
		if h.Op() == logic.OpNot && h.Arg(0).Op() == logic.OpAnd {
			branch = assume(h)
		}
	}
	if g.Name == "ensures 0" { // c = 0: r folds to 0
		eq := auto.Rewritten(assume(no), no, logic.True())
		zeroed := auto.Must(kernel.RewriteTerm(logic.Uint(r), eq))
		return kernel.Taut(g.Concl, auto.Must(kernel.Discharge(no, zeroed)))
	}
	yes := logic.Not(no)
	called := r.Arg(1)
	if r.Arg(0) == no {
		called = r.Arg(2)
	}
	same := auto.Must(kernel.RewriteTerm(logic.Uint(r), auto.Rewritten(assume(yes), no, logic.False()))) // = uint(r')
	sum := logic.Cong(logic.Uint(called), logic.Mul(logic.N(2), logic.Uint(g.View.Before("x")[0])), m64)
	th := auto.Must(kernel.Taut(sum, branch, assume(yes)))
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(same, logic.Uint(called), logic.Uint(r))))
	return kernel.Taut(g.Concl, auto.Must(kernel.Discharge(yes, th)))
}

// scanProof: under each i = j the masks fold, and under none of them the sum of masked entries is 0.
type scanProof struct{ machine.NoProof }

func (scanProof) Prove(g machine.Goal) (Theorem, error) {
	i := g.View.Before("i")[0]
	var none []kernel.Equation
	var cases []Theorem
	for j := range spec.Squares() {
		cj := logic.BVUint(64, uint64(j))
		is := logic.Eq(i, cj)
		// The masks test i − j = 0, where i − j is a subtraction with borrow.
		th, err := kernel.RewriteTerm(g.Concl, auto.Rewritten(assume(is), i, cj))
		if err != nil {
			return th, err
		}
		cases = append(cases, auto.Must(kernel.Discharge(is, auto.Must(kernel.Taut(g.Concl, th)))))
		none = append(none, auto.Rewritten(assume(logic.Not(is)), is, logic.False()))
	}
	// i ≠ j makes i − j ≠ 0
	for _, d := range differences(g.Concl) {
		for j := range spec.Squares() {
			cj := logic.BVUint(64, uint64(j))
			is := logic.Eq(i, cj)
			back, err := kernel.LowRing(logic.BVAdd(d, cj), i)
			if err != nil || logic.Eq(d, zero) == is {
				continue
			}
			// d = 0 gives i = 0 + j
			dz := logic.Eq(d, zero)
			th := auto.Must(kernel.Rewrite(back, auto.Rewritten(assume(dz), d, zero)))
			th = auto.Must(kernel.Taut(logic.Not(dz), auto.Must(kernel.Discharge(dz, th)), assume(logic.Not(is))))
			none = append(none, auto.Rewritten(th, dz, logic.False()))
		}
	}
	th, err := kernel.RewriteTerm(g.Concl, none...)
	if err != nil {
		return th, err
	}
	rest := auto.Must(kernel.Taut(g.Concl, th))
	for j := range cases {
		is := logic.Eq(i, logic.BVUint(64, uint64(j)))
		rest = auto.Must(kernel.Taut(g.Concl, cases[j], auto.Must(kernel.Discharge(logic.Not(is), rest))))
	}
	return rest, nil
}

// differences lists the terms d of t's subterms d = 0.
func differences(t Term) (ds []Term) {
	seen := map[Term]bool{}
	var walk func(t Term)
	walk = func(t Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.Args() {
			walk(a)
		}
		if t.Op() == logic.OpEq {
			for k := range 2 {
				if t.Arg(k) == zero {
					ds = append(ds, t.Arg(1-k))
				}
			}
		}
	}
	walk(t)
	return ds
}

// putProof: the offset is 8·uint(i); what is stored is what the contract says, term for term.
type putProof struct{ machine.NoProof }

func (putProof) Index(a machine.Access) (machine.Index, error) {
	return machine.Index{M: logic.Uint(a.View.Arg("i")), Scale: 8, Count: 8}, nil
}

func (putProof) Prove(g machine.Goal) (Theorem, error) {
	i := g.View.Arg("i")
	below := assume(logic.Lt(logic.Uint(i), logic.N(8)))
	switch g.Name {
	case "offset is the index":
		off := g.Concl.Arg(0)
		return exact8(offset(off), below), nil
	case "index is natural":
		lo, _ := auto.Range(i)
		return lo, nil
	case "index is in range":
		return below, nil
	}
	// i = j as numbers and as words
	var eqs []kernel.Equation
	for j := range 8 {
		bv, num := logic.Eq(i, logic.BVUint(64, uint64(j))), logic.Eq(logic.Uint(i), logic.N(int64(j)))
		eqs = append(eqs, auto.Rewritten(sameEquation(i, uint64(j)), bv, num))
	}
	th, err := kernel.RewriteTerm(g.Concl, eqs...)
	if err != nil {
		return th, err
	}
	return kernel.Taut(g.Concl, th)
}

// offset finds the bit-vector in uint(off) − 8·uint(i), or its negation.
func offset(p Term) Term {
	for _, m := range p.Monomials() {
		if len(m.Atoms) == 1 && m.Coef.CmpAbs(big.NewInt(1)) == 0 && m.Atoms[0].Op() == logic.OpUint {
			return m.Atoms[0].Arg(0)
		}
	}
	return Term{}
}

// exact8 proves uint(off) = 8·uint(i) from facts that bound i.
func exact8(off Term, facts ...Theorem) Theorem {
	v := kernel.Polynomial(off)
	lo := auto.NonNeg(v, nil)
	top := new(big.Int).Sub(auto.Pow2(64), big.NewInt(1))
	var scaled []Theorem // 8 times each fact
	for _, f := range facts {
		scaled = append(scaled, auto.Must(kernel.Le(logic.Mul(logic.N(8), f.Concl().Arg(0)), []Theorem{f}, []kernel.Product{{Coef: big.NewInt(8), Factors: []int{0}}})))
	}
	hi := auto.NonNeg(logic.Sub(logic.IntConst(top), v), scaled)
	return auto.Must(kernel.UintExact(off, lo, hi))
}

// sameEquation proves (x = c) = (uint x = c).
func sameEquation(x Term, c uint64) Theorem {
	cb := logic.BVUint(64, c)
	bv, num := logic.Eq(x, cb), logic.Eq(logic.Uint(x), logic.Uint(cb))
	to := auto.Must(kernel.RewriteTerm(logic.Uint(x), auto.Rewritten(assume(bv), x, cb)))
	to = auto.Must(kernel.Discharge(bv, to))
	from := auto.Must(kernel.Discharge(num, injective(x, cb, assume(num))))
	return auto.Must(kernel.Taut(logic.Iff(bv, num), to, from))
}

// injective proves a = b from uint a = uint b: both are bv(uint(·)).
func injective(a, b Term, eq Theorem) Theorem {
	v := logic.Fresh("v", logic.Int())
	return auto.Must(kernel.Leibniz(eq, logic.Uint(a), logic.Uint(b), auto.True(), logic.Eq(a, logic.ToBV(64, v)), v))
}

// collatzProof explains the branch by the declared leak.
type collatzProof struct{ machine.NoProof }

// Leak: the branch depends on whether the leak is 0.
func (collatzProof) Leak(q machine.LeakQuery) (Term, []Term, error) {
	y := logic.Fresh("y", logic.Int())
	return logic.Eq(y, logic.N(0)), []Term{y}, nil
}

func (collatzProof) Prove(g machine.Goal) (Theorem, error) {
	x := g.View.Before("x")[0]
	odd := logic.Extract(0, 0, x)
	hyp, yes, no := auto.BitCases(odd)
	eqs := func(e kernel.Equation) []kernel.Equation { return []kernel.Equation{e} }
	if g.Name == "branch condition by the leaks" {
		// x mod 2 is the value of the low bit
		ext := auto.Must(kernel.UintExt(x, 0, 0))
		value := func(e kernel.Equation) []kernel.Equation {
			th := auto.Must(kernel.Rewrite(ext, auto.Rewritten(auto.Value(e), logic.Uint(odd), logic.Uint(e.To))))
			return []kernel.Equation{e, auto.Rewritten(th, logic.Mod(logic.Uint(x), logic.N(2)), logic.Uint(e.To))}
		}
		return byCases(g.Concl, hyp, value(yes), value(no))
	}
	// 3x+1 as the code computes it
	three := logic.BVAdd(logic.BVMul(logic.BVUint(64, 3), x), logic.BVUint(64, 1))
	r := g.View.Mem("r", 0, 8)
	var lin []kernel.Equation
	for _, b := range []Term{r.Arg(1), r.Arg(2)} {
		if th, err := kernel.LowRing(b, three); err == nil && b != three {
			lin = append(lin, auto.Rewritten(th, b, three))
		}
	}
	return byCases(g.Concl, hyp, append(eqs(yes), lin...), append(eqs(no), lin...))
}

// byCases proves q by rewriting under c and under ¬c.
func byCases(q, c Term, yes, no []kernel.Equation) (Theorem, error) {
	side := func(eqs []kernel.Equation) Theorem {
		th := auto.Must(kernel.RewriteTerm(q, eqs...))
		return auto.Must(kernel.Taut(q, th))
	}
	return auto.Cases(q, c, side(yes), side(no)), nil
}
