package plusminus

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/logic"
)

// Variables for what becomes of numbers in a round, and for coefficients modulo m.
var (
	va1, vf, vg, vu, vv, vu1 = integer("a1"), integer("f"), integer("g"), integer("u"), integer("v"), integer("u1")
	vc                       = integer("c")
)

// A Row is a row f, g of a matrix, the numbers A and B and the coefficients U and V to which it is applied, and what
// comes out.
type Row struct{ F, G, A, B, U, V, NextA, NextU Term }

// Coefficient is about a row r, for an odd constant m: 4^Steps·r.NextA = f·a + g·b, 4^Steps·r.NextU ≡ f·u + g·v,
// a·c ≡ u·x, b·c ≡ v·x (mod m) ⊢ r.NextA·c ≡ r.NextU·x (mod m).
func Coefficient(r Row, c, x, m Term) Theorem {
	n, ok := m.Const()
	if !ok {
		panic(fmt.Errorf("plusminus: %v is no constant", m))
	}
	inv := new(big.Int).ModInverse(auto.Pow2(2*Steps), n)
	if inv == nil {
		panic(fmt.Errorf("plusminus: %v is even", m))
	}
	scale, i := logic.Pow2(2*Steps), logic.IntConst(inv)
	row := func(x, y Term) Term { return logic.Add(logic.Mul(vf, x), logic.Mul(vg, y)) }
	eq := func(concl func(l, r Term) Term, l, r Term, by ...Term) auto.Lin {
		return lin(assume(concl(l, r)), l, r, logic.Mul(by...))
	}
	cong := func(l, r Term) Term { return logic.Cong(l, r, m) }
	// i·4^Steps ≡ 1
	th := auto.Congruent(logic.Mul(va1, vc), logic.Mul(vu1, vx), m,
		eq(logic.Eq, logic.Mul(scale, va1), row(va, vb), i, vc),
		eq(cong, logic.Mul(scale, vu1), row(vu, vv), logic.Neg(i), vx),
		eq(cong, logic.Mul(va, vc), logic.Mul(vu, vx), i, vf),
		eq(cong, logic.Mul(vb, vc), logic.Mul(vv, vx), i, vg))
	return instance(th, subst{vf: r.F, vg: r.G, va: r.A, vb: r.B, vu: r.U, vv: r.V, va1: r.NextA, vu1: r.NextU,
		vc: c, vx: x})
}

// Inverse is about the end, for a constant prime m and constants c and k with k²·c ≡ 1 (mod m): b = 1 ∨ b = −1, b·c ≡
// v·x, r ≡ b·v (mod m) ⊢ k·r ≡ Inv(m, k·x) (mod m).
func Inverse(b, v, r, c, k, x, m Term) Theorem {
	plus, minus := logic.Eq(vb, one), logic.Eq(vb, logic.N(-1))
	kx, kr := logic.Mul(k, vx), logic.Mul(k, vr)
	goal := logic.Cong(logic.Mul(kx, kr), one, m)
	side := func(is, val Term) Theorem { // k²·x·r ≡ k²·b·x·v ≡ k²·b²·c ≡ b² = 1
		e := lin(assume(is), vb, val, logic.Mul(k, k, c, logic.Add(vb, val)))
		bc, vx := logic.Mul(vb, c), logic.Mul(vv, vx)
		return auto.Congruent(logic.Mul(kx, kr), one, m, e,
			lin(assume(logic.Cong(vr, logic.Mul(vb, vv), m)), vr, logic.Mul(vb, vv), logic.Mul(k, kx)),
			lin(assume(logic.Cong(bc, vx, m)), bc, vx, logic.Neg(logic.Mul(k, k, vb))))
	}
	either := assume(logic.Or(plus, minus))
	th := taut(goal, either, implied(plus, side(plus, one)), implied(minus, side(minus, logic.N(-1))))
	th = use(number.InvUnique(m, kx, kr), th)
	return instance(th, subst{vb: b, vv: v, vr: r, vx: x})
}
