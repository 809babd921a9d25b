package registry

import spec "verum.example/internal/spec/mont"

// P-192: its field, proved but not emitted yet.
func init() { addField("", spec.P192()) }
