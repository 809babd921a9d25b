package arm64

import (
	"fmt"
	"strings"

	"verum.example/internal/tcb/isa"
)

// Print returns the function as a TEXT block of Go's assembler, the text whose bytes Encode gives. Internal routines
// and tables are symbols of the same file, name<>.
func Print(f isa.Function) (text string, err error) {
	if _, err := layoutOf(f); err != nil {
		return "", err
	}
	var b strings.Builder
	symbol := "·" + f.Name
	if f.Local {
		symbol = f.Name + "<>"
	}
	fmt.Fprintf(&b, "TEXT %s(SB), NOSPLIT, $%d-%d\n", symbol, f.Frame, f.ArgSize)
	for n, line := range f.Lines {
		s, err := printLine(f, line)
		if err != nil {
			return "", fmt.Errorf("arm64: function %s: line %d: %w", f.Name, n, err)
		}
		b.WriteString(s + "\n")
	}
	return b.String(), nil
}

func printLine(f isa.Function, line isa.Line) (string, error) {
	switch {
	case line.Label != "":
		return line.Label + ":", nil
	case line.Call != "":
		return "\tCALL " + line.Call + "<>(SB)", nil
	case line.Return:
		return "\tRET", nil
	case line.Branch != nil:
		switch k := line.Branch.Cond.(type) {
		case nil:
			return "\tJMP " + line.Branch.Label, nil
		case Cond:
			return fmt.Sprintf("\tB%v %s", k, line.Branch.Label), nil
		case CBZ:
			return fmt.Sprintf("\tCBZ %s, %s", RegName(k.T), line.Branch.Label), nil
		case CBNZ:
			return fmt.Sprintf("\tCBNZ %s, %s", RegName(k.T), line.Branch.Label), nil
		}
		return "", fmt.Errorf("no spelling of condition %T", line.Branch.Cond)
	}
	s, err := printInstruction(f, line.Instr)
	return "\t" + s, err
}

// printInstruction spells an instruction. Go's operand order is the reverse of the manual's: the destination is last.
func printInstruction(f isa.Function, i isa.Instr) (string, error) {
	switch i := i.(type) {
	case ADD:
		return spell("ADD", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ADDS:
		if i.D == ZR {
			return spell("CMN", last(i.M, i.Shift, i.Amount), i.N), nil
		}
		return spell("ADDS", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case SUB:
		if i.N == ZR {
			return spell("NEG", last(i.M, i.Shift, i.Amount), i.D), nil
		}
		return spell("SUB", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case SUBS:
		if i.D == ZR {
			return spell("CMP", last(i.M, i.Shift, i.Amount), i.N), nil
		}
		if i.N == ZR {
			return spell("NEGS", last(i.M, i.Shift, i.Amount), i.D), nil
		}
		return spell("SUBS", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ADDImm:
		return spell("ADD", hex(i.Imm), i.N, i.D), nil
	case ADDSImm:
		if i.D == ZR {
			return spell("CMN", hex(i.Imm), i.N), nil
		}
		return spell("ADDS", hex(i.Imm), i.N, i.D), nil
	case SUBImm:
		return spell("SUB", hex(i.Imm), i.N, i.D), nil
	case SUBSImm:
		if i.D == ZR {
			return spell("CMP", hex(i.Imm), i.N), nil
		}
		return spell("SUBS", hex(i.Imm), i.N, i.D), nil
	case ADC:
		return spell("ADC", i.M, i.N, i.D), nil
	case ADCS:
		return spell("ADCS", i.M, i.N, i.D), nil
	case SBC:
		if i.N == ZR {
			return spell("NGC", i.M, i.D), nil
		}
		return spell("SBC", i.M, i.N, i.D), nil
	case SBCS:
		if i.N == ZR {
			return spell("NGCS", i.M, i.D), nil
		}
		return spell("SBCS", i.M, i.N, i.D), nil

	case MADD:
		if i.A == ZR {
			return spell("MUL", i.M, i.N, i.D), nil
		}
		return spell("MADD", i.M, i.A, i.N, i.D), nil
	case MSUB:
		if i.A == ZR {
			return spell("MNEG", i.M, i.N, i.D), nil
		}
		return spell("MSUB", i.M, i.A, i.N, i.D), nil
	case UMULH:
		return spell("UMULH", i.M, i.N, i.D), nil

	case AND:
		return spell("AND", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ANDS:
		if i.D == ZR {
			return spell("TST", last(i.M, i.Shift, i.Amount), i.N), nil
		}
		return spell("ANDS", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case BIC:
		return spell("BIC", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ORR:
		if i.N == ZR && i.Amount == 0 {
			return spell("MOVD", i.M, i.D), nil
		}
		return spell("ORR", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ORN:
		if i.N == ZR {
			return spell("MVN", last(i.M, i.Shift, i.Amount), i.D), nil
		}
		return spell("ORN", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case EOR:
		return spell("EOR", last(i.M, i.Shift, i.Amount), i.N, i.D), nil
	case ANDImm:
		return spell("AND", hex(i.Imm), i.N, i.D), nil
	case ANDSImm:
		if i.D == ZR {
			return spell("TST", hex(i.Imm), i.N), nil
		}
		return spell("ANDS", hex(i.Imm), i.N, i.D), nil
	case ORRImm:
		return spell("ORR", hex(i.Imm), i.N, i.D), nil
	case EORImm:
		return spell("EOR", hex(i.Imm), i.N, i.D), nil

	case LSL:
		return spell("LSL", count(i.Amount), i.N, i.D), nil
	case LSR:
		return spell("LSR", count(i.Amount), i.N, i.D), nil
	case ASR:
		return spell("ASR", count(i.Amount), i.N, i.D), nil
	case EXTR:
		return spell("EXTR", count(i.Amount), i.M, i.N, i.D), nil
	case REV:
		return spell("REV", i.N, i.D), nil

	case MOVZ:
		return move("MOVZ", i.Imm, i.Hw, i.D, i)
	case MOVN:
		return move("MOVN", i.Imm, i.Hw, i.D, i)
	case MOVK:
		return move("MOVK", i.Imm, i.Hw, i.D, i)

	case CSEL:
		return spell("CSEL", i.Cond, i.N, i.M, i.D), nil
	case CSINC:
		if i.N == ZR && i.M == ZR {
			return spell("CSET", i.Cond.invert(), i.D), nil
		}
		return spell("CSINC", i.Cond, i.N, i.M, i.D), nil
	case CSINV:
		if i.N == ZR && i.M == ZR {
			return spell("CSETM", i.Cond.invert(), i.D), nil
		}
		return spell("CSINV", i.Cond, i.N, i.M, i.D), nil
	case CSNEG:
		return spell("CSNEG", i.Cond, i.N, i.M, i.D), nil
	case CCMP:
		return spell("CCMP", i.Cond, i.N, i.M, count(i.NZCV)), nil
	case CCMPImm:
		return spell("CCMP", i.Cond, i.N, count(i.Imm), count(i.NZCV)), nil

	case LDR:
		return spell("MOVD", memory(i.N, i.Offset), i.T), nil
	case STR:
		return spell("MOVD", i.T, memory(i.N, i.Offset)), nil
	case LDRW:
		return spell("MOVWU", memory(i.N, i.Offset), i.T), nil
	case STRW:
		return spell("MOVW", i.T, memory(i.N, i.Offset)), nil
	case LDRB:
		return spell("MOVBU", memory(i.N, i.Offset), i.T), nil
	case STRB:
		return spell("MOVB", i.T, memory(i.N, i.Offset)), nil
	case LDP:
		return spell("LDP", memory(i.N, i.Offset), pair(i.T, i.T2)), nil
	case STP:
		return spell("STP", pair(i.T, i.T2), memory(i.N, i.Offset)), nil

	case LDRQ:
		return spell("FMOVQ", memory(i.N, i.Offset), scalar(i.T)), nil
	case STRQ:
		return spell("FMOVQ", scalar(i.T), memory(i.N, i.Offset)), nil
	case LDPQ:
		return spell("FLDPQ", memory(i.N, i.Offset), "("+scalar(i.T)+", "+scalar(i.T2)+")"), nil
	case STPQ:
		return spell("FSTPQ", "("+scalar(i.T)+", "+scalar(i.T2)+")", memory(i.N, i.Offset)), nil
	case VMOVI:
		return spell("VMOVI", count(i.Imm), lanes16(i.D)), nil
	case VDUP:
		return spell("VDUP", i.N, lanes2(i.D)), nil
	case VCMEQ:
		return spell("VCMEQ", lanes2(i.M), lanes2(i.N), lanes2(i.D)), nil
	case VADD:
		return spell("VADD", lanes2(i.M), lanes2(i.N), lanes2(i.D)), nil
	case VAND:
		return spell("VAND", lanes16(i.M), lanes16(i.N), lanes16(i.D)), nil
	case VORR:
		return spell("VORR", lanes16(i.M), lanes16(i.N), lanes16(i.D)), nil
	case VEOR:
		return spell("VEOR", lanes16(i.M), lanes16(i.N), lanes16(i.D)), nil
	case VBIT:
		return spell("VBIT", lanes16(i.M), lanes16(i.N), lanes16(i.D)), nil

	case LoadArg:
		offset, err := argOffset(f, i.Name, false)
		return spell("MOVD", fmt.Sprintf("%s+%d(FP)", i.Name, offset), i.D), err
	case StoreResult:
		offset, err := argOffset(f, i.Name, true)
		return spell("MOVD", i.S, fmt.Sprintf("%s+%d(FP)", i.Name, offset)), err
	case TableAddr:
		return spell("MOVD", "$"+i.Name+"<>(SB)", i.D), nil
	}
	return "", fmt.Errorf("no spelling of %T", i)
}

// spell joins a mnemonic and its operands: registers, conditions and text.
func spell(mnemonic string, operands ...any) string {
	var ss []string
	for _, o := range operands {
		if r, ok := o.(Reg); ok {
			o = RegName(r)
		}
		ss = append(ss, fmt.Sprint(o))
	}
	return mnemonic + " " + strings.Join(ss, ", ")
}

// last is the last source operand in the manual's order, with its shift.
func last(m Reg, shift Shift, amount uint8) string {
	if amount == 0 {
		return RegName(m)
	}
	sign := [...]string{ShiftLSL: "<<", ShiftLSR: ">>", ShiftASR: "->", ShiftROR: "@>"}[shift]
	return fmt.Sprintf("%s%s%d", RegName(m), sign, amount)
}

func hex(v uint64) string  { return fmt.Sprintf("$%#x", v) }
func count(v uint8) string { return fmt.Sprintf("$%d", v) }

func memory(base Reg, offset int) string {
	if offset == 0 {
		return "(" + RegName(base) + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, RegName(base))
}

func pair(t, t2 Reg) string { return "(" + RegName(t) + ", " + RegName(t2) + ")" }

// Go's assembler has three names for a vector register: F3 in loads and stores, V3.B16 and V3.D2 elsewhere.
func scalar(r Reg) string  { return fmt.Sprintf("F%d", r-V0) }
func lanes16(r Reg) string { return RegName(r) + ".B16" }
func lanes2(r Reg) string  { return RegName(r) + ".D2" }

// move spells MOVZ, MOVN or MOVK. Go's assembler refuses the constant 0, so that is given as a word.
func move(mnemonic string, imm uint16, hw uint8, d Reg, i isa.Instr) (string, error) {
	if imm == 0 {
		w, err := encode(i)
		return fmt.Sprintf("WORD $%#08x // %s $(0<<%d), %s", w, mnemonic, 16*hw, RegName(d)), err
	}
	return spell(mnemonic, fmt.Sprintf("$(%#x<<%d)", imm, 16*hw), d), nil
}
