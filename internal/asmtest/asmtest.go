// Package asmtest checks emitted assembly from outside: Go's assembler makes the bytes that the encoders in tcb make,
// and LLVM's disassembler can read them. It is for tests.
package asmtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/objfile"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Bytes assembles each assembly file of a module with Go's assembler, and compares every function and every table in
// the object files with the encoder's bytes, the places included that the linker patches. Nothing else may be there. It
// returns how many functions and bytes of code are the same.
func Bytes(t *testing.T, o emit.Output) (functions, size int) {
	t.Helper()
	for _, f := range o.Files {
		if !strings.HasSuffix(f.Name, ".s") {
			continue
		}
		symbols := map[string]objfile.Symbol{}
		for _, s := range assemble(t, o.Module, f) {
			// Debug information has no names.
			if name := s.Name[strings.LastIndex(s.Name, ".")+1:]; name != "" {
				symbols[name] = s
			}
		}
		for _, fn := range o.Functions {
			if fn.File != f.Name {
				continue
			}
			functions++
			s, ok := symbols[fn.Func.Name]
			delete(symbols, fn.Func.Name)
			if !ok || s.Static != fn.Func.Local {
				t.Errorf("%s: the object file has no symbol %s, or it is local where it should not be", f.Name, fn.Func.Name)
				continue
			}
			size += len(s.Data)
			if err := compareFunction(fn, s); err != nil {
				t.Errorf("%s: %s: %v", f.Name, fn.Func.Name, err)
			}
		}
		for _, tab := range o.Tables {
			if tab.File != f.Name {
				continue
			}
			s, ok := symbols[tab.Symbol]
			delete(symbols, tab.Symbol)
			if !ok || !s.Static || len(s.Relocs) > 0 || !bytes.Equal(s.Data, tab.Data) {
				t.Errorf("%s: table %s is % x in the object file, not % x", f.Name, tab.Symbol, s.Data, tab.Data)
			}
		}
		for name := range symbols {
			t.Errorf("%s: the object file has a symbol %s", f.Name, name)
		}
	}
	t.Logf("module %s: %d functions, %d bytes are the same", o.Module, functions, size)
	return functions, size
}

func compareFunction(fn emit.Function, s objfile.Symbol) error {
	code, relocs, err := fn.Encode()
	if err != nil {
		return err
	}
	var got []isa.Reloc
	for _, r := range s.Relocs {
		if r.Symbol == "" || r.Size == 0 {
			continue
		}
		got = append(got, isa.Reloc{Offset: r.Offset, Size: r.Size, Symbol: r.Symbol[strings.LastIndex(r.Symbol, ".")+1:]})
	}
	want := slices.Clone(relocs)
	for i := range want {
		want[i].Kind = 0 // the size tells
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the linker patches %+v, not %+v", got, want)
	}
	if bytes.Equal(s.Data, code) {
		return nil
	}
	at := 0
	for at < len(code) && at < len(s.Data) && code[at] == s.Data[at] {
		at++
	}
	tail := func(b []byte) []byte { return b[at:min(at+16, len(b))] }
	return fmt.Errorf("bytes differ at %#x of %#x: Go's assembler makes % x…, the encoder % x…", at, len(code), tail(s.Data), tail(code))
}

func assemble(t *testing.T, module string, f emit.File) []objfile.Symbol {
	t.Helper()
	arch := strings.TrimSuffix(f.Name[strings.LastIndex(f.Name, "_")+1:], ".s")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(strings.TrimSpace(output(t, nil, "", "go", "env", "GOROOT")), "pkg", "include")
	output(t, []string{"GOOS=linux", "GOARCH=" + arch, "GOFLAGS="}, dir,
		"go", "tool", "asm", "-p", "verum.example/internal/asm/"+module, "-I", include, "-o", "asm.o", f.Name)
	data, err := os.ReadFile(filepath.Join(dir, "asm.o"))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := objfile.Read(data)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return symbols
}

// output runs a command and returns its output.
func output(t *testing.T, env []string, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Disassemble has LLVM read every function's bytes. It skips the test where there is no llvm-mc of a version that
// knows all instructions. It returns how many instructions were read.
func Disassemble(t *testing.T, o emit.Output) int {
	t.Helper()
	llvm := findLLVM()
	if llvm == "" {
		t.Skip("there is no llvm-mc-22 (Debian's package llvm-22): no independent disassembly")
	}
	n := 0
	for _, fn := range o.Functions {
		code, _, err := fn.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if fn.Target == machine.ARM64 { // zeros pad it
			for len(code) > 4 && bytes.Equal(code[len(code)-4:], make([]byte, 4)) {
				code = code[:len(code)-4]
			}
		}
		k, err := disassemble(llvm, fn.Target, code)
		if err != nil {
			t.Errorf("%s: %s: %v", fn.File, fn.Func.Name, err)
		}
		if fn.Target == machine.ARM64 && k != len(code)/4 {
			t.Errorf("%s: %s: LLVM reads %d instructions in %d bytes", fn.File, fn.Func.Name, k, len(code))
		}
		n += k
	}
	t.Logf("module %s: LLVM reads %d instructions", o.Module, n)
	return n
}

func findLLVM() string {
	for _, name := range []string{"llvm-mc-22", "/usr/lib/llvm-22/bin/llvm-mc"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}

// disassemble returns the number of instructions that LLVM finds.
func disassemble(llvm string, target machine.Target, code []byte) (int, error) {
	triple := map[machine.Target]string{machine.ARM64: "aarch64", machine.AMD64: "x86_64"}[target]
	cmd := exec.Command(llvm, "-disassemble", "-triple="+triple)
	var in strings.Builder
	for _, b := range code {
		fmt.Fprintf(&in, "%#02x ", b)
	}
	cmd.Stdin = strings.NewReader(in.String())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		return 0, fmt.Errorf("llvm-mc: %v\n%s", err, stderr.String())
	}
	n := 0
	for line := range strings.Lines(stdout.String()) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			n++
		}
	}
	return n, nil
}
