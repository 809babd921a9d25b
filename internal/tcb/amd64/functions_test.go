package amd64

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// tableWords is the constant table "tab" of the test functions.
var tableWords = [8]uint64{1, 1 << 63, 1<<64 - 1, 0x0123456789abcdef, 0, 3, 0xfedcba9876543210, 5}

const tableAt = memSize - 64 // in the memory of the interpreting machine

// runFunctions are functions of two arguments and a result with everything that belongs to a function: arguments and
// results, a table, a frame, branches, a loop, calls of routines with and without frames.
func runFunctions() (fs []isa.Function, routines []isa.Function) {
	branch := func(k isa.Cond, l string) isa.Line { return isa.Line{Branch: &isa.Branch{Cond: k, Label: l}} }
	for _, frame := range []int{0, 8, 120, 128, 136, 256} {
		for n, k := range allConds {
			calls := (n+frame/8)%2 == 0
			f := isa.Function{Name: fmt.Sprintf("f%d%v", frame, k), Args: testArgs, ArgSize: 24, Frame: frame, Calls: calls}
			do := func(is ...isa.Instr) {
				for _, i := range is {
					f.Lines = append(f.Lines, isa.Line{Instr: i})
				}
			}
			do(LoadArg{AX, "x"}, LoadArg{BX, "y"}, TableAddr{R8, "tab"}, XORL{CX, CX}, MOVI{R9, 10})
			f.Lines = append(f.Lines, isa.Line{Label: "top"})
			do(MOV{DX, AX}, ANDI{DX, 7}, ADDM{CX, Mem{Base: R8, Index: DX, Scale: 8}}, SHLD{AX, BX, 5})
			if frame > 0 { // to the last and from the first word of the frame
				do(MOVMR{Mem{Base: SP, Disp: int32(frame - 8)}, CX}, LEA{R10, Mem{Base: SP}}, MOVMR{Mem{Base: R10}, AX},
					XORM{CX, Mem{Base: SP}}, ADDM{CX, Mem{Base: SP, Disp: int32(frame - 8)}})
			}
			if calls {
				do(MOV{DI, CX})
				f.Lines = append(f.Lines, isa.Line{Call: "outer"})
				do(MOV{CX, DI})
			}
			do(SUBI{R9, 1})
			f.Lines = append(f.Lines, branch(NE, "top"))
			// Both ways out of a branch over a return.
			do(StoreResult{CX, "r"}, CMP{CX, BX})
			f.Lines = append(f.Lines, branch(k, "skip"))
			do(NOT{CX}, StoreResult{CX, "r"})
			f.Lines = append(f.Lines, isa.Line{Return: true}, isa.Line{Label: "skip"})
			do(BSWAP{CX}, StoreResult{CX, "r"})
			f.Lines = append(f.Lines, isa.Line{Return: true})
			fs = append(fs, f)
		}
	}
	inner := isa.Function{Name: "inner", Local: true, Lines: lines(NEG{DI}, BSWAP{DI})}
	outer := isa.Function{Name: "outer", Local: true, Frame: 16, Calls: true, Lines: append([]isa.Line{
		{Instr: MOVMR{Mem{Base: SP, Disp: 8}, DI}}, {Call: "inner"}}, lines(SUBM{DI, Mem{Base: SP, Disp: 8}})...)}
	return fs, []isa.Function{inner, outer}
}

// interpreter runs functions by the model: Step, CondTerm, and the lines' own meaning.
type interpreter struct {
	t     *testing.T
	m     *machine
	funcs map[string]isa.Function
	steps int
}

func (p *interpreter) run(f isa.Function) {
	labels := map[string]int{}
	for n, l := range f.Lines {
		if l.Label != "" {
			labels[l.Label] = n
		}
	}
	for n := 0; ; n++ {
		if p.steps++; p.steps > 1e4 {
			p.t.Fatal("does not terminate")
		}
		switch l := f.Lines[n]; {
		case l.Instr != nil:
			if err := Step(p.m, l.Instr); err != nil {
				p.t.Fatal(err)
			}
		case l.Branch != nil:
			taken := logic.True()
			if l.Branch.Cond != nil {
				var err error
				if taken, err = CondTerm(p.m, l.Branch.Cond); err != nil {
					p.t.Fatal(err)
				}
			}
			if taken == logic.True() {
				n = labels[l.Branch.Label]
			}
		case l.Call != "":
			callee := p.funcs[l.Call]
			sp := p.m.regs[SP]
			p.m.regs[SP] = logic.BVSub(sp, logic.BVUint(64, uint64(16+callee.Frame)))
			p.run(callee)
			p.m.regs[SP] = sp
			for f := range p.m.flags { // a call leaves them undefined
				p.m.flags[f] = logic.Term{}
			}
		case l.Return:
			return
		}
	}
}

// TestFunctions: whole functions, entry and exit, calls and branches included, compute natively what the model says,
// and leave the frame pointer alone.
func TestFunctions(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		skip(t, "needs linux/amd64")
	}
	rng := seed(t)
	fs, routines := runFunctions()
	const sets = 8
	files := program(t, append(append([]isa.Function(nil), routines...), fs...))
	var data strings.Builder
	for n, w := range tableWords {
		fmt.Fprintf(&data, "DATA tab<>+%d(SB)/8, $%#x\n", 8*n, w)
	}
	files["f_amd64.s"] = strings.Replace(files["f_amd64.s"], "DATA tab<>+0(SB)/8, $0x0123456789abcdef\n", data.String(), 1) +
		"\nTEXT ·bp(SB), NOSPLIT, $0-8\n\tMOVQ BP, ret+0(FP)\n\tRET\n"
	var main strings.Builder
	main.WriteString("package main\n\nimport \"fmt\"\n\nfunc bp() uint64\n\n")
	for _, f := range fs {
		fmt.Fprintf(&main, "//go:noescape\nfunc %s(x, y uint64) (r uint64)\n\n", f.Name)
	}
	main.WriteString("func main() {\n")
	args := map[string][sets][2]uint64{}
	for _, f := range fs {
		var xy [sets][2]uint64
		for n := range xy {
			xy[n] = [2]uint64{random64(rng), random64(rng)}
			fmt.Fprintf(&main, "\tfmt.Println(%q, %d, %s(%#x, %#x))\n", f.Name, n, f.Name, xy[n][0], xy[n][1])
		}
		args[f.Name] = xy
		fmt.Fprintf(&main, "\tif a := bp(); true {\n\t\t%s(1, 2)\n\t\tif bp() != a {\n\t\t\tpanic(\"BP\")\n\t\t}\n\t}\n", f.Name)
	}
	main.WriteString("}\n")
	files["main.go"] = main.String()
	out, err := exec.Command(build(t, files)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := map[string]uint64{}
	for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var name string
		var n int
		var r uint64
		if _, err := fmt.Sscan(l, &name, &n, &r); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		results[fmt.Sprint(name, " ", n)] = r
	}
	funcs := map[string]isa.Function{}
	for _, f := range routines {
		funcs[f.Name] = f
	}
	for _, f := range fs {
		for n, xy := range args[f.Name] {
			got, ok := results[fmt.Sprint(f.Name, " ", n)]
			if want := interpret(t, rng, funcs, f, xy); !ok || got != want {
				t.Errorf("%s(%#x, %#x) = %#x, model %#x", f.Name, xy[0], xy[1], got, want)
			}
		}
	}
	t.Logf("%d functions, %d calls each", len(fs), sets)
	evidently(t, "functions", nil, map[string]int64{"functions": int64(len(fs)), "runs": int64(sets * len(fs))})
}

func interpret(t *testing.T, rng *rand.Rand, funcs map[string]isa.Function, f isa.Function, xy [2]uint64) uint64 {
	gen := generation(t)
	defer gen.Drop()
	c := &conf{flags: rng.Uint64()}
	for n := range c.regs {
		c.regs[n] = rng.Uint64()
	}
	c.regs[number(SP)] = memAddr + 128 // routines have room below, the frame and the table above
	for n, w := range tableWords {
		binary.LittleEndian.PutUint64(c.mem[tableAt+8*n:], w)
	}
	m := newMachine(c, false)
	m.args = map[string]logic.Term{"x": logic.BVUint(64, xy[0]), "y": logic.BVUint(64, xy[1])}
	m.tables = map[string]logic.Term{"tab": logic.BVUint(64, memAddr+tableAt)}
	m.results = map[string]logic.Term{}
	(&interpreter{t: t, m: m, funcs: funcs}).run(f)
	r, ok := m.results["r"].Const()
	if !ok {
		t.Fatal("no result")
	}
	return r.Uint64()
}
