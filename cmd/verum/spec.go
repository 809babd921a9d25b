package main

import (
	"fmt"
	"strings"
	"time"

	"verum.example/internal/evidence"
	"verum.example/internal/mutate"
)

// runMutateSpec is mutate -spec.
func runMutateSpec(e *env, f mutateFlags, pattern string, fs []mutate.Function) error {
	start := time.Now()
	rep, err := mutate.RunSpec(fs, mutate.Options{N: f.n, Seed: f.seed, Jobs: f.jobs, States: f.states, Limit: f.limit},
		func(done, total int, r *mutate.SpecResult) {
			switch {
			case f.verbose && r != nil:
				line, _, _ := strings.Cut(fmt.Sprintf("%s: %s: %v: %v", r.Function, r.What, r.Outcome, r.Err), "\n")
				fmt.Fprintf(e.stderr, "[%d/%d] %s\n", done, total, line)
			case e.terminal && !f.verbose:
				fmt.Fprintf(e.stderr, "\r\x1b[Kmutating %d/%d  %s", done, total, seconds(time.Since(start)))
			}
		})
	if e.terminal && !f.verbose {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	altered, dropped := e.altered(rep, f)
	fmt.Fprintf(e.stdout, "%s, %d at a time\n", seconds(time.Since(start)), f.jobs)
	labels := func(of string) map[string]string {
		return map[string]string{"of": of, "pattern": pattern, "seed": fmt.Sprint(f.seed)}
	}
	err = evidence.Add(e.dir, "spec mutants", labels("ensures"), map[string]int64{"alterations": altered.all, "refused": altered.refused,
		"over": altered.over, "false": altered.shown, "accepted": altered.accepted, "wrong": altered.bad})
	if err == nil {
		err = evidence.Add(e.dir, "spec mutants", labels("requires"), map[string]int64{"conjuncts": dropped.all,
			"refused": dropped.refused, "over": dropped.over, "needed": dropped.shown, "unneeded": dropped.accepted, "wrong": dropped.bad})
	}
	if err == nil && altered.bad+dropped.bad > 0 {
		err = errFailed
	}
	return err
}

// specTally counts altered contracts. Refused and over the limit are what proofs did not accept, accepted and bad what
// they did.
type specTally struct{ all, refused, over, accepted, bad, shown int64 }

func (t *specTally) add(r mutate.SpecResult) {
	t.all++
	switch r.Outcome {
	case mutate.Refused:
		t.refused++
	case mutate.OverLimit:
		t.over++
	case mutate.Accepted:
		t.accepted++
	default:
		t.bad++
	}
	if r.False {
		t.shown++
	}
}

func (t *specTally) cells(name string) []string {
	cells := []string{name}
	for _, n := range []int64{t.all, t.refused, t.over, t.accepted, t.shown} {
		cells = append(cells, fmt.Sprint(n))
	}
	return cells
}

// altered prints what became of the altered contracts.
func (e *env) altered(rep *mutate.SpecReport, f mutateFlags) (altered, dropped specTally) {
	kinds := make([]specTally, mutate.NumAlterationKinds)
	for _, r := range rep.Results {
		if r.Dropped {
			dropped.add(r)
		} else {
			kinds[r.Kind].add(r)
			altered.add(r)
		}
	}
	t := table{head: []string{"altered", "contracts", "refused", "over the limit", "accepted", "shown false by a run"}, right: "<>>>>>"}
	for k := range kinds {
		if kinds[k].all > 0 {
			t.add(kinds[k].cells("postcondition: " + mutate.AlterationKind(k).String())...)
		}
	}
	t.add(altered.cells("postconditions")...)
	t.add(dropped.cells("preconditions dropped")...)
	t.write(e.stdout)

	list := func(title string, which func(r mutate.SpecResult) bool) {
		first := true
		for _, r := range rep.Results {
			if !which(r) {
				continue
			}
			if first {
				fmt.Fprintf(e.stdout, "\n%s:\n\n", title)
				first = false
			}
			fmt.Fprintf(e.stdout, "%s: %s\n", r.Function, r.What)
		}
	}
	list("Preconditions that the proof does not need", func(r mutate.SpecResult) bool {
		return r.Dropped && r.Outcome == mutate.Accepted
	})
	list("Preconditions that the proof needs, though no run shows that the code does", func(r mutate.SpecResult) bool {
		return r.Dropped && !r.False && (r.Outcome == mutate.Refused || r.Outcome == mutate.OverLimit)
	})
	list("Altered postconditions that the proof accepts, and that no run shows false", func(r mutate.SpecResult) bool {
		return !r.Dropped && r.Outcome == mutate.Accepted
	})
	list("Altered postconditions that the proof refuses, though no run shows them false: they may well be true",
		func(r mutate.SpecResult) bool {
			return !r.Dropped && !r.False && (r.Outcome == mutate.Refused || r.Outcome == mutate.OverLimit)
		})
	for _, r := range rep.Results {
		switch r.Outcome {
		case mutate.Wrong:
			fmt.Fprintf(e.stderr, "UNSOUND: an altered contract was proved and is false\n%v\n", r)
		case mutate.Faulty:
			fmt.Fprintf(e.stderr, "FAULT\n%v\n", r)
		}
	}
	fmt.Fprintf(e.stdout, "\n%s of %d that there are, with seed %d: %d refused, %d over the limit, %d accepted; a run shows %d of them false\n",
		count(int(altered.all), "altered postcondition"), rep.Alterations, f.seed, altered.refused, altered.over, altered.accepted, altered.shown)
	fmt.Fprintf(e.stdout, "%s: %d refused, %d over the limit, %d accepted; a run shows %d of them needed\n",
		count(int(dropped.all), "dropped precondition"), dropped.refused, dropped.over, dropped.accepted, dropped.shown)
	if bad := altered.bad + dropped.bad; bad > 0 {
		fmt.Fprintf(e.stdout, "%d WRONG\n", bad)
	}
	return altered, dropped
}
