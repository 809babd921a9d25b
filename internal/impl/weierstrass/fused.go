package weierstrass

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/opt"
	"verum.example/internal/tcb/machine"
)

// Fused point operations: a whole doubling or addition is one straight-line program, so that it is scheduled as a whole,
// its intermediate values need no reduction that the next step doesn't ask for, and sums of products are reduced once.
//
// # Ranges
//
// A field element in a program is full, below p, or relaxed, below R = 2^(64n). A product of x and y reduces to a value
// below 2p, which one subtraction makes full, if x·y < p·R: one of them must be full. What is subtracted must be full.
// The generator keeps the ranges with the values and refuses what they do not allow; with relaxed operands throughout, an
// operation would be wrong in one case of 2³².

// element is a field element in Montgomery form.
type element struct {
	w    []opt.V
	full bool // below p; else below R
}

// flag is a carry or borrow.
type flag struct {
	c       opt.Content
	ok      bool // else there is none
	inverse bool // the carry flag is clear when this one is set
}

var noFlag flag

// emitter writes instructions of a target.
type emitter interface {
	// zero is the word 0.
	zero() opt.V
	// mulRow are the low and high words of the products of y with each x.
	mulRow(y opt.V, xs []opt.V) (lo, hi []opt.V)
	// add is x + y + c with its carry, sub is x − y − c with its borrow.
	add(x, y opt.V, c flag) (opt.V, flag)
	sub(x, y opt.V, c flag) (opt.V, flag)
	// not is ^x.
	not(x opt.V) opt.V
	// carryWord is a carry as a word.
	carryWord(c flag) opt.V
	// mask is all ones if c is set, else 0; maskNot is the opposite.
	mask(c flag) opt.V
	maskNot(c flag) opt.V
	// sel is x if c is set, else y.
	sel(c flag, x, y opt.V) opt.V
	// masked are the words of p & m for a mask m.
	masked(m opt.V) []opt.V
	// subModulus is x − p with the borrow of (top, x) − p.
	subModulus(x []opt.V, top opt.V) ([]opt.V, flag)
	// row is (u + q·p)/2⁶⁴ for the quotient digit q = u[0] of a modulus ≡ −1 mod 2⁶⁴.
	row(u []opt.V) []opt.V
	// addFold is x + q·(R − p), for 1 ≤ q < 2¹⁶, with its carry.
	addFold(x []opt.V, q opt.V) ([]opt.V, flag)
	// increment is x + 1, for x < 2⁶⁴ − 1.
	increment(x opt.V) opt.V
	// lowMask is all ones if x is odd, else 0.
	lowMask(x opt.V) opt.V
	// shiftRight is the word (hi·2⁶⁴ + lo) >> 1.
	shiftRight(lo, hi opt.V) opt.V
	// or is x | y.
	or(x, y opt.V) opt.V
	// isZero is set if x is 0.
	isZero(x opt.V) flag
}

// fuser builds a program.
type fuser struct {
	emitter
	prog  *opt.Prog
	n     int
	p     *big.Int
	words []uint64
	err   error
}

// FusedOps lists the fused operations:
//
//	double     r = 2a                      r 3n words, a 3n, tmp
//	add        r = a + b                   r 3n words, a 3n, b 5n (X, Y, Z, Z², Z³), tmp
//	addAffine  r = a + b                   r 3n words, a 3n, b 2n, tmp
//	mul, sqr   r = a·b/R, r = a²/R         r n words, a n, b n, tmp
//
// r may be a. Elements must be full, and are. Additions return b if a is O, and a if b is O; they do not work for a = b,
// which is neither checked nor noticed, unless both are O.
var FusedOps = []string{"double", "add", "addAffine", "mul", "sqr"}

// HasFused tells that there is fused code for the field of p.
func HasFused(p *big.Int) bool { return slices.Equal(Words(p, (p.BitLen()+63)/64), p256Words) }

// NewFused makes the program of a fused operation over the field of p, on curves with a = −3.
func NewFused(t machine.Target, variant, op string, p *big.Int) (*opt.Prog, error) {
	f := &fuser{p: new(big.Int).Set(p), n: (p.BitLen() + 63) / 64}
	f.words = Words(p, f.n)
	if !HasFused(p) {
		return nil, fmt.Errorf("weierstrass: there is no fused code for the modulus %v", p)
	}
	params := []string{"r", "a", "b", "tmp"}
	if op == "double" || op == "sqr" {
		params = []string{"r", "a", "tmp"}
	}
	if err := f.target(t, variant, params); err != nil {
		return nil, err
	}
	switch op {
	case "double":
		f.double()
	case "add":
		f.addition(false)
	case "addAffine":
		f.addition(true)
	case "mul":
		f.store(f.mul("mul", f.input(paramA, 0), f.input(paramB, 0)), 0)
	case "sqr":
		f.store(f.sqr("sqr", f.input(paramA, 0)), 0)
	default:
		return nil, fmt.Errorf("weierstrass: there is no fused operation %q", op)
	}
	if f.err != nil {
		return nil, fmt.Errorf("weierstrass: fused %s: %w", op, f.err)
	}
	f.prog.Clean()
	return f.prog, nil
}

func (f *fuser) target(t machine.Target, variant string, params []string) error {
	switch {
	case t == machine.ARM64 && variant == "":
		f.newARM64(params)
	case t == machine.AMD64 && (variant == "" || variant == "bmi2"):
		f.newAMD64(variant == "bmi2", params)
	default:
		return fmt.Errorf("weierstrass: there is no variant %q for %v", variant, t)
	}
	return nil
}

// Numbers of the parameters.
const (
	paramR = iota
	paramA
	paramB
)

// p256Words is the prime of P-256, the member of the class of moduli that there is code for: ≡ −1 mod 2⁶⁴, with R − p
// a short sum of powers of two.
var p256Words = []uint64{1<<64 - 1, 1<<32 - 1, 0, 0xffffffff00000001}

func (f *fuser) require(ok bool, what string) {
	if !ok && f.err == nil {
		f.err = errors.New(what)
	}
}

// input is element k of what a parameter points to.
func (f *fuser) input(param, k int) element {
	e := element{full: true}
	for i := range f.n {
		e.w = append(e.w, f.prog.Input(param, 8*(k*f.n+i)))
	}
	return e
}

// store makes e element k of the result, which may be where a was.
func (f *fuser) store(e element, k int) {
	f.require(e.full, "a result is not full")
	for i, w := range e.w {
		f.prog.Store(w, paramR, 8*(k*f.n+i), paramA)
	}
}

// chain is x + y with the carry out. Words of y that are missing are 0.
func (f *fuser) chain(x, y []opt.V) (r []opt.V, c flag) {
	r = make([]opt.V, len(x))
	for i := range x {
		w := f.zero()
		if i < len(y) {
			w = y[i]
		}
		r[i], c = f.add(x[i], w, c)
	}
	return r, c
}

// subChain is x − y with the borrow.
func (f *fuser) subChain(x, y []opt.V) (r []opt.V, c flag) {
	r = make([]opt.V, len(x))
	for i := range x {
		r[i], c = f.sub(x[i], y[i], c)
	}
	return r, c
}

// product is x·y in 2n words, by rows.
func (f *fuser) product(name string, x, y element) []opt.V {
	f.require(x.full || y.full, "a product of two relaxed elements")
	f.prog.Begin(name+".product", "product", x.w, y.w)
	n := f.n
	w := make([]opt.V, 2*n)
	lo, hi := f.mulRow(y.w[0], x.w)
	w[0] = lo[0]
	r, _ := f.chain(append(slices.Clone(lo[1:]), hi[n-1]), hi[:n-1])
	copy(w[1:], r)
	f.prog.Mark("row0", w[:n+1]...)
	for i := 1; i < n; i++ {
		lo, hi := f.mulRow(y.w[i], x.w)
		r, _ := f.chain(append(slices.Clone(w[i:i+n]), hi[n-1]), lo)
		w[i] = r[0]
		f.prog.Mark(fmt.Sprintf("low%d", i), append(slices.Clone(w[:i+1]), r[1:]...)...)
		r, _ = f.chain(r[1:], hi[:n-1])
		copy(w[i+1:], r)
		f.prog.Mark(fmt.Sprintf("row%d", i), w[:i+n+1]...)
	}
	return f.prog.End(w)
}

// square is x² in 2n words: products of different words, packed into as few chains as there can be, are added up; then
// come the squares of words, and twice that sum.
func (f *fuser) square(name string, x element) []opt.V {
	f.prog.Begin(name+".square", "square", x.w)
	n := f.n
	type word struct{ lo, hi opt.V }
	prods := map[[2]int]word{}
	for i := range n {
		lo, hi := f.mulRow(x.w[i], append(slices.Clone(x.w[i+1:]), x.w[i]))
		for j := i + 1; j < n; j++ {
			prods[[2]int{i, j}] = word{lo[j-i-1], hi[j-i-1]}
		}
		prods[[2]int{i, i}] = word{lo[n-1-i], hi[n-1-i]}
	}
	diag := make([]opt.V, 0, 2*n)
	for i := range n {
		p := prods[[2]int{i, i}]
		diag = append(diag, p.lo, p.hi)
		delete(prods, [2]int{i, i})
	}
	// layer k has products at columns k+1, k+3, …
	var layers [][]opt.V
	for s := 1; len(prods) > 0; s++ {
		var layer []opt.V
		for c := s; c <= 2*n-3; c += 2 {
			i := max(0, c-n+1)
			for i < c-i && prods[[2]int{i, c - i}] == (word{}) {
				i++
			}
			p, ok := prods[[2]int{i, c - i}]
			if !ok {
				break
			}
			delete(prods, [2]int{i, c - i})
			layer = append(layer, p.lo, p.hi)
		}
		layers = append(layers, layer)
	}
	// A layer is shorter than the one before by its first and last word: its carry ends in a high word.
	for k := len(layers) - 1; k > 0; k-- {
		r, _ := f.chain(layers[k-1][1:], layers[k])
		layers[k-1] = append([]opt.V{layers[k-1][0]}, r...)
		f.prog.Mark(fmt.Sprintf("layer%d", k-1), layers[k-1]...)
	}
	off := append(layers[0], f.zero())
	r, _ := f.chain(diag[1:], off)
	f.prog.Mark("once", append([]opt.V{diag[0]}, r...)...)
	r, _ = f.chain(r, off)
	return f.prog.End(append([]opt.V{diag[0]}, r...))
}

// reduce is (w + Q·p)/R for the Q that makes it a whole number: n words and a top word, 0 or 1.
func (f *fuser) reduce(name string, w []opt.V) []opt.V {
	f.prog.Begin(name+".reduce", "reduce", w)
	r, c := f.rows(w)
	return f.prog.End(append(r, f.carryWord(c)))
}

// rows is (w + Q·p)/R in n words and a carry.
func (f *fuser) rows(w []opt.V) ([]opt.V, flag) {
	u := w[:f.n]
	var q []opt.V
	for i := range f.n {
		q = append(q, u[0])
		u = f.row(u)
		f.prog.Mark(fmt.Sprintf("row%d", i), u...)
	}
	f.prog.Mark("q", q...)
	return f.chain(u, w[f.n:])
}

// relax is reduce and, where the top word is 1, a subtraction of p, for w < p·R; relaxed.
func (f *fuser) relax(name string, w []opt.V) element {
	f.prog.Begin(name+".relax", "relax", w)
	r, c := f.rows(w)
	f.prog.Mark("sum", r...)
	return element{f.prog.End(f.subMasked(r, f.mask(c))), false}
}

// subMasked is r − p if mask is all ones, else r, modulo R.
func (f *fuser) subMasked(r []opt.V, mask opt.V) []opt.V {
	f.prog.Mark("mask", mask)
	s, _ := f.subChain(r, f.masked(mask))
	return s
}

// full is v mod p for v < 2p in n words and a top word.
func (f *fuser) full(name string, v []opt.V) element {
	f.prog.Begin(name+".full", "full", v)
	d, borrow := f.subModulus(v[:f.n], v[f.n])
	f.prog.Mark("difference", d...)
	r := make([]opt.V, f.n)
	for i := range r {
		r[i] = f.sel(borrow, v[i], d[i])
	}
	return element{f.prog.End(r), true}
}

// mul and sqr are Montgomery products; full.
func (f *fuser) mul(name string, x, y element) element {
	return f.full(name, f.reduce(name, f.product(name, x, y)))
}

// mulRelaxed and sqrRelaxed are cheaper, and relaxed.
func (f *fuser) mulRelaxed(name string, x, y element) element {
	return f.relax(name, f.product(name, x, y))
}

func (f *fuser) sqrRelaxed(name string, x element) element {
	f.require(x.full, "a square of a relaxed element")
	return f.relax(name, f.square(name, x))
}

func (f *fuser) sqr(name string, x element) element {
	f.require(x.full, "a square of a relaxed element")
	return f.full(name, f.reduce(name, f.square(name, x)))
}

// addMasked is r + p if c is set, else r, modulo R.
func (f *fuser) addMasked(r []opt.V, mask opt.V) []opt.V {
	f.prog.Mark("mask", mask)
	s, _ := f.chain(r, f.masked(mask))
	return s
}

// plus is x + y, minus p if that is not below R; y must be full, and the sum is relaxed.
func (f *fuser) plus(name string, x, y element) element {
	f.require(x.full || y.full, "a sum of two relaxed elements")
	f.prog.Begin(name+".add", "add", x.w, y.w)
	s, c := f.chain(x.w, y.w)
	f.prog.Mark("sum", s...)
	return element{f.prog.End(f.subMasked(s, f.mask(c))), false}
}

// minus is x − y, plus p if that is negative, for y full; full if x is.
func (f *fuser) minus(name string, x, y element) element {
	f.require(y.full, "a relaxed element is subtracted")
	f.prog.Begin(name+".sub", "sub", x.w, y.w)
	d, b := f.subChain(x.w, y.w)
	f.prog.Mark("difference", d...)
	return element{f.prog.End(f.addMasked(d, f.mask(b))), x.full}
}

// half is x/2 mod p for x full; full.
func (f *fuser) half(name string, x element) element {
	f.require(x.full, "half of a relaxed element")
	f.prog.Begin(name+".half", "half", x.w)
	m := f.lowMask(x.w[0])
	f.prog.Mark("mask", m)
	s, c := f.chain(x.w, f.masked(m))
	s = append(s, f.carryWord(c))
	f.prog.Mark("sum", s...)
	r := make([]opt.V, f.n)
	for i := range r {
		r[i] = f.shiftRight(s[i], s[i+1])
	}
	return element{f.prog.End(r), true}
}

// combine is v minus the elements ss, modulo p, for v < R + p in n words and a top word, and ss full; full.
//
// The number of p in v + Σ(p − s) is its top word or one more. So it subtracts one more than that, and adds p if the
// result is negative.
func (f *fuser) combine(name string, v []opt.V, ss ...element) element {
	ins := [][]opt.V{v}
	for _, s := range ss {
		f.require(s.full, "a relaxed element is subtracted")
		ins = append(ins, s.w)
	}
	f.prog.Begin(name+".combine", "combine", ins...)
	x, top := v[:f.n], v[f.n]
	var neg []opt.V
	for i, s := range ss {
		if i == 0 || !slices.Equal(s.w, ss[i-1].w) {
			neg = f.negation(s)
			f.prog.Mark(fmt.Sprintf("neg%d", i), neg...)
		}
		r, c := f.chain(append(slices.Clone(x), top), neg)
		_ = c
		x, top = r[:f.n], r[f.n]
		f.prog.Mark(fmt.Sprintf("sum%d", i), r...)
	}
	q := f.increment(top)
	f.prog.Mark("q", q)
	d, c := f.addFold(x, q)
	f.prog.Mark("difference", d...)
	return element{f.prog.End(f.addMasked(d, f.maskNot(c))), true}
}

// negation is p − s for s full: between 1 and p.
func (f *fuser) negation(s element) []opt.V {
	r := make([]opt.V, f.n)
	var c flag
	for i, w := range f.words {
		if i == 0 && w == 1<<64-1 {
			r[0] = f.not(s.w[0]) // without a borrow
			continue
		}
		r[i], c = f.sub(f.constant(w), s.w[i], c)
	}
	return r
}

func (f *fuser) constant(w uint64) opt.V {
	if w == 0 {
		return f.zero()
	}
	return f.prog.Const(w)
}

// difference is t − u for numbers of 2n words below p·R, plus p·R if that is negative.
func (f *fuser) difference(name string, t, u []opt.V) []opt.V {
	f.prog.Begin(name+".difference", "difference", t, u)
	d, b := f.subChain(t, u)
	f.prog.Mark("difference", d...)
	hi := f.addMasked(d[f.n:], f.mask(b))
	return f.prog.End(append(slices.Clone(d[:f.n]), hi...))
}

// double is the doubling in halving form (shared/algorithms.md): with h = (X − Z²)(X + Z²),
//
//	M = h + h/2, S = X·Y², X' = M² − 2S, Y' = M·(S − X') − Y⁴, Z' = Y·Z.
func (f *fuser) double() {
	X, Y, Z := f.input(paramA, 0), f.input(paramA, 1), f.input(paramA, 2)
	zz := f.sqr("zz", Z)
	u := f.minus("u", X, zz)
	v := f.plus("v", X, zz)
	yy := f.sqr("yy", Y)
	h := f.mul("h", v, u)
	m := f.plus("m", h, f.half("hh", h))
	s := f.mul("s", X, yy)
	// M² is below R², so that its reduction is below R + p: all that combine asks for.
	x3 := f.combine("x3", f.reduce("mm", f.square("mm", m)), s, s)
	d := f.minus("d", s, x3)
	y3 := f.full("y3", f.reduce("y3", f.difference("y3", f.product("md", m, d), f.square("yyyy", yy))))
	z3 := f.mul("z3", Y, Z)
	f.prog.Begin("store", "store")
	f.store(x3, 0)
	f.store(y3, 1)
	f.store(z3, 2)
}

// addition is a + b with Z2² and Z2³ given, or with Z2 = 1:
//
//	U1 = X1·Z2², U2 = X2·Z1², S1 = Y1·Z2³, S2 = Y2·Z1³, H = U2 − U1, T = S2 − S1, V = U1·H²,
//	X3 = T² − H³ − 2V, Y3 = T·(V − X3) − S1·H³, Z3 = Z1·Z2·H.
func (f *fuser) addition(affine bool) {
	X1, Y1, Z1 := f.input(paramA, 0), f.input(paramA, 1), f.input(paramA, 2)
	X2, Y2 := f.input(paramB, 0), f.input(paramB, 1)
	zz1 := f.sqrRelaxed("zz1", Z1)
	u2 := f.mul("u2", X2, zz1)
	zzz1 := f.mulRelaxed("zzz1", Z1, zz1)
	s2 := f.mulRelaxed("s2", Y2, zzz1)
	u1, s1, zz := X1, Y1, Z1
	var Z2 element
	var nb []opt.V // the words that are all 0 if b is O
	if affine {
		for _, w := range Words(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(64*f.n)), f.p), f.n) {
			Z2.w = append(Z2.w, f.constant(w)) // R mod p
		}
		nb = append(slices.Clone(X2.w), Y2.w...)
	} else {
		Z2 = f.input(paramB, 2)
		nb = Z2.w
		u1 = f.mul("u1", X1, f.input(paramB, 3))
		s1 = f.mul("s1", Y1, f.input(paramB, 4))
		zz = f.mulRelaxed("zz", Z1, Z2)
	}
	h := f.minus("h", u2, u1)
	t := f.minus("t", s2, s1)
	// T is relaxed: its square reduces to less than R + p, and it is multiplied by what is full.
	hh := f.sqrRelaxed("hh", h)
	hhh := f.mul("hhh", h, hh)
	v := f.mul("v", u1, hh)
	x3 := f.combine("x3", f.reduce("tt", f.square("tt", t)), hhh, v, v)
	d := f.minus("d", v, x3)
	y3 := f.full("y3", f.reduce("y3", f.difference("y3", f.product("td", t, d), f.product("sh", s1, hhh))))
	z3 := f.mul("z3", zz, h)

	a := f.any("aAny", Z1.w)
	b := f.any("bAny", nb)
	f.store(f.choose("xr", a, b, X1, X2, x3), 0)
	f.store(f.choose("yr", a, b, Y1, Y2, y3), 1)
	f.store(f.choose("zr", a, b, Z1, Z2, z3), 2)
}

// any is 0 exactly if all words are.
func (f *fuser) any(name string, ws []opt.V) opt.V {
	f.prog.Begin(name, "any", ws)
	r := ws[0]
	for _, w := range ws[1:] {
		r = f.or(r, w)
	}
	f.prog.End([]opt.V{r})
	return r
}

// choose is x1 if b is 0, else x2 if a is 0, else x3.
func (f *fuser) choose(name string, a, b opt.V, x1, x2, x3 element) element {
	f.prog.Begin(name, "choose", []opt.V{a}, []opt.V{b}, x1.w, x2.w, x3.w)
	ia := f.isZero(a)
	t := make([]opt.V, f.n)
	for i := range t {
		t[i] = f.sel(ia, x2.w[i], x3.w[i])
	}
	f.prog.Mark("first", t...)
	ib := f.isZero(b)
	r := make([]opt.V, f.n)
	for i := range r {
		r[i] = f.sel(ib, x1.w[i], t[i])
	}
	return element{f.prog.End(r), true}
}
