package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Input is an initial state for Run.
type Input struct {
	Aliased []string          // the alias pattern, nil for none
	Mem     map[string][]byte // contents of the input regions; of coinciding ones, one is enough
	Args    map[string]uint64 // by-value arguments
}

// Output is what a concrete run leaves.
type Output struct {
	Mem    map[string][]byte // final contents of the parameters' regions and of the frame; undefined bytes are 0
	Result uint64
	Trace  []Event
	Steps  int
}

// Event is one thing that timing shows: a branch, or an access.
type Event struct {
	Branch, Taken bool
	Addr          uint64
	Width         int
	Store         bool
}

// Run executes a program on constants, with the same instruction semantics as the symbolic run. What is undefined in
// the model is refused when it is read, accesses outside all regions are refused, but nothing is proved.
func Run(p Program, in Input) (Output, error) {
	v := &verified{axioms: map[string]bool{}}
	if err := v.init(p); err != nil {
		return Output{}, fmt.Errorf("%s (%v): %w", p.Contract.Name(), p.Target, err)
	}
	return v.run(in)
}

// Run executes a verified function on constants.
func (v Verified) Run(in Input) (Output, error) {
	if v.v == nil {
		return Output{}, errors.New("machine: the zero Verified does not run")
	}
	return v.v.run(in)
}

// segment is a piece of concrete memory.
type segment struct {
	name     string
	base     uint64
	data     []byte
	defined  []bool
	writable bool
}

// Concrete addresses: regions far apart, frames below one another.
const (
	firstRegion  = 0x4000_0008
	regionStride = 4 * contract.MaxBytes
	stackTop     = 0x7fff_ffff_0000
	garbage      = 0xa5 // what an output or scratch region whose contents are an Int holds before
)

// conc is a concrete run. Its state holds constants; memory is in segments.
type conc struct {
	core
	segs  []*segment
	where map[string]*segment // regions and frame of the function that is run
	depth int                 // of calls
	out   Output
}

func (v *verified) run(in Input) (Output, error) {
	c, err := newConc(&v.prog, in)
	if err == nil {
		err = c.run(v.prog.Code)
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return Output{}, fmt.Errorf("%s (%v) run on constants: %w", v.name(), v.prog.Target, err)
	}
	return c.out, nil
}

func newConc(p *Program, in Input) (*conc, error) {
	c := &conc{core: core{t: p.Target.ops(), st: &state{}}, where: map[string]*segment{}}
	c.enter(p)
	c.where[FrameRegion] = c.segs[len(c.segs)-1]
	var shared *segment // of the parameters that coincide
	for i, q := range p.Contract.Params() {
		if q.Value {
			c.value[q.Name] = logic.BVUint(64, in.Args[q.Name])
			continue
		}
		coincides := slices.Contains(in.Aliased, q.Name)
		s := shared
		if !coincides || s == nil {
			size := q.Bytes
			if q.Len != "" {
				n := in.Args[q.Len]
				if n > contract.MaxBytes/8 {
					return nil, fmt.Errorf("%s: %d elements are too many", q.Name, n)
				}
				size = q.Elem * int(n)
			}
			s = &segment{name: q.Name, base: firstRegion + uint64(i)*regionStride, data: make([]byte, size), defined: make([]bool, size)}
			if q.IsInt() {
				s.fill(slices.Repeat([]byte{garbage}, size))
			}
			c.segs = append(c.segs, s)
		}
		if coincides {
			shared = s
		}
		c.where[q.Name], c.value[q.Name] = s, logic.BVUint(64, s.base)
		s.writable = s.writable || q.Mode != contract.ModeIn
		if b, given := in.Mem[q.Name]; q.Mode.Reads() && (given || !coincides) {
			if len(b) != len(s.data) {
				return nil, fmt.Errorf("%s gets %d bytes, not %d", q.Name, len(b), len(s.data))
			}
			s.fill(b)
		}
	}
	c.setParams()
	for _, r := range p.Preserves {
		if c.st.regs[r].IsZero() {
			c.st.regs[r] = anything(r)
		}
	}
	return c, nil
}

func (s *segment) fill(b []byte) {
	copy(s.data, b)
	for i := range s.defined {
		s.defined[i] = true
	}
}

// anything is what a register that the caller did not define holds.
func anything(r isa.Reg) logic.Term {
	return logic.BVUint(r.Width(), uint64(r)*0x0101_0101_0101_0101+1)
}

// enter gives the function its tables and its frame.
func (c *conc) enter(p *Program) {
	c.p, c.value = p, map[string]logic.Term{}
	for i, t := range p.Tables {
		s := &segment{name: t.Name, base: firstRegion + uint64(1000*(c.depth+1)+i)*regionStride, data: t.Data, defined: slices.Repeat([]bool{true}, len(t.Data))}
		c.segs, c.value[t.Name] = append(c.segs, s), logic.BVUint(64, s.base)
	}
	base := stackTop - uint64(c.depth+1)*0x1000
	c.segs = append(c.segs, &segment{name: FrameRegion, base: base, data: make([]byte, p.Frame), defined: make([]bool, p.Frame), writable: true})
	c.st.regs[c.t.sp] = logic.BVUint(64, base-uint64(c.t.frameDelta))
}

func (c *conc) finish() error {
	c.out.Mem = map[string][]byte{}
	for name, s := range c.where {
		c.out.Mem[name] = slices.Clone(s.data)
	}
	if res, _ := c.p.Contract.Result(); res != "" {
		v, ok := c.returned().Const()
		if !ok {
			return fmt.Errorf("the result %s has no value", res)
		}
		c.out.Result = v.Uint64()
	}
	return nil
}

func (c *conc) run(code Code) error {
	switch code := code.(type) {
	case Block:
		for _, in := range code {
			if err := c.step(); err != nil {
				return err
			}
			if err := c.t.step(c, in); err != nil {
				return fmt.Errorf("%s: %w", instrString(in), err)
			}
		}
	case Seq:
		for _, x := range code {
			if err := c.run(x); err != nil {
				return err
			}
		}
	case If:
		taken, err := c.cond(code.Cond)
		if err != nil {
			return err
		}
		if taken {
			return c.run(code.Then)
		}
		return c.run(code.Else)
	case Loop:
		for {
			if err := c.run(code.Body); err != nil {
				return err
			}
			if again, err := c.cond(code.While); err != nil || !again {
				return err
			}
		}
	case Call:
		return c.call(code)
	case Mark:
	default:
		return fmt.Errorf("%T is not code", code)
	}
	return nil
}

func (c *conc) step() error {
	if c.out.Steps++; c.out.Steps > maxSteps {
		return errors.New("the run is too long")
	}
	return nil
}

// cond evaluates a condition, which counts as a step.
func (c *conc) cond(k isa.Cond) (bool, error) {
	t, err := c.t.condTerm(c, k)
	if err == nil && t != logic.True() && t != logic.False() {
		err = errors.New("no value")
	}
	if err != nil {
		return false, fmt.Errorf("condition %s: %w", condString(k), err)
	}
	c.out.Trace = append(c.out.Trace, Event{Branch: true, Taken: t == logic.True()})
	return t == logic.True(), c.step()
}

// call runs a routine in the same memory, with a frame of its own. What the symbolic run takes for undefined after a
// call is undefined here, too.
func (c *conc) call(call Call) error {
	v, before := call.To.v, *c
	caller := *c.st
	kept := map[isa.Reg]logic.Term{}
	for _, r := range v.prog.Preserves {
		if c.st.regs[r].IsZero() {
			c.st.regs[r] = anything(r)
		}
		kept[r] = c.st.regs[r]
	}
	c.depth++
	c.enter(&v.prog)
	for i, q := range v.prog.Contract.Params() {
		r, _ := c.t.paramReg(i)
		c.value[q.Name] = c.st.regs[r]
	}
	c.st.flags = [numFlags]logic.Term{}
	if err := c.run(v.prog.Code); err != nil {
		return fmt.Errorf("call %s: %w", call.Site, err)
	}
	for r, want := range kept {
		if c.st.regs[r] != want {
			return fmt.Errorf("call %s: %s is not preserved", call.Site, c.t.regName(r))
		}
	}
	result := c.returned()

	c.p, c.value, c.segs, c.depth = before.p, before.value, before.segs, before.depth
	c.st.flags = [numFlags]logic.Term{}
	for _, r := range c.t.regs {
		c.st.regs[r] = logic.Term{}
	}
	for r := range kept {
		c.st.regs[r] = caller.regs[r]
	}
	if name, _ := v.prog.Contract.Result(); name != "" {
		r, _ := c.t.paramReg(0)
		c.st.regs[r] = result
	}
	c.st.regs[c.t.sp] = caller.regs[c.t.sp]
	return nil
}

// ---- the rest of isa.CPU

// access finds the n bytes at an address.
func (c *conc) access(addr logic.Term, n int, store bool) (*segment, int, error) {
	v, ok := addr.Const()
	if !ok || addr.Sort() != logic.BV(64) {
		return nil, 0, fmt.Errorf("%s is no address", side(addr))
	}
	a := v.Uint64()
	c.out.Trace = append(c.out.Trace, Event{Addr: a, Width: n, Store: store})
	for _, s := range c.segs {
		if size := uint64(len(s.data)); n > 0 && a >= s.base && uint64(n) <= size && a-s.base <= size-uint64(n) {
			return s, int(a - s.base), nil
		}
	}
	return nil, 0, fmt.Errorf("%d bytes at %#x are outside", n, a)
}

func (c *conc) Load(addr logic.Term, n int) (logic.Term, error) {
	s, o, err := c.access(addr, n, false)
	if err != nil {
		return logic.Term{}, err
	}
	if i := slices.Index(s.defined[o:o+n], false); i >= 0 {
		return logic.Term{}, fmt.Errorf("%s[%d] is uninitialised", s.name, o+i)
	}
	return constBytes(s.data[o : o+n]), nil
}

func (c *conc) Store(addr, v logic.Term) error {
	x, ok := v.Const()
	w := v.Sort().Width()
	if !ok || w < 8 || w%8 != 0 {
		return fmt.Errorf("a store of %s", side(v))
	}
	s, o, err := c.access(addr, w/8, true)
	if err != nil {
		return err
	}
	if !s.writable {
		return fmt.Errorf("store: %s is read-only", s.name)
	}
	b := s.data[o : o+w/8]
	x.FillBytes(b)
	slices.Reverse(b)
	for i := range b {
		s.defined[o+i] = true
	}
	return nil
}

func (c *conc) RequirePublic(logic.Term) error { return nil }

// constBytes is the little-endian constant.
func constBytes(b []byte) logic.Term {
	if len(b) == 8 {
		return logic.BVUint(64, binary.LittleEndian.Uint64(b))
	}
	be := slices.Clone(b)
	slices.Reverse(be)
	return logic.BVConst(8*len(b), new(big.Int).SetBytes(be))
}
