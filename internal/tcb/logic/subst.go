package logic

// replacer replaces subterms bottom-up and simultaneously, re-applying constructors, so that normal forms and folds
// re-establish themselves. A mapped subterm is replaced as a whole: the outermost match wins.
type replacer struct {
	m    map[*node]*node
	memo map[*node]*node
	vars bool // only variables are mapped, so closed terms stay
}

func newReplacer() *replacer {
	return &replacer{m: map[*node]*node{}, memo: map[*node]*node{}, vars: true}
}

func (s *replacer) apply(n *node) *node {
	if r, ok := s.m[n]; ok {
		return r
	}
	if n.op == OpVar || n.op == OpConst || s.vars && n.closed {
		return n
	}
	if r, ok := s.memo[n]; ok {
		return r
	}
	r := n
	if n.op == OpPoly {
		r = s.applyPoly(n)
	} else {
		var a []*node
		for i, x := range n.args {
			y := s.apply(x)
			if y != x && a == nil {
				a = append(a, n.args...)
			}
			if a != nil {
				a[i] = y
			}
		}
		if a != nil {
			r = rebuild(n, a)
		}
	}
	s.memo[n] = r
	return r
}

func (s *replacer) applyPoly(n *node) *node {
	changed := false
	for _, m := range n.poly {
		for _, v := range m.v {
			changed = changed || s.apply(v) != v
		}
	}
	if !changed {
		return n
	}
	ps := make([][]mono, len(n.poly))
	for i, m := range n.poly {
		p := []mono{{c: m.c}}
		for _, v := range m.v {
			p = mulPolys(p, s.apply(v).monos())
		}
		ps[i] = p
	}
	return polyNode(sumPolys(ps))
}

// rebuild applies n's constructor to new arguments of the same sorts.
func rebuild(n *node, a []*node) *node {
	switch n.op {
	case OpNot:
		return not(a[0])
	case OpAnd:
		return and(a)
	case OpEq:
		return eq(a[0], a[1])
	case OpEq0:
		return eq0(a[0])
	case OpGe0:
		return ge0(a[0])
	case OpDvd:
		return dvd(a[0], a[1])
	case OpUlt, OpSlt:
		return compare(n.op, a[0], a[1])
	case OpIte:
		return ite(a[0], a[1], a[2])
	case OpApp:
		return app(n.x.(*def), a)
	case OpProj:
		return proj(int(n.u), a[0])
	case OpTuple:
		return tuple(n.sort, a)
	case OpUint:
		return uintNode(a[0])
	case OpSint:
		return sintNode(a[0])
	case OpDiv, OpMod:
		return divMod(n.op, a[0], a[1])
	case OpBVAdd:
		return bvAdd(a[0], a[1])
	case OpBVMul:
		return bvMul(a[0], a[1])
	case OpBVNeg:
		return bvNeg(a[0])
	case OpBVNot:
		return bvNot(a[0])
	case OpBVAnd, OpBVOr, OpBVXor:
		return bitwise(n.op, a[0], a[1])
	case OpShl, OpLshr, OpAshr, OpRotr:
		return shiftNode(n.op, a[0], int(n.u))
	case OpLshrV:
		return lshrV(a[0], a[1])
	case OpConcat:
		return concat(a)
	case OpExtract:
		return extract(n.hi(), n.lo(), a[0])
	case OpSext:
		return sext(n.width(), a[0])
	case OpLookup:
		return lookup(n.x.(*table), a[0])
	case OpToBV:
		return toBV(n.width(), a[0])
	case OpExpmod:
		return expmodNode(a[0], a[1], a[2])
	}
	return n // OpVar, OpConst and OpPoly have no arguments
}

// Subst is the simultaneous substitution of terms for variables of the same sort. There are no binders, so nothing is
// captured.
func Subst(t Term, m map[Term]Term) Term { return NewSubst(m).Apply(t) }

// Substitution applies one substitution to many terms with one memo. It is made by NewSubst. Not safe for concurrent
// use.
type Substitution struct {
	r   *replacer
	err Term
}

// NewSubst is the substitution of m's values for its keys, which are variables.
func NewSubst(m map[Term]Term) *Substitution {
	s := &Substitution{r: newReplacer()}
	for v, x := range m {
		if e, ok := check(v, x); !ok {
			s.err = e
		} else if v.n.op != OpVar || v.n.sort != x.n.sort {
			s.err = invalid("substitution of %v for %v", x, v)
		} else {
			s.r.m[v.n] = x.n
		}
	}
	return s
}

// Apply applies the substitution.
func (s *Substitution) Apply(t Term) Term {
	if s == nil || s.r == nil {
		return invalid("no Substitution")
	}
	if s.err.n != nil {
		return s.err
	}
	if e, ok := check(t); !ok {
		return e
	}
	return Term{s.r.apply(t.n)}
}

// Replace replaces every subterm that is a key of m by its value, of the same sort, outermost matches first; the atoms
// of polynomials count as subterms, sums within them don't.
func Replace(t Term, m map[Term]Term) Term {
	r := newReplacer()
	r.vars = false
	for v, x := range m {
		if e, ok := check(v, x); !ok {
			return e
		}
		if v.n.sort != x.n.sort {
			return invalid("replacement of %v by %v", v, x)
		}
		r.m[v.n] = x.n
	}
	if e, ok := check(t); !ok {
		return e
	}
	return Term{r.apply(t.n)}
}

// FreeVars lists t's variables in the order of Compare.
func FreeVars(t Term) []Term {
	if t.n == nil || t.n.op == opInvalid {
		return nil
	}
	seen := map[*node]bool{}
	var vs []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n.closed || seen[n] {
			return
		}
		seen[n] = true
		if n.op == OpVar {
			vs = append(vs, n)
		}
		for _, a := range n.args {
			walk(a)
		}
		for _, m := range n.poly {
			for _, v := range m.v {
				walk(v)
			}
		}
	}
	walk(t.n)
	sortNodes(vs)
	r := make([]Term, len(vs))
	for i, v := range vs {
		r[i] = Term{v}
	}
	return r
}
