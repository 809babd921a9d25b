package machine

import (
	"errors"
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// core is the part of isa.CPU that the symbolic and the concrete run share: registers, flags, arguments, tables.
type core struct {
	p     *Program // the function under execution
	t     *target
	st    *state
	value map[string]logic.Term // of by-value arguments; addresses of regions and tables
}

func (c *core) Reg(r isa.Reg) (logic.Term, error) {
	if r >= isa.NumRegs {
		return logic.Term{}, fmt.Errorf("there is no register %d", r)
	}
	if c.st.regs[r].IsZero() {
		return logic.Term{}, fmt.Errorf("%s is undefined here", c.t.regName(r))
	}
	return c.st.regs[r], nil
}

func (c *core) SetReg(r isa.Reg, v logic.Term) error {
	if !slices.Contains(c.t.regs, r) {
		return fmt.Errorf("the code writes %s, which is reserved", c.t.regName(r))
	}
	if err := wellFormed(v, logic.BV(r.Width())); err != nil {
		return fmt.Errorf("%s: %w", c.t.regName(r), err)
	}
	c.st.regs[r] = v
	return nil
}

func (c *core) Flag(f isa.Flag) (logic.Term, error) {
	if int(f) >= len(c.t.flags) {
		return logic.Term{}, fmt.Errorf("there is no flag %d", f)
	}
	if c.st.flags[f].IsZero() {
		return logic.Term{}, fmt.Errorf("flag %s is undefined here", c.t.flags[f])
	}
	return c.st.flags[f], nil
}

func (c *core) SetFlag(f isa.Flag, v logic.Term) error {
	if int(f) >= len(c.t.flags) {
		return fmt.Errorf("there is no flag %d", f)
	}
	if !v.IsZero() {
		if err := wellFormed(v, logic.BV(1)); err != nil {
			return fmt.Errorf("flag %s: %w", c.t.flags[f], err)
		}
	}
	c.st.flags[f] = v
	return nil
}

func (c *core) Arg(name string) (logic.Term, error) {
	if c.p.Contract.Internal() {
		return logic.Term{}, errors.New("a routine has its arguments in registers")
	}
	if !slices.ContainsFunc(c.p.Contract.Params(), func(q Param) bool { return q.Name == name }) {
		return logic.Term{}, fmt.Errorf("there is no parameter %q", name)
	}
	return c.value[name], nil
}

func (c *core) SetResult(name string, v logic.Term) error {
	if res, _ := c.p.Contract.Result(); c.p.Contract.Internal() || name == "" || res != name {
		return fmt.Errorf("there is no result %q on the stack", name)
	}
	if err := wellFormed(v, logic.BV(64)); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	c.st.result = v
	return nil
}

func (c *core) Table(name string) (logic.Term, error) {
	if !slices.ContainsFunc(c.p.Tables, func(t Table) bool { return t.Name == name }) {
		return logic.Term{}, fmt.Errorf("there is no table %q", name)
	}
	return c.value[name], nil
}

// returned is the result, on Go's stack or in the register of a routine.
func (c *core) returned() logic.Term {
	if c.p.Contract.Internal() {
		r, _ := c.t.paramReg(0)
		return c.st.regs[r]
	}
	return c.st.result
}

// setParams puts a routine's arguments in their registers.
func (c *core) setParams() {
	if c.p.Contract.Internal() {
		for i, q := range c.p.Contract.Params() {
			r, _ := c.t.paramReg(i)
			c.st.regs[r] = c.value[q.Name]
		}
	}
}

func wellFormed(v logic.Term, s logic.Sort) error {
	if err := v.Err(); err != nil {
		return err
	}
	if v.Sort() != s {
		return fmt.Errorf("%s is of sort %v, not %v", side(v), v.Sort(), s)
	}
	return nil
}

// cpu is the symbolic isa.CPU.
type cpu struct{ *exec }

// operand checks a value that an instruction reads.
func (c cpu) operand(v logic.Term, err error) (logic.Term, error) {
	if err == nil && c.pubOnly {
		err = c.RequirePublic(v)
	}
	return v, err
}

func (c cpu) Reg(r isa.Reg) (logic.Term, error) { return c.operand(c.core.Reg(r)) }

func (c cpu) Flag(f isa.Flag) (logic.Term, error) { return c.operand(c.core.Flag(f)) }

func (c cpu) Load(addr logic.Term, n int) (logic.Term, error) { return c.operand(c.load(addr, n)) }

func (c cpu) Store(addr, v logic.Term) error { return c.store(addr, v) }

func (c cpu) RequirePublic(v logic.Term) error {
	return c.requirePublic(v, "operand of an instruction whose timing depends on it")
}
