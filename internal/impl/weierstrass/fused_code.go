package weierstrass

import (
	"embed"
	"fmt"
	"math/big"

	"verum.example/internal/opt"
	"verum.example/internal/opt/amd64"
	"verum.example/internal/opt/arm64"
	"verum.example/internal/tcb/machine"
)

// Fused is the code of a fused operation.
type Fused struct {
	Prog     *opt.Prog
	Code     *opt.Code
	Block    machine.Block
	Tmp      int      // bytes that parameter tmp needs
	Features []string // CPU features beyond the baseline
}

// orders has the frozen orders, which "verum tune" writes.
//
//go:embed orders
var orders embed.FS

// FusedCode makes the code of a fused operation, in the order that was frozen. It fails if there is none for the
// program as it is now; HeuristicFused needs none.
func FusedCode(t machine.Target, variant, op string, p *big.Int) (Fused, error) {
	prog, err := NewFused(t, variant, op, p)
	if err != nil {
		return Fused{}, err
	}
	name := OrderFile(t, variant, op, p)
	text, err := orders.ReadFile("orders/" + name)
	if err != nil {
		return Fused{}, fmt.Errorf("weierstrass: no order is frozen in %s: %s", name, tuneCommand(t, variant, op))
	}
	code, err := opt.Thaw(prog, string(text))
	if err != nil {
		return Fused{}, fmt.Errorf("weierstrass: %s: %w: %s", name, err, tuneCommand(t, variant, op))
	}
	return newFused(variant, code), nil
}

// HeuristicFused is FusedCode with an order that needs no search, and is slower.
func HeuristicFused(t machine.Target, variant, op string, p *big.Int) (Fused, error) {
	prog, err := NewFused(t, variant, op, p)
	if err != nil {
		return Fused{}, err
	}
	best, err := opt.NewTuner(prog, FusedModel(t, variant), false).Heuristic()
	if err != nil {
		return Fused{}, err
	}
	return newFused(variant, best.Code), nil
}

func newFused(variant string, c *opt.Code) Fused {
	f := Fused{Prog: c.Prog, Code: c, Block: c.Instrs(), Tmp: c.SpillBytes()}
	if variant == "bmi2" {
		f.Features = []string{"BMI1", "BMI2"}
	}
	return f
}

// FusedModel is the microarchitecture for which a variant is tuned.
func FusedModel(t machine.Target, variant string) *opt.Model {
	switch {
	case t == machine.ARM64:
		return arm64.NeoverseN2
	case variant == "bmi2":
		return amd64.Zen3
	}
	return amd64.GoldenCove
}

// OrderFile is the name of the file with the frozen order.
func OrderFile(t machine.Target, variant, op string, p *big.Int) string {
	name := fmt.Sprintf("p%d-%s-%v", p.BitLen(), op, t)
	if variant != "" {
		name += "-" + variant
	}
	return name + ".txt"
}

func tuneCommand(t machine.Target, variant, op string) string {
	cmd := fmt.Sprintf("run: go run ./cmd/verum tune -target %v", t)
	if variant != "" {
		cmd += " -variant " + variant
	}
	return cmd + " " + op
}
