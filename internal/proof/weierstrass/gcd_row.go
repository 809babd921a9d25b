package weierstrass

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// rowProof is the proof of a row. With V the words at impl.SumMark, F = f + 2⁶², G = g + 2⁶², modulo 2³²⁰
//
//	V ≡ F·x + G·y + q·m,
//
// where there is no q in the exact case. So the low 62 bits of V, which are f·x + g·y + q·m modulo 2⁶², are 0, and for
// T = V/2⁶² − x − y, which is kept modulo 2²⁵⁸, 2⁶²·T ≡ f·x + g·y + q·m modulo 2³²⁰. Both sides are in a range of 2³²⁰
// numbers.
type rowProof struct {
	machine.NoProof
	goals
	f *Field // nil for integers
	k Key

	qWord, c0 Term     // the quotient, and the word it is of
	q         Term     // the quotient as a number
	isQ       auto.Lin // q ≡ −c₀/m modulo 2⁶²

	V      []Term // the words at impl.SumMark
	target Term   // F·x + G·y + q·m
	isV    auto.Lin
	low    Theorem // the low 62 bits of V are 0

	words  []Term // of T, but the top one
	top    Term   // the bits 256 and 257 of T
	T, N   Term   // N = f·x + g·y + q·m
	isT    auto.Lin
	range_ []Theorem // −m ≤ T ≤ 2m − 1
	asked  bool
}

// Begin starts a run.
func (p *rowProof) Begin(machine.View) error {
	*p = rowProof{f: p.f, k: p.k}
	return nil
}

// Prove finds the theorem.
func (p *rowProof) Prove(g machine.Goal) (Theorem, error) {
	if !p.asked {
		p.asked = true
		if err := auto.Run(func() { p.finish(g.View) }); err != nil {
			return Theorem{}, err
		}
	}
	return p.find(g, "row")
}

// Mark proves what the next goals need.
func (p *rowProof) Mark(name string, v machine.View) error {
	return auto.Run(func() {
		switch name {
		case impl.QuotientMark:
			p.quotient(v)
		case impl.SumMark:
			p.sum(v)
		case impl.RowMark:
			p.row(v)
		}
	})
}

// regs are the words of c.
func (p *rowProof) regs(v machine.View) []Term {
	regs, _ := impl.GCDRegs(p.k.Target)
	return registers(v, regs)
}

func registers(v machine.View, regs []isa.Reg) []Term {
	ws := make([]Term, len(regs))
	for i, r := range regs {
		if ws[i] = v.Reg(r); ws[i].IsZero() {
			panic(fmt.Errorf("word %d is undefined", i))
		}
	}
	return ws
}

// quotient: q ≡ −c₀/m modulo 2⁶² for the lowest word c₀ so far.
func (p *rowProof) quotient(v machine.View) {
	words, r := impl.GCDRegs(p.k.Target)
	p.qWord, p.c0 = v.Reg(r), v.Reg(words[0])
	p.q = logic.Uint(p.qWord)
	inv := new(big.Int).ModInverse(p.f.M(), auto.Pow2(impl.GCDShift))
	c0 := lowPart(p.c0)
	want := logic.BVMul(logic.BVConst(impl.GCDShift, inv.Sub(auto.Pow2(impl.GCDShift), inv)), c0)
	th := auto.Must(kernel.UintMod(want))
	is := auto.Must(kernel.LowRing(lowPart(p.qWord), want))
	th = auto.Must(kernel.Leibniz(is, want, lowPart(p.qWord), th,
		logic.Cong(logic.Uint(hole62), kernel.Polynomial(want), gcdScale()), hole62))
	p.isQ = lin(th, p.q, kernel.Polynomial(want), logic.N(1))
}

// lowPart is the low 62 bits of a word.
func lowPart(w Term) Term { return logic.Extract(impl.GCDShift-1, 0, w) }

var hole62 = logic.Var("gcd.low", logic.BV(impl.GCDShift))

// sum: what the words are.
func (p *rowProof) sum(v machine.View) {
	p.V = p.regs(v)
	x, y, fg := v.Before("x"), v.Before("y"), v.Before("fg")
	f, g := logic.Uint(fg[0]), logic.Uint(fg[1])
	p.target = combination(f, g, auto.Word(x...), auto.Word(y...))
	tele := auto.NewTelescope()
	if p.f != nil {
		p.target = logic.Add(p.target, logic.Mul(p.q, p.f.P()))
		tele.Leaf(p.qWord)
	}
	V, n := auto.Word(p.V...), logic.Pow2(320)
	rest, eqs := tele.Reduce(logic.Sub(V, p.target))
	eqs = append(eqs, noCarries(rest, 320)...)
	p.isV = lin(auto.Congruent(V, p.target, n, eqs...), V, p.target, logic.N(1))

	// the low bits
	c := lowPart(p.V[0])
	lowest := logic.Uint(c)
	ring := logic.BVAdd(logic.BVMul(lowPart(fg[0]), lowPart(x[0])), logic.BVMul(lowPart(fg[1]), lowPart(y[0])))
	if p.f != nil {
		m := new(big.Int).And(p.f.M(), new(big.Int).Sub(auto.Pow2(impl.GCDShift), big.NewInt(1)))
		ring = logic.BVAdd(lowPart(p.c0), logic.BVMul(lowPart(p.qWord), logic.BVConst(impl.GCDShift, m)))
	}
	poly := kernel.Polynomial(ring)
	th := auto.Must(kernel.Leibniz(auto.Must(kernel.LowRing(c, ring)), ring, c, auto.Must(kernel.UintMod(ring)),
		logic.Cong(logic.Uint(hole62), poly, gcdScale()), hole62))
	lins := []auto.Lin{lin(th, lowest, poly, logic.N(1))}
	if p.f != nil {
		is := p.isQ
		is.By = p.f.P()
		lins = append(lins, is)
	} else {
		req := combination(coefficient(fg[0]), coefficient(fg[1]), twos(x...), twos(y...))
		lins = append(lins, lin(assume(logic.Cong(req, logic.N(0), gcdScale())), req, logic.N(0), logic.N(1)))
		for i, xy := range [][]Term{x, y} {
			// f·x₀ = f·low x₀ = low f·low x₀
			lins = append(lins, splitLow(xy[0], logic.Neg(logic.Uint(fg[i]))),
				splitLow(fg[i], logic.Neg(logic.Uint(lowPart(xy[0])))))
		}
	}
	zero := auto.Congruent(lowest, logic.N(0), gcdScale(), lins...)
	p.low = equalIn(lowest, logic.N(0), logic.N(0), impl.GCDShift, zero)
}

// splitLow is the equation uint(w) = its low 62 bits + 2⁶²·the others.
func splitLow(w, by Term) auto.Lin {
	hi := logic.Uint(logic.Extract(63, impl.GCDShift, w))
	return lin(auto.Must(kernel.UintSplit(w, impl.GCDShift)), logic.Uint(w),
		logic.Add(logic.Uint(lowPart(w)), logic.Mul(gcdScale(), hi)), by)
}

// equalIn proves x = y from x ≡ y modulo 2ⁿ, when x + off and y + off are in 0…2ⁿ−1 by facts and by ranges.
func equalIn(x, y, off Term, n int, cong Theorem, facts ...Theorem) Theorem {
	m := logic.Pow2(n)
	q := logic.Cong(x, y, m).Arg(0)
	k := logic.Div(q, m)
	is := lin(auto.Must(kernel.DvdElim(cong)), q, logic.Mul(m, k), logic.N(1))
	if q != logic.Sub(x, y) {
		k, is.By = logic.Neg(k), logic.N(-1)
	}
	X, Y := logic.Add(x, off), logic.Add(y, off)
	eq := auto.Equal(X, logic.Add(Y, logic.Mul(m, k)), is)
	th, _ := auto.Absorb(X, Y, k, n, eq, facts...)
	return th
}

// row: what the words are then.
func (p *rowProof) row(v machine.View) {
	x, y := v.Before("x"), v.Before("y")
	t := p.regs(v)
	V, one, n := auto.Word(p.V...), logic.N(1), logic.Pow2(320)
	// V = 2⁶²·W
	all := logic.Concat(p.V...)
	var lins []auto.Lin
	split := func(x Term, at int, by *big.Int) Term {
		lo, hi := logic.Extract(at-1, 0, x), logic.Extract(x.Width()-1, at, x)
		r := logic.Add(logic.Uint(lo), auto.Scale(auto.Pow2(at), logic.Uint(hi)))
		lins = append(lins, lin(auto.Must(kernel.UintSplit(x, at)), logic.Uint(x), r, logic.IntConst(by)))
		return hi
	}
	rest := all
	for i := range 4 {
		rest = split(rest, 64, new(big.Int).Neg(auto.Pow2(64*i)))
	}
	tele := auto.NewTelescope()
	rest = split(all, impl.GCDShift, big.NewInt(1))
	var ws []Term
	for i := range 4 {
		ws = append(ws, logic.Extract(63, 0, rest))
		rest = split(rest, 64, auto.Pow2(64*i+impl.GCDShift))
	}
	tele.Leaf(append(ws, rest)...)
	W := logic.Add(auto.Word(ws...), auto.Scale(auto.Pow2(256), logic.Uint(rest)))
	lins = append(lins, lin(p.low, logic.Uint(lowPart(p.V[0])), logic.N(0), one))
	isW := lin(auto.Equal(V, logic.Mul(gcdScale(), W), lins...), V, logic.Mul(gcdScale(), W), logic.N(-1))

	diff := logic.Sub(W, logic.Add(auto.Word(x...), auto.Word(y...)))
	value := auto.Word(t...)
	_, eqs := tele.Reduce(logic.Sub(value, diff))
	isT := lin(auto.Congruent(value, diff, n, eqs...), value, diff, gcdScale())

	// its low 258 bits
	p.words, p.top = t[:4], logic.Extract(1, 0, t[4])
	p.T = p.number(p.top)
	hi, e0, e1 := logic.Extract(63, 2, t[4]), logic.Extract(0, 0, p.top), logic.Extract(1, 1, p.top)
	scale := auto.Pow2(256 + impl.GCDShift)
	two := lin(auto.Must(kernel.UintSplit(t[4], 2)), logic.Uint(t[4]),
		logic.Add(logic.Uint(p.top), logic.Mul(logic.N(4), logic.Uint(hi))), logic.IntConst(new(big.Int).Neg(scale)))
	bits := lin(auto.Must(kernel.UintSplit(p.top, 1)), logic.Uint(p.top),
		logic.Add(logic.Uint(e0), logic.Mul(logic.N(2), logic.Uint(e1))), logic.IntConst(new(big.Int).Neg(scale)))
	fg := v.Before("fg")
	p.N = combination(coefficient(fg[0]), coefficient(fg[1]), twos(x...), twos(y...))
	if p.f != nil {
		p.N = logic.Add(p.N, logic.Mul(p.q, p.f.P()))
	}
	x2 := logic.Mul(gcdScale(), p.T)
	cong := auto.Congruent(x2, p.N, n, two, bits, isT, isW, p.isV)
	var facts []Theorem
	if p.f != nil {
		facts = p.bounds(fg, x, y)
	} else {
		for _, t := range within(p.N, logic.Pow2(impl.GCDShift+256)) {
			facts = append(facts, assume(t))
		}
	}
	eq := equalIn(x2, p.N, logic.Pow2(319), 320, cong, facts...)
	p.isT = lin(auto.Equal(x2, p.N, lin(eq, logic.Add(x2, logic.Pow2(319)), logic.Add(p.N, logic.Pow2(319)), one)),
		x2, p.N, one)
	if p.f == nil {
		return
	}
	// −m ≤ T ≤ 2m − 1
	m := p.f.P()
	down := auto.NonNeg(logic.Add(x2, logic.Mul(gcdScale(), m)), facts[:1], p.isT)
	neg := p.isT
	neg.By = logic.N(-1)
	up := auto.NonNeg(logic.Sub(logic.Mul(logic.N(2), gcdScale(), m), logic.Add(x2, one)), facts[1:], neg)
	p.range_ = []Theorem{auto.Cut(down, auto.Pow2(impl.GCDShift), p.T),
		auto.Cut(up, auto.Pow2(impl.GCDShift), logic.Neg(p.T))}
}

// number is T, with top for its bits 256 and 257.
func (p *rowProof) number(top Term) Term {
	e := logic.Sub(logic.Uint(logic.Extract(0, 0, top)), logic.Mul(logic.N(2), logic.Uint(logic.Extract(1, 1, top))))
	return logic.Add(auto.Word(p.words...), auto.Scale(auto.Pow2(256), e))
}

// Variables of bounded.
var boundF, boundG, boundX, boundY = gcdInt("f"), gcdInt("g"), gcdInt("x"), gcdInt("y")

func gcdInt(name string) Term { return logic.Var("gcd."+name, logic.Int()) }

// bounded is −2⁶²·m ≤ f·x + g·y and f·x + g·y ≤ 2⁶²·m for ±f ± g ≤ 2⁶² and −m ≤ x, y ≤ m, m > 0 a constant: with s, t
// = ±1
//
//	4·m·(2⁶²·m − f·x − g·y) = Σ (2⁶² − s·f − t·g)·(m + s·x)·(m + t·y)
func bounded(m *big.Int) []Theorem {
	f, g, x, y, M := boundF, boundG, boundX, boundY, logic.IntConst(m)
	rows, xs, ys := smallRow(f, g), within(x, M), within(y, M)
	var facts []Theorem
	for _, t := range append(append(rows, xs...), ys...) {
		facts = append(facts, assume(t))
	}
	four := new(big.Int).Mul(big.NewInt(4), m)
	var ths []Theorem
	for _, sign := range []int{-1, 1} { // 2⁶²·m − sign·(f·x + g·y)
		p := logic.Sub(logic.Mul(gcdScale(), M), logic.Mul(logic.N(int64(sign)), combination(f, g, x, y)))
		var products []kernel.Product
		for _, s := range []int{-1, 1} {
			for _, t := range []int{-1, 1} {
				// 2⁶² − sign·(s·f + t·g): facts 0, 1 are for ∓(f + g), 2, 3 for ∓(f − g)
				row := 0
				if s != t {
					row = 2
				}
				if s*sign > 0 {
					row++
				}
				products = append(products, kernel.Product{Coef: big.NewInt(1),
					Factors: []int{row, 4 + (1-s)/2, 6 + (1-t)/2}})
			}
		}
		th := auto.NonNegBy(auto.Scale(four, p), facts, products)
		ths = append(ths, auto.Must(kernel.Le(p, []Theorem{auto.Cut(th, four, p)},
			[]kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}})))
	}
	return ths
}

// bounds are those of f·x + g·y.
func (p *rowProof) bounds(fg, x, y []Term) []Theorem {
	over := map[Term]Term{boundF: coefficient(fg[0]), boundG: coefficient(fg[1]), boundX: twos(x...),
		boundY: twos(y...)}
	var ths []Theorem
	for _, th := range bounded(p.f.M()) {
		ths = append(ths, auto.Must(kernel.Inst(th, over)))
	}
	return ths
}

var topVar = logic.Var("gcd.top", logic.BV(2))

// finish: the goals.
func (p *rowProof) finish(v machine.View) {
	r := memoryWords(v, "r", 0, 5)
	N := p.N
	if p.f == nil {
		// the top word is the sign's extension
		w := logic.Replace(r[4], map[Term]Term{p.top: topVar})
		e := logic.Sub(p.number(topVar), auto.Word(p.words...))
		is := logic.Sub(twos(append(append([]Term{}, p.words...), w)...), auto.Word(p.words...))
		th := byValue(logic.Eq(is, e), topVar, func(_ uint64, goal Term) Theorem { return taut(goal) })
		th = auto.Must(kernel.Inst(th, map[Term]Term{topVar: p.top}))
		R := twos(r...)
		l := lin(th, logic.Sub(R, auto.Word(p.words...)), logic.Sub(p.T, auto.Word(p.words...)), gcdScale())
		p.know(auto.Equal(logic.Mul(gcdScale(), R), N, l, p.isT))
		return
	}
	m := p.f.P()
	ws := make([]Term, 5)
	for i, w := range r {
		ws[i] = logic.Replace(w, map[Term]Term{p.top: topVar})
	}
	T, R := p.number(topVar), twos(ws...)
	hyps := append([]Term{}, logic.Le(logic.Neg(m), T), logic.Le(T, logic.Sub(logic.Mul(logic.N(2), m), logic.N(1))))
	goals := append(within(R, m), logic.Cong(R, T, m))
	for _, goal := range goals {
		th := byValue(logic.Imp(logic.And(hyps...), goal), topVar, func(k uint64, all Term) Theorem {
			at := func(t Term) Term { return logic.Replace(t, map[Term]Term{topVar: logic.BVUint(2, k)}) }
			th := p.signCase(at(goal), k < 2, at(T), mapped(ws, at), mapped(hyps, at))
			for _, h := range hyps {
				th = implied(at(h), th)
			}
			return taut(all, th)
		})
		th = auto.Must(kernel.Inst(th, map[Term]Term{topVar: p.top}))
		of := logic.Subst(goal, map[Term]Term{topVar: p.top})
		th = taut(of, append(p.range_, th)...)
		if goal != goals[2] {
			p.know(th)
			continue
		}
		R := twos(r...)
		fact := logic.Sub(N, logic.Mul(p.q, m))
		p.know(auto.Congruent(logic.Mul(gcdScale(), R), fact, m, lin(th, R, p.T, gcdScale()), p.isT))
	}
}

// mapped is f of each.
func mapped[S, T any](ts []S, f func(S) T) []T {
	r := make([]T, len(ts))
	for i, t := range ts {
		r[i] = f(t)
	}
	return r
}

// signCase proves a goal about R, the number of the words, for the top bits of T that say whether T is natural, by the
// hypotheses −m ≤ T and T ≤ 2m − 1: then R is T − m, else T.
func (p *rowProof) signCase(goal Term, natural bool, T Term, words, hyps []Term) Theorem {
	m, one := p.f.P(), logic.N(1)
	want := T
	if natural {
		want = logic.Sub(T, m)
	}
	tele := auto.NewTelescope()
	tele.Leaf(p.words...)
	W := auto.Word(words...)
	_, eqs := tele.Reduce(logic.Sub(W, want))
	top := words[4]
	sign := auto.Scale(auto.Pow2(63), logic.Uint(logic.Extract(63, 63, top)))
	rest := logic.Uint(logic.Extract(62, 0, top))
	split := lin(auto.Must(kernel.UintSplit(top, 63)), logic.Uint(top), logic.Add(rest, sign),
		logic.IntConst(auto.Pow2(256)))
	R := twos(words...)
	low := logic.Add(auto.Word(words[:4]...), auto.Scale(auto.Pow2(256), logic.Sub(rest, sign)))
	isR := lin(auto.Equal(R, low, split), R, low, one)
	n := logic.Pow2(320)
	cong := auto.Congruent(W, want, n, eqs...)
	back := isR
	back.By = logic.N(-1)
	cong = auto.Congruent(low, want, n, back, lin(cong, W, want, one))
	facts := []Theorem{assume(hyps[0]), assume(hyps[1])}
	off := logic.Pow2(319)
	eq := lin(equalIn(low, want, off, 320, cong, facts...), logic.Add(low, off), logic.Add(want, off), one)
	is := lin(auto.Equal(R, want, isR, eq), R, want, one)
	switch goal {
	case logic.Cong(R, T, m):
		return auto.Congruent(R, T, m, is)
	case logic.Le(R, m):
		is.By = logic.N(-1)
		return auto.NonNeg(logic.Sub(m, R), facts, is)
	}
	return auto.NonNeg(logic.Add(R, m), facts, is)
}

// noCarries are equations uint(c) = 0 for the carries c in the rest that the code drops, of weights below 2ⁿ: those
// out of a product's high half when a word was added to the product.
func noCarries(rest Term, n int) (eqs []auto.Lin) {
	for _, m := range rest.Monomials() {
		if new(big.Int).Rem(m.Coef, auto.Pow2(n)).Sign() == 0 {
			continue
		}
		c := m.Atoms[0].Arg(0)
		high := c.Arg(0) // zext(product's high half) + zext(carry of the low half)
		carry, half := low(high.Arg(0)), low(high.Arg(1))
		if carry.Width() != 1 {
			carry, half = half, carry
		}
		sum, product := carry.Arg(0), half.Arg(0)
		word := low(sum.Arg(0))
		if word == logic.Extract(63, 0, product) {
			word = low(sum.Arg(1))
		}
		tele := auto.NewTelescope()
		tele.Leaf(word)
		for _, f := range product.Args() {
			tele.Leaf(low(f))
		}
		x := logic.Add(logic.Uint(logic.Extract(63, 0, sum)),
			auto.Scale(auto.Pow2(64), logic.Uint(logic.Extract(63, 0, high))))
		value, lins := tele.Reduce(x)
		k := logic.Neg(m.Atoms[0])
		y := logic.Sub(value, auto.Scale(auto.Pow2(128), k))
		_, zero := auto.Absorb(x, y, k, 128, auto.Equal(x, value, lins...))
		eqs = append(eqs, lin(zero, k, logic.N(0), logic.IntConst(new(big.Int).Neg(m.Coef))))
	}
	return eqs
}

// low is what a word extends by zeros.
func low(w Term) Term {
	if u := logic.Uint(w); u.Op() == logic.OpUint {
		return u.Arg(0)
	}
	return w
}
