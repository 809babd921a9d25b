package kernel

import (
	"slices"
	"testing"

	"verum.example/internal/tcb/logic"
)

// TestInductSideConditions: each case has true premises (they are given, and argued for) and would prove something
// false without the condition that refuses it.
func TestInductSideConditions(t *testing.T) {
	s, w := logic.Var("s", logic.Int()), logic.Var("w", logic.Int())
	next := logic.Add(n, num(1))
	le := func(a, b logic.Term) logic.Term { return logic.Le(a, b) }
	for _, c := range []struct {
		name       string
		p          logic.Term
		base, step Theorem
		insts      []map[logic.Term]logic.Term
		would      logic.Term // what would follow without hypotheses; false for some n
	}{{
		name: "1 ≤ 0: the step's hypothesis is the negation of 0 ≤ n", // n+1 ≤ 0 follows from n ≤ −1
		p:    le(n, num(0)), base: given(logic.True()), step: given(le(next, num(0)), le(n, num(-1))),
		would: le(n, num(0)),
	}, {
		name: "the step assumes a bound of n", // n ≤ 5
		p:    le(n, num(5)), base: given(logic.True()), step: given(le(next, num(5)), le(n, num(4))),
		would: le(n, num(5)),
	}, {
		name: "the step assumes P(n+1)",
		p:    le(n, num(0)), base: given(logic.True()), step: given(le(next, num(0)), le(next, num(0))),
		would: le(n, num(0)),
	}, {
		name: "the step assumes P(n−1), which is no induction hypothesis", // n ≤ 1: P(n−1) is n ≤ 2, which with n+1 ≤ 2 …
		p:    le(n, num(1)), base: given(logic.True()), step: given(le(next, num(1)), le(n, num(1)), le(logic.Add(n, num(1)), num(1))),
		would: le(n, num(1)),
	}, {
		name: "the base's hypothesis has n", // from n ≤ 3: P doesn't hold at 0 for all …
		p:    le(x, n), base: given(le(x, num(0)), le(x, n), le(n, num(0))), step: given(le(x, next), le(x, n)),
		would: le(x, n),
	}, {
		name: "the base's hypothesis has a moved variable", // P: x ≤ n under x ≤ 0, instance x−1
		p:    le(x, n), base: given(le(x, num(0)), le(x, num(0))), step: given(le(x, next), le(logic.Sub(x, num(1)), n)),
		insts: []map[logic.Term]logic.Term{{x: logic.Sub(x, num(1))}},
		would: le(x, n),
	}, {
		name: "the step's hypothesis has a moved variable", // P: x = 0, by P[x := 0] and x = 0
		p:    logic.Eq(x, num(0)), base: given(logic.Eq(x, num(0)), logic.Eq(x, num(0))), step: given(logic.Eq(x, num(0)), logic.Eq(x, num(0))),
		insts: []map[logic.Term]logic.Term{{x: num(0)}},
		would: logic.Eq(x, num(0)),
	}, {
		name: "an instance moves a variable of another hypothesis", // P: x ≤ s+n; the step uses P[s := s+1] and 0 ≤ s
		p:    le(x, logic.Add(s, n)), base: given(le(x, s), le(x, num(0)), logic.Ge0(s)), step: given(le(x, logic.Add(s, next)), le(x, logic.Add(s, num(1), n))),
		insts: []map[logic.Term]logic.Term{{s: logic.Add(s, num(1))}},
		would: le(x, logic.Add(s, n)),
	}, {
		name: "an instance moves n", // P[n := n+1] is the conclusion
		p:    le(n, num(0)), base: given(logic.True()), step: given(le(next, num(0)), le(next, num(0))),
		insts: []map[logic.Term]logic.Term{{n: next}},
		would: le(n, num(0)),
	}, {
		name: "an instance moves n, and another variable",
		p:    le(logic.Add(n, w), w), base: given(logic.True()), step: given(le(logic.Add(next, w), w), le(next, num(0))),
		insts: []map[logic.Term]logic.Term{{w: x, n: next}},
		would: le(n, num(0)),
	}, {
		name: "an instance moves n to itself", // harmless, and refused
		p:    le(num(0), n), base: given(logic.True()), step: given(logic.Ge0(next), logic.Ge0(n)),
		insts: []map[logic.Term]logic.Term{{n: n}},
	}, {
		name: "an instance that isn't in the list",
		p:    le(x, logic.Add(s, n)), base: given(le(x, s), le(x, s)), step: given(le(x, logic.Add(s, next)), le(logic.Sub(x, num(1)), logic.Add(s, n))),
		insts: []map[logic.Term]logic.Term{{x: logic.Sub(x, num(2))}},
		would: le(x, logic.Add(s, n)),
	}, {
		name: "an ill-sorted instance",
		p:    le(x, n), base: given(le(x, num(0))), step: given(le(x, next)),
		insts: []map[logic.Term]logic.Term{{x: p}},
	}, {
		name: "an instance for a term",
		p:    le(logic.Uint(a8), n), base: given(le(logic.Uint(a8), num(0))), step: given(le(logic.Uint(a8), next)),
		insts: []map[logic.Term]logic.Term{{logic.Uint(a8): x}},
	}, {
		name: "an instance for the zero Term",
		p:    le(x, n), base: given(le(x, num(0))), step: given(le(x, next)),
		insts: []map[logic.Term]logic.Term{{{}: x}},
	}, {
		name: "an instance with the zero Term",
		p:    le(x, n), base: given(le(x, num(0))), step: given(le(x, next)),
		insts: []map[logic.Term]logic.Term{{x: {}}},
	}} {
		if th, err := Induct(n, c.p, c.base, c.step, c.insts...); err == nil {
			t.Errorf("%s: proved %v", c.name, th)
		} else if !th.IsZero() {
			t.Errorf("%s: an error and a theorem", c.name)
		}
		if c.would.IsZero() {
			continue
		}
		// The premises are true, and the conclusion without the offending hypotheses is false.
		w := seeded(1)
		for _, th := range []Theorem{c.base, c.step} {
			if err := w.check(th, 400); err != nil {
				t.Errorf("%s: a premise isn't true: %v", c.name, err)
			}
		}
		if w.check(given(logic.Imp(logic.Ge0(n), c.would)), 2000) == nil {
			t.Errorf("%s: the conclusion wouldn't be false", c.name)
		}
	}
}

// TestInductDischarge: which hypotheses of the base and of the step remain.
func TestInductDischarge(t *testing.T) {
	p := logic.Ge0(logic.Add(n, c))
	next := logic.Ge0(logic.Add(n, num(1), c))
	from := func(hyps ...logic.Term) []logic.Term { return ordered(hyps) }
	for _, k := range []struct {
		name       string
		base, step []logic.Term
		insts      []map[logic.Term]logic.Term
		want       []logic.Term
	}{
		{"nothing", nil, nil, nil, nil},
		{"0 ≤ n and P", nil, from(logic.Ge0(n), p), nil, nil},
		{"others stay", from(q), from(logic.Ge0(n), p, r, logic.Ge0(c)), nil, from(q, r, logic.Ge0(c))},
		{"shared", from(q, r), from(p, r), nil, from(q, r)},
		{"instances", from(q), from(p, logic.Ge0(logic.Add(n, c, num(3))), logic.Ge0(logic.Add(n, logic.Mul(c, c))), r),
			[]map[logic.Term]logic.Term{{c: logic.Add(c, num(3))}, {c: logic.Mul(c, c)}}, from(q, r)},
		{"instance that moves what isn't there", nil, from(p, logic.Ge0(n)), []map[logic.Term]logic.Term{{u: v}, nil, {}}, nil},
		{"an instance with n", nil, from(logic.Ge0(logic.Add(n, n))), []map[logic.Term]logic.Term{{c: n}}, nil},
	} {
		th, err := Induct(n, p, given(logic.Ge0(c), k.base...), given(next, k.step...), k.insts...)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
		} else if !slices.Equal(th.Hyps(), k.want) || th.Concl() != logic.Imp(logic.Ge0(n), p) {
			t.Errorf("%s: %v, want the hypotheses %v", k.name, th, k.want)
		}
	}
	// The base's own 0 ≤ n and P aren't discharged: they mention n, so they are refused.
	for _, h := range []logic.Term{logic.Ge0(n), p} {
		if th, err := Induct(n, p, given(logic.Ge0(c), h), given(next)); err == nil {
			t.Errorf("the base's hypothesis: %v", th)
		}
	}
	// The stricter 1 ≤ n isn't 0 ≤ n, nor is the weaker 0 ≤ n+1.
	for _, h := range []logic.Term{logic.Le(num(1), n), logic.Ge0(logic.Add(n, num(1))), logic.Not(logic.Ge0(logic.Neg(n)))} {
		if th, err := Induct(n, p, given(logic.Ge0(c)), given(next, h)); err == nil {
			t.Errorf("the step's hypothesis %v: %v", h, th)
		}
	}
	// A property without n, and one with n in hidden places.
	if th := must(Induct(n, q, given(q, r), given(q))); th.Concl() != logic.Imp(logic.Ge0(n), q) || !slices.Equal(th.Hyps(), []logic.Term{r}) {
		t.Errorf("%v", th)
	}
	hidden := logic.Eq(logic.ToBV(8, logic.Add(tri.App(n, n), logic.Uint(a8))), b8)
	at := func(x logic.Term) logic.Term { return logic.Subst(hidden, subst{n: x}) }
	for _, h := range []logic.Term{at(logic.Mul(n, n)), logic.Eq(logic.MkTuple(q, n), logic.MkTuple(r, x)), even.App(logic.Add(x, n))} {
		if th, err := Induct(n, hidden, given(at(num(0))), given(at(logic.Add(n, num(1))), h)); err == nil {
			t.Errorf("n is free in %v: %v", h, th)
		}
	}
	must(Induct(n, hidden, given(at(num(0))), given(at(logic.Add(n, num(1))), hidden)))
}

// TestInductAccumulator: an induction with a changing accumulator, from rules only. it(n, x) = Σ_{i<n} (i+x) is
// n·x + (n²−n)/2, here as 2·it = 2nx + n² − n; the step uses only its own instance. Then Q(n, u):
// 0 ≤ u ⇒ n ≤ u + 2n, by its instance Q(n, u+1).
func TestInductAccumulator(t *testing.T) {
	f := func(k logic.Term) logic.Term { return tri.App(k, x) }
	closed := func(k logic.Term) logic.Term {
		return logic.Sub(logic.Add(logic.Mul(num(2), k, x), logic.Mul(k, k)), k)
	}
	P := logic.Eq(logic.Mul(num(2), f(n)), closed(n))
	base := must(Rewrite(given(P0(P)), Equation{must(Unfold(f(num(0)))), f(num(0)), num(0)}))
	if base.Concl() != logic.True() {
		t.Fatal(base)
	}
	// P[0] itself: 2·f(0) = 0 from f(0) = 0
	e := must(Unfold(f(num(0))))
	base = must(Eq(logic.Mul(num(2), f(num(0))), Multiple{e, num(2)}))
	n1 := logic.Add(n, num(1))
	unf := must(Unfold(f(n1))) // f(n+1) = ite(n+1 ≤ 0, 0, f(n) + n + x)
	cond := logic.Le(n1, num(0))
	pos := must(Le(n, []Theorem{must(Assume(logic.Ge0(n)))}, []Product{{one, []int{0}}}))
	not := must(Taut(logic.Not(cond), pos))
	step := must(Rewrite(unf, Equation{not, cond, logic.False()})) // f(n+1) = f(n) + n + x
	want := logic.Add(f(n), n, x)
	if step.Concl() != logic.Eq(f(n1), want) {
		t.Fatal(step)
	}
	ih := must(Assume(P))
	goal := logic.Sub(logic.Mul(num(2), f(n1)), closed(n1))
	stepP := must(Eq(goal, times(num(2), f(n1), want, step), times(num(1), logic.Mul(num(2), f(n)), closed(n), ih)))
	th := must(Induct(n, P, base, stepP))
	if len(th.Hyps()) != 0 || th.Concl() != logic.Imp(logic.Ge0(n), P) {
		t.Fatal(th)
	}
	w := seeded(5)
	if err := w.check(th, 200); err != nil {
		t.Error(err)
	}

	Q := logic.Imp(logic.Ge0(u), logic.Le(n, logic.Add(u, n, n)))
	inst := subst{u: logic.Add(u, num(1))}
	hyp := must(Assume(logic.Subst(Q, inst)))
	up := must(Le(logic.Add(u, num(1)), []Theorem{must(Assume(logic.Ge0(u)))}, []Product{{one, []int{0}}, {one, nil}}))
	got := must(Taut(logic.Le(n, logic.Add(u, num(1), n, n)), hyp, up))
	better := must(Le(logic.Sub(logic.Add(u, n1, n1), n1), []Theorem{got}, []Product{{one, []int{0}}}))
	stepQ := must(Discharge(logic.Ge0(u), better))
	baseQ := must(Taut(logic.Subst(Q, subst{n: num(0)})))
	if _, err := Induct(n, Q, baseQ, stepQ); err == nil {
		t.Error("the instance is discharged although it isn't listed")
	}
	if th := must(Induct(n, Q, baseQ, stepQ, inst)); len(th.Hyps()) != 0 {
		t.Error(th)
	}
}

// P0 is P at n = 0.
func P0(P logic.Term) logic.Term { return logic.Subst(P, subst{n: num(0)}) }
