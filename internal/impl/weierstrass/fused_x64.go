package weierstrass

import (
	"verum.example/internal/opt"
	"verum.example/internal/opt/amd64"
)

// amdFuser writes x86-64.
type amdFuser struct {
	*fuser
	bmi2 bool
}

func (f *fuser) newAMD64(bmi2 bool, params []string) {
	t := amd64.Baseline
	if bmi2 {
		t = amd64.Target
	}
	f.prog = opt.NewProg(t, params...)
	f.emitter = amdFuser{f, bmi2}
}

func (a amdFuser) op(form *opt.Form, s ...opt.V) opt.V {
	d, _ := a.prog.Add(form, opt.NoContent, s...)
	return d[0]
}

func (a amdFuser) zero() opt.V { return a.prog.Const(0) }

// mulRow puts y into DX for all products (bmi2); the baseline has y as the operand in a register.
func (a amdFuser) mulRow(y opt.V, xs []opt.V) (lo, hi []opt.V) {
	dx := opt.NoContent
	if a.bmi2 {
		_, dx = a.prog.Add(amd64.SetMultiplier, opt.NoContent, y)
	}
	for _, x := range xs {
		var d []opt.V
		if a.bmi2 {
			d, _ = a.prog.Add(amd64.MULX, dx, x)
		} else {
			d, _ = a.prog.Add(amd64.MUL, opt.NoContent, y, x)
		}
		lo, hi = append(lo, d[0]), append(hi, d[1])
	}
	return lo, hi
}

// immediate tells that v is a constant that fits into an instruction.
func (a amdFuser) immediate(v opt.V) (int32, bool) {
	w, ok := a.prog.ConstOf(v)
	return int32(w), ok && amd64.IsImmediate(w)
}

func (a amdFuser) carrying(form *opt.Form, c flag, s ...opt.V) (opt.V, flag) {
	use := opt.NoContent
	if c.ok {
		use = c.c
	}
	d, out := a.prog.Add(form, use, s...)
	return d[0], flag{c: out, ok: true}
}

func (a amdFuser) add(x, y opt.V, c flag) (opt.V, flag) {
	if _, ok := a.immediate(x); ok {
		x, y = y, x
	}
	imm, ok := a.immediate(y)
	switch {
	case ok && c.ok:
		return a.carrying(amd64.AdcImm(imm), c, x)
	case ok:
		return a.carrying(amd64.AddImm(imm), c, x)
	case c.ok:
		return a.carrying(amd64.ADC, c, x, y)
	}
	return a.carrying(amd64.ADD, c, x, y)
}

func (a amdFuser) sub(x, y opt.V, c flag) (opt.V, flag) {
	imm, ok := a.immediate(y)
	w, isConst := a.prog.ConstOf(x)
	switch {
	case isConst && w == 0 && !c.ok:
		return a.carrying(amd64.NEG, c, y)
	case ok && c.ok:
		return a.carrying(amd64.SbbImm(imm), c, x)
	case ok:
		return a.carrying(amd64.SubImm(imm), c, x)
	case c.ok:
		return a.carrying(amd64.SBB, c, x, y)
	}
	return a.carrying(amd64.SUB, c, x, y)
}

func (a amdFuser) not(x opt.V) opt.V { return a.op(amd64.NOT, x) }

func (a amdFuser) carryWord(c flag) opt.V {
	v, _ := a.carrying(amd64.CarryWord, c)
	return v
}

func (a amdFuser) mask(c flag) opt.V {
	v, _ := a.carrying(amd64.MaskCarry, c)
	return v
}

func (a amdFuser) maskNot(c flag) opt.V { return a.not(a.mask(c)) }

func (a amdFuser) sel(c flag, x, y opt.V) opt.V {
	v, _ := a.carrying(amd64.SelectCarry, c, y, x)
	return v
}

func (a amdFuser) masked(m opt.V) []opt.V {
	var r []opt.V
	for _, w := range a.words {
		switch {
		case w == 0:
			r = append(r, a.zero())
		case w == 1<<64-1:
			r = append(r, m)
		case w == 1<<32-1:
			r = append(r, a.op(amd64.Shr(32), m))
		default:
			r = append(r, a.op(amd64.AND, m, a.prog.Const(w)))
		}
	}
	return r
}

func (a amdFuser) subModulus(x []opt.V, top opt.V) ([]opt.V, flag) {
	r := make([]opt.V, len(x))
	var c flag
	for i, w := range a.words {
		r[i], c = a.sub(x[i], a.constant(w), c)
	}
	_, out := a.prog.Add(amd64.CompareBorrow0, c.c, top)
	return r, flag{c: out, ok: true}
}

// row: (u + q·p)/2⁶⁴ = u/2⁶⁴ + q·2³² + q·2¹²⁸·c for q = u[0] and p's top word c = 2⁶⁴ − 2³² + 1. With l and h the words
// of q·2³², those of q·c are q − l and q − h with the borrow.
//
// There is no multiplication in it. On AMD's Zen 3, of which each multiplication takes about as much as four additions, a
// doubling is 10 % faster than with two, q·2³² and q·c, and 5 % faster than with q·c alone. On Intel's Golden Cove, where
// additions with carry and shifts are what is scarce, it is the other way round.
func (a amdFuser) row(u []opt.V) []opt.V {
	q := u[0]
	l, h := a.op(amd64.Shl(32), q), a.op(amd64.Shr(32), q)
	lo, c := a.sub(q, l, noFlag)
	hi, _ := a.sub(q, h, c)
	r, _ := a.chain([]opt.V{u[1], u[2], u[3], hi}, []opt.V{l, h, lo})
	return r
}

// addFold: R − p = 2²²⁴ − 2¹⁹² − 2⁹⁶ + 1, so with t = q·2³² the words of q·(R − p) are q, −t, 2⁶⁴ − 1, t − q − 1.
func (a amdFuser) addFold(x []opt.V, q opt.V) ([]opt.V, flag) {
	t := a.op(amd64.Shl(32), q)
	one, _ := a.sub(a.zero(), t, noFlag)
	three, _ := a.sub(t, q, noFlag)
	return a.chain(x, []opt.V{q, one, a.prog.Const(1<<64 - 1), a.op(amd64.Lea(-1), three)})
}

func (a amdFuser) increment(x opt.V) opt.V { return a.op(amd64.Lea(1), x) }

func (a amdFuser) lowMask(x opt.V) opt.V {
	m, _ := a.sub(a.zero(), a.op(amd64.AndImm(1), x), noFlag)
	return m
}

func (a amdFuser) shiftRight(lo, hi opt.V) opt.V { return a.op(amd64.Shrd(1), lo, hi) }

func (a amdFuser) or(x, y opt.V) opt.V { return a.op(amd64.OR, x, y) }

func (a amdFuser) isZero(x opt.V) flag {
	_, out := a.prog.Add(amd64.CompareOne, opt.NoContent, x)
	return flag{c: out, ok: true}
}
