package emit_test

import (
	"strings"
	"testing"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// fetcher calls a routine of the given name that fetches word 1 of its table t.
func fetcher(t *testing.T, c machine.Contract, routine string, word uint64, table machine.Table) machine.Verified {
	t.Helper()
	rc, err := machine.Internal(machine.Func{
		Name:   routine,
		Params: []machine.Param{{Name: "r", Bytes: 8, Elem: 8, Mode: machine.ModeOut}},
		Ensures: func(e machine.Env) []logic.Term {
			return []logic.Term{logic.Eq(e.After().Word("r", 0), logic.BVUint(64, word))}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := verify(t, program(machine.AMD64, rc, machine.Block{
		amd64.TableAddr{D: amd64.SI, Name: "t"},
		amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI, Disp: 8}},
		amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX},
	}, table))
	return verify(t, program(machine.AMD64, c, machine.Seq{
		machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}},
		machine.Call{Site: "a", To: r},
	}))
}

// TestRoutineTables: a routine refers to the tables that it was verified with. When two functions have routines of one
// name, with the same instructions but other tables, one text cannot stand for both.
func TestRoutineTables(t *testing.T) {
	one, two := words("t", 7, 0x1111), words("t", 8, 0x2222)
	_, err := emit.Module("demo", []machine.Verified{fetcher(t, oneSpec, "fetch", 0x1111, one), fetcher(t, twoSpec, "fetch", 0x2222, two)})
	if err == nil || !strings.Contains(err.Error(), "two different routines have the name fetch") {
		t.Errorf("routines of one name with different tables: %v", err)
	}

	o, err := emit.Module("demo", []machine.Verified{
		fetcher(t, oneSpec, "fetch", 0x1111, one), fetcher(t, twoSpec, "fetchTwo", 0x2222, two), fetcher(t, threeSpec, "fetch", 0x1111, one)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"fetch": "demoOne_t", "fetchTwo": "demoTwo_t"}
	for _, f := range o.Functions {
		for _, l := range f.Func.Lines {
			if in, ok := l.Instr.(amd64.TableAddr); ok {
				if in.Name != want[f.Func.Name] {
					t.Errorf("%s refers to %s", f.Func.Name, in.Name)
				}
				delete(want, f.Func.Name)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no reference to a table in %v", want)
	}
}
