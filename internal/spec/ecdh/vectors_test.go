package ecdh

import (
	"encoding/json"
	"flag"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"verum.example/internal/tcb/logic"
)

// all asks for every vector. By default those that cost a scalar multiplication, which takes the evaluator about half a
// second, are sampled.
var all = flag.Bool("all", false, "run every vector, not a sample of those that cost a scalar multiplication")

// sampler chooses about one in 64 of the vectors, and the first of each kind.
type sampler struct {
	n    int
	seen map[string]bool
}

func (s *sampler) take(kind string) bool {
	first := !s.seen[kind]
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[kind] = true
	s.n++
	return *all || first || s.n%64 == 0
}

// budget is enough steps for two multiples of a point of the largest curve.
const budget = 1 << 27

func eval(t testing.TB, e logic.Term) logic.Value {
	t.Helper()
	v, err := logic.Eval(e, nil, budget)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	return v
}

// number is the number that a string of octets stands for.
func number(b []byte) logic.Term { return logic.IntConst(new(big.Int).SetBytes(b)) }

// absent ends a test that lacks something this machine does not have: the test is skipped, and says so, but fails where
// VERUM_CI is set, as CI installs what it needs.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("VERUM_CI") != "" {
		t.Fatalf("VERUM_CI is set: "+format, args...)
	}
	t.Skipf(format, args...)
}

// wycheproof reads a file of Wycheproof test vectors into v, from the directory in the environment variable
// WYCHEPROOF_ROOT or, if that is not set, from shared/wycheproof beside the module or beside a directory above it.
func wycheproof(t *testing.T, name string, v any) {
	t.Helper()
	data, err := wycheproofFile(t, filepath.Join("testvectors_v1", name))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
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
			absent(t, "no Wycheproof vectors: set WYCHEPROOF_ROOT to a checkout of https://github.com/C2SP/wycheproof")
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
		absent(t, "no module %s: go mod download: %v %s", path, err, out)
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

// acvpSet is a set of the ACVP module, with the questions or the answers of the groups.
type acvpSet[Group any] struct {
	Algorithm, Mode string
	VsID            int
	TestGroups      []Group
}
