package weierstrass

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/plusminus"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

type stepsProof struct {
	machine.NoProof
	goals
	k       Key
	stepped machine.View // at impl.SteppedMark
	asked   bool
}

// Mark keeps a state.
func (p *stepsProof) Mark(_ string, v machine.View) error {
	p.stepped = v
	return nil
}

const stepsLoop = "steps"

// Begin starts a run.
func (p *stepsProof) Begin(machine.View) error {
	*p = stepsProof{k: p.k}
	return nil
}

// Shape: the registers of the state and the counter, which is public.
func (p *stepsProof) Shape(string, machine.View) (machine.Shape, error) {
	var s machine.Shape
	state, counter, dead := impl.GCDStepRegs(p.k.Target)
	for _, r := range append(state, counter) {
		s.Fresh = append(s.Fresh, machine.RegLoc(r))
	}
	s.Public = []machine.Loc{machine.RegLoc(counter)}
	for _, r := range dead {
		s.Dead = append(s.Dead, machine.RegLoc(r))
	}
	return s, nil
}

// state are the words of the state and the counter.
func (p *stepsProof) state(v machine.View, fresh bool) (ws []Term, n Term) {
	state, counter, _ := impl.GCDStepRegs(p.k.Target)
	at := func(r isa.Reg) Term {
		if fresh {
			return v.Fresh(stepsLoop, machine.RegLoc(r))
		}
		return v.Reg(r)
	}
	for _, r := range state {
		ws = append(ws, at(r))
	}
	return ws, at(counter)
}

// start are the numbers a, b, d before.
func start(v machine.View) []Term {
	return []Term{twos(v.Before("a")...), twos(v.Before("b")...), twos(v.Before("delta")...)}
}

// Invariant is what the words are.
func (p *stepsProof) Invariant(_ string, v machine.View) ([]Term, Term, error) {
	ws, n := p.state(v, true)
	return p.invariant(v, ws, n), logic.Uint(n), nil
}

func (p *stepsProof) invariant(v machine.View, ws []Term, n Term) []Term {
	c := logic.Uint(n)
	t := logic.Sub(logic.N(impl.GCDSteps), c)
	abd := start(v)
	s := plusminus.Iter(t, abd[0], abd[1], abd[2])
	at := func(i int) Term { return logic.Proj(i, s) }
	word := logic.Pow2(64)
	pow := pow4.App(t)
	inv := []Term{
		logic.Le(logic.N(1), c), logic.Le(c, logic.N(impl.GCDSteps)),
		logic.Eq(logic.Mul(pow, pow4.App(logic.Sub(c, logic.N(1)))), logic.Pow2(2*(impl.GCDSteps-1))),
		logic.Cong(logic.Mul(pow, logic.Uint(ws[0])), logic.Mul(pow, at(plusminus.A)), word),
		logic.Cong(logic.Mul(pow, logic.Uint(ws[1])), logic.Mul(pow, at(plusminus.B)), word),
		odd(ws[1]),
		logic.Eq(twos(ws[2]), at(plusminus.D)),
	}
	inv = append(inv, within(at(plusminus.D), logic.Add(gcdScale(), t))...)
	for i := range 4 {
		inv = append(inv, logic.Cong(logic.Uint(ws[3+i]), at(plusminus.F+i), word))
	}
	return inv
}

// Prove finds the theorem.
func (p *stepsProof) Prove(g machine.Goal) (th Theorem, err error) {
	if p.asked || slices.Contains(g.Hyps, g.Concl) {
		return p.find(g, stepsLoop)
	}
	err = auto.Run(func() {
		switch {
		case strings.HasSuffix(g.Name, "on entry"):
			th = p.entry(g)
		case g.Name == "measure is natural":
			th = auto.NonNeg(g.Concl.Arg(0), nil)
		case g.Name == "measure decreases":
			st := p.step(g.View)
			e := st.counted()
			th = auto.NonNeg(g.Concl.Arg(0), nil, lin(e.Th, e.From, e.To, logic.N(-1)))
		case strings.HasSuffix(g.Name, "is kept"):
			th = p.kept(g)
		default:
			th = p.after(g)
		}
	})
	return th, err
}

// entry proves the invariant before the first step.
func (p *stepsProof) entry(g machine.Goal) Theorem {
	abd := start(g.View)
	s := plusminus.Iter(logic.N(0), abd[0], abd[1], abd[2])
	one := pow4.App(logic.N(0))
	last := pow4.App(logic.N(impl.GCDSteps - 1))
	eqs := []kernel.Equation{
		auto.Rewritten(auto.Must(kernel.Unfold(s)), s, logic.Unfold(s)),
		auto.Rewritten(auto.Must(kernel.Compute(one)), one, logic.N(1)),
		auto.Rewritten(auto.Must(kernel.Compute(last)), last, logic.Pow2(2*(impl.GCDSteps-1))),
	}
	goal, is := replacement(g.Concl, eqs...)
	x, a := logic.Uint(g.View.Before("a")[0]), abd[0]
	y, b := logic.Uint(g.View.Before("b")[0]), abd[1]
	var th Theorem
	switch {
	case slices.Contains(g.Hyps, goal):
		th = assume(goal)
	case goal == logic.Cong(x, a, logic.Pow2(64)):
		th = auto.Congruent(x, a, logic.Pow2(64))
	case goal == logic.Cong(y, b, logic.Pow2(64)):
		th = auto.Congruent(y, b, logic.Pow2(64))
	default:
		th = taut(goal)
	}
	return taut(g.Concl, is, th)
}

// replacement is the term after the equations' use, and the theorem that the two are equal.
func replacement(t Term, eqs ...kernel.Equation) (Term, Theorem) {
	of := map[Term]Term{}
	for _, e := range eqs {
		of[e.From] = e.To
	}
	return logic.Replace(t, of), rewritten(t, eqs...)
}

// kept proves the invariant after a step: by cases over the bits that steer it.
func (p *stepsProof) kept(g machine.Goal) Theorem {
	st := p.step(g.View)
	x, y, d := st.before[0], st.before[1], st.before[2]
	bits := []Term{logic.Extract(0, 0, x), logic.Extract(1, 1, x), logic.Extract(1, 1, y), logic.Extract(63, 63, d)}
	var split func(eqs []kernel.Equation) Theorem
	split = func(eqs []kernel.Equation) Theorem {
		if len(eqs) == len(bits) {
			return st.prove(g, eqs)
		}
		hyp, yes, no := auto.BitCases(bits[len(eqs)])
		with := func(e kernel.Equation) Theorem { return split(append(slices.Clone(eqs), e)) }
		return auto.Cases(g.Concl, hyp, with(yes), with(no))
	}
	return split(nil)
}

// gcdStep is a step: the words and the state before, and the words after.
type gcdStep struct {
	p             *stepsProof
	v             machine.View
	before, after []Term
	n, next       Term // counters
	c, t          Term // uint(n), 31 − uint(n)
	s             Term // the state
}

func (p *stepsProof) step(v machine.View) *gcdStep {
	st := &gcdStep{p: p, v: v}
	st.before, st.n = p.state(v, true)
	st.after, st.next = p.state(v, false)
	st.c = logic.Uint(st.n)
	st.t = logic.Sub(logic.N(impl.GCDSteps), st.c)
	abd := start(v)
	st.s = plusminus.Iter(st.t, abd[0], abd[1], abd[2])
	return st
}

func (st *gcdStep) at(i int) Term { return logic.Proj(i, st.s) }

// inv is an invariant before.
func (st *gcdStep) inv(i int) Theorem { return assume(st.p.invariant(st.v, st.before, st.n)[i]) }

func (st *gcdStep) counter() counter         { return counter{st.n, st.next, st.inv(0), st.inv(1)} }
func (st *gcdStep) counted() kernel.Equation { return st.counter().counted() }
func (st *gcdStep) more() Theorem            { return st.counter().more() }

// counter is a loop's counter, that at the head and the next, n − 1, with proofs of bounds, 1 ≤ uint(n) and uint(n) ≤
// a constant.
type counter struct {
	n, next Term
	lo, hi  Theorem
}

// counted is uint(next) = uint(n) − 1.
func (c counter) counted() kernel.Equation {
	u, c1 := logic.Uint(c.next), logic.Sub(logic.Uint(c.n), logic.N(1))
	low := logic.BVSub(c.n, logic.BVUint(64, 1))
	th := auto.Must(kernel.Leibniz(auto.Must(kernel.LowRing(c.next, low)), low, c.next, auto.Must(kernel.UintMod(low)),
		logic.Cong(logic.Uint(hole64), kernel.Polynomial(low), logic.Pow2(64)), hole64))
	th = auto.Congruent(u, c1, logic.Pow2(64), lin(th, u, kernel.Polynomial(low), logic.N(1)))
	return auto.Rewritten(equalIn(u, c1, logic.N(0), 64, th, c.lo, c.hi), u, c1)
}

// more is 2 ≤ uint(n), if next isn't 0.
func (c counter) more() Theorem {
	zero, u := logic.Eq(c.next, zero64()), logic.Uint(c.next)
	natural, isZero := auto.NonNeg(u, nil), logic.Ge0(logic.Neg(u))
	eq := auto.Must(kernel.Antisym(u, natural, assume(isZero)))
	some := taut(logic.Lt(logic.N(0), u), implied(isZero, isWord(c.next, eq, 0)), assume(logic.Not(zero)))
	return auto.Must(kernel.Rewrite(some, c.counted()))
}

// isWord is w = v from uint(w) = v.
func isWord(w Term, eq Theorem, v uint64) Theorem {
	hole := gcdInt("hole")
	c := logic.BVUint(64, v)
	return auto.Must(kernel.Leibniz(eq, logic.Uint(c), logic.Uint(w), auto.True(), logic.Eq(logic.ToBV(64, hole), c),
		hole))
}

var hole64, hole2 = logic.Var("gcd.word", logic.BV(64)), logic.Var("gcd.two", logic.BV(2))

// powers: pow4(t+1) = 4·pow4(t) and pow4(c−1) = 4·pow4(c−2).
func (st *gcdStep) powers() (up, down auto.Lin) {
	four := func(n, pos Term, th Theorem) auto.Lin { // 1 ≤ n
		f := pow4.App(n)
		is := auto.Must(kernel.Rewrite(auto.Must(kernel.Unfold(f)), truth(th, pos)))
		return lin(is, f, logic.Mul(logic.N(4), pow4.App(logic.Sub(n, logic.N(1)))), logic.N(1))
	}
	t1 := logic.Add(st.t, logic.N(1))
	up = four(t1, logic.Ge0(logic.Neg(t1)), st.positive())
	c1 := logic.Sub(st.c, logic.N(1))
	down = four(c1, logic.Ge0(logic.Neg(c1)), taut(logic.Not(logic.Ge0(logic.Neg(c1))), st.more()))
	return up, down
}

// positive is ¬(t + 1 ≤ 0).
func (st *gcdStep) positive() Theorem {
	t1 := logic.Add(st.t, logic.N(1))
	return auto.NonNeg(logic.Sub(t1, logic.N(1)), []Theorem{st.inv(1)})
}

// twoBits is w[1:0] = v from equations for its bits.
func twoBits(w Term, b0, b1 kernel.Equation) kernel.Equation {
	h := []Term{logic.Fresh("bit", logic.BV(1)), logic.Fresh("bit", logic.BV(1))}
	low := logic.Extract(1, 0, w)
	th := auto.Must(kernel.Leibniz(b0.Th, b0.From, b0.To, auto.True(), logic.Eq(low, logic.Concat(h[0], b1.From)),
		h[0]))
	th = auto.Must(kernel.Leibniz(b1.Th, b1.From, b1.To, th, logic.Eq(low, logic.Concat(b0.To, h[1])), h[1]))
	return auto.Rewritten(th, low, logic.Concat(b0.To, b1.To))
}

// lows is sum[1:0] = r for a word or sum that is x + y, or x − y, modulo 4.
func lows(sum, ring Term, eqs ...kernel.Equation) kernel.Equation {
	low := logic.Extract(1, 0, sum)
	th := auto.Must(kernel.LowRing(low, ring))
	r, is := replacement(ring, eqs...)
	th = auto.Must(kernel.Leibniz(is, ring, r, th, logic.Eq(low, hole2), hole2))
	return auto.Rewritten(th, low, r)
}

// integers are uint(w) = the component + 16·k, for a or b.
func (st *gcdStep) integer(i int) auto.Lin {
	w, a := logic.Uint(st.before[i]), st.at(i)
	P, Q := pow4.App(st.t), pow4.App(logic.Sub(st.c, logic.N(1)))
	scale := logic.Pow2(2 * (impl.GCDSteps - 1))
	word := logic.Pow2(64)
	diff := logic.Sub(w, a)
	cong := auto.CongruentBy(logic.Mul(scale, diff), logic.N(0), word, logic.N(0),
		lin(st.inv(3+i), logic.Mul(P, w), logic.Mul(P, a), Q),
		lin(st.inv(2), logic.Mul(P, Q), scale, logic.Neg(diff)))
	q := cong.Concl().Arg(0)
	k := logic.Div(q, word)
	is := lin(auto.Must(kernel.DvdElim(cong)), q, logic.Mul(word, k), logic.N(1))
	if q != logic.Mul(scale, diff) {
		k, is.By = logic.Neg(k), logic.N(-1)
	}
	// 2⁶⁰·(w − a − 16·k) = 0
	rest := logic.Sub(diff, logic.Mul(logic.N(16), k))
	zero := auto.Equal(logic.Mul(scale, rest), logic.N(0), is)
	z := lin(zero, logic.Mul(scale, rest), logic.N(0), logic.N(1))
	c := auto.Pow2(2 * (impl.GCDSteps - 1))
	up := auto.Cut(auto.NonNeg(logic.Mul(scale, rest), nil, z), c, rest)
	z.By = logic.N(-1)
	down := auto.Cut(auto.NonNeg(logic.Neg(logic.Mul(scale, rest)), nil, z), c, logic.Neg(rest))
	th := auto.Must(kernel.Antisym(rest, up, down))
	r := logic.Add(a, logic.Mul(logic.N(16), k))
	return lin(auto.Equal(w, r, lin(th, rest, logic.N(0), logic.N(1))), w, r, logic.N(1))
}

// value is uint(w) = v + 4·uint(w[63:2]) for low bits v.
func lowValue(w Term, low kernel.Equation) auto.Lin {
	th := auto.Must(kernel.Rewrite(auto.Must(kernel.UintSplit(w, 2)), low))
	return lin(th, logic.Uint(w), logic.Add(logic.Uint(low.To),
		logic.Mul(logic.N(4), logic.Uint(logic.Extract(63, 2, w)))), logic.N(1))
}

// prove proves that an invariant is kept, in a case of the bits 0 and 1 of a's word, 1 of b's word, and the sign of d.
func (st *gcdStep) prove(g machine.Goal, bits []kernel.Equation) Theorem {
	one, word := logic.N(1), logic.Pow2(64)
	set := func(i int) bool { return bits[i].To == logic.BVUint(1, 1) }
	x, y, d := st.before[0], st.before[1], st.before[2]
	yOdd := auto.Rewritten(st.inv(5), logic.Extract(0, 0, y), logic.BVUint(1, 1))
	xLow, yLow := twoBits(x, bits[0], bits[1]), twoBits(y, yOdd, bits[2])
	even, swap := !set(0), set(0) && set(3)
	same := set(1) == set(2)
	// what the step adds: word j of the row of a, and its component
	A, B, F, H := plusminus.A, plusminus.B, plusminus.F, plusminus.H
	added := func(of func(int) Term, neg func(Term) Term, i, j int) Term {
		switch {
		case even:
			return of(i)
		case same:
			return neg(of(j))
		}
		return of(j)
	}
	wordOf := func(i int) Term { return st.before[i] }
	ring := func(i, j int) Term { return logic.BVAdd(wordOf(i), added(wordOf, logic.BVNeg, i, j)) }
	sum := func(i, j int) Term {
		return logic.Add(st.at(i), added(st.at, logic.Neg, i, j))
	}

	// the conditions of the state's step
	ax, by := st.integer(A), st.integer(B)
	xv, yv := lowValue(x, xLow), lowValue(y, yLow)
	a, b := st.at(A), st.at(B)
	decide := func(q Term, l, r, m Term, truth_ bool, lins ...auto.Lin) kernel.Equation { // q is l ≡ r
		if truth_ {
			return auto.Rewritten(auto.Congruent(l, r, m, lins...), q, logic.True())
		}
		// else the difference is a constant that isn't divisible
		h := lin(assume(q), l, r, logic.N(-1))
		v := logic.N(1)
		if m == logic.N(4) {
			v = logic.N(2)
		}
		no := auto.Congruent(v, logic.N(0), m, append(lins, h)...)
		return auto.Rewritten(taut(logic.Not(q), implied(q, no)), q, logic.False())
	}
	minus := func(l auto.Lin) auto.Lin { l.By = logic.Neg(l.By); return l }
	isEven := decide(plusminus.Even(st.s), a, logic.N(0), logic.N(2), even, minus(ax), xv)
	conds := []kernel.Equation{isEven}
	if !even {
		conds = append(conds, decide(plusminus.Same(st.s), a, b, logic.N(4), same, minus(ax), xv, by, minus(yv)))
	}
	D := st.at(plusminus.D)
	negative := logic.Lt(D, logic.N(0))
	sign := lin(auto.Must(kernel.Rewrite(st.inv(6), bits[3])), logic.Replace(twos(d),
		map[Term]Term{bits[3].From: bits[3].To}), D, one)
	dSplit := lin(auto.Must(kernel.Rewrite(auto.Must(kernel.UintSplit(d, 63)), bits[3])), logic.Uint(d),
		logic.Add(logic.Uint(logic.Extract(62, 0, d)), auto.Scale(auto.Pow2(63), logic.Uint(bits[3].To))), one)
	if set(3) {
		sgn := sign
		th := auto.NonNeg(logic.Sub(logic.N(-1), D), nil, sgn, minus(dSplit))
		conds = append(conds, auto.Rewritten(th, negative, logic.True()))
	} else {
		th := auto.NonNeg(D, nil, minus(sign), dSplit)
		conds = append(conds, auto.Rewritten(th, negative, logic.False()))
	}

	// the goal, with what the conditions are
	goal := g.Concl
	var steps []func(Theorem) Theorem
	words := st.after
	use := func(eqs ...kernel.Equation) {
		from := goal
		to, is := replacement(goal, eqs...)
		goal = to
		steps = append(steps, func(th Theorem) Theorem { return taut(from, is, th) })
		of := map[Term]Term{}
		for _, e := range eqs {
			of[e.From] = e.To
		}
		words = mapped(words, func(w Term) Term { return logic.Replace(w, of) })
	}
	use(append(slices.Clone(bits), st.counted())...)
	c3 := words[0].Arg(0) // ite(bit 1 of the sum, …)
	if c3.Op() == logic.OpIte {
		cond := c3.Arg(0)
		low := bitIn(cond)
		r := logic.BVAdd(xLow.From, xLow.From)
		if !even {
			r = logic.BVAdd(xLow.From, yLow.From)
		}
		is := lows(low.Arg(0), r, xLow, yLow)
		v := logic.Extract(1, 1, is.To)
		th := auto.Must(kernel.Leibniz(is.Th, is.From, is.To, auto.True(), logic.Eq(logic.Extract(1, 1, is.To),
			logic.Extract(1, 1, is.To)), hole2))
		th = auto.Must(kernel.Leibniz(is.Th, is.To, is.From, th, logic.Eq(logic.Extract(1, 1, hole2), v), hole2))
		use(auto.Rewritten(th, low, v))
	}
	next := plusminus.Iter(logic.Add(st.t, one), start(st.v)[0], start(st.v)[1], start(st.v)[2])
	use(auto.Rewritten(auto.Must(kernel.Unfold(next)), next, logic.Unfold(next)))
	use(append(conds, truth(st.positive(), logic.Ge0(logic.Neg(logic.Add(st.t, one)))))...)

	congruence := func(w, nice, value Term, lins ...auto.Lin) Theorem { // uint(w) ≡ value
		th := auto.Must(kernel.Leibniz(auto.Must(kernel.LowRing(w, nice)), nice, w, auto.Must(kernel.UintMod(nice)),
			logic.Cong(logic.Uint(hole64), kernel.Polynomial(nice), word), hole64))
		return auto.Congruent(logic.Uint(w), value, word, append(lins, lin(th, logic.Uint(w), kernel.Polynomial(nice),
			one))...)
	}
	other := func(i, j int) int {
		if swap {
			return i
		}
		return j
	}
	sign64 := logic.N(1)
	if same && !even {
		sign64 = logic.N(-1)
	}
	P := pow4.App(st.t)
	up, down := st.powers()
	var th Theorem
	var index int
	fmt.Sscanf(g.Name, "invariant %d", &index)
	switch index {
	case 0:
		th = st.more()
	case 1:
		th = auto.NonNeg(goal.Arg(0), []Theorem{st.inv(1)})
	case 2:
		// 4·P·Q' = P·Q
		Q := pow4.App(logic.Sub(st.c, logic.N(2)))
		P1 := pow4.App(logic.Add(st.t, one))
		up.By, down.By = Q, logic.Neg(P)
		th = auto.Equal(logic.Mul(P1, Q), logic.Pow2(2*(impl.GCDSteps-1)), up, down,
			lin(st.inv(2), logic.Mul(P, pow4.App(logic.Sub(st.c, one))), logic.Pow2(2*(impl.GCDSteps-1)), one))
	case 3:
		// 4·uint(w) = uint(z) for the word z that is shifted
		w := words[0]
		z := w.Arg(0)
		nice := ring(0, 1)
		lowRing := logic.BVAdd(xLow.From, xLow.From)
		if !even {
			lowRing = logic.BVAdd(xLow.From, yLow.From)
			if same {
				lowRing = logic.BVSub(xLow.From, yLow.From)
			}
		}
		isZ := lowValue(z, lows(z, lowRing, xLow, yLow))
		isW := lin(auto.Must(kernel.UintSplit(w, 62)), logic.Uint(w), logic.Uint(logic.Extract(63, 2, z)), one)
		value := kernel.Polynomial(nice)
		zc := congruence(z, nice, value)
		// a + added is divisible by 4
		S := sum(A, B)
		var lins []auto.Lin
		if even {
			two := func(l auto.Lin) auto.Lin { l.By = logic.Mul(l.By, logic.N(2)); return l }
			lins = []auto.Lin{two(minus(ax)), two(xv)}
		} else {
			at := func(l auto.Lin) auto.Lin { l.By = logic.Mul(l.By, sign64); return l }
			lins = []auto.Lin{minus(ax), xv, at(minus(by)), at(yv)}
		}
		four := logic.N(4)
		div := auto.Congruent(S, logic.N(0), four, lins...)
		mod, quo := logic.Mod(S, four), logic.Div(S, four)
		dm := lin(auto.Must(kernel.DivMod(S, four)), S, logic.Add(logic.Mul(four, quo), mod), one)
		back := dm
		back.By = logic.N(-1)
		zero := equalIn(mod, logic.N(0), logic.N(0), 2, auto.Congruent(mod, logic.N(0), four, back,
			lin(div, S, logic.N(0), one)))
		P1 := pow4.App(logic.Add(st.t, one))
		up.By = logic.Sub(logic.Uint(w), quo)
		isW.By, isZ.By = logic.Mul(four, P), logic.Neg(P)
		dm.By = P
		var ab []auto.Lin
		ab = append(ab, lin(st.inv(3), logic.Mul(P, logic.Uint(x)), logic.Mul(P, a), one))
		if even {
			ab[0].By = logic.N(2)
		} else {
			ab = append(ab, lin(st.inv(4), logic.Mul(P, logic.Uint(y)), logic.Mul(P, b), sign64))
		}
		th = auto.CongruentBy(logic.Mul(P1, logic.Uint(w)), logic.Mul(P1, quo), word, logic.N(0),
			append(ab, up, isW, isZ, lin(zc, logic.Uint(z), value, P), dm, lin(zero, mod, logic.N(0), P))...)
	case 4:
		i := other(0, 1)
		P1 := pow4.App(logic.Add(st.t, one))
		up.By = logic.Sub(logic.Uint(words[1]), st.at(i))
		th = auto.CongruentBy(logic.Mul(P1, logic.Uint(words[1])), logic.Mul(P1, st.at(i)), word, logic.N(0),
			up, lin(st.inv(3+i), logic.Mul(P, logic.Uint(st.before[i])), logic.Mul(P, st.at(i)), logic.N(4)))
	case 5:
		th = st.inv(5)
		if swap {
			th = bits[0].Th
		}
	case 6:
		w, nice, value := words[2], logic.BVSub(d, logic.BVUint(64, 1)), logic.Sub(D, one)
		if swap {
			nice, value = logic.BVNot(d), logic.Sub(logic.N(-1), D)
		}
		by := one
		if swap {
			by = logic.N(-1)
		}
		sgn := sign
		sgn.By = by
		cong := congruence(w, nice, value, sgn)
		top := auto.Scale(auto.Pow2(63), logic.Uint(logic.Extract(63, 63, w)))
		rest := logic.Uint(logic.Extract(62, 0, w))
		split := lin(auto.Must(kernel.UintSplit(w, 63)), logic.Uint(w), logic.Add(rest, top), one)
		low := logic.Sub(rest, top)
		is := lin(auto.Equal(twos(w), low, split), twos(w), low, one)
		c := auto.Congruent(low, value, word, minus(split), lin(cong, logic.Uint(w), value, one))
		off := logic.Pow2(63)
		eq := equalIn(low, value, off, 64, c, st.inv(7), st.inv(8), st.inv(0), st.inv(1))
		th = auto.Equal(twos(w), value, is, lin(eq, logic.Add(low, off), logic.Add(value, off), one))
	case 7, 8:
		th = auto.NonNeg(goal.Arg(0), []Theorem{st.inv(7), st.inv(8)})
	default:
		i := index - 9 // f, g, h, k
		w := words[3+i]
		if i < 2 {
			lins := []auto.Lin{lin(st.inv(9+i), logic.Uint(st.before[3+i]), st.at(F+i), one)}
			if even {
				lins[0].By = logic.N(2)
			} else {
				lins = append(lins, lin(st.inv(11+i), logic.Uint(st.before[5+i]), st.at(H+i), sign64))
			}
			th = congruence(w, ring(3+i, 5+i), sum(F+i, H+i), lins...)
		} else {
			k := other(i-2, i)
			th = congruence(w, logic.Shl(st.before[3+k], 2), logic.Mul(logic.N(4), st.at(F+k)),
				lin(st.inv(9+k), logic.Uint(st.before[3+k]), st.at(F+k), logic.N(4)))
		}
	}
	if th.Concl() != goal {
		panic(fmt.Errorf("%s: proved %v, not %v", g.Name, th.Concl().Format(6), goal.Format(6)))
	}
	for _, s := range slices.Backward(steps) {
		th = s(th)
	}
	return th
}

// bitIn is the bit that a condition compares.
func bitIn(c Term) Term {
	for _, a := range c.Args() {
		if a.Op() == logic.OpExtract {
			return a
		}
		if b := bitIn(a); b != (Term{}) {
			return b
		}
	}
	return Term{}
}

// oddNumber is x ≡ 1 (mod 2) for the number of words, from their being odd.
func oddNumber(ws []Term) Theorem {
	bit := logic.Extract(0, 0, ws[0])
	is := auto.Value(auto.Rewritten(assume(odd(ws[0])), bit, logic.BVUint(1, 1)))
	split := lin(auto.Must(kernel.UintSplit(ws[0], 1)), logic.Uint(ws[0]),
		logic.Add(logic.Uint(bit), logic.Mul(logic.N(2), logic.Uint(logic.Extract(63, 1, ws[0])))), logic.N(1))
	return auto.Congruent(twos(ws...), logic.N(1), logic.N(2), split, lin(is, logic.Uint(bit), logic.N(1), logic.N(1)))
}

// pow4 is 4ᵗ.
var pow4 = func() logic.Def {
	t, rec := gcdInt("t"), gcdInt("rec")
	d, err := logic.DefineRec("proof.weierstrass.pow4", t, rec, nil, logic.N(1), logic.Mul(logic.N(4), rec))
	if err != nil {
		panic(err)
	}
	return d
}()

// after proves what is ensured: the invariant, where no steps are to do.
func (p *stepsProof) after(g machine.Goal) Theorem {
	p.asked = true
	st := p.step(p.stepped)
	abd := start(g.View)
	zero := auto.Rewritten(assume(logic.Eq(st.next, zero64())), st.next, zero64())
	none := auto.Rewritten(auto.Value(zero), logic.Uint(st.next), logic.N(0))
	inv := p.invariant(g.View, st.after, st.next)
	is := func(i int) Theorem {
		th := p.kept(machine.Goal{Name: fmt.Sprintf("invariant %d", i), Concl: inv[i], View: p.stepped})
		return auto.Must(kernel.Rewrite(th, none))
	}
	s := plusminus.Iter(logic.N(impl.GCDSteps), abd[0], abd[1], abd[2])
	isOdd := oddNumber(g.View.Before("b"))
	small := mapped(plusminus.Small(abd[0], abd[1], abd[2]), func(th Theorem) Theorem { return number.Use(th, isOdd) })
	p.know(is(6))
	scale := gcdScale()
	for i, w := range memoryWords(g.View, "matrix", 0, 4) {
		f := logic.Proj(plusminus.F+i, s)
		facts := small[4*(i/2) : 4*(i/2)+4]
		// ±2·f ≤ 2·2⁶²
		low, high := []Theorem{facts[0], facts[2]}, []Theorem{facts[1], facts[3]}
		if i%2 == 1 {
			low[1], high[1] = facts[3], facts[2]
		}
		two := logic.N(2)
		lo := auto.Cut(auto.NonNeg(logic.Mul(two, logic.Add(scale, f)), low), big.NewInt(2), f)
		hi := auto.Cut(auto.NonNeg(logic.Mul(two, logic.Sub(scale, f)), high), big.NewInt(2), logic.Neg(f))
		word := logic.Pow2(64)
		nice := logic.BVAdd(st.after[3+i], logic.BVUint(64, 1<<impl.GCDShift))
		th := auto.Must(kernel.Leibniz(auto.Must(kernel.LowRing(w, nice)), nice, w,
			auto.Must(kernel.UintMod(nice, st.after[3+i])),
			logic.Cong(logic.Uint(hole64), kernel.Polynomial(nice, st.after[3+i]), word), hole64))
		u, v := logic.Uint(w), logic.Add(f, scale)
		cong := auto.Congruent(u, v, word, lin(th, u, kernel.Polynomial(nice, st.after[3+i]), logic.N(1)),
			lin(is(9+i), logic.Uint(st.after[3+i]), f, logic.N(1)))
		eq := equalIn(u, v, logic.N(0), 64, cong, lo, hi)
		p.know(auto.Equal(coefficient(w), f, lin(eq, u, v, logic.N(1))))
	}
	th, err := p.find(g, "end")
	return auto.Must(th, err)
}
