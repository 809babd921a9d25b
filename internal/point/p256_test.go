//go:build amd64 || arm64

package point

import (
	"bytes"
	"crypto/ecdh"
	"crypto/elliptic"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"verum.example/internal/asm/p256"
	"verum.example/internal/cpu"
)

// TestMain refuses to test another variant than VERUM_CPU asks for.
func TestMain(m *testing.M) {
	if err := cpu.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestImplementation(t *testing.T) {
	want := map[string]string{
		"amd64/baseline": "amd64",
		"amd64/bmi2":     "amd64-bmi2",
		"arm64/baseline": "arm64",
	}[runtime.GOARCH+"/"+cpu.Variant()]
	if got := p256.Implementation(); got != want {
		t.Errorf("variant %q runs the implementation %q, want %q", cpu.Variant(), got, want)
	}
}

var curve = elliptic.P256().Params()

// affine is a point by its affine coordinates; x is nil at infinity. Its group law is written from SEC 1 version 2,
// section 2.2.1, with math/big.
type affine struct{ x, y *big.Int }

func (a affine) plus(c affine) affine {
	p := curve.P
	var num, den *big.Int
	switch {
	case a.x == nil:
		return c
	case c.x == nil:
		return a
	case a.x.Cmp(c.x) != 0:
		num, den = new(big.Int).Sub(c.y, a.y), new(big.Int).Sub(c.x, a.x)
	case a.y.Cmp(c.y) != 0:
		return affine{}
	default:
		num = new(big.Int).Mul(a.x, a.x)
		num.Mul(num, big.NewInt(3)).Sub(num, big.NewInt(3))
		den = new(big.Int).Lsh(a.y, 1)
	}
	den.Mod(den, p)
	slope := num.Mul(num, den.ModInverse(den, p))
	x := new(big.Int).Mul(slope, slope)
	x.Sub(x, a.x).Sub(x, c.x).Mod(x, p)
	y := new(big.Int).Sub(a.x, x)
	y.Mul(y, slope).Sub(y, a.y).Mod(y, p)
	return affine{x, y}
}

func (a affine) minus() affine {
	if a.x == nil {
		return a
	}
	return affine{a.x, new(big.Int).Sub(curve.P, a.y)}
}

func (a affine) String() string {
	if a.x == nil {
		return "infinity"
	}
	return fmt.Sprintf("(%x, %x)", a.x, a.y)
}

func (a affine) bytes() (out [64]byte) {
	if a.x != nil {
		a.x.FillBytes(out[:32])
		a.y.FillBytes(out[32:])
	}
	return out
}

func montgomery(t *testing.T, v *big.Int) (e element) {
	t.Helper()
	var buf [32]byte
	v.FillBytes(buf[:])
	if p256.FromBytes(&e, &buf) != 1 {
		t.Fatalf("%x is not less than p", v)
	}
	p256.ToMont(&e, &e)
	return e
}

// project returns (λx : λy : λ), or (0 : λ : 0) at infinity.
func project(t *testing.T, a affine, lambda *big.Int) (p projective) {
	x, y, z := coordinates(&p)
	l := montgomery(t, lambda)
	if a.x == nil {
		*y = l
		return p
	}
	*x, *y, *z = montgomery(t, a.x), montgomery(t, a.y), l
	p256.Mul(x, x, z)
	p256.Mul(y, y, z)
	return p
}

// check compares a projective point, which must not be (0 : 0 : 0), with an affine one.
func check(t *testing.T, what string, got projective, want affine) {
	t.Helper()
	w := &Workspace{acc: got}
	ok := w.storePoint()
	if ok != 1 && want.x != nil || ok != 0 && want.x == nil || w.Point != want.bytes() {
		t.Fatalf("%s is %x (%d), want %v", what, w.Point, ok, want)
	}
	if _, y, _ := coordinates(&got); ok == 0 && nonzero(y) == 0 {
		t.Fatalf("%s is (0 : 0 : 0)", what)
	}
}

// samples returns infinity, small multiples of the generator, a point with x = 0, random points, and negatives.
func samples(t *testing.T) []affine {
	r := rand.New(rand.NewPCG(1, 2))
	g := affine{curve.Gx, curve.Gy}
	all := []affine{{}, g, g.plus(g), g.plus(g).plus(g)}
	all = append(all, affine{new(big.Int), new(big.Int).ModSqrt(curve.B, curve.P)})
	for range 3 {
		p := g
		for range 40 {
			if p = p.plus(p); r.IntN(2) == 1 {
				p = p.plus(g)
			}
		}
		all = append(all, p)
	}
	for _, p := range all[1:] {
		all = append(all, p.minus())
	}
	return all
}

func TestAddAndDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lambda := func() *big.Int {
		if r.IntN(4) == 0 {
			return big.NewInt(1)
		}
		v := new(big.Int)
		for range 4 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		return v.Mod(v, new(big.Int).Sub(curve.P, big.NewInt(1))).Add(v, big.NewInt(1))
	}
	var w Workspace
	all := samples(t)
	for _, a := range all {
		pa := project(t, a, lambda())
		var r projective
		w.double(&r, &pa)
		check(t, fmt.Sprintf("2·%v", a), r, a.plus(a))
		r = pa
		w.double(&r, &r)
		check(t, fmt.Sprintf("2·%v in place", a), r, a.plus(a))
		r = pa
		w.add(&r, &r, &pa)
		check(t, fmt.Sprintf("%v to itself in place", a), r, a.plus(a))

		for _, c := range all {
			pc := project(t, c, lambda())
			what := fmt.Sprintf("%v + %v", a, c)
			want := a.plus(c)
			w.add(&r, &pa, &pc)
			check(t, what, r, want)
			r = pa
			w.add(&r, &r, &pc)
			check(t, what+" in place of the first", r, want)
			r = pc
			w.add(&r, &pa, &r)
			check(t, what+" in place of the second", r, want)
		}
	}
}

func TestConstants(t *testing.T) {
	if one != montgomery(t, big.NewInt(1)) {
		t.Error("one is wrong")
	}
	if b != montgomery(t, curve.B) {
		t.Error("b is wrong")
	}
	if generator != (affine{curve.Gx, curve.Gy}).bytes() {
		t.Error("generator is wrong")
	}
	integer := func(e element) *big.Int {
		var buf [32]byte
		p256.ToBytes(&buf, &e)
		return new(big.Int).SetBytes(buf[:])
	}
	if v := integer(pMinus2); v.Add(v, big.NewInt(2)).Cmp(curve.P) != 0 {
		t.Error("pMinus2 is wrong")
	}
	if v := integer(pPlus1Over4); v.Lsh(v, 2).Sub(v, big.NewInt(1)).Cmp(curve.P) != 0 {
		t.Error("pPlus1Over4 is wrong")
	}
}

// scalars returns the edges of the range of valid scalars, every digit in every position, and some random ones.
func scalars() [][32]byte {
	var all [][32]byte
	put := func(v *big.Int) {
		var s [32]byte
		if v.Sign() > 0 && v.Cmp(curve.N) < 0 {
			all = append(all, [32]byte(v.FillBytes(s[:])))
		}
	}
	for i := range int64(20) {
		put(big.NewInt(i))
		put(new(big.Int).Sub(curve.N, big.NewInt(i)))
	}
	positions := 64
	if testing.Short() {
		positions = 4
	}
	for i := range positions {
		for d := range int64(16) {
			put(new(big.Int).Lsh(big.NewInt(d), uint(4*i)))
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		v := new(big.Int)
		for range 4 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		put(v)
	}
	return all
}

func TestMultiples(t *testing.T) {
	peer, err := ecdh.P256().NewPrivateKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scalars() {
		key, err := ecdh.P256().NewPrivateKey(s[:])
		if err != nil {
			t.Fatal(err)
		}
		w := &Workspace{Scalar: s}
		if ok := w.PublicKey(); ok != 1 || !bytes.Equal(w.Point[:], key.PublicKey().Bytes()[1:]) {
			t.Errorf("[%x]G = %x (%d), want %x", s, w.Point, ok, key.PublicKey().Bytes()[1:])
		}
		secret, err := key.ECDH(peer.PublicKey())
		if err != nil {
			t.Fatal(err)
		}
		w = &Workspace{Scalar: s, Point: [64]byte(peer.PublicKey().Bytes()[1:])}
		if ok := w.SharedSecret(); ok != 1 || !bytes.Equal(w.X[:], secret) {
			t.Errorf("scalar %x: secret %x (%d), want %x", s, w.X, ok, secret)
		}
	}
}

func TestBadScalars(t *testing.T) {
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	for _, v := range []*big.Int{
		new(big.Int), curve.N, new(big.Int).Add(curve.N, big.NewInt(1)), curve.P, new(big.Int).Sub(top, big.NewInt(1)),
	} {
		w := &Workspace{}
		v.FillBytes(w.Scalar[:])
		if ok := w.PublicKey(); ok != 0 || w.Point != [64]byte{} {
			t.Errorf("scalar %x: PublicKey gives %x (%d)", v, w.Point, ok)
		}
		w.Point, w.X = generator, [32]byte{1}
		if ok := w.SharedSecret(); ok != 0 || w.X != [32]byte{} || w.Point != [64]byte{} {
			t.Errorf("scalar %x: SharedSecret gives %x, %x (%d)", v, w.X, w.Point, ok)
		}
	}
}

func TestBadPoints(t *testing.T) {
	max := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	sqrtB := new(big.Int).ModSqrt(curve.B, curve.P)
	for _, p := range []affine{
		{new(big.Int), new(big.Int)},
		{curve.Gx, new(big.Int)},
		{curve.Gx, curve.Gx},
		{curve.Gy, curve.Gx},
		{curve.Gx, new(big.Int).Add(curve.Gy, big.NewInt(1))},
		{curve.P, sqrtB}, // x ≡ 0, but not less than p
		{max, sqrtB},
		{max, max},
		{new(big.Int), new(big.Int).Add(sqrtB, big.NewInt(1))},
	} {
		w := &Workspace{Point: p.bytes()}
		if ok := w.Validate(); ok != 0 || w.Point != [64]byte{} {
			t.Errorf("Validate accepts %v", p)
		}
		w = &Workspace{Scalar: [32]byte{31: 1}, Point: p.bytes(), X: [32]byte{1}}
		if ok := w.SharedSecret(); ok != 0 || w.X != [32]byte{} || w.Point != [64]byte{} {
			t.Errorf("SharedSecret accepts %v", p)
		}
	}
	for _, p := range samples(t)[1:] {
		w := &Workspace{Point: p.bytes()}
		if ok := w.Validate(); ok != 1 || w.Point != p.bytes() {
			t.Errorf("Validate rejects %v", p)
		}
	}
}

func TestDecompress(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	xs := []*big.Int{new(big.Int), curve.Gx, curve.P, new(big.Int).Add(curve.P, big.NewInt(5))}
	for i := range int64(20) {
		xs = append(xs, big.NewInt(i), new(big.Int).Sub(curve.P, big.NewInt(i+1)))
		v := new(big.Int)
		for range 4 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		xs = append(xs, v)
	}
	found := 0
	for _, x := range xs {
		square := new(big.Int).Mul(x, x)
		square.Sub(square, big.NewInt(3)).Mul(square, x).Add(square, curve.B).Mod(square, curve.P)
		root := new(big.Int).ModSqrt(square, curve.P)
		for odd := range uint(2) {
			var want [64]byte
			if root != nil && x.Cmp(curve.P) < 0 {
				y := root
				if y.Bit(0) != odd {
					y = new(big.Int).Sub(curve.P, root)
				}
				want = affine{x, y}.bytes()
				found++
			}
			w := &Workspace{Point: [64]byte{1}}
			x.FillBytes(w.X[:])
			ok := w.Decompress(uint64(odd))
			if w.Point != want || (ok == 1) != (want != [64]byte{}) {
				t.Errorf("x = %x, odd = %d: %x (%d), want %x", x, odd, w.Point, ok, want)
			}
		}
	}
	if found < 20 || found > 2*len(xs)-20 {
		t.Errorf("%d of %d compressed points exist: not much of a test", found, 2*len(xs))
	}
}

func BenchmarkPublicKey(b *testing.B) {
	w := &Workspace{}
	for b.Loop() {
		w.Scalar = [32]byte(bytes.Repeat([]byte{7}, 32))
		w.PublicKey()
	}
}
