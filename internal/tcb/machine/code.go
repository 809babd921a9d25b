package machine

import (
	"errors"
	"fmt"
	"slices"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// Aliases of package contract, which proofs may not import. With them a proof describes its internal routines; it
// cannot make the contract of a function that Go can call.
type (
	Contract = contract.Contract
	Func     = contract.Func
	Param    = contract.Param
	Mode     = contract.Mode
	Env      = contract.Env
)

// The modes of parameters.
const (
	ModeIn      = contract.ModeIn
	ModeOut     = contract.ModeOut
	ModeInOut   = contract.ModeInOut
	ModeScratch = contract.ModeScratch
)

// Internal makes the contract of a routine that only verified code calls: parameters are in the registers ParamReg(0),
// ParamReg(1), …, the result is returned in ParamReg(0). No stub is ever emitted for it.
func Internal(f Func) (Contract, error) { return contract.NewInternal(f) }

// Trial makes a contract that looks like that of a function Go can call but is none: its name begins with an underscore.
// Nothing is emitted for it, and no code can call what is verified against it. It is for showing that proofs notice when
// a contract is altered.
func Trial(f Func) (Contract, error) { return contract.NewTrial(f) }

// Code is structured code: Block, Seq, If, Loop, Call or Mark.
type Code interface{ code() }

type (
	// Block is straight-line code: values of the instruction types of tcb/arm64 or tcb/amd64.
	Block []isa.Instr

	// Seq is a sequence.
	Seq []Code

	// If runs Then when Cond holds and Else, which may be nil, when not. Cond must be public.
	If struct {
		Cond isa.Cond
		Then Code
		Else Code
	}

	// Loop is do { Body } while (While). The condition must be public. With Unroll = 0 the proof gives an invariant and
	// a measure; with Unroll > 0 the body is run through, at most Unroll times, and the condition must fold to a constant
	// each time.
	Loop struct {
		Name   string
		Body   Code
		While  isa.Cond
		Unroll int
	}

	// Call calls a verified internal routine; its arguments are in the registers ParamReg(i).
	Call struct {
		Site string // names the call in messages and variables
		To   Verified
	}

	// Mark is no code: it shows the state to the proof (Prover.Mark).
	Mark struct{ Name string }
)

func (Block) code() {}
func (Seq) code()   {}
func (If) code()    {}
func (Loop) code()  {}
func (Call) code()  {}
func (Mark) code()  {}

// Table is a constant table: Data in elements of Elem bytes, little-endian, read-only.
type Table struct {
	Name string
	Elem int
	Data []byte
}

// Program is what Verify verifies.
type Program struct {
	Target   Target
	Variant  string   // "" or the name of the CPU-feature variant: "bmi2"
	Features []string // the CPU features that the code may use
	Contract Contract
	Frame    int // bytes of local frame
	Tables   []Table
	// Preserves lists registers that a routine leaves as they were; Verify checks it. Only for internal contracts.
	Preserves []isa.Reg
	Code      Code
}

// Limits on programs. They keep a wrong generator from exhausting the machine, and decide nothing else.
const (
	maxDepth  = 100     // nesting of code
	maxStatic = 1 << 20 // instructions of a function
	maxSteps  = 1 << 24 // instructions executed in one run
	maxChain  = 700     // bytes of stack along the deepest chain of calls
)

// copier copies a program's code and checks everything about it that needs no run.
type copier struct {
	t        *target
	features []string
	instrs   int
	calls    []*verified // distinct, in order of first call
	loops    map[string]bool
	sites    map[string]bool
}

// copyCode returns a deep copy of c. Instructions are struct values without pointers of the target's package, which
// Describe checks by their concrete type, so copying the interface value copies the instruction.
func (k *copier) copyCode(c Code, depth int) (Code, error) {
	if depth > maxDepth {
		return nil, errors.New("the code is nested too deeply")
	}
	switch c := c.(type) {
	case Block:
		r := slices.Clone(c)
		for i, in := range r {
			info, err := k.t.describe(in)
			if err == nil {
				err = k.checkInfo(info)
			}
			if err != nil {
				return nil, fmt.Errorf("instruction %d of a block, %s: %w", i, instrString(in), err)
			}
		}
		if k.instrs += len(r); k.instrs > maxStatic {
			return nil, errors.New("too many instructions")
		}
		return r, nil
	case Seq:
		r := make(Seq, len(c))
		for i := range c {
			var err error
			if r[i], err = k.copyCode(c[i], depth+1); err != nil {
				return nil, err
			}
		}
		return r, nil
	case If:
		if err := k.checkCond(c.Cond, "if"); err != nil {
			return nil, err
		}
		if c.Else == nil {
			c.Else = Seq{}
		}
		var err error
		if c.Then, err = k.copyCode(c.Then, depth+1); err == nil {
			c.Else, err = k.copyCode(c.Else, depth+1)
		}
		return c, err
	case Loop:
		if c.Name == "" || k.loops[c.Name] {
			return nil, fmt.Errorf("two loops are called %q, or one has no name", c.Name)
		}
		k.loops[c.Name] = true
		if err := k.checkCond(c.While, "loop "+c.Name); err != nil {
			return nil, err
		}
		if c.Unroll < 0 {
			return nil, fmt.Errorf("loop %s: Unroll is negative", c.Name)
		}
		var err error
		c.Body, err = k.copyCode(c.Body, depth+1)
		return c, err
	case Call:
		return c, k.checkCall(c)
	case Mark:
		return c, nil
	}
	return nil, fmt.Errorf("%T is not code", c)
}

func (k *copier) checkInfo(info isa.Info) error {
	if info.Timing != isa.DataIndependent && info.Timing != isa.PublicOnly {
		return errors.New("the form has no timing class")
	}
	for _, f := range info.Features {
		if !slices.Contains(k.features, f) {
			return fmt.Errorf("needs the CPU feature %s, which the program does not list", f)
		}
	}
	return nil
}

func (k *copier) checkCond(c isa.Cond, where string) error {
	info, err := k.t.describeCond(c)
	if err == nil {
		err = k.checkInfo(info)
	}
	if err == nil {
		_, err = k.t.invert(c)
	}
	if err != nil {
		return fmt.Errorf("%s: condition %s: %w", where, condString(c), err)
	}
	k.instrs++
	return nil
}

func (k *copier) checkCall(c Call) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("call %s: "+format, append([]any{c.Site}, args...)...)
	}
	v := c.To.v
	switch {
	case v == nil:
		return fail("the callee is the zero Verified")
	case c.Site == "":
		return fail("a call has no name")
	case k.sites[c.Site]:
		return fail("two calls have this name")
	case v.prog.Target.ops() != k.t:
		return fail("%s is verified for %v", v.name(), v.prog.Target)
	case !v.prog.Contract.Internal():
		return fail("%s takes its arguments from Go's stack", v.name())
	}
	k.sites[c.Site] = true
	for _, f := range v.prog.Features {
		if !slices.Contains(k.features, f) {
			return fail("%s needs the CPU feature %s, which the program does not list", v.name(), f)
		}
	}
	k.instrs++
	if !slices.Contains(k.calls, v) {
		k.calls = append(k.calls, v)
	}
	return nil
}

func instrString(i isa.Instr) string { return fmt.Sprintf("%T%+v", i, i) }

func condString(k isa.Cond) string { return fmt.Sprintf("%T %+v", k, k) }

// Pow256 is contract.Pow256: 256ⁿ by recursion, as it occurs in the contents of regions that are an Int.
func Pow256(n logic.Term) logic.Term { return contract.Pow256(n) }
