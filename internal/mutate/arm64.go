package mutate

import (
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
)

// a64conds are all conditions.
var a64conds = []arm64.Cond{arm64.EQ, arm64.NE, arm64.HS, arm64.LO, arm64.MI, arm64.PL, arm64.VS, arm64.VC, arm64.HI, arm64.LS,
	arm64.GE, arm64.LT, arm64.GT, arm64.LE}

// arm64Variants emits an instruction with other operands, and other instructions with its operands.
func arm64Variants(in isa.Instr, c *context, emit func(Kind, ...isa.Instr)) {
	if f := arm64Fields(in); f != nil {
		f.variants(c, []isa.Reg{arm64.ZR}, emit)
	}
	arm64Opcodes(in, func(to isa.Instr) { emit(Opcode, to) })
}

// arm64Fields is nil for an instruction that is not known.
func arm64Fields(in isa.Instr) *fields {
	shifted := func(f *fields, s *arm64.Shift, a *uint8) *fields {
		return f.imm(integerOf(a, 6)).choice(choiceOf(Opcode, s, arm64.ShiftLSL, arm64.ShiftLSR, arm64.ShiftASR, arm64.ShiftROR))
	}
	cond := func(f *fields, k *arm64.Cond) *fields { return f.choice(choiceOf(Condition, k, a64conds...)) }
	switch i := in.(type) {
	case arm64.ADD:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.ADDS:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.SUB:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.SUBS:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.AND:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.ANDS:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.BIC:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.ORR:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.ORN:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.EOR:
		return shifted(form(&i, &i.D, &i.N, &i.M), &i.Shift, &i.Amount)
	case arm64.ADDImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 24))
	case arm64.ADDSImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 24))
	case arm64.SUBImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 24))
	case arm64.SUBSImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 24))
	case arm64.ANDImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 64))
	case arm64.ANDSImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 64))
	case arm64.ORRImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 64))
	case arm64.EORImm:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Imm, 64))
	case arm64.ADC:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.ADCS:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.SBC:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.SBCS:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.UMULH:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.MADD:
		return form(&i, &i.D, &i.N, &i.M, &i.A)
	case arm64.MSUB:
		return form(&i, &i.D, &i.N, &i.M, &i.A)
	case arm64.LSL:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Amount, 6))
	case arm64.LSR:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Amount, 6))
	case arm64.ASR:
		return form(&i, &i.D, &i.N).imm(integerOf(&i.Amount, 6))
	case arm64.EXTR:
		return form(&i, &i.D, &i.N, &i.M).imm(integerOf(&i.Amount, 6))
	case arm64.REV:
		return form(&i, &i.D, &i.N)
	case arm64.MOVZ:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 16), integerOf(&i.Hw, 2))
	case arm64.MOVN:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 16), integerOf(&i.Hw, 2))
	case arm64.MOVK:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 16), integerOf(&i.Hw, 2))
	case arm64.CSEL:
		return cond(form(&i, &i.D, &i.N, &i.M), &i.Cond)
	case arm64.CSINC:
		return cond(form(&i, &i.D, &i.N, &i.M), &i.Cond)
	case arm64.CSINV:
		return cond(form(&i, &i.D, &i.N, &i.M), &i.Cond)
	case arm64.CSNEG:
		return cond(form(&i, &i.D, &i.N, &i.M), &i.Cond)
	case arm64.CCMP:
		return cond(form(&i, &i.N, &i.M).imm(integerOf(&i.NZCV, 4)), &i.Cond)
	case arm64.CCMPImm:
		return cond(form(&i, &i.N).imm(integerOf(&i.Imm, 5), integerOf(&i.NZCV, 4)), &i.Cond)
	case arm64.LDR:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STR:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.LDRW:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STRW:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.LDRB:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STRB:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.LDP:
		return form(&i, &i.T, &i.T2, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STP:
		return form(&i, &i.T, &i.T2, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.LDRQ:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STRQ:
		return form(&i, &i.T, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.LDPQ:
		return form(&i, &i.T, &i.T2, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.STPQ:
		return form(&i, &i.T, &i.T2, &i.N).offset(integerOf(&i.Offset, 0))
	case arm64.VMOVI:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 8))
	case arm64.VDUP:
		return form(&i, &i.D, &i.N)
	case arm64.VCMEQ:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.VADD:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.VAND:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.VORR:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.VEOR:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.VBIT:
		return form(&i, &i.D, &i.N, &i.M)
	case arm64.LoadArg:
		return form(&i, &i.D).param(&i.Name)
	case arm64.StoreResult:
		return form(&i, &i.S)
	case arm64.TableAddr:
		return form(&i, &i.D).table(&i.Name)
	}
	return nil
}

// arm64Opcodes emits the other instructions of the families that in belongs to.
func arm64Opcodes(in isa.Instr, emit func(isa.Instr)) {
	zero := arm64.ZR
	all := func(ins ...isa.Instr) {
		for _, x := range ins {
			emit(x)
		}
	}
	// What is shifted is dropped where a form has no shift.
	sums := func(d, n, m isa.Reg, s arm64.Shift, a uint8) {
		all(arm64.ADD{D: d, N: n, M: m, Shift: s, Amount: a}, arm64.ADDS{D: d, N: n, M: m, Shift: s, Amount: a},
			arm64.SUB{D: d, N: n, M: m, Shift: s, Amount: a}, arm64.SUBS{D: d, N: n, M: m, Shift: s, Amount: a},
			arm64.ADC{D: d, N: n, M: m}, arm64.ADCS{D: d, N: n, M: m}, arm64.SBC{D: d, N: n, M: m}, arm64.SBCS{D: d, N: n, M: m})
	}
	bits := func(d, n, m isa.Reg, s arm64.Shift, a uint8) {
		all(arm64.AND{D: d, N: n, M: m, Shift: s, Amount: a}, arm64.ANDS{D: d, N: n, M: m, Shift: s, Amount: a},
			arm64.BIC{D: d, N: n, M: m, Shift: s, Amount: a}, arm64.ORR{D: d, N: n, M: m, Shift: s, Amount: a},
			arm64.ORN{D: d, N: n, M: m, Shift: s, Amount: a}, arm64.EOR{D: d, N: n, M: m, Shift: s, Amount: a})
	}
	sumImms := func(d, n isa.Reg, v uint64) {
		all(arm64.ADDImm{D: d, N: n, Imm: v}, arm64.ADDSImm{D: d, N: n, Imm: v}, arm64.SUBImm{D: d, N: n, Imm: v}, arm64.SUBSImm{D: d, N: n, Imm: v})
	}
	bitImms := func(d, n isa.Reg, v uint64) {
		all(arm64.ANDImm{D: d, N: n, Imm: v}, arm64.ANDSImm{D: d, N: n, Imm: v}, arm64.ORRImm{D: d, N: n, Imm: v}, arm64.EORImm{D: d, N: n, Imm: v})
	}
	shifts := func(d, n isa.Reg, a uint8) {
		all(arm64.LSL{D: d, N: n, Amount: a}, arm64.LSR{D: d, N: n, Amount: a}, arm64.ASR{D: d, N: n, Amount: a}, arm64.EXTR{D: d, N: n, M: n, Amount: a})
	}
	products := func(d, n, m, a isa.Reg) {
		all(arm64.MADD{D: d, N: n, M: m, A: a}, arm64.MSUB{D: d, N: n, M: m, A: a}, arm64.UMULH{D: d, N: n, M: m})
	}
	moves := func(d isa.Reg, v uint16, hw uint8) {
		all(arm64.MOVZ{D: d, Imm: v, Hw: hw}, arm64.MOVN{D: d, Imm: v, Hw: hw}, arm64.MOVK{D: d, Imm: v, Hw: hw})
	}
	selects := func(d, n, m isa.Reg, k arm64.Cond) {
		all(arm64.CSEL{D: d, N: n, M: m, Cond: k}, arm64.CSINC{D: d, N: n, M: m, Cond: k}, arm64.CSINV{D: d, N: n, M: m, Cond: k},
			arm64.CSNEG{D: d, N: n, M: m, Cond: k}, arm64.ORR{D: d, N: zero, M: n}, arm64.ORR{D: d, N: zero, M: m})
	}
	memory := func(t, n isa.Reg, o int) {
		all(arm64.LDR{T: t, N: n, Offset: o}, arm64.LDRW{T: t, N: n, Offset: o}, arm64.LDRB{T: t, N: n, Offset: o},
			arm64.STR{T: t, N: n, Offset: o}, arm64.STRW{T: t, N: n, Offset: o}, arm64.STRB{T: t, N: n, Offset: o})
	}
	pairs := func(t, t2, n isa.Reg, o int) {
		all(arm64.LDP{T: t, T2: t2, N: n, Offset: o}, arm64.STP{T: t, T2: t2, N: n, Offset: o},
			arm64.LDR{T: t, N: n, Offset: o}, arm64.STR{T: t, N: n, Offset: o})
	}
	vectorMemory := func(t, n isa.Reg, o int) {
		all(arm64.LDRQ{T: t, N: n, Offset: o}, arm64.STRQ{T: t, N: n, Offset: o})
	}
	vectorPairs := func(t, t2, n isa.Reg, o int) {
		all(arm64.LDPQ{T: t, T2: t2, N: n, Offset: o}, arm64.STPQ{T: t, T2: t2, N: n, Offset: o},
			arm64.LDRQ{T: t, N: n, Offset: o}, arm64.STRQ{T: t, N: n, Offset: o})
	}
	vectors := func(d, n, m isa.Reg) {
		all(arm64.VCMEQ{D: d, N: n, M: m}, arm64.VADD{D: d, N: n, M: m}, arm64.VAND{D: d, N: n, M: m},
			arm64.VORR{D: d, N: n, M: m}, arm64.VEOR{D: d, N: n, M: m}, arm64.VBIT{D: d, N: n, M: m})
	}
	switch i := in.(type) {
	case arm64.ADD:
		sums(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ADDS:
		sums(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.SUB:
		sums(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.SUBS:
		sums(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ADC:
		sums(i.D, i.N, i.M, 0, 0)
	case arm64.ADCS:
		sums(i.D, i.N, i.M, 0, 0)
	case arm64.SBC:
		sums(i.D, i.N, i.M, 0, 0)
	case arm64.SBCS:
		sums(i.D, i.N, i.M, 0, 0)
	case arm64.ADDImm:
		sumImms(i.D, i.N, i.Imm)
	case arm64.ADDSImm:
		sumImms(i.D, i.N, i.Imm)
	case arm64.SUBImm:
		sumImms(i.D, i.N, i.Imm)
	case arm64.SUBSImm:
		sumImms(i.D, i.N, i.Imm)
	case arm64.AND:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ANDS:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.BIC:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ORR:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ORN:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.EOR:
		bits(i.D, i.N, i.M, i.Shift, i.Amount)
	case arm64.ANDImm:
		bitImms(i.D, i.N, i.Imm)
	case arm64.ANDSImm:
		bitImms(i.D, i.N, i.Imm)
	case arm64.ORRImm:
		bitImms(i.D, i.N, i.Imm)
	case arm64.EORImm:
		bitImms(i.D, i.N, i.Imm)
	case arm64.MADD:
		products(i.D, i.N, i.M, i.A)
	case arm64.MSUB:
		products(i.D, i.N, i.M, i.A)
	case arm64.UMULH:
		products(i.D, i.N, i.M, zero)
	case arm64.LSL:
		shifts(i.D, i.N, i.Amount)
	case arm64.LSR:
		shifts(i.D, i.N, i.Amount)
	case arm64.ASR:
		shifts(i.D, i.N, i.Amount)
	case arm64.EXTR:
		all(arm64.LSR{D: i.D, N: i.M, Amount: i.Amount}, arm64.LSL{D: i.D, N: i.N, Amount: 64 - i.Amount})
	case arm64.REV:
		emit(arm64.ORR{D: i.D, N: zero, M: i.N})
	case arm64.MOVZ:
		moves(i.D, i.Imm, i.Hw)
	case arm64.MOVN:
		moves(i.D, i.Imm, i.Hw)
	case arm64.MOVK:
		moves(i.D, i.Imm, i.Hw)
	case arm64.CSEL:
		selects(i.D, i.N, i.M, i.Cond)
	case arm64.CSINC:
		selects(i.D, i.N, i.M, i.Cond)
	case arm64.CSINV:
		selects(i.D, i.N, i.M, i.Cond)
	case arm64.CSNEG:
		selects(i.D, i.N, i.M, i.Cond)
	case arm64.CCMP:
		emit(arm64.SUBS{D: zero, N: i.N, M: i.M})
	case arm64.CCMPImm:
		emit(arm64.SUBSImm{D: zero, N: i.N, Imm: uint64(i.Imm)})
	case arm64.LDR:
		memory(i.T, i.N, i.Offset)
	case arm64.STR:
		memory(i.T, i.N, i.Offset)
	case arm64.LDRW:
		memory(i.T, i.N, i.Offset)
	case arm64.STRW:
		memory(i.T, i.N, i.Offset)
	case arm64.LDRB:
		memory(i.T, i.N, i.Offset)
	case arm64.STRB:
		memory(i.T, i.N, i.Offset)
	case arm64.LDP:
		pairs(i.T, i.T2, i.N, i.Offset)
	case arm64.STP:
		pairs(i.T, i.T2, i.N, i.Offset)
	case arm64.LDRQ:
		vectorMemory(i.T, i.N, i.Offset)
	case arm64.STRQ:
		vectorMemory(i.T, i.N, i.Offset)
	case arm64.LDPQ:
		vectorPairs(i.T, i.T2, i.N, i.Offset)
	case arm64.STPQ:
		vectorPairs(i.T, i.T2, i.N, i.Offset)
	case arm64.VCMEQ:
		vectors(i.D, i.N, i.M)
	case arm64.VADD:
		vectors(i.D, i.N, i.M)
	case arm64.VAND:
		vectors(i.D, i.N, i.M)
	case arm64.VORR:
		vectors(i.D, i.N, i.M)
	case arm64.VEOR:
		vectors(i.D, i.N, i.M)
	case arm64.VBIT:
		vectors(i.D, i.N, i.M)
	}
}

// arm64Conditions emits other branch conditions, the opposite first.
func arm64Conditions(k isa.Cond, c *context, emit func(isa.Cond)) {
	if not, err := arm64.Invert(k); err == nil {
		emit(not)
	}
	switch k.(type) {
	case arm64.Cond:
		for _, o := range a64conds {
			emit(o)
		}
	case arm64.CBZ:
		for _, r := range c.regs {
			emit(arm64.CBZ{T: r})
		}
	case arm64.CBNZ:
		for _, r := range c.regs {
			emit(arm64.CBNZ{T: r})
		}
	}
}

// arm64Patterns emits the bugs that hand-written arithmetic has had.
func arm64Patterns(l *listing, emit func(Kind, ...change)) {
	for n, in := range l.instrs {
		one := func(k Kind, to ...isa.Instr) { emit(k, change{at: n, to: to}) }
		switch i := in.(type) {
		// The carry that comes in is lost.
		case arm64.ADC:
			one(LostCarry, arm64.ADD{D: i.D, N: i.N, M: i.M})
		case arm64.ADCS:
			one(LostCarry, arm64.ADDS{D: i.D, N: i.N, M: i.M})
			one(StaleFlag, arm64.ADC(i))
		case arm64.SBC:
			one(LostCarry, arm64.SUB{D: i.D, N: i.N, M: i.M})
		case arm64.SBCS:
			one(LostCarry, arm64.SUBS{D: i.D, N: i.N, M: i.M})
			one(StaleFlag, arm64.SBC(i))
		// The flags stay those of an instruction before.
		case arm64.ADDS:
			one(StaleFlag, arm64.ADD(i))
		case arm64.SUBS:
			one(StaleFlag, arm64.SUB(i))
		case arm64.ADDSImm:
			one(StaleFlag, arm64.ADDImm(i))
		case arm64.SUBSImm:
			one(StaleFlag, arm64.SUBImm(i))
		case arm64.ANDS:
			one(StaleFlag, arm64.AND(i))
		case arm64.ANDSImm:
			one(StaleFlag, arm64.ANDImm(i))
		// One half of a product is taken for the other.
		case arm64.MADD:
			if i.A == arm64.ZR {
				one(WrongHalf, arm64.UMULH{D: i.D, N: i.N, M: i.M})
			}
		case arm64.UMULH:
			one(WrongHalf, arm64.MADD{D: i.D, N: i.N, M: i.M, A: arm64.ZR})
		case arm64.LDP:
			one(SwappedLimbs, arm64.LDP{T: i.T2, T2: i.T, N: i.N, Offset: i.Offset})
		case arm64.STP:
			one(SwappedLimbs, arm64.STP{T: i.T2, T2: i.T, N: i.N, Offset: i.Offset})
		case arm64.LDPQ:
			one(SwappedLimbs, arm64.LDPQ{T: i.T2, T2: i.T, N: i.N, Offset: i.Offset})
		case arm64.STPQ:
			one(SwappedLimbs, arm64.STPQ{T: i.T2, T2: i.T, N: i.N, Offset: i.Offset})
		}
	}
	// Neighbouring words of a number change places.
	l.limbs(emit, func(a, b isa.Instr) (x, y isa.Instr, ok bool) {
		switch a := a.(type) {
		case arm64.LDR:
			if b, ok := b.(arm64.LDR); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.STR:
			if b, ok := b.(arm64.STR); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.LDP:
			if b, ok := b.(arm64.LDP); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.STP:
			if b, ok := b.(arm64.STP); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.LDRQ:
			if b, ok := b.(arm64.LDRQ); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.STRQ:
			if b, ok := b.(arm64.STRQ); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.LDPQ:
			if b, ok := b.(arm64.LDPQ); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		case arm64.STPQ:
			if b, ok := b.(arm64.STPQ); ok && a.N == b.N {
				a.Offset, b.Offset = b.Offset, a.Offset
				return a, b, true
			}
		}
		return nil, nil, false
	})
	// The subtraction of the modulus, at the end, is made always or never.
	l.reductions(emit, func(in isa.Instr) (group any, yes, no []isa.Instr) {
		if i, ok := in.(arm64.CSEL); ok {
			return i.Cond, []isa.Instr{arm64.ORR{D: i.D, N: arm64.ZR, M: i.N}}, []isa.Instr{arm64.ORR{D: i.D, N: arm64.ZR, M: i.M}}
		}
		return nil, nil, nil
	})
}
