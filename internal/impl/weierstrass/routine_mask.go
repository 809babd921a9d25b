package weierstrass

import (
	"fmt"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// MaskCode is the routine mask(d, a): the word d is all ones if the n words a are zero, else 0. At its mark 0 − a is in
// the registers Diff, and Carry is the flag that tells a borrow, or on arm64 none.
type MaskCode struct {
	Code  machine.Code
	Diff  []isa.Reg
	Carry isa.Flag
}

// MaskMark is the mark in MaskCode.
const MaskMark = "difference"

// NewMask makes the routine.
func NewMask(t machine.Target, n int) (MaskCode, error) {
	if n < 1 || n > 12 {
		return MaskCode{}, fmt.Errorf("impl/weierstrass: a mask of %d words", n)
	}
	d, _ := t.ParamReg(0)
	a, _ := t.ParamReg(1)
	var b machine.Block
	switch t {
	case machine.ARM64:
		r := MaskCode{Carry: arm64.FlagC}
		for i := range n {
			w := arm64.R3 + isa.Reg(i)
			b = append(b, arm64.LDR{T: w, N: a, Offset: 8 * i})
			r.Diff = append(r.Diff, w)
		}
		for i, w := range r.Diff {
			if i == 0 {
				b = append(b, arm64.SUBS{D: w, N: arm64.ZR, M: w})
			} else {
				b = append(b, arm64.SBCS{D: w, N: arm64.ZR, M: w})
			}
		}
		r.Code = machine.Seq{b, machine.Mark{Name: MaskMark},
			machine.Block{arm64.CSETM(arm64.R2, arm64.HS), arm64.STR{T: arm64.R2, N: d}}}
		return r, nil
	case machine.AMD64:
		r := MaskCode{Carry: amd64.CF}
		for _, w := range amd64.Regs() {
			if w != a && w != d && len(r.Diff) < n {
				r.Diff = append(r.Diff, w)
			}
		}
		for _, w := range r.Diff {
			b = append(b, amd64.MOVLI{D: w})
		}
		for i, w := range r.Diff {
			m := amd64.Mem{Base: a, Disp: int32(8 * i)}
			if i == 0 {
				b = append(b, amd64.SUBM{D: w, M: m})
			} else {
				b = append(b, amd64.SBBM{D: w, M: m})
			}
		}
		r.Code = machine.Seq{b, machine.Mark{Name: MaskMark},
			machine.Block{amd64.SBB{D: a, S: a}, amd64.NOT{D: a}, amd64.MOVMR{M: amd64.Mem{Base: d}, S: a}}}
		return r, nil
	}
	return MaskCode{}, fmt.Errorf("impl/weierstrass: there is no target %v", t)
}
