package registry

import (
	proof "verum.example/internal/proof/weierstrass"
	"verum.example/internal/tcb/machine"
)

// addFunctions adds functions of a curve, on every target in every variant. They are emitted to the module.
func addFunctions(module string, functions []proof.Function) {
	for _, f := range functions {
		for _, k := range proof.Keys() {
			Add(Entry{Module: module, Name: f.Name, Target: k.Target, Variant: k.Variant,
				Program: func() (machine.Program, machine.Prover, error) { return f.Program(k) }})
		}
	}
}

// addRoutines adds the routines that functions of a curve are made of.
func addRoutines(routines []proof.Function) {
	for _, f := range routines {
		for _, k := range proof.Keys() {
			if f.Has(k) {
				AddRoutine(Entry{Name: f.Name, Target: k.Target, Variant: k.Variant,
					Program: func() (machine.Program, machine.Prover, error) { return f.Program(k) }})
			}
		}
	}
}
