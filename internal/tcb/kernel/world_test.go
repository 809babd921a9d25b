package kernel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"verum.example/internal/tcb/logic"
)

// The recorder would refuse what follows from premises that aren't true, whatever VERUM_AUDIT says; TestAudit and
// TestAuditRules turn it on.
func init() { auditEvery = 0 }

// given is a theorem from nothing, which only this package can make: tests use it for premises of an exact shape.
func given(c logic.Term, hyps ...logic.Term) Theorem {
	return Theorem{&theorem{hyps: ordered(append([]logic.Term(nil), hyps...)), concl: c}}
}

func must(th Theorem, err error) Theorem {
	if err != nil {
		panic(err)
	}
	return th
}

func mustDef(d logic.Def, err error) logic.Def {
	if err != nil {
		panic(err)
	}
	return d
}

// Definitions outlive generations and are made once: random terms use these.
var (
	defN, defRec, defX = logic.Var("n", logic.Int()), logic.Var("rec", logic.Int()), logic.Var("x", logic.Int())
	defB, defRecB      = logic.Var("b", logic.BV(4)), logic.Var("rec", logic.BV(4))

	// tri(n, x) = Σ_{i<n} (i+x)
	tri = mustDef(logic.DefineRec("test.tri", defN, defRec, []logic.Term{defX}, logic.N(0), logic.Add(defRec, defN, defX)))
	// step4(n, b) multiplies by 3 and adds b, n times, in BV(4), starting from b
	step4 = mustDef(logic.DefineRec("test.step4", defN, defRecB, []logic.Term{defB}, defB, logic.BVAdd(logic.BVMul(defRecB, logic.BVUint(4, 3)), defB)))
	// even(n) is a recursion on Bool
	even = mustDef(logic.DefineRec("test.even", defN, logic.Var("rec", logic.Bool()), nil, logic.True(), logic.Not(logic.Var("rec", logic.Bool()))))
	// squares(n) = 2^2ⁿ, which soon is over any budget
	squares = mustDef(logic.DefineRec("test.squares", defN, defRec, nil, logic.N(2), logic.Mul(defRec, defRec)))
	// absd(x, n) = |x − n|
	absd = mustDef(logic.Define("test.absd", []logic.Term{defX, defN}, logic.Ite(logic.Le(defX, defN), logic.Sub(defN, defX), logic.Sub(defX, defN))))

	testTable = func() logic.Table {
		t, err := logic.NewTable("test.table", 4, []*big.Int{big.NewInt(7), big.NewInt(0), big.NewInt(15), big.NewInt(8), big.NewInt(1)})
		if err != nil {
			panic(err)
		}
		return t
	}()

	pairSort = logic.TupleOf(logic.Int(), logic.BV(4), logic.Bool())
)

// world makes random terms and facts that are true under a hidden assignment, so that theorems with those facts as
// hypotheses say something there.
type world struct {
	r    *rand.Rand
	vars map[logic.Sort][]logic.Term
	env  map[logic.Term]logic.Value
	memo map[logic.Term]uint64 // of refutes
	held int                   // evaluations with true hypotheses
}

var (
	widths     = []int{1, 3, 4, 6}
	worldSorts = func() (s []logic.Sort) {
		for _, w := range widths {
			s = append(s, logic.BV(w))
		}
		return append(s, logic.Int(), logic.Bool(), pairSort)
	}()
	worldVars = func() map[logic.Sort][]logic.Term {
		m := map[logic.Sort][]logic.Term{}
		for _, s := range worldSorts {
			for i := range 3 { // names are used again for other sorts
				m[s] = append(m[s], logic.Var(fmt.Sprintf("v%d", i), s))
			}
			m[s] = append(m[s], logic.Fresh("v0", s))
		}
		return m
	}()
)

func newWorld(r *rand.Rand) *world {
	w := &world{r: r, vars: worldVars, env: map[logic.Term]logic.Value{}, memo: map[logic.Term]uint64{}}
	for _, s := range worldSorts {
		for _, v := range w.vars[s] {
			w.env[v] = w.value(s)
		}
	}
	return w
}

// seeded is the world of a seed, in which failures can be replayed.
func seeded(seed uint64) *world { return newWorld(rand.New(rand.NewPCG(seed, 77))) }

// value is mostly small, so that random facts hold often.
func (w *world) value(s logic.Sort) logic.Value {
	if s.Kind() == logic.KindTuple {
		var vs []logic.Value
		for _, e := range s.Elems() {
			vs = append(vs, w.value(e))
		}
		return logic.TupleValue(vs...)
	}
	if s == logic.Int() && w.r.IntN(8) > 0 {
		return logic.IntValue(big.NewInt(int64(w.r.IntN(9) - 4)))
	}
	return randomValue(w.r, s)
}

func (w *world) one(n int) bool { return w.r.IntN(n) == 0 }

func pick[T any](w *world, xs []T) T { return xs[w.r.IntN(len(xs))] }

// term is a random term of the sort.
func (w *world) term(s logic.Sort, depth int) logic.Term {
	if depth <= 0 {
		if w.one(3) {
			return w.constant(s)
		}
		return w.variable(s)
	}
	if w.one(8) {
		return logic.Ite(w.term(logic.Bool(), depth-1), w.term(s, depth-1), w.term(s, depth-1))
	}
	switch s.Kind() {
	case logic.KindInt:
		return w.integer(depth - 1)
	case logic.KindBool:
		return w.boolean(depth - 1)
	case logic.KindBV:
		return w.vector(s.Width(), depth-1)
	}
	if w.one(2) {
		return w.variable(s)
	}
	var ts []logic.Term
	for _, e := range s.Elems() {
		ts = append(ts, w.term(e, depth-1))
	}
	return logic.MkTuple(ts...)
}

// variable is one of the variables of the sort; sorts that only arise in terms have one.
func (w *world) variable(s logic.Sort) logic.Term {
	if vs := w.vars[s]; vs != nil {
		return pick(w, vs)
	}
	v := logic.Var("v", s)
	if _, ok := w.env[v]; !ok {
		w.env[v] = w.value(s)
	}
	return v
}

func (w *world) constant(s logic.Sort) logic.Term { return constant(s, w.value(s)) }

func (w *world) integer(d int) logic.Term {
	i := func() logic.Term { return w.term(logic.Int(), d) }
	v := func() logic.Term { return w.term(logic.BV(pick(w, widths)), d) }
	switch w.r.IntN(14) {
	case 12:
		return logic.Expmod(i(), i(), i())
	case 0, 1:
		return logic.Add(i(), i())
	case 2:
		return logic.Sub(i(), i())
	case 3:
		return logic.Mul(i(), i())
	case 4:
		return logic.Neg(i())
	case 5:
		return logic.Div(i(), i())
	case 6:
		return logic.Mod(i(), i())
	case 7, 8:
		return logic.Uint(v())
	case 9:
		return logic.Sint(v())
	case 10:
		return tri.App(i(), i())
	case 11:
		return absd.App(i(), i())
	}
	return logic.Proj(0, w.term(pairSort, d))
}

func (w *world) boolean(d int) logic.Term {
	p := func() logic.Term { return w.term(logic.Bool(), d) }
	i := func() logic.Term { return w.term(logic.Int(), d) }
	bv := logic.BV(pick(w, widths))
	switch w.r.IntN(14) {
	case 0:
		return logic.Not(p())
	case 1, 2:
		return logic.And(p(), p())
	case 3:
		return logic.Or(p(), p())
	case 4:
		return logic.Imp(p(), p())
	case 5:
		return logic.Iff(p(), p())
	case 6:
		s := pick(w, worldSorts)
		return logic.Eq(w.term(s, d), w.term(s, d))
	case 7:
		return logic.Le(i(), i())
	case 8:
		return logic.Lt(i(), i())
	case 9:
		return logic.Cong(i(), i(), i())
	case 10:
		return logic.Ult(w.term(bv, d), w.term(bv, d))
	case 11:
		return logic.Slt(w.term(bv, d), w.term(bv, d))
	case 12:
		return even.App(i())
	}
	return logic.Proj(2, w.term(pairSort, d))
}

func (w *world) vector(n, d int) logic.Term {
	v := func() logic.Term { return w.term(logic.BV(n), d) }
	k := w.r.IntN(n + 2)
	switch w.r.IntN(20) {
	case 0, 1:
		return logic.BVAdd(v(), v())
	case 2:
		return logic.BVSub(v(), v())
	case 3, 4:
		return logic.BVMul(v(), v())
	case 5:
		return logic.BVNeg(v())
	case 6:
		return logic.BVNot(v())
	case 7:
		return logic.BVAnd(v(), v())
	case 8:
		return logic.BVOr(v(), v())
	case 9:
		return logic.BVXor(v(), v())
	case 10:
		return logic.Shl(v(), k)
	case 11:
		return logic.Lshr(v(), k)
	case 12:
		return logic.Ashr(v(), k)
	case 13:
		return logic.Rotr(v(), k)
	case 14:
		return logic.LshrV(v(), w.term(logic.BV(pick(w, widths)), d))
	case 15:
		return logic.ToBV(n, w.term(logic.Int(), d))
	case 16:
		m := pick(w, widths)
		if a := w.term(logic.BV(m), d); m >= n {
			lo := w.r.IntN(m - n + 1)
			return logic.Extract(lo+n-1, lo, a)
		} else if w.one(2) {
			return logic.Sext(n, a)
		} else {
			return logic.Zext(n, a)
		}
	case 17:
		if n == 4 {
			return logic.Concat(w.term(logic.BV(1), d), w.term(logic.BV(3), d))
		}
		if n == 6 {
			return logic.Concat(w.term(logic.BV(3), d), w.term(logic.BV(3), d))
		}
	case 18:
		if n == 4 {
			return step4.App(w.term(logic.Int(), d), v())
		}
	case 19:
		if n == 4 {
			return logic.Lookup(testTable, w.term(logic.BV(pick(w, widths)), d))
		}
	}
	return v()
}

const fuzzBudget = 1 << 11

func eval(t logic.Term, env map[logic.Term]logic.Value) (logic.Value, bool) {
	v, err := logic.Eval(t, env, fuzzBudget)
	return v, err == nil
}

// val is the value of t under the hidden assignment, 0 when that can't be computed.
func (w *world) val(t logic.Term) *big.Int {
	v, _ := eval(t, w.env)
	return v.Big()
}

// fact is a random Bool that is true under the hidden assignment.
func (w *world) fact(d int) logic.Term {
	p := w.term(logic.Bool(), d)
	if v, ok := eval(p, w.env); ok && !v.Bool() {
		return logic.Not(p)
	}
	return p
}

// poly is a random Int of low degree.
func (w *world) poly(d int) logic.Term { return w.term(logic.Int(), d) }

// ge is a theorem 0 ≤ a with a hypothesis that is true under the hidden assignment.
func (w *world) ge() Theorem {
	a := w.poly(2)
	a = logic.Sub(a, logic.IntConst(new(big.Int).Sub(w.val(a), big.NewInt(int64(w.r.IntN(3))))))
	return w.assume(logic.Ge0(a))
}

// eq0 is a theorem e = 0 likewise.
func (w *world) eq0() Theorem {
	e := w.poly(2)
	return w.assume(logic.Eq0(logic.Sub(e, logic.IntConst(w.val(e)))))
}

// cong is a theorem f ≡ 0 (mod m) likewise.
func (w *world) cong(m logic.Term) Theorem {
	f := w.poly(2)
	x, mv := w.val(f), w.val(m)
	if w.one(2) && mv.Sign() != 0 {
		x.Mod(x, mv)
	}
	return w.assume(logic.Cong(f, logic.IntConst(x), m))
}

// assume is p ⊢ p or, with fewer chances for later rules to use p, h ⊢ p for a conjunction h of p and something else.
func (w *world) assume(p logic.Term) Theorem {
	if w.one(4) {
		h := must(Assume(logic.And(p, w.fact(1))))
		if th, err := Taut(p, h); err == nil {
			return th
		}
	}
	return must(Assume(p))
}

// theorem is a random theorem.
func (w *world) theorem() Theorem {
	switch w.r.IntN(8) {
	case 0:
		return w.ge()
	case 1:
		return w.eq0()
	case 2:
		return w.cong(logic.N(int64(w.r.IntN(9))))
	case 3:
		lo, hi, err := UintRange(w.term(logic.BV(pick(w, widths)), 2))
		if w.one(2) {
			lo = hi
		}
		return must(lo, err)
	case 4:
		if th, err := Taut(logic.Or(w.term(logic.Bool(), 1), w.fact(1)), must(Assume(w.fact(1)))); err == nil {
			return th
		}
	case 5:
		return must(DivMod(w.poly(2), w.poly(1)))
	}
	return must(Assume(w.fact(2)))
}

// check evaluates a theorem under the hidden assignment and variations of it, which keep true hypotheses true often.
// It returns a description of an assignment that refutes the theorem.
func (w *world) check(th Theorem, tries int) error {
	if th.t == nil {
		return nil
	}
	var vars []logic.Term
	for _, t := range append(th.Hyps(), th.Concl()) {
		vars = append(vars, logic.FreeVars(t)...)
	}
	env := map[logic.Term]logic.Value{}
	for _, v := range vars {
		if x, ok := w.env[v]; ok {
			env[v] = x
		} else {
			env[v] = w.value(v.Sort())
		}
	}
	for k := range tries {
		saved := map[logic.Term]logic.Value{}
		if k > 0 && len(vars) > 0 {
			for range 1 + w.r.IntN(2) {
				v := pick(w, vars)
				if _, ok := saved[v]; !ok {
					saved[v] = env[v]
				}
				env[v] = w.value(v.Sort())
			}
		}
		holds := true
		for _, h := range th.t.hyps {
			v, ok := eval(h, env)
			if holds = ok && v.Bool(); !holds {
				break
			}
		}
		if holds {
			if v, ok := eval(th.t.concl, env); ok {
				w.held++
				if !v.Bool() {
					return fmt.Errorf("%v is false at %s", th, show(vars, env))
				}
			}
		}
		if !holds || w.one(2) {
			for v, x := range saved {
				env[v] = x
			}
		}
	}
	return nil
}

// inGeneration runs f in a generation, which gives back the memory of its terms. Handles that f leaves behind are
// stale.
func inGeneration(t testing.TB, f func()) {
	t.Helper()
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Drop()
	f()
}
