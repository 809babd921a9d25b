// Package amd64 is the model of the 64-bit x86 instructions that Verum's code may use: which instructions
// there are, what each does to a machine state, how it is written for Go's assembler and which bytes that makes.
//
// The package is trusted. Semantics follow Intel's Software Developer's Manual (SDM); Describe cites the page of each
// form. Every form is executed on a real CPU and compared with Step, and the bytes of Encode are compared with those
// of Go's assembler and read back by LLVM's disassembler (see the tests).
//
// The flags of the model are CF, ZF, SF and OF. AF and PF are not in the model: no form and no condition reads them.
// A flag that the manual calls undefined after an instruction becomes poison.
//
// Vector registers: X0 to X15 hold 128 bits. With the CPU feature AVX each is the low half of a register of 256 bits,
// which an operand of a 256-bit form names by its low half; the upper half is a register of its own in the model (see
// Upper). As in the manual (SDM vol. 1 §14.1.3), forms with a VEX prefix and 128-bit operands clear the upper half of
// what they write, older forms leave it alone. No form of the model faults on a misaligned address.
//
// Reserved registers: SP may only be the base of a memory operand (LEA's included), BP may not be named at all: Go's
// assembler saves it in the prologue of a function with a frame and the caller owns it elsewhere. R14 and R15 are
// ordinary registers in ABI0 code: its Go callers reload what they keep there.
package amd64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
)

// Reg names a register. The zero Reg is none, so that a forgotten operand is an error.
type Reg = isa.Reg

// The registers. A register's hardware number is its Reg minus one.
const (
	AX Reg = iota + 1
	CX
	DX
	BX
	SP
	BP
	SI
	DI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

var regNames = [...]string{
	AX: "AX", CX: "CX", DX: "DX", BX: "BX", SP: "SP", BP: "BP", SI: "SI", DI: "DI",
	R8: "R8", R9: "R9", R10: "R10", R11: "R11", R12: "R12", R13: "R13", R14: "R14", R15: "R15",
}

// The vector registers. A register's hardware number is its Reg minus X0.
const (
	X0 Reg = isa.FirstVector + iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
)

// Upper is the upper half of the 256-bit register whose low half is x. No operand names it.
func Upper(x Reg) Reg { return x + 16 }

// RegName is the name of r in Go's assembler, or "?" if r is no register.
func RegName(r Reg) string {
	switch {
	case vector(r):
		return fmt.Sprintf("X%d", r-X0)
	case r >= Upper(X0) && r <= Upper(X15):
		return fmt.Sprintf("Y%d[255:128]", r-Upper(X0))
	case r == 0 || int(r) >= len(regNames):
		return "?"
	}
	return regNames[r]
}

// vector reports whether r may be a vector operand.
func vector(r Reg) bool { return X0 <= r && r <= X15 }

// general reports whether r may be an operand: every register but SP and BP.
func general(r Reg) bool { return AX <= r && r <= R15 && r != SP && r != BP }

// Regs lists the general registers that code may use, in numeric order.
func Regs() []Reg {
	return []Reg{AX, CX, DX, BX, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15}
}

// VectorRegs lists the vector registers, upper halves after low ones.
func VectorRegs() []Reg {
	var rs []Reg
	for x := X0; x <= X15; x++ {
		rs = append(rs, x)
	}
	return append(rs, UpperRegs()...)
}

// UpperRegs lists the upper halves of the vector registers.
func UpperRegs() []Reg {
	var rs []Reg
	for x := X0; x <= X15; x++ {
		rs = append(rs, Upper(x))
	}
	return rs
}

// ParamReg is the register that holds parameter i of an internal routine, as in the System V ABI.
func ParamReg(i int) (Reg, bool) {
	params := [...]Reg{DI, SI, DX, CX, R8, R9}
	if i < 0 || i >= len(params) {
		return 0, false
	}
	return params[i], true
}

// FrameBase says where the local frame starts: at reg+delta.
func FrameBase() (reg Reg, delta int) { return SP, 0 }

// The flags of the model.
const (
	CF isa.Flag = iota // carry, borrow
	ZF                 // zero
	SF                 // sign
	OF                 // signed overflow
)

// FlagNames lists the names of the flags, indexed by isa.Flag.
func FlagNames() []string { return []string{CF: "CF", ZF: "ZF", SF: "SF", OF: "OF"} }
