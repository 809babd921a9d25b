// Package mont proves the functions of impl/mont against the contracts of spec/mont. The proofs know neither the target
// nor the modulus: they read off the code's words what they need.
package mont

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	impl "verum.example/internal/impl/mont"
	"verum.example/internal/proof/auto"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

type (
	// Term and Theorem as in package auto.
	Term    = logic.Term
	Theorem = kernel.Theorem
)

// field is what the proofs know of the modulus, and where the code's words are at its marks.
type field struct {
	m     *big.Int
	n     int
	marks map[string]impl.Marked
}

func ones(k int) *big.Int { x := auto.Pow2(k); return x.Sub(x, big.NewInt(1)) }

func (f *field) mMinus1() *big.Int { return new(big.Int).Sub(f.m, big.NewInt(1)) }
func (f *field) mTerm() Term       { return logic.IntConst(f.m) }
func (f *field) r(k int) *big.Int  { return auto.Pow2(64 * k) }
func (f *field) below(t Term) Term { return logic.Lt(t, f.mTerm()) }
func assume(t Term) Theorem        { return auto.Must(kernel.Assume(t)) }
func scan(s, prefix string, i *int) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return false
	}
	n, err := strconv.Atoi(rest)
	*i = n
	return err == nil
}

func locs(v machine.View, ls []machine.Loc) []Term {
	ts := make([]Term, len(ls))
	for i, l := range ls {
		ts[i] = v.Loc(l)
	}
	return ts
}

// Verify proves one operation of a field on a target: op is the name of a field of spec.Field, such as "Mul".
func Verify(f *spec.Field, op string, t machine.Target, variant string) (machine.Verified, error) {
	p, pr, err := Program(f, op, t, variant)
	if err != nil {
		return machine.Verified{}, err
	}
	return machine.Verify(p, pr)
}

// Program is what Verify verifies: the code and its proof.
func Program(f *spec.Field, op string, t machine.Target, variant string) (machine.Program, machine.Prover, error) {
	gen, ok := operations[op]
	if !ok {
		return machine.Program{}, nil, fmt.Errorf("there is no operation %s", op)
	}
	r, err := gen.code(t, variant, f.M)
	if err != nil {
		return machine.Program{}, nil, err
	}
	p, pr := program(f, op, gen.contract(f), t, variant, r)
	return p, pr, nil
}

// program puts code, contract and proof of an operation together.
func program(f *spec.Field, op string, c machine.Contract, t machine.Target, variant string, r impl.Routine) (
	machine.Program, machine.Prover) {
	pr := &prover{op: op, target: t, requires: c.Patterns()[0].Requires(), inputs: inputs(c), field: field{m: new(big.Int).Set(f.M), n: f.Words, marks: r.Marks}}
	return machine.Program{
		Target: t, Variant: variant, Features: r.Features, Contract: c, Frame: r.Frame, Tables: r.Tables, Code: r.Code,
	}, pr
}

func inputs(c machine.Contract) (names []string) {
	for _, p := range c.Params() {
		if p.Mode.Reads() {
			names = append(names, p.Name)
		}
	}
	return names
}

// Operations lists the names of the operations.
func Operations() []string {
	var names []string
	for n := range operations {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

type operation struct {
	code     func(machine.Target, string, *big.Int) (impl.Routine, error)
	contract func(*spec.Field) machine.Contract
	prove    func(*prover, machine.Goal) []Theorem // theorems for the goals after the code
}

var operations map[string]operation

func init() {
	operations = map[string]operation{
		"Mul":       {impl.Mul, func(f *spec.Field) machine.Contract { return f.Mul }, (*prover).mul},
		"Sqr":       {impl.Sqr, func(f *spec.Field) machine.Contract { return f.Sqr }, (*prover).mul},
		"ToMont":    {impl.ToMont, func(f *spec.Field) machine.Contract { return f.ToMont }, (*prover).mul},
		"FromMont":  {impl.FromMont, func(f *spec.Field) machine.Contract { return f.FromMont }, (*prover).mul},
		"Add":       {impl.Add, func(f *spec.Field) machine.Contract { return f.Add }, (*prover).linear},
		"Sub":       {impl.Sub, func(f *spec.Field) machine.Contract { return f.Sub }, (*prover).linear},
		"Neg":       {impl.Neg, func(f *spec.Field) machine.Contract { return f.Neg }, (*prover).linear},
		"Half":      {impl.Half, func(f *spec.Field) machine.Contract { return f.Half }, (*prover).linear},
		"FromBytes": {impl.FromBytes, func(f *spec.Field) machine.Contract { return f.FromBytes }, (*prover).fromBytes},
		"ToBytes":   {impl.ToBytes, func(f *spec.Field) machine.Contract { return f.ToBytes }, (*prover).toBytes},
		"CMov":      {impl.CMov, func(f *spec.Field) machine.Contract { return f.CMov }, (*prover).cmov},
		"CNeg":      {impl.CNeg, func(f *spec.Field) machine.Contract { return f.CNeg }, (*prover).cneg},
		"Select":    {impl.Select, func(f *spec.Field) machine.Contract { return f.Select }, (*prover).scan},
	}
}

// prover is the proof of one operation. It proves the goals of the first alias pattern; those of the others are
// instances, when the code computes the same there, and are proved anew only when they are not.
type prover struct {
	machine.NoProof
	field
	op     string
	inputs []string     // parameters that are read
	view   machine.View // at the start of this run
	p      *product
	marked []mark // marks that have been passed but not followed yet

	target   machine.Target
	requires []Term // of the first pattern
	rows     bool   // the multiplier is used digit by digit
	digits   []Term // quotient digits that have been noted
	notes    []note

	first []Theorem         // of the first pattern
	vars  map[string][]Term // contents of its inputs
}

type mark struct {
	name string
	view machine.View
}

// Begin starts a run.
func (pr *prover) Begin(v machine.View) error {
	pr.view, pr.marked = v, nil
	if pr.vars == nil {
		pr.vars = map[string][]Term{}
		for _, n := range pr.inputs {
			pr.vars[n] = v.Before(n)
		}
	}
	pr.p = &product{field: pr.field, tele: auto.NewTelescope()}
	p := pr.p
	switch pr.op {
	case "Mul":
		p.a, p.b = v.Before("a"), v.Before("b")
	case "Sqr":
		p.a = v.Before("a")
		p.b = p.a
	case "ToMont":
		p.a = v.Before("a")
		rr := new(big.Int).Mod(new(big.Int).Mul(p.r(p.n), p.r(p.n)), p.m)
		for j := range p.n {
			p.b = append(p.b, logic.BVConst(64, new(big.Int).Rsh(rr, uint(64*j))))
		}
	case "FromMont":
		p.a = v.Before("a")
		A := auto.Word(p.a...)
		_, hi, _, max := auto.Bounds(A)
		p.start(p.a, A, A, auto.True(), hi, max)
	}
	if p.b != nil {
		if c := p.below(auto.Word(p.b...)); c != logic.True() {
			p.hyp = assume(c)
		} else {
			p.hyp = auto.True()
		}
	}
	return nil
}

// Mark notes a mark of the code.
func (pr *prover) Mark(name string, v machine.View) error {
	pr.marked = append(pr.marked, mark{name, v})
	return nil
}

// Prove proves an obligation.
func (pr *prover) Prove(g machine.Goal) (Theorem, error) {
	if pr.view.Aliased() != nil {
		if th, ok := pr.instance(g); ok {
			return th, nil
		}
	}
	for _, m := range pr.marked {
		if err := pr.p.mark(m.name, m.view); err != nil {
			return Theorem{}, err
		}
		pr.note(m.name)
	}
	pr.marked = nil
	if th, ok := find(pr.first, g.Concl); ok {
		return th, nil
	}
	ths := operations[pr.op].prove(pr, g)
	pr.first = append(pr.first, ths...)
	if th, ok := find(ths, g.Concl); ok {
		return th, nil
	}
	return Theorem{}, fmt.Errorf("the proof of %s has %d theorems, none of them the goal", pr.op, len(ths))
}

func find(ths []Theorem, c Term) (Theorem, bool) {
	for _, th := range ths {
		if th.Concl() == c {
			return th, true
		}
	}
	return Theorem{}, false
}

// instance finds the goal among the first pattern's theorems with this run's inputs put in.
func (pr *prover) instance(g machine.Goal) (Theorem, bool) {
	sigma := map[Term]Term{}
	for n, vs := range pr.vars {
		for i, v := range pr.view.Before(n) {
			sigma[vs[i]] = v
		}
	}
	s := logic.NewSubst(sigma)
	for _, th := range pr.first {
		if s.Apply(th.Concl()) == g.Concl {
			r, err := kernel.Inst(th, sigma)
			return r, err == nil
		}
	}
	return Theorem{}, false
}

// out is the value of the words of the result r.
func (pr *prover) out(v machine.View) Term {
	ws := make([]Term, pr.n)
	for j := range ws {
		ws[j] = v.Mem("r", 8*j, 8)
	}
	return auto.Word(ws...)
}

// mul proves the goals of a Montgomery product: out ≤ m−1, and R·out ≡ A·B, where R·V = A·B + Q·m and out is V or V − m.
// For ToMont, where B = R² mod m, R·out ≡ A·B times R⁻¹ is out ≡ R·A.
func (pr *prover) mul(g machine.Goal) []Theorem {
	p := pr.p
	if p.shift != p.n {
		panic(fmt.Errorf("%d of %d reductions were seen", p.shift, p.n))
	}
	out, R, A := pr.out(g.View), p.r(p.n), auto.Word(p.a...)
	left, right, factor := auto.Scale(R, out), A, big.NewInt(1)
	switch {
	case pr.op == "ToMont":
		left, right = out, auto.Scale(R, A)
		factor.ModInverse(R, p.m)
	case p.b != nil:
		right = logic.Mul(A, auto.Word(p.b...))
	}
	return p.finish(out, []Term{p.below(out), logic.Cong(left, right, p.mTerm())}, func(k kase) Theorem {
		return auto.Congruent(left, right, p.mTerm(),
			auto.Lin{Th: k.eq, L: out, R: k.x, By: logic.IntConst(new(big.Int).Mul(R, factor))},
			auto.Lin{Th: p.eq, L: auto.Scale(R, p.v), R: p.sum, By: logic.IntConst(factor)})
	})
}
