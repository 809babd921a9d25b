package arm64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
)

// MaxFrame is the largest local frame in bytes: what Go's linker accepts of a NOSPLIT function under Go code.
const MaxFrame = 768

// largeFrame is the size from which on Go's prologue computes the new stack pointer in R20.
const largeFrame = 0xf0

// layout is what Go's assembler makes of a function's frame. From the stack pointer in the body upwards: 8 bytes for
// R30, the local frame, 8 bytes where the calling function keeps its R29 (Go saves that below the stack pointer),
// then the caller's frame: 8 bytes for the caller's R30, and the arguments.
type layout struct {
	leaf bool // calls nothing: R30 keeps the return address
	size int  // how far the prologue lowers the stack pointer; 0 for a leaf without a local frame
}

// argument is the offset, from the stack pointer in the body, of the argument at the given offset from FP.
func (l layout) argument(offset int) int { return l.size + 8 + offset }

// layoutOf checks the function and returns its layout.
func layoutOf(f isa.Function) (layout, error) {
	if err := checkFunction(f); err != nil {
		return layout{}, fmt.Errorf("arm64: function %s: %w", f.Name, err)
	}
	l := layout{leaf: !f.Calls}
	if !l.leaf || f.Frame != 0 {
		l.size = f.Frame + 16
	}
	return l, nil
}

// EntryClobbers returns the registers that may be overwritten between a call of f and its first instruction: R16 and
// R17 by a linker that reaches f through a veneer (AAPCS64 §6.1.1; Go's linker inserts ADRP R16, ADD R16, BR R16 where
// a large program or a random layout puts caller and callee far apart), R20 by the prologue of a large frame. A function
// that calls f must not expect them to survive, and f must not expect a parameter in them.
func EntryClobbers(f isa.Function) []Reg {
	rs := []Reg{R16, R17}
	if f.Frame+16 > largeFrame {
		rs = append(rs, R20)
	}
	return rs
}

// checkFunction refuses what Print and Encode might render differently from one another, or Go's assembler from both.
func checkFunction(f isa.Function) error {
	if err := identifier(f.Name); err != nil {
		return err
	}
	if f.Frame < 0 || f.Frame > MaxFrame || f.Frame%16 != 0 {
		return fmt.Errorf("frame of %d bytes is not a multiple of 16 up to %d", f.Frame, MaxFrame)
	}
	if err := checkArgs(f); err != nil {
		return err
	}
	labels := make(map[string]bool)
	calls := false
	for n, line := range f.Lines {
		if err := checkLine(f, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if line.Label != "" {
			if labels[line.Label] {
				return fmt.Errorf("line %d: label %s is already defined", n, line.Label)
			}
			labels[line.Label] = true
		}
		calls = calls || line.Call != ""
	}
	if calls != f.Calls {
		return fmt.Errorf("the field Calls is %v, but Call lines say %v", f.Calls, calls)
	}
	for n, line := range f.Lines {
		if line.Branch != nil && !labels[line.Branch.Label] {
			return fmt.Errorf("line %d: no label %s", n, line.Branch.Label)
		}
	}
	if len(f.Lines) == 0 {
		return fmt.Errorf("no code")
	}
	if last := f.Lines[len(f.Lines)-1]; !last.Return && (last.Branch == nil || last.Branch.Cond != nil) {
		return fmt.Errorf("execution runs off the end")
	}
	return nil
}

// checkArgs checks that the arguments and results are words within the argument area, in order and disjoint.
func checkArgs(f isa.Function) error {
	if f.Local && (len(f.Args) != 0 || f.ArgSize != 0) {
		return fmt.Errorf("a local routine has no arguments on the stack")
	}
	if f.ArgSize < 0 || f.ArgSize > 1024 || f.ArgSize%8 != 0 {
		return fmt.Errorf("%d bytes of arguments", f.ArgSize)
	}
	end := 0
	names := make(map[string]bool)
	for _, a := range f.Args {
		if err := identifier(a.Name); err != nil {
			return err
		}
		if names[a.Name] {
			return fmt.Errorf("two arguments %s", a.Name)
		}
		names[a.Name] = true
		if a.Offset < end || a.Offset%8 != 0 || a.Offset+8 > f.ArgSize {
			return fmt.Errorf("argument %s at offset %d of %d", a.Name, a.Offset, f.ArgSize)
		}
		end = a.Offset + 8
	}
	return nil
}

// checkLine checks that exactly one field of the line is set, and well.
func checkLine(f isa.Function, line isa.Line) error {
	set := 0
	var err error
	if line.Label != "" {
		set++
		err = checkLabel(line.Label)
	}
	if line.Instr != nil {
		set++
		if _, err = Describe(line.Instr); err == nil {
			err = checkReference(f, line.Instr)
		}
	}
	if line.Branch != nil {
		set++
		err = checkLabel(line.Branch.Label)
		if err == nil && line.Branch.Cond != nil {
			_, err = DescribeCond(line.Branch.Cond)
		}
	}
	if line.Call != "" {
		set++
		err = identifier(line.Call)
	}
	if line.Return {
		set++
	}
	if set != 1 {
		return fmt.Errorf("%d fields set, not 1", set)
	}
	return err
}

// checkLabel refuses labels that Go's assembler would take for registers.
func checkLabel(s string) error {
	if err := identifier(s); err != nil {
		return err
	}
	if c := s[0]; 'A' <= c && c <= 'Z' || s == "g" {
		return fmt.Errorf("label %s could be a register: begin with a lower-case letter or _", s)
	}
	return nil
}

// checkReference checks that the argument or result that i names exists.
func checkReference(f isa.Function, i isa.Instr) error {
	switch i := i.(type) {
	case LoadArg:
		_, err := argOffset(f, i.Name, false)
		return err
	case StoreResult:
		_, err := argOffset(f, i.Name, true)
		return err
	}
	return nil
}

// argOffset is the offset from FP of the argument, or result, of that name.
func argOffset(f isa.Function, name string, result bool) (int, error) {
	for _, a := range f.Args {
		if a.Name == name && a.Result == result {
			return a.Offset, nil
		}
	}
	if result {
		return 0, fmt.Errorf("no result %s", name)
	}
	return 0, fmt.Errorf("no argument %s", name)
}
