package weierstrass

import (
	"fmt"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (s *Signatures) addProgram(k Key) (machine.Program, machine.Prover, error) {
	c := s.c
	r := &impl.Routines{}
	var err error
	if r.Field, err = c.Field.Verified(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	if r.Double, err = c.Double(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	if r.Add, err = c.Add(k.Target, k.Variant); err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewAddComplete(k.Target, k.Variant, s.add.contract, r)
	a := &addition{c: c}
	return code.Program, &staged{NewSteps(c.Field, code, nil), map[string]func(*Trace, machine.View) []Theorem{
		"same": a.same, "other": a.other, "end": a.end,
	}}, err
}

// addition is the proof of a complete addition. All terms are over the trace's variables.
type addition struct {
	c    *Curve
	mask mask
	a, b []Term // coordinates
	P, Q Term   // the points

	h, s Term // differences of cross-multiplied coordinates
}

// same is what holds once it is known whether the points are the same: the conditional moves may be done.
func (x *addition) same(tr *Trace, v machine.View) []Theorem {
	c := x.c
	x.a, x.b = c.inputs(tr, v, "a", 3), c.inputs(tr, v, "b", 3)
	x.P, x.Q = c.Point(x.a[0], x.a[1], x.a[2]), c.Point(x.b[0], x.b[1], x.b[2])
	var flags []flag
	for _, st := range tr.Steps {
		if st.Op.Name == impl.Mask {
			flags = append(flags, flag{st.Dst, logic.Eq(st.Src[0], logic.N(0))})
		}
	}
	last := tr.Steps[len(tr.Steps)-1].Op.Dst
	x.h, x.s = tr.result("Sub", 0), tr.result("Sub", 1)
	x.mask = tr.maskAt(v, last.At(-8*(len(flags)-1)), flags[:2], flags[2:])
	return []Theorem{x.mask.isCondition(tr)}
}

// isO is Z ≡ 0 ⇔ Z = 0 for an element, as a rewriting of the residue's congruence.
func (x *addition) isO(Z Term) kernel.Equation {
	c := x.c
	res := logic.Cong(c.Residue(Z), logic.N(0), c.Field.P())
	th := number.Use(point.For(c.Spec).MemIsZero(Z))
	return auto.Rewritten(th, res, logic.Eq(Z, logic.N(0)))
}

// given is a conjunct of the mask's condition, or what follows from it, under the condition.
func (x *addition) given(q Term) Theorem { return taut(q, assume(x.mask.cond)) }

// nonzero is Z ≢ 0 for the coordinate Z, from not Z = 0.
func (x *addition) nonzero(Z Term, some Theorem) Theorem {
	eq := x.isO(Z)
	return taut(logic.Not(eq.From), rewritten(eq.From, eq), some)
}

// equal is P = Q under the mask's condition.
func (x *addition) equal(tr *Trace) Theorem {
	c, f, p, zero := x.c, point.For(x.c.Spec), x.c.Field.P(), logic.N(0)
	res := func(ts []Term) []Term {
		return []Term{c.Residue(ts[0]), c.Residue(ts[1]), c.Residue(ts[2])}
	}
	a, b := res(x.a), res(x.b)
	scaled := func(a []Term, u, U Term) (Term, []Term, Theorem) {
		th := number.Use(f.Scale(a[0], a[1], a[2], u), x.nonzero(U, x.given(logic.Not(logic.Eq(U, zero)))))
		t := []Term{logic.Mul(a[0], u, u), logic.Mul(a[1], u, u, u), logic.Mul(a[2], u)}
		return f.Jac(t[0], t[1], t[2]), t, th
	}
	A, ta, thA := scaled(a, b[2], x.b[2])
	B, tb, thB := scaled(b, a[2], x.a[2])
	th := f.Congruent(ta[0], ta[1], ta[2], tb[0], tb[1], tb[2])
	for i, d := range []Term{x.h, x.s} { // the residue of d is tb − ta
		diff := tr.Congruent(c.Field, c.Residue(d), logic.Sub(tb[i], ta[i]))
		is := x.given(logic.Eq(d, zero))
		cong := auto.Congruent(ta[i], tb[i], p, lin(diff, c.Residue(d), logic.Sub(tb[i], ta[i]), logic.N(1)),
			lin(is, d, zero, logic.Neg(logic.IntConst(c.Field.Ri()))))
		th = number.Use(th, cong)
	}
	// P = A = B = Q
	goal := logic.Eq(x.P, x.Q)
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(thA, A, x.P), auto.Rewritten(thB, B, x.Q)))
	return taut(goal, th)
}

// distinct is that the addition of P and Q is allowed where the mask's condition doesn't hold.
func (x *addition) distinct(tr *Trace) Theorem {
	c, f, p, zero := x.c, point.For(x.c.Spec), x.c.Field.P(), logic.N(0)
	goal := logic.Or(spec.IsInfinity(x.P), spec.IsInfinity(x.Q), logic.Not(logic.Eq(x.P, x.Q)))
	eq := assume(logic.Eq(x.P, x.Q))
	var some []Theorem
	var is []Theorem // IsInfinity ⇔ Z = 0
	for _, t := range [][]Term{x.a, x.b} {
		zx, zy, zz := c.Residue(t[0]), c.Residue(t[1]), c.Residue(t[2])
		th := auto.Must(kernel.Rewrite(f.IsInfinity(zx, zy, zz), x.isO(t[2])))
		is = append(is, th)
		some = append(some, x.nonzero(t[2], assume(logic.Not(logic.Eq(t[2], zero)))))
	}
	var none []Theorem // d = 0
	z1, z2 := c.Residue(x.a[2]), c.Residue(x.b[2])
	for i, d := range []Term{x.h, x.s} {
		coordinate, law := spec.X, f.X
		k := 2
		if i == 1 {
			coordinate, law, k = spec.Y, f.Y, 3
		}
		pow := func(z Term) Term {
			if k == 2 {
				return logic.Mul(z, z)
			}
			return logic.Mul(z, z, z)
		}
		t, u := c.Residue(x.a[i]), c.Residue(x.b[i])
		thA := number.Use(law(c.Residue(x.a[0]), c.Residue(x.a[1]), z1), some[0]) // X(P)·z1² ≡ x1
		thB := number.Use(law(c.Residue(x.b[0]), c.Residue(x.b[1]), z2), some[1])
		X := coordinate(x.P)
		at := logic.Fresh("point", x.P.Sort())
		thB = auto.Must(kernel.Leibniz(eq, x.Q, x.P, thB,
			logic.Cong(logic.Mul(coordinate(at), pow(z2)), u, p), at)) // X(P)·z2² ≡ x2
		diff := logic.Sub(logic.Mul(u, pow(z1)), logic.Mul(t, pow(z2)))
		cong := auto.Congruent(c.Residue(d), zero, p, lin(tr.Congruent(c.Field, c.Residue(d), diff), c.Residue(d), diff, logic.N(1)),
			lin(thA, logic.Mul(X, pow(z1)), t, pow(z2)), lin(thB, logic.Mul(X, pow(z2)), u, logic.Neg(pow(z1))))
		z := x.isO(d)
		th := auto.Must(kernel.Rewrite(cong, z))
		th = Cut(th, logic.Lt(d, p), tr.Range(c.Field, d))
		none = append(none, th)
	}
	// were none of it true, the condition would hold
	n1, n2 := logic.Not(logic.Eq(x.a[2], zero)), logic.Not(logic.Eq(x.b[2], zero))
	bad := taut(x.mask.cond, append(none, assume(n1), assume(n2))...)
	bad = implied(eq.Concl(), implied(n1, implied(n2, bad)))
	return taut(goal, bad, is[0], is[1], assume(logic.Not(x.mask.cond)))
}

// other proves what is required for the addition of a and the point that is b, or O.
func (x *addition) other(tr *Trace, v machine.View) []Theorem {
	c, p, zero := x.c, x.c.Field.P(), logic.N(0)
	var moves []Step
	for _, st := range tr.Steps {
		if st.Op.Name == "CMov" {
			moves = append(moves, st)
		}
	}
	if len(moves) != 3 {
		panic(fmt.Errorf("%d conditional moves", len(moves)))
	}
	q := []Term{x.b[0], x.b[1], moves[0].Dst, moves[1].Dst, moves[2].Dst}
	Q := c.Point(q[0], q[1], q[2])
	R := logic.IntConst(c.Field.R())
	goals := []Term{
		c.OnCurve(Q),
		logic.Cong(logic.Mul(R, q[3]), logic.Mul(q[2], q[2]), p), logic.Cong(logic.Mul(R, q[4]), logic.Mul(q[3], q[2]), p),
		logic.Or(spec.IsInfinity(x.P), spec.IsInfinity(Q), logic.Not(logic.Eq(x.P, Q))),
	}
	side := func(yes bool) (ths []Theorem) {
		word := x.mask.decided(yes)
		vals := map[Term]Term{}
		var eqs []kernel.Equation
		for _, m := range moves {
			to := m.Old
			if yes {
				to = zero
			}
			th := auto.Must(kernel.Rewrite(m.Facts[0], word))
			eqs, vals[m.Dst] = append(eqs, auto.Rewritten(th, m.Dst, to)), to
		}
		for i, g := range goals {
			there := logic.Replace(g, vals)
			eq := rewritten(g, eqs...)
			var th Theorem
			switch {
			case yes && (i == 0 || i == 3):
				on := auto.Must(kernel.Compute(c.OnCurve(spec.Infinity())))
				th = taut(there, rewritten(there, unfolded(logic.Replace(Q, vals))), on)
			case i == 0:
				th = assume(there)
			case i == 3:
				th = x.distinct(tr)
			default:
				th = tr.congruent(c.Field, there)
			}
			ths = append(ths, taut(g, eq, th))
		}
		return ths
	}
	yes, no := side(true), side(false)
	for i, g := range goals {
		yes[i] = tr.close(auto.Cases(g, x.mask.cond, yes[i], no[i]), x.mask)
	}
	return yes
}

// congruent proves a congruence between products that is the fact of a step.
func (tr *Trace) congruent(f *Field, goal Term) Theorem {
	if goal == logic.True() {
		return auto.True()
	}
	for _, st := range tr.Steps {
		for _, th := range st.Facts {
			if th.Concl() == goal {
				return th
			}
		}
	}
	panic(fmt.Errorf("%s: no step ensures %v", f.Name(), goal))
}

// end proves that the result is the sum.
func (x *addition) end(tr *Trace, v machine.View) []Theorem {
	c := x.c
	moves := tr.Steps[len(tr.Steps)-3:]
	var r []Term
	for _, m := range moves {
		r = append(r, m.Dst)
	}
	others := map[Term]Term{} // of the point added
	var q []kernel.Equation
	for _, st := range tr.Steps[:len(tr.Steps)-3] {
		if st.Op.Name == "CMov" && st.Old == x.b[2] {
			th := auto.Must(kernel.Rewrite(st.Facts[0], x.mask.decided(false)))
			q, others[x.b[2]] = append(q, auto.Rewritten(th, st.Dst, st.Old)), st.Dst
		}
	}
	R := c.Point(r[0], r[1], r[2])
	goal := logic.Eq(R, c.Sum(x.P, x.Q))
	side := func(yes bool) Theorem {
		word := x.mask.decided(yes)
		var eqs []kernel.Equation
		vals := map[Term]Term{}
		for _, m := range moves {
			to := m.Old
			if yes {
				to = m.Src[0]
			}
			th := auto.Must(kernel.Rewrite(m.Facts[0], word))
			eqs, vals[m.Dst] = append(eqs, auto.Rewritten(th, m.Dst, to)), to
		}
		there := logic.Replace(goal, vals)
		eq := rewritten(goal, eqs...)
		if yes { // 2P, and P = Q
			th := assume(logic.Eq(logic.Replace(R, vals), c.Sum(x.P, x.P)))
			at := logic.Fresh("point", x.P.Sort())
			th = auto.Must(kernel.Leibniz(x.equal(tr), x.P, x.Q, th, logic.Eq(logic.Replace(R, vals), c.Sum(x.P, at)), at))
			return taut(goal, eq, taut(there, th))
		}
		Q := logic.Replace(x.Q, others)
		th := assume(logic.Eq(logic.Replace(R, vals), c.Sum(x.P, Q)))
		return taut(goal, eq, taut(there, auto.Must(kernel.Rewrite(th, q...))))
	}
	return []Theorem{tr.close(auto.Cases(goal, x.mask.cond, side(true), side(false)), x.mask)}
}
