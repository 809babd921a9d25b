package emit

import (
	"strings"
	"testing"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// TestFormula: formulas read as people write them, and numbers are abbreviated only where they occur as a whole.
func TestFormula(t *testing.T) {
	type env = contract.Env
	n := logic.N
	for _, tt := range []struct {
		f    func(e env) logic.Term
		want string
	}{
		{func(e env) logic.Term { return logic.Lt(e.After().LE("r"), n(1000)) }, "r' < 1000"},
		{func(e env) logic.Term { return logic.Le(n(1000), e.LE("a")) }, "a ≥ 1000"},
		{func(e env) logic.Term { return logic.Le(e.LE("a"), e.LE("b")) }, "a ≤ b"},
		{func(e env) logic.Term { return logic.Eq(e.After().LE("r"), e.BE("s")) }, "r' = BE(s)"},
		{func(e env) logic.Term { return logic.Eq(e.LE("s"), e.After().LE("r")) }, "r' = s"},
		{func(e env) logic.Term {
			return logic.Cong(logic.Mul(logic.Pow2(256), e.After().LE("r")), logic.Mul(e.LE("a"), e.LE("b"), e.LE("b")), n(97))
		}, "2^256·r' ≡ a·b·b (mod 97)"},
		{func(e env) logic.Term { return logic.Eq(logic.Add(e.LE("a"), e.LE("b")), n(70000)) }, "a + b = 0x11170"},
		// one word alone
		{func(e env) logic.Term { return logic.Eq(logic.Uint(e.Word("a", 1)), n(7)) }, "uint(a[1]) = 7"},
		{func(e env) logic.Term { return logic.Eq(logic.Uint(e.Word("a", 0)), n(7)) }, "uint(a[0]) = 7"},
		{func(e env) logic.Term { return logic.Eq(e.LE("c"), n(7)) }, "c = 7"},
		{func(e env) logic.Term { return logic.Eq(e.Uint("k"), e.LE("c")) }, "c = k"},
		{func(e env) logic.Term { return logic.Eq(logic.Uint(e.Result()), n(1)) }, "ok = 1"},
		{func(e env) logic.Term { return logic.Eq(e.Word("a", 1), e.After().Word("r", 0)) }, "r'[0] = a[1]"},
		{func(e env) logic.Term {
			return logic.Imp(logic.Eq(e.Word("c", 0), logic.BVUint(64, 5)), logic.Eq(e.After().LE("r"), n(0)))
		}, "c[0] = 0x5:64 ⇒ r' = 0"},
		{func(e env) logic.Term {
			return logic.Imp(logic.Lt(e.LE("a"), n(9)), logic.And(logic.Lt(e.After().LE("r"), n(9)), logic.Eq(e.LE("c"), n(1))))
		}, "a < 9 ⇒ c = 1 ∧ r' < 9"},
		{func(e env) logic.Term {
			return logic.Or(logic.Eq(e.Word("c", 0), logic.BVUint(64, 0)), logic.Eq(e.Word("c", 0), logic.BVUint(64, 1)))
		}, "c[0] = 0x0:64 ∨ c[0] = 0x1:64"},
		{func(e env) logic.Term {
			return logic.Not(logic.And(logic.Lt(e.LE("a"), n(9)), logic.Lt(e.LE("b"), n(9))))
		}, "¬(a < 9 ∧ b < 9)"},
		{func(e env) logic.Term { return logic.Not(logic.Eq(e.LE("a"), n(3))) }, "¬(a = 3)"},
		{func(e env) logic.Term {
			return logic.Imp(logic.Imp(logic.Lt(e.LE("a"), n(9)), logic.Eq(e.LE("c"), n(1))), logic.Eq(e.LE("c"), n(2)))
		}, "a < 9 ∧ ¬(c = 1) ∨ c = 2"},
		{func(e env) logic.Term { return logic.Not(logic.Ult(e.Word("a", 0), e.Word("b", 0))) }, "¬(a[0] <u b[0])"},
	} {
		c, err := contract.New(contract.Func{
			Name: "f",
			Params: []contract.Param{contract.Out("r", 32), contract.In("a", 32), contract.In("b", 32), contract.In("s", 32).Of(1),
				contract.In("c", 8), contract.UintArg("k")},
			Result:  "ok",
			Ensures: func(e env) []logic.Term { return []logic.Term{tt.f(e)} },
		})
		if err != nil {
			t.Fatalf("%s: %v", tt.want, err)
		}
		ts := c.Patterns()[0].Ensures()
		got := strings.Join(formulas("Ensures", "", ts, c)[1:], "")
		if got != "\t"+tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"", ""}, {"a b c", "a b c"}, {"aaaa bbbb cccc", "aaaa bbbb|cccc"}, {"aaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaa|b"}, {"äääää ööööö", "äääää|ööööö"},
	} {
		if got := strings.Join(wrap(tt.s, 10), "|"); got != tt.want {
			t.Errorf("wrap(%q) is %q, want %q", tt.s, got, tt.want)
		}
	}
}
