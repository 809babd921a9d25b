package machine

import (
	"math/big"
	"slices"
	"testing"

	x "verum.example/internal/tcb/amd64"
	a "verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	l "verum.example/internal/tcb/logic"
)

var avx = []string{"AVX", "AVX2"}

// TestVectorMemory: what vector registers move stays the same terms, whatever the cells; the concrete run agrees.
func TestVectorMemory(t *testing.T) {
	f := func(elem int) contract.Func {
		return contract.Func{Name: "f", Params: []contract.Param{contract.Out("r", 48).Of(elem), contract.In("x", 32).Of(elem)},
			Ensures: func(e contract.Env) (ts []l.Term) { // r = x[16:32] ‖ x[0:16] ‖ x[8:16] ‖ x[20:28]
				bytes := func(off, from, n int) { ts = append(ts, l.Eq(e.After().Bytes("r", off, n), e.Bytes("x", from, n))) }
				bytes(0, 16, 16)
				bytes(16, 0, 16)
				bytes(32, 8, 8)
				for i := range 8 {
					bytes(40+i, 20+i, 1)
				}
				return ts
			}}
	}
	m := func(r isa.Reg, d int32) x.Mem { return x.Mem{Base: r, Disp: d} }
	head := Block{x.LoadArg{D: x.SI, Name: "x"}, x.LoadArg{D: x.DI, Name: "r"}}
	tail := Block{ // words of what vector registers stored
		x.MOVM{D: x.AX, M: m(x.DI, 24)}, x.MOVMR{M: m(x.DI, 32), S: x.AX},
		x.MOVM{D: x.AX, M: m(x.DI, 4)}, x.MOVMR{M: m(x.DI, 40), S: x.AX}}
	for _, p := range []Program{
		{Target: ARM64, Code: Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDPQ{T: a.V1, T2: a.V2, N: a.R1}, a.STPQ{T: a.V2, T2: a.V1, N: a.R0},
			a.LDR{T: a.R2, N: a.R0, Offset: 24}, a.STR{T: a.R2, N: a.R0, Offset: 32},
			a.ADDImm{D: a.R3, N: a.R0, Imm: 4}, a.LDR{T: a.R2, N: a.R3}, a.STR{T: a.R2, N: a.R0, Offset: 40}}},
		{Target: ARM64, Code: Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDRQ{T: a.V0, N: a.R1, Offset: 16}, a.STRQ{T: a.V0, N: a.R0},
			a.LDRQ{T: a.V0, N: a.R1}, a.STRQ{T: a.V0, N: a.R0, Offset: 16},
			a.LDR{T: a.R2, N: a.R1, Offset: 8}, a.STR{T: a.R2, N: a.R0, Offset: 32},
			a.ADDImm{D: a.R3, N: a.R0, Imm: 4}, a.LDR{T: a.R2, N: a.R3}, a.STR{T: a.R2, N: a.R0, Offset: 40}}},
		{Target: AMD64, Code: Seq{head, Block{x.MOVDQUM{D: x.X1, M: m(x.SI, 0)}, x.MOVDQUM{D: x.X2, M: m(x.SI, 16)},
			x.MOVDQUMR{M: m(x.DI, 0), S: x.X2}, x.MOVDQUMR{M: m(x.DI, 16), S: x.X1}}, tail}},
		{Target: AMD64, Features: avx, Code: Seq{head, Block{x.MOVDQUM{D: x.X1, M: m(x.SI, 0)}, x.VMOVDQUM{D: x.X2, M: m(x.SI, 0)},
			x.VMOVDQUMR{M: m(x.DI, 0), S: x.X2}, x.MOVDQUMR{M: m(x.DI, 16), S: x.X1}, x.MOVDQUM{D: x.X1, M: m(x.SI, 16)},
			x.MOVDQUMR{M: m(x.DI, 0), S: x.X1}, x.VZEROUPPER{}}, tail}},
	} {
		for _, elem := range []int{1, 2, 4, 8} {
			p.Contract = mustNew(t, f(elem))
			v, err := Verify(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s := v.Stats(); s.Obligations != 0 {
				t.Errorf("%v, elements of %d bytes: %d obligations", p.Target, elem, s.Obligations)
			}
			in := make([]byte, 32)
			for i := range in {
				in[i] = byte(i)
			}
			out, err := v.Run(Input{Mem: map[string][]byte{"x": in}})
			want := slices.Concat(in[16:], in[:16], in[8:16], in[20:28])
			if err != nil || !slices.Equal(out.Mem["r"], want) {
				t.Errorf("%v, elements of %d bytes: %x, %v", p.Target, elem, out.Mem["r"], err)
			}
		}
	}
	// a wide access is inside the region as a whole
	for _, in := range []isa.Instr{x.VMOVDQUM{D: x.X0, M: m(x.SI, 1)}, x.VPANDM{D: x.X0, N: x.X0, M: m(x.SI, 16)}, x.MOVDQUM{D: x.X0, M: m(x.SI, 17)}} {
		code := Seq{head, Block{x.VPXOR{D: x.X0, N: x.X0, S: x.X0}, in}}
		refuse(t, Program{Target: AMD64, Features: avx, Contract: mustNew(t, f(8)), Code: code}, nil, "are outside x (32 bytes)")
	}
	refuse(t, Program{Target: AMD64, Contract: mustNew(t, f(8)), Code: Seq{head, Block{x.MOVDQUMR{M: m(x.SI, 0), S: x.X0}}}}, nil, "X0 is undefined")
	refuse(t, Program{Target: AMD64, Contract: mustNew(t, f(8)), Code: Seq{head, Block{x.MOVDQUM{D: x.X0, M: m(x.SI, 0)},
		x.MOVDQUMR{M: m(x.SI, 0), S: x.X0}}}}, nil, "x is read-only")
	refuse(t, Program{Target: AMD64, Contract: mustNew(t, f(8)), Code: Seq{head, Block{x.VMOVQ{D: x.X0, S: x.SI}}}}, nil, "needs the CPU feature AVX")
	refuse(t, Program{Target: AMD64, Features: []string{"AVX"}, Contract: mustNew(t, f(8)), Code: Block{x.VPXOR{D: x.X0, N: x.X0, S: x.X0}}},
		nil, "needs the CPU feature AVX2")
}

// TestVectorWipe: secrets that vector registers store must be wiped, and can be by vector registers.
func TestVectorWipe(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 32), contract.ScratchBuf("s", 32)}}
	head := Block{x.LoadArg{D: x.SI, Name: "x"}, x.LoadArg{D: x.DI, Name: "s"}, x.VMOVDQUM{D: x.X3, M: x.Mem{Base: x.SI}},
		x.VMOVDQUMR{M: x.Mem{Base: x.DI}, S: x.X3}, x.VPXOR{D: x.X3, N: x.X3, S: x.X3}}
	p := func(b ...isa.Instr) Program {
		return Program{Target: AMD64, Features: avx, Contract: mustNew(t, f), Code: Seq{head, Block(b)}}
	}
	if _, err := Verify(p(x.VMOVDQUMR{M: x.Mem{Base: x.DI}, S: x.X3}), nil); err != nil {
		t.Error(err)
	}
	refuse(t, p(x.VZEROUPPER{}, x.MOVDQUMR{M: x.Mem{Base: x.DI}, S: x.X3}), nil, "s[16] held a secret")
}

// TestUpperHalves: they are zero or untouched at calls and returns.
func TestUpperHalves(t *testing.T) {
	c, err := Internal(Func{Name: "leaf", Params: []Param{contract.In("x", 32)}})
	if err != nil {
		t.Fatal(err)
	}
	load := x.VMOVDQUM{D: x.X5, M: x.Mem{Base: x.DI}}
	leaf, err := Verify(Program{Target: AMD64, Features: avx, Contract: c, Code: Block{load, x.VZEROUPPER{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 32), contract.UintArg("n")}}
	p := func(code ...Code) Program {
		return Program{Target: AMD64, Features: avx, Contract: mustNew(t, f), Code: append(Seq{Block{x.LoadArg{D: x.DI, Name: "x"}, x.LoadArg{D: x.CX, Name: "n"}}}, code...)}
	}
	call := Call{Site: "c", To: leaf}
	zero := Block{x.VZEROUPPER{}}
	sometimes := func(b Block) Code { return Seq{Block{x.TEST{X: x.CX, Y: x.CX}}, If{Cond: x.EQ, Then: b}} }
	for i, good := range []Program{
		p(call),
		p(Block{load}, zero, call),
		p(call, Block{x.VPXOR{D: x.X0, N: x.X0, S: x.X0}}), // it is zero
		p(Block{x.VMOVQ{D: x.X7, S: x.CX}}, call),          // clears the upper half
		p(Block{x.MOVQX{D: x.X7, S: x.CX}}, call),          // leaves it alone
		p(zero, sometimes(Block{load, x.VZEROUPPER{}}), call),
	} {
		if _, err := Verify(good, nil); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	refuse(t, p(Block{load}), nil, "return", "Y5[255:128] is not zero")
	refuse(t, p(Block{load}, call), nil, "call c", "Y5[255:128] is not zero")
	refuse(t, p(Block{load, x.MOVDQA{D: x.X5, S: x.X5}}), nil, "Y5[255:128] is not zero")
	refuse(t, p(zero, sometimes(Block{load})), nil, "Y5[255:128] is not zero")
	// a call leaves nothing in vector registers
	for _, bad := range []Block{{x.MOVDQA{D: x.X1, S: x.X5}}, {x.VPOR{D: x.X1, N: x.X5, S: x.X5}, x.VZEROUPPER{}}} {
		refuse(t, p(Block{load}, zero, call, bad), nil, "X5 is undefined")
	}
	// the older encoding leaves the upper half, of which the newer ones read
	refuse(t, p(Block{x.MOVQX{D: x.X7, S: x.CX}, x.VPOR{D: x.X1, N: x.X7, S: x.X7}}), nil, "Y7[255:128] is undefined")
}

// TestVectorLoop: vector registers are places of 128 bits that a loop modifies, or else may not modify.
func TestVectorLoop(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.UintArg("n"), contract.In("x", 16), contract.Out("r", 16)},
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Le(l.N(1), e.Uint("n"))} },
		Witness:  func() map[string]*big.Int { return map[string]*big.Int{"n": big.NewInt(5), "x": big.NewInt(3)} }}
	head := Block{arg(a.R1, "n"), arg(a.R0, "n"), arg(a.R7, "x"), a.LDRQ{T: a.V3, N: a.R7}, a.VMOVI{D: a.V4}}
	loop := Loop{Name: "l", While: a.CBNZ{T: a.R1}, Body: Block{a.VEOR{D: a.V4, N: a.V4, M: a.V3}, a.LSR{D: a.R1, N: a.R1, Amount: 1}}}
	tail := Block{arg(a.R2, "r"), a.STRQ{T: a.V4, N: a.R2}}
	p := Program{Target: ARM64, Contract: mustNew(t, f), Code: Seq{head, loop, tail}}
	r0, r1, v4 := RegLoc(a.R0), RegLoc(a.R1), RegLoc(a.V4)
	pr := func(s Shape) proof {
		return proof{
			shape: func(View) Shape { return s },
			invariant: func(v View) ([]l.Term, l.Term) {
				if t4 := v.Fresh("l", v4); !t4.IsZero() && t4.Sort() != l.BV(128) {
					t.Errorf("V4 is %v", t4.Sort())
				}
				i := v.Fresh("l", r1)
				return []l.Term{l.Le(l.N(1), l.Uint(i))}, l.Uint(i)
			},
			prove: proveHalve,
		}
	}
	good := Shape{Fresh: []Loc{r1, v4}, Public: []Loc{r1}}
	v, err := Verify(p, pr(good))
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.Run(Input{Mem: map[string][]byte{"x": []byte("0123456789abcdef")}, Args: map[string]uint64{"n": 5}})
	if err != nil || string(out.Mem["r"]) != "0123456789abcdef" { // three iterations
		t.Errorf("%q, %v", out.Mem["r"], err)
	}
	refuse(t, p, pr(Shape{Fresh: []Loc{r1}, Public: []Loc{r1}}), "the body changes V4, which the proof does not list")
	refuse(t, p, pr(Shape{Fresh: []Loc{r0, r1, v4}, Public: []Loc{r1, v4}}), "value of V4, claimed public, after the body")
	refuse(t, p, pr(Shape{Fresh: []Loc{r1}, Public: []Loc{r1}, Dead: []Loc{v4}}), "V4 is undefined")
	refuse(t, p, pr(Shape{Fresh: []Loc{r1, v4, RegLoc(a.V9)}, Public: []Loc{r1}}), "V9 has no value on entry")
}

// TestVectorPreserves: a routine may preserve vector registers; if it does not say so, they are lost.
func TestVectorPreserves(t *testing.T) {
	keep := routine(t, Func{Name: "keep", Params: []Param{contract.In("x", 16)}}, Program{Preserves: []isa.Reg{a.V8}, Code: Block{a.VMOVI{D: a.V7, Imm: 1}}}, nil)
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 16), contract.Out("r", 16)},
		Ensures: func(e contract.Env) []l.Term { return []l.Term{l.Eq(e.After().LE("r"), e.LE("x"))} }}
	p := func(v isa.Reg) Program {
		return Program{Target: ARM64, Contract: mustNew(t, f), Code: Seq{Block{arg(a.R0, "x"), a.LDRQ{T: v, N: a.R0}}, Call{Site: "c", To: keep},
			Block{arg(a.R1, "r"), a.STRQ{T: v, N: a.R1}}}}
	}
	v, err := Verify(p(a.V8), nil)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := v.Run(Input{Mem: map[string][]byte{"x": []byte("0123456789abcdef")}}); err != nil || string(out.Mem["r"]) != "0123456789abcdef" {
		t.Errorf("%q, %v", out.Mem["r"], err)
	}
	refuse(t, p(a.V9), nil, "V9 is undefined")
	c, err := Internal(Func{Name: "lose"})
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, Program{Target: ARM64, Contract: c, Preserves: []isa.Reg{a.V7}, Code: Block{a.VMOVI{D: a.V7, Imm: 1}}}, nil, "V7 is not what it was on entry")
}

// TestVectorIndex: a vector load at a symbolic public offset chooses among all places.
func TestVectorIndex(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 128), contract.UintArg("i"), contract.UintArg("o"), contract.Out("r", 16)},
		Requires: func(e contract.Env) []l.Term {
			return []l.Term{l.Lt(e.Uint("i"), l.N(4)), l.Eq(e.Uint("o"), l.Mul(l.N(32), e.Uint("i")))}
		},
		Ensures: func(e contract.Env) []l.Term {
			v := e.Bytes("x", 96, 16)
			for k := 2; k >= 0; k-- {
				v = l.Ite(l.Eq(e.Uint("i"), l.N(int64(k))), e.Bytes("x", 32*k, 16), v)
			}
			return []l.Term{l.Eq(e.After().Bytes("r", 0, 16), v)}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"i": big.NewInt(2), "o": big.NewInt(64), "x": new(big.Int).Lsh(big.NewInt(0xabcdef), 512)}
		}}
	code := Block{arg(a.R0, "x"), arg(a.R1, "o"), a.ADD{D: a.R0, N: a.R0, M: a.R1}, a.LDRQ{T: a.V0, N: a.R0}, arg(a.R0, "r"), a.STRQ{T: a.V0, N: a.R0}}
	p := func(f contract.Func) Program { return Program{Target: ARM64, Contract: mustNew(t, f), Code: code} }
	pr := func(x Index) proof {
		return proof{
			index: func(q Access) Index {
				if q.Width != 16 || q.Store || q.Offset != q.View.Arg("o") {
					t.Errorf("access %+v", q)
				}
				x.M = l.Uint(q.View.Arg("i"))
				return x
			},
			prove: func(g Goal) (kernel.Theorem, error) {
				if g.Name == "index is natural" {
					lo, _, err := kernel.UintRange(g.View.Arg("i"))
					return lo, err
				}
				return kernel.Assume(g.Concl)
			}}
	}
	v, err := Verify(p(f), pr(Index{Scale: 32, Count: 4}))
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Stats(); s.Obligations != 3 { // those of the index: the postcondition folds to true
		t.Errorf("%+v", s)
	}
	refuse(t, p(f), pr(Index{Scale: 32, Count: 3}), "index is in range")
	refuse(t, p(f), pr(Index{Scale: 32, Base: 16, Count: 4}), "offset is the index")
	f.Params[0] = contract.In("x", 104)
	f.Ensures, f.Witness = nil, func() map[string]*big.Int { return map[string]*big.Int{"i": big.NewInt(0), "o": big.NewInt(0)} }
	refuse(t, p(f), pr(Index{Scale: 32, Count: 4}), "not inside x (104 bytes)")
}
