//go:debug fips140=only

// Package fipsonly tests package ecdsa in a program that runs with GODEBUG=fips140=only, which is settled when the program
// starts: hence a test binary of its own.
package fipsonly

import (
	"crypto"
	"crypto/fips140"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"verum.example/ecdsa"
)

func TestRefusesUnlessTheCallerOptsIn(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("FIPS 140-only mode is not enforced: is GODEBUG set?")
	}
	var key *ecdsa.PrivateKey
	var sig, raw []byte
	digest := sha256.Sum256([]byte("message"))
	fips140.WithoutEnforcement(func() {
		var err error
		if key, err = ecdsa.GenerateKey(ecdsa.P256(), nil); err != nil {
			t.Fatal(err)
		}
		if sig, err = ecdsa.SignASN1(nil, key, digest[:]); err != nil {
			t.Fatal(err)
		}
		if raw, err = ecdsa.SignRaw(nil, key, digest[:]); err != nil {
			t.Fatal(err)
		}
	})
	for name, do := range map[string]func() error{
		"GenerateKey": func() error { _, err := ecdsa.GenerateKey(ecdsa.P256(), nil); return err },
		"SignASN1":    func() error { _, err := ecdsa.SignASN1(nil, key, digest[:]); return err },
		"SignRaw":     func() error { _, err := ecdsa.SignRaw(nil, key, digest[:]); return err },
		"Sign":        func() error { _, err := key.Sign(nil, digest[:], crypto.SHA256); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "not a validated module") || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", name, err)
		}
		fips140.WithoutEnforcement(func() {
			if err := do(); err != nil {
				t.Errorf("%s, opted in: %v", name, err)
			}
		})
	}
	if ecdsa.VerifyASN1(key.PublicKey(), digest[:], sig) || ecdsa.VerifyRaw(key.PublicKey(), digest[:], raw) {
		t.Error("a signature is verified")
	}
	fips140.WithoutEnforcement(func() {
		if !ecdsa.VerifyASN1(key.PublicKey(), digest[:], sig) || !ecdsa.VerifyRaw(key.PublicKey(), digest[:], raw) {
			t.Error("a signature is refused, opted in")
		}
	})
}
