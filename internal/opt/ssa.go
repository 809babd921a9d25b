// Package opt turns straight-line code over virtual registers into instructions of a target: it removes dead code,
// schedules, assigns registers, and scores the result on a model of a microarchitecture.
//
// The package is untrusted. What a program means is what the target's Step makes of its instructions (Prog.Eval); the
// terms that the finished code leaves in memory are the same, pointer for pointer, so a proof about the program is one
// about the code, however it was scheduled.
//
// # Programs
//
// A Prog is in static single assignment form: every value, a 64-bit word, has one definition. Besides values there are
// exclusive resources, such as the carry flag, of which only one content can be alive at a time. An instruction names
// the instruction whose content of a resource it reads. Inputs are words of memory that pointer parameters lead to;
// they and constants have no defining instruction, since the allocator can recreate them at any place.
package opt

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
)

// V is a value of a program.
type V int32

const (
	// None is no value.
	None V = -1
	// Zero reads as 0 on targets that have a zero register.
	Zero V = -2
)

// numRes is the largest number of resources of a target.
const numRes = 2

// Class is a target's name for instructions that cost the same.
type Class uint8

// Form is an instruction form: how to make an instruction from registers, and what the passes need to know of it.
type Form struct {
	Name   string // unique in the target, constants included
	Dst    int    // number of values it defines
	Src    int    // number of values it reads
	Class  Class
	Reads  uint8 // bit set of resources
	Defs   uint8 // resources whose new content may be used
	Clobs  uint8 // resources destroyed; includes Defs
	Tied   bool  // the first destination is the register of the first source
	Swaps  bool  // the first two sources may change places
	MemSrc int   // 1 + the number of the source that may be in memory, 0 for none
	// NoResult makes a tied form destroy the register of its first source without defining a value.
	NoResult bool

	Emit    func(d, s []isa.Reg) []isa.Instr
	EmitMem func(d, s []isa.Reg, m Addr) []isa.Instr // source MemSrc−1 is the word at m
	// Flagless is the form to use when no resource that it defines is read. Optional.
	Flagless *Form
}

// Addr is an address in a register with an offset.
type Addr struct {
	Base isa.Reg
	Off  int
}

// Mem is a word in memory that a pointer parameter leads to.
type Mem struct {
	Param int
	Off   int
}

// Ins is an instruction of a program. A store has Form nil; it stores S[0] at Mem.
type Ins struct {
	Form  *Form
	D, S  []V
	Use   [numRes]int32 // per resource the instruction whose content is read, or −1
	Mem   Mem
	After []int32 // instructions that must come before, besides those that define what is used
	Block int32
}

func (in *Ins) store() bool { return in.Form == nil }

// origin says how to recreate a value: a constant or an input.
type origin struct {
	input bool
	word  uint64
	mem   Mem
}

// Block is a group of instructions with a meaning: an operation of the algorithm. Proofs go block by block.
type Block struct {
	Name  string         // unique in the program
	Kind  string         // the operation
	In    [][]V          // operands, words least significant first
	Out   []V            // the result
	Marks map[string][]V // intermediate values by name
}

// Prog is a program.
type Prog struct {
	Target *Target
	Params []string // names of the pointer parameters; spills go to the last one
	Ins    []Ins
	Blocks []Block

	numV   int
	over   map[V]bool // inputs where a result may be stored by now
	origin map[V]origin
	consts map[uint64]V
	inputs map[Mem]V
}

// Target is what the passes need of an instruction set.
type Target struct {
	Name     string
	Step     func(isa.CPU, isa.Instr) error
	Regs     []isa.Reg // free for values and pointers
	Param    func(int) (isa.Reg, bool)
	RegName  func(isa.Reg) string
	HasZero  bool // Zero may be a source, as register ZeroReg
	ZeroReg  isa.Reg
	Res      []Resource
	LoadOp   Class
	StoreOp  Class
	MoveOp   Class
	ConstOp  Class
	Load     func(d isa.Reg, m Addr) isa.Instr
	Store    func(m Addr, s isa.Reg) isa.Instr
	Move     func(d, s isa.Reg) isa.Instr
	Constant func(d isa.Reg, w uint64) []isa.Instr
}

// Resource is a flag or a register that instructions use without naming it.
type Resource struct {
	Name  string
	Flag  isa.Flag
	Reg   isa.Reg
	IsReg bool
}

// NewProg starts a program.
func NewProg(t *Target, params ...string) *Prog {
	return &Prog{Target: t, Params: slices.Clone(params),
		over: map[V]bool{}, origin: map[V]origin{}, consts: map[uint64]V{}, inputs: map[Mem]V{}}
}

// NumValues is the number of values: they are 0, …, NumValues−1.
func (p *Prog) NumValues() int { return p.numV }

func (p *Prog) newV() V {
	p.numV++
	return V(p.numV - 1)
}

// Begin starts a block. Instructions belong to the last block that was started.
func (p *Prog) Begin(name, kind string, in ...[]V) {
	b := Block{Name: name, Kind: kind, Marks: map[string][]V{}}
	for _, x := range in {
		b.In = append(b.In, slices.Clone(x))
	}
	p.Blocks = append(p.Blocks, b)
}

// Mark names values of the current block.
func (p *Prog) Mark(name string, vs ...V) {
	p.Blocks[len(p.Blocks)-1].Marks[name] = slices.Clone(vs)
}

// End gives the result of the current block. The block goes on until the next Begin.
func (p *Prog) End(out []V) []V {
	p.Blocks[len(p.Blocks)-1].Out = slices.Clone(out)
	return out
}

// Block finds a block by name.
func (p *Prog) Block(name string) (Block, bool) {
	i := slices.IndexFunc(p.Blocks, func(b Block) bool { return b.Name == name })
	if i < 0 {
		return Block{}, false
	}
	return p.Blocks[i], true
}

// Const is a constant.
func (p *Prog) Const(w uint64) V {
	v, ok := p.consts[w]
	if !ok {
		v = p.newV()
		p.consts[w] = v
		p.origin[v] = origin{word: w}
	}
	return v
}

// ConstOf tells that v is a constant, and which.
func (p *Prog) ConstOf(v V) (uint64, bool) {
	if v == Zero {
		return 0, true
	}
	o, ok := p.origin[v]
	return o.word, ok && !o.input
}

// Input is the word at offset off of what a parameter points to, as it is at the start.
func (p *Prog) Input(param, off int) V {
	m := Mem{param, off}
	v, ok := p.inputs[m]
	if !ok {
		v = p.newV()
		p.inputs[m] = v
		p.origin[v] = origin{input: true, mem: m}
	}
	return v
}

// InputOf tells that v is an input, and where it comes from.
func (p *Prog) InputOf(v V) (Mem, bool) {
	o, ok := p.origin[v]
	return o.mem, ok && o.input
}

// Content is the content of a resource: the number of the instruction that defined it.
type Content int32

// NoContent is none.
const NoContent Content = -1

// Add appends an instruction and returns the values it defines. use is what it reads of the resource in f.Reads, of
// which there is one at most. The second result stands for the resources that it defines.
func (p *Prog) Add(f *Form, use Content, s ...V) ([]V, Content) {
	if len(s) != f.Src {
		panic(fmt.Sprintf("opt: %s has %d sources, not %d", f.Name, f.Src, len(s)))
	}
	for _, v := range s {
		if p.over[v] {
			panic(fmt.Sprintf("opt: %s uses an input after a store over it", f.Name))
		}
	}
	in := Ins{Form: f, S: slices.Clone(s), Block: int32(len(p.Blocks) - 1)}
	for r := range in.Use {
		in.Use[r] = -1
		if f.Reads&(1<<r) != 0 {
			if use < 0 {
				panic(fmt.Sprintf("opt: %s reads a resource without content", f.Name))
			}
			in.Use[r] = int32(use)
		}
	}
	for range f.Dst {
		in.D = append(in.D, p.newV())
	}
	p.Ins = append(p.Ins, in)
	return in.D, Content(len(p.Ins) - 1)
}

// Store appends a store of v at offset off of what a parameter points to. It comes after all uses of the words of
// params over at the same offset: those of the parameters that may be the same memory. No such use may be added later.
func (p *Prog) Store(v V, param, off int, over ...int) {
	if p.over[v] {
		panic("opt: an input is stored after a store over it")
	}
	in := Ins{S: []V{v}, Mem: Mem{param, off}, Block: int32(len(p.Blocks) - 1)}
	for r := range in.Use {
		in.Use[r] = -1
	}
	for _, o := range over {
		old, ok := p.inputs[Mem{o, off}]
		if !ok {
			continue
		}
		p.over[old] = true
		for i := range p.Ins {
			if slices.Contains(p.Ins[i].S, old) {
				in.After = append(in.After, int32(i))
			}
		}
	}
	p.Ins = append(p.Ins, in)
}

// Clean removes instructions whose results are not used and takes the flagless forms where the flags are not used.
// Values of marks that nothing else uses disappear with their instructions; see Values.
func (p *Prog) Clean() {
	live := make([]bool, len(p.Ins))
	usedV := make([]bool, p.numV)
	usedRes := make([]bool, len(p.Ins))
	for i := len(p.Ins) - 1; i >= 0; i-- {
		in := &p.Ins[i]
		live[i] = in.store() || usedRes[i] || slices.ContainsFunc(in.D, func(d V) bool { return usedV[d] })
		if !live[i] {
			continue
		}
		for _, s := range in.S {
			if s >= 0 {
				usedV[s] = true
			}
		}
		for _, u := range in.Use {
			if u >= 0 {
				usedRes[u] = true
			}
		}
	}
	at := make([]int32, len(p.Ins))
	var out []Ins
	for i, in := range p.Ins {
		if !live[i] {
			at[i] = -1
			continue
		}
		at[i] = int32(len(out))
		for r, u := range in.Use {
			if u >= 0 {
				in.Use[r] = at[u]
			}
		}
		var after []int32
		for _, a := range in.After {
			if at[a] >= 0 {
				after = append(after, at[a])
			}
		}
		in.After = after
		if !in.store() && !usedRes[i] && in.Form.Flagless != nil {
			in.Form = in.Form.Flagless
		}
		out = append(out, in)
	}
	p.Ins = out
}

// Text lists the program: what Hash is taken of.
func (p *Prog) Text() []string {
	text := []string{fmt.Sprint(p.Target.Name, p.Params)}
	word := func(v V) string {
		switch o, ok := p.origin[v]; {
		case v == Zero:
			return "zero"
		case ok && o.input:
			return fmt.Sprintf("%s[%d]", p.Params[o.mem.Param], o.mem.Off)
		case ok:
			return fmt.Sprintf("%#x", o.word)
		}
		return fmt.Sprintf("v%d", v)
	}
	words := func(vs []V) (s string) {
		for _, v := range vs {
			s += " " + word(v)
		}
		return s
	}
	for _, in := range p.Ins {
		if in.store() {
			to := p.Params[in.Mem.Param]
			text = append(text, fmt.Sprintf("store %s[%d]%s after %v", to, in.Mem.Off, words(in.S), in.After))
			continue
		}
		text = append(text, fmt.Sprintf("%s%s =%s %v", in.Form.Name, words(in.D), words(in.S), in.Use))
	}
	return text
}

// Hash identifies the program: it changes with every instruction, operand and dependence (64-bit FNV-1a of Text).
func (p *Prog) Hash() uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, line := range p.Text() {
		for _, c := range []byte(line + "\n") {
			h = (h ^ uint64(c)) * 0x100000001b3
		}
	}
	return h
}
