package emit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// target emits the functions of one target.
func (o *Output) target(fs []function) error {
	t := fs[0].Target()
	var names []string // of the variants, in order of preference
	for _, v := range append(slices.Clone(variants), variant{target: t}) {
		var of []function
		for _, f := range fs {
			if v.target == t && f.Variant() == v.name {
				of = append(of, f)
			}
		}
		if len(of) > 0 {
			names = append(names, v.name)
			if err := o.assembly(t, v.name, of); err != nil {
				return err
			}
		}
	}
	o.Files = append(o.Files, File{fmt.Sprintf("%s_%v.go", o.Module, t), goFile(o.Module, names, fs)})
	return nil
}

// assembly emits the functions of one target and variant as an assembly file.
func (o *Output) assembly(t machine.Target, variant string, fs []function) error {
	name := asmFile(o.Module, t, variant)
	symbols := map[string]string{} // of the file: what each is
	define := func(symbol, what string) error {
		if old, ok := symbols[symbol]; ok {
			return fmt.Errorf("%s: %s and %s have the same name", symbol, old, what)
		}
		symbols[symbol] = what
		return nil
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n//go:build %v\n\n", Header, t)
	comment(&b, legend...)
	b.WriteString("\n#include \"textflag.h\"\n")
	tables := nameTables(fs)
	for _, tab := range tables.list {
		if err := define(tab.symbol, "table "+tab.Name); err != nil {
			return err
		}
		o.Tables = append(o.Tables, Table{t, name, tab.symbol, slices.Clone(tab.Data)})
		writeTable(&b, tab)
	}
	routines := map[string]string{} // text
	for _, f := range fs {
		for i, g := range f.Functions() {
			g, err := tables.rename(f, g)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Symbol(), err)
			}
			text, err := targets[t].print(g)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Symbol(), err)
			}
			if old, ok := routines[g.Name]; ok && g.Local {
				if old != text {
					return fmt.Errorf("%s: two different routines have the name %s", f.Symbol(), g.Name)
				}
				continue
			}
			if err := define(g.Name, "code of "+f.Symbol()); err != nil {
				return err
			}
			b.WriteString("\n")
			switch {
			case i == 0 && !g.Local:
				comment(&b, contractText(f.Verified, maxFormulas)...)
			case i > 0 && g.Local:
				routines[g.Name] = text
				comment(&b, g.Name+" is a routine of verified code.")
			default:
				return fmt.Errorf("%s: %s is neither the function nor a routine of it", f.Symbol(), g.Name)
			}
			b.WriteString(text)
			o.Functions = append(o.Functions, Function{t, variant, name, g})
		}
	}
	o.Files = append(o.Files, File{name, []byte(b.String())})
	return nil
}

// asmFile is the name of an assembly file.
func asmFile(module string, t machine.Target, variant string) string {
	if variant != "" {
		module += "_" + variant
	}
	return fmt.Sprintf("%s_%v.s", module, t)
}

// table is a table of a file under the symbol that it has there.
type table struct {
	machine.Table
	symbol string
}

// fileTables are the tables of a file. Functions share a table that has the same name and contents in both. Where one
// name stands for several tables, each is called after the first function that has it.
type fileTables struct {
	list []*table
	of   map[string]map[string]*table // by symbol of the verified function, by name there and in its routines
}

func nameTables(fs []function) fileTables {
	ts := fileTables{of: map[string]map[string]*table{}}
	count := map[string]int{} // tables of that name
	owner := map[*table]string{}
	for _, f := range fs {
		for _, t := range f.Tables() {
			i := slices.IndexFunc(ts.list, func(u *table) bool {
				return u.Name == t.Name && u.Elem == t.Elem && bytes.Equal(u.Data, t.Data)
			})
			if i < 0 {
				i = len(ts.list)
				ts.list = append(ts.list, &table{Table: t})
				owner[ts.list[i]] = f.Symbol()
				count[t.Name]++
			}
			if ts.of[f.Symbol()] == nil {
				ts.of[f.Symbol()] = map[string]*table{}
			}
			ts.of[f.Symbol()][t.Name] = ts.list[i]
		}
	}
	for _, t := range ts.list {
		t.symbol = t.Name
		if count[t.Name] > 1 {
			t.symbol = owner[t] + "_" + t.Name
		}
	}
	return ts
}

// rename makes g, which is f or one of its routines, refer to its tables by their symbols in the file. The tables are
// those that f was verified with: another function may have a routine of the same name with other tables, and then the
// texts of the two routines differ. g is the caller's own copy.
func (ts fileTables) rename(f function, g isa.Function) (isa.Function, error) {
	symbol := func(name string) (string, error) {
		t, ok := ts.of[f.Symbol()][name]
		if !ok {
			return "", fmt.Errorf("%s has no table %s", g.Name, name)
		}
		return t.symbol, nil
	}
	var errs []error
	for i, l := range g.Lines {
		var err error
		switch in := l.Instr.(type) {
		case arm64.TableAddr:
			in.Name, err = symbol(in.Name)
			g.Lines[i].Instr = in
		case amd64.TableAddr:
			in.Name, err = symbol(in.Name)
			g.Lines[i].Instr = in
		}
		errs = append(errs, err)
	}
	return g, errors.Join(errs...)
}

// writeTable writes a table as read-only data of the file, in little-endian pieces of up to 8 bytes.
func writeTable(b *strings.Builder, t *table) {
	b.WriteString("\n")
	for o := 0; o < len(t.Data); {
		n := 8
		for n > len(t.Data)-o {
			n /= 2
		}
		var w [8]byte
		copy(w[:], t.Data[o:o+n])
		fmt.Fprintf(b, "DATA %s<>+%d(SB)/%d, $0x%0*x\n", t.symbol, o, n, 2*n, binary.LittleEndian.Uint64(w[:]))
		o += n
	}
	fmt.Fprintf(b, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", t.symbol, len(t.Data))
}
