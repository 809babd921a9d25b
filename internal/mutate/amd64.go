package mutate

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
)

// x64conds are all conditions.
var x64conds = []amd64.Cond{amd64.OS, amd64.OC, amd64.CS, amd64.CC, amd64.EQ, amd64.NE, amd64.LS, amd64.HI, amd64.MI, amd64.PL,
	amd64.LT, amd64.GE, amd64.LE, amd64.GT}

// amd64Variants emits an instruction with other operands, and other instructions with its operands.
func amd64Variants(in isa.Instr, c *context, emit func(Kind, ...isa.Instr)) {
	if f := amd64Fields(in); f != nil {
		f.variants(c, nil, emit)
	}
	amd64Opcodes(in, func(to isa.Instr) { emit(Opcode, to) })
}

// amd64Fields is nil for an instruction that is not known.
func amd64Fields(in isa.Instr) *fields {
	mem := func(f *fields, m *amd64.Mem) *fields {
		f.regs = append(f.regs, &m.Base)
		if m.Scale != 0 {
			f.regs = append(f.regs, &m.Index)
			f.choice(choiceOf(Offset, &m.Scale, 1, 2, 4, 8))
		}
		return f.offset(integerOf(&m.Disp, 0))
	}
	imm32 := func(f *fields, v *int32) *fields { return f.imm(integerOf(v, 31)) }
	cond := func(f *fields, k *amd64.Cond) *fields { return f.choice(choiceOf(Condition, k, x64conds...)) }
	switch i := in.(type) {
	case amd64.MOV:
		return form(&i, &i.D, &i.S)
	case amd64.MOVBZX:
		return form(&i, &i.D, &i.S)
	case amd64.ADD:
		return form(&i, &i.D, &i.S)
	case amd64.ADC:
		return form(&i, &i.D, &i.S)
	case amd64.SUB:
		return form(&i, &i.D, &i.S)
	case amd64.SBB:
		return form(&i, &i.D, &i.S)
	case amd64.AND:
		return form(&i, &i.D, &i.S)
	case amd64.OR:
		return form(&i, &i.D, &i.S)
	case amd64.XOR:
		return form(&i, &i.D, &i.S)
	case amd64.XORL:
		return form(&i, &i.D, &i.S)
	case amd64.IMUL:
		return form(&i, &i.D, &i.S)
	case amd64.CMP:
		return form(&i, &i.X, &i.Y)
	case amd64.TEST:
		return form(&i, &i.X, &i.Y)
	case amd64.BSWAP:
		return form(&i, &i.D)
	case amd64.NEG:
		return form(&i, &i.D)
	case amd64.NOT:
		return form(&i, &i.D)
	case amd64.MOVI:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 64))
	case amd64.MOVLI:
		return form(&i, &i.D).imm(integerOf(&i.Imm, 32))
	case amd64.ADDI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.ADCI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.SUBI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.SBBI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.ANDI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.ORI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.XORI:
		return imm32(form(&i, &i.D), &i.Imm)
	case amd64.CMPI:
		return imm32(form(&i, &i.X), &i.Imm)
	case amd64.TESTI:
		return imm32(form(&i, &i.X), &i.Imm)
	case amd64.MOVM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.MOVLM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.MOVBZXM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.LEA:
		return mem(form(&i, &i.D), &i.M)
	case amd64.ADDM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.ADCM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.SUBM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.SBBM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.ANDM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.ORM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.XORM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.IMULM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.CMPM:
		return mem(form(&i, &i.X), &i.M)
	case amd64.TESTM:
		return mem(form(&i, &i.X), &i.M)
	case amd64.MOVMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.MOVBMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.ADDMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.ADCMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.SUBMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.SBBMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.ANDMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.ORMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.XORMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.CMPMR:
		return mem(form(&i, &i.Y), &i.M)
	case amd64.MOVMI:
		return mem(imm32(form(&i), &i.Imm), &i.M)
	case amd64.ANDN:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.MUL:
		return form(&i, &i.S)
	case amd64.MULM:
		return mem(form(&i), &i.M)
	case amd64.IMULI:
		return imm32(form(&i, &i.D, &i.S), &i.Imm)
	case amd64.MULX:
		return form(&i, &i.Hi, &i.Lo, &i.S)
	case amd64.MULXM:
		return mem(form(&i, &i.Hi, &i.Lo), &i.M)
	case amd64.SHL:
		return form(&i, &i.D).imm(integerOf(&i.N, 6))
	case amd64.SHR:
		return form(&i, &i.D).imm(integerOf(&i.N, 6))
	case amd64.SAR:
		return form(&i, &i.D).imm(integerOf(&i.N, 6))
	case amd64.SHLD:
		return form(&i, &i.D, &i.S).imm(integerOf(&i.N, 6))
	case amd64.SHRD:
		return form(&i, &i.D, &i.S).imm(integerOf(&i.N, 6))
	case amd64.RORX:
		return form(&i, &i.D, &i.S).imm(integerOf(&i.N, 6))
	case amd64.CMOV:
		return cond(form(&i, &i.D, &i.S), &i.K)
	case amd64.CMOVM:
		return cond(mem(form(&i, &i.D), &i.M), &i.K)
	case amd64.SETCC:
		return cond(form(&i, &i.D), &i.K)
	case amd64.MOVDQA:
		return form(&i, &i.D, &i.S)
	case amd64.MOVQX:
		return form(&i, &i.D, &i.S)
	case amd64.PXOR:
		return form(&i, &i.D, &i.S)
	case amd64.POR:
		return form(&i, &i.D, &i.S)
	case amd64.PAND:
		return form(&i, &i.D, &i.S)
	case amd64.PANDN:
		return form(&i, &i.D, &i.S)
	case amd64.PCMPEQD:
		return form(&i, &i.D, &i.S)
	case amd64.PADDD:
		return form(&i, &i.D, &i.S)
	case amd64.VMOVQ:
		return form(&i, &i.D, &i.S)
	case amd64.VPBROADCASTQ:
		return form(&i, &i.D, &i.S)
	case amd64.PSHUFD:
		return form(&i, &i.D, &i.S).imm(integerOf(&i.Imm, 8))
	case amd64.MOVDQUM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.VMOVDQUM:
		return mem(form(&i, &i.D), &i.M)
	case amd64.MOVDQUMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.VMOVDQUMR:
		return mem(form(&i, &i.S), &i.M)
	case amd64.VPXOR:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPOR:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPAND:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPANDN:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPCMPEQQ:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPADDQ:
		return form(&i, &i.D, &i.N, &i.S)
	case amd64.VPANDM:
		return mem(form(&i, &i.D, &i.N), &i.M)
	case amd64.VZEROUPPER:
		return form(&i)
	case amd64.LoadArg:
		return form(&i, &i.D).param(&i.Name)
	case amd64.StoreResult:
		return form(&i, &i.S)
	case amd64.TableAddr:
		return form(&i, &i.D).table(&i.Name)
	}
	return nil
}

// amd64Opcodes emits the other instructions of the families that in belongs to.
func amd64Opcodes(in isa.Instr, emit func(isa.Instr)) {
	all := func(ins ...isa.Instr) {
		for _, x := range ins {
			emit(x)
		}
	}
	rr := func(d, s isa.Reg) {
		all(amd64.ADD{D: d, S: s}, amd64.ADC{D: d, S: s}, amd64.SUB{D: d, S: s}, amd64.SBB{D: d, S: s},
			amd64.AND{D: d, S: s}, amd64.OR{D: d, S: s}, amd64.XOR{D: d, S: s}, amd64.MOV{D: d, S: s},
			amd64.CMP{X: d, Y: s}, amd64.TEST{X: d, Y: s})
	}
	ri := func(d isa.Reg, v int32) {
		all(amd64.ADDI{D: d, Imm: v}, amd64.ADCI{D: d, Imm: v}, amd64.SUBI{D: d, Imm: v}, amd64.SBBI{D: d, Imm: v},
			amd64.ANDI{D: d, Imm: v}, amd64.ORI{D: d, Imm: v}, amd64.XORI{D: d, Imm: v}, amd64.CMPI{X: d, Imm: v},
			amd64.TESTI{X: d, Imm: v})
	}
	rm := func(d isa.Reg, m amd64.Mem) {
		all(amd64.ADDM{D: d, M: m}, amd64.ADCM{D: d, M: m}, amd64.SUBM{D: d, M: m}, amd64.SBBM{D: d, M: m},
			amd64.ANDM{D: d, M: m}, amd64.ORM{D: d, M: m}, amd64.XORM{D: d, M: m}, amd64.MOVM{D: d, M: m},
			amd64.CMPM{X: d, M: m}, amd64.TESTM{X: d, M: m}, amd64.LEA{D: d, M: m})
	}
	mr := func(m amd64.Mem, s isa.Reg) {
		all(amd64.ADDMR{M: m, S: s}, amd64.ADCMR{M: m, S: s}, amd64.SUBMR{M: m, S: s}, amd64.SBBMR{M: m, S: s},
			amd64.ANDMR{M: m, S: s}, amd64.ORMR{M: m, S: s}, amd64.XORMR{M: m, S: s}, amd64.MOVMR{M: m, S: s},
			amd64.CMPMR{M: m, Y: s})
	}
	sse := func(d, s isa.Reg) {
		all(amd64.PXOR{D: d, S: s}, amd64.POR{D: d, S: s}, amd64.PAND{D: d, S: s}, amd64.PANDN{D: d, S: s},
			amd64.PCMPEQD{D: d, S: s}, amd64.PADDD{D: d, S: s}, amd64.MOVDQA{D: d, S: s})
	}
	avx := func(d, n, s isa.Reg) {
		all(amd64.VPXOR{D: d, N: n, S: s}, amd64.VPOR{D: d, N: n, S: s}, amd64.VPAND{D: d, N: n, S: s},
			amd64.VPANDN{D: d, N: n, S: s}, amd64.VPCMPEQQ{D: d, N: n, S: s}, amd64.VPADDQ{D: d, N: n, S: s},
			amd64.PAND{D: d, S: s})
	}
	shifts := func(d isa.Reg, n uint8) { all(amd64.SHL{D: d, N: n}, amd64.SHR{D: d, N: n}, amd64.SAR{D: d, N: n}) }
	switch i := in.(type) {
	case amd64.ADD:
		rr(i.D, i.S)
	case amd64.ADC:
		rr(i.D, i.S)
	case amd64.SUB:
		rr(i.D, i.S)
	case amd64.SBB:
		rr(i.D, i.S)
	case amd64.AND:
		rr(i.D, i.S)
	case amd64.OR:
		rr(i.D, i.S)
	case amd64.XOR:
		rr(i.D, i.S)
	case amd64.XORL:
		rr(i.D, i.S)
	case amd64.MOV:
		rr(i.D, i.S)
	case amd64.CMP:
		rr(i.X, i.Y)
	case amd64.TEST:
		rr(i.X, i.Y)
	case amd64.ADDI:
		ri(i.D, i.Imm)
	case amd64.ADCI:
		ri(i.D, i.Imm)
	case amd64.SUBI:
		ri(i.D, i.Imm)
	case amd64.SBBI:
		ri(i.D, i.Imm)
	case amd64.ANDI:
		ri(i.D, i.Imm)
	case amd64.ORI:
		ri(i.D, i.Imm)
	case amd64.XORI:
		ri(i.D, i.Imm)
	case amd64.CMPI:
		ri(i.X, i.Imm)
	case amd64.TESTI:
		ri(i.X, i.Imm)
	case amd64.ADDM:
		rm(i.D, i.M)
	case amd64.ADCM:
		rm(i.D, i.M)
	case amd64.SUBM:
		rm(i.D, i.M)
	case amd64.SBBM:
		rm(i.D, i.M)
	case amd64.ANDM:
		rm(i.D, i.M)
	case amd64.ORM:
		rm(i.D, i.M)
	case amd64.XORM:
		rm(i.D, i.M)
	case amd64.LEA:
		rm(i.D, i.M)
	case amd64.MOVM:
		rm(i.D, i.M)
		all(amd64.MOVLM(i), amd64.MOVBZXM(i))
	case amd64.CMPM:
		rm(i.X, i.M)
	case amd64.TESTM:
		rm(i.X, i.M)
	case amd64.ADDMR:
		mr(i.M, i.S)
	case amd64.ADCMR:
		mr(i.M, i.S)
	case amd64.SUBMR:
		mr(i.M, i.S)
	case amd64.SBBMR:
		mr(i.M, i.S)
	case amd64.ANDMR:
		mr(i.M, i.S)
	case amd64.ORMR:
		mr(i.M, i.S)
	case amd64.XORMR:
		mr(i.M, i.S)
	case amd64.MOVMR:
		mr(i.M, i.S)
		emit(amd64.MOVBMR(i))
	case amd64.CMPMR:
		mr(i.M, i.Y)
	case amd64.MOVLM:
		all(amd64.MOVM(i), amd64.MOVBZXM(i))
	case amd64.MOVBZXM:
		all(amd64.MOVM(i), amd64.MOVLM(i))
	case amd64.MOVBMR:
		emit(amd64.MOVMR(i))
	case amd64.MOVBZX:
		emit(amd64.MOV(i))
	case amd64.MOVLI:
		emit(amd64.MOVI{D: i.D, Imm: uint64(int64(int32(i.Imm)))}) // sign-extended
	case amd64.NEG:
		emit(amd64.NOT(i))
	case amd64.NOT:
		emit(amd64.NEG(i))
	case amd64.ANDN:
		all(amd64.ANDN{D: i.D, N: i.S, S: i.N}, amd64.AND{D: i.D, S: i.S})
	case amd64.MUL:
		emit(amd64.IMUL{D: amd64.AX, S: i.S})
	case amd64.MULM:
		emit(amd64.IMULM{D: amd64.AX, M: i.M})
	case amd64.IMUL:
		emit(amd64.MUL{S: i.S})
	case amd64.IMULM:
		emit(amd64.MULM{M: i.M})
	case amd64.MULX:
		emit(amd64.MUL{S: i.S})
	case amd64.MULXM:
		emit(amd64.MULM{M: i.M})
	case amd64.SHL:
		shifts(i.D, i.N)
	case amd64.SHR:
		shifts(i.D, i.N)
	case amd64.SAR:
		shifts(i.D, i.N)
	case amd64.SHLD:
		all(amd64.SHRD(i), amd64.SHL{D: i.D, N: i.N}, amd64.SHLD{D: i.D, S: i.S, N: 64 - i.N})
	case amd64.SHRD:
		all(amd64.SHLD(i), amd64.SHR{D: i.D, N: i.N}, amd64.SHRD{D: i.D, S: i.S, N: 64 - i.N})
	case amd64.RORX:
		emit(amd64.RORX{D: i.D, S: i.S, N: 64 - i.N})
	case amd64.MOVDQA:
		sse(i.D, i.S)
	case amd64.PXOR:
		sse(i.D, i.S)
	case amd64.POR:
		sse(i.D, i.S)
	case amd64.PAND:
		sse(i.D, i.S)
	case amd64.PANDN:
		sse(i.D, i.S)
	case amd64.PCMPEQD:
		sse(i.D, i.S)
	case amd64.PADDD:
		sse(i.D, i.S)
	case amd64.PSHUFD:
		emit(amd64.MOVDQA{D: i.D, S: i.S})
	case amd64.MOVQX:
		emit(amd64.VMOVQ(i))
	case amd64.VMOVQ:
		emit(amd64.MOVQX(i))
	case amd64.MOVDQUM:
		emit(amd64.VMOVDQUM(i))
	case amd64.VMOVDQUM:
		emit(amd64.MOVDQUM(i))
	case amd64.MOVDQUMR:
		emit(amd64.VMOVDQUMR(i))
	case amd64.VMOVDQUMR:
		emit(amd64.MOVDQUMR(i))
	case amd64.VPBROADCASTQ:
		emit(amd64.MOVDQA(i))
	case amd64.VPANDM:
		all(amd64.VMOVDQUM{D: i.D, M: i.M}, amd64.VPAND{D: i.D, N: i.N, S: i.D})
	case amd64.VPXOR:
		avx(i.D, i.N, i.S)
	case amd64.VPOR:
		avx(i.D, i.N, i.S)
	case amd64.VPAND:
		avx(i.D, i.N, i.S)
	case amd64.VPANDN:
		avx(i.D, i.N, i.S)
	case amd64.VPCMPEQQ:
		avx(i.D, i.N, i.S)
	case amd64.VPADDQ:
		avx(i.D, i.N, i.S)
	case amd64.CMOV:
		emit(amd64.MOV{D: i.D, S: i.S})
	case amd64.CMOVM:
		emit(amd64.MOVM{D: i.D, M: i.M})
	}
}

// amd64Conditions emits other branch conditions, the opposite first.
func amd64Conditions(k isa.Cond, _ *context, emit func(isa.Cond)) {
	if not, err := amd64.Invert(k); err == nil {
		emit(not)
	}
	for _, o := range x64conds {
		emit(o)
	}
}

// amd64Patterns emits the bugs that hand-written arithmetic has had.
func amd64Patterns(l *listing, emit func(Kind, ...change)) {
	for n, in := range l.instrs {
		one := func(k Kind, to ...isa.Instr) { emit(k, change{at: n, to: to}) }
		// stale: an instruction that clears the carry comes between the one that sets it and this one, which reads it.
		stale := func(r isa.Reg) { one(StaleFlag, amd64.TEST{X: r, Y: r}, in) }
		switch i := in.(type) {
		// The carry that comes in is lost.
		case amd64.ADC:
			one(LostCarry, amd64.ADD(i))
			stale(i.D)
		case amd64.ADCI:
			one(LostCarry, amd64.ADDI(i))
			stale(i.D)
		case amd64.ADCM:
			one(LostCarry, amd64.ADDM(i))
			stale(i.D)
		case amd64.ADCMR:
			one(LostCarry, amd64.ADDMR(i))
			stale(i.S)
		case amd64.SBB:
			one(LostCarry, amd64.SUB(i))
			stale(i.D)
		case amd64.SBBI:
			one(LostCarry, amd64.SUBI(i))
			stale(i.D)
		case amd64.SBBM:
			one(LostCarry, amd64.SUBM(i))
			stale(i.D)
		case amd64.SBBMR:
			one(LostCarry, amd64.SUBMR(i))
			stale(i.S)
		case amd64.CMOV:
			stale(i.D)
		case amd64.CMOVM:
			stale(i.D)
		case amd64.SETCC:
			stale(i.D)
		// One half of a product is taken for the other.
		case amd64.MULX:
			one(WrongHalf, amd64.MULX{Hi: i.Lo, Lo: i.Hi, S: i.S})
		case amd64.MULXM:
			one(WrongHalf, amd64.MULXM{Hi: i.Lo, Lo: i.Hi, M: i.M})
		case amd64.MUL, amd64.MULM:
			for m := n + 1; m < len(l.instrs) && l.run[m] == l.run[n]; m++ {
				if to, reads := highForLow(l.instrs[m]); to != nil {
					emit(WrongHalf, change{at: m, to: []isa.Instr{to}})
					break
				} else if reads {
					break
				}
			}
		}
	}
	// Neighbouring words of a number change places.
	swap := func(a, b *amd64.Mem) bool {
		a.Disp, b.Disp = b.Disp, a.Disp
		return a.Base == b.Base && a.Index == b.Index && a.Scale == b.Scale
	}
	l.limbs(emit, func(a, b isa.Instr) (x, y isa.Instr, ok bool) {
		switch a := a.(type) {
		case amd64.MOVM:
			if b, same := b.(amd64.MOVM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.MOVMR:
			if b, same := b.(amd64.MOVMR); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.ADDM:
			if b, same := b.(amd64.ADDM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.ADCM:
			if b, same := b.(amd64.ADCM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.SUBM:
			if b, same := b.(amd64.SUBM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.SBBM:
			if b, same := b.(amd64.SBBM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.ANDM:
			if b, same := b.(amd64.ANDM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.CMOVM:
			if b, same := b.(amd64.CMOVM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.MOVDQUM:
			if b, same := b.(amd64.MOVDQUM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.MOVDQUMR:
			if b, same := b.(amd64.MOVDQUMR); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.VMOVDQUM:
			if b, same := b.(amd64.VMOVDQUM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.VMOVDQUMR:
			if b, same := b.(amd64.VMOVDQUMR); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.VPANDM:
			if b, same := b.(amd64.VPANDM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.MULXM:
			if b, same := b.(amd64.MULXM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		case amd64.MULM:
			if b, same := b.(amd64.MULM); same {
				ok = swap(&a.M, &b.M)
				return a, b, ok
			}
		}
		return nil, nil, false
	})
	// The subtraction of the modulus, at the end, is made always or never.
	l.reductions(emit, func(in isa.Instr) (group any, yes, no []isa.Instr) {
		switch i := in.(type) {
		case amd64.CMOV:
			return i.K, []isa.Instr{amd64.MOV{D: i.D, S: i.S}}, []isa.Instr{}
		case amd64.CMOVM:
			return i.K, []isa.Instr{amd64.MOVM{D: i.D, M: i.M}}, []isa.Instr{}
		}
		return nil, nil, nil
	})
}

// highForLow is an instruction that reads DX, made to read AX; or it tells that the instruction has to do with DX or AX
// in another way.
func highForLow(in isa.Instr) (to isa.Instr, other bool) {
	f := amd64Fields(in)
	if f == nil {
		return nil, true
	}
	for n, r := range f.regs {
		if *r != amd64.DX {
			continue
		}
		if _, load := in.(amd64.LoadArg); n == 0 && (len(f.regs) == 1 || load) {
			return nil, true // it may be what is written
		}
		if _, mov := in.(amd64.MOV); mov && n == 0 {
			return nil, true
		}
		*r = amd64.AX
		return f.get(), false
	}
	switch in.(type) {
	case amd64.MUL, amd64.MULM, amd64.MULX, amd64.MULXM:
		return nil, true
	}
	return nil, false
}
