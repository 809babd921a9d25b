// Package tune searches for the order of a fused routine's instructions and freezes it in internal/impl/weierstrass/orders.
// Nothing that it does is trusted: what it finds is proved like any other code.
//
// The search goes on the model of a microarchitecture first, and then, for amd64 on an amd64 machine if that is wanted, on
// the CPU, where candidates are timed in batches with the incumbent among them. With a seed and without the CPU the result
// is reproducible.
package tune

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"verum.example/internal/benchmark"
	"verum.example/internal/impl/weierstrass"
	"verum.example/internal/opt"
	"verum.example/internal/opt/amd64"
	"verum.example/internal/opt/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// A Routine is a fused routine of P-256, which is the only curve with fused code so far.
type Routine struct {
	Op      string // of weierstrass.FusedOps
	Target  machine.Target
	Variant string // "" is the baseline
}

// baseline is how the variant "" is called where people read it.
const baseline = "baseline"

// String is op/target/variant.
func (r Routine) String() string {
	return r.Op + "/" + r.Target.String() + "/" + cmp.Or(r.Variant, baseline)
}

// Routines lists all fused routines.
func Routines() []Routine {
	var rs []Routine
	for _, op := range weierstrass.FusedOps {
		rs = append(rs, Routine{op, machine.ARM64, ""}, Routine{op, machine.AMD64, ""}, Routine{op, machine.AMD64, "bmi2"})
	}
	return rs
}

// Match lists the routines that a pattern op/target/variant matches, in which each part may have wildcards. Parts that it
// lacks are those of the default.
func Match(pattern string, target, variant string) ([]Routine, error) {
	parts := strings.Split(pattern, "/")
	if len(parts) > 3 {
		return nil, fmt.Errorf("%q is no routine: it has more parts than op/target/variant", pattern)
	}
	parts = append(parts, []string{"", target, cmp.Or(variant, baseline)}[len(parts):]...)
	var rs []Routine
	for _, r := range Routines() {
		all := true
		for i, name := range strings.Split(r.String(), "/") {
			ok, err := path.Match(parts[i], name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			all = all && ok
		}
		if all {
			rs = append(rs, r)
		}
	}
	if len(rs) == 0 {
		var names []string
		for _, r := range Routines() {
			names = append(names, r.String())
		}
		return nil, fmt.Errorf("there is no fused routine %s; there are %s", strings.Join(parts, "/"), strings.Join(names, ", "))
	}
	return rs, nil
}

// Options of a search.
type Options struct {
	Model string // microarchitecture; "" is the one that the variant is tuned for
	Tries int    // candidates of the search on the model
	Seed  uint64
	CPU   time.Duration // how long to search on this CPU
	Moves time.Duration // how long to move single instructions on this CPU
	Again bool          // start from the frozen order
	Dry   bool          // write nothing
	MCA   string        // llvm-mca, for figures of arm64; without it there are none
	Dir   string        // where frozen orders are
	Out   io.Writer     // what the search says
}

// tuning is a search for one routine.
type tuning struct {
	Options
	routine Routine
	model   *opt.Model
	tuner   *opt.Tuner
	prog    *opt.Prog
	run     *runner // nil if the code cannot run here
}

// p256 is the field's prime.
func p256() *big.Int {
	p, _ := new(big.Int).SetString("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16)
	return p
}

// Search searches for an order, shows its figures, and freezes it.
func Search(r Routine, o Options) error {
	t, err := start(r, o)
	if err != nil {
		return err
	}
	defer t.run.close()
	var best *opt.Candidate
	if o.Again {
		best, err = t.frozen()
	} else {
		t.say("%v, on the model of %s, %d instructions", r, t.model.Name, len(t.prog.Ins))
		best, err = t.tuner.Search(o.Seed, o.Tries, func(s string) { t.say("  %s", s) })
	}
	if err != nil {
		return err
	}
	if t.run != nil && o.CPU > 0 {
		if best, err = t.searchCPU(best); err != nil {
			return err
		}
	}
	if t.run != nil && o.Moves > 0 {
		if best, err = t.searchMoves(best); err != nil {
			return err
		}
	}
	if err := t.show(best.Code); err != nil || o.Dry {
		return err
	}
	how := fmt.Sprintf("-tries %d -seed %d", o.Tries, o.Seed)
	if o.Again {
		how = "-again " + how
	}
	if o.CPU+o.Moves > 0 {
		how += fmt.Sprintf(" -cpu %v -moves %v on this CPU: %s", o.CPU, o.Moves, benchmark.CPU())
	}
	what := fmt.Sprintf("%v, tuned for %s by verum tune: %s", r, t.model.Name, how)
	return os.WriteFile(t.file(), []byte(opt.Freeze(best.Code, what)), 0o644)
}

// Show shows figures of the frozen order.
func Show(r Routine, o Options) error {
	t, err := start(r, o)
	if err != nil {
		return err
	}
	defer t.run.close()
	best, err := t.frozen()
	if err != nil {
		return err
	}
	return t.show(best.Code)
}

func start(r Routine, o Options) (*tuning, error) {
	t := &tuning{Options: o, routine: r}
	var err error
	if t.model, err = theModel(r, o.Model); err != nil {
		return nil, err
	}
	if t.prog, err = weierstrass.NewFused(r.Target, r.Variant, r.Op, p256()); err != nil {
		return nil, err
	}
	t.tuner = opt.NewTuner(t.prog, t.model, r.Op == "double" && r.Target == machine.AMD64)
	if r.Target == machine.AMD64 && runtime.GOARCH == "amd64" && runtime.GOOS == "linux" {
		t.run, err = startRunner(len(t.prog.Params))
	}
	return t, err
}

func theModel(r Routine, name string) (*opt.Model, error) {
	if name == "" {
		return weierstrass.FusedModel(r.Target, r.Variant), nil
	}
	models := []*opt.Model{amd64.GoldenCove, amd64.Zen3}
	if r.Target == machine.ARM64 {
		models = []*opt.Model{arm64.NeoverseN2}
	}
	var names []string
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("there is no model %q for %v; there are %s", name, r.Target, strings.Join(names, ", "))
}

// file is where the order is frozen.
func (t *tuning) file() string {
	return filepath.Join(t.Dir, weierstrass.OrderFile(t.routine.Target, t.routine.Variant, t.routine.Op, p256()))
}

// frozen is the frozen order.
func (t *tuning) frozen() (*opt.Candidate, error) {
	text, err := os.ReadFile(t.file())
	if err != nil {
		return nil, err
	}
	code, err := opt.Thaw(t.prog, string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.file(), err)
	}
	return &opt.Candidate{Key: opt.Key{Alloc: code.Key}, Code: code, Cost: t.tuner.Cost(code)}, nil
}

func (t *tuning) say(format string, args ...any) { fmt.Fprintf(t.Out, format+"\n", args...) }

// show prints figures of code.
func (t *tuning) show(c *opt.Code) error {
	double := t.routine.Op == "double"
	line := fmt.Sprintf("%v: %d instructions, %d spills, %d loads, %d moves, %d bytes of tmp; model %.1f cycles",
		t.routine, len(c.Placed), c.Spills, c.Loads, c.Moves, c.SpillBytes(), float64(t.tuner.Cycles(c))/100)
	if t.run != nil {
		codes := [][]isa.Instr{c.Instrs()}
		if double {
			composed, err := composedDouble(t.routine.Variant, p256())
			if err != nil {
				return err
			}
			codes = append(codes, composed)
		}
		y, err := t.run.measure(4000, 40, codes...)
		if err != nil {
			return err
		}
		line += fmt.Sprintf("; measured %.1f", y[0])
		if double {
			line += fmt.Sprintf(", of routines of impl/mont %.1f: ratio %.3f", y[1], y[0]/y[1])
		}
	}
	if t.routine.Target == machine.ARM64 && t.MCA != "" {
		for _, cpu := range CPUs {
			cycles, err := mca(t.MCA, cpu, c.Instrs())
			if err != nil {
				return err
			}
			line += fmt.Sprintf("; llvm-mca %s %.1f", cpu, cycles)
		}
	}
	t.say("%s", line)
	return nil
}

// searchCPU evolves keys. Each batch has the best of the one before; what counts is the order within a batch, since a
// clock wanders.
func (t *tuning) searchCPU(start *opt.Candidate) (*opt.Candidate, error) {
	r := opt.NewRand(t.Seed)
	pool := []*opt.Candidate{start}
	limit := start.Cost * 115 / 100
	batches := 0
	for end := time.Now().Add(t.CPU); time.Now().Before(end); batches++ {
		batch := slices.Clone(pool)
		for tries := 0; len(batch) < 40 && tries < 400; tries++ {
			k := t.tuner.Mutate(pool[r.IntN(len(pool))].Key, r)
			if r.IntN(6) == 0 {
				k = t.tuner.Random(r)
			}
			c, err := t.tuner.Try(k)
			if err != nil {
				return nil, err
			}
			if c.Cost < limit {
				batch = append(batch, c)
			}
		}
		cycles, err := t.measureAll(100, batch)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(batch, func(a, b *opt.Candidate) int { return cmp.Compare(cycles[a], cycles[b]) })
		pool = batch[:min(5, len(batch))]
		if batches%10 == 0 {
			t.say("  cpu, batch %d: %.1f, model %.1f", batches, cycles[pool[0]], float64(pool[0].Cost)/100)
		}
	}
	return pool[0], nil
}

func (t *tuning) measureAll(rounds int, cs []*opt.Candidate) (map[*opt.Candidate]float64, error) {
	codes := make([][]isa.Instr, len(cs))
	for i, c := range cs {
		codes[i] = c.Code.Instrs()
	}
	y, err := t.run.measure(rounds, 40, codes...)
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
func (t *tuning) searchMoves(best *opt.Candidate) (*opt.Candidate, error) {
	r := opt.NewRand(t.Seed + 1)
	accepted := 0
	for end, n := time.Now().Add(t.Moves), 0; time.Now().Before(end); n++ {
		batch := []*opt.Candidate{best}
		for len(batch) < 24 {
			c, err := t.tuner.Allocate(t.tuner.Move(best.Code.Order, 1+r.IntN(8), r), best.Key)
			if err != nil {
				return nil, err
			}
			batch = append(batch, c)
		}
		cycles, err := t.measureAll(150, batch)
		if err != nil {
			return nil, err
		}
		win := slices.MinFunc(batch, func(a, b *opt.Candidate) int { return cmp.Compare(cycles[a], cycles[b]) })
		if win != best && cycles[win] < cycles[best]-0.2 {
			check, err := t.measureAll(600, []*opt.Candidate{best, win})
			if err != nil {
				return nil, err
			}
			if check[win] < check[best] {
				best, accepted = win, accepted+1
			}
		}
		if n%20 == 0 {
			t.say("  moves, batch %d: %d accepted, %.1f", n, accepted, cycles[batch[0]])
		}
	}
	return best, nil
}
