package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/machine"
)

// CombWindow is the number of bits of a digit of a multiple of the base point, and CombEntries the number of points
// of a row of its table.
const (
	CombWindow  = 6
	CombEntries = 1 << (CombWindow - 1)
)

// Comb says how a scalar below n is written with signed digits for a fixed base: k = Σ (dᵢ − 32)·64ⁱ, i < Rows,
// where the dᵢ are the digits of k + Offset.
type Comb struct {
	Rows   int
	Words  int      // of k + Offset
	Offset *big.Int // Σ 32·64ⁱ
	// Table is the rows, in memory: row i has the points 64ⁱ·G, 2·64ⁱ·G, …, 32·64ⁱ·G, with affine coordinates in
	// Montgomery form.
	Table []uint64
}

// NewComb makes the table of a curve with the coefficient a, whose base point (gx, gy) has the order n.
func NewComb(f *Field, n, a, gx, gy *big.Int) *Comb {
	c := &Comb{Words: f.Words + 1, Offset: new(big.Int)}
	for ; ; c.Rows++ { // until all digits of n + Offset fit
		top := new(big.Int).Add(n, c.Offset)
		if top.Rsh(top, uint(CombWindow*c.Rows)); top.Sign() == 0 {
			break
		}
		c.Offset.SetBit(c.Offset, CombWindow*c.Rows+CombWindow-1, 1)
	}
	base := [2]*big.Int{gx, gy}
	for range c.Rows {
		p := base
		for j := range CombEntries {
			if j > 0 {
				p = f.sum(a, p, base)
			}
			for _, v := range p {
				v := new(big.Int).Mul(v, f.R())
				c.Table = append(c.Table, Words(v.Mod(v, f.M), f.Words)...)
			}
		}
		base = f.sum(a, p, p)
	}
	return c
}

// sum is p + q for affine points p ≠ −q of a curve with the coefficient a.
func (f *Field) sum(a *big.Int, p, q [2]*big.Int) [2]*big.Int {
	num, den := new(big.Int).Sub(q[1], p[1]), new(big.Int).Sub(q[0], p[0])
	if den.Sign() == 0 {
		num.Mul(p[0], p[0])
		num.Mul(num, big.NewInt(3)).Add(num, a)
		den.Lsh(p[1], 1)
	}
	l := den.ModInverse(den.Mod(den, f.M), f.M)
	l.Mul(l, num).Mod(l, f.M)
	x := new(big.Int).Mul(l, l)
	x.Sub(x, p[0]).Sub(x, q[0]).Mod(x, f.M)
	y := new(big.Int).Sub(p[0], x)
	y.Mul(y, l).Sub(y, p[1]).Mod(y, f.M)
	return [2]*big.Int{x, y}
}

// BaseLayout says how PointMulBase divides its temporary memory, after that of AddAffine: offsets in bytes.
type BaseLayout struct {
	Sel         int // the point of a row that is added, 2 elements
	Digits      int // k + Offset, shifted
	Index, Sign int // of the digit, 1 word each
}

// LayBase is the layout for a field of coordinates.
func LayBase(f *Field) BaseLayout {
	n := AddTemps * f.Bytes()
	return BaseLayout{Sel: n, Digits: n + 2*f.Bytes(), Index: n + 4*f.Bytes(), Sign: n + 4*f.Bytes() + 8}
}

// NewPointMulBase makes the routine PointMulBase(r, k, tmp): r is the sum of one point of each row of the table, the
// row of the least significant digit first. It needs the routines SelectComb and AddAffine.
//
// From the top digit on it would be wrong for P-256: in the last addition for k = n − 34 the two points, [n−17]G and
// −[17]G, would be equal. The proof shows that this never happens in this order.
func NewPointMulBase(t machine.Target, variant string, c machine.Contract, r *Routines, comb *Comb) (Code, error) {
	f := r.Field
	b := NewBuilder(t, variant, c)
	acc, tmp := b.Param("r"), b.Param("tmp")
	l := LayBase(f)
	sel, digits, index, sign := tmp.At(l.Sel), tmp.At(l.Digits), tmp.At(l.Index), tmp.At(l.Sign)
	table := b.Table(f.Name+"Comb", comb.Table)
	row := b.Local(8) // offset of the row in the table
	regs := b.regs()

	b.recode(digits, b.Param("k"), comb.Offset, comb.Words, 0)
	b.Zero(row, 8)
	b.Mark("start")
	// pick sets sel to the point of the next row, whose Y is still to be negated by sign.
	pick := func(site string) {
		ws := regs[:comb.Words]
		b.loadWords(ws, digits)
		d := regs[comb.Words]
		b.move(d, ws[0])
		b.andImm(d, 1<<CombWindow-1)
		b.shrWords(ws, CombWindow)
		b.storeWords(digits, ws)
		b.signed(d, ws[0], CombEntries, index, sign)
		b.Mark("digit")
		b.LoadReg(regs[0], row)
		b.Address(b.ParamReg(1), table)
		b.advanceBy(b.ParamReg(1), regs[0])
		b.advance(regs[0], 2*f.Bytes()*CombEntries)
		b.StoreReg(row, regs[0])
		b.Address(b.ParamReg(0), sel)
		b.Address(b.ParamReg(2), index)
		b.Append(machine.Call{Site: site, To: r.SelectComb})
		b.Mark("selected")
	}

	// The first point is the sum of the first row.
	pick("select0")
	x, y, z := acc, f.coordinate(acc, 1), f.coordinate(acc, 2)
	b.CNeg(f, y, f.coordinate(sel, 1), sign)
	b.Copy(x, sel, f.Bytes())
	b.one(f, z, index)
	b.Mark("first")
	b.Repeat("rows", comb.Rows-1, true, func() {
		pick("select")
		b.CNeg(f, f.coordinate(sel, 1), f.coordinate(sel, 1), sign)
		b.Mark("signed")
		b.Call("add", r.AddAffine, acc, acc, sel, tmp)
		b.Mark("round")
	})
	return b.Finish()
}

// one sets d to 1 in Montgomery form, or to 0 if the word index is 0. The index is below 2⁶³.
func (b *Builder) one(f *Field, d, index Ptr) {
	regs := b.regs()
	v, mask, w := regs[0], regs[1], regs[2]
	b.LoadReg(v, index)
	b.Const(mask, 0)
	b.sub(mask, v)
	b.sar(mask, 63)
	for i, c := range Words(f.R(), f.Words) {
		b.Const(w, c)
		b.emit(arm64.AND{D: w, N: w, M: mask}, amd64.AND{D: w, S: mask})
		b.StoreReg(d.At(8*i), w)
	}
}
