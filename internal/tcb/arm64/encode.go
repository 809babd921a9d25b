package arm64

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"verum.example/internal/tcb/isa"
)

// functionAlign is the multiple of bytes to which Go's assembler pads functions, with zeros.
const functionAlign = 16

// Encode returns the bytes that Go's assembler makes of Print's text on Linux, padding included, and the places that
// the linker patches; there the bytes are as in the object file, with zero displacements. (On iOS, the prologue of
// a large frame has one more instruction.)
func Encode(f isa.Function) (code []byte, relocs []isa.Reloc, err error) {
	l, err := layoutOf(f)
	if err != nil {
		return nil, nil, err
	}
	e := &encoder{f: f, l: l, labels: make(map[string]int), first: make(map[string]int)}

	// Every line's size is known beforehand, so that one pass finds the labels and another emits.
	pc := len(prologue(l))
	for n, line := range f.Lines {
		if line.Label != "" {
			e.labels[line.Label] = pc
			e.first[line.Label] = n
		}
		pc += e.words(line)
	}
	e.emit(prologue(l)...)
	for n, line := range f.Lines {
		if err := e.line(line); err != nil {
			return nil, nil, fmt.Errorf("arm64: function %s: line %d: %w", f.Name, n, err)
		}
	}
	for len(e.code)%functionAlign != 0 {
		e.code = append(e.code, 0)
	}
	return e.code, e.relocs, nil
}

// Offsets is where the code of each line of f starts, in bytes, as Encode makes it.
func Offsets(f isa.Function) ([]int, error) {
	l, err := layoutOf(f)
	if err != nil {
		return nil, err
	}
	e := &encoder{f: f, l: l}
	pc := len(prologue(l))
	offsets := make([]int, len(f.Lines))
	for n, line := range f.Lines {
		offsets[n] = 4 * pc
		pc += e.words(line)
	}
	return offsets, nil
}

type encoder struct {
	f      isa.Function
	l      layout
	labels map[string]int // label → its place, in words from the start of the function
	first  map[string]int // label → its line
	code   []byte
	relocs []isa.Reloc
}

func (e *encoder) emit(words ...uint32) {
	for _, w := range words {
		e.code = binary.LittleEndian.AppendUint32(e.code, w)
	}
}

// words is the number of instructions that a line becomes.
func (e *encoder) words(line isa.Line) int {
	switch {
	case line.Label != "":
		return 0
	case line.Return:
		return len(epilogue(e.l))
	case line.Instr != nil:
		if _, ok := line.Instr.(TableAddr); ok {
			return 2
		}
	}
	return 1
}

func (e *encoder) line(line isa.Line) error {
	switch {
	case line.Instr != nil:
		return e.instruction(line.Instr)
	case line.Branch != nil:
		return e.branch(*line.Branch)
	case line.Call != "":
		e.reloc(isa.RelocCall, 4, line.Call)
		e.emit(0x94000000) // BL
	case line.Return:
		e.emit(epilogue(e.l)...)
	}
	return nil
}

func (e *encoder) reloc(kind isa.RelocKind, size int, symbol string) {
	e.relocs = append(e.relocs, isa.Reloc{Kind: kind, Offset: len(e.code), Size: size, Symbol: symbol})
}

func (e *encoder) branch(b isa.Branch) error {
	target, err := e.target(b.Label)
	if err != nil {
		return err
	}
	d := target - len(e.code)/4 // in instructions
	field := 19                 // bits of the displacement
	if b.Cond == nil {
		field = 26
	}
	// Go's assembler makes a detour for displacements near the limit; such code is refused here.
	if limit := 1<<(field-1) - 16; d < -limit || d > limit {
		return fmt.Errorf("branch to %s is too far", b.Label)
	}
	imm := uint32(d) & (1<<field - 1)
	switch k := b.Cond.(type) {
	case nil:
		e.emit(0x14000000 | imm)
	case Cond:
		e.emit(0x54000000 | imm<<5 | k.code())
	case CBZ:
		e.emit(0xb4000000 | imm<<5 | enc(k.T))
	case CBNZ:
		e.emit(0xb5000000 | imm<<5 | enc(k.T))
	default:
		return fmt.Errorf("no encoding of condition %T", b.Cond)
	}
	return nil
}

// target is where a branch to the label goes. Go's assembler lets a branch to an unconditional branch go directly
// where that one goes.
func (e *encoder) target(label string) (int, error) {
	for range e.f.Lines {
		n := e.first[label]
		for n < len(e.f.Lines) && e.f.Lines[n].Label != "" {
			n++
		}
		if n == len(e.f.Lines) {
			return 0, fmt.Errorf("nothing follows label %s", label)
		}
		b := e.f.Lines[n].Branch
		if b == nil || b.Cond != nil {
			return e.labels[label], nil
		}
		label = b.Label
	}
	return 0, fmt.Errorf("branches in a circle at %s", label)
}

// prologue is what Go's assembler puts before the first instruction.
func prologue(l layout) []uint32 {
	switch {
	case l.size == 0:
		return nil
	case l.size <= largeFrame:
		return []uint32{
			0xf8000c00 | imm9(-l.size) | enc(SP)<<5 | enc(R30), // STR R30, [SP, #−size]!
			0xf8000000 | imm9(-8) | enc(SP)<<5 | enc(R29),      // STUR R29, [SP, #−8]
			subImm(R29, SP, 8),
		}
	}
	return []uint32{
		subImm(R20, SP, l.size),
		0xa9000000 | imm7(-8) | enc(R30)<<10 | enc(R20)<<5 | enc(R29), // STP R29, R30, [R20, #−8]
		addImm(SP, R20, 0),
		subImm(R29, SP, 8),
	}
}

// epilogue is what Go's assembler makes of RET.
func epilogue(l layout) []uint32 {
	const ret = 0xd65f03c0
	switch {
	case l.size == 0:
		return []uint32{ret}
	case l.leaf:
		return []uint32{
			addImm(R29, SP, l.size-8),
			addImm(SP, SP, l.size),
			ret,
		}
	case l.size <= largeFrame:
		return []uint32{
			0xf8400000 | imm9(-8) | enc(SP)<<5 | enc(R29),     // LDUR R29, [SP, #−8]
			0xf8400400 | imm9(l.size) | enc(SP)<<5 | enc(R30), // LDR R30, [SP], #size
			ret,
		}
	}
	return []uint32{
		0xa9400000 | imm7(-8) | enc(R30)<<10 | enc(SP)<<5 | enc(R29), // LDP R29, R30, [SP, #−8]
		addImm(SP, SP, l.size),
		ret,
	}
}

// instruction emits one instruction, or the two of TableAddr. Opcodes are those of the 64-bit variants in DDI 0487
// C4.1; operand fields are in the order of their bits, from the top.
func (e *encoder) instruction(i isa.Instr) error {
	switch i := i.(type) {
	case LoadArg:
		offset, err := argOffset(e.f, i.Name, false)
		if err != nil {
			return err
		}
		return e.instruction(LDR{T: i.D, N: SP, Offset: e.l.argument(offset)})
	case StoreResult:
		offset, err := argOffset(e.f, i.Name, true)
		if err != nil {
			return err
		}
		return e.instruction(STR{T: i.S, N: SP, Offset: e.l.argument(offset)})
	case TableAddr:
		e.reloc(isa.RelocTable, 8, i.Name)
		e.emit(0x90000000|enc(i.D), addImm(i.D, i.D, 0)) // ADRP, ADD
		return nil
	}
	w, err := encode(i)
	if err == nil {
		e.emit(w)
	}
	return err
}

// encode is the encoding of one instruction that depends on nothing but its operands.
func encode(i isa.Instr) (uint32, error) {
	switch i := i.(type) {
	case ADD:
		return 0x8b000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ADDS:
		return 0xab000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case SUB:
		return 0xcb000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case SUBS:
		return 0xeb000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ADDImm:
		return 0x91000000 | imm12(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case ADDSImm:
		return 0xb1000000 | imm12(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case SUBImm:
		return 0xd1000000 | imm12(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case SUBSImm:
		return 0xf1000000 | imm12(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case ADC:
		return 0x9a000000 | operands(i.D, i.N, i.M), nil
	case ADCS:
		return 0xba000000 | operands(i.D, i.N, i.M), nil
	case SBC:
		return 0xda000000 | operands(i.D, i.N, i.M), nil
	case SBCS:
		return 0xfa000000 | operands(i.D, i.N, i.M), nil

	case MADD:
		return 0x9b000000 | enc(i.A)<<10 | operands(i.D, i.N, i.M), nil
	case MSUB:
		return 0x9b008000 | enc(i.A)<<10 | operands(i.D, i.N, i.M), nil
	case UMULH:
		return 0x9bc07c00 | operands(i.D, i.N, i.M), nil

	case AND:
		return 0x8a000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ANDS:
		return 0xea000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case BIC:
		return 0x8a200000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ORR:
		return 0xaa000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ORN:
		return 0xaa200000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case EOR:
		return 0xca000000 | shiftedOperands(i.D, i.N, i.M, i.Shift, i.Amount), nil
	case ANDImm:
		return 0x92000000 | bitmask(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case ANDSImm:
		return 0xf2000000 | bitmask(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case ORRImm:
		return 0xb2000000 | bitmask(i.Imm) | enc(i.N)<<5 | enc(i.D), nil
	case EORImm:
		return 0xd2000000 | bitmask(i.Imm) | enc(i.N)<<5 | enc(i.D), nil

	case LSL: // UBFM #−amount mod 64, #63−amount
		return 0xd3400000 | uint32(64-i.Amount)%64<<16 | uint32(63-i.Amount)<<10 | enc(i.N)<<5 | enc(i.D), nil
	case LSR: // UBFM #amount, #63
		return 0xd3400000 | uint32(i.Amount)<<16 | 63<<10 | enc(i.N)<<5 | enc(i.D), nil
	case ASR: // SBFM #amount, #63
		return 0x93400000 | uint32(i.Amount)<<16 | 63<<10 | enc(i.N)<<5 | enc(i.D), nil
	case EXTR:
		return 0x93c00000 | uint32(i.Amount)<<10 | operands(i.D, i.N, i.M), nil
	case REV:
		return 0xdac00c00 | enc(i.N)<<5 | enc(i.D), nil

	case MOVZ:
		return 0xd2800000 | uint32(i.Hw)<<21 | uint32(i.Imm)<<5 | enc(i.D), nil
	case MOVN:
		return 0x92800000 | uint32(i.Hw)<<21 | uint32(i.Imm)<<5 | enc(i.D), nil
	case MOVK:
		return 0xf2800000 | uint32(i.Hw)<<21 | uint32(i.Imm)<<5 | enc(i.D), nil

	case CSEL:
		return 0x9a800000 | i.Cond.code()<<12 | operands(i.D, i.N, i.M), nil
	case CSINC:
		return 0x9a800400 | i.Cond.code()<<12 | operands(i.D, i.N, i.M), nil
	case CSINV:
		return 0xda800000 | i.Cond.code()<<12 | operands(i.D, i.N, i.M), nil
	case CSNEG:
		return 0xda800400 | i.Cond.code()<<12 | operands(i.D, i.N, i.M), nil
	case CCMP:
		return 0xfa400000 | enc(i.M)<<16 | i.Cond.code()<<12 | enc(i.N)<<5 | uint32(i.NZCV), nil
	case CCMPImm:
		return 0xfa400800 | uint32(i.Imm)<<16 | i.Cond.code()<<12 | enc(i.N)<<5 | uint32(i.NZCV), nil

	case LDR:
		return 0xf9400000 | uint32(i.Offset/8)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STR:
		return 0xf9000000 | uint32(i.Offset/8)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case LDRW:
		return 0xb9400000 | uint32(i.Offset/4)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STRW:
		return 0xb9000000 | uint32(i.Offset/4)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case LDRB:
		return 0x39400000 | uint32(i.Offset)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STRB:
		return 0x39000000 | uint32(i.Offset)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case LDP:
		return 0xa9400000 | imm7(i.Offset) | enc(i.T2)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STP:
		return 0xa9000000 | imm7(i.Offset) | enc(i.T2)<<10 | enc(i.N)<<5 | enc(i.T), nil

	case LDRQ:
		return 0x3dc00000 | uint32(i.Offset/16)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STRQ:
		return 0x3d800000 | uint32(i.Offset/16)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case LDPQ:
		return 0xad400000 | imm7(i.Offset/2) | enc(i.T2)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case STPQ:
		return 0xad000000 | imm7(i.Offset/2) | enc(i.T2)<<10 | enc(i.N)<<5 | enc(i.T), nil
	case VMOVI:
		return 0x4f00e400 | uint32(i.Imm>>5)<<16 | uint32(i.Imm&31)<<5 | enc(i.D), nil
	case VDUP:
		return 0x4e080c00 | enc(i.N)<<5 | enc(i.D), nil
	case VCMEQ:
		return 0x6ee08c00 | operands(i.D, i.N, i.M), nil
	case VADD:
		return 0x4ee08400 | operands(i.D, i.N, i.M), nil
	case VAND:
		return 0x4e201c00 | operands(i.D, i.N, i.M), nil
	case VORR:
		return 0x4ea01c00 | operands(i.D, i.N, i.M), nil
	case VEOR:
		return 0x6e201c00 | operands(i.D, i.N, i.M), nil
	case VBIT:
		return 0x6ea01c00 | operands(i.D, i.N, i.M), nil
	}
	return 0, fmt.Errorf("no encoding of %T", i)
}

// enc is the encoding of a register; SP and ZR share one.
func enc(r Reg) uint32 {
	switch {
	case r == ZR:
		return 31
	case r >= V0:
		return uint32(r - V0)
	}
	return uint32(r)
}

func operands(d, n, m Reg) uint32 { return enc(m)<<16 | enc(n)<<5 | enc(d) }

func shiftedOperands(d, n, m Reg, shift Shift, amount uint8) uint32 {
	return uint32(shift)<<22 | uint32(amount)<<10 | operands(d, n, m)
}

// addImm and subImm are for the prologue and epilogue: d and n may be SP, imm < 2¹².
func addImm(d, n Reg, imm int) uint32 { return 0x91000000 | uint32(imm)<<10 | enc(n)<<5 | enc(d) }
func subImm(d, n Reg, imm int) uint32 { return 0xd1000000 | uint32(imm)<<10 | enc(n)<<5 | enc(d) }

// imm12 is the immediate of add and subtract with its shift by 12.
func imm12(v uint64) uint32 {
	if v < 1<<12 {
		return uint32(v) << 10
	}
	return 1<<22 | uint32(v>>12)<<10
}

// imm9 is the signed offset of pre- and post-indexed and unscaled forms.
func imm9(v int) uint32 { return uint32(v) & 0x1ff << 12 }

// imm7 is the signed offset of pairs of 8-byte registers, in units of 8. (Pairs of 16-byte registers have units of 16.)
func imm7(v int) uint32 { return uint32(v/8) & 0x7f << 15 }

// bitmask is N:immr:imms of a valid bitmask immediate.
func bitmask(imm uint64) uint32 {
	w, _ := encodeBitmask(imm)
	return w
}

// encodeBitmask is the inverse of DecodeBitMasks of DDI 0487: the fields N, immr and imms, in place, for an immediate
// that is a run of 1 to size−1 ones, rotated right by immr within size bits, and repeated, with size a power of 2.
func encodeBitmask(imm uint64) (uint32, bool) {
	if imm == 0 || imm == ^uint64(0) {
		return 0, false
	}
	// The element is the smallest period; a run that fits a larger size only would have a larger period.
	size := 64
	for size > 2 && imm == bits.RotateLeft64(imm, size/2) {
		size /= 2
	}
	mask := ^uint64(0) >> (64 - size)
	element := imm & mask
	ones := bits.OnesCount64(element)
	run := uint64(1)<<ones - 1
	for rot := 0; rot < size; rot++ {
		if (run>>rot|run<<(size-rot))&mask == element {
			n := uint32(size) >> 6
			imms := uint32(-2*size)&0x3f | uint32(ones-1)
			return n<<22 | uint32(rot)<<16 | imms<<10, true
		}
	}
	return 0, false
}
