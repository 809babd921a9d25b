// Package selftest generates the code of the functions that spec/selftest specifies.
package selftest

import (
	"encoding/binary"

	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// Program is what the generator makes of a function, with what the proof must know of it.
type Program struct {
	Code     machine.Code
	Frame    int
	Tables   []machine.Table
	Acc, Ctr isa.Reg   // Sum: accumulator and counter
	Dead     []isa.Reg // Sum: scratch registers of the loop
}

// Generator makes the code of one target.
type Generator struct {
	Add            func() Program // a routine, add(r, a, b): r = a + b
	Sum, Put       func() Program
	Scan           func(squares []uint64) Program
	Collatz        func() Program
	Choose, Triple func(add machine.Verified) Program
}

// For is the generator of a target.
func For(t machine.Target) (Generator, bool) {
	switch t {
	case machine.ARM64:
		return arm64Code, true
	case machine.AMD64:
		return amd64Code, true
	}
	return Generator{}, false
}

func table(words []uint64) machine.Table {
	t := machine.Table{Name: "squares", Elem: 8}
	for _, v := range words {
		t.Data = binary.LittleEndian.AppendUint64(t.Data, v)
	}
	return t
}
