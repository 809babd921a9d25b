package amd64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Cond is a condition on the flags, of a branch or of a conditional form. The names are those of Go's assembler.
type Cond uint8

// The conditions: name, Intel's suffix, meaning. Comments in brackets: what it says after CMP X, Y.
const (
	OS Cond = iota + 1 // O: OF
	OC                 // NO: not OF
	CS                 // B: CF [X < Y unsigned]
	CC                 // AE: not CF [X ≥ Y unsigned]
	EQ                 // E: ZF [X = Y]
	NE                 // NE: not ZF [X ≠ Y]
	LS                 // BE: CF or ZF [X ≤ Y unsigned]
	HI                 // A: neither CF nor ZF [X > Y unsigned]
	MI                 // S: SF
	PL                 // NS: not SF
	LT                 // L: SF ≠ OF [X < Y signed]
	GE                 // GE: SF = OF [X ≥ Y signed]
	LE                 // LE: ZF or SF ≠ OF [X ≤ Y signed]
	GT                 // G: not ZF and SF = OF [X > Y signed]
)

// Condition marks Cond as a condition.
func (Cond) Condition() {}

// conds gives each condition its name, its number in an opcode (SDM vol. 1, appendix B, table B-1) and its opposite.
var conds = [...]struct {
	name   string
	code   uint16
	invert Cond
}{
	OS: {"OS", 0x0, OC}, OC: {"OC", 0x1, OS},
	CS: {"CS", 0x2, CC}, CC: {"CC", 0x3, CS},
	EQ: {"EQ", 0x4, NE}, NE: {"NE", 0x5, EQ},
	LS: {"LS", 0x6, HI}, HI: {"HI", 0x7, LS},
	MI: {"MI", 0x8, PL}, PL: {"PL", 0x9, MI},
	LT: {"LT", 0xc, GE}, GE: {"GE", 0xd, LT},
	LE: {"LE", 0xe, GT}, GT: {"GT", 0xf, LE},
}

func (k Cond) valid() bool { return OS <= k && k <= GT }

// code is the number of the condition in an opcode.
func (k Cond) code() uint16 {
	if !k.valid() {
		return 0
	}
	return conds[k].code
}

// String is the condition's name in Go's assembler.
func (k Cond) String() string {
	if !k.valid() {
		return fmt.Sprintf("Cond(%d)", uint8(k))
	}
	return conds[k].name
}

// condition refuses what is not a condition of this package.
func condition(k isa.Cond) (Cond, error) {
	c, ok := k.(Cond)
	if !ok || !c.valid() {
		return 0, fmt.Errorf("amd64: %v (%T) is not a condition", k, k)
	}
	return c, nil
}

// Invert is the condition that holds exactly when k does not.
func Invert(k isa.Cond) (isa.Cond, error) {
	c, err := condition(k)
	if err != nil {
		return nil, err
	}
	return conds[c].invert, nil
}

// DescribeCond describes the conditional branch on k.
func DescribeCond(k isa.Cond) (isa.Info, error) {
	if _, err := condition(k); err != nil {
		return isa.Info{}, err
	}
	return isa.Info{Form: "Jcc", Manual: "Intel SDM vol. 2A ch. 3, Jcc", Timing: isa.PublicOnly}, nil
}

// CondTerm is the condition k in the state c, of sort Bool. It reads only the flags that k depends on.
func CondTerm(c isa.CPU, k isa.Cond) (logic.Term, error) {
	cc, err := condition(k)
	if err != nil {
		return logic.Term{}, err
	}
	// Of two opposite conditions the second is the negation of the first.
	positive, negate := cc, false
	switch cc {
	case OC, CC, NE, HI, PL, GE, GT:
		positive, negate = conds[cc].invert, true
	}
	var t logic.Term
	f := flagReader{c: c}
	switch positive {
	case OS:
		t = f.set(OF)
	case CS:
		t = f.set(CF)
	case EQ:
		t = f.set(ZF)
	case LS:
		t = logic.Or(f.set(CF), f.set(ZF))
	case MI:
		t = f.set(SF)
	case LT:
		t = logic.Not(logic.Iff(f.set(SF), f.set(OF)))
	case LE:
		t = logic.Or(f.set(ZF), logic.Not(logic.Iff(f.set(SF), f.set(OF))))
	default:
		return logic.Term{}, fmt.Errorf("amd64: condition %v has no meaning", cc)
	}
	if f.err != nil {
		return logic.Term{}, fmt.Errorf("amd64: condition %v: %w", cc, f.err)
	}
	if negate {
		t = logic.Not(t)
	}
	return t, nil
}

// flagReader reads flags as conditions and keeps the first error.
type flagReader struct {
	c   isa.CPU
	err error
}

// set is the condition "flag f is 1".
func (r *flagReader) set(f isa.Flag) logic.Term {
	if r.err != nil {
		return logic.Term{}
	}
	v, err := r.c.Flag(f)
	if err != nil {
		r.err = err
		return logic.Term{}
	}
	return logic.Eq(v, logic.BVUint(1, 1))
}
