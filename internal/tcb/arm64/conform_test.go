package arm64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// concrete is a machine state with known values.
type concrete struct {
	reg    map[Reg]uint64
	vec    map[Reg]vector
	flags  [4]uint64
	mem    map[uint64]byte
	args   map[string]uint64
	result map[string]uint64
	tables map[string]uint64
}

// vector is the value of a vector register, the low half first.
type vector [2]uint64

func (v vector) big() *big.Int {
	x := new(big.Int).SetUint64(v[1])
	return x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(v[0]))
}

// value is that of a constant of at most 64 bits.
func value(t logic.Term, bits int) (uint64, error) {
	v, err := wide(t, bits)
	return v[0], err
}

// wide is the value of a constant of at most 128 bits.
func wide(t logic.Term, bits int) (vector, error) {
	if err := t.Err(); err != nil {
		return vector{}, err
	}
	v, ok := t.Const()
	if !ok || t.Sort() != logic.BV(bits) {
		return vector{}, fmt.Errorf("%v is not a constant of %d bits", t, bits)
	}
	low := new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0)))
	return vector{low.Uint64(), v.Rsh(v, 64).Uint64()}, nil
}

func (c *concrete) Reg(r Reg) (logic.Term, error) {
	if v, ok := c.vec[r]; ok {
		return logic.BVConst(128, v.big()), nil
	}
	v, ok := c.reg[r]
	if !ok {
		return logic.Term{}, fmt.Errorf("%s is undefined", RegName(r))
	}
	return logic.BVUint(64, v), nil
}

func (c *concrete) SetReg(r Reg, v logic.Term) error {
	if V0 <= r && r <= V31 {
		x, err := wide(v, 128)
		c.vec[r] = x
		return err
	}
	if !allocatable(r) {
		return fmt.Errorf("write to %s", RegName(r))
	}
	u, err := value(v, 64)
	c.reg[r] = u
	return err
}

func (c *concrete) Flag(f isa.Flag) (logic.Term, error) { return logic.BVUint(1, c.flags[f]), nil }

func (c *concrete) SetFlag(f isa.Flag, v logic.Term) (err error) {
	c.flags[f], err = value(v, 1)
	return err
}

func (c *concrete) Load(addr logic.Term, n int) (logic.Term, error) {
	a, err := value(addr, 64)
	v := new(big.Int)
	for i := n - 1; i >= 0; i-- {
		b, ok := c.mem[a+uint64(i)]
		if !ok {
			return logic.Term{}, fmt.Errorf("load at %#x", a)
		}
		v.Lsh(v, 8).Or(v, big.NewInt(int64(b)))
	}
	return logic.BVConst(8*n, v), err
}

func (c *concrete) Store(addr, v logic.Term) error {
	a, err := value(addr, 64)
	if err != nil {
		return err
	}
	u, err := wide(v, v.Width())
	for i := range v.Width() / 8 {
		if _, ok := c.mem[a+uint64(i)]; !ok {
			return fmt.Errorf("store at %#x", a)
		}
		c.mem[a+uint64(i)] = byte(u[i/8] >> (8 * (i % 8)))
	}
	return err
}

func (c *concrete) Arg(name string) (logic.Term, error) {
	v, ok := c.args[name]
	if !ok {
		return logic.Term{}, fmt.Errorf("no argument %s", name)
	}
	return logic.BVUint(64, v), nil
}

func (c *concrete) SetResult(name string, v logic.Term) (err error) {
	c.result[name], err = value(v, 64)
	return err
}

func (c *concrete) Table(name string) (logic.Term, error) {
	return logic.BVUint(64, c.tables[name]), nil
}

func (c *concrete) RequirePublic(logic.Term) error { return nil }

// The program that runs instructions maps arenaSize bytes at arena. Of that memory an instruction reaches the window:
// 32 bytes before the address accessed to 32 bytes after it.
const (
	arena     = 0x40000000
	arenaSize = 1 << 17
	window    = 64
)

// record is what the program reads and writes, per run: which stub, and the state before or after.
type record struct {
	Stub   uint64
	Reg    [27]uint64 // R0–R26; of a condition, slot 18 is whether the branch was taken
	NZCV   uint64
	SP     uint64
	Saved  uint64 // the program's SP
	Vec    [32]vector
	Window uint64 // address
	Bytes  [window]byte
}

const runnerGo = `package main

import (
	"os"
	"syscall"
	"unsafe"
)

type record struct {
	stub uint64
	st   [94]uint64
	at   uint64
	mem  [%d]byte
}

func stub(n uint64, st *uint64)

func main() {
	p, _, e := syscall.RawSyscall6(syscall.SYS_MMAP, %d, %d, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_FIXED, ^uintptr(0), 0)
	if e != 0 || p != %d {
		println("mmap", e)
		os.Exit(1)
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	size := int(unsafe.Sizeof(record{}))
	for i := 0; i+size <= len(data); i += size {
		r := (*record)(unsafe.Pointer(&data[i]))
		w := (*[%d]byte)(unsafe.Pointer(uintptr(r.at)))
		*w = r.mem
		stub(r.stub, &r.st[0])
		r.mem = *w
	}
	if err := os.WriteFile(os.Args[2], data, 0o666); err != nil {
		println(err.Error())
		os.Exit(1)
	}
}
`

// vectorMoves makes the moves of all vector registers from or to the state.
func vectorMoves(load bool) string {
	var b strings.Builder
	for n := 0; n < 32; n += 2 {
		if load {
			fmt.Fprintf(&b, "FLDPQ %d(R27), (F%d, F%d); ", 240+16*n, n, n+1)
		} else {
			fmt.Fprintf(&b, "FSTPQ (F%d, F%d), %d(R27); ", n, n+1, 240+16*n)
		}
	}
	return b.String()
}

// The state is in R27 while a stub runs. LOADSTATE and SAVESTATE replace all registers that the model knows, and SP.
var runnerAsm = `#include "textflag.h"

#define LOADSTATE \
	MOVD R0, R27 \
	` + vectorMoves(true) + ` \
	MOVD RSP, R1; MOVD R1, 232(R27) \
	MOVD 216(R27), R1; MSR R1, NZCV \
	MOVD 224(R27), R1; MOVD R1, RSP \
	LDP 0(R27), (R0, R1); LDP 16(R27), (R2, R3); LDP 32(R27), (R4, R5); LDP 48(R27), (R6, R7) \
	LDP 64(R27), (R8, R9); LDP 80(R27), (R10, R11); LDP 96(R27), (R12, R13); LDP 112(R27), (R14, R15) \
	LDP 128(R27), (R16, R17); LDP 152(R27), (R19, R20); LDP 168(R27), (R21, R22) \
	LDP 184(R27), (R23, R24); LDP 200(R27), (R25, R26)

#define SAVESTATE \
	STP (R0, R1), 0(R27); STP (R2, R3), 16(R27); STP (R4, R5), 32(R27); STP (R6, R7), 48(R27) \
	STP (R8, R9), 64(R27); STP (R10, R11), 80(R27); STP (R12, R13), 96(R27); STP (R14, R15), 112(R27) \
	STP (R16, R17), 128(R27); STP (R19, R20), 152(R27); STP (R21, R22), 168(R27) \
	STP (R23, R24), 184(R27); STP (R25, R26), 200(R27) \
	MRS NZCV, R1; MOVD R1, 216(R27) \
	MOVD RSP, R1; MOVD R1, 224(R27) \
	` + vectorMoves(false) + ` \
	MOVD 232(R27), R1; MOVD R1, RSP

// func stub(n uint64, st *uint64)
TEXT ·stub(SB), NOSPLIT, $0-16
	MOVD n+0(FP), R1
	MOVD st+8(FP), R0
	MOVD $stubs<>(SB), R2
	MOVD (R2)(R1<<3), R2
	JMP (R2)

`

// stubAsm is the text of the stub that runs an instruction or tests a condition.
func stubAsm(t *testing.T, n int, what any) string {
	f := isa.Function{Name: "f"}
	var b strings.Builder
	fmt.Fprintf(&b, "TEXT s%d<>(SB), NOSPLIT|NOFRAME, $0\n\tLOADSTATE\n", n)
	var line isa.Line
	switch what := what.(type) {
	case isa.Instr:
		line = instr(what)
	case isa.Cond:
		line = branch(what, "taken")
	}
	text, err := printLine(f, line)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(text + "\n\tSAVESTATE\n")
	if line.Branch != nil {
		b.WriteString("\tMOVD ZR, 144(R27)\n\tRET\ntaken:\n\tSAVESTATE\n\tMOVZ $1, R0\n\tMOVD R0, 144(R27)\n")
	}
	b.WriteString("\tRET\n\n")
	return b.String()
}

// edges are the values that carries, signs and shifts turn on.
func (g gen) value() uint64 {
	switch g.IntN(6) {
	case 0:
		return pick(g, 0, 1, 2, ^uint64(0), ^uint64(1), 1<<63, 1<<63-1, 1<<32, 1<<32-1)
	case 1:
		return 1 << g.IntN(64)
	case 2:
		return ^(1 << g.IntN(64))
	case 3:
		return 1<<g.IntN(64) - 1
	}
	return g.Uint64()
}

// state is a random state before the instruction or condition, whose memory access, if any, is in the window.
func (g gen) state(stub int, what any) record {
	r := record{Stub: uint64(stub), NZCV: g.Uint64N(16) << 28, SP: arena + 16*g.Uint64N(arenaSize/32), Window: arena + arenaSize/2}
	shared := g.value() // makes equal operands likely
	for i := range r.Reg {
		r.Reg[i] = g.value()
		if g.IntN(4) == 0 {
			r.Reg[i] = shared
		}
	}
	for i := range r.Vec {
		r.Vec[i] = vector{g.value(), g.value()}
		if g.IntN(4) == 0 {
			r.Vec[i][g.IntN(2)] = shared
		}
	}
	for i := range r.Bytes {
		r.Bytes[i] = byte(g.Uint32())
	}
	if base, offset, ok := access(what); ok {
		at := arena + 64 + g.Uint64N(arenaSize-256)
		if base == SP {
			at &^= 15 // the stack pointer is always aligned; other addresses need not be
			at += uint64(offset) & 15
			r.SP = at - uint64(offset)
		} else {
			r.Reg[base] = at - uint64(offset)
		}
		r.Window = at - 24
	}
	return r
}

// access is the base and offset of a load or store.
func access(what any) (base Reg, offset int, ok bool) {
	switch i := what.(type) {
	case LDR:
		return i.N, i.Offset, true
	case STR:
		return i.N, i.Offset, true
	case LDRW:
		return i.N, i.Offset, true
	case STRW:
		return i.N, i.Offset, true
	case LDRB:
		return i.N, i.Offset, true
	case STRB:
		return i.N, i.Offset, true
	case LDP:
		return i.N, i.Offset, true
	case STP:
		return i.N, i.Offset, true
	case LDRQ:
		return i.N, i.Offset, true
	case STRQ:
		return i.N, i.Offset, true
	case LDPQ:
		return i.N, i.Offset, true
	case STPQ:
		return i.N, i.Offset, true
	}
	return 0, 0, false
}

// model is the state after, by the semantics of this package.
func model(r record, what any) (record, error) {
	c := &concrete{reg: make(map[Reg]uint64), vec: make(map[Reg]vector), mem: make(map[uint64]byte)}
	for _, reg := range Regs() {
		c.reg[reg] = r.Reg[reg]
	}
	for _, v := range VectorRegs() {
		c.vec[v] = r.Vec[v-V0]
	}
	c.reg[SP] = r.SP
	for f := range c.flags {
		c.flags[f] = r.NZCV >> (31 - f) & 1
	}
	for i, b := range r.Bytes {
		c.mem[r.Window+uint64(i)] = b
	}
	switch what := what.(type) {
	case isa.Instr:
		if err := Step(c, what); err != nil {
			return r, err
		}
	case isa.Cond:
		k, err := CondTerm(c, what)
		if err != nil {
			return r, err
		}
		inverse, err := Invert(what)
		if err != nil {
			return r, err
		}
		not, err := CondTerm(c, inverse)
		if err != nil || not != logic.Not(k) || k != logic.True() && k != logic.False() {
			return r, fmt.Errorf("condition %v: %v, inverse %v: %v, %v", what, k, inverse, not, err)
		}
		r.Reg[18] = 0
		if k == logic.True() {
			r.Reg[18] = 1
		}
	}
	for _, reg := range Regs() {
		r.Reg[reg] = c.reg[reg]
	}
	for _, v := range VectorRegs() {
		r.Vec[v-V0] = c.vec[v]
	}
	r.SP, r.NZCV = c.reg[SP], 0
	for f, v := range c.flags {
		r.NZCV |= v << (31 - f)
	}
	for i := range r.Bytes {
		r.Bytes[i] = c.mem[r.Window+uint64(i)]
	}
	return r, nil
}

// TestConformance runs every form on qemu's model of the CPU, written by others, and compares all registers, the
// flags, the stack pointer and memory with this package's semantics. VERUM_CONF_SETS is the number of operand sets
// per form.
func TestConformance(t *testing.T) {
	qemu := tool(t, "qemu-aarch64-static", "qemu-aarch64")
	g := newGen(t)
	sets := 320
	if s := os.Getenv("VERUM_CONF_SETS"); s != "" {
		var err error
		if sets, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	const perForm = 40 // instructions of each form
	var stubs []any
	for _, form := range instructionForms {
		for range perForm {
			switch i := form(g).(type) {
			case LoadArg, StoreResult, TableAddr: // in TestConformanceFunction
			default:
				stubs = append(stubs, i)
			}
		}
	}
	for _, form := range conditionForms {
		for range perForm {
			stubs = append(stubs, form(g))
		}
	}
	for k := EQ; k <= LE; k++ {
		stubs = append(stubs, k, CSEL{R0, R1, R2, k})
	}

	var asm strings.Builder
	asm.WriteString(runnerAsm)
	for n, what := range stubs {
		asm.WriteString(stubAsm(t, n, what))
	}
	for n := range stubs {
		fmt.Fprintf(&asm, "DATA stubs<>+%d(SB)/8, $s%d<>(SB)\n", 8*n, n)
	}
	fmt.Fprintf(&asm, "GLOBL stubs<>(SB), NOPTR, $%d\n", 8*len(stubs))
	prog := buildArm64(t, map[string]string{
		"a_arm64.s": asm.String(),
		"main.go":   fmt.Sprintf(runnerGo, window, arena, arenaSize, arena, window),
	})

	var before []record
	for n, what := range stubs {
		for range (sets + perForm - 1) / perForm {
			before = append(before, g.state(n, what))
		}
	}
	var in bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prog+".in", in.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(qemu, prog, prog+".in", prog+".out")
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off") // a stub moves SP: no signals, please
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("qemu: %v\n%.2000s", err, out)
	}
	out, err := os.ReadFile(prog + ".out")
	if err != nil {
		t.Fatal(err)
	}
	after := make([]record, len(before))
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, after); err != nil {
		t.Fatal(err)
	}
	bad := 0
	for n, r := range before {
		what := stubs[r.Stub]
		want, err := model(r, what)
		if err != nil {
			t.Fatalf("%T%+v: %v", what, what, err)
		}
		want.Saved = after[n].Saved
		if after[n] != want {
			t.Errorf("%T%+v\nbefore %x\nCPU    %x\nmodel  %x", what, what, r, after[n], want)
			if bad++; bad > 5 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d instructions and conditions, %d runs equal", len(stubs), len(before))
	forms := map[string]bool{}
	for _, what := range stubs {
		forms[fmt.Sprintf("%T", what)] = true
	}
	version, err := exec.Command(qemu, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(version), " (")
	evidently(t, "conformance", map[string]string{"sets": strconv.Itoa(sets), "on": line},
		map[string]int64{"forms": int64(len(forms)), "instructions": int64(len(stubs)), "sets": int64(len(before))})
}

// interpret runs a function in the model: its entry, its lines, the routines it calls.
func interpret(c *concrete, fs map[string]isa.Function, f isa.Function) error {
	l, err := layoutOf(f)
	if err != nil {
		return err
	}
	c.reg[SP] -= uint64(l.size)
	base, delta := FrameBase()
	for i := range f.Frame { // the local frame is undefined, hence may be anything
		c.mem[c.reg[base]+uint64(delta+i)] = 0xcc
	}
	for _, r := range EntryClobbers(f) {
		delete(c.reg, r)
	}
	at := make(map[string]int)
	for n, line := range f.Lines {
		at[line.Label] = n
	}
	for n := 0; n < len(f.Lines); n++ {
		line := f.Lines[n]
		switch {
		case line.Instr != nil:
			err = Step(c, line.Instr)
		case line.Call != "":
			err = interpret(c, fs, fs[line.Call])
		case line.Return:
			c.reg[SP] += uint64(l.size)
			return nil
		case line.Branch != nil:
			taken := logic.True()
			if line.Branch.Cond != nil {
				taken, err = CondTerm(c, line.Branch.Cond)
			}
			if taken == logic.True() {
				n = at[line.Branch.Label]
			}
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", f.Name, n, err)
		}
	}
	return fmt.Errorf("%s: ran off the end", f.Name)
}

const functionGo = `
func drive(fn uintptr, a, b uint64) (ret, changed uint64)

func main() {
	for _, f := range functions {
		for _, a := range values {
			for _, b := range values {
				ret, changed := drive(f, a, b)
				if changed != 0 {
					println("SP, R28 or R29 changed", changed)
					return
				}
				print(ret, "\n")
			}
		}
	}
}
`

// functionAsm calls a function as Go does and checks SP, g and the frame pointer.
const functionAsm = `
// func drive(fn uintptr, a, b uint64) (ret, changed uint64)
TEXT ·drive(SB), 0, $2048-40
	MOVD RSP, R0
	MOVD R0, 40(RSP)
	MOVD g, 48(RSP)
	MOVD R29, 56(RSP)
	MOVD a+8(FP), R0
	MOVD R0, 8(RSP)
	MOVD b+16(FP), R0
	MOVD R0, 16(RSP)
	MOVD fn+0(FP), R1
	CALL (R1)
	MOVD 24(RSP), R0
	MOVD R0, ret+24(FP)
	MOVD RSP, R1
	MOVD 40(RSP), R0
	EOR R0, R1, R2
	MOVD 48(RSP), R0
	EOR R0, g, R1
	ORR R1, R2, R2
	MOVD 56(RSP), R0
	EOR R0, R29, R1
	ORR R1, R2, R2
	MOVD R2, changed+32(FP)
	RET
`

// TestConformanceFunction runs whole functions: entry and exit with every size of frame, arguments and results,
// frames that don't overlap, calls, loops, tables, and the registers that an entry overwrites.
func TestConformanceFunction(t *testing.T) {
	qemu := tool(t, "qemu-aarch64-static", "qemu-aarch64")
	var fs []isa.Function
	routines := make(map[string]isa.Function)
	add := func(f isa.Function) {
		fs = append(fs, f)
		routines[f.Name] = f
	}
	// fill overwrites the whole frame with junk, a word at a time, in a loop.
	fill := func(frame int) []isa.Line {
		if frame == 0 {
			return nil
		}
		return append(append(instrs(
			ADDImm{R10, SP, 8},
			MOVZ{R11, uint16(frame / 8), 0}),
			label("fill")),
			instr(STR{R11, R10, 0}),
			instr(ADDImm{R10, R10, 8}),
			instr(SUBSImm{R11, R11, 1}),
			branch(NE, "fill"))
	}
	for _, frame := range testFrames {
		leaf := fmt.Sprintf("leaf%d", frame)
		add(routine(leaf, frame, append(fill(frame), instr(ADD{R0, R0, R1, ShiftLSL, 3}), ret())...))
		if frame > 512 {
			continue
		}
		if frame > 272 {
			leaf = "leaf96" // the frames of a chain of calls are limited
		}
		nest := fmt.Sprintf("nest%d", frame)
		add(routine(nest, 32, append(fill(32), instr(STR{R0, SP, 8}), call(leaf),
			instr(LDR{R2, SP, 8}), instr(EOR{D: R0, N: R0, M: R2}), ret())...))
		if frame < 16 {
			continue
		}
		// Arguments go through both ends of the frame, around a call; a table and a branch join in.
		add(goFunction(fmt.Sprintf("f%d", frame), frame, append(fill(frame),
			instr(LoadArg{R0, "a"}), instr(LoadArg{R1, "b"}),
			instr(STR{R0, SP, 8}), instr(STR{R1, SP, frame}),
			call(nest),
			instr(LDR{R3, SP, 8}), instr(LDR{R4, SP, frame}), instr(LoadArg{R5, "b"}),
			instr(SUB{D: R4, N: R4, M: R5}),
			branch(CBZ{R4}, "same"),
			instr(MOVZ{R0, 0xbad, 0}),
			label("same"),
			instr(TableAddr{R6, "table0"}), instr(LDP{R7, R8, R6, 0}),
			instr(MADD{R0, R3, R7, R0}), instr(EOR{D: R0, N: R0, M: R8}),
			instr(StoreResult{R0, "ret"}), ret())...))
		// A leaf with a frame; arguments are read after the frame is overwritten.
		add(goFunction(fmt.Sprintf("g%d", frame), frame, append(fill(frame),
			instr(LoadArg{R0, "a"}), instr(LoadArg{R1, "b"}), instr(SUBS{R0, R0, R1, 0, 0}),
			branch(LO, "less"), instr(StoreResult{R0, "ret"}), ret(),
			label("less"), instr(NEG(R0, R0)), instr(StoreResult{R0, "ret"}), ret())...))
		// Every register survives the entry and exit of a routine that does not touch it, except those declared.
		empty := fmt.Sprintf("empty%d", frame)
		add(routine(empty, frame, ret()))
		clobbered := EntryClobbers(routines[empty])
		body := instrs(LoadArg{R0, "a"}, LoadArg{R1, "b"})
		for _, r := range Regs()[2:] {
			body = append(body, instr(ADD{R0, R0, R1, ShiftLSL, uint8(r)}), instr(MOV(r, R0)))
		}
		body = append(body, call(empty))
		for _, r := range Regs()[2:] {
			if !slices.Contains(clobbered, r) {
				body = append(body, instr(EOR{R0, r, R0, ShiftROR, 7}))
			}
		}
		add(goFunction(fmt.Sprintf("k%d", frame), 0, append(body, instr(StoreResult{R0, "ret"}), ret())...))
	}
	add(goFunction("f0", 0, instr(LoadArg{R0, "a"}), instr(LoadArg{R1, "b"}), call("nest0"), instr(StoreResult{R0, "ret"}), ret()))
	add(goFunction("g0", 0, instr(LoadArg{R0, "a"}), instr(LoadArg{R1, "b"}), instr(UMULH{R0, R0, R1}), instr(StoreResult{R0, "ret"}), ret()))

	var exported []isa.Function
	var asm strings.Builder
	asm.WriteString(asmHeader)
	for _, f := range fs {
		text, err := Print(f)
		if err != nil {
			t.Fatal(err)
		}
		asm.WriteString(text + "\n")
		if !f.Local {
			fmt.Fprintf(&asm, "DATA ·functions+%d(SB)/8, $·%s(SB)\n\n", 8*len(exported), f.Name)
			exported = append(exported, f)
		}
	}
	fmt.Fprintf(&asm, "GLOBL ·functions(SB), NOPTR, $%d\n", 8*len(exported))
	values := []uint64{0, 1, 1 << 63, ^uint64(0), 0x0123456789abcdef}
	prog := buildArm64(t, map[string]string{
		"a_arm64.s": asm.String() + asmTables + functionAsm,
		"main.go":   "package main\n" + functionGo + goStubs(exported) + fmt.Sprintf("\nvar values = %#v\n", values),
	})
	out, err := exec.Command(qemu, prog).CombinedOutput()
	if err != nil {
		t.Fatalf("qemu: %v\n%.2000s", err, out)
	}
	got := strings.Fields(string(out))
	if len(got) != len(exported)*len(values)*len(values) {
		t.Fatalf("%d results: %.500s", len(got), out)
	}
	n := 0
	for _, f := range exported {
		for _, a := range values {
			for _, b := range values {
				const stack, table = 0x7000_0000, 0x5000_0000
				c := &concrete{
					reg: map[Reg]uint64{SP: stack}, mem: make(map[uint64]byte),
					args: map[string]uint64{"a": a, "b": b}, result: make(map[string]uint64),
					tables: map[string]uint64{"table0": table},
				}
				for i := range 8 {
					c.mem[table+uint64(i)] = byte(uint64(0x0123456789abcdef) >> (8 * i))
					c.mem[table+8+uint64(i)] = byte(uint64(0x1122334455667788) >> (8 * i))
				}
				if err := interpret(c, routines, f); err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(c.result["ret"]); got[n] != want || c.reg[SP] != stack {
					t.Fatalf("%s(%#x, %#x): CPU %s, model %s", f.Name, a, b, got[n], want)
				}
				n++
			}
		}
	}
	t.Logf("%d functions, %d runs equal", len(exported), n)
	evidently(t, "functions", nil, map[string]int64{"functions": int64(len(exported)), "runs": int64(n)})
}
