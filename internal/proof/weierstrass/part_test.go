package weierstrass

import (
	"bytes"
	"math/big"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/machine"
)

// TestParts verifies the routines that decode points and scalars and give affine coordinates.
func TestParts(t *testing.T) {
	c := P256()
	for name, f := range map[string]func(machine.Target, string) (machine.Verified, error){
		"decode": c.PointDecode, "scalar": c.Scalar, "affine": c.PointAffine,
	} {
		t.Run(name, func(t *testing.T) {
			generation(t)
			for _, k := range Keys() {
				v, err := f(k.Target, k.Variant)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s %v: %+v", v.Name(), k, v.Stats())
				if len(v.Axioms()) != 0 {
					t.Errorf("axioms %v", v.Axioms())
				}
			}
		})
	}
}

// TestPartsRun runs these routines on constants, and evaluates their contracts.
func TestPartsRun(t *testing.T) {
	generation(t)
	c := P256()
	s := newSample(c)
	tmp := func(n int) []byte { return make([]byte, 32*n) }
	scalars, peers := vectors(t)
	for _, k := range Keys() {
		program := func(f routine) machine.Program {
			p, _, err := f(k)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := program(c.decodeProgram)
		for i, b := range peers {
			out, err := run(p, map[string][]byte{"b": b, "tmp": tmp(impl.DecodeTemps)})
			if err != nil {
				t.Errorf("%v: key %d: %v", k, i, err)
			}
			if valid := out.Mem["valid"][0] == 255; valid != (i == 0) {
				t.Errorf("%v: key %d: valid is %x", k, i, out.Mem["valid"])
			}
		}
		p = program(c.scalarProgram)
		for _, d := range scalars {
			if _, err := run(p, map[string][]byte{"d": d, "tmp": tmp(impl.ScalarTemps)}); err != nil {
				t.Errorf("%v: %x: %v", k, d, err)
			}
		}
		p = program(c.affineProgram)
		for _, m := range []int64{0, 1, -2} {
			out, err := run(p, map[string][]byte{"a": s.bytes(s.jacobian(m, nil)...), "tmp": tmp(impl.AffineTemps)})
			if err != nil {
				t.Errorf("%v: %dG: %v", k, m, err)
			}
			x, y := s.affine(m)
			if x == nil {
				x, y = new(big.Int), new(big.Int)
			}
			if want := s.bytes(x, y); !bytes.Equal(out.Mem["r"], want) {
				t.Errorf("%v: %dG: %x, want %x", k, m, out.Mem["r"], want)
			}
		}
	}
}
