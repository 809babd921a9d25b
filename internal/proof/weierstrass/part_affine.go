package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (c *Curve) affineProgram(k Key) (machine.Program, machine.Prover, error) {
	inverse, err := c.Field.Inverse(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewAffine(k.Target, k.Variant, c.parts.affine, f, inverse)
	}, c.affine)
}

// affine proves that the coordinates are those of the point: r ≡ x·i² and y·i³ for what the routine Inv gives, i ≡ 1/z.
func (c *Curve) affine(tr *Trace, v machine.View) []Theorem {
	a, r, p := c.inputs(tr, v, "a", 3), c.coordinates(tr, v, "r", 2), c.Field.P()
	one, zero := logic.N(1), logic.N(0)
	x, y, z := c.Residue(a[0]), c.Residue(a[1]), c.Residue(a[2])
	i := c.Residue(tr.Steps[0].Src[0])
	inv := spec.Inv(p, z)
	isInv := assume(logic.Cong(i, inv, p)) // what Inv ensures
	P := c.Point(a[0], a[1], a[2])
	isO := logic.Cong(z, zero, p)
	noZ := number.InvZero(p, z)
	var ths []Theorem
	for j, t := range []Term{x, y} {
		coordinate, n := spec.X(P), 2+j
		if j == 1 {
			coordinate = spec.Y(P)
		}
		product := func(i Term) Term { // t·iⁿ
			u := t
			for range n {
				u = logic.Mul(u, i)
			}
			return u
		}
		// t·iⁿ − t·invⁿ = (i − inv)·t·(iⁿ⁻¹ + … + invⁿ⁻¹)
		sum := logic.Add(i, inv)
		if n == 3 {
			sum = logic.Add(logic.Mul(i, i), logic.Mul(i, inv), logic.Mul(inv, inv))
		}
		is := tr.Congruent(c.Field, r[j], product(i))
		cong := auto.Congruent(r[j], product(inv), p, lin(is, r[j], product(i), one),
			lin(isInv, i, inv, logic.Mul(t, sum)))
		ranges := []Theorem{assume(logic.Ge0(r[j])), tr.Range(c.Field, r[j])}
		same := func(u Term, facts ...Theorem) Theorem { // r = u
			return number.Use(number.Same(p, r[j], u), append(facts, ranges...)...)
		}
		goal := logic.Eq(r[j], coordinate)
		// O has the coordinates 0
		atO := auto.Must(kernel.Rewrite(cong, auto.Rewritten(noZ, inv, zero)))
		yes := taut(goal, rewritten(goal, unfolded(P, truth(assume(isO), isO))), same(zero, atO))
		// else they are the products
		m := logic.Mod(product(inv), p)
		lo, hi, err := kernel.ModRange(product(inv), p, auto.True())
		auto.Must(lo, err)
		mod := lin(auto.Must(kernel.DivMod(product(inv), p)), product(inv),
			logic.Add(logic.Mul(p, logic.Div(product(inv), p)), m), one)
		ofMod := auto.Congruent(r[j], m, p, lin(cong, r[j], product(inv), one), mod)
		no := taut(goal, rewritten(goal, unfolded(P, truth(assume(logic.Not(isO)), isO))), same(m, lo, hi, ofMod))
		ths = append(ths, auto.Cases(goal, isO, yes, no))
	}
	return ths
}
