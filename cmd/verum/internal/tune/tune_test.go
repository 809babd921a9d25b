package tune

import (
	"runtime"
	"slices"
	"testing"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
)

// TestRunner measures code of which it is known how long it takes: dependent multiplications, three cycles each.
func TestRunner(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the runner is for amd64 and Linux")
	}
	run, err := startRunner(3)
	if err != nil {
		t.Fatal(err)
	}
	defer run.close()
	chain := func(n int) []isa.Instr {
		is := []isa.Instr{amd64.MOVLI{D: amd64.AX, Imm: 3}}
		return append(is, slices.Repeat([]isa.Instr{amd64.IMUL{D: amd64.AX, S: amd64.AX}}, n)...)
	}
	// Twice: the runner goes on after a batch. A chain's start does not wait for the one before, so that the chains of
	// successive calls overlap; long ones do not fit into the reorder buffer together.
	for range 2 {
		y, err := run.measure(300, 20, chain(400), chain(4000))
		if err != nil {
			t.Fatal(err)
		}
		if y[1] < 10000 || y[1] > 20000 || y[0] > y[1]/4 {
			t.Errorf("400 and 4000 multiplications take %.0f and %.0f cycles", y[0], y[1])
		}
	}
}

// TestComposed: what fused code is compared with has machine code.
func TestComposed(t *testing.T) {
	for _, variant := range []string{"", "bmi2"} {
		is, err := composedDouble(variant, p256())
		if err != nil {
			t.Fatal(err)
		}
		code, err := machineCode(is)
		if err != nil || len(is) < 1000 || len(code) < 2*len(is) {
			t.Errorf("%q: %d instructions, %d bytes, %v", variant, len(is), len(code), err)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, target, variant string
		want                     []string // nil: an error
	}{
		{"double", "arm64", "", []string{"double/arm64/baseline"}},
		{"double", "amd64", "bmi2", []string{"double/amd64/bmi2"}},
		{"add/amd64", "arm64", "", []string{"add/amd64/baseline"}},
		{"add/amd64/bmi2", "arm64", "", []string{"add/amd64/bmi2"}},
		{"add*/amd64/*", "arm64", "", []string{"add/amd64/baseline", "add/amd64/bmi2", "addAffine/amd64/baseline", "addAffine/amd64/bmi2"}},
		{"double", "arm64", "bmi2", nil},
		{"triple", "arm64", "", nil},
		{"[", "arm64", "", nil},
		{"add/amd64/bmi2/x", "arm64", "", nil},
	} {
		rs, err := Match(tt.pattern, tt.target, tt.variant)
		var got []string
		for _, r := range rs {
			got = append(got, r.String())
		}
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%s, %s, %q: %q, %v", tt.pattern, tt.target, tt.variant, got, err)
		}
	}
}

func TestMC(t *testing.T) {
	for mca, want := range map[string]string{
		"llvm-mca-22": "llvm-mc-22", "/usr/lib/llvm-22/bin/llvm-mca": "/usr/lib/llvm-22/bin/llvm-mc", "/opt/llvm-mca/bin/llvm-mca": "/opt/llvm-mca/bin/llvm-mc",
		"other": "other",
	} {
		if got := mc(mca); got != want {
			t.Errorf("%s: %s, want %s", mca, got, want)
		}
	}
}
