package logic

import "slices"

func boolNode(b bool) *node {
	var u uint64
	if b {
		u = 1
	}
	return intern(node{op: OpConst, sort: boolSort, u: u})
}

func sortNodes(v []*node) { slices.SortFunc(v, cmpNode) }

func isBool(ts ...Term) (Term, bool) {
	if e, ok := check(ts...); !ok {
		return e, false
	}
	for _, t := range ts {
		if t.n.sort != boolSort {
			return invalid("%v has sort %v, not Bool", t, t.n.sort), false
		}
	}
	return Term{}, true
}

// True is the true constant.
func True() Term { return Term{boolNode(true)} }

// False is the false constant.
func False() Term { return Term{boolNode(false)} }

// BoolConst is b.
func BoolConst(b bool) Term { return Term{boolNode(b)} }

func (n *node) isTrue() bool  { return n.op == OpConst && n.sort == boolSort && n.u == 1 }
func (n *node) isFalse() bool { return n.op == OpConst && n.sort == boolSort && n.u == 0 }

// Not negates. Folds: constants; ¬¬a = a; ¬(0 ≤ p) = (0 ≤ −p−1), which makes integers discrete.
func Not(a Term) Term {
	if e, ok := isBool(a); !ok {
		return e
	}
	return Term{not(a.n)}
}

func not(a *node) *node {
	switch a.op {
	case OpConst:
		return boolNode(a.u == 0)
	case OpNot:
		return a.args[0]
	case OpGe0:
		return ge0(polyNode(addScaled([]mono{{c: num{i: -1}}}, a.args[0].monos(), num{i: -1})))
	}
	return intern(node{op: OpNot, sort: boolSort, args: []*node{a}})
}

// And is conjunction, true for none. Folds: constants; nested conjunctions are flattened, repeated conjuncts dropped,
// the rest ordered; a single one is itself.
func And(ts ...Term) Term {
	if e, ok := isBool(ts...); !ok {
		return e
	}
	return Term{and(nodes(ts))}
}

func and(ns []*node) *node {
	var ps []*node
	for _, n := range ns {
		switch {
		case n.isFalse():
			return n
		case n.isTrue():
		case n.op == OpAnd:
			ps = append(ps, n.args...)
		default:
			ps = append(ps, n)
		}
	}
	sortNodes(ps)
	ps = slices.Compact(ps)
	switch len(ps) {
	case 0:
		return boolNode(true)
	case 1:
		return ps[0]
	}
	return intern(node{op: OpAnd, sort: boolSort, args: ps})
}

// Or is disjunction, ¬(¬a ∧ …); false for none.
func Or(ts ...Term) Term {
	if e, ok := isBool(ts...); !ok {
		return e
	}
	ns := make([]*node, len(ts))
	for i, t := range ts {
		ns[i] = not(t.n)
	}
	return Term{not(and(ns))}
}

// Imp is implication, ¬(a ∧ ¬b).
func Imp(a, b Term) Term { return Not(And(a, Not(b))) }

// Iff is Eq on Bool.
func Iff(a, b Term) Term {
	if e, ok := isBool(a, b); !ok {
		return e
	}
	return Eq(a, b)
}

// Eq is equality of two terms of one sort; on Int it is Eq0 of the difference. The sides are ordered, a constant stands
// on the right. Folds: a = a; constants; on Bool a = true to a and a = false to ¬a; on BV(1) x = 0 to ¬(x = 1);
// ite(c,k,l) = m with constants k ≠ l to c for k = m, to ¬c for l = m, else to false.
func Eq(a, b Term) Term {
	if e, ok := check(a, b); !ok {
		return e
	}
	if a.n.sort != b.n.sort {
		return invalid("%v = %v: sorts %v and %v", a, b, a.n.sort, b.n.sort)
	}
	if a.n.sort == intSort {
		return Eq0(Sub(a, b))
	}
	return Term{eq(a.n, b.n)}
}

func eq(a, b *node) *node {
	if a == b {
		return boolNode(true)
	}
	if a.op == OpConst || b.op != OpConst && cmpNode(a, b) > 0 {
		a, b = b, a // a constant stands on the right
	}
	if b.op == OpConst {
		switch {
		case a.op == OpConst:
			return boolNode(a.val().Cmp(b.val()) == 0)
		case b.isTrue():
			return a
		case b.isFalse():
			return not(a)
		case b.sort.s.width == 1 && b.u == 0:
			return not(eq(a, bvConst(1, 1)))
		case a.op == OpIte && a.args[1].op == OpConst && a.args[2].op == OpConst:
			yes, no := a.args[1].val().Cmp(b.val()) == 0, a.args[2].val().Cmp(b.val()) == 0
			switch {
			case yes && !no:
				return a.args[0]
			case no && !yes:
				return not(a.args[0])
			case !yes && !no:
				return boolNode(false)
			}
		}
	}
	return intern(node{op: OpEq, sort: boolSort, args: []*node{a, b}})
}

// Ite is if c then a else b, at any sort. Folds: constant c; a = b; ite(¬c,a,b) = ite(c,b,a), where ¬c is an OpNot;
// ite(c,true,false) = c and ite(c,false,true) = ¬c.
func Ite(c, a, b Term) Term {
	if e, ok := check(c, a, b); !ok {
		return e
	}
	if c.n.sort != boolSort || a.n.sort != b.n.sort {
		return invalid("ite of %v, %v, %v", c.n.sort, a.n.sort, b.n.sort)
	}
	return Term{ite(c.n, a.n, b.n)}
}

func ite(c, a, b *node) *node {
	switch {
	case c.isTrue() || a == b:
		return a
	case c.isFalse():
		return b
	case c.op == OpNot:
		return ite(c.args[0], b, a)
	case a.isTrue() && b.isFalse():
		return c
	case a.isFalse() && b.isTrue():
		return not(c)
	}
	return intern(node{op: OpIte, sort: a.sort, args: []*node{c, a, b}})
}

// ---- variables and tuples

// Var is the variable of that name and sort.
func Var(name string, s Sort) Term {
	if s.s == nil {
		return invalid("variable %s without a sort", name)
	}
	return Term{intern(node{op: OpVar, sort: s, x: name})}
}

// Fresh is a new variable, different from every other one; hint is only printed.
func Fresh(hint string, s Sort) Term {
	if s.s == nil {
		return invalid("variable %s without a sort", hint)
	}
	return Term{intern(node{op: OpVar, sort: s, x: hint, u: freshSerial.Add(1)})}
}

// MkTuple is the tuple of its arguments.
func MkTuple(ts ...Term) Term {
	if e, ok := check(ts...); !ok {
		return e
	}
	sorts := make([]Sort, len(ts))
	for i, t := range ts {
		sorts[i] = t.n.sort
	}
	s := TupleOf(sorts...)
	if s.s == nil {
		return invalid("tuple of %d components", len(ts))
	}
	return Term{tuple(s, nodes(ts))}
}

func tuple(s Sort, ns []*node) *node { return intern(node{op: OpTuple, sort: s, args: ns}) }

// Proj is the i-th component, from 0. Folds on an OpTuple.
func Proj(i int, t Term) Term {
	if e, ok := check(t); !ok {
		return e
	}
	if t.n.sort.s.kind != KindTuple || i < 0 || i >= len(t.n.sort.s.elems) {
		return invalid("component %d of %v", i, t.n.sort)
	}
	return Term{proj(i, t.n)}
}

func proj(i int, t *node) *node {
	if t.op == OpTuple {
		return t.args[i]
	}
	return intern(node{op: OpProj, sort: t.sort.s.elems[i], args: []*node{t}, u: uint64(i)})
}
