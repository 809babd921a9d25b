package mutate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var errVariable = errors.New("mutate: the contract speaks about a variable that is no input or output")

// Harmless is what was seen of an accepted mutant on all states.
type Harmless struct {
	States  int
	Outputs bool // the outputs were those of the original
	Trace   bool // branches and accesses, too
}

func (h Harmless) String() string {
	switch {
	case h.Outputs && h.Trace:
		return fmt.Sprintf("same outputs and same accesses in %d states", h.States)
	case h.Outputs:
		return fmt.Sprintf("same outputs in %d states, with other accesses", h.States)
	}
	return fmt.Sprintf("the contract holds in %d states, with other outputs", h.States)
}

// Violation is the error of a program that does not do what it should on some state.
type Violation struct {
	What  string
	State string
}

func (v *Violation) Error() string { return v.What + "\n\tstate " + v.State }

// slowRuns is on how many states of each alias pattern a run is compared with machine.Run and machine.Check.
const slowRuns = 4

// Check runs p on states that meet the precondition, random ones and edge cases of all alias patterns, and compares
// the outputs with those of original. (Where the postcondition speaks about points of a curve, so that it cannot be
// evaluated fast, they must be the same.) The error is a *Violation if a run fails or writes where it may not, the
// postcondition does not hold, or what may depend only on public inputs and leaks depends on something else: the
// branches, the addresses, what is left in scratch memory and in the frame, the public outputs. Anything else is an
// error of another type. A seed gives the same states.
//
// Check makes terms; it is called inside a generation.
func Check(p, original machine.Program, states int, seed uint64) (Harmless, error) {
	h := Harmless{Outputs: true, Trace: true}
	pats := p.Contract.Patterns()
	for i, pat := range pats {
		k, err := newChecker(p, original, pat, rand.New(rand.NewPCG(seed, uint64(i))))
		if err != nil {
			return h, fmt.Errorf("%s (%v): %w", p.Contract.Name(), p.Target, err)
		}
		n := states / len(pats)
		if i < states%len(pats) {
			n++
		}
		if err := k.check(max(n, 1), &h); err != nil {
			return h, fmt.Errorf("%s (%v): %w", p.Contract.Name(), p.Target, err)
		}
	}
	return h, nil
}

// checker checks a program under one alias pattern.
type checker struct {
	*space
	m, orig   *vm
	post      *slots
	postSteps []step
	ensures   []int
	promised  []bool // parameters that the postcondition speaks about in a way that cannot be evaluated here
	open      bool   // there are some
	slow      bool   // the postcondition takes long to evaluate
	groups    map[string]*observation
}

// observation is what is the same in all runs from states that agree on public inputs and leaks.
type observation struct {
	trace uint64
	left  string
	state *state
}

func newChecker(p, original machine.Program, pat pattern, rng *rand.Rand) (*checker, error) {
	s, err := newSpace(p.Contract, pat, rng)
	if err != nil {
		return nil, err
	}
	k := &checker{space: s, groups: map[string]*observation{}}
	if k.m, err = newVM(p); err != nil {
		return nil, err
	}
	if k.orig, err = newVM(original); err != nil {
		return nil, err
	}
	k.promised = make([]bool, len(k.params))
	post := newCompiler()
	post.variable = s.variable(post)
	for _, t := range pat.Ensures() {
		i, err := post.term(t)
		if errors.Is(err, errTuple) {
			k.open = true
			free := logic.FreeVars(t)
			for j, q := range k.params {
				k.promised[j] = k.promised[j] || !q.Value &&
					slices.ContainsFunc(pat.After(q.Name), func(v logic.Term) bool { return slices.Contains(free, v) })
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		k.ensures = append(k.ensures, i)
	}
	k.post, k.postSteps, k.slow = post.slots(), post.steps, post.slow
	return k, nil
}

func (k *checker) check(n int, h *Harmless) error {
	k.witness()
	if ok, err := k.meets(); !ok || err != nil {
		return fmt.Errorf("the witness does not meet the precondition, or it cannot be evaluated: %w", errors.Join(err))
	}
	switch {
	case k.slow:
		n = (n + slowPart - 1) / slowPart
	case k.open: // a routine of thousands of instructions
		n = (n + 49) / 50
	}
	for i := range n {
		if i > 0 {
			// States come in groups that agree on what is public.
			if err := k.next(i%4 != 0); err != nil {
				return err
			}
		}
		if err := k.runState(i < slowRuns, i == 0, h); err != nil {
			return err
		}
		h.States++
	}
	return nil
}

func (k *checker) violation(format string, args ...any) error {
	return &Violation{fmt.Sprintf(format, args...), k.describe(k.cur)}
}

// describe prints a state.
func (k *checker) describe(s *state) string {
	var b strings.Builder
	for i, q := range k.params {
		switch {
		case q.Value:
			fmt.Fprintf(&b, " %s=%#x", q.Name, s.args[i])
		case q.Mode.Reads():
			data := s.mem[k.region[i]]
			if len(data) > 128 {
				fmt.Fprintf(&b, " %s=%x…", q.Name, data[:128])
			} else {
				fmt.Fprintf(&b, " %s=%x", q.Name, data)
			}
		}
	}
	if ns := k.pat.Names(); ns != nil {
		fmt.Fprintf(&b, " with %s", strings.Join(ns, " = "))
	}
	return strings.TrimSpace(b.String())
}

// runState runs the program on the current state, which may be the witness.
func (k *checker) runState(slow, witness bool, h *Harmless) error {
	m := k.m
	m.record = slow
	if err := m.start(k.space); err != nil {
		return k.violation("the run fails: %v", err)
	}
	for i, q := range k.params {
		if !q.Value && q.Mode.Returns() && slices.Contains(m.param[i].defined, false) {
			return k.violation("output %s is not written", q.Name)
		}
	}
	k.out = m
	if err := k.post.run(k.postSteps); err != nil {
		return err
	}
	for i, s := range k.ensures {
		if k.post.w[s].lo == 0 {
			return k.violation("ensures %d does not hold: %v", i, k.pat.Ensures()[i])
		}
	}
	if err := k.observe(); err != nil {
		return err
	}
	if slow {
		if err := k.compare(witness); err != nil {
			return err
		}
	}
	if err := k.orig.start(k.space); err != nil {
		return fmt.Errorf("the original: the run fails: %w", err)
	}
	h.Trace = h.Trace && m.trace == k.orig.trace
	for i, q := range k.params {
		if !q.Value && q.Mode.Returns() {
			same := slices.Equal(m.param[i].data, k.orig.param[i].data)
			if k.promised[i] && !same {
				return k.violation("output %s is not that of the original", q.Name)
			}
			h.Outputs = h.Outputs && same
		}
	}
	if k.open && m.result != k.orig.result {
		return k.violation("the result is not that of the original")
	}
	h.Outputs = h.Outputs && m.result == k.orig.result
	return nil
}

// observe compares the run with another one, from a state that agrees on public inputs and leaks.
func (k *checker) observe() error {
	m := k.m
	var left []byte
	add := func(s *segment) {
		for i, x := range s.data {
			if !s.defined[i] {
				x = 0
			}
			left = append(left, x)
		}
	}
	add(m.frame)
	for i, q := range k.params {
		if !q.Value && (q.Mode == machine.ModeScratch || q.Mode.Returns() && q.Public) {
			add(m.param[i])
		}
	}
	if _, public := k.contract.Result(); public {
		left = append(left, fmt.Sprint(m.result)...)
	}
	o := &observation{m.trace, string(left), k.cur}
	key := k.observed()
	first := k.groups[key]
	if first == nil {
		k.groups[key] = o
		return nil
	}
	if o.trace != first.trace {
		return k.violation("branches or addresses differ from those in the state %s, which has the same public inputs", k.describe(first.state))
	}
	if o.left != first.left {
		return k.violation("scratch memory, the frame or a public output differs from that in the state %s, which has the same public inputs", k.describe(first.state))
	}
	return nil
}

// input is the current state for machine.Run.
func (k *checker) input() machine.Input {
	in := machine.Input{Aliased: k.pat.Names(), Mem: map[string][]byte{}, Args: map[string]uint64{}}
	for i, q := range k.params {
		switch {
		case q.Value:
			in.Args[q.Name] = k.cur.args[i]
		case q.Mode.Reads():
			in.Mem[q.Name] = k.cur.mem[k.region[i]]
		}
	}
	return in
}

// compare compares the run with that of machine.Run, and the contract as it is evaluated here with machine.Check. That
// they differ is a fault of one of them.
func (k *checker) compare(witness bool) error {
	in := k.input()
	out, err := machine.Run(k.m.u.prog, in)
	if err != nil {
		return k.violation("the run fails: %v", err)
	}
	// What cannot be evaluated fast can be evaluated at all just for small numbers, as the witness has.
	if witness || !k.open && !k.space.open {
		if err := machine.Check(k.contract, in, &out); err != nil {
			return k.violation("%v", err)
		}
	}
	for i, q := range k.params {
		if !q.Value && q.Mode.Returns() && !slices.Equal(out.Mem[q.Name], k.m.param[i].data) {
			return fmt.Errorf("two ways to run it give %s different contents, %x and %x, in the state %s", q.Name, out.Mem[q.Name], k.m.param[i].data, k.describe(k.cur))
		}
	}
	if out.Result != k.m.result {
		return fmt.Errorf("two ways to run it give results %#x and %#x in the state %s", out.Result, k.m.result, k.describe(k.cur))
	}
	return k.compareTraces(out.Trace)
}

// compareTraces compares the trace with that of machine.Run, where regions are at other addresses: each access is as
// far from the first one in its region as there.
func (k *checker) compareTraces(trace []machine.Event) error {
	differ := len(trace) != len(k.m.events)
	moved := map[*segment]uint64{}
	for i, e := range k.m.events {
		if differ {
			break
		}
		f := trace[i]
		if !e.Branch {
			s, _, err := k.m.find(e.Addr, e.Width)
			if err != nil {
				continue // a frame that is gone, or a table of a routine
			}
			if _, ok := moved[s]; !ok {
				moved[s] = f.Addr - e.Addr
			}
			f.Addr -= moved[s]
		}
		differ = e != f
	}
	if differ {
		return fmt.Errorf("two ways to run it have different traces in the state %s", k.describe(k.cur))
	}
	return nil
}

// start runs the program on the current state of a space.
func (m *vm) start(s *space) error {
	m.regOK, m.flagOK = [numRegs]bool{}, [numFlags]bool{}
	m.result, m.resOK, m.steps, m.trace, m.depth = 0, false, 0, 0, 0
	m.segs, m.events = m.segs[:0], m.events[:0]
	m.args = map[string]uint64{}
	m.param = slices.Grow(m.param[:0], len(s.params))[:len(s.params)]
	for i, q := range s.params {
		r := s.region[i]
		if q.Value {
			m.args[q.Name] = s.cur.args[i]
			continue
		}
		if r == i {
			size := s.size(q)
			g := &segment{name: q.Name, base: regionBase(s.cur.layout, i, size)}
			if s.reads[i] {
				g.data, g.defined = s.cur.mem[i], allTrue(size)
			} else {
				g.data, g.defined = make([]byte, size), make([]bool, size)
			}
			m.param[i] = g
			m.segs = append(m.segs, g)
		}
		g := m.param[r]
		m.param[i] = g
		m.args[q.Name] = g.base
		if !g.writable && q.Mode != machine.ModeIn {
			g.writable = true
			g.data, g.defined = slices.Clone(g.data), slices.Clone(g.defined)
			if q.IsInt() && !s.reads[r] { // whatever is there, it is a number
				for j := range g.data {
					g.data[j], g.defined[j] = 0xa5, true
				}
			}
		}
	}
	m.enter(m.u)
	m.frame = m.segs[len(m.segs)-1]
	for i, r := range m.u.paramRegs {
		m.regs[r], m.regOK[r] = word{lo: m.args[s.params[i].Name]}, true
	}
	kept := m.keep(m.u)
	if err := m.run(m.u.code); err != nil {
		return err
	}
	if err := m.kept(m.u, kept); err != nil {
		return err
	}
	if m.u.result != "" && len(m.u.paramRegs) > 0 {
		m.result, m.resOK = m.regs[m.u.paramRegs[0]].lo, m.regOK[m.u.paramRegs[0]]
	}
	if m.u.result != "" && !m.resOK {
		return fmt.Errorf("the result %s is not set", m.u.result)
	}
	return nil
}

var trues = slices.Repeat([]bool{true}, 1<<13)

// allTrue is n times true, not to be modified.
func allTrue(n int) []bool {
	if n <= len(trues) {
		return trues[:n]
	}
	return slices.Repeat([]bool{true}, n)
}
