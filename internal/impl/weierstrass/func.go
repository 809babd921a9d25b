package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Routines are the verified routines that a function of a curve calls.
type Routines struct {
	Field, Scalars                        *Field
	Double, Add, AddAffine, Cache, Select machine.Verified
	Inverse, SelectComb                   machine.Verified
	A, B                                  *big.Int // of the curve
	GX, GY                                *big.Int
}

// Parts are the verified routines that the functions of a curve are made of; a function needs some of them.
type Parts struct {
	Field                                          *Field // of the coordinates
	Decode, Scalar, Multiply, MultiplyBase, Affine machine.Verified
}

// work is how a function divides its scratch memory, which is the parameter work. It uses no more than it takes.
type work struct {
	b    *Builder
	f    *Field
	used int // bytes
}

// function starts a function that Go calls. After it has taken all its memory, it calls start, and finish at the end.
func function(t machine.Target, variant string, c machine.Contract, f *Field) (*Builder, *work) {
	b := NewBuilder(t, variant, c)
	return b, &work{b: b, f: f}
}

// elements takes the next n elements.
func (w *work) elements(n int) Ptr {
	p := w.b.Param("work").At(w.used)
	w.used += n * w.f.Bytes()
	return p
}

// start clears the memory, as routines want what they are given initialised.
func (w *work) start() { w.clear("clear") }

// clear makes what is used of the memory zero, in a loop that is run through.
func (w *work) clear(name string) {
	const chunk = 256 // for which Clear has short code
	b := w.b
	n := (w.used + chunk - 1) / chunk * chunk
	for _, p := range b.contract.Params() {
		if p.Name == "work" && p.Bytes < n {
			b.fail("%d bytes of scratch memory, %d are used", p.Bytes, n)
		}
	}
	at, count := isa.Reg(arm64.R4), isa.Reg(arm64.R5) // Clear's counter
	if b.target == machine.AMD64 {
		at, count = amd64.AX, amd64.CX
	}
	code, _, err := Clear(b.target, b.variant, name, at, count, n)
	if err != nil {
		b.fail("%v", err)
		return
	}
	b.Address(at, b.Param("work"))
	b.Append(code)
}

// finish returns 1 if the mask is all ones, 0 if it is 0, and clears the memory.
func (w *work) finish(mask Ptr) {
	b := w.b
	r := b.regs()[0]
	b.LoadReg(r, mask)
	b.andImm(r, 1)
	b.Return("ok", r)
	w.clear("wipe")
}

// and is d &= s.
func (b *Builder) and(d, s isa.Reg) { b.emit(arm64.AND{D: d, N: d, M: s}, amd64.AND{D: d, S: s}) }

// keep clears n bytes at p, a multiple of 8, unless the mask in a register is all ones. r is another register.
func (b *Builder) keep(p Ptr, n int, mask, r isa.Reg) {
	for i := 0; i < n; i += 8 {
		b.LoadReg(r, p.At(i))
		b.and(r, mask)
		b.StoreReg(p.At(i), r)
	}
}
