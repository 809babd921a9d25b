package logic

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"
)

// A ringExpr is an integer expression over the ring operations only, as a value of math/big on the one hand and, by
// refPoly, as a polynomial in the textbook representation on the other.
type ringExpr struct {
	op   byte // c, v, +, -, *, n
	c    *big.Int
	v    int
	a, b *ringExpr
}

// refPoly maps a monomial's exponents, printed, to its coefficient.
type refPoly map[string]*big.Int

func (e *ringExpr) poly(vars int) refPoly {
	exps := make([]int, vars)
	switch e.op {
	case 'c':
		return refPoly{fmt.Sprint(exps): e.c}
	case 'v':
		exps[e.v] = 1
		return refPoly{fmt.Sprint(exps): big.NewInt(1)}
	}
	p, r := e.a.poly(vars), refPoly{}
	add := func(k string, c *big.Int) {
		if r[k] == nil {
			r[k] = new(big.Int)
		}
		r[k].Add(r[k], c)
	}
	if e.op == 'n' {
		for k, c := range p {
			add(k, new(big.Int).Neg(c))
		}
		return r
	}
	q := e.b.poly(vars)
	if e.op == '*' {
		for k, c := range p {
			for l, d := range q {
				x, y := parseExps(k), parseExps(l)
				for i := range x {
					x[i] += y[i]
				}
				add(fmt.Sprint(x), new(big.Int).Mul(c, d))
			}
		}
		return r
	}
	for k, c := range p {
		add(k, c)
	}
	for k, c := range q {
		if e.op == '-' {
			c = new(big.Int).Neg(c)
		}
		add(k, c)
	}
	return r
}

func parseExps(s string) []int {
	var r []int
	n := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
		case c == ' ' || c == ']':
			r, n = append(r, n), 0
		}
	}
	return r
}

func (p refPoly) clean() refPoly {
	for k, c := range p {
		if c.Sign() == 0 {
			delete(p, k)
		}
	}
	return p
}

func (p refPoly) eq(q refPoly) bool {
	p.clean()
	q.clean()
	if len(p) != len(q) {
		return false
	}
	for k, c := range p {
		if q[k] == nil || q[k].Cmp(c) != 0 {
			return false
		}
	}
	return true
}

// refOf reads a term back.
func refOf(t Term, vars []Term) refPoly {
	p := refPoly{}
	for _, m := range t.Monomials() {
		exps := make([]int, len(vars))
		for _, a := range m.Atoms {
			exps[slices.Index(vars, a)]++
		}
		p[fmt.Sprint(exps)] = m.Coef
	}
	return p
}

func ringVars(n int) []Term {
	vs := make([]Term, n)
	for i := range vs {
		vs[i] = Var(fmt.Sprint("r", i), Int())
	}
	return vs
}

func (g *generator) ring(vars, depth int) *ringExpr {
	if depth <= 0 || g.intn(6) == 0 {
		if g.intn(3) == 0 {
			return &ringExpr{op: 'c', c: g.edgeInt()}
		}
		return &ringExpr{op: 'v', v: g.intn(vars)}
	}
	e := &ringExpr{op: "++-*n"[g.intn(5)], a: g.ring(vars, depth-1)}
	if e.op != 'n' {
		e.b = g.ring(vars, depth-1)
	}
	return e
}

// build makes the term, each operation in one of its spellings.
func (e *ringExpr) build(g *generator, vars []Term) Term {
	switch e.op {
	case 'c':
		return IntConst(e.c)
	case 'v':
		return vars[e.v]
	}
	x := e.a.build(g, vars)
	if e.op == 'n' {
		return []Term{Neg(x), Sub(N(0), x), Mul(x, N(-1)), Mul(N(-1), x)}[g.intn(4)]
	}
	y := e.b.build(g, vars)
	switch e.op {
	case '+':
		switch g.intn(5) {
		case 0:
			return Add(y, x)
		case 1:
			return Sub(x, Neg(y))
		case 2:
			return FromMonomials(append(y.Monomials(), x.Monomials()...))
		case 3:
			var s Sum
			s.Add(nil, y)
			s.Add(big.NewInt(1), x)
			return s.Term()
		}
		return Add(x, y)
	case '-':
		switch g.intn(4) {
		case 0:
			return Add(x, Neg(y))
		case 1:
			return Neg(Sub(y, x))
		case 2:
			var s Sum
			s.Add(big.NewInt(-1), y)
			s.Add(nil, x)
			return s.Term()
		}
		return Sub(x, y)
	}
	switch g.intn(5) {
	case 0:
		return Mul(y, x)
	case 1: // distributed over x's summands
		var parts []Term
		for _, m := range x.Monomials() {
			parts = append(parts, Mul(append([]Term{IntConst(m.Coef), y}, m.Atoms...)...))
		}
		return Add(parts...)
	case 2:
		var s Sum
		s.Add(nil, y, x)
		return s.Term()
	case 3:
		return FromMonomials([]Monomial{{Coef: big.NewInt(1), Atoms: []Term{y, x}}})
	}
	return Mul(x, y)
}

// random is another expression for the same polynomial.
func (e *ringExpr) random(g *generator) *ringExpr {
	if e.op == 'c' || e.op == 'v' {
		switch g.intn(4) {
		case 0: // x + c − c
			c := &ringExpr{op: 'c', c: g.edgeInt()}
			return &ringExpr{op: '-', a: &ringExpr{op: '+', a: e, b: c}, b: c}
		case 1:
			return &ringExpr{op: '*', a: e, b: &ringExpr{op: 'c', c: big.NewInt(1)}}
		}
		return e
	}
	a := e.a.random(g)
	if e.op == 'n' {
		return &ringExpr{op: 'n', a: a}
	}
	b := e.b.random(g)
	switch {
	case e.op == '*' && (b.op == '+' || b.op == '-') && g.intn(2) == 0: // distribute
		return &ringExpr{op: b.op, a: &ringExpr{op: '*', a: a, b: b.a}, b: &ringExpr{op: '*', a: a, b: b.b}}
	case (e.op == '+' || e.op == '*') && b.op == e.op && g.intn(2) == 0: // reassociate
		return &ringExpr{op: e.op, a: &ringExpr{op: e.op, a: a, b: b.a}, b: b.b}
	case (e.op == '+' || e.op == '*') && g.intn(2) == 0:
		return &ringExpr{op: e.op, a: b, b: a}
	case e.op == '-':
		return &ringExpr{op: '+', a: a, b: &ringExpr{op: 'n', a: b}}
	}
	return &ringExpr{op: e.op, a: a, b: b}
}

// TestRing builds random polynomials in several ways: they are one pointer, and it is the textbook's polynomial.
func TestRing(t *testing.T) {
	const vars = 4
	vs := ringVars(vars)
	for i := range 300 {
		inGeneration(t, func() {
			g := newGenerator(seeded(uint64(i)), 0)
			e := g.ring(vars, 5)
			x := e.build(g, vs)
			checker{}.check(t, x.n)
			if !refOf(x, vs).eq(e.poly(vars)) {
				t.Fatalf("%v is not %v", x, e.poly(vars))
			}
			for range 3 {
				if y := e.random(g).build(g, vs); y != x {
					t.Fatalf("%v and %v", x.Format(9), y.Format(9))
				}
			}
			if y := FromMonomials(x.Monomials()); y != x {
				t.Fatalf("%v from its monomials: %v", x, y)
			}
			f := e.random(g)
			for name, ok := range map[string]bool{
				"difference":      Sub(x, f.build(g, vs)) == N(0),
				"equation":        Eq(x, f.build(g, vs)) == True(),
				"eq0 and sign":    Eq0(x) == Eq0(Neg(x)),
				"le":              Le(x, f.build(g, vs)) == True(),
				"lt":              Lt(f.build(g, vs), x) == False(),
				"not ge0":         Not(Ge0(x)) == Ge0(Sub(N(-1), x)),
				"not not ge0":     Not(Not(Ge0(x))) == Ge0(x),
				"not le":          Not(Le(x, vs[0])) == Lt(vs[0], x),
				"cong":            Cong(x, f.build(g, vs), vs[1]) == True(),
				"cong symmetric":  Cong(x, vs[0], vs[1]) == Cong(vs[0], x, vs[1]),
				"cong difference": Cong(x, vs[0], N(7)) == Cong(Sub(x, vs[0]), N(0), N(7)),
			} {
				if !ok {
					t.Errorf("%s: %v", name, x.Format(9))
				}
			}
		})
	}
}

// TestSum compares Sum with Add and Mul in both forms of its keys, and its zero and divisibility tests.
func TestSum(t *testing.T) {
	for i := range 300 {
		inGeneration(t, func() {
			g := newGenerator(seeded(uint64(i)), 0)
			vars, maxDegree := 40+g.intn(20), 4 // index form
			if i%2 == 0 {
				vars, maxDegree = 1+g.intn(32), 60 // exponent form
			}
			vs := ringVars(vars)
			poly := func(degree int) Term {
				var ms []Monomial
				for range g.intn(6) {
					m := Monomial{Coef: g.edgeInt()}
					for range g.intn(degree + 1) {
						m.Atoms = append(m.Atoms, vs[g.intn(vars)])
					}
					ms = append(ms, m)
				}
				return FromMonomials(ms)
			}
			var s Sum
			want := N(0)
			for range 1 + g.intn(4) {
				c := g.edgeInt()
				var ps []Term
				for range g.intn(4) {
					ps = append(ps, poly(maxDegree))
				}
				s.Add(c, ps...)
				c2 := IntConst(c)
				c.SetInt64(77) // a copy was taken
				want = Add(want, Mul(append([]Term{c2}, ps...)...))
			}
			got := s.Term()
			if got != want {
				t.Fatalf("%v, want %v", got, want)
			}
			checker{}.check(t, got.n)
			if zero, err := s.IsZero(); err != nil || zero != (want == N(0)) {
				t.Fatalf("IsZero %v, %v", zero, err)
			}
			m := big.NewInt(int64(g.intn(12)) - 6)
			all := true
			for _, x := range want.Monomials() {
				all = all && m.Sign() != 0 && euclid(x.Coef, new(big.Int).Abs(m)).Sign() == 0
			}
			if div, err := s.DivisibleBy(m); (err != nil) != (m.Sign() == 0) || err == nil && div != all {
				t.Fatalf("DivisibleBy(%v) %v, %v: %v", m, div, err, want)
			}
			s.Add(big.NewInt(-1), want)
			if zero, err := s.IsZero(); err != nil || !zero {
				t.Fatalf("s - s is not zero: %v", err)
			}
			if div, err := s.DivisibleBy(big.NewInt(12345)); err != nil || !div {
				t.Fatalf("0 is not divisible: %v", err)
			}
		})
	}
}

// TestSumCertificate checks an identity as the kernel does: Σ qᵢ·(lᵢ − rᵢ) − t = 0, with nothing interned.
func TestSumCertificate(t *testing.T) {
	vs := ringVars(5)
	l := Add(Mul(vs[0], vs[0], vs[1]), Mul(N(3), vs[2]), N(5))
	q := Sub(Mul(vs[3], vs[4]), N(2))
	goal := Sub(Mul(l, q), Mul(vs[1], q))
	var s Sum
	s.Add(nil, q, l)
	s.Add(big.NewInt(-1), vs[1], q)
	s.Add(big.NewInt(-1), goal)
	before := NumTerms()
	if ok, err := s.IsZero(); !ok || err != nil {
		t.Error(ok, err)
	}
	s.Add(nil, N(1))
	if ok, err := s.IsZero(); ok || err != nil {
		t.Error(ok, err)
	}
	s = Sum{}
	s.Add(big.NewInt(6), l)
	s.Add(big.NewInt(-9), q, q)
	if ok, err := s.DivisibleBy(big.NewInt(3)); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := s.DivisibleBy(big.NewInt(-2)); ok || err != nil {
		t.Error(ok, err)
	}
	if n := NumTerms() - before; n > 1 { // N(1)
		t.Errorf("%d terms were made by checks", n)
	}
}

// TestSumLimits has sums at and beyond the limits of the two key forms.
func TestSumLimits(t *testing.T) {
	inGeneration(t, func() {
		vs := ringVars(33)
		power := func(x Term, n int) Term {
			return FromMonomials([]Monomial{{big.NewInt(1), slices.Repeat([]Term{x}, n)}})
		}
		sum := func(vars, degree int) (Term, bool) {
			var s Sum
			s.Add(nil, Add(vs[:vars]...))
			s.Add(nil, power(vs[0], degree-degree/2), power(vs[0], degree/2))
			_, err := s.IsZero()
			if _, err2 := s.DivisibleBy(big.NewInt(3)); (err2 != nil) != (err != nil) || (s.Term().Err() != nil) != (err != nil) {
				t.Errorf("%d variables, degree %d: %v, %v", vars, degree, err, err2)
			}
			return s.Term(), err == nil
		}
		for _, c := range []struct {
			vars, degree int
			ok           bool
		}{{33, 16, true}, {33, 17, false}, {32, 17, true}, {32, 255, true}, {32, 256, false}, {1, 255, true}, {1, 256, false}} {
			got, ok := sum(c.vars, c.degree)
			if ok != c.ok {
				t.Errorf("%d variables, degree %d: %v", c.vars, c.degree, ok)
			}
			if want := Add(Add(vs[:c.vars]...), power(vs[0], c.degree)); ok && got != want {
				t.Errorf("%d variables, degree %d: %v", c.vars, c.degree, got)
			}
		}
		// The exponent of one atom is at its limit while its neighbour's is not disturbed.
		var s Sum
		s.Add(nil, power(vs[0], 200), power(vs[0], 55))
		s.Add(nil, vs[1])
		if got := s.Term(); got != Add(power(vs[0], 255), vs[1]) {
			t.Errorf("%v", got)
		}
		// Products of the constructors have no limit: they fall back.
		a, b := Add(append([]Term{power(vs[0], 130)}, vs...)...), Sub(power(vs[1], 130), Add(vs...))
		p := Mul(a, b)
		if err := p.Err(); err != nil {
			t.Error(err)
		}
		if q := Add(Mul(a, power(vs[1], 130)), Neg(Mul(Add(vs...), a))); q != p {
			t.Error("a product at a high degree")
		}
		// An error stays.
		s = Sum{}
		s.Add(nil, True())
		s.Add(nil, N(0))
		if _, err := s.IsZero(); err == nil || s.Term().Err() == nil {
			t.Error("a sum with a Bool")
		}
		// Very many atoms at a low degree.
		s = Sum{}
		var many []Term
		for i := range 3000 {
			many = append(many, Mul(N(int64(i)-7), Var(fmt.Sprint("m", i), Int())))
		}
		s.Add(nil, Add(many...), vs[0])
		if got := s.Term(); got != Mul(vs[0], Add(many...)) || len(got.Monomials()) != 2999 {
			t.Error("many atoms")
		}
		// The index form numbers atoms from 1 in 16 bits.
		atoms := make([]Term, 1<<16-1)
		for i := range atoms {
			atoms[i] = Div(vs[0], N(int64(i+2)))
		}
		s = Sum{}
		many = atoms[1:]
		s.Add(nil, Add(many...))
		s.Add(big.NewInt(-1), many...)
		if _, err := s.IsZero(); err == nil {
			t.Error("a product of very many atoms")
		}
		s = Sum{}
		s.Add(nil, Add(many...))
		if got := s.Term(); got.Err() != nil || len(got.Monomials()) != len(many) {
			t.Errorf("65534 atoms: %v", got)
		}
		s.Add(nil, atoms[0])
		if got := s.Term(); got.Err() == nil {
			t.Errorf("65535 atoms: %v", got)
		}
	})
}

// TestLargePolynomials bounds the time of sums and products of thousands of monomials, loosely.
func TestLargePolynomials(t *testing.T) {
	inGeneration(t, func() {
		start := time.Now()
		vs := ringVars(8)
		var parts []Term
		for i := range 5000 {
			parts = append(parts, Mul(N(int64(i*i+1)), vs[i%8], vs[i/8%8], vs[i/64%8], Uint(Var(fmt.Sprint("l", i), BV(64)))))
		}
		p := Add(parts...)
		slices.Reverse(parts)
		if q := Add(parts...); q != p || len(p.Monomials()) != 5000 {
			t.Error("order of the summands")
		}
		if Sub(p, p) != N(0) || Add(p, p) != Mul(N(2), p) {
			t.Error("sum of large polynomials")
		}
		sum := Add(append(slices.Clone(vs), N(1))...)
		sq := Mul(sum, sum, sum, sum, sum, sum) // C(14, 6) = 3003 monomials
		if n := len(sq.Monomials()); n != 3003 {
			t.Errorf("%d monomials", n)
		}
		cube := Mul(sum, sum, sum)
		if Mul(cube, cube) != sq {
			t.Error("products of large polynomials")
		}
		var s Sum
		s.Add(nil, cube, cube)
		s.Add(big.NewInt(-1), sq)
		if ok, err := s.IsZero(); !ok || err != nil {
			t.Error(ok, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

// TestDivisionConventions has the conventions of logic.md 19 in a table, for constants (folded), for values (evaluated)
// and for divisors that fold alone.
func TestDivisionConventions(t *testing.T) {
	i, m := Var("i", Int()), Var("m", Int())
	for _, c := range []struct{ x, m, q, r int64 }{
		{7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1},
		{6, 3, 2, 0}, {-6, 3, -2, 0}, {6, -3, -2, 0}, {-6, -3, 2, 0},
		{0, 5, 0, 0}, {0, -5, 0, 0}, {5, 0, 0, 5}, {-5, 0, 0, -5}, {0, 0, 0, 0},
		{5, 1, 5, 0}, {5, -1, -5, 0}, {-1, 3, -1, 2}, {1, -3, -1, -2},
		{-1 << 63, -1, 0, 0}, // the quotient is 2⁶³, checked below
	} {
		env := map[Term]Value{i: IntValue(big.NewInt(c.x)), m: IntValue(big.NewInt(c.m))}
		q := IntConst(big.NewInt(c.q))
		if c.x == -1<<63 {
			q = Pow2(63)
		}
		for _, d := range []Term{Div(N(c.x), N(c.m)), Subst(Div(i, m), map[Term]Term{i: N(c.x), m: N(c.m)})} {
			if d != q {
				t.Errorf("%d div %d = %v", c.x, c.m, d)
			}
		}
		for _, d := range []Term{Mod(N(c.x), N(c.m)), Subst(Mod(i, m), map[Term]Term{m: N(c.m), i: N(c.x)})} {
			if d != N(c.r) {
				t.Errorf("%d mod %d = %v", c.x, c.m, d)
			}
		}
		qv, _ := q.Const()
		for _, d := range []struct {
			t    Term
			want *big.Int
		}{{Div(i, m), qv}, {Div(i, N(c.m)), qv}, {Mod(i, m), big.NewInt(c.r)}, {Mod(i, N(c.m)), big.NewInt(c.r)}} {
			if v, err := Eval(d.t, env, 100); err != nil || v.Big().Cmp(d.want) != 0 {
				t.Errorf("%v at %d, %d = %v (%v)", d.t, c.x, c.m, v, err)
			}
		}
		// x = m·(x div m) + x mod m, with no condition
		id := Eq(i, Add(Mul(m, Div(i, m)), Mod(i, m)))
		if v, err := Eval(id, env, 100); err != nil || !v.Bool() {
			t.Errorf("%v at %d, %d: %v (%v)", id, c.x, c.m, v, err)
		}
		// m | x exactly when x mod m = 0
		divides := c.r == 0
		if d := Cong(N(c.x), N(0), N(c.m)); d != BoolConst(divides) {
			t.Errorf("%d ≡ 0 (mod %d) = %v", c.x, c.m, d)
		}
		for _, d := range []Term{Cong(i, N(0), m), Cong(i, N(0), N(c.m)), Cong(Add(i, i), i, Neg(m))} {
			if v, err := Eval(d, env, 100); err != nil || v.Bool() != divides {
				t.Errorf("%v at %d, %d: %v (%v)", d, c.x, c.m, v, err)
			}
		}
	}
	if Cong(N(3), N(3), m) != True() || Cong(N(3), N(4), m).Op() != OpDvd || Cong(i, N(3), N(0)) != Eq(i, N(3)) {
		t.Error("congruences of constants")
	}
}

// TestToBV has the conventions of ToBV: modulo 2ⁿ, from either sign, and the inverse of Uint.
func TestToBV(t *testing.T) {
	i := Var("i", Int())
	for _, w := range widths {
		x := Var("x", BV(w))
		if ToBV(w, Uint(x)) != x || ToBV(w+5, Uint(x)) != Zext(w+5, x) || w > 1 && ToBV(w-1, Uint(x)) != Extract(w-2, 0, x) {
			t.Errorf("width %d: ToBV of Uint", w)
		}
		if ToBV(w, Pow2(w)) != BVUint(w, 0) || ToBV(w, N(-1)) != BVConst(w, new(big.Int).Sub(pow2(w), big.NewInt(1))) {
			t.Errorf("width %d: ToBV of constants", w)
		}
		for _, v := range []*big.Int{pow2(w), big.NewInt(-1), new(big.Int).Neg(pow2(w)), pow2(w - 1), new(big.Int).Neg(pow2(w - 1)), new(big.Int).Sub(big.NewInt(3), pow2(2*w))} {
			want := euclid(v, pow2(w))
			if c, ok := ToBV(w, IntConst(v)).Const(); !ok || c.Cmp(want) != 0 {
				t.Errorf("ToBV(%d, %v) = %v", w, v, c)
			}
			if c, ok := BVConst(w, v).Const(); !ok || c.Cmp(want) != 0 {
				t.Errorf("BVConst(%d, %v) = %v", w, v, c)
			}
			if got, err := Eval(ToBV(w, i), map[Term]Value{i: IntValue(v)}, 10); err != nil || got.Big().Cmp(want) != 0 {
				t.Errorf("bv%d of %v = %v", w, v, got)
			}
			s := twos(want, w)
			if c, ok := Sint(BVConst(w, v)).Const(); !ok || c.Cmp(s) != 0 {
				t.Errorf("sint of %v:%d = %v", v, w, c)
			}
		}
	}
}

// TestNum compares the small integers' arithmetic with math/big at the edges of int64.
func TestNum(t *testing.T) {
	var edges []*big.Int
	for _, k := range []int{0, 1, 2, 31, 32, 33, 62, 63, 64, 65, 127, 128} {
		for d := int64(-2); d <= 2; d++ {
			v := new(big.Int).Add(pow2(k), big.NewInt(d))
			edges = append(edges, v, new(big.Int).Neg(v))
		}
	}
	same := func(x num, want *big.Int) bool {
		return x.big().Cmp(want) == 0 && (x.b == nil) == want.IsInt64() && x.sign() == want.Sign()
	}
	of := func(v *big.Int) num { return numOf(new(big.Int).Set(v)) }
	for _, a := range edges {
		if !same(of(a).neg(), new(big.Int).Neg(a)) {
			t.Errorf("-%v", a)
		}
		for _, b := range edges {
			x, y := of(a), of(b)
			if !same(x.add(y), new(big.Int).Add(a, b)) || !same(x.mul(y), new(big.Int).Mul(a, b)) || x.eq(y) != (a.Cmp(b) == 0) {
				t.Errorf("%v and %v", a, b)
			}
			if x.eq(y) && x.hash(1) != y.hash(1) {
				t.Errorf("hash of %v", a)
			}
			q, r := floorDivMod(a, b)
			if m := new(big.Int).Sub(a, new(big.Int).Mul(b, q)); m.Cmp(r) != 0 || q.Cmp(floorDiv(a, b)) != 0 {
				t.Errorf("%v div %v = %v, mod %v", a, b, q, r)
			}
		}
	}
}
