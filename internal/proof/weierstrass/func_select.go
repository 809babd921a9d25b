package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// selectContract: r is entry index of the table, counted from 1, and zero for any other index.
func selectContract(name string, entries, words int) machine.Contract {
	return must(machine.Internal(machine.Func{
		Name: name,
		Doc: name + fmt.Sprintf(" sets r to the entry of that index, counted from 1, of a table of %d entries of %d words, and to "+
			"zero if there is none. All of the table is read.", entries, words),
		Params: []machine.Param{out("r", 8*words), in("table", 8*words*entries), in("index", 8)},
		Ensures: func(e machine.Env) []Term {
			var ts []Term
			for j := range words {
				ts = append(ts, logic.Eq(e.After().Word("r", j), selected(e.Word("index", 0), entries, func(i int) Term {
					return e.Word("table", words*(i-1)+j)
				})))
			}
			return ts
		},
		Witness: func() map[string]*big.Int {
			b := make([]byte, 8*words*entries)
			for i := range b {
				b[i] = byte(i%251 + 1) // entries differ
			}
			return map[string]*big.Int{"table": new(big.Int).SetBytes(b), "index": big.NewInt(5)}
		},
	}))
}

// selected is entry(index) for 1 ≤ index ≤ entries, else 0.
func selected(index Term, entries int, entry func(i int) Term) Term {
	v := zero64()
	for i := entries; i >= 1; i-- {
		v = logic.Ite(logic.Eq(index, logic.BVUint(64, uint64(i))), entry(i), v)
	}
	return v
}

// selectProgram is the routine and its proof.
func selectProgram(c machine.Contract, k Key, entries, words int) (machine.Program, machine.Prover, error) {
	return Scan(c, k.Target, k.Variant, entries, 8*words)
}
