package weierstrass

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

func number(t logic.Term) *big.Int { v, _ := t.Const(); return v }

// TestChain: chains are right, and as short as is known to be possible, or nearly.
func TestChain(t *testing.T) {
	two := big.NewInt(2)
	p := number(weierstrass.P256().P())
	n := number(weierstrass.P256().N())
	root := new(big.Int).Rsh(new(big.Int).Add(p, big.NewInt(1)), 2)
	for _, c := range []struct {
		name      string
		e         *big.Int
		sqr, mul  int // at most
		slotsMost int
	}{
		{"P-256: p−2", new(big.Int).Sub(p, two), 255, 12, 16},
		{"P-256: n−2", new(big.Int).Sub(n, two), 258, 44, 40},
		{"P-256: (p+1)/4", root, 254, 8, 12},
		{"P-384: p−2", new(big.Int).Sub(number(weierstrass.P384().P()), two), 383, 16, 24},
		{"secp256k1: p−2", new(big.Int).Sub(number(weierstrass.Secp256k1().P()), two), 256, 16, 20},
	} {
		ch, err := NewChain(c.e)
		if err != nil {
			t.Fatal(err)
		}
		s, m := ch.Cost()
		t.Logf("%s: %d squarings, %d products, %d values", c.name, s, m, ch.Slots)
		if s > c.sqr || m > c.mul || ch.Slots > c.slotsMost {
			t.Errorf("%s: %d squarings, %d products, %d values", c.name, s, m, ch.Slots)
		}
	}
	rng := rand.New(rand.NewPCG(4, 1))
	for i := range 60 {
		e := big.NewInt(int64(i + 1))
		if i >= 40 {
			e.SetUint64(rng.Uint64() >> rng.IntN(60))
			e.Add(e, big.NewInt(1))
		}
		ch, err := NewChain(e)
		if err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		x, m := big.NewInt(7), big.NewInt(1000003)
		values := make([]*big.Int, ch.Slots)
		values[0] = x
		last := x
		for _, s := range ch.Steps {
			v := new(big.Int).Exp(values[s.X], new(big.Int).Lsh(big.NewInt(1), uint(s.Squarings)), m)
			if s.Y >= 0 {
				v.Mul(v, values[s.Y]).Mod(v, m)
			}
			values[s.D], last = v, v
		}
		if want := new(big.Int).Exp(x, e, m); last.Cmp(want) != 0 {
			t.Errorf("7^%v = %v, not %v", e, last, want)
		}
	}
	for _, e := range []*big.Int{nil, new(big.Int), big.NewInt(-3), new(big.Int).Lsh(two, 2000)} {
		if _, err := NewChain(e); err == nil {
			t.Errorf("a chain for %v", e)
		}
	}
}
