package machine

import (
	"math/big"
	"strings"
	"testing"

	a "verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	l "verum.example/internal/tcb/logic"
)

// proof answers with functions; a nil one refuses.
type proof struct {
	NoProof
	shape     func(View) Shape
	invariant func(View) ([]l.Term, l.Term)
	index     func(Access) Index
	leak      func(LeakQuery) (l.Term, []l.Term)
	mark      func(string, View) error
	prove     func(Goal) (kernel.Theorem, error)
}

func (p proof) Shape(n string, v View) (Shape, error) {
	if p.shape == nil {
		return p.NoProof.Shape(n, v)
	}
	return p.shape(v), nil
}

func (p proof) Invariant(n string, v View) ([]l.Term, l.Term, error) {
	if p.invariant == nil {
		return p.NoProof.Invariant(n, v)
	}
	inv, m := p.invariant(v)
	return inv, m, nil
}

func (p proof) Index(x Access) (Index, error) {
	if p.index == nil {
		return p.NoProof.Index(x)
	}
	return p.index(x), nil
}

func (p proof) Leak(q LeakQuery) (l.Term, []l.Term, error) {
	if p.leak == nil {
		return p.NoProof.Leak(q)
	}
	s, y := p.leak(q)
	return s, y, nil
}

func (p proof) Mark(n string, v View) error {
	if p.mark == nil {
		return nil
	}
	return p.mark(n, v)
}

func (p proof) Prove(g Goal) (kernel.Theorem, error) {
	if p.prove == nil {
		return p.NoProof.Prove(g)
	}
	return p.prove(g)
}

// assume is a proof that just assumes each goal: accepted only where the goal is a fact.
func assume(g Goal) (kernel.Theorem, error) { return kernel.Assume(g.Concl) }

func mustNew(t *testing.T, f contract.Func) Contract {
	t.Helper()
	c, err := contract.New(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func arg(r isa.Reg, name string) isa.Instr { return a.LoadArg{D: r, Name: name} }

// Move of a word: r = x.
func copyFunc() contract.Func {
	return contract.Func{
		Name:   "copyWord",
		Doc:    "copyWord sets r = x.",
		Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
		Alias:  [][]string{{"r", "x"}},
		Ensures: func(e contract.Env) []l.Term {
			return []l.Term{l.Eq(e.After().LE("r"), e.LE("x"))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(77)} },
	}
}

var copyCode = Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDR{T: a.R2, N: a.R1}, a.STR{T: a.R2, N: a.R0}}

func TestCopy(t *testing.T) {
	v, err := Verify(Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: copyCode}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Stats(); s.Patterns != 2 || s.Steps != 8 || s.Instructions != 4 || s.Obligations != 0 {
		t.Errorf("stats %+v", s)
	}
	if len(v.Axioms()) != 0 || v.Symbol() != "copyWord" || v.Stack() != 16 {
		t.Errorf("axioms %v, symbol %s, stack %d", v.Axioms(), v.Symbol(), v.Stack())
	}
	f := v.Functions()
	if len(f) != 1 || f[0].ArgSize != 16 || f[0].Local || len(f[0].Lines) != 5 || !f[0].Lines[4].Return {
		t.Errorf("lowered: %+v", f)
	}
	out, err := v.Run(Input{Mem: map[string][]byte{"x": {1, 2, 3, 4, 5, 6, 7, 8}}})
	if err != nil || string(out.Mem["r"]) != "\x01\x02\x03\x04\x05\x06\x07\x08" {
		t.Errorf("run: %v %v", out, err)
	}
	if err := Check(v.Contract(), Input{Mem: map[string][]byte{"x": make([]byte, 8)}}, &out); err == nil {
		t.Error("Check accepts a wrong output")
	}
}

// refuse verifies a program and demands an error with each of the texts.
func refuse(t *testing.T, p Program, pr Prover, want ...string) {
	t.Helper()
	v, err := Verify(p, pr)
	if err == nil || !v.IsZero() {
		t.Fatalf("verified; want an error with %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("want %q in\n%v", w, err)
		}
	}
	t.Log(err)
}

func TestRefusesCode(t *testing.T) {
	type embedded struct{ a.ADD }
	pub := contract.Func{Name: "f", Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8), contract.UintArg("n"), contract.ScratchBuf("s", 16)}}
	set := func(b ...isa.Instr) Block {
		return append(Block{arg(a.R0, "r"), arg(a.R1, "x"), arg(a.R2, "n"), arg(a.R3, "s"), a.LDR{T: a.R4, N: a.R1}, a.STR{T: a.R4, N: a.R0}}, b...)
	}
	for _, tc := range []struct {
		name string
		code Code
		want []string
	}{
		{"out-of-bounds store", set(a.STR{T: a.R2, N: a.R0, Offset: 8}), []string{"8 bytes at offset 8 are outside r (8 bytes)", "arm64.STR{T:2 N:0 Offset:8}", "instruction 6", "f (arm64)"}},
		{"out-of-bounds load", set(a.LDRB{T: a.R2, N: a.R3, Offset: 16}), []string{"1 bytes at offset 16 are outside s"}},
		{"store below", set(a.SUBImm{D: a.R5, N: a.R0, Imm: 8}, a.STR{T: a.R2, N: a.R5}), []string{"outside r"}},
		{"secret branch", Seq{set(a.ADDS{D: a.R5, N: a.R4, M: a.R4}), If{Cond: a.EQ, Then: Block{}}}, []string{"secret branch condition", "if arm64.Cond EQ"}},
		{"secret branch on a register", Seq{set(), If{Cond: a.CBZ{T: a.R4}, Then: Block{}}}, []string{"secret branch condition"}},
		{"secret address", set(a.ANDImm{D: a.R5, N: a.R4, Imm: 7}, a.ADD{D: a.R5, N: a.R3, M: a.R5}, a.LDRB{T: a.R6, N: a.R5}), []string{"secret address"}},
		{"uninitialised register", set(a.ADD{D: a.R5, N: a.R6, M: a.R0}), []string{"R6 is undefined"}},
		{"uninitialised memory", set(a.LDR{T: a.R5, N: a.R3}), []string{"s[0:8] is uninitialised"}},
		{"partly uninitialised memory", set(a.STRW{T: a.R2, N: a.R3}, a.LDR{T: a.R5, N: a.R3}), []string{"s[0:8] is uninitialised"}},
		{"undefined flag", set(a.CSEL{D: a.R5, N: a.R4, M: a.R4, Cond: a.EQ}), []string{"flag Z is undefined"}},
		{"store to an input", set(a.STR{T: a.R2, N: a.R1}), []string{"x is read-only"}},
		{"no base", set(a.LDR{T: a.R5, N: a.R2}), []string{"not the sum of one region's address"}},
		{"two bases", set(a.ADD{D: a.R5, N: a.R0, M: a.R1}, a.LDR{T: a.R5, N: a.R5}), []string{"not the sum of one region's address"}},
		{"unwritten output", Block{arg(a.R0, "r")}, []string{"output r is not written at 0", "return"}},
		{"reserved register", set(a.MOVZ{D: a.R28, Imm: 1}), []string{"can't be used here"}},
		{"clobbered stack pointer", set(a.ADDImm{D: a.SP, N: a.R0, Imm: 16}), []string{"instruction 6 of a block"}},
		{"leftover secret in scratch", set(a.STR{T: a.R4, N: a.R3, Offset: 8}), []string{"s[8] held a secret and is not zero"}},
		{"leftover secret, overwritten in part", set(a.STR{T: a.R4, N: a.R3, Offset: 8}, a.STRW{T: a.ZR, N: a.R3, Offset: 8}), []string{"s[12] held a secret"}},
		{"foreign instruction type", set(embedded{a.ADD{D: a.R0, N: a.R1, M: a.R2}}), []string{"machine.embedded"}},
		{"pointer to an instruction", set(&a.ADD{D: a.R0, N: a.R1, M: a.R2}), []string{"*arm64.ADD"}},
		{"no instruction", set(nil), []string{"instruction 6"}},
		{"unknown argument", Block{arg(a.R0, "q")}, []string{`no parameter "q"`}},
		{"result that does not exist", set(a.StoreResult{S: a.R2, Name: "z"}), []string{`no result "z"`}},
		{"unknown table", set(a.TableAddr{D: a.R5, Name: "t"}), []string{`no table "t"`}},
		{"zero Verified as callee", Call{Site: "c"}, []string{"call c: the callee is the zero Verified"}},
		{"loop without a name", Loop{Body: set(), While: a.EQ}, []string{"has no name"}},
		{"unknown loop", Loop{Name: "l", Body: set(), While: a.EQ}, []string{"loop l: shape: the proof says nothing about this loop"}},
		{"condition that does not fold", Loop{Name: "l", Body: set(a.ADDS{D: a.R5, N: a.R2, M: a.R2}), While: a.EQ, Unroll: 3}, []string{"is no constant"}},
		{"loop that runs too long", Loop{Name: "l", Body: set(a.MOVZ{D: a.R5, Imm: 1}), While: a.CBNZ{T: a.R5}, Unroll: 3}, []string{"more than 3 times"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refuse(t, Program{Target: ARM64, Contract: mustNew(t, pub), Code: tc.code}, nil, tc.want...)
		})
	}
	ok := Seq{set(a.STR{T: a.R4, N: a.R3, Offset: 8}, a.STR{T: a.ZR, N: a.R3, Offset: 8}), Mark{Name: "end"}}
	if _, err := Verify(Program{Target: ARM64, Contract: mustNew(t, pub), Code: ok}, nil); err != nil {
		t.Errorf("the correct program: %v", err)
	}
	type myBlock struct{ Block }
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, pub), Code: myBlock{set()}}, nil, "myBlock is not code")
	self := Seq{nil}
	self[0] = self
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, pub), Code: self}, nil, "nested too deeply")
}

func TestRefusesProofs(t *testing.T) {
	// the code computes x + x, the contract says 2x: a theorem is needed
	f := contract.Func{Name: "twice", Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
		Ensures: func(e contract.Env) []l.Term {
			return []l.Term{l.Cong(e.After().LE("r"), l.Mul(l.N(2), e.LE("x")), l.Pow2(64))}
		}}
	code := Block{arg(a.R0, "r"), arg(a.R1, "x"), a.LDR{T: a.R2, N: a.R1}, a.ADD{D: a.R2, N: a.R2, M: a.R2}, a.STR{T: a.R2, N: a.R0}}
	p := Program{Target: ARM64, Contract: mustNew(t, f), Code: code}
	good := func(g Goal) (kernel.Theorem, error) { return kernel.UintMod(g.View.Mem("r", 0, 8)) }
	if _, err := Verify(p, proof{prove: good}); err != nil {
		t.Fatalf("the correct proof: %v", err)
	}
	refuse(t, p, nil, "ensures 0: the proof has no theorem", "goal")
	refuse(t, p, proof{prove: func(Goal) (kernel.Theorem, error) { return kernel.Theorem{}, nil }}, "zero Theorem")
	refuse(t, p, proof{prove: assume}, "a hypothesis that is no fact here")
	refuse(t, p, proof{prove: func(Goal) (kernel.Theorem, error) { return kernel.Compute(l.Eq(l.N(1), l.N(1))) }}, "another theorem")
	refuse(t, p, proof{prove: func(Goal) (kernel.Theorem, error) { panic("oops") }}, "the proof panics: oops")
	refuse(t, p, proof{prove: func(g Goal) (kernel.Theorem, error) {
		th, _ := good(g)
		v := l.Var("b", l.Bool())
		as, _ := kernel.Assume(v)
		return kernel.Taut(g.Concl, th, as)
	}}, "a hypothesis that is no fact here", "hypothesis b")
}

func TestRefusesContracts(t *testing.T) {
	f := copyFunc()
	f.Requires = func(e contract.Env) []l.Term { return []l.Term{l.Lt(e.LE("x"), l.N(50))} }
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, f), Code: copyCode}, nil, "witness: requires 0 does not hold")
	f = copyFunc()
	f.Requires = func(e contract.Env) []l.Term { return []l.Term{l.Lt(e.LE("x"), e.LE("x"))} }
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, f), Code: copyCode}, nil, "witness: requires 0 does not hold")
	// an Ensures that follows only from a false Requires would be caught above; a wrong one that a wrong model or kernel
	// lets through is caught by running the code
	f = copyFunc()
	f.Ensures = func(e contract.Env) []l.Term {
		return []l.Term{l.Eq(e.After().LE("r"), l.Add(e.LE("x"), l.N(1)))}
	}
	v := &verified{axioms: map[string]bool{}}
	if err := v.init(Program{Target: ARM64, Contract: mustNew(t, f), Code: copyCode}); err != nil {
		t.Fatal(err)
	}
	err := v.checkWitness(v.prog.Contract.Patterns()[0])
	if err == nil || !strings.Contains(err.Error(), "ensures 0 does not hold") {
		t.Errorf("wrong Ensures: %v", err)
	}
	refuse(t, Program{Target: ARM64, Code: copyCode}, nil, "the zero Contract")
	refuse(t, Program{Target: 9, Contract: mustNew(t, copyFunc()), Code: copyCode}, nil, "no such target")
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: copyCode, Frame: 8}, nil, "a frame of 8 bytes")
	refuse(t, Program{Target: AMD64, Contract: mustNew(t, copyFunc()), Code: copyCode}, nil, "arm64.LoadArg")
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, copyFunc())}, nil, "is not code")
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: copyCode, Preserves: []isa.Reg{a.R5}}, nil, "preserves no registers")
	refuse(t, Program{Target: ARM64, Contract: mustNew(t, copyFunc()), Code: copyCode, Tables: []Table{{Name: "r", Elem: 1, Data: []byte{1}}}}, nil, "no identifier, or taken")
}

// halve is a loop: s = i = n; do { s = s + i − i; i = i/2 } while (i ≠ 0); n ≥ 1.
func halve(body ...isa.Instr) Code {
	return Seq{
		Block{arg(a.R1, "n"), arg(a.R0, "n"), arg(a.R7, "x"), a.LDR{T: a.R7, N: a.R7}},
		Loop{Name: "l", Body: append(Block{a.ADD{D: a.R0, N: a.R0, M: a.R1}, a.SUB{D: a.R0, N: a.R0, M: a.R1}, a.LSR{D: a.R1, N: a.R1, Amount: 1}}, body...), While: a.CBNZ{T: a.R1}},
		Block{a.StoreResult{S: a.R0, Name: "s"}},
	}
}

// TestLoop: every goal of a loop is asked for in order, and every way to cheat is refused.
func TestLoop(t *testing.T) {
	f := contract.Func{Name: "halve", Params: []contract.Param{contract.UintArg("n"), contract.In("x", 8)}, Result: "s",
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Le(l.N(1), e.Uint("n"))} },
		Ensures:  func(e contract.Env) []l.Term { return []l.Term{l.Eq(e.Result(), e.Arg("n"))} },
		Witness:  func() map[string]*big.Int { return map[string]*big.Int{"n": big.NewInt(5)} }}
	c := mustNew(t, f)
	r0, r1 := RegLoc(a.R0), RegLoc(a.R1)
	good := proof{
		shape: func(View) Shape { return Shape{Fresh: []Loc{r0, r1}, Public: []Loc{r0, r1}} },
		invariant: func(v View) ([]l.Term, l.Term) {
			s, i := v.Fresh("l", r0), v.Fresh("l", r1)
			return []l.Term{l.Le(l.N(1), l.Uint(i)), l.Eq(s, v.Arg("n"))}, l.Uint(i)
		},
		prove: proveHalve,
	}
	p := func(body ...isa.Instr) Program {
		return Program{Target: ARM64, Contract: c, Code: halve(body...)}
	}
	v, err := Verify(p(), good)
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Stats(); s.Loops != 1 || s.Obligations != 6 {
		t.Errorf("stats %+v", s)
	}
	with := func(f func(*proof)) proof { q := good; f(&q); return q }
	shape := func(s Shape) proof { return with(func(q *proof) { q.shape = func(View) Shape { return s } }) }
	both := []Loc{r0, r1}
	refuse(t, p(), proof{shape: good.shape}, "loop l: invariant: the proof has no invariant")
	refuse(t, p(a.MOVZ{D: a.R3}), good, "the body changes R3, which the proof does not list")
	refuse(t, p(), shape(Shape{Fresh: []Loc{r1}, Public: []Loc{r1}, Dead: nil}), "invariant 1: ill-formed term: zero Term")
	refuse(t, p(), shape(Shape{Fresh: both}), "secret branch condition")
	refuse(t, p(a.ANDImm{D: a.R1, N: a.R7, Imm: 1}), good, "value of R1, claimed public, after the body")
	refuse(t, p(), shape(Shape{Fresh: append(both, RegLoc(a.R7)), Public: append(both, RegLoc(a.R7))}), "value of R7, claimed public, on entry")
	refuse(t, p(), shape(Shape{Fresh: append(both, r0), Public: both}), "R0 and R0, which overlap")
	refuse(t, p(), shape(Shape{Fresh: both, Public: append(both, RegLoc(a.R9))}), "R9 is claimed public but not listed")
	refuse(t, p(), shape(Shape{Fresh: append(both, RegLoc(a.R9)), Public: both}), "R9 has no value on entry")
	refuse(t, p(), shape(Shape{Fresh: append(both, RegLoc(a.R28)), Public: both}), "g is reserved")
	refuse(t, p(), shape(Shape{Fresh: append(both, MemLoc("x", 0, 8)), Public: both}), "x is read-only")
	refuse(t, p(), shape(Shape{Fresh: append(both, MemLoc("y", 0, 8)), Public: both}), `no region "y"`)
	refuse(t, p(), shape(Shape{Fresh: append(both, MemLoc("frame", 0, 8)), Public: both}), "outside the region")
	refuse(t, p(), shape(Shape{Fresh: both, Public: both, Dead: []Loc{RegLoc(a.R7), r1}}), "overlap")
	inv := func(f func(View) ([]l.Term, l.Term)) proof { return with(func(q *proof) { q.invariant = f }) }
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return nil, l.Term{} }), "measure:")
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return []l.Term{l.N(1)}, l.N(0) }), "invariant 0: 1 is of sort Int")
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return []l.Term{l.Var("q", l.Bool())}, l.N(0) }), "q is no variable of this run")
	// a measure that stays, one that falls without end, one of the wrong sign
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return nil, l.N(7) }), "measure decreases")
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return nil, l.Neg(l.Uint(v.Fresh("l", r1))) }), "measure is natural")
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return nil, l.Sub(l.Uint(v.Fresh("l", r1)), l.N(100)) }), "measure is natural")
	refuse(t, p(), inv(func(v View) ([]l.Term, l.Term) { return []l.Term{l.False()}, l.N(0) }), "invariant 0 on entry")
	// the result slot and flags
	refuse(t, p(a.StoreResult{S: a.R7, Name: "s"}), good, "the body changes the result")
	refuse(t, Program{Target: ARM64, Contract: c, Code: Seq{Block{arg(a.R1, "n"), arg(a.R0, "n"), a.SUBSImm{D: a.R2, N: a.R1, Imm: 1}},
		Loop{Name: "l", Body: Block{a.CSINC{D: a.R0, N: a.R0, M: a.R1, Cond: a.EQ}}, While: a.CBNZ{T: a.R1}}}}, good, "flag Z is undefined")
}

func le(t l.Term, facts []kernel.Theorem, coefs []int64, eqs ...kernel.Multiple) (kernel.Theorem, error) {
	var ps []kernel.Product
	for i, c := range coefs {
		if i < len(facts) {
			ps = append(ps, kernel.Product{Coef: big.NewInt(c), Factors: []int{i}})
		} else {
			ps = append(ps, kernel.Product{Coef: big.NewInt(c)})
		}
	}
	return kernel.Le(t, facts, ps, eqs...)
}

// proveHalve: goals of halve.
func proveHalve(g Goal) (kernel.Theorem, error) {
	v := g.View
	i, s := v.Fresh("l", RegLoc(a.R1)), v.Fresh("l", RegLoc(a.R0))
	switch g.Name {
	case "invariant 0 on entry":
		return kernel.Assume(g.Concl)
	case "measure is natural":
		lo, _, err := kernel.UintRange(i)
		return lo, err
	case "invariant 1 is kept", "ensures 0":
		same, err := kernel.LowRing(v.Reg(a.R0), s)
		if err != nil {
			return same, err
		}
		rel, err := kernel.Assume(l.Eq(s, v.Arg("n")))
		if err != nil {
			return rel, err
		}
		return kernel.Rewrite(rel, kernel.Equation{Th: same, From: s, To: v.Reg(a.R0)})
	}
	half := v.Reg(a.R1)
	nz, err := kernel.Assume(l.Not(l.Eq(half, l.BVUint(64, 0))))
	if err != nil {
		return nz, err
	}
	ge1, err := naturalNotZero(half, nz)
	if err != nil || g.Name == "invariant 0 is kept" {
		return ge1, err
	}
	// i = bit + 2·half, so i − (half + 1) = bit + (half − 1)
	bit, _, err := kernel.UintRange(l.Extract(0, 0, i))
	if err != nil {
		return bit, err
	}
	split, err := kernel.UintSplit(i, 1)
	if err != nil {
		return split, err
	}
	shifted, err := kernel.UintSplit(half, 63) // the top bit is 0
	if err != nil {
		return shifted, err
	}
	goal := l.Sub(l.Uint(i), l.Add(l.Uint(half), l.N(1)))
	for _, x := range []int64{1, -1} { // the signs of the equations, as the constructor chose them
		for _, y := range []int64{2, -2} {
			if th, err := le(goal, []kernel.Theorem{bit, ge1}, []int64{1, 1},
				kernel.Multiple{Fact: split, By: l.N(x)}, kernel.Multiple{Fact: shifted, By: l.N(y)}); err == nil {
				return th, nil
			}
		}
	}
	return kernel.Theorem{}, nil
}

// naturalNotZero: from x ≠ 0: 1 ≤ uint x. If uint x ≤ 0 then uint x = 0, so x = bv(uint x) = 0.
func naturalNotZero(x l.Term, nz kernel.Theorem) (kernel.Theorem, error) {
	lo, _, _ := kernel.UintRange(x)
	small := l.Le(l.Uint(x), l.N(0))
	h, err := kernel.Assume(small)
	if err != nil {
		return h, err
	}
	z, err := kernel.Antisym(l.Uint(x), lo, h)
	if err != nil {
		return z, err
	}
	w := l.Fresh("w", l.Int())
	refl, err := kernel.Taut(l.True())
	if err != nil {
		return refl, err
	}
	th, err := kernel.Leibniz(z, l.Uint(x), l.N(0), refl, l.Eq(x, l.ToBV(x.Width(), w)), w)
	if err != nil {
		return th, err
	}
	d, err := kernel.Discharge(small, th)
	if err != nil {
		return d, err
	}
	return kernel.Taut(l.Le(l.N(1), l.Uint(x)), d, nz)
}

// TestLoopMemory: a loop that works on memory: s[0:8] ^= x in each iteration.
func TestLoopMemory(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.UintArg("n"), contract.In("x", 8), contract.ScratchBuf("m", 16)},
		Requires: func(e contract.Env) []l.Term { return []l.Term{l.Le(l.N(1), e.Uint("n"))} },
		Witness:  func() map[string]*big.Int { return map[string]*big.Int{"n": big.NewInt(5), "x": big.NewInt(3)} }}
	c := mustNew(t, f)
	head := Block{arg(a.R1, "n"), arg(a.R0, "n"), arg(a.R7, "x"), a.LDR{T: a.R7, N: a.R7}, arg(a.R8, "m"), a.STP{T: a.ZR, T2: a.ZR, N: a.R8}}
	loop := Loop{Name: "l", While: a.CBNZ{T: a.R1}, Body: Block{
		a.LDR{T: a.R4, N: a.R8}, a.EOR{D: a.R4, N: a.R4, M: a.R7}, a.STR{T: a.R4, N: a.R8}, a.LSR{D: a.R1, N: a.R1, Amount: 1}}}
	wipe := Block{a.STR{T: a.ZR, N: a.R8}}
	p := func(code ...Code) Program { return Program{Target: ARM64, Contract: c, Code: Seq(code)} }
	ctr := RegLoc(a.R1)
	with := func(s Shape) proof {
		s.Fresh, s.Public = append(s.Fresh, ctr, RegLoc(a.R0)), append(s.Public, ctr)
		return proof{
			shape: func(View) Shape { return s },
			invariant: func(v View) ([]l.Term, l.Term) {
				i := v.Fresh("l", ctr)
				return []l.Term{l.Le(l.N(1), l.Uint(i))}, l.Uint(i)
			},
			prove: proveHalve,
		}
	}
	mem := func(o, n int) Loc { return MemLoc("m", o, n) }
	dead := []Loc{RegLoc(a.R4)}
	for _, fresh := range [][]Loc{{mem(0, 8)}, {mem(0, 4), mem(4, 4)}} {
		if _, err := Verify(p(head, loop, wipe), with(Shape{Fresh: fresh, Dead: dead})); err != nil {
			t.Error(err)
		}
	}
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(0, 16)}, Dead: dead}), "m[8] held a secret")
	refuse(t, p(head, loop, wipe), with(Shape{Dead: dead}), "the body changes m[0:1], which the proof does not list")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(0, 4)}, Dead: dead}), "the body changes m[4:5]")
	refuse(t, p(head, loop), with(Shape{Fresh: []Loc{mem(0, 8)}, Dead: dead}), "m[0] held a secret and is not zero")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(0, 8)}, Public: []Loc{mem(0, 8)}, Dead: dead}), "secret value of m[0:8], claimed public, after the body")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(0, 4), mem(2, 6)}, Dead: dead}), "m[2:8] and m[0:4], which overlap")
	refuse(t, p(head, loop, wipe), with(Shape{Dead: append(dead, mem(0, 8))}), "m[0:8] is uninitialised")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{WholeLoc("m")}, Dead: dead}), "modified as a whole exactly if")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(-8, 8)}, Dead: dead}), "outside the region")
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(8, 1<<62)}, Dead: dead}), "outside the region")
	// what the body defines is undefined at the head, and dead places keep their last value after the loop
	refuse(t, p(head, loop, wipe), with(Shape{Fresh: []Loc{mem(0, 8)}}), "the body changes R4, which the proof does not list")
}

// TestUnroll: a loop of a constant number of iterations is run through.
func TestUnroll(t *testing.T) {
	f := contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 8)}, Result: "s",
		Ensures: func(e contract.Env) []l.Term {
			x := e.Word("x", 0)
			return []l.Term{l.Eq(e.Result(), l.BVAdd(l.BVAdd(l.BVAdd(l.BVUint(64, 0), x), x), x))}
		}}
	loop := Loop{Name: "l", Body: Block{a.ADD{D: a.R0, N: a.R0, M: a.R2}, a.SUBImm{D: a.R1, N: a.R1, Imm: 1}}, While: a.CBNZ{T: a.R1}, Unroll: 3}
	p := Program{Target: ARM64, Contract: mustNew(t, f), Code: Seq{
		Block{a.MOVZ{D: a.R0}, a.MOVZ{D: a.R1, Imm: 3}, arg(a.R2, "x"), a.LDR{T: a.R2, N: a.R2}}, loop, Block{a.StoreResult{S: a.R0, Name: "s"}}}}
	v, err := Verify(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Functions()[0].Lines); n != 4+1+2+1+1+1 {
		t.Errorf("%d lines", n)
	}
	in := Input{Mem: map[string][]byte{"x": {7, 0, 0, 0, 0, 0, 0, 0}}}
	out, err := Run(p, in)
	if err != nil || out.Result != 21 || out.Steps != 5+3*2+3 || len(out.Trace) != 1+3 {
		t.Errorf("%+v %v", out, err)
	}
	if err := Check(p.Contract, in, &out); err != nil {
		t.Error(err)
	}
	out.Result++
	if err := Check(p.Contract, in, &out); err == nil || !strings.Contains(err.Error(), "ensures 0 does not hold") {
		t.Error(err)
	}
	if _, err := Run(p, Input{}); err == nil {
		t.Error("an input without contents")
	}
}

// TestPublicOnly: a form whose timing depends on its operands takes only public ones, whether or not its semantics asks.
func TestPublicOnly(t *testing.T) {
	p := Program{Target: ARM64, Contract: mustNew(t, contract.Func{Name: "f", Params: []contract.Param{contract.In("x", 8), contract.UintArg("n")}})}
	e := newExec(&p, p.Contract.Patterns()[0], NoProof{})
	c := cpu{e}
	e.st.regs[a.R1] = e.value["n"]
	base := e.value["x"]
	e.st.regs[a.R0], _ = c.Load(base, 8)
	for _, pub := range []bool{false, true} {
		e.pubOnly = pub
		if _, err := c.Reg(a.R1); err != nil {
			t.Error(err)
		}
		if _, err := c.Reg(a.R0); (err != nil) != pub {
			t.Errorf("register: %v", err)
		}
		if _, err := c.Load(base, 8); (err != nil) != pub {
			t.Errorf("memory: %v", err)
		}
	}
	if c.RequirePublic(e.st.regs[a.R0]) == nil || c.RequirePublic(l.Term{}) == nil || c.RequirePublic(e.st.regs[a.R1]) != nil {
		t.Error("RequirePublic")
	}
}

// TestCPU: the executor refuses ill-formed requests of an instruction's semantics.
func TestCPU(t *testing.T) {
	p := Program{Target: ARM64, Contract: mustNew(t, copyFunc())}
	e := newExec(&p, p.Contract.Patterns()[0], NoProof{})
	sym := cpu{e}
	con, err := newConc(&p, Input{Mem: map[string][]byte{"x": make([]byte, 8)}})
	if err != nil {
		t.Fatal(err)
	}
	v, w := l.BVUint(64, 1), l.BVUint(32, 1)
	for name, c := range map[string]isa.CPU{"symbolic": sym, "concrete": con} {
		r, _ := c.Arg("r")
		for what, err := range map[string]error{
			"register number":    second(c.Reg(200)),
			"reserved":           c.SetReg(a.R28, v),
			"stack pointer":      c.SetReg(a.SP, v),
			"width":              c.SetReg(a.R0, w),
			"zero Term":          c.SetReg(a.R0, l.Term{}),
			"ill-formed":         c.SetReg(a.R0, l.BVAdd(v, w)),
			"flag number":        second(c.Flag(7)),
			"flag number, write": c.SetFlag(7, l.BVUint(1, 0)),
			"flag width":         c.SetFlag(0, w),
			"undefined flag":     second(c.Flag(0)),
			"address width":      second(c.Load(w, 8)),
			"zero address":       second(c.Load(l.Term{}, 8)),
			"no bytes":           second(c.Load(r, 0)),
			"negative":           second(c.Load(r, -1)),
			"no value":           c.Store(r, l.Term{}),
			"bits":               c.Store(r, l.BVUint(4, 1)),
			"not a vector":       c.Store(r, l.N(4)),
			"argument":           second(c.Arg("")),
			"result":             c.SetResult("", v),
			"table":              second(c.Table("r")),
		} {
			if err == nil {
				t.Errorf("%s: %s is accepted", name, what)
			}
		}
		if err := c.SetFlag(0, l.Term{}); err != nil {
			t.Error(err)
		}
	}
}

func second(_ l.Term, err error) error { return err }
