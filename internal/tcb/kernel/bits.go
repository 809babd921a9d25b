package kernel

import (
	"math/big"

	"verum.example/internal/tcb/logic"
)

// ones is 2ⁿ−1.
func ones(n int) *big.Int {
	x := new(big.Int).Lsh(one, uint(n))
	return x.Sub(x, one)
}

// UintRange: ⊢ 0 ≤ uint x and ⊢ uint x ≤ 2ⁿ−1, for x : BV(n).
//
// Sound: a BV(n) has a value in that range.
func UintRange(x logic.Term) (lo, hi Theorem, err error) {
	if lo, err = conclude("UintRange", logic.Ge0(logic.Uint(x))); err != nil {
		return Theorem{}, Theorem{}, err
	}
	hi, err = conclude("UintRange", logic.Le(logic.Uint(x), logic.IntConst(ones(x.Width()))))
	if err != nil {
		return Theorem{}, Theorem{}, err
	}
	return lo, hi, nil
}

// UintSplit: ⊢ uint x = uint x[k−1:0] + 2ᵏ·uint x[n−1:k], for x : BV(n), 0 < k < n.
//
// Sound: binary notation.
func UintSplit(x logic.Term, k int) (Theorem, error) {
	low, high := logic.Extract(k-1, 0, x), logic.Extract(x.Width()-1, k, x)
	return conclude("UintSplit", logic.Eq(logic.Uint(x), logic.Add(logic.Uint(low), logic.Mul(logic.Pow2(k), logic.Uint(high)))))
}

// UintExt: ⊢ uint x[hi:lo] = (uint x div 2^lo) mod 2^(hi−lo+1).
//
// Sound: binary notation.
func UintExt(x logic.Term, hi, lo int) (Theorem, error) {
	return conclude("UintExt", logic.Eq(logic.Uint(logic.Extract(hi, lo, x)), logic.Mod(logic.Div(logic.Uint(x), logic.Pow2(lo)), logic.Pow2(hi-lo+1))))
}

// UltDef: ⊢ (a <u b) = (uint a + 1 ≤ uint b).
//
// Sound: <u compares values.
func UltDef(a, b logic.Term) (Theorem, error) {
	return conclude("UltDef", logic.Eq(logic.Ult(a, b), logic.Lt(logic.Uint(a), logic.Uint(b))))
}

// AndOrSum: ⊢ uint(x∧y) + uint(x∨y) = uint x + uint y and ⊢ uint(x⊕y) = uint x + uint y − 2·uint(x∧y).
//
// Sound: in each bit, (x∧y) + (x∨y) = x + y and x⊕y = x + y − 2(x∧y).
func AndOrSum(x, y logic.Term) (or, xor Theorem, err error) {
	sum := logic.Add(logic.Uint(x), logic.Uint(y))
	and := logic.Uint(logic.BVAnd(x, y))
	if or, err = conclude("AndOrSum", logic.Eq(logic.Add(and, logic.Uint(logic.BVOr(x, y))), sum)); err != nil {
		return Theorem{}, Theorem{}, err
	}
	xor, err = conclude("AndOrSum", logic.Eq(logic.Uint(logic.BVXor(x, y)), logic.Sub(sum, logic.Mul(logic.N(2), and))))
	if err != nil {
		return Theorem{}, Theorem{}, err
	}
	return or, xor, nil
}

// Polynomial is the value of t over ℤ as UintMod and UintExact read it: through add, mul, neg, not, shifts left by a
// constant, ToBV and constants of t's width; every other term, and each of the leaves, stands for its Uint. It is
// congruent to uint t modulo 2ⁿ.
func Polynomial(t logic.Term, leaves ...logic.Term) logic.Term {
	stop := map[logic.Term]bool{}
	for _, l := range leaves {
		stop[l] = true
	}
	memo := map[logic.Term]logic.Term{}
	var value func(t logic.Term) logic.Term
	value = func(t logic.Term) (v logic.Term) {
		if stop[t] {
			return logic.Uint(t)
		}
		if v, ok := memo[t]; ok {
			return v
		}
		switch t.Op() {
		case logic.OpBVAdd:
			v = logic.Add(value(t.Arg(0)), value(t.Arg(1)))
		case logic.OpBVMul:
			v = logic.Mul(value(t.Arg(0)), value(t.Arg(1)))
		case logic.OpBVNeg:
			v = logic.Neg(value(t.Arg(0)))
		case logic.OpBVNot:
			v = logic.Sub(logic.N(-1), value(t.Arg(0)))
		case logic.OpShl:
			v = logic.Mul(logic.Pow2(t.Lo()), value(t.Arg(0)))
		case logic.OpToBV:
			v = t.Arg(0)
		default:
			v = logic.Uint(t)
		}
		memo[t] = v
		return v
	}
	return value(t)
}

// UintMod: ⊢ uint t ≡ v (mod 2ⁿ), v = Polynomial(t, leaves...).
//
// Sound: each operation of BV(n) is the one of ℤ modulo 2ⁿ (¬x is −1−x), and congruence is preserved by + and ·.
func UintMod(t logic.Term, leaves ...logic.Term) (Theorem, error) {
	return conclude("UintMod", logic.Cong(logic.Uint(t), Polynomial(t, leaves...), logic.Pow2(t.Width())))
}

// UintExact: from l ≤ v and v ≤ h with constants 0 ≤ l, h ≤ 2ⁿ−1, v = Polynomial(t, leaves...): uint t = v. Intermediate
// results may wrap.
//
// Sound: uint t ≡ v (mod 2ⁿ), and both lie in a range of 2ⁿ numbers.
func UintExact(t logic.Term, lo, hi Theorem, leaves ...logic.Term) (Theorem, error) {
	if lo.t == nil || hi.t == nil {
		return fail("UintExact", "%w", errZero)
	}
	v := Polynomial(t, leaves...)
	if err := v.Err(); err != nil {
		return fail("UintExact", "%w", err)
	}
	l, ok := bound(lo, v, v)
	if !ok || l.Sign() > 0 {
		return fail("UintExact", "%v doesn't say that 0 ≤ %v", lo.t.concl, v)
	}
	h, ok := bound(hi, v, logic.Neg(v))
	if !ok || h.Cmp(ones(t.Width())) > 0 {
		return fail("UintExact", "%v doesn't say that %v ≤ 2^%d−1", hi.t.concl, v, t.Width())
	}
	return conclude("UintExact", logic.Eq(logic.Uint(t), v), lo, hi)
}

// bound reads a theorem as 0 ≤ s + c, s being v or −v, and gives the constant c. When v is a constant, the theorem may
// have folded to true; then c = −s.
func bound(th Theorem, v, s logic.Term) (*big.Int, bool) {
	if _, ok := v.Const(); ok && isTrivial(th) {
		c, _ := logic.Neg(s).Const()
		return c, true
	}
	if th.t.concl.Op() != logic.OpGe0 {
		return nil, false
	}
	return logic.Sub(th.t.concl.Arg(0), s).Const()
}

// LowRing: ⊢ a = b for a, b : BV(n) that are the same polynomial over ℤ/2ⁿ. "The low n bits" pass through add, mul, neg,
// not, shifts left, and through whatever has the low n bits of its first argument (Sext, Concat, Extract from bit 0);
// every other term t is the atom t[n−1:0].
//
// Sound: reduction modulo 2ⁿ is a ring homomorphism from ℤ/2ᵐ, m ≥ n; equal polynomials have equal values.
func LowRing(a, b logic.Term) (Theorem, error) {
	n := a.Width()
	if n == 0 || b.Width() != n {
		return fail("LowRing", "%v and %v have the sorts %v and %v", a, b, a.Sort(), b.Sort())
	}
	memo := map[logic.Term]logic.Term{}
	d := reduce(logic.Sub(lowPolynomial(a, n, memo), lowPolynomial(b, n, memo)), n)
	if d != logic.N(0) {
		return fail("LowRing", "%v and %v differ by %v modulo 2^%d", a, b, d, n)
	}
	return conclude("LowRing", logic.Eq(a, b))
}

// reduce takes coefficients modulo 2ⁿ.
func reduce(p logic.Term, n int) logic.Term {
	ms := p.Monomials()
	out := ms[:0]
	for _, m := range ms {
		if m.Coef.And(m.Coef, ones(n)); m.Coef.Sign() != 0 {
			out = append(out, m)
		}
	}
	if p.Err() != nil {
		return p
	}
	return logic.FromMonomials(out)
}

func lowPolynomial(t logic.Term, n int, memo map[logic.Term]logic.Term) logic.Term {
	if v, ok := memo[t]; ok {
		return v
	}
	arg := func(i int) logic.Term { return lowPolynomial(t.Arg(i), n, memo) }
	var v logic.Term
	switch op := t.Op(); {
	case op == logic.OpConst:
		c, _ := t.Const()
		v = logic.IntConst(c)
	case op == logic.OpBVAdd:
		v = logic.Add(arg(0), arg(1))
	case op == logic.OpBVMul:
		v = logic.Mul(arg(0), arg(1))
	case op == logic.OpBVNeg:
		v = logic.Neg(arg(0))
	case op == logic.OpBVNot:
		v = logic.Sub(logic.N(-1), arg(0))
	case op == logic.OpShl:
		v = logic.Mul(logic.Pow2(t.Lo()), arg(0))
	case (op == logic.OpSext || op == logic.OpConcat || op == logic.OpExtract && t.Lo() == 0) && t.Arg(0).Width() >= n:
		v = arg(0)
	default:
		v = logic.Uint(logic.Extract(n-1, 0, t))
	}
	v = reduce(v, n)
	memo[t] = v
	return v
}
