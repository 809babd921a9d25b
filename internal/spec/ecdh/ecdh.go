// Package ecdh specifies Diffie–Hellman key agreement on curves of prime order, in the logic: SEC 1 version 2.0 §3.3.1,
// which with cofactor 1 is the primitive of SP 800-56A revision 3 §5.7.1.2, and the public key of SEC 1 §3.2.1.
//
// Octet strings of fixed length stand for the big-endian numbers that they are: private keys and shared secrets have L
// octets, public keys 1 + 2L (see package weierstrass). Whatever fails gives (false, 0), a zeroed output.
package ecdh

import (
	"fmt"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

var (
	p, a, b, n, w = integer("p"), integer("a"), integer("b"), integer("n"), integer("w")
	d, peer       = integer("d"), integer("peer")
	pG            = logic.Var("G", weierstrass.PointSort())
	zero          = logic.N(0)
	one           = logic.N(1)
)

func integer(name string) logic.Term { return logic.Var(name, logic.Int()) }

func define(name string, params []logic.Term, body logic.Term) logic.Def {
	f, err := logic.Define("ecdh."+name, params, body)
	if err != nil {
		panic(fmt.Sprintf("spec/ecdh: %v", err))
	}
	return f
}

type terms = []logic.Term

// result is (true, v) under a condition, otherwise (false, 0).
func result(ok, v logic.Term) logic.Term {
	return logic.Ite(ok, logic.MkTuple(logic.True(), v), logic.MkTuple(logic.False(), zero))
}

// isPrivate: 1 ≤ d ≤ n−1.
func isPrivate(n, d logic.Term) logic.Term { return logic.And(logic.Le(one, d), logic.Lt(d, n)) }

var shared = define("shared", terms{p, a, b, n, w, d, peer}, func() logic.Term {
	q := weierstrass.Decode(p, a, b, w, peer)
	s := weierstrass.Mul(d, p, a, q)
	ok := logic.Not(weierstrass.IsInfinity(s))
	return logic.Ite(logic.And(isPrivate(n, d), logic.Not(weierstrass.IsInfinity(q))),
		result(ok, weierstrass.X(s)), result(logic.False(), zero))
}())

// Shared is the pair (ok, z) of the shared secret z = x([d]Q), where d is a private key and peer encodes the public key
// Q, 04 ‖ X ‖ Y. It's (false, 0) unless 1 ≤ d < n and peer is valid: coordinates below p, on the curve. That [d]Q isn't O
// (SEC 1 §3.3.1 step 2, SP 800-56A §5.7.1.2 step 2) is part of ok, though it follows for prime n.
func Shared(c weierstrass.Curve, d, peer logic.Term) logic.Term {
	return shared.App(c.P(), c.A(), c.B(), c.N(), c.W(), d, peer)
}

var publicKey = define("publicKey", terms{p, a, n, w, pG, d},
	result(isPrivate(n, d), weierstrass.Encode(w, weierstrass.Mul(d, p, a, pG))))

// PublicKey is the pair (ok, e) of the public key [d]G of a private key d, encoded as 04 ‖ X ‖ Y. It's (false, 0) unless
// 1 ≤ d < n.
func PublicKey(c weierstrass.Curve, d logic.Term) logic.Term {
	return publicKey.App(c.P(), c.A(), c.N(), c.W(), c.G(), d)
}

// OK is the flag of a result.
func OK(result logic.Term) logic.Term { return logic.Proj(0, result) }

// Value is the output of a result, 0 if it isn't OK.
func Value(result logic.Term) logic.Term { return logic.Proj(1, result) }
