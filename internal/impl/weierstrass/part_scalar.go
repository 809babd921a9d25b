package weierstrass

import "verum.example/internal/tcb/machine"

// NewScalar makes the routine scalar(k, invalid, d, tmp): k is the number d, which is big-endian, if 1 ≤ d < n, and the
// word invalid is 0; else k is 1 and invalid is all ones. The field is that of the scalars; tmp has ScalarTemps
// elements.
func NewScalar(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	k, invalid, one := b.Param("k"), b.Param("invalid"), b.Param("tmp")
	r := b.regs()[0]
	b.Do(f, "FromBytes", k, b.Param("d")) // 0 for n ≤ d
	b.Mask(f, invalid, k)
	b.Zero(one, f.Bytes())
	b.Const(r, 1)
	b.StoreReg(one, r)
	b.CMov(f, k, one, invalid)
	return b.Finish()
}
