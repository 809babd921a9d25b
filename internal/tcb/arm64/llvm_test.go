package arm64

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
)

// gnu spells an instruction as LLVM's disassembler does, aliases included: a third description of each form, written
// for this test alone.
func gnu(t *testing.T, i isa.Instr) string {
	switch i := i.(type) {
	case ADD:
		return op("add", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ADDS:
		if i.D == ZR {
			return op("cmn", i.N, i.M) + gnuShift(i.Shift, i.Amount)
		}
		return op("adds", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case SUB:
		if i.N == ZR {
			return op("neg", i.D, i.M) + gnuShift(i.Shift, i.Amount)
		}
		return op("sub", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case SUBS:
		if i.D == ZR {
			return op("cmp", i.N, i.M) + gnuShift(i.Shift, i.Amount)
		}
		if i.N == ZR {
			return op("negs", i.D, i.M) + gnuShift(i.Shift, i.Amount)
		}
		return op("subs", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ADDImm:
		if i.N == SP && i.Imm == 0 {
			return op("mov", i.D, i.N)
		}
		return op("add", i.D, i.N) + gnuImm12(i.Imm)
	case ADDSImm:
		if i.D == ZR {
			return op("cmn", i.N) + gnuImm12(i.Imm)
		}
		return op("adds", i.D, i.N) + gnuImm12(i.Imm)
	case SUBImm:
		return op("sub", i.D, i.N) + gnuImm12(i.Imm)
	case SUBSImm:
		if i.D == ZR {
			return op("cmp", i.N) + gnuImm12(i.Imm)
		}
		return op("subs", i.D, i.N) + gnuImm12(i.Imm)
	case ADC:
		return op("adc", i.D, i.N, i.M)
	case ADCS:
		return op("adcs", i.D, i.N, i.M)
	case SBC:
		if i.N == ZR {
			return op("ngc", i.D, i.M)
		}
		return op("sbc", i.D, i.N, i.M)
	case SBCS:
		if i.N == ZR {
			return op("ngcs", i.D, i.M)
		}
		return op("sbcs", i.D, i.N, i.M)
	case MADD:
		if i.A == ZR {
			return op("mul", i.D, i.N, i.M)
		}
		return op("madd", i.D, i.N, i.M, i.A)
	case MSUB:
		if i.A == ZR {
			return op("mneg", i.D, i.N, i.M)
		}
		return op("msub", i.D, i.N, i.M, i.A)
	case UMULH:
		return op("umulh", i.D, i.N, i.M)
	case AND:
		return op("and", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ANDS:
		if i.D == ZR {
			return op("tst", i.N, i.M) + gnuShift(i.Shift, i.Amount)
		}
		return op("ands", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case BIC:
		return op("bic", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ORR:
		if i.N == ZR && i.Amount == 0 {
			return op("mov", i.D, i.M)
		}
		return op("orr", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ORN:
		if i.N == ZR {
			return op("mvn", i.D, i.M) + gnuShift(i.Shift, i.Amount)
		}
		return op("orn", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case EOR:
		return op("eor", i.D, i.N, i.M) + gnuShift(i.Shift, i.Amount)
	case ANDImm:
		return op("and", i.D, i.N) + fmt.Sprintf(", #%#x", i.Imm)
	case ANDSImm:
		if i.D == ZR {
			return op("tst", i.N) + fmt.Sprintf(", #%#x", i.Imm)
		}
		return op("ands", i.D, i.N) + fmt.Sprintf(", #%#x", i.Imm)
	case ORRImm:
		if i.N == ZR && !wideMove(i.Imm) && !wideMove(^i.Imm) {
			return op("mov", i.D) + fmt.Sprintf(", #%d", int64(i.Imm))
		}
		return op("orr", i.D, i.N) + fmt.Sprintf(", #%#x", i.Imm)
	case EORImm:
		return op("eor", i.D, i.N) + fmt.Sprintf(", #%#x", i.Imm)
	case LSL:
		return op("lsl", i.D, i.N) + fmt.Sprintf(", #%d", i.Amount)
	case LSR:
		return op("lsr", i.D, i.N) + fmt.Sprintf(", #%d", i.Amount)
	case ASR:
		return op("asr", i.D, i.N) + fmt.Sprintf(", #%d", i.Amount)
	case EXTR:
		if i.N == i.M {
			return op("ror", i.D, i.N) + fmt.Sprintf(", #%d", i.Amount)
		}
		return op("extr", i.D, i.N, i.M) + fmt.Sprintf(", #%d", i.Amount)
	case REV:
		return op("rev", i.D, i.N)
	case MOVZ:
		if i.Imm == 0 && i.Hw != 0 {
			return op("movz", i.D) + fmt.Sprintf(", #0, lsl #%d", 16*i.Hw)
		}
		return op("mov", i.D) + fmt.Sprintf(", #%d", int64(uint64(i.Imm)<<(16*i.Hw)))
	case MOVN:
		if i.Imm == 0 && i.Hw != 0 {
			return op("movn", i.D) + fmt.Sprintf(", #0, lsl #%d", 16*i.Hw)
		}
		return op("mov", i.D) + fmt.Sprintf(", #%d", ^int64(uint64(i.Imm)<<(16*i.Hw)))
	case MOVK:
		s := op("movk", i.D) + fmt.Sprintf(", #%d", i.Imm)
		if i.Hw != 0 {
			s += fmt.Sprintf(", lsl #%d", 16*i.Hw)
		}
		return s
	case CSEL:
		return op("csel", i.D, i.N, i.M) + gnuCond(i.Cond)
	case CSINC:
		if i.N == i.M && i.N == ZR {
			return op("cset", i.D) + gnuOpposite(i.Cond)
		}
		if i.N == i.M {
			return op("cinc", i.D, i.N) + gnuOpposite(i.Cond)
		}
		return op("csinc", i.D, i.N, i.M) + gnuCond(i.Cond)
	case CSINV:
		if i.N == i.M && i.N == ZR {
			return op("csetm", i.D) + gnuOpposite(i.Cond)
		}
		if i.N == i.M {
			return op("cinv", i.D, i.N) + gnuOpposite(i.Cond)
		}
		return op("csinv", i.D, i.N, i.M) + gnuCond(i.Cond)
	case CSNEG:
		if i.N == i.M {
			return op("cneg", i.D, i.N) + gnuOpposite(i.Cond)
		}
		return op("csneg", i.D, i.N, i.M) + gnuCond(i.Cond)
	case CCMP:
		return op("ccmp", i.N, i.M) + fmt.Sprintf(", #%d", i.NZCV) + gnuCond(i.Cond)
	case CCMPImm:
		return op("ccmp", i.N) + fmt.Sprintf(", #%d, #%d", i.Imm, i.NZCV) + gnuCond(i.Cond)
	case LDR:
		return op("ldr", i.T) + gnuMemory(i.N, i.Offset)
	case STR:
		return op("str", i.T) + gnuMemory(i.N, i.Offset)
	case LDRW:
		return strings.Replace(op("ldr", i.T), " x", " w", 1) + gnuMemory(i.N, i.Offset)
	case STRW:
		return strings.Replace(op("str", i.T), " x", " w", 1) + gnuMemory(i.N, i.Offset)
	case LDRB:
		return strings.Replace(op("ldrb", i.T), " x", " w", 1) + gnuMemory(i.N, i.Offset)
	case STRB:
		return strings.Replace(op("strb", i.T), " x", " w", 1) + gnuMemory(i.N, i.Offset)
	case LDP:
		return op("ldp", i.T, i.T2) + gnuMemory(i.N, i.Offset)
	case STP:
		return op("stp", i.T, i.T2) + gnuMemory(i.N, i.Offset)
	}
	switch i := i.(type) {
	case LDRQ:
		return fmt.Sprintf("ldr q%d", i.T-V0) + gnuMemory(i.N, i.Offset)
	case STRQ:
		return fmt.Sprintf("str q%d", i.T-V0) + gnuMemory(i.N, i.Offset)
	case LDPQ:
		return fmt.Sprintf("ldp q%d, q%d", i.T-V0, i.T2-V0) + gnuMemory(i.N, i.Offset)
	case STPQ:
		return fmt.Sprintf("stp q%d, q%d", i.T-V0, i.T2-V0) + gnuMemory(i.N, i.Offset)
	case VMOVI:
		return fmt.Sprintf("movi v%d.16b, #%d", i.D-V0, i.Imm)
	case VDUP:
		return fmt.Sprintf("dup v%d.2d", i.D-V0) + op(",", i.N)
	case VCMEQ:
		return gnuVector("cmeq", ".2d", i.D, i.N, i.M)
	case VADD:
		return gnuVector("add", ".2d", i.D, i.N, i.M)
	case VAND:
		return gnuVector("and", ".16b", i.D, i.N, i.M)
	case VORR:
		if i.N == i.M {
			return gnuVector("mov", ".16b", i.D, i.N)
		}
		return gnuVector("orr", ".16b", i.D, i.N, i.M)
	case VEOR:
		return gnuVector("eor", ".16b", i.D, i.N, i.M)
	case VBIT:
		return gnuVector("bit", ".16b", i.D, i.N, i.M)
	}
	t.Fatalf("no GNU spelling of %T", i)
	return ""
}

func op(mnemonic string, rs ...Reg) string {
	var names []string
	for _, r := range rs {
		switch r {
		case ZR:
			names = append(names, "xzr")
		case SP:
			names = append(names, "sp")
		default:
			names = append(names, fmt.Sprintf("x%d", r))
		}
	}
	return mnemonic + " " + strings.Join(names, ", ")
}

func gnuVector(mnemonic, lanes string, rs ...Reg) string {
	var names []string
	for _, r := range rs {
		names = append(names, fmt.Sprintf("v%d%s", r-V0, lanes))
	}
	return mnemonic + " " + strings.Join(names, ", ")
}

func gnuShift(s Shift, amount uint8) string {
	if amount == 0 {
		return ""
	}
	return fmt.Sprintf(", %s #%d", []string{"lsl", "lsr", "asr", "ror"}[s], amount)
}

func gnuImm12(v uint64) string {
	if v >= 4096 {
		return fmt.Sprintf(", #%d, lsl #12", v/4096)
	}
	return fmt.Sprintf(", #%d", v)
}

func gnuMemory(base Reg, offset int) string {
	b := strings.TrimPrefix(op("", base), " ")
	if offset == 0 {
		return ", [" + b + "]"
	}
	return fmt.Sprintf(", [%s, #%d]", b, offset)
}

func gnuCond(k Cond) string { return ", " + strings.ToLower(k.String()) }

func gnuOpposite(k Cond) string {
	opposites := "EQ NE EQ HS LO HS MI PL MI VS VC VS HI LS HI GE LT GE GT LE GT"
	names := strings.Fields(opposites)
	for i, name := range names {
		if name == k.String() {
			return ", " + strings.ToLower(names[i+1])
		}
	}
	return "?"
}

// wideMove says whether MOVZ can make v.
func wideMove(v uint64) bool {
	return v&0xffff == v || v&0xffff0000 == v || v&0xffff00000000 == v || v&0xffff000000000000 == v
}

// disassemble runs LLVM's disassembler over code.
func disassemble(t *testing.T, code []byte) []string {
	mc := tool(t, "llvm-mc-22", "/usr/lib/llvm-22/bin/llvm-mc")
	var in strings.Builder
	for i := 0; i < len(code); i += 4 {
		fmt.Fprintf(&in, "0x%02x 0x%02x 0x%02x 0x%02x\n", code[i], code[i+1], code[i+2], code[i+3])
	}
	cmd := exec.Command(mc, "-disassemble", "-triple=aarch64")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("llvm-mc: %v\n%.2000s", err, out)
	}
	var lines []string
	for _, line := range strings.Split(string(out), "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.Join(strings.Fields(line), " ")
		if line != "" && !strings.HasPrefix(line, ".") {
			lines = append(lines, line)
		}
	}
	if len(lines) != len(code)/4 {
		t.Fatalf("llvm-mc made %d lines of %d instructions", len(lines), len(code)/4)
	}
	return lines
}

// TestDisassemble shows that LLVM reads the bytes of each form as the instruction that was meant.
func TestDisassemble(t *testing.T) {
	g := newGen(t)
	var code []byte
	var want []string
	for _, form := range instructionForms {
		for range 300 {
			i := form(g)
			switch i.(type) {
			case LoadArg, StoreResult, TableAddr:
				continue // in TestDisassembleFunction
			}
			f := goFunction("f", 0, instr(i), ret())
			c, _, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, c[:4]...)
			want = append(want, gnu(t, i))
		}
	}
	got := disassemble(t, code)
	bad := 0
	for n := range want {
		if got[n] != want[n] {
			t.Errorf("%x: LLVM reads %q, want %q", code[4*n:4*n+4], got[n], want[n])
			if bad++; bad > 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d instructions", len(want))
	evidently(t, "disassembly", nil, map[string]int64{"instructions": int64(len(want))})
}

// TestDisassembleFunction does so for what lies around the instructions.
func TestDisassembleFunction(t *testing.T) {
	body := append(instrs(LoadArg{R1, "b"}, TableAddr{R2, "table0"}, StoreResult{R1, "ret"}),
		branch(HI, "l"), branch(CBZ{R3}, "l"), branch(CBNZ{R4}, "l"), branch(nil, "l"), label("l"))
	const inner = "adrp x2, #0; add x2, x2, #0; %s; b.hi #16; cbz x3, #12; cbnz x4, #8; b #4; "
	in := func(store string) string { return strings.Replace(inner, "%s", store, 1) }
	tests := []struct {
		f    isa.Function
		want string
	}{
		{goFunction("f", 0, append(body, ret())...), "ldr x1, [sp, #16]; " + in("str x1, [sp, #24]") + "ret"},
		{goFunction("f", 32, append(body, ret())...),
			"str x30, [sp, #-48]!; stur x29, [sp, #-8]; sub x29, sp, #8; ldr x1, [sp, #64]; " + in("str x1, [sp, #72]") +
				"add x29, sp, #40; add sp, sp, #48; ret"},
		{goFunction("f", 0, append(body, call("g"), ret())...),
			"str x30, [sp, #-16]!; stur x29, [sp, #-8]; sub x29, sp, #8; ldr x1, [sp, #32]; " + in("str x1, [sp, #40]") +
				"bl #0; ldur x29, [sp, #-8]; ldr x30, [sp], #16; ret"},
		{goFunction("f", 240, append(body, ret())...),
			"sub x20, sp, #256; stp x29, x30, [x20, #-8]; mov sp, x20; sub x29, sp, #8; ldr x1, [sp, #272]; " + in("str x1, [sp, #280]") +
				"add x29, sp, #248; add sp, sp, #256; ret"},
		{goFunction("f", 240, append(body, call("g"), ret())...),
			"sub x20, sp, #256; stp x29, x30, [x20, #-8]; mov sp, x20; sub x29, sp, #8; ldr x1, [sp, #272]; " + in("str x1, [sp, #280]") +
				"bl #0; ldp x29, x30, [sp, #-8]; add sp, sp, #256; ret"},
	}
	for _, test := range tests {
		code, _, err := Encode(test.f)
		if err != nil {
			t.Fatal(err)
		}
		for len(code) > 0 && string(code[len(code)-4:]) == "\x00\x00\x00\x00" { // padding
			code = code[:len(code)-4]
		}
		if got := strings.Join(disassemble(t, code), "; "); got != test.want {
			t.Errorf("frame %d, calls %v: LLVM reads\n%s\nwant\n%s", test.f.Frame, test.f.Calls, got, test.want)
		}
	}
}
