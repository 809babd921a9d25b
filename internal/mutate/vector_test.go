package mutate

import (
	"math/big"
	"testing"
	"time"

	"verum.example/internal/proof/weierstrass"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// pickEntry sets r to an entry of 64 bytes of a table of four, with vector registers.
func pickEntry(t testing.TB, target machine.Target, variant string) Function {
	t.Helper()
	c, err := contract.New(contract.Func{
		Name: "pick", Params: []contract.Param{contract.Out("r", 64), contract.In("table", 256), contract.In("index", 8)},
		Ensures: func(e contract.Env) (ts []logic.Term) {
			for j := range 8 {
				v := logic.BVUint(64, 0)
				for i := 3; i >= 0; i-- {
					v = logic.Ite(logic.Eq(e.Word("index", 0), logic.BVUint(64, uint64(i+1))), e.Word("table", 8*i+j), v)
				}
				ts = append(ts, logic.Eq(e.After().Word("r", j), v))
			}
			return ts
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"index": big.NewInt(2), "table": new(big.Int).Lsh(big.NewInt(7), 600)}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Function{"pick/" + target.String() + variant, func() (machine.Program, machine.Prover, error) {
		p, pr, err := weierstrass.Scan(c, target, variant, 4, 64)
		var load machine.Block
		for i, name := range []string{"r", "table", "index"} {
			r, _ := target.ParamReg(i)
			load = append(load, map[machine.Target]isa.Instr{
				machine.ARM64: arm64.LoadArg{D: r, Name: name}, machine.AMD64: amd64.LoadArg{D: r, Name: name}}[target])
		}
		p.Code = machine.Seq{load, p.Code}
		return p, pr, err
	}}
}

// TestVectors: mutants of code with vector registers are of many kinds, run as in machine.Run, and are refused or right.
func TestVectors(t *testing.T) {
	var fs []Function
	for _, k := range []struct {
		t       machine.Target
		variant string
	}{{machine.ARM64, ""}, {machine.AMD64, ""}, {machine.AMD64, "bmi2"}} {
		fs = append(fs, pickEntry(t, k.t, k.variant))
	}
	rep, err := Run(fs, Options{N: 450, Seed: 7, Jobs: 2, States: 200, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	refused, accepted := map[string]int{}, map[string]int{}
	kinds := map[Kind]int{}
	for _, r := range rep.Results {
		switch r.Outcome {
		case Refused:
			refused[r.Function]++
		case Accepted:
			accepted[r.Function]++
		default:
			t.Error(r)
		}
		kinds[r.Mutant.Kind]++
	}
	for _, f := range fs {
		if refused[f.Name] < 100 {
			t.Errorf("%s: %d mutants refused, %d accepted", f.Name, refused[f.Name], accepted[f.Name])
		}
	}
	for _, k := range []Kind{Operand, OperandOrder, Opcode, Immediate, Offset, Deletion} {
		if kinds[k] == 0 {
			t.Errorf("no mutant of kind %v", k)
		}
	}
	t.Logf("refused %v, accepted %v", refused, accepted)
}
