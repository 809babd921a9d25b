package mutate

import "verum.example/internal/tcb/isa"

// fields gives access to the operands of one instruction, of which it is a copy: pointers to those that can be
// changed, and the instruction with the values that they have.
type fields struct {
	get     func() isa.Instr
	regs    []*isa.Reg
	imms    []integer
	offsets []integer // of memory operands
	choices []choice
	params  []*string // names of arguments
	tables  []*string
}

// form is the fields of the instruction *i, which has these register operands.
func form[T isa.Instr](i *T, regs ...*isa.Reg) *fields {
	return &fields{get: func() isa.Instr { return *i }, regs: regs}
}

// integer is a constant operand.
type integer struct {
	get  func() int64
	set  func(int64)
	bits int
}

type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int
}

func integerOf[T number](p *T, bits int) integer {
	return integer{func() int64 { return int64(*p) }, func(v int64) { *p = T(v) }, bits}
}

// choice is an operand that has one of a few values. To change it is a mutation of the given kind.
type choice struct {
	kind Kind
	integer
	values []int64
}

func choiceOf[T number](k Kind, p *T, values ...T) choice {
	c := choice{kind: k, integer: integerOf(p, 0)}
	for _, v := range values {
		c.values = append(c.values, int64(v))
	}
	return c
}

func (f *fields) imm(i ...integer) *fields {
	f.imms = append(f.imms, i...)
	return f
}

func (f *fields) offset(i integer) *fields {
	f.offsets = append(f.offsets, i)
	return f
}

func (f *fields) choice(c choice) *fields {
	f.choices = append(f.choices, c)
	return f
}

func (f *fields) param(name *string) *fields {
	f.params = append(f.params, name)
	return f
}

func (f *fields) table(name *string) *fields {
	f.tables = append(f.tables, name)
	return f
}

// variants emits the instruction with one operand changed, or two registers exchanged. more are registers that operands
// may name, besides those that code may write.
func (f *fields) variants(c *context, more []isa.Reg, emit func(Kind, ...isa.Instr)) {
	for i, p := range f.regs {
		old := *p
		for _, rs := range [][]isa.Reg{more, c.regs} {
			for _, r := range rs {
				*p = r
				emit(Operand, f.get())
			}
		}
		*p = old
		for _, q := range f.regs[:i] {
			*p, *q = *q, *p
			emit(OperandOrder, f.get())
			*p, *q = *q, *p
		}
	}
	try := func(k Kind, x integer, values ...int64) {
		old := x.get()
		for _, v := range values {
			x.set(v)
			emit(k, f.get())
		}
		x.set(old)
	}
	for _, x := range f.imms {
		old := x.get()
		vs := []int64{old + 1, old - 1}
		for b := range x.bits {
			vs = append(vs, old^1<<b)
		}
		try(Immediate, x, vs...)
	}
	for _, x := range f.offsets {
		old := x.get()
		try(Offset, x, old+8, old-8, old+16, old-16, old+1, old-1, old+4, old-4, old+1<<9, 0)
	}
	for _, x := range f.choices {
		try(x.kind, x.integer, x.values...)
	}
	name := func(ps []*string, names []string) {
		for _, p := range ps {
			old := *p
			for _, n := range names {
				*p = n
				emit(Operand, f.get())
			}
			*p = old
		}
	}
	name(f.params, c.params)
	name(f.tables, c.tables)
}
