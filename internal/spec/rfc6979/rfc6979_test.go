package rfc6979

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"math/big"
	"testing"

	"verum.example/internal/spec/ecdsa"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/vectors"
)

// budget is enough steps for two multiples of a point of the largest curve.
const budget = 1 << 27

func eval(t testing.TB, e logic.Term) logic.Value {
	t.Helper()
	v, err := logic.Eval(e, nil, budget)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	return v
}

// number is the number that a string of octets stands for.
func number(b []byte) logic.Term { return logic.IntConst(new(big.Int).SetBytes(b)) }

// candidates are the first strings T of RFC 6979 §3.2 for the digest h and SHA-256: HMAC in Go around the specification.
func candidates(t testing.TB, c weierstrass.Curve, d *big.Int, h []byte, count int) (ts []logic.Term) {
	t.Helper()
	octets := c.Bytes()
	mac := func(key []byte, data ...[]byte) []byte {
		m := hmac.New(sha256.New, key)
		for _, b := range data {
			m.Write(b)
		}
		return m.Sum(nil)
	}
	h1 := eval(t, Bits2Octets(c, number(h), len(h))).Big().FillBytes(make([]byte, octets))
	x := d.FillBytes(make([]byte, octets))
	v, k := bytes.Repeat([]byte{1}, 32), make([]byte, 32) // steps b, c
	k = mac(k, v, []byte{0}, x, h1)                       // d
	v = mac(k, v)                                         // e
	k = mac(k, v, []byte{1}, x, h1)                       // f
	v = mac(k, v)                                         // g
	for range count {                                     // h
		var s []byte
		for len(s) < octets {
			v = mac(k, v)
			s = append(s, v...)
		}
		ts = append(ts, number(s[:octets]))
		k = mac(k, v, []byte{0})
		v = mac(k, v)
	}
	return ts
}

// TestVectors signs with the nonces of the specification.
func TestVectors(t *testing.T) {
	curves := map[string]weierstrass.Curve{}
	for _, c := range weierstrass.Curves() {
		curves[c.Name()] = c
	}
	tests, looped := 0, 0
	done := map[string]bool{}
	for _, v := range vectors.RFC6979(t) {
		c, ok := curves[v.Curve]
		if !ok {
			t.Fatalf("unknown curve %s", v.Curve)
		}
		if done[v.Curve] && v.Curve != "P-256" {
			continue // the evaluator takes seconds for the larger curves
		}
		done[v.Curve] = true
		h := sha256.Sum256([]byte(v.Message))
		ts := candidates(t, c, v.D, h[:], 8)
		nonce := Nonce(c, ts...)
		if !eval(t, OK(nonce)).Bool() {
			t.Fatalf("%s, %q: no nonce", v.Curve, v.Message)
		}
		if !eval(t, OK(Nonce(c, ts[0]))).Bool() {
			looped++
		}
		sig := ecdsa.Sign(c, logic.IntConst(v.D), ecdsa.Bits2Int(c, number(h[:]), len(h)), K(nonce))
		want := new(big.Int).Lsh(v.R, uint(8*c.Bytes()))
		want.Add(want, v.S)
		e := eval(t, sig).Elems()
		if !e[0].Bool() || e[1].Big().Cmp(want) != 0 {
			t.Errorf("%s, %q: %v, want %x", v.Curve, v.Message, e, want)
		}
		tests++
	}
	t.Logf("%d vectors, %d with a second candidate", tests, looped)
	if !done["P-256"] || looped == 0 {
		t.Error("a vector is missing")
	}
}

// TestNonce: the first candidate in range is taken; none may be.
func TestNonce(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		n, _ := c.N().Const()
		// T whose leftmost bits are a number; P-521 has 7 bits more in L octets.
		excess := 8*c.Bytes() - n.BitLen()
		candidate := func(k *big.Int) logic.Term {
			x := new(big.Int).Lsh(k, uint(excess))
			return logic.IntConst(x.Add(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(excess)), big.NewInt(1))))
		}
		zero, one, five := new(big.Int), big.NewInt(1), big.NewInt(5)
		last := new(big.Int).Sub(n, one)
		for _, tt := range []struct {
			ks   []*big.Int
			want *big.Int // nil for none
		}{
			{nil, nil},
			{[]*big.Int{zero}, nil},
			{[]*big.Int{n, zero, n}, nil},
			{[]*big.Int{one, five}, one},
			{[]*big.Int{last, five}, last},
			{[]*big.Int{zero, n, five, last}, five},
			{[]*big.Int{zero, n, n, last}, last},
		} {
			var ts []logic.Term
			for _, k := range tt.ks {
				ts = append(ts, candidate(k))
			}
			v := eval(t, Nonce(c, ts...)).Elems()
			if v[0].Bool() != (tt.want != nil) || tt.want == nil && v[1].Big().Sign() != 0 || tt.want != nil && v[1].Big().Cmp(tt.want) != 0 {
				t.Errorf("%s: %x: %v, want %v", c.Name(), tt.ks, v, tt.want)
			}
		}
		// bits2octets: reduced modulo n, once.
		for _, z := range []*big.Int{zero, one, last, n, new(big.Int).Add(n, five)} {
			got := eval(t, Bits2Octets(c, candidate(z), c.Bytes())).Big()
			if want := new(big.Int).Mod(z, n); got.Cmp(want) != 0 {
				t.Errorf("%s: bits2octets(%x) = %x, want %x", c.Name(), z, got, want)
			}
		}
	}
}
