package ecdsa

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// WorkBytes is the size of the scratch memory of a function.
const WorkBytes = 4096

// Functions is the contracts of the functions of one curve.
type Functions struct {
	Sign, Verify contract.Contract
}

type env = contract.Env

// New makes the contracts for a curve; name begins the functions' names.
func New(name string, c weierstrass.Curve) (*Functions, error) {
	g := generator{name: name, c: c, l: c.Bytes()}
	f := &Functions{Sign: g.sign(), Verify: g.verify()}
	return f, g.err
}

var p256 = sync.OnceValue(func() *Functions {
	f, err := New("p256", weierstrass.P256())
	if err != nil {
		panic(fmt.Sprintf("spec/ecdsa: %v", err))
	}
	return f
})

// P256 is the contracts of P-256.
func P256() *Functions { return p256() }

type generator struct {
	name string
	c    weierstrass.Curve
	l    int
	err  error // the first one
}

func (g *generator) contract(name string, f contract.Func) contract.Contract {
	f.Name = g.name + name
	f.Doc = f.Name + " " + f.Doc
	c, err := contract.New(f)
	if err != nil && g.err == nil {
		g.err = err
	}
	return c
}

// digest is the integer of the digest, the first size octets of the parameter digest.
func (g *generator) digest(e env) logic.Term { return Digest(g.c, e.BE("digest"), e.Uint("size")) }

func sizeAllowed(e env) terms { return terms{logic.Le(e.Uint("size"), logic.N(DigestBytes))} }

func flag(b logic.Term) logic.Term { return logic.Ite(b, one, zero) }

func (g *generator) sign() contract.Contract {
	return g.contract("Sign", contract.Func{
		Doc: "sets sig = r ‖ s to the signature of the digest, which is the first size ≤ 64 bytes of digest, with the private key " +
			"d and the secret number k, and returns 1 (FIPS 186-5 §6.4.1). Unless 1 ≤ d, k < n, and where r = 0 or s = 0, it sets " +
			"sig to zeros and returns 0. Numbers are big-endian.",
		Params: []contract.Param{
			contract.Out("sig", 2*g.l).Of(1), contract.In("d", g.l).Of(1), contract.In("digest", DigestBytes).Of(1),
			contract.UintArg("size"), contract.In("k", g.l).Of(1), contract.ScratchBuf("work", WorkBytes),
		},
		Result:   "ok",
		Requires: sizeAllowed,
		Ensures: func(e env) terms {
			s := Sign(g.c, e.BE("d"), g.digest(e), e.BE("k"))
			return terms{
				logic.Eq(logic.Uint(e.Result()), flag(OK(s))),
				logic.Eq(e.After().BE("sig"), Signature(s)),
			}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"d": littleEndian(g.l, big.NewInt(2)), "k": littleEndian(g.l, big.NewInt(3)),
				"digest": big.NewInt(4), "size": big.NewInt(32)}
		},
	})
}

func (g *generator) verify() contract.Contract {
	return g.contract("Verify", contract.Func{
		Doc: "returns 1 if sig = r ‖ s is a signature of the digest, which is the first size ≤ 64 bytes of digest, under the " +
			"public key pub = 04 ‖ x ‖ y, and 0 if it isn't or pub is no point of the curve (FIPS 186-5 §6.4.2). Numbers are " +
			"big-endian. All is public.",
		Params: []contract.Param{
			contract.PublicIn("pub", 1+2*g.l).Of(1), contract.PublicIn("digest", DigestBytes).Of(1), contract.UintArg("size"),
			contract.PublicIn("sig", 2*g.l).Of(1), contract.ScratchBuf("work", WorkBytes),
		},
		Result:   "ok",
		Requires: sizeAllowed,
		Ensures: func(e env) terms {
			v := Verify(g.c, e.BE("pub"), g.digest(e), e.BE("sig"))
			return terms{logic.Eq(logic.Uint(e.Result()), flag(v))}
		},
		Witness: g.signature,
	})
}

// littleEndian reads the big-endian string of n octets that stands for v as the little-endian number that a witness is.
func littleEndian(n int, v *big.Int) *big.Int {
	b := v.FillBytes(make([]byte, n))
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// signature is the signature of a digest of one octet, 1, with the private key and the secret number 1.
func (g *generator) signature() map[string]*big.Int {
	sig := g.eval(Signature(Sign(g.c, one, one, one)))
	pub := g.eval(weierstrass.Encode(g.c.W(), g.c.G()))
	return map[string]*big.Int{"pub": littleEndian(1+2*g.l, pub), "sig": littleEndian(2*g.l, sig),
		"digest": big.NewInt(1), "size": big.NewInt(1)}
}

func (g *generator) eval(t logic.Term) *big.Int {
	v, err := logic.Eval(t, nil, 1<<24)
	if err != nil {
		if g.err == nil {
			g.err = err
		}
		return new(big.Int)
	}
	return v.Big()
}
