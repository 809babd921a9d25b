package logic

import (
	"fmt"
	"strings"
)

var opNames = map[Op]string{
	OpNot: "not", OpDvd: "divides", OpUint: "uint", OpSint: "sint", OpBVNot: "~", OpBVNeg: "-", OpSext: "sext", OpToBV: "bv", OpLookup: "lookup",
	OpExpmod: "expmod",
}

var infix = map[Op]string{
	OpAnd: " ∧ ", OpEq: " = ", OpUlt: " <u ", OpSlt: " <s ", OpDiv: " div ", OpMod: " mod ", OpBVAdd: " + ", OpBVMul: " * ", OpBVAnd: " & ", OpBVOr: " | ",
	OpBVXor: " ^ ", OpShl: " << ", OpLshr: " >> ", OpAshr: " >>s ", OpRotr: " rotr ", OpLshrV: " >> ",
}

// String is a short form of t, for messages.
func (t Term) String() string { return t.print(7, 1<<12) }

// Format prints t to the given depth; what lies deeper is shown as …, as is what is longer than a few megabytes.
func (t Term) Format(depth int) string { return t.print(depth, 1<<22) }

// print stops after about limit bytes: the text of a term can be exponentially longer than the term.
func (t Term) print(depth, limit int) string {
	p := printer{limit: limit}
	p.term(t.n, depth)
	if p.full() {
		p.WriteString(" …")
	}
	return p.String()
}

type printer struct {
	strings.Builder
	limit int
}

func (b *printer) full() bool { return b.Len() > b.limit }

func (b *printer) term(n *node, depth int) {
	switch {
	case b.full():
		return
	case n == nil:
		b.WriteString("<no term>")
		return
	case n.op == opInvalid:
		fmt.Fprintf(b, "<%v>", n.x)
		return
	case n.op == OpVar:
		b.WriteString(n.x.(string))
		return
	case n.op == OpConst && n.sort == boolSort:
		fmt.Fprint(b, n.u == 1)
		return
	case n.op == OpConst:
		fmt.Fprintf(b, "0x%x:%d", n.val(), n.width())
		return
	case n.op == OpPoly:
		b.poly(n.poly, depth)
		return
	case depth <= 0:
		b.WriteString("…")
		return
	}
	infixed := infix[n.op] != "" // operands that are infix without parentheses get some
	list := func(open, sep, shut string) {
		b.WriteString(open)
		for i, a := range n.args {
			if i == 16 {
				b.WriteString(sep + "…")
				break
			}
			if i > 0 {
				b.WriteString(sep)
			}
			if infixed && a.isBare() {
				b.WriteString("(")
				b.term(a, depth-1)
				b.WriteString(")")
			} else {
				b.term(a, depth-1)
			}
		}
		b.WriteString(shut)
	}
	switch n.op {
	case OpEq0, OpGe0:
		b.comparison(n, depth)
	case OpDvd:
		b.term(n.args[0], depth-1)
		b.WriteString(" ≡ 0 (mod ")
		b.term(n.args[1], depth-1)
		b.WriteString(")")
	case OpIte:
		list("ite(", ", ", ")")
	case OpApp:
		list(n.x.(*def).name+"(", ", ", ")")
	case OpLookup:
		list(n.x.(*table).name+"[", "", "]")
	case OpTuple:
		list("⟨", ", ", "⟩")
	case OpProj:
		list("", "", fmt.Sprintf(".%d", n.u))
	case OpConcat:
		list("cat(", ", ", ")")
	case OpExtract:
		list("", "", fmt.Sprintf("[%d:%d]", n.hi(), n.lo()))
	case OpShl, OpLshr, OpAshr, OpRotr:
		list("(", "", fmt.Sprintf("%s%d)", infix[n.op], n.u))
	case OpSext, OpToBV:
		list(fmt.Sprintf("%s%d(", opNames[n.op], n.width()), "", ")")
	default:
		if s, ok := infix[n.op]; ok {
			list("(", s, ")")
		} else {
			list(opNames[n.op]+"(", ", ", ")")
		}
	}
}

// isBare tells a term that is printed infix without parentheses.
func (n *node) isBare() bool {
	switch n.op {
	case OpPoly:
		_, c := n.polyConst()
		return !c
	case OpEq0, OpGe0, OpDvd:
		return true
	}
	return false
}

// comparison prints p = 0 and 0 ≤ p with the negative summands on the other side.
func (b *printer) comparison(n *node, depth int) {
	var pos, neg []mono
	for _, m := range n.args[0].monos() {
		if m.c.sign() > 0 {
			pos = append(pos, m)
		} else {
			neg = append(neg, mono{m.c.neg(), m.v})
		}
	}
	b.poly(neg, depth)
	if n.op == OpEq0 {
		b.WriteString(" = ")
	} else {
		b.WriteString(" ≤ ")
	}
	b.poly(pos, depth)
}

func (b *printer) poly(p []mono, depth int) {
	if len(p) == 0 {
		b.WriteString("0")
	}
	for i, m := range p {
		if i == 24 {
			fmt.Fprintf(b, " + … (%d terms)", len(p))
			break
		}
		c := m.c.big()
		switch {
		case i > 0 && c.Sign() < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		case c.Sign() < 0:
			b.WriteString("-")
		}
		if len(m.v) == 0 || c.CmpAbs(bigOne) != 0 {
			if c.BitLen() > 32 {
				fmt.Fprintf(b, "%#x", abs(c))
			} else {
				b.WriteString(abs(c).String())
			}
			if len(m.v) > 0 {
				b.WriteString("·")
			}
		}
		for j, v := range m.v {
			if b.full() {
				return
			}
			if j > 0 {
				b.WriteString("·")
			}
			b.term(v, depth-1)
		}
	}
}
