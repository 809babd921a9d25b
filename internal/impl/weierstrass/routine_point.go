package weierstrass

import "verum.example/internal/tcb/machine"

// Sizes of temporary memory in field elements. The code of this file needs 3 for a doubling and 11 for an addition; the
// rest is for code that keeps more words of its own (see FusedCode).
const (
	DoubleTemps = 9
	AddTemps    = 16
	PowerTemps  = 16

	// MaskTemp is the element of the temporary memory of an addition that has two masks: a is O, b is O.
	MaskTemp = 10
)

// coordinate is coordinate i of the point at p: X, Y, Z, Z², Z³.
func (f *Field) coordinate(p Ptr, i int) Ptr { return p.At(i * f.Bytes()) }

// NewDouble makes the routine double(r, a, tmp): r = 2a, for a = −3. Parameters are points, tmp has DoubleTemps
// elements. It is the halving form:
//
//	M = 3(X−Z²)(X+Z²)/2, S = XY², X' = M² − 2S, Y' = M(S−X') − Y⁴, Z' = YZ
func NewDouble(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	r, a, tmp := b.Param("r"), b.Param("a"), b.Param("tmp")
	X, Y, Z := a, f.coordinate(a, 1), f.coordinate(a, 2)
	X3, Y3, Z3 := r, f.coordinate(r, 1), f.coordinate(r, 2)
	t0, t1, t2 := tmp, f.coordinate(tmp, 1), f.coordinate(tmp, 2)
	b.Sqr(f, t0, Z)
	b.Sub(f, t1, X, t0)
	b.Add(f, t0, X, t0)
	b.Mul(f, t0, t0, t1)
	b.Half(f, t1, t0)
	b.Add(f, t0, t0, t1) // M
	b.Sqr(f, t1, Y)
	b.Mul(f, Z3, Y, Z) // Z is not used any more: r may be a
	b.Mul(f, t2, X, t1)
	b.Sqr(f, t1, t1) // Y⁴
	b.Sqr(f, X3, t0)
	b.Sub(f, X3, X3, t2)
	b.Sub(f, X3, X3, t2)
	b.Sub(f, t2, t2, X3)
	b.Mul(f, t2, t2, t0)
	b.Sub(f, Y3, t2, t1)
	return b.Finish()
}

// NewAdd makes the routine add(r, a, b, tmp): r = a + b for a point a and a cached point b with a ≠ b, or one of them
// O. tmp has AddTemps elements.
//
//	U1 = X1·Z2², U2 = X2·Z1², S1 = Y1·Z2³, S2 = Y2·Z1³, H = U2−U1, R = S2−S1
//	X3 = R² − H³ − 2·U1·H², Y3 = R(U1·H²−X3) − S1·H³, Z3 = Z1·Z2·H
func NewAdd(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	q := b.Param("b")
	z := f.coordinate(q, 2)
	b.addition(f, q, &z, func(noA, noB, sum Ptr) {
		a, r := b.Param("a"), b.Param("r")
		b.Mask(f, noA, f.coordinate(a, 2))
		b.Mask(f, noB, z)
		for i := range 3 {
			b.CMov(f, f.coordinate(sum, i), f.coordinate(q, i), noA)
			b.CMov(f, f.coordinate(sum, i), f.coordinate(a, i), noB)
		}
		b.Copy(r, sum, 3*f.Bytes())
	})
	return b.Finish()
}

// NewAddAffine makes the routine addAffine(r, a, b, tmp): as NewAdd for an affine point b, Z2 = 1. mask is the routine
// that tells that a whole point, X and Y, is zero.
func NewAddAffine(t machine.Target, variant string, c machine.Contract, f *Field, mask machine.Verified) (Code, error) {
	b := NewBuilder(t, variant, c)
	q := b.Param("b")
	b.addition(f, q, nil, func(noA, noB, sum Ptr) {
		a, r := b.Param("a"), b.Param("r")
		one := b.Table(f.Name+"One", Words(f.R(), f.Words))
		b.Mask(f, noA, f.coordinate(a, 2))
		b.Call("mask", mask, noB, q)
		b.Mark("mask")
		for i := range 3 {
			x := f.coordinate(q, i)
			if i == 2 {
				x = one
			}
			b.CMov(f, f.coordinate(sum, i), x, noA)
			b.CMov(f, f.coordinate(sum, i), f.coordinate(a, i), noB) // after it: if both are O, the sum is a
		}
		b.Copy(r, sum, 3*f.Bytes())
	})
	return b.Finish()
}

// addition computes the sum of a and q, which has Z2 unless z is nil, and calls choose with two words for masks and
// the sum.
func (b *Builder) addition(f *Field, q Ptr, z *Ptr, choose func(noA, noB, sum Ptr)) {
	a, tmp := b.Param("a"), b.Param("tmp")
	el := func(i int) Ptr { return f.coordinate(tmp, i) }
	X1, Y1, Z1 := a, f.coordinate(a, 1), f.coordinate(a, 2)
	X2, Y2 := q, f.coordinate(q, 1)
	sum, zz, u1, h, s1, r := el(0), el(3), el(4), el(5), el(6), el(7)
	hh, hhh, v, masks := el(8), el(3), el(9), el(MaskTemp) // zz is not used when hhh is
	X3, Y3, Z3 := sum, f.coordinate(sum, 1), f.coordinate(sum, 2)

	b.Sqr(f, zz, Z1)
	b.Mul(f, h, X2, zz) // U2
	b.Mul(f, zz, zz, Z1)
	b.Mul(f, r, Y2, zz) // S2
	if z != nil {
		b.Mul(f, u1, X1, f.coordinate(q, 3))
		b.Mul(f, s1, Y1, f.coordinate(q, 4))
		b.Mul(f, Z3, Z1, *z)
	} else {
		u1, s1 = X1, Y1
	}
	b.Sub(f, h, h, u1)
	b.Sub(f, r, r, s1)
	if z != nil {
		b.Mul(f, Z3, Z3, h)
	} else {
		b.Mul(f, Z3, Z1, h)
	}
	b.Sqr(f, hh, h)
	b.Mul(f, hhh, hh, h)
	b.Mul(f, v, u1, hh)
	b.Sqr(f, X3, r)
	b.Sub(f, X3, X3, hhh)
	b.Sub(f, X3, X3, v)
	b.Sub(f, X3, X3, v)
	b.Sub(f, v, v, X3)
	b.Mul(f, v, v, r)
	b.Mul(f, hhh, hhh, s1)
	b.Sub(f, Y3, v, hhh)
	choose(masks, masks.At(8), sum)
}

// NewCache makes the routine cache(c): it sets Z² and Z³ of a cached point.
func NewCache(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	p := b.Param("c")
	Z, ZZ, ZZZ := f.coordinate(p, 2), f.coordinate(p, 3), f.coordinate(p, 4)
	b.Sqr(f, ZZ, Z)
	b.Mul(f, ZZZ, ZZ, Z)
	return b.Finish()
}
