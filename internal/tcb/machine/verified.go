package machine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Verified is a handle on a verified function; only Verify makes one. The zero Verified is none.
type Verified struct{ v *verified }

// verified is not modified once Verify has returned.
type verified struct {
	prog      Program // a deep copy, made before the run
	functions []isa.Function
	tables    []Table
	axioms    map[string]bool
	stats     Stats
	chain     int               // bytes of stack along the deepest chain of calls
	zeroed    map[string][]bool // of each scratch parameter: bytes that are zero on return
}

// Stats counts what a verification did, over all alias patterns but for Instructions.
type Stats struct {
	Instructions int // of the function's code, calls and branches included, without its routines'
	Patterns     int
	Steps        int // instructions executed symbolically
	Obligations  int // theorems demanded
	Calls        int
	Loops        int
}

// Verify verifies a program against its contract with the theorems of pr. The error names the function, target,
// variant, alias pattern, position in the code and obligation.
func Verify(p Program, pr Prover) (Verified, error) {
	v := &verified{axioms: map[string]bool{}}
	if err := v.init(p); err != nil {
		return Verified{}, fmt.Errorf("%s (%v): %w", p.Contract.Name(), p.Target, err)
	}
	if pr == nil {
		pr = NoProof{}
	}
	for i, pat := range v.prog.Contract.Patterns() {
		e := newExec(&v.prog, pat, pr)
		if err := e.verify(v, i == 0); err != nil {
			return Verified{}, fmt.Errorf("%s: %w", e.where(), err)
		}
		v.stats.add(e.stats)
		maps.Copy(v.axioms, e.axioms)
	}
	for _, pat := range v.prog.Contract.Patterns() {
		if err := v.checkWitness(pat); err != nil {
			return Verified{}, fmt.Errorf("%s: witness: %w", describeRun(&v.prog, pat), err)
		}
	}
	return Verified{v}, nil
}

func (s *Stats) add(t Stats) {
	s.Patterns++
	s.Steps += t.Steps
	s.Obligations += t.Obligations
	s.Calls += t.Calls
	s.Loops += t.Loops
}

// init copies the program and checks what needs no run.
func (v *verified) init(p Program) error {
	t := p.Target.ops()
	switch {
	case t == nil:
		return errors.New("there is no such target")
	case p.Contract.IsZero():
		return errors.New("the contract is the zero Contract")
	case p.Frame < 0 || p.Frame > maxChain || p.Frame%t.frameAlign != 0:
		return fmt.Errorf("a frame of %d bytes: it must be a multiple of %d and small", p.Frame, t.frameAlign)
	}
	for _, r := range p.Variant {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return fmt.Errorf("variant %q: only lower-case letters and digits", p.Variant)
		}
	}
	k := &copier{t: t, features: slices.Clone(p.Features), loops: map[string]bool{}, sites: map[string]bool{}}
	code, err := k.copyCode(p.Code, 0)
	if err != nil {
		return err
	}
	v.prog = p
	v.prog.Code, v.prog.Features, v.prog.Preserves = code, k.features, slices.Clone(p.Preserves)
	v.stats.Instructions = k.instrs
	if v.prog.Tables, err = copyTables(p.Tables, p.Contract.Params()); err != nil {
		return err
	}
	v.chain = p.Frame + t.callBytes
	deepest := 0
	for _, c := range k.calls {
		deepest = max(deepest, c.chain)
		maps.Copy(v.axioms, c.axioms)
	}
	if v.chain += deepest; v.chain > maxChain {
		return fmt.Errorf("the deepest chain of calls needs %d bytes of stack, over %d", v.chain, maxChain)
	}
	if err := v.lower(k.calls); err != nil {
		return err
	}
	return v.checkRegisters(t)
}

func copyTables(ts []Table, params []Param) ([]Table, error) {
	r := slices.Clone(ts)
	for i := range r {
		t := &r[i]
		t.Data = slices.Clone(t.Data)
		taken := t.Name == FrameRegion || slices.ContainsFunc(params, func(p Param) bool { return p.Name == t.Name }) ||
			slices.ContainsFunc(r[:i], func(u Table) bool { return u.Name == t.Name })
		switch {
		case !contract.Ident(t.Name) || taken:
			return nil, fmt.Errorf("table %q: the name is no identifier, or taken", t.Name)
		case t.Elem < 1 || t.Elem > 64 || len(t.Data) == 0 || len(t.Data)%t.Elem != 0 || len(t.Data) > contract.MaxBytes:
			return nil, fmt.Errorf("table %s: %d bytes in elements of %d", t.Name, len(t.Data), t.Elem)
		}
	}
	return r, nil
}

// checkRegisters: a routine's parameters and what it claims to preserve.
func (v *verified) checkRegisters(t *target) error {
	c := v.prog.Contract
	for _, p := range c.Params() {
		if p.Name == FrameRegion {
			return fmt.Errorf("a parameter is called %s", FrameRegion)
		}
	}
	if !c.Internal() {
		if len(v.prog.Preserves) > 0 {
			return errors.New("a Go function preserves no registers")
		}
		return nil
	}
	lost := t.entryClobbers(v.functions[0])
	for i, p := range c.Params() {
		if r, ok := t.paramReg(i); !ok || slices.Contains(lost, r) {
			return fmt.Errorf("there is no register for parameter %s", p.Name)
		}
	}
	res, hasReg := t.paramReg(0)
	name, _ := c.Result()
	if name != "" && !hasReg {
		return errors.New("there is no register for the result")
	}
	for _, r := range v.prog.Preserves {
		if !slices.Contains(t.regs, r) || slices.Contains(lost, r) || name != "" && r == res {
			return fmt.Errorf("%s cannot be preserved", t.regName(r))
		}
	}
	return nil
}

// newExec is a run at the entry of the function.
func newExec(p *Program, pat contract.Pattern, pr Prover) *exec {
	e := &exec{core: core{p: p, t: p.Target.ops(), st: &state{}, value: map[string]logic.Term{}}, pat: pat, pr: pr, index: map[string]int{}, bases: map[logic.Term]int{}, sums: map[logic.Term]bool{},
		entry: map[isa.Reg]logic.Term{}, isFact: map[logic.Term]int{}, public: map[logic.Term]bool{}, isPub: map[logic.Term]bool{},
		loops: map[string]map[Loc]logic.Term{}, axioms: map[string]bool{}}
	for _, q := range p.Contract.Params() {
		switch {
		case q.Value:
			e.value[q.Name] = pat.Arg(q.Name)
			e.public[e.value[q.Name]] = true
		default:
			e.addParam(q)
		}
	}
	for _, t := range p.Tables {
		m := memory{cells: make([]cell, len(t.Data))}
		for o := 0; o < len(t.Data); o += t.Elem {
			m.store(o, t.Elem, constBytes(t.Data[o:o+t.Elem]))
		}
		e.addRegion(region{name: t.Name, size: len(t.Data)}, m)
	}
	e.addRegion(region{name: FrameRegion, size: p.Frame, writable: true, wipe: true, touched: make([]bool, p.Frame)}, memory{cells: make([]cell, p.Frame)})
	frame := e.regions[e.index[FrameRegion]].base
	e.st.regs[e.t.sp] = logic.BVAdd(frame, logic.BVNeg(logic.BVUint(64, uint64(e.t.frameDelta))))

	e.setParams()
	for _, r := range p.Preserves {
		if e.st.regs[r].IsZero() {
			e.st.regs[r] = e.fresh("entry."+e.t.regName(r), logic.BV(r.Width()), false)
		}
		e.entry[r] = e.st.regs[r]
	}
	for _, f := range pat.Requires() {
		e.assume(f)
	}
	return e
}

// addParam adds the region of a pointer parameter, or makes it share that of a parameter with which it coincides.
func (e *exec) addParam(q Param) {
	names := e.pat.Names()
	before := e.pat.Before(q.Name)
	ri := len(e.regions)
	if slices.Contains(names, q.Name) {
		for _, n := range names {
			if i, ok := e.index[n]; ok {
				ri = i
			}
		}
	}
	if ri == len(e.regions) {
		r := region{name: q.Name, size: q.Bytes, length: e.pat.Len(q), whole: q.IsInt()}
		var m memory
		if r.whole {
			m.whole = before[0]
			e.assumeBytes(before[0], &r)
		} else {
			m.cells = make([]cell, q.Bytes)
		}
		if q.Mode == contract.ModeScratch {
			r.wipe, r.touched = true, make([]bool, max(q.Bytes, 1))
		}
		e.addRegion(r, m)
	}
	e.index[q.Name], e.value[q.Name] = ri, e.regions[ri].base
	r, m := &e.regions[ri], &e.st.mem[ri]
	r.writable = r.writable || q.Mode != contract.ModeIn
	for i, v := range before {
		// What an output or scratch region holds before is secret; public contents of one name are public of all.
		e.public[v] = e.public[v] || q.Public && q.Mode.Reads()
		if q.Mode.Reads() && !r.whole {
			m.store(i*q.Elem, q.Elem, v)
		}
	}
}

// addRegion adds a region, its base variable and its layout facts.
func (e *exec) addRegion(r region, m memory) {
	r.base = e.fresh("&"+r.name, logic.BV(64), true)
	if r.length.IsZero() {
		r.length = logic.N(int64(r.size))
	}
	e.index[r.name], e.bases[r.base], e.value[r.name] = len(e.regions), len(e.regions), r.base
	e.regions, e.st.mem = append(e.regions, r), append(e.st.mem, m)
	e.assume(logic.Le(logic.Add(logic.Uint(r.base), r.length), logic.Pow2(64)))
}

// assumeBytes: v is a number of as many bytes as the region has.
func (e *exec) assumeBytes(v logic.Term, r *region) {
	end := contract.Pow256(r.length)
	if r.size > 0 {
		end = logic.Pow2(8 * r.size)
	}
	e.assume(logic.Ge0(v))
	e.assume(logic.Lt(v, end))
}

// verify runs the program and checks the state on return.
func (e *exec) verify(v *verified, first bool) error {
	if err := e.ask("begin", func() error { return e.pr.Begin(e.view()) }); err != nil {
		return err
	}
	if err := e.run(e.p.Code); err != nil {
		return err
	}
	return e.at("return", func() error { return e.ret(v, first) })
}

func (e *exec) ret(v *verified, first bool) error {
	final := map[logic.Term]logic.Term{}
	for _, q := range e.p.Contract.Params() {
		if q.Value || !q.Mode.Returns() {
			continue
		}
		m := &e.st.mem[e.index[q.Name]]
		for i, x := range e.pat.After(q.Name) {
			t := m.whole
			if !q.IsInt() {
				if t = m.load(i*q.Elem, q.Elem); t.IsZero() {
					return fmt.Errorf("output %s is not written at %d", q.Name, i*q.Elem)
				}
			}
			if q.Public {
				if err := e.requirePublic(t, "public output "+q.Name); err != nil {
					return err
				}
			}
			final[x] = t
		}
	}
	if res, public := e.p.Contract.Result(); res != "" {
		t := e.returned()
		if t.IsZero() {
			return fmt.Errorf("the result %s is undefined", res)
		}
		if public {
			if err := e.requirePublic(t, "public result "+res); err != nil {
				return err
			}
		}
		final[e.pat.Result()] = t
	}
	for _, r := range e.p.Preserves {
		if e.st.regs[r] != e.entry[r] {
			return fmt.Errorf("%s is not what it was on entry", e.t.regName(r))
		}
	}
	if err := e.upperClean(); err != nil {
		return err
	}
	if err := e.wiped(v, first); err != nil {
		return err
	}
	for i, f := range e.pat.Ensures() {
		if err := e.oblige(fmt.Sprintf("ensures %d", i), logic.Subst(f, final)); err != nil {
			return err
		}
	}
	return nil
}

// upperClean: the upper halves of vector registers are zero, or undefined because nothing was written to them since the
// entry or the last call. On amd64 that is what VZEROUPPER is for: elsewhere, code of the older encoding would be slow.
// Nothing but speed depends on it. (A proof could hide such a half by calling it dead in a loop.)
func (e *exec) upperClean() error {
	for _, r := range e.t.upper {
		if t := e.st.regs[r]; !t.IsZero() && t != logic.BVUint(r.Width(), 0) {
			return fmt.Errorf("%s is not zero", e.t.regName(r))
		}
	}
	return nil
}

// wiped: what held a secret is zero (logic.md 35).
func (e *exec) wiped(v *verified, first bool) error {
	for i := range e.regions {
		r, m := &e.regions[i], &e.st.mem[i]
		switch {
		case !r.wipe:
		case r.whole && r.touched[0]:
			if err := e.oblige(r.name+" held a secret and is zero", logic.Eq(m.whole, logic.N(0))); err != nil {
				return err
			}
		case !r.whole:
			for p, c := range m.cells {
				if r.touched[p] && !c.zero() {
					return fmt.Errorf("%s[%d] held a secret and is not zero", r.name, p)
				}
			}
		}
	}
	if first {
		v.zeroed = map[string][]bool{}
	}
	for _, q := range e.p.Contract.Params() {
		if q.Mode != contract.ModeScratch || q.IsInt() {
			continue
		}
		if first {
			v.zeroed[q.Name] = slices.Repeat([]bool{true}, q.Bytes)
		}
		for p, c := range e.st.mem[e.index[q.Name]].cells {
			v.zeroed[q.Name][p] = v.zeroed[q.Name][p] && c.zero()
		}
	}
	return nil
}

// ---- access; whatever is returned is a copy

func (v *verified) name() string { return v.prog.Contract.Name() }

// symbol is the function's name in assembly: its Go name and the variant in capitals.
func (v *verified) symbol() string { return v.name() + strings.ToUpper(v.prog.Variant) }

// IsZero tells the zero Verified, which is none.
func (v Verified) IsZero() bool { return v.v == nil }

// get makes the zero Verified an empty one.
func (v Verified) get() *verified {
	if v.v == nil {
		return &verified{}
	}
	return v.v
}

// Name is the function's Go name, without variant.
func (v Verified) Name() string { return v.get().name() }

// Symbol is the function's name in assembly: Name and, in capitals, the variant.
func (v Verified) Symbol() string { return v.get().symbol() }

// Doc is the contract's documentation.
func (v Verified) Doc() string { return v.get().prog.Contract.Doc() }

// Target is the instruction set.
func (v Verified) Target() Target { return v.get().prog.Target }

// Variant names the CPU-feature variant, "" for the baseline.
func (v Verified) Variant() string { return v.get().prog.Variant }

// Features lists the CPU features that the code may use.
func (v Verified) Features() []string { return slices.Clone(v.get().prog.Features) }

// Contract is what was verified.
func (v Verified) Contract() Contract { return v.get().prog.Contract }

// Axioms lists the axioms that the theorems rest on, those of its routines included.
func (v Verified) Axioms() []string { return slices.Sorted(maps.Keys(v.get().axioms)) }

// Stats counts what the verification did.
func (v Verified) Stats() Stats { return v.get().stats }

// Stack is the number of bytes of stack along the deepest chain of calls.
func (v Verified) Stack() int { return v.get().chain }

// Functions are the function and its routines, lowered; the function is the first, and each routine is there once.
func (v Verified) Functions() []isa.Function {
	r := slices.Clone(v.get().functions)
	for i := range r {
		r[i].Args = slices.Clone(r[i].Args)
		r[i].Lines = slices.Clone(r[i].Lines)
		for j, l := range r[i].Lines {
			if l.Branch != nil {
				b := *l.Branch
				r[i].Lines[j].Branch = &b
			}
		}
	}
	return r
}

// Tables are the tables of the function and its routines.
func (v Verified) Tables() []Table {
	r := slices.Clone(v.get().tables)
	for i := range r {
		r[i].Data = slices.Clone(r[i].Data)
	}
	return r
}

// Program is what was verified, for Run and for mutation.
func (v Verified) Program() Program {
	p := v.get().prog
	if v.v == nil {
		return p
	}
	k := &copier{t: p.Target.ops(), features: p.Features, loops: map[string]bool{}, sites: map[string]bool{}}
	p.Code, _ = k.copyCode(p.Code, 0) // it was accepted once
	p.Features, p.Preserves = slices.Clone(p.Features), slices.Clone(p.Preserves)
	p.Tables, _ = copyTables(p.Tables, nil)
	return p
}
