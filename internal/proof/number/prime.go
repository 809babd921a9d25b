package number

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"verum.example/internal/proof/auto"
	"verum.example/internal/tcb/kernel"
)

func fail(format string, args ...any) {
	auto.Must(Theorem{}, fmt.Errorf("proof/number: "+format, args...))
}

// trialLimit bounds the factors that are found by division, small what the kernel proves prime by division.
const (
	trialLimit = 1 << 12
	small      = 1 << 20
)

// known are prime factors above trialLimit for the certificates of the curves' p and n and of their factors in turn.
var known = sync.OnceValue(func() (qs []*big.Int) {
	for _, s := range strings.Fields(factors) {
		q, ok := new(big.Int).SetString(s, 10)
		if !ok {
			fail("%q is no number", s)
		}
		qs = append(qs, q)
	}
	return qs
})

// Certificate finds a proof that n is prime. It fails if n isn't, or if too few factors of n − 1, or of its factors less
// 1, are known: then they are to be added to factors.go.
func Certificate(n *big.Int) ([]kernel.PrimeStep, error) {
	c := certificate{done: map[string]error{}}
	if err := c.add(new(big.Int).Set(n)); err != nil {
		return nil, err
	}
	return c.steps, nil
}

// certificate collects steps; done has what was tried.
type certificate struct {
	steps []kernel.PrimeStep
	done  map[string]error
}

// add adds a step for n, after those for the factors on which it rests.
func (c *certificate) add(n *big.Int) error {
	err, ok := c.done[n.String()]
	if !ok {
		var s kernel.PrimeStep
		if s, err = c.step(n); err == nil {
			c.steps = append(c.steps, s)
		}
		c.done[n.String()] = err
	}
	return err
}

// step takes as few provable prime factors of n − 1 as their powers multiply to the square root of n.
func (c *certificate) step(n *big.Int) (kernel.PrimeStep, error) {
	s := kernel.PrimeStep{N: n}
	if !n.ProbablyPrime(20) {
		return s, fmt.Errorf("proof/number: %v is not prime", n)
	}
	if n.Cmp(big.NewInt(small)) < 0 {
		return s, nil
	}
	product := big.NewInt(1)
	for _, f := range divisors(new(big.Int).Sub(n, big.NewInt(1))) {
		if f.prime.Cmp(big.NewInt(small)) >= 0 && c.add(f.prime) != nil {
			continue
		}
		s.Factors = append(s.Factors, kernel.PrimeFactor{Q: f.prime, Witness: witness(n, f.prime)})
		product.Mul(product, f.power)
		if new(big.Int).Mul(product, product).Cmp(n) >= 0 {
			return s, nil
		}
	}
	return s, fmt.Errorf("proof/number: too few prime factors of %v − 1 are known", n)
}

// A divisor is a prime and its highest power in some number.
type divisor struct{ prime, power *big.Int }

// divisors are those of n that are small or known, or what these leave, the largest first.
func divisors(n *big.Int) (ds []divisor) {
	rest := new(big.Int).Set(n)
	divide := func(q *big.Int) {
		quo, rem := new(big.Int).QuoRem(rest, q, new(big.Int))
		if rem.Sign() != 0 {
			return
		}
		d := divisor{q, big.NewInt(1)}
		for rem.Sign() == 0 {
			d.power.Mul(d.power, q)
			rest.Set(quo)
			quo.QuoRem(rest, q, rem)
		}
		ds = append(ds, d)
	}
	for q := int64(2); q < trialLimit; q++ { // only a prime divides what is left
		divide(big.NewInt(q))
	}
	for _, q := range known() {
		divide(q)
	}
	if rest.ProbablyPrime(20) {
		divide(new(big.Int).Set(rest))
	}
	slices.SortFunc(ds, func(a, b divisor) int { return b.power.Cmp(a.power) })
	return ds
}

// witness is a number whose power (n−1)/q isn't 1 modulo n; for a prime n it is one in the sense of kernel.PrimeFactor.
func witness(n, q *big.Int) *big.Int {
	e := new(big.Int).Sub(n, big.NewInt(1))
	e.Quo(e, q)
	for a := big.NewInt(2); ; a.Add(a, big.NewInt(1)) {
		if new(big.Int).Exp(a, e, n).Cmp(big.NewInt(1)) != 0 {
			return a
		}
	}
}

var primes struct {
	sync.Mutex
	of map[string]kernel.Prime
}

// Prime proves that n is prime, once.
func Prime(n *big.Int) (kernel.Prime, error) {
	primes.Lock()
	defer primes.Unlock()
	if p, ok := primes.of[n.String()]; ok {
		return p, nil
	}
	steps, err := Certificate(n)
	if err != nil {
		return kernel.Prime{}, err
	}
	p, err := kernel.CheckPrime(steps...)
	if err != nil {
		return kernel.Prime{}, err
	}
	if primes.of == nil {
		primes.of = map[string]kernel.Prime{}
	}
	primes.of[n.String()] = p
	return p, nil
}

// prime is Prime of a constant.
func prime(p Term) kernel.Prime {
	n, ok := p.Const()
	if !ok {
		fail("%v is no constant", p)
	}
	q, err := Prime(n)
	if err != nil {
		auto.Must(Theorem{}, err)
	}
	return q
}
