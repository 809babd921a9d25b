package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"verum.example/cmd/verum/internal/tune"
	"verum.example/internal/registry"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// listed is the output of list before there are the functions of the scripts.
var listed bytes.Buffer

func TestMain(m *testing.M) {
	if err := list(&listed); err != nil {
		listed.WriteString(err.Error())
	}
	registerScripts()
	registerAudit()
	testscript.Main(m, map[string]func(){"verum": main})
}

// TestScripts runs the scripts in testdata. They name the functions and packages that they use, those of
// registerScripts: to prove all takes too long.
func TestScripts(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	orders, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(ordersDir)))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error { // for scripts that build programs
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			e.Setenv("ORDERS", orders)
			return nil
		}})
}

// registerScripts adds the functions of the scripts: package script with Copy and Same on both targets, where Same has
// a variant and an obligation, and two functions whose proofs fail.
func registerScripts() {
	spec := func(name string, ensures func(e contract.Env) logic.Term) contract.Contract {
		return contract.MustNew(contract.Func{
			Name: name, Doc: name + " sets r = x.",
			Params:  []contract.Param{contract.Out("r", 8), contract.In("x", 8)},
			Ensures: func(e contract.Env) []logic.Term { return []logic.Term{ensures(e)} },
		})
	}
	same := func(e contract.Env) logic.Term { return logic.Eq(e.After().Word("r", 0), e.Word("x", 0)) }
	twice := func(e contract.Env) logic.Term { // needs a theorem
		return logic.Eq0(logic.Sub(logic.Uint(logic.BVAdd(e.After().Word("r", 0), e.Word("x", 0))), logic.Uint(logic.Shl(e.Word("x", 0), 1))))
	}
	code := map[machine.Target]machine.Code{
		machine.ARM64: machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"},
			arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}},
		machine.AMD64: machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "x"},
			amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI}}, amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}},
	}
	add := func(module string, c contract.Contract, t machine.Target, variant string, pr machine.Prover) {
		registry.Add(registry.Entry{Module: module, Name: c.Name(), Target: t, Variant: variant, Program: func() (machine.Program, machine.Prover, error) {
			return machine.Program{Target: t, Variant: variant, Contract: c, Code: code[t]}, pr, nil
		}})
	}
	copySpec, sameSpec := spec("scriptCopy", same), spec("scriptSame", twice)
	for t := range code {
		add("script", copySpec, t, "", nil)
		add("script", sameSpec, t, "", doubling{})
	}
	add("script", sameSpec, machine.AMD64, "bmi2", doubling{})
	add("", spec("failingCopy", twice), machine.ARM64, "", nil)
	registry.Add(registry.Entry{Name: "failingPanic", Target: machine.ARM64, Prove: func() (machine.Verified, error) { panic("script") }})
	registry.AddOperation(registry.Operation{Package: "verum.example/script", Name: "Copying", Functions: []string{"script*"},
		Proved: "everything that matters", NotProved: "whether anybody needs it"})
}

// doubling proves x + x = x<<1.
type doubling struct{ machine.NoProof }

func (doubling) Prove(g machine.Goal) (kernel.Theorem, error) {
	x := g.View.Before("x")[0]
	th, err := kernel.LowRing(logic.BVAdd(x, x), logic.Shl(x, 1))
	if err != nil {
		return th, err
	}
	eq := kernel.Equation{Th: th, From: logic.BVAdd(x, x), To: logic.Shl(x, 1)}
	if th, err = kernel.RewriteTerm(g.Concl, eq); err != nil {
		return th, err
	}
	return kernel.Taut(g.Concl, th)
}

// TestDemonstrate: what the key agreement prints is shown, and that it fails is an error.
func TestDemonstrate(t *testing.T) {
	dir := t.TempDir()
	demo := filepath.Join(dir, "cmd", "verum", "internal", "demo")
	if err := os.MkdirAll(demo, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), "module verum.example\n\ngo 1.26\n")
	for _, status := range []string{"0", "3"} {
		write(filepath.Join(demo, "main.go"), "package main\n\nimport \"os\"\n\nfunc main() { println(\"agreed\"); os.Exit("+status+") }\n")
		var out bytes.Buffer
		e := &env{stdout: &out, stderr: &out}
		err := e.demonstrate(dir)
		if (err == nil) != (status == "0") || !strings.Contains(out.String(), "agreed") {
			t.Errorf("status %s: error %v, output %s", status, err, out.String())
		}
	}
}

// TestProgress: the line on a terminal has at most 79 characters, is written over, and is gone in the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, live: true, start: time.Now()}
	stop := p.tick()
	var es []registry.Entry
	for _, n := range []string{"aFunctionWithALongName", "another", "aThirdWhichIsLongerThanAllTheOthers"} {
		es = append(es, registry.Entry{Name: n, Target: machine.AMD64})
		p.event(registry.Event{Entry: es[len(es)-1], Total: 3})
	}
	p.event(registry.Event{Entry: es[0], Result: &registry.Result{}, Done: 1, Total: 3})
	time.Sleep(300 * time.Millisecond)
	stop()
	lines := strings.Split(out.String(), "\r\x1b[K")
	if len(lines) < 6 || lines[len(lines)-1] != "" {
		t.Errorf("lines %q", lines)
	}
	for _, l := range lines {
		if n := len([]rune(l)); n > 79 {
			t.Errorf("%d characters: %s", n, l)
		}
	}
	if last := lines[len(lines)-2]; !strings.Contains(last, "1/3") || strings.Contains(last, "aFunction") {
		t.Errorf("last line %q", last)
	}
}

func TestCountLines(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want int
	}{
		{"", 0},
		{"package p", 1},
		{"// c\n\npackage p // d\n", 1},
		{"package p\n\n/* a\nb */ var x = `1\n2\n3` // c\n", 4},
		{"package p\n\nfunc f() {\n\t// c\n\tx := 1; y := 2\n\n\t_ = x + y\n}\n", 5},
	} {
		if got := countLines([]byte(tt.src)); got != tt.want {
			t.Errorf("%d lines in %q, want %d", got, tt.src, tt.want)
		}
	}
}

// TestReadme: the tables in the README are those of verum list.
func TestReadme(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root, err := (&env{dir: wd}).root()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := replaceSection(string(readme), listBegin, listed.String())
	if err != nil {
		t.Fatal(err)
	}
	if want != string(readme) {
		t.Error("README.md is out of date: go run ./cmd/verum list -w README.md")
	}
}

// TestFigures: the table of llvm-mca's figures in the documentation is up to date.
func TestFigures(t *testing.T) {
	mca, err := tune.FindMCA("")
	if err != nil {
		if os.Getenv("VERUM_CI") != "" {
			t.Fatalf("VERUM_CI is set: %v", err)
		}
		t.Skip(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root, err := (&env{dir: wd}).root()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := figuresTable(&table, mca); err != nil {
		t.Fatal(err)
	}
	want, err := replaceSection(string(doc), figuresBegin, table.String())
	if err != nil {
		t.Fatal(err)
	}
	if want != string(doc) {
		t.Errorf("docs/benchmarks.md is out of date (go run ./cmd/verum tune -w docs/benchmarks.md); it should have\n%s", table.String())
	}
}

// TestCore: logic and kernel are as small as promised.
func TestCore(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root, err := (&env{dir: wd}).root()
	if err != nil {
		t.Fatal(err)
	}
	n, err := coreLines(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if n > coreLimit || n < 1000 {
		t.Errorf("logic and kernel have %d lines, which is not between 1000 and %d", n, coreLimit)
	}
}

// TestExitStatus checks what the scripts cannot tell apart: 1 for what fails, 2 for a wrong call.
func TestExitStatus(t *testing.T) {
	for _, tt := range []struct {
		args string
		want int
	}{
		{"", 2}, {"help", 0}, {"-h", 0}, {"help prove", 0}, {"prove -h", 0}, {"help nothing", 2}, {"nothing", 2},
		{"prove -x", 2}, {"prove a b", 2}, {"prove -j 0", 2}, {"prove nothing", 1}, {"emit nothing", 1}, {"list", 0}, {"list x", 2}, {"trust a b", 2},
		{"bench", 1}, {"bench -rounds 0", 2}, {"bench -base HEAD -json", 2}, {"tune", 2}, {"tune -x", 2}, {"tune -table double", 2}, {"tune -figures nothing", 1},
	} {
		var out, errs bytes.Buffer
		e := &env{stdout: &out, stderr: &errs, dir: t.TempDir()}
		if got := run(e, strings.Fields(tt.args)); got != tt.want {
			t.Errorf("verum %s: status %d, want %d\n%s", tt.args, got, tt.want, errs.String())
		}
		if (errs.Len() == 0) != (tt.want == 0) || (out.Len() == 0) != (tt.want != 0) {
			t.Errorf("verum %s: output %q, errors %q", tt.args, out.String(), errs.String())
		}
	}
	if !errors.As(usagef("x"), new(usageError)) {
		t.Error("usagef makes no usageError")
	}
}
