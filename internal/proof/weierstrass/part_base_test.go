package weierstrass

//lint:file-ignore SA1019 an independent oracle for multiples as points

import (
	"crypto/elliptic"
	"math/big"
	"slices"
	"testing"
	"time"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/machine"
)

// TestPointMulBaseRun runs the routine on constants.
func TestPointMulBaseRun(t *testing.T) {
	c := P256()
	std := elliptic.P256().Params()
	var scalars []*big.Int
	for _, k := range []int64{0, 1, 2, 31, 32, 33, 63, 64, 65} {
		scalars = append(scalars, big.NewInt(k))
	}
	for _, k := range []int64{1, 2, 33, 34} {
		scalars = append(scalars, new(big.Int).Sub(std.N, big.NewInt(k)))
	}
	ones := new(big.Int).Lsh(big.NewInt(1), 252)
	scalars = append(scalars, new(big.Int).Rsh(std.N, 1), ones.Sub(ones, big.NewInt(1)))
	for _, key := range Keys() {
		t.Run(key.Target.String()+key.Variant, func(t *testing.T) {
			generation(t)
			p, _, err := c.mulBaseProgram(key)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			for i, k := range scalars {
				if key != Keys()[0] && i%4 != 1 {
					continue // a run takes a second; the first target gets all
				}
				o, err := machine.Run(p, machine.Input{Mem: map[string][]byte{
					"k": little(k, c.Field.Bytes()), "tmp": make([]byte, impl.MulBaseTemps*c.Field.Bytes())}})
				if err != nil {
					t.Fatal(err)
				}
				x, y := affineOf(c, o.Mem["r"])
				wantX, wantY := std.ScalarBaseMult(k.Bytes())
				if x.Cmp(wantX) != 0 || y.Cmp(wantY) != 0 {
					t.Errorf("[%v]G = (%x, %x), want (%x, %x)", k, x, y, wantX, wantY)
				}
			}
			t.Logf("in %v", time.Since(begin))
		})
	}
}

// TestPointMulBase verifies the routine.
func TestPointMulBase(t *testing.T) {
	for _, key := range Keys() {
		t.Run(key.Target.String()+key.Variant, func(t *testing.T) {
			generation(t)
			begin := time.Now()
			v, err := P256().PointMulBase(key.Target, key.Variant)
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

// TestCombLemmas shows that the lemmas notice a wrong point in the table, and digits in the wrong place.
func TestCombLemmas(t *testing.T) {
	c := P256()
	good := c.base.comb()
	tests := []struct {
		name  string
		comb  func() *impl.Comb
		prove func(l *combLemmas)
		ok    bool
	}{
		{"selection", func() *impl.Comb { return good }, func(l *combLemmas) { l.selection(1) }, true},
		{"wrong entry", func() *impl.Comb {
			bad := *good
			bad.Table = slices.Clone(good.Table)
			bad.Table[2*c.Field.Words()*impl.CombEntries] ^= 1
			return &bad
		}, func(l *combLemmas) { l.selection(1) }, false},
		{"sum", func() *impl.Comb { return good }, func(l *combLemmas) { l.added(good.Rows - 1) }, true},
		// If L + W·d weren't known to be below n in the last row, the points could be equal.
		{"last row like the others", func() *impl.Comb {
			bad := *good
			bad.Rows++
			return &bad
		}, func(l *combLemmas) { l.added(good.Rows - 1) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			generation(t)
			l := newCombLemmas(c, tt.comb())
			defer func() {
				if r := recover(); (r == nil) != tt.ok {
					t.Errorf("proved: %v, want %v: %v", r == nil, tt.ok, r)
				}
			}()
			tt.prove(l)
		})
	}
}

// little is v as n bytes, the least significant first.
func little(v *big.Int, n int) []byte {
	b := v.FillBytes(make([]byte, n))
	slices.Reverse(b)
	return b
}

// affineOf are the coordinates of the point X, Y, Z in memory, (0, 0) for O.
func affineOf(c *Curve, mem []byte) (x, y *big.Int) {
	n, m := c.Field.Bytes(), c.Field.M()
	var v [3]*big.Int
	for i := range v {
		b := slices.Clone(mem[i*n : i*n+n])
		slices.Reverse(b)
		v[i] = new(big.Int).SetBytes(b)
		v[i].Mul(v[i], c.Field.Ri())
		v[i].Mod(v[i], m)
	}
	if v[2].Sign() == 0 {
		return new(big.Int), new(big.Int)
	}
	inv := new(big.Int).ModInverse(v[2], m)
	zz := new(big.Int).Mul(inv, inv)
	x = new(big.Int).Mul(v[0], zz)
	y = new(big.Int).Mul(v[1], zz.Mul(zz, inv))
	return x.Mod(x, m), y.Mod(y, m)
}
