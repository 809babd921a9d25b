package weierstrass

import (
	"testing"

	"verum.example/internal/spec/mont"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// verifyPoints verifies the routines for points of a curve.
func verifyPoints(t *testing.T, c *Curve, k Key) {
	programs := map[string]routine{"add": c.addProgram, "addAffine": c.addAffineProgram, "cache": c.cacheProgram}
	if minus3 := logic.Sub(c.Spec.P(), logic.N(3)); c.Spec.A() == minus3 {
		programs["double"] = c.doubleProgram
	} else if _, err := c.Double(k.Target, k.Variant); err == nil {
		t.Errorf("%s: a doubling for a = −3", c.Spec.Name())
	}
	for name, f := range programs {
		p, pr, err := f(k)
		if err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(p, pr)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := v.Stats()
		t.Logf("%s: %d instructions, %d obligations, %d bytes of stack", name, s.Instructions, s.Obligations, v.Stack())
	}
}

// TestPoints verifies the routines for points.
func TestPoints(t *testing.T) {
	for _, k := range Keys() {
		t.Run(k.Target.String()+k.Variant, func(t *testing.T) {
			generation(t)
			verifyPoints(t, P256(), k)
		})
	}
	for name, c := range map[string]spec.Curve{
		"tSecp256k1": spec.Secp256k1(), "tBrainpoolP256r1": spec.BrainpoolP256r1(), "tP384": spec.P384(),
	} {
		t.Run(name, func(t *testing.T) {
			generation(t)
			verifyPoints(t, newCurve(c, testField(t, name, c.P()), testField(t, name+"Ord", c.N())), Keys()[2])
		})
	}
}

func testField(t *testing.T, name string, modulus Term) *mont.Field {
	m, _ := modulus.Const()
	f, err := mont.New(name, m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
