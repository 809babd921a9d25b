// Package plusminus proves that the plus-minus algorithm of Brent and Kung (Systolic VLSI arrays for linear-time GCD
// computation, 1983) finds inverses modulo an odd prime m < 2²⁵⁶. Iter defines it: a = x, b = m at first, and each step
// halves a, or makes it (a ± b)/4, with a swap before that if d < 0.
//
// With d = y − x, where x + y is the number of steps, |a|·2^x ≤ m and |b|·2^y ≤ m always (inScale). So |a·b|·2^(x+y) ≤ m²,
// and after Total steps, where 2^Total > m², a = 0, b being odd (Ended). The last b divides all numbers a and b before, back
// to x and m, hence is ±1 for 0 < x < m (Final). A round's matrix (Rows) acts on numbers u, v with a·c ≡ u·x, b·c ≡ v·x
// (mod m) too, so that in the end ±v is c/x.
//
// The package is untrusted. Its functions panic when they find no proof, as those of package auto do.
package plusminus

import "verum.example/internal/tcb/logic"

// Term is an abbreviation.
type Term = logic.Term

// Components of a state.
const (
	A = iota // the numbers, B being odd
	B
	D // y − x, where |a|·2^x and |b|·2^y are bounded, x + y = t
	F // a·4^t = f·a₀ + g·b₀
	G
	H // b·4^t = h·a₀ + k·b₀
	K
	components
)

var (
	vt, va, vb, vd = integer("t"), integer("a"), integer("b"), integer("d")
	rec            = logic.Var("plusminus.rec", logic.TupleOf(intSorts(components)...))
	iter           = mustDef(logic.DefineRec("plusminus.iter", vt, rec, []Term{va, vb, vd},
		logic.MkTuple(va, vb, vd, logic.N(1), logic.N(0), logic.N(0), logic.N(1)), step(rec)))
)

func integer(name string) Term { return logic.Var("plusminus."+name, logic.Int()) }

func intSorts(n int) []logic.Sort {
	ss := make([]logic.Sort, n)
	for i := range ss {
		ss[i] = logic.Int()
	}
	return ss
}

func mustDef(d logic.Def, err error) logic.Def {
	if err != nil {
		panic(err)
	}
	return d
}

// Iter is the state after t steps from a, b, d.
func Iter(t, a, b, d Term) Term { return iter.App(t, a, b, d) }

// Conditions of a step from the state s.

// Even says that a is even.
func Even(s Term) Term { return logic.Cong(logic.Proj(A, s), logic.N(0), logic.N(2)) }

// Same says that a ≡ b (mod 4).
func Same(s Term) Term { return logic.Cong(logic.Proj(A, s), logic.Proj(B, s), logic.N(4)) }

// Swaps says that b becomes a.
func Swaps(s Term) Term {
	return logic.And(logic.Not(Even(s)), logic.Lt(logic.Proj(D, s), logic.N(0)))
}

// step is the next state:
//
//	a' = a/2 if a is even, else (a − b)/4 if a ≡ b (mod 4), else (a + b)/4
//	b' = a, d' = −d − 1 if a is odd and d < 0, else b' = b, d' = d − 1
//
// The coefficients follow, with a factor 4.
func step(s Term) Term {
	added := func(x, y int) Term { // x + x, x − y or x + y
		u, v := logic.Proj(x, s), logic.Proj(y, s)
		return logic.Add(u, logic.Ite(Even(s), u, logic.Ite(Same(s), logic.Neg(v), v)))
	}
	other := func(x, y int) Term { return logic.Ite(Swaps(s), logic.Proj(x, s), logic.Proj(y, s)) }
	d := logic.Proj(D, s)
	four := logic.N(4)
	return logic.MkTuple(
		logic.Div(added(A, B), four), other(A, B),
		logic.Ite(Swaps(s), logic.Sub(logic.N(-1), d), logic.Sub(d, logic.N(1))),
		added(F, H), added(G, K),
		logic.Mul(four, other(F, H)), logic.Mul(four, other(G, K)))
}
