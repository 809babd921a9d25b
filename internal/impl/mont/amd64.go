package mont

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// amdGen writes code for x86-64. The factors of products stay in memory.
//
// MUL destroys the flags, so the baseline computes one product at a time, in DX:AX, and adds it with all of its carry.
// MULX (variant bmi2) leaves them alone, so products stand between the additions of a chain, as on AArch64.
type amdGen struct {
	*builder
	bmi2     bool
	reserved []isa.Reg // for products
	lo, hi   isa.Reg   // bmi2: take a product
	dx       operand   // bmi2: what DX holds, if dxKnown
	dxKnown  bool
	consts   map[uint64]operand // bmi2: constants in registers or in the table "m"
	taken    []isa.Reg          // by consts
}

func newAMD64(b *builder, bmi2 bool) *amdGen {
	g := &amdGen{builder: b, bmi2: bmi2, consts: map[uint64]operand{}}
	g.reserved = []isa.Reg{amd64.AX, amd64.DX}
	if bmi2 {
		g.reserved = append(g.reserved, amd64.CX)
		g.lo, g.hi = amd64.AX, amd64.CX
		b.r.Features = []string{"BMI1", "BMI2"}
	}
	for _, r := range amd64.Regs() {
		if !slices.Contains(g.reserved, r) {
			b.pool = append(b.pool, r)
		}
	}
	b.claimParams()
	if b.spill {
		b.r.Frame = 8
		g.emit(amd64.MOVMR{M: mem(amd64.SP, 0), S: b.params["r"]})
		b.free(b.params["r"])
	}
	for _, name := range operandNames {
		if r, ok := b.params[name]; ok && slices.Contains(g.reserved, r) {
			b.params[name] = b.alloc()
			g.emit(amd64.MOV{D: b.params[name], S: r})
		}
	}
	return g
}

// operandNames are the names of parameters other than r.
var operandNames = []string{"a", "b", "cond"}

// noProducts frees the registers reserved for products.
func (g *amdGen) noProducts() {
	g.free(g.reserved...)
	g.reserved = nil
}

func mem(base isa.Reg, off int) amd64.Mem { return amd64.Mem{Base: base, Disp: int32(off)} }

func (o operand) mem() amd64.Mem { return mem(o.reg, o.off) }

func (g *amdGen) pointer(name string) isa.Reg {
	if r, ok := g.takeParam(name); ok {
		return r
	}
	r := g.alloc()
	if g.params != nil {
		g.emit(amd64.MOVM{D: r, M: mem(amd64.SP, 0)})
		return r
	}
	g.emit(amd64.LoadArg{D: r, Name: name})
	return r
}

func (g *amdGen) tableAddr(name string) isa.Reg {
	r := g.alloc()
	g.emit(amd64.TableAddr{D: r, Name: name})
	return r
}

func (g *amdGen) load(base isa.Reg) []isa.Reg {
	rs := g.allocN(g.n)
	for i, r := range rs {
		g.emit(amd64.MOVM{D: r, M: mem(base, 8*i)})
	}
	return rs
}

func (g *amdGen) storeFrom(rs []isa.Reg, base isa.Reg, off int) {
	for i, r := range rs {
		g.emit(amd64.MOVMR{M: mem(base, off+8*i), S: r})
	}
}

func (g *amdGen) store(rs []isa.Reg) {
	p := g.pointer("r")
	g.storeFrom(rs, p, 0)
	g.free(p)
}

func (g *amdGen) factor(base isa.Reg) []operand {
	var os []operand
	for i := range g.n {
		os = append(os, memOp(base, 8*i))
	}
	return os
}

func (g *amdGen) digit(base isa.Reg, i int) operand {
	o := memOp(base, 8*i)
	if g.bmi2 {
		return o // goes into DX
	}
	r := g.alloc()
	g.loadOperand(r, o)
	return regOp(r)
}

func (g *amdGen) release(os ...operand) {
	for _, o := range os {
		if o.kind == inReg && !slices.Contains(g.reserved, o.reg) {
			g.free(o.reg)
		}
	}
}

func (g *amdGen) loadOperand(d isa.Reg, o operand) {
	switch {
	case o.kind == constant:
		g.emit(amd64.MOVI{D: d, Imm: o.word})
	case o.kind == inMem:
		g.emit(amd64.MOVM{D: d, M: o.mem()})
	case o.reg != d:
		g.emit(amd64.MOV{D: d, S: o.reg})
	}
}

// constants puts the constants for MULX into registers or, if there are not enough, into a table. The baseline has
// them in its instructions.
func (g *amdGen) constants(need int) {
	if !g.bmi2 {
		return
	}
	var ws []uint64
	for _, w := range g.reductionWords() {
		if w > 1 && !slices.Contains(ws, w) {
			ws = append(ws, w)
		}
	}
	if _, shift := g.quotientShift(); !g.friendly && !shift && !slices.Contains(ws, g.minv) {
		ws = append(ws, g.minv)
	}
	if len(ws) <= len(g.pool)-need {
		for _, w := range ws {
			r := g.alloc()
			g.emit(amd64.MOVI{D: r, Imm: w})
			g.consts[w] = regOp(r)
			g.taken = append(g.taken, r)
		}
		return
	}
	p := g.tableAddr(g.addTable("m", ws))
	g.taken = []isa.Reg{p}
	for i, w := range ws {
		g.consts[w] = memOp(p, 8*i)
	}
}

func (g *amdGen) accumulate(w *window, ps []product) {
	if g.bmi2 {
		g.dxKnown = false
		cached := g.once(ps)
		for _, c := range chains(ps) {
			chain(g, w, c)
		}
		g.free(cached...)
		return
	}
	// Products by powers of two are shifts, and need not wait for MUL.
	var shifted, rest []*product
	var temps []isa.Reg
	for i := range ps {
		p := &ps[i]
		k, pow := p.y.isPow2()
		switch {
		case pow && k == 0:
			p.ready, p.lo = true, p.x.reg
			shifted = append(shifted, p)
		case pow && len(g.pool) >= 2:
			p.ready, p.lo, p.hi = true, g.alloc(), g.alloc()
			g.emit(
				amd64.MOV{D: p.lo, S: p.x.reg}, amd64.SHL{D: p.lo, N: uint8(k)},
				amd64.MOV{D: p.hi, S: p.x.reg}, amd64.SHR{D: p.hi, N: uint8(64 - k)})
			temps = append(temps, p.lo, p.hi)
			shifted = append(shifted, p)
		}
	}
	// The chains' order lets most of the words of an empty accumulator be set and not added to.
	for _, c := range chains(ps) {
		for pos := len(w.regs); pos >= 0; pos-- {
			if p, ok := c[pos]; ok && !p.hi && !p.p.ready {
				rest = append(rest, p.p)
			}
		}
	}
	for len(rest) > 0 {
		first := rest[0]
		var now []product
		rest = slices.DeleteFunc(rest, func(p *product) bool {
			if p.x != first.x || p.y != first.y {
				return false
			}
			q := *p
			q.ready, q.lo, q.hi = true, amd64.AX, amd64.DX
			now = append(now, q)
			return true
		})
		g.loadOperand(amd64.AX, first.y)
		if first.x.kind == inMem {
			g.emit(amd64.MULM{M: first.x.mem()})
		} else {
			g.emit(amd64.MUL{S: first.x.reg})
		}
		if len(rest) == 0 {
			for _, p := range shifted {
				now = append(now, *p)
			}
			shifted = nil
		}
		for _, c := range chains(now) {
			chain(g, w, c)
		}
	}
	for _, p := range shifted {
		chain(g, w, chains([]product{*p})[0])
	}
	g.free(temps...)
}

// once computes products that occur at several positions, as far as there are registers.
func (g *amdGen) once(ps []product) (taken []isa.Reg) {
	for i := range ps {
		if !ps[i].double() || ps[i].ready {
			continue
		}
		for j := i + 1; j < len(ps); j++ {
			if ps[j].x != ps[i].x || ps[j].y != ps[i].y || !ps[i].ready && len(g.pool) < 2 {
				continue
			}
			if !ps[i].ready {
				lo, hi := g.alloc(), g.alloc()
				g.mulx(hi, lo, &ps[i])
				ps[i].ready, ps[i].lo, ps[i].hi = true, lo, hi
				taken = append(taken, lo, hi)
			}
			ps[j].ready, ps[j].lo, ps[j].hi = true, ps[i].lo, ps[i].hi
		}
	}
	return taken
}

// mulx computes both words of a product.
func (g *amdGen) mulx(hi, lo isa.Reg, p *product) {
	if !g.dxKnown || g.dx != p.x {
		g.loadOperand(amd64.DX, p.x)
		g.dx, g.dxKnown = p.x, true
	}
	y := p.y
	if c, ok := g.consts[y.word]; ok && y.kind == constant {
		y = c
	}
	switch y.kind {
	case constant:
		g.emit(amd64.MOVI{D: lo, Imm: y.word}, amd64.MULX{Hi: hi, Lo: lo, S: lo})
	case inMem:
		g.emit(amd64.MULXM{Hi: hi, Lo: lo, M: y.mem()})
	default:
		g.emit(amd64.MULX{Hi: hi, Lo: lo, S: y.reg})
	}
}

// word is a register with a word of a product. A low word that is not ready is computed into lo, with its high word
// in the accumulator if that has no value at the next position yet, else in g.hi.
func (g *amdGen) word(w *window, pos int, p part, lo isa.Reg) isa.Reg {
	high := func(pos int) isa.Reg {
		if w.live[pos] {
			return g.hi
		}
		return w.regs[pos]
	}
	switch {
	case p.p.ready && p.hi:
		return p.p.hi
	case p.p.ready:
		return p.p.lo
	case p.p.y == constOp(1):
		return p.p.x.reg
	case p.hi:
		return high(pos)
	}
	g.mulx(high(pos+1), lo, p.p)
	return lo
}

func (g *amdGen) set(w *window, pos int, p part) {
	d := w.regs[pos]
	if r := g.word(w, pos, p, d); r != d {
		g.emit(amd64.MOV{D: d, S: r})
	}
}

func (g *amdGen) add(w *window, pos int, p part, first, _ bool) {
	r := g.word(w, pos, p, g.lo)
	if first {
		g.emit(amd64.ADD{D: w.regs[pos], S: r})
	} else {
		g.emit(amd64.ADC{D: w.regs[pos], S: r})
	}
}

func (g *amdGen) setCarry(w *window, pos int, p part, final bool) {
	g.set(w, pos, p)
	g.carry(w, pos, final)
}

func (g *amdGen) carry(w *window, pos int, _ bool) { g.emit(amd64.ADCI{D: w.regs[pos]}) }

func (g *amdGen) prepare(w *window, pos int) { g.clear(w.regs[pos]) }

func (g *amdGen) onlyCarry(w *window, pos int, final bool) { g.carry(w, pos, final) }

// clear makes a register 0, and destroys the flags.
func (g *amdGen) clear(r isa.Reg) { g.emit(amd64.XORL{D: r, S: r}) }

func (g *amdGen) double(w *window) {
	for i, r := range w.regs {
		switch i {
		case 0:
		case 1:
			g.emit(amd64.ADD{D: r, S: r})
		default:
			g.emit(amd64.ADC{D: r, S: r})
		}
	}
}

func (g *amdGen) quotient(low isa.Reg) isa.Reg {
	if g.friendly {
		return low
	}
	q := isa.Reg(amd64.DX)
	if !g.bmi2 {
		q = g.alloc()
	}
	if k, shift := g.quotientShift(); shift {
		g.emit(amd64.MOV{D: q, S: low}, amd64.SHL{D: q, N: uint8(k)}, amd64.ADD{D: q, S: low})
		return q
	}
	c, ok := g.consts[g.minv]
	if !ok {
		c = constOp(g.minv)
	}
	g.loadOperand(q, c)
	g.emit(amd64.IMUL{D: q, S: low})
	return q
}

// wide: the square, a carry word and what a row needs are in registers.
func (g *amdGen) wide() bool { return g.n <= 4 }

// scratchForModulus is the number of registers that subtract needs for the words of m, 0 or 1.
func (g *amdGen) scratchForModulus() int {
	for _, w := range g.words {
		if _, ok := g.consts[w]; !ok && uint64(int64(int32(w))) != w {
			return 1
		}
	}
	return 0
}

// subtract is d −= w, with a borrow except for the first word.
func (g *amdGen) subtract(d isa.Reg, w uint64, first bool) {
	if c, ok := g.consts[w]; ok && c.kind == inMem {
		if first {
			g.emit(amd64.SUBM{D: d, M: c.mem()})
		} else {
			g.emit(amd64.SBBM{D: d, M: c.mem()})
		}
		return
	}
	if imm := int32(w); uint64(int64(imm)) == w {
		if first {
			g.emit(amd64.SUBI{D: d, Imm: imm})
		} else {
			g.emit(amd64.SBBI{D: d, Imm: imm})
		}
		return
	}
	c, ok := g.consts[w]
	if !ok {
		c = regOp(g.alloc())
		g.loadOperand(c.reg, constOp(w))
		g.free(c.reg)
	}
	if first {
		g.emit(amd64.SUB{D: d, S: c.reg})
	} else {
		g.emit(amd64.SBB{D: d, S: c.reg})
	}
}

// finish subtracts m unless that makes the value negative.
func (g *amdGen) finish(w *window) {
	if len(w.regs) != g.n+1 || !w.live[g.n] {
		g.fail("the last accumulator has no top word")
		return
	}
	g.noProducts()
	if need := g.n + g.scratchForModulus(); len(g.pool) < need {
		g.free(g.taken...)
		clear(g.consts)
	}
	t, top := w.regs[:g.n], w.regs[g.n]
	s := g.allocN(g.n)
	for i := range s {
		g.emit(amd64.MOV{D: s[i], S: t[i]})
		g.subtract(s[i], g.words[i], i == 0)
	}
	g.emit(amd64.SBBI{D: top})
	for i := range s {
		g.emit(amd64.CMOV{K: amd64.CS, D: s[i], S: t[i]})
	}
	g.free(w.regs...)
	g.store(s)
}

// masked are registers with the words of m & mask, for a mask that is 0 or all ones, or the constant 0. It takes over
// the mask's register.
func (g *amdGen) masked(mask isa.Reg) []operand {
	have := map[uint64]operand{0: constOp(0), 1<<64 - 1: regOp(mask)}
	os := make([]operand, g.n)
	for i, w := range g.words {
		o, ok := have[w]
		if !ok {
			o = regOp(g.alloc())
			g.emit(amd64.MOVI{D: o.reg, Imm: w}, amd64.AND{D: o.reg, S: mask})
			have[w] = o
		}
		os[i] = o
	}
	for w, o := range have {
		if w != 0 {
			g.free(o.reg)
		}
	}
	return os
}

// addWords is t += ws. The carry out is in the flags.
func (g *amdGen) addWords(t []isa.Reg, ws []operand) {
	for i, o := range ws {
		switch {
		case i == 0 && o.kind == inMem:
			g.emit(amd64.ADDM{D: t[i], M: o.mem()})
		case i == 0:
			g.emit(amd64.ADD{D: t[i], S: o.reg}) // m is odd: the word is no constant 0
		case o.kind == constant:
			g.emit(amd64.ADCI{D: t[i], Imm: int32(o.word)})
		case o.kind == inMem:
			g.emit(amd64.ADCM{D: t[i], M: o.mem()})
		default:
			g.emit(amd64.ADC{D: t[i], S: o.reg})
		}
	}
}

// subWords is t −= the words at base. A borrow is in the flags.
func (g *amdGen) subWords(t []isa.Reg, base isa.Reg) {
	for i := range t {
		if i == 0 {
			g.emit(amd64.SUBM{D: t[i], M: mem(base, 8*i)})
		} else {
			g.emit(amd64.SBBM{D: t[i], M: mem(base, 8*i)})
		}
	}
}

// addBack adds m if there was a borrow.
func (g *amdGen) addBack(t []isa.Reg) {
	mask := g.alloc()
	g.emit(amd64.SBB{D: mask, S: mask})
	g.addWords(t, g.masked(mask))
}

func (g *amdGen) addition() {
	pa, pb := g.pointer("a"), g.pointer("b")
	t := g.load(pa)
	top := g.alloc()
	g.clear(top)
	g.addWords(t, g.factor(pb))
	g.emit(amd64.ADCI{D: top})
	g.free(pa, pb)
	w := &window{}
	for _, r := range append(t, top) {
		w.push(r, true)
	}
	g.finish(w)
}

func (g *amdGen) subtraction() {
	g.noProducts()
	pa, pb := g.pointer("a"), g.pointer("b")
	t := g.load(pa)
	g.subWords(t, pb)
	g.free(pa, pb)
	g.addBack(t)
	g.store(t)
}

func (g *amdGen) negation(conditional bool) {
	g.noProducts()
	pa := g.pointer("a")
	t := g.allocN(g.n)
	for _, r := range t {
		g.clear(r)
	}
	g.subWords(t, pa)
	g.addBack(t)
	if conditional {
		g.testCond()
		for i, r := range t {
			g.emit(amd64.CMOVM{K: amd64.EQ, D: r, M: mem(pa, 8*i)})
		}
	}
	g.free(pa)
	g.store(t)
}

// testCond sets the condition EQ if the word cond is 0.
func (g *amdGen) testCond() {
	p := g.pointer("cond")
	g.emit(amd64.MOVM{D: p, M: mem(p, 0)}, amd64.TEST{X: p, Y: p})
	g.free(p)
}

func (g *amdGen) halving() {
	g.noProducts()
	pa := g.pointer("a")
	t := g.load(pa)
	g.free(pa)
	top, mask := g.alloc(), g.alloc()
	g.clear(top)
	g.emit(amd64.MOV{D: mask, S: t[0]}, amd64.ANDI{D: mask, Imm: 1}, amd64.NEG{D: mask})
	g.addWords(t, g.masked(mask))
	g.emit(amd64.ADCI{D: top})
	t = append(t, top)
	for i := range g.n {
		g.emit(amd64.SHRD{D: t[i], S: t[i+1], N: 1})
	}
	g.store(t[:g.n])
}

func (g *amdGen) reverse(rs []isa.Reg) []isa.Reg {
	for _, r := range rs {
		g.emit(amd64.BSWAP{D: r})
	}
	rs = slices.Clone(rs)
	slices.Reverse(rs)
	return rs
}

func (g *amdGen) fromBytes() {
	g.noProducts()
	p := g.pointer("b")
	x := g.reverse(g.load(p))
	g.free(p)
	ok, t := g.alloc(), g.alloc()
	g.clear(ok)
	for i, w := range g.words {
		g.emit(amd64.MOV{D: t, S: x[i]})
		g.subtract(t, w, i == 0)
	}
	for _, r := range x {
		g.emit(amd64.CMOV{K: amd64.CC, D: r, S: ok})
	}
	g.emit(amd64.ADCI{D: ok})
	g.store(x)
	if g.params != nil {
		d, _ := machine.AMD64.ParamReg(0)
		g.emit(amd64.MOV{D: d, S: ok})
		return
	}
	g.emit(amd64.StoreResult{S: ok, Name: "ok"})
}

func (g *amdGen) toBytes() {
	g.noProducts()
	p := g.pointer("a")
	x := g.reverse(g.load(p))
	g.storeFrom(x, g.pointer("b"), 0)
}

func (g *amdGen) conditionalMove() {
	g.noProducts()
	pr, pa := g.pointer("r"), g.pointer("a")
	r := g.load(pr)
	g.testCond()
	for i, d := range r {
		g.emit(amd64.CMOVM{K: amd64.NE, D: d, M: mem(pa, 8*i)})
	}
	g.storeFrom(r, pr, 0)
}

// sel reads all entries and keeps the one whose number is the index, in as many passes as the registers demand.
func (g *amdGen) selection() {
	g.noProducts()
	words := 3 * g.n
	index := g.pointer("index")
	g.emit(amd64.MOVM{D: index, M: mem(index, 0)})
	passes := (words + len(g.pool) - 3) / (len(g.pool) - 2)
	for pass := range passes {
		from, to := words*pass/passes, words*(pass+1)/passes
		p, i := g.pointer("table"), g.alloc()
		g.clear(i)
		acc := g.allocN(to - from)
		for _, r := range acc {
			g.clear(r)
		}
		g.flush()
		g.emit(amd64.CMP{X: index, Y: i})
		for j, r := range acc {
			g.emit(amd64.CMOVM{K: amd64.EQ, D: r, M: mem(p, 8*(from+j))})
		}
		g.emit(
			amd64.LEA{D: p, M: amd64.Mem{Base: p, Disp: int32(8 * words)}},
			amd64.ADDI{D: i, Imm: 1},
			amd64.CMPI{X: i, Imm: entries})
		g.loop(fmt.Sprintf("scan%d", pass), amd64.NE)
		g.free(p, i)
		p = g.pointer("r")
		g.storeFrom(acc, p, 8*from)
		g.free(acc...)
		g.free(p)
	}
}
