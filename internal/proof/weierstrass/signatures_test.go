package weierstrass

import (
	"testing"

	"verum.example/internal/tcb/machine"
)

// TestSignatures verifies the functions that sign and verify.
func TestSignatures(t *testing.T) {
	for _, f := range P256Signatures().All() {
		for _, k := range Keys() {
			t.Run(f.Name+"/"+k.Target.String()+k.Variant, func(t *testing.T) {
				generation(t)
				p, pr, err := f.Program(k)
				if err != nil {
					t.Fatal(err)
				}
				v, err := machine.Verify(p, pr)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v, %d bytes of stack", v.Stats(), v.Stack())
				if v.Name() != f.Name || v.Contract().Internal() {
					t.Errorf("what is verified is %s", v.Name())
				}
				if a := v.Axioms(); len(a) != 0 {
					t.Errorf("axioms %v", a)
				}
			})
		}
	}
}
