package machine

import (
	"fmt"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Target is an instruction set.
type Target uint8

// The targets.
const (
	ARM64 Target = iota + 1
	AMD64
)

func (t Target) String() string {
	if o := t.ops(); o != nil {
		return o.name
	}
	return fmt.Sprintf("Target(%d)", uint8(t))
}

// target is what the executor needs of an instruction set. Both packages have one semantics (step), which runs on
// symbolic and on concrete states alike.
type target struct {
	name         string
	step         func(isa.CPU, isa.Instr) error
	condTerm     func(isa.CPU, isa.Cond) (logic.Term, error)
	invert       func(isa.Cond) (isa.Cond, error)
	describe     func(isa.Instr) (isa.Info, error)
	describeCond func(isa.Cond) (isa.Info, error)
	paramReg     func(int) (isa.Reg, bool)
	regName      func(isa.Reg) string
	regs         []isa.Reg // that code may write: general and vector registers
	upper        []isa.Reg // upper halves of vector registers, see exec.upperClean
	flags        []string
	sp           isa.Reg
	frameDelta   int // the frame starts at SP + frameDelta
	frameAlign   int
	callBytes    int // stack that a call uses besides the frame: return address, saved frame pointer, padding
	// entryClobbers are the registers that a function's prologue destroys.
	entryClobbers func(isa.Function) []isa.Reg
}

var arm64Ops = func() *target {
	t := &target{name: "arm64", step: arm64.Step, condTerm: arm64.CondTerm, invert: arm64.Invert, describe: arm64.Describe,
		describeCond: arm64.DescribeCond, paramReg: arm64.ParamReg, regName: arm64.RegName, regs: append(arm64.Regs(), arm64.VectorRegs()...),
		flags: arm64.FlagNames(), frameAlign: 16, callBytes: 16, entryClobbers: arm64.EntryClobbers}
	t.sp, t.frameDelta = arm64.FrameBase()
	return t
}()

var amd64Ops = func() *target {
	t := &target{name: "amd64", step: amd64.Step, condTerm: amd64.CondTerm, invert: amd64.Invert, describe: amd64.Describe,
		describeCond: amd64.DescribeCond, paramReg: amd64.ParamReg, regName: amd64.RegName, regs: append(amd64.Regs(), amd64.VectorRegs()...), upper: amd64.UpperRegs(),
		flags: amd64.FlagNames(), frameAlign: 8, callBytes: 16,
		entryClobbers: func(isa.Function) []isa.Reg { return nil }}
	t.sp, t.frameDelta = amd64.FrameBase()
	return t
}()

// ops is nil for a Target that does not exist.
func (t Target) ops() *target {
	switch t {
	case ARM64:
		return arm64Ops
	case AMD64:
		return amd64Ops
	}
	return nil
}

// RegName is the name of a register in messages.
func (t Target) RegName(r isa.Reg) string {
	if o := t.ops(); o != nil {
		return o.regName(r)
	}
	return fmt.Sprintf("r%d", r)
}

// ParamReg is the register of parameter i of an internal routine.
func (t Target) ParamReg(i int) (isa.Reg, bool) {
	if o := t.ops(); o != nil {
		return o.paramReg(i)
	}
	return 0, false
}

// Regs lists the registers that code may write, vector registers after general ones.
func (t Target) Regs() []isa.Reg {
	if o := t.ops(); o != nil {
		return append([]isa.Reg(nil), o.regs...)
	}
	return nil
}
