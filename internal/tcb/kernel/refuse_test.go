package kernel

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/tcb/logic"
)

// badBools are terms that are no propositions.
func badBools(t *testing.T) map[string]logic.Term {
	bad := map[string]logic.Term{
		"zero": {}, "Int": x, "BV": a8, "Tuple": pair, "ill-formed": logic.Add(p), "ill-formed deep down": logic.And(p, logic.Eq(a8, a16)),
		"no sort": logic.Var("none", logic.Sort{}),
	}
	inGeneration(t, func() { bad["stale"] = logic.Le(logic.Fresh("f", logic.Int()), x) })
	return bad
}

// truthOf is a theorem with this conclusion, for premises.
func truthOf(ts ...logic.Term) (ths []Theorem) {
	for _, t := range ts {
		ths = append(ths, given(t))
	}
	return ths
}

func prods(cs ...Product) []Product { return cs }

func prod(c int64, factors ...int) Product { return Product{big64(c), factors} }

// signed is the multiple q·(l−r) of the equation l = r or of the congruence l ≡ r, whatever sign its conclusion has.
func times(q, l, r logic.Term, fact Theorem) Multiple {
	return Multiple{fact, logic.Mul(q, quotient(logic.Sub(l, r), fact.Concl().Arg(0)))}
}

// refusals are uses of rules that must fail; premises are exact (given) where the certificate is wrong, and right
// certificates are in applications.
var refusals = []struct {
	rule, name string
	apply      func(t *testing.T) ([]Theorem, error)
}{
	{"Assume", "", func(t *testing.T) ([]Theorem, error) { return single(Assume(logic.Term{})) }},
	{"Assume", "Int", func(t *testing.T) ([]Theorem, error) { return single(Assume(x)) }},

	{"Discharge", "zero theorem", func(t *testing.T) ([]Theorem, error) { return single(Discharge(p, Theorem{})) }},
	{"Discharge", "Int", func(t *testing.T) ([]Theorem, error) { return single(Discharge(x, given(q))) }},

	{"Taut", "a variable", func(t *testing.T) ([]Theorem, error) { return single(Taut(p)) }},
	{"Taut", "false", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.False())) }},
	{"Taut", "false from true", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.False(), given(logic.True()))) }},
	{"Taut", "converse", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.Imp(q, p), given(logic.Imp(p, q)))) }},
	{"Taut", "disjunct", func(t *testing.T) ([]Theorem, error) { return single(Taut(p, given(logic.Or(p, q)))) }},
	{"Taut", "more conjuncts", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.And(p, q, r), given(logic.And(p, q)))) }},
	{"Taut", "xor of three", func(t *testing.T) ([]Theorem, error) {
		return single(Taut(logic.And(p, q), given(logic.Iff(logic.Iff(p, q), r)), given(r)))
	}},
	{"Taut", "wrong branch", func(t *testing.T) ([]Theorem, error) {
		return single(Taut(q, truthOf(logic.Ite(p, q, r), logic.Not(p))...))
	}},
	{"Taut", "x ≤ y isn't y ≤ x", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.Le(x, y), given(logic.Le(y, x)))) }},
	{"Taut", "x ≤ y isn't x < y", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.Lt(x, y), given(logic.Le(x, y)))) }},
	{"Taut", "neither x ≤ y nor y ≤ x", func(t *testing.T) ([]Theorem, error) { return single(Taut(logic.Or(logic.Lt(x, y), logic.Lt(y, x)))) }},
	{"Taut", "equality of Ints is an atom", func(t *testing.T) ([]Theorem, error) {
		return single(Taut(logic.Eq(x, z), truthOf(logic.Eq(x, y), logic.Eq(y, z))...))
	}},
	{"Taut", "equality of bits is an atom", func(t *testing.T) ([]Theorem, error) {
		f, g, h := logic.Var("f", logic.BV(1)), logic.Var("g", logic.BV(1)), logic.Var("h", logic.BV(1))
		return single(Taut(logic.Eq(f, h), truthOf(logic.Eq(f, g), logic.Eq(g, h))...))
	}},
	{"Taut", "13 atoms", func(t *testing.T) ([]Theorem, error) {
		return single(Taut(logic.Or(manyBools(13)...), given(logic.Not(logic.And(manyBools(12)...)))))
	}},
	{"Taut", "13 atoms, the last in the goal only", func(t *testing.T) ([]Theorem, error) {
		bs := manyBools(13)
		return single(Taut(logic.Not(bs[12]), given(logic.Imp(logic.And(bs[:12]...), bs[0]))))
	}},
	{"Taut", "13 atoms of a tautology", func(t *testing.T) ([]Theorem, error) {
		all := logic.And(manyBools(13)...)
		return single(Taut(logic.Imp(all, logic.Ite(all, all, p))))
	}},

	{"Inst", "zero theorem", func(t *testing.T) ([]Theorem, error) { return single(Inst(Theorem{}, subst{x: y})) }},
	{"Inst", "sort", func(t *testing.T) ([]Theorem, error) { return single(Inst(given(logic.Ge0(x)), subst{x: a8})) }},
	{"Inst", "width", func(t *testing.T) ([]Theorem, error) { return single(Inst(given(logic.Eq(a8, b8)), subst{a8: a16})) }},
	{"Inst", "sort of an absent variable", func(t *testing.T) ([]Theorem, error) { return single(Inst(given(logic.Ge0(x)), subst{p: x})) }},
	{"Inst", "not a variable", func(t *testing.T) ([]Theorem, error) {
		return single(Inst(given(logic.Ge0(logic.Uint(a8))), subst{logic.Uint(a8): num(-1)}))
	}},
	{"Inst", "a constant", func(t *testing.T) ([]Theorem, error) {
		return single(Inst(given(logic.Lt(num(0), x)), subst{num(0): x}))
	}},
	{"Inst", "true", func(t *testing.T) ([]Theorem, error) {
		return single(Inst(given(logic.True()), subst{logic.True(): logic.False()}))
	}},
	{"Inst", "zero variable", func(t *testing.T) ([]Theorem, error) { return single(Inst(given(logic.Ge0(x)), subst{{}: x})) }},
	{"Inst", "zero term", func(t *testing.T) ([]Theorem, error) { return single(Inst(given(logic.Ge0(x)), subst{x: {}})) }},
	{"Inst", "ill-formed term", func(t *testing.T) ([]Theorem, error) {
		return single(Inst(given(logic.Ge0(x)), subst{y: logic.Add(p)}))
	}},
	{"Inst", "stale term", func(t *testing.T) ([]Theorem, error) {
		var stale logic.Term
		inGeneration(t, func() { stale = logic.Add(logic.Fresh("f", logic.Int()), num(1)) })
		return single(Inst(given(logic.Ge0(x)), subst{x: stale}))
	}},
	{"InstAll", "one zero theorem", func(t *testing.T) ([]Theorem, error) {
		ths, err := InstAll([]Theorem{given(p), {}}, subst{x: y})
		if ths != nil {
			t.Error("results and an error")
		}
		return nil, err
	}},

	{"Leibniz", "another equation", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, z)), x, y, given(logic.Ge0(x)), logic.Ge0(v), v))
	}},
	{"Leibniz", "congruence", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Cong(x, y, num(5))), x, y, given(logic.Ge0(x)), logic.Ge0(v), v))
	}},
	{"Leibniz", "inequality", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Le(x, y)), x, y, given(logic.Ge0(x)), logic.Ge0(v), v))
	}},
	{"Leibniz", "disequality", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Not(logic.Eq(x, y))), x, y, given(logic.Ge0(x)), logic.Ge0(v), v))
	}},
	{"Leibniz", "equal values of different widths", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(logic.Uint(a8), logic.Uint(a16))), a8, a16, given(logic.Eq(a8, b8)), logic.Eq(c8, b8), c8))
	}},
	{"Leibniz", "backwards", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(logic.Ge0(y)), logic.Ge0(v), v))
	}},
	{"Leibniz", "other context", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(logic.Ge0(x)), logic.Ge0(logic.Add(v, num(1))), v))
	}},
	{"Leibniz", "hole is no variable", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(logic.Ge0(logic.Add(num(1), x))), logic.Ge0(logic.Add(num(1), x)), num(1)))
	}},
	{"Leibniz", "hole of another sort", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(logic.Ge0(x)), logic.Ge0(x), p))
	}},
	{"Leibniz", "Int context", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(logic.Ge0(x)), v, v))
	}},
	{"Leibniz", "zero terms", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.True()), logic.Term{}, logic.Term{}, given(q), q, logic.Term{}))
	}},
	{"Leibniz", "ill-formed context", func(t *testing.T) ([]Theorem, error) {
		return single(Leibniz(given(logic.Eq(x, y)), x, y, given(q), logic.And(q, logic.Ge0(p)), v))
	}},

	{"Rewrite", "another equation", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Ge0(x)), Equation{given(logic.Eq(x, z)), x, y}))
	}},
	{"Rewrite", "second equation", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Ge0(x)), Equation{given(logic.Eq(x, z)), x, z}, Equation{given(logic.Ge0(y)), y, z}))
	}},
	{"Rewrite", "congruence", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Ge0(x)), Equation{given(logic.Cong(x, y, num(3))), x, y}))
	}},
	{"Rewrite", "negated fact as true", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Or(p, q)), Equation{given(logic.Not(p)), p, logic.True()}))
	}},
	{"Rewrite", "fact as false", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Or(p, q)), Equation{given(p), p, logic.False()}))
	}},
	{"Rewrite", "sorts", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Ge0(x)), Equation{given(logic.True()), x, p}))
	}},
	{"Rewrite", "zero terms", func(t *testing.T) ([]Theorem, error) {
		return single(Rewrite(given(logic.Ge0(x)), Equation{given(logic.True()), logic.Term{}, logic.Term{}}))
	}},
	{"RewriteTerm", "another equation", func(t *testing.T) ([]Theorem, error) {
		return single(RewriteTerm(logic.Add(x, y), Equation{given(logic.Eq(x, z)), x, y}))
	}},
	{"RewriteTerm", "zero theorem", func(t *testing.T) ([]Theorem, error) {
		return single(RewriteTerm(logic.Add(x, y), Equation{Theorem{}, x, y}))
	}},
	{"RewriteTerm", "zero term", func(t *testing.T) ([]Theorem, error) { return single(RewriteTerm(logic.Term{})) }},
	{"RewriteTerm", "ill-formed term", func(t *testing.T) ([]Theorem, error) {
		return single(RewriteTerm(logic.Add(p, x), Equation{given(logic.Eq(x, z)), x, z}))
	}},

	{"Unfold", "variable", func(t *testing.T) ([]Theorem, error) { return single(Unfold(x)) }},
	{"Unfold", "sum of applications", func(t *testing.T) ([]Theorem, error) { return single(Unfold(logic.Add(absd.App(x, y), num(1)))) }},
	{"Unfold", "zero", func(t *testing.T) ([]Theorem, error) { return single(Unfold(logic.Term{})) }},
	{"Unfold", "wrong arguments", func(t *testing.T) ([]Theorem, error) { return single(Unfold(absd.App(x))) }},
	{"Unfold", "zero Def", func(t *testing.T) ([]Theorem, error) { return single(Unfold(logic.Def{}.App(x))) }},
	{"Unfold", "stale", func(t *testing.T) ([]Theorem, error) {
		var stale logic.Term
		inGeneration(t, func() { stale = absd.App(logic.Fresh("f", logic.Int()), x) })
		return single(Unfold(stale))
	}},

	{"Compute", "variable", func(t *testing.T) ([]Theorem, error) { return single(Compute(x)) }},
	{"Compute", "variable that folds to nothing", func(t *testing.T) ([]Theorem, error) { return single(Compute(logic.Mod(num(7), x))) }},
	{"Compute", "zero", func(t *testing.T) ([]Theorem, error) { return single(Compute(logic.Term{})) }},
	{"Compute", "ill-formed", func(t *testing.T) ([]Theorem, error) { return single(Compute(logic.Add(logic.True()))) }},
	{"Compute", "over budget", func(t *testing.T) ([]Theorem, error) { return single(Compute(squares.App(logic.Pow2(80)))) }},

	{"Induct", "wrong base", func(t *testing.T) ([]Theorem, error) {
		return single(Induct(n, logic.Le(x, n), given(logic.Le(x, num(1))), given(logic.Le(x, logic.Add(n, num(1))))))
	}},
	{"Induct", "wrong step", func(t *testing.T) ([]Theorem, error) {
		return single(Induct(n, logic.Le(x, n), given(logic.Le(x, num(0))), given(logic.Le(x, logic.Add(n, num(2))))))
	}},
	{"Induct", "step backwards", func(t *testing.T) ([]Theorem, error) {
		return single(Induct(n, logic.Le(x, n), given(logic.Le(x, num(0))), given(logic.Le(x, logic.Sub(n, num(1))))))
	}},
	{"Induct", "BV variable", func(t *testing.T) ([]Theorem, error) {
		return single(Induct(a8, logic.Eq(b8, c8), given(logic.Eq(b8, c8)), given(logic.Eq(b8, c8))))
	}},
	{"Induct", "not a variable", func(t *testing.T) ([]Theorem, error) {
		return single(Induct(logic.Add(n, num(1)), p, given(p), given(p)))
	}},
	{"Induct", "constant", func(t *testing.T) ([]Theorem, error) { return single(Induct(num(0), p, given(p), given(p))) }},
	{"Induct", "zero variable", func(t *testing.T) ([]Theorem, error) { return single(Induct(logic.Term{}, p, given(p), given(p))) }},
	{"Induct", "zero property", func(t *testing.T) ([]Theorem, error) { return single(Induct(n, logic.Term{}, given(p), given(p))) }},
	{"Induct", "Int property", func(t *testing.T) ([]Theorem, error) { return single(Induct(n, x, given(p), given(p))) }},

	{"Eq", "nothing", func(t *testing.T) ([]Theorem, error) { return single(Eq(x)) }},
	{"Eq", "1 = 0", func(t *testing.T) ([]Theorem, error) { return single(Eq(num(1))) }},
	{"Eq", "sign", func(t *testing.T) ([]Theorem, error) {
		f := given(logic.Eq(x, y))
		return single(Eq(logic.Sub(x, y), times(num(-1), x, y, f)))
	}},
	{"Eq", "multiplier", func(t *testing.T) ([]Theorem, error) {
		f := given(logic.Eq(x, y))
		return single(Eq(logic.Mul(z, logic.Sub(x, y)), times(logic.Add(z, num(1)), x, y, f)))
	}},
	{"Eq", "division", func(t *testing.T) ([]Theorem, error) { // 2x = 0 gives x = 0, but not so
		f := given(logic.Eq(logic.Mul(num(2), x), num(0)))
		return single(Eq(x, times(num(1), logic.Mul(num(2), x), num(0), f)))
	}},
	{"Eq", "product is 0", func(t *testing.T) ([]Theorem, error) {
		f := given(logic.Eq(logic.Mul(x, y), num(0)))
		return single(Eq(x, times(num(1), logic.Mul(x, y), num(0), f)))
	}},
	{"Eq", "congruence", func(t *testing.T) ([]Theorem, error) {
		f := given(logic.Cong(x, y, num(5)))
		return single(Eq(logic.Sub(x, y), times(num(1), x, y, f)))
	}},
	{"Eq", "inequality", func(t *testing.T) ([]Theorem, error) { return single(Eq(x, Multiple{given(logic.Ge0(x)), num(1)})) }},
	{"Eq", "equation of bit-vectors", func(t *testing.T) ([]Theorem, error) {
		return single(Eq(logic.Sub(logic.Uint(a8), logic.Uint(b8)), Multiple{given(logic.Eq(a8, b8)), num(1)}))
	}},
	{"Eq", "no multiplier", func(t *testing.T) ([]Theorem, error) {
		return single(Eq(num(0), Multiple{given(logic.Eq(x, y)), logic.Term{}}))
	}},
	{"Eq", "Bool multiplier", func(t *testing.T) ([]Theorem, error) { return single(Eq(num(0), Multiple{given(logic.Eq(x, y)), p})) }},
	{"Eq", "ill-formed multiplier", func(t *testing.T) ([]Theorem, error) {
		return single(Eq(num(0), Multiple{given(logic.Eq(x, y)), logic.Add(p)}))
	}},
	{"Eq", "zero term", func(t *testing.T) ([]Theorem, error) { return single(Eq(logic.Term{})) }},
	{"Eq", "Bool", func(t *testing.T) ([]Theorem, error) { return single(Eq(p)) }},
	{"Eq", "BV", func(t *testing.T) ([]Theorem, error) { return single(Eq(byteConst(0))) }},

	{"Le", "-1", func(t *testing.T) ([]Theorem, error) { return single(Le(num(-1), nil, nil)) }},
	{"Le", "negative slack", func(t *testing.T) ([]Theorem, error) { return single(Le(num(-1), nil, prods(prod(-1)))) }},
	{"Le", "negative coefficient", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Neg(x), truthOf(logic.Ge0(x)), prods(prod(-1, 0))))
	}},
	{"Le", "negative coefficient twice", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Ge0(x)), prods(prod(2, 0), prod(-1, 0))))
	}},
	{"Le", "large negative coefficient", func(t *testing.T) ([]Theorem, error) {
		k := new(big.Int).Lsh(one, 64)
		return single(Le(logic.Mul(logic.IntConst(new(big.Int).Neg(k)), x), truthOf(logic.Ge0(x)), prods(Product{new(big.Int).Neg(k), []int{0}})))
	}},
	{"Le", "no coefficient", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Ge0(x)), prods(Product{nil, []int{0}})))
	}},
	{"Le", "index -1", func(t *testing.T) ([]Theorem, error) { return single(Le(x, truthOf(logic.Ge0(x)), prods(prod(1, -1)))) }},
	{"Le", "index beyond", func(t *testing.T) ([]Theorem, error) { return single(Le(x, truthOf(logic.Ge0(x)), prods(prod(1, 1)))) }},
	{"Le", "extreme index", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Ge0(x)), prods(prod(1, math.MaxInt, math.MinInt))))
	}},
	{"Le", "index without facts", func(t *testing.T) ([]Theorem, error) { return single(Le(x, nil, prods(prod(1, 0)))) }},
	{"Le", "slack missing", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Sub(x, num(1)), truthOf(logic.Ge0(x)), prods(prod(1, 0))))
	}},
	{"Le", "strict", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Sub(logic.Sub(y, x), num(1)), truthOf(logic.Le(x, y)), prods(prod(1, 0))))
	}},
	{"Le", "square of a fact isn't the fact", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Ge0(x)), prods(prod(1, 0, 0))))
	}},
	{"Le", "square root", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Ge0(logic.Mul(x, x))), prods(prod(1, 0))))
	}},
	{"Le", "product of negatives", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Neg(logic.Mul(x, y)), truthOf(logic.Le(x, num(0)), logic.Le(y, num(0))), prods(prod(1, 0, 1))))
	}},
	{"Le", "equation as inequality", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, truthOf(logic.Eq(x, num(0))), prods(prod(1, 0))))
	}},
	{"Le", "unsigned comparison as inequality", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Uint(a8), truthOf(logic.Ult(a8, b8)), prods(prod(1, 0))))
	}},
	{"Le", "inequality as equation", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Neg(x), nil, nil, Multiple{given(logic.Ge0(x)), num(-1)}))
	}},
	{"Le", "congruence as equation", func(t *testing.T) ([]Theorem, error) {
		return single(Le(x, nil, nil, Multiple{given(logic.Cong(x, num(0), num(3))), num(1)}))
	}},
	{"Le", "factor that folded to true", func(t *testing.T) ([]Theorem, error) {
		return single(Le(num(5), truthOf(logic.Le(num(-5), num(0))), prods(prod(1, 0))))
	}},
	{"Le", "zero theorem, not used", func(t *testing.T) ([]Theorem, error) { return single(Le(num(0), []Theorem{{}}, nil)) }},
	{"Le", "zero multiplier", func(t *testing.T) ([]Theorem, error) {
		return single(Le(num(0), nil, nil, Multiple{given(logic.Eq(x, y)), logic.Term{}}))
	}},
	{"Le", "zero term", func(t *testing.T) ([]Theorem, error) { return single(Le(logic.Term{}, nil, nil)) }},
	{"Le", "Bool", func(t *testing.T) ([]Theorem, error) { return single(Le(p, nil, nil)) }},
	{"Le", "degree beyond the calculator", func(t *testing.T) ([]Theorem, error) {
		return single(Le(logic.Mul(x, x), truthOf(logic.Ge0(x)), prods(Product{one, make([]int, 256)})))
	}},

	{"Cong", "nothing", func(t *testing.T) ([]Theorem, error) { return single(Cong(x, num(2), logic.Term{})) }},
	{"Cong", "coefficient", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Add(logic.Mul(num(6), x), logic.Mul(num(8), y)), num(6), logic.Term{}))
	}},
	{"Cong", "constant coefficient", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Add(logic.Mul(num(6), x), num(3)), num(6), logic.Term{}))
	}},
	{"Cong", "divisor of the modulus", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Sub(x, y), num(6), logic.Term{}, times(num(1), x, y, given(logic.Cong(x, y, num(3))))))
	}},
	{"Cong", "multiple of the modulus", func(t *testing.T) ([]Theorem, error) { // sound, and not the rule
		return single(Cong(logic.Sub(x, y), num(6), logic.Term{}, times(num(1), x, y, given(logic.Cong(x, y, num(12))))))
	}},
	{"Cong", "symbolic and constant modulus", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Sub(x, y), m, num(0), times(num(1), x, y, given(logic.Cong(x, y, num(7))))))
	}},
	{"Cong", "modulus as factor", func(t *testing.T) ([]Theorem, error) { // from m ≡ 0 (mod x)
		return single(Cong(x, m, num(0), Multiple{given(logic.Cong(m, num(0), x)), num(1)}))
	}},
	{"Cong", "symbolic modulus without cofactor", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Mul(m, x), m, logic.Term{}))
	}},
	{"Cong", "modulus 0 without cofactor", func(t *testing.T) ([]Theorem, error) { return single(Cong(x, num(0), logic.Term{})) }},
	{"Cong", "modulus 0 with cofactor", func(t *testing.T) ([]Theorem, error) { return single(Cong(x, num(0), x)) }},
	{"Cong", "negative modulus without cofactor", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Mul(num(6), x), num(-6), logic.Term{}))
	}},
	{"Cong", "wrong cofactor", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Mul(num(6), x), num(6), logic.Add(x, num(1))))
	}},
	{"Cong", "cofactor sign", func(t *testing.T) ([]Theorem, error) { return single(Cong(logic.Mul(m, x), m, logic.Neg(x))) }},
	{"Cong", "ill-formed cofactor", func(t *testing.T) ([]Theorem, error) { return single(Cong(num(0), num(6), logic.Add(p))) }},
	{"Cong", "Bool cofactor", func(t *testing.T) ([]Theorem, error) { return single(Cong(num(0), num(6), p)) }},
	{"Cong", "zero modulus term", func(t *testing.T) ([]Theorem, error) { return single(Cong(num(0), logic.Term{}, logic.Term{})) }},
	{"Cong", "BV modulus", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Mul(num(6), x), byteConst(6), logic.Term{}))
	}},
	{"Cong", "Bool modulus", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(logic.Mul(num(6), x), logic.True(), logic.Term{}))
	}},
	{"Cong", "BV term", func(t *testing.T) ([]Theorem, error) { return single(Cong(byteConst(6), num(6), logic.Term{})) }},
	{"Cong", "zero term", func(t *testing.T) ([]Theorem, error) { return single(Cong(logic.Term{}, num(6), logic.Term{})) }},
	{"Cong", "inequality", func(t *testing.T) ([]Theorem, error) {
		return single(Cong(x, num(6), logic.Term{}, Multiple{given(logic.Ge0(x)), num(1)}))
	}},

	{"Antisym", "facts swapped", func(t *testing.T) ([]Theorem, error) {
		return single(Antisym(x, given(logic.Ge0(logic.Neg(x))), given(logic.Ge0(x))))
	}},
	{"Antisym", "one fact twice", func(t *testing.T) ([]Theorem, error) {
		return single(Antisym(x, given(logic.Ge0(x)), given(logic.Ge0(x))))
	}},
	{"Antisym", "gap", func(t *testing.T) ([]Theorem, error) {
		return single(Antisym(x, given(logic.Ge0(x)), given(logic.Le(x, num(1)))))
	}},
	{"Antisym", "constant", func(t *testing.T) ([]Theorem, error) {
		return single(Antisym(num(1), given(logic.True()), given(logic.True())))
	}},
	{"Antisym", "zero term", func(t *testing.T) ([]Theorem, error) {
		return single(Antisym(logic.Term{}, given(logic.True()), given(logic.True())))
	}},
	{"Antisym", "Bool", func(t *testing.T) ([]Theorem, error) { return single(Antisym(p, given(p), given(logic.Not(p)))) }},

	{"DvdElim", "symbolic modulus", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Cong(x, y, m)))) }},
	{"DvdElim", "equation", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Eq(x, y)))) }},
	{"DvdElim", "modulus 0 is an equation", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Cong(x, y, num(0))))) }},
	{"DvdElim", "modulus 1 is true", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Cong(x, y, num(1))))) }},
	{"DvdElim", "negation", func(t *testing.T) ([]Theorem, error) {
		return single(DvdElim(given(logic.Not(logic.Cong(x, y, num(3))))))
	}},
	{"DvdElim", "comparison of bit-vectors", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Ult(a8, byteConst(3))))) }},
	{"DvdElim", "equation of bit-vectors", func(t *testing.T) ([]Theorem, error) { return single(DvdElim(given(logic.Eq(a8, byteConst(3))))) }},
	{"DvdElim", "conjunction", func(t *testing.T) ([]Theorem, error) {
		return single(DvdElim(given(logic.And(p, logic.Cong(x, y, num(3))))))
	}},

	{"DivMod", "BV", func(t *testing.T) ([]Theorem, error) { return single(DivMod(a8, b8)) }},
	{"DivMod", "zero terms", func(t *testing.T) ([]Theorem, error) { return single(DivMod(logic.Term{}, num(3))) }},
	{"DivMod", "zero modulus term", func(t *testing.T) ([]Theorem, error) { return single(DivMod(x, logic.Term{})) }},
	{"DivMod", "ill-formed", func(t *testing.T) ([]Theorem, error) { return single(DivMod(x, logic.Add(p))) }},

	{"ModRange", "modulus 0", func(t *testing.T) ([]Theorem, error) { return double(ModRange(x, num(0), given(logic.True()))) }},
	{"ModRange", "negative modulus", func(t *testing.T) ([]Theorem, error) { return double(ModRange(x, num(-3), given(logic.True()))) }},
	{"ModRange", "0 ≤ m", func(t *testing.T) ([]Theorem, error) { return double(ModRange(x, m, given(logic.Ge0(m)))) }},
	{"ModRange", "m ≠ 0", func(t *testing.T) ([]Theorem, error) {
		return double(ModRange(x, m, given(logic.Not(logic.Eq(m, num(0))))))
	}},
	{"ModRange", "fact about x", func(t *testing.T) ([]Theorem, error) { return double(ModRange(x, m, given(logic.Le(num(1), x)))) }},
	{"ModRange", "BV", func(t *testing.T) ([]Theorem, error) { return double(ModRange(a8, num(3), given(logic.True()))) }},
	{"ModRange", "zero term", func(t *testing.T) ([]Theorem, error) {
		return double(ModRange(logic.Term{}, num(3), given(logic.True())))
	}},
	{"ModRange", "zero modulus term", func(t *testing.T) ([]Theorem, error) { return double(ModRange(x, logic.Term{}, given(logic.True()))) }},

	{"Fermat", "zero prime", func(t *testing.T) ([]Theorem, error) { return single(Fermat(Prime{}, x)) }},
	{"Fermat", "BV", func(t *testing.T) ([]Theorem, error) { return single(Fermat(prime(7), a8)) }},
	{"Fermat", "Bool", func(t *testing.T) ([]Theorem, error) { return single(Fermat(prime(7), p)) }},
	{"Fermat", "zero term", func(t *testing.T) ([]Theorem, error) { return single(Fermat(prime(7), logic.Term{})) }},
	{"Fermat", "ill-formed", func(t *testing.T) ([]Theorem, error) { return single(Fermat(prime(7), logic.Add(p))) }},

	{"ExpmodZero", "modulus 0", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(x, num(0), given(logic.True()))) }},
	{"ExpmodZero", "negative modulus", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(x, num(-2), given(logic.True()))) }},
	{"ExpmodZero", "0 ≤ m", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(x, m, given(logic.Ge0(m)))) }},
	{"ExpmodZero", "fact about x", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(x, m, given(logic.Le(num(1), x)))) }},
	{"ExpmodZero", "BV", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(a8, num(3), given(logic.True()))) }},
	{"ExpmodZero", "zero term", func(t *testing.T) ([]Theorem, error) {
		return single(ExpmodZero(logic.Term{}, num(3), given(logic.True())))
	}},
	{"ExpmodZero", "zero modulus term", func(t *testing.T) ([]Theorem, error) { return single(ExpmodZero(x, logic.Term{}, given(logic.True()))) }},

	{"ExpmodStep", "k = -1", func(t *testing.T) ([]Theorem, error) { return single(ExpmodStep(x, num(-1), m, given(logic.True()))) }},
	{"ExpmodStep", "-1 ≤ k", func(t *testing.T) ([]Theorem, error) {
		return single(ExpmodStep(x, n, m, given(logic.Le(num(-1), n))))
	}},
	{"ExpmodStep", "0 ≤ k+1", func(t *testing.T) ([]Theorem, error) {
		return single(ExpmodStep(x, n, m, given(logic.Ge0(logic.Add(n, num(1))))))
	}},
	{"ExpmodStep", "fact about x", func(t *testing.T) ([]Theorem, error) { return single(ExpmodStep(x, n, m, given(logic.Ge0(x)))) }},
	{"ExpmodStep", "BV", func(t *testing.T) ([]Theorem, error) { return single(ExpmodStep(x, n, a8, given(logic.Ge0(n)))) }},
	{"ExpmodStep", "BV exponent", func(t *testing.T) ([]Theorem, error) { return single(ExpmodStep(x, a8, m, given(logic.True()))) }},
	{"ExpmodStep", "zero term", func(t *testing.T) ([]Theorem, error) {
		return single(ExpmodStep(logic.Term{}, n, m, given(logic.Ge0(n))))
	}},
	{"ExpmodStep", "zero exponent term", func(t *testing.T) ([]Theorem, error) {
		return single(ExpmodStep(x, logic.Term{}, m, given(logic.True())))
	}},

	{"ExpmodRange", "modulus 0", func(t *testing.T) ([]Theorem, error) { return double(ExpmodRange(x, n, num(0), given(logic.True()))) }},
	{"ExpmodRange", "negative modulus", func(t *testing.T) ([]Theorem, error) {
		return double(ExpmodRange(x, n, num(-3), given(logic.True())))
	}},
	{"ExpmodRange", "0 ≤ m", func(t *testing.T) ([]Theorem, error) { return double(ExpmodRange(x, n, m, given(logic.Ge0(m)))) }},
	{"ExpmodRange", "fact about k", func(t *testing.T) ([]Theorem, error) {
		return double(ExpmodRange(x, n, m, given(logic.Le(num(1), n))))
	}},
	{"ExpmodRange", "BV", func(t *testing.T) ([]Theorem, error) { return double(ExpmodRange(a8, n, num(3), given(logic.True()))) }},
	{"ExpmodRange", "zero term", func(t *testing.T) ([]Theorem, error) {
		return double(ExpmodRange(x, logic.Term{}, num(3), given(logic.True())))
	}},

	{"TupleEta", "Int", func(t *testing.T) ([]Theorem, error) { return single(TupleEta(x)) }},
	{"TupleEta", "BV", func(t *testing.T) ([]Theorem, error) { return single(TupleEta(a8)) }},
	{"TupleEta", "Bool", func(t *testing.T) ([]Theorem, error) { return single(TupleEta(p)) }},
	{"TupleEta", "zero", func(t *testing.T) ([]Theorem, error) { return single(TupleEta(logic.Term{})) }},
	{"TupleEta", "ill-formed", func(t *testing.T) ([]Theorem, error) { return single(TupleEta(logic.MkTuple(x, logic.Add(p)))) }},
	{"TupleEta", "stale", func(t *testing.T) ([]Theorem, error) {
		var stale logic.Term
		inGeneration(t, func() { stale = logic.MkTuple(logic.Add(logic.Fresh("f", logic.Int()), num(1)), p) })
		return single(TupleEta(stale))
	}},

	{"UintRange", "Int", func(t *testing.T) ([]Theorem, error) { return double(UintRange(x)) }},
	{"UintRange", "Bool", func(t *testing.T) ([]Theorem, error) { return double(UintRange(p)) }},
	{"UintRange", "zero", func(t *testing.T) ([]Theorem, error) { return double(UintRange(logic.Term{})) }},
	{"UintRange", "too wide", func(t *testing.T) ([]Theorem, error) {
		return double(UintRange(logic.Concat(logic.Var("w", logic.BV(logic.MaxWidth)), a8)))
	}},

	{"UintSplit", "at 0", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, 0)) }},
	{"UintSplit", "at n", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, 8)) }},
	{"UintSplit", "beyond", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, 9)) }},
	{"UintSplit", "negative", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, -1)) }},
	{"UintSplit", "MinInt", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, math.MinInt)) }},
	{"UintSplit", "MaxInt", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, math.MaxInt)) }},
	{"UintSplit", "2^32+3", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(a8, 1<<32+3)) }},
	{"UintSplit", "Int", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(x, 3)) }},
	{"UintSplit", "zero", func(t *testing.T) ([]Theorem, error) { return single(UintSplit(logic.Term{}, 3)) }},

	{"UintExt", "hi < lo", func(t *testing.T) ([]Theorem, error) { return single(UintExt(a8, 2, 3)) }},
	{"UintExt", "hi = n", func(t *testing.T) ([]Theorem, error) { return single(UintExt(a8, 8, 3)) }},
	{"UintExt", "negative", func(t *testing.T) ([]Theorem, error) { return single(UintExt(a8, 2, -1)) }},
	{"UintExt", "overflow", func(t *testing.T) ([]Theorem, error) { return single(UintExt(a8, math.MaxInt, math.MinInt)) }},
	{"UintExt", "2^32", func(t *testing.T) ([]Theorem, error) { return single(UintExt(a8, 1<<32+3, 1<<32)) }},
	{"UintExt", "Int", func(t *testing.T) ([]Theorem, error) { return single(UintExt(x, 3, 0)) }},

	{"UltDef", "widths", func(t *testing.T) ([]Theorem, error) { return single(UltDef(a8, a16)) }},
	{"UltDef", "Int", func(t *testing.T) ([]Theorem, error) { return single(UltDef(x, y)) }},
	{"UltDef", "zero", func(t *testing.T) ([]Theorem, error) { return single(UltDef(a8, logic.Term{})) }},

	{"AndOrSum", "widths", func(t *testing.T) ([]Theorem, error) { return double(AndOrSum(a8, a16)) }},
	{"AndOrSum", "Int", func(t *testing.T) ([]Theorem, error) { return double(AndOrSum(x, y)) }},
	{"AndOrSum", "Bool", func(t *testing.T) ([]Theorem, error) { return double(AndOrSum(p, q)) }},
	{"AndOrSum", "zero", func(t *testing.T) ([]Theorem, error) { return double(AndOrSum(logic.Term{}, a8)) }},

	{"UintMod", "Int", func(t *testing.T) ([]Theorem, error) { return single(UintMod(x)) }},
	{"UintMod", "zero", func(t *testing.T) ([]Theorem, error) { return single(UintMod(logic.Term{})) }},
	{"UintMod", "zero as a leaf", func(t *testing.T) ([]Theorem, error) { return single(UintMod(logic.Term{}, logic.Term{})) }},
	{"UintMod", "ill-formed", func(t *testing.T) ([]Theorem, error) { return single(UintMod(logic.BVAdd(a8, a16))) }},

	{"UintExact", "lower bound -1", func(t *testing.T) ([]Theorem, error) {
		s := logic.Sub(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVSub(a8, b8), given(logic.Le(num(-1), s)), given(logic.Le(s, num(255)))))
	}},
	{"UintExact", "upper bound 2^n", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.Ge0(s)), given(logic.Le(s, num(256)))))
	}},
	{"UintExact", "bounds swapped", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.Le(s, num(255))), given(logic.Ge0(s))))
	}},
	{"UintExact", "lower bound twice", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.Ge0(s)), given(logic.Ge0(s))))
	}},
	{"UintExact", "bounds of other leaves", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Mul(logic.Uint(b8), logic.Uint(c8)))
		return single(UintExact(logic.BVAdd(a8, logic.BVMul(b8, c8)), given(logic.Ge0(s)), given(logic.Le(s, num(255))), logic.BVMul(b8, c8)))
	}},
	{"UintExact", "bounds of a multiple", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.Ge0(logic.Mul(num(2), s))), given(logic.Le(logic.Mul(num(2), s), num(255)))))
	}},
	{"UintExact", "symbolic bound", func(t *testing.T) ([]Theorem, error) {
		s := logic.Add(logic.Uint(a8), logic.Uint(b8))
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.Ge0(s)), given(logic.Le(s, x))))
	}},
	{"UintExact", "true bounds of a variable", func(t *testing.T) ([]Theorem, error) {
		return single(UintExact(logic.BVAdd(a8, b8), given(logic.True()), given(logic.True())))
	}},
	{"UintExact", "constant too large", func(t *testing.T) ([]Theorem, error) {
		s := logic.ToBV(8, x) // its value over ℤ is x, made constant by the leaf rule below
		return single(UintExact(logic.BVAdd(s, logic.BVNeg(s)), given(logic.True()), given(logic.False())))
	}},
	{"UintExact", "negative constant", func(t *testing.T) ([]Theorem, error) { // x + ¬x is −1 over ℤ, uint is 255
		return single(UintExact(logic.BVAdd(a8, logic.BVNot(a8)), given(logic.True()), given(logic.True())))
	}},
	{"UintExact", "Int", func(t *testing.T) ([]Theorem, error) {
		return single(UintExact(x, given(logic.Ge0(x)), given(logic.Le(x, num(1)))))
	}},
	{"UintExact", "zero term", func(t *testing.T) ([]Theorem, error) {
		return single(UintExact(logic.Term{}, given(logic.True()), given(logic.True())))
	}},

	{"LowRing", "different", func(t *testing.T) ([]Theorem, error) { return single(LowRing(a8, b8)) }},
	{"LowRing", "differ by 2^(n-1)·a", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.BVAdd(b8, logic.BVMul(byteConst(128), a8)), b8))
	}},
	{"LowRing", "differ by 128", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.BVAdd(b8, byteConst(128)), b8))
	}},
	{"LowRing", "equal as functions only", func(t *testing.T) ([]Theorem, error) { // 128·(a²−a) is 0 modulo 256 for all a
		return single(LowRing(logic.BVMul(byteConst(128), logic.BVMul(a8, logic.BVSub(a8, byteConst(1)))), byteConst(0)))
	}},
	{"LowRing", "high bits", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.Extract(15, 8, logic.BVMul(logic.Zext(16, a8), logic.Zext(16, b8))), logic.Extract(15, 8, logic.BVMul(logic.Sext(16, a8), logic.Sext(16, b8)))))
	}},
	{"LowRing", "extract from bit 1", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.Extract(8, 1, logic.BVAdd(a16, a16)), logic.BVAdd(logic.Extract(8, 1, a16), logic.Extract(8, 1, a16))))
	}},
	{"LowRing", "rotation isn't a shift", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Rotr(a8, 7), logic.Shl(a8, 1))) }},
	{"LowRing", "right shift", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Lshr(logic.Shl(a8, 1), 1), a8)) }},
	{"LowRing", "narrow part of a concatenation", func(t *testing.T) ([]Theorem, error) {
		f := logic.Var("f", logic.BV(4))
		return single(LowRing(logic.Concat(f, f), logic.Concat(f, logic.BVAdd(f, logic.BVUint(4, 8)))))
	}},
	{"LowRing", "constant narrow part of a concatenation", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.Concat(logic.BVUint(3, 5), logic.Var("f", logic.BV(5))), byteConst(5)))
	}},
	{"LowRing", "left and right shift", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Lshr(a8, 1), logic.Shl(a8, 1))) }},
	{"LowRing", "signed and unsigned shift", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Lshr(a8, 1), logic.Ashr(a8, 1))) }},
	{"LowRing", "and isn't mul", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.BVAnd(a8, b8), logic.BVMul(a8, b8)))
	}},
	{"LowRing", "or isn't add", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.BVOr(a8, b8), logic.BVAdd(a8, b8))) }},
	{"LowRing", "xor isn't add", func(t *testing.T) ([]Theorem, error) {
		return single(LowRing(logic.BVXor(a8, b8), logic.BVAdd(a8, b8)))
	}},
	{"LowRing", "not isn't neg", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.BVNot(a8), logic.BVNeg(a8))) }},
	{"LowRing", "branches", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Ite(p, a8, b8), a8)) }},
	{"LowRing", "widths", func(t *testing.T) ([]Theorem, error) { return single(LowRing(a8, a16)) }},
	{"LowRing", "Int", func(t *testing.T) ([]Theorem, error) { return single(LowRing(x, x)) }},
	{"LowRing", "Bool", func(t *testing.T) ([]Theorem, error) { return single(LowRing(p, p)) }},
	{"LowRing", "Tuple", func(t *testing.T) ([]Theorem, error) { return single(LowRing(pair, pair)) }},
	{"LowRing", "zero", func(t *testing.T) ([]Theorem, error) { return single(LowRing(logic.Term{}, logic.Term{})) }},
}

func manyBools(k int) (ts []logic.Term) {
	for i := range k {
		ts = append(ts, logic.Var(strings.Repeat("b", i+1), logic.Bool()))
	}
	return ts
}

func TestRefusals(t *testing.T) {
	for _, f := range refusals {
		ths, err := f.apply(t)
		if err == nil {
			t.Errorf("%s accepts: %s: %v", f.rule, f.name, ths)
		} else if !strings.HasPrefix(err.Error(), "kernel: ") || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %s: unhelpful error %q", f.rule, f.name, err)
		}
		if slices.ContainsFunc(ths, func(th Theorem) bool { return !th.IsZero() }) {
			t.Errorf("%s: %s: an error and a theorem: %v", f.rule, f.name, ths)
		}
	}
}

func TestAssume(t *testing.T) {
	for _, c := range []logic.Term{p, logic.False(), logic.Ge0(x), logic.And(p, q), even.App(n)} {
		th, err := Assume(c)
		if err != nil || th.Concl() != c || !slices.Equal(th.Hyps(), []logic.Term{c}) || th.Axioms() != nil {
			t.Errorf("Assume(%v) is %v, %v", c, th, err)
		}
	}
	if th := must(Assume(logic.True())); len(th.Hyps()) != 0 || th.Concl() != logic.True() {
		t.Errorf("Assume(true) is %v", th)
	}
	for name, bad := range badBools(t) {
		if th, err := Assume(bad); err == nil || !th.IsZero() {
			t.Errorf("Assume accepts %s: %v", name, th)
		}
		if th, err := Discharge(bad, given(q)); err == nil || !th.IsZero() {
			t.Errorf("Discharge accepts %s: %v", name, th)
		}
		if th, err := Taut(bad); err == nil || !th.IsZero() {
			t.Errorf("Taut accepts %s: %v", name, th)
		}
		if th, err := Taut(bad, given(logic.False())); err == nil || !th.IsZero() {
			t.Errorf("Taut accepts %s from false: %v", name, th)
		}
		if th, err := Rewrite(given(q), Equation{given(p), p, bad}); err == nil || !th.IsZero() {
			t.Errorf("Rewrite accepts %s: %v", name, th)
		}
		if th, err := Induct(n, bad, given(q), given(q)); err == nil || !th.IsZero() {
			t.Errorf("Induct accepts %s: %v", name, th)
		}
	}
}

func TestDischarge(t *testing.T) {
	th := given(q, p, r, logic.Ge0(x))
	for _, h := range th.Hyps() {
		d := must(Discharge(h, th))
		if d.Concl() != logic.Imp(h, q) || !slices.Equal(d.Hyps(), without(th.Hyps(), h)) {
			t.Errorf("Discharge(%v) is %v", h, d)
		}
	}
	if len(th.Hyps()) != 3 {
		t.Error("Discharge changed its premise")
	}
	// What isn't a hypothesis, or only looks like one, removes nothing.
	for _, h := range []logic.Term{logic.Not(p), logic.And(p, r), logic.Or(p, r), logic.Ge0(logic.Add(x, num(1))), logic.True(), logic.False()} {
		if d := must(Discharge(h, th)); !slices.Equal(d.Hyps(), th.Hyps()) {
			t.Errorf("Discharge(%v) is %v", h, d)
		}
	}
}

// TestInstHyps: substitution acts on hypotheses too, simultaneously; those that become true vanish, those that become
// equal are one, and those that become false stay.
func TestInstHyps(t *testing.T) {
	th := given(logic.Le(x, y), logic.Ge0(x), logic.Ge0(y), logic.Le(num(3), z), p)
	for _, c := range []struct {
		s     subst
		concl logic.Term
		hyps  []logic.Term
	}{
		{subst{x: y, y: x}, logic.Le(y, x), []logic.Term{logic.Ge0(x), logic.Ge0(y), logic.Le(num(3), z), p}},
		{subst{x: y}, logic.True(), []logic.Term{logic.Ge0(y), logic.Le(num(3), z), p}},
		{subst{z: num(3)}, logic.Le(x, y), []logic.Term{logic.Ge0(x), logic.Ge0(y), p}},
		{subst{z: num(2)}, logic.Le(x, y), []logic.Term{logic.Ge0(x), logic.Ge0(y), logic.False(), p}},
		{subst{x: num(-1), p: logic.True()}, logic.Le(num(-1), y), []logic.Term{logic.False(), logic.Ge0(y), logic.Le(num(3), z)}},
		{subst{p: logic.Ge0(x), y: x, x: y, z: z}, logic.Le(y, x), []logic.Term{logic.Ge0(x), logic.Ge0(y), logic.Le(num(3), z)}},
	} {
		got := must(Inst(th, c.s))
		if got.Concl() != c.concl || !slices.Equal(got.Hyps(), ordered(c.hyps)) {
			t.Errorf("%v: %v, want %v ⊢ %v", c.s, got, c.hyps, c.concl)
		}
	}
	if len(th.Hyps()) != 4 || th.Concl() != logic.Le(x, y) {
		t.Error("Inst changed its premise")
	}
	s := subst{x: y}
	if must(Inst(th, s)); len(s) != 1 || s[x] != y {
		t.Error("Inst changed the substitution")
	}
}

// TestNewTheorem: the last line of defence against a rule that forgets to check its conclusion.
func TestNewTheorem(t *testing.T) {
	for name, bad := range badBools(t) {
		if th, err := newTheorem("Test", bad, nil, 0); err == nil || !th.IsZero() {
			t.Errorf("%s as conclusion: %v", name, th)
		}
	}
	if th, err := conclude("Test", p, given(q), Theorem{}); err == nil || !th.IsZero() {
		t.Errorf("a zero premise: %v", th)
	}
}

// TestTautLimits: 12 atoms do, however they are arranged; conjuncts of premises cost none.
func TestTautLimits(t *testing.T) {
	bs := manyBools(12)
	some, all := logic.Or(bs...), logic.And(bs...)
	must(Taut(logic.Imp(all, some)))
	for i := range bs { // each atom is told apart from each other
		for j := range bs {
			th, err := Taut(bs[j], given(logic.And(bs[i], logic.Or(some, all))))
			if (err == nil) != (i == j) {
				t.Errorf("atom %d from atom %d: %v %v", j, i, th, err)
			}
		}
	}
	parity := bs[0]
	for _, b := range bs[1:] {
		parity = logic.Iff(parity, b)
	}
	for mask := range 1 << 12 {
		if mask%37 != 0 {
			continue
		}
		var facts []Theorem
		even := true
		for i, b := range bs {
			if mask>>i&1 == 0 {
				b = logic.Not(b)
				even = !even
			}
			facts = append(facts, given(b))
		}
		goal := parity
		if !even {
			goal = logic.Not(parity)
		}
		must(Taut(goal, facts...))
		if th, err := Taut(logic.Not(goal), facts...); err == nil {
			t.Fatalf("%v", th)
		}
	}
	many := manyBools(40)
	must(Taut(logic.And(many[3], many[30]), given(logic.And(many...))))
	if th, err := Taut(logic.Or(many[3], many[30]), given(logic.And(many...))); err == nil {
		t.Errorf("more than 12 atoms: %v", th) // sound, and refused by the limit
	}
	// Shared subterms are read once: a tree of 2⁶⁰ leaves.
	deep := p
	for range 60 {
		deep = logic.Iff(logic.Ite(deep, q, logic.Not(deep)), deep)
	}
	Taut(deep)
}

// TestUintExactConstant: when the value over ℤ is a constant, bounds have folded to true and the constant itself is
// checked.
func TestUintExactConstant(t *testing.T) {
	zero := logic.BVAdd(a8, logic.BVNeg(a8)) // no fold: 0 over ℤ
	if zero.Op() != logic.OpBVAdd {
		t.Skip("x − x folds")
	}
	th := must(UintExact(zero, given(logic.True()), given(logic.True())))
	if th.Concl() != logic.Eq(logic.Uint(zero), num(0)) {
		t.Errorf("%v", th)
	}
	over := logic.BVAdd(logic.ToBV(8, logic.Add(x, num(256))), logic.BVNeg(logic.ToBV(8, x))) // 256 over ℤ
	if c, _ := Polynomial(over).Const(); c == nil || c.Int64() != 256 {
		t.Fatal(Polynomial(over))
	}
	if th, err := UintExact(over, given(logic.True()), given(logic.True())); err == nil {
		t.Errorf("256 in 8 bits: %v", th)
	}
	top := logic.BVAdd(logic.ToBV(8, logic.Add(x, num(255))), logic.BVNeg(logic.ToBV(8, x)))
	if th, err := UintExact(top, given(logic.True()), given(logic.True())); err != nil || th.Concl() != logic.Eq(logic.Uint(top), num(255)) {
		t.Errorf("%v %v", th, err)
	}
}

// TestHugeWidths: the largest width works in every rule on bit-vectors, and beyond it there is nothing.
func TestHugeWidths(t *testing.T) {
	const w = logic.MaxWidth
	inGeneration(t, func() {
		a, b := logic.Var("huge a", logic.BV(w)), logic.Var("huge b", logic.BV(w))
		env := map[logic.Term]logic.Value{a: logic.IntValue(ones(w)), b: logic.IntValue(new(big.Int).Lsh(one, w-1))}
		true_ := func(th Theorem, err error) {
			t.Helper()
			v, e := logic.Eval(must(th, err).Concl(), env, 1<<20)
			if e != nil || !v.Bool() {
				t.Errorf("false or too hard: %v", e)
			}
		}
		lo, hi, err := UintRange(a)
		true_(lo, err)
		true_(hi, err)
		true_(UintSplit(a, w-1))
		true_(UintExt(a, w-1, 0))
		true_(UintExt(a, w-1, w-1))
		true_(UltDef(b, a))
		or, xor, err := AndOrSum(a, b)
		true_(or, err)
		true_(xor, err)
		true_(UintMod(logic.BVAdd(logic.BVMul(a, b), logic.BVNot(logic.Shl(a, w-1)))))
		true_(LowRing(logic.BVAdd(a, b), logic.BVAdd(b, logic.BVSub(a, logic.BVConst(w, new(big.Int).Lsh(one, w))))))
		if logic.BV(w+1) != (logic.Sort{}) {
			t.Error("a wider sort")
		}
		if _, err := UintMod(logic.Zext(w+1, a)); err == nil {
			t.Error("wider than the widest")
		}
	})
}

// TestOwnership: what goes in and comes out is copied, so that neither side can change a theorem later.
func TestOwnership(t *testing.T) {
	th := given(q, p, r)
	hs := th.Hyps()
	for i := range hs {
		hs[i] = logic.True()
	}
	if slices.Contains(th.Hyps(), logic.True()) {
		t.Fatal("Hyps gives the theorem's own list")
	}
	hs = append(th.Hyps()[:1], logic.False())
	if slices.Contains(th.Hyps(), logic.False()) {
		t.Fatal("Hyps gives the theorem's own list")
	}
	_ = hs
	// A certificate changed after its use changes nothing; the premises' lists stay apart although they may be shared.
	ps := []Theorem{given(logic.Ge0(x), p), given(logic.Ge0(y), q)}
	factors := []int{0, 1}
	coef := big64(1)
	le := must(Le(logic.Mul(x, y), ps, []Product{{coef, factors}}))
	coef.SetInt64(-1)
	factors[0] = 1
	ps[0] = Theorem{}
	if le.Concl() != logic.Ge0(logic.Mul(x, y)) || !slices.Equal(le.Hyps(), ordered([]logic.Term{p, q})) {
		t.Errorf("%v", le)
	}
	// Discharging and uniting share lists; none may write into another's.
	base := given(p, manyBools(8)...)
	want := base.Hyps()
	var made []Theorem
	for _, h := range want {
		made = append(made, must(Discharge(h, base)), must(Taut(logic.Or(p, h), base, given(q, h, r))))
	}
	for i := range made {
		for j := range made {
			must(Taut(logic.And(made[i].Concl(), made[j].Concl()), made[i], made[j]))
		}
	}
	if !slices.Equal(base.Hyps(), want) {
		t.Error("a premise's hypotheses changed")
	}
	for i, h := range want {
		if !slices.Equal(made[2*i].Hyps(), without(slices.Clone(want), h)) {
			t.Errorf("the hypotheses of a result changed: %v", made[2*i])
		}
	}
}

// TestUnion: the union of ordered lists has exactly the elements of both, ordered, whatever the overlap.
func TestUnion(t *testing.T) {
	all := ordered(manyBools(6))
	sub := func(mask int) (ts []logic.Term) {
		for i, t := range all {
			if mask>>i&1 == 1 {
				ts = append(ts, t)
			}
		}
		return ts
	}
	for i := range 64 {
		for j := range 64 {
			a, b := sub(i), sub(j)
			if got := union(a, b); !slices.Equal(got, sub(i|j)) {
				t.Fatalf("%v ∪ %v = %v", a, b, got)
			}
			if !slices.Equal(a, sub(i)) || !slices.Equal(b, sub(j)) {
				t.Fatal("union changed its arguments")
			}
		}
		a := sub(i)
		for _, h := range all {
			got := without(a, h)
			if slices.Contains(got, h) || !slices.Equal(a, sub(i)) {
				t.Fatalf("%v without %v = %v", a, h, got)
			}
		}
		if got := union(a[:len(a):len(a)], a); !slices.Equal(got, a) {
			t.Fatal(got)
		}
		if len(a) > 2 { // lists of one array and of different lengths
			if got := union(a[:2], a); !slices.Equal(got, a) {
				t.Fatal(got)
			}
		}
	}
}

// TestNameReuse: a variable is its name and its sort, a Fresh variable itself; a definition's name can't be taken twice.
func TestNameReuse(t *testing.T) {
	xi, xb, xf := logic.Var("same", logic.Int()), logic.Var("same", logic.BV(8)), logic.Fresh("same", logic.Int())
	th := given(logic.And(logic.Ge0(xi), logic.Ult(xb, a8), logic.Ge0(xf)))
	got := must(Inst(th, subst{xi: num(5)}))
	if got.Concl() != logic.And(logic.Ult(xb, a8), logic.Ge0(xf)) {
		t.Errorf("%v", got)
	}
	if _, err := Inst(th, subst{xi: xb}); err == nil {
		t.Error("variables of one name and two sorts are interchanged")
	}
	// n moved or in a hypothesis is told by identity, too: a variable with n's name is another.
	nf := logic.Fresh("n", logic.Int())
	if _, err := Induct(n, logic.Ge0(logic.Add(n, nf)), given(logic.Ge0(nf), logic.Ge0(nf)), given(logic.Ge0(logic.Add(n, num(1), nf)), logic.Ge0(nf))); err != nil {
		t.Errorf("a hypothesis on another variable of that name: %v", err)
	}
	if _, err := Induct(nf, logic.Ge0(logic.Add(n, nf)), given(logic.Ge0(n), logic.Ge0(nf)), given(logic.Ge0(logic.Add(n, num(1), nf)))); err == nil {
		t.Error("a hypothesis on the Fresh induction variable")
	}
	d := mustDef(logic.Define("test.once", []logic.Term{x}, x))
	if _, err := logic.Define("test.once", []logic.Term{x}, logic.Add(x, num(1))); err == nil {
		t.Error("test.once is defined twice")
	}
	if got := must(Unfold(d.App(y))); got.Concl() != logic.Eq(d.App(y), y) {
		t.Errorf("%v", got)
	}
}

func TestZeroTheorem(t *testing.T) {
	var th Theorem
	if !th.IsZero() || th.Concl() != (logic.Term{}) || th.Hyps() != nil || th.Axioms() != nil || th.String() == "" {
		t.Errorf("%v", th)
	}
	if given(p).IsZero() || must(Assume(p)).IsZero() {
		t.Error("a theorem is zero")
	}
	if th := must(Assume(p)); th.String() != "[p] ⊢ p" {
		t.Errorf("%v", th)
	}
}

func TestAxiomList(t *testing.T) {
	if got := Axioms(); len(got) != 0 {
		t.Errorf("axioms %v: none is needed", got)
	}
	list := []axiom{{"one", "ref"}, {"two", "ref"}, {"three", "ref"}}
	for s := range axiomSet(8) {
		var want []string
		for i, a := range list {
			if s&(1<<i) != 0 {
				want = append(want, a.name)
			}
		}
		if got := s.namesIn(list); !slices.Equal(got, want) {
			t.Errorf("%b: %v, want %v", s, got, want)
		}
	}
	th := Theorem{&theorem{concl: p, axioms: 5}}
	if got := must(Taut(logic.Or(p, q), th)).t.axioms.namesIn(list); !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("%v", got)
	}
	if got := must(Taut(logic.And(p, q), th, Theorem{&theorem{concl: q, axioms: 2}})).t.axioms.namesIn(list); len(got) != 3 {
		t.Errorf("%v", got)
	}
}
