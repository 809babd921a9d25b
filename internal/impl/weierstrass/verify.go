package weierstrass

import "verum.example/internal/tcb/machine"

// VerifyLayout says where Verify has its numbers, as offsets in its scratch memory.
type VerifyLayout struct{ Tmp, Q, R, S, E, UV, A, B, Sum, Valid, BadR, BadS, Match, Fine int }

// LayVerify is the layout for a field.
func LayVerify(f *Field) VerifyLayout {
	n := f.Bytes()
	l := VerifyLayout{Q: MulTemps * n}
	l.R = l.Q + 2*n
	l.S = l.R + n
	l.E = l.S + n
	l.UV = l.E + n
	l.A = l.UV + 2*n
	l.B = l.A + 3*n
	l.Sum = l.B + 3*n
	l.Valid = l.Sum + 3*n
	l.BadR, l.BadS, l.Match, l.Fine = l.Valid+8, l.Valid+16, l.Valid+24, l.Valid+32
	return l
}

// NewVerify makes the function Verify(pub, digest, size, sig, work): of an invalid r or s, 1 takes the place, and the base
// point that of an invalid public key.
func NewVerify(t machine.Target, variant string, c machine.Contract, p *SignatureParts) (Code, error) {
	f := p.Field
	b, w := function(t, variant, c, f)
	l := LayVerify(f)
	mem := w.elements((l.Fine + 8 + f.Bytes() - 1) / f.Bytes())
	w.start()
	tmp, q, r, s, e, uv := mem.At(l.Tmp), mem.At(l.Q), mem.At(l.R), mem.At(l.S), mem.At(l.E), mem.At(l.UV)
	b.Call("key", p.Decode, q, mem.At(l.Valid), b.Param("pub"), tmp)
	b.Call("r", p.Scalar, r, mem.At(l.BadR), b.Param("sig"), tmp)
	b.Call("s", p.Scalar, s, mem.At(l.BadS), b.Param("sig").At(f.Bytes()), tmp)
	b.digest(p, e)
	b.Call("verifiers", p.Verifiers, uv, e, r, s, tmp)
	b.Call("base", p.MultiplyBase, mem.At(l.A), uv, tmp)
	b.Call("multiple", p.Multiply, mem.At(l.B), f.coordinate(uv, 1), q, tmp)
	b.Mark("multiples")
	b.Call("sum", p.Add, mem.At(l.Sum), mem.At(l.A), mem.At(l.B), tmp)
	b.Call("match", p.Match, mem.At(l.Match), mem.At(l.Sum), r, tmp)
	b.all(mem.At(l.Fine), []Ptr{mem.At(l.Valid), mem.At(l.Match)}, []Ptr{mem.At(l.BadR), mem.At(l.BadS)})
	b.Mark("end")
	w.finish(mem.At(l.Fine))
	return b.Finish()
}
