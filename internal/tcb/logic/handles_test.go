package logic_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	. "verum.example/internal/tcb/logic"
)

var one = big.NewInt(1)

// must is for definitions of the tests.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// TestForge tries, from outside, the breaches of prototype/forge and their relatives: whatever is handed out is a copy,
// and whatever was handed in may be modified afterwards.
func TestForge(t *testing.T) {
	x, y, i, j := Var("x", BV(64)), Var("y", BV(64)), Var("i", Int()), Var("j", Int())
	p, q := Var("p", Bool()), Var("q", Bool())
	wide := BVConst(100, new(big.Int).Lsh(one, 77))
	huge := Pow2(100)
	sum := Add(Mul(N(3), i, j), huge)
	tab := must(NewTable("forge.table", 70, []*big.Int{new(big.Int).Lsh(one, 65), one}))
	def := must(Define("forge.def", []Term{i}, Add(Mul(i, i), huge)))

	t.Run("out", func(t *testing.T) {
		for name, f := range map[string]func(){
			"Args":      func() { a := And(p, q).Args(); a[0] = False() },
			"Monomials": func() { m := sum.Monomials(); m[0].Coef.SetInt64(9); m[1].Coef.SetInt64(9); m[1].Atoms[0] = N(5) },
			"Const":     func() { c, _ := huge.Const(); c.SetInt64(7) },
			"small Const": func() {
				c, _ := N(1).Const()
				c.SetInt64(7)
			},
			"wide Const": func() { c, _ := wide.Const(); c.SetInt64(7) },
			"bits of a wide Const": func() {
				c, _ := wide.Const()
				for i := range c.Bits() {
					c.Bits()[i] = 3
				}
			},
			"table Const": func() { c, _ := Lookup(tab, BVUint(3, 0)).Const(); c.Bits()[0] = 99 },
			"FreeVars":    func() { FreeVars(sum)[0] = x },
			"Sort.Elems":  func() { TupleOf(Int(), Bool()).Elems()[0] = Bool() },
			"Value": func() {
				for _, u := range []Term{huge, wide, Uint(wide), sum, Lookup(tab, BVUint(3, 0)), def.App(N(1)), i} {
					v, err := Eval(u, map[Term]Value{i: IntValue(one), j: IntValue(one)}, 1000)
					if err != nil {
						t.Error(err)
					}
					v.Big().SetInt64(1)
					for k := range v.Big().Bits() {
						v.Big().Bits()[k] = 5
					}
				}
			},
			"tuple Value": func() {
				v, err := Eval(MkTuple(huge, wide), nil, 100)
				if err != nil {
					t.Error(err)
				}
				v.Elems()[0].Big().SetInt64(1)
				v.Elems()[0] = Value{}
			},
			"overwriting a handle": func() {
				handles := []Term{huge, x}
				for j := range handles {
					h := &handles[j]
					*h = N(0)
				}
			},
			"error text": func() { _ = BVAdd(x, i).Err().Error() },
		} {
			f()
			if huge != Pow2(100) || N(1) != Add(N(3), N(-2)) || wide != Concat(BVUint(77, 0), BVUint(23, 1)) || And(p, q) != And(q, p) || And(p, q).Arg(0) == False() ||
				sum != Add(Pow2(100), Mul(j, N(3), i)) || len(sum.Monomials()[1].Atoms) != 2 || Lookup(tab, BVUint(3, 0)) != Shl(BVUint(70, 1), 65) ||
				Unfold(def.App(N(2))) != Add(N(4), huge) || TupleOf(Int(), Bool()).Elems()[0] != Int() {
				t.Fatalf("%s changed a term", name)
			}
			for _, c := range []struct {
				t    Term
				want *big.Int
			}{{huge, new(big.Int).Lsh(one, 100)}, {wide, new(big.Int).Lsh(one, 77)}, {N(1), one}, {Lookup(tab, BVUint(3, 0)), new(big.Int).Lsh(one, 65)}} {
				if v, ok := c.t.Const(); !ok || v.Cmp(c.want) != 0 {
					t.Fatalf("%s changed %v to %v", name, c.t, v)
				}
			}
		}
	})

	// Each case makes a term of a slice, map or number, which is overwritten afterwards.
	t.Run("in", func(t *testing.T) {
		ts := func(ts ...Term) []Term { return ts }
		spoil := func(ts []Term, with Term) {
			for i := range ts {
				ts[i] = with
			}
		}
		number := new(big.Int).Lsh(one, 90)
		for name, f := range map[string]func() (Term, Term){
			"And":     func() (Term, Term) { a := ts(p, q); r := And(a...); spoil(a, False()); return r, And(q, p) },
			"Or":      func() (Term, Term) { a := ts(p, q); r := Or(a...); spoil(a, True()); return r, Or(q, p) },
			"Add":     func() (Term, Term) { a := ts(i, j); r := Add(a...); spoil(a, N(0)); return r, Add(j, i) },
			"Mul":     func() (Term, Term) { a := ts(i, j); r := Mul(a...); spoil(a, N(0)); return r, Mul(j, i) },
			"Concat":  func() (Term, Term) { a := ts(x, y); r := Concat(a...); spoil(a, y); return r, Concat(x, y) },
			"MkTuple": func() (Term, Term) { a := ts(x, i); r := MkTuple(a...); spoil(a, y); return r, MkTuple(x, i) },
			"App":     func() (Term, Term) { a := ts(j); r := def.App(a...); spoil(a, N(0)); return r, def.App(j) },
			"TupleOf": func() (Term, Term) {
				s := []Sort{Int(), BV(64)}
				r := TupleOf(s...)
				s[0], s[1] = Bool(), Bool()
				return Proj(1, Var("forge", r)), Proj(1, Var("forge", TupleOf(Int(), BV(64))))
			},
			"FromMonomials": func() (Term, Term) {
				m := []Monomial{{new(big.Int).Lsh(one, 90), ts(i, j)}}
				r := FromMonomials(m)
				m[0].Coef.SetInt64(3)
				m[0].Atoms[0] = N(7)
				return r, Mul(Pow2(90), i, j)
			},
			"IntConst": func() (Term, Term) {
				n := new(big.Int).Set(number)
				r := Add(IntConst(n), i)
				n.Bits()[1] = 77
				return r, Add(i, Pow2(90))
			},
			"BVConst": func() (Term, Term) {
				n := new(big.Int).Set(number)
				r := BVConst(91, n)
				n.Bits()[1] = 77
				return r, Concat(BVUint(90, 0), BVUint(1, 1))
			},
			"NewTable": func() (Term, Term) {
				rows := []*big.Int{new(big.Int).Set(number), one}
				k := must(NewTable("forge.in", 91, rows))
				rows[0].Bits()[1] = 77
				rows[0] = one
				return Lookup(k, BVUint(4, 0)), Concat(BVUint(90, 0), BVUint(1, 1))
			},
			"Define": func() (Term, Term) {
				ps := ts(i, j)
				d := must(Define("forge.in", ps, Sub(i, j)))
				ps[0], ps[1] = j, i
				return Unfold(d.App(N(5), N(3))), N(2)
			},
			"DefineRec": func() (Term, Term) {
				ps := ts(i, j)
				n, r := Var("n", Int()), Var("r", Int())
				d := must(DefineRec("forge.rec", n, r, ps, Sub(i, j), r))
				ps[0], ps[1] = j, i
				return Unfold(d.App(N(0), N(5), N(3))), N(2)
			},
			"Subst": func() (Term, Term) {
				m := map[Term]Term{x: y}
				s := NewSubst(m)
				m[x] = BVUint(64, 0)
				return s.Apply(BVNot(x)), BVNot(y)
			},
			"Sum": func() (Term, Term) {
				n, a := new(big.Int).Set(number), ts(i, j)
				var s Sum
				s.Add(n, a...)
				n.SetInt64(1)
				n.Bits()[0] = 9
				a[0] = N(0)
				return s.Term(), Mul(i, Pow2(90), j)
			},
			"IntValue": func() (Term, Term) {
				n := new(big.Int).Set(number)
				v := IntValue(n)
				tv := TupleValue(v, v)
				n.Bits()[1] = 77
				v.Big().SetInt64(3)
				es := tv.Elems()
				es[0] = Value{}
				w, err := Eval(i, map[Term]Value{i: tv.Elems()[0]}, 10)
				if err != nil {
					t.Error(err)
				}
				return IntConst(w.Big()), Pow2(90)
			},
			"TupleValue": func() (Term, Term) {
				vs := []Value{IntValue(number), BoolValue(true)}
				v := TupleValue(vs...)
				vs[0] = Value{}
				return IntConst(v.Elems()[0].Big()), Pow2(90)
			},
		} {
			r, want := f()
			if err := r.Err(); err != nil || r != want {
				t.Errorf("%s: %v, want %v (%v)", name, r, want, err)
			}
		}
	})
}

// A world hands out arguments, good and bad, and remembers whether it handed out a term that is none.
type world struct {
	*rand.Rand
	good, terms []Term
	bad         bool
	defs        []Def
	tables      []Table
	ints        []int
	bigs        []*big.Int
	sorts       []Sort
	serial      int
}

func (w *world) term() Term {
	if w.IntN(12) == 0 {
		t := w.terms[w.IntN(len(w.terms))]
		w.bad = true
		return t
	}
	return w.good[w.IntN(len(w.good))]
}

func (w *world) termsN() []Term {
	ts := make([]Term, w.IntN(5))
	for i := range ts {
		ts[i] = w.term()
	}
	if w.IntN(2) == 0 { // of one sort
		var same []Term
		for _, t := range ts {
			if t.Sort() == ts[0].Sort() {
				same = append(same, t)
			}
		}
		for _, t := range ts {
			if t.Err() != nil {
				same = append(same, t)
			}
		}
		ts = same
	}
	return ts
}

func (w *world) int() int      { return w.ints[w.IntN(len(w.ints))] }
func (w *world) big() *big.Int { return w.bigs[w.IntN(len(w.bigs))] }
func (w *world) sort() Sort    { return w.sorts[w.IntN(len(w.sorts))] }
func (w *world) def() Def      { return w.defs[w.IntN(len(w.defs))] }
func (w *world) table() Table  { return w.tables[w.IntN(len(w.tables))] }
func (w *world) name() string  { w.serial++; return fmt.Sprint("panic.", w.serial) }
func (w *world) value() Value {
	switch w.IntN(5) {
	case 0:
		return Value{}
	case 1:
		return BoolValue(true)
	case 2:
		return TupleValue(IntValue(w.big()), Value{})
	}
	return IntValue(w.big())
}

func (w *world) pairs() map[Term]Term {
	bad := w.bad
	m := map[Term]Term{}
	for range w.IntN(3) {
		v, x := w.term(), w.term()
		if w.IntN(2) == 0 {
			x = v
		}
		m[v] = x
	}
	w.bad = bad // of the terms drawn, some may not be in m
	for v, x := range m {
		w.bad = w.bad || v.Err() != nil || x.Err() != nil
	}
	return m
}

func is(k Kind, ts ...Term) bool {
	for _, t := range ts {
		if t.Sort().Kind() != k {
			return false
		}
	}
	return true
}

func sameSort(ts ...Term) bool {
	for _, t := range ts {
		if t.Sort() != ts[0].Sort() {
			return false
		}
	}
	return true
}

// components counts the component sorts, nested ones included.
func components(s Sort) int {
	n := 0
	for _, e := range s.Elems() {
		n += 1 + components(e)
	}
	return n
}

func totalWidth(ts []Term) int {
	w := 0
	for _, t := range ts {
		w += t.Width()
	}
	return w
}

// api has an entry for each exported function and method. A constructor's entry gives its result and whether the
// arguments, unless one of them is no term at all, are well-sorted and in range.
var api = map[string]func(w *world) (result Term, wellFormed bool){}

func init() {
	bools := func(name string, f func(a, b Term) Term) {
		api[name] = func(w *world) (Term, bool) { a, b := w.term(), w.term(); return f(a, b), is(KindBool, a, b) }
	}
	boolsN := func(name string, f func(ts ...Term) Term) {
		api[name] = func(w *world) (Term, bool) { ts := w.termsN(); return f(ts...), is(KindBool, ts...) }
	}
	ints := func(name string, f func(a, b Term) Term) {
		api[name] = func(w *world) (Term, bool) { a, b := w.term(), w.term(); return f(a, b), is(KindInt, a, b) }
	}
	intsN := func(name string, f func(ts ...Term) Term) {
		api[name] = func(w *world) (Term, bool) { ts := w.termsN(); return f(ts...), is(KindInt, ts...) }
	}
	unary := func(name string, k Kind, f func(a Term) Term) {
		api[name] = func(w *world) (Term, bool) { a := w.term(); return f(a), is(k, a) }
	}
	bvs := func(name string, f func(a, b Term) Term) {
		api[name] = func(w *world) (Term, bool) {
			a := w.term()
			b := a
			if w.IntN(2) == 0 {
				b = w.term()
			}
			return f(a, b), is(KindBV, a, b) && sameSort(a, b)
		}
	}
	shifts := func(name string, f func(a Term, k int) Term) {
		api[name] = func(w *world) (Term, bool) { a, k := w.term(), w.int(); return f(a, k), is(KindBV, a) && k >= 0 }
	}
	extensions := func(name string, f func(n int, a Term) Term) {
		api[name] = func(w *world) (Term, bool) {
			n, a := w.int(), w.term()
			return f(n, a), is(KindBV, a) && n >= a.Width() && n <= MaxWidth
		}
	}
	// look is for what gives no term: it must not panic.
	look := func(name string, f func(w *world)) {
		api[name] = func(w *world) (Term, bool) { f(w); w.bad = false; return True(), true }
	}
	inRange := func(n int) bool { return 1 <= n && n <= MaxWidth }

	api["True"] = func(w *world) (Term, bool) { return True(), true }
	api["False"] = func(w *world) (Term, bool) { return False(), true }
	api["BoolConst"] = func(w *world) (Term, bool) { return BoolConst(w.IntN(2) == 0), true }
	unary("Not", KindBool, Not)
	boolsN("And", And)
	boolsN("Or", Or)
	bools("Imp", Imp)
	bools("Iff", Iff)
	api["Eq"] = func(w *world) (Term, bool) { a, b := w.term(), w.term(); return Eq(a, b), sameSort(a, b) }
	api["Ite"] = func(w *world) (Term, bool) {
		c, a := w.term(), w.term()
		b := a
		if w.IntN(2) == 0 {
			b = w.term()
		}
		return Ite(c, a, b), is(KindBool, c) && sameSort(a, b)
	}
	api["Var"] = func(w *world) (Term, bool) { s := w.sort(); return Var(w.name(), s), s != Sort{} }
	api["Fresh"] = func(w *world) (Term, bool) { s := w.sort(); return Fresh("", s), s != Sort{} }
	api["MkTuple"] = func(w *world) (Term, bool) {
		ts := w.termsN()
		n := 0
		for _, t := range ts {
			n += 1 + components(t.Sort())
		}
		return MkTuple(ts...), 0 < n && n <= 1<<16
	}
	api["Proj"] = func(w *world) (Term, bool) {
		k, a := w.int(), w.term()
		return Proj(k, a), is(KindTuple, a) && k >= 0 && k < len(a.Sort().Elems())
	}
	api["N"] = func(w *world) (Term, bool) { return N(int64(w.int())), true }
	api["IntConst"] = func(w *world) (Term, bool) { b := w.big(); return IntConst(b), b != nil }
	api["Pow2"] = func(w *world) (Term, bool) { k := w.int(); return Pow2(k), 0 <= k && k <= MaxWidth }
	intsN("Add", Add)
	intsN("Mul", Mul)
	ints("Sub", Sub)
	unary("Neg", KindInt, Neg)
	unary("Eq0", KindInt, Eq0)
	unary("Ge0", KindInt, Ge0)
	ints("Le", Le)
	ints("Lt", Lt)
	ints("Div", Div)
	ints("Mod", Mod)
	api["Expmod"] = func(w *world) (Term, bool) {
		x, k, m := w.term(), w.term(), w.term()
		return Expmod(x, k, m), is(KindInt, x, k, m)
	}
	api["Cong"] = func(w *world) (Term, bool) {
		a, b, m := w.term(), w.term(), w.term()
		return Cong(a, b, m), is(KindInt, a, b, m)
	}
	api["FromMonomials"] = func(w *world) (Term, bool) {
		var ms []Monomial
		ok := true
		for range w.IntN(3) {
			m := Monomial{w.big(), w.termsN()}
			ok = ok && m.Coef != nil && is(KindInt, m.Atoms...)
			ms = append(ms, m)
		}
		return FromMonomials(ms), ok
	}
	api["BVConst"] = func(w *world) (Term, bool) { n, b := w.int(), w.big(); return BVConst(n, b), inRange(n) && b != nil }
	api["BVUint"] = func(w *world) (Term, bool) { n := w.int(); return BVUint(n, w.Uint64()), inRange(n) }
	bvs("BVAdd", BVAdd)
	bvs("BVSub", BVSub)
	bvs("BVMul", BVMul)
	bvs("BVAnd", BVAnd)
	bvs("BVOr", BVOr)
	bvs("BVXor", BVXor)
	bvs("Ult", Ult)
	bvs("Slt", Slt)
	unary("BVNeg", KindBV, BVNeg)
	unary("BVNot", KindBV, BVNot)
	unary("Uint", KindBV, Uint)
	unary("Sint", KindBV, Sint)
	shifts("Shl", Shl)
	shifts("Lshr", Lshr)
	shifts("Ashr", Ashr)
	shifts("Rotr", Rotr)
	api["LshrV"] = func(w *world) (Term, bool) { a, b := w.term(), w.term(); return LshrV(a, b), is(KindBV, a, b) }
	api["Concat"] = func(w *world) (Term, bool) {
		ts := w.termsN()
		return Concat(ts...), len(ts) > 0 && is(KindBV, ts...) && totalWidth(ts) <= MaxWidth
	}
	api["Extract"] = func(w *world) (Term, bool) {
		hi, lo, a := w.int(), w.int(), w.term()
		return Extract(hi, lo, a), is(KindBV, a) && 0 <= lo && lo <= hi && hi < a.Width()
	}
	extensions("Zext", Zext)
	extensions("Sext", Sext)
	api["ToBV"] = func(w *world) (Term, bool) {
		n, a := w.int(), w.term()
		return ToBV(n, a), is(KindInt, a) && inRange(n)
	}
	api["Lookup"] = func(w *world) (Term, bool) {
		k, a := w.table(), w.term()
		return Lookup(k, a), k != Table{} && is(KindBV, a)
	}
	api["Def.App"] = func(w *world) (Term, bool) {
		d, ts := w.def(), w.termsN()
		switch {
		case d == Def{}:
			return d.App(ts...), false
		case d.IsRec():
			return d.App(ts...), len(ts) == 2 && is(KindInt, ts[0]) && ts[1].Sort() == BV(64)
		}
		return d.App(ts...), len(ts) == 1 && is(KindInt, ts[0])
	}
	api["Unfold"] = func(w *world) (Term, bool) { a := w.term(); return Unfold(a), a.Op() == OpApp }
	api["Subst"] = func(w *world) (Term, bool) {
		a, m := w.term(), w.pairs()
		ok := true
		for v, x := range m {
			ok = ok && v.Op() == OpVar && v.Sort() == x.Sort()
		}
		return Subst(a, m), ok
	}
	api["NewSubst"] = func(w *world) (Term, bool) {
		a, m := w.term(), w.pairs()
		ok := true
		for v, x := range m {
			ok = ok && v.Op() == OpVar && v.Sort() == x.Sort()
		}
		return NewSubst(m).Apply(a), ok
	}
	api["Substitution.Apply"] = func(w *world) (Term, bool) { var s Substitution; return s.Apply(w.term()), false }
	api["Replace"] = func(w *world) (Term, bool) {
		a, m := w.term(), w.pairs()
		ok := true
		for v, x := range m {
			ok = ok && v.Sort() == x.Sort()
		}
		return Replace(a, m), ok
	}
	api["Sum.Term"] = func(w *world) (Term, bool) {
		var s Sum
		ok := true
		for range w.IntN(3) {
			ts := w.termsN()
			ok = ok && is(KindInt, ts...)
			s.Add(w.big(), ts...)
		}
		return s.Term(), ok
	}
	api["Term.Arg"] = func(w *world) (Term, bool) {
		a, k := w.term(), w.int()
		w.bad = false
		return a.Arg(k), 0 <= k && k < a.NumArgs() && a.Args()[k].Err() == nil // an argument of a stale term may be permanent
	}
	look("Sum.Add", func(w *world) { var s Sum; s.Add(w.big(), w.termsN()...) })
	look("Sum.IsZero", func(w *world) { var s Sum; s.Add(w.big(), w.termsN()...); s.IsZero() })
	look("Sum.DivisibleBy", func(w *world) { var s Sum; s.Add(w.big(), w.termsN()...); s.DivisibleBy(w.big()) })
	look("Define", func(w *world) { Define(w.name(), w.termsN(), w.term()) })
	look("DefineRec", func(w *world) { DefineRec(w.name(), w.term(), w.term(), w.termsN(), w.term(), w.term()) })
	look("Def.Name", func(w *world) { _ = w.def().Name() })
	look("Def.IsRec", func(w *world) { w.def().IsRec() })
	look("NewTable", func(w *world) { NewTable(w.name(), w.int(), []*big.Int{w.big(), w.big()}[:w.IntN(3)]) })
	look("Eval", func(w *world) {
		m := map[Term]Value{}
		for range w.IntN(4) {
			m[w.term()] = w.value()
		}
		Eval(w.term(), m, min(w.int(), 10000))
	})
	look("IsBudget", func(w *world) { IsBudget(w.term().Err()) })
	look("IntValue", func(w *world) { _ = IntValue(w.big()) })
	look("BoolValue", func(w *world) { _ = BoolValue(w.IntN(2) == 0) })
	look("TupleValue", func(w *world) { _ = TupleValue([]Value{w.value(), w.value()}[:w.IntN(3)]...) })
	look("Value.Big", func(w *world) { w.value().Big() })
	look("Value.Bool", func(w *world) { w.value().Bool() })
	look("Value.Elems", func(w *world) { w.value().Elems() })
	look("Value.String", func(w *world) { _ = w.value().String() })
	look("FreeVars", func(w *world) { FreeVars(w.term()) })
	look("Compare", func(w *world) { Compare(w.term(), w.term()) })
	look("Term.Op", func(w *world) { w.term().Op() })
	look("Term.Sort", func(w *world) { w.term().Sort() })
	look("Term.Width", func(w *world) { w.term().Width() })
	look("Term.NumArgs", func(w *world) { w.term().NumArgs() })
	look("Term.Args", func(w *world) { w.term().Args() })
	look("Term.Hi", func(w *world) { w.term().Hi() })
	look("Term.Lo", func(w *world) { w.term().Lo() })
	look("Term.Name", func(w *world) { _ = w.term().Name() })
	look("Term.Def", func(w *world) { w.term().Def() })
	look("Term.Const", func(w *world) { w.term().Const() })
	look("Term.Monomials", func(w *world) { w.term().Monomials() })
	look("Term.IsClosed", func(w *world) { w.term().IsClosed() })
	look("Term.IsZero", func(w *world) { w.term().IsZero() })
	look("Term.Err", func(w *world) { w.term().Err() })
	look("Term.String", func(w *world) { _ = w.term().String() })
	look("Term.Format", func(w *world) { w.term().Format(w.int()) })
	look("Bool", func(w *world) { Bool() })
	look("Int", func(w *world) { Int() })
	look("BV", func(w *world) {
		if n := w.int(); (BV(n) == Sort{}) == inRange(n) {
			panic(n)
		}
	})
	look("TupleOf", func(w *world) { TupleOf([]Sort{w.sort(), w.sort()}[:w.IntN(3)]...) })
	look("Sort.Kind", func(w *world) { w.sort().Kind() })
	look("Sort.Width", func(w *world) { w.sort().Width() })
	look("Sort.Elems", func(w *world) { w.sort().Elems() })
	look("Sort.String", func(w *world) { _ = w.sort().String() })
	look("NumTerms", func(w *world) { NumTerms() })
	look("NewGeneration", func(w *world) { NewGeneration() }) // one is open
	look("Generation.Drop", func(w *world) { Generation{}.Drop() })
}

// exported lists the exported functions and methods of the package's source.
func exported(t *testing.T) map[string]bool {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				x := f.Recv.List[0].Type
				if p, ok := x.(*ast.StarExpr); ok {
					x = p.X
				}
				recv := x.(*ast.Ident)
				if !recv.IsExported() {
					continue
				}
				name = recv.Name + "." + name
			}
			names[name] = true
		}
	}
	return names
}

// TestNothingPanics calls each exported function with arguments of all kinds. None panics; a constructor gives an error
// exactly if an argument is no term or they don't fit.
func TestNothingPanics(t *testing.T) {
	names := exported(t)
	for _, n := range sortedKeys(names) {
		if api[n] == nil {
			t.Errorf("%s isn't tested", n)
		}
	}
	for n := range api {
		if !names[n] {
			t.Errorf("%s isn't exported", n)
		}
	}

	x64, x1, x8, i := Var("x", BV(64)), Var("x", BV(1)), Var("x", BV(8)), Var("i", Int())
	wide := Var("x", BV(MaxWidth))
	rec := must(DefineRec("panic.rec", Var("n", Int()), Var("r", BV(64)), []Term{x64}, x64, Rotr(Var("r", BV(64)), 3)))
	def := must(Define("panic.def", []Term{i}, Mul(i, i)))
	tab := must(NewTable("panic.table", 64, []*big.Int{one, big.NewInt(-5)}))
	deep := TupleOf(Int(), Bool())
	for deep != (Sort{}) && TupleOf(deep, deep) != (Sort{}) {
		deep = TupleOf(deep, deep)
	}
	g := must(NewGeneration())
	stale := []Term{BVAdd(x64, BVUint(64, 0x57a1e)), Add(i, N(0x57a1e)), Eq(x8, BVUint(8, 0x5a)), Concat(x8, BVUint(9, 0x5a)), N(0x57a1f), MkTuple(x8, N(0x57a1e))}
	g.Drop()
	g = must(NewGeneration())
	defer g.Drop()
	w := &world{
		Rand: rand.New(rand.NewPCG(1, 2)),
		good: []Term{
			True(), False(), Var("p", Bool()), Not(Var("p", Bool())), And(Var("p", Bool()), Var("q", Bool())), Eq(x64, Var("y", BV(64))), Ge0(i), Ult(x1, BVUint(1, 1)),
			N(0), N(1), N(-1), Pow2(64), i, Add(i, N(1)), Mul(i, Var("j", Int())), Uint(x64), Div(i, Var("j", Int())), N(math.MinInt64),
			x1, BVUint(1, 0), BVUint(1, 1), x8, BVUint(8, 0), BVUint(8, 255), x64, Var("y", BV(64)), BVUint(64, 0), BVUint(64, math.MaxUint64), Concat(x8, Extract(55, 0, x64)),
			Extract(63, 56, x64), BVNot(x64), BVXor(x64, Var("y", BV(64))), Shl(x64, 5), Sext(64, x8), LshrV(x64, x8), wide, BVConst(MaxWidth, one), Concat(x8, Extract(MaxWidth-9, 0, wide)),
			Var("t", TupleOf(Int(), BV(64))), MkTuple(i, x64), Ite(Var("p", Bool()), x64, Var("y", BV(64))), rec.App(i, x64), rec.App(N(3), x64), def.App(i), Lookup(tab, x8),
			Var("d", deep), Var("x", BV(65)), BVConst(65, big.NewInt(-1)),
		},
		terms:  append(stale, Term{}, BVAdd(x8, x64), Not(Term{}), Pow2(-1), Var("none", Sort{})),
		defs:   []Def{{}, rec, def, rec, def},
		tables: []Table{{}, tab, tab},
		ints:   []int{math.MinInt, -MaxWidth, -1, 0, 1, 2, 7, 8, 9, 63, 64, 65, 100, MaxWidth - 1, MaxWidth, MaxWidth + 1, math.MaxInt32, math.MaxInt},
		bigs:   []*big.Int{nil, new(big.Int), one, big.NewInt(-1), big.NewInt(255), new(big.Int).Lsh(one, 64), new(big.Int).Neg(new(big.Int).Lsh(one, 200))},
		sorts:  []Sort{{}, Bool(), Int(), BV(1), BV(64), BV(MaxWidth), TupleOf(Int(), BV(3)), BV(0), deep},
	}
	for _, x := range w.good {
		if err := x.Err(); err != nil {
			t.Fatalf("%v: %v", x, err)
		}
	}
	for _, x := range w.terms {
		if x.Err() == nil {
			t.Fatalf("%v is a term", x)
		}
	}
	if MkTuple(Var("d", deep), Var("d", deep)).Err() == nil {
		t.Error("a tuple with too many components")
	}
	for _, name := range sortedKeys(names) {
		f := api[name]
		if f == nil {
			continue
		}
		ok, ill := 0, 0
		for range 500 {
			w.bad = false
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s panics: %v", name, r)
					}
				}()
				got, wellFormed := f(w)
				if want := wellFormed && !w.bad; (got.Err() == nil) != want {
					t.Fatalf("%s gives %v (%v) although its arguments are good: %v", name, got, got.Err(), want)
				}
				if got.Err() == nil {
					ok++
					if got.Sort() == (Sort{}) || got.Op() == 0 {
						t.Errorf("%s gives %v, which has no sort", name, got)
					}
				} else {
					ill++
				}
			}()
		}
		if ok == 0 && name != "Substitution.Apply" {
			t.Errorf("%s: no good arguments were found", name)
		}
		if ill == 0 && strings.HasPrefix(name, "BV") && name != "BV" {
			t.Errorf("%s: no bad arguments were found", name)
		}
	}
}

// TestSorts has the identities of sorts.
func TestSorts(t *testing.T) {
	if BV(0) != (Sort{}) || BV(MaxWidth+1) != (Sort{}) || BV(-1) != (Sort{}) || BV(7) != BV(3+4) || BV(7) == BV(8) || BV(MaxWidth) != BV(MaxWidth-1+1) {
		t.Error("BV")
	}
	a := TupleOf(Int(), TupleOf(BV(3), Bool()))
	if a != TupleOf(Int(), TupleOf(BV(3), Bool())) || a == TupleOf(Int(), BV(3), Bool()) || a == TupleOf(TupleOf(Int(), BV(3)), Bool()) || TupleOf() != (Sort{}) || TupleOf(Int(), Sort{}) != (Sort{}) {
		t.Error("TupleOf")
	}
	if a.Kind() != KindTuple || a.Width() != 0 || len(a.Elems()) != 2 || a.String() != "(Int,(BV3,Bool))" || BV(9).Width() != 9 || BV(9).Elems() != nil || (Sort{}).Kind() != 0 || (Sort{}).String() != "<no sort>" {
		t.Error("parts of a sort")
	}
	many := make([]Sort, 1<<16)
	for i := range many {
		many[i] = Bool()
	}
	if TupleOf(many...) == (Sort{}) || TupleOf(append(many, Bool())...) != (Sort{}) {
		t.Error("size of tuples")
	}
}
