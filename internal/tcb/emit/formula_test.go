package emit

import (
	"strings"
	"testing"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
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
		}, "c[0] = 5 ⇒ r' = 0"},
		{func(e env) logic.Term {
			return logic.Imp(logic.Lt(e.LE("a"), n(9)), logic.And(logic.Lt(e.After().LE("r"), n(9)), logic.Eq(e.LE("c"), n(1))))
		}, "a < 9 ⇒ c = 1 ∧ r' < 9"},
		{func(e env) logic.Term {
			return logic.Or(logic.Eq(e.Word("c", 0), logic.BVUint(64, 0)), logic.Eq(e.Word("c", 0), logic.BVUint(64, 1)))
		}, "c[0] = 0 ∨ c[0] = 1"},
		{func(e env) logic.Term {
			return logic.Not(logic.And(logic.Lt(e.LE("a"), n(9)), logic.Lt(e.LE("b"), n(9))))
		}, "¬(a < 9 ∧ b < 9)"},
		{func(e env) logic.Term { return logic.Not(logic.Eq(e.LE("a"), n(3))) }, "¬(a = 3)"},
		{func(e env) logic.Term {
			return logic.Imp(logic.Imp(logic.Lt(e.LE("a"), n(9)), logic.Eq(e.LE("c"), n(1))), logic.Eq(e.LE("c"), n(2)))
		}, "a < 9 ∧ ¬(c = 1) ∨ c = 2"},
		{func(e env) logic.Term { return logic.Not(logic.Ult(e.Word("a", 0), e.Word("b", 0))) }, "¬(a[0] <u b[0])"},
		// below other operations
		{func(e env) logic.Term {
			return logic.Eq(e.After().LE("r"), logic.Mod(logic.Mul(e.LE("a"), logic.Div(e.BE("s"), e.LE("b"))), n(97)))
		}, "r' = ((BE(s) div b)·a) mod 97"},
		{func(e env) logic.Term {
			return logic.Eq(e.After().Word("r", 0), logic.Ite(logic.Lt(e.LE("a"), n(9)), e.Word("a", 0), logic.BVUint(64, 1<<63)))
		}, "r'[0] = ite(a < 9, a[0], 2^63)"},
		{func(e env) logic.Term {
			return logic.Eq(e.After().Word("r", 0), logic.ToBV(64, logic.Mul(e.LE("a"), e.LE("a"))))
		}, "r'[0] = bv64(a·a)"},
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
		got := strings.Join(formulas("Ensures", "", ts, c, 9)[1:], "")
		if got != "\t"+tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestFormulaText: a number may be made of any terms, which have its name where they occur alone.
func TestFormulaText(t *testing.T) {
	x, y := logic.Var("x", logic.BV(64)), logic.Var("y", logic.BV(64))
	lo, hi := logic.BVAdd(x, y), logic.BVMul(x, y)
	sum := logic.Add(logic.Uint(lo), logic.Mul(logic.Pow2(64), logic.Uint(hi)))
	for _, tt := range []struct {
		t    logic.Term
		want string
	}{
		{logic.Eq(logic.Mul(logic.N(3), sum), logic.Mul(logic.Uint(x), logic.Uint(y))), "p·uint(y) = 3·t"},
		{logic.Lt(sum, logic.Pow2(65)), "t < 2^65"},
		{logic.Eq(logic.Uint(hi), logic.N(7)), "uint(u[1]) = 7"},
		{logic.Eq(lo, hi), "u[0] = u[1]"},
		{sum, "t"},
		// an element may be shorter than its place
		{logic.Add(sum, logic.Mul(logic.Pow2(128), logic.Uint(logic.Extract(7, 0, lo)))), "u"},
		{logic.Neg(logic.Uint(x)), "-p"},
		{logic.Sub(sum, logic.Mul(logic.N(2), logic.Uint(x))), "t - 2·p"},
		{logic.Sub(logic.N(7), logic.Add(logic.Uint(x), logic.Uint(y))), "7 - (p + uint(y))"},
		{logic.Term{}, logic.Term{}.Format(maxDepth)},
	} {
		if got := FormulaText(tt.t, Number{"u", []logic.Term{lo, hi, logic.Zext(64, logic.Extract(7, 0, lo))}}, Number{"t", []logic.Term{lo, hi}}, Number{"p", []logic.Term{x}}, Number{"none", nil}); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if ContractText(machine.Verified{}) != nil {
		t.Error("the zero Verified has a contract")
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
