// Package mont specifies arithmetic modulo an odd number m in Montgomery form: a residue x is represented by R·x mod m,
// where R = 2^(64n) and n is the number of 64-bit words of m (P. L. Montgomery, "Modular Multiplication Without Trial
// Division", Mathematics of Computation 44, 1985). A product of representatives is divided by R: Mul.
//
// Numbers are n words, the least significant first, and always the least residue on return. Octet strings are
// big-endian, of 8n bytes, as in SEC 1 version 2.0 §2.3.7 (integer to octet string) and §2.3.8 (octet string to
// integer); that a string stands for a field element at all, that is for a number below m, is the check of §2.3.6.
//
// Everything is secret. In particular the timing depends neither on a condition nor on an index.
package mont

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// Entries is the number of entries of a table for Select.
const Entries = 16

// Coordinates is the number of residues in an entry of a table for Select: a point in projective coordinates.
const Coordinates = 3

// Field is the contracts of all functions for one modulus.
type Field struct {
	Name  string   // prefix of the functions' names
	M     *big.Int // the modulus
	Words int      // n

	Mul, Sqr, Add, Sub, Neg, Half contract.Contract
	ToMont, FromMont              contract.Contract
	FromBytes, ToBytes            contract.Contract
	CMov, CNeg, Select            contract.Contract
}

// Contracts lists all contracts, in the order of their declaration in Field.
func (f *Field) Contracts() []contract.Contract {
	return []contract.Contract{f.Mul, f.Sqr, f.Add, f.Sub, f.Neg, f.Half, f.ToMont, f.FromMont, f.FromBytes, f.ToBytes,
		f.CMov, f.CNeg, f.Select}
}

// New makes the contracts for the odd modulus m > 1. The functions are called name+"Mul" and so on.
func New(name string, m *big.Int) (*Field, error) {
	if m == nil || m.Cmp(big.NewInt(1)) <= 0 || m.Bit(0) == 0 {
		return nil, errors.New("spec/mont: the modulus is not an odd number above 1")
	}
	f := &Field{Name: name, M: new(big.Int).Set(m), Words: (m.BitLen() + 63) / 64}
	g := &generator{name: name, n: f.Words, m: logic.IntConst(m), r: logic.Pow2(64 * f.Words), modulus: f.M}
	f.Mul = g.mul()
	f.Sqr = g.sqr()
	f.Add = g.add()
	f.Sub = g.sub()
	f.Neg = g.neg()
	f.Half = g.half()
	f.ToMont = g.toMont()
	f.FromMont = g.fromMont()
	f.FromBytes = g.fromBytes()
	f.ToBytes = g.toBytes()
	f.CMov = g.cmov()
	f.CNeg = g.cneg()
	f.Select = g.sel()
	if g.err != nil {
		return nil, fmt.Errorf("spec/mont: %w", g.err)
	}
	return f, nil
}

type (
	env   = contract.Env
	terms = []logic.Term
)

// generator makes contracts and keeps the first error.
type generator struct {
	name    string
	n       int
	m, r    logic.Term // m and R as terms
	modulus *big.Int
	err     error
}

func (g *generator) contract(name string, f contract.Func) contract.Contract {
	f.Doc = g.name + name + " " + f.Doc
	f.Name = g.name + name
	c, err := contract.New(f)
	if err != nil && g.err == nil {
		g.err = err
	}
	return c
}

func (g *generator) in(name string) contract.Param  { return contract.In(name, 8*g.n) }
func (g *generator) out(name string) contract.Param { return contract.Out(name, 8*g.n) }

// reduced requires that the parameters are below m.
func (g *generator) reduced(names ...string) func(env) terms {
	return func(e env) terms {
		var ts terms
		for _, n := range names {
			ts = append(ts, logic.Lt(e.LE(n), g.m))
		}
		return ts
	}
}

// result ensures that r, below m, is congruent modulo m: factor·r ≡ value.
func (g *generator) result(factor logic.Term, value func(env) logic.Term) func(env) terms {
	return func(e env) terms {
		r := e.After().LE("r")
		return terms{logic.Lt(r, g.m), logic.Cong(logic.Mul(factor, r), value(e), g.m)}
	}
}

var one = logic.N(1)

// Witnesses: m − 1, m − 2 for a second operand, all ones for numbers that need not be reduced.

func (g *generator) minus(k int64) *big.Int { return new(big.Int).Sub(g.modulus, big.NewInt(k)) }

func (g *generator) maximum() *big.Int {
	r := new(big.Int).Lsh(big.NewInt(1), uint(64*g.n))
	return r.Sub(r, big.NewInt(1))
}

func ones() *big.Int { return new(big.Int).SetUint64(1<<64 - 1) }

// witness gives a, and b if it is not nil, their values.
func witness(a, b *big.Int) func() map[string]*big.Int {
	return func() map[string]*big.Int {
		if b == nil {
			return map[string]*big.Int{"a": a}
		}
		return map[string]*big.Int{"a": a, "b": b}
	}
}

func (g *generator) mul() contract.Contract {
	return g.contract("Mul", contract.Func{
		Doc:      "sets r = a·b/R mod m, the Montgomery product, for b < m. It does not need a < m.",
		Params:   []contract.Param{g.out("r"), g.in("a"), g.in("b")},
		Alias:    [][]string{{"r", "a"}, {"r", "b"}, {"r", "a", "b"}},
		Requires: g.reduced("b"),
		Ensures:  g.result(g.r, func(e env) logic.Term { return logic.Mul(e.LE("a"), e.LE("b")) }),
		Witness:  witness(g.minus(1), g.minus(2)),
	})
}

func (g *generator) sqr() contract.Contract {
	return g.contract("Sqr", contract.Func{
		Doc:      "sets r = a²/R mod m, the Montgomery square, for a < m.",
		Params:   []contract.Param{g.out("r"), g.in("a")},
		Alias:    [][]string{{"r", "a"}},
		Requires: g.reduced("a"),
		Ensures:  g.result(g.r, func(e env) logic.Term { return logic.Mul(e.LE("a"), e.LE("a")) }),
		Witness:  witness(g.minus(1), nil),
	})
}

func (g *generator) add() contract.Contract {
	return g.contract("Add", contract.Func{
		Doc:      "sets r = a + b mod m, for a, b < m.",
		Params:   []contract.Param{g.out("r"), g.in("a"), g.in("b")},
		Alias:    [][]string{{"r", "a"}, {"r", "b"}, {"r", "a", "b"}},
		Requires: g.reduced("a", "b"),
		Ensures:  g.result(one, func(e env) logic.Term { return logic.Add(e.LE("a"), e.LE("b")) }),
		Witness:  witness(g.minus(1), g.minus(2)),
	})
}

func (g *generator) sub() contract.Contract {
	return g.contract("Sub", contract.Func{
		Doc:      "sets r = a − b mod m, for a, b < m.",
		Params:   []contract.Param{g.out("r"), g.in("a"), g.in("b")},
		Alias:    [][]string{{"r", "a"}, {"r", "b"}, {"r", "a", "b"}},
		Requires: g.reduced("a", "b"),
		Ensures:  g.result(one, func(e env) logic.Term { return logic.Sub(e.LE("a"), e.LE("b")) }),
		Witness:  witness(g.minus(2), g.minus(1)),
	})
}

func (g *generator) neg() contract.Contract {
	return g.contract("Neg", contract.Func{
		Doc:      "sets r = −a mod m, for a < m.",
		Params:   []contract.Param{g.out("r"), g.in("a")},
		Alias:    [][]string{{"r", "a"}},
		Requires: g.reduced("a"),
		Ensures:  g.result(one, func(e env) logic.Term { return logic.Neg(e.LE("a")) }),
		Witness:  witness(g.minus(2), nil),
	})
}

func (g *generator) half() contract.Contract {
	return g.contract("Half", contract.Func{
		Doc:      "sets r = a/2 mod m, for a < m.",
		Params:   []contract.Param{g.out("r"), g.in("a")},
		Alias:    [][]string{{"r", "a"}},
		Requires: g.reduced("a"),
		Ensures:  g.result(logic.N(2), func(e env) logic.Term { return e.LE("a") }),
		Witness:  witness(g.minus(2), nil),
	})
}

func (g *generator) toMont() contract.Contract {
	return g.contract("ToMont", contract.Func{
		Doc:     "sets r = R·a mod m: the Montgomery form of any a.",
		Params:  []contract.Param{g.out("r"), g.in("a")},
		Alias:   [][]string{{"r", "a"}},
		Ensures: g.result(one, func(e env) logic.Term { return logic.Mul(g.r, e.LE("a")) }),
		Witness: witness(g.maximum(), nil),
	})
}

func (g *generator) fromMont() contract.Contract {
	return g.contract("FromMont", contract.Func{
		Doc:     "sets r = a/R mod m: the residue whose Montgomery form is a. It does not need a < m.",
		Params:  []contract.Param{g.out("r"), g.in("a")},
		Alias:   [][]string{{"r", "a"}},
		Ensures: g.result(g.r, func(e env) logic.Term { return e.LE("a") }),
		Witness: witness(g.maximum(), nil),
	})
}

// fromBytes: SEC 1 §2.3.8 and the check of §2.3.6.
func (g *generator) fromBytes() contract.Contract {
	return g.contract("FromBytes", contract.Func{
		Doc: "sets r to the big-endian number b and returns 1 if it is below m; otherwise it sets r = 0 and returns 0. " +
			"The result is not in Montgomery form.",
		Params: []contract.Param{g.out("r"), g.in("b").Of(1)},
		Result: "ok",
		Ensures: func(e env) terms {
			b, r, ok := e.BE("b"), e.After().LE("r"), logic.Uint(e.Result())
			return terms{
				logic.Imp(logic.Lt(b, g.m), logic.And(logic.Eq(r, b), logic.Eq(ok, one))),
				logic.Imp(logic.Le(g.m, b), logic.And(logic.Eq(r, logic.N(0)), logic.Eq(ok, logic.N(0)))),
			}
		},
		Witness: func() map[string]*big.Int {
			b := g.minus(1).FillBytes(make([]byte, 8*g.n))
			slices.Reverse(b)
			return map[string]*big.Int{"b": new(big.Int).SetBytes(b)}
		},
	})
}

// toBytes: SEC 1 §2.3.7.
func (g *generator) toBytes() contract.Contract {
	return g.contract("ToBytes", contract.Func{
		Doc:     "sets b to the big-endian bytes of the number a.",
		Params:  []contract.Param{g.out("b").Of(1), g.in("a")},
		Ensures: func(e env) terms { return terms{logic.Eq(e.After().BE("b"), e.LE("a"))} },
		Witness: witness(g.minus(1), nil),
	})
}

// A condition is a word that is 0 or all ones.

func zero64() logic.Term { return logic.BVUint(64, 0) }
func ones64() logic.Term { return logic.BVUint(64, 1<<64-1) }

func isCondition(e env) logic.Term {
	c := e.Word("cond", 0)
	return logic.Or(logic.Eq(c, zero64()), logic.Eq(c, ones64()))
}

func (g *generator) cmov() contract.Contract {
	return g.contract("CMov", contract.Func{
		Doc:      "sets r = a if the word cond is all ones, and keeps r if it is 0. It must be one of the two.",
		Params:   []contract.Param{contract.InOut("r", 8*g.n), g.in("a"), contract.In("cond", 8)},
		Requires: func(e env) terms { return terms{isCondition(e)} },
		Ensures: func(e env) terms {
			var ts terms
			keep := logic.Eq(e.Word("cond", 0), zero64())
			for i := range g.n {
				ts = append(ts, logic.Eq(e.After().Word("r", i), logic.Ite(keep, e.Word("r", i), e.Word("a", i))))
			}
			return ts
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"r": g.minus(1), "a": g.minus(2), "cond": ones()}
		},
	})
}

func (g *generator) cneg() contract.Contract {
	return g.contract("CNeg", contract.Func{
		Doc:    "sets r = −a mod m if the word cond is all ones, and r = a if it is 0, for a < m. It must be one of the two.",
		Params: []contract.Param{g.out("r"), g.in("a"), contract.In("cond", 8)},
		Alias:  [][]string{{"r", "a"}},
		Requires: func(e env) terms {
			return append(g.reduced("a")(e), isCondition(e))
		},
		Ensures: func(e env) terms {
			a, r, c := e.LE("a"), e.After().LE("r"), e.Word("cond", 0)
			return terms{
				logic.Lt(r, g.m),
				logic.Imp(logic.Eq(c, zero64()), logic.Eq(r, a)),
				logic.Imp(logic.Eq(c, ones64()), logic.Cong(r, logic.Neg(a), g.m)),
			}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g.minus(2), "cond": ones()} },
	})
}

func (g *generator) sel() contract.Contract {
	words := Coordinates * g.n
	return g.contract("Select", contract.Func{
		Doc: fmt.Sprintf("sets r to the entry of that index of the table, or to 0 if index ≥ %d. "+
			"An entry has %d words. All of the table is read.", Entries, words),
		Params: []contract.Param{contract.Out("r", 8*words), contract.In("table", 8*words*Entries), contract.In("index", 8)},
		Ensures: func(e env) terms {
			var ts terms
			index := e.Word("index", 0)
			for j := range words {
				r := e.After().Word("r", j)
				for i := range Entries {
					ts = append(ts, logic.Imp(logic.Eq(index, logic.BVUint(64, uint64(i))), logic.Eq(r, e.Word("table", words*i+j))))
				}
				ts = append(ts, logic.Imp(logic.Le(logic.N(Entries), logic.Uint(index)), logic.Eq(r, zero64())))
			}
			return ts
		},
		Witness: func() map[string]*big.Int {
			b := make([]byte, 8*words*Entries)
			for i := range b {
				b[i] = byte(i%251 + 1) // entries differ
			}
			return map[string]*big.Int{"table": new(big.Int).SetBytes(b), "index": big.NewInt(5)}
		},
	})
}
