package emit

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// The formulas of a contract are printed for people: they are comments, and nothing rests on them. What stands there
// is the formula of the theorem, with one abbreviation, which is explained at the top of each assembly file: the name
// of a parameter for the number that its elements make. An abbreviation is used only if putting the number back gives
// the very formula of the theorem.

// legend explains the formulas.
var legend = []string{
	"In the contracts, x[i] is element i of the region at x before the call, x'[i] after it, as a bit-vector; x and x' are",
	"the numbers that the elements make, the least significant first, BE(x) and BE(x') with the most significant first.",
	"The memory outside the regions that are written does not change.",
}

// number is an Int that a contract speaks about: the value of name.
type number struct {
	name     logic.Term   // an Int variable
	elements []logic.Term // the first has weight 1
	weights  []*big.Int
}

// numbers lists the numbers of a contract's first pattern.
func numbers(c machine.Contract) []number {
	p := c.Patterns()[0]
	var ns []number
	add := func(name string, elements []logic.Term, width int) {
		for _, reverse := range []bool{false, true} {
			n := number{name: logic.Var(name, logic.Int()), elements: slices.Clone(elements)}
			if reverse {
				if len(elements) == 1 {
					return
				}
				n.name = logic.Var("BE("+name+")", logic.Int())
				slices.Reverse(n.elements)
			}
			for i := range elements {
				n.weights = append(n.weights, new(big.Int).Lsh(big.NewInt(1), uint(i*width)))
			}
			ns = append(ns, n)
		}
	}
	for _, q := range c.Params() {
		switch {
		case q.Value:
			add(q.Name, []logic.Term{p.Arg(q.Name)}, 64)
		case q.IsInt(): // a number already
		default:
			if q.Mode.Reads() {
				add(q.Name, p.Before(q.Name), 8*q.Elem)
			}
			if q.Mode.Returns() {
				add(q.Name+"'", p.After(q.Name), 8*q.Elem)
			}
		}
	}
	if r, _ := c.Result(); r != "" {
		add(r, []logic.Term{p.Result()}, 64)
	}
	return ns
}

// sum is the number written out.
func (n number) sum() logic.Term {
	var ts []logic.Term
	for i, e := range n.elements {
		ts = append(ts, logic.Mul(logic.IntConst(n.weights[i]), logic.Uint(e)))
	}
	return logic.Add(ts...)
}

// abbreviate puts the names of numbers into the Int term p, where the numbers occur as a whole.
func abbreviate(p logic.Term, ns []number) logic.Term {
	for _, n := range ns {
		if q := n.abbreviate(p); q.Err() == nil && logic.Subst(q, map[logic.Term]logic.Term{n.name: n.sum()}) == p {
			p = q
		}
	}
	return p
}

// abbreviate replaces the element of weight 1 by the number without its other elements: if the number occurs as a
// whole, then those cancel.
func (n number) abbreviate(p logic.Term) logic.Term {
	rest := logic.Sub(n.sum(), logic.Uint(n.elements[0]))
	ms := p.Monomials()
	for _, m := range ms {
		for i, a := range m.Atoms {
			if a == logic.Uint(n.elements[0]) {
				m.Atoms[i] = logic.Sub(n.name, rest)
			}
		}
	}
	q := logic.FromMonomials(ms)
	for _, v := range logic.FreeVars(q) {
		if slices.Contains(n.elements, v) {
			return logic.Term{}
		}
	}
	return q
}

// named puts the names of numbers wherever they occur as a whole in t: in its polynomials and in the arguments of what
// these are made of. It leaves t as it is unless putting the numbers back gives t.
func named(t logic.Term, ns []number) logic.Term {
	done := map[logic.Term]logic.Term{}
	var name func(t logic.Term) logic.Term
	name = func(t logic.Term) logic.Term {
		if r, ok := done[t]; ok {
			return r
		}
		parts := t.Args()
		for _, m := range t.Monomials() {
			parts = append(parts, m.Atoms...)
		}
		changed := map[logic.Term]logic.Term{}
		for _, u := range parts {
			if u == t { // a polynomial that is an atom
				continue
			}
			if v := name(u); v != u {
				changed[u] = v
			}
		}
		r := t
		if len(changed) > 0 {
			r = logic.Replace(t, changed)
		}
		if r.Sort() == logic.Int() {
			r = abbreviate(r, ns)
		}
		done[t] = r
		return r
	}
	sums := map[logic.Term]logic.Term{}
	for _, n := range ns {
		sums[n.name] = n.sum()
	}
	if r := name(t); r.Err() == nil && logic.Subst(r, sums) == t {
		return r
	}
	return t
}

// Precedence of what a formula is made of: operands that bind less are in parentheses.
const (
	bindImplies = iota
	bindOr
	bindAnd
	bindAtom
)

// formula prints a Bool term, in which numbers have their names.
func formula(t logic.Term, outer int) string {
	paren := func(bind int, s string) string {
		if bind < outer {
			return "(" + s + ")"
		}
		return s
	}
	list := func(ts []logic.Term, sep string, bind int) string {
		var ss []string
		for _, u := range ts {
			ss = append(ss, formula(u, bind+1))
		}
		slices.SortFunc(ss, resultsLast)
		return strings.Join(ss, sep)
	}
	switch {
	case t.Op() == logic.OpAnd:
		return paren(bindAnd, list(t.Args(), " ∧ ", bindAnd))
	case t.Op() == logic.OpNot && t.Arg(0).Op() == logic.OpAnd: // p ∧ … ∧ ¬q ∧ … is false: p ∧ … ⇒ q ∨ …
		var from, to []logic.Term
		for _, u := range t.Arg(0).Args() {
			if u.Op() == logic.OpNot {
				to = append(to, u.Arg(0))
			} else {
				from = append(from, u)
			}
		}
		switch {
		case len(from) == 0:
			return paren(bindOr, list(to, " ∨ ", bindOr))
		case len(to) == 0:
			return "¬(" + list(from, " ∧ ", bindAnd) + ")"
		}
		return paren(bindImplies, list(from, " ∧ ", bindAnd)+" ⇒ "+list(to, " ∨ ", bindOr))
	case t.Op() == logic.OpNot:
		return "¬" + formula(t.Arg(0), bindAtom+1)
	case t.Op() == logic.OpEq:
		return paren(bindAtom, equation(value(t.Arg(0)), "=", value(t.Arg(1))))
	case t.Op() == logic.OpEq0:
		pos, neg := sides(t.Arg(0))
		return paren(bindAtom, equation(sideText(pos), "=", sideText(neg)))
	case t.Op() == logic.OpDvd:
		pos, neg := sides(t.Arg(0))
		m := sideText(t.Arg(1).Monomials())
		return paren(bindAtom, equation(sideText(pos), "≡", sideText(neg))+" (mod "+m+")")
	case t.Op() == logic.OpGe0:
		return paren(bindAtom, comparison(sides(t.Arg(0))))
	}
	return t.Format(maxDepth)
}

// value prints a term that is compared.
func value(t logic.Term) string {
	if c, ok := t.Const(); ok && t.Sort().Kind() == logic.KindBV {
		return numeral(c)
	}
	if t.Op() == logic.OpIte {
		return fmt.Sprintf("ite(%s, %s, %s)", formula(t.Arg(0), bindImplies), value(t.Arg(1)), value(t.Arg(2)))
	}
	return trim(t.Format(maxDepth))
}

// resultsLast orders formulas: what speaks about the state after comes last, a numeral before it.
func resultsLast(a, b string) int {
	rank := func(s string) int {
		n := 2 * strings.Count(s, "'")
		if s[0] >= '0' && s[0] <= '9' {
			n++
		}
		return n
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// equation prints an equation with the state after on the left, and otherwise a numeral on the right.
func equation(a, op, b string) string {
	after := strings.Contains(a+b, "'")
	if after && strings.Count(b, "'") > strings.Count(a, "'") || !after && resultsLast(a, b) > 0 {
		a, b = b, a
	}
	return a + " " + op + " " + b
}

// trim removes a pair of parentheses around all of s.
func trim(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return s
		}
	}
	return s[1 : len(s)-1]
}

// sides separates the summands with positive and with negative coefficients, of which it changes the sign.
func sides(p logic.Term) (pos, neg []logic.Monomial) {
	for _, m := range p.Monomials() {
		if m.Coef.Sign() > 0 {
			pos = append(pos, m)
		} else {
			m.Coef.Neg(m.Coef)
			neg = append(neg, m)
		}
	}
	return pos, neg
}

// comparison prints neg ≤ pos.
func comparison(pos, neg []logic.Monomial) string {
	constant := func(ms []logic.Monomial) bool { return len(ms) == 0 || len(ms) == 1 && len(ms[0].Atoms) == 0 }
	if constant(pos) {
		c := big.NewInt(1)
		if len(pos) == 1 {
			c.Add(c, pos[0].Coef)
		}
		return sideText(neg) + " < " + numeral(c)
	}
	if constant(neg) {
		return sideText(pos) + " ≥ " + sideText(neg)
	}
	return sideText(neg) + " ≤ " + sideText(pos)
}

// sideText prints a sum of monomials with positive coefficients, ordered by their text, a constant last.
func sideText(ms []logic.Monomial) string {
	var ss []string
	constant := ""
	for _, m := range ms {
		var factors []string
		for _, a := range m.Atoms {
			factors = append(factors, a.Format(maxDepth))
		}
		slices.Sort(factors)
		if len(factors) == 0 {
			constant = numeral(m.Coef)
			continue
		}
		if m.Coef.Cmp(big.NewInt(1)) != 0 {
			factors = slices.Insert(factors, 0, numeral(m.Coef))
		}
		if len(ms) == 1 && len(factors) == 1 {
			return trim(factors[0])
		}
		ss = append(ss, strings.Join(factors, "·"))
	}
	slices.Sort(ss)
	if constant != "" {
		ss = append(ss, constant)
	}
	if len(ss) == 0 {
		return "0"
	}
	return strings.Join(ss, " + ")
}

// numeral prints a natural number: large powers of 2 as such, other large numbers in hexadecimal.
func numeral(c *big.Int) string {
	switch n := c.BitLen(); {
	case n <= 16:
		return c.String()
	case int(c.TrailingZeroBits()) == n-1:
		return fmt.Sprintf("2^%d", n-1)
	default:
		return fmt.Sprintf("%#x", c)
	}
}
