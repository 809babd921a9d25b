package registry

import spec "verum.example/internal/spec/mont"

// P-256: its field and its scalars.
func init() {
	addField("p256", spec.P256())
	addField("p256", spec.P256Ord(), "Select")

	AddOperation(Operation{
		Package: "verum.example/ecdh", Name: "P-256 key agreement, key generation, key validation", Functions: []string{"p256*"},
		Proved:    "field arithmetic, conversion from and to bytes with range checks, masked selection: on arm64 and amd64 (baseline, BMI2)",
		NotProved: "point arithmetic and scalar multiplication (constant-time Go, internal/point)",
	})
}
