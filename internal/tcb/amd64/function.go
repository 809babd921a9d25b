package amd64

import (
	"errors"
	"fmt"

	"verum.example/internal/tcb/isa"
)

// checkFunction refuses a function that could not be printed or encoded faithfully.
func checkFunction(f isa.Function) error {
	if !identifier(f.Name) {
		return fmt.Errorf("%q is not a name", f.Name)
	}
	if f.Frame < 0 || f.Frame%8 != 0 || f.Frame > maxFrame {
		return fmt.Errorf("frame of %d bytes", f.Frame)
	}
	if f.Local && (len(f.Args) != 0 || f.ArgSize != 0) {
		return errors.New("a local routine has no Go arguments")
	}
	if f.ArgSize < 0 || f.ArgSize%8 != 0 || f.ArgSize > maxFrame {
		return fmt.Errorf("arguments of %d bytes", f.ArgSize)
	}
	names := map[string]bool{}
	for _, a := range f.Args {
		if !identifier(a.Name) || names[a.Name] {
			return fmt.Errorf("argument %q is not a name or not unique", a.Name)
		}
		names[a.Name] = true
		if a.Offset < 0 || a.Offset%8 != 0 || a.Offset > f.ArgSize-8 {
			return fmt.Errorf("argument %s at offset %d of %d", a.Name, a.Offset, f.ArgSize)
		}
	}
	return checkLines(f)
}

// maxFrame bounds frames and argument areas. The linker's limit for NOSPLIT functions is lower.
const maxFrame = 1 << 16

func checkLines(f isa.Function) error {
	labels := map[string]bool{}
	calls := false
	for n, l := range f.Lines {
		if err := checkLine(l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case l.Label != "":
			if labels[l.Label] {
				return fmt.Errorf("line %d: label %s is defined twice", n, l.Label)
			}
			labels[l.Label] = true
		case l.Call != "":
			calls = true
		}
	}
	if calls != f.Calls {
		return fmt.Errorf("the field Calls is %v, but there are calls: %v", f.Calls, calls)
	}
	for n, l := range f.Lines {
		if l.Branch != nil && !labels[l.Branch.Label] {
			return fmt.Errorf("line %d: no label %s", n, l.Branch.Label)
		}
	}
	// Control must not run off the end, and a label there would have no instruction.
	if len(f.Lines) == 0 {
		return errors.New("no code")
	}
	last := f.Lines[len(f.Lines)-1]
	if !last.Return && !(last.Branch != nil && last.Branch.Cond == nil) {
		return errors.New("the last line is neither a return nor a branch")
	}
	return nil
}

// checkLine refuses a line that does not have exactly one field, or has an ill-formed one.
func checkLine(l isa.Line) error {
	fields := 0
	var err error
	if l.Label != "" {
		fields++
		if !label(l.Label) {
			err = fmt.Errorf("%q is not a label", l.Label)
		}
	}
	if l.Instr != nil {
		fields++
		_, err = checked(l.Instr)
	}
	if l.Branch != nil {
		fields++
		if l.Branch.Cond != nil {
			_, err = condition(l.Branch.Cond)
		}
	}
	if l.Call != "" {
		fields++
		if !identifier(l.Call) {
			err = fmt.Errorf("%q is not a routine", l.Call)
		}
	}
	if l.Return {
		fields++
	}
	if fields != 1 {
		return fmt.Errorf("%d fields are set", fields)
	}
	return err
}

// label reports whether s may be a label: an identifier with a lower-case letter or an underscore, so that the
// assembler cannot take it for a register: JMP AX would jump to the address in AX.
func label(s string) bool {
	if !identifier(s) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || c == '_' {
			return true
		}
	}
	return false
}

// argument finds a Go argument or result by name.
func argument(f isa.Function, name string, result bool) (isa.Arg, error) {
	for _, a := range f.Args {
		if a.Name == name && a.Result == result {
			return a, nil
		}
	}
	if result {
		return isa.Arg{}, fmt.Errorf("no result %s", name)
	}
	return isa.Arg{}, fmt.Errorf("no argument %s", name)
}
