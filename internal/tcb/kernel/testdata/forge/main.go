// Command forge tries to prove false with exported functions only, in a process where nothing has been made yet: what
// the kernel does must not depend on what the process made first. It fails if an attempt succeeds. TestForge runs it.
package main

import (
	"fmt"
	"math/big"
	"os"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// isFalse tells a theorem that has been proved and isn't true.
func isFalse(th kernel.Theorem) bool {
	if th.IsZero() {
		return false
	}
	for _, t := range append(th.Hyps(), th.Concl()) {
		if len(logic.FreeVars(t)) > 0 {
			return false // not what these attempts are about
		}
	}
	for _, h := range th.Hyps() {
		if v, err := logic.Eval(h, nil, 1000); err != nil || !v.Bool() {
			return false
		}
	}
	v, err := logic.Eval(th.Concl(), nil, 1000)
	return err == nil && !v.Bool()
}

func must(th kernel.Theorem, err error) kernel.Theorem {
	if err != nil {
		panic(err)
	}
	return th
}

var attempts = []struct {
	name string
	try  func() (kernel.Theorem, error)
}{
	// The first one comes before true exists outside of generations: a stale ⊢ true was once read as false.
	{"stale truth", func() (kernel.Theorem, error) {
		g, err := logic.NewGeneration()
		if err != nil {
			panic(err)
		}
		truth := must(kernel.Taut(logic.True()))
		g.Drop()
		return kernel.Taut(logic.False(), truth)
	}},
	{"stale constants", func() (kernel.Theorem, error) {
		g, err := logic.NewGeneration()
		if err != nil {
			panic(err)
		}
		five := logic.N(5)
		th := must(kernel.Compute(logic.Eq(five, five)))
		g.Drop()
		return kernel.Taut(logic.Eq(logic.N(5), logic.N(6)), th)
	}},
	{"stale inequality", func() (kernel.Theorem, error) { // once read as the negation of the first atom
		b := logic.Var("b", logic.Bool())
		first := must(kernel.Taut(logic.Not(logic.And(b, logic.Not(b)))))
		g, err := logic.NewGeneration()
		if err != nil {
			panic(err)
		}
		lo, _, err := kernel.UintRange(logic.Var("x", logic.BV(8)))
		must(lo, err)
		g.Drop()
		th, err := kernel.Taut(logic.Not(b), first, lo)
		if err != nil {
			return th, err
		}
		return kernel.Inst(th, map[logic.Term]logic.Term{b: logic.True()})
	}},
	{"write through Hyps", func() (kernel.Theorem, error) {
		th := must(kernel.Assume(logic.Eq(logic.Var("x", logic.Int()), logic.N(1))))
		th.Hyps()[0] = logic.True()
		return kernel.Inst(th, map[logic.Term]logic.Term{logic.Var("x", logic.Int()): logic.N(0)})
	}},
	{"write through Const", func() (kernel.Theorem, error) {
		v, _ := logic.N(1).Const()
		v.SetInt64(7)
		return kernel.Eq(logic.Sub(logic.N(1), logic.N(7)))
	}},
	{"write through Monomials", func() (kernel.Theorem, error) {
		x := logic.Var("x", logic.Int())
		t := logic.Mul(logic.N(2), x)
		for _, m := range t.Monomials() {
			m.Coef.SetInt64(3)
			m.Atoms[0] = logic.N(0)
		}
		th, err := kernel.Eq(logic.Sub(t, logic.Mul(logic.N(3), x)))
		if err != nil {
			return th, err
		}
		return kernel.Inst(th, map[logic.Term]logic.Term{x: logic.N(1)})
	}},
	{"arguments changed later", func() (kernel.Theorem, error) {
		x := logic.Var("x", logic.Int())
		d, err := logic.Define("forge.id", []logic.Term{x}, x)
		if err != nil {
			panic(err)
		}
		args := []logic.Term{logic.N(0)}
		t := d.App(args...)
		args[0] = logic.N(1)
		th := must(kernel.Unfold(t))
		c := big.NewInt(0)
		k := logic.IntConst(c)
		c.SetInt64(1)
		return kernel.Leibniz(th, t, k, must(kernel.Taut(logic.True())), logic.Eq(logic.Var("v", logic.Int()), logic.N(1)), logic.Var("v", logic.Int()))
	}},
	{"table changed later", func() (kernel.Theorem, error) {
		rows := []*big.Int{big.NewInt(1), big.NewInt(2)}
		tab, err := logic.NewTable("forge.table", 8, rows)
		if err != nil {
			panic(err)
		}
		t := logic.Lookup(tab, logic.BVUint(1, 0))
		rows[0].SetInt64(9)
		rows[1] = big.NewInt(9)
		again := logic.Lookup(tab, logic.Zext(2, logic.BVUint(1, 0)))
		if again != t {
			return kernel.Taut(logic.True())
		}
		return kernel.LowRing(t, logic.BVUint(8, 9))
	}},
	{"result of Eval changed", func() (kernel.Theorem, error) {
		v, err := logic.Eval(logic.BVConst(100, big.NewInt(3)), nil, 10)
		if err != nil {
			panic(err)
		}
		v.Big().SetInt64(4)
		return kernel.Compute(logic.Eq(logic.BVConst(100, big.NewInt(3)), logic.BVConst(100, big.NewInt(4))))
	}},
	{"widths differ", func() (kernel.Theorem, error) {
		wide := logic.BVConst(128, new(big.Int).Lsh(big.NewInt(1), 100))
		_, hi, err := kernel.UintRange(logic.BVAdd(logic.BVUint(64, 0), wide))
		return hi, err
	}},
	{"zero value", func() (kernel.Theorem, error) { return kernel.Taut(logic.False(), kernel.Theorem{}) }},
	{"composite literal", func() (kernel.Theorem, error) {
		return kernel.Rewrite(must(kernel.Taut(logic.True())), kernel.Equation{From: logic.True(), To: logic.False()})
	}},
	{"negative coefficient after the check", func() (kernel.Theorem, error) {
		c := big.NewInt(1)
		th, err := kernel.Le(logic.N(1), nil, []kernel.Product{{Coef: c}})
		c.SetInt64(-1)
		if err != nil || th.Concl() != logic.True() {
			return th, err
		}
		return kernel.Le(logic.N(-1), nil, []kernel.Product{{Coef: c}})
	}},
	{"definition of a variable's name", func() (kernel.Theorem, error) {
		x := logic.Var("x", logic.Int())
		_, err := logic.Define("forge.free", nil, x)
		if err == nil {
			return must(kernel.Assume(logic.False())), nil
		}
		return kernel.Theorem{}, err
	}},
	{"certificate changed after the check", func() (kernel.Theorem, error) {
		n := big.NewInt(7)
		steps := []kernel.PrimeStep{{N: n}}
		q, err := kernel.CheckPrime(steps...)
		if err != nil {
			panic(err)
		}
		n.SetInt64(9)
		steps[0].N = big.NewInt(15)
		if q.Term() == logic.N(7) {
			return kernel.Fermat(q, logic.N(2))
		}
		return must(kernel.Assume(logic.False())), nil
	}},
	{"prime changed through its term", func() (kernel.Theorem, error) {
		q, err := kernel.CheckPrime(kernel.PrimeStep{N: big.NewInt(1<<61 - 1), Factors: []kernel.PrimeFactor{
			{Q: big.NewInt(1321), Witness: big.NewInt(37)}, {Q: big.NewInt(331), Witness: big.NewInt(37)},
			{Q: big.NewInt(151), Witness: big.NewInt(37)}, {Q: big.NewInt(61), Witness: big.NewInt(37)},
		}})
		if err != nil {
			panic(err)
		}
		v, _ := q.Term().Const()
		v.SetInt64(9)
		return kernel.Fermat(q, logic.N(2))
	}},
	{"zero Prime", func() (kernel.Theorem, error) { return kernel.Fermat(kernel.Prime{}, logic.N(2)) }},
	{"Carmichael number", func() (kernel.Theorem, error) {
		q, err := kernel.CheckPrime(kernel.PrimeStep{N: big.NewInt(561), Factors: []kernel.PrimeFactor{
			{Q: big.NewInt(2), Witness: big.NewInt(2)}, {Q: big.NewInt(5), Witness: big.NewInt(2)}, {Q: big.NewInt(7), Witness: big.NewInt(2)},
		}})
		if err != nil {
			return kernel.Theorem{}, err
		}
		return kernel.Fermat(q, logic.N(3))
	}},
	{"power with a negative exponent", func() (kernel.Theorem, error) { // 2·2⁻¹ isn't 1
		return kernel.ExpmodStep(logic.N(2), logic.N(-1), logic.N(7), must(kernel.Taut(logic.True())))
	}},
	{"f = f + 1", func() (kernel.Theorem, error) {
		n, rec := logic.Var("n", logic.Int()), logic.Var("rec", logic.Int())
		d, err := logic.DefineRec("forge.loop", n, rec, nil, logic.N(0), logic.Add(rec, logic.N(1)))
		if err != nil {
			panic(err)
		}
		// f(0) unfolded as if it were a step
		return kernel.Eq(logic.Sub(d.App(logic.N(0)), logic.Add(d.App(logic.N(-1)), logic.N(1))),
			kernel.Multiple{Fact: must(kernel.Unfold(d.App(logic.N(0)))), By: logic.N(1)})
	}},
}

func main() {
	failed := false
	for _, a := range attempts {
		th, err := a.try()
		switch {
		case isFalse(th):
			failed = true
			fmt.Printf("%s: PROVED %v\n", a.name, th)
		case err == nil:
			fmt.Printf("%s: harmless: %v\n", a.name, th)
		default:
			fmt.Printf("%s: refused: %v\n", a.name, err)
		}
	}
	if failed {
		os.Exit(1)
	}
	fmt.Println("no attempt succeeded")
}
