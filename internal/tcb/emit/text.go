package emit

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// ContractText is the contract of a function, and what the proof of it rests on, in lines for people to read. It is what
// stands above the function's assembly, with all formulas; see FormulaText.
func ContractText(v machine.Verified) []string { return contractText(v, math.MaxInt) }

// contractText has at most the given number of formulas under each title.
func contractText(f machine.Verified, limit int) []string {
	if f.IsZero() {
		return nil
	}
	c := f.Contract()
	lines := append(docLines(c.Doc(), c.Name(), f.Symbol()), "", "\tfunc "+f.Symbol()+signature(c), "")
	for _, p := range c.Params() {
		if !p.Value {
			lines = append(lines, fmt.Sprintf("%s: %v, %s, %s", p.Name, p.Mode, size(p), secrecy(p.Public)))
		}
	}
	if r, public := c.Result(); r != "" {
		lines = append(lines, fmt.Sprintf("%s: result, %s", r, secrecy(public)))
	}
	lines = append(append(lines, aliasText(c)...), "")
	p := c.Patterns()[0]
	lines = append(lines, formulas("Requires", "nothing", p.Requires(), c, limit)...)
	lines = append(lines, formulas("Ensures", "nothing", p.Ensures(), c, limit)...)
	lines = append(lines, formulas("Leaks", "only public inputs", p.Leaks(), c, limit)...)
	lines = append(lines,
		"CPU features: "+listOr(f.Features(), "baseline"),
		fmt.Sprintf("Stack: at most %d bytes", f.Stack()),
		"Axioms: "+listOr(f.Axioms(), "none"))
	return lines
}

func secrecy(public bool) string {
	if public {
		return "public"
	}
	return "secret"
}

func size(p machine.Param) string {
	if p.Len != "" {
		return fmt.Sprintf("%d·%s bytes", p.Elem, p.Len)
	}
	return fmt.Sprintf("%d bytes", p.Bytes)
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// aliasText says which parameters may be the same memory. It is empty where that is no question.
func aliasText(c machine.Contract) []string {
	pointers := 0
	for _, p := range c.Params() {
		if !p.Value {
			pointers++
		}
	}
	if pointers < 2 {
		return nil
	}
	s := "A region that is written overlaps no other"
	for i, p := range c.Patterns()[1:] {
		s += [...]string{", except in one of these ways: ", "; "}[min(i, 1)] + strings.Join(p.Names(), " = ")
	}
	return []string{s + "."}
}

// Limits on the formulas of a comment. The theorem has them all, in full.
const (
	maxFormulas = 12
	maxDepth    = 12  // of a formula
	textWidth   = 110 // of a line, in characters
)

func formulas(title, none string, ts []logic.Term, c machine.Contract, limit int) []string {
	if len(ts) == 0 {
		return []string{title + ": " + none}
	}
	lines := []string{title + ":"}
	ns := numbers(c)
	for i, t := range ts {
		if i == limit {
			lines = append(lines, fmt.Sprintf("\t… and %d more", len(ts)-i))
			break
		}
		for j, l := range wrap(formulaText(t, ns), textWidth) {
			if j > 0 {
				l = "    " + l
			}
			lines = append(lines, "\t"+l)
		}
	}
	return lines
}

// formulaText prints a formula, or a term that leaks.
func formulaText(t logic.Term, ns []number) string {
	switch t = named(t, ns); t.Sort() {
	case logic.Bool():
		return formula(t, bindImplies)
	case logic.Int():
		pos, neg := sides(t)
		switch p, n := sideText(pos), sideText(neg); {
		case len(neg) == 0:
			return p
		case len(neg) > 1:
			return p + " - (" + n + ")"
		case len(pos) == 0:
			return "-" + n
		default:
			return p + " - " + n
		}
	}
	return t.Format(maxDepth)
}

// Number is the value of bit-vectors, all as long as the first and that one the least significant.
type Number struct {
	Name     string
	Elements []logic.Term
}

// FormulaText prints a formula as the contracts are printed: each number has its name wherever it occurs as a whole. A
// part of it alone is Name[i].
func FormulaText(t logic.Term, numbers ...Number) string {
	elements := map[logic.Term]logic.Term{}
	var ns []number
	for _, n := range numbers {
		x := number{name: logic.Var(n.Name, logic.Int())}
		for i, e := range n.Elements {
			u := logic.Uint(e)
			if u.Op() != logic.OpUint {
				continue // a constant
			}
			v := u.Arg(0)              // e, or its low bits if the others are zero
			if v.Op() != logic.OpVar { // a variable keeps its name
				if elements[v].IsZero() {
					elements[v] = logic.Fresh(fmt.Sprintf("%s[%d]", n.Name, i), v.Sort())
				}
				v = elements[v]
			}
			x.elements = append(x.elements, v)
			x.weights = append(x.weights, new(big.Int).Lsh(big.NewInt(1), uint(i*e.Width())))
		}
		if len(x.elements) > 0 && x.weights[0].Cmp(big.NewInt(1)) == 0 {
			ns = append(ns, x)
		}
	}
	if r := logic.Replace(t, elements); r.Err() == nil {
		t = r
	}
	return formulaText(t, ns)
}

// wrap breaks s at spaces into lines of at most width characters, where it can.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// paragraph breaks text at spaces, keeping its line breaks.
func paragraph(text string) []string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrap(l, textWidth)...)
	}
	return lines
}

// docLines are the lines of a function's documentation under another name than the contract's.
func docLines(doc, name, as string) []string {
	if rest, ok := strings.CutPrefix(doc, name+" "); ok {
		doc = as + " " + rest
	}
	if doc == "" {
		doc = as + " is specified by its contract."
	}
	return paragraph(strings.TrimSpace(doc))
}

// comment writes lines as a comment.
func comment(b *strings.Builder, lines ...string) {
	for _, l := range lines {
		l = strings.TrimRight(l, " \t\r")
		switch {
		case l == "":
			b.WriteString("//\n")
		case l[0] == '\t':
			b.WriteString("//" + l + "\n")
		default:
			b.WriteString("// " + l + "\n")
		}
	}
}

// signature is the Go signature of a function, without its name.
func signature(c machine.Contract) string {
	var b strings.Builder
	b.WriteString("(")
	params := c.Params()
	for i, p := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name)
		if i == len(params)-1 || params[i+1].GoType() != p.GoType() {
			b.WriteString(" " + p.GoType())
		}
	}
	b.WriteString(")")
	if r, _ := c.Result(); r != "" {
		b.WriteString(" (" + r + " uint64)")
	}
	return b.String()
}
