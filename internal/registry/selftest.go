package registry

import (
	proof "verum.example/internal/proof/selftest"
	"verum.example/internal/tcb/machine"
)

// The self-tests of the executor: proved, and emitted and run by the tests of proof/selftest only.
func init() {
	for _, t := range []machine.Target{machine.ARM64, machine.AMD64} {
		for _, n := range proof.Names() {
			Add(Entry{Name: "selftest" + n, Target: t,
				Program: func() (machine.Program, machine.Prover, error) { return proof.Program(n, t) }})
		}
	}
}
