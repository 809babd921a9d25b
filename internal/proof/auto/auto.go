// Package auto is proof automation: integer facts by certificate, and the telescoping of carry chains. It is
// untrusted: whatever it concludes, the kernel has checked. It knows no target and no algorithm.
//
// Functions here panic when they find no proof, with an error that says what was attempted; machine.Verify turns the
// panic of a proof into its failure, and Run does so elsewhere.
package auto

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

type (
	// Term and Theorem are abbreviations for the readers of proofs.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

// ErrProof is wrapped by every error that automation panics with.
var errProof = errors.New("no proof")

func failf(format string, args ...any) {
	panic(fmt.Errorf("%w: "+format, append([]any{errProof}, args...)...))
}

// Must is th; it panics on an error.
func Must(th Theorem, err error) Theorem {
	if err != nil {
		panic(fmt.Errorf("%w: %w", errProof, err))
	}
	return th
}

// Run runs f and returns the error with which it panicked.
func Run(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			if !errors.Is(r, errProof) {
				panic(r)
			}
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

var one = big.NewInt(1)

// Pow2 is 2ᵏ.
func Pow2(k int) *big.Int { return new(big.Int).Lsh(one, uint(k)) }

func neg(x *big.Int) *big.Int { return new(big.Int).Neg(x) }

// Scale is c·t.
func Scale(c *big.Int, t Term) Term { return logic.Mul(logic.IntConst(c), t) }

// True is ⊢ true.
func True() Theorem { return Must(kernel.Taut(logic.True())) }

// Word is the value of little-endian words: Σ 2⁶⁴ʲ·uint(wⱼ).
func Word(ws ...Term) Term {
	ts := make([]Term, len(ws))
	for j, w := range ws {
		ts[j] = Scale(Pow2(64*j), logic.Uint(w))
	}
	return logic.Add(ts...)
}

// ---- equations

// Lin is an equation Th: L = R, multiplied by By.
type Lin struct {
	Th   Theorem
	L, R Term
	By   Term
}

// multiple orients the equation: what the kernel multiplies is ±(L−R), with the sign that logic.Eq gave it.
func (l Lin) multiple() kernel.Multiple {
	m := kernel.Multiple{Fact: l.Th, By: l.By}
	if l.Th.Concl() != logic.True() && l.Th.Concl().Arg(0) != logic.Sub(l.L, l.R) {
		m.By = logic.Neg(m.By)
	}
	return m
}

func multiples(ls []Lin) []kernel.Multiple {
	ms := make([]kernel.Multiple, len(ls))
	for i, l := range ls {
		ms[i] = l.multiple()
	}
	return ms
}

// Equal proves a = b from a − b = Σ By·(L−R).
func Equal(a, b Term, ls ...Lin) Theorem {
	// Eq's goal t = 0 may be given with either sign; its conclusion has the canonical one.
	return Must(kernel.Eq(logic.Sub(a, b), multiples(ls)...))
}

// Congruent proves a ≡ b (mod m), m a positive constant, from facts L = R or L ≡ R (mod m), when all coefficients of
// a − b − Σ By·(L−R) are divisible by m.
func Congruent(a, b, m Term, ls ...Lin) Theorem {
	return Must(kernel.Cong(logic.Sub(a, b), m, Term{}, multiples(ls)...))
}

// CongruentBy proves a ≡ b (mod m), for any m, from facts L = R or L ≡ R (mod m), when a − b = Σ By·(L−R) + m·k.
func CongruentBy(a, b, m, k Term, ls ...Lin) Theorem {
	return Must(kernel.Cong(logic.Sub(a, b), m, k, multiples(ls)...))
}

// Rewritten is the equation th: from = to for rewriting.
func Rewritten(th Theorem, from, to Term) kernel.Equation {
	return kernel.Equation{Th: th, From: from, To: to}
}

// ---- inequalities

// Bounds proves l ≤ t and t ≤ h with the constants l and h that follow from the ranges of t's atoms: uint(x) of a
// bit-vector lies in 0…2ⁿ−1, x mod m and expmod(x, k, m) in 0…m−1. Every atom must be of such a kind.
func Bounds(t Term) (lo, hi Theorem, l, h *big.Int) {
	b := newBounder()
	l, h = new(big.Int), new(big.Int)
	var loParts, hiParts []kernel.Product
	for _, m := range t.Monomials() {
		if len(m.Atoms) == 0 {
			l.Add(l, m.Coef)
			h.Add(h, m.Coef)
			continue
		}
		c := new(big.Int).Abs(m.Coef)
		zero, top, max := b.product(c, m.Atoms)
		if m.Coef.Sign() > 0 {
			loParts, hiParts = append(loParts, zero), append(hiParts, top...)
			h.Add(h, max)
		} else {
			loParts, hiParts = append(loParts, top...), append(hiParts, zero)
			l.Sub(l, max)
		}
	}
	lo = Must(kernel.Le(logic.Sub(t, logic.IntConst(l)), b.facts, loParts))
	hi = Must(kernel.Le(logic.Sub(logic.IntConst(h), t), b.facts, hiParts))
	return lo, hi, l, h
}

// bounder collects range facts of atoms for a certificate.
type bounder struct {
	facts []Theorem
	at    map[Term]int // index of 0 ≤ atom; the next fact is atom ≤ max
	max   map[Term]*big.Int
}

func newBounder() *bounder { return &bounder{at: map[Term]int{}, max: map[Term]*big.Int{}} }

func (b *bounder) atom(a Term) (lower int, max *big.Int) {
	if i, ok := b.at[a]; ok {
		return i, b.max[a]
	}
	var lo, hi Theorem
	var err error
	switch a.Op() {
	case logic.OpUint:
		max = new(big.Int).Sub(Pow2(a.Arg(0).Width()), one)
		lo, hi, err = kernel.UintRange(a.Arg(0))
	case logic.OpMod:
		m, ok := a.Arg(1).Const()
		if !ok || m.Sign() <= 0 {
			failf("no range for %v", a)
		}
		max = new(big.Int).Sub(m, one)
		lo, hi, err = kernel.ModRange(a.Arg(0), a.Arg(1), True())
	case logic.OpExpmod:
		m, ok := a.Arg(2).Const()
		if !ok || m.Sign() <= 0 {
			failf("no range for %v", a)
		}
		max = new(big.Int).Sub(m, one)
		lo, hi, err = kernel.ExpmodRange(a.Arg(0), a.Arg(1), a.Arg(2), True())
	default:
		failf("no range for %v", a)
	}
	if err != nil {
		panic(fmt.Errorf("%w: %w", errProof, err))
	}
	i := len(b.facts)
	b.facts = append(b.facts, lo, hi)
	b.at[a], b.max[a] = i, max
	return i, max
}

// product bounds c·Π atoms, c ≥ 0: zero is the certificate of 0 ≤ it, top that of it ≤ max,
// c·(ΠUᵢ − Πaᵢ) = Σᵢ c·a₁…aᵢ₋₁·(Uᵢ−aᵢ)·Uᵢ₊₁…Uₖ.
func (b *bounder) product(c *big.Int, atoms []Term) (zero kernel.Product, top []kernel.Product, max *big.Int) {
	max = new(big.Int).Set(c)
	us := make([]*big.Int, len(atoms))
	zero = kernel.Product{Coef: c}
	for i, a := range atoms {
		k, u := b.atom(a)
		us[i] = u
		max.Mul(max, u)
		zero.Factors = append(zero.Factors, k)
	}
	for i := range atoms {
		p := kernel.Product{Coef: new(big.Int).Set(c), Factors: slices.Clone(zero.Factors[:i])}
		p.Factors = append(p.Factors, zero.Factors[i]+1)
		for _, u := range us[i+1:] {
			p.Coef.Mul(p.Coef, u)
		}
		top = append(top, p)
	}
	return zero, top, max
}

// NonNeg proves 0 ≤ t: t is a sum of some of the given facts 0 ≤ a, of multiples of equations, and of a rest whose lower
// bound by the ranges of its atoms is ≥ 0. The fewest facts that do are taken.
func NonNeg(t Term, facts []Theorem, eqs ...Lin) Theorem {
	rest := t
	for _, l := range eqs {
		rest = logic.Sub(rest, logic.Mul(l.By, logic.Sub(l.L, l.R)))
	}
	var use []Theorem
	for _, f := range facts {
		if f.Concl().Op() == logic.OpGe0 {
			use = append(use, f)
		}
	}
	if len(use) > 10 {
		failf("too many facts to choose from for 0 ≤ %v", t)
	}
	sets := make([]int, 1<<len(use))
	for i := range sets {
		sets[i] = i
	}
	slices.SortStableFunc(sets, func(a, b int) int { return popcount(a) - popcount(b) })
	for _, set := range sets {
		r := rest
		var chosen []Theorem
		for i, f := range use {
			if set>>i&1 == 1 {
				r = logic.Sub(r, f.Concl().Arg(0))
				chosen = append(chosen, f)
			}
		}
		if min, ok := lower(r); !ok || min.Sign() < 0 {
			continue
		}
		b := newBounder()
		b.facts = chosen
		var ps []kernel.Product
		for i := range chosen {
			ps = append(ps, kernel.Product{Coef: one, Factors: []int{i}})
		}
		c := new(big.Int)
		for _, m := range r.Monomials() {
			if len(m.Atoms) == 0 {
				c.Add(c, m.Coef)
				continue
			}
			zero, top, max := b.product(new(big.Int).Abs(m.Coef), m.Atoms)
			if m.Coef.Sign() > 0 {
				ps = append(ps, zero)
			} else {
				ps = append(ps, top...)
				c.Sub(c, max)
			}
		}
		ps = append(ps, kernel.Product{Coef: c})
		return Must(kernel.Le(t, b.facts, ps, multiples(eqs)...))
	}
	failf("0 ≤ %v doesn't follow from %d facts and the ranges of %v", t, len(use), rest)
	return Theorem{}
}

// NonNegBy proves 0 ≤ t from t = Σ products of facts + Σ By·(L−R) (kernel.Le).
func NonNegBy(t Term, facts []Theorem, products []kernel.Product, eqs ...Lin) Theorem {
	return Must(kernel.Le(t, facts, products, multiples(eqs)...))
}

func popcount(x int) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// lower is the lower bound that Bounds would prove; false if some atom has no range.
func lower(t Term) (*big.Int, bool) {
	l := new(big.Int)
	for _, m := range t.Monomials() {
		c := new(big.Int).Set(m.Coef)
		for _, a := range m.Atoms {
			switch {
			case a.Op() == logic.OpUint:
				c.Mul(c, new(big.Int).Sub(Pow2(a.Arg(0).Width()), one))
			case a.Op() == logic.OpMod || a.Op() == logic.OpExpmod:
				k, ok := a.Arg(a.NumArgs() - 1).Const()
				if !ok || k.Sign() <= 0 {
					return nil, false
				}
				c.Mul(c, new(big.Int).Sub(k, one))
			default:
				return nil, false
			}
		}
		if len(m.Atoms) == 0 || c.Sign() < 0 {
			l.Add(l, c)
		}
	}
	return l, true
}

// Cut is Gomory's rule: from 0 ≤ c·p + d, c > 0: 0 ≤ p + ⌊d/c⌋. It is derived: the negation 0 ≤ −p − ⌊d/c⌋ − 1, c times,
// plus the premise is a negative constant.
func Cut(th Theorem, c *big.Int, p Term) Theorem {
	d, ok := logic.Sub(th.Concl().Arg(0), Scale(c, p)).Const()
	if !ok || c.Sign() <= 0 {
		failf("%v is not 0 ≤ %v·(%v) + constant", th.Concl(), c, p)
	}
	q := new(big.Int).Div(d, c)
	goal := logic.Ge0(logic.Add(p, logic.IntConst(q)))
	if goal == th.Concl() {
		return th
	}
	no := logic.Not(goal)
	slack := new(big.Int).Sub(new(big.Int).Mul(c, q), d) // c·(−p−q−1) + c·p + d = d − c·q − c, in −c…−1
	slack.Add(slack, c).Sub(slack, one)
	f := Must(kernel.Le(logic.N(-1), []Theorem{Must(kernel.Assume(no)), th},
		[]kernel.Product{{Coef: c, Factors: []int{0}}, {Coef: one, Factors: []int{1}}, {Coef: slack}}))
	return Must(kernel.Taut(goal, Must(kernel.Discharge(no, f))))
}

// Absorb proves x = y and k = 0 from eq: x = y + 2ⁿ·k, given lo and hi facts that 0 ≤ x ≤ 2ⁿ−1 and 0 ≤ y ≤ 2ⁿ−1, which
// are found as in NonNeg among the given facts.
func Absorb(x, y, k Term, n int, eq Theorem, facts ...Theorem) (equal, zero Theorem) {
	w, top := Pow2(n), new(big.Int).Sub(Pow2(n), one)
	l := func(by int64) Lin { return Lin{eq, x, logic.Add(y, Scale(w, k)), logic.N(by)} }
	x0, x1 := NonNeg(x, facts), NonNeg(logic.Sub(logic.IntConst(top), x), facts)
	y0, y1 := NonNeg(y, facts), NonNeg(logic.Sub(logic.IntConst(top), y), facts)
	sum := func(t Term, a, b Theorem, e Lin) Theorem { // 0 ≤ t = a + b + e
		var fs []Theorem
		var ps []kernel.Product
		for _, f := range []Theorem{a, b} {
			if f.Concl() == logic.True() {
				continue
			}
			ps = append(ps, kernel.Product{Coef: one, Factors: []int{len(fs)}})
			fs = append(fs, f)
		}
		rest := logic.Sub(t, logic.Mul(e.By, logic.Sub(e.L, e.R)))
		for _, f := range fs {
			rest = logic.Sub(rest, f.Concl().Arg(0))
		}
		if c, ok := rest.Const(); ok && c.Sign() >= 0 {
			ps = append(ps, kernel.Product{Coef: c})
		}
		return Must(kernel.Le(t, fs, ps, e.multiple()))
	}
	// top + 2ⁿ·k = (top − y) + x, since 2ⁿ·k = x − y; and top − 2ⁿ·k = (top − x) + y
	up := sum(logic.Add(logic.IntConst(top), Scale(w, k)), y1, x0, l(-1))
	down := sum(logic.Sub(logic.IntConst(top), Scale(w, k)), x1, y0, l(1))
	ge, le := Cut(up, w, k), Cut(down, w, logic.Neg(k))
	zero = Must(kernel.Antisym(k, ge, le))
	equal = Equal(x, y, l(1), Lin{zero, k, logic.N(0), logic.IntConst(w)})
	return equal, zero
}

// ---- truth values

// Cases proves q from proofs of it under c and under ¬c.
func Cases(q, c Term, yes, no Theorem) Theorem {
	return Must(kernel.Taut(q, Must(kernel.Discharge(c, yes)), Must(kernel.Discharge(logic.Not(c), no))))
}

// Range is ⊢ 0 ≤ uint(x) and ⊢ uint(x) ≤ 2ⁿ−1.
func Range(x Term) (lo, hi Theorem) {
	lo, hi, err := kernel.UintRange(x)
	if err != nil {
		panic(fmt.Errorf("%w: %w", errProof, err))
	}
	return lo, hi
}
