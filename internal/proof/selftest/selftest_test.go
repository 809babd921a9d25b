package selftest

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	impl "verum.example/internal/impl/selftest"
	spec "verum.example/internal/spec/selftest"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

func words(ws ...uint64) (b []byte) {
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// models are the functions in Go: given an input, what the output must be.
var models = map[string]func(in machine.Input, out machine.Output) bool{
	"Sum": func(in machine.Input, out machine.Output) bool {
		var s uint64
		for i := range in.Args["n"] {
			s += word(in.Mem["a"], int(i))
		}
		return out.Result == s
	},
	"Scan": func(in machine.Input, out machine.Output) bool {
		i, want := word(in.Mem["i"], 0), uint64(0)
		if i < 8 {
			want = spec.Squares()[i]
		}
		return word(out.Mem["r"], 0) == want
	},
	"Put": func(in machine.Input, out machine.Output) bool {
		want := append([]byte{}, in.Mem["r"]...)
		copy(want[8*in.Args["i"]:], in.Mem["v"])
		return string(out.Mem["r"]) == string(want)
	},
	"Choose": func(in machine.Input, out machine.Output) bool {
		want := 2 * word(in.Mem["x"], 0)
		if in.Args["c"] == 0 {
			want = 0
		}
		return word(out.Mem["r"], 0) == want
	},
	"Collatz": func(in machine.Input, out machine.Output) bool {
		x := word(in.Mem["x"], 0)
		if x%2 == 1 {
			return word(out.Mem["r"], 0) == 3*x+1
		}
		return word(out.Mem["r"], 0) == x/2
	},
	"Triple": func(in machine.Input, out machine.Output) bool {
		return word(out.Mem["r"], 0) == 3*word(in.Mem["x"], 0)
	},
}

func randomInput(r *rand.Rand) machine.Input {
	in := machine.Input{Mem: map[string][]byte{}, Args: map[string]uint64{}}
	n := r.Uint64N(6)
	for range n {
		in.Mem["a"] = append(in.Mem["a"], words(r.Uint64())...)
	}
	in.Args["n"], in.Args["i"], in.Args["c"] = n, r.Uint64N(8), r.Uint64N(2)
	in.Mem["i"], in.Mem["v"], in.Mem["x"] = words(r.Uint64N(10)), words(r.Uint64()), words(r.Uint64())
	for range 8 {
		in.Mem["r"] = append(in.Mem["r"], words(r.Uint64())...)
	}
	return in
}

// TestVerify proves each function on each target, then runs it on constants against a model in Go and the contract, and
// prints and encodes what would be emitted.
func TestVerify(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
		for _, name := range Names() {
			t.Run(target.String()+"/"+name, func(t *testing.T) {
				v, err := Verify(name, target)
				if err != nil {
					t.Fatal(err)
				}
				if len(v.Axioms()) != 0 {
					t.Errorf("axioms: %v", v.Axioms())
				}
				t.Logf("%+v", v.Stats())
				traces := map[uint64][]machine.Event{} // by what is public or leaks
				for range 40 {
					in := randomInput(r)
					out, err := v.Run(in)
					if err != nil {
						t.Fatal(err)
					}
					if !models[name](in, out) {
						t.Fatalf("wrong output %v for %v", out, in)
					}
					if err := machine.Check(v.Contract(), in, &out); err != nil {
						t.Fatal(err)
					}
					for _, b := range out.Mem[machine.FrameRegion] {
						if b != 0 {
							t.Fatal("the frame is not wiped")
						}
					}
					key := in.Args["n"]<<8 | in.Args["i"]<<4 | in.Args["c"]<<1
					if name == "Collatz" {
						key |= word(in.Mem["x"], 0) % 2
					}
					if old, ok := traces[key]; ok && !reflect.DeepEqual(old, out.Trace) {
						t.Fatalf("two traces: %v, %v", old, out.Trace)
					}
					traces[key] = out.Trace
				}
				for _, f := range v.Functions() {
					encode(t, target, f)
				}
			})
		}
	}
}

func encode(t *testing.T, target machine.Target, f isa.Function) {
	t.Helper()
	enc := arm64.Encode
	if target == machine.AMD64 {
		enc = amd64.Encode
	}
	if code, _, err := enc(f); err != nil || len(code) == 0 {
		t.Errorf("%s: %d bytes, %v", f.Name, len(code), err)
	}
}

// TestMutants: deleting any instruction is refused, or harmless as the contract's evaluation and the wiped frame show.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	refused, harmless := 0, 0
	for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
		for _, name := range Names() {
			v, err := Verify(name, target)
			if err != nil {
				t.Fatal(err)
			}
			g, _ := impl.For(target)
			add, _ := Add(target)
			program := functions[name].code(g, add)
			for k := range v.Stats().Instructions {
				n := k
				p := v.Program()
				p.Code = without(p.Code, &n)
				if n >= 0 {
					continue // a branch or call
				}
				m, err := machine.Verify(p, functions[name].proof(program))
				if err != nil {
					refused++
					continue
				}
				harmless++
				t.Logf("%v %s without instruction %d is accepted", target, name, k)
				for range 20 {
					in := randomInput(r)
					out, err := m.Run(in)
					if err == nil {
						err = machine.Check(m.Contract(), in, &out)
					}
					if err != nil || !models[name](in, out) {
						t.Fatalf("%v %s without instruction %d: %v", target, name, k, err)
					}
				}
			}
		}
	}
	t.Logf("%d refused, %d harmless", refused, harmless)
	if refused < 100 {
		t.Error("too few mutants")
	}
}

// without returns the code without its instruction number n; n ends below 0 if there was one.
func without(c machine.Code, n *int) machine.Code {
	switch c := c.(type) {
	case machine.Block:
		if k := *n; k >= 0 && k < len(c) {
			*n = -1
			return append(append(machine.Block{}, c[:k]...), c[k+1:]...)
		}
		if *n >= 0 {
			*n -= len(c)
		}
		return c
	case machine.Seq:
		r := make(machine.Seq, len(c))
		for i := range c {
			r[i] = without(c[i], n)
		}
		return r
	case machine.If:
		c.Then = without(c.Then, n)
		c.Else = without(c.Else, n)
		return c
	case machine.Loop:
		c.Body = without(c.Body, n)
		return c
	}
	return c
}

func TestUnknown(t *testing.T) {
	if _, err := Verify("Sum", 0); err == nil {
		t.Error("no target")
	}
	if _, err := Verify("Product", machine.ARM64); err == nil {
		t.Error("no function")
	}
}
