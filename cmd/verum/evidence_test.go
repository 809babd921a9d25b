package main

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"verum.example/internal/evidence"
)

// recorded is a record for each row, with large figures, of which each is another one.
func recorded(tree evidence.Tree) (rs []evidence.Record) {
	for _, r := range evidenceRows() {
		labels := map[string]string{"sets": "2000", "on": "a CPU", "every": "1", "pattern": ""}
		maps.Copy(labels, r.of)
		figures := map[string]int64{}
		for i, n := range strings.Fields("forms instructions sets functions runs conditions bytes relocations expressions evaluations rules accepted " +
			"refused held executions implementations theorems checked failed mutants over harmless wrong alterations false conjuncts needed " +
			"unneeded programs tables") {
			figures[n] = int64(1_000_000 + i)
		}
		rs = append(rs, evidence.Record{Kind: r.kind, Labels: labels, Figures: figures, Tree: tree, CPU: "x", OS: "y", Arch: "z", Go: "go"})
	}
	return rs
}

func printed(t *testing.T, tree evidence.Tree, rs []evidence.Record) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := (&env{stdout: &out}).printEvidence(tree, "dir", rs)
	return out.String(), err
}

// TestEvidence: when all is recorded about this commit, all is well. Anything less is an error, and is said.
func TestEvidence(t *testing.T) {
	tree, other := evidence.Tree{Commit: strings.Repeat("a", 40)}, evidence.Tree{Commit: strings.Repeat("b", 40)}
	dirty := evidence.Tree{Commit: tree.Commit, Dirty: true}
	n := len(evidenceRows())
	text, err := printed(t, tree, recorded(tree))
	if err != nil || !strings.Contains(text, fmt.Sprintf("%d of %d figures measured on this commit, 0 stale or partial, 0 absent.", n, n)) ||
		strings.Contains(text, "record what is missing") || strings.Contains(text, " 0") != strings.Contains(text, ", 0 stale") {
		t.Errorf("complete: %v\n%s", err, text)
	}
	for _, tt := range []struct {
		name   string
		tree   evidence.Tree
		change func(rs []evidence.Record) []evidence.Record
		want   string
	}{
		{"one is missing", tree, func(rs []evidence.Record) []evidence.Record { return rs[1:] }, "\n1 of"},
		{"another commit", other, nil, "STALE: aaaaaaaaaaaa "},
		{"a changed tree", dirty, func([]evidence.Record) []evidence.Record { return recorded(dirty) }, "STALE: aaaaaaaaaaaa with changes"},
		{"no commit", evidence.Tree{}, func([]evidence.Record) []evidence.Record { return recorded(evidence.Tree{}) }, "STALE: an unknown commit"},
		{"few sets", tree, func(rs []evidence.Record) []evidence.Record { rs[0].Labels["sets"] = "1999"; return rs }, "PARTLY: fewer than 2,000 sets"},
		{"untested forms", tree, func(rs []evidence.Record) []evidence.Record { rs[0].Figures["untested"] = 2; return rs }, "PARTLY: 2 forms not tested"},
		{"some theorems", tree, func(rs []evidence.Record) []evidence.Record {
			for i := range rs {
				rs[i].Labels["every"] = "50"
			}
			return rs
		}, "PARTLY: only every 50th theorem"},
		{"some functions", tree, func(rs []evidence.Record) []evidence.Record {
			for i := range rs {
				rs[i].Labels["pattern"] = "p*"
			}
			return rs
		}, "PARTLY: not of all functions"},
	} {
		rs := recorded(tree)
		if tt.change != nil {
			rs = tt.change(rs)
		}
		text, err := printed(t, tt.tree, rs)
		if err != errFailed || !strings.Contains(text, strings.TrimPrefix(tt.want, "\n1 of")) || !strings.Contains(text, "record what is missing") {
			t.Errorf("%s: error %v\n%s", tt.name, err, text)
		}
	}

	// Of several records the best counts, or their sum.
	rs := append(recorded(other), append(recorded(tree), recorded(tree)...)...)
	for i := range rs {
		rs[i].Labels["seed"] = fmt.Sprint(i)
	}
	if text, err := printed(t, tree, rs); err != nil || !strings.Contains(text, "mutants 2,000,038, ") || !strings.Contains(text, "all equal 1,000,002, ") {
		t.Errorf("two of each: %v\n%s", err, text)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -123: "-123"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
