package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
)

var emitCommand = &command{
	name:  "emit",
	args:  "[package ...]",
	short: "write what is proved to internal/asm, or check what is there",
	long: `Emit proves the functions of the packages in internal/asm, or of the given ones, and writes the packages:
assembly files, their Go declarations, and functions that choose the variant. It removes generated files
that are no longer emitted. If a proof fails, nothing is written.

With -check it writes nothing. The exit status is 1 if a file is missing, differs by a byte, or is stray.
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		var f proveFlags
		f.define(fs)
		check := fs.Bool("check", false, "compare and write nothing")
		return func(e *env, args []string) error { return runEmit(e, f, *check, args) }
	},
}

func runEmit(e *env, f proveFlags, check bool, modules []string) error {
	if err := f.check(); err != nil {
		return err
	}
	entries, err := moduleEntries(modules)
	if err != nil {
		return err
	}
	root, err := e.root()
	if err != nil {
		return err
	}
	p, err := e.prove(entries, f)
	if err != nil {
		return err
	}
	outs, err := p.outputs()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, filepath.FromSlash(asmDir))
	complete := len(modules) == 0
	if !check {
		if err := write(e, dir, outs, complete); err != nil {
			return err
		}
	}
	ds, err := emit.Check(os.DirFS(dir), outs, complete)
	if err != nil {
		return err
	}
	if len(ds) > 0 {
		e.differences(ds)
		return errFailed
	}
	e.same(outs)
	return nil
}

// moduleEntries lists the entries of the modules, of all if none is given.
func moduleEntries(modules []string) ([]registry.Entry, error) {
	known := map[string]bool{}
	var entries []registry.Entry
	for _, en := range registry.All() {
		if en.Module == "" {
			continue
		}
		known[en.Module] = true
		if len(modules) == 0 || slices.Contains(modules, en.Module) {
			entries = append(entries, en)
		}
	}
	for _, m := range modules {
		if !known[m] {
			var names []string
			for k := range known {
				names = append(names, k)
			}
			slices.Sort(names)
			return nil, fmt.Errorf("no function is emitted to a package %q; packages are %s", m, strings.Join(names, ", "))
		}
	}
	return entries, nil
}

// write writes the files that differ and removes generated files that are stray.
func write(e *env, dir string, outs []emit.Output, complete bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	ds, err := emit.Check(os.DirFS(dir), outs, complete)
	if err != nil {
		return err
	}
	for _, d := range ds {
		path := filepath.Join(dir, filepath.FromSlash(d.Path))
		data, emitted := fileOf(outs, d.Path)
		if !emitted {
			if err := removeGenerated(path); err != nil {
				return err
			}
			fmt.Fprintf(e.stdout, "removed %s/%s\n", asmDir, d.Path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "wrote %s/%s\n", asmDir, d.Path)
	}
	return nil
}

func fileOf(outs []emit.Output, path string) ([]byte, bool) {
	for _, o := range outs {
		for _, f := range o.Files {
			if o.Module+"/"+f.Name == path {
				return f.Data, true
			}
		}
	}
	return nil, false
}

// removeGenerated removes a file that emit has written, or a directory of such files. It touches nothing else.
func removeGenerated(path string) error {
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if bytes.HasPrefix(data, []byte(emit.Header+"\n")) {
				return nil
			}
		}
		return fmt.Errorf("%s is stray and was not written by verum: remove it", name)
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(path)
}
