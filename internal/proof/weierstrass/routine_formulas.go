package weierstrass

import (
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// jacobian(p, x, y, z) is the point (x/z², y/z³), O if z ≡ 0 (mod p); affinePoint(p, x, y) is (x, y), O if both are ≡ 0.
var (
	jacobian = define("jacobian", []string{"p", "x", "y", "z"}, func(v []Term) Term {
		p, x, y, z := v[0], v[1], v[2], v[3]
		i := spec.Inv(p, z)
		return logic.Ite(logic.Cong(z, logic.N(0), p), spec.Infinity(),
			spec.Affine(logic.Mod(logic.Mul(x, i, i), p), logic.Mod(logic.Mul(y, i, i, i), p)))
	})
	affinePoint = define("affine", []string{"p", "x", "y"}, func(v []Term) Term {
		p, x, y := v[0], v[1], v[2]
		return logic.Ite(logic.And(logic.Cong(x, logic.N(0), p), logic.Cong(y, logic.N(0), p)), spec.Infinity(),
			spec.Affine(logic.Mod(x, p), logic.Mod(y, p)))
	})
)

func define(name string, params []string, body func([]Term) Term) logic.Def {
	vs := make([]Term, len(params))
	for i, p := range params {
		vs[i] = logic.Var(p, logic.Int())
	}
	d, err := logic.Define("proof.weierstrass."+name, vs, body(vs))
	if err != nil {
		panic(fmt.Sprintf("proof/weierstrass: %v", err))
	}
	return d
}

// Jac is the point (x/z², y/z³) of the curve, O if z ≡ 0; x, y, z are residues, not necessarily reduced.
func Jac(c spec.Curve, x, y, z Term) Term { return jacobian.App(c.P(), x, y, z) }

// Aff is the point (x, y) of the curve, O if x ≡ y ≡ 0.
func Aff(c spec.Curve, x, y Term) Term { return affinePoint.App(c.P(), x, y) }

// formulas proves the formulas for sums of points in Jacobian coordinates, over variables that stand for residues.
type formulas struct {
	c    spec.Curve
	p    Term
	m    *big.Int
	half Term    // 1/2 modulo p
	inv  Theorem // x ≡ 0 ∨ x·Inv(p, x) ≡ 1, for varX
}

func newFormulas(c spec.Curve) *formulas {
	m, _ := c.P().Const()
	return &formulas{c: c, p: c.P(), m: m, half: logic.IntConst(new(big.Int).ModInverse(big.NewInt(2), m)), inv: inverse(c.P())}
}

// isZero says x ≡ 0.
func (g *formulas) isZero(x Term) Term { return logic.Cong(x, logic.N(0), g.p) }

// inverse is x·Inv(x) ≡ 1 under x ≢ 0.
func (g *formulas) inverse(x Term) auto.Lin {
	l := logic.Mul(x, spec.Inv(g.p, x))
	th := taut(logic.Cong(l, logic.N(1), g.p), auto.Must(kernel.Inst(g.inv, map[Term]Term{varX: x})), assume(logic.Not(g.isZero(x))))
	return lin(th, l, logic.N(1), logic.N(1))
}

// by is a fact taken t times.
func by(l auto.Lin, t Term) auto.Lin { l.By = t; return l }

// congruent is auto.Congruent as an equation to be used further.
func (g *formulas) congruent(a, b Term, ls ...auto.Lin) auto.Lin {
	return lin(auto.Congruent(a, b, g.p, ls...), a, b, logic.N(1))
}

// modEqual is a mod p = b mod p from a ≡ b, as a rewriting.
func (g *formulas) modEqual(a, b Term, l auto.Lin) kernel.Equation {
	A, B := logic.Mod(a, g.p), logic.Mod(b, g.p)
	if A == B {
		return auto.Rewritten(auto.Must(kernel.Taut(logic.True())), A, B)
	}
	one := logic.N(1)
	d := g.congruent(A, B, by(modulo(a, g.p), logic.N(-1)), l, by(modulo(b, g.p), one))
	return auto.Rewritten(g.reduced(A, B, d), A, B)
}

// reduced is A = B from A ≡ B for numbers A, B that are something mod p.
func (g *formulas) reduced(A, B Term, d auto.Lin) Theorem {
	zero, one := logic.N(0), logic.N(1)
	concl := d.Th.Concl()
	t := concl.Arg(0) // ±(A − B) = p·k
	k := logic.Div(t, g.p)
	pk := logic.Mul(g.p, k)
	eq := func(c int64) auto.Lin { return lin(auto.Must(kernel.DvdElim(d.Th)), t, pk, logic.N(c)) }
	top := logic.Sub(g.p, one)
	lo := auto.Cut(auto.NonNeg(logic.Add(pk, top), nil, eq(-1)), g.m, k)
	hi := auto.Cut(auto.NonNeg(logic.Sub(top, pk), nil, eq(1)), g.m, logic.Neg(k))
	none := auto.Must(kernel.Antisym(k, lo, hi))
	sign := logic.N(1)
	if t != logic.Sub(A, B) {
		sign = logic.N(-1)
	}
	return auto.Equal(A, B, by(eq(1), sign), lin(none, k, zero, logic.Mul(sign, g.p)))
}

// A rule replaces a monomial by a polynomial congruent to it.
type rule struct {
	atoms []Term
	to    Term
	fact  auto.Lin // ±(monomial − to), taken once
}

// rewriting is a rule from a congruence atom·…·atom ≡ to.
func rewriting(fact auto.Lin, to Term, atoms ...Term) rule { return rule{atoms, to, fact} }

// equal proves a ≡ b by rules, of which the first that applies to a monomial is used, again and again.
func (g *formulas) equal(a, b Term, rules ...rule) auto.Lin {
	rest := residue(logic.Sub(a, b), g.m)
	var lins []auto.Lin
	for range 10000 {
		found := false
		for _, r := range rules {
			for _, mono := range rest.Monomials() {
				left, ok := without(mono.Atoms, r.atoms)
				if !ok {
					continue
				}
				q := logic.FromMonomials([]logic.Monomial{{Coef: mono.Coef, Atoms: left}})
				lins = append(lins, by(r.fact, logic.Mul(q, r.fact.By)))
				rest = residue(logic.Sub(rest, logic.Mul(q, logic.Sub(logic.Mul(r.atoms...), r.to))), g.m)
				found = true
				break
			}
			if found {
				break
			}
		}
		if !found {
			break
		}
	}
	if rest != logic.N(0) {
		panic(fmt.Errorf("%v ≡ %v doesn't follow: %v remains", a, b, rest))
	}
	return g.congruent(a, b, lins...)
}

// without is the multiset difference, if the second is contained in the first.
func without(atoms, what []Term) ([]Term, bool) {
	left := slices.Clone(atoms)
	for _, a := range what {
		i := slices.Index(left, a)
		if i < 0 {
			return nil, false
		}
		left = slices.Delete(left, i, i+1)
	}
	return left, true
}

// given assumes a ≡ b.
func (g *formulas) given(a, b Term) auto.Lin {
	return lin(assume(logic.Cong(a, b, g.p)), a, b, logic.N(1))
}

// affine is a point with z ≢ 0 in affine coordinates.
type affine struct {
	point  kernel.Equation // Jac(x, y, z) = Affine(xa, ya)
	xa, ya Term
	inv    auto.Lin // z·i ≡ 1
	i      Term
	x, y   auto.Lin // x ≡ xa·z², y ≡ ya·z³
}

func (g *formulas) affine(x, y, z Term) affine {
	notZero := auto.Rewritten(assume(logic.Not(g.isZero(z))), g.isZero(z), logic.False())
	r := affine{point: unfolded(Jac(g.c, x, y, z), notZero), inv: g.inverse(z), i: spec.Inv(g.p, z)}
	r.xa, r.ya = spec.X(r.point.To), spec.Y(r.point.To)
	zi := logic.Mul(z, r.i)
	one := logic.N(1)
	// x − xa·z² = −x·(z·i − 1)·(z·i + 1) + z²·(x·i² − xa)
	r.x = g.congruent(x, logic.Mul(r.xa, z, z), by(r.inv, logic.Neg(logic.Mul(x, logic.Add(zi, one)))),
		by(modulo(logic.Mul(x, r.i, r.i), g.p), logic.Mul(z, z)))
	r.y = g.congruent(y, logic.Mul(r.ya, z, z, z), by(r.inv, logic.Neg(logic.Mul(y, logic.Add(logic.Mul(zi, zi), zi, one)))),
		by(modulo(logic.Mul(y, r.i, r.i, r.i), g.p), logic.Mul(z, z, z)))
	return r
}

// Variables of the formulas.
func formulaVar(name string) Term { return logic.Var("formulas."+name, logic.Int()) }

// rewriteAll proves a goal by rewriting it step by step until it is true.
func rewriteAll(goal Term, eqs ...kernel.Equation) Theorem {
	ths := []Theorem{}
	t := goal
	for _, e := range eqs {
		ths = append(ths, rewritten(t, e))
		t = logic.Replace(t, map[Term]Term{e.From: e.To})
	}
	if t != logic.True() {
		panic(fmt.Errorf("%v becomes %v", goal, t))
	}
	th := ths[len(ths)-1]
	for i := len(ths) - 1; i >= 0; i-- {
		g := goal
		for _, e := range eqs[:i] {
			g = logic.Replace(g, map[Term]Term{e.From: e.To})
		}
		if i == len(ths)-1 {
			th = taut(g, ths[i])
		} else {
			th = taut(g, ths[i], th)
		}
	}
	return th
}

// double proves, over the variables x, y, z, m, x3, y3, z3, for a = −3:
//
//	2m ≡ 3(x−z²)(x+z²), x3 ≡ m² − 2xy², y3 ≡ m(xy² − x3) − y⁴, z3 ≡ yz ⊢ Jac(x3,y3,z3) = 2·Jac(x,y,z)
func (g *formulas) double() Theorem {
	x, y, z, m := formulaVar("x"), formulaVar("y"), formulaVar("z"), formulaVar("m")
	x3, y3, z3 := formulaVar("x3"), formulaVar("y3"), formulaVar("z3")
	zero, one, two, three := logic.N(0), logic.N(1), logic.N(2), logic.N(3)
	zz, yy := logic.Mul(z, z), logic.Mul(y, y)
	hm := g.given(logic.Mul(two, m), logic.Mul(three, logic.Sub(x, zz), logic.Add(x, zz)))
	hx := g.given(x3, logic.Sub(logic.Mul(m, m), logic.Mul(two, x, yy)))
	hy := g.given(y3, logic.Sub(logic.Mul(m, logic.Sub(logic.Mul(x, yy), x3)), logic.Mul(yy, yy)))
	hz := g.given(z3, logic.Mul(y, z))
	P, J := Jac(g.c, x, y, z), Jac(g.c, x3, y3, z3)
	sum := spec.Add(g.p, g.c.A(), P, P)
	goal := logic.Eq(J, sum)
	truth := func(t Term, th Theorem) kernel.Equation { return auto.Rewritten(th, t, logic.True()) }
	isO := func(th Theorem) kernel.Equation { return unfolded(J, truth(g.isZero(z3), th)) }
	of := func(Q Term) Term { return spec.Add(g.p, g.c.A(), Q, Q) }

	// P = O
	pz := g.isZero(z)
	PO := unfolded(P, truth(pz, assume(pz)))
	z3zero := g.congruent(z3, zero, hz, lin(assume(pz), z, zero, y)).Th
	caseO := rewriteAll(goal, isO(z3zero), PO, unfolded(of(PO.To)))

	// P affine
	A := g.affine(x, y, z)
	doubled := of(A.point.To)
	twice := logic.Cong(logic.Add(A.ya, A.ya), zero, g.p)

	// y = 0: y ≡ ya·z³, 2·ya ≡ 0
	y0 := g.congruent(y, zero, A.y, lin(assume(twice), logic.Add(A.ya, A.ya), zero, logic.Mul(g.half, z, z, z)))
	z30 := g.congruent(z3, zero, hz, by(y0, z)).Th
	caseTwo := rewriteAll(goal, isO(z30), A.point, unfolded(doubled, truth(twice, assume(twice))))

	// else y·z is not 0
	no := auto.Rewritten(assume(logic.Not(twice)), twice, logic.False())
	// z3 ≡ 0 ⇒ 2·ya ≡ 0: 2·ya ≡ 2·y·i³ ≡ 2·z3·i⁴
	i := A.i
	ya := g.congruent(A.ya, logic.Mul(y, i, i, i), by(modulo(logic.Mul(y, i, i, i), g.p), logic.N(-1)))
	z3not := func() Theorem {
		h := assume(g.isZero(z3))
		th := g.congruent(logic.Add(A.ya, A.ya), zero, by(ya, two),
			by(A.inv, logic.Mul(logic.N(-2), y, i, i, i)), // 2·y·i³ = −2·y·i³·(zi − 1) + 2·y·z·i⁴
			by(hz, logic.Mul(logic.N(-2), i, i, i, i)), lin(h, z3, zero, logic.Mul(two, i, i, i, i)))
		return taut(logic.Not(g.isZero(z3)), implied(g.isZero(z3), th.Th), assume(logic.Not(twice)))
	}()
	B := g.affine(x3, y3, z3)
	cutB := func(th Theorem) Theorem { return Cut(th, logic.Not(g.isZero(z3)), z3not) }
	j := B.i
	// w = Inv(2·ya): half·2·ya·w, and j·z⁴ ≡ 2w
	ya2 := logic.Mul(two, A.ya)
	inv := g.inverse(ya2)
	w := spec.Inv(g.p, ya2)
	yw := g.congruent(logic.Mul(A.ya, w), g.half, by(inv, g.half))
	z4 := logic.Mul(zz, zz)
	jz := g.congruent(logic.Mul(j, z4), logic.Mul(two, w), // 2w − jz⁴ = 2w(1 − z3·j) + 2w·j·(z3 − yz) + 2wjz(y − ya·z³) + jz⁴(2·ya·w − 1)
		by(B.inv, logic.Mul(two, w)), by(hz, logic.Mul(logic.N(-2), w, j)), by(A.y, logic.Mul(logic.N(-2), w, j, z)),
		by(inv, logic.Neg(logic.Mul(j, z4))))
	third := unfolded(doubled, no)
	add := unfolded(third.To) // Third
	X, Y := spec.X(add.To), spec.Y(add.To)
	slope := third.To.Arg(1)
	l := slope.Arg(0)
	ls := g.congruent(slope, l, by(modulo(l, g.p), logic.N(-1)))
	mEq := g.congruent(m, logic.Mul(g.half, three, logic.Sub(x, zz), logic.Add(x, zz)), by(hm, g.half))
	rules := []rule{
		rewriting(mEq, mEq.R, m), rewriting(ls, l, slope),
		rewriting(A.x, A.x.R, x), rewriting(A.y, A.y.R, y),
		rewriting(jz, jz.R, j, z, z, z, z), rewriting(yw, g.half, A.ya, w),
	}
	x3j, y3j := logic.Mul(x3, j, j), logic.Mul(y3, j, j, j)
	xEq := g.equal(x3j, X.Arg(0), append([]rule{rewriting(hx, hx.R, x3)}, rules...)...)
	xMod := g.congruent(x3j, X, xEq, by(modulo(X.Arg(0), g.p), one))
	yEq := g.equal(y3j, Y.Arg(0), append([]rule{rewriting(hy, hy.R, y3), rewriting(xMod, X, x3, j, j)}, rules...)...)
	mx, my := g.modEqual(x3j, X.Arg(0), xEq), g.modEqual(y3j, Y.Arg(0), yEq)
	caseTangent := cutB(rewriteAll(goal, B.point, A.point, third, add, mx, my))
	// 2·ya ≢ 0 is what the case says
	return auto.Cases(goal, pz, caseO, auto.Cases(goal, twice, caseTwo, caseTangent))
}

// Double is the theorem of double for the given terms.
func (g *formulas) Double(x, y, z, m, x3, y3, z3 Term) Theorem {
	return g.instance(g.double(), []string{"x", "y", "z", "m", "x3", "y3", "z3"}, x, y, z, m, x3, y3, z3)
}

// Add is the theorem of add for the given terms.
func (g *formulas) Add(x1, y1, z1, x2, y2, z2, u, v, h, r, x3, y3, z3 Term) Theorem {
	names := []string{"x1", "y1", "z1", "x2", "y2", "z2", "u", "v", "h", "r", "x3", "y3", "z3"}
	return g.instance(g.add(), names, x1, y1, z1, x2, y2, z2, u, v, h, r, x3, y3, z3)
}

// AddAffine is that of Add for z2 = 1, with Aff(x2, y2) for Jac(x2, y2, 1). A hypothesis is that it is not O.
func (g *formulas) AddAffine(x1, y1, z1, x2, y2, u, v, h, r, x3, y3, z3 Term) Theorem {
	th := g.Add(x1, y1, z1, x2, y2, logic.N(1), u, v, h, r, x3, y3, z3)
	aff, jac := Aff(g.c, x2, y2), Jac(g.c, x2, y2, logic.N(1))
	isO := logic.And(g.isZero(x2), g.isZero(y2))
	a := unfolded(aff, auto.Rewritten(assume(logic.Not(isO)), isO, logic.False()))
	one := auto.Must(kernel.Compute(spec.Inv(g.p, logic.N(1))))
	j := unfolded(jac, auto.Rewritten(one, spec.Inv(g.p, logic.N(1)), logic.N(1)))
	eq := rewriteAll(logic.Eq(jac, aff), j, a)
	// hypotheses that speak of jac are to speak of aff
	for _, h := range th.Hyps() {
		if h2 := logic.Replace(h, map[Term]Term{jac: aff}); h2 != h {
			th = Cut(th, h, taut(h, rewritten(h, auto.Rewritten(eq, jac, aff)), assume(h2)))
		}
	}
	return auto.Must(kernel.Rewrite(th, auto.Rewritten(eq, jac, aff)))
}

// instance puts terms for the variables.
func (g *formulas) instance(th Theorem, names []string, ts ...Term) Theorem {
	sigma := map[Term]Term{}
	for i, n := range names {
		sigma[formulaVar(n)] = ts[i]
	}
	th = auto.Must(kernel.Inst(th, sigma))
	if slices.Contains(th.Hyps(), logic.True()) {
		th = Cut(th, logic.True(), auto.True())
	}
	return th
}

// add proves, over the variables x1, …, z3:
//
//	u ≡ x1·z2², v ≡ y1·z2³, h ≡ x2·z1² − u, r ≡ y2·z1³ − v,
//	x3 ≡ r² − h³ − 2uh², y3 ≡ r(uh² − x3) − vh³, z3 ≡ z1·z2·h,
//	z1 ≢ 0, z2 ≢ 0, P and Q on the curve, P ≠ Q ⊢ Jac(x3,y3,z3) = P + Q
//
// with P = Jac(x1,y1,z1) and Q = Jac(x2,y2,z2).
func (g *formulas) add() Theorem {
	x1, y1, z1 := formulaVar("x1"), formulaVar("y1"), formulaVar("z1")
	x2, y2, z2 := formulaVar("x2"), formulaVar("y2"), formulaVar("z2")
	u, v, h, r := formulaVar("u"), formulaVar("v"), formulaVar("h"), formulaVar("r")
	x3, y3, z3 := formulaVar("x3"), formulaVar("y3"), formulaVar("z3")
	zero, one, two := logic.N(0), logic.N(1), logic.N(2)
	hh := logic.Mul(h, h)
	hu, hv := g.given(u, logic.Mul(x1, z2, z2)), g.given(v, logic.Mul(y1, z2, z2, z2))
	hd := g.given(h, logic.Sub(logic.Mul(x2, z1, z1), u))
	hr := g.given(r, logic.Sub(logic.Mul(y2, z1, z1, z1), v))
	hx := g.given(x3, logic.Sub(logic.Mul(r, r), logic.Add(logic.Mul(hh, h), logic.Mul(two, u, hh))))
	hy := g.given(y3, logic.Sub(logic.Mul(r, logic.Sub(logic.Mul(u, hh), x3)), logic.Mul(v, hh, h)))
	hz := g.given(z3, logic.Mul(z1, z2, h))
	P, Q, J := Jac(g.c, x1, y1, z1), Jac(g.c, x2, y2, z2), Jac(g.c, x3, y3, z3)
	goal := logic.Eq(J, spec.Add(g.p, g.c.A(), P, Q))

	A, B := g.affine(x1, y1, z1), g.affine(x2, y2, z2)
	zz, zzz := logic.Mul(z1, z1, z2, z2), logic.Mul(z1, z1, z1, z2, z2, z2)
	dx, dy := logic.Sub(B.xa, A.xa), logic.Sub(B.ya, A.ya)
	base := []rule{
		rewriting(hd, hd.R, h), rewriting(hr, hr.R, r), rewriting(hu, hu.R, u), rewriting(hv, hv.R, v),
		rewriting(A.x, A.x.R, x1), rewriting(A.y, A.y.R, y1), rewriting(B.x, B.x.R, x2), rewriting(B.y, B.y.R, y2),
	}
	hEq, rEq := g.equal(h, logic.Mul(dx, zz), base...), g.equal(r, logic.Mul(dy, zzz), base...)
	uEq, vEq := g.equal(u, logic.Mul(A.xa, zz), base...), g.equal(v, logic.Mul(A.ya, zzz), base...)
	zEq := g.congruent(z3, logic.Mul(dx, zzz), hz, by(hEq, logic.Mul(z1, z2)))

	plain := spec.Add(g.p, g.c.A(), A.point.To, B.point.To)
	same := logic.Eq(A.xa, B.xa)
	truth := func(t Term, th Theorem, is bool) kernel.Equation { return auto.Rewritten(th, t, logic.BoolConst(is)) }

	// x coordinates are equal: then y coordinates are opposite, and z3 ≡ 0
	caseSame := func() Theorem {
		eq := lin(assume(same), A.xa, B.xa, one)
		curve := func(p affine) auto.Lin { // ya² ≡ xa³ + a·xa + b
			on := spec.OnCurve(g.p, g.c.A(), g.c.B(), p.point.From)
			unfold := unfolded(spec.OnCurve(g.p, g.c.A(), g.c.B(), p.point.To))
			l := logic.Mul(p.ya, p.ya)
			rhs := logic.Add(logic.Mul(p.xa, p.xa, p.xa), logic.Mul(g.c.A(), p.xa), g.c.B())
			return lin(taut(logic.Cong(l, rhs, g.p), assume(on), rewritten(on, p.point), unfold.Th), l, rhs, one)
		}
		ca, cb := curve(A), curve(B)
		sum, diff := logic.Add(A.ya, B.ya), logic.Sub(A.ya, B.ya)
		// ya² − yb² − (f(xa) − f(xb)) ≡ 0, f(xa) − f(xb) = (xa − xb)(xa² + xa·xb + xb² + a)
		slope := logic.Add(logic.Mul(A.xa, A.xa), logic.Mul(A.xa, B.xa), logic.Mul(B.xa, B.xa), g.c.A())
		product := g.congruent(logic.Mul(diff, sum), zero, ca, by(cb, logic.N(-1)), by(eq, slope))
		// the first factor is not 0: the points are different
		inv := g.inverse(diff)
		opposite := g.congruent(sum, zero, by(inv, logic.Neg(sum)), by(product, spec.Inv(g.p, diff)))
		equalY := g.reduced(A.ya, B.ya, lin(assume(g.isZero(diff)), A.ya, B.ya, one))
		PQ := logic.Eq(P, Q)
		tuples := rewriteAll(PQ, A.point, B.point, auto.Rewritten(assume(same), A.xa, B.xa), auto.Rewritten(equalY, A.ya, B.ya))
		distinct := taut(logic.Not(g.isZero(diff)), implied(g.isZero(diff), tuples), assume(logic.Not(PQ)))
		opposite.Th = Cut(opposite.Th, logic.Not(g.isZero(diff)), distinct)
		// and J = O
		z0 := g.congruent(z3, zero, zEq, by(eq, logic.Neg(zzz)))
		JO := unfolded(J, truth(g.isZero(z3), z0.Th, true))
		add := unfolded(plain, truth(same, assume(same), true), truth(logic.Cong(sum, zero, g.p), opposite.Th, true))
		return rewriteAll(goal, JO, A.point, B.point, add)
	}()

	// the chord
	caseChord := func() Theorem {
		C := g.affine(x3, y3, z3)
		j := C.i
		// dx ≢ 0: else the coordinates, being reduced, were equal
		equalX := g.reduced(B.xa, A.xa, lin(assume(g.isZero(dx)), B.xa, A.xa, one))
		dxNot := taut(logic.Not(g.isZero(dx)), implied(g.isZero(dx), equalX), assume(logic.Not(same)))
		// z3 ≢ 0: dx ≡ z3·i1³·i2³
		iii := logic.Mul(A.i, A.i, A.i, B.i, B.i, B.i)
		one3 := func(z Term, i affine) auto.Lin { // z³·i³ ≡ 1
			zi := logic.Mul(z, i.i)
			return g.congruent(logic.Mul(zi, zi, zi), one, by(i.inv, logic.Add(logic.Mul(zi, zi), zi, one)))
		}
		a3, b3 := one3(z1, A), one3(z2, B)
		// dx = −dx·(a3 − 1)·b3 − dx·(b3 − 1) + dx·a3·b3
		dx0 := g.congruent(dx, zero, by(a3, logic.Neg(logic.Mul(dx, b3.L))), by(b3, logic.Neg(dx)), by(zEq, logic.Neg(iii)),
			lin(assume(g.isZero(z3)), z3, zero, iii))
		z3Not := taut(logic.Not(g.isZero(z3)), implied(g.isZero(z3), dx0.Th), assume(logic.Not(g.isZero(dx))))
		inv := g.inverse(dx)
		w := spec.Inv(g.p, dx)
		// j·z1³z2³ − w = −j·zzz·(dx·w − 1) + w·(z3·j − 1) − w·j·(z3 − dx·zzz)
		jz := g.congruent(logic.Mul(j, zzz), w, by(inv, logic.Neg(logic.Mul(j, zzz))), by(C.inv, w), by(zEq, logic.Neg(logic.Mul(w, j))))
		third := unfolded(plain, truth(same, assume(logic.Not(same)), false))
		add := unfolded(third.To)
		X, Y := spec.X(add.To), spec.Y(add.To)
		slope := third.To.Arg(1)
		l := slope.Arg(0)
		ls := g.congruent(slope, l, by(modulo(l, g.p), logic.N(-1)))
		rules := []rule{
			rewriting(hEq, hEq.R, h), rewriting(rEq, rEq.R, r), rewriting(uEq, uEq.R, u), rewriting(vEq, vEq.R, v),
			rewriting(ls, l, slope), rewriting(jz, w, j, z1, z1, z1, z2, z2, z2),
			rewriting(inv, logic.Add(one, logic.Mul(A.xa, w)), B.xa, w),
		}
		x3j, y3j := logic.Mul(x3, j, j), logic.Mul(y3, j, j, j)
		xEq := g.equal(x3j, X.Arg(0), append([]rule{rewriting(hx, hx.R, x3)}, rules...)...)
		xMod := g.congruent(x3j, X, xEq, by(modulo(X.Arg(0), g.p), one))
		yEq := g.equal(y3j, Y.Arg(0), append([]rule{rewriting(hy, hy.R, y3), rewriting(xMod, X, x3, j, j)}, rules...)...)
		mx, my := g.modEqual(x3j, X.Arg(0), xEq), g.modEqual(y3j, Y.Arg(0), yEq)
		th := rewriteAll(goal, C.point, A.point, B.point, third, add, mx, my)
		return Cut(Cut(th, logic.Not(g.isZero(z3)), z3Not), logic.Not(g.isZero(dx)), dxNot)
	}()
	return auto.Cases(goal, same, caseSame, caseChord)
}
