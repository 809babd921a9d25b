package emit

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Difference is a file that is not as emitted.
type Difference struct {
	Path string // slash-separated, within the directory
	What string // "is missing", "differs from what was proved", …
}

func (d Difference) String() string { return d.Path + " " + d.What }

// Check compares a directory of modules, internal/asm, with what was emitted, byte for byte: every emitted file is
// there, and the modules' directories hold nothing else. If the outputs are complete, dir holds nothing but them
// and tests. The differences are in order of path.
func Check(dir fs.FS, outputs []Output, complete bool) ([]Difference, error) {
	var ds []Difference
	modules := map[string]bool{}
	for _, o := range outputs {
		modules[o.Module] = true
		d, err := checkModule(dir, o)
		if err != nil {
			return nil, err
		}
		ds = append(ds, d...)
	}
	if complete {
		entries, err := fs.ReadDir(dir, ".")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			test := e.Type().IsRegular() && strings.HasSuffix(e.Name(), "_test.go")
			if !test && !(e.IsDir() && modules[e.Name()]) {
				ds = append(ds, Difference{e.Name(), "is stray: nothing that was proved is emitted there"})
			}
		}
	}
	slices.SortFunc(ds, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return ds, nil
}

func checkModule(dir fs.FS, o Output) (ds []Difference, err error) {
	for _, f := range o.Files {
		name := path.Join(o.Module, f.Name)
		data, err := fs.ReadFile(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			ds = append(ds, Difference{name, "is missing"})
		case err != nil:
			return nil, err
		case !bytes.Equal(data, f.Data):
			ds = append(ds, Difference{name, "differs from what was proved"})
		}
	}
	entries, err := fs.ReadDir(dir, o.Module)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		emitted := slices.ContainsFunc(o.Files, func(f File) bool { return f.Name == e.Name() })
		if !emitted || !e.Type().IsRegular() {
			ds = append(ds, Difference{path.Join(o.Module, e.Name()), "is stray: it was not emitted"})
		}
	}
	return ds, nil
}
