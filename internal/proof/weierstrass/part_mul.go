package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/machine"
)

// multiples is what multiples of any point need.
type multiples struct {
	selects  machine.Contract // of a cached point of the table
	digits   impl.Digits
	lemmas   *mulLemmas
	selected memo[machine.Verified]
	verified memo[machine.Verified]
}

func (c *Curve) newMultiples() *multiples {
	words := 5 * c.Field.Words()
	m := &multiples{digits: impl.NewDigits(constant(c.Spec.N())), lemmas: newMulLemmas(c)}
	m.selects = selectContract(c.Field.Name()+"PointSelect", impl.TableEntries, words)
	m.selected = newVerified(func(k Key) (machine.Program, machine.Prover, error) {
		return selectProgram(m.selects, k, impl.TableEntries, words)
	})
	m.verified = newVerified(c.mulProgram)
	return m
}

// Select is the routine that selects a cached point of a table of multiples.
func (c *Curve) Select(t machine.Target, variant string) (machine.Verified, error) {
	return c.mul.selected.get(t, variant)
}

// PointMul is the routine PointMul(r, k, q, tmp).
func (c *Curve) PointMul(t machine.Target, variant string) (machine.Verified, error) {
	return c.mul.verified.get(t, variant)
}

func (c *Curve) mulProgram(k Key) (machine.Program, machine.Prover, error) {
	f, err := c.Field.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	r := &impl.Routines{Field: f, Scalars: &impl.Field{M: c.Scalars.M()}}
	for _, p := range []part{{&r.Double, c.Double}, {&r.Add, c.Add}, {&r.Cache, c.Cache}, {&r.Select, c.Select}} {
		if *p.to, err = p.get(k.Target, k.Variant); err != nil {
			return machine.Program{}, nil, err
		}
	}
	code, err := impl.NewPointMul(k.Target, k.Variant, c.parts.multiply, r)
	return code.Program, newMulProof(c), err
}
