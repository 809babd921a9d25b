package mont

import (
	"fmt"
	"math/big"
)

// sum adds 2ᵏ for exponents k > 0 and subtracts 2⁻ᵏ for k < 0: 2²⁵⁶ − 2²²⁴ is sum(256, −224).
func sum(exponents ...int) *big.Int {
	r := new(big.Int)
	for _, k := range exponents {
		t := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
		if k < 0 {
			t.Neg(t)
		}
		r.Add(r, t)
	}
	return r
}

func hex(s string) *big.Int {
	v, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic("mont: bad constant " + s)
	}
	return v
}

func less1(x *big.Int) *big.Int { return x.Sub(x, big.NewInt(1)) }

// SP 800-186 §3.2.1.3: p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1 and the order n of P-256; §3.2.1.4: p = 2³⁸⁴ − 2¹²⁸ − 2⁹⁶ + 2³² − 1;
// FIPS 186-4 D.1.2.1: p = 2¹⁹² − 2⁶⁴ − 1.
var (
	p256    = mustNew("p256", less1(sum(256, -224, 192, 96)))
	p256Ord = mustNew("p256Ord", hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
	p384    = mustNew("p384", less1(sum(384, -128, -96, 32)))
	p192    = mustNew("p192", less1(sum(192, -64)))
)

// P256 is the field of P-256.
func P256() *Field { return p256.clone() }

// P256Ord are the scalars of P-256, the numbers modulo its order.
func P256Ord() *Field { return p256Ord.clone() }

// P384 is the field of P-384.
func P384() *Field { return p384.clone() }

// P192 is the field of P-192.
func P192() *Field { return p192.clone() }

func mustNew(name string, m *big.Int) *Field {
	f, err := New(name, m)
	if err != nil {
		panic(fmt.Sprintf("mont: %v", err))
	}
	return f
}

// clone copies a field, so that nobody can change the modulus of another.
func (f *Field) clone() *Field {
	g := *f
	g.M = new(big.Int).Set(f.M)
	return &g
}
