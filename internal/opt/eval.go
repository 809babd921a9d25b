package opt

import (
	"errors"
	"fmt"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Values is what a program computes.
type Values struct {
	// V has the term of each value; the zero Term for one that no instruction defines any more (see Prog.Clean).
	V []logic.Term
	// Made differs from V for leaves: it has what their instruction made of its operands. See Prog.EvalLeaves.
	Made []logic.Term
	// Out has the terms of the words stored.
	Out map[Mem]logic.Term
}

// Of are the terms of several values.
func (x *Values) Of(vs []V) []logic.Term {
	ts := make([]logic.Term, len(vs))
	for i, v := range vs {
		ts[i] = x.Get(v)
	}
	return ts
}

// Get is the term of a value.
func (x *Values) Get(v V) logic.Term {
	if v == Zero {
		return logic.BVUint(64, 0)
	}
	return x.V[v]
}

// Eval runs the program in source order with the target's Step. input gives the contents, BV(64), of memory at the
// start. Finished code, run by the same Step on the same inputs, leaves the same terms in memory.
func (p *Prog) Eval(input func(m Mem) logic.Term) (*Values, error) {
	return p.EvalLeaves(input, func(V) logic.Term { return logic.Term{} })
}

// EvalLeaves is Eval, but where leaf gives a term for a value, that term takes the value's place in all that is computed
// from it. With variables for the results of blocks, the terms of each block speak of its operands only; to put back what
// was made of them (Values.Made), block by block from the last one, gives the terms of Eval.
func (p *Prog) EvalLeaves(input func(m Mem) logic.Term, leaf func(v V) logic.Term) (*Values, error) {
	x := &Values{V: make([]logic.Term, p.numV), Made: make([]logic.Term, p.numV), Out: map[Mem]logic.Term{}}
	for v, o := range p.origin {
		if o.input {
			x.V[v] = input(o.mem)
		} else {
			x.V[v] = logic.BVUint(64, o.word)
		}
		x.Made[v] = x.V[v]
	}
	res := make([][numRes]logic.Term, len(p.Ins))
	for i := range p.Ins {
		in := &p.Ins[i]
		if in.store() {
			x.Out[in.Mem] = x.Get(in.S[0])
			continue
		}
		c := &ssaCPU{t: p.Target}
		d, s := c.operands(x, in)
		for r, u := range in.Use {
			if u >= 0 {
				c.res[r] = res[u][r]
			}
		}
		for _, instr := range in.Form.Emit(d, s) {
			if err := p.Target.Step(c, instr); err != nil {
				return nil, fmt.Errorf("opt: instruction %d, %s: %w", i, in.Form.Name, err)
			}
		}
		for k, v := range in.D {
			if x.Made[v] = c.regs[d[k]]; x.Made[v].IsZero() {
				return nil, fmt.Errorf("opt: instruction %d, %s, does not define its result %d", i, in.Form.Name, k)
			}
			if x.V[v] = leaf(v); x.V[v].IsZero() {
				x.V[v] = x.Made[v]
			}
		}
		for r := range res[i] {
			if in.Form.Defs&(1<<r) != 0 {
				res[i][r] = c.res[r]
			}
		}
	}
	return x, nil
}

// resource finds the resource that is register r.
func (t *Target) resource(r isa.Reg) (int, bool) {
	for k, x := range t.Res {
		if x.IsReg && x.Reg == r {
			return k, true
		}
	}
	return 0, false
}

// ssaCPU is the state as one instruction of a program sees it.
type ssaCPU struct {
	t    *Target
	regs [128]logic.Term
	res  [numRes]logic.Term
}

// operands gives the operands of an instruction registers with the right contents.
func (c *ssaCPU) operands(x *Values, in *Ins) (d, s []isa.Reg) {
	n := 0
	next := func() isa.Reg { n++; return c.t.Regs[n-1] }
	for _, v := range in.S {
		if v == Zero && c.t.HasZero {
			s = append(s, c.t.ZeroReg)
			continue
		}
		r := next()
		c.regs[r] = x.Get(v)
		s = append(s, r)
	}
	for k := range in.D {
		if k == 0 && in.Form.Tied {
			d = append(d, s[0])
			continue
		}
		d = append(d, next())
	}
	if in.Form.NoResult {
		d = append(d, s[0])
	}
	return d, s
}

func (c *ssaCPU) Reg(r isa.Reg) (logic.Term, error) {
	t := c.regs[r]
	if k, ok := c.t.resource(r); ok {
		t = c.res[k]
	}
	if t.IsZero() {
		return t, fmt.Errorf("%s is undefined", c.t.RegName(r))
	}
	return t, nil
}

func (c *ssaCPU) SetReg(r isa.Reg, v logic.Term) error {
	if k, ok := c.t.resource(r); ok {
		c.res[k] = v
		return nil
	}
	c.regs[r] = v
	return nil
}

func (c *ssaCPU) Flag(f isa.Flag) (logic.Term, error) {
	for k, x := range c.t.Res {
		if !x.IsReg && x.Flag == f && !c.res[k].IsZero() {
			return c.res[k], nil
		}
	}
	return logic.Term{}, fmt.Errorf("flag %d is undefined", f)
}

func (c *ssaCPU) SetFlag(f isa.Flag, v logic.Term) error {
	for k, x := range c.t.Res {
		if !x.IsReg && x.Flag == f {
			c.res[k] = v
		}
	}
	return nil
}

var errNoMemory = errors.New("an instruction of a program has no memory operand")

func (c *ssaCPU) Load(logic.Term, int) (logic.Term, error) { return logic.Term{}, errNoMemory }
func (c *ssaCPU) Store(_, _ logic.Term) error              { return errNoMemory }
func (c *ssaCPU) Arg(string) (logic.Term, error)           { return logic.Term{}, errNoMemory }
func (c *ssaCPU) SetResult(string, logic.Term) error       { return errNoMemory }
func (c *ssaCPU) Table(string) (logic.Term, error)         { return logic.Term{}, errNoMemory }
func (c *ssaCPU) RequirePublic(logic.Term) error           { return nil }

// Run executes finished code on terms, with the target's Step. mem has the words of each parameter's memory; it is
// changed. Parameters for which same gives a number share the memory of the parameter of that number. Contents of the
// spill area that no instruction wrote are undefined.
func (c *Code) Run(mem map[Mem]logic.Term, same map[int]int) error {
	x := &codeCPU{t: c.Prog.Target, mem: mem, params: len(c.Prog.Params)}
	for i := range c.Prog.Params {
		r, ok := x.t.Param(i)
		if !ok {
			return fmt.Errorf("opt: there is no parameter %d", i)
		}
		base := i
		if s, ok := same[i]; ok {
			base = s
		}
		x.regs[r] = logic.BVUint(64, uint64(base+1)*regionStride)
	}
	for i, in := range c.Instrs() {
		if err := x.t.Step(x, in); err != nil {
			return fmt.Errorf("opt: instruction %d, %T%+v: %w", i, in, in, err)
		}
	}
	return nil
}

// regionStride is the distance of the parameters' regions in Code.Run.
const regionStride = 1 << 20

// codeCPU is a machine of registers, flags and words of memory at constant addresses.
type codeCPU struct {
	t      *Target
	params int
	regs   [128]logic.Term
	flags  [8]logic.Term
	mem    map[Mem]logic.Term
}

func (c *codeCPU) Reg(r isa.Reg) (logic.Term, error) {
	if c.regs[r].IsZero() {
		return logic.Term{}, fmt.Errorf("%s is undefined", c.t.RegName(r))
	}
	return c.regs[r], nil
}

func (c *codeCPU) SetReg(r isa.Reg, v logic.Term) error { c.regs[r] = v; return nil }

func (c *codeCPU) Flag(f isa.Flag) (logic.Term, error) {
	if c.flags[f].IsZero() {
		return logic.Term{}, fmt.Errorf("flag %d is undefined", f)
	}
	return c.flags[f], nil
}

func (c *codeCPU) SetFlag(f isa.Flag, v logic.Term) error { c.flags[f] = v; return nil }

func (c *codeCPU) place(addr logic.Term, n int) (Mem, error) {
	a, ok := addr.Const()
	if !ok || n != 8 {
		return Mem{}, fmt.Errorf("access of %d bytes at %v", n, addr)
	}
	v := a.Int64()
	m := Mem{int(v/regionStride) - 1, int(v % regionStride)}
	if m.Param < 0 || m.Param >= c.params || m.Off%8 != 0 {
		return Mem{}, fmt.Errorf("access at %#x", v)
	}
	return m, nil
}

func (c *codeCPU) Load(addr logic.Term, n int) (logic.Term, error) {
	m, err := c.place(addr, n)
	if err == nil && c.mem[m].IsZero() {
		err = fmt.Errorf("word %v is undefined", m)
	}
	return c.mem[m], err
}

func (c *codeCPU) Store(addr, v logic.Term) error {
	m, err := c.place(addr, 8)
	if err == nil {
		c.mem[m] = v
	}
	return err
}

func (c *codeCPU) Arg(string) (logic.Term, error)     { return logic.Term{}, errNoMemory }
func (c *codeCPU) SetResult(string, logic.Term) error { return errNoMemory }
func (c *codeCPU) Table(string) (logic.Term, error)   { return logic.Term{}, errNoMemory }
func (c *codeCPU) RequirePublic(logic.Term) error     { return nil }
