package group

import (
	"fmt"
	"sync"

	"verum.example/internal/proof/auto"
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
	auto.Must(Theorem{}, fmt.Errorf("proof/group: "+format, args...))
}

func assume(p Term) Theorem { return auto.Must(kernel.Assume(p)) }

func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

// implied is p ⇒ the conclusion of th, without the hypothesis p.
func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

func instance(th Theorem, s subst) Theorem { return auto.Must(kernel.Inst(th, s)) }

// use replaces those hypotheses of th that are conclusions of the facts by the facts' hypotheses.
func use(th Theorem, facts ...Theorem) Theorem {
	goal := th.Concl()
	for _, f := range facts {
		if f.Concl() != logic.True() {
			th = taut(goal, implied(f.Concl(), th), f)
		}
	}
	return th
}

// given is a fact, to replace what it says by true, or by false what it denies.
func given(th Theorem) kernel.Equation {
	if c := th.Concl(); c.Op() == logic.OpNot {
		return auto.Rewritten(th, c.Arg(0), logic.False())
	}
	return auto.Rewritten(th, th.Concl(), logic.True())
}

// eq is a theorem th: l = r.
type eq struct {
	th   Theorem
	l, r Term
}

func (e eq) sym() eq { return eq{e.th, e.r, e.l} }

// hole stands for the terms that Leibniz' rule exchanges.
func hole(s logic.Sort) Term { return logic.Var("group.hole", s) }

// then is l = f.r, from e and f: e.r = f.r.
func (e eq) then(f eq) eq {
	h := hole(e.r.Sort())
	return eq{auto.Must(kernel.Leibniz(f.th, e.r, f.r, e.th, logic.Eq(e.l, h), h)), e.l, f.r}
}

// under is f(l) = f(r).
func under(f func(Term) Term, e eq) eq {
	h := hole(e.l.Sort())
	l := f(e.l)
	return eq{auto.Must(kernel.Leibniz(e.th, e.l, e.r, auto.True(), logic.Eq(l, f(h)), h)), l, f(e.r)}
}

// inside is t = t with l replaced by r for each of the equations.
func inside(t Term, es ...eq) eq {
	eqs := make([]kernel.Equation, len(es))
	for i, e := range es {
		eqs[i] = auto.Rewritten(e.th, e.l, e.r)
	}
	th := auto.Must(kernel.RewriteTerm(t, eqs...))
	m := subst{}
	for _, e := range es {
		m[e.l] = e.r
	}
	return eq{th, t, logic.Replace(t, m)}
}

// unfold is t = its body, simplified by facts.
func unfold(t Term, facts ...Theorem) eq {
	body := logic.Unfold(t)
	e := eq{auto.Must(kernel.Unfold(t)), t, body}
	if len(facts) == 0 {
		return e
	}
	m, eqs := subst{}, make([]kernel.Equation, len(facts))
	for i, f := range facts {
		eqs[i] = given(f)
		m[eqs[i].From] = eqs[i].To
	}
	return e.then(eq{auto.Must(kernel.RewriteTerm(body, eqs...)), body, logic.Replace(body, m)})
}

// A lemma is a theorem that is proved when it is needed, and again when the terms of the first proof were dropped with
// their generation.
type lemma struct {
	prove func() Theorem
	mu    sync.Mutex
	th    Theorem
}

func (l *lemma) get() Theorem {
	l.mu.Lock()
	defer l.mu.Unlock()
	stale := l.th.IsZero() || l.th.Concl().Err() != nil
	for _, h := range l.th.Hyps() {
		stale = stale || h.Err() != nil
	}
	if stale {
		l.th = l.prove()
	}
	return l.th
}

func (l *lemma) at(s subst) Theorem { return instance(l.get(), s) }
