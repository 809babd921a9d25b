package contract

import (
	"math/big"
	"strings"
	"testing"

	"verum.example/internal/tcb/logic"
)

func base() Func {
	return Func{
		Name:     "f",
		Doc:      "f is a function.",
		Params:   []Param{Out("r", 16), In("a", 16), In("b", 16).Of(1), UintArg("n"), Slice("m", ModeIn, 8, "n"), ScratchBuf("s", 8)},
		Result:   "ok",
		Alias:    [][]string{{"r", "a"}},
		Requires: func(e Env) []logic.Term { return []logic.Term{logic.Lt(e.LE("a"), e.BE("b"))} },
		Leaks:    func(e Env) []logic.Term { return []logic.Term{e.Word("a", 1), e.Uint("n")} },
		Ensures: func(e Env) []logic.Term {
			return []logic.Term{logic.Eq(e.After().Bytes("r", 4, 8), e.Bytes("a", 0, 8)), logic.Eq(e.Result(), e.Arg("n")), logic.Le(e.LE("m"), e.Len("m"))}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"n": big.NewInt(2), "m": big.NewInt(9), "b": big.NewInt(77)}
		},
	}
}

func TestNew(t *testing.T) {
	c, err := New(base())
	if err != nil {
		t.Fatal(err)
	}
	ps := c.Patterns()
	if len(ps) != 2 || ps[0].Names() != nil || strings.Join(ps[1].Names(), "=") != "r=a" {
		t.Fatalf("patterns %v", ps)
	}
	p := ps[0]
	a, b, r, n, m := p.Before("a"), p.Before("b"), p.After("r"), p.Arg("n"), p.Before("m")
	if len(a) != 2 || len(b) != 16 || len(r) != 2 || len(m) != 1 || m[0].Sort() != logic.Int() || b[0].Sort() != logic.BV(8) {
		t.Fatalf("variables %v %v %v %v", a, b, r, m)
	}
	le := logic.Add(logic.Uint(a[0]), logic.Mul(logic.Pow2(64), logic.Uint(a[1])))
	be := logic.N(0)
	for i := range 16 {
		be = logic.Add(logic.Mul(logic.N(256), be), logic.Uint(b[i]))
	}
	for _, tc := range []struct{ got, want logic.Term }{
		{p.Requires()[0], logic.Lt(le, be)},
		{p.Leaks()[0], a[1]},
		{p.Leaks()[1], logic.Uint(n)},
		{p.Ensures()[0], logic.Eq(logic.Concat(logic.Extract(63, 32, r[0]), logic.Extract(31, 0, r[1])), a[0])},
		{p.Ensures()[1], logic.Eq(p.Result(), n)},
		{p.Ensures()[2], logic.Le(m[0], logic.Mul(logic.N(8), logic.Uint(n)))},
	} {
		if tc.got != tc.want {
			t.Errorf("got %v, want %v", tc.got, tc.want)
		}
	}
	// in the alias pattern r and a have the same contents before, and other variables than in the first
	q := ps[1]
	if x := q.Before("r"); x[0] != q.Before("a")[0] || x[1] != q.Before("a")[1] || x[0] == a[0] {
		t.Errorf("aliased %v %v", x, q.Before("a"))
	}
	// whatever comes out is a copy
	p.Before("a")[0] = logic.N(0)
	p.Requires()[0] = logic.True()
	c.Params()[0].Name = "x"
	c.Witness("b").SetInt64(5)
	ps[1].Names()[0] = "x"
	if p.Before("a")[0] != a[0] || p.Requires()[0] == logic.True() || c.Params()[0].Name != "r" || c.Witness("b").Int64() != 77 || q.Names()[0] != "r" {
		t.Error("the contract has changed")
	}
	if c.Witness("a").Sign() != 0 || c.Internal() {
		t.Error("defaults")
	}
	for i, want := range []string{"*[2]uint64", "*[2]uint64", "*[16]byte", "uint64", "*uint64", "*[1]uint64"} {
		if got := c.Params()[i].GoType(); got != want {
			t.Errorf("type %s, want %s", got, want)
		}
	}
}

// TestTrial: a trial contract is as any other, but for its name, which begins with an underscore whatever it was.
func TestTrial(t *testing.T) {
	for _, name := range []string{"f", "P", "_"} {
		f := base()
		f.Name = name
		if c, err := NewTrial(f); err != nil || c.Name() != "_"+name || c.Internal() || len(c.Patterns()) != 2 {
			t.Errorf("%s: %s, %v", name, c.Name(), err)
		}
	}
	f := base()
	f.Name = ""
	if _, err := NewTrial(f); err == nil {
		t.Error("a contract without a name")
	}
}

// TestSealed: the functions of a Func are called by New only, and neither they nor the slices given matter afterwards.
func TestSealed(t *testing.T) {
	f := base()
	calls := 0
	var kept Env
	req := f.Requires
	f.Requires = func(e Env) []logic.Term { calls++; kept = e; return req(e) }
	c, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	f.Params[0].Name, f.Alias[0][0] = "q", "b"
	kept.LE("nothing")
	_ = kept.After().LE("r")
	if calls != 2 || c.Params()[0].Name != "r" || c.Patterns()[1].Names()[0] != "r" {
		t.Errorf("%d calls, %v", calls, c.Params())
	}
	var z Contract
	if !z.IsZero() || z.Name() != "" || z.Params() != nil || z.Patterns() != nil || z.Witness("a").Sign() != 0 || z.Doc() != "" {
		t.Error("the zero Contract")
	}
	if (Env{}).LE("a") != (logic.Term{}) || (Env{}).Arg("a") != (logic.Term{}) || (Env{}).Len("a") != (logic.Term{}) || (Env{}).Result() != (logic.Term{}) || (Env{}).Aliased() != nil {
		t.Error("the zero Env")
	}
	if (Pattern{}).Before("a") != nil || (Pattern{}).Names() != nil {
		t.Error("the zero Pattern")
	}
}

func TestRefuses(t *testing.T) {
	one := func(g func(e Env) logic.Term) func(Env) []logic.Term {
		return func(e Env) []logic.Term { return []logic.Term{g(e)} }
	}
	for _, tc := range []struct {
		want string
		f    func(*Func)
	}{
		{"no Go identifier", func(f *Func) { f.Name = "1f" }},
		{"no name for a result", func(f *Func) { f.Result = "_" }},
		{"a public result, but no result", func(f *Func) { f.Result, f.ResultPublic, f.Ensures = "", true, nil }},
		{"declared twice", func(f *Func) { f.Params[1].Name = "r" }},
		{"declared twice", func(f *Func) { f.Result = "r" }},
		{"no parameter name", func(f *Func) { f.Params[1].Name = "" }},
		{"a by-value argument is a public uint64", func(f *Func) { f.Params[3].Public = false }},
		{"a by-value argument is a public uint64", func(f *Func) { f.Params[3].Bytes = 8 }},
		{"elements of 3 bytes", func(f *Func) { f.Params[1].Elem = 3 }},
		{"no mode", func(f *Func) { f.Params[1].Mode = 0 }},
		{"scratch memory is not public", func(f *Func) { f.Params[5].Public = true }},
		{"symbolic and constant length", func(f *Func) { f.Params[4].Bytes = 8 }},
		{"0 bytes", func(f *Func) { f.Params[1].Bytes = 0 }},
		{"17 bytes", func(f *Func) { f.Params[1].Bytes = 17 }},
		{"its length q is no by-value parameter", func(f *Func) { f.Params[4].Len = "q" }},
		{"its length a is no by-value parameter", func(f *Func) { f.Params[4].Len = "a" }},
		{"fewer than two", func(f *Func) { f.Alias = [][]string{{"r"}} }},
		{"no pointer to a region of constant size", func(f *Func) { f.Alias = [][]string{{"r", "n"}} }},
		{"no pointer to a region of constant size", func(f *Func) { f.Alias = [][]string{{"r", "m"}} }},
		{"no pointer to a region of constant size", func(f *Func) { f.Alias = [][]string{{"r", "q"}} }},
		{"listed twice", func(f *Func) { f.Alias = [][]string{{"r", "r"}} }},
		{"listed twice", func(f *Func) { f.Alias = [][]string{{"r", "a"}, {"a", "r"}} }},
		{"is scratch memory", func(f *Func) { f.Alias = [][]string{{"r", "s"}} }},
		{"differ in size or element", func(f *Func) { f.Alias = [][]string{{"r", "b"}} }},
		{"0 of the parameters are written", func(f *Func) { f.Params[2] = In("b", 16); f.Alias = [][]string{{"a", "b"}} }},
		{"2 of the parameters are written", func(f *Func) {
			f.Params[2] = Out("b", 16)
			f.Requires = nil
			f.Witness = nil
			f.Alias = [][]string{{"r", "b"}}
		}},
		{"Requires 0 is no Bool", func(f *Func) { f.Requires = one(func(e Env) logic.Term { return e.LE("a") }) }},
		{"Ensures 0: ill-formed", func(f *Func) {
			f.Ensures = one(func(e Env) logic.Term { return logic.Add(e.Word("a", 0), logic.N(1)) })
		}},
		{"only Ensures may speak about the state after", func(f *Func) { f.Requires = one(func(e Env) logic.Term { return logic.Ge0(e.After().LE("r")) }) }},
		{"there is no result here", func(f *Func) { f.Leaks = one(func(e Env) logic.Term { return e.Result() }) }},
		{"says nothing about its contents before", func(f *Func) { f.Ensures = one(func(e Env) logic.Term { return logic.Ge0(e.LE("r")) }) }},
		{"says nothing about its contents before", func(f *Func) { f.Ensures = one(func(e Env) logic.Term { return logic.Ge0(e.LE("s")) }) }},
		{"says nothing about its contents after", func(f *Func) { f.Ensures = one(func(e Env) logic.Term { return logic.Ge0(e.After().LE("a")) }) }},
		{"says nothing about its contents after", func(f *Func) { f.Ensures = one(func(e Env) logic.Term { return logic.Ge0(e.After().LE("s")) }) }},
		{"z is not something", func(f *Func) {
			f.Requires = one(func(e Env) logic.Term { return logic.Ge0(logic.Var("z", logic.Int())) })
		}},
		{"q is no pointer parameter", func(f *Func) { f.Requires = one(func(e Env) logic.Term { return logic.Ge0(e.LE("q")) }) }},
		{"q is no by-value parameter", func(f *Func) { f.Requires = one(func(e Env) logic.Term { return logic.Ge0(e.Uint("q")) }) }},
		{"8 bytes at 16 are outside", func(f *Func) { f.Leaks = one(func(e Env) logic.Term { return e.Word("a", 2) }) }},
		{"no big-endian number", func(f *Func) { f.Leaks = one(func(e Env) logic.Term { return e.BE("m") }) }},
		{"its contents are not an Int", func(f *Func) { f.Leaks = one(func(e Env) logic.Term { return e.At("a", logic.N(0), 8) }) }},
		{"witness: r is no input", func(f *Func) {
			f.Witness = func() map[string]*big.Int { return map[string]*big.Int{"r": new(big.Int)} }
		}},
		{"more than 128 bits", func(f *Func) {
			f.Witness = func() map[string]*big.Int { return map[string]*big.Int{"a": new(big.Int).Lsh(big.NewInt(1), 128)} }
		}},
		{"no natural number", func(f *Func) {
			f.Witness = func() map[string]*big.Int { return map[string]*big.Int{"a": big.NewInt(-1)} }
		}},
		{"m has more than 0 bits", func(f *Func) {
			f.Witness = func() map[string]*big.Int { return map[string]*big.Int{"m": big.NewInt(1)} }
		}},
		{"the length of m is too large", func(f *Func) {
			f.Witness = func() map[string]*big.Int { return map[string]*big.Int{"n": big.NewInt(1 << 50)} }
		}},
	} {
		f := base()
		tc.f(&f)
		if c, err := New(f); err == nil || !strings.Contains(err.Error(), tc.want) || !c.IsZero() {
			t.Errorf("want %q, got %v", tc.want, err)
		}
	}
	if _, err := NewInternal(base()); err == nil || !strings.Contains(err.Error(), "a routine's regions have constant size") {
		t.Errorf("internal: %v", err)
	}
}

// TestInts: numbers of bytes.
func TestInts(t *testing.T) {
	eval := func(x logic.Term, env map[logic.Term]logic.Value) *big.Int {
		v, err := logic.Eval(x, env, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return v.Big()
	}
	m, o := logic.Fresh("m", logic.Int()), logic.Fresh("o", logic.Int())
	bytes := big.NewInt(0x0807060504030201)
	for off := range int64(8) {
		env := map[logic.Term]logic.Value{m: logic.IntValue(bytes), o: logic.IntValue(big.NewInt(off))}
		for w := 1; int(off)+w <= 8; w++ {
			want := new(big.Int).Rsh(bytes, uint(8*off))
			want.And(want, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*w)), big.NewInt(1)))
			if got := eval(LoadInt(m, o, w), env); got.Cmp(want) != 0 {
				t.Errorf("load %d at %d: %x", w, off, got)
			}
			if got := eval(LoadInt(m, logic.N(off), w), env); got.Cmp(want) != 0 {
				t.Errorf("load %d at %d: %x", w, off, got)
			}
			// storing what is there changes nothing; storing zeros clears it
			if got := eval(StoreInt(m, o, logic.IntConst(want), w), env); got.Cmp(bytes) != 0 {
				t.Errorf("store %d at %d: %x", w, off, got)
			}
			clear := new(big.Int).Sub(bytes, new(big.Int).Lsh(want, uint(8*off)))
			if got := eval(StoreInt(m, o, logic.N(0), w), env); got.Cmp(clear) != 0 {
				t.Errorf("clear %d at %d: %x", w, off, got)
			}
		}
		if got := eval(Pow256(o), env); got.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(8*off))) != 0 {
			t.Errorf("256^%d = %v", off, got)
		}
	}
}
