package selftest

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/machine"
)

var amd64Code = Generator{
	Add: func() Program {
		return Program{Code: machine.Block{
			amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI}},
			amd64.ADDM{D: amd64.AX, M: amd64.Mem{Base: amd64.DX}},
			amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX},
		}}
	},

	// SI a, DI n, AX sum, CX i
	Sum: func() Program {
		loop := machine.Loop{Name: "words", While: amd64.NE, Body: machine.Block{
			amd64.ADDM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI, Index: amd64.CX, Scale: 8}},
			amd64.ADDI{D: amd64.CX, Imm: 1},
			amd64.CMP{X: amd64.CX, Y: amd64.DI},
		}}
		return Program{Acc: amd64.AX, Ctr: amd64.CX, Code: machine.Seq{
			machine.Block{amd64.LoadArg{D: amd64.SI, Name: "a"}, amd64.LoadArg{D: amd64.DI, Name: "n"}, amd64.XORL{D: amd64.AX, S: amd64.AX}, amd64.XORL{D: amd64.CX, S: amd64.CX}, amd64.TEST{X: amd64.DI, Y: amd64.DI}},
			machine.If{Cond: amd64.NE, Then: loop},
			machine.Block{amd64.StoreResult{S: amd64.AX, Name: "s"}},
		}}
	},

	// SI i, DI table, AX entry
	Scan: func(squares []uint64) Program {
		b := machine.Block{amd64.LoadArg{D: amd64.SI, Name: "i"}, amd64.MOVM{D: amd64.SI, M: amd64.Mem{Base: amd64.SI}}, amd64.TableAddr{D: amd64.DI, Name: "squares"}, amd64.XORL{D: amd64.AX, S: amd64.AX}}
		for j := range squares {
			b = append(b,
				amd64.XORL{D: amd64.CX, S: amd64.CX},
				amd64.CMPI{X: amd64.SI, Imm: int32(j)},
				amd64.SETCC{K: amd64.EQ, D: amd64.CX},
				amd64.NEG{D: amd64.CX}, // ~0 if equal
				amd64.ANDM{D: amd64.CX, M: amd64.Mem{Base: amd64.DI, Disp: int32(8 * j)}},
				amd64.OR{D: amd64.AX, S: amd64.CX})
		}
		return Program{Code: append(b, amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}), Tables: []machine.Table{table(squares)}}
	},

	Put: func() Program {
		return Program{Code: machine.Block{
			amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "i"}, amd64.LoadArg{D: amd64.DX, Name: "v"},
			amd64.MOVM{D: amd64.DX, M: amd64.Mem{Base: amd64.DX}},
			amd64.MOVMR{M: amd64.Mem{Base: amd64.DI, Index: amd64.SI, Scale: 8}, S: amd64.DX},
		}}
	},

	Collatz: func() Program {
		return Program{Code: machine.Seq{
			machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "x"}, amd64.MOVM{D: amd64.SI, M: amd64.Mem{Base: amd64.SI}}, amd64.TESTI{X: amd64.SI, Imm: 1}},
			machine.If{
				Cond: amd64.EQ,
				Then: machine.Block{amd64.SHR{D: amd64.SI, N: 1}},
				Else: machine.Block{amd64.LEA{D: amd64.SI, M: amd64.Mem{Base: amd64.SI, Index: amd64.SI, Scale: 2}}, amd64.ADDI{D: amd64.SI, Imm: 1}},
			},
			machine.Block{amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.SI}},
		}}
	},

	Choose: func(add machine.Verified) Program {
		return Program{Code: machine.Seq{
			machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "x"}, amd64.LoadArg{D: amd64.DX, Name: "c"}, amd64.TEST{X: amd64.DX, Y: amd64.DX}},
			machine.If{
				Cond: amd64.NE,
				Then: machine.Seq{machine.Block{amd64.MOV{D: amd64.DX, S: amd64.SI}}, machine.Call{Site: "double", To: add}},
				Else: machine.Block{amd64.XORL{D: amd64.AX, S: amd64.AX}, amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}},
			},
		}}
	},

	Triple: func(add machine.Verified) Program {
		return Program{Frame: 8, Code: machine.Seq{
			machine.Block{amd64.LEA{D: amd64.DI, M: amd64.Mem{Base: amd64.SP}}, amd64.LoadArg{D: amd64.SI, Name: "x"}, amd64.LoadArg{D: amd64.DX, Name: "x"}},
			machine.Call{Site: "double", To: add},
			machine.Block{amd64.LEA{D: amd64.DI, M: amd64.Mem{Base: amd64.SP}}, amd64.LEA{D: amd64.SI, M: amd64.Mem{Base: amd64.SP}}, amd64.LoadArg{D: amd64.DX, Name: "x"}},
			machine.Call{Site: "triple", To: add},
			machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SP}}, amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}, amd64.MOVMI{M: amd64.Mem{Base: amd64.SP}, Imm: 0}},
		}}
	},
}
