package weierstrass

import (
	"fmt"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// pointMemos are the verified routines for points.
type pointMemos struct{ double, add, addAffine, cache, affineMask memo[machine.Verified] }

// routine is a program with its proof.
type routine func(k Key) (machine.Program, machine.Prover, error)

func (c *Curve) newPointMemos() pointMemos {
	return pointMemos{double: newVerified(c.doubleProgram), add: newVerified(c.addProgram), addAffine: newVerified(c.addAffineProgram),
		cache: newVerified(c.cacheProgram), affineMask: newVerified(c.affineMaskProgram)}
}

// Double is the routine PointDouble(r, a, tmp).
func (c *Curve) Double(t machine.Target, variant string) (machine.Verified, error) {
	return c.verified.double.get(t, variant)
}

// Add is the routine PointAdd(r, a, b, tmp).
func (c *Curve) Add(t machine.Target, variant string) (machine.Verified, error) {
	return c.verified.add.get(t, variant)
}

// AddAffine is the routine PointAddAffine(r, a, b, tmp).
func (c *Curve) AddAffine(t machine.Target, variant string) (machine.Verified, error) {
	return c.verified.addAffine.get(t, variant)
}

// Cache is the routine PointCache(c).
func (c *Curve) Cache(t machine.Target, variant string) (machine.Verified, error) {
	return c.verified.cache.get(t, variant)
}

// steps puts code and proof of a routine for points together.
func (c *Curve) steps(k Key, gen func(f *impl.Field) (impl.Code, error), finish func(*Trace, machine.View) []Theorem) (
	machine.Program, machine.Prover, error) {
	f, err := c.Field.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := gen(f)
	return code.Program, NewSteps(c.Field, code, finish), err
}

func (c *Curve) doubleProgram(k Key) (machine.Program, machine.Prover, error) {
	if c.Spec.A() != logic.Sub(c.Spec.P(), logic.N(3)) {
		return machine.Program{}, nil, fmt.Errorf("proof/weierstrass: %s: the formulas for 2P are for a = −3", c.Spec.Name())
	}
	if impl.HasFused(c.Field.M()) {
		return c.fusedProgram(k, "double", c.points.double)
	}
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewDouble(k.Target, k.Variant, c.points.double, f)
	}, c.double)
}

func (c *Curve) addProgram(k Key) (machine.Program, machine.Prover, error) {
	if impl.HasFused(c.Field.M()) {
		return c.fusedProgram(k, "add", c.points.add)
	}
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewAdd(k.Target, k.Variant, c.points.add, f)
	}, c.add)
}

func (c *Curve) addAffineProgram(k Key) (machine.Program, machine.Prover, error) {
	if impl.HasFused(c.Field.M()) {
		return c.fusedProgram(k, "addAffine", c.points.addAffine)
	}
	mask, err := c.verified.affineMask.get(k.Target, "")
	if err != nil {
		return machine.Program{}, nil, err
	}
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewAddAffine(k.Target, k.Variant, c.points.addAffine, f, mask)
	}, c.addAffine)
}

func (c *Curve) cacheProgram(k Key) (machine.Program, machine.Prover, error) {
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewCache(k.Target, k.Variant, c.points.cache, f)
	}, nil)
}

func (c *Curve) affineMaskProgram(k Key) (machine.Program, machine.Prover, error) {
	return maskProgram(c.points.affineMask, k.Target, 2*c.Field.Words())
}
