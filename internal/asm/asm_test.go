// Package asm_test checks the emitted packages, which stand in the directories beside it.
package asm_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"verum.example/internal/asmtest"
	"verum.example/internal/evidence"
	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
)

// outputs proves every function that is emitted, once, and emits all modules.
var outputs = sync.OnceValues(func() ([]emit.Output, error) {
	var entries []registry.Entry
	for _, e := range registry.All() {
		if e.Module != "" {
			entries = append(entries, e)
		}
	}
	results, err := registry.ProveAll(entries, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.Err != nil {
			return nil, r.Err
		}
	}
	var outs []emit.Output
	names, verified := registry.Modules(results)
	for _, m := range names {
		o, err := emit.Module(m, verified[m])
		if err != nil {
			return nil, err
		}
		outs = append(outs, o)
	}
	return outs, nil
})

func modules(t *testing.T) []emit.Output {
	t.Helper()
	if testing.Short() {
		t.Skip("proves all functions")
	}
	outs, err := outputs()
	if err != nil {
		t.Fatal(err)
	}
	return outs
}

// evidently records the figures of a test that has passed, if evidence is recorded.
func evidently(t *testing.T, kind, module string, figures map[string]int64) {
	t.Helper()
	if t.Failed() {
		return
	}
	if err := evidence.Add(".", kind, map[string]string{"module": module}, figures); err != nil {
		t.Error(err)
	}
}

// TestUpToDate: what stands here is what is proved.
func TestUpToDate(t *testing.T) {
	ds, err := emit.Check(os.DirFS("."), modules(t), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		t.Errorf("internal/asm/%v (go run ./cmd/verum emit)", d)
	}
}

// TestBytes: of each function, Go's assembler makes the bytes that the model's encoder makes.
func TestBytes(t *testing.T) {
	for _, o := range modules(t) {
		t.Run(o.Module, func(t *testing.T) {
			functions, size := asmtest.Bytes(t, o)
			evidently(t, "emitted bytes", o.Module, map[string]int64{"functions": int64(functions), "bytes": int64(size)})
		})
	}
}

// TestDisassemble: an independent disassembler reads each function.
func TestDisassemble(t *testing.T) {
	for _, o := range modules(t) {
		t.Run(o.Module, func(t *testing.T) {
			n := asmtest.Disassemble(t, o)
			evidently(t, "emitted disassembly", o.Module, map[string]int64{"instructions": int64(n)})
		})
	}
}

// TestVet: go vet agrees with declarations and frames on each target.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for both targets")
	}
	for _, goarch := range []string{"amd64", "arm64"} {
		cmd := exec.Command("go", "vet", "./...")
		cmd.Env = append(os.Environ(), "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("GOARCH=%s go vet: %v\n%s", goarch, err, strings.TrimSpace(string(out)))
		}
	}
}
