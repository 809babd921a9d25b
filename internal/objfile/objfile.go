// Package objfile reads the object files that Go's assembler writes: the bytes of each symbol and the places in them
// that the linker patches. It serves the tests that compare those with the bytes of the encoders in tcb.
//
// The format is internal to the Go toolchain (cmd/internal/goobj); it has been the same since Go 1.20. A file in
// another format is refused.
package objfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Symbol is a symbol that the file defines.
type Symbol struct {
	Name   string // with the package's path: "verum.example/internal/asm/p256.p256Mul"
	Static bool   // local to the file: name<> in assembly
	Data   []byte
	Relocs []Reloc // in order of offset
}

// Reloc is a place that the linker patches: Size bytes at Offset refer to Symbol.
type Reloc struct {
	Offset, Size int
	Symbol       string
}

const magic = "\x00go120ld"

// The blocks of a file, after Go's cmd/internal/goobj.
const (
	blockSymDef = 3 + iota
	blockHashed64Def
	blockHashedDef
	blockNonPkgDef
	blockNonPkgRef
	_
	_
	_
	blockRelocIndex
	_
	blockDataIndex
	blockReloc
	_
	blockData
	blockRefName
	blockEnd
	numBlocks
)

// Package indexes of symbol references.
const (
	pkgNone     = 1<<31 - 1 - iota // the non-package definitions and references
	pkgHashed64                    // definitions named by their contents
	pkgHashed
	_
	pkgSelf // the definitions of the package
)

const (
	symSize     = 21
	relocSize   = 23
	refNameSize = 16
)

var errCorrupt = errors.New("objfile: the file is corrupt")

type reader struct {
	data  []byte
	block [numBlocks]int // offsets
	err   error
}

// bytes returns n bytes at off, and zeros if there is an error.
func (r *reader) bytes(off, n int) []byte {
	if r.err != nil || off < 0 || n < 0 || n > len(r.data) || off > len(r.data)-n {
		if r.err == nil {
			r.err = errCorrupt
		}
		return make([]byte, max(0, min(n, 64)))
	}
	return r.data[off : off+n]
}

func (r *reader) uint32(off int) int { return int(int32(binary.LittleEndian.Uint32(r.bytes(off, 4)))) }

// string reads a string by its reference, a length and an offset.
func (r *reader) string(ref int) string {
	return string(r.bytes(r.uint32(ref+4), r.uint32(ref)))
}

// count is the number of elements of a block.
func (r *reader) count(block, size int) int { return (r.block[block+1] - r.block[block]) / size }

// Read returns the symbols of an object file that has contents, such as functions and data.
func Read(file []byte) ([]Symbol, error) {
	i := bytes.Index(file, []byte("\n!\n"+magic)) // after a textual header
	if i < 0 {
		return nil, errors.New("objfile: not a Go object file in a known format")
	}
	r := &reader{data: file[i+len("\n!\n"):]}
	for b := range r.block {
		r.block[b] = r.uint32(len(magic) + 8 + 4 + 4*b)
		if r.block[b] < 0 || r.block[b] > len(r.data) || b > 0 && r.block[b] < r.block[b-1] {
			r.err = errCorrupt
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	defs := []int{blockSymDef, blockHashed64Def, blockHashedDef, blockNonPkgDef}
	var symbols []Symbol
	n := 0 // definitions so far: the blocks of indexes count them all
	for _, b := range defs {
		for k := range r.count(b, symSize) {
			if r.err != nil {
				return nil, r.err
			}
			at := r.block[b] + k*symSize
			first, end := r.uint32(r.block[blockDataIndex]+4*n), r.uint32(r.block[blockDataIndex]+4*n+4)
			s := Symbol{Name: r.string(at), Data: bytes.Clone(r.bytes(r.block[blockData]+first, end-first))}
			s.Static = binary.LittleEndian.Uint16(r.bytes(at+8, 2)) == 1<<16-1
			for k := r.uint32(r.block[blockRelocIndex] + 4*n); k < r.uint32(r.block[blockRelocIndex]+4*n+4) && r.err == nil; k++ {
				at := r.block[blockReloc] + k*relocSize
				s.Relocs = append(s.Relocs, Reloc{r.uint32(at), int(r.bytes(at+4, 1)[0]), r.refName(r.uint32(at+15), r.uint32(at+19))})
			}
			symbols = append(symbols, s)
			n++
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return symbols, nil
}

// refName is the name of a symbol that something refers to.
func (r *reader) refName(pkg, sym int) string {
	if pkg == 0 && sym == 0 {
		return "" // no symbol: the linker is told something about the place, not to patch it
	}
	def := func(block, k int) string {
		if k < 0 || k >= r.count(block, symSize) {
			r.err = errCorrupt
			return ""
		}
		return r.string(r.block[block] + k*symSize)
	}
	switch pkg {
	case pkgSelf:
		return def(blockSymDef, sym)
	case pkgHashed64:
		return def(blockHashed64Def, sym)
	case pkgHashed:
		return def(blockHashedDef, sym)
	case pkgNone:
		if n := r.count(blockNonPkgDef, symSize); sym >= n {
			return def(blockNonPkgRef, sym-n)
		}
		return def(blockNonPkgDef, sym)
	}
	for k := range r.count(blockRefName, refNameSize) {
		at := r.block[blockRefName] + k*refNameSize
		if r.uint32(at) == pkg && r.uint32(at+4) == sym {
			return r.string(at + 8)
		}
	}
	return fmt.Sprintf("symbol %d of package %d", sym, pkg)
}
