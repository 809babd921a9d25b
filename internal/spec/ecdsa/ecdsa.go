// Package ecdsa specifies ECDSA on curves of prime order, in the logic: FIPS 186-5 §6.4, with the digest and the
// per-message secret number as inputs.
//
// Octet strings of fixed length stand for the big-endian numbers that they are: private keys, secret numbers and each
// half of a signature r ‖ s have L octets, public keys 1 + 2L (see package weierstrass). All functions are total; what
// fails gives false and a zeroed output.
package ecdsa

import (
	"fmt"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

var (
	p, a, b, n, w = integer("p"), integer("a"), integer("b"), integer("n"), integer("w")
	d, e, k, r, s = integer("d"), integer("e"), integer("k"), integer("r"), integer("s")
	pub, sig      = integer("pub"), integer("sig")
	pG            = logic.Var("G", weierstrass.PointSort())
	zero          = logic.N(0)
	one           = logic.N(1)
)

func integer(name string) logic.Term { return logic.Var(name, logic.Int()) }

func define(name string, params []logic.Term, body logic.Term) logic.Def {
	f, err := logic.Define("ecdsa."+name, params, body)
	if err != nil {
		panic(fmt.Sprintf("spec/ecdsa: %v", err))
	}
	return f
}

type terms = []logic.Term

// inRange: 1 ≤ x ≤ n−1.
func inRange(n, x logic.Term) logic.Term { return logic.And(logic.Le(one, x), logic.Lt(x, n)) }

// Bits2Int is the integer e that stands for a string of octets, the number h, in the arithmetic modulo n: its leftmost
// bits, as many as n has, or all bits if it has no more. FIPS 186-5 §6.4.1; bits2int of RFC 6979 §2.3.2.
// It isn't reduced: e ≥ n is possible. The number of octets is not negative, and the curve's n is a constant.
func Bits2Int(c weierstrass.Curve, h logic.Term, octets int) logic.Term {
	n, _ := c.N().Const()
	if n == nil {
		return logic.Term{}
	}
	return logic.Div(h, logic.Pow2(max(8*octets-n.BitLen(), 0)))
}

// DigestBytes is the size of the buffer that Digest reads: no digest here is longer. Of a longer one only the first
// octets would count.
const DigestBytes = 64

// Digest is the integer e (Bits2Int) of the digest that is the first size octets, 0 ≤ size ≤ DigestBytes, of a string of
// DigestBytes octets, the number h. What follows the digest doesn't matter. The term is Bits2Int in a form for a size that
// isn't constant: the leftmost min(size, L) octets. For that either n has 8L bits, or at least 8·DigestBytes.
func Digest(c weierstrass.Curve, h, size logic.Term) logic.Term {
	n, _ := c.N().Const()
	if n == nil || n.BitLen() != 8*c.Bytes() && n.BitLen() < 8*DigestBytes {
		return logic.Term{}
	}
	l := logic.N(int64(c.Bytes()))
	octets := logic.Ite(logic.Le(size, l), size, l)
	return logic.Div(h, contract.Pow256(logic.Sub(logic.N(DigestBytes), octets)))
}

var sign = define("sign", terms{p, a, n, w, pG, d, e, k}, func() logic.Term {
	r := logic.Mod(weierstrass.X(weierstrass.Mul(k, p, a, pG)), n)
	s := logic.Mod(logic.Mul(weierstrass.Inv(n, k), logic.Add(e, logic.Mul(r, d))), n)
	fail := logic.MkTuple(logic.False(), zero)
	return logic.Ite(logic.And(inRange(n, d), inRange(n, k)),
		logic.Ite(logic.Or(logic.Eq(r, zero), logic.Eq(s, zero)), fail,
			logic.MkTuple(logic.True(), logic.Add(logic.Mul(w, r), s))),
		fail)
}())

// Sign is the pair (ok, r ‖ s) of the signature of the digest's integer e (Bits2Int) with the private key d and the
// secret number k: FIPS 186-5 §6.4.1,
//
//	r = x([k]G) mod n, s = k⁻¹(e + rd) mod n.
//
// It's (false, 0) unless 1 ≤ d, k < n, and where r = 0 or s = 0: then another k is to be tried.
func Sign(c weierstrass.Curve, d, e, k logic.Term) logic.Term {
	return sign.App(c.P(), c.A(), c.N(), c.W(), c.G(), d, e, k)
}

var verifies = define("verifies", terms{p, a, b, n, w, pG, pub, e, r, s}, func() logic.Term {
	q := weierstrass.Decode(p, a, b, w, pub)
	inv := weierstrass.Inv(n, s)
	u := logic.Mod(logic.Mul(e, inv), n)
	v := logic.Mod(logic.Mul(r, inv), n)
	sum := weierstrass.Add(p, a, weierstrass.Mul(u, p, a, pG), weierstrass.Mul(v, p, a, q))
	ok := logic.And(logic.Not(weierstrass.IsInfinity(sum)), logic.Eq(logic.Mod(weierstrass.X(sum), n), r))
	return logic.Ite(logic.And(inRange(n, r), inRange(n, s), logic.Not(weierstrass.IsInfinity(q))), ok, logic.False())
}())

var verify = define("verify", terms{p, a, b, n, w, pG, pub, e, sig},
	verifies.App(p, a, b, n, w, pG, pub, e, logic.Div(sig, w), logic.Mod(sig, w)))

// Verify is the Bool that says whether sig = r ‖ s is a signature of the digest's integer e (Bits2Int) under the public
// key Q that pub encodes, 04 ‖ X ‖ Y: FIPS 186-5 §6.4.2. That is, pub is valid, 1 ≤ r, s < n, and
//
//	R = [es⁻¹ mod n]G + [rs⁻¹ mod n]Q is not O, and x(R) mod n = r.
func Verify(c weierstrass.Curve, pub, e, sig logic.Term) logic.Term {
	return verify.App(c.P(), c.A(), c.B(), c.N(), c.W(), c.G(), pub, e, sig)
}

// OK is the flag of Sign's result.
func OK(result logic.Term) logic.Term { return logic.Proj(0, result) }

// Signature is the signature of Sign's result, 0 if it isn't OK.
func Signature(result logic.Term) logic.Term { return logic.Proj(1, result) }
