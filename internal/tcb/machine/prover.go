package machine

import (
	"errors"
	"fmt"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Prover is the untrusted side of a verification. Verify calls it, always from one goroutine, with copies; whatever it
// answers is checked, and a panic in it makes Verify fail. Embed NoProof for the methods that a proof does not need.
type Prover interface {
	// Begin starts a run: the contract's first pattern, then each alias pattern (View.Aliased).
	Begin(v View) error
	// Shape says what a loop modifies.
	Shape(loop string, v View) (Shape, error)
	// Invariant gives the invariant and the measure of a loop, over its fresh variables (View.Fresh). v is the state at
	// the head.
	Invariant(loop string, v View) (inv []logic.Term, measure logic.Term, err error)
	// Index says where an access at a symbolic offset may go.
	Index(a Access) (Index, error)
	// Leak explains a branch condition, an offset or another term that must be public and is not made of public
	// variables: the value is s, where the variables y[i] stand for the contract's leaks (View.Leaks) and all others are
	// public. Verify then asks for the proof of the equation.
	Leak(l LeakQuery) (s logic.Term, y []logic.Term, err error)
	// Mark shows the state at a Mark of the code.
	Mark(name string, v View) error
	// Prove gives a theorem whose conclusion is the goal's, with hypotheses among the goal's.
	Prove(g Goal) (kernel.Theorem, error)
}

// NoProof answers that there is no proof.
type NoProof struct{}

// Begin accepts.
func (NoProof) Begin(View) error { return nil }

// Shape refuses: the proof knows no loop.
func (NoProof) Shape(loop string, _ View) (Shape, error) {
	return Shape{}, errors.New("the proof says nothing about this loop")
}

// Invariant refuses.
func (NoProof) Invariant(string, View) ([]logic.Term, logic.Term, error) {
	return nil, logic.Term{}, errors.New("the proof has no invariant")
}

// Index refuses.
func (NoProof) Index(Access) (Index, error) {
	return Index{}, errors.New("the proof says nothing about the offset")
}

// Leak refuses.
func (NoProof) Leak(LeakQuery) (logic.Term, []logic.Term, error) {
	return logic.Term{}, nil, errors.New("the proof does not explain it by the contract's leaks")
}

// Mark accepts.
func (NoProof) Mark(string, View) error { return nil }

// Prove refuses.
func (NoProof) Prove(Goal) (kernel.Theorem, error) {
	return kernel.Theorem{}, errors.New("the proof has no theorem")
}

// Loc is a place that a loop modifies: a register, bytes of a region, or the whole of a region whose contents are an
// Int. A fresh place gets one variable: BV(64) for a general register, BV(128) for a vector register, BV(8·N) for N
// bytes, Int for a whole region.
type Loc struct {
	Region string // "" for a register
	Reg    isa.Reg
	Off, N int // N = 0: a whole region
}

// RegLoc is a register.
func RegLoc(r isa.Reg) Loc { return Loc{Reg: r} }

// MemLoc are n bytes of a region from offset off.
func MemLoc(region string, off, n int) Loc { return Loc{Region: region, Off: off, N: n} }

// WholeLoc is a region whose contents are an Int.
func WholeLoc(region string) Loc { return Loc{Region: region} }

// FrameRegion is the name of the local frame's region.
const FrameRegion = "frame"

func (l Loc) name(t *target) string {
	switch {
	case l.Region == "":
		return t.regName(l.Reg)
	case l.N == 0:
		return l.Region
	}
	return fmt.Sprintf("%s[%d:%d]", l.Region, l.Off, l.Off+l.N)
}

// Shape says what a loop modifies: Fresh places get variables at the head of the body, those of Public are claimed
// public (they must be in Fresh too), Dead ones are undefined at the head. All else is the same at every head.
type Shape struct{ Fresh, Public, Dead []Loc }

// Access is a load or store whose offset is not constant.
type Access struct {
	Where  string
	Region string
	Size   int // of the region in bytes, 0 if it is symbolic
	Offset logic.Term
	Width  int // bytes
	Store  bool
	View   View
}

// Index claims uint(Offset) = Scale·M + Base. M is an Int, and 0 ≤ M ≤ Count−1 in a region kept in cells, where every
// place must be inside; in a region whose contents are an Int, Count is not used and the whole access is proved to be
// inside.
type Index struct {
	M           logic.Term
	Scale, Base int
	Count       int
}

// LeakQuery asks why the term T may influence timing.
type LeakQuery struct {
	Where string
	What  string // "branch condition", "address", …
	T     logic.Term
	View  View
}

// Goal is an obligation: Concl under Hyps. Names are
//
//	ensures I                   a postcondition, on return
//	invariant I on entry        of a loop; then
//	measure is natural          at the head
//	invariant I is kept         after the body, under the loop's condition
//	measure decreases           likewise
//	offset is the index         uint(Offset) = Scale·M + Base, of an Index
//	index is natural            0 ≤ M
//	index is in range           M ≤ Count − 1
//	access is inside REGION     of a region whose contents are an Int
//	ROUTINE requires I          a precondition of a routine, at a call
//	WHAT by the leaks           T = s[y := leaks], of a LeakQuery
//	REGION held a secret and is zero   on return, of scratch memory whose contents are an Int
//
// A goal that folds to true is not asked for.
type Goal struct {
	Where string // function, target, variant, alias pattern and position
	Name  string
	Hyps  []logic.Term
	Concl logic.Term
	View  View
}

// View is a copy of a symbolic state and of what is known there. It stays as it is when the run goes on.
type View struct {
	e      *exec
	st     *state
	facts  []logic.Term
	loops  map[string]map[Loc]logic.Term
	region map[string]int
}

// Reg is the value of a register, the zero Term if it is undefined.
func (v View) Reg(r isa.Reg) logic.Term {
	if v.st == nil || int(r) >= len(v.st.regs) {
		return logic.Term{}
	}
	return v.st.regs[r]
}

// Flag is the value of a flag, the zero Term if it is undefined.
func (v View) Flag(f isa.Flag) logic.Term {
	if v.st == nil || int(f) >= len(v.st.flags) {
		return logic.Term{}
	}
	return v.st.flags[f]
}

func (v View) mem(region string) *memory {
	if i, ok := v.region[region]; ok && v.st != nil && i < len(v.st.mem) {
		return &v.st.mem[i]
	}
	return nil
}

// Mem are n bytes of a region, BV(8n), the zero Term if they are undefined or outside.
func (v View) Mem(region string, off, n int) logic.Term {
	m := v.mem(region)
	if m == nil || off < 0 || n < 1 || off > len(m.cells) || n > len(m.cells)-off {
		return logic.Term{}
	}
	return m.load(off, n)
}

// Whole is the Int that a region contains, the zero Term if it is kept in cells.
func (v View) Whole(region string) logic.Term {
	if m := v.mem(region); m != nil {
		return m.whole
	}
	return logic.Term{}
}

// Loc is the value of a place.
func (v View) Loc(l Loc) logic.Term {
	switch {
	case l.Region == "":
		return v.Reg(l.Reg)
	case l.N == 0:
		return v.Whole(l.Region)
	}
	return v.Mem(l.Region, l.Off, l.N)
}

// Fresh is the variable of a place at the head of an enclosing (or finished) loop.
func (v View) Fresh(loop string, l Loc) logic.Term { return v.loops[loop][l] }

// Facts are the hypotheses that a theorem may use here.
func (v View) Facts() []logic.Term { return append([]logic.Term(nil), v.facts...) }

// Before are the variables of an input region's initial contents: one Int, or one bit-vector for each element.
func (v View) Before(name string) []logic.Term {
	if v.e == nil {
		return nil
	}
	return v.e.pat.Before(name)
}

// Arg is the variable of a by-value argument.
func (v View) Arg(name string) logic.Term {
	if v.e == nil {
		return logic.Term{}
	}
	return v.e.pat.Arg(name)
}

// Base is the variable of a region's address.
func (v View) Base(region string) logic.Term {
	if i, ok := v.region[region]; ok {
		return v.e.regions[i].base
	}
	return logic.Term{}
}

// Leaks are the contract's leaks.
func (v View) Leaks() []logic.Term {
	if v.e == nil {
		return nil
	}
	return v.e.pat.Leaks()
}

// Aliased lists the parameters that coincide in this run.
func (v View) Aliased() []string {
	if v.e == nil {
		return nil
	}
	return v.e.pat.Names()
}
