package multiple

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

type subst = map[Term]Term

var (
	zero, one = logic.N(0), logic.N(1)
	unit      = big.NewInt(1)

	// Holes of contexts.
	holeInt   = logic.Var("multiple.hole", logic.Int())
	holePoint = logic.Var("multiple.hole", weierstrass.PointSort())
	holeState = logic.Var("multiple.hole", logic.TupleOf(weierstrass.PointSort(), weierstrass.PointSort(), logic.Int()))
)

func integer(name string) Term { return logic.Var("multiple."+name, logic.Int()) }

func point(name string) Term { return logic.Var("multiple."+name, weierstrass.PointSort()) }

func fail(format string, args ...any) {
	auto.Must(Theorem{}, fmt.Errorf("proof/multiple: "+format, args...))
}

func assume(p Term) Theorem { return auto.Must(kernel.Assume(p)) }

func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

// implied is p ⇒ the conclusion of th, without the hypothesis p.
func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

func instance(th Theorem, s subst) Theorem { return auto.Must(kernel.Inst(th, s)) }

func compute(t Term) Theorem { return auto.Must(kernel.Compute(t)) }

// use replaces those hypotheses of th that are conclusions of the facts by the facts' hypotheses.
func use(th Theorem, facts ...Theorem) Theorem { return number.Use(th, facts...) }

// absurd is any q, from a proof of false.
func absurd(q Term, th Theorem) Theorem { return taut(q, th) }

// induct proves 0 ≤ n ⊢ p by induction on n, from p at 0 and at n+1; the latter may have the hypotheses 0 ≤ n and p.
func induct(n, p Term, base, step Theorem) Theorem {
	return taut(p, auto.Must(kernel.Induct(n, p, base, step)), assume(logic.Ge0(n)))
}

// lin is the equation or congruence l = r of a theorem, times by.
func lin(th Theorem, l, r, by Term) auto.Lin { return auto.Lin{Th: th, L: l, R: r, By: by} }

// nonneg proves 0 ≤ t, t a sum of equations, of some of the facts 0 ≤ a and of a constant.
func nonneg(t Term, facts []Theorem, eqs ...auto.Lin) Theorem { return auto.NonNeg(t, facts, eqs...) }

// product proves 0 ≤ t from t = a·b + equations, of facts 0 ≤ a and 0 ≤ b.
func product(t Term, a, b Theorem, eqs ...auto.Lin) Theorem {
	return auto.NonNegBy(t, []Theorem{a, b}, []kernel.Product{{Coef: unit, Factors: []int{0, 1}}}, eqs...)
}

// cut proves 0 ≤ q + ⌊r/m⌋ from 0 ≤ m·q + r, which follows as for nonneg; m > 0 and r are constants.
func cut(m *big.Int, q, r Term, facts []Theorem, eqs ...auto.Lin) Theorem {
	return auto.Cut(nonneg(logic.Add(auto.Scale(m, q), r), facts, eqs...), m, q)
}

// by is the equation times t.
func by(e auto.Lin, t Term) auto.Lin {
	e.By = t
	return e
}

// times proves 0 ≤ c·t from 0 ≤ t, which isn't constant, for c ≥ 0.
func times(c *big.Int, t Term, ge Theorem) Theorem {
	return auto.NonNegBy(auto.Scale(c, t), []Theorem{ge}, []kernel.Product{{Coef: c, Factors: []int{0}}})
}

// antisym proves t = 0.
func antisym(t Term, ge, le Theorem) Theorem { return auto.Must(kernel.Antisym(t, ge, le)) }

// An equation is a theorem th: l = r, between points unless said otherwise.
type equation struct {
	th   Theorem
	l, r Term
}

// equal is the equation l = r that th concludes.
func equal(th Theorem, l, r Term) equation {
	if th.Concl() != logic.Eq(l, r) {
		fail("%v is not %v = %v", th.Concl(), l, r)
	}
	return equation{th, l, r}
}

// back is r = l.
func (e equation) back() equation { return equation{e.th, e.r, e.l} }

func (e equation) rewriting() kernel.Equation { return auto.Rewritten(e.th, e.l, e.r) }

// chain rewrites t by one equation after the other, and equates it with what results.
func chain(t Term, steps ...equation) equation {
	e := equation{auto.True(), t, t}
	for _, s := range steps {
		th := auto.Must(kernel.RewriteTerm(e.r, s.rewriting()))
		next := logic.Replace(e.r, subst{s.l: s.r})
		if next == e.r {
			fail("%v is not in %v", s.l, e.r)
		}
		th = auto.Must(kernel.Leibniz(th, e.r, next, e.th, logic.Eq(t, holePoint), holePoint))
		e = equation{th, t, next}
	}
	return e
}

// rewrite rewrites the conclusion of th by the equations, one after the other.
func rewrite(th Theorem, steps ...equation) Theorem {
	for _, s := range steps {
		th = auto.Must(kernel.Rewrite(th, s.rewriting()))
	}
	return th
}

// unfold is t = its definition, where the facts, each c or ¬c, decide conditions c.
func unfold(t Term, facts ...fact) equation {
	th := auto.Must(kernel.Unfold(t))
	r := logic.Unfold(t)
	if len(facts) > 0 {
		eqs, m := make([]kernel.Equation, len(facts)), subst{}
		for i, f := range facts {
			eqs[i] = f.rewriting()
			m[f.c] = eqs[i].To
		}
		rth := auto.Must(kernel.RewriteTerm(r, eqs...))
		next := logic.Replace(r, m)
		hole := logic.Fresh("hole", t.Sort())
		th = auto.Must(kernel.Leibniz(rth, r, next, th, logic.Eq(t, hole), hole))
		r = next
	}
	return equation{th, t, r}
}

// A fact is a condition c, or its negation.
type fact struct {
	th Theorem
	c  Term
}

// decide are the facts c and ¬c, assumed.
func decide(c Term) (yes, no fact) { return fact{assume(c), c}, fact{assume(logic.Not(c)), c} }

func (f fact) rewriting() kernel.Equation {
	if f.th.Concl() == f.c {
		return auto.Rewritten(f.th, f.c, logic.True())
	}
	return auto.Rewritten(f.th, f.c, logic.False())
}

// lemma is a theorem that is proved when it is needed. Its terms are permanent, as no generation is open when it is
// made; if they aren't, it is proved again. A lemma needs only lemmas that were made before it: so get can lock.
type lemma struct {
	prove func() Theorem
	concl Term
	hyps  []Term
	mu    sync.Mutex
	th    Theorem
}

// check panics if th isn't the lemma, with no more hypotheses.
func (l *lemma) check(th Theorem) Theorem {
	ok := th.Concl() == l.concl
	for _, h := range th.Hyps() {
		ok = ok && slices.Contains(l.hyps, h)
	}
	if !ok {
		fail("%v is proved, not %v ⊢ %v", th, l.hyps, l.concl)
	}
	return th
}

func stale(th Theorem) bool {
	if th.IsZero() || th.Concl().Err() != nil {
		return true
	}
	for _, h := range th.Hyps() {
		if h.Err() != nil {
			return true
		}
	}
	return false
}

func (l *lemma) get() Theorem {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stale(l.th) {
		l.th = l.check(l.prove())
	}
	return l.th
}
