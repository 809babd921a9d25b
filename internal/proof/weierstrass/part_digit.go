package weierstrass

import (
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Multiples are made of signed digits: the absolute value w of a digit, in memory, is the index of an entry of a table,
// and a word s says whether the entry's Y is to be negated.

// ---- the entry

// entryNumber is the index of an entry, counted from 1.
func entryNumber(j int) Term { return logic.BVUint(64, uint64(j)) }

// small is w ≤ top.
func small(w Term, top int64) Term { return logic.Le(logic.Uint(w), logic.N(top)) }

// absent: small(w, top), w ≠ 1, …, w ≠ top ⊢ uint w = 0.
func absent(w Term, top int64) Theorem {
	u := logic.Uint(w)
	lo, _ := auto.Range(w)
	th := assume(small(w, top))
	for j := top; j >= 1; j-- {
		// w ≤ j and w ≠ j: w ≤ j − 1
		goal := small(w, j-1)
		no := logic.Not(goal)
		same := auto.Must(kernel.Antisym(logic.Sub(u, logic.N(j)), assume(no), th)) // u = j
		x := logic.Fresh("u", logic.Int())
		whole := logic.Eq(w, logic.ToBV(64, x))
		is := auto.Must(kernel.Leibniz(same, u, logic.N(j), auto.True(), whole, x))
		absurd := taut(logic.False(), is, assume(logic.Not(logic.Eq(w, entryNumber(int(j))))))
		th = taut(goal, implied(no, absurd))
	}
	return auto.Must(kernel.Antisym(u, lo, th))
}

// peeler proves is(words, P) of what was selected from a table by w: see selected.
type peeler struct {
	is             func(ws []Term, P Term) Term
	w, test, point Term // variables: the selecting word, the number of an entry, a point
	yes, no        []Term
	lemma          kept
}

// newPeeler is for entries of n words. It is to be called at initialisation, or where the variables need not last.
func newPeeler(name string, w Term, n int, is func(ws []Term, P Term) Term) *peeler {
	l := &peeler{is: is, w: w, test: logic.Var(name+".test", logic.BV(64)), point: logic.Var(name+".point", spec.PointSort())}
	for j := range n {
		l.yes = append(l.yes, logic.Var(fmt.Sprintf("%s.yes%d", name, j), logic.BV(64)))
		l.no = append(l.no, logic.Var(fmt.Sprintf("%s.no%d", name, j), logic.BV(64)))
	}
	return l
}

// peeled gives ite(w = j, entry, rest) and is(that, P), from is(entry, P), which may assume w = j, and is(rest, P), which
// may assume w ≠ j.
func (l *peeler) peeled(j int, P Term, entry, rest []Term, yes, no Theorem) ([]Term, Theorem) {
	same := logic.Eq(l.w, entryNumber(j))
	sigma := map[Term]Term{l.test: entryNumber(j), l.point: P}
	next := make([]Term, len(rest))
	for k := range rest {
		sigma[l.yes[k]], sigma[l.no[k]] = entry[k], rest[k]
		next[k] = logic.Ite(same, entry[k], rest[k])
	}
	th := auto.Must(kernel.Inst(l.lemma.get(l.prove), sigma))
	facts := each(same, yes)
	return next, useEach(th, append(facts, each(logic.Not(same), no)...)...)
}

// useEach is number.Use for a conclusion and facts that have too many atoms for kernel.Taut together.
func useEach(th Theorem, facts ...Theorem) Theorem {
	for _, f := range facts {
		th = number.Use(th, f)
	}
	return th
}

// each is p ⇒ q for each q of the conjunction that th proves.
func each(p Term, th Theorem) (ths []Theorem) {
	for _, q := range conjuncts(th.Concl()) {
		ths = append(ths, implied(p, taut(q, th)))
	}
	return ths
}

func conjuncts(p Term) []Term {
	if p.Op() == logic.OpAnd {
		return p.Args()
	}
	return []Term{p}
}

// prove proves the lemma, with a hypothesis for each conjunct q of is(yes, P) and of is(no, P):
//
//	w = test ⇒ q, …, w ≠ test ⇒ q, … ⊢ is(ite(w = test, yes, no), P)
func (l *peeler) prove() Theorem {
	test := logic.Eq(l.w, l.test)
	ites := make([]Term, len(l.yes))
	for k := range ites {
		ites[k] = logic.Ite(test, l.yes[k], l.no[k])
	}
	goal := l.is(ites, l.point)
	side := func(c, value Term, ws []Term) Theorem {
		is := l.is(ws, l.point)
		same := make([]Theorem, len(ws))
		for k, ite := range ites {
			same[k] = rewritten(ite, auto.Rewritten(assume(c), test, value))
		}
		var parts []Theorem
		for _, q := range conjuncts(is) {
			parts = append(parts, taut(q, assume(logic.Imp(c, q)), assume(c)))
		}
		return replaced(taut(is, parts...), ws, ites, same, func(ws []Term) Term { return l.is(ws, l.point) })
	}
	return auto.Cases(goal, test, side(test, logic.True(), l.yes), side(logic.Not(test), logic.False(), l.no))
}

// replaced is p(to) from th, which is p(from), where same[k] is to[k] = from[k], for the first len(from) words.
func replaced(th Theorem, from, to []Term, same []Theorem, p func(ws []Term) Term) Theorem {
	now := slices.Clone(from)
	hole := logic.Fresh("word", logic.BV(64))
	for k := range from {
		if from[k] == to[k] {
			continue
		}
		now[k] = hole
		th = auto.Must(kernel.Leibniz(same[k], from[k], to[k], th, p(now), hole))
		now[k] = to[k]
	}
	return th
}

// ---- the sign

// signs is what w and s are for the signed digit d.
func signs(d, w, s Term) []Term {
	return []Term{
		logic.Imp(logic.Ge0(d), logic.And(logic.Eq(logic.Uint(w), d), logic.Eq(s, zero64()))),
		logic.Imp(logic.Lt(d, logic.N(0)), logic.And(logic.Eq(logic.Uint(w), logic.Neg(d)), logic.Eq(s, ones64()))),
	}
}

// negates is what the operation CNeg ensures of v, besides that it is reduced.
func (c *Curve) negates(s, y, v Term) []Term {
	return []Term{
		logic.Imp(logic.Eq(s, zero64()), logic.Eq(v, y)),
		logic.Imp(logic.Eq(s, ones64()), logic.Cong(v, logic.Neg(y), c.Field.P())),
	}
}

// signed are the words w and s of a digit, an entry's Y, and v, which is ±Y.
type signed struct{ w, s, y, v Term }

// signedPoint: signs(d, w, s), negates(s, y, v), point(y) = [W·w]Q ⊢ point(v) = Digit(W·d, Q). Here opposite is
// v ≡ −y ⊢ point(v) = −point(y).
func (c *Curve) signedPoint(W *big.Int, d, Q Term, t signed, point func(y Term) Term, opposite Theorem) Theorem {
	Wd, u := auto.Scale(W, d), logic.Uint(t.w)
	A, B := point(t.y), point(t.v)
	given := assume(logic.Eq(A, c.Multiple(auto.Scale(W, u), Q)))
	signs, negates := signs(d, t.w, t.s), c.negates(t.s, t.y, t.v)
	digit := c.laws().Digit(Wd, Q)
	goal := logic.Eq(B, digit)
	hole, at := logic.Fresh("hole", logic.Int()), logic.Fresh("at", spec.PointSort())
	pos, less := logic.Ge0(d), logic.Lt(d, logic.N(0))
	// same is A = [t]Q for t = W·uint w, by the value of w
	same := func(eq Theorem, value Term) Theorem {
		return auto.Must(kernel.Leibniz(eq, u, value, given, logic.Eq(A, c.Multiple(auto.Scale(W, hole), Q)), hole))
	}
	// done is the goal from B = branch, a branch of the digit
	done := func(th Theorem, c Theorem, value, branch Term) Theorem {
		e := rewritten(digit, auto.Rewritten(c, logic.Ge0(Wd), value))
		return auto.Must(kernel.Leibniz(e, branch, digit, th, logic.Eq(B, at), at))
	}
	product := func(t Term, fact Theorem, more ...kernel.Product) Theorem {
		return auto.NonNegBy(t, []Theorem{fact}, append(more, kernel.Product{Coef: W, Factors: []int{0}}))
	}
	part := func(t Term, imp, c Term) Theorem { return taut(t, assume(imp), assume(c)) }

	kQ := c.Multiple(Wd, Q)
	th := same(part(logic.Eq(u, d), signs[0], pos), d)
	vy := taut(logic.Eq(t.v, t.y), assume(negates[0]), part(logic.Eq(t.s, zero64()), signs[0], pos))
	th = auto.Must(kernel.Leibniz(vy, t.y, t.v, th, logic.Eq(point(hole), kQ), hole))
	yes := done(th, product(Wd, assume(pos)), logic.True(), kQ)

	minus := c.Multiple(logic.Neg(Wd), Q)
	th = same(part(logic.Eq(u, logic.Neg(d)), signs[1], less), logic.Neg(d))
	neg := taut(logic.Cong(t.v, logic.Neg(t.y), c.Field.P()), assume(negates[1]),
		part(logic.Eq(t.s, ones64()), signs[1], less))
	th2 := number.Use(opposite, neg) // B = −A
	th2 = auto.Must(kernel.Leibniz(th, A, minus, th2, logic.Eq(B, c.Negated(at)), at))
	var slack []kernel.Product
	if W.Cmp(big.NewInt(1)) > 0 {
		slack = append(slack, kernel.Product{Coef: new(big.Int).Sub(W, big.NewInt(1))})
	}
	below := product(logic.Sub(logic.Neg(Wd), logic.N(1)), assume(less), slack...)
	no := done(th2, below, logic.False(), c.Negated(minus))
	return auto.Cases(goal, pos, yes, no)
}
