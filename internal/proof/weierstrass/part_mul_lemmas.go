package weierstrass

import (
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// mulLemmas are about the steps of a multiple of a point Q, which is on the curve and not O, from the top digit on. They
// are over variables, and the same for all targets.
type mulLemmas struct {
	c     *Curve
	digit *digitLemma

	// Variables.
	e, w, s    Term // the digit; its absolute value and its sign in memory
	m, q       Term // what Q was multiplied by; Q
	x, y, v, z Term // elements: what is selected, and y with the digit's sign
	p, r       Term // points

	double, sign, sum, absent kept
	peel                      *peeler
}

// newMulLemmas proves nothing yet. It is to be called at initialisation: the variables are permanent.
func newMulLemmas(c *Curve) *mulLemmas {
	name := func(s string, sort logic.Sort) Term { return logic.Var("multiple."+s, sort) }
	integer := func(s string) Term { return name(s, logic.Int()) }
	l := &mulLemmas{c: c, e: name("e", logic.BV(impl.Window)), w: name("w", logic.BV(64)), s: name("s", logic.BV(64)),
		m: integer("m"), x: integer("X"), y: integer("Y"), v: integer("V"), z: integer("Z"),
		q: name("Q", spec.PointSort()), p: name("P", spec.PointSort()), r: name("R", spec.PointSort())}
	l.digit = &digitLemma{c: c, w: impl.Window, e: l.e, m: l.m, q: l.q}
	l.peel = newPeeler("multiple", l.w, 5*c.Field.Words(), l.is)
	return l
}

// half is what a digit e is more than what it stands for.
const half = impl.TableEntries

// d is the signed digit for e.
func (l *mulLemmas) d(e Term) Term { return logic.Sub(logic.Uint(e), logic.N(half)) }

// onQ is what is known of Q.
func (l *mulLemmas) onQ(Q Term) []Term { return []Term{l.c.OnCurve(Q), logic.Not(spec.IsInfinity(Q))} }

// is says that the words are those of the cached point P, with reduced elements.
func (l *mulLemmas) is(ws []Term, P Term) Term {
	n := l.c.Field.Words()
	var ts []Term
	for i := range len(ws) / n {
		ts = append(ts, logic.Lt(auto.Word(ws[n*i:n*i+n]...), l.c.Field.P()))
	}
	if len(ws) == 5*n {
		ts = append(ts, l.powers(ws)...)
	}
	return logic.And(append(ts, logic.Eq(l.point(ws), P))...)
}

// point is the point with the words of its coordinates.
func (l *mulLemmas) point(ws []Term) Term {
	n := l.c.Field.Words()
	return l.c.Point(auto.Word(ws[:n]...), auto.Word(ws[n:2*n]...), auto.Word(ws[2*n:3*n]...))
}

// powers says that the words of a cached point have Z² and Z³: see Curve.Powers.
func (l *mulLemmas) powers(ws []Term) []Term {
	n, p, R := l.c.Field.Words(), l.c.Field.P(), logic.IntConst(l.c.Field.R())
	Z, ZZ, ZZZ := auto.Word(ws[2*n:3*n]...), auto.Word(ws[3*n:4*n]...), auto.Word(ws[4*n:]...)
	return []Term{
		logic.Cong(logic.Mul(R, ZZ), logic.Mul(Z, Z), p),
		logic.Cong(logic.Mul(R, ZZZ), logic.Mul(ZZ, Z), p),
	}
}

// twice: P = [m]Q, R = P + P, 0 ≤ m, OnCurve(Q) ⊢ R = [2m]Q ∧ OnCurve(R), over the variables p and r.
func (l *mulLemmas) twice() Theorem {
	return l.double.get(func() Theorem {
		c, laws := l.c, l.c.laws()
		kQ, twice := c.Multiple(l.m, l.q), c.Multiple(auto.Scale(auto.Pow2(1), l.m), l.q)
		at := logic.Fresh("at", spec.PointSort())
		isP, sums := assume(logic.Eq(l.p, kQ)), logic.Eq(c.Sum(at, at), twice)
		sum := auto.Must(kernel.Leibniz(isP, kQ, l.p, laws.Double(l.m, l.q), sums, at))
		isR := assume(logic.Eq(l.r, c.Sum(l.p, l.p)))
		is := auto.Must(kernel.Leibniz(isR, c.Sum(l.p, l.p), l.r, sum, logic.Eq(at, twice), at))
		on := auto.Must(kernel.Leibniz(is, twice, l.r, laws.Closed(auto.Scale(auto.Pow2(1), l.m), l.q), c.OnCurve(at), at))
		return taut(logic.And(is.Concl(), on.Concl()), is, on)
	})
}

// signed: signs(d, w, s), negates(s, y, v), (x, y, z) = [w]Q ⊢ (x, v, z) = Digit(d, Q).
func (l *mulLemmas) signed() Theorem {
	return l.sign.get(func() Theorem {
		return l.c.signedPoint(big.NewInt(1), l.d(l.e), l.q, signed{l.w, l.s, l.y, l.v},
			func(y Term) Term { return l.c.Point(l.x, y, l.z) }, point.For(l.c.Spec).MemNeg(l.x, l.y, l.z, l.v))
	})
}

// added: digitLemma's hypotheses, P = [2^w·m]Q, R = Digit(d, Q) ⊢ sums(e, m, Q, P, R).
func (l *mulLemmas) added() Theorem {
	return l.sum.get(func() Theorem {
		c, d := l.c, l.digit
		th := newDigitLemma(c, impl.Window)
		all := auto.Must(kernel.Inst(th.th, map[Term]Term{th.e: l.e, th.m: l.m, th.q: l.q}))
		kQ, digit := c.Multiple(d.before(l.m), l.q), d.point(l.e, l.q)
		on := c.laws().Closed(d.before(l.m), l.q)
		all = taut(logic.And(l.sums(l.e, l.m, l.q, kQ, digit)...), all, on)
		at := logic.Fresh("at", spec.PointSort())
		isP, isR := assume(logic.Eq(l.p, kQ)), assume(logic.Eq(l.r, digit))
		sums := func(P, R Term) Term { return logic.And(l.sums(l.e, l.m, l.q, P, R)...) }
		all = auto.Must(kernel.Leibniz(isP, kQ, l.p, all, sums(at, digit), at))
		return auto.Must(kernel.Leibniz(isR, digit, l.r, all, sums(l.p, at), at))
	})
}

// sums says that P and R may be added, and what their sum is.
func (l *mulLemmas) sums(e, m, Q, P, R Term) []Term {
	return []Term{l.c.OnCurve(P), l.c.OnCurve(R), l.c.summable(P, R),
		logic.Eq(l.c.Sum(P, R), l.c.Multiple(l.digit.after(e, m), Q))}
}

// first: OnCurve((x, y)), (x, y) ≠ O ⊢ (x, y, 1) = [1](x, y), for Z = 1 in Montgomery form.
func (l *mulLemmas) first(x, y Term) Theorem {
	c, f := l.c, point.For(l.c.Spec)
	A, u, v := c.AffinePoint(x, y), c.Residue(x), c.Residue(y)
	one := logic.Mod(logic.IntConst(c.Field.R()), c.Field.P())
	z := c.Residue(one)
	at := logic.Fresh("at", spec.PointSort())
	zeros := logic.And(logic.Cong(u, logic.N(0), c.Field.P()), logic.Cong(v, logic.N(0), c.Field.P()))
	some := taut(logic.Not(zeros), assume(logic.Not(spec.IsInfinity(A))), f.AffIsInfinity(u, v))
	th := number.Use(f.AffOne(u, v), some) // A = (u, v, 1)
	P := c.Point(x, y, one)
	same := f.Congruent(u, v, z, u, v, logic.N(1)) // P = (u, v, 1)
	th = auto.Must(kernel.Leibniz(th, Jac(c.Spec, u, v, logic.N(1)), A, same, logic.Eq(P, at), at))
	return auto.Must(kernel.Leibniz(c.laws().One(A), A, c.Multiple(logic.N(1), A), th, logic.Eq(P, at), at))
}

// next: the premises of the sum of [i]Q and Q, and that it is [i+1]Q, for 1 < i < n − 1:
//
//	P = [i]Q, R = [1]Q, OnCurve(Q), Q ≠ O ⊢ summable(P, R) ∧ P + R = [i+1]Q
func (l *mulLemmas) next(i int64) Theorem {
	c, laws := l.c, l.c.laws()
	b := &base{c, l.q, assume(c.OnCurve(l.q)), assume(logic.Not(spec.IsInfinity(l.q)))}
	k, one := logic.N(i), logic.N(1)
	iQ, Q := b.multiple(k), b.multiple(one)
	same := logic.Eq(iQ, Q)
	absurd := law(logic.False(), laws.Distinct(k, one, l.q), assume(same), b.on, b.some)
	differ := taut(c.summable(iQ, Q), implied(same, absurd))
	at := logic.Fresh("at", spec.PointSort())
	parts := func(P, R Term) Term {
		return logic.And(c.summable(P, R), logic.Eq(c.Sum(P, R), b.multiple(logic.Add(k, one))))
	}
	th := taut(parts(iQ, Q), differ, b.add(k, one, auto.True(), auto.True()))
	th = auto.Must(kernel.Leibniz(assume(logic.Eq(l.p, iQ)), iQ, l.p, th, parts(at, Q), at))
	return auto.Must(kernel.Leibniz(assume(logic.Eq(l.r, Q)), Q, l.r, th, parts(l.p, at), at))
}

// onDigit is what the words for a digit's absolute value and sign are, over l.e, by cases over the digit.
func (l *mulLemmas) onDigit(index, sign Term) Theorem {
	goal := logic.And(append(signs(l.d(l.e), index, sign), small(index, half), isCondition(sign))...)
	return byValue(goal, l.e, func(_ uint64, goal Term) Theorem { return taut(goal) })
}

// selection: w ≤ half ⊢ is(what w selects from the table, [w]Q), from proofs that the words of entry i, counted from 1,
// are those of [i]Q. It is to be instantiated for w.
func (l *mulLemmas) selection(Q Term, table [][]Term, entries []Theorem) ([]Term, Theorem) {
	c, u := l.c, logic.Uint(l.w)
	P := c.Multiple(u, Q)
	rest := make([]Term, 5*c.Field.Words())
	for k := range rest {
		rest[k] = zero64()
	}
	hole, at, x := logic.Fresh("u", logic.Int()), logic.Fresh("at", spec.PointSort()), logic.Fresh("w", logic.BV(64))
	th := auto.Must(kernel.Compute(l.is(rest, spec.Infinity())))
	th = auto.Must(kernel.Leibniz(c.laws().Zero(Q), spec.Infinity(), c.Multiple(logic.N(0), Q), th, l.is(rest, at), at))
	none := l.absent.get(func() Theorem { return absent(l.w, half) })
	th = auto.Must(kernel.Leibniz(none, logic.N(0), u, th, l.is(rest, c.Multiple(hole, Q)), hole))
	for j := len(table) - 1; j >= 1; j-- {
		same := assume(logic.Eq(l.w, entryNumber(j)))
		yes := auto.Must(kernel.Leibniz(same, entryNumber(j), l.w, entries[j], l.is(table[j], c.Multiple(logic.Uint(x), Q)), x))
		rest, th = l.peel.peeled(j, P, table[j], rest, yes, th)
	}
	return rest, th
}
