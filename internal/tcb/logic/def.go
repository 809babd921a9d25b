package logic

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
)

// Def is a function symbol with its definition. Symbols are handles made by Define and DefineRec, so nothing can be
// redefined, captured or used before it is defined.
type Def struct{ d *def }

type def struct {
	name   string
	hash   uint64
	params []*node // variables; the counter first when recursive
	res    Sort
	body   *node // of a plain definition
	// of a recursive one: f(n, ps) = base for n ≤ 0, else step[n := n−1, rec := f(n−1, ps)]
	rec, base, step *node
}

type table struct {
	name  string
	hash  uint64
	width int
	rows  []*big.Int
}

// Table is a constant table of bit-vectors of one width.
type Table struct{ t *table }

var symbols = struct {
	sync.Mutex
	defs   map[string]*def
	tables map[string]*table
}{defs: map[string]*def{}, tables: map[string]*table{}}

func (d *def) add() (Def, error) {
	symbols.Lock()
	defer symbols.Unlock()
	if symbols.defs[d.name] != nil {
		return Def{}, fmt.Errorf("logic: %s is defined already", d.name)
	}
	d.hash = hashString(hashSeed, d.name)
	symbols.defs[d.name] = d
	return Def{d}, nil
}

// checkParams checks that the parameters are distinct variables.
func checkParams(name string, params []Term) error {
	seen := map[Term]bool{}
	for _, p := range params {
		if p.Op() != OpVar || seen[p] {
			return fmt.Errorf("logic: %s: parameters must be distinct variables", name)
		}
		seen[p] = true
	}
	return nil
}

// checkBody checks that a body is permanent, since a definition outlives any generation, and that its free variables
// are among those allowed.
func checkBody(name string, body Term, allowed []Term) error {
	if err := body.Err(); err != nil {
		return fmt.Errorf("logic: %s: %w", name, err)
	}
	if body.n.gen != base {
		return fmt.Errorf("logic: %s: definitions are made outside a generation", name)
	}
	for _, v := range FreeVars(body) {
		if !slices.Contains(allowed, v) {
			return fmt.Errorf("logic: %s: %v is free in its body", name, v)
		}
	}
	return nil
}

// Define makes the symbol f with f(params) = body. The symbol is new, so body can't mention it.
func Define(name string, params []Term, body Term) (Def, error) {
	params = slices.Clone(params)
	if err := checkParams(name, params); err != nil {
		return Def{}, err
	}
	if err := checkBody(name, body, params); err != nil {
		return Def{}, err
	}
	return (&def{name: name, params: nodes(params), res: body.n.sort, body: body.n}).add()
}

// DefineRec makes the symbol f, total by construction: f(n, params) = base for n ≤ 0, and step[n := n−1,
// rec := f(n−1, params)] for n ≥ 1. The free variables of base are among params, those of step among n, rec, params.
func DefineRec(name string, n, rec Term, params []Term, baseCase, step Term) (Def, error) {
	ps := append([]Term{n}, params...)
	all := append([]Term{rec}, ps...)
	if err := checkParams(name, all); err != nil {
		return Def{}, err
	}
	if err := checkBody(name, baseCase, ps[1:]); err != nil {
		return Def{}, err
	}
	if err := checkBody(name, step, all); err != nil {
		return Def{}, err
	}
	if n.n.sort != intSort || rec.n.sort != baseCase.n.sort || step.n.sort != baseCase.n.sort {
		return Def{}, fmt.Errorf("logic: %s: sorts of the counter, the recursive value or the cases", name)
	}
	return (&def{name: name, params: nodes(ps), res: baseCase.n.sort, rec: rec.n, base: baseCase.n, step: step.n}).add()
}

// Name is the symbol's name.
func (d Def) Name() string {
	if d.d == nil {
		return ""
	}
	return d.d.name
}

// IsRec tells a symbol made by DefineRec.
func (d Def) IsRec() bool { return d.d != nil && d.d.rec != nil }

// App is the application of the symbol.
func (d Def) App(args ...Term) Term {
	if d.d == nil {
		return invalid("application of the zero Def")
	}
	if e, ok := check(args...); !ok {
		return e
	}
	if len(args) != len(d.d.params) {
		return invalid("%s takes %d arguments, not %d", d.d.name, len(d.d.params), len(args))
	}
	for i, a := range args {
		if a.n.sort != d.d.params[i].sort {
			return invalid("%s: argument %d has sort %v, not %v", d.d.name, i, a.n.sort, d.d.params[i].sort)
		}
	}
	return Term{app(d.d, nodes(args))}
}

func app(d *def, args []*node) *node { return intern(node{op: OpApp, sort: d.res, x: d, args: args}) }

// Unfold is the body of the symbol of an application, with the arguments put in: for f(n, ps) made by DefineRec, the
// term ite(n ≤ 0, base, step[n := n−1, rec := f(n−1, ps)]).
func Unfold(t Term) Term {
	if e, ok := check(t); !ok {
		return e
	}
	if t.n.op != OpApp {
		return invalid("unfolding %v", t)
	}
	d := t.n.x.(*def)
	s := newReplacer()
	for i, p := range d.params {
		s.m[p] = t.n.args[i]
	}
	if d.rec == nil {
		return Term{s.apply(d.body)}
	}
	base := s.apply(d.base)
	n := t.n.args[0]
	prev := sub(n, intNode(numOne))
	s = newReplacer()
	for i, p := range d.params {
		s.m[p] = t.n.args[i]
	}
	s.m[d.params[0]] = prev
	s.m[d.rec] = app(d, append([]*node{prev}, t.n.args[1:]...))
	return Term{ite(ge0(sub(intNode(num{}), n)), base, s.apply(d.step))}
}

// NewTable makes a table of the given rows, each taken modulo 2^width.
func NewTable(name string, width int, rows []*big.Int) (Table, error) {
	if BV(width).s == nil || len(rows) == 0 {
		return Table{}, fmt.Errorf("logic: table %s: width %d, %d rows", name, width, len(rows))
	}
	t := &table{name: name, hash: hashString(hashSeed, "table "+name), width: width}
	for _, r := range rows {
		if r == nil {
			return Table{}, fmt.Errorf("logic: table %s: nil row", name)
		}
		t.rows = append(t.rows, new(big.Int).And(r, new(big.Int).Sub(two(width), bigOne)))
	}
	symbols.Lock()
	defer symbols.Unlock()
	if symbols.tables[name] != nil {
		return Table{}, fmt.Errorf("logic: table %s exists already", name)
	}
	symbols.tables[name] = t
	return Table{t}, nil
}

// Lookup is the row at the value of i, a bit-vector; beyond the last row it is 0. Folds a constant index.
func Lookup(t Table, i Term) Term {
	if t.t == nil {
		return invalid("zero Table")
	}
	if e, ok := isBV(i); !ok {
		return e
	}
	return Term{lookup(t.t, i.n)}
}

func lookup(t *table, i *node) *node {
	if i.op == OpConst {
		return bvBig(t.width, t.row(i.val()))
	}
	return intern(node{op: OpLookup, sort: BV(t.width), x: t, args: []*node{i}})
}

func (t *table) row(i *big.Int) *big.Int {
	if i.IsInt64() && i.Int64() < int64(len(t.rows)) {
		return t.rows[i.Int64()]
	}
	return new(big.Int)
}
