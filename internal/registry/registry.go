// Package registry lists what there is to prove: every function on every target in every variant, with its proof.
//
// Each algorithm has one file here, whose init function adds its entries, so that a new algorithm edits no list. Only
// cmd/verum and tests import this package.
//
// # Memory
//
// ProveAll runs proofs in generations of the logic's store (logic.NewGeneration): when the store has grown large, it
// waits for the proofs under way, drops all terms that they have made, and goes on. What an entry needs beyond its own
// proof is therefore made before ProveAll runs, in package-level variables or init functions: contracts, definitions,
// and theorems that several proofs share. Verified values may be kept: they hold nothing of a generation.
package registry

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"verum.example/internal/tcb/machine"
)

// Entry is one function on one target in one variant.
type Entry struct {
	// Module is the package in internal/asm that the function is emitted to. It is "" for a function that is proved but
	// not emitted.
	Module string
	// Name is the contract's name.
	Name    string
	Target  machine.Target
	Variant string // "" is the baseline
	// Program is the code and its proof, made anew by each call; "verum mutate" changes the code.
	Program func() (machine.Program, machine.Prover, error)
	// Prove proves the function. If it is nil, Add makes it: it verifies what Program gives.
	Prove func() (machine.Verified, error)
}

// Baseline is how the variant "" is called where people read it.
const Baseline = "baseline"

// VariantName is the name of the entry's variant where people read it.
func (e Entry) VariantName() string {
	return cmp.Or(e.Variant, Baseline)
}

// String is the entry's name: function/target/variant.
func (e Entry) String() string {
	return e.Name + "/" + e.Target.String() + "/" + e.VariantName()
}

func compare(a, b Entry) int {
	return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name),
		strings.Compare(a.Target.String(), b.Target.String()), strings.Compare(a.Variant, b.Variant))
}

// Operation is something that users do with a public package, and how far it is proved.
type Operation struct {
	Package   string   // the public package, as imported: "verum.example/ecdh"
	Name      string   // "P-256 key agreement"
	Functions []string // patterns of the functions it rests on, as for Match
	Proved    string   // what is proved
	NotProved string   // what is not; "" if the operation is proved from end to end
}

var (
	mu         sync.Mutex
	entries    []Entry
	routines   []Entry
	operations []Operation
)

// Add adds an entry. It panics if the entry is incomplete or there already: it is for init functions.
func Add(e Entry) {
	mu.Lock()
	defer mu.Unlock()
	for _, s := range []string{e.Name, e.VariantName(), "m" + e.Module} {
		if s == "" || strings.ContainsAny(s, "/*?[\\ ") {
			panic(fmt.Sprintf("registry: entry %v: %q is no name", e, s))
		}
	}
	if program := e.Program; e.Prove == nil && program != nil {
		e.Prove = func() (machine.Verified, error) {
			p, pr, err := program()
			if err != nil {
				return machine.Verified{}, err
			}
			return machine.Verify(p, pr)
		}
	}
	if e.Prove == nil || e.Variant == Baseline {
		panic(fmt.Sprintf("registry: entry %v has no proof, or calls the baseline by its name", e))
	}
	if slices.ContainsFunc(entries, func(f Entry) bool { return e.String() == f.String() }) {
		panic(fmt.Sprintf("registry: entry %v is there already", e))
	}
	entries = append(entries, e)
}

// AddRoutine adds a routine that functions are made of: code and proof, which is verified where it is called. Names are
// distinct. It is for init functions.
func AddRoutine(e Entry) {
	mu.Lock()
	defer mu.Unlock()
	if e.Name == "" || e.Module != "" || e.Program == nil || e.Prove != nil ||
		slices.ContainsFunc(routines, func(f Entry) bool { return e.String() == f.String() }) {
		panic(fmt.Sprintf("registry: routine %v is incomplete, or there already", e))
	}
	routines = append(routines, e)
}

// AddOperation adds an operation. It panics if it is incomplete: it is for init functions.
func AddOperation(o Operation) {
	mu.Lock()
	defer mu.Unlock()
	if o.Package == "" || o.Name == "" || len(o.Functions) == 0 || o.Proved == "" {
		panic(fmt.Sprintf("registry: operation %q of %q is incomplete", o.Name, o.Package))
	}
	o.Functions = slices.Clone(o.Functions)
	operations = append(operations, o)
}

// All lists the entries, ordered by module, function, target and variant.
func All() []Entry {
	mu.Lock()
	defer mu.Unlock()
	return slices.SortedFunc(slices.Values(entries), compare)
}

// Operations lists the operations, ordered by package and name.
func Operations() []Operation {
	mu.Lock()
	defer mu.Unlock()
	return slices.SortedFunc(slices.Values(operations), func(a, b Operation) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
}

// Match lists the entries that match the pattern, in the order of All. A pattern is function, function/target or
// function/target/variant, where each part may have the wildcards of path.Match: p256*, p256Mul/arm64, */amd64/bmi2.
// The empty pattern matches all. That nothing matches is an error.
func Match(pattern string) ([]Entry, error) { return match(pattern, All()) }

// MatchRoutines is Match for the entries and, behind them, the routines that they are made of.
func MatchRoutines(pattern string) ([]Entry, error) {
	all := All()
	mu.Lock()
	defer mu.Unlock()
	return match(pattern, append(all, slices.SortedFunc(slices.Values(routines), compare)...))
}

func match(pattern string, all []Entry) ([]Entry, error) {
	if pattern == "" {
		return all, nil
	}
	parts := strings.Split(pattern, "/")
	var r []Entry
	for _, e := range all {
		ok := len(parts) <= 3
		for i, s := range []string{e.Name, e.Target.String(), e.VariantName()} {
			if i < len(parts) {
				m, err := path.Match(parts[i], s)
				if err != nil {
					return nil, fmt.Errorf("pattern %q: %w", pattern, err)
				}
				ok = ok && m
			}
		}
		if ok {
			r = append(r, e)
		}
	}
	if len(r) == 0 {
		return nil, noMatch(pattern, all)
	}
	return r, nil
}

func noMatch(pattern string, all []Entry) error {
	if len(all) == 0 {
		return errors.New("there are no functions")
	}
	const few = 8
	var names []string
	for _, e := range all {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	more := ""
	if len(names) > few {
		names, more = names[:few], fmt.Sprintf(" and %d more", len(names)-few)
	}
	return fmt.Errorf("pattern %q matches nothing: it is function[/target[/variant]], with wildcards; the functions are %s%s",
		pattern, strings.Join(names, ", "), more)
}
