package weierstrass

import (
	"math/big"

	"verum.example/internal/tcb/logic"
)

// Curve is a curve of prime order with its base point: the domain parameters T = (p, a, b, G, n, h) of SEC 1 §3.1.1,
// with h = 1. The zero Curve is none.
type Curve struct{ c *curve }

type curve struct {
	name          string
	bytes         int
	p, a, b, n, w logic.Term
	g             logic.Term
}

func (c Curve) get() *curve {
	if c.c == nil {
		return &curve{}
	}
	return c.c
}

// Name is the curve's name in the standard it comes from.
func (c Curve) Name() string { return c.get().name }

// Bytes is L, the number of octets of a field element. For each curve here it's also that of a number below n.
func (c Curve) Bytes() int { return c.get().bytes }

// P is the order of the field, a prime.
func (c Curve) P() logic.Term { return c.get().p }

// A is the coefficient a, 0 ≤ a < p.
func (c Curve) A() logic.Term { return c.get().a }

// B is the coefficient b, 0 ≤ b < p.
func (c Curve) B() logic.Term { return c.get().b }

// N is the order of the group, a prime.
func (c Curve) N() logic.Term { return c.get().n }

// W is 256^L.
func (c Curve) W() logic.Term { return c.get().w }

// G is the base point.
func (c Curve) G() logic.Term { return c.get().g }

// newCurve takes p, a, b, the coordinates of G, and n.
func newCurve(name string, p, a, b, gx, gy, n *big.Int) Curve {
	bytes := (p.BitLen() + 7) / 8
	return Curve{&curve{
		name: name, bytes: bytes,
		p: logic.IntConst(p), a: logic.IntConst(a), b: logic.IntConst(b), n: logic.IntConst(n),
		w: logic.Pow2(8 * bytes), g: Affine(logic.IntConst(gx), logic.IntConst(gy)),
	}}
}

// sum adds 2ᵏ for exponents k ≥ 0 and subtracts 2⁻ᵏ for k < 0, from c: 2²⁵⁶ − 2²²⁴ − 3 is sum(−3, 256, −224).
func sum(c int64, exponents ...int) *big.Int {
	r := big.NewInt(c)
	for _, k := range exponents {
		t := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
		if k < 0 {
			t.Neg(t)
		}
		r.Add(r, t)
	}
	return r
}

func hex(s string) *big.Int {
	v, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic("spec/weierstrass: bad constant " + s)
	}
	return v
}

// minus3 is the coefficient a = −3 of the NIST curves.
func minus3(p *big.Int) *big.Int { return new(big.Int).Sub(p, big.NewInt(3)) }

// P192 is P-192: FIPS 186-4 §D.1.2.1; secp192r1 of SEC 2 version 2.0 §2.2.2. SP 800-186 no longer lists it.
func P192() Curve { return p192 }

var p192 = func() Curve {
	p := sum(-1, 192, -64)
	return newCurve("P-192", p, minus3(p),
		hex("64210519e59c80e70fa7e9ab72243049feb8deecc146b9b1"),
		hex("188da80eb03090f67cbf20eb43a18800f4ff0afd82ff1012"),
		hex("07192b95ffc8da78631011ed6b24cdd573f977a11e794811"),
		hex("ffffffffffffffffffffffff99def836146bc9b1b4d22831"))
}()

// P224 is P-224: SP 800-186 §3.2.1.2.
func P224() Curve { return p224 }

var p224 = func() Curve {
	p := sum(1, 224, -96)
	return newCurve("P-224", p, minus3(p),
		hex("b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4"),
		hex("b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21"),
		hex("bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34"),
		hex("ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d"))
}()

// P256 is P-256: SP 800-186 §3.2.1.3.
func P256() Curve { return p256 }

var p256 = func() Curve {
	p := sum(-1, 256, -224, 192, 96)
	return newCurve("P-256", p, minus3(p),
		hex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
		hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
		hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
		hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
}()

// P384 is P-384: SP 800-186 §3.2.1.4.
func P384() Curve { return p384 }

var p384 = func() Curve {
	p := sum(-1, 384, -128, -96, 32)
	return newCurve("P-384", p, minus3(p),
		hex("b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"),
		hex("aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7"),
		hex("3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"),
		hex("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"))
}()

// P521 is P-521: SP 800-186 §3.2.1.5.
func P521() Curve { return p521 }

var p521 = func() Curve {
	p := sum(-1, 521)
	return newCurve("P-521", p, minus3(p),
		hex("51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"),
		hex("c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66"),
		hex("11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650"),
		hex("1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"))
}()

// Secp256k1 is secp256k1: SEC 2 version 2.0 §2.4.1.
func Secp256k1() Curve { return secp256k1 }

var secp256k1 = newCurve("secp256k1", sum(-977, 256, -32), big.NewInt(0), big.NewInt(7),
	hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
	hex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
	hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"))

// BrainpoolP256r1 is brainpoolP256r1: RFC 5639 §3.4.
func BrainpoolP256r1() Curve { return brainpoolP256r1 }

var brainpoolP256r1 = newCurve("brainpoolP256r1",
	hex("a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377"),
	hex("7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9"),
	hex("26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6"),
	hex("8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262"),
	hex("547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997"),
	hex("a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7"))

// Curves lists all curves.
func Curves() []Curve {
	return []Curve{P192(), P224(), P256(), P384(), P521(), Secp256k1(), BrainpoolP256r1()}
}
