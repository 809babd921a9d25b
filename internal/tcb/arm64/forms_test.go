package arm64

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"verum.example/internal/evidence"
	"verum.example/internal/tcb/isa"
)

// gen makes random well-formed operands, often edge cases and often the same register twice.
type gen struct{ *rand.Rand }

// newGen is seeded by VERUM_SEED or the clock; the seed is printed when a test fails or with -v.
func newGen(t testing.TB) gen {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("VERUM_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("VERUM_SEED=%d", seed)
	return gen{rand.New(rand.NewPCG(seed, 0))}
}

// evidently records the figures of a test that has passed, if evidence is recorded.
func evidently(t *testing.T, kind string, labels map[string]string, figures map[string]int64) {
	t.Helper()
	if t.Failed() {
		return
	}
	if labels == nil {
		labels = map[string]string{}
	}
	labels["target"] = "arm64"
	if err := evidence.Add(".", kind, labels, figures); err != nil {
		t.Error(err)
	}
}

func pick[T any](g gen, vs ...T) T { return vs[g.IntN(len(vs))] }

// reg is a general register, half the time one of few.
func (g gen) reg() Reg {
	rs := Regs()
	if g.IntN(2) == 0 {
		return rs[g.IntN(4)]
	}
	return rs[g.IntN(len(rs))]
}

func (g gen) regZ() Reg {
	if g.IntN(8) == 0 {
		return ZR
	}
	return g.reg()
}

func (g gen) base() Reg {
	if g.IntN(4) == 0 {
		return SP
	}
	return g.reg()
}

func (g gen) vec() Reg {
	if g.IntN(2) == 0 {
		return V0 + Reg(g.IntN(4))
	}
	return V0 + Reg(g.IntN(32))
}

func (g gen) amount(low int) uint8 {
	return pick(g, uint8(low), 1, 31, 32, 33, 63, uint8(low+g.IntN(64-low)))
}

// shift is a canonical shift of the first n kinds.
func (g gen) shift(n int) (Shift, uint8) {
	if g.IntN(3) == 0 {
		return 0, 0
	}
	s := Shift(g.IntN(n))
	return s, g.amount(min(int(s), 1))
}

func (g gen) cond() Cond    { return EQ + Cond(g.IntN(14)) }
func (g gen) nibble() uint8 { return uint8(g.IntN(16)) }
func (g gen) imm12() uint64 {
	v := pick(g, 0, 1, 2, 8, 0xff, 0x7ff, 0x800, 0xfff, uint64(g.IntN(4096)))
	if g.IntN(3) == 0 {
		v <<= 12
	}
	return v
}

// bitmask is any of the 5334 bitmask immediates.
func (g gen) bitmask() uint64 {
	size := 2 << g.IntN(6)
	run := uint64(1)<<pick(g, 1, size-1, size/2, 1+g.IntN(size-1)) - 1
	var v uint64
	for i := 0; i < 64; i += size {
		v |= run << i
	}
	return bits.RotateLeft64(v, g.IntN(64))
}

func (g gen) imm16() uint16 { return pick(g, 0, 1, 0x7fff, 0x8000, 0xffff, uint16(g.IntN(1<<16))) }

func (g gen) offset(size, low, high int) int {
	return size * pick(g, low, high, 0, 1, low+g.IntN(high-low+1))
}

// instructionForms has a generator for each form; TestFormsComplete fails if one is missing.
var instructionForms = []func(g gen) isa.Instr{
	func(g gen) isa.Instr { s, a := g.shift(3); return ADD{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(3); return ADDS{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(3); return SUB{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(3); return SUBS{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { return ADDImm{g.reg(), g.base(), g.imm12()} },
	func(g gen) isa.Instr { return ADDSImm{g.regZ(), g.reg(), g.imm12()} },
	func(g gen) isa.Instr { return SUBImm{g.reg(), g.reg(), g.imm12()} },
	func(g gen) isa.Instr { return SUBSImm{g.regZ(), g.reg(), g.imm12()} },
	func(g gen) isa.Instr { return ADC{g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return ADCS{g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return SBC{g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return SBCS{g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return MADD{g.regZ(), g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return MSUB{g.regZ(), g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return UMULH{g.regZ(), g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { s, a := g.shift(4); return AND{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(4); return ANDS{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(4); return BIC{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(4); return ORR{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(4); return ORN{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { s, a := g.shift(4); return EOR{g.regZ(), g.regZ(), g.regZ(), s, a} },
	func(g gen) isa.Instr { return ANDImm{g.reg(), g.regZ(), g.bitmask()} },
	func(g gen) isa.Instr { return ANDSImm{g.regZ(), g.regZ(), g.bitmask()} },
	func(g gen) isa.Instr { return ORRImm{g.reg(), g.regZ(), g.bitmask()} },
	func(g gen) isa.Instr { return EORImm{g.reg(), g.regZ(), g.bitmask()} },
	func(g gen) isa.Instr { return LSL{g.regZ(), g.regZ(), g.amount(1)} },
	func(g gen) isa.Instr { return LSR{g.regZ(), g.regZ(), g.amount(1)} },
	func(g gen) isa.Instr { return ASR{g.regZ(), g.regZ(), g.amount(1)} },
	func(g gen) isa.Instr { return EXTR{g.regZ(), g.regZ(), g.regZ(), g.amount(0)} },
	func(g gen) isa.Instr { return REV{g.regZ(), g.regZ()} },
	func(g gen) isa.Instr { return MOVZ{g.regZ(), g.imm16(), uint8(g.IntN(4))} },
	func(g gen) isa.Instr { return MOVN{g.regZ(), g.imm16(), uint8(g.IntN(4))} },
	func(g gen) isa.Instr { return MOVK{g.reg(), g.imm16(), uint8(g.IntN(4))} },
	func(g gen) isa.Instr { return CSEL{g.regZ(), g.regZ(), g.regZ(), g.cond()} },
	func(g gen) isa.Instr { return CSINC{g.regZ(), g.regZ(), g.regZ(), g.cond()} },
	func(g gen) isa.Instr { return CSINV{g.regZ(), g.regZ(), g.regZ(), g.cond()} },
	func(g gen) isa.Instr { return CSNEG{g.regZ(), g.regZ(), g.regZ(), g.cond()} },
	func(g gen) isa.Instr { return CCMP{g.regZ(), g.regZ(), g.nibble(), g.cond()} },
	func(g gen) isa.Instr { return CCMPImm{g.regZ(), uint8(g.IntN(32)), g.nibble(), g.cond()} },
	func(g gen) isa.Instr { return LDR{g.regZ(), g.base(), g.offset(8, 0, 4095)} },
	func(g gen) isa.Instr { return STR{g.regZ(), g.base(), g.offset(8, 0, 4095)} },
	func(g gen) isa.Instr { return LDRW{g.regZ(), g.base(), g.offset(4, 0, 4095)} },
	func(g gen) isa.Instr { return STRW{g.regZ(), g.base(), g.offset(4, 0, 4095)} },
	func(g gen) isa.Instr { return LDRB{g.regZ(), g.base(), g.offset(1, 0, 4095)} },
	func(g gen) isa.Instr { return STRB{g.regZ(), g.base(), g.offset(1, 0, 4095)} },
	func(g gen) isa.Instr {
		i := LDP{g.regZ(), g.regZ(), g.base(), g.offset(8, -64, 63)}
		for i.T2 == i.T {
			i.T2 = g.regZ()
		}
		return i
	},
	func(g gen) isa.Instr { return STP{g.regZ(), g.regZ(), g.base(), g.offset(8, -64, 63)} },
	func(g gen) isa.Instr { return LDRQ{g.vec(), g.base(), g.offset(16, 0, 4095)} },
	func(g gen) isa.Instr { return STRQ{g.vec(), g.base(), g.offset(16, 0, 4095)} },
	func(g gen) isa.Instr {
		i := LDPQ{g.vec(), g.vec(), g.base(), g.offset(16, -64, 63)}
		for i.T2 == i.T {
			i.T2 = g.vec()
		}
		return i
	},
	func(g gen) isa.Instr { return STPQ{g.vec(), g.vec(), g.base(), g.offset(16, -64, 63)} },
	func(g gen) isa.Instr {
		return VMOVI{g.vec(), pick(g, 0, 1, 0x1f, 0x20, 0x80, 0xff, uint8(g.IntN(256)))}
	},
	func(g gen) isa.Instr { return VDUP{g.vec(), g.regZ()} },
	func(g gen) isa.Instr { return VCMEQ{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return VADD{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return VAND{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return VORR{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return VEOR{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return VBIT{g.vec(), g.vec(), g.vec()} },
	func(g gen) isa.Instr { return LoadArg{g.reg(), pick(g, "a", "b")} },
	func(g gen) isa.Instr { return StoreResult{g.regZ(), "ret"} },
	func(g gen) isa.Instr { return TableAddr{g.reg(), pick(g, "table0", "table1")} },
}

var conditionForms = []func(g gen) isa.Cond{
	func(g gen) isa.Cond { return g.cond() },
	func(g gen) isa.Cond { return CBZ{g.reg()} },
	func(g gen) isa.Cond { return CBNZ{g.reg()} },
}

// TestFormsComplete compares the tables above with the types that have an Instruction or Condition method. The
// tests of bytes, disassembly and conformance run over the tables, so none of them can miss a form.
func TestFormsComplete(t *testing.T) {
	g := newGen(t)
	declared := make(map[string]bool)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && (m.Name.Name == "Instruction" || m.Name.Name == "Condition") {
				declared[m.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	names := make(map[string]bool) // the names of forms are unique
	check := func(i any, info isa.Info, err error) {
		name := strings.TrimPrefix(fmt.Sprintf("%T", i), "arm64.")
		if !declared[name] {
			t.Errorf("%s is in the table twice or not declared", name)
		}
		delete(declared, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info.Form == "" || names[info.Form] || info.Manual == "" || info.Timing == 0 || info.Features != nil {
			t.Errorf("%s: incomplete or ambiguous description %+v", name, info)
		}
		names[info.Form] = true
	}
	for _, form := range instructionForms {
		i := form(g)
		info, err := Describe(i)
		check(i, info, err)
	}
	for _, form := range conditionForms {
		k := form(g)
		info, err := DescribeCond(k)
		check(k, info, err)
	}
	for name := range declared {
		t.Errorf("%s has no entry in the table of forms, hence no conformance test", name)
	}
	t.Logf("%d forms", len(names))
}

// tool finds a program that the test needs, or skips; with VERUM_CI=1 its absence is a failure.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("VERUM_CI") == "1" {
		t.Fatalf("%s is not installed", names[0])
	}
	t.Skipf("SKIPPED: %s is not installed", names[0])
	return ""
}

// buildArm64 writes the files of a main package and builds it for linux/arm64.
func buildArm64(t *testing.T, files map[string]string) string {
	t.Helper()
	gotool := tool(t, "go")
	dir := t.TempDir()
	files["go.mod"] = "module conformance\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(gotool, "build", "-o", "prog", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%.4000s", err, out)
	}
	return dir + "/prog"
}
