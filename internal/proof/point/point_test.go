package point

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// check compares a theorem with what it should be, true among the hypotheses being none.
func check(t *testing.T, name string, th Theorem, want Term, hyps ...Term) {
	t.Helper()
	hyps = slices.DeleteFunc(slices.Clone(hyps), func(h Term) bool { return h == logic.True() })
	slices.SortFunc(hyps, logic.Compare)
	hyps = slices.Compact(hyps)
	if th.Concl() != want || !slices.Equal(th.Hyps(), hyps) || len(th.Axioms()) != 0 {
		t.Errorf("%s: %v, want %v ⊢ %v", name, th, hyps, want)
	}
}

func mul(ts ...Term) Term   { return logic.Mul(ts...) }
func add(ts ...Term) Term   { return logic.Add(ts...) }
func sub(a, b Term) Term    { return logic.Sub(a, b) }
func num(v int64) Term      { return logic.N(v) }
func free(name string) Term { return logic.Var(name, logic.Int()) }

func frees(names string) (ts []Term) {
	for _, n := range strings.Fields(names) {
		ts = append(ts, free(n))
	}
	return ts
}

// TestStatements compares all theorems, for all curves, with what their comments say. The terms are variables, among
// them the lemmas' own in other places, and polynomials.
func TestStatements(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		t.Run(c.Name(), func(t *testing.T) {
			f := For(c)
			if f != For(c) {
				t.Error("For doesn't keep what it makes")
			}
			for _, ts := range [][]Term{
				frees("a b c d e g k l n o q"),
				{y, z, x, v, u, x2, z2, y2, h, r, m},
				{mul(x, y), add(z, num(5)), logic.Uint(logic.Var("w", logic.BV(64))), u, mul(u, u),
					num(7), z, add(x, y), x2, z3, num(-1)},
			} {
				statements(t, c, f, ts)
				memStatements(t, c, f, ts)
			}
		})
	}
}

func statements(t *testing.T, curve weierstrass.Curve, f *Formulas, ts []Term) {
	p := curve.P()
	a, b, c, d, e, g := ts[0], ts[1], ts[2], ts[3], ts[4], ts[5]
	cong := func(l, r Term) Term { return logic.Cong(l, r, p) }
	none := func(x Term) Term { return cong(x, num(0)) }
	some := func(x Term) Term { return logic.Not(none(x)) }
	ge := func(x Term) Term { return logic.Le(num(0), x) }
	lt := func(x Term) Term { return logic.Lt(x, p) }
	P, Q := Jac(curve, a, b, c), Jac(curve, d, e, g)
	eq, and := logic.Eq, logic.And
	on := func(P Term) Term { return weierstrass.OnCurve(p, curve.A(), curve.B(), P) }
	neg := func(P Term) Term { return weierstrass.Neg(p, P) }
	sum := func(P, Q Term) Term { return weierstrass.Add(p, curve.A(), P, Q) }
	X, Y := weierstrass.X, weierstrass.Y

	check(t, "Infinite", f.Infinite(a, b, c), eq(P, weierstrass.Infinity()), none(c))
	check(t, "IsInfinity", f.IsInfinity(a, b, c), eq(weierstrass.IsInfinity(P), none(c)))
	i := weierstrass.Inv(p, c)
	check(t, "Coordinates", f.Coordinates(a, b, c),
		eq(P, weierstrass.Affine(logic.Mod(mul(a, i, i), p), logic.Mod(mul(b, i, i, i), p))), some(c))
	check(t, "X", f.X(a, b, c), cong(mul(X(P), c, c), a), some(c))
	check(t, "Y", f.Y(a, b, c), cong(mul(Y(P), c, c, c), b), some(c))
	check(t, "Range", f.Range(a, b, c), and(ge(X(P)), lt(X(P)), ge(Y(P)), lt(Y(P))))
	check(t, "Unique", f.Unique(a, b, c, d, e), eq(P, weierstrass.Affine(d, e)),
		some(c), ge(d), lt(d), ge(e), lt(e), cong(mul(d, c, c), a), cong(mul(e, c, c, c), b))
	check(t, "One", f.One(a, b), eq(Jac(curve, a, b, num(1)), weierstrass.Affine(a, b)), ge(a), lt(a), ge(b), lt(b))
	check(t, "Congruent", f.Congruent(a, b, c, d, e, g), eq(P, Q), cong(a, d), cong(b, e), cong(c, g))
	check(t, "Scale", f.Scale(a, b, c, d), eq(Jac(curve, mul(a, d, d), mul(b, d, d, d), mul(c, d)), P), some(d))
	check(t, "Neg", f.Neg(a, b, c, d), eq(Jac(curve, a, d, c), neg(P)), cong(d, logic.Neg(b)))
	check(t, "Neg", f.Neg(a, b, c, logic.Neg(b)), eq(Jac(curve, a, logic.Neg(b), c), neg(P)))
	sign := logic.Var("sign", logic.Bool())
	flip := logic.Ite(sign, logic.Neg(b), b)
	check(t, "NegSelect", f.NegSelect(a, b, c, flip, sign), eq(Jac(curve, a, flip, c), logic.Ite(sign, neg(P), P)))
	check(t, "NegSelect", f.NegSelect(a, b, c, d, sign),
		eq(Jac(curve, a, d, c), logic.Ite(sign, neg(P), P)), cong(d, flip))
	check(t, "XCongruent", f.XCongruent(a, b, c, d), eq(cong(X(P), d), cong(mul(d, c, c), a)), some(c))
	check(t, "XEqual", f.XEqual(a, b, c, d), eq(eq(X(P), d), cong(mul(d, c, c), a)), some(c), ge(d), lt(d))
	check(t, "OnCurve", f.OnCurve(a, b, c), eq(on(P), cong(mul(b, b),
		add(mul(a, a, a), mul(curve.A(), a, c, c, c, c), mul(curve.B(), c, c, c, c, c, c)))), some(c))

	A, both := Aff(curve, a, b), and(none(a), none(b))
	check(t, "AffIsInfinity", f.AffIsInfinity(a, b), eq(weierstrass.IsInfinity(A), both))
	check(t, "AffOne", f.AffOne(a, b), eq(A, Jac(curve, a, b, num(1))), logic.Not(both))
	check(t, "AffCongruent", f.AffCongruent(a, b, d, e), eq(A, Aff(curve, d, e)), cong(a, d), cong(b, e))
	check(t, "AffNeg", f.AffNeg(a, b, d), eq(Aff(curve, a, d), neg(A)), cong(d, logic.Neg(b)))
	check(t, "AffNegSelect", f.AffNegSelect(a, b, d, sign),
		eq(Aff(curve, a, d), logic.Ite(sign, neg(A), A)), cong(d, flip))

	k, l, m, n := ts[6], ts[7], ts[8], ts[9]
	D := []Term{
		cong(k, sub(mul(d, d), mul(num(2), a, b, b))),
		cong(l, sub(mul(d, sub(mul(a, b, b), k)), mul(b, b, b, b))), cong(m, mul(b, c)),
	}
	R := Jac(curve, k, l, m)
	check(t, "Double", f.Double(a, b, c, d, k, l, m), eq(R, sum(P, P)),
		append(D, cong(mul(num(2), d), add(mul(num(3), a, a), mul(curve.A(), c, c, c, c))))...)
	double3 := func() {
		check(t, "DoubleMinus3", f.DoubleMinus3(a, b, c, d, k, l, m), eq(R, sum(P, P)),
			append(D, cong(mul(num(2), d), mul(num(3), sub(a, mul(c, c)), add(a, mul(c, c)))))...)
	}
	if curve.A() == sub(p, num(3)) {
		double3()
	} else if auto.Run(double3) == nil {
		t.Error("DoubleMinus3 for a ≠ −3")
	}

	U, V, H, T := n, ts[10], free("H"), free("T")
	H2, H3 := mul(H, H), mul(H, H, H)
	check(t, "Add", f.Add(a, b, c, d, e, g, AddTerms{U, V, H, T, k, l, m}), eq(R, sum(P, Q)),
		cong(U, mul(a, g, g)), cong(V, mul(b, g, g, g)), cong(H, sub(mul(d, c, c), U)),
		cong(T, sub(mul(e, c, c, c), V)), cong(k, sub(sub(mul(T, T), H3), mul(num(2), U, H2))),
		cong(l, sub(mul(T, sub(mul(U, H2), k)), mul(V, H3))),
		cong(m, mul(c, g, H)), some(c), some(g), on(P), on(Q), logic.Not(eq(P, Q)))
	B := Aff(curve, d, e)
	check(t, "AddAffine", f.AddAffine(a, b, c, d, e, AddTerms{H: H, R: T, X: k, Y: l, Z: m}), eq(R, sum(P, B)),
		cong(H, sub(mul(d, c, c), a)), cong(T, sub(mul(e, c, c, c), b)),
		cong(k, sub(sub(mul(T, T), H3), mul(num(2), a, H2))), cong(l, sub(mul(T, sub(mul(a, H2), k)), mul(b, H3))),
		cong(m, mul(c, H)), some(c), logic.Not(and(none(d), none(e))), on(P), on(B), logic.Not(eq(P, B)))
}

func memStatements(t *testing.T, curve weierstrass.Curve, f *Formulas, ts []Term) {
	p := curve.P()
	prime, _ := p.Const()
	size := 1
	for auto.Pow2(64*size).Cmp(prime) < 0 {
		size++
	}
	R := logic.Pow2(64 * size)
	Ri := logic.IntConst(new(big.Int).ModInverse(auto.Pow2(64*size), prime))
	if f.R() != R || f.Ri() != Ri {
		t.Fatalf("R = %v, Ri = %v", f.R(), f.Ri())
	}
	cong := func(l, r Term) Term { return logic.Cong(l, r, p) }
	product := func(c Term, as ...Term) Term { return cong(mul(R, c), mul(as...)) }
	none := func(x Term) Term { return cong(mul(Ri, x), num(0)) }
	some := func(x Term) Term { return logic.Not(none(x)) }
	eq, and := logic.Eq, logic.And
	on := func(P Term) Term { return weierstrass.OnCurve(p, curve.A(), curve.B(), P) }
	neg := func(P Term) Term { return weierstrass.Neg(p, P) }
	sum := func(P, Q Term) Term { return weierstrass.Add(p, curve.A(), P, Q) }

	X, Y, Z, a, b, c := ts[0], ts[1], ts[2], ts[3], ts[4], ts[5]
	check(t, "Product", f.Product(a, b, c), cong(mul(Ri, a), mul(Ri, b, Ri, c)), product(a, b, c))
	check(t, "Scaled", f.Scaled(a, b), cong(mul(Ri, a), mul(Ri, b)), cong(a, b))
	check(t, "Unscaled", f.Unscaled(a, b), cong(a, b), cong(mul(Ri, a), mul(Ri, b)))
	check(t, "MemIsZero", f.MemIsZero(a), eq(none(a), eq(a, num(0))), logic.Le(num(0), a), logic.Lt(a, p))
	P, Q, A := Mem(curve, X, Y, Z), Mem(curve, a, b, c), MemAff(curve, X, Y)
	if P != Jac(curve, mul(Ri, X), mul(Ri, Y), mul(Ri, Z)) || A != Aff(curve, mul(Ri, X), mul(Ri, Y)) {
		t.Errorf("Mem: %v, %v", P, A)
	}
	check(t, "MemCongruent", f.MemCongruent(X, Y, Z, a, b, c), eq(P, Q), cong(X, a), cong(Y, b), cong(Z, c))
	check(t, "MemNeg", f.MemNeg(X, Y, Z, a), eq(Mem(curve, X, a, Z), neg(P)), cong(a, logic.Neg(Y)))
	sign := logic.Var("sign", logic.Bool())
	flip := logic.Ite(sign, logic.Neg(Y), Y)
	check(t, "MemNegSelect", f.MemNegSelect(X, Y, Z, a, sign),
		eq(Mem(curve, X, a, Z), logic.Ite(sign, neg(P), P)), cong(a, flip))
	check(t, "MemAffCongruent", f.MemAffCongruent(X, Y, a, b), eq(A, MemAff(curve, a, b)), cong(X, a), cong(Y, b))
	check(t, "MemAffNeg", f.MemAffNeg(X, Y, a), eq(MemAff(curve, X, a), neg(A)), cong(a, logic.Neg(Y)))
	check(t, "MemAffNegSelect", f.MemAffNegSelect(X, Y, a, sign),
		eq(MemAff(curve, X, a), logic.Ite(sign, neg(A), A)), cong(a, flip))
	check(t, "MemXCongruent", f.MemXCongruent(X, Y, Z, a, b), eq(cong(weierstrass.X(P), b), cong(mul(b, a), X)),
		some(Z), product(a, Z, Z))
	check(t, "MemOnCurve", f.MemOnCurve(X, Y, Z, a, b, c), eq(on(P),
		cong(mul(R, R, a), add(mul(X, X, X), mul(curve.A(), X, R, c), mul(curve.B(), R, b, c)))),
		some(Z), product(b, Z, Z), product(a, Y, Y), product(c, b, b))

	X3, Y3, Z3, ZZ, YY, S, M := ts[6], ts[7], ts[8], ts[9], ts[10], free("S"), free("M")
	D := []Term{
		product(ZZ, Z, Z), product(YY, Y, Y), product(S, X, YY), product(X3, sub(mul(M, M), mul(num(2), R, S))),
		product(Y3, sub(mul(M, sub(S, X3)), mul(YY, YY))), product(Z3, Y, Z),
	}
	terms := MemDoubleTerms{ZZ, YY, S, M, X3, Y3, Z3}
	N := Mem(curve, X3, Y3, Z3)
	check(t, "MemDouble", f.MemDouble(X, Y, Z, terms), eq(N, sum(P, P)),
		append(D, product(mul(num(2), M), add(mul(num(3), X, X), mul(curve.A(), ZZ, ZZ))))...)
	double3 := func() {
		check(t, "MemDoubleMinus3", f.MemDoubleMinus3(X, Y, Z, terms), eq(N, sum(P, P)),
			append(D, product(mul(num(2), M), mul(num(3), sub(X, ZZ), add(X, ZZ))))...)
	}
	if curve.A() == sub(p, num(3)) {
		double3()
	} else if auto.Run(double3) == nil {
		t.Error("MemDoubleMinus3 for a ≠ −3")
	}

	w := frees("ZZZ ZZ2 ZZZ2 U1 S1 U2 S2 H T HH HHH V Z1Z2")
	m := MemAddTerms{ZZ, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], X3, Y3, Z3}
	last := func(U1, S1, Z1Z2 Term) []Term {
		return []Term{
			product(m.ZZ, Z, Z), product(m.ZZZ, Z, m.ZZ), product(m.U2, a, m.ZZ), product(m.S2, b, m.ZZZ),
			cong(m.H, sub(m.U2, U1)), cong(m.T, sub(m.S2, S1)),
			product(m.HH, m.H, m.H), product(m.HHH, m.H, m.HH), product(m.V, U1, m.HH),
			product(X3, sub(sub(mul(m.T, m.T), mul(R, m.HHH)), mul(num(2), R, m.V))),
			product(Y3, sub(mul(m.T, sub(m.V, X3)), mul(S1, m.HHH))), product(Z3, Z1Z2, m.H), some(Z), on(P),
		}
	}
	check(t, "MemAdd", f.MemAdd(X, Y, Z, a, b, c, m), eq(N, sum(P, Q)), append(last(m.U1, m.S1, m.Z1Z2),
		product(m.ZZ2, c, c), product(m.ZZZ2, c, m.ZZ2), product(m.U1, X, m.ZZ2), product(m.S1, Y, m.ZZZ2),
		product(m.Z1Z2, Z, c), some(c), on(Q), logic.Not(eq(P, Q)))...)
	B := MemAff(curve, a, b)
	check(t, "MemAddAffine", f.MemAddAffine(X, Y, Z, a, b, m), eq(N, sum(P, B)), append(last(X, Y, Z),
		logic.Not(and(none(a), none(b))), on(B), logic.Not(eq(P, B)))...)
}

// ---- evaluation

// field computes modulo p with the coefficients of a curve, its inverses by the extended Euclidean algorithm.
type field struct{ p, a, b *big.Int }

// affinePoint is O for x = nil.
type affinePoint struct{ x, y *big.Int }

func (k field) mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, k.p) }

func (k field) mul(xs ...*big.Int) *big.Int {
	r := big.NewInt(1)
	for _, x := range xs {
		r = k.mod(r.Mul(r, x))
	}
	return r
}

func (k field) sub(x *big.Int, ys ...*big.Int) *big.Int {
	r := new(big.Int).Set(x)
	for _, y := range ys {
		r.Sub(r, y)
	}
	return k.mod(r)
}

func (k field) add(xs ...*big.Int) *big.Int {
	r := new(big.Int)
	for _, x := range xs {
		r.Add(r, x)
	}
	return k.mod(r)
}

func (k field) inv(x *big.Int) *big.Int { return new(big.Int).ModInverse(k.mod(x), k.p) }

func (k field) neg(P affinePoint) affinePoint {
	if P.x == nil {
		return P
	}
	return affinePoint{P.x, k.mod(new(big.Int).Neg(P.y))}
}

func (P affinePoint) equal(Q affinePoint) bool {
	if P.x == nil || Q.x == nil {
		return P.x == nil && Q.x == nil
	}
	return P.x.Cmp(Q.x) == 0 && P.y.Cmp(Q.y) == 0
}

func (P affinePoint) term() Term {
	if P.x == nil {
		return weierstrass.Infinity()
	}
	return weierstrass.Affine(logic.IntConst(P.x), logic.IntConst(P.y))
}

func (k field) sum(P, Q affinePoint) affinePoint {
	var l *big.Int
	switch {
	case P.x == nil:
		return Q
	case Q.x == nil:
		return P
	case P.equal(k.neg(Q)):
		return affinePoint{}
	case P.equal(Q):
		l = k.mul(k.add(k.mul(big.NewInt(3), P.x, P.x), k.a), k.inv(k.add(P.y, P.y)))
	default:
		l = k.mul(k.sub(Q.y, P.y), k.inv(k.sub(Q.x, P.x)))
	}
	x := k.sub(k.mul(l, l), P.x, Q.x)
	return affinePoint{x, k.sub(k.mul(l, k.sub(P.x, x)), P.y)}
}

// points lists O and the points of a small curve.
func (k field) points() []affinePoint {
	ps := []affinePoint{{}}
	for x := range k.p.Int64() {
		for y := range k.p.Int64() {
			X, Y := big.NewInt(x), big.NewInt(y)
			if k.mul(Y, Y).Cmp(k.add(k.mul(X, X, X), k.mul(k.a, X), k.b)) == 0 {
				ps = append(ps, affinePoint{X, Y})
			}
		}
	}
	return ps
}

// random has a fixed seed: the tests are the same each time.
var random = rand.New(rand.NewPCG(4, 7))

func (k field) random() *big.Int {
	r := new(big.Int)
	for range k.p.BitLen()/64 + 2 {
		r.Lsh(r, 64).Or(r, new(big.Int).SetUint64(random.Uint64()))
	}
	return k.mod(r)
}

// unreduced is a number congruent to x.
func (k field) unreduced(x *big.Int) *big.Int {
	return new(big.Int).Add(x, new(big.Int).Mul(k.p, big.NewInt(random.Int64N(5)-2)))
}

// jac are Jacobian coordinates of P, unreduced.
func (k field) jac(P affinePoint) (x, y, z *big.Int) {
	if P.x == nil {
		return k.random(), k.random(), k.unreduced(new(big.Int))
	}
	for {
		if z = k.random(); z.Sign() != 0 {
			return k.unreduced(k.mul(P.x, z, z)), k.unreduced(k.mul(P.y, z, z, z)), k.unreduced(z)
		}
	}
}

func holds(t *testing.T, c Term) bool {
	t.Helper()
	v, err := logic.Eval(c, nil, 1<<22)
	if err != nil {
		t.Fatal(err)
	}
	return v.Bool()
}

// wrong counts the hypotheses that are false; a theorem with true hypotheses must be true.
func wrong(t *testing.T, th Theorem) (n int) {
	t.Helper()
	for _, h := range th.Hyps() {
		if !holds(t, h) {
			n++
		}
	}
	if n == 0 && !holds(t, th.Concl()) {
		t.Errorf("false: %v", th)
	}
	return n
}

func is(t *testing.T, name string, got Term, want affinePoint) {
	t.Helper()
	if !holds(t, logic.Eq(got, want.term())) {
		t.Errorf("%s: %v is not %v", name, got, want.term())
	}
}

func consts(xs ...*big.Int) (ts []Term) {
	for _, x := range xs {
		ts = append(ts, logic.IntConst(x))
	}
	return ts
}

// evaluate evaluates the formulas for the sum of P and Q.
func evaluate(t *testing.T, k field, f *Formulas, P, Q affinePoint) {
	t.Helper()
	x, y, z := k.jac(P)
	x2, y2, z2 := k.jac(Q)
	c, c2 := consts(x, y, z), consts(x2, y2, z2)
	is(t, "Jac", f.Jac(c[0], c[1], c[2]), P)
	big2, big3 := big.NewInt(2), big.NewInt(3)

	// the double
	m := k.mul(k.add(k.mul(big3, x, x), k.mul(k.a, z, z, z, z)), k.inv(big2))
	s := k.mul(x, y, y)
	X := k.sub(k.mul(m, m), s, s)
	d := consts(k.unreduced(m), X, k.sub(k.mul(m, k.sub(s, X)), k.mul(y, y, y, y)), k.unreduced(k.mul(y, z)))
	is(t, "Double", f.Jac(d[1], d[2], d[3]), k.sum(P, P))
	if n := wrong(t, f.Double(c[0], c[1], c[2], d[0], d[1], d[2], d[3])); n != 0 {
		t.Errorf("Double of %v: %d hypotheses are false", P, n)
	}
	if k.add(k.a, big3).Sign() == 0 {
		if n := wrong(t, f.DoubleMinus3(c[0], c[1], c[2], d[0], d[1], d[2], d[3])); n != 0 {
			t.Errorf("DoubleMinus3 of %v: %d hypotheses are false", P, n)
		}
	}
	if n := wrong(t, f.Double(c[0], c[1], c[2], logic.Add(d[0], one), d[1], d[2], d[3])); n == 0 {
		t.Errorf("Double of %v: a false m is accepted", P)
	}

	// the sum, of Jacobian coordinates and with affine ones
	sum := func(x2, y2, z2 *big.Int) AddTerms {
		u, v := k.mul(x, z2, z2), k.mul(y, z2, z2, z2)
		h, r := k.sub(k.mul(x2, z, z), u), k.sub(k.mul(y2, z, z, z), v)
		uh := k.mul(u, h, h)
		X := k.sub(k.mul(r, r), k.mul(h, h, h), uh, uh)
		Y := k.sub(k.mul(r, k.sub(uh, X)), k.mul(v, h, h, h))
		e := consts(u, v, k.unreduced(h), k.unreduced(r), X, Y, k.mul(z, z2, h))
		return AddTerms{e[0], e[1], e[2], e[3], e[4], e[5], e[6]}
	}
	// what is refused: O, where a hypothesis has folded to false, and a sum of the same points
	refused := 0
	for _, b := range []bool{P.x == nil || Q.x == nil, P.equal(Q)} {
		if b {
			refused++
		}
	}
	e := sum(x2, y2, z2)
	if n := wrong(t, f.Add(c[0], c[1], c[2], c2[0], c2[1], c2[2], e)); n != refused {
		t.Errorf("Add of %v and %v: %d hypotheses are false, want %d", P, Q, n, refused)
	}
	if refused == 0 {
		is(t, "Add", f.Jac(e.X, e.Y, e.Z), k.sum(P, Q))
	}
	ax, ay := new(big.Int), new(big.Int)
	if Q.x != nil {
		ax, ay = Q.x, Q.y
	}
	if Q.x != nil && ax.Sign() == 0 && ay.Sign() == 0 {
		return // it would stand for O
	}
	q := consts(k.unreduced(ax), k.unreduced(ay))
	is(t, "Aff", f.Aff(q[0], q[1]), Q)
	e = sum(ax, ay, big.NewInt(1))
	if n := wrong(t, f.AddAffine(c[0], c[1], c[2], q[0], q[1], e)); n != refused {
		t.Errorf("AddAffine of %v and %v: %d hypotheses are false, want %d", P, Q, n, refused)
	}

	// one point
	w, flip := k.random(), logic.BoolConst(random.IntN(2) == 1)
	for _, th := range []Theorem{
		f.IsInfinity(c[0], c[1], c[2]), f.Range(c[0], c[1], c[2]), f.AffIsInfinity(q[0], q[1]),
		f.Congruent(c[0], c[1], c[2], logic.Add(c[0], f.p), logic.Sub(c[1], f.p), logic.Add(c[2], f.p)),
		f.Neg(c[0], c[1], c[2], logic.Sub(f.p, c[1])), f.AffNeg(q[0], q[1], logic.Sub(f.p, q[1])),
		f.NegSelect(c[0], c[1], c[2], logic.Ite(flip, logic.Neg(c[1]), c[1]), flip),
		f.AffNegSelect(q[0], q[1], logic.Ite(flip, logic.Neg(q[1]), q[1]), flip),
	} {
		if n := wrong(t, th); n != 0 {
			t.Errorf("%d hypotheses are false: %v", n, th)
		}
	}
	if n := wrong(t, f.Scale(c[0], c[1], c[2], logic.IntConst(w))); (n == 0) != (w.Sign() != 0) {
		t.Errorf("Scale by %v: %d hypotheses are false", w, n)
	}
	next, finite := k.add(z, big.NewInt(1)), 0
	if P.x == nil {
		finite = 1
	}
	for _, th := range []Theorem{
		f.Coordinates(c[0], c[1], c[2]), f.X(c[0], c[1], c[2]), f.Y(c[0], c[1], c[2]), f.OnCurve(c[0], c[1], c[2]),
		f.XCongruent(c[0], c[1], c[2], c2[0]), f.XCongruent(c[0], c[1], c[2], q[0]),
		f.XEqual(c[0], c[1], c[2], logic.IntConst(ax)),
	} {
		if n := wrong(t, th); n != finite {
			t.Errorf("%d hypotheses are false: %v", n, th)
		}
	}
	// a point that is off the curve, if it isn't O
	if n := wrong(t, f.OnCurve(c[0], c[1], logic.IntConst(next))); (n == 0) != (next.Sign() != 0) {
		t.Errorf("OnCurve: %d hypotheses are false", n)
	}
}

// TestEvaluatesSmall evaluates the formulas for all pairs of points of small curves, those with points of order 2 and
// with the point (0, 0) among them: the theorems are about the points that their comments mean.
func TestEvaluatesSmall(t *testing.T) {
	for _, k := range []field{
		{big.NewInt(5), big.NewInt(2), big.NewInt(1)}, {big.NewInt(7), big.NewInt(4), big.NewInt(0)},
		{big.NewInt(7), big.NewInt(0), big.NewInt(5)}, {big.NewInt(11), big.NewInt(8), big.NewInt(4)},
		{big.NewInt(13), big.NewInt(10), big.NewInt(1)}, {big.NewInt(13), big.NewInt(1), big.NewInt(0)},
	} {
		f := newFormulas(logic.IntConst(k.p), logic.IntConst(k.a), logic.IntConst(k.b))
		ps := k.points()
		for _, P := range ps {
			for _, Q := range ps {
				evaluate(t, k, f, P, Q)
			}
		}
	}
}

// TestEvaluates does so for some multiples of the base points of the curves of the specification.
func TestEvaluates(t *testing.T) {
	for _, c := range []weierstrass.Curve{weierstrass.P256(), weierstrass.P521(), weierstrass.Secp256k1()} {
		num := func(x Term) *big.Int { v, _ := x.Const(); return v }
		k, f := field{num(c.P()), num(c.A()), num(c.B())}, For(c)
		G := affinePoint{num(weierstrass.X(c.G())), num(weierstrass.Y(c.G()))}
		P := G
		for range 3 {
			for range 20 {
				P = k.sum(P, P)
			}
			for _, Q := range []affinePoint{G, k.neg(P), P, {}} {
				evaluate(t, k, f, P, Q)
			}
			evaluate(t, k, f, affinePoint{}, P)
			P = k.sum(P, G)
		}
	}
}

// TestMemEvaluates follows the steps of MemDouble, MemAdd and MemAddAffine with Montgomery products.
func TestMemEvaluates(t *testing.T) {
	c := weierstrass.P256()
	num := func(x Term) *big.Int { v, _ := x.Const(); return v }
	k, f := field{num(c.P()), num(c.A()), num(c.B())}, For(c)
	R, Ri := num(f.R()), num(f.Ri())
	G := affinePoint{num(weierstrass.X(c.G())), num(weierstrass.Y(c.G()))}
	enter := func(P affinePoint) (x, y, z *big.Int) {
		x, y, z = k.jac(P)
		return k.mul(R, x), k.mul(R, y), k.mul(R, z)
	}
	mm := func(a, b *big.Int) *big.Int { return k.mul(a, b, Ri) }
	n := func(x *big.Int) Term { return logic.IntConst(x) }
	D := k.sum(G, G)
	for _, tt := range []struct {
		P, Q    affinePoint
		refused int
	}{{G, D, 0}, {k.sum(D, G), D, 0}, {D, k.neg(D), 0}, {D, D, 1}, {D, affinePoint{}, 1}, {affinePoint{}, G, 1}} {
		X, Y, Z := enter(tt.P)
		is(t, "Mem", f.Mem(n(X), n(Y), n(Z)), tt.P)
		ZZ, YY := mm(Z, Z), mm(Y, Y)
		S := mm(X, YY)
		h := mm(k.sub(X, ZZ), k.add(X, ZZ))
		M := k.add(h, k.mul(h, k.inv(big.NewInt(2))))
		X3 := k.sub(mm(M, M), S, S)
		d := MemDoubleTerms{n(ZZ), n(YY), n(S), n(M), n(X3), n(k.sub(mm(M, k.sub(S, X3)), mm(YY, YY))), n(mm(Y, Z))}
		for _, th := range []Theorem{f.MemDouble(n(X), n(Y), n(Z), d), f.MemDoubleMinus3(n(X), n(Y), n(Z), d)} {
			if w := wrong(t, th); w != 0 {
				t.Errorf("MemDouble: %d hypotheses are false", w)
			}
		}
		is(t, "MemDouble", f.Mem(d.X, d.Y, d.Z), k.sum(tt.P, tt.P))
		W := mm(ZZ, ZZ)
		if tt.P.x != nil {
			for _, th := range []Theorem{
				f.MemOnCurve(n(X), n(Y), n(Z), n(YY), n(ZZ), n(W)), f.MemXCongruent(n(X), n(Y), n(Z), n(ZZ), n(tt.P.x)),
				f.MemXCongruent(n(X), n(Y), n(Z), n(ZZ), n(k.add(tt.P.x, ZZ))),
			} {
				if w := wrong(t, th); w != 0 {
					t.Errorf("%d hypotheses are false: %v", w, th)
				}
			}
		}

		sum := func(x2, y2, z2 *big.Int) MemAddTerms {
			ZZZ, ZZ2 := mm(Z, ZZ), mm(z2, z2)
			ZZZ2 := mm(z2, ZZ2)
			U1, S1, U2, S2 := mm(X, ZZ2), mm(Y, ZZZ2), mm(x2, ZZ), mm(y2, ZZZ)
			H, T, Z1Z2 := k.sub(U2, U1), k.sub(S2, S1), mm(Z, z2)
			HH := mm(H, H)
			HHH, V := mm(H, HH), mm(U1, HH)
			X3 := k.sub(mm(T, T), HHH, V, V)
			return MemAddTerms{n(ZZ), n(ZZZ), n(ZZ2), n(ZZZ2), n(U1), n(S1), n(U2), n(S2),
				n(H), n(T), n(HH), n(HHH), n(V), n(Z1Z2),
				n(X3), n(k.sub(mm(T, k.sub(V, X3)), mm(S1, HHH))), n(mm(Z1Z2, H))}
		}
		x2, y2, z2 := enter(tt.Q)
		m := sum(x2, y2, z2)
		if w := wrong(t, f.MemAdd(n(X), n(Y), n(Z), n(x2), n(y2), n(z2), m)); w != tt.refused {
			t.Errorf("MemAdd: %d hypotheses are false, want %d", w, tt.refused)
		}
		if tt.refused == 0 {
			is(t, "MemAdd", f.Mem(m.X, m.Y, m.Z), k.sum(tt.P, tt.Q))
		}
		ax, ay := new(big.Int), new(big.Int)
		if tt.Q.x != nil {
			ax, ay = k.mul(R, tt.Q.x), k.mul(R, tt.Q.y)
		}
		is(t, "MemAff", f.MemAff(n(ax), n(ay)), tt.Q)
		if w := wrong(t, f.MemAddAffine(n(X), n(Y), n(Z), n(ax), n(ay), sum(ax, ay, k.mod(R)))); w != tt.refused {
			t.Errorf("MemAddAffine: %d hypotheses are false, want %d", w, tt.refused)
		}
	}
}

// TestRefused: what isn't so finds no proof, and no curve has a modulus that is no prime.
func TestRefused(t *testing.T) {
	f := For(weierstrass.P256())
	for name, try := range map[string]func(){
		"congruence": func() { f.follows(x, y, nil, f.given(x, z)) },
		"coefficient": func() {
			f.follows(x, mul(num(4), z), []auto.Lin{by(f.given(mul(two, x), z), f.half())})
		},
		"chain":  func() { eq{auto.True(), x, x}.then(eq{auto.True(), y, y}) },
		"even":   func() { newFormulas(num(8), num(1), num(1)) },
		"small":  func() { newFormulas(num(3), num(1), num(1)) },
		"symbol": func() { newFormulas(x, num(1), num(1)) },
		"no prime": func() {
			newFormulas(num(15), num(1), num(1)).X(x, y, z)
		},
	} {
		if err := auto.Run(try); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestUse: facts replace the hypotheses that they prove, and no others.
func TestUse(t *testing.T) {
	f := For(weierstrass.P256())
	goal := logic.Eq(f.Jac(x, y, z), f.Jac(u, v, z))
	th := f.Congruent(x, y, z, u, v, z)
	check(t, "Congruent", th, goal, f.cong(x, u), f.cong(y, v))
	same := logic.Eq(x, u)
	fact := auto.Congruent(x, u, f.p, lin(assume(same), x, u, one))
	check(t, "Use", Use(th, fact), goal, same, f.cong(y, v))
	check(t, "Use", Use(th, assume(f.cong(x, v))), goal, f.cong(x, u), f.cong(y, v))
	check(t, "Use", Use(th), goal, f.cong(x, u), f.cong(y, v))
}

// TestGeneration: what was proved, or made, in a generation that is dropped is proved again.
func TestGeneration(t *testing.T) {
	p, a, b := logic.N(65537), logic.N(65534), logic.N(5) // of no other test
	var f *Formulas
	for range 2 {
		g, err := logic.NewGeneration()
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			f = newFormulas(p, a, b)
		}
		before := kernel.Inferences()
		th := f.MemDoubleMinus3(mX, mY, mZ, MemDoubleTerms{mZZ, mYY, mSS, mM, mX3, mY3, mZ3})
		if th.Concl().Err() != nil || len(th.Hyps()) != 7 || kernel.Inferences()-before < 100 {
			t.Errorf("%v after %d inferences", th, kernel.Inferences()-before)
		}
		before = kernel.Inferences()
		f.MemDoubleMinus3(mY, mX, mZ, MemDoubleTerms{mZZ, mYY, mSS, mM, mX3, mY3, mZ3})
		if n := kernel.Inferences() - before; n != 1 {
			t.Errorf("an instance takes %d inferences", n)
		}
		g.Drop()
	}
}
