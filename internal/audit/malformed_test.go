package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// A tiny program for arm64: runtime.main, which returns, and p256Tiny, which loads the address of a table and returns.
// It has no sections, so that everything must be found by its contents.

const (
	tinyBase  = 0x10000000
	tinyCode  = 0x1000 // offsets in the file and from tinyBase
	tinyTable = 0x2000
	tinyNames = 0x2040 // the function table
	tinyData  = 0x3000
	tinySize  = 0x3100
)

var tinyTableData = []byte("a table of p256Tiny, in 32 bytes")

func tinyCodes() []Code {
	f := isa.Function{Name: "p256Tiny", Lines: []isa.Line{{Instr: arm64.TableAddr{D: arm64.R1, Name: "t"}}, {Return: true}}}
	return []Code{{Symbol{"p256", "p256Tiny"}, "", []isa.Function{f}, []machine.Table{{Name: "t", Elem: 8, Data: tinyTableData}}}}
}

// tiny is the program without headers.
func tiny() []byte {
	b := make([]byte, tinySize)
	put := func(at int, data []byte) { copy(b[at:], data) }
	word := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	address := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }

	word(tinyCode, 0xd65f03c0)    // RET
	word(tinyCode+16, 0x90000001) // ADRP, ADD, RET
	word(tinyCode+20, 0x91000021)
	word(tinyCode+24, 0xd65f03c0)
	link(machine.ARM64, b[tinyCode+16:], tinyBase+tinyCode+16, tinyBase+tinyTable, isa.RelocTable)
	put(tinyTable, tinyTableData)

	const names, units, files, pcs, table = 72, 72 + 80, 72 + 88, 72 + 96, 72 + 104
	h := tinyNames
	put(h, []byte(headerMagic+"\x04\x08"))
	for i, w := range []uint64{2, 1, 0, names, units, files, pcs, table} {
		address(h+8+8*i, w)
	}
	put(h+names, []byte("runtime.main\x00"+asmPackages+"p256.p256Tiny\x00"))
	t := h + table
	for i, w := range []uint32{0, 24, 16, 24 + 44, 32} { // entries, the end of the code
		word(t+4*i, w)
	}
	word(t+24+44, 16)
	word(t+24+44+nameAt, uint32(len("runtime.main\x00")))
	b[t+24+flagAt], b[t+24+44+flagAt] = flagAsm, flagAsm

	for i, w := range []uint64{names, units, files, pcs, table, table} {
		address(tinyData+moduleSlices+i*moduleSliceSize, uint64(tinyBase+h)+w)
	}
	address(tinyData, uint64(tinyBase+h))
	address(tinyData+moduleFirst, tinyBase+tinyCode)
	address(tinyData+moduleLast, tinyBase+tinyCode+32)
	address(tinyData+moduleText, tinyBase+tinyCode)
	return b
}

// parts of the tiny program: read and execute, read, read and write.
var tinyParts = []struct{ off, size, write, exec int }{{tinyCode, 0x1000, 0, 1}, {tinyTable, 0x1000, 0, 0}, {tinyData, tinySize - tinyData, 1, 0}}

func tinyELF() []byte {
	b := tiny()
	h := binary.LittleEndian.AppendUint16([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 2)
	h = binary.LittleEndian.AppendUint16(h, 183) // EM_AARCH64
	h = binary.LittleEndian.AppendUint32(h, 1)
	for _, v := range []uint64{tinyBase + tinyCode, 64, 0} {
		h = binary.LittleEndian.AppendUint64(h, v)
	}
	h = binary.LittleEndian.AppendUint32(h, 0)
	for _, v := range []uint16{64, 56, uint16(len(tinyParts)), 64, 0, 0} {
		h = binary.LittleEndian.AppendUint16(h, v)
	}
	for _, p := range tinyParts {
		h = binary.LittleEndian.AppendUint32(h, 1) // PT_LOAD
		h = binary.LittleEndian.AppendUint32(h, uint32(4|p.write<<1|p.exec))
		for _, v := range []int{p.off, tinyBase + p.off, tinyBase + p.off, p.size, p.size, 4096} {
			h = binary.LittleEndian.AppendUint64(h, uint64(v))
		}
	}
	copy(b, h)
	return b
}

func tinyMachO() []byte {
	b := tiny()
	var h []byte
	for _, v := range []uint32{0xfeedfacf, 0x0100000c, 0, 2, uint32(len(tinyParts)), uint32(72 * len(tinyParts)), 0, 0} {
		h = binary.LittleEndian.AppendUint32(h, v)
	}
	for _, p := range tinyParts {
		h = binary.LittleEndian.AppendUint32(h, 0x19) // LC_SEGMENT_64
		h = binary.LittleEndian.AppendUint32(h, 72)
		h = append(h, "__TEXT\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
		for _, v := range []int{tinyBase + p.off, p.size, p.off, p.size} {
			h = binary.LittleEndian.AppendUint64(h, uint64(v))
		}
		for _, v := range []int{7, 1 | p.write<<1 | p.exec<<2, 0, 0} {
			h = binary.LittleEndian.AppendUint32(h, uint32(v))
		}
	}
	copy(b, h)
	return b
}

func tinyPE() []byte {
	b := tiny()
	h := make([]byte, 64+24+240+40*len(tinyParts))
	copy(h, "MZ")
	h[60] = 64
	copy(h[64:], "PE\x00\x00")
	le := binary.LittleEndian
	le.PutUint16(h[68:], 0xaa64)
	le.PutUint16(h[70:], uint16(len(tinyParts)))
	le.PutUint16(h[84:], 240)
	o := h[88:]
	le.PutUint16(o, 0x20b)
	le.PutUint64(o[24:], tinyBase)
	le.PutUint32(o[108:], 16)
	for i, p := range tinyParts {
		s := h[64+24+240+40*i:]
		copy(s, ".part")
		for k, v := range []int{p.size, p.off, p.size, p.off} {
			le.PutUint32(s[8+4*k:], uint32(v))
		}
		le.PutUint32(s[36:], uint32(1<<30|p.write<<31|p.exec<<29))
	}
	copy(b, h)
	return b
}

var tinyPrograms = map[string]func() []byte{"ELF": tinyELF, "Mach-O": tinyMachO, "PE": tinyPE}

// TestTiny: a program is found by its contents alone; without one of the things that it is found by it is refused.
func TestTiny(t *testing.T) {
	for format, make := range tinyPrograms {
		p := openProgram(t, make())
		if p.Format != format || p.GOARCH != "arm64" || !p.Stripped || p.Go != "" || p.Version != "" || len(p.Symbols) != 1 {
			t.Errorf("%s: %+v", format, p)
		}
		if s := tinyCodes()[0].Symbol; !p.Has(s) || p.Has(Symbol{"p384", s.Name}) || p.Has(Symbol{"p256", "p256Tin"}) {
			t.Errorf("%s: Has is wrong", format)
		}
		items := check(t, p, tinyCodes())
		if len(items) != 2 || items[0].Status != Same || items[1].Status != Same || items[1].Kind != "table" || items[1].Address != tinyBase+tinyTable {
			t.Errorf("%s: %+v", format, items)
		}
		// That a function is not marked as assembly does not hide it.
		b := make()
		b[tinyNames+72+104+24+44+flagAt] = 0
		b[tinyCode+24]++
		p = openProgram(t, b)
		if items := check(t, p, tinyCodes()); len(p.Symbols) != 0 || !p.Has(tinyCodes()[0].Symbol) || !reported(items, "p256Tiny") {
			t.Errorf("%s: %v, %+v", format, p.Symbols, items)
		}
		for _, tt := range []struct {
			at   int
			want string
		}{
			{tinyNames, "no function table"},
			{tinyNames + 5, "no function table"},
			{tinyNames + 6, "no function table"},                     // smallest instruction
			{tinyNames + 7, "no function table"},                     // pointer
			{tinyNames + 15, "no function table"},                    // number of functions
			{tinyNames + 8 + 8*3 + 2, "no function table"},           // offset of the names
			{tinyNames + 72 + 104 + 3, "no function table"},          // code that runs backwards
			{tinyNames + 72 + 104 + 16, "description of the module"}, // another end
			{tinyData, "description of the module"},
			{tinyData + moduleFirst, "description of the module"},
			{tinyData + moduleLast + 7, "description of the module"},
			{tinyData + moduleText, "description of the module"},
			{tinyNames + 72, "the Go runtime is not in it"},
		} {
			b := make()
			b[tt.at] ^= 0x81
			if _, err := Open(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: byte %#x is changed: %v, want %q", format, tt.at, err, tt.want)
			}
		}
	}
}

// TestChained: pointers in a Mach-O file may be in place in another form.
func TestChained(t *testing.T) {
	for _, base := range []uint64{0, tinyBase + tinyCode} { // addresses, distances from the first segment
		b := tinyMachO()
		const commands = 32
		n := binary.LittleEndian.Uint32(b[16:])
		size := binary.LittleEndian.Uint32(b[20:])
		binary.LittleEndian.PutUint32(b[16:], n+1)
		binary.LittleEndian.PutUint32(b[20:], size+16)
		binary.LittleEndian.PutUint32(b[commands+size:], 0x80000034)
		binary.LittleEndian.PutUint32(b[commands+size+4:], 16)
		for o := tinyData; o+8 <= tinySize; o += 8 {
			if v := binary.LittleEndian.Uint64(b[o:]); v != 0 {
				binary.LittleEndian.PutUint64(b[o:], v-base|0x8010<<48)
			}
		}
		for _, i := range check(t, openProgram(t, b), tinyCodes()) {
			if i.Status != Same {
				t.Errorf("%+v", i)
			}
		}
	}
}

// TestUnreadable: what is no program, or one that cannot be read, is refused with the reason.
func TestUnreadable(t *testing.T) {
	elf := func(change func(b []byte)) string {
		b := tinyELF()
		change(b)
		return string(b)
	}
	for _, tt := range []struct{ file, want string }{
		{"", "no program in a known format"},
		{"text", "no program in a known format"},
		{"\x7fELF", "EOF"},
		{"MZ", ""},
		{"\xcf\xfa\xed\xfe", ""},
		{"\x00asm\x01\x00\x00\x00", "WebAssembly"},
		{"#!/bin/sh\n", "a script"},
		{"!<arch>\n", "an archive of object files"},
		{"\xca\xfe\xba\xbe\x00\x00\x00\x02", "a universal file"},
		{elf(func(b []byte) { b[16] = 1 }), "an object file"},
		{elf(func(b []byte) { b[16] = 4 }), "ET_CORE"},
		{elf(func(b []byte) { b[64+32+3], b[64+40+3] = 1, 1 }), "ends before the memory"},
		{elf(func(b []byte) { copy(b[64+16:], "\xff\xff\xff\xff\xff\xff\xff\xff") }), "too large"},
		{elf(func(b []byte) { copy(b[64+56+16:], b[64+16:64+24]) }), "two parts"},
		// Segments that share a page, though no byte: the later one would be mapped over the earlier one. And one that
		// is all cleared memory, over the first.
		{elf(func(b []byte) {
			first := binary.LittleEndian.Uint64(b[64+16:])
			binary.LittleEndian.PutUint64(b[64+56+16:], first|0xff0)
			binary.LittleEndian.PutUint64(b[64+56+32:], 8)
			binary.LittleEndian.PutUint64(b[64+56+40:], 8)
		}), "two parts"},
		{elf(func(b []byte) {
			copy(b[64+56+16:], b[64+16:64+24])
			binary.LittleEndian.PutUint64(b[64+56+32:], 0)
		}), "two parts"},
		{elf(func(b []byte) { b[18] = 62 }), "no function table"}, // for another CPU
		{string(tinyMachO()[:16]) + "\x00", ""},
	} {
		p, err := Open(strings.NewReader(tt.file), int64(len(tt.file)))
		if err == nil || p != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20q: %v, want %q", tt.file, err, tt.want)
		}
	}
	// A program for another CPU is opened, and is empty.
	for machine, name := range map[byte]string{3: "386", 40: "arm", 243: "riscv"} {
		b := tinyELF()
		b[18] = machine
		p := openProgram(t, b)
		if _, ok := p.Target(); ok || p.GOARCH != name || len(p.Symbols) != 0 {
			t.Errorf("%+v", p)
		}
	}
}

// TestDamaged changes random bytes of real programs, most of them in the headers and tables, and cuts them: nothing
// panics, and what is reported is no more than what is there.
func TestDamaged(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	files := [][]byte{tinyELF(), tinyMachO(), tinyPE()}
	rounds := 3000
	if !testing.Short() {
		for _, c := range []config{{"selftest", "linux", "amd64", ""}, {"selftest", "windows", "amd64", "-ldflags=-s -w"}, {"selftest", "darwin", "arm64", ""}} {
			files = append(files, build(t, c))
		}
	}
	for k, f := range files {
		if k >= 3 {
			rounds = 100
		}
		for range rounds {
			b := bytes.Clone(f)
			for range 1 + r.IntN(4) {
				at := r.IntN(len(b))
				if r.IntN(2) == 0 {
					at = r.IntN(min(len(b), 2048))
				} else if i := bytes.Index(b, []byte(headerMagic)); i >= 0 && r.IntN(2) == 0 {
					at = i + r.IntN(min(len(b)-i, 512))
				}
				b[at] = byte(r.Uint32() >> r.IntN(32))
			}
			if r.IntN(8) == 0 {
				b = b[:r.IntN(len(b))]
			}
			try(t, b)
		}
	}
}

// try opens a file and checks it, whatever it is.
func try(t *testing.T, b []byte) {
	p, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		if p != nil || err.Error() == "" || errors.Is(err, errModule) {
			t.Errorf("error %v with a program", err)
		}
		return
	}
	if p.target != machine.ARM64 {
		return
	}
	items, err := p.Check(tinyCodes())
	if err != nil {
		t.Error(err)
	}
	for _, i := range items {
		if (i.Status == Same || i.Status == NotLinked) != (len(i.Problems) == 0) || i.Status == Same && i.Bytes == 0 {
			t.Errorf("%+v", i)
		}
		if i.Status != Same {
			continue
		}
		// What is as proved is in the file.
		want := tinyTableData
		if i.Kind == "function" {
			want = []byte{0xc0, 0x03, 0x5f, 0xd6, 0, 0, 0, 0}
		}
		if !bytes.Contains(b, want) {
			t.Errorf("%+v is not in the file", i)
		}
	}
}

// FuzzOpen: no file makes Open or Check panic, or take what is not there for proved. The seeds are large for a fuzzer:
//
//	go test -run '^$' -fuzz FuzzOpen -fuzztime 1m -fuzzminimizetime 10x
func FuzzOpen(f *testing.F) {
	for _, make := range tinyPrograms {
		f.Add(make())
	}
	f.Add([]byte("\x00asm"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 1<<20 {
			try(t, b)
		}
	})
}
