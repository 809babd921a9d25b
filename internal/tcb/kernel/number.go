package kernel

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/logic"
)

// Prime is a number that CheckPrime has found to be prime. The zero Prime is none; every rule refuses it.
type Prime struct{ p *big.Int }

// IsZero tells the zero Prime, which is no number.
func (p Prime) IsZero() bool { return p.p == nil }

// Term is the number.
func (p Prime) Term() logic.Term { return logic.IntConst(p.p) } // of nil, an invalid term

// PrimeStep says that N is prime, because of some of the prime factors of N − 1, with a witness for each. A factor is
// below 2²⁰ or the N of an earlier step. An N below 2²⁰ needs no factors.
type PrimeStep struct {
	N       *big.Int
	Factors []PrimeFactor
}

// PrimeFactor is a prime Q that divides N − 1, and a number whose order modulo every prime factor of N is divisible by
// the highest power of Q in N − 1.
type PrimeFactor struct{ Q, Witness *big.Int }

// Limits of a certificate.
const (
	maxPrimeBits  = 1 << 12
	maxTrialBits  = 20
	maxPrimeSteps = 1 << 10
)

// CheckPrime finds that the N of the last step is prime, by Pocklington's theorem for each step in turn, and trial
// division below 2²⁰.
//
// Sound: let F be the product of the highest powers of the Q in N − 1, r a prime factor of N, and d the order of Q's
// witness a modulo r. As a^(N−1) ≡ 1 (mod N), d divides N − 1; as a^((N−1)/Q) − 1 is prime to N, d doesn't divide
// (N−1)/Q. So the highest power of the prime Q in N − 1 divides d, and d divides r − 1. Hence F divides r − 1 and r > F.
// If F² ≥ N, every prime factor of N > 1 is greater than √N: N is prime.
func CheckPrime(steps ...PrimeStep) (Prime, error) {
	steps = copySteps(steps)
	if len(steps) == 0 || len(steps) > maxPrimeSteps {
		return Prime{}, fmt.Errorf("kernel: CheckPrime: %d steps", len(steps))
	}
	proved := map[string]bool{}
	for i, s := range steps {
		if !trialPrime(s.N) {
			if err := s.pocklington(proved); err != nil {
				return Prime{}, fmt.Errorf("kernel: CheckPrime: step %d: %w", i, err)
			}
		}
		proved[s.N.String()] = true
	}
	return Prime{steps[len(steps)-1].N}, nil
}

// copySteps copies a certificate before it is checked.
func copySteps(steps []PrimeStep) []PrimeStep {
	clone := func(x *big.Int) *big.Int {
		if x == nil {
			return new(big.Int) // refused like 0
		}
		return new(big.Int).Set(x)
	}
	out := make([]PrimeStep, len(steps))
	for i, s := range steps {
		out[i].N = clone(s.N)
		for _, f := range s.Factors {
			out[i].Factors = append(out[i].Factors, PrimeFactor{clone(f.Q), clone(f.Witness)})
		}
	}
	return out
}

// pocklington is the theorem for one step; proved are the primes of the earlier ones.
func (s PrimeStep) pocklington(proved map[string]bool) error {
	if s.N.Cmp(one) <= 0 || s.N.BitLen() > maxPrimeBits {
		return fmt.Errorf("%v is below 2 or has more than %d bits", s.N, maxPrimeBits)
	}
	n1 := new(big.Int).Sub(s.N, one)
	f, rest := big.NewInt(1), new(big.Int).Set(n1)
	for _, q := range s.Factors {
		if !trialPrime(q.Q) && !proved[q.Q.String()] {
			return fmt.Errorf("no proof that %v is prime", q.Q)
		}
		quo, rem := new(big.Int).QuoRem(rest, q.Q, new(big.Int))
		if rem.Sign() != 0 {
			return fmt.Errorf("%v doesn't divide %v − 1, or is there twice", q.Q, s.N)
		}
		for rem.Sign() == 0 {
			f.Mul(f, q.Q)
			rest.Set(quo)
			quo.QuoRem(rest, q.Q, rem)
		}
		if power(q.Witness, n1, s.N).Cmp(one) != 0 {
			return fmt.Errorf("%v to the %v − 1 isn't 1", q.Witness, s.N)
		}
		b := power(q.Witness, new(big.Int).Quo(n1, q.Q), s.N)
		if b.GCD(nil, nil, b.Sub(b, one), s.N).Cmp(one) != 0 {
			return fmt.Errorf("%v is no witness for the factor %v of %v − 1", q.Witness, q.Q, s.N)
		}
	}
	if f.Mul(f, f).Cmp(s.N) < 0 {
		return fmt.Errorf("the factors of %v − 1 don't multiply to its square root", s.N)
	}
	return nil
}

// power is aᵏ mod n for k ≥ 0, n ≥ 2.
func power(a, k, n *big.Int) *big.Int {
	return new(big.Int).Exp(new(big.Int).Mod(a, n), k, n)
}

// trialPrime tells a prime below 2²⁰ by trial division.
func trialPrime(x *big.Int) bool {
	if x.Cmp(one) <= 0 || x.BitLen() > maxTrialBits {
		return false
	}
	n := x.Uint64()
	for d := uint64(2); d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}

// Fermat: for a prime p: ⊢ x ≡ 0 (mod p) ∨ expmod(x, p−1, p) = 1.
//
// Sound: Fermat's little theorem; expmod is the least residue, and 1 < p.
func Fermat(p Prime, x logic.Term) (Theorem, error) {
	if p.IsZero() {
		return fail("Fermat", "the zero Prime is no prime")
	}
	n := p.Term()
	power := logic.Expmod(x, logic.Sub(n, logic.N(1)), n)
	return conclude("Fermat", logic.Or(logic.Cong(x, logic.N(0), n), logic.Eq(power, logic.N(1))))
}

// ExpmodZero: from 1 ≤ m: expmod(x, 0, m) ≡ 1 (mod m).
//
// Sound: expmod(x, 0, m) is 1 mod m.
func ExpmodZero(x, m logic.Term, pos Theorem) (Theorem, error) {
	if err := positive("ExpmodZero", m, pos); err != nil {
		return Theorem{}, err
	}
	return conclude("ExpmodZero", logic.Cong(logic.Expmod(x, logic.N(0), m), logic.N(1), m), pos)
}

// ExpmodStep: from 0 ≤ k: expmod(x, k+1, m) ≡ x·expmod(x, k, m) (mod m).
//
// Sound: for m ≥ 1, expmod(x, k, m) ≡ xᵏ and xᵏ⁺¹ = x·xᵏ; for m < 1 both sides are 0.
func ExpmodStep(x, k, m logic.Term, nonneg Theorem) (Theorem, error) {
	if nonneg.t == nil {
		return fail("ExpmodStep", "%w", errZero)
	}
	if want := logic.Ge0(k); nonneg.t.concl != want {
		return fail("ExpmodStep", "the fact says %v, not %v", nonneg.t.concl, want)
	}
	next := logic.Expmod(x, logic.Add(k, logic.N(1)), m)
	return conclude("ExpmodStep", logic.Cong(next, logic.Mul(x, logic.Expmod(x, k, m)), m), nonneg)
}

// ExpmodRange: from 1 ≤ m: 0 ≤ expmod(x, k, m) and expmod(x, k, m) ≤ m−1.
//
// Sound: it is a least residue modulo m, for k < 0 too.
func ExpmodRange(x, k, m logic.Term, pos Theorem) (lo, hi Theorem, err error) {
	return residue("ExpmodRange", logic.Expmod(x, k, m), m, pos)
}
