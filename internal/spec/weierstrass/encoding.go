package weierstrass

import "verum.example/internal/tcb/logic"

// Octet strings are of fixed length and stand in the logic for the big-endian numbers that they are (SEC 1 §2.3.8), with
// w = 256^L, where L is the number of octets of a field element. No string of these lengths stands for O, which SEC 1
// encodes as the single octet 00; O is here what Decode returns for anything that isn't a valid public key.

var encode = define("encode", terms{w, pP}, logic.Add(logic.Mul(four, w, w), logic.Mul(w, X(pP)), Y(pP)))

// Encode is the uncompressed form 04 ‖ X ‖ Y of an affine point, 1 + 2L octets: SEC 1 §2.3.3, step 3.
func Encode(w, P logic.Term) logic.Term { return encode.App(w, P) }

var decode = define("decode", terms{p, a, b, w, e}, func() logic.Term {
	tag := logic.Div(e, logic.Mul(w, w))
	point := Affine(logic.Mod(logic.Div(e, w), w), logic.Mod(e, w))
	return logic.Ite(logic.And(logic.Eq(tag, four), onCurve.App(p, a, b, point)), point, Infinity())
}())

// Decode is the point whose uncompressed form is e, and O if e is not 04 ‖ X ‖ Y with X, Y < p on the curve: SEC 1
// §2.3.4, step 3. A result other than O is a valid public key as in SEC 1 §3.2.2.1: all is checked but [n]Q = O,
// which holds for all points of a curve whose order is n, as it is for all curves here.
func Decode(p, a, b, w, e logic.Term) logic.Term { return decode.App(p, a, b, w, e) }

var encodeCompressed = define("encodeCompressed", terms{w, pP},
	logic.Add(logic.Mul(logic.Add(two, logic.Mod(Y(pP), two)), w), X(pP)))

// EncodeCompressed is the compressed form of an affine point, 1 + L octets: X after 02 for even y, 03 for odd y. SEC 1
// §2.3.3, step 2.
func EncodeCompressed(w, P logic.Term) logic.Term { return encodeCompressed.App(w, P) }

var decodeCompressed = define("decodeCompressed", terms{p, a, b, w, e}, func() logic.Term {
	tag, x := logic.Div(e, w), logic.Mod(e, w)
	root := Pow(p, rhs(a, b, x), logic.Div(logic.Add(p, one), four))
	same := logic.Eq(logic.Mod(root, two), logic.Sub(tag, two))
	point := Affine(x, logic.Ite(same, root, logic.Sub(p, root)))
	ok := logic.And(logic.Or(logic.Eq(tag, two), logic.Eq(tag, three)), onCurve.App(p, a, b, point))
	return logic.Ite(ok, point, Infinity())
}())

// DecodeCompressed is the point whose compressed form is e, and O if there is none: SEC 1 §2.3.4, step 2. The field must
// have p ≡ 3 (mod 4), as all here but that of P-224: then a square c has the root c^((p+1)/4) (SEC 1
// leaves the method open). For other p the result may be O where there is a point.
func DecodeCompressed(p, a, b, w, e logic.Term) logic.Term {
	return decodeCompressed.App(p, a, b, w, e)
}
