package arm64

import (
	"fmt"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// symbolic is a state of variables.
type symbolic struct {
	concrete
	regs map[Reg]logic.Term
	flag map[isa.Flag]logic.Term
}

func (c *symbolic) Reg(r Reg) (logic.Term, error)          { return c.regs[r], nil }
func (c *symbolic) SetReg(r Reg, v logic.Term) error       { c.regs[r] = v; return nil }
func (c *symbolic) Flag(f isa.Flag) (logic.Term, error)    { return c.flag[f], nil }
func (c *symbolic) SetFlag(f isa.Flag, v logic.Term) error { c.flag[f] = v; return nil }

// TestSpelling fixes the terms that proofs rely on: what amd64 spells in the same way, and what folds.
func TestSpelling(t *testing.T) {
	x := logic.Var("x", logic.BV(64))
	y := logic.Var("y", logic.BV(64))
	cf := logic.Var("cf", logic.BV(1))
	zext, ext, add := logic.Zext, logic.Extract, logic.BVAdd
	sum := add(add(zext(65, x), zext(65, y)), zext(65, cf))
	difference := add(add(zext(65, x), zext(65, logic.BVNot(y))), zext(65, logic.BVUint(1, 1)))
	wide := logic.BVMul(zext(128, x), zext(128, y))
	borrow := logic.Eq(ext(64, 64, difference), logic.BVUint(1, 0))
	tests := []struct {
		name string
		code []isa.Instr
		want logic.Term // R0
	}{
		{"adcs", []isa.Instr{ADCS{R0, R1, R2}}, ext(63, 0, sum)},
		{"carry of adcs", []isa.Instr{ADCS{R0, R1, R2}, ADC{R0, ZR, ZR}}, zext(64, ext(64, 64, sum))},
		{"subs", []isa.Instr{SUBS{D: R0, N: R1, M: R2}}, ext(63, 0, difference)},
		{"select by borrow", []isa.Instr{CMP(R1, R2), CSEL{R0, R1, R2, LO}}, logic.Ite(borrow, x, y)},
		{"mask of borrow", []isa.Instr{CMP(R1, R2), CSETM(R0, LO)}, logic.Ite(borrow, logic.BVUint(64, ^uint64(0)), logic.BVUint(64, 0))},
		{"bit of zero", []isa.Instr{TST(R1, R1), CSET(R0, EQ)}, logic.Ite(logic.Eq(x, logic.BVUint(64, 0)), logic.BVUint(64, 1), logic.BVUint(64, 0))},
		{"mul", []isa.Instr{MUL(R0, R1, R2)}, ext(63, 0, wide)},
		{"umulh", []isa.Instr{UMULH{R0, R1, R2}}, ext(127, 64, wide)},
		{"address", []isa.Instr{ADDImm{R0, R1, 8}}, add(x, logic.BVUint(64, 8))},
		{"address of the base", []isa.Instr{ADDImm{R0, R1, 0}}, x},
		{"mov", []isa.Instr{MOV(R0, R1)}, x},
		{"zero", []isa.Instr{MOV(R0, ZR)}, logic.BVUint(64, 0)},
		{"constant", []isa.Instr{MOVZ{R0, 0x1234, 0}, MOVK{R0, 0x5678, 1}, MOVK{R0, 0x9abc, 2}, MOVK{R0, 0xdef0, 3}}, logic.BVUint(64, 0xdef09abc56781234)},
		{"rotation is one", []isa.Instr{ROR(R0, R1, 13), EOR{R0, R0, R1, ShiftROR, 13}}, logic.BVUint(64, 0)},
		{"two reversals", []isa.Instr{REV{R0, R1}, REV{R0, R0}}, x},
		{"two halves", []isa.Instr{EXTR{R0, R1, R2, 0}}, y},
		{"double shift", []isa.Instr{EXTR{R0, R1, R2, 1}}, logic.Concat(ext(63, 1, y), ext(0, 0, x))},
	}
	for _, test := range tests {
		c := &symbolic{
			regs: map[Reg]logic.Term{R1: x, R2: y},
			flag: map[isa.Flag]logic.Term{FlagC: cf},
		}
		for _, i := range test.code {
			if err := Step(c, i); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		if c.regs[R0] != test.want {
			t.Errorf("%s: R0 = %v, want %v", test.name, c.regs[R0], test.want)
		}
	}
}

// TestPoison shows that an undefined flag or register is an error only where it is read.
func TestPoison(t *testing.T) {
	state := func() *symbolic {
		return &symbolic{regs: map[Reg]logic.Term{R1: logic.BVUint(64, 1)}, flag: map[isa.Flag]logic.Term{FlagZ: logic.BVUint(1, 1)}}
	}
	good := []isa.Instr{MOV(R2, R1), CSEL{R0, R1, R1, EQ}, CSEL{R0, R1, ZR, NE}, MOVZ{R5, 1, 0}, ADDS{D: R0, N: R1, M: R1}}
	for _, i := range good {
		if err := Step(state(), i); err != nil {
			t.Errorf("%T%+v: %v", i, i, err)
		}
	}
	bad := []isa.Instr{MOV(R2, R3), EOR{D: R3, N: R3, M: R3}, CSEL{R0, R1, R1, HS}, CSEL{R0, R1, R1, HI}, CSEL{R0, R1, R1, GT},
		ADC{R0, R1, R1}, SBCS{ZR, ZR, ZR}, CSEL{R0, R1, R2, EQ}, MOVK{R2, 1, 0}, CCMP{R1, R1, 0, VS}, STP{R1, R2, R1, 0}}
	for _, i := range bad {
		if err := Step(state(), i); err == nil {
			t.Errorf("%T%+v reads something undefined without an error", i, i)
		}
	}
}

// TestRegisterNames pins what other packages rely on.
func TestRegisterNames(t *testing.T) {
	if n := len(Regs()); n != 26 {
		t.Errorf("%d allocatable registers", n)
	}
	for i := range 8 {
		if r, ok := ParamReg(i); !ok || r != R0+Reg(i) {
			t.Errorf("parameter %d is in %v, %v", i, r, ok)
		}
	}
	for _, i := range []int{-1, 8} {
		if _, ok := ParamReg(i); ok {
			t.Errorf("parameter %d has a register", i)
		}
	}
	for n, r := range VectorRegs() {
		if r != V0+Reg(n) || r.Width() != 128 || RegName(r) != fmt.Sprintf("V%d", n) {
			t.Errorf("vector register %d is %d, %s", n, r, RegName(r))
		}
	}
	names := make(map[string]Reg)
	for r := range Reg(70) {
		if old, ok := names[RegName(r)]; ok {
			t.Errorf("registers %d and %d are both %s", old, r, RegName(r))
		}
		names[RegName(r)] = r
	}
	if names["RSP"] != SP || names["ZR"] != ZR || names["g"] != R28 {
		t.Error("wrong names")
	}
	for k := EQ; k <= LE; k++ {
		if k.invert().invert() != k || k.invert() == k || k.invert().check() != nil {
			t.Errorf("the opposite of %v is %v", k, k.invert())
		}
	}
}
