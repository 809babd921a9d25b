package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"verum.example/internal/mutate"
)

// TestMutants: a mutant that is proved and wrong, or a refusal that names nothing, is shown on both streams.
func TestMutants(t *testing.T) {
	for _, tt := range []struct {
		outcome mutate.Outcome
		want    string // on standard error
		summary string
	}{
		{mutate.Refused, "", "2 mutants of 2 implementations, of 9 that there are, with seed 3: 2 refused, 0 over the limit, 0 accepted and harmless\n"},
		{mutate.OverLimit, "", "1 refused, 1 over the limit, 0 accepted and harmless\n"},
		{mutate.Accepted, "", "1 refused, 0 over the limit, 1 accepted and harmless\n"},
		{mutate.Wrong, "UNSOUND: a mutant was proved and is wrong\nb: deletion: no mutant: ACCEPTED, UNSOUND: why\n", "0 accepted and harmless, 1 WRONG\n"},
		{mutate.Faulty, "FAULT\nb: deletion: no mutant: FAULTY: why\n", "0 accepted and harmless, 1 WRONG\n"},
	} {
		var out, errs bytes.Buffer
		e := &env{stdout: &out, stderr: &errs}
		r := mutate.Result{Function: "b", Mutant: mutate.Mutant{Kind: mutate.Deletion}, Outcome: tt.outcome}
		if tt.want != "" {
			r.Err = errors.New("why")
		}
		rep := &mutate.Report{Mutants: 9, Results: []mutate.Result{{Function: "a", Outcome: mutate.Refused}, r}}
		if all := e.mutants(rep, mutateFlags{seed: 3}); all[tt.outcome] < 1 || all[mutate.Refused] < 1 {
			t.Errorf("%v: counts %v", tt.outcome, all)
		}
		if errs.String() != tt.want {
			t.Errorf("%v: on standard error %q", tt.outcome, errs.String())
		}
		if !strings.HasSuffix(out.String(), tt.summary) {
			t.Errorf("%v: on standard output %q", tt.outcome, out.String())
		}
	}
}
