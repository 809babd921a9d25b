package weierstrass

import (
	"fmt"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Select makes the code of an internal routine with the parameters r (Out), table (In) and index (In, a word that may be
// secret): r is entry index of the table, counted from 1, and zero if there is none. The table has that many entries of
// size bytes, a multiple of 8. All of it is read, in the same order whatever the index is, with vector registers. The
// features are what the code needs: none but in the variant bmi2 of amd64, which is written for AVX2.
//
// The table may be a constant one, or part of one.
func Select(t machine.Target, variant string, entries, size int) (code machine.Code, features []string, err error) {
	v, err := newVectors(t, variant)
	if err != nil {
		return nil, nil, err
	}
	if entries < 1 || size < v.width || size%8 != 0 || size > 1<<12 {
		return nil, nil, fmt.Errorf("impl/weierstrass: a selection among %d entries of %d bytes", entries, size)
	}
	// An iteration of the loop takes several entries if they are small.
	step := 1
	for entries%(2*step) == 0 && 2*step*size <= 256 {
		step *= 2
	}
	offsets := chunks(size, v.width)
	seq := machine.Seq{v.prepare()}
	for group := 0; len(offsets) > 0; group++ {
		n := min(len(offsets), v.accumulators)
		seq = append(seq, v.start(n, entries/step), machine.Loop{
			Name:   fmt.Sprintf("entries%d", group),
			Body:   v.entries(offsets[:n], step, size),
			While:  v.notZero,
			Unroll: entries / step,
		}, v.store(offsets[:n]))
		offsets = offsets[n:]
	}
	return append(seq, v.finish), v.features, nil
}

// Clear makes code that sets size bytes at p, a multiple of 32, to zero, with vector registers. It changes the registers
// p, count and the first vector register, and the flags. The loop gets the name, and is run through by the proof.
func Clear(t machine.Target, variant, name string, p, count isa.Reg, size int) (code machine.Code, features []string,
	err error) {
	v, err := newVectors(t, variant)
	if err != nil {
		return nil, nil, err
	}
	if size < 32 || size%32 != 0 {
		return nil, nil, fmt.Errorf("impl/weierstrass: to clear %d bytes", size)
	}
	step := 32
	for step < 256 && size%(2*step) == 0 {
		step *= 2
	}
	var body machine.Block
	for o := 0; o < step; o += 32 {
		body = append(body, v.clear(p, o)...)
	}
	body = append(body, v.advance(p, step, count)...)
	return machine.Seq{
		v.zero(1), v.constant(count, size/step),
		machine.Loop{Name: name, Body: body, While: v.notZero, Unroll: size / step},
		v.finish,
	}, v.features, nil
}

// chunks are the offsets of pieces of that width that cover the size; the last two may overlap.
func chunks(size, width int) (offsets []int) {
	for o := 0; o < size; o += width {
		offsets = append(offsets, min(o, size-width))
	}
	return offsets
}

// vectors is how a target works with vector registers. The registers of the selection: accumulators are the first ones;
// of the last four one holds the mask, the others in all lanes 1, the index, and the number of the next entry.
type vectors struct {
	width        int // of a register in bytes
	accumulators int
	features     []string
	notZero      isa.Cond      // the counter, after advance
	finish       machine.Block // before a return

	prepare  func() machine.Block                                 // loads the index
	zero     func(n int) machine.Block                            // clears the first n registers
	constant func(r isa.Reg, v int) machine.Block                 // r = v
	start    func(n, count int) machine.Block                     // n accumulators, a counter and the table's address
	entries  func(offsets []int, step, size int) machine.Block    // takes step entries, and advances
	advance  func(p isa.Reg, by int, count isa.Reg) machine.Block // p += by, count −= 1
	store    func(offsets []int) machine.Block                    // of the accumulators to r
	clear    func(p isa.Reg, offset int) machine.Block            // 32 bytes, when the first register is zero
}

func newVectors(t machine.Target, variant string) (vectors, error) {
	switch {
	case t == machine.ARM64 && variant == "":
		return neon(), nil
	case t == machine.AMD64 && variant == "":
		return sse2(), nil
	case t == machine.AMD64 && variant == "bmi2":
		return avx2(), nil
	}
	return vectors{}, fmt.Errorf("impl/weierstrass: there is no variant %q of %v", variant, t)
}

// neon: parameters are in R0 to R2; R3 is a temporary, R4 the place in the table, R5 the counter.
func neon() vectors {
	const mask, one, index, next = arm64.V28, arm64.V29, arm64.V30, arm64.V31
	const temps = arm64.V20 // 8 of them
	v := vectors{width: 16, accumulators: 20, notZero: arm64.CBNZ{T: arm64.R5}}
	v.prepare = func() machine.Block {
		return machine.Block{arm64.LDR{T: arm64.R3, N: arm64.R2}, arm64.VDUP{D: index, N: arm64.R3},
			arm64.MOVZ{D: arm64.R3, Imm: 1}, arm64.VDUP{D: one, N: arm64.R3}}
	}
	v.zero = func(n int) (b machine.Block) {
		for i := range n {
			b = append(b, arm64.VMOVI{D: arm64.V0 + isa.Reg(i)})
		}
		return b
	}
	v.constant = func(r isa.Reg, c int) machine.Block { return machine.Block{arm64.MOVZ{D: r, Imm: uint16(c)}} }
	v.start = func(n, count int) machine.Block {
		b := append(v.zero(n), v.constant(arm64.R5, count)...)
		return append(b, arm64.VORR{D: next, N: one, M: one}, arm64.MOV(arm64.R4, arm64.R1))
	}
	v.advance = func(p isa.Reg, by int, count isa.Reg) machine.Block {
		b := machine.Block{arm64.SUBImm{D: count, N: count, Imm: 1}, arm64.ADDImm{D: p, N: p, Imm: uint64(by & 0xfff)}}
		if by >= 1<<12 {
			b = append(b, arm64.ADDImm{D: p, N: p, Imm: uint64(by &^ 0xfff)})
		}
		return b
	}
	v.entries = func(offsets []int, step, size int) (b machine.Block) {
		for e := range step {
			b = append(b, arm64.VCMEQ{D: mask, N: index, M: next}, arm64.VADD{D: next, N: next, M: one})
			for i := 0; i < len(offsets); i++ {
				t := temps + isa.Reg(i%8)
				o := e*size + offsets[i]
				if i+1 < len(offsets) && offsets[i+1] == offsets[i]+16 && o%16 == 0 && o <= 1008 && i%2 == 0 {
					b = append(b, arm64.LDPQ{T: t, T2: t + 1, N: arm64.R4, Offset: o},
						arm64.VBIT{D: arm64.V0 + isa.Reg(i), N: t, M: mask},
						arm64.VBIT{D: arm64.V0 + isa.Reg(i+1), N: t + 1, M: mask})
					i++
					continue
				}
				b = append(b, load(t, arm64.R4, o)...)
				b = append(b, arm64.VBIT{D: arm64.V0 + isa.Reg(i), N: t, M: mask})
			}
		}
		return append(b, v.advance(arm64.R4, step*size, arm64.R5)...)
	}
	v.store = func(offsets []int) (b machine.Block) {
		for i, o := range offsets {
			if o%16 == 0 {
				b = append(b, arm64.STRQ{T: arm64.V0 + isa.Reg(i), N: arm64.R0, Offset: o})
			} else {
				b = append(b, arm64.ADDImm{D: arm64.R3, N: arm64.R0, Imm: uint64(o)},
					arm64.STRQ{T: arm64.V0 + isa.Reg(i), N: arm64.R3})
			}
		}
		return b
	}
	v.clear = func(p isa.Reg, o int) machine.Block {
		return machine.Block{arm64.STPQ{T: arm64.V0, T2: arm64.V0, N: p, Offset: o}}
	}
	return v
}

// load is a load of 16 bytes at any offset from base.
func load(t, base isa.Reg, o int) machine.Block {
	if o%16 == 0 {
		return machine.Block{arm64.LDRQ{T: t, N: base, Offset: o}}
	}
	return machine.Block{arm64.ADDImm{D: arm64.R3, N: base, Imm: uint64(o)}, arm64.LDRQ{T: t, N: arm64.R3}}
}

// x64 is what the two variants of amd64 share: parameters are in DI, SI and DX; AX is a temporary, SI the place in the
// table, R8 the counter.
func x64(v vectors) vectors {
	v.accumulators = 10
	v.notZero = amd64.NE
	v.constant = func(r isa.Reg, c int) machine.Block { return machine.Block{amd64.MOVLI{D: r, Imm: uint32(c)}} }
	v.advance = func(p isa.Reg, by int, count isa.Reg) machine.Block {
		return machine.Block{amd64.LEA{D: p, M: at(p, by)}, amd64.SUBI{D: count, Imm: 1}}
	}
	return v
}

const (
	x64data, x64mask, x64one, x64index, x64next = amd64.X10, amd64.X12, amd64.X13, amd64.X14, amd64.X15
)

func at(base isa.Reg, o int) amd64.Mem { return amd64.Mem{Base: base, Disp: int32(o)} }

// sse2 compares 32-bit lanes: the index becomes 0 if it does not fit.
func sse2() vectors {
	v := x64(vectors{width: 16})
	v.zero = func(n int) (b machine.Block) {
		for i := range n {
			b = append(b, amd64.PXOR{D: amd64.X0 + isa.Reg(i), S: amd64.X0 + isa.Reg(i)})
		}
		return b
	}
	v.prepare = func() machine.Block {
		return machine.Block{
			amd64.MOVM{D: amd64.AX, M: at(amd64.DX, 0)}, amd64.MOVQX{D: x64one, S: amd64.AX},
			amd64.PSHUFD{D: x64index, S: x64one, Imm: 0x00},
			amd64.PSHUFD{D: x64one, S: x64one, Imm: 0x55},
			amd64.PXOR{D: x64mask, S: x64mask},
			amd64.PCMPEQD{D: x64one, S: x64mask},
			amd64.PAND{D: x64index, S: x64one},
			amd64.MOVLI{D: amd64.AX, Imm: 1}, amd64.MOVQX{D: x64one, S: amd64.AX},
			amd64.PSHUFD{D: x64one, S: x64one, Imm: 0x00},
			amd64.MOV{D: amd64.CX, S: amd64.SI},
		}
	}
	v.start = func(n, count int) machine.Block {
		b := append(v.zero(n), v.constant(amd64.R8, count)...)
		return append(b, amd64.MOVDQA{D: x64next, S: x64one}, amd64.MOV{D: amd64.SI, S: amd64.CX})
	}
	v.entries = func(offsets []int, step, size int) (b machine.Block) {
		for e := range step {
			b = append(b, amd64.MOVDQA{D: x64mask, S: x64next}, amd64.PCMPEQD{D: x64mask, S: x64index},
				amd64.PADDD{D: x64next, S: x64one})
			for i, o := range offsets {
				t := x64data + isa.Reg(i%2)
				b = append(b, amd64.MOVDQUM{D: t, M: at(amd64.SI, e*size+o)}, amd64.PAND{D: t, S: x64mask},
					amd64.POR{D: amd64.X0 + isa.Reg(i), S: t})
			}
		}
		return append(b, v.advance(amd64.SI, step*size, amd64.R8)...)
	}
	v.store = func(offsets []int) (b machine.Block) {
		for i, o := range offsets {
			b = append(b, amd64.MOVDQUMR{M: at(amd64.DI, o), S: amd64.X0 + isa.Reg(i)})
		}
		return b
	}
	v.clear = func(p isa.Reg, o int) machine.Block {
		return machine.Block{amd64.MOVDQUMR{M: at(p, o), S: amd64.X0}, amd64.MOVDQUMR{M: at(p, o+16), S: amd64.X0}}
	}
	return v
}

func avx2() vectors {
	v := x64(vectors{width: 32, features: []string{"AVX", "AVX2"}, finish: machine.Block{amd64.VZEROUPPER{}}})
	v.zero = func(n int) (b machine.Block) {
		for i := range n {
			r := amd64.X0 + isa.Reg(i)
			b = append(b, amd64.VPXOR{D: r, N: r, S: r})
		}
		return b
	}
	v.prepare = func() machine.Block {
		return machine.Block{
			amd64.MOVM{D: amd64.AX, M: at(amd64.DX, 0)}, amd64.VMOVQ{D: x64index, S: amd64.AX},
			amd64.VPBROADCASTQ{D: x64index, S: x64index},
			amd64.MOVLI{D: amd64.AX, Imm: 1}, amd64.VMOVQ{D: x64one, S: amd64.AX},
			amd64.VPBROADCASTQ{D: x64one, S: x64one},
			amd64.MOV{D: amd64.CX, S: amd64.SI},
		}
	}
	v.start = func(n, count int) machine.Block {
		b := append(v.zero(n), v.constant(amd64.R8, count)...)
		return append(b, amd64.VPOR{D: x64next, N: x64one, S: x64one}, amd64.MOV{D: amd64.SI, S: amd64.CX})
	}
	v.entries = func(offsets []int, step, size int) (b machine.Block) {
		for e := range step {
			b = append(b, amd64.VPCMPEQQ{D: x64mask, N: x64index, S: x64next}, amd64.VPADDQ{D: x64next, N: x64next, S: x64one})
			for i, o := range offsets {
				t, d := x64data+isa.Reg(i%2), amd64.X0+isa.Reg(i)
				b = append(b, amd64.VPANDM{D: t, N: x64mask, M: at(amd64.SI, e*size+o)}, amd64.VPOR{D: d, N: d, S: t})
			}
		}
		return append(b, v.advance(amd64.SI, step*size, amd64.R8)...)
	}
	v.store = func(offsets []int) (b machine.Block) {
		for i, o := range offsets {
			b = append(b, amd64.VMOVDQUMR{M: at(amd64.DI, o), S: amd64.X0 + isa.Reg(i)})
		}
		return b
	}
	v.clear = func(p isa.Reg, o int) machine.Block {
		return machine.Block{amd64.VMOVDQUMR{M: at(p, o), S: amd64.X0}}
	}
	return v
}
