package kernel

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"verum.example/internal/tcb/logic"
)

// prime is a small prime, for the tables.
func prime(n int64) Prime {
	q, err := CheckPrime(PrimeStep{N: big64(n)})
	if err != nil {
		panic(err)
	}
	return q
}

// testPrimes are the primes of random worlds.
var testPrimes = []Prime{prime(2), prime(3), prime(5), prime(7), prime(13), prime(257), prime(65537)}

func factor(q, a int64) PrimeFactor { return PrimeFactor{big64(q), big64(a)} }

// mersenne521 is a certificate of 2⁵²¹ − 1, from small factors of 2⁵²⁰ − 1; the witnesses are the least.
func mersenne521() []PrimeStep {
	step := func(n *big.Int, factors ...int64) PrimeStep {
		s, n1 := PrimeStep{N: n}, new(big.Int).Sub(n, one)
		for _, q := range factors {
			for a := int64(2); ; a++ {
				e := new(big.Int).Exp(big64(a), new(big.Int).Quo(n1, big64(q)), n)
				if new(big.Int).GCD(nil, nil, e.Sub(e, one), n).Cmp(one) == 0 {
					s.Factors = append(s.Factors, factor(q, a))
					break
				}
			}
		}
		return s
	}
	return []PrimeStep{
		step(big64(2400573761), 1663, 347), step(big64(308761441), 49481), step(big64(34110701), 1381, 19),
		step(big64(5746001), 17, 13),
		step(new(big.Int).Sub(new(big.Int).Lsh(one, 521), one), 2400573761, 308761441, 34110701, 5746001, 858001, 409891,
			61681, 51481, 42641, 8191, 2731, 1613, 521, 157, 131, 53, 41),
	}
}

// TestCheckPrimeExhaustive: for all small N, each prime factor of N − 1 and all witnesses, the check is what Pocklington's
// theorem says; with witnesses for all factors, just the primes are accepted; and no set of factors that multiply to √N
// has witnesses unless N is prime. (Trial division of N itself is left out.)
func TestCheckPrimeExhaustive(t *testing.T) {
	const limit = 300
	isPrime := func(n int64) bool { return big64(n).ProbablyPrime(0) } // exact below 2⁶⁴
	pow := func(a, k, n int64) int64 {
		r := int64(1)
		for range k {
			r = ((r*a)%n + n) % n
		}
		return r
	}
	gcd := func(a, b int64) int64 {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	accepted, refused := 0, 0
	for n := int64(2); n < limit; n++ {
		full := PrimeStep{N: big64(n)}
		f := int64(1) // of the factors that have a witness
		for q := int64(2); q < n; q++ {
			if (n-1)%q != 0 || !isPrime(q) {
				continue
			}
			part := int64(1)
			for m := n - 1; m%q == 0; m /= q {
				part *= q
			}
			found := false
			for a := int64(-1); a <= n; a++ {
				err := PrimeStep{big64(n), []PrimeFactor{factor(q, a)}}.pocklington(nil)
				serves := pow(a, n-1, n) == 1 && gcd(pow(a, (n-1)/q, n)-1+n, n) == 1
				if (err == nil) != (serves && part*part >= n) {
					t.Errorf("%d with %d and its witness %d: %v", n, q, a, err)
				}
				if serves && !found {
					found = true
					full.Factors = append(full.Factors, factor(q, a))
				}
			}
			if found {
				f *= part
			}
		}
		want := isPrime(n) && n > 2
		if (f*f >= n) != want {
			t.Errorf("%d: the factors with witnesses multiply to %d", n, f)
		}
		if err := full.pocklington(nil); (err == nil) != want {
			t.Errorf("%d: %v", n, err)
		}
		q, err := CheckPrime(full)
		if (err == nil) != isPrime(n) || q.IsZero() != (err != nil) || err == nil && q.Term() != num(n) {
			t.Errorf("CheckPrime of %d: %v", n, err)
		}
		if err == nil {
			accepted++
		} else {
			refused++
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}

// TestCheckPrimeSteps: numbers beyond trial division, one step resting on another.
func TestCheckPrimeSteps(t *testing.T) {
	m31, m61 := big64(1<<31-1), big64(1<<61-1)
	s31 := PrimeStep{m31, []PrimeFactor{factor(331, 7), factor(151, 7), factor(31, 3)}}
	s61 := PrimeStep{m61, []PrimeFactor{factor(1321, 37), factor(331, 37), factor(151, 37), factor(61, 37)}}
	// 2·(2³¹−1)·k + 1
	var high PrimeStep
	for k := int64(1); ; k++ {
		n := new(big.Int).Mul(m31, big64(2*k))
		if n.Add(n, one).ProbablyPrime(20) {
			high = PrimeStep{n, []PrimeFactor{{m31, big64(2)}}}
			break
		}
	}
	good := func(name string, want *big.Int, steps ...PrimeStep) {
		t.Helper()
		q, err := CheckPrime(steps...)
		if err != nil || q.IsZero() || q.Term() != logic.IntConst(want) {
			t.Errorf("%s: %v %v", name, q.Term(), err)
		}
	}
	bad := func(name, message string, steps ...PrimeStep) {
		t.Helper()
		q, err := CheckPrime(steps...)
		if err == nil || !q.IsZero() || !q.Term().IsZero() && q.Term().Err() == nil {
			t.Errorf("%s: accepted", name)
		} else if !strings.HasPrefix(err.Error(), "kernel: CheckPrime: ") || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: unhelpful error %q", name, err)
		}
	}
	good("2³¹−1", m31, s31)
	good("2⁶¹−1", m61, s61)
	good("two steps", high.N, s31, high)
	good("steps that aren't needed", high.N, s61, s31, PrimeStep{N: big64(1009)}, high)
	good("below 2²⁰", big64(1048573), PrimeStep{N: big64(1048573)})
	good("below 2²⁰ with factors that are none", big64(1048573), PrimeStep{big64(1048573), []PrimeFactor{{nil, nil}}})

	bad("nothing", "0 steps")
	bad("too many", "steps", slices.Repeat([]PrimeStep{s31}, maxPrimeSteps+1)...)
	bad("nil", "below 2", PrimeStep{})
	for _, n := range []int64{0, 1, -1, -7} {
		bad(fmt.Sprint(n), "below 2", PrimeStep{N: big64(n)})
	}
	bad("4", "square root", PrimeStep{N: big64(4)})
	bad("beyond trial division", "square root", PrimeStep{N: big64(1048583)}) // a prime
	bad("too large", "4096 bits", PrimeStep{N: new(big.Int).Lsh(one, maxPrimeBits)})
	bad("no factors", "square root", PrimeStep{N: m31})
	bad("no proof of a factor", "no proof", high)
	bad("proof too late", "no proof", high, s31)
	bad("own factor", "no proof", PrimeStep{m61, []PrimeFactor{{m61, big64(2)}}})
	bad("last step fails", "step 1", s31, PrimeStep{N: big64(9)})
	bad("first step fails", "step 0", PrimeStep{N: big64(9)}, s31)
	change := func(i int, f PrimeFactor) PrimeStep {
		s := PrimeStep{s61.N, slices.Clone(s61.Factors)}
		s.Factors[i] = f
		return s
	}
	for i, f := range s61.Factors {
		bad("witness 1", "no witness", change(i, PrimeFactor{f.Q, one}))
		bad("witness 0", "isn't 1", change(i, PrimeFactor{f.Q, new(big.Int)}))
		bad("witness N", "isn't 1", change(i, PrimeFactor{f.Q, m61}))
		bad("witness nil", "isn't 1", change(i, PrimeFactor{f.Q, nil}))
		bad("factor nil", "no proof", change(i, PrimeFactor{nil, f.Witness}))
		bad("factor 1", "no proof", change(i, PrimeFactor{one, f.Witness}))
		bad("factor −q", "no proof", change(i, PrimeFactor{new(big.Int).Neg(f.Q), f.Witness}))
		bad("composite factor", "no proof", change(i, PrimeFactor{new(big.Int).Mul(f.Q, big64(3)), f.Witness}))
		bad("factor that doesn't divide", "divide", change(i, PrimeFactor{big64(1009), f.Witness}))
		bad("factor twice", "twice", change(i, s61.Factors[(i+1)%len(s61.Factors)]))
	}
	bad("too few factors", "square root", PrimeStep{m61, s61.Factors[2:]})

	// 561 = 3·11·17 divides a⁵⁶⁰ − 1 for a prime to it, and there are a for which it doesn't divide a^(560/q) − 1, q = 2 and
	// 5, whose powers in 560 multiply to 80; but each of these a is 1 to that power modulo some prime factor of 561.
	weak := func(q int64) (as []int64) {
		for a := int64(2); a < 561; a++ {
			pow := func(k int64) *big.Int { return new(big.Int).Exp(big64(a), big64(k), big64(561)) }
			if pow(560).Cmp(one) == 0 && pow(560/q).Cmp(one) != 0 {
				as = append(as, a)
			}
		}
		return as
	}
	for _, a2 := range weak(2) {
		for _, a5 := range weak(5)[:5] {
			bad("Carmichael number", "no witness", PrimeStep{big64(561), []PrimeFactor{factor(2, a2), factor(5, a5)}})
			bad("Carmichael number", "no witness", PrimeStep{big64(561), []PrimeFactor{factor(5, a5), factor(2, a2)}})
		}
	}

	// a composite number that is a strong probable prime to the bases 2, 3, 5, 7
	n := big64(3215031751)
	var fs []PrimeFactor
	for q := int64(2); q < 1<<20; q++ {
		if 3215031750%q == 0 && big64(q).ProbablyPrime(0) {
			for _, a := range []int64{2, 3, 5, 7} {
				bad("strong pseudoprime", "", PrimeStep{n, append(slices.Clone(fs), factor(q, a))})
			}
			fs = append(fs, factor(q, 7))
		}
	}
	bad("strong pseudoprime", "", PrimeStep{n, fs})
}

// TestCheckPrimeOwnership: a certificate changed afterwards changes nothing.
func TestCheckPrimeOwnership(t *testing.T) {
	n := big64(1<<31 - 1)
	fs := []PrimeFactor{factor(331, 7), factor(151, 7), factor(31, 3)}
	steps := []PrimeStep{{n, fs}}
	q, err := CheckPrime(steps...)
	if err != nil {
		t.Fatal(err)
	}
	n.SetInt64(4)
	steps[0].N = big64(6)
	if q.Term() != num(1<<31-1) {
		t.Errorf("the prime has become %v", q.Term())
	}
	v, _ := q.Term().Const()
	v.SetInt64(9)
	if q.Term() != num(1<<31-1) {
		t.Errorf("the prime has become %v", q.Term())
	}
}

// TestCheckPrimeLarge checks a certificate of a prime of 521 bits, and prints how long that takes.
func TestCheckPrimeLarge(t *testing.T) {
	steps := mersenne521()
	start := time.Now()
	q, err := CheckPrime(steps...)
	if err != nil {
		t.Fatal(err)
	}
	if want := new(big.Int).Sub(new(big.Int).Lsh(one, 521), one); q.Term() != logic.IntConst(want) {
		t.Errorf("%v", q.Term())
	}
	t.Logf("%d steps, %v", len(steps), time.Since(start))
}
