package mont

import (
	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// armGen writes code for AArch64. All words of a product are in registers; multiplications leave the flags alone, so
// that they stand between the additions that need them.
type armGen struct {
	*builder
	tmp    [2]isa.Reg // used in turn
	turn   int
	digits []operand          // loaded ahead
	consts map[uint64]isa.Reg // constants in registers
}

func newARM64(b *builder) *armGen {
	b.pool = arm64.Regs()
	g := &armGen{builder: b, consts: map[uint64]isa.Reg{}}
	b.claimParams()
	if b.spill {
		b.r.Frame = 16
		g.emit(arm64.STR{T: b.params["r"], N: arm64.SP, Offset: frameOffset})
		b.free(b.params["r"])
	}
	g.tmp = [2]isa.Reg{b.alloc(), b.alloc()}
	return g
}

// frameOffset is where the frame starts, above SP.
const frameOffset = 8

func (g *armGen) temp() isa.Reg {
	g.turn ^= 1
	return g.tmp[g.turn]
}

func (g *armGen) pointer(name string) isa.Reg {
	if r, ok := g.takeParam(name); ok {
		return r
	}
	r := g.alloc()
	if g.params != nil {
		g.emit(arm64.LDR{T: r, N: arm64.SP, Offset: frameOffset})
		return r
	}
	g.emit(arm64.LoadArg{D: r, Name: name})
	return r
}

func (g *armGen) tableAddr(name string) isa.Reg {
	r := g.alloc()
	g.emit(arm64.TableAddr{D: r, Name: name})
	return r
}

// loadTo and storeFrom move words in pairs.
func (g *armGen) loadTo(rs []isa.Reg, base isa.Reg, off int) {
	for ; len(rs) >= 2; rs, off = rs[2:], off+16 {
		g.emit(arm64.LDP{T: rs[0], T2: rs[1], N: base, Offset: off})
	}
	if len(rs) > 0 {
		g.emit(arm64.LDR{T: rs[0], N: base, Offset: off})
	}
}

func (g *armGen) storeFrom(rs []isa.Reg, base isa.Reg, off int) {
	for ; len(rs) >= 2; rs, off = rs[2:], off+16 {
		g.emit(arm64.STP{T: rs[0], T2: rs[1], N: base, Offset: off})
	}
	if len(rs) > 0 {
		g.emit(arm64.STR{T: rs[0], N: base, Offset: off})
	}
}

func (g *armGen) clear(r isa.Reg) { g.emit(arm64.MOVZ{D: r}) }

func (g *armGen) load(base isa.Reg) []isa.Reg {
	rs := g.allocN(g.n)
	g.loadTo(rs, base, 0)
	return rs
}

// argument loads the words that the argument of that name points to.
func (g *armGen) argument(name string) []isa.Reg {
	p := g.pointer(name)
	rs := g.load(p)
	g.free(p)
	return rs
}

func (g *armGen) store(rs []isa.Reg) {
	p := g.pointer("r")
	g.storeFrom(rs, p, 0)
	g.free(p)
}

func (g *armGen) factor(base isa.Reg) []operand {
	var os []operand
	for _, r := range g.load(base) {
		os = append(os, regOp(r))
	}
	return os
}

// digit loads a pair of digits if there are registers for it: those of the accumulator (when it is still to come), the
// quotient's and the constants'.
func (g *armGen) digit(base isa.Reg, i int) operand {
	if len(g.digits) == 0 {
		need := 2
		if i == 0 {
			need += len(g.reductionConstants()) + 3
		}
		k := 1
		if i+1 < g.n && len(g.pool) >= 2+need {
			k = 2
		}
		rs := g.allocN(k)
		g.loadTo(rs, base, 8*i)
		for _, r := range rs {
			g.digits = append(g.digits, regOp(r))
		}
	}
	d := g.digits[0]
	g.digits = g.digits[1:]
	return d
}

func (g *armGen) release(os ...operand) {
	for _, o := range os {
		g.free(o.reg)
	}
}

// reductionConstants are the distinct constants that the rows of a reduction keep in registers.
func (g *armGen) reductionConstants() map[uint64]bool {
	need := map[uint64]bool{}
	for _, w := range g.reductionWords() {
		if _, pow := constOp(w).isPow2(); w != 0 && !pow {
			need[w] = true
		}
	}
	if _, shift := g.quotientShift(); !g.friendly && !shift {
		need[g.minv] = true
	}
	return need
}

// constants does nothing: constant makes them at their first use.
func (g *armGen) constants(int) {}

// constant is a register that holds w from now on.
func (g *armGen) constant(w uint64) isa.Reg {
	if r, ok := g.consts[w]; ok {
		return r
	}
	r := g.alloc()
	g.movi(r, w)
	g.consts[w] = r
	return r
}

// isBitmask tells that w is an immediate of the bitwise instructions.
func isBitmask(w uint64) bool {
	_, err := arm64.Describe(arm64.ORRImm{D: arm64.R0, N: arm64.ZR, Imm: w})
	return err == nil
}

// movi makes a constant: a bitmask, or MOVZ or MOVN and as many MOVK as are needed.
func (g *armGen) movi(d isa.Reg, w uint64) {
	var zeros, ones int
	for h := range uint8(4) {
		switch uint16(w >> (16 * h)) {
		case 0:
			zeros++
		case 0xffff:
			ones++
		}
	}
	switch {
	case zeros == 4:
		g.clear(d)
		return
	case ones == 4:
		g.emit(arm64.MOVN{D: d})
		return
	case max(zeros, ones) < 3 && isBitmask(w):
		g.emit(arm64.ORRImm{D: d, N: arm64.ZR, Imm: w})
		return
	}
	first := true
	for h := range uint8(4) {
		v := uint16(w >> (16 * h))
		switch {
		case ones > zeros && v == 0xffff, ones <= zeros && v == 0:
		case !first:
			g.emit(arm64.MOVK{D: d, Imm: v, Hw: h})
		case ones > zeros:
			g.emit(arm64.MOVN{D: d, Imm: ^v, Hw: h})
			first = false
		default:
			g.emit(arm64.MOVZ{D: d, Imm: v, Hw: h})
			first = false
		}
	}
}

// accumulate computes a product that occurs at several positions once, if there are registers.
func (g *armGen) accumulate(w *window, ps []product) {
	var cached []isa.Reg
	for i := range ps {
		if _, pow := ps[i].y.isPow2(); pow || ps[i].ready || len(g.pool) < 3 {
			continue
		}
		for j := i + 1; j < len(ps); j++ {
			if ps[j].x != ps[i].x || ps[j].y != ps[i].y {
				continue
			}
			if !ps[i].ready {
				g.factorReg(ps[i].y)
				lo, hi := g.alloc(), g.alloc()
				g.value(lo, part{&ps[i], false})
				g.value(hi, part{&ps[i], true})
				ps[i].ready, ps[i].lo, ps[i].hi = true, lo, hi
				cached = append(cached, lo, hi)
			}
			ps[j].ready, ps[j].lo, ps[j].hi = true, ps[i].lo, ps[i].hi
		}
	}
	for _, c := range chains(ps) {
		chain(g, w, c)
	}
	g.free(cached...)
}

func (g *armGen) factorReg(o operand) isa.Reg {
	if o.kind == constant {
		return g.constant(o.word)
	}
	return o.reg
}

// value puts a word of a product into d.
func (g *armGen) value(d isa.Reg, p part) {
	x := p.p.x.reg
	k, pow := p.p.y.isPow2()
	switch {
	case p.p.ready && p.hi:
		g.emit(arm64.MOV(d, p.p.hi))
	case p.p.ready:
		g.emit(arm64.MOV(d, p.p.lo))
	case pow && k == 0:
		g.emit(arm64.MOV(d, x))
	case pow && p.hi:
		g.emit(arm64.LSR{D: d, N: x, Amount: uint8(64 - k)})
	case pow:
		g.emit(arm64.LSL{D: d, N: x, Amount: uint8(k)})
	case p.hi:
		g.emit(arm64.UMULH{D: d, N: x, M: g.factorReg(p.p.y)})
	default:
		g.emit(arm64.MUL(d, x, g.factorReg(p.p.y)))
	}
}

// inRegister is a register that holds a word of a product already, or else a temporary one that gets it.
func (g *armGen) inRegister(p part) isa.Reg {
	switch {
	case p.p.ready && p.hi:
		return p.p.hi
	case p.p.ready:
		return p.p.lo
	case p.p.y == constOp(1):
		return p.p.x.reg
	}
	t := g.temp()
	g.value(t, p)
	return t
}

func (g *armGen) set(w *window, pos int, p part) { g.value(w.regs[pos], p) }

func (g *armGen) add(w *window, pos int, p part, first, final bool) {
	d := w.regs[pos]
	// A shift is part of the addition where there is such a form.
	if k, pow := p.p.y.isPow2(); first && pow && k > 0 && !p.p.ready {
		sum := arm64.ADDS{D: d, N: d, M: p.p.x.reg, Shift: arm64.ShiftLSL, Amount: uint8(k)}
		if p.hi {
			sum.Shift, sum.Amount = arm64.ShiftLSR, uint8(64-k)
		}
		if final {
			g.emit(arm64.ADD(sum))
		} else {
			g.emit(sum)
		}
		return
	}
	m := g.inRegister(p)
	switch {
	case first && final:
		g.emit(arm64.ADD{D: d, N: d, M: m})
	case first:
		g.emit(arm64.ADDS{D: d, N: d, M: m})
	default:
		g.addCarry(d, d, m, final)
	}
}

// addCarry is d = n + m + carry.
func (g *armGen) addCarry(d, n, m isa.Reg, final bool) {
	if final {
		g.emit(arm64.ADC{D: d, N: n, M: m})
	} else {
		g.emit(arm64.ADCS{D: d, N: n, M: m})
	}
}

func (g *armGen) setCarry(w *window, pos int, p part, final bool) {
	g.addCarry(w.regs[pos], g.inRegister(p), arm64.ZR, final)
}

func (g *armGen) carry(w *window, pos int, final bool) {
	g.addCarry(w.regs[pos], w.regs[pos], arm64.ZR, final)
}

func (g *armGen) prepare(*window, int) {}

func (g *armGen) onlyCarry(w *window, pos int, final bool) {
	g.addCarry(w.regs[pos], arm64.ZR, arm64.ZR, final)
}

func (g *armGen) double(w *window) {
	for i := 1; i < len(w.regs); i++ {
		r := w.regs[i]
		if i == 1 {
			g.emit(arm64.ADDS{D: r, N: r, M: r})
		} else {
			g.addCarry(r, r, r, i == len(w.regs)-1)
		}
	}
}

func (g *armGen) quotient(low isa.Reg) isa.Reg {
	if g.friendly {
		return low
	}
	if k, shift := g.quotientShift(); shift {
		q := g.alloc()
		g.emit(arm64.ADD{D: q, N: low, M: low, Shift: arm64.ShiftLSL, Amount: uint8(k)})
		return q
	}
	c := g.constant(g.minv)
	q := g.alloc()
	g.emit(arm64.MUL(q, low, c))
	return q
}

func (g *armGen) wide() bool { return true }

// subtractModulus is s = t − m, and C = 1 if there is no borrow. s may be nil.
func (g *armGen) subtractModulus(s, t []isa.Reg) {
	for i, w := range g.words {
		d := arm64.ZR
		if s != nil {
			d = s[i]
		}
		switch {
		case i == 0 && w == 1<<64-1: // − (2⁶⁴−1) is + 1, and both carry only from 2⁶⁴−1
			g.emit(arm64.ADDSImm{D: d, N: t[i], Imm: 1})
		case w == 1<<64-1: // + ^w + carry
			g.emit(arm64.ADCS{D: d, N: t[i], M: arm64.ZR})
		case i == 0:
			g.emit(arm64.SUBS{D: d, N: t[i], M: g.shortConstant(w)})
		case w == 0:
			g.emit(arm64.SBCS{D: d, N: t[i], M: arm64.ZR})
		default:
			g.emit(arm64.SBCS{D: d, N: t[i], M: g.shortConstant(w)})
		}
	}
}

// shortConstant is a register that holds w for now.
func (g *armGen) shortConstant(w uint64) isa.Reg {
	if r, ok := g.consts[w]; ok {
		return r
	}
	r := g.temp()
	g.movi(r, w)
	return r
}

// finish subtracts m unless that makes the value negative.
func (g *armGen) finish(w *window) {
	if len(w.regs) != g.n+1 || !w.live[g.n] {
		g.fail("the last accumulator has no top word")
		return
	}
	s := g.allocN(g.n)
	g.subtractModulus(s, w.regs)
	g.emit(arm64.SBCS{D: arm64.ZR, N: w.regs[g.n], M: arm64.ZR})
	for i, r := range s {
		g.emit(arm64.CSEL{D: r, N: r, M: w.regs[i], Cond: arm64.HS})
	}
	g.store(s)
}

// sum is d = a + b; the carry out is in the flags unless final.
func (g *armGen) sum(d, a, b []isa.Reg, final bool) {
	for i := range d {
		if i == 0 {
			g.emit(arm64.ADDS{D: d[i], N: a[i], M: b[i]})
		} else {
			g.addCarry(d[i], a[i], b[i], final && i == len(d)-1)
		}
	}
}

// difference is d = a − b, with a borrow (condition LO) in the flags; a may be nil for 0.
func (g *armGen) difference(d, a, b []isa.Reg) {
	for i := range d {
		x := arm64.ZR
		if a != nil {
			x = a[i]
		}
		if i == 0 {
			g.emit(arm64.SUBS{D: d[i], N: x, M: b[i]})
		} else {
			g.emit(arm64.SBCS{D: d[i], N: x, M: b[i]})
		}
	}
}

// masked are registers with the words of m & mask, for a mask that is 0 or all ones. It takes over the mask's register.
func (g *armGen) masked(mask isa.Reg) []isa.Reg {
	have := map[uint64]isa.Reg{0: arm64.ZR, 1<<64 - 1: mask}
	rs := make([]isa.Reg, g.n)
	for i, w := range g.words {
		r, ok := have[w]
		if !ok {
			r = g.alloc()
			if isBitmask(w) {
				g.emit(arm64.ANDImm{D: r, N: mask, Imm: w})
			} else {
				g.movi(r, w)
				g.emit(arm64.AND{D: r, N: r, M: mask})
			}
			have[w] = r
		}
		rs[i] = r
	}
	for w, r := range have {
		if w != 0 {
			g.free(r)
		}
	}
	return rs
}

// addBack adds m if there was a borrow.
func (g *armGen) addBack(t []isa.Reg) {
	mask := g.alloc()
	g.emit(arm64.CSETM(mask, arm64.LO))
	g.sum(t, t, g.masked(mask), true)
}

func (g *armGen) addition() {
	a, b := g.argument("a"), g.argument("b")
	g.sum(a, a, b, false)
	top := g.alloc()
	g.addCarry(top, arm64.ZR, arm64.ZR, true)
	g.free(b...)
	w := &window{}
	for _, r := range append(a, top) {
		w.push(r, true)
	}
	g.finish(w)
}

func (g *armGen) subtraction() {
	a, b := g.argument("a"), g.argument("b")
	g.difference(a, a, b)
	g.addBack(a)
	g.store(a)
}

func (g *armGen) negation(conditional bool) {
	a := g.argument("a")
	t := g.allocN(g.n)
	g.difference(t, nil, a)
	g.addBack(t)
	if conditional {
		g.testCond()
		for i := range t {
			g.emit(arm64.CSEL{D: t[i], N: a[i], M: t[i], Cond: arm64.EQ})
		}
	}
	g.store(t)
}

// testCond sets the condition EQ if the word cond is 0.
func (g *armGen) testCond() {
	p := g.pointer("cond")
	g.emit(arm64.LDR{T: p, N: p}, arm64.TST(p, p))
	g.free(p)
}

func (g *armGen) halving() {
	a := g.argument("a")
	mask := g.alloc()
	g.emit(arm64.ANDImm{D: mask, N: a[0], Imm: 1}, arm64.NEG(mask, mask))
	g.sum(a, a, g.masked(mask), false)
	top := g.alloc()
	g.addCarry(top, arm64.ZR, arm64.ZR, true)
	a = append(a, top)
	for i := range g.n {
		g.emit(arm64.EXTR{D: a[i], N: a[i+1], M: a[i], Amount: 1})
	}
	g.store(a[:g.n])
}

// reverse reverses the bytes of the number in rs, and with them the order of its words.
func (g *armGen) reverse(rs []isa.Reg) []isa.Reg {
	var out []isa.Reg
	for _, r := range rs {
		g.emit(arm64.REV{D: r, N: r})
		out = append([]isa.Reg{r}, out...)
	}
	return out
}

func (g *armGen) fromBytes() {
	x := g.reverse(g.argument("b"))
	g.subtractModulus(nil, x)
	for _, r := range x {
		g.emit(arm64.CSEL{D: r, N: r, M: arm64.ZR, Cond: arm64.LO})
	}
	ok := g.temp()
	g.emit(arm64.CSET(ok, arm64.LO))
	g.store(x)
	if g.params != nil {
		d, _ := machine.ARM64.ParamReg(0)
		g.emit(arm64.MOV(d, ok))
		return
	}
	g.emit(arm64.StoreResult{S: ok, Name: "ok"})
}

func (g *armGen) toBytes() {
	x := g.reverse(g.argument("a"))
	g.storeFrom(x, g.pointer("b"), 0)
}

func (g *armGen) conditionalMove() {
	p := g.pointer("r")
	r, a := g.load(p), g.argument("a")
	g.testCond()
	for i := range r {
		g.emit(arm64.CSEL{D: r[i], N: r[i], M: a[i], Cond: arm64.EQ})
	}
	g.storeFrom(r, p, 0)
}

// sel reads all entries and keeps the one whose number is the index.
func (g *armGen) selection() {
	words := 3 * g.n
	index, p, i := g.pointer("index"), g.pointer("table"), g.alloc()
	g.emit(arm64.LDR{T: index, N: index})
	g.clear(i)
	acc := g.allocN(words)
	for _, r := range acc {
		g.clear(r)
	}
	g.flush()
	g.emit(arm64.CMP(index, i))
	for j := 0; j < words; j += 2 {
		k := min(2, words-j)
		g.loadTo(g.tmp[:k], p, 8*j)
		for l := range k {
			g.emit(arm64.CSEL{D: acc[j+l], N: g.tmp[l], M: acc[j+l], Cond: arm64.EQ})
		}
	}
	g.emit(
		arm64.ADDImm{D: p, N: p, Imm: uint64(8 * words)},
		arm64.ADDImm{D: i, N: i, Imm: 1},
		arm64.CMPImm(i, entries))
	g.loop("scan", arm64.NE)
	g.store(acc)
}
