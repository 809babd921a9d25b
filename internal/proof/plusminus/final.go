package plusminus

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Total is the number of steps after which a is 0: two numbers below 2²⁵⁶ have a product below 2⁵¹².
const Total = 17 * Steps

var (
	vX, vY, vw = integer("X"), integer("Y"), integer("w")
	vD, vq, vr = integer("D"), integer("q"), integer("r")

	pair = logic.Var("plusminus.pair", logic.TupleOf(intSorts(2)...))

	// pow2 is 2ⁿ, and 1 for n < 0.
	pow2 = mustDef(logic.DefineRec("plusminus.pow2", vt, vr, nil, one, logic.Mul(two, vr)))

	// scales are 2^x and 2^y after t steps.
	scales = mustDef(logic.DefineRec("plusminus.scales", vt, pair, []Term{va, vb, vd}, logic.MkTuple(one, one),
		scaled(Iter(vt, va, vb, vd), at(0, pair), at(1, pair))))

	// quotients are those of a and b, Total − t steps after the start, by the b after Total steps.
	quotients = mustDef(logic.DefineRec("plusminus.quotients", vt, pair, []Term{va, vb, vd}, logic.MkTuple(zero, one),
		quotient(Iter(logic.Sub(logic.N(Total-1), vt), va, vb, vd), at(B, Iter(logic.N(Total), va, vb, vd)),
			at(0, pair), at(1, pair))))
)

// scaled are the scales X and Y after a step from the state s.
func scaled(s, X, Y Term) Term {
	swap := Swaps(s)
	return logic.MkTuple(logic.Mul(two, logic.Ite(swap, Y, X)), logic.Ite(swap, X, Y))
}

// quotient are the quotients of a and b by an odd D, if x and y are those after a step from the state s:
// a = 4a′ ± b or b = ±(4a′ − a), and if a is even, a = D·a − (D − 1)·a, where (D − 1)·a = 4·(D div 2)·a′.
func quotient(s, D, x, y Term) Term {
	x4 := logic.Mul(four, x)
	swap, same := Swaps(s), Same(s)
	even := logic.Sub(at(A, s), logic.Mul(logic.Div(D, two), x4))
	return logic.MkTuple(
		logic.Ite(Even(s), even, logic.Ite(swap, y, logic.Ite(same, logic.Add(x4, y), logic.Sub(x4, y)))),
		logic.Ite(swap, logic.Ite(same, logic.Sub(y, x4), logic.Sub(x4, y)), y))
}

// equation is an equation of rewriting between numbers, times by.
func equation(e kernel.Equation, by Term) auto.Lin { return lin(e.Th, e.From, e.To, by) }

// instances are the theorems with terms for variables.
func instances(ths []Theorem, s subst) []Theorem {
	r, err := kernel.InstAll(ths, s)
	if err != nil {
		panic(fmt.Errorf("plusminus: %w", err))
	}
	return r
}

// unfolded is the value of an application of a recursive function to n, where the fact decides n ≤ 0.
func unfolded(t, n Term, decided Theorem) kernel.Equation {
	c := logic.Le(n, zero)
	to := logic.BoolConst(decided.Concl() == c)
	th := auto.Must(kernel.Rewrite(auto.Must(kernel.Unfold(t)), auto.Rewritten(decided, c, to)))
	return auto.Rewritten(th, t, logic.Replace(logic.Unfold(t), subst{c: to}))
}

// ---- powers of two

var powers lemma

// power: ⊢ 1 ≤ 2ⁿ.
func power(n Term) Theorem {
	return instances(powers.get(func() []Theorem {
		goal := func(n Term) Term { return logic.Le(one, pow2.App(n)) }
		low := func(n Term, le Theorem) Theorem { // n ≤ 0
			return auto.NonNeg(goal(n).Arg(0), nil, equation(unfolded(pow2.App(n), n, le), one))
		}
		next := logic.Add(vt, one)
		more := unfolded(pow2.App(next), next, assume(logic.Ge0(vt)))
		step := auto.NonNegBy(goal(next).Arg(0), []Theorem{assume(goal(vt))},
			[]kernel.Product{product(2, 0), product(1)}, equation(more, one))
		all := auto.Must(kernel.Induct(vt, goal(vt), low(zero, auto.True()), step))
		up := taut(goal(vt), all, assume(logic.Ge0(vt)))
		down := assume(logic.Not(logic.Ge0(vt)))
		le := weaken(logic.Neg(vt), down)
		return []Theorem{auto.Cases(goal(vt), logic.Ge0(vt), up, low(vt, le))}
	}), subst{vt: n})[0]
}

// ---- scales

// inScale says of the state s and scales X and Y: 1 ≤ X, 1 ≤ Y, |a|·X ≤ m, |b|·Y ≤ m, Y = 2ᵈ·X, for d < 0 in the form
// X = 2⁻ᵈ·Y, and X·Y = w.
func inScale(s, X, Y, w, m Term) []Term {
	ax, by := logic.Mul(at(A, s), X), logic.Mul(at(B, s), Y)
	d := at(D, s)
	return []Term{
		logic.Le(one, X), logic.Le(one, Y),
		logic.Le(ax, m), logic.Le(logic.Neg(ax), m), logic.Le(by, m), logic.Le(logic.Neg(by), m),
		logic.Eq(logic.Mul(X, pow2.App(d)), logic.Mul(Y, pow2.App(logic.Neg(d)))),
		logic.Eq(logic.Mul(X, Y), w),
	}
}

var shrinks lemma

// shrink: 1 ≤ X, X ≤ Y, x·Y ≤ m, −x·Y ≤ m ⊢ x·X ≤ m.
func shrink(x, X, Y, m Term) Theorem {
	return instances(shrinks.get(func() []Theorem {
		goal := logic.Le(logic.Mul(vx, vX), vm)
		facts := []Theorem{assume(logic.Le(one, vX)), assume(logic.Le(vX, vY)), assume(logic.Le(logic.Mul(vx, vY), vm)),
			assume(logic.Le(logic.Neg(logic.Mul(vx, vY)), vm)), {}}
		prove := func(c Term, ps ...kernel.Product) Theorem {
			facts[4] = assume(c)
			return auto.NonNegBy(logic.Sub(vm, logic.Mul(vx, vX)), facts, ps)
		}
		c := logic.Ge0(vx)
		// for 0 ≤ x: m − x·X = (m − x·Y) + x·(Y − X)
		yes := prove(c, product(1, 2), product(1, 1, 4))
		twice := auto.NonNegBy(logic.Mul(two, logic.Sub(vm, logic.Mul(vx, vX))),
			append(facts[:4:4], assume(logic.Not(c))),
			// 2m − 2xX = (m − xY) + (m + xY) + 2·(−x − 1)·(X − 1) + 2·(−x − 1) + 2·(X − 1) + 2
			[]kernel.Product{product(1, 2), product(1, 3), product(2, 4, 0), product(2, 4), product(2, 0), product(2)})
		no := auto.Cut(twice, big.NewInt(2), logic.Sub(vm, logic.Mul(vx, vX)))
		return []Theorem{auto.Cases(goal, c, yes, no)}
	}), subst{vx: x, vX: X, vY: Y, vm: m})[0]
}

var scalesStep lemma

// scaleOfStep: inScale(s, X, Y, w, m), Odd(b) ⊢ each of inScale of the step from s, with 2w, over the variables.
func scaleOfStep() []Theorem {
	return scalesStep.get(func() []Theorem {
		s, X, Y := vs, vX, vY
		a, b, d := at(A, s), at(B, s), at(D, s)
		facts := make([]Theorem, 8)
		for i, t := range inScale(s, X, Y, vw, vm) {
			facts[i] = assume(t)
		}
		up, down := pow2.App(d), pow2.App(logic.Neg(d))
		ratio := lin(facts[6], logic.Mul(X, up), logic.Mul(Y, down), one)
		by := func(l auto.Lin, t Term) auto.Lin { l.By = t; return l }
		pow := func(n Term, decided Theorem, by Term) auto.Lin {
			return equation(unfolded(pow2.App(n), n, decided), by)
		}
		// X ≤ Y for 0 ≤ d: Y − X = X·(2ᵈ − 1); and the other way round for d < 0
		order := func(c stepCase) Theorem {
			if c.swap {
				return auto.NonNegBy(logic.Sub(X, Y), []Theorem{facts[1], power(logic.Neg(d))},
					[]kernel.Product{product(1, 0, 1), product(1, 1)}, by(ratio, one),
					pow(d, weaken(logic.Neg(d), c.isSwap), logic.Neg(X)))
			}
			return auto.NonNegBy(logic.Sub(Y, X), []Theorem{facts[0], power(d)},
				[]kernel.Product{product(1, 0, 1), product(1, 1)}, by(ratio, logic.N(-1)),
				pow(logic.Neg(d), weaken(d, c.isSwap), logic.Neg(Y)))
		}
		next := scaled(s, X, Y)
		var ths []Theorem
		for i, goal := range inScale(step(s), at(0, next), at(1, next), logic.Mul(two, vw), vm) {
			ths = append(ths, byStep(s, goal, func(c stepCase, goal Term) Theorem {
				x, y := X, Y // half of the next X, and the next Y
				if c.swap {
					x, y = Y, X
				}
				sign := i % 2
				switch i {
				case 0:
					from := facts[0]
					if c.swap {
						from = facts[1]
					}
					return auto.NonNegBy(goal.Arg(0), []Theorem{from}, []kernel.Product{product(2, 0), product(1)})
				case 1:
					if c.swap {
						return facts[0]
					}
					return facts[1]
				case 2, 3: // 2·(m ∓ a′·2x) = 2m ∓ sum·x
					e := lin(c.exact, logic.Mul(four, logic.Div(c.sum, four)), c.sum, logic.Neg(x))
					fa, fb := facts[2+sign], facts[4+sign]
					if c.same {
						fb = facts[5-sign]
					}
					if sign == 1 {
						e.By = x
					}
					ps := []kernel.Product{product(1, 0), product(1, 1)}
					switch {
					case c.even:
						fb, ps = fa, []kernel.Product{product(2, 0)}
					default: // bring the number with the larger scale down to x
						z, bound, small, large := b, fb, X, Y
						if c.swap {
							z, bound, small, large = a, fa, Y, X
						}
						if logic.Sub(vm, logic.Mul(z, large)) != bound.Concl().Arg(0) {
							z = logic.Neg(z)
						}
						positive := facts[0]
						other := logic.Le(logic.Neg(logic.Mul(z, large)), vm)
						if c.swap {
							positive = facts[1]
						}
						th := use(shrink(z, small, large, vm), positive, order(c), bound, assume(other))
						if c.swap {
							fa = th
						} else {
							fb = th
						}
					}
					th := auto.NonNegBy(logic.Mul(two, goal.Arg(0)), []Theorem{fa, fb}, ps, e)
					return auto.Cut(th, big.NewInt(2), goal.Arg(0))
				case 4, 5:
					if c.swap {
						return facts[2+sign]
					}
					return facts[i]
				case 6:
					d1 := logic.Sub(d, one)
					if c.swap {
						d1 = logic.Sub(logic.N(-1), d)
					}
					l, r := logic.Mul(two, x, pow2.App(d1)), logic.Mul(y, pow2.App(logic.Neg(d1)))
					if c.swap { // 2Y·2^(−d−1) = Y·2⁻ᵈ = X·2ᵈ = X
						le := weaken(logic.Neg(d), c.isSwap)
						return auto.Equal(l, r, by(ratio, logic.N(-1)), pow(logic.Neg(d), c.isSwap, logic.Neg(Y)),
							pow(d, le, X), pow(logic.Neg(d1), weaken(d1, c.isSwap), logic.Neg(X)))
					}
					some := logic.Le(one, d)
					// 2X·2^(d−1) = X·2ᵈ = Y·2⁻ᵈ = Y
					yes := assume(some)
					if1 := auto.Equal(l, r, by(ratio, one), pow(d, yes, logic.Neg(X)),
						pow(logic.Neg(d), weaken(d, yes), Y), pow(logic.Neg(d1), yes, logic.Neg(Y)))
					// 2X = 2Y·2⁻ᵈ = Y·2^(1−d)
					no := assume(logic.Not(some))
					if0 := auto.Equal(l, r, by(ratio, two), pow(d, no, logic.Mul(logic.N(-2), X)),
						pow(d1, weaken(logic.Neg(d1), no), logic.Mul(two, X)), pow(logic.Neg(d1), no, logic.Neg(Y)))
					return auto.Cases(goal, some, if1, if0)
				}
				return auto.Equal(logic.Mul(two, x, y), logic.Mul(two, vw), lin(facts[7], logic.Mul(X, Y), vw, two))
			}))
		}
		return ths
	})
}

var ends lemma

// Ended is about s = Iter(Total; x, m, 0): 0 ≤ x, x ≤ m, m < 2²⁵⁶, Odd(m) ⊢ a = 0.
func Ended(x, m Term) Theorem {
	return instances(ends.get(func() []Theorem {
		state := func(t Term) Term { return Iter(t, vx, vm, zero) }
		of := func(t Term) Term { return scales.App(t, vx, vm, zero) }
		parts := func(s, g, w Term) []Term { return inScale(s, at(0, g), at(1, g), w, vm) }
		all := func(t Term) Term { return logic.And(parts(state(t), of(t), pow2.App(t))...) }
		// moved proves all of t from the parts, which are about the right sides of equations
		moved := func(t Term, es, eg, ew kernel.Equation, ths []Theorem) Theorem {
			for i := range ths {
				ths[i] = replaced(ths[i], es, func(s Term) Term { return parts(s, eg.To, ew.To)[i] })
				ths[i] = replaced(ths[i], eg, func(g Term) Term { return parts(es.From, g, ew.To)[i] })
				ths[i] = replaced(ths[i], ew, func(w Term) Term { return parts(es.From, eg.From, w)[i] })
			}
			return taut(all(t), ths...)
		}
		given := []Theorem{assume(logic.Ge0(vx)), assume(logic.Le(vx, vm))}
		e0, g0 := start(vx, vm, zero), unfolded(of(zero), zero, auto.True())
		w0 := unfolded(pow2.App(zero), zero, auto.True())
		var ths []Theorem
		for _, t := range parts(e0.To, g0.To, w0.To) {
			th := auto.True()
			if t != logic.True() {
				th = auto.NonNegBy(t.Arg(0), given, bound(t, vx, vm))
			}
			ths = append(ths, th)
		}
		base := moved(zero, e0, g0, w0, ths)

		after := logic.Add(vt, one)
		nonneg := assume(logic.Ge0(vt))
		e, g := next(vt, vx, vm, zero, nonneg), unfolded(of(after), after, nonneg)
		w := unfolded(pow2.App(after), after, nonneg)
		ths = nil
		odd := Bounded(vt, vx, vm)[0]
		hyp := assume(all(vt))
		for _, th := range scaleOfStep() {
			th = instance(th, subst{vs: state(vt), vX: at(0, of(vt)), vY: at(1, of(vt)), vw: pow2.App(vt)})
			for _, t := range parts(state(vt), of(vt), pow2.App(vt)) {
				th = use(th, taut(t, hyp))
			}
			ths = append(ths, use(th, odd))
		}
		step := moved(after, e, g, w, ths)
		th := taut(all(vt), auto.Must(kernel.Induct(vt, all(vt), base, step)), nonneg)
		total := logic.N(Total)
		th = instance(th, subst{vt: total})
		odd = instance(odd, subst{vt: total})

		top := logic.Pow2(Total)
		s, G := state(total), of(total)
		sum := auto.Must(kernel.Compute(pow2.App(total)))
		end := instance(vanish(), subst{vs: s, vX: at(0, G), vY: at(1, G)})
		for i, t := range parts(s, G, pow2.App(total)) {
			f := taut(t, th)
			if i == 7 {
				XY := logic.Mul(at(0, G), at(1, G))
				f = auto.Equal(XY, top, lin(f, XY, pow2.App(total), one), lin(sum, pow2.App(total), top, one))
			}
			end = use(end, f)
		}
		return []Theorem{use(end, odd)}
	}), subst{vx: x, vm: m})[0]
}

// vanish: inScale(s, X, Y, 2^Total, m), Odd(b), m < 2²⁵⁶ ⊢ a = 0, over the variables, as X·Y ≤ m² else.
func vanish() Theorem {
	s := vs
	a, b := at(A, s), at(B, s)
	var facts []Theorem
	for _, t := range inScale(s, vX, vY, logic.Pow2(Total), vm) {
		facts = append(facts, assume(t))
	}
	// X ≤ m for z ≠ 0: m − X = (m − zX) + (z − 1)·X
	below := func(z Term, nonzero Theorem, X Term, positive Theorem, bounds []Theorem) Theorem {
		goal := logic.Sub(vm, X)
		pos := logic.Le(one, z)
		by := func(sign Theorem, bound Theorem) Theorem {
			return auto.NonNegBy(goal, []Theorem{sign, positive, bound},
				[]kernel.Product{product(1, 0, 1), product(1, 0), product(1, 2)})
		}
		neg := logic.Le(z, logic.N(-1))
		if1, if2 := by(assume(pos), bounds[0]), by(assume(neg), bounds[1])
		// neither: z = 0
		ge, le := weaken(z, assume(logic.Not(neg))), weaken(logic.Neg(z), assume(logic.Not(pos)))
		none := auto.Must(kernel.Antisym(z, ge, le))
		if0 := taut(logic.Ge0(goal), none, nonzero)
		return auto.Cases(logic.Ge0(goal), pos, if1, auto.Cases(logic.Ge0(goal), neg, if2, if0))
	}
	zeroB := logic.Eq(b, zero)
	even := auto.Congruent(b, zero, two, lin(assume(zeroB), b, zero, one))
	notB := taut(logic.Not(zeroB), implied(zeroB, even), assume(Odd(b)))
	notA := logic.Not(logic.Eq(a, zero))
	x := below(a, assume(notA), vX, facts[0], facts[2:4])
	y := below(b, notB, vY, facts[1], facts[4:6])
	// X·Y ≤ M², where M = 2²⁵⁶ − 1: M·(M − X) + X·(M − Y)
	M := logic.Sub(logic.Pow2(256), one)
	top := assume(logic.Lt(vm, logic.Pow2(256)))
	x = auto.NonNegBy(logic.Sub(M, vX), []Theorem{x, top}, []kernel.Product{product(1, 0), product(1, 1)})
	y = auto.NonNegBy(logic.Sub(M, vY), []Theorem{y, top}, []kernel.Product{product(1, 0), product(1, 1)})
	m, _ := M.Const()
	slack := new(big.Int).Sub(auto.Pow2(Total), new(big.Int).Mul(m, m))
	slack.Sub(slack, unit)
	no := auto.NonNegBy(logic.N(-1), []Theorem{x, y, facts[0]}, []kernel.Product{{Coef: m, Factors: []int{0}},
		product(1, 2, 1), product(1, 1), {Coef: slack}}, lin(facts[7], logic.Mul(vX, vY), logic.Pow2(Total), one))
	return taut(logic.Eq(a, zero), implied(notA, no))
}

// ---- the greatest common divisor

// multiples says that D divides a and b: a = D·x, b = D·y in the state s.
func multiples(s, D, x, y Term) []Term {
	return []Term{logic.Eq(at(A, s), logic.Mul(D, x)), logic.Eq(at(B, s), logic.Mul(D, y))}
}

var divisions lemma

// division: Odd(D), Odd(b) ⊢ multiples(step(s), D, q, r) ⇒ each of multiples(s, D, the quotients before).
func division() []Theorem {
	return divisions.get(func() []Theorem {
		s := vs
		a, b := at(A, s), at(B, s)
		before := quotient(s, vD, vq, vr)
		after := logic.And(multiples(step(s), vD, vq, vr)...)
		oddD := odd(vD, assume(Odd(vD)))
		w := logic.Div(vD, two)
		var ths []Theorem
		for i, goal := range multiples(s, vD, at(0, before), at(1, before)) {
			ths = append(ths, byStep(s, logic.Imp(after, goal), func(c stepCase, goal Term) Theorem {
				x := logic.Div(c.sum, four)
				y := b
				if c.swap {
					y = a
				}
				is := []Term{logic.Eq(x, logic.Mul(vD, vq)), logic.Eq(y, logic.Mul(vD, vr))}
				hyp := logic.And(is...)
				ex := lin(taut(is[0], assume(hyp)), x, logic.Mul(vD, vq), one)
				ey := lin(taut(is[1], assume(hyp)), y, logic.Mul(vD, vr), one)
				sum := lin(c.exact, logic.Mul(four, x), c.sum, one)
				by := func(l auto.Lin, t Term) auto.Lin { l.By = t; return l }
				q4 := logic.Mul(four, vq)
				z, quo := []Term{a, b}[i], vr
				ls := []auto.Lin{ey}
				switch {
				case i == 0 && c.even:
					quo = logic.Sub(a, logic.Mul(w, q4))
					ls = []auto.Lin{lin(oddD, vD, logic.Add(logic.Mul(two, w), one), logic.Neg(a)), by(sum, w),
						by(ex, logic.Mul(logic.N(-4), w))}
				case z == y:
				case !c.same: // z = 4x − y
					quo = logic.Sub(q4, vr)
					ls = []auto.Lin{by(sum, logic.N(-1)), by(ex, four), by(ey, logic.N(-1))}
				case c.swap: // b = a − 4x
					quo = logic.Sub(vr, q4)
					ls = []auto.Lin{by(sum, one), by(ex, logic.N(-4)), ey}
				default: // a = 4x + b
					quo = logic.Add(q4, vr)
					ls = []auto.Lin{by(sum, logic.N(-1)), by(ex, four), ey}
				}
				return implied(hyp, auto.Equal(z, logic.Mul(vD, quo), ls...))
			}))
		}
		return ths
	})
}

var divisors lemma

// divides is about D = b after Total steps: 0 ≤ x, x ≤ m, m < 2²⁵⁶, Odd(m) ⊢ x = D·q, m = D·r, where q and r are
// quotients(Total; x, m, 0).
func divides(x, m Term) []Theorem {
	return instances(divisors.get(func() []Theorem {
		total := logic.N(Total)
		state := func(t Term) Term { return Iter(logic.Sub(total, t), vx, vm, zero) }
		of := func(t Term) Term { return quotients.App(t, vx, vm, zero) }
		D := at(B, state(zero))
		parts := func(s, q Term) []Term { return multiples(s, D, at(0, q), at(1, q)) }
		all := func(t Term) Term {
			return logic.Imp(logic.Le(t, total), logic.And(parts(state(t), of(t))...))
		}
		q0 := unfolded(of(zero), zero, auto.True())
		base := []Theorem{Ended(vx, vm), auto.True()} // a = D·0, b = D·1
		for i := range base {
			base[i] = replaced(base[i], q0, func(q Term) Term { return parts(state(zero), q)[i] })
		}
		first := taut(all(zero), base...)

		// from Total − t steps to one less
		after := logic.Add(vt, one)
		inside := assume(logic.Le(after, total))
		s := state(after)
		before := logic.Sub(total, after)
		e := next(before, vx, vm, zero, weaken(before, inside))
		q := unfolded(of(after), after, assume(logic.Ge0(vt)))
		hyp := taut(logic.And(parts(state(vt), of(vt))...), assume(all(vt)), weaken(logic.Sub(total, vt), inside))
		// hyp is about e.From = state(vt); then it's about the step
		there := func(s Term) Term { return logic.And(parts(s, of(vt))...) }
		hyp = replaced(hyp, auto.Rewritten(e.Th, e.To, e.From), there)
		oddB := use(Bounded(before, vx, vm)[0], weaken(before, inside))
		oddD := Bounded(total, vx, vm)[0]
		var ths []Theorem
		for i, th := range division() {
			th = instance(th, subst{vs: s, vD: D, vq: at(0, of(vt)), vr: at(1, of(vt))})
			th = use(th, oddB, oddD)
			th = taut(parts(s, q.To)[i], th, hyp)
			ths = append(ths, replaced(th, q, func(q Term) Term { return parts(s, q)[i] }))
		}
		both := taut(logic.And(parts(s, of(after))...), ths...)
		step := taut(all(after), implied(logic.Le(after, total), both))
		th := taut(all(vt), auto.Must(kernel.Induct(vt, all(vt), first, step)), assume(logic.Ge0(vt)))
		th = instance(th, subst{vt: total})
		e0 := start(vx, vm, zero)
		ths = nil
		for i, t := range parts(state(total), of(total)) {
			part := func(s Term) Term { return parts(s, of(total))[i] }
			ths = append(ths, replaced(taut(t, th), auto.Rewritten(e0.Th, e0.To, e0.From), part))
		}
		return ths
	}), subst{vx: x, vm: m})
}

// divisor: p = D·r, x = D·q, 0 < x, x < p ⊢ D = 1 ∨ D = −1, over the variables, for a prime p.
func divisor(p Term) Theorem {
	goal := logic.Or(logic.Eq(vD, one), logic.Eq(vD, logic.N(-1)))
	Dr := logic.Mul(vD, vr)
	ep := lin(assume(logic.Eq(p, Dr)), p, Dr, one)
	ex := lin(assume(logic.Eq(vx, logic.Mul(vD, vq))), vx, logic.Mul(vD, vq), one)
	pos, below := assume(logic.Lt(zero, vx)), assume(logic.Lt(vx, p))
	by := func(l auto.Lin, t Term) auto.Lin { l.By = t; return l }
	split := use(number.Euclid(p, vD, vr), auto.Congruent(Dr, zero, p, by(ep, logic.N(-1)))) // p | D or p | r
	// p | D: then p | x
	inD := logic.Cong(vD, zero, p)
	px := auto.Congruent(vx, zero, p, ex, lin(assume(inD), vD, zero, vq))
	ge := weaken(vx, pos)
	none := use(number.Same(p, vx, zero), px, ge, below)
	no := auto.NonNegBy(logic.N(-1), []Theorem{pos}, []kernel.Product{product(1, 0)}, lin(none, vx, zero, logic.N(-1)))
	if0 := taut(goal, no)
	// p | r: r = p·e, so D·e = 1
	inR := logic.Cong(vr, zero, p)
	e := exact(vr, p, assume(inR))
	n := logic.Div(vr, p)
	er := lin(e, logic.Mul(p, n), vr, vD)
	De := logic.Mul(vD, n)
	rest := logic.Sub(one, De) // p·(1 − D·e) = 0
	eqs := func(sign int64) []auto.Lin {
		return []auto.Lin{by(ep, logic.N(sign)), by(er, logic.Mul(logic.N(-sign), vD))}
	}
	c, _ := p.Const()
	cut := func(sign int64) Theorem {
		t := logic.Mul(logic.N(sign), rest)
		return auto.Cut(auto.NonNegBy(logic.Mul(p, t), nil, nil, eqs(sign)...), c, t)
	}
	unity := lin(auto.Must(kernel.Antisym(rest, cut(1), cut(-1))), De, one, one)
	// D ≥ 2 is impossible, and D ≤ −2
	beyond := func(sign int64) Theorem {
		d, f := logic.Mul(logic.N(sign), vD), logic.Mul(logic.N(sign), n)
		big, some := assume(logic.Le(two, d)), logic.Le(one, f)
		// D·e − 2 = (D − 2)·e + 2·(e − 1)
		yes := auto.NonNegBy(logic.N(-1), []Theorem{big, assume(some)},
			[]kernel.Product{product(1, 0, 1), product(1, 0), product(2, 1)}, by(unity, logic.N(-1)))
		// −D·e = (D − 2)·(−e) + 2·(−e)
		no := auto.NonNegBy(logic.N(-1), []Theorem{big, assume(logic.Not(some))},
			[]kernel.Product{product(1, 0, 1), product(2, 1)}, by(unity, one))
		return taut(logic.Not(logic.Le(two, d)), implied(logic.Le(two, d), auto.Cases(logic.False(), some, yes, no)))
	}
	high, low := beyond(1), beyond(-1)
	atLeast, atMost := logic.Le(one, vD), logic.Le(vD, logic.N(-1))
	is1 := auto.Must(kernel.Antisym(logic.Sub(vD, one), assume(atLeast), weaken(logic.Sub(one, vD), high)))
	is2 := auto.Must(kernel.Antisym(logic.Add(vD, one), weaken(logic.Add(vD, one), low), assume(atMost)))
	null := auto.Must(kernel.Antisym(vD, assume(logic.Not(atMost)), weaken(logic.Neg(vD), assume(logic.Not(atLeast)))))
	is0 := auto.NonNegBy(logic.N(-1), nil, nil, by(unity, one), lin(null, vD, zero, logic.Neg(n)))
	if1 := auto.Cases(goal, atLeast, taut(goal, is1), auto.Cases(goal, atMost, taut(goal, is2), taut(goal, is0)))
	return taut(goal, split, implied(inD, if0), implied(inR, if1))
}

// Final is about s = Iter(Total; x, m, 0), for a constant m, an odd prime below 2²⁵⁶: 0 < x, x < m ⊢ b = 1 ∨ b = −1.
func Final(x, m Term) Theorem {
	pos, below := assume(logic.Lt(zero, x)), assume(logic.Lt(x, m))
	given := []Theorem{weaken(x, pos), auto.NonNeg(logic.Sub(m, x), []Theorem{below})}
	ds := divides(x, m)
	q := quotients.App(logic.N(Total), x, m, zero)
	th := instance(divisor(m), subst{vD: at(B, Iter(logic.N(Total), x, m, zero)), vq: at(0, q), vr: at(1, q), vx: x})
	return use(use(th, ds[0], ds[1]), given...)
}
