package plusminus

import (
	"crypto/elliptic"
	"math/big"
	"math/rand/v2"
	"testing"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/logic"
)

// checkTheorems fails for theorems with axioms, with a conclusion other than want, or with other hypotheses than given.
func checkTheorems(t *testing.T, name string, ths []Theorem, want []Term, given ...Term) {
	t.Helper()
	if len(ths) != len(want) {
		t.Fatalf("%s: %d theorems, want %d", name, len(ths), len(want))
	}
	for i, th := range ths {
		if th.Concl() != want[i] || len(th.Axioms()) > 0 {
			t.Errorf("%s: %v, want %v", name, th, want[i])
		}
		for _, h := range th.Hyps() {
			ok := false
			for _, g := range given {
				ok = ok || g == h
			}
			if !ok {
				t.Errorf("%s: hypothesis %v", name, h)
			}
		}
	}
}

func TestTheorems(t *testing.T) {
	a, b, d := integer("a"), integer("b"), integer("d")
	if err := auto.Run(func() {
		s := Iter(logic.N(Steps), a, b, d)
		p := logic.Pow2(2 * Steps)
		checkTheorems(t, "Round", Round(a, b, d), append(Matrix(s, p, a, b), Odd(at(B, s))), Odd(b))

		row := func(x, y int) Term { return logic.Add(logic.Mul(at(x, s), a), logic.Mul(at(y, s), b)) }
		checkTheorems(t, "Rows", Rows(a, b, d), []Term{logic.Eq(logic.Mul(p, at(A, s)), row(F, G)),
			logic.Eq(logic.Mul(p, at(B, s)), row(H, K))}, isOne(b))
		var small []Term
		for _, i := range []int{F, H} {
			for _, sum := range []Term{logic.Add(at(i, s), at(i+1, s)), logic.Sub(at(i, s), at(i+1, s))} {
				small = append(small, logic.Le(logic.Neg(p), sum), logic.Le(sum, p))
			}
		}
		checkTheorems(t, "Small", Small(a, b, d), small, isOne(b))

		s = Iter(vt, vx, vm, zero)
		var same []Term
		u, v := Iter(logic.N(Steps), at(A, s), at(B, s), at(D, s)), Iter(logic.Add(vt, logic.N(Steps)), vx, vm, zero)
		for i := range 3 {
			same = append(same, logic.Eq(at(i, u), at(i, v)))
		}
		checkTheorems(t, "Next", Next(vt, vx, vm), same, logic.Ge0(vt))

		top := logic.Pow2(256)
		checkTheorems(t, "Bounds", Bounds(vt, vx, vm), []Term{
			logic.Le(logic.Neg(top), at(A, s)), logic.Le(at(A, s), top),
			logic.Le(logic.Neg(top), at(B, s)), logic.Le(at(B, s), top), logic.Le(logic.Neg(vt), at(D, s)),
			logic.Le(at(D, s), vt), isOne(at(B, s))},
			logic.Ge0(vt), logic.Ge0(vx), logic.Lt(vx, vm), logic.Lt(vm, top), isOne(vm))

	}); err != nil {
		t.Fatal(err)
	}
}

func TestFinal(t *testing.T) {
	for name, n := range moduli() {
		m := logic.IntConst(n)
		if err := auto.Run(func() {
			s := Iter(logic.N(Total), vx, m, zero)
			checkTheorems(t, name, []Theorem{Final(vx, m)},
				[]Term{logic.Or(logic.Eq(at(B, s), one), logic.Eq(at(B, s), logic.N(-1)))},
				logic.Lt(zero, vx), logic.Lt(vx, m))
			checkTheorems(t, name, []Theorem{Ended(vx, m)}, []Term{logic.Eq(at(A, s), zero)},
				logic.Ge0(vx), logic.Le(vx, m))
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := auto.Run(func() { Final(vx, logic.N(15)) }); err == nil {
		t.Error("15 is taken for a prime")
	}
}

func moduli() map[string]*big.Int {
	c := elliptic.P256().Params()
	return map[string]*big.Int{"p": c.P, "n": c.N}
}

// TestInverse evaluates the definition: with the coefficients of all steps, a = 0, and b = ±1 gives the inverse.
func TestInverse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, m := range moduli() {
		top := new(big.Int).Sub(m, big.NewInt(1))
		xs := []*big.Int{big.NewInt(0), big.NewInt(1), big.NewInt(2), top}
		for range 4 {
			x := new(big.Int)
			for range 4 {
				x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(rnd.Uint64()))
			}
			xs = append(xs, x.Mod(x, m))
		}
		for _, x := range xs {
			v, err := logic.Eval(Iter(logic.N(Total), logic.IntConst(x), logic.IntConst(m), zero), nil, 1<<24)
			if err != nil {
				t.Fatal(err)
			}
			s := v.Elems()
			if s[A].Big().Sign() != 0 {
				t.Errorf("%s, %v: a = %v", name, x, s[A].Big())
			}
			b := s[B].Big()
			if x.Sign() == 0 {
				if b.Cmp(m) != 0 || s[H].Big().Sign() != 0 {
					t.Errorf("%s, 0: b = %v, h = %v", name, b, s[H].Big())
				}
				continue
			}
			// 4^Total·b = h·x + k·m
			inv := new(big.Int).Exp(big.NewInt(4), big.NewInt(Total), m)
			inv.ModInverse(inv, m)
			inv.Mul(inv, s[H].Big()).Mul(inv, b).Mod(inv, m)
			if b.CmpAbs(big.NewInt(1)) != 0 || inv.Cmp(new(big.Int).ModInverse(x, m)) != 0 {
				t.Errorf("%s, %v: b = %v, inverse %v", name, x, b, inv)
			}
		}
	}
}
