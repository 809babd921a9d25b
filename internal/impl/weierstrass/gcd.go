package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Inversion by the plus-minus algorithm: see proof/plusminus for the algorithm, and why it ends.
//
// Numbers a, b with a·c ≡ u·x, b·c ≡ v·x (mod m), x being what is inverted, start as x, m, c, 0. In each of GCDRounds
// rounds GCDSteps steps of the algorithm are done on the low words of a and b; they give a matrix, by which (a, b) and
// (u, v) are then multiplied, and divided by 2^GCDShift, the latter modulo m. In the end b is ±1, so that 1/x ≡ ±v/c.

// GCDRounds rounds of GCDSteps steps are enough for numbers below 2²⁵⁶. A matrix has the factor 2^GCDShift.
const (
	GCDRounds = 17
	GCDSteps  = 31
	GCDShift  = 2 * GCDSteps
	// GCDModulus is the number of words of m.
	GCDModulus = 4
	gcdWords   = GCDModulus + 1 // of a, b, u, v, which are signed
)

// GCDLayout says how the inversion divides its temporary memory: offsets in bytes.
type GCDLayout struct {
	A, B, U, V, Next int // numbers of 5 words
	Matrix           int // f, g, h, k
	Delta            int // the d of the algorithm
}

// LayGCD is that layout.
func LayGCD() GCDLayout {
	return GCDLayout{A: 0, B: 40, U: 80, V: 120, Next: 160, Matrix: 240, Delta: 272}
}

// SteppedMark is the mark after the steps.
const SteppedMark = "stepped"

// GCDs are the verified routines of which an inversion consists.
type GCDs struct{ Steps, Row, RowMod, Natural machine.Verified }

// NewGCDSteps makes the routine steps(matrix, delta, a, b): GCDSteps steps of the algorithm on the low words of a and
// b, from d = delta on. The matrix is f, g, h, k, each plus 2^GCDShift, where the numbers after the steps are (f·a +
// g·b)/2^GCDShift and (h·a + k·b)/2^GCDShift.
func NewGCDSteps(t machine.Target, variant string, c machine.Contract) (Code, error) {
	b := NewBuilder(t, variant, c)
	b.steps(b.Param("a"), b.Param("b"), b.Param("matrix"), b.Param("delta"))
	return b.Finish()
}

// GCDStepRegs are the registers of the steps: the words of a and b, d, the words of f, g, h, k; the number of steps to
// do; and temporary ones.
func GCDStepRegs(t machine.Target) (state []isa.Reg, counter isa.Reg, temps []isa.Reg) {
	if t == machine.ARM64 {
		return []isa.Reg{arm64.R0, arm64.R1, arm64.R6, arm64.R2, arm64.R3, arm64.R4, arm64.R5}, arm64.R14,
			[]isa.Reg{arm64.R10, arm64.R11, arm64.R12, arm64.R13}
	}
	return []isa.Reg{amd64.AX, amd64.BX, amd64.R8, amd64.CX, amd64.DX, amd64.SI, amd64.DI}, amd64.R11,
		[]isa.Reg{amd64.R9, amd64.R12, amd64.R13, amd64.R15}
}

// steps does GCDSteps steps on the low words of a and b.
func (b *Builder) steps(a0, b0, matrix, delta Ptr) {
	if b.target == machine.ARM64 {
		b.stepsARM64(a0, b0, matrix, delta)
		return
	}
	s, n, t := GCDStepRegs(b.target)
	x, y, d, f, g, h, k := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
	t1, t2, t3, w := t[0], t[1], t[2], t[3]
	b.LoadReg(x, a0)
	b.LoadReg(y, b0)
	b.LoadReg(d, delta)
	for i, r := range []isa.Reg{f, g, h, k} {
		b.Const(r, []uint64{1, 0, 0, 1}[i])
	}
	b.Const(n, GCDSteps)
	cmov := func(k amd64.Cond, d, s isa.Reg) isa.Instr { return amd64.CMOV{K: k, D: d, S: s} }
	body := b.Body(func() {
		// a' = (a + t)/4 or (a − t)/4 for t = a if a is even, else b.
		b.Emit(amd64.MOV{D: t1, S: y}, amd64.MOV{D: t2, S: h}, amd64.MOV{D: t3, S: k},
			amd64.TESTI{X: x, Imm: 1},
			cmov(amd64.EQ, t1, x), cmov(amd64.EQ, t2, f), cmov(amd64.EQ, t3, g),
			// b' = a if a is odd and d < 0
			amd64.MOV{D: w, S: x}, amd64.SHL{D: w, N: 63}, amd64.TEST{X: w, Y: d},
			cmov(amd64.MI, y, x), cmov(amd64.MI, h, f), cmov(amd64.MI, k, g),
			amd64.MOV{D: w, S: d}, amd64.NOT{D: w}, amd64.LEA{D: d, M: amd64.Mem{Base: d, Disp: -1}},
			cmov(amd64.MI, d, w),
			amd64.SHL{D: h, N: 2}, amd64.SHL{D: k, N: 2},
			amd64.MOV{D: w, S: x}, amd64.SUB{D: w, S: t1}, amd64.ADD{D: x, S: t1},
			amd64.MOV{D: t1, S: f}, amd64.SUB{D: t1, S: t2}, amd64.ADD{D: f, S: t2},
			amd64.MOV{D: t2, S: g}, amd64.SUB{D: t2, S: t3}, amd64.ADD{D: g, S: t3},
			amd64.MOV{D: t3, S: x}, amd64.SHL{D: t3, N: 62},
			cmov(amd64.MI, x, w), cmov(amd64.MI, f, t1), cmov(amd64.MI, g, t2),
			amd64.SHR{D: x, N: 2},
			amd64.SUBI{D: n, Imm: 1})
	})
	b.Append(machine.Loop{Name: "steps", Body: body, While: amd64.NE})
	b.Mark(SteppedMark)
	b.StoreReg(delta, d)
	b.Const(w, 1<<GCDShift)
	for i, r := range []isa.Reg{f, g, h, k} {
		b.Emit(amd64.ADD{D: r, S: w})
		b.StoreReg(matrix.At(8*i), r)
	}
}

func (b *Builder) stepsARM64(a0, b0, matrix, delta Ptr) {
	s, n, t := GCDStepRegs(b.target)
	x, y, d, f, g, h, k := s[0], s[1], s[2], s[3], s[4], s[5], s[6]
	t1, t2, t3, w := t[0], t[1], t[2], t[3]
	b.LoadReg(x, a0)
	b.LoadReg(y, b0)
	b.LoadReg(d, delta)
	for i, r := range []isa.Reg{f, g, h, k} {
		b.Const(r, []uint64{1, 0, 0, 1}[i])
	}
	b.Const(n, GCDSteps)
	body := b.Body(func() {
		b.Emit(arm64.ANDSImm{D: w, N: x, Imm: 1},
			arm64.CSEL{D: t1, N: x, M: y, Cond: arm64.EQ}, arm64.CSEL{D: t2, N: f, M: h, Cond: arm64.EQ},
			arm64.CSEL{D: t3, N: g, M: k, Cond: arm64.EQ},
			arm64.ANDS{D: w, N: d, M: x, Shift: arm64.ShiftLSL, Amount: 63},
			arm64.CSEL{D: y, N: x, M: y, Cond: arm64.MI}, arm64.CSEL{D: h, N: f, M: h, Cond: arm64.MI},
			arm64.CSEL{D: k, N: g, M: k, Cond: arm64.MI},
			arm64.SUBImm{D: w, N: d, Imm: 1}, arm64.CSINV{D: d, N: w, M: d, Cond: arm64.PL},
			arm64.LSL{D: h, N: h, Amount: 2}, arm64.LSL{D: k, N: k, Amount: 2},
			arm64.SUB{D: w, N: x, M: t1}, arm64.ADD{D: x, N: x, M: t1},
			arm64.SUB{D: t1, N: f, M: t2}, arm64.ADD{D: f, N: f, M: t2},
			arm64.SUB{D: t2, N: g, M: t3}, arm64.ADD{D: g, N: g, M: t3},
			arm64.LSL{D: t3, N: x, Amount: 62}, arm64.ANDS{D: t3, N: t3, M: t3},
			arm64.CSEL{D: x, N: w, M: x, Cond: arm64.MI}, arm64.CSEL{D: f, N: t1, M: f, Cond: arm64.MI},
			arm64.CSEL{D: g, N: t2, M: g, Cond: arm64.MI},
			arm64.LSR{D: x, N: x, Amount: 2},
			arm64.SUBSImm{D: n, N: n, Imm: 1})
	})
	b.Append(machine.Loop{Name: "steps", Body: body, While: arm64.NE})
	b.Mark(SteppedMark)
	b.StoreReg(delta, d)
	b.Const(w, 1<<GCDShift)
	for i, r := range []isa.Reg{f, g, h, k} {
		b.Emit(arm64.ADD{D: r, N: r, M: w})
		b.StoreReg(matrix.At(8*i), r)
	}
}

// gcdRegs are two numbers of 5 words, a pointer, a multiplier and two temporary registers. On AMD64 p is R10, which
// LoadReg and StoreReg change.
type gcdRegs struct {
	c, d       []isa.Reg
	p, m, t, s isa.Reg
}

func (b *Builder) gcdRegs() gcdRegs {
	if b.target == machine.ARM64 {
		return gcdRegs{
			c: []isa.Reg{arm64.R0, arm64.R1, arm64.R2, arm64.R3, arm64.R4},
			d: []isa.Reg{arm64.R5, arm64.R6, arm64.R7, arm64.R10, arm64.R11},
			p: arm64.R8, m: arm64.R12, t: arm64.R13, s: arm64.R14,
		}
	}
	return gcdRegs{
		c: []isa.Reg{amd64.BX, amd64.CX, amd64.SI, amd64.DI, amd64.R8},
		d: []isa.Reg{amd64.R9, amd64.R11, amd64.R12, amd64.R13, amd64.R15},
		p: amd64.R10, m: amd64.DX, t: amd64.AX,
	}
}

// product is d = m·x modulo 2³²⁰ for the multiplier m and a number of 4 or 5 words at x; m is lost.
func (b *Builder) product(r gcdRegs, d []isa.Reg, x Ptr, words int) {
	b.Address(r.p, x)
	switch {
	case b.target == machine.ARM64:
		for i := range words {
			b.Emit(arm64.LDR{T: r.t, N: r.p, Offset: 8 * i})
			lo := r.s
			if i == 0 {
				lo = d[0]
			}
			b.Emit(arm64.MADD{D: lo, N: r.m, M: r.t, A: arm64.ZR})
			if i == 1 {
				b.Emit(arm64.ADDS{D: d[i], N: d[i], M: lo})
			} else if i > 1 {
				b.Emit(arm64.ADCS{D: d[i], N: d[i], M: lo})
			}
			if i < 4 {
				b.Emit(arm64.UMULH{D: d[i+1], N: r.m, M: r.t})
			}
		}
		if words == 4 {
			b.Emit(arm64.ADC{D: d[4], N: d[4], M: arm64.ZR})
		}
	case b.variant == "bmi2":
		mem := func(i int) amd64.Mem { return amd64.Mem{Base: r.p, Disp: int32(8 * i)} }
		b.Emit(amd64.MULXM{Hi: d[1], Lo: d[0], M: mem(0)})
		for i := 1; i < 4; i++ {
			b.Emit(amd64.MULXM{Hi: d[i+1], Lo: r.t, M: mem(i)})
			if i == 1 {
				b.Emit(amd64.ADD{D: d[i], S: r.t})
			} else {
				b.Emit(amd64.ADC{D: d[i], S: r.t})
			}
		}
		b.Emit(amd64.ADCI{D: d[4], Imm: 0})
		if words == 5 {
			b.Emit(amd64.IMULM{D: amd64.DX, M: mem(4)}, amd64.ADD{D: d[4], S: amd64.DX})
		}
	default:
		mem := func(i int) amd64.Mem { return amd64.Mem{Base: r.p, Disp: int32(8 * i)} }
		b.Emit(amd64.MOV{D: d[4], S: r.m})
		for i := range 4 {
			b.Emit(amd64.MOV{D: amd64.AX, S: d[4]}, amd64.MULM{M: mem(i)})
			if i == 0 {
				b.Emit(amd64.MOV{D: d[0], S: amd64.AX})
			} else {
				b.Emit(amd64.ADD{D: d[i], S: amd64.AX}, amd64.ADCI{D: amd64.DX, Imm: 0})
			}
			if i < 3 {
				b.Emit(amd64.MOV{D: d[i+1], S: amd64.DX})
			}
		}
		if words == 5 {
			b.Emit(amd64.IMULM{D: d[4], M: mem(4)}, amd64.ADD{D: d[4], S: amd64.DX})
		} else {
			b.Emit(amd64.MOV{D: d[4], S: amd64.DX})
		}
	}
}

// addTo is c += d, subFrom is c −= d.
func (b *Builder) addTo(c, d []isa.Reg) {
	b.emit(arm64.ADDS{D: c[0], N: c[0], M: d[0]}, amd64.ADD{D: c[0], S: d[0]})
	for i := 1; i < len(c); i++ {
		b.emit(arm64.ADCS{D: c[i], N: c[i], M: d[i]}, amd64.ADC{D: c[i], S: d[i]})
	}
}

func (b *Builder) subFrom(c, d []isa.Reg) {
	b.emit(arm64.SUBS{D: c[0], N: c[0], M: d[0]}, amd64.SUB{D: c[0], S: d[0]})
	for i := 1; i < len(c); i++ {
		b.emit(arm64.SBCS{D: c[i], N: c[i], M: d[i]}, amd64.SBB{D: c[i], S: d[i]})
	}
}

// sub5 is c −= the number at x.
func (b *Builder) sub5(r gcdRegs, x Ptr) {
	b.Address(r.p, x)
	for i, c := range r.c {
		m := amd64.Mem{Base: r.p, Disp: int32(8 * i)}
		switch arm := b.target == machine.ARM64; {
		case arm && i == 0:
			b.Emit(arm64.LDR{T: r.t, N: r.p}, arm64.SUBS{D: c, N: c, M: r.t})
		case arm:
			b.Emit(arm64.LDR{T: r.t, N: r.p, Offset: 8 * i}, arm64.SBCS{D: c, N: c, M: r.t})
		case i == 0:
			b.Emit(amd64.SUBM{D: c, M: m})
		default:
			b.Emit(amd64.SBBM{D: c, M: m})
		}
	}
}

// SumMark is the mark in NewGCDRow where the words are those of f·x + g·y, plus multiples of m and of 2^GCDShift.
const SumMark = "sum"

// NewGCDRow makes the routine row(r, x, y, fg): r = (f·x + g·y)/2^GCDShift for signed numbers of 5 words, and f +
// 2^GCDShift, g + 2^GCDShift at fg; with a field modulo m, for numbers in −m … m.
func NewGCDRow(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	r := b.gcdRegs()
	x, y, fg := b.Param("x"), b.Param("y"), b.Param("fg")
	b.LoadReg(r.m, fg)
	b.product(r, r.c, x, 5)
	b.LoadReg(r.m, fg.At(8))
	b.product(r, r.d, y, 5)
	b.addTo(r.c, r.d)
	var m []uint64
	if f != nil {
		// q = −c/m modulo 2^GCDShift; c += q·m
		m = Words(f.M, 4)
		b.Const(r.m, gcdInverse(f.M).Uint64())
		b.emit(arm64.MADD{D: r.m, N: r.m, M: r.c[0], A: arm64.ZR}, amd64.IMUL{D: r.m, S: r.c[0]})
		b.Const(r.t, 1<<GCDShift-1)
		b.emit(arm64.AND{D: r.m, N: r.m, M: r.t}, amd64.AND{D: r.m, S: r.t})
		b.Mark(QuotientMark)
		b.product(r, r.d, b.Table(f.Name+"Modulus", m), 4)
		b.addTo(r.c, r.d)
	}
	b.Mark(SumMark)
	b.shrWords(r.c, GCDShift)
	b.sub5(r, x)
	b.sub5(r, y)
	b.Mark(RowMark)
	// c is right modulo 2²⁵⁸
	top := r.c[4]
	b.Const(r.t, 0)
	b.emit(arm64.EXTR{D: top, N: top, M: r.t, Amount: 2}, amd64.SHLD{D: top, S: r.t, N: 62})
	if f != nil {
		b.move(r.d[4], top)
	}
	b.sar(top, 62)
	if f != nil {
		// from −m … 2m−1 to −m … m−1
		mask := r.d[4]
		b.sar(mask, 63)
		b.not(mask)
		b.masked(r.d[:4], m, mask)
		b.Const(mask, 0)
		b.subFrom(r.c, r.d)
	}
	b.storeWords(b.Param("r"), r.c)
	return b.Finish()
}

// QuotientMark is the mark after the quotient, in a register of GCDRegs. RowMark is the mark where the words are right
// modulo 2²⁵⁸.
const (
	QuotientMark = "quotient"
	RowMark      = "row"
)

// GCDRegs are the registers of the words, and that of the quotient.
func GCDRegs(t machine.Target) (words []isa.Reg, quotient isa.Reg) {
	r := (&Builder{target: t}).gcdRegs()
	return r.c, r.m
}

// gcdInverse is −1/m modulo 2^GCDShift.
func gcdInverse(m *big.Int) *big.Int {
	mod := new(big.Int).Lsh(big.NewInt(1), GCDShift)
	inv := new(big.Int).ModInverse(m, mod)
	return inv.Sub(mod, inv)
}

// masked is d = m if the mask is all ones, and 0 if it is 0.
func (b *Builder) masked(d []isa.Reg, m []uint64, mask isa.Reg) {
	for i, d := range d {
		b.Const(d, m[i])
		b.emit(arm64.AND{D: d, N: d, M: mask}, amd64.AND{D: d, S: mask})
	}
}

// The marks in NewGCDInverse: at the head of a round, after the steps, after a round, and after all.
const (
	RoundMark  = "round"
	MatrixMark = "matrix"
	RoundsMark = "rounds"
)

// NewGCDInverse makes the routine inverse(r, a, tmp): r = R²/a, which in Montgomery form is the inverse, and 0 if a is
// 0. tmp has PowerTemps elements, and m four words. The counter of rounds is in the frame.
func NewGCDInverse(t machine.Target, variant string, c machine.Contract, f *Field, g GCDs) (code Code, counter Ptr,
	err error) {
	b := NewBuilder(t, variant, c)
	tmp := b.Param("tmp")
	l := LayGCD()
	x, y, u, v, next := tmp.At(l.A), tmp.At(l.B), tmp.At(l.U), tmp.At(l.V), tmp.At(l.Next)
	matrix, delta := tmp.At(l.Matrix), tmp.At(l.Delta)
	_, w := b.temps()
	constant := func(p Ptr, v *big.Int) {
		for i, x := range Words(v, gcdWords) {
			b.Const(w, x)
			b.StoreReg(p.At(8*i), w)
		}
	}
	b.Copy(x, b.Param("a"), 32)
	b.Zero(x.At(32), 8)
	constant(y, f.M)
	scale := new(big.Int).Mul(f.R(), f.R())
	constant(u, scale.Mod(scale, f.M))
	constant(v, new(big.Int))
	b.Zero(delta, 8)
	counter = b.Repeat("rounds", GCDRounds, false, func() {
		b.Mark(RoundMark)
		b.Call("steps", g.Steps, matrix, delta, x, y)
		b.Mark(MatrixMark)
		b.combine("numbers", g.Row, x, y, matrix, next)
		b.combine("coefficients", g.RowMod, u, v, matrix, next)
	})
	b.Mark(RoundsMark)
	// ±v
	b.Call("natural", g.Natural, next, v)
	b.Do(f, "CNeg", b.Param("r"), next, y.At(32))
	code, err = b.Finish()
	return code, counter, err
}

// NaturalMark is the mark in NewGCDNatural where the words are a number in 0 … m.
const NaturalMark = "natural"

// NewGCDNatural makes the routine natural(r, x): r ≡ x (mod m), 0 ≤ r < m, for a signed number −m ≤ x ≤ m.
func NewGCDNatural(t machine.Target, variant string, c machine.Contract, f *Field) (Code, error) {
	b := NewBuilder(t, variant, c)
	r := b.gcdRegs()
	m := Words(f.M, 4)
	mask, top, zero := r.d[4], r.c[4], r.t
	b.loadWords(r.c, b.Param("x"))
	// + m if it is negative
	if b.target == machine.ARM64 {
		b.Emit(arm64.ANDS{D: top, N: top, M: top},
			arm64.CSINV{D: mask, N: arm64.ZR, M: arm64.ZR, Cond: arm64.PL})
	} else {
		b.Const(mask, 0)
		b.Const(zero, ^uint64(0))
		b.Emit(amd64.TEST{X: top, Y: top}, amd64.CMOV{K: amd64.MI, D: mask, S: zero})
	}
	b.masked(r.d[:4], m, mask)
	b.addTo(r.c[:4], r.d[:4])
	b.Mark(NaturalMark)
	// − m, + m if there is a borrow
	for i, c := range r.d[:4] {
		b.Const(c, m[i])
	}
	b.subFrom(r.c[:4], r.d[:4])
	if b.target == machine.ARM64 {
		b.Emit(arm64.CSINV{D: mask, N: arm64.ZR, M: arm64.ZR, Cond: arm64.HS})
	} else {
		b.Emit(amd64.SBB{D: mask, S: mask})
	}
	b.masked(r.d[:4], m, mask)
	b.addTo(r.c[:4], r.d[:4])
	b.storeWords(b.Param("r"), r.c[:4])
	return b.Finish()
}

// combine multiplies the numbers x, y by the matrix. next has 10 words.
func (b *Builder) combine(name string, row machine.Verified, x, y, matrix, next Ptr) {
	n := 8 * gcdWords
	b.Call(name+"0", row, next, x, y, matrix)
	b.Call(name+"1", row, next.At(n), x, y, matrix.At(16))
	b.Copy(x, next, n)
	b.Copy(y, next.At(n), n)
}

// GCDDestroys tells a register that the rounds of NewGCDInverse, with their calls, may change, of those that have a
// value before.
func GCDDestroys(t machine.Target, r isa.Reg) bool {
	b := &Builder{target: t}
	addr, word := b.temps()
	if r == addr || r == word {
		return true
	}
	for i := range 3 {
		if r == b.ParamReg(i) {
			return true
		}
	}
	return false
}
