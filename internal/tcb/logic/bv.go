package logic

import (
	"math/big"
	"slices"
)

// ---- constants

func mask64(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(w) - 1
}

func bvConst(w int, u uint64) *node {
	if w > 64 {
		return bvBig(w, new(big.Int).SetUint64(u))
	}
	return intern(node{op: OpConst, sort: BV(w), u: u & mask64(w)})
}

// bvBig is v mod 2ʷ.
func bvBig(w int, v *big.Int) *node {
	v = new(big.Int).And(v, new(big.Int).Sub(two(w), bigOne)) // And on two's complement: also right for v < 0
	if w <= 64 {
		return intern(node{op: OpConst, sort: BV(w), u: v.Uint64()})
	}
	return intern(node{op: OpConst, sort: BV(w), x: v})
}

// BVConst is the BV(n) constant v mod 2ⁿ.
func BVConst(n int, v *big.Int) Term {
	if BV(n).s == nil || v == nil {
		return invalid("constant of BV(%d)", n)
	}
	return Term{bvBig(n, v)}
}

// BVUint is the BV(n) constant u mod 2ⁿ.
func BVUint(n int, u uint64) Term {
	if BV(n).s == nil {
		return invalid("constant of BV(%d)", n)
	}
	return Term{bvConst(n, u)}
}

func (n *node) width() int { return n.sort.s.width }

func (n *node) isZero() bool {
	if n.op != OpConst || n.u != 0 {
		return false
	}
	b, ok := n.x.(*big.Int)
	return !ok || b.Sign() == 0
}

func (n *node) isU(u uint64) bool {
	if n.op != OpConst {
		return false
	}
	if b, ok := n.x.(*big.Int); ok {
		return b.IsUint64() && b.Uint64() == u
	}
	return n.u == u
}

func (n *node) isOnes() bool {
	if n.op != OpConst {
		return false
	}
	if b, ok := n.x.(*big.Int); ok {
		return b.BitLen() == n.width() && new(big.Int).Add(b, bigOne).BitLen() == n.width()+1
	}
	return n.u == mask64(n.width())
}

func isBV(ts ...Term) (Term, bool) {
	if e, ok := check(ts...); !ok {
		return e, false
	}
	for _, t := range ts {
		if t.n.sort.s.kind != KindBV {
			return invalid("%v has sort %v, not a bit-vector", t, t.n.sort), false
		}
	}
	return Term{}, true
}

func sameWidth(a, b Term) (Term, bool) {
	if e, ok := isBV(a, b); !ok {
		return e, false
	}
	if a.n.sort != b.n.sort {
		return invalid("widths %d and %d of %v and %v", a.n.width(), b.n.width(), a, b), false
	}
	return Term{}, true
}

func commutative(op Op, a, b *node) *node {
	if cmpNode(a, b) > 0 {
		a, b = b, a
	}
	return intern(node{op: op, sort: a.sort, args: []*node{a, b}})
}

// ---- arithmetic modulo 2ⁿ: binary, arguments ordered, no distribution (vectors.md §2, 5)

// BVAdd is a + b. Folds: constants, 0.
func BVAdd(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{bvAdd(a.n, b.n)}
}

func bvAdd(a, b *node) *node {
	switch {
	case a.op == OpConst && b.op == OpConst:
		if a.width() <= 64 {
			return bvConst(a.width(), a.u+b.u)
		}
		return bvBig(a.width(), new(big.Int).Add(a.val(), b.val()))
	case a.isZero():
		return b
	case b.isZero():
		return a
	}
	return commutative(OpBVAdd, a, b)
}

// BVSub is a + (−b).
func BVSub(a, b Term) Term { return BVAdd(a, BVNeg(b)) }

// BVMul is a·b. Folds: constants, 0, 1.
func BVMul(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{bvMul(a.n, b.n)}
}

func bvMul(a, b *node) *node {
	if b.op == OpConst {
		a, b = b, a
	}
	switch {
	case a.op == OpConst && b.op == OpConst:
		return bvBig(a.width(), new(big.Int).Mul(a.val(), b.val()))
	case a.isZero():
		return a
	case a.isU(1):
		return b
	}
	return commutative(OpBVMul, a, b)
}

// BVNeg is −a. Folds: constants, −−a.
func BVNeg(a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	return Term{bvNeg(a.n)}
}

func bvNeg(a *node) *node {
	switch a.op {
	case OpConst:
		return bvBig(a.width(), new(big.Int).Neg(a.val()))
	case OpBVNeg:
		return a.args[0]
	}
	return intern(node{op: OpBVNeg, sort: a.sort, args: []*node{a}})
}

// ---- bitwise: binary; they split at the boundaries of concatenations (vectors.md §2, 4)

// BVNot is the complement. Folds: constants, ¬¬a; goes into OpConcat.
func BVNot(a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	return Term{bvNot(a.n)}
}

func bvNot(a *node) *node {
	switch a.op {
	case OpConst:
		return bvBig(a.width(), new(big.Int).Not(a.val()))
	case OpBVNot:
		return a.args[0]
	case OpConcat:
		ps := make([]*node, len(a.args))
		for i, p := range a.args {
			ps[i] = bvNot(p)
		}
		return concat(ps)
	}
	return intern(node{op: OpBVNot, sort: a.sort, args: []*node{a}})
}

// BVAnd is bitwise and. Folds: constants, a∧a, 0, ~0; a constant 2ᵏ−1 gives the zero-extension of the low k bits;
// splits at concatenations.
func BVAnd(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{bitwise(OpBVAnd, a.n, b.n)}
}

// BVOr is bitwise or. Folds: constants, a∨a, 0, ~0; splits at concatenations.
func BVOr(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{bitwise(OpBVOr, a.n, b.n)}
}

// BVXor is bitwise exclusive or. Folds: constants, a⊕a, 0, ~0; splits at concatenations.
func BVXor(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{bitwise(OpBVXor, a.n, b.n)}
}

func bitwise(op Op, a, b *node) *node {
	if b.op == OpConst {
		a, b = b, a
	}
	if a.op == OpConst && b.op == OpConst {
		r := new(big.Int)
		switch op {
		case OpBVAnd:
			r.And(a.val(), b.val())
		case OpBVOr:
			r.Or(a.val(), b.val())
		case OpBVXor:
			r.Xor(a.val(), b.val())
		}
		return bvBig(a.width(), r)
	}
	switch {
	case a == b && op == OpBVXor:
		return bvConst(a.width(), 0)
	case a == b:
		return a
	case a.isZero() && op == OpBVAnd:
		return a
	case a.isZero():
		return b
	case a.isOnes() && op == OpBVAnd:
		return b
	case a.isOnes() && op == OpBVOr:
		return a
	case a.isOnes():
		return bvNot(b)
	}
	if a.op == OpConst && op == OpBVAnd {
		v := a.val()
		if k := v.BitLen(); new(big.Int).Add(v, bigOne).BitLen() == k+1 {
			return zext(a.width(), extract(k-1, 0, b))
		}
	}
	if a.op == OpConcat || b.op == OpConcat {
		var cuts []int
		for _, t := range []*node{a, b} {
			if t.op == OpConcat {
				o := 0
				for _, p := range t.args {
					o += p.width()
					cuts = append(cuts, o)
				}
			}
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		ps := make([]*node, 0, len(cuts))
		lo := 0
		for _, c := range cuts {
			ps = append(ps, bitwise(op, extract(c-1, lo, a), extract(c-1, lo, b)))
			lo = c
		}
		return concat(ps)
	}
	return commutative(op, a, b)
}

// ---- shifts and rotations by a constant k ≥ 0; an amount ≥ n gives 0, for Ashr copies of the sign

// Shl shifts left by k. Folds: k = 0, k ≥ n, constants; on OpConcat it is data movement.
func Shl(a Term, k int) Term { return shift(OpShl, a, k) }

// Lshr shifts right by k, zeros coming in. Folds as Shl.
func Lshr(a Term, k int) Term { return shift(OpLshr, a, k) }

// Ashr shifts right by k, copies of the sign coming in. Folds: k = 0, constants; k ≥ n is k = n−1.
func Ashr(a Term, k int) Term { return shift(OpAshr, a, k) }

// Rotr rotates right by k mod n. Folds: 0, constants, rotations of rotations; on OpConcat it is data movement.
func Rotr(a Term, k int) Term { return shift(OpRotr, a, k) }

func shift(op Op, a Term, k int) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	if k < 0 {
		return invalid("shift by %d", k)
	}
	return Term{shiftNode(op, a.n, k)}
}

func shiftNode(op Op, a *node, k int) *node {
	w := a.width()
	switch {
	case op == OpRotr:
		k %= w
	case op == OpAshr:
		k = min(k, w-1)
	case k >= w:
		return bvConst(w, 0)
	}
	if k == 0 {
		return a
	}
	switch {
	case op == OpAshr && a.op == OpConst:
		return bvBig(w, new(big.Int).Rsh(signed(a.val(), w), uint(k)))
	case op == OpAshr:
	case op == OpRotr && a.op == OpRotr:
		return shiftNode(OpRotr, a.args[0], int(a.u)+k)
	case a.op != OpConst && a.op != OpConcat:
	case op == OpShl:
		return concat([]*node{bvConst(k, 0), extract(w-1-k, 0, a)})
	case op == OpLshr:
		return concat([]*node{extract(w-1, k, a), bvConst(k, 0)})
	case op == OpRotr:
		return concat([]*node{extract(w-1, k, a), extract(k-1, 0, a)})
	}
	return intern(node{op: op, sort: a.sort, args: []*node{a}, u: uint64(k)})
}

// LshrV shifts right by the value of s, a bit-vector of any width; amounts ≥ n give 0. Folds a constant amount, of any
// width, to Lshr.
func LshrV(a, s Term) Term {
	if e, ok := isBV(a, s); !ok {
		return e
	}
	return Term{lshrV(a.n, s.n)}
}

func lshrV(a, s *node) *node {
	if s.op == OpConst {
		if v := s.val(); v.IsInt64() && v.Int64() < int64(a.width()) {
			return shiftNode(OpLshr, a, int(v.Int64()))
		}
		return bvConst(a.width(), 0)
	}
	return intern(node{op: OpLshrV, sort: a.sort, args: []*node{a, s}})
}

// ---- data movement

// Concat joins bit-vectors, the low part first; a single one is itself. Normal form: at least two parts, none an
// OpConcat, no two neighbours both constants or adjacent extracts of one term.
func Concat(parts ...Term) Term {
	if e, ok := isBV(parts...); !ok {
		return e
	}
	w := 0
	for _, p := range parts {
		if w += p.n.width(); w > MaxWidth {
			return invalid("concatenation wider than %d bits", MaxWidth)
		}
	}
	if w == 0 {
		return invalid("empty concatenation")
	}
	return Term{concat(nodes(parts))}
}

func concat(parts []*node) *node {
	var ps []*node
	w := 0
	add := func(p *node) {
		if n := len(ps); n > 0 {
			l := ps[n-1]
			switch {
			case l.op == OpConst && p.op == OpConst:
				lw := l.width()
				if pw := p.width(); lw+pw <= 64 {
					ps[n-1] = bvConst(lw+pw, l.u|p.u<<uint(lw))
				} else {
					ps[n-1] = bvBig(lw+pw, new(big.Int).Or(l.val(), new(big.Int).Lsh(p.val(), uint(lw))))
				}
				return
			case l.op == OpExtract && p.op == OpExtract && l.args[0] == p.args[0] && p.lo() == l.hi()+1:
				ps[n-1] = extract(p.hi(), l.lo(), l.args[0])
				return
			}
		}
		ps = append(ps, p)
	}
	for _, p := range parts {
		w += p.width()
		if p.op == OpConcat {
			for _, q := range p.args {
				add(q)
			}
		} else {
			add(p)
		}
	}
	if len(ps) == 1 {
		return ps[0]
	}
	return intern(node{op: OpConcat, sort: BV(w), args: ps})
}

func (n *node) hi() int { return int(n.u >> 32) }
func (n *node) lo() int { return int(uint32(n.u)) }

// Extract is bits hi..lo; all bits are the term itself. Goes through: constants, OpExtract, OpConcat, OpBVNot, OpBVAnd,
// OpBVOr, OpBVXor, OpSext (where the range avoids the copies, or starts at 0), OpShl and OpLshr (where the range avoids
// the zeros or lies in them).
func Extract(hi, lo int, a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	if lo < 0 || hi < lo || hi >= a.n.width() {
		return invalid("bits %d..%d of %v", hi, lo, a.n.sort)
	}
	return Term{extract(hi, lo, a.n)}
}

func extract(hi, lo int, a *node) *node { return extractMemo(hi, lo, a, nil) }

type bitRange struct {
	n      *node
	hi, lo int
}

// extractMemo remembers what it cut from bitwise operations, whose operands may share subterms: without that the time
// would be exponential in their nesting.
func extractMemo(hi, lo int, a *node, memo map[bitRange]*node) *node {
	w := hi - lo + 1
	if w == a.width() {
		return a
	}
	switch a.op {
	case OpConst:
		if a.x == nil {
			return bvConst(w, a.u>>uint(lo))
		}
		return bvBig(w, new(big.Int).Rsh(a.val(), uint(lo)))
	case OpExtract:
		return extractMemo(hi+a.lo(), lo+a.lo(), a.args[0], memo)
	case OpConcat:
		var ps []*node
		o := 0
		for _, p := range a.args {
			if l, h := max(lo-o, 0), min(hi-o, p.width()-1); l <= h {
				ps = append(ps, extractMemo(h, l, p, memo))
			}
			o += p.width()
		}
		return concat(ps)
	case OpSext:
		if hi < a.args[0].width() {
			return extractMemo(hi, lo, a.args[0], memo)
		}
		if lo == 0 {
			return sext(w, a.args[0])
		}
	case OpBVNot:
		return bvNot(extractMemo(hi, lo, a.args[0], memo))
	case OpBVAnd, OpBVOr, OpBVXor:
		k := bitRange{a, hi, lo}
		if r, ok := memo[k]; ok {
			return r
		}
		if memo == nil {
			memo = map[bitRange]*node{}
		}
		r := bitwise(a.op, extractMemo(hi, lo, a.args[0], memo), extractMemo(hi, lo, a.args[1], memo))
		memo[k] = r
		return r
	case OpShl:
		if k := int(a.u); lo >= k {
			return extractMemo(hi-k, lo-k, a.args[0], memo)
		} else if hi < k {
			return bvConst(w, 0)
		}
	case OpLshr:
		if k := int(a.u); hi+k < a.width() {
			return extractMemo(hi+k, lo+k, a.args[0], memo)
		} else if lo+k >= a.width() {
			return bvConst(w, 0)
		}
	}
	return intern(node{op: OpExtract, sort: BV(w), args: []*node{a}, u: uint64(hi)<<32 | uint64(lo)})
}

// Zext widens to n bits by a concatenation with zeros: it is no operation of its own.
func Zext(n int, a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	if n < a.n.width() || n > MaxWidth {
		return invalid("extension of %v to %d bits", a.n.sort, n)
	}
	return Term{zext(n, a.n)}
}

func zext(n int, a *node) *node {
	if n == a.width() {
		return a
	}
	return concat([]*node{a, bvConst(n-a.width(), 0)})
}

// Sext widens to n bits by copies of the sign. Folds: constants, OpSext; Zext of a concatenation whose top part is a
// constant with a clear top bit.
func Sext(n int, a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	if n < a.n.width() || n > MaxWidth {
		return invalid("extension of %v to %d bits", a.n.sort, n)
	}
	return Term{sext(n, a.n)}
}

func sext(n int, a *node) *node {
	switch {
	case n == a.width():
		return a
	case a.op == OpConst:
		return bvBig(n, signed(a.val(), a.width()))
	case a.op == OpSext:
		return sext(n, a.args[0])
	case a.signIsZero():
		return zext(n, a)
	}
	return intern(node{op: OpSext, sort: BV(n), args: []*node{a}})
}

// signIsZero tells a concatenation whose top part is a constant with a clear top bit.
func (n *node) signIsZero() bool {
	if n.op != OpConcat {
		return false
	}
	t := n.args[len(n.args)-1]
	return t.op == OpConst && t.val().Bit(t.width()-1) == 0
}

// ---- comparisons

// Ult is the unsigned a < b. Folds: constants, a = b.
func Ult(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{compare(OpUlt, a.n, b.n)}
}

// Slt is the signed a < b. Folds: constants, a = b.
func Slt(a, b Term) Term {
	if e, ok := sameWidth(a, b); !ok {
		return e
	}
	return Term{compare(OpSlt, a.n, b.n)}
}

func compare(op Op, a, b *node) *node {
	if a == b {
		return boolNode(false)
	}
	if a.op == OpConst && b.op == OpConst {
		x, y := a.val(), b.val()
		if op == OpSlt {
			x, y = signed(x, a.width()), signed(y, b.width())
		}
		return boolNode(x.Cmp(y) < 0)
	}
	return intern(node{op: op, sort: boolSort, args: []*node{a, b}})
}

// ---- to and from Int

// Uint is the value of a bit-vector, 0 ≤ Uint(a) < 2ⁿ. Folds: constants; drops the top part of a concatenation if it is
// the constant 0.
func Uint(a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	return Term{uintNode(a.n)}
}

func uintNode(a *node) *node {
	switch a.op {
	case OpConst:
		return intNode(numOf(new(big.Int).Set(a.val())))
	case OpConcat:
		if l := len(a.args) - 1; a.args[l].isZero() {
			return uintNode(concat(a.args[:l]))
		}
	}
	return intern(node{op: OpUint, sort: intSort, args: []*node{a}})
}

// Sint is the two's complement value. Folds: constants; OpSext; Uint of a concatenation whose top part is a constant
// with a clear top bit.
func Sint(a Term) Term {
	if e, ok := isBV(a); !ok {
		return e
	}
	return Term{sintNode(a.n)}
}

func sintNode(a *node) *node {
	switch {
	case a.op == OpConst:
		return intNode(numOf(new(big.Int).Set(signed(a.val(), a.width()))))
	case a.op == OpSext:
		return sintNode(a.args[0])
	case a.signIsZero():
		return uintNode(a)
	}
	return intern(node{op: OpSint, sort: intSort, args: []*node{a}})
}

// ToBV is x mod 2ⁿ as a bit-vector. Folds: constants; of Uint(a), a itself, its low n bits or its zero-extension.
func ToBV(n int, x Term) Term {
	if e, ok := isInt(x); !ok {
		return e
	}
	if BV(n).s == nil {
		return invalid("BV(%d)", n)
	}
	return Term{toBV(n, x.n)}
}

func toBV(n int, x *node) *node {
	if c, ok := x.polyConst(); ok {
		return bvBig(n, c.big())
	}
	if x.op == OpUint {
		switch a := x.args[0]; {
		case a.width() == n:
			return a
		case a.width() < n:
			return zext(n, a)
		default:
			return extract(n-1, 0, a)
		}
	}
	return intern(node{op: OpToBV, sort: BV(n), args: []*node{x}})
}
