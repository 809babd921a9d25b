package logic

import (
	"errors"
	"math/big"
)

// Sum accumulates Σ c·p₁·…·pₖ without making a term of any intermediate result: certificate checks run here. The zero
// value is 0. It is a calculator; nothing is proved by it. It must not be copied after its first use, and isn't safe for
// concurrent use.
type Sum struct {
	ops []sumOp
	err error
}

type sumOp struct {
	c  num
	ps [][]mono
}

// Add adds c·p₁·…·pₖ. A nil c is 1.
func (s *Sum) Add(c *big.Int, ps ...Term) {
	if e, ok := isInt(ps...); !ok {
		if s.err == nil {
			s.err = e.Err()
		}
		return
	}
	op := sumOp{c: numOne}
	if c != nil {
		op.c = numOf(new(big.Int).Set(c))
	}
	for _, p := range ps {
		op.ps = append(op.ps, p.n.monos())
	}
	s.ops = append(s.ops, op)
}

// Term is the sum as a term.
func (s *Sum) Term() Term {
	acc, err := s.run()
	if err != nil {
		return invalid("%w", err)
	}
	return Term{polyNode(acc.monos())}
}

// IsZero tells that the sum is 0.
func (s *Sum) IsZero() (bool, error) {
	acc, err := s.run()
	if err != nil {
		return false, err
	}
	for _, c := range acc.coefs {
		if c.sign() != 0 {
			return false, nil
		}
	}
	return true, nil
}

// DivisibleBy tells that every coefficient is a multiple of m, m ≠ 0.
func (s *Sum) DivisibleBy(m *big.Int) (bool, error) {
	if m == nil || m.Sign() == 0 {
		return false, errors.New("sum: modulus 0")
	}
	acc, err := s.run()
	if err != nil {
		return false, err
	}
	r := new(big.Int)
	for _, c := range acc.coefs {
		if c.sign() != 0 && r.Rem(c.big(), m).Sign() != 0 {
			return false, nil
		}
	}
	return true, nil
}

// A key stands for a product of atoms, which are numbered from 1 (index form) or 0 (exponent form) in the order of
// their first use. Index form: up to 16 sorted 16-bit atom numbers, 0 = none. Exponent form, for at most 32 atoms: one
// byte for each atom's exponent.
type key [4]uint64

const (
	keyIndices   = 16
	keyExponents = 32
)

type accumulator struct {
	atoms     []*node
	num       map[*node]int
	exponents bool
	at        map[key]int
	keys      []key
	coefs     []num
}

// run evaluates the recorded operations.
func (s *Sum) run() (*accumulator, error) {
	if s.err != nil {
		return nil, s.err
	}
	a := &accumulator{num: map[*node]int{}, at: map[key]int{}}
	degree := 0
	for _, op := range s.ops {
		d := 0
		for _, p := range op.ps {
			dp := 0
			for _, m := range p {
				dp = max(dp, len(m.v))
				for _, v := range m.v {
					if _, ok := a.num[v]; !ok {
						a.num[v] = len(a.atoms)
						a.atoms = append(a.atoms, v)
					}
				}
			}
			d += dp
		}
		degree = max(degree, d)
	}
	switch {
	case degree <= keyIndices && len(a.atoms) < 1<<16-1:
	case len(a.atoms) <= keyExponents && degree <= 255:
		a.exponents = true
	default:
		return nil, errors.New("sum: more than 32 atoms at a degree over 16, or a degree over 255")
	}
	for _, op := range s.ops {
		a.add(op)
	}
	return a, nil
}

type term struct {
	c num
	k key
}

func (a *accumulator) add(op sumOp) {
	cur := []term{{c: op.c}}
	for i, p := range op.ps {
		q := make([]term, len(p))
		for j, m := range p {
			q[j] = term{m.c, a.key(m.v)}
		}
		if i == len(op.ps)-1 {
			for _, x := range cur {
				for _, y := range q {
					a.put(x.c.mul(y.c), a.mul(x.k, y.k))
				}
			}
			return
		}
		next := accumulator{exponents: a.exponents, at: map[key]int{}}
		for _, x := range cur {
			for _, y := range q {
				next.put(x.c.mul(y.c), a.mul(x.k, y.k))
			}
		}
		cur = cur[:0]
		for j, c := range next.coefs {
			if c.sign() != 0 {
				cur = append(cur, term{c, next.keys[j]})
			}
		}
	}
	for _, x := range cur {
		a.put(x.c, x.k)
	}
}

func (a *accumulator) put(c num, k key) {
	if i, ok := a.at[k]; ok {
		a.coefs[i] = a.coefs[i].add(c)
		return
	}
	a.at[k] = len(a.coefs)
	a.keys = append(a.keys, k)
	a.coefs = append(a.coefs, c)
}

func (k *key) index(i int) uint64 { return k[i/4] >> (16 * (i % 4)) & 0xffff }

func (a *accumulator) key(vs []*node) (k key) {
	if a.exponents {
		for _, v := range vs {
			i := a.num[v]
			k[i/8] += 1 << (8 * (i % 8))
		}
		return k
	}
	for _, v := range vs {
		var one key
		one[0] = uint64(a.num[v] + 1)
		k = a.mul(k, one)
	}
	return k
}

// mul multiplies products; run has bounded the degree, so exponents don't overflow and indices fit.
func (a *accumulator) mul(x, y key) key {
	if y == (key{}) {
		return x
	}
	if x == (key{}) {
		return y
	}
	if a.exponents {
		return key{x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]}
	}
	var r key
	i, j := 0, 0
	for n := 0; n < keyIndices; n++ {
		var p, q uint64
		if i < keyIndices {
			p = x.index(i)
		}
		if j < keyIndices {
			q = y.index(j)
		}
		switch {
		case p == 0 && q == 0:
			return r
		case q == 0 || p != 0 && p <= q:
			i++
		default:
			p = q
			j++
		}
		r[n/4] |= p << (16 * (n % 4))
	}
	return r
}

func (a *accumulator) monos() []mono {
	var ms []mono
	for i, c := range a.coefs {
		if c.sign() == 0 {
			continue
		}
		k := a.keys[i]
		var v []*node
		if a.exponents {
			for j, n := range a.atoms {
				for e := k[j/8] >> (8 * (j % 8)) & 0xff; e > 0; e-- {
					v = append(v, n)
				}
			}
		} else {
			for j := 0; j < keyIndices && k.index(j) != 0; j++ {
				v = append(v, a.atoms[k.index(j)-1])
			}
		}
		sortNodes(v)
		ms = append(ms, mono{c, v})
	}
	return normalize(ms)
}
