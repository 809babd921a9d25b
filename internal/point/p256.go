//go:build amd64 || arm64

package point

// Where arguments of internal/asm/p256 overlap here, they are the same, and in one of these patterns: the result and the
// first input, the result and the second, or all three (Add only).
import "verum.example/internal/asm/p256"

// Workspace holds the arguments and results of one operation and everything secret that is computed on the way: the
// code keeps no secret in variables of its own, beyond registers. The caller provides it zeroed, wipes it
// (internal/call), and copies results out in between.
//
// Each method returns 1 on success. On failure it returns 0 and its result is all zeros.
//
// Not yet proved: see the package comment.
type Workspace struct {
	Scalar [32]byte // integer, big-endian
	Point  [64]byte // affine coordinates x ‖ y, each big-endian
	X      [32]byte // one x-coordinate, big-endian

	k     element
	base  projective // the point to multiply
	acc   projective
	pick  projective
	table [16 * 12]uint64 // multiples 0 to 15 of base
	digit [1]uint64
	mask  [1]uint64
	u, v  element
	t     [8]element
}

// element is an integer modulo p, little-endian words, fully reduced, in the Montgomery domain (times 2²⁵⁶) unless a
// comment says otherwise.
type element = [4]uint64

// projective is a point (X : Y : Z), which stands for the affine point (X/Z, Y/Z), or for infinity if Z = 0; the
// coordinates follow each other. (0 : 0 : 0) never occurs.
type projective = [12]uint64

func coordinates(p *projective) (x, y, z *element) {
	return (*element)(p[0:4]), (*element)(p[4:8]), (*element)(p[8:12])
}

// Constants of P-256 (SP 800-186, section 3.2.1.3). The functions of internal/asm/p256 do not write to their inputs.
var (
	one = element{0x0000000000000001, 0xffffffff00000000, 0xffffffffffffffff, 0x00000000fffffffe}
	b   = element{0xd89cdf6229c4bddf, 0xacf005cd78843090, 0xe5a220abf7212ed6, 0xdc30061d04874834}

	// The two exponents are not in the Montgomery domain.
	pMinus2     = element{0xfffffffffffffffd, 0x00000000ffffffff, 0x0000000000000000, 0xffffffff00000001}
	pPlus1Over4 = element{0x0000000000000000, 0x0000000040000000, 0x4000000000000000, 0x3fffffffc0000000}

	generator = [64]byte{
		0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
		0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
		0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16,
		0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
	}
)

// PublicKey sets Point = [Scalar]G (SEC 1 version 2, section 3.2.1). It fails unless 0 < Scalar < n.
//
// Not yet proved: see the package comment.
func (w *Workspace) PublicKey() (ok uint64) {
	w.Point = generator
	w.loadPoint()
	w.multiply()
	return w.storePoint()
}

// SharedSecret sets X to the x-coordinate of [Scalar]Point (SEC 1 version 2, section 3.3.1). It fails unless
// 0 < Scalar < n and Point is a point of the curve. It overwrites Point.
//
// Not yet proved: see the package comment.
func (w *Workspace) SharedSecret() (ok uint64) {
	w.X = [32]byte{}
	if w.loadPoint() == 0 {
		w.Point = [64]byte{}
		return 0
	}
	w.multiply()
	ok = w.storePoint()
	copy(w.X[:], w.Point[:32])
	return ok
}

// Validate succeeds if both coordinates of Point, which is public, are less than p and satisfy the curve equation
// (SEC 1 version 2, section 3.2.2.1; the cofactor is 1). It sets Point to zeros otherwise.
//
// Not yet proved: see the package comment.
func (w *Workspace) Validate() (ok uint64) {
	if ok = w.loadPoint(); ok == 0 {
		w.Point = [64]byte{}
	}
	return ok
}

// Decompress sets Point to the point with the x-coordinate X, which is public, and a y-coordinate that is odd if odd
// is 1, even if odd is 0 (SEC 1 version 2, section 2.3.4, step 2.4). It fails unless X is less than p and there is such
// a point.
//
// Not yet proved: see the package comment.
func (w *Workspace) Decompress(odd uint64) (ok uint64) {
	w.Point = [64]byte{}
	x, y, _ := coordinates(&w.base)
	if p256.FromBytes(x, &w.X) == 0 {
		return 0
	}
	p256.ToMont(x, x)
	w.curvePolynomial(&w.u, x)
	// As p ≡ 3 (mod 4), u^((p+1)/4) is a square root of u if u has one.
	w.power(y, &w.u, &pPlus1Over4)
	p256.Sqr(&w.v, y)
	p256.Sub(&w.v, &w.v, &w.u)
	if nonzero(&w.v) == 1 {
		return 0
	}
	// No point has y = 0, as the order of the curve is odd: the two roots have different parities.
	p256.FromMont(y, y)
	w.mask[0] = -(y[0]&1 ^ odd&1)
	p256.CNeg(y, y, &w.mask)
	copy(w.Point[:32], w.X[:])
	p256.ToBytes((*[32]byte)(w.Point[32:]), y)
	return 1
}

// loadPoint sets base to Point, and returns 1 if it is a point of the curve.
func (w *Workspace) loadPoint() (ok uint64) {
	x, y, z := coordinates(&w.base)
	ok = p256.FromBytes(x, (*[32]byte)(w.Point[:32]))
	ok &= p256.FromBytes(y, (*[32]byte)(w.Point[32:]))
	p256.ToMont(x, x)
	p256.ToMont(y, y)
	*z = one
	w.curvePolynomial(&w.u, x)
	p256.Sqr(&w.v, y)
	p256.Sub(&w.v, &w.v, &w.u)
	return ok & (nonzero(&w.v) ^ 1)
}

// storePoint sets Point to the affine coordinates of acc and returns 1, or, at infinity, to zeros and returns 0.
func (w *Workspace) storePoint() (ok uint64) {
	x, y, z := coordinates(&w.acc)
	w.power(&w.u, z, &pMinus2) // Fermat: 1/z, or 0 if z = 0
	p256.Mul(&w.v, x, &w.u)
	p256.FromMont(&w.v, &w.v)
	p256.ToBytes((*[32]byte)(w.Point[:32]), &w.v)
	p256.Mul(&w.v, y, &w.u)
	p256.FromMont(&w.v, &w.v)
	p256.ToBytes((*[32]byte)(w.Point[32:]), &w.v)
	return nonzero(z)
}

// multiply sets acc = [Scalar]base, or to infinity unless Scalar < n.
//
// It takes the scalar four bits at a time, most significant first: 16 multiples in a table, then for each digit four
// doublings and an addition. The formulas are complete, so no digit and no multiple is special.
func (w *Workspace) multiply() {
	p256.OrdFromBytes(&w.k, &w.Scalar) // 0 if out of range

	_, y, _ := coordinates(w.multiple(0))
	*y = one // (0 : 1 : 0)
	*w.multiple(1) = w.base
	for i := 2; i < 16; i += 2 {
		w.double(w.multiple(i), w.multiple(i/2))
		w.add(w.multiple(i+1), w.multiple(i), &w.base)
	}

	w.setDigit(63)
	p256.Select(&w.acc, &w.table, &w.digit)
	for i := 62; i >= 0; i-- {
		for range 4 {
			w.double(&w.acc, &w.acc)
		}
		w.setDigit(i)
		p256.Select(&w.pick, &w.table, &w.digit)
		w.add(&w.acc, &w.acc, &w.pick)
	}
}

func (w *Workspace) multiple(i int) *projective {
	return (*projective)(w.table[12*i:])
}

// setDigit sets digit to the i-th base-16 digit of k.
func (w *Workspace) setDigit(i int) {
	w.digit[0] = w.k[i/16] >> (4 * (i % 16)) & 15
}

// curvePolynomial sets r = x³ − 3x + b. r is not x.
func (w *Workspace) curvePolynomial(r, x *element) {
	p256.Sqr(r, x)
	p256.Mul(r, r, x)
	p256.Sub(r, r, x)
	p256.Sub(r, r, x)
	p256.Sub(r, r, x)
	p256.Add(r, r, &b)
}

// power sets r = aᵉ by squaring and multiplying. e, not in the Montgomery domain, is a public constant. r is not a.
func (w *Workspace) power(r, a, e *element) {
	*r = one
	for i := 255; i >= 0; i-- {
		p256.Sqr(r, r)
		if e[i/64]>>(i%64)&1 == 1 {
			p256.Mul(r, r, a)
		}
	}
}

// twice sets r = 2a. r may be a.
func twice(r, a *element) {
	*r = *a
	p256.Add(r, r, r)
}

// nonzero returns 1 if a ≠ 0, else 0.
func nonzero(a *element) uint64 {
	v := a[0] | a[1] | a[2] | a[3]
	return (v | -v) >> 63
}

// add sets r = p + q, for any two points, by Algorithm 4 of Renes, Costello and Batina, "Complete addition formulas
// for prime order elliptic curves" (https://eprint.iacr.org/2015/1060). r may be p or q. p and q may be the same point
// but not the same variable: the contracts of internal/asm/p256 do not let two inputs overlap.
func (w *Workspace) add(r, p, q *projective) {
	x1, y1, z1 := coordinates(p)
	x2, y2, z2 := coordinates(q)
	t0, t1, t2, t3, t4 := &w.t[0], &w.t[1], &w.t[2], &w.t[3], &w.t[4]
	x3, y3, z3 := &w.t[5], &w.t[6], &w.t[7]

	p256.Mul(t0, x1, x2)
	p256.Mul(t1, y1, y2)
	p256.Mul(t2, z1, z2)

	// t3 = x₁y₂ + x₂y₁, t4 = y₁z₂ + y₂z₁, y3 = x₁z₂ + x₂z₁
	p256.Add(t3, x1, y1)
	p256.Add(t4, x2, y2)
	p256.Mul(t3, t3, t4)
	p256.Add(t4, t0, t1)
	p256.Sub(t3, t3, t4)
	p256.Add(t4, y1, z1)
	p256.Add(x3, y2, z2)
	p256.Mul(t4, t4, x3)
	p256.Add(x3, t1, t2)
	p256.Sub(t4, t4, x3)
	p256.Add(x3, x1, z1)
	p256.Add(y3, x2, z2)
	p256.Mul(x3, x3, y3)
	p256.Add(y3, t0, t2)
	p256.Sub(y3, x3, y3)

	// x3, z3 = t1 ± 3(y3 − b·t2)
	p256.Mul(z3, &b, t2)
	p256.Sub(x3, y3, z3)
	twice(z3, x3)
	p256.Add(x3, x3, z3)
	p256.Sub(z3, t1, x3)
	p256.Add(x3, t1, x3)

	// y3 = 3(b·y3 − 3·t2 − t0)
	p256.Mul(y3, &b, y3)
	twice(t1, t2)
	p256.Add(t2, t1, t2)
	p256.Sub(y3, y3, t2)
	p256.Sub(y3, y3, t0)
	twice(t1, y3)
	p256.Add(y3, t1, y3)

	// t0 = 3(t0 − t2)
	twice(t1, t0)
	p256.Add(t0, t1, t0)
	p256.Sub(t0, t0, t2)

	p256.Mul(t1, t4, y3)
	p256.Mul(t2, t0, y3)
	p256.Mul(y3, x3, z3)
	p256.Add(y3, y3, t2)
	p256.Mul(x3, t3, x3)
	p256.Sub(x3, x3, t1)
	p256.Mul(z3, t4, z3)
	p256.Mul(t1, t3, t0)
	p256.Add(z3, z3, t1)

	x, y, z := coordinates(r)
	*x, *y, *z = *x3, *y3, *z3
}

// double sets r = 2p, for any point, by Algorithm 6 of the same paper. r may be p.
func (w *Workspace) double(r, p *projective) {
	x, y, z := coordinates(p)
	t0, t1, t2, t3 := &w.t[0], &w.t[1], &w.t[2], &w.t[3]
	x3, y3, z3 := &w.t[5], &w.t[6], &w.t[7]

	p256.Sqr(t0, x)
	p256.Sqr(t1, y)
	p256.Sqr(t2, z)

	// t3 = 2xy, z3 = 2xz
	p256.Mul(t3, x, y)
	twice(t3, t3)
	p256.Mul(z3, x, z)
	twice(z3, z3)

	// x3, y3 = t1 ∓ 3(b·t2 − z3)
	p256.Mul(y3, &b, t2)
	p256.Sub(y3, y3, z3)
	twice(x3, y3)
	p256.Add(y3, x3, y3)
	p256.Sub(x3, t1, y3)
	p256.Add(y3, t1, y3)
	p256.Mul(y3, x3, y3)
	p256.Mul(x3, x3, t3)

	// z3 = 3(b·z3 − 3·t2 − t0), t0 = 3(t0 − t2)
	twice(t3, t2)
	p256.Add(t2, t2, t3)
	p256.Mul(z3, &b, z3)
	p256.Sub(z3, z3, t2)
	p256.Sub(z3, z3, t0)
	twice(t3, z3)
	p256.Add(z3, z3, t3)
	twice(t3, t0)
	p256.Add(t0, t3, t0)
	p256.Sub(t0, t0, t2)
	p256.Mul(t0, t0, z3)
	p256.Add(y3, y3, t0)

	// t0 = 2yz
	p256.Mul(t0, y, z)
	twice(t0, t0)
	p256.Mul(z3, t0, z3)
	p256.Sub(x3, x3, z3)
	p256.Mul(z3, t0, t1)
	twice(z3, z3)
	twice(z3, z3)

	rx, ry, rz := coordinates(r)
	*rx, *ry, *rz = *x3, *y3, *z3
}
