package weierstrass

import "testing"

// TestGCD verifies the routines of inversions.
func TestGCD(t *testing.T) {
	generation(t)
	for _, f := range []*Field{P256().Field, P256().Scalars} {
		for _, k := range Keys() {
			v, err := f.inverse.gcd.verified.get(k.Target, k.Variant)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []string{v.Steps.Name(), v.Row.Name(), v.RowMod.Name(), v.Natural.Name()} {
				t.Log(k, r)
			}
		}
	}
}
