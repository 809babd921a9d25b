package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

var explainCommand = &command{
	name:  "explain",
	args:  "function",
	short: "print a function for reviewers: contract, axioms, listing, and what is proved where",
	long: `Explain proves a function, on the given target and in the given variant or on all, and prints what a
reviewer reads: its documentation and contract, the CPU features and the stack that it uses, the axioms
that its theorems rest on, and the code: offset, bytes, text for Go's assembler. The marks at which the
proof looks at the state, and the loops, stand in the code.

With -facts it also prints what is proved at each mark, the invariants and measures of loops, and the
obligations. In facts, t and q stand for numbers that the proof speaks of, and a[i:j] for digits of a.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		facts := fs.Bool("facts", false, "print what is proved at each mark")
		return func(e *env, args []string) error { return runExplain(e, *facts, args) }
	},
}

func runExplain(e *env, facts bool, args []string) error {
	if len(args) != 1 {
		return usagef("it takes one function, such as p256Mul or p256Mul/amd64/bmi2")
	}
	entries, err := registry.Match(args[0])
	if err != nil {
		return err
	}
	var names []string
	for _, en := range entries {
		if !slices.Contains(names, en.Name) {
			names = append(names, en.Name)
		}
	}
	if len(names) > 1 {
		return fmt.Errorf("%s is %d functions: explain one of %s", args[0], len(names), strings.Join(names, ", "))
	}
	// What is printed is made while the terms of the proof are there: ProveAll drops them.
	texts := make([]bytes.Buffer, len(entries))
	for i, en := range entries {
		prove := en.Prove
		entries[i].Prove = func() (machine.Verified, error) {
			r := &recorder{}
			v, err := r.verify(en, prove)
			if err == nil {
				err = explain(&texts[i], v, r, facts)
			}
			return v, err
		}
	}
	p, err := e.prove(entries, proveFlags{jobs: 1})
	if err != nil {
		return err
	}
	for i, r := range p.results {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		fmt.Fprintf(e.stdout, "%v, proved in %s\n\n%s", r.Entry, seconds(r.Time), texts[i].String())
	}
	return nil
}

// notes is what a proof may offer besides theorems: what it has established at each mark, for people to read.
type notes interface{ Notes() map[string][]string }

// recorder stands between the executor and a proof, and remembers what passes in the first run, the one without
// aliases.
type recorder struct {
	machine.Prover
	program     machine.Program
	first       bool
	inputs      []emit.Number
	fresh       map[string][]machine.Loc // what each loop changes
	loops       map[string][]string      // what the proof says of each loop
	obligations []string
	notes       map[string][]string // by mark
}

// verify proves the entry with r between the executor and the proof, if the entry gives the two apart.
func (r *recorder) verify(en registry.Entry, prove func() (machine.Verified, error)) (machine.Verified, error) {
	if en.Program == nil {
		return prove()
	}
	p, pr, err := en.Program()
	if err != nil {
		return machine.Verified{}, err
	}
	if pr == nil {
		pr = machine.NoProof{}
	}
	r.Prover, r.program, r.fresh, r.loops = pr, p, map[string][]machine.Loc{}, map[string][]string{}
	v, err := machine.Verify(p, r)
	if n, ok := pr.(notes); ok && err == nil {
		r.notes = n.Notes()
	}
	return v, err
}

func (r *recorder) Begin(v machine.View) error {
	r.first = len(v.Aliased()) == 0
	r.inputs = nil
	for _, p := range r.program.Contract.Params() {
		switch {
		case p.Value:
			r.inputs = append(r.inputs, emit.Number{Name: p.Name, Elements: []logic.Term{v.Arg(p.Name)}})
		case p.Mode.Reads() && !p.IsInt():
			r.inputs = append(r.inputs, emit.Number{Name: p.Name, Elements: v.Before(p.Name)})
		}
	}
	return r.Prover.Begin(v)
}

func (r *recorder) Shape(loop string, v machine.View) (machine.Shape, error) {
	s, err := r.Prover.Shape(loop, v)
	r.fresh[loop] = slices.Clone(s.Fresh)
	return s, err
}

func (r *recorder) Invariant(loop string, v machine.View) ([]logic.Term, logic.Term, error) {
	inv, measure, err := r.Prover.Invariant(loop, v)
	if r.first && err == nil {
		var lines []string
		names := slices.Clone(r.inputs)
		for _, l := range r.fresh[loop] {
			if l.Region == "" {
				names = append(names, emit.Number{Name: r.program.Target.RegName(l.Reg), Elements: []logic.Term{v.Fresh(loop, l)}})
			}
		}
		for _, t := range inv {
			lines = append(lines, "invariant "+emit.FormulaText(t, names...))
		}
		r.loops[loop] = append(lines, "measure "+emit.FormulaText(measure, names...))
	}
	return inv, measure, err
}

func (r *recorder) Prove(g machine.Goal) (kernel.Theorem, error) {
	th, err := r.Prover.Prove(g)
	if r.first && err == nil {
		r.obligations = append(r.obligations, g.Name)
	}
	return th, err
}

// explain prints a function for reviewers.
func explain(w io.Writer, v machine.Verified, r *recorder, facts bool) error {
	for _, l := range emit.ContractText(v) {
		fmt.Fprintln(w, strings.TrimRight(l, " "))
	}
	if facts && len(r.obligations) > 0 {
		runs := ""
		if n := v.Stats().Patterns; n > 1 {
			runs = fmt.Sprintf(", in each of %d runs, one for each alias pattern", n)
		}
		fmt.Fprintf(w, "Obligations%s:\n", runs)
		for _, o := range r.obligations {
			fmt.Fprintf(w, "\t%s\n", o)
		}
	}
	for _, t := range v.Tables() {
		fmt.Fprintf(w, "\nTable %s, %d bytes in elements of %d\n", t.Name, len(t.Data), t.Elem)
		for row := range slices.Chunk(t.Data, max(t.Elem, 16/t.Elem*t.Elem)) {
			var elems []string
			for elem := range slices.Chunk(row, t.Elem) {
				le := slices.Clone(elem)
				slices.Reverse(le)
				elems = append(elems, fmt.Sprintf("%#x", le))
			}
			fmt.Fprintf(w, "\t%s\n", strings.Join(elems, " "))
		}
	}
	routines := map[string]machine.Verified{}
	callees(v.Program().Code, routines)
	for i, f := range v.Functions() {
		remarks := map[int][]string{}
		if i == 0 {
			var err error
			if remarks, err = r.remarks(v, f, facts); err != nil {
				return err
			}
		} else {
			routine(w, routines[f.Name])
		}
		fmt.Fprintln(w)
		if err := listing(w, v.Target(), f, remarks); err != nil {
			return err
		}
	}
	return nil
}

// callees finds the routines that the code calls, and those that they call.
func callees(c machine.Code, found map[string]machine.Verified) {
	switch c := c.(type) {
	case machine.Seq:
		for _, x := range c {
			callees(x, found)
		}
	case machine.If:
		callees(c.Then, found)
		callees(c.Else, found)
	case machine.Loop:
		callees(c.Body, found)
	case machine.Call:
		if _, ok := found[c.To.Symbol()]; !ok {
			found[c.To.Symbol()] = c.To
			callees(c.To.Program().Code, found)
		}
	}
}

// routine prints the contract of a routine.
func routine(w io.Writer, v machine.Verified) {
	fmt.Fprintln(w)
	for _, l := range emit.ContractText(v) {
		fmt.Fprintln(w, strings.TrimRight(l, " "))
	}
	var registers []string
	for i, p := range v.Contract().Params() {
		if reg, ok := v.Target().ParamReg(i); ok {
			registers = append(registers, p.Name+" in "+v.Target().RegName(reg))
		}
	}
	fmt.Fprintf(w, "Parameters: %s\n", strings.Join(registers, ", "))
}

// bytesShown is the number of bytes of a line that are printed in one row.
const bytesShown = 8

// listing prints a function's code, with remarks before some of its lines.
func listing(w io.Writer, t machine.Target, f isa.Function, remarks map[int][]string) error {
	lines, err := emit.Function{Target: t, Func: f}.Listing()
	if err != nil {
		return err
	}
	for i, l := range lines {
		for _, s := range remarks[i-1] {
			fmt.Fprintf(w, "%*s; %s\n", 6+3*bytesShown+2, "", s)
		}
		text := strings.ReplaceAll(l.Text, "\t", "    ")
		if l.Text == "" {
			text = "    (padding)"
		}
		rows := slices.Collect(slices.Chunk(l.Code, bytesShown))
		if len(rows) == 0 {
			rows = [][]byte{nil}
		}
		for k, row := range rows {
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%04x  %-*s  %s", l.Offset+k*bytesShown, 3*bytesShown, fmt.Sprintf("% x", row), text), " "))
			text = ""
		}
	}
	return nil
}

// remarks says what stands before which line of the lowered function: marks, loops, and what is proved there.
func (r *recorder) remarks(v machine.Verified, f isa.Function, facts bool) (map[int][]string, error) {
	p := places{remarks: map[int][]string{}}
	add := func(title string, lines []string) {
		p.remarks[p.line] = append(p.remarks[p.line], title)
		for _, l := range lines {
			indent := "    "
			for _, part := range wrapped(l, factWidth) {
				p.remarks[p.line] = append(p.remarks[p.line], indent+part)
				indent = "        "
			}
		}
	}
	known := func(m map[string][]string, name string) []string {
		if !facts {
			return nil
		}
		return m[name]
	}
	p.mark = func(name string) { add("mark "+name, known(r.notes, name)) }
	p.loop = func(l machine.Loop) {
		if l.Unroll > 0 {
			add("loop "+l.Name+", run through", nil)
		} else {
			add("loop "+l.Name, known(r.loops, l.Name))
		}
	}
	p.code(v.Program().Code)
	if p.line++; p.line != len(f.Lines) { // the return
		return nil, errors.New("the code was lowered in a way that is not known here")
	}
	return p.remarks, nil
}

// factWidth is how many characters of a fact are printed in a line.
const factWidth = 90

// wrapped breaks s at spaces into lines of at most width characters, where it can.
func wrapped(s string, width int) []string {
	var lines []string
	for _, w := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && utf8.RuneCountInString(lines[n])+1+utf8.RuneCountInString(w) <= width {
			lines[n] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// places counts the lines that code is lowered to.
type places struct {
	line    int
	remarks map[int][]string
	mark    func(name string)
	loop    func(l machine.Loop)
}

func (p *places) code(c machine.Code) {
	switch c := c.(type) {
	case machine.Block:
		p.line += len(c)
	case machine.Seq:
		for _, x := range c {
			p.code(x)
		}
	case machine.If:
		p.line++ // branch
		p.code(c.Then)
		if empty(c.Else) {
			p.code(c.Else)
		} else {
			p.line += 2 // branch, label
			p.code(c.Else)
		}
		p.line++ // label
	case machine.Loop:
		p.loop(c)
		p.line++ // label
		p.code(c.Body)
		p.line++ // branch
	case machine.Call:
		p.line++
	case machine.Mark:
		p.mark(c.Name)
	}
}

// empty tells code that is lowered to no lines.
func empty(c machine.Code) bool {
	switch c := c.(type) {
	case machine.Block:
		return len(c) == 0
	case machine.Seq:
		return !slices.ContainsFunc(c, func(x machine.Code) bool { return !empty(x) })
	case machine.Mark, nil:
		return true
	}
	return false
}
