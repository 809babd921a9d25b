package weierstrass

import (
	"fmt"
	"math/big"
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// A power is a routine power(r, a, tmp) that computes a constant power of a residue: r·R⁻¹ ≡ (a·R⁻¹)^e.
type power struct {
	f        *Field
	e        *big.Int
	contract machine.Contract
	value    func(x Term) Term // what x^e is called in the contract
	chain    func() (impl.Chain, error)
	gcd      *gcd // what computes it instead of the chain, or nil
	verified memo[machine.Verified]
}

// newPower makes the contract of a power. Doc says what r is.
func newPower(f *Field, name, doc string, e *big.Int, value func(x Term) Term) *power {
	n := f.Bytes()
	p := &power{f: f, e: e, value: value}
	p.chain = sync.OnceValues(func() (impl.Chain, error) { return impl.NewChain(e) })
	p.contract = must(machine.Internal(machine.Func{
		Name:     f.Name() + "Fe" + name,
		Doc:      f.Name() + "Fe" + name + " " + doc,
		Params:   []machine.Param{out("r", n), in("a", n), inOut("tmp", impl.PowerTemps*n)},
		Requires: func(e machine.Env) []Term { return []Term{logic.Lt(e.LE("a"), f.P())} },
		Ensures: func(e machine.Env) []Term {
			r := e.After().LE("r")
			return []Term{logic.Lt(r, f.P()), logic.Cong(f.Residue(r), value(f.Residue(e.LE("a"))), f.P())}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"a": new(big.Int).Sub(f.spec.M, big.NewInt(2))} },
	}))
	p.verified = newMemo(func(k Key) (machine.Verified, error) {
		prog, pr, err := p.program(k)
		if err != nil {
			return machine.Verified{}, err
		}
		return machine.Verify(prog, pr)
	})
	return p
}

// newInverse is the inverse, x^(m−2), which for m of four words is not computed as a power.
func newInverse(f *Field) *power {
	e := new(big.Int).Sub(f.spec.M, big.NewInt(2))
	p := newPower(f, "Inv", "sets r = 1/a, in Montgomery form, and 0 if a is 0.", e,
		func(x Term) Term { return spec.Inv(f.P(), x) })
	if f.Words() == impl.GCDModulus {
		p.gcd = newGCD(f)
	}
	return p
}

// newRoot is x^((m+1)/4), a root of x if there is one, for m ≡ 3 (mod 4); else nil.
func newRoot(f *Field) *power {
	if f.spec.M.Bit(0) == 0 || f.spec.M.Bit(1) == 0 {
		return nil
	}
	e := new(big.Int).Rsh(new(big.Int).Add(f.spec.M, big.NewInt(1)), 2)
	doc := "sets r to a square root of a, in Montgomery form, if there is one, and to a^((m+1)/4) anyhow."
	return newPower(f, "Root", doc, e,
		func(x Term) Term { return spec.Pow(f.P(), x, logic.IntConst(e)) })
}

// Inverse is the routine Inv(r, a, tmp): Ri·r ≡ Inv(m, Ri·a). tmp has impl.PowerTemps elements.
func (f *Field) Inverse(t machine.Target, variant string) (machine.Verified, error) {
	return f.inverse.verified.get(t, variant)
}

// Root is the routine Root(r, a, tmp): Ri·r ≡ Pow(m, Ri·a, (m+1)/4), for m ≡ 3 (mod 4).
func (f *Field) Root(t machine.Target, variant string) (machine.Verified, error) {
	if f.root == nil {
		return machine.Verified{}, fmt.Errorf("proof/weierstrass: %s: m is not 3 modulo 4", f.Name())
	}
	return f.root.verified.get(t, variant)
}

func (p *power) program(k Key) (machine.Program, machine.Prover, error) {
	if p.gcd != nil {
		return p.gcd.program(k, p.contract)
	}
	f, err := p.f.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	chain, err := p.chain()
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := impl.NewPower(k.Target, k.Variant, p.contract, f, chain)
	return code.Program, NewSteps(p.f, code, p.prove), err
}

// prove proves Ri·d ≡ (Ri·a)^e for the result of each step, e being the sum of its operands' exponents.
func (p *power) prove(tr *Trace, v machine.View) []Theorem {
	f := p.f
	m, one, ri := f.P(), logic.N(1), logic.IntConst(f.Ri())
	a := tr.Var(auto.Word(v.Before("a")...))
	x := f.Residue(a)
	of := func(e *big.Int) Term { return xpow.App(logic.IntConst(e), x) }
	exponent := map[Term]*big.Int{a: big.NewInt(1)}
	powers := map[Term]auto.Lin{} // Ri·d ≡ xpow(e, x)
	know := func(d Term, e *big.Int, facts ...auto.Lin) {
		th := auto.Congruent(f.Residue(d), of(e), m, facts...)
		exponent[d], powers[d] = e, auto.Lin{Th: th, L: f.Residue(d), R: of(e), By: one}
	}
	first := xpowOne(x)
	first.By = logic.N(-1)
	know(a, big.NewInt(1), first)
	for _, s := range tr.Steps {
		l, r, ok := s.congruence()
		X, Y := s.Src[0], s.Src[len(s.Src)-1]
		i, j := exponent[X], exponent[Y]
		if !ok || i == nil || j == nil {
			panic(fmt.Errorf("%s: %s of powers is not known", s.Mark, s.Op.Name))
		}
		px, py, law := powers[X], powers[Y], xpowAdd(x, i, j)
		px.By, py.By, law.By = f.Residue(Y), of(i), logic.N(-1)
		know(s.Dst, new(big.Int).Add(i, j), auto.Lin{Th: s.Facts[1], L: l, R: r, By: logic.Mul(ri, ri)}, px, py, law)
	}
	r := tr.Elem(v, impl.Ptr{Region: "r"}, f.Words())
	if e := exponent[r]; e == nil || e.Cmp(p.e) != 0 {
		panic(fmt.Errorf("the result is the power %v, not %v", e, p.e))
	}
	// x^e as the contract has it
	law := auto.Must(kernel.Inst(specPower(m, varX, p.e), map[Term]Term{varX: x}))
	value, pow := p.value(x), spec.Pow(m, x, logic.IntConst(p.e))
	facts := []auto.Lin{powers[r], lin(law, pow, of(p.e), logic.N(-1))}
	if value != pow {
		facts = append(facts, auto.Lin{Th: auto.Must(kernel.Unfold(value)), L: value, R: pow, By: logic.N(-1)})
	}
	return []Theorem{auto.Congruent(f.Residue(r), value, m, facts...)}
}
