package emit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// contractText is what stands above a function's assembly: its contract and what the proof of it rests on.
func contractText(f function) []string {
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
	lines = append(lines, formulas("Requires", "nothing", p.Requires(), c)...)
	lines = append(lines, formulas("Ensures", "nothing", p.Ensures(), c)...)
	lines = append(lines, formulas("Leaks", "only public inputs", p.Leaks(), c)...)
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
		s += [...]string{", except as in ", "; "}[min(i, 1)] + strings.Join(p.Names(), " = ")
	}
	return []string{s + "."}
}

// Limits on the formulas of a comment. The theorem has them all, in full.
const (
	maxFormulas = 12
	maxDepth    = 12  // of a formula
	textWidth   = 110 // of a line, in characters
)

func formulas(title, none string, ts []logic.Term, c machine.Contract) []string {
	if len(ts) == 0 {
		return []string{title + ": " + none}
	}
	lines := []string{title + ":"}
	ns := numbers(c)
	for i, t := range ts {
		if i == maxFormulas {
			lines = append(lines, fmt.Sprintf("\t… and %d more", len(ts)-i))
			break
		}
		text := ""
		if t.Sort() == logic.Bool() {
			text = formula(t, ns, bindImplies)
		} else { // a leak
			text = sideText(abbreviate(t, ns).Monomials())
			if t.Sort() != logic.Int() {
				text = t.Format(maxDepth)
			}
		}
		for j, l := range wrap(text, textWidth) {
			if j > 0 {
				l = "    " + l
			}
			lines = append(lines, "\t"+l)
		}
	}
	return lines
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
