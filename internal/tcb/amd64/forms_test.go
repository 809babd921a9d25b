package amd64

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"verum.example/internal/evidence"
	"verum.example/internal/tcb/isa"
)

// forms lists every instruction type. All tests that run over forms run over this table; TestFormsComplete compares
// it with the source.
var forms = []isa.Instr{
	MOV{}, MOVI{}, MOVLI{}, MOVM{}, MOVMR{}, MOVMI{}, MOVLM{}, MOVBMR{}, MOVBZX{}, MOVBZXM{}, LEA{}, BSWAP{},
	ADD{}, ADDI{}, ADDM{}, ADDMR{}, ADC{}, ADCI{}, ADCM{}, ADCMR{},
	SUB{}, SUBI{}, SUBM{}, SUBMR{}, SBB{}, SBBI{}, SBBM{}, SBBMR{},
	NEG{}, CMP{}, CMPI{}, CMPM{}, CMPMR{},
	AND{}, ANDI{}, ANDM{}, ANDMR{}, OR{}, ORI{}, ORM{}, ORMR{}, XOR{}, XORI{}, XORM{}, XORMR{}, XORL{},
	TEST{}, TESTI{}, TESTM{}, NOT{}, ANDN{},
	MUL{}, MULM{}, IMUL{}, IMULM{}, IMULI{}, MULX{}, MULXM{},
	SHL{}, SHR{}, SAR{}, SHLD{}, SHRD{}, RORX{},
	CMOV{}, CMOVM{}, SETCC{},
	MOVDQA{}, MOVDQUM{}, MOVDQUMR{}, MOVQX{}, PXOR{}, POR{}, PAND{}, PANDN{}, PCMPEQD{}, PADDD{}, PSHUFD{},
	VMOVDQUM{}, VMOVDQUMR{}, VMOVQ{}, VPBROADCASTQ{}, VPXOR{}, VPOR{}, VPAND{}, VPANDM{}, VPANDN{}, VPCMPEQQ{}, VPADDQ{},
	VZEROUPPER{},
	LoadArg{}, StoreResult{}, TableAddr{},
}

// allConds lists every condition.
var allConds = []Cond{OS, OC, CS, CC, EQ, NE, LS, HI, MI, PL, LT, GE, LE, GT}

func formName(i isa.Instr) string { return reflect.TypeOf(i).Name() }

// vectors lists the vector registers that operands name, operandRegs those that an operand of a form may name.
var vectors = VectorRegs()[:16]

func operandRegs(like isa.Instr, field string) []Reg {
	switch like.(type) {
	case MOVQX, VMOVQ:
		if field == "S" {
			return Regs()
		}
		return vectors
	case MOVDQA, MOVDQUM, MOVDQUMR, PXOR, POR, PAND, PANDN, PCMPEQD, PADDD, PSHUFD,
		VMOVDQUM, VMOVDQUMR, VPBROADCASTQ, VPXOR, VPOR, VPAND, VPANDM, VPANDN, VPCMPEQQ, VPADDQ:
		return vectors
	}
	return Regs()
}

// needsFunction reports whether a form means something only inside a function.
func needsFunction(i isa.Instr) bool {
	switch i.(type) {
	case LoadArg, StoreResult, TableAddr:
		return true
	}
	return false
}

func TestFormsComplete(t *testing.T) {
	want := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "instr.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name != "Mem" {
					types[s.Name.Name] = true
				}
			}
		case *ast.FuncDecl:
			if d.Name.Name == "Instruction" {
				want[d.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	for n := range types {
		if !want[n] {
			t.Errorf("%s is no instruction", n)
		}
	}
	intel := map[string]bool{}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, f := range forms {
		if !want[formName(f)] {
			t.Errorf("%s is in the table twice or not in instr.go", formName(f))
		}
		delete(want, formName(f))
		info, err := Describe(random(rng, f))
		if err != nil {
			t.Error(err)
		}
		if intel[info.Form] {
			t.Errorf("two forms are called %s", info.Form)
		}
		intel[info.Form] = true
		if info.Manual == "" || info.Timing != isa.DataIndependent {
			t.Errorf("%s: %+v", formName(f), info)
		}
	}
	for n := range want {
		t.Errorf("%s is not in the table of forms", n)
	}
}

// seed is VERUM_SEED or random.
func seed(t *testing.T) *rand.Rand {
	s := rand.Uint64()
	if v := os.Getenv("VERUM_SEED"); v != "" {
		var err error
		if s, err = strconv.ParseUint(v, 0, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("VERUM_SEED=%#x", s)
	return rand.New(rand.NewPCG(s, 0))
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
	labels["target"] = "amd64"
	if err := evidence.Add(".", kind, labels, figures); err != nil {
		t.Error(err)
	}
}

var (
	edge32 = []int32{0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 1<<31 - 1, -1 << 31, 0x55555555, -0x12345678}
	edge64 = []uint64{
		0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63,
		1<<64 - 1, 1<<64 - 2, 1<<64 - 128, 1<<64 - 129, 1<<64 - 1<<31, 1<<64 - 1<<31 - 1, 1<<64 - 1<<32,
		0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef,
	}
	edgeCounts = []uint8{1, 2, 7, 8, 31, 32, 33, 62, 63}
	edgeOrders = []uint8{0, 1, 2, 4, 0x1b, 0x44, 0x4e, 0x80, 0xb1, 0xe4, 0xff} // of PSHUFD
)

func pick[T any](rng *rand.Rand, s []T) T { return s[rng.IntN(len(s))] }

func random64(rng *rand.Rand) uint64 {
	switch rng.IntN(4) {
	case 0:
		return pick(rng, edge64)
	case 1:
		return 1 << rng.IntN(64)
	default:
		return rng.Uint64()
	}
}

func randomMem(rng *rand.Rand) Mem {
	m := Mem{Base: pick(rng, append(Regs(), SP))}
	if rng.IntN(2) == 0 {
		m.Index = pick(rng, Regs())
		m.Scale = 1 << rng.IntN(4)
	}
	if rng.IntN(3) > 0 {
		m.Disp = pick(rng, edge32)
	}
	return m
}

// random fills the fields of an instruction of like's type with random operands.
func random(rng *rand.Rand, like isa.Instr) isa.Instr {
	v := reflect.New(reflect.TypeOf(like)).Elem()
	for n := range v.NumField() {
		f := v.Field(n)
		switch f.Interface().(type) {
		case Reg:
			f.Set(reflect.ValueOf(pick(rng, operandRegs(like, v.Type().Field(n).Name))))
		case Mem:
			f.Set(reflect.ValueOf(randomMem(rng)))
		case Cond:
			f.Set(reflect.ValueOf(pick(rng, allConds)))
		case int32:
			x := int32(rng.Uint32())
			if rng.IntN(2) == 0 {
				x = pick(rng, edge32)
			}
			f.SetInt(int64(x))
		case uint32:
			f.SetUint(uint64(uint32(random64(rng))))
		case uint64:
			f.SetUint(random64(rng))
		case uint8: // a shift count, or the order of PSHUFD
			if _, order := like.(PSHUFD); order {
				f.SetUint(rng.Uint64N(256))
				break
			}
			x := uint8(1 + rng.IntN(63))
			if rng.IntN(2) == 0 {
				x = pick(rng, edgeCounts)
			}
			f.SetUint(uint64(x))
		case string:
			f.SetString(map[bool]string{true: "r", false: "x"}[formName(like) == "StoreResult"])
		default:
			panic("a field of unknown type in " + formName(like))
		}
	}
	return v.Interface().(isa.Instr)
}
