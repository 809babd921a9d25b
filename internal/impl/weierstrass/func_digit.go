package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/isa"
)

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
