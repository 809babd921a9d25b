package arm64

// Operand fields are named as in the manual: D destination, N and M first and second source, A addend, T (and T2)
// the register loaded or stored, N also the base of an address.

// Shift says how the last operand of a "shifted register" form is shifted, by the constant Amount. The zero value
// with Amount 0 is the plain register.
type Shift uint8

// The shifts, numbered as they are encoded.
const (
	ShiftLSL Shift = iota
	ShiftLSR
	ShiftASR
	ShiftROR // logical forms only
)

// Add and subtract, DDI 0487 C3.4: forms whose name ends in S set all four flags.
type (
	// ADD is D = N + shift(M).
	ADD struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// ADDS is ADD that sets the flags.
	ADDS struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// SUB is D = N − shift(M).
	SUB struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// SUBS is SUB that sets the flags.
	SUBS struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}

	// ADDImm is D = N + Imm, where Imm < 2¹² or a multiple of 2¹² below 2²⁴. N may be SP.
	ADDImm struct {
		D, N Reg
		Imm  uint64
	}
	// ADDSImm is D = N + Imm and sets the flags.
	ADDSImm struct {
		D, N Reg
		Imm  uint64
	}
	// SUBImm is D = N − Imm.
	SUBImm struct {
		D, N Reg
		Imm  uint64
	}
	// SUBSImm is D = N − Imm and sets the flags.
	SUBSImm struct {
		D, N Reg
		Imm  uint64
	}

	// ADC is D = N + M + C.
	ADC struct{ D, N, M Reg }
	// ADCS is ADC that sets the flags.
	ADCS struct{ D, N, M Reg }
	// SBC is D = N − M − (1 − C).
	SBC struct{ D, N, M Reg }
	// SBCS is SBC that sets the flags.
	SBCS struct{ D, N, M Reg }
)

// Multiplication.
type (
	// MADD is D = A + N·M.
	MADD struct{ D, N, M, A Reg }
	// MSUB is D = A − N·M.
	MSUB struct{ D, N, M, A Reg }
	// UMULH is the high half of the 128-bit product N·M.
	UMULH struct{ D, N, M Reg }
)

// Bitwise operations. ANDS sets N and Z from the result and clears C and V.
type (
	// AND is D = N & shift(M).
	AND struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// ANDS is AND that sets the flags.
	ANDS struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// BIC is D = N &^ shift(M).
	BIC struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// ORR is D = N | shift(M).
	ORR struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// ORN is D = N | ^shift(M).
	ORN struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}
	// EOR is D = N ^ shift(M).
	EOR struct {
		D, N, M Reg
		Shift   Shift
		Amount  uint8
	}

	// ANDImm is D = N & Imm, where Imm is a bitmask immediate: a rotated run of ones, repeated with a period
	// of 2, 4, 8, 16, 32 or 64 bits.
	ANDImm struct {
		D, N Reg
		Imm  uint64
	}
	// ANDSImm is D = N & Imm and sets the flags.
	ANDSImm struct {
		D, N Reg
		Imm  uint64
	}
	// ORRImm is D = N | Imm.
	ORRImm struct {
		D, N Reg
		Imm  uint64
	}
	// EORImm is D = N ^ Imm.
	EORImm struct {
		D, N Reg
		Imm  uint64
	}
)

// Shifts by a constant, extraction and byte reversal.
type (
	// LSL is D = N << Amount.
	LSL struct {
		D, N   Reg
		Amount uint8
	}
	// LSR is D = N >> Amount, filled with zeros.
	LSR struct {
		D, N   Reg
		Amount uint8
	}
	// ASR is D = N >> Amount, filled with the sign.
	ASR struct {
		D, N   Reg
		Amount uint8
	}
	// EXTR is bits Amount+63 to Amount of the 128-bit value N:M. With N = M it rotates right.
	EXTR struct {
		D, N, M Reg
		Amount  uint8
	}
	// REV reverses the bytes of N.
	REV struct{ D, N Reg }
)

// Constants.
type (
	// MOVZ is D = Imm << 16·Hw.
	MOVZ struct {
		D   Reg
		Imm uint16
		Hw  uint8
	}
	// MOVN is D = ^(Imm << 16·Hw).
	MOVN struct {
		D   Reg
		Imm uint16
		Hw  uint8
	}
	// MOVK replaces 16 bits of D, from bit 16·Hw on.
	MOVK struct {
		D   Reg
		Imm uint16
		Hw  uint8
	}
)

// Conditional selection and comparison.
type (
	// CSEL is D = N if Cond, else M.
	CSEL struct {
		D, N, M Reg
		Cond    Cond
	}
	// CSINC is D = N if Cond, else M + 1.
	CSINC struct {
		D, N, M Reg
		Cond    Cond
	}
	// CSINV is D = N if Cond, else ^M.
	CSINV struct {
		D, N, M Reg
		Cond    Cond
	}
	// CSNEG is D = N if Cond, else −M.
	CSNEG struct {
		D, N, M Reg
		Cond    Cond
	}
	// CCMP sets the flags as SUBS of N and M does if Cond, else to the four bits of NZCV (N is bit 3).
	CCMP struct {
		N, M Reg
		NZCV uint8
		Cond Cond
	}
	// CCMPImm is CCMP with a constant, Imm < 32.
	CCMPImm struct {
		N    Reg
		Imm  uint8
		NZCV uint8
		Cond Cond
	}
)

// Loads and stores, little-endian, at N + Offset. N may be SP.
type (
	// LDR loads 8 bytes; Offset is a multiple of 8, 0 to 32760.
	LDR struct {
		T, N   Reg
		Offset int
	}
	// STR stores 8 bytes; Offset as in LDR.
	STR struct {
		T, N   Reg
		Offset int
	}
	// LDRW loads 4 bytes and clears the upper half of T ("LDR Wt"); Offset is a multiple of 4, 0 to 16380.
	LDRW struct {
		T, N   Reg
		Offset int
	}
	// STRW stores the lower half of T ("STR Wt"); Offset as in LDRW.
	STRW struct {
		T, N   Reg
		Offset int
	}
	// LDRB loads a byte and clears the rest of T; Offset is 0 to 4095.
	LDRB struct {
		T, N   Reg
		Offset int
	}
	// STRB stores the low byte of T; Offset as in LDRB.
	STRB struct {
		T, N   Reg
		Offset int
	}
	// LDP loads T from N + Offset and T2 from the next 8 bytes; Offset is a multiple of 8, −512 to 504.
	LDP struct {
		T, T2, N Reg
		Offset   int
	}
	// STP stores T at N + Offset and T2 at the next 8 bytes; Offset as in LDP.
	STP struct {
		T, T2, N Reg
		Offset   int
	}
)

// Vector forms (Advanced SIMD). D, N, M, T and T2 are vector registers, except for bases and where it is said. Lane 0 is
// the lowest. Flags are not affected.
type (
	// LDRQ loads 16 bytes; Offset is a multiple of 16, 0 to 65520.
	LDRQ struct {
		T, N   Reg
		Offset int
	}
	// STRQ stores 16 bytes; Offset as in LDRQ.
	STRQ struct {
		T, N   Reg
		Offset int
	}
	// LDPQ loads T from N + Offset and T2 from the next 16 bytes; Offset is a multiple of 16, −1024 to 1008.
	LDPQ struct {
		T, T2, N Reg
		Offset   int
	}
	// STPQ stores T at N + Offset and T2 at the next 16 bytes; Offset as in LDPQ.
	STPQ struct {
		T, T2, N Reg
		Offset   int
	}
	// VMOVI sets each byte of D to Imm.
	VMOVI struct {
		D   Reg
		Imm uint8
	}
	// VDUP sets both 64-bit lanes of D to the general register N.
	VDUP struct{ D, N Reg }
	// VCMEQ makes each 64-bit lane of D all ones if those of N and M are equal, else 0.
	VCMEQ struct{ D, N, M Reg }
	// VADD makes each 64-bit lane of D the sum of those of N and M.
	VADD struct{ D, N, M Reg }
	// VAND is D = N & M.
	VAND struct{ D, N, M Reg }
	// VORR is D = N | M.
	VORR struct{ D, N, M Reg }
	// VEOR is D = N ^ M.
	VEOR struct{ D, N, M Reg }
	// VBIT copies to D the bits of N where M has ones.
	VBIT struct{ D, N, M Reg }
)

// Arguments, results and tables of the function: each is spelled by name, and the assembler or linker fills in
// the place.
type (
	// LoadArg loads the Go argument Name: LDR from the caller's frame.
	LoadArg struct {
		D    Reg
		Name string
	}
	// StoreResult stores the Go result Name: STR to the caller's frame.
	StoreResult struct {
		S    Reg
		Name string
	}
	// TableAddr is the address of the constant table Name: ADRP and ADD.
	TableAddr struct {
		D    Reg
		Name string
	}
)

func (ADD) Instruction()         {}
func (ADDS) Instruction()        {}
func (SUB) Instruction()         {}
func (SUBS) Instruction()        {}
func (ADDImm) Instruction()      {}
func (ADDSImm) Instruction()     {}
func (SUBImm) Instruction()      {}
func (SUBSImm) Instruction()     {}
func (ADC) Instruction()         {}
func (ADCS) Instruction()        {}
func (SBC) Instruction()         {}
func (SBCS) Instruction()        {}
func (MADD) Instruction()        {}
func (MSUB) Instruction()        {}
func (UMULH) Instruction()       {}
func (AND) Instruction()         {}
func (ANDS) Instruction()        {}
func (BIC) Instruction()         {}
func (ORR) Instruction()         {}
func (ORN) Instruction()         {}
func (EOR) Instruction()         {}
func (ANDImm) Instruction()      {}
func (ANDSImm) Instruction()     {}
func (ORRImm) Instruction()      {}
func (EORImm) Instruction()      {}
func (LSL) Instruction()         {}
func (LSR) Instruction()         {}
func (ASR) Instruction()         {}
func (EXTR) Instruction()        {}
func (REV) Instruction()         {}
func (MOVZ) Instruction()        {}
func (MOVN) Instruction()        {}
func (MOVK) Instruction()        {}
func (CSEL) Instruction()        {}
func (CSINC) Instruction()       {}
func (CSINV) Instruction()       {}
func (CSNEG) Instruction()       {}
func (CCMP) Instruction()        {}
func (CCMPImm) Instruction()     {}
func (LDR) Instruction()         {}
func (STR) Instruction()         {}
func (LDRW) Instruction()        {}
func (STRW) Instruction()        {}
func (LDRB) Instruction()        {}
func (STRB) Instruction()        {}
func (LDP) Instruction()         {}
func (STP) Instruction()         {}
func (LDRQ) Instruction()        {}
func (STRQ) Instruction()        {}
func (LDPQ) Instruction()        {}
func (STPQ) Instruction()        {}
func (VMOVI) Instruction()       {}
func (VDUP) Instruction()        {}
func (VCMEQ) Instruction()       {}
func (VADD) Instruction()        {}
func (VAND) Instruction()        {}
func (VORR) Instruction()        {}
func (VEOR) Instruction()        {}
func (VBIT) Instruction()        {}
func (LoadArg) Instruction()     {}
func (StoreResult) Instruction() {}
func (TableAddr) Instruction()   {}
