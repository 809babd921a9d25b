// Package mont generates code for arithmetic modulo an odd number m of n = 3 to 6 words in Montgomery form, R = 2^(64n):
// the functions whose contracts are in spec/mont. It is untrusted: proof/mont verifies what it makes.
//
// Algorithms are the same for both targets; mont.go has what they share, arm64.go and amd64.go write instructions. The
// numbers of words, rows and carries come from exact bounds, so that an accumulator has no word that is always zero
// and no carry is lost: every carry that the code drops is dropped at the top of the accumulator, where the bound of
// the whole sum shows that it is zero. Nothing else needs to be known about a row than the sum that it computes.
package mont

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Routine is a generated function without its contract.
type Routine struct {
	Code     machine.Code
	Tables   []machine.Table
	Frame    int
	Features []string // CPU features beyond the baseline
	// Marks says, for each machine.Mark of the code, where the values are at that point.
	Marks map[string]Marked
}

// Marked says where values are at a mark. Which marks there are depends on the function:
//
//	mul<i>  Mul, ToMont: Acc is the sum T + a_i·b, where T is the value at red<i−1>, 0 at first
//	sqr     Sqr, instead of all mul<i>, if it has a squaring of its own: Acc is a², 2n words
//	q<i>    Q is the quotient digit q, q·m ≡ −Acc mod 2⁶⁴
//	red<i>  Acc is (T + q·m)/2⁶⁴, where T is the value before; FromMont starts with its argument as T
//
// Acc at red<n−1> has n words and a top word; the value is below 2m. Elsewhere words known to be zero are left out.
type Marked struct {
	Acc []machine.Loc // words, least significant first
	Q   machine.Loc
}

// Variants lists the variants in which a target has an operation; the first is the baseline. Only products, Mul, Sqr,
// ToMont and FromMont, have others.
func Variants(t machine.Target, op string) []string {
	switch {
	case t == machine.AMD64 && operations[op].products:
		return []string{"", "bmi2"}
	case t == machine.AMD64, t == machine.ARM64:
		return []string{""}
	}
	return nil
}

// Mul is r = a·b/R mod m, for b < m.
func Mul(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Mul", t, variant, m)
}

// Sqr is r = a²/R mod m, for a < m.
func Sqr(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Sqr", t, variant, m)
}

// ToMont is r = a·R mod m, for any a: Mul by R² mod m, which is the table "rr".
func ToMont(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("ToMont", t, variant, m)
}

// FromMont is r = a/R mod m, for any a.
func FromMont(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("FromMont", t, variant, m)
}

// Add is r = a + b mod m, for a, b < m.
func Add(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Add", t, variant, m)
}

// Sub is r = a − b mod m, for a, b < m.
func Sub(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Sub", t, variant, m)
}

// Neg is r = −a mod m, for a < m.
func Neg(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Neg", t, variant, m)
}

// Half is r = a/2 mod m, for a < m.
func Half(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Half", t, variant, m)
}

// FromBytes is r = b, big-endian, and 1 if b < m; else r = 0, and 0.
func FromBytes(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("FromBytes", t, variant, m)
}

// ToBytes is b = a, big-endian.
func ToBytes(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("ToBytes", t, variant, m)
}

// CMov is r = a if cond is not 0.
func CMov(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("CMov", t, variant, m)
}

// CNeg is r = −a mod m if cond is not 0, else r = a, for a < m.
func CNeg(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("CNeg", t, variant, m)
}

// Select is r = table[index], or 0 if index ≥ 16, where table has 16 entries of 3n words. All entries are read.
func Select(t machine.Target, variant string, m *big.Int) (Routine, error) {
	return function("Select", t, variant, m)
}

// entries is the number of entries of a table for Select.
const entries = 16

// modulus is m and what follows from it.
type modulus struct {
	m     *big.Int
	n     int
	words []uint64
	minv  uint64 // −m⁻¹ mod 2⁶⁴
	// friendly: m ≡ −1 mod 2⁶⁴. The quotient digit is the low word itself, and q·m plus that word is
	// q·(m+1), of which the low word is 0: next are the words of (m+1)/2⁶⁴.
	friendly bool
	next     []uint64
}

func newModulus(m *big.Int) (*modulus, error) {
	if m == nil || m.Sign() <= 0 || m.Bit(0) == 0 {
		return nil, errors.New("the modulus is not an odd natural number")
	}
	n := (m.BitLen() + 63) / 64
	if n < 3 || n > 6 {
		return nil, fmt.Errorf("the modulus has %d words, not 3 to 6", n)
	}
	f := &modulus{m: new(big.Int).Set(m), n: n, words: toWords(m, n)}
	inv := f.words[0] // m·m ≡ 1 mod 8, and each step doubles the bits
	for range 5 {
		inv *= 2 - f.words[0]*inv
	}
	f.minv = -inv
	if f.friendly = f.minv == 1; f.friendly {
		next := new(big.Int).Add(m, big.NewInt(1))
		f.next = toWords(next.Rsh(next, 64), n)
	}
	return f, nil
}

// reductionWords are the factors of the quotient digit in a row of a reduction.
func (f *modulus) reductionWords() []uint64 {
	if f.friendly {
		return f.next
	}
	return f.words
}

// quotientShift tells that −m⁻¹ = 2^k + 1, so that the quotient digit takes a shift and an addition.
func (f *modulus) quotientShift() (k int, ok bool) {
	k, ok = constOp(f.minv - 1).isPow2()
	return k, ok && k > 0
}

// toWords are the n low words of v.
func toWords(v *big.Int, n int) []uint64 {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	ws := make([]uint64, n)
	for i := range ws {
		w := new(big.Int).Rsh(v, uint(64*i))
		ws[i] = w.And(w, mask).Uint64()
	}
	return ws
}

// table is a table of words.
func table(name string, ws []uint64) machine.Table {
	t := machine.Table{Name: name, Elem: 8}
	for _, w := range ws {
		for i := range 8 {
			t.Data = append(t.Data, byte(w>>(8*i)))
		}
	}
	return t
}

// timesMaxWord is (2⁶⁴−1)·x.
func timesMaxWord(x *big.Int) *big.Int {
	r := new(big.Int).Lsh(x, 64)
	return r.Sub(r, x)
}

// reduced bounds (t + q·m)/2⁶⁴.
func (f *modulus) reduced(t *big.Int) *big.Int {
	r := timesMaxWord(f.m)
	return r.Rsh(r.Add(r, t), 64)
}

// mulBounds are the largest values at mul<i>, for b < m.
func (f *modulus) mulBounds() []*big.Int {
	row := timesMaxWord(new(big.Int).Sub(f.m, big.NewInt(1)))
	t := new(big.Int)
	var bs []*big.Int
	for range f.n {
		b := new(big.Int).Add(t, row)
		bs = append(bs, b)
		t = f.reduced(b)
	}
	return bs
}

// redBounds are the largest values at red<i> for a start value of at most t.
func (f *modulus) redBounds(t *big.Int) []*big.Int {
	var bs []*big.Int
	for range f.n {
		t = f.reduced(t)
		bs = append(bs, t)
	}
	return bs
}

// wordsOf is the number of words of an accumulator with that largest value.
func wordsOf(bound *big.Int) int { return (bound.BitLen() + 63) / 64 }

// An operand is a register, a word in memory, or a constant.
type operand struct {
	kind operandKind
	reg  isa.Reg // the register, or the base of the address
	off  int
	word uint64
}

type operandKind uint8

const (
	inReg operandKind = iota
	inMem
	constant
)

func regOp(r isa.Reg) operand             { return operand{kind: inReg, reg: r} }
func memOp(base isa.Reg, off int) operand { return operand{kind: inMem, reg: base, off: off} }
func constOp(w uint64) operand            { return operand{kind: constant, word: w} }

// isPow2 tells that o is a constant power of two, and which.
func (o operand) isPow2() (int, bool) {
	if o.kind != constant || bits.OnesCount64(o.word) != 1 {
		return 0, false
	}
	return bits.TrailingZeros64(o.word), true
}

// A product x·y has its low word at position pos of an accumulator and its high word at pos + 1. Only y may be a
// constant; it is not 0.
type product struct {
	pos  int
	x, y operand
	// lo and hi hold the words if they are ready.
	ready  bool
	lo, hi isa.Reg
}

// double tells that the product has a high word.
func (p product) double() bool { return p.y != constOp(1) }

// part is one word of a product.
type part struct {
	p  *product
	hi bool
}

// row are the products of x and the words ys, from position pos on. Zeros are left out.
func row(pos int, x operand, ys []operand) []product {
	var ps []product
	for j, y := range ys {
		if y != constOp(0) {
			ps = append(ps, product{pos: pos + j, x: x, y: y})
		}
	}
	return ps
}

// constOps makes words constant operands.
func constOps(ws []uint64) []operand {
	var os []operand
	for _, w := range ws {
		os = append(os, constOp(w))
	}
	return os
}

// chains distributes products over chains of additions: in each, every position has one word at most. A product goes
// into the first chain that has room.
func chains(ps []product) []map[int]part {
	var cs []map[int]part
	for i := range ps {
		p := &ps[i]
		k := 0
		for ; k < len(cs); k++ {
			_, lo := cs[k][p.pos]
			_, hi := cs[k][p.pos+1]
			if !lo && !(p.double() && hi) {
				break
			}
		}
		if k == len(cs) {
			cs = append(cs, map[int]part{})
		}
		cs[k][p.pos] = part{p, false}
		if p.double() {
			cs[k][p.pos+1] = part{p, true}
		}
	}
	return cs
}

// window holds the words of an accumulator, least significant first. A word that is not live is zero, and its register
// holds something else.
type window struct {
	regs []isa.Reg
	live []bool
}

// push adds a word at the top.
func (w *window) push(r isa.Reg, live bool) {
	w.regs, w.live = append(w.regs, r), append(w.live, live)
}

// adder writes the instructions of one chain. final says that the carry out is not used.
type adder interface {
	set(w *window, pos int, p part)                    // the word, not live yet, becomes p
	add(w *window, pos int, p part, first, final bool) // the word += p, + carry unless first
	setCarry(w *window, pos int, p part, final bool)   // the word, not live yet, becomes p + carry
	carry(w *window, pos int, final bool)              // the word += carry
	prepare(w *window, pos int)                        // comes before the chain that has onlyCarry at pos
	onlyCarry(w *window, pos int, final bool)          // the word, not live yet, becomes the carry
}

// chain adds the parts, at their positions, to the accumulator. The carry goes on to the top of the accumulator, where
// it is known to be zero.
func chain(a adder, w *window, parts map[int]part) {
	top := len(w.regs) - 1
	carry := false
	for pos := range w.regs {
		_, ok := parts[pos]
		if carry && !ok && !w.live[pos] {
			a.prepare(w, pos)
		}
		carry = carry || ok && w.live[pos]
	}
	carry = false
	for pos := range w.regs {
		p, ok := parts[pos]
		final := pos == top
		switch {
		case ok && w.live[pos]:
			a.add(w, pos, p, !carry, final)
			carry = true
		case ok && carry:
			a.setCarry(w, pos, p, final)
		case ok:
			a.set(w, pos, p)
		case carry && w.live[pos]:
			a.carry(w, pos, final)
		case carry:
			a.onlyCarry(w, pos, final)
		}
		w.live[pos] = w.live[pos] || ok || carry
	}
}

// backend is a target.
type backend interface {
	// pointer loads the argument of that name into a register.
	pointer(name string) isa.Reg
	// tableAddr puts the address of a table into a register.
	tableAddr(name string) isa.Reg
	// factor makes the words at base operands for many products.
	factor(base isa.Reg) []operand
	// digit makes word i at base an operand for one row.
	digit(base isa.Reg, i int) operand
	// clear makes a register 0; it may destroy the flags.
	clear(r isa.Reg)
	// load puts the words at base into registers.
	load(base isa.Reg) []isa.Reg
	// constants decides where the constants of reductions are, given how many registers will be needed besides.
	constants(need int)
	// release frees the registers of operands that are not used any more.
	release(os ...operand)
	// accumulate adds products to the accumulator.
	accumulate(w *window, ps []product)
	// double doubles the accumulator from word 1 on.
	double(w *window)
	// quotient computes the quotient digit for the low word; it may be the low word's register.
	quotient(low isa.Reg) isa.Reg
	// wide tells whether a square of 2n words fits into the registers.
	wide() bool
	// finish stores the accumulator of n+1 words, which is below 2m, modulo m in the result.
	finish(w *window)

	addition()
	subtraction()
	negation(conditional bool)
	halving()
	fromBytes()
	toBytes()
	conditionalMove()
	selection()
}

// builder collects code.
type builder struct {
	*modulus
	be    backend
	pool  []isa.Reg // free registers, the longest free first
	seq   machine.Seq
	block machine.Block
	r     Routine
	err   error

	// params are the registers of the parameters of an internal routine; nil for a function that Go calls.
	params map[string]isa.Reg
	prefix string // of the names of an internal routine's tables, which share a name space with its callers'
	spill  bool   // an internal routine keeps the pointer r in its frame
}

// operations are the bodies of the functions by name, in the order of the parameters of spec/mont.
var operations = map[string]struct {
	params   []string
	products bool // there are variants
	body     func(*builder)
}{
	"Mul":       {[]string{"r", "a", "b"}, true, func(b *builder) { b.mul(false) }},
	"Sqr":       {[]string{"r", "a"}, true, (*builder).sqr},
	"ToMont":    {[]string{"r", "a"}, true, func(b *builder) { b.mul(true) }},
	"FromMont":  {[]string{"r", "a"}, true, (*builder).fromMont},
	"Add":       {[]string{"r", "a", "b"}, false, func(b *builder) { b.be.addition() }},
	"Sub":       {[]string{"r", "a", "b"}, false, func(b *builder) { b.be.subtraction() }},
	"Neg":       {[]string{"r", "a"}, false, func(b *builder) { b.be.negation(false) }},
	"Half":      {[]string{"r", "a"}, false, func(b *builder) { b.be.halving() }},
	"FromBytes": {[]string{"r", "b"}, false, func(b *builder) { b.be.fromBytes() }},
	"ToBytes":   {[]string{"b", "a"}, false, func(b *builder) { b.be.toBytes() }},
	"CMov":      {[]string{"r", "a", "cond"}, false, func(b *builder) { b.be.conditionalMove() }},
	"CNeg":      {[]string{"r", "a", "cond"}, false, func(b *builder) { b.be.negation(true) }},
	"Select":    {[]string{"r", "table", "index"}, false, func(b *builder) { b.be.selection() }},
}

// function generates a function that Go calls.
func function(op string, t machine.Target, variant string, m *big.Int) (Routine, error) {
	return generate(op, t, variant, m, func(*builder) {})
}

// Internal generates the operation of that name (Mul, Sqr, …, all but Select) as a routine that only verified code
// calls: pointers are in the registers machine.Target.ParamReg(i) and stay as they are only if nothing else needs the
// registers. If there are too few registers, the pointer r is in the frame. The names of tables begin with the prefix,
// which should stand for the modulus: routines that are called by one function may have the same tables only.
func Internal(op, prefix string, t machine.Target, variant string, m *big.Int) (Routine, error) {
	var r Routine
	var err error
	for _, spill := range []bool{false, true} {
		r, err = generate(op, t, variant, m, func(b *builder) {
			b.params, b.prefix, b.spill = map[string]isa.Reg{}, prefix, spill
		})
		if err == nil || !errors.Is(err, errRegisters) {
			break
		}
	}
	return r, err
}

var errRegisters = errors.New("not enough registers")

func generate(op string, t machine.Target, variant string, m *big.Int, init func(*builder)) (Routine, error) {
	f, ok := operations[op]
	mod, err := newModulus(m)
	switch {
	case !ok:
		return Routine{}, fmt.Errorf("mont: there is no operation %s", op)
	case err != nil:
		return Routine{}, fmt.Errorf("mont: %w", err)
	case !f.products && variant != "":
		return Routine{}, fmt.Errorf("mont: %s has no variant %q", op, variant)
	}
	b := &builder{modulus: mod}
	b.r.Marks = map[string]Marked{}
	init(b)
	if b.params != nil {
		if op == "Select" {
			return Routine{}, errors.New("mont: Select is no internal routine")
		}
		for i, name := range f.params {
			r, ok := t.ParamReg(i)
			if !ok {
				return Routine{}, fmt.Errorf("mont: there is no register for parameter %s", name)
			}
			b.params[name] = r
		}
	}
	switch {
	case t == machine.ARM64 && variant == "":
		b.be = newARM64(b)
	case t == machine.AMD64 && (variant == "" || variant == "bmi2"):
		b.be = newAMD64(b, variant == "bmi2")
	default:
		return Routine{}, fmt.Errorf("mont: there is no variant %q for %v", variant, t)
	}
	f.body(b)
	if b.err != nil {
		return Routine{}, fmt.Errorf("mont: %v %q, modulus %v: %w", t, variant, m, b.err)
	}
	b.flush()
	b.r.Code = b.seq
	return b.r, nil
}

// fail keeps the first error.
func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) emit(is ...isa.Instr) { b.block = append(b.block, is...) }

// claimParams takes the registers of an internal routine's parameters out of the pool.
func (b *builder) claimParams() {
	for _, r := range b.params {
		b.pool = slices.DeleteFunc(b.pool, func(q isa.Reg) bool { return q == r })
	}
}

// takeParam is the register that has the parameter of an internal routine, and is the caller's from now on. There is
// none for a function that Go calls, and for the pointer r if it is in the frame.
func (b *builder) takeParam(name string) (isa.Reg, bool) {
	r, ok := b.params[name]
	return r, ok && !(b.spill && name == "r")
}

// addTable adds a table and returns its name.
func (b *builder) addTable(name string, ws []uint64) string {
	if b.prefix != "" {
		name = b.prefix + strings.ToUpper(name)
	}
	b.r.Tables = append(b.r.Tables, table(name, ws))
	return name
}

// flush ends the block of straight-line code.
func (b *builder) flush() {
	if len(b.block) > 0 {
		b.seq = append(b.seq, b.block)
		b.block = nil
	}
}

// loop makes the code since the last flush the body of a loop over the entries of a table.
func (b *builder) loop(name string, while isa.Cond) {
	b.seq = append(b.seq, machine.Loop{Name: name, Body: b.block, While: while, Unroll: entries + 1})
	b.block = nil
}

// alloc takes the register that has been free for longest.
func (b *builder) alloc() isa.Reg {
	if len(b.pool) == 0 {
		b.fail("%w", errRegisters)
		return 0
	}
	r := b.pool[0]
	b.pool = b.pool[1:]
	return r
}

func (b *builder) allocN(n int) []isa.Reg {
	rs := make([]isa.Reg, n)
	for i := range rs {
		rs[i] = b.alloc()
	}
	return rs
}

func (b *builder) free(rs ...isa.Reg) { b.pool = append(b.pool, rs...) }

// mark adds a mark; i < 0 if it has no number.
func (b *builder) mark(name string, i int, mk Marked) {
	b.flush()
	if i >= 0 {
		name = fmt.Sprintf("%s%d", name, i)
	}
	b.seq = append(b.seq, machine.Mark{Name: name})
	b.r.Marks[name] = mk
}

// markAcc adds a mark that shows the live words of an accumulator: all words but some at the top, which are zero.
func (b *builder) markAcc(name string, i int, w *window) {
	var mk Marked
	for j, r := range w.regs {
		if w.live[j] {
			if len(mk.Acc) < j {
				b.fail("%s%d: a word below the top is not live", name, i)
			}
			mk.Acc = append(mk.Acc, machine.RegLoc(r))
		}
	}
	b.mark(name, i, mk)
}

// grow makes the accumulator n words long.
func (b *builder) grow(w *window, n int) {
	for len(w.regs) < n {
		w.push(b.alloc(), false)
	}
}

// reduce is one row of the reduction: w = (w + q·m)/2⁶⁴, of n words in the end.
func (b *builder) reduce(i int, w *window, n int) {
	q := b.be.quotient(w.regs[0])
	b.mark("q", i, Marked{Q: machine.RegLoc(q)})
	b.grow(w, n+1)
	pos := 0
	if b.friendly {
		pos = 1
	}
	b.be.accumulate(w, row(pos, regOp(q), constOps(b.reductionWords())))
	if q != w.regs[0] {
		b.be.release(regOp(q))
	}
	b.free(w.regs[0])
	w.regs, w.live = w.regs[1:], w.live[1:]
	if i == b.n-1 && !w.live[b.n] { // no addition that could carry, for m = R − 1
		b.be.clear(w.regs[b.n])
		w.live[b.n] = true
	}
	b.markAcc("red", i, w)
}

// mul is the product of a and b, or of a and R² mod m.
func (b *builder) mul(toMont bool) {
	pa := b.be.pointer("a")
	var pb isa.Reg
	if toMont {
		rr := new(big.Int).Lsh(big.NewInt(1), uint(128*b.n))
		pb = b.be.tableAddr(b.addTable("rr", toWords(rr.Mod(rr, b.m), b.n)))
	} else {
		pb = b.be.pointer("b")
	}
	b.rows(pa, pb)
}

// rows makes the product of the numbers at pa and pb, reduced, row by row.
func (b *builder) rows(pa, pb isa.Reg) {
	y := b.be.factor(pb)
	if pb != pa && y[0].kind == inReg {
		b.free(pb)
	}
	b.be.constants(b.n + 2)
	w := &window{}
	for i, bound := range b.mulBounds() {
		b.grow(w, max(b.n+1, wordsOf(bound)))
		x := b.be.digit(pa, i)
		b.be.accumulate(w, row(0, x, y))
		b.be.release(x)
		b.markAcc("mul", i, w)
		if i == b.n-1 {
			b.be.release(y...)
			b.free(pa)
			if pb != pa && y[0].kind == inMem {
				b.free(pb)
			}
		}
		b.reduce(i, w, b.n+1)
	}
	b.be.finish(w)
}

// sqr adds products of different words, doubled, and squares of words; then come the rows of a reduction.
func (b *builder) sqr() {
	pa := b.be.pointer("a")
	if !b.be.wide() {
		b.rows(pa, pa)
		return
	}
	a := b.be.factor(pa)
	w := &window{}
	b.grow(w, 2*b.n)
	var off, diag []product
	for i := range a {
		diag = append(diag, product{pos: 2 * i, x: a[i], y: a[i]})
		for j := i + 1; j < b.n; j++ {
			off = append(off, product{pos: i + j, x: a[i], y: a[j]})
		}
	}
	b.be.accumulate(w, off)
	b.be.double(w)
	b.be.accumulate(w, diag)
	b.markAcc("sqr", -1, w)
	b.be.release(a...)
	b.free(pa)

	square := new(big.Int).Sub(b.m, big.NewInt(1))
	b.be.constants(1)
	for i, bound := range b.redBounds(square.Mul(square, square)) {
		n := max(len(w.regs)-1, wordsOf(bound))
		if i == b.n-1 {
			n = b.n + 1
		}
		b.reduce(i, w, n)
	}
	b.be.finish(w)
}

// fromMont makes the rows of a reduction.
func (b *builder) fromMont() {
	w := &window{}
	p := b.be.pointer("a")
	for _, r := range b.be.load(p) {
		w.push(r, true)
	}
	b.free(p)
	b.be.constants(2)
	all := new(big.Int).Lsh(big.NewInt(1), uint(64*b.n))
	for i, bound := range b.redBounds(all.Sub(all, big.NewInt(1))) {
		n := max(b.n, wordsOf(bound))
		if i == b.n-1 {
			n = b.n + 1
		}
		b.reduce(i, w, n)
	}
	b.be.finish(w)
}
