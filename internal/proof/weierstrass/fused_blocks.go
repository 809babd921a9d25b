package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/opt"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/mont"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// blocks proves what each block of a fused program computes (see impl/weierstrass), over variables for the words that
// the block is given. An element is the number X that words are, W the number of 2n words, V that of n words and a top
// word. With O for a block's result, p the modulus and R = 2^(64n), the theorems are
//
//	product     O = X·Y; X < p or Y < p ⊢ O < pR
//	square      O = X²; X < p ⊢ O < pR; O ≤ (R−1)²
//	reduce      R·O ≡ W; W < pR ⊢ O < 2p; W ≤ (R−1)² ⊢ O < R + p
//	full        V < 2p ⊢ O < p, O ≡ V
//	relax       W < pR ⊢ R·O ≡ W
//	add, sub    Y < p ⊢ O ≡ X ± Y; of a difference with X < p also O < p
//	half        X < p ⊢ O < p, 2·O ≡ X
//	combine     V < R + p, S < p, … ⊢ O < p, O ≡ V − S − …
//	difference  T < pR, U < pR ⊢ O < pR, O ≡ T − U
//	any         a word: it is 0 = (the number of the words is 0)
//	choose      O = ite(b = 0, X, ite(a = 0, Y, Z)) for words a, b
//
// where congruences are modulo p.
type blocks struct {
	prog *opt.Prog
	p, r *big.Int
	n    int
	vars map[opt.V]Term // of inputs' words and of blocks' results
	full map[opt.V]bool // elements that are below p, by their first word

	// Of the block under proof.
	b    opt.Block
	x    *opt.Values
	tele *auto.Telescope
	ths  []Theorem
}

// newBlocks proves the theorems.
func newBlocks(prog *opt.Prog, p *big.Int, n int) *blocks {
	s := &blocks{prog: prog, p: p, r: auto.Pow2(64 * n), n: n, vars: map[opt.V]Term{}, full: map[opt.V]bool{}}
	for i, b := range prog.Blocks {
		for j, v := range b.Out {
			if v >= 0 {
				s.vars[v] = logic.Var(fmt.Sprintf("fused.%d.%d", i, j), logic.BV(64))
			}
		}
	}
	return s
}

// input is the variable for a word of memory.
func (s *blocks) input(m opt.Mem) Term {
	return logic.Var(fmt.Sprintf("fused.%s.%d", s.prog.Params[m.Param], m.Off), logic.BV(64))
}

// blockTheorems are the theorems of a block, with conclusions about what it makes of variables.
type blockTheorems struct {
	block opt.Block
	ths   []Theorem
}

// prove proves the theorems of all blocks.
func (s *blocks) prove() (all []blockTheorems) {
	steps := map[string]func(){
		"product": s.product, "square": s.square, "reduce": s.reduce, "relax": s.relax, "full": s.reduced, "add": s.add,
		"sub": s.sub, "half": s.half, "combine": s.combine, "difference": s.difference, "any": s.any, "choose": s.choose,
	}
	for _, b := range s.prog.Blocks {
		if b.Kind == "store" {
			continue
		}
		own := map[opt.V]bool{}
		for _, v := range b.Out {
			own[v] = true
		}
		x, err := s.prog.EvalLeaves(s.input, func(v opt.V) Term {
			if own[v] {
				return Term{}
			}
			return s.vars[v]
		})
		if err != nil {
			panic(err)
		}
		s.b, s.x, s.tele, s.ths = b, x, auto.NewTelescope(), nil
		step, ok := steps[b.Kind]
		if !ok {
			panic(fmt.Errorf("there is no proof of a block %s", b.Kind))
		}
		if err := auto.Run(step); err != nil {
			panic(fmt.Errorf("block %s: %w", b.Name, err))
		}
		all = append(all, blockTheorems{b, s.ths})
	}
	return all
}

func (s *blocks) words(vs []opt.V) []Term { return s.x.Of(vs) }

// in is the number of operand i, out that of the result.
func (s *blocks) in(i int) Term { return auto.Word(s.words(s.b.In[i])...) }
func (s *blocks) out() Term     { return auto.Word(s.words(s.b.Out)...) }

// mark are the words of a mark.
func (s *blocks) mark(format string, args ...any) []Term {
	name := fmt.Sprintf(format, args...)
	vs, ok := s.b.Marks[name]
	if !ok {
		panic(fmt.Errorf("block %s has no mark %s", s.b.Name, name))
	}
	return s.words(vs)
}

func (s *blocks) know(ths ...Theorem) { s.ths = append(s.ths, ths...) }

// P is p, isFull says that x < p.
func (s *blocks) P() Term                        { return logic.IntConst(s.p) }
func (s *blocks) isFull(x Term) Term             { return logic.Lt(x, s.P()) }
func (s *blocks) fullIn(i int) bool              { return s.isFullElement(s.b.In[i]) }
func (s *blocks) isInput(v opt.V) bool           { _, ok := s.prog.InputOf(v); return ok }
func (s *blocks) isFullElement(vs []opt.V) bool  { return s.full[vs[0]] || s.isInput(vs[0]) }
func (s *blocks) times(c *big.Int, t Term) Term  { return auto.Scale(c, t) }
func (s *blocks) cong(a, b Term) Term            { return logic.Cong(a, b, s.P()) }
func (s *blocks) pR() *big.Int                   { return new(big.Int).Mul(s.p, s.r) }
func (s *blocks) rMinus1() *big.Int              { return new(big.Int).Sub(s.r, big.NewInt(1)) }
func (s *blocks) below(w Term, c *big.Int) Term  { return logic.Lt(w, logic.IntConst(c)) }
func (s *blocks) squareBound() *big.Int          { m := s.rMinus1(); return m.Mul(m, m) }
func (s *blocks) atMost(w Term, c *big.Int) Term { return logic.Le(w, logic.IntConst(c)) }
func (s *blocks) relaxedBound() *big.Int         { return new(big.Int).Add(s.r, s.p) }
func eqLin(th Theorem, l, r Term, by int64) auto.Lin {
	return auto.Lin{Th: th, L: l, R: r, By: logic.N(by)}
}

// product follows the rows: after row i the words are X·(y₀ + … + yᵢ·2^(64i)).
func (s *blocks) product() {
	X, ys := s.in(0), s.words(s.b.In[1])
	value, total := logic.N(0), logic.N(0) // of the words, and what it is
	eq := auto.True()
	for i, y := range ys {
		ws := s.mark("row%d", i)
		w, row := auto.Word(ws...), s.times(auto.Pow2(64*i), logic.Mul(logic.Uint(y), X))
		e := logic.Add(value, row)
		th := mont.Absorb(s.tele, w, e, 64*len(ws))
		next := logic.Add(total, row)
		lins := []auto.Lin{eqLin(th, w, e, 1)}
		if i > 0 {
			lins = append(lins, eqLin(eq, value, total, 1))
		}
		value, total, eq = w, next, auto.Equal(w, next, lins...)
		s.tele.Leaf(ws...)
	}
	Y := s.in(1)
	if value != s.out() || total != logic.Mul(X, Y) {
		panic(fmt.Errorf("the rows are not the product"))
	}
	s.know(eq)
	if !s.fullIn(0) {
		X, Y = Y, X
	}
	s.know(s.productBelow(value, eq, X, Y))
}

// productBelow proves X < p ⊢ O < pR from eq: O = X·Y.
func (s *blocks) productBelow(O Term, eq Theorem, X, Y Term) Theorem {
	one, r1 := big.NewInt(1), s.rMinus1()
	facts := []Theorem{assume(s.isFull(X)), auto.NonNeg(X, nil), auto.NonNeg(logic.Sub(logic.IntConst(r1), Y), nil)}
	// pR − 1 − XY = R(p − 1 − X) + X(R − 1 − Y) + X + R − 1
	t := s.below(O, s.pR()).Arg(0)
	return auto.NonNegBy(t, facts, []kernel.Product{{Coef: s.r, Factors: []int{0}}, {Coef: one, Factors: []int{1, 2}},
		{Coef: one, Factors: []int{1}}, {Coef: r1}}, eqLin(eq, O, logic.Mul(X, Y), -1))
}

// square follows the layers of products of different words: see the generator.
func (s *blocks) square() {
	xs, n := s.words(s.b.In[0]), s.n
	X := s.in(0)
	type pair [2]int
	left := map[pair]bool{}
	for i := range n {
		for j := i + 1; j < n; j++ {
			left[pair{i, j}] = true
		}
	}
	var layers []Term // layer k without the factor 2^(64(k+1))
	for at := 1; len(left) > 0; at++ {
		sum := logic.N(0)
		for c := at; c <= 2*n-3; c += 2 {
			i := max(0, c-n+1)
			for i < c-i && !left[pair{i, c - i}] {
				i++
			}
			if !left[pair{i, c - i}] {
				break
			}
			delete(left, pair{i, c - i})
			sum = logic.Add(sum, s.times(auto.Pow2(64*(c-at)), logic.Mul(logic.Uint(xs[i]), logic.Uint(xs[c-i]))))
		}
		layers = append(layers, sum)
	}
	top := len(layers) - 1
	value, total, eq := layers[top], layers[top], auto.True() // of the layers from k on
	w64 := auto.Pow2(64)
	for k := top - 1; k >= 0; k-- {
		ws := s.mark("layer%d", k)
		w, e := auto.Word(ws...), logic.Add(layers[k], s.times(w64, value))
		next := logic.Add(layers[k], s.times(w64, total))
		lins := []auto.Lin{eqLin(mont.Absorb(s.tele, w, e, 64*len(ws)), w, e, 1)}
		if value != total {
			lins = append(lins, auto.Lin{Th: eq, L: value, R: total, By: logic.IntConst(w64)})
		}
		value, total, eq = w, next, auto.Equal(w, next, lins...)
		s.tele.Leaf(ws...)
	}
	twice := new(big.Int).Lsh(w64, 1)
	e := s.times(twice, value)
	for i, x := range xs {
		e = logic.Add(e, s.times(auto.Pow2(128*i), logic.Mul(logic.Uint(x), logic.Uint(x))))
	}
	O := s.out()
	cross := auto.Lin{Th: eq, L: value, R: total, By: logic.IntConst(new(big.Int).Neg(twice))}
	most := logic.IntConst(new(big.Int).Sub(auto.Pow2(128*n), big.NewInt(1)))
	bound := auto.NonNeg(logic.Sub(most, e), nil, cross)
	th := mont.Absorb(s.tele, O, e, 128*n, bound)
	cross.By = logic.IntConst(twice)
	all := auto.Equal(O, logic.Mul(X, X), eqLin(th, O, e, 1), cross)
	s.know(all, auto.NonNeg(s.atMost(O, s.squareBound()).Arg(0), nil, eqLin(all, O, logic.Mul(X, X), -1)))
	if s.fullIn(0) {
		s.know(s.productBelow(O, all, X, X))
	}
}

// rows proves R·U = (the low half of W) + Q·p for the words U after the rows of a reduction, and gives U + (the high half
// of W), of which R times is W + Q·p.
func (s *blocks) rows() (sum, Q Term, eq auto.Lin) {
	w := s.words(s.b.In[0])
	u := w[:s.n]
	low, value := auto.Word(u...), auto.Word(u...)
	Q = logic.N(0)
	th := auto.True()
	for i := range s.n {
		q := logic.Uint(u[0])
		u = s.mark("row%d", i)
		next := auto.Word(u...)
		e, l := logic.Add(value, s.times(s.p, q)), s.times(auto.Pow2(64), next)
		by := auto.Pow2(64 * i)
		lins := []auto.Lin{{Th: mont.Absorb(s.tele, l, e, 64*(s.n+1)), L: l, R: e, By: logic.IntConst(by)}}
		if i > 0 {
			lins = append(lins, eqLin(th, s.times(by, value), logic.Add(low, s.times(s.p, Q)), 1))
		}
		Q = logic.Add(Q, s.times(by, q))
		th = auto.Equal(s.times(auto.Pow2(64*(i+1)), next), logic.Add(low, s.times(s.p, Q)), lins...)
		value = next
		s.tele.Leaf(u...)
	}
	return logic.Add(value, auto.Word(w[s.n:]...)), Q, eqLin(th, s.times(s.r, value), logic.Add(low, s.times(s.p, Q)), 1)
}

// by is l taken −1 times.
func negated(l auto.Lin) auto.Lin { l.By = logic.Neg(l.By); return l }

// least proves S ≤ (c + (R−1)·p)/R from W ≤ c, an assumption, for the result of rows.
func (s *blocks) most(S Term, eq auto.Lin, c *big.Int) Theorem {
	max := new(big.Int).Mul(s.rMinus1(), s.p)
	max.Add(max, c)
	th := auto.NonNeg(logic.Sub(logic.IntConst(max), s.times(s.r, S)), []Theorem{assume(s.atMost(s.in(0), c))}, negated(eq))
	return auto.Cut(th, s.r, logic.Neg(S))
}

// weaker proves a weaker bound.
func weaker(goal Term, th Theorem) Theorem { return auto.NonNeg(goal.Arg(0), []Theorem{th}) }

// transferred proves the goal 0 ≤ c − O from a fact 0 ≤ d − S, by O = S.
func transferred(goal Term, th Theorem, eq auto.Lin) Theorem {
	return auto.NonNeg(goal.Arg(0), []Theorem{th}, negated(eq))
}

func minusOne(c *big.Int) *big.Int { return new(big.Int).Sub(c, big.NewInt(1)) }

func (s *blocks) reduce() {
	S, Q, eq := s.rows()
	O, W := s.out(), s.in(0)
	is := eqLin(noCarry(O, S, 64*len(s.b.Out)), O, S, 1)
	scaled := is
	scaled.By = logic.IntConst(s.r)
	s.know(auto.CongruentBy(s.times(s.r, O), W, s.P(), Q, scaled, eq))
	two := new(big.Int).Lsh(s.p, 1)
	s.know(transferred(s.below(O, two), s.most(S, eq, minusOne(s.pR())), is),
		transferred(s.below(O, s.relaxedBound()), s.most(S, eq, s.squareBound()), is))
}

// selection proves the goals about the result, of which scale times is one of the candidates.
func (s *blocks) selection(below bool, scale int64, candidates []Term, facts []Theorem, goals []Term,
	fs ...func(k mont.Case, O Term) Theorem) {
	O := s.out()
	var inner []func(mont.Case) Theorem
	for _, f := range fs {
		inner = append(inner, func(k mont.Case) Theorem { return f(k, O) })
	}
	sel := mont.Selection{Tele: s.tele, M: s.p, Words: s.n, Scale: scale, Candidates: candidates, Facts: facts}
	s.know(sel.Prove(below, O, goals, inner...)...)
}

// congruentTo proves scale·O ≡ t.
func (s *blocks) congruentTo(scale int64, t Term) func(k mont.Case, O Term) Theorem {
	return func(k mont.Case, O Term) Theorem {
		x := logic.Mul(logic.N(scale), O)
		return auto.Congruent(x, t, s.P(), eqLin(k.Eq, x, k.X, 1))
	}
}

func (s *blocks) relax() {
	S, Q, eq := s.rows()
	W, O := s.in(0), s.out()
	bound := weaker(s.below(S, new(big.Int).Lsh(s.p, 1)), s.most(S, eq, minusOne(s.pR())))
	s.selection(false, 1, []Term{S, logic.Sub(S, s.P())}, []Theorem{bound}, []Term{s.cong(O, S)}, s.congruentTo(1, S))
	th := s.ths[0]
	s.ths = []Theorem{auto.CongruentBy(s.times(s.r, O), W, s.P(), Q, auto.Lin{Th: th, L: O, R: S, By: logic.IntConst(s.r)}, eq)}
}

// reduced is the block full.
func (s *blocks) reduced() {
	V, O := s.in(0), s.out()
	s.selection(true, 1, []Term{V, logic.Sub(V, s.P())}, []Theorem{assume(s.below(V, new(big.Int).Lsh(s.p, 1)))},
		[]Term{s.isFull(O), s.cong(O, V)}, s.congruentTo(1, V))
	s.full[s.b.Out[0]] = true
}

func (s *blocks) add() {
	X, Y, O := s.in(0), s.in(1), s.out()
	f := Y
	if s.fullIn(0) {
		f = X
	}
	sum := logic.Add(X, Y)
	s.selection(false, 1, []Term{sum, logic.Sub(sum, s.P())}, []Theorem{assume(s.isFull(f))}, []Term{s.cong(O, sum)},
		s.congruentTo(1, sum))
}

func (s *blocks) sub() {
	X, Y, O := s.in(0), s.in(1), s.out()
	diff := logic.Sub(X, Y)
	facts, goals := []Theorem{assume(s.isFull(Y))}, []Term{s.cong(O, diff)}
	if s.fullIn(0) {
		facts, goals = append(facts, assume(s.isFull(X))), append([]Term{s.isFull(O)}, goals...)
		s.full[s.b.Out[0]] = true
	}
	s.selection(s.fullIn(0), 1, []Term{diff, logic.Add(diff, s.P())}, facts, goals, s.congruentTo(1, diff))
}

func (s *blocks) half() {
	X, ws := s.in(0), s.words(s.b.Out)
	O, full := s.out(), s.isFull(s.out())
	goals := []Term{full, s.cong(logic.Mul(logic.N(2), O), X)}
	// shifts that are put together with or are concatenations
	eqs := shiftEquations(ws)
	o := O
	var same []Theorem // each goal is the same about o
	if len(eqs) > 0 {
		to := map[Term]Term{}
		for _, e := range eqs {
			to[e.From] = e.To
		}
		o = logic.Replace(O, to)
		for _, g := range goals {
			same = append(same, rewritten(g, eqs...))
		}
	}
	mont.EvenSum(s.tele, s.words(s.b.In[0])[0], s.p)
	f := s.congruentTo(2, X)
	sel := mont.Selection{Tele: s.tele, M: s.p, Words: s.n, Scale: 2, Candidates: []Term{X, logic.Add(X, s.P())},
		Facts: []Theorem{assume(s.isFull(X))}}
	ths := sel.Prove(true, o, []Term{s.isFull(o), s.cong(logic.Mul(logic.N(2), o), X)},
		func(k mont.Case) Theorem { return f(k, o) })
	for i, th := range ths {
		if same != nil {
			th = taut(goals[i], same[i], th)
		}
		s.know(th)
	}
	s.full[s.b.Out[0]] = true
}

// shiftEquations are x = a concatenation, for the shifts x that are operands of an or.
func shiftEquations(ws []Term) (eqs []kernel.Equation) {
	for _, w := range ws {
		if w.Op() != logic.OpBVOr {
			continue
		}
		for _, x := range w.Args() {
			k := x.Lo()
			switch x.Op() {
			case logic.OpLshr:
				k = x.Width() - k
			case logic.OpShl:
			default:
				continue
			}
			low, high := logic.Extract(k-1, 0, x), logic.Extract(x.Width()-1, k, x)
			c := logic.Concat(low, high)
			sum := logic.Add(logic.Uint(low), auto.Scale(auto.Pow2(k), logic.Uint(high)))
			u, v := logic.Uint(x), logic.Uint(c)
			same := auto.Equal(u, v, eqLin(auto.Must(kernel.UintSplit(x, k)), u, sum, 1),
				eqLin(auto.Must(kernel.UintSplit(c, k)), v, sum, -1))
			hole := logic.Fresh("value", logic.Int())
			th := auto.Must(kernel.Leibniz(same, u, v, auto.True(), logic.Eq(x, logic.ToBV(x.Width(), hole)), hole))
			eqs = append(eqs, auto.Rewritten(th, x, c))
		}
	}
	return eqs
}

func (s *blocks) difference() {
	T, U, O, m := s.in(0), s.in(1), s.out(), s.pR()
	diff := logic.Sub(T, U)
	sel := mont.Selection{Tele: s.tele, M: m, Words: 2 * s.n, Scale: 1,
		Candidates: []Term{diff, logic.Add(diff, logic.IntConst(m))},
		Facts:      []Theorem{assume(s.below(T, m)), assume(s.below(U, m))}}
	f := s.congruentTo(1, diff)
	s.know(sel.Prove(true, O, []Term{s.below(O, m), s.cong(O, diff)}, func(k mont.Case) Theorem { return f(k, O) })...)
}

// combine follows the sums v + Σ(p − s), and then proves what is made of their words and their top word, which is small,
// by cases over the top word.
func (s *blocks) combine() {
	V, O := s.in(0), s.out()
	words := s.words(s.b.In[0])
	value, most := V, minusOne(s.relaxedBound())
	bound := assume(s.atMost(V, most))
	total, eq := V, auto.True()
	neg, isNeg := Term{}, auto.Lin{}
	for i, vs := range s.b.In[1:] {
		S := auto.Word(s.words(vs)...)
		less := assume(s.isFull(S))
		if _, ok := s.b.Marks[fmt.Sprintf("neg%d", i)]; ok {
			ws := s.mark("neg%d", i)
			neg = auto.Word(ws...)
			e := logic.Sub(s.P(), S)
			isNeg = eqLin(mont.Absorb(s.tele, neg, e, 64*s.n, less), neg, e, 1)
			s.tele.Leaf(ws...)
		}
		words = s.mark("sum%d", i)
		next := auto.Word(words...)
		e := logic.Add(value, neg)
		th := mont.Absorb(s.tele, next, e, 64*(s.n+1), bound)
		total = logic.Add(total, logic.Sub(s.P(), S))
		lins := []auto.Lin{eqLin(th, next, e, 1), isNeg}
		if i > 0 {
			lins = append(lins, eqLin(eq, value, logic.Sub(total, logic.Sub(s.P(), S)), 1))
		}
		eq = auto.Equal(next, total, lins...)
		max := new(big.Int).Add(most, s.p)
		bound = auto.NonNeg(logic.Sub(logic.IntConst(max), next), []Theorem{bound}, negated(eqLin(th, next, e, 1)), negated(isNeg))
		value, most = next, max
		s.tele.Leaf(words...)
	}
	// the top word is at most k
	k := new(big.Int).Div(most, s.r)
	top := logic.Uint(words[s.n])
	small := auto.Cut(auto.NonNeg(logic.Sub(logic.IntConst(most), s.times(s.r, top)), []Theorem{bound}), s.r, logic.Neg(top))
	vars, back := map[Term]Term{}, map[Term]Term{}
	xs := make([]Term, len(words))
	for i, w := range words {
		xs[i] = logic.Var(fmt.Sprintf("fused.sum.%d", i), logic.BV(64))
		vars[w], back[xs[i]] = xs[i], w
	}
	th := auto.Must(kernel.Inst(s.folded(logic.Replace(O, vars), xs, k), back))
	th = Cut(th, small.Concl(), small)
	full, cong := s.isFull(O), s.cong(O, value)
	s.know(taut(full, th))
	diff := V
	for _, vs := range s.b.In[1:] {
		diff = logic.Sub(diff, auto.Word(s.words(vs)...))
	}
	s.know(auto.Congruent(O, diff, s.P(), eqLin(taut(cong, th), O, value, 1), eqLin(eq, value, total, 1)))
	s.full[s.b.Out[0]] = true
}

// folded proves uint(top) ≤ k ⊢ O < p ∧ O ≡ x + R·top, for the result O that is made of x and top.
func (s *blocks) folded(O Term, xs []Term, k *big.Int) Theorem {
	top, x := xs[s.n], auto.Word(xs[:s.n]...)
	goal := logic.And(s.isFull(O), s.cong(O, auto.Word(xs...)))
	t := newInterval(logic.Uint(top))
	lo, _ := auto.Range(top)
	t.improve(lo)
	t.improve(assume(logic.Le(logic.Uint(top), logic.IntConst(k))))
	return t.each(goal, func(v *big.Int, is Theorem) Theorem {
		c := logic.BVConst(64, v)
		at := func(y Term) Term { return logic.Replace(y, map[Term]Term{top: c}) }
		o := at(O)
		q := new(big.Int).Add(v, big.NewInt(1))
		value := logic.Add(x, s.times(s.r, logic.IntConst(v)))
		cand := logic.Sub(value, s.times(s.p, logic.IntConst(q)))
		sel := mont.Selection{Tele: auto.NewTelescope(), M: s.p, Words: s.n, Scale: 1,
			Candidates: []Term{cand, logic.Add(cand, s.P())}}
		f := s.congruentTo(1, value)
		ths := sel.Prove(true, o, []Term{s.isFull(o), s.cong(o, value)}, func(k mont.Case) Theorem { return f(k, o) })
		th := taut(at(goal), ths...)
		// top is the constant
		hole := logic.Fresh("top", logic.Int())
		eq := auto.Must(kernel.Leibniz(is, logic.Uint(top), logic.IntConst(v), auto.True(), logic.Eq(top, logic.ToBV(64, hole)), hole))
		y := logic.Fresh("top", logic.BV(64))
		return auto.Must(kernel.Leibniz(eq, c, top, th, logic.Replace(goal, map[Term]Term{top: y}), y))
	})
}

// any: the or of words is at least their sum divided by a power of two, and at most their sum.
func (s *blocks) any() {
	r := s.words(s.b.Out)[0]
	A, ws, zero := s.in(0), s.words(s.b.In[0]), logic.N(0)
	depth, sum, low, high := orBounds(r) // 2^depth·r − sum ≥ 0, sum − r ≥ 0
	u := logic.Uint(r)
	isZero, all := logic.Eq(u, zero), logic.Eq(A, zero)
	// A ≤ 2^(64(k−1))·sum
	most := auto.Pow2(64 * (len(ws) - 1))
	le := auto.NonNeg(logic.Sub(s.times(most, sum), A), nil)
	nA := auto.NonNeg(A, nil)
	by := new(big.Int).Mul(most, auto.Pow2(depth))
	one := big.NewInt(1)
	is := auto.NonNegBy(logic.Neg(A), []Theorem{le, low}, []kernel.Product{{Coef: one, Factors: []int{0}}, {Coef: most, Factors: []int{1}}},
		auto.Lin{Th: assume(isZero), L: u, R: zero, By: logic.IntConst(new(big.Int).Neg(by))})
	yes := auto.Must(kernel.Antisym(A, nA, is))
	// r ≤ sum ≤ A
	ge := auto.NonNeg(logic.Sub(A, sum), nil)
	less := auto.NonNegBy(logic.Neg(u), []Theorem{high, ge}, []kernel.Product{{Coef: one, Factors: []int{0}}, {Coef: one, Factors: []int{1}}},
		auto.Lin{Th: assume(all), L: A, R: zero, By: logic.N(-1)})
	lo, _ := auto.Range(r)
	no := auto.Must(kernel.Antisym(u, lo, less))
	s.know(taut(logic.Iff(isZero, all), implied(isZero, yes), implied(all, no)))
}

// orBounds is about a word t made with or: 0 ≤ 2^depth·t − sum and 0 ≤ sum − t for the sum of the words in it.
func orBounds(t Term) (depth int, sum Term, low, high Theorem) {
	if t.Op() != logic.OpBVOr {
		return 0, logic.Uint(t), auto.True(), auto.True()
	}
	x, y := t.Arg(0), t.Arg(1)
	dx, sx, lx, hx := orBounds(x)
	dy, sy, ly, hy := orBounds(y)
	depth, sum = max(dx, dy)+1, logic.Add(sx, sy)
	or, xor, err := kernel.AndOrSum(x, y)
	or, xor = auto.Must(or, err), auto.Must(xor, err)
	u, v, w := logic.Uint(x), logic.Uint(y), logic.Uint(t)
	and, differ := logic.Uint(logic.BVAnd(x, y)), logic.Uint(logic.BVXor(x, y))
	isOr := func(by *big.Int) auto.Lin {
		return auto.Lin{Th: or, L: logic.Add(and, w), R: logic.Add(u, v), By: logic.IntConst(by)}
	}
	// 2^depth·t − sx − sy = 2^(depth−1)·(x ⊕ y) + 2^(depth−1)·x − sx + 2^(depth−1)·y − sy
	half := auto.Pow2(depth - 1)
	facts := []Theorem{auto.NonNeg(u, nil), auto.NonNeg(v, nil), auto.NonNeg(differ, nil)}
	products := []kernel.Product{{Coef: half, Factors: []int{2}}}
	add := func(i, d int, th Theorem) { // 2^(depth−1)·x − sx = (2^(depth−1) − 2^d)·x + (2^d·x − sx)
		if c := new(big.Int).Sub(half, auto.Pow2(d)); c.Sign() > 0 {
			products = append(products, kernel.Product{Coef: c, Factors: []int{i}})
		}
		if th.Concl() != logic.True() {
			products = append(products, kernel.Product{Coef: big.NewInt(1), Factors: []int{len(facts)}})
			facts = append(facts, th)
		}
	}
	add(0, dx, lx)
	add(1, dy, ly)
	low = auto.NonNegBy(logic.Sub(auto.Scale(auto.Pow2(depth), w), sum), facts, products, isOr(auto.Pow2(depth)),
		auto.Lin{Th: xor, L: differ, R: logic.Sub(logic.Add(u, v), logic.Mul(logic.N(2), and)), By: logic.IntConst(new(big.Int).Neg(half))})
	facts, products = []Theorem{auto.NonNeg(and, nil)}, []kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}}
	add(0, depth-1, hx)
	add(0, depth-1, hy)
	high = auto.NonNegBy(logic.Sub(sum, w), facts, products, isOr(big.NewInt(-1)))
	return depth, sum, low, high
}

// choose is by cases over the two bits on which it depends, the borrows of a − 1 and b − 1.
func (s *blocks) choose() {
	words := func(i int) Term { return s.words(s.b.In[i])[0] }
	a, b, O, zero := words(0), words(1), s.out(), logic.N(0)
	X, Y, Z := s.in(2), s.in(3), s.in(4)
	isA, isB := logic.Eq(logic.Uint(a), zero), logic.Eq(logic.Uint(b), zero)
	value := logic.Eq(O, logic.Ite(isB, X, logic.Ite(isA, Y, Z)))
	less := s.isFull(O)
	lessThan := map[bool]map[bool]Term{true: {true: X, false: X}, false: {true: Y, false: Z}} // by b = 0, a = 0
	bitOf := func(w Term) Term {
		var found Term
		var walk func(t Term)
		walk = func(t Term) {
			if t.Op() != logic.OpIte {
				return
			}
			c := t.Arg(0).Arg(0)
			if c.Width() != 1 {
				c = t.Arg(0).Arg(1)
			}
			for c.Op() == logic.OpBVNot {
				c = c.Arg(0)
			}
			if logic.Replace(c, map[Term]Term{w: logic.Fresh("word", w.Sort())}) != c {
				found = c
			}
			walk(t.Arg(1))
			walk(t.Arg(2))
		}
		for _, t := range s.words(s.b.Out) {
			walk(t)
		}
		if found.IsZero() {
			panic(fmt.Errorf("nothing depends on %v", w))
		}
		return found
	}
	ca, cb := bitOf(a), bitOf(b)
	var ths [2]Theorem
	for i, goal := range []Term{value, less} {
		side := func(aBit, bBit kernel.Equation) Theorem {
			ea, aZero := s.borrow(a, isA, ca, aBit)
			eb, bZero := s.borrow(b, isB, cb, bBit)
			same := rewritten(goal, aBit, bBit, ea, eb)
			if same.Concl() == goal {
				return same
			}
			return taut(goal, same, assume(s.isFull(lessThan[bZero][aZero])))
		}
		hypA, yesA, noA := auto.BitCases(ca)
		hypB, yesB, noB := auto.BitCases(cb)
		ths[i] = auto.Cases(goal, hypB, auto.Cases(goal, hypA, side(yesA, yesB), side(noA, yesB)),
			auto.Cases(goal, hypA, side(yesA, noB), side(noA, noB)))
	}
	s.know(ths[:]...)
}

// borrow says whether the word w is 0, as a rewriting of the condition isZero, by the bit c, the carry of w + 2⁶⁴ − 1.
func (s *blocks) borrow(w, isZero, c Term, bit kernel.Equation) (kernel.Equation, bool) {
	v, _ := bit.To.Const()
	tele := auto.NewTelescope()
	tele.Define(logic.Uint(c), logic.IntConst(v), auto.Value(bit))
	low := logic.Uint(logic.Extract(63, 0, c.Arg(0)))
	rest, eqs := tele.Reduce(low) // w − 1 or w + 2⁶⁴ − 1
	eq := auto.Lin{Th: auto.Equal(low, rest, eqs...), L: low, R: rest}
	u := logic.Uint(w)
	if v.Sign() > 0 { // w = low + 1
		eq.By = logic.N(-1)
		pos := auto.NonNeg(logic.Sub(u, logic.N(1)), nil, eq)
		no := auto.Must(kernel.Le(logic.N(-1), []Theorem{pos}, []kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}},
			kernel.Multiple{Fact: assume(isZero), By: logic.N(-1)}))
		return truth(taut(logic.Not(isZero), implied(isZero, no)), isZero), false
	}
	eq.By = logic.N(1)
	le := auto.NonNeg(logic.Neg(u), nil, eq)
	lo, _ := auto.Range(w)
	return truth(auto.Must(kernel.Antisym(u, lo, le)), isZero), true
}
