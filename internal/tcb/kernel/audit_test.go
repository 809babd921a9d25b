package kernel

import (
	"math/rand/v2"
	"strings"
	"testing"

	"verum.example/internal/tcb/logic"
)

var falsehoods = []Theorem{
	given(logic.False()),
	given(p),
	given(logic.Eq(x, y)),
	given(logic.Eq(a8, b8)),
	given(logic.Ge0(x)),
	given(logic.Lt(logic.Uint(a8), num(255))),                      // but for one value
	given(logic.Not(logic.Eq(x, num(0)))),                          // likewise
	given(logic.Lt(x, y), logic.Le(x, y)),                          // where the hypothesis is tight
	given(logic.Eq(logic.BVAdd(a8, a8), logic.Shl(a8, 2))),         //
	given(logic.Le(logic.Uint(logic.BVAdd(a8, b8)), num(254))),     //
	given(logic.Eq(pair, logic.MkTuple(x, logic.BVUint(4, 0), p))), //
	given(logic.Iff(logic.Slt(a8, b8), logic.Ult(a8, b8))),         // signs
	given(logic.Eq(logic.Div(logic.Neg(x), num(2)), logic.Neg(logic.Div(x, num(2))))), // rounding
	given(logic.Eq(logic.Uint(logic.BVNeg(a8)), logic.Sub(num(256), logic.Uint(a8)))), // 0
	given(logic.Le(tri.App(n, num(0)), n), logic.Le(n, num(9))),
}

// TestEvaluate: the recorder finds what is false in reasonable time, and nothing in what is true.
func TestEvaluate(t *testing.T) {
	_, held, failed := AuditStats()
	for i, th := range falsehoods {
		err := evaluate("Test", th, rand.New(rand.NewPCG(1, uint64(i))), 3000)
		if err == nil {
			t.Errorf("%v passes", th)
		} else if !strings.Contains(err.Error(), "UNSOUND Test") {
			t.Errorf("%v: %v", th, err)
		}
	}
	_, held2, failed2 := AuditStats()
	if failed2-failed != int64(len(falsehoods)) || held2-held < failed2-failed {
		t.Errorf("%d failures counted of %d; %d evaluations", failed2-failed, len(falsehoods), held2-held)
	}
	for _, a := range applications {
		if a.rule == "Induct" { // its premises are no true sequents, and can't be made so by hypotheses with n
			continue
		}
		out, err := a.run(t, func(i int, th Theorem) Theorem { return given(th.t.concl, th.t.concl) })
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range out {
			if err := evaluate(a.String(), th, rand.New(rand.NewPCG(2, 2)), 50); err != nil {
				t.Error(err)
			}
		}
	}
	// True hypotheses are needed for a verdict; false ones, and evaluations over the budget, give none.
	for _, th := range []Theorem{given(logic.False(), logic.False()), given(q, logic.Lt(x, x)), given(logic.Eq(squares.App(logic.Pow2(70)), num(0))),
		given(q, logic.Eq(squares.App(logic.Pow2(70)), num(0)))} {
		_, before, _ := AuditStats()
		if err := evaluate("Test", th, rand.New(rand.NewPCG(3, 3)), 20); err != nil {
			t.Error(err)
		}
		if _, after, _ := AuditStats(); after != before {
			t.Errorf("%v: %d verdicts", th, after-before)
		}
	}
}

// TestAudit: with the recorder on, a theorem that a broken rule would make is refused and counted; true ones pass, and
// every n-th is evaluated.
func TestAudit(t *testing.T) {
	defer func(old int64) { auditEvery = old }(auditEvery)
	auditEvery = 1
	n0, _, f0 := AuditStats()
	th, err := newTheorem("Broken", logic.False(), nil, 0)
	if err == nil || !th.IsZero() || !strings.Contains(err.Error(), "UNSOUND Broken") {
		t.Errorf("%v %v", th, err)
	}
	th, err = conclude("Broken", logic.Lt(logic.Add(logic.Mul(x, x), num(5)), num(5)), given(logic.Ge0(logic.Mul(x, x))))
	if err == nil || !th.IsZero() {
		t.Errorf("%v %v", th, err)
	}
	lo, hi, err := UintRange(a8)
	if err != nil || lo.IsZero() || hi.IsZero() {
		t.Error(err)
	}
	n1, _, f1 := AuditStats()
	if n1-n0 != 4 || f1-f0 != 2 {
		t.Errorf("%d theorems evaluated, %d failures; want 4, 2", n1-n0, f1-f0)
	}
	// Two results of one rule: when the second is refused, neither is given.
	if lo, hi, err := ModRange(x, num(-4), given(logic.False())); err == nil {
		t.Logf("%v %v", lo, hi) // false: never evaluated with true hypotheses, unless it is closed
	} else if !lo.IsZero() || !hi.IsZero() {
		t.Errorf("an error and theorems %v %v", lo, hi)
	}

	auditEvery = 3
	n0, _, _ = AuditStats()
	for range 30 {
		must(DivMod(x, y))
	}
	if n1, _, _ := AuditStats(); n1-n0 != 10 {
		t.Errorf("%d of 30 evaluated, want 10", n1-n0)
	}
	auditEvery = 0
	n0, _, _ = AuditStats()
	must(DivMod(x, y))
	if n1, _, _ := AuditStats(); n1 != n0 {
		t.Error("evaluated although it's off")
	}
}

// TestAuditRules: all generators pass with every theorem recorded.
func TestAuditRules(t *testing.T) {
	defer func(old int64) { auditEvery = old }(auditEvery)
	auditEvery = 1
	_, _, before := AuditStats()
	for rule := range generators {
		for seed := range uint64(8) {
			inGeneration(t, func() {
				if _, err := generators[rule](seeded(1000 + seed)); err != nil && strings.Contains(err.Error(), "UNSOUND") {
					t.Errorf("%s, seed %d: %v", rule, 1000+seed, err)
				}
			})
		}
	}
	if _, _, after := AuditStats(); after != before {
		t.Errorf("%d failures", after-before)
	}
}

// TestRandomValue: values belong to their sorts, and those where rules go wrong come up.
func TestRandomValue(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, s := range []logic.Sort{logic.Bool(), logic.Int(), logic.BV(1), logic.BV(8), logic.BV(64), logic.BV(65), logic.BV(logic.MaxWidth), pairSort, logic.TupleOf(pairSort, logic.BV(3))} {
		v := logic.Var("v", s)
		zero, top, neg := false, false, false
		for range 2000 {
			x := randomValue(r, s)
			if _, err := logic.Eval(v, map[logic.Term]logic.Value{v: x}, 10); err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			zero = zero || x.Big().Sign() == 0
			top = top || s.Kind() == logic.KindBV && x.Big().Cmp(ones(s.Width())) == 0
			neg = neg || x.Big().Sign() < 0
			if s.Width() > 1000 && zero {
				break // slow
			}
		}
		if !zero || s.Kind() == logic.KindBV && s.Width() < 1000 && !top || neg != (s == logic.Int()) {
			t.Errorf("%v: zero %v, all ones %v, negative %v", s, zero, top, neg)
		}
	}
}
