package weierstrass

import (
	"fmt"
	"math/big"
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/spec/ecdh"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/machine"
)

// Functions are the functions of a curve that Go can call.
//
// Not yet proved: their code calls verified routines and is run on constants by the tests, but it has no proof, so it is
// neither in the registry nor emitted.
type Functions struct {
	c         *Curve
	contracts *ecdh.Functions
	selects   machine.Contract // of an entry of ECDH's table
	rows      machine.Contract // of a point of a row of PublicKey's table
	routines  memo[*impl.Routines]

	combOnce  sync.Once
	combTable *impl.Comb
}

var p256Functions = newFunctions("p256", P256(), ecdh.P256())

// P256Functions are those of P-256.
func P256Functions() *Functions { return p256Functions }

func newFunctions(name string, c *Curve, contracts *ecdh.Functions) *Functions {
	f := &Functions{c: c, contracts: contracts}
	f.selects = selectContract(name+"Select", impl.TableEntries, 5*c.Field.Words())
	f.rows = selectContract(name+"SelectComb", impl.CombEntries, 2*c.Field.Words())
	f.routines = newMemo(f.verifyRoutines)
	return f
}

// verifyRoutines puts the routines together that the functions call.
func (f *Functions) verifyRoutines(k Key) (*impl.Routines, error) {
	c := f.c
	r := &impl.Routines{A: constant(c.Spec.A()), B: constant(c.Spec.B()),
		GX: constant(spec.X(c.Spec.G())), GY: constant(spec.Y(c.Spec.G()))}
	var err error
	if r.Field, err = c.Field.Verified(k.Target, k.Variant); err != nil {
		return nil, err
	}
	if r.Scalars, err = c.Scalars.Verified(k.Target, k.Variant); err != nil {
		return nil, err
	}
	for _, v := range []struct {
		to  *machine.Verified
		get func(machine.Target, string) (machine.Verified, error)
	}{
		{&r.Double, c.Double}, {&r.Add, c.Add}, {&r.AddAffine, c.AddAffine}, {&r.Cache, c.Cache}, {&r.Inverse, c.Field.Inverse},
		{&r.Select, selection(f.selects, impl.TableEntries, 5*c.Field.Words())},
		{&r.SelectComb, selection(f.rows, impl.CombEntries, 2*c.Field.Words())},
	} {
		if *v.to, err = v.get(k.Target, k.Variant); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// selection verifies a routine that selects.
func selection(c machine.Contract, entries, words int) func(machine.Target, string) (machine.Verified, error) {
	return func(t machine.Target, variant string) (machine.Verified, error) {
		p, pr, err := selectProgram(c, Key{t, variant}, entries, words)
		if err != nil {
			return machine.Verified{}, err
		}
		return machine.Verify(p, pr)
	}
}

func constant(t Term) *big.Int {
	v, ok := t.Const()
	if !ok {
		panic(fmt.Errorf("proof/weierstrass: %v is no constant", t))
	}
	return v
}

// program is a function's code and its proof.
func (f *Functions) program(k Key, gen func(*impl.Routines) (impl.Code, error), prove func(impl.Code) machine.Prover) (
	machine.Program, machine.Prover, error) {
	r, err := f.routines.get(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := gen(r)
	if err != nil {
		return machine.Program{}, nil, err
	}
	return code.Program, prove(code), nil
}

func (f *Functions) ecdhProgram(k Key) (machine.Program, machine.Prover, error) {
	return f.program(k, func(r *impl.Routines) (impl.Code, error) {
		return impl.NewECDH(k.Target, k.Variant, f.contracts.ECDH, r)
	}, func(impl.Code) machine.Prover { return machine.NoProof{} })
}

func (f *Functions) publicKeyProgram(k Key) (machine.Program, machine.Prover, error) {
	return f.program(k, func(r *impl.Routines) (impl.Code, error) {
		return impl.NewPublicKey(k.Target, k.Variant, f.contracts.PublicKey, r, f.comb(r))
	}, func(impl.Code) machine.Prover { return machine.NoProof{} })
}

func (f *Functions) validateProgram(k Key) (machine.Program, machine.Prover, error) {
	return f.program(k, func(r *impl.Routines) (impl.Code, error) {
		return impl.NewValidate(k.Target, k.Variant, f.contracts.Validate, r)
	}, func(impl.Code) machine.Prover { return machine.NoProof{} })
}

// comb is the table of the multiples of G, which is the same for all targets.
func (f *Functions) comb(r *impl.Routines) *impl.Comb {
	f.combOnce.Do(func() { f.combTable = impl.NewComb(r) })
	return f.combTable
}
