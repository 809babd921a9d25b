package audit

import (
	"encoding/binary"
	"errors"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// patch is what the linker may write at a place, and what the bytes there mean.
type patch struct {
	mask   []byte                           // bits that the linker writes
	target func(pc uint64, b []byte) uint64 // where the instruction with these bytes goes; pc is the address of the place
}

// patches lists what the linker may write, by target and kind of reference.
var patches = map[machine.Target]map[isa.RelocKind]patch{
	machine.AMD64: {
		isa.RelocCall:  {[]byte{0xff, 0xff, 0xff, 0xff}, relative32},
		isa.RelocTable: {[]byte{0xff, 0xff, 0xff, 0xff}, relative32},
	},
	machine.ARM64: {
		// BL: 26 bits, in instructions.
		isa.RelocCall: {[]byte{0xff, 0xff, 0xff, 0x03}, func(pc uint64, b []byte) uint64 {
			return pc + uint64(signed(binary.LittleEndian.Uint32(b), 26)<<2)
		}},
		// ADRP: bits 5–23 and below them 29–30 count pages from this one. ADD: bits 10–21 are the offset in the page.
		isa.RelocTable: {[]byte{0xe0, 0xff, 0xff, 0x60, 0x00, 0xfc, 0x3f, 0x00}, func(pc uint64, b []byte) uint64 {
			adrp, add := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
			pages := signed(adrp>>5&(1<<19-1)<<2|adrp>>29&3, 21)
			return pc&^0xfff + uint64(pages<<12) + uint64(add>>10&0xfff)
		}},
	},
}

// relative32 is a distance from the end of the instruction, whose last 4 bytes it is.
func relative32(pc uint64, b []byte) uint64 {
	return pc + 4 + uint64(int64(int32(binary.LittleEndian.Uint32(b))))
}

// signed is the number that the low n bits of v are in two's complement.
func signed(v uint32, n int) int64 { return int64(v) << (64 - n) >> (64 - n) }

// reference is a place in a function's code that refers to something.
type reference struct {
	isa.Reloc
	patch
}

// references finds what the linker may write at each of the places; these are in order and do not overlap.
func references(t machine.Target, code []byte, relocs []isa.Reloc) ([]reference, error) {
	var refs []reference
	end := 0
	for _, r := range relocs {
		p, ok := patches[t][r.Kind]
		if !ok || r.Size != len(p.mask) || r.Offset < end || r.Size > len(code)-r.Offset {
			return nil, errors.New("the encoder gives a reference that is not known here")
		}
		end = r.Offset + r.Size
		refs = append(refs, reference{r, p})
	}
	return refs, nil
}
