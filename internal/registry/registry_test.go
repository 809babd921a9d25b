package registry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// swap empties the registry for a test.
func swap(t *testing.T) {
	oldEntries, oldOperations := entries, operations
	entries, operations = nil, nil
	t.Cleanup(func() { entries, operations = oldEntries, oldOperations })
}

// copySpec is the contract of a function that copies a word.
func copySpec(t testing.TB, name string) contract.Contract {
	t.Helper()
	c, err := contract.New(contract.Func{
		Name:   name,
		Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
		Ensures: func(e contract.Env) []logic.Term {
			return []logic.Term{logic.Eq(e.After().Word("r", 0), e.Word("x", 0))}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// copyEntry is a function with a proof that needs no theorem.
func copyEntry(t testing.TB, name string) Entry {
	c := copySpec(t, name)
	return Entry{Name: name, Target: machine.ARM64, Prove: func() (machine.Verified, error) {
		return machine.Verify(machine.Program{Target: machine.ARM64, Contract: c, Code: machine.Block{
			arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"},
			arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}}}, nil)
	}}
}

func never() (machine.Verified, error) { return machine.Verified{}, errors.New("no proof") }

func names(es []Entry) (s []string) {
	for _, e := range es {
		s = append(s, e.String())
	}
	return s
}

// TestAll checks the order, which does not depend on that of Add.
func TestAll(t *testing.T) {
	list := []Entry{
		{Module: "", Name: "p192Mul", Target: machine.ARM64},
		{Module: "p256", Name: "p256Add", Target: machine.AMD64},
		{Module: "p256", Name: "p256Add", Target: machine.ARM64},
		{Module: "p256", Name: "p256Mul", Target: machine.AMD64},
		{Module: "p256", Name: "p256Mul", Target: machine.AMD64, Variant: "bmi2"},
		{Module: "p256", Name: "p256Mul", Target: machine.ARM64},
		{Module: "selftest", Name: "aSum", Target: machine.ARM64},
	}
	for range 10 {
		swap(t)
		for _, i := range rand.Perm(len(list)) {
			e := list[i]
			e.Prove = never
			Add(e)
		}
		if got := names(All()); !slices.Equal(got, names(list)) {
			t.Fatalf("All is %v, want %v", got, names(list))
		}
	}
}

func TestMatch(t *testing.T) {
	swap(t)
	for _, e := range []Entry{
		{Name: "p256Mul", Target: machine.ARM64}, {Name: "p256Mul", Target: machine.AMD64}, {Name: "p256Mul", Target: machine.AMD64, Variant: "bmi2"},
		{Name: "p256Add", Target: machine.ARM64}, {Name: "p384Mul", Target: machine.ARM64},
	} {
		e.Prove = never
		Add(e)
	}
	for _, tt := range []struct {
		pattern string
		want    string // or a part of the error
	}{
		{"", "p256Add/arm64/baseline p256Mul/amd64/baseline p256Mul/amd64/bmi2 p256Mul/arm64/baseline p384Mul/arm64/baseline"},
		{"p256Mul", "p256Mul/amd64/baseline p256Mul/amd64/bmi2 p256Mul/arm64/baseline"},
		{"p256*", "p256Add/arm64/baseline p256Mul/amd64/baseline p256Mul/amd64/bmi2 p256Mul/arm64/baseline"},
		{"*/amd64", "p256Mul/amd64/baseline p256Mul/amd64/bmi2"},
		{"*/*/bmi2", "p256Mul/amd64/bmi2"},
		{"p256Mul/amd64/baseline", "p256Mul/amd64/baseline"},
		{"p256mul", "matches nothing: it is function[/target[/variant]], with wildcards; the functions are p256Add, p256Mul, p384Mul"},
		{"p256Mul/amd64/bmi2/x", "matches nothing"},
		{"[", "syntax error in pattern"},
	} {
		es, err := Match(tt.pattern)
		got := strings.Join(names(es), " ")
		if err != nil {
			got = err.Error()
			if len(es) > 0 {
				t.Errorf("%q: entries and error %v", tt.pattern, err)
			}
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%q: %s, want %s", tt.pattern, got, tt.want)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	good := Entry{Module: "p256", Name: "p256Mul", Target: machine.ARM64, Prove: never}
	for name, change := range map[string]func(e *Entry){
		"no name":     func(e *Entry) { e.Name = "" },
		"no proof":    func(e *Entry) { e.Prove = nil },
		"wildcard":    func(e *Entry) { e.Name = "p*" },
		"slash":       func(e *Entry) { e.Variant = "a/b" },
		"module":      func(e *Entry) { e.Module = "../x" },
		"baseline":    func(e *Entry) { e.Variant = Baseline },
		"twice":       func(e *Entry) {},
		"twice (mod)": func(e *Entry) { e.Module = "p384" },
	} {
		t.Run(name, func(t *testing.T) {
			swap(t)
			if strings.HasPrefix(name, "twice") {
				Add(good)
			}
			e := good
			change(&e)
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			Add(e)
		})
	}
}

func TestOperations(t *testing.T) {
	swap(t)
	for _, n := range []string{"b", "a"} {
		AddOperation(Operation{Package: "ecdh", Name: n, Functions: []string{"p256*"}, Proved: "x"})
	}
	if ops := Operations(); len(ops) != 2 || ops[0].Name != "a" {
		t.Errorf("operations %v", ops)
	}
	defer func() {
		if recover() == nil {
			t.Error("an incomplete operation is accepted")
		}
	}()
	AddOperation(Operation{Package: "ecdh"})
}

// TestProveAll: results are in the entries' order for any number of jobs, whatever the limit on terms.
func TestProveAll(t *testing.T) {
	var es []Entry
	for i := range 9 {
		e := copyEntry(t, fmt.Sprintf("f%d", i))
		prove := e.Prove
		switch i {
		case 2:
			e.Prove = func() (machine.Verified, error) { return machine.Verified{}, errors.New("the proof fails") }
		case 4:
			e.Prove = func() (machine.Verified, error) { panic("at the disco") }
		case 5:
			e.Prove = func() (machine.Verified, error) { return machine.Verified{}, nil }
		case 6:
			e.Name = "other"
		case 7:
			e.Prove = func() (machine.Verified, error) { time.Sleep(20 * time.Millisecond); return prove() }
		}
		es = append(es, e)
	}
	wantErr := map[int]string{2: "f2/arm64/baseline: the proof fails", 4: "the proof panics: at the disco", 5: "zero Verified", 6: "the proof is of f6"}
	for _, jobs := range []int{0, 1, 2, 3, 20} {
		for _, terms := range []int{0, maxTerms} {
			starts, ends := 0, 0
			rs, err := proveAll(es, max(jobs, 1), terms, func(ev Event) {
				if ev.Result == nil {
					starts++
				} else {
					ends++
				}
				if ev.Done != ends || ev.Total != len(es) {
					t.Errorf("event %+v after %d results", ev, ends)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if starts != len(es) || ends != len(es) {
				t.Errorf("%d starts, %d ends", starts, ends)
			}
			for i, r := range rs {
				if r.Entry.String() != es[i].String() {
					t.Errorf("result %d is of %v", i, r.Entry)
				}
				if want := wantErr[i]; want != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), want)) {
					t.Errorf("result %d: error %v, want %q", i, r.Err, want)
				} else if want == "" && r.Err != nil {
					t.Errorf("result %d: %v", i, r.Err)
				}
				if r.Verified.IsZero() != (r.Err != nil) {
					t.Errorf("result %d: both a Verified and an error, or none", i)
				}
				if (r.Inferences < 0) != (jobs > 1) {
					t.Errorf("result %d of %d jobs: %d inferences", i, jobs, r.Inferences)
				}
			}
		}
	}
}

// TestGenerations: terms are dropped between batches; contracts made before and Verifieds survive.
func TestGenerations(t *testing.T) {
	var kept []logic.Term
	var running, most atomic.Int64
	big := func(name string) Entry {
		e := copyEntry(t, name)
		prove := e.Prove
		e.Prove = func() (machine.Verified, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			x := logic.Var("x", logic.BV(64))
			for i := range 1000 {
				x = logic.BVAdd(logic.BVMul(x, x), logic.BVUint(64, uint64(i)))
			}
			kept = append(kept, x)
			runtime.Gosched()
			return prove()
		}
		return e
	}
	es := []Entry{big("a"), big("b"), big("c"), big("d")}
	before := logic.NumTerms()
	rs, err := proveAll(es, 1, 1500, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rs {
		if r.Err != nil {
			t.Error(r.Err)
		}
		if kept[i].Err() == nil {
			t.Errorf("the terms of %v are still there", r.Entry)
		}
		if len(r.Verified.Functions()) != 1 || r.Verified.Contract().Patterns()[0].Ensures()[0].Err() != nil {
			t.Errorf("%v: the Verified is of no use", r.Entry)
		}
	}
	if n := logic.NumTerms() - before; n > 100 {
		t.Errorf("%d terms are left", n)
	}
	if most.Load() != 1 {
		t.Errorf("%d proofs at a time with one job", most.Load())
	}
	// While somebody else has a generation open, it is refused.
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Drop()
	if _, err := ProveAll(es, 1, nil); err == nil {
		t.Error("two generations at a time")
	}
}

func TestModules(t *testing.T) {
	e := func(module, name string, prove func() (machine.Verified, error)) Entry {
		x := copyEntry(t, name)
		x.Module = module
		if prove != nil {
			x.Prove = prove
		}
		return x
	}
	rs, err := ProveAll([]Entry{e("", "a", nil), e("m", "mA", nil), e("m", "mB", nil), e("n", "nA", nil), e("n", "nB", never)}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	names, verified := Modules(rs)
	if !slices.Equal(names, []string{"m"}) || len(verified) != 1 || len(verified["m"]) != 2 {
		t.Errorf("modules %v, %v", names, verified)
	}
}
