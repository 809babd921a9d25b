package ecdh

import (
	"bytes"
	"crypto/ecdh"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/vectors"
)

// random has a fixed seed: the tests are the same each time.
var random = rand.New(rand.NewPCG(4, 2))

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// output is the value of a result as a string of octets, nil if it isn't OK.
func output(t testing.TB, result logic.Term, octets int) []byte {
	t.Helper()
	v := eval(t, result).Elems()
	if !v[0].Bool() {
		if v[1].Big().Sign() != 0 {
			t.Fatalf("a failure with the output %v", v[1])
		}
		return nil
	}
	return v[1].Big().FillBytes(make([]byte, octets))
}

// decode is a point's uncompressed encoding from any encoding, nil if there is none.
func decode(t testing.TB, c weierstrass.Curve, key []byte) []byte {
	t.Helper()
	if len(key) != 1+c.Bytes() {
		return key
	}
	q := weierstrass.DecodeCompressed(c.P(), c.A(), c.B(), c.W(), number(key))
	if eval(t, weierstrass.IsInfinity(q)).Bool() {
		return nil
	}
	return eval(t, weierstrass.Encode(c.W(), q)).Big().FillBytes(make([]byte, 1+2*c.Bytes()))
}

// TestSmall takes every private key, every pair of coordinates and several tags, in range and beyond, on the curve
// y² = x³ + x + 6 over F₁₁, of order 13, and secrets on one of composite order, where [d]Q = O happens.
func TestSmall(t *testing.T) {
	const w = 256
	for _, tt := range []struct{ p, a, b, n, gx, gy int64 }{
		{11, 1, 6, 13, 2, 7},
		{7, 1, 0, 8, 0, 0}, // (0, 0) has order 2
	} {
		term := logic.N
		inField := func(x int64) bool { return 0 <= x && x < tt.p }
		valid := func(x, y int64) bool {
			return inField(x) && inField(y) && (y*y-x*x*x-tt.a*x-tt.b)%tt.p == 0
		}
		var got []logic.Term
		var want []int64 // the output, −1 for a failure
		for d := int64(-1); d <= tt.n+1; d++ {
			ok := 1 <= d && d < tt.n
			multiple := func(x, y int64) []logic.Value { // by addition, which package weierstrass tests
				return eval(t, weierstrass.SMul(term(d), term(tt.p), term(tt.a), weierstrass.Affine(term(x), term(y)))).Elems()
			}
			for x := range tt.p + 2 {
				for y := range tt.p + 2 {
					for _, tag := range []int64{0, 2, 3, 4, 5, 6, 256 + 4} {
						got = append(got, shared.App(term(tt.p), term(tt.a), term(tt.b), term(tt.n), term(w), term(d), term(tag*w*w+x*w+y)))
						want = append(want, -1)
						if ok && tag == 4 && valid(x, y) {
							if m := multiple(x, y); !m[0].Bool() {
								want[len(want)-1] = m[1].Big().Int64()
							}
						}
					}
				}
			}
			if tt.gx == 0 {
				continue
			}
			got = append(got, publicKey.App(term(tt.p), term(tt.a), term(tt.n), term(w), weierstrass.Affine(term(tt.gx), term(tt.gy)), term(d)))
			want = append(want, -1)
			if ok {
				m := multiple(tt.gx, tt.gy)
				want[len(want)-1] = 4*w*w + m[1].Big().Int64()*w + m[2].Big().Int64()
			}
		}
		successes := 0
		for i, v := range eval(t, logic.MkTuple(got...)).Elems() {
			ok, z := v.Elems()[0].Bool(), v.Elems()[1].Big().Int64()
			if ok != (want[i] >= 0) || z != max(want[i], 0) {
				t.Errorf("%v = %v, want %d", got[i], v, want[i])
			}
			if ok {
				successes++
			}
		}
		t.Logf("F%d: %d results, %d not failures", tt.p, len(got), successes)
	}
}

// TestDifferential compares with crypto/ecdh: public keys and secrets of random and extreme private keys.
func TestDifferential(t *testing.T) {
	for _, tt := range []struct {
		c   weierstrass.Curve
		std ecdh.Curve
	}{
		{weierstrass.P256(), ecdh.P256()},
		{weierstrass.P384(), ecdh.P384()},
		{weierstrass.P521(), ecdh.P521()},
	} {
		size := tt.c.Bytes()
		n, _ := tt.c.N().Const()
		offset := func(base *big.Int, k int64) []byte {
			return new(big.Int).Add(base, big.NewInt(k)).FillBytes(make([]byte, size))
		}
		zero := new(big.Int)
		keys := [][]byte{
			offset(zero, 0), offset(zero, 1), offset(zero, 2), offset(n, -1), offset(n, 0), offset(n, 1), bytes.Repeat([]byte{255}, size),
			randomBytes(size), randomBytes(size), append(make([]byte, 1), randomBytes(size-1)...),
		}
		// A fixed peer, from a private key that any curve takes.
		fixed, err := tt.std.NewPrivateKey(append(make([]byte, size-20), randomBytes(20)...))
		if err != nil {
			t.Fatal(err)
		}
		peer := fixed.PublicKey().Bytes()
		for _, d := range keys {
			var public, secret []byte
			if key, err := tt.std.NewPrivateKey(d); err == nil {
				public = key.PublicKey().Bytes()
				if secret, err = key.ECDH(fixed.PublicKey()); err != nil {
					t.Fatal(err)
				}
			}
			if got := output(t, PublicKey(tt.c, number(d)), 1+2*size); !bytes.Equal(got, public) {
				t.Errorf("%s: public key of %x: %x, want %x", tt.c.Name(), d, got, public)
			}
			if got := output(t, Shared(tt.c, number(d), number(peer)), size); !bytes.Equal(got, secret) {
				t.Errorf("%s: secret of %x: %x, want %x", tt.c.Name(), d, got, secret)
			}
		}
		// Peers that crypto/ecdh refuses.
		one := number(offset(zero, 1))
		for i := range peer {
			bad := bytes.Clone(peer)
			bad[i] ^= 1
			if _, err := tt.std.NewPublicKey(bad); err == nil {
				t.Fatal("a valid neighbour")
			}
			if got := output(t, Shared(tt.c, one, number(bad)), size); got != nil {
				t.Errorf("%s: peer %x is accepted", tt.c.Name(), bad)
			}
		}
		if got := output(t, Shared(tt.c, one, number(peer)), size); !bytes.Equal(got, peer[1:1+size]) {
			t.Errorf("%s: the secret for d = 1 is %x", tt.c.Name(), got)
		}
	}
}

// TestWycheproof: what the file calls valid is accepted with the right secret; nothing invalid is accepted, nor anything
// with another secret. Keys are in a SubjectPublicKeyInfo; what isn't one, or isn't in DER, or doesn't name the curve, is
// no input of the specification.
func TestWycheproof(t *testing.T) {
	for _, tt := range []struct {
		curve weierstrass.Curve
		file  string
		oid   asn1.ObjectIdentifier
		main  bool
	}{
		{weierstrass.P256(), "ecdh_secp256r1_test.json", asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}, true},
		{weierstrass.P224(), "ecdh_secp224r1_test.json", asn1.ObjectIdentifier{1, 3, 132, 0, 33}, false},
		{weierstrass.P384(), "ecdh_secp384r1_test.json", asn1.ObjectIdentifier{1, 3, 132, 0, 34}, false},
		{weierstrass.P521(), "ecdh_secp521r1_test.json", asn1.ObjectIdentifier{1, 3, 132, 0, 35}, false},
		{weierstrass.Secp256k1(), "ecdh_secp256k1_test.json", asn1.ObjectIdentifier{1, 3, 132, 0, 10}, false},
		{weierstrass.BrainpoolP256r1(), "ecdh_brainpoolP256r1_test.json", asn1.ObjectIdentifier{1, 3, 36, 3, 3, 2, 8, 1, 1, 7}, false},
	} {
		t.Run(tt.curve.Name(), func(t *testing.T) {
			var file struct {
				NumberOfTests int
				TestGroups    []struct {
					Encoding string
					Tests    []struct {
						TcID                            int
						Flags                           []string
						Public, Private, Shared, Result string
					}
				}
			}
			vectors.Wycheproof(t, tt.file, &file)
			size := tt.curve.Bytes()
			var s vectors.Sampler
			count := map[string]int{}
			for _, g := range file.TestGroups {
				for _, v := range g.Tests {
					key := spki(unhex(t, v.Public), tt.oid)
					if len(key) == 1+size && tt.curve == weierstrass.P224() {
						count["compressed, p ≡ 1 mod 4"]++ // see weierstrass.DecodeCompressed
						continue
					}
					kind := strings.Join(v.Flags, " ")
					key = decode(t, tt.curve, key)
					if v.Result == "valid" && len(key) == 1+2*size {
						// Elsewhere one shows that the constants are right.
						if few := !tt.main && !vectors.All() && count["accepted"] >= 1; few || !s.Take(kind) {
							count["left out"]++
							continue
						}
					}
					if len(key) != 1+2*size {
						if v.Result == "valid" {
							t.Errorf("test %d: no key", v.TcID)
						}
						count["no key"]++
						continue
					}
					private := new(big.Int).SetBytes(unhex(t, v.Private))
					if v.Result == "acceptable" && (!tt.main && !vectors.All() || !s.Take(kind)) {
						count["left out"]++
						continue
					}
					got := output(t, Shared(tt.curve, logic.IntConst(private), number(key)), size)
					switch {
					case got == nil && v.Result == "valid", got != nil && v.Result == "invalid",
						got != nil && !bytes.Equal(got, unhex(t, v.Shared)):
						t.Errorf("test %d, %v: %x, want %s, %s", v.TcID, v.Flags, got, v.Result, v.Shared)
					case got != nil:
						count["accepted"]++
					default:
						count["refused"]++
					}
				}
			}
			t.Log(count)
			n := 0
			for _, c := range count {
				n += c
			}
			if n != file.NumberOfTests || count["accepted"] == 0 || count["refused"] == 0 {
				t.Errorf("%d tests, the file promises %d", n, file.NumberOfTests)
			}
		})
	}
}

// spki is the public key in a SubjectPublicKeyInfo (RFC 5480) in DER that names the curve, nil if it isn't one.
func spki(der []byte, curve asn1.ObjectIdentifier) []byte {
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if rest, err := asn1.Unmarshal(der, &info); err != nil || len(rest) != 0 {
		return nil
	}
	var oid asn1.ObjectIdentifier
	if rest, err := asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &oid); err != nil || len(rest) != 0 || !oid.Equal(curve) {
		return nil
	}
	if again, err := asn1.Marshal(info); err != nil || !bytes.Equal(again, der) || info.Key.BitLength%8 != 0 {
		return nil
	}
	return info.Key.Bytes
}

type acvpTest struct {
	TcID                                                          int
	QX, QY, Z                                                     string
	EphemeralPrivateIut, EphemeralPublicIutX, EphemeralPublicIutY string
	EphemeralPublicServerX, EphemeralPublicServerY                string
	StaticPrivateIut, StaticPublicIutX, StaticPublicIutY          string
	StaticPublicServerX, StaticPublicServerY                      string
	TestPassed                                                    *bool
}

type acvpGroup struct {
	Curve, DomainParameterGenerationMode, TestType string
	Tests                                          []acvpTest
}

// acvp returns the groups of questions of a mode, and the answers by test number.
func acvp(t *testing.T, algorithm, mode string) (groups []acvpGroup, answers map[int]acvpTest) {
	t.Helper()
	answers = map[int]acvpTest{}
	for _, q := range vectors.ACVP[acvpGroup](t, "vectors", algorithm) {
		if q.Algorithm != algorithm || q.Mode != mode {
			continue
		}
		groups = append(groups, q.TestGroups...)
		for _, a := range vectors.ACVP[acvpGroup](t, "expected", algorithm) {
			if a.Algorithm == algorithm && a.VsID == q.VsID {
				for _, g := range a.TestGroups {
					for _, tt := range g.Tests {
						answers[tt.TcID] = tt
					}
				}
			}
		}
	}
	return groups, answers
}

// curves by the names of ACVP.
func curve(name string) (weierstrass.Curve, bool) {
	for _, c := range weierstrass.Curves() {
		if c.Name() == name {
			return c, true
		}
	}
	return weierstrass.Curve{}, false
}

// TestACVPKeyVer runs ECDSA keyVer, for all curves: which public keys are valid.
func TestACVPKeyVer(t *testing.T) {
	groups, answers := acvp(t, "ECDSA", "keyVer")
	tests := 0
	for _, g := range groups {
		c, ok := curve(g.Curve)
		if !ok {
			t.Fatalf("unknown curve %q", g.Curve)
		}
		for _, tt := range g.Tests {
			passed := answers[tt.TcID].TestPassed
			if passed == nil {
				t.Fatalf("test %d has no answer", tt.TcID)
			}
			key := append(append([]byte{4}, unhex(t, tt.QX)...), unhex(t, tt.QY)...)
			q := weierstrass.Decode(c.P(), c.A(), c.B(), c.W(), number(key))
			if got := len(key) == 1+2*c.Bytes() && !eval(t, weierstrass.IsInfinity(q)).Bool(); got != *passed {
				t.Errorf("test %d: %v, want %v", tt.TcID, got, *passed)
			}
			tests++
		}
	}
	if t.Logf("%d tests", tests); tests == 0 {
		t.Error("no tests")
	}
}

// TestACVPSharedSecret runs the groups of type VAL of KAS-ECC-SSC (SP 800-56A revision 3), for all curves: whether a public key and a secret are
// those of a private key and the peer.
func TestACVPSharedSecret(t *testing.T) {
	groups, answers := acvp(t, "KAS-ECC-SSC", "")
	tests := 0
	for _, g := range groups {
		c, ok := curve(g.DomainParameterGenerationMode)
		if !ok {
			t.Fatalf("unknown curve %q", g.DomainParameterGenerationMode)
		}
		if g.TestType != "VAL" {
			continue // the private key is that of whoever answered
		}
		for _, tt := range g.Tests {
			passed := answers[tt.TcID].TestPassed
			if passed == nil {
				t.Fatalf("test %d has no answer", tt.TcID)
			}
			// Keys are ephemeral or static, by the scheme of the group.
			d := number(unhex(t, tt.EphemeralPrivateIut+tt.StaticPrivateIut))
			point := func(x, y string) []byte { return append(append([]byte{4}, unhex(t, x)...), unhex(t, y)...) }
			public := output(t, PublicKey(c, d), 1+2*c.Bytes())
			secret := output(t, Shared(c, d, number(point(tt.EphemeralPublicServerX+tt.StaticPublicServerX, tt.EphemeralPublicServerY+tt.StaticPublicServerY))), c.Bytes())
			got := bytes.Equal(public, point(tt.EphemeralPublicIutX+tt.StaticPublicIutX, tt.EphemeralPublicIutY+tt.StaticPublicIutY)) && bytes.Equal(secret, unhex(t, tt.Z))
			if got != *passed {
				t.Errorf("test %d: %v, want %v", tt.TcID, got, *passed)
			}
			tests++
		}
	}
	if t.Logf("%d tests", tests); tests == 0 {
		t.Error("no tests")
	}
}
