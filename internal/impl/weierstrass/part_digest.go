package weierstrass

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// NewDigest makes the routine digest(e, digest, size): e is the number that the leftmost min(size, L) octets of the digest
// are, L the number of bytes of a scalar. The size is public.
//
// Of a long digest the words are loaded; of a short one the octets are shifted in, one after the other.
func NewDigest(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	e, digest := b.Param("e"), b.Param("digest")
	regs := b.regs()
	ws := regs[:f.Words]
	size, octet, at, i := regs[f.Words], regs[f.Words+1], regs[f.Words+2], regs[f.Words+3]
	b.LoadReg(size, b.Local0(b.saved["size"]))
	b.emit(arm64.SUBSImm{D: i, N: size, Imm: uint64(f.Bytes())}, amd64.CMPI{X: size, Imm: int32(f.Bytes())})
	long := machine.If{Cond: b.cond(arm64.HS, amd64.CC)}
	long.Then = b.Body(func() {
		for j, w := range ws {
			b.LoadReg(w, digest.At(8*(f.Words-1-j)))
			b.emit(arm64.REV{D: w, N: w}, amd64.BSWAP{D: w})
		}
	})
	long.Else = b.Body(func() {
		for _, w := range ws {
			b.Const(w, 0)
		}
		b.Address(at, digest)
		b.Const(i, 0)
		octets := machine.Loop{Name: "octets", Unroll: f.Bytes() - 1, While: b.cond(arm64.NE, amd64.NE)}
		octets.Body = b.Body(func() {
			b.emit(arm64.SUBS{D: octet, N: i, M: size}, amd64.CMP{X: i, Y: size})
			more := machine.If{Cond: b.cond(arm64.LO, amd64.CS)}
			more.Then = b.Body(func() {
				b.shlWords(ws, 8, octet)
				b.emit(arm64.LDRB{T: octet, N: at}, amd64.MOVBZXM{D: octet, M: amd64.Mem{Base: at}})
				b.emit(arm64.ORR{D: ws[0], N: ws[0], M: octet}, amd64.OR{D: ws[0], S: octet})
			})
			b.Append(more)
			b.advance(at, 1)
			b.advance(i, 1)
			b.emit(arm64.SUBSImm{D: octet, N: i, Imm: uint64(f.Bytes() - 1)}, amd64.CMPI{X: i, Imm: int32(f.Bytes() - 1)})
		})
		b.Append(octets)
	})
	b.Append(long)
	b.storeWords(e, ws)
	return b.Finish()
}

// cond is the condition for the target.
func (b *Builder) cond(arm, amd isa.Cond) isa.Cond {
	if b.target == machine.ARM64 {
		return arm
	}
	return amd
}
