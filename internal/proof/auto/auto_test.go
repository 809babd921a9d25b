package auto

import (
	"testing"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// TestComplement checks the lemma at the widths that carry chains use.
func TestComplement(t *testing.T) {
	for _, n := range []int{1, 8, 64, 65} {
		if err := Run(func() {
			th := complement(n)
			x := complementVar(n)
			want := logic.Eq(logic.Add(logic.Uint(logic.BVNot(x)), logic.Uint(x), logic.N(1)), logic.Pow2(n))
			if th.Concl() != want || len(th.Hyps()) != 0 {
				t.Errorf("width %d: %v", n, th)
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// add is an addition with carry as both targets spell it.
func add(x, y, c Term) (lo, carry Term) {
	s := logic.BVAdd(logic.BVAdd(logic.Zext(65, x), logic.Zext(65, y)), logic.Zext(65, c))
	return logic.Extract(63, 0, s), logic.Extract(64, 64, s)
}

// TestTelescope adds and multiplies two-word numbers and finds the equations of whole numbers.
func TestTelescope(t *testing.T) {
	bv := func(n string) Term { return logic.Var("telescope."+n, logic.BV(64)) }
	a, b := []Term{bv("a0"), bv("a1")}, []Term{bv("b0"), bv("b1")}
	zero := logic.BVUint(1, 0)
	if err := Run(func() {
		s0, c0 := add(a[0], b[0], zero)
		s1, c1 := add(a[1], b[1], c0)
		p := logic.Sub(Word(s0, s1), logic.Add(Word(a...), Word(b...)))
		rest, eqs := NewTelescope().Reduce(p)
		if want := Scale(neg(Pow2(128)), logic.Uint(c1)); rest != want {
			t.Errorf("sum: rest %v, want %v", rest, want)
		}
		Equal(p, rest, eqs...)

		// subtraction: a − b + 2¹²⁸·(no borrow)
		d0, e0 := add(a[0], logic.BVNot(b[0]), logic.BVUint(1, 1))
		d1, e1 := add(a[1], logic.BVNot(b[1]), e0)
		p = logic.Sub(Word(d0, d1), logic.Sub(Word(a...), Word(b...)))
		rest, eqs = NewTelescope().Reduce(p)
		if want := logic.Sub(logic.Pow2(128), Scale(Pow2(128), logic.Uint(e1))); rest != want {
			t.Errorf("difference: rest %v, want %v", rest, want)
		}
		Equal(p, rest, eqs...)

		// a·b0 in three words
		p0 := logic.BVMul(logic.Zext(128, a[0]), logic.Zext(128, b[0]))
		p1 := logic.BVMul(logic.Zext(128, a[1]), logic.Zext(128, b[0]))
		m1, c := add(logic.Extract(127, 64, p0), logic.Extract(63, 0, p1), zero)
		m2, d := add(logic.Extract(127, 64, p1), logic.BVUint(64, 0), c)
		p = logic.Sub(Word(logic.Extract(63, 0, p0), m1, m2), logic.Mul(Word(a...), logic.Uint(b[0])))
		rest, eqs = NewTelescope().Reduce(p)
		if want := Scale(neg(Pow2(192)), logic.Uint(d)); rest != want {
			t.Errorf("product: rest %v, want %v", rest, want)
		}
		eq := Equal(p, rest, eqs...)
		// the dropped carry is zero
		W := Word(logic.Extract(63, 0, p0), m1, m2)
		P := logic.Mul(Word(a...), logic.Uint(b[0]))
		k := logic.Neg(logic.Uint(d))
		eq = Equal(W, logic.Add(P, Scale(Pow2(192), k)), Lin{eq, p, rest, logic.N(1)})
		th, _ := Absorb(W, P, k, 192, eq)
		if th.Concl() != logic.Eq(W, P) || len(th.Hyps()) != 0 {
			t.Errorf("product: %v", th)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// TestNoProof shows that false goals are refused with an error, not proved.
func TestNoProof(t *testing.T) {
	x := logic.Uint(logic.Var("noproof.x", logic.BV(64)))
	for name, f := range map[string]func(){
		"1 ≤ uint x":       func() { NonNeg(logic.Sub(x, logic.N(1)), nil) },
		"uint x ≤ 2^63":    func() { NonNeg(logic.Sub(logic.Pow2(63), x), nil) },
		"uint x = 0":       func() { Equal(x, logic.N(0)) },
		"no range":         func() { Bounds(logic.Var("noproof.i", logic.Int())) },
		"cut of other":     func() { Cut(Must(kernel.Assume(logic.Ge0(x))), Pow2(3), x) },
		"wrong congruence": func() { Congruent(x, logic.N(0), logic.N(7)) },
	} {
		if err := Run(f); err == nil {
			t.Errorf("%s: proved", name)
		}
	}
}
