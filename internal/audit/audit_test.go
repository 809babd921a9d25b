package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// proved proves all that is emitted, and the self-tests, which have routines: once for all tests.
var proved = sync.OnceValues(func() ([]registry.Result, error) {
	var entries []registry.Entry
	for _, e := range registry.All() {
		if e.Module == "p256" || strings.HasPrefix(e.Name, "selftest") {
			entries = append(entries, e)
		}
	}
	results, err := registry.ProveAll(entries, runtime.GOMAXPROCS(0), nil)
	for _, r := range results {
		if err == nil {
			err = r.Err
		}
	}
	return results, err
})

// codesOf is the code of a module's functions on a target.
func codesOf(t *testing.T, module, goarch string) []Code {
	t.Helper()
	results, err := proved()
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	for _, r := range results {
		v := r.Verified
		if strings.HasPrefix(v.Name(), module) && v.Target() == targets[goarch] {
			codes = append(codes, Code{Symbol{module, v.Symbol()}, v.Variant(), v.Functions(), v.Tables()})
		}
	}
	return codes
}

// config is a way to build a program.
type config struct{ program, goos, goarch, flags string }

func (c config) String() string {
	return strings.Join(append([]string{c.program, c.goos, c.goarch}, strings.Fields(c.flags)...), " ")
}

var (
	buildDir string
	built    = map[config][]byte{}
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	buildDir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// build builds a program:
//
//	ecdh       the demonstration of verum prove, which uses package ecdh
//	all        a program that refers to all functions of internal/asm/p256
//	selftest   a program of a module of the same name that refers to all self-tests
func build(t *testing.T, c config) []byte {
	t.Helper()
	if b, ok := built[c]; ok {
		return bytes.Clone(b)
	}
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-o", filepath.Join(buildDir, "program")}
	for f := range strings.SplitSeq(c.flags, ",") {
		if f != "" {
			args = append(args, f)
		}
	}
	switch c.program {
	case "ecdh":
		args = append(args, "./cmd/verum/internal/demo")
	case "all":
		main := write(t, "all.go", refer(t, "p256", c.goarch))
		overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(dir, "internal", "audit", "all", "main.go"): main}})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "-overlay", write(t, "overlay.json", string(overlay)), "./internal/audit/all")
	case "selftest":
		dir = t.TempDir()
		var vs []machine.Verified
		results, err := proved()
		for _, r := range results {
			if strings.HasPrefix(r.Entry.Name, "selftest") {
				vs = append(vs, r.Verified)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := emit.Module("selftest", vs)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"go.mod": "module verum.example\n\ngo 1.26\n", "main.go": refer(t, "selftest", c.goarch),
			// A wrapper in Go has the name of the function in assembly.
			"internal/asm/selftest/wrapper.go": "package selftest\n\nvar Wrapped = []any{selftestSum}\n"}
		for _, f := range o.Files {
			files["internal/asm/selftest/"+f.Name] = string(f.Data)
		}
		for name, text := range files {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		args = append(args, ".")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cgo := "0"
	for _, f := range []string{"external", "c-shared", "-race"} {
		if strings.Contains(c.flags, f) {
			cgo = "1"
		}
	}
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOFLAGS=", "GOOS="+c.goos, "GOARCH="+c.goarch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	b, err := os.ReadFile(filepath.Join(buildDir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	built[c] = b
	return bytes.Clone(b)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(buildDir, name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// refer is a program that refers to all functions of a module.
func refer(t *testing.T, module, goarch string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport %q\n\nvar functions = []any{\n", asmPackages+module)
	for _, c := range codesOf(t, module, goarch) {
		if c.Variant == "" {
			fmt.Fprintf(&b, "\t%s.%s,\n", module, strings.TrimPrefix(c.Name, module))
		}
	}
	if module == "selftest" {
		b.WriteString("\tselftest.Wrapped,\n")
	}
	b.WriteString("}\n\nfunc main() {\n\tfor _, f := range functions {\n\t\tprintln(f)\n\t}\n}\n")
	return b.String()
}

func openProgram(t *testing.T, b []byte) *Program {
	t.Helper()
	p, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, p *Program, codes []Code) []Item {
	t.Helper()
	items, err := p.Check(codes)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

var allBuilds = flag.Bool("builds", false, "try more ways to build a program; it takes minutes if the standard library has never been built so")

// configs are builds of every format, with and without symbols, at a fixed address and position-independent. The
// standard library is built for each system, which takes most of the time where that has never been done.
var configs = []config{
	{"ecdh", "linux", "amd64", ""},
	{"ecdh", "linux", "arm64", "-trimpath"},
	{"all", "linux", "amd64", ""},
	{"all", "linux", "amd64", "-trimpath,-ldflags=-s -w"},
	{"all", "linux", "amd64", "-buildmode=pie"},
	{"all", "linux", "amd64", "-buildmode=pie,-trimpath,-ldflags=-s -w"},
	{"all", "linux", "arm64", ""},
	{"all", "linux", "arm64", "-ldflags=-s -w"},
	{"all", "darwin", "arm64", ""},
	{"all", "darwin", "arm64", "-trimpath,-ldflags=-s -w"},
	{"all", "windows", "amd64", ""},
	{"all", "windows", "amd64", "-ldflags=-s -w"},
	{"selftest", "linux", "amd64", ""},
	{"selftest", "linux", "amd64", "-ldflags=-s -w"},
	{"selftest", "linux", "arm64", "-ldflags=-s -w"},
	{"selftest", "windows", "amd64", "-ldflags=-s -w"},
	{"selftest", "darwin", "arm64", ""},
}

// moreConfigs are tried with -builds.
var moreConfigs = []config{
	{"ecdh", "linux", "amd64", "-buildmode=pie,-ldflags=-s -w"},
	{"ecdh", "linux", "amd64", "-gcflags=all=-N -l"},
	{"ecdh", "linux", "amd64", "-ldflags=-linkmode=external -s -w"},
	{"ecdh", "linux", "amd64", "-buildmode=pie,-ldflags=-linkmode=external -s -w"},
	{"ecdh", "linux", "amd64", "-buildmode=c-shared"},
	{"ecdh", "linux", "amd64", "-race"},
	{"ecdh", "linux", "arm64", "-buildmode=pie,-ldflags=-s -w"},
	{"ecdh", "darwin", "amd64", "-ldflags=-s -w"},
	{"ecdh", "darwin", "arm64", ""},
	{"ecdh", "darwin", "arm64", "-ldflags=-s -w"},
	{"ecdh", "freebsd", "amd64", "-ldflags=-s -w"},
	{"ecdh", "windows", "amd64", ""},
	{"ecdh", "windows", "amd64", "-ldflags=-s -w"},
	{"ecdh", "windows", "arm64", "-ldflags=-s -w"},
}

// TestSame: whatever the build, all is as proved.
func TestSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	cs := configs
	if *allBuilds {
		cs = append(slices.Clone(cs), moreConfigs...)
	}
	for _, c := range cs {
		t.Run(c.String(), func(t *testing.T) {
			p := openProgram(t, build(t, c))
			stripped := strings.Contains(c.flags, "-s -w")
			format := map[string]string{"darwin": "Mach-O", "windows": "PE"}[c.goos]
			if format == "" {
				format = "ELF"
			}
			if p.GOARCH != c.goarch || p.Format != format || p.Stripped != stripped || p.Go != runtime.Version() || p.Version == "" || !strings.Contains(p.Build, "GOOS="+c.goos) {
				t.Errorf("the program is %+v", p)
			}
			module := "p256"
			if c.program == "selftest" {
				module = "selftest"
			}
			codes := codesOf(t, module, c.goarch)
			kinds := map[string]int{}
			size, refs := 0, 0
			for _, i := range check(t, p, codes) {
				linked := slices.Contains(p.Symbols, Symbol{i.Module, i.Name}) || i.Kind != "function"
				if linked != (i.Status == Same) || !linked && i.Status != NotLinked || len(i.Problems) > 0 {
					t.Errorf("%+v", i)
				}
				kinds[i.Kind+" "+string(i.Status)]++
				size += i.Bytes
				refs += i.Relocs
			}
			if same := kinds["function same"]; same < 3 || (same == len(codes)) != (c.program != "ecdh") || kinds["table same"] == 0 {
				t.Errorf("%v of %d functions", kinds, len(codes))
			}
			if c.program == "selftest" {
				wrappers := slices.DeleteFunc(slices.Clone(p.verum), func(e entry) bool { return e.asm || e.name != asmPackages+"selftest.selftestSum" })
				if len(wrappers) != 1 || len(p.named(Symbol{"selftest", "selftestSum"})) != 1 {
					t.Errorf("%d wrappers of selftestSum", len(wrappers))
				}
			}
			if c.program == "selftest" && (kinds["routine same"] != 1 || refs < 4) {
				t.Errorf("%v, %d references", kinds, refs)
			}
			t.Logf("%v, %d bytes, %d references", kinds, size, refs)
		})
	}
}

// span is a function or table in the file.
type span struct {
	item Item
	off  int
}

// spans finds the functions and tables in the file.
func spans(t *testing.T, p *Program, items []Item) []span {
	t.Helper()
	var ss []span
	for _, i := range items {
		s, ok := p.im.segment(i.Address, uint64(i.Bytes))
		if !ok {
			t.Fatalf("%s is nowhere", i.Name)
		}
		ss = append(ss, span{i, int(s.off + int64(i.Address-s.addr))})
	}
	return ss
}

// reported tells that an item differs.
func reported(items []Item, name string) bool {
	return slices.ContainsFunc(items, func(i Item) bool {
		return i.Name == name && i.Status == Differs && len(i.Problems) > 0
	})
}

// mutated are a function of a package, and what is changed of it: its code or that of a routine, and a table.
var mutated = []struct {
	config
	owner, code, table string
}{
	{config{"all", "linux", "amd64", "-ldflags=-s -w"}, "p256ValidateBMI2", "p256FeToMontBMI2", "p256FeToMontBMI2 p256RR"},
	{config{"all", "linux", "arm64", "-ldflags=-s -w"}, "p256Validate", "p256FeToMont", "p256FeToMont p256RR"},
	{config{"all", "darwin", "arm64", ""}, "p256Validate", "p256Validate", "p256PointDecode p256G"},
	{config{"all", "windows", "amd64", "-ldflags=-s -w"}, "p256Validate", "p256Validate", "p256PointDecode p256B"},
	{config{"selftest", "linux", "arm64", "-ldflags=-s -w"}, "selftestTriple", "selftestTriple", "selftestScan squares"},
}

// TestEveryBit: whichever bit of a function or of a table is changed, that is reported, the bits that the linker has
// written and the padding behind the function included.
func TestEveryBit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, m := range mutated {
		t.Run(m.config.String(), func(t *testing.T) {
			file := build(t, m.config)
			module := m.program
			if module == "all" {
				module = "p256"
			}
			codes := codesOf(t, module, m.goarch)
			p := openProgram(t, file)
			items := check(t, p, codes)
			flips := 0
			tableAt := items[slices.IndexFunc(items, func(i Item) bool { return i.Name == m.table })].Address
			for _, s := range spans(t, p, items) {
				if s.item.Name != m.code && s.item.Name != m.table {
					continue
				}
				owner := m.owner
				if m.program == "selftest" {
					owner, _, _ = strings.Cut(s.item.Name, " ")
				}
				one := slices.DeleteFunc(slices.Clone(codes), func(c Code) bool { return c.Name != owner })
				n := s.item.Bytes
				if s.item.Kind != "table" {
					e, _ := p.fns.at(s.item.Address)
					n = int(e.end - e.addr)
				}
				for k := range 8 * n {
					file[s.off+k/8] ^= 1 << (k % 8)
					if items := check(t, p, one); !reported(items, s.item.Name) && !elsewhere(items, m.table, tableAt) {
						t.Errorf("%s: bit %d of byte %#x of %#x is changed, and nothing is reported", s.item.Name, k%8, k/8, s.item.Bytes)
					}
					file[s.off+k/8] ^= 1 << (k % 8)
					flips++
				}
			}
			if flips < 8*(16+32) {
				t.Errorf("only %d bits were changed", flips)
			}
			t.Logf("%d bits", flips)
		})
	}
}

// elsewhere tells that a reference goes to another table with the same contents, such as that of another variant.
func elsewhere(items []Item, table string, at uint64) bool {
	return slices.ContainsFunc(items, func(i Item) bool { return i.Name == table && i.Address != at && i.Status == Same })
}

// moved tells that a reference of the code goes to another table than before, with the same contents.
func moved(before, items []Item, code string) bool {
	return slices.ContainsFunc(before, func(i Item) bool {
		return strings.HasPrefix(i.Name, code+" ") && elsewhere(items, i.Name, i.Address)
	})
}

// TestRandomBits changes random bits of all functions and tables, and reads the file anew each time.
func TestRandomBits(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for _, m := range mutated {
		t.Run(m.config.String(), func(t *testing.T) {
			file := build(t, m.config)
			module := m.program
			if module == "all" {
				module = "p256"
			}
			codes := codesOf(t, module, m.goarch)
			p := openProgram(t, file)
			all := check(t, p, codes)
			ss := spans(t, p, all)
			for range 150 {
				s := ss[r.IntN(len(ss))]
				k := r.IntN(8 * s.item.Bytes)
				file[s.off+k/8] ^= 1 << (k % 8)
				p, err := Open(bytes.NewReader(file), int64(len(file)))
				if err != nil {
					t.Fatal(err)
				}
				if items := check(t, p, codes); !reported(items, s.item.Name) && !moved(all, items, s.item.Name) {
					t.Errorf("seed %d: %s: bit %d of byte %#x is changed, and nothing is reported", seed, s.item.Name, k%8, k/8)
				}
				file[s.off+k/8] ^= 1 << (k % 8)
			}
		})
	}
}

// TestRedirect: a reference to another table and a call of another function are reported with where they go.
func TestRedirect(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, tt := range []struct {
		config
		module, from, to, want string
	}{
		{config{"all", "linux", "amd64", "-buildmode=pie"}, "p256", "p256FeToMont", "p256PointDecode p256A", "where table p256RR is not"},
		{config{"all", "linux", "arm64", "-ldflags=-s -w"}, "p256", "p256FeToMont", "p256PointDecode p256A", "where table p256RR is not"},
		{config{"all", "windows", "amd64", ""}, "p256", "p256FeToMont", "p256FeSqr", "(p256FeSqr), where table p256RR is not"},
		{config{"selftest", "linux", "amd64", ""}, "selftest", "selftestTriple", "selftestSum", "(verum.example/internal/asm/selftest.selftestSum) instead of routine add64"},
		{config{"selftest", "linux", "arm64", "-ldflags=-s -w"}, "selftest", "selftestTriple", "selftestTriple", "instead of routine add64"},
	} {
		t.Run(tt.config.String(), func(t *testing.T) {
			file := build(t, tt.config)
			codes := codesOf(t, tt.module, tt.goarch)
			p := openProgram(t, file)
			ss := spans(t, p, check(t, p, codes))
			find := func(name string) span {
				return ss[slices.IndexFunc(ss, func(s span) bool { return s.item.Name == name })]
			}
			from, to := find(tt.from), find(tt.to)
			var code isa.Function // the function, or a routine
			for _, c := range codes {
				if i := slices.IndexFunc(c.Functions, func(f isa.Function) bool { return f.Name == tt.from }); i >= 0 {
					code = c.Functions[i]
				}
			}
			want, relocs, err := emit.Function{Target: p.target, Func: code}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			r := relocs[0]
			link(p.target, file[from.off+r.Offset:], from.item.Address+uint64(r.Offset), to.item.Address, r.Kind)
			if bytes.Equal(want, file[from.off:from.off+len(want)]) {
				t.Fatal("nothing is changed")
			}
			items := check(t, p, codes)
			i := items[slices.IndexFunc(items, func(i Item) bool { return i.Name == tt.from })]
			if i.Status != Differs || len(i.Problems) != 1 || !strings.Contains(i.Problems[0], tt.want) {
				t.Errorf("%+v", i)
			}
		})
	}
}

// link does what the linker does with a reference at the address pc, which it must find as the encoder leaves it.
func link(target machine.Target, b []byte, pc, to uint64, kind isa.RelocKind) {
	le := func(b []byte, clear, set uint32) {
		w := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		w = w&^clear | set
		b[0], b[1], b[2], b[3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	}
	switch {
	case target == machine.AMD64:
		le(b, 1<<32-1, uint32(to-pc-4))
	case kind == isa.RelocCall:
		le(b, 1<<26-1, uint32(int64(to-pc)/4)&(1<<26-1))
	default:
		pages := uint32(int64(to>>12) - int64(pc>>12))
		le(b, 3<<29|(1<<19-1)<<5, pages&3<<29|pages>>2&(1<<19-1)<<5)
		le(b[4:], 0xfff<<10, uint32(to)&0xfff<<10)
	}
}

// TestUnknown: a function that is not among the codes is unknown; a code that is not in the program is not linked.
func TestUnknown(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	p := openProgram(t, build(t, config{"selftest", "linux", "amd64", ""}))
	codes := codesOf(t, "selftest", "amd64")
	gone := codes[0].Name
	codes[0].Name, codes[0].Functions[0].Name = "selftestOther", "selftestOther"
	status := map[string]Status{}
	for _, i := range check(t, p, codes) {
		status[i.Name] = i.Status
	}
	if status[gone] != Unknown || status["selftestOther"] != NotLinked {
		t.Errorf("%v", status)
	}
	for _, i := range check(t, p, nil) {
		if i.Status != Unknown {
			t.Errorf("%+v", i)
		}
	}
	if _, err := p.Check([]Code{{}}); err == nil {
		t.Error("a code without a function")
	}
	if _, err := p.Check([]Code{codes[1], codes[1]}); err == nil {
		t.Error("a code twice")
	}
	arm := codesOf(t, "selftest", "arm64")
	if _, err := p.Check(arm); err == nil {
		t.Error("code of another target")
	}
}

// TestSymbols: a symbol table that says something else is reported.
func TestSymbols(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	codes := codesOf(t, "selftest", "amd64")
	open := func() *Program { return openProgram(t, build(t, config{"selftest", "linux", "amd64", ""})) }
	name := asmPackages + "selftest.selftestSum.abi0"
	for what, change := range map[string]func(s *symbol){
		"has it at 0x":     func(s *symbol) { s.addr++ },
		"has it at 0x4":    func(s *symbol) { s.addr += 64 },
		"says that it has": func(s *symbol) { s.size++ },
	} {
		p := open()
		change(&p.im.symbols[slices.IndexFunc(p.im.symbols, func(s symbol) bool { return s.name == name })])
		items := check(t, p, codes)
		i := items[slices.IndexFunc(items, func(i Item) bool { return i.Name == "selftestSum" })]
		if i.Status != Differs || !strings.Contains(strings.Join(i.Problems, "\n"), what) {
			t.Errorf("%s: %+v", what, i)
		}
	}
}

// TestMemory: proved bytes in memory that the program can write, or that the loader changes, are reported.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	codes := codesOf(t, "selftest", "amd64")
	for want, change := range map[string]func(p *Program, function, table *segment, at [2]uint64){
		"function: it is in memory that is not executable":     func(p *Program, f, _ *segment, _ [2]uint64) { f.exec = false },
		"function: it is in memory that the program can write": func(p *Program, f, _ *segment, _ [2]uint64) { f.write = true },
		"table: it is in memory that the program can write":    func(p *Program, _, t *segment, _ [2]uint64) { t.write = true },
		"function: the loader changes it at":                   func(p *Program, _, _ *segment, at [2]uint64) { p.im.changes = []change{{addr: at[0] - 7, size: 8}} },
		"table: the loader changes it at":                      func(p *Program, _, _ *segment, at [2]uint64) { p.im.changes = []change{{addr: at[1] + 7, size: 8}} },
	} {
		p := openProgram(t, build(t, config{"selftest", "linux", "amd64", ""}))
		var at [2]uint64
		var in [2]*segment
		for _, i := range check(t, p, codes) {
			k := slices.Index([]string{"selftestScan", "selftestScan squares"}, i.Name)
			if k < 0 {
				continue
			}
			at[k] = i.Address
			for j := range p.im.segments {
				if s := &p.im.segments[j]; i.Address-s.addr < s.size {
					in[k] = s
				}
			}
		}
		change(p, in[0], in[1], at)
		kind, what, _ := strings.Cut(want, ": ")
		if !slices.ContainsFunc(check(t, p, codes), func(i Item) bool {
			return i.Kind == kind && strings.HasPrefix(i.Name, "selftestScan") && i.Status == Differs && strings.Contains(strings.Join(i.Problems, "\n"), what)
		}) {
			t.Errorf("%s is not reported", want)
		}
	}
}
