package logic

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDefineRejects(t *testing.T) {
	x, y, i, n := Var("x", BV(8)), Var("y", BV(8)), Var("i", Int()), Var("n", Int())
	rec, b := Var("rec", BV(8)), Var("b", Bool())
	taken := unique("taken")
	d := must(Define(taken, []Term{x}, BVNot(x)))
	ill := BVAdd(x, i)
	ts := func(ts ...Term) []Term { return ts }

	g := must(NewGeneration())
	inside := BVXor(x, Rotr(y, 3))
	fresh := Fresh("v", BV(8)) // permanent, as all variables are
	for _, c := range []struct {
		name   string
		params []Term
		body   Term
	}{
		{"free variable", ts(x), BVAdd(x, y)},
		{"free variable of another sort", ts(x), Uint(Var("x", BV(9)))},
		{"fresh variable of the same name", ts(x), BVNot(Fresh("x", BV(8)))},
		{"free variable in a sum", ts(i), Mul(i, i, n)},
		{"repeated parameter", ts(x, y, x), x},
		{"parameter is no variable", ts(BVNot(x)), BVNot(x)},
		{"constant parameter", ts(N(1)), N(1)},
		{"zero parameter", ts(x, Term{}), x},
		{"invalid parameter", ts(ill), x},
		{"zero body", ts(x), Term{}},
		{"invalid body", ts(x, i), ill},
		{"body of a generation", ts(x, y), inside},
	} {
		name := unique("rejected")
		if f, err := Define(name, c.params, c.body); err == nil || f != (Def{}) {
			t.Errorf("%s: accepted", c.name)
		}
		if symbols.defs[name] != nil {
			t.Errorf("%s: the name is taken", c.name)
		}
	}
	for _, c := range []struct {
		name       string
		n, rec     Term
		params     []Term
		base, step Term
	}{
		{"counter in the base", n, rec, ts(x), ToBV(8, n), rec},
		{"recursive value in the base", n, rec, ts(x), rec, rec},
		{"both cases the recursive value", n, rec, nil, rec, rec},
		{"both cases the counter", n, i, nil, n, n},
		{"free variable in the base", n, rec, ts(x), y, rec},
		{"free variable in the step", n, rec, ts(x), x, BVAdd(rec, y)},
		{"counter is no Int", x, rec, ts(y), y, rec},
		{"counter is Bool", b, rec, ts(y), y, rec},
		{"sort of the recursive value", n, i, ts(x), x, x},
		{"sort of the step", n, rec, ts(x), x, n},
		{"sort of the base", n, i, ts(x), x, i},
		{"counter twice", n, rec, ts(n), BVUint(8, 0), rec},
		{"recursive value as parameter", n, rec, ts(rec), BVUint(8, 0), rec},
		{"counter is the recursive value", n, n, ts(x), N(0), n},
		{"parameter twice", n, rec, ts(x, x), x, rec},
		{"counter is no variable", Add(n, N(1)), rec, ts(x), x, rec},
		{"recursive value is no variable", n, BVNot(rec), ts(x), x, x},
		{"parameter is no variable", n, rec, ts(BVUint(8, 3)), BVUint(8, 3), rec},
		{"zero counter", Term{}, rec, ts(x), x, rec},
		{"zero recursive value", n, Term{}, ts(x), x, x},
		{"zero base", n, rec, ts(x), Term{}, rec},
		{"zero step", n, rec, ts(x), x, Term{}},
		{"invalid step", n, rec, ts(x), x, ill},
		{"zero parameter", n, rec, ts(Term{}), BVUint(8, 3), rec},
		{"base of a generation", n, rec, ts(x, y), inside, rec},
		{"step of a generation", n, rec, ts(x, y), x, inside},
	} {
		name := unique("rejected")
		if f, err := DefineRec(name, c.n, c.rec, c.params, c.base, c.step); err == nil || f != (Def{}) {
			t.Errorf("%s: accepted", c.name)
		}
		if symbols.defs[name] != nil {
			t.Errorf("%s: the name is taken", c.name)
		}
	}
	// Permanent bodies are accepted while a generation is open.
	if f, err := Define(unique("fresh"), ts(fresh), fresh); err != nil || Unfold(f.App(x)) != x {
		t.Error(err)
	}
	g.Drop()
	if _, err := Define(unique("stale"), ts(x, y), inside); err == nil {
		t.Error("a stale body was accepted")
	}

	// A name is used once, whatever it was used for; so a body that mentions the symbol comes too late.
	for range 2 {
		if _, err := Define(taken, ts(x), d.App(x)); err == nil {
			t.Error("redefinition by itself")
		}
		if _, err := Define(taken, ts(x), BVNot(x)); err == nil {
			t.Error("redefinition by the same")
		}
		if _, err := DefineRec(taken, n, rec, ts(x), x, rec); err == nil {
			t.Error("redefinition by a recursion")
		}
	}
	recName := unique("taken")
	r := must(DefineRec(recName, n, rec, ts(x), x, BVNot(rec)))
	if _, err := DefineRec(recName, n, rec, ts(x), x, r.App(n, rec)); err == nil {
		t.Error("recursive redefinition")
	}
	if Unfold(d.App(y)) != BVNot(y) || d.Name() != taken || d.IsRec() || !r.IsRec() || r.Name() != recName {
		t.Error("a definition changed")
	}
	if (Def{}).Name() != "" || (Def{}).IsRec() || (Def{}).App().Err() == nil {
		t.Error("the zero Def")
	}
	for name, bad := range map[string]Term{
		"too few": d.App(), "too many": d.App(x, y), "sort": d.App(i), "width": d.App(Var("x", BV(9))), "zero": d.App(Term{}), "invalid": d.App(ill),
		"recursive, sorts": r.App(x, n), "unfold a variable": Unfold(x), "unfold zero": Unfold(Term{}), "unfold an operation": Unfold(BVNot(x)),
	} {
		if bad.Err() == nil {
			t.Errorf("%s: %v", name, bad)
		}
	}

	// A table's name too is used once, and its rows are reduced.
	tab := unique("rows")
	one := must(NewTable(tab, 8, []*big.Int{big.NewInt(-1), big.NewInt(256), big.NewInt(3)}))
	if Lookup(one, BVUint(2, 0)) != BVUint(8, 255) || Lookup(one, BVUint(2, 1)) != BVUint(8, 0) || Lookup(one, BVUint(2, 3)) != BVUint(8, 0) {
		t.Error("rows")
	}
	for _, c := range []struct {
		name  string
		width int
		rows  []*big.Int
	}{
		{tab, 8, []*big.Int{big.NewInt(1)}}, {unique("rows"), 0, []*big.Int{big.NewInt(1)}}, {unique("rows"), MaxWidth + 1, []*big.Int{big.NewInt(1)}},
		{unique("rows"), 8, nil}, {unique("rows"), 8, []*big.Int{big.NewInt(1), nil}},
	} {
		if x, err := NewTable(c.name, c.width, c.rows); err == nil || x != (Table{}) {
			t.Errorf("table %s of %d rows at width %d was accepted", c.name, len(c.rows), c.width)
		}
	}
	if Lookup(Table{}, x).Err() == nil || Lookup(one, i).Err() == nil || Lookup(one, Term{}).Err() == nil {
		t.Error("ill-formed lookups")
	}
}

// TestDefineRace lets many goroutines define one name: one wins.
func TestDefineRace(t *testing.T) {
	name := unique("race")
	var won sync.Map
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if d, err := Define(name, nil, N(int64(i))); err == nil {
				won.Store(i, d)
			}
		})
	}
	wg.Wait()
	n := 0
	won.Range(func(i, d any) bool {
		if n++; Unfold(d.(Def).App()) != N(int64(i.(int))) {
			t.Error("the winner's body")
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d definitions of one name", n)
	}
}

// TestUnfold compares an application with its unfolding under the evaluator and the oracle, and unfolds constants to
// the end.
func TestUnfold(t *testing.T) {
	g := newGenerator(seeded(3), 0)
	for range 60 {
		inGeneration(t, func() {
			for _, d := range testDefs() {
				g.left = 30
				e := &expr{op: "app", sort: d.res, def: d}
				for i, p := range d.params {
					if i == 0 && d.rec {
						e.args = append(e.args, &expr{op: "var", sort: Int(), name: "count"})
					} else {
						e.args = append(e.args, g.expr(p, 3))
					}
				}
				x := builder{}.build(e)
				u := Unfold(x)
				checker{}.check(t, u.n)
				for range 4 {
					env := g.assignment(e)
					if d.rec {
						env[varKey{"count", Int()}] = oval{b: big.NewInt(int64(g.intn(12) - 3))}
					}
					want := newOracle(env).eval(e)
					for _, y := range []Term{x, u} {
						if v, err := Eval(y, env.terms(), 1e6); err != nil || !want.is(v) {
							t.Fatalf("%v under %v is %v, not %v (%v)", y, env, v, want, err)
						}
					}
				}
			}
		})
	}
	d := testDefs()[2] // f(0) = y, f(n+1) = 2·f(n) + n
	for n := range 20 {
		x := d.sym.App(N(int64(n)), N(7))
		for x.Op() != OpPoly || len(FreeVars(x)) > 0 || !isConst(x) {
			var app Term
			for _, s := range subterms(x) {
				if s.Op() == OpApp {
					app = s
				}
			}
			x = Replace(x, map[Term]Term{app: Unfold(app)})
		}
		if c, _ := x.Const(); c.Cmp(d.eval([]oval{{b: big.NewInt(int64(n))}, {b: big.NewInt(7)}}).b) != 0 {
			t.Errorf("f(%d, 7) unfolds to %v", n, c)
		}
	}
	// The parameters are replaced simultaneously, and variables of the arguments aren't captured.
	n, r, a, b := Var("n", Int()), Var("r", Int()), Var("a", Int()), Var("b", Int())
	f := must(DefineRec(unique("swap"), n, r, []Term{a, b}, Sub(a, b), Add(r, Mul(n, a), b)))
	if got := Unfold(f.App(r, b, n)); got != Ite(Le(r, N(0)), Sub(b, n), Add(f.App(Sub(r, N(1)), b, n), Mul(Sub(r, N(1)), b), n)) {
		t.Errorf("%v", got)
	}
}

func isConst(t Term) bool {
	_, ok := t.Const()
	return ok
}

// TestBudget runs evaluations that would never end, or not fit in memory: each gives IsBudget soon.
func TestBudget(t *testing.T) {
	n, r, x := Var("n", Int()), Var("r", Int()), Var("x", Int())
	count := must(DefineRec(unique("count"), n, r, nil, N(0), Add(r, N(1))))
	same := must(DefineRec(unique("same"), n, r, nil, N(5), r)) // a round costs nothing but itself
	square := must(DefineRec(unique("square"), n, r, nil, N(3), Mul(r, r)))
	wide := must(DefineRec(unique("wide"), n, r, nil, N(3), Mod(Mul(r, r), Sub(Pow2(60000), Add(n, N(1))))))
	unused := must(Define(unique("unused"), []Term{x}, N(1)))
	fork := unused
	for range 100 { // fork(x) = fork'(x) + fork'(x+1)
		fork = must(Define(unique("fork"), []Term{x}, Add(fork.App(x), fork.App(Add(x, N(1))))))
	}
	power := x
	for range 6 {
		power = Mul(power, power, power, power)
	}
	env := map[Term]Value{x: IntValue(pow2(4000))}
	for _, c := range []struct {
		name string
		t    Term
	}{
		{"huge counter", count.App(Pow2(62))},
		{"larger counter", count.App(Pow2(256))},
		{"trivial step", same.App(Pow2(200))},
		{"counter by addition", count.App(Add(count.App(N(10)), Pow2(100)))},
		{"squares", square.App(N(200))},
		{"wide values", wide.App(Pow2(62))},
		{"argument that isn't used", unused.App(count.App(Pow2(62)))},
		{"wide power", power},
		{"wide exponent", Expmod(x, Pow2(60000), Sub(Pow2(1300), N(1)))},
		{"wide modulus", Expmod(x, Pow2(2000), Sub(Pow2(60000), N(1)))},
		{"widest power", Expmod(x, Sub(Pow2(MaxWidth), N(1)), Sub(Pow2(MaxWidth), N(1)))},
		{"wide constant", Add(x, Mul(Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000),
			Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000), Pow2(60000)))},
	} {
		start := time.Now()
		v, err := Eval(c.t, env, 200000)
		if !IsBudget(err) {
			t.Errorf("%s: %v, %v", c.name, v, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %v", c.name, d)
		}
	}
	if v, err := Eval(fork.App(N(0)), nil, 1e6); err != nil || v.Big().Cmp(pow2(100)) != 0 { // shared by the memo
		t.Errorf("fork: %v, %v", v, err)
	}
	for _, neg := range []Term{count.App(N(0)), count.App(Neg(Pow2(300)))} {
		if v, err := Eval(neg, nil, 100); err != nil || v.Big().Sign() != 0 {
			t.Errorf("%v: %v, %v", neg, v, err)
		}
	}
	// A power costs (m/512 bits + 1)² for each bit of the exponent.
	for _, c := range []struct {
		k, m  Term
		steps int
	}{
		{N(0), Pow2(256), 1}, {N(-1000), Pow2(256), 1}, {N(255), N(0), 1}, {N(255), Neg(Pow2(500)), 1}, {N(255), N(7), 9},
		{Sub(Pow2(256), N(1)), Sub(Pow2(256), N(1)), 257}, {Sub(Pow2(521), N(1)), Sub(Pow2(521), N(1)), 521*4 + 1},
	} {
		power, more := Expmod(N(1), c.k, c.m), 3+2*2 // the nodes for x, k and m, and what is wider than 512 bits
		if _, err := Eval(power, nil, c.steps+more); err != nil {
			t.Errorf("%v: %v", power, err)
		}
		if _, err := Eval(power, nil, c.steps+1); !IsBudget(err) {
			t.Errorf("%v is cheaper than %d", power, c.steps)
		}
	}
	for _, b := range []int{math.MinInt, -1, 0} {
		if _, err := Eval(Add(x, N(1)), env, b); !IsBudget(err) {
			t.Errorf("budget %d: %v", b, err)
		}
	}
	if _, err := Eval(Add(x, N(1)), env, math.MaxInt); err != nil {
		t.Error(err)
	}
	// A budget that suffices gives the value; one step less is an error.
	c := count.App(N(50))
	least := 0
	for ; ; least++ {
		v, err := Eval(c, nil, least)
		if err == nil {
			if v.Big().Int64() != 50 {
				t.Error(v)
			}
			break
		}
		if !IsBudget(err) || least > 1000 {
			t.Fatal(err)
		}
	}
	if v, err := Eval(c, nil, least+1); err != nil || v.Big().Int64() != 50 {
		t.Error(v, err)
	}
	if IsBudget(nil) || IsBudget(fmt.Errorf("x")) {
		t.Error("IsBudget")
	}
}

// TestEvalErrors has assignments that are refused and those that are fine although incomplete.
func TestEvalErrors(t *testing.T) {
	x, i, b, p := Var("x", BV(8)), Var("i", Int()), Var("b", Bool()), Var("p", pair)
	ok := TupleValue(IntValue(big.NewInt(511)), IntValue(big.NewInt(-5)), BoolValue(true))
	for _, c := range []struct {
		name string
		key  Term
		v    Value
	}{
		{"too wide", x, IntValue(big.NewInt(256))}, {"negative", x, IntValue(big.NewInt(-1))}, {"Bool 2", b, IntValue(big.NewInt(2))},
		{"Bool -1", b, IntValue(big.NewInt(-1))}, {"no value", x, Value{}}, {"nil value", i, IntValue(nil)}, {"a tuple", x, ok},
		{"no variable", BVNot(x), IntValue(big.NewInt(1))}, {"zero term", Term{}, IntValue(big.NewInt(1))}, {"no tuple", p, IntValue(big.NewInt(1))},
		{"short tuple", p, TupleValue(ok.Elems()[:2]...)}, {"empty tuple", p, TupleValue()}, {"wrong component", p, TupleValue(ok, ok, ok)},
		{"component too wide", p, TupleValue(IntValue(big.NewInt(512)), IntValue(big.NewInt(1)), BoolValue(false))},
		{"invalid term", BVAdd(x, i), IntValue(big.NewInt(1))},
	} {
		if v, err := Eval(True(), map[Term]Value{c.key: c.v}, 100); err == nil || IsBudget(err) {
			t.Errorf("%s: %v, %v", c.name, v, err)
		}
	}
	if v, err := Eval(Proj(1, p), map[Term]Value{p: ok}, 100); err != nil || v.Big().Int64() != -5 {
		t.Error(v, err)
	}
	if v, err := Eval(Eq(p, MkTuple(BVUint(9, 511), N(-5), b)), map[Term]Value{p: ok, b: BoolValue(true)}, 100); err != nil || !v.Bool() {
		t.Error(v, err)
	}
	if _, err := Eval(i, map[Term]Value{x: IntValue(big.NewInt(1))}, 100); err == nil || IsBudget(err) || !strings.Contains(err.Error(), "i") {
		t.Error(err)
	}
	if v, err := Eval(Ite(b, x, Var("missing", BV(8))), map[Term]Value{b: BoolValue(true), x: IntValue(big.NewInt(3))}, 100); err != nil || v.Big().Int64() != 3 {
		t.Error(v, err)
	}
	for _, bad := range []Term{{}, BVAdd(x, i)} {
		if _, err := Eval(bad, nil, 100); err == nil {
			t.Error("an ill-formed term has a value")
		}
	}
	if (Value{}).String() != "<no value>" || ok.String() != "(511,-5,1)" || BoolValue(true).String() != "1" || (Value{}).Big().Sign() != 0 || (Value{}).Bool() {
		t.Error("text of values")
	}
}
