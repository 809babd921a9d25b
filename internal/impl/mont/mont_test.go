package mont

import (
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/machine"
)

var long = flag.Bool("long", false, "use more operands")

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(200) // terms of the model are garbage at once
	os.Exit(m.Run())
}

type modulusCase struct {
	name  string
	m     *big.Int
	extra bool // tested with fewer operands
}

func hex(s string) *big.Int {
	v, ok := new(big.Int).SetString(strings.ReplaceAll(s, " ", ""), 16)
	if !ok {
		panic(s)
	}
	return v
}

// The moduli of the curves, and others at the edges of what the generators accept: each with every word different, no
// word special, the smallest and the largest of its length.
var moduli = []modulusCase{
	{"p256", hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"), false},
	{"p256Ord", hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"), false},
	{"p384", hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff"), false},
	{"p192", hex("fffffffffffffffffffffffffffffffeffffffffffffffff"), false},
	{"secp256k1", hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"), false},
	{"brainpoolP256r1", hex("a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377"), false},
	{"p384Ord", hex("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"), true},
	{"brainpoolP384r1", hex("8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53"), true},
	{"small4", hex("1 0000000000000000 0000000000000000 0000000000000001"), true},
	{"large3", hex("ffffffffffffffff ffffffffffffffff ffffffffffffffff"), true},
	{"large4", hex("ffffffffffffffff ffffffffffffffff ffffffffffffffff fffffffffffffffd"), true},
	{"large6", hex("ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff fffffffffffffff1"), true},
	{"five", hex("1ffffffffffffff fffffffffffffff0 0123456789abcdef 00000000ffffffff ffffffffffffffff"), true},
}

func (c modulusCase) words() int { return (c.m.BitLen() + 63) / 64 }

// op is a function under test.
type op struct {
	name     string
	generate func(machine.Target, string, *big.Int) (Routine, error)
	contract func(*spec.Field) contract.Contract
	variants bool // has variants of its own
	inputs   func(g *operands) []map[string]*big.Int
	// want gives the outputs for inputs; "ok" is the result. R⁻¹ is rinv.
	want func(f *field, in map[string]*big.Int) map[string]*big.Int
	// start is the value that reduction starts with, for functions whose marks do not begin with it.
	start func(in map[string]*big.Int) *big.Int
	// y is the second factor of rows "mul".
	y func(f *field, in map[string]*big.Int) *big.Int
}

type field struct {
	modulusCase
	n       int
	r, rinv *big.Int
	spec    *spec.Field
}

func newField(t testing.TB, c modulusCase) *field {
	s, err := spec.New(c.name, c.m)
	if err != nil {
		t.Fatal(err)
	}
	f := &field{modulusCase: c, n: c.words(), spec: s}
	f.r = new(big.Int).Lsh(big.NewInt(1), uint(64*f.n))
	f.rinv = new(big.Int).ModInverse(f.r, c.m)
	return f
}

func (f *field) mod(v *big.Int) *big.Int { return v.Mod(v, f.m) }

func mulInt(vs ...*big.Int) *big.Int {
	r := big.NewInt(1)
	for _, v := range vs {
		r.Mul(r, v)
	}
	return r
}

// operands makes edge values and random ones.
type operands struct {
	*field
	rng   *rand.Rand
	extra int // random operands
}

func (g *operands) random(below *big.Int) *big.Int {
	b := make([]byte, 8*g.n+8)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	v := new(big.Int).SetBytes(b)
	if g.rng.IntN(4) == 0 { // long runs of equal bits
		v.SetInt64(0)
		for i := 0; i < 64*g.n; {
			k := 1 + g.rng.IntN(64)
			if g.rng.IntN(2) == 0 {
				ones := new(big.Int).Lsh(big.NewInt(1), uint(k))
				v.Or(v, ones.Lsh(ones.Sub(ones, big.NewInt(1)), uint(i)))
			}
			i += k
		}
	}
	return v.Mod(v, below)
}

// edges are values below the modulus, or below R if all.
func (g *operands) edges(all bool) []*big.Int {
	limit := g.m
	if all {
		limit = g.r
	}
	add := func(v *big.Int, d int64) *big.Int { return new(big.Int).Add(v, big.NewInt(d)) }
	half := new(big.Int).Rsh(g.m, 1)
	vs := []*big.Int{add(g.m, -1), big.NewInt(0), add(g.r, -1), big.NewInt(1), g.m, add(g.m, -2), add(g.r, -2), big.NewInt(2),
		half, add(half, 1), new(big.Int).Mod(g.r, g.m), g.rinv, add(g.m, 1)}
	for i := range g.n {
		vs = append(vs, new(big.Int).Lsh(big.NewInt(1), uint(64*i+63)))
		if i > 0 {
			p := new(big.Int).Lsh(big.NewInt(1), uint(64*i))
			vs = append(vs, p, add(p, -1), new(big.Int).Sub(g.r, p), new(big.Int).Sub(g.m, p))
		}
	}
	for range g.extra {
		vs = append(vs, g.random(limit))
	}
	var r []*big.Int
	for _, v := range vs {
		if v.Sign() >= 0 && v.Cmp(limit) < 0 && !slices.ContainsFunc(r, func(w *big.Int) bool { return w.Cmp(v) == 0 }) {
			r = append(r, v)
		}
	}
	return r
}

// one makes inputs of one operand, two of two: the first few edges with each other, the others with random ones.
func one(all bool) func(*operands) []map[string]*big.Int {
	return func(g *operands) (r []map[string]*big.Int) {
		for _, v := range g.edges(all) {
			r = append(r, map[string]*big.Int{"a": v})
		}
		return r
	}
}

func two(allA bool) func(*operands) []map[string]*big.Int {
	return func(g *operands) (r []map[string]*big.Int) {
		as, bs := g.edges(allA), g.edges(false)
		limit := g.m
		if allA {
			limit = g.r
		}
		for i, a := range as {
			for j, b := range bs {
				if i < 4 && j < 3 {
					r = append(r, map[string]*big.Int{"a": a, "b": b})
				}
			}
			if i >= 4 {
				r = append(r, map[string]*big.Int{"a": a, "b": g.random(g.m)})
			}
		}
		for j, b := range bs {
			if j >= 3 {
				r = append(r, map[string]*big.Int{"a": g.random(limit), "b": b})
			}
		}
		return r
	}
}

func out(v *big.Int) map[string]*big.Int { return map[string]*big.Int{"r": v} }

var maxWord = new(big.Int).SetUint64(1<<64 - 1)

var ops = []op{
	{name: "Mul", generate: Mul, contract: func(f *spec.Field) contract.Contract { return f.Mul }, variants: true, inputs: two(true),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return out(f.mod(mulInt(in["a"], in["b"], f.rinv)))
		},
		y: func(f *field, in map[string]*big.Int) *big.Int { return in["b"] }},
	{name: "Sqr", generate: Sqr, contract: func(f *spec.Field) contract.Contract { return f.Sqr }, variants: true, inputs: one(false),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return out(f.mod(mulInt(in["a"], in["a"], f.rinv)))
		},
		y: func(f *field, in map[string]*big.Int) *big.Int { return in["a"] }},
	{name: "ToMont", generate: ToMont, contract: func(f *spec.Field) contract.Contract { return f.ToMont }, variants: true, inputs: one(true),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int { return out(f.mod(mulInt(in["a"], f.r))) },
		y:    func(f *field, in map[string]*big.Int) *big.Int { return f.mod(mulInt(f.r, f.r)) }},
	{name: "FromMont", generate: FromMont, contract: func(f *spec.Field) contract.Contract { return f.FromMont }, variants: true, inputs: one(true),
		want:  func(f *field, in map[string]*big.Int) map[string]*big.Int { return out(f.mod(mulInt(in["a"], f.rinv))) },
		start: func(in map[string]*big.Int) *big.Int { return in["a"] }},
	{name: "Add", generate: Add, contract: func(f *spec.Field) contract.Contract { return f.Add }, inputs: two(false),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return out(f.mod(new(big.Int).Add(in["a"], in["b"])))
		}},
	{name: "Sub", generate: Sub, contract: func(f *spec.Field) contract.Contract { return f.Sub }, inputs: two(false),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return out(f.mod(new(big.Int).Sub(in["a"], in["b"])))
		}},
	{name: "Neg", generate: Neg, contract: func(f *spec.Field) contract.Contract { return f.Neg }, inputs: one(false),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return out(f.mod(new(big.Int).Neg(in["a"])))
		}},
	{name: "Half", generate: Half, contract: func(f *spec.Field) contract.Contract { return f.Half }, inputs: one(false),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			v := new(big.Int).Set(in["a"])
			if v.Bit(0) == 1 {
				v.Add(v, f.m)
			}
			return out(v.Rsh(v, 1))
		}},
	{name: "FromBytes", generate: FromBytes, contract: func(f *spec.Field) contract.Contract { return f.FromBytes },
		inputs: func(g *operands) (r []map[string]*big.Int) {
			for _, v := range g.edges(true) {
				r = append(r, map[string]*big.Int{"b": reverse(v, 8*g.n)})
			}
			return r
		},
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			v := reverse(in["b"], 8*f.n)
			if v.Cmp(f.m) >= 0 {
				return map[string]*big.Int{"r": new(big.Int), "ok": new(big.Int)}
			}
			return map[string]*big.Int{"r": v, "ok": big.NewInt(1)}
		}},
	{name: "ToBytes", generate: ToBytes, contract: func(f *spec.Field) contract.Contract { return f.ToBytes }, inputs: one(true),
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			return map[string]*big.Int{"b": reverse(in["a"], 8*f.n)}
		}},
	{name: "CMov", generate: CMov, contract: func(f *spec.Field) contract.Contract { return f.CMov },
		inputs: func(g *operands) (r []map[string]*big.Int) {
			for _, v := range g.edges(true) {
				for _, c := range []*big.Int{new(big.Int), maxWord} {
					r = append(r, map[string]*big.Int{"a": v, "r": g.random(g.r), "cond": c})
				}
			}
			return r
		},
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			if in["cond"].Sign() == 0 {
				return out(in["r"])
			}
			return out(in["a"])
		}},
	{name: "CNeg", generate: CNeg, contract: func(f *spec.Field) contract.Contract { return f.CNeg },
		inputs: func(g *operands) (r []map[string]*big.Int) {
			for _, v := range g.edges(false) {
				for _, c := range []*big.Int{new(big.Int), maxWord} {
					r = append(r, map[string]*big.Int{"a": v, "cond": c})
				}
			}
			return r
		},
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			if in["cond"].Sign() == 0 {
				return out(in["a"])
			}
			return out(f.mod(new(big.Int).Neg(in["a"])))
		}},
	{name: "Select", generate: Select, contract: func(f *spec.Field) contract.Contract { return f.Select },
		inputs: func(g *operands) (r []map[string]*big.Int) {
			table := new(big.Int)
			for range 3 * entries {
				table.Or(table.Lsh(table, uint(64*g.n)), g.random(g.r))
			}
			for _, i := range []uint64{0, 1, 2, 7, 8, 15, 16, 17, 1 << 32, 1<<63 + 3, 1<<64 - 1, 1<<64 - 16} {
				r = append(r, map[string]*big.Int{"table": table, "index": new(big.Int).SetUint64(i)})
			}
			return r
		},
		want: func(f *field, in map[string]*big.Int) map[string]*big.Int {
			if in["index"].Cmp(big.NewInt(entries)) >= 0 {
				return out(new(big.Int))
			}
			size := uint(3 * 64 * f.n)
			v := new(big.Int).Rsh(in["table"], size*uint(in["index"].Int64()))
			all := new(big.Int).Lsh(big.NewInt(1), size)
			return out(v.And(v, all.Sub(all, big.NewInt(1))))
		}},
}

// reverse reverses n bytes.
func reverse(v *big.Int, n int) *big.Int { return new(big.Int).SetBytes(toLE(v, n)) }

// forAll calls f for every function, target, variant and modulus.
func forAll(t *testing.T, cases []modulusCase, f func(t *testing.T, o op, fd *field, tg machine.Target, variant string)) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fd := newField(t, c)
			for _, tg := range []machine.Target{machine.ARM64, machine.AMD64} {
				for _, o := range ops {
					for _, variant := range Variants(tg, o.name) {
						t.Run(fmt.Sprintf("%s/%v%s", o.name, tg, variant), func(t *testing.T) { f(t, o, fd, tg, variant) })
					}
				}
			}
		})
	}
}

// TestValues compares with math/big, and the values at marks with what Marked documents, in every alias pattern.
func TestValues(t *testing.T) {
	forAll(t, moduli, func(t *testing.T, o op, f *field, tg machine.Target, variant string) {
		r, err := o.generate(tg, variant, f.m)
		if err != nil {
			t.Fatal(err)
		}
		g := &operands{field: f, rng: rand.New(rand.NewPCG(1, uint64(f.n))), extra: 5}
		if *long {
			g.extra = 200
		}
		c := o.contract(f.spec)
		thin := 1
		if f.extra && !*long {
			thin = 8
		}
		for i, in := range o.inputs(g) {
			if i%thin != 0 {
				continue
			}
			for j, p := range c.Patterns() {
				// Other patterns are the same code; few operands show that it loads before it stores.
				if j > 0 && i%8 != 0 && !*long {
					continue
				}
				if err := runOne(o, f, tg, r, c, p.Names(), in); err != nil {
					t.Fatalf("%v: %v\n%x", p.Names(), err, in)
				}
			}
		}
	})
}

func runOne(o op, f *field, tg machine.Target, r Routine, c contract.Contract, alias []string, in map[string]*big.Int) error {
	// Coinciding inputs have the value of the first.
	first := ""
	eff := map[string]*big.Int{}
	mem := map[string][]byte{}
	for _, p := range c.Params() {
		if !p.Mode.Reads() {
			continue
		}
		eff[p.Name] = in[p.Name]
		if slices.Contains(alias, p.Name) {
			if first == "" {
				first = p.Name
			}
			eff[p.Name] = in[first]
		}
		mem[p.Name] = toLE(eff[p.Name], p.Bytes)
	}
	if b := eff["b"]; o.name == "Mul" && b.Cmp(f.m) >= 0 {
		return nil // a need not be reduced, but is b in this pattern
	}
	cp := newCPU(tg, r, c.Params(), alias, mem)
	w := &watcher{f: f, r: r, cpu: cp, in: eff, o: o}
	if o.start != nil {
		w.t = o.start(eff)
	}
	cp.mark = w.mark
	if err := cp.run(r.Code); err != nil {
		return err
	}
	if err := w.done(); err != nil {
		return err
	}
	for name, v := range o.want(f, eff) {
		got := new(big.Int).SetUint64(cp.result)
		if name != "ok" {
			x := cp.byName[name]
			if slices.Contains(x.defined, false) {
				return fmt.Errorf("%s is not written in full", name)
			}
			got = fromLE(x.data)
		}
		if got.Cmp(v) != 0 {
			return fmt.Errorf("%s = %x, want %x", name, got, v)
		}
	}
	return nil
}

// watcher follows the marks of a run.
type watcher struct {
	f    *field
	r    Routine
	cpu  *cpu
	o    op
	in   map[string]*big.Int
	t    *big.Int // the value of the accumulator, nil for 0
	q    *big.Int
	seen []string
}

func (w *watcher) mark(name string) error {
	w.seen = append(w.seen, name)
	mk, ok := w.r.Marks[name]
	if !ok {
		return errors.New("not in Marks")
	}
	acc, err := w.cpu.number(mk.Acc)
	if err != nil {
		return err
	}
	if w.t == nil {
		w.t = new(big.Int)
	}
	word := new(big.Int).Lsh(big.NewInt(1), 64)
	kind := strings.TrimRight(name, "0123456789")
	var i int
	fmt.Sscan(name[len(kind):], &i)
	n := w.f.n
	switch kind {
	case "mul":
		d := new(big.Int).Rsh(w.in["a"], uint(64*i))
		d.Mod(d, word)
		w.t = new(big.Int).Add(w.t, d.Mul(d, w.o.y(w.f, w.in)))
	case "sqr":
		w.t = mulInt(w.in["a"], w.in["a"])
		if len(mk.Acc) != 2*n {
			return fmt.Errorf("%d words", len(mk.Acc))
		}
	case "q":
		if w.q, err = w.cpu.number([]machine.Loc{mk.Q}); err != nil {
			return err
		}
		s := new(big.Int).Add(w.t, mulInt(w.q, w.f.m))
		if s.Mod(s, word).Sign() != 0 {
			return fmt.Errorf("%x is not the quotient digit for %x", w.q, w.t)
		}
		return nil
	case "red":
		w.t = new(big.Int).Add(w.t, mulInt(w.q, w.f.m))
		w.t.Rsh(w.t, 64)
		if i == n-1 && len(mk.Acc) != n+1 {
			return fmt.Errorf("%d words", len(mk.Acc))
		}
	default:
		return errors.New("unknown")
	}
	if acc.Cmp(w.t) != 0 {
		return fmt.Errorf("the accumulator is %x, want %x", acc, w.t)
	}
	return nil
}

// done checks that all marks were seen in order.
func (w *watcher) done() error {
	_, square := w.r.Marks["sqr"]
	var want []string
	if square {
		want = append(want, "sqr")
	}
	if w.o.y != nil || w.o.start != nil {
		for i := range w.f.n {
			if w.o.y != nil && !square {
				want = append(want, fmt.Sprintf("mul%d", i))
			}
			want = append(want, fmt.Sprintf("q%d", i), fmt.Sprintf("red%d", i))
		}
	}
	if !slices.Equal(w.seen, want) || len(w.r.Marks) != len(want) {
		return fmt.Errorf("marks are %v, want %v", w.seen, want)
	}
	return nil
}

// TestContracts runs the code against its contract: the terms that the proof is about.
func TestContracts(t *testing.T) {
	forAll(t, moduli[:4], func(t *testing.T, o op, f *field, tg machine.Target, variant string) {
		r, err := o.generate(tg, variant, f.m)
		if err != nil {
			t.Fatal(err)
		}
		c := o.contract(f.spec)
		p := machine.Program{Target: tg, Variant: variant, Features: r.Features, Contract: c, Frame: r.Frame, Tables: r.Tables, Code: r.Code}
		g := &operands{field: f, rng: rand.New(rand.NewPCG(2, uint64(f.n)))}
		for i, in := range o.inputs(g) {
			if i%8 != 0 {
				continue
			}
			mi := machine.Input{Mem: map[string][]byte{}}
			for _, q := range c.Params() {
				if q.Mode.Reads() {
					mi.Mem[q.Name] = toLE(in[q.Name], q.Bytes)
				}
			}
			out, err := machine.Run(p, mi)
			if err == nil {
				err = machine.Check(c, mi, &out)
			}
			if err != nil {
				t.Fatalf("%v\n%x", err, in)
			}
		}
	})
}

// TestSize logs the number of instructions, and checks that Describe accepts them all.
func TestSize(t *testing.T) {
	for _, c := range moduli[:4] {
		for _, o := range ops {
			var line []string
			for _, tg := range []machine.Target{machine.ARM64, machine.AMD64} {
				for _, variant := range Variants(tg, o.name) {
					r, err := o.generate(tg, variant, c.m)
					if err != nil {
						t.Error(err)
						continue
					}
					line = append(line, fmt.Sprintf("%v%s %d", tg, variant, instructions(r.Code)))
				}
			}
			t.Logf("%-8s %-9s %s", c.name, o.name, strings.Join(line, ", "))
		}
	}
}

func instructions(c machine.Code) int {
	n := 0
	switch c := c.(type) {
	case machine.Block:
		n = len(c)
	case machine.Seq:
		for _, x := range c {
			n += instructions(x)
		}
	case machine.Loop:
		n = instructions(c.Body) + 1
	}
	return n
}

// TestRefused: what the generators do not make.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		target  machine.Target
		variant string
		m       *big.Int
	}{
		{machine.ARM64, "bmi2", moduli[0].m},
		{machine.AMD64, "avx2", moduli[0].m},
		{0, "", moduli[0].m},
		{machine.ARM64, "", nil},
		{machine.ARM64, "", big.NewInt(-7)},
		{machine.ARM64, "", new(big.Int).Lsh(big.NewInt(1), 200)},
		{machine.AMD64, "", big.NewInt(7)},
		{machine.AMD64, "", new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 384), big.NewInt(1))},
	} {
		for _, o := range ops {
			if _, err := o.generate(c.target, c.variant, c.m); err == nil {
				t.Errorf("%s for %v %q, %v: no error", o.name, c.target, c.variant, c.m)
			}
		}
	}
	for _, o := range ops {
		if _, err := o.generate(machine.AMD64, "bmi2", moduli[0].m); (err == nil) != o.variants {
			t.Errorf("%s for bmi2: error %v", o.name, err)
		}
	}
}
