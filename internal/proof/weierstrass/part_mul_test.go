package weierstrass

//lint:file-ignore SA1019 an independent oracle for multiples as points

import (
	"crypto/elliptic"
	"fmt"
	"math/big"
	"testing"
	"time"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// TestPointMulRun runs the routine on constants, for a point that is not the base point. Each of these scalars below 40
// or from n − 40 on meets the table's ends, or has the accumulator at a small multiple, positive or negative, where
// operands would be equal or opposite first.
func TestPointMulRun(t *testing.T) {
	c := P256()
	std := elliptic.P256().Params()
	qx, qy := std.ScalarBaseMult([]byte("a point"))
	var scalars []*big.Int
	for _, k := range []int64{0, 1, 2, 15, 16, 17, 31, 32, 33} {
		scalars = append(scalars, big.NewInt(k))
	}
	for _, k := range []int64{1, 2, 16, 17, 18, 30, 34} {
		scalars = append(scalars, new(big.Int).Sub(std.N, big.NewInt(k)))
	}
	alternating, _ := new(big.Int).SetString("84210842108421084210842108421084210842108421084210842108421084210", 32)
	scalars = append(scalars, new(big.Int).Rsh(std.N, 1), alternating.Mod(alternating, std.N))
	mont := func(v *big.Int) []byte {
		m := new(big.Int).Mul(v, c.Field.R())
		return little(m.Mod(m, c.Field.M()), c.Field.Bytes())
	}
	for i, key := range Keys() {
		t.Run(key.Target.String()+key.Variant, func(t *testing.T) {
			generation(t)
			p, _, err := c.mulProgram(key)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			for j, k := range scalars {
				if j%len(Keys()) != i {
					continue // a run takes seconds, and the targets have the same sequence of calls
				}
				o, err := machine.Run(p, machine.Input{Mem: map[string][]byte{"k": little(k, c.Field.Bytes()),
					"q": append(mont(qx), mont(qy)...), "tmp": make([]byte, impl.MulTemps*c.Field.Bytes())}})
				if err != nil {
					t.Fatal(err)
				}
				x, y := affineOf(c, o.Mem["r"])
				wantX, wantY := std.ScalarMult(qx, qy, k.Bytes())
				if x.Cmp(wantX) != 0 || y.Cmp(wantY) != 0 {
					t.Errorf("[%v]Q = (%x, %x), want (%x, %x)", k, x, y, wantX, wantY)
				}
			}
			t.Logf("in %v", time.Since(begin))
		})
	}
}

// TestPointMul verifies the routine.
func TestPointMul(t *testing.T) {
	for _, key := range Keys() {
		t.Run(key.Target.String()+key.Variant, func(t *testing.T) {
			generation(t)
			begin := time.Now()
			v, err := P256().PointMul(key.Target, key.Variant)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v in %v", v.Stats(), time.Since(begin))
			if a := v.Axioms(); len(a) != 0 {
				t.Errorf("axioms %v", a)
			}
		})
	}
}

// TestMulLemmas shows that the lemmas notice a wrong absolute value or sign of a digit, entries of the table in a wrong
// order, and an addition of equal points.
func TestMulLemmas(t *testing.T) {
	c := P256()
	l := c.mul.lemmas
	// digit is what the code computes, from what it subtracts and the words for the absolute value and the sign.
	digit := func(offset uint64, words func(d, m Term) (index, sign Term)) func() {
		return func() {
			d := logic.BVSub(logic.Zext(64, l.e), logic.BVUint(64, offset))
			l.onDigit(words(d, logic.Ashr(d, 63)))
		}
	}
	absolute := func(d, m Term) Term { return logic.BVSub(logic.BVXor(d, m), m) }
	right := func(d, m Term) (index, sign Term) { return absolute(d, m), m }
	// selection is from a table whose entry i is [of(i)]Q.
	selection := func(of func(i int) int) func() {
		return func() {
			table, entries := [][]Term{nil}, []Theorem{{}}
			for i := 1; i <= half; i++ {
				ws := make([]Term, 5*c.Field.Words())
				for j := range ws {
					ws[j] = logic.Fresh(fmt.Sprintf("t%d.%d", i, j), logic.BV(64))
				}
				table = append(table, ws)
				entries = append(entries, assume(l.is(ws, c.Multiple(logic.N(int64(of(i))), l.q))))
			}
			l.selection(l.q, table, entries)
		}
	}
	tests := []struct {
		name  string
		prove func()
		ok    bool
	}{
		{"digit", digit(half, right), true},
		{"digit of another offset", digit(half-1, right), false},
		{"complement in place of the absolute value", digit(half, func(d, m Term) (index, sign Term) {
			return logic.BVXor(d, m), m
		}), false},
		{"no sign", digit(half, func(d, m Term) (index, sign Term) { return absolute(d, m), zero64() }), false},
		{"sign of one bit", digit(half, func(d, m Term) (index, sign Term) {
			return absolute(d, m), logic.Lshr(d, 63)
		}), false},
		{"selection", selection(func(i int) int { return i }), true},
		{"entries from 0 on", selection(func(i int) int { return i - 1 }), false},
		{"two entries exchanged", selection(func(i int) int {
			switch i {
			case 3:
				return 5
			case 5:
				return 3
			}
			return i
		}), false},
		{"[2]Q + Q", func() { l.next(2) }, true},
		{"Q + Q", func() { l.next(1) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			generation(t)
			defer func() {
				if r := recover(); (r == nil) != tt.ok {
					t.Errorf("proved: %v, want %v: %v", r == nil, tt.ok, r)
				} else if r != nil {
					t.Logf("%.300v", fmt.Sprint(r))
				}
			}()
			tt.prove()
		})
	}
}
