// Package arm64 is the model of the AArch64 instructions that verified code may use: one struct type per
// instruction form, its meaning (Step), its operand rules and manual section (Describe), its Plan 9 spelling (Print)
// and its bytes (Encode), and what Go's assembler adds at the entry and exit of a function.
//
// The reference is the Arm Architecture Reference Manual for A-profile, DDI 0487. Every form works on 64-bit
// registers, except the byte and word loads and stores, or on whole vector registers. What is not listed here does not exist for the prover:
// all functions of this package return an error for any other type.
package arm64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
)

// Reg is a general or vector register.
type Reg = isa.Reg

// The general registers. R18 (platform), R27 (scratch of Go's assembler), R28 (g), R29 (frame pointer) and
// R30 (link register) are reserved: no instruction may name them.
//
// The encoding 31 means the stack pointer in some operand positions and zero in others. Here they are two
// registers: SP is part of the machine state; ZR is not, it reads as zero and ignores writes.
const (
	R0 Reg = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	R16
	R17
	R18
	R19
	R20
	R21
	R22
	R23
	R24
	R25
	R26
	R27
	R28
	R29
	R30
	SP
	ZR Reg = isa.NumRegs
)

// The vector registers, of 128 bits. Go's calling convention for assembly functions preserves none of them.
const (
	V0 Reg = isa.FirstVector + iota
	V1
	V2
	V3
	V4
	V5
	V6
	V7
	V8
	V9
	V10
	V11
	V12
	V13
	V14
	V15
	V16
	V17
	V18
	V19
	V20
	V21
	V22
	V23
	V24
	V25
	V26
	V27
	V28
	V29
	V30
	V31
)

// The condition flags, PSTATE.{N,Z,C,V}.
const (
	FlagN isa.Flag = iota // negative: bit 63 of the result
	FlagZ                 // zero
	FlagC                 // carry out; after a subtraction 1 means no borrow
	FlagV                 // signed overflow
)

// FlagNames returns the names of the flags, indexed by flag.
func FlagNames() []string { return []string{"N", "Z", "C", "V"} }

// Regs returns the general registers that code may use freely: R0–R17 and R19–R26.
func Regs() []Reg {
	var rs []Reg
	for r := R0; r <= R30; r++ {
		if allocatable(r) {
			rs = append(rs, r)
		}
	}
	return rs
}

func allocatable(r Reg) bool { return r <= R26 && r != R18 }

// VectorRegs returns V0–V31.
func VectorRegs() []Reg {
	var rs []Reg
	for r := V0; r <= V31; r++ {
		rs = append(rs, r)
	}
	return rs
}

// RegName returns the name of r in Go's assembler.
func RegName(r Reg) string {
	switch {
	case r == ZR:
		return "ZR"
	case V0 <= r && r <= V31:
		return fmt.Sprintf("V%d", r-V0)
	case r == SP:
		return "RSP"
	case r == R18:
		return "R18_PLATFORM"
	case r == R28:
		return "g"
	case r <= R30:
		return fmt.Sprintf("R%d", r)
	}
	return fmt.Sprintf("Reg(%d)", uint8(r))
}

// ParamReg returns the register that holds the i-th parameter, counted from 0, of an internal routine.
func ParamReg(i int) (Reg, bool) {
	if i < 0 || i > 7 {
		return 0, false
	}
	return R0 + Reg(i), true
}

// FrameBase says where the local frame begins: delta bytes above reg. The word below it holds the saved R30.
func FrameBase() (reg Reg, delta int) { return SP, 8 }
