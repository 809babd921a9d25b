package kernel_test

import (
	"fmt"
	"math/big"
	"testing"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Rules compose: what isn't in the kernel because it is derivable, derived here with exported functions only.

type (
	term    = logic.Term
	theorem = kernel.Theorem
)

func must(th theorem, err error) theorem {
	if err != nil {
		panic(err)
	}
	return th
}

func num(i int64) term { return logic.N(i) }

func not(p term) term { return logic.Not(p) }

func assume(p term) theorem { return must(kernel.Assume(p)) }

func taut(q term, ps ...theorem) theorem { return must(kernel.Taut(q, ps...)) }

func discharge(p term, th theorem) theorem { return must(kernel.Discharge(p, th)) }

// lin is the equation l = r times m, whatever sign its theorem has.
func lin(th theorem, l, r, m term) kernel.Multiple {
	if d := logic.Sub(l, r); logic.Eq0(d) != logic.True() && th.Concl().Arg(0) != d {
		m = logic.Neg(m)
	}
	return kernel.Multiple{Fact: th, By: m}
}

// equal proves a = b as a combination of equations.
func equal(a, b term, ms ...kernel.Multiple) theorem { return must(kernel.Eq(logic.Sub(a, b), ms...)) }

// le proves 0 ≤ t as the sum of facts 0 ≤ aᵢ times constants, multiples of equations, and a constant ≥ 0, which it
// finds.
func le(t term, facts []theorem, coefs []*big.Int, ms ...kernel.Multiple) theorem {
	rest := t
	var ps []kernel.Product
	for i, f := range facts {
		c := big.NewInt(1)
		if coefs != nil {
			c = coefs[i]
		}
		if f.Concl() == logic.True() { // says nothing
			continue
		}
		ps = append(ps, kernel.Product{Coef: c, Factors: []int{i}})
		rest = logic.Sub(rest, logic.Mul(logic.IntConst(c), f.Concl().Arg(0)))
	}
	for _, m := range ms {
		if m.Fact.Concl() != logic.True() {
			rest = logic.Sub(rest, logic.Mul(m.By, m.Fact.Concl().Arg(0)))
		}
	}
	if c, ok := rest.Const(); ok && c.Sign() >= 0 {
		ps = append(ps, kernel.Product{Coef: c})
	}
	return must(kernel.Le(t, facts, ps, ms...))
}

// by replaces the condition c in th by what the fact, c or ¬c, says.
func by(th theorem, c term, fact theorem) theorem {
	return must(kernel.Rewrite(th, kernel.Equation{Th: fact, From: c, To: logic.BoolConst(fact.Concl() == c)}))
}

// cut is Gomory's: from 0 ≤ c·p + d with c > 0: 0 ≤ p + ⌊d/c⌋. If not, −p − ⌊d/c⌋ − 1 ≥ 0; c times that plus the
// premise is a negative constant.
func cut(th theorem, c *big.Int, p term) theorem {
	d, ok := logic.Sub(th.Concl().Arg(0), logic.Mul(logic.IntConst(c), p)).Const()
	if !ok {
		panic("no cut")
	}
	goal := logic.Ge0(logic.Add(p, logic.Div(logic.IntConst(d), logic.IntConst(c))))
	contradiction := le(num(-1), []theorem{assume(not(goal)), th}, []*big.Int{c, big.NewInt(1)})
	return taut(goal, discharge(not(goal), contradiction))
}

// Integers are discrete: a < b and a+1 ≤ b are one term, and so are ¬(b ≤ a) and a < b.
func Example_discreteness() {
	a, b := logic.Var("a", logic.Int()), logic.Var("b", logic.Int())
	th := taut(logic.Le(logic.Add(a, num(1)), b), assume(logic.Lt(a, b)))
	fmt.Println(th)
	fmt.Println(taut(logic.Lt(a, b), assume(not(logic.Le(b, a)))))
	// Nothing lies between: 0 < c < 1 is false.
	c := logic.Var("c", logic.Int())
	fmt.Println(le(num(-1), []theorem{assume(logic.Lt(num(0), c)), assume(logic.Lt(c, num(1)))}, nil).Concl())
	// Output:
	// [1 + a ≤ b] ⊢ 1 + a ≤ b
	// [1 + a ≤ b] ⊢ 1 + a ≤ b
	// false
}

// From 3x ≤ 10: x ≤ 3.
func Example_cut() {
	x := logic.Var("x", logic.Int())
	fmt.Println(cut(assume(logic.Le(logic.Mul(num(3), x), num(10))), big.NewInt(3), logic.Neg(x)))
	fmt.Println(cut(assume(logic.Le(num(-10), logic.Mul(num(3), x))), big.NewInt(3), x))
	// Output:
	// [3·x ≤ 10] ⊢ x ≤ 3
	// [0 ≤ 10 + 3·x] ⊢ 0 ≤ 3 + x
}

// rangeOf is ⊢ 0 ≤ uint x and ⊢ uint x ≤ 2ⁿ−1.
func rangeOf(x term) (lo, hi theorem) {
	lo, hi, err := kernel.UintRange(x)
	must(lo, err)
	return lo, hi
}

// TestNoWrap: a sum that stays below 2ⁿ is exact; of one that may wrap, the carry is what is missing.
func TestNoWrap(t *testing.T) {
	a, b := logic.Var("a", logic.BV(64)), logic.Var("b", logic.BV(64))
	ua, ub := logic.Uint(a), logic.Uint(b)
	la, ha := rangeOf(a)
	lb, hb := rangeOf(b)
	fits := assume(logic.Le(logic.Add(ua, ub), logic.Sub(logic.Pow2(64), num(1))))
	th := must(kernel.UintExact(logic.BVAdd(a, b), le(logic.Add(ua, ub), []theorem{la, lb}, nil), fits))
	if th.Concl() != logic.Eq(logic.Uint(logic.BVAdd(a, b)), logic.Add(ua, ub)) || len(th.Hyps()) != 1 {
		t.Errorf("%v", th)
	}
	// In 65 bits there is nothing to assume, and splitting at 64 gives low + 2⁶⁴·carry = a + b.
	wide := logic.BVAdd(logic.Zext(65, a), logic.Zext(65, b))
	exact := must(kernel.UintExact(wide, le(logic.Add(ua, ub), []theorem{la, lb}, nil), le(logic.Sub(logic.Sub(logic.Pow2(65), num(1)), logic.Add(ua, ub)), []theorem{ha, hb}, nil)))
	split := must(kernel.UintSplit(wide, 64))
	low, carry := logic.Extract(63, 0, wide), logic.Extract(64, 64, wide)
	parts := logic.Add(logic.Uint(low), logic.Mul(logic.Pow2(64), logic.Uint(carry)))
	th = equal(parts, logic.Add(ua, ub), lin(split, logic.Uint(wide), parts, num(-1)), lin(exact, logic.Uint(wide), logic.Add(ua, ub), num(1)))
	if len(th.Hyps()) != 0 {
		t.Errorf("%v", th)
	}
	// and the low half is the wrapping sum
	if th := must(kernel.LowRing(low, logic.BVAdd(a, b))); th.Concl() != logic.Eq(low, logic.BVAdd(a, b)) {
		t.Errorf("%v", th)
	}
}

// TestComplement: uint ¬x = 2ⁿ−1 − uint x, from the congruence −1 − uint x and ranges.
func TestComplement(t *testing.T) {
	x := logic.Var("x", logic.BV(8))
	ux, un := logic.Uint(x), logic.Uint(logic.BVNot(x))
	lo, hi := rangeOf(x)
	l2, h2 := rangeOf(logic.BVNot(x))
	mod := must(kernel.UintMod(logic.BVNot(x)))
	d := logic.Add(un, ux, num(1)) // ≡ 0 (mod 256) and between 1 and 511, so 256·(k+1) with k = 0
	e := must(kernel.DvdElim(must(kernel.Cong(d, num(256), term{}, lin(mod, un, logic.Sub(num(-1), ux), num(1))))))
	k := logic.Sub(logic.Div(d, num(256)), num(1))
	r := logic.Mul(num(256), logic.Add(k, num(1)))
	up := le(logic.Sub(num(255), logic.Mul(num(256), k)), []theorem{hi, h2}, nil, lin(e, d, r, num(1)))
	down := le(logic.Add(num(255), logic.Mul(num(256), k)), []theorem{lo, l2}, nil, lin(e, d, r, num(-1)))
	zero := must(kernel.Antisym(k, cut(down, big.NewInt(256), k), cut(up, big.NewInt(256), logic.Neg(k))))
	th := equal(un, logic.Sub(num(255), ux), lin(e, d, r, num(1)), lin(zero, k, num(0), num(256)))
	if th.Concl() != logic.Eq(un, logic.Sub(num(255), ux)) || len(th.Hyps()) != 0 {
		t.Errorf("%v", th)
	}
}

// pigeonhole derives N ≤ M from: f is injective on 0..N−1 (inj: 0 ≤ i, i ≤ j−1, j ≤ N−1 ⇒ f(i) ≠ f(j), for variables
// i, j), f maps into 0..M−1 (rng: 0 ≤ k, k ≤ N−1 ⇒ 0 ≤ f(k) ≤ M−1, for the variable k), 0 ≤ N and 0 ≤ M. Everything is
// by recursive definitions and induction; no finite sets. f's extra arguments are ps.
func pigeonhole(name string, f func(term) term, ps []term, N, M term, inj, rng, natN, natM theorem) theorem {
	Int := logic.Int()
	i, j, k, n, m, v, rec := logic.Var("i", Int), logic.Var("j", Int), logic.Var("k", Int), logic.Var("n", Int), logic.Var("m", Int), logic.Var("v", Int), logic.Var("rec", Int)
	ind := func(c term) term { return logic.Ite(c, num(1), num(0)) }
	isV := func(k, v term) term { return logic.Eq(f(k), v) }
	def := func(d logic.Def, err error) func(n, a term) term {
		if err != nil {
			panic(err)
		}
		return func(n, a term) term { return d.App(append([]term{n, a}, ps...)...) }
	}
	// cnt(n, v): how many i < n have f(i) = v; last(n, v): the last of them; total(n, k): Σ_{v<n} cnt(k, v)
	cnt := def(logic.DefineRec(name+".cnt", n, rec, append([]term{v}, ps...), num(0), logic.Add(rec, ind(isV(n, v)))))
	last := def(logic.DefineRec(name+".last", n, rec, append([]term{v}, ps...), num(-1), logic.Ite(isV(n, v), n, rec)))
	total := def(logic.DefineRec(name+".total", n, rec, append([]term{k}, ps...), num(0), logic.Add(rec, cnt(k, n))))
	add1 := func(t term) term { return logic.Add(t, num(1)) }
	less := func(a, b term) term { return logic.Le(a, logic.Sub(b, num(1))) }
	unfold := func(t term) theorem { return must(kernel.Unfold(t)) }
	subst := func(t, x, y term) term { return logic.Subst(t, map[term]term{x: y}) }
	inst := func(th theorem, m map[term]term) theorem { return must(kernel.Inst(th, m)) }

	// next: from 0 ≤ t: d(t+1, a) = r
	next := func(d func(n, a term) term, t, a, r term, ge theorem) (term, term, theorem) {
		l := d(add1(t), a)
		c := logic.Le(add1(t), num(0))
		th := by(unfold(l), c, taut(not(c), le(t, []theorem{ge}, nil)))
		if th.Concl() != logic.Eq(l, r) {
			panic(fmt.Sprintf("%v, not %v", th, logic.Eq(l, r)))
		}
		return l, r, th
	}
	nextCnt := func(t, a term, ge theorem) (term, term, theorem) {
		return next(cnt, t, a, logic.Add(cnt(t, a), ind(isV(t, a))), ge)
	}
	nextTotal := func(t, a term, ge theorem) (term, term, theorem) {
		return next(total, t, a, logic.Add(total(t, a), cnt(a, t)), ge)
	}
	// indIs: ind(c) = 1 or 0 by a fact c or ¬c
	indIs := func(c term, fact theorem) (term, term, theorem) {
		yes := fact.Concl() == c
		val := num(0)
		if yes {
			val = num(1)
		}
		return ind(c), val, must(kernel.RewriteTerm(ind(c), kernel.Equation{Th: fact, From: c, To: logic.BoolConst(yes)}))
	}
	byCases := func(c, goal term, yes, no theorem) theorem {
		return taut(goal, discharge(c, yes), discharge(not(c), no))
	}

	geK, geM := assume(logic.Ge0(k)), assume(logic.Ge0(m))
	fk := f(k)
	k1, m1 := add1(k), add1(m)

	// A: 0 ≤ k, 0 ≤ f(k) ⊢ 0 ≤ m ⇒ total(m, k+1) = total(m, k) + [f(k) ≤ m−1]
	below := func(m term) term { return less(fk, m) }
	A := logic.Eq(total(m, k1), logic.Add(total(m, k), ind(below(m))))
	geF := assume(logic.Ge0(fk))
	z1, z0 := total(num(0), k1), total(num(0), k)
	l, r, e := indIs(below(num(0)), taut(not(below(num(0))), geF))
	base := equal(z1, logic.Add(z0, ind(below(num(0)))), lin(unfold(z1), z1, num(0), num(1)), lin(unfold(z0), z0, num(0), num(-1)), lin(e, l, r, num(-1)))
	a1, b1, e1 := nextTotal(m, k1, geM)
	a2, b2, e2 := nextTotal(m, k, geM)
	a3, b3, e3 := nextCnt(k, m, geK)
	goal := subst(A, m, m1)
	ih := assume(A)
	c1, c2 := below(m), isV(k, m)
	with := func(lt, eq theorem) theorem { // facts deciding f(k) ≤ m−1 and f(k) = m; then f(k) ≤ m is decided too
		p, q, x := indIs(c1, lt)
		s, t, y := indIs(c2, eq)
		var dec theorem
		switch {
		case lt.Concl() == c1:
			dec = le(logic.Sub(m, fk), []theorem{lt}, nil)
		case eq.Concl() == c2:
			dec = le(logic.Sub(m, fk), nil, nil, lin(eq, fk, m, num(-1)))
		default: // m ≤ f(k) and f(k) ≠ m, so not f(k) ≤ m
			anti := must(kernel.Antisym(logic.Sub(m, fk), assume(logic.Le(fk, m)), assume(not(c1))))
			dec = taut(not(below(m1)), lt, eq, discharge(below(m1), discharge(not(c1), anti)))
		}
		u, w, z := indIs(below(m1), dec)
		return equal(total(m1, k1), logic.Add(total(m1, k), ind(below(m1))), lin(e1, a1, b1, num(1)), lin(e2, a2, b2, num(-1)), lin(e3, a3, b3, num(1)),
			lin(ih, total(m, k1), logic.Add(total(m, k), ind(c1)), num(1)), lin(x, p, q, num(1)), lin(y, s, t, num(1)), lin(z, u, w, num(-1)))
	}
	contra := taut(goal, assume(c1), assume(c2), discharge(c1, discharge(c2, le(num(-1), []theorem{assume(c1)}, nil, lin(assume(c2), fk, m, num(1))))))
	step := byCases(c1, goal, byCases(c2, goal, contra, with(assume(c1), assume(not(c2)))),
		byCases(c2, goal, with(assume(not(c1)), assume(c2)), with(assume(not(c1)), assume(not(c2)))))
	thA := must(kernel.Induct(m, A, base, step))

	// B: ⊢ 0 ≤ k ⇒ (k ≤ N ⇒ total(M, k) = k)
	P0 := logic.Eq(total(m, num(0)), num(0))
	z := total(num(0), num(0))
	ta, tb, te := nextTotal(m, num(0), geM)
	c0 := cnt(num(0), m)
	B0 := must(kernel.Induct(m, P0, unfold(z), equal(total(m1, num(0)), num(0), lin(te, ta, tb, num(1)), lin(assume(P0), total(m, num(0)), num(0), num(1)), lin(unfold(c0), c0, num(0), num(1)))))
	B0 = taut(logic.Eq(total(M, num(0)), num(0)), inst(B0, map[term]term{m: M}), natM)
	tot := total(M, k)
	PB := logic.Imp(logic.Le(k, N), logic.Eq(tot, k))
	hN := assume(logic.Le(k1, N))
	kN := le(logic.Sub(N, k), []theorem{hN}, nil)
	rk := taut(logic.And(logic.Ge0(fk), below(M)), rng, geK, hN)
	fge, flt := taut(logic.Ge0(fk), rk), taut(below(M), rk)
	aM := inst(thA, map[term]term{m: M})
	aM = taut(logic.Eq(total(M, k1), logic.Add(tot, ind(below(M)))), discharge(logic.Ge0(fk), aM), fge, natM)
	p, q, x := indIs(below(M), flt)
	ihB := taut(logic.Eq(tot, k), assume(PB), kN)
	stB := equal(total(M, k1), k1, lin(aM, total(M, k1), logic.Add(tot, ind(below(M))), num(1)), lin(x, p, q, num(1)), lin(ihB, tot, k, num(1)))
	thB := must(kernel.Induct(k, PB, taut(subst(PB, k, num(0)), B0), discharge(logic.Le(k1, N), stB)))

	// C: ⊢ 0 ≤ k ⇒ (1 ≤ cnt(k, v) ⇒ f(last) = v ∧ 0 ≤ last ≤ k−1)
	prop := func(k, l term) term { return logic.And(logic.Eq(f(l), v), logic.Ge0(l), less(l, k)) }
	some := func(k term) term { return logic.Le(num(1), cnt(k, v)) }
	PC := logic.Imp(some(k), prop(k, last(k, v)))
	cz := cnt(num(0), v)
	baseC := taut(subst(PC, k, num(0)), discharge(some(num(0)), le(num(-1), []theorem{assume(some(num(0)))}, nil, lin(unfold(cz), cz, num(0), num(-1)))))
	hit := isV(k, v)
	lkv := last(k, v)
	lt, _, leq := next(last, k, v, logic.Ite(hit, k, lkv), geK)
	ct, cb, ceq := nextCnt(k, v, geK)
	goalC := subst(PC, k, k1)
	hole := logic.Var("hole", Int)
	yes := taut(prop(k1, k), assume(hit), geK)
	yes = taut(goalC, must(kernel.Leibniz(by(leq, hit, assume(hit)), k, lt, yes, prop(k1, hole), hole)))
	miss := assume(not(hit))
	s, t, y := indIs(hit, miss)
	same := le(logic.Sub(cnt(k, v), num(1)), []theorem{assume(logic.Le(num(1), ct))}, nil, lin(ceq, ct, cb, num(-1)), lin(y, s, t, num(-1)))
	pk := taut(prop(k, lkv), assume(PC), same)
	up := le(logic.Sub(k, lkv), []theorem{taut(less(lkv, k), pk)}, nil)
	no := taut(prop(k1, lkv), pk, up)
	no = discharge(some(k1), must(kernel.Leibniz(by(leq, hit, miss), lkv, lt, no, prop(k1, hole), hole)))
	thC := must(kernel.Induct(k, PC, baseC, byCases(hit, goalC, yes, no)))

	// D: ⊢ 0 ≤ k ⇒ (k ≤ N ⇒ cnt(k, v) ≤ 1)
	PD := logic.Imp(logic.Le(k, N), logic.Le(cnt(k, v), num(1)))
	baseD := taut(subst(PD, k, num(0)), le(logic.Sub(num(1), cz), nil, nil, lin(unfold(cz), cz, num(0), num(-1))))
	goalD := logic.Le(ct, num(1))
	ihD := taut(logic.Le(cnt(k, v), num(1)), assume(PD), kN)
	noD := le(logic.Sub(num(1), ct), []theorem{ihD}, nil, lin(ceq, ct, cb, num(-1)), lin(y, s, t, num(-1)))
	// f(k) = v: if 1 ≤ cnt(k, v) then i = last(k, v) < k has f(i) = v = f(k)
	w := taut(prop(k, lkv), taut(PC, thC, geK), assume(some(k)))
	ij := inst(inj, map[term]term{i: lkv, j: k})
	eqf := equal(f(lkv), fk, lin(taut(logic.Eq(f(lkv), v), w), f(lkv), v, num(1)), lin(assume(hit), fk, v, num(-1)))
	none := taut(not(some(k)), discharge(some(k), taut(logic.False(), ij, w, eqf, hN)))
	s2, t2, y2 := indIs(hit, assume(hit))
	yesD := le(logic.Sub(num(1), ct), []theorem{none}, nil, lin(ceq, ct, cb, num(-1)), lin(y2, s2, t2, num(-1)))
	thD := must(kernel.Induct(k, PD, baseD, discharge(logic.Le(k1, N), byCases(hit, goalD, yesD, noD))))

	// E: ⊢ 0 ≤ m ⇒ total(m, N) ≤ m
	PE := logic.Le(total(m, N), m)
	ea, eb, ee := nextTotal(m, N, geM)
	zE := total(num(0), N)
	d := taut(logic.Le(cnt(N, m), num(1)), inst(thD, map[term]term{k: N, v: m}), natN)
	thE := must(kernel.Induct(m, PE, le(logic.Neg(zE), nil, nil, lin(unfold(zE), zE, num(0), num(-1))),
		le(logic.Sub(m1, total(m1, N)), []theorem{assume(PE), d}, nil, lin(ee, ea, eb, num(-1)))))

	tN := total(M, N)
	eqN := taut(logic.Eq(tN, N), inst(thB, map[term]term{k: N}), natN)
	leM := taut(logic.Le(tN, M), inst(thE, map[term]term{m: M}), natM)
	return le(logic.Sub(M, N), []theorem{leM}, nil, lin(eqN, tN, N, num(1)))
}

// TestPigeonhole uses the principle on f(i) = i + d, of which it is told only that it is injective and its range:
// under 0 ≤ d and N + d ≤ M.
func TestPigeonhole(t *testing.T) {
	Int := logic.Int()
	N, M, d, i, j, k := logic.Var("N", Int), logic.Var("M", Int), logic.Var("d", Int), logic.Var("i", Int), logic.Var("j", Int), logic.Var("k", Int)
	shift, err := logic.Define("test.pigeon.shift", []term{i, d}, logic.Add(i, d))
	if err != nil {
		t.Fatal(err)
	}
	f := func(i term) term { return shift.App(i, d) }
	at := func(i term) kernel.Multiple {
		return lin(must(kernel.Unfold(f(i))), f(i), logic.Add(i, d), num(1))
	}
	// f(i) ≠ f(j) for i ≤ j−1, as a contradiction
	lt := logic.Le(i, logic.Sub(j, num(1)))
	same := logic.Eq(f(i), f(j))
	fi, fj := at(i), at(j)
	fj.By = logic.Neg(fj.By)
	minus := func(m kernel.Multiple) kernel.Multiple { return kernel.Multiple{Fact: m.Fact, By: logic.Neg(m.By)} }
	no := le(num(-1), []theorem{assume(lt)}, nil, minus(fi), minus(fj), lin(assume(same), f(i), f(j), num(1)))
	inj := taut(logic.Imp(logic.And(logic.Ge0(i), lt, logic.Le(j, logic.Sub(N, num(1)))), not(same)), discharge(lt, discharge(same, no)))
	dpos, room := assume(logic.Ge0(d)), assume(logic.Le(logic.Add(N, d), M))
	kge, klt := assume(logic.Ge0(k)), assume(logic.Le(k, logic.Sub(N, num(1))))
	lo := le(f(k), []theorem{kge, dpos}, nil, at(k))
	hi := le(logic.Sub(logic.Sub(M, num(1)), f(k)), []theorem{klt, room}, nil, minus(at(k)))
	rng := taut(logic.Imp(logic.And(kge.Concl(), klt.Concl()), logic.And(lo.Concl(), hi.Concl())), discharge(kge.Concl(), discharge(klt.Concl(), taut(logic.And(lo.Concl(), hi.Concl()), lo, hi))))

	before := kernel.Inferences()
	th := pigeonhole("test.pigeon", f, []term{d}, N, M, inj, rng, assume(logic.Ge0(N)), assume(logic.Ge0(M)))
	t.Logf("%v, %d inferences", th, kernel.Inferences()-before)
	if th.Concl() != logic.Le(N, M) || len(th.Axioms()) != 0 {
		t.Fatalf("%v", th)
	}
	want := []term{logic.Ge0(d), room.Concl(), logic.Ge0(N), logic.Ge0(M)}
	if len(th.Hyps()) != len(want) {
		t.Fatalf("hypotheses %v, want %v", th.Hyps(), want)
	}
	for _, h := range want {
		th = discharge(h, th)
	}
	if len(th.Hyps()) != 0 {
		t.Errorf("hypotheses %v", th.Hyps())
	}
}

// TestUniqueResidue: from x ≡ y (mod m), 0 ≤ x, y < m: x = y.
func TestUniqueResidue(t *testing.T) {
	x, y := logic.Var("x", logic.Int()), logic.Var("y", logic.Int())
	m := big.NewInt(97)
	M := logic.IntConst(m)
	e := must(kernel.DvdElim(assume(logic.Cong(x, y, M))))
	p := e.Hyps()[0].Arg(0) // x − y or y − x
	q := logic.Div(p, M)
	eq := lin(e, p, logic.Mul(M, q), num(1))
	if p != logic.Sub(x, y) {
		x, y = y, x
	}
	x0, y0 := assume(logic.Ge0(x)), assume(logic.Ge0(y))
	x1, y1 := assume(logic.Lt(x, M)), assume(logic.Lt(y, M))
	// m·q = x − y lies between −(m−1) and m−1
	up := le(logic.Sub(num(96), logic.Mul(M, q)), []theorem{x1, y0}, nil, eq)
	down := le(logic.Add(num(96), logic.Mul(M, q)), []theorem{x0, y1}, nil, kernel.Multiple{Fact: e, By: logic.Neg(eq.By)})
	zero := must(kernel.Antisym(q, cut(down, m, q), cut(up, m, logic.Neg(q))))
	th := equal(x, y, eq, lin(zero, q, num(0), M))
	if th.Concl() != logic.Eq(x, y) || len(th.Hyps()) != 5 {
		t.Fatalf("%v", th)
	}
}
