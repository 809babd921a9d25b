package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Window is the number of bits of a digit of a multiple of any point, and TableEntries the number of multiples of the
// point in its table.
const (
	Window       = 5
	TableEntries = 1 << (Window - 1)
)

// Digits says how a scalar below the order of a group is written with signed digits: k = Σ (dᵢ − 16)·32ⁱ, i < Rows,
// where the dᵢ are the digits of k + Offset. The top digit is never below 16.
type Digits struct {
	Rows   int
	Words  int      // of k + Offset
	Offset *big.Int // Σ 16·32ⁱ
}

// NewDigits are the digits for a group of the order n.
func NewDigits(n *big.Int) Digits {
	d := Digits{Words: (n.BitLen()+63)/64 + 1, Offset: new(big.Int)}
	for ; ; d.Rows++ { // until all digits of n + Offset fit
		top := new(big.Int).Add(n, d.Offset)
		if top.Rsh(top, uint(Window*d.Rows)); top.Sign() == 0 {
			break
		}
		d.Offset.SetBit(d.Offset, Window*d.Rows+Window-1, 1)
	}
	return d
}

// MulLayout says how PointMul divides its temporary memory, after that of Double and Add: offsets in bytes.
type MulLayout struct {
	Table       int // the cached points q, 2q, …, 16q
	Sel         int // the cached point that is added
	Digits      int // k + Offset, shifted
	Index, Sign int // of the digit, 1 word each
	End         int
}

// LayMul is the layout for a field of coordinates.
func LayMul(f *Field, d Digits) MulLayout {
	var l MulLayout
	l.Table = max(DoubleTemps, AddTemps) * f.Bytes()
	l.Sel = l.Table + 5*TableEntries*f.Bytes()
	l.Digits = l.Sel + 5*f.Bytes()
	l.Index = l.Digits + 8*d.Words
	l.Sign = l.Index + 8
	l.End = l.Sign + 8
	return l
}

// Entry is the offset of the entry iq of the table, i ≥ 1.
func (l MulLayout) Entry(f *Field, i int) int { return l.Table + 5*(i-1)*f.Bytes() }

// NewPointMul makes the routine PointMul(r, k, q, tmp): from the top digit on, r is 32·r plus the multiple of q that the
// digit selects from the table. It needs the routines Double, Add, Cache and Select, and the order of the group,
// Scalars.M.
//
// The two points of an addition are never equal, but for O: that depends on the order of the group, and the proof shows
// it.
func NewPointMul(t machine.Target, variant string, c machine.Contract, r *Routines) (Code, error) {
	f, dg := r.Field, NewDigits(r.Scalars.M)
	l := LayMul(f, dg)
	b := NewBuilder(t, variant, c)
	acc, tmp := b.Param("r"), b.Param("tmp")
	digits, index, sign, sel := tmp.At(l.Digits), tmp.At(l.Index), tmp.At(l.Sign), tmp.At(l.Sel)
	table := tmp.At(l.Table)
	entry := func(i int) Ptr { return tmp.At(l.Entry(f, i)) }

	// The digits, the top one in the top bits.
	b.recode(digits, b.Param("k"), dg.Offset, dg.Words, 0)
	b.Mark("digits")
	b.shiftUp(digits, dg.Words, 64*dg.Words-Window*dg.Rows)

	// Multiples of q.
	b.Copy(entry(1), b.Param("q"), 2*f.Bytes())
	b.Copy(f.coordinate(entry(1), 2), b.Table(f.Name+"One", Words(f.R(), f.Words)), f.Bytes())
	for i := 1; i <= TableEntries; i++ {
		switch {
		case i == 1:
		case i%2 == 0:
			b.Call(fmt.Sprintf("table%d", i), r.Double, entry(i), entry(i/2), tmp)
		default:
			b.Call(fmt.Sprintf("table%d", i), r.Add, entry(i), entry(i-1), entry(1), tmp)
		}
		b.Mark("multiple")
		b.Call(fmt.Sprintf("cache%d", i), r.Cache, entry(i))
		b.Mark("entry")
	}

	// pick sets sel to the point of the next digit, whose Y is still to be negated by sign.
	pick := func(site string) {
		b.LoadReg(b.regs()[0], digits.At(8*(dg.Words-1)))
		b.shr(b.regs()[0], 64-Window)
		b.signed(b.regs()[0], b.regs()[1], TableEntries, index, sign)
		b.Mark("digit")
		b.Call(site, r.Select, sel, table, index)
		b.Mark("selected")
	}
	pick("top")
	b.Copy(acc, sel, 3*f.Bytes())
	b.Mark("first")
	b.Repeat("digits", dg.Rows-1, true, func() {
		b.shiftUp(digits, dg.Words, Window)
		b.Repeat("doubles", Window, true, func() {
			b.Call("double", r.Double, acc, acc, tmp)
			b.Mark("double")
		})
		pick("select")
		b.CNeg(f, f.coordinate(sel, 1), f.coordinate(sel, 1), sign)
		b.Mark("signed")
		b.Call("add", r.Add, acc, acc, sel, tmp)
		b.Mark("round")
	})
	return b.Finish()
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

// shiftUp shifts the number of so many words at p left by k.
func (b *Builder) shiftUp(p Ptr, words, k int) {
	ws := b.regs()[:words]
	b.loadWords(ws, p)
	for ; k > 0; k -= min(k, 63) {
		b.shlWords(ws, min(k, 63), b.regs()[words])
	}
	b.storeWords(p, ws)
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
