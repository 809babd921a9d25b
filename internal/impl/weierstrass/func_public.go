package weierstrass

import "verum.example/internal/tcb/machine"

// NewPublicKey makes the function PublicKey(pub, d, work): 04 ‖ x ‖ y for the coordinates of kG, where the scalar k is
// d, or 1 if d is no private key; then pub is zero.
func NewPublicKey(t machine.Target, variant string, c machine.Contract, r Parts) (Code, Layout, error) {
	f := r.Field
	b, w := function(t, variant, c, f)
	l := Layout{Tmp: w.elements(max(ScalarTemps, MulBaseTemps, AffineTemps)), K: w.elements(1), Product: w.elements(3),
		XY: w.elements(2), Invalid: w.elements(1)}
	l.Fine = l.Invalid.At(8)
	w.start()
	b.Call("scalar", r.Scalar, l.K, l.Invalid, b.Param("d"), l.Tmp)
	b.Call("multiply", r.MultiplyBase, l.Product, l.K, l.Tmp)
	b.Call("affine", r.Affine, l.XY, l.Product, l.Tmp)
	b.Mark(ProductMark)
	mask, word := b.regs()[0], b.regs()[1]
	b.LoadReg(mask, l.Invalid)
	b.not(mask)
	b.StoreReg(l.Fine, mask)
	b.keep(l.XY, 2*f.Bytes(), mask, word)
	b.andImm(mask, 4)
	b.storeByte(b.Param("pub"), mask)
	for i := range 2 {
		b.Do(f, "ToBytes", b.Param("pub").At(1+i*f.Bytes()), f.coordinate(l.XY, i))
	}
	w.finish(l.Fine)
	code, err := b.Finish()
	return code, l, err
}

// NewValidate makes the function Validate(peer, work).
func NewValidate(t machine.Target, variant string, c machine.Contract, r Parts) (Code, Layout, error) {
	b, w := function(t, variant, c, r.Field)
	l := Layout{Tmp: w.elements(DecodeTemps), Q: w.elements(2), Valid: w.elements(1)}
	w.start()
	b.Call("decode", r.Decode, l.Q, l.Valid, b.Param("peer"), l.Tmp)
	b.Mark(ProductMark)
	w.finish(l.Valid)
	code, err := b.Finish()
	return code, l, err
}
