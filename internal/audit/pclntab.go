package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// functions is the function table of a Go program, which the runtime needs and which is therefore there even if the
// program is stripped: Go's cmd/link/internal/ld/pcln.go and runtime/symtab.go. (Package debug/gosym reads it as well,
// but not the flag that tells assembly, and it trusts the file.) The format is that of Go 1.20, which Go 1.26 uses.
type functions struct {
	names []byte // names that end in a zero byte, and what follows them
	table []byte // entries, see entry; then the functions' descriptions
	n     int
	text  uint64 // entries count from here
}

// The header: magic number, two zeros, the smallest size of an instruction, the size of a pointer, then words.
const (
	headerMagic  = "\xf1\xff\xff\xff\x00\x00"
	headerWords  = 8
	headerSize   = headerWords + 8*8
	wordCount    = 0 // number of functions
	wordNames    = 3 // offsets from the header
	wordUnits    = 4
	wordFiles    = 5
	wordPCs      = 6
	wordTable    = 7
	entrySize    = 8 // offset of the code from text, offset of the description from the table
	nameAt       = 4 // in a description: offset in names
	flagAt       = 41
	describeSize = 44
	flagAsm      = 1 << 2 // written in assembly
)

// Offsets in the runtime's description of the module, which leads to the function table and to the code: a pointer to
// the header, then slices of its parts.
const (
	moduleSlices    = 8
	moduleSliceSize = 24
	moduleFirst     = moduleSlices + 6*moduleSliceSize + 8 // address of the first function
	moduleLast      = moduleFirst + 8                      // address behind the last function
	moduleText      = moduleLast + 8                       // address that entries count from
)

var errNoTable = errors.New("it has no function table of Go: it is no Go program, or packed, or made by another compiler or by a version of Go that this one does not know")

// functionTable finds the function table and where the code starts. A table is believed if the runtime's description of
// the module points to it and agrees with it about the first and the last function.
func (im *image) functionTable() (*functions, error) {
	at := []uint64{im.pclntab}
	if im.pclntab == 0 {
		at = im.find([]byte(headerMagic))
	}
	failed := errNoTable
	for _, addr := range at {
		f, words, err := im.readTable(addr)
		if err != nil {
			if im.pclntab != 0 {
				failed = err
			}
			continue
		}
		failed = errors.New("the runtime's description of the module is not where it should be: it is linked in a way that is not known here")
		for _, m := range im.modules(addr, words) {
			if f.text, err = im.module(m, addr, f, words); err == nil {
				return f, nil
			}
		}
	}
	return nil, failed
}

// maxCandidates bounds the places where something is looked for in a file that is full of them.
const maxCandidates = 64

// find lists where a header may be: the aligned places with these bytes.
func (im *image) find(magic []byte) []uint64 {
	var at []uint64
	for _, s := range im.segments {
		data, err := im.contents(s, s.addr)
		if err != nil {
			continue
		}
		for o := 0; ; o++ {
			i := bytes.Index(data[o:], magic)
			if i < 0 || len(at) == maxCandidates {
				break
			}
			if o += i; (s.addr+uint64(o))%8 == 0 {
				at = append(at, s.addr+uint64(o))
			}
		}
	}
	return at
}

// readTable reads the header at addr and returns its words.
func (im *image) readTable(addr uint64) (*functions, []uint64, error) {
	s, ok := im.segment(addr, headerSize)
	if !ok {
		return nil, nil, errNoTable
	}
	data, err := im.contents(s, addr)
	if err != nil {
		return nil, nil, err
	}
	minimum := map[string]byte{"amd64": 1, "arm64": 4}[im.goarch]
	if !bytes.HasPrefix(data, []byte(headerMagic)) {
		return nil, nil, errNoTable
	}
	if data[6] != minimum || data[7] != 8 {
		return nil, nil, fmt.Errorf("%w: its function table is for another CPU", errMalformed)
	}
	words := make([]uint64, 8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(data[headerWords+8*i:])
	}
	size := uint64(len(data))
	bad := fmt.Errorf("%w: its function table contradicts itself", errMalformed)
	for i := wordNames; i <= wordTable; i++ {
		if words[i] < headerSize || words[i] > size || i > wordNames && words[i] < words[i-1] {
			return nil, nil, bad
		}
	}
	f := &functions{names: data[words[wordNames]:words[wordUnits]], table: data[words[wordTable]:]}
	n := words[wordCount]
	if n == 0 || n > uint64(len(f.table))/entrySize || n*entrySize+4 > uint64(len(f.table)) {
		return nil, nil, bad
	}
	f.n = int(n)
	for i := range f.n {
		if f.offset(i) > f.offset(i+1) {
			return nil, nil, bad
		}
	}
	return f, words, nil
}

// modules lists where a description of the module may be: memory that is written and begins with the addresses of the
// header and of the names.
func (im *image) modules(header uint64, words []uint64) []uint64 {
	var at []uint64
	for _, c := range im.changes {
		if c.value == header && len(at) < maxCandidates {
			at = append(at, c.addr)
		}
	}
	for _, s := range im.segments {
		if !s.write {
			continue
		}
		start := (s.addr + 7) &^ 7
		data, err := im.contents(s, start)
		if err != nil {
			continue
		}
		for o := 0; len(data)-o >= 16 && len(at) < 2*maxCandidates; o += 8 {
			if im.decode(binary.LittleEndian.Uint64(data[o:])) == header && im.decode(binary.LittleEndian.Uint64(data[o+8:])) == header+words[wordNames] {
				at = append(at, start+uint64(o))
			}
		}
	}
	return at
}

var errModule = errors.New("this describes no module")

// module checks a description of the module and returns the address that entries count from.
func (im *image) module(at, header uint64, f *functions, words []uint64) (uint64, error) {
	for i, w := range []uint64{words[wordNames], words[wordUnits], words[wordFiles], words[wordPCs], words[wordTable], words[wordTable]} {
		if a, ok := im.address(at + moduleSlices + uint64(i)*moduleSliceSize); !ok || a != header+w {
			return 0, errModule
		}
	}
	first, ok1 := im.address(at + moduleFirst)
	last, ok2 := im.address(at + moduleLast)
	text, ok3 := im.address(at + moduleText)
	if !ok1 || !ok2 || !ok3 || first != text+uint64(f.offset(0)) || last != text+uint64(f.offset(f.n)) || last < text {
		return 0, errModule
	}
	return text, nil
}

// offset is where the code of function i starts, counted from text; that of function n is the end of the last.
func (f *functions) offset(i int) uint32 { return binary.LittleEndian.Uint32(f.table[i*entrySize:]) }

// entry is a function of the program.
type entry struct {
	name      string
	addr, end uint64 // end is where the next function starts
	asm       bool
}

// describe is the description of function i, nil if the table is malformed there.
func (f *functions) describe(i int) []byte {
	o := uint64(binary.LittleEndian.Uint32(f.table[i*entrySize+4:]))
	if o+describeSize > uint64(len(f.table)) {
		return nil
	}
	return f.table[o : o+describeSize]
}

// name is what starts with the name of function i, which ends at a zero byte; nil if the table is malformed there.
func (f *functions) name(i int) []byte {
	d := f.describe(i)
	if d == nil {
		return nil
	}
	return f.names[min(uint64(binary.LittleEndian.Uint32(d[nameAt:])), uint64(len(f.names))):]
}

func (f *functions) entry(i int) entry {
	name, _, _ := bytes.Cut(f.name(i), []byte{0})
	e := entry{name: string(name), addr: f.text + uint64(f.offset(i)), end: f.text + uint64(f.offset(i+1))}
	if d := f.describe(i); d != nil {
		e.asm = d[flagAt]&flagAsm != 0
	}
	return e
}

// below lists the functions whose names have the prefix.
func (f *functions) below(prefix string) []entry {
	var es []entry
	for i := range f.n {
		if bytes.HasPrefix(f.name(i), []byte(prefix)) {
			es = append(es, f.entry(i))
		}
	}
	return es
}

// has tells that there is a function of that name.
func (f *functions) has(name string) bool {
	for i := range f.n {
		if bytes.HasPrefix(f.name(i), append([]byte(name), 0)) {
			return true
		}
	}
	return false
}

// at is the function that holds the address.
func (f *functions) at(addr uint64) (entry, bool) {
	i := sort.Search(f.n, func(i int) bool { return f.text+uint64(f.offset(i)) > addr }) - 1
	if i < 0 || addr >= f.text+uint64(f.offset(f.n)) {
		return entry{}, false
	}
	return f.entry(i), true
}
