package opt_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/opt"
	"verum.example/internal/opt/amd64"
	"verum.example/internal/opt/arm64"
	"verum.example/internal/tcb/logic"
)

// few is a target with as few registers as a program can do with.
func few(t *opt.Target, n int) *opt.Target {
	c := *t
	c.Regs = c.Regs[:n]
	return &c
}

// sums is a program on AArch64 that adds up n words, by carry chains over pairs of words, and keeps them all alive until
// the end: r[i] = a[i] + a[i+1] + … + a[n−1], with the carries into the next word dropped.
func sums(t *opt.Target, n int) *opt.Prog {
	p := opt.NewProg(t, "r", "a", "tmp")
	var xs []opt.V
	for i := range n {
		xs = append(xs, p.Input(1, 8*i))
	}
	p.Begin("sums", "sums", xs)
	var out []opt.V
	for i := range n {
		s := []opt.V{xs[i]}
		for j := i + 1; j < n; j++ {
			s, _ = p.Add(arm64.ADDS, opt.NoContent, s[0], xs[j])
		}
		out = append(out, s[0])
	}
	// A chain whose carry is used.
	lo, c := p.Add(arm64.ADDS, opt.NoContent, out[0], out[1])
	hi, _ := p.Add(arm64.ADC, c, out[2], opt.Zero)
	p.Mark("pair", lo[0], hi[0])
	p.End(out)
	for i, v := range append(out, lo[0], hi[0]) {
		p.Store(v, 0, 8*i, 1)
	}
	p.Clean()
	return p
}

func input(p *opt.Prog) func(opt.Mem) logic.Term {
	return func(m opt.Mem) logic.Term {
		return logic.Var(fmt.Sprintf("opt.%s[%d]", p.Params[m.Param], m.Off), logic.BV(64))
	}
}

// check runs code with and without r = a and compares it with the program.
func check(t *testing.T, p *opt.Prog, c *opt.Code, words int) {
	t.Helper()
	in := input(p)
	want, err := p.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []map[int]int{nil, {0: 1}} {
		mem := map[opt.Mem]logic.Term{}
		for i := range words {
			mem[opt.Mem{Param: 1, Off: 8 * i}] = in(opt.Mem{Param: 1, Off: 8 * i})
		}
		if err := c.Run(mem, same); err != nil {
			t.Fatal(err)
		}
		for m, v := range want.Out {
			if s, ok := same[m.Param]; ok {
				m.Param = s
			}
			if mem[m] != v {
				t.Errorf("r[%d] differs, same %v", m.Off, same)
			}
		}
	}
}

// TestFewRegisters allocates with ever fewer registers, in random orders: values are spilled, recreated and reloaded.
func TestFewRegisters(t *testing.T) {
	const words = 12
	for n := 5; n <= 20; n++ {
		p := sums(few(arm64.Target, n), words)
		tuner := opt.NewTuner(p, arm64.NeoverseN2, true)
		r := opt.NewRand(uint64(n))
		spills := 0
		for range 10 {
			c, err := tuner.Try(tuner.Random(r))
			if err != nil {
				t.Fatalf("%d registers: %v", n, err)
			}
			check(t, p, c.Code, words+2)
			spills += c.Code.Spills
		}
		if n < 10 && spills == 0 {
			t.Errorf("%d registers are enough without a spill", n)
		}
	}
	p := sums(few(arm64.Target, 3), words)
	if _, err := opt.NewTuner(p, arm64.NeoverseN2, true).Heuristic(); err == nil {
		t.Error("three registers, all pointers, are enough")
	}
}

// TestMultiplier: DX is a resource. Two families of multiplications by one factor, in any order that the scheduler finds,
// do not mix, and their factors may come from memory.
func TestMultiplier(t *testing.T) {
	const words = 4
	for n := 5; n <= 12; n++ {
		p := opt.NewProg(few(amd64.Target, n), "r", "a", "tmp")
		var out []opt.V
		for i := range words {
			_, dx := p.Add(amd64.SetMultiplier, opt.NoContent, p.Input(1, 8*i))
			for j := range words {
				d, _ := p.Add(amd64.MULX, dx, p.Input(1, 8*j))
				s, c := p.Add(amd64.ADD, opt.NoContent, d[0], d[1])
				w, _ := p.Add(amd64.CarryWord, c)
				x, _ := p.Add(amd64.ADD, opt.NoContent, s[0], w[0])
				out = append(out, x[0])
			}
		}
		for i, v := range out {
			p.Store(v, 0, 8*i, 1)
		}
		p.Clean()
		tuner := opt.NewTuner(p, amd64.Zen3, false)
		r := opt.NewRand(uint64(n))
		for range 5 {
			c, err := tuner.Try(tuner.Random(r))
			if err != nil {
				t.Fatalf("%d registers: %v", n, err)
			}
			check(t, p, c.Code, words*words)
		}
	}
}

// TestValid alters an order that fits.
func TestValid(t *testing.T) {
	p := sums(arm64.Target, 6)
	tuner := opt.NewTuner(p, arm64.NeoverseN2, false)
	c, err := tuner.Heuristic()
	if err != nil {
		t.Fatal(err)
	}
	order := c.Code.Order
	if !p.Valid(order) {
		t.Fatal("the scheduler's order is refused")
	}
	refused := func(what string, o []int32) {
		t.Helper()
		if p.Valid(o) {
			t.Errorf("%s: accepted", what)
		}
		if _, err := opt.Allocate(p, o, opt.AllocKey{}); err == nil {
			t.Errorf("%s: allocated", what)
		}
	}
	refused("too short", order[1:])
	twice := slices.Clone(order)
	twice[0] = twice[1]
	refused("one twice", twice)
	outside := slices.Clone(order)
	outside[0] = int32(len(order))
	refused("outside", outside)
	back := slices.Clone(order)
	slices.Reverse(back)
	refused("backwards", back)

	// Two chains that can't be interleaved.
	q := opt.NewProg(arm64.Target, "r", "a", "tmp")
	a0, a1 := q.Input(1, 0), q.Input(1, 8)
	d0, c0 := q.Add(arm64.ADDS, opt.NoContent, a0, a1)
	d1, c1 := q.Add(arm64.ADDS, opt.NoContent, a1, a1)
	e0, _ := q.Add(arm64.ADC, c0, d0[0], a0)
	e1, _ := q.Add(arm64.ADC, c1, d1[0], a0)
	q.Store(e0[0], 0, 0, 1)
	q.Store(e1[0], 0, 8, 1)
	q.Clean()
	if q.Valid([]int32{0, 1, 2, 3, 4, 5}) || !q.Valid([]int32{0, 2, 1, 3, 4, 5}) {
		t.Error("an order that destroys a carry is accepted, or one that does not is refused")
	}
	if c, err := opt.NewTuner(q, arm64.NeoverseN2, false).Heuristic(); err != nil || !q.Valid(c.Code.Order) {
		t.Errorf("two chains: %v", err)
	}
	// A store of r[0], which may be a[0], before the last use of a[0].
	store := slices.IndexFunc(p.Ins, func(in opt.Ins) bool { return in.Form == nil })
	if len(p.Ins[store].After) == 0 {
		t.Error("the first store does not wait for anything")
	}
}

// TestFreeze freezes and thaws code, of the same program and of another.
func TestFreeze(t *testing.T) {
	p := sums(few(arm64.Target, 9), 8)
	c, err := opt.NewTuner(p, arm64.NeoverseN2, true).Search(3, 40, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := opt.Freeze(c.Code, "for a test")
	again, err := opt.Thaw(sums(few(arm64.Target, 9), 8), text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Instrs(), c.Code.Instrs()) {
		t.Error("thawed code is other code")
	}
	if _, err := opt.Thaw(sums(few(arm64.Target, 9), 9), text); !errors.Is(err, opt.ErrStale) {
		t.Errorf("another program: %v", err)
	}
	for _, bad := range []string{
		"",
		strings.Replace(text, "near", "far", 1),
		strings.Replace(text, "order\n", "order\nx ", 1),
		strings.Replace(text, "order\n", "order\n100000 ", 1),
		strings.Replace(text, "order\n", "order\n0 ", 1),
		strings.Replace(text, "near 1", "near x", 1) + "near 0",
		text[:strings.Index(text, "order")],
	} {
		if _, err := opt.Thaw(p, bad); err == nil || errors.Is(err, opt.ErrStale) {
			t.Errorf("%q: %v", bad[:min(len(bad), 60)], err)
		}
	}
}

// TestSearch: a search is reproducible and no worse than the heuristic.
func TestSearch(t *testing.T) {
	p := sums(few(arm64.Target, 10), 10)
	tuner := opt.NewTuner(p, arm64.NeoverseN2, false)
	h, err := tuner.Heuristic()
	if err != nil {
		t.Fatal(err)
	}
	a, err := tuner.Search(7, 60, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := opt.NewTuner(p, arm64.NeoverseN2, false).Search(7, 60, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Code.Order, b.Code.Order) || a.Cost != b.Cost {
		t.Error("two searches with one seed differ")
	}
	if a.Cost > h.Cost {
		t.Errorf("the search's result costs %d, the heuristic's %d", a.Cost, h.Cost)
	}
	r := opt.NewRand(1)
	for range 20 {
		if o := tuner.Move(a.Code.Order, 3, r); !p.Valid(o) {
			t.Fatal("Move makes an order that does not fit")
		}
	}
}

// TestClean: dead code goes, and a sum whose carry is not used does not set the flags.
func TestClean(t *testing.T) {
	p := opt.NewProg(arm64.Target, "r", "a", "tmp")
	a := p.Input(1, 0)
	d, c := p.Add(arm64.ADDS, opt.NoContent, a, a)
	p.Add(arm64.ADC, c, a, a)
	p.Store(d[0], 0, 0, 1)
	p.Clean()
	if len(p.Ins) != 2 || p.Ins[0].Form != arm64.ADD {
		t.Errorf("%v", p.Text())
	}
}
