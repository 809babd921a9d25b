package mutate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// AlterationKind is a kind of change of a postcondition.
type AlterationKind uint8

// The kinds. None of them makes a postcondition weaker on purpose.
const (
	Bound    AlterationKind = iota // an inequality, tighter by one: r < m − 1
	Value                          // a value that is off by one, or doubled: R·r ≡ a·b + 1
	Sign                           // the negative of a value: r ≡ −a·b
	Modulus                        // of a congruence: m + 2
	Summand                        // one summand of a value left out, doubled or negated: a word, or a product of words
	Exchange                       // two words exchanged: of one number, or of an output and an input
	Case                           // a case distinction: a premise dropped, the branches of a choice exchanged
	Denial                         // the opposite
	NumAlterationKinds
)

var alterationNames = [NumAlterationKinds]string{"bound", "value", "sign", "modulus", "summand", "exchanged words", "case", "denial"}

func (k AlterationKind) String() string {
	if k >= NumAlterationKinds {
		return fmt.Sprintf("AlterationKind(%d)", uint8(k))
	}
	return alterationNames[k]
}

// Alteration is a contract that differs from another one in one postcondition under one alias pattern.
type Alteration struct {
	Kind     AlterationKind
	Contract machine.Contract // the one that is altered
	Pattern  int              // number of the alias pattern
	Ensures  int              // number of the postcondition
	What     string           // what is done to it
	Term     logic.Term       // what it becomes, over the variables of Contract
}

// String says what is altered, and where.
func (a Alteration) String() string {
	s := fmt.Sprintf("ensures %d", a.Ensures)
	if ps := a.Contract.Patterns(); a.Pattern < len(ps) && ps[a.Pattern].Names() != nil {
		s += " with " + strings.Join(ps[a.Pattern].Names(), " = ")
	}
	return s + ": " + a.What
}

// Trial is the altered contract. It is none that anything could be emitted for (machine.Trial).
func (a Alteration) Trial() (machine.Contract, error) {
	return trial(a.Contract, -1, func(pattern int, ensures []logic.Term) {
		if pattern == a.Pattern {
			ensures[a.Ensures] = a.Term
		}
	})
}

// Alterations lists the alterations of a contract, in the same order in every run.
func Alterations(c machine.Contract) (as []Alteration) {
	for pi, p := range c.Patterns() {
		for ei, t := range p.Ensures() {
			seen := map[logic.Term]bool{t: true, logic.True(): true}
			d := &alterer{c: c, p: p, emit: func(k AlterationKind, what string, x logic.Term) {
				if x.Err() == nil && !seen[x] {
					seen[x] = true
					as = append(as, Alteration{k, c, pi, ei, what, x})
				}
			}}
			d.formula(t, true, d.emit)
			d.words(t)
			d.emit(Denial, "denied", logic.Not(t))
		}
	}
	return as
}

type emitter func(k AlterationKind, what string, x logic.Term)

type alterer struct {
	c    machine.Contract
	p    pattern
	emit emitter
}

// formula alters a part of a postcondition. It stands in a positive place if the postcondition is the stronger, the
// stronger it is. emit gets the altered part.
func (d *alterer) formula(t logic.Term, positive bool, emit emitter) {
	switch t.Op() {
	case logic.OpNot:
		d.formula(t.Arg(0), !positive, func(k AlterationKind, what string, x logic.Term) { emit(k, what, logic.Not(x)) })
	case logic.OpAnd:
		for i := range t.NumArgs() {
			others := slices.Delete(t.Args(), i, i+1)
			d.formula(t.Arg(i), positive, func(k AlterationKind, what string, x logic.Term) {
				emit(k, what, logic.And(append(others[:len(others):len(others)], x)...))
			})
			if !positive {
				emit(Case, "without the premise "+t.Arg(i).Format(8), logic.And(others...))
			}
		}
	case logic.OpIte:
		emit(Case, "branches exchanged", logic.Ite(t.Arg(0), t.Arg(2), t.Arg(1)))
	case logic.OpGe0:
		if positive {
			emit(Bound, "tighter by 1", logic.Ge0(logic.Sub(t.Arg(0), logic.N(1))))
		} else {
			emit(Bound, "premise wider by 1", logic.Ge0(logic.Add(t.Arg(0), logic.N(1))))
		}
	case logic.OpEq0:
		d.polynomial(t.Arg(0), logic.Eq0, emit)
	case logic.OpDvd:
		p, m := t.Arg(0), t.Arg(1)
		d.polynomial(p, func(q logic.Term) logic.Term { return logic.Cong(q, logic.N(0), m) }, emit)
		for _, by := range []int64{2, -2} {
			emit(Modulus, fmt.Sprintf("modulus %+d", by), logic.Cong(p, logic.N(0), logic.Add(m, logic.N(by))))
		}
		emit(Modulus, "modulus doubled", logic.Cong(p, logic.N(0), logic.Mul(logic.N(2), m)))
	case logic.OpEq:
		d.equation(t.Arg(0), t.Arg(1), emit)
	}
}

// equation alters an equation of bit-vectors.
func (d *alterer) equation(a, b logic.Term, emit emitter) {
	if a.Sort().Kind() != logic.KindBV {
		return
	}
	emit(Value, "value + 1", logic.Eq(a, logic.BVAdd(b, logic.BVUint(b.Width(), 1))))
	for _, side := range []struct {
		name        string
		this, other logic.Term
	}{{"left", a, b}, {"right", b, a}} {
		if t := side.this; t.Op() == logic.OpIte {
			emit(Case, "branches on the "+side.name+" exchanged", logic.Eq(side.other, logic.Ite(t.Arg(0), t.Arg(2), t.Arg(1))))
			d.formula(t.Arg(0), false, func(k AlterationKind, what string, x logic.Term) {
				emit(k, "condition on the "+side.name+": "+what, logic.Eq(side.other, logic.Ite(x, t.Arg(1), t.Arg(2))))
			})
		}
	}
}

// polynomial alters p, of which the formula says that it is zero, or zero modulo something.
func (d *alterer) polynomial(p logic.Term, is func(logic.Term) logic.Term, emit emitter) {
	for _, by := range []int64{1, -1} {
		emit(Value, fmt.Sprintf("value %+d", by), is(logic.Add(p, logic.N(by))))
	}
	ms := p.Monomials()
	changed := func(by int64, which func(i int) bool) logic.Term {
		r := slices.Clone(ms)
		for i := range r {
			if which(i) {
				r[i].Coef = new(big.Int).Mul(r[i].Coef, big.NewInt(by))
			}
		}
		return is(logic.FromMonomials(r))
	}
	output := make([]bool, len(ms))
	for i, m := range ms {
		output[i] = slices.ContainsFunc(m.Atoms, d.speaksOfOutput)
	}
	input := func(i int) bool { return !output[i] }
	emit(Sign, "negative of the value", changed(-1, input))
	emit(Value, "value doubled", changed(2, input))
	for i, m := range ms {
		name := monomial(m)
		this := func(j int) bool { return i == j }
		emit(Summand, "without "+name, changed(0, this))
		emit(Summand, "twice "+name, changed(2, this))
		emit(Summand, "minus "+name, changed(-1, this))
	}
}

// monomial names a monomial by its variables.
func monomial(m logic.Monomial) string {
	var names []string
	for _, a := range m.Atoms {
		for _, v := range logic.FreeVars(a) {
			names = append(names, v.Name())
		}
	}
	if names == nil {
		return "the constant"
	}
	return strings.Join(names, "·")
}

func (d *alterer) speaksOfOutput(t logic.Term) bool {
	return slices.ContainsFunc(logic.FreeVars(t), func(v logic.Term) bool {
		return v == d.p.Result() || slices.ContainsFunc(d.c.Params(), func(q machine.Param) bool { return slices.Contains(d.p.After(q.Name), v) })
	})
}

// words exchanges variables.
func (d *alterer) words(t logic.Term) {
	occurs := map[logic.Term]bool{}
	for _, v := range logic.FreeVars(t) {
		occurs[v] = true
	}
	exchange := func(a, b logic.Term) {
		if a.Sort() == b.Sort() && (occurs[a] || occurs[b]) {
			d.emit(Exchange, a.Name()+" and "+b.Name()+" exchanged", logic.Subst(t, map[logic.Term]logic.Term{a: b, b: a}))
		}
	}
	for _, q := range d.c.Params() {
		after := d.p.After(q.Name)
		for i := range after {
			exchange(after[i], after[(i+1)%len(after)])
			for _, in := range d.c.Params() {
				if before := d.p.Before(in.Name); in.Mode.Reads() && i < len(before) {
					exchange(after[i], before[i])
				}
			}
		}
		if before := d.p.Before(q.Name); q.Mode.Reads() {
			for i := range before {
				exchange(before[i], before[(i+1)%len(before)])
			}
		}
	}
}

// trial makes a contract that looks like c but for what alter does to the postconditions under each alias pattern, and
// without precondition number drop, or with all of them if that is negative.
func trial(c machine.Contract, drop int, alter func(pattern int, ensures []logic.Term)) (machine.Contract, error) {
	if c.IsZero() || c.Internal() {
		return machine.Contract{}, errors.New("mutate: only contracts of functions that Go can call are altered")
	}
	f := machine.Func{Name: c.Name(), Doc: c.Doc(), Params: c.Params(), Witness: func() map[string]*big.Int {
		w := map[string]*big.Int{}
		for _, q := range c.Params() {
			if q.Value || q.Mode.Reads() {
				w[q.Name] = c.Witness(q.Name)
			}
		}
		return w
	}}
	f.Result, f.ResultPublic = c.Result()
	var ps []pattern
	for i, p := range c.Patterns() {
		if ps = append(ps, p); i > 0 {
			f.Alias = append(f.Alias, p.Names())
		}
	}
	// terms gives terms of c the variables of the new contract.
	terms := func(e machine.Env, after bool, of func(i int, p pattern) []logic.Term) []logic.Term {
		i := slices.IndexFunc(ps, func(p pattern) bool { return slices.Equal(p.Names(), e.Aliased()) })
		s := logic.NewSubst(variables(c, ps[i], e, after))
		ts := of(i, ps[i])
		for j, t := range ts {
			ts[j] = s.Apply(t)
		}
		return ts
	}
	f.Requires = func(e machine.Env) []logic.Term {
		return terms(e, false, func(_ int, p pattern) []logic.Term {
			ts := p.Requires()
			if drop >= 0 && drop < len(ts) {
				ts = slices.Delete(ts, drop, drop+1)
			}
			return ts
		})
	}
	f.Leaks = func(e machine.Env) []logic.Term {
		return terms(e, false, func(_ int, p pattern) []logic.Term { return p.Leaks() })
	}
	f.Ensures = func(e machine.Env) []logic.Term {
		return terms(e, true, func(i int, p pattern) []logic.Term {
			ts := p.Ensures()
			alter(i, ts)
			return ts
		})
	}
	return machine.Trial(f)
}

// variables maps the variables of c, under a pattern, to those of e.
func variables(c machine.Contract, p pattern, e machine.Env, after bool) map[logic.Term]logic.Term {
	sub := map[logic.Term]logic.Term{}
	region := func(e machine.Env, q machine.Param, vars []logic.Term) {
		for i, v := range vars {
			if q.IsInt() {
				sub[v] = e.LE(q.Name)
			} else {
				sub[v] = e.Bytes(q.Name, i*q.Elem, q.Elem)
			}
		}
	}
	for _, q := range c.Params() {
		if q.Value {
			sub[p.Arg(q.Name)] = e.Arg(q.Name)
			continue
		}
		if q.Mode.Reads() {
			region(e, q, p.Before(q.Name))
		}
		if after && q.Mode.Returns() {
			region(e.After(), q, p.After(q.Name))
		}
	}
	if name, _ := c.Result(); after && name != "" {
		sub[p.Result()] = e.Result()
	}
	return sub
}
