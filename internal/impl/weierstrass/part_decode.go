package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/machine"
)

// Constants are the coefficients of a curve and the coordinates of its base point.
type Constants struct{ A, B, GX, GY *big.Int }

// NewDecode makes the routine decode(q, valid, b, tmp): q is the affine point that the octets b encode, 04 ‖ x ‖ y, and
// the word valid is all ones; if b encodes none, q is the base point and valid is 0. tmp has DecodeTemps elements.
//
// Whether b is valid is decided by four words that are zero if it is: tag − 4, two of ok − 1 for the coordinates'
// ranges, and the complement of the mask that (x² + a)x + b − y² is zero.
func NewDecode(t machine.Target, variant string, c machine.Contract, f *Field, k Constants) (Code, error) {
	b := NewBuilder(t, variant, c)
	table := func(name string, vs ...*big.Int) Ptr {
		var ws []uint64
		for _, v := range vs {
			m := new(big.Int).Mul(v, f.R()) // in Montgomery form
			ws = append(ws, Words(m.Mod(m, f.M), f.Words)...)
		}
		return b.Table(f.Name+name, ws)
	}
	q, valid, p, tmp := b.Param("q"), b.Param("valid"), b.Param("b"), b.Param("tmp")
	flags, x, y, u := tmp, f.coordinate(tmp, 1), f.coordinate(tmp, 2), f.coordinate(tmp, 3)
	v := q // until it is set
	r := b.regs()[0]
	b.Zero(flags, f.Bytes())
	b.loadByte(r, p)
	b.subImm(r, 4)
	b.StoreReg(flags, r)
	for i, c := range []Ptr{x, y} {
		b.Do(f, "FromBytes", c, p.At(1+i*f.Bytes()))
		b.move(r, b.ParamReg(0))
		b.subImm(r, 1)
		b.StoreReg(flags.At(8+8*i), r)
		b.Do(f, "ToMont", c, c)
	}
	b.Sqr(f, u, x)
	b.Add(f, u, u, table("A", k.A))
	b.Mul(f, u, u, x)
	b.Add(f, u, u, table("B", k.B))
	b.Sqr(f, v, y)
	b.Sub(f, u, u, v)
	curve := flags.At(24)
	b.Mask(f, curve, u)
	b.LoadReg(r, curve)
	b.not(r)
	b.StoreReg(curve, r)
	b.Mask(f, valid, flags)
	b.Copy(q, table("G", k.GX, k.GY), 2*f.Bytes())
	b.CMov(f, q, x, valid)
	b.CMov(f, f.coordinate(q, 1), y, valid)
	return b.Finish()
}
