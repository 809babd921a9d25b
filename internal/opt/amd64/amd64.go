// Package amd64 is the x86-64 side of package opt: instruction forms and models.
package amd64

import (
	"fmt"
	"slices"

	"verum.example/internal/opt"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
)

// Classes of cost.
const (
	classALU    opt.Class = iota + 1 // add, and, neg: any integer port
	classCarry                       // adc, sbb
	classSelect                      // cmov
	classCarry0                      // a constant and adc
	classShift                       // shl, shr
	classDouble                      // shrd
	classMul                         // mulx
	classMul2                        // mul with its moves
	classLea
	classMove
	classConst
	classLoad
	classStore
)

// Resources.
const (
	carry      = 1 // CF
	multiplier = 2 // DX, as the factor of MULX
)

// Target is x86-64 with BMI2: DX holds the factor of MULX.
var Target = target(true)

// Baseline is x86-64: AX and DX are for MUL.
var Baseline = target(false)

func target(bmi2 bool) *opt.Target {
	t := &opt.Target{
		Name:    "amd64",
		Step:    amd64.Step,
		Param:   amd64.ParamReg,
		RegName: amd64.RegName,
		Res:     []opt.Resource{{Name: "CF", Flag: amd64.CF}},
		LoadOp:  classLoad, StoreOp: classStore, MoveOp: classMove, ConstOp: classConst,
		Load:     func(d isa.Reg, m opt.Addr) isa.Instr { return amd64.MOVM{D: d, M: mem(m)} },
		Store:    func(m opt.Addr, s isa.Reg) isa.Instr { return amd64.MOVMR{M: mem(m), S: s} },
		Move:     func(d, s isa.Reg) isa.Instr { return amd64.MOV{D: d, S: s} },
		Constant: func(d isa.Reg, w uint64) []isa.Instr { return []isa.Instr{constant(d, w)} },
	}
	reserved := []isa.Reg{amd64.DX}
	if bmi2 {
		t.Name = "amd64 bmi2"
		t.Res = append(t.Res, opt.Resource{Name: "DX", Reg: amd64.DX, IsReg: true})
	} else {
		reserved = append(reserved, amd64.AX)
	}
	for _, r := range amd64.Regs() {
		if !slices.Contains(reserved, r) {
			t.Regs = append(t.Regs, r)
		}
	}
	return t
}

func mem(m opt.Addr) amd64.Mem { return amd64.Mem{Base: m.Base, Disp: int32(m.Off)} }

// constant does not touch the flags.
func constant(d isa.Reg, w uint64) isa.Instr {
	if w>>32 == 0 {
		return amd64.MOVLI{D: d, Imm: uint32(w)}
	}
	return amd64.MOVI{D: d, Imm: w}
}

// IsImmediate tells that w is a 32-bit immediate, sign-extended.
func IsImmediate(w uint64) bool { return uint64(int64(int32(w))) == w }

// two makes a two-address form with two sources, the second of which may be in memory.
func two(name string, c opt.Class, f func(d, s isa.Reg) isa.Instr,
	fm func(d isa.Reg, m amd64.Mem) isa.Instr) *opt.Form {
	return &opt.Form{Name: name, Dst: 1, Src: 2, Class: c, Tied: true, MemSrc: 2,
		Emit:    func(d, s []isa.Reg) []isa.Instr { return []isa.Instr{f(d[0], s[1])} },
		EmitMem: func(d, _ []isa.Reg, m opt.Addr) []isa.Instr { return []isa.Instr{fm(d[0], mem(m))} }}
}

// one makes a form that changes its only source.
func one(name string, c opt.Class, f func(d isa.Reg) isa.Instr) *opt.Form {
	return &opt.Form{Name: name, Dst: 1, Src: 1, Class: c, Tied: true,
		Emit: func(d, _ []isa.Reg) []isa.Instr { return []isa.Instr{f(d[0])} }}
}

// flags says that a form destroys the flags, sets that it defines CF as well, reads that it reads it.
func flags(f *opt.Form) *opt.Form { f.Clobs |= carry; return f }
func sets(f *opt.Form) *opt.Form  { f.Clobs |= carry; f.Defs |= carry; return f }
func reads(f *opt.Form) *opt.Form { f.Reads |= carry; return f }

// swaps says that the sources may change places.
func swaps(f *opt.Form) *opt.Form { f.Swaps = true; return f }

// compare makes a form one that has no result, but CF. It destroys its first source all the same.
func compare(f *opt.Form) *opt.Form { f.Dst, f.NoResult = 0, true; return f }

// Additions and subtractions.
var (
	ADD = swaps(sets(two("add", classALU, func(d, s isa.Reg) isa.Instr { return amd64.ADD{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.ADDM{D: d, M: m} })))
	ADC = swaps(reads(sets(two("adc", classCarry, func(d, s isa.Reg) isa.Instr { return amd64.ADC{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.ADCM{D: d, M: m} }))))
	SUB = sets(two("sub", classALU, func(d, s isa.Reg) isa.Instr { return amd64.SUB{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.SUBM{D: d, M: m} }))
	SBB = reads(sets(two("sbb", classCarry, func(d, s isa.Reg) isa.Instr { return amd64.SBB{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.SBBM{D: d, M: m} })))
	// NEG sets CF if the source is not 0.
	NEG = sets(one("neg", classALU, func(d isa.Reg) isa.Instr { return amd64.NEG{D: d} }))
)

// AddImm is s + v.
func AddImm(v int32) *opt.Form {
	return sets(one(fmt.Sprintf("add $%d", v), classALU, func(d isa.Reg) isa.Instr { return amd64.ADDI{D: d, Imm: v} }))
}

// AdcImm is s + v + CF.
func AdcImm(v int32) *opt.Form {
	return reads(sets(one(fmt.Sprintf("adc $%d", v), classCarry, func(d isa.Reg) isa.Instr {
		return amd64.ADCI{D: d, Imm: v}
	})))
}

// SubImm is s − v.
func SubImm(v int32) *opt.Form {
	return sets(one(fmt.Sprintf("sub $%d", v), classALU, func(d isa.Reg) isa.Instr { return amd64.SUBI{D: d, Imm: v} }))
}

// SbbImm is s − v − CF.
func SbbImm(v int32) *opt.Form {
	return reads(sets(one(fmt.Sprintf("sbb $%d", v), classCarry, func(d isa.Reg) isa.Instr {
		return amd64.SBBI{D: d, Imm: v}
	})))
}

// Comparisons.
var (
	// CompareBorrow0 sets CF to the borrow of s − CF.
	CompareBorrow0 = compare(reads(sets(one("sbb $0 (compare)", classCarry, func(d isa.Reg) isa.Instr {
		return amd64.SBBI{D: d}
	}))))
	// CompareOne sets CF if the source is 0, and keeps it.
	CompareOne = &opt.Form{Name: "cmp $1", Src: 1, Class: classALU, Defs: carry, Clobs: carry,
		Emit: func(_, s []isa.Reg) []isa.Instr { return []isa.Instr{amd64.CMPI{X: s[0], Imm: 1}} }}
)

// Forms that turn CF into a word, and selection.
var (
	// MaskCarry is all ones if CF, else 0.
	MaskCarry = reads(flags(&opt.Form{Name: "sbb d,d", Dst: 1, Class: classCarry,
		Emit: func(d, _ []isa.Reg) []isa.Instr { return []isa.Instr{amd64.SBB{D: d[0], S: d[0]}} }}))
	// CarryWord is CF as a word.
	CarryWord = reads(flags(&opt.Form{Name: "mov $0; adc $0", Dst: 1, Class: classCarry0,
		Emit: func(d, _ []isa.Reg) []isa.Instr { return []isa.Instr{amd64.MOVLI{D: d[0]}, amd64.ADCI{D: d[0]}} }}))
	// SelectCarry is the second source if CF, else the first.
	SelectCarry = reads(two("cmovc", classSelect,
		func(d, s isa.Reg) isa.Instr { return amd64.CMOV{K: amd64.CS, D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.CMOVM{K: amd64.CS, D: d, M: m} }))
)

// Bitwise forms.
var (
	AND = swaps(flags(two("and", classALU, func(d, s isa.Reg) isa.Instr { return amd64.AND{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.ANDM{D: d, M: m} })))
	OR = swaps(flags(two("or", classALU, func(d, s isa.Reg) isa.Instr { return amd64.OR{D: d, S: s} },
		func(d isa.Reg, m amd64.Mem) isa.Instr { return amd64.ORM{D: d, M: m} })))
	NOT = one("not", classALU, func(d isa.Reg) isa.Instr { return amd64.NOT{D: d} })
)

// AndImm is s & v.
func AndImm(v int32) *opt.Form {
	return flags(one(fmt.Sprintf("and $%d", v), classALU, func(d isa.Reg) isa.Instr { return amd64.ANDI{D: d, Imm: v} }))
}

// Shl is s << k.
func Shl(k uint8) *opt.Form {
	return flags(one(fmt.Sprintf("shl $%d", k), classShift, func(d isa.Reg) isa.Instr { return amd64.SHL{D: d, N: k} }))
}

// Shr is s >> k.
func Shr(k uint8) *opt.Form {
	return flags(one(fmt.Sprintf("shr $%d", k), classShift, func(d isa.Reg) isa.Instr { return amd64.SHR{D: d, N: k} }))
}

// Shrd is the 64 bits from bit k on of s1:s0.
func Shrd(k uint8) *opt.Form {
	f := two(fmt.Sprintf("shrd $%d", k), classDouble, func(d, s isa.Reg) isa.Instr {
		return amd64.SHRD{D: d, S: s, N: k}
	}, nil)
	f.MemSrc, f.EmitMem = 0, nil
	return flags(f)
}

// Lea is s + v, and leaves the flags alone.
func Lea(v int32) *opt.Form {
	return &opt.Form{Name: fmt.Sprintf("lea %d", v), Dst: 1, Src: 1, Class: classLea,
		Emit: func(d, s []isa.Reg) []isa.Instr {
			return []isa.Instr{amd64.LEA{D: d[0], M: amd64.Mem{Base: s[0], Disp: v}}}
		}}
}

// Multiplication with BMI2.
var (
	// SetMultiplier puts the source into DX.
	SetMultiplier = &opt.Form{Name: "mov dx", Src: 1, Class: classMove, Defs: multiplier, Clobs: multiplier, MemSrc: 1,
		Emit:    func(_, s []isa.Reg) []isa.Instr { return []isa.Instr{amd64.MOV{D: amd64.DX, S: s[0]}} },
		EmitMem: func(_, _ []isa.Reg, m opt.Addr) []isa.Instr { return []isa.Instr{amd64.MOVM{D: amd64.DX, M: mem(m)}} }}
	// MULX is the product of DX and the source: low and high word.
	MULX = &opt.Form{Name: "mulx", Dst: 2, Src: 1, Class: classMul, Reads: multiplier, MemSrc: 1,
		Emit: func(d, s []isa.Reg) []isa.Instr { return []isa.Instr{amd64.MULX{Hi: d[1], Lo: d[0], S: s[0]}} },
		EmitMem: func(d, _ []isa.Reg, m opt.Addr) []isa.Instr {
			return []isa.Instr{amd64.MULXM{Hi: d[1], Lo: d[0], M: mem(m)}}
		}}
)

// MUL is the product of two words on the baseline, through AX and DX.
var MUL = &opt.Form{Name: "mul", Dst: 2, Src: 2, Class: classMul2, Clobs: carry, Swaps: true, MemSrc: 2,
	Emit:    func(d, s []isa.Reg) []isa.Instr { return baselineMul(d, s[0], amd64.MUL{S: s[1]}) },
	EmitMem: func(d, s []isa.Reg, m opt.Addr) []isa.Instr { return baselineMul(d, s[0], amd64.MULM{M: mem(m)}) },
}

func baselineMul(d []isa.Reg, x isa.Reg, mul isa.Instr) []isa.Instr {
	return []isa.Instr{amd64.MOV{D: amd64.AX, S: x}, mul, amd64.MOV{D: d[0], S: amd64.AX}, amd64.MOV{D: d[1], S: amd64.DX}}
}

// GoldenCove is Intel's Golden Cove (Alder Lake, Sapphire Rapids). Bits are ports 0 to 11.
var GoldenCove = &opt.Model{Name: "golden-cove", Width: 6, ROB: 512, RS: 97, Bind: true, Forward: 5,
	LoadUop: 1<<2 | 1<<3 | 1<<11, LoadLat: 5, Cost: costs(ports{
		alu: 1<<0 | 1<<1 | 1<<5 | 1<<6 | 1<<10, carry: 1<<0 | 1<<6, sel: 1<<0 | 1<<6, shift: 1<<0 | 1<<6,
		mul: 1 << 1, mulHigh: 1 << 5, double: 1 << 1, load: 1<<2 | 1<<3 | 1<<11, address: 1<<7 | 1<<8, data: 1<<4 | 1<<9,
		mulLat: 4, doubleLat: 3, loadLat: 5})}

// Zen3 is AMD's Zen 3: four integer pipes, one of which multiplies. That a multiplication with both halves of the
// product takes about as much of all pipes as four additions was measured: one and k additions take (k + 4.5)/4 cycles.
var Zen3 = &opt.Model{Name: "zen3", Width: 6, ROB: 256, RS: 96, Forward: 5,
	LoadUop: 1<<4 | 1<<5 | 1<<6, LoadLat: 4, Cost: costs(ports{
		alu: 0xf, carry: 0xf, sel: 1<<0 | 1<<3, shift: 1<<1 | 1<<2,
		mul: 1 << 1, double: 1<<1 | 1<<2, load: 1<<4 | 1<<5 | 1<<6, address: 1<<7 | 1<<8, data: 1<<9 | 1<<10,
		mulLat: 3, mulHighLat: 4, doubleLat: 3, loadLat: 4, doubleUops: 4, oneMul: true})}

// ports are what the models differ in.
type ports struct {
	alu, carry, sel, shift, mul, mulHigh, load, address, data, double uint32
	mulLat, mulHighLat, doubleLat, loadLat, doubleUops                int
	oneMul                                                            bool // mulx takes the multiplier once
}

func costs(p ports) func(opt.Class) opt.Cost {
	mul := opt.Cost{Lat: p.mulLat, Lat2: p.mulHighLat, Uops: []uint32{p.mul, p.mulHigh}}
	if p.oneMul {
		mul.Uops, mul.Slots = []uint32{p.mul, p.alu, p.alu, p.alu}, 2
	}
	double := opt.Cost{Lat: p.doubleLat, Uops: []uint32{p.double}}
	if p.doubleUops > 0 {
		double.Slots = p.doubleUops
	}
	return func(c opt.Class) opt.Cost {
		switch c {
		case classCarry:
			return opt.Cost{Lat: 1, Uops: []uint32{p.carry}}
		case classSelect:
			return opt.Cost{Lat: 1, Uops: []uint32{p.sel}}
		case classCarry0:
			return opt.Cost{Lat: 1, Uops: []uint32{p.carry}, Slots: 2}
		case classShift:
			return opt.Cost{Lat: 1, Uops: []uint32{p.shift}}
		case classDouble:
			return double
		case classMul:
			return mul
		case classMul2: // and three moves
			c := mul
			c.Slots = 5
			return c
		case classMove:
			return opt.Cost{Slots: 1}
		case classLea:
			return opt.Cost{Lat: 1, Uops: []uint32{p.alu}}
		case classLoad:
			return opt.Cost{Lat: p.loadLat, Uops: []uint32{p.load}}
		case classStore:
			return opt.Cost{Lat: 1, Uops: []uint32{p.address, p.data}, Slots: 1}
		}
		return opt.Cost{Lat: 1, Uops: []uint32{p.alu}}
	}
}
