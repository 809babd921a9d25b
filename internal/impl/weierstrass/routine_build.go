package weierstrass

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Ptr is an address: a constant offset from a region, which is a parameter, a table or the frame. The zero Ptr is none.
type Ptr struct {
	// Region is the region's name, as proofs know it.
	Region string
	// Off is the offset in bytes.
	Off  int
	kind ptrKind
}

type ptrKind uint8

const (
	noPtr    ptrKind = iota
	argPtr           // a parameter that is on Go's stack
	savedPtr         // a parameter that is kept in the frame
	tablePtr
	framePtr
)

// At is n bytes further.
func (p Ptr) At(n int) Ptr { p.Off += n; return p }

// Op is a field operation that Builder.Do has called: Dst = Name(Src…), all of them elements of Field, but conditions
// and masks, which are words. The machine.Mark with its name comes right after it.
type Op struct {
	Field *Field
	Name  string
	Dst   Ptr
	Src   []Ptr
}

// Builder writes a routine or a function that consists mainly of calls. What is called may destroy all registers; so
// pointers are loaded into registers for each call, from Go's stack or, in a routine, from the frame, where NewBuilder
// saves them.
type Builder struct {
	target   machine.Target
	variant  string
	contract machine.Contract
	frame    int            // bytes
	saved    map[string]int // offsets of parameters in the frame
	tables   []machine.Table
	seq      machine.Seq
	block    machine.Block
	ops      map[string]Op
	err      error

	counters []Ptr // of loops, by depth of nesting
	depth    int
}

// NewBuilder starts a routine, or a function that Go calls, as the contract says.
func NewBuilder(t machine.Target, variant string, c machine.Contract) *Builder {
	b := &Builder{target: t, variant: variant, contract: c, saved: map[string]int{}, ops: map[string]Op{}}
	if t != machine.ARM64 && t != machine.AMD64 {
		b.fail("there is no target %v", t)
		return b
	}
	if !c.Internal() {
		return b
	}
	for i, p := range c.Params() {
		b.saved[p.Name] = b.Local(8).Off
		b.StoreReg(b.Local0(b.saved[p.Name]), b.ParamReg(i))
	}
	return b
}

// fail keeps the first error.
func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// Target is the instruction set.
func (b *Builder) Target() machine.Target { return b.target }

// Variant is the CPU-feature variant.
func (b *Builder) Variant() string { return b.variant }

// ParamReg is the register of parameter i of a routine that is called.
func (b *Builder) ParamReg(i int) isa.Reg {
	r, ok := b.target.ParamReg(i)
	if !ok {
		b.fail("there is no register for parameter %d", i)
	}
	return r
}

// Param is where a pointer parameter points.
func (b *Builder) Param(name string) Ptr {
	for _, p := range b.contract.Params() {
		if p.Name == name && !p.Value {
			if b.contract.Internal() {
				return Ptr{Region: name, kind: savedPtr}
			}
			return Ptr{Region: name, kind: argPtr}
		}
	}
	b.fail("%s is no pointer parameter", name)
	return Ptr{}
}

// Table adds a table of words (a table of the same name must be the same) and says where it is.
func (b *Builder) Table(name string, words []uint64) Ptr {
	t := machine.Table{Name: name, Elem: 8}
	for _, w := range words {
		for i := range 8 {
			t.Data = append(t.Data, byte(w>>(8*i)))
		}
	}
	i := slices.IndexFunc(b.tables, func(u machine.Table) bool { return u.Name == name })
	switch {
	case i < 0:
		b.tables = append(b.tables, t)
	case !slices.Equal(b.tables[i].Data, t.Data):
		b.fail("two tables are called %s", name)
	}
	return Ptr{Region: name, kind: tablePtr}
}

// Words are the n words of v, the least significant first.
func Words(v *big.Int, n int) []uint64 {
	ws := make([]uint64, n)
	for i := range ws {
		w := new(big.Int).Rsh(v, uint(64*i))
		ws[i] = w.And(w, new(big.Int).SetUint64(1<<64-1)).Uint64()
	}
	return ws
}

// Local adds n bytes, a multiple of 8, to the frame. What is secret there must be zero in the end.
func (b *Builder) Local(n int) Ptr {
	if n < 0 || n%8 != 0 {
		b.fail("%d bytes in the frame", n)
	}
	b.frame += n
	return b.Local0(b.frame - n)
}

// Local0 is the frame at that offset.
func (b *Builder) Local0(off int) Ptr {
	return Ptr{Region: machine.FrameRegion, Off: off, kind: framePtr}
}

// frameBase is SP and where the frame is from there.
func (b *Builder) frameBase() (isa.Reg, int) {
	if b.target == machine.ARM64 {
		return arm64.FrameBase()
	}
	return amd64.FrameBase()
}

// Address puts the address p into register d. Flags stay.
func (b *Builder) Address(d isa.Reg, p Ptr) {
	sp, delta := b.frameBase()
	arm := b.target == machine.ARM64
	off := p.Off
	switch {
	case p.kind == framePtr && arm:
		b.Emit(arm64.ADDImm{D: d, N: sp, Imm: uint64(delta + off)})
		return
	case p.kind == framePtr:
		b.Emit(amd64.LEA{D: d, M: amd64.Mem{Base: sp, Disp: int32(delta + off)}})
		return
	case p.kind == argPtr && arm:
		b.Emit(arm64.LoadArg{D: d, Name: p.Region})
	case p.kind == argPtr:
		b.Emit(amd64.LoadArg{D: d, Name: p.Region})
	case p.kind == savedPtr && arm:
		b.Emit(arm64.LDR{T: d, N: sp, Offset: delta + b.saved[p.Region]})
	case p.kind == savedPtr:
		b.Emit(amd64.MOVM{D: d, M: amd64.Mem{Base: sp, Disp: int32(delta + b.saved[p.Region])}})
	case p.kind == tablePtr && arm:
		b.Emit(arm64.TableAddr{D: d, Name: p.Region})
	case p.kind == tablePtr:
		b.Emit(amd64.TableAddr{D: d, Name: p.Region})
	default:
		b.fail("the zero Ptr is used")
		return
	}
	switch {
	case off < 0 || off >= 1<<24:
		b.fail("offset %d from %s", off, p.Region)
	case off == 0:
	case !arm:
		b.Emit(amd64.LEA{D: d, M: amd64.Mem{Base: d, Disp: int32(off)}})
	default:
		if hi := off &^ 0xfff; hi != 0 {
			b.Emit(arm64.ADDImm{D: d, N: d, Imm: uint64(hi)})
		}
		if lo := off & 0xfff; lo != 0 {
			b.Emit(arm64.ADDImm{D: d, N: d, Imm: uint64(lo)})
		}
	}
}

// temps are two registers that are no parameter's.
func (b *Builder) temps() (addr, word isa.Reg) {
	if b.target == machine.ARM64 {
		return arm64.R8, arm64.R9
	}
	return amd64.R10, amd64.R11
}

// place is a register and an offset from it at which p is: SP for the frame, else the first temporary register.
func (b *Builder) place(p Ptr) (isa.Reg, int) {
	if p.kind == framePtr {
		sp, delta := b.frameBase()
		return sp, delta + p.Off
	}
	a, _ := b.temps()
	off := p.Off
	p.Off = 0
	if off > 4000 {
		p.Off, off = off, 0
	}
	b.Address(a, p)
	return a, off
}

// LoadReg loads the word at p. Besides d, it changes one register (R8 or R10).
func (b *Builder) LoadReg(d isa.Reg, p Ptr) {
	n, off := b.place(p)
	if b.target == machine.ARM64 {
		b.Emit(arm64.LDR{T: d, N: n, Offset: off})
	} else {
		b.Emit(amd64.MOVM{D: d, M: amd64.Mem{Base: n, Disp: int32(off)}})
	}
}

// StoreReg stores s at p. It changes one register (R8 or R10).
func (b *Builder) StoreReg(p Ptr, s isa.Reg) {
	n, off := b.place(p)
	if b.target == machine.ARM64 {
		b.Emit(arm64.STR{T: s, N: n, Offset: off})
	} else {
		b.Emit(amd64.MOVMR{M: amd64.Mem{Base: n, Disp: int32(off)}, S: s})
	}
}

// Return returns the value of a register: as the Go result of that name, or in a routine in ParamReg(0), which must
// then stay as it is.
func (b *Builder) Return(name string, s isa.Reg) {
	d := b.ParamReg(0)
	switch arm := b.target == machine.ARM64; {
	case !b.contract.Internal() && arm:
		b.Emit(arm64.StoreResult{S: s, Name: name})
	case !b.contract.Internal():
		b.Emit(amd64.StoreResult{S: s, Name: name})
	case s == d:
	case arm:
		b.Emit(arm64.MOV(d, s))
	default:
		b.Emit(amd64.MOV{D: d, S: s})
	}
}

// Const puts a constant into a register. Flags stay.
func (b *Builder) Const(d isa.Reg, v uint64) {
	if b.target == machine.AMD64 {
		b.Emit(amd64.MOVI{D: d, Imm: v})
		return
	}
	b.Emit(arm64.MOVZ{D: d, Imm: uint16(v)})
	for h := uint8(1); h < 4; h++ {
		if w := uint16(v >> (16 * h)); w != 0 {
			b.Emit(arm64.MOVK{D: d, Imm: w, Hw: h})
		}
	}
}

// Copy copies n bytes, a multiple of 8. It changes R8–R9, or R10–R11.
func (b *Builder) Copy(d, s Ptr, n int) {
	_, w := b.temps()
	for i := 0; i < n; i += 8 {
		b.LoadReg(w, s.At(i))
		b.StoreReg(d.At(i), w)
	}
}

// Zero clears n bytes, a multiple of 8.
func (b *Builder) Zero(d Ptr, n int) {
	_, w := b.temps()
	b.Const(w, 0)
	for i := 0; i < n; i += 8 {
		b.StoreReg(d.At(i), w)
	}
}

// Emit adds instructions.
func (b *Builder) Emit(is ...isa.Instr) { b.block = append(b.block, is...) }

// Append adds code.
func (b *Builder) Append(c machine.Code) {
	b.flush()
	b.seq = append(b.seq, c)
}

func (b *Builder) flush() {
	if len(b.block) > 0 {
		b.seq = append(b.seq, b.block)
		b.block = nil
	}
}

// Mark adds a mark.
func (b *Builder) Mark(name string) { b.Append(machine.Mark{Name: name}) }

// Call calls a routine with pointers. Site names the call.
func (b *Builder) Call(site string, v machine.Verified, args ...Ptr) {
	for i, p := range args {
		b.Address(b.ParamReg(i), p)
	}
	b.Append(machine.Call{Site: site, To: v})
}

// Body is the code that f adds, for a body of a loop or a branch.
func (b *Builder) Body(f func()) machine.Code {
	b.flush()
	outer := b.seq
	b.seq = nil
	f()
	b.flush()
	body := b.seq
	b.seq = outer
	return body
}

// Repeat adds a loop that runs the body n times, n ≥ 1. The counter, n, n−1, …, 1 in the body, is a word of the frame,
// which is returned; loops that are not nested share it. With unroll the executor runs through all iterations (see
// machine.Loop), else the proof needs an invariant.
func (b *Builder) Repeat(name string, n int, unroll bool, body func()) (counter Ptr) {
	if n < 1 {
		b.fail("loop %s of %d iterations", name, n)
	}
	if b.depth == len(b.counters) {
		b.counters = append(b.counters, b.Local(8))
	}
	counter = b.counters[b.depth]
	b.depth++
	defer func() { b.depth-- }()
	_, w := b.temps()
	b.Const(w, uint64(n))
	b.StoreReg(counter, w)
	l := machine.Loop{Name: name, While: arm64.NE}
	if unroll {
		l.Unroll = n
	}
	l.Body = b.Body(func() {
		body()
		b.LoadReg(w, counter)
		if b.target == machine.ARM64 {
			b.Emit(arm64.SUBSImm{D: w, N: w, Imm: 1})
		} else {
			b.Emit(amd64.SUBI{D: w, Imm: 1})
			l.While = amd64.NE
		}
		b.StoreReg(counter, w) // leaves the flags
	})
	b.Append(l)
	return counter
}

// Code is a program and the field operations in it, by the names of the marks after them.
type Code struct {
	Program machine.Program
	Ops     map[string]Op
}

// Finish gives the program.
func (b *Builder) Finish() (Code, error) {
	if b.err != nil {
		return Code{}, fmt.Errorf("impl/weierstrass: %s (%v %q): %w", b.contract.Name(), b.target, b.variant, b.err)
	}
	b.flush()
	p := machine.Program{Target: b.target, Variant: b.variant, Contract: b.contract, Tables: b.tables, Code: b.seq}
	p.Frame = b.frame
	if b.target == machine.ARM64 {
		p.Frame = (p.Frame + 15) &^ 15
	}
	switch b.variant {
	case "":
	case "bmi2":
		p.Features = []string{"BMI1", "BMI2", "AVX", "AVX2"} // those of the variant: routines that are called use them
	default:
		return Code{}, errors.New("impl/weierstrass: there is no variant " + b.variant)
	}
	return Code{p, b.ops}, nil
}
