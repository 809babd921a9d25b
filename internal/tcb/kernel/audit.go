package kernel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"verum.example/internal/tcb/logic"
)

// The recorder: with VERUM_AUDIT=n in the environment when the program starts, every n-th theorem is evaluated on
// random assignments when it is made. One on which the hypotheses are true and the conclusion is false is refused, and
// the failure is counted: this can only take theorems away.
var (
	auditEvery, _ = strconv.ParseInt(os.Getenv("VERUM_AUDIT"), 10, 64)

	audited, auditHeld, auditFailed atomic.Int64
)

// auditTries is the number of assignments for each audited theorem, auditBudget the evaluation steps for each.
const (
	auditTries  = 4
	auditBudget = 1 << 16
)

// AuditStats reports the recorder's work: theorems evaluated, assignments under which the hypotheses were true, and
// failures, which must be 0.
func AuditStats() (theorems, held, failed int64) {
	return audited.Load(), auditHeld.Load(), auditFailed.Load()
}

func audit(rule string, n int64, th Theorem) error {
	if auditEvery <= 0 || n%auditEvery != 0 {
		return nil
	}
	audited.Add(1)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	return evaluate(rule, th, r, auditTries)
}

// evaluate checks the meaning of th on random assignments.
func evaluate(rule string, th Theorem, r *rand.Rand, tries int) error {
	var vars []logic.Term
	for _, t := range append(slices.Clone(th.t.hyps), th.t.concl) {
		vars = append(vars, logic.FreeVars(t)...)
	}
	slices.SortFunc(vars, logic.Compare)
	vars = slices.Compact(vars)
	for range tries {
		env := map[logic.Term]logic.Value{}
		for _, v := range vars {
			env[v] = randomValue(r, v.Sort())
		}
		holds := true
		for _, h := range th.t.hyps {
			v, err := logic.Eval(h, env, auditBudget)
			if holds = err == nil && v.Bool(); !holds {
				break
			}
		}
		if !holds {
			continue
		}
		v, err := logic.Eval(th.t.concl, env, auditBudget)
		if err != nil {
			continue // over budget
		}
		auditHeld.Add(1)
		if !v.Bool() {
			auditFailed.Add(1)
			return fmt.Errorf("kernel: UNSOUND %s: %v is false at %s", rule, th, show(vars, env))
		}
	}
	return nil
}

func show(vars []logic.Term, env map[logic.Term]logic.Value) string {
	var b strings.Builder
	for _, v := range vars {
		fmt.Fprintf(&b, "%v=%v ", v, env[v])
	}
	return b.String()
}

// randomValue prefers the values where rules go wrong: 0, 1, −1, all ones, single bits and their neighbours.
func randomValue(r *rand.Rand, s logic.Sort) logic.Value {
	switch s.Kind() {
	case logic.KindBool:
		return logic.BoolValue(r.IntN(2) == 1)
	case logic.KindTuple:
		var vs []logic.Value
		for _, e := range s.Elems() {
			vs = append(vs, randomValue(r, e))
		}
		return logic.TupleValue(vs...)
	}
	w := s.Width()
	if w == 0 {
		w = 66
	}
	x := new(big.Int)
	switch r.IntN(4) {
	case 0:
		x.SetInt64(int64(r.IntN(7) - 3))
	case 1:
		x.Lsh(one, uint(r.IntN(w+1)))
		x.Add(x, big.NewInt(int64(r.IntN(3)-1)))
	default:
		for range (w + 63) / 64 {
			x.Lsh(x, 64)
			x.Or(x, new(big.Int).SetUint64(r.Uint64()))
		}
		x.Rsh(x, uint(r.IntN(w)))
	}
	if s.Kind() == logic.KindBV {
		x.And(x, ones(s.Width()))
	} else if r.IntN(2) == 0 {
		x.Neg(x)
	}
	return logic.IntValue(x)
}
