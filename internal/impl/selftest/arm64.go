package selftest

import (
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

var arm64Code = Generator{
	Add: func() Program {
		return Program{Code: machine.Block{
			arm64.LDR{T: arm64.R3, N: arm64.R1},
			arm64.LDR{T: arm64.R4, N: arm64.R2},
			arm64.ADD{D: arm64.R3, N: arm64.R3, M: arm64.R4},
			arm64.STR{T: arm64.R3, N: arm64.R0},
		}}
	},

	// R0 a, R1 n, R2 sum, R3 i
	Sum: func() Program {
		loop := machine.Loop{Name: "words", While: arm64.NE, Body: machine.Block{
			arm64.ADD{D: arm64.R4, N: arm64.R0, M: arm64.R3, Shift: arm64.ShiftLSL, Amount: 3},
			arm64.LDR{T: arm64.R4, N: arm64.R4},
			arm64.ADD{D: arm64.R2, N: arm64.R2, M: arm64.R4},
			arm64.ADDImm{D: arm64.R3, N: arm64.R3, Imm: 1},
			arm64.SUBS{D: arm64.ZR, N: arm64.R3, M: arm64.R1},
		}}
		return Program{Acc: arm64.R2, Ctr: arm64.R3, Dead: []isa.Reg{arm64.R4}, Code: machine.Seq{
			machine.Block{arm64.LoadArg{D: arm64.R0, Name: "a"}, arm64.LoadArg{D: arm64.R1, Name: "n"}, arm64.MOVZ{D: arm64.R2}, arm64.MOVZ{D: arm64.R3}},
			machine.If{Cond: arm64.CBNZ{T: arm64.R1}, Then: loop},
			machine.Block{arm64.StoreResult{S: arm64.R2, Name: "s"}},
		}}
	},

	// R1 i, R2 table, R3 entry
	Scan: func(squares []uint64) Program {
		b := machine.Block{arm64.LoadArg{D: arm64.R1, Name: "i"}, arm64.LDR{T: arm64.R1, N: arm64.R1}, arm64.TableAddr{D: arm64.R2, Name: "squares"}, arm64.MOVZ{D: arm64.R3}}
		for j := range squares {
			b = append(b,
				arm64.SUBSImm{D: arm64.ZR, N: arm64.R1, Imm: uint64(j)},
				arm64.CSINV{D: arm64.R4, N: arm64.ZR, M: arm64.ZR, Cond: arm64.NE}, // ~0 if equal
				arm64.LDR{T: arm64.R5, N: arm64.R2, Offset: 8 * j},
				arm64.AND{D: arm64.R5, N: arm64.R5, M: arm64.R4},
				arm64.ORR{D: arm64.R3, N: arm64.R3, M: arm64.R5})
		}
		return Program{Code: append(b, arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.STR{T: arm64.R3, N: arm64.R0}), Tables: []machine.Table{table(squares)}}
	},

	Put: func() Program {
		return Program{Code: machine.Block{
			arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "i"}, arm64.LoadArg{D: arm64.R2, Name: "v"},
			arm64.LDR{T: arm64.R2, N: arm64.R2},
			arm64.ADD{D: arm64.R0, N: arm64.R0, M: arm64.R1, Shift: arm64.ShiftLSL, Amount: 3},
			arm64.STR{T: arm64.R2, N: arm64.R0},
		}}
	},

	Collatz: func() Program {
		return Program{Code: machine.Seq{
			machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"}, arm64.LDR{T: arm64.R1, N: arm64.R1}, arm64.ANDImm{D: arm64.R2, N: arm64.R1, Imm: 1}},
			machine.If{
				Cond: arm64.CBZ{T: arm64.R2},
				Then: machine.Block{arm64.LSR{D: arm64.R1, N: arm64.R1, Amount: 1}},
				Else: machine.Block{arm64.ADD{D: arm64.R1, N: arm64.R1, M: arm64.R1, Shift: arm64.ShiftLSL, Amount: 1}, arm64.ADDImm{D: arm64.R1, N: arm64.R1, Imm: 1}},
			},
			machine.Block{arm64.STR{T: arm64.R1, N: arm64.R0}},
		}}
	},

	Choose: func(add machine.Verified) Program {
		return Program{Code: machine.Seq{
			machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"}, arm64.LoadArg{D: arm64.R2, Name: "c"}},
			machine.If{
				Cond: arm64.CBNZ{T: arm64.R2},
				Then: machine.Seq{
					machine.Block{arm64.ADDImm{D: arm64.R2, N: arm64.R1, Imm: 0}},
					machine.Call{Site: "double", To: add},
				},
				Else: machine.Block{arm64.STR{T: arm64.ZR, N: arm64.R0}},
			},
		}}
	},

	Triple: func(add machine.Verified) Program {
		return Program{Frame: 16, Code: machine.Seq{
			machine.Block{arm64.ADDImm{D: arm64.R0, N: arm64.SP, Imm: 8}, arm64.LoadArg{D: arm64.R1, Name: "x"}, arm64.LoadArg{D: arm64.R2, Name: "x"}},
			machine.Call{Site: "double", To: add},
			machine.Block{arm64.ADDImm{D: arm64.R0, N: arm64.SP, Imm: 8}, arm64.ADDImm{D: arm64.R1, N: arm64.SP, Imm: 8}, arm64.LoadArg{D: arm64.R2, Name: "x"}},
			machine.Call{Site: "triple", To: add},
			machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LDR{T: arm64.R1, N: arm64.SP, Offset: 8}, arm64.STR{T: arm64.R1, N: arm64.R0}, arm64.STR{T: arm64.ZR, N: arm64.SP, Offset: 8}},
		}}
	},
}
