package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"verum.example/internal/evidence"
	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/kernel"
)

var proveCommand = &command{
	name:  "prove",
	args:  "[pattern]",
	short: "prove functions, compare internal/asm with what was proved, run a key agreement on it",
	long: `Prove proves every function on every target in every variant, or those that match the pattern, and prints
a table: function, target, variant, instructions, obligations (theorems that the symbolic executor
demanded), kernel inferences (known for each function with -j 1), and time.

Then it emits what was proved and compares that with the files in internal/asm, byte for byte; with a
pattern only the packages of which every function was proved. Without a pattern it ends with a P-256 key
agreement that runs on those files, in a process of its own:

	go run ./cmd/verum/internal/demo

With VERUM_AUDIT=n in the environment, every n-th theorem is evaluated on random assignments when it is
made, and prove says how many there were.

The exit status is 1 if a function is not proved, a file differs, or the key agreement fails.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f proveFlags
		f.define(fs)
		return func(e *env, args []string) error { return runProve(e, f, args) }
	},
}

func runProve(e *env, f proveFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("more than one pattern")
	}
	pattern := strings.Join(args, "")
	entries, err := registry.Match(pattern)
	if err != nil {
		return err
	}
	root, err := e.root()
	if err != nil {
		return err
	}
	p, err := e.prove(entries, f)
	if p != nil {
		p.print(e)
	}
	if err != nil {
		return err
	}
	if err := e.recorded(root, pattern, p); err != nil {
		return err
	}
	if err := e.compare(root, p, pattern == ""); err != nil {
		return err
	}
	if pattern != "" {
		return nil
	}
	return e.demonstrate(root)
}

// print prints the table and the totals.
func (p *proofs) print(e *env) {
	t := table{head: []string{"function", "target", "variant", "instructions", "obligations", "inferences", "time"}, right: "<<<>>>>"}
	functions := map[string]bool{}
	proved, instructions, obligations := 0, 0, 0
	for _, r := range p.results {
		if r.Err != nil {
			t.add(r.Entry.Name, r.Entry.Target.String(), r.Entry.VariantName(), "", "", "NOT PROVED", seconds(r.Time))
			continue
		}
		s := r.Verified.Stats()
		proved++
		functions[r.Entry.Name] = true
		instructions += s.Instructions
		obligations += s.Obligations
		inferences := ""
		if r.Inferences >= 0 {
			inferences = fmt.Sprint(r.Inferences)
		}
		t.add(r.Entry.Name, r.Entry.Target.String(), r.Entry.VariantName(), fmt.Sprint(s.Instructions), fmt.Sprint(s.Obligations),
			inferences, seconds(r.Time))
	}
	t.write(e.stdout)

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	axioms := "no axiom"
	if as := p.axioms(); len(as) > 0 {
		axioms = "axioms " + strings.Join(as, ", ")
	}
	fmt.Fprintf(e.stdout, "\n%d of %s proved, of %s: %s, %s, %s, %s\n",
		proved, count(len(p.results), "implementation"), count(len(functions), "function"),
		count(instructions, "instruction"), count(obligations, "obligation"), count(int(p.inferences), "inference"), axioms)
	fmt.Fprintf(e.stdout, "%s, %d at a time, %.1f GiB of memory\n", seconds(p.time), p.jobs, float64(m.Sys)/(1<<30))
}

// recorded says what the kernel's recorder has evaluated, and keeps it as evidence. The kernel refuses a theorem that is
// false on an assignment; that the proof found another way is no excuse.
func (e *env) recorded(root, pattern string, p *proofs) error {
	every := os.Getenv("VERUM_AUDIT")
	if every == "" {
		return nil
	}
	checked, held, failed := kernel.AuditStats()
	fmt.Fprintf(e.stdout, "recorder: of %s %d evaluated, %s with true hypotheses, %d false\n",
		count(int(kernel.Inferences()), "theorem"), checked, count(int(held), "evaluation"), failed)
	if failed > 0 {
		return fmt.Errorf("the kernel is unsound: %s false on an assignment", count(int(failed), "theorem"))
	}
	return evidence.Add(root, "recorder", map[string]string{"pattern": pattern, "every": every}, map[string]int64{
		"implementations": int64(len(p.results)), "theorems": kernel.Inferences(), "checked": checked, "held": held, "failed": failed})
}

// compare compares internal/asm with what was proved. complete tells that everything was proved, so that nothing else
// may be there.
func (e *env) compare(root string, p *proofs, complete bool) error {
	outs, err := p.outputs()
	if err != nil {
		return err
	}
	if len(outs) == 0 && !complete {
		fmt.Fprintf(e.stdout, "%s: not compared, as no package of it was proved completely\n", asmDir)
		return nil
	}
	ds, err := emit.Check(os.DirFS(filepath.Join(root, asmDir)), outs, complete)
	if err != nil {
		return err
	}
	if len(ds) > 0 {
		e.differences(ds)
		return errFailed
	}
	e.same(outs)
	return nil
}

// differences says how internal/asm differs from what was proved.
func (e *env) differences(ds []emit.Difference) {
	for _, d := range ds {
		fmt.Fprintf(e.stderr, "%s/%v\n", asmDir, d)
	}
	fmt.Fprintln(e.stderr, "\"go run ./cmd/verum emit\" writes what is proved")
}

// same says that there is no difference.
func (e *env) same(outs []emit.Output) {
	files := 0
	var names []string
	for _, o := range outs {
		files += len(o.Files)
		names = append(names, o.Module)
	}
	if files == 0 {
		fmt.Fprintf(e.stdout, "%s: there is nothing to emit, and nothing there\n", asmDir)
		return
	}
	fmt.Fprintf(e.stdout, "%s: the %s of %s are exactly what was proved\n", asmDir, count(files, "file"), strings.Join(names, ", "))
}

// demonstrate runs the key agreement in a process of its own: it links the assembly, which the prover does not.
func (e *env) demonstrate(root string) error {
	cmd := exec.Command("go", "run", "./cmd/verum/internal/demo")
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, e.stdout, e.stderr
	fmt.Fprintf(e.stdout, "\n$ %s\n", strings.Join(cmd.Args, " "))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the key agreement failed: %w", err)
	}
	return nil
}
