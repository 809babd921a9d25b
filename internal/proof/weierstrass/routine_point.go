package weierstrass

import (
	"fmt"
	"math/big"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// elem is element i of a region, over its words.
func (c *Curve) elem(e machine.Env, name string, i int) Term {
	n := c.Field.Words()
	ws := make([]Term, n)
	for j := range ws {
		ws[j] = e.Word(name, n*i+j)
	}
	return auto.Word(ws...)
}

// Residue is Field.Residue for coordinates.
func (c *Curve) Residue(x Term) Term { return c.Field.Residue(x) }

// Point is the point that the elements X, Y, Z, in Montgomery form, stand for.
func (c *Curve) Point(X, Y, Z Term) Term {
	return Jac(c.Spec, c.Residue(X), c.Residue(Y), c.Residue(Z))
}

// AffinePoint is the point that the elements X, Y, in Montgomery form, stand for.
func (c *Curve) AffinePoint(X, Y Term) Term { return Aff(c.Spec, c.Residue(X), c.Residue(Y)) }

// Sum is P + Q.
func (c *Curve) Sum(P, Q Term) Term { return spec.Add(c.Spec.P(), c.Spec.A(), P, Q) }

// OnCurve says that P is on the curve.
func (c *Curve) OnCurve(P Term) Term { return spec.OnCurve(c.Spec.P(), c.Spec.A(), c.Spec.B(), P) }

// PointAt is the point in Jacobian coordinates at the beginning of a region.
func (c *Curve) PointAt(e machine.Env, name string) Term {
	return c.Point(c.elem(e, name, 0), c.elem(e, name, 1), c.elem(e, name, 2))
}

// AffineAt is the affine point at the beginning of a region.
func (c *Curve) AffineAt(e machine.Env, name string) Term {
	return c.AffinePoint(c.elem(e, name, 0), c.elem(e, name, 1))
}

// Full says that the first k elements of a region are reduced.
func (c *Curve) Full(e machine.Env, name string, k int) []Term {
	var ts []Term
	for i := range k {
		ts = append(ts, logic.Lt(c.elem(e, name, i), c.Field.P()))
	}
	return ts
}

// Powers says that elements 3 and 4 of a region are Z² and Z³ for element 2, Z.
func (c *Curve) Powers(e machine.Env, name string) []Term {
	Z, ZZ, ZZZ, R := c.elem(e, name, 2), c.elem(e, name, 3), c.elem(e, name, 4), logic.IntConst(c.Field.R())
	return []Term{
		logic.Cong(logic.Mul(R, ZZ), logic.Mul(Z, Z), c.Field.P()),
		logic.Cong(logic.Mul(R, ZZZ), logic.Mul(ZZ, Z), c.Field.P()),
	}
}

// contracts of the routines for points.
type pointContracts struct {
	double, add, addAffine, cache, affineMask machine.Contract
}

func must(c machine.Contract, err error) machine.Contract {
	if err != nil {
		panic(fmt.Sprintf("proof/weierstrass: %v", err))
	}
	return c
}

func (c *Curve) newPointContracts() pointContracts {
	size := 8 * c.Field.Words()
	name := func(s string) string { return c.Field.Name() + s }
	rAlias := [][]string{{"r", "a"}}
	g, h := c.multiple(1), c.multiple(2)
	complete := func(e machine.Env, Q Term) Term {
		P := c.PointAt(e, "a")
		return logic.Or(spec.IsInfinity(P), spec.IsInfinity(Q), logic.Not(logic.Eq(P, Q)))
	}
	sum := func(e machine.Env, Q Term) []Term {
		return append(c.Full(e.After(), "r", 3), logic.Eq(c.PointAt(e.After(), "r"), c.Sum(c.PointAt(e, "a"), Q)))
	}
	return pointContracts{
		double: must(machine.Internal(machine.Func{
			Name:   name("PointDouble"),
			Doc:    name("PointDouble") + " sets the point r to 2a.",
			Params: []machine.Param{out("r", 3*size), in("a", 3*size), inOut("tmp", impl.DoubleTemps*size)},
			Alias:  rAlias,
			Requires: func(e machine.Env) []Term {
				return append(c.Full(e, "a", 3), c.OnCurve(c.PointAt(e, "a")))
			},
			Ensures: func(e machine.Env) []Term { return sum(e, c.PointAt(e, "a")) },
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g} },
		})),
		add: must(machine.Internal(machine.Func{
			Name: name("PointAdd"),
			Doc: name("PointAdd") + " sets the point r to a + b for a cached point b ≠ a. One of the two, or both, may be the point " +
				"at infinity.",
			Params: []machine.Param{out("r", 3*size), in("a", 3*size), in("b", 5*size), inOut("tmp", impl.AddTemps*size)},
			Alias:  rAlias,
			Requires: func(e machine.Env) []Term {
				ts := append(c.Full(e, "a", 3), c.Full(e, "b", 5)...)
				ts = append(ts, c.OnCurve(c.PointAt(e, "a")), c.OnCurve(c.PointAt(e, "b")))
				return append(append(ts, c.Powers(e, "b")...), complete(e, c.PointAt(e, "b")))
			},
			Ensures: func(e machine.Env) []Term { return sum(e, c.PointAt(e, "b")) },
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": g, "b": c.cached(h)} },
		})),
		addAffine: must(machine.Internal(machine.Func{
			Name: name("PointAddAffine"),
			Doc: name("PointAddAffine") + " sets the point r to a + b for an affine point b ≠ a. One of the two, or both, may be " +
				"the point at infinity.",
			Params: []machine.Param{out("r", 3*size), in("a", 3*size), in("b", 2*size), inOut("tmp", impl.AddTemps*size)},
			Alias:  rAlias,
			Requires: func(e machine.Env) []Term {
				ts := append(c.Full(e, "a", 3), c.Full(e, "b", 2)...)
				return append(ts, c.OnCurve(c.PointAt(e, "a")), c.OnCurve(c.AffineAt(e, "b")), complete(e, c.AffineAt(e, "b")))
			},
			Ensures: func(e machine.Env) []Term { return sum(e, c.AffineAt(e, "b")) },
			Witness: func() map[string]*big.Int {
				b := new(big.Int).Mod(h, auto.Pow2(16*size)) // without Z = 1
				return map[string]*big.Int{"a": g, "b": b}
			},
		})),
		cache: must(machine.Internal(machine.Func{
			Name:     name("PointCache"),
			Doc:      name("PointCache") + " sets Z² and Z³ of the cached point c.",
			Params:   []machine.Param{inOut("c", 5*size)},
			Requires: func(e machine.Env) []Term { return c.Full(e, "c", 3)[2:] },
			Ensures: func(e machine.Env) []Term {
				ts := append(c.Full(e.After(), "c", 5)[3:], c.Powers(e.After(), "c")...)
				for i := range 3 * c.Field.Words() {
					ts = append(ts, logic.Eq(e.After().Word("c", i), e.Word("c", i)))
				}
				return ts
			},
			Witness: func() map[string]*big.Int { return map[string]*big.Int{"c": g} },
		})),
		affineMask: must(maskContract(name("AffineMask"), 2*c.Field.Words())),
	}
}

// multiple is kG as it is in memory, with Z = 1.
func (c *Curve) multiple(k int64) *big.Int {
	th := auto.Must(kernel.Compute(spec.Mul(logic.N(k), c.Spec.P(), c.Spec.A(), c.Spec.G())))
	P := th.Concl().Arg(0)
	if P.Op() != logic.OpTuple {
		P = th.Concl().Arg(1)
	}
	coordinate := func(i int) *big.Int {
		v, ok := P.Arg(i).Const()
		if !ok {
			panic(fmt.Sprintf("proof/weierstrass: %v is no point", P))
		}
		v.Mul(v, c.Field.R())
		return v.Mod(v, c.Field.spec.M)
	}
	r := new(big.Int).Mod(c.Field.R(), c.Field.spec.M)
	for i := 2; i >= 1; i-- {
		r.Add(r.Lsh(r, uint(64*c.Field.Words())), coordinate(i))
	}
	return r
}

// cached is a point with Z = 1 in memory with Z² and Z³ added.
func (c *Curve) cached(point *big.Int) *big.Int {
	bits := uint(64 * c.Field.Words())
	z := new(big.Int).Rsh(point, 2*bits)
	r := new(big.Int).Add(new(big.Int).Lsh(z, bits), z)
	return r.Add(r.Lsh(r, 3*bits), point)
}
