package weierstrass

import (
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// AddCompleteTemps is the size in field elements of the temporary memory of NewAddComplete.
const AddCompleteTemps = AddTemps + 14

// NewAddComplete makes the routine addComplete(r, a, b, tmp): r = a + b for points, which may be equal. It needs the
// routines Double and Add. tmp has AddCompleteTemps elements.
//
// The points are the same if neither is O and X1·Z2² = X2·Z1², Y1·Z2³ = Y2·Z1³. Then O is added to a, and 2a is taken.
func NewAddComplete(t machine.Target, variant string, c machine.Contract, r *Routines) (Code, error) {
	f := r.Field
	b := NewBuilder(t, variant, c)
	sum, p, q, tmp := b.Param("r"), b.Param("a"), b.Param("b"), b.Param("tmp")
	el := func(i int) Ptr { return f.coordinate(tmp, AddTemps+i) }
	cached, twice, zz, zzz, h, s, u, words := el(0), el(5), el(8), el(9), el(10), el(11), el(12), el(13)
	zero := b.Table(f.Name+"Zero", make([]uint64, f.Words))
	Z1, Z2 := f.coordinate(p, 2), f.coordinate(cached, 2)

	b.Copy(cached, q, 3*f.Bytes())
	b.Sqr(f, f.coordinate(cached, 3), Z2)
	b.Mul(f, f.coordinate(cached, 4), f.coordinate(cached, 3), Z2)
	b.Sqr(f, zz, Z1)
	b.Mul(f, zzz, zz, Z1)
	b.Mul(f, h, cached, zz)
	b.Mul(f, u, p, f.coordinate(cached, 3))
	b.Sub(f, h, h, u)
	b.Mul(f, s, f.coordinate(cached, 1), zzz)
	b.Mul(f, u, f.coordinate(p, 1), f.coordinate(cached, 4))
	b.Sub(f, s, s, u)
	for i, x := range []Ptr{h, s, Z1, Z2} {
		b.Mask(f, words.At(8*i), x)
	}
	same := words
	b.all(same, []Ptr{words, words.At(8)}, []Ptr{words.At(16), words.At(24)})
	b.Mark("same")
	for i := 2; i < 5; i++ {
		b.CMov(f, f.coordinate(cached, i), zero, same)
	}
	b.Mark("other")
	b.Call("add", r.Add, sum, p, cached, tmp)
	b.Call("double", r.Double, twice, p, tmp)
	for i := range 3 {
		b.CMov(f, f.coordinate(sum, i), f.coordinate(twice, i), same)
	}
	b.Mark("end")
	return b.Finish()
}

// all sets the mask d to the conjunction of masks and of the complements of others.
func (b *Builder) all(d Ptr, yes, no []Ptr) {
	regs := b.regs()
	m, x := regs[0], regs[1]
	for i, p := range no {
		if i == 0 {
			b.LoadReg(m, p)
			continue
		}
		b.LoadReg(x, p)
		b.or(m, x)
	}
	b.not(m)
	for _, p := range yes {
		b.LoadReg(x, p)
		b.emit(arm64.AND{D: m, N: m, M: x}, amd64.AND{D: m, S: x})
	}
	b.StoreReg(d, m)
}

// or is d |= s.
func (b *Builder) or(d, s isa.Reg) { b.emit(arm64.ORR{D: d, N: d, M: s}, amd64.OR{D: d, S: s}) }
