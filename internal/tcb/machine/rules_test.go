package machine

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	x "verum.example/internal/tcb/amd64"
	a "verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	l "verum.example/internal/tcb/logic"
)

// routine verifies an internal routine.
func routine(t *testing.T, f Func, p Program, pr Prover) Verified {
	t.Helper()
	c, err := Internal(f)
	if err != nil {
		t.Fatal(err)
	}
	p.Target, p.Contract = ARM64, c
	v, err := Verify(p, pr)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// xor is the routine r = a ^ b, with s as scratch memory that it leaves zero.
func xor(t *testing.T) Verified {
	return routine(t, Func{
		Name:   "xor",
		Params: []Param{contract.Out("r", 8), contract.In("a", 8), contract.In("b", 8), contract.ScratchBuf("s", 16)},
		Alias:  [][]string{{"r", "a"}},
		Ensures: func(e Env) []l.Term {
			return []l.Term{l.Eq(e.After().Word("r", 0), l.BVXor(e.Word("a", 0), e.Word("b", 0)))}
		},
	}, Program{Frame: 16, Preserves: []isa.Reg{a.R19}, Code: Block{
		a.STR{T: a.R19, N: a.SP, Offset: 8},
		a.LDR{T: a.R1, N: a.R1}, a.LDR{T: a.R2, N: a.R2}, a.EOR{D: a.R19, N: a.R1, M: a.R2},
		a.STR{T: a.R19, N: a.R3, Offset: 8}, a.STR{T: a.ZR, N: a.R3, Offset: 8},
		a.STR{T: a.R19, N: a.R0}, a.LDR{T: a.R19, N: a.SP, Offset: 8}, a.STR{T: a.ZR, N: a.SP, Offset: 8},
	}}, nil)
}

func TestCalls(t *testing.T) {
	f := xor(t)
	ptr := func(d isa.Reg, name string, off uint64) Block {
		return Block{arg(d, name), a.ADDImm{D: d, N: d, Imm: off}}
	}
	outer := contract.Func{Name: "g", Params: []contract.Param{contract.Out("r", 32), contract.In("p", 16), contract.ScratchBuf("s", 32), contract.UintArg("n")}}
	// init writes r, so that it may be an input
	init := Block{arg(a.R0, "r"), a.STP{T: a.ZR, T2: a.ZR, N: a.R0}, a.STP{T: a.ZR, T2: a.ZR, N: a.R0, Offset: 16}}
	type args struct {
		r, a, b, s string
		o          [4]uint64
	}
	call := func(x args) Code {
		return Seq{init, ptr(a.R0, x.r, x.o[0]), ptr(a.R1, x.a, x.o[1]), ptr(a.R2, x.b, x.o[2]), ptr(a.R3, x.s, x.o[3]), Call{Site: "c", To: f}}
	}
	p := func(code Code) Program { return Program{Target: ARM64, Contract: mustNew(t, outer), Code: code} }
	for _, ok := range []args{
		{"r", "p", "p", "s", [4]uint64{0, 0, 8, 0}},
		{"r", "p", "p", "s", [4]uint64{0, 4, 8, 16}}, // two inputs may overlap
		{"r", "r", "p", "s", [4]uint64{8, 8, 8, 0}},  // r = a
		{"r", "r", "p", "r", [4]uint64{8, 8, 8, 16}},
	} {
		code := call(ok)
		if ok.s == "r" { // scratch memory is undefined, or zero, afterwards
			code = Seq{code, Block{arg(a.R0, "r"), a.STP{T: a.ZR, T2: a.ZR, N: a.R0, Offset: 16}}}
		}
		if _, err := Verify(p(code), nil); err != nil {
			t.Errorf("%v: %v", ok, err)
		}
	}
	for _, bad := range []struct {
		args
		want string
	}{
		{args{"r", "r", "p", "s", [4]uint64{8, 4, 0, 0}}, "arguments r and a overlap"},
		{args{"r", "p", "r", "s", [4]uint64{8, 0, 8, 0}}, "arguments [b r] overlap: xor is not verified for this alias pattern"},
		{args{"r", "r", "r", "s", [4]uint64{8, 8, 8, 0}}, "arguments [a b r] overlap"},
		{args{"r", "p", "p", "r", [4]uint64{8, 0, 8, 0}}, "arguments r and s overlap"},
		{args{"r", "r", "p", "r", [4]uint64{8, 24, 8, 16}}, "arguments a and s overlap"},
		{args{"p", "p", "p", "s", [4]uint64{0, 8, 8, 0}}, "r: p is read-only"},
		{args{"r", "p", "p", "s", [4]uint64{0, 16, 8, 0}}, "a: 8 bytes at offset 16 are outside p"},
		{args{"r", "p", "p", "s", [4]uint64{0, 0, 8, 24}}, "s: 16 bytes at offset 24 are outside s"},
		{args{"r", "s", "p", "r", [4]uint64{0, 0, 8, 8}}, "a: s[0:8] is uninitialised"},
		{args{"n", "p", "p", "s", [4]uint64{0, 0, 8, 8}}, "r: address"},
	} {
		refuse(t, p(call(bad.args)), nil, "call c", bad.want)
	}
	ok := args{"r", "p", "p", "s", [4]uint64{0, 0, 8, 0}}
	refuse(t, p(Seq{call(ok), Block{a.ADD{D: a.R5, N: a.R0, M: a.R0}}}), nil, "R0 is undefined")
	refuse(t, p(Seq{init, Block{a.ADDS{D: a.R5, N: a.R0, M: a.R0}}, call(ok), Block{a.CSEL{D: a.R5, N: a.ZR, M: a.ZR, Cond: a.EQ}}}), nil, "flag Z is undefined")
	refuse(t, p(Seq{call(ok), call(ok)}), nil, "two calls have this name")
	// the scratch memory is zero after the call where the routine's run showed it, else undefined
	if _, err := Verify(p(Seq{call(ok), Block{arg(a.R1, "s"), a.LDR{T: a.R2, N: a.R1, Offset: 8}}}), nil); err != nil {
		t.Error(err)
	}
	refuse(t, p(Seq{call(ok), Block{arg(a.R1, "s"), a.LDR{T: a.R2, N: a.R1}}}), nil, "s[0:8] is uninitialised")
	// R19 survives
	keep := Seq{Block{arg(a.R19, "r")}, call(ok), Block{a.STR{T: a.ZR, N: a.R19, Offset: 8}}}
	v, err := Verify(p(keep), nil)
	if err != nil {
		t.Fatal(err)
	}
	if fs := v.Functions(); len(fs) != 2 || fs[1].Name != "xor" || !fs[1].Local || fs[0].Local || !fs[0].Calls || v.Stack() != 16+32 {
		t.Errorf("functions %+v, stack %d", fs, v.Stack())
	}
	in := Input{Mem: map[string][]byte{"p": []byte("0123456789abcdef")}, Args: map[string]uint64{}}
	out, err := v.Run(in)
	if err != nil || out.Mem["r"][0] != '0'^'8' || out.Mem["r"][8] != 0 {
		t.Errorf("run: %v %q", err, out.Mem["r"])
	}
	// results written to scratch memory are secret there
	refuse(t, p(Seq{init, ptr(a.R0, "s", 0), ptr(a.R1, "p", 0), ptr(a.R2, "p", 0), ptr(a.R3, "s", 16), Call{Site: "c", To: f}}), nil, "s[0] held a secret")
	// Go functions are not called; features are inherited; stack chains are bounded
	g, err := Verify(Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: copyCode}, nil)
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, p(Seq{Call{Site: "c", To: g}}), nil, "takes its arguments from Go's stack")
	// neither is what is verified against a trial contract
	trial, err := Trial(copyFunc())
	if err != nil || trial.Name() != "_copyWord" || trial.Internal() {
		t.Fatalf("trial contract %s: %v", trial.Name(), err)
	}
	if g, err = Verify(Program{Target: ARM64, Contract: trial, Code: copyCode}, nil); err != nil {
		t.Fatal(err)
	}
	refuse(t, p(Seq{Call{Site: "c", To: g}}), nil, "takes its arguments from Go's stack")
	deep := func(name string, frame int, to ...Verified) Verified {
		var code Seq
		for i, v := range to {
			code = append(code, Call{Site: fmt.Sprint(i), To: v})
		}
		return routine(t, Func{Name: name}, Program{Frame: frame, Code: code, Features: []string{}}, nil)
	}
	d3 := deep("d1", 208, deep("d2", 208, deep("d3", 208)))
	refuse(t, p(Seq{Call{Site: "c", To: d3}}).withFrame(32), nil, "needs 720 bytes of stack, over 700")
	refuse(t, p(Seq{Call{Site: "c", To: deep("same", 0)}, Call{Site: "d", To: deep("same", 0)}}), nil, "two functions are called same")
	fancy := routine(t, Func{Name: "fancy"}, Program{Features: []string{"SHA3"}, Code: Block{}}, nil)
	refuse(t, p(Seq{Call{Site: "c", To: fancy}}), nil, "needs the CPU feature SHA3")
	refuse(t, Program{Target: AMD64, Contract: mustNew(t, outer), Code: Call{Site: "c", To: fancy}}, nil, "fancy is verified for arm64")
}

func (p Program) withFrame(n int) Program { p.Frame = n; return p }

func TestCalleeDemands(t *testing.T) {
	// f requires a public input below 10, leaks the low bit of the secret one, and has a public result
	f := routine(t, Func{
		Name:     "f",
		Params:   []Param{contract.PublicIn("k", 8), contract.In("x", 8), contract.UintArg("m")},
		Result:   "z",
		Requires: func(e Env) []l.Term { return []l.Term{l.Lt(e.LE("k"), l.N(10))} },
		Leaks:    func(e Env) []l.Term { return []l.Term{l.Extract(0, 0, e.Word("x", 0))} },
		Ensures:  func(e Env) []l.Term { return []l.Term{l.Eq(e.Result(), e.Word("k", 0))} },

		ResultPublic: true,
	}, Program{Code: Block{a.LDR{T: a.R0, N: a.R0}}}, nil)
	x0 := func(e contract.Env) l.Term { return l.Extract(0, 0, e.Word("x", 0)) }
	outer := contract.Func{Name: "g", Params: []contract.Param{contract.PublicIn("k", 8), contract.In("x", 8), contract.UintArg("n")},
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Lt(e.LE("k"), l.N(10))} },
		Leaks:    func(e contract.Env) []l.Term { return []l.Term{x0(e)} },
	}
	code := func(k, x, m string) Code {
		return Seq{Block{arg(a.R0, k), arg(a.R1, x), arg(a.R2, m)}, Call{Site: "c", To: f}}
	}
	good := proof{prove: assume, leak: func(q LeakQuery) (l.Term, []l.Term) {
		y := l.Fresh("y", l.BV(1))
		return y, []l.Term{y}
	}}
	p := func(g contract.Func, c Code) Program {
		return Program{Target: ARM64, Contract: mustNew(t, g), Code: c}
	}
	branch := If{Cond: a.CBZ{T: a.R0}, Then: Block{}} // on the public result
	if _, err := Verify(p(outer, Seq{code("k", "x", "n"), branch}), good); err != nil {
		t.Fatal(err)
	}
	refuse(t, p(outer, code("x", "x", "n")), good, "call c", "secret public input k")
	refuse(t, p(outer, code("k", "x", "n")), proof{prove: assume}, "secret leak 0 of f")
	refuse(t, p(outer, code("k", "x", "n")), proof{leak: good.leak}, "f requires 0", "no theorem")
	noReq := outer
	noReq.Requires = nil
	refuse(t, p(noReq, code("k", "x", "n")), good, "f requires 0", "hypothesis that is no fact")
	noLeak := outer
	noLeak.Leaks = nil
	refuse(t, p(noLeak, code("k", "x", "n")), good, "secret leak 0 of f", "more variables than there are leaks")
	secretArg := Seq{Block{arg(a.R0, "k"), arg(a.R1, "x"), a.LDR{T: a.R2, N: a.R1}}, Call{Site: "c", To: f}}
	refuse(t, p(outer, secretArg), proof{prove: assume}, "secret by-value argument m")
	// explanations that are no explanation
	x := func(q LeakQuery) l.Term { return q.View.Before("x")[0] }
	for _, bad := range []struct {
		leak func(q LeakQuery) (l.Term, []l.Term)
		want string
	}{
		{func(q LeakQuery) (l.Term, []l.Term) { return q.T, nil }, "depends on x[0], which is secret"},
		{func(q LeakQuery) (l.Term, []l.Term) { return q.T, []l.Term{x(q)} }, "variable 0 cannot stand for leak 0"},
		{func(q LeakQuery) (l.Term, []l.Term) { return l.BVUint(1, 0), nil }, "another theorem"},
		{func(q LeakQuery) (l.Term, []l.Term) { return l.BVUint(2, 0), nil }, "another sort"},
		{func(q LeakQuery) (l.Term, []l.Term) { return l.Term{}, nil }, "no term"},
		{func(q LeakQuery) (l.Term, []l.Term) { return l.Var("who", l.BV(1)), nil }, "depends on who"},
	} {
		lie := good
		lie.leak = bad.leak
		lie.prove = func(g Goal) (kernel.Theorem, error) {
			if strings.Contains(g.Name, "leak") {
				return kernel.Taut(l.True())
			}
			return assume(g)
		}
		refuse(t, p(outer, code("k", "x", "n")), lie, bad.want)
	}
}

func TestPublicResults(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 8), contract.Out("r", 8).Declassified()}}
	code := Block{arg(a.R0, "x"), arg(a.R1, "r"), a.LDR{T: a.R0, N: a.R0}, a.STR{T: a.R0, N: a.R1}}
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, f), Code: code}, nil, "secret public output r", "return")
	g := contract.Func{Name: "g", Params: []contract.Param{contract.In("x", 8)}, Result: "z", ResultPublic: true}
	code = Block{arg(a.R0, "x"), a.LDR{T: a.R0, N: a.R0}, a.StoreResult{S: a.R0, Name: "z"}}
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, g), Code: code}, nil, "secret public result z")
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, g), Code: Block{}}, nil, "the result z is undefined")
}

func TestPreserves(t *testing.T) {
	c, err := Internal(Func{Name: "f", Params: []Param{contract.In("x", 8)}})
	if err != nil {
		t.Fatal(err)
	}
	p := func(frame int, code Block, pres ...isa.Reg) Program {
		return Program{Target: ARM64, Contract: c, Frame: frame, Code: code, Preserves: pres}
	}
	if _, err := Verify(p(0, Block{a.MOVZ{D: a.R5}}, a.R0, a.R19), nil); err != nil {
		t.Error(err)
	}
	refuse(t, p(0, Block{a.MOVZ{D: a.R19}}, a.R19), nil, "R19 is not what it was on entry")
	refuse(t, p(16, Block{a.STR{T: a.R19, N: a.SP, Offset: 8}}, a.R19), nil, "frame[0] held a secret")
	refuse(t, p(256, Block{}, a.R20), nil, "R20 cannot be preserved")
	refuse(t, p(0, Block{}, a.R16), nil, "R16 cannot be preserved") // a linker's veneer may use them
	refuse(t, p(0, Block{}, a.R17), nil, "R17 cannot be preserved")
	refuse(t, p(0, Block{}, a.R28), nil, "cannot be preserved")
	refuse(t, p(0, Block{arg(a.R0, "x")}), nil, "arguments in registers")
}

// TestIf: facts and values of a branch hold after it only under its condition.
func TestIf(t *testing.T) {
	f := routine(t, Func{Name: "f", Params: []Param{contract.In("x", 8)}, Result: "z",
		Ensures: func(e Env) []l.Term { return []l.Term{l.Eq(e.Result(), e.Word("x", 0))} },
	}, Program{Code: Block{a.LDR{T: a.R0, N: a.R0}}}, nil)
	outer := contract.Func{Name: "g", Params: []contract.Param{contract.In("x", 8), contract.Out("r", 16), contract.UintArg("c")},
		Ensures: func(e contract.Env) []l.Term {
			no := l.Eq(e.Arg("c"), l.BVUint(64, 0))
			return []l.Term{l.Eq(e.After().Word("r", 0), l.Ite(no, l.BVUint(64, 0), e.Word("x", 0)))}
		}}
	code := Seq{
		Block{arg(a.R0, "x"), arg(a.R2, "c"), arg(a.R1, "r"), a.STP{T: a.ZR, T2: a.ZR, N: a.R1}},
		If{Cond: a.CBNZ{T: a.R2},
			Then: Seq{Call{Site: "f", To: f}, Block{arg(a.R1, "r"), a.STR{T: a.R0, N: a.R1}, a.STRW{T: a.ZR, N: a.R1, Offset: 8}}, Mark{Name: "then"}},
			Else: Mark{Name: "else"},
		},
		Mark{Name: "after"},
	}
	p := Program{Target: ARM64, Contract: mustNew(t, outer), Code: code}
	var fact l.Term
	marks := map[string]View{}
	pr := proof{mark: func(n string, v View) error { marks[n] = v; return nil }}
	pr.prove = func(g Goal) (kernel.Theorem, error) { // the branch's fact under its condition
		no := l.Eq(g.View.Arg("c"), l.BVUint(64, 0))
		r := marks["then"].Reg(a.R0)
		fact = l.Eq(r, g.View.Before("x")[0])
		imp, err := kernel.Assume(l.Imp(l.Not(no), fact))
		if err != nil {
			return imp, err
		}
		yes, _ := kernel.Assume(l.Not(no))
		th, err := kernel.Taut(fact, imp, yes)
		if err != nil {
			return th, err
		}
		side := func(eqs ...kernel.Equation) kernel.Theorem {
			th, err := kernel.RewriteTerm(g.Concl, eqs...)
			if err != nil {
				t.Fatal(err)
			}
			th, _ = kernel.Taut(g.Concl, th)
			return th
		}
		as, _ := kernel.Assume(no)
		onNo := side(kernel.Equation{Th: as, From: no, To: l.True()})
		step1 := side(kernel.Equation{Th: yes, From: no, To: l.False()}, kernel.Equation{Th: th, From: r, To: g.View.Before("x")[0]})
		d1, _ := kernel.Discharge(no, onNo)
		d2, _ := kernel.Discharge(l.Not(no), step1)
		return kernel.Taut(g.Concl, d1, d2)
	}
	if _, err := Verify(p, pr); err != nil {
		t.Fatal(err)
	}
	if got := marks["then"].Facts(); got[len(got)-1] != fact {
		t.Errorf("in the branch: %v", got)
	}
	for _, h := range marks["after"].Facts() {
		if h == fact {
			t.Error("the branch's fact holds after it")
		}
	}
	if n := len(marks["else"].Facts()); n != len(marks["after"].Facts()) {
		t.Errorf("%d facts in the else branch, %d after", n, len(marks["after"].Facts()))
	}
	// the bytes at 8..11 were zero in both branches, but stored differently; the word is the constant 0 again
	if w := marks["after"].Mem("r", 8, 8); w != l.BVUint(64, 0) {
		t.Errorf("joined word %v", w)
	}
	// R0 is a pointer in one branch and a number in the other: after the join it is an ite; R1 is a pointer in both
	if marks["after"].Reg(a.R1) != marks["else"].Reg(a.R1) {
		t.Error("R1 has changed")
	}
	// using the fact of the branch where it does not hold
	lie := pr
	lie.prove = func(g Goal) (kernel.Theorem, error) {
		good, err := pr.prove(g)
		if err != nil {
			return good, err
		}
		as, _ := kernel.Assume(fact)
		return kernel.Taut(g.Concl, good, as)
	}
	refuse(t, p, lie, "ensures 0", "a hypothesis that is no fact here")
	// undefined in one branch: undefined after it
	q := p
	q.Code = Seq{code, Block{a.ADD{D: a.R3, N: a.R2, M: a.R2}}}
	refuse(t, q, pr, "R2 is undefined")
	// a join of two addresses is no address
	q.Code = Seq{Block{arg(a.R2, "c"), arg(a.R0, "x"), arg(a.R1, "r")},
		If{Cond: a.CBNZ{T: a.R2}, Then: Block{a.ADDImm{D: a.R0, N: a.R1}}}, Block{a.LDR{T: a.R3, N: a.R0}}}
	refuse(t, q, pr, "not the sum of one region's address")
}

// TestJoinOfLeak: a choice that only the leaks explain makes what it writes secret.
func TestJoinOfLeak(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 8), contract.ScratchBuf("s", 8)},
		Leaks: func(e contract.Env) []l.Term { return []l.Term{e.Word("x", 0)} }}
	pr := proof{leak: func(q LeakQuery) (l.Term, []l.Term) {
		y := l.Fresh("y", l.BV(64))
		return l.Subst(q.T, map[l.Term]l.Term{q.View.Before("x")[0]: y}), []l.Term{y}
	}}
	head := Block{arg(a.R0, "x"), arg(a.R1, "s"), a.LDR{T: a.R0, N: a.R0}, a.MOVZ{D: a.R2, Imm: 1}, a.STR{T: a.ZR, N: a.R1}}
	branch := If{Cond: a.CBZ{T: a.R0}, Then: Block{a.STR{T: a.R2, N: a.R1}}}
	p := Program{Target: ARM64, Contract: mustNew(t, f), Code: Seq{head, branch}}
	refuse(t, p, pr, "s[0] held a secret and is not zero")
	p.Code = Seq{head, branch, Block{a.STR{T: a.ZR, N: a.R1}}}
	if _, err := Verify(p, pr); err != nil {
		t.Error(err)
	}
}

func TestIndex(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.InOut("r", 64), contract.UintArg("i")},
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Lt(e.Uint("i"), l.N(8))} },
		Witness:  func() map[string]*big.Int { return map[string]*big.Int{"i": big.NewInt(3)} }}
	load := Block{arg(a.R0, "r"), arg(a.R1, "i"), a.ADD{D: a.R0, N: a.R0, M: a.R1}, a.LDRB{T: a.R2, N: a.R0}}
	store := Block{arg(a.R0, "r"), arg(a.R1, "i"), a.ADD{D: a.R0, N: a.R0, M: a.R1}, a.STRB{T: a.ZR, N: a.R0}}
	wide := Block{arg(a.R0, "r"), arg(a.R1, "i"), a.ADD{D: a.R0, N: a.R0, M: a.R1}, a.STR{T: a.ZR, N: a.R0}}
	prove := func(g Goal) (kernel.Theorem, error) {
		if g.Name == "index is natural" {
			lo, _, err := kernel.UintRange(g.View.Arg("i"))
			return lo, err
		}
		return kernel.Assume(g.Concl)
	}
	with := func(x Index) proof {
		return proof{prove: prove, index: func(q Access) Index {
			if q.Region != "r" || q.Size != 64 || q.Offset != q.View.Arg("i") {
				t.Errorf("access %+v", q)
			}
			if x.M.IsZero() {
				x.M = l.Uint(q.View.Arg("i"))
			}
			return x
		}}
	}
	p := func(c Code) Program { return Program{Target: ARM64, Contract: mustNew(t, f), Code: c} }
	for _, c := range []Code{load, store} {
		if _, err := Verify(p(c), with(Index{Scale: 1, Count: 8})); err != nil {
			t.Error(err)
		}
	}
	refuse(t, p(load), nil, "the proof says nothing about the offset")
	refuse(t, p(load), with(Index{Scale: 1, Count: 65}), "65 places of 1 bytes at 0 + 1·m are not inside r")
	refuse(t, p(load), with(Index{Scale: 1, Base: 1, Count: 64}), "not inside r")
	refuse(t, p(load), with(Index{Scale: 0, Count: 8}), "not inside r")
	refuse(t, p(load), with(Index{Scale: 1, Count: 7}), "index is in range", "no fact here")
	refuse(t, p(load), with(Index{Scale: 1, Count: 0}), "0 places")
	refuse(t, p(load), with(Index{Scale: 1, Count: 1 << 62}), "not inside")
	refuse(t, p(load), with(Index{Scale: 2, Count: 4}), "offset is the index")
	refuse(t, p(load), with(Index{Scale: 1, Base: -1, Count: 4}), "not inside r")
	refuse(t, p(wide), with(Index{Scale: 1, Count: 8}), "the places of a store of 8 bytes overlap")
	refuse(t, p(load), with(Index{M: l.Var("m", l.Int()), Scale: 1, Count: 8}), "m is no variable of this run")
	refuse(t, p(load), with(Index{M: l.Var("m", l.BV(64)), Scale: 1, Count: 8}), "sort")
}

// TestWhole: a region whose contents are an Int.
func TestWhole(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{
		contract.Slice("r", contract.ModeOut, 8, "n"), contract.UintArg("n"), contract.In("x", 8), contract.ScratchBuf("s", 32).AsInt()},
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Le(l.N(16), e.Len("r"))} },
		Ensures:  func(e contract.Env) []l.Term { return []l.Term{l.Eq(e.After().At("r", l.N(8), 8), e.Word("x", 0))} },
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"n": big.NewInt(3), "x": big.NewInt(1234567)}
		}}
	code := Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDR{T: a.R1, N: a.R1}, a.STR{T: a.R1, N: a.R0, Offset: 8}}
	p := func(c Code) Program { return Program{Target: ARM64, Contract: mustNew(t, f), Code: c} }
	goals := map[string]l.Term{}
	pr := proof{prove: func(g Goal) (kernel.Theorem, error) {
		goals[g.Name] = g.Concl
		if strings.HasPrefix(g.Name, "ensures") {
			return kernel.Theorem{}, fmt.Errorf("here")
		}
		return kernel.Assume(g.Concl)
	}}
	refuse(t, p(code), pr, "ensures 0: here")
	// the access obligation is exactly the Requires
	if goals["access is inside r"] != mustNew(t, f).Patterns()[0].Requires()[0] && goals["access is inside r"].IsZero() {
		t.Errorf("goals %v", goals)
	}
	bad := Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDR{T: a.R1, N: a.R1}, a.STR{T: a.R1, N: a.R0, Offset: 16}}
	refuse(t, p(bad), pr, "access is inside r", "no fact here")
	scratch := Block{arg(a.R0, "s"), arg(a.R1, "x"), a.LDR{T: a.R1, N: a.R1}, a.STR{T: a.R1, N: a.R0, Offset: 8}}
	refuse(t, p(scratch), pr, "s held a secret and is zero")
	refuse(t, p(Block{arg(a.R0, "s"), a.STR{T: a.ZR, N: a.R0, Offset: 25}}), pr, "arm64.STR")
	refuse(t, p(Block{arg(a.R0, "s"), a.STRB{T: a.ZR, N: a.R0, Offset: 32}}), pr, "outside s")
	// what is there before is secret
	refuse(t, p(Seq{Block{arg(a.R0, "s"), a.LDR{T: a.R0, N: a.R0}}, If{Cond: a.CBZ{T: a.R0}, Then: Block{}}}), pr, "secret branch condition")
	v := &verified{}
	if err := v.init(p(code)); err != nil {
		t.Fatal(err)
	}
	if err := v.checkWitness(v.prog.Contract.Patterns()[0]); err != nil {
		t.Errorf("the witness: %v", err)
	}
}

// TestMemory: partial stores split, loads join, and what was stored together comes back as one term.
func TestMemory(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.InOut("r", 32), contract.In("b", 8).Of(1)}}
	code := Seq{
		Block{arg(a.R0, "r"), arg(a.R1, "b"), a.LDR{T: a.R2, N: a.R0, Offset: 8}, a.STR{T: a.R2, N: a.R0},
			a.LDR{T: a.R3, N: a.R1}, a.STRB{T: a.R3, N: a.R0, Offset: 19}, a.LDP{T: a.R4, T2: a.R5, N: a.R0, Offset: 16}},
		Mark{Name: "m"},
		Block{a.LDRB{T: a.R6, N: a.R0, Offset: 19}, a.STRW{T: a.R4, N: a.R0, Offset: 16}, a.LSR{D: a.R4, N: a.R4, Amount: 32}, a.STRW{T: a.R4, N: a.R0, Offset: 20}, a.LDR{T: a.R7, N: a.R0, Offset: 16}},
		Mark{Name: "n"},
	}
	marks := map[string]View{}
	_, err := Verify(Program{Target: ARM64, Contract: mustNew(t, f), Code: code}, proof{mark: func(n string, v View) error { marks[n] = v; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	m, n := marks["m"], marks["n"]
	r, b := m.Before("r"), m.Before("b")
	for _, tc := range []struct{ got, want l.Term }{
		{m.Mem("r", 0, 8), r[1]},
		{m.Mem("r", 0, 16), l.Concat(r[1], r[1])},
		{m.Reg(a.R3), l.Concat(b...)},
		{m.Reg(a.R4), l.Concat(l.Extract(23, 0, r[2]), b[0], l.Extract(63, 32, r[2]))},
		{m.Reg(a.R5), r[3]},
		{n.Reg(a.R6), l.Zext(64, b[0])},
		{n.Reg(a.R7), m.Reg(a.R4)},
		{m.Mem("r", 12, 8), l.Concat(l.Extract(63, 32, r[1]), l.Extract(23, 0, r[2]), b[0])},
		{m.Mem("r", 28, 8), l.Term{}},
		{m.Mem("r", -1, 1), l.Term{}},
		{m.Mem("q", 0, 1), l.Term{}},
		{m.Mem("r", 0, 1<<62), l.Term{}},
	} {
		if tc.got != tc.want {
			t.Errorf("got %v, want %v", tc.got, tc.want)
		}
	}
}

// TestViews: a View stays what it is.
func TestViews(t *testing.T) {
	var first View
	code := Seq{copyCode, Mark{Name: "one"}, Block{a.STR{T: a.ZR, N: a.R0}, a.STR{T: a.R2, N: a.R0}, a.MOVZ{D: a.R2}}, Mark{Name: "two"}}
	pr := proof{mark: func(n string, v View) error {
		if n == "one" {
			first = v
			fs := v.Facts()
			fs[0] = l.False()
			v.Before("x")[0] = l.Term{}
		}
		if x := v.Before("x")[0]; first.Reg(a.R2) != x || first.Mem("r", 0, 8) != x || v.Mem("r", 0, 8) != x {
			return fmt.Errorf("the view changes: %v", first.Reg(a.R2))
		}
		return nil
	}}
	if _, err := Verify(Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: code}, pr); err != nil {
		t.Error(err)
	}
	for _, v := range []View{{}} { // the zero View answers nothing
		if !v.Reg(0).IsZero() || !v.Flag(0).IsZero() || !v.Mem("r", 0, 1).IsZero() || v.Before("x") != nil || v.Facts() != nil ||
			!v.Base("r").IsZero() || !v.Arg("n").IsZero() || v.Leaks() != nil || v.Aliased() != nil || !v.Whole("r").IsZero() {
			t.Error("the zero View")
		}
	}
	var z Verified
	if z.Name() != "" || z.Functions() != nil || z.Axioms() != nil || z.Tables() != nil || z.Program().Code != nil {
		t.Error("the zero Verified")
	}
	if _, err := z.Run(Input{}); err == nil {
		t.Error("the zero Verified runs")
	}
}

// TestCopies: what the proof does to its code afterwards has no effect.
func TestCopies(t *testing.T) {
	code := append(Block{}, copyCode...)
	tab := []byte{1, 2}
	p := Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: Seq{code}, Tables: []Table{{Name: "t", Elem: 1, Data: tab}}}
	v, err := Verify(p, proof{mark: nil})
	if err != nil {
		t.Fatal(err)
	}
	code[3], tab[0] = a.MOVZ{D: a.R0}, 9
	v.Tables()[0].Data[1] = 9
	v.Functions()[0].Lines[0] = isa.Line{Label: "x"}
	v.Program().Code.(Seq)[0].(Block)[0] = a.MOVZ{D: a.R0}
	if v.Functions()[0].Lines[3].Instr != copyCode[3] || v.Tables()[0].Data[0] != 1 || v.Tables()[0].Data[1] != 2 || v.Functions()[0].Lines[0].Label != "" ||
		v.Program().Code.(Seq)[0].(Block)[0] != copyCode[0] {
		t.Error("the Verified has changed")
	}
}

// TestLower: labels and branches.
func TestLower(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.UintArg("n")}}
	code := Seq{Block{arg(a.R0, "n")},
		If{Cond: a.CBZ{T: a.R0}, Then: Block{a.MOVZ{D: a.R1}}, Else: Block{a.MOVZ{D: a.R2}}},
		If{Cond: a.CBZ{T: a.R0}, Then: Block{a.MOVZ{D: a.R3}}, Else: Mark{Name: "m"}},
		Loop{Name: "l", Unroll: 1, Body: Block{a.MOVZ{D: a.R4}}, While: a.CBNZ{T: a.R4}}}
	v, err := Verify(Program{Target: ARM64, Contract: mustNew(t, f), Code: code}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, ln := range v.Functions()[0].Lines {
		switch {
		case ln.Label != "":
			fmt.Fprintf(&b, "%s: ", ln.Label)
		case ln.Branch != nil:
			fmt.Fprintf(&b, "%v→%s ", ln.Branch.Cond, ln.Branch.Label)
		case ln.Return:
			b.WriteString("ret")
		default:
			fmt.Fprintf(&b, "%T ", ln.Instr)
		}
	}
	want := "arm64.LoadArg {0}→l1 arm64.MOVZ <nil>→l2 l1: arm64.MOVZ l2: {0}→l3 arm64.MOVZ l3: l4: arm64.MOVZ {4}→l4 ret"
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
	if _, _, err := a.Encode(v.Functions()[0]); err != nil {
		t.Error(err)
	}
}

// TestAMD64: the other target's stack and flags.
func TestAMD64(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 8), contract.Out("r", 8)}}
	p := func(b ...isa.Instr) Program {
		return Program{Target: AMD64, Contract: mustNew(t, f), Frame: 16, Code: append(Block{x.LoadArg{D: x.SI, Name: "x"}, x.LoadArg{D: x.DI, Name: "r"}}, b...)}
	}
	sp := func(d int32) x.Mem { return x.Mem{Base: x.SP, Disp: d} }
	ok := p(x.MOVM{D: x.AX, M: x.Mem{Base: x.SI}}, x.MOVMR{M: sp(8), S: x.AX}, x.MOVM{D: x.CX, M: sp(8)}, x.MOVMR{M: x.Mem{Base: x.DI}, S: x.CX}, x.MOVMI{M: sp(8)})
	if _, err := Verify(ok, nil); err != nil {
		t.Error(err)
	}
	refuse(t, p(x.MOVMR{M: sp(16), S: x.DI}), nil, "8 bytes at offset 16 are outside frame")
	refuse(t, p(x.MOVMR{M: sp(-8), S: x.DI}), nil, "outside frame")
	refuse(t, p(x.MOVM{D: x.AX, M: x.Mem{Base: x.SI}}, x.IMUL{D: x.AX, S: x.AX}, x.CMOV{K: x.EQ, D: x.AX, S: x.AX}), nil, "flag ZF is undefined")
	refuse(t, p(x.MULX{Hi: x.AX, Lo: x.CX, S: x.DI}), nil, "needs the CPU feature BMI2")
	refuse(t, p(x.MOVI{D: x.BP, Imm: 1}), nil, "amd64.MOVI")
}
