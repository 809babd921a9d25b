package ecdsa

import (
	"flag"
	"math/big"
	"testing"

	"verum.example/internal/tcb/logic"
)

// all asks for every vector. By default those that cost a scalar multiplication, which takes the evaluator about half a
// second, are sampled.
var all = flag.Bool("all", false, "run every vector, not a sample of those that cost a scalar multiplication")

// sampler chooses about one in 64 of the vectors, and the first of each kind.
type sampler struct {
	n    int
	seen map[string]bool
}

func (s *sampler) take(kind string) bool {
	first := !s.seen[kind]
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[kind] = true
	s.n++
	return *all || first || s.n%64 == 0
}

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

// acvpSet is a set of the ACVP module, with the questions or the answers of the groups.
type acvpSet[Group any] struct {
	Algorithm, Mode string
	VsID            int
	TestGroups      []Group
}
