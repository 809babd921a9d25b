package machine

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// numFlags bounds the flag numbers of every target.
const numFlags = 8

// state is a symbolic machine state. The zero Term is poison everywhere.
type state struct {
	regs   [isa.NumRegs]logic.Term
	flags  [numFlags]logic.Term
	result logic.Term // the Go result
	mem    []memory   // of each region
}

// copy returns a copy; memory is shared until one of the two writes to it.
func (s *state) copy() *state {
	c := *s
	for i := range s.mem {
		s.mem[i].own = false
	}
	c.mem = slices.Clone(s.mem)
	return &c
}

// cell is byte i of the bit-vector t, or poison.
type cell struct {
	t logic.Term
	i int
}

func (c cell) poison() bool { return c.t.IsZero() }

// term is the byte as a term, BV(8).
func (c cell) term() logic.Term { return logic.Extract(8*c.i+7, 8*c.i, c.t) }

// same tells that two bytes are the same term or both poison.
func (c cell) same(d cell) bool {
	return c == d || !c.poison() && !d.poison() && c.term() == d.term()
}

// zero tells that the byte is the constant 0.
func (c cell) zero() bool {
	if c.poison() {
		return false
	}
	v, ok := c.term().Const()
	return ok && v.Sign() == 0
}

// memory is the contents of one region: bytes, each remembering the term it was stored with, or one Int.
type memory struct {
	cells []cell
	whole logic.Term
	own   bool // cells is not shared with a copy of the state
}

// run is the number of bytes from off, at most n, that are consecutive bytes of one term.
func (m *memory) run(off, n int) int {
	k := 1
	for k < n && m.cells[off+k].t == m.cells[off].t && m.cells[off+k].i == m.cells[off].i+k {
		k++
	}
	return k
}

// load are n bytes at off, inside the region; the zero Term if one of them is poison.
func (m *memory) load(off, n int) logic.Term {
	var parts []logic.Term
	for n > 0 {
		c := m.cells[off]
		if c.poison() {
			return logic.Term{}
		}
		k := m.run(off, n)
		t := c.t
		if c.i != 0 || t.Sort().Width() != 8*k {
			t = logic.Extract(8*(c.i+k)-1, 8*c.i, c.t)
		}
		parts = append(parts, t)
		off, n = off+k, n-k
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return logic.Concat(parts...)
}

// store puts the n bytes of v at off, inside the region; the zero Term makes them poison.
func (m *memory) store(off, n int, v logic.Term) {
	if !m.own {
		m.cells, m.own = slices.Clone(m.cells), true
	}
	for i := range n {
		m.cells[off+i] = cell{v, i}
		if v.IsZero() {
			m.cells[off+i] = cell{}
		}
	}
}

// joinTerm is the value after an If: a where c holds, b where not, poison if one of them is.
func joinTerm(c, a, b logic.Term) logic.Term {
	if a == b {
		return a
	}
	if a.IsZero() || b.IsZero() {
		return logic.Term{}
	}
	return logic.Ite(c, a, b)
}

// join is the state after an If with condition c whose branches end in a and b. Neighbouring bytes that were stored
// together in both branches stay together.
func join(c logic.Term, a, b *state) *state {
	r := a.copy()
	for i := range r.regs {
		r.regs[i] = joinTerm(c, a.regs[i], b.regs[i])
	}
	for i := range r.flags {
		r.flags[i] = joinTerm(c, a.flags[i], b.flags[i])
	}
	r.result = joinTerm(c, a.result, b.result)
	for i := range r.mem {
		ma, mb := &a.mem[i], &b.mem[i]
		r.mem[i].whole = joinTerm(c, ma.whole, mb.whole)
		for p := 0; p < len(ma.cells); {
			if ma.cells[p].same(mb.cells[p]) {
				p++
				continue
			}
			k, v := 1, logic.Term{}
			if !ma.cells[p].poison() && !mb.cells[p].poison() {
				k = mb.run(p, ma.run(p, len(ma.cells)-p))
				v = logic.Ite(c, ma.load(p, k), mb.load(p, k))
			}
			r.mem[i].store(p, k, v)
			p += k
		}
	}
	return r
}

// region is a part of memory that the code may access.
type region struct {
	name     string
	base     logic.Term // its address, a public variable
	size     int        // in bytes; 0 if symbolic
	length   logic.Term // in bytes, an Int
	whole    bool       // contents are one Int
	writable bool
	wipe     bool   // scratch memory or frame: what held a secret is zero on return
	touched  []bool // bytes that ever held a secret (the only element stands for a whole region); only if wipe
}

// touch notes that n bytes at off hold something secret.
func (r *region) touch(off, n int) {
	if !r.wipe {
		return
	}
	if r.whole {
		off, n = 0, 1
	}
	for i := off; i < off+n; i++ {
		r.touched[i] = true
	}
}

// locValue is the value of a place, the zero Term if it is poison.
func (e *exec) locValue(l Loc) logic.Term { return View{st: e.st, region: e.index}.Loc(l) }

// setLoc gives a place that checkLoc accepted a value in the state, or makes it poison.
func (e *exec) setLoc(st *state, l Loc, v logic.Term) {
	if l.Region == "" {
		st.regs[l.Reg] = v
		return
	}
	m := &st.mem[e.index[l.Region]]
	if l.N == 0 {
		m.whole = v
		return
	}
	m.store(l.Off, l.N, v)
}

// checkLoc: the place exists and code may write it.
func (e *exec) checkLoc(l Loc) error {
	if l.Region == "" {
		if !slices.Contains(e.t.regs, l.Reg) {
			return fmt.Errorf("%s is reserved", e.t.regName(l.Reg))
		}
		return nil
	}
	i, ok := e.index[l.Region]
	if !ok {
		return fmt.Errorf("there is no region %q", l.Region)
	}
	r := &e.regions[i]
	switch {
	case !r.writable:
		return fmt.Errorf("%s is read-only", l.Region)
	case r.whole != (l.N == 0):
		return fmt.Errorf("%s: a region is modified as a whole exactly if its contents are an Int", l.name(e.t))
	case l.N < 0 || l.Off < 0 || l.Off > r.size || l.N > r.size-l.Off || r.whole && l.Off != 0:
		return fmt.Errorf("%s is outside the region", l.name(e.t))
	}
	return nil
}
