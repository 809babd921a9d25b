package tune

import (
	"errors"
	"fmt"
	"math/big"

	"verum.example/internal/impl/mont"
	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
	"verum.example/internal/tcb/machine"
)

// composedDouble keeps its pointers in its frame, above what the routines have of it.
const composedFrame, composedPointers = 128, 96

// composedDouble is the doubling of weierstrass.NewFused as a sequence of the routines of impl/mont, without the calls: what
// fusing is measured against.
func composedDouble(variant string, p *big.Int) ([]isa.Instr, error) {
	params := []isa.Reg{amd64.DI, amd64.SI, amd64.DX}
	var code []isa.Instr
	for i, r := range params {
		code = append(code, amd64.MOVMR{M: amd64.Mem{Base: amd64.SP, Disp: composedPointers + int32(8*i)}, S: r})
	}
	type place struct{ param, off int32 }
	r := func(k int32) place { return place{0, 32 * k} }
	a := func(k int32) place { return place{1, 32 * k} }
	t := func(k int32) place { return place{2, 32 * k} }
	var err error
	do := func(op string, args ...place) {
		v := variant
		if op != "Mul" && op != "Sqr" {
			v = ""
		}
		routine, e := mont.Internal(op, "p256", machine.AMD64, v, p)
		if e != nil || routine.Frame > composedPointers {
			err = errors.Join(err, e, fmt.Errorf("%s has no code to measure", op))
			return
		}
		for i, x := range args {
			code = append(code,
				amd64.MOVM{D: params[i], M: amd64.Mem{Base: amd64.SP, Disp: composedPointers + 8*x.param}},
				amd64.ADDI{D: params[i], Imm: x.off})
		}
		code = append(code, straight(routine.Code)...)
	}
	const zz, u, v, yy, h, m, s, y4 = 0, 1, 2, 3, 4, 5, 6, 7
	do("Sqr", t(zz), a(2))
	do("Sub", t(u), a(0), t(zz))
	do("Add", t(v), a(0), t(zz))
	do("Sqr", t(yy), a(1))
	do("Mul", t(h), t(u), t(v))
	do("Half", t(m), t(h))
	do("Add", t(m), t(m), t(h))
	do("Mul", t(s), a(0), t(yy))
	do("Mul", r(2), a(1), a(2))
	do("Sqr", t(u), t(m))
	do("Sub", t(u), t(u), t(s))
	do("Sub", r(0), t(u), t(s))
	do("Sub", t(s), t(s), r(0))
	do("Sqr", t(y4), t(yy))
	do("Mul", t(h), t(m), t(s))
	do("Sub", r(1), t(h), t(y4))
	return code, err
}

// straight lists the instructions of code without branches. A table is taken to be in tmp: time does not depend on values.
func straight(c machine.Code) (is []isa.Instr) {
	switch c := c.(type) {
	case machine.Block:
		for _, i := range c {
			if a, ok := i.(amd64.TableAddr); ok {
				i = amd64.MOVM{D: a.D, M: amd64.Mem{Base: amd64.SP, Disp: composedPointers + 16}}
			}
			is = append(is, i)
		}
	case machine.Seq:
		for _, x := range c {
			is = append(is, straight(x)...)
		}
	}
	return is
}
