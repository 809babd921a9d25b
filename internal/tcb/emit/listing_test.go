package emit_test

import (
	"bytes"
	"strings"
	"testing"

	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// TestListing: the lines are the function's text and code, one for each of its lines, and labels have no code.
func TestListing(t *testing.T) {
	o := emitDemo(t)
	for _, f := range o.Functions {
		lines, err := f.Listing()
		if err != nil {
			t.Fatal(err)
		}
		code, _, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		var text strings.Builder
		for i, l := range lines {
			if l.Offset != len(all) {
				t.Errorf("%s: line %d is at %#x, not at %#x", f.Func.Name, i, l.Offset, len(all))
			}
			all = append(all, l.Code...)
			if l.Text == "" {
				if i != len(f.Func.Lines)+1 || len(bytes.Trim(l.Code, "\x00")) > 0 || f.Target != machine.ARM64 {
					t.Errorf("%s: line %d is padding", f.Func.Name, i)
				}
				continue
			}
			text.WriteString(l.Text + "\n")
			if i == 0 {
				continue
			}
			line := f.Func.Lines[i-1]
			if (len(l.Code) == 0) != (line.Label != "") || line.Label != "" && l.Text != line.Label+":" {
				t.Errorf("%s: %q has the code % x", f.Func.Name, l.Text, l.Code)
			}
			if n := len(l.Code); f.Target == machine.ARM64 && line.Branch != nil && n != 4 || f.Target == machine.AMD64 && line.Call != "" && (n != 5 || l.Code[0] != 0xe8) {
				t.Errorf("%s: %q has the code % x", f.Func.Name, l.Text, l.Code)
			}
		}
		if !bytes.Equal(all, code) {
			t.Errorf("%s: the lines have %d bytes, the function %d", f.Func.Name, len(all), len(code))
		}
		for _, file := range o.Files {
			if file.Name == f.File && !bytes.Contains(file.Data, []byte(text.String())) {
				t.Errorf("%s: the text is not that of the file:\n%s", f.Func.Name, text.String())
			}
		}
	}
	for _, f := range []emit.Function{{}, {Target: machine.ARM64}, {Target: machine.AMD64, Func: isa.Function{Name: "f", Lines: []isa.Line{{}}}}} {
		if l, err := f.Listing(); err == nil || l != nil {
			t.Errorf("%v has a listing", f)
		}
	}
}
