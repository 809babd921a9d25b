package opt

import (
	"fmt"
	"math"
	"slices"
)

// Tuner looks for good orders of one program on one model.
type Tuner struct {
	Prog  *Prog
	Model *Model
	// Chain: the code is called in a chain, each call on the result of the one before. The simulator then makes loads
	// wait for the stores of the call before.
	Chain bool

	g   *graph
	sim simulator
}

// NewTuner prepares a search.
func NewTuner(p *Prog, m *Model, chain bool) *Tuner {
	return &Tuner{Prog: p, Model: m, Chain: chain, g: newGraph(p, m)}
}

// Candidate is a key with the code that it makes.
type Candidate struct {
	Key  Key
	Code *Code
	Cost int // see Tuner.Cost
}

// Try makes a candidate.
func (t *Tuner) Try(k Key) (*Candidate, error) {
	return t.Allocate(t.g.schedule(t.Model.Width, &k), k)
}

// Allocate makes a candidate of a given order; of the key only the allocator's part counts.
func (t *Tuner) Allocate(order []int32, k Key) (*Candidate, error) {
	code, err := allocate(t.Prog, order, k.Alloc)
	if err != nil {
		return nil, err
	}
	return &Candidate{Key: k, Code: code, Cost: t.Cost(code)}, nil
}

// Cost is the model's cycles per call in hundredths, and a little for the number of instructions, of which one in 400
// hundredths of a cycle decides between orders that the model takes for equal.
func (t *Tuner) Cost(c *Code) int { return t.sim.cycles(c, t.Model, t.Chain) + len(c.Placed)/4 }

// Cycles is what the model says, in hundredths.
func (t *Tuner) Cycles(c *Code) int { return t.sim.cycles(c, t.Model, t.Chain) }

// regs is the number of registers for values, about.
func (t *Tuner) regs() int { return len(t.Prog.Target.Regs) - 2 }

// fixed are keys that need no search: source order with more or less regard for the critical path and the registers.
func (t *Tuner) fixed() []Key {
	alloc := AllocKey{Near: 10, Stored: 20, Consts: 2}
	k := t.regs()
	return []Key{
		{Pressure: k - 4, WSource: 0.2, WPressure: 100, WReady: 5, WOpen: 50, Alloc: alloc},
		{Pressure: k - 4, WHeight: 1, WSource: 0.2, WPressure: 100, WReady: 1, WOpen: 50, Alloc: alloc},
		{Pressure: k, WSource: 1, WPressure: 1, WReady: 1, Alloc: alloc},
		{Pressure: k, WSource: 100, Alloc: alloc},
	}
}

// Heuristic is the best of a few fixed keys.
func (t *Tuner) Heuristic() (*Candidate, error) {
	var best *Candidate
	for _, k := range t.fixed() {
		c, err := t.Try(k)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Cost < best.Cost {
			best = c
		}
	}
	return best, nil
}

// Rand is a source of random numbers that gives the same ones everywhere (xorshift64*).
type Rand struct{ s uint64 }

// NewRand makes a source.
func NewRand(seed uint64) *Rand {
	r := &Rand{seed*0x9e3779b97f4a7c15 + 1}
	for range 8 {
		r.next()
	}
	return r
}

func (r *Rand) next() uint64 {
	r.s ^= r.s >> 12
	r.s ^= r.s << 25
	r.s ^= r.s >> 27
	return r.s * 0x2545f4914f6cdd1d
}

// IntN is a number below n.
func (r *Rand) IntN(n int) int { return int(r.next() >> 1 % uint64(n)) }

// Float is a number below 1.
func (r *Rand) Float() float64 { return float64(r.next()>>11) / (1 << 53) }

// normal is about normally distributed.
func (r *Rand) normal() float64 {
	s := -6.0
	for range 12 {
		s += r.Float()
	}
	return s
}

// Random is a random key.
func (t *Tuner) Random(r *Rand) Key {
	k := Key{
		Pressure:  t.regs() - 7 + r.IntN(9),
		WPressure: math.Exp(r.Float()*6 - 1),
		WReady:    math.Exp(r.Float()*5 - 2),
		WOpen:     r.Float() * 40,
		WSource:   math.Exp(r.Float()*6 - 4),
		WHeight:   1,
		Alloc:     AllocKey{Near: r.IntN(60), Stored: r.IntN(120), Consts: r.IntN(6), Pointers: r.IntN(2) * (1 + r.IntN(20))},
	}
	switch r.IntN(4) {
	case 0:
		k.WSource = 0
	case 1:
		k.WHeight = 0
	}
	k.Bias = make([]float64, len(t.Prog.Ins))
	blocks := make([]float64, len(t.Prog.Blocks)+1)
	for i := range blocks {
		blocks[i] = r.normal() * 10
	}
	for i, in := range t.Prog.Ins {
		k.Bias[i] = blocks[in.Block+1]
	}
	return k
}

// Mutate changes a few parts of a key.
func (t *Tuner) Mutate(k Key, r *Rand) Key {
	k.Bias = slices.Clone(k.Bias)
	if k.Bias == nil {
		k.Bias = make([]float64, len(t.Prog.Ins))
	}
	factor := func() float64 { return math.Exp(r.normal() * 0.5) }
	for n := 1 + r.IntN(3); n > 0; n-- {
		switch r.IntN(12) {
		case 0:
			k.Pressure = max(4, k.Pressure+r.IntN(3)-1)
		case 1:
			k.WPressure = min(1e4, k.WPressure*factor())
		case 2:
			k.WReady = min(1e3, k.WReady*factor())
		case 3:
			k.WOpen = max(-200, min(1e3, k.WOpen+r.normal()*5))
		case 4:
			k.WSource = min(100, (k.WSource+0.001)*factor())
		case 5:
			k.Alloc.Near = max(0, k.Alloc.Near+r.IntN(21)-10)
		case 6:
			k.Alloc.Stored = max(0, k.Alloc.Stored+r.IntN(41)-20)
		case 7: // a block
			b, d := int32(r.IntN(len(t.Prog.Blocks)+1)-1), r.normal()*15
			for i, in := range t.Prog.Ins {
				if in.Block == b {
					k.Bias[i] += d
				}
			}
		case 8: // a group
			if len(t.g.groups) > 0 {
				d := r.normal() * 8
				for _, i := range t.g.groups[r.IntN(len(t.g.groups))].members {
					k.Bias[i] += d
				}
			}
		case 9:
			k.Alloc.Consts = r.IntN(6)
		case 10:
			k.Alloc.Pointers = r.IntN(2) * (1 + r.IntN(20))
		case 11:
			for range 4 {
				k.Bias[r.IntN(len(k.Bias))] += r.normal() * 8
			}
		}
	}
	return k
}

// Search makes that many candidates: random keys first, then simulated annealing from the best. log may be nil. The
// result depends on its arguments only.
func (t *Tuner) Search(seed uint64, tries int, log func(string)) (*Candidate, error) {
	if log == nil {
		log = func(string) {}
	}
	r := NewRand(seed)
	best, err := t.Heuristic()
	if err != nil {
		return nil, err
	}
	log(fmt.Sprintf("heuristic: %d.%02d", best.Cost/100, best.Cost%100))
	cur := best
	pool := min(150, tries/4)
	for i := range tries {
		k := t.Random(r)
		if i >= pool {
			k = t.Mutate(cur.Key, r)
		}
		c, err := t.Try(k)
		if err != nil {
			return nil, err
		}
		temperature := 150 * math.Pow(0.02, float64(i)/float64(tries))
		worse := float64(c.Cost - cur.Cost)
		if worse <= 0 || i >= pool && r.Float() < math.Exp(-worse/temperature) {
			cur = c
		}
		if cur.Cost < best.Cost {
			best = cur
		}
		if i%500 == 499 {
			log(fmt.Sprintf("%d tries: %d.%02d, %d instructions", i+1, best.Cost/100, best.Cost%100, len(best.Code.Placed)))
		}
	}
	return best, nil
}

// Move makes a new order by moving that many instructions by up to 30 places.
func (t *Tuner) Move(order []int32, moves int, r *Rand) []int32 {
	o := slices.Clone(order)
	for tries := 0; moves > 0 && tries < 1000; tries++ {
		i := r.IntN(len(o))
		j := max(0, min(len(o)-1, i+r.IntN(61)-30))
		if i == j {
			continue
		}
		q := slices.Delete(slices.Clone(o), i, i+1)
		q = slices.Insert(q, j, o[i])
		if t.Prog.Valid(q) {
			o = q
			moves--
		}
	}
	return o
}
