package arm64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Cond is a condition on the flags (DDI 0487 C1.2.4). The zero value is none, so that a forgotten Cond is refused.
type Cond uint8

// The conditions on the flags, in the order of their encoding.
const (
	EQ Cond = iota + 1 // Z
	NE                 // not Z
	HS                 // C
	LO                 // not C
	MI                 // N
	PL                 // not N
	VS                 // V
	VC                 // not V
	HI                 // C and not Z
	LS                 // not C or Z
	GE                 // N = V
	LT                 // N ≠ V
	GT                 // not Z and N = V
	LE                 // Z or N ≠ V
)

// Condition marks Cond as a branch condition (B.cond).
func (Cond) Condition() {}

var condNames = [...]string{"EQ", "NE", "HS", "LO", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE"}

// code is the 4-bit encoding of k.
func (k Cond) code() uint32 { return uint32(k - EQ) }

// invert is the opposite of k: the encodings of opposites differ in bit 0.
func (k Cond) invert() Cond { return (k - EQ) ^ 1 + EQ }

func (k Cond) check() error {
	if k < EQ || k > LE {
		return fmt.Errorf("no condition %d", uint8(k))
	}
	return nil
}

// String returns the condition's mnemonic.
func (k Cond) String() string {
	if k.check() != nil {
		return fmt.Sprintf("Cond(%d)", uint8(k))
	}
	return condNames[k.code()]
}

// CBZ holds when register T is zero.
type CBZ struct{ T Reg }

// CBNZ holds when register T is not zero.
type CBNZ struct{ T Reg }

// Condition marks CBZ as a branch condition.
func (CBZ) Condition() {}

// Condition marks CBNZ as a branch condition.
func (CBNZ) Condition() {}

// DescribeCond describes a branch condition and checks its operands. A branch reveals its condition.
func DescribeCond(k isa.Cond) (isa.Info, error) {
	var info isa.Info
	var err error
	switch k := k.(type) {
	case Cond:
		info, err = describe("B.cond", "C6.2.26", k.check())
	case CBZ:
		info, err = describe("CBZ", "C6.2.47", general(k.T))
	case CBNZ:
		info, err = describe("CBNZ", "C6.2.46", general(k.T))
	default:
		return isa.Info{}, fmt.Errorf("arm64: %T is not a condition of this model", k)
	}
	info.Timing = isa.PublicOnly
	return info, err
}

// Invert returns the condition that holds when k does not.
func Invert(k isa.Cond) (isa.Cond, error) {
	if _, err := DescribeCond(k); err != nil {
		return nil, err
	}
	switch k := k.(type) {
	case Cond:
		return k.invert(), nil
	case CBZ:
		return CBNZ(k), nil
	case CBNZ:
		return CBZ(k), nil
	}
	return nil, fmt.Errorf("arm64: %T has no opposite", k)
}

// CondTerm returns the meaning of a condition in state c, a term of sort Bool.
func CondTerm(c isa.CPU, k isa.Cond) (logic.Term, error) {
	if _, err := DescribeCond(k); err != nil {
		return logic.Term{}, err
	}
	s := &state{cpu: c}
	var t logic.Term
	switch k := k.(type) {
	case Cond:
		t = s.holds(k)
	case CBZ:
		t = logic.Eq(s.reg(k.T), word(0))
	case CBNZ:
		t = logic.Not(logic.Eq(s.reg(k.T), word(0)))
	default:
		return logic.Term{}, fmt.Errorf("arm64: %T has no meaning", k)
	}
	if s.err != nil {
		return logic.Term{}, fmt.Errorf("arm64: condition %v: %w", k, s.err)
	}
	return t, t.Err()
}

// holds is ConditionHolds of DDI 0487: of each pair of conditions, the second is the opposite of the first.
func (s *state) holds(k Cond) logic.Term {
	set := func(f isa.Flag) logic.Term { return logic.Eq(s.flag(f), bit(1)) }
	switch k {
	case EQ:
		return set(FlagZ)
	case HS:
		return set(FlagC)
	case MI:
		return set(FlagN)
	case VS:
		return set(FlagV)
	case HI:
		return logic.And(set(FlagC), logic.Not(set(FlagZ)))
	case GE:
		return logic.Eq(s.flag(FlagN), s.flag(FlagV))
	case GT:
		return logic.And(logic.Not(set(FlagZ)), logic.Eq(s.flag(FlagN), s.flag(FlagV)))
	case NE, LO, PL, VC, LS, LT, LE:
		return logic.Not(s.holds(k.invert()))
	}
	s.fail(k.check())
	return logic.Term{}
}
