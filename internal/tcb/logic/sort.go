package logic

import (
	"fmt"
	"strings"
	"sync"
)

// Kind is the kind of a sort.
type Kind uint8

// The kinds of sorts.
const (
	KindBool  Kind = iota + 1
	KindInt        // the integers, unbounded
	KindBV         // bit-vectors of a fixed width
	KindTuple      // tuples of fixed sorts
)

// MaxWidth is the largest width of a bit-vector.
const MaxWidth = 1 << 16

// Sort is the type of a term. The zero Sort is none.
type Sort struct{ s *sortNode }

type sortNode struct {
	kind  Kind
	width int
	elems []Sort
	size  int // number of component sorts, nested ones included
	key   string
	hash  uint64
}

var sorts = struct {
	sync.Mutex
	m map[string]*sortNode
}{m: map[string]*sortNode{}}

func internSort(n sortNode) Sort {
	sorts.Lock()
	defer sorts.Unlock()
	if s, ok := sorts.m[n.key]; ok {
		return Sort{s}
	}
	n.hash = hashString(hashSeed, n.key)
	sorts.m[n.key] = &n
	return Sort{&n}
}

var (
	boolSort = internSort(sortNode{kind: KindBool, key: "Bool"})
	intSort  = internSort(sortNode{kind: KindInt, key: "Int"})
	bvSorts  = func() (a [513]Sort) { // the common widths, without a lock
		for n := 1; n < len(a); n++ {
			a[n] = internSort(sortNode{kind: KindBV, width: n, key: fmt.Sprintf("BV%d", n)})
		}
		return
	}()
)

// Bool is the sort of truth values.
func Bool() Sort { return boolSort }

// Int is the sort of integers.
func Int() Sort { return intSort }

// BV is the sort of bit-vectors of n bits, 1 ≤ n ≤ MaxWidth; any other n gives the zero Sort.
func BV(n int) Sort {
	if n < 1 || n > MaxWidth {
		return Sort{}
	}
	if n < len(bvSorts) {
		return bvSorts[n]
	}
	return internSort(sortNode{kind: KindBV, width: n, key: fmt.Sprintf("BV%d", n)})
}

// maxElems bounds the components of a tuple sort, nested ones included: nesting would double it at every step.
const maxElems = 1 << 16

// TupleOf is the sort of tuples with the given component sorts, at least one and, with those of nested tuples, at most
// 2¹⁶; anything else gives the zero Sort.
func TupleOf(elems ...Sort) Sort {
	size := 0
	for _, e := range elems {
		if e.s == nil {
			return Sort{}
		}
		if size += 1 + e.s.size; size > maxElems {
			return Sort{}
		}
	}
	if size == 0 {
		return Sort{}
	}
	var b strings.Builder
	b.WriteString("(")
	for i, e := range elems {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(e.s.key)
	}
	b.WriteString(")")
	return internSort(sortNode{kind: KindTuple, elems: append([]Sort(nil), elems...), size: size, key: b.String()})
}

// Kind is the sort's kind, 0 for the zero Sort.
func (s Sort) Kind() Kind {
	if s.s == nil {
		return 0
	}
	return s.s.kind
}

// Width is the number of bits of a bit-vector sort, 0 for other sorts.
func (s Sort) Width() int {
	if s.s == nil {
		return 0
	}
	return s.s.width
}

// Elems lists the component sorts of a tuple sort.
func (s Sort) Elems() []Sort {
	if s.s == nil {
		return nil
	}
	return append([]Sort(nil), s.s.elems...)
}

func (s Sort) String() string {
	if s.s == nil {
		return "<no sort>"
	}
	return s.s.key
}
