package amd64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Step executes i in the state c. It is the only semantics of the instructions: the prover runs it on variables, the
// conformance tests on constants. An instruction that Describe refuses, poison that is read and a refused memory
// access are errors.
func Step(c isa.CPU, i isa.Instr) error {
	f, err := checked(i)
	if err != nil {
		return err
	}
	s := &stepper{c: c}
	s.step(i)
	if s.err != nil {
		return fmt.Errorf("amd64: %s: %w", f.intel, s.err)
	}
	return nil
}

// step reads all operands of i before it writes any.
func (s *stepper) step(i isa.Instr) {
	switch i := i.(type) {
	// Moves.
	case MOV:
		s.setReg(i.D, s.reg(i.S))
	case MOVI:
		s.setReg(i.D, word(i.Imm))
	case MOVLI:
		s.setReg(i.D, word(uint64(i.Imm)))
	case MOVM:
		s.setReg(i.D, s.load(s.addr(i.M), 8))
	case MOVMR:
		s.store(s.addr(i.M), s.reg(i.S))
	case MOVMI:
		s.store(s.addr(i.M), signed(i.Imm))
	case MOVLM:
		s.setReg(i.D, logic.Zext(64, s.load(s.addr(i.M), 4)))
	case MOVBMR:
		s.store(s.addr(i.M), logic.Extract(7, 0, s.reg(i.S)))
	case MOVBZX:
		s.setReg(i.D, logic.Zext(64, logic.Extract(7, 0, s.reg(i.S))))
	case MOVBZXM:
		s.setReg(i.D, logic.Zext(64, s.load(s.addr(i.M), 1)))
	case LEA:
		s.setReg(i.D, s.addr(i.M))
	case BSWAP:
		s.setReg(i.D, byteSwap(s.reg(i.D)))

	// Addition and subtraction.
	case ADD:
		s.setReg(i.D, s.add(s.reg(i.D), s.reg(i.S), bit0))
	case ADDI:
		s.setReg(i.D, s.add(s.reg(i.D), signed(i.Imm), bit0))
	case ADDM:
		s.setReg(i.D, s.add(s.reg(i.D), s.load(s.addr(i.M), 8), bit0))
	case ADDMR:
		a := s.addr(i.M)
		s.store(a, s.add(s.load(a, 8), s.reg(i.S), bit0))
	case ADC:
		s.setReg(i.D, s.add(s.reg(i.D), s.reg(i.S), s.flag(CF)))
	case ADCI:
		s.setReg(i.D, s.add(s.reg(i.D), signed(i.Imm), s.flag(CF)))
	case ADCM:
		s.setReg(i.D, s.add(s.reg(i.D), s.load(s.addr(i.M), 8), s.flag(CF)))
	case ADCMR:
		a := s.addr(i.M)
		s.store(a, s.add(s.load(a, 8), s.reg(i.S), s.flag(CF)))
	case SUB:
		s.setReg(i.D, s.sub(s.reg(i.D), s.reg(i.S), bit0))
	case SUBI:
		s.setReg(i.D, s.sub(s.reg(i.D), signed(i.Imm), bit0))
	case SUBM:
		s.setReg(i.D, s.sub(s.reg(i.D), s.load(s.addr(i.M), 8), bit0))
	case SUBMR:
		a := s.addr(i.M)
		s.store(a, s.sub(s.load(a, 8), s.reg(i.S), bit0))
	case SBB:
		if i.D == i.S {
			s.setReg(i.D, s.borrowMask())
			return
		}
		s.setReg(i.D, s.sub(s.reg(i.D), s.reg(i.S), s.flag(CF)))
	case SBBI:
		s.setReg(i.D, s.sub(s.reg(i.D), signed(i.Imm), s.flag(CF)))
	case SBBM:
		s.setReg(i.D, s.sub(s.reg(i.D), s.load(s.addr(i.M), 8), s.flag(CF)))
	case SBBMR:
		a := s.addr(i.M)
		s.store(a, s.sub(s.load(a, 8), s.reg(i.S), s.flag(CF)))
	case NEG:
		s.setReg(i.D, s.sub(word(0), s.reg(i.D), bit0))
	case CMP:
		s.sub(s.reg(i.X), s.reg(i.Y), bit0)
	case CMPI:
		s.sub(s.reg(i.X), signed(i.Imm), bit0)
	case CMPM:
		s.sub(s.reg(i.X), s.load(s.addr(i.M), 8), bit0)
	case CMPMR:
		s.sub(s.load(s.addr(i.M), 8), s.reg(i.Y), bit0)

	// Bitwise logic.
	case AND:
		s.setReg(i.D, s.bitwise(logic.BVAnd(s.reg(i.D), s.reg(i.S))))
	case ANDI:
		s.setReg(i.D, s.bitwise(logic.BVAnd(s.reg(i.D), signed(i.Imm))))
	case ANDM:
		s.setReg(i.D, s.bitwise(logic.BVAnd(s.reg(i.D), s.load(s.addr(i.M), 8))))
	case ANDMR:
		a := s.addr(i.M)
		s.store(a, s.bitwise(logic.BVAnd(s.load(a, 8), s.reg(i.S))))
	case OR:
		s.setReg(i.D, s.bitwise(logic.BVOr(s.reg(i.D), s.reg(i.S))))
	case ORI:
		s.setReg(i.D, s.bitwise(logic.BVOr(s.reg(i.D), signed(i.Imm))))
	case ORM:
		s.setReg(i.D, s.bitwise(logic.BVOr(s.reg(i.D), s.load(s.addr(i.M), 8))))
	case ORMR:
		a := s.addr(i.M)
		s.store(a, s.bitwise(logic.BVOr(s.load(a, 8), s.reg(i.S))))
	case XOR:
		if i.D == i.S {
			s.setReg(i.D, s.bitwise(word(0)))
			return
		}
		s.setReg(i.D, s.bitwise(logic.BVXor(s.reg(i.D), s.reg(i.S))))
	case XORI:
		s.setReg(i.D, s.bitwise(logic.BVXor(s.reg(i.D), signed(i.Imm))))
	case XORM:
		s.setReg(i.D, s.bitwise(logic.BVXor(s.reg(i.D), s.load(s.addr(i.M), 8))))
	case XORMR:
		a := s.addr(i.M)
		s.store(a, s.bitwise(logic.BVXor(s.load(a, 8), s.reg(i.S))))
	case XORL:
		if i.D == i.S {
			s.setReg(i.D, s.bitwise(word(0)))
			return
		}
		r := logic.BVXor(logic.Extract(31, 0, s.reg(i.D)), logic.Extract(31, 0, s.reg(i.S)))
		s.setReg(i.D, logic.Zext(64, s.bitwise(r)))
	case TEST:
		s.bitwise(logic.BVAnd(s.reg(i.X), s.reg(i.Y)))
	case TESTI:
		s.bitwise(logic.BVAnd(s.reg(i.X), signed(i.Imm)))
	case TESTM:
		s.bitwise(logic.BVAnd(s.reg(i.X), s.load(s.addr(i.M), 8)))
	case NOT:
		s.setReg(i.D, logic.BVNot(s.reg(i.D)))
	case ANDN:
		s.setReg(i.D, s.bitwise(logic.BVAnd(logic.BVNot(s.reg(i.N)), s.reg(i.S))))

	// Multiplication.
	case MUL:
		s.mul(s.reg(i.S))
	case MULM:
		s.mul(s.load(s.addr(i.M), 8))
	case IMUL:
		s.setReg(i.D, s.imul(s.reg(i.D), s.reg(i.S)))
	case IMULM:
		s.setReg(i.D, s.imul(s.reg(i.D), s.load(s.addr(i.M), 8)))
	case IMULI:
		s.setReg(i.D, s.imul(s.reg(i.S), signed(i.Imm)))
	case MULX:
		s.mulx(i.Hi, i.Lo, s.reg(i.S))
	case MULXM:
		s.mulx(i.Hi, i.Lo, s.load(s.addr(i.M), 8))

	// Shifts.
	case SHL:
		n, x := int(i.N), s.reg(i.D)
		r := logic.Shl(x, n)
		s.shifted(r, bit(x, 64-n), n, logic.BVXor(bit(x, 63), bit(r, 63)))
		s.setReg(i.D, r)
	case SHR:
		n, x := int(i.N), s.reg(i.D)
		r := logic.Lshr(x, n)
		s.shifted(r, bit(x, n-1), n, bit(x, 63))
		s.setReg(i.D, r)
	case SAR:
		n, x := int(i.N), s.reg(i.D)
		r := logic.Ashr(x, n)
		s.shifted(r, bit(x, n-1), n, bit0)
		s.setReg(i.D, r)
	case SHLD:
		n, x := int(i.N), s.reg(i.D)
		r := logic.Extract(127-n, 64-n, logic.Concat(s.reg(i.S), x))
		s.shifted(r, bit(x, 64-n), n, logic.BVXor(bit(x, 63), bit(r, 63)))
		s.setReg(i.D, r)
	case SHRD:
		n, x := int(i.N), s.reg(i.D)
		r := logic.Extract(63+n, n, logic.Concat(x, s.reg(i.S)))
		s.shifted(r, bit(x, n-1), n, logic.BVXor(bit(x, 63), bit(r, 63)))
		s.setReg(i.D, r)
	case RORX:
		s.setReg(i.D, logic.Rotr(s.reg(i.S), int(i.N)))

	// Conditional forms.
	case CMOV:
		s.setReg(i.D, logic.Ite(s.cond(i.K), s.reg(i.S), s.reg(i.D)))
	case CMOVM:
		s.setReg(i.D, logic.Ite(s.cond(i.K), s.load(s.addr(i.M), 8), s.reg(i.D)))
	case SETCC:
		b := logic.Zext(8, flagOf(s.cond(i.K)))
		s.setReg(i.D, logic.Concat(b, logic.Extract(63, 8, s.reg(i.D))))

	// Vectors of 128 bits. The upper halves of the registers stay.
	case MOVDQA:
		s.setReg(i.D, s.reg(i.S))
	case MOVDQUM:
		s.setReg(i.D, s.load(s.addr(i.M), 16))
	case MOVDQUMR:
		s.store(s.addr(i.M), s.reg(i.S))
	case MOVQX:
		s.setReg(i.D, logic.Zext(128, s.reg(i.S)))
	case PXOR:
		if i.D == i.S {
			s.setReg(i.D, logic.BVUint(128, 0))
			return
		}
		s.setReg(i.D, logic.BVXor(s.reg(i.D), s.reg(i.S)))
	case POR:
		s.setReg(i.D, logic.BVOr(s.reg(i.D), s.reg(i.S)))
	case PAND:
		s.setReg(i.D, logic.BVAnd(s.reg(i.D), s.reg(i.S)))
	case PANDN:
		s.setReg(i.D, logic.BVAnd(logic.BVNot(s.reg(i.D)), s.reg(i.S)))
	case PCMPEQD:
		s.setReg(i.D, lanes(32, s.reg(i.D), s.reg(i.S), equalMask))
	case PADDD:
		s.setReg(i.D, lanes(32, s.reg(i.D), s.reg(i.S), logic.BVAdd))
	case PSHUFD:
		x := s.reg(i.S)
		var parts []logic.Term // from the low end
		for n := range 4 {
			k := int(i.Imm >> (2 * n) & 3)
			parts = append(parts, logic.Extract(32*k+31, 32*k, x))
		}
		s.setReg(i.D, logic.Concat(parts...))

	// Vectors of 256 bits.
	case VMOVDQUM:
		a := s.addr(i.M)
		s.setWide(i.D, wide{s.load(a, 16), s.load(logic.BVAdd(a, word(16)), 16)})
	case VMOVDQUMR:
		a, v := s.addr(i.M), s.wide(i.S)
		s.store(a, v[0])
		s.store(logic.BVAdd(a, word(16)), v[1])
	case VMOVQ:
		s.setWide(i.D, wide{logic.Zext(128, s.reg(i.S)), logic.BVUint(128, 0)})
	case VPBROADCASTQ:
		x := logic.Extract(63, 0, s.reg(i.S))
		s.setWide(i.D, wide{logic.Concat(x, x), logic.Concat(x, x)})
	case VPXOR:
		if i.N == i.S {
			s.setWide(i.D, wide{logic.BVUint(128, 0), logic.BVUint(128, 0)})
			return
		}
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), logic.BVXor))
	case VPOR:
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), logic.BVOr))
	case VPAND:
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), logic.BVAnd))
	case VPANDM:
		a := s.addr(i.M)
		m := wide{s.load(a, 16), s.load(logic.BVAdd(a, word(16)), 16)}
		s.setWide(i.D, s.wide(i.N).with(m, logic.BVAnd))
	case VPANDN:
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), func(n, x logic.Term) logic.Term { return logic.BVAnd(logic.BVNot(n), x) }))
	case VPCMPEQQ:
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), func(n, x logic.Term) logic.Term { return lanes(64, n, x, equalMask) }))
	case VPADDQ:
		s.setWide(i.D, s.wide(i.N).with(s.wide(i.S), func(n, x logic.Term) logic.Term { return lanes(64, n, x, logic.BVAdd) }))
	case VZEROUPPER:
		for x := X0; x <= X15; x++ {
			s.setReg(Upper(x), logic.BVUint(128, 0))
		}

	// Arguments and tables.
	case LoadArg:
		s.setReg(i.D, s.term(s.c.Arg(i.Name)))
	case StoreResult:
		v := s.reg(i.S)
		if s.err == nil {
			s.err = s.c.SetResult(i.Name, v)
		}
	case TableAddr:
		s.setReg(i.D, s.term(s.c.Table(i.Name)))

	default:
		s.err = fmt.Errorf("%T has no semantics", i)
	}
}

// add is x + y + c of 64-bit words and a bit, modulo 2⁶⁴, and sets the flags. The sum has 65 bits, and its top bit is
// the carry.
func (s *stepper) add(x, y, c logic.Term) logic.Term {
	sum := logic.BVAdd(logic.BVAdd(logic.Zext(65, x), logic.Zext(65, y)), logic.Zext(65, c))
	r := logic.Extract(63, 0, sum)
	s.setFlag(CF, bit(sum, 64))
	// Overflow: the operands have one sign, the result has the other.
	s.setFlag(OF, logic.BVAnd(logic.BVNot(logic.BVXor(bit(x, 63), bit(y, 63))), logic.BVXor(bit(x, 63), bit(r, 63))))
	s.setResultFlags(r)
	return r
}

// sub is x − y − b modulo 2⁶⁴, and sets the flags. It is computed as x + ^y + (1−b), whose carry is the complement of
// the borrow: the form that subtraction has on AArch64, too.
func (s *stepper) sub(x, y, b logic.Term) logic.Term {
	sum := logic.BVAdd(logic.BVAdd(logic.Zext(65, x), logic.Zext(65, logic.BVNot(y))), logic.Zext(65, logic.BVNot(b)))
	r := logic.Extract(63, 0, sum)
	s.setFlag(CF, logic.BVNot(bit(sum, 64)))
	// Overflow: the operands differ in sign, and the result's is not that of x.
	s.setFlag(OF, logic.BVAnd(logic.BVXor(bit(x, 63), bit(y, 63)), logic.BVXor(bit(x, 63), bit(r, 63))))
	s.setResultFlags(r)
	return r
}

// borrowMask is x − x − CF for any x: a mask of CF. CF stays.
func (s *stepper) borrowMask() logic.Term {
	cf := s.flag(CF)
	s.setFlag(ZF, logic.BVNot(cf))
	s.setFlag(SF, cf)
	s.setFlag(OF, bit0)
	return logic.Ite(isSet(cf), word(1<<64-1), word(0))
}

// bitwise sets the flags for the result r of a bitwise operation.
func (s *stepper) bitwise(r logic.Term) logic.Term {
	s.setFlag(CF, bit0)
	s.setFlag(OF, bit0)
	s.setResultFlags(r)
	return r
}

// product is the 128-bit unsigned product.
func product(x, y logic.Term) logic.Term {
	return logic.BVMul(logic.Zext(128, x), logic.Zext(128, y))
}

// mul is DX:AX = AX·y.
func (s *stepper) mul(y logic.Term) {
	p := product(s.reg(AX), y)
	hi := logic.Extract(127, 64, p)
	s.setReg(AX, logic.Extract(63, 0, p))
	s.setReg(DX, hi)
	big := flagOf(logic.Not(logic.Eq(hi, word(0))))
	s.setFlag(CF, big)
	s.setFlag(OF, big)
	s.undefined(ZF, SF)
}

// mulx is hi:lo = DX·y. The low half is written first: when hi and lo are one register, it gets the high half.
func (s *stepper) mulx(hi, lo Reg, y logic.Term) {
	p := product(s.reg(DX), y)
	s.setReg(lo, logic.Extract(63, 0, p))
	s.setReg(hi, logic.Extract(127, 64, p))
}

// imul is the low half of x·y, which is the same for signed and unsigned operands; CF and OF say that the signed
// product needs more than 64 bits.
func (s *stepper) imul(x, y logic.Term) logic.Term {
	r := logic.Extract(63, 0, product(x, y))
	exact := logic.Eq(logic.BVMul(logic.Sext(128, x), logic.Sext(128, y)), logic.Sext(128, r))
	s.setFlag(CF, flagOf(logic.Not(exact)))
	s.setFlag(OF, flagOf(logic.Not(exact)))
	s.undefined(ZF, SF)
	return r
}

// shifted sets the flags for the result r of a shift by n ≥ 1: out is the last bit shifted out, of1 is OF if n = 1.
func (s *stepper) shifted(r, out logic.Term, n int, of1 logic.Term) {
	s.setFlag(CF, out)
	if n == 1 {
		s.setFlag(OF, of1)
	} else {
		s.undefined(OF)
	}
	s.setResultFlags(r)
}

// setResultFlags sets ZF and SF for the result r.
func (s *stepper) setResultFlags(r logic.Term) {
	n := r.Sort().Width()
	s.setFlag(ZF, flagOf(logic.Eq(r, logic.BVUint(n, 0))))
	s.setFlag(SF, bit(r, n-1))
}

// byteSwap reverses the bytes of x.
func byteSwap(x logic.Term) logic.Term {
	bytes := make([]logic.Term, 0, 8)
	for i := 56; i >= 0; i -= 8 {
		bytes = append(bytes, logic.Extract(i+7, i, x))
	}
	return logic.Concat(bytes...)
}

// lanes applies f to each pair of w-bit lanes of 128-bit x and y.
func lanes(w int, x, y logic.Term, f func(x, y logic.Term) logic.Term) logic.Term {
	var parts []logic.Term // from the low end
	for o := 0; o < 128; o += w {
		parts = append(parts, f(logic.Extract(o+w-1, o, x), logic.Extract(o+w-1, o, y)))
	}
	return logic.Concat(parts...)
}

// equalMask is all ones if x = y, else 0.
func equalMask(x, y logic.Term) logic.Term {
	zero := logic.BVUint(x.Width(), 0)
	return logic.Ite(logic.Eq(x, y), logic.BVNot(zero), zero)
}

// wide is a 256-bit value, the low half first.
type wide [2]logic.Term

// with applies f, which works lane by lane, to the halves.
func (x wide) with(y wide, f func(x, y logic.Term) logic.Term) wide {
	return wide{f(x[0], y[0]), f(x[1], y[1])}
}

func (s *stepper) wide(r Reg) wide { return wide{s.reg(r), s.reg(Upper(r))} }

func (s *stepper) setWide(r Reg, v wide) {
	s.setReg(r, v[0])
	s.setReg(Upper(r), v[1])
}

// addr is the address of a memory operand.
func (s *stepper) addr(m Mem) logic.Term {
	a := s.reg(m.Base)
	switch m.Scale {
	case 1:
		a = logic.BVAdd(a, s.reg(m.Index))
	case 2:
		a = logic.BVAdd(a, logic.Shl(s.reg(m.Index), 1))
	case 4:
		a = logic.BVAdd(a, logic.Shl(s.reg(m.Index), 2))
	case 8:
		a = logic.BVAdd(a, logic.Shl(s.reg(m.Index), 3))
	}
	return logic.BVAdd(a, signed(m.Disp))
}

// Constants and bits.

var bit0 = logic.BVUint(1, 0)

func word(v uint64) logic.Term           { return logic.BVUint(64, v) }
func signed(v int32) logic.Term          { return word(uint64(int64(v))) }
func bit(x logic.Term, i int) logic.Term { return logic.Extract(i, i, x) }

// isSet is the condition that a bit is 1, flagOf the bit that a condition is true.
func isSet(b logic.Term) logic.Term  { return logic.Eq(b, logic.BVUint(1, 1)) }
func flagOf(c logic.Term) logic.Term { return logic.Ite(c, logic.BVUint(1, 1), logic.BVUint(1, 0)) }

// stepper reads and writes a state and keeps the first error; after an error it does nothing more.
type stepper struct {
	c   isa.CPU
	err error
}

// term passes a value on and keeps the error.
func (s *stepper) term(v logic.Term, err error) logic.Term {
	if s.err == nil {
		s.err = err
	}
	if s.err != nil {
		return logic.Term{}
	}
	return v
}

func (s *stepper) reg(r Reg) logic.Term {
	if s.err != nil {
		return logic.Term{}
	}
	return s.term(s.c.Reg(r))
}

func (s *stepper) setReg(r Reg, v logic.Term) {
	if s.err == nil {
		s.err = s.c.SetReg(r, v)
	}
}

func (s *stepper) flag(f isa.Flag) logic.Term {
	if s.err != nil {
		return logic.Term{}
	}
	return s.term(s.c.Flag(f))
}

func (s *stepper) setFlag(f isa.Flag, v logic.Term) {
	if s.err == nil {
		s.err = s.c.SetFlag(f, v)
	}
}

// undefined makes flags poison.
func (s *stepper) undefined(flags ...isa.Flag) {
	for _, f := range flags {
		s.setFlag(f, logic.Term{})
	}
}

func (s *stepper) cond(k Cond) logic.Term {
	if s.err != nil {
		return logic.Term{}
	}
	return s.term(CondTerm(s.c, k))
}

func (s *stepper) load(addr logic.Term, n int) logic.Term {
	if s.err != nil {
		return logic.Term{}
	}
	return s.term(s.c.Load(addr, n))
}

func (s *stepper) store(addr, v logic.Term) {
	if s.err == nil {
		s.err = s.c.Store(addr, v)
	}
}
