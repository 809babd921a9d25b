package arm64

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Step is what instruction i does to the state c: the one definition of the instructions' meaning, for symbolic
// execution and for concrete. After an error, c may have changed in part.
func Step(c isa.CPU, i isa.Instr) error {
	info, err := Describe(i)
	if err != nil {
		return err
	}
	s := &state{cpu: c}
	s.step(i)
	if s.err != nil {
		return fmt.Errorf("arm64: %s: %w", info.Form, s.err)
	}
	return nil
}

func (s *state) step(i isa.Instr) {
	switch i := i.(type) {
	case ADD:
		s.setReg(i.D, logic.BVAdd(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case ADDS:
		s.setSum(i.D, addWithCarry(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount), bit(0)))
	case SUB:
		s.setReg(i.D, logic.BVSub(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case SUBS:
		s.setSum(i.D, addWithCarry(s.reg(i.N), logic.BVNot(shift(s.reg(i.M), i.Shift, i.Amount)), bit(1)))
	case ADDImm:
		s.setReg(i.D, logic.BVAdd(s.reg(i.N), word(i.Imm)))
	case ADDSImm:
		s.setSum(i.D, addWithCarry(s.reg(i.N), word(i.Imm), bit(0)))
	case SUBImm:
		s.setReg(i.D, logic.BVSub(s.reg(i.N), word(i.Imm)))
	case SUBSImm:
		s.setSum(i.D, addWithCarry(s.reg(i.N), logic.BVNot(word(i.Imm)), bit(1)))
	case ADC:
		s.setReg(i.D, addWithCarry(s.reg(i.N), s.reg(i.M), s.flag(FlagC)).result)
	case ADCS:
		s.setSum(i.D, addWithCarry(s.reg(i.N), s.reg(i.M), s.flag(FlagC)))
	case SBC:
		s.setReg(i.D, addWithCarry(s.reg(i.N), logic.BVNot(s.reg(i.M)), s.flag(FlagC)).result)
	case SBCS:
		s.setSum(i.D, addWithCarry(s.reg(i.N), logic.BVNot(s.reg(i.M)), s.flag(FlagC)))

	case MADD:
		s.setReg(i.D, logic.BVAdd(s.reg(i.A), logic.Extract(63, 0, product(s.reg(i.N), s.reg(i.M)))))
	case MSUB:
		s.setReg(i.D, logic.BVSub(s.reg(i.A), logic.Extract(63, 0, product(s.reg(i.N), s.reg(i.M)))))
	case UMULH:
		s.setReg(i.D, logic.Extract(127, 64, product(s.reg(i.N), s.reg(i.M))))

	case AND:
		s.setReg(i.D, logic.BVAnd(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case ANDS:
		s.setLogical(i.D, logic.BVAnd(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case BIC:
		s.setReg(i.D, logic.BVAnd(s.reg(i.N), logic.BVNot(shift(s.reg(i.M), i.Shift, i.Amount))))
	case ORR:
		s.setReg(i.D, logic.BVOr(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case ORN:
		s.setReg(i.D, logic.BVOr(s.reg(i.N), logic.BVNot(shift(s.reg(i.M), i.Shift, i.Amount))))
	case EOR:
		s.setReg(i.D, logic.BVXor(s.reg(i.N), shift(s.reg(i.M), i.Shift, i.Amount)))
	case ANDImm:
		s.setReg(i.D, logic.BVAnd(s.reg(i.N), word(i.Imm)))
	case ANDSImm:
		s.setLogical(i.D, logic.BVAnd(s.reg(i.N), word(i.Imm)))
	case ORRImm:
		s.setReg(i.D, logic.BVOr(s.reg(i.N), word(i.Imm)))
	case EORImm:
		s.setReg(i.D, logic.BVXor(s.reg(i.N), word(i.Imm)))

	case LSL:
		s.setReg(i.D, shift(s.reg(i.N), ShiftLSL, i.Amount))
	case LSR:
		s.setReg(i.D, shift(s.reg(i.N), ShiftLSR, i.Amount))
	case ASR:
		s.setReg(i.D, shift(s.reg(i.N), ShiftASR, i.Amount))
	case EXTR:
		s.setReg(i.D, extract(s.reg(i.N), s.reg(i.M), int(i.Amount)))
	case REV:
		s.setReg(i.D, reverseBytes(s.reg(i.N)))

	case MOVZ:
		s.setReg(i.D, word(uint64(i.Imm)<<(16*i.Hw)))
	case MOVN:
		s.setReg(i.D, word(^(uint64(i.Imm) << (16 * i.Hw))))
	case MOVK:
		s.setReg(i.D, insert16(s.reg(i.D), i.Imm, int(i.Hw)))

	case CSEL:
		s.setReg(i.D, logic.Ite(s.holds(i.Cond), s.reg(i.N), s.reg(i.M)))
	case CSINC:
		s.setReg(i.D, logic.Ite(s.holds(i.Cond), s.reg(i.N), logic.BVAdd(s.reg(i.M), word(1))))
	case CSINV:
		s.setReg(i.D, logic.Ite(s.holds(i.Cond), s.reg(i.N), logic.BVNot(s.reg(i.M))))
	case CSNEG:
		s.setReg(i.D, logic.Ite(s.holds(i.Cond), s.reg(i.N), logic.BVNeg(s.reg(i.M))))
	case CCMP:
		s.compareIf(i.Cond, s.reg(i.N), s.reg(i.M), i.NZCV)
	case CCMPImm:
		s.compareIf(i.Cond, s.reg(i.N), word(uint64(i.Imm)), i.NZCV)

	case LDR:
		s.setReg(i.T, s.load(s.address(i.N, i.Offset), 8))
	case STR:
		s.store(s.address(i.N, i.Offset), s.reg(i.T))
	case LDRW:
		s.setReg(i.T, logic.Zext(64, s.load(s.address(i.N, i.Offset), 4)))
	case STRW:
		s.store(s.address(i.N, i.Offset), logic.Extract(31, 0, s.reg(i.T)))
	case LDRB:
		s.setReg(i.T, logic.Zext(64, s.load(s.address(i.N, i.Offset), 1)))
	case STRB:
		s.store(s.address(i.N, i.Offset), logic.Extract(7, 0, s.reg(i.T)))
	case LDP:
		// Both loads come before the writes: T may be the base.
		t := s.load(s.address(i.N, i.Offset), 8)
		t2 := s.load(s.address(i.N, i.Offset+8), 8)
		s.setReg(i.T, t)
		s.setReg(i.T2, t2)
	case STP:
		s.store(s.address(i.N, i.Offset), s.reg(i.T))
		s.store(s.address(i.N, i.Offset+8), s.reg(i.T2))

	case LDRQ:
		s.setReg(i.T, s.load(s.address(i.N, i.Offset), 16))
	case STRQ:
		s.store(s.address(i.N, i.Offset), s.reg(i.T))
	case LDPQ:
		t := s.load(s.address(i.N, i.Offset), 16)
		t2 := s.load(s.address(i.N, i.Offset+16), 16)
		s.setReg(i.T, t)
		s.setReg(i.T2, t2)
	case STPQ:
		s.store(s.address(i.N, i.Offset), s.reg(i.T))
		s.store(s.address(i.N, i.Offset+16), s.reg(i.T2))
	case VMOVI:
		b := logic.BVUint(8, uint64(i.Imm))
		s.setReg(i.D, logic.Concat(slices.Repeat([]logic.Term{b}, 16)...))
	case VDUP:
		x := s.reg(i.N)
		s.setReg(i.D, logic.Concat(x, x))
	case VCMEQ:
		s.setReg(i.D, lanes(s.reg(i.N), s.reg(i.M), func(x, y logic.Term) logic.Term {
			return logic.Ite(logic.Eq(x, y), word(^uint64(0)), word(0))
		}))
	case VADD:
		s.setReg(i.D, lanes(s.reg(i.N), s.reg(i.M), logic.BVAdd))
	case VAND:
		s.setReg(i.D, logic.BVAnd(s.reg(i.N), s.reg(i.M)))
	case VORR:
		s.setReg(i.D, logic.BVOr(s.reg(i.N), s.reg(i.M)))
	case VEOR:
		s.setReg(i.D, logic.BVXor(s.reg(i.N), s.reg(i.M)))
	case VBIT:
		m := s.reg(i.M)
		s.setReg(i.D, logic.BVOr(logic.BVAnd(s.reg(i.D), logic.BVNot(m)), logic.BVAnd(s.reg(i.N), m)))

	case LoadArg:
		s.setReg(i.D, s.keep(s.cpu.Arg(i.Name)))
	case StoreResult:
		s.result(i.Name, s.reg(i.S))
	case TableAddr:
		s.setReg(i.D, s.keep(s.cpu.Table(i.Name)))

	default:
		s.fail(fmt.Errorf("%T has no meaning", i))
	}
}

// sum is the result of an addition with carry and its flags.
type sum struct{ result, n, z, c, v logic.Term }

// addWithCarry is AddWithCarry of DDI 0487. The sum of 64-bit x and y and carry, below 2⁶⁵, is taken in 65 bits.
// Subtraction of y adds its complement, with carry 1 when there is no borrow.
func addWithCarry(x, y, carry logic.Term) sum {
	wide := logic.BVAdd(logic.BVAdd(logic.Zext(65, x), logic.Zext(65, y)), logic.Zext(65, carry))
	r := logic.Extract(63, 0, wide)
	return sum{
		result: r,
		n:      sign(r),
		z:      isZero(r),
		c:      logic.Extract(64, 64, wide),
		// Overflow: both addends have one sign and the result has the other.
		v: logic.BVAnd(logic.BVXor(sign(x), sign(r)), logic.BVXor(sign(y), sign(r))),
	}
}

// setSum writes the result and the flags of an addition.
func (s *state) setSum(d Reg, a sum) {
	s.setReg(d, a.result)
	s.setFlags(a.n, a.z, a.c, a.v)
}

// setLogical writes a bitwise result and its flags.
func (s *state) setLogical(d Reg, r logic.Term) {
	s.setReg(d, r)
	s.setFlags(sign(r), isZero(r), bit(0), bit(0))
}

// compareIf sets the flags of n − m if k holds, else those of the constant nzcv.
func (s *state) compareIf(k Cond, n, m logic.Term, nzcv uint8) {
	a := addWithCarry(n, logic.BVNot(m), bit(1))
	holds := s.holds(k)
	s.setFlags(
		logic.Ite(holds, a.n, bit(nzcv>>3&1)),
		logic.Ite(holds, a.z, bit(nzcv>>2&1)),
		logic.Ite(holds, a.c, bit(nzcv>>1&1)),
		logic.Ite(holds, a.v, bit(nzcv&1)),
	)
}

func bit(v uint8) logic.Term       { return logic.BVUint(1, uint64(v)) }
func word(v uint64) logic.Term     { return logic.BVUint(64, v) }
func sign(r logic.Term) logic.Term { return logic.Extract(63, 63, r) }

func isZero(r logic.Term) logic.Term {
	return logic.Ite(logic.Eq(r, word(0)), bit(1), bit(0))
}

// product is the full product of two 64-bit values.
func product(x, y logic.Term) logic.Term {
	return logic.BVMul(logic.Zext(128, x), logic.Zext(128, y))
}

// shift is ShiftReg of DDI 0487.
func shift(x logic.Term, how Shift, amount uint8) logic.Term {
	k := int(amount)
	switch how {
	case ShiftLSL:
		return logic.Shl(x, k)
	case ShiftLSR:
		return logic.Lshr(x, k)
	case ShiftASR:
		return logic.Ashr(x, k)
	case ShiftROR:
		return logic.Rotr(x, k)
	}
	return logic.Term{}
}

// extract is the 64 bits from bit k on of the concatenation of high and low. A rotation is spelled as one, as in
// the shifted register forms.
func extract(high, low logic.Term, k int) logic.Term {
	if high == low {
		return logic.Rotr(low, k)
	}
	return logic.Extract(k+63, k, logic.Concat(low, high))
}

// insert16 replaces 16 bits of x, from bit 16·hw on.
func insert16(x logic.Term, v uint16, hw int) logic.Term {
	var parts []logic.Term // from the low end
	for h := 0; h < 4; h++ {
		if h == hw {
			parts = append(parts, logic.BVUint(16, uint64(v)))
		} else {
			parts = append(parts, logic.Extract(16*h+15, 16*h, x))
		}
	}
	return logic.Concat(parts...)
}

// reverseBytes makes the highest byte of x the lowest.
func reverseBytes(x logic.Term) logic.Term {
	var parts []logic.Term // from the low end
	for b := 7; b >= 0; b-- {
		parts = append(parts, logic.Extract(8*b+7, 8*b, x))
	}
	return logic.Concat(parts...)
}

// lanes applies f to each pair of 64-bit lanes of the vectors x and y.
func lanes(x, y logic.Term, f func(x, y logic.Term) logic.Term) logic.Term {
	low := f(logic.Extract(63, 0, x), logic.Extract(63, 0, y))
	return logic.Concat(low, f(logic.Extract(127, 64, x), logic.Extract(127, 64, y)))
}

// state wraps a CPU so that the first error sticks: later reads give the zero term, later writes do nothing.
type state struct {
	cpu isa.CPU
	err error
}

func (s *state) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// keep returns t unless the CPU reported an error or t is ill-formed.
func (s *state) keep(t logic.Term, err error) logic.Term {
	if err == nil {
		err = t.Err()
	}
	if err != nil {
		s.fail(err)
		return logic.Term{}
	}
	return t
}

// reg reads a register; ZR is zero.
func (s *state) reg(r Reg) logic.Term {
	if r == ZR {
		return word(0)
	}
	return s.keep(s.cpu.Reg(r))
}

// setReg writes a register; a write to ZR has no effect.
func (s *state) setReg(r Reg, v logic.Term) {
	if s.err == nil && r != ZR {
		s.fail(s.cpu.SetReg(r, v))
	}
}

func (s *state) flag(f isa.Flag) logic.Term { return s.keep(s.cpu.Flag(f)) }

func (s *state) setFlags(n, z, c, v logic.Term) {
	for f, t := range []logic.Term{FlagN: n, FlagZ: z, FlagC: c, FlagV: v} {
		if s.err == nil {
			s.fail(s.cpu.SetFlag(isa.Flag(f), t))
		}
	}
}

// address is the address base + offset.
func (s *state) address(base Reg, offset int) logic.Term {
	return logic.BVAdd(s.reg(base), word(uint64(int64(offset))))
}

func (s *state) load(addr logic.Term, n int) logic.Term {
	if s.err != nil {
		return logic.Term{}
	}
	return s.keep(s.cpu.Load(addr, n))
}

func (s *state) store(addr, v logic.Term) {
	if s.err == nil {
		s.fail(s.cpu.Store(addr, v))
	}
}

func (s *state) result(name string, v logic.Term) {
	if s.err == nil {
		s.fail(s.cpu.SetResult(name, v))
	}
}
