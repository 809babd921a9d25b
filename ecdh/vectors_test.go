package ecdh_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// absent ends a test that lacks something this machine does not have: the test is skipped, and says so, but fails where
// VERUM_CI is set, as CI installs what it needs.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("VERUM_CI") != "" {
		t.Fatalf("VERUM_CI is set: "+format, args...)
	}
	t.Skipf(format, args...)
}

// wycheproofFile returns a file of Wycheproof test vectors, from the directory in the environment variable
// WYCHEPROOF_ROOT or, if that is not set, from shared/wycheproof beside the module or beside a directory above it.
func wycheproofFile(t *testing.T, name string) []byte {
	t.Helper()
	path := filepath.Join("testvectors_v1", name)
	if root := os.Getenv("WYCHEPROOF_ROOT"); root != "" {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatalf("WYCHEPROOF_ROOT: %v", err)
		}
		return data
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if data, err := os.ReadFile(filepath.Join(dir, "shared", "wycheproof", path)); err == nil {
			return data
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
