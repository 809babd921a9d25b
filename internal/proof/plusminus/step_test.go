package plusminus

import "testing"

func TestTheorems(t *testing.T) {
	a, b, d := integer("a"), integer("b"), integer("d")
	for name, ths := range map[string][]Theorem{
		"round": Round(a, b, d), "composed": Composed(vt, vx, vm), "bounded": Bounded(vt, vx, vm),
		"small": Small(a, b, d), "rows": Rows(a, b, d), "bounds": Bounds(vt, vx, vm),
	} {
		for _, th := range ths {
			t.Logf("%s: %v ⊢ %v", name, th.Hyps(), th.Concl().Format(6))
			if len(th.Axioms()) > 0 {
				t.Error(th)
			}
		}
	}
}
