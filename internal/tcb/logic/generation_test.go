package logic

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// generationTerms makes some terms; the closures say which are permanent whatever happens.
func generationTerms(tag string) []Term {
	x, y, i := Var("x", BV(40)), Var("y", BV(40)), Var("i", Int())
	k := BVConst(40, new(big.Int).SetUint64(hashString(7, tag)))
	return []Term{
		BVAdd(x, k), BVMul(BVAdd(x, k), y), Concat(x, k, y), Add(Uint(BVAdd(x, k)), i), Eq0(Add(Uint(BVAdd(x, k)), i)), MkTuple(BVAdd(x, k), i),
		Ite(Ult(x, k), x, k), Extract(30, 3, BVAdd(y, k)), Not(Eq(x, k)),
	}
}

func TestGenerations(t *testing.T) {
	permanent := generationTerms("permanent")
	testDefs()
	before := NumTerms()
	g, err := NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	if h, err := NewGeneration(); err == nil || h != (Generation{}) {
		t.Error("a second generation was opened")
	}
	Generation{}.Drop() // no generation
	if again := generationTerms("permanent"); !slices.Equal(again, permanent) || NumTerms() != before {
		t.Error("permanent terms were made again")
	}
	inside := generationTerms("inside")
	made := NumTerms() - before
	if made < len(inside) {
		t.Errorf("%d terms", made)
	}
	v := Var("a variable first made inside", Int())
	f := Fresh("fresh", BV(4))
	if NumTerms() != before+made+2 {
		t.Error("variables")
	}
	mixed := BVXor(inside[0], permanent[0])
	if err := mixed.Err(); err != nil || mixed != BVXor(permanent[0], inside[0]) {
		t.Error(err)
	}
	sub := NewSubst(map[Term]Term{Var("x", BV(40)): inside[0]})
	moved := sub.Apply(permanent[1])
	if moved.Err() != nil {
		t.Error(moved.Err())
	}
	var sum Sum
	sum.Add(nil, inside[3])
	g.Drop()
	g.Drop()
	if NumTerms() != before+2 {
		t.Errorf("%d terms more than before", NumTerms()-before)
	}
	for _, x := range append(slices.Clone(permanent), v, f) {
		if err := x.Err(); err != nil {
			t.Errorf("%v: %v", x, err)
		}
	}
	if !slices.Equal(generationTerms("permanent"), permanent) || v != Var("a variable first made inside", Int()) {
		t.Error("permanent terms changed")
	}
	n := NumTerms()
	for _, x := range append(slices.Clone(inside), mixed, moved) {
		if x.Err() == nil {
			t.Errorf("%v isn't stale", x)
		}
		refusals(t, x)
	}
	if got := sub.Apply(permanent[1]); got.Err() == nil || NewSubst(map[Term]Term{Var("x", BV(40)): inside[0]}).Apply(permanent[1]).Err() == nil {
		t.Error("a stale substitution")
	}
	if sum.Term().Err() == nil {
		t.Error("a stale sum")
	}
	if d := NumTerms() - n; d > 25 { // the constants and variables of refusals
		t.Errorf("%d terms were made of stale ones", d)
	}
	// The same terms again are new terms.
	h := must(NewGeneration())
	for i, x := range generationTerms("inside") {
		if x == inside[i] || x.Err() != nil {
			t.Errorf("%v", x)
		}
		refusals(t, inside[i])
	}
	// Structure still orders and reads stale terms, without harm.
	if Compare(inside[0], inside[1]) == 0 || inside[0].Sort() != BV(40) || len(FreeVars(inside[0])) != 1 {
		t.Error("reading a stale term")
	}
	g.Drop() // of a dropped one: h stays open
	if _, err := NewGeneration(); err == nil {
		t.Error("h is closed")
	}
	h.Drop()
	must(NewGeneration()).Drop()
}

// refusals hands a stale, zero or invalid term to everything that takes a term.
func refusals(t *testing.T, x Term) {
	t.Helper()
	for name, y := range applications(x) {
		if y.Err() == nil {
			t.Errorf("%s accepts %v", name, x)
		}
	}
	if _, err := Eval(x, nil, 1000); err == nil {
		t.Errorf("Eval accepts %v", x)
	}
	if _, err := Define(unique("refused"), nil, x); err == nil {
		t.Errorf("Define accepts %v", x)
	}
	n, r := Var("n", Int()), Var("r", BV(40))
	if _, err := DefineRec(unique("refused"), n, r, nil, x, r); err == nil {
		t.Errorf("DefineRec accepts %v", x)
	}
	if _, err := DefineRec(unique("refused"), n, r, nil, BVUint(40, 1), x); err == nil {
		t.Errorf("DefineRec accepts %v", x)
	}
	var s Sum
	s.Add(nil, x)
	if _, err := s.IsZero(); err == nil {
		t.Errorf("Sum accepts %v", x)
	}
}

// applications applies every constructor to x and, where there are others, good arguments; in every position.
func applications(x Term) map[string]Term {
	b, i, v, f := Var("b", Bool()), Var("i", Int()), Var("v", BV(40)), Var("f", BV(1))
	d := testDefs()
	m := map[string]Term{
		"Not": Not(x), "And": And(b, x), "And1": And(x), "And false": And(False(), x), "Or": Or(x, b), "Or true": Or(True(), x), "Imp": Imp(x, b), "Imp2": Imp(b, x),
		"Imp false": Imp(False(), x), "Iff": Iff(x, b), "Iff2": Iff(b, x), "Eq": Eq(x, v), "Eq2": Eq(v, x), "Eq same": Eq(x, x), "Eq int": Eq(i, x),
		"Ite": Ite(x, v, v), "Ite2": Ite(True(), x, v), "Ite3": Ite(True(), v, x), "Ite same": Ite(b, x, x), "Tuple": MkTuple(v, x), "Proj": Proj(0, x),
		"Add": Add(i, x), "Add1": Add(x), "Sub": Sub(i, x), "Sub same": Sub(x, x), "Neg": Neg(x), "Mul": Mul(x, i), "Mul 0": Mul(N(0), x), "Eq0": Eq0(x), "Ge0": Ge0(x),
		"Le": Le(x, i), "Le2": Le(i, x), "Lt": Lt(x, i), "Lt2": Lt(i, x), "Cong": Cong(x, i, N(3)), "Cong2": Cong(i, x, N(3)), "Cong3": Cong(i, N(0), x),
		"Cong same": Cong(i, i, x), "Cong one": Cong(x, i, N(1)), "Div": Div(x, N(0)), "Div2": Div(i, x), "Mod": Mod(x, N(1)), "Mod2": Mod(i, x),
		"Expmod": Expmod(x, i, i), "Expmod2": Expmod(i, x, N(0)), "Expmod3": Expmod(N(1), N(0), x),
		"FromMonomials": FromMonomials([]Monomial{{big.NewInt(0), []Term{x}}}), "Uint": Uint(x), "Sint": Sint(x),
		"ToBV": ToBV(4, x), "BVAdd": BVAdd(x, v), "BVAdd2": BVAdd(v, x), "BVSub": BVSub(x, v), "BVSub2": BVSub(v, x), "BVMul": BVMul(x, BVUint(40, 0)), "BVMul2": BVMul(BVUint(40, 0), x),
		"BVNeg": BVNeg(x), "BVNot": BVNot(x), "BVAnd": BVAnd(x, BVUint(40, 0)), "BVAnd2": BVAnd(v, x), "BVOr": BVOr(x, v), "BVXor": BVXor(x, x),
		"Shl": Shl(x, 99), "Lshr": Lshr(x, 0), "Ashr": Ashr(x, 1), "Rotr": Rotr(x, 0), "LshrV": LshrV(x, v), "LshrV2": LshrV(v, x),
		"Concat": Concat(x), "Concat2": Concat(f, x), "Extract": Extract(0, 0, x), "Zext": Zext(64, x), "Sext": Sext(64, x), "Ult": Ult(x, v), "Ult2": Ult(v, x),
		"Slt": Slt(x, x), "Slt2": Slt(v, x), "Lookup": Lookup(tableOf(8).sym, x), "App": d[0].sym.App(x, i), "App2": d[0].sym.App(Var("x", BV(9)), x),
		"Unfold": Unfold(x), "Subst": Subst(x, nil), "Subst2": Subst(v, map[Term]Term{v: x}), "Subst3": Subst(v, map[Term]Term{x: v}), "Subst4": Subst(i, map[Term]Term{v: x}),
		"Replace": Replace(x, nil), "Replace2": Replace(v, map[Term]Term{v: x}), "Replace3": Replace(v, map[Term]Term{x: v}), "NewSubst": NewSubst(map[Term]Term{v: x}).Apply(i),
	}
	return m
}

func TestRefusals(t *testing.T) {
	for _, x := range []Term{{}, BVAdd(Var("x", BV(8)), N(1)), Extract(3, 4, Var("x", BV(8))), invalid("of some kind")} {
		refusals(t, x)
		if x.Op() != 0 || x.Sort() != (Sort{}) || x.NumArgs() != 0 || !x.Arg(0).IsZero() || len(x.Args()) != 0 || x.Name() != "" || x.Def() != (Def{}) || x.Monomials() != nil || x.IsClosed() || x.Width() != 0 {
			t.Errorf("%v has parts", x)
		}
		if _, ok := x.Const(); ok {
			t.Errorf("%v is a constant", x)
		}
	}
	ill := BVAdd(Var("x", BV(8)), N(1))
	if got := BVNot(Concat(ill, Var("x", BV(8)))); got != ill || got.Err().Error() != ill.Err().Error() {
		t.Errorf("the error got lost: %v", got.Err())
	}
}

// TestStaleArgument makes terms of arguments of two generations, as a constructor interrupted by Drop does: they are stale.
func TestStaleArgument(t *testing.T) {
	x := Var("x", BV(40))
	g := must(NewGeneration())
	old := BVAdd(x, BVUint(40, 0x51a1e))
	oldInt := Uint(old)
	g.Drop()
	h := must(NewGeneration())
	defer h.Drop()
	now := BVMul(x, BVUint(40, 0x51a1e))
	for i, args := range [][]*node{{old.n, now.n}, {now.n, old.n}, {x.n, old.n, now.n}, {now.n, x.n, old.n}} {
		if y := (Term{concat(args)}); y.Err() == nil {
			t.Errorf("%d: %v is not stale", i, y)
		}
	}
	for _, p := range [][]mono{addScaled(oldInt.n.monos(), Uint(now).n.monos(), numOne), addScaled(Uint(now).n.monos(), oldInt.n.monos(), numOne)} {
		if y := (Term{polyNode(p)}); y.Err() == nil {
			t.Errorf("%v is not stale", y)
		}
	}
}

// TestConcurrent lets goroutines build the same terms, each in its own order: they get the same pointers, once.
func TestConcurrent(t *testing.T) {
	const workers = 8
	inGeneration(t, func() {
		exprs := make([]*expr, 300)
		for i := range exprs {
			g := newGenerator(seeded(uint64(i)), 40)
			exprs[i] = g.expr(g.sortAny(), 5)
		}
		results := make([][]Term, workers)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), 1))
				ts := make([]Term, len(exprs))
				for _, i := range r.Perm(len(exprs)) {
					ts[i] = builder{}.build(exprs[i])
				}
				results[w] = ts
			})
		}
		wg.Wait()
		for w := range results {
			for i, x := range results[w] {
				if x != results[0][i] || x.Err() != nil {
					t.Fatalf("goroutine %d has another %v", w, x)
				}
			}
		}
		check := checker{}
		for _, x := range results[0] {
			check.check(t, x.n)
		}
		seen := map[uint64]bool{}
		for n := range check {
			if seen[n.id] {
				t.Fatal("an id was given twice")
			}
			seen[n.id] = true
		}
	})
}

// hasStale tells that t is used although a part of it is stale. Staleness is for ever, so looking at the parts first
// makes the answer right while generations are dropped.
func hasStale(t Term) bool {
	for _, s := range subterms(t)[1:] {
		if s.Err() != nil {
			return t.Err() == nil
		}
	}
	return false
}

// TestConcurrentDrop drops generations while goroutines build and use terms across them.
func TestConcurrentDrop(t *testing.T) {
	testDefs()
	d := testDefs()
	tableOf(40)
	before := NumTerms()
	vars := []Term{Var("x", BV(40)), Var("y", BV(40)), Var("z", BV(40))}
	i, m := Var("i", Int()), Var("m", Int())
	var stop atomic.Bool
	var used, refused atomic.Int64
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			r := rand.New(rand.NewPCG(uint64(w), 2))
			x := vars[0]
			for !stop.Load() {
				y := vars[r.IntN(3)]
				switch r.IntN(10) {
				case 0:
					x = BVAdd(x, BVConst(40, big.NewInt(r.Int64N(1<<20))))
				case 1:
					x = Concat(Extract(39, 7, x), Extract(6, 0, y))
				case 2:
					x = BVXor(BVAnd(x, Concat(Extract(11, 0, y), Extract(39, 12, vars[r.IntN(3)]))), y)
				case 3:
					x = ToBV(40, Add(Uint(x), Mul(i, N(r.Int64N(1000)))))
				case 4:
					x = Ite(Cong(Uint(x), Add(i, N(r.Int64N(100))), m), x, y)
				case 5:
					x = Subst(BVMul(y, BVNot(vars[1])), map[Term]Term{vars[0]: x, vars[1]: x})
				case 6:
					u := Unfold(d[2].sym.App(Uint(x), i))
					x = Ite(Le(u, N(r.Int64N(100))), x, y)
				case 7:
					var s Sum
					s.Add(nil, Uint(x), Add(i, N(r.Int64N(100))))
					x = ToBV(40, s.Term())
				case 8:
					x = Replace(x, map[Term]Term{y: BVNeg(x)})
				case 9:
					x = Lookup(tableOf(40).sym, x)
				}
				if x.Err() != nil {
					refused.Add(1)
					x = y
					continue
				}
				used.Add(1)
				if hasStale(x) {
					t.Errorf("%v has a stale part", x)
					return
				}
				if x.n.depth > 30 {
					x = y
				}
			}
		})
	}
	for range 150 {
		g, err := NewGeneration()
		if err != nil {
			t.Error(err)
			break
		}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
		g.Drop()
	}
	stop.Store(true)
	wg.Wait()
	if used.Load() == 0 {
		t.Error("no term was used")
	}
	t.Logf("%d terms used, %d refused, %d permanent made", used.Load(), refused.Load(), NumTerms()-before)
}

// TestMemoryIsGivenBack makes many generations of large terms; the store is empty after each.
func TestMemoryIsGivenBack(t *testing.T) {
	x := Var("x", BV(64))
	n := NumTerms()
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	heap := stats.HeapAlloc
	for g := range 4 {
		inGeneration(t, func() {
			y := x
			for i := range 20000 {
				y = BVAdd(BVMul(y, x), BVUint(64, uint64(i+2)))
			}
			if NumTerms() < n+40000 || y.Err() != nil {
				t.Error(NumTerms(), y.Err())
			}
		})
		if NumTerms() != n {
			t.Fatalf("generation %d: %d terms are left", g, NumTerms()-n)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&stats)
	if stats.HeapAlloc > heap+4<<20 {
		t.Errorf("%d bytes are left", stats.HeapAlloc-heap)
	}
}

// TestHashCollision stores different terms under one hash: they stay different.
func TestHashCollision(t *testing.T) {
	g := new(generation)
	x, y := Var("x", BV(8)).n, Var("y", BV(8)).n
	mk := func(op Op, args ...*node) *node {
		return &node{op: op, sort: BV(8), args: args, hash: 42, gen: g}
	}
	var ns []*node
	for _, n := range []*node{mk(OpBVNot, x), mk(OpBVNot, y), mk(OpBVNeg, x), mk(OpBVAdd, x, y), mk(OpBVAdd, x, x), mk(OpBVAdd, y, x)} {
		ns = append(ns, g.getOrPut(n))
	}
	wide := mk(OpConst)
	wide.x = pow2(70)
	wide2 := mk(OpConst)
	wide2.x = pow2(71)
	other := mk(OpBVNot, x)
	other.sort = BV(9)
	for _, n := range []*node{wide, wide2, other, {op: OpPoly, sort: intSort, poly: []mono{{c: num{i: 2}}}, hash: 42}, {op: OpPoly, sort: intSort, poly: []mono{{c: num{i: 3}}}, hash: 42},
		{op: OpPoly, sort: intSort, poly: []mono{{c: num{b: pow2(70)}}}, hash: 42}, {op: OpShl, sort: BV(8), args: []*node{x}, u: 1, hash: 42}, {op: OpShl, sort: BV(8), args: []*node{x}, u: 2, hash: 42}} {
		ns = append(ns, g.getOrPut(n))
	}
	for i, a := range ns {
		for j, b := range ns {
			if (a == b) != (i == j) || (cmpNode(a, b) == 0) != (i == j) || cmpNode(a, b) != -cmpNode(b, a) {
				t.Errorf("%d and %d", i, j)
			}
		}
		again := *a
		again.next, again.id = nil, 0
		if g.getOrPut(&again) != a {
			t.Errorf("%d is stored twice", i)
		}
	}
}

// ---- what is printed and how arguments are ordered depends on structure alone

// digest writes a term's whole structure, in the order of its arguments.
func digest(x Term) string {
	memo := map[*node]uint64{}
	var walk func(n *node) uint64
	walk = func(n *node) uint64 {
		if h, ok := memo[n]; ok {
			return h
		}
		h := hashString(uint64(n.op), fmt.Sprint(n.sort, n.u, Term{n}.Name(), Term{n}.Def().Name()))
		if c, ok := n.constant(); ok {
			h = hashBig(h, c)
		}
		for _, a := range n.args {
			h = mix(h, walk(a))
		}
		for _, m := range n.poly {
			h = hashBig(h, m.c.big())
			for _, v := range m.v {
				h = mix(h, walk(v))
			}
		}
		memo[n] = h
		return h
	}
	return fmt.Sprintf("%x %s", walk(x.n), x.Format(12))
}

func TestOrderIsStructural(t *testing.T) {
	exprs := make([]*expr, 150)
	for i := range exprs {
		g := newGenerator(seeded(uint64(900+i)), 40)
		exprs[i] = g.expr(g.sortAny(), 5)
	}
	var want []string
	for round := range 4 {
		r := rand.New(rand.NewPCG(uint64(round), 5))
		got := make([]string, len(exprs))
		inGeneration(t, func() {
			// Noise, so that ids and the first occurrences of subterms differ between the rounds.
			for range round * 1000 {
				BVAdd(Var("noise", BV(33)), BVUint(33, r.Uint64()))
			}
			order := r.Perm(len(exprs))
			if round == 0 {
				slices.Sort(order)
			}
			var wg sync.WaitGroup
			workers := 1 + 3*(round%2)
			for w := range workers {
				wg.Go(func() {
					for k, i := range order {
						if k%workers == w {
							got[i] = digest(builder{}.build(exprs[i]))
						}
					}
				})
			}
			wg.Wait()
		})
		if round == 0 {
			want = got
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("round %d, term %d:\n%s\nand\n%s", round, i, want[i], got[i])
			}
		}
	}
}

// TestHashes has terms that differ in one thing: so do their hashes, else their order would depend on their ids.
func TestHashes(t *testing.T) {
	x, i := Var("x", BV(70)), Var("i", Int())
	row := []*big.Int{big.NewInt(1)}
	ts := append(samples(),
		Lookup(must(NewTable(unique("hash"), 70, row)), x), Lookup(must(NewTable(unique("hash"), 70, row)), x),
		must(Define(unique("hash"), []Term{i}, i)).App(i), must(Define(unique("hash"), []Term{i}, i)).App(i),
		BVConst(70, pow2(65)), BVConst(70, pow2(66)), BVConst(71, pow2(65)), BVUint(8, 1), BVUint(9, 1), BVUint(1, 1), N(1), N(-1), Pow2(64), Neg(Pow2(64)),
		Shl(x, 1), Shl(x, 2), Extract(5, 1, x), Extract(5, 2, x), Extract(6, 2, x), Var("x", BV(71)), Var("x", Int()), Var("", Int()),
		Mul(N(2), i), Mul(N(3), i), Mul(N(2), i, i), Add(i, N(2)), Sext(90, x), Sext(91, x), ToBV(9, i), ToBV(10, i), Div(i, x2(i)), Div(x2(i), i),
		Proj(0, Var("p", TupleOf(Int(), Int()))), Proj(1, Var("p", TupleOf(Int(), Int()))))
	hashes := map[uint64]Term{}
	for _, y := range ts {
		for _, s := range subterms(y) {
			if z, ok := hashes[s.n.hash]; ok && z != s {
				t.Errorf("%v and %v have one hash", z, s)
			}
			hashes[s.n.hash] = s
		}
	}
}

func x2(t Term) Term { return Mul(N(2), t) }

// TestOrderOfFresh has terms that differ only in Fresh variables of one name, whose structural hashes are equal: the
// order is that of the variables, whichever term was made first.
func TestOrderOfFresh(t *testing.T) {
	a, b, c := Fresh("x", BV(8)), Fresh("x", BV(8)), Var("x", BV(8))
	i, j := Fresh("i", Int()), Fresh("i", Int())
	fs := []func() Term{
		func() Term { return Rotr(BVNot(a), 3) }, func() Term { return Rotr(BVNot(b), 3) }, func() Term { return Rotr(BVNot(c), 3) },
	}
	gs := []func() Term{
		func() Term { return Mod(Add(i, j), N(9)) }, func() Term { return Mod(Add(i, i), N(9)) }, func() Term { return Mod(Mul(i, j), N(9)) },
		func() Term { return Mod(Sub(Mul(i, i), i), j) }, func() Term { return Mod(Sub(Mul(i, i), j), j) }, func() Term { return Mod(Sub(Mul(j, j), j), i) },
	}
	order := func(fs []func() Term, perm []int) []int {
		ts := make([]Term, len(fs))
		for _, k := range perm {
			ts[k] = fs[k]()
		}
		idx := slices.Clone(perm)
		slices.SortFunc(idx, func(x, y int) int { return Compare(ts[x], ts[y]) })
		for _, x := range idx {
			for _, y := range idx {
				if Compare(ts[x], ts[y]) != -Compare(ts[y], ts[x]) || (Compare(ts[x], ts[y]) == 0) != (x == y) {
					t.Error("no order")
				}
			}
		}
		return idx
	}
	r := rand.New(rand.NewPCG(8, 8))
	for _, fs := range [][]func() Term{fs, gs} {
		var want []int
		for range 20 {
			inGeneration(t, func() {
				got := order(fs, r.Perm(len(fs)))
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v and %v", got, want)
				}
			})
		}
	}
}

// TestText pins the printed forms: they are the same in every run of every process.
func TestText(t *testing.T) {
	x, y, f := Var("x", BV(16)), Var("y", BV(16)), Var("f", BV(1))
	i, j := Var("i", Int()), Var("j", Int())
	p, q := Var("p", Bool()), Var("q", Bool())
	for _, c := range []struct {
		t    Term
		want string
	}{
		{Add(Mul(i, i, j), Mul(N(-3), i), N(7)), "7 - 3·i + i·i·j"},
		{Le(Add(i, N(1)), Mul(N(2), j)), "1 + i ≤ 2·j"},
		{Eq(i, j), "i = j"},
		{Cong(i, j, N(7)), "-i + j ≡ 0 (mod 7)"},
		{And(p, q, Not(Eq(x, y))), "(q ∧ not((y = x)) ∧ p)"},
		{And(p, Le(i, j)), "((i ≤ j) ∧ p)"},
		{Div(Add(i, j), N(3)), "((i + j) div 3)"},
		{Mul(i, Mod(Sub(N(0), i), Pow2(64))), "((-i) mod 0x10000000000000000)·i"},
		{BVAdd(x, BVUint(16, 255)), "(0xff:16 + x)"},
		{Zext(32, BVAnd(x, y)), "cat((y & x), 0x0:16)"},
		{Extract(7, 3, BVMul(x, y)), "(y * x)[7:3]"},
		{Rotr(x, 3), "(x rotr 3)"},
		{LshrV(Shl(x, 3), y), "((x << 3) >> y)"},
		{Ite(Eq(f, BVUint(1, 0)), x, y), "ite((f = 0x1:1), y, x)"},
		{Sint(Sext(20, x)), "sint(x)"},
		{Uint(Sext(20, x)), "uint(sext20(x))"},
		{ToBV(8, i), "bv8(i)"},
		{MkTuple(i, Proj(1, Var("t", pair)), True()), "⟨i, t.1, true⟩"},
		{BVNeg(BVNot(x)), "-(~(x))"},
		{Add(), "0"},
		{N(-5), "-5"},
		{Term{}, "<no term>"},
		{BVAdd(x, f), "<ill-formed term: widths 16 and 1 of x and f>"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	if got := BVNot(BVNeg(BVNot(BVNeg(x)))).Format(2); got != "~(-(…))" {
		t.Errorf("%s", got)
	}
	// Fresh variables of one name stand in the order in which they were made.
	a, b := Fresh("x", Int()), Fresh("x", Int())
	if s, u := Sub(a, Mul(N(2), b)).String(), Sub(b, Mul(N(2), a)).String(); s != "x - 2·x" || u != "-2·x + x" {
		t.Errorf("%s and %s", s, u)
	}
	if got := Compare(i, i); got != 0 || Compare(i, j) != -Compare(j, i) || Compare(Term{}, i) >= 0 || Compare(i, Term{}) <= 0 || Compare(Term{}, Term{}) != 0 {
		t.Error("Compare")
	}
}
