// Package kernel makes theorems: it is the only package that does (the LCF discipline).
//
// A theorem Γ ⊢ φ means: every assignment of values to variables that makes all of Γ true makes φ true. Truth is what
// logic.Eval computes, given budget enough. Variables are global, identified by name and sort, or by identity (logic.Fresh). Every rule
// below is justified against this one sentence. A rule checks its inputs and returns an error when it doesn't apply;
// the zero Theorem, ill-formed terms, and terms and theorems of a dropped generation are always refused. It takes no
// function values, keeps no caller's slice and modifies none.
//
// A theorem also carries the names of the mathematical axioms it rests on; they are listed in axioms.go.
//
// # Threat model
//
// The packages that prove things may be arbitrarily wrong and may call any exported function of logic and kernel in
// any order and concurrently; they are race-free Go without unsafe, reflect, linkname, cgo or assembly.
package kernel

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"verum.example/internal/tcb/logic"
)

// Theorem is hypotheses ⊢ conclusion. The zero Theorem is no theorem; every rule refuses it.
type Theorem struct{ t *theorem }

type theorem struct {
	hyps   []logic.Term // ordered by logic.Compare, without repetitions; shared, never modified
	concl  logic.Term
	axioms axiomSet
}

// IsZero tells the zero Theorem, which is no theorem.
func (th Theorem) IsZero() bool { return th.t == nil }

// Concl is the conclusion, the zero Term for the zero Theorem.
func (th Theorem) Concl() logic.Term {
	if th.t == nil {
		return logic.Term{}
	}
	return th.t.concl
}

// Hyps lists the hypotheses.
func (th Theorem) Hyps() []logic.Term {
	if th.t == nil {
		return nil
	}
	return slices.Clone(th.t.hyps)
}

// Axioms names the axioms that the theorem rests on.
func (th Theorem) Axioms() []string {
	if th.t == nil {
		return nil
	}
	return th.t.axioms.names()
}

func (th Theorem) String() string {
	if th.t == nil {
		return "<no theorem>"
	}
	return fmt.Sprintf("%v ⊢ %v", th.t.hyps, th.t.concl)
}

var inferences atomic.Int64

// Inferences is the number of theorems made so far.
func Inferences() int64 { return inferences.Load() }

var errZero = errors.New("the zero Theorem is no theorem")

// conclude makes the theorem that c follows from the premises: their hypotheses and axioms are united. It refuses stale
// premises (logic, Generations): a rule that has read one has read nothing. Because a generation that was dropped stays
// so, it is enough to look at the end.
func conclude(rule string, c logic.Term, premises ...Theorem) (Theorem, error) {
	var hyps []logic.Term
	var ax axiomSet
	for _, p := range premises {
		if p.t == nil {
			return Theorem{}, fmt.Errorf("kernel: %s: %w", rule, errZero)
		}
		if err := p.t.concl.Err(); err != nil {
			return Theorem{}, fmt.Errorf("kernel: %s: premise: %w", rule, err)
		}
		hyps = union(hyps, p.t.hyps)
		ax |= p.t.axioms
	}
	return newTheorem(rule, c, hyps, ax)
}

// newTheorem is where theorems come from. hyps is ordered and not modified later.
func newTheorem(rule string, c logic.Term, hyps []logic.Term, ax axiomSet) (Theorem, error) {
	if err := c.Err(); err != nil {
		return Theorem{}, fmt.Errorf("kernel: %s: %w", rule, err)
	}
	if c.Sort() != logic.Bool() {
		return Theorem{}, fmt.Errorf("kernel: %s: the conclusion %v is a %v", rule, c, c.Sort())
	}
	for _, h := range hyps {
		if err := h.Err(); err != nil {
			return Theorem{}, fmt.Errorf("kernel: %s: hypothesis: %w", rule, err)
		}
	}
	th := Theorem{&theorem{hyps: hyps, concl: c, axioms: ax}}
	n := inferences.Add(1)
	if err := audit(rule, n, th); err != nil {
		return Theorem{}, err
	}
	return th, nil
}

// union merges two ordered lists; it returns one of them when that has everything.
func union(a, b []logic.Term) []logic.Term {
	if len(b) == 0 || len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] {
		return a
	}
	if len(a) == 0 {
		return b
	}
	r := make([]logic.Term, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		d := -1
		if i == len(a) {
			d = 1
		} else if j < len(b) {
			d = logic.Compare(a[i], b[j])
		}
		if d <= 0 {
			r = append(r, a[i])
			i++
			if d == 0 {
				j++
			}
		} else {
			r = append(r, b[j])
			j++
		}
	}
	switch len(r) {
	case len(a):
		return a
	case len(b):
		return b
	}
	return r
}

// ordered sorts hyps, which it owns, and drops repetitions and true.
func ordered(hyps []logic.Term) []logic.Term {
	slices.SortFunc(hyps, logic.Compare)
	hyps = slices.Compact(hyps)
	return slices.DeleteFunc(hyps, func(h logic.Term) bool { return h == logic.True() })
}

func without(hyps []logic.Term, p logic.Term) []logic.Term {
	i := slices.Index(hyps, p)
	if i < 0 {
		return hyps
	}
	return slices.Concat(hyps[:i], hyps[i+1:])
}

func fail(rule, format string, args ...any) (Theorem, error) {
	return Theorem{}, fmt.Errorf("kernel: "+rule+": "+format, args...)
}
