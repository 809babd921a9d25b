package selftest

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/selftest"
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/selftest"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// sumProof: the invariant is i < n and acc ≡ sum(i, a) (mod 2⁶⁴), the measure n − i. After the body i' = i + 1, and the
// condition tests d = i' − n, a subtraction with borrow.
type sumProof struct {
	machine.NoProof
	p    impl.Program
	last body // the loop's body, for the proof after the loop
}

// body is the state after the loop's body.
type body struct {
	loop
	next, acc, d Term    // counter, sum, what the condition tests
	sum          Theorem // acc ≡ sum(next, a), under the invariant
}

// loop has the terms of the loop and the facts that its proofs share.
type loop struct {
	acc, i, n, a Term // at the head
	inRange, sum Theorem
}

func (pr *sumProof) loop(v machine.View) loop {
	l := loop{acc: v.Fresh("words", machine.RegLoc(pr.p.Acc)), i: v.Fresh("words", machine.RegLoc(pr.p.Ctr)), n: v.Arg("n"), a: v.Before("a")[0]}
	l.inRange = assume(logic.Lt(logic.Uint(l.i), logic.Uint(l.n)))
	l.sum = assume(l.isSum(logic.Uint(l.acc), logic.Uint(l.i)))
	return l
}

func (l loop) isSum(x, k Term) Term { return logic.Cong(x, spec.SumOf(k, l.a), m64) }

func (pr *sumProof) Shape(string, machine.View) (machine.Shape, error) {
	acc, ctr := machine.RegLoc(pr.p.Acc), machine.RegLoc(pr.p.Ctr)
	s := machine.Shape{Fresh: []machine.Loc{acc, ctr}, Public: []machine.Loc{ctr}}
	for _, r := range pr.p.Dead {
		s.Dead = append(s.Dead, machine.RegLoc(r))
	}
	return s, nil
}

func (pr *sumProof) Invariant(_ string, v machine.View) ([]Term, Term, error) {
	l := pr.loop(v)
	return []Term{l.inRange.Concl(), l.sum.Concl()}, logic.Sub(logic.Uint(l.n), logic.Uint(l.i)), nil
}

func (pr *sumProof) Index(a machine.Access) (machine.Index, error) {
	return machine.Index{M: logic.Uint(pr.loop(a.View).i), Scale: 8}, nil
}

func (pr *sumProof) Prove(g machine.Goal) (Theorem, error) {
	v := g.View
	switch g.Name {
	case "invariant 0 on entry": // n ≠ 0
		return positive(v.Arg("n"), assume(logic.Not(logic.Eq(v.Arg("n"), zero)))), nil
	case "invariant 1 on entry":
		return pr.emptySum(v), nil
	case "ensures 0":
		return pr.result(g), nil
	}
	l := pr.loop(v)
	ui, un := logic.Uint(l.i), logic.Uint(l.n)
	switch g.Name {
	case "measure is natural":
		return auto.NonNeg(logic.Sub(un, ui), []Theorem{l.inRange}), nil
	case "offset is the index":
		layout := assume(logic.Le(logic.Add(logic.Uint(v.Base("a")), logic.Mul(logic.N(8), un)), m64))
		// 8·uint(i) ≤ 8·uint(n) − 8 ≤ 2⁶⁴ − 8
		eighth := auto.Must(kernel.Le(logic.Mul(logic.N(8), l.inRange.Concl().Arg(0)), []Theorem{l.inRange}, []kernel.Product{{Coef: big.NewInt(8), Factors: []int{0}}}))
		off := offset(g.Concl.Arg(0))
		p := kernel.Polynomial(off)
		top := logic.IntConst(new(big.Int).Sub(auto.Pow2(64), big.NewInt(1)))
		return kernel.UintExact(off, auto.NonNeg(p, nil), auto.NonNeg(logic.Sub(top, p), []Theorem{layout, eighth}))
	case "access is inside a":
		return kernel.Le(g.Concl.Arg(0), []Theorem{l.inRange}, []kernel.Product{{Coef: big.NewInt(8), Factors: []int{0}}})
	}

	next, succ := pr.next(l, v)
	switch g.Name {
	case "invariant 0 is kept":
		acc, d := v.Reg(pr.p.Acc), difference(g.Hyps, next, l.n)
		pr.last = body{l, next, acc, d, sumAfter(l, acc, next, succ)}
		return stillBelow(l, next, d, succ), nil
	case "invariant 1 is kept":
		return pr.last.sum, nil
	case "measure decreases":
		un2 := logic.Uint(next)
		return auto.NonNeg(logic.Sub(logic.Sub(un, ui), logic.Add(logic.Sub(un, un2), n1)), nil, succLin(l, next, succ, 1)), nil
	}
	return Theorem{}, fmt.Errorf("no proof of %s", g.Name)
}

// next is the counter after the body and uint(next) = uint(i) + 1.
func (pr *sumProof) next(l loop, v machine.View) (Term, Theorem) {
	next := v.Reg(pr.p.Ctr)
	plus := logic.BVAdd(l.i, logic.BVUint(64, 1))
	p := kernel.Polynomial(plus)
	top := logic.IntConst(new(big.Int).Sub(auto.Pow2(64), big.NewInt(1)))
	th := auto.Must(kernel.UintExact(plus, auto.NonNeg(p, nil), auto.NonNeg(logic.Sub(top, p), []Theorem{l.inRange})))
	if next == plus {
		return next, th
	}
	return next, auto.Must(kernel.Rewrite(th, auto.Rewritten(auto.Must(kernel.RewriteTerm(logic.Uint(plus), lowEqual(plus, next))), logic.Uint(plus), logic.Uint(next))))
}

func succLin(l loop, next Term, succ Theorem, by int64) auto.Lin {
	return auto.Lin{Th: succ, L: logic.Uint(next), R: logic.Add(logic.Uint(l.i), n1), By: logic.N(by)}
}

// emptySum: 0 ≡ sum(0, a).
func (pr *sumProof) emptySum(v machine.View) Theorem {
	s := spec.SumOf(logic.N(0), v.Before("a")[0])
	return auto.Congruent(logic.N(0), s, m64, auto.Lin{Th: auto.Must(kernel.Unfold(s)), L: s, R: logic.N(0), By: logic.N(-1)})
}

// positive: 1 ≤ uint(x) from x ≠ 0.
func positive(x Term, nz Theorem) Theorem {
	small := logic.Le(logic.Uint(x), logic.N(0))
	lo, _ := auto.Range(x)
	isZero := auto.Must(kernel.Antisym(logic.Uint(x), lo, assume(small)))
	eq := auto.Must(kernel.Discharge(small, injective(x, zero, isZero)))
	return auto.Must(kernel.Taut(logic.Not(small), eq, nz))
}

// difference finds d = next − n in the loop's condition.
func difference(hyps []Term, next, n Term) Term {
	for _, h := range hyps {
		for _, d := range differences(h) {
			if _, err := kernel.LowRing(logic.BVAdd(d, n), next); err == nil {
				return d
			}
		}
	}
	return Term{}
}

// stillBelow: i' < n, because i' ≤ n, and i' = n would make d zero.
func stillBelow(l loop, next, d Term, succ Theorem) Theorem {
	un, u := logic.Uint(l.n), logic.Uint(next)
	below := logic.Lt(u, un)
	le := auto.NonNeg(logic.Sub(un, u), []Theorem{l.inRange}, succLin(l, next, succ, -1))
	ge := assume(logic.Not(below)) // uint(n) ≤ uint(i')
	same := auto.Must(kernel.Antisym(logic.Sub(u, un), ge, le))
	eq := auto.Rewritten(injective(next, l.n, same), next, l.n)
	nothing := logic.BVSub(l.n, l.n)
	dz := auto.Must(kernel.LowRing(logic.BVSub(next, l.n), d))       // next − n = d
	low := auto.Must(kernel.RewriteTerm(logic.BVSub(next, l.n), eq)) // next − n = n − n
	none := auto.Must(kernel.LowRing(nothing, zero))                 // n − n = 0
	// d = next − n = n − n = 0
	th := auto.Must(kernel.Rewrite(low, auto.Rewritten(none, nothing, zero)))
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(dz, logic.BVSub(next, l.n), d)))
	return auto.Must(kernel.Taut(below, auto.Must(kernel.Discharge(logic.Not(below), th)), assume(logic.Not(logic.Eq(d, zero)))))
}

// sumAfter: acc' ≡ sum(i', a).
func sumAfter(l loop, acc, next Term, succ Theorem) Theorem {
	word := logic.Div(l.a, machine.Pow256(logic.Mul(logic.N(8), logic.Uint(l.i))))
	plus := logic.BVAdd(l.acc, logic.ToBV(64, word))
	th := auto.Must(kernel.UintMod(plus)) // ≡ uint(acc) + word
	if acc != plus {
		th = auto.Must(kernel.Rewrite(th, lowEqual(plus, acc)))
	}
	// sum(uint(i)+1) = sum(uint(i)) + word mod 2⁶⁴, since 0 ≤ uint(i)
	k := logic.Add(logic.Uint(l.i), n1)
	unfold := auto.Must(kernel.Unfold(spec.SumOf(k, l.a)))
	lo, _ := auto.Range(l.i)
	unfold = auto.Must(kernel.Rewrite(unfold, auto.Rewritten(lo, logic.Le(k, logic.N(0)), logic.False())))
	step := logic.Add(spec.SumOf(logic.Uint(l.i), l.a), logic.Mod(word, m64))
	divmod := auto.Must(kernel.DivMod(word, m64))
	sum := auto.Congruent(logic.Uint(acc), spec.SumOf(k, l.a), m64,
		auto.Lin{Th: th, L: logic.Uint(acc), R: logic.Add(logic.Uint(l.acc), word), By: n1},
		auto.Lin{Th: l.sum, L: logic.Uint(l.acc), R: spec.SumOf(logic.Uint(l.i), l.a), By: n1},
		auto.Lin{Th: unfold, L: spec.SumOf(k, l.a), R: step, By: logic.N(-1)},
		auto.Lin{Th: divmod, L: word, R: logic.Add(logic.Mul(m64, logic.Div(word, m64)), logic.Mod(word, m64)), By: n1})
	// fold uint(i)+1 back to uint(i')
	w := logic.Fresh("w", logic.Int())
	return auto.Must(kernel.Leibniz(succ, k, logic.Uint(next), sum, l.isSum(logic.Uint(acc), w), w))
}

// result: for n = 0 the sum is empty; else the facts of the loop hold, and its last i' is n.
func (pr *sumProof) result(g machine.Goal) Theorem {
	l := pr.last
	none := logic.Eq(l.n, zero)
	empty := auto.Must(kernel.RewriteTerm(g.Concl, auto.Rewritten(assume(none), l.n, zero))) // goal = (0 ≡ sum(0, a))
	empty = auto.Must(kernel.Taut(g.Concl, empty, pr.emptySum(g.View)))

	some := logic.Not(none)
	fact := func(f Term) Theorem { // f, which the loop's branch contributed
		return auto.Must(kernel.Taut(f, assume(logic.Imp(some, f)), assume(some)))
	}
	sum := l.sum
	for _, h := range sum.Hyps() {
		sum = auto.Must(kernel.Taut(sum.Concl(), auto.Must(kernel.Discharge(h, sum)), fact(h)))
	}
	// d = 0, so i' = d + n = n
	same := auto.Must(kernel.Rewrite(auto.Must(kernel.LowRing(logic.BVAdd(l.d, l.n), l.next)), auto.Rewritten(fact(logic.Eq(l.d, zero)), l.d, zero)))
	plus := logic.BVAdd(zero, l.n)
	un := auto.Must(kernel.RewriteTerm(logic.Uint(l.next), auto.Rewritten(same, l.next, plus)))
	w := logic.Fresh("w", logic.Int())
	sum = auto.Must(kernel.Leibniz(un, logic.Uint(l.next), logic.Uint(plus), sum, l.isSum(logic.Uint(l.acc), w), w))
	branch := auto.Must(kernel.RewriteTerm(g.Concl, auto.Rewritten(assume(some), none, logic.False())))
	return auto.Cases(g.Concl, none, empty, auto.Must(kernel.Taut(g.Concl, branch, sum)))
}
