package machine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/logic"
)

// loop verifies do { body } while (c), after logic.md 29 and 30.
//
// At the head of the body the places that the proof lists as fresh hold new variables, those it lists as dead are
// undefined, as are all flags, and every other place holds what it held on entry. The body is run once from there. The
// run refuses the loop if a place that is not listed differs after the body, so the proof cannot forget one. With the
// invariant Inv, the measure μ and the facts F so far the obligations are
//
//	(a) F ⊢ Inv, at the values on entry,
//	(b) F, Inv ⊢ 0 ≤ μ,
//	(c) F, Inv, facts of the body, c ⊢ Inv and μ' + 1 ≤ μ, at the values after the body.
//
// After the loop the state is that after the last body, with the facts F, Inv, those of that body, and ¬c.
//
// A fresh place that the proof claims public has a public variable; it must be public on entry and after the body.
// By induction over the iterations the claims of all enclosing loops hold together.
func (e *exec) loop(l Loop) error {
	e.stats.Loops++
	if l.Unroll > 0 {
		return e.unroll(l)
	}
	vars, public, err := e.loopHead(l)
	if err != nil {
		return err
	}
	entry := map[logic.Term]logic.Term{}
	for _, p := range vars.order {
		entry[vars.of[p]] = e.locValue(p)
	}

	var inv []logic.Term
	var measure logic.Term
	head := vars.head
	entryState := e.st
	e.st = head.copy()
	outer := e.loops
	e.loops = maps.Clone(outer)
	e.loops[l.Name] = vars.of
	err = e.ask("invariant", func() (err error) {
		inv, measure, err = e.pr.Invariant(l.Name, e.view())
		inv = slices.Clone(inv)
		return
	})
	if err != nil {
		return err
	}
	for i, f := range inv {
		if err := e.known(f, logic.Bool()); err != nil {
			return fmt.Errorf("invariant %d: %w", i, err)
		}
	}
	if err := e.known(measure, logic.Int()); err != nil {
		return fmt.Errorf("measure: %w", err)
	}

	e.st = entryState
	for i, f := range inv {
		if err := e.oblige(fmt.Sprintf("invariant %d on entry", i), logic.Subst(f, entry)); err != nil {
			return err
		}
	}
	e.st = head.copy()
	for _, p := range vars.order {
		if r := e.index[p.Region]; p.Region != "" && e.regions[r].whole {
			e.assumeBytes(vars.of[p], &e.regions[r]) // stores keep it a number of that many bytes
		}
	}
	for _, f := range inv {
		e.assume(f)
	}
	if err := e.oblige("measure is natural", logic.Ge0(measure)); err != nil {
		return err
	}
	if err := e.at("body", func() error { return e.run(l.Body) }); err != nil {
		return err
	}

	if err := e.sameElsewhere(head, vars); err != nil {
		return err
	}
	after := map[logic.Term]logic.Term{}
	for _, p := range vars.order {
		t := e.locValue(p)
		if t.IsZero() {
			return fmt.Errorf("%s has no value after the body", p.name(e.t))
		}
		if public[p] {
			if err := e.requirePublic(t, "value of "+p.name(e.t)+", claimed public, after the body"); err != nil {
				return err
			}
		}
		after[vars.of[p]] = t
	}
	c, err := e.cond(l.While)
	if err != nil {
		return err
	}
	n := len(e.facts)
	e.assume(c)
	for i, f := range inv {
		if err := e.oblige(fmt.Sprintf("invariant %d is kept", i), logic.Subst(f, after)); err != nil {
			return err
		}
	}
	drops := logic.Le(logic.Add(logic.Subst(measure, after), logic.N(1)), measure)
	if err := e.oblige("measure decreases", drops); err != nil {
		return err
	}
	e.retract(n)
	e.assume(logic.Not(c))
	return nil
}

// unroll runs a loop through whose condition folds to a constant each time.
func (e *exec) unroll(l Loop) error {
	for i := range l.Unroll {
		if e.stats.Steps++; e.stats.Steps > maxSteps {
			return errors.New("the run is too long")
		}
		if err := e.at(fmt.Sprintf("iteration %d", i), func() error { return e.run(l.Body) }); err != nil {
			return err
		}
		switch c, err := e.cond(l.While); {
		case err != nil:
			return err
		case c == logic.False():
			return nil
		case c != logic.True():
			return fmt.Errorf("the loop is run through, but its condition is no constant: %s", side(c))
		}
	}
	return fmt.Errorf("the loop runs more than %d times", l.Unroll)
}

// loopVars are the variables of a loop's fresh places, and the state at its head.
type loopVars struct {
	order []Loc
	of    map[Loc]logic.Term
	dead  []Loc
	head  *state
}

// loopHead asks for the loop's shape, checks it, and makes the state at the head; also says which places are public.
func (e *exec) loopHead(l Loop) (loopVars, map[Loc]bool, error) {
	var sh Shape
	vars := loopVars{of: map[Loc]logic.Term{}}
	public := map[Loc]bool{}
	err := e.ask("shape", func() (err error) {
		sh, err = e.pr.Shape(l.Name, e.view())
		vars.order, vars.dead = slices.Clone(sh.Fresh), slices.Clone(sh.Dead)
		for _, p := range sh.Public {
			public[p] = true
		}
		return
	})
	if err != nil {
		return vars, nil, err
	}
	all := append(slices.Clone(vars.order), vars.dead...)
	for i, p := range all {
		if err := e.checkLoc(p); err != nil {
			return vars, nil, err
		}
		for _, q := range all[:i] {
			if e.overlap(p, q) {
				return vars, nil, fmt.Errorf("the proof lists %s and %s, which overlap", p.name(e.t), q.name(e.t))
			}
		}
	}
	for p := range public {
		if !slices.Contains(vars.order, p) {
			return vars, nil, fmt.Errorf("%s is claimed public but not listed as fresh", p.name(e.t))
		}
	}

	vars.head = e.st.copy()
	for _, p := range vars.order {
		init := e.locValue(p)
		if init.IsZero() {
			return vars, nil, fmt.Errorf("%s has no value on entry", p.name(e.t))
		}
		if public[p] {
			if err := e.requirePublic(init, "value of "+p.name(e.t)+", claimed public, on entry"); err != nil {
				return vars, nil, err
			}
		}
		v := e.fresh(l.Name+"."+p.name(e.t), init.Sort(), public[p])
		vars.of[p] = v
		if !public[p] && p.Region != "" {
			e.regions[e.index[p.Region]].touch(p.Off, p.N)
		}
		e.setLoc(vars.head, p, v)
	}
	for _, p := range vars.dead {
		e.setLoc(vars.head, p, logic.Term{})
	}
	vars.head.flags = [numFlags]logic.Term{}
	return vars, public, nil
}

// overlap tells that two places that checkLoc accepted have something in common.
func (e *exec) overlap(p, q Loc) bool {
	switch {
	case p.Region == "" || q.Region == "":
		return p.Region == q.Region && p.Reg == q.Reg
	case e.index[p.Region] != e.index[q.Region]:
		return false
	}
	return p.N == 0 || p.Off < q.Off+q.N && q.Off < p.Off+p.N
}

// sameElsewhere: after the body every place that the loop does not list holds what it held at the head. (All flags are
// undefined at the head.)
func (e *exec) sameElsewhere(head *state, vars loopVars) error {
	listed := append(slices.Clone(vars.order), vars.dead...)
	in := func(l Loc) bool {
		return slices.ContainsFunc(listed, func(p Loc) bool { return e.overlap(p, l) })
	}
	for r := range e.st.regs {
		if l := RegLoc(isa.Reg(r)); e.st.regs[r] != head.regs[r] && !in(l) {
			return fmt.Errorf("the body changes %s, which the proof does not list", l.name(e.t))
		}
	}
	if e.st.result != head.result {
		return errors.New("the body changes the result, which it may not")
	}
	for i := range e.st.mem {
		m, h, name := &e.st.mem[i], &head.mem[i], e.regions[i].name
		if m.whole != h.whole && !in(WholeLoc(name)) {
			return fmt.Errorf("the body changes %s, which the proof does not list", name)
		}
		for p := range m.cells {
			if l := MemLoc(name, p, 1); !m.cells[p].same(h.cells[p]) && !in(l) {
				return fmt.Errorf("the body changes %s, which the proof does not list", l.name(e.t))
			}
		}
	}
	return nil
}
