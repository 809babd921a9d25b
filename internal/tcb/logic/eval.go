package logic

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Value is what a term evaluates to. The zero Value is none.
type Value struct {
	b     *big.Int // Bool as 0 or 1, Int, BV as 0 ≤ v < 2ⁿ
	elems []Value  // a tuple
}

// IntValue is an Int or BV value.
func IntValue(v *big.Int) Value {
	if v == nil {
		return Value{}
	}
	return Value{b: new(big.Int).Set(v)}
}

// BoolValue is a Bool value.
func BoolValue(b bool) Value { return Value{b: b01(b)} }

// TupleValue is a tuple of values.
func TupleValue(vs ...Value) Value { return Value{elems: append([]Value(nil), vs...)} }

// Big is the value of an Int or BV, of a Bool 0 or 1; 0 for a tuple.
func (v Value) Big() *big.Int {
	if v.b == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(v.b)
}

// Bool tells that the value is not 0.
func (v Value) Bool() bool { return v.b != nil && v.b.Sign() != 0 }

// Elems lists the components of a tuple.
func (v Value) Elems() []Value { return append([]Value(nil), v.elems...) }

func (v Value) equal(w Value) bool {
	if v.b != nil {
		return v.b.Cmp(w.b) == 0
	}
	for i := range v.elems {
		if !v.elems[i].equal(w.elems[i]) {
			return false
		}
	}
	return true
}

func (v Value) has(s *sortNode) bool {
	switch s.kind {
	case KindBool:
		return v.b != nil && v.b.Sign() >= 0 && v.b.BitLen() <= 1
	case KindInt:
		return v.b != nil
	case KindBV:
		return v.b != nil && v.b.Sign() >= 0 && v.b.BitLen() <= s.width
	}
	if v.b != nil || len(v.elems) != len(s.elems) {
		return false
	}
	for i, e := range s.elems {
		if !v.elems[i].has(e.s) {
			return false
		}
	}
	return true
}

func b01(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// errBudget says that an evaluation took more steps than its budget.
var errBudget = errors.New("logic: evaluation over budget")

// IsBudget tells the error of an evaluation over its budget.
func IsBudget(err error) bool { return errors.Is(err, errBudget) }

// maxBits bounds the integers of an evaluation.
const maxBits = 1 << 20

type evaluator struct {
	budget int
	apps   map[string]Value // memo of applications, by symbol and argument values
}

// Eval computes t under an assignment of values to its variables: the meaning of terms. A node costs one step of the
// budget each time it is computed, an atom of a monomial one, a round of a recursion one, 512 bits of a result one, and
// a bit of the exponent of a power (m/512 bits + 1)² for the modulus m, so that a budget bounds time and memory; over
// budget, or beyond 2²⁰ bits, is an error (IsBudget). The branch of an ite that isn't taken is not computed.
func Eval(t Term, env map[Term]Value, budget int) (Value, error) {
	if e, ok := check(t); !ok {
		return Value{}, e.Err()
	}
	m := make(map[*node]Value, len(env))
	for v, x := range env {
		if v.Op() != OpVar || !x.has(v.n.sort.s) {
			return Value{}, fmt.Errorf("logic: %v can't have the value %v", v, x)
		}
		m[v.n] = x
	}
	e := &evaluator{budget: max(budget, 0), apps: map[string]Value{}}
	v, err := e.eval(t.n, m)
	if err != nil {
		return Value{}, err
	}
	return v.clone(), nil
}

func (v Value) clone() Value {
	if v.b != nil {
		return IntValue(v.b)
	}
	es := make([]Value, len(v.elems))
	for i, e := range v.elems {
		es[i] = e.clone()
	}
	return Value{elems: es}
}

// spend takes steps from the budget.
func (e *evaluator) spend(steps int) error {
	if steps > e.budget {
		return errBudget
	}
	e.budget -= steps
	return nil
}

// charge takes the price of a result's size from the budget.
func (e *evaluator) charge(x *big.Int) error {
	if x.BitLen() > maxBits {
		return errBudget
	}
	return e.spend(x.BitLen() / 512)
}

// chargePower takes the price of a power with the exponent k modulo m: for each bit of k, the square of m's size in
// units of 512 bits, about what the multiplications cost.
func (e *evaluator) chargePower(k, m *big.Int) error {
	if k.Sign() <= 0 || m.Sign() <= 0 {
		return nil
	}
	units := int64(m.BitLen()/512 + 1) // ≤ 2¹¹ + 1, as k and m have at most 2²⁰ bits
	steps := int64(k.BitLen()) * units * units
	if steps > int64(e.budget) {
		return errBudget
	}
	return e.spend(int(steps))
}

// eval computes n; memo starts as the assignment.
func (e *evaluator) eval(n *node, memo map[*node]Value) (Value, error) {
	if v, ok := memo[n]; ok {
		return v, nil
	}
	if err := e.spend(1); err != nil {
		return Value{}, err
	}
	v, err := e.eval1(n, memo)
	if err != nil {
		return Value{}, err
	}
	if v.b != nil {
		if err := e.charge(v.b); err != nil {
			return Value{}, err
		}
	}
	memo[n] = v
	return v, nil
}

func (e *evaluator) eval1(n *node, memo map[*node]Value) (Value, error) {
	switch n.op {
	case OpVar:
		return Value{}, fmt.Errorf("logic: variable %v has no value", Term{n})
	case OpConst:
		return Value{b: n.val()}, nil
	case OpIte:
		c, err := e.eval(n.args[0], memo)
		if err != nil {
			return Value{}, err
		}
		if c.b.Sign() != 0 {
			return e.eval(n.args[1], memo)
		}
		return e.eval(n.args[2], memo)
	case OpPoly:
		sum := new(big.Int)
		for _, m := range n.poly {
			p := new(big.Int).Set(m.c.big())
			for _, a := range m.v {
				v, err := e.eval(a, memo)
				if err != nil {
					return Value{}, err
				}
				if err := e.spend(1); err != nil {
					return Value{}, err
				}
				if err := e.charge(p.Mul(p, v.b)); err != nil {
					return Value{}, err
				}
			}
			sum.Add(sum, p)
		}
		return Value{b: sum}, nil
	}
	args := make([]Value, len(n.args))
	for i, a := range n.args {
		v, err := e.eval(a, memo)
		if err != nil {
			return Value{}, err
		}
		args[i] = v
	}
	switch n.op {
	case OpApp:
		return e.apply(n.x.(*def), args)
	case OpTuple:
		return Value{elems: args}, nil
	case OpProj:
		return args[0].elems[n.u], nil
	case OpEq:
		return BoolValue(args[0].equal(args[1])), nil
	}
	b := make([]*big.Int, len(args))
	for i, a := range args {
		b[i] = a.b
	}
	if n.op == OpExpmod {
		if err := e.chargePower(b[1], b[2]); err != nil {
			return Value{}, err
		}
	}
	return Value{b: evalOp(n, b)}, nil
}

// evalOp gives the meaning of the operations on Bool, Int and BV, on values.
func evalOp(n *node, a []*big.Int) *big.Int {
	w := n.width()
	wrap := func(x *big.Int) *big.Int { return x.And(x, new(big.Int).Sub(two(w), bigOne)) }
	z := new(big.Int)
	switch n.op {
	case OpNot:
		return b01(a[0].Sign() == 0)
	case OpAnd:
		for _, x := range a {
			if x.Sign() == 0 {
				return z
			}
		}
		return b01(true)
	case OpEq0:
		return b01(a[0].Sign() == 0)
	case OpGe0:
		return b01(a[0].Sign() >= 0)
	case OpDvd: // some k has a[0] = a[1]·k
		_, r := floorDivMod(a[0], a[1])
		return b01(r.Sign() == 0)
	case OpUlt:
		return b01(a[0].Cmp(a[1]) < 0)
	case OpSlt:
		aw := n.args[0].width()
		return b01(signed(a[0], aw).Cmp(signed(a[1], aw)) < 0)
	case OpUint:
		return a[0]
	case OpSint:
		return signed(a[0], n.args[0].width())
	case OpDiv:
		q, _ := floorDivMod(a[0], a[1])
		return q
	case OpMod:
		_, r := floorDivMod(a[0], a[1])
		return r
	case OpBVAdd:
		return wrap(z.Add(a[0], a[1]))
	case OpBVMul:
		return wrap(z.Mul(a[0], a[1]))
	case OpBVNeg:
		return wrap(z.Neg(a[0]))
	case OpBVNot:
		return wrap(z.Not(a[0]))
	case OpBVAnd:
		return z.And(a[0], a[1])
	case OpBVOr:
		return z.Or(a[0], a[1])
	case OpBVXor:
		return z.Xor(a[0], a[1])
	case OpShl:
		return wrap(z.Lsh(a[0], uint(n.u)))
	case OpLshr:
		return z.Rsh(a[0], uint(n.u))
	case OpAshr:
		return wrap(z.Rsh(signed(a[0], w), uint(n.u)))
	case OpRotr:
		return wrap(z.Or(new(big.Int).Rsh(a[0], uint(n.u)), new(big.Int).Lsh(a[0], uint(w)-uint(n.u))))
	case OpLshrV:
		if !a[1].IsInt64() || a[1].Int64() >= int64(w) {
			return z
		}
		return z.Rsh(a[0], uint(a[1].Int64()))
	case OpConcat:
		o := 0
		for i, x := range a {
			z.Or(z, new(big.Int).Lsh(x, uint(o)))
			o += n.args[i].width()
		}
		return z
	case OpExtract:
		return wrap(z.Rsh(a[0], uint(n.lo())))
	case OpSext:
		return wrap(z.Set(signed(a[0], n.args[0].width())))
	case OpLookup:
		return n.x.(*table).row(a[0])
	case OpToBV:
		return wrap(z.Set(a[0]))
	case OpExpmod:
		return expmod(a[0], a[1], a[2])
	}
	return z // no operation is left: TestEvalCoversAllOps
}

// apply computes f(args): a recursive symbol from its base up.
func (e *evaluator) apply(d *def, args []Value) (Value, error) {
	var key []byte
	for _, a := range args {
		key = a.appendText(key, 16)
	}
	k := d.name + "\x00" + string(key)
	if v, ok := e.apps[k]; ok {
		return v, nil
	}
	frame := func() map[*node]Value {
		m := make(map[*node]Value, len(d.params)+1)
		for i, p := range d.params {
			m[p] = args[i]
		}
		return m
	}
	body := d.body
	if d.rec != nil {
		body = d.base
	}
	v, err := e.eval(body, frame())
	if err != nil {
		return Value{}, err
	}
	if d.rec != nil {
		for i := new(big.Int); i.Cmp(args[0].b) < 0; i = new(big.Int).Add(i, bigOne) {
			m := frame()
			m[d.params[0]], m[d.rec] = Value{b: i}, v
			if v, err = e.eval(d.step, m); err != nil {
				return Value{}, err
			}
			if err := e.spend(1); err != nil {
				return Value{}, err
			}
		}
	}
	e.apps[k] = v
	return v, nil
}

// appendText writes v so that different values of one sort have different texts.
func (v Value) appendText(t []byte, base int) []byte {
	if v.b != nil {
		return append(v.b.Append(t, base), ',')
	}
	t = append(t, '(')
	for _, e := range v.elems {
		t = e.appendText(t, base)
	}
	return append(t, ')')
}

func (v Value) String() string {
	if v.b == nil && v.elems == nil {
		return "<no value>"
	}
	return strings.NewReplacer(",)", ")").Replace(strings.TrimSuffix(string(v.appendText(nil, 10)), ","))
}
