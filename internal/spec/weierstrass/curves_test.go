package weierstrass

import (
	"crypto/elliptic"
	"math/big"
	"testing"

	"verum.example/internal/tcb/logic"
)

// TestCurves: the parameters are the standard library's where it has the curve. All are those of a curve of prime order:
// p and n are probable primes, the curve isn't singular, G is on it, [n]G = O, and n is the only multiple of n in Hasse's
// interval, so that the order is n (SEC 1 §3.1.1.2.1, without the checks of security levels).
func TestCurves(t *testing.T) {
	std := map[string]elliptic.Curve{
		"P-224": elliptic.P224(), "P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521(),
	}
	for _, c := range Curves() {
		o, n := oracleOf(t, c), constant(t, c.N())
		g := pointOf(t, eval(t, c.G()))
		if s := std[c.Name()]; s != nil {
			q := s.Params()
			minus3 := new(big.Int).Sub(q.P, big.NewInt(3))
			if o.p.Cmp(q.P) != 0 || o.a.Cmp(minus3) != 0 || o.b.Cmp(q.B) != 0 || n.Cmp(q.N) != 0 || !g.equal(point{q.Gx, q.Gy}) {
				t.Errorf("%s: not the standard library's", c.Name())
			}
			delete(std, c.Name())
		}
		if !o.p.ProbablyPrime(32) || !n.ProbablyPrime(32) || o.p.Cmp(n) == 0 {
			t.Errorf("%s: p or n", c.Name())
		}
		if size := (o.p.BitLen() + 7) / 8; c.Bytes() != size || (n.BitLen()+7)/8 != size || n.BitLen() > maxBits || o.p.BitLen() > maxBits {
			t.Errorf("%s: %d bytes", c.Name(), c.Bytes())
		}
		if constant(t, c.W()).Cmp(new(big.Int).Lsh(big.NewInt(1), uint(8*c.Bytes()))) != 0 {
			t.Errorf("%s: w = %v", c.Name(), c.W())
		}
		disc := new(big.Int).Mul(o.b, o.b)
		disc.Mul(disc, big.NewInt(27))
		cube := new(big.Int).Exp(o.a, big.NewInt(3), nil)
		if o.mod(disc.Add(disc, cube.Lsh(cube, 2))).Sign() == 0 {
			t.Errorf("%s: singular", c.Name())
		}
		if !o.onCurve(g) || o.mul(n, g).x != nil || !eval(t, OnCurve(c.P(), c.A(), c.B(), c.G())).Bool() {
			t.Errorf("%s: base point", c.Name())
		}
		// |n − (p+1)| ≤ 2√p and 2n > p + 1 + 2√p
		d := new(big.Int).Sub(n, o.p)
		d.Sub(d, big.NewInt(1))
		if d.Mul(d, d).Cmp(new(big.Int).Lsh(o.p, 2)) > 0 || o.p.BitLen() > n.BitLen() {
			t.Errorf("%s: order", c.Name())
		}
		if threeMod4 := o.p.Bit(0) == 1 && o.p.Bit(1) == 1; threeMod4 == (c == P224()) {
			t.Errorf("%s: DecodeCompressed doesn't say so of p mod 4", c.Name())
		}
	}
	if len(std) != 0 {
		t.Errorf("missing: %v", std)
	}
	if (Curve{}).Name() != "" || !(Curve{}).P().IsZero() {
		t.Error("the zero Curve is a curve")
	}
}

// concat is the big-endian number of a tag and parts of size bytes.
func concat(tag int64, w *big.Int, parts ...*big.Int) *big.Int {
	e := big.NewInt(tag)
	for _, x := range parts {
		e.Mul(e, w).Add(e, x)
	}
	return e
}

// TestEncodingSmall decodes, on small curves, strings with each kind of tag and coordinate, in the field and beyond.
func TestEncodingSmall(t *testing.T) {
	w := big.NewInt(256)
	for _, o := range []oracle{
		{big.NewInt(7), big.NewInt(4), big.NewInt(3)},
		{big.NewInt(11), big.NewInt(1), big.NewInt(0)}, // with points of order 2
		{big.NewInt(11), big.NewInt(1), big.NewInt(6)},
	} {
		p, a, b := o.terms()
		coordinates := []*big.Int{big.NewInt(255)}
		for x := range o.p.Int64() + 3 {
			coordinates = append(coordinates, big.NewInt(x))
		}
		for _, tag := range []int64{-1, 0, 1, 2, 3, 4, 5, 6, 7, 255, 256 + 2, 256 + 4} {
			for _, x := range coordinates {
				for _, y := range coordinates {
					e := concat(tag, w, x, y)
					want := point{}
					if q := (point{x, y}); tag == 4 && o.onCurve(q) {
						want = q
						if got := eval(t, Encode(logic.IntConst(w), q.term())).Big(); got.Cmp(e) != 0 {
							t.Errorf("F%v: Encode(%v) = %x, want %x", o.p, q, got, e)
						}
					}
					if got := pointOf(t, eval(t, Decode(p, a, b, logic.IntConst(w), logic.IntConst(e)))); !got.equal(want) {
						t.Errorf("F%v: Decode(%x) = %v, want %v", o.p, e, got, want)
					}
				}
				e := concat(tag, w, x)
				want := point{}
				for _, q := range o.points()[1:] {
					if q.x.Cmp(x) == 0 && int64(q.y.Bit(0))+2 == tag {
						want = q
						if got := eval(t, EncodeCompressed(logic.IntConst(w), q.term())).Big(); got.Cmp(e) != 0 {
							t.Errorf("F%v: EncodeCompressed(%v) = %x, want %x", o.p, q, got, e)
						}
					}
				}
				if got := pointOf(t, eval(t, DecodeCompressed(p, a, b, logic.IntConst(w), logic.IntConst(e)))); !got.equal(want) {
					t.Errorf("F%v: DecodeCompressed(%x) = %v, want %v", o.p, e, got, want)
				}
			}
		}
	}
}

// TestEncoding decodes on all curves what was encoded, and damaged strings.
func TestEncoding(t *testing.T) {
	for _, c := range Curves() {
		o, n := oracleOf(t, c), constant(t, c.N())
		w, g := constant(t, c.W()), pointOf(t, eval(t, c.G()))
		for range 4 {
			q := o.mul(randomBelow(n), g)
			e := eval(t, Encode(c.W(), q.term())).Big()
			if want := concat(4, w, q.x, q.y); e.Cmp(want) != 0 || (e.BitLen()+7)/8 != 1+2*c.Bytes() {
				t.Errorf("%s: Encode(%v) = %x", c.Name(), q, e)
			}
			decode := func(e *big.Int) point {
				return pointOf(t, eval(t, Decode(c.P(), c.A(), c.B(), c.W(), logic.IntConst(e))))
			}
			if got := decode(e); !got.equal(q) {
				t.Errorf("%s: Decode(%x) = %v, want %v", c.Name(), e, got, q)
			}
			for _, bad := range []*big.Int{
				new(big.Int).Xor(e, big.NewInt(1)),             // another y
				concat(4, w, q.x, o.p), concat(4, w, o.p, q.y), // not reduced
				concat(4, w, q.y, q.x), concat(6, w, q.x, q.y), // not on the curve; hybrid
				concat(2, w, q.x, q.y), new(big.Int).Lsh(e, 8), new(big.Int), // other tags and lengths
			} {
				if got := decode(bad); got.x != nil {
					t.Errorf("%s: Decode(%x) = %v", c.Name(), bad, got)
				}
			}
			if c == P224() {
				continue
			}
			e = eval(t, EncodeCompressed(c.W(), q.term())).Big()
			if want := concat(2+int64(q.y.Bit(0)), w, q.x); e.Cmp(want) != 0 {
				t.Errorf("%s: EncodeCompressed(%v) = %x", c.Name(), q, e)
			}
			if got := pointOf(t, eval(t, DecodeCompressed(c.P(), c.A(), c.B(), c.W(), logic.IntConst(e)))); !got.equal(q) {
				t.Errorf("%s: DecodeCompressed(%x) = %v, want %v", c.Name(), e, got, q)
			}
			// Half of all x are on no point.
			x := randomBelow(o.p)
			want := point{}
			if y := new(big.Int).ModSqrt(o.rhs(x), o.p); y != nil {
				if y.Bit(0) == 1 {
					y.Sub(o.p, y)
				}
				want = point{x, y}
			}
			if got := pointOf(t, eval(t, DecodeCompressed(c.P(), c.A(), c.B(), c.W(), logic.IntConst(concat(2, w, x))))); !got.equal(want) {
				t.Errorf("%s: x = %x: %v, want %v", c.Name(), x, got, want)
			}
		}
	}
}
