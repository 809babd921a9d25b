package weierstrass

import (
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/machine"
)

// baseMultiples is what multiples of the base point need.
type baseMultiples struct {
	selects  machine.Contract // of a point of a row of the table
	comb     func() *impl.Comb
	selected memo[machine.Verified]
	verified memo[machine.Verified]
	lemmas   func() *combLemmas
}

func (c *Curve) newBaseMultiples() *baseMultiples {
	words := 2 * c.Field.Words()
	b := &baseMultiples{selects: selectContract(c.Field.Name()+"SelectComb", impl.CombEntries, words)}
	b.comb = sync.OnceValue(func() *impl.Comb {
		f := &impl.Field{Name: c.Field.Name(), M: c.Field.M(), Words: c.Field.Words()}
		g := c.Spec.G()
		return impl.NewComb(f, constant(c.Spec.N()), constant(c.Spec.A()), constant(spec.X(g)), constant(spec.Y(g)))
	})
	b.selected = newVerified(func(k Key) (machine.Program, machine.Prover, error) {
		return selectProgram(b.selects, k, impl.CombEntries, words)
	})
	b.lemmas = sync.OnceValue(func() *combLemmas { return newCombLemmas(c, b.comb()) })
	b.verified = newVerified(c.mulBaseProgram)
	return b
}

// SelectComb is the routine that selects a point of a row of the table of multiples of the base point.
func (c *Curve) SelectComb(t machine.Target, variant string) (machine.Verified, error) {
	return c.base.selected.get(t, variant)
}

// PointMulBase is the routine PointMulBase(r, k, tmp).
func (c *Curve) PointMulBase(t machine.Target, variant string) (machine.Verified, error) {
	return c.base.verified.get(t, variant)
}

func (c *Curve) mulBaseProgram(k Key) (machine.Program, machine.Prover, error) {
	r := &impl.Routines{}
	var err error
	if r.Field, err = c.Field.Verified(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	if r.AddAffine, err = c.AddAffine(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	if r.SelectComb, err = c.SelectComb(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewPointMulBase(k.Target, k.Variant, c.parts.multiplyBase, r, c.base.comb())
	return code.Program, newBaseProof(c, code), err
}
