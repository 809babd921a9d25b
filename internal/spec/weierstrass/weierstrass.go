// Package weierstrass specifies elliptic curves y² = x³ + ax + b over a prime field F_p, p > 3, in the logic: the affine
// group law, multiples of a point, and points as octet strings. It follows SEC 1 version 2.0 (2009); the curves are in
// curves.go.
//
// Field elements are Ints from 0 to p−1. The parameters p, a, b are arguments of every definition, so that a theorem
// about the group law is proved once, with p, a, b variables. All definitions are total; what they mean outside the
// domain stated in their comments follows from the conventions of package logic and concerns nobody.
//
// A point is a tuple (infinity: Bool, x: Int, y: Int), made by Infinity and Affine. The point at infinity O is
// (true, 0, 0) only, and coordinates are least residues (OnCurve demands both): two points of a curve are the same just
// if their tuples are equal. The flag is a Bool and not some reserved coordinate because there is none that a proof with
// p, a, b symbolic could use: (0, 0) is an affine point where b = 0.
//
// Every definition can be evaluated, up to the sizes of the curves of this package. For the sake of it there are two
// definitions of a multiple: SMul, which says what it is, and Mul, which doubles and adds. They are to be proved equal.
package weierstrass

import (
	"fmt"

	"verum.example/internal/tcb/logic"
)

// maxBits is the size of the largest field and group order here, those of P-521: how long Mul goes on.
const maxBits = 521

var (
	zero  = logic.N(0)
	one   = logic.N(1)
	two   = logic.N(2)
	three = logic.N(3)
	four  = logic.N(4)
)

// PointSort is the sort of points.
func PointSort() logic.Sort { return logic.TupleOf(logic.Bool(), logic.Int(), logic.Int()) }

// Infinity is the point at infinity, O.
func Infinity() logic.Term { return logic.MkTuple(logic.True(), zero, zero) }

// Affine is the point (x, y).
func Affine(x, y logic.Term) logic.Term { return logic.MkTuple(logic.False(), x, y) }

// IsInfinity says that P = O.
func IsInfinity(P logic.Term) logic.Term { return logic.Proj(0, P) }

// X is the first coordinate of P, 0 for O.
func X(P logic.Term) logic.Term { return logic.Proj(1, P) }

// Y is the second coordinate of P, 0 for O.
func Y(P logic.Term) logic.Term { return logic.Proj(2, P) }

// Parameters of the definitions.
var (
	p, a, b    = integer("p"), integer("a"), integer("b")
	x, k, w, e = integer("x"), integer("k"), integer("w"), integer("e")
	slope      = integer("slope")
	pP, pQ     = logic.Var("P", PointSort()), logic.Var("Q", PointSort())
)

func integer(name string) logic.Term { return logic.Var(name, logic.Int()) }

// must ends the process if a definition is refused, as it would be if somebody had taken its name.
func must(d logic.Def, err error) logic.Def {
	if err != nil {
		panic(fmt.Sprintf("spec/weierstrass: %v", err))
	}
	return d
}

func define(name string, params []logic.Term, body logic.Term) logic.Def {
	return must(logic.Define("weierstrass."+name, params, body))
}

type terms = []logic.Term

// Pow is xᵏ mod m, for m ≥ 1 and k ≥ 0.
func Pow(m, x, k logic.Term) logic.Term { return logic.Expmod(x, k, m) }

var inv = define("inv", terms{p, x}, Pow(p, x, logic.Sub(p, two)))

// Inv is the inverse of x modulo p for a prime p > 2: x^(p−2) mod p, by Fermat's little theorem the y with
// xy ≡ 1 (mod p) unless p divides x, and then 0. This definition, and not an extended Euclidean algorithm, is the one
// whose properties need nothing but that theorem.
func Inv(p, x logic.Term) logic.Term { return inv.App(p, x) }

// rhs is x³ + ax + b.
func rhs(a, b, x logic.Term) logic.Term {
	return logic.Add(logic.Mul(x, x, x), logic.Mul(a, x), b)
}

// isElement: x is a field element.
func isElement(p, x logic.Term) logic.Term { return logic.And(logic.Le(zero, x), logic.Lt(x, p)) }

var onCurve = define("onCurve", terms{p, a, b, pP}, logic.Ite(IsInfinity(pP),
	logic.Eq(pP, Infinity()),
	logic.And(isElement(p, X(pP)), isElement(p, Y(pP)),
		logic.Cong(logic.Mul(Y(pP), Y(pP)), rhs(a, b, X(pP)), p))))

// OnCurve says that P is a point of the curve E(F_p): y² = x³ + ax + b, SEC 1 §2.2.1. O is one.
func OnCurve(p, a, b, P logic.Term) logic.Term { return onCurve.App(p, a, b, P) }

var neg = define("neg", terms{p, pP}, logic.Ite(IsInfinity(pP), pP, Affine(X(pP), logic.Mod(logic.Neg(Y(pP)), p))))

// Neg is −P: −(x, y) = (x, −y), SEC 1 §2.2.1.
func Neg(p, P logic.Term) logic.Term { return neg.App(p, P) }

var third = define("third", terms{p, slope, pP, pQ}, func() logic.Term {
	x := logic.Mod(logic.Sub(logic.Mul(slope, slope), logic.Add(X(pP), X(pQ))), p)
	y := logic.Mod(logic.Sub(logic.Mul(slope, logic.Sub(X(pP), x)), Y(pP)), p)
	return Affine(x, y)
}())

// Third is the inverse of the third intersection of the curve with the line of the given slope λ through P and Q, which
// are affine: x = λ² − x_P − x_Q, y = λ(x_P − x) − y_P. SEC 1 §2.2.1, rules 4 and 5.
func Third(p, slope, P, Q logic.Term) logic.Term { return third.App(p, slope, P, Q) }

var add = define("add", terms{p, a, pP, pQ}, func() logic.Term {
	chord := logic.Mod(logic.Mul(logic.Sub(Y(pQ), Y(pP)), Inv(p, logic.Sub(X(pQ), X(pP)))), p)
	tangent := logic.Mod(logic.Mul(logic.Add(logic.Mul(three, X(pP), X(pP)), a), Inv(p, logic.Mul(two, Y(pP)))), p)
	return logic.Ite(IsInfinity(pP), pQ,
		logic.Ite(IsInfinity(pQ), pP,
			logic.Ite(logic.Not(logic.Eq(X(pP), X(pQ))), Third(p, chord, pP, pQ),
				logic.Ite(logic.Cong(logic.Add(Y(pP), Y(pQ)), zero, p), Infinity(),
					Third(p, tangent, pP, pQ)))))
}())

// Add is P + Q for points of the curve, SEC 1 §2.2.1:
//
//	O + Q = Q, P + O = P                                         rules 1 and 2
//	(x, y) + (x, −y) = O                                         rule 3
//	chord: λ = (y_Q − y_P)/(x_Q − x_P) for x_P ≠ x_Q              rule 4
//	tangent: λ = (3x_P² + a)/2y_P for P = Q, y_P ≠ 0              rule 5
//
// On the curve, x_P = x_Q leaves y_P = ±y_Q only: what isn't rule 3 is rule 5.
func Add(p, a, P, Q logic.Term) logic.Term { return add.App(p, a, P, Q) }

var smul = func() logic.Def {
	rec := logic.Var("rec", PointSort())
	return must(logic.DefineRec("weierstrass.smul", k, rec, terms{p, a, pP}, Infinity(), Add(p, a, rec, pP)))
}()

// SMul is the multiple [k]P, k ≥ 0: [0]P = O, [k+1]P = [k]P + P. SEC 1 §2.2.1. It is O for k < 0.
func SMul(k, p, a, P logic.Term) logic.Term { return smul.App(k, p, a, P) }

// multiples: after i rounds of double and add, the state (R, S, j) has R + [j]S = [k]P, where j = ⌊k/2ⁱ⌋:
//
//	multiples(0, k, p, a, P)   = (O, P, k)
//	multiples(i+1, k, p, a, P) = (R, S, 0)                                  for j = 0
//	                             (R + [c]S, S + S, ⌊j/2⌋), c = j mod 2      otherwise
var multiples = func() logic.Def {
	state := logic.Var("state", logic.TupleOf(PointSort(), PointSort(), logic.Int()))
	r, s, j := logic.Proj(0, state), logic.Proj(1, state), logic.Proj(2, state)
	even := logic.Eq(logic.Mod(j, two), zero)
	return must(logic.DefineRec("weierstrass.multiples", integer("i"), state, terms{k, p, a, pP},
		logic.MkTuple(Infinity(), pP, k),
		logic.Ite(logic.Eq(j, zero), state, logic.MkTuple(
			logic.Ite(even, r, Add(p, a, r, s)),
			Add(p, a, s, s),
			logic.Div(j, two)))))
}()

var mul = define("mul", terms{k, p, a, pP}, logic.Proj(0, multiples.App(logic.N(maxBits), k, p, a, pP)))

// Mul is the multiple [k]P for 0 ≤ k < 2⁵²¹, by doubling and adding: SMul in a form that can be evaluated.
func Mul(k, p, a, P logic.Term) logic.Term { return mul.App(k, p, a, P) }

// Multiples is the state of Mul after i rounds.
func Multiples(i, k, p, a, P logic.Term) logic.Term { return multiples.App(i, k, p, a, P) }
