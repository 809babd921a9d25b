package amd64

// Mem is a memory operand: the address Base + Index·Scale + Disp modulo 2⁶⁴. Scale is 1, 2, 4 or 8, or 0 when there
// is no Index. Base may be SP.
type Mem struct {
	Base  Reg
	Index Reg
	Scale uint8
	Disp  int32
}

// One type per instruction form. A destination comes first. The suffix says what the operands are: none for
// registers, I for a register and an immediate, M for a register and a memory source, MR for a memory destination
// and a register, MI for a memory destination and an immediate. Operands have 64 bits unless the name says otherwise
// (L: 32 bits, B: 8 bits); 32-bit immediates are sign-extended. Vector forms are described apart.

// Moves. No flag is affected.
type (
	// MOV is D = S.
	MOV struct{ D, S Reg }
	// MOVI is D = Imm. Go's assembler chooses the encoding by the value.
	MOVI struct {
		D   Reg
		Imm uint64
	}
	// MOVLI is D = Imm, zero-extended (a 32-bit move).
	MOVLI struct {
		D   Reg
		Imm uint32
	}
	// MOVM is D = 8 bytes at M.
	MOVM struct {
		D Reg
		M Mem
	}
	// MOVMR stores S in the 8 bytes at M.
	MOVMR struct {
		M Mem
		S Reg
	}
	// MOVMI stores Imm, sign-extended, in the 8 bytes at M.
	MOVMI struct {
		M   Mem
		Imm int32
	}
	// MOVLM is D = 4 bytes at M, zero-extended.
	MOVLM struct {
		D Reg
		M Mem
	}
	// MOVBMR stores the low byte of S in the byte at M.
	MOVBMR struct {
		M Mem
		S Reg
	}
	// MOVBZX is D = the low byte of S, zero-extended.
	MOVBZX struct{ D, S Reg }
	// MOVBZXM is D = the byte at M, zero-extended.
	MOVBZXM struct {
		D Reg
		M Mem
	}
	// LEA is D = the address M; memory is not accessed.
	LEA struct {
		D Reg
		M Mem
	}
	// BSWAP reverses the bytes of D.
	BSWAP struct{ D Reg }
)

// Addition and subtraction. CF, ZF, SF, OF are set from the result; CF after a subtraction is the borrow.
type (
	// ADD is D += S.
	ADD struct{ D, S Reg }
	// ADDI is D += Imm.
	ADDI struct {
		D   Reg
		Imm int32
	}
	// ADDM is D += the 8 bytes at M.
	ADDM struct {
		D Reg
		M Mem
	}
	// ADDMR adds S to the 8 bytes at M.
	ADDMR struct {
		M Mem
		S Reg
	}

	// ADC is D += S + CF.
	ADC struct{ D, S Reg }
	// ADCI is D += Imm + CF.
	ADCI struct {
		D   Reg
		Imm int32
	}
	// ADCM is D += the 8 bytes at M + CF.
	ADCM struct {
		D Reg
		M Mem
	}
	// ADCMR adds S + CF to the 8 bytes at M.
	ADCMR struct {
		M Mem
		S Reg
	}

	// SUB is D −= S.
	SUB struct{ D, S Reg }
	// SUBI is D −= Imm.
	SUBI struct {
		D   Reg
		Imm int32
	}
	// SUBM is D −= the 8 bytes at M.
	SUBM struct {
		D Reg
		M Mem
	}
	// SUBMR subtracts S from the 8 bytes at M.
	SUBMR struct {
		M Mem
		S Reg
	}

	// SBB is D −= S + CF. When D and S are one register, its value does not matter and is not read: D becomes −CF.
	SBB struct{ D, S Reg }
	// SBBI is D −= Imm + CF.
	SBBI struct {
		D   Reg
		Imm int32
	}
	// SBBM is D −= the 8 bytes at M + CF.
	SBBM struct {
		D Reg
		M Mem
	}
	// SBBMR subtracts S + CF from the 8 bytes at M.
	SBBMR struct {
		M Mem
		S Reg
	}

	// NEG is D = −D; CF says that D was not zero.
	NEG struct{ D Reg }

	// CMP sets the flags of X − Y.
	CMP struct{ X, Y Reg }
	// CMPI sets the flags of X − Imm.
	CMPI struct {
		X   Reg
		Imm int32
	}
	// CMPM sets the flags of X − the 8 bytes at M.
	CMPM struct {
		X Reg
		M Mem
	}
	// CMPMR sets the flags of the 8 bytes at M − Y.
	CMPMR struct {
		M Mem
		Y Reg
	}
)

// Bitwise logic. ZF and SF are set from the result, CF and OF cleared; NOT affects no flag.
type (
	// AND is D &= S.
	AND struct{ D, S Reg }
	// ANDI is D &= Imm.
	ANDI struct {
		D   Reg
		Imm int32
	}
	// ANDM is D &= the 8 bytes at M.
	ANDM struct {
		D Reg
		M Mem
	}
	// ANDMR clears in the 8 bytes at M the bits that S has not.
	ANDMR struct {
		M Mem
		S Reg
	}

	// OR is D |= S.
	OR struct{ D, S Reg }
	// ORI is D |= Imm.
	ORI struct {
		D   Reg
		Imm int32
	}
	// ORM is D |= the 8 bytes at M.
	ORM struct {
		D Reg
		M Mem
	}
	// ORMR sets in the 8 bytes at M the bits of S.
	ORMR struct {
		M Mem
		S Reg
	}

	// XOR is D ^= S. When D and S are one register, its value does not matter and is not read: D becomes 0.
	XOR struct{ D, S Reg }
	// XORI is D ^= Imm.
	XORI struct {
		D   Reg
		Imm int32
	}
	// XORM is D ^= the 8 bytes at M.
	XORM struct {
		D Reg
		M Mem
	}
	// XORMR flips in the 8 bytes at M the bits of S.
	XORMR struct {
		M Mem
		S Reg
	}

	// XORL is D = D ^ S on the low 32 bits, zero-extended; XORL of a register with itself is the usual way to clear
	// it, does not read it, and sets ZF.
	XORL struct{ D, S Reg }

	// TEST sets the flags of X & Y.
	TEST struct{ X, Y Reg }
	// TESTI sets the flags of X & Imm.
	TESTI struct {
		X   Reg
		Imm int32
	}
	// TESTM sets the flags of X & the 8 bytes at M.
	TESTM struct {
		X Reg
		M Mem
	}

	// NOT is D = ^D.
	NOT struct{ D Reg }

	// ANDN is D = ^N & S (BMI1).
	ANDN struct{ D, N, S Reg }
)

// Multiplication.
type (
	// MUL is DX:AX = AX·S, unsigned. CF and OF say that DX is not zero; ZF and SF are undefined.
	MUL struct{ S Reg }
	// MULM is DX:AX = AX · the 8 bytes at M, unsigned.
	MULM struct{ M Mem }

	// IMUL is D *= S, the low 64 bits. CF and OF say that the signed product does not fit; ZF and SF are undefined.
	IMUL struct{ D, S Reg }
	// IMULM is D *= the 8 bytes at M.
	IMULM struct {
		D Reg
		M Mem
	}
	// IMULI is D = S·Imm.
	IMULI struct {
		D, S Reg
		Imm  int32
	}

	// MULX is Hi:Lo = DX·S, unsigned, no flag affected (BMI2). When Hi and Lo are one register it gets the high half.
	MULX struct{ Hi, Lo, S Reg }
	// MULXM is Hi:Lo = DX · the 8 bytes at M.
	MULXM struct {
		Hi, Lo Reg
		M      Mem
	}
)

// Shifts by N, 1 ≤ N ≤ 63. ZF and SF are set from the result, CF is the last bit shifted out; OF is defined for N = 1.
type (
	// SHL is D <<= N.
	SHL struct {
		D Reg
		N uint8
	}
	// SHR is D >>= N, unsigned.
	SHR struct {
		D Reg
		N uint8
	}
	// SAR is D >>= N, signed.
	SAR struct {
		D Reg
		N uint8
	}
	// SHLD is D <<= N, filled with the high bits of S.
	SHLD struct {
		D, S Reg
		N    uint8
	}
	// SHRD is D >>= N, filled with the low bits of S.
	SHRD struct {
		D, S Reg
		N    uint8
	}
	// RORX is D = S rotated right by N; no flag is affected (BMI2).
	RORX struct {
		D, S Reg
		N    uint8
	}
)

// Conditional forms. No flag is affected.
type (
	// CMOV is D = S if K holds.
	CMOV struct {
		K    Cond
		D, S Reg
	}
	// CMOVM is D = the 8 bytes at M if K holds; they are read in either case.
	CMOVM struct {
		K Cond
		D Reg
		M Mem
	}
	// SETCC sets the low byte of D to 1 if K holds, else to 0. The other bytes are kept.
	SETCC struct {
		K Cond
		D Reg
	}
)

// Vector forms of 128 bits, part of every 64-bit x86 CPU (SSE2). Upper halves and flags are not affected.
type (
	// MOVDQA is D = S.
	MOVDQA struct{ D, S Reg }
	// MOVDQUM is D = 16 bytes at M.
	MOVDQUM struct {
		D Reg
		M Mem
	}
	// MOVDQUMR stores S in the 16 bytes at M.
	MOVDQUMR struct {
		M Mem
		S Reg
	}
	// MOVQX is D = the general register S, zero-extended.
	MOVQX struct{ D, S Reg }
	// PXOR is D ^= S. When D and S are one register, its value does not matter and is not read: D becomes 0.
	PXOR struct{ D, S Reg }
	// POR is D |= S.
	POR struct{ D, S Reg }
	// PAND is D &= S.
	PAND struct{ D, S Reg }
	// PANDN is D = ^D & S.
	PANDN struct{ D, S Reg }
	// PCMPEQD makes each 32-bit lane of D all ones if it equals that of S, else 0.
	PCMPEQD struct{ D, S Reg }
	// PADDD adds each 32-bit lane of S to that of D.
	PADDD struct{ D, S Reg }
	// PSHUFD makes 32-bit lane n of D the lane of S that bits 2n and 2n+1 of Imm number.
	PSHUFD struct {
		D, S Reg
		Imm  uint8
	}
)

// Vector forms of 256 bits (AVX2; moves, VMOVQ and VZEROUPPER are AVX). Flags are not affected.
type (
	// VMOVDQUM is D = 32 bytes at M.
	VMOVDQUM struct {
		D Reg
		M Mem
	}
	// VMOVDQUMR stores S in the 32 bytes at M.
	VMOVDQUMR struct {
		M Mem
		S Reg
	}
	// VMOVQ is D = the general register S, zero-extended to 256 bits.
	VMOVQ struct{ D, S Reg }
	// VPBROADCASTQ makes each 64-bit lane of D the lowest one of S.
	VPBROADCASTQ struct{ D, S Reg }
	// VPXOR is D = N ^ S. When N and S are one register, its value does not matter and is not read: D becomes 0.
	VPXOR struct{ D, N, S Reg }
	// VPOR is D = N | S.
	VPOR struct{ D, N, S Reg }
	// VPAND is D = N & S.
	VPAND struct{ D, N, S Reg }
	// VPANDM is D = N & the 32 bytes at M.
	VPANDM struct {
		D, N Reg
		M    Mem
	}
	// VPANDN is D = ^N & S.
	VPANDN struct{ D, N, S Reg }
	// VPCMPEQQ makes each 64-bit lane of D all ones if those of N and S are equal, else 0.
	VPCMPEQQ struct{ D, N, S Reg }
	// VPADDQ makes each 64-bit lane of D the sum of those of N and S.
	VPADDQ struct{ D, N, S Reg }
	// VZEROUPPER clears the upper halves of all vector registers.
	VZEROUPPER struct{}
)

// Arguments and tables.
type (
	// LoadArg is D = the Go argument of that name.
	LoadArg struct {
		D    Reg
		Name string
	}
	// StoreResult sets the Go result of that name to S.
	StoreResult struct {
		S    Reg
		Name string
	}
	// TableAddr is D = the address of the constant table of that name.
	TableAddr struct {
		D    Reg
		Name string
	}
)

// Instruction marks the types of this file as instructions.
func (MOV) Instruction()          {}
func (MOVI) Instruction()         {}
func (MOVLI) Instruction()        {}
func (MOVM) Instruction()         {}
func (MOVMR) Instruction()        {}
func (MOVMI) Instruction()        {}
func (MOVLM) Instruction()        {}
func (MOVBMR) Instruction()       {}
func (MOVBZX) Instruction()       {}
func (MOVBZXM) Instruction()      {}
func (LEA) Instruction()          {}
func (BSWAP) Instruction()        {}
func (ADD) Instruction()          {}
func (ADDI) Instruction()         {}
func (ADDM) Instruction()         {}
func (ADDMR) Instruction()        {}
func (ADC) Instruction()          {}
func (ADCI) Instruction()         {}
func (ADCM) Instruction()         {}
func (ADCMR) Instruction()        {}
func (SUB) Instruction()          {}
func (SUBI) Instruction()         {}
func (SUBM) Instruction()         {}
func (SUBMR) Instruction()        {}
func (SBB) Instruction()          {}
func (SBBI) Instruction()         {}
func (SBBM) Instruction()         {}
func (SBBMR) Instruction()        {}
func (NEG) Instruction()          {}
func (CMP) Instruction()          {}
func (CMPI) Instruction()         {}
func (CMPM) Instruction()         {}
func (CMPMR) Instruction()        {}
func (AND) Instruction()          {}
func (ANDI) Instruction()         {}
func (ANDM) Instruction()         {}
func (ANDMR) Instruction()        {}
func (OR) Instruction()           {}
func (ORI) Instruction()          {}
func (ORM) Instruction()          {}
func (ORMR) Instruction()         {}
func (XOR) Instruction()          {}
func (XORI) Instruction()         {}
func (XORM) Instruction()         {}
func (XORMR) Instruction()        {}
func (XORL) Instruction()         {}
func (TEST) Instruction()         {}
func (TESTI) Instruction()        {}
func (TESTM) Instruction()        {}
func (NOT) Instruction()          {}
func (ANDN) Instruction()         {}
func (MUL) Instruction()          {}
func (MULM) Instruction()         {}
func (IMUL) Instruction()         {}
func (IMULM) Instruction()        {}
func (IMULI) Instruction()        {}
func (MULX) Instruction()         {}
func (MULXM) Instruction()        {}
func (SHL) Instruction()          {}
func (SHR) Instruction()          {}
func (SAR) Instruction()          {}
func (SHLD) Instruction()         {}
func (SHRD) Instruction()         {}
func (RORX) Instruction()         {}
func (CMOV) Instruction()         {}
func (CMOVM) Instruction()        {}
func (SETCC) Instruction()        {}
func (MOVDQA) Instruction()       {}
func (MOVDQUM) Instruction()      {}
func (MOVDQUMR) Instruction()     {}
func (MOVQX) Instruction()        {}
func (PXOR) Instruction()         {}
func (POR) Instruction()          {}
func (PAND) Instruction()         {}
func (PANDN) Instruction()        {}
func (PCMPEQD) Instruction()      {}
func (PADDD) Instruction()        {}
func (PSHUFD) Instruction()       {}
func (VMOVDQUM) Instruction()     {}
func (VMOVDQUMR) Instruction()    {}
func (VMOVQ) Instruction()        {}
func (VPBROADCASTQ) Instruction() {}
func (VPXOR) Instruction()        {}
func (VPOR) Instruction()         {}
func (VPAND) Instruction()        {}
func (VPANDM) Instruction()       {}
func (VPANDN) Instruction()       {}
func (VPCMPEQQ) Instruction()     {}
func (VPADDQ) Instruction()       {}
func (VZEROUPPER) Instruction()   {}
func (LoadArg) Instruction()      {}
func (StoreResult) Instruction()  {}
func (TableAddr) Instruction()    {}
