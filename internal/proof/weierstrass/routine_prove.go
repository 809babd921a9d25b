package weierstrass

import (
	"fmt"
	"slices"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/point"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// Steps is the proof of a routine that consists of field operations. What is required of them are facts; of what is
// required on return, ranges follow from the operations, and the rest is up to finish, which proves theorems over the
// trace's variables at the final state.
type Steps struct {
	machine.NoProof
	*Trace
	field  *Field
	finish func(tr *Trace, v machine.View) []Theorem
	proved []Theorem // of this run
	done   bool
}

// NewSteps is the proof for the code; finish may be nil.
func NewSteps(f *Field, code impl.Code, finish func(tr *Trace, v machine.View) []Theorem) *Steps {
	return &Steps{Trace: NewTrace(code.Program.Target, code.Ops), field: f, finish: finish}
}

// Begin starts a run.
func (s *Steps) Begin(v machine.View) error {
	s.Trace.Begin(v)
	s.proved, s.done = nil, false
	return nil
}

// Mark notes an operation.
func (s *Steps) Mark(name string, v machine.View) error { return s.Trace.Mark(name, v) }

// Prove proves an obligation.
func (s *Steps) Prove(g machine.Goal) (Theorem, error) {
	if th, ok := Known(g); ok {
		return th, nil
	}
	for _, st := range s.Trace.Steps {
		if st.Dst.Sort() != logic.Int() {
			continue
		}
		if goal := logic.Lt(st.Dst, s.field.P()); s.Value(goal) == g.Concl {
			return s.Close(s.Range(s.field, st.Dst)), nil
		}
	}
	if !s.done && s.finish != nil {
		for _, th := range s.finish(s.Trace, g.View) {
			s.proved = append(s.proved, s.Close(th))
		}
		s.done = true
	}
	for _, th := range s.proved {
		if th.Concl() == g.Concl {
			return th, nil
		}
	}
	return Theorem{}, fmt.Errorf("%s: none of the %d theorems is the goal", g.Name, len(s.proved))
}

// coordinates are the variables of the first k elements of a region.
func (c *Curve) coordinates(tr *Trace, v machine.View, region string, k int) []Term {
	ts := make([]Term, k)
	for i := range ts {
		ts[i] = tr.Elem(v, impl.Ptr{Region: region, Off: 8 * c.Field.Words() * i}, c.Field.Words())
	}
	return ts
}

// inputs are the variables of the first k elements of a parameter before the run.
func (c *Curve) inputs(tr *Trace, v machine.View, name string, k int) []Term {
	n := c.Field.Words()
	ws := v.Before(name)
	ts := make([]Term, k)
	for i := range ts {
		ts[i] = tr.Var(auto.Word(ws[n*i : n*i+n]...))
	}
	return ts
}

// result is what the k-th step of that operation gives, counted from 0 and without premises.
func (tr *Trace) result(op string, k int) Term {
	for _, s := range tr.Steps {
		if s.Op.Name == op && s.Mark != "" {
			if k == 0 {
				return s.Dst
			}
			k--
		}
	}
	panic(fmt.Errorf("there is no such %s", op))
}

// congruence is l ≡ r modulo p, to be proved from the steps after those that give the variables keep.
type congruence struct {
	l, r Term
	keep []Term
}

// given cuts hypotheses of a theorem that are congruences.
func (c *Curve) given(tr *Trace, th Theorem, congruences ...congruence) Theorem {
	for _, e := range congruences {
		if h := logic.Cong(e.l, e.r, c.Field.P()); h != logic.True() {
			th = Cut(th, h, tr.Congruent(c.Field, e.l, e.r, e.keep...))
		}
	}
	return th
}

// double proves 2a.
func (c *Curve) double(tr *Trace, v machine.View) []Theorem {
	return c.doubled(tr, v, tr.result("Add", 1))
}

// doubled proves 2a, where m is the slope M of the formulas.
func (c *Curve) doubled(tr *Trace, v machine.View, m Term) []Theorem {
	a := c.inputs(tr, v, "a", 3)
	r := c.coordinates(tr, v, "r", 3)
	x, y, z, M := c.Residue(a[0]), c.Residue(a[1]), c.Residue(a[2]), c.Residue(m)
	x3, y3, z3 := c.Residue(r[0]), c.Residue(r[1]), c.Residue(r[2])
	th := point.For(c.Spec).DoubleMinus3(x, y, z, M, x3, y3, z3)
	zz, yy := logic.Mul(z, z), logic.Mul(y, y)
	three, two := logic.N(3), logic.N(2)
	return []Theorem{c.given(tr, th,
		congruence{logic.Mul(two, M), logic.Mul(three, logic.Sub(x, zz), logic.Add(x, zz)), nil},
		congruence{x3, logic.Sub(logic.Mul(M, M), logic.Mul(two, x, yy)), []Term{m}},
		congruence{y3, logic.Sub(logic.Mul(M, logic.Sub(logic.Mul(x, yy), x3)), logic.Mul(yy, yy)), []Term{m, r[0]}},
		congruence{z3, logic.Mul(y, z), nil},
	)}
}

// goals are theorems of which the next goals of a run are conclusions.
type goals struct{ proved map[Term]Theorem }

// know adds theorems.
func (s *goals) know(ths ...Theorem) {
	if s.proved == nil {
		s.forget()
	}
	for _, th := range ths {
		s.proved[th.Concl()] = th
	}
}

// forget drops what was for goals that are past.
func (s *goals) forget() { s.proved = map[Term]Theorem{} }

// find finds the theorem for a goal, which may be a fact. Where the run is says where.
func (s *goals) find(g machine.Goal, where string) (Theorem, error) {
	if th, ok := s.proved[g.Concl]; ok {
		return th, nil
	}
	if slices.Contains(g.Hyps, g.Concl) {
		return assume(g.Concl), nil
	}
	return Theorem{}, fmt.Errorf("%s, %s: no theorem is the goal %v", g.Name, where, g.Concl.Format(8))
}
