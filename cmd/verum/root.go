package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is the module whose source tree the command works in.
const modulePath = "verum.example"

// root finds the root of the module's source tree, which is dir or above it.
func (e *env) root() (string, error) {
	for dir := e.dir; ; {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if moduleLine(string(data)) == modulePath {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod of module %s in %s or above it: this must run in Verum's source tree", modulePath, e.dir)
		}
		dir = parent
	}
}

// moduleLine is the module path of a go.mod file, "" if there is none.
func moduleLine(mod string) string {
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			return strings.Trim(f[1], "\"`")
		}
	}
	return ""
}

// asmDir is where the emitted packages are, relative to the root.
const asmDir = "internal/asm"
