package mont

import (
	"fmt"
	"math/big"
	"strings"

	impl "verum.example/internal/impl/mont"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// InternalContract is the contract of an operation as a routine that only verified code calls, under the given name:
// parameters, alias patterns, what it requires and ensures are those of spec/mont, term for term. A contract that
// several proofs share must be made in a package-level variable or an init function (see package registry).
func InternalContract(f *spec.Field, op, name string) (machine.Contract, error) {
	gen, ok := operations[op]
	if !ok {
		return machine.Contract{}, fmt.Errorf("there is no operation %s", op)
	}
	return internalContract(gen.contract(f), name)
}

func internalContract(c machine.Contract, name string) (machine.Contract, error) {
	fn := machine.Func{Name: name, Doc: name + strings.TrimPrefix(c.Doc(), c.Name()), Params: c.Params()}
	fn.Result, fn.ResultPublic = c.Result()
	patterns := c.Patterns()
	for _, p := range patterns[1:] {
		fn.Alias = append(fn.Alias, p.Names())
	}
	// Both contracts have their patterns in the same order, and each function is evaluated once for each of them.
	translate := func(after bool, terms func(i int) []Term) func(machine.Env) []Term {
		next := 0
		return func(e machine.Env) []Term {
			p := patterns[next]
			sub := map[Term]Term{}
			part := func(e machine.Env, q machine.Param, vars []Term) {
				for i, v := range vars {
					sub[v] = e.Bytes(q.Name, q.Elem*i, q.Elem)
				}
			}
			for _, q := range c.Params() {
				if q.Mode.Reads() {
					part(e, q, p.Before(q.Name))
				}
				if after && q.Mode.Returns() {
					part(e.After(), q, p.After(q.Name))
				}
			}
			if after && fn.Result != "" {
				sub[p.Result()] = e.Result()
			}
			var ts []Term
			for _, t := range terms(next) {
				ts = append(ts, logic.Subst(t, sub))
			}
			next++
			return ts
		}
	}
	fn.Requires = translate(false, func(i int) []Term { return patterns[i].Requires() })
	fn.Ensures = translate(true, func(i int) []Term { return patterns[i].Ensures() })
	fn.Witness = func() map[string]*big.Int {
		w := map[string]*big.Int{}
		for _, q := range c.Params() {
			if q.Mode.Reads() {
				w[q.Name] = c.Witness(q.Name)
			}
		}
		return w
	}
	return machine.Internal(fn)
}

// Internal is what verifies an operation as an internal routine against c, which InternalContract made for the same
// operation.
func Internal(f *spec.Field, op string, c machine.Contract, t machine.Target, variant string) (
	machine.Program, machine.Prover, error) {
	if _, ok := operations[op]; !ok {
		return machine.Program{}, nil, fmt.Errorf("there is no operation %s", op)
	}
	r, err := impl.Internal(op, f.Name, t, variant, f.M)
	if err != nil {
		return machine.Program{}, nil, err
	}
	p, pr := program(f, op, c, t, variant, r)
	return p, pr, nil
}
