package weierstrass

import "verum.example/internal/tcb/machine"

// Sizes in scalars of the temporary memory of the routines for signatures.
const (
	SignatureTemps = PowerTemps + 4
	VerifierTemps  = PowerTemps + 1
)

// NewSignature makes the routine signature(rs, x, d, k, e, tmp), over numbers: r = x mod n, s = (e + r·d)/k mod n. The
// field is that of the scalars; inverse gives 0 for 0. tmp has SignatureTemps scalars.
//
// With a factor in Montgomery form the product of two numbers is a number: s = x·(d/k) + e/k.
func NewSignature(t machine.Target, variant string, c machine.Contract, f *Field, inverse machine.Verified) (Code, error) {
	b := NewBuilder(t, variant, c)
	rs, tmp := b.Param("rs"), b.Param("tmp")
	el := func(i int) Ptr { return f.coordinate(tmp, PowerTemps+i) }
	x, u, i, v := el(0), el(1), el(2), el(3)
	r, s := rs, f.coordinate(rs, 1)
	b.Do(f, "ToMont", u, b.Param("k"))
	b.Call(InverseMark, inverse, i, u, tmp)
	b.Mark(InverseMark)
	b.Do(f, "ToMont", x, b.Param("x"))
	b.Do(f, "FromMont", r, x)
	b.Mul(f, u, b.Param("d"), i)
	b.Mul(f, u, x, u)
	b.Mul(f, v, b.Param("e"), i)
	b.Add(f, s, u, v)
	return b.Finish()
}

// NewVerifiers makes the routine verifiers(uv, e, r, s, tmp), over numbers: u = e/s mod n, v = r/s mod n. The field is that
// of the scalars. tmp has VerifierTemps scalars.
func NewVerifiers(t machine.Target, variant string, c machine.Contract, f *Field, inverse machine.Verified) (Code, error) {
	b := NewBuilder(t, variant, c)
	uv, tmp := b.Param("uv"), b.Param("tmp")
	i, s := f.coordinate(tmp, PowerTemps), uv
	b.Do(f, "ToMont", s, b.Param("s"))
	b.Call(InverseMark, inverse, i, s, tmp)
	b.Mark(InverseMark)
	b.Mul(f, uv, b.Param("e"), i)
	b.Mul(f, f.coordinate(uv, 1), b.Param("r"), i)
	return b.Finish()
}
