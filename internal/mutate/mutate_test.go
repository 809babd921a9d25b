package mutate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	mont "verum.example/internal/proof/mont"
	"verum.example/internal/proof/selftest"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// function is a function of the field modulo P-256's p, op/target/variant, or a self-test: name/target.
func function(t testing.TB, op string, target machine.Target, variant string) Function {
	t.Helper()
	name := fmt.Sprintf("%s/%v/%s", op, target, variant)
	if slices.Contains(selftest.Names(), op) {
		return Function{name, func() (machine.Program, machine.Prover, error) { return selftest.Program(op, target) }}
	}
	return Function{name, func() (machine.Program, machine.Prover, error) { return mont.Program(spec.P256(), op, target, variant) }}
}

// program is its code.
func program(t testing.TB, f Function) machine.Program {
	t.Helper()
	p, _, err := f.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func functions(t testing.TB) (fs []Function) {
	for _, tg := range []machine.Target{machine.ARM64, machine.AMD64} {
		for _, op := range []string{"Mul", "FromBytes", "Half", "CNeg", "Select", "ToMont"} {
			fs = append(fs, function(t, op, tg, ""))
		}
		for _, op := range selftest.Names() {
			fs = append(fs, function(t, op, tg, ""))
		}
	}
	return append(fs, function(t, "Mul", machine.AMD64, "bmi2"))
}

// generation gives a test a generation of its own.
func generation(t testing.TB) {
	t.Helper()
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Drop)
}

func enumerate(t testing.TB, p machine.Program) []Mutant {
	t.Helper()
	ms, _, err := Enumerate(p)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

// TestEnumerate: the list is the same each time, has no mutant twice, none that is the original, and every kind.
func TestEnumerate(t *testing.T) {
	generation(t)
	kinds := map[Kind]int{}
	for _, f := range functions(t) {
		p := program(t, f)
		ms, again := enumerate(t, p), enumerate(t, program(t, f))
		seen := map[string]bool{}
		for i, m := range ms {
			if m.Kind != again[i].Kind || !slices.EqualFunc(m.changes, again[i].changes, equalChange) {
				t.Fatalf("%s: mutant %d differs", f.Name, i)
			}
			kinds[m.Kind]++
			if i%20 > 0 {
				continue
			}
			s := m.String()
			if seen[s] || strings.Contains(s, "%!") || !strings.Contains(s, "→") && m.Kind != Constant {
				t.Errorf("%s: %s", f.Name, s)
			}
			seen[s] = true
		}
		if len(ms) != len(again) || len(ms) < 100 {
			t.Errorf("%s: %d and %d mutants", f.Name, len(ms), len(again))
		}
		l, _ := newListing(p)
		for _, m := range ms {
			if l.same(m.changes) {
				t.Errorf("%s: %v is the original", f.Name, m)
			}
		}
		// They can be applied to another copy, but not to other code.
		q, err := ms[0].Apply(program(t, f))
		if l2, _ := newListing(q); err != nil || slices.Equal(l2.instrs, l.instrs) {
			t.Errorf("%s: %v, unchanged", f.Name, err)
		}
		if _, err := ms[0].Apply(q); err == nil {
			t.Errorf("%s: a mutant was applied twice", f.Name)
		}
	}
	for k := range NumKinds {
		if kinds[Kind(k)] == 0 {
			t.Errorf("no mutant of kind %v", Kind(k))
		}
	}
	if _, err := (Mutant{}).Apply(program(t, functions(t)[0])); err == nil {
		t.Error("the zero Mutant can be applied")
	}
}

func equalChange(a, b change) bool {
	return a.part == b.part && a.at == b.at && slices.Equal(a.to, b.to) && a.cond == b.cond && a.byte == b.byte && a.flip == b.flip
}

// TestBugs: the historical bugs are among the mutants of a product.
func TestBugs(t *testing.T) {
	generation(t)
	for _, tt := range []struct {
		f    Function
		want []string
	}{
		{function(t, "Mul", machine.ARM64, ""), []string{
			"lost carry: instruction 13 of 115: ADCS R0, R10, R10 → ADDS R0, R10, R10",
			"lost carry: instruction 105 of 115: SBCS R1, R15, R24 → SUBS R1, R15, R24",
			"stale flag: instruction 13 of 115: ADCS R0, R10, R10 → ADC R0, R10, R10",
			"wrong half: instruction 7 of 115: UMULH R4, R13, R9 → MUL R4, R13, R9",
			"swapped limbs: instruction 5 of 115: LDP (R2), (R13, R14) → LDP (R2), (R14, R13)",
			"final subtraction: instruction 109 of 115: CSEL HS, R23, R12, R23 → MOVD R12, R23, instruction 110 of 115: CSEL HS, R24, R15, R24 → ",
			"deletion: instruction 13 of 115: ADCS R0, R10, R10 → nothing",
			"duplication: instruction 13 of 115: ADCS R0, R10, R10 → ADCS R0, R10, R10; ADCS R0, R10, R10",
			"opcode: instruction 13 of 115: ADCS R0, R10, R10 → SBCS R0, R10, R10",
			"immediate: instruction 18 of 115: ADDS R8<<32, R9, R9 → ADDS R8<<31, R9, R9",
			"offset: instruction 4 of 115: LDP 16(R3), (R6, R7) → LDP 8(R3), (R6, R7)",
			"condition: instruction 109 of 115: CSEL HS, R23, R12, R23 → CSEL LO, R23, R12, R23",
		}},
		{function(t, "Sub", machine.AMD64, ""), []string{"lost carry: ", "stale flag: ", "TESTQ"}},
		{function(t, "Mul", machine.AMD64, "bmi2"), []string{"wrong half: ", "final subtraction: ", "operand order: "}},
		{function(t, "Sum", machine.AMD64, ""), []string{"branch condition: branch 1 of 2: NE → EQ"}},
		{function(t, "Triple", machine.ARM64, ""), []string{"deletion: call double → nothing"}},
		{function(t, "Scan", machine.ARM64, ""), []string{"table constant: table squares: byte 0 ^= 0x01"}},
	} {
		var all strings.Builder
		for _, m := range enumerate(t, program(t, tt.f)) {
			fmt.Fprintf(&all, "%v: %v\n", m.Kind, m)
		}
		for _, w := range tt.want {
			if !strings.Contains(all.String(), "\n"+w) && !strings.HasPrefix(all.String(), w) && !(w == "TESTQ" && strings.Contains(all.String(), w)) {
				t.Errorf("%s: no mutant %s", tt.f.Name, w)
			}
		}
	}
}

// TestForms: every instruction of the models has operands to change, and where it is in a family, other instructions.
func TestForms(t *testing.T) {
	for _, pkg := range []string{"arm64", "amd64"} {
		forms := cases(t, "../tcb/"+pkg+"/instr.go", func(f *ast.FuncDecl) (names []string) {
			if f.Name.Name == "Instruction" {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
			return names
		})
		known := cases(t, pkg+".go", func(f *ast.FuncDecl) (names []string) {
			if f.Name.Name != pkg+"Fields" {
				return nil
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					for _, e := range c.List {
						names = append(names, e.(*ast.SelectorExpr).Sel.Name)
					}
				}
				return true
			})
			return names
		})
		if len(forms) < 40 {
			t.Errorf("%s: only %d forms", pkg, len(forms))
		}
		for _, n := range forms {
			if !slices.Contains(known, n) {
				t.Errorf("%s.%s: no mutations", pkg, n)
			}
		}
	}
}

func cases(t *testing.T, file string, of func(*ast.FuncDecl) []string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, of(fn)...)
		}
	}
	return names
}

// TestRunAgrees: mutants, most of which are wrong, do the same here and in machine.Run.
func TestRunAgrees(t *testing.T) {
	generation(t)
	rng := rand.New(rand.NewPCG(3, 4))
	ran, failed := 0, 0
	for _, f := range functions(t) {
		p := program(t, f)
		ms := enumerate(t, p)
		for range 20 {
			m := ms[rng.IntN(len(ms))]
			q, err := m.Apply(p)
			if err != nil {
				t.Fatal(err)
			}
			pats := q.Contract.Patterns()
			k, err := newChecker(q, p, pats[rng.IntN(len(pats))], rng)
			if err != nil {
				t.Fatalf("%s: %v: %v", f.Name, m, err)
			}
			k.witness()
			for range 2 {
				if err := k.next(false); err != nil {
					t.Fatal(err)
				}
				k.cur.layout = 0
				k.m.record = true
				got := k.m.start(k.space)
				if errors.Is(got, errEndless) { // machine.Run has more patience
					failed++
					break
				}
				out, want := machine.Run(q, k.input())
				if (got == nil) != (want == nil) {
					t.Errorf("%s: %v: error %v, of machine.Run %v", f.Name, m, got, want)
				}
				if got != nil || want != nil {
					failed++
					continue
				}
				ran++
				if out.Result != k.m.result {
					t.Errorf("%s: %v: result %#x, of machine.Run %#x", f.Name, m, k.m.result, out.Result)
				}
				for i, r := range k.params {
					if !r.Value && !slices.Equal(out.Mem[r.Name], k.m.param[i].data) {
						t.Errorf("%s: %v: %s is %x, of machine.Run %x", f.Name, m, r.Name, k.m.param[i].data, out.Mem[r.Name])
					}
				}
				if err := k.compareTraces(out.Trace); err != nil {
					t.Errorf("%s: %v: %v", f.Name, m, err)
				}
			}
		}
	}
	if ran < 300 || failed < 50 {
		t.Errorf("%d runs, %d refused", ran, failed)
	}
}

// TestStates: states meet the precondition, and are diverse.
func TestStates(t *testing.T) {
	generation(t)
	for _, f := range functions(t) {
		p := program(t, f)
		for _, pat := range p.Contract.Patterns() {
			k, err := newChecker(p, p, pat, rand.New(rand.NewPCG(5, 6)))
			if err != nil {
				t.Fatal(err)
			}
			k.witness()
			seen := map[string]bool{}
			public := ""
			for i := range 200 {
				if err := k.next(i%4 != 0); err != nil {
					t.Fatal(err)
				}
				if err := machine.Check(p.Contract, k.input(), nil); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				if o := k.observed(); i%4 != 0 && o != public && len(k.leaks) == 0 {
					t.Errorf("%s: public inputs change: %s, %s", f.Name, public, o)
				} else {
					public = o
				}
				seen[k.describe(k.cur)] = true
			}
			if len(seen) < 100 {
				t.Errorf("%s: only %d of 200 states differ", f.Name, len(seen))
			}
		}
	}
}

// TestCheckOriginals: what is proved passes.
func TestCheckOriginals(t *testing.T) {
	generation(t)
	for _, f := range functions(t) {
		p := program(t, f)
		h, err := Check(p, p, 500, 1)
		if err != nil || h != (Harmless{500, true, true}) {
			t.Errorf("%s: %v: %v", f.Name, h, err)
		}
	}
}

// TestEquivalent: the proofs do not depend on the order of independent instructions.
func TestEquivalent(t *testing.T) {
	generation(t)
	for _, tt := range []struct {
		f    Function
		what string
		want string
	}{
		{function(t, "Mul", machine.ARM64, ""), "swap: instruction 28 of 115: ", "same outputs and same accesses in 1000 states"},
		{function(t, "Sub", machine.AMD64, ""), "swap: instruction 22 of 24: ", "same outputs in 1000 states, with other accesses"},
	} {
		p, pr, err := tt.f.Program()
		if err != nil {
			t.Fatal(err)
		}
		ms := enumerate(t, p)
		i := slices.IndexFunc(ms, func(m Mutant) bool { return strings.HasPrefix(fmt.Sprintf("%v: %v", m.Kind, m), tt.what) })
		if i < 0 {
			t.Fatalf("%s: no mutant %s", tt.f.Name, tt.what)
		}
		q, err := ms[i].Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(q, pr)
		if err != nil {
			t.Fatalf("%s: %v: %v", tt.f.Name, ms[i], err)
		}
		h, err := Check(v.Program(), p, 1000, 1)
		if err != nil || h.String() != tt.want {
			t.Errorf("%s: %v: %v: %v", tt.f.Name, ms[i], h, err)
		}
	}
}

// copies sets the contract of a function that copies x to r; weak says nothing about r.
func copies(t testing.TB, weak bool, more ...contract.Param) contract.Contract {
	t.Helper()
	c, err := contract.New(contract.Func{
		Name: "copyWord", Params: append([]contract.Param{contract.Out("r", 8), contract.In("x", 8)}, more...),
		Ensures: func(e contract.Env) []logic.Term {
			if weak {
				return nil
			}
			return []logic.Term{logic.Eq(e.After().Word("r", 0), e.Word("x", 0))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": one} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	loadR = arm64.LoadArg{D: arm64.R0, Name: "r"}
	loadX = arm64.LoadArg{D: arm64.R1, Name: "x"}
	ldr   = arm64.LDR{T: arm64.R2, N: arm64.R1}
	str   = arm64.STR{T: arm64.R2, N: arm64.R0}
)

// TestWeak: under a contract that says too little, wrong mutants are proved. The run finds them wrong, if it knows the
// contract that was meant.
func TestWeak(t *testing.T) {
	generation(t)
	weak, strong := copies(t, true), copies(t, false)
	p := machine.Program{Target: machine.ARM64, Contract: weak, Code: machine.Block{loadR, loadX, ldr, str}}
	right, wrong := 0, 0
	for _, m := range enumerate(t, p) {
		q, err := m.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(q, nil)
		if err != nil {
			continue
		}
		if _, err := Check(v.Program(), p, 100, 1); err != nil {
			t.Errorf("%v: %v", m, err)
		}
		meant := v.Program()
		meant.Contract = strong
		_, proved := machine.Verify(meant, nil)
		h, err := Check(meant, p, 100, 1)
		switch violation := new(Violation); {
		case (err == nil) != (proved == nil):
			t.Errorf("%v: %v, but the proof: %v", m, err, proved)
		case err == nil && h.Outputs:
			right++
		case errors.As(err, &violation) && strings.Contains(err.Error(), "ensures 0 does not hold") && strings.Contains(violation.State, "x="):
			wrong++
		default:
			t.Errorf("%v: %v %v", m, h, err)
		}
	}
	if right < 1 || wrong < 3 {
		t.Errorf("%d mutants are right, %d wrong", right, wrong)
	}
}

// TestViolations: the run finds each way in which code can be wrong.
func TestViolations(t *testing.T) {
	generation(t)
	scratch := contract.ScratchBuf("s", 8)
	loadS := arm64.LoadArg{D: arm64.R3, Name: "s"}
	clear := arm64.STR{T: arm64.ZR, N: arm64.R3}
	x64 := func(c ...isa.Instr) machine.Block {
		return append(machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "x"},
			amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI}}}, c...)
	}
	storeX := amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}
	for _, tt := range []struct {
		name  string
		code  machine.Code
		frame int
		want  string // "" if nothing is wrong
	}{
		{"right", machine.Block{loadR, loadX, ldr, str, loadS, clear}, 0, ""},
		{"right", machine.Block{loadR, loadX, ldr, str, loadS, arm64.STR{T: arm64.R2, N: arm64.R3}, clear}, 0, ""},
		{"nothing is stored", machine.Block{loadR, loadX, ldr}, 0, "output r is not written"},
		{"the wrong value", machine.Block{loadR, loadX, ldr, arm64.ADDImm{D: arm64.R2, N: arm64.R2, Imm: 1}, str}, 0, "ensures 0 does not hold"},
		{"the right value for the witness", machine.Block{loadR, loadX, ldr, arm64.ANDImm{D: arm64.R2, N: arm64.R2, Imm: 1}, str}, 0, "ensures 0 does not hold"},
		{"a secret in scratch memory", machine.Block{loadR, loadX, ldr, str, loadS, arm64.STR{T: arm64.R2, N: arm64.R3}}, 0, "scratch memory"},
		{"a secret in the frame", machine.Block{loadR, loadX, ldr, str, arm64.STR{T: arm64.R2, N: arm64.SP, Offset: 8}}, 16, "scratch memory"},
		{"a store to the input", machine.Block{loadR, loadX, ldr, str, arm64.STR{T: arm64.R2, N: arm64.R1}}, 0, "read-only"},
		{"a store beyond the output", machine.Block{loadR, loadX, ldr, str, arm64.STR{T: arm64.R2, N: arm64.R0, Offset: 8}}, 0, "outside all regions"},
		{"a load of what is not there", machine.Block{loadR, loadX, ldr, arm64.LDR{T: arm64.R4, N: arm64.R0}, str}, 0, "r[0] is uninitialised"},
		{"an undefined register", machine.Block{loadR, loadX, ldr, arm64.ADD{D: arm64.R3, N: arm64.R5, M: arm64.R6}, str}, 0, "R5 is undefined"},
		{"an undefined flag", machine.Block{loadR, loadX, ldr, arm64.ADC{D: arm64.R3, N: arm64.R2, M: arm64.R2}, str}, 0, "flag C is undefined"},
		{"no such argument", machine.Block{loadR, arm64.LoadArg{D: arm64.R1, Name: "y"}, ldr, str}, 0, `no argument "y"`},
		{"no end", machine.Seq{machine.Block{loadR, loadX, ldr, str}, machine.Loop{Name: "l", Body: machine.Block{}, While: arm64.CBNZ{T: arm64.R0}}}, 0, "too long"},
		{"a branch on a secret", machine.Seq{machine.Block{loadR, loadX, ldr, str}, machine.If{Cond: arm64.CBZ{T: arm64.R2}, Then: machine.Block{}}}, 0, "branches or addresses differ"},
		{"a secret address", machine.Block{loadR, loadX, ldr, str, arm64.ANDImm{D: arm64.R3, N: arm64.R2, Imm: 7}, arm64.ADD{D: arm64.R3, N: arm64.R3, M: arm64.R1},
			arm64.LDRB{T: arm64.R3, N: arm64.R3}}, 0, "branches or addresses differ"},
		{"right on amd64", x64(storeX), 0, ""},
		{"a flag that a product leaves undefined", x64(amd64.MUL{S: amd64.AX}, amd64.SETCC{K: amd64.EQ, D: amd64.AX}, storeX), 0, "flag ZF is undefined"},
	} {
		target := machine.ARM64
		var more []contract.Param
		if strings.Contains(fmt.Sprintf("%T", firstInstr(tt.code)), "amd64") {
			target = machine.AMD64
		} else {
			more = append(more, scratch)
		}
		p := machine.Program{Target: target, Contract: copies(t, false, more...), Frame: tt.frame, Code: tt.code}
		original := p
		if original.Frame, original.Code = 0, (machine.Block{loadR, loadX, ldr, str}); target == machine.AMD64 {
			original.Code = x64(storeX)
		}
		_, err := Check(p, original, 200, 1)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if v := new(Violation); !errors.As(err, &v) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "copyWord (arm64): ") && target == machine.ARM64 {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func firstInstr(c machine.Code) isa.Instr {
	if s, ok := c.(machine.Seq); ok {
		return firstInstr(s[0])
	}
	return c.(machine.Block)[0]
}

// copyFunction is a function whose proof is of the given kind.
func copyFunction(t testing.TB, name string, pr machine.Prover) Function {
	c, err := contract.New(contract.Func{
		Name: name, Params: []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
		Ensures: func(e contract.Env) []logic.Term {
			return []logic.Term{logic.Eq(e.After().Word("r", 0), e.Word("x", 0))}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Function{name, func() (machine.Program, machine.Prover, error) {
		return machine.Program{Target: machine.ARM64, Contract: c, Code: machine.Block{loadR, loadX, ldr, str}}, pr, nil
	}}
}

// forever is a proof that does not come to an end if the goal is not trivial.
type forever struct{ machine.NoProof }

func (forever) Prove(g machine.Goal) (th kernel.Theorem, err error) {
	for x := g.Concl; x.Err() == nil; x = logic.Not(logic.Iff(x, logic.Fresh("again", logic.Bool()))) {
		time.Sleep(time.Millisecond)
	}
	return th, errors.New("stopped")
}

// TestRun: all functions get mutants, of all kinds; a proof that does not end is stopped, and does not disturb others.
func TestRun(t *testing.T) {
	fs := []Function{copyFunction(t, "copyA", nil), copyFunction(t, "copyB", forever{}), function(t, "Sum", machine.ARM64, ""), function(t, "Half", machine.AMD64, "")}
	o := Options{N: 60, Seed: 5, Jobs: 2, States: 100, Limit: 300 * time.Millisecond}
	var progress []int
	o.Progress = func(done, total int, r *Result) {
		if progress = append(progress, done); total != 64 || r != nil && r.Function == "" {
			t.Errorf("progress %d, %d, %v", done, total, r)
		}
	}
	rep, err := Run(fs, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(progress) != 64 || !slices.IsSorted(progress) || progress[63] != 64 {
		t.Errorf("progress %v", progress)
	}
	outcomes, per := map[string]map[Outcome]int{}, map[string]int{}
	for _, r := range rep.Results {
		if outcomes[r.Function] == nil {
			outcomes[r.Function] = map[Outcome]int{}
		}
		outcomes[r.Function][r.Outcome]++
		per[r.Function]++
		if r.Outcome == Faulty || r.Outcome == Wrong || (r.Outcome == Refused) != (r.Err != nil) {
			t.Error(r)
		}
	}
	for _, f := range fs {
		if per[f.Name] != 15 || outcomes[f.Name][Refused] == 0 {
			t.Errorf("%s: %v", f.Name, outcomes[f.Name])
		}
	}
	if outcomes["copyA"][OverLimit] != 0 || outcomes["copyB"][OverLimit] == 0 {
		t.Errorf("over the limit: %v, %v", outcomes["copyA"], outcomes["copyB"])
	}
	if rep.Mutants < 100 || rep.Invalid < 10 {
		t.Errorf("%d mutants, %d invalid", rep.Mutants, rep.Invalid)
	}
}

// TestRunSeed: a seed gives the same mutants and outcomes with any number of jobs; another seed gives others.
func TestRunSeed(t *testing.T) {
	fs := []Function{copyFunction(t, "copyA", nil), function(t, "Choose", machine.AMD64, ""), function(t, "Half", machine.ARM64, "")}
	text := func(seed uint64, jobs, n int) string {
		rep, err := Run(fs, Options{N: n, Seed: seed, Jobs: jobs, States: 50, Limit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, r := range rep.Results {
			fmt.Fprintln(&b, r.Function, r.Mutant.Kind, r.Mutant, r.Outcome, r.Harmless)
		}
		return b.String()
	}
	a := text(1, 1, 30)
	if b := text(1, 3, 30); a != b {
		t.Errorf("with one job\n%swith three\n%s", a, b)
	}
	if b := text(2, 2, 30); a == b {
		t.Error("another seed gives the same")
	}
	for line := range strings.Lines(a) { // more mutants are those, and others
		if !strings.Contains(text(1, 2, 33), line) {
			t.Errorf("no more %s", line)
		}
		break
	}
}

// TestRunAll: as many mutants as there are.
func TestRunAll(t *testing.T) {
	small, large := copyFunction(t, "copyA", nil), function(t, "Half", machine.ARM64, "")
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	all := len(enumerate(t, program(t, small)))
	g.Drop()
	rep, err := Run([]Function{small}, Options{N: 1 << 20, Jobs: 2, States: 20, Limit: time.Minute})
	if err != nil || len(rep.Results) != all || rep.Mutants != all {
		t.Fatalf("%d mutants, not %d: %v", len(rep.Results), all, err)
	}
	// What one function has too few of is taken from another.
	rep, err = Run([]Function{small, large}, Options{N: 2*all + 10, Jobs: 2, States: 20, Limit: time.Minute})
	if err != nil || len(rep.Results) != 2*all+10 || rep.Results[all-1].Function != "copyA" || rep.Results[all].Function == "copyA" {
		t.Errorf("%d mutants: %v", len(rep.Results), err)
	}
}

// TestRunErrors: what is not proved is no test of the prover.
func TestRunErrors(t *testing.T) {
	failing := function(t, "Half", machine.ARM64, "")
	program := failing.Program
	failing.Program = func() (machine.Program, machine.Prover, error) {
		p, _, err := program()
		return p, nil, err
	}
	for _, tt := range []struct {
		f    Function
		want string
	}{
		{failing, "Half/arm64/ is not proved: p256Half (arm64): return: ensures 0: "},
		{Function{"broken", func() (machine.Program, machine.Prover, error) { return machine.Program{}, nil, errors.New("no code") }}, "broken: no code"},
		{Function{"panics", func() (machine.Program, machine.Prover, error) { panic("oh") }}, "panics: panic: oh"},
		{Function{"target", func() (machine.Program, machine.Prover, error) { return machine.Program{Target: 7}, nil, nil }}, "no mutations for Target(7)"},
	} {
		if _, err := Run([]Function{tt.f}, Options{N: 3, Jobs: 1, States: 10, Limit: time.Minute}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.f.Name, err)
		}
	}
	if _, err := Run(nil, Options{N: 1}); err == nil {
		t.Error("no functions are accepted")
	}
}

// TestAnonymous: a refusal names function, target and place.
func TestAnonymous(t *testing.T) {
	p := machine.Program{Target: machine.AMD64, Contract: copies(t, false)}
	for msg, ok := range map[string]bool{
		"copyWord (amd64): return: ensures 0: no proof":                true,
		"copyWord (amd64 bmi2, r = x): part 0, instruction 3: outside": true,
		"copyWord (amd64): ":                            false,
		"copyWord (arm64): return: ensures 0: no proof": false,
		"other (amd64): return: ensures 0: no proof":    false,
		"ensures 0: no proof":                           false,
	} {
		if why := anonymous(errors.New(msg), p); (why == "") != ok {
			t.Errorf("%q: %q", msg, why)
		}
	}
}

// TestPool: every task is committed once, whatever is stopped meanwhile.
func TestPool(t *testing.T) {
	const n = 40
	done, over, runs := make([]int, n), make([]int, n), make([]int, n)
	x := logic.Var("mutate.test.x", logic.BV(64))
	err := pool(n, 3, 100*time.Millisecond, func(i int) func() {
		y := logic.BVAdd(x, logic.BVUint(64, uint64(i)))
		for k := uint64(0); i%10 == 3 && y.Err() == nil; k++ { // does not come to an end
			y = logic.BVMul(y, logic.BVUint(64, k|1))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(2 * time.Millisecond)
		return func() { done[i]++; runs[i]++ }
	}, func(i int) { over[i]++ })
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if late := i%10 == 3; late && (done[i] != 0 || over[i] != 1) || !late && done[i]+over[i] != 1 {
			t.Errorf("task %d: done %d times, stopped %d times", i, done[i], over[i])
		}
	}
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	if err := pool(1, 1, 0, func(int) func() { return func() {} }, nil); err == nil {
		t.Error("a second generation")
	}
	g.Drop()
}
