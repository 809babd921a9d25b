// Package arm64 is the AArch64 side of package opt: instruction forms and models.
package arm64

import (
	"fmt"

	"verum.example/internal/opt"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
)

// Classes of cost.
const (
	classALU     opt.Class = iota + 1 // one result, no flags
	classFlags                        // sets the flags
	classShifted                      // operand with a shift, no flags
	classShiftedFlags
	classMul
	classMulHigh
	classLoad
	classStore
	classMove
)

// nzcv is the only resource: the flags.
const nzcv = 1

// Target is AArch64.
var Target = &opt.Target{
	Name:     "arm64",
	Step:     arm64.Step,
	Regs:     arm64.Regs(),
	Param:    arm64.ParamReg,
	RegName:  arm64.RegName,
	HasZero:  true,
	ZeroReg:  arm64.ZR,
	Res:      []opt.Resource{{Name: "C", Flag: arm64.FlagC}},
	LoadOp:   classLoad,
	StoreOp:  classStore,
	MoveOp:   classMove,
	ConstOp:  classALU,
	Load:     func(d isa.Reg, m opt.Addr) isa.Instr { return arm64.LDR{T: d, N: m.Base, Offset: m.Off} },
	Store:    func(m opt.Addr, s isa.Reg) isa.Instr { return arm64.STR{T: s, N: m.Base, Offset: m.Off} },
	Move:     func(d, s isa.Reg) isa.Instr { return arm64.MOV(d, s) },
	Constant: constant,
}

// IsBitmask tells that w is an immediate of the bitwise instructions.
func IsBitmask(w uint64) bool {
	_, err := arm64.Describe(arm64.ORRImm{D: arm64.R0, N: arm64.ZR, Imm: w})
	return err == nil
}

// constant makes a constant: a bitmask, or MOVZ or MOVN and as many MOVK as are needed.
func constant(d isa.Reg, w uint64) []isa.Instr {
	var zeros, ones int
	for h := range 4 {
		switch uint16(w >> (16 * h)) {
		case 0:
			zeros++
		case 0xffff:
			ones++
		}
	}
	if max(zeros, ones) < 3 && IsBitmask(w) {
		return []isa.Instr{arm64.ORRImm{D: d, N: arm64.ZR, Imm: w}}
	}
	negative := ones > zeros
	var is []isa.Instr
	for h := range uint8(4) {
		v := uint16(w >> (16 * h))
		switch {
		case negative && v == 0xffff, !negative && v == 0:
		case len(is) > 0:
			is = append(is, arm64.MOVK{D: d, Imm: v, Hw: h})
		case negative:
			is = append(is, arm64.MOVN{D: d, Imm: ^v, Hw: h})
		default:
			is = append(is, arm64.MOVZ{D: d, Imm: v, Hw: h})
		}
	}
	if len(is) > 0 {
		return is
	}
	if negative {
		return []isa.Instr{arm64.MOVN{D: d}}
	}
	return []isa.Instr{arm64.MOVZ{D: d}}
}

// three, two and one make forms with two sources, one, and none.
func three(name string, c opt.Class, f func(d, n, m isa.Reg) isa.Instr) *opt.Form {
	return &opt.Form{Name: name, Dst: 1, Src: 2, Class: c, Emit: func(d, s []isa.Reg) []isa.Instr {
		return []isa.Instr{f(d[0], s[0], s[1])}
	}}
}

func two(name string, c opt.Class, f func(d, n isa.Reg) isa.Instr) *opt.Form {
	return &opt.Form{Name: name, Dst: 1, Src: 1, Class: c, Emit: func(d, s []isa.Reg) []isa.Instr {
		return []isa.Instr{f(d[0], s[0])}
	}}
}

func one(name string, c opt.Class, f func(d isa.Reg) isa.Instr) *opt.Form {
	return &opt.Form{Name: name, Dst: 1, Class: c, Emit: func(d, _ []isa.Reg) []isa.Instr { return []isa.Instr{f(d[0])} }}
}

// reads says that a form reads C.
func reads(f *opt.Form) *opt.Form { f.Reads = nzcv; return f }

// sets says that a form sets the flags; flagless is the form that doesn't.
func sets(f, flagless *opt.Form) *opt.Form {
	f.Defs, f.Clobs, f.Flagless = nzcv, nzcv, flagless
	return f
}

// compare makes a form one that has no result, but the flags.
func compare(f *opt.Form) *opt.Form {
	emit := f.Emit
	f.Dst = 0
	f.Emit = func(_, s []isa.Reg) []isa.Instr { return emit([]isa.Reg{arm64.ZR}, s) }
	return sets(f, nil)
}

// Forms with two sources, but for MVN. Those that end in S set the flags.
var (
	MUL   = three("mul", classMul, func(d, n, m isa.Reg) isa.Instr { return arm64.MUL(d, n, m) })
	UMULH = three("umulh", classMulHigh, func(d, n, m isa.Reg) isa.Instr { return arm64.UMULH{D: d, N: n, M: m} })
	ADD   = three("add", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.ADD{D: d, N: n, M: m} })
	SUB   = three("sub", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.SUB{D: d, N: n, M: m} })
	AND   = three("and", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.AND{D: d, N: n, M: m} })
	ORR   = three("orr", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.ORR{D: d, N: n, M: m} })
	MVN   = two("mvn", classALU, func(d, m isa.Reg) isa.Instr { return arm64.MVN(d, m) })
	ADC   = reads(three("adc", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.ADC{D: d, N: n, M: m} }))
	SBC   = reads(three("sbc", classALU, func(d, n, m isa.Reg) isa.Instr { return arm64.SBC{D: d, N: n, M: m} }))

	ADDS = sets(three("adds", classFlags, func(d, n, m isa.Reg) isa.Instr { return arm64.ADDS{D: d, N: n, M: m} }), ADD)
	SUBS = sets(three("subs", classFlags, func(d, n, m isa.Reg) isa.Instr { return arm64.SUBS{D: d, N: n, M: m} }), SUB)
	ADCS = sets(reads(three("adcs", classFlags, func(d, n, m isa.Reg) isa.Instr {
		return arm64.ADCS{D: d, N: n, M: m}
	})), ADC)
	SBCS = sets(reads(three("sbcs", classFlags, func(d, n, m isa.Reg) isa.Instr {
		return arm64.SBCS{D: d, N: n, M: m}
	})), SBC)
)

// Comparisons: C = 1 if there is no borrow.
var (
	// CompareBorrow is SBCS without a result.
	CompareBorrow = compare(reads(three("sbcs zr", classFlags, func(d, n, m isa.Reg) isa.Instr {
		return arm64.SBCS{D: d, N: n, M: m}
	})))
	// CompareOne sets C if the source is not 0.
	CompareOne = compare(two("cmp 1", classFlags, func(d, n isa.Reg) isa.Instr {
		return arm64.SUBSImm{D: d, N: n, Imm: 1}
	}))
)

// Selections by C.
var (
	// SelectCarry is the first source if C, else the second.
	SelectCarry = reads(three("csel hs", classALU, func(d, n, m isa.Reg) isa.Instr {
		return arm64.CSEL{D: d, N: n, M: m, Cond: arm64.HS}
	}))
	// OneIfCarry is 1 if C, else the source, and OneIfNoCarry the opposite; OnesIfCarry and OnesIfNoCarry have all ones.
	OneIfCarry    = increment("csinc lo", arm64.LO)
	OneIfNoCarry  = increment("csinc hs", arm64.HS)
	OnesIfCarry   = invert("csinv lo", arm64.LO)
	OnesIfNoCarry = invert("csinv hs", arm64.HS)
	// MaskCarry is all ones if C, else 0; MaskNoCarry is the opposite.
	MaskCarry   = reads(one("csetm hs", classALU, func(d isa.Reg) isa.Instr { return arm64.CSETM(d, arm64.HS) }))
	MaskNoCarry = reads(one("csetm lo", classALU, func(d isa.Reg) isa.Instr { return arm64.CSETM(d, arm64.LO) }))
)

// increment is the source if k holds, else 0 + 1.
func increment(name string, k arm64.Cond) *opt.Form {
	return reads(two(name, classALU, func(d, n isa.Reg) isa.Instr { return arm64.CSINC{D: d, N: n, M: arm64.ZR, Cond: k} }))
}

// invert is the source if k holds, else ^0.
func invert(name string, k arm64.Cond) *opt.Form {
	return reads(two(name, classALU, func(d, n isa.Reg) isa.Instr { return arm64.CSINV{D: d, N: n, M: arm64.ZR, Cond: k} }))
}

// AddImm is s + imm.
func AddImm(imm uint64) *opt.Form {
	return two(fmt.Sprintf("add #%d", imm), classALU, func(d, n isa.Reg) isa.Instr {
		return arm64.ADDImm{D: d, N: n, Imm: imm}
	})
}

// SubImm is s − imm.
func SubImm(imm uint64) *opt.Form {
	return two(fmt.Sprintf("sub #%d", imm), classALU, func(d, n isa.Reg) isa.Instr {
		return arm64.SUBImm{D: d, N: n, Imm: imm}
	})
}

// AddsImm is AddImm that sets the flags.
func AddsImm(imm uint64) *opt.Form {
	return sets(two(fmt.Sprintf("adds #%d", imm), classFlags, func(d, n isa.Reg) isa.Instr {
		return arm64.ADDSImm{D: d, N: n, Imm: imm}
	}), AddImm(imm))
}

// AndImm is s & imm, for a bitmask.
func AndImm(imm uint64) *opt.Form {
	return two(fmt.Sprintf("and #%#x", imm), classALU, func(d, n isa.Reg) isa.Instr {
		return arm64.ANDImm{D: d, N: n, Imm: imm}
	})
}

// Lsr is s >> k.
func Lsr(k uint8) *opt.Form {
	return two(fmt.Sprintf("lsr #%d", k), classALU, func(d, n isa.Reg) isa.Instr {
		return arm64.LSR{D: d, N: n, Amount: k}
	})
}

// Lsl is s << k.
func Lsl(k uint8) *opt.Form {
	return two(fmt.Sprintf("lsl #%d", k), classALU, func(d, n isa.Reg) isa.Instr {
		return arm64.LSL{D: d, N: n, Amount: k}
	})
}

// AddShifted is s0 + (s1 << k), AddsShifted sets the flags.
func AddShifted(k uint8) *opt.Form {
	return three(fmt.Sprintf("add lsl #%d", k), classShifted, func(d, n, m isa.Reg) isa.Instr {
		return arm64.ADD{D: d, N: n, M: m, Amount: k}
	})
}

// AddsShifted is AddShifted that sets the flags.
func AddsShifted(k uint8) *opt.Form {
	return sets(three(fmt.Sprintf("adds lsl #%d", k), classShiftedFlags, func(d, n, m isa.Reg) isa.Instr {
		return arm64.ADDS{D: d, N: n, M: m, Amount: k}
	}), AddShifted(k))
}

// OrShifted is s0 | (s1 << k). Unlike for an addition, the shift costs nothing.
func OrShifted(k uint8) *opt.Form {
	return three(fmt.Sprintf("orr lsl #%d", k), classALU, func(d, n, m isa.Reg) isa.Instr {
		return arm64.ORR{D: d, N: n, M: m, Amount: k}
	})
}

// NeoverseN2 is Arm's Neoverse N2, with the ports of LLVM's model and of Arm's Software Optimization Guide.
var NeoverseN2 = &opt.Model{Name: "neoverse-n2", Width: 5, ROB: 160, Forward: 5, Cost: func(c opt.Class) opt.Cost {
	const (
		multiply = 1<<0 | 1<<1
		integer  = multiply | 1<<2 | 1<<3
		load     = 1<<4 | 1<<5 | 1<<6
		address  = 1<<4 | 1<<5
		data     = 1<<7 | 1<<8
		flags    = 1<<9 | 1<<10 | 1<<11
	)
	switch c {
	case classFlags:
		return opt.Cost{Lat: 1, Uops: []uint32{integer, flags}, Slots: 1}
	case classShifted:
		return opt.Cost{Lat: 2, Uops: []uint32{multiply}}
	case classShiftedFlags:
		return opt.Cost{Lat: 2, Uops: []uint32{multiply, flags}, Slots: 1}
	case classMul:
		return opt.Cost{Lat: 2, Uops: []uint32{multiply}}
	case classMulHigh:
		return opt.Cost{Lat: 3, Uops: []uint32{multiply}}
	case classLoad:
		return opt.Cost{Lat: 4, Uops: []uint32{load}}
	case classStore:
		return opt.Cost{Lat: 1, Uops: []uint32{address, data}}
	}
	return opt.Cost{Lat: 1, Uops: []uint32{integer}}
}}
