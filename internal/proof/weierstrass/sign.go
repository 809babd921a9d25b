package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/spec/ecdsa"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (s *Signatures) signProgram(k Key) (machine.Program, machine.Prover, error) {
	p := &impl.SignatureParts{}
	err := s.parts(k, p, part{&p.Affine, s.c.PointAffine}, part{&p.Signature, s.signature.verified.get})
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewSign(k.Target, k.Variant, s.contracts.Sign, p)
	x := &signing{s: s, l: impl.LaySign(p.Field)}
	return code.Program, &staged{NewSteps(s.c.Scalars, code, nil), map[string]func(*Trace, machine.View) []Theorem{
		"fine": x.fine, "end": x.end,
	}}, err
}

// signing is the proof of Sign. Terms are over the trace's variables.
type signing struct {
	s    *Signatures
	l    impl.SignLayout
	mask mask
	D, K Term // the numbers that the octets of d and k are
	r, t Term // elements: r and s of the signature
}

func work(off int) impl.Ptr { return impl.Ptr{Region: "work", Off: off} }

// fine is what holds once it is known whether there is a signature: the conditional moves may be done.
func (x *signing) fine(tr *Trace, v machine.View) []Theorem {
	c, l := x.s.c, x.l
	word := func(off int) Term { return tr.Var(v.Mem("work", off, 8)) }
	x.D, x.K = tr.Var(bigEndian(v.Before("d"))), tr.Var(bigEndian(v.Before("k")))
	x.r, x.t = tr.Steps[0].Src[0], tr.Steps[1].Src[0]
	none := func(y Term) Term { return logic.Eq(y, logic.N(0)) }
	x.mask = tr.maskAt(v, work(l.Fine), nil, []flag{
		{word(l.BadD), logic.Not(c.IsScalar(x.D))}, {word(l.BadK), logic.Not(c.IsScalar(x.K))},
		{word(l.ZeroR), none(x.r)}, {word(l.ZeroS), none(x.t)},
	})
	return []Theorem{x.mask.isCondition(tr)}
}

// end proves the postconditions.
func (x *signing) end(tr *Trace, v machine.View) []Theorem {
	c, l, n, zero, one := x.s.c, x.l, x.s.c.Spec.N(), logic.N(0), logic.N(1)
	words := c.Field.Words()
	el := func(off int) Term { return tr.Elem(v, work(off), words) }
	size := 8 * words
	d, k, e, px := el(l.D), el(l.K), el(l.E), el(l.XY)
	R := c.Point(el(l.R), el(l.R+size), el(l.R+2*size))
	h := tr.Var(ecdsa.Digest(c.Spec, bigEndian(v.Before("digest")), logic.Uint(v.Arg("size"))))
	S := ecdsa.Sign(c.Spec, x.D, h, x.K)

	// what the specification computes
	G := c.Spec.G()
	M := spec.Mul(x.K, c.Spec.P(), c.Spec.A(), G)
	sr := logic.Mod(spec.X(M), n)
	st := logic.Mod(logic.Mul(spec.Inv(n, x.K), logic.Add(h, logic.Mul(sr, x.D))), n)
	def := auto.Must(kernel.Unfold(S))

	// what the routines ensure, where the numbers are scalars
	okD, okK := c.IsScalar(x.D), c.IsScalar(x.K)
	both := logic.And(okD, okK)
	scalar := func(y, Y, ok Term) kernel.Equation {
		th := assume(logic.Eq(y, logic.Ite(ok, Y, one)))
		return auto.Rewritten(auto.Must(kernel.Rewrite(th, truth(taut(ok, assume(both)), ok))), y, Y)
	}
	isD, isK := scalar(d, x.D, okD), scalar(k, x.K, okK)
	isE := auto.Rewritten(assume(logic.Eq(e, h)), e, h)
	// R = [k]G
	isR := auto.Must(kernel.Rewrite(assume(logic.Eq(R, c.Multiple(k, G))), isK))
	isR = auto.Must(kernel.Rewrite(isR, c.evaluated(x.K, G, taut(logic.Lt(x.K, n), assume(both)), auto.Must(kernel.Compute(c.OnCurve(G))))))
	isX := auto.Must(kernel.Rewrite(assume(logic.Eq(px, spec.X(R))), auto.Rewritten(isR, R, M)))
	atX := auto.Rewritten(isX, px, spec.X(M))
	mod := logic.Mod(px, n)
	isr := auto.Must(kernel.Rewrite(assume(logic.Eq(x.r, mod)), atX))
	sum := logic.Add(e, logic.Mul(mod, d))
	ist := auto.Must(kernel.Rewrite(assume(logic.Eq(x.t, logic.Mod(logic.Mul(spec.Inv(n, k), sum), n))), atX, isD, isK, isE))
	r, t := auto.Rewritten(isr, x.r, sr), auto.Rewritten(ist, x.t, st)

	// the result, and the octets
	result := logic.Uint(logic.BVAnd(x.mask.word, logic.BVUint(64, 1)))
	m1, m2 := tr.Steps[2], tr.Steps[3]
	b1, b2 := tr.Steps[4], tr.Steps[5]
	w := c.Spec.W()
	octets := logic.Add(logic.Mul(w, b1.Dst), b2.Dst)
	goals := []Term{
		logic.Eq(result, logic.Ite(ecdsa.OK(S), one, zero)),
		logic.Eq(octets, ecdsa.Signature(S)),
	}
	some := logic.And(logic.Not(logic.Eq(sr, zero)), logic.Not(logic.Eq(st, zero)))
	// prove proves the goals, where the specification's result is S = is, and the mask is as yes says
	prove := func(is kernel.Equation, yes bool, eqs ...kernel.Equation) []Theorem {
		word := x.mask.decided(yes)
		to := []Term{zero, zero}
		var lins []auto.Lin
		for i, m := range []Step{m1, m2} {
			th := auto.Must(kernel.Rewrite(m.Facts[0], word)) // what moves is 0 or an element
			if yes {
				th = auto.Must(kernel.Rewrite(th, eqs[i]))
				to[i] = eqs[i].To
			}
			by := one
			b := b1
			if i == 0 {
				by = w
			} else {
				b = b2
			}
			lins = append(lins, lin(th, m.Dst, to[i], by), lin(b.Facts[0], b.Dst, m.Dst, by))
		}
		sum := logic.Add(logic.Mul(w, to[0]), to[1])
		return []Theorem{
			taut(goals[0], rewritten(goals[0], is, word)),
			taut(goals[1], rewritten(goals[1], is), auto.Equal(octets, sum, lins...)),
		}
	}
	fail := logic.MkTuple(logic.False(), zero)
	ok := logic.MkTuple(logic.True(), logic.Add(logic.Mul(w, sr), st))
	specIs := func(to Term, eqs ...kernel.Equation) kernel.Equation {
		return auto.Rewritten(auto.Must(kernel.Rewrite(def, eqs...)), S, to)
	}
	cond := x.mask.cond
	// without scalars
	no := specIs(fail, truth(assume(logic.Not(both)), both))
	bad := cutCond(prove(no, false), cond, taut(logic.Not(cond), assume(logic.Not(both))))
	// with r = 0 or s = 0
	sure := truth(assume(both), both)
	zeros := rewritten(cond, r, t) // cond with the specification's r and s
	without := specIs(fail, sure, truth(assume(logic.Not(some)), some))
	failed := cutCond(prove(without, false), cond, taut(logic.Not(cond), zeros, assume(logic.Not(some))))
	with := specIs(ok, sure, truth(assume(some), some))
	signed := cutCond(prove(with, true, r, t), cond, taut(cond, zeros, assume(both), assume(some)))
	var ths []Theorem
	for i, g := range goals {
		th := auto.Cases(g, both, auto.Cases(g, some, signed[i], failed[i]), bad[i])
		ths = append(ths, tr.close(th, x.mask))
	}
	return ths
}

// cutCond proves the hypothesis of theorems that a mask's condition holds or doesn't.
func cutCond(ths []Theorem, cond Term, proof Theorem) []Theorem {
	for i := range ths {
		ths[i] = Cut(ths[i], proof.Concl(), proof)
	}
	return ths
}

// evaluated is [k]Q = Mul(k, Q), from 0 ≤ k, a hypothesis, k < n, and Q on the curve, as a rewriting.
func (c *Curve) evaluated(k, Q Term, less, on Theorem) kernel.Equation {
	small := auto.NonNeg(logic.Sub(logic.IntConst(auto.Pow2(521)), logic.Add(k, logic.N(1))), []Theorem{less})
	th := number.Use(c.laws().Eval(k, Q), assume(logic.Ge0(k)), small, on)
	return auto.Rewritten(th, c.Multiple(k, Q), spec.Mul(k, c.Spec.P(), c.Spec.A(), Q))
}
