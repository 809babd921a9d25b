package ecdsa_test

import (
	"bufio"
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verum.example/ecdsa"
)

// The differential test compares this package with crypto/ecdsa: deterministic signatures with private keys at the edges
// and at random, and verdicts on signatures, right and wrong, among them such that the two multiples in the verification
// are equal, opposite or infinity. It has three modes:
//
//   - by default, it calls both packages;
//   - VERUM_DIFF_WRITE=FILE makes it also write the questions, with the answers of crypto/ecdsa, to the file;
//   - VERUM_DIFF_READ=FILE makes it take questions and answers from the file instead of calling crypto/ecdsa.
//
// So answers computed on a real CPU can be checked under an emulator: see the test of the same name in package ecdh.
// With -short, there are fewer random cases. VERUM_DIFF_SEED (64 hexadecimal digits) repeats an earlier run.
const (
	diffHeader = "verum ecdsa P-256 differential test 1"
	diffCases  = 10000
)

// diffCase is a line of the file: "sign", a private key, a digest, the signature in DER or "refused"; or "verify", an
// uncompressed public key, a digest, a signature r ‖ s, "true" or "false". Bytes are in hexadecimal.
type diffCase struct{ what, key, digest, sig, answer string }

func (c diffCase) String() string {
	return strings.Join([]string{c.what, c.key, c.digest, c.sig, c.answer}, " ")
}

// none stands in place of what a line has not.
const none = "-"

func TestDifferential(t *testing.T) {
	var cases []diffCase
	if path := os.Getenv("VERUM_DIFF_READ"); path != "" {
		cases = readCases(t, path+".ecdsa")
	} else {
		cases = makeCases(t)
	}
	if path := os.Getenv("VERUM_DIFF_WRITE"); path != "" {
		writeCases(t, path+".ecdsa", cases)
	}
	if !testing.Short() && len(cases) < diffCases {
		t.Errorf("only %d cases", len(cases))
	}
	count := map[string]int{}
	failures := 0
	for _, c := range cases {
		got := "refused"
		digest := unhex(t, c.digest)
		switch c.what {
		case "sign":
			if k, err := ecdsa.ParseRawPrivateKey(ecdsa.P256(), unhex(t, c.key)); err == nil {
				sig, err := k.Sign(nil, digest, crypto.SHA256)
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				if got = hex.EncodeToString(sig); !ecdsa.VerifyASN1(k.PublicKey(), digest, sig) {
					t.Errorf("%v: the signature is refused", c)
				}
			}
		case "verify":
			pub, err := ecdsa.ParseUncompressedPublicKey(ecdsa.P256(), unhex(t, c.key))
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			got = fmt.Sprint(ecdsa.VerifyRaw(pub, digest, unhex(t, c.sig)))
		}
		if got != c.answer {
			t.Errorf("%v\ngot %s", c, got)
			if failures++; failures == 10 {
				t.Fatal("that is enough")
			}
		}
		if len(got) > 8 {
			got = "signature"
		}
		count[c.what+": "+got]++
	}
	t.Log(count)
	for _, what := range []string{"sign: signature", "sign: refused", "verify: true", "verify: false"} {
		if count[what] == 0 {
			t.Errorf("no case has the result %s", what)
		}
	}
}

// makeCases asks crypto/ecdsa.
func makeCases(t *testing.T) (cases []diffCase) {
	var seed [32]byte
	crand.Read(seed[:])
	if s := os.Getenv("VERUM_DIFF_SEED"); s != "" && copy(seed[:], unhex(t, s)) != len(seed) {
		t.Fatal("VERUM_DIFF_SEED is too short")
	}
	t.Logf("VERUM_DIFF_SEED=%x", seed)
	random := rand.NewChaCha8(seed)
	number := func() *big.Int {
		var b [32]byte
		random.Read(b[:])
		v := new(big.Int).SetBytes(b[:])
		return v.Mod(v, params.N)
	}
	sign := func(d *big.Int, digest []byte) {
		c := diffCase{"sign", hex.EncodeToString(d.FillBytes(make([]byte, 32))), hex.EncodeToString(digest), none, "refused"}
		if k, err := stdecdsa.ParseRawPrivateKey(elliptic.P256(), d.FillBytes(make([]byte, 32))); err == nil {
			sig, err := k.Sign(nil, digest, crypto.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			c.answer = hex.EncodeToString(sig)
		}
		cases = append(cases, c)
	}
	edges := edgeNumbers()
	for i, d := range edges {
		sign(d, number().FillBytes(make([]byte, 32)))
		sign(number(), edges[len(edges)-1-i].FillBytes(make([]byte, 32))) // as a digest
	}

	// verify asks about the signature for which the verification computes [u]G + [v]Q, for the key Q = [q]G, and changed.
	verify := func(q, u, v *big.Int) {
		sum := new(big.Int).Mul(v, q)
		sum.Add(sum, u).Mod(sum, params.N)
		r := big.NewInt(1) // of the point at infinity, there is none
		if sum.Sign() != 0 {
			r.Mod(xOf(t, sum), params.N)
		}
		s := new(big.Int).ModInverse(v, params.N) // v = r/s, u = e/s
		s.Mul(s, r).Mod(s, params.N)
		e := new(big.Int).Mul(u, s)
		e.Mod(e, params.N)
		k, err := stdecdsa.ParseRawPrivateKey(elliptic.P256(), q.FillBytes(make([]byte, 32)))
		if err != nil {
			t.Fatal(err)
		}
		pub, err := k.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		digest := e.FillBytes(make([]byte, 32))
		for change := range 3 {
			sig := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
			if change > 0 { // of r, of s
				sig[32*change-1-int(random.Uint64()%4)] ^= 1 << (random.Uint64() % 8)
			}
			der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])})
			if err != nil {
				t.Fatal(err)
			}
			ok := stdecdsa.VerifyASN1(&k.PublicKey, digest, der)
			if change == 0 && ok != (sum.Sign() != 0) {
				t.Fatalf("q = %x, u = %x, v = %x: crypto/ecdsa says %v", q, u, v, ok)
			}
			cases = append(cases, diffCase{"verify", hex.EncodeToString(pub), hex.EncodeToString(digest), hex.EncodeToString(sig), fmt.Sprint(ok)})
		}
	}
	minus := func(v *big.Int) *big.Int { return new(big.Int).Mod(new(big.Int).Neg(v), params.N) }
	small := func(v int64) *big.Int { return new(big.Int).Mod(big.NewInt(v), params.N) }
	for _, q := range []int64{1, 2, 3, 4, -1, -2, -3, -4} {
		for _, v := range []*big.Int{small(1), small(2), small(-1), small(16), small(17), small(-33), number()} {
			qv := new(big.Int).Mul(small(q), v)
			qv.Mod(qv, params.N)
			for _, u := range []*big.Int{small(0), v, minus(v), qv, minus(qv), small(1), small(-1), number()} {
				verify(small(q), u, v)
			}
		}
	}
	want := diffCases
	if testing.Short() {
		want = len(cases) + 100
	}
	for len(cases) < want {
		verify(number(), number(), number())
		sign(number(), number().FillBytes(make([]byte, 32)))
	}
	return cases
}

// xOf is the x-coordinate of [k]G.
func xOf(t *testing.T, k *big.Int) *big.Int {
	t.Helper()
	s, err := stdecdsa.ParseRawPrivateKey(elliptic.P256(), k.FillBytes(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(b[1:33])
}

// edgeNumbers returns 0 … 64, n−64 … n+64, 2ⁱ and n−2ⁱ, and the largest 32-byte number.
func edgeNumbers() (vs []*big.Int) {
	one := big.NewInt(1)
	for i := range int64(65) {
		vs = append(vs, big.NewInt(i))
	}
	for i := int64(-64); i <= 64; i++ {
		vs = append(vs, new(big.Int).Add(params.N, big.NewInt(i)))
	}
	for i := range uint(256) {
		power := new(big.Int).Lsh(one, i)
		vs = append(vs, power)
		if power.Cmp(params.N) < 0 {
			vs = append(vs, new(big.Int).Sub(params.N, power))
		}
	}
	top := new(big.Int).Lsh(one, 256)
	return append(vs, top.Sub(top, one))
}

func writeCases(t *testing.T, path string, cases []diffCase) {
	if !filepath.IsAbs(path) {
		t.Fatalf("VERUM_DIFF_WRITE=%s: the path must be absolute", path)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %d cases\n", diffHeader, len(cases))
	for _, c := range cases {
		fmt.Fprintln(&out, c)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readCases(t *testing.T, path string) (cases []diffCase) {
	if !filepath.IsAbs(path) {
		t.Fatalf("VERUM_DIFF_READ=%s: the path must be absolute", path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	var count int
	if !lines.Scan() {
		t.Fatalf("%s is empty", path)
	}
	if _, err := fmt.Sscanf(lines.Text(), diffHeader+": %d cases", &count); err != nil {
		t.Fatalf("%s does not begin with %q: %v", path, diffHeader, err)
	}
	for lines.Scan() {
		var c diffCase
		if n, err := fmt.Sscan(lines.Text(), &c.what, &c.key, &c.digest, &c.sig, &c.answer); n != 5 {
			t.Fatalf("%s, line %d: %v", path, len(cases)+2, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) != count {
		t.Fatalf("%s has %d of %d cases (%v)", path, len(cases), count, err)
	}
	return cases
}
