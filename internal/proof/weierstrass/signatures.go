package weierstrass

import (
	"math/big"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/spec/ecdsa"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// Signatures are the functions of a curve that sign and verify, and the routines that only they need. Their contracts are
// about points and numbers, as those of partContracts.
type Signatures struct {
	c         *Curve
	contracts *ecdsa.Functions

	digest, signature, verifiers, add, match signaturePart
}

// signaturePart is a routine with its contract.
type signaturePart struct {
	contract machine.Contract
	program  routine
	verified memo[machine.Verified]
}

var p256Signatures = newSignatures(P256(), ecdsa.P256())

// P256Signatures are those of P-256.
func P256Signatures() *Signatures { return p256Signatures }

func newSignatures(c *Curve, contracts *ecdsa.Functions) *Signatures {
	s := &Signatures{c: c, contracts: contracts}
	name, size := c.Field.Name(), c.Field.Bytes()
	p, n := c.Spec.P(), c.Spec.N()
	number := func(s string) machine.Param { return in(s, size) }
	part := func(f machine.Func, program routine) signaturePart {
		f.Name = name + f.Name
		f.Doc = f.Name + " " + f.Doc
		return signaturePart{must(machine.Internal(f)), program, newVerified(program)}
	}
	s.digest = part(machine.Func{
		Name: "Digest",
		Doc:  "sets the number e to that of the digest that is the first size octets of digest.",
		Params: []machine.Param{out("e", size), in("digest", ecdsa.DigestBytes).Of(1),
			{Name: "size", Value: true, Public: true}},
		Requires: func(e machine.Env) []Term { return []Term{logic.Le(e.Uint("size"), logic.N(ecdsa.DigestBytes))} },
		Ensures: func(e machine.Env) []Term {
			return []Term{logic.Eq(e.After().LE("e"), ecdsa.Digest(c.Spec, e.BE("digest"), e.Uint("size")))}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"digest": big.NewInt(0x070605040302), "size": big.NewInt(5)}
		},
	}, s.digestProgram)
	s.signature = part(machine.Func{
		Name:   "Signature",
		Doc:    "sets the numbers r = x mod n and s = (e + r·d)/k mod n, and s = 0 if n divides k.",
		Params: []machine.Param{out("rs", 2*size), number("x"), number("d"), number("k"), number("e"), inOut("tmp", impl.SignatureTemps*size)},
		Ensures: func(e machine.Env) []Term {
			r := logic.Mod(e.LE("x"), n)
			sum := logic.Add(e.LE("e"), logic.Mul(r, e.LE("d")))
			return []Term{
				logic.Eq(c.elem(e.After(), "rs", 0), r),
				logic.Eq(c.elem(e.After(), "rs", 1), logic.Mod(logic.Mul(spec.Inv(n, e.LE("k")), sum), n)),
			}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"x": constant(logic.Sub(p, logic.N(1))), "d": big.NewInt(2), "k": big.NewInt(3), "e": big.NewInt(4)}
		},
	}, s.signatureProgram)
	s.verifiers = part(machine.Func{
		Name:   "Verifiers",
		Doc:    "sets the numbers u = e/s mod n and v = r/s mod n, and both to 0 if n divides s.",
		Params: []machine.Param{out("uv", 2*size), number("e"), number("r"), number("s"), inOut("tmp", impl.VerifierTemps*size)},
		Ensures: func(e machine.Env) []Term {
			inv := spec.Inv(n, e.LE("s"))
			u, v := c.elem(e.After(), "uv", 0), c.elem(e.After(), "uv", 1)
			return []Term{
				logic.Eq(u, logic.Mod(logic.Mul(e.LE("e"), inv), n)), logic.Lt(u, n),
				logic.Eq(v, logic.Mod(logic.Mul(e.LE("r"), inv), n)), logic.Lt(v, n),
			}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"e": big.NewInt(2), "r": big.NewInt(3), "s": big.NewInt(4)}
		},
	}, s.verifiersProgram)
	g := c.multiple(1)
	points := func(e machine.Env, names ...string) (ts []Term) {
		for _, x := range names {
			ts = append(ts, append(c.Full(e, x, 3), c.OnCurve(c.PointAt(e, x)))...)
		}
		return ts
	}
	s.add = part(machine.Func{
		Name:     "PointAddComplete",
		Doc:      "sets the point r to a + b. The points may be equal, and the point at infinity.",
		Params:   []machine.Param{out("r", 3*size), in("a", 3*size), in("b", 3*size), inOut("tmp", impl.AddCompleteTemps*size)},
		Requires: func(e machine.Env) []Term { return points(e, "a", "b") },
		Ensures: func(e machine.Env) []Term {
			return append(c.Full(e.After(), "r", 3),
				logic.Eq(c.PointAt(e.After(), "r"), c.Sum(c.PointAt(e, "a"), c.PointAt(e, "b"))))
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g, "b": g} },
	}, s.addProgram)
	s.match = part(machine.Func{
		Name: "PointMatch",
		Doc: "sets the word ok to all ones if the point a is not the point at infinity and x(a) mod n = r, else to 0. It wants " +
			"1 ≤ r < n.",
		Params: []machine.Param{out("ok", 8), in("a", 3*size), number("r"), inOut("tmp", impl.MatchTemps*size)},
		Requires: func(e machine.Env) []Term {
			return slices.Concat(c.Full(e, "a", 3), []Term{logic.Le(logic.N(1), e.LE("r")), logic.Lt(e.LE("r"), n)})
		},
		Ensures: func(e machine.Env) []Term {
			P := c.PointAt(e, "a")
			is := logic.And(logic.Not(spec.IsInfinity(P)), logic.Eq(logic.Mod(spec.X(P), n), e.LE("r")))
			return []Term{logic.Eq(e.After().Word("ok", 0), maskOf(is))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g, "r": big.NewInt(1)} },
	}, s.matchProgram)
	return s
}

// All lists the functions.
func (s *Signatures) All() []Function {
	return []Function{{Name: s.contracts.Sign.Name(), Program: s.signProgram}, {Name: s.contracts.Verify.Name(), Program: s.verifyProgram}}
}

// parts verifies routines that a function calls, and the operations of the fields.
func (s *Signatures) parts(k Key, r *impl.SignatureParts, parts ...part) (err error) {
	if r.Field, err = s.c.Field.Verified(k.Target, k.Variant); err != nil {
		return err
	}
	if r.Scalars, err = s.c.Scalars.Verified(k.Target, k.Variant); err != nil {
		return err
	}
	parts = append(parts, part{&r.Scalar, s.c.Scalar}, part{&r.MultiplyBase, s.c.PointMulBase}, part{&r.Digest, s.digest.verified.get})
	for _, p := range parts {
		if *p.to, err = p.get(k.Target, k.Variant); err != nil {
			return err
		}
	}
	return nil
}
