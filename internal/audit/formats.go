package audit

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

func (im *image) elf() error {
	f, err := elf.NewFile(im.r)
	if err != nil {
		return err
	}
	im.format = "ELF"
	switch f.Type {
	case elf.ET_EXEC, elf.ET_DYN:
	case elf.ET_REL:
		return errors.New("it is an object file: audit the program that it is linked into")
	default:
		return fmt.Errorf("it is no program: its ELF type is %v", f.Type)
	}
	switch {
	case f.Machine == elf.EM_X86_64 && f.Class == elf.ELFCLASS64 && f.Data == elf.ELFDATA2LSB:
		im.goarch = "amd64"
	case f.Machine == elf.EM_AARCH64 && f.Class == elf.ELFCLASS64 && f.Data == elf.ELFDATA2LSB:
		im.goarch = "arm64"
	default:
		im.goarch = strings.ToLower(strings.TrimPrefix(f.Machine.String(), "EM_"))
		return nil
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			im.segments = append(im.segments, segment{p.Vaddr, min(p.Filesz, p.Memsz), int64(p.Off), p.Flags&elf.PF_W != 0, p.Flags&elf.PF_X != 0})
		}
	}
	if err := im.mapped(); err != nil {
		return err
	}
	if err := elfPages(f); err != nil {
		return err
	}
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); s != nil && im.pclntab == 0 {
			im.pclntab = s.Addr
		}
	}
	symbols, _ := f.Symbols() // none if the program is stripped
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			im.symbols = append(im.symbols, symbol{s.Name, s.Value, s.Size})
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_DYNAMIC {
			im.elfChanges(p)
		}
	}
	return nil
}

// elfPages refuses a program of which two segments share a page of memory. The system maps whole pages, a later segment
// over an earlier one, and clears the rest of what is not in the file: so there would be other bytes in memory than the
// segments' own. No linker makes such a program.
func elfPages(f *elf.File) error {
	const page = 4096                   // the smallest of any system that Verum has code for
	type span struct{ from, to uint64 } // numbers of pages
	var spans []span
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Memsz == 0 && p.Filesz == 0 {
			continue
		}
		last := p.Vaddr + max(p.Memsz, p.Filesz) - 1
		if last < p.Vaddr {
			return fmt.Errorf("%w: the memory at %#x is too large", errMalformed, p.Vaddr)
		}
		s := span{p.Vaddr / page, last / page}
		for _, t := range spans {
			if s.from <= t.to && t.from <= s.to {
				return fmt.Errorf("%w: two parts of it are at the page of %#x", errMalformed, p.Vaddr)
			}
		}
		spans = append(spans, s)
	}
	return nil
}

// elfChanges reads the relocations that the dynamic linker applies: those with an addend, which are all that amd64 and
// arm64 have, apart from packed ones, whose addends are in place. It skips a table that is not in the file, as the
// dynamic linker would not run such a program.
func (im *image) elfChanges(dynamic *elf.Prog) {
	const entry, rela = 16, 24
	values := map[elf.DynTag]uint64{}
	data, err := im.read(dynamic.Vaddr, dynamic.Filesz)
	if err != nil {
		return
	}
	for ; len(data) >= entry; data = data[entry:] {
		tag := elf.DynTag(binary.LittleEndian.Uint64(data))
		if tag == elf.DT_NULL {
			break
		}
		values[tag] = binary.LittleEndian.Uint64(data[8:])
	}
	relative := map[string]uint32{"amd64": uint32(elf.R_X86_64_RELATIVE), "arm64": uint32(elf.R_AARCH64_RELATIVE)}[im.goarch]
	for _, t := range [][2]elf.DynTag{{elf.DT_RELA, elf.DT_RELASZ}, {elf.DT_JMPREL, elf.DT_PLTRELSZ}} {
		addr, n := values[t[0]], values[t[1]]
		data, err := im.read(addr, n)
		if err != nil {
			continue
		}
		for ; len(data) >= rela; data = data[rela:] {
			c := change{addr: binary.LittleEndian.Uint64(data), size: 8}
			if uint32(binary.LittleEndian.Uint64(data[8:])) == relative {
				c.value = binary.LittleEndian.Uint64(data[16:])
			}
			im.changes = append(im.changes, c)
		}
	}
}

func (im *image) macho() error {
	f, err := macho.NewFile(im.r)
	if err != nil {
		return err
	}
	im.format = "Mach-O"
	switch f.Type {
	case macho.TypeExec, macho.TypeDylib, macho.TypeBundle:
	case macho.TypeObj:
		return errors.New("it is an object file: audit the program that it is linked into")
	default:
		return fmt.Errorf("it is no program: its Mach-O type is %v", f.Type)
	}
	switch f.Cpu {
	case macho.CpuAmd64:
		im.goarch = "amd64"
	case macho.CpuArm64:
		im.goarch = "arm64"
	default:
		im.goarch = strings.ToLower(strings.TrimPrefix(f.Cpu.String(), "Cpu"))
		return nil
	}
	const (
		write, execute = 2, 4
		chainedFixups  = 0x80000034 // LC_DYLD_CHAINED_FIXUPS
	)
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok {
			im.segments = append(im.segments, segment{s.Addr, min(s.Filesz, s.Memsz), int64(s.Offset), s.Prot&write != 0, s.Prot&execute != 0})
		} else if raw := l.Raw(); len(raw) >= 4 && f.ByteOrder.Uint32(raw) == chainedFixups {
			// A pointer is the low 36 bits of its place: an address, or the distance from the start of the image.
			var base uint64
			if s := f.Segment("__TEXT"); s != nil {
				base = s.Addr
			}
			im.pointer = func(v uint64) uint64 {
				if v &= 1<<36 - 1; v < base {
					v += base
				}
				return v
			}
		}
	}
	if err := im.mapped(); err != nil {
		return err
	}
	if s := f.Section("__gopclntab"); s != nil {
		im.pclntab = s.Addr
	}
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			const debug, section, kind = 0xe0, 0x0e, 0x0e // N_STAB, N_SECT, N_TYPE
			if s.Type&debug == 0 && s.Type&kind == section {
				im.symbols = append(im.symbols, symbol{name: s.Name, addr: s.Value})
			}
		}
	}
	return nil // the loader changes nothing in a segment that is not written
}

func (im *image) pe() error {
	f, err := pe.NewFile(im.r)
	if err != nil {
		return err
	}
	im.format = "PE"
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		im.goarch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		im.goarch = "arm64"
	case pe.IMAGE_FILE_MACHINE_I386:
		im.goarch = "386"
		return nil
	default:
		im.goarch = fmt.Sprintf("machine %#x", f.Machine)
		return nil
	}
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok {
		return errors.New("it is an object file: audit the program that it is linked into")
	}
	const write, execute = pe.IMAGE_SCN_MEM_WRITE, pe.IMAGE_SCN_MEM_EXECUTE
	for _, s := range f.Sections {
		size := s.Size
		if s.VirtualSize != 0 {
			size = min(size, s.VirtualSize)
		}
		im.segments = append(im.segments, segment{h.ImageBase + uint64(s.VirtualAddress), uint64(size), int64(s.Offset),
			s.Characteristics&write != 0, s.Characteristics&execute != 0})
	}
	if err := im.mapped(); err != nil {
		return err
	}
	for _, s := range f.Symbols {
		if k := int(s.SectionNumber); k >= 1 && k <= len(f.Sections) {
			im.symbols = append(im.symbols, symbol{name: s.Name, addr: h.ImageBase + uint64(f.Sections[k-1].VirtualAddress) + uint64(s.Value)})
		}
	}
	if h.NumberOfRvaAndSizes > pe.IMAGE_DIRECTORY_ENTRY_BASERELOC {
		im.peChanges(h)
	}
	return nil
}

// peChanges reads the relocations that the loader applies when it moves the program: blocks of a page's address, the
// block's size, and entries of 16 bits, the kind and the offset in the page. Their values are in place.
func (im *image) peChanges(h *pe.OptionalHeader64) {
	d := h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_BASERELOC]
	data, err := im.read(h.ImageBase+uint64(d.VirtualAddress), uint64(d.Size))
	if err != nil {
		return // there are none, or the loader would not run it
	}
	for len(data) >= 8 {
		page, n := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if n < 8 || uint64(n) > uint64(len(data)) {
			return
		}
		for e := data[8:n]; len(e) >= 2; e = e[2:] {
			v := binary.LittleEndian.Uint16(e)
			if v>>12 != 0 { // 0 is padding
				im.changes = append(im.changes, change{addr: h.ImageBase + uint64(page) + uint64(v&0xfff), size: 8})
			}
		}
		data = data[n:]
	}
}
