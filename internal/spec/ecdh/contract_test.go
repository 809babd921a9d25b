package ecdh

import (
	"testing"

	"verum.example/internal/spec/weierstrass"
)

// TestNew: there are contracts for every curve, and their terms are well-formed.
func TestNew(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		f, err := New("c", c)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if f.ECDH.Name() != "cECDH" || f.PublicKey.Name() != "cPublicKey" || f.Validate.Name() != "cValidate" {
			t.Errorf("%s: a contract is missing", c.Name())
		}
	}
	if _, err := New("c", weierstrass.Curve{}); err == nil {
		t.Error("the zero Curve has contracts")
	}
}
