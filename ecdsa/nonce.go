//go:build amd64 || arm64

package ecdsa

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/bits"
)

// order is n, the least significant word first.
var order = [4]uint64{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}

// bits2octets is the function of that name in RFC 6979, section 2.3.4: the digest as an integer, modulo n, where a digest
// longer than n counts with its first 32 bytes. Its time depends on the length only.
func bits2octets(digest []byte) (octets [32]byte) {
	if len(digest) > 32 {
		digest = digest[:32]
	}
	copy(octets[32-len(digest):], digest)
	var z, d [4]uint64
	var borrow uint64
	for i := range z {
		z[i] = binary.BigEndian.Uint64(octets[24-8*i:])
		d[i], borrow = bits.Sub64(z[i], order[i], borrow)
	}
	for i := range z { // z below n stays; n > 2²⁵⁵, so that one subtraction is enough
		binary.BigEndian.PutUint64(octets[24-8*i:], d[i]^(d[i]^z[i])&-borrow)
	}
	return octets
}

// drbg is the generator of RFC 6979, section 3.2: HMAC_DRBG with a hash function. It gives candidates for a nonce. It is part
// of a workspace, so its methods are given the hash function; nil is SHA-256, which is computed on arrays that are wiped.
type drbg struct {
	size  int
	k, v  [64]byte
	buf   [64 + 32 + 1 + 3*32]byte // a padded key and what is hashed after it
	again bool
}

// init is steps a to g. The seed is int2octets(x), bits2octets(h1) and, as in section 3.6, additional data.
func (g *drbg) init(h func() hash.Hash, seed ...[]byte) {
	*g = drbg{size: sha256.Size}
	if h != nil {
		g.size = h().Size()
	}
	for i := range g.size {
		g.v[i] = 1
	}
	g.update(h, 0, seed...)
	g.update(h, 1, seed...)
}

// update sets K = HMAC(K, V ‖ b ‖ seed), V = HMAC(K, V).
func (g *drbg) update(h func() hash.Hash, b byte, seed ...[]byte) {
	if h != nil {
		mac := hmac.New(h, g.k[:g.size])
		mac.Write(g.v[:g.size])
		mac.Write([]byte{b})
		for _, s := range seed {
			mac.Write(s)
		}
		mac.Sum(g.k[:0])
	} else {
		m := append(append(g.buf[:64], g.v[:g.size]...), b)
		for _, s := range seed {
			m = append(m, s...)
		}
		g.hmac256(&g.k, m)
	}
	g.step(h)
}

// step sets V = HMAC(K, V).
func (g *drbg) step(h func() hash.Hash) {
	if h == nil {
		g.hmac256(&g.v, append(g.buf[:64], g.v[:g.size]...))
		return
	}
	mac := hmac.New(h, g.k[:g.size])
	mac.Write(g.v[:g.size])
	mac.Sum(g.v[:0])
}

// hmac256 sets out to HMAC-SHA-256 (RFC 2104) of what follows 64 bytes in m, which is buf, with the key K. It is here and not
// left to crypto/hmac because that takes three times as long and leaves the key on the heap.
func (g *drbg) hmac256(out *[64]byte, m []byte) {
	pad := func(b byte) {
		for i := range 64 {
			m[i] = g.k[i] ^ b
		}
	}
	pad(0x36)
	inner := sha256.Sum256(m)
	pad(0x5c)
	m = append(m[:64], inner[:]...)
	sum := sha256.Sum256(m)
	copy(out[:], sum[:])
	clear(g.buf[:])
}

// next is step h: bits2int of the next string that is as long as n.
func (g *drbg) next(h func() hash.Hash, k *[32]byte) {
	if g.again {
		g.update(h, 0)
	}
	g.again = true
	for n := 0; n < len(k); {
		g.step(h)
		n += copy(k[n:], g.v[:g.size])
	}
}
