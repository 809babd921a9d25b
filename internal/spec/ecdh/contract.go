package ecdh

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// Functions is the contracts of the functions of one curve.
type Functions struct {
	ECDH, PublicKey, Validate contract.Contract
}

type env = contract.Env

// WorkBytes is the size of the scratch memory of a function: 128 field elements.
func WorkBytes(c weierstrass.Curve) int { return 128 * c.Bytes() }

// New makes the contracts for a curve; name begins the functions' names.
func New(name string, c weierstrass.Curve) (*Functions, error) {
	g := generator{name: name, c: c, l: c.Bytes()}
	f := &Functions{ECDH: g.ecdh(), PublicKey: g.publicKey(), Validate: g.validate()}
	return f, g.err
}

var p256 = sync.OnceValue(func() *Functions {
	f, err := New("p256", weierstrass.P256())
	if err != nil {
		panic(fmt.Sprintf("spec/ecdh: %v", err))
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
	f.Result = "ok"
	f.Params = append(f.Params, contract.ScratchBuf("work", WorkBytes(g.c)))
	c, err := contract.New(f)
	if err != nil && g.err == nil {
		g.err = err
	}
	return c
}

func flag(b logic.Term) logic.Term { return logic.Ite(b, one, zero) }

func (g *generator) ecdh() contract.Contract {
	return g.contract("ECDH", contract.Func{
		Doc: "sets secret to the x-coordinate of dQ for the private key d and the public key Q = peer = 04 ‖ x ‖ y and returns 1 " +
			"(SP 800-56A §5.7.1.2). Unless 1 ≤ d < n and peer is a point of the curve, it sets secret to zeros and returns 0. " +
			"Numbers are big-endian.",
		Params: []contract.Param{contract.Out("secret", g.l).Of(1), contract.In("d", g.l).Of(1), contract.PublicIn("peer", 1+2*g.l).Of(1)},
		Ensures: func(e env) terms {
			s := Shared(g.c, e.BE("d"), e.BE("peer"))
			return terms{
				logic.Eq(logic.Uint(e.Result()), flag(OK(s))),
				logic.Eq(e.After().BE("secret"), Value(s)),
			}
		},
		Witness: func() map[string]*big.Int {
			return map[string]*big.Int{"d": littleEndian(g.l, big.NewInt(2)), "peer": g.basePoint()}
		},
	})
}

func (g *generator) publicKey() contract.Contract {
	return g.contract("PublicKey", contract.Func{
		Doc: "sets pub to the public key dG = 04 ‖ x ‖ y of the private key d and returns 1 (SEC 1 §3.2.1). Unless 1 ≤ d < n, it " +
			"sets pub to zeros and returns 0. Numbers are big-endian.",
		Params: []contract.Param{contract.Out("pub", 1+2*g.l).Of(1), contract.In("d", g.l).Of(1)},
		Ensures: func(e env) terms {
			k := PublicKey(g.c, e.BE("d"))
			return terms{
				logic.Eq(logic.Uint(e.Result()), flag(OK(k))),
				logic.Eq(e.After().BE("pub"), Value(k)),
			}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"d": littleEndian(g.l, big.NewInt(2))} },
	})
}

func (g *generator) validate() contract.Contract {
	return g.contract("Validate", contract.Func{
		Doc: "returns 1 if peer = 04 ‖ x ‖ y is a public key, which is a point of the curve with x, y < p, and 0 if it isn't (SEC 1 " +
			"§3.2.2.1). Numbers are big-endian.",
		Params: []contract.Param{contract.PublicIn("peer", 1+2*g.l).Of(1)},
		Ensures: func(e env) terms {
			q := weierstrass.Decode(g.c.P(), g.c.A(), g.c.B(), g.c.W(), e.BE("peer"))
			return terms{logic.Eq(logic.Uint(e.Result()), flag(logic.Not(weierstrass.IsInfinity(q))))}
		},
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"peer": g.basePoint()} },
	})
}

// littleEndian reads the big-endian string of n octets that stands for v as the little-endian number that a witness is.
func littleEndian(n int, v *big.Int) *big.Int {
	b := v.FillBytes(make([]byte, n))
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// basePoint is G as a public key.
func (g *generator) basePoint() *big.Int {
	v, err := logic.Eval(weierstrass.Encode(g.c.W(), g.c.G()), nil, 1<<16)
	if err != nil {
		if g.err == nil {
			g.err = err
		}
		return new(big.Int)
	}
	return littleEndian(1+2*g.l, v.Big())
}
