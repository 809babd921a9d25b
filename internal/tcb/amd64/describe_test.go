package amd64

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// embedded is a foreign type that gets the methods of an instruction and a condition.
type (
	embedded     struct{ ADD }
	embeddedCond struct{ Cond }
	renamed      ADD
)

func (renamed) Instruction() {}

// TestRejectOperands: every register field refuses SP, BP, none and what is no register; so does every other kind of
// field refuse what is out of range; and Step, Print and Encode refuse what Describe refuses.
func TestRejectOperands(t *testing.T) {
	rng := seed(t)
	badMem := []Mem{
		{}, {Base: BP}, {Base: 17}, {Base: AX, Index: CX}, {Base: AX, Scale: 1}, {Base: AX, Index: SP, Scale: 1},
		{Base: AX, Index: BP, Scale: 8}, {Base: AX, Index: CX, Scale: 3}, {Base: AX, Index: CX, Scale: 16}, {Index: CX, Scale: 1},
	}
	bad := 0
	for _, like := range forms {
		for field := range reflect.TypeOf(like).NumField() {
			var values []any
			switch reflect.ValueOf(like).Field(field).Interface().(type) {
			case Reg:
				values = []any{Reg(0), SP, BP, R15 + 1, Upper(X0), Upper(X15), Upper(X15) + 1, Reg(255)}
				others := []Reg{X0, X7, X15}
				if operandRegs(like, reflect.TypeOf(like).Field(field).Name)[0] == X0 {
					others = Regs()
				}
				for _, r := range others {
					values = append(values, r)
				}
			case Mem:
				for _, m := range badMem {
					values = append(values, m)
				}
			case Cond:
				values = []any{Cond(0), GT + 1, Cond(255)}
			case uint8:
				if _, order := like.(PSHUFD); !order {
					values = []any{uint8(0), uint8(64), uint8(65), uint8(255)}
				}
			case string:
				values = []any{"", "1", "a b", "a<>", "é", "a+8(FP)", "a\n"}
			}
			for _, v := range values {
				i := reflect.New(reflect.TypeOf(like)).Elem()
				i.Set(reflect.ValueOf(random(rng, like)))
				i.Field(field).Set(reflect.ValueOf(v))
				rejected(t, i.Interface().(isa.Instr))
				bad++
			}
		}
	}
	for _, i := range []isa.Instr{nil, embedded{ADD{AX, BX}}, renamed{AX, BX}, &ADD{AX, BX}, &embedded{ADD{AX, BX}}} {
		rejected(t, i)
	}
	t.Logf("%d bad instructions", bad)
}

func rejected(t *testing.T, i isa.Instr) {
	t.Helper()
	if info, err := Describe(i); err == nil {
		t.Errorf("%T%+v is described as %+v", i, i, info)
	}
	m := newMachine(&conf{regs: [16]uint64{}}, false)
	m.args = map[string]logic.Term{"x": logic.BVUint(64, 0)}
	m.tables, m.results = m.args, map[string]logic.Term{}
	if err := Step(m, i); err == nil {
		t.Errorf("Step accepts %T%+v", i, i)
	}
	if i == nil {
		return // a line without fields is refused elsewhere
	}
	f := isa.Function{Name: "f", Args: testArgs, ArgSize: 24, Lines: lines(i)}
	if text, err := Print(f); err == nil {
		t.Errorf("Print accepts %T%+v: %s", i, i, text)
	}
	if code, _, err := Encode(f); err == nil {
		t.Errorf("Encode accepts %T%+v: % x", i, i, code)
	}
}

func TestConditions(t *testing.T) {
	m := newMachine(&conf{}, false)
	for _, k := range []isa.Cond{nil, Cond(0), GT + 1, Cond(255), embeddedCond{EQ}, new(Cond)} {
		if _, err := DescribeCond(k); err == nil {
			t.Errorf("DescribeCond accepts %T", k)
		}
		if _, err := Invert(k); err == nil {
			t.Errorf("Invert accepts %T", k)
		}
		if _, err := CondTerm(m, k); err == nil {
			t.Errorf("CondTerm accepts %T", k)
		}
		if k != nil {
			f := isa.Function{Name: "f", Lines: []isa.Line{{Label: "a"}, {Instr: NOT{AX}}, {Branch: &isa.Branch{Cond: k, Label: "a"}}, {Return: true}}}
			if _, err := Print(f); err == nil {
				t.Errorf("Print accepts %T", k)
			}
			if _, _, err := Encode(f); err == nil {
				t.Errorf("Encode accepts %T", k)
			}
		}
	}
	for _, k := range allConds {
		info, err := DescribeCond(k)
		if err != nil || info.Timing != isa.PublicOnly {
			t.Errorf("%v: %+v, %v", k, info, err)
		}
		n, err := Invert(k)
		if err != nil || n == isa.Cond(k) {
			t.Errorf("the inverse of %v is %v, %v", k, n, err)
		}
		if b, err := Invert(n); err != nil || b != isa.Cond(k) {
			t.Errorf("the inverse of the inverse of %v is %v, %v", k, b, err)
		}
	}
	// A condition reads just its flags.
	reads := map[Cond][]isa.Flag{OS: {OF}, CS: {CF}, EQ: {ZF}, LS: {CF, ZF}, MI: {SF}, LT: {SF, OF}, LE: {ZF, SF, OF}}
	for k, flags := range reads {
		n, _ := Invert(k)
		for _, k := range []isa.Cond{k, n} {
			for f := range flagBits {
				m := newMachine(&conf{}, true)
				m.flags[f] = logic.Term{}
				if _, err := CondTerm(m, k); (err != nil) != slices.Contains(flags, f) {
					t.Errorf("%v without %s: %v", k, FlagNames()[f], err)
				}
			}
		}
	}
}

// effects says which registers and flags a form reads, by the manual. M's registers count as read.
func reads(i isa.Instr) (r []Reg, f []isa.Flag) {
	v := reflect.ValueOf(i)
	for n := range v.NumField() {
		switch x := v.Field(n).Interface().(type) {
		case Reg:
			r = append(r, x)
		case Mem:
			r = append(r, x.Base)
			if x.Scale != 0 {
				r = append(r, x.Index)
			}
		}
	}
	switch i := i.(type) {
	case MOV:
		r = []Reg{i.S}
	case MOVBZX:
		r = []Reg{i.S}
	case IMULI:
		r = []Reg{i.S}
	case RORX:
		r = []Reg{i.S}
	case ANDN:
		r = []Reg{i.N, i.S}
	case MULX:
		r = []Reg{DX, i.S}
	case MULXM:
		r = append(r[2:], DX)
	case MOVI, MOVLI, TableAddr, LoadArg:
		r = nil
	case MOVM, MOVLM, MOVBZXM, LEA:
		r = r[1:]
	case MUL, MULM:
		r = append(r, AX)
	case XOR:
		if i.D == i.S {
			r = nil
		}
	case XORL:
		if i.D == i.S {
			r = nil
		}
	case SBB:
		if i.D == i.S {
			r = nil
		}
		f = []isa.Flag{CF}
	case ADC, ADCI, ADCM, ADCMR, SBBI, SBBM, SBBMR:
		f = []isa.Flag{CF}
	case MOVDQA:
		r = []Reg{i.S}
	case MOVQX:
		r = []Reg{i.S}
	case PSHUFD:
		r = []Reg{i.S}
	case VMOVQ:
		r = []Reg{i.S}
	case VPBROADCASTQ:
		r = []Reg{i.S}
	case MOVDQUM, VMOVDQUM:
		r = r[1:]
	case PXOR:
		if i.D == i.S {
			r = nil
		}
	case VMOVDQUMR:
		r = append(r, Upper(i.S))
	case VPANDM:
		r = append(r[1:], Upper(i.N))
	case VPXOR:
		if r = wholes(i.N, i.S); i.N == i.S {
			r = nil
		}
	case VPOR:
		r = wholes(i.N, i.S)
	case VPAND:
		r = wholes(i.N, i.S)
	case VPANDN:
		r = wholes(i.N, i.S)
	case VPCMPEQQ:
		r = wholes(i.N, i.S)
	case VPADDQ:
		r = wholes(i.N, i.S)
	}
	return r, f
}

// wholes are the low and the upper halves of x and y.
func wholes(x, y Reg) []Reg { return []Reg{x, Upper(x), y, Upper(y)} }

// writes says which vector registers a form writes, by the manual.
func writes(i isa.Instr) []Reg {
	d := reflect.ValueOf(i).FieldByName("D")
	switch i.(type) {
	case MOVDQA, MOVDQUM, MOVQX, PXOR, POR, PAND, PANDN, PCMPEQD, PADDD, PSHUFD:
		return []Reg{d.Interface().(Reg)}
	case VMOVDQUM, VMOVQ, VPBROADCASTQ, VPXOR, VPOR, VPAND, VPANDM, VPANDN, VPCMPEQQ, VPADDQ:
		x := d.Interface().(Reg)
		return []Reg{x, Upper(x)}
	case VZEROUPPER:
		return UpperRegs()
	}
	return nil
}

// undefinedAfter says which flags the manual calls undefined after i; others of the model are never undefined.
func undefinedAfter(i isa.Instr) []isa.Flag {
	manyBits := func(n uint8) []isa.Flag {
		if n == 1 {
			return nil
		}
		return []isa.Flag{OF}
	}
	switch i := i.(type) {
	case MUL, MULM, IMUL, IMULM, IMULI:
		return []isa.Flag{ZF, SF}
	case SHL:
		return manyBits(i.N)
	case SHR:
		return manyBits(i.N)
	case SAR:
		return manyBits(i.N)
	case SHLD:
		return manyBits(i.N)
	case SHRD:
		return manyBits(i.N)
	}
	return nil
}

// TestPoison: an instruction reads exactly the registers and flags that it should: poison elsewhere does not matter,
// and there it is an error. After it, exactly the flags are poison that the manual calls undefined.
func TestPoison(t *testing.T) {
	rng := seed(t)
	for _, like := range forms {
		for range 60 {
			i := random(rng, like)
			if rng.IntN(3) == 0 {
				i = sameRegs(i)
			}
			c := randomCase2(rng, i)
			fresh := func() *machine {
				m := newMachine(c, rng.IntN(2) == 0)
				m.args = map[string]logic.Term{"x": logic.BVUint(64, 1)}
				m.tables, m.results = m.args, map[string]logic.Term{}
				return m
			}
			needR, needF := reads(i)
			if k := reflect.ValueOf(i).FieldByName("K"); k.IsValid() {
				m := fresh()
				probe := &flagLog{machine: m, read: map[isa.Flag]bool{}}
				if _, err := CondTerm(probe, k.Interface().(Cond)); err != nil {
					t.Fatal(err)
				}
				needF = slices.Collect(maps.Keys(probe.read))
			}
			m := fresh()
			for r := range m.regs {
				if !slices.Contains(needR, r) {
					delete(m.regs, r)
				}
			}
			for f := range m.flags {
				if !slices.Contains(needF, f) {
					m.flags[f] = logic.Term{}
				}
			}
			if err := Step(m, i); err != nil {
				t.Fatalf("%s %+v reads too much: %v", formName(i), i, err)
			}
			for _, r := range needR {
				m := fresh()
				delete(m.regs, r)
				if err := Step(m, i); err == nil {
					t.Fatalf("%s %+v does not read %s", formName(i), i, RegName(r))
				}
			}
			for _, f := range needF {
				m := fresh()
				m.flags[f] = logic.Term{}
				if err := Step(m, i); err == nil {
					t.Fatalf("%s %+v does not read %s", formName(i), i, FlagNames()[f])
				}
			}
			m = fresh()
			for r := range m.regs { // what is not read may be undefined, and stays so if it is not written
				if r >= X0 && !slices.Contains(needR, r) {
					delete(m.regs, r)
				}
			}
			if err := Step(m, i); err != nil {
				t.Fatal(err)
			}
			for _, r := range VectorRegs() {
				_, defined := m.regs[r]
				if want := slices.Contains(needR, r) || slices.Contains(writes(i), r); defined != want {
					t.Errorf("%s %+v: %s defined: %v", formName(i), i, RegName(r), defined)
				}
			}
			for f := range flagBits {
				if got, want := m.flags[f].IsZero(), slices.Contains(undefinedAfter(i), f); got != want {
					t.Errorf("%s %+v: %s undefined: %v", formName(i), i, FlagNames()[f], got)
				}
			}
		}
	}
}

// randomCase2 is randomCase for forms that cannot be encoded alone, too.
func randomCase2(rng *rand.Rand, i isa.Instr) *conf {
	c := &conf{instr: i, flags: rng.Uint64()}
	for n := range c.regs {
		c.regs[n] = random64(rng)
	}
	if m := reflect.ValueOf(i).FieldByName("M"); m.IsValid() {
		c.point(m.Interface().(Mem), memAddr+16+uint64(rng.IntN(memSize-64)))
	}
	return c
}

// sameRegs makes all register operands of a kind one register.
func sameRegs(i isa.Instr) isa.Instr {
	v := reflect.New(reflect.TypeOf(i)).Elem()
	v.Set(reflect.ValueOf(i))
	first := map[bool]Reg{}
	for n := range v.NumField() {
		if r, ok := v.Field(n).Interface().(Reg); ok {
			if _, seen := first[r >= X0]; !seen {
				first[r >= X0] = r
			}
			v.Field(n).Set(reflect.ValueOf(first[r >= X0]))
		}
	}
	return v.Interface().(isa.Instr)
}

// flagLog notes which flags are read.
type flagLog struct {
	*machine
	read map[isa.Flag]bool
}

func (l *flagLog) Flag(f isa.Flag) (logic.Term, error) {
	l.read[f] = true
	return l.machine.Flag(f)
}

func TestRegisters(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Regs() {
		if !general(r) || seen[RegName(r)] {
			t.Errorf("register %d, %s", r, RegName(r))
		}
		seen[RegName(r)] = true
	}
	if len(seen) != 14 || RegName(0) != "?" || RegName(R15+1) != "?" || RegName(255) != "?" {
		t.Error(seen)
	}
	for n, r := range VectorRegs() {
		if r != X0+Reg(n) || r.Width() != 128 || seen[RegName(r)] || n >= 16 && r != Upper(X0+Reg(n-16)) {
			t.Errorf("vector register %d is %d, %s", n, r, RegName(r))
		}
		seen[RegName(r)] = true
	}
	if len(seen) != 46 || !slices.Equal(UpperRegs(), VectorRegs()[16:]) {
		t.Error(seen)
	}
	var params []Reg
	for i := -1; i < 9; i++ {
		if r, ok := ParamReg(i); ok {
			params = append(params, r)
		}
	}
	if !slices.Equal(params, []Reg{DI, SI, DX, CX, R8, R9}) {
		t.Error(params)
	}
	for f, bit := range flagBits {
		if want := map[uint]string{0: "CF", 6: "ZF", 7: "SF", 11: "OF"}[bit]; FlagNames()[f] != want {
			t.Errorf("flag %d is %s, not %s", f, FlagNames()[f], want)
		}
	}
}

// TestRejectFunctions: what could not be printed and encoded faithfully is refused by both.
func TestRejectFunctions(t *testing.T) {
	ret := isa.Line{Return: true}
	branch := func(k isa.Cond, l string) isa.Line { return isa.Line{Branch: &isa.Branch{Cond: k, Label: l}} }
	good := func() isa.Function {
		return isa.Function{Name: "f", Args: slices.Clone(testArgs), ArgSize: 24, Frame: 16, Lines: []isa.Line{{Instr: NOT{AX}}, ret}}
	}
	for what, change := range map[string]func(*isa.Function){
		"no name":               func(f *isa.Function) { f.Name = "" },
		"bad name":              func(f *isa.Function) { f.Name = "a(SB)" },
		"negative frame":        func(f *isa.Function) { f.Frame = -8 },
		"odd frame":             func(f *isa.Function) { f.Frame = 12 },
		"huge frame":            func(f *isa.Function) { f.Frame = 1 << 31 },
		"odd argument size":     func(f *isa.Function) { f.ArgSize = 28 },
		"huge argument size":    func(f *isa.Function) { f.ArgSize = 1 << 31 },
		"argument outside":      func(f *isa.Function) { f.Args[0].Offset = 24 },
		"argument before":       func(f *isa.Function) { f.Args[0].Offset = -8 },
		"argument misaligned":   func(f *isa.Function) { f.Args[0].Offset = 4 },
		"argument named twice":  func(f *isa.Function) { f.Args[1].Name = "x" },
		"argument with no name": func(f *isa.Function) { f.Args[1].Name = "x+0" },
		"local with arguments":  func(f *isa.Function) { f.Local = true },
		"no lines":              func(f *isa.Function) { f.Lines = nil },
		"empty line":            func(f *isa.Function) { f.Lines = []isa.Line{{}, ret} },
		"two fields":            func(f *isa.Function) { f.Lines = []isa.Line{{Label: "a", Instr: NOT{AX}}, ret} },
		"two more fields":       func(f *isa.Function) { f.Lines = []isa.Line{{Instr: NOT{AX}, Return: true}} },
		"falls off the end":     func(f *isa.Function) { f.Lines = f.Lines[:1] },
		"label at the end":      func(f *isa.Function) { f.Lines = append(f.Lines, isa.Line{Label: "a"}) },
		"conditional at end":    func(f *isa.Function) { f.Lines = []isa.Line{{Label: "a"}, branch(EQ, "a")} },
		"no such label":         func(f *isa.Function) { f.Lines = []isa.Line{branch(EQ, "a"), ret} },
		"label twice":           func(f *isa.Function) { f.Lines = []isa.Line{{Label: "a"}, {Label: "a"}, ret} },
		"label is a register":   func(f *isa.Function) { f.Lines = []isa.Line{{Label: "AX"}, branch(EQ, "AX"), ret} },
		"bad label":             func(f *isa.Function) { f.Lines = []isa.Line{{Label: "a b"}, ret} },
		"undeclared call":       func(f *isa.Function) { f.Lines = []isa.Line{{Call: "g"}, ret} },
		"declared call":         func(f *isa.Function) { f.Calls = true },
		"bad call":              func(f *isa.Function) { f.Calls, f.Lines = true, []isa.Line{{Call: "g(SB)"}, ret} },
		"no such argument":      func(f *isa.Function) { f.Lines = lines(LoadArg{AX, "z"}) },
		"result as argument":    func(f *isa.Function) { f.Lines = lines(LoadArg{AX, "r"}) },
		"argument as result":    func(f *isa.Function) { f.Lines = lines(StoreResult{AX, "x"}) },
	} {
		f := good()
		change(&f)
		if text, err := Print(f); err == nil {
			t.Errorf("%s: printed:\n%s", what, text)
		}
		if code, _, err := Encode(f); err == nil {
			t.Errorf("%s: encoded: % x", what, code)
		}
	}
	circle := good()
	circle.Lines = []isa.Line{{Label: "a"}, branch(nil, "b"), {Label: "b"}, branch(nil, "a")}
	if _, _, err := Encode(circle); err == nil {
		t.Error("branches in a circle are encoded")
	}
	f := good()
	if text, err := Print(f); err != nil || text != "TEXT ·f(SB), NOSPLIT, $16-24\n\tNOTQ AX\n\tRET\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestPrint: spellings that are easily got wrong.
func TestPrint(t *testing.T) {
	for want, i := range map[string]isa.Instr{
		"CMPQ AX, BX":                  CMP{AX, BX},
		"CMPQ AX, $-5":                 CMPI{AX, -5},
		"CMPQ AX, 8(BX)":               CMPM{AX, Mem{Base: BX, Disp: 8}},
		"CMPQ (BX), AX":                CMPMR{Mem{Base: BX}, AX},
		"SUBQ BX, AX":                  SUB{AX, BX},
		"SUBQ AX, -8(SP)(R9*4)":        SUBMR{Mem{SP, R9, 4, -8}, AX},
		"TESTQ BX, AX":                 TEST{AX, BX},
		"SHLQ $3, BX, AX":              SHLD{AX, BX, 3},
		"SHRQ $3, BX, AX":              SHRD{AX, BX, 3},
		"SHRQ $3, AX":                  SHR{AX, 3},
		"MULXQ CX, BX, AX":             MULX{AX, BX, CX},
		"ANDNQ CX, BX, AX":             ANDN{AX, BX, CX},
		"RORXQ $7, BX, AX":             RORX{AX, BX, 7},
		"IMUL3Q $7, BX, AX":            IMULI{AX, BX, 7},
		"MOVQ $0x8000000000000000, AX": MOVI{AX, 1 << 63},
		"MOVL $0xffffffff, AX":         MOVLI{AX, 1<<32 - 1},
		"MOVQ $-1, (AX)":               MOVMI{Mem{Base: AX}, -1},
		"MOVB SI, (AX)":                MOVBMR{Mem{Base: AX}, SI},
		"CMOVQCS BX, AX":               CMOV{CS, AX, BX},
		"SETHI AX":                     SETCC{HI, AX},
		"MOVQ x+0(FP), AX":             LoadArg{AX, "x"},
		"MOVQ AX, r+16(FP)":            StoreResult{AX, "r"},
		"LEAQ tab<>(SB), AX":           TableAddr{AX, "tab"},
		"MOVO X2, X1":                  MOVDQA{X1, X2},
		"MOVOU 16(AX), X1":             MOVDQUM{X1, Mem{Base: AX, Disp: 16}},
		"MOVOU X1, 16(AX)":             MOVDQUMR{Mem{Base: AX, Disp: 16}, X1},
		"MOVQ AX, X1":                  MOVQX{X1, AX},
		"PANDN X2, X1":                 PANDN{X1, X2},
		"PSHUFD $228, X2, X1":          PSHUFD{X1, X2, 228},
		"VMOVDQU (AX), Y1":             VMOVDQUM{X1, Mem{Base: AX}},
		"VMOVDQU Y1, (AX)":             VMOVDQUMR{Mem{Base: AX}, X1},
		"VMOVQ AX, X1":                 VMOVQ{X1, AX},
		"VPBROADCASTQ X2, Y1":          VPBROADCASTQ{X1, X2},
		"VPANDN Y3, Y2, Y1":            VPANDN{X1, X2, X3},
		"VPAND 32(AX), Y2, Y1":         VPANDM{X1, X2, Mem{Base: AX, Disp: 32}},
		"VZEROUPPER":                   VZEROUPPER{},
	} {
		text, err := Print(isa.Function{Name: "f", Local: false, Args: testArgs, ArgSize: 24, Lines: lines(i)})
		if err != nil || !strings.Contains(text, "\t"+want+"\n") {
			t.Errorf("%+v is printed as\n%s (%v)", i, text, err)
		}
	}
	if got := fmt.Sprint(Cond(0), GT, LE); got != "Cond(0) GT LE" {
		t.Error(got)
	}
}
