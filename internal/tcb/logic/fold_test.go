package logic

import (
	"fmt"
	"math/big"
	"testing"
)

// TestConstructors builds random expressions and compares what the constructors made of them with the oracle: every
// fold that fires is checked for its meaning, and every term for its normal form.
func TestConstructors(t *testing.T) {
	for _, c := range []struct {
		name          string
		bits          bool
		rounds, size  int
		depth, assign int
	}{
		{"wide", false, 3000, 60, 5, 3},
		{"bits", true, 4000, 40, 6, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.rounds / 100 {
				inGeneration(t, func() {
					check := checker{}
					for j := range 100 {
						g := newGenerator(seeded(uint64(100*i+j)), c.size)
						g.bits = c.bits
						s := BV(g.width())
						if !c.bits {
							s = g.sortAny()
						}
						agree(t, g, g.expr(s, c.depth), check, c.assign)
					}
				})
			}
		})
	}
}

// TestFolds has an example for each fold that a doc comment states, and for the things that are deliberately not
// folded: == is structural equality.
func TestFolds(t *testing.T) {
	bv := func(s string, w int) Term { return Var(s, BV(w)) }
	x, y, z := bv("x", 16), bv("y", 16), bv("z", 16)
	u, v, w65 := bv("u", 8), bv("v", 8), bv("w", 65)
	x1 := bv("f", 1)
	i, j, m := Var("i", Int()), Var("j", Int()), Var("m", Int())
	p, q, r := Var("p", Bool()), Var("q", Bool()), Var("r", Bool())
	k := func(n int, c uint64) Term { return BVUint(n, c) }
	big200 := BVConst(200, pow2(130))
	ones65 := BVConst(65, big.NewInt(-1))
	tab := must(NewTable(unique("fold"), 16, []*big.Int{big.NewInt(5), big.NewInt(-1)}))
	d := testDefs()[2].sym

	for _, c := range []struct {
		name      string
		got, want Term
	}{
		// Bool
		{"not true", Not(True()), False()},
		{"not not", Not(Not(p)), p},
		{"not le", Not(Ge0(i)), Ge0(Sub(N(-1), i))},
		{"not le twice", Not(Not(Le(i, j))), Le(i, j)},
		{"not le is lt", Not(Le(i, j)), Lt(j, i)},
		{"bool const", BoolConst(true), True()},
		{"and none", And(), True()},
		{"and one", And(p), p},
		{"and true", And(p, True(), q), And(p, q)},
		{"and false", And(p, False(), q), False()},
		{"and repeated", And(p, q, p), And(q, p)},
		{"and flat", And(And(p, q), And(r, p)), And(p, q, r)},
		{"or none", Or(), False()},
		{"or one", Or(p), p},
		{"or false", Or(p, False()), p},
		{"or true", Or(p, True()), True()},
		{"or repeated", Or(p, p), p},
		{"or flat", Or(Or(p, q), r), Or(p, Or(q, r))},
		{"or is not and not", Or(p, q), Not(And(Not(p), Not(q)))},
		{"imp", Imp(p, q), Not(And(p, Not(q)))},
		{"imp true", Imp(True(), q), q},
		{"imp false", Imp(False(), q), True()},
		{"imp to false", Imp(p, False()), Not(p)},
		{"eq same", Eq(x, x), True()},
		{"eq symmetric", Eq(x, y), Eq(y, x)},
		{"eq constants", Eq(k(16, 3), k(16, 3)), True()},
		{"eq different constants", Eq(k(16, 3), k(16, 4)), False()},
		{"eq wide constants", Eq(big200, BVConst(200, pow2(131))), False()},
		{"eq true", Eq(p, True()), p},
		{"eq true left", Eq(True(), p), p},
		{"eq false", Iff(p, False()), Not(p)},
		{"eq bit 0", Eq(x1, k(1, 0)), Not(Eq(x1, k(1, 1)))},
		{"eq bit 0 left", Eq(k(1, 0), x1), Not(Eq(x1, k(1, 1)))},
		{"eq ite first", Eq(Ite(p, k(16, 3), k(16, 4)), k(16, 3)), p},
		{"eq ite second", Eq(Ite(p, k(16, 3), k(16, 4)), k(16, 4)), Not(p)},
		{"eq ite neither", Eq(Ite(p, k(16, 3), k(16, 4)), k(16, 5)), False()},
		{"eq ite left", Eq(k(16, 3), Ite(p, k(16, 3), k(16, 4))), p},
		{"flag of a condition", Eq(Ite(p, k(1, 1), k(1, 0)), k(1, 1)), p},
		{"flag of a condition, clear", Eq(Ite(p, k(1, 1), k(1, 0)), k(1, 0)), Not(p)},
		{"eq int", Eq(i, Add(j, N(2))), Eq0(Sub(Sub(i, j), N(2)))},
		{"ite true", Ite(True(), x, y), x},
		{"ite false", Ite(False(), x, y), y},
		{"ite same", Ite(p, x, x), x},
		{"ite not", Ite(Not(p), x, y), Ite(p, y, x)},
		{"ite true false", Ite(p, True(), False()), p},
		{"ite false true", Ite(p, False(), True()), Not(p)},
		{"proj", Proj(1, MkTuple(x, i, p)), i},
		// Int
		{"add none", Add(), N(0)},
		{"mul none", Mul(), N(1)},
		{"x+0", Add(i, N(0)), i},
		{"x*1", Mul(i, N(1)), i},
		{"x*0", Mul(i, N(0)), N(0)},
		{"x-x", Sub(i, i), N(0)},
		{"distribution", Mul(Add(i, j), Sub(i, j)), Sub(Mul(i, i), Mul(j, j))},
		{"constants", IntConst(big.NewInt(-7)), N(-7)},
		{"pow2", Pow2(3), N(8)},
		{"eq0 constant", Eq0(N(0)), True()},
		{"eq0 nonzero", Eq0(Pow2(70)), False()},
		{"eq0 sign", Eq0(Sub(i, j)), Eq0(Sub(j, i))},
		{"ge0 constant", Ge0(N(0)), True()},
		{"ge0 negative", Ge0(Neg(Pow2(70))), False()},
		{"le", Le(i, j), Ge0(Sub(j, i))},
		{"lt", Lt(i, j), Le(Add(i, N(1)), j)},
		{"cong same", Cong(i, i, m), True()},
		{"cong mod 0", Cong(i, j, N(0)), Eq(i, j)},
		{"cong mod 1", Cong(i, j, N(1)), True()},
		{"cong constants", Cong(N(12), N(-3), N(5)), True()},
		{"cong constants no", Cong(N(12), N(-3), N(-4)), False()},
		{"cong symmetric", Cong(i, j, m), Cong(j, i, m)},
		{"div constants", Div(N(-7), N(2)), N(-4)},
		{"div by 0", Div(i, N(0)), N(0)},
		{"div by 1", Div(i, N(1)), i},
		{"mod constants", Mod(N(-7), N(2)), N(1)},
		{"mod 0", Mod(i, N(0)), i},
		{"mod 1", Mod(i, N(1)), N(0)},
		// BV arithmetic
		{"const mod", BVConst(8, big.NewInt(-1)), k(8, 255)},
		{"const mod uint", k(8, 511), k(8, 255)},
		{"add constants", BVAdd(k(8, 200), k(8, 100)), k(8, 44)},
		{"add wide constants", BVAdd(ones65, BVConst(65, big.NewInt(2))), k(65, 1)},
		{"bv x+0", BVAdd(x, k(16, 0)), x},
		{"bv 0+x", BVAdd(k(16, 0), x), x},
		{"bv commutes", BVAdd(x, y), BVAdd(y, x)},
		{"sub", BVSub(x, y), BVAdd(x, BVNeg(y))},
		{"x-0", BVSub(x, k(16, 0)), x},
		{"mul constants", BVMul(k(8, 20), k(8, 13)), k(8, 4)},
		{"bv x*0", BVMul(x, k(16, 0)), k(16, 0)},
		{"bv x*1", BVMul(x, k(16, 1)), x},
		{"bv 1*x", BVMul(BVConst(65, big.NewInt(1)), w65), w65},
		{"mul commutes", BVMul(x, y), BVMul(y, x)},
		{"neg constant", BVNeg(k(8, 1)), k(8, 255)},
		{"neg neg", BVNeg(BVNeg(x)), x},
		// bitwise
		{"not constant", BVNot(k(8, 1)), k(8, 254)},
		{"bv not not", BVNot(BVNot(x)), x},
		{"not concat", BVNot(Concat(u, v)), Concat(BVNot(u), BVNot(v))},
		{"x&x", BVAnd(x, x), x},
		{"x&0", BVAnd(x, k(16, 0)), k(16, 0)},
		{"x&~0", BVAnd(k(16, 0xffff), x), x},
		{"x&low", BVAnd(x, k(16, 0xff)), Zext(16, Extract(7, 0, x))},
		{"x&1", BVAnd(x, k(16, 1)), Concat(Extract(0, 0, x), k(15, 0))},
		{"and constants", BVAnd(k(8, 0x3c), k(8, 0xf0)), k(8, 0x30)},
		{"and splits", BVAnd(Concat(u, v), x), Concat(BVAnd(u, Extract(7, 0, x)), BVAnd(v, Extract(15, 8, x)))},
		{"and splits at all cuts", BVAnd(Concat(u, v), Concat(k(4, 3), bv("t", 12))),
			Concat(BVAnd(Extract(3, 0, u), k(4, 3)), BVAnd(Extract(7, 4, u), Extract(3, 0, bv("t", 12))), BVAnd(v, Extract(11, 4, bv("t", 12))))},
		{"and commutes", BVAnd(x, y), BVAnd(y, x)},
		{"x|x", BVOr(x, x), x},
		{"x|0", BVOr(x, k(16, 0)), x},
		{"x|~0", BVOr(x, k(16, 0xffff)), k(16, 0xffff)},
		{"or constants", BVOr(k(8, 0x3c), k(8, 0xf0)), k(8, 0xfc)},
		{"or of disjoint parts", BVOr(Concat(u, k(8, 0)), Concat(k(8, 0), v)), Concat(u, v)},
		{"x^x", BVXor(x, x), k(16, 0)},
		{"x^0", BVXor(k(16, 0), x), x},
		{"x^~0", BVXor(x, k(16, 0xffff)), BVNot(x)},
		{"wide x^~0", BVXor(w65, ones65), BVNot(w65)},
		{"xor constants", BVXor(k(8, 0x3c), k(8, 0xf0)), k(8, 0xcc)},
		{"xor splits", BVXor(x, Concat(u, v)), Concat(BVXor(Extract(7, 0, x), u), BVXor(Extract(15, 8, x), v))},
		// shifts
		{"shl 0", Shl(x, 0), x},
		{"shl n", Shl(x, 16), k(16, 0)},
		{"shl huge", Shl(x, 1<<62), k(16, 0)},
		{"shl constant", Shl(k(16, 0xff01), 4), k(16, 0xf010)},
		{"shl concat", Shl(Concat(u, v), 8), Concat(k(8, 0), u)},
		{"shl concat 4", Shl(Concat(u, v), 4), Concat(k(4, 0), u, Extract(3, 0, v))},
		{"lshr 0", Lshr(x, 0), x},
		{"lshr n", Lshr(x, 16), k(16, 0)},
		{"lshr constant", Lshr(k(16, 0xff01), 4), k(16, 0xff0)},
		{"lshr concat", Lshr(Concat(u, v), 8), Concat(v, k(8, 0))},
		{"ashr 0", Ashr(x, 0), x},
		{"ashr n", Ashr(x, 99), Ashr(x, 15)},
		{"ashr constant", Ashr(k(16, 0x8000), 15), k(16, 0xffff)},
		{"ashr bit", Ashr(x1, 5), x1},
		{"rotr 0", Rotr(x, 0), x},
		{"rotr n", Rotr(x, 32), x},
		{"rotr mod n", Rotr(x, 35), Rotr(x, 3)},
		{"rotr rotr", Rotr(Rotr(x, 9), 10), Rotr(x, 3)},
		{"rotr back", Rotr(Rotr(x, 9), 7), x},
		{"rotr constant", Rotr(k(16, 0x1234), 4), k(16, 0x4123)},
		{"rotr concat", Rotr(Concat(u, v), 8), Concat(v, u)},
		{"lshrv constant", LshrV(x, k(5, 3)), Lshr(x, 3)},
		{"lshrv wide constant", LshrV(x, BVConst(200, big.NewInt(3))), Lshr(x, 3)},
		{"lshrv too much", LshrV(x, k(5, 16)), k(16, 0)},
		{"lshrv wide too much", LshrV(x, big200), k(16, 0)},
		// data movement
		{"concat one", Concat(x), x},
		{"concat flat", Concat(Concat(u, v), x), Concat(u, v, x)},
		{"concat constants", Concat(u, k(4, 1), k(4, 2), v), Concat(u, k(8, 0x21), v)},
		{"concat wide constants", Concat(k(64, 5), k(64, 1)), BVConst(128, new(big.Int).Add(pow2(64), big.NewInt(5)))},
		{"concat extracts", Concat(Extract(3, 1, x), Extract(9, 4, x), v), Concat(Extract(9, 1, x), v)},
		{"concat all extracts", Concat(Extract(3, 0, x), Extract(15, 4, x)), x},
		{"concat not adjacent", Concat(Extract(3, 1, x), Extract(9, 4, y)).Arg(1), Extract(9, 4, y)},
		{"extract all", Extract(15, 0, x), x},
		{"extract constant", Extract(11, 4, k(16, 0x1234)), k(8, 0x23)},
		{"extract wide constant", Extract(140, 120, big200), k(21, 1<<10)},
		{"extract extract", Extract(3, 1, Extract(12, 5, x)), Extract(8, 6, x)},
		{"extract concat", Extract(11, 4, Concat(u, v)), Concat(Extract(7, 4, u), Extract(3, 0, v))},
		{"extract concat part", Extract(15, 8, Concat(u, v, x)), v},
		{"extract not", Extract(7, 0, BVNot(x)), BVNot(Extract(7, 0, x))},
		{"extract and", Extract(7, 0, BVAnd(x, y)), BVAnd(Extract(7, 0, x), Extract(7, 0, y))},
		{"extract or", Extract(7, 0, BVOr(x, y)), BVOr(Extract(7, 0, x), Extract(7, 0, y))},
		{"extract xor", Extract(7, 0, BVXor(x, y)), BVXor(Extract(7, 0, x), Extract(7, 0, y))},
		{"extract sext low", Extract(12, 3, Sext(64, x)), Extract(12, 3, x)},
		{"extract sext from 0", Extract(31, 0, Sext(64, x)), Sext(32, x)},
		{"extract shl", Extract(12, 5, Shl(x, 3)), Extract(9, 2, x)},
		{"extract shl zeros", Extract(4, 1, Shl(x, 5)), k(4, 0)},
		{"extract lshr", Extract(7, 2, Lshr(x, 3)), Extract(10, 5, x)},
		{"extract lshr zeros", Extract(15, 13, Lshr(x, 3)), k(3, 0)},
		{"zext", Zext(16, u), Concat(u, k(8, 0))},
		{"zext same", Zext(8, u), u},
		{"zext zext", Zext(32, Zext(16, u)), Zext(32, u)},
		{"sext same", Sext(8, u), u},
		{"sext constant", Sext(16, k(8, 0x80)), k(16, 0xff80)},
		{"sext wide constant", Sext(65, k(8, 0xff)), ones65},
		{"sext sext", Sext(64, Sext(16, u)), Sext(64, u)},
		{"sext zext", Sext(64, Zext(9, u)), Zext(64, u)},
		// comparisons
		{"ult constants", Ult(k(8, 3), k(8, 200)), True()},
		{"slt constants", Slt(k(8, 3), k(8, 200)), False()},
		{"ult same", Ult(x, x), False()},
		{"slt same", Slt(x, x), False()},
		// to and from Int
		{"uint constant", Uint(k(8, 200)), N(200)},
		{"uint zext", Uint(Zext(64, u)), Uint(u)},
		{"uint concat zero", Uint(Concat(u, v, k(3, 0))), Uint(Concat(u, v))},
		{"sint constant", Sint(k(8, 200)), N(-56)},
		{"sint sext", Sint(Sext(64, u)), Sint(u)},
		{"sint zext", Sint(Zext(64, u)), Uint(u)},
		{"tobv constant", ToBV(8, N(-1)), k(8, 255)},
		{"tobv uint", ToBV(8, Uint(u)), u},
		{"tobv uint low", ToBV(3, Uint(u)), Extract(2, 0, u)},
		{"tobv uint wide", ToBV(12, Uint(u)), Zext(12, u)},
		// tables and definitions
		{"lookup", Lookup(tab, k(4, 1)), k(16, 0xffff)},
		{"lookup beyond", Lookup(tab, k(4, 2)), k(16, 0)},
		{"lookup far beyond", Lookup(tab, big200), k(16, 0)},
		{"unfold base", Unfold(d.App(N(-3), j)), j},
		{"unfold step", Unfold(d.App(N(5), j)), Add(Mul(N(2), d.App(N(4), j)), N(4))},
		{"unfold", Unfold(d.App(i, j)), Ite(Le(i, N(0)), j, Add(Mul(N(2), d.App(Sub(i, N(1)), j)), Sub(i, N(1))))},
		{"unfold plain", Unfold(testDefs()[4].sym.App()), True()},
	} {
		if err := c.got.Err(); err != nil || c.got != c.want {
			t.Errorf("%s: got %v, want %v (%v)", c.name, c.got, c.want, err)
		}
		checker{}.check(t, c.got.n)
	}

	for _, c := range []struct {
		name string
		t    Term
		op   Op
	}{
		{"and with a mask that isn't low stays", BVAnd(x, k(16, 0xf0)), OpBVAnd},
		{"an order isn't commutative", Ult(x, y), OpUlt},
		{"lshr of lshr stays", Lshr(Lshr(x, 2), 3), OpLshr},
		{"no distribution", BVMul(x, BVAdd(y, z)), OpBVMul},
		{"x + -x stays", BVAdd(x, BVNeg(x)), OpBVAdd},
		{"p and not p stays", And(p, Not(p)), OpAnd},
		{"straddling extract of shl stays", Extract(4, 1, Shl(x, 3)), OpExtract},
		{"copies of the sign stay", Extract(20, 17, Sext(64, x)), OpExtract},
		{"mod -1 stays", Mod(i, N(-1)), OpMod},
		{"a power of constants stays", Expmod(N(2), N(3), N(5)), OpExpmod},
		{"modulus 1 stays", Expmod(i, j, N(1)), OpExpmod},
		{"tuple of projections stays", MkTuple(Proj(0, Var("t", pair))), OpTuple},
	} {
		if c.t.Op() != c.op {
			t.Errorf("%s: got %v", c.name, c.t)
		}
	}
	if Ult(x, y) == Ult(y, x) || Slt(x, y) == Slt(y, x) || Concat(u, v) == Concat(v, u) || Div(i, j) == Div(j, i) ||
		Expmod(i, j, i) == Expmod(j, i, i) || Expmod(i, j, i) == Expmod(i, i, j) {
		t.Error("arguments were ordered")
	}
}

// TestExpmod has the conventions and compares with products, on small numbers of all signs and on the sizes of curves.
func TestExpmod(t *testing.T) {
	value := func(x, k, m *big.Int) *big.Int {
		t.Helper()
		p := Expmod(IntConst(x), IntConst(k), IntConst(m))
		if p.Op() != OpExpmod || p.Sort() != Int() || !p.IsClosed() {
			t.Fatalf("%v is no power", p)
		}
		v, err := Eval(p, nil, 1e6)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		return v.Big()
	}
	for m := int64(-4); m < 14; m++ {
		for x := int64(-15); x < 16; x++ {
			var power, want int64 // the power and its residue
			for k := int64(-3); k < 9; k++ {
				switch {
				case m < 1:
				case k <= 0:
					power = 1
				default:
					power = want * x
				}
				if m >= 1 {
					want = (power%m + m) % m
				}
				if got := value(big.NewInt(x), big.NewInt(k), big.NewInt(m)); got.Int64() != want {
					t.Errorf("%d^%d mod %d is %v, want %d", x, k, m, got, want)
				}
			}
		}
	}
	r := seeded(5)
	random := func(bits int) *big.Int {
		v := new(big.Int)
		for range (bits + 63) / 64 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.word()))
		}
		return v.Rsh(v, uint((64-bits%64)%64))
	}
	for _, bits := range []int{64, 65, 192, 256, 384, 521, 1024} {
		for i := range 8 {
			m := random(bits)
			m.SetBit(m, 0, uint(i&1)).SetBit(m, bits-1, 1) // even and odd
			x, k := random(bits+i*40), random(bits-i*5)
			if i == 3 {
				x.Neg(x)
			}
			e := &expr{op: "expmod", sort: intSort, args: []*expr{constExpr(intSort, x), constExpr(intSort, k), constExpr(intSort, m)}}
			if got, want := value(x, k, m), newOracle(nil).eval(e).b; got.Cmp(want) != 0 {
				t.Errorf("%x^%x mod %x is %x, want %x", x, k, m, got, want)
			}
		}
	}
	i, j := Var("i", Int()), Var("j", Int())
	if got := Expmod(i, Add(j, N(1)), N(7)).String(); got != "expmod(i, 1 + j, 7)" {
		t.Errorf("printed as %q", got)
	}
}

// samples has a term for each operation.
func samples() []Term {
	x, y, u := Var("x", BV(70)), Var("y", BV(70)), Var("u", BV(9))
	i, j := Var("i", Int()), Var("j", Int())
	p, q := Var("p", Bool()), Var("q", Bool())
	return []Term{
		x, BVUint(70, 5), True(), Add(i, j), N(12), Not(p), And(p, q), Eq(x, y), Eq(p, q), Eq(MkTuple(x, p), MkTuple(y, q)),
		Eq0(Add(i, j)), Ge0(i), Cong(i, N(1), j), Ult(x, y), Slt(x, y), Ite(p, x, y), Ite(p, MkTuple(i), MkTuple(j)),
		testDefs()[0].sym.App(u, i), testDefs()[2].sym.App(Mod(i, N(5)), j), Proj(1, Var("t", pair)), MkTuple(x, i), Uint(x), Sint(x),
		Div(i, j), Mod(i, j), BVAdd(x, y), BVMul(x, y), BVNeg(x), BVNot(x), BVAnd(x, y), BVOr(x, y), BVXor(x, y), Shl(x, 3),
		Lshr(x, 3), Ashr(x, 3), Rotr(x, 3), LshrV(x, u), Concat(x, u), Extract(66, 2, x), Sext(80, x), Lookup(tableOf(70).sym, u),
		ToBV(70, i), Expmod(i, j, Add(i, j)),
	}
}

// opsUsed collects the operations of the terms.
func opsUsed(ts []Term) map[Op]bool {
	m := map[Op]bool{}
	for _, t := range ts {
		m[t.Op()] = true
	}
	return m
}

// exprOf is a stored term as an expression, so that the oracle gives the meaning of the term itself.
func exprOf(t Term) *expr {
	n := t.n
	e := &expr{sort: n.sort}
	for _, a := range n.args {
		e.args = append(e.args, exprOf(Term{a}))
	}
	switch n.op {
	case OpVar:
		e.op, e.name = "var", t.Name()
	case OpConst:
		e.op, e.c = "const", n.val()
	case OpPoly:
		e.op = "add"
		for _, m := range t.Monomials() {
			p := &expr{op: "mul", sort: intSort, args: []*expr{constExpr(intSort, m.Coef)}}
			for _, a := range m.Atoms {
				p.args = append(p.args, exprOf(a))
			}
			e.args = append(e.args, p)
		}
	case OpApp:
		e.op = "app"
		for _, d := range testDefs() {
			if d.sym == t.Def() {
				e.def = d
			}
		}
	case OpDvd:
		e.op, e.args = "cong", []*expr{e.args[0], constExpr(intSort, new(big.Int)), e.args[1]}
	default:
		e.op = map[Op]string{
			OpNot: "not", OpAnd: "and", OpEq: "eq", OpEq0: "eq0", OpGe0: "ge0", OpUlt: "ult", OpSlt: "slt", OpIte: "ite",
			OpProj: "proj", OpTuple: "tuple", OpUint: "uint", OpSint: "sint", OpDiv: "div", OpMod: "mod", OpBVAdd: "bvadd",
			OpBVMul: "bvmul", OpBVNeg: "bvneg", OpBVNot: "bvnot", OpBVAnd: "bvand", OpBVOr: "bvor", OpBVXor: "bvxor", OpShl: "shl",
			OpLshr: "lshr", OpAshr: "ashr", OpRotr: "rotr", OpLshrV: "lshrv", OpConcat: "concat", OpExtract: "extract",
			OpSext: "sext", OpLookup: "lookup", OpToBV: "tobv", OpExpmod: "expmod",
		}[n.op]
		e.hi, e.lo, e.k = t.Hi(), t.Lo(), t.Lo()
	}
	return e
}

// TestEvalCoversAllOps compares Eval with the oracle on each operation.
func TestEvalCoversAllOps(t *testing.T) {
	ts := samples()
	used := opsUsed(ts)
	for op := opInvalid + 1; op <= OpExpmod; op++ {
		if !used[op] {
			t.Errorf("no sample for operation %d", op)
		}
	}
	if len(used) != int(OpExpmod) {
		t.Errorf("%d operations in the samples, %d in the package", len(used), OpExpmod)
	}
	g := newGenerator(seeded(1), 0)
	for _, x := range ts {
		e := exprOf(x)
		if b := (builder{}).build(e); b != x {
			t.Errorf("%v is built as %v", x, b)
		}
		for range 200 {
			env := g.assignment(e)
			want := newOracle(env).eval(e)
			got, err := Eval(x, env.terms(), 1000)
			if err != nil || !want.is(got) {
				t.Fatalf("%v under %v is %v, not %v (%v)", x, env, got, want, err)
			}
		}
	}
}

// TestRebuildCoversAllOps replaces all variables of a term of each operation: the replacement must reach the arguments.
func TestRebuildCoversAllOps(t *testing.T) {
	for _, x := range samples() {
		m := map[Term]Term{}
		for _, v := range FreeVars(x) {
			m[v] = Var(v.Name()+"′", v.Sort())
		}
		y := Subst(x, m)
		if err := y.Err(); err != nil || y.Sort() != x.Sort() {
			t.Errorf("%v becomes %v", x, y)
		}
		if !x.IsClosed() && y.Op() != x.Op() {
			t.Errorf("%v becomes %v", x, y)
		}
		for _, v := range FreeVars(y) {
			if m[v].Err() == nil {
				t.Errorf("%v still has %v: %v", x, v, y)
			}
		}
		back := map[Term]Term{}
		for v, w := range m {
			back[w] = v
		}
		if z := Subst(y, back); z != x {
			t.Errorf("%v becomes %v, and back %v", x, y, z)
		}
	}
}

// TestSharedSubterms builds terms whose trees are exponentially larger than themselves; a constructor that walks the
// tree doesn't come back.
func TestSharedSubterms(t *testing.T) {
	x := Var("x", BV(64))
	b := Var("b", Bool())
	i := Var("i", Int())
	for k := range 200 {
		y := Var(fmt.Sprint("y", k), BV(64))
		x = BVAnd(x, BVOr(BVNot(x), y))
		b = Ite(And(b, Var(fmt.Sprint("b", k), Bool())), Not(b), b)
		i = Add(Mod(i, N(7)), Div(i, N(5)))
	}
	lo := Extract(7, 0, x)
	if lo.Op() != OpBVAnd || Extract(3, 2, lo) != Extract(3, 2, x) {
		t.Error("extract of a shared term")
	}
	split := BVXor(x, Concat(Var("u", BV(32)), Var("v", BV(32))))
	if split.Op() != OpConcat {
		t.Error("split of a shared term")
	}
	all := MkTuple(x, b, i, lo, split)
	for range 200 {
		all = MkTuple(Ite(b, Proj(0, all), Proj(0, Ite(b, all, all))), b, Proj(2, all), lo, split)
	}
	vs := FreeVars(all)
	if len(vs) != 1+1+1+400+2 {
		t.Errorf("%d variables", len(vs))
	}
	env := map[Term]Value{}
	m := map[Term]Term{}
	for _, v := range vs {
		m[v] = Var(v.Name()+"′", v.Sort())
		if env[v] = IntValue(big.NewInt(1)); v.Sort() == Bool() {
			env[v] = BoolValue(true)
		}
	}
	if _, err := Eval(all, env, 100000); err != nil {
		t.Error(err)
	}
	if s := Subst(all, m); s.Err() != nil {
		t.Error(s.Err())
	}
	if s := Replace(all, map[Term]Term{x: Var("z", BV(64))}); s.Err() != nil {
		t.Error(s.Err())
	}
	if s := all.String(); len(s) > 1<<13 {
		t.Errorf("a message of %d bytes", len(s))
	}
	if s := all.Format(1 << 20); len(s) > 1<<23 {
		t.Errorf("a text of %d bytes", len(s))
	}
}

// TestDepth nests terms more deeply than the package allows: they are refused, not walked.
func TestDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inGeneration(t, func() {
		v := Var("x", BV(64))
		x := v
		for range maxDepth/2 - 1 {
			x = BVNot(BVNeg(x))
		}
		if err := x.Err(); err != nil {
			t.Fatal(err)
		}
		if got, err := Eval(x, map[Term]Value{v: IntValue(big.NewInt(9))}, 1<<30); err != nil || got.Big().Int64() > maxDepth {
			t.Error(got, err)
		}
		y := Subst(x, map[Term]Term{v: x})
		if y.Err() == nil {
			t.Error("a term of twice the depth is well-formed")
		}
		if got := BVNot(y); got.Op() != opInvalid {
			t.Error("a deeper term was accepted")
		}
		if _, err := Eval(y, map[Term]Value{v: IntValue(big.NewInt(9))}, 1<<30); err == nil {
			t.Error("a deeper term was evaluated")
		}
		if vs := FreeVars(y); len(vs) != 1 {
			t.Error(vs)
		}
		_ = y.String()
	})
}
