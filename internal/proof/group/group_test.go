package group

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// budget is enough steps of evaluation for a law.
const budget = 1 << 22

// A law is what the comment of a method says.
type law struct {
	name  string
	th    func(g *Group, P, Q, R Term) Theorem
	hyps  func(g *Group, P, Q, R Term) []Term
	concl func(g *Group, P, Q, R Term) Term
}

// documented are all methods that give theorems, written with the functions of the specification.
func documented() []law {
	add := func(g *Group, P, Q Term) Term { return weierstrass.Add(g.p, g.a, P, Q) }
	neg := func(g *Group, P Term) Term { return weierstrass.Neg(g.p, P) }
	on := func(g *Group, Ps ...Term) (hs []Term) {
		for _, P := range Ps {
			hs = append(hs, weierstrass.OnCurve(g.p, g.a, g.b, P))
		}
		return hs
	}
	on0 := func(g *Group, P, Q, R Term) []Term { return nil }
	on1 := func(g *Group, P, Q, R Term) []Term { return on(g, P) }
	on2 := func(g *Group, P, Q, R Term) []Term { return on(g, P, Q) }
	on3 := func(g *Group, P, Q, R Term) []Term { return on(g, P, Q, R) }
	O := weierstrass.Infinity()
	affine := func(P Term) Term { return logic.Not(weierstrass.IsInfinity(P)) }
	return []law{
		{"Infinite", func(g *Group, P, Q, R Term) Theorem { return g.Infinite(P) },
			func(g *Group, P, Q, R Term) []Term { return append(on(g, P), weierstrass.IsInfinity(P)) },
			func(g *Group, P, Q, R Term) Term { return logic.Eq(P, O) }},
		{"Affine", func(g *Group, P, Q, R Term) Theorem { return g.Affine(P) },
			func(g *Group, P, Q, R Term) []Term { return []Term{affine(P)} },
			func(g *Group, P, Q, R Term) Term {
				return logic.Eq(P, weierstrass.Affine(weierstrass.X(P), weierstrass.Y(P)))
			}},
		{"Same", func(g *Group, P, Q, R Term) Theorem { return g.Same(P, Q) },
			func(g *Group, P, Q, R Term) []Term {
				return append(on(g, P, Q), affine(P), affine(Q), logic.Cong(weierstrass.X(P), weierstrass.X(Q), g.p),
					logic.Cong(weierstrass.Y(P), weierstrass.Y(Q), g.p))
			},
			func(g *Group, P, Q, R Term) Term { return logic.Eq(P, Q) }},
		{"Closed", func(g *Group, P, Q, R Term) Theorem { return g.Closed(P, Q) }, on2,
			func(g *Group, P, Q, R Term) Term { return on(g, add(g, P, Q))[0] }},
		{"Comm", func(g *Group, P, Q, R Term) Theorem { return g.Comm(P, Q) }, on2,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(add(g, P, Q), add(g, Q, P)) }},
		{"LeftZero", func(g *Group, P, Q, R Term) Theorem { return g.LeftZero(P) }, on0,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(add(g, O, P), P) }},
		{"RightZero", func(g *Group, P, Q, R Term) Theorem { return g.RightZero(P) }, on1,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(add(g, P, O), P) }},
		{"RightNeg", func(g *Group, P, Q, R Term) Theorem { return g.RightNeg(P) }, on1,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(add(g, P, neg(g, P)), O) }},
		{"NegClosed", func(g *Group, P, Q, R Term) Theorem { return g.NegClosed(P) }, on1,
			func(g *Group, P, Q, R Term) Term { return on(g, neg(g, P))[0] }},
		{"NegNeg", func(g *Group, P, Q, R Term) Theorem { return g.NegNeg(P) }, on1,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(neg(g, neg(g, P)), P) }},
		{"NegAdd", func(g *Group, P, Q, R Term) Theorem { return g.NegAdd(P, Q) }, on2,
			func(g *Group, P, Q, R Term) Term {
				return logic.Eq(neg(g, add(g, P, Q)), add(g, neg(g, P), neg(g, Q)))
			}},
		{"Cancel", func(g *Group, P, Q, R Term) Theorem { return g.Cancel(P, Q) }, on2,
			func(g *Group, P, Q, R Term) Term { return logic.Eq(add(g, add(g, P, Q), neg(g, Q)), P) }},
		{"LeftCancel", func(g *Group, P, Q, R Term) Theorem { return g.LeftCancel(P, Q, R) },
			func(g *Group, P, Q, R Term) []Term {
				return append(on(g, P, Q, R), logic.Eq(add(g, P, Q), add(g, P, R)))
			},
			func(g *Group, P, Q, R Term) Term { return logic.Eq(Q, R) }},
		{"Assoc", func(g *Group, P, Q, R Term) Theorem { return g.Assoc(P, Q, R) }, on3,
			func(g *Group, P, Q, R Term) Term {
				return logic.Eq(add(g, add(g, P, Q), R), add(g, P, add(g, Q, R)))
			}},
		{"Torsion", func(g *Group, P, Q, R Term) Theorem { return g.Torsion(P) },
			func(g *Group, P, Q, R Term) []Term { return append(on(g, P), affine(P)) },
			func(g *Group, P, Q, R Term) Term { return logic.Not(logic.Cong(weierstrass.Y(P), logic.N(0), g.p)) }},
		{"DoubleZero", func(g *Group, P, Q, R Term) Theorem { return g.DoubleZero(P) },
			func(g *Group, P, Q, R Term) []Term { return append(on(g, P), logic.Eq(add(g, P, P), O)) },
			func(g *Group, P, Q, R Term) Term { return logic.Eq(P, O) }},
	}
}

// TestLaws: on every curve, each method gives the theorem that it documents: for variables, no more hypotheses and no other
// conclusion, and no axiom.
func TestLaws(t *testing.T) {
	P, Q, R := testPoint("P"), testPoint("Q"), testPoint("R")
	start := time.Now()
	for _, l := range identities() {
		l.get()
	}
	t.Logf("identities: %v", time.Since(start).Round(time.Millisecond))
	for _, c := range weierstrass.Curves() {
		start := time.Now()
		g := For(c).Warm()
		t.Logf("%s: %v", c.Name(), time.Since(start).Round(time.Millisecond))
		if g != For(c) {
			t.Errorf("%s: For does not keep the group", c.Name())
		}
		for _, l := range documented() {
			check(t, c.Name()+" "+l.name, l.th(g, P, Q, R), l.hyps(g, P, Q, R), l.concl(g, P, Q, R))
		}
		// Terms instead of variables: 2P + (P + Q) = P + (P + (P + Q)), where the second point occurs in the third.
		s := weierstrass.Add(g.p, g.a, P, Q)
		on := func(P Term) Term { return weierstrass.OnCurve(g.p, g.a, g.b, P) }
		check(t, c.Name()+" instance", g.Assoc(P, P, s), []Term{on(P), on(s)},
			logic.Eq(g.Add(g.Add(P, P), s), g.Add(P, g.Add(P, s))))
	}
	if n := len(documented()); n != len(For(weierstrass.P256()).laws()) {
		t.Errorf("%d laws are documented, %d proved", n, len(For(weierstrass.P256()).laws()))
	}
}

func testPoint(name string) Term { return logic.Var("test."+name, weierstrass.PointSort()) }

func check(t *testing.T, name string, th Theorem, hyps []Term, concl Term) {
	t.Helper()
	if th.Concl() != concl {
		t.Errorf("%s concludes %v, not %v", name, th.Concl(), concl)
	}
	want := map[Term]bool{}
	for _, h := range hyps {
		want[h] = true
	}
	got := th.Hyps()
	for _, h := range got {
		if !want[h] {
			t.Errorf("%s has the hypothesis %v", name, h)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s has %d hypotheses, not %d", name, len(got), len(want))
	}
	if a := th.Axioms(); len(a) != 0 {
		t.Errorf("%s rests on axioms %v", name, a)
	}
}

// holds evaluates a theorem; it tells whether the hypotheses are true.
func holds(t *testing.T, name string, th Theorem, env map[Term]logic.Value) bool {
	t.Helper()
	value := func(p Term) bool {
		v, err := logic.Eval(p, env, budget)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v.Bool()
	}
	for _, h := range th.Hyps() {
		if !value(h) {
			return false
		}
	}
	if !value(th.Concl()) {
		t.Fatalf("%s is false for %v", name, env)
	}
	return true
}

// TestPoints evaluates the laws of the real curves on multiples of the base point and on O.
func TestPoints(t *testing.T) {
	for _, c := range []weierstrass.Curve{weierstrass.P256(), weierstrass.Secp256k1(), weierstrass.BrainpoolP256r1()} {
		g := For(c)
		var ps []logic.Value
		for _, k := range []int64{0, 1, 2, 3} {
			for _, P := range []Term{weierstrass.Mul(logic.N(k), g.p, g.a, c.G()), g.Neg(weierstrass.Mul(logic.N(k), g.p, g.a, c.G()))} {
				v, err := logic.Eval(P, nil, budget)
				if err != nil {
					t.Fatal(err)
				}
				ps = append(ps, v)
			}
		}
		laws(t, c.Name(), g, ps, ps)
	}
}

// laws evaluates all lemmas about points, which must be true for some.
func laws(t *testing.T, name string, g *Group, ps, qs []logic.Value) {
	t.Helper()
	for i, l := range g.laws() {
		th, some := l.get(), false
		free := map[Term]bool{}
		for _, p := range append(th.Hyps(), th.Concl()) {
			for _, v := range logic.FreeVars(p) {
				free[v] = true
			}
		}
		only := func(v Term, ps []logic.Value) []logic.Value {
			if !free[v] {
				return ps[:1]
			}
			return ps
		}
		for _, P := range only(vP, ps) {
			for _, Q := range only(vQ, qs) {
				for _, R := range only(vR, ps) {
					env := map[Term]logic.Value{vP: P, vQ: Q, vR: R}
					some = holds(t, fmt.Sprintf("%s, law %d", name, i), th, env) || some
				}
			}
		}
		if !some {
			t.Errorf("%s: the hypotheses of law %d are never true", name, i)
		}
	}
}

// curve is a curve over a small field, with its points, O first.
type curve struct {
	p, a, b int64
	points  []logic.Value
}

func pointValue(x, y int64) logic.Value {
	return logic.TupleValue(logic.BoolValue(false), logic.IntValue(big.NewInt(x)), logic.IntValue(big.NewInt(y)))
}

var infinity = logic.TupleValue(logic.BoolValue(true), logic.IntValue(new(big.Int)), logic.IntValue(new(big.Int)))

// small are the curves over the field of p elements, with or without points of order 2.
func small(p int64, torsion bool) (cs []*curve) {
	for a := range p {
		for b := range p {
			if (4*a*a*a+27*b*b)%p == 0 {
				continue
			}
			c, two := &curve{p: p, a: a, b: b, points: []logic.Value{infinity}}, false
			for x := range p {
				for y := range p {
					if (y*y-x*x*x-a*x-b)%p == 0 {
						c.points = append(c.points, pointValue(x, y))
						two = two || y == 0
					}
				}
			}
			if two == torsion {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

func (c *curve) group() *Group {
	name := fmt.Sprintf("y² = x³ + %dx + %d over F%d", c.a, c.b, c.p)
	return newGroup(name, logic.N(c.p), logic.N(c.a), logic.N(c.b))
}

// TestSmall proves the laws of all curves over F5 that have no points of order 2, and of some over F7, and
// evaluates them on all triples of points, and of things that are no points.
func TestSmall(t *testing.T) {
	curves := 0
	for p, limit := range map[int64]int{5: 99, 7: 3} {
		for i, c := range small(p, false) {
			if i >= limit || len(c.points) < 2 { // O alone is a group in which no law says anything
				continue
			}
			g := c.group()
			others := append([]logic.Value{pointValue(1, 0), pointValue(-1, p)}, c.points...)
			laws(t, g.name, g, c.points, others)
			curves++
		}
	}
	if curves < 8 {
		t.Errorf("%d curves", curves)
	}
}

// TestOrderTwo: where a point has order 2, there is no proof of what is false.
func TestOrderTwo(t *testing.T) {
	n := 0
	for _, p := range []int64{5, 7} {
		for _, c := range small(p, true) {
			g := c.group()
			for _, f := range []func(){func() { g.Torsion(vP) }, func() { g.DoubleZero(vP) }} {
				if err := auto.Run(f); err == nil {
					t.Errorf("%s: proved that no point has order 2", g.name)
				} else if c.b != 0 && !strings.Contains(err.Error(), "root") {
					t.Errorf("%s: %v", g.name, err)
				}
			}
			n++
		}
	}
	if n < 20 {
		t.Errorf("%d curves", n)
	}
}

// TestComposite: a modulus that isn't prime has no group.
func TestComposite(t *testing.T) {
	g := newGroup("composite", logic.N(35), logic.N(1), logic.N(1))
	for _, f := range []func(){func() { g.Closed(vP, vQ) }, func() { g.Assoc(vP, vQ, vR) }} {
		if auto.Run(f) == nil {
			t.Error("proved for the modulus 35")
		}
	}
}

// TestGeneration: what was proved within a generation is proved again after it.
func TestGeneration(t *testing.T) {
	// A curve of no other test: its terms are not in the store yet.
	g := newGroup("y² = x³ + x + 3 over F17", logic.N(17), logic.N(1), logic.N(3))
	gen, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	old := g.Assoc(vP, vQ, vR)
	gen.Drop()
	if old.Concl().Err() == nil {
		t.Fatal("the theorem outlives its generation")
	}
	c := documented()[13]
	check(t, c.name, g.Assoc(vP, vQ, vR), c.hyps(g, vP, vQ, vR), c.concl(g, vP, vQ, vR))
}

// BenchmarkProve proves all laws of P-256 afresh, but not the identities.
func BenchmarkProve(b *testing.B) {
	c := weierstrass.P256()
	for b.Loop() {
		newGroup(c.Name(), c.P(), c.A(), c.B()).Warm()
	}
}
