package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/tcb/machine"
)

// TestExplain explains functions of every kind in full: at each mark and loop there are facts, and no formula has parts
// that are too deep to print.
func TestExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("proves functions")
	}
	for _, name := range []string{"p256Mul", "p256Sqr", "p256ToMont", "p256FromMont", "p256OrdMul/amd64", "p256Select/arm64", "p256FromBytes",
		"p256CNeg", "selftestSum", "selftestScan", "selftestPut", "selftestChoose", "selftestCollatz", "selftestTriple", "scriptCopy"} {
		var out, errs bytes.Buffer
		if status := run(&env{stdout: &out, stderr: &errs}, []string{"explain", "-facts", name}); status != 0 {
			t.Errorf("%s: status %d\n%s", name, status, errs.String())
			continue
		}
		lines := strings.Split(out.String(), "\n")
		headers := 0
		for i, l := range lines {
			if strings.HasPrefix(l, "0000") && strings.Contains(l, "TEXT ·") {
				headers++
			}
			mark := strings.Contains(l, "; mark ") || strings.Contains(l, "; loop ") && !strings.Contains(l, "run through")
			if mark && !strings.Contains(lines[i+1], ";     ") {
				t.Errorf("%s: nothing is said at %s", name, strings.TrimSpace(l))
			}
			if strings.Contains(l, ";     ") && (strings.Contains(l, "…") || strings.Contains(l, "#")) {
				t.Errorf("%s: %s", name, l)
			}
		}
		if headers == 0 || !strings.Contains(out.String(), "Axioms: none") {
			t.Errorf("%s: %d listings\n%s", name, headers, out.String())
		}
	}
}

// TestPlaces: marks and loops stand before the lines that follow them, whatever code surrounds them.
func TestPlaces(t *testing.T) {
	b := func(n int) machine.Block { return make(machine.Block, n) }
	mark := func(name string) machine.Mark { return machine.Mark{Name: name} }
	at := map[string]int{}
	var p places
	p.mark = func(name string) { at[name] = p.line }
	p.loop = func(l machine.Loop) { at[l.Name] = p.line }
	p.code(machine.Seq{
		mark("start"), b(2), mark("two"),
		machine.If{Then: machine.Seq{mark("then"), b(1)}, Else: machine.Seq{mark("empty"), b(0)}}, // branch, 1, label
		mark("five"),
		machine.If{Then: b(1), Else: machine.Seq{mark("else"), b(1)}},     // branch, 1, branch, label, 1, label
		machine.Loop{Name: "loop", Body: machine.Seq{mark("head"), b(3)}}, // label, 3, branch
		machine.Call{}, mark("end"),
	})
	want := map[string]int{"start": 0, "two": 2, "then": 3, "empty": 4, "five": 5, "else": 9, "loop": 11, "head": 12, "end": 17}
	for name, line := range want {
		if at[name] != line {
			t.Errorf("%s is at line %d, not %d", name, at[name], line)
		}
	}
}

func TestWrapped(t *testing.T) {
	if got := wrapped("aa bb  cccccccc d é", 5); !slices.Equal(got, []string{"aa bb", "cccccccc", "d é"}) || wrapped("", 5) != nil {
		t.Errorf("%q", got)
	}
}
