package arm64

// The aliases below are the manual's other names for the forms of instr.go: they make an instruction of that form.

// MOV is D = M.
func MOV(d, m Reg) ORR { return ORR{D: d, N: ZR, M: m} }

// MVN is D = ^M.
func MVN(d, m Reg) ORN { return ORN{D: d, N: ZR, M: m} }

// NEG is D = −M.
func NEG(d, m Reg) SUB { return SUB{D: d, N: ZR, M: m} }

// NEGS is NEG that sets the flags.
func NEGS(d, m Reg) SUBS { return SUBS{D: d, N: ZR, M: m} }

// NGC is D = −M − (1 − C).
func NGC(d, m Reg) SBC { return SBC{D: d, N: ZR, M: m} }

// NGCS is NGC that sets the flags.
func NGCS(d, m Reg) SBCS { return SBCS{D: d, N: ZR, M: m} }

// CMP sets the flags of N − M.
func CMP(n, m Reg) SUBS { return SUBS{D: ZR, N: n, M: m} }

// CMPImm sets the flags of N − imm.
func CMPImm(n Reg, imm uint64) SUBSImm { return SUBSImm{D: ZR, N: n, Imm: imm} }

// CMN sets the flags of N + M.
func CMN(n, m Reg) ADDS { return ADDS{D: ZR, N: n, M: m} }

// CMNImm sets the flags of N + imm.
func CMNImm(n Reg, imm uint64) ADDSImm { return ADDSImm{D: ZR, N: n, Imm: imm} }

// TST sets the flags of N & M.
func TST(n, m Reg) ANDS { return ANDS{D: ZR, N: n, M: m} }

// TSTImm sets the flags of N & imm.
func TSTImm(n Reg, imm uint64) ANDSImm { return ANDSImm{D: ZR, N: n, Imm: imm} }

// MUL is the low half of N·M.
func MUL(d, n, m Reg) MADD { return MADD{D: d, N: n, M: m, A: ZR} }

// MNEG is −N·M.
func MNEG(d, n, m Reg) MSUB { return MSUB{D: d, N: n, M: m, A: ZR} }

// ROR rotates N right.
func ROR(d, n Reg, amount uint8) EXTR { return EXTR{D: d, N: n, M: n, Amount: amount} }

// CSET is D = 1 if k, else 0.
func CSET(d Reg, k Cond) CSINC { return CSINC{D: d, N: ZR, M: ZR, Cond: k.invert()} }

// CSETM is D = all ones if k, else 0.
func CSETM(d Reg, k Cond) CSINV { return CSINV{D: d, N: ZR, M: ZR, Cond: k.invert()} }

// CINC is D = N + 1 if k, else N.
func CINC(d, n Reg, k Cond) CSINC { return CSINC{D: d, N: n, M: n, Cond: k.invert()} }

// CINV is D = ^N if k, else N.
func CINV(d, n Reg, k Cond) CSINV { return CSINV{D: d, N: n, M: n, Cond: k.invert()} }

// CNEG is D = −N if k, else N.
func CNEG(d, n Reg, k Cond) CSNEG { return CSNEG{D: d, N: n, M: n, Cond: k.invert()} }
