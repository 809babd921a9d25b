package mont

import (
	"math/big"
	"testing"

	impl "verum.example/internal/impl/mont"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/machine"
)

func hex(s string) *big.Int { v, _ := new(big.Int).SetString(s, 16); return v }

// moduli are fields of SEC 2 v2.0 §2.4.1 and RFC 5639 §3.4 that the registry does not prove anyway.
var moduli = map[string]*big.Int{
	"tSecp256k1":       hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
	"tBrainpoolP256r1": hex("a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377"),
}

// TestVerify proves every operation on every target and variant for other moduli than the registry: the generators and the
// proofs are generic.
func TestVerify(t *testing.T) {
	for name, m := range moduli {
		f, err := spec.New(name, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range Operations() {
			for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
				for _, variant := range impl.Variants(target, op) {
					t.Run(name+"/"+op+"/"+target.String()+variant, func(t *testing.T) {
						v, err := Verify(f, op, target, variant)
						if err != nil {
							t.Fatal(err)
						}
						t.Logf("%d instructions, %d obligations", v.Stats().Instructions, v.Stats().Obligations)
					})
				}
			}
		}
	}
}
