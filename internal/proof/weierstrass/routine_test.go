package weierstrass

import (
	"testing"

	"verum.example/internal/tcb/logic"
)

// generation drops the terms of a test at its end. What is shared, contracts and verified routines, is not in it.
func generation(t *testing.T) {
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Drop)
}

// TestFields verifies the operations of both fields.
func TestFields(t *testing.T) {
	generation(t)
	for _, f := range []*Field{P256().Field, P256().Scalars} {
		for _, k := range Keys() {
			v, err := f.Verified(k.Target, k.Variant)
			if err != nil {
				t.Fatal(err)
			}
			for _, op := range FieldOps() {
				if v.Ops[op].Name() != f.Name()+"Fe"+op || !v.Ops[op].Contract().Internal() {
					t.Errorf("%v: %s is %s", k, op, v.Ops[op].Name())
				}
			}
		}
	}
}
