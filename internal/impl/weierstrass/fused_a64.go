package weierstrass

import (
	"verum.example/internal/opt"
	"verum.example/internal/opt/arm64"
)

// armFuser writes AArch64.
type armFuser struct{ *fuser }

func (f *fuser) newARM64(params []string) {
	f.prog = opt.NewProg(arm64.Target, params...)
	f.emitter = armFuser{f}
}

// op is an instruction with one result and no flags.
func (a armFuser) op(form *opt.Form, s ...opt.V) opt.V {
	d, _ := a.prog.Add(form, opt.NoContent, s...)
	return d[0]
}

// carrying is an instruction that reads and sets flags.
func (a armFuser) carrying(first, next *opt.Form, c flag, s ...opt.V) (opt.V, opt.Content) {
	form, use := first, opt.NoContent
	if c.ok {
		form, use = next, c.c
	}
	d, out := a.prog.Add(form, use, s...)
	return d[0], out
}

func (a armFuser) zero() opt.V { return opt.Zero }

func (a armFuser) mulRow(y opt.V, xs []opt.V) (lo, hi []opt.V) {
	for _, x := range xs {
		lo = append(lo, a.op(arm64.MUL, x, y))
		hi = append(hi, a.op(arm64.UMULH, x, y))
	}
	return lo, hi
}

// add and sub: after an addition C is the carry, after a subtraction the opposite of the borrow.
func (a armFuser) add(x, y opt.V, c flag) (opt.V, flag) {
	v, out := a.carrying(arm64.ADDS, arm64.ADCS, c, x, y)
	return v, flag{c: out, ok: true}
}

func (a armFuser) sub(x, y opt.V, c flag) (opt.V, flag) {
	v, out := a.carrying(arm64.SUBS, arm64.SBCS, c, x, y)
	return v, flag{c: out, ok: true, inverse: true}
}

func (a armFuser) not(x opt.V) opt.V { return a.op(arm64.MVN, x) }

func (a armFuser) carryWord(c flag) opt.V {
	d, _ := a.prog.Add(arm64.ADC, c.c, opt.Zero, opt.Zero)
	return d[0]
}

func (a armFuser) flagMask(c flag, set bool) opt.V {
	form := arm64.MaskCarry
	if c.inverse == set {
		form = arm64.MaskNoCarry
	}
	d, _ := a.prog.Add(form, c.c)
	return d[0]
}

func (a armFuser) mask(c flag) opt.V    { return a.flagMask(c, true) }
func (a armFuser) maskNot(c flag) opt.V { return a.flagMask(c, false) }

// sel needs no register for the constants 1 and 2⁶⁴ − 1.
func (a armFuser) sel(c flag, x, y opt.V) opt.V {
	w, isConst := a.prog.ConstOf(x)
	if isConst && (w == 1 || w == 1<<64-1) {
		form := map[bool]map[uint64]*opt.Form{
			false: {1: arm64.OneIfCarry, 1<<64 - 1: arm64.OnesIfCarry},
			true:  {1: arm64.OneIfNoCarry, 1<<64 - 1: arm64.OnesIfNoCarry},
		}[c.inverse][w]
		d, _ := a.prog.Add(form, c.c, y)
		return d[0]
	}
	if c.inverse {
		x, y = y, x
	}
	d, _ := a.prog.Add(arm64.SelectCarry, c.c, x, y)
	return d[0]
}

func (a armFuser) masked(m opt.V) []opt.V {
	var r []opt.V
	for _, w := range a.words {
		switch {
		case w == 0:
			r = append(r, opt.Zero)
		case w == 1<<64-1:
			r = append(r, m)
		case w&(w+1) == 0: // low bits: shifts go through more ports than constants
			k := uint8(0)
			for w<<k>>63 == 0 {
				k++
			}
			r = append(r, a.op(arm64.Lsr(k), m))
		case arm64.IsBitmask(w):
			r = append(r, a.op(arm64.AndImm(w), m))
		default:
			r = append(r, a.op(arm64.AND, m, a.prog.Const(w)))
		}
	}
	return r
}

func (a armFuser) subModulus(x []opt.V, top opt.V) ([]opt.V, flag) {
	r := make([]opt.V, len(x))
	var c flag
	for i, w := range a.words {
		switch {
		case i == 0 && w == 1<<64-1: // − (2⁶⁴ − 1) is + 1; both leave C set only for 2⁶⁴ − 1
			v, out := a.carrying(arm64.AddsImm(1), nil, noFlag, x[0])
			r[0], c = v, flag{c: out, ok: true, inverse: true}
		case i > 0 && w == 1<<64-1: // + 0 + C
			v, out := a.carrying(nil, arm64.ADCS, c, x[i], opt.Zero)
			r[i], c = v, flag{c: out, ok: true, inverse: true}
		default:
			r[i], c = a.sub(x[i], a.constant(w), c)
		}
	}
	_, out := a.prog.Add(arm64.CompareBorrow, c.c, top, opt.Zero)
	return r, flag{c: out, ok: true, inverse: true}
}

// row: (u + q·p)/2⁶⁴ = u/2⁶⁴ + q·2³² + q·2¹²⁸·c for q = u[0] and p's top word c.
func (a armFuser) row(u []opt.V) []opt.V {
	q := u[0]
	high := a.op(arm64.Lsr(32), q)
	lo, hi := a.mulRow(a.prog.Const(a.words[3]), []opt.V{q})
	r := make([]opt.V, 4)
	v, out := a.carrying(arm64.AddsShifted(32), nil, noFlag, u[1], q)
	r[0] = v
	c := flag{c: out, ok: true}
	r[1], c = a.add(u[2], high, c)
	r[2], c = a.add(u[3], lo[0], c)
	r[3], _ = a.add(hi[0], opt.Zero, c)
	return r
}

// addFold: R − p = 2²²⁴ − 2¹⁹² − 2⁹⁶ + 1, so with t = q·2³² the words of q·(R − p) are q, −t, 2⁶⁴ − 1, t − q − 1.
func (a armFuser) addFold(x []opt.V, q opt.V) ([]opt.V, flag) {
	t := a.op(arm64.Lsl(32), q)
	one := a.op(arm64.SUB, opt.Zero, t)
	three := a.op(arm64.SubImm(1), a.op(arm64.SUB, t, q))
	r := make([]opt.V, 4)
	var c flag
	r[0], c = a.add(x[0], q, c)
	r[1], c = a.add(x[1], one, c)
	// + (2⁶⁴ − 1) + C is − 0 − (1 − C)
	v, out := a.carrying(nil, arm64.SBCS, c, x[2], opt.Zero)
	r[2], c = v, flag{c: out, ok: true}
	r[3], c = a.add(x[3], three, c)
	return r, c
}

func (a armFuser) increment(x opt.V) opt.V { return a.op(arm64.AddImm(1), x) }

func (a armFuser) lowMask(x opt.V) opt.V {
	return a.op(arm64.SUB, opt.Zero, a.op(arm64.AndImm(1), x))
}

func (a armFuser) shiftRight(lo, hi opt.V) opt.V {
	return a.op(arm64.OrShifted(63), a.op(arm64.Lsr(1), lo), hi)
}

func (a armFuser) or(x, y opt.V) opt.V { return a.op(arm64.ORR, x, y) }

func (a armFuser) isZero(x opt.V) flag {
	_, out := a.prog.Add(arm64.CompareOne, opt.NoContent, x)
	return flag{c: out, ok: true, inverse: true}
}
