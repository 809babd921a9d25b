package group

import (
	"fmt"
	"math/big"
	"testing"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
)

// TestIdentities evaluates the lemmas about numbers for all pairs or triples of points of small curves: for each lemma there
// are cases in which the hypotheses are true. The curves may have points of order 2, as the lemmas are about all.
func TestIdentities(t *testing.T) {
	for i, l := range identities() {
		th := l.get()
		if a := th.Axioms(); len(a) != 0 {
			t.Errorf("lemma %d rests on %v", i, a)
		}
		held, all := 0, 0
		for _, c := range append(small(5, false)[:2], small(5, true)[:3]...) {
			for _, env := range c.sums(t) {
				all++
				if holds(t, fmt.Sprintf("lemma %d", i), th, env) {
					held++
				}
			}
		}
		if held == 0 {
			t.Errorf("the hypotheses of lemma %d are never true", i)
		}
		t.Logf("lemma %d: %d of %d", i, held, all)
	}
}

// sums are the values of the variables for each triple of affine points none of whose sums is O.
func (c *curve) sums(t *testing.T) (envs []map[Term]logic.Value) {
	t.Helper()
	p, ca := logic.N(c.p), logic.N(c.a)
	eval := func(e Term) logic.Value {
		v, err := logic.Eval(e, map[Term]logic.Value{}, budget)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	term := func(v logic.Value) Term {
		e := v.Elems()
		if e[0].Bool() {
			return weierstrass.Infinity()
		}
		return weierstrass.Affine(logic.IntConst(e[1].Big()), logic.IntConst(e[2].Big()))
	}
	type sum struct{ point, slope logic.Value }
	table := map[[2]string]sum{}
	add := func(P, Q logic.Value) sum {
		k := [2]string{P.String(), Q.String()}
		s, ok := table[k]
		if !ok {
			v := eval(logic.MkTuple(weierstrass.Add(p, ca, term(P), term(Q)), slopeDef.App(p, ca, term(P), term(Q)))).Elems()
			s = sum{v[0], v[1]}
			table[k] = s
		}
		return s
	}
	negative := func(P logic.Value) logic.Value { return eval(weierstrass.Neg(p, term(P))) }
	for _, P := range c.points[1:] {
		for _, Q := range c.points[1:] {
			for _, R := range c.points[1:] {
				S, T := add(P, Q), add(Q, R)
				U, V := add(S.point, R), add(P, T.point)
				env := map[Term]logic.Value{m: logic.IntValue(big.NewInt(c.p)), a: logic.IntValue(big.NewInt(c.a)),
					b: logic.IntValue(big.NewInt(c.b)), lS: S.slope, lT: T.slope, lU: U.slope, lV: V.slope}
				ok := true
				for _, at := range []struct {
					c xy
					v logic.Value
				}{{cP, P}, {cQ, Q}, {cR, R}, {cS, S.point}, {cT, T.point}, {cU, U.point}, {cV, V.point},
					{negP, negative(P)}, {negQ, negative(Q)}, {negS, negative(S.point)}} {
					e := at.v.Elems()
					ok = ok && !e[0].Bool()
					env[at.c.x], env[at.c.y] = e[1], e[2]
				}
				if ok {
					envs = append(envs, env)
				}
			}
			if len(envs) > 150 {
				return envs
			}
		}
	}
	return envs
}

// TestFalse: the reduction proves no false variants of the identities.
func TestFalse(t *testing.T) {
	s, tg := assumedSums(), assumedTangent()
	c := lineConditions(a, cP, cQ, cS, lS)
	for i, f := range []func() Theorem{
		func() Theorem { // x_U ≡ x_V + 1
			return difference(cU.x, logic.Add(cV.x, one)).by(s.outer()...).eliminate(s.U.is[1], lU).eliminate(s.V.is[1], lV).
				by(s.inner()...).by(s.curves()).done(m)
		},
		func() Theorem { // without the relation between the lines
			return difference(cU.x, cV.x).by(s.outer()...).eliminate(s.U.is[1], lU).eliminate(s.V.is[1], lV).by(s.inner()...).done(m)
		},
		func() Theorem { // y_U ≡ −y_V
			return difference(cU.y, logic.Neg(cV.y)).by(s.outer()...).eliminate(s.U.is[1], lU).eliminate(s.V.is[1], lV).
				by(s.inner()...).by(s.curves()).done(m)
		},
		func() Theorem { // 4·y_Q·y_S ≡ 0 without x_T ≡ x_P
			return difference(logic.Mul(logic.N(4), cQ.y, cS.y), zero).by(tg.inner()...).done(m)
		},
		func() Theorem { // S = Q + P with the slope −l
			return lineBy(cQ, cP, cS, logic.Neg(lS), assumed(cP, cQ, cS, lS).first()...)
		},
		func() Theorem { // an equation that isn't the fact
			return difference(zero, zero).add(s.S.is[1], c[1].l, cP.x, one).done(m)
		},
		func() Theorem { // no rule: the leading coefficient is no constant
			return difference(lS, zero).by(rule{s.S.is[1], lS}).done(m)
		},
		func() Theorem { // division of x by 2
			return difference(cP.x, zero).by(rule{assume(logic.Cong(logic.Mul(two, cP.x), zero, m)), cP.x}).done(m)
		},
		func() Theorem { return difference(cP.x, zero).by(rule{assume(logic.Ge0(cP.x)), cP.x}).done(m) },
	} {
		var th Theorem
		if err := auto.Run(func() { th = f() }); err == nil {
			t.Errorf("%d: proved %v", i, th)
		}
	}
}
