package mutate

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"verum.example/internal/tcb/logic"
)

// Evaluating a term with logic.Eval, or an instruction with machine.Run, takes microseconds, mostly for maps and for
// terms that are made and thrown away. An accepted mutant is run ten thousand times, so terms are compiled here: to a
// list of steps on slots, where a Bool or a BV of at most 128 bits is two words and all else is a big.Int. On some of
// the states the results are compared with those of machine.Run and machine.Check (see check.go).

// word is a Bool or a BV of at most 128 bits.
type word struct{ lo, hi uint64 }

// mask is x modulo 2ⁿ.
func (x word) mask(n int) word {
	switch {
	case n >= 128:
		return x
	case n > 64:
		return word{x.lo, x.hi & (1<<(n-64) - 1)}
	case n == 64:
		return word{lo: x.lo}
	}
	return word{lo: x.lo & (1<<n - 1)}
}

func (x word) shl(k int) word {
	if k >= 64 {
		return word{0, x.lo << (k - 64)}
	}
	return word{x.lo << k, x.hi<<k | x.lo>>(64-k)}
}

func (x word) shr(k int) word {
	if k >= 64 {
		return word{x.hi >> (k - 64), 0}
	}
	return word{x.lo>>k | x.hi<<(64-k), x.hi >> k}
}

func (x word) and(y word) word { return word{x.lo & y.lo, x.hi & y.hi} }
func (x word) or(y word) word  { return word{x.lo | y.lo, x.hi | y.hi} }
func (x word) xor(y word) word { return word{x.lo ^ y.lo, x.hi ^ y.hi} }
func (x word) not() word       { return word{^x.lo, ^x.hi} }

func (x word) add(y word) word {
	lo, c := bits.Add64(x.lo, y.lo, 0)
	hi, _ := bits.Add64(x.hi, y.hi, c)
	return word{lo, hi}
}

func (x word) mul(y word) word {
	hi, lo := bits.Mul64(x.lo, y.lo)
	return word{lo, hi + x.hi*y.lo + x.lo*y.hi}
}

func (x word) less(y word) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

// signed repeats the sign of an n-bit value up to 128 bits.
func (x word) signed(n int) word {
	if n < 128 && x.shr(n-1).lo&1 == 1 {
		return x.or(word{^uint64(0), ^uint64(0)}.shl(n))
	}
	return x
}

// big sets z to x.
func (x word) big(z *big.Int) *big.Int {
	if x.hi == 0 {
		return z.SetUint64(x.lo)
	}
	z.Lsh(z.SetUint64(x.hi), 64)
	return z.Or(z, new(big.Int).SetUint64(x.lo))
}

var low64 = new(big.Int).SetUint64(1<<64 - 1)

// wordOf is z modulo 2¹²⁸, for any sign of z.
func wordOf(z *big.Int) word {
	if z.IsUint64() {
		return word{lo: z.Uint64()}
	}
	t := new(big.Int)
	lo := t.And(z, low64).Uint64()
	hi := t.And(t.Rsh(z, 64), low64).Uint64()
	return word{lo, hi}
}

func truth(b bool) word {
	if b {
		return word{lo: 1}
	}
	return word{}
}

// small tells a sort whose values are words.
func small(s logic.Sort) bool {
	return s.Kind() == logic.KindBool || s.Kind() == logic.KindBV && s.Width() <= 128
}

// slots are the values of one evaluation: each is in w or, if its sort is not small, in b.
type slots struct {
	w []word
	b []*big.Int
}

// value is the value of a slot, as a new integer.
func (s *slots) value(i int) *big.Int {
	if s.b[i] != nil {
		return new(big.Int).Set(s.b[i])
	}
	return s.w[i].big(new(big.Int))
}

// slowPart is how many times fewer states there are where a contract takes that long to evaluate.
const slowPart = 1000

// errTuple is the error of a term over values that have no slot, such as points of a curve.
var errTuple = errors.New("a tuple")

// step computes one slot.
type step func(s *slots) error

// compiler compiles terms to steps.
type compiler struct {
	steps []step
	sorts []logic.Sort // of the slots
	init  map[int]*big.Int
	memo  map[logic.Term]int
	slow  bool // a function with a tuple, as a point of a curve, is left to logic.Eval, which may take a second
	// variable gives a variable its slot, and adds a step that sets it.
	variable func(v logic.Term) (int, error)
}

func newCompiler() *compiler {
	return &compiler{init: map[int]*big.Int{}, memo: map[logic.Term]int{}}
}

// slot makes a slot for values of a sort.
func (c *compiler) slot(s logic.Sort) int {
	c.sorts = append(c.sorts, s)
	return len(c.sorts) - 1
}

func (c *compiler) add(s step) { c.steps = append(c.steps, s) }

// slots makes what the steps work on, with the constants filled in.
func (c *compiler) slots() *slots {
	s := &slots{w: make([]word, len(c.sorts)), b: make([]*big.Int, len(c.sorts))}
	for i, t := range c.sorts {
		v := c.init[i]
		if v == nil {
			v = new(big.Int)
		}
		if small(t) {
			s.w[i] = wordOf(v)
		} else {
			s.b[i] = new(big.Int).Set(v)
		}
	}
	return s
}

func (s *slots) run(steps []step) error {
	for _, f := range steps {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// term compiles t and returns its slot.
func (c *compiler) term(t logic.Term) (int, error) {
	if i, ok := c.memo[t]; ok {
		return i, nil
	}
	i, err := c.compile(t)
	if err == nil {
		c.memo[t] = i
	}
	return i, err
}

func (c *compiler) compile(t logic.Term) (int, error) {
	if err := t.Err(); err != nil {
		return 0, err
	}
	if v, ok := t.Const(); ok {
		i := c.slot(t.Sort())
		c.init[i] = v
		return i, nil
	}
	if t.Op() == logic.OpProj {
		return c.other(t) // its operand, a tuple, has no slot
	}
	switch t.Op() {
	case logic.OpVar:
		return c.variable(t)
	case logic.OpPoly:
		return c.poly(t)
	case logic.OpApp:
		return c.other(t)
	}
	args := make([]int, t.NumArgs())
	for i, a := range t.Args() {
		var err error
		if args[i], err = c.term(a); err != nil {
			return 0, err
		}
	}
	d := c.slot(t.Sort())
	f := c.integer(t, d, args)
	if f == nil {
		f = c.word(t, d, args)
	}
	if f == nil {
		return c.other(t)
	}
	c.add(f)
	return d, nil
}

func (c *compiler) poly(t logic.Term) (int, error) {
	ms := t.Monomials()
	atoms := make([][]int, len(ms))
	for i, m := range ms {
		for _, a := range m.Atoms {
			s, err := c.term(a)
			if err != nil {
				return 0, err
			}
			atoms[i] = append(atoms[i], s)
		}
	}
	d, x, y := c.slot(t.Sort()), new(big.Int), new(big.Int)
	c.add(func(s *slots) error {
		sum := s.b[d].SetUint64(0)
		for i, m := range ms {
			p := m.Coef
			for _, a := range atoms[i] {
				p = x.Mul(p, s.b[a])
				x, y = y, x // a product is not written over a factor
			}
			sum.Add(sum, p)
		}
		return nil
	})
	return d, nil
}

// other leaves a term to logic.Eval.
func (c *compiler) other(t logic.Term) (int, error) {
	if t.Sort().Kind() == logic.KindTuple {
		return 0, fmt.Errorf("%w: %v", errTuple, t)
	}
	c.slow = c.slow || t.Op() == logic.OpProj
	vars := logic.FreeVars(t)
	at := make([]int, len(vars))
	for i, v := range vars {
		var err error
		if at[i], err = c.term(v); err != nil {
			return 0, err
		}
	}
	d := c.slot(t.Sort())
	c.add(func(s *slots) error {
		env := make(map[logic.Term]logic.Value, len(vars))
		for i, v := range vars {
			env[v] = logic.IntValue(s.value(at[i]))
		}
		v, err := logic.Eval(t, env, 1<<24)
		if err != nil {
			return err
		}
		if s.b[d] != nil {
			s.b[d].Set(v.Big())
		} else {
			s.w[d] = wordOf(v.Big())
		}
		return nil
	})
	return d, nil
}

// integer is the step of an operation that takes or gives an Int, nil if t is none.
func (c *compiler) integer(t logic.Term, d int, args []int) step {
	a, b := 0, 0
	if len(args) > 0 {
		a, b = args[0], args[len(args)-1]
	}
	q := new(big.Int)
	floor := func(s *slots, q, r *big.Int) bool { // floor division, as logic.Eval has it, by what is not 0
		m := s.b[b]
		if m.Sign() == 0 {
			return false
		}
		if q.QuoRem(s.b[a], m, r); r.Sign() != 0 && r.Sign() != m.Sign() {
			q.Sub(q, one)
			r.Add(r, m)
		}
		return true
	}
	r := new(big.Int)
	switch t.Op() {
	case logic.OpEq0:
		return func(s *slots) error { s.w[d] = truth(s.b[a].Sign() == 0); return nil }
	case logic.OpGe0:
		return func(s *slots) error { s.w[d] = truth(s.b[a].Sign() >= 0); return nil }
	case logic.OpDvd:
		return func(s *slots) error {
			if !floor(s, q, r) {
				r.Set(s.b[a])
			}
			s.w[d] = truth(r.Sign() == 0)
			return nil
		}
	case logic.OpDiv:
		return func(s *slots) error {
			if !floor(s, s.b[d], r) {
				s.b[d].SetUint64(0)
			}
			return nil
		}
	case logic.OpMod:
		return func(s *slots) error {
			if !floor(s, q, s.b[d]) {
				s.b[d].Set(s.b[a])
			}
			return nil
		}
	case logic.OpUint:
		if small(t.Arg(0).Sort()) {
			return func(s *slots) error { s.w[a].big(s.b[d]); return nil }
		}
		return func(s *slots) error { s.b[d].Set(s.b[a]); return nil }
	case logic.OpToBV:
		if w := t.Width(); small(t.Sort()) {
			return func(s *slots) error { s.w[d] = wordOf(s.b[a]).mask(w); return nil }
		}
	case logic.OpIte:
		if !small(t.Sort()) && t.Sort().Kind() != logic.KindTuple {
			return func(s *slots) error {
				x := s.b[args[1]]
				if s.w[a].lo == 0 {
					x = s.b[b]
				}
				s.b[d].Set(x)
				return nil
			}
		}
	}
	return nil
}

var one = big.NewInt(1)

// word is the step of an operation on words, nil if t is none.
func (c *compiler) word(t logic.Term, d int, args []int) step {
	if !small(t.Sort()) || len(args) == 0 {
		return nil
	}
	for _, x := range t.Args() {
		if !small(x.Sort()) {
			return nil
		}
	}
	a, b := args[0], args[len(args)-1]
	w, k, aw := t.Width(), t.Lo(), t.Arg(0).Width()
	switch t.Op() {
	case logic.OpNot:
		return func(s *slots) error { s.w[d] = truth(s.w[a].lo == 0); return nil }
	case logic.OpAnd:
		return func(s *slots) error {
			r := uint64(1)
			for _, x := range args {
				r &= s.w[x].lo
			}
			s.w[d] = word{lo: r}
			return nil
		}
	case logic.OpEq:
		return func(s *slots) error { s.w[d] = truth(s.w[a] == s.w[b]); return nil }
	case logic.OpUlt:
		return func(s *slots) error { s.w[d] = truth(s.w[a].less(s.w[b])); return nil }
	case logic.OpSlt:
		flip := word{lo: 1}.shl(aw - 1)
		return func(s *slots) error { s.w[d] = truth(s.w[a].xor(flip).less(s.w[b].xor(flip))); return nil }
	case logic.OpIte:
		return func(s *slots) error {
			s.w[d] = s.w[b]
			if s.w[a].lo == 1 {
				s.w[d] = s.w[args[1]]
			}
			return nil
		}
	case logic.OpBVAdd:
		return func(s *slots) error { s.w[d] = s.w[a].add(s.w[b]).mask(w); return nil }
	case logic.OpBVMul:
		return func(s *slots) error { s.w[d] = s.w[a].mul(s.w[b]).mask(w); return nil }
	case logic.OpBVNeg:
		return func(s *slots) error { s.w[d] = s.w[a].not().add(word{lo: 1}).mask(w); return nil }
	case logic.OpBVNot:
		return func(s *slots) error { s.w[d] = s.w[a].not().mask(w); return nil }
	case logic.OpBVAnd:
		return func(s *slots) error { s.w[d] = s.w[a].and(s.w[b]); return nil }
	case logic.OpBVOr:
		return func(s *slots) error { s.w[d] = s.w[a].or(s.w[b]); return nil }
	case logic.OpBVXor:
		return func(s *slots) error { s.w[d] = s.w[a].xor(s.w[b]); return nil }
	case logic.OpShl:
		return func(s *slots) error { s.w[d] = s.w[a].shl(k).mask(w); return nil }
	case logic.OpLshr:
		return func(s *slots) error { s.w[d] = s.w[a].shr(k); return nil }
	case logic.OpAshr:
		return func(s *slots) error { s.w[d] = ashr(s.w[a], k, w); return nil }
	case logic.OpRotr:
		return func(s *slots) error { s.w[d] = s.w[a].shr(k).or(s.w[a].shl(w - k)).mask(w); return nil }
	case logic.OpLshrV:
		return func(s *slots) error {
			s.w[d] = word{}
			if n := s.w[b]; n.hi == 0 && n.lo < uint64(w) {
				s.w[d] = s.w[a].shr(int(n.lo))
			}
			return nil
		}
	case logic.OpExtract:
		return func(s *slots) error { s.w[d] = s.w[a].shr(k).mask(w); return nil }
	case logic.OpSext:
		return func(s *slots) error { s.w[d] = s.w[a].signed(aw).mask(w); return nil }
	case logic.OpConcat:
		at := make([]int, len(args))
		for i := 1; i < len(args); i++ {
			at[i] = at[i-1] + t.Arg(i-1).Width()
		}
		return func(s *slots) error {
			r := s.w[a]
			for i, x := range args[1:] {
				r = r.or(s.w[x].shl(at[i+1]))
			}
			s.w[d] = r
			return nil
		}
	}
	return nil
}

// ashr is the w-bit value x shifted right by k, filled with its sign.
func ashr(x word, k, w int) word {
	x = x.signed(w)
	r := x.shr(k)
	if k > 0 && int64(x.hi) < 0 {
		r = r.or(word{^uint64(0), ^uint64(0)}.shl(128 - k))
	}
	return r.mask(w)
}
