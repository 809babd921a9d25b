package mutate

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"verum.example/internal/tcb/logic"
)

// terms draws terms over a few variables.
type terms struct {
	*rand.Rand
	bv    map[int][]logic.Term
	ints  []logic.Term
	bools []logic.Term
}

var widths = []int{1, 7, 8, 63, 64, 65, 100, 128, 129, 200}

func newTerms(rng *rand.Rand) *terms {
	g := &terms{Rand: rng, bv: map[int][]logic.Term{}}
	for _, w := range widths {
		for _, n := range []string{"x", "y"} {
			g.bv[w] = append(g.bv[w], logic.Var("mutate.test."+n, logic.BV(w)))
		}
	}
	for _, n := range []string{"i", "j"} {
		g.ints = append(g.ints, logic.Var("mutate.test."+n, logic.Int()))
	}
	g.bools = []logic.Term{logic.Var("mutate.test.b", logic.Bool())}
	return g
}

func (g *terms) width() int { return widths[g.IntN(len(widths))] }

func (g *terms) vec(w, depth int) logic.Term {
	if vs := g.bv[w]; depth == 0 {
		if len(vs) == 0 || g.IntN(4) == 0 {
			return logic.BVConst(w, new(big.Int).SetUint64(edges[g.IntN(len(edges))]))
		}
		return vs[g.IntN(len(vs))]
	}
	d := depth - 1
	k := g.IntN(w)
	switch g.IntN(18) {
	case 0:
		return logic.BVAdd(g.vec(w, d), g.vec(w, d))
	case 1:
		return logic.BVMul(g.vec(w, d), g.vec(w, d))
	case 2:
		return logic.BVNeg(g.vec(w, d))
	case 3:
		return logic.BVNot(g.vec(w, d))
	case 4:
		return logic.BVAnd(g.vec(w, d), g.vec(w, d))
	case 5:
		return logic.BVOr(g.vec(w, d), g.vec(w, d))
	case 6:
		return logic.BVXor(g.vec(w, d), g.vec(w, d))
	case 7:
		return logic.Shl(g.vec(w, d), k)
	case 8:
		return logic.Lshr(g.vec(w, d), k)
	case 9:
		return logic.Ashr(g.vec(w, d), k)
	case 10:
		return logic.Rotr(g.vec(w, d), k)
	case 11:
		v := g.vec(w, d)
		s := g.vec(w, d)
		if g.IntN(2) == 0 {
			s = logic.BVUint(w, uint64(g.IntN(w+1)))
			s = logic.BVXor(s, logic.BVAnd(g.vec(w, 0), logic.BVUint(w, 7)))
		}
		return logic.LshrV(v, s)
	case 12:
		if k > 0 {
			return logic.Concat(g.vec(k, d), g.vec(w-k, d))
		}
	case 13:
		v := g.width()
		if v >= w {
			lo := g.IntN(v - w + 1)
			return logic.Extract(lo+w-1, lo, g.vec(v, d))
		}
	case 14:
		if k > 0 {
			return logic.Sext(w, g.vec(k, d))
		}
	case 15:
		return logic.Ite(g.truth(d), g.vec(w, d), g.vec(w, d))
	case 16:
		return logic.ToBV(w, g.integer(d))
	}
	return g.vec(w, d)
}

func (g *terms) integer(depth int) logic.Term {
	if depth == 0 {
		if g.IntN(3) == 0 {
			return logic.N(int64(g.IntN(40)) - 20)
		}
		return g.ints[g.IntN(len(g.ints))]
	}
	d := depth - 1
	switch g.IntN(8) {
	case 0:
		return logic.Add(g.integer(d), g.integer(d))
	case 1:
		return logic.Mul(g.integer(d), g.integer(d), logic.N(int64(g.IntN(9))-4))
	case 2:
		return logic.Sub(g.integer(d), logic.Pow2(g.IntN(150)))
	case 3:
		return logic.Uint(g.vec(g.width(), d))
	case 4:
		return logic.Sint(g.vec(g.width(), d))
	case 5:
		return logic.Div(g.integer(d), g.integer(d))
	case 6:
		return logic.Mod(g.integer(d), g.integer(d))
	}
	return logic.Ite(g.truth(d), g.integer(d), g.integer(d))
}

func (g *terms) truth(depth int) logic.Term {
	if depth == 0 {
		return g.bools[0]
	}
	d := depth - 1
	w := g.width()
	switch g.IntN(9) {
	case 0:
		return logic.Not(g.truth(d))
	case 1:
		return logic.And(g.truth(d), g.truth(d), g.truth(0))
	case 2:
		return logic.Eq(g.vec(w, d), g.vec(w, d))
	case 3:
		return logic.Eq0(g.integer(d))
	case 4:
		return logic.Ge0(g.integer(d))
	case 5:
		return logic.Cong(g.integer(d), g.integer(d), g.integer(d))
	case 6:
		return logic.Ult(g.vec(w, d), g.vec(w, d))
	case 7:
		return logic.Slt(g.vec(w, d), g.vec(w, d))
	}
	return logic.Iff(g.truth(d), g.truth(d))
}

// TestEval compares compiled terms with logic.Eval.
func TestEval(t *testing.T) {
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Drop()
	rng := rand.New(rand.NewPCG(1, 2))
	ts := newTerms(rng)
	ops := map[logic.Op]bool{}
	for range 4000 {
		x := ts.truth(4)
		switch rng.IntN(3) {
		case 0:
			x = ts.vec(ts.width(), 4)
		case 1:
			x = ts.integer(4)
		}
		vars := logic.FreeVars(x)
		ops[x.Op()] = true
		env := map[logic.Term]logic.Value{}
		c := newCompiler()
		c.variable = func(v logic.Term) (int, error) {
			d := c.slot(v.Sort())
			c.add(func(s *slots) error {
				if b := env[v].Big(); small(v.Sort()) {
					s.w[d] = wordOf(b)
				} else {
					s.b[d].Set(b)
				}
				return nil
			})
			return d, nil
		}
		i, err := c.term(x)
		if err != nil {
			t.Fatalf("%v: %v", x, err)
		}
		s := c.slots()
		for range 4 {
			for _, v := range vars {
				b := new(big.Int).SetUint64(edges[rng.IntN(len(edges))])
				switch w := v.Width(); {
				case w > 0 && rng.IntN(2) == 0:
					b.SetBytes(random(rng, 26))
					fallthrough
				case w > 0:
					b.And(b, new(big.Int).Sub(new(big.Int).Lsh(one, uint(w)), one))
				case v.Sort() == logic.Bool():
					b.SetInt64(int64(rng.IntN(2)))
				case rng.IntN(2) == 0:
					b.SetInt64(int64(rng.IntN(30) - 15))
				}
				env[v] = logic.IntValue(b)
			}
			want, err := logic.Eval(x, env, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.run(c.steps); err != nil {
				t.Fatalf("%v: %v", x, err)
			}
			if got := s.value(i); got.Cmp(want.Big()) != 0 {
				t.Fatalf("%v is %v, not %v, where %v", x, want, got, env)
			}
		}
	}
	if len(ops) < 25 {
		t.Errorf("only %d operations", len(ops))
	}
}

// TestEvalOther: what is not compiled is left to logic.Eval; tuples are refused.
func TestEvalOther(t *testing.T) {
	n, rec := logic.Var("mutate.test.n", logic.Int()), logic.Var("mutate.test.rec", logic.Int())
	d, err := logic.DefineRec("mutate.test.double", n, rec, nil, logic.N(1), logic.Add(rec, rec))
	if err != nil {
		t.Fatal(err)
	}
	x := logic.Var("mutate.test.x", logic.BV(8))
	c := newCompiler()
	c.variable = func(v logic.Term) (int, error) {
		i := c.slot(v.Sort())
		c.add(func(s *slots) error { s.w[i] = word{lo: 10}; return nil })
		return i, nil
	}
	i, err := c.term(logic.Add(d.App(logic.Uint(x)), logic.N(5)))
	if err != nil {
		t.Fatal(err)
	}
	s := c.slots()
	if err := s.run(c.steps); err != nil || s.value(i).Int64() != 1029 {
		t.Errorf("%v, %v", s.value(i), err)
	}
	if _, err := c.term(logic.MkTuple(x, x)); err == nil {
		t.Error("a tuple is compiled")
	}
}
