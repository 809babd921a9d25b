package auto

import (
	"container/heap"
	"math/big"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// Telescope rewrites integer terms through the definitions of the words in them. Each low word of a sum with carry is
// uint(lo) = x + y + c − 2⁶⁴·uint(carry), each low word of a product uint(lo) = a·b − 2⁶⁴·uint(hi); in a sum of words
// weighted by 2⁶⁴ʲ the carries and high halves that the code passes on cancel, and what remains is a polynomial in the
// leaves and in the carries that the code dropped.
type Telescope struct {
	leaf map[Term]bool
	defs map[Term]*def // by atom uint(w); nil: no definition
	// local definitions: from hypotheses of a case, or facts about single words
	local  map[Term]*def
	height map[Term]int
	lemmas map[int]Theorem // complement, by width
}

// def is the theorem th: atom = rhs.
type def struct {
	rhs Term
	th  Theorem
}

// NewTelescope has no leaves but variables.
func NewTelescope() *Telescope {
	return &Telescope{leaf: map[Term]bool{}, defs: map[Term]*def{}, local: map[Term]*def{}, height: map[Term]int{}, lemmas: map[int]Theorem{}}
}

// Leaf makes words opaque: their definitions are no longer used. A word that is a zero-extension has the value of the
// part that is extended, which becomes a leaf, too.
func (t *Telescope) Leaf(ws ...Term) {
	for _, w := range ws {
		t.leaf[w] = true
		if w.Op() == logic.OpConcat && w.NumArgs() == 2 && logic.Uint(w) == logic.Uint(w.Arg(0)) {
			t.leaf[w.Arg(0)] = true
		}
	}
}

// IsLeaf tells a word that Leaf was told.
func (t *Telescope) IsLeaf(w Term) bool { return t.leaf[w] }

// Define adds the definition atom = rhs, by th, which goes before all others. It returns a function that takes it back.
func (t *Telescope) Define(atom, rhs Term, th Theorem) (undo func()) {
	old, had := t.local[atom]
	t.local[atom] = &def{rhs, th}
	return func() {
		if had {
			t.local[atom] = old
		} else {
			delete(t.local, atom)
		}
	}
}

// Lin is the definition of an atom as an equation.
func (t *Telescope) lin(atom Term, by Term) Lin {
	d := t.definition(atom)
	return Lin{d.th, atom, d.rhs, by}
}

// Reduce gives rest and equations such that p − rest = Σ By·(L−R).
func (t *Telescope) Reduce(p Term) (rest Term, eqs []Lin) {
	w := newWork(t, p)
	for {
		if m, ok := w.next(); ok {
			eqs = append(eqs, w.expand(m))
			continue
		}
		// Nothing has a definition any more. Words whose parts occur are split, and carries out of words that are
		// known to be zero are taken.
		if l, ok := w.split(); ok {
			eqs = append(eqs, l)
			continue
		}
		if l, ok := w.lostWord(); ok {
			eqs = append(eqs, l)
			continue
		}
		return w.term(), eqs
	}
}

// work is a polynomial under reduction, with its monomials by the height of the atom to be replaced next.
type work struct {
	t     *Telescope
	coef  map[Term]*big.Int // by product of atoms
	atoms map[Term][]Term
	queue monoHeap
}

type queued struct {
	mono   Term
	height int
	serial int
}

type monoHeap []queued

func (h monoHeap) Len() int { return len(h) }
func (h monoHeap) Less(i, j int) bool {
	if h[i].height != h[j].height {
		return h[i].height > h[j].height
	}
	return h[i].serial < h[j].serial
}
func (h monoHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *monoHeap) Push(x any)   { *h = append(*h, x.(queued)) }
func (h *monoHeap) Pop() any {
	o := *h
	x := o[len(o)-1]
	*h = o[:len(o)-1]
	return x
}

func newWork(t *Telescope, p Term) *work {
	w := &work{t: t, coef: map[Term]*big.Int{}, atoms: map[Term][]Term{}}
	w.add(one, logic.N(1), p)
	return w
}

// add adds c·by·p.
func (w *work) add(c *big.Int, by, p Term) {
	if by != logic.N(1) {
		p = logic.Mul(by, p)
	}
	for _, m := range p.Monomials() {
		key := logic.N(1)
		if len(m.Atoms) == 1 {
			key = m.Atoms[0]
		} else if len(m.Atoms) > 1 {
			key = logic.Mul(m.Atoms...)
		}
		m.Coef.Mul(m.Coef, c)
		if old, ok := w.coef[key]; ok {
			old.Add(old, m.Coef)
			if old.Sign() != 0 {
				w.push(key)
			}
			continue
		}
		w.coef[key], w.atoms[key] = m.Coef, m.Atoms
		w.push(key)
	}
}

func (w *work) push(key Term) {
	if a, ok := w.t.pick(w.atoms[key]); ok {
		heap.Push(&w.queue, queued{key, w.t.heightOf(a), len(w.queue)})
	}
}

// pick is the highest atom of a product that has a definition.
func (t *Telescope) pick(atoms []Term) (best Term, ok bool) {
	for _, a := range atoms {
		if t.definition(a) != nil && (!ok || t.heightOf(a) > t.heightOf(best)) {
			best, ok = a, true
		}
	}
	return best, ok
}

func (w *work) next() (Term, bool) {
	for w.queue.Len() > 0 {
		q := heap.Pop(&w.queue).(queued)
		if w.coef[q.mono].Sign() != 0 {
			return q.mono, true
		}
	}
	return Term{}, false
}

// expand replaces an atom of a monomial by its definition.
func (w *work) expand(key Term) Lin {
	a, _ := w.t.pick(w.atoms[key])
	c := new(big.Int).Set(w.coef[key])
	by := logic.N(1)
	seen := false
	for _, x := range w.atoms[key] {
		if x == a && !seen {
			seen = true
			continue
		}
		by = logic.Mul(by, x)
	}
	l := w.t.lin(a, Scale(c, by))
	w.coef[key].SetInt64(0)
	w.add(c, by, l.R)
	return l
}

func (w *work) term() Term {
	var ms []logic.Monomial
	for key, c := range w.coef {
		if c.Sign() != 0 {
			ms = append(ms, logic.Monomial{Coef: c, Atoms: w.atoms[key]})
		}
	}
	return logic.FromMonomials(ms)
}

// linear lists the atoms uint(x) that occur alone, with their coefficients, in a fixed order.
func (w *work) linear() (atoms []Term) {
	for key, c := range w.coef {
		if c.Sign() != 0 && len(w.atoms[key]) == 1 && key.Op() == logic.OpUint {
			atoms = append(atoms, key)
		}
	}
	sortTerms(atoms)
	return atoms
}

// split uses binary notation where parts of one word occur: uint(x[h:l])·2ˡ = uint(x[h:0]) − uint(x[l−1:0]).
func (w *work) split() (Lin, bool) {
	for _, a := range w.linear() {
		x := a.Arg(0)
		if x.Op() != logic.OpExtract || x.Lo() == 0 {
			continue
		}
		base := x.Arg(0)
		if x.Lo() == wordBits && !w.t.leaf[base] {
			continue // a carry or a high half
		}
		c := w.coef[a]
		k := Pow2(x.Lo())
		if new(big.Int).Rem(c, k).Sign() != 0 {
			continue
		}
		whole, low := logic.Extract(x.Hi(), 0, base), logic.Extract(x.Lo()-1, 0, base)
		l := Lin{
			Th: Must(kernel.UintSplit(whole, x.Lo())),
			L:  logic.Add(logic.Uint(low), Scale(k, a)),
			R:  logic.Uint(whole),
			By: logic.IntConst(new(big.Int).Quo(c, k)),
		}
		w.add(one, l.By, logic.Sub(l.R, l.L))
		return l, true
	}
	return Lin{}, false
}

// lostWord uses a carry x[n−1:64] whose low word is zero by ring arithmetic, and is therefore nowhere kept:
// 2⁶⁴·uint(carry) = uint(x).
func (w *work) lostWord() (Lin, bool) {
	for _, a := range w.linear() {
		x := a.Arg(0)
		if x.Op() != logic.OpExtract || x.Lo() != wordBits || x.Hi() != x.Arg(0).Width()-1 || w.t.leaf[x] {
			continue
		}
		c := w.coef[a]
		if new(big.Int).Rem(c, Pow2(wordBits)).Sign() != 0 {
			continue
		}
		low := logic.Extract(wordBits-1, 0, x.Arg(0))
		zero, err := kernel.LowRing(low, logic.BVUint(wordBits, 0))
		if err != nil {
			continue
		}
		u := logic.Uint(low)
		d := w.t.sumDef(low)
		if d == nil {
			continue
		}
		// uint(low) = 0 as integers, and uint(low) = rhs, rhs having −2⁶⁴·a in it.
		z := Must(kernel.RewriteTerm(u, Rewritten(zero, low, logic.BVUint(wordBits, 0))))
		th := Equal(d.rhs, logic.N(0), Lin{d.th, u, d.rhs, logic.N(-1)}, Lin{z, u, logic.N(0), logic.N(1)})
		by := logic.IntConst(neg(new(big.Int).Quo(c, Pow2(wordBits))))
		l := Lin{th, d.rhs, logic.N(0), by}
		w.add(one, by, logic.Neg(d.rhs))
		return l, true
	}
	return Lin{}, false
}

const wordBits = 64

// definition is the definition of an atom, nil if it has none.
func (t *Telescope) definition(a Term) *def {
	if d, ok := t.local[a]; ok {
		return d
	}
	if a.Op() != logic.OpUint || t.leaf[a.Arg(0)] {
		return nil
	}
	if d, ok := t.defs[a]; ok {
		return d
	}
	d := t.define(a)
	t.defs[a] = d
	return d
}

func (t *Telescope) define(a Term) *def {
	x := a.Arg(0)
	switch x.Op() {
	case logic.OpExtract:
		if x.Lo() == 0 && x.Width() == wordBits {
			return t.sumDef(x)
		}
	case logic.OpBVAdd, logic.OpBVMul:
		return t.arithmeticDef(x)
	case logic.OpBVNeg:
		return t.wrapped(x)
	case logic.OpBVNot:
		th := Must(kernel.Inst(t.complement(x.Width()), map[Term]Term{complementVar(x.Width()): x.Arg(0)}))
		return &def{logic.Sub(logic.IntConst(new(big.Int).Sub(Pow2(x.Width()), one)), logic.Uint(x.Arg(0))), th}
	case logic.OpShl:
		return t.splitDef(x, x.Lo())
	case logic.OpLshr:
		return t.splitDef(x, x.Width()-x.Lo())
	case logic.OpConcat:
		return t.splitDef(x, x.Arg(0).Width())
	}
	return nil
}

// splitDef is uint(x) = uint(x[k−1:0]) + 2ᵏ·uint(x[n−1:k]).
func (t *Telescope) splitDef(x Term, k int) *def {
	low, high := logic.Extract(k-1, 0, x), logic.Extract(x.Width()-1, k, x)
	return &def{logic.Add(logic.Uint(low), Scale(Pow2(k), logic.Uint(high))), Must(kernel.UintSplit(x, k))}
}

// sumDef defines a word x = s[63:0] of a wider sum or product s that does not wrap:
// uint(x) = value of s − 2⁶⁴·uint(s[n−1:64]).
func (t *Telescope) sumDef(x Term) *def {
	if x.Op() != logic.OpExtract {
		return nil
	}
	s := x.Arg(0)
	if s.Op() != logic.OpBVAdd && s.Op() != logic.OpBVMul {
		return nil
	}
	v := kernel.Polynomial(s)
	lo, hi, l, h := Bounds(v)
	if l.Sign() < 0 || h.BitLen() > s.Width() {
		return nil
	}
	exact := Must(kernel.UintExact(s, lo, hi)) // uint(s) = v
	k := x.Width()
	high := logic.Uint(logic.Extract(s.Width()-1, k, s))
	rhs := logic.Sub(v, Scale(Pow2(k), high))
	th := Equal(logic.Uint(x), rhs,
		Lin{exact, logic.Uint(s), v, logic.N(1)},
		Lin{Must(kernel.UintSplit(s, k)), logic.Uint(s), logic.Add(logic.Uint(x), Scale(Pow2(k), high)), logic.N(-1)})
	return &def{rhs, th}
}

// arithmeticDef defines a sum or product of full width: exactly, if it cannot wrap.
func (t *Telescope) arithmeticDef(x Term) *def {
	v := kernel.Polynomial(x)
	lo, hi, l, h := Bounds(v)
	if l.Sign() >= 0 && h.BitLen() <= x.Width() {
		return &def{v, Must(kernel.UintExact(x, lo, hi))}
	}
	return t.wrapped(x)
}

// wrapped is uint(x) = v + 2ⁿ·q, with the quotient q named by div.
func (t *Telescope) wrapped(x Term) *def {
	v := kernel.Polynomial(x)
	u, m := logic.Uint(x), logic.Pow2(x.Width())
	th := Must(kernel.DvdElim(Must(kernel.UintMod(x)))) // ±(u − v) = m·(±(u − v) div m)
	p := logic.Cong(u, v, m).Arg(0)
	q := logic.Div(p, m)
	by := logic.N(1)
	if p != logic.Sub(u, v) {
		q = logic.Neg(q)
		by = logic.N(-1)
	}
	rhs := logic.Add(v, logic.Mul(m, q))
	return &def{rhs, Equal(u, rhs, Lin{th, p, logic.Mul(m, logic.Div(p, m)), by})}
}

// heightOf is the height of an atom's term: a definition refers to lower words only.
func (t *Telescope) heightOf(x Term) int {
	if h, ok := t.height[x]; ok {
		return h
	}
	h := 0
	if !t.leaf[x] {
		for _, a := range x.Args() {
			h = max(h, 1+t.heightOf(a))
		}
		for _, m := range x.Monomials() {
			for _, a := range m.Atoms {
				if a != x {
					h = max(h, 1+t.heightOf(a))
				}
			}
		}
	}
	t.height[x] = h
	return h
}

// complement is the lemma of that name, proved once.
func (t *Telescope) complement(n int) Theorem {
	if th, ok := t.lemmas[n]; ok {
		return th
	}
	th := complement(n)
	t.lemmas[n] = th
	return th
}
