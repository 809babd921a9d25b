package main

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"

	"verum.example/internal/registry"
	"verum.example/internal/tcb/kernel"
)

var trustCommand = &command{
	name:  "trust",
	args:  "[pattern]",
	short: "list what must be trusted, with line counts, and the axioms of each function",
	long: `Trust lists the source files that a user of the proved code must trust, with their lines of code: lines
that hold something other than comments, tests left out. Then it proves the functions, or those that match
the pattern, and prints for each the mathematical axioms that its theorems rest on.

With -evidence it prints instead what has been measured of the trusted parts: how many operand sets each
instruction form was run on, how many mutants the prover has refused, and so on. The figures come from
records that tests and commands leave outside the source tree when VERUM_EVIDENCE is set: to 1 for the
directory verum/evidence of the user's cache, or to the absolute path of another one. Each is said to be
about this commit, stale, or absent; the exit status is 1 unless all are about this commit.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f proveFlags
		f.define(fs)
		evidence := fs.Bool("evidence", false, "print what was measured of the trusted parts, and prove nothing")
		return func(e *env, args []string) error {
			if !*evidence {
				return runTrust(e, f, args)
			}
			if len(args) > 0 {
				return usagef("-evidence takes no pattern")
			}
			return runEvidence(e)
		}
	},
}

func runTrust(e *env, f proveFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("more than one pattern")
	}
	entries, err := registry.Match(strings.Join(args, ""))
	if err != nil {
		return err
	}
	root, err := e.root()
	if err != nil {
		return err
	}
	if err := e.trusted(os.DirFS(root)); err != nil {
		return err
	}

	fmt.Fprint(e.stdout, "\nAxioms\n\n")
	p, err := e.prove(entries, f)
	if p == nil {
		return err
	}
	t := table{head: []string{"function", "target", "variant", "axioms"}, right: "<<<<"}
	for _, r := range p.results {
		axioms := "none"
		switch as := r.Verified.Axioms(); {
		case r.Err != nil:
			axioms = "NOT PROVED"
		case len(as) > 0:
			axioms = strings.Join(as, ", ")
		}
		t.add(r.Entry.Name, r.Entry.Target.String(), r.Entry.VariantName(), axioms)
	}
	t.write(e.stdout)
	fmt.Fprintln(e.stdout)
	if err != nil {
		return err
	}
	if as := p.axioms(); len(as) > 0 {
		fmt.Fprintf(e.stdout, "Axioms in use: %s.\n", strings.Join(as, ", "))
	} else {
		fmt.Fprintln(e.stdout, "No axiom is in use.")
	}
	if as := kernel.Axioms(); len(as) > 0 {
		fmt.Fprintf(e.stdout, "Axioms that the kernel has: %s.\n", strings.Join(as, ", "))
	} else {
		fmt.Fprintln(e.stdout, "The kernel has none.")
	}
	return nil
}

// group is a part of the source tree that must be trusted.
type group struct {
	title string
	why   string
	dirs  []string // with what is below them
}

// groups lists what must be trusted, apart from the public packages, which are the rest outside internal.
var groups = []group{
	{"The checker", "what a theorem, a verified function and an emitted file is", []string{"internal/tcb"}},
	{"The specifications", "what the functions are proved to do", []string{"internal/spec"}},
	{"Between Go and the assembly", "what the proofs take for granted is the case: copies, sizes, CPU features",
		[]string{"internal/call", "internal/cpu"}},
	{"Public packages", "they check lengths, copy, parse and draw randomness", nil},
}

// untrusted lists the directories, with what is below them, that hold nothing to trust: what they make is checked.
var untrusted = []string{"cmd", "docs", "examples", "internal"}

// trusted prints the trusted files.
func (e *env) trusted(tree fs.FS) error {
	dirs, err := goDirs(tree)
	if err != nil {
		return err
	}
	all := append([]group(nil), groups...)
	public := &all[len(all)-1]
	for _, d := range dirs {
		if !under(d, untrusted) {
			public.dirs = append(public.dirs, d)
		}
	}
	for i, g := range all {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		title := g.title
		if g.why != "" {
			title += ": " + g.why
		}
		fmt.Fprintf(e.stdout, "%s\n\n", title)
		t := table{head: []string{"file", "lines"}, right: "<>"}
		sum := 0
		for _, d := range dirs {
			if !under(d, g.dirs) {
				continue
			}
			n, err := countDir(tree, d, &t)
			if err != nil {
				return err
			}
			sum += n
		}
		t.add("all", fmt.Sprint(sum))
		t.write(e.stdout)
	}
	n, err := coreLines(tree)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "\nLogic and kernel, evaluator and printer apart: %d lines, of at most %d.\n", n, coreLimit)
	fmt.Fprint(e.stdout, "Outside the tree: the Go compiler, assembler and linker, golang.org/x/sys/cpu, the CPU and the operating system.\n")
	return nil
}

// coreLimit is the promise that logic and kernel stay small, evaluator and printer apart (shared/design.md §4).
const coreLimit = 4000

// coreLines is the number of lines of the logical core.
func coreLines(tree fs.FS) (int, error) {
	n := 0
	for _, d := range []string{"internal/tcb/logic", "internal/tcb/kernel"} {
		files, err := sourceFiles(tree, d)
		if err != nil {
			return 0, err
		}
		for _, f := range files {
			if f == "internal/tcb/logic/eval.go" || f == "internal/tcb/logic/print.go" {
				continue
			}
			data, err := fs.ReadFile(tree, f)
			if err != nil {
				return 0, err
			}
			n += countLines(data)
		}
	}
	return n, nil
}

// under tells that dir is one of the dirs or below one.
func under(dir string, dirs []string) bool {
	for _, d := range dirs {
		if dir == d || strings.HasPrefix(dir, d+"/") {
			return true
		}
	}
	return false
}

// goDirs lists the directories of the module that hold Go files, in order.
func goDirs(tree fs.FS) ([]string, error) {
	var dirs []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if base := path.Base(name); name != "." && (base[0] == '.' || base[0] == '_' || base == "testdata") {
			return fs.SkipDir
		}
		if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil && name != "." {
			return fs.SkipDir // another module
		}
		files, err := sourceFiles(tree, name)
		if len(files) > 0 {
			dirs = append(dirs, name)
		}
		return err
	})
	return dirs, err
}

// sourceFiles lists the Go files of a directory that are no tests.
func sourceFiles(tree fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); e.Type().IsRegular() && strings.HasSuffix(n, ".go") && !strings.HasSuffix(n, "_test.go") {
			names = append(names, path.Join(dir, n))
		}
	}
	return names, nil
}

// countDir adds the files of a directory to the table and returns the sum of their lines.
func countDir(tree fs.FS, dir string, t *table) (int, error) {
	files, err := sourceFiles(tree, dir)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, f := range files {
		data, err := fs.ReadFile(tree, f)
		if err != nil {
			return 0, err
		}
		n := countLines(data)
		t.add(f, fmt.Sprint(n))
		sum += n
	}
	return sum, nil
}

// countLines counts the lines that hold a part of a token. A comment is none.
func countLines(src []byte) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(src))
	s.Init(file, src, nil, 0)
	last, n := 0, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // there is none in the text
		}
		first := file.Line(pos)
		end := first + strings.Count(lit, "\n")
		n += end - max(first, last+1) + 1
		last = max(last, end)
	}
}
