package kernel

import (
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/logic"
)

// Multiple is a fact e = 0 (for Cong also e ≡ 0 modulo its modulus) times a polynomial. e is the argument of the
// fact's conclusion, with the sign that logic.Eq0 or logic.Cong gave it. A fact that has folded to true counts as
// 0 = 0.
type Multiple struct {
	Fact Theorem
	By   logic.Term
}

// Product is Coef times the product of the facts 0 ≤ aᵢ with the given indices; Coef ≥ 0.
type Product struct {
	Coef    *big.Int
	Factors []int
}

func isTrivial(th Theorem) bool { return th.t.concl == logic.True() }

// addMultiples adds −Σ qⱼeⱼ to s; isFact tells which conclusions are facts. It returns the facts' theorems.
func addMultiples(s *logic.Sum, ms []Multiple, isFact func(logic.Term) bool) ([]Theorem, error) {
	var ths []Theorem
	for i, m := range ms {
		if m.Fact.t == nil {
			return nil, fmt.Errorf("fact %d: %w", i, errZero)
		}
		ths = append(ths, m.Fact)
		if isTrivial(m.Fact) {
			continue
		}
		c := m.Fact.t.concl
		if !isFact(c) {
			return nil, fmt.Errorf("fact %d says %v", i, c)
		}
		s.Add(big.NewInt(-1), m.By, c.Arg(0))
	}
	return ths, nil
}

func isEquation(c logic.Term) bool { return c.Op() == logic.OpEq0 }

// Eq: from eⱼ = 0: t = 0, when t = Σ qⱼ·eⱼ as polynomials.
//
// Sound: under the hypotheses every eⱼ has the value 0.
func Eq(t logic.Term, eqs ...Multiple) (Theorem, error) {
	var s logic.Sum
	s.Add(nil, t)
	ths, err := addMultiples(&s, eqs, isEquation)
	if err != nil {
		return fail("Eq", "%w", err)
	}
	if err := vanishes(&s); err != nil {
		return fail("Eq", "%w\n  goal %v = 0", err, t)
	}
	return conclude("Eq", logic.Eq0(t), ths...)
}

func vanishes(s *logic.Sum) error {
	zero, err := s.IsZero()
	if err != nil {
		return err
	}
	if !zero {
		return fmt.Errorf("wrong certificate, difference %v", s.Term())
	}
	return nil
}

// Le: from 0 ≤ aᵢ and eⱼ = 0: 0 ≤ t, when t = Σ cₖ·Π_{i∈Sₖ} aᵢ + Σ qⱼ·eⱼ as polynomials, cₖ ≥ 0 constants. A factor may
// be repeated; an empty product is 1.
//
// Sound: under the hypotheses each product is a product of numbers ≥ 0, and each eⱼ is 0.
func Le(t logic.Term, facts []Theorem, products []Product, eqs ...Multiple) (Theorem, error) {
	var s logic.Sum
	s.Add(nil, t)
	ths, err := addMultiples(&s, eqs, isEquation)
	if err != nil {
		return fail("Le", "%w", err)
	}
	for i, f := range facts {
		if f.t == nil {
			return fail("Le", "inequality %d: %w", i, errZero)
		}
	}
	for k, p := range products {
		if p.Coef == nil || p.Coef.Sign() < 0 {
			return fail("Le", "product %d has the coefficient %v", k, p.Coef)
		}
		var as []logic.Term
		for _, i := range slices.Clone(p.Factors) {
			if i < 0 || i >= len(facts) {
				return fail("Le", "product %d has the factor %d of %d", k, i, len(facts))
			}
			c := facts[i].t.concl
			if c.Op() != logic.OpGe0 {
				return fail("Le", "inequality %d says %v", i, c)
			}
			as = append(as, c.Arg(0))
		}
		s.Add(new(big.Int).Neg(p.Coef), as...)
	}
	if err := vanishes(&s); err != nil {
		return fail("Le", "%w\n  goal 0 ≤ %v", err, t)
	}
	return conclude("Le", logic.Ge0(t), append(ths, facts...)...)
}

// Cong: from eⱼ = 0 and fⱼ ≡ 0 (mod m), the same m: t ≡ 0 (mod m), when t = Σ qⱼ·eⱼ + Σ rⱼ·fⱼ + m·k as polynomials. For
// a constant m ≥ 1, k may be the zero Term: then every coefficient of the rest must be divisible by m.
//
// Sound: under the hypotheses eⱼ is 0 and fⱼ is m times an integer; so t is m times an integer.
func Cong(t, m, k logic.Term, facts ...Multiple) (Theorem, error) {
	var s logic.Sum
	s.Add(nil, t)
	ths, err := addMultiples(&s, facts, func(c logic.Term) bool {
		return isEquation(c) || c.Op() == logic.OpDvd && c.Arg(1) == m
	})
	if err != nil {
		return fail("Cong", "%w", err)
	}
	if k.IsZero() {
		mc, ok := m.Const()
		if !ok || mc.Sign() <= 0 {
			return fail("Cong", "the modulus %v is no positive constant and there is no cofactor", m)
		}
		divisible, err := s.DivisibleBy(mc)
		if err != nil {
			return fail("Cong", "%w", err)
		}
		if !divisible {
			return fail("Cong", "wrong certificate, difference %v\n  goal %v ≡ 0 (mod %v)", s.Term(), t, m)
		}
	} else {
		s.Add(big.NewInt(-1), m, k)
		if err := vanishes(&s); err != nil {
			return fail("Cong", "%w\n  goal %v ≡ 0 (mod %v)", err, t, m)
		}
	}
	return conclude("Cong", logic.Cong(t, logic.N(0), m), ths...)
}

// Antisym: from 0 ≤ p and 0 ≤ −p: p = 0.
//
// Sound: ≤ on the integers is antisymmetric.
func Antisym(p logic.Term, ge, le Theorem) (Theorem, error) {
	if ge.t == nil || le.t == nil {
		return fail("Antisym", "%w", errZero)
	}
	if ge.t.concl != logic.Ge0(p) || le.t.concl != logic.Ge0(logic.Neg(p)) {
		return fail("Antisym", "the facts for p = %v say %v and %v", p, ge.t.concl, le.t.concl)
	}
	return conclude("Antisym", logic.Eq0(p), ge, le)
}

// DvdElim: from p ≡ 0 (mod m), m a constant ≠ 0: p = m·(p div m).
//
// Sound: p = m·k for some k, and then the floor of p/m is k.
func DvdElim(th Theorem) (Theorem, error) {
	if th.t == nil {
		return fail("DvdElim", "%w", errZero)
	}
	c := th.t.concl
	if c.Op() != logic.OpDvd {
		return fail("DvdElim", "%v is no congruence", c)
	}
	p, m := c.Arg(0), c.Arg(1)
	if mc, ok := m.Const(); !ok || mc.Sign() == 0 {
		return fail("DvdElim", "the modulus %v is no constant other than 0", m)
	}
	return conclude("DvdElim", logic.Eq(p, logic.Mul(m, logic.Div(p, m))), th)
}

// DivMod: ⊢ x = m·(x div m) + x mod m.
//
// Sound: by the definition of div and mod, also for m = 0, where x div 0 = 0 and x mod 0 = x.
func DivMod(x, m logic.Term) (Theorem, error) {
	return conclude("DivMod", logic.Eq(x, logic.Add(logic.Mul(m, logic.Div(x, m)), logic.Mod(x, m))))
}

// ModRange: from 1 ≤ m: 0 ≤ x mod m and x mod m ≤ m−1.
//
// Sound: div is floor division.
func ModRange(x, m logic.Term, pos Theorem) (lo, hi Theorem, err error) {
	return residue("ModRange", logic.Mod(x, m), m, pos)
}

// positive refuses a premise that isn't 1 ≤ m.
func positive(rule string, m logic.Term, pos Theorem) error {
	if pos.t == nil {
		return fmt.Errorf("kernel: %s: %w", rule, errZero)
	}
	if want := logic.Le(logic.N(1), m); pos.t.concl != want {
		return fmt.Errorf("kernel: %s: the fact says %v, not %v", rule, pos.t.concl, want)
	}
	return nil
}

// residue concludes 0 ≤ r and r ≤ m−1 from 1 ≤ m, for a least residue r modulo m.
func residue(rule string, r, m logic.Term, pos Theorem) (lo, hi Theorem, err error) {
	if err := positive(rule, m, pos); err != nil {
		return Theorem{}, Theorem{}, err
	}
	if lo, err = conclude(rule, logic.Ge0(r), pos); err != nil {
		return Theorem{}, Theorem{}, err
	}
	if hi, err = conclude(rule, logic.Le(r, logic.Sub(m, logic.N(1))), pos); err != nil {
		return Theorem{}, Theorem{}, err
	}
	return lo, hi, nil
}
