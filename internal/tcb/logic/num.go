package logic

import (
	"math/big"
	"math/bits"
)

// num is an integer: b when not nil, and then it doesn't fit an int64; else i. Immutable.
type num struct {
	i int64
	b *big.Int
}

var bigOne = big.NewInt(1)

func two(k int) *big.Int { return new(big.Int).Lsh(bigOne, uint(k)) }

// numOf takes ownership of b.
func numOf(b *big.Int) num {
	if b.IsInt64() {
		return num{i: b.Int64()}
	}
	return num{b: b}
}

// big is the value; it must not be modified.
func (x num) big() *big.Int {
	if x.b != nil {
		return x.b
	}
	return big.NewInt(x.i)
}

func (x num) sign() int {
	switch {
	case x.b != nil:
		return x.b.Sign()
	case x.i < 0:
		return -1
	case x.i > 0:
		return 1
	}
	return 0
}

func (x num) isOne() bool { return x.b == nil && x.i == 1 }

func (x num) eq(y num) bool {
	if x.b == nil || y.b == nil {
		return x.b == nil && y.b == nil && x.i == y.i
	}
	return x.b.Cmp(y.b) == 0
}

func (x num) add(y num) num {
	if x.b == nil && y.b == nil {
		if s := x.i + y.i; (s > x.i) == (y.i > 0) {
			return num{i: s}
		}
	}
	return numOf(new(big.Int).Add(x.big(), y.big()))
}

func (x num) neg() num {
	if x.b == nil && x.i != -1<<63 {
		return num{i: -x.i}
	}
	return numOf(new(big.Int).Neg(x.big()))
}

func (x num) mul(y num) num {
	if x.b == nil && y.b == nil {
		hi, lo := bits.Mul64(mag(x.i), mag(y.i))
		if hi == 0 && lo < 1<<63 {
			if (x.i < 0) != (y.i < 0) {
				return num{i: -int64(lo)}
			}
			return num{i: int64(lo)}
		}
	}
	return numOf(new(big.Int).Mul(x.big(), y.big()))
}

// mag is |i|, also for the smallest int64.
func mag(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

func (x num) hash(h uint64) uint64 {
	if x.b == nil {
		return mix(h, uint64(x.i))
	}
	return hashBig(h, x.b)
}

// floorDivMod is floor division with x div 0 = 0 and x mod 0 = x, so that x = m·(x div m) + x mod m always.
func floorDivMod(x, m *big.Int) (q, r *big.Int) {
	if m.Sign() == 0 {
		return new(big.Int), new(big.Int).Set(x)
	}
	q, r = new(big.Int).QuoRem(x, m, new(big.Int))
	if r.Sign() != 0 && r.Sign() != m.Sign() {
		q.Sub(q, bigOne)
		r.Add(r, m)
	}
	return q, r
}

// expmod is xᵏ mod m as Expmod has it: 0 for m < 1, the power 0 for k < 0.
func expmod(x, k, m *big.Int) *big.Int {
	if m.Sign() <= 0 {
		return new(big.Int)
	}
	_, r := floorDivMod(x, m)
	if k.Sign() <= 0 {
		_, r = floorDivMod(bigOne, m)
		return r
	}
	return new(big.Int).Exp(r, k, m)
}

// signed reads the low w bits v as two's complement.
func signed(v *big.Int, w int) *big.Int {
	if v.Bit(w-1) == 1 {
		return new(big.Int).Sub(v, two(w))
	}
	return v
}

const hashSeed = 0x9e3779b97f4a7c15

// mix is a 64-bit hash step (multiply-fold).
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0xa0761d6478bd642f, v^0xe7037ed1a0b428db^bits.RotateLeft64(h, 23))
	return hi ^ lo ^ bits.RotateLeft64(h, 31)
}

func hashString(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = mix(h, uint64(s[i]))
	}
	return mix(h, uint64(len(s)))
}

func hashBig(h uint64, b *big.Int) uint64 {
	for _, w := range b.Bits() {
		h = mix(h, uint64(w))
	}
	return mix(h, uint64(int64(b.Sign())))
}

func abs(x *big.Int) *big.Int { return new(big.Int).Abs(x) }
