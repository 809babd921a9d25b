package ecdsa

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha3"
	_ "crypto/sha512" // crypto.SHA512
	"encoding/asn1"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	_ "crypto/sha256" // crypto.SHA256

	"verum.example/internal/spec/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/vectors"
)

// random has a fixed seed: the tests are the same each time.
var random = rand.New(rand.NewPCG(4, 3))

func randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hashes by the names of ACVP and, with a hyphen, of Wycheproof.
func digest(t testing.TB, name string, message []byte) []byte {
	t.Helper()
	if h, ok := map[string]crypto.Hash{
		"SHA2-224": crypto.SHA224, "SHA2-256": crypto.SHA256, "SHA2-384": crypto.SHA384, "SHA2-512": crypto.SHA512,
		"SHA2-512/224": crypto.SHA512_224, "SHA2-512/256": crypto.SHA512_256,
	}[strings.Replace(name, "SHA-", "SHA2-", 1)]; ok {
		d := h.New()
		d.Write(message)
		return d.Sum(nil)
	}
	switch name {
	case "SHA3-224":
		d := sha3.Sum224(message)
		return d[:]
	case "SHA3-256":
		d := sha3.Sum256(message)
		return d[:]
	case "SHA3-384":
		d := sha3.Sum384(message)
		return d[:]
	case "SHA3-512":
		d := sha3.Sum512(message)
		return d[:]
	}
	t.Fatalf("unknown hash %q", name)
	return nil
}

// verifySpec evaluates Verify on strings of octets. Of a wrong length they are no input of the specification.
func verifySpec(t testing.TB, c weierstrass.Curve, pub, digest, sig []byte) bool {
	t.Helper()
	if len(pub) != 1+2*c.Bytes() || len(sig) != 2*c.Bytes() {
		return false
	}
	return eval(t, Verify(c, number(pub), Bits2Int(c, number(digest), len(digest)), number(sig))).Bool()
}

// signSpec evaluates Sign on strings of octets: r ‖ s, or nil.
func signSpec(t testing.TB, c weierstrass.Curve, d, digest, k []byte) []byte {
	t.Helper()
	v := eval(t, Sign(c, number(d), Bits2Int(c, number(digest), len(digest)), number(k))).Elems()
	if !v[0].Bool() {
		if v[1].Big().Sign() != 0 {
			t.Fatalf("a failure with the output %v", v[1])
		}
		return nil
	}
	return v[1].Big().FillBytes(make([]byte, 2*c.Bytes()))
}

// TestSmall takes every private key, secret number and digest, public key and signature, in range and beyond, on the
// curve y² = x³ + 2x + 4 over F₅, of order 7. Small numbers meet every failure: r = 0, s = 0, R = O. What it should be is
// computed here from the table of multiples of G.
func TestSmall(t *testing.T) {
	const prime, coefA, coefB, order, word = 5, 2, 4, 7, 256
	term := logic.N
	base := weierstrass.Affine(term(0), term(2))
	// multiples of G by addition, which package weierstrass tests
	var x, y [order]int64
	for i := range int64(order) {
		e := eval(t, weierstrass.SMul(term(i), term(prime), term(coefA), base)).Elems()
		if e[0].Bool() != (i == 0) {
			t.Fatalf("[%d]G = %v", i, e)
		}
		x[i], y[i] = e[1].Big().Int64(), e[2].Big().Int64()
	}
	inverse := func(s int64) int64 {
		for i := range int64(order) {
			if i*s%order == 1 {
				return i
			}
		}
		return 0
	}
	in := func(x int64) bool { return 1 <= x && x < order }

	var got []logic.Term
	var want []int64
	for d := int64(-1); d < order+2; d++ {
		for k := int64(-1); k < order+2; k++ {
			for e := range int64(order + 3) {
				got = append(got, sign.App(term(prime), term(coefA), term(order), term(word), base, term(d), term(e), term(k)))
				w := int64(0)
				if in(d) && in(k) {
					r := x[k] % order
					if s := inverse(k) * (e + r*d) % order; r != 0 && s != 0 {
						w = r*word + s
					}
				}
				want = append(want, w)
			}
		}
	}
	count := 0
	for i, v := range eval(t, logic.MkTuple(got...)).Elems() {
		if ok, sig := v.Elems()[0].Bool(), v.Elems()[1].Big().Int64(); ok != (want[i] != 0) || sig != want[i] {
			t.Errorf("%v = %v, want %d", got[i], v, want[i])
		}
		if want[i] != 0 {
			count++
		}
	}
	t.Logf("%d signatures in %d", count, len(got))

	got, want = nil, nil
	for q := range int64(order + 2) { // Q = [q]G, and two keys that are none
		pub := int64(3*word*word + 2)
		if q == order {
			pub = 4*word*word + 1*word + 1
		} else if q < order {
			pub = 4*word*word + x[q]*word + y[q] // for q = 0 that is (0, 0), which is not on the curve
		}
		for e := range int64(order + 2) {
			for r := range int64(order + 2) {
				for s := range int64(order + 2) {
					got = append(got, verify.App(term(prime), term(coefA), term(coefB), term(order), term(word), base, term(pub), term(e), term(r*word+s)))
					w := int64(0)
					if in(q) && in(r) && in(s) {
						m := inverse(s) * (e + r*q) % order // R = [m]G
						if m != 0 && x[m]%order == r {
							w = 1
						}
					}
					want = append(want, w)
				}
			}
		}
	}
	count = 0
	for i, v := range eval(t, logic.MkTuple(got...)).Elems() {
		if v.Big().Int64() != want[i] {
			t.Errorf("%v = %v, want %d", got[i], v, want[i])
		}
		count += int(want[i])
	}
	t.Logf("%d verify of %d", count, len(got))
}

// TestBits2Int: digests shorter than n, as long, longer, and of lengths that aren't a number of octets of n.
func TestBits2Int(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		n, _ := c.N().Const()
		for octets := range 80 {
			h := randomBytes(octets)
			want := new(big.Int).SetBytes(h)
			if excess := 8*octets - n.BitLen(); excess > 0 {
				want.Rsh(want, uint(excess))
			}
			if got := eval(t, Bits2Int(c, number(h), octets)).Big(); got.Cmp(want) != 0 || got.BitLen() > n.BitLen() {
				t.Errorf("%s: %x: %x, want %x", c.Name(), h, got, want)
			}
		}
	}
	if !Bits2Int(weierstrass.Curve{}, logic.N(1), 1).IsZero() {
		t.Error("the zero Curve has digests")
	}
}

// TestDigest: Digest is Bits2Int of the digest, whatever follows it, for every size.
func TestDigest(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		for size := range DigestBytes + 1 {
			h := randomBytes(DigestBytes)
			got := eval(t, Digest(c, number(h), logic.N(int64(size)))).Big()
			if want := eval(t, Bits2Int(c, number(h[:size]), size)).Big(); got.Cmp(want) != 0 {
				t.Errorf("%s: %x: %x, want %x", c.Name(), h[:size], got, want)
			}
		}
	}
	if !Digest(weierstrass.Curve{}, logic.N(1), logic.N(1)).IsZero() {
		t.Error("the zero Curve has digests")
	}
}

// TestNew: there are contracts for every curve, and their terms are well-formed.
func TestNew(t *testing.T) {
	for _, c := range weierstrass.Curves() {
		f, err := New(strings.ToLower(strings.ReplaceAll(c.Name(), "-", ""))+"Test", c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name(), err)
		}
		if f.Sign.IsZero() || f.Verify.IsZero() {
			t.Errorf("%s: a contract is missing", c.Name())
		}
	}
	if _, err := New("none", weierstrass.Curve{}); err == nil {
		t.Error("the zero Curve has contracts")
	}
}

// TestDifferential: the standard library verifies what Sign makes, Verify what the standard library makes and nothing
// that has been altered; extreme private keys and secret numbers.
func TestDifferential(t *testing.T) {
	c, std := weierstrass.P256(), elliptic.P256()
	n, _ := c.N().Const()
	offset := func(k int64) []byte { return new(big.Int).Add(n, big.NewInt(k)).FillBytes(make([]byte, 32)) }
	small := func(k int64) []byte { return big.NewInt(k).FillBytes(make([]byte, 32)) }
	for _, tt := range []struct{ d, k, digest []byte }{
		{randomBytes(32), randomBytes(32), randomBytes(32)},
		{small(1), offset(-1), randomBytes(64)},
		{offset(-1), small(1), randomBytes(20)},
		{small(2), small(3), make([]byte, 32)},
		{small(2), small(3), bytes.Repeat([]byte{255}, 48)},
		{small(5), small(5), offset(0)}, // e = n
		{small(0), small(5), small(7)},
		{small(5), small(0), small(7)},
		{offset(0), small(5), small(7)},
		{small(5), offset(0), small(7)},
		{offset(1), offset(1), small(7)},
	} {
		sig := signSpec(t, c, tt.d, tt.digest, tt.k)
		key, err := ecdsa.ParseRawPrivateKey(std, tt.d)
		k := new(big.Int).SetBytes(tt.k)
		if want := err == nil && k.Sign() > 0 && k.Cmp(n) < 0; (sig != nil) != want {
			t.Errorf("d = %x, k = %x: %x", tt.d, tt.k, sig)
		}
		if sig == nil {
			continue
		}
		if !ecdsa.VerifyASN1(&key.PublicKey, tt.digest, der(t, sig)) {
			t.Errorf("d = %x, k = %x, digest %x: %x does not verify", tt.d, tt.k, tt.digest, sig)
		}
	}
	key, err := ecdsa.ParseRawPrivateKey(std, randomBytes(32))
	if err != nil {
		t.Fatal(err)
	}
	pub, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h := randomBytes(32)
	sig, err := key.Sign(nil, h, crypto.SHA256) // RFC 6979: the same each time
	if err != nil {
		t.Fatal(err)
	}
	raw := p1363(sig, 32)
	if !verifySpec(t, c, pub, h, raw) {
		t.Errorf("%x by %x does not verify", sig, pub)
	}
	// (r, n − s) is a signature, too.
	s := new(big.Int).SetBytes(raw[32:])
	if !verifySpec(t, c, pub, h, append(bytes.Clone(raw[:32]), s.Sub(n, s).FillBytes(make([]byte, 32))...)) {
		t.Errorf("the negative of %x by %x does not verify", sig, pub)
	}
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i] ^= 1
		return b
	}
	if verifySpec(t, c, pub, flip(h, 0), raw) || verifySpec(t, c, pub, h, flip(raw, 31)) || verifySpec(t, c, pub, h, flip(raw, 32)) {
		t.Error("something altered verifies")
	}
	for i := range pub {
		if verifySpec(t, c, flip(pub, i), h, raw) {
			t.Errorf("octet %d of the public key altered, and it verifies", i)
		}
	}
	for _, part := range [][]byte{make([]byte, 32), offset(0), offset(1), bytes.Repeat([]byte{255}, 32)} {
		if verifySpec(t, c, pub, h, append(bytes.Clone(part), raw[32:]...)) || verifySpec(t, c, pub, h, append(bytes.Clone(raw[:32]), part...)) {
			t.Errorf("%x as r or s verifies", part)
		}
	}
}

type pair struct{ R, S *big.Int }

func der(t testing.TB, sig []byte) []byte {
	t.Helper()
	h := len(sig) / 2
	b, err := asn1.Marshal(pair{new(big.Int).SetBytes(sig[:h]), new(big.Int).SetBytes(sig[h:])})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// p1363 is r ‖ s of a signature in DER, nil if it isn't one or has negative or too long numbers.
func p1363(sig []byte, octets int) []byte {
	var p pair
	if rest, err := asn1.Unmarshal(sig, &p); err != nil || len(rest) > 0 {
		return nil
	}
	if again, err := asn1.Marshal(p); err != nil || !bytes.Equal(again, sig) {
		return nil
	}
	if p.R.Sign() < 0 || p.S.Sign() < 0 || p.R.BitLen() > 8*octets || p.S.BitLen() > 8*octets {
		return nil
	}
	return append(p.R.FillBytes(make([]byte, octets)), p.S.FillBytes(make([]byte, octets))...)
}

// TestWycheproof runs files of signatures, raw and in DER. On other curves than P-256 a signature shows that the
// constants are right.
func TestWycheproof(t *testing.T) {
	for _, tt := range []struct {
		curve weierstrass.Curve
		name  string
		file  string
		main  bool
	}{
		{weierstrass.P256(), "secp256r1", "ecdsa_secp256r1_sha256_p1363_test.json", true},
		{weierstrass.P256(), "secp256r1", "ecdsa_secp256r1_sha256_test.json", false},
		{weierstrass.P256(), "secp256r1", "ecdsa_secp256r1_sha512_test.json", false},
		{weierstrass.P192(), "secp192r1", "ecdsa_secp192r1_sha256_p1363_test.json", false},
		{weierstrass.P224(), "secp224r1", "ecdsa_secp224r1_sha224_p1363_test.json", false},
		{weierstrass.P384(), "secp384r1", "ecdsa_secp384r1_sha384_p1363_test.json", false},
		{weierstrass.Secp256k1(), "secp256k1", "ecdsa_secp256k1_sha256_p1363_test.json", false},
		{weierstrass.BrainpoolP256r1(), "brainpoolP256r1", "ecdsa_brainpoolP256r1_sha256_p1363_test.json", false},
	} {
		t.Run(strings.TrimSuffix(tt.file, "_test.json"), func(t *testing.T) {
			var file struct {
				NumberOfTests int
				TestGroups    []struct {
					Type, Sha string
					PublicKey struct{ Curve, Uncompressed string }
					Tests     []struct {
						TcID             int
						Flags            []string
						Msg, Sig, Result string
					}
				}
			}
			vectors.Wycheproof(t, tt.file, &file)
			n, _ := tt.curve.N().Const()
			size := tt.curve.Bytes()
			var s vectors.Sampler
			count := map[string]int{}
			for _, g := range file.TestGroups {
				if g.PublicKey.Curve != tt.name {
					t.Fatalf("a group for %q", g.PublicKey.Curve)
				}
				for _, v := range g.Tests {
					sig := unhex(t, v.Sig)
					if g.Type == "EcdsaVerify" {
						sig = p1363(sig, size)
					}
					if len(sig) != 2*size {
						count["no signature"]++
						if v.Result != "invalid" {
							t.Errorf("test %d: no signature, but %s", v.TcID, v.Result)
						}
						continue
					}
					// What is out of range costs nothing.
					r, s0 := new(big.Int).SetBytes(sig[:size]), new(big.Int).SetBytes(sig[size:])
					if r.Sign() > 0 && s0.Sign() > 0 && r.Cmp(n) < 0 && s0.Cmp(n) < 0 {
						few := !tt.main && !vectors.All() && (v.Result != "valid" || count["valid"] > 0)
						if few || !s.Take(v.Result+v.Flags[0]) {
							count["left out"]++
							continue
						}
					}
					h := digest(t, g.Sha, unhex(t, v.Msg))
					if got := verifySpec(t, tt.curve, unhex(t, g.PublicKey.Uncompressed), h, sig); got != (v.Result == "valid") {
						t.Errorf("test %d, %v: %v, want %s", v.TcID, v.Flags, got, v.Result)
					}
					count[v.Result]++
				}
			}
			t.Log(count)
			sum := 0
			for _, c := range count {
				sum += c
			}
			if sum != file.NumberOfTests || count["valid"] == 0 || count["invalid"] == 0 {
				t.Errorf("%d tests, the file promises %d", sum, file.NumberOfTests)
			}
		})
	}
}

type acvpGroup struct {
	Curve, HashAlg string
	QX, QY         string // in an answer of DetECDSA
	Tests          []struct {
		TcID                  int
		Message, QX, QY, R, S string
		TestPassed            *bool
	}
}

// TestACVP runs ECDSA sigVer, and verifies the answers of DetECDSA sigGen, whose private keys were chosen by whoever
// answered: a sample of groups, which differ in curve and hash. (Of sigVer, no P-256 group has a valid signature.)
func TestACVP(t *testing.T) {
	curves := map[string]weierstrass.Curve{}
	for _, c := range weierstrass.Curves() {
		curves[c.Name()] = c
	}
	for algorithm, mode := range map[string]string{"ECDSA": "sigVer", "DetECDSA": "sigGen"} {
		var questions []acvpGroup
		set := 0
		for _, q := range vectors.ACVP[acvpGroup](t, "vectors", algorithm) {
			if q.Mode == mode {
				set, questions = q.VsID, append(questions, q.TestGroups...)
			}
		}
		var answers []acvpGroup
		for _, a := range vectors.ACVP[acvpGroup](t, "expected", algorithm) {
			if a.VsID == set && set != 0 {
				answers = append(answers, a.TestGroups...)
			}
		}
		if len(questions) == 0 || len(questions) != len(answers) {
			t.Fatalf("%s: %d groups, %d answers", algorithm, len(questions), len(answers))
		}
		tests, passes := 0, 0
		for i, g := range questions {
			c, ok := curves[g.Curve]
			if !ok || len(g.Tests) != 1 || len(answers[i].Tests) != 1 || answers[i].Tests[0].TcID != g.Tests[0].TcID {
				t.Fatalf("%s group %d: curve %q, %d tests", algorithm, i, g.Curve, len(g.Tests))
			}
			if strings.HasPrefix(g.HashAlg, "SHAKE") {
				t.Fatalf("%s group %d: %s", algorithm, i, g.HashAlg)
			}
			q, a := g.Tests[0], answers[i].Tests[0]
			positive := mode == "sigGen" || a.TestPassed != nil && *a.TestPassed
			if vectors.All() || g.Curve == "P-256" && i%3 == 0 || positive && mode == "sigVer" && c.Bytes() <= 32 {
				x, y, r, sig, passed := q.QX, q.QY, q.R, q.S, true
				if mode == "sigVer" {
					if a.TestPassed == nil {
						t.Fatalf("test %d has no verdict", q.TcID)
					}
					passed = *a.TestPassed
				} else {
					x, y, r, sig = answers[i].QX, answers[i].QY, a.R, a.S
				}
				pub := append(append([]byte{4}, unhex(t, x)...), unhex(t, y)...)
				h := digest(t, g.HashAlg, unhex(t, q.Message))
				if got := verifySpec(t, c, pub, h, append(unhex(t, r), unhex(t, sig)...)); got != passed {
					t.Errorf("%s test %d, %s, %s: %v, want %v", algorithm, q.TcID, g.Curve, g.HashAlg, got, passed)
				}
				tests++
				if passed {
					passes++
				}
			}
		}
		if t.Logf("%s: %d tests, %d pass", algorithm, tests, passes); passes == 0 {
			t.Error("nothing passes")
		}
	}
}
