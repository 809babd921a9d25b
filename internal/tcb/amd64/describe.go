package amd64

import (
	"fmt"
	"strings"

	"verum.example/internal/tcb/isa"
)

// Describe says what form i is and checks its operands: an instruction that it accepts exists on the CPU and keeps
// the register conventions of the package. Anything but a value of a type of this package is refused, a struct that
// embeds one included.
//
// All forms are on Intel's list "Data Operand Independent Timing Instructions" (its "Data Operand Independent Timing
// ISA Guidance", id 768873, explains the list and the mode bit DOITM that recent CPUs ask for): their time depends
// neither on register values nor on memory contents. It may depend on addresses, which the executor therefore
// requires to be public. VZEROUPPER has no operand that its time could depend on.
func Describe(i isa.Instr) (isa.Info, error) {
	f, err := checked(i)
	if err != nil {
		return isa.Info{}, err
	}
	info := isa.Info{Form: f.intel, Manual: manual(f.intel), Timing: isa.DataIndependent}
	if f.feature != "" {
		info.Features = []string{f.feature}
	}
	return info, nil
}

// manual is the page of a form in Intel's Software Developer's Manual. Volumes 2A to 2D are alphabetical.
func manual(intel string) string {
	page, _, _ := strings.Cut(intel, " ")
	if page != "VZEROUPPER" && page != "VPBROADCASTQ" {
		page = strings.TrimPrefix(page, "V") // the older form and the one with a VEX prefix have one page
	}
	switch page {
	case "SHL", "SHR", "SAR":
		page = "SAL/SAR/SHL/SHR"
	case "MOVQ":
		page = "MOVD/MOVQ"
	case "PADDD", "PADDQ":
		page = "PADDB/PADDW/PADDD/PADDQ"
	case "PCMPEQD":
		page = "PCMPEQB/PCMPEQW/PCMPEQD"
	case "VPBROADCASTQ":
		page = "VPBROADCAST"
	}
	switch c := page[0]; {
	case c <= 'L':
		return "Intel SDM vol. 2A ch. 3, " + page
	case c <= 'U':
		return "Intel SDM vol. 2B ch. 4, " + page
	case c == 'V':
		return "Intel SDM vol. 2C ch. 5, " + page
	default:
		return "Intel SDM vol. 2D ch. 6, " + page
	}
}

// checked is decode with a check of the operands.
func checked(i isa.Instr) (form, error) {
	f, err := decode(i)
	if err != nil {
		return form{}, err
	}
	if err := f.check(); err != nil {
		return form{}, fmt.Errorf("amd64: %s: %w", f.intel, err)
	}
	return f, nil
}

func (f *form) check() error {
	for n, r := range f.r {
		if n < f.vecs && !vector(r) || n >= f.vecs && !general(r) {
			return fmt.Errorf("%s (%d) is not a register for operand %d", RegName(r), r, n)
		}
	}
	if f.m != nil {
		if err := f.m.check(); err != nil {
			return err
		}
	}
	if f.shift && (*f.imm < 1 || *f.imm > 63) {
		return fmt.Errorf("shift count %d is not in 1…63", *f.imm)
	}
	if f.k != nil && !f.k.valid() {
		return fmt.Errorf("%v is not a condition", *f.k)
	}
	if f.arg != noName && !identifier(f.name) {
		return fmt.Errorf("%q is not a name", f.name)
	}
	return nil
}

func (m Mem) check() error {
	if m.Base != SP && !general(m.Base) {
		return fmt.Errorf("%s (%d) cannot be a base", RegName(m.Base), m.Base)
	}
	switch m.Scale {
	case 0:
		if m.Index != 0 {
			return fmt.Errorf("index %s without a scale", RegName(m.Index))
		}
	case 1, 2, 4, 8:
		if !general(m.Index) {
			return fmt.Errorf("%s (%d) cannot be an index", RegName(m.Index), m.Index)
		}
	default:
		return fmt.Errorf("scale %d is not 1, 2, 4 or 8", m.Scale)
	}
	return nil
}

// identifier reports whether s is an ASCII Go identifier, which both Go's assembler and the linker take as it is.
func identifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		digit := '0' <= c && c <= '9'
		if !letter && !(digit && i > 0) {
			return false
		}
	}
	return s != ""
}
