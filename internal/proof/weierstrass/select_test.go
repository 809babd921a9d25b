package weierstrass

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var scanKeys = []struct {
	t       machine.Target
	variant string
}{{machine.ARM64, ""}, {machine.AMD64, ""}, {machine.AMD64, "bmi2"}}

// scanFunc is a contract for Scan, as a chain of choices or, with cases, as an implication for each entry.
func scanFunc(entries, size int, cases bool) machine.Func {
	word := func(e machine.Env, i, j int) logic.Term { return e.Word("table", i*size/8+j) }
	number := func(i int) logic.Term { return logic.BVUint(64, uint64(i+1)) }
	return machine.Func{
		Name: "scan",
		Params: []machine.Param{
			{Name: "r", Bytes: size, Elem: 8, Mode: machine.ModeOut},
			{Name: "table", Bytes: entries * size, Elem: 8, Mode: machine.ModeIn},
			{Name: "index", Bytes: 8, Elem: 8, Mode: machine.ModeIn},
		},
		Ensures: func(e machine.Env) (ts []logic.Term) {
			index := e.Word("index", 0)
			for j := range size / 8 {
				r, v := e.After().Word("r", j), logic.BVUint(64, 0)
				for i := entries - 1; i >= 0; i-- {
					is := logic.Eq(index, number(i))
					v = logic.Ite(is, word(e, i, j), v)
					if cases {
						ts = append(ts, logic.Imp(is, logic.Eq(r, word(e, i, j))))
					}
				}
				if !cases {
					ts = append(ts, logic.Eq(r, v))
				}
			}
			return ts
		},
		Witness: func() map[string]*big.Int {
			b := make([]byte, size*entries)
			for i := range b {
				b[i] = byte(i%251 + 1) // entries differ
			}
			return map[string]*big.Int{"table": new(big.Int).SetBytes(b), "index": big.NewInt(2)}
		},
	}
}

func scanContract(t *testing.T, entries, size int, cases bool) machine.Contract {
	t.Helper()
	c, err := machine.Internal(scanFunc(entries, size, cases))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dropped opens a generation of terms that ends with the test.
func dropped(t *testing.T) {
	t.Helper()
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Drop)
}

// TestScan: the selection is verified for tables of all the curves' sizes, odd numbers of words included, and picks the
// entry when it is run.
func TestScan(t *testing.T) {
	for _, size := range []struct{ entries, bytes int }{
		{16, 160}, {32, 64}, // P-256: cached points, affine points
		{16, 240}, {32, 96}, // P-384
		{16, 360}, {32, 144}, // P-521
		{1, 32}, {3, 40}, {7, 56},
	} {
		for _, k := range scanKeys {
			t.Run(fmt.Sprintf("%d×%d/%v%s", size.entries, size.bytes, k.t, k.variant), func(t *testing.T) {
				dropped(t)
				c := scanContract(t, size.entries, size.bytes, false)
				p, pr, err := Scan(c, k.t, k.variant, size.entries, size.bytes)
				if err != nil {
					t.Fatal(err)
				}
				v, err := machine.Verify(p, pr)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", v.Stats())
				rng := rand.New(rand.NewPCG(1, 2))
				table := make([]byte, size.entries*size.bytes)
				for i := range table {
					table[i] = byte(rng.Uint32())
				}
				n := uint64(size.entries)
				for _, index := range []uint64{0, 1, 2, n - 1, n, n + 1, 1 << 32, 1<<32 + 1, 1 << 63, ^uint64(0)} {
					want := make([]byte, size.bytes)
					if 1 <= index && index <= n {
						want = table[int(index-1)*size.bytes:][:size.bytes]
					}
					out, err := v.Run(machine.Input{Mem: map[string][]byte{"table": table, "index": binary.LittleEndian.AppendUint64(nil, index)}})
					if err != nil || !slices.Equal(out.Mem["r"], want) {
						t.Errorf("index %#x: %x, %v", index, out.Mem["r"], err)
					}
				}
			})
		}
	}
}

// TestScanCases: a contract by implications, one for each entry.
func TestScanCases(t *testing.T) {
	dropped(t)
	c := scanContract(t, 8, 64, true)
	for _, k := range scanKeys {
		p, pr, err := Scan(c, k.t, k.variant, 8, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := machine.Verify(p, pr); err != nil {
			t.Error(err)
		}
	}
}

// TestScanRefuses: code that stops early, or counts otherwise than the contract, is not verified.
func TestScanRefuses(t *testing.T) {
	dropped(t)
	for _, k := range scanKeys {
		p, pr, err := Scan(scanContract(t, 8, 64, false), k.t, k.variant, 4, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := machine.Verify(p, pr); err == nil {
			t.Errorf("%v%s: four entries instead of eight", k.t, k.variant)
		}
		f := scanFunc(8, 64, false)
		ensures := f.Ensures
		f.Ensures = func(e machine.Env) []logic.Term { // the last entry for a greater index
			ts := ensures(e)
			last := logic.Ult(logic.BVUint(64, 8), e.Word("index", 0))
			return append(ts, logic.Imp(last, logic.Eq(e.After().Word("r", 0), e.Word("table", 56))))
		}
		c, err := machine.Internal(f)
		if err != nil {
			t.Fatal(err)
		}
		if p, pr, err = Scan(c, k.t, k.variant, 8, 64); err != nil {
			t.Fatal(err)
		}
		if _, err := machine.Verify(p, pr); err == nil {
			t.Errorf("%v%s: the last entry for a greater index", k.t, k.variant)
		}
	}
	if _, _, err := Scan(machine.Contract{}, machine.AMD64, "avx512", 4, 64); err == nil {
		t.Error("a variant that does not exist")
	}
	if _, _, err := Scan(machine.Contract{}, machine.AMD64, "", 4, 60); err == nil {
		t.Error("entries of 60 bytes")
	}
}

// assumption proves goals that are facts.
type assumption struct{ machine.NoProof }

func (assumption) Prove(g machine.Goal) (kernel.Theorem, error) { return kernel.Assume(g.Concl) }

// TestClear: memory is cleared, in a loop or in one go, and that needs no proof.
func TestClear(t *testing.T) {
	dropped(t)
	for _, k := range scanKeys {
		count := map[machine.Target]isa.Reg{machine.ARM64: arm64.R5, machine.AMD64: amd64.CX}[k.t]
		p, _ := k.t.ParamReg(0)
		for _, size := range []int{32, 96, 256, 4096} {
			c, err := machine.Internal(machine.Func{
				Name:   "clear",
				Params: []machine.Param{{Name: "m", Bytes: size, Elem: 8, Mode: machine.ModeInOut}},
				Ensures: func(e machine.Env) []logic.Term {
					return []logic.Term{logic.Eq(e.After().LE("m"), logic.N(0))}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			code, features, err := impl.Clear(k.t, k.variant, "clear", p, count, size)
			if err != nil {
				t.Fatal(err)
			}
			v, err := machine.Verify(machine.Program{Target: k.t, Variant: k.variant, Features: features, Contract: c, Code: code}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v%s: %d bytes: %d instructions, %d steps", k.t, k.variant, size, v.Stats().Instructions, v.Stats().Steps)
		}
	}
	if _, _, err := impl.Clear(machine.AMD64, "", "clear", amd64.DI, amd64.CX, 40); err == nil {
		t.Error("40 bytes")
	}
}
