package logic

import (
	"math/big"
	"slices"
)

// A polynomial is a list of monomials ordered by cmpVars with nonzero coefficients; an atom is an Int term that is not
// an OpPoly.

var numOne = num{i: 1}

// monos lists the monomials of an Int term.
func (n *node) monos() []mono {
	if n.op == OpPoly {
		return n.poly
	}
	return []mono{{numOne, []*node{n}}}
}

func (n *node) polyConst() (num, bool) {
	switch {
	case n.op != OpPoly:
	case len(n.poly) == 0:
		return num{}, true
	case len(n.poly) == 1 && len(n.poly[0].v) == 0:
		return n.poly[0].c, true
	}
	return num{}, false
}

// polyNode is the term of a normal list of monomials.
func polyNode(ms []mono) *node {
	if len(ms) == 1 && len(ms[0].v) == 1 && ms[0].c.isOne() {
		return ms[0].v[0]
	}
	return intern(node{op: OpPoly, sort: intSort, poly: ms})
}

func intNode(c num) *node {
	if c.sign() == 0 {
		return polyNode(nil)
	}
	return polyNode([]mono{{c: c}})
}

// addScaled is p + c·q.
func addScaled(p, q []mono, c num) []mono {
	r := make([]mono, 0, len(p)+len(q))
	i, j := 0, 0
	for i < len(p) || j < len(q) {
		d := -1
		if i == len(p) {
			d = 1
		} else if j < len(q) {
			d = cmpVars(p[i].v, q[j].v)
		}
		switch {
		case d < 0:
			r = append(r, p[i])
			i++
		case d > 0:
			if x := q[j].c.mul(c); x.sign() != 0 {
				r = append(r, mono{x, q[j].v})
			}
			j++
		default:
			if x := p[i].c.add(q[j].c.mul(c)); x.sign() != 0 {
				r = append(r, mono{x, p[i].v})
			}
			i++
			j++
		}
	}
	return r
}

func scale(p []mono, c num) []mono {
	if c.isOne() {
		return p
	}
	return addScaled(nil, p, c)
}

// sumPolys adds by halves, so that many summands cost n·log n.
func sumPolys(ps [][]mono) []mono {
	switch len(ps) {
	case 0:
		return nil
	case 1:
		return ps[0]
	}
	h := len(ps) / 2
	return addScaled(sumPolys(ps[:h]), sumPolys(ps[h:]), numOne)
}

// mulPolys multiplies; large products go through a Sum.
func mulPolys(p, q []mono) []mono {
	if len(p) > len(q) {
		p, q = q, p
	}
	switch {
	case len(p) == 0:
		return nil
	case len(p) == 1 && len(p[0].v) == 0:
		return scale(q, p[0].c)
	case len(p)*len(q) > 64:
		var s Sum
		s.ops = []sumOp{{numOne, [][]mono{p, q}}}
		if acc, err := s.run(); err == nil {
			return acc.monos()
		}
	}
	r := make([]mono, 0, len(p)*len(q))
	for _, x := range p {
		for _, y := range q {
			r = append(r, mono{x.c.mul(y.c), mergeVars(x.v, y.v)})
		}
	}
	return normalize(r)
}

func mergeVars(a, b []*node) []*node {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	v := make([]*node, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if cmpNode(a[i], b[j]) <= 0 {
			v = append(v, a[i])
			i++
		} else {
			v = append(v, b[j])
			j++
		}
	}
	v = append(v, a[i:]...)
	return append(v, b[j:]...)
}

// normalize sorts monomials, adds up equal products and drops zeros; it reuses r.
func normalize(r []mono) []mono {
	slices.SortFunc(r, func(a, b mono) int { return cmpVars(a.v, b.v) })
	out := r[:0]
	for i := 0; i < len(r); {
		c := r[i].c
		j := i + 1
		for ; j < len(r) && cmpVars(r[i].v, r[j].v) == 0; j++ {
			c = c.add(r[j].c)
		}
		v := r[i].v
		if c.sign() != 0 {
			out = append(out, mono{c, v})
		}
		i = j
	}
	return out
}

// ---- Int constructors

func isInt(ts ...Term) (Term, bool) {
	if e, ok := check(ts...); !ok {
		return e, false
	}
	for _, t := range ts {
		if t.n.sort != intSort {
			return invalid("%v has sort %v, not Int", t, t.n.sort), false
		}
	}
	return Term{}, true
}

// N is the Int constant v.
func N(v int64) Term { return Term{intNode(num{i: v})} }

// IntConst is the Int constant v.
func IntConst(v *big.Int) Term {
	if v == nil {
		return invalid("nil constant")
	}
	return Term{intNode(numOf(new(big.Int).Set(v)))}
}

// Pow2 is the Int constant 2ᵏ, 0 ≤ k ≤ MaxWidth.
func Pow2(k int) Term {
	if k < 0 || k > MaxWidth {
		return invalid("2^%d", k)
	}
	return Term{intNode(numOf(two(k)))}
}

// Add is the sum of Int terms, 0 for none.
func Add(ts ...Term) Term {
	if e, ok := isInt(ts...); !ok {
		return e
	}
	ps := make([][]mono, len(ts))
	for i, t := range ts {
		ps[i] = t.n.monos()
	}
	return Term{polyNode(sumPolys(ps))}
}

// Sub is a − b.
func Sub(a, b Term) Term {
	if e, ok := isInt(a, b); !ok {
		return e
	}
	return Term{sub(a.n, b.n)}
}

func sub(a, b *node) *node { return polyNode(addScaled(a.monos(), b.monos(), num{i: -1})) }

// Neg is −a.
func Neg(a Term) Term {
	if e, ok := isInt(a); !ok {
		return e
	}
	return Term{polyNode(scale(a.n.monos(), num{i: -1}))}
}

// Mul is the product of Int terms, 1 for none.
func Mul(ts ...Term) Term {
	if e, ok := isInt(ts...); !ok {
		return e
	}
	p := []mono{{c: numOne}}
	for _, t := range ts {
		p = mulPolys(p, t.n.monos())
	}
	return Term{polyNode(p)}
}

// Monomial is Coef times the product of Atoms (repeated for powers).
type Monomial struct {
	Coef  *big.Int
	Atoms []Term
}

// Monomials lists the summands of an Int term, none for other terms.
func (t Term) Monomials() []Monomial {
	if t.n == nil || t.n.sort != intSort {
		return nil
	}
	ms := t.n.monos()
	r := make([]Monomial, len(ms))
	for i, m := range ms {
		r[i].Coef = new(big.Int).Set(m.c.big())
		for _, v := range m.v {
			r[i].Atoms = append(r[i].Atoms, Term{v})
		}
	}
	return r
}

// FromMonomials is the sum of the monomials; an atom may be any Int term.
func FromMonomials(ms []Monomial) Term {
	var all []mono
	for _, m := range ms {
		if m.Coef == nil {
			return invalid("monomial without a coefficient")
		}
		if e, ok := isInt(m.Atoms...); !ok {
			return e
		}
		p := []mono{{c: numOf(new(big.Int).Set(m.Coef))}}
		for _, a := range m.Atoms {
			p = mulPolys(p, a.n.monos())
		}
		all = append(all, p...)
	}
	return Term{polyNode(normalize(all))}
}

// ---- comparisons

// canonical gives p the sign that equations and congruences have: the last monomial's coefficient is positive.
func canonical(p []mono) []mono {
	if len(p) > 0 && p[len(p)-1].c.sign() < 0 {
		return scale(p, num{i: -1})
	}
	return p
}

// Eq0 is p = 0, with the sign of p that makes the last coefficient positive. Folds constants.
func Eq0(p Term) Term {
	if e, ok := isInt(p); !ok {
		return e
	}
	return Term{eq0(p.n)}
}

func eq0(p *node) *node {
	if c, ok := p.polyConst(); ok {
		return boolNode(c.sign() == 0)
	}
	return intern(node{op: OpEq0, sort: boolSort, args: []*node{polyNode(canonical(p.monos()))}})
}

// Ge0 is 0 ≤ p. Folds constants.
func Ge0(p Term) Term {
	if e, ok := isInt(p); !ok {
		return e
	}
	return Term{ge0(p.n)}
}

func ge0(p *node) *node {
	if c, ok := p.polyConst(); ok {
		return boolNode(c.sign() >= 0)
	}
	return intern(node{op: OpGe0, sort: boolSort, args: []*node{p}})
}

// Le is a ≤ b, that is 0 ≤ b − a.
func Le(a, b Term) Term { return Ge0(Sub(b, a)) }

// Lt is a < b, that is 0 ≤ b − a − 1.
func Lt(a, b Term) Term { return Ge0(Sub(b, Add(a, N(1)))) }

// Cong is a ≡ b (mod m): some k has a − b = m·k. Folds: a − b = 0 and m = 1 to true, m = 0 to a = b, constants; a − b has
// the sign that equations have.
func Cong(a, b, m Term) Term {
	if e, ok := isInt(a, b, m); !ok {
		return e
	}
	return Term{dvd(sub(a.n, b.n), m.n)}
}

func dvd(p, m *node) *node {
	c, isC := p.polyConst()
	if isC && c.sign() == 0 {
		return boolNode(true)
	}
	if k, ok := m.polyConst(); ok {
		switch {
		case k.sign() == 0:
			return eq0(p)
		case k.isOne():
			return boolNode(true)
		case isC:
			_, r := floorDivMod(c.big(), k.big())
			return boolNode(r.Sign() == 0)
		}
	}
	return intern(node{op: OpDvd, sort: boolSort, args: []*node{polyNode(canonical(p.monos())), m}})
}

// ---- division; x div 0 = 0 and x mod 0 = x

// Div is floor division, 0 for m = 0. Folds: constants; m = 0 to 0; m = 1 to x.
func Div(x, m Term) Term {
	if e, ok := isInt(x, m); !ok {
		return e
	}
	return Term{divMod(OpDiv, x.n, m.n)}
}

// Mod is x − m·(x div m): it has the sign of m. Folds: constants; m = 0 to x; m = 1 to 0.
func Mod(x, m Term) Term {
	if e, ok := isInt(x, m); !ok {
		return e
	}
	return Term{divMod(OpMod, x.n, m.n)}
}

// Expmod is xᵏ mod m: 0 ≤ it < m for m ≥ 1. It is 0 for m < 1, and for k < 0 what it is for k = 0, 1 mod m. No folds: a
// power costs more than a constructor should, so that constants are left to Eval.
func Expmod(x, k, m Term) Term {
	if e, ok := isInt(x, k, m); !ok {
		return e
	}
	return Term{expmodNode(x.n, k.n, m.n)}
}

func expmodNode(x, k, m *node) *node {
	return intern(node{op: OpExpmod, sort: intSort, args: []*node{x, k, m}})
}

func divMod(op Op, x, m *node) *node {
	if k, ok := m.polyConst(); ok {
		if c, ok := x.polyConst(); ok {
			q, r := floorDivMod(c.big(), k.big())
			if op == OpDiv {
				return intNode(numOf(q))
			}
			return intNode(numOf(r))
		}
		switch {
		case k.sign() == 0 && op == OpDiv, k.isOne() && op == OpMod:
			return intNode(num{})
		case k.sign() == 0, k.isOne():
			return x
		}
	}
	return intern(node{op: op, sort: intSort, args: []*node{x, m}})
}
