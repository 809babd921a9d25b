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
	addRoutines(proof.P256().Routines())
	addRoutines(proof.P256Signatures().Routines())

	AddOperation(Operation{
		Package: "verum.example/ecdh", Name: "P-256 key agreement, key generation, key validation",
		Functions: []string{"p256ECDH", "p256PublicKey", "p256Validate"},
		Proved:    "all from input bytes to output bytes, on arm64 and amd64 (baseline, BMI2)",
	})
	AddOperation(Operation{
		Package: "verum.example/ecdsa", Name: "P-256 signatures: signing, verification", Functions: []string{"p256Sign", "p256Verify"},
		Proved: "all from the bytes of key, digest, nonce and signature (r ‖ s) to the bytes of the signature or the verdict, on " +
			"arm64 and amd64 (baseline, BMI2)",
		NotProved: "derivation of nonces (RFC 6979 on crypto/sha256, crypto/hmac), DER",
	})
	AddOperation(Operation{
		Package: "verum.example/ecdsa", Name: "P-256 key generation, parsing", Functions: []string{"p256PublicKey", "p256Validate"},
		Proved: "all from input bytes to output bytes, on arm64 and amd64 (baseline, BMI2)",
	})
}
