package kernel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"verum.example/internal/tcb/logic"
)

// generators make one random use of each rule: premises that are true sequents, with hypotheses that are true under
// the world's hidden assignment, and certificates that are right or nearly so. Whatever comes out must be true.
var generators = map[string]func(w *world) ([]Theorem, error){
	"Assume": func(w *world) ([]Theorem, error) { return single(Assume(w.term(pick(w, worldSorts), 2))) },

	"Discharge": func(w *world) ([]Theorem, error) {
		th := w.theorem()
		h := w.term(logic.Bool(), 1)
		if len(th.t.hyps) > 0 && !w.one(4) {
			h = pick(w, th.t.hyps)
		}
		return single(Discharge(w.spoil(h), th))
	},

	"Taut": func(w *world) ([]Theorem, error) {
		var ps []Theorem
		var atoms []logic.Term
		for range w.r.IntN(4) {
			th := w.theorem()
			ps = append(ps, th)
			atoms = append(atoms, boolParts(th.t.concl)...)
		}
		atoms = append(atoms, w.vars[logic.Bool()][0], w.fact(1), logic.Ge0(w.poly(1)))
		if vs := w.vars[pick(w, worldSorts)]; w.one(3) { // no transitivity
			atoms = []logic.Term{logic.Eq(vs[0], vs[1]), logic.Eq(vs[1], vs[2]), logic.Eq(vs[0], vs[2])}
		}
		var goal func(d int) logic.Term
		goal = func(d int) logic.Term {
			if d == 0 || w.one(5) {
				t := pick(w, atoms)
				if w.one(3) {
					t = logic.Not(t)
				}
				return t
			}
			a, b := goal(d-1), goal(d-1)
			switch w.r.IntN(5) {
			case 0:
				return logic.And(a, b)
			case 1:
				return logic.Or(a, b)
			case 2:
				return logic.Imp(a, b)
			case 3:
				return logic.Iff(a, b)
			}
			return logic.Ite(goal(d-1), a, b)
		}
		return single(Taut(w.spoil(goal(3)), w.spoilTheorems(ps)...))
	},

	"Inst": func(w *world) ([]Theorem, error) {
		th := w.theorem()
		return single(Inst(w.spoilTheorem(th), w.substitution(th)))
	},

	"InstAll": func(w *world) ([]Theorem, error) {
		ths := []Theorem{w.theorem(), w.theorem(), w.theorem()}
		return InstAll(w.spoilTheorems(ths), w.substitution(ths[1]))
	},

	"Leibniz": func(w *world) ([]Theorem, error) {
		s := pick(w, worldSorts)
		eq, a, b := w.equation(s)
		hole := w.variable(s)
		ctx := w.term(logic.Bool(), 3)
		if !w.one(4) { // contexts that have the hole
			ctx = logic.And(logic.Or(ctx, logic.Eq(hole, w.term(s, 1))), w.fact(1))
		}
		if at := logic.Subst(ctx, subst{hole: a}); at.Err() == nil {
			if val, ok := eval(at, w.env); ok && !val.Bool() {
				ctx = logic.Not(ctx)
			}
		}
		th := w.assumeWeak(logic.Subst(ctx, subst{hole: a}))
		switch w.r.IntN(10) {
		case 0:
			a, b = b, a
		case 1:
			b = w.constant(s)
		case 2:
			eq = w.assume(w.fact(1))
		case 3:
			th = w.assume(w.fact(1))
		case 4:
			hole = w.spoil(hole)
		}
		return single(Leibniz(w.spoilTheorem(eq), a, b, w.spoilTheorem(th), w.spoil(ctx), hole))
	},

	"Rewrite": func(w *world) ([]Theorem, error) {
		th := w.theorem()
		return single(Rewrite(w.spoilTheorem(th), w.equations(th.t.concl)...))
	},

	"RewriteTerm": func(w *world) ([]Theorem, error) {
		t := w.term(pick(w, worldSorts), 3)
		return single(RewriteTerm(w.spoil(t), w.equations(t)...))
	},

	"Unfold": func(w *world) ([]Theorem, error) {
		i := w.term(logic.Int(), 1)
		if w.one(3) {
			i = num(int64(w.r.IntN(9) - 3))
		}
		t := pick(w, []logic.Term{tri.App(i, w.poly(1)), absd.App(i, w.poly(1)), step4.App(i, w.term(logic.BV(4), 1)), even.App(i)})
		return single(Unfold(w.spoil(t)))
	},

	"Compute": func(w *world) ([]Theorem, error) {
		t := w.term(pick(w, worldSorts), 4)
		s := subst{}
		for _, v := range logic.FreeVars(t) {
			s[v] = w.constant(v.Sort())
			if w.one(30) {
				delete(s, v)
			}
		}
		t = logic.Subst(t, s)
		if _, ok := eval(t, w.env); !ok { // too much work for a test
			t = pick(w, w.vars[logic.Int()])
		}
		return single(Compute(w.spoil(t)))
	},

	"Induct": func(w *world) ([]Theorem, error) {
		th, _, err := w.induction()
		return single(th, err)
	},

	"Eq": func(w *world) ([]Theorem, error) {
		var ms []Multiple
		t := num(0)
		for range 1 + w.r.IntN(3) {
			th, by := w.eq0(), w.poly(1)
			ms = append(ms, Multiple{th, by})
			if th.t.concl.Op() == logic.OpEq0 {
				t = logic.Add(t, logic.Mul(by, th.t.concl.Arg(0)))
			}
		}
		return single(Eq(w.spoilPoly(t), w.spoilMultiples(ms)...))
	},

	"Le": func(w *world) ([]Theorem, error) {
		var facts []Theorem
		for range 1 + w.r.IntN(3) {
			facts = append(facts, w.ge())
		}
		if w.one(4) { // something that is no inequality
			facts = append(facts, pick(w, []Theorem{w.eq0(), w.cong(num(3)), w.assume(w.fact(1))}))
		}
		t := num(0)
		var ps []Product
		for range 1 + w.r.IntN(3) {
			k := Product{Coef: big64(int64(w.r.IntN(4)))}
			if w.one(12) {
				k.Coef = big64(-1)
			}
			f := logic.IntConst(k.Coef)
			for range w.r.IntN(3) {
				i := w.r.IntN(len(facts))
				k.Factors = append(k.Factors, i)
				if a := facts[i].t.concl.Arg(0); a.Sort() == logic.Int() {
					f = logic.Mul(f, a)
				}
			}
			t = logic.Add(t, f) // the certificate is right but for what the rule has to refuse
			switch w.r.IntN(40) {
			case 0:
				k.Coef = nil
			case 1:
				k.Factors = append(k.Factors, w.r.IntN(len(facts)+2)-1)
			}
			ps = append(ps, k)
		}
		var ms []Multiple
		if w.one(2) {
			th, by := w.eq0(), w.poly(1)
			ms = append(ms, Multiple{th, by})
			if th.t.concl.Op() == logic.OpEq0 {
				t = logic.Add(t, logic.Mul(by, th.t.concl.Arg(0)))
			}
		}
		return single(Le(w.spoilPoly(t), w.spoilTheorems(facts), ps, w.spoilMultiples(ms)...))
	},

	"Cong": func(w *world) ([]Theorem, error) {
		m := num(int64(w.r.IntN(12) - 2))
		if w.one(2) {
			m = w.poly(1)
		}
		t := num(0)
		var ms []Multiple
		for range w.r.IntN(3) {
			th := w.cong(m)
			if w.one(3) {
				th = w.eq0()
			} else if w.one(10) {
				th = w.cong(w.poly(1))
			}
			by := w.poly(1)
			ms = append(ms, Multiple{th, by})
			if c := th.t.concl; c.Op() == logic.OpEq0 || c.Op() == logic.OpDvd {
				t = logic.Add(t, logic.Mul(by, c.Arg(0)))
			}
		}
		k := w.poly(2)
		t = logic.Add(t, logic.Mul(m, k))
		if w.one(2) {
			k = logic.Term{}
			if w.one(4) {
				t = logic.Add(t, w.poly(1))
			}
		} else if w.one(8) {
			k = w.spoilPoly(k)
		}
		return single(Cong(w.spoilPoly(t), w.spoil(m), k, w.spoilMultiples(ms)...))
	},

	"Antisym": func(w *world) ([]Theorem, error) {
		t := w.poly(2)
		t = logic.Sub(t, logic.IntConst(w.val(t)))
		ge, le := w.assume(logic.Ge0(t)), w.assume(logic.Ge0(logic.Neg(t)))
		switch w.r.IntN(8) {
		case 0:
			ge = w.ge()
		case 1:
			le = w.assume(logic.Ge0(logic.Sub(num(1), t)))
		case 2:
			ge, le = le, ge
		}
		return single(Antisym(w.spoilPoly(t), w.spoilTheorem(ge), w.spoilTheorem(le)))
	},

	"DvdElim": func(w *world) ([]Theorem, error) {
		th := w.cong(num(int64(w.r.IntN(16) - 6)))
		if w.one(4) {
			th = w.theorem()
		} else if w.one(4) {
			th = w.cong(w.poly(1))
		}
		return single(DvdElim(w.spoilTheorem(th)))
	},

	"DivMod": func(w *world) ([]Theorem, error) { return single(DivMod(w.spoil(w.poly(2)), w.spoil(w.poly(2)))) },

	"ModRange": func(w *world) ([]Theorem, error) {
		m, pos := w.modulus()
		return double(ModRange(w.spoil(w.poly(2)), w.spoilPoly(m), w.spoilTheorem(pos)))
	},

	"Fermat": func(w *world) ([]Theorem, error) {
		q := w.prime()
		x := w.poly(2)
		if v, _ := q.Term().Const(); v != nil && w.one(3) { // multiples of p
			x = logic.Add(logic.Mul(q.Term(), x), num(int64(w.r.IntN(2))))
		}
		return single(Fermat(q, w.spoil(x)))
	},

	"ExpmodZero": func(w *world) ([]Theorem, error) {
		m, pos := w.modulus()
		return single(ExpmodZero(w.spoil(w.poly(2)), w.spoilPoly(m), w.spoilTheorem(pos)))
	},

	"ExpmodStep": func(w *world) ([]Theorem, error) {
		k := w.poly(1)
		if v := w.val(k); v.Sign() < 0 || w.one(2) {
			k = logic.Add(logic.Sub(k, logic.IntConst(v)), num(int64(w.r.IntN(4)-1)))
		}
		nonneg := w.assume(logic.Ge0(k))
		if w.one(6) {
			nonneg = w.assume(logic.Le(num(-1), k))
		}
		return single(ExpmodStep(w.spoil(w.poly(2)), w.spoilPoly(k), w.spoil(w.poly(1)), w.spoilTheorem(nonneg)))
	},

	"ExpmodRange": func(w *world) ([]Theorem, error) {
		m, pos := w.modulus()
		return double(ExpmodRange(w.spoil(w.poly(2)), w.spoil(w.poly(1)), w.spoilPoly(m), w.spoilTheorem(pos)))
	},

	"TupleEta": func(w *world) ([]Theorem, error) {
		t := w.term(pairSort, 2)
		if w.one(4) {
			t = logic.MkTuple(t, w.term(logic.Bool(), 1))
		}
		if w.one(12) {
			t = w.term(pick(w, worldSorts), 2)
		}
		return single(TupleEta(w.spoil(t)))
	},

	"UintRange": func(w *world) ([]Theorem, error) { return double(UintRange(w.spoil(w.bits(3)))) },

	"UintSplit": func(w *world) ([]Theorem, error) {
		t := w.bits(3)
		return single(UintSplit(w.spoil(t), w.r.IntN(t.Width()+3)-1))
	},

	"UintExt": func(w *world) ([]Theorem, error) {
		t := w.bits(3)
		return single(UintExt(w.spoil(t), w.r.IntN(t.Width()+2)-1, w.r.IntN(t.Width()+2)-1))
	},

	"UltDef": func(w *world) ([]Theorem, error) {
		t := w.bits(2)
		return single(UltDef(w.spoil(t), w.spoil(w.term(t.Sort(), 2))))
	},

	"AndOrSum": func(w *world) ([]Theorem, error) {
		t := w.bits(2)
		return double(AndOrSum(w.spoil(t), w.spoil(w.term(t.Sort(), 2))))
	},

	"UintMod": func(w *world) ([]Theorem, error) {
		t := w.ring(pick(w, widths), 4)
		return single(UintMod(w.spoil(t), w.leaves(t)...))
	},

	"UintExact": func(w *world) ([]Theorem, error) {
		t := w.ring(pick(w, widths), 3)
		leaves := w.leaves(t)
		v := Polynomial(t, leaves...)
		x := w.val(v) // bounds around the value that are true and, more often than not, good enough
		l, h := new(big.Int), ones(t.Width())
		if l.Cmp(x) > 0 || w.one(4) {
			l.Sub(x, big64(int64(w.r.IntN(3))))
		}
		if h.Cmp(x) < 0 || w.one(4) {
			h.Add(x, big64(int64(w.r.IntN(3))))
		}
		lo, hi := w.assume(logic.Le(logic.IntConst(l), v)), w.assume(logic.Le(v, logic.IntConst(h)))
		switch w.r.IntN(12) {
		case 0:
			lo, hi = hi, lo
		case 1:
			lo = w.ge()
		case 2:
			leaves = nil
		case 3: // v, and 2ⁿ−1−v, where the inequality's would be
			lo = w.assume(logic.Cong(v, num(0), num(3)))
			if !w.one(3) {
				break
			}
			hi = w.assume(logic.Cong(logic.Sub(logic.IntConst(ones(t.Width())), v), num(0), num(5)))
		}
		return single(UintExact(w.spoil(t), w.spoilTheorem(lo), w.spoilTheorem(hi), leaves...))
	},

	"LowRing": func(w *world) ([]Theorem, error) {
		a := w.ring(pick(w, widths), 3)
		b := w.ring(a.Width(), 2)
		if w.one(3) {
			a = w.lookalike(a)
		}
		if !w.one(4) {
			b = w.rearrange(a, 4)
			if w.one(4) {
				b = w.lookalike(b)
			} else if k := w.r.IntN(b.Width()); w.one(4) { // two shifts
				sh := []func(a logic.Term, k int) logic.Term{logic.Shl, logic.Lshr, logic.Ashr, logic.Rotr}
				a, b = pick(w, sh)(a, k), pick(w, sh)(b, k)
			} else if w.one(4) { // two ranges of bits of one wide term
				wide := logic.BVAdd(logic.Sext(2*b.Width(), a), logic.Zext(2*b.Width(), w.variable(b.Sort())))
				a, b = logic.Extract(b.Width()-1, 0, wide), logic.Extract(k+b.Width()-1, k, wide)
			}
			if w.one(4) {
				b = logic.BVAdd(b, logic.BVMul(logic.BVConst(b.Width(), new(big.Int).Lsh(one, uint(w.r.IntN(b.Width()+1)))), w.ring(b.Width(), 1)))
			}
		}
		return single(LowRing(w.spoil(a), w.spoil(b)))
	},
}

// spoil is mostly t, and rarely something else, of the same sort or not, or ill-formed.
func (w *world) spoil(t logic.Term) logic.Term {
	if !w.one(40) {
		return t
	}
	switch w.r.IntN(4) {
	case 0:
		return logic.Term{}
	case 1:
		return logic.Add(w.vars[logic.Bool()][0])
	case 2:
		return w.term(pick(w, worldSorts), 1)
	}
	if t.Sort().Kind() == 0 {
		return t
	}
	return w.term(t.Sort(), 1)
}

// spoilPoly is rarely another polynomial, close to t.
func (w *world) spoilPoly(t logic.Term) logic.Term {
	switch w.r.IntN(24) {
	case 0:
		return logic.Add(t, num(int64(w.r.IntN(5)-2)))
	case 1:
		return logic.Neg(t)
	case 2:
		return logic.Add(t, w.poly(1))
	}
	return w.spoil(t)
}

func (w *world) spoilTheorem(th Theorem) Theorem {
	if w.one(60) {
		return Theorem{}
	}
	if w.one(60) {
		return w.theorem()
	}
	return th
}

func (w *world) spoilTheorems(ths []Theorem) []Theorem {
	ths = slices.Clone(ths)
	for i := range ths {
		ths[i] = w.spoilTheorem(ths[i])
	}
	return ths
}

func (w *world) spoilMultiples(ms []Multiple) []Multiple {
	for i := range ms {
		ms[i] = Multiple{w.spoilTheorem(ms[i].Fact), w.spoilPoly(ms[i].By)}
		if w.one(40) {
			ms[i].Fact = w.ge()
		}
	}
	return ms
}

// boolParts are the Bool subterms of a Bool term's connectives.
func boolParts(t logic.Term) []logic.Term {
	ts := []logic.Term{t}
	if isConnective(t) {
		for _, a := range t.Args() {
			ts = append(ts, boolParts(a)...)
		}
	}
	return ts
}

// assumeWeak is p ⊢ p when p is well-formed.
func (w *world) assumeWeak(p logic.Term) Theorem {
	th, err := Assume(p)
	if err != nil {
		return Theorem{}
	}
	return th
}

// equation is a theorem a = b whose hypotheses are true under the hidden assignment.
func (w *world) equation(s logic.Sort) (th Theorem, a, b logic.Term) {
	a = w.term(s, 2)
	v, ok := eval(a, w.env)
	if !ok {
		b = a
	} else if b = constant(s, v); w.one(2) {
		for _, x := range w.vars[s] {
			if xv, ok := eval(logic.Eq(a, x), w.env); ok && xv.Bool() {
				b = x
			}
		}
	}
	if w.one(2) {
		a, b = b, a
	}
	return w.assume(logic.Eq(a, b)), a, b
}

// equations are equations for some subterms of t and others.
func (w *world) equations(t logic.Term) (eqs []Equation) {
	var subs []logic.Term
	var walk func(t logic.Term)
	walk = func(t logic.Term) {
		if t.Err() != nil || len(subs) > 50 {
			return
		}
		subs = append(subs, t)
		for _, a := range t.Args() {
			walk(a)
		}
		for _, m := range t.Monomials() {
			for _, a := range m.Atoms {
				if a != t {
					walk(a)
				}
			}
		}
	}
	walk(t)
	if len(subs) == 0 {
		return nil // stale
	}
	for range 1 + w.r.IntN(3) {
		from := pick(w, subs)
		th, a, b := w.equation(from.Sort())
		if v, ok := eval(from, w.env); ok && !w.one(4) {
			a, b = from, constant(from.Sort(), v)
			th = w.assume(logic.Eq(a, b))
		}
		if w.one(20) {
			b = w.spoil(b)
		}
		eqs = append(eqs, Equation{w.spoilTheorem(th), a, b})
	}
	return eqs
}

// substitution maps some of the theorem's variables and others to random terms.
func (w *world) substitution(th Theorem) map[logic.Term]logic.Term {
	s := map[logic.Term]logic.Term{}
	vs := logic.FreeVars(th.t.concl)
	for _, h := range th.t.hyps {
		vs = append(vs, logic.FreeVars(h)...)
	}
	vs = append(vs, pick(w, w.vars[pick(w, worldSorts)]))
	for _, v := range vs {
		switch w.r.IntN(4) {
		case 0:
			s[v] = w.constant(v.Sort())
		case 1:
			s[v] = w.variable(v.Sort())
		case 2:
			s[v] = w.spoil(w.term(v.Sort(), 2))
		}
	}
	if w.one(40) {
		t := w.poly(1)
		s[t] = t
	}
	return s
}

// modulus is a random polynomial, mostly positive under the hidden assignment, and an assumption that it is, or nearly.
func (w *world) modulus() (m logic.Term, pos Theorem) {
	m = w.poly(2)
	if v := w.val(m); v.Sign() <= 0 {
		m = logic.Add(logic.Sub(m, logic.IntConst(v)), num(int64(w.r.IntN(3))))
	}
	if w.one(6) {
		return m, w.assume(logic.Ge0(m))
	}
	return m, w.assume(logic.Le(num(1), m))
}

// prime is one of a few primes, seldom none.
func (w *world) prime() Prime {
	if w.one(20) {
		return Prime{}
	}
	return pick(w, testPrimes)
}

// bits is a random bit-vector.
func (w *world) bits(d int) logic.Term { return w.term(logic.BV(pick(w, widths)), d) }

// ring is a random bit-vector made of ring operations.
func (w *world) ring(n, d int) logic.Term {
	if d == 0 {
		switch w.r.IntN(6) {
		case 0:
			return w.constant(logic.BV(n))
		case 1:
			return logic.ToBV(n, w.poly(1))
		case 2:
			return w.term(logic.BV(n), 2)
		}
		return w.variable(logic.BV(n))
	}
	a := w.ring(n, d-1)
	switch w.r.IntN(9) {
	case 0, 1:
		return logic.BVAdd(a, w.ring(n, d-1))
	case 2, 3:
		return logic.BVMul(a, w.ring(n, d-1))
	case 4:
		return logic.BVNeg(a)
	case 5:
		return logic.BVNot(a)
	case 6:
		return logic.Shl(a, w.r.IntN(n+1))
	case 7: // low bits of something wider
		m := n + 1 + w.r.IntN(3)
		wide := func(t logic.Term) logic.Term {
			switch w.r.IntN(3) {
			case 0:
				return logic.Sext(m, t)
			case 1:
				return logic.Concat(t, w.constant(logic.BV(m-n)))
			}
			return logic.Zext(m, t)
		}
		b := wide(w.ring(n, d-1))
		lo := w.r.IntN(4)
		if lo > m-n {
			lo = 0
		}
		return logic.Extract(lo+n-1, lo, pick(w, []logic.Term{logic.BVAdd(wide(a), b), logic.BVMul(wide(a), b), logic.BVNot(wide(a))}))
	}
	return a
}

// rearrange is the same value by the laws of rings.
func (w *world) rearrange(t logic.Term, d int) logic.Term {
	if d == 0 {
		return t
	}
	n := t.Width()
	go_ := func(t logic.Term) logic.Term { return w.rearrange(t, d-1) }
	switch t.Op() {
	case logic.OpBVAdd:
		if a, b := t.Arg(0), t.Arg(1); w.one(3) && a.Op() == logic.OpBVAdd {
			return logic.BVAdd(go_(a.Arg(0)), go_(logic.BVAdd(a.Arg(1), b)))
		}
		return logic.BVAdd(go_(t.Arg(0)), go_(t.Arg(1)))
	case logic.OpBVMul:
		for i := range 2 {
			if s := t.Arg(i); s.Op() == logic.OpBVAdd && w.one(2) {
				return logic.BVAdd(go_(logic.BVMul(s.Arg(0), t.Arg(1-i))), go_(logic.BVMul(s.Arg(1), t.Arg(1-i))))
			}
		}
		return logic.BVMul(go_(t.Arg(0)), go_(t.Arg(1)))
	case logic.OpBVNeg:
		return logic.BVMul(go_(t.Arg(0)), logic.BVConst(n, big64(-1)))
	case logic.OpBVNot:
		return logic.BVSub(logic.BVConst(n, big64(-1)), go_(t.Arg(0)))
	case logic.OpShl:
		return logic.BVMul(go_(t.Arg(0)), logic.BVConst(n, new(big.Int).Lsh(one, uint(t.Lo()))))
	}
	switch w.r.IntN(4) {
	case 0:
		return logic.Extract(n-1, 0, logic.Sext(n+2, t))
	case 1:
		return logic.BVSub(logic.BVAdd(t, t), t)
	}
	return t
}

// lookalike is t with another operation on top, or as a part of something wider or narrower.
func (w *world) lookalike(t logic.Term) logic.Term {
	n := t.Width()
	if t.NumArgs() == 2 && t.Arg(1).Width() == n && t.Arg(0).Width() == n && !w.one(3) {
		return pick(w, []func(a, b logic.Term) logic.Term{logic.BVAdd, logic.BVMul, logic.BVAnd, logic.BVOr, logic.BVXor, logic.BVSub})(t.Arg(0), t.Arg(1))
	}
	k := w.r.IntN(n)
	switch w.r.IntN(7) {
	case 6: // the same bits of something wider, or those above
		return logic.Extract(k+n-1, k, logic.BVMul(logic.Sext(2*n, t), logic.Zext(2*n, w.variable(logic.BV(n)))))
	case 0:
		return pick(w, []func(a logic.Term, k int) logic.Term{logic.Shl, logic.Lshr, logic.Ashr, logic.Rotr})(t, k)
	case 1:
		return pick(w, []func(a logic.Term) logic.Term{logic.BVNeg, logic.BVNot})(t)
	case 2:
		if k > 0 {
			return logic.Concat(logic.Extract(k-1, 0, t), w.constant(logic.BV(n-k)))
		}
	case 3:
		if k > 0 {
			return logic.Concat(w.constant(logic.BV(k)), logic.Extract(n-1, k, t))
		}
	case 4:
		if k > 0 {
			return logic.Sext(n, logic.Extract(k-1, 0, t))
		}
	}
	return logic.Extract(k+n-1, k, logic.Zext(2*n, t))
}

// leaves are some subterms of t.
func (w *world) leaves(t logic.Term) (ls []logic.Term) {
	for _, a := range t.Args() {
		if w.one(3) {
			ls = append(ls, a)
		}
		ls = append(ls, w.leaves(a)...)
	}
	return ls
}

// runGenerator uses a rule once in the world of a seed or a tape and checks what comes out.
func runGenerator(w *world, rule string, tries int) (accepted bool, err error) {
	ths, err := generators[rule](w)
	if err != nil {
		for _, th := range ths {
			if !th.IsZero() {
				return false, fmt.Errorf("an error and a theorem: %v", th)
			}
		}
		return false, nil
	}
	for _, th := range ths {
		if th.IsZero() || th.Concl().Sort() != logic.Bool() || th.Concl().Err() != nil {
			return true, fmt.Errorf("no error and no theorem: %v", th)
		}
		if !slices.Equal(ordered(th.Hyps()), th.Hyps()) {
			return true, fmt.Errorf("hypotheses out of order: %v", th)
		}
		if err := w.check(th, tries); err != nil {
			return true, err
		}
	}
	return true, nil
}

// soundnessRuns is how often each rule is tried; the shares that must be accepted, refused, and evaluated with true
// hypotheses show that the generator says something.
const soundnessRuns = 700

func TestSoundness(t *testing.T) {
	runs := soundnessRuns
	if testing.Short() {
		runs /= 4
	}
	all := map[string]int64{"rules": int64(len(generators))}
	for rule := range generators {
		t.Run(rule, func(t *testing.T) {
			accepted, refused, held := 0, 0, 0
			for seed := range uint64(runs) {
				inGeneration(t, func() {
					w := seeded(seed)
					ok, err := runGenerator(w, rule, 12)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if ok {
						accepted++
					} else {
						refused++
					}
					held += w.held
				})
			}
			t.Logf("accepted %d, refused %d, evaluations with true hypotheses %d", accepted, refused, held)
			if accepted < runs/16 || refused < runs/100 || held < 2*accepted {
				t.Errorf("the generator is too weak: accepted %d, refused %d of %d, held %d", accepted, refused, runs, held)
			}
			all["accepted"] += int64(accepted)
			all["refused"] += int64(refused)
			all["held"] += int64(held)
		})
	}
	evidently(t, "each rule", all)
}

// ---- induction, exactly

// The induction generator works in a world where validity can be decided: properties depend on n only through its low
// two bits and on variables of BV(1), and hypotheses also on the sign of n. Every valid sequent is offered as base or
// step.
var (
	indN          = logic.Var("n", logic.Int())
	indX, indY    = logic.Var("x", logic.BV(1)), logic.Var("y", logic.BV(1))
	indNs         = []int64{-5, -2, -1, 0, 1, 2, 3, 4, 7}
	indAtoms      = []logic.Term{bit(logic.Extract(0, 0, logic.ToBV(2, indN))), bit(logic.Extract(1, 1, logic.ToBV(2, indN))), bit(indX), bit(indY)}
	indAllAssigns = func() (envs []map[logic.Term]logic.Value) {
		for _, k := range indNs {
			for i := range 4 {
				envs = append(envs, map[logic.Term]logic.Value{indN: logic.IntValue(big64(k)), indX: logic.IntValue(big64(int64(i & 1))), indY: logic.IntValue(big64(int64(i >> 1)))})
			}
		}
		return envs
	}()
)

func bit(t logic.Term) logic.Term { return logic.Eq(t, logic.BVUint(1, 1)) }

func (w *world) small(d int) logic.Term {
	if d == 0 {
		return pick(w, indAtoms)
	}
	a, b := w.small(d-1), w.small(d-1)
	switch w.r.IntN(5) {
	case 0:
		return logic.And(a, b)
	case 1:
		return logic.Or(a, b)
	case 2:
		return logic.Iff(a, b)
	case 3:
		return logic.Not(a)
	}
	return a
}

// refutes tells that some assignment makes hyps true and c false; for a valid sequent there is none. Bit i of a term's
// entry in the memo is its value under assignment i.
func (w *world) refutes(hyps []logic.Term, c logic.Term) bool {
	holds := func(t logic.Term) uint64 {
		m, ok := w.memo[t]
		if !ok {
			for i, env := range indAllAssigns {
				v, err := logic.Eval(t, env, fuzzBudget)
				if err != nil {
					panic(err)
				}
				if v.Bool() {
					m |= 1 << i
				}
			}
			w.memo[t] = m
		}
		return m
	}
	all := ^holds(c) & (1<<len(indAllAssigns) - 1)
	for _, h := range hyps {
		all &= holds(h)
	}
	return all != 0
}

// induction is a use of Induct with valid premises, and its conclusion checked exactly. unsound tells that the rule
// without its conditions on variables would have proved something false.
func (w *world) induction() (th Theorem, unsound bool, err error) {
	p := w.small(1 + w.r.IntN(3))
	if !w.one(3) { // often true under a hypothesis on y
		p = logic.Or(pick(w, []logic.Term{bit(indY), logic.Not(bit(indY)), logic.Iff(bit(indX), bit(indY))}), p)
	}
	at := func(t logic.Term) logic.Term { return logic.Subst(p, subst{indN: t}) }
	insts := []map[logic.Term]logic.Term{}
	for range w.r.IntN(3) {
		s := map[logic.Term]logic.Term{}
		if w.one(2) {
			s[indX] = pick(w, []logic.Term{indY, logic.BVNot(indX), logic.BVUint(1, 0), logic.BVUint(1, 1), logic.Extract(0, 0, logic.ToBV(2, indN))})
		}
		if w.one(4) {
			s[indY] = pick(w, []logic.Term{indX, logic.BVNot(indY), logic.BVXor(indX, indY), logic.BVUint(1, 1)})
		}
		if w.one(12) {
			s[indN] = pick(w, []logic.Term{logic.Add(indN, num(1)), logic.Sub(indN, num(1)), num(3)})
		}
		insts = append(insts, s)
	}
	var baseHyps, stepHyps []logic.Term
	fixed := []logic.Term{bit(indY), logic.Not(bit(indY)), logic.Iff(bit(indX), bit(indY)), bit(indX)}
	for range w.r.IntN(3) {
		baseHyps = append(baseHyps, pick(w, append(fixed, w.small(w.r.IntN(2)))))
	}
	pool := []logic.Term{logic.Ge0(indN), p, p, logic.Ge0(logic.Add(indN, num(1))), logic.Ge0(logic.Neg(indN)), at(logic.Sub(indN, num(1))), logic.Not(p), w.small(1), w.small(0), logic.Ge0(indN)}
	for _, s := range insts {
		pool = append(pool, logic.Subst(p, s), logic.Subst(p, s))
	}
	if w.one(2) {
		pool = []logic.Term{logic.Ge0(indN), p}
		for _, s := range insts {
			pool = append(pool, logic.Subst(p, s))
		}
		pool = append(pool, baseHyps...)
	}
	for range w.r.IntN(5) {
		stepHyps = append(stepHyps, pick(w, pool))
	}
	first, next := at(num(0)), at(logic.Add(indN, num(1)))
	switch w.r.IntN(16) { // near misses
	case 0:
		first = at(num(1))
	case 1:
		next = at(logic.Add(indN, num(2)))
	case 2:
		next = at(logic.Sub(indN, num(1)))
	case 3:
		first = logic.True()
	}
	if w.refutes(baseHyps, first) { // make the premises valid
		baseHyps = append(baseHyps, first)
	}
	if w.refutes(stepHyps, next) {
		stepHyps = append(stepHyps, pick(w, []logic.Term{next, p, logic.Imp(p, next), logic.Ge0(indN)}))
		if w.refutes(stepHyps, next) {
			stepHyps = append(stepHyps, next)
		}
	}
	base, step := given(first, baseHyps...), given(next, stepHyps...)

	th, err = Induct(indN, p, base, step, insts...)
	rest := without(without(step.Hyps(), logic.Ge0(indN)), p)
	for _, s := range insts {
		rest = without(rest, logic.Subst(p, s))
	}
	naive := append(rest, base.t.hyps...)
	unsound = w.refutes(naive, logic.Imp(logic.Ge0(indN), p))
	if err == nil {
		if w.refutes(th.t.hyps, th.t.concl) {
			panic(fmt.Sprintf("UNSOUND: from %v and %v, instances %v: %v", base, step, insts, th))
		}
		if th.t.concl != logic.Imp(logic.Ge0(indN), p) {
			panic(fmt.Sprintf("wrong conclusion %v for %v", th, p))
		}
		for _, h := range naive {
			if !slices.Contains(th.t.hyps, h) {
				panic(fmt.Sprintf("lost the hypothesis %v: %v", h, th))
			}
		}
	}
	return th, unsound, err
}

// TestInductExact: Induct on thousands of valid premises never gives an invalid sequent, although without its side
// condition it would do so often.
func TestInductExact(t *testing.T) {
	accepted, refused, saved := 0, 0, 0
	inGeneration(t, func() {
		memo := map[logic.Term]uint64{}
		for seed := range uint64(1500) {
			w := seeded(seed)
			w.memo = memo
			_, unsound, err := w.induction()
			switch {
			case err == nil:
				accepted++
			case unsound:
				saved++
			default:
				refused++
			}
		}
	})
	t.Logf("accepted %d, refused %d, refused where the rule without side conditions is unsound %d", accepted, refused, saved)
	if accepted < 150 || refused < 100 || saved < 100 {
		t.Errorf("the generator is too weak")
	}
	evidently(t, "induction", map[string]int64{"accepted": int64(accepted), "refused": int64(refused + saved)})
}

// ---- random walk

// rulesByName are all rules, for calls by reflection.
var rulesByName = map[string]any{
	"Assume": Assume, "Discharge": Discharge, "Taut": Taut, "Inst": Inst, "InstAll": InstAll, "Leibniz": Leibniz, "Rewrite": Rewrite,
	"RewriteTerm": RewriteTerm, "Unfold": Unfold, "Compute": Compute, "Induct": Induct, "Eq": Eq, "Le": Le, "Cong": Cong, "Antisym": Antisym,
	"DvdElim": DvdElim, "DivMod": DivMod, "ModRange": ModRange, "UintRange": UintRange, "UintSplit": UintSplit, "UintExt": UintExt,
	"Fermat": Fermat, "ExpmodZero": ExpmodZero, "ExpmodStep": ExpmodStep, "ExpmodRange": ExpmodRange, "TupleEta": TupleEta,
	"UltDef": UltDef, "AndOrSum": AndOrSum, "UintMod": UintMod, "UintExact": UintExact, "LowRing": LowRing,
}

// walker calls rules on whatever there is: theorems made before, terms in them, garbage, handles of dropped
// generations.
type walker struct {
	*world
	pool []Theorem
	junk []logic.Term
}

func (w *walker) theoremArg() Theorem {
	if len(w.pool) == 0 || w.one(20) {
		return Theorem{}
	}
	return pick(w.world, w.pool)
}

func (w *walker) termArg() logic.Term {
	switch {
	case len(w.junk) > 0 && w.one(15):
		return pick(w.world, w.junk)
	case len(w.pool) > 0 && w.one(2): // part of a theorem
		th := pick(w.world, w.pool)
		t := th.t.concl
		if len(th.t.hyps) > 0 && w.one(2) {
			t = pick(w.world, th.t.hyps)
		}
		for t.NumArgs() > 0 && w.one(2) {
			t = t.Arg(w.r.IntN(t.NumArgs()))
		}
		return t
	case w.one(4):
		return num(int64(w.r.IntN(4) - 1))
	}
	return w.term(pick(w.world, worldSorts), w.r.IntN(3))
}

// arg makes an argument of a rule's parameter type.
func (w *walker) arg(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[Theorem]():
		return reflect.ValueOf(w.theoremArg())
	case reflect.TypeFor[logic.Term]():
		return reflect.ValueOf(w.termArg())
	case reflect.TypeFor[Prime]():
		return reflect.ValueOf(w.prime())
	case reflect.TypeFor[*big.Int]():
		if w.one(20) {
			return reflect.Zero(t)
		}
		return reflect.ValueOf(big64(int64(w.r.IntN(6) - 1)))
	case reflect.TypeFor[Equation]():
		e := Equation{w.theoremArg(), w.termArg(), w.termArg()}
		if c := e.Th.Concl(); c.Op() == logic.OpEq && w.one(2) {
			e.From, e.To = c.Arg(0), c.Arg(1)
		} else if w.one(2) {
			e.From, e.To = c, logic.True()
		}
		return reflect.ValueOf(e)
	case reflect.TypeFor[int]():
		return reflect.ValueOf(w.r.IntN(6) - 1)
	}
	switch t.Kind() {
	case reflect.Slice:
		s := reflect.MakeSlice(t, 0, 3)
		for range w.r.IntN(4) {
			s = reflect.Append(s, w.arg(t.Elem()))
		}
		return s
	case reflect.Map:
		m := reflect.MakeMap(t)
		for range w.r.IntN(3) {
			k := w.termArg()
			if vs := logic.FreeVars(k); len(vs) > 0 {
				k = pick(w.world, vs)
			}
			x := w.termArg()
			if k.Err() == nil && !w.one(8) {
				x = w.term(k.Sort(), 1)
			}
			m.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(x))
		}
		return m
	case reflect.Struct:
		v := reflect.New(t).Elem()
		for i := range v.NumField() {
			v.Field(i).Set(w.arg(v.Field(i).Type()))
		}
		return v
	}
	panic(fmt.Sprintf("a parameter of type %v", t))
}

func (w *walker) call(name string) (ths []Theorem, err error) {
	f := reflect.ValueOf(rulesByName[name])
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		args = append(args, w.arg(f.Type().In(i)))
	}
	var out []reflect.Value
	if f.Type().IsVariadic() {
		out = f.CallSlice(args)
	} else {
		out = f.Call(args)
	}
	if e := out[len(out)-1]; !e.IsNil() {
		return nil, e.Interface().(error)
	}
	for _, o := range out[:len(out)-1] {
		switch o := o.Interface().(type) {
		case Theorem:
			ths = append(ths, o)
		case []Theorem:
			ths = append(ths, o...)
		}
	}
	return ths, nil
}

// guided makes better use of the pool than chance: the rules of a proof, on theorems that fit.
func (w *walker) guided() (ths []Theorem, err error) {
	if len(w.pool) < 2 {
		return single(w.theorem(), nil)
	}
	a, b := pick(w.world, w.pool), pick(w.world, w.pool)
	switch w.r.IntN(7) {
	case 0:
		return single(Taut(logic.And(a.t.concl, b.t.concl), a, b))
	case 1:
		return single(Taut(w.termArg(), a, b))
	case 2:
		return single(Inst(a, w.substitution(a)))
	case 3:
		if len(a.t.hyps) > 0 {
			return single(Discharge(pick(w.world, a.t.hyps), a))
		}
	case 4:
		return single(Rewrite(a, w.equations(a.t.concl)...))
	case 5:
		if a.t.concl.Op() == logic.OpNot && a.t.concl.Arg(0).Op() == logic.OpAnd { // modus ponens
			for _, p := range a.t.concl.Arg(0).Args() {
				return single(Taut(logic.Not(p), a, b))
			}
		}
	}
	return single(w.theorem(), nil)
}

func walk(w *walker, steps int) (accepted int, err error) {
	var names []string
	for name := range rulesByName {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(w.junk) == 0 {
		w.junk = []logic.Term{{}, logic.Add(p), logic.Var("none", logic.Sort{})}
	}
	for range steps {
		var ths []Theorem
		var e error
		name := pick(w.world, names)
		switch k := w.r.IntN(4); {
		case k < 2 && name != "Compute": // which might take long
			ths, e = w.call(name)
		case k == 2:
			ths, e = w.guided()
		default:
			ths, e = generators[name](w.world)
		}
		if e != nil {
			continue
		}
		for _, th := range ths {
			accepted++
			if err := w.check(th, 4); err != nil {
				return accepted, err
			}
			if th.t.concl == logic.False() && len(th.t.hyps) == 0 {
				return accepted, fmt.Errorf("⊢ false")
			}
			if len(w.pool) < 60 {
				w.pool = append(w.pool, th)
			} else {
				w.pool[w.r.IntN(len(w.pool))] = th
			}
		}
	}
	return accepted, nil
}

// TestRandomWalk calls all rules in random order on the results of earlier calls, across generations: the handles of
// dropped ones are refused, or at least prove nothing false.
func TestRandomWalk(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 4
	}
	accepted, held := 0, 0
	for seed := range seeds {
		w := &walker{world: seeded(seed)}
		for range 3 {
			inGeneration(t, func() {
				k, err := walk(w, 400)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				accepted += k
				for _, th := range w.pool {
					w.junk = append(w.junk, th.t.concl)
				}
			})
		}
		held += w.held
	}
	t.Logf("accepted %d, evaluations with true hypotheses %d", accepted, held)
	if accepted < int(seeds)*300 || held < accepted {
		t.Errorf("the walk is too weak: accepted %d, held %d", accepted, held)
	}
	evidently(t, "random walk", map[string]int64{"accepted": int64(accepted), "held": int64(held)})
}

// ---- native fuzzing

// tape is a source of random choices, one byte each: a fuzzer that changes a byte changes one choice.
type tape struct {
	b    []byte
	rest rand.Source
}

func (t *tape) Uint64() uint64 {
	if len(t.b) == 0 {
		return t.rest.Uint64()
	}
	x := uint64(t.b[0])<<56 | 0xabcdef123456
	t.b = t.b[1:]
	return x
}

func fuzzRule(f *testing.F, rule string) {
	for i := range uint64(8) {
		b := make([]byte, 64)
		r := rand.New(rand.NewPCG(i, 1))
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		executions.Add(1)
		inGeneration(t, func() {
			w := newWorld(rand.New(&tape{b, rand.NewPCG(1, 2)}))
			if _, err := runGenerator(w, rule, 20); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func FuzzTaut(f *testing.F)      { fuzzRule(f, "Taut") }
func FuzzInst(f *testing.F)      { fuzzRule(f, "Inst") }
func FuzzLeibniz(f *testing.F)   { fuzzRule(f, "Leibniz") }
func FuzzRewrite(f *testing.F)   { fuzzRule(f, "Rewrite") }
func FuzzInduct(f *testing.F)    { fuzzRule(f, "Induct") }
func FuzzCompute(f *testing.F)   { fuzzRule(f, "Compute") }
func FuzzEq(f *testing.F)        { fuzzRule(f, "Eq") }
func FuzzLe(f *testing.F)        { fuzzRule(f, "Le") }
func FuzzCong(f *testing.F)      { fuzzRule(f, "Cong") }
func FuzzUintMod(f *testing.F)   { fuzzRule(f, "UintMod") }
func FuzzUintExact(f *testing.F) { fuzzRule(f, "UintExact") }
func FuzzFermat(f *testing.F)    { fuzzRule(f, "Fermat") }
func FuzzExpmod(f *testing.F)    { fuzzRule(f, "ExpmodStep") }
func FuzzLowRing(f *testing.F)   { fuzzRule(f, "LowRing") }

// FuzzWalk is TestRandomWalk on a tape.
func FuzzWalk(f *testing.F) {
	f.Add([]byte("walk"))
	f.Fuzz(func(t *testing.T, b []byte) {
		executions.Add(1)
		inGeneration(t, func() {
			w := &walker{world: newWorld(rand.New(&tape{b, rand.NewPCG(3, 4)}))}
			if _, err := walk(w, 40); err != nil {
				t.Fatal(err)
			}
		})
	})
}
