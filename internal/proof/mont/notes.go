package mont

import (
	"fmt"
	"slices"
	"strings"

	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// note is what the proof knows at a mark of the code.
type note struct {
	mark   string
	a, b   []Term        // digits of the inputs
	row    int           // digits of the multiplier that have been used
	at     []machine.Loc // where the words are
	words  []Term        // of the accumulated value, or the quotient digit
	digits []Term        // quotient digits so far
	facts  []Theorem     // about the value
}

// note keeps what was proved at the last mark. The text is made only if somebody asks for it.
func (pr *prover) note(name string) {
	if pr.view.Aliased() != nil {
		return // the first run tells it all
	}
	p, at := pr.p, pr.marks[name]
	if len(pr.notes) == 0 {
		pr.rows = scan(name, "mul", new(int))
	}
	n := note{mark: name, a: p.a, b: p.b, row: p.shift, at: at.Acc, words: p.words, facts: []Theorem{p.eq, p.bound}}
	var i int
	switch {
	case scan(name, "q", &i):
		pr.digits = append(pr.digits, p.q)
		n.at, n.words, n.facts = []machine.Loc{at.Q}, []Term{p.q}, nil
	case scan(name, "mul", &i):
		n.row = i + 1
	}
	if !pr.rows {
		n.row = len(p.a)
	}
	n.digits = slices.Clone(pr.digits)
	pr.notes = append(pr.notes, n)
}

// Notes says, for people to read, what the proof has established at each mark of the code: where the accumulated value
// t or the quotient digits q are, and the theorems about t, under what the contract requires. Digits i, …, j−1 of a are
// a[i:j].
func (pr *prover) Notes() map[string][]string {
	lines := map[string][]string{}
	for _, n := range pr.notes {
		var places []string
		for _, l := range n.at {
			if l.Region == "" {
				places = append(places, pr.target.RegName(l.Reg))
			} else {
				places = append(places, fmt.Sprintf("%s[%d:%d]", l.Region, l.Off, l.Off+l.N))
			}
		}
		name := "t"
		if n.facts == nil {
			name = fmt.Sprintf("q[%d]", len(n.digits)-1)
		}
		text := []string{name + " is in " + strings.Join(places, ", ")}
		numbers := []emit.Number{{Name: "t", Elements: n.words}, {Name: "a", Elements: n.a}, {Name: "q", Elements: n.digits}}
		if n.row < len(n.a) {
			numbers = append(numbers, emit.Number{Name: fmt.Sprintf("a[0:%d]", n.row), Elements: n.a[:n.row]})
		}
		if len(n.b) > 0 && n.b[0].Op() == logic.OpVar { // of ToMont it is a constant
			numbers = append(numbers, emit.Number{Name: "b", Elements: n.b})
		}
		for _, th := range n.facts {
			text = append(text, emit.FormulaText(th.Concl(), numbers...))
			for _, h := range th.Hyps() {
				if t := "given " + emit.FormulaText(h, numbers...); !slices.Contains(pr.requires, h) && !slices.Contains(text, t) {
					text = append(text, t)
				}
			}
		}
		lines[n.mark] = text
	}
	return lines
}
