package emit_test

import (
	"bytes"
	"flag"
	"go/format"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"verum.example/internal/asmtest"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var update = flag.Bool("update", false, "rewrite testdata/demo")

// spec is a contract over words: outputs r, then inputs, all of 8 bytes; each word of r is a function of the inputs.
func spec(name, doc string, inputs []string, result func(e contract.Env) logic.Term) contract.Contract {
	f := contract.Func{Name: name, Doc: doc, Params: []contract.Param{contract.Out("r", 8)}}
	for _, i := range inputs {
		f.Params = append(f.Params, contract.In(i, 8))
	}
	if len(inputs) == 1 && name != "demoTwice" {
		f.Alias = [][]string{{"r", inputs[0]}}
	}
	f.Ensures = func(e contract.Env) []logic.Term {
		return []logic.Term{logic.Eq(e.After().Word("r", 0), result(e))}
	}
	return contract.MustNew(f)
}

func constant(v uint64) func(contract.Env) logic.Term {
	return func(contract.Env) logic.Term { return logic.BVUint(64, v) }
}

var (
	copySpec = spec("demoCopy", "demoCopy sets r = x.", []string{"x"}, func(e contract.Env) logic.Term { return e.Word("x", 0) })
	maskSpec = spec("demoMask", "demoMask sets r = y without the bits of x.\n\nIt has a variant.", []string{"x", "y"},
		func(e contract.Env) logic.Term {
			return logic.BVAnd(logic.BVNot(e.Word("x", 0)), e.Word("y", 0))
		})
	oneSpec   = spec("demoOne", "demoOne sets r to word 1 of its table t.", nil, constant(0x1111))
	twoSpec   = spec("demoTwo", "demoTwo sets r to word 1 of its table t, another one.", nil, constant(0x2222))
	threeSpec = spec("demoThree", "demoThree sets r to word 1 of a table t that it shares with One.", nil, constant(0x1111))
	viaSpec   = spec("demoVia", "demoVia sets r = x, through a routine.", []string{"x"}, func(e contract.Env) logic.Term { return e.Word("x", 0) })
	twiceSpec = spec("demoTwice", "demoTwice sets r = x, through a routine, twice.", []string{"x"}, func(e contract.Env) logic.Term { return e.Word("x", 0) })
	otherSpec = spec("demoCopy", "demoCopy sets r = x, under another contract.", []string{"x"}, func(e contract.Env) logic.Term { return e.Word("x", 0) })
	oddSpec   = contract.MustNew(contract.Func{
		Name: "demoOdd",
		Doc: "demoOdd returns 1 if n is odd, else 0.\n" +
			"It requires that n is less than 100.",
		Params: []contract.Param{contract.UintArg("n")},
		Result: "ok", ResultPublic: true,
		Requires: func(e contract.Env) []logic.Term { return []logic.Term{logic.Lt(e.Uint("n"), logic.N(100))} },
		Ensures: func(e contract.Env) []logic.Term {
			return []logic.Term{logic.Eq(e.Result(), logic.BVAnd(e.Arg("n"), logic.BVUint(64, 1)))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"n": big.NewInt(5)} },
	})
	routine = func() machine.Contract {
		c, err := machine.Internal(machine.Func{
			Name:   "copyWord",
			Params: []machine.Param{{Name: "r", Bytes: 8, Elem: 8, Mode: machine.ModeOut}, {Name: "x", Bytes: 8, Elem: 8, Mode: machine.ModeIn}},
			Alias:  [][]string{{"r", "x"}},
			Ensures: func(e machine.Env) []logic.Term {
				return []logic.Term{logic.Eq(e.After().Word("r", 0), e.Word("x", 0))}
			},
		})
		if err != nil {
			panic(err)
		}
		return c
	}()
)

func words(name string, ws ...uint64) machine.Table {
	t := machine.Table{Name: name, Elem: 8}
	for _, w := range ws {
		for i := range 8 {
			t.Data = append(t.Data, byte(w>>(8*i)))
		}
	}
	return t
}

func verify(t *testing.T, p machine.Program) machine.Verified {
	t.Helper()
	v, err := machine.Verify(p, byHypothesis{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// byHypothesis proves a goal that is a fact, such as what a routine ensures.
type byHypothesis struct{ machine.NoProof }

func (byHypothesis) Prove(g machine.Goal) (kernel.Theorem, error) { return kernel.Assume(g.Concl) }

// program is a program without a frame.
func program(t machine.Target, c contract.Contract, code machine.Code, tables ...machine.Table) machine.Program {
	return machine.Program{Target: t, Contract: c, Code: code, Tables: tables}
}

// demo verifies a small module with everything that emit must deal with. Its proofs are trivial.
func demo(t *testing.T) []machine.Verified {
	t.Helper()
	one, two := words("t", 7, 0x1111), words("t", 8, 0x2222, 9)
	var vs []machine.Verified
	for _, p := range slices.Concat(demoARM64(t, one, two), demoAMD64(t, one, two)) {
		vs = append(vs, verify(t, p))
	}
	return vs
}

func demoARM64(t *testing.T, one, two machine.Table) []machine.Program {
	arg := func(d arm64.Reg, name string) machine.Block { return machine.Block{arm64.LoadArg{D: d, Name: name}} }
	r, x, y := arg(arm64.R0, "r"), arg(arm64.R1, "x"), arg(arm64.R2, "y")
	table := machine.Block{arm64.TableAddr{D: arm64.R1, Name: "t"}, arm64.LDR{T: arm64.R2, N: arm64.R1, Offset: 8}, arm64.STR{T: arm64.R2, N: arm64.R0}}
	leaf := verify(t, program(machine.ARM64, routine, machine.Block{arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}}))
	return []machine.Program{
		program(machine.ARM64, copySpec, machine.Seq{r, x, machine.Block{arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}}}),
		program(machine.ARM64, maskSpec, machine.Seq{r, x, y, machine.Block{arm64.LDR{T: arm64.R3, N: arm64.R1}, arm64.LDR{T: arm64.R4, N: arm64.R2},
			arm64.BIC{D: arm64.R3, N: arm64.R4, M: arm64.R3}, arm64.STR{T: arm64.R3, N: arm64.R0}}}),
		program(machine.ARM64, oneSpec, machine.Seq{r, table}, one),
		program(machine.ARM64, twoSpec, machine.Seq{r, table}, two),
		program(machine.ARM64, threeSpec, machine.Seq{r, table}, one),
		program(machine.ARM64, oddSpec, machine.Seq{arg(arm64.R0, "n"), machine.Block{arm64.ANDImm{D: arm64.R1, N: arm64.R0, Imm: 1}, arm64.StoreResult{S: arm64.R1, Name: "ok"}}}),
		program(machine.ARM64, viaSpec, machine.Seq{r, x, machine.Call{Site: "a", To: leaf}}),
		program(machine.ARM64, twiceSpec, machine.Seq{r, x, machine.Call{Site: "a", To: leaf}, r, x, machine.Call{Site: "b", To: leaf}}),
	}
}

func demoAMD64(t *testing.T, one, two machine.Table) []machine.Program {
	type mem = amd64.Mem
	arg := func(d amd64.Reg, name string) machine.Block { return machine.Block{amd64.LoadArg{D: d, Name: name}} }
	r, x, y := arg(amd64.DI, "r"), arg(amd64.SI, "x"), arg(amd64.DX, "y")
	load, store := machine.Block{amd64.MOVM{D: amd64.AX, M: mem{Base: amd64.SI}}}, machine.Block{amd64.MOVMR{M: mem{Base: amd64.DI}, S: amd64.AX}}
	table := machine.Seq{machine.Block{amd64.TableAddr{D: amd64.SI, Name: "t"}, amd64.MOVM{D: amd64.AX, M: mem{Base: amd64.SI, Disp: 8}}}, store}
	leaf := verify(t, program(machine.AMD64, routine, machine.Seq{load, store}))
	mask := func(and machine.Block) machine.Program {
		return program(machine.AMD64, maskSpec, machine.Seq{r, x, y, load, machine.Block{amd64.MOVM{D: amd64.CX, M: mem{Base: amd64.DX}}}, and, store})
	}
	bmi := mask(machine.Block{amd64.ANDN{D: amd64.AX, N: amd64.AX, S: amd64.CX}})
	bmi.Variant, bmi.Features = "bmi2", []string{"BMI1"}
	return []machine.Program{
		program(machine.AMD64, copySpec, machine.Seq{r, x, load, store}),
		mask(machine.Block{amd64.NOT{D: amd64.AX}, amd64.AND{D: amd64.AX, S: amd64.CX}}),
		bmi,
		program(machine.AMD64, oneSpec, machine.Seq{r, table}, one),
		program(machine.AMD64, twoSpec, machine.Seq{r, table}, two),
		program(machine.AMD64, threeSpec, machine.Seq{r, table}, one),
		program(machine.AMD64, oddSpec, machine.Seq{arg(amd64.AX, "n"), machine.Block{amd64.ANDI{D: amd64.AX, Imm: 1}, amd64.StoreResult{S: amd64.AX, Name: "ok"}}}),
		program(machine.AMD64, viaSpec, machine.Seq{r, x, machine.Call{Site: "a", To: leaf}}),
		program(machine.AMD64, twiceSpec, machine.Seq{r, x, machine.Call{Site: "a", To: leaf}, r, x, machine.Call{Site: "b", To: leaf}}),
	}
}

func emitDemo(t *testing.T) emit.Output {
	t.Helper()
	o, err := emit.Module("demo", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestGolden compares the files with those in testdata/demo, which show what a module looks like. -update rewrites them.
func TestGolden(t *testing.T) {
	o := emitDemo(t)
	dir := filepath.Join("testdata", "demo")
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	ds, err := emit.Check(os.DirFS("testdata"), []emit.Output{o}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		t.Errorf("testdata/%v (go test -update rewrites it)", d)
	}
	for _, f := range o.Files {
		first, rest, _ := strings.Cut(string(f.Data), "\n")
		if first != emit.Header || strings.Contains(rest, emit.Header) {
			t.Errorf("%s begins with %q", f.Name, first)
		}
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		if g, err := format.Source(f.Data); err != nil || !bytes.Equal(g, f.Data) {
			t.Errorf("%s is not as gofmt writes it, or no Go: %v", f.Name, err)
		}
	}
}

// TestOrder: the order in which the functions are given does not matter, nor that they are verified again.
func TestOrder(t *testing.T) {
	want := emitDemo(t)
	vs := demo(t)
	for range 20 {
		rand.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
		o, err := emit.Module("demo", vs)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range o.Files {
			if f.Name != want.Files[i].Name || !bytes.Equal(f.Data, want.Files[i].Data) {
				t.Fatalf("%s depends on the order", f.Name)
			}
		}
	}
}

// TestBytes: Go's assembler makes of the files what the encoders say.
func TestBytes(t *testing.T) { asmtest.Bytes(t, emitDemo(t)) }

func TestDisassemble(t *testing.T) { asmtest.Disassemble(t, emitDemo(t)) }

func TestRefuses(t *testing.T) {
	const arm = machine.ARM64
	good := verify(t, program(arm, copySpec, copyARM64))
	named := func(name string) machine.Verified {
		return verify(t, program(arm, spec(name, "", []string{"x"}, func(e contract.Env) logic.Term { return e.Word("x", 0) }), copyARM64))
	}
	internal := verify(t, program(arm, routine, machine.Block{arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}}))
	tried := func() machine.Verified {
		c, err := machine.Trial(machine.Func{Name: "demoCopy", Params: copySpec.Params()}) // ensures nothing
		if err != nil {
			t.Fatal(err)
		}
		return verify(t, program(arm, c, copyARM64))
	}()
	variant := func(name string, features ...string) machine.Verified {
		p := program(machine.AMD64, copySpec, copyAMD64)
		p.Variant, p.Features = name, features
		return verify(t, p)
	}
	clash := verify(t, program(machine.ARM64, oneSpec, machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.TableAddr{D: arm64.R1, Name: "copyWord"},
		arm64.LDR{T: arm64.R2, N: arm64.R1, Offset: 8}, arm64.STR{T: arm64.R2, N: arm64.R0}}, words("copyWord", 7, 0x1111)))
	via := func(extra ...isa.Instr) machine.Verified {
		leaf := verify(t, program(arm, routine, append(machine.Block(extra), arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0})))
		c := viaSpec
		if len(extra) > 0 {
			c = twiceSpec
		}
		return verify(t, program(arm, c, machine.Seq{machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"}}, machine.Call{Site: "a", To: leaf}}))
	}
	for _, tt := range []struct {
		name, module string
		vs           []machine.Verified
		err          string
	}{
		{"nothing", "demo", nil, "no functions"},
		{"zero", "demo", []machine.Verified{good, {}}, "zero Verified"},
		{"routine", "demo", []machine.Verified{internal}, "not for Go"},
		{"tried", "demo", []machine.Verified{tried}, "not demo and an exported name"},
		{"tried, module with an underscore", "_demo", []machine.Verified{tried}, "the name is not"},
		{"tried, module of an underscore", "_", []machine.Verified{tried}, "the name is not"},
		{"tried, no module", "", []machine.Verified{tried}, "the name is not"},
		{"other module", "p256", []machine.Verified{good}, "not p256 and an exported name"},
		{"not exported", "dem", []machine.Verified{good}, "not dem and an exported name"},
		{"only the module", "demo", []machine.Verified{named("demo")}, "not demo and an exported name"},
		{"taken", "demo", []machine.Verified{named("demoImplementation")}, "taken"},
		{"module with a path", "../demo", []machine.Verified{good}, "the name is not"},
		{"module with a suffix", "demo_linux", []machine.Verified{good}, "the name is not"},
		{"module in capitals", "Demo", []machine.Verified{good}, "the name is not"},
		{"keyword", "type", []machine.Verified{good}, "the name is not"},
		{"twice", "demo", []machine.Verified{good, verify(t, program(arm, copySpec, copyARM64))}, "given twice"},
		{"two contracts", "demo", []machine.Verified{good, verify(t, program(machine.AMD64, otherSpec, copyAMD64))}, "two contracts"},
		{"unknown variant", "demo", []machine.Verified{variant(""), variant("adx")}, "does not know the variant adx"},
		{"variant of another target", "demo", []machine.Verified{good, func() machine.Verified {
			p := program(arm, copySpec, copyARM64)
			p.Variant = "bmi2"
			return verify(t, p)
		}()}, "does not know the variant bmi2"},
		{"no baseline", "demo", []machine.Verified{variant("bmi2", "BMI2")}, "no baseline"},
		{"features in the baseline", "demo", []machine.Verified{variant("", "BMI2")}, "may use BMI2"},
		{"features beyond the variant", "demo", []machine.Verified{variant(""), variant("bmi2", "BMI2", "ADX")}, "may use ADX"},
		{"parameter called cpu", "demo", []machine.Verified{verify(t, program(arm, spec("demoCopy", "", []string{"cpu"},
			func(e contract.Env) logic.Term { return e.Word("cpu", 0) }), rename(copyARM64, "cpu")))}, "means something else"},
		{"parameter like a function", "demo", []machine.Verified{verify(t, program(arm, spec("demoCopy", "", []string{"demoCopy"},
			func(e contract.Env) logic.Term { return e.Word("demoCopy", 0) }), rename(copyARM64, "demoCopy")))}, "means something else"},
		{"two routines of one name", "demo", []machine.Verified{via(), via(arm64.MOV(arm64.R5, arm64.R0))}, "two different routines"},
		{"table and routine of one name", "demo", []machine.Verified{via(), clash}, "same name"},
	} {
		_, err := emit.Module(tt.module, tt.vs)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.err)
		}
	}
	if _, err := emit.Module("demo", []machine.Verified{via(), via()}); err == nil {
		t.Error("the same function twice is accepted")
	}
}

var (
	copyARM64 = machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}, arm64.LoadArg{D: arm64.R1, Name: "x"}, arm64.LDR{T: arm64.R2, N: arm64.R1}, arm64.STR{T: arm64.R2, N: arm64.R0}}
	copyAMD64 = machine.Block{amd64.LoadArg{D: amd64.DI, Name: "r"}, amd64.LoadArg{D: amd64.SI, Name: "x"},
		amd64.MOVM{D: amd64.AX, M: amd64.Mem{Base: amd64.SI}}, amd64.MOVMR{M: amd64.Mem{Base: amd64.DI}, S: amd64.AX}}
)

// rename is copyARM64 with another name for x.
func rename(b machine.Block, name string) machine.Block {
	b = slices.Clone(b)
	b[1] = arm64.LoadArg{D: arm64.R1, Name: name}
	return b
}

func TestCheck(t *testing.T) {
	o := emitDemo(t)
	fresh := func() fstest.MapFS {
		dir := fstest.MapFS{"asm_test.go": {Data: []byte("package asm_test")}}
		for _, f := range o.Files {
			dir["demo/"+f.Name] = &fstest.MapFile{Data: f.Data}
		}
		return dir
	}
	flip := func(dir fstest.MapFS, name string) {
		d := bytes.Clone(dir[name].Data)
		d[len(d)/2] ^= 1
		dir[name] = &fstest.MapFile{Data: d}
	}
	for _, tt := range []struct {
		name     string
		change   func(dir fstest.MapFS)
		complete bool
		want     string
	}{
		{"same", func(fstest.MapFS) {}, true, ""},
		{"a bit", func(d fstest.MapFS) { flip(d, "demo/demo_arm64.s") }, true, "demo/demo_arm64.s differs from what was proved"},
		{"missing", func(d fstest.MapFS) { delete(d, "demo/demo_amd64.go") }, true, "demo/demo_amd64.go is missing"},
		{"all missing", func(d fstest.MapFS) {
			for name := range d {
				delete(d, name)
			}
		}, true, "demo/demo.go is missing"},
		{"stray file", func(d fstest.MapFS) { d["demo/more_amd64.s"] = &fstest.MapFile{} }, true, "demo/more_amd64.s is stray"},
		{"stray test", func(d fstest.MapFS) { d["demo/demo_test.go"] = &fstest.MapFile{} }, true, "demo/demo_test.go is stray"},
		{"hidden", func(d fstest.MapFS) { d["demo/.x"] = &fstest.MapFile{} }, true, "demo/.x is stray"},
		{"directory", func(d fstest.MapFS) { d["demo/x/y.s"] = &fstest.MapFile{} }, true, "demo/x is stray"},
		{"stray module", func(d fstest.MapFS) { d["more/more.go"] = &fstest.MapFile{} }, true, "more is stray"},
		{"stray at the top", func(d fstest.MapFS) { d["x_amd64.s"] = &fstest.MapFile{} }, true, "x_amd64.s is stray"},
		{"link", func(d fstest.MapFS) {
			d["demo/demo.go"] = &fstest.MapFile{Data: d["demo/demo.go"].Data, Mode: os.ModeSymlink}
		}, true, "demo/demo.go is"},
		{"another module", func(d fstest.MapFS) { d["more/more.go"] = &fstest.MapFile{} }, false, ""},
	} {
		dir := fresh()
		tt.change(dir)
		ds, err := emit.Check(dir, []emit.Output{o}, tt.complete)
		if err != nil && tt.name != "link" {
			t.Errorf("%s: %v", tt.name, err)
		}
		switch {
		case err != nil:
		case tt.want == "" && len(ds) > 0:
			t.Errorf("%s: %v", tt.name, ds)
		case tt.want != "" && (len(ds) == 0 || !strings.HasPrefix(ds[0].String(), tt.want)):
			t.Errorf("%s: differences %v, want %q", tt.name, ds, tt.want)
		}
	}
}

// TestBuild: vet accepts the module on both targets, any platform builds it, and on this CPU the functions do what
// their contracts say.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	dir := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range emitDemo(t).Files {
		file("internal/asm/demo/"+f.Name, string(f.Data))
	}
	file("go.mod", "module verum.example\n\ngo 1.26\n")
	file("internal/cpu/cpu.go", "package cpu\n\nimport \"os\"\n\nfunc BMI2() bool { return os.Getenv(\"VERUM_CPU\") == \"bmi2\" }\n")
	file("demo_test.go", demoTest)
	run := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v go %s: %v\n%s", env, strings.Join(args, " "), err, out)
		}
	}
	run([]string{"GOARCH=amd64"}, "vet", "./...")
	run([]string{"GOARCH=arm64"}, "vet", "./...")
	run([]string{"GOARCH=riscv64"}, "build", "./...")
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		run(nil, "test", "./...")
	}
	if runtime.GOARCH == "amd64" {
		run([]string{"VERUM_CPU=bmi2"}, "test", "./...")
	}
}

const demoTest = `//go:build amd64 || arm64

package verum_test

import (
	"os"
	"runtime"
	"testing"

	"verum.example/internal/asm/demo"
)

func Test(t *testing.T) {
	var r [1]uint64
	x, y := [1]uint64{0xff00}, [1]uint64{0x0ff1}
	check := func(name string, want uint64) {
		if r[0] != want {
			t.Errorf("%s gives %#x, not %#x", name, r[0], want)
		}
		r[0] = 0
	}
	demo.Copy(&r, &x)
	check("Copy", x[0])
	demo.Mask(&r, &x, &y)
	check("Mask", 0xf1)
	demo.One(&r)
	check("One", 0x1111)
	demo.Two(&r)
	check("Two", 0x2222)
	demo.Three(&r)
	check("Three", 0x1111)
	demo.Via(&r, &x)
	check("Via", x[0])
	demo.Twice(&r, &x)
	check("Twice", x[0])
	if demo.Odd(7) != 1 || demo.Odd(8) != 0 {
		t.Error("Odd")
	}
	want := runtime.GOARCH
	if v := os.Getenv("VERUM_CPU"); v != "" {
		want += "-" + v
	}
	if demo.Implementation() != want {
		t.Errorf("Implementation is %s, not %s", demo.Implementation(), want)
	}
}
`
