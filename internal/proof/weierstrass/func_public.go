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

func (f *Functions) publicKeyProgram(k Key) (machine.Program, machine.Prover, error) {
	var r impl.Parts
	err := f.parts(k, &r, part{&r.Scalar, f.c.Scalar}, part{&r.MultiplyBase, f.c.PointMulBase},
		part{&r.Affine, f.c.PointAffine})
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, l, err := impl.NewPublicKey(k.Target, k.Variant, f.contracts.PublicKey, r)
	return code.Program, newFunctionProof(f.c, code, l, provePublicKey), err
}

// provePublicKey: the octets are 04 ‖ X ‖ Y for [d]G if d is valid, else 0.
func provePublicKey(s *functionProof, g machine.Goal) Theorem {
	c, zero, w := s.c, logic.N(0), s.c.Spec.W()
	S, G := ecdh.PublicKey(c.Spec, s.octets("d")), c.Spec.G()
	octets := make([]Term, 1+2*c.Field.Bytes())
	for i := range octets {
		octets[i] = g.View.Mem("pub", i, 1)
	}
	tag, pub := logic.Uint(octets[0]), bigEndian(octets)
	side := func(valid bool) Theorem {
		d := s.privateCase(valid)
		m := product{x: lin(auto.True(), zero, zero, zero), y: lin(auto.True(), zero, zero, zero)}
		result, value, first := unfolded(S, d.cond), zero, zero
		var lins []auto.Lin
		if valid {
			on := auto.Must(kernel.Compute(c.OnCurve(G)))
			m = s.product(d, auto.Rewritten(auto.True(), G, G), on, auto.True())
			value, first = spec.Encode(w, m.M), logic.N(4)
			enc := unfolded(value)
			lins = append(lins, m.y, lin(m.x.Th, m.x.L, m.x.R, w), lin(enc.Th, enc.From, enc.To, logic.N(-1)))
		}
		lins = append(lins, lin(rewritten(tag, d.mask), tag, first, logic.Mul(w, w)),
			masked(s.written[0], m.x.L, w, d.mask), masked(s.written[1], m.y.L, logic.N(1), d.mask))
		return closed(g, result, auto.Equal(pub, value, lins...), d.mask)
	}
	return auto.Cases(g.Concl, c.IsScalar(s.octets("d")), side(true), side(false))
}

func (f *Functions) validateProgram(k Key) (machine.Program, machine.Prover, error) {
	var r impl.Parts
	if err := f.parts(k, &r, part{&r.Decode, f.c.PointDecode}); err != nil {
		return machine.Program{}, nil, err
	}
	code, l, err := impl.NewValidate(k.Target, k.Variant, f.contracts.Validate, r)
	return code.Program, newFunctionProof(f.c, code, l, proveValidate), err
}

// proveValidate: the result is 1 just if the public key is valid.
func proveValidate(s *functionProof, g machine.Goal) Theorem {
	side := func(valid bool) Theorem {
		q := s.peerCase(valid)
		return decided(g.Concl, q.cond, q.mask)
	}
	return auto.Cases(g.Concl, spec.IsInfinity(s.peer()), side(false), side(true))
}
