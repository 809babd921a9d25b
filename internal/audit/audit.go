// Package audit compares the assembly of Verum in a linked Go program with what was proved.
//
// A proof is about the instructions of a function, and the encoder of the model says which bytes these are. Between
// that and a program stand the printer, Go's assembler, the linker, and whatever a build does afterwards. This package
// reads the program: it finds each function in the function table that the Go runtime needs (so that it does not matter
// whether the program is stripped), and compares all of its bytes. The linker must fill in the distances to routines and
// tables; where these lead, the routine's bytes or the table's bytes must be, in memory that the program cannot write.
//
// It says nothing about the rest of the program: not that Go code calls the functions as their contracts demand, and
// not what somebody may do to the program when it runs.
//
// The package is not trusted for proofs, but a mistake in it could hide a wrong byte: it prefers to complain.
package audit

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// module is the module whose functions are looked for, and asmPackages where its assembly is.
const (
	module      = "verum.example"
	asmPackages = module + "/internal/asm/"
)

// Program is a linked Go program.
type Program struct {
	Format   string // "ELF", "Mach-O", "PE"
	GOARCH   string
	Stripped bool // there is no symbol table
	// Go is the version of Go that made it, Version that of module verum.example in it, and Build the settings of the
	// build that change the code; each "" if the program does not say.
	Go, Version, Build string
	// Symbols are the functions in assembly of Verum's packages that it contains, in order.
	Symbols []Symbol

	im     *image
	fns    *functions
	target machine.Target
	verum  []entry // what is below asmPackages
}

// Symbol names a function in assembly: the package below internal/asm, and the function's symbol, which ends in its
// variant.
type Symbol struct{ Module, Name string }

// Open reads a program of the given size. An error says why it cannot be audited. A program for a CPU for which Verum
// has no proved code is opened; there are no functions in it.
func Open(r io.ReaderAt, size int64) (*Program, error) {
	im, err := open(r, size)
	if err != nil {
		return nil, err
	}
	p := &Program{Format: im.format, GOARCH: im.goarch, im: im, target: targets[im.goarch]}
	p.buildInfo(r)
	if p.target == 0 {
		return p, nil
	}
	if p.fns, err = im.functionTable(); err != nil {
		return nil, err
	}
	if !p.fns.has("runtime.main") {
		return nil, errors.New("the Go runtime is not in it (-linkshared): its packages are in several files")
	}
	p.Stripped = !slices.ContainsFunc(im.symbols, func(s symbol) bool { return strings.Contains(s.name, "runtime.main") })
	p.verum = p.fns.below(asmPackages)
	for _, e := range p.verum {
		if s, ok := symbolOf(e); ok && !slices.Contains(p.Symbols, s) {
			p.Symbols = append(p.Symbols, s)
		}
	}
	slices.SortFunc(p.Symbols, func(a, b Symbol) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name))
	})
	return p, nil
}

var targets = map[string]machine.Target{"amd64": machine.AMD64, "arm64": machine.ARM64}

// Target is the program's instruction set; ok is false if Verum has no proved code for it.
func (p *Program) Target() (t machine.Target, ok bool) { return p.target, p.target != 0 }

// symbolOf tells the assembly functions below asmPackages from functions in Go, which have names like theirs.
func symbolOf(e entry) (Symbol, bool) {
	m, name, ok := strings.Cut(strings.TrimPrefix(e.name, asmPackages), ".")
	return Symbol{m, name}, ok && e.asm
}

// fullName is the function's name in the program.
func (s Symbol) fullName() string { return asmPackages + s.Module + "." + s.Name }

// named lists the functions of that name: the one in assembly, or whatever has the name if none is in assembly. (Of a
// function in assembly whose address is taken there is a wrapper in Go with the same name.)
func (p *Program) named(s Symbol) []entry {
	var all, asm []entry
	for _, e := range p.verum {
		if e.name == s.fullName() {
			all = append(all, e)
			if e.asm {
				asm = append(asm, e)
			}
		}
	}
	if len(asm) > 0 {
		return asm
	}
	return all
}

// Has tells that a function of that name is in the program.
func (p *Program) Has(s Symbol) bool { return len(p.named(s)) > 0 }

// buildInfo reads what the program says about its build, if it does.
func (p *Program) buildInfo(r io.ReaderAt) {
	defer func() { _ = recover() }() // the file may be malformed
	info, err := buildinfo.Read(r)
	if err != nil {
		return
	}
	p.Go = info.GoVersion
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			p.Version = cmp.Or(m.Version, "(devel)")
			for m.Replace != nil {
				m = m.Replace
				p.Version += strings.TrimRight(" => "+m.Path+" "+m.Version, " ")
			}
		}
	}
	var settings []string
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "-") || s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" {
			settings = append(settings, s.Key+"="+s.Value)
		}
	}
	p.Build = strings.Join(settings, " ")
}

// Code is a function as it was proved, or as it was generated.
type Code struct {
	Symbol
	Variant   string
	Functions []isa.Function // the function and its routines
	Tables    []machine.Table
}

// Status is what became of a function or table.
type Status string

// The statuses.
const (
	Same      Status = "same"       // the bytes are the code's
	NotLinked Status = "not linked" // the linker has dropped it, as nothing refers to it
	Differs   Status = "differs"
	Unknown   Status = "unknown" // it is in the program, but nothing to compare it with
)

// Item is a function, a routine or a table.
type Item struct {
	Kind     string   `json:"kind"` // "function", "routine", "table"
	Module   string   `json:"module"`
	Name     string   `json:"name"`    // the symbol; of a table, its name in the first function that refers to it
	Variant  string   `json:"variant"` // "" is the baseline
	Address  uint64   `json:"address,omitempty"`
	Bytes    int      `json:"bytes"`
	Relocs   int      `json:"relocs"` // places that the linker fills in
	Status   Status   `json:"status"`
	Problems []string `json:"problems,omitempty"`
}

func (i *Item) problem(format string, args ...any) {
	i.Status = Differs
	i.Problems = append(i.Problems, fmt.Sprintf(format, args...))
}

// Check compares what is in the program with the codes, which must be of the program's target. Codes that are not in
// the program are not linked; functions of the program that are not among the codes are unknown. The items are ordered
// by module and name, a function's tables and routines after it.
func (p *Program) Check(codes []Code) ([]Item, error) {
	c := &checker{p: p, seen: map[place]*Item{}}
	codes = slices.Clone(codes)
	slices.SortFunc(codes, func(a, b Code) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name))
	})
	for i, code := range codes {
		if len(code.Functions) == 0 || code.Functions[0].Name != code.Name || i > 0 && code.Symbol == codes[i-1].Symbol {
			return nil, fmt.Errorf("%s: there is no code, or two", code.Name)
		}
		if err := c.code(code); err != nil {
			return nil, fmt.Errorf("%s: %w", code.Name, err)
		}
	}
	c.rest()
	c.symbols()
	var items []Item
	for _, i := range c.items {
		items = append(items, *i)
	}
	return items, nil
}

// place is a function or table at an address.
type place struct {
	name string
	addr uint64
	data string // of a table
}

type checker struct {
	p     *Program
	items []*Item
	seen  map[place]*Item
}

func (c *checker) add(i *Item) *Item {
	c.items = append(c.items, i)
	return i
}

// code checks each function of that name: there is one, or none.
func (c *checker) code(code Code) error {
	es := c.p.named(code.Symbol)
	for _, e := range es {
		if _, err := c.function(code, code.Functions[0], e, "function"); err != nil {
			return err
		}
	}
	if len(es) == 0 {
		c.add(&Item{Kind: "function", Module: code.Module, Name: code.Name, Variant: code.Variant, Status: NotLinked})
	}
	return nil
}

// function checks that the code of f is at the entry.
func (c *checker) function(code Code, f isa.Function, e entry, kind string) (*Item, error) {
	bytes, relocs, err := emit.Function{Target: c.p.target, Func: f}.Encode()
	if err != nil {
		return nil, err
	}
	refs, err := references(c.p.target, bytes, relocs)
	if err != nil {
		return nil, err
	}
	if i := c.seen[place{name: e.name, addr: e.addr}]; i != nil {
		return i, nil
	}
	i := c.add(&Item{Kind: kind, Module: code.Module, Name: f.Name, Variant: code.Variant, Address: e.addr, Bytes: len(bytes), Relocs: len(refs), Status: Same})
	c.seen[place{name: e.name, addr: e.addr}] = i
	got := c.bytes(i, e, bytes, refs)
	if got == nil {
		return i, nil
	}
	for _, r := range refs {
		to := r.target(e.addr+uint64(r.Offset), got[r.Offset:])
		if r.Kind == isa.RelocCall {
			err = c.call(i, code, r, to)
		} else {
			err = c.table(i, code, r, to)
		}
		if err != nil {
			return nil, err
		}
	}
	return i, nil
}

// bytes compares a function's bytes and returns those of the program. Behind the function there is only padding, up to
// the next one.
func (c *checker) bytes(i *Item, e entry, want []byte, refs []reference) []byte {
	im, n := c.p.im, uint64(len(want))
	if e.end-e.addr < n {
		i.problem("it has %d bytes instead of %d", e.end-e.addr, n)
		return nil
	}
	got, err := im.read(e.addr, n)
	if err != nil {
		i.problem("%v", err)
		return nil
	}
	s, _ := im.segment(e.addr, n)
	switch at, changed := im.changed(e.addr, n); {
	case !s.exec:
		i.problem("it is in memory that is not executable")
	case s.write:
		i.problem("it is in memory that the program can write")
	case changed:
		i.problem("the loader changes it at %#x", at)
	}
	// What the linker writes is cleared in a copy; the encoder leaves it zero.
	cleared := slices.Clone(got)
	for _, r := range refs {
		for k, m := range r.mask {
			cleared[r.Offset+k] &^= m
		}
	}
	compare(i, cleared, want, "")
	c.padding(i, e, n)
	return got
}

// compare reports the first byte that differs.
func compare(i *Item, got, want []byte, what string) {
	n, first := 0, -1
	for k := range want {
		if got[k] != want[k] {
			if n++; first < 0 {
				first = k
			}
		}
	}
	if n > 0 {
		i.problem("%sbyte %#x is %#02x instead of %#02x (%d of %d bytes differ)", what, first, got[first], want[first], n, len(want))
	}
}

// maxPadding is more than any alignment of functions.
const maxPadding = 64

// padding checks what is between the end of a function and the next one.
func (c *checker) padding(i *Item, e entry, n uint64) {
	if e.end-e.addr-n >= maxPadding {
		i.problem("it has %d bytes instead of %d", e.end-e.addr, n)
		return
	}
	b, err := c.p.im.read(e.addr+n, e.end-e.addr-n)
	if err != nil {
		i.problem("%v", err)
		return
	}
	pad := byte(0)
	if c.p.target == machine.AMD64 {
		pad = 0xcc
	}
	for k, x := range b {
		if x != pad {
			i.problem("byte %#x, behind its end, is %#02x instead of %#02x", n+uint64(k), x, pad)
			return
		}
	}
}

// call checks that a call goes to a routine, and the routine there.
func (c *checker) call(i *Item, code Code, r reference, to uint64) error {
	k := slices.IndexFunc(code.Functions, func(f isa.Function) bool { return f.Name == r.Symbol })
	if k < 0 {
		return fmt.Errorf("there is no routine %s", r.Symbol)
	}
	name, kind := r.Symbol, "routine" // a symbol of the file has no package
	if !code.Functions[k].Local {
		name, kind = Symbol{code.Module, r.Symbol}.fullName(), "function"
	}
	e, ok := c.p.fns.at(to)
	if !ok || e.addr != to || e.name != name || !e.asm {
		i.problem("the call at %#x goes to %s instead of routine %s", r.Offset, c.p.where(to), r.Symbol)
		return nil
	}
	routine, err := c.function(code, code.Functions[k], e, kind)
	if err != nil {
		return err
	}
	if routine.Status != Same && routine != i {
		i.problem("the call at %#x goes to routine %s, which differs", r.Offset, r.Symbol)
	}
	return nil
}

// table checks that a reference leads to a table.
func (c *checker) table(i *Item, code Code, r reference, to uint64) error {
	k := slices.IndexFunc(code.Tables, func(t machine.Table) bool { return t.Name == r.Symbol })
	if k < 0 {
		return fmt.Errorf("there is no table %s", r.Symbol)
	}
	data := code.Tables[k].Data
	at := place{addr: to, data: string(data)}
	t := c.seen[at]
	if t == nil {
		t = c.add(&Item{Kind: "table", Module: code.Module, Name: i.Name + " " + r.Symbol, Variant: code.Variant, Address: to, Bytes: len(data), Status: Same})
		c.seen[at] = t
		c.p.tableAt(t, to, data)
	}
	if t.Status != Same {
		i.problem("the reference at %#x goes to %s, where table %s is not", r.Offset, c.p.where(to), r.Symbol)
	}
	return nil
}

// tableAt checks that the table is at the address, where the program cannot write.
func (p *Program) tableAt(t *Item, addr uint64, data []byte) {
	n := uint64(len(data))
	got, err := p.im.read(addr, n)
	if err != nil {
		t.problem("%v", err)
		return
	}
	s, _ := p.im.segment(addr, n)
	if s.write {
		t.problem("it is in memory that the program can write")
	}
	if at, changed := p.im.changed(addr, n); changed {
		t.problem("the loader changes it at %#x", at)
	}
	compare(t, got, data, "")
}

// where describes an address.
func (p *Program) where(addr uint64) string {
	e, ok := p.fns.at(addr)
	switch {
	case !ok || e.name == "":
		return fmt.Sprintf("%#x", addr)
	case e.addr == addr:
		return fmt.Sprintf("%#x (%s)", addr, e.name)
	default:
		return fmt.Sprintf("%#x (%s+%#x)", addr, e.name, addr-e.addr)
	}
}

// rest reports the functions that nothing has been compared with.
func (c *checker) rest() {
	for _, e := range c.p.verum {
		s, ok := symbolOf(e)
		if !ok || c.seen[place{name: e.name, addr: e.addr}] != nil {
			continue
		}
		c.add(&Item{Kind: "function", Module: s.Module, Name: s.Name, Address: e.addr, Bytes: int(min(e.end-e.addr, 1<<30)), Status: Unknown,
			Problems: []string{"nothing that is proved has this name, or nothing that is proved calls it"}})
	}
}

// symbols checks that the symbol table, where there is one, has the functions where the function table has them.
func (c *checker) symbols() {
	for _, s := range c.p.im.symbols {
		name := strings.TrimSuffix(strings.TrimPrefix(s.name, "_"), ".abi0")
		if !strings.HasPrefix(name, asmPackages) {
			continue
		}
		i := c.seen[place{name: name, addr: s.addr}]
		e, ok := c.p.fns.at(s.addr)
		switch {
		case !ok || e.addr != s.addr || e.name != name:
			for _, i := range c.items {
				if i.Kind != "table" && i.Address != 0 && (Symbol{i.Module, i.Name}).fullName() == name && strings.HasSuffix(s.name, ".abi0") {
					i.problem("the symbol table has it at %#x", s.addr)
				}
			}
		case i != nil && s.size != 0 && s.size != uint64(i.Bytes):
			i.problem("the symbol table says that it has %d bytes instead of %d", s.size, i.Bytes)
		}
	}
}
