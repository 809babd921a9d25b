// Tune searches for the order of a fused routine's instructions and freezes it in internal/impl/weierstrass/orders.
// Nothing that it does is trusted: what it finds is proved like any other code.
//
//	go run ./cmd/tune [flags] OP…
//
// OP is an operation of weierstrass.FusedOps, or all. The search goes on the model of a microarchitecture first, and then,
// for amd64 on an amd64 machine with -cpu, on the CPU, where candidates are timed in batches with the incumbent among them.
// With a seed and without -cpu the result is reproducible.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"verum.example/internal/impl/weierstrass"
	"verum.example/internal/opt"
	"verum.example/internal/opt/amd64"
	"verum.example/internal/opt/arm64"
	tcbarm64 "verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

var (
	target  = flag.String("target", "arm64", "arm64 or amd64")
	variant = flag.String("variant", "", "variant: bmi2 or none")
	model   = flag.String("model", "", "microarchitecture (default: the one of the target)")
	tries   = flag.Int("tries", 3000, "candidates of the search on the model")
	seed    = flag.Uint64("seed", 1, "seed")
	cpu     = flag.Duration("cpu", 0, "time to search on this CPU")
	moves   = flag.Duration("moves", 0, "time to move single instructions on this CPU")
	again   = flag.Bool("again", false, "start from the frozen order")
	dry     = flag.Bool("n", false, "write nothing")
	figures = flag.Bool("figures", false, "only show figures of the frozen order")
	tool    = flag.String("mca", "llvm-mca-22", "llvm-mca, for figures of arm64")
	dir     = flag.String("dir", "internal/impl/weierstrass/orders", "where frozen orders are")
)

func main() {
	flag.Parse()
	ops := flag.Args()
	if len(ops) == 1 && ops[0] == "all" {
		ops = weierstrass.FusedOps
	}
	if len(ops) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, op := range ops {
		if err := tune(op); err != nil {
			fmt.Fprintln(os.Stderr, "tune:", err)
			os.Exit(1)
		}
	}
}

// p256 is the only field with fused code so far.
func p256() *big.Int {
	p, _ := new(big.Int).SetString("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16)
	return p
}

func machineTarget() (machine.Target, error) {
	for _, t := range []machine.Target{machine.ARM64, machine.AMD64} {
		if t.String() == *target {
			return t, nil
		}
	}
	return 0, fmt.Errorf("there is no target %q", *target)
}

func theModel(t machine.Target) (*opt.Model, error) {
	if *model == "" {
		return weierstrass.FusedModel(t, *variant), nil
	}
	for _, m := range []*opt.Model{arm64.NeoverseN2, amd64.GoldenCove, amd64.Zen3} {
		if m.Name == *model {
			return m, nil
		}
	}
	return nil, fmt.Errorf("there is no model %q", *model)
}

func tune(op string) error {
	t, err := machineTarget()
	if err != nil {
		return err
	}
	m, err := theModel(t)
	if err != nil {
		return err
	}
	prog, err := weierstrass.NewFused(t, *variant, op, p256())
	if err != nil {
		return err
	}
	file := filepath.Join(*dir, weierstrass.OrderFile(t, *variant, op, p256()))
	tuner := opt.NewTuner(prog, m, op == "double" && t == machine.AMD64)
	var run *runner
	if t == machine.AMD64 && runtime.GOARCH == "amd64" {
		if run, err = startRunner(len(prog.Params)); err != nil {
			return err
		}
		defer run.close()
	}
	var best *opt.Candidate
	if *again || *figures {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code, err := opt.Thaw(prog, string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		best = &opt.Candidate{Key: opt.Key{Alloc: code.Key}, Code: code, Cost: tuner.Cost(code)}
	} else {
		say("%s, %s %s, on the model of %s, %d instructions", op, *target, *variant, m.Name, len(prog.Ins))
		if best, err = tuner.Search(*seed, *tries, func(s string) { say("  %s", s) }); err != nil {
			return err
		}
	}
	if *figures {
		return show(op, tuner, best.Code, run)
	}
	if run != nil && *cpu > 0 {
		if best, err = searchCPU(tuner, best, run); err != nil {
			return err
		}
	}
	if run != nil && *moves > 0 {
		if best, err = searchMoves(tuner, best, run); err != nil {
			return err
		}
	}
	if err := show(op, tuner, best.Code, run); err != nil || *dry {
		return err
	}
	how := fmt.Sprintf("-tries %d -seed %d", *tries, *seed)
	if *cpu+*moves > 0 {
		how += fmt.Sprintf(" -cpu %v -moves %v on this CPU: %s", *cpu, *moves, cpuName())
	}
	what := fmt.Sprintf("%s for %s %s, tuned for %s by cmd/tune: %s", op, *target, *variant, m.Name, how)
	text := opt.Freeze(best.Code, what)
	return os.WriteFile(file, []byte(text), 0o644)
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// cpuName is what Linux calls the CPU.
func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	var name []string
	for _, line := range strings.Split(string(text), "\n") {
		k, v, _ := strings.Cut(line, ":")
		if k = strings.TrimSpace(k); len(name) < 3 && (k == "model name" || k == "cpu family" || k == "model") {
			name = append(name, strings.TrimSpace(v))
		}
	}
	return strings.Join(name, " / ")
}

// show prints figures of code.
func show(op string, t *opt.Tuner, c *opt.Code, run *runner) error {
	line := fmt.Sprintf("%s %s %s: %d instructions, %d spills, %d loads, %d moves, %d bytes of tmp; model %.1f cycles",
		op, *target, *variant, len(c.Placed), c.Spills, c.Loads, c.Moves, c.SpillBytes(), float64(t.Cycles(c))/100)
	if run != nil {
		codes := [][]isa.Instr{c.Instrs()}
		if op == "double" {
			composed, err := composedDouble(*variant, p256())
			if err != nil {
				return err
			}
			codes = append(codes, composed)
		}
		y, err := run.measure(4000, 40, codes...)
		if err != nil {
			return err
		}
		line += fmt.Sprintf("; measured %.1f", y[0])
		if op == "double" {
			line += fmt.Sprintf(", of routines of impl/mont %.1f: ratio %.3f", y[1], y[0]/y[1])
		}
	}
	if _, err := exec.LookPath(*tool); err == nil && *target == "arm64" {
		for _, cpu := range []string{"neoverse-n2", "neoverse-v2"} {
			cycles, err := mca(*tool, cpu, c.Instrs(), tcbarm64.Encode)
			if err != nil {
				return err
			}
			line += fmt.Sprintf("; llvm-mca %s %s", cpu, cycles)
		}
	}
	say("%s", line)
	return nil
}

// searchCPU evolves keys. Each batch has the best of the one before; what counts is the order within a batch, since a
// clock wanders.
func searchCPU(t *opt.Tuner, start *opt.Candidate, run *runner) (*opt.Candidate, error) {
	r := opt.NewRand(*seed)
	pool := []*opt.Candidate{start}
	limit := start.Cost * 115 / 100
	batches := 0
	for end := time.Now().Add(*cpu); time.Now().Before(end); batches++ {
		batch := slices.Clone(pool)
		for tries := 0; len(batch) < 40 && tries < 400; tries++ {
			k := t.Mutate(pool[r.IntN(len(pool))].Key, r)
			if r.IntN(6) == 0 {
				k = t.Random(r)
			}
			c, err := t.Try(k)
			if err != nil {
				return nil, err
			}
			if c.Cost < limit {
				batch = append(batch, c)
			}
		}
		cycles, err := measureAll(run, 100, batch)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(batch, func(a, b *opt.Candidate) int { return cmp.Compare(cycles[a], cycles[b]) })
		pool = batch[:min(5, len(batch))]
		if batches%10 == 0 {
			say("  cpu, batch %d: %.1f, model %.1f", batches, cycles[pool[0]], float64(pool[0].Cost)/100)
		}
	}
	return pool[0], nil
}

func measureAll(run *runner, rounds int, cs []*opt.Candidate) (map[*opt.Candidate]float64, error) {
	codes := make([][]isa.Instr, len(cs))
	for i, c := range cs {
		codes[i] = c.Code.Instrs()
	}
	y, err := run.measure(rounds, 40, codes...)
	if err != nil {
		return nil, err
	}
	m := map[*opt.Candidate]float64{}
	for i, c := range cs {
		m[c] = y[i]
	}
	return m, nil
}

// searchMoves moves single instructions. A candidate must beat the incumbent twice.
func searchMoves(t *opt.Tuner, best *opt.Candidate, run *runner) (*opt.Candidate, error) {
	r := opt.NewRand(*seed + 1)
	accepted := 0
	for end, n := time.Now().Add(*moves), 0; time.Now().Before(end); n++ {
		batch := []*opt.Candidate{best}
		for len(batch) < 24 {
			c, err := t.Allocate(t.Move(best.Code.Order, 1+r.IntN(8), r), best.Key)
			if err != nil {
				return nil, err
			}
			batch = append(batch, c)
		}
		cycles, err := measureAll(run, 150, batch)
		if err != nil {
			return nil, err
		}
		win := slices.MinFunc(batch, func(a, b *opt.Candidate) int { return cmp.Compare(cycles[a], cycles[b]) })
		if win != best && cycles[win] < cycles[best]-0.2 {
			check, err := measureAll(run, 600, []*opt.Candidate{best, win})
			if err != nil {
				return nil, err
			}
			if check[win] < check[best] {
				best, accepted = win, accepted+1
			}
		}
		if n%20 == 0 {
			say("  moves, batch %d: %d accepted, %.1f", n, accepted, cycles[batch[0]])
		}
	}
	return best, nil
}
