package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/machine"
)

// CombWindow is the number of bits of a digit of PublicKey, and CombEntries the number of points of a row of its table.
const (
	CombWindow  = 6
	CombEntries = 1 << (CombWindow - 1)
)

// Comb says how a scalar below m is written with signed digits for a fixed base: k = Σ (dᵢ − 32)·64ⁱ, i < Rows, where the
// dᵢ are the digits of k + Offset.
type Comb struct {
	Rows   int
	Words  int      // of k + Offset
	Offset *big.Int // Σ 32·64ⁱ
	// Table is the rows, in memory: row i has the points 64ⁱ·G, 2·64ⁱ·G, …, 32·64ⁱ·G, with affine coordinates in
	// Montgomery form.
	Table []uint64
	// Points are the coordinates of the same points.
	Points [][][2]*big.Int
}

// NewComb makes the table of a curve.
func NewComb(r *Routines) *Comb {
	f, n := r.Field, r.Scalars.M
	c := &Comb{Words: f.Words + 1, Offset: new(big.Int)}
	for ; ; c.Rows++ { // until all digits of n + Offset fit
		top := new(big.Int).Add(n, c.Offset)
		if top.Rsh(top, uint(CombWindow*c.Rows)); top.Sign() == 0 {
			break
		}
		c.Offset.SetBit(c.Offset, CombWindow*c.Rows+CombWindow-1, 1)
	}
	base := [2]*big.Int{r.GX, r.GY}
	for range c.Rows {
		row := make([][2]*big.Int, CombEntries)
		for j := range row {
			row[j] = base
			if j > 0 {
				row[j] = r.sum(row[j-1], base)
			}
			for _, v := range row[j] {
				v := new(big.Int).Mul(v, f.R())
				c.Table = append(c.Table, Words(v.Mod(v, f.M), f.Words)...)
			}
		}
		c.Points = append(c.Points, row)
		base = r.sum(row[CombEntries-1], row[CombEntries-1])
	}
	return c
}

// sum is p + q for affine points p ≠ −q.
func (r *Routines) sum(p, q [2]*big.Int) [2]*big.Int {
	m := r.Field.M
	num, den := new(big.Int).Sub(q[1], p[1]), new(big.Int).Sub(q[0], p[0])
	if den.Sign() == 0 {
		num.Mul(p[0], p[0])
		num.Mul(num, big.NewInt(3)).Add(num, r.A)
		den.Lsh(p[1], 1)
	}
	l := den.ModInverse(den.Mod(den, m), m)
	l.Mul(l, num).Mod(l, m)
	x := new(big.Int).Mul(l, l)
	x.Sub(x, p[0]).Sub(x, q[0]).Mod(x, m)
	y := new(big.Int).Sub(p[0], x)
	y.Mul(y, l).Sub(y, p[1]).Mod(y, m)
	return [2]*big.Int{x, y}
}

// NewPublicKey makes the function PublicKey(pub, d, work): the sum of one point of each row of the table, the row of the
// least significant digit first.
func NewPublicKey(t machine.Target, variant string, c machine.Contract, r *Routines, comb *Comb) (Code, error) {
	f := r.Field
	b, w := function(t, variant, c, f)
	tmp := w.elements(AddTemps)
	acc := w.elements(3)
	sel := w.elements(2)
	digits := w.elements(2)
	k := w.elements(1)
	x := w.elements(1)
	y := w.elements(1)
	wd := w.elements(1)
	invalid, index, sign, fine := wd, wd.At(8), wd.At(16), wd.At(24)
	table := b.Table(f.Name+"Comb", comb.Table)
	row := b.Local(8)
	regs := b.regs()

	b.scalar(r.Scalars, k, b.Param("d"), invalid, x)
	b.Mark("scalar")
	b.recode(digits, k, comb.Offset, comb.Words, 0)
	b.Mark("recoded")
	b.Zero(row, 8)
	b.Mark("start") // acc is zero: O
	b.Repeat("rows", comb.Rows, true, func() {
		ws := regs[:comb.Words]
		b.loadWords(ws, digits)
		d := regs[comb.Words]
		b.move(d, ws[0])
		b.andImm(d, 1<<CombWindow-1)
		b.shrWords(ws, CombWindow)
		b.storeWords(digits, ws)
		b.signed(d, ws[0], CombEntries, index, sign)
		// the row
		b.LoadReg(regs[0], row)
		b.Address(b.ParamReg(1), table)
		b.advanceBy(b.ParamReg(1), regs[0])
		b.advance(regs[0], 2*f.Bytes()*CombEntries)
		b.StoreReg(row, regs[0])
		b.Address(b.ParamReg(0), sel)
		b.Address(b.ParamReg(2), index)
		b.Append(machine.Call{Site: "select", To: r.SelectComb})
		b.Mark("selected")
		b.CNeg(f, f.coordinate(sel, 1), f.coordinate(sel, 1), sign)
		b.Call("add", r.AddAffine, acc, acc, sel, tmp)
		b.Mark("round")
	})
	b.Mark("product")

	// x = X/Z², y = Y/Z³
	b.Call("inverse", r.Inverse, x, f.coordinate(acc, 2), tmp)
	b.Mark("inverse")
	b.Sqr(f, y, x)
	b.Mul(f, x, x, y)
	b.Mul(f, y, y, acc)
	b.Mul(f, x, x, f.coordinate(acc, 1))
	b.Do(f, "FromMont", y, y)
	b.Do(f, "FromMont", x, x)
	b.Mark("x")
	// fine = ^invalid
	b.LoadReg(regs[0], invalid)
	b.not(regs[0])
	b.StoreReg(fine, regs[0])
	b.Zero(sel, 2*f.Bytes())
	pub := b.Param("pub")
	for i, v := range []Ptr{y, x} {
		b.CMov(f, f.coordinate(sel, i), v, fine)
		b.Do(f, "ToBytes", pub.At(1+i*f.Bytes()), f.coordinate(sel, i))
	}
	b.LoadReg(regs[0], fine)
	b.andImm(regs[0], 4)
	b.storeByte(pub, regs[0])
	b.result(fine)
	return b.Finish()
}

// NewValidate makes the function Validate(peer, work).
func NewValidate(t machine.Target, variant string, c machine.Contract, r *Routines) (Code, error) {
	f := r.Field
	b, w := function(t, variant, c, f)
	tmp, q, valid := w.elements(3), w.elements(2), w.elements(1)
	b.decode(r, b.constants(r), q, b.Param("peer"), valid, tmp)
	b.Mark("key")
	b.result(valid)
	return b.Finish()
}
