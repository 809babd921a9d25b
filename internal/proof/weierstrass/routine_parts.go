package weierstrass

import (
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// partContracts are the contracts of the routines that the functions of a curve are made of. Their words are over points
// and numbers of the specification, so that a function's proof is about nothing else.
type partContracts struct {
	decode, scalar, multiply, multiplyBase, affine machine.Contract
}

// Decoded is the point that the octets of the region b encode, O if they encode none.
func (c *Curve) Decoded(e machine.Env, b string) Term {
	return spec.Decode(c.Spec.P(), c.Spec.A(), c.Spec.B(), c.Spec.W(), e.BE(b))
}

// IsScalar says that 1 ≤ d < n.
func (c *Curve) IsScalar(d Term) Term {
	return logic.And(logic.Le(logic.N(1), d), logic.Lt(d, c.Spec.N()))
}

func (c *Curve) newPartContracts() partContracts {
	size := c.Field.Bytes()
	name := func(s string) string { return c.Field.Name() + s }
	bytes := func(name string, n int) machine.Param { return in(name, n).Of(1) }
	g := c.multiple(1)
	affineG := new(big.Int).SetBit(new(big.Int), 16*size, 1)
	affineG.Mod(g, affineG)
	isPoint := func(P Term) []Term { return []Term{c.OnCurve(P), logic.Not(spec.IsInfinity(P))} }
	return partContracts{
		decode: must(machine.Internal(machine.Func{
			Name: name("PointDecode"),
			Doc: name("PointDecode") + " sets the affine point q to the public key that b encodes, 04 ‖ x ‖ y, and the word valid to " +
				"all ones; if b encodes none, q is the base point and valid is 0.",
			Params: []machine.Param{out("q", 2*size), out("valid", 8), bytes("b", 1+2*size), inOut("tmp", impl.DecodeTemps*size)},
			Ensures: func(e machine.Env) []Term {
				Q, q := c.Decoded(e, "b"), c.AffineAt(e.After(), "q")
				ok := logic.Not(spec.IsInfinity(Q))
				ts := append(c.Full(e.After(), "q", 2), logic.Eq(e.After().Word("valid", 0), maskOf(ok)),
					logic.Eq(q, logic.Ite(ok, Q, c.Spec.G())))
				return append(ts, isPoint(q)...)
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"b": big.NewInt(4)} },
		})),
		scalar: must(machine.Internal(machine.Func{
			Name: name("Scalar"),
			Doc: name("Scalar") + " sets the number k to d, which is big-endian, if 1 ≤ d < n, else to 1; the word invalid is set to 0, " +
				"or all ones in the second case.",
			Params: []machine.Param{out("k", size), out("invalid", 8), bytes("d", size), inOut("tmp", impl.ScalarTemps*size)},
			Ensures: func(e machine.Env) []Term {
				d, k := e.BE("d"), e.After().LE("k")
				ok := c.IsScalar(d)
				return []Term{
					logic.Eq(e.After().Word("invalid", 0), maskOf(logic.Not(ok))),
					logic.Eq(k, logic.Ite(ok, d, logic.N(1))),
					logic.Le(logic.N(1), k), logic.Lt(k, c.Spec.N()),
				}
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"d": big.NewInt(2)} },
		})),
		multiply: must(machine.Internal(machine.Func{
			Name:   name("PointMul"),
			Doc:    name("PointMul") + " sets the point r to kq for a number k < n and an affine point q other than O.",
			Params: []machine.Param{out("r", 3*size), in("k", size), in("q", 2*size), inOut("tmp", impl.MulTemps*size)},
			Requires: func(e machine.Env) []Term {
				ts := append(c.Full(e, "q", 2), logic.Lt(e.LE("k"), c.Spec.N()))
				return append(ts, isPoint(c.AffineAt(e, "q"))...)
			},
			Ensures: func(e machine.Env) []Term {
				kq := c.Multiple(e.LE("k"), c.AffineAt(e, "q"))
				return append(c.Full(e.After(), "r", 3), logic.Eq(c.PointAt(e.After(), "r"), kq))
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"k": big.NewInt(3), "q": affineG} },
		})),
		multiplyBase: must(machine.Internal(machine.Func{
			Name:     name("PointMulBase"),
			Doc:      name("PointMulBase") + " sets the point r to kG for a number k < n and the base point G.",
			Params:   []machine.Param{out("r", 3*size), in("k", size), inOut("tmp", impl.MulBaseTemps*size)},
			Requires: func(e machine.Env) []Term { return []Term{logic.Lt(e.LE("k"), c.Spec.N())} },
			Ensures: func(e machine.Env) []Term {
				return append(c.Full(e.After(), "r", 3), logic.Eq(c.PointAt(e.After(), "r"), c.Multiple(e.LE("k"), c.Spec.G())))
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"k": big.NewInt(3)} },
		})),
		affine: must(machine.Internal(machine.Func{
			Name: name("PointAffine"),
			Doc: name("PointAffine") + " sets r to the affine coordinates x, y of the point a, which are numbers and not in " +
				"Montgomery form, and to zeros if a is the point at infinity.",
			Params:   []machine.Param{out("r", 2*size), in("a", 3*size), inOut("tmp", impl.AffineTemps*size)},
			Requires: func(e machine.Env) []Term { return c.Full(e, "a", 3) },
			Ensures: func(e machine.Env) []Term {
				P := c.PointAt(e, "a")
				return append(c.Full(e.After(), "r", 2),
					logic.Eq(c.elem(e.After(), "r", 0), spec.X(P)), logic.Eq(c.elem(e.After(), "r", 1), spec.Y(P)))
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g} },
		})),
	}
}
