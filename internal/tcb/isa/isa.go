// Package isa holds the vocabulary that an instruction-set model and the symbolic executor share: what an
// instruction may do to a machine state, and what a finished function looks like to a printer or an encoder.
//
// The package decides nothing. tcb/machine accepts only the instruction types that tcb/arm64 and tcb/amd64 list,
// so a type declared elsewhere that satisfies Instr or Cond is refused by the executor.
package isa

import "verum.example/internal/tcb/logic"

// Reg numbers a register within one target: general registers, of 64 bits, are 0–31, vector registers, of 128 bits,
// 32–63. A wider vector register is two of these: its low half, and a register of its own for the upper half.
type Reg uint8

// NumRegs bounds the register numbers of every target, FirstVector is the first vector register.
const (
	NumRegs     = 64
	FirstVector = 32
)

// Width is the number of bits of a register.
func (r Reg) Width() int {
	if r >= FirstVector && r < NumRegs {
		return 128
	}
	return 64
}

// Flag numbers a condition flag within one target.
type Flag uint8

// Instr is one instruction: a struct value of tcb/arm64 or tcb/amd64 with just the fields that its form has.
type Instr interface{ Instruction() }

// Cond is the condition of an If or a Loop, a struct value of tcb/arm64 or tcb/amd64.
type Cond interface{ Condition() }

// Timing says why an instruction is in the model.
type Timing uint8

const (
	// DataIndependent: on Arm's DIT list or Intel's DOIT list.
	DataIndependent Timing = iota + 1
	// PublicOnly: timing may depend on operands, which must therefore be public (see CPU.RequirePublic).
	PublicOnly
)

// Info describes an instruction form.
type Info struct {
	Form     string   // name of the form, unique within the target: "ADDS (shifted register)"
	Manual   string   // section of the vendor manual
	Features []string // CPU features beyond the target's baseline, in golang.org/x/sys/cpu spelling: "BMI2"
	Timing   Timing
}

// CPU is a machine state as instruction semantics see it. All values are bit-vector terms. Reading something
// undefined (poison), an access outside the granted regions, a secret address: each is an error, which the
// semantics pass on.
type CPU interface {
	// Reg reads a register, BV(r.Width()).
	Reg(r Reg) (logic.Term, error)
	// SetReg writes a register.
	SetReg(r Reg, v logic.Term) error
	// Flag reads a flag, BV(1).
	Flag(f Flag) (logic.Term, error)
	// SetFlag writes a flag, BV(1); the zero Term makes it undefined.
	SetFlag(f Flag, v logic.Term) error
	// Load reads n bytes, little-endian, at addr, BV(64). The result is BV(8n).
	Load(addr logic.Term, n int) (logic.Term, error)
	// Store writes the BV(8n) value v at addr, little-endian.
	Store(addr logic.Term, v logic.Term) error
	// Arg reads the Go argument (ABI0) of that name: a pointer or a uint64, BV(64).
	Arg(name string) (logic.Term, error)
	// SetResult writes the Go result of that name, BV(64).
	SetResult(name string, v logic.Term) error
	// Table is the address of a constant table of the function, BV(64).
	Table(name string) (logic.Term, error)
	// RequirePublic fails unless v is public; PublicOnly forms call it on each operand.
	RequirePublic(v logic.Term) error
}

// Line is one line of a lowered function: exactly one field is set.
type Line struct {
	Label  string  // defines a label
	Instr  Instr   // an instruction
	Branch *Branch // a conditional or unconditional branch to a label
	Call   string  // call of an internal routine: its symbol, without package and <>
	Return bool    // return, epilogue included
}

// Branch jumps to Label when Cond holds, always when Cond is nil.
type Branch struct {
	Cond  Cond
	Label string
}

// Arg is an argument or result of a Go function under ABI0; each is 8 bytes.
type Arg struct {
	Name   string
	Offset int // from FP
	Result bool
}

// Function is a lowered function, ready to print and to encode.
type Function struct {
	Name    string // Go name; for a routine the bare symbol
	Local   bool   // an internal routine, printed name<>
	Args    []Arg
	ArgSize int // bytes of arguments and results
	Frame   int // bytes of local frame, a multiple of 16 on arm64, of 8 on amd64
	Lines   []Line
	Calls   bool // has Call lines
}

// RelocKind says how the linker patches a place in a function's code.
type RelocKind uint8

const (
	RelocCall  RelocKind = iota + 1 // amd64 CALL rel32 (4 bytes), arm64 BL imm26 (4 bytes)
	RelocTable                      // amd64 LEA rel32 (4 bytes), arm64 ADRP+ADD (8 bytes)
)

// Reloc is a place that the linker patches: Size bytes at Offset refer to Symbol.
type Reloc struct {
	Kind   RelocKind
	Offset int
	Size   int
	Symbol string
}
