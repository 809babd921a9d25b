//go:debug fips140=only

// Package fipsonly tests package ecdh in a program that runs with GODEBUG=fips140=only, which is settled when the program
// starts: hence a test binary of its own.
package fipsonly

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"crypto/fips140"
	"errors"
	"strings"
	"testing"

	"verum.example/ecdh"
)

func TestRefusesUnlessTheCallerOptsIn(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("FIPS 140-only mode is not enforced: is GODEBUG set?")
	}
	std, err := stdecdh.P256().GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var key *ecdh.PrivateKey
	var exchanger stdecdh.KeyExchanger
	fips140.WithoutEnforcement(func() {
		if key, err = ecdh.PrivateKeyFromStd(std); err != nil {
			t.Fatal(err)
		}
		if exchanger, err = key.StdKeyExchanger(); err != nil {
			t.Fatal(err)
		}
	})
	for name, do := range map[string]func() (any, error){
		"GenerateKey":            func() (any, error) { return ecdh.P256().GenerateKey(nil) },
		"NewPrivateKey":          func() (any, error) { return ecdh.P256().NewPrivateKey(key.Bytes()) },
		"NewPublicKey":           func() (any, error) { return ecdh.P256().NewPublicKey(key.PublicKey().Bytes()) },
		"NewPublicKeyCompressed": func() (any, error) { return ecdh.P256().NewPublicKeyCompressed(key.PublicKey().BytesCompressed()) },
		"ECDH":                   func() (any, error) { return key.ECDH(key.PublicKey()) },
		"PrivateKeyFromStd":      func() (any, error) { return ecdh.PrivateKeyFromStd(std) },
		"PublicKeyFromStd":       func() (any, error) { return ecdh.PublicKeyFromStd(std.PublicKey()) },
		"StdKeyExchanger, ECDH":  func() (any, error) { return exchanger.ECDH(std.PublicKey()) },
	} {
		_, err := do()
		if err == nil || !strings.Contains(err.Error(), "not a validated module") || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", name, err)
		}
		fips140.WithoutEnforcement(func() {
			if _, err := do(); err != nil {
				t.Errorf("%s, opted in: %v", name, err)
			}
		})
		if _, err := do(); err == nil {
			t.Errorf("%s: opting in lasts longer than it should", name)
		}
	}

	// What runs none of our code works.
	back, err := key.ToStd()
	if err != nil || !bytes.Equal(back.Bytes(), std.Bytes()) || !key.Equal(key) {
		t.Errorf("conversion to crypto/ecdh: %v", err)
	}
}
