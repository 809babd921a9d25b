package weierstrass

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/machine"
)

// SignatureParts are the verified routines that the functions for signatures are made of.
type SignatureParts struct {
	Field, Scalars                                 *Field
	Decode, Scalar, Multiply, MultiplyBase, Affine machine.Verified
	Digest, Signature, Verifiers, Add, Match       machine.Verified
}

// SignLayout says where Sign has its numbers, as offsets in its scratch memory.
type SignLayout struct{ Tmp, D, K, E, R, XY, RS, Out, BadD, BadK, ZeroR, ZeroS, Fine int }

// LaySign is the layout for a field.
func LaySign(f *Field) SignLayout {
	n := f.Bytes()
	l := SignLayout{D: MulBaseTemps * n}
	l.K = l.D + n
	l.E = l.K + n
	l.R = l.E + n
	l.XY = l.R + 3*n
	l.RS = l.XY + 2*n
	l.Out = l.RS + 2*n
	l.BadD = l.Out + 2*n
	l.BadK, l.ZeroR, l.ZeroS, l.Fine = l.BadD+8, l.BadD+16, l.BadD+24, l.BadD+32
	return l
}

// NewSign makes the function Sign(sig, d, digest, size, k, work): of an invalid d or k, 1 takes the place.
func NewSign(t machine.Target, variant string, c machine.Contract, p *SignatureParts) (Code, error) {
	f := p.Field
	b, w := function(t, variant, c, f)
	l := LaySign(f)
	mem := w.elements((l.Fine + 8 + f.Bytes() - 1) / f.Bytes())
	w.start()
	tmp, d, k, e, xy, rs := mem.At(l.Tmp), mem.At(l.D), mem.At(l.K), mem.At(l.E), mem.At(l.XY), mem.At(l.RS)
	b.Call("d", p.Scalar, d, mem.At(l.BadD), b.Param("d"), tmp)
	b.Call("k", p.Scalar, k, mem.At(l.BadK), b.Param("k"), tmp)
	b.digest(p, e)
	b.Call("multiple", p.MultiplyBase, mem.At(l.R), k, tmp)
	b.Call("affine", p.Affine, xy, mem.At(l.R), tmp)
	b.Call("signature", p.Signature, rs, xy, d, k, e, tmp)
	b.Mask(p.Scalars, mem.At(l.ZeroR), rs)
	b.Mask(p.Scalars, mem.At(l.ZeroS), f.coordinate(rs, 1))
	b.all(mem.At(l.Fine), nil, []Ptr{mem.At(l.BadD), mem.At(l.BadK), mem.At(l.ZeroR), mem.At(l.ZeroS)})
	b.Mark("fine")
	out := mem.At(l.Out)
	b.Zero(out, 2*f.Bytes())
	for i := range 2 {
		b.CMov(p.Scalars, f.coordinate(out, i), f.coordinate(rs, i), mem.At(l.Fine))
	}
	b.Do(p.Scalars, "ToBytes", b.Param("sig"), out)
	b.Do(p.Scalars, "ToBytes", b.Param("sig").At(f.Bytes()), f.coordinate(out, 1))
	b.Mark("end")
	w.finish(mem.At(l.Fine))
	return b.Finish()
}

// digest calls the routine digest with parameters of the function.
func (b *Builder) digest(p *SignatureParts, e Ptr) {
	b.Address(b.ParamReg(0), e)
	b.Address(b.ParamReg(1), b.Param("digest"))
	size := b.ParamReg(2)
	b.emit(arm64.LoadArg{D: size, Name: "size"}, amd64.LoadArg{D: size, Name: "size"})
	b.Append(machine.Call{Site: "digest", To: p.Digest})
}
