package arm64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
)

// binaryFile is a linked ELF program.
type binaryFile struct {
	*elf.File
	symbols map[string]elf.Symbol
}

func openBinary(t *testing.T, path string) binaryFile {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	b := binaryFile{f, make(map[string]elf.Symbol)}
	for _, s := range syms {
		b.symbols[s.Name] = s
	}
	return b
}

// symbol finds a symbol of package main: a Go function's ABI0 body, or a file-local one.
func (b binaryFile) symbol(t *testing.T, name string) elf.Symbol {
	for _, n := range []string{"main." + name + ".abi0", "main." + name, name} {
		if s, ok := b.symbols[n]; ok {
			return s
		}
	}
	t.Fatalf("no symbol %s", name)
	return elf.Symbol{}
}

func (b binaryFile) bytes(t *testing.T, s elf.Symbol) []byte {
	for _, sec := range b.Sections {
		if s.Value >= sec.Addr && s.Value+s.Size <= sec.Addr+sec.Size && sec.Type == elf.SHT_PROGBITS {
			p := make([]byte, s.Size)
			if _, err := sec.ReadAt(p, int64(s.Value-sec.Addr)); err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("symbol %s is in no section", s.Name)
	return nil
}

// goStubs declares the functions, with their arguments, and a table of their addresses, which printAll fills. The
// table keeps the linker from dropping them. (Func values would add a wrapper's frame to each function's.)
func goStubs(fs []isa.Function) string {
	var b strings.Builder
	for _, f := range fs {
		if f.Local {
			continue
		}
		var params, results []string
		for _, a := range f.Args {
			if a.Result {
				results = append(results, a.Name+" uint64")
			} else {
				params = append(params, a.Name+" uint64")
			}
		}
		fmt.Fprintf(&b, "func %s(%s) (%s)\n", f.Name, strings.Join(params, ", "), strings.Join(results, ", "))
	}
	fmt.Fprintf(&b, "\nvar functions [%d]uintptr\n", len(fs))
	return b.String()
}

const asmHeader = "#include \"textflag.h\"\n\n"

// asmTables defines the tables that the generator of TableAddr names.
const asmTables = `
DATA table0<>+0(SB)/8, $0x0123456789abcdef
DATA table0<>+8(SB)/8, $0x1122334455667788
GLOBL table0<>(SB), RODATA|NOPTR, $16
DATA table1<>+0(SB)/8, $42
GLOBL table1<>(SB), RODATA|NOPTR, $8
`

func printAll(t *testing.T, fs []isa.Function) string {
	var b strings.Builder
	b.WriteString(asmHeader)
	for _, f := range fs {
		text, err := Print(f)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(text + "\n")
	}
	for n, f := range fs {
		if f.Local {
			fmt.Fprintf(&b, "DATA ·functions+%d(SB)/8, $%s<>(SB)\n", 8*n, f.Name)
		} else {
			fmt.Fprintf(&b, "DATA ·functions+%d(SB)/8, $·%s(SB)\n", 8*n, f.Name)
		}
	}
	fmt.Fprintf(&b, "GLOBL ·functions(SB), NOPTR, $%d\n", 8*len(fs))
	return b.String() + asmTables
}

var testArgs = []isa.Arg{{Name: "a", Offset: 0}, {Name: "b", Offset: 8}, {Name: "ret", Offset: 16, Result: true}}

func goFunction(name string, frame int, lines ...isa.Line) isa.Function {
	f := isa.Function{Name: name, Args: testArgs, ArgSize: 24, Frame: frame, Lines: lines}
	for _, l := range lines {
		f.Calls = f.Calls || l.Call != ""
	}
	return f
}

func routine(name string, frame int, lines ...isa.Line) isa.Function {
	f := goFunction(name, frame, lines...)
	f.Local, f.Args, f.ArgSize = true, nil, 0
	return f
}

func instr(i isa.Instr) isa.Line { return isa.Line{Instr: i} }
func label(s string) isa.Line    { return isa.Line{Label: s} }
func branch(k isa.Cond, label string) isa.Line {
	return isa.Line{Branch: &isa.Branch{Cond: k, Label: label}}
}
func call(s string) isa.Line { return isa.Line{Call: s} }
func ret() isa.Line          { return isa.Line{Return: true} }
func instrs(is ...isa.Instr) (lines []isa.Line) {
	for _, i := range is {
		lines = append(lines, instr(i))
	}
	return lines
}

var testFrames = []int{0, 16, 32, 48, 96, 208, 224, 240, 256, 272, 512, 752}

// byteFunctions covers every form, frame size, call and kind of branch.
func byteFunctions(g gen, perForm int) []isa.Function {
	var fs []isa.Function
	for n, form := range instructionForms {
		var lines []isa.Line
		for range perForm {
			lines = append(lines, instr(form(g)))
		}
		fs = append(fs, goFunction(fmt.Sprintf("form%d", n), pick(g, 0, 16, 240, 512), append(lines, ret())...))
	}
	for _, frame := range testFrames {
		body := instrs(LoadArg{R1, "a"}, LoadArg{R2, "b"}, ADD{D: R3, N: R1, M: R2}, StoreResult{R3, "ret"})
		fs = append(fs,
			goFunction(fmt.Sprintf("leaf%d", frame), frame, append(body, ret())...),
			goFunction(fmt.Sprintf("caller%d", frame), frame, append(append(body, call("small")), ret())...),
			goFunction(fmt.Sprintf("outer%d", frame), 0, call(fmt.Sprintf("nested%d", frame)), ret()),
			routine(fmt.Sprintf("nested%d", frame), frame, call("small"), instr(MOV(R0, R1)), ret()),
		)
	}
	fs = append(fs, goFunction("leaf768", MaxFrame, ret()))
	fs = append(fs, routine("small", 0, instr(ADDImm{R0, R0, 1}), ret()))

	// Branches: forwards and backwards, of every condition, to returns, over far distances, and to other branches.
	for n := range 20 {
		var lines []isa.Line
		const labels = 12
		for l := range labels {
			lines = append(lines, label(fmt.Sprintf("l%d", l)))
			if l%4 == 3 {
				lines = append(lines, label(fmt.Sprintf("also%d", l)))
			}
			switch g.IntN(5) {
			case 0: // to a later label only, so that nothing goes in a circle
				lines = append(lines, branch(nil, fmt.Sprintf("l%d", l+1+g.IntN(labels-l))))
			case 1:
				lines = append(lines, ret())
			default:
				for range g.IntN(4) + g.IntN(2)*g.IntN(300) {
					lines = append(lines, instr(instructionForms[g.IntN(len(instructionForms))](g)))
				}
				lines = append(lines, branch(conditionForms[g.IntN(3)](g), fmt.Sprintf("l%d", g.IntN(labels+1))))
			}
		}
		lines = append(lines, label(fmt.Sprintf("l%d", labels)), ret())
		fs = append(fs, goFunction(fmt.Sprintf("branches%d", n), pick(g, 0, 16, 32, 512), lines...))
	}
	var all []isa.Line
	for k := EQ; k <= LE; k++ {
		all = append(all, branch(k, "out"))
	}
	all = append(all, branch(CBZ{R1}, "out"), branch(CBNZ{R2}, "out"), label("out"), ret())
	fs = append(fs, goFunction("conditions", 0, all...))

	// A conditional branch over nearly a megabyte.
	far := []isa.Line{label("back")}
	for range 1<<18 - 40 {
		far = append(far, instr(MOVK{R1, 1, 1}))
	}
	far = append(far, branch(NE, "back"), ret())
	return append(fs, goFunction("far", 0, far...))
}

// TestEncode compares the encoder's bytes with those that Go's assembler and linker make of the printed text.
func TestEncode(t *testing.T) {
	g := newGen(t)
	fs := byteFunctions(g, 600)
	prog := buildArm64(t, map[string]string{
		"a_arm64.s": printAll(t, fs),
		"main.go":   "package main\n\nfunc main() { println(functions[0]) }\n\n" + goStubs(fs),
	})
	b := openBinary(t, prog)
	total, places := 0, 0
	for _, f := range fs {
		sym := b.symbol(t, f.Name)
		got := b.bytes(t, sym)
		want, relocs, err := Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range relocs {
			if err := unpatch(got, r, sym.Value, b.symbol(t, r.Symbol).Value); err != nil {
				t.Fatalf("%s at %#x: %v", f.Name, r.Offset, err)
			}
		}
		if !bytes.Equal(got, want) {
			for i := 0; i+4 <= min(len(got), len(want)); i += 4 {
				if !bytes.Equal(got[i:i+4], want[i:i+4]) {
					t.Errorf("%s: assembler %x, encoder %x at %#x", f.Name, got[i:i+4], want[i:i+4], i)
					break
				}
			}
			t.Fatalf("%s: %d bytes from the assembler, %d from the encoder", f.Name, len(got), len(want))
		}
		if f.Name == "far" {
			continue // a megabyte of one instruction is no evidence
		}
		total += len(got)
		places += len(relocs)
	}
	t.Logf("%d functions, %d bytes equal, %d places patched by the linker", len(fs), total, places)
	evidently(t, "bytes", nil, map[string]int64{"functions": int64(len(fs)), "bytes": int64(total), "relocations": int64(places)})
}

// unpatch checks that a place patched by the linker points to the symbol, and takes the displacement out again.
func unpatch(code []byte, r isa.Reloc, function, symbol uint64) error {
	at := function + uint64(r.Offset)
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(code[r.Offset+4*i:]) }
	put := func(i int, w uint32) { binary.LittleEndian.PutUint32(code[r.Offset+4*i:], w) }
	switch r.Kind {
	case isa.RelocCall:
		w := word(0)
		if to := at + uint64(int64(int32(w<<6))>>6*4); to != symbol {
			return fmt.Errorf("call goes to %#x, not %#x", to, symbol)
		}
		put(0, w&^(1<<26-1))
	case isa.RelocTable:
		adrp, add := word(0), word(1)
		pages := int64(int32(adrp<<8)>>13)<<2 | int64(adrp>>29&3)
		if to := at&^0xfff + uint64(pages<<12) + uint64(add>>10&0xfff); to != symbol {
			return fmt.Errorf("address is %#x, not %#x", to, symbol)
		}
		put(0, adrp&0x9f00001f)
		put(1, add&^(0xfff<<10))
	default:
		return fmt.Errorf("unknown kind %d", r.Kind)
	}
	return nil
}

// TestBitmask decodes every encoding of a bitmask immediate as DDI 0487's DecodeBitMasks does.
func TestBitmask(t *testing.T) {
	seen := make(map[uint64]uint32)
	for n := range uint32(2) {
		for imms := range uint32(64) {
			for immr := range uint32(64) {
				levels := n<<6 | ^imms&0x3f
				length := -1
				for b := 6; b >= 0 && length < 0; b-- {
					if levels>>b&1 == 1 {
						length = b
					}
				}
				if length < 1 {
					continue
				}
				size := uint32(1) << length
				s, r := imms&(size-1), immr&(size-1)
				if s == size-1 || immr != r {
					continue // reserved, or another spelling of a smaller rotation
				}
				var v uint64
				for i := range uint32(64) {
					if (i+r)%size <= s {
						v |= 1 << i
					}
				}
				if old, ok := seen[v]; ok {
					t.Fatalf("%#x is encoded by %#x and %#x", v, old, n<<22|immr<<16|imms<<10)
				}
				seen[v] = n<<22 | immr<<16 | imms<<10
			}
		}
	}
	if len(seen) != 5334 {
		t.Fatalf("%d bitmask immediates", len(seen))
	}
	for v, want := range seen {
		if got, ok := encodeBitmask(v); !ok || got != want {
			t.Errorf("%#x: encoded %#x, %v, want %#x", v, got, ok, want)
		}
	}
	g := newGen(t)
	for range 100000 {
		v := g.Uint64() & g.Uint64()
		if g.IntN(2) == 0 { // nearly a bitmask
			v = g.bitmask() ^ 1<<g.IntN(64)
		}
		want, ok := seen[v]
		if got, gotOK := encodeBitmask(v); gotOK != ok || got != want {
			t.Errorf("%#x: encoded %#x, %v", v, got, gotOK)
		}
	}
}

// TestEncodeRefuses shows the functions that have no faithful text or bytes.
func TestEncodeRefuses(t *testing.T) {
	ok := instrs(MOV(R0, R1))
	with := func(edit func(*isa.Function)) isa.Function {
		f := goFunction("f", 0, append(ok, ret())...)
		edit(&f)
		return f
	}
	var far []isa.Line
	for range 1 << 18 {
		far = append(far, ok...)
	}
	tests := []struct {
		name string
		f    isa.Function
		want string // part of the error
	}{
		{"name", with(func(f *isa.Function) { f.Name = "a b" }), "identifier"},
		{"no name", with(func(f *isa.Function) { f.Name = "" }), "name is missing"},
		{"odd frame", with(func(f *isa.Function) { f.Frame = 8 }), "frame of 8"},
		{"negative frame", with(func(f *isa.Function) { f.Frame = -16 }), "frame of -16"},
		{"large frame", with(func(f *isa.Function) { f.Frame = MaxFrame + 16 }), "frame of 784"},
		{"no code", with(func(f *isa.Function) { f.Lines = nil }), "no code"},
		{"falls off", with(func(f *isa.Function) { f.Lines = ok }), "runs off the end"},
		{"falls off after a condition", with(func(f *isa.Function) { f.Lines = []isa.Line{label("l"), branch(EQ, "l")} }), "runs off"},
		{"empty line", with(func(f *isa.Function) { f.Lines = []isa.Line{{}, ret()} }), "0 fields"},
		{"two fields", with(func(f *isa.Function) { f.Lines = []isa.Line{{Label: "l", Return: true}} }), "2 fields"},
		{"no such label", with(func(f *isa.Function) { f.Lines = []isa.Line{branch(nil, "x")} }), "no label x"},
		{"label twice", with(func(f *isa.Function) { f.Lines = []isa.Line{label("l"), label("l"), ret()} }), "already defined"},
		{"label like a register", with(func(f *isa.Function) { f.Lines = []isa.Line{label("R1"), ret()} }), "could be a register"},
		{"circle", with(func(f *isa.Function) {
			f.Lines = []isa.Line{label("a"), branch(nil, "b"), label("b"), branch(nil, "a")}
		}), "circle"},
		{"nothing after label", with(func(f *isa.Function) { f.Lines = []isa.Line{branch(nil, "l"), ret(), label("l")} }), "runs off"},
		{"undeclared call", with(func(f *isa.Function) { f.Lines = []isa.Line{call("g"), ret()} }), "Calls is false"},
		{"call that is not there", with(func(f *isa.Function) { f.Calls = true }), "Calls is true"},
		{"no such argument", with(func(f *isa.Function) { f.Lines = append(instrs(LoadArg{R0, "x"}), ret()) }), "no argument x"},
		{"result as argument", with(func(f *isa.Function) { f.Lines = append(instrs(LoadArg{R0, "ret"}), ret()) }), "no argument ret"},
		{"argument as result", with(func(f *isa.Function) { f.Lines = append(instrs(StoreResult{R0, "a"}), ret()) }), "no result a"},
		{"overlapping arguments", with(func(f *isa.Function) { f.Args = []isa.Arg{{Name: "a"}, {Name: "b"}} }), "argument b"},
		{"argument outside", with(func(f *isa.Function) { f.ArgSize = 16 }), "argument ret"},
		{"local with arguments", with(func(f *isa.Function) { f.Local = true }), "no arguments"},
		{"bad instruction", with(func(f *isa.Function) { f.Lines = append(instrs(MOV(R28, R0)), ret()) }), "g can't be used"},
		{"bad condition", with(func(f *isa.Function) { f.Lines = []isa.Line{label("l"), branch(CBZ{ZR}, "l"), ret()} }), "ZR can't be used"},
		{"too far", with(func(f *isa.Function) {
			f.Lines = append(append([]isa.Line{label("l")}, far...), branch(EQ, "l"), ret())
		}), "too far"},
	}
	for _, test := range tests {
		_, _, err := Encode(test.f)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Encode: %v, want %q", test.name, err, test.want)
		}
		if test.name == "circle" || test.name == "too far" {
			continue // has a text, but no bytes
		}
		if _, err := Print(test.f); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Print: %v, want %q", test.name, err, test.want)
		}
	}
}
