package registry

import spec "verum.example/internal/spec/mont"

// P-384: its field, proved but not emitted yet.
func init() { addField("", spec.P384()) }
