package weierstrass

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// pickProgram runs the functions on random tables against plain Go.
const pickProgram = `package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"emitted/pick"
)

func main() {
	r := rand.New(rand.NewPCG(5, 6))
	var table [16][20]uint64
	for n := range 4000 {
		for i := range table {
			for j := range table[i] {
				table[i][j] = r.Uint64()
			}
		}
		index := uint64(n % 20)
		switch n % 5 {
		case 3:
			index |= 1 << r.IntN(64)
		case 4:
			index <<= r.IntN(64)
		}
		var want [20]uint64
		if index >= 1 && index <= 16 {
			want = table[index-1]
		}
		for i, f := range pick.Functions {
			got := table[3]
			f(&got, &table, &[1]uint64{index})
			if got != want {
				fmt.Println("function", i, "index", index, got, want)
				os.Exit(1)
			}
		}
	}
}
`

// TestScanEmitted calls the verified routine from a function, emits that, and runs it on this machine in both variants,
// and for arm64 under qemu where there is one.
func TestScanEmitted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dropped(t)
	c, err := contract.New(contract.Func{
		Name: "pickScan", Doc: "pickScan sets r to the entry.",
		Params: []contract.Param{contract.Out("r", 160), contract.In("table", 2560), contract.In("index", 8)},
		Ensures: func(e contract.Env) (ts []logic.Term) {
			for j := range 20 {
				v := logic.BVUint(64, 0)
				for i := 15; i >= 0; i-- {
					v = logic.Ite(logic.Eq(e.Word("index", 0), logic.BVUint(64, uint64(i+1))), e.Word("table", 20*i+j), v)
				}
				ts = append(ts, logic.Eq(e.After().Word("r", j), v))
			}
			return ts
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	routine := scanContract(t, 16, 160, false)
	var vs []machine.Verified
	for _, k := range scanKeys {
		p, pr, err := Scan(routine, k.t, k.variant, 16, 160)
		if err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(p, pr)
		if err != nil {
			t.Fatal(err)
		}
		var load machine.Block
		for i, name := range []string{"r", "table", "index"} {
			r, _ := k.t.ParamReg(i)
			load = append(load, map[machine.Target]isa.Instr{
				machine.ARM64: arm64.LoadArg{D: r, Name: name}, machine.AMD64: amd64.LoadArg{D: r, Name: name}}[k.t])
		}
		f, err := machine.Verify(machine.Program{Target: k.t, Variant: k.variant, Features: p.Features, Contract: c,
			Code: machine.Seq{load, machine.Call{Site: "scan", To: v}}}, assumption{})
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, f)
	}
	out, err := emit.Module("pick", vs)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module emitted\n\ngo 1.26\n")
	write("main.go", pickProgram)
	for _, f := range out.Files {
		if strings.HasSuffix(f.Name, ".s") { // the declarations ask internal/cpu, which is not there
			write("pick/"+f.Name, string(f.Data))
		}
	}
	functions := []string{"pickScan"}
	declare := func(goarch string) {
		text := "package pick\n\nvar Functions = []func(r *[20]uint64, table *[16][20]uint64, index *[1]uint64){" + strings.Join(functions, ", ") + "}\n"
		for _, f := range functions {
			text += "\n//go:noescape\nfunc " + f + "(r *[20]uint64, table *[16][20]uint64, index *[1]uint64)\n"
		}
		write("pick/pick_"+goarch+".go", text)
	}
	declare("arm64")
	info, _ := os.ReadFile("/proc/cpuinfo")
	if strings.Contains(string(info), " avx2 ") {
		functions = append(functions, "pickScanBMI2")
	} else if os.Remove(filepath.Join(dir, "pick/pick_bmi2_amd64.s")); os.Getenv("VERUM_CI") == "1" {
		t.Error("this CPU has no AVX2")
	}
	declare("amd64")
	run := func(goarch string, name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		if b, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s %v for %s: %v\n%s", name, args, goarch, err, b)
		}
	}
	for _, goarch := range []string{"amd64", "arm64"} {
		t.Run(goarch, func(t *testing.T) {
			run(goarch, "go", "vet", "./...")
			run(goarch, "go", "build", "-o", "program-"+goarch, ".")
			exe := filepath.Join(dir, "program-"+goarch)
			if goarch == runtime.GOARCH {
				run(goarch, exe)
				return
			}
			for _, qemu := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
				if _, err := exec.LookPath(qemu); err == nil && goarch == "arm64" {
					run(goarch, qemu, exe)
					return
				}
			}
			t.Skipf("nothing here runs %s programs", goarch)
		})
	}
	t.Logf("%d functions", len(vs))
}
