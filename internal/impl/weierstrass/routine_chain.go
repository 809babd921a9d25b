package weierstrass

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/machine"
)

// A Chain computes x^e by squarings and multiplications. Its values are numbered; value 0 is x.
type Chain struct {
	Steps []ChainStep
	Slots int // number of values, x included
}

// ChainStep sets value D to (value X)^(2^Squarings), multiplied by value Y unless Y is negative. D may be X.
type ChainStep struct{ D, X, Squarings, Y int }

// Cost counts squarings and multiplications.
func (c Chain) Cost() (squarings, products int) {
	for _, s := range c.Steps {
		squarings += s.Squarings
		if s.Y >= 0 {
			products++
		}
	}
	return squarings, products
}

// Exponents are the exponents of the values after each step, which gives value D.
func (c Chain) Exponents() []*big.Int {
	value := make([]*big.Int, c.Slots)
	value[0] = big.NewInt(1)
	var es []*big.Int
	for _, s := range c.Steps {
		e := new(big.Int).Lsh(value[s.X], uint(s.Squarings))
		if s.Y >= 0 {
			e.Add(e, value[s.Y])
		}
		value[s.D] = e
		es = append(es, e)
	}
	return es
}

// NewChain finds a chain for e ≥ 1. The result is the last step's value.
//
// From the highest bit down, e is cut into pieces: runs of ones, which are powers x^(2^k−1) for lengths k that have an
// addition chain themselves, and windows of w bits that end with a one, for which there is a table of odd powers. All
// short star chains of lengths, and all w, are tried; what needs the fewest operations is taken, of chains with at most
// PowerTemps + 1 values.
func NewChain(e *big.Int) (Chain, error) {
	if e == nil || e.Sign() <= 0 || e.BitLen() > 1024 {
		return Chain{}, errors.New("impl/weierstrass: no addition chain for this exponent")
	}
	longest := 0
	for i, run := 0, 0; i < e.BitLen(); i++ {
		run = (run + 1) * int(e.Bit(i))
		longest = max(longest, run)
	}
	var best Chain
	cost := -1
	try := func(lengths []int, w int) {
		c := newPieces(e, lengths, w).chain()
		s, p := c.Cost()
		if c.Slots-1 > PowerTemps {
			return
		}
		if cost < 0 || s+p < cost || s+p == cost && c.Slots < best.Slots {
			best, cost = c, s+p
		}
	}
	lengths := []int{1}
	var search func(left int)
	search = func(left int) {
		for w := 1; w <= 5; w++ {
			try(lengths, w)
		}
		if left == 0 {
			return
		}
		last := lengths[len(lengths)-1]
		for _, l := range slices.Clone(lengths) {
			if last+l <= longest {
				lengths = append(lengths, last+l)
				search(left - 1)
				lengths = lengths[:len(lengths)-1]
			}
		}
	}
	search(maxLengths)
	if best.check(e) != nil {
		return Chain{}, best.check(e)
	}
	return best, nil
}

// maxLengths is how many lengths of runs besides 1 a chain has at most.
const maxLengths = 7

func (c Chain) check(e *big.Int) error {
	es := c.Exponents()
	if len(es) == 0 && e.Cmp(big.NewInt(1)) == 0 || len(es) > 0 && es[len(es)-1].Cmp(e) == 0 {
		return nil
	}
	return fmt.Errorf("impl/weierstrass: a wrong addition chain for %#x", e)
}

// piece is a part of the exponent: the number value in that many bits, followed by zeros zeros.
type piece struct {
	value string // binary
	zeros int
}

// pieces is an exponent cut into pieces, and what they need.
type pieces struct {
	lengths []int // a star chain
	window  int
	ps      []piece
}

// newPieces cuts from the top.
func newPieces(e *big.Int, lengths []int, w int) *pieces {
	r := &pieces{lengths: lengths, window: w}
	bits := e.Text(2)
	for len(bits) > 0 {
		run := 0
		for run < len(bits) && bits[run] == '1' {
			run++
		}
		n := 1
		for _, l := range lengths {
			if l <= run {
				n = max(n, l)
			}
		}
		if k := min(w, len(bits)); k > n {
			for bits[k-1] == '0' {
				k--
			}
			n = max(n, k)
		}
		z := n
		for z < len(bits) && bits[z] == '0' {
			z++
		}
		r.ps = append(r.ps, piece{bits[:n], z - n})
		bits = bits[z:]
	}
	return r
}

// chain writes the steps.
func (r *pieces) chain() Chain {
	c := Chain{Slots: 1}
	at := map[string]int{"1": 0} // slots of values, in binary
	ones := func(n int) string { return fmt.Sprintf("%0*b", n, 1<<n-1) }
	if n := r.lengths[len(r.lengths)-1]; n > 60 {
		ones = func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = '1'
			}
			return string(b)
		}
	}
	used := map[string]bool{}
	for _, p := range r.ps {
		used[p.value] = true
	}
	// odd powers up to the largest that is used
	largest := 0
	for v := range used {
		if !slices.ContainsFunc(r.lengths, func(l int) bool { return ones(l) == v }) {
			n, _ := new(big.Int).SetString(v, 2)
			largest = max(largest, int(n.Int64()))
		}
	}
	if largest > 0 {
		c.Steps = append(c.Steps, ChainStep{1, 0, 1, -1}) // x²
		c.Slots = 2
		last := 0
		for v := 3; v <= largest; v += 2 {
			c.Steps = append(c.Steps, ChainStep{c.Slots, last, 0, 1})
			at[fmt.Sprintf("%b", v)] = c.Slots
			last = c.Slots
			c.Slots++
		}
	}
	// runs, from the previous length and an earlier one
	needed := 0
	for i, l := range r.lengths {
		if used[ones(l)] {
			needed = i
		}
	}
	for i := 1; i <= needed; i++ {
		l, last := r.lengths[i], r.lengths[i-1]
		if _, ok := at[ones(l)]; ok {
			continue
		}
		c.Steps = append(c.Steps, ChainStep{c.Slots, at[ones(last)], l - last, at[ones(l-last)]})
		at[ones(l)] = c.Slots
		c.Slots++
	}
	// the exponent
	acc := at[r.ps[0].value]
	zeros := r.ps[0].zeros
	for _, p := range r.ps[1:] {
		c.Steps = append(c.Steps, ChainStep{c.Slots, acc, zeros + len(p.value), at[p.value]})
		acc, zeros = c.Slots, p.zeros
	}
	if zeros > 0 {
		c.Steps = append(c.Steps, ChainStep{c.Slots, acc, zeros, -1})
		acc = c.Slots
	}
	if acc == c.Slots {
		c.Slots++
	}
	return c
}

// NewPower makes the routine power(r, a, tmp): r = a^e by the chain, in Montgomery form: (r·R⁻¹) ≡ (a·R⁻¹)^e. tmp has
// PowerTemps elements.
func NewPower(t machine.Target, variant string, c machine.Contract, f *Field, chain Chain) (Code, error) {
	if n := len(chain.Steps); n == 0 || chain.Slots-1 > PowerTemps {
		return Code{}, fmt.Errorf("impl/weierstrass: an addition chain of %d steps with %d values", n, chain.Slots)
	}
	b := NewBuilder(t, variant, c)
	a, tmp := b.Param("a"), b.Param("tmp")
	slot := func(i int) Ptr {
		if i == 0 {
			return a
		}
		return f.coordinate(tmp, i-1)
	}
	for i, s := range chain.Steps {
		d, x := slot(s.D), slot(s.X)
		n := s.Squarings
		if n > 0 {
			b.Sqr(f, d, x)
			x = d
			n--
		}
		if n > 0 {
			b.Repeat(fmt.Sprintf("square%d", i), n, true, func() { b.Sqr(f, d, d) })
		}
		if s.Y >= 0 {
			b.Mul(f, d, x, slot(s.Y))
		}
	}
	b.Copy(b.Param("r"), slot(chain.Steps[len(chain.Steps)-1].D), f.Bytes())
	return b.Finish()
}
