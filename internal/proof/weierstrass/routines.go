package weierstrass

import (
	"slices"

	implmont "verum.example/internal/impl/mont"
	impl "verum.example/internal/impl/weierstrass"
	proof "verum.example/internal/proof/mont"
	"verum.example/internal/tcb/machine"
)

// Routines lists the routines that functions of the curve are made of, those of its fields included. Functions and
// other routines verify them for themselves; the list is for tests that change their code.
func (c *Curve) Routines() []Function {
	var fs []Function
	add := func(contract machine.Contract, f routine) {
		fs = append(fs, Function{Name: contract.Name(), Program: f})
	}
	for _, f := range []*Field{c.Field, c.Scalars} {
		for _, op := range FieldOps() {
			fs = append(fs, Function{Name: f.Contract(op).Name(), Program: func(k Key) (machine.Program, machine.Prover, error) {
				return f.program(op, k)
			}, baseline: !slices.Contains(implmont.Variants(machine.AMD64, op), "bmi2")})
		}
		add(f.inverse.contract, f.inverse.program)
		if g := f.inverse.gcd; g != nil {
			add(g.rowMod, g.rowProgram)
			add(g.natural, g.naturalProgram)
		}
	}
	if c.Field.inverse.gcd != nil {
		fs = append(fs, Function{Name: integers.steps.Name(), Program: integers.stepsProgram, baseline: true})
		add(integers.row, integers.rowProgram)
	}
	add(c.points.double, c.doubleProgram)
	add(c.points.add, c.addProgram)
	add(c.points.addAffine, c.addAffineProgram)
	add(c.points.cache, c.cacheProgram)
	add(c.parts.decode, c.decodeProgram)
	add(c.parts.scalar, c.scalarProgram)
	add(c.parts.affine, c.affineProgram)
	add(c.parts.multiply, c.mulProgram)
	add(c.parts.multiplyBase, c.mulBaseProgram)
	add(c.mul.selects, func(k Key) (machine.Program, machine.Prover, error) {
		return selectProgram(c.mul.selects, k, impl.TableEntries, 5*c.Field.Words())
	})
	add(c.base.selects, func(k Key) (machine.Program, machine.Prover, error) {
		return selectProgram(c.base.selects, k, impl.CombEntries, 2*c.Field.Words())
	})
	return fs
}

// Routines lists the routines that only signatures need: see Curve.Routines.
func (s *Signatures) Routines() []Function {
	var fs []Function
	for _, p := range []*signaturePart{&s.digest, &s.signature, &s.verifiers, &s.add, &s.match} {
		fs = append(fs, Function{Name: p.contract.Name(), Program: p.program})
	}
	return fs
}

// program is an operation's routine with its proof.
func (f *Field) program(op string, k Key) (machine.Program, machine.Prover, error) {
	if op == impl.Mask {
		return maskProgram(f.contracts[op], k.Target, f.Words())
	}
	return proof.Internal(f.spec, op, f.contracts[op], k.Target, k.Variant)
}
