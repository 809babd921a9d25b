package mutate

import (
	"fmt"
	"slices"
	"strings"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// listing is a program's code as the emitted function has it: instructions in order, numbered from 0.
type listing struct {
	prog   machine.Program
	target *target
	instrs []isa.Instr
	run    []int      // of each instruction: instructions of one run follow each other, with no branch or call between
	conds  []isa.Cond // of If and Loop, in order
	calls  []string   // sites, in order
}

// target is what mutation needs of an instruction set.
type target struct {
	describe     func(isa.Instr) (isa.Info, error)
	describeCond func(isa.Cond) (isa.Info, error)
	step         func(isa.CPU, isa.Instr) error
	condTerm     func(isa.CPU, isa.Cond) (logic.Term, error)
	print        func(isa.Function) (string, error)
	frameBase    func() (isa.Reg, int)
	flags        []string
	// variants emits changed forms of an instruction, conditions those of a branch condition.
	variants   func(i isa.Instr, c *context, emit func(Kind, ...isa.Instr))
	conditions func(k isa.Cond, c *context, emit func(isa.Cond))
	patterns   func(l *listing, emit func(Kind, ...change))
}

// context is what an instruction may refer to.
type context struct {
	regs           []isa.Reg
	params, tables []string
}

var targets = map[machine.Target]*target{
	machine.ARM64: {describe: arm64.Describe, describeCond: arm64.DescribeCond, step: arm64.Step, condTerm: arm64.CondTerm,
		print: arm64.Print, frameBase: arm64.FrameBase, flags: arm64.FlagNames(),
		variants: arm64Variants, conditions: arm64Conditions, patterns: arm64Patterns},
	machine.AMD64: {describe: amd64.Describe, describeCond: amd64.DescribeCond, step: amd64.Step, condTerm: amd64.CondTerm,
		print: amd64.Print, frameBase: amd64.FrameBase, flags: amd64.FlagNames(),
		variants: amd64Variants, conditions: amd64Conditions, patterns: amd64Patterns},
}

func newListing(p machine.Program) (*listing, error) {
	l := &listing{prog: p, target: targets[p.Target]}
	if l.target == nil {
		return nil, fmt.Errorf("mutate: no mutations for %v", p.Target)
	}
	runs := 0
	_, err := rewrite(p.Code, visitor{
		instr: func(in isa.Instr) []isa.Instr {
			l.instrs, l.run = append(l.instrs, in), append(l.run, runs)
			return nil
		},
		cond: func(k isa.Cond) isa.Cond { l.conds = append(l.conds, k); return k },
		call: func(c machine.Call) machine.Code { l.calls = append(l.calls, c.Site); return c },
		cut:  func() { runs++ },
	})
	return l, err
}

func (l *listing) context() *context {
	c := &context{regs: l.prog.Target.Regs()}
	for _, p := range l.prog.Contract.Params() {
		c.params = append(c.params, p.Name)
	}
	for _, t := range l.prog.Tables {
		c.tables = append(c.tables, t.Name)
	}
	return c
}

// valid tells that the instruction exists, with the CPU features that the program lists.
func (l *listing) valid(in isa.Instr) bool {
	info, err := l.target.describe(in)
	return err == nil && l.features(info)
}

func (l *listing) features(info isa.Info) bool {
	return !slices.ContainsFunc(info.Features, func(f string) bool { return !slices.Contains(l.prog.Features, f) })
}

// text spells an instruction as the assembly file does.
func (l *listing) text(in isa.Instr) string {
	f := isa.Function{Name: "f", Frame: l.prog.Frame, Lines: []isa.Line{{Instr: in}, {Return: true}}}
	if c := l.prog.Contract; !c.Internal() {
		for _, q := range c.Params() {
			f.Args = append(f.Args, isa.Arg{Name: q.Name, Offset: f.ArgSize})
			f.ArgSize += 8
		}
		if res, _ := c.Result(); res != "" {
			f.Args = append(f.Args, isa.Arg{Name: res, Offset: f.ArgSize, Result: true})
			f.ArgSize += 8
		}
	}
	s, err := l.target.print(f)
	if err != nil {
		return fmt.Sprintf("%T%+v", in, in)
	}
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) < 3 {
		return fmt.Sprintf("%T%+v", in, in)
	}
	return strings.Join(strings.Fields(strings.Join(lines[1:len(lines)-1], "; ")), " ")
}

func (l *listing) texts(ins []isa.Instr) string {
	if len(ins) == 0 {
		return "nothing"
	}
	var ts []string
	for _, in := range ins {
		ts = append(ts, l.text(in))
	}
	return strings.Join(ts, "; ")
}

// visitor says what becomes of the parts of a program's code. cut is called wherever instructions stop following each
// other.
type visitor struct {
	instr func(isa.Instr) []isa.Instr
	cond  func(isa.Cond) isa.Cond
	call  func(machine.Call) machine.Code
	cut   func()
}

// rewrite visits code in the order in which it is emitted and returns what the visitor makes of it.
func rewrite(c machine.Code, v visitor) (machine.Code, error) {
	switch c := c.(type) {
	case machine.Block:
		r := make(machine.Block, 0, len(c))
		for _, in := range c {
			r = append(r, v.instr(in)...)
		}
		return r, nil
	case machine.Seq:
		r := make(machine.Seq, len(c))
		for i := range c {
			var err error
			if r[i], err = rewrite(c[i], v); err != nil {
				return nil, err
			}
		}
		return r, nil
	case machine.If:
		c.Cond = v.cond(c.Cond)
		var err error
		v.cut()
		if c.Then, err = rewrite(c.Then, v); err != nil {
			return nil, err
		}
		v.cut()
		if c.Else != nil {
			if c.Else, err = rewrite(c.Else, v); err != nil {
				return nil, err
			}
		}
		v.cut()
		return c, nil
	case machine.Loop:
		var err error
		v.cut()
		if c.Body, err = rewrite(c.Body, v); err != nil {
			return nil, err
		}
		c.While = v.cond(c.While)
		v.cut()
		return c, nil
	case machine.Call:
		v.cut()
		return v.call(c), nil
	case machine.Mark:
		return c, nil
	}
	return nil, fmt.Errorf("mutate: %T is not code", c)
}

// change replaces one part of a listing; its kind says which fields count.
type change struct {
	part part
	at   int         // which instruction, condition, call or table
	to   []isa.Instr // of an instruction
	cond isa.Cond    // of a condition
	byte int         // of a table: the byte, and
	flip byte        // the bits of it
}

type part uint8

const (
	partInstr part = iota
	partCond
	partCall // it is removed
	partTable
)

// apply makes the changes.
func (l *listing) apply(cs []change) (machine.Program, error) {
	find := func(p part, at int) *change {
		i := slices.IndexFunc(cs, func(c change) bool { return c.part == p && c.at == at })
		if i < 0 {
			return nil
		}
		return &cs[i]
	}
	instr, cond, call := -1, -1, -1
	p := l.prog
	var err error
	p.Code, err = rewrite(p.Code, visitor{
		instr: func(in isa.Instr) []isa.Instr {
			instr++
			if c := find(partInstr, instr); c != nil {
				return c.to
			}
			return []isa.Instr{in}
		},
		cond: func(k isa.Cond) isa.Cond {
			cond++
			if c := find(partCond, cond); c != nil {
				return c.cond
			}
			return k
		},
		call: func(k machine.Call) machine.Code {
			call++
			if find(partCall, call) != nil {
				return machine.Seq{}
			}
			return k
		},
		cut: func() {},
	})
	p.Tables = slices.Clone(p.Tables)
	for i := range p.Tables {
		if c := find(partTable, i); c != nil {
			p.Tables[i].Data = slices.Clone(p.Tables[i].Data)
			p.Tables[i].Data[c.byte] ^= c.flip
		}
	}
	return p, err
}

// same tells that the changes leave everything as it was.
func (l *listing) same(cs []change) bool {
	for _, c := range cs {
		switch c.part {
		case partInstr:
			if len(c.to) != 1 || c.to[0] != l.instrs[c.at] {
				return false
			}
		case partCond:
			if c.cond != l.conds[c.at] {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// describe says what changes, and where.
func (l *listing) describe(cs []change) string {
	var ts []string
	for _, c := range cs {
		switch c.part {
		case partInstr:
			ts = append(ts, fmt.Sprintf("instruction %d of %d: %s → %s", c.at+1, len(l.instrs), l.text(l.instrs[c.at]), l.texts(c.to)))
		case partCond:
			ts = append(ts, fmt.Sprintf("branch %d of %d: %s → %s", c.at+1, len(l.conds), condText(l.conds[c.at]), condText(c.cond)))
		case partCall:
			ts = append(ts, fmt.Sprintf("call %s → nothing", l.calls[c.at]))
		case partTable:
			ts = append(ts, fmt.Sprintf("table %s: byte %d ^= %#02x", l.prog.Tables[c.at].Name, c.byte, c.flip))
		}
	}
	return strings.Join(ts, ", ")
}

func condText(k isa.Cond) string {
	if s, ok := k.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T%+v", k, k)
}
