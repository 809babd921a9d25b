package benchmark

import (
	"cmp"
	"slices"
)

// Slower is by which part of its time an operation may be slower than before, if the measurements are good enough to
// tell.
const Slower = 0.007

// Spreads is how many times the spread between two measurements of one program an operation may be slower.
const Spreads = 3

// Minima are the least times by operation.
type Minima map[string]float64

// Add takes the times of Verum from a report.
func (m Minima) Add(r *Report) {
	for _, x := range r.Results {
		if x.Peer != Own {
			continue
		}
		if least, ok := m[x.Operation]; !ok || x.Min < least {
			m[x.Operation] = x.Min
		}
	}
}

// A Comparison is how an operation of one program compares with that of another. Each was measured twice, in as many
// samples, which were taken in turn: what differs between two measurements of one program is the spread.
type Comparison struct {
	Operation string
	Base, New float64 // least times
	Spread    float64 // the greater one, as a part of the time
}

// Change is by which part of the base's time the new time is greater.
func (c Comparison) Change() float64 { return c.New/c.Base - 1 }

// Limit is the change up to which the new program passes.
func (c Comparison) Limit() float64 { return max(Slower, Spreads*c.Spread) }

// Regressed tells that the new program is slower.
func (c Comparison) Regressed() bool { return c.Change() > c.Limit() }

// Compare compares the operations that both programs have, in order of their names.
func Compare(base, new [2]Minima) []Comparison {
	var cs []Comparison
	for op, b0 := range base[0] {
		b1, ok1 := base[1][op]
		n0, ok2 := new[0][op]
		n1, ok3 := new[1][op]
		if ok1 && ok2 && ok3 {
			spread := func(a, b float64) float64 { return max(a, b)/min(a, b) - 1 }
			cs = append(cs, Comparison{op, min(b0, b1), min(n0, n1), max(spread(b0, b1), spread(n0, n1))})
		}
	}
	slices.SortFunc(cs, func(a, b Comparison) int { return cmp.Compare(a.Operation, b.Operation) })
	return cs
}
