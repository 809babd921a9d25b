package mont

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// product proves Montgomery products: Mul, Sqr, ToMont and FromMont. It follows the marks of the code. At each, the
// accumulated value V is a sum of opaque words, and
//
//	after row i:        2^(64i)·V = (a₀ + … + aᵢ·2^(64i))·B + (q₀ + … + qᵢ₋₁·2^(64(i−1)))·m
//	after reduction i:  2^(64(i+1))·V = (a₀ + … + aᵢ·2^(64i))·B + (q₀ + … + qᵢ·2^(64i))·m
//
// with a bound on V. (Sqr and FromMont start from A² and A instead of accumulating a·B.) At the end 2^(64n)·V =
// A·B + Q·m, V ≤ 2m−1, and the conditional subtraction remains.
type product struct {
	field
	a []Term // words of the multiplier
	b []Term // words of the multiplicand; nil for FromMont

	tele  *auto.Telescope
	hyp   Theorem // ⊢ B ≤ m−1, as a hypothesis
	v     Term    // accumulated value; the zero Term before the first row
	words []Term  // its words
	bound Theorem // v ≤ max
	max   *big.Int
	shift int     // words shifted out
	sum   Term    // 2^(64·shift)·v = sum
	eq    Theorem // that equation
	q     Term    // the current quotient digit
}

// start begins with value v = sum, proved, and bounded by max.
func (p *product) start(words []Term, v, sum Term, eq, bound Theorem, max *big.Int) {
	p.words, p.v, p.sum, p.eq, p.bound, p.max = words, v, sum, eq, bound, max
	p.tele.Leaf(words...)
}

// mark takes a step at a mark of the code.
func (p *product) mark(name string, v machine.View) error {
	at, ok := p.marks[name]
	if !ok {
		return fmt.Errorf("the generator doesn't say what is where at mark %s", name)
	}
	var i int
	switch {
	case name == "sqr":
		p.square(locs(v, at.Acc))
	case scan(name, "mul", &i):
		p.row(i, locs(v, at.Acc))
	case scan(name, "q", &i):
		p.q = v.Loc(at.Q)
		p.tele.Leaf(p.q)
	case scan(name, "red", &i):
		p.reduce(locs(v, at.Acc))
	default:
		return fmt.Errorf("unknown mark %s", name)
	}
	return nil
}

// row proves that words hold v + aᵢ·B.
func (p *product) row(i int, words []Term) {
	if p.v.IsZero() {
		p.start(nil, logic.N(0), logic.N(0), auto.True(), auto.True(), new(big.Int))
	}
	ai := logic.Uint(p.a[i])
	B := auto.Word(p.b...)
	e := logic.Add(p.v, logic.Mul(ai, B))
	max := new(big.Int).Mul(ones(64), p.mMinus1())
	ab := p.times(ai, B) // aᵢ·B ≤ (2⁶⁴−1)(m−1)
	max.Add(max, p.max)
	bound := auto.NonNeg(logic.Sub(logic.IntConst(max), e), []Theorem{ab, p.bound})
	w := auto.Word(words...)
	eq := p.absorb(w, e, 64*len(words), bound)
	// 2^(64·shift)·w = sum + 2^(64·shift)·aᵢ·B
	sum := logic.Add(p.sum, auto.Scale(p.r(p.shift), logic.Mul(ai, B)))
	all := auto.Equal(auto.Scale(p.r(p.shift), w), sum,
		auto.Lin{Th: eq, L: w, R: e, By: logic.IntConst(p.r(p.shift))},
		auto.Lin{Th: p.eq, L: auto.Scale(p.r(p.shift), p.v), R: p.sum, By: logic.N(1)})
	p.start(words, w, sum, all, p.transfer(bound, e, w, eq), max)
}

// times proves x·B ≤ (2⁶⁴−1)·(m−1) from B ≤ m−1, for a word x.
func (p *product) times(x, B Term) Theorem {
	w1, m1 := ones(64), p.mMinus1()
	goal := logic.Sub(logic.IntConst(new(big.Int).Mul(w1, m1)), logic.Mul(x, B))
	if _, ok := B.Const(); ok {
		return auto.NonNeg(goal, nil)
	}
	lo, hi := auto.Range(x.Arg(0))
	// w1·m1 − x·B = m1·(w1−x) + x·(m1−B)
	return auto.Must(kernel.Le(goal, []Theorem{hi, lo, p.hyp},
		[]kernel.Product{{Coef: m1, Factors: []int{0}}, {Coef: big.NewInt(1), Factors: []int{1, 2}}}))
}

// square proves that words hold A².
func (p *product) square(words []Term) {
	A := auto.Word(p.a...)
	e := logic.Mul(A, A)
	max := new(big.Int).Mul(p.mMinus1(), p.mMinus1())
	// (m−1)² − A² = (m−1−A)·(m−1) + (m−1−A)·A
	lo, _, _, _ := auto.Bounds(A)
	bound := auto.Must(kernel.Le(logic.Sub(logic.IntConst(max), e), []Theorem{p.hyp, lo},
		[]kernel.Product{{Coef: p.mMinus1(), Factors: []int{0}}, {Coef: big.NewInt(1), Factors: []int{0, 1}}}))
	w := auto.Word(words...)
	eq := p.absorb(w, e, 64*len(words), bound)
	p.start(words, w, e, eq, p.transfer(bound, e, w, eq), max)
}

// reduce proves that 2⁶⁴ times the words is v + q·m.
func (p *product) reduce(words []Term) {
	q := logic.Uint(p.q)
	e := logic.Add(p.v, logic.Mul(q, p.mTerm()))
	max := new(big.Int).Mul(ones(64), p.m)
	max.Add(max, p.max)
	bound := auto.NonNeg(logic.Sub(logic.IntConst(max), e), []Theorem{p.bound})
	w := auto.Word(words...)
	w64 := auto.Scale(auto.Pow2(64), w)
	eq := p.absorb(w64, e, 64*(len(words)+1), bound)
	sum := logic.Add(p.sum, auto.Scale(p.r(p.shift), logic.Mul(q, p.mTerm())))
	all := auto.Equal(auto.Scale(p.r(p.shift+1), w), sum,
		auto.Lin{Th: eq, L: w64, R: e, By: logic.IntConst(p.r(p.shift))},
		auto.Lin{Th: p.eq, L: auto.Scale(p.r(p.shift), p.v), R: p.sum, By: logic.N(1)})
	p.shift++
	cut := auto.Cut(p.transfer(bound, e, w64, eq), auto.Pow2(64), logic.Neg(w)) // 2⁶⁴·w ≤ max
	p.start(words, w, sum, all, cut, new(big.Int).Rsh(max, 64))
}

// absorb proves x = e for words x of n bits and an expected value e ≤ its bound < 2ⁿ: dropped carries are zero.
func (p *product) absorb(x, e Term, n int, bound Theorem) Theorem {
	return absorb(p.tele, x, e, n, bound)
}

// absorb proves x = e, when telescoping gives x = e + 2ⁿ·k, and both lie in 0…2ⁿ−1.
func absorb(t *auto.Telescope, x, e Term, n int, facts ...Theorem) Theorem {
	d := logic.Sub(x, e)
	rest, eqs := t.Reduce(d)
	th := auto.Equal(d, rest, eqs...)
	one := logic.N(1)
	if rest == logic.N(0) {
		return auto.Equal(x, e, auto.Lin{Th: th, L: d, R: rest, By: one})
	}
	k, ok := quotient(rest, auto.Pow2(n))
	if !ok {
		panic(fmt.Errorf("the words don't add up: they are the expected value plus %v\n  words %v\n  expected %v", rest, x, e))
	}
	eq := auto.Equal(x, logic.Add(e, rest), auto.Lin{Th: th, L: d, R: rest, By: one})
	r, _ := auto.Absorb(x, e, k, n, eq, facts...)
	return r
}

// quotient is t/c when all coefficients of t are multiples of c.
func quotient(t Term, c *big.Int) (Term, bool) {
	ms := t.Monomials()
	for _, m := range ms {
		if _, r := m.Coef.QuoRem(m.Coef, c, new(big.Int)); r.Sign() != 0 {
			return Term{}, false
		}
	}
	return logic.FromMonomials(ms), true
}

// transfer turns 0 ≤ c − e into 0 ≤ c − w by eq: w = e.
func (p *product) transfer(bound Theorem, e, w Term, eq Theorem) Theorem {
	if bound.Concl() == logic.True() {
		return auto.NonNeg(logic.Sub(logic.N(0), w), nil, auto.Lin{Th: eq, L: w, R: e, By: logic.N(-1)})
	}
	c := logic.Add(bound.Concl().Arg(0), e)
	return auto.NonNeg(logic.Sub(c, w), []Theorem{bound}, auto.Lin{Th: eq, L: w, R: e, By: logic.N(-1)})
}

// finish proves the goals from the words of the result: V ≤ 2m−1, so V or V−m is the result.
func (p *product) finish(out Term, goals []Term, congruence func(k kase) Theorem) []Theorem {
	if p.max.Cmp(new(big.Int).Lsh(p.m, 1)) >= 0 {
		panic(fmt.Errorf("the value before the last subtraction may be as large as %v", p.max))
	}
	e := engine{tele: p.tele, m: p.m, n: p.n, scale: 1, facts: []Theorem{p.bound},
		candidates: []Term{p.v, logic.Sub(p.v, p.mTerm())}}
	return e.prove(out, goals, congruence)
}
