package weierstrass

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"verum.example/internal/opt"
	optamd64 "verum.example/internal/opt/amd64"
	optarm64 "verum.example/internal/opt/arm64"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var p256, _ = new(big.Int).SetString("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16)

type fusedTarget struct {
	t       machine.Target
	variant string
	models  []*opt.Model
}

var fusedTargets = []fusedTarget{
	{machine.ARM64, "", []*opt.Model{optarm64.NeoverseN2}},
	{machine.AMD64, "bmi2", []*opt.Model{optamd64.GoldenCove, optamd64.Zen3}},
	{machine.AMD64, "", []*opt.Model{optamd64.GoldenCove}},
}

// field is arithmetic modulo p in Montgomery form.
type field struct{ p, r, ri *big.Int }

func newField(p *big.Int) field {
	r := new(big.Int).Lsh(big.NewInt(1), uint(64*((p.BitLen()+63)/64)))
	return field{p, r, new(big.Int).ModInverse(r, p)}
}

func (f field) mul(x, y *big.Int) *big.Int {
	z := new(big.Int).Mul(x, y)
	return z.Mod(z.Mul(z, f.ri), f.p)
}

func (f field) lin(cs ...any) *big.Int {
	s := new(big.Int)
	for i := 0; i < len(cs); i += 2 {
		s.Add(s, new(big.Int).Mul(big.NewInt(int64(cs[i].(int))), cs[i+1].(*big.Int)))
	}
	return s.Mod(s, f.p)
}

func (f field) half(x *big.Int) *big.Int {
	if x.Bit(0) == 1 {
		x = new(big.Int).Add(x, f.p)
	}
	return new(big.Int).Rsh(x, 1)
}

func (f field) double(a []*big.Int) []*big.Int {
	x, y, z := a[0], a[1], a[2]
	zz := f.mul(z, z)
	h := f.mul(f.lin(1, x, -1, zz), f.lin(1, x, 1, zz))
	m := f.lin(1, h, 1, f.half(h))
	yy := f.mul(y, y)
	s := f.mul(x, yy)
	x3 := f.lin(1, f.mul(m, m), -2, s)
	return []*big.Int{x3, f.lin(1, f.mul(m, f.lin(1, s, -1, x3)), -1, f.mul(yy, yy)), f.mul(y, z)}
}

func (f field) add(a, b []*big.Int) []*big.Int {
	x1, y1, z1 := a[0], a[1], a[2]
	affine := len(b) == 2
	one := new(big.Int).Mod(f.r, f.p)
	oB := affine && b[0].Sign() == 0 && b[1].Sign() == 0 || !affine && b[2].Sign() == 0
	if affine {
		b = []*big.Int{b[0], b[1], one, one, one}
	}
	switch {
	case oB:
		return a
	case z1.Sign() == 0:
		return b[:3]
	}
	zz1 := f.mul(z1, z1)
	u2 := f.mul(b[0], zz1)
	s2 := f.mul(b[1], f.mul(z1, zz1))
	u1, s1 := f.mul(x1, b[3]), f.mul(y1, b[4])
	h, t := f.lin(1, u2, -1, u1), f.lin(1, s2, -1, s1)
	hh := f.mul(h, h)
	hhh := f.mul(h, hh)
	v := f.mul(u1, hh)
	x3 := f.lin(1, f.mul(t, t), -1, hhh, -2, v)
	return []*big.Int{x3, f.lin(1, f.mul(t, f.lin(1, v, -1, x3)), -1, f.mul(s1, hhh)), f.mul(f.mul(z1, b[2]), h)}
}

// edge is an element that is often near a bound, or has words near one.
func (f field) edge(r *rand.Rand) *big.Int {
	switch r.Intn(8) {
	case 0:
		return new(big.Int).Sub(f.p, big.NewInt(int64(1+r.Intn(3))))
	case 1:
		return big.NewInt(int64(r.Intn(3)))
	case 2, 3, 4:
		x := new(big.Int)
		for range (f.p.BitLen() + 31) / 32 {
			w := [...]uint32{0, 1, 1<<32 - 1, 1<<32 - 2, r.Uint32()}[r.Intn(5)]
			x.Add(x.Lsh(x, 32), big.NewInt(int64(w)))
		}
		return x.Mod(x, f.p)
	}
	return new(big.Int).Rand(r, f.p)
}

// inputs are random operands of an operation.
func (f field) inputs(op string, r *rand.Rand) (a, b []*big.Int) {
	n := map[string][2]int{"double": {3, 0}, "add": {3, 5}, "addAffine": {3, 2}, "mul": {1, 1}, "sqr": {1, 0}}[op]
	for range n[0] {
		a = append(a, f.edge(r))
	}
	for range n[1] {
		b = append(b, f.edge(r))
	}
	if op == "addAffine" && r.Intn(6) == 0 {
		b[r.Intn(2)] = new(big.Int)
		if r.Intn(2) == 0 {
			b[0], b[1] = new(big.Int), new(big.Int)
		}
	}
	if op == "add" {
		if r.Intn(8) == 0 {
			b[2] = new(big.Int)
		}
		b[3] = f.mul(b[2], b[2])
		b[4] = f.mul(b[2], b[3])
	}
	return a, b
}

func (f field) result(op string, a, b []*big.Int) []*big.Int {
	switch op {
	case "double":
		return f.double(a)
	case "mul":
		return []*big.Int{f.mul(a[0], b[0])}
	case "sqr":
		return []*big.Int{f.mul(a[0], a[0])}
	}
	return f.add(a, b)
}

// memory lays out the operands as constants.
func (f field) memory(n int, xs ...[]*big.Int) map[opt.Mem]logic.Term {
	m := map[opt.Mem]logic.Term{}
	for i, x := range xs {
		for k, e := range x {
			for j, w := range Words(e, n) {
				m[opt.Mem{Param: paramA + i, Off: 8 * (n*k + j)}] = logic.BVUint(64, w)
			}
		}
	}
	return m
}

func value(n, k int, word func(off int) logic.Term) *big.Int {
	x := new(big.Int)
	for j := n - 1; j >= 0; j-- {
		w, ok := word(8 * (n*k + j)).Const()
		if !ok {
			return nil
		}
		x.Add(x.Lsh(x, 64), w)
	}
	return x
}

func eachFused(t *testing.T, f func(t *testing.T, target fusedTarget, op string, p *opt.Prog)) {
	for _, ft := range fusedTargets {
		for _, op := range FusedOps {
			t.Run(fmt.Sprintf("%v/%s/%s", ft.t, ft.variant, op), func(t *testing.T) {
				p, err := NewFused(ft.t, ft.variant, op, p256)
				if err != nil {
					t.Fatal(err)
				}
				f(t, ft, op, p)
			})
		}
	}
}

// TestFusedProgram compares the programs, in source order, with math/big.
func TestFusedProgram(t *testing.T) {
	eachFused(t, func(t *testing.T, _ fusedTarget, op string, p *opt.Prog) {
		f, r := newField(p256), rand.New(rand.NewSource(1))
		for range 60 {
			g, err := logic.NewGeneration()
			if err != nil {
				t.Fatal(err)
			}
			a, b := f.inputs(op, r)
			m := f.memory(4, a, b)
			x, err := p.Eval(func(w opt.Mem) logic.Term { return m[w] })
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range f.result(op, a, b) {
				got := value(4, k, func(off int) logic.Term { return x.Out[opt.Mem{Param: paramR, Off: off}] })
				if got.Cmp(want) != 0 {
					t.Fatalf("%x, %x: element %d is %x, not %x", a, b, k, got, want)
				}
			}
			g.Drop()
		}
	})
}

// TestFusedCode checks that scheduled and allocated code leaves the same terms in memory as the program in source order,
// whether or not the result overwrites a.
func TestFusedCode(t *testing.T) {
	eachFused(t, func(t *testing.T, target fusedTarget, op string, p *opt.Prog) {
		for _, m := range target.models {
			tuner := opt.NewTuner(p, m, op == "double")
			best, err := tuner.Heuristic()
			if err != nil {
				t.Fatal(err)
			}
			checkFused(t, p, best.Code)
			r := opt.NewRand(1)
			for range 5 {
				c, err := tuner.Try(tuner.Random(r))
				if err != nil {
					t.Fatal(err)
				}
				checkFused(t, p, c.Code)
			}
			c := best.Code
			t.Logf("%s: %d in the program, %d instructions, %d spills, %d loads, %d moves, %d bytes, %.2f cycles", m.Name,
				len(p.Ins), len(c.Placed), c.Spills, c.Loads, c.Moves, c.SpillBytes(), float64(tuner.Cycles(c))/100)
		}
	})
}

func checkFused(t *testing.T, p *opt.Prog, c *opt.Code) {
	t.Helper()
	in := func(w opt.Mem) logic.Term {
		return logic.Var(fmt.Sprintf("%s[%d]", p.Params[w.Param], w.Off), logic.BV(64))
	}
	want, err := p.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []map[int]int{nil, {paramR: paramA}} {
		mem := map[opt.Mem]logic.Term{}
		for k := range len(p.Params) - 2 {
			for off := 0; off < 160; off += 8 {
				m := opt.Mem{Param: paramA + k, Off: off}
				mem[m] = in(m)
			}
		}
		if err := c.Run(mem, same); err != nil {
			t.Fatal(err)
		}
		for w, v := range want.Out {
			if s, ok := same[w.Param]; ok {
				w.Param = s
			}
			if mem[w] != v {
				t.Fatalf("%v: word %d of the result differs", same, w.Off)
			}
		}
	}
}

// TestFusedMachine runs frozen code as a program with a contract: the executor accepts it, for both patterns, and it
// leaves what math/big says.
func TestFusedMachine(t *testing.T) {
	eachFused(t, func(t *testing.T, target fusedTarget, op string, _ *opt.Prog) {
		fused, err := FusedCode(target.t, target.variant, op, p256)
		if err != nil {
			t.Fatal(err)
		}
		checkFused(t, fused.Prog, fused.Code)
		size := map[string][2]int{
			"double": {96, 0}, "add": {96, 160}, "addAffine": {96, 64}, "mul": {32, 32}, "sqr": {32, 0},
		}[op]
		param := func(name string, n int, m machine.Mode) machine.Param {
			return machine.Param{Name: name, Bytes: n, Elem: 8, Mode: m}
		}
		params := []machine.Param{param("r", size[0], machine.ModeOut), param("a", size[0], machine.ModeIn)}
		if size[1] > 0 {
			params = append(params, param("b", size[1], machine.ModeIn))
		}
		params = append(params, param("tmp", fused.Tmp, machine.ModeInOut))
		c, err := machine.Internal(machine.Func{
			Name: "fused", Doc: "Fused is under test.", Params: params, Alias: [][]string{{"r", "a"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(machine.Program{
			Target: target.t, Variant: target.variant, Features: fused.Features, Contract: c, Code: fused.Block,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, r := newField(p256), rand.New(rand.NewSource(2))
		bytes := func(xs []*big.Int) (b []byte) {
			for _, x := range xs {
				le := x.FillBytes(make([]byte, 32))
				slices.Reverse(le)
				b = append(b, le...)
			}
			return b
		}
		for k := range 4 {
			a, b := f.inputs(op, r)
			in := machine.Input{Mem: map[string][]byte{"a": bytes(a), "tmp": make([]byte, fused.Tmp)}}
			if k%2 == 1 {
				in.Aliased = []string{"r", "a"}
			}
			if b != nil {
				in.Mem["b"] = bytes(b)
			}
			out, err := v.Run(in)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := out.Mem["r"], bytes(f.result(op, a, b)); !slices.Equal(got, want) {
				t.Fatalf("%x, %x: %x, not %x", a, b, got, want)
			}
		}
	})
}

// TestHeuristicFused: code that no order is frozen for is as right.
func TestHeuristicFused(t *testing.T) {
	for _, ft := range fusedTargets {
		f, err := HeuristicFused(ft.t, ft.variant, "double", p256)
		if err != nil {
			t.Fatal(err)
		}
		checkFused(t, f.Prog, f.Code)
		if f.Tmp != f.Code.SpillBytes() || len(f.Block) != len(f.Code.Placed) {
			t.Errorf("%v %q: %d bytes, %d instructions", ft.t, ft.variant, f.Tmp, len(f.Block))
		}
	}
}

// TestFusedLeaves: with a variable for each word of each block's result, the words of a block depend on its operands only,
// and putting back what the variables stand for gives the terms of the program.
func TestFusedLeaves(t *testing.T) {
	eachFused(t, func(t *testing.T, _ fusedTarget, _ string, p *opt.Prog) {
		in := func(w opt.Mem) logic.Term {
			return logic.Var(fmt.Sprintf("%s[%d]", p.Params[w.Param], w.Off), logic.BV(64))
		}
		leaves := map[opt.V]logic.Term{}
		for _, b := range p.Blocks {
			for i, v := range b.Out {
				if v >= 0 {
					leaves[v] = logic.Var(fmt.Sprintf("%s[%d]", b.Name, i), logic.BV(64))
				}
			}
		}
		want, err := p.Eval(in)
		if err != nil {
			t.Fatal(err)
		}
		x, err := p.EvalLeaves(in, func(v opt.V) logic.Term { return leaves[v] })
		if err != nil {
			t.Fatal(err)
		}
		sub := map[logic.Term]logic.Term{}
		for _, b := range p.Blocks {
			allowed := map[logic.Term]bool{}
			for _, ws := range b.In {
				for _, w := range x.Of(ws) {
					allowed[w] = true
				}
			}
			s := logic.NewSubst(sub)
			for i, v := range b.Out {
				if v < 0 || x.Made[v].IsZero() {
					continue
				}
				for _, fv := range logic.FreeVars(x.Made[v]) {
					if !allowed[fv] {
						t.Fatalf("%s: word %d depends on %v", b.Name, i, fv)
					}
				}
				if got := s.Apply(x.Made[v]); got != want.V[v] {
					t.Fatalf("%s: word %d is not what the program makes", b.Name, i)
				}
			}
			for _, v := range b.Out {
				if v >= 0 && !want.V[v].IsZero() {
					sub[leaves[v]] = want.V[v]
				}
			}
		}
	})
}

// TestFusedRanges: the generator refuses what the ranges of its operands do not allow.
func TestFusedRanges(t *testing.T) {
	for _, ft := range fusedTargets {
		for name, step := range map[string]func(f *fuser, full, relaxed element){
			"product":    func(f *fuser, _, x element) { f.mul("x", x, x) },
			"square":     func(f *fuser, _, x element) { f.sqr("x", x) },
			"relaxed":    func(f *fuser, _, x element) { f.sqrRelaxed("x", x) },
			"sum":        func(f *fuser, _, x element) { f.plus("x", x, x) },
			"difference": func(f *fuser, y, x element) { f.minus("x", y, x) },
			"half":       func(f *fuser, _, x element) { f.half("x", x) },
			"combine":    func(f *fuser, y, x element) { f.combine("x", append(slices.Clone(y.w), f.zero()), x) },
			"result":     func(f *fuser, _, x element) { f.store(x, 0) },
		} {
			f := &fuser{p: p256, n: 4, words: p256Words}
			if err := f.target(ft.t, ft.variant, []string{"r", "a", "tmp"}); err != nil {
				t.Fatal(err)
			}
			full := f.input(paramA, 0)
			f.plus("allowed", full, full)
			if f.err != nil {
				t.Fatal(f.err)
			}
			if step(f, full, element{f.input(paramA, 1).w, false}); f.err == nil {
				t.Errorf("%v %s: %s of relaxed elements is accepted", ft.t, ft.variant, name)
			}
		}
	}
	for _, bad := range []struct {
		op string
		p  *big.Int
	}{{"triple", p256}, {"double", new(big.Int).Add(p256, big.NewInt(2))}} {
		if _, err := NewFused(machine.ARM64, "", bad.op, bad.p); err == nil {
			t.Errorf("%s modulo %v: accepted", bad.op, bad.p)
		}
	}
	if _, err := NewFused(machine.ARM64, "bmi2", "double", p256); err == nil {
		t.Error("arm64 with bmi2: accepted")
	}
}
