package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// xpow(k, x) = xᵏ over the integers, by recursion: what the results of an addition chain are congruent to. It is not to
// be evaluated.
var xpow = func() logic.Def {
	k, rec, x := logic.Var("k", logic.Int()), logic.Var("rec", logic.Int()), logic.Var("x", logic.Int())
	d, err := logic.DefineRec("proof.weierstrass.xpow", k, rec, []Term{x}, logic.N(1), logic.Mul(x, rec))
	if err != nil {
		panic(fmt.Sprintf("proof/weierstrass: %v", err))
	}
	return d
}()

var (
	varI, varJ = logic.Var("xpow.i", logic.Int()), logic.Var("xpow.j", logic.Int())
	varX       = logic.Var("xpow.x", logic.Int())
)

// xpowSucc is xpow(k+1) = x·xpow(k), from 0 ≤ k.
func xpowSucc(k Term, natural Theorem) auto.Lin {
	next := logic.Add(k, logic.N(1))
	e := unfolded(xpow.App(next, varX), auto.Rewritten(natural, logic.Le(next, logic.N(0)), logic.False()))
	return auto.Lin{Th: e.Th, L: e.From, R: e.To, By: logic.N(1)}
}

// xpowSum is ⊢ 0 ≤ i ⇒ 0 ≤ j ⇒ xpow(i+j, x) = xpow(i, x)·xpow(j, x), by induction on i.
var xpowSum = func() Theorem {
	of := func(k Term) Term { return xpow.App(k, varX) }
	sum := logic.Add(varI, varJ)
	i, j := logic.Ge0(varI), logic.Ge0(varJ)
	eq := logic.Eq(of(sum), logic.Mul(of(varI), of(varJ)))
	p := logic.Imp(j, eq)
	zero, one := unfolded(of(logic.N(0))), logic.N(1)
	base := auto.Equal(of(varJ), logic.Mul(of(logic.N(0)), of(varJ)),
		auto.Lin{Th: zero.Th, L: zero.From, R: zero.To, By: logic.Neg(of(varJ))})
	base = auto.Must(kernel.Taut(logic.Subst(p, map[Term]Term{varI: logic.N(0)}), base))

	ge := auto.Must(kernel.Le(sum, []Theorem{assume(i), assume(j)},
		[]kernel.Product{{Coef: big.NewInt(1), Factors: []int{0}}, {Coef: big.NewInt(1), Factors: []int{1}}}))
	left, right := xpowSucc(sum, ge), xpowSucc(varI, assume(i))
	right.By = logic.Neg(of(varJ))
	ih := auto.Must(kernel.Taut(eq, assume(p), assume(j)))
	next := logic.Add(varI, one)
	step := auto.Equal(of(logic.Add(sum, one)), logic.Mul(of(next), of(varJ)), left, right,
		auto.Lin{Th: ih, L: of(sum), R: logic.Mul(of(varI), of(varJ)), By: varX})
	step = auto.Must(kernel.Taut(logic.Subst(p, map[Term]Term{varI: next}), auto.Must(kernel.Discharge(j, step))))
	return auto.Must(kernel.Induct(varI, p, base, step))
}()

// xpowAdd is ⊢ xpow(i+j, x) = xpow(i, x)·xpow(j, x) for constants i, j ≥ 0.
func xpowAdd(x Term, i, j *big.Int) auto.Lin {
	ti, tj := logic.IntConst(i), logic.IntConst(j)
	l, r := xpow.App(logic.Add(ti, tj), x), logic.Mul(xpow.App(ti, x), xpow.App(tj, x))
	th := auto.Must(kernel.Inst(xpowSum, map[Term]Term{varI: ti, varJ: tj, varX: x}))
	return auto.Lin{Th: auto.Must(kernel.Taut(logic.Eq(l, r), th)), L: l, R: r, By: logic.N(1)}
}

// xpowOne is ⊢ xpow(1, x) = x.
func xpowOne(x Term) auto.Lin {
	e := unfolded(xpow.App(logic.N(1), x))
	f := unfolded(xpow.App(logic.N(0), x))
	th := auto.Must(kernel.Rewrite(e.Th, f))
	return auto.Lin{Th: th, L: xpow.App(logic.N(1), x), R: x, By: logic.N(1)}
}

// powers proves expmod(i, x, m) ≡ xpow(i, x) (mod m) under 0 ≤ i, over varI and varX, by induction on i. m is a constant.
func powers(m Term) Theorem {
	one := logic.N(1)
	power := func(k Term) Term { return logic.Expmod(varX, k, m) }
	of := func(k Term) Term { return xpow.App(k, varX) }
	zero := unfolded(of(logic.N(0)))
	first := auto.Must(kernel.ExpmodZero(varX, m, auto.True()))
	base := auto.Congruent(power(logic.N(0)), of(logic.N(0)), m, lin(first, power(logic.N(0)), one, one),
		lin(zero.Th, zero.From, zero.To, logic.N(-1)))

	natural, next := assume(logic.Ge0(varI)), logic.Add(varI, one)
	p := logic.Cong(power(varI), of(varI), m)
	low := auto.Must(kernel.ExpmodStep(varX, varI, m, natural))
	right := xpowSucc(varI, natural)
	right.By = logic.N(-1)
	step := auto.Congruent(power(next), of(next), m, lin(low, power(next), logic.Mul(varX, power(varI)), one), right,
		lin(assume(p), power(varI), of(varI), varX))
	return auto.Must(kernel.Induct(varI, p, base, step))
}

// specPower proves Pow(m, x, e) ≡ xpow(e, x) (mod m) for a variable x and constants m and e ≥ 0.
func specPower(m, x Term, e *big.Int) Theorem {
	k := logic.IntConst(e)
	th := auto.Must(kernel.Inst(powers(m), map[Term]Term{varI: k, varX: x}))
	return taut(logic.Cong(spec.Pow(m, x, k), xpow.App(k, x), m), th)
}
