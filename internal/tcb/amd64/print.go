package amd64

import (
	"fmt"
	"slices"
	"strings"

	"verum.example/internal/tcb/isa"
)

// Print writes f as a TEXT block for Go's assembler. The file needs textflag.h. Tables and local routines are
// symbols of the file: name<>.
func Print(f isa.Function) (string, error) {
	if err := checkFunction(f); err != nil {
		return "", fmt.Errorf("amd64: print %s: %w", f.Name, err)
	}
	var b strings.Builder
	if f.Local {
		fmt.Fprintf(&b, "TEXT %s<>(SB), NOSPLIT, $%d-0\n", f.Name, f.Frame)
	} else {
		fmt.Fprintf(&b, "TEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.Name, f.Frame, f.ArgSize)
	}
	for _, l := range f.Lines {
		text, err := line(f, l)
		if err != nil {
			return "", fmt.Errorf("amd64: print %s: %w", f.Name, err)
		}
		b.WriteString(text + "\n")
	}
	return b.String(), nil
}

func line(f isa.Function, l isa.Line) (string, error) {
	switch {
	case l.Label != "":
		return l.Label + ":", nil
	case l.Branch != nil && l.Branch.Cond == nil:
		return "\tJMP " + l.Branch.Label, nil
	case l.Branch != nil:
		k, err := condition(l.Branch.Cond)
		return "\tJ" + k.String() + " " + l.Branch.Label, err
	case l.Call != "":
		return "\tCALL " + l.Call + "<>(SB)", nil
	case l.Return:
		return "\tRET", nil
	}
	i, err := checked(l.Instr)
	if err != nil {
		return "", err
	}
	ops, err := i.operands(f)
	if err != nil {
		return "", err
	}
	if len(ops) == 0 {
		return "\t" + i.plan9, nil
	}
	return "\t" + i.plan9 + " " + strings.Join(ops, ", "), nil
}

// operands lists the operands in the order of Go's assembler: Intel's reversed, except for CMPQ.
func (i *form) operands(f isa.Function) ([]string, error) {
	var ops []string
	for n, r := range i.r {
		name := RegName(r)
		if n < i.ymm {
			name = fmt.Sprintf("Y%d", number(r))
		}
		ops = append(ops, name)
	}
	if i.m != nil {
		ops = i.placeMemory(ops, i.m.text())
	}
	if i.imm != nil {
		ops = append(ops, i.immText())
	}
	switch i.arg {
	case paramName, resultName:
		a, err := argument(f, i.name, i.arg == resultName)
		if err != nil {
			return nil, err
		}
		ops = i.placeMemory(ops, fmt.Sprintf("%s+%d(FP)", a.Name, a.Offset))
	case tableName:
		ops = append(ops, i.name+"<>(SB)")
	}
	if i.plan9 != "CMPQ" {
		slices.Reverse(ops)
	}
	return ops, nil
}

// placeMemory adds a memory operand in Intel's order: first where it takes the place of the first operand.
func (i *form) placeMemory(ops []string, m string) []string {
	if i.enc == encMR || i.enc == encVMR {
		return slices.Insert(ops, 0, m)
	}
	return append(ops, m)
}

func (i *form) immText() string {
	if i.enc == encMOV || i.enc == encOI {
		return fmt.Sprintf("$%#x", uint64(*i.imm))
	}
	return fmt.Sprintf("$%d", *i.imm)
}

func (m Mem) text() string {
	s := ""
	if m.Disp != 0 {
		s = fmt.Sprint(m.Disp)
	}
	s += "(" + RegName(m.Base) + ")"
	if m.Scale != 0 {
		s += fmt.Sprintf("(%s*%d)", RegName(m.Index), m.Scale)
	}
	return s
}
