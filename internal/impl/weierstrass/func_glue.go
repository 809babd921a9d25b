package weierstrass

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Glue: the few operations on words that functions need besides calls. Registers are those of regs; LoadReg and StoreReg
// keep them.

// regs are registers that no pointer is in, for values between two calls.
func (b *Builder) regs() []isa.Reg {
	if b.target == machine.ARM64 {
		return []isa.Reg{arm64.R9, arm64.R10, arm64.R11, arm64.R12, arm64.R13, arm64.R14,
			arm64.R15, arm64.R16, arm64.R17, arm64.R19, arm64.R20, arm64.R21}
	}
	return []isa.Reg{amd64.R11, amd64.AX, amd64.CX, amd64.DX, amd64.BX, amd64.SI, amd64.DI,
		amd64.R8, amd64.R9, amd64.R12, amd64.R13, amd64.R15}
}

// emit adds the instruction for the target.
func (b *Builder) emit(arm, amd isa.Instr) {
	if b.target == machine.ARM64 {
		b.Emit(arm)
	} else {
		b.Emit(amd)
	}
}

// move is d = s.
func (b *Builder) move(d, s isa.Reg) { b.emit(arm64.MOV(d, s), amd64.MOV{D: d, S: s}) }

// loadByte is d = the byte at p.
func (b *Builder) loadByte(d isa.Reg, p Ptr) {
	n, off := b.place(p)
	b.emit(arm64.LDRB{T: d, N: n, Offset: off}, amd64.MOVBZXM{D: d, M: amd64.Mem{Base: n, Disp: int32(off)}})
}

// storeByte stores the low byte of s at p.
func (b *Builder) storeByte(p Ptr, s isa.Reg) {
	n, off := b.place(p)
	b.emit(arm64.STRB{T: s, N: n, Offset: off}, amd64.MOVBMR{M: amd64.Mem{Base: n, Disp: int32(off)}, S: s})
}

// andImm is d &= c, for a constant c that both targets have, as 1, 2, 4 and 63.
func (b *Builder) andImm(d isa.Reg, c int32) {
	b.emit(arm64.ANDImm{D: d, N: d, Imm: uint64(c)}, amd64.ANDI{D: d, Imm: c})
}

// advance is d += c for an address and a small c; flags stay.
func (b *Builder) advance(d isa.Reg, c int) {
	b.emit(arm64.ADDImm{D: d, N: d, Imm: uint64(c)}, amd64.LEA{D: d, M: amd64.Mem{Base: d, Disp: int32(c)}})
}

// advanceBy is d += s for an address.
func (b *Builder) advanceBy(d, s isa.Reg) {
	b.emit(arm64.ADD{D: d, N: d, M: s}, amd64.LEA{D: d, M: amd64.Mem{Base: d, Index: s, Scale: 1}})
}

// subImm is d −= c, for a small c.
func (b *Builder) subImm(d isa.Reg, c int32) {
	b.emit(arm64.SUBImm{D: d, N: d, Imm: uint64(c)}, amd64.SUBI{D: d, Imm: c})
}

// sub is d −= s.
func (b *Builder) sub(d, s isa.Reg) { b.emit(arm64.SUB{D: d, N: d, M: s}, amd64.SUB{D: d, S: s}) }

// xor is d ^= s.
func (b *Builder) xor(d, s isa.Reg) { b.emit(arm64.EOR{D: d, N: d, M: s}, amd64.XOR{D: d, S: s}) }

// not is d = ^d.
func (b *Builder) not(d isa.Reg) { b.emit(arm64.ORN{D: d, N: arm64.ZR, M: d}, amd64.NOT{D: d}) }

// shr is d >>= k, unsigned.
func (b *Builder) shr(d isa.Reg, k int) {
	b.emit(arm64.LSR{D: d, N: d, Amount: uint8(k)}, amd64.SHR{D: d, N: uint8(k)})
}

// sar is d >>= k, signed.
func (b *Builder) sar(d isa.Reg, k int) {
	b.emit(arm64.ASR{D: d, N: d, Amount: uint8(k)}, amd64.SAR{D: d, N: uint8(k)})
}

// shlWords shifts the number in the registers left by k, 0 < k < 64; the least significant word is the first. zero is
// another register, which becomes 0: proofs see through double shifts, which they read as extracts, better than through
// shifts to the left.
func (b *Builder) shlWords(ws []isa.Reg, k int, zero isa.Reg) {
	b.Const(zero, 0)
	for i := len(ws) - 1; i >= 0; i-- {
		low := zero
		if i > 0 {
			low = ws[i-1]
		}
		b.emit(arm64.EXTR{D: ws[i], N: ws[i], M: low, Amount: uint8(64 - k)}, amd64.SHLD{D: ws[i], S: low, N: uint8(k)})
	}
}

// shrWords shifts the number in the registers right by k, 0 < k < 64.
func (b *Builder) shrWords(ws []isa.Reg, k int) {
	top := len(ws) - 1
	for i := range top {
		b.emit(arm64.EXTR{D: ws[i], N: ws[i+1], M: ws[i], Amount: uint8(k)}, amd64.SHRD{D: ws[i], S: ws[i+1], N: uint8(k)})
	}
	b.shr(ws[top], k)
}

// addWords adds constants to the words in the registers; c is a register for the constants.
func (b *Builder) addWords(ws []isa.Reg, cs []uint64, c isa.Reg) {
	for i, d := range ws {
		b.Const(c, cs[i])
		if i == 0 {
			b.emit(arm64.ADDS{D: d, N: d, M: c}, amd64.ADD{D: d, S: c})
		} else {
			b.emit(arm64.ADCS{D: d, N: d, M: c}, amd64.ADC{D: d, S: c})
		}
	}
}

// loadWords and storeWords move as many words as there are registers.
func (b *Builder) loadWords(ws []isa.Reg, p Ptr) {
	for i, r := range ws {
		b.LoadReg(r, p.At(8*i))
	}
}

func (b *Builder) storeWords(p Ptr, ws []isa.Reg) {
	for i, r := range ws {
		b.StoreReg(p.At(8*i), r)
	}
}
