package plusminus

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/logic"
)

// What the proof of code needs. Here that x is odd is x ≡ 1 (mod 2).

// isOne says that x ≡ 1 (mod 2).
func isOne(x Term) Term { return logic.Cong(x, one, two) }

// fromOne is x ≡ 1 (mod 2) ⊢ Odd(x).
func fromOne(of Term) Theorem {
	x := integer("odd") // of may be a constant
	even := logic.Cong(x, zero, two)
	both := auto.Congruent(one, zero, two, lin(assume(isOne(x)), x, one, logic.N(-1)), lin(assume(even), x, zero, one))
	return instance(taut(Odd(x), implied(even, both)), subst{x: of})
}

// toOne is x ≡ 1 (mod 2), from Odd(x).
func toOne(x Term, is Theorem) Theorem {
	return auto.Congruent(x, one, two, lin(odd(x, is), x, logic.Add(logic.Mul(two, logic.Div(x, two)), one), one))
}

// Small is about s = Iter(Steps; a, b, d): b ≡ 1 (mod 2) ⊢ −4^Steps ≤ f + g, f + g ≤ 4^Steps, the same for f − g, and
// then for h + k and h − k.
func Small(a, b, d Term) []Theorem {
	all := Round(a, b, d)[2:10] // f + g, f − g, g − f, −f − g, and so on
	var ths []Theorem
	for i := 0; i < 8; i += 4 {
		for _, j := range []int{3, 0, 2, 1} {
			ths = append(ths, use(all[i+j], fromOne(b)))
		}
	}
	return ths
}

// Rows is about s = Iter(Steps; a, b, d): b ≡ 1 (mod 2) ⊢ 4^Steps·s.a = f·a + g·b, 4^Steps·s.b = h·a + k·b.
func Rows(a, b, d Term) []Theorem {
	all := Round(a, b, d)
	return []Theorem{use(all[0], fromOne(b)), use(all[1], fromOne(b))}
}

// Next is Composed.
func Next(t, x, m Term) []Theorem { return Composed(t, x, m) }

// Bounds is about s = Iter(t; x, m, 0): 0 ≤ t, 0 ≤ x, x < m, m < 2²⁵⁶, m ≡ 1 (mod 2) ⊢ −2²⁵⁶ ≤ a, a ≤ 2²⁵⁶, the same
// for b, −t ≤ d, d ≤ t, b ≡ 1 (mod 2).
func Bounds(t, x, m Term) []Theorem {
	all := Bounded(t, x, m)
	s := Iter(t, x, m, zero)
	top := logic.Pow2(256)
	below := assume(logic.Lt(m, top))
	given := []Theorem{auto.NonNeg(logic.Sub(m, x), []Theorem{assume(logic.Lt(x, m))}), fromOne(m)}
	fact := func(i int) Theorem { return use(all[i], given...) }
	var ths []Theorem
	for i, c := range []int{A, B} {
		y := at(c, s)
		ths = append(ths, auto.NonNeg(logic.Add(y, top), []Theorem{fact(2 + 2*i), below}),
			auto.NonNeg(logic.Sub(top, y), []Theorem{fact(1 + 2*i), below}))
	}
	return append(ths, fact(6), fact(5), toOne(at(B, s), fact(0)))
}
