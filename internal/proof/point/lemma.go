package point

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

type (
	// Term and Theorem are abbreviations.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

type subst = map[Term]Term

func fail(format string, args ...any) {
	auto.Must(Theorem{}, fmt.Errorf("proof/point: "+format, args...))
}

func assume(p Term) Theorem { return auto.Must(kernel.Assume(p)) }

func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

// implied is p ⇒ the conclusion of th, without the hypothesis p.
func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

// Use replaces those hypotheses of th that are conclusions of the facts by the facts' hypotheses.
func Use(th Theorem, facts ...Theorem) Theorem {
	goal := th.Concl()
	for _, f := range facts {
		if slices.Contains(th.Hyps(), f.Concl()) {
			th = taut(goal, implied(f.Concl(), th), f)
		}
	}
	return th
}

// ---- equations

// eq is a theorem th: l = r.
type eq struct {
	th   Theorem
	l, r Term
}

func (e eq) sym() eq { return eq{e.th, e.r, e.l} }

// hole stands for the terms that Leibniz' rule exchanges.
func hole(s logic.Sort) Term { return logic.Var("point.hole", s) }

// then is e.l = f.r, from e and f: e.r = f.r.
func (e eq) then(f eq) eq {
	if f.l != e.r {
		fail("%v = %v, but %v = %v", e.l, e.r, f.l, f.r)
	}
	h := hole(e.r.Sort())
	switch {
	case f.l == f.r:
		return e
	case e.l == e.r:
		return f
	}
	return eq{auto.Must(kernel.Leibniz(f.th, e.r, f.r, e.th, logic.Eq(e.l, h), h)), e.l, f.r}
}

// inside is t = t with l replaced by r for each of the equations.
func inside(t Term, es ...eq) eq {
	m, eqs := subst{}, make([]kernel.Equation, len(es))
	for i, e := range es {
		eqs[i] = auto.Rewritten(e.th, e.l, e.r)
		m[e.l] = e.r
	}
	return eq{auto.Must(kernel.RewriteTerm(t, eqs...)), t, logic.Replace(t, m)}
}

// truth is a fact as an equation: what it says is true, or what it denies false.
func truth(th Theorem) eq {
	if c := th.Concl(); c.Op() == logic.OpNot {
		return eq{th, c.Arg(0), logic.False()}
	}
	return eq{th, th.Concl(), logic.True()}
}

// unfold is t = its body, simplified by facts.
func unfold(t Term, facts ...Theorem) eq {
	body := logic.Unfold(t)
	es := make([]eq, len(facts))
	for i, f := range facts {
		es[i] = truth(f)
	}
	return eq{auto.Must(kernel.Unfold(t)), t, body}.then(inside(body, es...))
}

// ---- congruences modulo p

// lin is the congruence l ≡ r of a theorem, times by.
func lin(th Theorem, l, r, by Term) auto.Lin { return auto.Lin{Th: th, L: l, R: r, By: by} }

// by is l times t.
func by(l auto.Lin, t Term) auto.Lin {
	l.By = t
	return l
}

// cong says l ≡ r (mod p), isZero t ≡ 0, isUnit the contrary.
func (f *Formulas) cong(l, r Term) Term { return logic.Cong(l, r, f.p) }

func (f *Formulas) isZero(t Term) Term { return f.cong(t, zero) }

func (f *Formulas) isUnit(t Term) Term { return logic.Not(f.isZero(t)) }

// given assumes l ≡ r. An l that is an atom can be eliminated.
func (f *Formulas) given(l, r Term) auto.Lin { return lin(assume(f.cong(l, r)), l, r, one) }

// follows proves l ≡ r: it subtracts the congruences ls, each times its By, and then eliminates the left sides of defs,
// which are atoms, one after the other. Nothing may be left modulo p.
func (f *Formulas) follows(l, r Term, ls []auto.Lin, defs ...auto.Lin) auto.Lin {
	rest := logic.Sub(l, r)
	all := slices.Clone(ls)
	for _, e := range ls {
		rest = logic.Sub(rest, logic.Mul(e.By, logic.Sub(e.L, e.R)))
	}
	for _, d := range defs {
		// Σ cₖvᵏ − Σ cₖrᵏ = (v − r)·Σₖ cₖ·Σ_{i<k} vⁱrᵏ⁻¹⁻ⁱ
		var next, q []Term
		for k, c := range coefficients(rest, d.L) {
			next = append(next, logic.Mul(c, power(d.R, k)))
			for i := range k {
				q = append(q, logic.Mul(c, power(d.L, i), power(d.R, k-1-i)))
			}
		}
		rest = f.reduced(logic.Add(next...))
		all = append(all, by(d, f.reduced(logic.Add(q...))))
	}
	return lin(auto.Congruent(l, r, f.p, all...), l, r, one)
}

// reduced has the coefficients of t modulo p.
func (f *Formulas) reduced(t Term) Term {
	ms := t.Monomials()
	for i := range ms {
		ms[i].Coef = new(big.Int).Mod(ms[i].Coef, f.n)
	}
	return logic.FromMonomials(ms)
}

// coefficients lists those of the powers of v in t.
func coefficients(t, v Term) []Term {
	var parts [][]logic.Monomial
	for _, m := range t.Monomials() {
		d := 0
		var rest []Term
		for _, a := range m.Atoms {
			if a == v {
				d++
			} else {
				rest = append(rest, a)
			}
		}
		for len(parts) <= d {
			parts = append(parts, nil)
		}
		parts[d] = append(parts[d], logic.Monomial{Coef: m.Coef, Atoms: rest})
	}
	cs := make([]Term, len(parts))
	for i, p := range parts {
		cs[i] = logic.FromMonomials(p)
	}
	return cs
}

func power(t Term, k int) Term { return logic.Mul(slices.Repeat([]Term{t}, k)...) }

// modulo is t mod p ≡ t.
func (f *Formulas) modulo(t Term) auto.Lin {
	r := logic.Mod(t, f.p)
	split := lin(auto.Must(kernel.DivMod(t, f.p)), t, logic.Add(logic.Mul(f.p, logic.Div(t, f.p)), r), logic.N(-1))
	return lin(auto.Congruent(r, t, f.p, split), r, t, one)
}

// modRange is 0 ≤ t mod p and t mod p < p.
func (f *Formulas) modRange(t Term) []Theorem {
	lo, hi, err := kernel.ModRange(t, f.p, auto.True())
	return []Theorem{auto.Must(lo, err), hi}
}

// inverse is z·Inv(z) ≡ 1, under z ≢ 0.
func (f *Formulas) inverse(z Term) auto.Lin {
	l := logic.Mul(z, weierstrass.Inv(f.p, z))
	return lin(taut(f.cong(l, one), number.Inverse(f.p, z), assume(f.isUnit(z))), l, one, one)
}

// unit is x₁·x₂·… ≢ 0, under xᵢ ≢ 0.
func (f *Formulas) unit(x Term, ys ...Term) Theorem {
	th := assume(f.isUnit(x))
	for _, y := range ys {
		xy := logic.Mul(x, y)
		e := number.Euclid(f.p, x, y)
		th = taut(f.isUnit(xy), implied(f.isZero(xy), e), th, assume(f.isUnit(y)))
		x = xy
	}
	return th
}

// carry is l ≢ 0 from l ≡ r and r ≢ 0.
func (f *Formulas) carry(e auto.Lin, r Theorem) Theorem {
	no := f.isZero(e.L)
	th := f.follows(e.R, zero, []auto.Lin{by(e, logic.N(-1)), lin(assume(no), e.L, zero, one)})
	return taut(logic.Not(no), implied(no, th.Th), r)
}

// ---- lemmas

// A lemma is a theorem that is proved when it is needed, and again when the terms of the first proof were dropped with
// their generation.
type lemma struct {
	mu sync.Mutex
	th Theorem
}

func (l *lemma) get(prove func() Theorem) Theorem {
	l.mu.Lock()
	defer l.mu.Unlock()
	stale := l.th.IsZero() || l.th.Concl().Err() != nil
	for _, h := range l.th.Hyps() {
		stale = stale || h.Err() != nil
	}
	if stale {
		l.th = prove()
	}
	return l.th
}

// at is an instance of the lemma of that name.
func (f *Formulas) at(name string, prove func() Theorem, s subst) Theorem {
	f.mu.Lock()
	l := f.lemmas[name]
	if l == nil {
		l = &lemma{}
		f.lemmas[name] = l
	}
	f.mu.Unlock()
	return auto.Must(kernel.Inst(l.get(prove), s))
}
