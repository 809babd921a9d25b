package opt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrStale says that a frozen order is of another program.
var ErrStale = errors.New("the frozen order is of another program")

// Freeze writes the order of code, and what else is needed to make it again, as text. Comment lines come first.
//
// The order is frozen, and not the key that led to it, since a key's effect hangs on floating-point arithmetic and on
// every detail of the scheduler.
func Freeze(c *Code, comments ...string) string {
	var b strings.Builder
	for _, s := range comments {
		fmt.Fprintf(&b, "# %s\n", s)
	}
	fmt.Fprintf(&b, "program %016x\nnear %d\nstored %d\nconsts %d\npointers %d\norder\n",
		c.Prog.Hash(), c.Key.Near, c.Key.Stored, c.Key.Consts, c.Key.Pointers)
	line := ""
	for i := 0; i < len(c.Order); {
		j := i + 1
		for j < len(c.Order) && c.Order[j] == c.Order[j-1]+1 {
			j++
		}
		run := strconv.Itoa(int(c.Order[i]))
		if j > i+1 {
			run += "-" + strconv.Itoa(int(c.Order[j-1]))
		}
		if len(line)+1+len(run) > 120 {
			b.WriteString(line + "\n")
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += run
		i = j
	}
	b.WriteString(line + "\n")
	return b.String()
}

// Thaw makes the code that Freeze was given, from its program. The error is ErrStale if the program has changed.
func Thaw(p *Prog, text string) (*Code, error) {
	var key AllocKey
	var order []int32
	inOrder, seen := false, 0
	for n, line := range strings.Split(text, "\n") {
		fail := func(what string) (*Code, error) { return nil, fmt.Errorf("opt: frozen order, line %d: %s", n+1, what) }
		if line == "" || line[0] == '#' {
			continue
		}
		if inOrder {
			for _, run := range strings.Fields(line) {
				lo, hi, isRun := strings.Cut(run, "-")
				first, err := strconv.ParseUint(lo, 10, 31)
				last := first
				if err == nil && isRun {
					last, err = strconv.ParseUint(hi, 10, 31)
				}
				if err != nil || last < first || last >= uint64(len(p.Ins)) {
					return fail("no numbers of instructions: " + run)
				}
				for i := first; i <= last; i++ {
					order = append(order, int32(i))
				}
			}
			continue
		}
		word, value, _ := strings.Cut(line, " ")
		var err error
		switch word {
		case "program":
			if value != fmt.Sprintf("%016x", p.Hash()) {
				return nil, ErrStale
			}
		case "near":
			key.Near, err = strconv.Atoi(value)
		case "stored":
			key.Stored, err = strconv.Atoi(value)
		case "consts":
			key.Consts, err = strconv.Atoi(value)
		case "pointers":
			key.Pointers, err = strconv.Atoi(value)
		case "order":
			inOrder = true
		default:
			return fail("unknown word " + word)
		}
		if err != nil {
			return fail(err.Error())
		}
		seen++
	}
	if seen != 6 {
		return nil, errors.New("opt: frozen order: a line is missing or there twice")
	}
	return Allocate(p, order, key)
}
