package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verum.example/internal/evidence"
)

// row is a line of the table of evidence: what is said, the kind of records it is made of, and the command that makes
// them.
type row struct {
	what string
	kind string
	// of selects records by labels; nil takes all of the kind.
	of map[string]string
	// text makes the figures readable. partly, if it is not "", says in what respect they are not the whole.
	text func(rs []evidence.Record) (text, partly string)
	by   string // the command
}

// rows of the table, in the order of docs/trust.md.
func evidenceRows() []row {
	var rows []row
	target := func(t string) map[string]string { return map[string]string{"target": t} }
	for _, t := range []string{"arm64", "amd64"} {
		tests := "go test -count=1 ./internal/tcb/" + t
		rows = append(rows,
			row{t + ": instructions against the CPU", "conformance", target(t), conformanceText, "VERUM_CONF_SETS=2000 " + tests},
			row{t + ": functions, entry, exit, calls against the CPU", "functions", target(t), figures("functions %d, runs equal %d", "functions", "runs"), tests},
		)
		if t == "amd64" {
			rows = append(rows, row{t + ": conditional branches against the CPU", "branches", target(t), figures("conditions %d, runs equal %d", "conditions", "runs"), tests})
		}
		rows = append(rows,
			row{t + ": encoder against Go's assembler and linker", "bytes", target(t), figures("bytes equal %d, of functions %d, places patched %d", "bytes", "functions", "relocations"), tests},
			row{t + ": encoder against LLVM's disassembler", "disassembly", target(t), figures("instructions %d", "instructions"), tests},
		)
	}
	prove := fmt.Sprintf("VERUM_AUDIT=%d go run ./cmd/verum prove", wantEvery)
	return append(rows,
		row{"internal/asm: files against Go's assembler", "emitted bytes", nil, figures("bytes equal %d, of functions %d", "bytes", "functions"), "go test -count=1 ./internal/asm"},
		row{"internal/asm: files against LLVM's disassembler", "emitted disassembly", nil, figures("instructions %d", "instructions"), "go test -count=1 ./internal/asm"},
		row{"logic: terms against an evaluator on math/big", "logic", nil, logicText, "go test -count=1 ./internal/tcb/logic"},
		row{"kernel: rules on random premises", "rule", nil, ruleText, "go test -count=1 ./internal/tcb/kernel"},
		row{"logic, kernel: native fuzzing", "fuzz", nil, fuzzText, "go test -fuzz=FuzzTaut -fuzztime=1m ./internal/tcb/kernel, and so on"},
		row{"kernel: theorems of a full prove, evaluated", "recorder", nil, recorderText, prove},
		row{"mutants of code", "mutants", nil, mutantText, "go run ./cmd/verum mutate"},
		row{"mutants of contracts: postconditions altered", "spec mutants", map[string]string{"of": "ensures"}, alterationText, "go run ./cmd/verum mutate -spec"},
		row{"mutants of contracts: preconditions dropped", "spec mutants", map[string]string{"of": "requires"}, droppedText, "go run ./cmd/verum mutate -spec"},
		row{"linked programs: bytes of functions and tables", "audit", nil, figures("programs %d, functions %d, tables %d, bytes equal %d", "programs", "functions", "tables", "bytes"), "go run ./cmd/verum audit BINARY"},
	)
}

// sum adds up a figure.
func sum(rs []evidence.Record, figure string) (n int64) {
	for _, r := range rs {
		n += r.Figures[figure]
	}
	return n
}

// figures is a text with sums of figures.
func figures(format string, names ...string) func([]evidence.Record) (string, string) {
	return func(rs []evidence.Record) (string, string) {
		var args []any
		for _, n := range names {
			args = append(args, thousands(sum(rs, n)))
		}
		return fmt.Sprintf(strings.ReplaceAll(format, "%d", "%s"), args...), ""
	}
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// wantSets is the number of operand sets for each form that we want.
const wantSets = 2000

// conformanceText: of runs with several numbers of sets for each form, the one with the most counts.
func conformanceText(rs []evidence.Record) (string, string) {
	r := slices.MaxFunc(rs, func(a, b evidence.Record) int { return cmp.Compare(a.Figures["sets"], b.Figures["sets"]) })
	partly := ""
	if n := r.Figures["untested"]; n > 0 {
		partly = count(int(n), "form") + " not tested: this CPU lacks a feature"
	} else if each, err := strconv.Atoi(r.Labels["sets"]); err != nil || each < wantSets {
		partly = fmt.Sprintf("fewer than %s sets for a form", thousands(wantSets))
	}
	return fmt.Sprintf("forms %d, operand sets %s each, all equal %s, on %s", r.Figures["forms"], r.Labels["sets"],
		thousands(r.Figures["sets"]), r.Labels["on"]), partly
}

func ruleText(rs []evidence.Record) (string, string) {
	return figures("rules %d, instances accepted %d, refused %d, conclusions evaluated %d", "rules", "accepted", "refused", "held")(rs)
}

// logicText: of test runs, the one that did the most counts.
func logicText(rs []evidence.Record) (string, string) {
	r := slices.MaxFunc(rs, func(a, b evidence.Record) int { return cmp.Compare(a.Figures["evaluations"], b.Figures["evaluations"]) })
	return fmt.Sprintf("expressions %s, evaluations equal %s", thousands(r.Figures["expressions"]), thousands(r.Figures["evaluations"])), ""
}

func fuzzText(rs []evidence.Record) (string, string) {
	targets := map[string]bool{}
	for _, r := range rs {
		targets[r.Labels["target"]] = true
	}
	return fmt.Sprintf("targets %d, executions %s", len(targets), thousands(sum(rs, "executions"))), ""
}

// wantEvery says how many theorems of a full prove are evaluated: every one would take half an hour.
const wantEvery = 31

// recorderText: the record of a full prove counts.
func recorderText(rs []evidence.Record) (string, string) {
	r, partly := rs[len(rs)-1], ""
	for _, x := range rs {
		if better(x, r) {
			r = x
		}
	}
	if p := r.Labels["pattern"]; p != "" {
		partly = "only of " + p
	} else if e, err := strconv.Atoi(r.Labels["every"]); err != nil || e > wantEvery {
		partly = "only every " + r.Labels["every"] + "th theorem"
	}
	return fmt.Sprintf("implementations %d, theorems %s, evaluated %s, evaluations with true hypotheses %s, false %s", r.Figures["implementations"],
		thousands(r.Figures["theorems"]), thousands(r.Figures["checked"]), thousands(r.Figures["held"]), thousands(r.Figures["failed"])), partly
}

// better tells that x says more than r.
func better(x, r evidence.Record) bool {
	if (x.Labels["pattern"] == "") != (r.Labels["pattern"] == "") {
		return x.Labels["pattern"] == ""
	}
	return x.Figures["checked"] > r.Figures["checked"]
}

// whole leaves out records of some functions if there are any of all, and otherwise says that there are none.
func whole(rs []evidence.Record) (of []evidence.Record, partly string) {
	part := func(r evidence.Record) bool { return r.Labels["pattern"] != "" }
	if of = slices.DeleteFunc(slices.Clone(rs), part); len(of) == 0 {
		return rs, "not of all functions"
	}
	return of, ""
}

func mutantText(rs []evidence.Record) (string, string) {
	rs, partly := whole(rs)
	text, _ := figures("mutants %d, refused %d, over the limit %d, accepted and harmless %d, accepted and wrong %d",
		"mutants", "refused", "over", "harmless", "wrong")(rs)
	return text, partly
}

func alterationText(rs []evidence.Record) (string, string) {
	rs, partly := whole(rs)
	text, _ := figures("alterations %d, refused %d, over the limit %d, shown false by a run %d, accepted though not shown false %d, accepted and false %d",
		"alterations", "refused", "over", "false", "accepted", "wrong")(rs)
	return text, partly
}

// droppedText: all preconditions are dropped in every run, so that the last one counts.
func droppedText(rs []evidence.Record) (string, string) {
	rs, partly := whole(rs)
	text, _ := figures("preconditions %d, refused without %d, over the limit %d, shown needed by a run %d, proved unneeded %d, proved unneeded and needed %d",
		"conjuncts", "refused", "over", "needed", "unneeded", "wrong")(rs[len(rs)-1:])
	return text, partly
}

// selected lists the records of a row.
func (r row) selected(all []evidence.Record) []evidence.Record {
	return slices.DeleteFunc(slices.Clone(all), func(x evidence.Record) bool {
		if x.Kind != r.kind {
			return true
		}
		for k, v := range r.of {
			if x.Labels[k] != v {
				return true
			}
		}
		return false
	})
}

// printEvidence prints what was recorded about the tree, and says of each figure whether it is about this commit.
func (e *env) printEvidence(tree evidence.Tree, dir string, all []evidence.Record) error {
	fmt.Fprintf(e.stdout, "Evidence for %v, from records in %s\n\n", tree, dir)
	if tree.Dirty || tree.Commit == "" {
		fmt.Fprint(e.stdout, "There are no records of this state of the tree, only of commits: commit first.\n\n")
	}
	t := table{head: []string{"what", "measured", "figures"}, right: "<<<"}
	fresh, stale, absent := 0, 0, 0
	var commands []string
	used := map[string]bool{}
	for _, r := range evidenceRows() {
		rs := r.selected(all)
		now := slices.DeleteFunc(slices.Clone(rs), func(x evidence.Record) bool { return x.Tree != tree || tree.Dirty || tree.Commit == "" })
		measured := "this commit"
		switch {
		case len(now) > 0:
			rs = now
			fresh++
		case len(rs) > 0:
			last := rs[len(rs)-1].Tree
			rs = slices.DeleteFunc(rs, func(x evidence.Record) bool { return x.Tree != last })
			measured = "STALE: " + last.String()
			stale++
		default:
			absent++
			t.add(r.what, "ABSENT", "–")
			commands = append(commands, r.by)
			continue
		}
		text, partly := r.text(rs)
		if partly != "" {
			if len(now) > 0 {
				fresh--
				stale++
			}
			measured += "; PARTLY: " + partly
		}
		if len(now) == 0 || partly != "" {
			commands = append(commands, r.by)
		}
		for _, x := range rs {
			used[fmt.Sprintf("%s, %s/%s, %s", x.CPU, x.OS, x.Arch, x.Go)] = true
		}
		t.add(r.what, measured, text)
	}
	t.write(e.stdout)
	if len(used) > 0 {
		fmt.Fprintf(e.stdout, "\nMeasured on: %s\n", strings.Join(slices.Sorted(maps.Keys(used)), "; "))
	}
	fmt.Fprintf(e.stdout, "\n%d of %s measured on this commit, %d stale or partial, %d absent.\n", fresh, count(fresh+stale+absent, "figure"), stale, absent)
	if len(commands) == 0 {
		return nil
	}
	fmt.Fprint(e.stdout, "\nWith VERUM_EVIDENCE=1 in the environment, and the tree as committed, these record what is missing:\n\n")
	slices.Sort(commands)
	for _, c := range slices.Compact(commands) {
		fmt.Fprintf(e.stdout, "\t%s\n", c)
	}
	return errFailed
}

// runEvidence is trust -evidence.
func runEvidence(e *env) error {
	root, err := e.root()
	if err != nil {
		return err
	}
	dir, _, err := evidence.Dir()
	if err != nil {
		return err
	}
	all, err := evidence.Read(dir)
	if err != nil {
		return err
	}
	return e.printEvidence(evidence.TreeOf(root), dir, all)
}
