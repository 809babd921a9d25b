package ecdsa_test

import (
	stdecdsa "crypto/ecdsa"
	"crypto/sha256"
	"math/big"
	"testing"

	"verum.example/ecdsa"
)

// FuzzVerify verifies signatures in DER, with this package and with the standard library.
func FuzzVerify(f *testing.F) {
	k := key(f, big.NewInt(7))
	s := std(f, k)
	digest := sha256.Sum256([]byte("message"))
	for range 4 {
		sig, err := ecdsa.SignASN1(nil, k, digest[:])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(digest[:], sig)
		f.Add(digest[:], append(sig, 0))
		f.Add(digest[:], append([]byte{0x30, 0x81, byte(len(sig) - 2)}, sig[2:]...))
		f.Add(digest[:31], sig[:len(sig)-1])
	}
	f.Add([]byte{1}, []byte{0x30, 6, 2, 1, 1, 2, 1, 1})
	f.Add([]byte{}, []byte{0x30, 6, 2, 1, 0, 2, 1, 128})
	f.Fuzz(func(t *testing.T, digest, sig []byte) {
		got := ecdsa.VerifyASN1(k.PublicKey(), digest, sig)
		if want := len(digest) > 0 && stdecdsa.VerifyASN1(&s.PublicKey, digest, sig); got != want {
			t.Errorf("digest %x, signature %x: %v, crypto/ecdsa says %v", digest, sig, got, want)
		}
	})
}
