package weierstrass

import "verum.example/internal/tcb/machine"

// MatchTemps is the size in field elements of the temporary memory of NewMatch.
const MatchTemps = AffineTemps + 3

// NewMatch makes the routine match(ok, a, r, tmp): the word ok is all ones if the point a is not O and x(a) mod n = r, for
// a number 1 ≤ r < n, else 0. tmp has MatchTemps elements. Coordinates and scalars have the same size.
func NewMatch(t machine.Target, variant string, c machine.Contract, scalars *Field, affine machine.Verified) (Code, error) {
	f := scalars
	b := NewBuilder(t, variant, c)
	tmp := b.Param("tmp")
	xy, x := f.coordinate(tmp, AffineTemps), f.coordinate(tmp, AffineTemps+2)
	b.Call("affine", affine, xy, b.Param("a"), tmp)
	b.Mark("affine")
	b.Do(f, "ToMont", x, xy)
	b.Do(f, "FromMont", x, x)
	b.Sub(f, x, x, b.Param("r"))
	b.Mask(f, b.Param("ok"), x)
	return b.Finish()
}
