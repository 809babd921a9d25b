package evidence

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// repository makes a git repository with one commit.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("VERUM_CI") == "1" {
			t.Fatal("there is no git")
		}
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a")
	for _, args := range [][]string{{"init", "-q"}, {"add", "a"}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, tree, kind string, labels map[string]string, n int64) {
	t.Helper()
	if err := Add(tree, kind, labels, map[string]int64{"n": n}); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir string) []Record {
	t.Helper()
	rs, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// TestOff: without the variable nothing is written, and the directory for reading is the user's cache.
func TestOff(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv(variable, "")
	add(t, ".", "x", nil, 1)
	dir, on, err := Dir()
	if err != nil || on {
		t.Fatalf("%q, %v, %v", dir, on, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is there", dir)
	}
	if rs := read(t, dir); len(rs) != 0 {
		t.Errorf("records %v", rs)
	}
	t.Setenv(variable, "1")
	add(t, t.TempDir(), "x", nil, 1)
	if rs := read(t, dir); len(rs) != 1 || rs[0].Tree != (Tree{}) || rs[0].Tree.String() != "an unknown commit" {
		t.Errorf("records %+v", rs)
	}
}

// TestRefused: a directory that is relative or in the tree, and records that say nothing.
func TestRefused(t *testing.T) {
	tree := repository(t)
	for _, tt := range []struct{ dir, kind, want string }{
		{"x", "k", "absolute"},
		{filepath.Join(tree, "x"), "k", "in the source tree"},
		{tree, "k", "in the source tree"},
		{t.TempDir(), "", "without kind"},
	} {
		t.Setenv(variable, tt.dir)
		if err := Add(tree, tt.kind, nil, map[string]int64{"n": 1}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.dir, err, tt.want)
		}
	}
	if TreeOf(tree).Dirty {
		t.Error("a refused record changes the tree")
	}
}

// TestRecords: a record has the commit and whether the tree differs from it; later ones replace earlier ones.
func TestRecords(t *testing.T) {
	tree, dir := repository(t), filepath.Join(t.TempDir(), "new")
	t.Setenv(variable, dir)
	clean := TreeOf(tree)
	if len(clean.Commit) < 40 || clean.Dirty || clean.String() != clean.Commit[:12] {
		t.Errorf("tree %+v", clean)
	}
	arm, amd := map[string]string{"target": "arm64"}, map[string]string{"target": "amd64"}
	add(t, tree, "conformance", arm, 1)
	add(t, tree, "conformance", amd, 2)
	add(t, tree, "conformance", arm, 3)
	add(t, tree, "bytes", arm, 4)
	write(t, filepath.Join(tree, "b"), "b")
	add(t, tree, "conformance", arm, 5)
	rs := read(t, dir)
	got := ""
	for _, r := range rs {
		got += strings.TrimSpace(r.Kind+" "+r.Labels["target"]) + map[bool]string{true: "*"}[r.Tree.Dirty] + " "
		got += string(rune('0'+r.Figures["n"])) + "; "
		if r.Tree.Commit != clean.Commit || r.Go == "" || r.OS == "" || r.Arch == "" || r.CPU == "" || r.Time.IsZero() {
			t.Errorf("incomplete: %+v", r)
		}
	}
	if want := "conformance amd64 2; conformance arm64 3; bytes arm64 4; conformance arm64* 5; "; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
	if s := TreeOf(tree).String(); !strings.HasSuffix(s, " with changes") {
		t.Errorf("tree %s", s)
	}
	write(t, filepath.Join(dir, "x.jsonl"), "{\n")
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "x.jsonl:1") {
		t.Errorf("a broken record: %v", err)
	}
}

// TestConcurrent: records of several processes don't mix. Here they are several writers of one.
func TestConcurrent(t *testing.T) {
	tree, dir := repository(t), t.TempDir()
	t.Setenv(variable, dir)
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			if err := Add(tree, "k", map[string]string{"i": strings.Repeat("x", int(100*i))}, map[string]int64{"n": i}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if rs := read(t, dir); len(rs) != 8 {
		t.Errorf("%d records", len(rs))
	}
}
