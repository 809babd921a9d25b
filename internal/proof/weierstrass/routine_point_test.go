package weierstrass

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// sample makes inputs for the routines of a curve.
type sample struct {
	c   *Curve
	rng *rand.Rand
	m   *big.Int

	multiples map[int64][2]*big.Int
}

func newSample(c *Curve) *sample {
	return &sample{c, rand.New(rand.NewPCG(1, 2)), c.Field.M(), map[int64][2]*big.Int{}}
}

func (s *sample) residue() *big.Int {
	x := new(big.Int)
	for x.Sign() == 0 {
		for range 5 {
			x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(s.rng.Uint64()))
		}
		x.Mod(x, s.m)
	}
	return x
}

// affine are the coordinates of kG, nil for k = 0.
func (s *sample) affine(k int64) (x, y *big.Int) {
	if k == 0 {
		return nil, nil
	}
	if k < 0 {
		x, y = s.affine(-k)
		return x, new(big.Int).Sub(s.m, y)
	}
	if _, ok := s.multiples[k]; !ok {
		s.multiples[k] = evalPoint(s.c, big.NewInt(k))
	}
	P := s.multiples[k]
	return P[0], P[1]
}

// jacobian are X, Y, Z of kG for a random or given Z, in Montgomery form. For k = 0 X and Y are random.
func (s *sample) jacobian(k int64, z *big.Int) []*big.Int {
	x, y := s.affine(k)
	if x == nil {
		return []*big.Int{s.residue(), s.residue(), new(big.Int)}
	}
	if z == nil {
		z = s.residue()
	}
	zz := new(big.Int).Mul(z, z)
	return s.mont(new(big.Int).Mul(x, zz), new(big.Int).Mul(new(big.Int).Mul(y, zz), z), z)
}

func (s *sample) mont(xs ...*big.Int) []*big.Int {
	r := make([]*big.Int, len(xs))
	for i, x := range xs {
		r[i] = new(big.Int).Mul(x, s.c.Field.R())
		r[i].Mod(r[i], s.m)
	}
	return r
}

// cached adds Z² and Z³.
func (s *sample) cached(p []*big.Int) []*big.Int {
	mul := func(x, y *big.Int) *big.Int {
		r := new(big.Int).Mul(x, y)
		return r.Mod(r.Mul(r, s.c.Field.Ri()), s.m)
	}
	zz := mul(p[2], p[2])
	return append(p[:3:3], zz, mul(zz, p[2]))
}

func (s *sample) bytes(xs ...*big.Int) []byte {
	var b []byte
	for _, x := range xs {
		le := x.FillBytes(make([]byte, 8*s.c.Field.Words()))
		for i := range le {
			b = append(b, le[len(le)-1-i])
		}
	}
	return b
}

// evalPoint evaluates the specification of kG.
func evalPoint(c *Curve, k *big.Int) [2]*big.Int {
	v, err := logic.Eval(spec.Mul(logic.IntConst(k), c.Spec.P(), c.Spec.A(), c.Spec.G()), nil, 1<<26)
	if err != nil {
		panic(err)
	}
	return [2]*big.Int{v.Elems()[1].Big(), v.Elems()[2].Big()}
}

// run runs a program on constants in one alias pattern, and evaluates the contract.
func run(p machine.Program, mem map[string][]byte, aliased ...string) (machine.Output, error) {
	in := machine.Input{Mem: mem, Aliased: aliased}
	if err := machine.Check(p.Contract, in, nil); err != nil {
		return machine.Output{}, fmt.Errorf("before: %w", err)
	}
	out, err := machine.Run(p, in)
	if err != nil {
		return out, err
	}
	return out, machine.Check(p.Contract, in, &out)
}

// TestPointsRun runs the routines for points on constants and evaluates their contracts: it needs no proof.
func TestPointsRun(t *testing.T) {
	c := P256()
	s := newSample(c)
	tmp := func(n int) []byte { return make([]byte, 8*c.Field.Words()*n) }
	operands := func(a, b []byte) map[string][]byte {
		return map[string][]byte{"a": a, "b": b, "tmp": tmp(impl.AddTemps)}
	}
	minus := int64(-1)
	for _, k := range Keys() {
		t.Run(k.Target.String()+k.Variant, func(t *testing.T) {
			generation(t)
			check := func(name string, f routine, mem map[string][]byte, aliased ...string) {
				t.Helper()
				p, _, err := f(k)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := run(p, mem, aliased...); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, m := range []int64{0, 1, 2, 3, minus, 1234567} {
				a := s.bytes(s.jacobian(m, nil)...)
				mem := map[string][]byte{"a": a, "tmp": tmp(impl.DoubleTemps)}
				check(fmt.Sprintf("2·%dG", m), c.doubleProgram, mem)
				check(fmt.Sprintf("2·%dG, r = a", m), c.doubleProgram, mem, "r", "a")
				check(fmt.Sprintf("cache %dG", m), c.cacheProgram, map[string][]byte{"c": append(a[:len(a):len(a)], tmp(2)...)})
			}
			one := big.NewInt(1)
			for _, m := range [][2]int64{{1, 2}, {5, 3}, {7, -7}, {0, 4}, {4, 0}, {0, 0}, {minus, 2}, {99, -100}} {
				a := s.jacobian(m[0], nil)
				b := s.jacobian(m[1], nil)
				q := s.jacobian(m[1], one)[:2]
				if m[1] == 0 {
					q = []*big.Int{new(big.Int), new(big.Int)}
				}
				aliases := [][]string{nil}
				if k.Variant == "bmi2" {
					aliases = append(aliases, []string{"r", "a"})
				}
				for _, al := range aliases {
					name := fmt.Sprintf("%dG + %dG %v", m[0], m[1], al)
					check(name, c.addProgram, operands(s.bytes(a...), s.bytes(s.cached(b)...)), al...)
					check(name+" affine", c.addAffineProgram, operands(s.bytes(a...), s.bytes(q...)), al...)
				}
			}
		})
	}
	// equal points are refused by the precondition
	p, _, err := c.addProgram(Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	mem := operands(s.bytes(s.jacobian(3, nil)...), s.bytes(s.cached(s.jacobian(3, nil))...))
	if err := machine.Check(p.Contract, machine.Input{Mem: mem}, nil); err == nil {
		t.Error("3G + 3G meets the precondition")
	}
}
