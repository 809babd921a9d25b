package registry

import (
	proof "verum.example/internal/proof/weierstrass"
	spec "verum.example/internal/spec/mont"
)

// P-256: the functions of the public packages. Its field and its scalars are proved for themselves, too, and not emitted: the
// functions have them as routines.
func init() {
	addField("", spec.P256())
	addField("", spec.P256Ord(), "Select")
	addFunctions("p256", proof.P256Functions().All())
	addFunctions("p256", proof.P256Signatures().All())

	AddOperation(Operation{
		Package: "verum.example/ecdh", Name: "P-256 key agreement, key generation, key validation",
		Functions: []string{"p256ECDH", "p256PublicKey", "p256Validate"},
		Proved:    "all from input bytes to output bytes, on arm64 and amd64 (baseline, BMI2)",
	})
}
