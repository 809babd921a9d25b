package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Routines are the verified routines that a function of a curve calls.
type Routines struct {
	Field, Scalars                        *Field
	Double, Add, AddAffine, Cache, Select machine.Verified
	Inverse, SelectComb                   machine.Verified
	A, B                                  *big.Int // of the curve
	GX, GY                                *big.Int
}

// Window is the number of bits of a digit of ECDH, and TableEntries the number of multiples of the public key.
const (
	Window       = 5
	TableEntries = 1 << (Window - 1)
)

// Digits says how a scalar below 2^bits is written with signed digits: k = Σ (dᵢ − 16)·32ⁱ + top·32^Rounds, where the dᵢ
// and top are the digits of k + Offset.
type Digits struct {
	Rounds int      // number of signed digits
	Words  int      // of k + Offset
	Align  int      // k + Offset is shifted left by so much to have the top digit in the top bits
	Offset *big.Int // Σ 16·32ⁱ, i < Rounds
}

// NewDigits are the digits for a group order m.
func NewDigits(m *big.Int) (Digits, error) {
	d := Digits{Rounds: m.BitLen() / Window, Words: (m.BitLen()+63)/64 + 1, Offset: new(big.Int)}
	for i := range d.Rounds {
		d.Offset.SetBit(d.Offset, Window*i+Window-1, 1)
	}
	d.Align = 64*d.Words - Window*(d.Rounds+1)
	top := new(big.Int).Add(m, d.Offset)
	if top.Rsh(top, uint(Window*d.Rounds)); top.Cmp(big.NewInt(TableEntries)) > 0 || d.Align < 1 || d.Align > 63 {
		return d, fmt.Errorf("impl/weierstrass: no digits for an order of %d bits", m.BitLen())
	}
	return d, nil
}

// work is how a function divides its scratch memory.
type work struct {
	b    *Builder
	f    *Field
	next Ptr
}

// elements takes the next n elements.
func (w *work) elements(n int) Ptr {
	p := w.next
	w.next = p.At(n * w.f.Bytes())
	return p
}

// function starts a function that Go calls: scratch memory is cleared, as the routines want it initialised.
func function(t machine.Target, variant string, c machine.Contract, f *Field) (*Builder, *work) {
	b := NewBuilder(t, variant, c)
	b.clear("clear")
	return b, &work{b, f, b.Param("work")}
}

// clear makes the scratch memory zero, in a loop that is run through.
func (b *Builder) clear(name string) {
	const chunk = 64
	n := 0
	for _, p := range b.contract.Params() {
		if p.Name == "work" {
			n = p.Bytes
		}
	}
	if n == 0 || n%chunk != 0 {
		b.fail("%d bytes of scratch memory", n)
		return
	}
	regs := b.regs()
	zero, at, left := regs[0], regs[1], regs[2]
	b.Const(zero, 0)
	b.Address(at, b.Param("work"))
	b.Const(left, uint64(n/chunk))
	l := machine.Loop{Name: name, While: arm64.NE, Unroll: n / chunk}
	l.Body = b.Body(func() {
		for i := 0; i < chunk; i += 8 {
			b.emit(arm64.STR{T: zero, N: at, Offset: i}, amd64.MOVMR{M: amd64.Mem{Base: at, Disp: int32(i)}, S: zero})
		}
		b.advance(at, chunk)
		b.emit(arm64.SUBSImm{D: left, N: left, Imm: 1}, amd64.SUBI{D: left, Imm: 1})
	})
	if b.target == machine.AMD64 {
		l.While = amd64.NE
	}
	b.Append(l)
}

// constants of the field in Montgomery form: 1, a, b, and the coordinates of G.
type constants struct{ one, a, b, g Ptr }

func (b *Builder) constants(r *Routines) constants {
	f := r.Field
	mont := func(x *big.Int) []uint64 {
		v := new(big.Int).Mul(x, f.R())
		return Words(v.Mod(v, f.M), f.Words)
	}
	one := mont(big.NewInt(1))
	return constants{
		one: b.Table(f.Name+"One", one),
		a:   b.Table(f.Name+"A", mont(r.A)),
		b:   b.Table(f.Name+"B", mont(r.B)),
		g:   b.Table(f.Name+"G", append(mont(r.GX), append(mont(r.GY), one...)...)),
	}
}

// decode sets the point q, X, Y, Z, to the public key that the bytes at p encode, and the word valid to all ones; if they
// encode none, the word is 0 and q is anything. It needs the temporary elements t of which there are three.
func (b *Builder) decode(r *Routines, k constants, q, p, valid, t Ptr) {
	f, regs := r.Field, b.regs()
	x, y := q, f.coordinate(q, 1)
	// t0 = (tag ^ 4, ok(X) ^ 1, ok(Y) ^ 1, ^mask): zero for a valid key
	t0, t1, t2 := t, f.coordinate(t, 1), f.coordinate(t, 2)
	b.loadByte(regs[0], p)
	b.xorImm(regs[0], 4)
	b.StoreReg(t0, regs[0])
	for i, c := range []Ptr{x, y} {
		b.Do(f, "FromBytes", c, p.At(1+i*f.Bytes()))
		b.move(regs[0], b.ParamReg(0))
		b.xorImm(regs[0], 1)
		b.StoreReg(t0.At(8+8*i), regs[0])
		b.Do(f, "ToMont", c, c)
	}
	b.Sqr(f, t1, x)
	b.Add(f, t1, t1, k.a)
	b.Mul(f, t1, t1, x)
	b.Add(f, t1, t1, k.b) // (x² + a)·x + b
	b.Sqr(f, t2, y)
	b.Sub(f, t1, t1, t2)
	b.Mask(f, t0.At(24), t1)
	b.LoadReg(regs[0], t0.At(24))
	b.not(regs[0])
	b.StoreReg(t0.At(24), regs[0])
	b.Mask(f, valid, t0)
}

// NewECDH makes the function ECDH(secret, d, peer, work).
//
// The scalar is k = d, or 1 if d is invalid, and the point Q is the public key, or G if it is invalid; then kQ is computed
// from the top digit on: acc = top·Q, and in each round acc = 32·acc + digit·Q.
func NewECDH(t machine.Target, variant string, c machine.Contract, r *Routines) (Code, error) {
	f := r.Field
	dg, err := NewDigits(r.Scalars.M)
	if err != nil {
		return Code{}, err
	}
	b, w := function(t, variant, c, f)
	tmp := w.elements(AddTemps)
	table := w.elements(5 * TableEntries)
	acc := w.elements(5)
	sel := w.elements(5)
	q := w.elements(3)
	digits := w.elements(2) // k + Offset, shifted
	k := w.elements(1)
	x := w.elements(1)
	wd := w.elements(2)
	valid, invalid, index, sign, fine := wd, wd.At(8), wd.At(16), wd.At(24), wd.At(32)
	cs := b.constants(r)
	regs := b.regs()

	// Q
	b.decode(r, cs, q, b.Param("peer"), valid, tmp)
	entry := func(i int) Ptr { return table.At(5 * (i - 1) * f.Bytes()) }
	b.Copy(entry(1), cs.g, 3*f.Bytes())
	for i := range 2 {
		b.CMov(f, f.coordinate(entry(1), i), f.coordinate(q, i), valid)
	}
	b.Mark("key")
	// k
	b.scalar(r.Scalars, k, b.Param("d"), invalid, x)
	b.Mark("scalar")
	b.recode(digits, k, dg.Offset, dg.Words, dg.Align)
	b.Mark("recoded")

	// multiples of Q
	b.Call("cache1", r.Cache, entry(1))
	for i := 2; i <= TableEntries; i++ {
		if i%2 == 0 {
			b.Call(fmt.Sprintf("table%d", i), r.Double, entry(i), entry(i/2), tmp)
		} else {
			b.Call(fmt.Sprintf("table%d", i), r.Add, entry(i), entry(i-1), entry(1), tmp)
		}
		b.Call(fmt.Sprintf("cache%d", i), r.Cache, entry(i))
	}
	b.Mark("table")

	top := digits.At(8 * (dg.Words - 1))
	b.LoadReg(regs[0], top)
	b.shr(regs[0], 64-Window)
	b.StoreReg(index, regs[0])
	b.Call("top", r.Select, acc, table, index)
	b.Mark("top")
	b.Repeat("digits", dg.Rounds, true, func() {
		b.nextDigit(dg, digits, index, sign)
		b.Repeat("doubles", Window, true, func() { b.Call("double", r.Double, acc, acc, tmp) })
		b.Call("select", r.Select, sel, table, index)
		b.Mark("selected")
		b.CNeg(f, f.coordinate(sel, 1), f.coordinate(sel, 1), sign)
		b.Call("add", r.Add, acc, acc, sel, tmp)
		b.Mark("round")
	})
	b.Mark("product")

	// x = X/Z²
	b.Call("inverse", r.Inverse, x, f.coordinate(acc, 2), tmp)
	b.Mark("inverse")
	b.Sqr(f, x, x)
	b.Mul(f, x, x, acc)
	b.Do(f, "FromMont", x, x)
	b.Mark("x")
	b.both(f, fine, valid, invalid, tmp)
	b.Zero(q, f.Bytes())
	b.CMov(f, q, x, fine)
	b.Do(f, "ToBytes", b.Param("secret"), q)
	b.result(fine)
	return b.Finish()
}

// both sets the mask fine to all ones if valid is all ones and invalid is 0, else to 0. t is a temporary element.
func (b *Builder) both(f *Field, fine, valid, invalid, t Ptr) {
	r := b.regs()[0]
	b.Zero(t, f.Bytes())
	b.LoadReg(r, valid)
	b.not(r)
	b.StoreReg(t, r)
	b.Copy(t.At(8), invalid, 8)
	b.Mask(f, fine, t)
}

// result returns 1 if the mask is all ones, 0 if it is 0, after clearing the scratch memory.
func (b *Builder) result(mask Ptr) {
	r := b.regs()[0]
	b.LoadReg(r, mask)
	b.andImm(r, 1)
	b.Return("ok", r)
	b.clear("wipe")
}

// scalar sets k to the number d if 1 ≤ d < n, else to 1 and the mask invalid to all ones. t is a temporary element.
func (b *Builder) scalar(f *Field, k, d, invalid, t Ptr) {
	r := b.regs()[0]
	b.Do(f, "FromBytes", k, d)
	b.Mask(f, invalid, k)
	b.Zero(t, f.Bytes())
	b.Const(r, 1)
	b.StoreReg(t, r)
	b.CMov(f, k, t, invalid)
}

// recode sets digits to k + offset, which has so many words, one more than k, shifted left by align.
func (b *Builder) recode(digits, k Ptr, offset *big.Int, words, align int) {
	ws := b.regs()[:words]
	b.loadWords(ws[:words-1], k)
	b.Const(ws[words-1], 0)
	b.addWords(ws, Words(offset, words), b.regs()[words])
	if align > 0 {
		b.shlWords(ws, align, b.regs()[words])
	}
	b.storeWords(digits, ws)
}

// nextDigit shifts the digits by one digit, d, and sets index = |d − 16|, and sign to all ones if d < 16, else to 0.
func (b *Builder) nextDigit(dg Digits, digits, index, sign Ptr) {
	ws := b.regs()[:dg.Words]
	b.loadWords(ws, digits)
	b.shlWords(ws, Window, b.regs()[dg.Words])
	b.storeWords(digits, ws)
	d := ws[dg.Words-1]
	b.shr(d, 64-Window)
	b.signed(d, ws[0], TableEntries, index, sign)
}

// signed sets index = |d − c| for the number d in a register, d, c < 2⁶³, and sign to all ones if d < c, else to 0. m is
// another register.
func (b *Builder) signed(d, m isa.Reg, c int32, index, sign Ptr) {
	b.subImm(d, c)
	b.move(m, d)
	b.sar(m, 63)
	b.StoreReg(sign, m)
	b.xor(d, m)
	b.sub(d, m)
	b.StoreReg(index, d)
}
