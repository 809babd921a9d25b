package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// byValue proves the goal by cases over the value of the variable e, a short bit-vector: prove proves the goal with the
// constant v in place of e, and may assume nothing about e.
func byValue(goal, e Term, prove func(v uint64, goal Term) Theorem) Theorem {
	w := e.Width()
	var split func(bit int, value uint64, is Theorem, known []Term) Theorem
	split = func(bit int, value uint64, is Theorem, known []Term) Theorem {
		if bit < 0 {
			v := logic.BVUint(w, value)
			g := logic.Replace(goal, map[Term]Term{e: v})
			th := prove(value, g)
			if th.Concl() != g {
				panic(fmt.Errorf("case %d: the proof of %v is of %v", value, g, th.Concl()))
			}
			x := logic.Fresh("value", e.Sort())
			return auto.Must(kernel.Leibniz(is, v, e, th, logic.Replace(goal, map[Term]Term{e: x}), x))
		}
		hyp, yes, no := auto.BitCases(logic.Extract(bit, bit, e))
		side := func(b uint64, eq kernel.Equation) Theorem {
			// e = (upper bits known) ‖ b ‖ lower bits, from is: e = (upper bits known) ‖ e[bit:0]
			parts := append([]Term{eq.To}, known...)
			x := logic.Fresh("bit", logic.BV(1))
			whole := func(low ...Term) Term { return logic.Concat(append(low, known...)...) }
			var p Term
			if bit > 0 {
				p = logic.Eq(e, whole(logic.Extract(bit-1, 0, e), x))
			} else {
				p = logic.Eq(e, whole(x))
			}
			th := auto.Must(kernel.Leibniz(eq.Th, eq.From, eq.To, is, p, x))
			return split(bit-1, value|b<<bit, th, parts)
		}
		return auto.Cases(goal, hyp, side(1, yes), side(0, no))
	}
	return split(w-1, 0, auto.True(), nil)
}

// digitLemma is about a step of a multiplication from the top digit on: e is a digit of k + offset, which stands for the
// signed digit d = e − 2^(w−1), and a multiple of 2^w·Q is added to d·Q. Over the variables e, m and Q:
//
//	0 ≤ m, 0 ≤ 2^w·m + d, 2^w·m + d ≤ n − 1, Q on the curve, Q ≠ O ⊢
//	  [2^w·m]Q + dQ = [2^w·m + d]Q, dQ is on the curve, and the two points are not equal, unless one is O
type digitLemma struct {
	c       *Curve
	w       int
	e, m, q Term
	th      Theorem
}

// half is 2^(w−1).
func (l *digitLemma) half() Term { return logic.Pow2(l.w - 1) }

// point is dQ: [e−half]Q if half ≤ e, else −[half−e]Q.
func (l *digitLemma) point(e, Q Term) Term {
	d := logic.Sub(logic.Uint(e), l.half())
	return logic.Ite(logic.Ge0(d), l.c.Multiple(d, Q), l.c.Negated(l.c.Multiple(logic.Neg(d), Q)))
}

// before and after are the multiples of Q.
func (l *digitLemma) before(m Term) Term { return auto.Scale(auto.Pow2(l.w), m) }

func (l *digitLemma) after(e, m Term) Term {
	return logic.Sub(logic.Add(l.before(m), logic.Uint(e)), l.half())
}

func (l *digitLemma) hyps(e, m, Q Term) []Term {
	a := l.after(e, m)
	return []Term{logic.Ge0(m), logic.Ge0(a), logic.Lt(a, l.c.Spec.N()), l.c.OnCurve(Q), logic.Not(spec.IsInfinity(Q))}
}

func (l *digitLemma) concls(e, m, Q Term) []Term {
	P, D := l.c.Multiple(l.before(m), Q), l.point(e, Q)
	return []Term{
		logic.Eq(l.c.Sum(P, D), l.c.Multiple(l.after(e, m), Q)),
		l.c.OnCurve(D),
		l.c.summable(P, D),
	}
}

// summable is the condition on a and b of the routine Add.
func (c *Curve) summable(P, Q Term) Term {
	return logic.Or(spec.IsInfinity(P), spec.IsInfinity(Q), logic.Not(logic.Eq(P, Q)))
}

// newDigitLemma proves the lemma. It panics for a curve for which it is wrong.
func newDigitLemma(c *Curve, w int) *digitLemma {
	l := &digitLemma{c: c, w: w, e: logic.Var("digit.e", logic.BV(w)),
		m: logic.Var("digit.m", logic.Int()), q: logic.Var("digit.Q", spec.PointSort())}
	hs := l.hyps(l.e, l.m, l.q)
	concl := logic.And(l.concls(l.e, l.m, l.q)...)
	goal := logic.Imp(logic.And(hs[1], hs[2]), concl)
	th := byValue(goal, l.e, func(v uint64, goal Term) Theorem {
		hs := l.hyps(logic.BVUint(w, v), l.m, l.q)
		b := &base{c, l.q, assume(hs[3]), assume(hs[4])}
		parts := l.digit(b, int64(v)-1<<(w-1), assume(hs[0]), assume(hs[1]), assume(hs[2]))
		all := make([]Term, len(parts))
		for i, p := range parts {
			all[i] = p.Concl()
		}
		th := taut(logic.And(all...), parts...)
		th = implied(hs[1], implied(hs[2], th))
		return taut(goal, th)
	})
	l.th = taut(concl, th, assume(hs[1]), assume(hs[2]))
	return l
}

// digit proves the conclusions for a constant digit d.
func (l *digitLemma) digit(b *base, d int64, nm, na, below Theorem) []Theorem {
	c, M, dt := l.c, l.before(l.m), logic.N(d)
	nM := auto.Must(kernel.Le(M, []Theorem{nm}, []kernel.Product{{Coef: auto.Pow2(l.w), Factors: []int{0}}}))
	P := b.multiple(M)
	if d == 0 {
		D := b.multiple(dt)
		th := taut(spec.IsInfinity(D), rewritten(spec.IsInfinity(D), b.zero()))
		return []Theorem{b.add(M, dt, nM, auto.True()), b.closed(dt), th}
	}
	var D, same Term
	var sum, on, eq Theorem
	n := c.Spec.N()
	j := logic.N(-d)
	if d > 0 {
		D, same = b.multiple(dt), dt
		sum, on = b.add(M, dt, nM, auto.True()), b.closed(dt)
		eq = assume(logic.Eq(P, D))
	} else {
		D, same = c.Negated(b.multiple(j)), logic.Add(n, dt)
		sum, on = b.sub(M, j, auto.True(), na), c.negClosed(b.multiple(j), b.closed(j))
		// P = −[−d]Q = [n+d]Q
		opp := b.opposite(j, auto.True(), auto.True())
		eq = auto.Must(kernel.Rewrite(assume(logic.Eq(P, D)), auto.Rewritten(opp, D, b.multiple(same))))
	}
	cong := b.distinct(M, same, nM, auto.True(), eq)
	absurd := l.absurd(M, d, cong, same, nm, nM, below)
	differ := taut(logic.Not(logic.Eq(P, D)), implied(logic.Eq(P, D), absurd))
	return []Theorem{sum, on, differ}
}

// absurd derives a contradiction from M = 2^w·m ≡ same (mod n), where same is d or n + d, d ≠ 0, 0 ≤ m and M + d ≤ n − 1.
func (l *digitLemma) absurd(M Term, d int64, cong Theorem, same Term, nm, nM, below Theorem) Theorem {
	n, _ := l.c.Spec.N().Const()
	t := cong.Concl().Arg(0) // ±(M − same) = n·q
	q := logic.Div(t, l.c.Spec.N())
	s, sign := q, int64(1)
	if t != logic.Sub(M, same) {
		s, sign = logic.Neg(q), -1
	}
	ns := auto.Scale(n, s)
	elim := auto.Must(kernel.DvdElim(cong))
	eq := func(by int64) auto.Lin { // M − same = n·s
		return auto.Lin{Th: elim, L: t, R: auto.Scale(n, q), By: logic.N(sign * by)}
	}
	// M = n·s + same is in 0 … n − 1 − d: s is in lo … hi
	dBig := big.NewInt(d)
	k, _ := same.Const()
	top := new(big.Int).Sub(n, dBig)
	top.Sub(top, big.NewInt(1))
	lower := auto.Cut(auto.NonNeg(logic.Add(ns, same), []Theorem{nM}, eq(-1)), n, s)
	room := logic.Sub(logic.IntConst(top), logic.Add(ns, same))
	upper := auto.Cut(auto.NonNeg(room, []Theorem{below}, eq(1)), n, logic.Neg(s))
	lo := new(big.Int).Neg(k)
	lo.Neg(lo.Div(k, n)) // −⌊k/n⌋: the least s with n·s + k ≥ 0
	hi := new(big.Int).Sub(top, k)
	hi.Div(hi, n)
	if lo.Cmp(hi) > 0 {
		return auto.Must(contradiction(lower, upper))
	}
	if lo.Cmp(hi) != 0 {
		panic(fmt.Errorf("digit %d: more than one quotient", d))
	}
	// s = lo, so 2^w·m = n·lo + k, which is not divisible
	is := auto.Must(kernel.Antisym(logic.Sub(s, logic.IntConst(lo)), lower, upper))
	value := new(big.Int).Mul(n, lo)
	value.Add(value, k)
	v := logic.IntConst(value)
	all := func(by int64) []auto.Lin {
		return []auto.Lin{eq(by), {Th: is, L: s, R: logic.IntConst(lo), By: auto.Scale(n, logic.N(by))}}
	}
	ge := auto.Cut(auto.NonNeg(logic.Sub(M, v), nil, all(1)...), auto.Pow2(l.w), l.m)
	le := auto.Cut(auto.NonNeg(logic.Sub(v, M), nil, all(-1)...), auto.Pow2(l.w), logic.Neg(l.m))
	th, err := contradiction(ge, le)
	if err != nil {
		panic(fmt.Errorf("digit %d: %v is a multiple of 2^%d: the points may be equal", d, value, l.w))
	}
	return th
}

// contradiction derives false from facts 0 ≤ aᵢ whose sum is a negative constant.
func contradiction(facts ...Theorem) (Theorem, error) {
	sum := logic.N(1)
	var ps []kernel.Product
	for i, f := range facts {
		sum = logic.Add(sum, f.Concl().Arg(0))
		ps = append(ps, kernel.Product{Coef: big.NewInt(1), Factors: []int{i}})
	}
	v, ok := sum.Const()
	if !ok || v.Sign() > 0 {
		return Theorem{}, fmt.Errorf("%v is not negative", sum)
	}
	if v.Sign() < 0 {
		ps = append(ps, kernel.Product{Coef: v.Neg(v)})
	}
	return kernel.Le(logic.N(-1), facts, ps)
}
