package mutate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// unit is a program compiled for running: what each instruction does is taken from the target's Step, run once on
// variables, so there is no second semantics of the instructions.
type unit struct {
	prog      machine.Program
	target    *target
	code      node
	sp        isa.Reg
	delta     int // the frame starts at SP + delta
	result    string
	paramRegs []isa.Reg // of a routine
	regs      []isa.Reg // that code may write
}

// node is compiled code.
type node any

type (
	blockNode []*stepNode
	seqNode   []node
	ifNode    struct {
		cond       *stepNode
		yes, other node
	}
	loopNode struct {
		body node
		cond *stepNode
	}
	callNode struct {
		site string
		to   *unit
	}
)

// stepNode is a compiled instruction or condition.
type stepNode struct {
	in    isa.Instr
	err   error // it cannot be executed
	steps []step
	s     *slots
	value int // slot of a condition
}

const (
	numRegs  = isa.NumRegs
	numFlags = 8
	maxSteps = 1 << 20 // of a run
)

var errEndless = errors.New("the run is too long")

// segment is a part of memory that the code may access.
type segment struct {
	name     string
	base     uint64
	data     []byte
	defined  []bool
	writable bool
}

// vm is the state of a run.
type vm struct {
	u      *unit
	regs   [numRegs]word
	regOK  [numRegs]bool
	flags  [numFlags]bool
	flagOK [numFlags]bool
	args   map[string]uint64
	result uint64
	resOK  bool
	segs   []*segment
	param  []*segment        // of each parameter of the program, nil for a by-value one
	frame  *segment          // of the program
	tables map[string]uint64 // addresses of the running unit's tables
	depth  int
	steps  int
	trace  uint64 // hash of all branches and accesses
	events []machine.Event
	record bool // keep events
}

// builder compiles programs for a vm, whose state the compiled instructions change.
type builder struct {
	m     *vm
	cache map[any]*stepNode
	t     *target
	u     *unit
}

// newVM compiles a program.
func newVM(p machine.Program) (*vm, error) {
	m := &vm{}
	b, err := m.compile(p, 0)
	if err != nil {
		return nil, err
	}
	m.u = b.u
	m.u.code, err = b.code(p.Code, 0)
	return m, err
}

// compile prepares for the code of a program, with which the vm is to run or which it is to call.
func (m *vm) compile(p machine.Program, depth int) (*builder, error) {
	t := targets[p.Target]
	if t == nil || depth > 20 {
		return nil, fmt.Errorf("mutate: cannot run code for %v, or calls are nested too deeply", p.Target)
	}
	u := &unit{prog: p, target: t, regs: p.Target.Regs()}
	u.result, _ = p.Contract.Result()
	u.sp, u.delta = t.frameBase()
	if p.Contract.Internal() {
		for i := range p.Contract.Params() {
			r, ok := p.Target.ParamReg(i)
			if !ok {
				return nil, errors.New("mutate: a routine has too many parameters")
			}
			u.paramRegs = append(u.paramRegs, r)
		}
	}
	return &builder{m: m, cache: map[any]*stepNode{}, t: t, u: u}, nil
}

func (b *builder) code(c machine.Code, depth int) (node, error) {
	switch c := c.(type) {
	case machine.Block:
		var r blockNode
		for _, in := range c {
			r = append(r, b.instr(in))
		}
		return r, nil
	case machine.Seq:
		var r seqNode
		for _, x := range c {
			n, err := b.code(x, depth)
			if err != nil {
				return nil, err
			}
			r = append(r, n)
		}
		return r, nil
	case machine.If:
		yes, err := b.code(c.Then, depth)
		if err != nil {
			return nil, err
		}
		r := ifNode{cond: b.cond(c.Cond), yes: yes}
		if c.Else != nil {
			r.other, err = b.code(c.Else, depth)
		}
		return r, err
	case machine.Loop:
		body, err := b.code(c.Body, depth)
		return loopNode{body, b.cond(c.While)}, err
	case machine.Call:
		p := c.To.Program()
		to, err := b.m.compile(p, depth+1)
		if err != nil {
			return nil, err
		}
		to.u.code, err = to.code(p.Code, depth+1)
		return callNode{c.Site, to.u}, err
	case machine.Mark:
		return seqNode{}, nil
	}
	return nil, fmt.Errorf("mutate: %T is not code", c)
}

func (b *builder) instr(in isa.Instr) *stepNode {
	if n := b.cache[in]; n != nil {
		return n
	}
	r := b.recorder()
	n := &stepNode{in: in, err: b.t.step(r, in)}
	b.finish(r, n)
	b.cache[in] = n
	return n
}

func (b *builder) cond(k isa.Cond) *stepNode {
	if n := b.cache[k]; n != nil {
		return n
	}
	r := b.recorder()
	t, err := b.t.condTerm(r, k)
	n := &stepNode{err: err}
	if err == nil {
		n.value, n.err = r.c.term(t)
	}
	b.finish(r, n)
	b.cache[k] = n
	return n
}

func (b *builder) finish(r *recorder, n *stepNode) {
	n.steps, n.s = r.c.steps, r.c.slots()
}

// idempotent tells that to execute an instruction twice is the same as once, because it changes nothing that it needs.
func (b *builder) idempotent(in isa.Instr) bool {
	r := b.recorder()
	if err := b.t.step(r, in); err != nil || r.stores > 0 && r.loads > 0 {
		return false
	}
	return !slices.ContainsFunc(r.reads, func(n isa.Reg) bool { return slices.Contains(r.writes, n) }) &&
		!slices.ContainsFunc(r.readFlags, func(f isa.Flag) bool { return slices.Contains(r.writeFlags, f) })
}

// recorder is a CPU on which an instruction is run once: values are variables, and what it does becomes steps on the
// state of a vm.
type recorder struct {
	m     *vm
	u     *unit
	c     *compiler
	regs  map[isa.Reg]logic.Term
	flags map[isa.Flag]logic.Term
	named map[logic.Term]int // variables that stand for slots
	loads int

	// what the instruction needs and changes
	reads, writes         []isa.Reg
	readFlags, writeFlags []isa.Flag
	stores                int
}

func (b *builder) recorder() *recorder {
	r := &recorder{m: b.m, u: b.u, c: newCompiler(), regs: map[isa.Reg]logic.Term{}, flags: map[isa.Flag]logic.Term{}, named: map[logic.Term]int{}}
	r.c.variable = func(v logic.Term) (int, error) {
		i, ok := r.named[v]
		if !ok {
			return 0, fmt.Errorf("%s is no variable of the instruction", v.Name())
		}
		return i, nil
	}
	return r
}

// variable is a term whose value get gives when the instruction is executed. Variables are permanent, so there is a
// fixed set of names.
func (r *recorder) variable(name string, bits int, get func(s *slots) (word, error)) logic.Term {
	v := logic.Var("mutate."+name, logic.BV(bits))
	i := r.c.slot(v.Sort())
	r.named[v] = i
	r.c.add(func(s *slots) error {
		x, err := get(s)
		s.w[i] = x
		return err
	})
	return v
}

// Reg implements isa.CPU.
func (r *recorder) Reg(n isa.Reg) (logic.Term, error) {
	if int(n) >= numRegs {
		return logic.Term{}, fmt.Errorf("there is no register %d", n)
	}
	if t, ok := r.regs[n]; ok {
		return t, nil
	}
	m := r.m
	r.reads = append(r.reads, n)
	r.regs[n] = r.variable(fmt.Sprintf("reg%d", n), n.Width(), func(*slots) (word, error) {
		if !m.regOK[n] {
			return word{}, fmt.Errorf("%s is undefined", r.u.prog.Target.RegName(n))
		}
		return m.regs[n], nil
	})
	return r.regs[n], nil
}

// SetReg implements isa.CPU.
func (r *recorder) SetReg(n isa.Reg, t logic.Term) error {
	if !slices.Contains(r.u.regs, n) {
		return fmt.Errorf("the code writes %s, which is reserved", r.u.prog.Target.RegName(n))
	}
	i, err := r.c.term(t)
	if err != nil {
		return err
	}
	r.regs[n] = t
	r.writes = append(r.writes, n)
	m := r.m
	r.c.add(func(s *slots) error { m.regs[n], m.regOK[n] = s.w[i], true; return nil })
	return nil
}

// Flag implements isa.CPU.
func (r *recorder) Flag(f isa.Flag) (logic.Term, error) {
	if int(f) >= len(r.u.target.flags) {
		return logic.Term{}, fmt.Errorf("there is no flag %d", f)
	}
	t, ok := r.flags[f]
	if ok && t.IsZero() {
		return t, fmt.Errorf("flag %s is undefined", r.u.target.flags[f])
	}
	if !ok {
		m := r.m
		r.readFlags = append(r.readFlags, f)
		t = r.variable(fmt.Sprintf("flag%d", f), 1, func(*slots) (word, error) {
			if !m.flagOK[f] {
				return word{}, fmt.Errorf("flag %s is undefined", r.u.target.flags[f])
			}
			return truth(m.flags[f]), nil
		})
		r.flags[f] = t
	}
	return t, nil
}

// SetFlag implements isa.CPU.
func (r *recorder) SetFlag(f isa.Flag, t logic.Term) error {
	if int(f) >= len(r.u.target.flags) {
		return fmt.Errorf("there is no flag %d", f)
	}
	r.flags[f] = t
	r.writeFlags = append(r.writeFlags, f)
	m := r.m
	if t.IsZero() {
		r.c.add(func(*slots) error { m.flagOK[f] = false; return nil })
		return nil
	}
	i, err := r.c.term(t)
	r.c.add(func(s *slots) error { m.flags[f], m.flagOK[f] = s.w[i].lo == 1, true; return nil })
	return err
}

// Load implements isa.CPU.
func (r *recorder) Load(addr logic.Term, n int) (logic.Term, error) {
	i, err := r.c.term(addr)
	if err != nil {
		return addr, err
	}
	if n < 1 || n > 16 {
		return addr, fmt.Errorf("a load of %d bytes", n)
	}
	m := r.m
	r.loads++
	return r.variable(fmt.Sprintf("load%d.%d", r.loads, n), 8*n, func(s *slots) (word, error) { return m.load(s.w[i].lo, n) }), nil
}

// Store implements isa.CPU.
func (r *recorder) Store(addr, v logic.Term) error {
	a, err := r.c.term(addr)
	if err != nil {
		return err
	}
	x, err := r.c.term(v)
	n := v.Width() / 8
	if err == nil && (n < 1 || n > 16 || v.Width() != 8*n) {
		err = fmt.Errorf("a store of %d bits", v.Width())
	}
	m := r.m
	r.stores++
	r.c.add(func(s *slots) error { return m.store(s.w[a].lo, s.w[x], n) })
	return err
}

// Arg implements isa.CPU.
func (r *recorder) Arg(name string) (logic.Term, error) {
	m := r.m
	known := slices.ContainsFunc(r.u.prog.Contract.Params(), func(p machine.Param) bool { return p.Name == name })
	if !known || r.u.prog.Contract.Internal() {
		return logic.Term{}, fmt.Errorf("there is no argument %q", name)
	}
	return r.variable("arg", 64, func(*slots) (word, error) { return word{lo: m.args[name]}, nil }), nil
}

// SetResult implements isa.CPU.
func (r *recorder) SetResult(name string, v logic.Term) error {
	if name == "" || r.u.result != name || r.u.prog.Contract.Internal() {
		return fmt.Errorf("there is no result %q", name)
	}
	i, err := r.c.term(v)
	m := r.m
	r.c.add(func(s *slots) error { m.result, m.resOK = s.w[i].lo, true; return nil })
	return err
}

// Table implements isa.CPU.
func (r *recorder) Table(name string) (logic.Term, error) {
	if !slices.ContainsFunc(r.u.prog.Tables, func(t machine.Table) bool { return t.Name == name }) {
		return logic.Term{}, fmt.Errorf("there is no table %q", name)
	}
	m := r.m
	return r.variable("table", 64, func(*slots) (word, error) { return word{lo: m.tables[name]}, nil }), nil
}

// RequirePublic implements isa.CPU: traces show what depends on secrets.
func (r *recorder) RequirePublic(logic.Term) error { return nil }

// ---- running

func (m *vm) event(e machine.Event) {
	h := e.Addr ^ uint64(e.Width)<<56
	if e.Store {
		h ^= 1 << 55
	}
	if e.Branch {
		h = 1 << 54
		if e.Taken {
			h = 3 << 53
		}
	}
	m.trace = (m.trace ^ h) * 0x9e3779b97f4a7c15
	m.trace ^= m.trace >> 29
	if m.record {
		m.events = append(m.events, e)
	}
}

func (m *vm) find(a uint64, n int) (*segment, int, error) {
	for _, s := range m.segs {
		if o := a - s.base; a >= s.base && o <= uint64(len(s.data)) && uint64(n) <= uint64(len(s.data))-o {
			return s, int(o), nil
		}
	}
	return nil, 0, fmt.Errorf("%d bytes at %#x are outside all regions", n, a)
}

func (m *vm) load(a uint64, n int) (word, error) {
	m.event(machine.Event{Addr: a, Width: n})
	s, o, err := m.find(a, n)
	if err != nil {
		return word{}, err
	}
	for i, ok := range s.defined[o : o+n] {
		if !ok {
			return word{}, fmt.Errorf("%s[%d] is uninitialised", s.name, o+i)
		}
	}
	var b [16]byte
	copy(b[:], s.data[o:o+n])
	return word{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}, nil
}

func (m *vm) store(a uint64, v word, n int) error {
	m.event(machine.Event{Addr: a, Width: n, Store: true})
	s, o, err := m.find(a, n)
	if err != nil {
		return err
	}
	if !s.writable {
		return fmt.Errorf("a store to %s, which is read-only", s.name)
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], v.lo)
	binary.LittleEndian.PutUint64(b[8:], v.hi)
	copy(s.data[o:o+n], b[:])
	for i := o; i < o+n; i++ {
		s.defined[i] = true
	}
	return nil
}

func (m *vm) step(n *stepNode) error {
	if m.steps++; m.steps > maxSteps {
		return errEndless
	}
	err := n.err
	if err == nil {
		err = n.s.run(n.steps)
	}
	if err != nil && n.in != nil {
		return fmt.Errorf("%T%+v: %w", n.in, n.in, err)
	}
	return err
}

func (m *vm) holds(n *stepNode) (bool, error) {
	if err := m.step(n); err != nil {
		return false, fmt.Errorf("condition: %w", err)
	}
	taken := n.s.w[n.value].lo == 1
	m.event(machine.Event{Branch: true, Taken: taken})
	return taken, nil
}

func (m *vm) run(n node) error {
	switch n := n.(type) {
	case blockNode:
		for _, x := range n {
			if err := m.step(x); err != nil {
				return err
			}
		}
	case seqNode:
		for _, x := range n {
			if err := m.run(x); err != nil {
				return err
			}
		}
	case ifNode:
		taken, err := m.holds(n.cond)
		switch {
		case err != nil:
			return err
		case taken:
			return m.run(n.yes)
		case n.other != nil:
			return m.run(n.other)
		}
	case loopNode:
		for {
			if err := m.run(n.body); err != nil {
				return err
			}
			if again, err := m.holds(n.cond); err != nil || !again {
				return err
			}
		}
	case callNode:
		if err := m.call(n.to); err != nil {
			return fmt.Errorf("call %s: %w", n.site, err)
		}
	}
	return nil
}

// enter gives a unit its tables and its frame, below that of its caller.
func (m *vm) enter(u *unit) {
	m.tables = map[string]uint64{}
	for i, t := range u.prog.Tables {
		base := firstRegion + uint64(1000*(m.depth+1)+i)*regionStride
		m.segs = append(m.segs, &segment{name: t.Name, base: base, data: t.Data, defined: slices.Repeat([]bool{true}, len(t.Data))})
		m.tables[t.Name] = base
	}
	base := stackTop - uint64(m.depth+1)*0x1000
	m.segs = append(m.segs, &segment{name: machine.FrameRegion, base: base, data: make([]byte, u.prog.Frame), defined: make([]bool, u.prog.Frame), writable: true})
	m.regs[u.sp], m.regOK[u.sp] = word{lo: base - uint64(u.delta)}, true
}

// keep returns the values of the registers that a routine preserves; those without a value get one.
func (m *vm) keep(u *unit) (kept []word) {
	for _, r := range u.prog.Preserves {
		if !m.regOK[r] {
			m.regs[r], m.regOK[r] = word{lo: uint64(r)*0x0101_0101_0101_0101 + 1}, true
		}
		kept = append(kept, m.regs[r])
	}
	return kept
}

func (m *vm) kept(u *unit, kept []word) error {
	for i, r := range u.prog.Preserves {
		if m.regs[r] != kept[i] || !m.regOK[r] {
			return fmt.Errorf("%s is not preserved", u.prog.Target.RegName(r))
		}
	}
	return nil
}

// call runs a routine. What it does not preserve is undefined afterwards, as in machine.
func (m *vm) call(u *unit) error {
	regs, regOK, segs, tables := m.regs, m.regOK, len(m.segs), m.tables
	kept := m.keep(u)
	m.depth++
	m.enter(u)
	m.flagOK = [numFlags]bool{}
	err := m.run(u.code)
	m.depth--
	m.segs, m.tables = m.segs[:segs], tables
	if err == nil {
		err = m.kept(u, kept)
	}
	if err != nil {
		return err
	}
	for _, r := range u.regs {
		switch {
		case slices.Contains(u.prog.Preserves, r):
			m.regOK[r] = regOK[r]
		case u.result == "" || r != u.paramRegs[0]:
			m.regOK[r] = false
		}
	}
	m.regs[u.sp] = regs[u.sp]
	m.flagOK = [numFlags]bool{}
	return nil
}

// Addresses, of the first layout those of machine.Run. There are two layouts, because addresses are public: what a
// function does may depend on nothing else.
const (
	firstRegion  = 0x4000_0008
	regionStride = 4 << 20
	stackTop     = 0x7fff_ffff_0000
)

// regionBase is the address of the region of parameter i: in the first layout far apart, in the second not aligned and
// up to the end of the address space.
func regionBase(layout, i, size int) uint64 {
	if layout == 0 {
		return firstRegion + uint64(i)*regionStride
	}
	return -uint64(i)*regionStride - uint64(size)
}
