package mutate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// pattern is what is needed of a contract under one alias pattern. (It is an interface because only specifications may
// name package contract.)
type pattern interface {
	Names() []string
	Before(name string) []logic.Term
	After(name string) []logic.Term
	Arg(name string) logic.Term
	Result() logic.Term
	Requires() []logic.Term
	Ensures() []logic.Term
	Leaks() []logic.Term
}

// state is an initial state. Parameters are numbered as in the contract; those that coincide share the region of the
// first of them.
type state struct {
	layout int
	args   []uint64 // of by-value parameters
	mem    [][]byte // of regions that are read
}

// clone copies a state. The contents of regions are shared: nobody writes them.
func (s *state) clone() *state {
	return &state{layout: s.layout, args: slices.Clone(s.args), mem: slices.Clone(s.mem)}
}

// space is the initial states that meet a contract's precondition under one alias pattern, as far as it can be evaluated
// here: not what it says about tuples, as points of a curve are.
type space struct {
	contract machine.Contract
	pat      pattern
	params   []machine.Param
	region   []int  // of each parameter
	reads    []bool // of each region: its contents are part of the state
	public   []bool // of each region or by-value parameter
	isLen    []bool // of each by-value parameter: a region's length
	consts   []*big.Int

	cur      *state // what the variables of the compiled terms refer to
	out      *vm    // after a run, for variables of the state after
	pre      *slots
	preSteps []step
	requires []int
	open     bool // a requirement cannot be evaluated here, so that states may not meet it
	leaks    []int
	rng      *rand.Rand
}

func newSpace(c machine.Contract, pat pattern, rng *rand.Rand) (*space, error) {
	s := &space{contract: c, pat: pat, params: c.Params(), rng: rng}
	n := len(s.params)
	s.region, s.reads, s.public, s.isLen = make([]int, n), make([]bool, n), make([]bool, n), make([]bool, n)
	shared := -1
	for i, q := range s.params {
		s.region[i] = i
		if slices.Contains(pat.Names(), q.Name) {
			if shared < 0 {
				shared = i
			}
			s.region[i] = shared
		}
		r := s.region[i]
		s.reads[r] = s.reads[r] || !q.Value && q.Mode.Reads()
		s.public[r] = s.public[r] || q.Value || q.Public && q.Mode.Reads()
		s.isLen[i] = q.Value && slices.ContainsFunc(s.params, func(p machine.Param) bool { return p.Len == q.Name })
	}
	s.consts = constants(slices.Concat(pat.Requires(), pat.Ensures(), pat.Leaks()))
	pre := newCompiler()
	pre.variable = s.variable(pre)
	for _, t := range pat.Requires() {
		i, err := pre.term(t)
		if errors.Is(err, errTuple) {
			s.open = true
			continue
		}
		if err != nil {
			return nil, err
		}
		s.requires = append(s.requires, i)
	}
	for _, t := range pat.Leaks() {
		i, err := pre.term(t)
		if err != nil {
			return nil, err
		}
		s.leaks = append(s.leaks, i)
	}
	s.pre, s.preSteps = pre.slots(), pre.steps
	return s, nil
}

// variable makes steps that set the contract's variables from the state before, and after if there is one.
func (s *space) variable(c *compiler) func(logic.Term) (int, error) {
	return func(v logic.Term) (int, error) {
		d := c.slot(v.Sort())
		for i, q := range s.params {
			if q.Value && s.pat.Arg(q.Name) == v {
				c.add(func(x *slots) error { x.w[d] = word{lo: s.cur.args[i]}; return nil })
				return d, nil
			}
			if q.Value {
				continue
			}
			if n := slices.Index(s.pat.Before(q.Name), v); n >= 0 && q.Mode.Reads() {
				r := s.region[i]
				s.contents(c, d, q, n, func() []byte { return s.cur.mem[r] })
				return d, nil
			}
			if n := slices.Index(s.pat.After(q.Name), v); n >= 0 {
				s.contents(c, d, q, n, func() []byte { return s.out.param[i].data })
				return d, nil
			}
		}
		if v == s.pat.Result() {
			c.add(func(x *slots) error { x.w[d] = word{lo: s.out.result}; return nil })
			return d, nil
		}
		return 0, errVariable
	}
}

// contents adds the step that sets slot d to element n of a region, or to the Int that it contains.
func (s *space) contents(c *compiler, d int, q machine.Param, n int, region func() []byte) {
	if q.IsInt() {
		c.add(func(x *slots) error { x.b[d].Set(little(region())); return nil })
		return
	}
	c.add(func(x *slots) error {
		var b [8]byte
		copy(b[:], region()[n*q.Elem:(n+1)*q.Elem])
		x.w[d] = word{lo: binary.LittleEndian.Uint64(b[:])}
		return nil
	})
}

// little is the little-endian number.
func little(b []byte) *big.Int {
	be := slices.Clone(b)
	slices.Reverse(be)
	return new(big.Int).SetBytes(be)
}

// meets tells that the current state meets the precondition.
func (s *space) meets() (bool, error) {
	if err := s.pre.run(s.preSteps); err != nil {
		return false, err
	}
	for _, i := range s.requires {
		if s.pre.w[i].lo == 0 {
			return false, nil
		}
	}
	return true, nil
}

// observed is what the timing of a run from the current state may depend on: addresses, public inputs, leaks. meets has
// just evaluated the leaks.
func (s *space) observed() string {
	b := []byte{byte(s.cur.layout)}
	for i := range s.params {
		switch {
		case s.region[i] != i || !s.public[i]:
		case s.params[i].Value:
			b = binary.LittleEndian.AppendUint64(b, s.cur.args[i])
		default:
			b = append(append(b, s.cur.mem[i]...), 0)
		}
	}
	for _, i := range s.leaks {
		b = append(s.pre.value(i).Append(b, 16), ',')
	}
	return string(b)
}

// witness makes the contract's witness the current state.
func (s *space) witness() {
	s.cur = &state{args: make([]uint64, len(s.params)), mem: make([][]byte, len(s.params))}
	for i, q := range s.params {
		if q.Value {
			s.cur.args[i] = s.contract.Witness(q.Name).Uint64()
		}
	}
	for i, q := range s.params {
		r := s.region[i]
		if q.Value || !q.Mode.Reads() || s.cur.mem[r] != nil {
			continue
		}
		b := s.contract.Witness(q.Name).FillBytes(make([]byte, s.size(q)))
		slices.Reverse(b)
		s.cur.mem[r] = b
	}
}

// size is the number of bytes of a region in the current state.
func (s *space) size(q machine.Param) int {
	if q.Len == "" {
		return q.Bytes
	}
	i := slices.IndexFunc(s.params, func(p machine.Param) bool { return p.Name == q.Len })
	return q.Elem * int(s.cur.args[i])
}

// next makes another state the current one, by drawing its parts anew, each so that the precondition still holds. With
// keep, the public parts stay.
func (s *space) next(keep bool) error {
	s.cur = s.cur.clone()
	if !keep {
		s.cur.layout = s.rng.IntN(2)
	}
	for _, i := range s.rng.Perm(len(s.params)) {
		if s.region[i] != i || keep && s.public[i] || !s.params[i].Value && !s.reads[i] {
			continue
		}
		for range 8 {
			old := s.cur.clone()
			s.draw(i)
			ok, err := s.meets()
			if err != nil {
				return err
			}
			if ok {
				break
			}
			s.cur = old
		}
	}
	_, err := s.meets() // for the leaks
	return err
}

// draw draws one part anew: an argument, with the regions whose length it is, or a region.
func (s *space) draw(i int) {
	q := s.params[i]
	if !q.Value {
		s.cur.mem[i] = s.bytes(s.size(q), i)
		return
	}
	b := s.bytes(8, -1)
	s.cur.args[i] = binary.LittleEndian.Uint64(b)
	if s.rng.IntN(4) > 0 {
		s.cur.args[i] = uint64(s.rng.IntN(12))
	}
	if !s.isLen[i] {
		return
	}
	if s.cur.args[i] > 300 { // no contract needs longer regions to show how it handles lengths
		s.cur.args[i] = uint64(s.rng.IntN(40))
	}
	for j, p := range s.params {
		if p.Len == q.Name && s.reads[s.region[j]] && s.region[j] == j {
			s.cur.mem[j] = s.bytes(s.size(p), j)
		}
	}
}

// bytes draws the contents of n bytes: edge cases of words, of the constants in the contract, and of other regions, or
// anything.
func (s *space) bytes(n, region int) []byte {
	rng := s.rng
	number := func() *big.Int { // near one of the constants, or a power of 2
		x := new(big.Int).Lsh(one, uint(rng.IntN(8*n+1)))
		if len(s.consts) > 0 && rng.IntN(4) > 0 {
			x.Set(s.consts[rng.IntN(len(s.consts))])
		}
		switch rng.IntN(6) {
		case 0: // below it
			if x.Sign() > 0 {
				x.Mod(new(big.Int).SetBytes(random(rng, n+8)), x)
			}
		case 1:
			x.Rsh(x, 1)
		case 2: // as far from it as another region is from 0
			if j := rng.IntN(len(s.params)); s.cur.mem[j] != nil {
				x.Sub(x, little(s.cur.mem[j]))
			}
		}
		return x.Add(x, big.NewInt(int64(rng.IntN(5)-2)))
	}
	put := func(x *big.Int, bigEndian bool) []byte {
		x.And(x, new(big.Int).Sub(new(big.Int).Lsh(one, uint(8*n)), one))
		b := x.FillBytes(make([]byte, n))
		if !bigEndian {
			slices.Reverse(b)
		}
		return b
	}
	switch rng.IntN(8) {
	case 0:
		return bytes.Repeat([]byte{byte(-rng.IntN(2))}, n) // 0 or all ones
	case 1:
		return put(big.NewInt(int64(rng.IntN(20))), rng.IntN(8) == 0)
	case 2:
		b := random(rng, n)
		for o := 0; o < n; o += 8 {
			var w [8]byte
			binary.LittleEndian.PutUint64(w[:], edges[rng.IntN(len(edges))])
			if rng.IntN(4) > 0 {
				copy(b[o:], w[:])
			}
		}
		return b
	case 3, 4:
		return put(number(), region >= 0 && s.params[region].Elem == 1 && rng.IntN(4) > 0)
	case 5: // what another region has
		if j := rng.IntN(len(s.params)); j != region && len(s.cur.mem[j]) == n {
			return slices.Clone(s.cur.mem[j])
		}
	}
	return random(rng, n)
}

// edges are words at which carries, signs and comparisons change.
var edges = []uint64{0, 1, 2, 1<<64 - 1, 1<<64 - 2, 1 << 63, 1<<63 - 1, 1 << 32, 1<<32 - 1, 1<<64 - 1<<32}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for o := 0; o < n; o += 8 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], rng.Uint64())
		copy(b[o:], w[:])
	}
	return b
}

// constants lists the constants in terms, but for small ones and powers of 2.
func constants(ts []logic.Term) (cs []*big.Int) {
	seen, have := map[logic.Term]bool{}, map[string]bool{}
	add := func(v *big.Int) {
		v = new(big.Int).Abs(v)
		if v.BitLen() > 6 && int(v.TrailingZeroBits()) != v.BitLen()-1 && !have[v.String()] {
			have[v.String()] = true
			cs = append(cs, v)
		}
	}
	var walk func(t logic.Term)
	walk = func(t logic.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if v, ok := t.Const(); ok {
			add(v)
			return
		}
		for _, a := range t.Args() {
			walk(a)
		}
		if t.Op() == logic.OpPoly {
			for _, m := range t.Monomials() {
				add(m.Coef)
				for _, a := range m.Atoms {
					walk(a)
				}
			}
		}
	}
	for _, t := range ts {
		walk(t)
	}
	slices.SortFunc(cs, (*big.Int).Cmp)
	return cs
}
