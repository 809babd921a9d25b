package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"verum.example/internal/audit"
	"verum.example/internal/registry"
	"verum.example/internal/tcb/machine"
)

// registerAudit adds a function of which there is no proof, for the scripts of audit.
func registerAudit() {
	registry.Add(registry.Entry{Module: "fail", Name: "failECDH", Target: machine.ARM64, Prove: func() (machine.Verified, error) {
		return machine.Verified{}, errors.New("it is only a script")
	}})
}

// TestAudit runs the scripts in testdata/audit on a program for arm64 and on changed copies of it.
func TestAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "./internal/demo")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	renamed := func(file, from, to string) string {
		from, to = "internal/asm/"+from+"\x00", "internal/asm/"+to+"\x00"
		if bytes.Count(data, []byte(from)) != 1 {
			t.Fatalf("%s is not there once", from)
		}
		return write(file, bytes.ReplaceAll(data, []byte(from), []byte(to)))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none")
	if err := os.Symlink(self, none); err != nil {
		t.Fatal(err)
	}
	vars := []string{
		"PROGRAM=" + program,
		"BROKEN=" + write("broken", broken(t, data)),
		"RENAMED=" + renamed("renamed", "p256.p256ECDH", "p256.p256ECDI"),
		"FAILING=" + renamed("failing", "p256.p256ECDH", "fail.failECDH"),
		"NONE=" + none,
	}
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "audit"), RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, vars...)
			return nil
		}})
}

// broken changes byte 8 of p256Validate and byte 1 of the table of p256FeToMont, a routine.
func broken(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := audit.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var codes []audit.Code
	for _, en := range registry.All() {
		if s := symbol(en); en.Target == machine.ARM64 && s.Name == "p256Validate" {
			c := audit.Code{Symbol: s}
			if c.Functions, c.Tables, err = generated(en); err != nil {
				t.Fatal(err)
			}
			codes = append(codes, c)
		}
	}
	items, err := p.Check(codes)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Clone(data)
	changed := 0
	for _, i := range items {
		at := map[string]uint64{"p256Validate": i.Address + 8, "p256FeToMont p256RR": i.Address + 1}[i.Name]
		for _, s := range f.Progs {
			if s.Type == elf.PT_LOAD && at >= s.Vaddr && at-s.Vaddr < s.Filesz {
				data[s.Off+at-s.Vaddr] ^= 4
				changed++
			}
		}
	}
	if changed != 2 {
		t.Fatalf("%d bytes are changed", changed)
	}
	return data
}

// TestAuditStatus: each outcome has an exit status of its own.
func TestAuditStatus(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		want int
	}{
		{"audit", 2}, {"audit a b", 2}, {"audit -j 0 a", 2}, {"audit -x a", 2}, {"audit nothing", 4}, {"audit .", 4}, {"audit " + text, 4},
		{"audit -json " + text, 4}, {"audit " + self, 3}, {"audit -json " + self, 3},
	} {
		var out, errs bytes.Buffer
		if got := run(&env{stdout: &out, stderr: &errs, dir: t.TempDir()}, strings.Fields(tt.args)); got != tt.want {
			t.Errorf("verum %s: status %d, want %d\n%s", tt.args, got, tt.want, errs.String())
		}
	}
}
