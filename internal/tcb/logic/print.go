package logic

import (
	"fmt"
	"strings"
)

var opNames = map[Op]string{
	OpNot: "not", OpDvd: "divides", OpUint: "uint", OpSint: "sint", OpBVNot: "~", OpBVNeg: "-", OpSext: "sext", OpToBV: "bv", OpLookup: "lookup",
}

var infix = map[Op]string{
	OpAnd: " ∧ ", OpEq: " = ", OpUlt: " <u ", OpSlt: " <s ", OpDiv: " div ", OpMod: " mod ", OpBVAdd: " + ", OpBVMul: " * ", OpBVAnd: " & ", OpBVOr: " | ",
	OpBVXor: " ^ ", OpShl: " << ", OpLshr: " >> ", OpAshr: " >>s ", OpRotr: " rotr ", OpLshrV: " >> ",
}

func (t Term) String() string { return t.Format(7) }

// Format prints t to the given depth; what lies deeper is shown as ….
func (t Term) Format(depth int) string {
	var b strings.Builder
	format(&b, t.n, depth)
	return b.String()
}

func format(b *strings.Builder, n *node, depth int) {
	switch {
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
		formatPoly(b, n.poly, depth)
		return
	case depth <= 0:
		b.WriteString("…")
		return
	}
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
			format(b, a, depth-1)
		}
		b.WriteString(shut)
	}
	switch n.op {
	case OpEq0, OpGe0:
		formatComparison(b, n, depth)
	case OpDvd:
		format(b, n.args[0], depth-1)
		b.WriteString(" ≡ 0 (mod ")
		format(b, n.args[1], depth-1)
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

// formatComparison prints p = 0 and 0 ≤ p with the negative summands on the other side.
func formatComparison(b *strings.Builder, n *node, depth int) {
	var pos, neg []mono
	for _, m := range n.args[0].monos() {
		if m.c.sign() > 0 {
			pos = append(pos, m)
		} else {
			neg = append(neg, mono{m.c.neg(), m.v})
		}
	}
	formatPoly(b, neg, depth)
	if n.op == OpEq0 {
		b.WriteString(" = ")
	} else {
		b.WriteString(" ≤ ")
	}
	formatPoly(b, pos, depth)
}

func formatPoly(b *strings.Builder, p []mono, depth int) {
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
			if j > 0 {
				b.WriteString("·")
			}
			format(b, v, depth-1)
		}
	}
}
