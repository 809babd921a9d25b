package weierstrass

import "verum.example/internal/tcb/machine"

// ProductMark is the mark in NewECDH and NewPublicKey after the affine coordinates of the product.
const ProductMark = "product"

// Layout says where a function has what it computes in its scratch memory.
type Layout struct {
	Tmp            Ptr // for the routines
	Q              Ptr // the public key or the base point, affine
	K              Ptr // the scalar
	Product        Ptr // kQ
	XY             Ptr // its affine coordinates
	Valid, Invalid Ptr // masks: the public key is valid, d is no private key
	Fine           Ptr // mask: all is well
}

// NewECDH makes the function ECDH(secret, d, peer, work): the x-coordinate of kQ for the scalar k = d, or 1 if d is no
// private key, and the point Q = peer, or G if that is no public key; the secret is zero if one of them is invalid.
func NewECDH(t machine.Target, variant string, c machine.Contract, r Parts) (Code, Layout, error) {
	b, w := function(t, variant, c, r.Field)
	l := Layout{Tmp: w.elements(max(DecodeTemps, ScalarTemps, MulTemps, AffineTemps)), Q: w.elements(2),
		K: w.elements(1), Product: w.elements(3), XY: w.elements(2), Valid: w.elements(1)}
	l.Invalid, l.Fine = l.Valid.At(8), l.Valid.At(16)
	w.start()
	b.Call("decode", r.Decode, l.Q, l.Valid, b.Param("peer"), l.Tmp)
	b.Call("scalar", r.Scalar, l.K, l.Invalid, b.Param("d"), l.Tmp)
	b.Call("multiply", r.Multiply, l.Product, l.K, l.Q, l.Tmp)
	b.Call("affine", r.Affine, l.XY, l.Product, l.Tmp)
	b.Mark(ProductMark)
	mask, word := b.regs()[0], b.regs()[1]
	b.LoadReg(mask, l.Invalid)
	b.not(mask)
	b.LoadReg(word, l.Valid)
	b.and(mask, word)
	b.StoreReg(l.Fine, mask)
	b.keep(l.XY, r.Field.Bytes(), mask, word)
	b.Do(r.Field, "ToBytes", b.Param("secret"), l.XY)
	w.finish(l.Fine)
	code, err := b.Finish()
	return code, l, err
}
