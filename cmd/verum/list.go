package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"verum.example/internal/registry"
)

var listCommand = &command{
	name:  "list",
	short: "print what is proved and what is not, as tables in Markdown",
	long: `List prints two tables in Markdown: the operations of the public packages, each with what is proved of it
and what is not, and the functions that "verum prove" proves. It proves nothing itself.

With -w it writes them into a file, between the lines "` + listBegin + `" and "` + sectionEnd + `".
`,
	flags: func(fs *flag.FlagSet) func(e *env, args []string) error {
		file := fs.String("w", "", "write the tables into `file`")
		return func(e *env, args []string) error { return runList(e, *file, args) }
	},
}

// The lines between which -w writes.
const (
	listBegin  = "<!-- verum list -->"
	sectionEnd = "<!-- end -->"
)

func runList(e *env, file string, args []string) error {
	if len(args) > 0 {
		return usagef("it takes no arguments")
	}
	if file == "" {
		return list(e.stdout)
	}
	var tables bytes.Buffer
	if err := list(&tables); err != nil {
		return err
	}
	return e.replaceIn(file, listBegin, tables.String())
}

// replaceIn replaces what stands in a file after the line begin, unless it is the same.
func (e *env) replaceIn(file, begin, text string) error {
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.dir, file)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	new, err := replaceSection(string(old), begin, text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if new == string(old) {
		return nil
	}
	return os.WriteFile(file, []byte(new), 0o666)
}

// replaceSection replaces what stands between the lines begin and sectionEnd.
func replaceSection(text, begin, section string) (string, error) {
	before, rest, ok := strings.Cut(text, begin+"\n")
	_, after, ok2 := strings.Cut(rest, sectionEnd+"\n")
	if !ok || !ok2 {
		return "", fmt.Errorf("there are no lines %q and %q", begin, sectionEnd)
	}
	return before + begin + "\n\n" + section + "\n" + sectionEnd + "\n" + after, nil
}

// list prints the tables.
func list(w io.Writer) error {
	ops := table{head: []string{"operation", "package", "proved", "not yet proved", "rests on"}, right: "<<<<<"}
	for _, o := range registry.Operations() {
		var rests []string
		for _, pattern := range o.Functions {
			entries, err := registry.Match(pattern)
			if err != nil {
				return fmt.Errorf("operation %s: %w", o.Name, err)
			}
			rests = append(rests, fmt.Sprintf("`%s` (%s)", pattern, count(functions(entries), "function")))
		}
		not := o.NotProved
		if not == "" {
			not = "nothing: proved from end to end"
		}
		ops.add(o.Name, "`"+o.Package+"`", o.Proved, not, strings.Join(rests, ", "))
	}
	if len(ops.rows) > 0 {
		ops.markdown(w)
		fmt.Fprintln(w)
	}
	fns := table{head: []string{"proved functions", "emitted to", "arm64", "amd64"}, right: "<<<<"}
	for _, f := range families(registry.All()) {
		to := "–"
		if f.module != "" {
			to = "`" + asmDir + "/" + f.module + "`"
		}
		fns.add("`"+f.prefix+"`: "+strings.Join(f.names, ", "), to, f.arm64, f.amd64)
	}
	fns.markdown(w)
	return nil
}

// functions is the number of functions that the entries implement.
func functions(entries []registry.Entry) int {
	names := map[string]bool{}
	for _, en := range entries {
		names[en.Name] = true
	}
	return len(names)
}

// family is a row: functions whose names begin alike, with the same variants.
type family struct {
	prefix, module, arm64, amd64 string
	names                        []string // without the prefix
}

// families groups the entries, in their order.
func families(entries []registry.Entry) []family {
	var fs []family
	for len(entries) > 0 {
		name := entries[0].Name
		variants := map[string][]string{}
		n := 0
		for ; n < len(entries) && entries[n].Name == name; n++ {
			t := entries[n].Target.String()
			variants[t] = append(variants[t], entries[n].VariantName())
		}
		rest := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz0123456789")
		f := family{prefix: strings.TrimSuffix(name, rest), module: entries[0].Module, arm64: dash(variants["arm64"]), amd64: dash(variants["amd64"])}
		i := slices.IndexFunc(fs, func(g family) bool {
			return g.prefix == f.prefix && g.module == f.module && g.arm64 == f.arm64 && g.amd64 == f.amd64
		})
		if i < 0 {
			i = len(fs)
			fs = append(fs, f)
		}
		fs[i].names = append(fs[i].names, rest)
		entries = entries[n:]
	}
	slices.SortStableFunc(fs, func(a, b family) int { return strings.Compare(a.prefix, b.prefix) })
	return fs
}

func dash(variants []string) string {
	if len(variants) == 0 {
		return "–"
	}
	return strings.Join(variants, ", ")
}
