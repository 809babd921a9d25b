package weierstrass

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// baseProof is the proof of PointMulBase. The loop is run through. Before row i the accumulator is [n + Lᵢ]G, where
// Lᵢ is the sum of the lower digits with their weights, Σ Wⱼ·dⱼ, j < i; in the end that is k.
//
// What the rows have in common is in combLemmas. Here a row's lemmas are instantiated with the words of the run: the
// digit is an extract of the words of k + Offset, and results of calls are new variables, so that the terms are small.
type baseProof struct {
	machine.NoProof
	goals
	c       *Curve
	code    impl.Code
	lemmas  *combLemmas
	layout  impl.BaseLayout
	onDigit Theorem // over the variable lemmas.e: signs and small of the words index and sign
	index   Term    // over lemmas.e
	sign    Term

	// of a run
	digits []Term // eᵢ, bit-vectors
	k      Term
	isK    Theorem // k = the sum of all digits with their weights
	row    int
	sum    Term    // Lᵢ
	acc    Theorem // the accumulator is [n + Lᵢ]G
	entry  Theorem // is(selected words, [W·w]G)
	words  []Term  // that are selected
	added  Term    // the sum of the accumulator and what is selected
	next   Theorem // it is [n + Lᵢ₊₁]G

	reduced []Theorem // that coordinates of the first point are
}

// newBaseProof is the proof of PointMulBase.
func newBaseProof(c *Curve, code impl.Code) machine.Prover {
	layout := impl.LayBase(&impl.Field{Words: c.Field.Words()})
	return &baseProof{c: c, code: code, lemmas: c.base.lemmas(), layout: layout}
}

// Begin starts a run.
func (p *baseProof) Begin(machine.View) error {
	*p = baseProof{c: p.c, code: p.code, lemmas: p.lemmas, layout: p.layout}
	return nil
}

// Mark proves what the next goals need.
func (p *baseProof) Mark(name string, v machine.View) error {
	step, ok := map[string]func(machine.View){
		"start": p.start, "digit": p.digit, "selected": p.selected,
		"first": p.first, "signed": p.signed, "round": p.round,
	}[name]
	if !ok {
		return nil
	}
	return auto.Run(func() { step(v) })
}

// Prove finds the theorem.
func (p *baseProof) Prove(g machine.Goal) (Theorem, error) {
	return p.find(g, fmt.Sprintf("row %d", p.row))
}

// tmp are n words of the temporary memory.
func (p *baseProof) tmp(v machine.View, off, n int) []Term { return memoryWords(v, "tmp", off, n) }

// memoryWords are n words of a region.
func memoryWords(v machine.View, region string, off, n int) []Term {
	ws := make([]Term, n)
	for i := range ws {
		if ws[i] = v.Mem(region, off+8*i, 8); ws[i].IsZero() {
			panic(fmt.Errorf("%s[%d] is undefined", region, off+8*i))
		}
	}
	return ws
}

// start: the digits.
func (p *baseProof) start(v machine.View) {
	l := p.lemmas
	p.k = auto.Word(v.Before("k")...)
	below := assume(logic.Lt(p.k, p.c.Spec.N()))
	words := p.tmp(v, p.layout.Digits, l.comb.Words)
	p.digits, p.isK = recoded(p.k, words, l.comb.Offset, impl.CombWindow, l.comb.Rows, below)
	p.sum = logic.N(0)
}

// accumulator is the point r.
func (p *baseProof) accumulator(v machine.View) Term {
	n := p.c.Field.Words()
	ws := memoryWords(v, "r", 0, 3*n)
	return p.c.Point(auto.Word(ws[:n]...), auto.Word(ws[n:2*n]...), auto.Word(ws[2*n:]...))
}

// recoded are the digits e of rows·w bits in words, the least significant first, which are k + offset, and the theorem
//
//	k = Σ 2^(w·i)·(eᵢ − 2^(w−1))
//
// where offset is Σ 2^(w·i + w−1), and facts bound k so that k + offset has no more digits.
func recoded(k Term, words []Term, offset *big.Int, w, rows int, facts ...Theorem) ([]Term, Theorem) {
	one := logic.N(1)
	value := auto.Word(words...)
	off := logic.IntConst(offset)
	whole := logic.Add(k, off)
	eq := noCarry(value, whole, 64*len(words))
	lins := []auto.Lin{{Th: eq, L: value, R: whole, By: logic.N(-1)}}
	split := func(x Term, at int, by *big.Int, sign int64) Term {
		lo, hi := logic.Extract(at-1, 0, x), logic.Extract(x.Width()-1, at, x)
		r := logic.Add(logic.Uint(lo), auto.Scale(auto.Pow2(at), logic.Uint(hi)))
		th := auto.Must(kernel.UintSplit(x, at))
		lins = append(lins, auto.Lin{Th: th, L: logic.Uint(x), R: r, By: auto.Scale(by, logic.N(sign))})
		return hi
	}
	// the words are one number
	all := logic.Concat(words...)
	x := all
	for i := range len(words) - 1 {
		x = split(x, 64, auto.Pow2(64*i), -1)
	}
	// it has these digits
	digits := make([]Term, rows)
	sum := logic.N(0)
	x = all
	for i := range digits {
		digits[i] = logic.Extract(w-1, 0, x)
		d := logic.Sub(logic.Uint(digits[i]), logic.Pow2(w-1))
		sum = logic.Add(sum, auto.Scale(auto.Pow2(w*i), d))
		x = split(x, w, auto.Pow2(w*i), 1)
	}
	// and no more: k = sum + W·rest
	rest, W := logic.Uint(x), auto.Pow2(w*rows)
	eq = auto.Equal(k, logic.Add(sum, auto.Scale(W, rest)), lins...)
	if rest == logic.N(0) {
		return digits, eq
	}
	lo, _ := auto.Range(x)
	up := auto.NonNeg(logic.Sub(logic.IntConst(new(big.Int).Sub(W, big.NewInt(1))), auto.Scale(W, rest)), facts,
		auto.Lin{Th: eq, L: k, R: logic.Add(sum, auto.Scale(W, rest)), By: one})
	zero := auto.Must(kernel.Antisym(rest, lo, auto.Cut(up, W, logic.Neg(rest))))
	return digits, auto.Equal(k, sum, auto.Lin{Th: eq, L: k, R: logic.Add(sum, auto.Scale(W, rest)), By: one},
		auto.Lin{Th: zero, L: rest, R: logic.N(0), By: logic.IntConst(W)})
}

// noCarry proves that words of n bits in all have the value e, which telescoping shows but for a carry that is dropped,
// when both are in 0…2ⁿ−1 by the ranges of their words.
func noCarry(value, e Term, n int) Theorem {
	d := logic.Sub(value, e)
	rest, eqs := auto.NewTelescope().Reduce(d)
	th := auto.Equal(d, rest, eqs...)
	lin := auto.Lin{Th: th, L: d, R: rest, By: logic.N(1)}
	if rest == logic.N(0) {
		return auto.Equal(value, e, lin)
	}
	ms := rest.Monomials()
	for _, m := range ms {
		if _, r := m.Coef.QuoRem(m.Coef, auto.Pow2(n), new(big.Int)); r.Sign() != 0 {
			panic(fmt.Errorf("the words are the expected value plus %v", rest))
		}
	}
	r, _ := auto.Absorb(value, e, logic.FromMonomials(ms), n, auto.Equal(value, logic.Add(e, rest), lin))
	return r
}

// digit: what index and sign are. This is proved over a variable for the digit, by cases over its values, once.
func (p *baseProof) digit(v machine.View) {
	l := p.lemmas
	index, sign := p.tmp(v, p.layout.Index, 1)[0], p.tmp(v, p.layout.Sign, 1)[0]
	e := p.digits[p.row]
	if p.row == 0 {
		over := map[Term]Term{e: l.e}
		p.index, p.sign = logic.Replace(index, over), logic.Replace(sign, over)
		goal := logic.And(append(signs(l.digit(l.e), p.index, p.sign), small(p.index, combHalf), isCondition(p.sign))...)
		p.onDigit = byValue(goal, l.e, func(_ uint64, goal Term) Theorem { return taut(goal) })
	}
	of := map[Term]Term{l.e: e}
	if logic.Subst(p.index, of) != index || logic.Subst(p.sign, of) != sign {
		panic(fmt.Errorf("row %d: the words %v, %v are not those of the digit %v", p.row, index, sign, e))
	}
}

// onRow is what is known of this row's index and sign.
func (p *baseProof) onRow(goal Term) Theorem {
	return taut(goal, auto.Must(kernel.Inst(p.onDigit, map[Term]Term{p.lemmas.e: p.digits[p.row]})))
}

// selected: the point [W·index]G.
func (p *baseProof) selected(v machine.View) {
	l, c, n := p.lemmas, p.c, p.c.Field.Words()
	index, sign := p.tmp(v, p.layout.Index, 1)[0], p.tmp(v, p.layout.Sign, 1)[0]
	p.words = p.tmp(v, p.layout.Sel, 2*n)
	th := auto.Must(kernel.Inst(l.selection(p.row), map[Term]Term{l.w: index}))
	th = number.Use(th, p.onRow(small(index, combHalf)))
	var eqs []kernel.Equation
	for i, w := range l.selects(p.row, index) {
		eqs = append(eqs, auto.Rewritten(assume(logic.Eq(p.words[i], w)), w, p.words[i]))
	}
	p.entry = auto.Must(kernel.Rewrite(th, eqs...))
	p.forget()
	p.know(taut(logic.Lt(auto.Word(p.words[:n]...), c.Field.P()), p.entry),
		taut(logic.Lt(auto.Word(p.words[n:]...), c.Field.P()), p.entry), p.onRow(isCondition(sign)))
}

// digitPoint proves (x, v) = Digit(W·d, G) for the Y coordinate v that the operation CNeg gave.
func (p *baseProof) digitPoint(view machine.View, v Term) Theorem {
	l, c, n, i := p.lemmas, p.c, p.c.Field.Words(), p.row
	e := p.digits[i]
	index, sign := p.tmp(view, p.layout.Index, 1)[0], p.tmp(view, p.layout.Sign, 1)[0]
	x, y := auto.Word(p.words[:n]...), auto.Word(p.words[n:]...)
	kG := l.multiple(auto.Scale(l.weight(i), logic.Uint(index)))
	facts := []Theorem{taut(logic.Eq(c.AffinePoint(x, y), kG), p.entry)}
	for _, t := range signs(l.digit(e), index, sign) {
		facts = append(facts, p.onRow(t))
	}
	return number.Use(auto.Must(kernel.Inst(l.signed(i),
		map[Term]Term{l.e: e, l.w: index, l.s: sign, l.x: x, l.y: y, l.v: v})), facts...)
}

// first: the accumulator is the point of the first row.
func (p *baseProof) first(v machine.View) {
	l, n, e := p.lemmas, p.c.Field.Words(), p.digits[0]
	r := memoryWords(v, "r", 0, 3*n)
	X, Y, Z := auto.Word(r[:n]...), auto.Word(r[n:2*n]...), auto.Word(r[2*n:]...)
	over := logic.Replace(Z, map[Term]Term{e: l.e})
	goal := logic.And(append(l.ones(l.e, over), logic.Lt(over, p.c.Field.P()))...)
	all := auto.Must(kernel.Inst(byValue(goal, l.e, func(_ uint64, goal Term) Theorem { return taut(goal) }),
		map[Term]Term{l.e: e}))
	facts := []Theorem{p.digitPoint(v, Y)}
	for _, t := range l.ones(e, Z) {
		facts = append(facts, taut(t, all))
	}
	p.acc = number.Use(auto.Must(kernel.Inst(l.start(), map[Term]Term{l.e: e, l.x: X, l.v: Y, l.z: Z})), facts...)
	p.reduced = []Theorem{taut(logic.Lt(X, p.c.Field.P()), p.entry), taut(logic.Lt(Z, p.c.Field.P()), all)}
	p.row, p.sum = 1, l.term(0, e)
}

// signed: the point Digit(W·d, G), which can be added to the accumulator.
func (p *baseProof) signed(v machine.View) {
	l, c, n, i := p.lemmas, p.c, p.c.Field.Words(), p.row
	e := p.digits[i]
	x, u := auto.Word(p.words[:n]...), auto.Word(p.tmp(v, p.layout.Sel+8*n, n)...)
	sel := p.digitPoint(v, u)
	P, Q := p.accumulator(v), c.AffinePoint(x, u)
	th := auto.Must(kernel.Inst(l.added(i), map[Term]Term{l.e: e, l.l: p.sum, l.p: P, l.q: Q}))
	facts := []Theorem{p.acc, sel}
	for _, t := range l.bounds(i, e, p.sum) {
		facts = append(facts, p.bound(t))
	}
	th = number.Use(th, facts...)
	adds := l.adds(i, e, p.sum, P, Q)
	for _, t := range adds {
		p.next = taut(t, th)
		p.know(p.next)
	}
	if i == 1 {
		p.know(p.reduced...)
	}
	p.added = c.Sum(P, Q)
}

// bound proves one of combLemmas.bounds: of the sum of the digits by their ranges, or that 0 ≤ k < n.
func (p *baseProof) bound(goal Term) Theorem {
	if goal == logic.True() {
		return auto.True()
	}
	t := goal.Arg(0)
	if p.row == p.lemmas.comb.Rows-1 {
		sum := logic.Add(p.sum, p.lemmas.term(p.row, p.digits[p.row]))
		switch goal {
		case logic.Ge0(sum):
			return auto.NonNeg(t, nil, auto.Lin{Th: p.isK, L: p.k, R: sum, By: logic.N(-1)})
		case logic.Lt(sum, p.c.Spec.N()):
			below := assume(logic.Lt(p.k, p.c.Spec.N()))
			return auto.NonNeg(t, []Theorem{below}, auto.Lin{Th: p.isK, L: p.k, R: sum, By: logic.N(1)})
		}
	}
	return auto.NonNeg(t, nil)
}

// round: the accumulator is the next multiple.
func (p *baseProof) round(v machine.View) {
	l := p.lemmas
	acc := p.accumulator(v)
	p.sum = logic.Add(p.sum, l.term(p.row, p.digits[p.row]))
	p.row++
	is := assume(logic.Eq(acc, p.added))
	p.acc = auto.Must(kernel.Leibniz(is, p.added, acc, p.next, logic.Eq(l.p, l.before(p.sum)), l.p))
	if p.row < l.comb.Rows {
		return
	}
	// [n + k]G = [k]G
	hole := logic.Fresh("k", logic.Int())
	th := auto.Must(kernel.Leibniz(p.isK, p.sum, p.k, p.acc, logic.Eq(acc, l.before(hole)), hole))
	n := p.c.Spec.N()
	same := number.Use(l.laws.Congruent(logic.Add(n, p.k), p.k, l.g), auto.NonNeg(p.k, nil),
		auto.NonNeg(logic.Add(n, p.k), nil), l.on())
	p.know(auto.Must(kernel.Leibniz(same, l.before(p.k), l.multiple(p.k), th, logic.Eq(acc, l.p), l.p)))
}
