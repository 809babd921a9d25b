// Package weierstrass proves the routines and functions of impl/weierstrass.
//
// A Curve has the verified field operations of its coordinates and of its scalars (Curve.Field, Curve.Scalars), and the
// routines for points, for each target and variant: each is verified once and then shared. Contracts of routines are
// made when the package is initialised, so that their terms are permanent.
//
// Trace follows the field operations of a routine (see impl/weierstrass.Builder) and turns what they ensure into
// congruences between opaque variables.
package weierstrass

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	proof "verum.example/internal/proof/mont"
	"verum.example/internal/spec/mont"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"

	implmont "verum.example/internal/impl/mont"
)

type (
	// Term and Theorem as in package auto.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

// Key is a target and a CPU-feature variant.
type Key struct {
	Target  machine.Target
	Variant string
}

// Keys lists all targets with their variants.
func Keys() []Key {
	return []Key{{machine.ARM64, ""}, {machine.AMD64, ""}, {machine.AMD64, "bmi2"}}
}

// memo verifies something once for each key.
type memo[T any] map[Key]func() (T, error)

func newMemo[T any](f func(Key) (T, error)) memo[T] {
	m := memo[T]{}
	for _, k := range Keys() {
		m[k] = sync.OnceValues(func() (T, error) { return f(k) })
	}
	return m
}

func (m memo[T]) get(t machine.Target, variant string) (T, error) {
	f, ok := m[Key{t, variant}]
	if !ok {
		var zero T
		return zero, fmt.Errorf("proof/weierstrass: there is no variant %q for %v", variant, t)
	}
	return f()
}

// Field is the numbers modulo a prime, with the contracts of its routines.
type Field struct {
	spec      *mont.Field
	contracts map[string]machine.Contract // by operation
	verified  memo[*impl.Field]
	inverse   *power
	root      *power // nil unless the modulus is 3 modulo 4
}

// Name is the prefix of the routines' names.
func (f *Field) Name() string { return f.spec.Name }

// Words is the number n of words of an element.
func (f *Field) Words() int { return f.spec.Words }

// Bytes is the size of an element.
func (f *Field) Bytes() int { return 8 * f.Words() }

// Residue is the residue that the element x, in Montgomery form, stands for: x·R⁻¹, not reduced.
func (f *Field) Residue(x Term) Term { return auto.Scale(f.Ri(), x) }

// M is the modulus.
func (f *Field) M() *big.Int { return new(big.Int).Set(f.spec.M) }

// P is the modulus as a term.
func (f *Field) P() Term { return logic.IntConst(f.spec.M) }

// R is 2^(64n).
func (f *Field) R() *big.Int { return auto.Pow2(64 * f.spec.Words) }

// Ri is R⁻¹ modulo the modulus.
func (f *Field) Ri() *big.Int { return new(big.Int).ModInverse(f.R(), f.spec.M) }

// Contract is the contract of an operation, one of FieldOps.
func (f *Field) Contract(op string) machine.Contract { return f.contracts[op] }

// FieldOps lists the operations of a field: those of spec/mont but Select, and impl/weierstrass.Mask.
func FieldOps() []string {
	ops := slices.DeleteFunc(proof.Operations(), func(op string) bool { return op == "Select" })
	return append(ops, impl.Mask)
}

// newField makes the contracts of a field; it panics on an error, which is one of this package.
func newField(s *mont.Field) *Field {
	f := &Field{spec: s, contracts: map[string]machine.Contract{}}
	for _, op := range FieldOps() {
		var err error
		if name := s.Name + "Fe" + op; op == impl.Mask {
			f.contracts[op], err = maskContract(name, s.Words)
		} else {
			f.contracts[op], err = proof.InternalContract(s, op, name)
		}
		if err != nil {
			panic(fmt.Sprintf("proof/weierstrass: %v", err))
		}
	}
	f.verified = newMemo(f.verify)
	f.inverse, f.root = newInverse(f), newRoot(f)
	return f
}

// Verified are the field's verified routines.
func (f *Field) Verified(t machine.Target, variant string) (*impl.Field, error) {
	return f.verified.get(t, variant)
}

// verify verifies the routines of a field. An operation without a variant of its own is shared with the baseline.
func (f *Field) verify(k Key) (*impl.Field, error) {
	r := &impl.Field{Name: f.Name(), M: f.M(), Words: f.Words(), Ops: map[string]machine.Verified{}}
	for _, op := range FieldOps() {
		if !slices.Contains(implmont.Variants(k.Target, op), k.Variant) {
			base, err := f.Verified(k.Target, "")
			if err != nil {
				return nil, err
			}
			r.Ops[op] = base.Ops[op]
			continue
		}
		p, pr, err := f.program(op, k)
		if err != nil {
			return nil, err
		}
		if r.Ops[op], err = machine.Verify(p, pr); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Curve is a curve with the contracts and verified routines of its fields and points.
type Curve struct {
	Spec    spec.Curve
	Field   *Field // of the coordinates
	Scalars *Field // modulo the order of the group

	points   pointContracts
	parts    partContracts
	base     *baseMultiples
	mul      *multiples
	verified pointMemos

	verifiedParts partMemos
}

var p256 = newCurve(spec.P256(), mont.P256(), mont.P256Ord())

func newCurve(s spec.Curve, p, n *mont.Field) *Curve {
	c := &Curve{Spec: s, Field: newField(p), Scalars: newField(n)}
	c.points = c.newPointContracts()
	c.parts = c.newPartContracts()
	c.base = c.newBaseMultiples()
	c.mul = c.newMultiples()
	c.verified = c.newPointMemos()
	c.verifiedParts = c.newPartMemos()
	return c
}

// P256 is P-256.
func P256() *Curve { return p256 }
