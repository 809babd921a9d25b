package amd64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
)

// build writes the files and builds them for linux/amd64 with the Go toolchain.
func build(t *testing.T, files map[string]string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module p\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "p.exe")
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// image reads a linked program.
type image struct {
	t    *testing.T
	f    *elf.File
	syms map[string]elf.Symbol
}

func open(t *testing.T, exe string) image {
	t.Helper()
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	syms := map[string]elf.Symbol{}
	for _, s := range list {
		syms[s.Name] = s
	}
	return image{t, f, syms}
}

// symbol finds main.name: an ABI0 function that Go calls, or something local to the file.
func (m image) symbol(name string) elf.Symbol {
	m.t.Helper()
	for _, n := range []string{"main." + name + ".abi0", "main." + name, name, name + ".abi0"} {
		if s, ok := m.syms[n]; ok {
			return s
		}
	}
	m.t.Fatalf("no symbol %s", name)
	return elf.Symbol{}
}

func (m image) bytes(s elf.Symbol) []byte {
	m.t.Helper()
	for _, sec := range m.f.Sections {
		if sec.Type == elf.SHT_PROGBITS && s.Value >= sec.Addr && s.Value+s.Size <= sec.Addr+sec.Size {
			b := make([]byte, s.Size)
			if _, err := sec.ReadAt(b, int64(s.Value-sec.Addr)); err != nil {
				m.t.Fatal(err)
			}
			return b
		}
	}
	m.t.Fatalf("%s is in no section", s.Name)
	return nil
}

// program is the text of a program with the functions fs, which main refers to but does not call.
func program(t *testing.T, fs []isa.Function) map[string]string {
	t.Helper()
	var asm, stubs, calls strings.Builder
	asm.WriteString("#include \"textflag.h\"\n\n")
	asm.WriteString("DATA tab<>+0(SB)/8, $0x0123456789abcdef\nGLOBL tab<>(SB), RODATA|NOPTR, $64\n\n")
	for _, f := range fs {
		text, err := Print(f)
		if err != nil {
			t.Fatal(err)
		}
		asm.WriteString(text + "\n")
		if f.Local {
			continue
		}
		var params, zeros []string
		result := ""
		for _, a := range f.Args {
			if a.Result {
				result = "(" + a.Name + " uint64)"
			} else {
				params, zeros = append(params, a.Name+" uint64"), append(zeros, "0")
			}
		}
		fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(%s) %s\n\n", f.Name, strings.Join(params, ", "), result)
		fmt.Fprintf(&calls, "\t\t%s(%s)\n", f.Name, strings.Join(zeros, ", "))
	}
	return map[string]string{
		"f_amd64.s": asm.String(),
		"main.go":   "package main\n\nvar no bool\n\nfunc main() {\n\tif no {\n" + calls.String() + "\t}\n}\n\n" + stubs.String(),
	}
}

// compare compares the bytes of Encode with those of the linked program, follows the linker's patches, and returns how
// many there are.
func (m image) compare(f isa.Function) (size, patches int) {
	m.t.Helper()
	want, relocs, err := Encode(f)
	if err != nil {
		m.t.Error(err)
		return
	}
	s := m.symbol(f.Name)
	got := m.bytes(s)
	for _, r := range relocs {
		if r.Offset+r.Size > len(got) {
			m.t.Errorf("%s: relocation at %d of %d bytes", f.Name, r.Offset, len(got))
			return
		}
		field := got[r.Offset : r.Offset+r.Size]
		dist := int64(int32(binary.LittleEndian.Uint32(field)))
		target := uint64(int64(s.Value) + int64(r.Offset+4) + dist)
		if to := m.symbol(r.Symbol); target != to.Value {
			m.t.Errorf("%s: the linked code refers to %#x, not to %s at %#x", f.Name, target, r.Symbol, to.Value)
		}
		clear(field)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < len(got) && at < len(want) && got[at] == want[at] {
			at++
		}
		text, _ := Print(f)
		m.t.Errorf("%s: bytes differ at %#x\nGo:    % x\nVerum: % x\n%s", f.Name, at, got, want, lineAt(f, at, text))
	}
	return len(want), len(relocs)
}

// compareAll compares functions and records how much is the same.
func (m image) compareAll(t *testing.T, what string, fs []isa.Function) {
	t.Helper()
	size, patches := 0, 0
	for _, f := range fs {
		s, p := m.compare(f)
		size, patches = size+s, patches+p
	}
	t.Logf("%d functions, %d bytes equal, %d places patched by the linker", len(fs), size, patches)
	evidently(t, "bytes", map[string]string{"of": what},
		map[string]int64{"functions": int64(len(fs)), "bytes": int64(size), "relocations": int64(patches)})
}

// lineAt finds the line that made the byte at an offset, for functions without branches.
func lineAt(f isa.Function, at int, text string) string {
	for n := range f.Lines {
		g := f
		g.Lines = append(append([]isa.Line(nil), f.Lines[:n+1]...), isa.Line{Return: true})
		g.Calls = false
		if code, _, err := Encode(g); err == nil && len(code) > at+1 {
			return fmt.Sprintf("at %+v", f.Lines[n].Instr)
		}
	}
	return text
}

// variants lists instructions of like's type: each register operand takes each register, memory operands take each
// base with and without index and all displacements at the limits, and random ones fill up to n.
func variants(rng *rand.Rand, like isa.Instr, n int) []isa.Instr {
	var list []isa.Instr
	with := func(field int, v any) {
		i := reflect.New(reflect.TypeOf(like)).Elem()
		i.Set(reflect.ValueOf(random(rng, like)))
		i.Field(field).Set(reflect.ValueOf(v))
		list = append(list, i.Interface().(isa.Instr))
	}
	for field := range reflect.TypeOf(like).NumField() {
		switch reflect.ValueOf(like).Field(field).Interface().(type) {
		case Reg:
			for _, r := range operandRegs(like, reflect.TypeOf(like).Field(field).Name) {
				with(field, r)
			}
		case Cond:
			for _, k := range allConds {
				with(field, k)
			}
		case int32:
			for _, v := range edge32 {
				with(field, v)
			}
		case uint64:
			for _, v := range edge64 {
				with(field, v)
			}
		case uint8:
			edges := edgeCounts
			if _, order := like.(PSHUFD); order {
				edges = edgeOrders
			}
			for _, v := range edges {
				with(field, v)
			}
		case Mem:
			for n, b := range append(Regs(), SP) {
				for _, disp := range []int32{0, 1, 127, 128, -128, -129} {
					with(field, Mem{Base: b, Disp: disp})
					with(field, Mem{Base: b, Index: Regs()[n%14], Scale: 1 << rng.IntN(4), Disp: disp})
				}
			}
		}
	}
	for len(list) < n {
		list = append(list, random(rng, like))
	}
	return list
}

func lines(is ...isa.Instr) []isa.Line {
	var ls []isa.Line
	for _, i := range is {
		ls = append(ls, isa.Line{Instr: i})
	}
	return append(ls, isa.Line{Return: true})
}

var testArgs = []isa.Arg{{Name: "x", Offset: 0}, {Name: "y", Offset: 8}, {Name: "r", Offset: 16, Result: true}}

// TestBytesForms: each form, with many operands, gives the bytes that Go's assembler makes of Print's text.
func TestBytesForms(t *testing.T) {
	rng := seed(t)
	var fs []isa.Function
	total := 0
	for _, like := range forms {
		is := variants(rng, like, 60)
		total += len(is)
		for n, i := range is {
			if a, ok := i.(TableAddr); ok {
				a.Name = "tab"
				is[n] = a
			}
		}
		f := isa.Function{Name: "f" + formName(like), Lines: lines(is...)}
		if needsFunction(like) {
			f.Args, f.ArgSize, f.Frame = testArgs, 24, 8*rng.IntN(20)
		}
		fs = append(fs, f)
	}
	open(t, build(t, program(t, fs))).compareAll(t, "forms", fs)
	t.Logf("%d forms, %d instructions", len(forms), total)
}

// TestBytesFunctions: frames, calls, arguments, tables, and branches of all distances.
func TestBytesFunctions(t *testing.T) {
	rng := seed(t)
	access := []isa.Line{
		{Instr: LoadArg{AX, "x"}}, {Instr: LoadArg{R8, "y"}}, {Instr: TableAddr{R13, "tab"}}, {Instr: TableAddr{CX, "tab"}},
		{Instr: StoreResult{R15, "r"}}, {Instr: StoreResult{AX, "r"}},
	}
	var fs []isa.Function
	for _, frame := range []int{0, 8, 16, 96, 104, 112, 120, 128, 136, 144, 248, 256, 264, 504, 512, 640} {
		for _, calls := range []bool{false, true} {
			f := isa.Function{Name: fmt.Sprintf("frame%d%v", frame, calls), Args: testArgs, ArgSize: 24, Frame: frame, Calls: calls}
			f.Lines = append(f.Lines, access...)
			if calls {
				f.Lines = append(f.Lines, isa.Line{Call: "leaf"}, isa.Line{Call: "nonleaf"})
			}
			// A return in the middle, and a branch across it.
			f.Lines = append(f.Lines, isa.Line{Branch: &isa.Branch{Cond: EQ, Label: "out"}}, isa.Line{Return: true}, isa.Line{Label: "out"})
			f.Lines = append(f.Lines, access...)
			f.Lines = append(f.Lines, isa.Line{Return: true})
			fs = append(fs, f)
		}
	}
	fs = append(fs,
		isa.Function{Name: "leaf", Local: true, Lines: lines(NEG{DI})},
		isa.Function{Name: "nonleaf", Local: true, Frame: 24, Calls: true, Lines: append([]isa.Line{{Call: "leaf"}, {Call: "leaf"}}, lines(NEG{DI})...)},
	)
	// Branches over every distance around the limits of a short one, forward and backward.
	pad := func(n int) []isa.Line { // n bytes
		var ls []isa.Line
		for ; n%3 != 0; n -= 4 {
			ls = append(ls, isa.Line{Instr: SHL{AX, 2}})
		}
		for ; n > 0; n -= 3 {
			ls = append(ls, isa.Line{Instr: NEG{AX}})
		}
		return ls
	}
	branch := func(k isa.Cond, to string) isa.Line { return isa.Line{Branch: &isa.Branch{Cond: k, Label: to}} }
	mark := func(l string) isa.Line { return isa.Line{Label: l} }
	for n := 116; n < 136; n++ {
		for c, k := range []isa.Cond{nil, pick(rng, allConds)} {
			forward := append([]isa.Line{branch(k, "end")}, pad(n)...)
			backward := append(append([]isa.Line{mark("top")}, pad(n)...), branch(k, "top"), isa.Line{Return: true})
			fs = append(fs,
				isa.Function{Name: fmt.Sprintf("forward%d_%d", n, c), Lines: append(forward, mark("end"), isa.Line{Return: true})},
				isa.Function{Name: fmt.Sprintf("backward%d_%d", n, c), Lines: backward},
			)
		}
	}
	for _, k := range allConds {
		fs = append(fs, isa.Function{Name: "cond" + k.String(), Lines: append([]isa.Line{
			mark("top"), branch(k, "end"), branch(k, "top"), branch(k, "next"), mark("next"), branch(nil, "end"), branch(k, "far"), branch(nil, "far"),
			mark("end")}, append(pad(200), mark("far"), branch(k, "top"), branch(nil, "top"))...)})
	}
	// Jumps to jumps, to a label before a label, and to themselves.
	fs = append(fs, isa.Function{Name: "chain", Lines: []isa.Line{
		branch(EQ, "a"), branch(nil, "b"), mark("a"), mark("a2"), branch(nil, "b"), mark("b"), branch(nil, "c"), {Instr: NEG{AX}},
		mark("self"), branch(NE, "self"), branch(NE, "a2"), mark("c"), {Return: true}}})
	// Random flow: many branches that push each other over the limit.
	for n := range 40 {
		f := isa.Function{Name: fmt.Sprintf("random%d", n), Frame: 8 * rng.IntN(3)}
		targets := 3 + rng.IntN(12)
		for l := range targets {
			f.Lines = append(f.Lines, mark(fmt.Sprintf("l%d", l)), isa.Line{Instr: NEG{AX}}) // no jump chain is a circle
			for range rng.IntN(4) {
				var k isa.Cond = pick(rng, allConds)
				if rng.IntN(5) == 0 {
					k = nil
				}
				f.Lines = append(f.Lines, branch(k, fmt.Sprintf("l%d", rng.IntN(targets))))
			}
			f.Lines = append(f.Lines, pad(rng.IntN(50))...)
			if rng.IntN(6) == 0 {
				f.Lines = append(f.Lines, isa.Line{Return: true})
			}
		}
		f.Lines = append(f.Lines, isa.Line{Return: true})
		fs = append(fs, f)
	}
	open(t, build(t, program(t, fs))).compareAll(t, "functions", fs)
}
