package mont

import (
	"crypto/elliptic"
	"math/big"
	"testing"
)

// TestModuli compares the constants with the standard library's, and P-192's, which it lacks, with what makes it a
// field of 192 bits for Montgomery arithmetic: an odd probable prime.
func TestModuli(t *testing.T) {
	for _, c := range []struct {
		name string
		got  *Field
		want *big.Int
	}{
		{"P-256", P256(), elliptic.P256().Params().P},
		{"P-256 order", P256Ord(), elliptic.P256().Params().N},
		{"P-384", P384(), elliptic.P384().Params().P},
	} {
		if c.got.M.Cmp(c.want) != 0 {
			t.Errorf("%s: %x, want %x", c.name, c.got.M, c.want)
		}
	}
	if p := P192().M; p.BitLen() != 192 || !p.ProbablyPrime(32) {
		t.Errorf("P-192: %x", p)
	}
}

// TestFieldIsACopy shows that a caller cannot change a field for others.
func TestFieldIsACopy(t *testing.T) {
	P256().M.SetInt64(7)
	if P256().M.BitLen() != 256 {
		t.Error("the modulus has changed")
	}
}

// TestNewRefuses shows that a contract is made for odd natural moduli only.
func TestNewRefuses(t *testing.T) {
	for _, m := range []*big.Int{nil, big.NewInt(0), big.NewInt(-3), big.NewInt(8)} {
		if _, err := New("bad", m); err == nil {
			t.Errorf("%v is accepted", m)
		}
	}
}
