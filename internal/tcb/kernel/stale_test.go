package kernel_test

import (
	"fmt"
	"math/big"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// open opens a generation, which ends with the test at the latest.
func open(t *testing.T) logic.Generation {
	t.Helper()
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Drop)
	return g
}

// TestStalePremise: Taut read the conclusion 0 ≤ uint x of a theorem of a dropped generation as the negation of
// whatever atom came first, because the negation of a stale term is ill-formed and never twice the same pointer. That
// gave ⊢ ¬b for a variable b, and so ⊢ false.
func TestStalePremise(t *testing.T) {
	b := logic.Var("b", logic.Bool())
	first, err := kernel.Taut(logic.Not(logic.And(b, logic.Not(b))))
	if err != nil {
		t.Fatal(err)
	}
	g := open(t)
	lo, hi, err := kernel.UintRange(logic.Var("of a dropped generation", logic.BV(8)))
	if err != nil {
		t.Fatal(err)
	}
	g.Drop()
	for _, goal := range []logic.Term{b, logic.Not(b), logic.False(), logic.True()} {
		for _, ps := range [][]kernel.Theorem{{first, lo}, {lo, first}, {lo}, {lo, hi}, {first, hi}} {
			if th, err := kernel.Taut(goal, ps...); err == nil {
				t.Errorf("stale premises %v give %v", ps, th)
			}
		}
	}
}

// TestStaleSubstitution: a Substitution that outlives its generation makes stale terms, not well-formed terms with
// stale parts, which Taut misread in the same way.
func TestStaleSubstitution(t *testing.T) {
	bs := []logic.Term{logic.Var("b", logic.Bool()), logic.Var("c", logic.Bool()), logic.Var("d", logic.Bool())}
	g := open(t)
	x := logic.Var("of a dropped generation", logic.BV(8))
	s := logic.NewSubst(map[logic.Term]logic.Term{bs[0]: logic.Le(logic.N(77), logic.Uint(x))})
	g.Drop()
	open(t)
	young := logic.And(logic.Fresh("e", logic.Bool()), logic.Fresh("f", logic.Bool()))
	for _, c := range []logic.Term{logic.Ite(bs[0], young, bs[1]), logic.Ite(bs[1], young, bs[0]), logic.Ite(young, bs[0], bs[1]), logic.Iff(bs[0], young), logic.And(bs[0], young)} {
		if got := s.Apply(c); got.Err() == nil {
			t.Errorf("%v has stale parts and is well-formed", got)
		}
	}
}

// TestForge runs a program that tries to prove false with exported functions only, in a process of its own: this one
// has made true and other constants long before the tests, which hides attacks on the first use of something.
func TestForge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	out, err := exec.Command("go", "run", "./testdata/forge").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no attempt succeeded") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestPermanentTheorems: theorems over terms made outside a generation outlive it, even when they are proved in it.
func TestPermanentTheorems(t *testing.T) {
	x := logic.Var("x", logic.BV(8))
	lo, _, err := kernel.UintRange(x)
	if err != nil {
		t.Fatal(err)
	}
	g := open(t)
	again, _, err := kernel.UintRange(x)
	if err != nil {
		t.Fatal(err)
	}
	g.Drop()
	if again.Concl() != lo.Concl() {
		t.Fatal("not the same fact")
	}
	if _, err := kernel.Taut(lo.Concl(), again); err != nil {
		t.Error(err)
	}
}

// TestConcurrent proves and instantiates in many goroutines at once, generations coming and going: rules may refuse
// what has become stale, and never give a wrong theorem. Run it with -race.
func TestConcurrent(t *testing.T) {
	x, y := logic.Var("x", logic.BV(8)), logic.Var("y", logic.BV(8))
	n, m := logic.Var("n", logic.Int()), logic.Var("m", logic.Int())
	or, xor, err := kernel.AndOrSum(x, y)
	if err != nil {
		t.Fatal(err)
	}
	assumed, err := kernel.Assume(logic.Le(n, m))
	if err != nil {
		t.Fatal(err)
	}
	const workers, rounds = 8, 120
	var made, stale atomic.Int64
	work := func(g int) error {
		for i := range rounds {
			k := int64(g*rounds + i)
			a, b := logic.BVUint(8, uint64(k)), logic.BVAdd(x, logic.BVUint(8, uint64(i%7)))
			refused := func(err error) bool {
				if err == nil {
					made.Add(1)
					return false
				}
				if strings.Contains(err.Error(), "stale") || strings.Contains(err.Error(), "says") {
					stale.Add(1)
				}
				return true
			}
			// shared theorems, instantiated differently by each goroutine
			ths, err := kernel.InstAll([]kernel.Theorem{or, xor}, map[logic.Term]logic.Term{x: a, y: b})
			if !refused(err) {
				for j, want := range []logic.Term{
					logic.Eq(logic.Add(logic.Uint(logic.BVAnd(a, b)), logic.Uint(logic.BVOr(a, b))), logic.Add(logic.Uint(a), logic.Uint(b))),
					logic.Eq(logic.Add(logic.Uint(logic.BVXor(a, b)), logic.Mul(logic.N(2), logic.Uint(logic.BVAnd(a, b)))), logic.Add(logic.Uint(a), logic.Uint(b))),
				} {
					if ths[j].Concl() != want && ths[j].Concl().Err() == nil && want.Err() == nil {
						return fmt.Errorf("%v, want %v", ths[j], want)
					}
				}
			}
			le, err := kernel.Inst(assumed, map[logic.Term]logic.Term{n: logic.N(k), m: logic.Add(n, logic.N(k))})
			if !refused(err) && len(le.Hyps()) != 1 {
				return fmt.Errorf("%v", le)
			}
			th, err := kernel.Le(logic.Add(n, logic.N(5)), []kernel.Theorem{le}, []kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}, {Coef: big.NewInt(5)}})
			// A conclusion whose generation has been dropped is another handle than what is made now.
			if want := logic.Le(logic.N(-5), n); !refused(err) && th.Concl() != want && th.Concl().Err() == nil && want.Err() == nil {
				return fmt.Errorf("%v", th)
			}
			for _, bad := range []logic.Term{logic.False(), logic.Not(logic.Le(logic.N(0), logic.Uint(x)))} {
				if th, err := kernel.Taut(bad, append([]kernel.Theorem{or, xor}, ths...)...); err == nil {
					return fmt.Errorf("proved %v", th)
				}
			}
			if th, err := kernel.Le(logic.Sub(n, logic.N(1)), []kernel.Theorem{le}, []kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}}); err == nil {
				return fmt.Errorf("proved %v", th)
			}
		}
		return nil
	}
	var wg, churn sync.WaitGroup
	done := make(chan struct{})
	churn.Go(func() { // generations come and go
		for {
			select {
			case <-done:
				return
			default:
			}
			g, err := logic.NewGeneration()
			if err != nil {
				t.Error(err)
				return
			}
			if th, err := kernel.Taut(logic.Or(logic.Ult(x, y), logic.Not(logic.Ult(x, y)))); err != nil {
				t.Error(th, err)
			}
			g.Drop()
		}
	})
	for g := range workers {
		wg.Go(func() {
			if err := work(g); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(done)
	churn.Wait()
	if made.Load() == 0 {
		t.Error("nothing was proved")
	}
	t.Logf("%d theorems made, %d refused as stale", made.Load(), stale.Load())
}
