package weierstrass

import (
	"fmt"
	"math/big"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// Trace follows the field operations of a run. It gives a variable to the value of each element that occurs, an Int,
// and to each condition, a word, so that proofs do not see the words of an element; and says of each operation what its
// routine ensures, as hypotheses over these variables. Close puts the values back in.
//
// A proof calls Begin and Mark from its own methods of these names, and Close at the end.
type Trace struct {
	Steps []Step

	target machine.Target
	ops    map[string]impl.Op
	view   machine.View  // before the next operation
	vars   map[Term]Term // of values
	sigma  map[Term]Term // values of variables
	cuts   []cut
}

// Step is one operation that was executed. Dst and Src are the variables (or constants) of elements and of words; for
// CMov, Old is what was in Dst before.
type Step struct {
	Mark     string
	Op       impl.Op
	Dst, Old Term
	Src      []Term
	Result   Term // of FromBytes: the word that it returns
	// Facts are p ⊢ p for what the routine ensures, in this order:
	//
	//	Mul, Sqr        d < m, R·d ≡ x·y (mod m)
	//	Add, Sub, Neg   d < m, d ≡ x ± y, −x
	//	Half            d < m, 2·d ≡ x
	//	ToMont          d < m, d ≡ R·x
	//	FromMont        d < m, R·d ≡ x
	//	CMov            d = ite(cond = 0, old, x)
	//	CNeg            d < m, cond = 0 ⇒ d = x, cond = all ones ⇒ d ≡ −x
	//	Mask            d = ite(x = 0, all ones, 0), a word
	//	FromBytes       x < m ⇒ d = x and ok = 1, m ≤ x ⇒ d = 0 and ok = 0; x is the bytes' number
	//	ToBytes         d = x; d is the bytes' number
	Facts []Theorem
	field fieldTerms
	l, r  Term // of an operation without a name: it ensures l = r, or l ≡ r (mod m), which Facts[1] says
}

// cut is a theorem over values with the conclusion hyp, an hypothesis over variables.
type cut struct {
	hyp Term
	th  Theorem
}

// fieldTerms are constants of a field.
type fieldTerms struct {
	n       int
	m       Term
	r, ri   Term
	modulus *big.Int
}

func fieldOf(f *impl.Field) fieldTerms {
	r := auto.Pow2(64 * f.Words)
	ri := new(big.Int).ModInverse(r, f.M)
	return fieldTerms{n: f.Words, m: logic.IntConst(f.M), r: logic.IntConst(r), ri: logic.IntConst(ri), modulus: f.M}
}

// NewTrace follows code for a target.
func NewTrace(t machine.Target, ops map[string]impl.Op) *Trace { return &Trace{target: t, ops: ops} }

// Begin starts a run.
func (tr *Trace) Begin(v machine.View) {
	tr.Steps, tr.cuts, tr.view = nil, nil, v
	tr.vars, tr.sigma = map[Term]Term{}, map[Term]Term{}
}

// LE is the value of n words in memory, over the words.
func LE(v machine.View, p impl.Ptr, n int) Term {
	ws := make([]Term, n)
	for i := range ws {
		if ws[i] = v.Mem(p.Region, p.Off+8*i, 8); ws[i].IsZero() {
			panic(fmt.Errorf("%s[%d] is undefined", p.Region, p.Off+8*i))
		}
	}
	return auto.Word(ws...)
}

// be is the value of the bytes of n words, big-endian.
func be(v machine.View, p impl.Ptr, n int) Term {
	ts := make([]Term, 8*n)
	for i := range ts {
		b := v.Mem(p.Region, p.Off+i, 1)
		if b.IsZero() {
			panic(fmt.Errorf("%s[%d] is undefined", p.Region, p.Off+i))
		}
		ts[i] = auto.Scale(auto.Pow2(8*(len(ts)-1-i)), logic.Uint(b))
	}
	return logic.Add(ts...)
}

// Var is the variable for a value, which is a new one if the value has none. A constant is its own.
func (tr *Trace) Var(value Term) Term {
	if value.IsClosed() {
		return value
	}
	x, ok := tr.vars[value]
	if !ok {
		x = logic.Var(fmt.Sprintf("trace.%d", len(tr.vars)), value.Sort())
		tr.vars[value], tr.sigma[x] = x, value
	}
	return x
}

// Elem is the variable for the element of n words at p.
func (tr *Trace) Elem(v machine.View, p impl.Ptr, n int) Term { return tr.Var(LE(v, p, n)) }

// Value is a term over variables with the values put in.
func (tr *Trace) Value(t Term) Term { return logic.Subst(t, tr.sigma) }

// Mark takes note of an operation if name is the mark after one.
func (tr *Trace) Mark(name string, v machine.View) (err error) {
	op, ok := tr.ops[name]
	if !ok {
		tr.view = v // what follows starts here
		return nil
	}
	return auto.Run(func() { tr.step(name, op, v) })
}

func (tr *Trace) step(name string, op impl.Op, v machine.View) {
	f := fieldOf(op.Field)
	s := Step{Mark: name, Op: op, field: f}
	word := func(v machine.View, p impl.Ptr) Term { return tr.Var(v.Mem(p.Region, p.Off, 8)) }
	before := tr.view
	for i, p := range op.Src {
		switch {
		case i == 1 && (op.Name == "CMov" || op.Name == "CNeg"):
			s.Src = append(s.Src, word(before, p))
		case op.Name == "FromBytes":
			s.Src = append(s.Src, tr.Var(be(before, p, f.n)))
		default:
			s.Src = append(s.Src, tr.Elem(before, p, f.n))
		}
	}
	switch op.Name {
	case impl.Mask:
		s.Dst = word(v, op.Dst)
	case "ToBytes":
		s.Dst = tr.Var(be(v, op.Dst, f.n))
	default:
		s.Dst = tr.Elem(v, op.Dst, f.n)
	}
	fact := func(p Term) { s.Facts = append(s.Facts, assume(p)) }
	x := s.Src[0]
	switch op.Name {
	case "CNeg":
		fact(logic.Lt(s.Dst, f.m))
		fact(logic.Imp(logic.Eq(s.Src[1], zero64()), logic.Eq(s.Dst, x)))
		fact(logic.Imp(logic.Eq(s.Src[1], ones64()), logic.Cong(s.Dst, logic.Neg(x), f.m)))
	case "CMov":
		s.Old = tr.Elem(before, op.Dst, f.n)
		fact(logic.Eq(s.Dst, logic.Ite(logic.Eq(s.Src[1], zero64()), s.Old, x)))
		tr.cuts = append(tr.cuts, cut{s.Facts[0].Concl(), tr.moved(op, before, v, f.n)})
	case impl.Mask:
		fact(logic.Eq(s.Dst, maskOf(logic.Eq(x, logic.N(0)))))
	case "FromBytes":
		r, ok := tr.target.ParamReg(0)
		if !ok {
			panic(fmt.Errorf("%v has no register for results", tr.target))
		}
		s.Result = tr.Var(v.Reg(r))
		res := logic.Uint(s.Result)
		fact(logic.Imp(logic.Lt(x, f.m), logic.And(logic.Eq(s.Dst, x), logic.Eq(res, logic.N(1)))))
		fact(logic.Imp(logic.Le(f.m, x), logic.And(logic.Eq(s.Dst, logic.N(0)), logic.Eq(res, logic.N(0)))))
	case "ToBytes":
		fact(logic.Eq(s.Dst, x))
	default:
		s.assumeCongruence()
	}
	known := v.Facts()
	for _, th := range s.Facts {
		c := tr.Value(th.Concl())
		if op.Name != "CMov" && c != logic.True() && !slices.Contains(known, c) {
			panic(fmt.Errorf("%s, %s: the run does not know %v", name, op.Name, c))
		}
	}
	tr.Steps = append(tr.Steps, s)
	tr.view = v
}

// assumeCongruence adds the facts of an operation that ensures a range and a congruence.
func (s *Step) assumeCongruence() {
	l, r, ok := s.congruence()
	if !ok {
		panic(fmt.Errorf("%s: nothing is known about %s", s.Mark, s.Op.Name))
	}
	s.Facts = []Theorem{assume(logic.Lt(s.Dst, s.field.m)), assume(logic.Cong(l, r, s.field.m))}
}

// congruence is what an operation ensures besides a range: l ≡ r (mod m).
func (s *Step) congruence() (l, r Term, ok bool) {
	d := s.Dst
	var x, y Term
	if len(s.Src) > 0 {
		x, y = s.Src[0], s.Src[len(s.Src)-1]
	}
	R := s.field.r
	switch s.Op.Name {
	case "":
		return s.l, s.r, true
	case "Mul", "Sqr":
		return logic.Mul(R, d), logic.Mul(x, y), true
	case "Add":
		return d, logic.Add(x, y), true
	case "Sub":
		return d, logic.Sub(x, y), true
	case "Neg":
		return d, logic.Neg(x), true
	case "Half":
		return logic.Mul(logic.N(2), d), x, true
	case "ToMont":
		return d, logic.Mul(R, x), true
	case "FromMont":
		return logic.Mul(R, d), x, true
	}
	return l, r, false
}

// moved proves LE(dst') = ite(cond = 0, LE(dst), LE(src)) from the equations of the words.
func (tr *Trace) moved(op impl.Op, before, after machine.View, n int) Theorem {
	cond := logic.Eq(before.Mem(op.Src[1].Region, op.Src[1].Off, 8), zero64())
	old, x, d := LE(before, op.Dst, n), LE(before, op.Src[0], n), LE(after, op.Dst, n)
	goal := logic.Eq(d, logic.Ite(cond, old, x))
	var eqs []kernel.Equation
	word := func(v machine.View, p impl.Ptr, i int) Term { return v.Mem(p.Region, p.Off+8*i, 8) }
	for i := range n {
		w := word(after, op.Dst, i)
		ite := logic.Ite(cond, word(before, op.Dst, i), word(before, op.Src[0], i))
		if w != ite {
			eqs = append(eqs, auto.Rewritten(assume(logic.Eq(w, ite)), w, ite))
		}
	}
	all := auto.Must(kernel.RewriteTerm(goal, eqs...)) // goal = goal with the words replaced
	goal2 := goal
	for _, e := range eqs {
		goal2 = logic.Replace(goal2, map[Term]Term{e.From: e.To})
	}
	side := func(c Term, value Term) Theorem {
		return taut(goal2, rewritten(goal2, auto.Rewritten(assume(c), cond, value)))
	}
	if goal2 == logic.True() || cond.IsClosed() {
		return auto.Must(kernel.Taut(goal, all))
	}
	th := auto.Cases(goal2, cond, side(cond, logic.True()), side(logic.Not(cond), logic.False()))
	return auto.Must(kernel.Taut(goal, all, th))
}

func assume(t Term) Theorem { return auto.Must(kernel.Assume(t)) }

// lin is the equation or congruence th: l = r, taken by times.
func lin(th Theorem, l, r, by Term) auto.Lin { return auto.Lin{Th: th, L: l, R: r, By: by} }

// taut is kernel.Taut.
func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

// implied is ⊢ p ⇒ q for a theorem q.
func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

// rewritten is t = t′, where the equations are used.
func rewritten(t Term, eqs ...kernel.Equation) Theorem {
	return auto.Must(kernel.RewriteTerm(t, eqs...))
}

// Close puts the values of the run into a theorem over variables. Its hypotheses are then facts of the run, if they
// were Facts of steps, or facts with variables in place of values. Hypotheses 0 ≤ x for an element x, which hold of
// every number made of words, are proved.
func (tr *Trace) Close(th Theorem) Theorem {
	r := auto.Must(kernel.Inst(th, tr.sigma))
	for _, h := range th.Hyps() {
		if h.Op() == logic.OpGe0 && tr.sigma[h.Arg(0)] != (Term{}) {
			r = Cut(r, tr.Value(h), auto.NonNeg(tr.Value(h.Arg(0)), nil))
		}
	}
	for _, c := range tr.cuts {
		h := tr.Value(c.hyp)
		if slices.Contains(r.Hyps(), h) {
			r = Cut(r, h, c.th)
		}
	}
	return r
}

// Cut replaces the hypothesis h of th by those of a proof of it.
func Cut(th Theorem, h Term, proof Theorem) Theorem {
	return auto.Must(kernel.Taut(th.Concl(), auto.Must(kernel.Discharge(h, th)), proof))
}

// Premise adds what is known of inputs as if it were a first step: d = op(src…), whose facts must be facts.
func (tr *Trace) Premise(f *Field, op string, d Term, src ...Term) {
	s := Step{Op: impl.Op{Field: &impl.Field{Name: f.Name(), M: f.M(), Words: f.Words()}, Name: op}, Dst: d, Src: src}
	s.field = fieldOf(s.Op.Field)
	s.assumeCongruence()
	tr.Steps = append([]Step{s}, tr.Steps...)
}

// definition is d ≡ e (mod m), e a polynomial in the operands: d − e ≡ by·(L − R) for the fact L ≡ R.
func (s *Step) definition() (e Term, fact auto.Lin, ok bool) {
	l, r, ok := s.congruence()
	if !ok {
		return e, fact, false
	}
	by := logic.IntConst(new(big.Int).ModInverse(l.Monomials()[0].Coef, s.field.modulus)) // l is a multiple of d
	return logic.Mul(by, r), lin(s.Facts[1], l, r, by), true
}

// Congruent proves a ≡ b modulo the field's modulus from what the steps ensure: it eliminates the results of the steps,
// the last first, but for the variables to keep, and those of steps that ensure no congruence. What remains must cancel.
func (tr *Trace) Congruent(f *Field, a, b Term, keep ...Term) Theorem {
	m := f.spec.M
	rest := residue(logic.Sub(a, b), m)
	var lins []auto.Lin
	for _, s := range slices.Backward(tr.Steps) {
		d := s.Dst
		if s.Op.Field.M.Cmp(m) != 0 || slices.Contains(keep, d) || d.Op() != logic.OpVar {
			continue
		}
		e, fact, ok := s.definition()
		if !ok {
			continue
		}
		powers := coefficients(rest, d)
		if len(powers) < 2 {
			continue
		}
		// Σ cₖ·dᵏ − Σ cₖ·eᵏ = (d − e)·Σ cₖ·(dᵏ⁻¹ + dᵏ⁻²·e + … + eᵏ⁻¹)
		e = residue(e, m)
		next, q := powers[0], logic.N(0)
		dk, ek, hk := logic.N(1), logic.N(1), logic.N(0) // dᵏ, eᵏ, and the sum
		for _, c := range powers[1:] {
			hk = residue(logic.Add(logic.Mul(hk, d), ek), m)
			dk, ek = logic.Mul(dk, d), residue(logic.Mul(ek, e), m)
			next = logic.Add(next, logic.Mul(c, ek))
			q = logic.Add(q, logic.Mul(c, hk))
		}
		rest = residue(next, m)
		fact.By = residue(logic.Mul(fact.By, q), m)
		lins = append(lins, fact)
	}
	if rest != logic.N(0) {
		panic(fmt.Errorf("%v ≡ %v doesn't follow: %v remains", a, b, rest))
	}
	return auto.Congruent(a, b, f.P(), lins...)
}

// residue is t with its coefficients reduced modulo m.
func residue(t Term, m *big.Int) Term {
	ms := t.Monomials()
	for i := range ms {
		ms[i].Coef.Mod(ms[i].Coef, m)
	}
	return logic.FromMonomials(ms)
}

// coefficients are the coefficients of the powers of the variable d in t.
func coefficients(t, d Term) []Term {
	parts := [][]logic.Monomial{nil}
	for _, m := range t.Monomials() {
		k := 0
		var atoms []Term
		for _, a := range m.Atoms {
			if a == d {
				k++
			} else {
				atoms = append(atoms, a)
			}
		}
		for len(parts) <= k {
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], logic.Monomial{Coef: m.Coef, Atoms: atoms})
	}
	cs := make([]Term, len(parts))
	for i, p := range parts {
		cs[i] = logic.FromMonomials(p)
	}
	return cs
}

// Range proves x < m for the result of a step. Of other variables it takes that for a fact.
func (tr *Trace) Range(f *Field, x Term) Theorem {
	goal := logic.Lt(x, f.P())
	if goal == logic.True() {
		return auto.True()
	}
	for _, s := range tr.Steps {
		switch {
		case s.Dst != x:
		case s.Facts[0].Concl() == goal:
			return s.Facts[0]
		case s.Op.Name == "CMov":
			return tr.rangeOfMove(f, s, goal)
		case s.Op.Name == "ToBytes":
			return f.below(x, s.Src[0], s.Facts[0], tr.Range(f, s.Src[0]))
		case s.Op.Name == "FromBytes":
			y, zero, valid := s.Src[0], logic.N(0), logic.Lt(s.Src[0], f.P())
			in := auto.Must(kernel.Taut(logic.Eq(x, y), s.Facts[0], assume(valid)))
			out := auto.Must(kernel.Taut(logic.Eq(x, zero), s.Facts[1], assume(logic.Not(valid))))
			return auto.Cases(goal, valid, f.below(x, y, in, assume(valid)), f.below(x, zero, out, auto.True()))
		}
	}
	return assume(goal)
}

// below proves x < m from x = y and y < m.
func (f *Field) below(x, y Term, eq, lt Theorem) Theorem {
	top := logic.Sub(f.P(), logic.N(1))
	return auto.NonNeg(logic.Sub(top, x), []Theorem{lt}, auto.Lin{Th: eq, L: x, R: y, By: logic.N(-1)})
}

func (tr *Trace) rangeOfMove(f *Field, s Step, goal Term) Theorem {
	cond := logic.Eq(s.Src[1], zero64())
	ite := logic.Ite(cond, s.Old, s.Src[0])
	goal2 := logic.Lt(ite, f.P())
	eq := auto.Must(kernel.RewriteTerm(goal, auto.Rewritten(s.Facts[0], s.Dst, ite)))
	side := func(c, value, y Term) Theorem {
		th := auto.Must(kernel.RewriteTerm(goal2, auto.Rewritten(assume(c), cond, value)))
		return auto.Must(kernel.Taut(goal2, th, tr.Range(f, y)))
	}
	th := auto.Cases(goal2, cond, side(cond, logic.True(), s.Old), side(logic.Not(cond), logic.False(), s.Src[0]))
	return auto.Must(kernel.Taut(goal, eq, th))
}

// Known proves the goal if it is a fact, or a disjunction of the values of a mask: the requirements of field routines.
func Known(g machine.Goal) (Theorem, bool) {
	if slices.Contains(g.Hyps, g.Concl) {
		return assume(g.Concl), true
	}
	// cond = 0 ∨ cond = all ones, where cond is a mask by a fact
	for _, h := range g.Hyps {
		if h.Op() != logic.OpEq {
			continue
		}
		for i := range 2 {
			w, ite := h.Arg(i), h.Arg(1-i)
			if ite.Op() != logic.OpIte || ite.Sort() != logic.BV(64) || ite != maskOf(ite.Arg(0)) || g.Concl != isCondition(w) {
				continue
			}
			th := auto.Must(kernel.RewriteTerm(g.Concl, auto.Rewritten(assume(h), w, ite)))
			r, err := kernel.Taut(g.Concl, th)
			return r, err == nil
		}
	}
	return Theorem{}, false
}

func isCondition(w Term) Term { return logic.Or(logic.Eq(w, zero64()), logic.Eq(w, ones64())) }
