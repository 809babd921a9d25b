package opt

import "slices"

// graph is the dependence graph of a program under a model, with the groups that exclusive resources make.
//
// Instructions that are connected by the contents of resources (a carry chain, the multiplications by one factor in DX)
// form a group. A scheduler that keeps every resource exclusive can't get stuck if a group opens only when every
// unfinished group that it depends on is open.
type graph struct {
	p      *Prog
	preds  [][]int32
	succs  [][]edge
	height []int32 // latency of the longest path to the end
	group  []int32 // −1 for none
	groups []group
	uses   []int32 // number of instructions that read a value
	cost   []Cost
	srcs   [][]V // distinct values that are read
}

type edge struct {
	to, lat int32
}

type group struct {
	members []int32
	needs   []int32 // groups that it depends on
}

func newGraph(p *Prog, m *Model) *graph {
	n := len(p.Ins)
	g := &graph{p: p, preds: make([][]int32, n), succs: make([][]edge, n), height: make([]int32, n),
		group: make([]int32, n), uses: make([]int32, p.numV), cost: make([]Cost, n), srcs: make([][]V, n)}
	type def struct {
		at  int32
		lat int
	}
	defs := map[V]def{}
	link := func(a, b int32, lat int) {
		g.preds[b] = append(g.preds[b], a)
		g.succs[a] = append(g.succs[a], edge{b, int32(lat)})
	}
	parent := make([]int32, n)
	var find func(int32) int32
	find = func(x int32) int32 {
		if parent[x] != x {
			parent[x] = find(parent[x])
		}
		return parent[x]
	}
	for i := range p.Ins {
		in, k := &p.Ins[i], int32(i)
		parent[i] = k
		g.cost[i] = m.Cost(p.class(in))
		for _, s := range in.S {
			if s < 0 || slices.Contains(g.srcs[i], s) {
				continue
			}
			g.srcs[i] = append(g.srcs[i], s)
			g.uses[s]++
			if d, ok := defs[s]; ok {
				link(d.at, k, d.lat)
			}
		}
		for _, u := range in.Use {
			if u >= 0 {
				link(u, k, g.cost[u].Lat)
				parent[find(k)] = find(u)
			}
		}
		for _, a := range in.After {
			link(a, k, 0)
		}
		for q, d := range in.D {
			lat := g.cost[i].Lat
			if q == 1 && g.cost[i].Lat2 > 0 {
				lat = g.cost[i].Lat2
			}
			defs[d] = def{k, lat}
		}
	}
	ids := map[int32]int32{}
	for i := range p.Ins {
		in := &p.Ins[i]
		g.group[i] = -1
		if in.store() || in.Form.Clobs|in.Form.Reads == 0 {
			continue
		}
		root := find(int32(i))
		id, ok := ids[root]
		if !ok {
			id = int32(len(g.groups))
			ids[root] = id
			g.groups = append(g.groups, group{})
		}
		g.group[i] = id
		g.groups[id].members = append(g.groups[id].members, int32(i))
	}
	for i := n - 1; i >= 0; i-- {
		for _, e := range g.succs[i] {
			g.height[i] = max(g.height[i], g.height[e.to]+e.lat)
		}
	}
	// reach are the groups that an instruction depends on through instructions without a group.
	reach := make([]map[int32]bool, n)
	for i := range p.Ins {
		r := map[int32]bool{}
		for _, q := range g.preds[i] {
			if g.group[q] >= 0 {
				r[g.group[q]] = true
				continue
			}
			for k := range reach[q] {
				r[k] = true
			}
		}
		reach[i] = r
		if id := g.group[i]; id >= 0 {
			for k := range r {
				if k != id && !slices.Contains(g.groups[id].needs, k) {
					g.groups[id].needs = append(g.groups[id].needs, k)
				}
			}
		}
	}
	return g
}

func (p *Prog) class(in *Ins) Class {
	if in.store() {
		return p.Target.StoreOp
	}
	return in.Form.Class
}

// Valid tells that an order respects dependences and exclusive resources.
func (p *Prog) Valid(order []int32) bool {
	n := len(p.Ins)
	if len(order) != n {
		return false
	}
	pos := make([]int, n)
	for i := range pos {
		pos[i] = -1
	}
	for k, i := range order {
		if i < 0 || int(i) >= n || pos[i] >= 0 {
			return false
		}
		pos[i] = k
	}
	def := map[V]int{}
	for i := range p.Ins {
		in := &p.Ins[i]
		for _, s := range in.S {
			if d, ok := def[s]; ok && pos[d] > pos[i] {
				return false
			}
		}
		for _, a := range in.After {
			if pos[a] > pos[i] {
				return false
			}
		}
		for _, d := range in.D {
			def[d] = i
		}
	}
	var now [numRes]int32
	for r := range now {
		now[r] = -1
	}
	for _, i := range order {
		in := &p.Ins[i]
		for r, u := range in.Use {
			if u >= 0 && now[r] != u {
				return false
			}
		}
		for r := range now {
			if !in.store() && in.Form.Clobs&(1<<r) != 0 {
				now[r] = i
			}
		}
	}
	return true
}

// Key steers the scheduler and the allocator.
type Key struct {
	Pressure  int       // number of live values from which on more of them cost
	WPressure float64   // cost of a value above that
	WReady    float64   // cost of a cycle that an instruction isn't ready yet
	WOpen     float64   // bonus for going on with a group
	WSource   float64   // cost of a place in source order: depth first
	WHeight   float64   // weight of the critical path
	Bias      []float64 // per instruction, added to its height
	Alloc     AllocKey
}

// schedule orders the instructions by a weighted sum, greedily.
func (g *graph) schedule(width int, key *Key) []int32 {
	n := len(g.p.Ins)
	indeg := make([]int32, n)
	avail := make([]int32, n)
	for i := range indeg {
		indeg[i] = int32(len(g.preds[i]))
	}
	left := make([]int, len(g.groups))
	open := make([]bool, len(g.groups))
	for i := range left {
		left[i] = len(g.groups[i].members)
	}
	readers := make([][numRes]int32, n)
	for i := range g.p.Ins {
		for r, u := range g.p.Ins[i].Use {
			if u >= 0 {
				readers[u][r]++
			}
		}
	}
	var holder [numRes]int32 // whose content of a resource is alive
	for r := range holder {
		holder[r] = -1
	}
	uses := slices.Clone(g.uses)
	live := 0
	var ready []int32
	for i := range n {
		if indeg[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	allowed := func(i int32) bool {
		id := g.group[i]
		if id < 0 {
			return true
		}
		in := &g.p.Ins[i]
		for r := range holder {
			// The last reader of a content may replace it.
			if h := holder[r]; h >= 0 && in.Form.Clobs&(1<<r) != 0 && !(in.Use[r] == h && readers[h][r] == 1) {
				return false
			}
		}
		if open[id] {
			return true
		}
		for _, a := range g.groups[id].needs {
			if left[a] > 0 && !open[a] {
				return false
			}
		}
		return true
	}
	order := make([]int32, 0, n)
	slots := 0
	for len(order) < n {
		now := int32(slots / width)
		best, bestScore := -1, 0.0
		for k, i := range ready {
			if !allowed(i) {
				continue
			}
			score := key.WHeight*float64(g.height[i]) - key.WSource*float64(i)
			if key.Bias != nil {
				score += key.Bias[i]
			}
			if d := avail[i] - now; d > 0 {
				score -= key.WReady * float64(d)
			}
			delta := 0
			for _, d := range g.p.Ins[i].D {
				if uses[d] > 0 {
					delta++
				}
			}
			for _, s := range g.srcs[i] {
				if uses[s] == 1 {
					delta--
				}
			}
			if over := live + delta - key.Pressure; over > 0 && delta > 0 {
				score -= key.WPressure * float64(over)
			} else if live > key.Pressure {
				score -= key.WPressure * float64(delta)
			}
			if id := g.group[i]; id >= 0 && open[id] {
				score += key.WOpen
			}
			if best < 0 || score > bestScore {
				best, bestScore = k, score
			}
		}
		if best < 0 {
			panic("opt: the scheduler is stuck")
		}
		i := ready[best]
		ready[best] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		in := &g.p.Ins[i]
		order = append(order, i)
		slots += g.cost[i].slots()
		start := max(now, avail[i])
		for _, s := range g.srcs[i] {
			if uses[s]--; uses[s] == 0 {
				live--
			}
		}
		for _, d := range in.D {
			if uses[d] > 0 {
				live++
			}
		}
		if id := g.group[i]; id >= 0 {
			for r, u := range in.Use {
				if u >= 0 {
					if readers[u][r]--; readers[u][r] == 0 && holder[r] == u {
						holder[r] = -1
					}
				}
			}
			for r := range holder {
				if in.Form.Defs&(1<<r) != 0 && readers[i][r] > 0 {
					holder[r] = i
				}
			}
			left[id]--
			open[id] = left[id] > 0
		}
		for _, e := range g.succs[i] {
			avail[e.to] = max(avail[e.to], start+e.lat)
			if indeg[e.to]--; indeg[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return order
}
