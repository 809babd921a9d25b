package mont

import (
	"math/big"
	"slices"
	"testing"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// fields are those of the curves, and a small one, where numbers are rarely below the modulus.
func fields(t *testing.T) []*Field {
	tiny, err := New("tiny", big.NewInt(13))
	if err != nil {
		t.Fatal(err)
	}
	return []*Field{P256(), P256Ord(), P384(), P192(), tiny}
}

// TestNewRefusesNames: a name must be a Go identifier's beginning; 1 is odd, but no number is below it but 0.
func TestNewRefusesNames(t *testing.T) {
	if _, err := New("p-256", big.NewInt(13)); err == nil {
		t.Error("a name that is no identifier is accepted")
	}
	if _, err := New("f", big.NewInt(1)); err == nil {
		t.Error("the modulus 1 is accepted")
	}
}

// bind gives the variables of a region the words or bytes of v.
func bind(env map[logic.Term]logic.Value, p contract.Param, vars []logic.Term, v *big.Int) {
	mask := new(big.Int).Lsh(big.NewInt(1), uint(8*p.Elem))
	mask.Sub(mask, big.NewInt(1))
	for i, x := range vars {
		w := new(big.Int).Rsh(v, uint(8*p.Elem*i))
		env[x] = logic.IntValue(w.And(w, mask))
	}
}

func holds(t *testing.T, fs []logic.Term, env map[logic.Term]logic.Value) bool {
	t.Helper()
	for _, f := range fs {
		v, err := logic.Eval(f, env, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Bool() {
			return false
		}
	}
	return true
}

// state is the values of the parameters of a contract, little-endian, and of its result ("ok").
type state map[string]*big.Int

// meets evaluates the contract without aliases: whether Requires and Ensures hold.
func meets(t *testing.T, c contract.Contract, before, after state) (requires, ensures bool) {
	t.Helper()
	p := c.Patterns()[0]
	env := map[logic.Term]logic.Value{}
	for _, q := range c.Params() {
		if q.Mode.Reads() {
			bind(env, q, p.Before(q.Name), before[q.Name])
		}
		if q.Mode.Returns() {
			bind(env, q, p.After(q.Name), after[q.Name])
		}
	}
	if r, _ := c.Result(); r != "" {
		env[p.Result()] = logic.IntValue(after[r])
	}
	return holds(t, p.Requires(), env), holds(t, p.Ensures(), env)
}

func reverse(v *big.Int, n int) *big.Int {
	b := v.FillBytes(make([]byte, n))
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// TestContracts: the contracts accept what math/big computes and nothing next to it, on the witness and other inputs.
func TestContracts(t *testing.T) {
	ones := new(big.Int).SetUint64(1<<64 - 1)
	for _, f := range fields(t) {
		m, n := f.M, f.Words
		r := new(big.Int).Lsh(big.NewInt(1), uint(64*n))
		rinv := new(big.Int).ModInverse(r, m)
		mod := func(vs ...*big.Int) *big.Int { // product modulo m
			x := big.NewInt(1)
			for _, v := range vs {
				x.Mul(x, v)
			}
			return x.Mod(x, m)
		}
		half := mod(new(big.Int).ModInverse(big.NewInt(2), m))
		a, b, minus := new(big.Int).Rsh(m, 1), new(big.Int).Sub(m, big.NewInt(3)), big.NewInt(-1)
		entry := new(big.Int).Lsh(big.NewInt(1), uint(64*Coordinates*n))
		entry.Sub(entry, big.NewInt(1))
		for _, tc := range []struct {
			c             contract.Contract
			before, after state
			requires      bool
		}{
			{f.Mul, state{"a": a, "b": b}, state{"r": mod(a, b, rinv)}, true},
			{f.Mul, state{"a": ones, "b": b}, state{"r": mod(ones, b, rinv)}, true},
			{f.Mul, state{"a": a, "b": m}, state{"r": new(big.Int)}, false},
			{f.Sqr, state{"a": b}, state{"r": mod(b, b, rinv)}, true},
			{f.Sqr, state{"a": m}, state{"r": new(big.Int)}, false},
			{f.Add, state{"a": a, "b": b}, state{"r": mod(new(big.Int).Add(a, b))}, true},
			{f.Add, state{"a": m, "b": b}, state{"r": mod(b)}, false},
			{f.Add, state{"a": a, "b": m}, state{"r": mod(a)}, false},
			{f.Sub, state{"a": a, "b": b}, state{"r": mod(new(big.Int).Sub(a, b))}, true},
			{f.Sub, state{"a": b, "b": m}, state{"r": mod(b)}, false},
			{f.Neg, state{"a": a}, state{"r": mod(minus, a)}, true},
			{f.Neg, state{"a": new(big.Int)}, state{"r": new(big.Int)}, true},
			{f.Half, state{"a": a}, state{"r": mod(a, half)}, true},
			{f.ToMont, state{"a": ones}, state{"r": mod(ones, r)}, true},
			{f.FromMont, state{"a": ones}, state{"r": mod(ones, rinv)}, true},
			{f.FromBytes, state{"b": reverse(b, 8*n)}, state{"r": b, "ok": big.NewInt(1)}, true},
			{f.FromBytes, state{"b": reverse(m, 8*n)}, state{"r": new(big.Int), "ok": new(big.Int)}, true},
			{f.ToBytes, state{"a": ones}, state{"b": reverse(ones, 8*n)}, true},
			{f.CMov, state{"r": a, "a": b, "cond": new(big.Int)}, state{"r": a}, true},
			{f.CMov, state{"r": a, "a": b, "cond": ones}, state{"r": b}, true},
			{f.CMov, state{"r": a, "a": b, "cond": big.NewInt(1)}, state{"r": b}, false},
			{f.CNeg, state{"a": b, "cond": new(big.Int)}, state{"r": b}, true},
			{f.CNeg, state{"a": b, "cond": ones}, state{"r": mod(minus, b)}, true},
			{f.Select, state{"table": f.Select.Witness("table"), "index": big.NewInt(15)},
				state{"r": new(big.Int).Rsh(f.Select.Witness("table"), uint(15*64*Coordinates*n))}, true},
			{f.Select, state{"table": f.Select.Witness("table"), "index": big.NewInt(0)},
				state{"r": new(big.Int).And(f.Select.Witness("table"), entry)}, true},
			{f.Select, state{"table": f.Select.Witness("table"), "index": big.NewInt(16)}, state{"r": new(big.Int)}, true},
		} {
			requires, ensures := meets(t, tc.c, tc.before, tc.after)
			if requires != tc.requires || !ensures {
				t.Errorf("%s, %v → %v: requires %v, ensures %v", tc.c.Name(), tc.before, tc.after, requires, ensures)
			}
			if !tc.requires {
				continue
			}
			for k, v := range tc.after {
				bits := 64 * n
				if tc.c.Name() == f.Name+"Select" {
					bits *= Coordinates
				} else if k == "ok" {
					bits = 64
				}
				var wrong []*big.Int
				for i := 0; i < bits; i += 1 + bits/20 {
					wrong = append(wrong, new(big.Int).Xor(v, new(big.Int).Lsh(big.NewInt(1), uint(i))))
				}
				if w := new(big.Int).Add(v, m); w.BitLen() <= bits {
					wrong = append(wrong, w)
				}
				for _, w := range wrong {
					after := state{}
					for k2, v2 := range tc.after {
						after[k2] = v2
					}
					after[k] = w
					if _, ensures := meets(t, tc.c, tc.before, after); ensures {
						t.Errorf("%s, %v → %v is accepted", tc.c.Name(), tc.before, after)
					}
				}
			}
		}
	}
}

// TestWitness: every witness meets Requires, in every alias pattern.
func TestWitness(t *testing.T) {
	for _, f := range fields(t) {
		for _, c := range f.Contracts() {
			for _, p := range c.Patterns() {
				env := map[logic.Term]logic.Value{}
				first := ""
				for _, q := range c.Params() {
					if !q.Mode.Reads() {
						continue
					}
					from := q.Name
					if slices.Contains(p.Names(), q.Name) {
						if first == "" {
							first = q.Name
						}
						from = first
					}
					bind(env, q, p.Before(q.Name), c.Witness(from))
				}
				if !holds(t, p.Requires(), env) {
					t.Errorf("%s %v: the witness does not meet Requires", c.Name(), p.Names())
				}
			}
		}
	}
}
