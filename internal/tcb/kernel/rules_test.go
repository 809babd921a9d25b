package kernel

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/tcb/logic"
)

// The variables of the tables.
var (
	x, y, z, n = logic.Var("x", logic.Int()), logic.Var("y", logic.Int()), logic.Var("z", logic.Int()), logic.Var("n", logic.Int())
	u, v, c, m = logic.Var("u", logic.Int()), logic.Var("v", logic.Int()), logic.Var("c", logic.Int()), logic.Var("m", logic.Int())
	p, q, r    = logic.Var("p", logic.Bool()), logic.Var("q", logic.Bool()), logic.Var("r", logic.Bool())
	a8, b8, c8 = logic.Var("a", logic.BV(8)), logic.Var("b", logic.BV(8)), logic.Var("c", logic.BV(8))
	a16        = logic.Var("a", logic.BV(16))
	pair       = logic.Var("pair", pairSort)
)

type subst = map[logic.Term]logic.Term

func num(i int64) logic.Term     { return logic.N(i) }
func big64(i int64) *big.Int     { return big.NewInt(i) }
func byteConst(i int) logic.Term { return logic.BVUint(8, uint64(i)) }

// application is one use of a rule with premises of exactly the needed conclusions.
type application struct {
	rule     string
	name     string
	premises []logic.Term
	free     []int // premises whose conclusions may be anything: the result depends on them
	apply    func(ps []Theorem) ([]Theorem, error)
	want     []logic.Term
}

func single(th Theorem, err error) ([]Theorem, error) { return []Theorem{th}, err }
func double(a, b Theorem, err error) ([]Theorem, error) {
	return []Theorem{a, b}, err
}

var applications = []application{
	{
		rule: "Discharge", premises: []logic.Term{q}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Discharge(p, ps[0])) },
		want:  []logic.Term{logic.Imp(p, q)},
	}, {
		rule: "Taut", name: "modus ponens", premises: []logic.Term{logic.Imp(p, q), p},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(q, ps...)) },
		want:  []logic.Term{q},
	}, {
		rule: "Taut", name: "and", premises: []logic.Term{p, q},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(logic.And(q, p), ps...)) },
		want:  []logic.Term{logic.And(p, q)},
	}, {
		rule: "Taut", name: "conjuncts", premises: []logic.Term{logic.And(p, q), logic.And(r, logic.Ge0(x))},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(logic.And(q, logic.Ge0(x)), ps...)) },
		want:  []logic.Term{logic.And(logic.Ge0(x), q)},
	}, {
		rule: "Taut", name: "iff", premises: []logic.Term{logic.Iff(p, logic.Not(q)), logic.Iff(q, r), logic.Not(r)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(p, ps...)) },
		want:  []logic.Term{p},
	}, {
		rule: "Taut", name: "ite", premises: []logic.Term{logic.Ite(p, q, r), p},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(q, ps...)) },
		want:  []logic.Term{q},
	}, {
		rule: "Taut", name: "ite else", premises: []logic.Term{logic.Ite(p, q, r), logic.Not(p)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(r, ps...)) },
		want:  []logic.Term{r},
	}, {
		rule: "Taut", name: "integer negation", premises: []logic.Term{logic.Imp(logic.Le(x, y), p), logic.Imp(logic.Lt(y, x), p)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(p, ps...)) },
		want:  []logic.Term{p},
	}, {
		rule: "Taut", name: "contradiction", premises: []logic.Term{logic.Le(x, y), logic.Lt(y, x)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Taut(logic.False(), ps...)) },
		want:  []logic.Term{logic.False()},
	}, {
		rule: "Taut", name: "excluded middle",
		apply: func([]Theorem) ([]Theorem, error) { return single(Taut(logic.Or(p, logic.Not(p)))) },
		want:  []logic.Term{logic.Or(p, logic.Not(p))},
	}, {
		rule: "Taut", name: "true",
		apply: func([]Theorem) ([]Theorem, error) { return single(Taut(logic.True())) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "Inst", name: "swap", premises: []logic.Term{logic.Le(x, y)}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Inst(ps[0], subst{x: y, y: x})) },
		want:  []logic.Term{logic.Le(y, x)},
	}, {
		rule: "Inst", name: "nothing", premises: []logic.Term{logic.Le(x, y)}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Inst(ps[0], nil)) },
		want:  []logic.Term{logic.Le(x, y)},
	}, {
		rule: "InstAll", premises: []logic.Term{logic.Le(x, y), logic.Eq(a8, b8)}, free: []int{0, 1},
		apply: func(ps []Theorem) ([]Theorem, error) {
			out, err := InstAll(ps, subst{x: logic.Uint(a8), a8: byteConst(3)})
			if err != nil && out != nil {
				return out, fmt.Errorf("%w and theorems", err)
			} else if err != nil {
				return []Theorem{{}}, err
			}
			return []Theorem{must(Taut(logic.And(out[0].Concl(), out[1].Concl()), out...))}, nil
		},
		want: []logic.Term{logic.And(logic.Le(logic.Uint(a8), y), logic.Eq(byteConst(3), b8))},
	}, {
		rule: "Leibniz", premises: []logic.Term{logic.Eq(x, logic.Mul(y, y)), logic.Le(logic.Add(x, x), z)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Leibniz(ps[0], x, logic.Mul(y, y), ps[1], logic.Le(logic.Add(v, x), z), v))
		},
		want: []logic.Term{logic.Le(logic.Add(logic.Mul(y, y), x), z)},
	}, {
		rule: "Leibniz", name: "the other way", premises: []logic.Term{logic.Eq(b8, a8), logic.Ult(a8, c8)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Leibniz(ps[0], a8, b8, ps[1], logic.Ult(b8, c8), b8))
		},
		want: []logic.Term{logic.Ult(b8, c8)},
	}, {
		rule: "Leibniz", name: "Bool", premises: []logic.Term{p, logic.Eq(logic.Ite(p, x, y), z)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Leibniz(ps[0], p, logic.True(), ps[1], logic.Eq(logic.Ite(q, x, y), z), q))
		},
		want: []logic.Term{logic.Eq(x, z)},
	}, {
		rule: "Rewrite", premises: []logic.Term{logic.Le(logic.Add(logic.Mul(logic.Uint(a8), logic.Uint(a8)), logic.Ite(p, x, y)), z), logic.Eq(logic.Uint(a8), logic.Add(u, v)), logic.Not(p)}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Rewrite(ps[0], Equation{ps[1], logic.Uint(a8), logic.Add(u, v)}, Equation{ps[2], p, logic.False()}))
		},
		want: []logic.Term{logic.Le(logic.Add(logic.Mul(logic.Add(u, v), logic.Add(u, v)), y), z)},
	}, {
		rule: "Rewrite", name: "simultaneous", premises: []logic.Term{logic.Le(x, y), logic.Eq(x, y)}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Rewrite(ps[0], Equation{ps[1], x, y}, Equation{ps[1], y, x}))
		},
		want: []logic.Term{logic.Le(y, x)},
	}, {
		rule: "RewriteTerm", premises: []logic.Term{logic.Eq(a8, b8)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(RewriteTerm(logic.BVMul(logic.BVNot(a8), c8), Equation{ps[0], a8, b8}))
		},
		want: []logic.Term{logic.Eq(logic.BVMul(logic.BVNot(a8), c8), logic.BVMul(logic.BVNot(b8), c8))},
	}, {
		rule: "Unfold", name: "plain",
		apply: func([]Theorem) ([]Theorem, error) { return single(Unfold(absd.App(y, x))) },
		want:  []logic.Term{logic.Eq(absd.App(y, x), logic.Ite(logic.Le(y, x), logic.Sub(x, y), logic.Sub(y, x)))},
	}, {
		rule: "Unfold", name: "recursive",
		apply: func([]Theorem) ([]Theorem, error) { return single(Unfold(tri.App(logic.Mul(x, y), defN))) },
		want: []logic.Term{logic.Eq(tri.App(logic.Mul(x, y), defN), logic.Ite(logic.Le(logic.Mul(x, y), num(0)), num(0),
			logic.Add(tri.App(logic.Sub(logic.Mul(x, y), num(1)), defN), logic.Sub(logic.Mul(x, y), num(1)), defN)))},
	}, {
		rule: "Unfold", name: "constant",
		apply: func([]Theorem) ([]Theorem, error) { return single(Unfold(step4.App(num(2), defB))) },
		want:  []logic.Term{logic.Eq(step4.App(num(2), defB), logic.BVAdd(logic.BVMul(step4.App(num(1), defB), logic.BVUint(4, 3)), defB))},
	}, {
		rule: "Unfold", name: "below 0",
		apply: func([]Theorem) ([]Theorem, error) { return single(Unfold(even.App(num(-5)))) },
		want:  []logic.Term{even.App(num(-5))},
	}, {
		rule: "Compute", name: "Int",
		apply: func([]Theorem) ([]Theorem, error) { return single(Compute(tri.App(num(10), num(3)))) },
		want:  []logic.Term{logic.Eq(tri.App(num(10), num(3)), num(75))},
	}, {
		rule: "Compute", name: "Bool",
		apply: func([]Theorem) ([]Theorem, error) { return single(Compute(even.App(num(7)))) },
		want:  []logic.Term{logic.Not(even.App(num(7)))},
	}, {
		rule: "Compute", name: "BV",
		apply: func([]Theorem) ([]Theorem, error) { return single(Compute(step4.App(num(2), logic.BVUint(4, 5)))) },
		want:  []logic.Term{logic.Eq(step4.App(num(2), logic.BVUint(4, 5)), logic.BVUint(4, 65%16))},
	}, {
		rule: "Compute", name: "Tuple",
		apply: func([]Theorem) ([]Theorem, error) {
			return single(Compute(logic.MkTuple(tri.App(num(2), num(0)), logic.MkTuple(step4.App(num(0), logic.BVUint(4, 9)), even.App(num(2))))))
		},
		want: []logic.Term{logic.Eq(logic.MkTuple(tri.App(num(2), num(0)), logic.MkTuple(step4.App(num(0), logic.BVUint(4, 9)), even.App(num(2)))),
			logic.MkTuple(num(1), logic.MkTuple(logic.BVUint(4, 9), logic.True())))},
	}, {
		rule: "Induct", premises: []logic.Term{logic.Ge0(c), logic.Ge0(logic.Add(n, num(1), c))},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Induct(n, logic.Ge0(logic.Add(n, c)), ps[0], ps[1], subst{c: logic.Add(c, n)}, nil))
		},
		want: []logic.Term{logic.Imp(logic.Ge0(n), logic.Ge0(logic.Add(n, c)))},
	}, {
		rule: "Eq", premises: []logic.Term{logic.Eq(x, y), logic.Eq(z, num(2))},
		apply: func(ps []Theorem) ([]Theorem, error) {
			e, f := ps[0].Concl().Arg(0), ps[1].Concl().Arg(0)
			return single(Eq(logic.Add(logic.Mul(num(-3), u, logic.Sub(x, y)), logic.Mul(z, logic.Sub(z, num(2)))),
				Multiple{ps[0], logic.Mul(num(-3), u, quotient(logic.Sub(x, y), e))}, Multiple{ps[1], logic.Mul(z, quotient(logic.Sub(z, num(2)), f))}))
		},
		want: []logic.Term{logic.Eq(logic.Add(logic.Mul(num(-3), u, x), logic.Mul(z, z)), logic.Add(logic.Mul(num(-3), u, y), logic.Mul(num(2), z)))},
	}, {
		rule: "Eq", name: "0 = 0",
		apply: func([]Theorem) ([]Theorem, error) { return single(Eq(num(0))) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "Le", premises: []logic.Term{logic.Ge0(x), logic.Le(num(1), y), logic.Eq(u, v)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			// 2·x³·(y−1) + 5 + z·(u−v)
			e := ps[2].Concl().Arg(0)
			t := logic.Add(logic.Mul(num(2), x, x, x, logic.Sub(y, num(1))), num(5), logic.Mul(z, logic.Sub(u, v)))
			return single(Le(t, ps[:2], []Product{{big64(2), []int{0, 1, 0, 0}}, {big64(5), nil}, {new(big.Int), []int{0}}}, Multiple{ps[2], logic.Mul(z, quotient(logic.Sub(u, v), e))}))
		},
		want: []logic.Term{logic.Le(logic.Add(logic.Mul(num(2), x, x, x), logic.Mul(z, v)), logic.Add(logic.Mul(num(2), x, x, x, y), num(5), logic.Mul(z, u)))},
	}, {
		rule: "Le", name: "false", premises: []logic.Term{logic.Lt(x, y), logic.Lt(y, x)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Le(num(-2), ps, []Product{{big64(1), []int{0}}, {big64(1), []int{1}}}))
		},
		want: []logic.Term{logic.False()},
	}, {
		rule: "Cong", name: "constant", premises: []logic.Term{logic.Eq(x, y), logic.Cong(u, num(2), num(6))},
		apply: func(ps []Theorem) ([]Theorem, error) {
			t := logic.Add(logic.Mul(z, logic.Sub(x, y)), logic.Mul(v, logic.Sub(u, num(2))), logic.Mul(num(-12), c))
			return single(Cong(t, num(6), logic.Term{}, Multiple{ps[0], logic.Mul(z, quotient(logic.Sub(x, y), ps[0].Concl().Arg(0)))},
				Multiple{ps[1], logic.Mul(v, quotient(logic.Sub(u, num(2)), ps[1].Concl().Arg(0)))}))
		},
		want: []logic.Term{logic.Cong(logic.Add(logic.Mul(z, x), logic.Mul(v, u)), logic.Add(logic.Mul(z, y), logic.Mul(num(2), v), logic.Mul(num(12), c)), num(6))},
	}, {
		rule: "Cong", name: "symbolic", premises: []logic.Term{logic.Eq(x, y), logic.Cong(u, v, m)},
		apply: func(ps []Theorem) ([]Theorem, error) {
			t := logic.Add(logic.Sub(x, y), logic.Mul(u, logic.Sub(u, v)), logic.Mul(m, m, z))
			return single(Cong(t, m, logic.Mul(m, z), Multiple{ps[0], quotient(logic.Sub(x, y), ps[0].Concl().Arg(0))},
				Multiple{ps[1], logic.Mul(u, quotient(logic.Sub(u, v), ps[1].Concl().Arg(0)))}))
		},
		want: []logic.Term{logic.Cong(logic.Add(x, logic.Mul(u, u), logic.Mul(m, m, z)), logic.Add(y, logic.Mul(u, v)), m)},
	}, {
		rule: "Cong", name: "modulus 0 is equality", premises: []logic.Term{logic.Cong(u, v, num(0))},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Cong(logic.Sub(u, v), num(0), x, Multiple{ps[0], quotient(logic.Sub(u, v), ps[0].Concl().Arg(0))}))
		},
		want: []logic.Term{logic.Eq(u, v)},
	}, {
		rule: "Cong", name: "negative modulus", premises: []logic.Term{logic.Cong(u, v, num(-6))},
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(Cong(logic.Add(logic.Sub(u, v), logic.Mul(num(12), x)), num(-6), logic.Mul(num(-2), x), Multiple{ps[0], quotient(logic.Sub(u, v), ps[0].Concl().Arg(0))}))
		},
		want: []logic.Term{logic.Cong(logic.Add(u, logic.Mul(num(12), x)), v, num(-6))},
	}, {
		rule: "Antisym", premises: []logic.Term{logic.Le(x, y), logic.Le(y, x)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(Antisym(logic.Sub(y, x), ps[0], ps[1])) },
		want:  []logic.Term{logic.Eq(x, y)},
	}, {
		rule: "DvdElim", premises: []logic.Term{logic.Cong(logic.Mul(x, y), num(3), num(12))}, free: []int{0},
		apply: func(ps []Theorem) ([]Theorem, error) {
			if ps[0].Concl().Op() == logic.OpDvd && ps[0].Concl().Arg(0) != logic.Sub(logic.Mul(x, y), num(3)) {
				return single(Theorem{}, fmt.Errorf("the sign isn't the one this table expects"))
			}
			return single(DvdElim(ps[0]))
		},
		want: []logic.Term{logic.Eq(logic.Sub(logic.Mul(x, y), num(3)), logic.Mul(num(12), logic.Div(logic.Sub(logic.Mul(x, y), num(3)), num(12))))},
	}, {
		rule:  "DivMod",
		apply: func([]Theorem) ([]Theorem, error) { return single(DivMod(x, m)) },
		want:  []logic.Term{logic.Eq(x, logic.Add(logic.Mul(m, logic.Div(x, m)), logic.Mod(x, m)))},
	}, {
		rule: "DivMod", name: "modulus 0",
		apply: func([]Theorem) ([]Theorem, error) { return single(DivMod(x, num(0))) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "ModRange", premises: []logic.Term{logic.Ge0(logic.Sub(m, num(1)))},
		apply: func(ps []Theorem) ([]Theorem, error) { return double(ModRange(x, m, ps[0])) },
		want:  []logic.Term{logic.Ge0(logic.Mod(x, m)), logic.Lt(logic.Mod(x, m), m)},
	}, {
		rule: "ModRange", name: "constant", premises: []logic.Term{logic.True()},
		apply: func(ps []Theorem) ([]Theorem, error) { return double(ModRange(x, num(10), ps[0])) },
		want:  []logic.Term{logic.Ge0(logic.Mod(x, num(10))), logic.Le(logic.Mod(x, num(10)), num(9))},
	}, {
		rule:  "Fermat",
		apply: func([]Theorem) ([]Theorem, error) { return single(Fermat(prime(13), logic.Add(x, y))) },
		want:  []logic.Term{logic.Or(logic.Cong(logic.Add(x, y), num(0), num(13)), logic.Eq(logic.Expmod(logic.Add(x, y), num(12), num(13)), num(1)))},
	}, {
		rule: "Fermat", name: "2",
		apply: func([]Theorem) ([]Theorem, error) { return single(Fermat(prime(2), x)) },
		want:  []logic.Term{logic.Or(logic.Cong(x, num(0), num(2)), logic.Eq(logic.Expmod(x, num(1), num(2)), num(1)))},
	}, {
		rule: "Fermat", name: "multiple of p",
		apply: func([]Theorem) ([]Theorem, error) { return single(Fermat(prime(5), num(-10))) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "ExpmodZero", premises: []logic.Term{logic.Le(num(1), m)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(ExpmodZero(x, m, ps[0])) },
		want:  []logic.Term{logic.Cong(logic.Expmod(x, num(0), m), num(1), m)},
	}, {
		rule: "ExpmodZero", name: "modulus 1", premises: []logic.Term{logic.True()},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(ExpmodZero(x, num(1), ps[0])) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "ExpmodStep", premises: []logic.Term{logic.Ge0(n)},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(ExpmodStep(x, n, m, ps[0])) },
		want:  []logic.Term{logic.Cong(logic.Expmod(x, logic.Add(n, num(1)), m), logic.Mul(x, logic.Expmod(x, n, m)), m)},
	}, {
		rule: "ExpmodStep", name: "constants", premises: []logic.Term{logic.True()},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(ExpmodStep(num(3), num(0), num(-7), ps[0])) },
		want:  []logic.Term{logic.Cong(logic.Expmod(num(3), num(1), num(-7)), logic.Mul(num(3), logic.Expmod(num(3), num(0), num(-7))), num(-7))},
	}, {
		rule: "ExpmodRange", premises: []logic.Term{logic.Le(num(1), m)},
		apply: func(ps []Theorem) ([]Theorem, error) { return double(ExpmodRange(x, n, m, ps[0])) },
		want:  []logic.Term{logic.Ge0(logic.Expmod(x, n, m)), logic.Lt(logic.Expmod(x, n, m), m)},
	}, {
		rule: "ExpmodRange", name: "constants", premises: []logic.Term{logic.True()},
		apply: func(ps []Theorem) ([]Theorem, error) { return double(ExpmodRange(x, num(-2), num(10), ps[0])) },
		want:  []logic.Term{logic.Ge0(logic.Expmod(x, num(-2), num(10))), logic.Le(logic.Expmod(x, num(-2), num(10)), num(9))},
	}, {
		rule:  "TupleEta",
		apply: func([]Theorem) ([]Theorem, error) { return single(TupleEta(pair)) },
		want:  []logic.Term{logic.Eq(pair, logic.MkTuple(logic.Proj(0, pair), logic.Proj(1, pair), logic.Proj(2, pair)))},
	}, {
		rule: "TupleEta", name: "of a tuple",
		apply: func([]Theorem) ([]Theorem, error) { return single(TupleEta(logic.MkTuple(x, a8))) },
		want:  []logic.Term{logic.True()},
	}, {
		rule: "TupleEta", name: "one component",
		apply: func([]Theorem) ([]Theorem, error) {
			return single(TupleEta(logic.Var("single", logic.TupleOf(logic.Int()))))
		},
		want: []logic.Term{logic.Eq(logic.Var("single", logic.TupleOf(logic.Int())), logic.MkTuple(logic.Proj(0, logic.Var("single", logic.TupleOf(logic.Int())))))},
	}, {
		rule:  "UintRange",
		apply: func([]Theorem) ([]Theorem, error) { return double(UintRange(a8)) },
		want:  []logic.Term{logic.Ge0(logic.Uint(a8)), logic.Le(logic.Uint(a8), num(255))},
	}, {
		rule:  "UintSplit",
		apply: func([]Theorem) ([]Theorem, error) { return single(UintSplit(a8, 3)) },
		want:  []logic.Term{logic.Eq(logic.Uint(a8), logic.Add(logic.Uint(logic.Extract(2, 0, a8)), logic.Mul(num(8), logic.Uint(logic.Extract(7, 3, a8)))))},
	}, {
		rule:  "UintExt",
		apply: func([]Theorem) ([]Theorem, error) { return single(UintExt(a8, 6, 2)) },
		want:  []logic.Term{logic.Eq(logic.Uint(logic.Extract(6, 2, a8)), logic.Mod(logic.Div(logic.Uint(a8), num(4)), num(32)))},
	}, {
		rule:  "UltDef",
		apply: func([]Theorem) ([]Theorem, error) { return single(UltDef(a8, b8)) },
		want:  []logic.Term{logic.Iff(logic.Ult(a8, b8), logic.Ge0(logic.Sub(logic.Sub(logic.Uint(b8), logic.Uint(a8)), num(1))))},
	}, {
		rule:  "AndOrSum",
		apply: func([]Theorem) ([]Theorem, error) { return double(AndOrSum(a8, b8)) },
		want: []logic.Term{
			logic.Eq(logic.Add(logic.Uint(logic.BVAnd(a8, b8)), logic.Uint(logic.BVOr(a8, b8))), logic.Add(logic.Uint(a8), logic.Uint(b8))),
			logic.Eq(logic.Add(logic.Uint(logic.BVXor(a8, b8)), logic.Mul(num(2), logic.Uint(logic.BVAnd(a8, b8)))), logic.Add(logic.Uint(a8), logic.Uint(b8))),
		},
	}, {
		rule: "UintMod",
		apply: func([]Theorem) ([]Theorem, error) {
			// (¬a·b + (−c << 3)) + bv(x)
			return single(UintMod(logic.BVAdd(logic.BVAdd(logic.BVMul(logic.BVNot(a8), b8), logic.Shl(logic.BVNeg(c8), 3)), logic.ToBV(8, x))))
		},
		want: []logic.Term{logic.Cong(logic.Uint(logic.BVAdd(logic.BVAdd(logic.BVMul(logic.BVNot(a8), b8), logic.Shl(logic.BVNeg(c8), 3)), logic.ToBV(8, x))),
			logic.Add(logic.Mul(logic.Sub(num(-1), logic.Uint(a8)), logic.Uint(b8)), logic.Mul(num(-8), logic.Uint(c8)), x), num(256))},
	}, {
		rule: "UintMod", name: "leaf",
		apply: func([]Theorem) ([]Theorem, error) {
			return single(UintMod(logic.BVAdd(logic.BVMul(a8, b8), logic.BVNeg(c8)), logic.BVMul(a8, b8)))
		},
		want: []logic.Term{logic.Cong(logic.Uint(logic.BVAdd(logic.BVMul(a8, b8), logic.BVNeg(c8))), logic.Sub(logic.Uint(logic.BVMul(a8, b8)), logic.Uint(c8)), num(256))},
	}, {
		rule: "UintExact", premises: []logic.Term{logic.Ge0(logic.Sub(logic.Uint(a8), logic.Uint(b8))), logic.Le(logic.Sub(logic.Uint(a8), logic.Uint(b8)), num(255))},
		apply: func(ps []Theorem) ([]Theorem, error) { return single(UintExact(logic.BVSub(a8, b8), ps[0], ps[1])) },
		want:  []logic.Term{logic.Eq(logic.Uint(logic.BVSub(a8, b8)), logic.Sub(logic.Uint(a8), logic.Uint(b8)))},
	}, {
		rule: "UintExact", name: "tighter bounds", premises: []logic.Term{logic.Le(num(7), logic.Add(logic.Uint(a8), x)), logic.Le(logic.Add(logic.Uint(a8), x), num(100))}, free: []int{0, 1}, // others may be good enough
		apply: func(ps []Theorem) ([]Theorem, error) {
			return single(UintExact(logic.BVAdd(a8, logic.ToBV(8, x)), ps[0], ps[1], logic.Zext(16, a8)))
		},
		want: []logic.Term{logic.Eq(logic.Uint(logic.BVAdd(a8, logic.ToBV(8, x))), logic.Add(logic.Uint(a8), x))},
	}, {
		rule: "LowRing", name: "square of a sum",
		apply: func([]Theorem) ([]Theorem, error) { return single(LowRing(lowL, lowR)) },
		want:  []logic.Term{logic.Eq(lowR, lowL)},
	}, {
		rule: "LowRing", name: "low half of a wide product",
		apply: func([]Theorem) ([]Theorem, error) {
			return single(LowRing(logic.Extract(7, 0, logic.BVMul(logic.Zext(16, a8), logic.Sext(16, b8))), logic.BVMul(a8, b8)))
		},
		want: []logic.Term{logic.Eq(logic.Extract(7, 0, logic.BVMul(logic.Zext(16, a8), logic.Sext(16, b8))), logic.BVMul(a8, b8))},
	}, {
		rule: "LowRing", name: "coefficients modulo 2^n",
		apply: func([]Theorem) ([]Theorem, error) {
			return single(LowRing(logic.BVMul(byteConst(255), a8), logic.BVAdd(logic.BVNot(a8), byteConst(1))))
		},
		want: []logic.Term{logic.Eq(logic.BVMul(byteConst(255), a8), logic.BVAdd(logic.BVNot(a8), byteConst(1)))},
	},
}

var (
	lowL = logic.BVMul(logic.BVAdd(a8, b8), logic.BVAdd(a8, b8))
	lowR = logic.BVAdd(logic.BVAdd(logic.BVMul(a8, a8), logic.Shl(logic.BVMul(a8, b8), 1)), logic.BVMul(b8, b8))
)

// quotient is 1 or −1: the sign by which want differs from what the theorem's conclusion holds.
func quotient(want, has logic.Term) logic.Term {
	if want == has {
		return num(1)
	}
	return num(-1)
}

func (a application) String() string { return a.rule + "/" + a.name }

func (a application) run(t *testing.T, change func(i int, th Theorem) Theorem) ([]Theorem, error) {
	t.Helper()
	ps := make([]Theorem, len(a.premises))
	for i, c := range a.premises {
		if ps[i] = given(c); change != nil {
			ps[i] = change(i, ps[i])
		}
	}
	before := Inferences()
	out, err := a.apply(ps)
	for _, th := range out {
		if err != nil && !th.IsZero() {
			t.Errorf("%v: both an error and a theorem: %v, %v", a, err, th)
		}
	}
	if err == nil && Inferences() < before+int64(len(a.want)) {
		t.Errorf("%v: %d inferences counted", a, Inferences()-before)
	}
	return out, err
}

// TestRulesAccept: each rule, on premises without hypotheses, gives exactly the stated conclusion without hypotheses.
func TestRulesAccept(t *testing.T) {
	for _, a := range applications {
		out, err := a.run(t, nil)
		if err != nil {
			t.Errorf("%v: %v", a, err)
			continue
		}
		for i, want := range a.want {
			if th := out[i]; th.Concl() != want {
				t.Errorf("%v: result %d is\n  %v, want\n  %v", a, i, th.Concl(), want)
			} else if len(th.Hyps()) != 0 || th.Axioms() != nil || th.t.axioms != 0 {
				t.Errorf("%v: result %d has hypotheses or axioms out of nothing: %v %v", a, i, th, th.Axioms())
			}
		}
		if len(out) != len(a.want) {
			t.Errorf("%v: %d results, want %d", a, len(out), len(a.want))
		}
	}
}

// nearMisses are facts that look like c and don't imply it.
func nearMisses(c logic.Term) []logic.Term {
	ts := []logic.Term{logic.True(), logic.Var("unrelated", logic.Bool()), logic.Not(c), logic.Or(c, logic.Var("unrelated", logic.Bool()))}
	one, seven := num(1), num(7)
	a := c.Arg(0)
	switch c.Op() {
	case logic.OpGe0:
		ts = append(ts, logic.Ge0(logic.Add(a, one)), logic.Ge0(logic.Neg(a)), logic.Ge0(logic.Mul(a, a)), logic.Eq0(logic.Add(a, one)), logic.Cong(a, num(0), seven))
	case logic.OpEq0:
		ts = append(ts, logic.Eq0(logic.Add(a, one)), logic.Eq0(logic.Mul(a, x)), logic.Ge0(a), logic.Ge0(logic.Neg(a)), logic.Cong(a, num(0), seven))
	case logic.OpDvd:
		mod := c.Arg(1)
		ts = append(ts, logic.Cong(logic.Add(a, one), num(0), mod), logic.Cong(a, num(0), logic.Add(mod, one)), logic.Cong(mod, num(0), a), logic.Ge0(a), logic.Eq0(logic.Add(a, one)))
	}
	return slices.DeleteFunc(ts, func(t logic.Term) bool { return t == c })
}

// TestRulesRefusePremises: each premise in turn is the zero Theorem, a stale theorem, a near miss, or another premise.
func TestRulesRefusePremises(t *testing.T) {
	for _, a := range applications {
		for i := range a.premises {
			with := func(bad Theorem) error {
				_, err := a.run(t, func(j int, th Theorem) Theorem {
					if i == j {
						return bad
					}
					return th
				})
				return err
			}
			if with(Theorem{}) == nil {
				t.Errorf("%v: accepts the zero Theorem as premise %d", a, i)
			}
			var stale logic.Term
			inGeneration(t, func() {
				fresh := logic.Fresh("f", logic.Int())
				for _, s := range []logic.Term{logic.Ge0(logic.Add(fresh, num(1))), logic.Cong(fresh, num(1), num(6)), logic.Eq(fresh, num(3))} {
					if stale = s; s.Op() == a.premises[i].Op() {
						break
					}
				}
			})
			if stale.Err() == nil {
				t.Fatal("not stale")
			}
			if with(given(stale)) == nil {
				t.Errorf("%v: accepts the stale theorem %v as premise %d", a, stale, i)
			}
			if with(given(a.premises[i], stale)) == nil {
				t.Errorf("%v: accepts a stale hypothesis of premise %d", a, i)
			}
			if slices.Contains(a.free, i) {
				continue
			}
			for _, bad := range append(nearMisses(a.premises[i]), a.premises...) {
				if bad != a.premises[i] && with(given(bad)) == nil {
					t.Errorf("%v: accepts %v as premise %d, which is %v", a, bad, i, a.premises[i])
				}
			}
		}
	}
}

// TestHypsAndAxiomsPropagate: the hypotheses and axioms of each premise, and of all together, reach every result.
func TestHypsAndAxiomsPropagate(t *testing.T) {
	common := logic.Ge0(logic.Var("another", logic.Int()))
	hyp := func(i int) logic.Term { return logic.Var(fmt.Sprintf("h%d", i), logic.Bool()) }
	for _, a := range applications {
		var all []logic.Term
		check := func(what string, wantHyps []logic.Term, wantAxioms axiomSet, change func(i int, th Theorem) Theorem) {
			t.Helper()
			out, err := a.run(t, change)
			if err != nil {
				t.Errorf("%v: %s: %v", a, what, err)
				return
			}
			for k, th := range out {
				if want := ordered(slices.Clone(wantHyps)); !slices.Equal(th.Hyps(), want) {
					t.Errorf("%v: %s: result %d has the hypotheses %v, want %v", a, what, k, th.Hyps(), want)
				}
				if th.t.axioms != wantAxioms {
					t.Errorf("%v: %s: result %d has the axioms %b, want %b", a, what, k, th.t.axioms, wantAxioms)
				}
			}
		}
		var axioms axiomSet
		for i := range a.premises {
			all = append(all, hyp(i))
			axioms |= 1 << i
			check(fmt.Sprint("premise ", i), []logic.Term{hyp(i), common}, 1<<i, func(j int, th Theorem) Theorem {
				if i == j {
					return Theorem{&theorem{concl: th.t.concl, hyps: ordered([]logic.Term{hyp(i), common}), axioms: 1 << i}}
				}
				return th
			})
		}
		check("all premises", all, axioms, func(j int, th Theorem) Theorem {
			return Theorem{&theorem{concl: th.t.concl, hyps: []logic.Term{hyp(j)}, axioms: 1 << j}}
		})
		check("all premises, one hypothesis", all[:min(1, len(all))], axioms, func(j int, th Theorem) Theorem {
			return Theorem{&theorem{concl: th.t.concl, hyps: []logic.Term{hyp(0)}, axioms: 1 << j}}
		})
	}
}

// TestUnusedPremises: facts that a certificate doesn't use may be anything but the zero Theorem or stale; their
// hypotheses are inherited.
func TestUnusedPremises(t *testing.T) {
	odd := given(logic.Var("odd", logic.Bool()), p)
	for name, apply := range map[string]func(th Theorem) (Theorem, error){
		"Taut": func(th Theorem) (Theorem, error) { return Taut(logic.Or(q, logic.Not(q)), th) },
		"Le":   func(th Theorem) (Theorem, error) { return Le(num(3), []Theorem{th}, []Product{{big64(3), nil}}) },
		"Rewrite": func(th Theorem) (Theorem, error) {
			return Rewrite(given(q), Equation{th, logic.Var("odd", logic.Bool()), logic.True()})
		},
	} {
		if th, err := apply(odd); err != nil || !slices.Equal(th.Hyps(), []logic.Term{p}) {
			t.Errorf("%s: %v %v", name, th, err)
		}
		if th, err := apply(Theorem{}); err == nil {
			t.Errorf("%s accepts the zero Theorem: %v", name, th)
		}
	}
	// A fact that has folded to true counts as 0 = 0, whatever its multiplier; others are no facts.
	truth := given(logic.True(), p)
	for name, apply := range map[string]func(th Theorem) (Theorem, error){
		"Eq":   func(th Theorem) (Theorem, error) { return Eq(num(0), Multiple{th, x}) },
		"Le":   func(th Theorem) (Theorem, error) { return Le(num(0), nil, nil, Multiple{th, x}) },
		"Cong": func(th Theorem) (Theorem, error) { return Cong(num(4), num(2), logic.Term{}, Multiple{th, x}) },
	} {
		if th, err := apply(truth); err != nil || !slices.Equal(th.Hyps(), []logic.Term{p}) {
			t.Errorf("%s: %v %v", name, th, err)
		}
		for _, bad := range []logic.Term{q, logic.False(), logic.Ge0(x), logic.Not(logic.Eq0(x)), logic.Eq(a8, b8), logic.Cong(x, y, num(3))} {
			if th, err := apply(given(bad)); err == nil {
				t.Errorf("%s accepts %v as an equation: %v", name, bad, th)
			}
		}
	}
}

// exported lists the package's exported declarations outside tests.
func exported(t *testing.T) (funcs []*ast.FuncDecl, files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() {
				funcs = append(funcs, d)
			}
		}
	}
	return funcs, files
}

// makesTheorems tells a function with a Theorem among its results.
func makesTheorems(d *ast.FuncDecl) bool {
	found := false
	if d.Type.Results != nil {
		ast.Inspect(d.Type.Results, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "Theorem" {
				found = true
			}
			return true
		})
	}
	return found
}

// TestEveryRuleIsTested: each exported function that makes theorems has an entry in the tables of this package's tests.
// A new rule needs all of them.
func TestEveryRuleIsTested(t *testing.T) {
	applied := map[string]bool{"Assume": true} // TestAssume
	for _, a := range applications {
		applied[a.rule] = true
	}
	refused := map[string]bool{}
	for _, f := range refusals {
		refused[f.rule] = true
	}
	funcs, _ := exported(t)
	rules := 0
	for _, d := range funcs {
		if !makesTheorems(d) {
			continue
		}
		rules++
		name := d.Name.Name
		if d.Recv != nil {
			t.Errorf("%s is a method that makes theorems", name)
		}
		if !applied[name] {
			t.Errorf("rule %s is missing in applications", name)
		}
		if !refused[name] {
			t.Errorf("rule %s is missing in refusals", name)
		}
		if generators[name] == nil {
			t.Errorf("rule %s is missing in generators (soundness fuzz)", name)
		}
		if rulesByName[name] == nil {
			t.Errorf("rule %s is missing in rulesByName (random walk)", name)
		}
		if doc := d.Doc.Text(); !strings.HasPrefix(doc, name) || !strings.Contains(doc, "\n\nSound: ") && name != "InstAll" {
			t.Errorf("rule %s: its doc comment must state the rule and why it is sound", name)
		}
	}
	if rules < 20 || len(rulesByName) != rules {
		t.Errorf("%d rules in the sources, %d in rulesByName", rules, len(rulesByName))
	}
}

// TestNoBackDoors: no exported variables (any package could assign them), no exported fields in Theorem, no function
// values among parameters, and no pointers to what theorems are made of.
func TestNoBackDoors(t *testing.T) {
	funcs, files := exported(t)
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if g.Tok == token.VAR && id.IsExported() {
							t.Errorf("exported variable %s", id.Name)
						}
					}
				case *ast.TypeSpec:
					if st, ok := s.Type.(*ast.StructType); ok && s.Name.Name == "Theorem" {
						for _, f := range st.Fields.List {
							for _, id := range f.Names {
								if id.IsExported() {
									t.Errorf("exported field Theorem.%s", id.Name)
								}
							}
							if len(f.Names) != 1 {
								t.Error("Theorem has an embedded field")
							}
						}
					}
				case *ast.ImportSpec:
					switch strings.Trim(s.Path.Value, `"`) {
					case "unsafe", "reflect", "C":
						t.Errorf("imports %s", s.Path.Value)
					}
				}
			}
		}
	}
	for _, d := range funcs {
		ast.Inspect(d.Type.Params, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
				t.Errorf("%s has a parameter of a type with behaviour", d.Name.Name)
			case *ast.StarExpr:
				t.Errorf("%s has a pointer parameter %v", d.Name.Name, n.X)
			}
			return true
		})
		if d.Type.Results != nil {
			ast.Inspect(d.Type.Results, func(n ast.Node) bool {
				if _, ok := n.(*ast.StarExpr); ok {
					t.Errorf("%s returns a pointer", d.Name.Name)
				}
				return true
			})
		}
	}
}
