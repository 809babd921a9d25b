package weierstrass

import (
	"math/big"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// naturalProof is the proof of a normalisation: at impl.NaturalMark the words are y = x or x + m, 0 ≤ y ≤ m, by the
// sign of x, and the result is y or y − m, by the borrow.
type naturalProof struct {
	machine.NoProof
	goals
	g     *gcd
	k     Key
	y     []Term
	facts []Theorem // 0 ≤ y, y ≤ m, y ≡ x
	asked bool
}

// Begin starts a run.
func (p *naturalProof) Begin(machine.View) error {
	*p = naturalProof{g: p.g, k: p.k}
	return nil
}

// Mark proves what y is.
func (p *naturalProof) Mark(_ string, v machine.View) error { return auto.Run(func() { p.number(v) }) }

// Prove finds the theorem.
func (p *naturalProof) Prove(g machine.Goal) (Theorem, error) {
	if !p.asked {
		p.asked = true
		if err := auto.Run(func() { p.finish(g) }); err != nil {
			return Theorem{}, err
		}
	}
	return p.find(g, "natural")
}

// reduced is words ≡ want modulo 2²⁵⁶, by telescoping.
func reduced(words []Term, want Term, leaves ...Term) Theorem {
	tele := auto.NewTelescope()
	tele.Leaf(leaves...)
	value := auto.Word(words...)
	_, eqs := tele.Reduce(logic.Sub(value, want))
	return auto.Congruent(value, want, logic.Pow2(256), eqs...)
}

func (p *naturalProof) number(v machine.View) {
	regs, _ := impl.GCDRegs(p.k.Target)
	p.y = registers(v, regs[:4])
	x, m := v.Before("x"), p.g.f.P()
	X, Y, one := twos(x...), auto.Word(p.y...), logic.N(1)
	bit := logic.Extract(63, 63, x[4])
	hyp, yes, no := auto.BitCases(bit)
	goals := append([]Term{logic.Le(Y, m)}, logic.Cong(Y, X, m))
	side := func(e kernel.Equation, goal Term, want Term) Theorem {
		at := func(t Term) Term { return logic.Replace(t, map[Term]Term{e.From: e.To}) }
		ws := mapped(p.y, at)
		value := auto.Word(ws...)
		// the number, with what the sign is
		bounds := mapped(within(X, m), func(t Term) Theorem { return auto.Must(kernel.Rewrite(assume(t), e)) })
		Xe := at(X)
		full := logic.Add(Xe, want)
		low := reduced(ws, full, x...)
		split := lin(auto.Must(kernel.Rewrite(auto.Must(kernel.UintSplit(x[4], 63)), e)), logic.Uint(x[4]),
			logic.Add(logic.Uint(logic.Extract(62, 0, x[4])), auto.Scale(auto.Pow2(63), logic.Uint(e.To))), one)
		// 0 ≤ X for a natural number and X ≤ −1 else, by ranges
		var sign Theorem
		if want == logic.N(0) {
			split.By = logic.IntConst(auto.Pow2(256))
			sign = auto.NonNeg(Xe, nil, split)
		} else {
			split.By = logic.IntConst(new(big.Int).Neg(auto.Pow2(256)))
			sign = auto.NonNeg(logic.Sub(logic.N(-1), Xe), nil, split)
		}
		facts := append(bounds, sign)
		eq := lin(equalIn(value, full, logic.N(0), 256, low, facts...), value, full, one)
		var th Theorem
		if goal == goals[0] {
			eq.By = logic.N(-1)
			th = auto.NonNeg(logic.Sub(m, value), facts, eq)
		} else {
			th = auto.Congruent(value, Xe, m, eq)
		}
		return taut(goal, rewritten(goal, e), th)
	}
	for _, goal := range goals {
		p.facts = append(p.facts, auto.Cases(goal, hyp, side(yes, goal, m), side(no, goal, logic.N(0))))
	}
}

func (p *naturalProof) finish(g machine.Goal) {
	r := memoryWords(g.View, "r", 0, 4)
	m, one := p.g.f.P(), logic.N(1)
	R, Y, X := auto.Word(r...), auto.Word(p.y...), twos(g.View.Before("x")...)
	bit := steering(r, p.y)
	hyp, yes, no := auto.BitCases(bit)
	goals := []Term{logic.Lt(R, m), logic.Cong(R, Y, m)}
	// the difference is z = y − m + 2²⁵⁶·borrow
	side := func(e kernel.Equation, goal Term, borrow bool) Theorem {
		at := func(t Term) Term { return logic.Replace(t, map[Term]Term{e.From: e.To}) }
		ws := mapped(r, at)
		value := auto.Word(ws...)
		want := logic.Sub(Y, m)
		if borrow {
			want = Y
		}
		less := p.borrow(e, borrow)
		facts := append([]Theorem{p.facts[0]}, less)
		low := reduced(ws, want, p.y...)
		eq := lin(equalIn(value, want, logic.N(0), 256, low, facts...), value, want, one)
		var th Theorem
		if goal == goals[0] {
			eq.By = logic.N(-1)
			th = auto.NonNeg(logic.Sub(logic.Sub(m, one), value), facts, eq)
		} else {
			th = auto.Congruent(value, Y, m, eq)
		}
		return taut(goal, rewritten(goal, e), th)
	}
	for i, goal := range goals {
		th := auto.Cases(goal, hyp, side(yes, goal, false), side(no, goal, true))
		if i == 1 {
			th = auto.Congruent(R, X, m, lin(th, R, Y, one), lin(p.facts[1], Y, X, one))
		}
		p.know(th)
	}
}

// borrow is y < m or m ≤ y, by the carry of y − m, which is the complement of the borrow.
func (p *naturalProof) borrow(carry kernel.Equation, borrow bool) Theorem {
	m, Y := p.g.f.P(), auto.Word(p.y...)
	// the words of the difference, least significant first
	sum := carry.From.Arg(0)
	var ws []Term
	for i := 3; i >= 0; i-- {
		ws = append([]Term{logic.Extract(63, 0, sum)}, ws...)
		if i > 0 {
			sum = carryIn(sum)
		}
	}
	tele := auto.NewTelescope()
	tele.Leaf(p.y...)
	value, c := auto.Word(ws...), logic.Uint(carry.From)
	want := logic.Sub(logic.Add(Y, logic.Pow2(256)), logic.Add(m, auto.Scale(auto.Pow2(256), c)))
	rest, eqs := tele.Reduce(logic.Sub(value, want))
	if rest != logic.N(0) {
		panic(rest.Format(6))
	}
	is := lin(auto.Equal(value, want, eqs...), value, want, logic.N(1))
	v := lin(auto.Value(carry), c, logic.Uint(carry.To), logic.N(1))
	if borrow {
		is.By, v.By = logic.N(1), logic.IntConst(new(big.Int).Neg(auto.Pow2(256)))
		return auto.NonNeg(logic.Sub(logic.Sub(m, logic.N(1)), Y), nil, is, v)
	}
	is.By, v.By = logic.N(-1), logic.IntConst(auto.Pow2(256))
	return auto.NonNeg(logic.Sub(Y, m), nil, is, v)
}

// carryIn is the sum whose carry is added in a sum.
func carryIn(sum Term) Term {
	var found Term
	var visit func(t Term)
	visit = func(t Term) {
		if t.Op() == logic.OpExtract && t.Width() == 1 && t.Lo() == 64 {
			found = t.Arg(0)
			return
		}
		for _, a := range t.Args() {
			if a.Op() != logic.OpExtract || a.Width() == 1 {
				visit(a)
			}
		}
	}
	visit(sum)
	return found
}

// steering is the carry by which words are selected, above the leaves.
func steering(words, leaves []Term) Term {
	var found Term
	var visit func(t Term)
	visit = func(t Term) {
		switch {
		case slices.Contains(leaves, t):
			return
		case t.Op() == logic.OpIte && found == (Term{}):
			found = bitIn(t.Arg(0))
			return
		}
		for _, a := range t.Args() {
			visit(a)
		}
	}
	for _, w := range words {
		visit(w)
	}
	return found
}
