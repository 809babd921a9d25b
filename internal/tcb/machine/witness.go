package machine

import (
	"fmt"
	"math/big"
	"slices"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// evalBudget bounds the evaluation of one formula of a contract.
const evalBudget = 1 << 24

// Check evaluates the contract on an initial state and, if out is not nil, on the final state of a run from it. The
// error says what does not hold.
func Check(c Contract, in Input, out *Output) error {
	pat, env, err := environment(c, in)
	if err != nil {
		return err
	}
	if err := holds("requires", pat.Requires(), env); err != nil || out == nil {
		return err
	}
	for _, q := range c.Params() {
		if q.Value || !q.Mode.Returns() {
			continue
		}
		if err := bind(env, q, pat.After(q.Name), out.Mem[q.Name]); err != nil {
			return err
		}
	}
	if res, _ := c.Result(); res != "" {
		env[pat.Result()] = logic.IntValue(new(big.Int).SetUint64(out.Result))
	}
	return holds("ensures", pat.Ensures(), env)
}

// environment gives the variables of an initial state their values.
func environment(c Contract, in Input) (pat contract.Pattern, env map[logic.Term]logic.Value, err error) {
	found := false
	for _, p := range c.Patterns() {
		if slices.Equal(p.Names(), in.Aliased) {
			pat, found = p, true
		}
	}
	if !found {
		return pat, nil, fmt.Errorf("%v is no alias pattern", in.Aliased)
	}
	env = map[logic.Term]logic.Value{}
	for _, q := range c.Params() {
		b, given := in.Mem[q.Name]
		switch {
		case q.Value:
			env[pat.Arg(q.Name)] = logic.IntValue(new(big.Int).SetUint64(in.Args[q.Name]))
		case q.Mode.Reads() && (given || !slices.Contains(in.Aliased, q.Name)):
			if err := bind(env, q, pat.Before(q.Name), b); err != nil {
				return pat, nil, err
			}
		}
	}
	return pat, env, nil
}

// bind gives the variables of a region's contents their values.
func bind(env map[logic.Term]logic.Value, q Param, vars []logic.Term, b []byte) error {
	if q.IsInt() {
		env[vars[0]] = leValue(b)
		return nil
	}
	if len(b) != q.Bytes {
		return fmt.Errorf("%s has %d bytes, not %d", q.Name, len(b), q.Bytes)
	}
	for i, v := range vars {
		env[v] = leValue(b[i*q.Elem : (i+1)*q.Elem])
	}
	return nil
}

func leValue(b []byte) logic.Value {
	be := slices.Clone(b)
	slices.Reverse(be)
	return logic.IntValue(new(big.Int).SetBytes(be))
}

func holds(what string, fs []logic.Term, env map[logic.Term]logic.Value) error {
	for i, f := range fs {
		v, err := logic.Eval(f, env, evalBudget)
		if err != nil {
			return fmt.Errorf("%s %d: %w", what, i, err)
		}
		if !v.Bool() {
			return fmt.Errorf("%s %d does not hold: %s", what, i, side(f))
		}
	}
	return nil
}

// witness is the contract's witness as an initial state.
func witness(c Contract, pat contract.Pattern) Input {
	in := Input{Aliased: pat.Names(), Mem: map[string][]byte{}, Args: map[string]uint64{}}
	for _, q := range c.Params() {
		if q.Value {
			in.Args[q.Name] = c.Witness(q.Name).Uint64()
		}
	}
	given := false // the coinciding parameters have their contents
	for _, q := range c.Params() {
		if q.Value || !q.Mode.Reads() || given && slices.Contains(in.Aliased, q.Name) {
			continue
		}
		given = given || slices.Contains(in.Aliased, q.Name)
		n := q.Bytes
		if q.Len != "" {
			n = q.Elem * int(in.Args[q.Len])
		}
		b := c.Witness(q.Name).FillBytes(make([]byte, n))
		slices.Reverse(b)
		in.Mem[q.Name] = b
	}
	return in
}

// checkWitness: the witness meets the precondition and the layout facts, and the code, run on it, the postcondition
// (logic.md 37).
func (v *verified) checkWitness(pat contract.Pattern) error {
	c := v.prog.Contract
	in := witness(c, pat)
	if err := Check(c, in, nil); err != nil {
		return err
	}
	run, err := newConc(&v.prog, in)
	if err != nil {
		return err
	}
	_, env, err := environment(c, in)
	if err != nil {
		return err
	}
	e := newExec(&v.prog, pat, NoProof{})
	for _, s := range run.segs { // named as the regions: a parameter, the first of those that coincide, a table, the frame
		i := e.index[s.name]
		env[e.regions[i].base] = logic.IntValue(new(big.Int).SetUint64(s.base))
		if m := e.st.mem[i].whole; !m.IsZero() {
			env[m] = leValue(s.data)
		}
	}
	if err := holds("fact on entry", e.facts, env); err != nil {
		return err
	}
	out, err := v.run(in)
	if err != nil {
		return err
	}
	return Check(c, in, &out)
}
