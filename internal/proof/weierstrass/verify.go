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

func (s *Signatures) verifyProgram(k Key) (machine.Program, machine.Prover, error) {
	p := &impl.SignatureParts{}
	err := s.parts(k, p, part{&p.Decode, s.c.PointDecode}, part{&p.Verifiers, s.verifiers.verified.get},
		part{&p.Multiply, s.c.PointMul}, part{&p.Add, s.add.verified.get}, part{&p.Match, s.match.verified.get})
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewVerify(k.Target, k.Variant, s.contracts.Verify, p)
	x := &verifying{s: s, l: impl.LayVerify(p.Field)}
	return code.Program, &staged{NewSteps(s.c.Field, code, nil), map[string]func(*Trace, machine.View) []Theorem{
		"multiples": x.multiples, "end": x.end,
	}}, err
}

// verifying is the proof of Verify. Terms are over the trace's variables.
type verifying struct {
	s *Signatures
	l impl.VerifyLayout

	r, s1, e, u, v Term // elements, numbers: r, s and e, and what G and q are multiplied by
	q              Term // the affine point of the public key, or G
	A, B           Term // the multiples of G and of q
	isA, isB       Theorem
}

// multiples proves that the multiples of G and of q are on the curve, as is required for their sum.
func (x *verifying) multiples(tr *Trace, v machine.View) []Theorem {
	c, l := x.s.c, x.l
	words := c.Field.Words()
	el := func(off, i int) Term { return tr.Elem(v, work(off+8*words*i), words) }
	at := func(off int) Term { return c.Point(el(off, 0), el(off, 1), el(off, 2)) }
	x.r, x.s1, x.e, x.u, x.v = el(l.R, 0), el(l.S, 0), el(l.E, 0), el(l.UV, 0), el(l.UV, 1)
	x.q = c.AffinePoint(el(l.Q, 0), el(l.Q, 1))
	x.A, x.B = at(l.A), at(l.B)
	x.isA, x.isB = assume(logic.Eq(x.A, c.Multiple(x.u, c.Spec.G()))), assume(logic.Eq(x.B, c.Multiple(x.v, x.q)))
	on := func(k, Q Term, of Theorem, P Term, is Theorem) Theorem {
		th := number.Use(c.laws().Closed(k, Q), of)
		goal := c.OnCurve(P)
		return tr.Close(taut(goal, rewritten(goal, auto.Rewritten(is, P, c.Multiple(k, Q))), th))
	}
	return []Theorem{
		on(x.u, c.Spec.G(), auto.Must(kernel.Compute(c.OnCurve(c.Spec.G()))), x.A, x.isA),
		on(x.v, x.q, assume(c.OnCurve(x.q)), x.B, x.isB),
	}
}

// end proves the postcondition.
func (x *verifying) end(tr *Trace, v machine.View) []Theorem {
	c, l, n, w, one, zero := x.s.c, x.l, x.s.c.Spec.N(), x.s.c.Spec.W(), logic.N(1), logic.N(0)
	words := c.Field.Words()
	word := func(off int) Term { return tr.Var(v.Mem("work", off, 8)) }
	octets, pub := v.Before("sig"), tr.Var(bigEndian(v.Before("pub")))
	hr, hs := bigEndian(octets[:8*words]), bigEndian(octets[8*words:])
	r, s, sig := tr.Var(hr), tr.Var(hs), tr.Var(bigEndian(octets))
	h := tr.Var(ecdsa.Digest(c.Spec, bigEndian(v.Before("digest")), logic.Uint(v.Arg("size"))))
	el := func(off, i int) Term { return tr.Elem(v, work(off+8*words*i), words) }
	sum := c.Point(el(l.Sum, 0), el(l.Sum, 1), el(l.Sum, 2))
	is := func(P, r Term) []Term {
		return []Term{logic.Not(spec.IsInfinity(P)), logic.Eq(logic.Mod(spec.X(P), n), r)}
	}
	D := spec.Decode(c.Spec.P(), c.Spec.A(), c.Spec.B(), w, pub)
	okR, okS, valid := c.IsScalar(r), c.IsScalar(s), logic.Not(spec.IsInfinity(D))
	fine := tr.maskAt(v, work(l.Fine),
		[]flag{{word(l.Valid), valid}, {word(l.Match), logic.And(is(sum, x.r)...)}},
		[]flag{{word(l.BadR), logic.Not(okR)}, {word(l.BadS), logic.Not(okS)}})

	// what the specification computes
	V := ecdsa.Verify(c.Spec, pub, h, sig)
	div, mod := logic.Div(sig, w), logic.Mod(sig, w)
	isDiv, isMod := logic.Eq(div, r), logic.Eq(mod, s) // hypotheses, proved when values are put in
	body := unfolded(V, auto.Rewritten(assume(isDiv), div, r), auto.Rewritten(assume(isMod), mod, s))
	def := unfolded(body.To)
	G := c.Spec.G()
	mul := func(k, Q Term) Term { return spec.Mul(k, c.Spec.P(), c.Spec.A(), Q) }
	inv := spec.Inv(n, s)
	u, k := logic.Mod(logic.Mul(h, inv), n), logic.Mod(logic.Mul(r, inv), n)
	S := c.Sum(mul(u, G), mul(k, D))
	all := logic.And(okR, okS, valid)
	given := func(q Term) kernel.Equation { return truth(taut(q, assume(all)), q) }

	// what the routines ensure, for a key and numbers that are valid
	scalar := func(y, Y, ok Term) kernel.Equation {
		th := assume(logic.Eq(y, logic.Ite(ok, Y, one)))
		return auto.Rewritten(auto.Must(kernel.Rewrite(th, given(ok))), y, Y)
	}
	isR, isS := scalar(x.r, r, okR), scalar(x.s1, s, okS)
	isQ := assume(logic.Eq(x.q, logic.Ite(valid, D, G)))
	isQ = auto.Must(kernel.Rewrite(isQ, truth(taut(logic.Not(valid.Arg(0)), assume(all)), valid.Arg(0))))
	atQ := auto.Rewritten(isQ, x.q, D)
	inverse := spec.Inv(n, x.s1)
	isU := assume(logic.Eq(x.u, logic.Mod(logic.Mul(x.e, inverse), n)))
	isU = auto.Must(kernel.Rewrite(isU, isS, auto.Rewritten(assume(logic.Eq(x.e, h)), x.e, h)))
	isV := auto.Must(kernel.Rewrite(assume(logic.Eq(x.v, logic.Mod(logic.Mul(x.r, inverse), n))), isS, isR))
	// the sum is S
	onD := auto.Must(kernel.Rewrite(assume(c.OnCurve(x.q)), atQ))
	multiple := func(P, k, to, Q Term, is Theorem, by Theorem, on Theorem, eqs ...kernel.Equation) kernel.Equation {
		less := assume(logic.Lt(k, n))
		ev := c.evaluated(k, Q, less, on) // [k]Q = Mul(k, Q)
		if len(eqs) > 0 {
			is = auto.Must(kernel.Rewrite(is, eqs...))
		}
		th := auto.Must(kernel.Rewrite(is, ev))
		th = auto.Must(kernel.Rewrite(th, auto.Rewritten(by, k, to)))
		return auto.Rewritten(th, P, mul(to, Q))
	}
	isA := multiple(x.A, x.u, u, G, x.isA, isU, auto.Must(kernel.Compute(c.OnCurve(G))))
	isB := multiple(x.B, x.v, k, D, x.isB, isV, onD, atQ)
	isSum := auto.Must(kernel.Rewrite(assume(logic.Eq(sum, c.Sum(x.A, x.B))), isA, isB))
	atSum := auto.Rewritten(isSum, sum, S)

	// the condition of the mask is what the specification says
	cond := fine.cond
	same := rewritten(logic.And(is(sum, x.r)...), atSum, isR)
	yes := logic.Eq(V, cond)
	good := taut(yes, body.Th, auto.Must(kernel.Rewrite(def.Th, truth(assume(all), all))), same, assume(all))
	bad := taut(yes, body.Th, auto.Must(kernel.Rewrite(def.Th, truth(assume(logic.Not(all)), all))), assume(logic.Not(all)))
	eq := auto.Cases(yes, all, good, bad)

	result := logic.Uint(logic.BVAnd(fine.word, logic.BVUint(64, 1)))
	goal := logic.Eq(result, logic.Ite(V, one, zero))
	side := func(holds bool) Theorem {
		q := cond
		if !holds {
			q = logic.Not(cond)
		}
		to := taut(logic.Iff(V, logic.BoolConst(holds)), eq, assume(q))
		return taut(goal, rewritten(goal, truth(to, V), fine.decided(holds)))
	}
	th := tr.close(auto.Cases(goal, cond, side(true), side(false)), fine)
	high, low := divided(bigEndian(octets), hr, hs, 64*words)
	for _, fact := range []Theorem{high, low} {
		th = Cut(th, fact.Concl(), fact)
	}
	return []Theorem{th}
}
