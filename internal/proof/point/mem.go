package point

import (
	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// Lemmas about coordinates in Montgomery form. Their hypotheses are what products give: R·c ≡ a·b (mod p).

// The variables. Those in lower case stand for residues, these for what is in memory.
var (
	mX, mY, mZ, mM, mV     = integer("X"), integer("Y"), integer("Z"), integer("M"), integer("V")
	mX2, mY2, mZ2          = integer("X2"), integer("Y2"), integer("Z2")
	mX3, mY3, mZ3          = integer("X3"), integer("Y3"), integer("Z3")
	mU1, mS1, mU2, mS2     = integer("U1"), integer("S1"), integer("U2"), integer("S2")
	mZZ, mZZZ, mYY         = integer("ZZ"), integer("ZZZ"), integer("YY")
	mZZ2, mZZZ2, mZ1Z2     = integer("ZZ2"), integer("ZZZ2"), integer("Z1Z2")
	mH, mHH, mHHH, mR, mSS = integer("H"), integer("HH"), integer("HHH"), integer("T"), integer("S")
)

// Product: R·c ≡ a·b ⊢ Ri·c ≡ (Ri·a)·(Ri·b).
func (f *Formulas) Product(c0, a0, b0 Term) Theorem {
	return f.at("product", func() Theorem {
		e := f.montgomery(z, logic.Mul(x, y))
		return f.follows(f.Residue(z), logic.Mul(f.Residue(x), f.Residue(y)), nil, e).Th
	}, subst{z: c0, x: a0, y: b0})
}

// Scaled: c ≡ d ⊢ Ri·c ≡ Ri·d. As Ri·(a + b) is Ri·a + Ri·b, this is what sums and differences need.
func (f *Formulas) Scaled(c0, d0 Term) Theorem {
	return f.at("scaled", func() Theorem {
		return f.follows(f.Residue(x), f.Residue(y), nil, f.given(x, y)).Th
	}, subst{x: c0, y: d0})
}

// Unscaled: Ri·c ≡ Ri·d ⊢ c ≡ d.
func (f *Formulas) Unscaled(c0, d0 Term) Theorem {
	return f.at("unscaled", func() Theorem {
		return f.follows(x, y, []auto.Lin{by(f.given(f.Residue(x), f.Residue(y)), f.R())}).Th
	}, subst{x: c0, y: d0})
}

// montgomery assumes R·c ≡ t and gives c ≡ Ri·t, to eliminate c.
func (f *Formulas) montgomery(c, t Term) auto.Lin {
	return f.follows(c, logic.Mul(f.Ri(), t), []auto.Lin{by(f.given(logic.Mul(f.R(), c), t), f.Ri())})
}

// MemIsZero: 0 ≤ X, X < p ⊢ (Ri·X ≡ 0) = (X = 0).
func (f *Formulas) MemIsZero(X Term) Theorem { return f.at("memIsZero", f.proveMemIsZero, subst{x: X}) }

func (f *Formulas) proveMemIsZero() Theorem {
	none, eq := f.isZero(f.Residue(x)), logic.Eq(x, zero)
	to := f.same(x, zero, f.follows(x, zero, []auto.Lin{lin(assume(none), f.Residue(x), zero, f.R())}).Th).th
	from := f.follows(f.Residue(x), zero, []auto.Lin{lin(assume(eq), x, zero, f.Ri())}).Th
	return taut(logic.Eq(none, eq), implied(none, to), implied(eq, from))
}

// MemCongruent: X ≡ X′, Y ≡ Y′, Z ≡ Z′ ⊢ Mem(X, Y, Z) = Mem(X′, Y′, Z′).
func (f *Formulas) MemCongruent(X, Y, Z, X1, Y1, Z1 Term) Theorem {
	return f.at("memCongruent", func() Theorem {
		r := f.Residue
		th := f.Congruent(r(x), r(y), r(z), r(x2), r(y2), r(z2))
		return Use(th, f.Scaled(x, x2), f.Scaled(y, y2), f.Scaled(z, z2))
	}, subst{x: X, y: Y, z: Z, x2: X1, y2: Y1, z2: Z1})
}

// MemNeg: V ≡ −Y ⊢ Mem(X, V, Z) = −Mem(X, Y, Z).
func (f *Formulas) MemNeg(X, Y, Z, V Term) Theorem {
	return f.at("memNeg", func() Theorem {
		r := f.Residue
		return Use(f.Neg(r(x), r(y), r(z), r(v)), f.Scaled(v, logic.Neg(y)))
	}, subst{x: X, y: Y, z: Z, v: V})
}

// MemNegSelect: V ≡ ite(s, −Y, Y) ⊢ Mem(X, V, Z) = ite(s, −Mem(X, Y, Z), Mem(X, Y, Z)).
func (f *Formulas) MemNegSelect(X, Y, Z, V, s0 Term) Theorem {
	return f.at("memNegSelect", func() Theorem {
		P, Q := f.Mem(x, y, z), f.Mem(x, v, z)
		return f.selected(Q, P, f.MemNeg(x, y, z, v), f.MemCongruent(x, v, z, x, y, z))
	}, subst{x: X, y: Y, z: Z, v: V, s: s0})
}

// MemAffCongruent: X ≡ X′, Y ≡ Y′ ⊢ MemAff(X, Y) = MemAff(X′, Y′).
func (f *Formulas) MemAffCongruent(X, Y, X1, Y1 Term) Theorem {
	return f.at("memAffCongruent", func() Theorem {
		r := f.Residue
		return Use(f.AffCongruent(r(x), r(y), r(x2), r(y2)), f.Scaled(x, x2), f.Scaled(y, y2))
	}, subst{x: X, y: Y, x2: X1, y2: Y1})
}

// MemAffNeg: V ≡ −Y ⊢ MemAff(X, V) = −MemAff(X, Y).
func (f *Formulas) MemAffNeg(X, Y, V Term) Theorem {
	return f.at("memAffNeg", func() Theorem {
		r := f.Residue
		return Use(f.AffNeg(r(x), r(y), r(v)), f.Scaled(v, logic.Neg(y)))
	}, subst{x: X, y: Y, v: V})
}

// MemAffNegSelect: V ≡ ite(s, −Y, Y) ⊢ MemAff(X, V) = ite(s, −MemAff(X, Y), MemAff(X, Y)).
func (f *Formulas) MemAffNegSelect(X, Y, V, s0 Term) Theorem {
	return f.at("memAffNegSelect", func() Theorem {
		return f.selected(f.MemAff(x, v), f.MemAff(x, y), f.MemAffNeg(x, y, v), f.MemAffCongruent(x, v, x, y))
	}, subst{x: X, y: Y, v: V, s: s0})
}

// MemXCongruent: ¬(Ri·Z ≡ 0), R·ZZ ≡ Z² ⊢ (X(Mem(X, Y, Z)) ≡ u) = (u·ZZ ≡ X). Here u is the number, not its Montgomery
// form; for U ≡ R·u, which stands for u, U·ZZ ≡ R·X says the same.
func (f *Formulas) MemXCongruent(X, Y, Z, ZZ, u0 Term) Theorem {
	return f.at("memXCongruent", f.proveMemXCongruent, subst{mX: X, mY: Y, mZ: Z, mZZ: ZZ, u: u0})
}

func (f *Formulas) proveMemXCongruent() Theorem {
	rx, ry, rz := f.Residue(mX), f.Residue(mY), f.Residue(mZ)
	zz := f.montgomery(mZZ, logic.Mul(mZ, mZ))
	l, r := f.given(logic.Mul(u, rz, rz), rx), f.given(logic.Mul(u, mZZ), mX)
	to := f.follows(r.L, r.R, []auto.Lin{by(l, f.R())}, zz).Th
	from := f.follows(l.L, l.R, []auto.Lin{by(r, f.Ri())}, zz).Th
	L, R := l.Th.Concl(), r.Th.Concl()
	X := f.cong(weierstrass.X(f.Mem(mX, mY, mZ)), u)
	return taut(logic.Eq(X, R), f.XCongruent(rx, ry, rz, u), implied(L, to), implied(R, from))
}

// MemOnCurve: ¬(Ri·Z ≡ 0), R·ZZ ≡ Z², R·YY ≡ Y², R·W ≡ ZZ² ⊢
// On(Mem(X, Y, Z)) = (R²·YY ≡ X³ + a·X·R·W + b·R·ZZ·W).
func (f *Formulas) MemOnCurve(X, Y, Z, YY, ZZ, W Term) Theorem {
	return f.at("memOnCurve", f.proveMemOnCurve, subst{mX: X, mY: Y, mZ: Z, mYY: YY, mZZ: ZZ, mV: W})
}

func (f *Formulas) proveMemOnCurve() Theorem {
	rx, ry, rz := f.Residue(mX), f.Residue(mY), f.Residue(mZ)
	defs := []auto.Lin{
		f.montgomery(mV, logic.Mul(mZZ, mZZ)), f.montgomery(mYY, logic.Mul(mY, mY)),
		f.montgomery(mZZ, logic.Mul(mZ, mZ)),
	}
	z4 := power(rz, 4)
	l := f.given(logic.Mul(ry, ry), logic.Add(power(rx, 3), logic.Mul(f.a, rx, z4), logic.Mul(f.b, z4, rz, rz)))
	r := f.given(logic.Mul(f.R(), f.R(), mYY),
		logic.Add(power(mX, 3), logic.Mul(f.a, mX, f.R(), mV), logic.Mul(f.b, f.R(), mZZ, mV)))
	to := f.follows(r.L, r.R, []auto.Lin{by(l, power(f.R(), 3))}, defs...).Th
	from := f.follows(l.L, l.R, []auto.Lin{by(r, power(f.Ri(), 3))}, defs...).Th
	L, R := l.Th.Concl(), r.Th.Concl()
	return taut(logic.Eq(f.On(f.Mem(mX, mY, mZ)), R), f.OnCurve(rx, ry, rz), implied(L, to), implied(R, from))
}

// MemDoubleTerms are the terms of MemDouble.
type MemDoubleTerms struct{ ZZ, YY, S, M, X, Y, Z Term }

// MemDouble:
//
//	R·ZZ ≡ Z², R·YY ≡ Y², R·S ≡ X·YY, R·2M ≡ 3X² + a·ZZ²,
//	R·X3 ≡ M² − 2R·S, R·Y3 ≡ M(S − X3) − YY², R·Z3 ≡ Y·Z
//	⊢ Mem(X3, Y3, Z3) = Mem(X, Y, Z) + Mem(X, Y, Z)
func (f *Formulas) MemDouble(X, Y, Z Term, t MemDoubleTerms) Theorem {
	return f.memDouble("memDouble", logic.Add(logic.Mul(three, mX, mX), logic.Mul(f.a, mZZ, mZZ)), f.Double, X, Y, Z, t)
}

// MemDoubleMinus3 is MemDouble for a = −3, with R·2M ≡ 3(X − ZZ)(X + ZZ) for its fourth hypothesis.
func (f *Formulas) MemDoubleMinus3(X, Y, Z Term, t MemDoubleTerms) Theorem {
	rise := logic.Mul(three, logic.Sub(mX, mZZ), logic.Add(mX, mZZ))
	return f.memDouble("memDoubleMinus3", rise, f.DoubleMinus3, X, Y, Z, t)
}

func (f *Formulas) memDouble(name string, rise Term, double func(x, y, z, m, X, Y, Z Term) Theorem,
	X, Y, Z Term, t MemDoubleTerms) Theorem {
	return f.at(name, func() Theorem {
		g, r := f.montgomery, f.Residue
		rM := f.given(logic.Mul(f.R(), two, mM), rise)
		M := f.follows(mM, logic.Mul(f.half(), f.Ri(), rise), []auto.Lin{by(rM, logic.Mul(f.half(), f.Ri()))})
		th := double(r(mX), r(mY), r(mZ), r(mM), r(mX3), r(mY3), r(mZ3))
		return f.eliminated(th,
			g(mY3, logic.Sub(logic.Mul(mM, logic.Sub(mSS, mX3)), logic.Mul(mYY, mYY))),
			g(mX3, logic.Sub(logic.Mul(mM, mM), logic.Mul(two, f.R(), mSS))), g(mZ3, logic.Mul(mY, mZ)),
			M, g(mSS, logic.Mul(mX, mYY)), g(mYY, logic.Mul(mY, mY)), g(mZZ, logic.Mul(mZ, mZ)))
	}, subst{mX: X, mY: Y, mZ: Z, mZZ: t.ZZ, mYY: t.YY, mSS: t.S, mM: t.M, mX3: t.X, mY3: t.Y, mZ3: t.Z})
}

// eliminated proves the hypotheses of th that are congruences by defs.
func (f *Formulas) eliminated(th Theorem, defs ...auto.Lin) Theorem {
	for _, h := range th.Hyps() {
		if h.Op() != logic.OpDvd {
			continue
		}
		th = Use(th, f.follows(h.Arg(0), zero, nil, defs...).Th)
	}
	return th
}

// MemAddTerms are the terms of MemAdd: ZZ and ZZZ are the square and the cube of the first point's Z, ZZ2 and ZZZ2
// those of the second's.
type MemAddTerms struct{ ZZ, ZZZ, ZZ2, ZZZ2, U1, S1, U2, S2, H, T, HH, HHH, V, Z1Z2, X, Y, Z Term }

func (t MemAddTerms) subst(X, Y, Z, X2, Y2, Z2 Term) subst {
	return subst{mX: X, mY: Y, mZ: Z, mX2: X2, mY2: Y2, mZ2: Z2,
		mZZ: t.ZZ, mZZZ: t.ZZZ, mZZ2: t.ZZ2, mZZZ2: t.ZZZ2, mU1: t.U1, mS1: t.S1, mU2: t.U2, mS2: t.S2,
		mH: t.H, mR: t.T, mHH: t.HH, mHHH: t.HHH, mV: t.V, mZ1Z2: t.Z1Z2, mX3: t.X, mY3: t.Y, mZ3: t.Z}
}

// MemAdd, for P = Mem(X1, Y1, Z1), Q = Mem(X2, Y2, Z2):
//
//	R·ZZ ≡ Z1², R·ZZZ ≡ Z1·ZZ, R·ZZ2 ≡ Z2², R·ZZZ2 ≡ Z2·ZZ2,
//	R·U1 ≡ X1·ZZ2, R·S1 ≡ Y1·ZZZ2, R·U2 ≡ X2·ZZ, R·S2 ≡ Y2·ZZZ, H ≡ U2 − U1, T ≡ S2 − S1,
//	R·HH ≡ H², R·HHH ≡ H·HH, R·V ≡ U1·HH, R·Z1Z2 ≡ Z1·Z2,
//	R·X3 ≡ T² − R·HHH − 2R·V, R·Y3 ≡ T(V − X3) − S1·HHH, R·Z3 ≡ Z1Z2·H,
//	¬(Ri·Z1 ≡ 0), ¬(Ri·Z2 ≡ 0), On(P), On(Q), P ≠ Q
//	⊢ Mem(X3, Y3, Z3) = P + Q
func (f *Formulas) MemAdd(X, Y, Z, X2, Y2, Z2 Term, t MemAddTerms) Theorem {
	return f.at("memAdd", f.proveMemAdd, t.subst(X, Y, Z, X2, Y2, Z2))
}

func (f *Formulas) proveMemAdd() Theorem {
	g, r := f.montgomery, f.Residue
	th := f.Add(r(mX), r(mY), r(mZ), r(mX2), r(mY2), r(mZ2),
		AddTerms{r(mU1), r(mS1), r(mH), r(mR), r(mX3), r(mY3), r(mZ3)})
	return f.eliminated(th, append(f.memSum(mU1, mS1, mZ1Z2),
		g(mZ1Z2, logic.Mul(mZ, mZ2)),
		f.given(mH, logic.Sub(mU2, mU1)), f.given(mR, logic.Sub(mS2, mS1)),
		g(mU1, logic.Mul(mX, mZZ2)), g(mS1, logic.Mul(mY, mZZZ2)),
		g(mU2, logic.Mul(mX2, mZZ)), g(mS2, logic.Mul(mY2, mZZZ)),
		g(mZZZ2, logic.Mul(mZ2, mZZ2)), g(mZZ2, logic.Mul(mZ2, mZ2)),
		g(mZZZ, logic.Mul(mZ, mZZ)), g(mZZ, logic.Mul(mZ, mZ)))...)
}

// memSum are the last steps of a sum, the first to be eliminated.
func (f *Formulas) memSum(u1, s1, zz Term) []auto.Lin {
	g := f.montgomery
	return []auto.Lin{
		g(mY3, logic.Sub(logic.Mul(mR, logic.Sub(mV, mX3)), logic.Mul(s1, mHHH))),
		g(mX3, logic.Sub(logic.Sub(logic.Mul(mR, mR), logic.Mul(f.R(), mHHH)), logic.Mul(two, f.R(), mV))),
		g(mZ3, logic.Mul(zz, mH)), g(mV, logic.Mul(u1, mHH)), g(mHHH, logic.Mul(mH, mHH)), g(mHH, logic.Mul(mH, mH)),
	}
}

// MemAddAffine, for P = Mem(X1, Y1, Z1), Q = MemAff(X2, Y2):
//
//	R·ZZ ≡ Z1², R·ZZZ ≡ Z1·ZZ, R·U2 ≡ X2·ZZ, R·S2 ≡ Y2·ZZZ, H ≡ U2 − X1, T ≡ S2 − Y1,
//	R·HH ≡ H², R·HHH ≡ H·HH, R·V ≡ X1·HH,
//	R·X3 ≡ T² − R·HHH − 2R·V, R·Y3 ≡ T(V − X3) − Y1·HHH, R·Z3 ≡ Z1·H,
//	¬(Ri·Z1 ≡ 0), ¬(Ri·X2 ≡ 0 ∧ Ri·Y2 ≡ 0), On(P), On(Q), P ≠ Q
//	⊢ Mem(X3, Y3, Z3) = P + Q
//
// t.ZZ2, t.ZZZ2, t.U1, t.S1 and t.Z1Z2 are not used.
func (f *Formulas) MemAddAffine(X, Y, Z, X2, Y2 Term, t MemAddTerms) Theorem {
	t.ZZ2, t.ZZZ2, t.U1, t.S1, t.Z1Z2 = zero, zero, zero, zero, zero
	return f.at("memAddAffine", f.proveMemAddAffine, t.subst(X, Y, Z, X2, Y2, zero))
}

func (f *Formulas) proveMemAddAffine() Theorem {
	g, r := f.montgomery, f.Residue
	th := f.AddAffine(r(mX), r(mY), r(mZ), r(mX2), r(mY2),
		AddTerms{H: r(mH), R: r(mR), X: r(mX3), Y: r(mY3), Z: r(mZ3)})
	return f.eliminated(th, append(f.memSum(mX, mY, mZ),
		f.given(mH, logic.Sub(mU2, mX)), f.given(mR, logic.Sub(mS2, mY)),
		g(mU2, logic.Mul(mX2, mZZ)), g(mS2, logic.Mul(mY2, mZZZ)),
		g(mZZZ, logic.Mul(mZ, mZZ)), g(mZZ, logic.Mul(mZ, mZ)))...)
}
