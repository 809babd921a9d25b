package weierstrass

import (
	"fmt"
	"slices"
	"sync"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/opt"
	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// fusedProgram is the code of a fused operation and its proof, for a field that there is fused code for.
func (c *Curve) fusedProgram(k Key, op string, contract machine.Contract) (machine.Program, machine.Prover, error) {
	f, err := impl.FusedCode(k.Target, k.Variant, op, c.Field.M())
	if err != nil {
		return machine.Program{}, nil, err
	}
	if tmp := contract.Params()[len(contract.Params())-1]; f.Tmp > tmp.Bytes {
		return machine.Program{}, nil, fmt.Errorf("proof/weierstrass: %s needs %d bytes, and has %d", contract.Name(), f.Tmp, tmp.Bytes)
	}
	p := machine.Program{Target: k.Target, Variant: k.Variant, Features: f.Features, Contract: contract, Code: f.Block}
	pr := &fusedProof{c: c, target: k.Target, op: op, prog: f.Prog}
	pr.blocks = sync.OnceValue(func() *provedBlocks { return newBlocks(f.Prog, c.Field.M(), c.Field.Words()).all() })
	return p, pr, nil
}

// fusedProof is the proof of a fused operation. Finished code leaves the terms in memory that its program makes in
// source order; so what is proved of the program's blocks, over variables, holds of the words of the run. As in a Trace,
// the elements then become variables themselves.
type fusedProof struct {
	machine.NoProof
	goals
	c      *Curve
	target machine.Target
	op     string
	prog   *opt.Prog
	blocks func() *provedBlocks
	done   bool

	// Of a run.
	x     *opt.Values
	tr    *Trace
	known map[Term]Theorem // what holds of the words, by conclusion
}

// provedBlocks are the theorems of all blocks; of one they are from at[name] on.
type provedBlocks struct {
	s   *blocks
	ths []Theorem
}

func (s *blocks) all() *provedBlocks {
	p := &provedBlocks{s: s}
	for _, b := range s.prove() {
		p.ths = append(p.ths, b.ths...)
	}
	return p
}

// Begin starts a run.
func (p *fusedProof) Begin(machine.View) error {
	p.forget()
	p.done = false
	return nil
}

// Prove proves what is required on return.
func (p *fusedProof) Prove(g machine.Goal) (th Theorem, err error) {
	if !p.done {
		if err := auto.Run(func() { p.run(g.View) }); err != nil {
			return Theorem{}, err
		}
		p.done = true
	}
	if th, ok := p.known[g.Concl]; ok && !slices.Contains(g.Hyps, g.Concl) {
		err := auto.Run(func() { th = p.resolved(th) })
		return th, err
	}
	return p.find(g, p.op)
}

// run proves that r is the sum.
func (p *fusedProof) run(v machine.View) {
	input := func(m opt.Mem) Term { return v.Before(p.prog.Params[m.Param])[m.Off/8] }
	var err error
	if p.x, err = p.prog.Eval(input); err != nil {
		panic(err)
	}
	b := p.blocks()
	sigma := map[Term]Term{}
	for i := range p.prog.NumValues() {
		if m, ok := p.prog.InputOf(opt.V(i)); ok {
			sigma[b.s.input(m)] = input(m)
		}
	}
	for v, x := range b.s.vars {
		if t := p.x.V[v]; !t.IsZero() {
			sigma[x] = t
		}
	}
	ths, err := kernel.InstAll(b.ths, sigma)
	if err != nil {
		panic(err)
	}
	p.known = map[Term]Theorem{}
	for _, th := range ths {
		p.known[th.Concl()] = th
	}
	p.tr = NewTrace(p.target, nil)
	p.tr.Begin(v)
	for _, b := range p.prog.Blocks {
		p.step(b)
	}
	for _, th := range p.result(v) {
		p.know(p.resolved(p.tr.Close(th)))
	}
}

// resolved cuts the hypotheses that hold of the words of the run.
func (p *fusedProof) resolved(th Theorem) Theorem {
	for _, h := range th.Hyps() {
		if known, ok := p.known[h]; ok {
			r := p.resolved(known)
			p.known[h] = r
			th = Cut(th, h, r)
		}
	}
	return th
}

// element is the variable for the number that words are.
func (p *fusedProof) element(vs []opt.V) Term { return p.tr.Var(auto.Word(p.x.Of(vs)...)) }

// result of a block, by name.
func (p *fusedProof) of(name string) Term {
	b, ok := p.prog.Block(name)
	if !ok {
		panic(fmt.Errorf("%s has no block %s", p.op, name))
	}
	return p.element(b.Out)
}

// step says what a block ensures: see blocks.
func (p *fusedProof) step(b opt.Block) {
	f := p.c.Field
	s := Step{Op: impl.Op{Field: &impl.Field{Name: f.Name(), M: f.M(), Words: f.Words()}}}
	s.field = fieldOf(s.Op.Field)
	if b.Kind == "store" || b.Kind == "any" || b.Kind == "choose" {
		return
	}
	O := p.element(b.Out)
	var in []Term
	for _, vs := range b.In {
		in = append(in, p.element(vs))
	}
	R := s.field.r
	exact := false
	switch s.Dst, s.l, s.r = O, O, in[0]; b.Kind {
	case "product":
		s.r, exact = logic.Mul(in[0], in[1]), true
	case "square":
		s.r, exact = logic.Mul(in[0], in[0]), true
	case "reduce", "relax":
		s.l = logic.Mul(R, O)
	case "full":
	case "add":
		s.r = logic.Add(in[0], in[1])
	case "sub", "difference", "combine":
		for _, x := range in[1:] {
			s.r = logic.Sub(s.r, x)
		}
	case "half":
		s.l = logic.Mul(logic.N(2), O)
	default:
		panic(fmt.Errorf("a block %s", b.Kind))
	}
	fact := logic.Cong(s.l, s.r, s.field.m)
	if exact {
		fact = logic.Eq(s.l, s.r)
	}
	s.Facts = []Theorem{{}, assume(fact)}
	p.tr.Steps = append(p.tr.Steps, s)
}

// result proves that r is the sum, over the trace's variables.
func (p *fusedProof) result(v machine.View) []Theorem {
	var s *sum
	switch p.op {
	case "double":
		return p.c.doubled(p.tr, v, p.of("m.add"))
	case "add":
		s = p.c.addition(p.tr, v, chordTerms{u: p.of("u1.full"), s: p.of("s1.full"), h: p.of("h.sub"), r: p.of("t.sub")})
	case "addAffine":
		s = p.c.additionAffine(p.tr, v, chordTerms{h: p.of("h.sub"), r: p.of("t.sub")})
	default:
		panic(fmt.Errorf("there is no proof of %s", p.op))
	}
	s.pick = func(x Term, aYes, bYes bool) (Term, Theorem) { return p.pick(s, x, aYes, bYes) }
	return []Theorem{s.prove()}
}

// pick is what the coordinate x is under the conditions, by the block that chooses it.
func (p *fusedProof) pick(s *sum, x Term, aYes, bYes bool) (Term, Theorem) {
	i := slices.IndexFunc(p.prog.Blocks, func(b opt.Block) bool { return b.Kind == "choose" && p.element(b.Out) == x })
	if i < 0 {
		panic(fmt.Errorf("no block chooses %v", x))
	}
	in := p.prog.Blocks[i].In
	zero := logic.N(0)
	y := p.element(in[4])
	aWord, bWord := logic.Eq(p.element(in[0]), zero), logic.Eq(p.element(in[1]), zero)
	all := logic.Ite(bWord, p.element(in[2]), logic.Ite(aWord, p.element(in[3]), y))
	decide := func(word, isO Term, yes bool) kernel.Equation {
		if !yes {
			isO = logic.Not(isO)
			return truth(taut(logic.Not(word), assume(logic.Iff(word, isO.Arg(0))), assume(isO)), word)
		}
		return truth(taut(word, assume(logic.Iff(word, isO)), assume(isO)), word)
	}
	switch {
	case bYes:
		y = p.element(in[2])
	case aYes:
		y = p.element(in[3])
	}
	eqs := []kernel.Equation{decide(bWord, s.bIsO, bYes)}
	if !bYes {
		eqs = append(eqs, decide(aWord, s.aIsO, aYes))
	}
	return y, auto.Must(kernel.Rewrite(assume(logic.Eq(x, all)), eqs...))
}
