package ecdh_test

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"crypto/elliptic"
	"testing"

	"verum.example/ecdh"
)

// FuzzKeys parses the same bytes as each kind of key, with this package and with the standard library.
func FuzzKeys(f *testing.F) {
	x, y := params.Gx, params.Gy
	for _, seed := range []string{
		"", "\x00", "\x04", join(4, x, y), join(2, x), join(3, x), join(7, x, y), join(4, y, x), join(4, params.P, y),
		join(0, params.N)[1:], join(0, plus(params.N, -1))[1:], join(0, plus(params.P, 1), y),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		private, err := ecdh.P256().NewPrivateKey(in)
		stdPrivate, stdErr := stdecdh.P256().NewPrivateKey(in)
		if (err == nil) != (stdErr == nil) || (private == nil) != (err != nil) {
			t.Fatalf("private key: %v (%v), crypto/ecdh: %v", private, err, stdErr)
		}
		if err == nil && (!bytes.Equal(private.Bytes(), in) || !bytes.Equal(private.PublicKey().Bytes(), stdPrivate.PublicKey().Bytes())) {
			t.Fatalf("private key became %x, with public key %x", private.Bytes(), private.PublicKey().Bytes())
		}

		public, err := ecdh.P256().NewPublicKey(in)
		_, stdErr = stdecdh.P256().NewPublicKey(in)
		if (err == nil) != (stdErr == nil) || (public == nil) != (err != nil) {
			t.Fatalf("public key: %v (%v), crypto/ecdh: %v", public, err, stdErr)
		}
		if err == nil && !bytes.Equal(public.Bytes(), in) {
			t.Fatalf("public key became %x", public.Bytes())
		}

		short, err := ecdh.P256().NewPublicKeyCompressed(in)
		stdX, stdY := elliptic.UnmarshalCompressed(elliptic.P256(), in)
		if (err == nil) != (stdX != nil) || (short == nil) != (err != nil) {
			t.Fatalf("compressed public key: %v (%v), crypto/elliptic: %v", short, err, stdX)
		}
		if err == nil && (!bytes.Equal(short.BytesCompressed(), in) || string(short.Bytes()) != join(4, stdX, stdY)) {
			t.Fatalf("compressed public key became %x", short.Bytes())
		}
	})
}
