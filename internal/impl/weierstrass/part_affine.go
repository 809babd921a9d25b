package weierstrass

import "verum.example/internal/tcb/machine"

// InverseMark is the mark after the inversion in NewAffine.
const InverseMark = "inverse"

// NewAffine makes the routine affine(r, a, tmp): r is x = X/Z², y = Y/Z³ as numbers, for a point a, and zeros if a is
// O: the routine inverse gives 0 for 0. tmp has AffineTemps elements.
func NewAffine(t machine.Target, variant string, c machine.Contract, f *Field, inverse machine.Verified) (Code, error) {
	b := NewBuilder(t, variant, c)
	r, a, tmp := b.Param("r"), b.Param("a"), b.Param("tmp")
	i, ii := f.coordinate(tmp, PowerTemps), f.coordinate(tmp, PowerTemps+1)
	x, y := r, f.coordinate(r, 1)
	b.Call(InverseMark, inverse, i, f.coordinate(a, 2), tmp)
	b.Mark(InverseMark)
	b.Sqr(f, ii, i)
	b.Mul(f, x, ii, a)
	b.Mul(f, ii, ii, i)
	b.Mul(f, y, ii, f.coordinate(a, 1))
	b.Do(f, "FromMont", x, x)
	b.Do(f, "FromMont", y, y)
	return b.Finish()
}
