package number

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// power is expmod(x, k, m) for the variable m.
func power(x, k Term) Term { return logic.Expmod(x, k, m) }

func positive() Theorem { return assume(logic.Le(one, m)) }

// first is 1 ≤ m ⊢ expmod(x, 0, m) ≡ 1.
func first(x Term) auto.Lin {
	return lin(auto.Must(kernel.ExpmodZero(x, m, positive())), power(x, zero), one, one)
}

// next is expmod(x, k+1, m) ≡ x·expmod(x, k, m), from 0 ≤ k.
func next(x, k Term, nonneg Theorem) auto.Lin {
	return lin(auto.Must(kernel.ExpmodStep(x, k, m, nonneg)), power(x, logic.Add(k, one)), logic.Mul(x, power(x, k)), one)
}

// induct proves 0 ≤ n ⊢ p by induction on n, from p at 0 and at n+1; the latter may have the hypotheses 0 ≤ n and p.
func induct(n, p Term, base, step Theorem) Theorem {
	return taut(p, auto.Must(kernel.Induct(n, p, base, step)), assume(logic.Ge0(n)))
}

// ExpZero: 1 ≤ m ⊢ expmod(x, 0, m) ≡ 1 (mod m).
func ExpZero(x0, m0 Term) Theorem { return instance(first(x).Th, subst{x: x0, m: m0}) }

// ExpOne: 1 ≤ m ⊢ expmod(x, 1, m) ≡ x (mod m).
func ExpOne(x0, m0 Term) Theorem { return instance(expOne.get(), subst{x: x0, m: m0}) }

var expOne = &lemma{prove: func() Theorem {
	return congruent(power(x, one), x, next(x, zero, auto.True()), by(first(x), x))
}}

// ExpNext: 0 ≤ k ⊢ expmod(x, k+1, m) ≡ x·expmod(x, k, m) (mod m).
func ExpNext(x0, k0, m0 Term) Theorem {
	return instance(next(x, k, assume(logic.Ge0(k))).Th, subst{x: x0, k: k0, m: m0})
}

// ExpAdd: 1 ≤ m, 0 ≤ i, 0 ≤ j ⊢ expmod(x, i+j, m) ≡ expmod(x, i, m)·expmod(x, j, m) (mod m).
func ExpAdd(x0, i0, j0, m0 Term) Theorem {
	return instance(expAdd.get(), subst{x: x0, i: i0, j: j0, m: m0})
}

var expAdd = &lemma{prove: func() Theorem {
	goal := func(i Term) (l, r Term) { return power(x, logic.Add(i, j)), logic.Mul(power(x, i), power(x, j)) }
	at := func(i Term, ls ...auto.Lin) Theorem {
		l, r := goal(i)
		return congruent(l, r, ls...)
	}
	l, r := goal(i)
	ni, nj := assume(logic.Ge0(i)), assume(logic.Ge0(j))
	base := at(zero, by(first(x), logic.Neg(power(x, j))))
	step := at(logic.Add(i, one), next(x, logic.Add(i, j), sum(ni, nj)), by(next(x, i, ni), logic.Neg(power(x, j))),
		lin(assume(logic.Cong(l, r, m)), l, r, x))
	return induct(i, logic.Cong(l, r, m), base, step)
}}

// ExpMul: 1 ≤ m, 0 ≤ i, 0 ≤ j ⊢ expmod(x, i·j, m) ≡ expmod(expmod(x, i, m), j, m) (mod m).
func ExpMul(x0, i0, j0, m0 Term) Theorem {
	return instance(expMul.get(), subst{x: x0, i: i0, j: j0, m: m0})
}

var expMul = &lemma{prove: func() Theorem {
	root := power(x, i)
	l, r := power(x, logic.Mul(i, j)), power(root, j)
	ni, nj := assume(logic.Ge0(i)), assume(logic.Ge0(j))
	base := congruent(power(x, zero), power(root, zero), first(x), by(first(root), logic.N(-1)))
	above := logic.Add(logic.Mul(i, j), i) // i·(j+1)
	add := Use(ExpAdd(x, logic.Mul(i, j), i, m), product(ni, nj))
	step := congruent(power(x, above), power(root, logic.Add(j, one)), lin(add, power(x, above), logic.Mul(l, root), one),
		by(next(root, j, nj), logic.N(-1)), lin(assume(logic.Cong(l, r, m)), l, r, root))
	return induct(j, logic.Cong(l, r, m), base, step)
}}

// ExpProduct: 1 ≤ m, 0 ≤ k ⊢ expmod(x·y, k, m) ≡ expmod(x, k, m)·expmod(y, k, m) (mod m).
func ExpProduct(x0, y0, k0, m0 Term) Theorem {
	return instance(expProduct.get(), subst{x: x0, y: y0, k: k0, m: m0})
}

var expProduct = &lemma{prove: func() Theorem {
	xy := logic.Mul(x, y)
	nk := assume(logic.Ge0(k))
	l, px, py := power(xy, k), power(x, k), power(y, k)
	// 1 − x⁰·y⁰ = −(x⁰ − 1)·y⁰ − (y⁰ − 1)
	base := congruent(power(xy, zero), logic.Mul(power(x, zero), power(y, zero)), first(xy),
		by(first(x), logic.Neg(power(y, zero))), by(first(y), logic.N(-1)))
	up := logic.Add(k, one)
	step := congruent(power(xy, up), logic.Mul(power(x, up), power(y, up)), next(xy, k, nk),
		by(next(x, k, nk), logic.Neg(power(y, up))), by(next(y, k, nk), logic.Neg(logic.Mul(x, px))),
		lin(assume(logic.Cong(l, logic.Mul(px, py), m)), l, logic.Mul(px, py), xy))
	return induct(k, logic.Cong(l, logic.Mul(px, py), m), base, step)
}}

// ExpCong: 1 ≤ m, 0 ≤ k, x ≡ y (mod m) ⊢ expmod(x, k, m) ≡ expmod(y, k, m) (mod m).
func ExpCong(x0, y0, k0, m0 Term) Theorem {
	return instance(expCong.get(), subst{x: x0, y: y0, k: k0, m: m0})
}

var expCong = &lemma{prove: func() Theorem {
	nk, xy := assume(logic.Ge0(k)), assume(logic.Cong(x, y, m))
	l, r := power(x, k), power(y, k)
	base := congruent(power(x, zero), power(y, zero), first(x), by(first(y), logic.N(-1)))
	up := logic.Add(k, one)
	step := congruent(power(x, up), power(y, up), next(x, k, nk), by(next(y, k, nk), logic.N(-1)),
		lin(assume(logic.Cong(l, r, m)), l, r, x), lin(xy, x, y, r))
	return induct(k, logic.Cong(l, r, m), base, step)
}}

// ExpRange: 1 ≤ m ⊢ 0 ≤ expmod(x, k, m) and 1 ≤ m ⊢ expmod(x, k, m) < m.
func ExpRange(x0, k0, m0 Term) (lo, hi Theorem) {
	lo, hi, err := kernel.ExpmodRange(x0, k0, m0, assume(logic.Le(one, m0)))
	auto.Must(lo, err)
	return lo, hi
}

// ExpSame: 0 ≤ k, x ≡ y (mod p) ⊢ expmod(x, k, p) = expmod(y, k, p), for a constant p ≥ 2.
func ExpSame(p, x0, y0, k0 Term) Theorem {
	a, b := logic.Expmod(x0, k0, p), logic.Expmod(y0, k0, p)
	return Use(Same(p, a, b), ranges(ExpCong(x0, y0, k0, p), a, b, p)...)
}

// ranges are the facts that Same has as hypotheses about powers a and b modulo a constant p that are congruent.
func ranges(cong Theorem, a, b, p Term) []Theorem {
	facts := []Theorem{cong}
	for _, t := range []Term{a, b} {
		lo, hi := ExpRange(t.Arg(0), t.Arg(1), p)
		facts = append(facts, lo, hi)
	}
	return facts
}
