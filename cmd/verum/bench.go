package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"verum.example/internal/benchmark"
)

// benchDir is the nested module that measures, relative to the root.
const benchDir = "bench"

var benchCommand = &command{
	name:  "bench",
	args:  "[operation ...]",
	short: "measure operations against other libraries, or against another revision",
	long: `Bench builds the program in bench/ and runs it. All contenders for an operation are measured in one process, in
turn: the standard library, Verum, OpenSSL's libcrypto (if there are a C compiler and its headers, libssl-dev
of Debian), filippo.io/nistec and others. It prints minima, medians, their ratios to the standard library's,
and allocations. An operation may be a pattern: 'p256-*'. With -svg it draws a chart for each operation.

With -base it compares Verum in the source tree as it is with Verum in another revision, which git checks out
into a temporary directory. The programs of both run in turn, each twice in every round. What counts are least
times. An operation is slower if its time grew by more than 0.7 %, and by more than three times the spread
between two measurements of the same program. Rounds are added before that is believed.

The exit status is 1 if an operation is slower, or cannot be measured.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f benchFlags
		fs.StringVar(&f.peers, "peers", "", "measure only these contenders, a `list` with commas: std,verum,openssl")
		fs.IntVar(&f.samples, "samples", 0, "take `n` samples of each contender (default 300; with -base, 40 in each run of a program)")
		fs.StringVar(&f.svg, "svg", "", "write charts into `dir`, one for each operation")
		fs.BoolVar(&f.json, "json", false, "print the report as JSON")
		fs.StringVar(&f.base, "base", "", "compare with `revision`")
		fs.IntVar(&f.rounds, "rounds", 10, "with -base: run the programs in `n` rounds")
		return func(e *env, args []string) error { return runBench(e, f, args) }
	},
}

type benchFlags struct {
	peers, svg, base string
	samples, rounds  int
	json             bool
}

func (f benchFlags) check() error {
	switch {
	case f.samples < 0:
		return usagef("-samples %d: at least one is needed", f.samples)
	case f.rounds < 1:
		return usagef("-rounds %d: at least one is needed", f.rounds)
	case f.base != "" && (f.peers != "" || f.svg != "" || f.json):
		return usagef("-base compares Verum with itself: -peers, -svg and -json do not go with it")
	}
	return nil
}

func runBench(e *env, f benchFlags, operations []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	root, err := e.root()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "verum-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if f.base != "" {
		return e.compareRevisions(root, tmp, f, operations)
	}
	b, err := e.buildPeers(root, tmp, f.peers)
	if err != nil {
		return err
	}
	var args []string
	if f.peers != "" {
		args = append(args, "-peers", f.peers)
	}
	r, err := b.measure(e, f.samples, append(args, operations...))
	if err != nil {
		return err
	}
	if f.svg != "" {
		if err := e.writeCharts(r, f.svg); err != nil {
			return err
		}
	}
	if f.json {
		return r.Write(e.stdout)
	}
	printReport(e.stdout, r)
	return nil
}

// A benchProgram is the program bench of a tree.
type benchProgram struct{ path string }

// buildBench builds the program of the tree at root.
func buildBench(root, path string, flags ...string) (benchProgram, error) {
	dir := filepath.Join(root, benchDir)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return benchProgram{}, fmt.Errorf("there is no program that measures: %w", err)
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return benchProgram{}, fmt.Errorf("go build in %s: %w\n%s", dir, err, bytes.TrimSpace(out))
	}
	return benchProgram{path}, nil
}

// buildPeers builds the program with OpenSSL, or without it if that fails and it was not asked for.
func (e *env) buildPeers(root, tmp, peers string) (benchProgram, error) {
	path := filepath.Join(tmp, "bench")
	b, err := buildBench(root, path, "-tags=openssl")
	if err == nil || slices.Contains(strings.Split(peers, ","), "openssl") {
		return b, err
	}
	b, without := buildBench(root, path)
	if without != nil {
		return b, without
	}
	if peers == "" {
		lines := strings.Split(err.Error(), "\n")
		fmt.Fprintf(e.stderr, "OpenSSL takes no part, since that does not build (it needs a C compiler and libssl-dev): %s\n", lines[len(lines)-1])
	}
	return b, nil
}

// measure runs the program; 0 samples are as many as it takes by itself.
func (b benchProgram) measure(e *env, samples int, args []string) (*benchmark.Report, error) {
	if samples > 0 {
		args = append([]string{"-samples", strconv.Itoa(samples)}, args...)
	}
	cmd := exec.Command(b.path, args...)
	cmd.Stderr = e.stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the program that measures fails: %w", err)
	}
	return benchmark.Read(bytes.NewReader(out))
}

// printReport prints a report as a table.
func printReport(w io.Writer, r *benchmark.Report) {
	t := table{head: []string{"operation", "contender", "min µs", "median µs", "× std, min", "× std, median", "allocs"}, right: "<<>>>>>"}
	for i, op := range r.Operations() {
		if i > 0 {
			t.add("", "", "", "", "", "", "")
		}
		std, ok := r.Result(op, benchmark.Reference)
		for _, x := range r.Of(op) {
			byMin, byMedian := "", ""
			if ok {
				byMin, byMedian = fmt.Sprintf("%.3f", x.Min/std.Min), fmt.Sprintf("%.3f", x.Median/std.Median)
			}
			t.add(op, x.Peer, benchmark.Micros(x.Min), benchmark.Micros(x.Median), byMin, byMedian, strconv.FormatFloat(x.Allocs, 'f', -1, 64))
		}
	}
	t.write(w)
	fmt.Fprintf(w, "\n%s, %s/%s, %s; %d interleaved samples of %d calls.\n", r.CPU, r.OS, r.Arch, r.Go, r.Samples, r.Inputs)
	for _, p := range r.Peers {
		fmt.Fprintf(w, "%s: %s\n", p.Name, strings.Join(slices.DeleteFunc([]string{p.Version, p.Note}, func(s string) bool { return s == "" }), "; "))
	}
	for _, p := range r.Absent {
		fmt.Fprintf(w, "%s is absent: %s\n", p.Name, p.Note)
	}
}

// writeCharts writes a chart for each operation.
func (e *env) writeCharts(r *benchmark.Report, dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.dir, dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, op := range r.Operations() {
		if op != filepath.Base(op) || strings.HasPrefix(op, ".") {
			return fmt.Errorf("the name of operation %q is no file name", op)
		}
		if err := os.WriteFile(filepath.Join(dir, op+".svg"), []byte(benchmark.Chart(r, op)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compareRevisions compares Verum in the tree with Verum in a revision, and fails if it is slower.
func (e *env) compareRevisions(root, tmp string, f benchFlags, operations []string) (err error) {
	tree, remove, err := checkout(root, filepath.Join(tmp, "base"), f.base)
	if err != nil {
		return err
	}
	defer func() {
		if failed := remove(); err == nil {
			err = failed
		}
	}()
	base, err := buildBench(tree, filepath.Join(tmp, "bench-base"))
	if err != nil {
		return fmt.Errorf("revision %s: %w", f.base, err)
	}
	new, err := buildBench(root, filepath.Join(tmp, "bench-new"))
	if err != nil {
		return err
	}
	if f.samples == 0 {
		f.samples = 40
	}
	// Operations that one of the programs does not have are not measured: each says what it has.
	c := comparer{programs: [2]benchProgram{base, new}, samples: f.samples, args: append([]string{"-peers", benchmark.Own}, operations...)}
	for i := range c.times {
		c.times[i] = [2]benchmark.Minima{{}, {}}
	}
	var cs []benchmark.Comparison
	for range 3 { // as often as something seems to be slower
		if err := c.rounds(e, f.rounds); err != nil {
			return err
		}
		if cs = benchmark.Compare(c.times[0], c.times[1]); !slices.ContainsFunc(cs, benchmark.Comparison.Regressed) {
			break
		}
	}
	return e.printComparison(f.base, cs, c)
}

// comparer measures two programs, twice each.
type comparer struct {
	programs [2]benchProgram
	samples  int
	args     []string
	times    [2][2]benchmark.Minima // by program, and by run in a round
	runs     int
	report   *benchmark.Report // the last one
}

// rounds runs the programs in turn, in an order that changes from one round to the next.
func (c *comparer) rounds(e *env, n int) error {
	for round := range n {
		if e.terminal {
			fmt.Fprintf(e.stderr, "\r\x1b[Kround %d of %d", round+1, n)
		}
		for k := range 4 {
			if round%2 == 1 {
				k = 3 - k
			}
			r, err := c.programs[k%2].measure(e, c.samples, c.args)
			if err != nil {
				return err
			}
			c.times[k%2][k/2].Add(r)
			c.report = r
		}
		c.runs++
	}
	if e.terminal {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	return nil
}

func (e *env) printComparison(base string, cs []benchmark.Comparison, c comparer) error {
	if len(cs) == 0 {
		return fmt.Errorf("the tree and revision %s have no operation in common", base)
	}
	t := table{head: []string{"operation", "base µs", "new µs", "change", "spread", "limit", ""}, right: "<>>>>><"}
	percent := func(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
	var slower []string
	for _, x := range cs {
		verdict := ""
		if x.Regressed() {
			verdict = "SLOWER"
			slower = append(slower, x.Operation)
		}
		t.add(x.Operation, benchmark.Micros(x.Base), benchmark.Micros(x.New), fmt.Sprintf("%+.2f %%", 100*x.Change()), percent(x.Spread), percent(x.Limit()), verdict)
	}
	t.write(e.stdout)
	r := c.report
	fmt.Fprintf(e.stdout, "\nBase: revision %s. %s, %s/%s, %s, %s; least times of %s of each program, interleaved.\n", base, r.CPU, r.OS, r.Arch, r.Go,
		r.Implementation, count(2*c.runs, "run"))
	for i, other := range []string{"the tree", "the base"} {
		for op := range c.times[i][0] {
			if _, ok := c.times[1-i][0][op]; !ok {
				fmt.Fprintf(e.stdout, "%s is not compared: %s does not have it.\n", op, other)
			}
		}
	}
	if len(slower) > 0 {
		fmt.Fprintf(e.stderr, "slower than in %s: %s\n", base, strings.Join(slower, ", "))
		return errFailed
	}
	return nil
}

// checkout makes a worktree of a revision of the repository that root is in, and returns where the module is there.
func checkout(root, dir, revision string) (tree string, remove func() error, err error) {
	commit, err := git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", nil, fmt.Errorf("git knows no revision %q here: %w", revision, err)
	}
	prefix, err := git(root, "rev-parse", "--show-prefix")
	if err != nil {
		return "", nil, err
	}
	if _, err := git(root, "worktree", "add", "--quiet", "--detach", dir, commit); err != nil {
		return "", nil, err
	}
	remove = func() error {
		_, err := git(root, "worktree", "remove", "--force", dir)
		return err
	}
	return filepath.Join(dir, filepath.FromSlash(prefix)), remove, nil
}

// git runs git in a directory and returns what it prints.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
