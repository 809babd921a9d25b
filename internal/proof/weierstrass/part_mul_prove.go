package weierstrass

import (
	"fmt"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// mulProof is the proof of PointMul. The loops are run through. After row i, counted from the top one down to 0, the
// accumulator is [m]Q, where m is what the rows above and including i say, Σ 2^(w·(j−i))·dⱼ, j ≥ i, which is never
// negative; in the end that is k. What the rows have in common is in mulLemmas.
type mulProof struct {
	machine.NoProof
	goals
	c      *Curve
	lemmas *mulLemmas
	digits impl.Digits
	layout impl.MulLayout

	// of a run
	q        Term      // Q
	onQ      []Theorem // it is on the curve, and not O
	entry    int       // of the table that is made next
	table    [][]Term  // words of the entries
	entries  []Theorem // is(table[i], [i]Q)
	made     Theorem   // is(words, [entry]Q), without Z² and Z³
	selected []Term    // what mulLemmas.w selects
	selects  Theorem   // mulLemmas.selection
	onDigit  Theorem   // mulLemmas.onDigit
	index    Term      // over mulLemmas.e
	sign     Term

	k       Term
	isK     Theorem // k = the sum of all digits with their weights
	es      []Term  // digits eᵢ, bit-vectors
	row     int
	m       Term    // what Q is multiplied by in the rows above
	pos     Theorem // 0 ≤ m
	doubled int     // times, in this row
	point   Term    // the accumulator
	acc     Theorem // it is [2^doubled·m]Q
	words   []Term  // that are selected
	is      Theorem // is(words, [w]Q)
	added   Term    // the sum of the accumulator and what is selected
	next    Theorem // it is the next multiple
}

// newMulProof is the proof of PointMul.
func newMulProof(c *Curve) machine.Prover {
	f := &impl.Field{Words: c.Field.Words()}
	return &mulProof{c: c, lemmas: c.mul.lemmas, digits: c.mul.digits, layout: impl.LayMul(f, c.mul.digits)}
}

// Begin starts a run.
func (p *mulProof) Begin(machine.View) error {
	*p = mulProof{c: p.c, lemmas: p.lemmas, digits: p.digits, layout: p.layout}
	return nil
}

// Mark proves what the next goals need.
func (p *mulProof) Mark(name string, v machine.View) error {
	step, ok := map[string]func(machine.View){
		"digits": p.start, "multiple": p.multiple, "entry": p.cached, "digit": p.digit, "selected": p.choose,
		"first": p.first, "double": p.double, "signed": p.signed, "round": p.round,
	}[name]
	if !ok {
		return nil
	}
	return auto.Run(func() { step(v) })
}

// Prove finds the theorem.
func (p *mulProof) Prove(g machine.Goal) (Theorem, error) {
	return p.find(g, fmt.Sprintf("entry %d, row %d", p.entry, p.row))
}

// start: the digits, and Q.
func (p *mulProof) start(v machine.View) {
	n := p.c.Field.Words()
	p.k = auto.Word(v.Before("k")...)
	below := assume(logic.Lt(p.k, p.c.Spec.N()))
	words := memoryWords(v, "tmp", p.layout.Digits, p.digits.Words)
	p.es, p.isK = recoded(p.k, words, p.digits.Offset, impl.Window, p.digits.Rows, below)
	p.row = p.digits.Rows - 1
	q := v.Before("q")
	p.q = p.c.AffinePoint(auto.Word(q[:n]...), auto.Word(q[n:]...))
	p.onQ = nil
	for _, t := range p.lemmas.onQ(p.q) {
		p.onQ = append(p.onQ, assume(t))
	}
	p.table, p.entries, p.entry = [][]Term{nil}, []Theorem{{}}, 1
}

// entryWords are n words of the entry that is made.
func (p *mulProof) entryWords(v machine.View, n int) []Term {
	f := &impl.Field{Words: p.c.Field.Words()}
	return memoryWords(v, "tmp", p.layout.Entry(f, p.entry), n)
}

// multipleIs is P = [i]Q for entry i.
func (p *mulProof) multipleIs(i int) Theorem {
	return taut(logic.Eq(p.lemmas.point(p.table[i]), p.c.Multiple(logic.N(int64(i)), p.q)), p.entries[i])
}

// at is a lemma for Q and the points.
func (p *mulProof) at(lemma Theorem, m, P, R Term, facts ...Theorem) Theorem {
	l := p.lemmas
	th := auto.Must(kernel.Inst(lemma, map[Term]Term{l.m: m, l.q: p.q, l.p: P, l.r: R}))
	return useEach(th, append(facts, p.onQ...)...)
}

// multiple: an entry without Z² and Z³.
func (p *mulProof) multiple(v machine.View) {
	c, l, i, n := p.c, p.lemmas, p.entry, p.c.Field.Words()
	ws := p.entryWords(v, 3*n)
	P, iQ := l.point(ws), c.Multiple(logic.N(int64(i)), p.q)
	var is Theorem
	switch {
	case i == 1:
		is = number.Use(l.first(auto.Word(ws[:n]...), auto.Word(ws[n:2*n]...)), p.onQ...)
	case i%2 == 0:
		h := l.point(p.table[i/2])
		is = p.at(l.twice(), logic.N(int64(i/2)), h, P, p.multipleIs(i/2), assume(logic.Eq(P, c.Sum(h, h))))
	default:
		a, b := l.point(p.table[i-1]), l.point(p.table[1])
		th := p.at(l.next(int64(i-1)), logic.N(0), a, b, p.multipleIs(i-1), p.multipleIs(1))
		sum := c.Sum(a, b)
		x := logic.Fresh("at", spec.PointSort())
		is = auto.Must(kernel.Leibniz(assume(logic.Eq(P, sum)), sum, P, taut(logic.Eq(sum, iQ), th), logic.Eq(x, iQ), x))
	}
	goal := l.is(ws, iQ)
	all := []Theorem{is}
	for i := range 3 {
		if t := logic.Lt(auto.Word(ws[n*i:n*i+n]...), c.Field.P()); t != logic.True() {
			all = append(all, assume(t))
		}
	}
	p.made = taut(goal, all...)
	p.table = append(p.table, ws)
}

// cached: an entry.
func (p *mulProof) cached(v machine.View) {
	c, l, i, n := p.c, p.lemmas, p.entry, p.c.Field.Words()
	iQ := c.Multiple(logic.N(int64(i)), p.q)
	old, ws := p.table[i], p.entryWords(v, 5*n)
	same := make([]Theorem, len(old))
	for j := range old {
		same[j] = assume(logic.Eq(ws[j], old[j]))
	}
	all := []Theorem{replaced(p.made, old, ws, same, func(ws []Term) Term { return l.is(ws, iQ) })}
	for i := 3; i < 5; i++ {
		all = append(all, assume(logic.Lt(auto.Word(ws[n*i:n*i+n]...), c.Field.P())))
	}
	for _, t := range l.powers(ws) {
		all = append(all, assume(t))
	}
	p.table[i] = ws
	p.entries = append(p.entries, taut(l.is(ws, iQ), all...))
	p.knowCached(ws, p.entries[i])
	p.know(p.on(l.point(ws), logic.N(int64(i)), p.multipleIs(i)))
	if i%2 == 0 && i < half {
		a, b := l.point(ws), l.point(p.table[1])
		next := p.at(l.next(int64(i)), logic.N(0), a, b, p.multipleIs(i), p.multipleIs(1))
		p.know(taut(c.summable(a, b), next))
	}
	if p.entry++; i == half {
		p.selected, p.selects = l.selection(p.q, p.table, p.entries)
	}
}

// knowCached adds what is required of a cached point but that it is on the curve.
func (p *mulProof) knowCached(ws []Term, is Theorem) {
	n := p.c.Field.Words()
	for i := range 5 {
		p.know(taut(logic.Lt(auto.Word(ws[n*i:n*i+n]...), p.c.Field.P()), is))
	}
	for _, t := range p.lemmas.powers(ws) {
		p.know(taut(t, is))
	}
}

// on proves that P = [k]Q is on the curve.
func (p *mulProof) on(P, k Term, is Theorem) Theorem {
	kQ := p.c.Multiple(k, p.q)
	x := logic.Fresh("at", spec.PointSort())
	return auto.Must(kernel.Leibniz(is, kQ, P, number.Use(p.c.laws().Closed(k, p.q), p.onQ...), p.c.OnCurve(x), x))
}

// word is a word of the temporary memory.
func (p *mulProof) word(v machine.View, off int) Term { return memoryWords(v, "tmp", off, 1)[0] }

// digit: what index and sign are. This is proved over a variable for the digit once.
func (p *mulProof) digit(v machine.View) {
	l, e := p.lemmas, p.es[p.row]
	index, sign := p.word(v, p.layout.Index), p.word(v, p.layout.Sign)
	if p.onDigit.IsZero() {
		over, at := map[Term]Term{}, 0
		parts := []Term{e}
		if e.Op() == logic.OpConcat { // bits of two words
			parts = e.Args()
		}
		for _, x := range parts {
			over[x] = logic.Extract(at+x.Width()-1, at, l.e)
			at += x.Width()
		}
		p.index, p.sign = logic.Replace(index, over), logic.Replace(sign, over)
		p.onDigit = l.onDigit(p.index, p.sign)
	}
	of := map[Term]Term{l.e: e}
	if logic.Subst(p.index, of) != index || logic.Subst(p.sign, of) != sign {
		panic(fmt.Errorf("row %d: the words %v, %v are not those of the digit %v", p.row, index, sign, e))
	}
}

// onRow is what is known of this row's index and sign.
func (p *mulProof) onRow(goal Term) Theorem {
	return taut(goal, auto.Must(kernel.Inst(p.onDigit, map[Term]Term{p.lemmas.e: p.es[p.row]})))
}

// choose: the point [w]Q.
func (p *mulProof) choose(v machine.View) {
	l, n := p.lemmas, p.c.Field.Words()
	index, sign := p.word(v, p.layout.Index), p.word(v, p.layout.Sign)
	p.words = memoryWords(v, "tmp", p.layout.Sel, 5*n)
	of := map[Term]Term{l.w: index}
	th := number.Use(auto.Must(kernel.Inst(p.selects, of)), p.onRow(small(index, half)))
	var eqs []kernel.Equation
	for i, w := range p.selected {
		w := logic.Subst(w, of)
		eqs = append(eqs, auto.Rewritten(assume(logic.Eq(p.words[i], w)), w, p.words[i]))
	}
	p.is = auto.Must(kernel.Rewrite(th, eqs...))
	p.forget()
	p.knowCached(p.words, p.is)
	p.know(p.onRow(isCondition(sign)))
}

// selectedIs is that the selected point is [w]Q.
func (p *mulProof) selectedIs(v machine.View) Theorem {
	index := p.word(v, p.layout.Index)
	return taut(logic.Eq(p.lemmas.point(p.words), p.c.Multiple(logic.Uint(index), p.q)), p.is)
}

// first: the accumulator is the point of the top row, whose digit is not negative.
func (p *mulProof) first(v machine.View) {
	c, e := p.c, p.es[p.row]
	p.m = p.lemmas.d(e)
	p.pos = p.nonNegative()
	index := logic.Uint(p.word(v, p.layout.Index))
	th := taut(logic.Eq(index, p.m), p.pos, p.onRow(signs(p.m, p.word(v, p.layout.Index), p.word(v, p.layout.Sign))[0]))
	x := logic.Fresh("m", logic.Int())
	p.point = p.accumulator(v)
	p.acc = auto.Must(kernel.Leibniz(th, index, p.m, p.selectedIs(v), logic.Eq(p.point, c.Multiple(x, p.q)), x))
	p.know(p.on(p.point, p.m, p.acc))
	p.row--
}

// accumulator is the point r.
func (p *mulProof) accumulator(v machine.View) Term {
	return p.lemmas.point(memoryWords(v, "r", 0, 3*p.c.Field.Words()))
}

// nonNegative is 0 ≤ m, where m is what the rows from this one on say: 2^(w·i)·m is k − Σ 2^(w·j)·dⱼ, j < i, which is
// not as small as −2^(w·i).
func (p *mulProof) nonNegative() Theorem {
	W, room := auto.Pow2(impl.Window*p.row), logic.N(0)
	sum := auto.Scale(W, p.m)
	for j := range p.row {
		w := auto.Pow2(impl.Window * j)
		sum = logic.Add(sum, auto.Scale(w, p.lemmas.d(p.es[j])))
		room = logic.Add(room, auto.Scale(w, logic.N(half-1)))
	}
	th := auto.NonNeg(logic.Add(auto.Scale(W, p.m), room), nil, auto.Lin{Th: p.isK, L: p.k, R: sum, By: logic.N(-1)})
	return auto.Cut(th, W, logic.Sub(p.m, logic.IntConst(constantPart(p.m))))
}

// below is m < n.
func (p *mulProof) below() Theorem {
	top := logic.Sub(logic.Sub(p.c.Spec.N(), logic.N(1)), p.m)
	if p.row > 0 {
		return auto.NonNeg(top, nil)
	}
	return auto.NonNeg(top, []Theorem{assume(logic.Lt(p.k, p.c.Spec.N()))}, auto.Lin{Th: p.isK, L: p.k, R: p.m, By: logic.N(1)})
}

// double: the accumulator is twice what it was.
func (p *mulProof) double(v machine.View) {
	c, R := p.c, p.accumulator(v)
	m := p.before()
	pos := auto.NonNegBy(m, []Theorem{p.pos}, []kernel.Product{{Coef: auto.Pow2(p.doubled), Factors: []int{0}}})
	th := p.at(p.lemmas.twice(), m, p.point, R, p.acc, assume(logic.Eq(R, c.Sum(p.point, p.point))), pos)
	p.doubled++
	p.point, p.acc = R, taut(logic.Eq(R, c.Multiple(p.before(), p.q)), th)
	p.know(taut(c.OnCurve(R), th))
}

// before is what Q was multiplied by, doublings of this row included.
func (p *mulProof) before() Term { return auto.Scale(auto.Pow2(p.doubled), p.m) }

// signed: the point Digit(d, Q), which can be added to the accumulator.
func (p *mulProof) signed(v machine.View) {
	l, c, n, e := p.lemmas, p.c, p.c.Field.Words(), p.es[p.row]
	index, sign := p.word(v, p.layout.Index), p.word(v, p.layout.Sign)
	el := func(i int) Term { return auto.Word(p.words[n*i : n*i+n]...) }
	u := auto.Word(memoryWords(v, "tmp", p.layout.Sel+8*n, n)...)
	facts := []Theorem{p.selectedIs(v)}
	for _, t := range signs(l.d(e), index, sign) {
		facts = append(facts, p.onRow(t))
	}
	is := number.Use(auto.Must(kernel.Inst(l.signed(), map[Term]Term{l.q: p.q,
		l.e: e, l.w: index, l.s: sign, l.x: el(0), l.y: el(1), l.v: u, l.z: el(2)})), facts...)

	P, R, m := p.point, c.Point(el(0), u, el(2)), p.m
	p.m = l.digit.after(e, m)
	pos := p.nonNegative()
	th := auto.Must(kernel.Inst(l.added(), map[Term]Term{l.e: e, l.m: m, l.q: p.q, l.p: P, l.r: R}))
	th = useEach(th, append([]Theorem{p.acc, is, p.pos, pos, p.below()}, p.onQ...)...)
	for _, t := range l.sums(e, m, p.q, P, R) {
		p.next = taut(t, th)
		p.know(p.next)
	}
	p.pos, p.added = pos, c.Sum(P, R)
}

// round: the accumulator is the next multiple.
func (p *mulProof) round(v machine.View) {
	c, at := p.c, logic.Fresh("at", spec.PointSort())
	p.point, p.doubled = p.accumulator(v), 0
	is := assume(logic.Eq(p.point, p.added))
	p.acc = auto.Must(kernel.Leibniz(is, p.added, p.point, p.next, logic.Eq(at, c.Multiple(p.m, p.q)), at))
	if p.row--; p.row >= 0 {
		p.know(p.on(p.point, p.m, p.acc))
		return
	}
	m := logic.Fresh("m", logic.Int())
	p.know(auto.Must(kernel.Leibniz(p.isK, p.m, p.k, p.acc, logic.Eq(p.point, c.Multiple(m, p.q)), m)))
}
