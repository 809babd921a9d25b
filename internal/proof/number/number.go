// Package number proves facts about residues: inverses and square roots modulo a prime, and the laws of powers.
//
// Each function gives one theorem, whose conclusion and hypotheses are those that its comment lists; a hypothesis about
// constants has folded away. Use replaces hypotheses by facts. m may be any term; p is a constant prime, of which a
// certificate is found (Prime). Facts are proved once, for variables, and instantiated.
//
// The package is untrusted. Functions that return only a theorem panic when they find no proof, as those of package auto
// do.
package number

import (
	"math/big"
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

// The variables of the lemmas.
var (
	x, y, c = integer("x"), integer("y"), integer("c")
	i, j, k = integer("i"), integer("j"), integer("k")
	m       = integer("m")

	zero, one = logic.N(0), logic.N(1)
)

func integer(name string) Term { return logic.Var("number."+name, logic.Int()) }

func assume(p Term) Theorem { return auto.Must(kernel.Assume(p)) }

func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

// implied is p ⇒ the conclusion of th, without the hypothesis p.
func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

func instance(th Theorem, s subst) Theorem { return auto.Must(kernel.Inst(th, s)) }

// Use replaces those hypotheses of th that are conclusions of the facts by the facts' hypotheses.
func Use(th Theorem, facts ...Theorem) Theorem {
	goal := th.Concl()
	for _, f := range facts {
		th = implied(f.Concl(), th)
	}
	return taut(goal, append([]Theorem{th}, facts...)...)
}

// lin is the equation or congruence l = r of a theorem, times by.
func lin(th Theorem, l, r, by Term) auto.Lin { return auto.Lin{Th: th, L: l, R: r, By: by} }

// by is l times t.
func by(l auto.Lin, t Term) auto.Lin {
	l.By = t
	return l
}

// congruent proves a ≡ b (mod m) from a − b = Σ By·(L−R), m a variable.
func congruent(a, b Term, ls ...auto.Lin) Theorem { return auto.CongruentBy(a, b, m, zero, ls...) }

// sum proves 0 ≤ a + b, product 0 ≤ a·b, from 0 ≤ a and 0 ≤ b, which aren't constants.
func sum(a, b Theorem) Theorem {
	l, r := a.Concl().Arg(0), b.Concl().Arg(0)
	unit := big.NewInt(1)
	return auto.Must(kernel.Le(logic.Add(l, r), []Theorem{a, b},
		[]kernel.Product{{Coef: unit, Factors: []int{0}}, {Coef: unit, Factors: []int{1}}}))
}

func product(a, b Theorem) Theorem {
	l, r := a.Concl().Arg(0), b.Concl().Arg(0)
	both := kernel.Product{Coef: big.NewInt(1), Factors: []int{0, 1}}
	return auto.Must(kernel.Le(logic.Mul(l, r), []Theorem{a, b}, []kernel.Product{both}))
}

// lemma is a theorem that is proved when it is needed, and again when the terms of the first proof were dropped with
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

// family are lemmas about a constant p.
type family struct {
	prove func(p *big.Int) Theorem
	mu    sync.Mutex
	of    map[string]*lemma
}

func (f *family) get(p Term) Theorem {
	n, ok := p.Const()
	if !ok {
		fail("%v is no constant", p)
	}
	f.mu.Lock()
	l := f.of[n.String()]
	if l == nil {
		l = &lemma{prove: func() Theorem { return f.prove(n) }}
		if f.of == nil {
			f.of = map[string]*lemma{}
		}
		f.of[n.String()] = l
	}
	f.mu.Unlock()
	return l.get()
}
