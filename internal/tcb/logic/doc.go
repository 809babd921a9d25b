// Package logic is the language of Verum's theorems: sorts, hash-consed terms, definitions and the evaluator.
//
// It is quantifier-free first-order logic with total functions. A term's meaning under an assignment of values to its
// variables is what Eval computes; there are no other semantics. Variables are global, identified by name and sort
// (or, for those made by Fresh, by identity), and a theorem is read as true for all their values.
//
// # Handles
//
// Term, Sort, Def and Table are structs with one unexported pointer. They are compared with ==, which is structural
// equality, and cannot be modified: no slice, map or *big.Int crosses this package's boundary uncopied, in either
// direction. The zero Term is no term. A constructor applied to something ill-formed (a wrong sort or width, a zero
// or stale handle) yields an invalid term, which carries the error (Term.Err), survives every further constructor
// and is refused by every kernel rule.
//
// # Normal forms
//
// Int terms are sums of monomials over atoms with integer coefficients. Every comparison is 0 ≤ p (Ge0), every Int
// equation p = 0 (Eq0) with a canonical sign, every congruence m | p (Cong), and Not(0 ≤ p) is 0 ≤ −p−1: integers
// are discrete, and facts meet by pointer however they were written. Bit-vector terms are normalised by the folds
// listed at each constructor; they are trusted, and each is fuzzed against math/big in fold_test.go.
//
// # Generations
//
// There is one store. NewGeneration opens a generation: terms made until it is dropped belong to it, and Drop gives
// their memory back at once. A handle of a dropped generation is stale and refused. Variables and terms made outside
// a generation are permanent. Soundness doesn't depend on the refusal: no rule takes "two distinct pointers" for
// "two distinct meanings" except on variables, which are never dropped, and on constants, which are compared by
// value.
package logic
