package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/ecdh"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

func (f *Functions) ecdhProgram(k Key) (machine.Program, machine.Prover, error) {
	var r impl.Parts
	err := f.parts(k, &r, part{&r.Decode, f.c.PointDecode}, part{&r.Scalar, f.c.Scalar}, part{&r.Multiply, f.c.PointMul},
		part{&r.Affine, f.c.PointAffine})
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, l, err := impl.NewECDH(k.Target, k.Variant, f.contracts.ECDH, r)
	return code.Program, newFunctionProof(f.c, code, l, proveECDH), err
}

// proveECDH: the octets are X of [d]Q if d and Q are valid, else 0.
func proveECDH(s *functionProof, g machine.Goal) Theorem {
	c, zero, peer := s.c, logic.N(0), s.peer()
	S := ecdh.Shared(c.Spec, s.octets("d"), s.octets("peer"))
	octets := make([]Term, c.Field.Bytes())
	for i := range octets {
		octets[i] = g.View.Mem("secret", i, 1)
	}
	side := func(valid, scalar bool) Theorem {
		q, d := s.peerCase(valid), s.privateCase(scalar)
		both := logic.And(c.IsScalar(s.octets("d")), logic.Not(spec.IsInfinity(peer)))
		x, value := lin(auto.True(), zero, zero, zero), zero
		var result kernel.Equation
		var lins []auto.Lin
		if valid && scalar {
			Q := c.AffinePoint(s.element(s.l.Q, 0), s.element(s.l.Q, 1))
			is := auto.Must(kernel.Rewrite(assume(logic.Eq(Q, logic.Ite(logic.Not(q.cond.From), peer, c.Spec.G()))), q.cond))
			A := auto.Rewritten(is, Q, peer)
			on := auto.Must(kernel.Rewrite(assume(c.OnCurve(Q)), A))
			m := s.product(d, A, on, q.given)
			x, value = m.x, spec.X(m.M)
			result = unfolded(S, truth(taut(both, d.given, q.given), both), truth(m.some, spec.IsInfinity(m.M)))
			lins = append(lins, m.x)
		} else {
			result = unfolded(S, truth(taut(logic.Not(both), d.given, q.given), both))
		}
		lins = append(lins, masked(s.written[0], x.L, logic.N(1), q.mask, d.mask))
		return closed(g, result, auto.Equal(bigEndian(octets), value, lins...), q.mask, d.mask)
	}
	by := func(scalar bool) Theorem {
		return auto.Cases(g.Concl, spec.IsInfinity(peer), side(false, scalar), side(true, scalar))
	}
	return auto.Cases(g.Concl, c.IsScalar(s.octets("d")), by(true), by(false))
}
