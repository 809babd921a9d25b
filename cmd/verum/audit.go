package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"verum.example/internal/audit"
	"verum.example/internal/evidence"
	"verum.example/internal/registry"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

var auditCommand = &command{
	name:  "audit",
	args:  "program",
	short: "compare the assembly in a linked Go program with what is proved",
	long: `Audit opens a Go program (ELF, Mach-O or PE; for amd64 or arm64; stripped or not; position-independent or
not), finds each function of Verum's assembly in it, proves these functions, and compares all bytes with
those that the model's encoder makes of the proved code. What the linker fills in, calls of routines and
references to tables, must lead to that routine and to that table, in memory that the program cannot
write. It prints a table: function, target, variant, bytes, places that the linker fills in, status.

A function that the linker has dropped, as nothing in the program refers to it, is not linked. A function
that this version of Verum does not know is unknown, which is a failure.

Audit says nothing about the rest of the program, such as the Go code that calls the functions.

With -no-prove the program is compared with code that is generated here but not proved.

The exit status is

	0  all that is there of Verum's assembly is as proved
	1  something is not, or a proof fails
	2  the command was called in a wrong way
	3  the program has none of Verum's assembly
	4  the file is no program that audit can read
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f auditFlags
		f.define(fs)
		fs.BoolVar(&f.noProve, "no-prove", false, "prove nothing: compare with code that is only generated")
		fs.BoolVar(&f.json, "json", false, "print JSON")
		return func(e *env, args []string) error { return runAudit(e, f, args) }
	},
}

type auditFlags struct {
	proveFlags
	noProve, json bool
}

// The exit statuses that other commands do not have.
const (
	statusNoVerum    = 3
	statusUnreadable = 4
)

// statusError is an error with an exit status of its own.
type statusError struct {
	status int
	err    error
}

func (e statusError) Error() string { return e.err.Error() }
func (e statusError) Unwrap() error { return e.err }

func runAudit(e *env, f auditFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) != 1 {
		return usagef("it takes one program")
	}
	a := &auditing{name: args[0], flags: f}
	err := a.audit(e)
	if s := (statusError{}); errors.As(err, &s) {
		err = statusError{s.status, fmt.Errorf("%s: %w", a.name, s.err)}
	}
	if f.json {
		if jerr := a.json(e, err); jerr != nil {
			return jerr
		}
		if s := (statusError{}); errors.As(err, &s) {
			return statusError{s.status, errFailed} // it has been said
		}
	}
	return err
}

// audit opens the program and compares what is in it.
func (a *auditing) audit(e *env) error {
	name := a.name
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.dir, name)
	}
	info, err := os.Stat(name) // before it is opened, which waits if it is a pipe
	if err != nil {
		return statusError{statusUnreadable, errors.Unwrap(err)}
	}
	if !info.Mode().IsRegular() {
		return statusError{statusUnreadable, errors.New("it is no file")}
	}
	file, err := os.Open(name)
	if err != nil {
		return statusError{statusUnreadable, errors.Unwrap(err)}
	}
	defer file.Close()
	p, err := audit.Open(file, info.Size())
	if err != nil {
		return statusError{statusUnreadable, err}
	}
	a.program = p
	return a.run(e)
}

// auditing is one run of the command.
type auditing struct {
	name    string
	program *audit.Program // nil if it could not be opened
	flags   auditFlags
	items   []audit.Item
	failed  map[audit.Symbol]string // why there is no code of a function
	axioms  []string
}

// nothing says why there is nothing to audit.
func (a *auditing) nothing() error {
	p := a.program
	why := "it has none of Verum's assembly"
	if _, ok := p.Target(); !ok {
		why += fmt.Sprintf(": it is for %s, for which Verum has no proved code", p.GOARCH)
	} else if p.Version != "" {
		why += fmt.Sprintf(", although it was built with module verum.example %s: nothing in it refers to a proved function", p.Version)
	}
	return statusError{statusNoVerum, errors.New(why)}
}

// symbol is the entry's name in assembly.
func symbol(en registry.Entry) audit.Symbol {
	return audit.Symbol{Module: en.Module, Name: en.Name + strings.ToUpper(en.Variant)}
}

// run gets the code of the functions in the program and compares them.
func (a *auditing) run(e *env) error {
	target, _ := a.program.Target()
	a.failed = map[audit.Symbol]string{}
	var needed, dropped []registry.Entry
	for _, en := range registry.All() {
		if en.Module == "" || en.Target != target {
			continue
		}
		if a.program.Has(symbol(en)) {
			needed = append(needed, en)
		} else {
			dropped = append(dropped, en)
		}
	}
	if len(needed) == 0 && len(a.program.Symbols) == 0 {
		return a.nothing()
	}
	codes, err := a.codes(e, needed)
	if err != nil {
		return err
	}
	if a.items, err = a.program.Check(codes); err != nil {
		return err
	}
	for _, en := range dropped {
		a.items = append(a.items, audit.Item{Kind: "function", Module: en.Module, Name: symbol(en).Name, Variant: en.Variant, Status: audit.NotLinked})
	}
	for i := range a.items {
		if why := a.failed[audit.Symbol{Module: a.items[i].Module, Name: a.items[i].Name}]; why != "" {
			a.items[i].Problems = []string{why}
		}
	}
	if !a.flags.json {
		a.print(e)
	}
	if a.bad() > 0 {
		return errFailed
	}
	return a.record(e)
}

// record keeps what was compared as evidence.
func (a *auditing) record(e *env) error {
	if a.flags.noProve {
		return nil
	}
	figures := map[string]int64{"programs": 1}
	for _, i := range a.items {
		switch {
		case i.Status != audit.Same:
			continue
		case i.Kind == "table":
			figures["tables"]++
		default:
			figures["functions"]++
		}
		figures["bytes"] += int64(i.Bytes)
	}
	return evidence.Add(e.dir, "audit", map[string]string{"program": filepath.Base(a.name), "format": a.program.Format,
		"arch": a.program.GOARCH, "stripped": fmt.Sprint(a.program.Stripped)}, figures)
}

// codes is the code of the entries, as proved or, with -no-prove, as generated. It remembers of which there is none.
func (a *auditing) codes(e *env, entries []registry.Entry) ([]audit.Code, error) {
	var codes []audit.Code
	if a.flags.noProve {
		for _, en := range entries {
			c := audit.Code{Symbol: symbol(en), Variant: en.Variant}
			var err error
			if c.Functions, c.Tables, err = generated(en); err != nil {
				a.failed[c.Symbol] = err.Error()
				continue
			}
			codes = append(codes, c)
		}
		return codes, nil
	}
	if len(entries) == 0 {
		return nil, nil
	}
	p, err := e.prove(entries, a.flags.proveFlags)
	if p == nil {
		return nil, err
	}
	for _, r := range p.results {
		s := symbol(r.Entry)
		if r.Err != nil {
			a.failed[s] = "it is not proved: " + r.Err.Error()
			continue
		}
		codes = append(codes, audit.Code{Symbol: s, Variant: r.Entry.Variant, Functions: r.Verified.Functions(), Tables: r.Verified.Tables()})
	}
	a.axioms = p.axioms()
	return codes, nil
}

// generated is the code of an entry that nobody has proved.
func generated(en registry.Entry) ([]isa.Function, []machine.Table, error) {
	if en.Program == nil {
		return nil, nil, errors.New("its code cannot be generated without the proof")
	}
	p, _, err := en.Program()
	if err != nil {
		return nil, nil, err
	}
	return machine.Lower(p)
}

// bad is the number of items that are not as they should be.
func (a *auditing) bad() int {
	n := 0
	for _, i := range a.items {
		if i.Status != audit.Same && i.Status != audit.NotLinked {
			n++
		}
	}
	return n
}

const notProved = "NOTHING WAS PROVED: the program is compared with code that was generated but not proved (-no-prove)."

// statusText is an item's status where people read it.
func (a *auditing) statusText(i audit.Item) string {
	switch {
	case a.failed[audit.Symbol{Module: i.Module, Name: i.Name}] != "":
		return "NOT PROVED"
	case i.Status == audit.Same && a.flags.noProve:
		return "as generated"
	case i.Status == audit.Same:
		return "as proved"
	case i.Status == audit.Differs, i.Status == audit.Unknown:
		return strings.ToUpper(string(i.Status))
	}
	return string(i.Status)
}

// print prints the table and the totals, and on standard error what is wrong.
func (a *auditing) print(e *env) {
	p := a.program
	target, _ := p.Target()
	fmt.Fprintln(e.stdout, a.description())
	if a.flags.noProve {
		fmt.Fprintf(e.stdout, "\n%s\n", notProved)
	}
	fmt.Fprintln(e.stdout)
	t := table{head: []string{"function", "target", "variant", "bytes", "relocs", "status"}, right: "<<<>><"}
	same, bytes, relocs, dropped := map[string]int{}, 0, 0, 0
	for _, i := range a.items {
		name, size, refs := i.Name, fmt.Sprint(i.Bytes), fmt.Sprint(i.Relocs)
		switch {
		case i.Status == audit.NotLinked:
			size, refs = "", ""
			dropped++
		case i.Status == audit.Same:
			same[i.Kind]++
			bytes += i.Bytes
			relocs += i.Relocs
		}
		if i.Kind == "table" {
			name, refs = name+" (table)", ""
		}
		t.add(name, target.String(), registry.Entry{Variant: i.Variant}.VariantName(), size, refs, a.statusText(i))
	}
	t.write(e.stdout)
	how := "as proved"
	if a.flags.noProve {
		how = "as generated, not proved"
	}
	what := count(same["function"], "function")
	if n := same["routine"]; n > 0 {
		what += ", " + count(n, "routine")
	}
	what += " and " + count(same["table"], "table")
	fmt.Fprintf(e.stdout, "\n%s are %s: %s, of which the linker filled in %s; %s not linked", what, how, count(bytes, "byte"),
		count(relocs, "reference"), count(dropped, "function"))
	switch {
	case a.flags.noProve:
		fmt.Fprintln(e.stdout)
	case len(a.axioms) > 0:
		fmt.Fprintf(e.stdout, "; axioms %s\n", strings.Join(a.axioms, ", "))
	default:
		fmt.Fprintln(e.stdout, "; no axiom")
	}
	for _, i := range a.items {
		for _, problem := range i.Problems {
			fmt.Fprintf(e.stderr, "%s %s (%#x): %s\n", i.Kind, i.Name, i.Address, problem)
		}
	}
	if n := a.bad(); n > 0 {
		fmt.Fprintf(e.stderr, "%s: %d of its functions and tables are not as they should be\n", a.name, n)
	} else if a.flags.noProve {
		fmt.Fprintln(e.stderr, notProved)
	}
}

// description says what kind of program it is.
func (a *auditing) description() string {
	p := a.program
	s := fmt.Sprintf("%s: %s for %s", a.name, p.Format, p.GOARCH)
	if p.Stripped {
		s += ", stripped"
	}
	if p.Go != "" {
		s += ", " + p.Go
	}
	if p.Version != "" {
		s += ", verum.example " + p.Version
	}
	if p.Build != "" {
		s += "\n" + p.Build
	}
	return s
}

// json prints what was found out as JSON. err is the error of the run.
func (a *auditing) json(e *env, err error) error {
	type item struct {
		audit.Item
		Target string `json:"target"`
	}
	p, target := &audit.Program{}, ""
	if a.program != nil {
		p = a.program
	}
	if t, ok := p.Target(); ok {
		target = t.String()
	}
	items := []item{}
	for _, i := range a.items {
		if a.failed[audit.Symbol{Module: i.Module, Name: i.Name}] != "" {
			i.Status = "not proved"
		}
		items = append(items, item{i, target})
	}
	message := ""
	if err != nil && !errors.Is(err, errFailed) {
		message = err.Error()
	}
	out := json.NewEncoder(e.stdout)
	out.SetIndent("", "\t")
	return out.Encode(struct {
		Program  string   `json:"program"`
		Format   string   `json:"format,omitempty"`
		GOARCH   string   `json:"goarch,omitempty"`
		Stripped bool     `json:"stripped"`
		Go       string   `json:"go,omitempty"`
		Version  string   `json:"version,omitempty"`
		Build    string   `json:"build,omitempty"`
		Proved   bool     `json:"proved"` // the code that it was compared with; see the items' status
		Axioms   []string `json:"axioms,omitempty"`
		OK       bool     `json:"ok"`
		Error    string   `json:"error,omitempty"`
		Items    []item   `json:"items"`
	}{a.name, p.Format, p.GOARCH, p.Stripped, p.Go, p.Version, p.Build, !a.flags.noProve && len(items) > 0, a.axioms, err == nil, message, items})
}
