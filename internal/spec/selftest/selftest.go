// Package selftest has the contracts of small functions that exercise every rule of tcb/machine. They are proved,
// emitted and run like all others, on each target, and are of no other use.
package selftest

import (
	"math/big"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

var m64 = logic.Pow2(64)

// sum is the sum of the first k words of the little-endian number b: sum(0, b) = 0,
// sum(k+1, b) = sum(k, b) + ⌊b/256^8k⌋ mod 2⁶⁴.
var sum = func() logic.Def {
	k, rec, b := logic.Fresh("k", logic.Int()), logic.Fresh("rec", logic.Int()), logic.Fresh("b", logic.Int())
	word := logic.Mod(logic.Div(b, contract.Pow256(logic.Mul(logic.N(8), k))), m64)
	d, err := logic.DefineRec("selftest.sum", k, rec, []logic.Term{b}, logic.N(0), logic.Add(rec, word))
	if err != nil {
		panic(err)
	}
	return d
}()

// SumOf is the sum of the first k words of b, both Int.
func SumOf(k, b logic.Term) logic.Term { return sum.App(k, b) }

// Sum has a region of symbolic length, and a loop with an invariant and a measure.
var Sum = contract.MustNew(contract.Func{
	Name:   "selftestSum",
	Doc:    "selftestSum returns the sum modulo 2⁶⁴ of the n words at a. It takes time that depends on n.",
	Params: []contract.Param{contract.Slice("a", contract.ModeIn, 8, "n"), contract.UintArg("n")},
	Result: "s",
	Ensures: func(e contract.Env) []logic.Term {
		return []logic.Term{logic.Cong(logic.Uint(e.Result()), SumOf(e.Uint("n"), e.LE("a")), m64)}
	},
	Witness: func() map[string]*big.Int {
		a := new(big.Int).Lsh(big.NewInt(7), 128)
		return map[string]*big.Int{"n": big.NewInt(3), "a": a.Add(a, new(big.Int).SetUint64(1<<64-3))}
	},
})

// Squares are the words of the table that Scan reads.
func Squares() []uint64 {
	t := make([]uint64, 8)
	for i := range t {
		t[i] = 1000 + uint64(i*i)
	}
	return t
}

// Scan has a constant table, read as a whole because the index is secret.
var Scan = contract.MustNew(contract.Func{
	Name:   "selftestScan",
	Doc:    "selftestScan sets r to entry i of the table of squares, to 0 if there is no such entry. The index i is secret.",
	Params: []contract.Param{contract.Out("r", 8), contract.In("i", 8)},
	Ensures: func(e contract.Env) []logic.Term {
		entry := logic.BVUint(64, 0)
		for j, v := range Squares() {
			entry = logic.Ite(logic.Eq(e.Word("i", 0), logic.BVUint(64, uint64(j))), logic.BVUint(64, v), entry)
		}
		return []logic.Term{logic.Eq(e.After().Word("r", 0), entry)}
	},
	Witness: func() map[string]*big.Int { return map[string]*big.Int{"i": big.NewInt(5)} },
})

// Put has a store at a public variable offset.
var Put = contract.MustNew(contract.Func{
	Name:   "selftestPut",
	Doc:    "selftestPut sets word i of r to v, i < 8. It accesses memory at an address that depends on i.",
	Params: []contract.Param{contract.InOut("r", 64), contract.UintArg("i"), contract.In("v", 8)},
	Requires: func(e contract.Env) []logic.Term {
		return []logic.Term{logic.Lt(e.Uint("i"), logic.N(8))}
	},
	Ensures: func(e contract.Env) (ts []logic.Term) {
		for j := range 8 {
			here := logic.Eq(e.Uint("i"), logic.N(int64(j)))
			ts = append(ts, logic.Eq(e.After().Word("r", j), logic.Ite(here, e.Word("v", 0), e.Word("r", j))))
		}
		return ts
	},
	Witness: func() map[string]*big.Int {
		return map[string]*big.Int{"r": new(big.Int).Lsh(big.NewInt(9), 300), "i": big.NewInt(6), "v": big.NewInt(77)}
	},
})

// Choose has an if that joins, with a call in one branch.
var Choose = contract.MustNew(contract.Func{
	Name:   "selftestChoose",
	Doc:    "selftestChoose sets r to x + x modulo 2⁶⁴ if c is not 0, else to 0. It takes time that depends on c.",
	Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8), contract.UintArg("c")},
	Alias:  [][]string{{"r", "x"}},
	Ensures: func(e contract.Env) []logic.Term {
		no := logic.Eq(e.Arg("c"), logic.BVUint(64, 0))
		r := e.After().LE("r")
		return []logic.Term{
			logic.Imp(no, logic.Eq(r, logic.N(0))),
			logic.Imp(logic.Not(no), logic.Cong(r, logic.Mul(logic.N(2), e.LE("x")), m64)),
		}
	},
	Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(21), "c": big.NewInt(1)} },
})

// Collatz has a branch on a declared leak.
var Collatz = contract.MustNew(contract.Func{
	Name:   "selftestCollatz",
	Doc:    "selftestCollatz sets r to x/2 if x is even, else to 3x+1 modulo 2⁶⁴. Its timing shows whether x is even.",
	Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
	Alias:  [][]string{{"r", "x"}},
	Ensures: func(e contract.Env) []logic.Term {
		x := e.Word("x", 0)
		odd := logic.Eq(logic.Extract(0, 0, x), logic.BVUint(1, 1))
		step := logic.BVAdd(logic.BVMul(logic.BVUint(64, 3), x), logic.BVUint(64, 1))
		return []logic.Term{logic.Eq(e.After().Word("r", 0), logic.Ite(odd, step, logic.Lshr(x, 1)))}
	},
	Leaks:   func(e contract.Env) []logic.Term { return []logic.Term{logic.Mod(e.LE("x"), logic.N(2))} },
	Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(27)} },
})

// Triple calls a routine twice, with results in its frame.
var Triple = contract.MustNew(contract.Func{
	Name:   "selftestTriple",
	Doc:    "selftestTriple sets r to 3x modulo 2⁶⁴.",
	Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
	Alias:  [][]string{{"r", "x"}},
	Ensures: func(e contract.Env) []logic.Term {
		return []logic.Term{logic.Cong(e.After().LE("r"), logic.Mul(logic.N(3), e.LE("x")), m64)}
	},
	Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": new(big.Int).SetUint64(1<<63 + 5)} },
})
