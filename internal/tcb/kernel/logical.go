package kernel

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/logic"
)

// Assume: p ⊢ p.
//
// Sound: an assignment that makes p true makes p true.
func Assume(p logic.Term) (Theorem, error) {
	var hyps []logic.Term
	if p != logic.True() {
		hyps = []logic.Term{p}
	}
	if p.Sort() != logic.Bool() {
		return fail("Assume", "%v is a %v", p, p.Sort())
	}
	return newTheorem("Assume", p, hyps, 0)
}

// Discharge: from Γ ⊢ q: Γ∖{p} ⊢ p ⇒ q.
//
// Sound: where Γ∖{p} is true, either p is false, or Γ is true and with it q.
func Discharge(p logic.Term, th Theorem) (Theorem, error) {
	if th.t == nil {
		return fail("Discharge", "%w", errZero)
	}
	return newTheorem("Discharge", logic.Imp(p, th.t.concl), without(th.t.hyps, p), th.t.axioms)
}

// tautAtoms bounds the truth table of Taut.
const tautAtoms = 12

// Taut: from Γᵢ ⊢ pᵢ: ∪Γᵢ ⊢ q, if ∧pᵢ ⇒ q is true for all truth values of its atoms, at most 12.
//
// The connectives are not, and, = and if-then-else on Bool; everything else is an atom, and 0 ≤ p and 0 ≤ −p−1 are one
// atom and its negation. Conjuncts of q that are conjuncts of the premises need no atoms; if all are, the premises don't
// either.
//
// Sound: an assignment of values gives each atom a truth value, and the connectives mean what the table says.
func Taut(q logic.Term, ps ...Theorem) (Theorem, error) {
	if q.Sort() != logic.Bool() {
		return fail("Taut", "%v is a %v", q, q.Sort())
	}
	known := map[logic.Term]bool{}
	var premises []logic.Term
	for _, p := range ps {
		if p.t == nil {
			return fail("Taut", "%w", errZero)
		}
		premises = append(premises, p.t.concl)
		for _, c := range conjuncts(p.t.concl) {
			known[c] = true
		}
	}
	var goals []logic.Term
	for _, g := range conjuncts(q) {
		if !known[g] {
			goals = append(goals, g)
		}
	}
	if len(goals) > 0 {
		tb := tables{atoms: map[logic.Term]int{}, of: map[logic.Term]*truth{}}
		var holds truth // where all premises are true
		for i := range holds {
			holds[i] = ^uint64(0)
		}
		for _, p := range premises {
			for i, w := range tb.table(p) {
				holds[i] &= w
			}
		}
		for _, g := range goals {
			tb.table(g)
		}
		if len(tb.atoms) > tautAtoms {
			return fail("Taut", "%d atoms, more than %d", len(tb.atoms), tautAtoms)
		}
		for _, g := range goals {
			for i, w := range tb.table(g) {
				if holds[i]&^w != 0 {
					return fail("Taut", "%v doesn't follow from %v", g, premises)
				}
			}
		}
	}
	return conclude("Taut", q, ps...)
}

func conjuncts(p logic.Term) []logic.Term {
	if p.Op() == logic.OpAnd {
		return p.Args()
	}
	return []logic.Term{p}
}

// truth is a truth table: bit m is the value of a term where each atom i has the value of bit i of m.
type truth [1 << tautAtoms / 64]uint64

// tables makes the truth table of each term once, in one pass with the numbering of the atoms, so that a term reads
// the same wherever it occurs. Beyond tautAtoms atoms the tables are meaningless.
type tables struct {
	atoms map[logic.Term]int
	of    map[logic.Term]*truth
}

// atom normalises 0 ≤ p and 0 ≤ −p−1 to one of them. (A stale 0 ≤ p has no valid negation and becomes the negation of
// an atom that nothing else is.)
func atom(t logic.Term) (a logic.Term, negated bool) {
	if t.Op() == logic.OpGe0 {
		if n := logic.Not(t); logic.Compare(n, t) < 0 {
			return n, true
		}
	}
	return t, false
}

func isConnective(t logic.Term) bool {
	switch t.Op() {
	case logic.OpNot, logic.OpAnd:
		return true
	case logic.OpEq, logic.OpIte:
		return t.Arg(1).Sort() == logic.Bool()
	case logic.OpConst:
		return true
	}
	return false
}

func (tb *tables) table(t logic.Term) *truth {
	if r, ok := tb.of[t]; ok {
		return r
	}
	r := new(truth)
	tb.of[t] = r
	if !isConnective(t) {
		a, negated := atom(t)
		i, ok := tb.atoms[a]
		if !ok {
			i = len(tb.atoms)
			tb.atoms[a] = i
		}
		r.setAtom(i, negated)
		return r
	}
	var args []*truth
	for _, a := range t.Args() {
		args = append(args, tb.table(a))
	}
	c, _ := t.Const() // by value: true may have a stale twin
	for i := range r {
		switch t.Op() {
		case logic.OpNot:
			r[i] = ^args[0][i]
		case logic.OpAnd:
			r[i] = ^uint64(0)
			for _, a := range args {
				r[i] &= a[i]
			}
		case logic.OpEq:
			r[i] = ^(args[0][i] ^ args[1][i])
		case logic.OpIte:
			r[i] = args[0][i]&args[1][i] | ^args[0][i]&args[2][i]
		case logic.OpConst:
			if c.Sign() != 0 {
				r[i] = ^uint64(0)
			}
		}
	}
	return r
}

// setAtom makes r the table of atom i or of its negation.
func (r *truth) setAtom(i int, negated bool) {
	for w := range r {
		switch {
		case i < 6: // bit i of the bit's number within the word
			r[w] = [...]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}[i]
		case w>>(i-6)&1 == 1:
			r[w] = ^uint64(0)
		}
		if negated {
			r[w] = ^r[w]
		}
	}
}

// Inst: from Γ ⊢ φ: Γσ ⊢ φσ, σ a simultaneous substitution of terms for variables of the same sort.
//
// Sound: an assignment α that makes Γσ true, changed to give each x the value of xσ under α, makes Γ and hence φ true;
// there are no binders, and constructors preserve meaning.
func Inst(th Theorem, sigma map[logic.Term]logic.Term) (Theorem, error) {
	ths, err := InstAll([]Theorem{th}, sigma)
	if err != nil {
		return Theorem{}, err
	}
	return ths[0], nil
}

// InstAll is Inst on several theorems, with one memo for all.
func InstAll(ths []Theorem, sigma map[logic.Term]logic.Term) ([]Theorem, error) {
	s := logic.NewSubst(sigma)
	out := make([]Theorem, len(ths))
	for i, th := range ths {
		if th.t == nil {
			return nil, fmt.Errorf("kernel: Inst: %w", errZero)
		}
		hyps := make([]logic.Term, len(th.t.hyps))
		for j, h := range th.t.hyps {
			hyps[j] = s.Apply(h)
			if err := hyps[j].Err(); err != nil {
				return nil, fmt.Errorf("kernel: Inst: %w", err)
			}
		}
		r, err := newTheorem("Inst", s.Apply(th.t.concl), ordered(hyps), th.t.axioms)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// Leibniz: from Γ ⊢ a = b (either way round) and Δ ⊢ P[v:=a]: Γ∪Δ ⊢ P[v:=b].
//
// Sound: where a and b have the same value, so have P[v:=a] and P[v:=b].
func Leibniz(eq Theorem, a, b logic.Term, th Theorem, p, v logic.Term) (Theorem, error) {
	if eq.t == nil || th.t == nil {
		return fail("Leibniz", "%w", errZero)
	}
	if eq.t.concl != logic.Eq(a, b) {
		return fail("Leibniz", "%v is not %v = %v", eq.t.concl, a, b)
	}
	if pa := logic.Subst(p, map[logic.Term]logic.Term{v: a}); pa != th.t.concl {
		return fail("Leibniz", "the context gives %v, the theorem says %v", pa, th.t.concl)
	}
	return conclude("Leibniz", logic.Subst(p, map[logic.Term]logic.Term{v: b}), eq, th)
}

// Equation is a theorem Γ ⊢ From = To, to be used from left to right. A fact Γ ⊢ q is From q, To true; Γ ⊢ ¬q is
// From q, To false.
type Equation struct {
	Th       Theorem
	From, To logic.Term
}

func replacements(rule string, eqs []Equation) (map[logic.Term]logic.Term, []Theorem, error) {
	m := map[logic.Term]logic.Term{}
	var ths []Theorem
	for i, e := range eqs {
		if e.Th.t == nil {
			return nil, nil, fmt.Errorf("kernel: %s: equation %d: %w", rule, i, errZero)
		}
		if c := logic.Eq(e.From, e.To); e.Th.t.concl != c {
			return nil, nil, fmt.Errorf("kernel: %s: equation %d: the theorem says %v, not %v", rule, i, e.Th.t.concl, c)
		}
		m[e.From] = e.To
		ths = append(ths, e.Th)
	}
	return m, ths, nil
}

// Rewrite: from equations Γᵢ ⊢ lᵢ = rᵢ and Δ ⊢ P: ∪Γᵢ∪Δ ⊢ P′, P′ being P with the outermost occurrences of each lᵢ
// replaced by rᵢ, through the constructors. (Atoms of sums occur in them; partial sums don't.)
//
// Sound: derivable from Leibniz; under the hypotheses each replaced subterm has the value of its replacement.
func Rewrite(th Theorem, eqs ...Equation) (Theorem, error) {
	if th.t == nil {
		return fail("Rewrite", "%w", errZero)
	}
	m, ths, err := replacements("Rewrite", eqs)
	if err != nil {
		return Theorem{}, err
	}
	return conclude("Rewrite", logic.Replace(th.t.concl, m), append(ths, th)...)
}

// RewriteTerm: from equations Γᵢ ⊢ lᵢ = rᵢ: ∪Γᵢ ⊢ t = t′, t′ as in Rewrite.
//
// Sound: as for Rewrite; it is Rewrite of the right side of t = t.
func RewriteTerm(t logic.Term, eqs ...Equation) (Theorem, error) {
	m, ths, err := replacements("RewriteTerm", eqs)
	if err != nil {
		return Theorem{}, err
	}
	return conclude("RewriteTerm", logic.Eq(t, logic.Replace(t, m)), ths...)
}

// Unfold: ⊢ f(ts) = the body of f with the arguments put in; for a recursive f, with n its first argument,
// ⊢ f(n, ts) = ite(n ≤ 0, base, step[n := n−1, rec := f(n−1, ts)]).
//
// Sound: this is how Eval computes f. For n ≤ 0 it is the base, for n ≥ 1 the step at n−1 and f(n−1, ts), for any Int
// term n.
func Unfold(t logic.Term) (Theorem, error) {
	if t.Op() != logic.OpApp {
		return fail("Unfold", "%v is no application", t)
	}
	return conclude("Unfold", logic.Eq(t, logic.Unfold(t)))
}

// TupleEta: ⊢ t = (t.0, …), for a tuple t.
//
// Sound: a tuple is what its components are.
func TupleEta(t logic.Term) (Theorem, error) {
	n := len(t.Sort().Elems())
	if n == 0 {
		return fail("TupleEta", "%v is a %v", t, t.Sort())
	}
	parts := make([]logic.Term, n)
	for i := range parts {
		parts[i] = logic.Proj(i, t)
	}
	return conclude("TupleEta", logic.Eq(t, logic.MkTuple(parts...)))
}

// computeBudget is the number of evaluation steps that Compute allows.
const computeBudget = 1 << 24

// Compute: ⊢ t = v, for a closed term t with the value v. (For a Bool t that is t or ¬t.)
//
// Sound: Eval gives the meaning of t, under every assignment the same.
func Compute(t logic.Term) (Theorem, error) {
	if err := t.Err(); err != nil {
		return fail("Compute", "%w", err)
	}
	if !t.IsClosed() {
		return fail("Compute", "%v has variables", t)
	}
	v, err := logic.Eval(t, nil, computeBudget)
	if err != nil {
		return fail("Compute", "%w", err)
	}
	return conclude("Compute", logic.Eq(t, constant(t.Sort(), v)))
}

func constant(s logic.Sort, v logic.Value) logic.Term {
	switch s.Kind() {
	case logic.KindBool:
		return logic.BoolConst(v.Bool())
	case logic.KindInt:
		return logic.IntConst(v.Big())
	case logic.KindBV:
		return logic.BVConst(s.Width(), v.Big())
	}
	var ts []logic.Term
	for i, e := range v.Elems() {
		ts = append(ts, constant(s.Elems()[i], e))
	}
	return logic.MkTuple(ts...)
}

// Induct: from Γ ⊢ P[n:=0] and Δ ⊢ P[n:=n+1]: Γ∪Δ′ ⊢ 0 ≤ n ⇒ P, where Δ′ is Δ without 0 ≤ n, without P, and without
// the instances Pσ for the listed substitutions σ. No σ moves n, and no variable that is n or moved by some σ is free
// in Γ∪Δ′.
//
// Sound: fix an assignment that makes Γ∪Δ′ true. By induction on k ≥ 0: P is true when n is k and the variables moved
// by the σ have any values, because Γ∪Δ′ doesn't mention those variables. At k+1 the step's hypotheses are true at
// n = k: 0 ≤ n, and P and each Pσ by the induction hypothesis, Pσ being P at n = k and other values of moved variables.
func Induct(n, p logic.Term, base, step Theorem, insts ...map[logic.Term]logic.Term) (Theorem, error) {
	if base.t == nil || step.t == nil {
		return fail("Induct", "%w", errZero)
	}
	if n.Op() != logic.OpVar || n.Sort() != logic.Int() {
		return fail("Induct", "%v is no Int variable", n)
	}
	at := func(x logic.Term) logic.Term { return logic.Subst(p, map[logic.Term]logic.Term{n: x}) }
	if base.t.concl != at(logic.N(0)) {
		return fail("Induct", "the base says %v, not %v", base.t.concl, at(logic.N(0)))
	}
	if next := at(logic.Add(n, logic.N(1))); step.t.concl != next {
		return fail("Induct", "the step says %v, not %v", step.t.concl, next)
	}
	hyps := without(without(step.t.hyps, logic.Ge0(n)), p)
	moved := map[logic.Term]bool{n: true}
	for _, s := range insts {
		inst := logic.Subst(p, s)
		if err := inst.Err(); err != nil {
			return fail("Induct", "instance: %w", err)
		}
		for v := range s {
			if v == n {
				return fail("Induct", "an instance moves %v", n)
			}
			moved[v] = true
		}
		hyps = without(hyps, inst)
	}
	hyps = union(hyps, base.t.hyps)
	for _, h := range hyps {
		for _, v := range logic.FreeVars(h) {
			if moved[v] {
				return fail("Induct", "%v is free in the hypothesis %v", v, h)
			}
		}
	}
	return newTheorem("Induct", logic.Imp(logic.Ge0(n), p), hyps, base.t.axioms|step.t.axioms)
}

var one = big.NewInt(1)
