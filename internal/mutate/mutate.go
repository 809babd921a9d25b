// Package mutate tests the prover: it makes small changes to the code of verified functions, as a slip of the pen or a
// bug of a generator would, and gives each changed program, a mutant, to the proof of the function.
//
// The proof refuses a mutant, or it has proved that the mutant meets the contract, too. Such a mutant is harmless if
// the prover is sound: it reorders independent instructions, say. So it is run on many states, random ones and edge
// cases that meet the precondition, and the postcondition, the memory that it may not touch, scratch memory and the
// trace of branches and addresses are checked there. What does not hold on a state is a fault in the trusted base.
//
// The package decides nothing that users rely on. It is deterministic: a seed gives the same mutants and states.
package mutate

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Kind is a kind of mutation.
type Kind uint8

// The kinds. Those from LostCarry on are bugs that hand-written arithmetic has had.
const (
	Operand      Kind = iota // another register, argument or table
	OperandOrder             // two registers of an instruction exchanged
	Opcode                   // another instruction with the same operands
	Immediate                // a constant off by one, or one bit of it
	Offset                   // another address: displacement or scale
	Condition                // of a conditional instruction
	Branch                   // the condition of a branch
	Deletion                 // of an instruction or a call
	Swap                     // of two instructions that follow each other
	Duplication              // of an instruction: a carry added twice
	Constant                 // one bit of a constant table
	LostCarry                // an addition or subtraction that ignores the carry
	NoReduction              // the selects after a subtraction of the modulus choose always or never
	WrongHalf                // the low half of a product for the high one, or the reverse
	StaleFlag                // flags of another instruction than meant
	SwappedLimbs             // two words of a number exchanged
	NumKinds     int  = iota
)

var kindNames = [NumKinds]string{"operand", "operand order", "opcode", "immediate", "offset", "condition", "branch condition",
	"deletion", "swap", "duplication", "table constant", "lost carry", "final subtraction", "wrong half", "stale flag", "swapped limbs"}

func (k Kind) String() string {
	if int(k) >= NumKinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Mutant is a changed program.
type Mutant struct {
	Kind    Kind
	listing *listing
	changes []change
}

// String says what is changed, and where.
func (m Mutant) String() string {
	if m.listing == nil {
		return "no mutant"
	}
	return m.listing.describe(m.changes)
}

// Apply makes the changes to p, which is the program that the mutant was made of, or another copy of it.
func (m Mutant) Apply(p machine.Program) (machine.Program, error) {
	l, err := newListing(p)
	if err != nil {
		return p, err
	}
	if m.listing == nil || !slices.Equal(l.instrs, m.listing.instrs) || !slices.Equal(l.conds, m.listing.conds) {
		return p, fmt.Errorf("mutate: a mutant of other code is applied to %s", p.Contract.Name())
	}
	return l.apply(m.changes)
}

// Enumerate lists the mutants of a program: each differs from it in code or tables, and consists of instructions that
// exist. The order is the same in every run. Trivial ones are left out: twice an instruction that changes nothing that it
// needs. invalid is the number of changes that were dropped because they make an
// instruction that does not exist.
func Enumerate(p machine.Program) (ms []Mutant, invalid int, err error) {
	l, err := newListing(p)
	if err != nil {
		return nil, 0, err
	}
	b, err := new(vm).compile(p, 0)
	if err != nil {
		return nil, 0, err
	}
	e := &enumeration{l: l, b: b, seen: map[key]bool{}}
	e.all()
	return e.mutants, e.invalid, nil
}

// key tells mutants apart that change one instruction. The kinds overlap; a mutant is of the kind that has it first.
type key struct {
	at       int
	n        int
	to0, to1 isa.Instr
}

type enumeration struct {
	l       *listing
	b       *builder
	seen    map[key]bool
	mutants []Mutant
	invalid int
}

func (e *enumeration) add(k Kind, cs ...change) {
	l := e.l
	for _, c := range cs {
		if slices.ContainsFunc(c.to, func(in isa.Instr) bool { return !l.valid(in) }) {
			e.invalid++
			return
		}
		if c.part == partCond {
			if info, err := l.target.describeCond(c.cond); err != nil || !l.features(info) {
				e.invalid++
				return
			}
		}
	}
	if l.same(cs) {
		return
	}
	if c := cs[0]; len(cs) == 1 && c.part == partInstr && len(c.to) <= 2 {
		x := key{at: c.at, n: len(c.to)}
		if len(c.to) > 0 {
			x.to0 = c.to[0]
		}
		if len(c.to) > 1 {
			x.to1 = c.to[1]
		}
		if e.seen[x] {
			return
		}
		e.seen[x] = true
	}
	e.mutants = append(e.mutants, Mutant{k, l, cs})
}

func (e *enumeration) all() {
	l, c := e.l, e.l.context()
	l.target.patterns(l, e.add)
	for i, in := range l.instrs {
		e.add(Deletion, change{at: i})
		if !e.b.idempotent(in) {
			e.add(Duplication, change{at: i, to: []isa.Instr{in, in}})
		}
		if i+1 < len(l.instrs) && l.run[i] == l.run[i+1] && in != l.instrs[i+1] {
			e.add(Swap, change{at: i, to: []isa.Instr{l.instrs[i+1]}}, change{at: i + 1, to: []isa.Instr{in}})
		}
		l.target.variants(in, c, func(k Kind, to ...isa.Instr) { e.add(k, change{at: i, to: to}) })
	}
	for i, k := range l.conds {
		var seen []isa.Cond
		l.target.conditions(k, c, func(to isa.Cond) {
			if !slices.Contains(seen, to) {
				seen = append(seen, to)
				e.add(Branch, change{part: partCond, at: i, cond: to})
			}
		})
	}
	for i := range l.calls {
		e.add(Deletion, change{part: partCall, at: i})
	}
	for i, t := range l.prog.Tables {
		for b := range 8 * len(t.Data) {
			e.add(Constant, change{part: partTable, at: i, byte: b / 8, flip: 1 << (b % 8)})
		}
	}
}

// limbs emits exchanges of the places in memory that two accesses of one kind use, where pair gives the exchanged
// instructions if there are such.
func (l *listing) limbs(emit func(Kind, ...change), pair func(a, b isa.Instr) (x, y isa.Instr, ok bool)) {
	for i, a := range l.instrs {
		for j := i + 1; j < len(l.instrs) && l.run[i] == l.run[j]; j++ {
			if x, y, ok := pair(a, l.instrs[j]); ok {
				emit(SwappedLimbs, change{at: i, to: []isa.Instr{x}}, change{at: j, to: []isa.Instr{y}})
				break
			}
		}
	}
}

// reductions emits, for every group of selects by one condition that follow each other, all of them replaced by what
// they are if the condition holds, and if it does not. choose gives the condition, nil for what is no select.
func (l *listing) reductions(emit func(Kind, ...change), choose func(isa.Instr) (group any, yes, no []isa.Instr)) {
	for i := 0; i < len(l.instrs); {
		group, _, _ := choose(l.instrs[i])
		j := i
		var always, never []change
		for ; j < len(l.instrs) && l.run[j] == l.run[i]; j++ {
			g, yes, no := choose(l.instrs[j])
			if g == nil || g != group {
				break
			}
			always = append(always, change{at: j, to: yes})
			never = append(never, change{at: j, to: no})
		}
		if len(always) > 0 {
			emit(NoReduction, always...)
			emit(NoReduction, never...)
		}
		i = max(j, i+1)
	}
}
