package audit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// image is a program as the operating system maps it into memory.
type image struct {
	r        io.ReaderAt
	size     int64  // of the file
	format   string // "ELF", "Mach-O", "PE"
	goarch   string // as Go calls it, else the format's name for it
	segments []segment
	pclntab  uint64   // where a section says that the function table is; 0 if none does
	symbols  []symbol // empty in a stripped program
	changes  []change
	// pointer makes an address of what the file holds in place of one; nil if that is the address.
	pointer func(uint64) uint64
}

// segment is a part of the image that the file fills. Addresses are those that the linker chose: where the loader puts
// a position-independent program makes no difference to the distances between its parts.
type segment struct {
	addr, size  uint64
	off         int64
	write, exec bool
}

type symbol struct {
	name string
	addr uint64
	size uint64 // 0 if unknown
}

// change is a place that the loader changes, in size bytes, and to what if known (else 0).
type change struct {
	addr, size, value uint64
}

// errMalformed is the error of a file that contradicts itself.
var errMalformed = errors.New("the file is malformed")

// open reads what is common to all programs of a format. The standard library's readers of these formats may panic if
// a file is malformed.
func open(r io.ReaderAt, size int64) (im *image, err error) {
	defer func() {
		if x := recover(); x != nil {
			im, err = nil, fmt.Errorf("%w: %v", errMalformed, x)
		}
	}()
	head := make([]byte, 16)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	im = &image{r: r, size: size}
	switch magic := string(head[:min(n, 4)]); {
	case magic == "\x7fELF":
		err = im.elf()
	case magic == "\xcf\xfa\xed\xfe" || magic == "\xce\xfa\xed\xfe":
		err = im.macho()
	case strings.HasPrefix(magic, "MZ"):
		err = im.pe()
	case magic == "\xca\xfe\xba\xbe" || magic == "\xca\xfe\xba\xbf":
		err = errors.New("it is a universal file with programs for several CPUs: extract one (lipo -thin)")
	case magic == "\x00asm":
		err = errors.New("it is WebAssembly, for which Verum has no proved code")
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		err = errors.New("it is an archive of object files (-buildmode=archive or c-archive): audit the program that it is linked into")
	case bytes.HasPrefix(head, []byte("#!")):
		err = errors.New("it is a script")
	default:
		err = errors.New("it is no program in a known format (ELF, Mach-O, PE)")
	}
	if err != nil {
		return nil, err
	}
	return im, nil
}

// mapped sorts the segments. It refuses those that are not in the file or overlap.
func (im *image) mapped() error {
	im.segments = slices.DeleteFunc(im.segments, func(s segment) bool { return s.size == 0 })
	slices.SortFunc(im.segments, func(a, b segment) int { return cmp.Compare(a.addr, b.addr) })
	for i, s := range im.segments {
		switch {
		case s.off < 0 || s.off > im.size || s.size > uint64(im.size-s.off):
			return fmt.Errorf("%w: it ends before the memory at %#x", errMalformed, s.addr)
		case s.addr+s.size < s.addr:
			return fmt.Errorf("%w: the memory at %#x is too large", errMalformed, s.addr)
		case i > 0 && s.addr-im.segments[i-1].addr < im.segments[i-1].size:
			return fmt.Errorf("%w: two parts of it are at %#x", errMalformed, s.addr)
		}
	}
	return nil
}

// segment finds the segment that holds n bytes at addr.
func (im *image) segment(addr, n uint64) (segment, bool) {
	i, ok := slices.BinarySearchFunc(im.segments, addr, func(s segment, a uint64) int { return cmp.Compare(s.addr, a) })
	if !ok {
		i--
	}
	if i < 0 {
		return segment{}, false
	}
	s := im.segments[i]
	return s, addr-s.addr <= s.size && n <= s.size-(addr-s.addr)
}

// read reads n bytes at addr.
func (im *image) read(addr, n uint64) ([]byte, error) {
	s, ok := im.segment(addr, n)
	if !ok {
		return nil, fmt.Errorf("the program has no %d bytes at %#x", n, addr)
	}
	b := make([]byte, n)
	if k, err := im.r.ReadAt(b, s.off+int64(addr-s.addr)); uint64(k) < n {
		return nil, err
	}
	return b, nil
}

// contents reads what the segment holds from addr on.
func (im *image) contents(s segment, addr uint64) ([]byte, error) {
	return im.read(addr, s.addr+s.size-addr)
}

// address reads an address as it is once the loader has run.
func (im *image) address(addr uint64) (uint64, bool) {
	for _, c := range im.changes {
		if c.addr == addr && c.size == 8 && c.value != 0 {
			return c.value, true
		}
	}
	b, err := im.read(addr, 8)
	if err != nil {
		return 0, false
	}
	return im.decode(binary.LittleEndian.Uint64(b)), true
}

// decode makes an address of what the file holds in place of one.
func (im *image) decode(v uint64) uint64 {
	if im.pointer != nil {
		return im.pointer(v)
	}
	return v
}

// changed finds a place among the n bytes at addr that the loader changes.
func (im *image) changed(addr, n uint64) (uint64, bool) {
	for _, c := range im.changes {
		if c.addr < addr+n && addr < c.addr+max(c.size, 1) {
			return c.addr, true
		}
	}
	return 0, false
}
