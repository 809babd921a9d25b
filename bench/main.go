// Bench measures Verum's operations and those of others, and prints a report as JSON; "verum bench" makes tables and
// charts of it, and compares revisions.
//
//	go run . [flags] [operation …]
//
// An operation is a name as in -list, or a pattern with the wildcards of path.Match. All contenders for an operation are
// measured in one process, in turn, sample by sample: what happens to the machine meanwhile happens to all of them. A
// sample is one call with each of a few inputs, which are always the same. Before they are measured, the results of all
// contenders are checked, and that they refuse what is wrong.
//
// OpenSSL takes part if the program is built with -tags openssl, which needs cgo and the headers of OpenSSL 3 (libssl-dev
// of Debian).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"verum.example/internal/benchmark"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		}
		os.Exit(1)
	}
}

// run measures what the arguments ask for.
func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	samples := fs.Int("samples", 300, "take `n` samples of each contender")
	names := fs.String("peers", "", "measure only these contenders, a `list` with commas")
	list := fs.Bool("list", false, "list operations and contenders, and measure nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *samples < 1 {
		return fmt.Errorf("-samples %d: at least one is needed", *samples)
	}
	peers, absent, err := selectPeers(*names)
	if err != nil {
		return err
	}
	ops, err := selectOperations(fs.Args())
	if err != nil {
		return err
	}
	if *list {
		printList(stdout, ops, peers, absent)
		return nil
	}
	in, err := newInputs()
	if err != nil {
		return err
	}
	r := &benchmark.Report{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: benchmark.CPU(),
		Implementation: implementation(), Samples: *samples, Inputs: in.count(), Absent: absent}
	for _, p := range peers {
		r.Peers = append(r.Peers, p.Peer)
	}
	for _, op := range ops {
		rs, err := measure(op, peers, in, *samples)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, rs...)
	}
	if len(r.Results) == 0 {
		return errors.New("none of these contenders has one of these operations")
	}
	return r.Write(stdout)
}

// selectPeers lists the contenders of these names, all if there are none. Who cannot take part is absent, unless it was
// asked for.
func selectPeers(names string) (peers []peer, absent []benchmark.Peer, err error) {
	all := allPeers()
	var known []string
	for _, p := range all {
		known = append(known, p.Name)
	}
	var want []string
	if names != "" {
		want = strings.Split(names, ",")
	}
	for _, n := range want {
		if !slices.Contains(known, n) {
			return nil, nil, fmt.Errorf("there is no contender %q; there are %s", n, strings.Join(known, ", "))
		}
	}
	for _, p := range all {
		switch {
		case len(want) > 0 && !slices.Contains(want, p.Name):
		case p.ops != nil:
			peers = append(peers, p)
		case len(want) > 0:
			return nil, nil, fmt.Errorf("%s: %s", p.Name, p.Note)
		default:
			absent = append(absent, p.Peer)
		}
	}
	return peers, absent, nil
}

// selectOperations lists the operations that the patterns match, all if there are none.
func selectOperations(patterns []string) ([]operation, error) {
	if len(patterns) == 0 {
		return operations, nil
	}
	chosen := make([]bool, len(operations))
	for _, p := range patterns {
		found := false
		for i, op := range operations {
			ok, err := path.Match(p, op.name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p, err)
			}
			chosen[i] = chosen[i] || ok
			found = found || ok
		}
		if !found {
			var names []string
			for _, op := range operations {
				names = append(names, op.name)
			}
			return nil, fmt.Errorf("there is no operation %q; there are %s", p, strings.Join(names, ", "))
		}
	}
	var ops []operation
	for i, op := range operations {
		if chosen[i] {
			ops = append(ops, op)
		}
	}
	return ops, nil
}

func printList(w io.Writer, ops []operation, peers []peer, absent []benchmark.Peer) {
	for _, op := range ops {
		fmt.Fprintf(w, "%-20s %s\n", op.name, op.doc)
	}
	fmt.Fprintln(w)
	for _, p := range peers {
		fmt.Fprintf(w, "%-20s %s\n", p.Name, strings.TrimSuffix(p.Version+"; "+p.Note, "; "))
	}
	for _, p := range absent {
		fmt.Fprintf(w, "%-20s absent: %s\n", p.Name, p.Note)
	}
}

// measure measures all contenders for an operation.
func measure(op operation, peers []peer, in *inputs, samples int) ([]benchmark.Result, error) {
	var results []benchmark.Result
	var calls []call
	for _, p := range peers {
		prepare := p.ops[op.name]
		if prepare == nil {
			continue
		}
		c, err := prepare(in)
		if err == nil {
			err = op.check(in, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", op.name, p.Name, err)
		}
		results = append(results, benchmark.Result{Operation: op.name, Peer: p.Name, Allocs: allocations(c, in.count())})
		calls = append(calls, c)
	}
	for i, times := range interleave(calls, in.count(), samples) {
		results[i].Min, results[i].Median = benchmark.Summary(times)
	}
	return results, nil
}

// interleave takes samples of all calls in turn. A sample is the mean time, in nanoseconds, of a call with each of the
// inputs. The order changes from one round to the next.
func interleave(calls []call, inputs, samples int) [][]float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	times := make([][]float64, len(calls))
	const warm = 2
	for s := range warm + samples {
		for j := range calls {
			k := (s + j) % len(calls)
			start := time.Now()
			for i := range inputs {
				calls[k](i)
			}
			if t := time.Since(start); s >= warm {
				times[k] = append(times[k], float64(max(t, 1))/float64(inputs))
			}
		}
		if s%64 == 63 {
			runtime.GC() // nothing is collected while there is a measurement
		}
	}
	return times
}

// allocations is the number of allocations of a call.
func allocations(c call, inputs int) float64 {
	return testing.AllocsPerRun(4, func() {
		for i := range inputs {
			c(i)
		}
	}) / float64(inputs)
}
