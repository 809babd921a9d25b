package weierstrass

import (
	"math/big"
	"strings"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/machine"
)

// TestPowersRun runs inversions and roots on constants.
func TestPowersRun(t *testing.T) {
	generation(t)
	c := P256()
	s := newSample(c)
	for _, f := range []*Field{c.Field, c.Scalars} {
		for _, p := range []*power{f.inverse, f.root} {
			if p == nil {
				continue
			}
			keys := Keys()
			if p != c.Field.inverse {
				keys = keys[2:]
			}
			for _, k := range keys {
				prog, _, err := p.program(k)
				if err != nil {
					t.Fatal(err)
				}
				values := []*big.Int{new(big.Int).Mod(s.residue(), f.M())}
				if k.Variant == "bmi2" {
					values = append(values, new(big.Int), big.NewInt(1), new(big.Int).Sub(f.M(), big.NewInt(1)))
				}
				for _, a := range values {
					out, err := run(prog, map[string][]byte{"a": s.bytes(a), "tmp": make([]byte, f.Bytes()*16)})
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("%s %v: %d instructions", prog.Contract.Name(), k, out.Steps)
					// the contract has been evaluated; this is independent of it
					x := new(big.Int).Mul(a, f.Ri())
					want := new(big.Int).Exp(x.Mod(x, f.M()), p.e, f.M())
					want.Mod(want.Mul(want, f.R()), f.M())
					if got := string(out.Mem["r"]); got != string(s.bytes(want)) {
						t.Errorf("%s %v: %x, want %x", prog.Contract.Name(), k, got, s.bytes(want))
					}
				}
			}
		}
	}
}

// TestPowers verifies inversions and roots, also for other moduli than P-256's.
func TestPowers(t *testing.T) {
	generation(t)
	fields := []*Field{P256().Field, P256().Scalars}
	for name, c := range map[string]spec.Curve{"tSecp256k1": spec.Secp256k1(), "tBrainpoolP256r1": spec.BrainpoolP256r1()} {
		fields = append(fields, newField(testField(t, name, c.P())))
	}
	for i, f := range fields {
		keys := Keys()
		if i >= 2 { // the target makes no difference to the proof
			keys = keys[2:]
		}
		for _, k := range keys {
			v, err := f.Inverse(k.Target, k.Variant)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %v: %d instructions, %d calls, %d bytes of stack", v.Name(), k, v.Stats().Instructions, v.Stats().Calls, v.Stack())
			if f.root == nil {
				if _, err := f.Root(k.Target, k.Variant); err == nil {
					t.Errorf("%s has a root", f.Name())
				}
				continue
			}
			if i < 2 {
				if _, err := f.Root(k.Target, k.Variant); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestPowersRefused: the chain of another exponent is not accepted.
func TestPowersRefused(t *testing.T) {
	f, k := P256().Field, Keys()[0]
	v, err := f.Verified(k.Target, k.Variant)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := impl.NewChain(new(big.Int).Sub(f.inverse.e, big.NewInt(1)))
	if err != nil {
		t.Fatal(err)
	}
	code, err := impl.NewPower(k.Target, k.Variant, f.inverse.contract, v, chain)
	if err != nil {
		t.Fatal(err)
	}
	_, err = machine.Verify(code.Program, NewSteps(f, code, f.inverse.prove))
	if err == nil || !strings.Contains(err.Error(), "the result is the power") {
		t.Errorf("a^(p−3) as an inverse: %v", err)
	}
}
