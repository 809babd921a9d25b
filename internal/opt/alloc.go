package opt

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
)

// AllocKey are the parameters of the allocator.
type AllocKey struct {
	// Near: a value in memory whose next use after this one is at most Near instructions away is loaded into a register
	// and not read from memory.
	Near int
	// Stored is by how many percent farther away a value in memory counts than one that must be stored first.
	Stored int
	// Consts: a constant that loses its register is stored, like other values, if at least Consts uses are to come. 0
	// means that it is made again each time.
	Consts int
	// Pointers: if not 0, pointers to inputs lose their registers like values do. An input is then loaded through a
	// pointer that is loaded for it, and keeps its register if it is used again within Pointers instructions.
	Pointers int
}

// Placed is an instruction of finished code with what the simulator needs to know.
type Placed struct {
	Instr       isa.Instr
	Class       Class
	reads       []isa.Reg
	writes      []isa.Reg
	resReads    uint8
	resWrites   uint8
	load, store int32 // word of memory, or −1
	memSrc      bool  // load is an operand
	cont        bool  // continues the instruction before: counted with it
}

// Code is finished code.
type Code struct {
	Prog   *Prog
	Order  []int32
	Key    AllocKey
	Placed []Placed
	Spills int // stores of values
	Loads  int // loads of values, and constants made
	Moves  int
	Slots  int // words of the spill area
}

// Instrs are the instructions.
func (c *Code) Instrs() []isa.Instr {
	is := make([]isa.Instr, len(c.Placed))
	for i, p := range c.Placed {
		is[i] = p.Instr
	}
	return is
}

// SpillBytes is the size of the spill area, which the last parameter points to.
func (c *Code) SpillBytes() int { return 8 * c.Slots }

// allocator assigns registers along an order. When it needs one, it takes that of the value whose next use is farthest
// away (Belady's rule). Results' pointers wait in the spill area until the first store, and pointers to inputs are given
// up after the last use of an input.
type allocator struct {
	p     *Prog
	t     *Target
	code  *Code
	key   AllocKey
	n     int
	now   int
	uses  [][]int32 // places where a value is used
	next  []int     // index of the next use
	reg   []int16   // index in t.Regs, −1 for none
	slot  []int32   // word of the spill area, −1 for none
	owner []V       // by register; pointers are pointerOwner − parameter
	free  []int32   // free slots
	turn  int       // registers are taken in turn

	pinned    []V
	pinnedPtr []int // parameters whose pointers the current instruction needs
	pinReg    int16
	pointer   []int16 // register of a parameter's pointer, −1 for none
	ptrSlot   []int32
	lastUse   []int // of the inputs of a parameter
	ptrUses   [][]int
}

const (
	noOwner      V = -1
	pointerOwner V = -10
)

// Allocate makes code from a program and an order that Valid accepts.
func Allocate(p *Prog, order []int32, key AllocKey) (*Code, error) {
	if !p.Valid(order) {
		return nil, fmt.Errorf("opt: the order does not fit the program")
	}
	return allocate(p, order, key)
}

func allocate(p *Prog, order []int32, key AllocKey) (*Code, error) {
	a := &allocator{p: p, t: p.Target, key: key, n: len(order), pinReg: -1}
	a.code = &Code{Prog: p, Order: order, Key: key}
	a.uses = make([][]int32, p.numV)
	a.next = make([]int, p.numV)
	a.reg = make([]int16, p.numV)
	a.slot = make([]int32, p.numV)
	for i := range a.reg {
		a.reg[i], a.slot[i] = -1, -1
	}
	a.owner = make([]V, len(a.t.Regs))
	for i := range a.owner {
		a.owner[i] = noOwner
	}
	a.lastUse = make([]int, len(p.Params))
	a.ptrUses = make([][]int, len(p.Params))
	for i := range a.lastUse {
		a.lastUse[i] = -1
	}
	for k, i := range order {
		for q, s := range p.Ins[i].S {
			if s < 0 || slices.Contains(p.Ins[i].S[:q], s) {
				continue
			}
			a.uses[s] = append(a.uses[s], int32(k))
			if o := p.origin[s]; o.input {
				a.lastUse[o.mem.Param] = k
				a.ptrUses[o.mem.Param] = append(a.ptrUses[o.mem.Param], k)
			}
		}
	}
	if err := a.entry(); err != nil {
		return nil, err
	}
	for k, i := range order {
		a.now = k
		if err := a.place(&p.Ins[i]); err != nil {
			return nil, fmt.Errorf("opt: instruction %d: %w", i, err)
		}
		for q := range p.Params {
			if a.lastUse[q] == k && a.pointer[q] >= 0 && q != a.tmp() {
				a.owner[a.pointer[q]] = noOwner
				a.pointer[q] = -1
			}
		}
	}
	return a.code, nil
}

// tmp is the parameter that points to the spill area.
func (a *allocator) tmp() int { return len(a.p.Params) - 1 }

// entry puts the pointers where they stay.
func (a *allocator) entry() error {
	a.pointer = make([]int16, len(a.p.Params))
	a.ptrSlot = make([]int32, len(a.p.Params))
	where := make([]isa.Reg, len(a.p.Params))
	for i := range a.p.Params {
		a.ptrSlot[i] = -1
		r, ok := a.t.Param(i)
		if !ok {
			return fmt.Errorf("opt: there is no parameter %d", i)
		}
		where[i] = r
		a.pointer[i] = int16(slices.Index(a.t.Regs, r))
		if a.pointer[i] >= 0 {
			a.owner[a.pointer[i]] = pointerOwner - V(i)
		}
	}
	for i, r := range where {
		if a.pointer[i] >= 0 {
			continue
		}
		// The register is not for values.
		d := a.firstFree()
		if d < 0 {
			return fmt.Errorf("opt: no register for pointer %d", i)
		}
		a.pointer[i], a.owner[d] = d, pointerOwner-V(i)
		a.emitMove(a.t.Regs[d], r)
	}
	for i := range a.p.Params {
		if i == a.tmp() || a.lastUse[i] >= 0 {
			continue
		}
		// A pointer to results only.
		a.ptrSlot[i] = a.newSlot()
		if err := a.emitStore(a.pointer[i], Mem{a.tmp(), 8 * int(a.ptrSlot[i])}); err != nil {
			return err
		}
		a.owner[a.pointer[i]] = noOwner
		a.pointer[i] = -1
	}
	return nil
}

func (a *allocator) newSlot() int32 {
	if k := len(a.free); k > 0 {
		s := a.free[k-1]
		a.free = a.free[:k-1]
		return s
	}
	a.code.Slots++
	return int32(a.code.Slots - 1)
}

func (a *allocator) emit(p Placed) {
	a.code.Placed = append(a.code.Placed, p)
}

// word numbers the words of memory.
func word(m Mem) int32 { return int32(m.Param)<<8 + int32(m.Off/8) + 1 }

func (a *allocator) addr(m Mem) (Addr, error) {
	if a.pointer[m.Param] < 0 {
		return Addr{}, fmt.Errorf("the pointer %s is gone", a.p.Params[m.Param])
	}
	return Addr{a.t.Regs[a.pointer[m.Param]], m.Off}, nil
}

func (a *allocator) emitStore(r int16, m Mem) error {
	ad, err := a.addr(m)
	if err != nil {
		return err
	}
	s := a.t.Regs[r]
	a.emit(Placed{Instr: a.t.Store(ad, s), Class: a.t.StoreOp, reads: []isa.Reg{s, ad.Base}, load: -1, store: word(m)})
	return nil
}

func (a *allocator) emitLoad(r int16, m Mem) error {
	ad, err := a.addr(m)
	if err != nil {
		return err
	}
	d := a.t.Regs[r]
	in := a.t.Load(d, ad)
	a.emit(Placed{Instr: in, Class: a.t.LoadOp, reads: []isa.Reg{ad.Base}, writes: []isa.Reg{d}, load: word(m), store: -1})
	a.code.Loads++
	return nil
}

func (a *allocator) emitMove(d, s isa.Reg) {
	in := a.t.Move(d, s)
	a.emit(Placed{Instr: in, Class: a.t.MoveOp, reads: []isa.Reg{s}, writes: []isa.Reg{d}, load: -1, store: -1})
	a.code.Moves++
}

func (a *allocator) nextUse(v V) int {
	if a.next[v] < len(a.uses[v]) {
		return int(a.uses[v][a.next[v]])
	}
	return a.n + 1
}

// dies tells that the current use of v is the last.
func (a *allocator) dies(v V) bool { return a.next[v]+1 >= len(a.uses[v]) }

// home is where v is in memory.
func (a *allocator) home(v V) (Mem, bool) {
	if a.slot[v] >= 0 {
		return Mem{a.tmp(), 8 * int(a.slot[v])}, true
	}
	if o := a.p.origin[v]; o.input {
		return o.mem, true
	}
	return Mem{}, false
}

func (a *allocator) isConst(v V) bool {
	_, ok := a.p.ConstOf(v)
	return ok
}

// keepConst tells that the constant v is worth a store.
func (a *allocator) keepConst(v V) bool {
	return a.key.Consts > 0 && len(a.uses[v])-a.next[v] >= a.key.Consts
}

func (a *allocator) firstFree() int16 {
	n := len(a.owner)
	for k := range n {
		if r := (a.turn + k) % n; a.owner[r] == noOwner && int16(r) != a.pinReg {
			a.turn = r + 1
			return int16(r)
		}
	}
	return -1
}

// take makes a register free.
func (a *allocator) take() (int16, error) {
	if r := a.firstFree(); r >= 0 {
		return r, nil
	}
	best, far := -1, -1
	for r, v := range a.owner {
		if v < 0 || int16(r) == a.pinReg || slices.Contains(a.pinned, v) {
			continue
		}
		u := (a.nextUse(v) - a.now) * 100
		if _, stored := a.home(v); stored || a.isConst(v) {
			u = u*(100+a.key.Stored)/100 + 500
		}
		if u > far {
			best, far = r, u
		}
	}
	if r, ok := a.farPointer(far); ok {
		return r, a.spillPointer(r)
	}
	if best < 0 {
		return 0, fmt.Errorf("no register is left")
	}
	v := a.owner[best]
	if _, stored := a.home(v); !stored && (!a.isConst(v) || a.keepConst(v)) {
		a.slot[v] = a.newSlot()
		if err := a.emitStore(int16(best), Mem{a.tmp(), 8 * int(a.slot[v])}); err != nil {
			return 0, err
		}
		a.code.Spills++
	}
	a.reg[v] = -1
	a.owner[best] = noOwner
	return int16(best), nil
}

// nextPtrUse is the distance to the next use of an input of the parameter, after the current instruction.
func (a *allocator) nextPtrUse(param int) int {
	for _, k := range a.ptrUses[param] {
		if k > a.now {
			return k - a.now
		}
	}
	return a.n
}

// farPointer finds a pointer to inputs that is needed later than far, in hundredths of an instruction.
func (a *allocator) farPointer(far int) (int16, bool) {
	if a.key.Pointers == 0 {
		return 0, false
	}
	for q, r := range a.pointer {
		if q == a.tmp() || r < 0 || r == a.pinReg || len(a.ptrUses[q]) == 0 || slices.Contains(a.pinnedPtr, q) {
			continue
		}
		if a.nextPtrUse(q)*100 > far {
			return r, true
		}
	}
	return 0, false
}

// spillPointer frees the register of a pointer.
func (a *allocator) spillPointer(r int16) error {
	q := int(pointerOwner - a.owner[r])
	if a.ptrSlot[q] < 0 {
		a.ptrSlot[q] = a.newSlot()
		if err := a.emitStore(r, Mem{a.tmp(), 8 * int(a.ptrSlot[q])}); err != nil {
			return err
		}
		a.code.Spills++
	}
	a.pointer[q], a.owner[r] = -1, noOwner
	return nil
}

// loadThrough loads the word at m into r when the pointer is in the spill area.
func (a *allocator) loadThrough(r int16, m Mem) error {
	at := Mem{a.tmp(), 8 * int(a.ptrSlot[m.Param])}
	if a.nextPtrUse(m.Param) > a.key.Pointers {
		if err := a.emitLoad(r, at); err != nil {
			return err
		}
		d := a.t.Regs[r]
		in := a.t.Load(d, Addr{d, m.Off})
		a.emit(Placed{Instr: in, Class: a.t.LoadOp, reads: []isa.Reg{d}, writes: []isa.Reg{d}, load: word(m), store: -1})
		a.code.Loads++
		return nil
	}
	pin := a.pinReg
	a.pinReg = r
	q, err := a.take()
	a.pinReg = pin
	if err == nil {
		err = a.emitLoad(q, at)
	}
	if err != nil {
		return err
	}
	a.pointer[m.Param], a.owner[q] = q, pointerOwner-V(m.Param)
	return a.emitLoad(r, m)
}

// fetch puts v into register r, without giving it to v.
func (a *allocator) fetch(v V, r int16) error {
	if m, ok := a.home(v); ok {
		if a.pointer[m.Param] < 0 && a.ptrSlot[m.Param] >= 0 {
			return a.loadThrough(r, m)
		}
		return a.emitLoad(r, m)
	}
	w, ok := a.p.ConstOf(v)
	if !ok {
		return fmt.Errorf("value %d is lost", v)
	}
	d := a.t.Regs[r]
	for _, in := range a.t.Constant(d, w) {
		a.emit(Placed{Instr: in, Class: a.t.ConstOp, writes: []isa.Reg{d}, load: -1, store: -1})
	}
	a.code.Loads++
	return nil
}

// load makes sure that v is in a register.
func (a *allocator) load(v V) error {
	if v == Zero || a.reg[v] >= 0 {
		return nil
	}
	r, err := a.take()
	if err == nil {
		err = a.fetch(v, r)
	}
	a.reg[v], a.owner[r] = r, v
	return err
}

func (a *allocator) regOf(v V) isa.Reg {
	if v == Zero {
		return a.t.ZeroReg
	}
	return a.t.Regs[a.reg[v]]
}

// release ends the current use of the sources. Slots of dying values may be operands of the instruction, and become free
// after it only.
func (a *allocator) release(s []V) (slots []int32) {
	for q, v := range s {
		if v < 0 || slices.Contains(s[:q], v) {
			continue
		}
		if a.next[v]++; a.next[v] < len(a.uses[v]) {
			continue
		}
		if a.reg[v] >= 0 {
			a.owner[a.reg[v]] = noOwner
			a.reg[v] = -1
		}
		if a.slot[v] >= 0 {
			slots = append(slots, a.slot[v])
			a.slot[v] = -1
		}
	}
	return slots
}

// place makes an instruction.
func (a *allocator) place(in *Ins) error {
	a.pinned, a.pinnedPtr, a.pinReg = a.pinned[:0], a.pinnedPtr[:0], -1
	for _, s := range in.S {
		if s >= 0 {
			a.pinned = append(a.pinned, s)
		}
	}
	if in.store() {
		return a.placeStore(in)
	}
	f := in.Form
	s := slices.Clone(in.S)
	if f.Swaps && a.better(s[1], s[0]) {
		s[0], s[1] = s[1], s[0]
	}
	mem := a.memorySource(f, s)
	if mem >= 0 {
		home, _ := a.home(s[mem])
		a.pinnedPtr = append(a.pinnedPtr, home.Param)
	}
	for q, v := range s {
		if q == mem || q == 0 && f.Tied {
			continue
		}
		if err := a.load(v); err != nil {
			return err
		}
	}
	regs := make([]isa.Reg, len(s))
	tied := int16(-1)
	if f.Tied {
		var err error
		if tied, err = a.placeTied(s[0]); err != nil {
			return err
		}
		regs[0] = a.t.Regs[tied]
		a.pinReg = tied
	}
	for q, v := range s {
		switch {
		case q == mem || q == 0 && f.Tied:
		case q > 0 && f.Tied && v == s[0] && (v < 0 || a.reg[v] < 0 || a.reg[v] == tied):
			regs[q] = regs[0]
		default:
			regs[q] = a.regOf(v)
		}
	}
	var m Addr
	var mw int32 = -1
	if mem >= 0 {
		home, _ := a.home(s[mem])
		var err error
		if m, err = a.addr(home); err != nil {
			return err
		}
		mw = word(home)
	}
	slots := a.release(s)
	a.pinned = a.pinned[:0]
	ds := make([]isa.Reg, 0, 2)
	if f.NoResult {
		ds = append(ds, regs[0])
	}
	for q, d := range in.D {
		r := tied
		if q > 0 || !f.Tied {
			var err error
			if r, err = a.take(); err != nil {
				return err
			}
			a.pinReg = r
		}
		ds = append(ds, a.t.Regs[r])
		if len(a.uses[d]) > 0 {
			a.reg[d], a.owner[r] = r, d
			a.pinned = append(a.pinned, d)
		}
	}
	var instrs []isa.Instr
	if mem >= 0 {
		instrs = f.EmitMem(ds, regs, m)
	} else {
		instrs = f.Emit(ds, regs)
	}
	for k, i := range instrs {
		p := Placed{Instr: i, Class: f.Class, load: -1, store: -1, cont: k > 0}
		if k == 0 {
			for q, r := range regs {
				if q != mem && !(a.t.HasZero && r == a.t.ZeroReg) {
					p.reads = append(p.reads, r)
				}
			}
			p.writes, p.resReads, p.resWrites, p.load, p.memSrc = ds, f.Reads, f.Defs, mw, mem >= 0
			if mem >= 0 {
				p.reads = append(p.reads, m.Base)
			}
		}
		a.emit(p)
	}
	a.free = append(a.free, slots...)
	return nil
}

// better tells that x is a better first source of a tied form than y.
func (a *allocator) better(x, y V) bool {
	score := func(v V) int {
		switch {
		case v < 0:
			return -1
		case a.reg[v] >= 0 && a.dies(v):
			return 3
		case a.reg[v] >= 0:
			return 1
		case a.dies(v):
			return 0
		}
		return -1
	}
	return x != y && score(x) > score(y)
}

// memorySource is the number of the source that is read from memory, or −1.
func (a *allocator) memorySource(f *Form, s []V) int {
	k := f.MemSrc - 1
	if k < 0 || s[k] < 0 || a.reg[s[k]] >= 0 {
		return -1
	}
	for q, v := range s {
		if q != k && v == s[k] {
			return -1
		}
	}
	m, ok := a.home(s[k])
	if !ok || a.pointer[m.Param] < 0 {
		return -1
	}
	after := a.n + 1
	if i := a.next[s[k]] + 1; i < len(a.uses[s[k]]) {
		after = int(a.uses[s[k]][i])
	}
	if after-a.now > a.key.Near || !slices.Contains(a.owner, noOwner) {
		return k
	}
	return -1
}

// placeTied puts v into a register that the instruction may change.
func (a *allocator) placeTied(v V) (int16, error) {
	if v >= 0 && a.reg[v] >= 0 && a.dies(v) {
		return a.reg[v], nil
	}
	r, err := a.take()
	if err != nil {
		return 0, err
	}
	if v < 0 || a.reg[v] < 0 {
		return r, a.fetch(v, r)
	}
	a.emitMove(a.t.Regs[r], a.t.Regs[a.reg[v]])
	return r, nil
}

func (a *allocator) placeStore(in *Ins) error {
	if err := a.load(in.S[0]); err != nil {
		return err
	}
	q := in.Mem.Param
	if a.pointer[q] < 0 {
		if a.ptrSlot[q] < 0 {
			return fmt.Errorf("%s has no pointer left", a.p.Params[q])
		}
		r, err := a.take()
		if err != nil {
			return err
		}
		if err := a.emitLoad(r, Mem{a.tmp(), 8 * int(a.ptrSlot[q])}); err != nil {
			return err
		}
		a.pointer[q], a.owner[r] = r, pointerOwner-V(q)
	}
	if err := a.emitStore(a.reg[in.S[0]], in.Mem); err != nil {
		return err
	}
	a.free = append(a.free, a.release(in.S)...)
	return nil
}
