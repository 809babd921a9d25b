package logic

import (
	"testing"
)

// The fuzz targets decode bytes to expressions; run as tests they only see these seeds.
func seeds(f *testing.F) {
	f.Add([]byte{})
	r := seeded(11)
	for n := range 24 {
		b := make([]byte, 20*(n+1))
		for i := range b {
			b[i] = byte(r.intn(256))
		}
		f.Add(b)
	}
}

// decode is the expression that the bytes describe.
func decode(b []byte, size int) (*generator, *expr) {
	g := newGenerator(&byteSource{b}, size)
	g.bits = g.intn(2) == 1
	s := g.sortAny()
	if g.bits {
		s = BV(g.width())
	}
	return g, g.expr(s, 6)
}

// FuzzTerms compares constructors and evaluator with the oracle.
func FuzzTerms(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		executions.Add(1)
		inGeneration(t, func() {
			g, e := decode(b, 80)
			agree(t, g, e, checker{}, 3)
		})
	})
}

// FuzzSubst checks the substitution lemma and its counterpart for Replace.
func FuzzSubst(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		executions.Add(1)
		inGeneration(t, func() {
			g, e := decode(b, 50)
			g.left = 30
			substLemma(t, g, e, 3)
			replaceLemma(t, g, e)
		})
	})
}

// FuzzEval evaluates with every budget up to the least that suffices, and the term read back through its accessors.
func FuzzEval(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		executions.Add(1)
		inGeneration(t, func() {
			g, e := decode(b, 25)
			x := builder{}.build(e)
			env := g.assignment(e)
			want := newOracle(env).eval(e)
			back := exprOf(x)
			if y := (builder{}).build(back); y != x {
				t.Fatalf("%v is built again as %v", x.Format(30), y.Format(30))
			}
			if got := newOracle(env).eval(back); !got.eq(want) {
				t.Fatalf("%v\nunder %v\nreads as %v, written as %v", x.Format(30), env, got, want)
			}
			m := env.terms()
			budget := 0
			for ; ; budget++ {
				v, err := Eval(x, m, budget)
				if err == nil {
					if !want.is(v) {
						t.Fatalf("%v\nunder %v\nis %v, want %v", x.Format(30), env, v, want)
					}
					break
				}
				if !IsBudget(err) || budget > 2000 {
					t.Fatal(err)
				}
			}
			if v, err := Eval(x, m, 10*budget+1000); err != nil || !want.is(v) {
				t.Fatal(v, err)
			}
		})
	})
}
