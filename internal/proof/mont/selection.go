package mont

import (
	"math/big"

	"verum.example/internal/proof/auto"
)

// Selection is a computation without branches of n words that selects by carries, for other proofs: see engine.
type Selection struct {
	Tele       *auto.Telescope
	M          *big.Int // the modulus
	Words      int
	Scale      int64     // Scale·out is one of the candidates
	Candidates []Term    // over the leaves
	Facts      []Theorem // inequalities that bound them
}

// Case is a case in which the result is known.
type Case struct {
	Eq    Theorem // Scale·out = X, under the hypotheses of the case
	X     Term
	Facts []Theorem // inequalities of the case
}

// Prove proves the goals in each case with the given functions, and puts the cases together. With below, the first goal
// is out ≤ M−1, for which there is no function.
func (s Selection) Prove(below bool, out Term, goals []Term, fs ...func(Case) Theorem) []Theorem {
	e := engine{tele: s.Tele, m: s.M, n: s.Words, scale: s.Scale, candidates: s.Candidates, facts: s.Facts, free: !below}
	var inner []func(kase) Theorem
	for _, f := range fs {
		inner = append(inner, func(k kase) Theorem { return f(Case{k.eq, k.x, k.facts}) })
	}
	return e.prove(out, goals, inner...)
}

// Absorb proves x = e for words x of n bits and a value e ≥ 0 that is below 2ⁿ, by the facts and the ranges of words, when
// telescoping gives x = e + 2ⁿ·k: dropped carries are zero.
func Absorb(t *auto.Telescope, x, e Term, n int, facts ...Theorem) Theorem {
	return absorb(t, x, e, n, facts...)
}

// EvenSum tells the telescope that x + m is even where x, whose low word is x0, and m are odd.
func EvenSum(t *auto.Telescope, x0 Term, m *big.Int) { evenSum(t, x0, m) }
