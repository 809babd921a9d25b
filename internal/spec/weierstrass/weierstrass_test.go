package weierstrass

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"verum.example/internal/tcb/logic"
)

// budget is enough steps for a multiple of a point of the largest curve.
const budget = 1 << 26

func eval(t testing.TB, e logic.Term) logic.Value {
	t.Helper()
	v, err := logic.Eval(e, nil, budget)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	return v
}

func constant(t testing.TB, e logic.Term) *big.Int {
	t.Helper()
	c, ok := e.Const()
	if !ok {
		t.Fatalf("%v is not a constant", e)
	}
	return c
}

// point is an affine point, or O for x = nil.
type point struct{ x, y *big.Int }

func (q point) term() logic.Term {
	if q.x == nil {
		return Infinity()
	}
	return Affine(logic.IntConst(q.x), logic.IntConst(q.y))
}

func (q point) equal(r point) bool {
	if q.x == nil || r.x == nil {
		return q.x == nil && r.x == nil
	}
	return q.x.Cmp(r.x) == 0 && q.y.Cmp(r.y) == 0
}

func (q point) String() string {
	if q.x == nil {
		return "O"
	}
	return fmt.Sprintf("(%x, %x)", q.x, q.y)
}

// pointOf reads a value of sort PointSort. O has one representation.
func pointOf(t testing.TB, v logic.Value) point {
	t.Helper()
	e := v.Elems()
	if len(e) != 3 {
		t.Fatalf("%v is no point", v)
	}
	if e[0].Bool() {
		if e[1].Big().Sign() != 0 || e[2].Big().Sign() != 0 {
			t.Fatalf("%v is infinite with coordinates", v)
		}
		return point{}
	}
	return point{e[1].Big(), e[2].Big()}
}

// oracle computes with math/big, its inverses by the extended Euclidean algorithm.
type oracle struct{ p, a, b *big.Int }

func oracleOf(t testing.TB, c Curve) oracle {
	return oracle{constant(t, c.P()), constant(t, c.A()), constant(t, c.B())}
}

func (o oracle) mod(x *big.Int) *big.Int { return x.Mod(x, o.p) }

func (o oracle) rhs(x *big.Int) *big.Int {
	r := new(big.Int).Mul(x, x)
	r.Add(r, o.a).Mul(r, x).Add(r, o.b)
	return o.mod(r)
}

func (o oracle) onCurve(q point) bool {
	if q.x == nil {
		return true
	}
	in := func(x *big.Int) bool { return x.Sign() >= 0 && x.Cmp(o.p) < 0 }
	return in(q.x) && in(q.y) && o.mod(new(big.Int).Mul(q.y, q.y)).Cmp(o.rhs(q.x)) == 0
}

func (o oracle) neg(q point) point {
	if q.x == nil {
		return q
	}
	return point{q.x, o.mod(new(big.Int).Neg(q.y))}
}

func (o oracle) add(q, r point) point {
	num, den := new(big.Int), new(big.Int)
	switch {
	case q.x == nil:
		return r
	case r.x == nil:
		return q
	case q.equal(o.neg(r)):
		return point{}
	case q.equal(r):
		num.Mul(q.x, q.x).Mul(num, big.NewInt(3)).Add(num, o.a)
		den.Lsh(q.y, 1)
	default:
		num.Sub(r.y, q.y)
		den.Sub(r.x, q.x)
	}
	l := num.Mul(num, den.ModInverse(o.mod(den), o.p))
	x := new(big.Int).Mul(l, l)
	o.mod(x.Sub(x, q.x).Sub(x, r.x))
	y := new(big.Int).Sub(q.x, x)
	return point{x, o.mod(y.Mul(y, l).Sub(y, q.y))}
}

func (o oracle) mul(k *big.Int, q point) (r point) {
	for i := k.BitLen() - 1; i >= 0; i-- {
		r = o.add(r, r)
		if k.Bit(i) == 1 {
			r = o.add(r, q)
		}
	}
	return r
}

// random has a fixed seed: the tests are the same each time.
var random = rand.New(rand.NewPCG(4, 1))

func randomBelow(n *big.Int) *big.Int {
	r := new(big.Int)
	for range n.BitLen()/64 + 2 {
		r.Lsh(r, 64).Or(r, new(big.Int).SetUint64(random.Uint64()))
	}
	return r.Mod(r, n)
}

// small are the curves of a field: all pairs a, b with 4a³ + 27b² ≠ 0.
func small(p int64) (cs []oracle) {
	for a := range p {
		for b := range p {
			if (4*a*a*a+27*b*b)%p != 0 {
				cs = append(cs, oracle{big.NewInt(p), big.NewInt(a), big.NewInt(b)})
			}
		}
	}
	return cs
}

// points lists the points of a small curve, O first.
func (o oracle) points() []point {
	ps := []point{{}}
	for x := range o.p.Int64() {
		for y := range o.p.Int64() {
			if q := (point{big.NewInt(x), big.NewInt(y)}); o.onCurve(q) {
				ps = append(ps, q)
			}
		}
	}
	return ps
}

// terms are p, a and b.
func (o oracle) terms() (p, a, b logic.Term) {
	return logic.IntConst(o.p), logic.IntConst(o.a), logic.IntConst(o.b)
}

// TestGroupLaws shows on every curve over the fields of 5, 7, 11 and 13 elements that the points are an abelian group:
// O is neutral, Neg gives inverses, Add is closed, commutative, and associative for every triple.
func TestGroupLaws(t *testing.T) {
	curves, triples := 0, 0
	for _, prime := range []int64{5, 7, 11, 13} {
		for _, o := range small(prime) {
			p, a, _ := o.terms()
			ps := o.points()
			index := map[string]int{}
			for i, q := range ps {
				index[q.String()] = i
			}
			// All sums in one evaluation, which computes each inverse once.
			var sums []logic.Term
			for _, q := range ps {
				for _, r := range ps {
					sums = append(sums, Add(p, a, q.term(), r.term()))
				}
				sums = append(sums, Neg(p, q.term()))
			}
			values := eval(t, logic.MkTuple(sums...)).Elems()
			at := func(v logic.Value) int {
				i, ok := index[pointOf(t, v).String()]
				if !ok {
					t.Fatalf("y² = x³ + %vx + %v over F%v: %v is not on the curve", o.a, o.b, o.p, v)
				}
				return i
			}
			n := len(ps)
			add, neg := make([][]int, n), make([]int, n)
			for i := range n {
				row := values[i*(n+1) : (i+1)*(n+1)]
				for _, v := range row[:n] {
					add[i] = append(add[i], at(v))
				}
				neg[i] = at(row[n])
			}
			for i := range n {
				if add[i][0] != i || add[0][i] != i || add[i][neg[i]] != 0 {
					t.Fatalf("y² = x³ + %vx + %v over F%v: %v: neutral element or inverse", o.a, o.b, o.p, ps[i])
				}
				for j := range n {
					if add[i][j] != add[j][i] {
						t.Fatalf("y² = x³ + %vx + %v over F%v: %v, %v do not commute", o.a, o.b, o.p, ps[i], ps[j])
					}
					for k := range n {
						if add[add[i][j]][k] != add[i][add[j][k]] {
							t.Fatalf("y² = x³ + %vx + %v over F%v: %v, %v, %v do not associate", o.a, o.b, o.p, ps[i], ps[j], ps[k])
						}
					}
				}
			}
			curves, triples = curves+1, triples+n*n*n
		}
	}
	t.Logf("%d curves, %d triples", curves, triples)
}

// TestOnCurveSmall: of all pairs of numbers around the field, those on the curve are the points; O is one only as
// (true, 0, 0).
func TestOnCurveSmall(t *testing.T) {
	o := oracle{big.NewInt(11), big.NewInt(1), big.NewInt(6)}
	p, a, b := o.terms()
	for x := int64(-2); x < 14; x++ {
		for y := int64(-2); y < 14; y++ {
			got := eval(t, OnCurve(p, a, b, Affine(logic.N(x), logic.N(y)))).Bool()
			if want := o.onCurve(point{big.NewInt(x), big.NewInt(y)}); got != want {
				t.Errorf("OnCurve(%d, %d) = %v", x, y, got)
			}
			got = eval(t, OnCurve(p, a, b, logic.MkTuple(logic.True(), logic.N(x), logic.N(y)))).Bool()
			if want := x == 0 && y == 0; got != want {
				t.Errorf("OnCurve(O with %d, %d) = %v", x, y, got)
			}
		}
	}
}

// TestMultiplesSmall: both definitions of a multiple agree with repeated addition, for all points of some curves, past
// the order; SMul is O for negative numbers.
func TestMultiplesSmall(t *testing.T) {
	for _, o := range []oracle{
		{big.NewInt(5), big.NewInt(1), big.NewInt(0)}, // (0, 0) is a point, of order 2
		{big.NewInt(7), big.NewInt(4), big.NewInt(3)},
		{big.NewInt(13), big.NewInt(10), big.NewInt(8)},
	} {
		p, a, _ := o.terms()
		ps := o.points()
		for _, q := range ps {
			want := point{}
			for k := int64(0); k < int64(2*len(ps)+3); k++ {
				if k > 0 {
					want = o.add(want, q)
				}
				for _, m := range []logic.Term{SMul(logic.N(k), p, a, q.term()), Mul(logic.N(k), p, a, q.term())} {
					if got := pointOf(t, eval(t, m)); !got.equal(want) {
						t.Errorf("F%v: %v = %v, want %v", o.p, m, got, want)
					}
				}
			}
			if got := pointOf(t, eval(t, SMul(logic.N(-1), p, a, q.term()))); got.x != nil {
				t.Errorf("F%v: [-1]%v = %v", o.p, q, got)
			}
		}
	}
}

// TestRounds: the invariant of Multiples holds after each round.
func TestRounds(t *testing.T) {
	o := oracle{big.NewInt(13), big.NewInt(10), big.NewInt(8)}
	p, a, _ := o.terms()
	q := o.points()[3]
	for k := range int64(40) {
		for i := range int64(8) {
			s := eval(t, Multiples(logic.N(i), logic.N(k), p, a, q.term())).Elems()
			sum := o.add(pointOf(t, s[0]), o.mul(s[2].Big(), pointOf(t, s[1])))
			if want := o.mul(big.NewInt(k), q); !sum.equal(want) || s[2].Big().Int64() != k>>i {
				t.Errorf("[%d]%v after %d rounds: %v", k, q, i, s)
			}
		}
	}
}

// TestInv compares inverses with the extended Euclidean algorithm, for the moduli of all curves and for small primes.
func TestInv(t *testing.T) {
	check := func(m, x *big.Int) {
		t.Helper()
		got := eval(t, Inv(logic.IntConst(m), logic.IntConst(x))).Big()
		want := new(big.Int).ModInverse(x, m)
		if want == nil {
			want = new(big.Int) // m divides x
		}
		if got.Cmp(want) != 0 {
			t.Errorf("1/%x mod %x = %x, want %x", x, m, got, want)
		}
	}
	for _, c := range Curves() {
		for _, m := range []*big.Int{constant(t, c.P()), constant(t, c.N())} {
			for _, x := range []*big.Int{
				randomBelow(m), new(big.Int).Neg(randomBelow(m)), new(big.Int).Sub(m, big.NewInt(1)), big.NewInt(1), big.NewInt(-7),
				new(big.Int), new(big.Int).Lsh(m, 1),
			} {
				check(m, x)
			}
		}
	}
	for _, m := range []int64{3, 5, 7, 11, 13} {
		for x := -m; x <= 2*m; x++ {
			check(big.NewInt(m), big.NewInt(x))
		}
	}
	if got := eval(t, Pow(logic.N(7), logic.N(2), logic.N(5))).Big(); got.Int64() != 4 {
		t.Errorf("2⁵ mod 7 is %v", got)
	}
}

// TestMul compares multiples with the oracle: on P-256 by small numbers, numbers around the order, a power of two and
// random numbers; on all curves by the order and a random number. Alternately of the base point and of another.
func TestMul(t *testing.T) {
	for _, c := range Curves() {
		o, n := oracleOf(t, c), constant(t, c.N())
		g := pointOf(t, eval(t, c.G()))
		other, one := o.mul(randomBelow(n), g), big.NewInt(1)
		ks := []*big.Int{n, randomBelow(n)}
		if c == P256() {
			for i := range int64(3) {
				ks = append(ks, big.NewInt(i))
			}
			ks = append(ks, new(big.Int).Sub(n, one), new(big.Int).Add(n, one), new(big.Int).Lsh(one, 300))
		}
		for i, k := range ks {
			q := g
			if i%2 == 1 {
				q = other
			}
			got := pointOf(t, eval(t, Mul(logic.IntConst(k), c.P(), c.A(), q.term())))
			if want := o.mul(k, q); !got.equal(want) || !o.onCurve(got) {
				t.Errorf("%s: [%x]%v = %v, want %v", c.Name(), k, q, got, want)
			}
		}
		if got := pointOf(t, eval(t, Mul(c.N(), c.P(), c.A(), Infinity()))); got.x != nil {
			t.Errorf("%s: [n]O = %v", c.Name(), got)
		}
	}
}

// TestAdd compares sums with the oracle in every case of the group law, and SMul for small multiples, on all curves.
func TestAdd(t *testing.T) {
	for _, c := range Curves() {
		o, n := oracleOf(t, c), constant(t, c.N())
		g := pointOf(t, eval(t, c.G()))
		ps := []point{{}, g, o.neg(g), o.add(g, g)}
		for range 2 {
			q := o.mul(randomBelow(n), g)
			ps = append(ps, q, o.neg(q))
		}
		for _, q := range ps {
			if !eval(t, OnCurve(c.P(), c.A(), c.B(), q.term())).Bool() {
				t.Errorf("%s: %v is not on the curve", c.Name(), q)
			}
			for _, r := range ps {
				if got, want := pointOf(t, eval(t, Add(c.P(), c.A(), q.term(), r.term()))), o.add(q, r); !got.equal(want) {
					t.Errorf("%s: %v + %v = %v, want %v", c.Name(), q, r, got, want)
				}
			}
			if got, want := pointOf(t, eval(t, Neg(c.P(), q.term()))), o.neg(q); !got.equal(want) {
				t.Errorf("%s: -%v = %v, want %v", c.Name(), q, got, want)
			}
		}
		for k := range int64(20) {
			if got, want := pointOf(t, eval(t, SMul(logic.N(k), c.P(), c.A(), c.G()))), o.mul(big.NewInt(k), g); !got.equal(want) {
				t.Errorf("%s: [%d]G = %v, want %v", c.Name(), k, got, want)
			}
		}
	}
}

// TestSteps: a multiple on P-256 costs so many steps of evaluation that contracts that speak of it can be run.
func TestSteps(t *testing.T) {
	n := constant(t, P256().N())
	k := logic.IntConst(n.Sub(n, big.NewInt(2)))
	if _, err := logic.Eval(Mul(k, P256().P(), P256().A(), P256().G()), nil, 200_000); err != nil {
		t.Error(err)
	}
}

func BenchmarkMulP256(b *testing.B) {
	n := constant(b, P256().N())
	for b.Loop() {
		eval(b, Mul(logic.IntConst(randomBelow(n)), P256().P(), P256().A(), P256().G()))
	}
}
