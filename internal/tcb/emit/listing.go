package emit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"verum.example/internal/tcb/machine"
)

// Line is a line of a function's text and what becomes of it.
type Line struct {
	Offset int
	Code   []byte // none for a label
	Text   string // for Go's assembler; "" for the padding behind the function
}

// Listing is the function line by line, for people to read. The first line is the function's declaration, with the
// prologue that the assembler makes of it; the others are those of Func. What pads the function comes last.
func (f Function) Listing() ([]Line, error) {
	t, ok := targets[f.Target]
	if !ok {
		return nil, fmt.Errorf("emit: there is no target %v", f.Target)
	}
	text, err := t.print(f.Func)
	if err != nil {
		return nil, err
	}
	code, _, err := t.encode(f.Func)
	if err != nil {
		return nil, err
	}
	offsets, err := t.offsets(f.Func)
	if err != nil {
		return nil, err
	}
	texts := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(texts) != len(offsets)+1 {
		return nil, errors.New("emit: the text has not one line for each line of the function")
	}
	end := len(code)
	for f.Target == machine.ARM64 && end >= 4 && bytes.Equal(code[end-4:end], make([]byte, 4)) {
		end -= 4
	}
	offsets = append(append([]int{0}, offsets...), end)
	var lines []Line
	for i, s := range texts {
		lines = append(lines, Line{offsets[i], code[offsets[i]:offsets[i+1]], s})
	}
	if end < len(code) {
		lines = append(lines, Line{end, code[end:], ""})
	}
	return lines, nil
}
