package weierstrass

import (
	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	spec "verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// scalarSteps puts code and proof of a routine for scalars together. It calls the routine that inverts.
func (s *Signatures) scalarSteps(k Key, gen func(f *impl.Field, inverse machine.Verified) (impl.Code, error),
	finish func(*Trace, machine.View) []Theorem) (machine.Program, machine.Prover, error) {
	n := s.c.Scalars
	f, err := n.Verified(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	inverse, err := n.Inverse(k.Target, k.Variant)
	if err != nil {
		return machine.Program{}, nil, err
	}
	code, err := gen(f, inverse)
	return code.Program, NewSteps(n, code, finish), err
}

func (s *Signatures) signatureProgram(k Key) (machine.Program, machine.Prover, error) {
	return s.scalarSteps(k, func(f *impl.Field, inverse machine.Verified) (impl.Code, error) {
		return impl.NewSignature(k.Target, k.Variant, s.signature.contract, f, inverse)
	}, s.proveSignature)
}

func (s *Signatures) verifiersProgram(k Key) (machine.Program, machine.Prover, error) {
	return s.scalarSteps(k, func(f *impl.Field, inverse machine.Verified) (impl.Code, error) {
		return impl.NewVerifiers(k.Target, k.Variant, s.verifiers.contract, f, inverse)
	}, s.proveVerifiers)
}

// isMod is y = t mod m, from y ≡ t (mod m), 0 ≤ y and y < m, as the first two of these hypotheses are facts of a trace.
func (f *Field) isMod(tr *Trace, y, t Term, cong Theorem) Theorem {
	m := f.P()
	r := logic.Mod(t, m)
	lo, hi, err := kernel.ModRange(t, m, auto.True())
	auto.Must(lo, err)
	split := lin(auto.Must(kernel.DivMod(t, m)), t, logic.Add(logic.Mul(m, logic.Div(t, m)), r), logic.N(1))
	same := auto.Congruent(y, r, m, lin(cong, y, t, logic.N(1)), split)
	return taut(logic.Eq(y, r), number.Use(number.Same(m, y, r), same, lo, hi, assume(logic.Ge0(y)), tr.Range(f, y)))
}

// inverseOf is i ≡ R/k, that is R⁻¹·i ≡ Inv(k), for what the routine Inv has made of the result of the first step, ToMont
// of k.
func (f *Field) inverseOf(tr *Trace, i, k Term) auto.Lin {
	n, u := f.P(), f.Residue(tr.Steps[0].Dst)
	res, inv := f.Residue(i), spec.Inv(n, u)
	th := assume(logic.Cong(res, inv, n))
	same := number.Use(number.InvCong(n, u, k), tr.Congruent(f, u, k)) // Inv(u) = Inv(k)
	th = auto.Must(kernel.Rewrite(th, auto.Rewritten(same, inv, spec.Inv(n, k))))
	return lin(th, res, spec.Inv(n, k), logic.N(1))
}

// proveSignature proves r = x mod n, s = (e + r·d)/k mod n.
func (s *Signatures) proveSignature(tr *Trace, v machine.View) []Theorem {
	f := s.c.Scalars
	input := func(name string) Term { return tr.Var(auto.Word(v.Before(name)...)) }
	x, d, k, e := input("x"), input("d"), input("k"), input("e")
	rs := s.c.coordinates(tr, v, "rs", 2)
	isR := f.isMod(tr, rs[0], x, tr.Congruent(f, rs[0], x))
	i := tr.Steps[3].Src[1]
	inv := f.inverseOf(tr, i, k)
	sum := logic.Add(e, logic.Mul(rs[0], d))
	by, of := logic.Mul(inv.L, sum), logic.Mul(inv.R, sum)
	inv.By = sum
	isS := f.isMod(tr, rs[1], of, auto.Congruent(rs[1], of, f.P(), lin(tr.Congruent(f, rs[1], by), rs[1], by, logic.N(1)), inv))
	// with x mod n in place of r
	r := logic.Mod(x, f.P())
	sum = logic.Add(e, logic.Mul(r, d))
	goal := logic.Eq(rs[1], logic.Mod(logic.Mul(inv.R, sum), f.P()))
	at := logic.Fresh("r", logic.Int())
	p := logic.Replace(isS.Concl(), map[Term]Term{rs[0]: at})
	isS = auto.Must(kernel.Leibniz(isR, rs[0], r, isS, p, at))
	return []Theorem{isR, taut(goal, isS)}
}

// proveVerifiers proves u = e/s mod n, v = r/s mod n.
func (s *Signatures) proveVerifiers(tr *Trace, v machine.View) []Theorem {
	f := s.c.Scalars
	input := func(name string) Term { return tr.Var(auto.Word(v.Before(name)...)) }
	inv := f.inverseOf(tr, tr.Steps[1].Src[1], input("s"))
	var ths []Theorem
	for j, name := range []string{"e", "r"} {
		x, y := input(name), s.c.coordinates(tr, v, "uv", 2)[j]
		by, of := logic.Mul(x, inv.L), logic.Mul(x, inv.R)
		inv.By = x
		ths = append(ths, f.isMod(tr, y, of, auto.Congruent(y, of, f.P(), lin(tr.Congruent(f, y, by), y, by, logic.N(1)), inv)))
	}
	return ths
}
