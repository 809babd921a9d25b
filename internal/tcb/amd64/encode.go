package amd64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"verum.example/internal/tcb/isa"
)

// Encode gives the bytes of f as Go's assembler and linker make them from Print's text, with the places that the
// linker fills (zero in the result). It follows cmd/internal/obj/x86 of Go 1.26: the prologue and epilogue that the
// assembler adds, its choice of immediates, displacements and jumps, and the collapsing of jumps to jumps.
func Encode(f isa.Function) ([]byte, []isa.Reloc, error) {
	code, relocs, err := encode(f)
	if err != nil {
		return nil, nil, fmt.Errorf("amd64: encode %s: %w", f.Name, err)
	}
	return code, relocs, nil
}

// piece is the code of one line.
type piece struct {
	code   []byte
	relocs []isa.Reloc // offsets within code
	branch *isa.Branch // a branch to the piece numbered target; code depends on the distance
	target int
	long   bool // a forward branch that needs 32 bits
}

func encode(f isa.Function) ([]byte, []isa.Reloc, error) {
	pieces, _, offsets, err := assemble(f)
	if err != nil {
		return nil, nil, err
	}
	var code []byte
	var relocs []isa.Reloc
	for n, p := range pieces {
		for _, r := range p.relocs {
			r.Offset += offsets[n]
			relocs = append(relocs, r)
		}
		if p.branch != nil {
			p.code = jump(p.branch.Cond, offsets[p.target]-offsets[n], !p.short(n, offsets))
		}
		code = append(code, p.code...)
	}
	return code, relocs, nil
}

// Offsets is where the code of each line of f starts, in bytes, as Encode makes it.
func Offsets(f isa.Function) ([]int, error) {
	_, lines, offsets, err := assemble(f)
	if err != nil {
		return nil, fmt.Errorf("amd64: encode %s: %w", f.Name, err)
	}
	for n := range lines {
		lines[n] = offsets[lines[n]]
	}
	return lines, nil
}

// assemble makes the pieces of f. lines are the pieces at which its lines start, offsets those of the pieces and the end.
func assemble(f isa.Function) (pieces []piece, lines, offsets []int, err error) {
	if err := checkFunction(f); err != nil {
		return nil, nil, nil, err
	}
	pieces = []piece{{code: prologue(f)}}
	labels := map[string]int{} // label to piece
	for n, l := range f.Lines {
		lines = append(lines, len(pieces))
		p := piece{}
		switch {
		case l.Label != "":
			labels[l.Label] = len(pieces)
			continue
		case l.Branch != nil:
			p.branch = l.Branch
		case l.Call != "":
			p.code = []byte{0xe8, 0, 0, 0, 0}
			p.relocs = []isa.Reloc{{Kind: isa.RelocCall, Offset: 1, Size: 4, Symbol: l.Call}}
		case l.Return:
			p.code = append(epilogue(f), 0xc3)
		default:
			var err error
			if p.code, p.relocs, err = instruction(f, l.Instr); err != nil {
				return nil, nil, nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		pieces = append(pieces, p)
	}
	if err := resolve(pieces, labels); err != nil {
		return nil, nil, nil, err
	}
	offsets, err = layout(pieces)
	return pieces, lines, offsets, err
}

// A function with a frame or calls saves the frame pointer, points it at the saved one and makes room for locals.
func savesBP(f isa.Function) bool { return f.Frame > 0 || f.Calls }

func prologue(f isa.Function) []byte {
	if !savesBP(f) {
		return nil
	}
	code := []byte{0x55, 0x48, 0x89, 0xe5} // PUSHQ BP; MOVQ SP, BP
	return append(code, adjustSP(f.Frame)...)
}

func epilogue(f isa.Function) []byte {
	if !savesBP(f) {
		return nil
	}
	return append(adjustSP(-f.Frame), 0x5d) // POPQ BP
}

// adjustSP is SUBQ $n, SP, or ADDQ $−n, SP: the assembler keeps the constant positive, but it prefers −128 to 128,
// which saves three bytes.
func adjustSP(n int) []byte {
	if n == 0 {
		return nil
	}
	const add, sub = 0xc4, 0xec // ModRM with SP as r/m: /0 ADD, /5 SUB
	modrm := byte(sub)
	if n == 128 || n < 0 && n != -128 {
		modrm, n = add, -n
	}
	if isInt8(int64(n)) {
		return []byte{0x48, 0x83, modrm, byte(n)}
	}
	return le32([]byte{0x48, 0x81, modrm}, int64(n))
}

// argOffset is where the Go argument at offset off(FP) is, from SP: above the frame, the saved BP and the return address.
func argOffset(f isa.Function, off int) int32 {
	off += f.Frame + 8
	if savesBP(f) {
		off += 8
	}
	return int32(off)
}

// resolve finds the target of each branch. A branch to an unconditional branch goes where that goes.
func resolve(pieces []piece, labels map[string]int) error {
	for n := range pieces {
		b := pieces[n].branch
		if b == nil {
			continue
		}
		t := labels[b.Label]
		for steps := 0; pieces[t].branch != nil && pieces[t].branch.Cond == nil; steps++ {
			if steps > len(pieces) {
				return errors.New("branches in a circle")
			}
			t = labels[pieces[t].branch.Label]
		}
		pieces[n].target = t
	}
	return nil
}

// layout finds the offset of each piece. All forward branches start short; those that do not reach become long, until
// nothing changes. A backward branch is short whenever that reaches.
func layout(pieces []piece) ([]int, error) {
	offsets := make([]int, len(pieces)+1)
	for changed := true; changed; {
		for n, p := range pieces {
			size := len(p.code)
			if p.branch != nil {
				size = len(jump(p.branch.Cond, 0, !p.short(n, offsets)))
			}
			offsets[n+1] = offsets[n] + size
		}
		changed = false
		for n := range pieces {
			p := &pieces[n]
			if p.branch != nil && p.target > n && !p.long && offsets[p.target]-(offsets[n]+2) > 127 {
				p.long, changed = true, true
			}
		}
	}
	if offsets[len(pieces)] > math.MaxInt32 {
		return nil, errors.New("too long")
	}
	return offsets, nil
}

// short says whether the branch p, piece n, has 8 bits. Its target is behind it or itself: then its offset is known.
func (p *piece) short(n int, offsets []int) bool {
	if p.target > n {
		return !p.long
	}
	return offsets[p.target]-(offsets[n]+2) >= -128
}

// jump is a jump to an address dist bytes from its own.
func jump(k isa.Cond, dist int, long bool) []byte {
	c, conditional := k.(Cond)
	switch {
	case conditional && long:
		return le32([]byte{0x0f, 0x80 + byte(c.code())}, int64(dist-6))
	case conditional:
		return []byte{0x70 + byte(c.code()), byte(dist - 2)}
	case long:
		return le32([]byte{0xe9}, int64(dist-5))
	default:
		return []byte{0xeb, byte(dist - 2)}
	}
}

// instruction encodes one instruction of f.
func instruction(f isa.Function, i isa.Instr) ([]byte, []isa.Reloc, error) {
	in, err := checked(i)
	if err != nil {
		return nil, nil, err
	}
	switch in.arg {
	case paramName, resultName:
		a, err := argument(f, in.name, in.arg == resultName)
		if err != nil {
			return nil, nil, err
		}
		in.m = &Mem{Base: SP, Disp: argOffset(f, a.Offset)}
	case tableName:
		code := in.bytes()
		return code, []isa.Reloc{{Kind: isa.RelocTable, Offset: len(code) - 4, Size: 4, Symbol: in.name}}, nil
	}
	return in.bytes(), nil, nil
}

// bytes encodes the form with its operands.
func (i *form) bytes() []byte {
	switch i.enc {
	case encMR:
		return i.modRM(i.op, i.last(), i.rm(0))
	case encRM:
		return i.modRM(i.op, number(i.r[0]), i.rm(1))
	case encM:
		return i.modRM(i.op, i.digit, i.rm(0))
	case encO:
		return i.opReg(i.op)
	case encOI:
		return le32(i.opReg(i.op), *i.imm)
	case encMI:
		return le32(i.modRM(i.op, i.digit, i.rm(0)), *i.imm)
	case encALU:
		switch {
		case isInt8(*i.imm):
			return append(i.modRM(0x83, i.digit, i.rm(0)), byte(*i.imm))
		case i.r[0] == AX:
			return le32([]byte{rexW, i.digit<<3 | 5}, *i.imm)
		default:
			return le32(i.modRM(0x81, i.digit, i.rm(0)), *i.imm)
		}
	case encTEST:
		if i.r[0] == AX {
			return le32([]byte{rexW, 0xa9}, *i.imm)
		}
		return le32(i.modRM(0xf7, 0, i.rm(0)), *i.imm)
	case encMOV:
		v := *i.imm
		switch {
		case v == int64(int32(v)):
			return le32(i.modRM(0xc7, 0, i.rm(0)), v)
		case v == int64(uint32(v)):
			i.narrow = true // a 32-bit move zero-extends
			return le32(i.opReg(0xb8), v)
		default:
			return binary.LittleEndian.AppendUint64(i.opReg(0xb8), uint64(v))
		}
	case encShift:
		if *i.imm == 1 {
			return i.modRM(0xd1, i.digit, i.rm(0))
		}
		return append(i.modRM(0xc1, i.digit, i.rm(0)), byte(*i.imm))
	case encMRI:
		return append(i.modRM(i.op, number(i.r[1]), i.rm(0)), byte(*i.imm))
	case encRMI:
		if isInt8(*i.imm) {
			return append(i.modRM(0x6b, number(i.r[0]), i.rm(1)), byte(*i.imm))
		}
		return le32(i.modRM(0x69, number(i.r[0]), i.rm(1)), *i.imm)
	case encRMB:
		return append(i.modRM(i.op, number(i.r[0]), i.rm(1)), byte(*i.imm))
	case encRVM:
		return i.vexModRM(number(i.r[1]), i.rm(2))
	case encVRM, encVMR: // in the latter, r[0] is the second operand
		return i.vexModRM(0, i.rm(1))
	case encV:
		return append(i.vexPrefix(0, place{}), byte(i.op))
	case encVRMI:
		return append(i.vexModRM(0, i.rm(1)), byte(*i.imm))
	default: // encTable
		return i.modRM(i.op, number(i.r[0]), relative)
	}
}

// place is what ModRM.r/m names: its bytes, to which reg is added, and the high bits of the registers in it.
type place struct {
	code []byte // ModRM with reg = 0, SIB, displacement
	x, b byte   // bit 3 of the index, of the base or register
	// needREX: the register is SI or DI's low byte, which without a REX prefix would be DH or BH.
	needREX bool
}

// relative is a place at a distance from the next instruction that the linker fills in.
var relative = place{code: []byte{0x05, 0, 0, 0, 0}}

// rm is the operand named by ModRM.r/m: memory if there is any, else register operand n.
func (i *form) rm(n int) place {
	if i.m != nil {
		return i.m.place()
	}
	r := number(i.r[n])
	return place{code: []byte{0xc0 | r&7}, b: r >> 3, needREX: i.byteR && r >= 4}
}

// place encodes a memory operand (SDM vol. 2A §2.1.5): 4 in r/m asks for a SIB byte, hence SP and R12 always have one;
// mod 0 with base 5 means something else, hence R13 always has a displacement.
func (m Mem) place() place {
	base := number(m.Base)
	var mod byte
	var disp []byte
	switch {
	case m.Disp == 0 && base&7 != 5:
		mod = 0
	case isInt8(int64(m.Disp)):
		mod, disp = 1, []byte{byte(m.Disp)}
	default:
		mod, disp = 2, le32(nil, int64(m.Disp))
	}
	p := place{b: base >> 3}
	switch {
	case m.Scale != 0:
		index := number(m.Index)
		p.x = index >> 3
		scale := byte(bits.TrailingZeros8(m.Scale))
		p.code = []byte{mod<<6 | 4, scale<<6 | index&7<<3 | base&7}
	case base&7 == 4:
		p.code = []byte{mod<<6 | 4, 4<<3 | 4} // no index
	default:
		p.code = []byte{mod<<6 | base&7}
	}
	p.code = append(p.code, disp...)
	return p
}

const rexW = 0x48

// modRM encodes [prefix] [REX] op ModRM…, with reg in ModRM.reg.
func (i *form) modRM(op uint16, reg byte, p place) []byte {
	rex := reg>>3<<2 | p.x<<1 | p.b
	if !i.narrow {
		rex |= rexW
	}
	// The low bytes of SI and DI exist only with a REX prefix.
	if p.needREX || i.byteR && i.enc == encMR && reg >= 4 {
		rex |= 0x40
	}
	var code []byte
	if i.prefix != 0 {
		code = append(code, i.prefix)
	}
	if rex != 0 {
		code = append(code, 0x40|rex)
	}
	if op > 0xff {
		code = append(code, byte(op>>8))
	}
	code = append(code, byte(op))
	return append(code, p.with(reg)...)
}

// with is the place's code with reg in ModRM.reg.
func (p place) with(reg byte) []byte {
	code := append([]byte(nil), p.code...)
	code[0] |= reg & 7 << 3
	return code
}

// opReg encodes [REX] op, with the first operand in the low bits of the opcode.
func (i *form) opReg(op uint16) []byte {
	r := number(i.r[0])
	rex := r >> 3
	if !i.narrow {
		rex |= rexW
	}
	var code []byte
	if rex != 0 {
		code = append(code, 0x40|rex)
	}
	if op > 0xff {
		code = append(code, byte(op>>8))
	}
	return append(code, byte(op)|r&7)
}

// vexModRM encodes a VEX prefix, op and ModRM…, with the first register operand in ModRM.reg.
func (i *form) vexModRM(vvvv byte, p place) []byte {
	code := append(i.vexPrefix(vvvv, p), byte(i.op))
	return append(code, p.with(number(i.r[0]))...)
}

// vexPrefix encodes a VEX prefix (SDM vol. 2A §2.3.5), which holds R, X, B and vvvv inverted; in two bytes if what the
// third would hold has its usual value.
func (i *form) vexPrefix(vvvv byte, p place) []byte {
	var r byte
	if len(i.r) > 0 {
		r = number(i.r[0]) >> 3
	}
	last := (vvvv^15)<<3 | i.vex.l<<2 | i.vex.pp
	if i.vex.mmmmm == 1 && i.vex.w == 0 && p.x == 0 && p.b == 0 {
		return []byte{0xc5, (r^1)<<7 | last}
	}
	rxb := r<<7 | p.x<<6 | p.b<<5
	return []byte{0xc4, rxb ^ 0xe0 | i.vex.mmmmm, i.vex.w<<7 | last}
}

// number is the hardware number of a register.
func number(r Reg) byte {
	if vector(r) {
		return byte(r - X0)
	}
	return byte(r - AX)
}

// last is the number of the last register operand.
func (i *form) last() byte { return number(i.r[len(i.r)-1]) }

func isInt8(v int64) bool { return v == int64(int8(v)) }

// le32 appends the low 32 bits of v.
func le32(code []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint32(code, uint32(v))
}
