package machine

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// actual is where a pointer argument points.
type actual struct {
	p   Param
	ri  int
	off int
}

// call applies the contract of a verified routine, after logic.md 30 (d) and 33.
//
// Each pointer argument is a region's address plus a constant, with room for the parameter; what the routine writes is
// writable; what it reads is initialised, and public where the contract says so. Two arguments of which one is written
// are disjoint, or the same place as one of the routine's verified alias patterns says. (Two that are only read may
// overlap anyhow: the routine's run distinguishes their contents only by variables, which may be equal.) Its Requires
// is an obligation, its leaks must be public or explained by ours.
//
// Then outputs are new variables, under its Ensures; scratch memory is undefined, or zero where the routine leaves
// zero; all flags and all registers that it does not preserve are undefined. The call instruction itself writes only
// below the stack pointer or to LR, which are no places of the model.
func (e *exec) call(c Call) error {
	e.stats.Calls++
	if err := e.upperClean(); err != nil {
		return err
	}
	v := c.To.v
	params := v.prog.Contract.Params()
	args := make([]logic.Term, len(params))
	var ptrs []actual
	for i, p := range params {
		r, ok := e.t.paramReg(i)
		if !ok {
			return fmt.Errorf("%s has no register", p.Name)
		}
		if args[i] = e.st.regs[r]; args[i].IsZero() {
			return fmt.Errorf("%s: %s is undefined here", p.Name, e.t.regName(r))
		}
		if p.Value {
			if err := e.requirePublic(args[i], "by-value argument "+p.Name); err != nil {
				return err
			}
			continue
		}
		a, err := e.pointer(p, args[i])
		if err != nil {
			return err
		}
		ptrs = append(ptrs, a)
	}
	pat, err := matchPattern(v.prog.Contract, ptrs)
	if err != nil {
		return err
	}

	sub := map[logic.Term]logic.Term{}
	for i, p := range params {
		if p.Value {
			sub[pat.Arg(p.Name)] = args[i]
		}
	}
	for _, a := range ptrs {
		if a.p.Mode.Reads() {
			if err := e.passInput(pat, a, sub); err != nil {
				return err
			}
		}
	}
	for i, q := range pat.Requires() {
		if err := e.oblige(fmt.Sprintf("%s requires %d", v.name(), i), logic.Subst(q, sub)); err != nil {
			return err
		}
	}
	for i, l := range pat.Leaks() {
		if err := e.requirePublic(logic.Subst(l, sub), fmt.Sprintf("leak %d of %s", i, v.name())); err != nil {
			return err
		}
	}

	for _, a := range ptrs {
		e.returnOutput(c, v, pat, a, sub)
	}
	for _, r := range e.t.regs {
		if !slices.Contains(v.prog.Preserves, r) {
			e.st.regs[r] = logic.Term{}
		}
	}
	e.st.flags = [numFlags]logic.Term{}
	if res, public := v.prog.Contract.Result(); res != "" {
		r, _ := e.t.paramReg(0)
		e.st.regs[r] = e.fresh(c.Site+"."+res, logic.BV(64), public)
		sub[pat.Result()] = e.st.regs[r]
	}
	for i, f := range pat.Ensures() {
		f = logic.Subst(f, sub)
		if err := f.Err(); err != nil { // the routine's proof has been dropped with its generation
			return fmt.Errorf("%s ensures %d: %w", v.name(), i, err)
		}
		e.assume(f)
	}
	for a := range v.axioms {
		e.axioms[a] = true
	}
	return nil
}

// pointer resolves a pointer argument.
func (e *exec) pointer(p Param, t logic.Term) (actual, error) {
	ri, off, err := e.resolve(t)
	if err != nil {
		return actual{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	r := &e.regions[ri]
	if r.whole {
		return actual{}, fmt.Errorf("%s: the contents of %s are an Int, which is not passed on", p.Name, r.name)
	}
	o, isConst, err := e.constOffset(r, off, p.Bytes)
	if err != nil {
		return actual{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	if !isConst {
		return actual{}, fmt.Errorf("%s: offset %s in %s is not constant", p.Name, side(off), r.name)
	}
	if p.Mode != contract.ModeIn && !r.writable {
		return actual{}, fmt.Errorf("%s: %s is read-only", p.Name, r.name)
	}
	return actual{p, ri, o}, nil
}

// matchPattern finds the alias pattern that the arguments make. A pattern has exactly one written parameter
// (contract.checkAlias), and every pair noted here has a written one: so all parameters of a pattern that is found are at
// the place of that one.
func matchPattern(c Contract, ptrs []actual) (contract.Pattern, error) {
	var same []string // the parameters that coincide with a written one
	note := func(name string) {
		if !slices.Contains(same, name) {
			same = append(same, name)
		}
	}
	for i, a := range ptrs {
		for _, b := range ptrs[:i] {
			if a.ri != b.ri || a.off+a.p.Bytes <= b.off || b.off+b.p.Bytes <= a.off ||
				a.p.Mode == contract.ModeIn && b.p.Mode == contract.ModeIn {
				continue
			}
			if a.off != b.off || a.p.Bytes != b.p.Bytes {
				return contract.Pattern{}, fmt.Errorf("arguments %s and %s overlap", b.p.Name, a.p.Name)
			}
			note(b.p.Name)
			note(a.p.Name)
		}
	}
	slices.Sort(same)
	for _, p := range c.Patterns() {
		names := p.Names()
		slices.Sort(names)
		if slices.Equal(names, same) {
			return p, nil
		}
	}
	return contract.Pattern{}, fmt.Errorf("arguments %v overlap: %s is not verified for this alias pattern", same, c.Name())
}

// passInput substitutes the contents of an input for the routine's variables.
func (e *exec) passInput(pat contract.Pattern, a actual, sub map[logic.Term]logic.Term) error {
	for i, x := range pat.Before(a.p.Name) {
		o := a.off + i*a.p.Elem
		t := e.st.mem[a.ri].load(o, a.p.Elem)
		if t.IsZero() {
			return fmt.Errorf("%s: %s[%d:%d] is uninitialised", a.p.Name, e.regions[a.ri].name, o, o+a.p.Elem)
		}
		if a.p.Public {
			if err := e.requirePublic(t, "public input "+a.p.Name); err != nil {
				return err
			}
		}
		sub[x] = t
	}
	return nil
}

// returnOutput gives what the routine writes its new contents.
func (e *exec) returnOutput(c Call, v *verified, pat contract.Pattern, a actual, sub map[logic.Term]logic.Term) {
	m, r := &e.st.mem[a.ri], &e.regions[a.ri]
	if a.p.Mode == contract.ModeScratch {
		for i := range a.p.Bytes {
			var b logic.Term
			if v.zeroed[a.p.Name][i] {
				b = logic.BVUint(8, 0)
			}
			m.store(a.off+i, 1, b)
		}
		return
	}
	for i, x := range pat.After(a.p.Name) {
		t := e.fresh(fmt.Sprintf("%s.%s[%d]", c.Site, a.p.Name, i), x.Sort(), a.p.Public)
		sub[x] = t
		m.store(a.off+i*a.p.Elem, a.p.Elem, t)
		if !a.p.Public {
			r.touch(a.off+i*a.p.Elem, a.p.Elem)
		}
	}
}
