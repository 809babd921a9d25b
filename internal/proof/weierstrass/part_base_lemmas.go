package weierstrass

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/group"
	"verum.example/internal/proof/multiple"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// combLemmas are about the rows of the table of multiples of the base point G. Row i has weight W = 2^(w·i); its digit
// is e of w bits, which stands for d = e − 2^(w−1), and adds [W·d]G to the multiple [n + L]G that the lower rows made,
// where L is Σ Wⱼ·dⱼ, which may be negative. They are the same for all targets.
type combLemmas struct {
	c    *Curve
	comb *impl.Comb
	laws *multiple.Laws
	g    Term

	// Variables.
	e, w, s, l       Term // the digit; its absolute value and its sign in memory; L
	x, y, v, z       Term // elements: what is selected, y with the digit's sign, and Z of the first point
	p, q             Term // points: [n + L]G, [W·d]G
	peel             *peeler
	onG, first       kept
	point, sign, sum []kept // by row
}

// newCombLemmas proves nothing yet.
func newCombLemmas(c *Curve, comb *impl.Comb) *combLemmas {
	name := func(s string, sort logic.Sort) Term { return logic.Var("comb."+s, sort) }
	integer := func(s string) Term { return name(s, logic.Int()) }
	word := func(s string) Term { return name(s, logic.BV(64)) }
	l := &combLemmas{c: c, comb: comb, laws: c.laws(), g: c.Spec.G(),
		e: name("e", logic.BV(impl.CombWindow)), w: word("w"), s: word("s"), l: integer("L"),
		x: integer("X"), y: integer("Y"), v: integer("V"), z: integer("Z"),
		p: name("P", spec.PointSort()), q: name("Q", spec.PointSort()),
		point: make([]kept, comb.Rows), sign: make([]kept, comb.Rows), sum: make([]kept, comb.Rows)}
	l.peel = newPeeler("comb", l.w, 2*c.Field.Words(), l.is)
	return l
}

// kept is a theorem that is proved when it is needed, and again when the generation of its terms is over.
type kept struct {
	mu sync.Mutex
	th Theorem
}

func (k *kept) get(prove func() Theorem) Theorem {
	k.mu.Lock()
	defer k.mu.Unlock()
	stale := func(t Term) bool { return t.Err() != nil }
	if k.th.IsZero() || stale(k.th.Concl()) || slices.ContainsFunc(k.th.Hyps(), stale) {
		k.th = prove()
	}
	return k.th
}

const combHalf = impl.CombEntries

// weight is W of row i.
func (l *combLemmas) weight(i int) *big.Int { return auto.Pow2(impl.CombWindow * i) }

// digit is d for e.
func (l *combLemmas) digit(e Term) Term { return logic.Sub(logic.Uint(e), logic.N(combHalf)) }

// term is W·d for row i.
func (l *combLemmas) term(i int, e Term) Term { return auto.Scale(l.weight(i), l.digit(e)) }

// room is a bound of |L| before row i: Σ 2^(w−1)·Wⱼ, j < i.
func (l *combLemmas) room(i int) *big.Int {
	r := new(big.Int)
	for j := range i {
		r.SetBit(r, impl.CombWindow*j+impl.CombWindow-1, 1)
	}
	return r
}

// multiple is [k]G.
func (l *combLemmas) multiple(k Term) Term { return l.c.Multiple(k, l.g) }

// before is [n + L]G.
func (l *combLemmas) before(L Term) Term { return l.multiple(logic.Add(l.c.Spec.N(), L)) }

// on: G is on the curve.
func (l *combLemmas) on() Theorem {
	return l.onG.get(func() Theorem { return auto.Must(kernel.Compute(l.c.OnCurve(l.g))) })
}

// ---- selection

// entry are the words of the point j·W·G, j ≥ 1, in row i.
func (l *combLemmas) entry(i, j int) []Term {
	n := 2 * l.c.Field.Words()
	ws := make([]Term, n)
	for k, w := range l.comb.Table[(i*impl.CombEntries+j-1)*n:][:n] {
		ws[k] = logic.BVUint(64, w)
	}
	return ws
}

// is says that the words are those of the affine point P, with reduced coordinates.
func (l *combLemmas) is(ws []Term, P Term) Term {
	n := l.c.Field.Words()
	X, Y := auto.Word(ws[:n]...), auto.Word(ws[n:]...)
	return logic.And(logic.Lt(X, l.c.Field.P()), logic.Lt(Y, l.c.Field.P()), logic.Eq(l.c.AffinePoint(X, Y), P))
}

// selects are the words that the selection from row i gives for w: see selectContract.
func (l *combLemmas) selects(i int, w Term) []Term {
	ws := make([]Term, 2*l.c.Field.Words())
	for k := range ws {
		ws[k] = selected(w, impl.CombEntries, func(j int) Term { return l.entry(i, j)[k] })
	}
	return ws
}

// selection is about row i:
//
//	w ≤ 2^(w−1) ⊢ is(selects(w), [W·w]G)
func (l *combLemmas) selection(i int) Theorem {
	return l.point[i].get(func() Theorem {
		W := l.weight(i)
		u := logic.Uint(l.w)
		P := l.multiple(auto.Scale(W, u))
		x := logic.Fresh("w", logic.BV(64))
		atX := func(ws []Term) Term { return l.is(ws, l.multiple(auto.Scale(W, logic.Uint(x)))) }
		// none: zeros, which stand for O
		rest := make([]Term, 2*l.c.Field.Words())
		for k := range rest {
			rest[k] = zero64()
		}
		hole := logic.Fresh("u", logic.Int())
		th := auto.Must(kernel.Compute(l.is(rest, spec.Infinity())))
		none := l.multiple(logic.N(0))
		th = auto.Must(kernel.Leibniz(l.laws.Zero(l.g), spec.Infinity(), none, th, l.is(rest, l.p), l.p))
		th = auto.Must(kernel.Leibniz(absent(l.w, combHalf), logic.N(0), u, th, l.is(rest, l.multiple(auto.Scale(W, hole))), hole))
		for j := combHalf; j >= 1; j-- {
			entry := l.entry(i, j)
			k := new(big.Int).Mul(W, big.NewInt(int64(j)))
			value, base := l.laws.Base(k)
			yes := auto.Must(kernel.Compute(l.is(entry, value)))
			kG := l.multiple(logic.IntConst(k))
			yes = auto.Must(kernel.Leibniz(base, value, kG, yes, l.is(entry, l.p), l.p))
			same := assume(logic.Eq(l.w, entryNumber(j)))
			yes = auto.Must(kernel.Leibniz(same, entryNumber(j), l.w, yes, atX(entry), x))
			rest, th = l.peel.peeled(j, P, entry, rest, yes, th)
		}
		return th
	})
}

// ---- sign

// signed is about row i:
//
//	signs(d, w, s), negates(s, y, v), (x, y) = [W·w]G ⊢ (x, v) = Digit(W·d, G)
func (l *combLemmas) signed(i int) Theorem {
	return l.sign[i].get(func() Theorem {
		return l.c.signedPoint(l.weight(i), l.digit(l.e), l.g, signed{l.w, l.s, l.y, l.v},
			func(y Term) Term { return l.c.AffinePoint(l.x, y) }, point.For(l.c.Spec).MemAffNeg(l.x, l.y, l.v))
	})
}

// ---- the first row

// ones is what Z of the point of the first row is.
func (l *combLemmas) ones(e, Z Term) []Term {
	zero := logic.Eq0(l.digit(e))
	one := new(big.Int).Mod(l.c.Field.R(), l.c.Field.M())
	return []Term{
		logic.Imp(zero, logic.Eq(Z, logic.N(0))),
		logic.Imp(logic.Not(zero), logic.Eq(Z, logic.IntConst(one))),
	}
}

// start is about the first row, whose weight is 1:
//
//	ones(e, Z), (x, v) = Digit(d, G) ⊢ (x, v, Z) = [n + d]G
func (l *combLemmas) start() Theorem {
	return l.first.get(func() Theorem {
		c, f, d, n := l.c, point.For(l.c.Spec), l.digit(l.e), l.c.Spec.N()
		P, A, digit := c.Point(l.x, l.v, l.z), c.AffinePoint(l.x, l.v), l.laws.Digit(d, l.g)
		x, v, z := c.Residue(l.x), c.Residue(l.v), c.Residue(l.z)
		goal := logic.Eq(P, l.before(d))
		isZero, ones := logic.Eq0(d), l.ones(l.e, l.z)
		at := logic.Fresh("at", spec.PointSort())
		O := spec.Infinity()
		order := number.Use(l.laws.Order(l.g), l.on())

		// d = 0: O
		Z := taut(logic.Eq(l.z, logic.N(0)), assume(ones[0]), assume(isZero))
		ri := logic.IntConst(c.Field.Ri())
		cong := auto.Congruent(z, logic.N(0), c.Field.P(), auto.Lin{Th: Z, L: l.z, R: logic.N(0), By: ri})
		th := number.Use(f.Infinite(x, v, z), cong)
		th = auto.Must(kernel.Leibniz(order, O, l.multiple(n), th, logic.Eq(P, at), at))
		hole := logic.Fresh("d", logic.Int())
		yes := auto.Must(kernel.Leibniz(assume(isZero), logic.N(combHalf), logic.Uint(l.e), th,
			logic.Eq(P, l.before(logic.Sub(hole, logic.N(combHalf)))), hole))

		// else the digit is not O
		onDigit := number.Use(l.laws.DigitClosed(d, l.g), l.on())
		infinite := assume(spec.IsInfinity(digit))
		isO := number.Use(group.For(c.Spec).Infinite(digit), onDigit, infinite) // digit = O
		same := auto.Must(kernel.Leibniz(isO, O, digit, l.laws.Zero(l.g), logic.Eq(l.multiple(logic.N(0)), at), at))
		dvd := number.Use(l.laws.DigitDistinct(logic.N(0), d, l.g), same, l.on())
		t := dvd.Concl().Arg(0)
		q := logic.Div(t, n)
		elim := auto.Must(kernel.DvdElim(dvd)) // ±d = n·q
		lo, hi := auto.Range(l.e)
		qs := newInterval(q)
		m := constant(n)
		room := logic.N(combHalf)
		eq := func(by int64) auto.Lin { return auto.Lin{Th: elim, L: t, R: auto.Scale(m, q), By: logic.N(by)} }
		qs.cut(m, auto.NonNeg(logic.Add(auto.Scale(m, q), room), []Theorem{lo, hi}, eq(-1)))
		qs.cut(m, auto.NonNeg(logic.Sub(room, auto.Scale(m, q)), []Theorem{lo, hi}, eq(1)))
		absurd := qs.each(isZero, func(v *big.Int, is Theorem) Theorem {
			if v.Sign() != 0 {
				panic(fmt.Errorf("[%v]G may be O for a digit", v))
			}
			return auto.Equal(t, logic.N(0), eq(1), auto.Lin{Th: is, L: q, R: logic.N(0), By: n})
		})
		some := implied(spec.IsInfinity(digit), absurd)
		some = taut(logic.Not(spec.IsInfinity(digit)), some, assume(logic.Not(isZero)))
		given := assume(logic.Eq(A, digit))
		some = auto.Must(kernel.Leibniz(given, digit, A, some, logic.Not(spec.IsInfinity(at)), at))
		zeros := logic.And(logic.Cong(x, logic.N(0), c.Field.P()), logic.Cong(v, logic.N(0), c.Field.P()))
		some = taut(logic.Not(zeros), some, f.AffIsInfinity(x, v))

		// and the point is (x, v, 1)
		one := new(big.Int).Mod(c.Field.R(), c.Field.M())
		Z = taut(logic.Eq(l.z, logic.IntConst(one)), assume(ones[1]), assume(logic.Not(isZero)))
		cong = auto.Congruent(z, logic.N(1), c.Field.P(),
			auto.Lin{Th: Z, L: l.z, R: logic.IntConst(one), By: ri})
		th = number.Use(f.Congruent(x, v, z, x, v, logic.N(1)), cong) // P = (x, v, 1)
		affine := number.Use(f.AffOne(x, v), some)
		th = auto.Must(kernel.Leibniz(affine, Jac(c.Spec, x, v, logic.N(1)), A, th, logic.Eq(P, at), at))
		th = auto.Must(kernel.Leibniz(given, A, digit, th, logic.Eq(P, at), at))
		// O + digit = [n + d]G
		sum := number.Use(l.laws.AddDigit(n, d, l.g), auto.NonNeg(n, nil), auto.NonNeg(logic.Add(n, d), nil), l.on())
		sum = auto.Must(kernel.Leibniz(order, l.multiple(n), O, sum, logic.Eq(c.Sum(at, digit), l.before(d)), at))
		zero := number.Use(group.For(c.Spec).LeftZero(digit), onDigit)
		sum = auto.Must(kernel.Leibniz(zero, c.Sum(O, digit), digit, sum, logic.Eq(at, l.before(d)), at))
		no := auto.Must(kernel.Leibniz(sum, digit, l.before(d), th, logic.Eq(P, at), at))
		return auto.Cases(goal, isZero, yes, no)
	})
}

// ---- sum

// bounds are what is known of L before row i; of the last row, after which L + W·d is the number k, 0 ≤ k < n, also
// that.
func (l *combLemmas) bounds(i int, e, L Term) []Term {
	B := logic.IntConst(l.room(i))
	ts := []Term{logic.Ge0(logic.Add(L, B)), logic.Ge0(logic.Sub(B, L))}
	if i == l.comb.Rows-1 {
		k := logic.Add(L, l.term(i, e))
		ts = append(ts, logic.Ge0(k), logic.Lt(k, l.c.Spec.N()))
	}
	return ts
}

// adds are the conclusions about row i: P and Q may be added, and the sum.
func (l *combLemmas) adds(i int, e, L, P, Q Term) []Term {
	return []Term{l.c.OnCurve(P), l.c.OnCurve(Q), l.c.summable(P, Q),
		logic.Eq(l.c.Sum(P, Q), l.before(logic.Add(L, l.term(i, e))))}
}

// added is about row i:
//
//	bounds(e, L), P = [n + L]G, Q = Digit(W·d, G) ⊢ adds(e, L, P, Q)
func (l *combLemmas) added(i int) Theorem {
	return l.sum[i].get(func() Theorem {
		n, Wd := l.c.Spec.N(), l.term(i, l.e)
		k := logic.Add(n, l.l)
		digit := l.laws.Digit(Wd, l.g)
		kG := l.multiple(k)
		var facts []Theorem
		for _, t := range l.bounds(i, l.e, l.l) {
			facts = append(facts, assume(t))
		}
		nk := auto.NonNeg(k, facts)
		all := []Theorem{
			number.Use(l.laws.Closed(k, l.g), l.on()),
			number.Use(l.laws.DigitClosed(Wd, l.g), l.on()),
			l.differ(i, kG, digit, nk, facts),
			number.Use(l.laws.AddDigit(k, Wd, l.g), nk, auto.NonNeg(logic.Add(k, Wd), facts), l.on()),
		}
		th := taut(logic.And(l.adds(i, l.e, l.l, kG, digit)...), all...)
		isP, isQ := assume(logic.Eq(l.p, kG)), assume(logic.Eq(l.q, digit))
		x := logic.Fresh("at", spec.PointSort())
		th = auto.Must(kernel.Leibniz(isP, kG, l.p, th, logic.And(l.adds(i, l.e, l.l, x, digit)...), x))
		return auto.Must(kernel.Leibniz(isQ, digit, l.q, th, logic.And(l.adds(i, l.e, l.l, l.p, x)...), x))
	})
}

// differ proves summable(kG, digit) for k = n + L. If they are equal, n + L ≡ W·d (mod n): L = W·d + n·s. For each s
// that the bounds allow, d is 0, and the digit O, or there is none.
func (l *combLemmas) differ(i int, kG, digit Term, nk Theorem, facts []Theorem) Theorem {
	nt, W, Wd, d := l.c.Spec.N(), l.weight(i), l.term(i, l.e), l.digit(l.e)
	n := constant(nt)
	k := logic.Add(nt, l.l)
	same := logic.Eq(kG, digit)
	goal := spec.IsInfinity(digit)
	cong := number.Use(l.laws.DigitDistinct(k, Wd, l.g), nk, assume(same), l.on())
	t := cong.Concl().Arg(0) // ±(n + L − W·d) = n·q
	q := logic.Div(t, nt)
	s, sign := logic.Sub(q, logic.N(1)), int64(1)
	if t != logic.Sub(k, Wd) {
		s, sign = logic.Sub(logic.Neg(q), logic.N(1)), -1
	}
	elim := auto.Must(kernel.DvdElim(cong))
	eq := func(by int64) auto.Lin { // by·(L − W·d − n·s) = 0
		return auto.Lin{Th: elim, L: t, R: auto.Scale(n, q), By: logic.N(sign * by)}
	}
	// bounds of d: from its range, and for the last row from 0 ≤ L + W·d < n
	lo, hi := auto.Range(l.e)
	ds := newInterval(d, lo, hi)
	if i == l.comb.Rows-1 {
		ds.cut(W, auto.NonNeg(logic.Add(Wd, logic.IntConst(l.room(i))), facts))
		top := new(big.Int).Add(n, l.room(i))
		top.Sub(top, big.NewInt(1))
		ds.cut(W, auto.NonNeg(logic.Sub(logic.IntConst(top), Wd), facts))
	}
	// bounds of s: n·s = L − W·d
	ss := newInterval(s)
	room := logic.IntConst(l.room(i))
	dFacts := []Theorem{scaled(W, ds.lower), scaled(W, ds.upper)}
	lowest := new(big.Int).Mul(W, ds.high)
	ss.cut(n, auto.NonNeg(logic.Add(auto.Scale(n, s), room, logic.IntConst(lowest)), append(dFacts, facts...), eq(-1)))
	highest := new(big.Int).Mul(W, ds.low)
	ss.cut(n, auto.NonNeg(logic.Sub(logic.Sub(room, logic.IntConst(highest)), auto.Scale(n, s)),
		append(dFacts, facts...), eq(1)))
	th := ss.each(goal, func(v *big.Int, is Theorem) Theorem { // by s = v
		ds := ds.clone()
		for j, f := range facts {
			// f is 0 ≤ a·L + b·W·d + c, and L = W·d + n·v
			a := int64(1)
			if j%2 == 1 {
				a = -1
			}
			both := int64(1)
			if j >= 2 {
				both = 2
			}
			nv := new(big.Int).Mul(n, v)
			more := logic.Sub(logic.Add(Wd, logic.IntConst(nv)), l.l)
			of := logic.Add(f.Concl().Arg(0), auto.Scale(big.NewInt(a), more))
			ds.cut(new(big.Int).Mul(W, big.NewInt(both)), auto.NonNeg(of, []Theorem{f}, eq(-a),
				auto.Lin{Th: is, L: s, R: logic.IntConst(v), By: auto.Scale(n, logic.N(-a))}))
		}
		if ds.low.Cmp(ds.high) > 0 {
			return taut(goal, auto.Must(contradiction(ds.lower, ds.upper)))
		}
		if ds.low.Sign() != 0 || ds.high.Sign() != 0 {
			panic(fmt.Errorf("row %d: the points may be equal for a digit from %v to %v", i, ds.low, ds.high))
		}
		zero := auto.Must(kernel.Antisym(d, ds.lower, ds.upper))
		x := logic.Fresh("d", logic.Int())
		none := rewritten(spec.IsInfinity(l.multiple(logic.N(0))),
			auto.Rewritten(l.laws.Zero(l.g), l.multiple(logic.N(0)), spec.Infinity()))
		none = taut(spec.IsInfinity(l.multiple(logic.N(0))), none)
		at := logic.Sub(x, logic.N(combHalf))
		return auto.Must(kernel.Leibniz(zero, logic.N(combHalf), logic.Uint(l.e), none,
			spec.IsInfinity(l.laws.Digit(auto.Scale(W, at), l.g)), x))
	})
	return taut(l.c.summable(kG, digit), implied(same, th))
}

// scaled is 0 ≤ c·a, from 0 ≤ a, for c ≥ 1.
func scaled(c *big.Int, th Theorem) Theorem {
	if th.Concl() == logic.True() {
		return th
	}
	t := auto.Scale(c, th.Concl().Arg(0))
	return auto.NonNegBy(t, []Theorem{th}, []kernel.Product{{Coef: c, Factors: []int{0}}})
}

// interval is what is known of an integer t that isn't constant: low ≤ t ≤ high, by theorems 0 ≤ t − low, 0 ≤ high − t.
type interval struct {
	t            Term
	low, high    *big.Int
	lower, upper Theorem
}

// newInterval is the interval by facts as those for improve.
func newInterval(t Term, facts ...Theorem) *interval {
	v := &interval{t: t}
	for _, f := range facts {
		v.improve(f)
	}
	return v
}

func (v *interval) clone() *interval { w := *v; return &w }

// improve takes a fact 0 ≤ t − c or 0 ≤ c − t if it says more.
func (v *interval) improve(th Theorem) {
	a := th.Concl().Arg(0)
	if c, ok := logic.Sub(v.t, a).Const(); ok {
		if v.low == nil || c.Cmp(v.low) > 0 {
			v.low, v.lower = c, th
		}
		return
	}
	c, ok := logic.Add(a, v.t).Const()
	if !ok {
		panic(fmt.Errorf("%v says nothing about %v", th.Concl(), v.t))
	}
	if v.high == nil || c.Cmp(v.high) < 0 {
		v.high, v.upper = c, th
	}
}

// cut improves by a fact 0 ≤ m·t + c or 0 ≤ c − m·t, m > 0.
func (v *interval) cut(m *big.Int, th Theorem) {
	if th.Concl() == logic.True() {
		return
	}
	p := v.t
	if _, ok := logic.Sub(th.Concl().Arg(0), auto.Scale(m, p)).Const(); !ok {
		p = logic.Neg(p)
	}
	// Cut wants a polynomial without constant
	zero := logic.Sub(p, logic.IntConst(constantPart(p)))
	v.improve(auto.Cut(th, m, zero))
}

// constantPart is the constant summand of t.
func constantPart(t Term) *big.Int {
	for _, m := range t.Monomials() {
		if len(m.Atoms) == 0 {
			return m.Coef
		}
	}
	return new(big.Int)
}

// each proves the goal by cases over the values v of the interval, from proofs under t = v.
func (v *interval) each(goal Term, prove func(c *big.Int, is Theorem) Theorem) Theorem {
	if v.low == nil || v.high == nil {
		panic(fmt.Errorf("there are too many values of %v", v.t))
	}
	if v.low.Cmp(v.high) > 0 {
		return taut(goal, auto.Must(contradiction(v.lower, v.upper)))
	}
	value := logic.IntConst(v.low)
	if v.low.Cmp(v.high) == 0 {
		return prove(v.low, auto.Must(kernel.Antisym(logic.Sub(v.t, value), v.lower, v.upper)))
	}
	least := logic.Le(v.t, value)
	first, rest := v.clone(), v.clone()
	first.improve(assume(least))
	rest.improve(assume(logic.Not(least)))
	return auto.Cases(goal, least, first.each(goal, prove), rest.each(goal, prove))
}
