// Package vectors finds published test vectors. Only tests import it.
package vectors

import (
	"compress/bzip2"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Absent ends a test that lacks something this machine does not have: the test is skipped, and says so, but fails where
// VERUM_CI is set, as CI installs what it needs.
func Absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("VERUM_CI") != "" {
		t.Fatalf("VERUM_CI is set: "+format, args...)
	}
	t.Skipf(format, args...)
}

// Wycheproof reads a file of Wycheproof test vectors into v, from the directory in the environment variable
// WYCHEPROOF_ROOT or, if that is not set, from shared/wycheproof beside the module or beside a directory above it.
func Wycheproof(t *testing.T, name string, v any) {
	t.Helper()
	data, err := wycheproofFile(t, filepath.Join("testvectors_v1", name))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("Wycheproof %s: %v", name, err)
	}
}

func wycheproofFile(t *testing.T, path string) ([]byte, error) {
	t.Helper()
	if root := os.Getenv("WYCHEPROOF_ROOT"); root != "" {
		return os.ReadFile(filepath.Join(root, path))
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		if data, err := os.ReadFile(filepath.Join(dir, "shared", "wycheproof", path)); err == nil {
			return data, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			Absent(t, "no Wycheproof vectors: set WYCHEPROOF_ROOT to a checkout of https://github.com/C2SP/wycheproof")
		}
		dir = parent
	}
}

// moduleDir returns the directory of a module's source at an exact version, downloaded if necessary. The go command
// checks the content against the sum.
func moduleDir(t *testing.T, path, version, sum string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		Absent(t, "no module %s: go mod download: %v %s", path, err, out)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatalf("go mod download: %v", err)
	}
	if module.Sum != sum {
		t.Fatalf("module %s@%s has the sum %s, want %s", path, version, module.Sum, sum)
	}
	return module.Dir
}

// ACVPSet is a set of NIST's ACVP tests, with the questions or the answers of its groups.
type ACVPSet[Group any] struct {
	Algorithm, Mode string
	VsID            int
	TestGroups      []Group
}

// ACVP reads the sets of an algorithm: part is "vectors", the questions, or "expected", the answers. They are from the
// module github.com/geomys/acvp-testdata.
func ACVP[Group any](t *testing.T, part, algorithm string) (sets []ACVPSet[Group]) {
	t.Helper()
	dir := moduleDir(t, "github.com/geomys/acvp-testdata", "v0.0.0-20251201200548-d893de8b8b1c",
		"h1:W9bTdyWTJoakpzDOLR5BNKaGjYAmoaJOioBztGGWI98=")
	f, err := os.Open(filepath.Join(dir, part, algorithm+".bz2"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewDecoder(bzip2.NewReader(f)).Decode(&sets); err != nil {
		t.Fatalf("%s: %v", f.Name(), err)
	}
	return sets
}

var all = flag.Bool("all", false, "run every published vector, not a sample where a test takes samples")

// All tells that every vector is asked for.
func All() bool { return *all }

// A Sampler chooses about one in 64 of the vectors, and the first of each kind; with the flag -all, every one.
type Sampler struct {
	n    int
	seen map[string]bool
}

// Take tells whether to run the next vector, which is of the given kind.
func (s *Sampler) Take(kind string) bool {
	first := !s.seen[kind]
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[kind] = true
	s.n++
	return All() || first || s.n%64 == 0
}
