package multiple

import (
	"math/big"
	"sync"

	"verum.example/internal/tcb/logic"
)

// baseMultiples are known multiples of G.
type baseMultiples struct {
	laws *Laws
	sum  *lemma // 0 ≤ i, 0 ≤ j ⊢ [i+j]G = [i]G + [j]G
	mu   sync.Mutex
	of   map[string]equation // [k]G = a constant
}

// Base: ⊢ [k]G = P, for k ≥ 0, and P, which is O or Affine(x, y) with constants x and y.
//
// [k]G is the sum of two other multiples, which are found in the same way and kept: [k/2]G twice if k is a power of
// two, else [k−s]G and [s]G, where s is the lowest bit of k. So a table of [j·2^(w·i)]G for 1 ≤ j ≤ 2^(w−1) takes one
// sum for each entry, computed by the kernel. What is made in a generation of the logic's store is made again after it.
func (l *Laws) Base(k *big.Int) (P Term, th Theorem) {
	if k.Sign() < 0 {
		fail("[%v]G", k)
	}
	l.base.mu.Lock()
	defer l.base.mu.Unlock()
	e := l.base.get(k)
	return e.r, e.th
}

// stateBase makes the lemma of this file.
func (l *Laws) stateBase() {
	g := l.c.G
	l.base.laws = l
	goal := logic.Eq(l.Multiple(logic.Add(vi, vj), g), l.plus(l.Multiple(vi, g), l.Multiple(vj, g)))
	l.base.sum = l.lemma(func() Theorem { return use(l.Add(vi, vj, g), l.onBase()) }, goal,
		logic.Ge0(vi), logic.Ge0(vj))
}

// get is [k]G = a constant, known or new. The lock is held.
func (b *baseMultiples) get(k *big.Int) equation {
	if e, ok := b.of[string(k.Bytes())]; ok && !stale(e.th) {
		return e
	}
	e := b.make(k)
	if b.of == nil {
		b.of = map[string]equation{}
	}
	b.of[string(k.Bytes())] = e
	return e
}

func (b *baseMultiples) make(k *big.Int) equation {
	l := b.laws
	g := l.c.G
	switch {
	case k.Sign() == 0:
		return l.zero(g)
	case k.Cmp(unit) == 0:
		return l.one(g, l.onBase())
	}
	s := new(big.Int).Lsh(unit, k.TrailingZeroBits())
	if s.Cmp(k) == 0 {
		s.Rsh(s, 1)
	}
	rest := new(big.Int).Sub(k, s)
	low, high := b.get(s), b.get(rest)
	i, j := logic.IntConst(rest), logic.IntConst(s)
	th := rewrite(instance(b.sum.get(), subst{vi: i, vj: j}), high, low) // [k]G = a sum of constants
	sum := l.plus(high.r, low.r)
	value := compute(sum)
	p := value.Concl().Arg(0)
	if p == sum {
		p = value.Concl().Arg(1)
	}
	return equal(rewrite(th, equal(value, sum, p)), l.Multiple(logic.IntConst(k), g), p)
}
