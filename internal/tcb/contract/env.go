package contract

import (
	"errors"
	"fmt"
	"slices"

	"verum.example/internal/tcb/logic"
)

// pattern is a contract under one alias pattern. Fields are not modified once build has returned.
type pattern struct {
	names                    []string // the parameters that coincide; nil in the first pattern
	before, after            map[string][]logic.Term
	args                     map[string]logic.Term
	result                   logic.Term
	requires, ensures, leaks []logic.Term
}

// Env is what the functions of a Func see: a parameter's contents, before or after, and the arguments. A misuse (no
// such parameter, or a part of it that the contract says nothing about) makes New fail.
type Env struct {
	c     *contract
	p     *pattern
	st    *envState
	after bool
}

type envState struct {
	err      error
	noAfter  bool
	finished bool
}

func (c *contract) evaluate(f Func, names []string) error {
	p := &pattern{names: names, before: map[string][]logic.Term{}, after: map[string][]logic.Term{}, args: map[string]logic.Term{}}
	for _, q := range c.params {
		switch {
		case q.Value:
			p.args[q.Name] = logic.Fresh(q.Name, logic.BV(64))
		case p.before[q.Name] != nil: // coincides with an earlier parameter
		default:
			p.before[q.Name] = contents(q, "")
			if slices.Contains(p.names, q.Name) {
				for _, n := range p.names {
					p.before[n] = p.before[q.Name]
				}
			}
		}
		if !q.Value && q.Mode.Returns() {
			p.after[q.Name] = contents(q, "'")
		}
	}
	if c.result != "" {
		p.result = logic.Fresh(c.result, logic.BV(64))
	}

	allowed := map[logic.Term]bool{}
	for _, q := range c.params {
		if q.Value {
			allowed[p.args[q.Name]] = true
		} else if q.Mode.Reads() {
			for _, t := range p.before[q.Name] {
				allowed[t] = true
			}
		}
	}
	var err error
	if p.requires, err = c.terms(p, f.Requires, "Requires", allowed, false); err != nil {
		return err
	}
	if p.leaks, err = c.terms(p, f.Leaks, "Leaks", allowed, false); err != nil {
		return err
	}
	for _, ts := range p.after {
		for _, t := range ts {
			allowed[t] = true
		}
	}
	if c.result != "" {
		allowed[p.result] = true
	}
	if p.ensures, err = c.terms(p, f.Ensures, "Ensures", allowed, true); err != nil {
		return err
	}
	c.patterns = append(c.patterns, p)
	return nil
}

// contents are the variables for a region: one Int, or one bit-vector for each element.
func contents(q Param, tick string) []logic.Term {
	if q.IsInt() {
		return []logic.Term{logic.Fresh(q.Name+tick, logic.Int())}
	}
	ts := make([]logic.Term, q.Bytes/q.Elem)
	for i := range ts {
		ts[i] = logic.Fresh(fmt.Sprintf("%s%s[%d]", q.Name, tick, i), logic.BV(8*q.Elem))
	}
	return ts
}

// terms evaluates one function of a Func and checks what it returns.
func (c *contract) terms(p *pattern, f func(Env) []logic.Term, what string, allowed map[logic.Term]bool, after bool) ([]logic.Term, error) {
	if f == nil {
		return nil, nil
	}
	st := &envState{noAfter: !after}
	ts := slices.Clone(f(Env{c: c, p: p, st: st}))
	st.finished = true
	if st.err != nil {
		return nil, fmt.Errorf("%s: %w", what, st.err)
	}
	for i, t := range ts {
		if err := t.Err(); err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, i, err)
		}
		if what != "Leaks" && t.Sort() != logic.Bool() {
			return nil, fmt.Errorf("%s %d is no Bool but of sort %v", what, i, t.Sort())
		}
		for _, v := range logic.FreeVars(t) {
			if !allowed[v] {
				return nil, fmt.Errorf("%s %d: %s is not something that it may speak about", what, i, v.Name())
			}
		}
	}
	return ts, nil
}

func (e Env) fail(format string, args ...any) logic.Term {
	if e.st != nil && e.st.err == nil && !e.st.finished {
		e.st.err = fmt.Errorf(format, args...)
	}
	return logic.Term{}
}

// region returns a pointer parameter and the variables of its contents.
func (e Env) region(name string) (Param, []logic.Term, bool) {
	if e.st == nil {
		return Param{}, nil, false
	}
	q, ok := e.c.param(name)
	switch {
	case !ok || q.Value:
		e.fail("%s is no pointer parameter", name)
	case e.after && !q.Mode.Returns():
		e.fail("%s: the contract says nothing about its contents after", name)
	case !e.after && !q.Mode.Reads():
		e.fail("%s: the contract says nothing about its contents before", name)
	case e.after:
		return q, e.p.after[name], true
	default:
		return q, e.p.before[name], true
	}
	return Param{}, nil, false
}

// Aliased lists the parameters that coincide in the pattern under evaluation.
func (e Env) Aliased() []string {
	if e.st == nil {
		return nil
	}
	return slices.Clone(e.p.names)
}

// After is the Env of the contents after; only Ensures has one.
func (e Env) After() Env {
	if e.st != nil && e.st.noAfter {
		e.fail("only Ensures may speak about the state after")
	}
	e.after = true
	return e
}

// Result is the result, BV(64); only for Ensures.
func (e Env) Result() logic.Term {
	if e.st == nil || e.c.result == "" || e.st.noAfter {
		return e.fail("there is no result here")
	}
	return e.p.result
}

// Arg is the by-value argument, BV(64).
func (e Env) Arg(name string) logic.Term {
	if e.st == nil {
		return logic.Term{}
	}
	t, ok := e.p.args[name]
	if !ok {
		return e.fail("%s is no by-value parameter", name)
	}
	return t
}

// Uint is the by-value argument as an integer.
func (e Env) Uint(name string) logic.Term {
	if t := e.Arg(name); !t.IsZero() {
		return logic.Uint(t)
	}
	return logic.Term{}
}

// Len is the size of a region in bytes, an Int.
func (e Env) Len(name string) logic.Term {
	if e.st == nil {
		return logic.Term{}
	}
	q, ok := e.c.param(name)
	if !ok || q.Value {
		return e.fail("%s is no pointer parameter", name)
	}
	return e.p.length(q)
}

func (p *pattern) length(q Param) logic.Term {
	if q.Len != "" {
		return logic.Mul(logic.N(int64(q.Elem)), logic.Uint(p.args[q.Len]))
	}
	return logic.N(int64(q.Bytes))
}

// LE is the region's contents read as one little-endian number.
func (e Env) LE(name string) logic.Term {
	q, ts, ok := e.region(name)
	if !ok {
		return logic.Term{}
	}
	if q.IsInt() {
		return ts[0]
	}
	sum := make([]logic.Term, len(ts))
	for i, t := range ts {
		sum[i] = logic.Mul(logic.Pow2(8*q.Elem*i), logic.Uint(t))
	}
	return logic.Add(sum...)
}

// BE is the region's contents read as one big-endian number.
func (e Env) BE(name string) logic.Term {
	q, ts, ok := e.region(name)
	if !ok {
		return logic.Term{}
	}
	if q.IsInt() {
		return e.fail("%s: no big-endian number of contents that are an Int", name)
	}
	sum := make([]logic.Term, q.Bytes)
	for i := range sum {
		sum[i] = logic.Mul(logic.Pow2(8*(q.Bytes-1-i)), logic.Uint(part(q, ts, i, 1)))
	}
	return logic.Add(sum...)
}

// Word is the i-th 8-byte word of the region, BV(64).
func (e Env) Word(name string, i int) logic.Term { return e.Bytes(name, 8*i, 8) }

// Bytes are n bytes of the region from offset off, little-endian, BV(8n).
func (e Env) Bytes(name string, off, n int) logic.Term {
	q, ts, ok := e.region(name)
	if !ok {
		return logic.Term{}
	}
	if off < 0 || n < 1 || n > logic.MaxWidth/8 || off > MaxBytes || q.Len == "" && off+n > q.Bytes {
		return e.fail("%s: %d bytes at %d are outside", name, n, off)
	}
	if q.IsInt() {
		return LoadInt(ts[0], logic.N(int64(off)), n)
	}
	return part(q, ts, off, n)
}

// At are n bytes at the Int offset off of a region whose contents are an Int, little-endian, BV(8n).
func (e Env) At(name string, off logic.Term, n int) logic.Term {
	q, ts, ok := e.region(name)
	if !ok {
		return logic.Term{}
	}
	if !q.IsInt() || n < 1 || n > logic.MaxWidth/8 {
		return e.fail("%s: its contents are not an Int", name)
	}
	return LoadInt(ts[0], off, n)
}

// part are n bytes from offset off of contents ts in elements.
func part(q Param, ts []logic.Term, off, n int) logic.Term {
	var ps []logic.Term
	for n > 0 {
		lo := off % q.Elem
		k := min(n, q.Elem-lo)
		ps = append(ps, logic.Extract(8*(lo+k)-1, 8*lo, ts[off/q.Elem]))
		off, n = off+k, n-k
	}
	return logic.Concat(ps...)
}

// ---- contents that are one Int

var (
	pow256, pow256Err     = definePow256()
	storeInt, storeIntErr = defineStore()
)

// definePow256: pow256(0) = 1, pow256(n+1) = 256·pow256(n): the number of values of n bytes.
func definePow256() (logic.Def, error) {
	n, rec := logic.Fresh("n", logic.Int()), logic.Fresh("rec", logic.Int())
	return logic.DefineRec("pow256", n, rec, nil, logic.N(1), logic.Mul(logic.N(256), rec))
}

// defineStore: bytes.store(m, o, v, w) is the number m of bytes with the w bytes from offset o replaced by v.
func defineStore() (logic.Def, error) {
	m, o, v, w := logic.Fresh("m", logic.Int()), logic.Fresh("o", logic.Int()), logic.Fresh("v", logic.Int()), logic.Fresh("w", logic.Int())
	end := logic.Add(o, w)
	return logic.Define("bytes.store", []logic.Term{m, o, v, w}, logic.Add(
		logic.Mod(m, pow256.App(o)),
		logic.Mul(pow256.App(o), v),
		logic.Mul(pow256.App(end), logic.Div(m, pow256.App(end)))))
}

func init() {
	if err := errors.Join(pow256Err, storeIntErr); err != nil {
		panic(err) // another package took the names: no contract has its meaning
	}
}

// Pow256 is 256ⁿ, and 1 for n ≤ 0: a recursive definition, pow256(n+1) = 256·pow256(n). n is an Int.
func Pow256(n logic.Term) logic.Term { return pow256.App(n) }

// LoadInt are the w bytes at offset off ≥ 0 of the little-endian number m, BV(8w): ⌊m/256^off⌋ mod 256^w.
func LoadInt(m, off logic.Term, w int) logic.Term {
	if c, ok := off.Const(); ok && c.IsInt64() && c.Sign() >= 0 && c.Int64() <= MaxBytes {
		return logic.ToBV(8*w, logic.Div(m, logic.Pow2(8*int(c.Int64()))))
	}
	return logic.ToBV(8*w, logic.Div(m, Pow256(off)))
}

// StoreInt is the little-endian number m with w bytes at offset off replaced by the number v, 0 ≤ v < 256^w: the
// definition bytes.store(m, off, v, w) = m mod 256^off + 256^off·v + 256^(off+w)·⌊m/256^(off+w)⌋.
func StoreInt(m, off, v logic.Term, w int) logic.Term {
	return storeInt.App(m, off, v, logic.N(int64(w)))
}

// ---- access for machine; whatever is returned is a copy

// Pattern is a contract under one alias pattern: the variables and terms of that evaluation.
type Pattern struct{ p *pattern }

// get makes the zero Pattern an empty one.
func (p Pattern) get() *pattern {
	if p.p == nil {
		return &pattern{}
	}
	return p.p
}

// Names lists the parameters that coincide, nil in the pattern without aliases.
func (p Pattern) Names() []string { return slices.Clone(p.get().names) }

// Before are the variables of a region's contents before: one Int, or one bit-vector for each element. Of an output
// or scratch region they stand for what happens to be there; the contract says nothing about them.
func (p Pattern) Before(name string) []logic.Term { return slices.Clone(p.get().before[name]) }

// After are the variables of an output region's contents after.
func (p Pattern) After(name string) []logic.Term { return slices.Clone(p.get().after[name]) }

// Arg is the variable of a by-value argument.
func (p Pattern) Arg(name string) logic.Term { return p.get().args[name] }

// Len is the size in bytes of the region of a pointer parameter, an Int.
func (p Pattern) Len(q Param) logic.Term { return p.get().length(q) }

// Result is the variable of the result.
func (p Pattern) Result() logic.Term { return p.get().result }

// Requires are the preconditions.
func (p Pattern) Requires() []logic.Term { return slices.Clone(p.get().requires) }

// Ensures are the postconditions.
func (p Pattern) Ensures() []logic.Term { return slices.Clone(p.get().ensures) }

// Leaks are the terms over initial values that timing may depend on.
func (p Pattern) Leaks() []logic.Term { return slices.Clone(p.get().leaks) }
