package main

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"time"

	"verum.example/internal/evidence"
	"verum.example/internal/mutate"
	"verum.example/internal/registry"
)

var mutateCommand = &command{
	name:  "mutate",
	args:  "[pattern]",
	short: "change instructions of the proved code and see that the proofs refuse it",
	long: `Mutate makes small changes to the code of all functions and of the routines that they are made of, or of those that
match the pattern: another
register, opcode, constant, offset or condition, an instruction deleted, exchanged with the next one or done
twice, a bit of a table, and bugs that hand-written arithmetic has had (a lost carry, a missing final
subtraction, the wrong half of a product, a stale flag, swapped limbs). Each mutant is given to the proof of
its function, which must refuse it and say where.

A mutant that is proved meets the contract, unless the prover is wrong. It is run on random states and edge
cases: the postcondition must hold, nothing but outputs may change, scratch memory must be clean, and branches
and addresses must not depend on secrets. Mutants that pass are harmless and are listed. Mutants of which the
proof takes too long count as refused, but apart.

The mutants are drawn evenly from the functions and, of a function, from the kinds of change. The same seed
gives the same mutants and states; another one gives others.

With -spec it alters contracts instead, and leaves the code as it is. A postcondition gets a tighter bound, a
value that is off by one or negative, another modulus, a word left out or exchanged with another one, and so
on; the proof must refuse it. That it is wrong indeed is shown by a run of the code that does not meet it;
those for which no run is found are listed. Each precondition is dropped, which the proof must refuse, unless
it does not need it: then it is listed.

The exit status is 1 if what is proved is wrong in a state, or a refusal does not name function and target.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f mutateFlags
		fs.IntVar(&f.n, "n", 400, "make `n` mutants")
		fs.Uint64Var(&f.seed, "seed", 1, "choose mutants and states by the `number`")
		fs.IntVar(&f.states, "states", 10_000, "run a mutant that is proved in `n` states")
		fs.DurationVar(&f.limit, "limit", 30*time.Second, "stop the proof of a mutant after this `time`")
		fs.IntVar(&f.jobs, "j", runtime.GOMAXPROCS(0), "work on `n` mutants at a time")
		fs.BoolVar(&f.spec, "spec", false, "alter contracts instead of code")
		fs.BoolVar(&f.verbose, "v", false, "say on standard error what becomes of each mutant")
		return func(e *env, args []string) error { return runMutate(e, f, args) }
	},
}

type mutateFlags struct {
	n, states, jobs int
	seed            uint64
	limit           time.Duration
	spec, verbose   bool
}

func (f *mutateFlags) check() error {
	switch {
	case f.n < 1:
		return usagef("-n %d: at least one mutant is made", f.n)
	case f.states < 1:
		return usagef("-states %d: a mutant is run in at least one state", f.states)
	case f.jobs < 1:
		return usagef("-j %d: at least one mutant is worked on at a time", f.jobs)
	case f.limit <= 0:
		return usagef("-limit %v: a proof takes some time", f.limit)
	}
	return nil
}

func runMutate(e *env, f mutateFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("more than one pattern")
	}
	find := registry.MatchRoutines
	if f.spec {
		find = registry.Match // a routine's contract is no specification
	}
	entries, err := find(strings.Join(args, ""))
	if err != nil {
		return err
	}
	var fs []mutate.Function
	for _, en := range entries {
		if en.Program == nil {
			return fmt.Errorf("%v: the registry has its proof, but not its code: it cannot be changed", en)
		}
		fs = append(fs, mutate.Function{Name: en.String(), Program: en.Program})
	}
	if f.spec {
		return runMutateSpec(e, f, strings.Join(args, ""), fs)
	}
	start := time.Now()
	rep, err := mutate.Run(fs, mutate.Options{N: f.n, Seed: f.seed, Jobs: f.jobs, States: f.states, Limit: f.limit,
		Progress: func(done, total int, r *mutate.Result) { e.mutateProgress(f, time.Since(start), done, total, r) }})
	if e.terminal && !f.verbose {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	all := e.mutants(rep, f)
	fmt.Fprintf(e.stdout, "%s, %d at a time\n", seconds(time.Since(start)), f.jobs)
	wrong := all[mutate.Wrong] + all[mutate.Faulty]
	err = evidence.Add(e.dir, "mutants", map[string]string{"pattern": strings.Join(args, ""), "seed": fmt.Sprint(f.seed)}, map[string]int64{
		"mutants": int64(len(rep.Results)), "refused": int64(all[mutate.Refused]), "over": int64(all[mutate.OverLimit]),
		"harmless": int64(all[mutate.Accepted]), "wrong": int64(wrong)})
	if err == nil && wrong > 0 {
		err = errFailed
	}
	return err
}

func (e *env) mutateProgress(f mutateFlags, t time.Duration, done, total int, r *mutate.Result) {
	switch {
	case f.verbose && r != nil:
		line, _, _ := strings.Cut(r.String(), "\n") // the goal, which follows, is long
		if rs := []rune(line); len(rs) > 400 {
			line = string(rs[:400]) + "…"
		}
		fmt.Fprintf(e.stderr, "[%d/%d] %s\n", done, total, line)
	case e.terminal && !f.verbose:
		fmt.Fprintf(e.stderr, "\r\x1b[Kmutating %d/%d  %s", done, total, seconds(t))
	}
}

// mutants prints what became of the mutants, and counts the outcomes.
func (e *env) mutants(rep *mutate.Report, f mutateFlags) map[mutate.Outcome]int {
	kinds := make([]map[mutate.Outcome]int, mutate.NumKinds)
	all := map[mutate.Outcome]int{}
	functions := map[string]bool{}
	for _, r := range rep.Results {
		k := r.Mutant.Kind
		if kinds[k] == nil {
			kinds[k] = map[mutate.Outcome]int{}
		}
		kinds[k][r.Outcome]++
		all[r.Outcome]++
		functions[r.Function] = true
	}
	wrong := all[mutate.Wrong] + all[mutate.Faulty]
	t := table{head: []string{"kind", "mutants", "refused", "over the limit", "accepted, harmless"}, right: "<>>>>"}
	if wrong > 0 {
		t.head, t.right = append(t.head, "WRONG"), t.right+">"
	}
	row := func(name string, n map[mutate.Outcome]int) {
		bad := n[mutate.Wrong] + n[mutate.Faulty]
		cells := []string{name, fmt.Sprint(n[mutate.Refused] + n[mutate.OverLimit] + n[mutate.Accepted] + bad),
			fmt.Sprint(n[mutate.Refused]), fmt.Sprint(n[mutate.OverLimit]), fmt.Sprint(n[mutate.Accepted])}
		if wrong > 0 {
			cells = append(cells, fmt.Sprint(bad))
		}
		t.add(cells...)
	}
	for k, n := range kinds {
		if n != nil {
			row(mutate.Kind(k).String(), n)
		}
	}
	row("all", all)
	t.write(e.stdout)

	list := func(o mutate.Outcome, title string) {
		if all[o] == 0 {
			return
		}
		fmt.Fprintf(e.stdout, "\n%s:\n\n", title)
		for _, r := range rep.Results {
			if r.Outcome == o {
				fmt.Fprintf(e.stdout, "%s: %v: %v\n", r.Function, r.Mutant.Kind, r.Mutant)
				if o == mutate.Accepted {
					fmt.Fprintf(e.stdout, "\t%v\n", r.Harmless)
				}
			}
		}
	}
	list(mutate.Accepted, "Accepted, because the code still meets its contract")
	list(mutate.OverLimit, fmt.Sprintf("Stopped after %v", f.limit))
	for _, r := range rep.Results {
		switch r.Outcome {
		case mutate.Wrong:
			fmt.Fprintf(e.stderr, "UNSOUND: a mutant was proved and is wrong\n%v\n", r)
		case mutate.Faulty:
			fmt.Fprintf(e.stderr, "FAULT\n%v\n", r)
		}
	}
	fmt.Fprintf(e.stdout, "\n%s of %s, of %d that there are, with seed %d: %d refused, %d over the limit, %d accepted and harmless",
		count(len(rep.Results), "mutant"), count(len(functions), "implementation"), rep.Mutants, f.seed,
		all[mutate.Refused], all[mutate.OverLimit], all[mutate.Accepted])
	if wrong > 0 {
		fmt.Fprintf(e.stdout, ", %d WRONG", wrong)
	}
	fmt.Fprintln(e.stdout)
	return all
}
