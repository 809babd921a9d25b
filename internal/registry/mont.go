package registry

import (
	impl "verum.example/internal/impl/mont"
	proof "verum.example/internal/proof/mont"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/machine"
)

// addField adds the operations of a field, all but those in without, on every target in every variant. They are emitted
// to the module, "" for none.
func addField(module string, f *spec.Field, without ...string) {
	skip := map[string]bool{}
	for _, op := range without {
		skip[op] = true
	}
	for _, op := range proof.Operations() {
		if skip[op] {
			continue
		}
		for _, t := range []machine.Target{machine.ARM64, machine.AMD64} {
			for _, v := range impl.Variants(t, op) {
				Add(Entry{Module: module, Name: f.Name + op, Target: t, Variant: v,
					Program: func() (machine.Program, machine.Prover, error) { return proof.Program(f, op, t, v) }})
			}
		}
	}
}
