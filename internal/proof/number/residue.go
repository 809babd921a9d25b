package number

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Same: 0 ≤ x, x < p, 0 ≤ y, y < p, x ≡ y (mod p) ⊢ x = y, for a constant p ≥ 2.
func Same(p, x0, y0 Term) Theorem { return instance(same.get(p), subst{x: x0, y: y0}) }

var same = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	cong := assume(logic.Cong(x, y, p))
	a, b := x, y
	d := cong.Concl().Arg(0)
	if d != logic.Sub(a, b) {
		a, b = b, a
	}
	facts := []Theorem{
		assume(logic.Ge0(a)), assume(logic.Lt(a, p)), assume(logic.Ge0(b)), assume(logic.Lt(b, p)),
	}
	unit, q := big.NewInt(1), logic.Div(d, p)
	pq := logic.Mul(p, q)
	e := lin(auto.Must(kernel.DvdElim(cong)), d, pq, one) // a − b = p·q
	// p·q + p − 1 = a + (p − 1 − b) and −p·q + p − 1 = b + (p − 1 − a)
	bound := func(t Term, sign int64, low, high int) Theorem {
		top := logic.Sub(p, one)
		return auto.NonNegBy(logic.Add(t, top), facts,
			[]kernel.Product{{Coef: unit, Factors: []int{low}}, {Coef: unit, Factors: []int{high}}}, by(e, logic.N(sign)))
	}
	ge := auto.Cut(bound(pq, -1, 0, 3), n, q)
	le := auto.Cut(bound(logic.Neg(pq), 1, 2, 1), n, logic.Neg(q))
	none := lin(auto.Must(kernel.Antisym(q, ge, le)), q, zero, p)
	return taut(logic.Eq(x, y), auto.Equal(a, b, e, none))
}}

// Mod: x ≡ y (mod p) ⊢ x mod p = y mod p, for a constant p ≥ 2.
func Mod(p, x0, y0 Term) Theorem { return instance(mod.get(p), subst{x: x0, y: y0}) }

var mod = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	a, b := logic.Mod(x, p), logic.Mod(y, p)
	residue := func(t Term) auto.Lin { // t mod p ≡ t
		r := logic.Mod(t, p)
		split := lin(auto.Must(kernel.DivMod(t, p)), t, logic.Add(logic.Mul(p, logic.Div(t, p)), r), logic.N(-1))
		return lin(auto.Congruent(r, t, p, split), r, t, one)
	}
	xy := lin(assume(logic.Cong(x, y, p)), x, y, one)
	facts := []Theorem{auto.Congruent(a, b, p, residue(x), by(residue(y), logic.N(-1)), xy)}
	for _, t := range []Term{x, y} {
		lo, hi, err := kernel.ModRange(t, p, auto.True())
		auto.Must(lo, err)
		facts = append(facts, lo, hi)
	}
	return Use(Same(p, a, b), facts...)
}}

// Inv is the specification's x^(p−2) mod p.
func Inv(p, x Term) Term { return weierstrass.Inv(p, x) }

// definition is Inv(p, x) = expmod(x, p−2, p).
func definition(p, x Term) auto.Lin {
	t := Inv(p, x)
	return lin(auto.Must(kernel.Unfold(t)), t, logic.Expmod(x, logic.Sub(p, logic.N(2)), p), one)
}

// Fermat: ⊢ x ≡ 0 (mod p) ∨ expmod(x, p−1, p) = 1.
func Fermat(p, x0 Term) Theorem { return auto.Must(kernel.Fermat(prime(p), x0)) }

// Inverse: ⊢ x ≡ 0 (mod p) ∨ x·Inv(p, x) ≡ 1 (mod p).
func Inverse(p, x0 Term) Theorem { return instance(inverse.get(p), subst{x: x0}) }

var inverse = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	inv, e := Inv(p, x), logic.Sub(p, logic.N(2))
	low, high := logic.Expmod(x, e, p), logic.Expmod(x, logic.Add(e, one), p)
	unit := logic.Eq(high, one)
	step := ExpNext(x, e, p)
	th := auto.Congruent(logic.Mul(x, inv), one, p, by(definition(p, x), x),
		lin(step, high, logic.Mul(x, low), logic.N(-1)), lin(assume(unit), high, one, one))
	return taut(logic.Or(logic.Cong(x, zero, p), th.Concl()), Fermat(p, x), implied(unit, th))
}}

// Euclid: x·y ≡ 0 (mod p) ⊢ x ≡ 0 (mod p) ∨ y ≡ 0 (mod p).
func Euclid(p, x0, y0 Term) Theorem { return instance(euclid.get(p), subst{x: x0, y: y0}) }

var euclid = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	inv, xy := Inv(p, x), logic.Mul(x, y)
	unit := logic.Cong(logic.Mul(x, inv), one, p)
	// y = −y·(x·inv − 1) + inv·xy
	th := auto.Congruent(y, zero, p, lin(assume(unit), logic.Mul(x, inv), one, logic.Neg(y)),
		lin(assume(logic.Cong(xy, zero, p)), xy, zero, inv))
	return taut(logic.Or(logic.Cong(x, zero, p), th.Concl()), Inverse(p, x), implied(unit, th))
}}

// InvUnique: x·y ≡ 1 (mod p) ⊢ y ≡ Inv(p, x) (mod p).
func InvUnique(p, x0, y0 Term) Theorem { return instance(invUnique.get(p), subst{x: x0, y: y0}) }

var invUnique = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	inv, xy := Inv(p, x), logic.Mul(x, y)
	xyOne := lin(assume(logic.Cong(xy, one, p)), xy, one, one)
	none, unit := logic.Cong(x, zero, p), logic.Cong(logic.Mul(x, inv), one, p)
	goal := logic.Cong(y, inv, p)
	absurd := auto.Congruent(zero, one, p, xyOne, lin(assume(none), x, zero, logic.Neg(y)))
	th := auto.Congruent(y, inv, p, lin(assume(unit), logic.Mul(x, inv), one, logic.Neg(y)), by(xyOne, inv))
	return taut(goal, Inverse(p, x), implied(none, absurd), implied(unit, th))
}}

// InvMul: ⊢ Inv(p, x·y) ≡ Inv(p, x)·Inv(p, y) (mod p).
func InvMul(p, x0, y0 Term) Theorem { return instance(invMul.get(p), subst{x: x0, y: y0}) }

var invMul = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	xy, e := logic.Mul(x, y), logic.Sub(p, logic.N(2))
	dx, dy, dxy := definition(p, x), definition(p, y), definition(p, xy)
	law := lin(ExpProduct(x, y, e, p), dxy.R, logic.Mul(dx.R, dy.R), one)
	return auto.Congruent(dxy.L, logic.Mul(dx.L, dy.L), p, dxy, law, by(dx, logic.Neg(dy.R)), by(dy, logic.Neg(dx.L)))
}}

// InvRange: ⊢ 0 ≤ Inv(p, x) and ⊢ Inv(p, x) < p.
func InvRange(p, x0 Term) (lo, hi Theorem) {
	d := definition(p, x0)
	lo, hi = ExpRange(x0, d.R.Arg(1), p)
	back := auto.Rewritten(d.Th, d.R, d.L)
	return auto.Must(kernel.Rewrite(lo, back)), auto.Must(kernel.Rewrite(hi, back))
}

// InvCong: x ≡ y (mod p) ⊢ Inv(p, x) = Inv(p, y).
func InvCong(p, x0, y0 Term) Theorem { return instance(invCong.get(p), subst{x: x0, y: y0}) }

var invCong = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	dx, dy := definition(p, x), definition(p, y)
	th := ExpSame(p, x, y, logic.Sub(p, logic.N(2)))
	return auto.Equal(dx.L, dy.L, dx, by(dy, logic.N(-1)), lin(th, dx.R, dy.R, one))
}}

// InvZero: x ≡ 0 (mod p) ⊢ Inv(p, x) = 0, for p ≥ 3.
func InvZero(p, x0 Term) Theorem {
	none := lin(auto.Must(kernel.Compute(Inv(p, zero))), Inv(p, zero), zero, one)
	l := Inv(p, x0)
	return auto.Equal(l, zero, lin(InvCong(p, x0, zero), l, Inv(p, zero), one), none)
}

// Squares: x² ≡ y² (mod p) ⊢ x ≡ y (mod p) ∨ x ≡ −y (mod p).
func Squares(p, x0, y0 Term) Theorem { return instance(squares.get(p), subst{x: x0, y: y0}) }

var squares = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	l, r := logic.Mul(x, x), logic.Mul(y, y)
	d, s := logic.Sub(x, y), logic.Add(x, y)
	th := auto.Congruent(logic.Mul(d, s), zero, p, lin(assume(logic.Cong(l, r, p)), l, r, one))
	return Use(Euclid(p, d, s), th)
}}

// Root: c ≡ y² (mod p) ⊢ expmod(c, (p+1)/4, p)² ≡ c (mod p), for p ≡ 3 (mod 4).
func Root(p, y0, c0 Term) Theorem { return instance(root.get(p), subst{y: y0, c: c0}) }

var root = &family{prove: func(n *big.Int) Theorem {
	p := logic.IntConst(n)
	if n.Bit(0) == 0 || n.Bit(1) == 0 {
		fail("%v is not 3 modulo 4", n)
	}
	e := logic.IntConst(new(big.Int).Rsh(new(big.Int).Add(n, big.NewInt(1)), 2))
	pow := func(x, k Term) Term { return logic.Expmod(x, k, p) }
	half, all := logic.Add(e, e), logic.Add(e, e, e, e) // (p+1)/2 and p+1
	yy := logic.Mul(y, y)
	square := lin(assume(logic.Cong(c, yy, p)), c, yy, one)
	r := pow(c, e)
	rr := logic.Mul(r, r)
	// r² ≡ c^half ≡ (y²)^half ≡ y^half·y^half ≡ y^(p+1) ≡ y·y·y^(p−1)
	chain := []auto.Lin{
		lin(ExpAdd(c, e, e, p), pow(c, half), rr, logic.N(-1)),
		lin(Use(ExpCong(c, yy, half, p), square.Th), pow(c, half), pow(yy, half), one),
		lin(ExpProduct(y, y, half, p), pow(yy, half), logic.Mul(pow(y, half), pow(y, half)), one),
		lin(ExpAdd(y, half, half, p), pow(y, all), logic.Mul(pow(y, half), pow(y, half)), logic.N(-1)),
		lin(ExpNext(y, p, p), pow(y, all), logic.Mul(y, pow(y, p)), one),
		lin(ExpNext(y, logic.Sub(p, one), p), pow(y, p), logic.Mul(y, pow(y, logic.Sub(p, one))), y),
		by(square, logic.N(-1)),
	}
	last := pow(y, logic.Sub(p, one))
	none, unit := logic.Cong(y, zero, p), logic.Eq(last, one)
	// r² − c ≡ y²·(y^(p−1) − 1)
	if0 := auto.Congruent(rr, c, p, append(chain, lin(assume(none), y, zero, logic.Mul(y, logic.Sub(last, one))))...)
	if1 := auto.Congruent(rr, c, p, append(chain, lin(assume(unit), last, one, yy))...)
	return taut(if0.Concl(), Fermat(p, y), implied(none, if0), implied(unit, if1))
}}
