package opt

import "math/bits"

// Model is a microarchitecture, as far as the simulator knows it.
type Model struct {
	Name    string
	Width   int    // micro-operations that enter per cycle
	ROB     int    // entries of the reorder buffer
	RS      int    // entries of the schedulers; 0: no limit
	Bind    bool   // a micro-operation gets its port when it enters, by the lengths of the queues (Intel)
	Forward int    // latency from a store to a load of the same word
	LoadUop uint32 // ports for a memory operand
	LoadLat int    // latency of a memory operand
	Cost    func(Class) Cost
}

// Cost is what an instruction costs.
type Cost struct {
	Lat   int
	Lat2  int      // latency of the second result, if different
	Uops  []uint32 // bit sets of ports
	Slots int      // entries taken; 0: as many as there are micro-operations
}

func (c Cost) slots() int {
	if c.Slots > 0 {
		return c.Slots
	}
	return len(c.Uops)
}

// simulator runs code on a model.
type simulator struct {
	busy  []uint32 // ports taken in each cycle
	issue []int16  // micro-operations that leave the schedulers in each cycle
}

const horizon = 1 << 16

// cycles is how long code takes per iteration in the long run, in hundredths. A chain is a sequence of calls in place,
// where loads wait for the stores of the call before.
func (s *simulator) cycles(c *Code, m *Model, chain bool) int {
	const few, many = 4, 10
	a := s.run(c, m, few, chain)
	b := s.run(c, m, many, chain)
	return (b - a) * 100 / (many - few)
}

func (s *simulator) run(c *Code, m *Model, iterations int, chain bool) int {
	if s.busy == nil {
		s.busy, s.issue = make([]uint32, horizon), make([]int16, horizon)
	}
	var reg [128]int32
	var res [numRes]int32
	var queue [32]int32
	rob := make([]int32, m.ROB)
	rp := 0
	var cycle, retired, seen int32
	used, waiting, last := 0, 0, int32(0)
	costs := make([]Cost, len(c.Placed))
	words := make([][2]int32, len(c.Placed))
	top := int32(1)
	for i := range c.Placed {
		costs[i] = m.Cost(c.Placed[i].Class)
		words[i] = [2]int32{c.Placed[i].load, c.Placed[i].store}
		for k := range words[i] {
			// Results go where the first input was.
			if w := words[i][k]; chain && w >= 0 && w>>8 == 0 {
				words[i][k] += 1 << 8
			}
			top = max(top, words[i][k]+1)
		}
	}
	stored := make([]int32, top)
	for range iterations {
		for i := range c.Placed {
			in := &c.Placed[i]
			if in.cont {
				continue
			}
			cost := &costs[i]
			d := cost.slots()
			uops := len(cost.Uops)
			if in.memSrc {
				uops++
			}
			if used+d > m.Width && used > 0 {
				cycle, used = cycle+1, 0
			}
			for u := range d {
				if r := rob[(rp+u)%m.ROB]; r > cycle {
					cycle, used = r, 0
				}
			}
			if m.RS > 0 {
				for {
					for seen < cycle {
						seen++
						waiting -= int(s.issue[seen])
					}
					if waiting+uops <= m.RS {
						break
					}
					cycle, used = cycle+1, 0
				}
				waiting += uops
			}
			for used += d; used > m.Width; used -= m.Width {
				cycle++
			}
			t := cycle + 1
			if in.memSrc {
				lt := t
				for _, r := range in.reads[len(in.reads)-1:] {
					lt = max(lt, reg[r])
				}
				if chain {
					lt = max(lt, stored[words[i][0]])
				}
				lt = s.take(m, &queue, m.LoadUop, lt, cycle)
				last = max(last, lt)
				t = max(t, lt+int32(m.LoadLat))
			} else if in.load >= 0 && chain {
				t = max(t, stored[words[i][0]])
			}
			for _, r := range in.reads {
				t = max(t, reg[r])
			}
			for r := range res {
				if in.resReads&(1<<r) != 0 {
					t = max(t, res[r])
				}
			}
			end := t
			for _, ports := range cost.Uops {
				end = max(end, s.take(m, &queue, ports, t, cycle))
			}
			last = max(last, end)
			for k, r := range in.writes {
				lat := cost.Lat
				if k == 1 && cost.Lat2 > 0 {
					lat = cost.Lat2
				}
				reg[r] = end + int32(lat)
			}
			for r := range res {
				if in.resWrites&(1<<r) != 0 {
					res[r] = end + int32(cost.Lat)
				}
			}
			if in.store >= 0 {
				stored[words[i][1]] = end + int32(m.Forward)
			}
			retired = max(retired, end+int32(cost.Lat))
			for range d {
				rob[rp] = retired
				rp = (rp + 1) % m.ROB
			}
		}
	}
	clear(s.busy[:last+2])
	clear(s.issue[:last+2])
	return int(retired)
}

// take gives a micro-operation that is ready at time t a port, and returns when it starts.
func (s *simulator) take(m *Model, queue *[32]int32, ports uint32, t, cycle int32) int32 {
	if m.Bind {
		best, end := 0, int32(1<<30)
		for x := ports; x != 0; x &= x - 1 {
			k := bits.TrailingZeros32(x)
			if e := max(queue[k], cycle); e < end {
				best, end = k, e
			}
		}
		queue[best] = end + 1
		ports = 1 << best
	}
	for ; ; t++ {
		if free := ports &^ s.busy[t]; free != 0 {
			s.busy[t] |= 1 << (bits.Len32(free) - 1)
			s.issue[t]++
			return t
		}
	}
}
