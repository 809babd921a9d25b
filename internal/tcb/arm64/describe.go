package arm64

import (
	"fmt"

	"verum.example/internal/tcb/isa"
)

// Sections are those of DDI 0487H.a. Every form is data-independent: the data processing instructions are on the
// list of PSTATE.DIT (C5.2.4, and "Operational information" in each instruction's section), and loads and stores
// are insensitive to the value loaded or stored, by the same bit; their address is another matter, which the
// machine checks. ADRP, in TableAddr, has no register operand that its timing could depend on, nor has MOVI. The vector
// instructions are in C7.2 in alphabetical order.

// Describe names the form of i and where it is defined, and checks its operands. Ill-formed or unknown is an error.
func Describe(i isa.Instr) (isa.Info, error) {
	switch i := i.(type) {
	case ADD:
		return describe("ADD (shifted register)", "C6.2.5", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftASR))
	case ADDS:
		return describe("ADDS (shifted register)", "C6.2.9", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftASR))
	case SUB:
		return describe("SUB (shifted register)", "C6.2.358", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftASR))
	case SUBS:
		return describe("SUBS (shifted register)", "C6.2.364", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftASR))
	case ADDImm:
		return describe("ADD (immediate)", "C6.2.4", general(i.D), base(i.N), addImmediate(i.Imm))
	case ADDSImm:
		return describe("ADDS (immediate)", "C6.2.8", orZero(i.D), general(i.N), addImmediate(i.Imm))
	case SUBImm:
		return describe("SUB (immediate)", "C6.2.357", general(i.D), general(i.N), addImmediate(i.Imm))
	case SUBSImm:
		return describe("SUBS (immediate)", "C6.2.363", orZero(i.D), general(i.N), addImmediate(i.Imm))
	case ADC:
		return describe("ADC", "C6.2.1", orZero(i.D, i.N, i.M))
	case ADCS:
		return describe("ADCS", "C6.2.2", orZero(i.D, i.N, i.M))
	case SBC:
		return describe("SBC", "C6.2.265", orZero(i.D, i.N, i.M))
	case SBCS:
		return describe("SBCS", "C6.2.266", orZero(i.D, i.N, i.M))

	case MADD:
		return describe("MADD", "C6.2.218", orZero(i.D, i.N, i.M, i.A))
	case MSUB:
		return describe("MSUB", "C6.2.231", orZero(i.D, i.N, i.M, i.A))
	case UMULH:
		return describe("UMULH", "C6.2.392", orZero(i.D, i.N, i.M))

	case AND:
		return describe("AND (shifted register)", "C6.2.13", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case ANDS:
		return describe("ANDS (shifted register)", "C6.2.15", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case BIC:
		return describe("BIC (shifted register)", "C6.2.32", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case ORR:
		return describe("ORR (shifted register)", "C6.2.241", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case ORN:
		return describe("ORN (shifted register)", "C6.2.239", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case EOR:
		return describe("EOR (shifted register)", "C6.2.120", shifted(i.D, i.N, i.M, i.Shift, i.Amount, ShiftROR))
	case ANDImm:
		return describe("AND (immediate)", "C6.2.12", general(i.D), orZero(i.N), bitmaskImmediate(i.Imm))
	case ANDSImm:
		return describe("ANDS (immediate)", "C6.2.14", orZero(i.D, i.N), bitmaskImmediate(i.Imm))
	case ORRImm:
		return describe("ORR (immediate)", "C6.2.240", general(i.D), orZero(i.N), bitmaskImmediate(i.Imm))
	case EORImm:
		return describe("EOR (immediate)", "C6.2.119", general(i.D), orZero(i.N), bitmaskImmediate(i.Imm))

	case LSL:
		return describe("LSL (immediate)", "C6.2.213", orZero(i.D, i.N), between(i.Amount, 1, 63))
	case LSR:
		return describe("LSR (immediate)", "C6.2.216", orZero(i.D, i.N), between(i.Amount, 1, 63))
	case ASR:
		return describe("ASR (immediate)", "C6.2.17", orZero(i.D, i.N), between(i.Amount, 1, 63))
	case EXTR:
		return describe("EXTR", "C6.2.124", orZero(i.D, i.N, i.M), between(i.Amount, 0, 63))
	case REV:
		return describe("REV", "C6.2.256", orZero(i.D, i.N))

	case MOVZ:
		return describe("MOVZ", "C6.2.227", orZero(i.D), between(i.Hw, 0, 3))
	case MOVN:
		return describe("MOVN", "C6.2.226", orZero(i.D), between(i.Hw, 0, 3))
	case MOVK:
		return describe("MOVK", "C6.2.225", general(i.D), between(i.Hw, 0, 3))

	case CSEL:
		return describe("CSEL", "C6.2.103", orZero(i.D, i.N, i.M), i.Cond.check())
	case CSINC:
		return describe("CSINC", "C6.2.106", orZero(i.D, i.N, i.M), i.Cond.check())
	case CSINV:
		return describe("CSINV", "C6.2.107", orZero(i.D, i.N, i.M), i.Cond.check())
	case CSNEG:
		return describe("CSNEG", "C6.2.108", orZero(i.D, i.N, i.M), i.Cond.check())
	case CCMP:
		return describe("CCMP (register)", "C6.2.51", orZero(i.N, i.M), between(i.NZCV, 0, 15), i.Cond.check())
	case CCMPImm:
		return describe("CCMP (immediate)", "C6.2.50", orZero(i.N), between(i.Imm, 0, 31), between(i.NZCV, 0, 15), i.Cond.check())

	case LDR:
		return describe("LDR (immediate, unsigned offset, 64-bit)", "C6.2.166", orZero(i.T), base(i.N), scaled(i.Offset, 8, 0, 4095))
	case STR:
		return describe("STR (immediate, unsigned offset, 64-bit)", "C6.2.322", orZero(i.T), base(i.N), scaled(i.Offset, 8, 0, 4095))
	case LDRW:
		return describe("LDR (immediate, unsigned offset, 32-bit)", "C6.2.166", orZero(i.T), base(i.N), scaled(i.Offset, 4, 0, 4095))
	case STRW:
		return describe("STR (immediate, unsigned offset, 32-bit)", "C6.2.322", orZero(i.T), base(i.N), scaled(i.Offset, 4, 0, 4095))
	case LDRB:
		return describe("LDRB (immediate, unsigned offset)", "C6.2.170", orZero(i.T), base(i.N), scaled(i.Offset, 1, 0, 4095))
	case STRB:
		return describe("STRB (immediate, unsigned offset)", "C6.2.324", orZero(i.T), base(i.N), scaled(i.Offset, 1, 0, 4095))
	case LDP:
		return describe("LDP (signed offset, 64-bit)", "C6.2.164", orZero(i.T, i.T2), base(i.N), scaled(i.Offset, 8, -64, 63), distinct(i.T, i.T2))
	case STP:
		return describe("STP (signed offset, 64-bit)", "C6.2.321", orZero(i.T, i.T2), base(i.N), scaled(i.Offset, 8, -64, 63))

	case LDRQ:
		return describe("LDR (immediate, SIMD&FP, unsigned offset, 128-bit)", "C7.2", vectors(i.T), base(i.N), scaled(i.Offset, 16, 0, 4095))
	case STRQ:
		return describe("STR (immediate, SIMD&FP, unsigned offset, 128-bit)", "C7.2", vectors(i.T), base(i.N), scaled(i.Offset, 16, 0, 4095))
	case LDPQ:
		return describe("LDP (SIMD&FP, signed offset, 128-bit)", "C7.2", vectors(i.T, i.T2), base(i.N), scaled(i.Offset, 16, -64, 63), distinct(i.T, i.T2))
	case STPQ:
		return describe("STP (SIMD&FP, signed offset, 128-bit)", "C7.2", vectors(i.T, i.T2), base(i.N), scaled(i.Offset, 16, -64, 63))
	case VMOVI:
		return describe("MOVI (16B)", "C7.2", vectors(i.D))
	case VDUP:
		return describe("DUP (general, 2D)", "C7.2", vectors(i.D), orZero(i.N))
	case VCMEQ:
		return describe("CMEQ (register, 2D)", "C7.2", vectors(i.D, i.N, i.M))
	case VADD:
		return describe("ADD (vector, 2D)", "C7.2", vectors(i.D, i.N, i.M))
	case VAND:
		return describe("AND (vector, 16B)", "C7.2", vectors(i.D, i.N, i.M))
	case VORR:
		return describe("ORR (vector, register, 16B)", "C7.2", vectors(i.D, i.N, i.M))
	case VEOR:
		return describe("EOR (vector, 16B)", "C7.2", vectors(i.D, i.N, i.M))
	case VBIT:
		return describe("BIT (16B)", "C7.2", vectors(i.D, i.N, i.M))

	case LoadArg:
		return describe("LDR of an argument", "C6.2.166", general(i.D), identifier(i.Name))
	case StoreResult:
		return describe("STR of a result", "C6.2.322", orZero(i.S), identifier(i.Name))
	case TableAddr:
		return describe("ADRP and ADD of a table", "C6.2.11", general(i.D), identifier(i.Name))
	}
	return isa.Info{}, fmt.Errorf("arm64: %T is not an instruction of this model", i)
}

// describe makes the Info of a form unless one of the checks of its operands failed.
func describe(form, section string, checks ...error) (isa.Info, error) {
	for _, err := range checks {
		if err != nil {
			return isa.Info{}, fmt.Errorf("arm64: %s: %w", form, err)
		}
	}
	return isa.Info{Form: form, Manual: "DDI 0487H.a " + section, Timing: isa.DataIndependent}, nil
}

// general checks that r may be used freely.
func general(r Reg) error {
	if !allocatable(r) {
		return fmt.Errorf("%s can't be used here", RegName(r))
	}
	return nil
}

// orZero checks operands where the encoding 31 means zero.
func orZero(rs ...Reg) error {
	for _, r := range rs {
		if r != ZR && !allocatable(r) {
			return fmt.Errorf("%s can't be used here", RegName(r))
		}
	}
	return nil
}

// vectors checks vector operands.
func vectors(rs ...Reg) error {
	for _, r := range rs {
		if r < V0 || r > V31 {
			return fmt.Errorf("%s is no vector register", RegName(r))
		}
	}
	return nil
}

// base checks an operand where the encoding 31 means SP.
func base(r Reg) error {
	if r == SP {
		return nil
	}
	return general(r)
}

// shifted checks the operands of a shifted register form that allows the shifts up to last.
func shifted(d, n, m Reg, shift Shift, amount uint8, last Shift) error {
	if err := orZero(d, n, m); err != nil {
		return err
	}
	if shift > last {
		return fmt.Errorf("no shift %d", uint8(shift))
	}
	if amount == 0 && shift != ShiftLSL {
		return fmt.Errorf("a shift by 0 must be ShiftLSL")
	}
	return between(amount, 0, 63)
}

func between(v, low, high uint8) error {
	if v < low || v > high {
		return fmt.Errorf("%d is not between %d and %d", v, low, high)
	}
	return nil
}

// scaled checks the offset of a load or store: a multiple of size between low·size and high·size.
func scaled(offset, size, low, high int) error {
	if offset%size != 0 || offset < low*size || offset > high*size {
		return fmt.Errorf("offset %d is not a multiple of %d between %d and %d", offset, size, low*size, high*size)
	}
	return nil
}

// distinct refuses a pair of loads into one register, which is constrained unpredictable.
func distinct(t, t2 Reg) error {
	if t == t2 {
		return fmt.Errorf("both destinations are %s", RegName(t))
	}
	return nil
}

func addImmediate(imm uint64) error {
	if imm < 1<<12 || imm < 1<<24 && imm%(1<<12) == 0 {
		return nil
	}
	return fmt.Errorf("%#x is not an immediate of add and subtract", imm)
}

func bitmaskImmediate(imm uint64) error {
	if _, ok := encodeBitmask(imm); !ok {
		return fmt.Errorf("%#x is not a bitmask immediate", imm)
	}
	return nil
}

// identifier checks a name that ends up in assembly text.
func identifier(s string) error {
	for i, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("%q is not an identifier", s)
		}
	}
	if s == "" {
		return fmt.Errorf("a name is missing")
	}
	return nil
}
