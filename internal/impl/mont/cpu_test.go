package mont

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// cpu runs a routine on constants and stops at its marks. Unlike machine.Run it needs no contract check and shows the
// registers at marks; like it, it refuses to read what is undefined.
type cpu struct {
	target  machine.Target
	regs    [64]logic.Term
	flags   [4]logic.Term
	regions []*region
	byName  map[string]*region
	result  uint64
	steps   int
	mark    func(name string) error
}

type region struct {
	base     uint64
	data     []byte
	defined  []bool
	writable bool
}

// newCPU lays out memory. Inputs have their contents; a parameter in alias shares the region of the others there.
func newCPU(t machine.Target, r Routine, params []contract.Param, alias []string, in map[string][]byte) *cpu {
	c := &cpu{target: t, byName: map[string]*region{}, mark: func(string) error { return nil }}
	base := uint64(0x10000)
	place := func(n int) *region {
		x := &region{base: base, data: make([]byte, n), defined: make([]bool, n)}
		base += uint64(n+0xfff) &^ 0xfff
		c.regions = append(c.regions, x)
		return x
	}
	var shared *region
	for _, p := range params {
		var x *region
		switch {
		case !slices.Contains(alias, p.Name):
			x = place(p.Bytes)
		case shared == nil:
			shared = place(p.Bytes)
			fallthrough
		default:
			x = shared
		}
		x.writable = x.writable || p.Mode != contract.ModeIn
		if p.Mode.Reads() {
			copy(x.data, in[p.Name])
			for i := range x.defined {
				x.defined[i] = true
			}
		}
		c.byName[p.Name] = x
	}
	for _, tab := range r.Tables {
		x := place(len(tab.Data))
		copy(x.data, tab.Data)
		for i := range x.defined {
			x.defined[i] = true
		}
		c.byName["table "+tab.Name] = x
	}
	return c
}

func (c *cpu) run(code machine.Code) error {
	switch code := code.(type) {
	case machine.Seq:
		for _, x := range code {
			if err := c.run(x); err != nil {
				return err
			}
		}
	case machine.Block:
		step := amd64.Step
		if c.target == machine.ARM64 {
			step = arm64.Step
		}
		for i, in := range code {
			c.steps++
			if err := step(c, in); err != nil {
				return fmt.Errorf("instruction %d, %T%+v: %w", i, in, in, err)
			}
		}
	case machine.Mark:
		if err := c.mark(code.Name); err != nil {
			return fmt.Errorf("mark %s: %w", code.Name, err)
		}
	case machine.Loop:
		cond := amd64.CondTerm
		if c.target == machine.ARM64 {
			cond = arm64.CondTerm
		}
		for range code.Unroll {
			if err := c.run(code.Body); err != nil {
				return err
			}
			c.steps++
			again, err := cond(c, code.While)
			if err != nil || again == logic.False() {
				return err
			}
		}
		return fmt.Errorf("loop %s does not end", code.Name)
	default:
		return fmt.Errorf("%T", code)
	}
	return nil
}

func (c *cpu) Reg(r isa.Reg) (logic.Term, error) {
	if int(r) >= len(c.regs) || c.regs[r].IsZero() {
		return logic.Term{}, fmt.Errorf("register %s is undefined", c.target.RegName(r))
	}
	return c.regs[r], nil
}

func (c *cpu) SetReg(r isa.Reg, v logic.Term) error {
	if !slices.Contains(c.target.Regs(), r) {
		return fmt.Errorf("register %s is reserved", c.target.RegName(r))
	}
	c.regs[r] = v
	return nil
}

func (c *cpu) Flag(f isa.Flag) (logic.Term, error) {
	if c.flags[f].IsZero() {
		return logic.Term{}, fmt.Errorf("flag %d is undefined", f)
	}
	return c.flags[f], nil
}

func (c *cpu) SetFlag(f isa.Flag, v logic.Term) error { c.flags[f] = v; return nil }

func value(t logic.Term) uint64 {
	v, ok := t.Const()
	if !ok || !v.IsUint64() {
		panic(fmt.Sprintf("%v is not a constant", t))
	}
	return v.Uint64()
}

func (c *cpu) access(addr logic.Term, n int) (*region, int, error) {
	a := value(addr)
	for _, r := range c.regions {
		if a >= r.base && a+uint64(n) <= r.base+uint64(len(r.data)) {
			return r, int(a - r.base), nil
		}
	}
	return nil, 0, fmt.Errorf("%d bytes at %#x are outside", n, a)
}

func (c *cpu) Load(addr logic.Term, n int) (logic.Term, error) {
	r, o, err := c.access(addr, n)
	if err != nil || n != 8 {
		return logic.Term{}, fmt.Errorf("load of %d bytes: %v", n, err)
	}
	if slices.Contains(r.defined[o:o+8], false) {
		return logic.Term{}, fmt.Errorf("memory is undefined")
	}
	return logic.BVUint(64, binary.LittleEndian.Uint64(r.data[o:])), nil
}

func (c *cpu) Store(addr, v logic.Term) error {
	r, o, err := c.access(addr, 8)
	if err != nil {
		return err
	}
	if !r.writable || v.Sort() != logic.BV(64) {
		return fmt.Errorf("store to a region that is read-only, or of another width")
	}
	binary.LittleEndian.PutUint64(r.data[o:], value(v))
	for i := range 8 {
		r.defined[o+i] = true
	}
	return nil
}

func (c *cpu) Arg(name string) (logic.Term, error) {
	r, ok := c.byName[name]
	if !ok {
		return logic.Term{}, fmt.Errorf("no argument %s", name)
	}
	return logic.BVUint(64, r.base), nil
}

func (c *cpu) Table(name string) (logic.Term, error) { return c.Arg("table " + name) }

func (c *cpu) SetResult(name string, v logic.Term) error {
	if name != "ok" {
		return fmt.Errorf("no result %s", name)
	}
	c.result = value(v)
	return nil
}

func (c *cpu) RequirePublic(logic.Term) error { return nil }

// number is the value of words at a mark.
func (c *cpu) number(ls []machine.Loc) (*big.Int, error) {
	v := new(big.Int)
	for i, l := range ls {
		if l.Region != "" {
			return nil, fmt.Errorf("%v is not a register", l)
		}
		t, err := c.Reg(l.Reg)
		if err != nil {
			return nil, err
		}
		w := new(big.Int).SetUint64(value(t))
		v.Add(v, w.Lsh(w, uint(64*i)))
	}
	return v, nil
}

func fromLE(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func toLE(v *big.Int, n int) []byte {
	b := v.FillBytes(make([]byte, n))
	slices.Reverse(b)
	return b
}
