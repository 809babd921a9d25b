package logic

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// An expr is a term as written down, before any constructor has seen it. It has a meaning of its own, computed by
// oracle.eval without eval.go and, where there is a choice, by another formula; build applies the constructors to it.
// Every fuzz test of this package compares the two.
type expr struct {
	op     string
	sort   Sort
	args   []*expr
	k      int // amount, component
	hi, lo int
	c      *big.Int
	name   string
	def    *testDef
}

// oval is a value: b for Bool (0, 1), Int and BV, else t.
type oval struct {
	b *big.Int
	t []oval
}

func (v oval) eq(w oval) bool {
	if v.b != nil || w.b != nil {
		return v.b != nil && w.b != nil && v.b.Cmp(w.b) == 0
	}
	return slices.EqualFunc(v.t, w.t, oval.eq)
}

func (v oval) String() string {
	if v.b != nil {
		return v.b.String()
	}
	return fmt.Sprint(v.t)
}

// value is v for Eval.
func (v oval) value() Value {
	if v.b != nil {
		return IntValue(v.b)
	}
	es := make([]Value, len(v.t))
	for i, e := range v.t {
		es[i] = e.value()
	}
	return TupleValue(es...)
}

func (v oval) is(w Value) bool {
	if v.b != nil {
		return w.Elems() == nil && v.b.Cmp(w.Big()) == 0
	}
	es := w.Elems()
	if len(es) != len(v.t) {
		return false
	}
	for i, e := range es {
		if !v.t[i].is(e) {
			return false
		}
	}
	return true
}

// ---- oracle

// A varKey is what identifies a variable.
type varKey struct {
	name string
	sort Sort
}

type assignment map[varKey]oval

func (a assignment) terms() map[Term]Value {
	m := map[Term]Value{}
	for k, v := range a {
		m[Var(k.name, k.sort)] = v.value()
	}
	return m
}

type oracle struct {
	env  assignment
	memo map[*expr]oval
}

func newOracle(env assignment) *oracle { return &oracle{env, map[*expr]oval{}} }

func pow2(k int) *big.Int { return new(big.Int).Exp(big.NewInt(2), big.NewInt(int64(k)), nil) }

// euclid is x mod m in [0, m), m > 0.
func euclid(x, m *big.Int) *big.Int { return new(big.Int).Mod(x, m) }

func asInt(b bool) oval {
	if b {
		return oval{b: big.NewInt(1)}
	}
	return oval{b: big.NewInt(0)}
}

// bitsOf are the low w bits of x, lowest first; fromBits is the inverse.
func bitsOf(x *big.Int, w int) []uint {
	r := make([]uint, w)
	for i := range r {
		r[i] = x.Bit(i)
	}
	return r
}

func fromBits(bs []uint) *big.Int {
	x := new(big.Int)
	for i, b := range bs {
		x.SetBit(x, i, b)
	}
	return x
}

func twos(x *big.Int, w int) *big.Int {
	if x.Cmp(pow2(w-1)) >= 0 {
		return new(big.Int).Sub(x, pow2(w))
	}
	return x
}

// floorDiv is ⌊x/m⌋ from big.Int's Euclidean division, 0 for m = 0.
func floorDiv(x, m *big.Int) *big.Int {
	switch m.Sign() {
	case 0:
		return new(big.Int)
	case 1:
		return new(big.Int).Div(x, m) // Euclid and floor agree
	}
	return new(big.Int).Div(new(big.Int).Neg(x), new(big.Int).Neg(m)) // x/m = (−x)/(−m)
}

func (o *oracle) eval(e *expr) oval {
	if v, ok := o.memo[e]; ok {
		return v
	}
	v := o.eval1(e)
	o.memo[e] = v
	return v
}

func (o *oracle) eval1(e *expr) oval {
	if e.op == "var" {
		return o.env[varKey{e.name, e.sort}]
	}
	a := make([]oval, len(e.args))
	b := make([]*big.Int, len(e.args))
	for i, x := range e.args {
		a[i] = o.eval(x)
		b[i] = a[i].b
	}
	w := e.sort.Width()
	num := func(x *big.Int) oval { return oval{b: x} }
	mod := func(x *big.Int) oval { return oval{b: euclid(x, pow2(w))} }
	aw := 0
	if len(e.args) > 0 {
		aw = e.args[0].sort.Width()
	}
	bitwise := func(f func(x, y uint) uint) oval {
		x, y := bitsOf(b[0], w), bitsOf(b[1], w)
		for i := range x {
			x[i] = f(x[i], y[i])
		}
		return num(fromBits(x))
	}
	switch e.op {
	case "const":
		if e.sort.Kind() == KindBV {
			return mod(e.c)
		}
		return num(e.c)
	case "ite":
		if b[0].Sign() != 0 {
			return a[1]
		}
		return a[2]
	case "app":
		return e.def.eval(a)
	case "tuple":
		return oval{t: a}
	case "proj":
		return a[0].t[e.k]
	// Bool
	case "not":
		return asInt(b[0].Sign() == 0)
	case "and":
		r := true
		for _, x := range b {
			r = r && x.Sign() != 0
		}
		return asInt(r)
	case "or":
		r := false
		for _, x := range b {
			r = r || x.Sign() != 0
		}
		return asInt(r)
	case "imp":
		return asInt(b[0].Cmp(b[1]) <= 0)
	case "iff", "eq":
		return asInt(a[0].eq(a[1]))
	case "eq0":
		return asInt(b[0].Sign() == 0)
	case "ge0":
		return asInt(b[0].Sign() >= 0)
	case "le":
		return asInt(b[0].Cmp(b[1]) <= 0)
	case "lt", "ult":
		return asInt(b[0].Cmp(b[1]) < 0)
	case "slt":
		return asInt(twos(b[0], aw).Cmp(twos(b[1], aw)) < 0)
	case "cong":
		d := new(big.Int).Sub(b[0], b[1])
		if b[2].Sign() == 0 {
			return asInt(d.Sign() == 0)
		}
		return asInt(euclid(d, new(big.Int).Abs(b[2])).Sign() == 0)
	// Int
	case "add", "sum", "frommonomials":
		r := new(big.Int)
		for _, x := range b {
			r.Add(r, x)
		}
		return num(r)
	case "sub":
		return num(new(big.Int).Sub(b[0], b[1]))
	case "neg":
		return num(new(big.Int).Neg(b[0]))
	case "mul":
		r := big.NewInt(1)
		for _, x := range b {
			r.Mul(r, x)
		}
		return num(r)
	case "pow2":
		return num(pow2(e.k))
	case "div":
		return num(floorDiv(b[0], b[1]))
	case "mod":
		return num(new(big.Int).Sub(b[0], new(big.Int).Mul(b[1], floorDiv(b[0], b[1]))))
	case "expmod": // x^(2k) = x^k·x^k, from the high bits down
		if b[2].Cmp(big.NewInt(1)) < 0 {
			return num(new(big.Int))
		}
		r := euclid(big.NewInt(1), b[2])
		for i := b[1].BitLen() - 1; i >= 0 && b[1].Sign() > 0; i-- {
			if r.Mul(r, r); b[1].Bit(i) == 1 {
				r.Mul(r, b[0])
			}
			r = euclid(r, b[2])
		}
		return num(r)
	case "uint":
		return num(b[0])
	case "sint":
		return num(twos(b[0], aw))
	// BV
	case "tobv":
		return mod(b[0])
	case "bvadd":
		return mod(new(big.Int).Add(b[0], b[1]))
	case "bvsub":
		return mod(new(big.Int).Sub(b[0], b[1]))
	case "bvmul":
		return mod(new(big.Int).Mul(b[0], b[1]))
	case "bvneg":
		return mod(new(big.Int).Sub(pow2(w), b[0]))
	case "bvnot":
		return num(new(big.Int).Sub(new(big.Int).Sub(pow2(w), big.NewInt(1)), b[0]))
	case "bvand":
		return bitwise(func(x, y uint) uint { return x & y })
	case "bvor":
		return bitwise(func(x, y uint) uint { return x | y })
	case "bvxor":
		return bitwise(func(x, y uint) uint { return x ^ y })
	case "shl":
		if e.k >= w {
			return num(new(big.Int))
		}
		return mod(new(big.Int).Mul(b[0], pow2(e.k)))
	case "lshr":
		return num(floorDiv(b[0], pow2(min(e.k, w))))
	case "ashr":
		return mod(floorDiv(twos(b[0], w), pow2(min(e.k, w))))
	case "rotr":
		x := bitsOf(b[0], w)
		r := make([]uint, w)
		for i := range r {
			r[i] = x[(i+e.k%w)%w]
		}
		return num(fromBits(r))
	case "lshrv":
		if b[1].Cmp(big.NewInt(int64(w))) >= 0 {
			return num(new(big.Int))
		}
		return num(floorDiv(b[0], pow2(int(b[1].Int64()))))
	case "concat":
		var r []uint
		for i, x := range b {
			r = append(r, bitsOf(x, e.args[i].sort.Width())...)
		}
		return num(fromBits(r))
	case "extract":
		return num(fromBits(bitsOf(b[0], aw)[e.lo : e.hi+1]))
	case "zext":
		return num(b[0])
	case "sext":
		return mod(twos(b[0], aw))
	case "lookup":
		rows := tableOf(w).rows
		if b[0].Cmp(big.NewInt(int64(len(rows)))) >= 0 {
			return num(new(big.Int))
		}
		return mod(rows[b[0].Int64()])
	}
	panic("no meaning for " + e.op)
}

// ---- constructors

type builder map[*expr]Term

func (m builder) build(e *expr) Term {
	if t, ok := m[e]; ok {
		return t
	}
	a := make([]Term, len(e.args))
	for i, x := range e.args {
		a[i] = m.build(x)
	}
	t := construct(e, a)
	m[e] = t
	return t
}

func construct(e *expr, a []Term) Term {
	w := e.sort.Width()
	switch e.op {
	case "var":
		return Var(e.name, e.sort)
	case "const":
		switch e.sort.Kind() {
		case KindBool:
			return BoolConst(e.c.Sign() != 0)
		case KindInt:
			if e.c.IsInt64() && e.k == 1 {
				return N(e.c.Int64())
			}
			return IntConst(e.c)
		}
		if e.c.IsUint64() && e.k == 1 {
			return BVUint(w, e.c.Uint64())
		}
		return BVConst(w, e.c)
	case "ite":
		return Ite(a[0], a[1], a[2])
	case "app":
		return e.def.sym.App(a...)
	case "tuple":
		return MkTuple(a...)
	case "proj":
		return Proj(e.k, a[0])
	case "not":
		return Not(a[0])
	case "and":
		return And(a...)
	case "or":
		return Or(a...)
	case "imp":
		return Imp(a[0], a[1])
	case "iff":
		return Iff(a[0], a[1])
	case "eq":
		return Eq(a[0], a[1])
	case "eq0":
		return Eq0(a[0])
	case "ge0":
		return Ge0(a[0])
	case "le":
		return Le(a[0], a[1])
	case "lt":
		return Lt(a[0], a[1])
	case "ult":
		return Ult(a[0], a[1])
	case "slt":
		return Slt(a[0], a[1])
	case "cong":
		return Cong(a[0], a[1], a[2])
	case "add":
		return Add(a...)
	case "sum":
		var s Sum
		for _, x := range a {
			s.Add(nil, x)
		}
		return s.Term()
	case "frommonomials":
		var ms []Monomial
		for _, x := range a {
			ms = append(ms, x.Monomials()...)
		}
		return FromMonomials(ms)
	case "sub":
		return Sub(a[0], a[1])
	case "neg":
		return Neg(a[0])
	case "mul":
		return Mul(a...)
	case "pow2":
		return Pow2(e.k)
	case "div":
		return Div(a[0], a[1])
	case "mod":
		return Mod(a[0], a[1])
	case "expmod":
		return Expmod(a[0], a[1], a[2])
	case "uint":
		return Uint(a[0])
	case "sint":
		return Sint(a[0])
	case "tobv":
		return ToBV(w, a[0])
	case "bvadd":
		return BVAdd(a[0], a[1])
	case "bvsub":
		return BVSub(a[0], a[1])
	case "bvmul":
		return BVMul(a[0], a[1])
	case "bvneg":
		return BVNeg(a[0])
	case "bvnot":
		return BVNot(a[0])
	case "bvand":
		return BVAnd(a[0], a[1])
	case "bvor":
		return BVOr(a[0], a[1])
	case "bvxor":
		return BVXor(a[0], a[1])
	case "shl":
		return Shl(a[0], e.k)
	case "lshr":
		return Lshr(a[0], e.k)
	case "ashr":
		return Ashr(a[0], e.k)
	case "rotr":
		return Rotr(a[0], e.k)
	case "lshrv":
		return LshrV(a[0], a[1])
	case "concat":
		return Concat(a...)
	case "extract":
		return Extract(e.hi, e.lo, a[0])
	case "zext":
		return Zext(w, a[0])
	case "sext":
		return Sext(w, a[0])
	case "lookup":
		return Lookup(tableOf(w).sym, a[0])
	}
	panic("no constructor for " + e.op)
}

// ---- definitions and tables, made once: names can't be used twice

var serial atomic.Int64

// unique is a name not used by another definition of the test binary.
func unique(s string) string { return fmt.Sprintf("test.%s.%d", s, serial.Add(1)) }

// A testDef is a symbol and, written in Go, what it means.
type testDef struct {
	sym    Def
	params []Sort
	res    Sort
	eval   func(a []oval) oval
	rec    bool // the first parameter is a counter
}

var pair = TupleOf(BV(9), Int(), Bool())

// must is for definitions of the tests.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

var testDefs = sync.OnceValue(func() []*testDef {
	x, y, n, r := Var("x", BV(9)), Var("y", Int()), Var("n", Int()), Var("r", Int())
	p, q, rq, b := Var("p", pair), Var("q", BV(65)), Var("rq", BV(65)), Var("b", Bool())
	mod := func(v *big.Int, w int) *big.Int { return euclid(v, pow2(w)) }
	return []*testDef{
		{ // 3·uint x + y² − 1
			sym:    must(Define(unique("poly"), []Term{x, y}, Add(Mul(N(3), Uint(x)), Mul(y, y), N(-1)))),
			params: []Sort{BV(9), Int()}, res: Int(),
			eval: func(a []oval) oval {
				v := new(big.Int).Mul(big.NewInt(3), a[0].b)
				v.Add(v, new(big.Int).Mul(a[1].b, a[1].b))
				return oval{b: v.Sub(v, big.NewInt(1))}
			},
		},
		{ // (not p₀, p₁ mod 7, b ∧ p₂)
			sym:    must(Define(unique("pair"), []Term{b, p}, MkTuple(BVNot(Proj(0, p)), Mod(Proj(1, p), N(7)), And(b, Proj(2, p))))),
			params: []Sort{Bool(), pair}, res: pair,
			eval: func(a []oval) oval {
				return oval{t: []oval{
					{b: new(big.Int).Sub(big.NewInt(511), a[1].t[0].b)},
					{b: euclid(a[1].t[1].b, big.NewInt(7))},
					{b: new(big.Int).Mul(a[0].b, a[1].t[2].b)},
				}}
			},
		},
		{ // f(0) = y, f(n+1) = 2·f(n) + n
			sym:    must(DefineRec(unique("rec"), n, r, []Term{y}, y, Add(Mul(N(2), r), n))),
			params: []Sort{Int(), Int()}, res: Int(), rec: true,
			eval: func(a []oval) oval {
				v := new(big.Int).Set(a[1].b)
				for i := int64(0); i < a[0].b.Int64(); i++ {
					v.Add(v.Lsh(v, 1), big.NewInt(i))
				}
				return oval{b: v}
			},
		},
		{ // f(0) = q, f(n+1) = rotr(f(n), 3) + bv(n) + q
			sym:    must(DefineRec(unique("bits"), n, rq, []Term{q}, q, BVAdd(BVAdd(Rotr(rq, 3), ToBV(65, n)), q))),
			params: []Sort{Int(), BV(65)}, res: BV(65), rec: true,
			eval: func(a []oval) oval {
				v := a[1].b
				for i := int64(0); i < a[0].b.Int64(); i++ {
					v = new(big.Int).Add(new(big.Int).Rsh(v, 3), new(big.Int).Mul(mod(v, 3), pow2(62)))
					v = mod(v.Add(v, new(big.Int).Add(big.NewInt(i), a[1].b)), 65)
				}
				return oval{b: v}
			},
		},
		{ // no parameters
			sym: must(Define(unique("constant"), nil, Ult(BVUint(3, 2), BVUint(3, 5)))),
			res: Bool(), eval: func([]oval) oval { return asInt(true) },
		},
	}
})

type testTable struct {
	sym  Table
	rows []*big.Int
}

var testTables struct {
	sync.Mutex
	m map[int]*testTable
}

// tableOf is a table of width w whose rows aren't reduced modulo 2ʷ.
func tableOf(w int) *testTable {
	testTables.Lock()
	defer testTables.Unlock()
	if t := testTables.m[w]; t != nil {
		return t
	}
	t := new(testTable)
	for i := range 5 + w%7 {
		r := new(big.Int).Mul(big.NewInt(int64(7919*i+1)), pow2(i*w/5))
		if i%2 == 1 {
			r.Neg(r)
		}
		t.rows = append(t.rows, r)
	}
	t.sym = must(NewTable(unique("table"), w, t.rows))
	if testTables.m == nil {
		testTables.m = map[int]*testTable{}
	}
	testTables.m[w] = t
	return t
}

// ---- generator

// A source makes choices: at random, or as the bytes of a fuzz input say.
type source interface {
	intn(n int) int // 0 ≤ result < n
	word() uint64
}

type randSource struct{ *rand.Rand }

func (r randSource) intn(n int) int { return r.IntN(n) }
func (r randSource) word() uint64   { return r.Uint64() }

func seeded(seed uint64) randSource { return randSource{rand.New(rand.NewPCG(seed, 0x9e37))} }

// byteSource reads choices from bytes; all choices are 0 at the end.
type byteSource struct{ b []byte }

func (s *byteSource) next(n int) uint64 {
	var x [8]byte
	m := copy(x[:n], s.b)
	s.b = s.b[m:]
	return binary.LittleEndian.Uint64(x[:])
}

func (s *byteSource) intn(n int) int {
	if n <= 1 {
		return 0
	}
	if n <= 256 {
		return int(s.next(1)) % n
	}
	return int(s.next(2)) % n
}

func (s *byteSource) word() uint64 { return s.next(8) }

type generator struct {
	source
	pool  map[Sort][]*expr
	left  int  // expressions that may still be made
	bits  bool // bit-vectors only, narrow, few variables: folds fire often
	arith bool // no mention of DefineRec's counters, shallow products
}

func newGenerator(s source, size int) *generator {
	return &generator{source: s, pool: map[Sort][]*expr{}, left: size}
}

var widths = []int{1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 66, 100, 127, 128, 129, 191, 192, 256, 257, 300}

func (g *generator) width() int {
	if g.bits {
		return 1 + g.intn(12)
	}
	if g.intn(4) == 0 {
		return 1 + g.intn(300)
	}
	return widths[g.intn(len(widths))]
}

// edge is a value of w bits that is likely to matter.
func (g *generator) edge(w int) *big.Int {
	v := new(big.Int)
	switch g.intn(9) {
	case 0:
	case 1:
		v.SetInt64(1)
	case 2:
		v.Sub(pow2(w), big.NewInt(1))
	case 3:
		v.Set(pow2(g.intn(w)))
	case 4:
		v.Sub(pow2(g.intn(w+1)), big.NewInt(1))
	case 5:
		v.Sub(pow2(w), pow2(g.intn(w+1)))
	case 6: // ones in the middle
		v.Mul(new(big.Int).Sub(pow2(g.intn(w+1)), big.NewInt(1)), pow2(g.intn(w)))
	case 7:
		v.SetInt64(int64(g.intn(70)))
	default:
		for i := 0; i < w; i += 64 {
			v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(g.word()))
		}
	}
	return euclid(v, pow2(w))
}

func (g *generator) edgeInt() *big.Int {
	v := new(big.Int)
	switch g.intn(5) {
	case 0:
		v.SetInt64(int64(g.intn(5)) - 2)
	case 1:
		v.SetInt64(int64(g.intn(400)) - 200)
	case 2:
		v.Add(pow2([]int{31, 32, 62, 63, 64, 65, 127, 256}[g.intn(8)]), big.NewInt(int64(g.intn(3))-1))
	case 3:
		v.SetUint64(g.word())
	default:
		v.Mul(new(big.Int).SetUint64(g.word()), new(big.Int).SetUint64(g.word()))
	}
	if g.intn(2) == 1 {
		v.Neg(v)
	}
	return v
}

// value is a value of sort s.
func (g *generator) value(s Sort) oval {
	switch s.Kind() {
	case KindBool:
		return asInt(g.intn(2) == 1)
	case KindInt:
		return oval{b: g.edgeInt()}
	case KindBV:
		return oval{b: g.edge(s.Width())}
	}
	var v oval
	for _, e := range s.Elems() {
		v.t = append(v.t, g.value(e))
	}
	return v
}

func constExpr(s Sort, c *big.Int) *expr { return &expr{op: "const", sort: s, c: c} }

func (g *generator) leaf(s Sort) *expr {
	if s.Kind() != KindTuple && g.intn(3) == 2 {
		e := constExpr(s, g.value(s).b)
		e.k = g.intn(2)
		return e
	}
	return &expr{op: "var", sort: s, name: string(rune('a' + g.intn(3)))}
}

var anyOps = []string{"ite", "proj", "app"}

var opsOf = map[Kind][]string{
	KindBool:  {"not", "and", "or", "imp", "iff", "eq", "eq0", "ge0", "le", "lt", "ult", "slt", "cong"},
	KindInt:   {"add", "sum", "frommonomials", "sub", "neg", "mul", "pow2", "div", "mod", "expmod", "uint", "sint"},
	KindTuple: {"tuple", "tuple"},
	KindBV: {"concat", "extract", "bvand", "bvor", "bvxor", "bvnot", "shl", "lshr", "ashr", "rotr", "zext", "sext", "lshrv",
		"bvadd", "bvsub", "bvmul", "bvneg", "lookup", "tobv"},
}

// movement are the operations whose folds meet each other.
var movement = []string{"concat", "extract", "concat", "extract", "bvand", "bvor", "bvxor", "bvnot", "shl", "lshr", "rotr", "zext", "sext", "ite"}

// counter makes an Int from −1 to 4.
func (g *generator) counter(d int) *expr {
	c := &expr{op: "mod", sort: Int(), args: []*expr{g.expr(Int(), d), constExpr(Int(), big.NewInt(6))}}
	return &expr{op: "sub", sort: Int(), args: []*expr{c, constExpr(Int(), big.NewInt(1))}}
}

// expr makes an expression of sort s.
func (g *generator) expr(s Sort, depth int) *expr {
	if g.left--; depth <= 0 || g.left <= 0 {
		return g.leaf(s)
	}
	if p := g.pool[s]; len(p) > 0 && g.intn(4) == 0 {
		return p[g.intn(len(p))]
	}
	e := g.compound(s, depth-1)
	if e == nil {
		return g.leaf(s)
	}
	g.pool[s] = append(g.pool[s], e)
	return e
}

func (g *generator) compound(s Sort, d int) *expr {
	ops := opsOf[s.Kind()]
	var op string
	switch {
	case g.bits && s.Kind() == KindBV:
		op = movement[g.intn(len(movement))]
	case g.bits && s.Kind() == KindBool:
		op = []string{"not", "eq", "ult"}[g.intn(3)]
	default:
		i := g.intn(len(ops) + len(anyOps) + 1)
		if i == 0 {
			return nil // a leaf, also when the bytes have run out
		}
		op = slices.Concat(ops, anyOps)[i-1]
	}
	w := s.Width()
	e := &expr{op: op, sort: s}
	arg := func(s Sort) { e.args = append(e.args, g.expr(s, d)) }
	wide := func() int { // a width of at least w
		if g.bits {
			return w + g.intn(5)
		}
		return w + []int{0, 1, 3, 8, 32, 63, 64, 65, 100}[g.intn(9)]
	}
	switch op {
	case "ite":
		arg(Bool())
		arg(s)
		arg(s)
	case "proj":
		sorts := []Sort{BV(g.width()), Int(), Bool(), s}[g.intn(4):]
		e.k = len(sorts) - 1
		if g.intn(2) == 1 {
			sorts = append(sorts, BV(5))
		}
		arg(TupleOf(sorts...))
	case "app":
		var fit []*testDef
		for _, d := range testDefs() {
			if d.res == s && !(g.arith && d.rec) {
				fit = append(fit, d)
			}
		}
		if len(fit) == 0 {
			return nil
		}
		e.def = fit[g.intn(len(fit))]
		for i, p := range e.def.params {
			if i == 0 && e.def.rec { // a counter that doesn't grow
				e.args = append(e.args, g.counter(d))
			} else {
				arg(p)
			}
		}
	case "tuple":
		for _, x := range s.Elems() {
			arg(x)
		}
	case "not":
		arg(Bool())
	case "and", "or":
		for range g.intn(4) {
			arg(Bool())
		}
	case "imp", "iff":
		arg(Bool())
		arg(Bool())
	case "eq":
		s := []Sort{BV(g.width()), Bool(), Int(), BV(1), pair}[g.intn(5)]
		if g.bits {
			s = BV(g.width())
		}
		arg(s)
		arg(s)
	case "ult", "slt":
		s := BV(g.width())
		arg(s)
		arg(s)
	case "eq0", "ge0", "neg":
		arg(Int())
	case "le", "lt", "sub", "div", "mod":
		arg(Int())
		arg(Int())
	case "cong":
		arg(Int())
		arg(Int())
		arg(Int())
	case "expmod": // an exponent of few bits
		arg(Int())
		if g.intn(2) == 0 {
			e.args = append(e.args, g.counter(d))
		} else {
			e.args = append(e.args, &expr{op: "sint", sort: Int(), args: []*expr{g.expr(BV(1+g.intn(12)), d)}})
		}
		arg(Int())
	case "add", "sum", "frommonomials":
		for range g.intn(5) {
			arg(Int())
		}
	case "mul":
		d-- // products of sums grow
		for range g.intn(4) {
			arg(Int())
		}
	case "pow2":
		e.k = g.intn(300)
	case "uint", "sint":
		arg(BV(g.width()))
	case "tobv":
		arg(Int())
	case "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor":
		arg(s)
		arg(s)
	case "bvneg", "bvnot":
		arg(s)
	case "shl", "lshr", "ashr", "rotr":
		arg(s)
		switch g.intn(4) {
		case 0:
			e.k = []int{0, 1, w - 1, w, w + 1, 2*w + 1, 64, 1 << 40}[g.intn(8)]
		default:
			e.k = g.intn(w + 1)
		}
	case "lshrv":
		arg(s)
		arg(BV(g.width()))
	case "concat":
		if g.intn(3) == 2 { // neighbouring pieces of one term
			x := g.expr(BV(wide()), d)
			lo := g.intn(x.sort.Width() - w + 1)
			for w > 0 {
				n := 1 + g.intn(w)
				e.args = append(e.args, &expr{op: "extract", sort: BV(n), args: []*expr{x}, hi: lo + n - 1, lo: lo})
				lo, w = lo+n, w-n
			}
			break
		}
		for w > 0 {
			n := w
			if len(e.args) < 4 {
				n = 1 + g.intn(w)
			}
			arg(BV(n))
			w -= n
		}
	case "extract":
		n := wide()
		arg(BV(n))
		e.lo = g.intn(n - w + 1)
		if g.intn(4) == 0 {
			e.lo = 0
		}
		e.hi = e.lo + w - 1
	case "zext", "sext":
		arg(BV(1 + g.intn(w)))
	case "lookup":
		arg(BV([]int{1, 3, 4, 8, 70}[g.intn(5)]))
	default:
		panic(op)
	}
	return e
}

// assignment gives values to the generator's variables.
func (g *generator) assignment(e *expr) assignment {
	a := assignment{}
	seen := map[*expr]bool{}
	var walk func(e *expr)
	walk = func(e *expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		if k := (varKey{e.name, e.sort}); e.op == "var" && a[k].b == nil && a[k].t == nil {
			a[k] = g.value(e.sort)
		}
		for _, x := range e.args {
			walk(x)
		}
	}
	walk(e)
	return a
}

// sortAny is a sort at random.
func (g *generator) sortAny() Sort {
	switch g.intn(6) {
	case 0:
		return Bool()
	case 1:
		return Int()
	case 2:
		return pair
	}
	return BV(g.width())
}

// ---- normal forms

// checker checks the invariants of stored terms.
type checker map[*node]bool

func (c checker) check(t testing.TB, n *node) {
	t.Helper()
	if c[n] {
		return
	}
	c[n] = true
	for _, a := range n.args {
		c.check(t, a)
	}
	for _, m := range n.poly {
		for _, v := range m.v {
			c.check(t, v)
		}
	}
	if msg := misformed(n); msg != "" {
		t.Fatalf("%v: %s", Term{n}.Format(20), msg)
	}
}

// misformed tells what is wrong with a node whose arguments are right.
func misformed(n *node) string {
	if n.op == opInvalid || n.sort.s == nil {
		return "invalid"
	}
	if n.hash != hashNode(n) {
		return "hash"
	}
	closed := n.op != OpVar
	depth := uint32(0)
	for _, a := range n.args {
		closed, depth = closed && a.closed, max(depth, a.depth)
	}
	for _, m := range n.poly {
		for _, v := range m.v {
			closed, depth = closed && v.closed, max(depth, v.depth)
		}
	}
	if closed != n.closed || depth+1 != n.depth {
		return "closed or depth"
	}
	if n.op != OpPoly && len(n.args) > 0 && rebuild(n, slices.Clone(n.args)) != n {
		return "not what its constructor makes of its arguments"
	}
	consts := 0
	for _, a := range n.args {
		if _, ok := a.constant(); ok {
			consts++
		}
	}
	if consts > 0 && consts == len(n.args) && n.op != OpTuple && n.op != OpApp && n.op != OpConcat && n.op != OpExpmod {
		return "not folded"
	}
	ordered := func(v []*node) bool { return slices.IsSortedFunc(v, cmpNode) }
	switch n.op {
	case OpConst:
		b, wide := n.x.(*big.Int)
		switch {
		case n.sort == boolSort && n.u > 1, n.sort.s.kind == KindInt, n.sort.s.kind == KindTuple:
			return "constant"
		case wide != (n.width() > 64):
			return "representation"
		case wide && (b.Sign() < 0 || b.BitLen() > n.width()), !wide && n.sort != boolSort && n.u&^mask64(n.width()) != 0:
			return "range"
		}
	case OpPoly:
		if n.sort != intSort || len(n.poly) == 1 && len(n.poly[0].v) == 1 && n.poly[0].c.isOne() {
			return "atom as a sum"
		}
		for i, m := range n.poly {
			if m.c.sign() == 0 || m.c.b != nil && m.c.b.IsInt64() || !ordered(m.v) {
				return "monomial"
			}
			if i > 0 && cmpVars(n.poly[i-1].v, m.v) >= 0 {
				return "order of monomials"
			}
			for _, v := range m.v {
				if v.op == OpPoly || v.sort != intSort {
					return "atom"
				}
			}
		}
	case OpAnd:
		for i, a := range n.args {
			if a.op == OpAnd || a.op == OpConst || i > 0 && cmpNode(n.args[i-1], a) >= 0 {
				return "conjunct"
			}
		}
		if len(n.args) < 2 {
			return "too few"
		}
	case OpNot:
		if o := n.args[0].op; o == OpNot || o == OpGe0 || o == OpConst {
			return "negation"
		}
	case OpEq0, OpDvd:
		if ms := n.args[0].monos(); ms[len(ms)-1].c.sign() <= 0 {
			return "sign"
		}
	case OpBVAdd, OpBVMul, OpBVAnd, OpBVOr, OpBVXor:
		if !ordered(n.args) || n.args[0].sort != n.sort || n.args[1].sort != n.sort {
			return "operands"
		}
		if o := n.op; o != OpBVAdd && o != OpBVMul && (n.args[0].op == OpConcat || n.args[1].op == OpConcat) {
			return "not split"
		}
	case OpBVNot, OpShl, OpLshr, OpRotr:
		if n.args[0].op == OpConcat || n.args[0].sort != n.sort || n.u >= uint64(n.width()) {
			return "operand"
		}
	case OpConcat:
		w := 0
		for i, a := range n.args {
			w += a.width()
			if a.op == OpConcat {
				return "nested"
			}
			if i == 0 {
				continue
			}
			if l := n.args[i-1]; l.op == OpConst && a.op == OpConst ||
				l.op == OpExtract && a.op == OpExtract && l.args[0] == a.args[0] && l.hi()+1 == a.lo() {
				return "neighbours"
			}
		}
		if w != n.width() || len(n.args) < 2 {
			return "width"
		}
	case OpExtract:
		a := n.args[0]
		if n.lo() < 0 || n.hi() < n.lo() || n.hi() >= a.width() || n.width() != n.hi()-n.lo()+1 || n.width() == a.width() {
			return "range"
		}
		switch a.op {
		case OpConst, OpExtract, OpConcat, OpBVNot, OpBVAnd, OpBVOr, OpBVXor:
			return "extract of that"
		}
	case OpSext:
		if n.width() <= n.args[0].width() || n.args[0].op == OpSext || n.args[0].signIsZero() {
			return "extension"
		}
	case OpUint:
		if a := n.args[0]; a.op == OpConcat && a.args[len(a.args)-1].isZero() {
			return "high zeros"
		}
	}
	return ""
}

// ---- the comparison

// agree builds e and compares its meaning with the oracle's under several assignments.
func agree(t testing.TB, g *generator, e *expr, c checker, times int) Term {
	t.Helper()
	term := builder{}.build(e)
	if err := term.Err(); err != nil {
		t.Fatalf("%v: %v", describe(e), err)
	}
	if term.Sort() != e.sort {
		t.Fatalf("%v has sort %v, not %v", describe(e), term.Sort(), e.sort)
	}
	c.check(t, term.n)
	expressions.Add(1)
	for range times {
		evaluations.Add(1)
		env := g.assignment(e)
		want := newOracle(env).eval(e)
		got, err := Eval(term, env.terms(), 1e6)
		if err != nil {
			t.Fatalf("%v: %v", describe(e), err)
		}
		if !want.is(got) {
			t.Fatalf("wrong under %v:\n%v\nis %v\n%v\nis %v", env, describe(e), want, term.Format(40), got)
		}
	}
	return term
}

// describe prints an expression as it was written.
func describe(e *expr) string {
	s := e.op
	switch e.op {
	case "var":
		return fmt.Sprintf("%s:%v", e.name, e.sort)
	case "const":
		return fmt.Sprintf("%#x:%v", e.c, e.sort)
	case "extract":
		s = fmt.Sprintf("extract[%d:%d]", e.hi, e.lo)
	case "shl", "lshr", "ashr", "rotr", "proj", "pow2":
		s = fmt.Sprintf("%s[%d]", e.op, e.k)
	case "app":
		s = e.def.sym.Name()
	}
	s += ":" + e.sort.String() + "("
	for i, a := range e.args {
		if i > 0 {
			s += ", "
		}
		s += describe(a)
	}
	return s + ")"
}

// inGeneration runs f in a generation of its own, so that a long test stays small.
func inGeneration(t testing.TB, f func()) {
	t.Helper()
	testDefs() // permanent
	g, err := NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Drop()
	f()
}
