package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"verum.example/cmd/verum/internal/tune"
)

var tuneCommand = &command{
	name:  "tune",
	args:  "routine ...",
	short: "search for the order of a fused routine's instructions and freeze it",
	long: `Tune searches for a fast order of the instructions of a fused routine, and of the registers that follow from it, and
freezes it in ` + ordersDir + `. Nothing of this is trusted: what it finds is proved
like any other code.

A routine is named as in "double", on a target as in "double/amd64", in a variant as in "double/amd64/bmi2", and
each part may have wildcards: '*/arm64'. The search goes on the model of a microarchitecture, and then with -cpu and
-moves on this CPU, for amd64. With a seed and without the CPU the result is reproducible.

With -figures it only shows figures of the frozen orders. With -table it prints, as a table in Markdown, what
llvm-mca of LLVM 22 says of the AArch64 routines, and with -w it writes that table into a file, between the
lines "` + figuresBegin + `" and "` + sectionEnd + `".
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f tuneFlags
		fs.StringVar(&f.target, "target", "arm64", "`target` of routines that are named without one")
		fs.StringVar(&f.variant, "variant", "", "`variant` of routines that are named without one (default the baseline)")
		fs.StringVar(&f.Model, "model", "", "`microarchitecture` to search on (default the one of the variant)")
		fs.IntVar(&f.Tries, "tries", 3000, "take `n` candidates in the search on the model")
		fs.Uint64Var(&f.Seed, "seed", 1, "`seed` of the search")
		fs.DurationVar(&f.CPU, "cpu", 0, "search so `long` on this CPU")
		fs.DurationVar(&f.Moves, "moves", 0, "move single instructions so `long` on this CPU")
		fs.BoolVar(&f.Again, "again", false, "start from the frozen order")
		fs.BoolVar(&f.Dry, "n", false, "write nothing")
		fs.BoolVar(&f.figures, "figures", false, "only show figures of the frozen orders")
		fs.BoolVar(&f.table, "table", false, "only print the table of the AArch64 routines")
		fs.StringVar(&f.file, "w", "", "only write that table into `file`")
		fs.StringVar(&f.MCA, "mca", "", "llvm-mca of LLVM 22, a `program` (default: the one that is installed)")
		fs.StringVar(&f.Dir, "dir", "", "`directory` of frozen orders (default the module's)")
		return func(e *env, args []string) error { return runTune(e, f, args) }
	},
}

// ordersDir is where frozen orders are, relative to the root.
const ordersDir = "internal/impl/weierstrass/orders"

// figuresBegin is the line after which -w writes.
const figuresBegin = "<!-- verum tune -table -->"

type tuneFlags struct {
	tune.Options
	target, variant string
	figures, table  bool
	file            string
}

func (f tuneFlags) check(routines []string) error {
	onlyTable := f.table || f.file != ""
	switch {
	case f.Tries < 1:
		return usagef("-tries %d: at least one is needed", f.Tries)
	case f.CPU < 0 || f.Moves < 0:
		return usagef("-cpu and -moves: there is no time below zero")
	case onlyTable && (len(routines) > 0 || f.figures):
		return usagef("the table has all routines of AArch64: it takes no other arguments")
	case !onlyTable && len(routines) == 0:
		return usagef("no routine is named")
	}
	return nil
}

func runTune(e *env, f tuneFlags, routines []string) error {
	if err := f.check(routines); err != nil {
		return err
	}
	if f.table || f.file != "" {
		return e.figures(f)
	}
	var chosen []tune.Routine
	for _, name := range routines {
		rs, err := tune.Match(name, f.target, f.variant)
		if err != nil {
			return err
		}
		chosen = append(chosen, rs...)
	}
	f.Out = e.stdout
	if f.Dir == "" {
		root, err := e.root()
		if err != nil {
			return err
		}
		f.Dir = filepath.Join(root, filepath.FromSlash(ordersDir))
	} else if !filepath.IsAbs(f.Dir) {
		f.Dir = filepath.Join(e.dir, f.Dir)
	}
	mca, err := tune.FindMCA(f.MCA)
	if err != nil && f.MCA != "" {
		return err
	}
	f.MCA = mca
	do := tune.Search
	if f.figures {
		do = tune.Show
	}
	for _, r := range chosen {
		if err := do(r, f.Options); err != nil {
			return fmt.Errorf("%v: %w", r, err)
		}
	}
	return nil
}

// figures prints the table of the AArch64 routines, or writes it into a file.
func (e *env) figures(f tuneFlags) error {
	mca, err := tune.FindMCA(f.MCA)
	if err != nil {
		return fmt.Errorf("the table needs llvm-mca of LLVM 22 (package llvm-22 of Debian): %w", err)
	}
	var table bytes.Buffer
	if err := figuresTable(&table, mca); err != nil {
		return err
	}
	if f.file == "" {
		_, err := e.stdout.Write(table.Bytes())
		return err
	}
	return e.replaceIn(f.file, figuresBegin, table.String())
}

// figuresTable prints what llvm-mca says of the AArch64 routines.
func figuresTable(w io.Writer, mca string) error {
	figures, err := tune.Figures(mca)
	if err != nil {
		return err
	}
	t := table{head: []string{"P-256, AArch64", "instructions"}, right: "<>>>>><"}
	for _, cpu := range tune.CPUs {
		t.head = append(t.head, cpu, "of s2n-bignum's")
	}
	t.head = append(t.head, "s2n-bignum's function")
	for _, f := range figures {
		row := []string{f.What, fmt.Sprint(f.Instructions)}
		for i, c := range f.Cycles {
			row = append(row, fmt.Sprintf("%.1f", c), fmt.Sprintf("%.2f of %.1f", c/f.S2N[i], f.S2N[i]))
		}
		t.add(append(row, "`"+f.S2NName+"`")...)
	}
	t.markdown(w)
	return nil
}
