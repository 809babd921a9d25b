//go:build amd64 || arm64

package ecdsa

import (
	"crypto"
	"crypto/rand"
	"errors"
	"hash"

	"verum.example/internal/asm/p256"
	"verum.example/internal/call"
)

// workspace holds what a function of internal/asm/p256 reads, writes and computes, and what a nonce is derived from.
type workspace struct {
	d, k, extra [32]byte
	digest, sig [64]byte
	pub         [65]byte
	drbg        drbg
	work        [512]uint64
}

var workspaces call.Pool[workspace]

func allowed() error { return call.Allowed("verum/ecdsa") }

// put copies as much of the digest as the proved functions read, of which what is longer than n doesn't count.
func (w *workspace) put(digest []byte) (size uint64) { return uint64(copy(w.digest[:], digest)) }

// sign signs with a nonce as RFC 6979 has it for the hash function, or for h = 0 one that is also made of random bytes (as
// in RFC 6979, section 3.6), with HMAC-SHA-256.
func sign(priv *PrivateKey, digest []byte, h crypto.Hash) (sig [64]byte, err error) {
	if err := allowed(); err != nil {
		return sig, err
	}
	switch {
	case !priv.valid():
		return sig, errPrivate
	case len(digest) == 0:
		return sig, errEmpty
	}
	ok := false
	workspaces.Do(func(w *workspace) {
		size := w.put(digest)
		if !call.Copy(w.d[:], priv.scalar) {
			return
		}
		octets := bits2octets(w.digest[:size])
		var newHash func() hash.Hash // SHA-256
		if h != 0 && h != crypto.SHA256 {
			newHash = h.New
		}
		if h == 0 {
			rand.Read(w.extra[:])
			w.drbg.init(newHash, w.d[:], octets[:], w.extra[:])
		} else {
			w.drbg.init(newHash, w.d[:], octets[:])
		}
		// A nonce is not below n, or gives r = 0 or s = 0, with probability 2⁻³²: many in a row mean that something is wrong.
		for range 16 {
			w.drbg.next(newHash, &w.k)
			if ok = p256.Sign(&w.sig, &w.d, &w.digest, size, &w.k, &w.work) == 1; ok {
				sig = w.sig
				return
			}
		}
	})
	if !ok {
		return sig, errors.New("verum/ecdsa: internal error: no nonce was usable")
	}
	return sig, nil
}

// verify verifies r ‖ s.
func verify(pub *PublicKey, digest, sig []byte) (ok bool) {
	if allowed() != nil || !pub.valid() || len(digest) == 0 {
		return false
	}
	workspaces.Do(func(w *workspace) {
		size := w.put(digest)
		ok = call.Copy(w.pub[:], pub.point) && call.Copy(w.sig[:], sig) &&
			p256.Verify(&w.pub, &w.digest, size, &w.sig, &w.work) == 1
	})
	return ok
}
