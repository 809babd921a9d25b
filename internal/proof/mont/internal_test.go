package mont

import (
	"testing"

	impl "verum.example/internal/impl/mont"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/machine"
)

// TestInternal proves the operations as internal routines, whose contracts say what those of spec/mont say.
func TestInternal(t *testing.T) {
	fields := []*spec.Field{spec.P256(), spec.P256Ord(), spec.P384(), spec.P192()}
	for name, m := range moduli {
		f, err := spec.New(name, m)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	for _, f := range fields {
		for _, op := range Operations() {
			if op == "Select" {
				continue
			}
			c, err := InternalContract(f, op, f.Name+"Fe"+op)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Internal() || len(c.Patterns()) != len(operations[op].contract(f).Patterns()) {
				t.Errorf("%s: not the internal contract", op)
			}
			for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
				for _, variant := range impl.Variants(target, op) {
					t.Run(f.Name+"/"+op+"/"+target.String()+variant, func(t *testing.T) {
						p, pr, err := Internal(f, op, c, target, variant)
						if err != nil {
							t.Fatal(err)
						}
						v, err := machine.Verify(p, pr)
						if err != nil {
							t.Fatal(err)
						}
						t.Logf("%d instructions, frame %d", v.Stats().Instructions, p.Frame)
					})
				}
			}
		}
	}
}

// TestInternalRefused: there is no scan of a table, no unknown operation, and no product against another contract.
func TestInternalRefused(t *testing.T) {
	f := spec.P256()
	if _, err := InternalContract(f, "Cube", "cube"); err == nil {
		t.Error("a contract of an operation that does not exist")
	}
	c, err := InternalContract(f, "Mul", "mul")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Internal(f, "Select", c, machine.ARM64, ""); err == nil {
		t.Error("Select as an internal routine")
	}
	p, pr, err := Internal(f, "Add", c, machine.ARM64, "")
	if err == nil {
		_, err = machine.Verify(p, pr)
	}
	if err == nil {
		t.Error("a sum is verified as a product")
	}
}
