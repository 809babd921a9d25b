package amd64

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// The runner is a program that executes single instructions natively. It reads cases from standard input: code,
// registers, flags, memory; and writes registers, flags and memory after the code. Registers are all but BP, which
// points at the state; the memory and the code lie at fixed addresses, so that both sides know them. SP is a register
// like any other: signals have their own stack, and asynchronous preemption is off. A case is: code, its length,
// 16 registers by hardware number, flags, 16 vector registers of 32 bytes, memory; a result is the same without code.
// On a CPU without AVX the upper halves of the vector registers come back as they were.
const (
	memAddr  = 0x5a0000000000 // of the memory that instructions may access
	memSize  = 512
	codeSize = 254
)

const runnerGo = `package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

type state struct {
	regs, after [16]uint64 // 0, 128
	code        uint64     // 256: where to jump to
	back        uint64     // 264: where the code jumps to
	sp, bp      uint64     // 272, 280: saved
	flags       uint64     // 288
	_           [3]uint64
	vec         [512]byte // 320
	vecAfter    [512]byte // 832
}

//go:noescape
func run(s *state)

func mapAt(addr, prot uintptr) unsafe.Pointer {
	const fixed = 0x100000 // MAP_FIXED_NOREPLACE
	p, _, e := syscall.Syscall6(syscall.SYS_MMAP, addr, 1<<16, prot, syscall.MAP_ANON|syscall.MAP_PRIVATE|fixed, ^uintptr(0), 0)
	if e != 0 || p != addr {
		fmt.Fprintln(os.Stderr, "mmap:", e)
		os.Exit(1)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

func main() {
	runtime.LockOSThread()
	s := (*state)(mapAt(%#[1]x, 3))
	mem := (*[%[4]d]byte)(mapAt(%#[2]x, 3))
	page := (*[1 << 16]byte)(mapAt(%#[3]x, 7))
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	var out []byte
	for n := 0; len(in) > 0; n++ {
		at := n %% 128 * 512
		l := binary.LittleEndian.Uint16(in[%[5]d:])
		copy(page[at:], append(in[:l:l], 0xff, 0xa5, 8, 1, 0, 0)) // JMP 264(BP)
		s.code = %#[3]x + uint64(at)
		in = in[%[5]d+2:]
		for i := range s.regs {
			s.regs[i] = binary.LittleEndian.Uint64(in[8*i:])
		}
		s.flags = binary.LittleEndian.Uint64(in[128:])
		copy(s.vec[:], in[136:])
		copy(mem[:], in[648:])
		in = in[648+len(mem):]
		s.vecAfter = s.vec
		run(s)
		for _, v := range s.after {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
		out = binary.LittleEndian.AppendUint64(out, s.flags)
		out = append(out, s.vecAfter[:]...)
		out = append(out, mem[:]...)
	}
	if _, err := os.Stdout.Write(out); err != nil {
		panic(err)
	}
}
`

// runnerAsm loads the registers and flags and jumps to the code, which jumps to back.
func runnerAsm(avx bool) string {
	var b strings.Builder
	move, reg := "MOVOU", "X"
	if avx {
		move, reg = "VMOVDQU", "Y"
	}
	b.WriteString(`#include "textflag.h"

TEXT ·run(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ s+0(FP), AX
	MOVQ SP, 272(AX)
	MOVQ BP, 280(AX)
	MOVQ AX, BP
	LEAQ back<>(SB), AX
	MOVQ AX, 264(BP)
	PUSHQ 288(BP)
	POPFQ
`)
	for n := range 16 {
		fmt.Fprintf(&b, "\t%s %d(BP), %s%d\n", move, 320+32*n, reg, n)
	}
	for r := AX; r <= R15; r++ {
		if r != BP {
			fmt.Fprintf(&b, "\tMOVQ %d(BP), %s\n", 8*number(r), RegName(r))
		}
	}
	b.WriteString(`	JMP 256(BP)

TEXT back<>(SB), NOSPLIT|NOFRAME, $0-0
`)
	for r := AX; r <= R15; r++ {
		if r != BP {
			fmt.Fprintf(&b, "\tMOVQ %s, %d(BP)\n", RegName(r), 128+8*int(number(r)))
		}
	}
	b.WriteString(`	MOVQ 272(BP), SP
	PUSHFQ
	POPQ AX
	MOVQ AX, 288(BP)
	CLD
`)
	for n := range 16 {
		fmt.Fprintf(&b, "\t%s %s%d, %d(BP)\n", move, reg, n, 832+32*n)
	}
	if avx {
		b.WriteString("\tVZEROUPPER\n")
	}
	b.WriteString(`
	MOVQ 280(BP), BP
	RET
`)
	return b.String()
}

// conf is one case and what the runner made of it.
type conf struct {
	instr isa.Instr
	code  []byte
	regs  [16]uint64
	flags uint64
	vec   [16][4]uint64
	mem   [memSize]byte

	after      [16]uint64
	afterFlags uint64
	afterVec   [16][4]uint64
	afterMem   [memSize]byte
}

// half is a vector register, low or upper half, of such a state.
func half(vec [16][4]uint64, r Reg) *big.Int {
	v := vec[(r-X0)%16]
	if r >= Upper(X0) {
		v[0], v[1] = v[2], v[3]
	}
	x := new(big.Int).SetUint64(v[1])
	return x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(v[0]))
}

// flagBits are the places of the flags in RFLAGS; other status flags, PF and AF, are not in the model.
var flagBits = map[isa.Flag]uint{CF: 0, ZF: 6, SF: 7, OF: 11}

// native runs the cases on this machine's CPU.
func native(t *testing.T, cases []*conf) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		skip(t, "needs linux/amd64")
	}
	exe := build(t, map[string]string{
		"main.go":     fmt.Sprintf(runnerGo, memAddr+0x100000, memAddr, memAddr+0x200000, memSize, codeSize),
		"run_amd64.s": runnerAsm(features(t)["AVX"]),
	})
	var in bytes.Buffer
	for _, c := range cases {
		if len(c.code) > codeSize {
			t.Fatalf("%+v has %d bytes", c.instr, len(c.code))
		}
		in.Write(c.code)
		in.Write(make([]byte, codeSize-len(c.code)))
		binary.Write(&in, binary.LittleEndian, uint16(len(c.code)))
		binary.Write(&in, binary.LittleEndian, c.regs)
		binary.Write(&in, binary.LittleEndian, c.flags)
		binary.Write(&in, binary.LittleEndian, c.vec)
		in.Write(c.mem[:])
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off", "GOTRACEBACK=system")
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("runner: %v\n%s", err, stderr.Bytes())
	}
	r := bytes.NewReader(out)
	for _, c := range cases {
		if err := errors.Join(binary.Read(r, binary.LittleEndian, &c.after), binary.Read(r, binary.LittleEndian, &c.afterFlags),
			binary.Read(r, binary.LittleEndian, &c.afterVec)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, c.afterMem[:]); err != nil {
			t.Fatal(err)
		}
	}
	if r.Len() != 0 {
		t.Fatal("the runner wrote too much")
	}
}

// skip skips a test, visibly, but not in CI.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("VERUM_CI") == "1" {
		t.Fatal("may not be skipped in CI: " + why)
	}
	t.Skip(why)
}

// features are the CPU features that the kernel reports, in the spelling of Describe.
func features(t *testing.T) map[string]bool {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		skip(t, err.Error())
	}
	has := map[string]bool{}
	for _, w := range strings.Fields(string(text)) {
		has[strings.ToUpper(w)] = true
	}
	return has
}

// machine is a concrete or symbolic CPU: each register, flag and byte of memory is a term, which env evaluates.
type machine struct {
	regs     map[Reg]logic.Term // a register that is missing is poison
	flags    map[isa.Flag]logic.Term
	mem      map[int]logic.Term // bytes accessed so far
	before   [memSize]byte
	env      map[logic.Term]logic.Value
	symbolic bool

	args, results, tables map[string]logic.Term
}

// leaf is a term for a value: a constant or a variable.
func (m *machine) leaf(name string, n int, v uint64) logic.Term {
	return m.bigLeaf(name, n, new(big.Int).SetUint64(v))
}

func (m *machine) bigLeaf(name string, n int, v *big.Int) logic.Term {
	if !m.symbolic {
		return logic.BVConst(n, v)
	}
	x := logic.Var("amd64_test_"+name, logic.BV(n))
	m.env[x] = logic.IntValue(v)
	return x
}

// newMachine is the state of a case, on constants or, symbolic, on variables that have those values.
func newMachine(c *conf, symbolic bool) *machine {
	m := &machine{regs: map[Reg]logic.Term{}, flags: map[isa.Flag]logic.Term{}, mem: map[int]logic.Term{}, before: c.mem,
		env: map[logic.Term]logic.Value{}, symbolic: symbolic}
	for r := AX; r <= R15; r++ {
		if r != BP {
			m.regs[r] = m.leaf(RegName(r), 64, c.regs[number(r)])
		}
	}
	for _, r := range VectorRegs() {
		m.regs[r] = m.bigLeaf(RegName(r), 128, half(c.vec, r))
	}
	for f, bit := range flagBits {
		m.flags[f] = m.leaf(FlagNames()[f], 1, c.flags>>bit&1)
	}
	return m
}

// value evaluates a term of n ≤ 64 bits.
func (m *machine) value(v logic.Term, n int) (uint64, error) {
	x, err := m.bigValue(v, n)
	if err != nil {
		return 0, err
	}
	return x.Uint64(), nil
}

// bigValue evaluates a term of n bits.
func (m *machine) bigValue(v logic.Term, n int) (*big.Int, error) {
	if v.Sort() != logic.BV(n) {
		return nil, fmt.Errorf("%v is not of sort BV(%d)", v, n)
	}
	if !m.symbolic {
		c, ok := v.Const()
		if !ok {
			return nil, fmt.Errorf("%v is no constant", v)
		}
		return c, nil
	}
	x, err := logic.Eval(v, m.env, 1e5)
	if err != nil {
		return nil, err
	}
	return x.Big(), nil
}

func (m *machine) Reg(r Reg) (logic.Term, error) {
	v, ok := m.regs[r]
	if !ok {
		return logic.Term{}, fmt.Errorf("read of %s", RegName(r))
	}
	return v, nil
}

func (m *machine) SetReg(r Reg, v logic.Term) error {
	if !general(r) && (r < X0 || r > Upper(X15)) || v.Sort() != logic.BV(r.Width()) {
		return fmt.Errorf("write of %s: %v", RegName(r), v)
	}
	m.regs[r] = v
	return nil
}

func (m *machine) Flag(f isa.Flag) (logic.Term, error) {
	if m.flags[f].IsZero() {
		return logic.Term{}, fmt.Errorf("read of undefined %s", FlagNames()[f])
	}
	return m.flags[f], nil
}

func (m *machine) SetFlag(f isa.Flag, v logic.Term) error {
	if _, ok := flagBits[f]; !ok || !v.IsZero() && v.Sort() != logic.BV(1) {
		return fmt.Errorf("write of flag %d: %v", f, v)
	}
	m.flags[f] = v
	return nil
}

// at is where an access of n bytes lies in mem.
func (m *machine) at(addr logic.Term, n int) (int, error) {
	a, err := m.value(addr, 64)
	if err != nil {
		return 0, err
	}
	if a < memAddr || a > memAddr+memSize-uint64(n) {
		return 0, fmt.Errorf("access to %#x", a)
	}
	return int(a - memAddr), nil
}

func (m *machine) Load(addr logic.Term, n int) (logic.Term, error) {
	at, err := m.at(addr, n)
	if err != nil {
		return logic.Term{}, err
	}
	var bytes []logic.Term
	for i := at; i < at+n; i++ {
		if _, ok := m.mem[i]; !ok {
			m.mem[i] = m.leaf(fmt.Sprint("mem", i), 8, uint64(m.before[i]))
		}
		bytes = append(bytes, m.mem[i])
	}
	return logic.Concat(bytes...), nil
}

func (m *machine) Store(addr, v logic.Term) error {
	n := v.Sort().Width() / 8
	at, err := m.at(addr, n)
	if err != nil {
		return err
	}
	for i := range n {
		m.mem[at+i] = logic.Extract(8*i+7, 8*i, v)
	}
	return nil
}

func (m *machine) Arg(name string) (logic.Term, error) { return named(m.args, name) }

func (m *machine) Table(name string) (logic.Term, error) { return named(m.tables, name) }

func named(ts map[string]logic.Term, name string) (logic.Term, error) {
	v, ok := ts[name]
	if !ok {
		return v, fmt.Errorf("no %s", name)
	}
	return v, nil
}

func (m *machine) SetResult(name string, v logic.Term) error {
	if m.results == nil || v.Sort() != logic.BV(64) {
		return fmt.Errorf("result %s: %v", name, v)
	}
	m.results[name] = v
	return nil
}

func (m *machine) RequirePublic(logic.Term) error { return errors.New("nothing here is public-only") }

var _ isa.CPU = (*machine)(nil)

// differences compares the model's state with the CPU's.
func (m *machine) differences(c *conf) []string {
	var d []string
	for r, v := range m.regs {
		if r >= X0 {
			got, err := m.bigValue(v, 128)
			if want := half(c.afterVec, r); err != nil || got.Cmp(want) != 0 {
				d = append(d, fmt.Sprintf("%s: model %#x, CPU %#x, before %#x (%v)", RegName(r), got, want, half(c.vec, r), err))
			}
			continue
		}
		got, err := m.value(v, 64)
		if want := c.after[number(r)]; err != nil || got != want {
			d = append(d, fmt.Sprintf("%s: model %#x, CPU %#x, before %#x (%v)", RegName(r), got, want, c.regs[number(r)], err))
		}
	}
	for f, bit := range flagBits {
		if m.flags[f].IsZero() {
			continue
		}
		got, err := m.value(m.flags[f], 1)
		if want := c.afterFlags >> bit & 1; err != nil || got != want {
			d = append(d, fmt.Sprintf("%s: model %d, CPU %d (%v)", FlagNames()[f], got, want, err))
		}
	}
	for n, was := range c.mem {
		got, err := uint64(was), error(nil)
		if v, ok := m.mem[n]; ok {
			got, err = m.value(v, 8)
		}
		if want := c.afterMem[n]; err != nil || got != uint64(want) {
			d = append(d, fmt.Sprintf("memory +%d: model %#x, CPU %#x, before %#x (%v)", n, got, want, was, err))
		}
	}
	return d
}

// randomCase makes random registers, flags and memory for an instruction, and points its memory operand into memory.
func randomCase(t *testing.T, rng *rand.Rand, i isa.Instr) *conf {
	c := &conf{instr: i}
	code, relocs, err := Encode(isa.Function{Name: "f", Lines: lines(i)})
	if err != nil || len(relocs) != 0 {
		t.Fatal(err, relocs)
	}
	c.code = code[:len(code)-1] // without the return
	equal := rng.IntN(8) == 0
	for n := range c.regs {
		c.regs[n] = random64(rng)
		if equal {
			c.regs[n] = c.regs[0] // operands with one value: zero differences, ZF
		}
	}
	c.regs[number(SP)] = memAddr + 64 + 8*uint64(rng.IntN(16))
	c.flags = 0x202 // the reserved bit and IF are always set
	for bit, p := range map[uint]int{0: 2, 2: 2, 4: 2, 6: 2, 7: 2, 11: 2} {
		if rng.IntN(p) == 0 {
			c.flags |= 1 << bit
		}
	}
	shared := [2]uint64{random64(rng), random64(rng)} // lanes of any width are often equal
	for n := range 16 * 4 {
		v := &c.vec[n/4][n%4]
		switch *v = random64(rng); rng.IntN(4) {
		case 0:
			*v = shared[0]
		case 1:
			*v = shared[0]<<32 | shared[1]&0xffffffff
		}
	}
	for n := 0; n < memSize; n += 8 {
		v := random64(rng)
		if rng.IntN(4) == 0 {
			v = c.regs[rng.IntN(16)]
		}
		binary.LittleEndian.PutUint64(c.mem[n:], v)
	}
	m := reflect.ValueOf(i).FieldByName("M")
	if _, lea := i.(LEA); lea && rng.IntN(2) == 0 || !m.IsValid() {
		return c
	}
	c.point(m.Interface().(Mem), memAddr+16+uint64(rng.IntN(memSize-64)))
	return c
}

// point sets the base of a memory operand so that its address is a, or near a where that has no solution.
func (c *conf) point(m Mem, a uint64) {
	a -= uint64(int64(m.Disp))
	switch {
	case m.Scale == 0:
	case m.Index != m.Base:
		a -= c.regs[number(m.Index)] * uint64(m.Scale)
	case m.Scale == 1: // 2·base = a
		a >>= 1
	default: // (1+scale)·base = a, with an odd factor; Newton's iteration inverts it modulo 2⁶⁴
		f := 1 + uint64(m.Scale)
		inv := f
		for range 6 {
			inv *= 2 - f*inv
		}
		a *= inv
	}
	c.regs[number(m.Base)] = a
}

// confSets is the number of operand sets per form.
func confSets(t *testing.T) int {
	if v := os.Getenv("VERUM_CONF_SETS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			t.Fatal("VERUM_CONF_SETS is not a positive number")
		}
		return n
	}
	return 400
}

// TestConformance: each form does on this CPU what Step says, on constants and, for some cases, on variables.
func TestConformance(t *testing.T) {
	rng := seed(t)
	has := features(t)
	sets := confSets(t)
	var cases []*conf
	ran, untested := 0, 0
	for _, like := range forms {
		if needsFunction(like) {
			continue // see TestFunctions
		}
		info, err := Describe(random(rng, like))
		if err != nil {
			t.Fatal(err)
		}
		missing := false
		for _, f := range info.Features {
			missing = missing || !has[f]
		}
		if missing {
			t.Logf("NOT TESTED: %s: this CPU lacks one of %v", info.Form, info.Features)
			untested++
			if os.Getenv("VERUM_CI") == "1" {
				t.Errorf("%s must be tested in CI", info.Form)
			}
			continue
		}
		ran++
		// The systematic variants first: each register in each place, each edge.
		is := variants(rng, like, sets)
		for n, i := range is {
			if n%8 == 0 {
				i = sameRegs(i)
			}
			cases = append(cases, randomCase(t, rng, i))
		}
	}
	native(t, cases)
	gen := generation(t)
	failed := map[string]int{}
	for n, c := range cases {
		if n%2000 == 1999 {
			gen.Drop()
			gen = generation(t)
		}
		for _, symbolic := range []bool{false, true} {
			if symbolic && n%5 != 0 {
				continue
			}
			m := newMachine(c, symbolic)
			var d []string
			if err := Step(m, c.instr); err != nil {
				d = []string{err.Error()}
			} else {
				d = m.differences(c)
			}
			if len(d) > 0 {
				if failed[formName(c.instr)]++; failed[formName(c.instr)] <= 3 {
					t.Errorf("%s %+v (% x, symbolic %v, flags %#x):\n\t%s", formName(c.instr), c.instr, c.code, symbolic, c.flags, strings.Join(d, "\n\t"))
				}
			}
		}
	}
	gen.Drop()
	t.Logf("%d forms, %d operand sets", ran, len(cases))
	evidently(t, "conformance", map[string]string{"sets": strconv.Itoa(sets), "on": "this CPU"},
		map[string]int64{"forms": int64(ran), "instructions": int64(len(cases)), "sets": int64(len(cases)), "untested": int64(untested)})
	for f, n := range failed {
		t.Logf("%s: %d sets differ", f, n)
	}
}

// generation opens a generation of terms, so that those of many cases do not pile up.
func generation(t *testing.T) logic.Generation {
	g, err := logic.NewGeneration()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestBranches: a conditional branch, short or long, is taken on this CPU exactly when CondTerm says so.
func TestBranches(t *testing.T) {
	rng := seed(t)
	var cases []*conf
	var conds []Cond
	for _, k := range allConds {
		for _, n := range []int{1, 51} { // 3 or 153 bytes to branch over
			f := isa.Function{Name: "f", Lines: []isa.Line{{Branch: &isa.Branch{Cond: k, Label: "skip"}}}}
			for range n {
				f.Lines = append(f.Lines, isa.Line{Instr: NOT{AX}})
			}
			f.Lines = append(f.Lines, isa.Line{Label: "skip"}, isa.Line{Return: true})
			code, _, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			for flags := range 16 {
				c := randomCase(t, rng, NOT{AX})
				c.code = code[:len(code)-1]
				c.flags = 0x202
				for f, bit := range flagBits {
					c.flags |= uint64(flags>>f&1) << bit
				}
				cases, conds = append(cases, c), append(conds, k)
			}
		}
	}
	native(t, cases)
	for n, c := range cases {
		m := newMachine(c, false)
		cond, err := CondTerm(m, conds[n])
		if err != nil {
			t.Fatal(err)
		}
		not, err := Invert(conds[n])
		if err != nil {
			t.Fatal(err)
		}
		inverse, err := CondTerm(m, not)
		if err != nil || inverse != logic.Not(cond) {
			t.Errorf("%v: the inverse is %v, %v", conds[n], inverse, err)
		}
		taken := c.after[number(AX)] == c.regs[number(AX)]
		if cond != logic.BoolConst(taken) {
			t.Errorf("J%v, flags %#x: taken %v, model %v", conds[n], c.flags, taken, cond)
		}
	}
	t.Logf("%d branches", len(cases))
	evidently(t, "branches", nil, map[string]int64{"conditions": int64(len(allConds)), "runs": int64(len(cases))})
}
