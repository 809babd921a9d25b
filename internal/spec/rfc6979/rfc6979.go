// Package rfc6979 specifies the arithmetic of RFC 6979, the deterministic choice of ECDSA's per-message secret number, in
// the logic: the octets that key HMAC_DRBG, and which number its output gives. HMAC itself is not in the logic; its
// outputs are inputs here.
//
// Octet strings of fixed length stand for the big-endian numbers that they are, so that int2octets (§2.3.3) is the
// identity. RFC 6979's rlen is 8L bits for the curves of package weierstrass.
package rfc6979

import (
	"fmt"

	"verum.example/internal/spec/ecdsa"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// Bits2Octets is the string of L octets that stands for a string h: §2.3.4. With z₁ = bits2int(h), below 2^qlen, it is
// z₁ − n if that is not negative, otherwise z₁.
func Bits2Octets(c weierstrass.Curve, h logic.Term, octets int) logic.Term {
	z1 := ecdsa.Bits2Int(c, h, octets)
	z2 := logic.Sub(z1, c.N())
	return logic.Ite(logic.Ge0(z2), z2, z1)
}

// choose(n, t, rest) is (true, t) if 1 ≤ t < n, otherwise rest.
var choose = func() logic.Def {
	n, t := logic.Var("n", logic.Int()), logic.Var("t", logic.Int())
	rest := logic.Var("rest", logic.TupleOf(logic.Bool(), logic.Int()))
	f, err := logic.Define("rfc6979.choose", []logic.Term{n, t, rest},
		logic.Ite(logic.And(logic.Le(logic.N(1), t), logic.Lt(t, n)), logic.MkTuple(logic.True(), t), rest))
	if err != nil {
		panic(fmt.Sprintf("spec/rfc6979: %v", err))
	}
	return f
}()

// Nonce is the pair (ok, k) of the first acceptable candidate among strings T of L octets, the outputs of HMAC_DRBG in
// their order: §3.2 step h. A candidate is k = bits2int(T), acceptable if 1 ≤ k < n. If none is acceptable, it's
// (false, 0). That k gives r ≠ 0, which step h also demands, is known only to ecdsa.Sign.
func Nonce(c weierstrass.Curve, candidates ...logic.Term) logic.Term {
	r := logic.MkTuple(logic.False(), logic.N(0))
	for i := len(candidates) - 1; i >= 0; i-- {
		r = choose.App(c.N(), ecdsa.Bits2Int(c, candidates[i], c.Bytes()), r)
	}
	return r
}

// OK is the flag of a Nonce.
func OK(nonce logic.Term) logic.Term { return logic.Proj(0, nonce) }

// K is the number of a Nonce, 0 if it isn't OK.
func K(nonce logic.Term) logic.Term { return logic.Proj(1, nonce) }
