package mont

import (
	"fmt"
	"math/big"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// The constants are those of spec/weierstrass.
var (
	p256    = mustNew("p256", weierstrass.P256().P())
	p256Ord = mustNew("p256Ord", weierstrass.P256().N())
	p384    = mustNew("p384", weierstrass.P384().P())
	p192    = mustNew("p192", weierstrass.P192().P())
)

// P256 is the field of P-256.
func P256() *Field { return p256.clone() }

// P256Ord are the scalars of P-256, the numbers modulo its order.
func P256Ord() *Field { return p256Ord.clone() }

// P384 is the field of P-384.
func P384() *Field { return p384.clone() }

// P192 is the field of P-192.
func P192() *Field { return p192.clone() }

// mustNew makes the contracts for a modulus that is an Int constant.
func mustNew(name string, modulus logic.Term) *Field {
	m, _ := modulus.Const()
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
