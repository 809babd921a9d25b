package weierstrass

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// constants are those of the curve for its code.
func (c *Curve) constants() impl.Constants {
	g := c.Spec.G()
	return impl.Constants{
		A: constant(c.Spec.A()), B: constant(c.Spec.B()),
		GX: constant(spec.X(g)), GY: constant(spec.Y(g)),
	}
}

func constant(t Term) *big.Int {
	v, ok := t.Const()
	if !ok {
		panic(fmt.Errorf("proof/weierstrass: %v is no constant", t))
	}
	return v
}

func (c *Curve) decodeProgram(k Key) (machine.Program, machine.Prover, error) {
	return c.steps(k, func(f *impl.Field) (impl.Code, error) {
		return impl.NewDecode(k.Target, k.Variant, c.parts.decode, f, c.constants())
	}, c.decode)
}

// fromUint is x = n, from uint(x) = n.
func fromUint(th Theorem, x Term, n uint64) Theorem {
	w, v := x.Width(), logic.Fresh("value", logic.Int())
	return auto.Must(kernel.Leibniz(th, logic.Uint(x), logic.IntConst(new(big.Int).SetUint64(n)), auto.True(),
		logic.Eq(x, logic.ToBV(w, v)), v))
}

// truth is a theorem, or the negation of what it says is false, as a rewriting of t.
func truth(th Theorem, t Term) kernel.Equation {
	switch th.Concl() {
	case t:
		return auto.Rewritten(th, t, logic.True())
	case logic.Not(t):
		return auto.Rewritten(th, t, logic.False())
	}
	panic(fmt.Errorf("%v doesn't decide %v", th, t))
}

// decided is q, which the equations make true.
func decided(q Term, eqs ...kernel.Equation) Theorem {
	return taut(q, rewritten(q, eqs...))
}

// divided is E div w = q and E mod w = r, from E = w·q + r and 0 ≤ r < w = 2ⁿ, which follows from the ranges of the
// words in r.
func divided(E, q, r Term, n int) (div, mod Theorem) {
	w := logic.Pow2(n)
	d, m := logic.Div(E, w), logic.Mod(E, w)
	k := logic.Sub(q, d)
	split := lin(auto.Must(kernel.DivMod(E, w)), E, logic.Add(logic.Mul(w, d), m), logic.N(-1))
	mod, zero := auto.Absorb(m, r, k, n, auto.Equal(m, logic.Add(r, logic.Mul(w, k)), split))
	return auto.Equal(d, q, lin(zero, k, logic.N(0), logic.N(-1))), mod
}

// decoding is the proof of the routine that decodes a point. Its terms are over the trace's variables, but for the tag.
type decoding struct {
	c  *Curve
	tr *Trace

	tag    Term    // the first octet
	octets Term    // the number that the octets are
	sx, sy Term    // the numbers that the octets of the coordinates are
	x, y   Term    // the coordinates that the specification takes from octets
	below  [2]Term // they are below p
	valid  Term    // the key is valid
	D      Term    // the specification's point

	from        []Step // FromBytes, for x and y
	curve, okay Step   // the masks
	words       []Term // flags: zero for a valid key
}

// decode proves what the routine ensures.
func (c *Curve) decode(tr *Trace, v machine.View) []Theorem {
	octets, n := v.Before("b"), c.Field.Bytes()
	E, X, Y := bigEndian(octets), bigEndian(octets[1:1+n]), bigEndian(octets[1+n:])
	s := &decoding{c: c, tr: tr, tag: octets[0], octets: tr.Var(E), sx: tr.Var(X), sy: tr.Var(Y)}
	w := c.Spec.W()
	s.x, s.y = logic.Mod(logic.Div(s.octets, w), w), logic.Mod(s.octets, w)
	s.below = [2]Term{logic.Lt(s.x, c.Field.P()), logic.Lt(s.y, c.Field.P())}
	s.valid = logic.And(s.isFour(), s.below[0], s.below[1], c.equation(s.x, s.y))
	s.D = spec.Decode(c.Spec.P(), c.Spec.A(), c.Spec.B(), w, s.octets)
	s.setSteps(v)

	// the octets' numbers by binary notation
	tag := logic.Uint(s.tag)
	rest := logic.Add(auto.Scale(auto.Pow2(8*n), tag), X)
	high, low := divided(E, rest, Y, 8*n)
	_, middle := divided(rest, tag, X, 8*n)
	middle = auto.Must(kernel.Rewrite(middle, auto.Rewritten(high, rest, logic.Div(E, w))))
	first, _ := divided(E, tag, logic.Add(auto.Scale(auto.Pow2(8*n), X), Y), 16*n)

	var ths []Theorem
	for _, th := range s.prove() {
		th = tr.Close(th)
		for _, fact := range []Theorem{low, middle, first} {
			th = Cut(th, fact.Concl(), fact)
		}
		ths = append(ths, th)
	}
	return ths
}

// setSteps finds the steps of the code.
func (s *decoding) setSteps(v machine.View) {
	var from, masks []Step
	for _, st := range s.tr.Steps {
		switch st.Op.Name {
		case "FromBytes":
			from = append(from, st)
		case impl.Mask:
			masks = append(masks, st)
		}
	}
	s.from, s.curve, s.okay = from, masks[0], masks[1]
	if s.from[0].Src[0] != s.sx || s.from[1].Src[0] != s.sy {
		panic(fmt.Errorf("not the octets of the coordinates"))
	}
	vars := map[Term]Term{}
	for _, x := range []Term{s.from[0].Result, s.from[1].Result, s.curve.Dst} {
		vars[s.tr.Value(x)] = x
	}
	for i := range s.c.Field.Words() {
		s.words = append(s.words, logic.Replace(v.Mem("tmp", 8*i, 8), vars))
	}
	if s.tr.Value(auto.Word(s.words...)) != s.tr.Value(s.okay.Src[0]) {
		panic(fmt.Errorf("the flags are not there"))
	}
}

// isFour says that the tag is 4.
func (s *decoding) isFour() Term { return logic.Eq(logic.Uint(s.tag), logic.N(4)) }

// isOne says that a word is 1.
func isOne(w Term) Term { return logic.Eq(logic.Uint(w), logic.N(1)) }

// prove proves the postconditions under hypotheses about the octets: what numbers the tag and the coordinates are.
func (s *decoding) prove() []Theorem {
	flags := auto.Word(s.words...)
	zero, ok := logic.Eq(flags, logic.N(0)), logic.Not(spec.IsInfinity(s.D))
	isValid := taut(logic.Eq(zero, s.valid), s.flags(), s.inRange(0), s.inRange(1), s.onesMean(), s.solves())
	isOK := taut(logic.Eq(ok, s.valid), implied(s.valid, decided(ok, s.point(true))),
		implied(logic.Not(s.valid), decided(logic.Not(ok), s.point(false))))
	word := auto.Must(kernel.Inst(s.okay.Facts[0], map[Term]Term{s.okay.Src[0]: flags}))
	word = auto.Must(kernel.Rewrite(word, auto.Rewritten(taut(logic.Eq(zero, ok), isValid, isOK), zero, ok)))
	return append([]Theorem{word}, s.result(word)...)
}

// naturals are that the specification's coordinates are not negative.
func (s *decoding) naturals() []Theorem {
	w := s.c.Spec.W()
	return []Theorem{modNatural(logic.Div(s.octets, w), w), modNatural(s.octets, w)}
}

// point is that the specification's point is P = (x, y), if the key is valid, else O.
func (s *decoding) point(valid bool) kernel.Equation {
	c, w := s.c, s.c.Spec.W()
	P, to := spec.Affine(s.x, s.y), spec.Infinity()
	cond := logic.And(s.isFour(), c.OnCurve(P))
	is, given := logic.Not(cond), logic.Not(s.valid)
	if valid {
		is, given, to = cond, s.valid, P
	}
	on := auto.Must(kernel.Unfold(c.OnCurve(P)))
	th := taut(is, append(s.naturals(), on, assume(given))...)
	tag := logic.Div(s.octets, logic.Mul(w, w))
	first := auto.Rewritten(assume(logic.Eq(tag, logic.Uint(s.tag))), tag, logic.Uint(s.tag))
	D := auto.Must(kernel.Rewrite(unfolded(s.D, first).Th, truth(th, cond)))
	return auto.Rewritten(D, s.D, to)
}

// parts are what is true if the flags are zero.
func (s *decoding) parts() []Term {
	return []Term{s.isFour(), isOne(s.from[0].Result), isOne(s.from[1].Result), logic.Eq(s.curve.Dst, ones64())}
}

// flags is that the flags are zero just if the parts are true.
func (s *decoding) flags() Theorem {
	parts := s.parts()
	zero, all := logic.Eq(auto.Word(s.words...), logic.N(0)), logic.And(parts...)
	eqs := []kernel.Equation{auto.Rewritten(fromUint(assume(parts[0]), s.tag, 4), s.tag, logic.BVUint(8, 4))}
	for i, st := range s.from {
		eqs = append(eqs, auto.Rewritten(fromUint(assume(parts[1+i]), st.Result, 1), st.Result, logic.BVUint(64, 1)))
	}
	eqs = append(eqs, auto.Rewritten(assume(parts[3]), s.curve.Dst, ones64()))
	to := decided(zero, eqs...)
	for _, q := range parts {
		to = Cut(to, q, taut(q, assume(all)))
	}
	return taut(logic.Eq(zero, all), implied(all, to), implied(zero, taut(all, s.flagsZero(parts)...)))
}

// inRange is that FromBytes returns 1 for coordinate i just if the specification's is below p.
func (s *decoding) inRange(i int) Theorem {
	r := s.from[i].Result
	none := logic.Eq(logic.Uint(r), logic.N(0))
	not := decided(logic.Not(isOne(r)), auto.Rewritten(assume(none), logic.Uint(r), logic.N(0)))
	return taut(logic.Eq(isOne(r), s.below[i]), s.fact(i, 0), s.fact(i, 1), implied(none, not))
}

// onesMean is that the mask is all ones just if u = (x² + a)x + b − y² is 0.
func (s *decoding) onesMean() Theorem {
	m, isZero := s.curve.Dst, logic.Eq(s.curve.Src[0], logic.N(0))
	return rewritten(logic.Eq(m, ones64()), auto.Rewritten(s.curve.Facts[0], m, maskOf(isZero)))
}

// solves is that u is 0 just if the equation of the curve holds, if both coordinates are below p.
func (s *decoding) solves() Theorem {
	c, p, zero, one := s.c, s.c.Field.P(), logic.N(0), logic.N(1)
	u, X, Y := s.curve.Src[0], s.from[0].Dst, s.from[1].Dst
	l, r := c.sides(X, Y)
	equation, residue := c.equation(X, Y), c.Residue(u)
	isZero, congZero := logic.Eq(u, zero), logic.Cong(residue, zero, p)
	is := lin(s.tr.Congruent(c.Field, residue, logic.Sub(r, l), X, Y), residue, logic.Sub(r, l), one)
	there := auto.Congruent(l, r, p, lin(assume(congZero), residue, zero, logic.N(-1)), is)
	back := auto.Congruent(residue, zero, p, is, lin(assume(equation), l, r, logic.N(-1)))
	th := taut(logic.Eq(isZero, equation), implied(congZero, there), implied(equation, back),
		implied(isZero, decided(congZero, c.isZero(u, true))), implied(congZero, c.zero(u)))
	return implied(s.below[0], implied(s.below[1], s.read(s.read(th, 0), 1)))
}

// sides are y² and x³ + ax + b; equation says that they are congruent.
func (c *Curve) sides(x, y Term) (l, r Term) {
	return logic.Mul(y, y), logic.Add(logic.Mul(x, x, x), logic.Mul(c.Spec.A(), x), c.Spec.B())
}

func (c *Curve) equation(x, y Term) Term {
	l, r := c.sides(x, y)
	return logic.Cong(l, r, c.Field.P())
}

// modNatural is 0 ≤ x mod m for a constant m.
func modNatural(x, m Term) Theorem {
	th, _, err := kernel.ModRange(x, m, auto.True())
	return auto.Must(th, err)
}

// flagsZero proves the parts from the hypothesis that the flags are zero: tag = 4, ok = 1 twice, and the mask is ones.
func (s *decoding) flagsZero(parts []Term) []Theorem {
	flags, zero := auto.Word(s.words...), logic.N(0)
	sum := lin(assume(logic.Eq(flags, zero)), flags, zero, logic.N(-1))
	vars := []Term{s.tag, s.from[0].Result, s.from[1].Result, s.curve.Dst}
	var ths []Theorem
	for i, w := range s.words {
		// the word is 0: so is each of several natural numbers with the sum 0
		u, scale := logic.Uint(w), auto.Pow2(64*i)
		le := auto.Cut(auto.NonNeg(auto.Scale(new(big.Int).Neg(scale), u), nil, sum), scale, logic.Neg(u))
		is := fromUint(auto.Must(kernel.Antisym(u, auto.NonNeg(u, nil), le)), w, 0)
		// x is (w + c)[k−1:0], or ¬w
		x, h := vars[i], logic.Fresh("word", logic.BV(64))
		of := func(w Term) Term { return logic.BVNot(w) }
		if i < 3 {
			c := logic.BVUint(64, 1)
			if i == 0 {
				c = logic.BVUint(64, 4)
			}
			of = func(w Term) Term { return logic.Extract(x.Width()-1, 0, logic.BVAdd(w, c)) }
		}
		th := auto.Must(kernel.LowRing(of(w), x))
		th = auto.Must(kernel.Leibniz(is, w, logic.BVUint(64, 0), th, logic.Eq(of(h), x), h)) // x is a constant
		ths = append(ths, decided(parts[i], auto.Rewritten(th, x, of(logic.BVUint(64, 0)))))
	}
	return ths
}

// result proves what is ensured of the point q: word says what the word valid is.
func (s *decoding) result(word Theorem) []Theorem {
	c, G := s.c, s.c.Spec.G()
	var moves []Step
	for _, st := range s.tr.Steps {
		if st.Op.Name == "CMov" {
			moves = append(moves, st)
		}
	}
	q := c.AffinePoint(moves[0].Dst, moves[1].Dst)
	goals := []Term{logic.Eq(q, logic.Ite(spec.IsInfinity(s.D), G, s.D)), c.OnCurve(q), logic.Not(spec.IsInfinity(q))}
	side := func(yes bool) (ths []Theorem) {
		mask, to := zero64(), G
		if yes {
			mask, to = ones64(), spec.Affine(s.x, s.y)
		}
		w := auto.Must(kernel.Rewrite(word, s.point(yes)))
		var eqs []kernel.Equation
		coords := map[Term]Term{}
		for _, m := range moves {
			from := m.Old
			if yes {
				from = m.Src[0]
			}
			th := auto.Must(kernel.Rewrite(m.Facts[0], auto.Rewritten(w, s.okay.Dst, mask)))
			eqs, coords[m.Dst] = append(eqs, auto.Rewritten(th, m.Dst, from)), from
		}
		// q = P, or G
		Q := logic.Replace(q, coords)
		var isQ, on Theorem
		if yes {
			isQ, on = s.affine(coords[moves[0].Dst], coords[moves[1].Dst]), s.onCurve()
		} else {
			isQ, on = unfolded(Q).Th, auto.Must(kernel.Compute(c.OnCurve(G)))
		}
		isTo := logic.Eq(q, to)
		eq := auto.Rewritten(taut(isTo, rewritten(isTo, eqs...), isQ), q, to)
		return []Theorem{decided(goals[0], eq, s.point(yes)), taut(goals[1], rewritten(goals[1], eq), on),
			decided(goals[2], eq)}
	}
	yes, no := side(true), side(false)
	for i, g := range goals {
		yes[i] = auto.Cases(g, s.valid, yes[i], no[i])
	}
	return yes
}

// onCurve is that (x, y) is a point of the curve, if the key is valid.
func (s *decoding) onCurve() Theorem {
	on := s.c.OnCurve(spec.Affine(s.x, s.y))
	return taut(on, append(s.naturals(), auto.Must(kernel.Unfold(on)), assume(s.valid))...)
}

// affine is that elements X and Y, in Montgomery form, are the affine point with the specification's coordinates, if
// the key is valid.
func (s *decoding) affine(X, Y Term) Theorem {
	c, p := s.c, s.c.Field.P()
	f, one, zero := point.For(c.Spec), logic.N(1), logic.N(0)
	facts := append(s.naturals(), taut(s.below[0], assume(s.valid)), taut(s.below[1], assume(s.valid)))
	rx, ry := c.Residue(X), c.Residue(Y)
	var congs []Theorem
	for i, r := range []Term{rx, ry} {
		th := s.tr.Congruent(c.Field, r, s.from[i].Dst)
		congs = append(congs, number.Use(s.read(th, i), facts...))
	}
	// (0, 0) is not on the curve
	l, r := c.sides(s.x, s.y)
	zx, zy := logic.Cong(s.x, zero, p), logic.Cong(s.y, zero, p)
	none := logic.And(zx, zy)
	absurd := auto.Congruent(c.Spec.B(), zero, p, lin(taut(c.equation(s.x, s.y), assume(s.valid)), l, r, logic.N(-1)),
		lin(taut(zx, assume(none)), s.x, zero, logic.Neg(logic.Add(logic.Mul(s.x, s.x), c.Spec.A()))),
		lin(taut(zy, assume(none)), s.y, zero, s.y))
	facts = append(facts, taut(logic.Not(none), implied(none, absurd)))
	A, J, P := f.Aff(s.x, s.y), f.Jac(s.x, s.y, one), spec.Affine(s.x, s.y)
	Q := c.AffinePoint(X, Y) // Q = A = J = P
	th := number.Use(f.One(s.x, s.y), facts...)
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(number.Use(f.AffOne(s.x, s.y), facts...), J, A)))
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(number.Use(f.AffCongruent(rx, ry, s.x, s.y), congs...), A, Q)))
	return taut(logic.Eq(Q, P), th)
}

// fact is fact k of FromBytes for coordinate i, with the specification's coordinate for the number of the octets.
func (s *decoding) fact(i, k int) Theorem {
	from, to := s.sx, s.x
	if i == 1 {
		from, to = s.sy, s.y
	}
	return auto.Must(kernel.Rewrite(s.from[i].Facts[k], auto.Rewritten(assume(logic.Eq(from, to)), from, to)))
}

// read puts the specification's coordinate for what FromBytes gives as coordinate i into a theorem's conclusion, under
// the hypothesis that it is below p.
func (s *decoding) read(th Theorem, i int) Theorem {
	x, to := s.from[i].Dst, []Term{s.x, s.y}[i]
	eq := taut(logic.Eq(x, to), s.fact(i, 0), assume(s.below[i]))
	return auto.Must(kernel.Rewrite(th, auto.Rewritten(eq, x, to)))
}
