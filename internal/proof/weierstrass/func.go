package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/spec/ecdh"
	"verum.example/internal/tcb/machine"
)

// Functions are the functions of a curve that Go can call. Each is a short program that calls routines (see
// partContracts), so that its proof is about points and numbers, and knows no field arithmetic.
type Functions struct {
	c         *Curve
	contracts *ecdh.Functions
	list      []Function
}

// Function is one of them, or a routine.
type Function struct {
	Name string
	// Program is the code for a target and a variant, which is one of Keys, and its proof. It verifies the routines
	// that the code calls, each of them once.
	Program func(Key) (machine.Program, machine.Prover, error)

	baseline bool // there is no variant but the baseline
}

// Has tells that there is code for a key.
func (f Function) Has(k Key) bool { return !f.baseline || k.Variant == "" }

var p256Functions = newFunctions(P256(), ecdh.P256())

// P256Functions are those of P-256.
func P256Functions() *Functions { return p256Functions }

// newFunctions is to be called at initialisation: the contracts' terms are permanent.
func newFunctions(c *Curve, contracts *ecdh.Functions) *Functions {
	f := &Functions{c: c, contracts: contracts}
	f.list = []Function{
		{Name: contracts.ECDH.Name(), Program: f.ecdhProgram},
		{Name: contracts.PublicKey.Name(), Program: f.publicKeyProgram},
		{Name: contracts.Validate.Name(), Program: f.validateProgram},
	}
	return f
}

// All lists the functions.
func (f *Functions) All() []Function { return append([]Function(nil), f.list...) }

// part is a routine that a function calls.
type part struct {
	to  *machine.Verified
	get func(machine.Target, string) (machine.Verified, error)
}

// parts verifies the routines for a function, and the field's.
func (f *Functions) parts(k Key, r *impl.Parts, parts ...part) (err error) {
	if r.Field, err = f.c.Field.Verified(k.Target, k.Variant); err != nil {
		return err
	}
	for _, p := range parts {
		if *p.to, err = p.get(k.Target, k.Variant); err != nil {
			return err
		}
	}
	return nil
}
