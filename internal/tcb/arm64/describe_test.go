package arm64

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// noZero lists the operands where the encoding 31 does not mean zero.
var noZero = []string{
	"ADDImm.D", "ADDImm.N", "ADDSImm.N", "SUBImm.D", "SUBImm.N", "SUBSImm.N", // SP
	"ANDImm.D", "ORRImm.D", "EORImm.D", // SP
	"LDR.N", "STR.N", "LDRW.N", "STRW.N", "LDRB.N", "STRB.N", "LDP.N", "STP.N", // SP
	"LDRQ.N", "STRQ.N", "LDPQ.N", "STPQ.N", // SP
	"MOVK.D", "LoadArg.D", "TableAddr.D", "CBZ.T", "CBNZ.T", // zero, but useless
}

// stackPointer lists the operands that may be SP.
var stackPointer = []string{"ADDImm.N", "LDR.N", "STR.N", "LDRW.N", "STRW.N", "LDRB.N", "STRB.N", "LDP.N", "STP.N",
	"LDRQ.N", "STRQ.N", "LDPQ.N", "STPQ.N"}

// vectorForms lists the forms whose operands are vector registers, but for those in notVector.
var (
	vectorForms = []string{"LDRQ", "STRQ", "LDPQ", "STPQ", "VMOVI", "VDUP", "VCMEQ", "VADD", "VAND", "VORR", "VEOR", "VBIT"}
	notVector   = []string{"LDRQ.N", "STRQ.N", "LDPQ.N", "STPQ.N", "VDUP.N"}
)

// TestDescribeRegisters sets each register operand of each form to each register in turn.
func TestDescribeRegisters(t *testing.T) {
	g := newGen(t)
	var forms []any
	for _, form := range instructionForms {
		forms = append(forms, form(g))
	}
	forms = append(forms, CBZ{R0}, CBNZ{R0})
	contains := func(list []string, s string) bool {
		return strings.Contains(" "+strings.Join(list, " ")+" ", " "+s+" ")
	}
	n := 0
	for _, form := range forms {
		typ := reflect.TypeOf(form)
		for f := range typ.NumField() {
			if typ.Field(f).Type != reflect.TypeOf(R0) {
				continue
			}
			operand := typ.Name() + "." + typ.Field(f).Name
			for r := range 256 {
				v := reflect.New(typ).Elem()
				v.Set(reflect.ValueOf(form))
				if i, ok := form.(LDP); ok { // avoid equal destinations
					i.T, i.T2 = ZR, R26
					if r == int(R26) || r == int(ZR) {
						i.T, i.T2 = R1, R2
					}
					v.Set(reflect.ValueOf(i))
				}
				if i, ok := form.(LDPQ); ok {
					i.T, i.T2 = V30, V31
					if r == int(V30) || r == int(V31) {
						i.T, i.T2 = V1, V2
					}
					v.Set(reflect.ValueOf(i))
				}
				v.Field(f).SetUint(uint64(r))
				reg := Reg(r)
				want := reg <= R26 && reg != R18 || reg == ZR && !contains(noZero, operand) || reg == SP && contains(stackPointer, operand)
				if contains(vectorForms, typ.Name()) && !contains(notVector, operand) {
					want = V0 <= reg && reg <= V31
				}
				var err error
				switch i := v.Interface().(type) {
				case isa.Instr:
					_, err = Describe(i)
					if !want {
						refused(t, i)
					}
				case isa.Cond:
					_, err = DescribeCond(i)
					_, termErr := CondTerm(&concrete{}, i)
					_, invertErr := Invert(i)
					if !want && (termErr == nil || invertErr == nil) {
						t.Errorf("%+v has a meaning", i)
					}
				}
				if (err == nil) != want {
					t.Errorf("%s = %s: %v", operand, RegName(reg), err)
				}
				n++
			}
		}
	}
	t.Logf("%d operands", n)
}

// refused checks that an ill-formed instruction can neither be run, printed nor encoded.
func refused(t *testing.T, i isa.Instr) {
	t.Helper()
	if _, err := Describe(i); err == nil {
		t.Errorf("Describe accepts %T%+v", i, i)
	}
	if err := Step(&concrete{reg: map[Reg]uint64{}, mem: map[uint64]byte{}}, i); err == nil {
		t.Errorf("Step accepts %T%+v", i, i)
	}
	f := goFunction("f", 0, instr(i), ret())
	if _, err := Print(f); err == nil {
		t.Errorf("Print accepts %T%+v", i, i)
	}
	if _, _, err := Encode(f); err == nil {
		t.Errorf("Encode accepts %T%+v", i, i)
	}
}

type embedded struct{ ADDS }
type foreign struct{}

func (foreign) Instruction() {}

type embeddedCond struct{ Cond }

// TestDescribeRefuses lists operands out of range and types that are not forms.
func TestDescribeRefuses(t *testing.T) {
	bad := []isa.Instr{
		nil, foreign{}, embedded{}, &ADDS{}, (*ADDS)(nil),
		ADD{Amount: 64}, ADD{Shift: ShiftROR, Amount: 1}, ADD{Shift: ShiftLSR}, ADD{Shift: 4, Amount: 1},
		ADDS{Shift: ShiftROR, Amount: 1}, SUB{Shift: ShiftROR, Amount: 1}, SUBS{Shift: ShiftROR, Amount: 1},
		SUBS{Amount: 255}, AND{Amount: 64}, AND{Shift: 4, Amount: 1}, EOR{Shift: ShiftROR}, ORR{Shift: ShiftASR},
		ANDS{Amount: 64}, BIC{Amount: 64}, ORN{Amount: 64},
		ADDImm{Imm: 4097}, ADDImm{Imm: 1 << 24}, ADDImm{Imm: 1<<24 + 1}, ADDImm{Imm: ^uint64(0)}, SUBImm{Imm: 0x1001},
		ADDSImm{Imm: 0x1001}, SUBSImm{Imm: 0xfff001}, SUBSImm{Imm: 1 << 63},
		ANDImm{Imm: 0}, ANDImm{Imm: ^uint64(0)}, ORRImm{Imm: 5}, EORImm{Imm: 0x1234}, ANDSImm{Imm: 0b1001},
		LSL{Amount: 0}, LSL{Amount: 64}, LSR{Amount: 0}, LSR{Amount: 64}, ASR{Amount: 0}, ASR{Amount: 64}, EXTR{Amount: 64},
		MOVZ{Imm: 1, Hw: 4}, MOVN{Hw: 4}, MOVK{Hw: 255},
		CSEL{}, CSEL{Cond: LE + 1}, CSINC{}, CSINV{}, CSNEG{}, CSNEG{Cond: 255},
		CCMP{}, CCMP{NZCV: 16, Cond: EQ}, CCMPImm{Cond: EQ, Imm: 32}, CCMPImm{Cond: EQ, NZCV: 16}, CCMPImm{},
		LDR{Offset: 4}, LDR{Offset: -8}, LDR{Offset: 32768}, STR{Offset: 1}, STR{Offset: -8}, STR{Offset: 32768},
		LDRW{Offset: 2}, LDRW{Offset: -4}, LDRW{Offset: 16384}, STRW{Offset: 2}, STRW{Offset: -4}, STRW{Offset: 16384},
		LDRB{Offset: -1}, LDRB{Offset: 4096}, STRB{Offset: -1}, STRB{Offset: 4096},
		LDP{T2: R1, Offset: 4}, LDP{T2: R1, Offset: 512}, LDP{T2: R1, Offset: -520}, LDP{T: R1, T2: R1}, LDP{T: ZR, T2: ZR},
		STP{Offset: 4}, STP{Offset: 512}, STP{Offset: -520},
		LDRQ{T: V0, Offset: 8}, LDRQ{T: V0, Offset: -16}, LDRQ{T: V0, Offset: 65536}, LDRQ{},
		STRQ{T: V0, Offset: 8}, STRQ{T: V0, Offset: -16}, STRQ{T: V0, Offset: 65536}, STRQ{},
		LDPQ{T: V0, T2: V1, Offset: 8}, LDPQ{T: V0, T2: V1, Offset: 1024}, LDPQ{T: V0, T2: V1, Offset: -1040}, LDPQ{T: V1, T2: V1}, LDPQ{T2: V1},
		STPQ{T: V0, T2: V1, Offset: 8}, STPQ{T: V0, T2: V1, Offset: 1024}, STPQ{T: V0, T2: V1, Offset: -1040}, STPQ{T2: V1},
		VMOVI{}, VDUP{}, VDUP{D: V0, N: V0}, VCMEQ{}, VADD{}, VAND{}, VORR{}, VEOR{}, VBIT{},
		LoadArg{}, LoadArg{Name: "a b"}, LoadArg{Name: "1"}, StoreResult{}, StoreResult{Name: "x+8(FP)"}, TableAddr{}, TableAddr{Name: "t<>"},
	}
	for _, i := range bad {
		if i == nil {
			if _, err := Describe(i); err == nil {
				t.Error("Describe accepts nil")
			}
			if err := Step(&concrete{}, i); err == nil {
				t.Error("Step accepts nil")
			}
			continue
		}
		refused(t, i)
	}
	eq := EQ
	for _, k := range []isa.Cond{nil, Cond(0), LE + 1, Cond(255), &eq, embeddedCond{EQ}, CBZ{ZR}, CBNZ{SP}, &CBZ{}} {
		if _, err := DescribeCond(k); err == nil {
			t.Errorf("DescribeCond accepts %T %v", k, k)
		}
		if _, err := CondTerm(&concrete{}, k); err == nil {
			t.Errorf("CondTerm accepts %T %v", k, k)
		}
		if _, err := Invert(k); err == nil {
			t.Errorf("Invert accepts %T %v", k, k)
		}
	}
}

// failing is a state in which the access number fail, counted from 0, is an error.
type failing struct {
	fail, access int
	wrote        bool // something was written after the failure
}

var errFailing = errors.New("this access fails")

func (c *failing) count() error {
	c.access++
	if c.access == c.fail+1 {
		return errFailing
	}
	return nil
}

func (c *failing) write() error {
	err := c.count()
	c.wrote = c.wrote || c.access > c.fail+1
	return err
}

func (c *failing) read(bits int) (logic.Term, error) { return logic.BVUint(bits, 1), c.count() }

func (c *failing) Reg(r Reg) (logic.Term, error)                { return c.read(r.Width()) }
func (c *failing) Flag(isa.Flag) (logic.Term, error)            { return c.read(1) }
func (c *failing) Load(_ logic.Term, n int) (logic.Term, error) { return c.read(8 * n) }
func (c *failing) Arg(string) (logic.Term, error)               { return c.read(64) }
func (c *failing) Table(string) (logic.Term, error)             { return c.read(64) }
func (c *failing) SetReg(Reg, logic.Term) error                 { return c.write() }
func (c *failing) SetFlag(isa.Flag, logic.Term) error           { return c.write() }
func (c *failing) Store(_, _ logic.Term) error                  { return c.write() }
func (c *failing) SetResult(string, logic.Term) error           { return c.write() }
func (c *failing) RequirePublic(logic.Term) error               { return c.count() }

// TestErrors lets each access of each form fail in turn: the error must come out, and nothing be written after it.
func TestErrors(t *testing.T) {
	g := newGen(t)
	try := func(what any, run func(isa.CPU) error) {
		all := &failing{fail: 1 << 30}
		if err := run(all); err != nil {
			t.Fatalf("%T%+v: %v", what, what, err)
		}
		for n := range all.access {
			c := &failing{fail: n}
			if err := run(c); !errors.Is(err, errFailing) {
				t.Errorf("%T%+v: access %d fails, error %v", what, what, n, err)
			}
			if c.wrote {
				t.Errorf("%T%+v: access %d fails, but a later one writes", what, what, n)
			}
		}
	}
	for _, form := range instructionForms {
		for range 20 {
			i := form(g)
			try(i, func(c isa.CPU) error { return Step(c, i) })
		}
	}
	for _, form := range conditionForms {
		k := form(g)
		try(k, func(c isa.CPU) error { _, err := CondTerm(c, k); return err })
	}
}
