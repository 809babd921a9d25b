package weierstrass

import (
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/plusminus"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// gcdIntegers are the routines of the inversion by the plus-minus algorithm that don't depend on the modulus. See
// impl/weierstrass/gcd.go.
type gcdIntegers struct {
	steps, row       machine.Contract
	verSteps, verRow memo[machine.Verified]
}

var integers = newGCDIntegers()

// gcd is the inversion modulo m.
type gcd struct {
	f               *Field
	rowMod, natural machine.Contract
	verified        memo[impl.GCDs]
}

// twos is the number of words in two's complement.
func twos(ws ...Term) Term {
	n := len(ws)
	return logic.Sub(auto.Word(ws...), auto.Scale(auto.Pow2(64*n), logic.Uint(logic.Extract(63, 63, ws[n-1]))))
}

// twosAt is the number in a region.
func twosAt(e machine.Env, name string, n int) Term {
	ws := make([]Term, n)
	for i := range ws {
		ws[i] = e.Word(name, i)
	}
	return twos(ws...)
}

// coefficient is the number whose word in a matrix is w.
func coefficient(w Term) Term { return logic.Sub(logic.Uint(w), gcdScale()) }

// gcdScale is 2^GCDShift, the factor of a matrix.
func gcdScale() Term { return logic.Pow2(impl.GCDShift) }

// combination is f·x + g·y.
func combination(f, g, x, y Term) Term { return logic.Add(logic.Mul(f, x), logic.Mul(g, y)) }

// within are −b ≤ t and t ≤ b.
func within(t, b Term) []Term { return []Term{logic.Le(logic.Neg(b), t), logic.Le(t, b)} }

// smallRow are ±f ± g ≤ 2^GCDShift.
func smallRow(f, g Term) []Term {
	return append(within(logic.Add(f, g), gcdScale()), within(logic.Sub(f, g), gcdScale())...)
}

// odd says that a word is odd.
func odd(w Term) Term { return logic.Eq(logic.Extract(0, 0, w), logic.BVUint(1, 1)) }

// numberBytes is the size of a number.
const numberBytes = 40

// newGCDIntegers makes the contracts.
func newGCDIntegers() *gcdIntegers {
	g := &gcdIntegers{}
	g.steps = must(machine.Internal(machine.Func{
		Name:   "plusMinusSteps",
		Doc:    "plusMinusSteps does 31 steps of the plus-minus algorithm.",
		Params: []machine.Param{out("matrix", 32), inOut("delta", 8), in("a", numberBytes), in("b", numberBytes)},
		Requires: func(e machine.Env) []Term {
			return append(within(twosAt(e, "delta", 1), gcdScale()), odd(e.Word("b", 0)))
		},
		Ensures: func(e machine.Env) []Term {
			s := plusminus.Iter(logic.N(impl.GCDSteps), twosAt(e, "a", 5), twosAt(e, "b", 5), twosAt(e, "delta", 1))
			r := e.After()
			ensures := []Term{logic.Eq(twosAt(r, "delta", 1), logic.Proj(plusminus.D, s))}
			for i := range 4 {
				ensures = append(ensures, logic.Eq(coefficient(r.Word("matrix", i)), logic.Proj(plusminus.F+i, s)))
			}
			return ensures
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"delta": new(big.Int), "a": big.NewInt(1), "b": big.NewInt(3)}
		},
	}))
	g.row = rowContract("plusMinusRow", "sets r = (f·x + g·y)/2^62.",
		func(f, g, x, y Term) []Term {
			t := combination(f, g, x, y)
			return append(within(t, logic.Pow2(impl.GCDShift+256)), logic.Cong(t, logic.N(0), gcdScale()))
		},
		func(f, g, x, y, r Term) []Term {
			return []Term{logic.Eq(logic.Mul(gcdScale(), r), combination(f, g, x, y))}
		})
	g.verSteps = newVerified(g.stepsProgram)
	g.verRow = newVerified(g.rowProgram)
	return g
}

// rowContract makes the contract of a row.
func rowContract(name, doc string, requires func(f, g, x, y Term) []Term,
	ensures func(f, g, x, y, r Term) []Term) machine.Contract {
	args := func(e machine.Env) (f, g, x, y Term) {
		return coefficient(e.Word("fg", 0)), coefficient(e.Word("fg", 1)), twosAt(e, "x", 5), twosAt(e, "y", 5)
	}
	return must(machine.Internal(machine.Func{
		Name:     name,
		Doc:      name + " " + doc,
		Params:   []machine.Param{out("r", numberBytes), in("x", numberBytes), in("y", numberBytes), in("fg", 16)},
		Requires: func(e machine.Env) []Term { return requires(args(e)) },
		Ensures: func(e machine.Env) []Term {
			f, g, x, y := args(e)
			return ensures(f, g, x, y, twosAt(e.After(), "r", 5))
		},
		Witness: func() map[string]*big.Int {
			one := new(big.Int).Lsh(big.NewInt(1), impl.GCDShift)
			fg := new(big.Int).Lsh(one, 64)
			return map[string]*big.Int{"x": big.NewInt(1), "y": big.NewInt(1), "fg": fg.Add(fg, one)}
		},
	}))
}

// newGCD makes the contracts.
func newGCD(f *Field) *gcd {
	g := &gcd{f: f}
	g.rowMod = rowContract(f.Name()+"FeRowMod", "sets r = (f·x + g·y)/2^62 modulo m.",
		func(fr, gr, x, y Term) []Term {
			return append(append(within(x, f.P()), within(y, f.P())...), smallRow(fr, gr)...)
		},
		func(fr, gr, x, y, r Term) []Term {
			return append(within(r, f.P()), logic.Cong(logic.Mul(gcdScale(), r), combination(fr, gr, x, y), f.P()))
		})
	g.natural = must(machine.Internal(machine.Func{
		Name:     f.Name() + "FeNatural",
		Doc:      f.Name() + "FeNatural sets r = x modulo m.",
		Params:   []machine.Param{out("r", 32), in("x", numberBytes)},
		Requires: func(e machine.Env) []Term { return within(twosAt(e, "x", 5), f.P()) },
		Ensures: func(e machine.Env) []Term {
			r := e.After().LE("r")
			return []Term{logic.Lt(r, f.P()), logic.Cong(r, twosAt(e, "x", 5), f.P())}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(1)} },
	}))
	g.verified = newMemo(g.verify)
	return g
}

// modulus is what the generators need of the field.
func (f *Field) modulus() *impl.Field { return &impl.Field{Name: f.Name(), M: f.M(), Words: f.Words()} }

// verify verifies the routines.
func (g *gcd) verify(k Key) (r impl.GCDs, err error) {
	if r.Steps, err = integers.verSteps.get(k.Target, ""); err != nil { // there is nothing for a variant
		return r, err
	}
	if r.Row, err = integers.verRow.get(k.Target, k.Variant); err != nil {
		return r, err
	}
	if r.RowMod, err = verified(g.rowProgram, k); err != nil {
		return r, err
	}
	r.Natural, err = verified(g.naturalProgram, k)
	return r, err
}

func (g *gcdIntegers) stepsProgram(k Key) (machine.Program, machine.Prover, error) {
	code, err := impl.NewGCDSteps(k.Target, k.Variant, g.steps)
	return code.Program, &stepsProof{k: k}, err
}

func (g *gcdIntegers) rowProgram(k Key) (machine.Program, machine.Prover, error) {
	return rowProgram(k, g.row, nil)
}

func (g *gcd) rowProgram(k Key) (machine.Program, machine.Prover, error) {
	return rowProgram(k, g.rowMod, g.f)
}

// rowProgram is a row modulo that of f, or of integers for nil.
func rowProgram(k Key, c machine.Contract, f *Field) (machine.Program, machine.Prover, error) {
	var of *impl.Field
	if f != nil {
		of = f.modulus()
	}
	code, err := impl.NewGCDRow(k.Target, k.Variant, c, of)
	return code.Program, &rowProof{f: f, k: k}, err
}

func (g *gcd) naturalProgram(k Key) (machine.Program, machine.Prover, error) {
	code, err := impl.NewGCDNatural(k.Target, k.Variant, g.natural, g.f.modulus())
	return code.Program, &naturalProof{g: g, k: k}, err
}

// program is the inversion with the contract of a power's.
func (g *gcd) program(k Key, c machine.Contract) (machine.Program, machine.Prover, error) {
	r, err := g.verified.get(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	f, err := g.f.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, counter, err := impl.NewGCDInverse(k.Target, k.Variant, c, f, r)
	return code.Program, &inverseProof{g: g, k: k, counter: machine.MemLoc(counter.Region, counter.Off, 8)}, err
}
