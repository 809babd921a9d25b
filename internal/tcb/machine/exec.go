package machine

import (
	"errors"
	"fmt"
	"strings"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// exec is one symbolic run: one program under one alias pattern.
type exec struct {
	core
	pat contract.Pattern
	pr  Prover

	regions []region
	index   map[string]int         // region of a name; coinciding parameters share one
	bases   map[logic.Term]int     // region of a base variable
	sums    map[logic.Term]bool    // memo of hasBase
	entry   map[isa.Reg]logic.Term // value on entry of the registers that the routine preserves

	facts   []logic.Term
	isFact  map[logic.Term]int  // how often a fact is in facts
	public  map[logic.Term]bool // label of every variable of the run
	isPub   map[logic.Term]bool // memo of isPublic
	loops   map[string]map[Loc]logic.Term
	serial  int // numbers variables
	axioms  map[string]bool
	stats   Stats
	path    []string  // position in the code
	instr   isa.Instr // the instruction under execution, nil elsewhere
	pubOnly bool      // its form is PublicOnly
}

// where is the position for messages.
func (e *exec) where() string {
	s := describeRun(e.p, e.pat)
	if len(e.path) > 0 {
		s += ": " + strings.Join(e.path, ", ")
	}
	if e.instr != nil {
		s += ": " + instrString(e.instr)
	}
	return s
}

func describeRun(p *Program, pat contract.Pattern) string {
	s := p.Contract.Name() + " (" + p.Target.String()
	if p.Variant != "" {
		s += " " + p.Variant
	}
	if n := pat.Names(); n != nil {
		s += ", " + strings.Join(n, " = ")
	}
	return s + ")"
}

// at runs f with one more element in the position. After an error the position stays, for the message.
func (e *exec) at(what string, f func() error) error {
	e.path = append(e.path, what)
	if err := f(); err != nil {
		return err
	}
	e.path = e.path[:len(e.path)-1]
	return nil
}

// view is a copy of the state for the proof.
func (e *exec) view() View {
	return View{e: e, st: e.st.copy(), facts: e.facts[:len(e.facts):len(e.facts)], loops: e.loops, region: e.index}
}

// ask calls the proof; a panic in it is its error.
func (e *exec) ask(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: the proof panics: %v", what, r)
		}
	}()
	if err := f(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// ---- facts and obligations

// assume adds a fact.
func (e *exec) assume(f logic.Term) {
	e.facts = append(e.facts, f)
	e.isFact[f]++
}

// retract drops the facts from number n on and returns them.
func (e *exec) retract(n int) []logic.Term {
	old := append([]logic.Term(nil), e.facts[n:]...)
	for _, f := range old {
		if e.isFact[f]--; e.isFact[f] == 0 {
			delete(e.isFact, f)
		}
	}
	e.facts = e.facts[:n:n] // views share the array: the next assume copies it
	return old
}

// oblige demands a theorem of the proof: exactly the goal as conclusion, and only facts as hypotheses.
func (e *exec) oblige(name string, goal logic.Term) error {
	if err := goal.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if goal == logic.True() {
		return nil
	}
	e.stats.Obligations++
	var th kernel.Theorem
	g := Goal{Where: e.where(), Name: name, Hyps: append([]logic.Term(nil), e.facts...), Concl: goal, View: e.view()}
	if err := e.ask(name, func() (err error) { th, err = e.pr.Prove(g); return }); err != nil {
		return fmt.Errorf("%w\n\tgoal %s", err, side(goal))
	}
	if th.IsZero() {
		return fmt.Errorf("%s: the proof gives the zero Theorem\n\tgoal %s", name, side(goal))
	}
	if c := th.Concl(); c != goal {
		return fmt.Errorf("%s: the proof gives another theorem\n\tgoal  %s\n\tproof %s", name, side(goal), side(c))
	}
	for _, h := range th.Hyps() {
		if e.isFact[h] == 0 {
			return fmt.Errorf("%s: the proof uses a hypothesis that is no fact here\n\tgoal       %s\n\thypothesis %s", name, side(goal), side(h))
		}
	}
	for _, a := range th.Axioms() {
		e.axioms[a] = true
	}
	return nil
}

// side prints a term for a message.
func side(t logic.Term) string {
	s := t.String()
	if len(s) > 400 {
		return fmt.Sprintf("%s … (%d characters)", strings.ToValidUTF8(s[:400], ""), len(s))
	}
	return s
}

// ---- variables and labels

// fresh makes a variable.
func (e *exec) fresh(hint string, s logic.Sort, public bool) logic.Term {
	e.serial++
	v := logic.Fresh(fmt.Sprintf("%s#%d", hint, e.serial), s)
	e.public[v] = public
	return v
}

// isPublic tells that all variables of t are public.
func (e *exec) isPublic(t logic.Term) bool {
	if t.IsClosed() {
		return true
	}
	if t.Err() != nil {
		return false
	}
	if t.Op() == logic.OpVar {
		return e.public[t]
	}
	if r, ok := e.isPub[t]; ok {
		return r
	}
	r := true
	if t.Op() == logic.OpPoly {
		for _, v := range logic.FreeVars(t) {
			r = r && e.public[v]
		}
	}
	for i := 0; r && i < t.NumArgs(); i++ {
		r = e.isPublic(t.Arg(i))
	}
	e.isPub[t] = r
	return r
}

// requirePublic: t is made of public variables, or the proof shows that it is s[y := leaks], where s is.
func (e *exec) requirePublic(t logic.Term, what string) error {
	if err := t.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if e.isPublic(t) {
		return nil
	}
	var s logic.Term
	var y []logic.Term
	err := e.ask("secret "+what, func() (err error) {
		s, y, err = e.pr.Leak(LeakQuery{Where: e.where(), What: what, T: t, View: e.view()})
		y = append([]logic.Term(nil), y...)
		return
	})
	if err != nil {
		return fmt.Errorf("%w\n\tterm %s", err, side(t))
	}
	leaks := e.pat.Leaks()
	if err := s.Err(); err != nil {
		return fmt.Errorf("secret %s: the explanation is no term: %w", what, err)
	}
	if s.Sort() != t.Sort() || len(y) > len(leaks) {
		return fmt.Errorf("secret %s: the explanation has another sort, or more variables than there are leaks", what)
	}
	sub := map[logic.Term]logic.Term{}
	for i, v := range y {
		if _, dup := sub[v]; dup || v.Op() != logic.OpVar || v.Sort() != leaks[i].Sort() {
			return fmt.Errorf("secret %s: the explanation's variable %d cannot stand for leak %d", what, i, i)
		}
		sub[v] = leaks[i]
	}
	for _, v := range logic.FreeVars(s) {
		if _, ok := sub[v]; !ok && !e.public[v] {
			return fmt.Errorf("secret %s: the explanation depends on %s, which is secret\n\tterm %s", what, v.Name(), side(s))
		}
	}
	return e.oblige(what+" by the leaks", logic.Eq(t, logic.Subst(s, sub)))
}

// known: t is a term of the given sort over variables of this run.
func (e *exec) known(t logic.Term, s logic.Sort) error {
	if err := t.Err(); err != nil {
		return err
	}
	if t.Sort() != s {
		return fmt.Errorf("%s is of sort %v, not %v", side(t), t.Sort(), s)
	}
	for _, v := range logic.FreeVars(t) {
		if _, ok := e.public[v]; !ok {
			return fmt.Errorf("%s is no variable of this run", v.Name())
		}
	}
	return nil
}

// ---- code

func (e *exec) run(c Code) error {
	switch c := c.(type) {
	case Block:
		return e.block(c)
	case Seq:
		for i, x := range c {
			var err error
			switch x.(type) {
			case Block, Seq:
				err = e.at(fmt.Sprintf("part %d", i), func() error { return e.run(x) })
			default:
				err = e.run(x)
			}
			if err != nil {
				return err
			}
		}
		return nil
	case If:
		return e.branch(c)
	case Loop:
		return e.at("loop "+c.Name, func() error { return e.loop(c) })
	case Call:
		return e.at("call "+c.Site, func() error { return e.call(c) })
	case Mark:
		return e.ask("mark "+c.Name, func() error { return e.pr.Mark(c.Name, e.view()) })
	}
	return fmt.Errorf("%T is not code", c)
}

func (e *exec) block(b Block) error {
	n := len(e.path)
	e.path = append(e.path, "")
	for i, in := range b {
		e.path[n] = fmt.Sprintf("instruction %d", i)
		e.instr = in
		if e.stats.Steps++; e.stats.Steps > maxSteps {
			return errors.New("the run is too long")
		}
		info, err := e.t.describe(in)
		if err != nil {
			return err
		}
		e.pubOnly = info.Timing == isa.PublicOnly
		if err := e.t.step(cpu{e}, in); err != nil {
			return err
		}
	}
	e.instr, e.pubOnly, e.path = nil, false, e.path[:n]
	return nil
}

// cond evaluates a condition, which must be public.
func (e *exec) cond(k isa.Cond) (logic.Term, error) {
	c, err := e.t.condTerm(cpu{e}, k)
	if err != nil {
		return c, fmt.Errorf("condition %s: %w", condString(k), err)
	}
	if err := c.Err(); err != nil || c.Sort() != logic.Bool() {
		return c, fmt.Errorf("condition %s: ill-formed: %v", condString(k), err)
	}
	return c, e.requirePublic(c, "branch condition")
}

// branch runs both branches under the condition and joins their states. What became known in a branch is known after
// it only under its condition (logic.md 28).
func (e *exec) branch(c If) error {
	return e.at("if "+condString(c.Cond), func() error {
		cond, err := e.cond(c.Cond)
		if err != nil {
			return err
		}
		switch cond {
		case logic.True():
			return e.at("then", func() error { return e.run(c.Then) })
		case logic.False():
			return e.at("else", func() error { return e.run(c.Else) })
		}
		before, n := e.st.copy(), len(e.facts)
		side := func(what string, c logic.Term, code Code) (*state, []logic.Term, error) {
			e.st = before.copy()
			e.assume(c)
			err := e.at(what, func() error { return e.run(code) })
			var learned []logic.Term
			for _, f := range e.retract(n)[1:] {
				learned = append(learned, logic.Imp(c, f))
			}
			return e.st, learned, err
		}
		a, fa, err := side("then", cond, c.Then)
		if err != nil {
			return err
		}
		b, fb, err := side("else", logic.Not(cond), c.Else)
		if err != nil {
			return err
		}
		e.st = join(cond, a, b)
		e.touchJoin(a)
		for _, f := range append(fa, fb...) {
			e.assume(f)
		}
		return nil
	})
}

// touchJoin notes bytes that a join with the state a made secret: a condition that the leaks explain is no public term.
func (e *exec) touchJoin(a *state) {
	for i := range e.regions {
		m, r := &e.st.mem[i], &e.regions[i]
		if r.wipe && r.whole && m.whole != a.mem[i].whole && !e.isPublic(m.whole) {
			r.touch(0, 0)
		}
		for p, c := range m.cells {
			if r.wipe && c != a.mem[i].cells[p] && !c.poison() && !e.isPublic(c.t) {
				r.touch(p, 1)
			}
		}
	}
}
