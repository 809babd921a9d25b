package plusminus

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// next is Iter(t+1; a, b, d) = step(Iter(t; a, b, d)), from 0 ≤ t.
func next(t, a, b, d Term, nonneg Theorem) kernel.Equation {
	i := Iter(logic.Add(t, one), a, b, d)
	th := auto.Must(kernel.Unfold(i))
	r := logic.Unfold(i)
	to := step(Iter(t, a, b, d))
	if r != to { // a condition on t is left
		c := logic.Le(logic.Add(t, one), zero)
		no := weaken(logic.Lt(zero, logic.Add(t, one)).Arg(0), nonneg)
		th = auto.Must(kernel.Rewrite(th, auto.Rewritten(no, c, logic.False())))
	}
	return auto.Rewritten(th, i, to)
}

// start is Iter(0; a, b, d) = (a, b, d, 1, 0, 0, 1).
func start(a, b, d Term) kernel.Equation {
	i := Iter(zero, a, b, d)
	return auto.Rewritten(auto.Must(kernel.Unfold(i)), i, logic.MkTuple(a, b, d, one, zero, zero, one))
}

// replaced is p(from) from th: p(to), for from = to.
func replaced(th Theorem, e kernel.Equation, p func(s Term) Term) Theorem {
	hole := logic.Fresh("state", e.From.Sort())
	return auto.Must(kernel.Leibniz(e.Th, e.To, e.From, th, p(hole), hole))
}

// ---- the matrix

// Matrix says what the coefficients of a state are after steps that consumed the power of two p = 4^j, from the numbers
// A and B: p·a = f·A + g·B, p·b = h·A + k·B, and |f| + |g| ≤ p, |h| + |k| ≤ p as ±f ± g ≤ p, ±h ± k ≤ p.
func Matrix(s, p, A0, B0 Term) []Term {
	f, g, h, k := at(F, s), at(G, s), at(H, s), at(K, s)
	ts := []Term{
		logic.Eq(logic.Mul(p, at(A, s)), logic.Add(logic.Mul(f, A0), logic.Mul(g, B0))),
		logic.Eq(logic.Mul(p, at(B, s)), logic.Add(logic.Mul(h, A0), logic.Mul(k, B0))),
	}
	for _, pair := range [][2]Term{{f, g}, {h, k}} {
		for _, sum := range signed(pair[0], pair[1]) {
			ts = append(ts, logic.Le(sum, p))
		}
	}
	return ts
}

// signed are ±x ± y, the opposite of each at 3 − i.
func signed(x, y Term) []Term {
	return []Term{logic.Add(x, y), logic.Sub(x, y), logic.Sub(y, x), logic.Sub(logic.Neg(x), y)}
}

var matrixStep lemma

// matrix: Matrix(s, p), Odd(b) ⊢ each of Matrix(step(s), 4p), and Odd(b) of step(s), over the variables.
func matrix() []Theorem {
	return matrixStep.get(func() []Theorem {
		s, p := vs, vp
		next := step(s)
		before, goals := Matrix(s, p, vA, vB), Matrix(next, logic.Mul(four, p), vA, vB)
		f, g, h, k := at(F, s), at(G, s), at(H, s), at(K, s)
		rows := func(i int) auto.Lin { // p·a = …, p·b = …
			sum := logic.Add(logic.Mul(at(F+2*i, s), vA), logic.Mul(at(G+2*i, s), vB))
			return lin(assume(before[i]), logic.Mul(p, at(A+i, s)), sum, one)
		}
		by := func(l auto.Lin, c int64) auto.Lin { l.By = logic.N(c); return l }
		var ths []Theorem
		for i, goal := range goals {
			ths = append(ths, byStep(s, goal, func(c stepCase, goal Term) Theorem {
				switch {
				case i == 0:
					pa := logic.Mul(p, four, logic.Div(c.sum, four))
					e := lin(c.exact, logic.Mul(four, logic.Div(c.sum, four)), c.sum, p)
					lins := []auto.Lin{e, by(rows(0), 1)}
					switch {
					case c.even:
						lins = []auto.Lin{e, by(rows(0), 2)}
					case c.same:
						lins = append(lins, by(rows(1), -1))
					default:
						lins = append(lins, by(rows(1), 1))
					}
					var F1, G1 Term
					switch {
					case c.even:
						F1, G1 = logic.Mul(two, f), logic.Mul(two, g)
					case c.same:
						F1, G1 = logic.Sub(f, h), logic.Sub(g, k)
					default:
						F1, G1 = logic.Add(f, h), logic.Add(g, k)
					}
					return auto.Equal(pa, logic.Add(logic.Mul(F1, vA), logic.Mul(G1, vB)), lins...)
				case i == 1:
					from := 1
					if c.swap {
						from = 0
					}
					r := rows(from)
					return auto.Equal(logic.Mul(four, r.L), logic.Mul(four, r.R), by(r, 4))
				}
				// bounds: facts 0 ≤ p − (±f ± g), 0 ≤ p − (±h ± k)
				var facts []Theorem
				for _, t := range before[2:] {
					facts = append(facts, assume(t))
				}
				j := i - 2 // which of f, g and then of h, k
				var ps []kernel.Product
				switch {
				case j < 4 && c.even: // 4p − 2u = 3(p − u) + (p + u)
					ps = []kernel.Product{product(3, j), product(1, 3-j)}
				case j < 4: // 4p − u − w = 2(p − u) + (p + u) + (p − w)
					w := 4 + j
					if c.same {
						w = 4 + 3 - j
					}
					ps = []kernel.Product{product(2, j), product(1, 3-j), product(1, w)}
				case c.swap:
					ps = []kernel.Product{product(4, j-4)}
				default:
					ps = []kernel.Product{product(4, j)}
				}
				return auto.NonNegBy(goal.Arg(0), facts, ps)
			}))
		}
		return append(ths, oddStep())
	})
}

// oddStep: Odd(b) ⊢ Odd(b) of step(s).
func oddStep() Theorem {
	return byStep(vs, Odd(at(B, step(vs))), func(c stepCase, goal Term) Theorem {
		if c.swap {
			return taut(goal, c.isEven)
		}
		return taut(goal, assume(Odd(at(B, vs))))
	})
}

var rounds lemma

// Steps is the number of steps of a round.
const Steps = 31

// Round is about the state s after a round from a, b, d: Odd(b) ⊢ each of Matrix(s, 4^Steps, a, b), and Odd(s's b).
func Round(a, b, d Term) []Theorem {
	ths := rounds.get(func() []Theorem {
		p := big.NewInt(1)
		all := func(s Term, p *big.Int) []Term {
			return append(Matrix(s, logic.IntConst(p), va, vb), Odd(at(B, s)))
		}
		e := start(va, vb, vd)
		var ths []Theorem
		for i, t := range all(e.To, p) {
			th := auto.True()
			if t != logic.True() {
				th = assume(Odd(vb))
			}
			ths = append(ths, replaced(th, e, func(s Term) Term { return all(s, p)[i] }))
		}
		for j := range Steps {
			s := Iter(logic.N(int64(j)), va, vb, vd)
			e := next(logic.N(int64(j)), va, vb, vd, auto.True())
			p4 := new(big.Int).Lsh(p, 2)
			var after []Theorem
			for i, th := range matrix() {
				th = use(instance(th, subst{vs: s, vp: logic.IntConst(p), vA: va, vB: vb}), ths...)
				after = append(after, replaced(th, e, func(s Term) Term { return all(s, p4)[i] }))
			}
			ths, p = after, p4
		}
		return ths
	})
	r, err := kernel.InstAll(ths, subst{va: a, vb: b, vd: d})
	if err != nil {
		panic(fmt.Errorf("plusminus: %w", err))
	}
	return r
}

// ---- composition

var composition lemma

// Composed is about s = Iter(t; x, m, 0) and the state after a round from its a, b, d: 0 ≤ t ⊢ the components A, B, D
// of Iter(Steps; s.a, s.b, s.d) are those of Iter(t + Steps; x, m, 0).
func Composed(t, x, m Term) []Theorem {
	ths := composition.get(func() []Theorem {
		s := Iter(vt, vx, vm, zero)
		from := func(j int) Term { return Iter(logic.N(int64(j)), at(A, s), at(B, s), at(D, s)) }
		to := func(j int) Term { return Iter(logic.Add(vt, logic.N(int64(j))), vx, vm, zero) }
		// the components of a step of a, b, d
		stepOf := func(i int, abd []Term) Term {
			return at(i, step(logic.MkTuple(abd[0], abd[1], abd[2], one, zero, zero, one)))
		}
		e := start(at(A, s), at(B, s), at(D, s))
		var ths []Theorem
		for i := range 3 {
			ths = append(ths, replaced(auto.True(), e, func(r Term) Term { return logic.Eq(at(i, r), at(i, s)) }))
		}
		for j := range Steps {
			u, v := from(j), to(j)
			eu := next(logic.N(int64(j)), at(A, s), at(B, s), at(D, s), auto.True())
			tj := logic.Add(vt, logic.N(int64(j)))
			ev := next(tj, vx, vm, zero, weaken(tj, assume(logic.Ge0(vt))))
			var after []Theorem
			for i := range 3 {
				abd := []Term{at(A, u), at(B, u), at(D, u)}
				now := append([]Term(nil), abd...)
				th := auto.True() // step(u) = step(u)
				for c := range 3 {
					hole := logic.Fresh("component", logic.Int())
					now[c] = hole
					same := logic.Eq(stepOf(i, abd), stepOf(i, now))
					th = auto.Must(kernel.Leibniz(ths[c], abd[c], at(c, v), th, same, hole))
					now[c] = at(c, v)
				}
				th = replaced(th, eu, func(r Term) Term { return logic.Eq(at(i, r), at(i, step(v))) })
				th = replaced(th, ev, func(r Term) Term { return logic.Eq(at(i, from(j+1)), at(i, r)) })
				after = append(after, th)
			}
			ths = after
		}
		return ths
	})
	r, err := kernel.InstAll(ths, subst{vt: t, vx: x, vm: m})
	if err != nil {
		panic(fmt.Errorf("plusminus: %w", err))
	}
	return r
}

// ---- bounds

// inBounds says that b is odd and −m ≤ a ≤ m, −m ≤ b ≤ m, −t ≤ d ≤ t in the state s.
func inBounds(s, t, m Term) []Term {
	ts := []Term{Odd(at(B, s))}
	for _, p := range [][2]Term{{at(A, s), m}, {at(B, s), m}, {at(D, s), t}} {
		ts = append(ts, logic.Le(p[0], p[1]), logic.Le(logic.Neg(p[0]), p[1]))
	}
	return ts
}

var boundsStep, bounds lemma

// Bounded is about s = Iter(t; x, m, 0): 0 ≤ t, 0 ≤ x, x ≤ m, Odd(m) ⊢ each of inBounds(s, t, m).
func Bounded(t, x, m Term) []Theorem {
	ths := bounds.get(func() []Theorem {
		s := Iter(vt, vx, vm, zero)
		goal := logic.And(inBounds(s, vt, vm)...)
		e := start(vx, vm, zero)
		given := []Theorem{assume(logic.Ge0(vx)), assume(logic.Le(vx, vm)), assume(Odd(vm))}
		var parts []Theorem
		for i, t := range inBounds(e.To, zero, vm) {
			var th Theorem
			switch {
			case t == logic.True():
				th = auto.True()
			case i == 0:
				th = given[2]
			default:
				th = auto.NonNegBy(t.Arg(0), given[:2], bound(t, vx, vm))
			}
			parts = append(parts, replaced(th, e, func(s Term) Term { return inBounds(s, zero, vm)[i] }))
		}
		base := taut(logic.And(inBounds(Iter(zero, vx, vm, zero), zero, vm)...), parts...)
		up := next(vt, vx, vm, zero, assume(logic.Ge0(vt)))
		parts = nil
		for i, th := range boundsOfStep() {
			th = instance(th, subst{vs: s})
			for _, t := range inBounds(s, vt, vm) {
				th = use(th, taut(t, assume(goal)))
			}
			parts = append(parts, replaced(th, up, func(s Term) Term { return inBounds(s, logic.Add(vt, one), vm)[i] }))
		}
		step := taut(logic.And(inBounds(up.From, logic.Add(vt, one), vm)...), parts...)
		all := taut(goal, auto.Must(kernel.Induct(vt, goal, base, step)), assume(logic.Ge0(vt)))
		var ths []Theorem
		for _, t := range inBounds(s, vt, vm) {
			ths = append(ths, taut(t, all))
		}
		return ths
	})
	r, err := kernel.InstAll(ths, subst{vt: t, vx: x, vm: m})
	if err != nil {
		panic(fmt.Errorf("plusminus: %w", err))
	}
	return r
}

// bound is 0 ≤ m ± x or 0 ≤ 2m as a sum of 0 ≤ x and 0 ≤ m − x.
func bound(t, x, m Term) []kernel.Product {
	switch t.Arg(0) {
	case logic.Sub(m, x):
		return []kernel.Product{product(1, 1)}
	case logic.Add(m, x):
		return []kernel.Product{product(2, 0), product(1, 1)}
	case logic.Mul(two, m):
		return []kernel.Product{product(2, 0), product(2, 1)}
	}
	panic(fmt.Errorf("plusminus: %v is no bound", t))
}

// boundsOfStep: inBounds(s, t, m) ⊢ each of inBounds(step(s), t+1, m), over the variables.
func boundsOfStep() []Theorem {
	return boundsStep.get(func() []Theorem {
		s := vs
		before, goals := inBounds(s, vt, vm), inBounds(step(s), logic.Add(vt, one), vm)
		var facts []Theorem // of a, b, d: 0 ≤ m − a, 0 ≤ m + a, …
		for _, t := range before[1:] {
			facts = append(facts, assume(t))
		}
		ths := []Theorem{oddStep()}
		for i, goal := range goals[1:] {
			ths = append(ths, byStep(s, goal, func(c stepCase, goal Term) Theorem {
				t, sign := goal.Arg(0), i%2 // 0 ≤ bound − x or bound + x
				switch {
				case i < 2: // 4m ∓ sum
					a, b := sign, 2+sign // the fact about a with the sign, and about b
					ps := []kernel.Product{product(2, a), product(1, 0), product(1, 1)}
					if !c.even {
						if c.same {
							b = 2 + 1 - sign
						}
						ps = []kernel.Product{product(1, a), product(1, b), product(1, 0), product(1, 1)}
					}
					by := logic.N(-1)
					if sign == 1 {
						by = one
					}
					e := lin(c.exact, logic.Mul(four, logic.Div(c.sum, four)), c.sum, by)
					th := auto.NonNegBy(logic.Mul(four, t), facts, ps, e)
					return auto.Cut(th, big.NewInt(4), t)
				case i < 4 && c.swap:
					return facts[i-2]
				case i < 4:
					return facts[i]
				}
				for _, f := range facts[4:] { // one of t ± d, and a constant
					if r, ok := logic.Sub(t, f.Concl().Arg(0)).Const(); ok && r.Sign() >= 0 {
						return weaken(t, f)
					}
				}
				panic(fmt.Errorf("plusminus: no bound for %v", t))
			}))
		}
		return ths
	})
}
