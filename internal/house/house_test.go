// Package house tests the rules of the house (shared/design.md §2): which package may import which, and what the code
// that the prover links may not do. The rules are what the threat model rests on: proofs may be arbitrarily wrong, but
// they cannot reach into the trusted packages, nor make a contract for a function that Go can call.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the module's path.
const module = "verum.example"

// pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Standard   bool
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string

	CgoFiles, CFiles, CXXFiles, FFiles, MFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string

	own string // path within the module, "." for its root; "" for a package of somebody else
}

// foreign lists the files of the package that are not Go.
func (p pkg) foreign() []string {
	return slices.Concat(p.CgoFiles, p.CFiles, p.CXXFiles, p.FFiles, p.MFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
}

// house is the module's packages as the go command sees them on one platform.
type house struct {
	goarch string
	root   string
	all    map[string]pkg // with dependencies
	ours   []pkg
}

// architectures to look at: both targets, and one for which there is no proved code.
var architectures = []string{"amd64", "arm64", "riscv64"}

func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

func load(t *testing.T, goarch string) *house {
	t.Helper()
	h := &house{goarch: goarch, root: root(t), all: map[string]pkg{}}
	cmd := exec.Command("go", "list", "-deps", "-json", "./...")
	cmd.Dir, cmd.Env = h.root, append(os.Environ(), "GOARCH="+goarch, "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		p.own = ownPath(p.ImportPath)
		h.all[p.ImportPath] = p
		if p.own != "" {
			h.ours = append(h.ours, p)
		}
	}
	if len(h.ours) == 0 {
		t.Fatal("go list finds no package of ours")
	}
	return h
}

// houses loads the packages once for all tests.
var houses = map[string]*house{}

// check applies a rule, which returns what breaks it, on each architecture.
func check(t *testing.T, rule func(h *house) []string) {
	t.Helper()
	for _, goarch := range architectures {
		if houses[goarch] == nil {
			houses[goarch] = load(t, goarch)
		}
		for _, e := range rule(houses[goarch]) {
			t.Errorf("GOARCH=%s: %s", goarch, e)
		}
	}
}

func ownPath(importPath string) string {
	if importPath == module {
		return "."
	}
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// in tells that a path is one of the trees, or in one of them.
func in(p string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(t string) bool { return p == t || strings.HasPrefix(p, t+"/") })
}

func public(own string) bool { return own != "" && !in(own, "internal", "cmd", "examples") }

// arrow says what the packages of a tree may import, apart from the standard library.
type arrow struct {
	from   string   // "public" stands for all public packages
	to     []string // trees of ours
	others []string // trees of others
}

// arrows of the house. The first one counts from whose tree a package is. Tests are free.
var arrows = []arrow{
	{"internal/tcb", []string{"internal/tcb"}, nil},
	{"internal/spec", []string{"internal/tcb/logic", "internal/tcb/contract", "internal/spec"}, nil},
	{"internal/opt", []string{"internal/tcb", "internal/opt"}, nil},
	{"internal/impl", []string{"internal/tcb", "internal/opt", "internal/impl"}, nil},
	{"internal/proof", []string{"internal/tcb", "internal/spec", "internal/opt", "internal/impl", "internal/proof"}, nil},
	{"internal/registry", []string{"internal/tcb", "internal/spec", "internal/opt", "internal/impl", "internal/proof"}, nil},
	{"internal/mutate", []string{"internal/tcb", "internal/mutate"}, nil},
	{"internal/cpu", nil, []string{"golang.org/x/sys"}},
	{"internal/asm", []string{"internal/cpu"}, nil},
	{"internal/call", []string{"internal/cpu", "internal/asm"}, nil},
	{"internal/objfile", nil, nil},
	{"internal/asmtest", []string{"internal/objfile", "internal/tcb"}, nil},
	{"internal/evidence", nil, nil},
	{"internal/benchmark", nil, nil},
	{"internal/audit", []string{"internal/tcb", "internal/audit"}, nil},
	{"internal/vectors", nil, nil},
	{"internal/house", nil, nil},
	{"cmd/verum/internal/demo", []string{"public", "internal/asm", "internal/cpu"}, nil},
	{"cmd/verum/internal/tune", []string{"internal/benchmark", "internal/impl", "internal/opt", "internal/tcb"}, nil},
	{"cmd/verum", []string{"internal/registry", "internal/evidence", "internal/mutate", "internal/audit", "internal/benchmark", "internal/tcb", "internal/spec",
		"cmd/verum/internal"}, nil},
	{"examples", []string{"public"}, nil},
	{"public", []string{"public", "internal/call", "internal/cpu", "internal/asm"}, nil},
}

func TestArrows(t *testing.T) { check(t, badArrows) }

func badArrows(h *house) (bad []string) {
	for _, p := range h.ours {
		i := slices.IndexFunc(arrows, func(a arrow) bool { return in(p.own, a.from) || a.from == "public" && public(p.own) })
		if i < 0 {
			bad = append(bad, p.own+": the house has no room for it: say in this test what it may import")
			continue
		}
		for _, imp := range p.Imports {
			own := ownPath(imp)
			switch {
			case h.all[imp].Standard:
			case own == "" && in(imp, arrows[i].others...):
			case own != "" && (in(own, arrows[i].to...) || slices.Contains(arrows[i].to, "public") && public(own)):
			default:
				bad = append(bad, p.own+" imports "+imp)
			}
		}
	}
	return bad
}

// importers says who may import a package: the trees, "public" for all public packages.
var importers = []struct {
	of string
	by []string
}{
	{"internal/tcb/contract", []string{"internal/spec", "internal/tcb/machine"}},
	{"internal/registry", []string{"cmd/verum"}},
	{"internal/evidence", []string{"cmd/verum"}},
	{"internal/benchmark", []string{"cmd/verum"}}, // and the module bench
	{"internal/asmtest", nil},
	{"internal/vectors", nil},
	{"internal/objfile", []string{"internal/asmtest"}},
	{"internal/call", []string{"public"}},
}

func TestImporters(t *testing.T) { check(t, badImporters) }

func badImporters(h *house) (bad []string) {
	for _, p := range h.ours {
		for _, r := range importers {
			if slices.Contains(p.Imports, module+"/"+r.of) && !in(p.own, r.by...) && !(slices.Contains(r.by, "public") && public(p.own)) {
				bad = append(bad, fmt.Sprintf("%s imports %s; only %v may", p.own, r.of, r.by))
			}
		}
	}
	return bad
}

// TestTargets: what is of one target does not know the other.
func TestTargets(t *testing.T) { check(t, badTargets) }

func badTargets(h *house) (bad []string) {
	of := func(own, target string) bool { return slices.Contains(strings.Split(own, "/"), target) }
	for _, p := range h.ours {
		for _, pair := range [][2]string{{"arm64", "amd64"}, {"amd64", "arm64"}} {
			imports := p.Imports
			if in(p.own, "internal/tcb") {
				imports = p.Deps // elsewhere machine brings both
			}
			for _, imp := range imports {
				if own := ownPath(imp); of(p.own, pair[0]) && of(own, pair[1]) {
					bad = append(bad, fmt.Sprintf("%s, of %s, imports %s", p.own, pair[0], own))
				}
			}
		}
	}
	return bad
}

// TestShipped: a program that uses a public package links none of the prover, and nobody's code but ours and
// golang.org/x/sys.
func TestShipped(t *testing.T) { check(t, badShipped) }

func badShipped(h *house) (bad []string) {
	for _, p := range h.ours {
		if !public(p.own) {
			continue
		}
		for _, d := range p.Deps {
			switch own := ownPath(d); {
			case h.all[d].Standard, public(own), in(d, "golang.org/x/sys"):
			case in(own, "internal/call", "internal/cpu", "internal/asm"):
			default:
				bad = append(bad, p.own+" links "+d)
			}
		}
	}
	return bad
}

// pure are the packages of the standard library that specifications, generators and proofs may import: those that compute.
// Others could end the process with success (flag, testing), write files, or change what the prover prints.
var pure = map[string]bool{
	"bytes": true, "cmp": true, "container/heap": true, "embed": true, "encoding/binary": true, "errors": true, "fmt": true, "iter": true, "maps": true,
	"math": true, "math/big": true, "math/bits": true, "slices": true, "strconv": true, "strings": true, "sync": true,
}

// TestProver: whatever of ours the prover links is plain Go, and it links nobody else's code.
func TestProver(t *testing.T) { check(t, badProver) }

func badProver(h *house) (bad []string) {
	prover, ok := h.all[module+"/cmd/verum"]
	if !ok {
		return []string{"there is no cmd/verum"}
	}
	linked := map[string]bool{prover.ImportPath: true}
	for _, d := range prover.Deps {
		linked[d] = true
		if !h.all[d].Standard && ownPath(d) == "" {
			bad = append(bad, "the prover links "+d)
		}
	}
	proving := []string{"internal/spec", "internal/opt", "internal/impl", "internal/proof"}
	for _, p := range h.ours {
		// Proofs that no entry of the registry uses yet are held to the same.
		if !linked[p.ImportPath] && !in(p.own, proving...) && !in(p.own, "internal/tcb", "internal/registry") {
			continue
		}
		if f := p.foreign(); len(f) > 0 {
			bad = append(bad, fmt.Sprintf("%s is linked into the prover and has %v", p.own, f))
		}
		for _, imp := range p.Imports {
			why, ok := banned[imp]
			if !ok && in(p.own, proving...) && h.all[imp].Standard && !pure[imp] {
				why, ok = "a proof needs nothing of the system, and must not end the process (see pure)", true
			}
			if ok {
				bad = append(bad, fmt.Sprintf("%s imports %s: %s", p.own, imp, why))
			}
		}
		for _, name := range p.GoFiles {
			f, _, err := parse(p, name)
			if err != nil {
				bad = append(bad, err.Error())
				continue
			}
			for _, d := range directives(f) {
				bad = append(bad, fmt.Sprintf("%s: %s: %s", p.own, name, d))
			}
		}
	}
	return bad
}

// banned packages let code reach what it was not given.
var banned = map[string]string{
	"C":                     "cgo",
	"runtime/cgo":           "cgo",
	"unsafe":                "it reaches all memory",
	"reflect":               "it reaches what is not exported",
	"syscall":               "it reaches all memory",
	"golang.org/x/sys/unix": "it reaches all memory",
	"plugin":                "it links code at run time",
}

// harmless are the directives that do not change what code may do.
var harmless = []string{"build", "generate", "embed"}

// directives lists the directives of a file, apart from harmless ones.
func directives(f *ast.File) (found []string) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			text, ok := strings.CutPrefix(c.Text, "//go:")
			if ok {
				word, _, _ := strings.Cut(text, " ")
				ok = !slices.Contains(harmless, word)
			}
			for _, p := range []string{"//line ", "/*line ", "//export ", "//extern "} {
				ok = ok || strings.HasPrefix(c.Text, p)
			}
			if ok {
				found = append(found, c.Text)
			}
		}
	}
	return found
}

func parse(p pkg, name string) (*ast.File, *token.FileSet, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments)
	return f, set, err
}

// TestContracts: only spec makes contracts of functions that Go can call. Elsewhere New and MustNew of package contract
// do not appear, and neither does a New or MustNew of spec, which makes contracts of what it is given: with that, a
// proof could choose the modulus in "p256Mul".
func TestContracts(t *testing.T) { check(t, badContracts) }

func badContracts(h *house) (bad []string) {
	for _, p := range h.ours {
		if in(p.own, "internal/spec") {
			continue
		}
		for _, name := range p.GoFiles {
			f, set, err := parse(p, name)
			if err != nil {
				bad = append(bad, err.Error())
				continue
			}
			makers := map[string]string{} // by the name that the file has for them
			for _, imp := range f.Imports {
				path, _ := strconv.Unquote(imp.Path.Value)
				own := ownPath(path)
				if !in(own, "internal/spec", "internal/tcb/contract") {
					continue
				}
				as := own[strings.LastIndex(own, "/")+1:]
				if imp.Name != nil {
					as = imp.Name.Name
				}
				if as == "." {
					bad = append(bad, fmt.Sprintf("%s: %s imports %s by a dot: what it uses of it can't be seen here", p.own, name, own))
				}
				makers[as] = own
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if x, sel := selector(n); makers[x] != "" && (sel == "New" || sel == "MustNew") {
					bad = append(bad, fmt.Sprintf("%v: %s.%s makes contracts, which only internal/spec may", set.Position(n.Pos()), makers[x], sel))
				}
				return true
			})
		}
	}
	return bad
}

// selector returns x and sel if n is x.sel.
func selector(n ast.Node) (x, sel string) {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name, s.Sel.Name
		}
	}
	return "", ""
}

// TestState: the trusted packages and the specifications export no variable that any package could assign. Contracts
// are exempt in spec: a contract carries its own name, so that to exchange two makes no proof succeed that should fail.
func TestState(t *testing.T) { check(t, badState) }

func badState(h *house) (bad []string) {
	for _, p := range h.ours {
		if !in(p.own, "internal/tcb", "internal/spec") {
			continue
		}
		for _, name := range p.GoFiles {
			f, set, err := parse(p, name)
			if err != nil {
				bad = append(bad, err.Error())
				continue
			}
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, s := range g.Specs {
					v := s.(*ast.ValueSpec)
					for i, id := range v.Names {
						if id.IsExported() && !(in(p.own, "internal/spec") && isContract(v, i)) {
							bad = append(bad, fmt.Sprintf("%v: %s is an exported variable: make it a function or a constant", set.Position(id.Pos()), id.Name))
						}
					}
				}
			}
		}
	}
	return bad
}

// isContract tells that value i of a declaration is made by package contract.
func isContract(v *ast.ValueSpec, i int) bool {
	if i >= len(v.Values) {
		return false
	}
	call, ok := v.Values[i].(*ast.CallExpr)
	if !ok {
		return false
	}
	x, sel := selector(call.Fun)
	return x == "contract" && sel == "MustNew"
}

// TestAssembly: all assembly is emitted, and so is all else in the directories of internal/asm.
func TestAssembly(t *testing.T) {
	for _, e := range badAssembly(os.DirFS(root(t))) {
		t.Error(e)
	}
}

func badAssembly(tree fs.FS) (bad []string) {
	const header = "// Code generated by \"verum emit\"; DO NOT EDIT.\n"
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if base == ".git" || base == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		emitted := path.Dir(name) != "internal/asm" && in(name, "internal/asm")
		switch ext := strings.ToLower(path.Ext(name)); {
		case emitted:
			data, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			if !bytes.HasPrefix(data, []byte(header)) {
				bad = append(bad, fmt.Sprintf("%s does not begin with %q", name, header))
			}
		case slices.Contains([]string{".s", ".sx", ".asm", ".o", ".syso", ".a", ".c", ".cc", ".cpp", ".h"}, ext):
			bad = append(bad, name+": all machine code is emitted to internal/asm")
		}
		return nil
	})
	if err != nil {
		bad = append(bad, err.Error())
	}
	return bad
}

// TestBites: each rule finds what breaks it.
func TestBites(t *testing.T) {
	dir := t.TempDir()
	std := map[string]pkg{}
	for _, s := range []string{"os", "fmt", "reflect", "unsafe"} {
		std[s] = pkg{ImportPath: s, Standard: true}
	}
	// build makes a house of packages: path, imports (which are all dependencies, too), source.
	build := func(ps ...[3]string) *house {
		h := &house{all: maps.Clone(std)}
		for _, p := range append(ps, [3]string{"cmd/verum", "verum.example/internal/registry"}, [3]string{"internal/registry", ""}) {
			q := pkg{ImportPath: module + "/" + p[0], own: p[0], Imports: strings.Fields(p[1]), Deps: strings.Fields(p[1]), Dir: dir}
			if p[2] != "" {
				name := strings.ReplaceAll(p[0], "/", "_") + ".go"
				if err := os.WriteFile(filepath.Join(dir, name), []byte("package p\n"+p[2]), 0o666); err != nil {
					t.Fatal(err)
				}
				q.GoFiles = []string{name}
			}
			if strings.HasSuffix(p[0], "asmy") {
				q.SFiles = []string{"x.s"}
			}
			h.all[q.ImportPath] = q
			h.ours = append(h.ours, q)
		}
		return h
	}
	const contractImport = "import \"verum.example/internal/tcb/contract\"\n"
	for _, tt := range []struct {
		rule func(h *house) []string
		pkg  [3]string
		want string // "" for nothing
	}{
		{badArrows, [3]string{"internal/tcb/x", "os verum.example/internal/tcb/logic", ""}, ""},
		{badArrows, [3]string{"internal/tcb/x", "verum.example/internal/spec/x", ""}, "internal/tcb/x imports"},
		{badArrows, [3]string{"internal/tcb/x", "example.com/x", ""}, "internal/tcb/x imports example.com/x"},
		{badArrows, [3]string{"internal/spec/x", "verum.example/internal/tcb/kernel", ""}, "internal/spec/x imports"},
		{badArrows, [3]string{"internal/impl/x", "verum.example/internal/proof/x", ""}, "internal/impl/x imports"},
		{badArrows, [3]string{"internal/new", "", ""}, "internal/new: the house has no room"},
		{badArrows, [3]string{"ecdh", "verum.example/internal/call verum.example/internal/tcb/logic", ""}, "ecdh imports verum.example/internal/tcb/logic"},
		{badArrows, [3]string{"examples/x", "verum.example/ecdh", ""}, ""},
		{badArrows, [3]string{"examples/x", "verum.example/internal/asm/p256", ""}, "examples/x imports"},
		{badImporters, [3]string{"internal/proof/x", "verum.example/internal/tcb/contract", ""}, "internal/proof/x imports internal/tcb/contract"},
		{badImporters, [3]string{"ecdh", "verum.example/internal/registry", ""}, "ecdh imports internal/registry"},
		{badImporters, [3]string{"internal/spec/x", "verum.example/internal/tcb/contract", ""}, ""},
		{badTargets, [3]string{"internal/tcb/arm64", "verum.example/internal/tcb/amd64", ""}, "internal/tcb/arm64, of arm64, imports"},
		{badTargets, [3]string{"internal/impl/x/amd64", "verum.example/internal/impl/y/arm64/z", ""}, "internal/impl/x/amd64, of amd64, imports"},
		{badTargets, [3]string{"internal/impl/x", "verum.example/internal/tcb/arm64 verum.example/internal/tcb/amd64", ""}, ""},
		{badShipped, [3]string{"ecdh", "os golang.org/x/sys/cpu verum.example/internal/asm/p256 verum.example/ecdsa", ""}, ""},
		{badShipped, [3]string{"ecdh", "verum.example/internal/tcb/logic", ""}, "ecdh links verum.example/internal/tcb/logic"},
		{badShipped, [3]string{"ecdh", "example.com/x", ""}, "ecdh links example.com/x"},
		{badProver, [3]string{"internal/proof/x", "fmt", "// A comment about go:linkname.\n"}, ""},
		{badProver, [3]string{"internal/proof/x", "unsafe", ""}, "internal/proof/x imports unsafe"},
		{badProver, [3]string{"internal/tcb/x", "reflect", ""}, "internal/tcb/x imports reflect"},
		{badProver, [3]string{"internal/impl/x", "os", ""}, "internal/impl/x imports os"},
		{badProver, [3]string{"internal/tcb/x", "os", ""}, ""},
		{badProver, [3]string{"internal/proof/x", "", "//go:linkname f runtime.f\nfunc f()\n"}, "internal/proof/x: internal_proof_x.go: //go:linkname f"},
		{badProver, [3]string{"internal/tcb/asmy", "", ""}, "internal/tcb/asmy is linked into the prover and has [x.s]"},
		{badContracts, [3]string{"internal/proof/x", "", contractImport + "var x = contract.New\n"}, "makes contracts"},
		{badContracts, [3]string{"internal/tcb/machine", "", contractImport + "var x, y = contract.NewInternal, contract.Func{}\n"}, ""},
		{badContracts, [3]string{"internal/proof/x", "", "import s \"verum.example/internal/spec/mont\"\nvar x, err = s.New(\"p256\", three)\n"}, "makes contracts"},
		{badContracts, [3]string{"internal/proof/x", "", "import . \"verum.example/internal/spec/mont\"\n"}, "by a dot"},
		{badContracts, [3]string{"internal/spec/x", "", contractImport + "var x = contract.New\n"}, ""},
		{badState, [3]string{"internal/tcb/x", "", "var X int\n"}, "X is an exported variable"},
		{badState, [3]string{"internal/tcb/x", "", "var x int\nconst Y = 1\n"}, ""},
		{badState, [3]string{"internal/spec/x", "", "var (\n\tx int\n\tM = big.NewInt(3)\n)\n"}, "M is an exported variable"},
		{badState, [3]string{"internal/spec/x", "", "var Mul = contract.MustNew(contract.Func{})\n"}, ""},
	} {
		got := strings.Join(tt.rule(build(tt.pkg)), "\n")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.pkg, got, tt.want)
		}
	}

	const header = "// Code generated by \"verum emit\"; DO NOT EDIT.\n"
	for _, tt := range []struct{ name, text, want string }{
		{"internal/asm/p256/p256_arm64.s", header, ""},
		{"internal/asm/p256/p256_arm64.s", "// " + header, "does not begin with"},
		{"internal/asm/p256/x.go", "package p256", "does not begin with"},
		{"internal/asm/asm_test.go", "package asm", ""},
		{"internal/asm/x_amd64.s", header, "all machine code is emitted"},
		{"ecdh/x.S", header, "all machine code is emitted"},
		{"internal/tcb/x.syso", "", "all machine code is emitted"},
		{"internal/tcb/emit/testdata/x.s", "", ""},
	} {
		got := strings.Join(badAssembly(fstest.MapFS{tt.name: {Data: []byte(tt.text)}}), "\n")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
