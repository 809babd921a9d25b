package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// functionProof is the proof of a function that consists of calls: what they require are facts, and so is, as
// hypotheses of theorems, what they ensure. A postcondition is proved by cases: whether the public key is valid, and
// whether the private key is.
type functionProof struct {
	machine.NoProof
	c     *Curve
	l     impl.Layout
	ops   map[string]impl.Op
	prove func(*functionProof, machine.Goal) Theorem

	at      machine.View // at impl.ProductMark
	written []auto.Lin   // what ToBytes ensures: the octets' number is that of the element
}

func newFunctionProof(c *Curve, code impl.Code, l impl.Layout,
	prove func(*functionProof, machine.Goal) Theorem) machine.Prover {
	return &functionProof{c: c, l: l, ops: code.Ops, prove: prove}
}

// Mark keeps states.
func (s *functionProof) Mark(name string, v machine.View) error {
	if op, ok := s.ops[name]; ok && op.Name == "ToBytes" {
		n := s.c.Field.Words()
		b, x := be(v, op.Dst, n), LE(v, op.Src[0], n)
		s.written = append(s.written, lin(assume(logic.Eq(b, x)), b, x, logic.N(1)))
	}
	if name == impl.ProductMark {
		s.at, s.written = v, nil
	}
	return nil
}

// Prove proves an obligation.
func (s *functionProof) Prove(g machine.Goal) (Theorem, error) {
	if th, ok := Known(g); ok {
		return th, nil
	}
	return s.prove(s, g), nil
}

// element is element i at p, a number.
func (s *functionProof) element(p impl.Ptr, i int) Term {
	return LE(s.at, p.At(i*s.c.Field.Bytes()), s.c.Field.Words())
}

// octets is the big-endian number that a parameter contains before.
func (s *functionProof) octets(name string) Term { return bigEndian(s.at.Before(name)) }

// bigEndian is the number that octets are.
func bigEndian(bs []Term) Term {
	ts := make([]Term, len(bs))
	for i, b := range bs {
		ts[i] = auto.Scale(auto.Pow2(8*(len(bs)-1-i)), logic.Uint(b))
	}
	return logic.Add(ts...)
}

// peer is the specification's point for the public key.
func (s *functionProof) peer() Term {
	c := s.c.Spec
	return spec.Decode(c.P(), c.A(), c.B(), c.W(), s.octets("peer"))
}

// keyCase is an assumption about a key.
type keyCase struct {
	given Theorem         // the assumption
	cond  kernel.Equation // the condition that it decides
	mask  kernel.Equation // the mask's word
}

// ofKey is the case that cond holds, or that it doesn't, for a mask at p that is 0 if it holds, else all ones.
func (s *functionProof) ofKey(cond Term, p impl.Ptr, holds bool) keyCase {
	q, to := cond, zero64()
	if !holds {
		q, to = logic.Not(cond), ones64()
	}
	k := keyCase{given: assume(q)}
	k.cond = truth(k.given, cond)
	w := s.at.Mem(p.Region, p.Off, 8)
	k.mask = auto.Rewritten(auto.Must(kernel.Rewrite(assume(logic.Eq(w, maskOf(logic.Not(cond)))), k.cond)), w, to)
	return k
}

// peerCase is the case that the public key is valid, or not.
func (s *functionProof) peerCase(valid bool) keyCase {
	return s.ofKey(spec.IsInfinity(s.peer()), s.l.Valid, !valid)
}

// privateCase is the case that the private key d is valid, or not.
func (s *functionProof) privateCase(valid bool) keyCase {
	return s.ofKey(s.c.IsScalar(s.octets("d")), s.l.Invalid, valid)
}

// product is what is known of [d]Q, as Mul has it, for valid keys.
type product struct {
	M    Term     // [d]Q
	x, y auto.Lin // the elements of the function are its coordinates
	some Theorem  // it is not O
}

// product follows from d being valid, and from proofs that Q is on the curve and not O. The function multiplies the
// point A, with a proof of A = Q as an equation.
func (s *functionProof) product(d keyCase, A kernel.Equation, on, some Theorem) product {
	c, n, Q, one := s.c, s.octets("d"), A.To, logic.N(1)
	k, p, xy := s.element(s.l.K, 0), s.l.Product, s.l.XY
	P := c.Point(s.element(p, 0), s.element(p, 1), s.element(p, 2))
	isN := auto.Must(kernel.Rewrite(assume(logic.Eq(k, logic.Ite(c.IsScalar(n), n, one))), d.cond)) // k = d
	eqs := []kernel.Equation{auto.Rewritten(isN, k, n)}
	if A.From != Q {
		eqs = append(eqs, A)
	}
	is := auto.Must(kernel.Rewrite(assume(logic.Eq(P, c.Multiple(k, A.From))), eqs...)) // P = [d]Q

	below := taut(logic.Lt(n, c.Spec.N()), d.given)
	facts := []Theorem{auto.NonNeg(n, nil), taut(logic.Le(one, n), d.given), below, on, some,
		auto.NonNeg(logic.Sub(logic.IntConst(auto.Pow2(521)), logic.Add(n, one)), []Theorem{below})}
	smul, M := c.Multiple(n, Q), spec.Mul(n, c.Spec.P(), c.Spec.A(), Q)
	isM := auto.Rewritten(number.Use(c.laws().Eval(n, Q), facts...), smul, M)
	PM := auto.Rewritten(auto.Must(kernel.Rewrite(is, isM)), P, M)
	coordinate := func(i int, of func(Term) Term) auto.Lin {
		x := s.element(xy, i)
		return lin(auto.Must(kernel.Rewrite(assume(logic.Eq(x, of(P))), PM)), x, of(M), one)
	}
	none := auto.Must(kernel.Rewrite(number.Use(c.laws().Nonzero(n, Q), facts...), isM))
	return product{M, coordinate(0, spec.X), coordinate(1, spec.Y), none}
}

// closed is the goal, from an equation for the specification's result and one for the octets; either may need the
// masks.
func closed(g machine.Goal, result kernel.Equation, octets Theorem, masks ...kernel.Equation) Theorem {
	octets = auto.Must(kernel.Rewrite(octets, masks...))
	return taut(g.Concl, rewritten(g.Concl, append(masks, result)...), octets)
}

// masked is what ToBytes ensures, with known masks; x is what the element is then.
func masked(w auto.Lin, x Term, by Term, masks ...kernel.Equation) auto.Lin {
	return lin(auto.Must(kernel.Rewrite(w.Th, masks...)), w.L, x, by)
}
