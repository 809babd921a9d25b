package logic

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
)

// varsOf lists the variables of an expression, in the order of their first use.
func varsOf(e *expr) []varKey {
	var ks []varKey
	seen := map[*expr]bool{}
	var walk func(e *expr)
	walk = func(e *expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		if k := (varKey{e.name, e.sort}); e.op == "var" && !slices.Contains(ks, k) {
			ks = append(ks, k)
		}
		for _, a := range e.args {
			walk(a)
		}
	}
	walk(e)
	return ks
}

// substLemma checks that t[σ] means under an assignment what t means when each variable has the value of its image.
func substLemma(t testing.TB, g *generator, e *expr, depth int) {
	t.Helper()
	b := builder{}
	term := b.build(e)
	sigma := map[Term]Term{}
	images := map[varKey]*expr{}
	for _, k := range varsOf(e) {
		if g.intn(5) == 0 {
			continue
		}
		var x *expr
		if g.intn(3) == 0 { // constants let folds fire that couldn't before
			if x = (&expr{op: "const", sort: k.sort, c: g.value(k.sort).b}); x.c == nil {
				continue
			}
		} else {
			x = g.expr(k.sort, depth)
		}
		images[k] = x
		sigma[Var(k.name, k.sort)] = b.build(x)
	}
	got := Subst(term, sigma)
	if err := got.Err(); err != nil {
		t.Fatal(err)
	}
	if got.Sort() != term.Sort() {
		t.Fatalf("%v becomes %v", term.Sort(), got.Sort())
	}
	checker{}.check(t, got.n)
	if again := NewSubst(sigma).Apply(term); again != got {
		t.Fatal("two results of one substitution")
	}
	all := []*expr{e}
	for _, k := range varsOf(e) {
		if x := images[k]; x != nil {
			all = append(all, x)
		}
	}
	for range 3 {
		env := g.assignment(&expr{args: all})
		inner := newOracle(env)
		moved := assignment{}
		for _, k := range varsOf(e) {
			if moved[k] = env[k]; images[k] != nil {
				moved[k] = inner.eval(images[k])
			}
		}
		want := newOracle(moved).eval(e)
		if v, err := Eval(got, env.terms(), 1e6); err != nil || !want.is(v) {
			t.Fatalf("%v\nunder %v\nis %v, want %v (%v)", got.Format(30), env, v, want, err)
		}
		if v, err := Eval(term, moved.terms(), 1e6); err != nil || !want.is(v) {
			t.Fatalf("%v\nunder %v\nis %v, want %v (%v)", term.Format(30), moved, v, want, err)
		}
	}
}

// subterms lists the subterms of a term that Replace can replace.
func subterms(t Term) []Term {
	var ns []Term
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		ns = append(ns, Term{n})
		for _, a := range n.args {
			walk(a)
		}
		for _, m := range n.poly {
			for _, v := range m.v {
				walk(v)
			}
		}
	}
	walk(t.n)
	return ns
}

// replaceLemma checks that replacing subterms by variables that have their values doesn't change the value.
func replaceLemma(t testing.TB, g *generator, e *expr) {
	t.Helper()
	term := builder{}.build(e)
	subs := subterms(term)
	m := map[Term]Term{}
	for range 1 + g.intn(4) {
		s := subs[g.intn(len(subs))]
		if m[s].IsZero() {
			m[s] = Var(fmt.Sprint("new", len(m)), s.Sort())
		}
	}
	got := Replace(term, m)
	if err := got.Err(); err != nil {
		t.Fatal(err)
	}
	checker{}.check(t, got.n)
	for range 3 {
		env := g.assignment(e).terms()
		ext := map[Term]Value{}
		for v, x := range env {
			ext[v] = x
		}
		for s, v := range m {
			x, err := Eval(s, env, 1e6)
			if err != nil {
				t.Fatal(err)
			}
			ext[v] = x
		}
		want, err1 := Eval(term, env, 1e6)
		v, err2 := Eval(got, ext, 1e6)
		if err1 != nil || err2 != nil || !want.equal(v) {
			t.Fatalf("%v\nwith %v\n%v\nis %v, want %v (%v, %v)", term.Format(30), m, got.Format(30), v, want, err1, err2)
		}
	}
}

func TestSubstitutionLemma(t *testing.T) {
	for i := range 12 {
		inGeneration(t, func() {
			for j := range 100 {
				g := newGenerator(seeded(uint64(7000+100*i+j)), 50)
				g.bits = j%2 == 1
				s := BV(g.width())
				if j%4 == 0 {
					s = g.sortAny()
				}
				e := g.expr(s, 4)
				g.left = 30
				substLemma(t, g, e, 3)
				replaceLemma(t, g, e)
			}
		})
	}
}

func TestSubst(t *testing.T) {
	x, y, z := Var("x", BV(16)), Var("y", BV(16)), Var("z", BV(16))
	i, j := Var("i", Int()), Var("j", Int())
	p := Var("p", Bool())
	m := func(ts ...Term) map[Term]Term {
		r := map[Term]Term{}
		for i := 0; i < len(ts); i += 2 {
			r[ts[i]] = ts[i+1]
		}
		return r
	}
	for _, c := range []struct {
		name      string
		got, want Term
	}{
		{"simultaneous", Subst(BVAdd(x, BVNeg(y)), m(x, y, y, x)), BVAdd(y, BVNeg(x))},
		{"not repeated", Subst(x, m(x, y, y, z)), y},
		{"image mentions the variable", Subst(Add(i, j), m(i, Add(i, N(1)))), Add(i, j, N(1))},
		{"empty", Subst(BVAdd(x, y), nil), BVAdd(x, y)},
		{"same name, other sort", Subst(Uint(x), m(Var("x", Int()), N(3))), Uint(x)},
		{"closed", Subst(BVUint(16, 3), m(x, y)), BVUint(16, 3)},
		{"folds", Subst(Ite(Eq(x, y), z, x), m(y, x)), z},
		{"xor folds", Subst(BVXor(x, y), m(y, x)), BVUint(16, 0)},
		{"sums meet", Subst(Sub(Mul(i, i), Mul(j, j)), m(j, Neg(i))), N(0)},
		{"sums multiply out", Subst(Mul(i, i), m(i, Add(j, N(1)))), Add(Mul(j, j), Mul(N(2), j), N(1))},
		{"under uint", Subst(Add(Uint(x), i), m(x, BVUint(16, 7), i, N(-7))), N(0)},
		{"not le becomes constant", Subst(Not(Le(i, N(3))), m(i, N(4))), True()},
		{"concat merges", Subst(Concat(Extract(7, 0, x), Extract(15, 8, y)), m(y, x)), x},
		{"shift of a concat", Subst(Shl(x, 8), m(x, Concat(Var("u", BV(8)), Var("v", BV(8))))), Concat(BVUint(8, 0), Var("u", BV(8)))},
		{"and", Subst(And(p, Eq0(i)), m(i, N(0))), p},
		{"argument of a symbol", Subst(testDefs()[2].sym.App(i, j), m(j, i)), testDefs()[2].sym.App(i, i)},

		{"replace outermost", Replace(BVNeg(BVNot(x)), m(BVNeg(BVNot(x)), y, BVNot(x), z)), y},
		{"replace inner", Replace(BVNeg(BVNot(x)), m(BVNot(x), z)), BVNeg(z)},
		{"replace once", Replace(BVNeg(x), m(x, BVNeg(x))), x},
		{"replace simultaneous", Replace(BVAdd(BVNot(x), Shl(y, 2)), m(BVNot(x), Shl(y, 2), Shl(y, 2), BVNot(x))), BVAdd(Shl(y, 2), BVNot(x))},
		{"replace an atom", Replace(Add(Uint(x), Mul(Uint(x), j)), m(Uint(x), i)), Add(i, Mul(i, j))},
		{"replace a sum as a whole", Replace(Mod(Add(i, j), N(5)), m(Add(i, j), N(7))), N(2)},
		{"no part of a sum", Replace(Add(i, j, N(1)), m(Add(i, j), N(7))), Add(i, j, N(1))},
		{"replace a constant", Replace(BVAdd(x, BVUint(16, 5)), m(BVUint(16, 5), y)), BVAdd(x, y)},
		{"replace in a closed term", Replace(testDefs()[4].sym.App(), m(testDefs()[4].sym.App(), p)), p},
		{"replace a condition", Replace(Ite(Eq(x, y), x, y), m(Eq(x, y), True())), x},
		{"replace nothing", Replace(Ite(p, x, y), nil), Ite(p, x, y)},
	} {
		if err := c.got.Err(); err != nil || c.got != c.want {
			t.Errorf("%s: got %v, want %v (%v)", c.name, c.got, c.want, err)
		}
	}
	for name, bad := range map[string]Term{
		"sort":             Subst(x, m(x, i)),
		"width":            Subst(x, m(x, Var("u", BV(8)))),
		"no variable":      Subst(BVNot(x), m(BVNot(x), y)),
		"zero key":         Subst(x, m(Term{}, y)),
		"zero value":       Subst(x, m(x, Term{})),
		"invalid value":    Subst(x, m(x, BVAdd(x, i))),
		"zero term":        Subst(Term{}, m(x, y)),
		"replace sort":     Replace(x, m(x, i)),
		"replace zero":     Replace(x, m(Term{}, Term{})),
		"replace in zero":  Replace(Term{}, nil),
		"unused and wrong": Subst(N(1), m(x, i)),
	} {
		if bad.Err() == nil {
			t.Errorf("%s: %v", name, bad)
		}
	}
	var zero Substitution
	if zero.Apply(x).Err() == nil || (*Substitution)(nil).Apply(x).Err() == nil {
		t.Error("the zero Substitution was applied")
	}
	s := NewSubst(m(x, y, i, j))
	for _, term := range samples() {
		if s.Apply(term) != Subst(term, m(x, y, i, j)) {
			t.Errorf("%v: the memo matters", term)
		}
	}
}

func TestFreeVars(t *testing.T) {
	for i := range 300 {
		inGeneration(t, func() {
			g := newGenerator(seeded(uint64(i)), 60)
			e := g.expr(g.sortAny(), 5)
			x := builder{}.build(e)
			vs := FreeVars(x)
			for i, v := range vs {
				if v.Op() != OpVar || i > 0 && Compare(vs[i-1], v) >= 0 {
					t.Errorf("%v", vs)
				}
				if !slices.Contains(varsOf(e), varKey{v.Name(), v.Sort()}) {
					t.Errorf("%v isn't in %v", v, describe(e))
				}
			}
			if x.IsClosed() != (len(vs) == 0) {
				t.Errorf("%v closed: %v", x, x.IsClosed())
			}
			// Folds drop variables that don't matter, and only those: the value depends on the rest alone.
			env := g.assignment(e).terms()
			for v := range env {
				if !slices.Contains(vs, v) {
					delete(env, v)
				}
			}
			if _, err := Eval(x, env, 1e6); err != nil {
				t.Error(err)
			}
		})
	}
	if FreeVars(Term{}) != nil || FreeVars(BVNot(N(1))) != nil {
		t.Error("variables of no term")
	}
	a, b := Fresh("x", Int()), Fresh("x", Int())
	if a == b || a == Var("x", Int()) || a.Name() != "x" || len(FreeVars(Add(a, b, Var("x", Int())))) != 3 {
		t.Error("Fresh variables")
	}
	if got := Subst(Sub(a, b), map[Term]Term{a: N(5), b: N(big.NewInt(5).Int64())}); got != N(0) {
		t.Errorf("%v", got)
	}
}
