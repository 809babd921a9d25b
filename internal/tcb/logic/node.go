package logic

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"
)

// Op says what a term is made with.
type Op uint8

// The term formers.
const (
	opInvalid Op = iota
	OpVar
	OpConst // a Bool or BV constant
	OpPoly  // an Int: a sum of monomials that is no single atom; constants are the empty and the one-monomial sum
	// Bool
	OpNot
	OpAnd // two or more conjuncts, none an OpAnd, ordered
	OpEq  // equality on Bool, BV and Tuple
	OpEq0 // p = 0
	OpGe0 // 0 ≤ p
	OpDvd // p, m: m divides p
	OpUlt
	OpSlt
	// any sort
	OpIte
	OpApp
	OpProj
	OpTuple
	// Int
	OpUint
	OpSint
	OpDiv
	OpMod
	// BV
	OpBVAdd
	OpBVMul
	OpBVNeg
	OpBVNot
	OpBVAnd
	OpBVOr
	OpBVXor
	OpShl   // by the constant Lo
	OpLshr  //
	OpAshr  //
	OpRotr  //
	OpLshrV // by a term
	OpConcat
	OpExtract // bits Hi..Lo
	OpSext
	OpLookup
	OpToBV // of an Int, modulo 2ⁿ
	// Int
	OpExpmod // x, k, m
)

type node struct {
	op     Op
	closed bool // no variables
	depth  uint32
	sort   Sort
	args   []*node
	u      uint64 // Bool and BV constant of ≤ 64 bits; Hi<<32|Lo; shift amount; component; serial number of a Fresh variable
	x      any    // nil, string (variable), *big.Int (wide constant), *def, *table, error
	poly   []mono
	hash   uint64 // structural
	id     uint64
	gen    *generation
	next   *node // in its bucket
}

// mono is c times the product of v, ordered by cmpNode, repeated for powers.
type mono struct {
	c num
	v []*node
}

// Term is a handle on a hash-consed term.
type Term struct{ n *node }

const shards = 64

type generation struct {
	dead   atomic.Bool
	shards [shards]struct {
		sync.Mutex
		m map[uint64]*node
	}
}

var (
	base     = new(generation)
	current  atomic.Pointer[generation] // nil: base
	lastID   atomic.Uint64
	numTerms atomic.Int64

	freshSerial atomic.Uint64 // numbers Fresh variables; 0 is for named ones
)

// Generation is a span of time whose terms are dropped together.
type Generation struct{ g *generation }

// NewGeneration opens a generation; it fails while another one is open.
func NewGeneration() (Generation, error) {
	g := new(generation)
	if !current.CompareAndSwap(nil, g) {
		return Generation{}, errors.New("logic: a generation is open already")
	}
	return Generation{g}, nil
}

// Drop closes the generation: its terms become stale and their memory is given back.
func (g Generation) Drop() {
	if g.g == nil || g.g.dead.Swap(true) {
		return
	}
	current.CompareAndSwap(g.g, nil)
	for i := range g.g.shards {
		s := &g.g.shards[i]
		s.Lock()
		for _, n := range s.m {
			for ; n != nil; n = n.next {
				numTerms.Add(-1)
			}
		}
		s.m = nil
		s.Unlock()
	}
}

// NumTerms is the number of terms in the store.
func NumTerms() int { return int(numTerms.Load()) }

func hashNode(n *node) uint64 {
	h := mix(hashSeed^uint64(n.op), n.sort.s.hash)
	if n.op != OpVar { // a Fresh variable's number depends on scheduling: the order of terms must not
		h = mix(h, n.u)
	}
	switch x := n.x.(type) {
	case string:
		h = hashString(h, x)
	case *big.Int:
		h = hashBig(h, x)
	case *def:
		h = mix(h, x.hash)
	case *table:
		h = mix(h, x.hash)
	}
	for _, a := range n.args {
		h = mix(h, a.hash)
	}
	for _, m := range n.poly {
		h = m.c.hash(h)
		for _, v := range m.v {
			h = mix(h, v.hash)
		}
		h = mix(h, uint64(len(m.v)))
	}
	return h
}

// same is full structural comparison; arguments are interned already, so they are compared as pointers.
func same(a, b *node) bool {
	if a.op != b.op || a.sort != b.sort || a.u != b.u || len(a.args) != len(b.args) || len(a.poly) != len(b.poly) {
		return false
	}
	switch x := a.x.(type) {
	case *big.Int:
		y, ok := b.x.(*big.Int)
		if !ok || x.Cmp(y) != 0 {
			return false
		}
	default:
		if a.x != b.x {
			return false
		}
	}
	for i := range a.args {
		if a.args[i] != b.args[i] {
			return false
		}
	}
	for i := range a.poly {
		if !a.poly[i].c.eq(b.poly[i].c) || cmpVars(a.poly[i].v, b.poly[i].v) != 0 {
			return false
		}
	}
	return true
}

// bucket is where n is stored: Fresh variables share structural hashes.
func (n *node) bucket() uint64 {
	if n.op == OpVar {
		return mix(n.hash, n.u)
	}
	return n.hash
}

func (g *generation) get(n *node) *node {
	k := n.bucket()
	s := &g.shards[k%shards]
	s.Lock()
	defer s.Unlock()
	for m := s.m[k]; m != nil; m = m.next {
		if same(m, n) {
			return m
		}
	}
	return nil
}

func (g *generation) getOrPut(n *node) *node {
	k := n.bucket()
	s := &g.shards[k%shards]
	s.Lock()
	defer s.Unlock()
	first := s.m[k]
	for m := first; m != nil; m = m.next {
		if same(m, n) {
			return m
		}
	}
	if s.m == nil {
		if g.dead.Load() {
			stale := *n // not stored; Term.Err refuses it
			return &stale
		}
		s.m = map[uint64]*node{}
	}
	stored := *n // n itself stays on its caller's stack
	stored.id, stored.gen, stored.next = lastID.Add(1), g, first
	s.m[k] = &stored
	numTerms.Add(1)
	return &stored
}

// intern returns the stored node equal to n, storing n if there is none. Arguments must be valid. A term belongs to the
// generation of its arguments; if a concurrent Drop made one of them stale, so is the term.
func intern(n node) *node {
	n.closed = n.op != OpVar
	g := base
	arg := func(a *node) {
		n.closed = n.closed && a.closed
		n.depth = max(n.depth, a.depth)
		if a.gen != base && (g == base || !g.dead.Load()) {
			g = a.gen
		}
	}
	for _, a := range n.args {
		arg(a)
	}
	for _, m := range n.poly {
		for _, v := range m.v {
			arg(v)
		}
	}
	n.depth++
	n.hash = hashNode(&n)
	if open := current.Load(); open != nil && g == base && n.op != OpVar {
		if m := base.get(&n); m != nil {
			return m
		}
		g = open
	}
	n.gen = g
	return g.getOrPut(&n)
}

// cmpNode orders nodes by structural hash, so that the order doesn't depend on scheduling.
func cmpNode(a, b *node) int {
	switch {
	case a == b:
		return 0
	case a.hash < b.hash:
		return -1
	case a.hash > b.hash:
		return 1
	}
	return cmpTie(a, b)
}

// cmpTie orders different nodes of one hash, usually the same but for Fresh variables of one name: by the first of
// their parts that differ, variables by number, in the end by id. Each step compares one pair of parts only.
func cmpTie(a, b *node) int {
	if c := cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.u, b.u), cmp.Compare(len(a.args), len(b.args)), cmp.Compare(len(a.poly), len(b.poly))); c != 0 {
		return c
	}
	for i := range a.args {
		if a.args[i] != b.args[i] {
			return cmpNode(a.args[i], b.args[i])
		}
	}
	for i := range a.poly {
		if c := cmpVars(a.poly[i].v, b.poly[i].v); c != 0 {
			return c
		}
	}
	if a.id < b.id {
		return -1
	}
	return 1
}

// cmpVars orders products: by degree, then lexicographically.
func cmpVars(a, b []*node) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return cmpNode(a[i], b[i])
		}
	}
	return 0
}

// invalid makes an ill-formed term; it isn't stored.
func invalid(format string, args ...any) Term {
	return Term{&node{op: opInvalid, x: fmt.Errorf("ill-formed term: "+format, args...)}}
}

// maxDepth bounds the nesting of terms, which is walked recursively: a stack overflow would end the process.
const maxDepth = 1 << 18

var errZero = errors.New("ill-formed term: zero Term")

// Err is nil for a well-formed term that is not stale and not nested too deeply.
func (t Term) Err() error {
	switch {
	case t.n == nil:
		return errZero
	case t.n.op == opInvalid:
		return t.n.x.(error)
	case t.n.gen != base && t.n.gen.dead.Load():
		return errors.New("ill-formed term: stale, its generation was dropped")
	case t.n.depth > maxDepth:
		return fmt.Errorf("ill-formed term: nested deeper than %d", maxDepth)
	}
	return nil
}

// IsZero tells the zero Term, which is no term.
func (t Term) IsZero() bool { return t.n == nil }

// check returns the first invalid term among ts, as a valid-to-return Term, and false; or true.
func check(ts ...Term) (Term, bool) {
	for _, t := range ts {
		if err := t.Err(); err != nil {
			if t.n != nil && t.n.op == opInvalid {
				return t, false
			}
			return Term{&node{op: opInvalid, x: err}}, false
		}
	}
	return Term{}, true
}

func nodes(ts []Term) []*node {
	r := make([]*node, len(ts))
	for i, t := range ts {
		r[i] = t.n
	}
	return r
}

// ---- access; whatever is returned is a copy

// Op is the term's top operation, 0 for an invalid or zero term.
func (t Term) Op() Op {
	if t.n == nil {
		return opInvalid
	}
	return t.n.op
}

// Sort is the term's sort.
func (t Term) Sort() Sort {
	if t.n == nil {
		return Sort{}
	}
	return t.n.sort
}

// Width is the width of a bit-vector term, else 0.
func (t Term) Width() int { return t.Sort().Width() }

// NumArgs is the number of arguments; a polynomial has none.
func (t Term) NumArgs() int {
	if t.n == nil {
		return 0
	}
	return len(t.n.args)
}

// Arg is the i-th argument, the zero Term if there is none.
func (t Term) Arg(i int) Term {
	if t.n == nil || i < 0 || i >= len(t.n.args) {
		return Term{}
	}
	return Term{t.n.args[i]}
}

// Args lists the arguments.
func (t Term) Args() []Term {
	if t.n == nil {
		return nil
	}
	r := make([]Term, len(t.n.args))
	for i, a := range t.n.args {
		r[i] = Term{a}
	}
	return r
}

// Hi and Lo are the bounds of an OpExtract; Lo is the amount of a shift and the component of an OpProj.
func (t Term) Hi() int {
	if t.Op() != OpExtract {
		return 0
	}
	return int(t.n.u >> 32)
}

// Lo is explained at Hi.
func (t Term) Lo() int {
	switch t.Op() {
	case OpExtract, OpShl, OpLshr, OpAshr, OpRotr, OpProj:
		return int(uint32(t.n.u))
	}
	return 0
}

// Name is a variable's name, "" for other terms. Fresh variables may share names.
func (t Term) Name() string {
	if t.Op() != OpVar {
		return ""
	}
	return t.n.x.(string)
}

// Def is the function symbol of an OpApp, else the zero Def.
func (t Term) Def() Def {
	if t.Op() != OpApp {
		return Def{}
	}
	return Def{t.n.x.(*def)}
}

// Const is the value of a constant: 0 or 1 for Bool, 0 ≤ v < 2ⁿ for BV(n), any integer for Int.
func (t Term) Const() (*big.Int, bool) {
	if t.n == nil {
		return nil, false
	}
	if v, ok := t.n.constant(); ok {
		return new(big.Int).Set(v), true
	}
	return nil, false
}

// constant is the value of a constant; it must not be modified.
func (n *node) constant() (*big.Int, bool) {
	switch n.op {
	case OpConst:
		return n.val(), true
	case OpPoly:
		if c, ok := n.polyConst(); ok {
			return c.big(), true
		}
	}
	return nil, false
}

// val is the value of an OpConst; it must not be modified.
func (n *node) val() *big.Int {
	if b, ok := n.x.(*big.Int); ok {
		return b
	}
	return new(big.Int).SetUint64(n.u)
}

// IsClosed tells that t has no variables.
func (t Term) IsClosed() bool { return t.n != nil && t.n.op != opInvalid && t.n.closed }

// Compare orders terms by structure, the same in every run.
func Compare(a, b Term) int {
	if a.n == nil || b.n == nil {
		if a.n == b.n {
			return 0
		}
		if a.n == nil {
			return -1
		}
		return 1
	}
	return cmpNode(a.n, b.n)
}
