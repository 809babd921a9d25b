package weierstrass

import (
	"fmt"
	"math/big"
	"strings"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/plusminus"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

const roundsLoop = "rounds"

// inverseProof is the proof of the inversion. Before each round, with t steps done, a, b and d are those of the state
// s = Iter(t; x, m, 0) for the input x, and, with the constant c = R² mod m,
//
//	c·a ≡ u·x, c·b ≡ v·x (mod m), −m ≤ u, v ≤ m; v ≡ 0 if x = 0.
type inverseProof struct {
	machine.NoProof
	goals
	g       *gcd
	k       Key
	counter machine.Loc

	now, later roundState
	x, m, c    Term
	bounds     []Theorem // of the state before
	natural    Theorem   // 0 ≤ t
	matrix     []Term
	coef       []auto.Lin // what the matrix is
	steps      Term       // the state of the round's steps
	next       []Theorem  // its a, b, d are those of the state after
	rows       []auto.Lin // f·a + g·b = 2⁶²·a', h·a + k·b = 2⁶²·b'
	inv        []Theorem  // before
	final      []Theorem  // the invariant after all rounds
	count      counter
	done       bool
}

// roundState is the state at the head or at the end of a round.
type roundState struct {
	a, b, u, v []Term // words
	d, n       Term
}

// Begin starts a run.
func (p *inverseProof) Begin(v machine.View) error {
	*p = inverseProof{g: p.g, k: p.k, counter: p.counter}
	p.x, p.m = auto.Word(v.Before("a")...), p.g.f.P()
	r := new(big.Int).Mul(p.g.f.R(), p.g.f.R())
	p.c = logic.IntConst(r.Mod(r, p.g.f.M()))
	return nil
}

// places are those of the state's words.
func (p *inverseProof) places() (words []machine.Loc, rest []machine.Loc) {
	l := impl.LayGCD()
	add := func(to *[]machine.Loc, off, n int) {
		for i := range n {
			*to = append(*to, machine.MemLoc("tmp", off+8*i, 8))
		}
	}
	for _, off := range []int{l.A, l.B, l.U, l.V} {
		add(&words, off, 5)
	}
	add(&words, l.Delta, 1)
	add(&rest, l.Next, 10)
	add(&rest, l.Matrix, 4)
	return append(words, p.counter), rest
}

// state reads the state.
func (p *inverseProof) state(at func(machine.Loc) Term) roundState {
	words, _ := p.places()
	var ts []Term
	for _, l := range words {
		t := at(l)
		if t.IsZero() {
			panic(fmt.Errorf("%v is undefined", l))
		}
		ts = append(ts, t)
	}
	return roundState{ts[:5], ts[5:10], ts[10:15], ts[15:20], ts[20], ts[21]}
}

// Shape: the state, and what calls destroy.
func (p *inverseProof) Shape(_ string, v machine.View) (machine.Shape, error) {
	words, rest := p.places()
	s := machine.Shape{Fresh: words, Public: []machine.Loc{p.counter}, Dead: rest}
	for r := range isa.Reg(64) {
		if !v.Reg(r).IsZero() && impl.GCDDestroys(p.k.Target, r) {
			s.Dead = append(s.Dead, machine.RegLoc(r))
		}
	}
	return s, nil
}

// Invariant is what the comment of inverseProof says.
func (p *inverseProof) Invariant(_ string, v machine.View) ([]Term, Term, error) {
	p.now = p.state(func(l machine.Loc) Term { return v.Fresh(roundsLoop, l) })
	return p.invariant(p.now), logic.Uint(p.now.n), nil
}

// t is the number of steps done.
func (s roundState) t() Term {
	return logic.Mul(logic.N(impl.GCDSteps), logic.Sub(logic.N(impl.GCDRounds), logic.Uint(s.n)))
}

func (p *inverseProof) iter(t Term) Term { return plusminus.Iter(t, p.x, p.m, logic.N(0)) }

func (p *inverseProof) invariant(s roundState) []Term {
	c, it := logic.Uint(s.n), p.iter(s.t())
	a, b, d := logic.Proj(plusminus.A, it), logic.Proj(plusminus.B, it), logic.Proj(plusminus.D, it)
	u, v := twos(s.u...), twos(s.v...)
	inv := []Term{
		logic.Le(logic.N(1), c), logic.Le(c, logic.N(impl.GCDRounds)),
		logic.Eq(twos(s.a...), a), logic.Eq(twos(s.b...), b), logic.Eq(twos(s.d), d),
	}
	inv = append(append(inv, within(u, p.m)...), within(v, p.m)...)
	return append(inv,
		logic.Cong(logic.Mul(p.c, a), logic.Mul(u, p.x), p.m), logic.Cong(logic.Mul(p.c, b), logic.Mul(v, p.x), p.m),
		logic.Imp(logic.Eq(p.x, logic.N(0)), logic.Cong(v, logic.N(0), p.m)))
}

// Mark proves what the next goals need.
func (p *inverseProof) Mark(name string, v machine.View) error {
	return auto.Run(func() {
		switch name {
		case impl.RoundMark:
			p.round()
		case impl.MatrixMark:
			p.combine(v)
		case impl.RoundsMark:
			p.end(v)
		}
	})
}

// Prove finds the theorem.
func (p *inverseProof) Prove(g machine.Goal) (th Theorem, err error) {
	err = auto.Run(func() {
		var index int
		if _, err := fmt.Sscanf(g.Name, "invariant %d", &index); err == nil {
			if strings.HasSuffix(g.Name, "on entry") {
				th = p.entry(g)
				return
			}
			p.after(g.View)
			th = p.kept(index)
			return
		}
		switch g.Name {
		case "measure is natural":
			th = auto.NonNeg(g.Concl.Arg(0), nil)
		case "measure decreases":
			p.after(g.View)
			e := p.count.counted()
			th = auto.NonNeg(g.Concl.Arg(0), nil, lin(e.Th, e.From, e.To, logic.N(-1)))
		default:
			if strings.HasPrefix(g.Name, "ensures") && !p.done {
				p.done = true
				p.inverse(g.View)
			}
			th, err = p.find(g, "inverse")
			auto.Must(th, err)
		}
	})
	return th, err
}

// entry proves the invariant before the first round.
func (p *inverseProof) entry(g machine.Goal) Theorem {
	s := p.iter(logic.N(0))
	goal, is := replacement(g.Concl, auto.Rewritten(auto.Must(kernel.Unfold(s)), s, logic.Unfold(s)))
	if goal == logic.Lt(p.x, p.m) || goal == g.Concl && goal != logic.True() {
		return assume(goal)
	}
	return taut(g.Concl, is)
}

// times is 31·(bound − c) ≥ 0 and the like: 0 ≤ t from t = k·fact.
func times(t Term, k int64, fact Theorem) Theorem {
	return auto.NonNegBy(t, []Theorem{fact}, []kernel.Product{{Coef: big.NewInt(k), Factors: []int{0}}})
}

// round: what the steps require.
func (p *inverseProof) round() {
	p.forget()
	p.inv = mapped(p.invariant(p.now), assume)
	t := p.now.t()
	p.natural = times(t, impl.GCDSteps, p.inv[1])
	p.bounds = p.bound(t, p.natural)
	it, one := p.iter(t), logic.N(1)
	d, D := logic.Proj(plusminus.D, it), twos(p.now.d)
	is := lin(p.inv[4], D, d, one)
	low := auto.NonNeg(logic.Add(gcdScale(), D), []Theorem{p.bounds[4]}, is)
	is.By = logic.N(-1)
	p.know(low, auto.NonNeg(logic.Sub(gcdScale(), D), []Theorem{p.bounds[5]}, is))
	// b is odd
	b, w := logic.Proj(plusminus.B, it), p.now.b[0]
	bit := logic.Extract(0, 0, w)
	_, _, no := auto.BitCases(bit)
	split := lin(auto.Must(kernel.UintSplit(w, 1)), logic.Uint(w),
		logic.Add(logic.Uint(bit), logic.Mul(logic.N(2), logic.Uint(logic.Extract(63, 1, w)))), one)
	B := twos(p.now.b...)
	// 1 ≡ b = B ≡ uint(bit) = 0
	th := auto.Congruent(one, logic.N(0), logic.N(2), lin(p.bounds[6], b, one, logic.N(-1)),
		lin(p.inv[3], B, b, logic.N(-1)),
		split, lin(auto.Value(no), logic.Uint(bit), logic.N(0), one))
	p.know(taut(odd(w), implied(logic.Not(odd(w)), th)))
}

// bound are plusminus.Bounds.
func (p *inverseProof) bound(t Term, natural Theorem) []Theorem {
	return mapped(plusminus.Bounds(t, p.x, p.m), func(th Theorem) Theorem {
		return number.Use(th, natural, auto.NonNeg(p.x, nil), assume(logic.Lt(p.x, p.m)))
	})
}

// combine: what the rows require.
func (p *inverseProof) combine(v machine.View) {
	l := impl.LayGCD()
	p.forget()
	one, t := logic.N(1), p.now.t()
	A, B, D := twos(p.now.a...), twos(p.now.b...), twos(p.now.d)
	it, it1 := p.iter(t), p.iter(logic.Add(t, logic.N(impl.GCDSteps)))
	p.steps = plusminus.Iter(logic.N(impl.GCDSteps), A, B, D)
	p.matrix = memoryWords(v, "tmp", l.Matrix, 4)
	p.coef = nil
	for i, w := range p.matrix {
		f := logic.Proj(plusminus.F+i, p.steps)
		p.coef = append(p.coef, lin(assume(logic.Eq(coefficient(w), f)), coefficient(w), f, one))
	}
	var eqs []kernel.Equation
	for i, w := range []Term{A, B, D} {
		eqs = append(eqs, auto.Rewritten(p.inv[2+i], logic.Proj(i, it), w))
	}
	p.next = mapped(plusminus.Next(t, p.x, p.m), func(th Theorem) Theorem {
		return auto.Must(kernel.Rewrite(number.Use(th, p.natural), eqs...))
	})
	isOdd := auto.Must(kernel.Rewrite(p.bounds[6], eqs...))
	rows, small := plusminus.Rows(A, B, D), plusminus.Small(A, B, D)
	natural := auto.NonNeg(logic.Add(t, logic.N(impl.GCDSteps)), []Theorem{p.natural})
	bounds := p.bound(logic.Add(t, logic.N(impl.GCDSteps)), natural)
	p.rows = nil
	for i := range 2 {
		f, g := coefficient(p.matrix[2*i]), coefficient(p.matrix[2*i+1])
		now, after := logic.Proj(i, p.steps), logic.Proj(i, it1)
		sum, scaled := combination(f, g, A, B), logic.Mul(gcdScale(), after)
		of := func(l auto.Lin, by Term) auto.Lin { l.By = by; return l }
		sf, sg := p.coef[2*i].R, p.coef[2*i+1].R
		row := lin(number.Use(rows[i], isOdd), logic.Mul(gcdScale(), now), combination(sf, sg, A, B), logic.N(-1))
		is := lin(auto.Equal(sum, scaled, of(p.coef[2*i], A), of(p.coef[2*i+1], B), row,
			lin(p.next[i], now, after, gcdScale())), sum, scaled, one)
		p.rows = append(p.rows, is)
		p.know(auto.Congruent(sum, logic.N(0), gcdScale(), is))
		top := logic.Pow2(impl.GCDShift + 256)
		product := []kernel.Product{{Coef: auto.Pow2(impl.GCDShift), Factors: []int{0}}}
		p.know(auto.NonNegBy(logic.Add(top, sum), bounds[2*i:2*i+1], product, is),
			auto.NonNegBy(logic.Sub(top, sum), bounds[2*i+1:2*i+2], product, of(is, logic.N(-1))))
		// ±f ± g
		for j, goal := range smallRow(f, g) {
			fact := number.Use(small[4*i+j], isOdd)
			// which signs f and g have in the goal
			sign := func(k int64) Term { return logic.N(k) }
			s, r := []int64{1, -1, 1, -1}[j], []int64{1, -1, -1, 1}[j]
			p.know(auto.NonNeg(goal.Arg(0), []Theorem{fact}, of(p.coef[2*i], sign(s)), of(p.coef[2*i+1], sign(r))))
		}
	}
}

// after is the state at the end of a round.
func (p *inverseProof) after(v machine.View) {
	p.later = p.state(v.Loc)
	p.count = counter{p.now.n, p.later.n, p.inv[0], p.inv[1]}
}

// dividedBy is x = y, from c·x = c·y.
func dividedBy(x, y Term, c *big.Int, lins ...auto.Lin) Theorem {
	d := logic.Sub(x, y)
	zero := auto.Equal(auto.Scale(c, d), logic.N(0), lins...)
	l := lin(zero, auto.Scale(c, d), logic.N(0), logic.N(1))
	up := auto.Cut(auto.NonNeg(auto.Scale(c, d), nil, l), c, d)
	l.By = logic.N(-1)
	down := auto.Cut(auto.NonNeg(logic.Neg(auto.Scale(c, d)), nil, l), c, logic.Neg(d))
	return auto.Equal(x, y, lin(auto.Must(kernel.Antisym(d, up, down)), d, logic.N(0), logic.N(1)))
}

// kept proves the invariant after a round; 0 and 1 when another one follows.
func (p *inverseProof) kept(index int) Theorem {
	one, s := logic.N(1), p.later
	A, B := twos(p.now.a...), twos(p.now.b...)
	U, V := twos(p.now.u...), twos(p.now.v...)
	it := p.iter(p.now.t())
	it1 := p.iter(logic.Add(p.now.t(), logic.N(impl.GCDSteps)))
	goal := p.invariant(s)[index]
	counted := p.count.counted()
	to, is := replacement(goal, counted)
	inverse := new(big.Int).ModInverse(auto.Pow2(impl.GCDShift), p.g.f.M())
	inv := logic.IntConst(inverse)
	// the rows modulo m: 2⁶²·u' ≡ f·u + g·v
	mod := func(i int, w []Term) auto.Lin {
		l, r := logic.Mul(gcdScale(), twos(w...)), combination(coefficient(p.matrix[2*i]),
			coefficient(p.matrix[2*i+1]), U, V)
		return lin(assume(logic.Cong(l, r, p.m)), l, r, one)
	}
	of := func(l auto.Lin, by Term) auto.Lin { l.By = by; return l }
	var th Theorem
	switch index {
	case 0:
		th = p.count.more()
	case 1:
		th = auto.NonNeg(to.Arg(0), []Theorem{p.inv[1]})
	case 2, 3:
		i := index - 2
		w := twos([][]Term{s.a, s.b}[i]...)
		row := lin(assume(logic.Eq(logic.Mul(gcdScale(), w), p.rows[i].L)), logic.Mul(gcdScale(), w), p.rows[i].L, one)
		th = dividedBy(w, logic.Proj(i, it1), auto.Pow2(impl.GCDShift), row, p.rows[i])
	case 4:
		d, e := logic.Proj(plusminus.D, p.steps), logic.Proj(plusminus.D, it1)
		th = auto.Equal(twos(s.d), e, lin(assume(logic.Eq(twos(s.d), d)), twos(s.d), d, one), lin(p.next[2], d, e, one))
	case 9, 10:
		i := index - 9
		w := [][]Term{s.u, s.v}[i]
		f, g := coefficient(p.matrix[2*i]), coefficient(p.matrix[2*i+1])
		a, b := logic.Proj(plusminus.A, it), logic.Proj(plusminus.B, it)
		neg := logic.Neg(inv)
		th = auto.Congruent(logic.Mul(p.c, logic.Proj(i, it1)), logic.Mul(twos(w...), p.x), p.m,
			of(p.rows[i], logic.Mul(neg, p.c)), of(mod(i, w), logic.Mul(neg, p.x)),
			lin(p.inv[2], A, a, logic.Mul(inv, p.c, f)), lin(p.inv[3], B, b, logic.Mul(inv, p.c, g)),
			lin(p.inv[9], logic.Mul(p.c, a), logic.Mul(U, p.x), logic.Mul(inv, f)),
			lin(p.inv[10], logic.Mul(p.c, b), logic.Mul(V, p.x), logic.Mul(inv, g)))
	case 11:
		none := logic.Eq(p.x, logic.N(0))
		a := logic.Proj(plusminus.A, it)
		isA := number.Use(plusminus.Zero(p.now.t(), p.x, p.m, logic.N(0))[0], p.natural, assume(none))
		zeroA := auto.Equal(A, logic.N(0), lin(p.inv[2], A, a, one), lin(isA, a, logic.N(0), one))
		h := logic.Proj(plusminus.H, p.steps)
		isH := number.Use(plusminus.Zero(logic.N(impl.GCDSteps), A, B, twos(p.now.d))[2], zeroA)
		zeroV := taut(logic.Cong(V, logic.N(0), p.m), p.inv[11], assume(none))
		v := twos(s.v...)
		th = auto.Congruent(v, logic.N(0), p.m, of(mod(1, s.v), inv), of(p.coef[2], logic.Mul(inv, U)),
			lin(isH, h, logic.N(0), logic.Mul(inv, U)),
			lin(zeroV, V, logic.N(0), logic.Mul(inv, coefficient(p.matrix[3]))))
		th = taut(to, implied(none, th))
	default:
		th = assume(to)
	}
	return taut(goal, is, th)
}

// end: what the last calls require, and the inverse.
func (p *inverseProof) end(v machine.View) {
	p.forget()
	p.after(v)
	n := p.later.n
	zero := auto.Rewritten(assume(logic.Eq(n, zero64())), n, zero64())
	none := auto.Rewritten(auto.Value(zero), logic.Uint(n), logic.N(0))
	p.final = nil
	for i := range p.invariant(p.later) {
		if i < 2 {
			p.final = append(p.final, Theorem{})
			continue
		}
		p.final = append(p.final, auto.Must(kernel.Rewrite(p.kept(i), none)))
	}
	w := p.later.b[4]
	cases := p.cases(func(c finalCase) Theorem { return taut(isCondition(w), c.word) }, isCondition(w))
	p.know(cases)
}

// finalCase is a case of what b is in the end.
type finalCase struct {
	none     bool // x = 0
	negative bool // b = −1
	given    Theorem
	word     Theorem // what the top word of b is
	b        auto.Lin
}

// cases proves a goal in the cases x = 0, and b = 1 or b = −1.
func (p *inverseProof) cases(prove func(c finalCase) Theorem, goal Term) Theorem {
	one := logic.N(1)
	it := p.iter(logic.N(impl.GCDRounds * impl.GCDSteps))
	b, B, w := logic.Proj(plusminus.B, it), twos(p.later.b...), p.later.b[4]
	in := func(hyp Term, v Term, isB Theorem, none, negative bool) Theorem {
		is := lin(auto.Equal(B, v, lin(p.final[3], B, b, one), lin(isB, b, v, one)), B, v, one)
		value := uint64(0)
		if negative {
			value = 1<<64 - 1
		}
		word := isWord(w, p.top(is, negative), value)
		return implied(hyp, prove(finalCase{none, negative, assume(hyp), word, lin(isB, b, v, one)}))
	}
	none, some := logic.Eq(p.x, logic.N(0)), logic.Lt(logic.N(0), p.x)
	isZero := number.Use(plusminus.Zero(logic.N(impl.GCDRounds*impl.GCDSteps), p.x, p.m, logic.N(0))[1], assume(none))
	plus, minus := logic.Eq(b, one), logic.Eq(b, logic.N(-1))
	final := implied(some, number.Use(plusminus.Final(p.x, p.m), assume(logic.Lt(p.x, p.m))))
	le := logic.Ge0(logic.Neg(p.x))
	zero := implied(le, auto.Must(kernel.Antisym(p.x, auto.NonNeg(p.x, nil), assume(le))))
	return taut(goal, in(none, p.m, isZero, true, false), in(plus, one, assume(plus), false, false),
		in(minus, logic.N(-1), assume(minus), false, true), final, zero)
}

// top is the value of the top word of b from the value of b: 0 for 0 ≤ b < 2²⁵⁶, 2⁶⁴ − 1 for −1.
func (p *inverseProof) top(is auto.Lin, negative bool) Theorem {
	w := p.later.b[4]
	rest, sign, one := logic.Uint(logic.Extract(62, 0, w)), logic.Uint(logic.Extract(63, 63, w)), logic.N(1)
	split := func(by Term) auto.Lin {
		return lin(auto.Must(kernel.UintSplit(w, 63)), logic.Uint(w), logic.Add(rest, auto.Scale(auto.Pow2(63), sign)),
			by)
	}
	low := auto.Word(p.later.b[:4]...)
	u, scale := logic.Uint(w), auto.Pow2(256)
	// b = low + 2²⁵⁶·(rest − 2⁶³·sign)
	b := logic.Add(low, auto.Scale(scale, logic.Sub(rest, auto.Scale(auto.Pow2(63), sign))))
	eq := lin(auto.Equal(is.L, b, split(logic.IntConst(scale))), is.L, b, logic.N(-1))
	eq = lin(auto.Equal(b, is.R, eq, is), b, is.R, one)
	// e = rest − 2⁶³·sign is 0, or −1
	e := logic.Sub(rest, auto.Scale(auto.Pow2(63), sign))
	ev := logic.N(0)
	if negative {
		ev = logic.N(-1)
	}
	by := func(k int64) auto.Lin { l := eq; l.By = logic.N(k); return l }
	// 2²⁵⁶·(e − ev) = b − low − 2²⁵⁶·ev is above −2²⁵⁶ and below 2²⁵⁶
	d := logic.Sub(e, ev)
	up := auto.Cut(auto.NonNeg(logic.Add(auto.Scale(scale, d), logic.Sub(logic.Pow2(256), one)), nil, by(1)), scale, d)
	down := auto.Cut(auto.NonNeg(logic.Sub(logic.Sub(logic.Pow2(256), one), auto.Scale(scale, d)), nil, by(-1)),
		scale, logic.Neg(d))
	isE := lin(auto.Must(kernel.Antisym(d, up, down)), d, logic.N(0), one)
	// so the sign is 0, or 1
	sv := logic.N(0)
	if negative {
		sv = one
	}
	ds := logic.Sub(sign, sv)
	half := auto.Pow2(63)
	more := logic.IntConst(new(big.Int).Sub(half, big.NewInt(1)))
	isE.By = logic.N(-1)
	sUp := auto.NonNeg(logic.Add(auto.Scale(half, ds), more), nil, isE)
	isE.By = one
	sDown := auto.NonNeg(logic.Sub(more, auto.Scale(half, ds)), nil, isE)
	isS := lin(auto.Must(kernel.Antisym(ds, auto.Cut(sUp, half, ds), auto.Cut(sDown, half, logic.Neg(ds)))), ds,
		logic.N(0),
		logic.Pow2(64))
	v := logic.N(0)
	if negative {
		v = logic.IntConst(new(big.Int).Sub(auto.Pow2(64), big.NewInt(1)))
	}
	return auto.Equal(u, v, split(one), isE, isS)
}

// inverse is the last goal.
func (p *inverseProof) inverse(v machine.View) {
	f, one := p.g.f, logic.N(1)
	r := memoryWords(v, "r", 0, 4)
	nat := memoryWords(v, "tmp", impl.LayGCD().Next, 4)
	R, N, V, w := auto.Word(r...), auto.Word(nat...), twos(p.later.v...), p.later.b[4]
	isN := lin(assume(logic.Cong(N, V, p.m)), N, V, one)
	x, y := f.Residue(p.x), f.Residue(R)
	inv := spec.Inv(p.m, x)
	goal := logic.Cong(y, inv, p.m)
	ri := logic.IntConst(f.Ri())
	th := p.cases(func(c finalCase) Theorem {
		isR := lin(Theorem{}, R, N, one)
		if c.negative {
			isR.R = logic.Neg(N)
			q := logic.Cong(R, isR.R, p.m)
			isR.Th = taut(q, assume(logic.Imp(logic.Eq(w, ones64()), q)), c.word)
			isN.By = logic.N(-1)
		} else {
			q := logic.Eq(R, N)
			isR.Th = taut(q, assume(logic.Imp(logic.Eq(w, zero64()), q)), c.word)
			isN.By = one
		}
		if c.none {
			isV := taut(logic.Cong(V, logic.N(0), p.m), p.final[11], c.given)
			zeroX := auto.Congruent(x, logic.N(0), p.m, lin(c.given, p.x, logic.N(0), ri))
			isZero := number.Use(number.InvZero(p.m, x), zeroX)
			of := func(l auto.Lin) auto.Lin { l.By = logic.Mul(l.By, ri); return l }
			return auto.Congruent(y, inv, p.m, of(isR), of(isN), lin(isV, V, logic.N(0), ri),
				lin(isZero, inv, logic.N(0), logic.N(-1)))
		}
		// r·x ≡ ±v·x ≡ ±c·b = c = R²
		by := logic.Mul(ri, ri, p.x)
		sign := one
		if c.negative {
			sign = logic.N(-1)
		}
		b := c.b
		vx := lin(p.final[10], logic.Mul(p.c, b.L), logic.Mul(V, p.x), logic.Mul(sign, logic.N(-1), ri, ri))
		b.By = logic.Mul(sign, p.c, ri, ri)
		isR.By, isN.By = by, logic.Mul(isN.By, by)
		unit := auto.Congruent(logic.Mul(x, y), one, p.m, isR, isN, vx, b)
		return number.Use(number.InvUnique(p.m, x, y), unit)
	}, goal)
	p.know(th)
}
