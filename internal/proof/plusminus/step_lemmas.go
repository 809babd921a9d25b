package plusminus

import (
	"fmt"
	"math/big"
	"sync"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Theorem is an abbreviation.
type Theorem = kernel.Theorem

type subst = map[Term]Term

var (
	zero, one, two, four = logic.N(0), logic.N(1), logic.N(2), logic.N(4)
	unit                 = big.NewInt(1)

	// Variables of the lemmas: a state, a power of 4, the numbers that a state is made of.
	vs         = logic.Var("plusminus.s", logic.TupleOf(intSorts(components)...))
	vp, vA, vB = integer("p"), integer("A"), integer("B")
	vx, vm     = integer("x"), integer("m")
)

func assume(p Term) Theorem { return auto.Must(kernel.Assume(p)) }

func taut(q Term, ps ...Theorem) Theorem { return auto.Must(kernel.Taut(q, ps...)) }

func implied(p Term, th Theorem) Theorem { return auto.Must(kernel.Discharge(p, th)) }

func instance(th Theorem, s subst) Theorem { return auto.Must(kernel.Inst(th, s)) }

func lin(th Theorem, l, r, by Term) auto.Lin { return auto.Lin{Th: th, L: l, R: r, By: by} }

// use replaces hypotheses of th by the facts' hypotheses, one after the other: kernel.Taut knows few atoms at a time.
func use(th Theorem, facts ...Theorem) Theorem {
	for _, f := range facts {
		th = number.Use(th, f)
	}
	return th
}

// product is c·facts[is…].
func product(c int64, is ...int) kernel.Product {
	return kernel.Product{Coef: big.NewInt(c), Factors: is}
}

// lemma is a theorem that is proved when it is needed, and again when the terms of the first proof were dropped.
type lemma struct {
	mu  sync.Mutex
	ths []Theorem
}

func (l *lemma) get(prove func() []Theorem) []Theorem {
	l.mu.Lock()
	defer l.mu.Unlock()
	stale := len(l.ths) == 0
	for _, th := range l.ths {
		stale = stale || th.Concl().Err() != nil
		for _, h := range th.Hyps() {
			stale = stale || h.Err() != nil
		}
	}
	if stale {
		l.ths = prove()
	}
	return l.ths
}

// Odd says that x is odd.
func Odd(x Term) Term { return logic.Not(logic.Cong(x, zero, two)) }

func at(i int, s Term) Term { return logic.Proj(i, s) }

// mod proves x = m·(x div m) + x mod m as an equation.
func divided(x, m Term) auto.Lin {
	return lin(auto.Must(kernel.DivMod(x, m)), x, logic.Add(logic.Mul(m, logic.Div(x, m)), logic.Mod(x, m)), one)
}

// exact proves m·(x div m) = x from x ≡ 0 (mod m), for a constant m.
func exact(x, m Term, cong Theorem) Theorem {
	r := use(number.Mod(m, x, zero), cong) // x mod m = 0
	d := divided(x, m)
	d.By = logic.N(-1)
	return auto.Equal(logic.Mul(m, logic.Div(x, m)), x, d, lin(r, logic.Mod(x, m), zero, logic.N(-1)))
}

// odd proves x = 2·(x div 2) + 1 from Odd(x).
func odd(x Term, is Theorem) Theorem {
	r := logic.Mod(x, two)
	lo, hi, err := kernel.ModRange(x, two, auto.True())
	lo, hi = auto.Must(lo, err), auto.Must(hi, err)
	d := divided(x, two)
	// r = 0 is impossible: so r ≥ 1
	pos := logic.Ge0(logic.Sub(r, one))
	none := auto.Must(kernel.Antisym(r, lo, weaken(logic.Neg(r), assume(logic.Not(pos)))))
	even := auto.Congruent(x, zero, two, d, lin(none, r, zero, one))
	ge := taut(pos, implied(logic.Not(pos), taut(logic.False(), even, is)))
	same := auto.Must(kernel.Antisym(logic.Sub(r, one), ge, weaken(logic.Sub(one, r), hi)))
	return auto.Equal(x, logic.Add(logic.Mul(two, logic.Div(x, two)), one), d, lin(same, r, one, one))
}

// weaken proves 0 ≤ t from a fact that differs by a constant.
func weaken(t Term, th Theorem) Theorem { return auto.NonNeg(t, []Theorem{th}) }

// stepCase is a case of a step: what is known of a, of a − b, and of d.
type stepCase struct {
	even, same, swap bool
	isEven, isSame   Theorem // of Even, or its negation
	isSwap           Theorem // 0 ≤ −d − 1, or its negation
	sum              Term    // four times the next a: 2a, a − b or a + b
	exact            Theorem // 4·a' = sum
}

// byStep proves a goal about step(s), for a state s of which b is odd (a hypothesis), by cases. In each the conditions
// are put in: prove proves what the goal becomes.
func byStep(s, goal Term, prove func(c stepCase, goal Term) Theorem) Theorem {
	a, b, d := at(A, s), at(B, s), at(D, s)
	even, same, swap := Even(s), Same(s), logic.Lt(d, zero)
	decide := func(c Term, yes bool) (Theorem, kernel.Equation) {
		if yes {
			return assume(c), auto.Rewritten(assume(c), c, logic.True())
		}
		return assume(logic.Not(c)), auto.Rewritten(assume(logic.Not(c)), c, logic.False())
	}
	side := func(c stepCase, eqs ...kernel.Equation) Theorem {
		m := subst{}
		for _, e := range eqs {
			m[e.From] = e.To
		}
		g := logic.Replace(goal, m)
		th := prove(c, g)
		if th.Concl() != g {
			panic(fmt.Errorf("plusminus: %v is proved, not %v", th.Concl(), g))
		}
		return taut(goal, auto.Must(kernel.RewriteTerm(goal, eqs...)), th)
	}
	ye, eqE := decide(even, true)
	sum := logic.Mul(two, a)
	twice := auto.Congruent(sum, zero, four, doubled(a, ye)...)
	yes := side(stepCase{even: true, isEven: ye, sum: sum, exact: exact(sum, four, twice)}, eqE)

	no, eqO := decide(even, false)
	isOdd := assume(Odd(b))
	rest := func(isSame bool) Theorem {
		st, eqS := decide(same, isSame)
		c := stepCase{isEven: no, same: isSame, isSame: st, sum: logic.Sub(a, b)}
		var cong Theorem
		if isSame {
			cong = auto.Congruent(c.sum, zero, four, lin(st, a, b, one))
		} else {
			c.sum = logic.Add(a, b)
			cong = opposed(a, b, no, isOdd, st)
		}
		c.exact = exact(c.sum, four, cong)
		bySwap := func(yes bool) Theorem {
			c.swap = yes
			var eq kernel.Equation
			c.isSwap, eq = decide(swap, yes)
			return side(c, eqO, eqS, eq)
		}
		return auto.Cases(goal, swap, bySwap(true), bySwap(false))
	}
	return auto.Cases(goal, even, yes, auto.Cases(goal, same, rest(true), rest(false)))
}

// doubled are equations for 2a ≡ 0 (mod 4) from a ≡ 0 (mod 2).
func doubled(a Term, even Theorem) []auto.Lin {
	e := exact(a, two, even) // 2·(a div 2) = a
	return []auto.Lin{lin(e, logic.Mul(two, logic.Div(a, two)), a, logic.N(-2))}
}

// opposed proves a + b ≡ 0 (mod 4) for odd a, b that are not congruent modulo 4.
func opposed(a, b Term, oddA, oddB, differ Theorem) Theorem {
	half := func(x Term) Term { return logic.Div(x, two) }
	ea := lin(odd(a, oddA), a, logic.Add(logic.Mul(two, half(a)), one), one)
	eb := lin(odd(b, oddB), b, logic.Add(logic.Mul(two, half(b)), one), one)
	v := logic.Sub(half(a), half(b)) // a − b = 2v, and v is odd
	even := logic.Cong(v, zero, two)
	q := exact(v, two, assume(even))
	minus := eb
	minus.By = logic.N(-1)
	same := auto.Congruent(a, b, four, ea, minus, lin(q, logic.Mul(two, half(v)), v, logic.N(-2)))
	isOdd := taut(Odd(v), implied(even, taut(logic.False(), same, differ)))
	o := odd(v, isOdd) // v = 2z + 1: a + b = 2v + 2b = 4z + 2 + 4y + 2
	plus := eb
	plus.By = logic.N(1)
	return auto.Congruent(logic.Add(a, b), zero, four, ea, plus,
		lin(o, v, logic.Add(logic.Mul(two, half(v)), one), two))
}
