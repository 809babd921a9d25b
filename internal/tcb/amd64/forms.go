package amd64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
)

// An encoding says how operands become bytes. The names are those of the SDM's "Op/En" columns; the register operands
// of an instruction are r[0], r[1], … in the order of its fields, and a memory operand takes the place of one of them.
type encoding uint8

const (
	encMR    encoding = iota // op /r: r/m is the first operand, reg the second
	encRM                    // op /r: reg is the first operand, r/m the second
	encM                     // op /digit: r/m is the operand
	encO                     // op+register
	encOI                    // op+register, imm32
	encMI                    // op /digit imm32: r/m is the operand
	encALU                   // arithmetic with an immediate: 83 /digit imm8, 05+8·digit imm32 (AX), or 81 /digit imm32
	encTEST                  // A9 imm32 (AX) or F7 /0 imm32
	encMOV                   // C7 /0 imm32, B8+register imm32 or B8+register imm64
	encShift                 // D1 /digit (by 1) or C1 /digit imm8
	encMRI                   // op /r imm8: r/m is the first operand, reg the second
	encRMI                   // 6B /r imm8 or 69 /r imm32: reg is the first operand, r/m the second
	encRVM                   // VEX op /r: reg is the first operand, vvvv the second, r/m the third
	encVRMI                  // VEX op /r imm8: reg is the first operand, r/m the second
	encRMB                   // op /r imm8: reg is the first operand, r/m the second
	encVRM                   // VEX op /r: reg is the first operand, r/m the second
	encVMR                   // VEX op /r: r/m, memory, is the first operand, reg the second
	encV                     // VEX op: no operands
	encTable                 // op /r: reg is the operand, r/m a place relative to the next instruction
)

// A VEX prefix's opcode map, implied prefix, W and L (SDM vol. 2A §2.3.5).
type vex struct{ mmmmm, pp, w, l byte }

var (
	vex0F38      = vex{2, 0, 1, 0} // VEX.LZ.0F38.W1
	vexF20F38    = vex{2, 3, 1, 0} // VEX.LZ.F2.0F38.W1
	vexF20F3A    = vex{3, 3, 1, 0} // VEX.LZ.F2.0F3A.W1
	vex128       = vex{1, 0, 0, 0} // VEX.128.0F.WIG
	vex128Word   = vex{1, 1, 1, 0} // VEX.128.66.0F.W1
	vex256       = vex{1, 1, 0, 1} // VEX.256.66.0F.WIG
	vex256Move   = vex{1, 2, 0, 1} // VEX.256.F3.0F.WIG
	vex256of0F38 = vex{2, 1, 0, 1} // VEX.256.66.0F38.W0 or WIG
)

// form is an instruction as the printer and the encoder see it: a line of the table in decode with its operands.
type form struct {
	intel   string // Intel's name of the form, unique: "ADD r64, m64"
	plan9   string // mnemonic of Go's assembler
	feature string // CPU feature beyond the baseline

	enc    encoding
	op     uint16 // opcode; 0x0Fxx stands for two bytes
	digit  byte   // opcode extension in ModRM.reg
	narrow bool   // without REX.W: 32-bit or 8-bit operands
	byteR  bool   // register operands are bytes
	prefix byte   // before REX, 0 for none
	vex    vex

	r     []Reg  // register operands
	vecs  int    // that many of them, the first, are vector registers
	ymm   int    // that many of 256 bits
	m     *Mem   // memory operand
	imm   *int64 // immediate operand
	shift bool   // imm is a shift count
	k     *Cond  // condition
	name  string // argument, result or table
	arg   argKind
}

// argKind says what name names.
type argKind uint8

const (
	noName argKind = iota
	paramName
	resultName
	tableName
)

func regs(r ...Reg) []Reg     { return r }
func imm(v int32) *int64      { w := int64(v); return &w }
func count(v uint8) *int64    { w := int64(v); return &w }
func value(v uint64) *int64   { w := int64(v); return &w }
func value32(v uint32) *int64 { w := int64(v); return &w }

// sse completes a form of two 128-bit registers, the destination first.
func sse(f form) form {
	f.enc, f.narrow, f.prefix, f.vecs = encRM, true, 0x66, 2
	return f
}

// avx2 completes a form of 256-bit registers: the destination and two sources, of which the second may be memory.
func avx2(f form) form {
	f.enc, f.feature, f.vecs, f.ymm = encRVM, "AVX2", len(f.r), len(f.r)
	return f
}

// decode maps each instruction type to its form. It does not check operands.
func decode(i isa.Instr) (form, error) {
	switch i := i.(type) {
	// Moves.
	case MOV:
		return form{intel: "MOV r64, r64", plan9: "MOVQ", enc: encMR, op: 0x89, r: regs(i.D, i.S)}, nil
	case MOVI:
		return form{intel: "MOV r64, imm64", plan9: "MOVQ", enc: encMOV, r: regs(i.D), imm: value(i.Imm)}, nil
	case MOVLI:
		return form{intel: "MOV r32, imm32", plan9: "MOVL", enc: encOI, op: 0xb8, narrow: true, r: regs(i.D), imm: value32(i.Imm)}, nil
	case MOVM:
		return form{intel: "MOV r64, m64", plan9: "MOVQ", enc: encRM, op: 0x8b, r: regs(i.D), m: &i.M}, nil
	case MOVMR:
		return form{intel: "MOV m64, r64", plan9: "MOVQ", enc: encMR, op: 0x89, r: regs(i.S), m: &i.M}, nil
	case MOVMI:
		return form{intel: "MOV m64, imm32", plan9: "MOVQ", enc: encMI, op: 0xc7, m: &i.M, imm: imm(i.Imm)}, nil
	case MOVLM:
		return form{intel: "MOV r32, m32", plan9: "MOVL", enc: encRM, op: 0x8b, narrow: true, r: regs(i.D), m: &i.M}, nil
	case MOVBMR:
		return form{intel: "MOV m8, r8", plan9: "MOVB", enc: encMR, op: 0x88, narrow: true, byteR: true, r: regs(i.S), m: &i.M}, nil
	case MOVBZX:
		return form{intel: "MOVZX r64, r8", plan9: "MOVBQZX", enc: encRM, op: 0x0fb6, r: regs(i.D, i.S)}, nil
	case MOVBZXM:
		return form{intel: "MOVZX r64, m8", plan9: "MOVBQZX", enc: encRM, op: 0x0fb6, r: regs(i.D), m: &i.M}, nil
	case LEA:
		return form{intel: "LEA r64, m", plan9: "LEAQ", enc: encRM, op: 0x8d, r: regs(i.D), m: &i.M}, nil
	case BSWAP:
		return form{intel: "BSWAP r64", plan9: "BSWAPQ", enc: encO, op: 0x0fc8, r: regs(i.D)}, nil

	// Addition and subtraction.
	case ADD:
		return form{intel: "ADD r64, r64", plan9: "ADDQ", enc: encMR, op: 0x01, r: regs(i.D, i.S)}, nil
	case ADDI:
		return form{intel: "ADD r64, imm32", plan9: "ADDQ", enc: encALU, digit: 0, r: regs(i.D), imm: imm(i.Imm)}, nil
	case ADDM:
		return form{intel: "ADD r64, m64", plan9: "ADDQ", enc: encRM, op: 0x03, r: regs(i.D), m: &i.M}, nil
	case ADDMR:
		return form{intel: "ADD m64, r64", plan9: "ADDQ", enc: encMR, op: 0x01, r: regs(i.S), m: &i.M}, nil
	case ADC:
		return form{intel: "ADC r64, r64", plan9: "ADCQ", enc: encMR, op: 0x11, r: regs(i.D, i.S)}, nil
	case ADCI:
		return form{intel: "ADC r64, imm32", plan9: "ADCQ", enc: encALU, digit: 2, r: regs(i.D), imm: imm(i.Imm)}, nil
	case ADCM:
		return form{intel: "ADC r64, m64", plan9: "ADCQ", enc: encRM, op: 0x13, r: regs(i.D), m: &i.M}, nil
	case ADCMR:
		return form{intel: "ADC m64, r64", plan9: "ADCQ", enc: encMR, op: 0x11, r: regs(i.S), m: &i.M}, nil
	case SUB:
		return form{intel: "SUB r64, r64", plan9: "SUBQ", enc: encMR, op: 0x29, r: regs(i.D, i.S)}, nil
	case SUBI:
		return form{intel: "SUB r64, imm32", plan9: "SUBQ", enc: encALU, digit: 5, r: regs(i.D), imm: imm(i.Imm)}, nil
	case SUBM:
		return form{intel: "SUB r64, m64", plan9: "SUBQ", enc: encRM, op: 0x2b, r: regs(i.D), m: &i.M}, nil
	case SUBMR:
		return form{intel: "SUB m64, r64", plan9: "SUBQ", enc: encMR, op: 0x29, r: regs(i.S), m: &i.M}, nil
	case SBB:
		return form{intel: "SBB r64, r64", plan9: "SBBQ", enc: encMR, op: 0x19, r: regs(i.D, i.S)}, nil
	case SBBI:
		return form{intel: "SBB r64, imm32", plan9: "SBBQ", enc: encALU, digit: 3, r: regs(i.D), imm: imm(i.Imm)}, nil
	case SBBM:
		return form{intel: "SBB r64, m64", plan9: "SBBQ", enc: encRM, op: 0x1b, r: regs(i.D), m: &i.M}, nil
	case SBBMR:
		return form{intel: "SBB m64, r64", plan9: "SBBQ", enc: encMR, op: 0x19, r: regs(i.S), m: &i.M}, nil
	case NEG:
		return form{intel: "NEG r64", plan9: "NEGQ", enc: encM, op: 0xf7, digit: 3, r: regs(i.D)}, nil
	case CMP:
		return form{intel: "CMP r64, r64", plan9: "CMPQ", enc: encMR, op: 0x39, r: regs(i.X, i.Y)}, nil
	case CMPI:
		return form{intel: "CMP r64, imm32", plan9: "CMPQ", enc: encALU, digit: 7, r: regs(i.X), imm: imm(i.Imm)}, nil
	case CMPM:
		return form{intel: "CMP r64, m64", plan9: "CMPQ", enc: encRM, op: 0x3b, r: regs(i.X), m: &i.M}, nil
	case CMPMR:
		return form{intel: "CMP m64, r64", plan9: "CMPQ", enc: encMR, op: 0x39, r: regs(i.Y), m: &i.M}, nil

	// Bitwise logic.
	case AND:
		return form{intel: "AND r64, r64", plan9: "ANDQ", enc: encMR, op: 0x21, r: regs(i.D, i.S)}, nil
	case ANDI:
		return form{intel: "AND r64, imm32", plan9: "ANDQ", enc: encALU, digit: 4, r: regs(i.D), imm: imm(i.Imm)}, nil
	case ANDM:
		return form{intel: "AND r64, m64", plan9: "ANDQ", enc: encRM, op: 0x23, r: regs(i.D), m: &i.M}, nil
	case ANDMR:
		return form{intel: "AND m64, r64", plan9: "ANDQ", enc: encMR, op: 0x21, r: regs(i.S), m: &i.M}, nil
	case OR:
		return form{intel: "OR r64, r64", plan9: "ORQ", enc: encMR, op: 0x09, r: regs(i.D, i.S)}, nil
	case ORI:
		return form{intel: "OR r64, imm32", plan9: "ORQ", enc: encALU, digit: 1, r: regs(i.D), imm: imm(i.Imm)}, nil
	case ORM:
		return form{intel: "OR r64, m64", plan9: "ORQ", enc: encRM, op: 0x0b, r: regs(i.D), m: &i.M}, nil
	case ORMR:
		return form{intel: "OR m64, r64", plan9: "ORQ", enc: encMR, op: 0x09, r: regs(i.S), m: &i.M}, nil
	case XOR:
		return form{intel: "XOR r64, r64", plan9: "XORQ", enc: encMR, op: 0x31, r: regs(i.D, i.S)}, nil
	case XORI:
		return form{intel: "XOR r64, imm32", plan9: "XORQ", enc: encALU, digit: 6, r: regs(i.D), imm: imm(i.Imm)}, nil
	case XORM:
		return form{intel: "XOR r64, m64", plan9: "XORQ", enc: encRM, op: 0x33, r: regs(i.D), m: &i.M}, nil
	case XORMR:
		return form{intel: "XOR m64, r64", plan9: "XORQ", enc: encMR, op: 0x31, r: regs(i.S), m: &i.M}, nil
	case XORL:
		return form{intel: "XOR r32, r32", plan9: "XORL", enc: encMR, op: 0x31, narrow: true, r: regs(i.D, i.S)}, nil
	case TEST:
		return form{intel: "TEST r64, r64", plan9: "TESTQ", enc: encMR, op: 0x85, r: regs(i.X, i.Y)}, nil
	case TESTI:
		return form{intel: "TEST r64, imm32", plan9: "TESTQ", enc: encTEST, r: regs(i.X), imm: imm(i.Imm)}, nil
	case TESTM:
		return form{intel: "TEST m64, r64", plan9: "TESTQ", enc: encRM, op: 0x85, r: regs(i.X), m: &i.M}, nil
	case NOT:
		return form{intel: "NOT r64", plan9: "NOTQ", enc: encM, op: 0xf7, digit: 2, r: regs(i.D)}, nil
	case ANDN:
		return form{intel: "ANDN r64, r64, r64", plan9: "ANDNQ", feature: "BMI1", enc: encRVM, vex: vex0F38, op: 0xf2, r: regs(i.D, i.N, i.S)}, nil

	// Multiplication.
	case MUL:
		return form{intel: "MUL r64", plan9: "MULQ", enc: encM, op: 0xf7, digit: 4, r: regs(i.S)}, nil
	case MULM:
		return form{intel: "MUL m64", plan9: "MULQ", enc: encM, op: 0xf7, digit: 4, m: &i.M}, nil
	case IMUL:
		return form{intel: "IMUL r64, r64", plan9: "IMULQ", enc: encRM, op: 0x0faf, r: regs(i.D, i.S)}, nil
	case IMULM:
		return form{intel: "IMUL r64, m64", plan9: "IMULQ", enc: encRM, op: 0x0faf, r: regs(i.D), m: &i.M}, nil
	case IMULI:
		return form{intel: "IMUL r64, r64, imm32", plan9: "IMUL3Q", enc: encRMI, r: regs(i.D, i.S), imm: imm(i.Imm)}, nil
	case MULX:
		return form{intel: "MULX r64, r64, r64", plan9: "MULXQ", feature: "BMI2", enc: encRVM, vex: vexF20F38, op: 0xf6, r: regs(i.Hi, i.Lo, i.S)}, nil
	case MULXM:
		return form{intel: "MULX r64, r64, m64", plan9: "MULXQ", feature: "BMI2", enc: encRVM, vex: vexF20F38, op: 0xf6, r: regs(i.Hi, i.Lo), m: &i.M}, nil

	// Shifts.
	case SHL:
		return form{intel: "SHL r64, imm8", plan9: "SHLQ", enc: encShift, digit: 4, r: regs(i.D), imm: count(i.N), shift: true}, nil
	case SHR:
		return form{intel: "SHR r64, imm8", plan9: "SHRQ", enc: encShift, digit: 5, r: regs(i.D), imm: count(i.N), shift: true}, nil
	case SAR:
		return form{intel: "SAR r64, imm8", plan9: "SARQ", enc: encShift, digit: 7, r: regs(i.D), imm: count(i.N), shift: true}, nil
	case SHLD:
		return form{intel: "SHLD r64, r64, imm8", plan9: "SHLQ", enc: encMRI, op: 0x0fa4, r: regs(i.D, i.S), imm: count(i.N), shift: true}, nil
	case SHRD:
		return form{intel: "SHRD r64, r64, imm8", plan9: "SHRQ", enc: encMRI, op: 0x0fac, r: regs(i.D, i.S), imm: count(i.N), shift: true}, nil
	case RORX:
		return form{intel: "RORX r64, r64, imm8", plan9: "RORXQ", feature: "BMI2", enc: encVRMI, vex: vexF20F3A, op: 0xf0, r: regs(i.D, i.S), imm: count(i.N), shift: true}, nil

	// Conditional forms.
	case CMOV:
		return form{intel: "CMOVcc r64, r64", plan9: "CMOVQ" + i.K.String(), enc: encRM, op: 0x0f40 + i.K.code(), r: regs(i.D, i.S), k: &i.K}, nil
	case CMOVM:
		return form{intel: "CMOVcc r64, m64", plan9: "CMOVQ" + i.K.String(), enc: encRM, op: 0x0f40 + i.K.code(), r: regs(i.D), m: &i.M, k: &i.K}, nil
	case SETCC:
		return form{intel: "SETcc r8", plan9: "SET" + i.K.String(), enc: encM, op: 0x0f90 + i.K.code(), narrow: true, byteR: true, r: regs(i.D), k: &i.K}, nil

	// Vectors of 128 bits.
	case MOVDQA:
		return sse(form{intel: "MOVDQA xmm, xmm", plan9: "MOVO", op: 0x0f6f, r: regs(i.D, i.S)}), nil
	case MOVDQUM:
		return form{intel: "MOVDQU xmm, m128", plan9: "MOVOU", enc: encRM, op: 0x0f6f, narrow: true, prefix: 0xf3, r: regs(i.D), vecs: 1, m: &i.M}, nil
	case MOVDQUMR:
		return form{intel: "MOVDQU m128, xmm", plan9: "MOVOU", enc: encMR, op: 0x0f7f, narrow: true, prefix: 0xf3, r: regs(i.S), vecs: 1, m: &i.M}, nil
	case MOVQX:
		return form{intel: "MOVQ xmm, r64", plan9: "MOVQ", enc: encRM, op: 0x0f6e, prefix: 0x66, r: regs(i.D, i.S), vecs: 1}, nil
	case PXOR:
		return sse(form{intel: "PXOR xmm, xmm", plan9: "PXOR", op: 0x0fef, r: regs(i.D, i.S)}), nil
	case POR:
		return sse(form{intel: "POR xmm, xmm", plan9: "POR", op: 0x0feb, r: regs(i.D, i.S)}), nil
	case PAND:
		return sse(form{intel: "PAND xmm, xmm", plan9: "PAND", op: 0x0fdb, r: regs(i.D, i.S)}), nil
	case PANDN:
		return sse(form{intel: "PANDN xmm, xmm", plan9: "PANDN", op: 0x0fdf, r: regs(i.D, i.S)}), nil
	case PCMPEQD:
		return sse(form{intel: "PCMPEQD xmm, xmm", plan9: "PCMPEQL", op: 0x0f76, r: regs(i.D, i.S)}), nil
	case PADDD:
		return sse(form{intel: "PADDD xmm, xmm", plan9: "PADDL", op: 0x0ffe, r: regs(i.D, i.S)}), nil
	case PSHUFD:
		return form{intel: "PSHUFD xmm, xmm, imm8", plan9: "PSHUFD", enc: encRMB, op: 0x0f70, narrow: true, prefix: 0x66, r: regs(i.D, i.S), vecs: 2, imm: count(i.Imm)}, nil

	// Vectors of 256 bits.
	case VMOVDQUM:
		return form{intel: "VMOVDQU ymm, m256", plan9: "VMOVDQU", feature: "AVX", enc: encVRM, vex: vex256Move, op: 0x6f, r: regs(i.D), vecs: 1, ymm: 1, m: &i.M}, nil
	case VMOVDQUMR:
		return form{intel: "VMOVDQU m256, ymm", plan9: "VMOVDQU", feature: "AVX", enc: encVMR, vex: vex256Move, op: 0x7f, r: regs(i.S), vecs: 1, ymm: 1, m: &i.M}, nil
	case VMOVQ:
		return form{intel: "VMOVQ xmm, r64", plan9: "VMOVQ", feature: "AVX", enc: encVRM, vex: vex128Word, op: 0x6e, r: regs(i.D, i.S), vecs: 1}, nil
	case VPBROADCASTQ:
		return form{intel: "VPBROADCASTQ ymm, xmm", plan9: "VPBROADCASTQ", feature: "AVX2", enc: encVRM, vex: vex256of0F38, op: 0x59, r: regs(i.D, i.S), vecs: 2, ymm: 1}, nil
	case VPXOR:
		return avx2(form{intel: "VPXOR ymm, ymm, ymm", plan9: "VPXOR", vex: vex256, op: 0xef, r: regs(i.D, i.N, i.S)}), nil
	case VPOR:
		return avx2(form{intel: "VPOR ymm, ymm, ymm", plan9: "VPOR", vex: vex256, op: 0xeb, r: regs(i.D, i.N, i.S)}), nil
	case VPAND:
		return avx2(form{intel: "VPAND ymm, ymm, ymm", plan9: "VPAND", vex: vex256, op: 0xdb, r: regs(i.D, i.N, i.S)}), nil
	case VPANDM:
		return avx2(form{intel: "VPAND ymm, ymm, m256", plan9: "VPAND", vex: vex256, op: 0xdb, r: regs(i.D, i.N), m: &i.M}), nil
	case VPANDN:
		return avx2(form{intel: "VPANDN ymm, ymm, ymm", plan9: "VPANDN", vex: vex256, op: 0xdf, r: regs(i.D, i.N, i.S)}), nil
	case VPCMPEQQ:
		return avx2(form{intel: "VPCMPEQQ ymm, ymm, ymm", plan9: "VPCMPEQQ", vex: vex256of0F38, op: 0x29, r: regs(i.D, i.N, i.S)}), nil
	case VPADDQ:
		return avx2(form{intel: "VPADDQ ymm, ymm, ymm", plan9: "VPADDQ", vex: vex256, op: 0xd4, r: regs(i.D, i.N, i.S)}), nil
	case VZEROUPPER:
		return form{intel: "VZEROUPPER", plan9: "VZEROUPPER", feature: "AVX", enc: encV, vex: vex128, op: 0x77}, nil

	// Arguments and tables. The memory operand of the first two depends on the function (see frame in encode.go).
	case LoadArg:
		return form{intel: "MOV r64, m64 (argument)", plan9: "MOVQ", enc: encRM, op: 0x8b, r: regs(i.D), name: i.Name, arg: paramName}, nil
	case StoreResult:
		return form{intel: "MOV m64, r64 (result)", plan9: "MOVQ", enc: encMR, op: 0x89, r: regs(i.S), name: i.Name, arg: resultName}, nil
	case TableAddr:
		return form{intel: "LEA r64, m (table)", plan9: "LEAQ", enc: encTable, op: 0x8d, r: regs(i.D), name: i.Name, arg: tableName}, nil
	}
	return form{}, fmt.Errorf("amd64: %T is not an instruction of the model", i)
}
