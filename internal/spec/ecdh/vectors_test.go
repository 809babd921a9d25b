package ecdh

import (
	"math/big"
	"testing"

	"verum.example/internal/tcb/logic"
)

// budget is enough steps for two multiples of a point of the largest curve.
const budget = 1 << 27

func eval(t testing.TB, e logic.Term) logic.Value {
	t.Helper()
	v, err := logic.Eval(e, nil, budget)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	return v
}

// number is the number that a string of octets stands for.
func number(b []byte) logic.Term { return logic.IntConst(new(big.Int).SetBytes(b)) }
