// Package evidence keeps what tests and commands have measured, outside the source tree: how many operand sets an
// instruction form was run on, how many mutants were refused. "verum trust -evidence" prints it, so that no figure is
// ever typed. The package is trusted with nothing but these figures.
//
// Nothing is recorded unless the environment variable VERUM_EVIDENCE is set: an ordinary test run leaves no trace
// outside its temporary directories, and its results stay cacheable. The variable is the absolute path of a directory
// outside the source tree, or 1 for the directory verum/evidence of the user's cache (os.UserCacheDir). The directory
// has one file for each commit, which holds a record in JSON on each line.
//
// A record says which commit was measured, and whether the tree differed from it. Only records of a clean tree are
// evidence for a commit.
package evidence

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Record is what was measured at one time.
type Record struct {
	Kind    string            `json:"kind"`
	Labels  map[string]string `json:"labels,omitempty"` // what was measured, and how: "target": "arm64"
	Figures map[string]int64  `json:"figures"`

	Tree Tree      `json:"tree"`
	Time time.Time `json:"time"`
	Go   string    `json:"go"`
	OS   string    `json:"os"`
	Arch string    `json:"arch"`
	CPU  string    `json:"cpu"`
}

// Tree is a state of the source tree.
type Tree struct {
	Commit string `json:"commit"`          // "" if it is not known: no git, or no repository
	Dirty  bool   `json:"dirty,omitempty"` // files were changed or added since
}

// String is the commit in short form, and whether the tree differs from it.
func (t Tree) String() string {
	switch {
	case t.Commit == "":
		return "an unknown commit"
	case t.Dirty:
		return t.short() + " with changes"
	}
	return t.short()
}

func (t Tree) short() string { return t.Commit[:min(12, len(t.Commit))] }

// TreeOf is the state of the source tree that dir is in.
func TreeOf(dir string) Tree {
	commit, err := git(dir, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return Tree{}
	}
	status, err := git(dir, "status", "--porcelain")
	return Tree{Commit: commit, Dirty: err != nil || status != ""}
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// variable is the environment variable that turns recording on.
const variable = "VERUM_EVIDENCE"

// Dir is the directory of the records, and whether new ones are added.
func Dir() (dir string, on bool, err error) {
	switch v := os.Getenv(variable); v {
	case "", "1":
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", false, fmt.Errorf("evidence: %w", err)
		}
		return filepath.Join(cache, "verum", "evidence"), v != "", nil
	default:
		if !filepath.IsAbs(v) {
			return "", false, fmt.Errorf("evidence: %s is %q: it must be 1 or an absolute path", variable, v)
		}
		return filepath.Clean(v), true, nil
	}
}

// Add records figures about the source tree that the directory tree is in, "." in a test, if recording is on. A later
// record of the same kind and labels about the same tree replaces an earlier one when they are read.
func Add(tree, kind string, labels map[string]string, figures map[string]int64) error {
	if os.Getenv(variable) == "" {
		return nil
	}
	dir, _, err := Dir()
	if err != nil {
		return err
	}
	if err := outside(tree, dir); err != nil {
		return err
	}
	if kind == "" || len(figures) == 0 {
		return errors.New("evidence: a record without kind or figures")
	}
	r := Record{Kind: kind, Labels: labels, Figures: figures, Tree: TreeOf(tree), Time: time.Now().UTC().Truncate(time.Second),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpu()}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	// One write of a line at the end: the tests of several packages record at the same time.
	f, err := os.OpenFile(filepath.Join(dir, cmp.Or(r.Tree.Commit, "unknown")+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// outside tells that the directory of the records is not in the source tree, which it would change.
func outside(tree, dir string) error {
	root, err := git(tree, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil // no repository
	}
	if rel, err := filepath.Rel(root, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("evidence: %s is %s, which is in the source tree", variable, dir)
	}
	return nil
}

// cpu is the name of the processor, as the operating system has it.
func cpu() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown"
}

// Read reads the records of a directory, in order of time. Of those that agree in kind, labels and tree only the last
// counts. That there is no such directory is no error.
func Read(dir string) ([]Record, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	var all []Record
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("evidence: %w", err)
		}
		s := bufio.NewScanner(bytes.NewReader(data))
		s.Buffer(nil, len(data)+1)
		for n := 1; s.Scan(); n++ {
			var r Record
			if err := json.Unmarshal(s.Bytes(), &r); err != nil {
				return nil, fmt.Errorf("evidence: %s:%d: %w", name, n, err)
			}
			all = append(all, r)
		}
		if err := s.Err(); err != nil {
			return nil, fmt.Errorf("evidence: %s: %w", name, err)
		}
	}
	slices.SortStableFunc(all, func(a, b Record) int { return a.Time.Compare(b.Time) })
	var last []Record
	for i, r := range all {
		if !slices.ContainsFunc(all[i+1:], func(q Record) bool {
			return q.Kind == r.Kind && q.Tree == r.Tree && maps.Equal(q.Labels, r.Labels)
		}) {
			last = append(last, r)
		}
	}
	return last, nil
}
