package tune

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// CPUs are those of which llvm-mca tells the cycles of AArch64 code.
var CPUs = []string{"neoverse-n2", "neoverse-v2"}

// llvmVersion is the major version whose models count: others have no model of these CPUs, or another one.
const llvmVersion = "22"

// FindMCA finds llvm-mca of the right version. Tool is its name or its path, and may be "".
func FindMCA(tool string) (string, error) {
	tools := []string{tool}
	if tool == "" {
		tools = []string{"llvm-mca-" + llvmVersion, "/usr/lib/llvm-" + llvmVersion + "/bin/llvm-mca"}
	}
	var errs []error
	for _, t := range tools {
		out, err := exec.Command(t, "--version").Output()
		if err == nil && !strings.Contains(string(out), "LLVM version "+llvmVersion+".") {
			err = fmt.Errorf("%s is not of LLVM %s", t, llvmVersion)
		}
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// mc is LLVM's assembler and disassembler, which is where llvm-mca is.
func mc(mca string) string {
	i := strings.LastIndex(mca, "llvm-mca")
	if i < 0 {
		return mca
	}
	return mca[:i] + "llvm-mc" + mca[i+len("llvm-mca"):]
}

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles: +(\d+)$`)

// mca asks llvm-mca for the cycles of AArch64 code for one iteration of 100, where no load waits for a store.
func mca(tool, cpu string, is []isa.Instr) (float64, error) {
	b, _, err := arm64.Encode(function(is))
	if err != nil {
		return 0, err
	}
	var hex strings.Builder
	for _, x := range b[:4*len(is)] {
		fmt.Fprintf(&hex, "0x%02x ", x)
	}
	dis := exec.Command(mc(tool), "--disassemble", "-triple=aarch64")
	dis.Stdin = strings.NewReader(hex.String())
	text, err := dis.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", mc(tool), err)
	}
	const iterations = 100
	run := exec.Command(tool, "-mtriple=aarch64-linux-gnu", "-mcpu="+cpu, "-noalias=true", fmt.Sprintf("-iterations=%d", iterations),
		"-instruction-info=false", "-resource-pressure=false")
	run.Stdin = strings.NewReader(string(text))
	report, err := run.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", tool, err)
	}
	m := totalCycles.FindSubmatch(report)
	if m == nil {
		return 0, fmt.Errorf("%s says nothing of cycles", tool)
	}
	n, err := strconv.Atoi(string(m[1]))
	return float64(n) / iterations, err
}

// A Figure is the cycles of a routine on each of CPUs.
type Figure struct {
	Op, What     string
	Instructions int
	Cycles       []float64
	// S2N are those of the corresponding function of s2n-bignum (commit ac31a43, without its RET), which llvm-mca 22.1.8
	// gives in the same way.
	S2N     []float64
	S2NName string
}

// Figures are the figures of the AArch64 routines as they are frozen.
func Figures(tool string) ([]Figure, error) {
	figures := []Figure{
		{Op: "double", What: "doubling, a = −3", S2NName: "p256_montjdouble_alt", S2N: []float64{245.2, 194.3}},
		{Op: "addAffine", What: "mixed addition", S2NName: "p256_montjmixadd_alt", S2N: []float64{326.0, 255.2}},
		{Op: "add", What: "addition, Z2² and Z2³ given", S2NName: "p256_montjadd_alt", S2N: []float64{458.5, 370.3}},
		{Op: "mul", What: "product", S2NName: "bignum_montmul_p256_alt", S2N: []float64{28.7, 24.9}},
		{Op: "sqr", What: "square", S2NName: "bignum_montsqr_p256_alt", S2N: []float64{22.9, 20.0}},
	}
	for i := range figures {
		f := &figures[i]
		code, err := weierstrass.FusedCode(machine.ARM64, "", f.Op, p256())
		if err != nil {
			return nil, err
		}
		f.Instructions = len(code.Block)
		for _, cpu := range CPUs {
			cycles, err := mca(tool, cpu, code.Block)
			if err != nil {
				return nil, err
			}
			f.Cycles = append(f.Cycles, cycles)
		}
	}
	return figures, nil
}
