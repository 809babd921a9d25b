package number

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/proof/auto"
	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

var (
	a, b = logic.Var("a", logic.Int()), logic.Var("b", logic.Int())
	e, f = logic.Var("e", logic.Int()), logic.Var("f", logic.Int())
)

// moduli are the curves' p and n, by name, and small primes.
func moduli(t *testing.T) map[string]*big.Int {
	ms := map[string]*big.Int{"3": big.NewInt(3), "5": big.NewInt(5), "7": big.NewInt(7), "65537": big.NewInt(65537)}
	for _, c := range weierstrass.Curves() {
		p, _ := c.P().Const()
		n, _ := c.N().Const()
		if c != weierstrass.P521() { // of n − 1 too few factors are known
			ms[c.Name()+" n"] = n
		}
		ms[c.Name()+" p"] = p
	}
	return ms
}

// check compares a theorem with what it should be, true among the hypotheses being none.
func check(t *testing.T, name string, th Theorem, want Term, hyps ...Term) {
	t.Helper()
	hyps = slices.DeleteFunc(slices.Clone(hyps), func(h Term) bool { return h == logic.True() })
	slices.SortFunc(hyps, logic.Compare)
	hyps = slices.Compact(hyps)
	if th.Concl() != want || !slices.Equal(th.Hyps(), hyps) || len(th.Axioms()) != 0 {
		t.Errorf("%s: %v, want %v ⊢ %v", name, th, hyps, want)
	}
}

func num(v int64) Term { return logic.N(v) }

// TestPowers instantiates each law of powers: with variables, where all hypotheses show, and with constants.
func TestPowers(t *testing.T) {
	exp := logic.Expmod
	ge := func(k Term) Term { return logic.Le(num(0), k) }
	p, _ := weierstrass.P256().P().Const()
	for _, tt := range []struct{ x, y, i, j, m Term }{
		{a, b, e, f, logic.Var("modulus", logic.Int())},
		{logic.Mul(a, b), logic.Uint(logic.Var("w", logic.BV(64))), logic.Add(e, num(2)), logic.Mul(f, f), num(12)},
		{a, a, e, e, num(7)},
		{num(-3), b, num(0), num(5), num(1)},
		{a, b, num(17), logic.Pow2(200), logic.IntConst(p)},
	} {
		x, y, i, j, m := tt.x, tt.y, tt.i, tt.j, tt.m
		pos := logic.Le(num(1), m)
		check(t, "ExpZero", ExpZero(x, m), logic.Cong(exp(x, num(0), m), num(1), m), pos)
		check(t, "ExpOne", ExpOne(x, m), logic.Cong(exp(x, num(1), m), x, m), pos)
		check(t, "ExpNext", ExpNext(x, i, m),
			logic.Cong(exp(x, logic.Add(i, num(1)), m), logic.Mul(x, exp(x, i, m)), m), ge(i))
		check(t, "ExpAdd", ExpAdd(x, i, j, m),
			logic.Cong(exp(x, logic.Add(i, j), m), logic.Mul(exp(x, i, m), exp(x, j, m)), m), pos, ge(i), ge(j))
		check(t, "ExpMul", ExpMul(x, i, j, m),
			logic.Cong(exp(x, logic.Mul(i, j), m), exp(exp(x, i, m), j, m), m), pos, ge(i), ge(j))
		check(t, "ExpProduct", ExpProduct(x, y, i, m),
			logic.Cong(exp(logic.Mul(x, y), i, m), logic.Mul(exp(x, i, m), exp(y, i, m)), m), pos, ge(i))
		check(t, "ExpCong", ExpCong(x, y, i, m), logic.Cong(exp(x, i, m), exp(y, i, m), m), pos, ge(i), logic.Cong(x, y, m))
		lo, hi := ExpRange(x, i, m)
		check(t, "ExpRange", lo, ge(exp(x, i, m)), pos)
		check(t, "ExpRange", hi, logic.Lt(exp(x, i, m), m), pos)
		if v, ok := m.Const(); ok && v.Int64() != 1 {
			check(t, "ExpSame", ExpSame(m, x, y, i), logic.Eq(exp(x, i, m), exp(y, i, m)), ge(i), logic.Cong(x, y, m))
			check(t, "Same", Same(m, x, y), logic.Eq(x, y), ge(x), logic.Lt(x, m), ge(y), logic.Lt(y, m), logic.Cong(x, y, m))
			check(t, "Mod", Mod(m, x, y), logic.Eq(logic.Mod(x, m), logic.Mod(y, m)), logic.Cong(x, y, m))
		}
	}
}

// TestResidues instantiates each law of residues modulo primes, for all of them.
func TestResidues(t *testing.T) {
	for name, n := range moduli(t) {
		t.Run(name, func(t *testing.T) {
			p := logic.IntConst(n)
			inv := func(x Term) Term { return weierstrass.Inv(p, x) }
			for _, tt := range []struct{ x, y Term }{{a, b}, {logic.Add(a, b), logic.Mul(a, a)}, {a, a}, {num(2), b}} {
				x, y := tt.x, tt.y
				cong := func(l, r Term) Term { return logic.Cong(l, r, p) }
				last := logic.Expmod(x, logic.Sub(p, num(1)), p)
				check(t, "Fermat", Fermat(p, x), logic.Or(cong(x, num(0)), logic.Eq(last, num(1))))
				check(t, "Inverse", Inverse(p, x), logic.Or(cong(x, num(0)), cong(logic.Mul(x, inv(x)), num(1))))
				check(t, "Euclid", Euclid(p, x, y), logic.Or(cong(x, num(0)), cong(y, num(0))), cong(logic.Mul(x, y), num(0)))
				check(t, "InvUnique", InvUnique(p, x, y), cong(y, inv(x)), cong(logic.Mul(x, y), num(1)))
				check(t, "InvMul", InvMul(p, x, y), cong(inv(logic.Mul(x, y)), logic.Mul(inv(x), inv(y))))
				check(t, "InvCong", InvCong(p, x, y), logic.Eq(inv(x), inv(y)), cong(x, y))
				check(t, "InvZero", InvZero(p, x), logic.Eq(inv(x), num(0)), cong(x, num(0)))
				lo, hi := InvRange(p, x)
				check(t, "InvRange", lo, logic.Le(num(0), inv(x)))
				check(t, "InvRange", hi, logic.Lt(inv(x), p))
				check(t, "Squares", Squares(p, x, y), logic.Or(cong(x, y), cong(x, logic.Neg(y))),
					cong(logic.Mul(x, x), logic.Mul(y, y)))
				if n.Bit(1) == 1 {
					r := logic.Expmod(x, logic.IntConst(new(big.Int).Rsh(new(big.Int).Add(n, big.NewInt(1)), 2)), p)
					check(t, "Root", Root(p, y, x), cong(logic.Mul(r, r), x), cong(x, logic.Mul(y, y)))
				} else if err := auto.Run(func() { Root(p, y, x) }); err == nil {
					t.Errorf("Root modulo %v", p)
				}
			}
		})
	}
}

// TestEvaluates evaluates instances modulo small primes, hypotheses and conclusions: the theorems are about the numbers
// that their comments mean.
func TestEvaluates(t *testing.T) {
	holds := func(c Term) bool {
		t.Helper()
		v, err := logic.Eval(c, nil, 1e5)
		if err != nil {
			t.Fatal(err)
		}
		return v.Bool()
	}
	said := 0
	for _, n := range []int64{3, 7, 13} {
		p := num(n)
		for x := -n; x < 2*n; x++ {
			for y := int64(-2); y <= n+1; y++ {
				a, b := num(x), num(y)
				ths := []Theorem{
					Inverse(p, a), Euclid(p, a, b), InvUnique(p, a, b), InvMul(p, a, b), InvCong(p, a, b), InvZero(p, a),
					Squares(p, a, b), Same(p, a, b), Mod(p, a, b), ExpMul(a, num(3), b, p), ExpProduct(a, b, num(5), p),
				}
				if n%4 == 3 {
					ths = append(ths, Root(p, b, a))
				}
				for _, th := range ths {
					if slices.ContainsFunc(th.Hyps(), func(h Term) bool { return !holds(h) }) {
						continue
					}
					if said++; !holds(th.Concl()) {
						t.Errorf("%v is false", th)
					}
				}
			}
		}
	}
	if said < 1000 {
		t.Errorf("only %d instances with true hypotheses", said)
	}
}

// TestUse replaces hypotheses by facts, which have hypotheses of their own.
func TestUse(t *testing.T) {
	p, q, r := logic.Var("p", logic.Bool()), logic.Var("q", logic.Bool()), logic.Var("r", logic.Bool())
	all := taut(logic.And(p, q, r), assume(p), assume(q), assume(r))
	from := func(c Term, h Term) Theorem { return taut(c, assume(logic.Imp(h, c)), assume(h)) }
	th := Use(all, from(q, a0), from(p, a1))
	check(t, "Use", th, logic.And(p, q, r), r, a0, a1, logic.Imp(a0, q), logic.Imp(a1, p))
	check(t, "Use", Use(all), logic.And(p, q, r), p, q, r)
	check(t, "Use", Use(all, auto.True(), assume(p)), logic.And(p, q, r), p, q, r)
}

var a0, a1 = logic.Var("a0", logic.Bool()), logic.Var("a1", logic.Bool())

// TestGenerations: lemmas are proved again when their terms have been dropped.
func TestGenerations(t *testing.T) {
	p := num(1009)
	for range 3 {
		g, err := logic.NewGeneration()
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range []Theorem{ExpAdd(a, e, f, p), ExpMul(a, e, f, p), Inverse(p, a), Squares(p, a, b), Mod(p, a, b)} {
			if th.Concl().Err() != nil {
				t.Error(th)
			}
		}
		g.Drop()
	}
}

// refused is the message of a proof that isn't found.
func refused(t *testing.T, name, message string, f func()) {
	t.Helper()
	if err := auto.Run(f); err == nil || !strings.Contains(err.Error(), message) || strings.Contains(err.Error(), "%!") {
		t.Errorf("%s: %v", name, err)
	}
}

func TestRefuses(t *testing.T) {
	refused(t, "composite", "not prime", func() { Inverse(num(91), a) })
	refused(t, "composite", "not prime", func() { Euclid(num(4), a, b) })
	refused(t, "1", "not prime", func() { Fermat(num(1), a) })
	refused(t, "negative", "not prime", func() { Fermat(num(-7), a) })
	refused(t, "variable", "no constant", func() { Inverse(a, b) })
	refused(t, "variable", "no constant", func() { Fermat(a, b) })
	refused(t, "1 modulo 4", "3 modulo 4", func() { Root(num(13), a, b) })
	refused(t, "inverse of 0 modulo 2", "", func() { InvZero(num(2), a) }) // 0⁰ is 1
	refused(t, "modulus 0", "", func() { Same(num(0), a, b) })
	refused(t, "Bool", "", func() { ExpAdd(a0, e, f, num(7)) })
}

// TestCertificates finds and checks those of all curves; all known factors serve.
func TestCertificates(t *testing.T) {
	used := map[string]bool{}
	for name, n := range moduli(t) {
		steps, err := Certificate(n)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q, err := kernel.CheckPrime(steps...)
		if err != nil || q.Term() != logic.IntConst(n) {
			t.Errorf("%s: %v", name, err)
		}
		for _, s := range steps {
			for _, q := range known() { // also one that leaves a prime behind
				used[q.String()] = used[q.String()] || new(big.Int).Mod(new(big.Int).Sub(s.N, big.NewInt(1)), q).Sign() == 0
			}
		}
		again, err := Prime(n)
		if once, err2 := Prime(n); err != nil || err2 != nil || again != once {
			t.Errorf("%s: proved twice: %v, %v", name, err, err2)
		}
	}
	for i, q := range known() {
		if !used[q.String()] {
			t.Errorf("%v serves for nothing", q)
		}
		if i > 0 && known()[i-1].Cmp(q) >= 0 || q.Cmp(big.NewInt(trialLimit)) < 0 {
			t.Errorf("%v is out of order or small", q)
		}
	}
	for n := int64(-3); n < 3000; n++ { // by division
		_, err := Prime(big.NewInt(n))
		if want := n > 1 && big.NewInt(n).ProbablyPrime(0); (err == nil) != want {
			t.Errorf("%d: %v", n, err)
		}
	}
	count := 0
	for n := int64(small) - 100; n < small+2000; n++ { // also by Pocklington's theorem
		_, err := Prime(big.NewInt(n))
		prime := big.NewInt(n).ProbablyPrime(0)
		if !prime && err == nil || prime && err != nil && !strings.Contains(err.Error(), "too few") {
			t.Errorf("%d: %v", n, err)
		}
		if prime && err == nil {
			count++
		}
	}
	if count < 50 {
		t.Errorf("%d certificates of numbers around 2²⁰", count)
	}
	// a safe prime, the first Oakley group of RFC 2409 §6.1
	oakley, _ := new(big.Int).SetString("FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74"+
		"020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437"+
		"4FE1356D6D51C245E485B576625E7EC6F44C42E9A63A3620FFFFFFFFFFFFFFFF", 16)
	if _, err := Prime(oakley); err == nil || !strings.Contains(fmt.Sprint(err), "too few") {
		t.Errorf("%v", err)
	}
}
