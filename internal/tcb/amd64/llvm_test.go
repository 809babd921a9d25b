package amd64

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
)

// disassemble runs LLVM's disassembler: one line per instruction, in Intel's syntax.
func disassemble(t *testing.T, code [][]byte, flags ...string) []string {
	t.Helper()
	var tool string
	for _, name := range []string{"llvm-mc-22", "/usr/lib/llvm-22/bin/llvm-mc"} {
		if path, err := exec.LookPath(name); err == nil {
			tool = path
			break
		}
	}
	if tool == "" {
		skip(t, "needs llvm-mc of LLVM 22")
	}
	var in bytes.Buffer
	for _, c := range code {
		for _, b := range c {
			fmt.Fprintf(&in, "%#02x ", b)
		}
		in.WriteByte('\n')
	}
	args := append([]string{"-disassemble", "-triple=x86_64", "-mattr=+bmi,+bmi2,+avx2", "-output-asm-variant=1"}, flags...)
	cmd := exec.Command(tool, args...)
	cmd.Stdin = &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("llvm-mc: %v\n%s", err, out)
	}
	var lines []string
	for _, l := range strings.Split(string(out), "\n") {
		if l = strings.TrimSpace(l); l != "" && l[0] != '.' && l[0] != '#' {
			l, _, _ = strings.Cut(l, " # xmm") // what a shuffle does
			lines = append(lines, strings.Join(strings.Fields(l), " "))
		}
	}
	return lines
}

// Names of registers by width. Written out here rather than derived from the package under test.
var (
	names64 = map[Reg]string{AX: "rax", BX: "rbx", CX: "rcx", DX: "rdx", SI: "rsi", DI: "rdi", SP: "rsp", R8: "r8", R9: "r9",
		R10: "r10", R11: "r11", R12: "r12", R13: "r13", R14: "r14", R15: "r15"}
	names32 = map[Reg]string{AX: "eax", BX: "ebx", CX: "ecx", DX: "edx", SI: "esi", DI: "edi", R8: "r8d", R9: "r9d", R10: "r10d",
		R11: "r11d", R12: "r12d", R13: "r13d", R14: "r14d", R15: "r15d"}
	names8 = map[Reg]string{AX: "al", BX: "bl", CX: "cl", DX: "dl", SI: "sil", DI: "dil", R8: "r8b", R9: "r9b", R10: "r10b",
		R11: "r11b", R12: "r12b", R13: "r13b", R14: "r14b", R15: "r15b"}
	suffixes = map[Cond]string{OS: "o", OC: "no", CS: "b", CC: "ae", EQ: "e", NE: "ne", LS: "be", HI: "a", MI: "s", PL: "ns",
		LT: "l", GE: "ge", LE: "le", GT: "g"}
)

func q(r Reg) string { return names64[r] }

func xmm(r Reg) string { return fmt.Sprintf("xmm%d", r-32) }
func ymm(r Reg) string { return fmt.Sprintf("ymm%d", r-32) }

// brackets is the text of an address.
func brackets(m Mem) string {
	s := q(m.Base)
	switch m.Scale {
	case 0:
	case 1:
		s += " + " + q(m.Index)
	default:
		s += fmt.Sprintf(" + %d*%s", m.Scale, q(m.Index))
	}
	switch d := int64(m.Disp); {
	case d > 0:
		s += fmt.Sprintf(" + %d", d)
	case d < 0:
		s += fmt.Sprintf(" - %d", -d)
	}
	return "[" + s + "]"
}

func mem(width string, m Mem) string { return width + " ptr " + brackets(m) }
func q64(m Mem) string               { return mem("qword", m) }
func dec(v int32) string             { return strconv.Itoa(int(v)) }

// intelText is what a disassembler should say of i.
func intelText(i isa.Instr) string {
	op := func(mnemonic string, ops ...string) string { return mnemonic + " " + strings.Join(ops, ", ") }
	shift := func(mnemonic string, d Reg, n uint8) string {
		if n == 1 { // its own opcode
			return op(mnemonic, q(d))
		}
		return op(mnemonic, q(d), strconv.Itoa(int(n)))
	}
	switch i := i.(type) {
	case MOV:
		return op("mov", q(i.D), q(i.S))
	case MOVI:
		switch v := int64(i.Imm); {
		case v >= -1<<31 && v < 1<<31:
			return op("mov", q(i.D), strconv.FormatInt(v, 10))
		case v >= 0 && v < 1<<32:
			return op("mov", names32[i.D], strconv.FormatInt(v, 10))
		default:
			return op("movabs", q(i.D), strconv.FormatInt(v, 10))
		}
	case MOVLI:
		return op("mov", names32[i.D], strconv.FormatUint(uint64(i.Imm), 10))
	case MOVM:
		return op("mov", q(i.D), q64(i.M))
	case MOVMR:
		return op("mov", q64(i.M), q(i.S))
	case MOVMI:
		return op("mov", q64(i.M), dec(i.Imm))
	case MOVLM:
		return op("mov", names32[i.D], mem("dword", i.M))
	case MOVBMR:
		return op("mov", mem("byte", i.M), names8[i.S])
	case MOVBZX:
		return op("movzx", q(i.D), names8[i.S])
	case MOVBZXM:
		return op("movzx", q(i.D), mem("byte", i.M))
	case LEA:
		return op("lea", q(i.D), brackets(i.M))
	case BSWAP:
		return op("bswap", q(i.D))
	case ADD:
		return op("add", q(i.D), q(i.S))
	case ADDI:
		return op("add", q(i.D), dec(i.Imm))
	case ADDM:
		return op("add", q(i.D), q64(i.M))
	case ADDMR:
		return op("add", q64(i.M), q(i.S))
	case ADC:
		return op("adc", q(i.D), q(i.S))
	case ADCI:
		return op("adc", q(i.D), dec(i.Imm))
	case ADCM:
		return op("adc", q(i.D), q64(i.M))
	case ADCMR:
		return op("adc", q64(i.M), q(i.S))
	case SUB:
		return op("sub", q(i.D), q(i.S))
	case SUBI:
		return op("sub", q(i.D), dec(i.Imm))
	case SUBM:
		return op("sub", q(i.D), q64(i.M))
	case SUBMR:
		return op("sub", q64(i.M), q(i.S))
	case SBB:
		return op("sbb", q(i.D), q(i.S))
	case SBBI:
		return op("sbb", q(i.D), dec(i.Imm))
	case SBBM:
		return op("sbb", q(i.D), q64(i.M))
	case SBBMR:
		return op("sbb", q64(i.M), q(i.S))
	case NEG:
		return op("neg", q(i.D))
	case CMP:
		return op("cmp", q(i.X), q(i.Y))
	case CMPI:
		return op("cmp", q(i.X), dec(i.Imm))
	case CMPM:
		return op("cmp", q(i.X), q64(i.M))
	case CMPMR:
		return op("cmp", q64(i.M), q(i.Y))
	case AND:
		return op("and", q(i.D), q(i.S))
	case ANDI:
		return op("and", q(i.D), dec(i.Imm))
	case ANDM:
		return op("and", q(i.D), q64(i.M))
	case ANDMR:
		return op("and", q64(i.M), q(i.S))
	case OR:
		return op("or", q(i.D), q(i.S))
	case ORI:
		return op("or", q(i.D), dec(i.Imm))
	case ORM:
		return op("or", q(i.D), q64(i.M))
	case ORMR:
		return op("or", q64(i.M), q(i.S))
	case XOR:
		return op("xor", q(i.D), q(i.S))
	case XORI:
		return op("xor", q(i.D), dec(i.Imm))
	case XORM:
		return op("xor", q(i.D), q64(i.M))
	case XORMR:
		return op("xor", q64(i.M), q(i.S))
	case XORL:
		return op("xor", names32[i.D], names32[i.S])
	case TEST:
		return op("test", q(i.X), q(i.Y))
	case TESTI:
		return op("test", q(i.X), dec(i.Imm))
	case TESTM:
		return op("test", q64(i.M), q(i.X))
	case NOT:
		return op("not", q(i.D))
	case ANDN:
		return op("andn", q(i.D), q(i.N), q(i.S))
	case MUL:
		return op("mul", q(i.S))
	case MULM:
		return op("mul", q64(i.M))
	case IMUL:
		return op("imul", q(i.D), q(i.S))
	case IMULM:
		return op("imul", q(i.D), q64(i.M))
	case IMULI:
		return op("imul", q(i.D), q(i.S), dec(i.Imm))
	case MULX:
		return op("mulx", q(i.Hi), q(i.Lo), q(i.S))
	case MULXM:
		return op("mulx", q(i.Hi), q(i.Lo), q64(i.M))
	case SHL:
		return shift("shl", i.D, i.N)
	case SHR:
		return shift("shr", i.D, i.N)
	case SAR:
		return shift("sar", i.D, i.N)
	case SHLD:
		return op("shld", q(i.D), q(i.S), strconv.Itoa(int(i.N)))
	case SHRD:
		return op("shrd", q(i.D), q(i.S), strconv.Itoa(int(i.N)))
	case RORX:
		return op("rorx", q(i.D), q(i.S), strconv.Itoa(int(i.N)))
	case CMOV:
		return op("cmov"+suffixes[i.K], q(i.D), q(i.S))
	case CMOVM:
		return op("cmov"+suffixes[i.K], q(i.D), q64(i.M))
	case SETCC:
		return op("set"+suffixes[i.K], names8[i.D])
	case MOVDQA:
		return op("movdqa", xmm(i.D), xmm(i.S))
	case MOVDQUM:
		return op("movdqu", xmm(i.D), mem("xmmword", i.M))
	case MOVDQUMR:
		return op("movdqu", mem("xmmword", i.M), xmm(i.S))
	case MOVQX:
		return op("movq", xmm(i.D), q(i.S))
	case PXOR:
		return op("pxor", xmm(i.D), xmm(i.S))
	case POR:
		return op("por", xmm(i.D), xmm(i.S))
	case PAND:
		return op("pand", xmm(i.D), xmm(i.S))
	case PANDN:
		return op("pandn", xmm(i.D), xmm(i.S))
	case PCMPEQD:
		return op("pcmpeqd", xmm(i.D), xmm(i.S))
	case PADDD:
		return op("paddd", xmm(i.D), xmm(i.S))
	case PSHUFD:
		return op("pshufd", xmm(i.D), xmm(i.S), strconv.Itoa(int(i.Imm)))
	case VMOVDQUM:
		return op("vmovdqu", ymm(i.D), mem("ymmword", i.M))
	case VMOVDQUMR:
		return op("vmovdqu", mem("ymmword", i.M), ymm(i.S))
	case VMOVQ:
		return op("vmovq", xmm(i.D), q(i.S))
	case VPBROADCASTQ:
		return op("vpbroadcastq", ymm(i.D), xmm(i.S))
	case VPXOR:
		return op("vpxor", ymm(i.D), ymm(i.N), ymm(i.S))
	case VPOR:
		return op("vpor", ymm(i.D), ymm(i.N), ymm(i.S))
	case VPAND:
		return op("vpand", ymm(i.D), ymm(i.N), ymm(i.S))
	case VPANDM:
		return op("vpand", ymm(i.D), ymm(i.N), mem("ymmword", i.M))
	case VPANDN:
		return op("vpandn", ymm(i.D), ymm(i.N), ymm(i.S))
	case VPCMPEQQ:
		return op("vpcmpeqq", ymm(i.D), ymm(i.N), ymm(i.S))
	case VPADDQ:
		return op("vpaddq", ymm(i.D), ymm(i.N), ymm(i.S))
	case VZEROUPPER:
		return "vzeroupper"
	case LoadArg: // in a function without frame, argument at offset 0
		return op("mov", q(i.D), "qword ptr [rsp + 8]")
	case StoreResult: // at offset 16
		return op("mov", "qword ptr [rsp + 24]", q(i.S))
	case TableAddr:
		return op("lea", q(i.D), "[rip]")
	}
	return fmt.Sprintf("no text for %T", i)
}

// TestDisassembly: LLVM reads the bytes of each form as the instruction that is meant.
func TestDisassembly(t *testing.T) {
	rng := seed(t)
	var is []isa.Instr
	var code [][]byte
	for _, like := range forms {
		for _, i := range variants(rng, like, 60) {
			c, _, err := Encode(isa.Function{Name: "f", Lines: lines(i), Args: testArgs, ArgSize: 24})
			if err != nil {
				t.Fatal(err)
			}
			is, code = append(is, i), append(code, c[:len(c)-1])
		}
	}
	text := disassemble(t, code)
	if len(text) != len(is) {
		t.Errorf("%d instructions are read as %d", len(is), len(text))
	}
	for n := range min(len(is), len(text)) {
		if want := intelText(is[n]); text[n] != want {
			t.Fatalf("%s %+v, % x: LLVM says %q, not %q", formName(is[n]), is[n], code[n], text[n], want)
		}
	}
	t.Logf("%d instructions", len(is))
	evidently(t, "disassembly", nil, map[string]int64{"instructions": int64(len(is))})
}

var encodingComment = regexp.MustCompile(`^(.*?) # encoding: \[(.*)\]`)

// TestDisassemblyFunction: LLVM reads prologue, epilogue, calls and branches as what is meant, the latter with the
// right targets.
func TestDisassemblyFunction(t *testing.T) {
	for _, frame := range []int{0, 24, 120, 128, 136} {
		for _, distant := range []bool{false, true} {
			f := isa.Function{Name: "f", Args: testArgs, ArgSize: 24, Frame: frame, Calls: true}
			want := []string{"push rbp", "mov rbp, rsp"}
			leave := []string{"pop rbp", "ret"}
			switch {
			case frame == 128:
				want = append(want, "add rsp, -128")
				leave = append([]string{"sub rsp, -128"}, leave...)
			case frame > 0:
				want = append(want, fmt.Sprintf("sub rsp, %d", frame))
				leave = append([]string{fmt.Sprintf("add rsp, %d", frame)}, leave...)
			}
			add := func(l isa.Line, text ...string) { f.Lines, want = append(f.Lines, l), append(want, text...) }
			add(isa.Line{Instr: LoadArg{CX, "y"}}, fmt.Sprintf("mov rcx, qword ptr [rsp + %d]", frame+16+8))
			add(isa.Line{Label: "top"}, "@top")
			for _, k := range allConds {
				add(isa.Line{Branch: &isa.Branch{Cond: k, Label: "end"}}, "j"+suffixes[k]+" @end")
				add(isa.Line{Branch: &isa.Branch{Cond: k, Label: "top"}}, "j"+suffixes[k]+" @top")
			}
			add(isa.Line{Branch: &isa.Branch{Label: "end"}}, "jmp @end")
			add(isa.Line{Call: "g"}, "call 0")
			add(isa.Line{Return: true}, leave...)
			if distant {
				for range 50 {
					add(isa.Line{Instr: NOT{AX}}, "not rax")
				}
			}
			add(isa.Line{Branch: &isa.Branch{Label: "top"}}, "jmp @top")
			add(isa.Line{Label: "end"}, "@end")
			add(isa.Line{Instr: StoreResult{R9, "r"}}, fmt.Sprintf("mov qword ptr [rsp + %d], r9", frame+16+16))
			add(isa.Line{Return: true}, leave...)

			code, relocs, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(relocs) != 1 || relocs[0].Kind != isa.RelocCall || code[relocs[0].Offset-1] != 0xe8 {
				t.Errorf("relocations %+v", relocs)
			}
			// Offsets of LLVM's instructions, then branch targets, then labels.
			var text []string
			var offsets []int
			at := 0
			for _, l := range disassemble(t, [][]byte{code}, "-show-encoding") {
				m := encodingComment.FindStringSubmatch(l)
				if m == nil {
					t.Fatalf("no encoding in %q", l)
				}
				text, offsets = append(text, m[1]), append(offsets, at)
				at += strings.Count(m[2], ",") + 1
			}
			if at != len(code) {
				t.Errorf("LLVM reads %d bytes of %d", at, len(code))
			}
			labels := map[string]int{}
			n := 0
			for _, w := range want {
				if strings.HasPrefix(w, "@") {
					labels[w] = offsets[n]
				} else {
					n++
				}
			}
			n = 0
			for _, w := range want {
				if strings.HasPrefix(w, "@") {
					continue
				}
				if n >= len(text) {
					t.Fatal("too few instructions")
				}
				if j, to, ok := strings.Cut(w, " @"); ok {
					end := len(code)
					if n+1 < len(offsets) {
						end = offsets[n+1]
					}
					w = fmt.Sprintf("%s %d", j, labels["@"+to]-end)
				}
				if text[n] != w {
					t.Errorf("frame %d: instruction %d: LLVM says %q, not %q", frame, n, text[n], w)
				}
				n++
			}
			if n != len(text) {
				t.Errorf("frame %d: %d instructions are read as %d", frame, n, len(text))
			}
		}
	}
}
