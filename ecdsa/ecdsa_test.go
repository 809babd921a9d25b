package ecdsa_test

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	_ "crypto/sha3"
	_ "crypto/sha512"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"verum.example/ecdsa"
	"verum.example/internal/cpu"
	"verum.example/internal/vectors"
)

var params = elliptic.P256().Params()

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func generate(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(ecdsa.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// key is the private key for a number.
func key(t testing.TB, d *big.Int) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.ParseRawPrivateKey(ecdsa.P256(), d.FillBytes(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// std are the same keys of the standard library.
func std(t testing.TB, k *ecdsa.PrivateKey) *stdecdsa.PrivateKey {
	t.Helper()
	s, err := k.ToStd()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestVariant checks that VERUM_CPU decides what runs, or that nothing runs. With a value that cannot be had, only this
// test of the package is of use: VERUM_CPU=none go test -run TestVariant ./ecdsa
func TestVariant(t *testing.T) {
	want := os.Getenv("VERUM_CPU")
	t.Logf("GOARCH=%s, VERUM_CPU=%q, supported: %v, variant: %q", runtime.GOARCH, want, ecdsa.Supported(), cpu.Variant())
	if ecdsa.Supported() {
		if want != "" && cpu.Variant() != want {
			t.Errorf("variant %q runs", cpu.Variant())
		}
		return
	}
	k, err := ecdsa.GenerateKey(ecdsa.P256(), nil)
	if k != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("GenerateKey: %v", err)
	}
}

// TestRFC6979 signs the messages of RFC 6979 A.2.5, and one whose first nonce is not below n.
func TestRFC6979(t *testing.T) {
	tests := 0
	for _, v := range vectors.RFC6979(t) {
		if v.Curve != "P-256" {
			continue
		}
		tests++
		h := sha256.Sum256([]byte(v.Message))
		want, err := asn1.Marshal(struct{ R, S *big.Int }{v.R, v.S})
		if err != nil {
			t.Fatal(err)
		}
		k := key(t, v.D)
		for i, sign := range []func() ([]byte, error){
			func() ([]byte, error) { return k.Sign(nil, h[:], crypto.SHA256) },
			func() ([]byte, error) { return k.SignMessage(nil, []byte(v.Message), crypto.SHA256) },
		} {
			if sig, err := sign(); err != nil || !bytes.Equal(sig, want) {
				t.Errorf("%q, %d: %x (%v), want %x", v.Message, i, sig, err, want)
			}
		}
		if !ecdsa.VerifyASN1(k.PublicKey(), h[:], want) {
			t.Errorf("%q: the signature is refused", v.Message)
		}
	}
	if tests < 3 {
		t.Errorf("%d vectors", tests)
	}
}

// TestWycheproof verifies the signatures of Wycheproof, in DER and as r ‖ s.
func TestWycheproof(t *testing.T) {
	for _, tt := range []struct {
		name   string
		verify func(pub *ecdsa.PublicKey, hash, sig []byte) bool
		hash   crypto.Hash
	}{
		{"ecdsa_secp256r1_sha256_test.json", ecdsa.VerifyASN1, crypto.SHA256},
		{"ecdsa_secp256r1_sha512_test.json", ecdsa.VerifyASN1, crypto.SHA512},
		{"ecdsa_secp256r1_sha256_p1363_test.json", ecdsa.VerifyRaw, crypto.SHA256},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var file struct {
				Algorithm     string
				NumberOfTests int
				TestGroups    []struct {
					PublicKey struct{ Curve, Uncompressed string }
					SHA       string
					Tests     []struct {
						TcID                      int
						Comment, Msg, Sig, Result string
					}
				}
			}
			vectors.Wycheproof(t, tt.name, &file)
			count := map[string]int{}
			for _, g := range file.TestGroups {
				if file.Algorithm != "ECDSA" || g.PublicKey.Curve != "secp256r1" || g.SHA != tt.hash.String() {
					t.Fatalf("%s, %s, %s", file.Algorithm, g.PublicKey.Curve, g.SHA)
				}
				pub, err := ecdsa.ParseUncompressedPublicKey(ecdsa.P256(), unhex(t, g.PublicKey.Uncompressed))
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range g.Tests {
					h := tt.hash.New()
					h.Write(unhex(t, v.Msg))
					got := "invalid"
					if tt.verify(pub, h.Sum(nil), unhex(t, v.Sig)) {
						got = "valid"
					}
					if got != v.Result {
						t.Errorf("test %d, %s: %s, want %s", v.TcID, v.Comment, got, v.Result)
					}
					count[v.Result]++
				}
			}
			t.Log(count)
			if count["valid"] == 0 || count["invalid"] == 0 || count["valid"]+count["invalid"] != file.NumberOfTests {
				t.Errorf("%v, the file promises %d tests", count, file.NumberOfTests)
			}
		})
	}
}

var acvpHashes = map[string]crypto.Hash{
	"SHA2-224": crypto.SHA224, "SHA2-256": crypto.SHA256, "SHA2-384": crypto.SHA384, "SHA2-512": crypto.SHA512,
	"SHA2-512/224": crypto.SHA512_224, "SHA2-512/256": crypto.SHA512_256, "SHA3-224": crypto.SHA3_224,
	"SHA3-256": crypto.SHA3_256, "SHA3-384": crypto.SHA3_384, "SHA3-512": crypto.SHA3_512,
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

// TestACVP runs the P-256 groups of NIST's ECDSA sigVer, and verifies the answers of DetECDSA sigGen, of which the private
// keys are not known.
func TestACVP(t *testing.T) {
	passes := 0
	for algorithm, mode := range map[string]string{"ECDSA": "sigVer", "DetECDSA": "sigGen"} {
		var questions, answers []acvpGroup
		set := 0
		for _, q := range vectors.ACVP[acvpGroup](t, "vectors", algorithm) {
			if q.Mode == mode {
				set, questions = q.VsID, append(questions, q.TestGroups...)
			}
		}
		for _, a := range vectors.ACVP[acvpGroup](t, "expected", algorithm) {
			if a.VsID == set {
				answers = append(answers, a.TestGroups...)
			}
		}
		if len(questions) == 0 || len(questions) != len(answers) {
			t.Fatalf("%s: %d groups, %d answers", algorithm, len(questions), len(answers))
		}
		tests := 0
		for i, g := range questions {
			if g.Curve != "P-256" {
				continue
			}
			hash, ok := acvpHashes[g.HashAlg]
			if !ok || len(g.Tests) != len(answers[i].Tests) {
				t.Fatalf("%s group %d: %s, %d tests", algorithm, i, g.HashAlg, len(g.Tests))
			}
			for j, q := range g.Tests {
				a := answers[i].Tests[j]
				x, y, r, s, want := answers[i].QX, answers[i].QY, a.R, a.S, true
				if mode == "sigVer" {
					x, y, r, s, want = q.QX, q.QY, q.R, q.S, *a.TestPassed
				}
				h := hash.New()
				h.Write(unhex(t, q.Message))
				pub, err := ecdsa.ParseUncompressedPublicKey(ecdsa.P256(), slices.Concat([]byte{4}, unhex(t, x), unhex(t, y)))
				got := err == nil && ecdsa.VerifyRaw(pub, h.Sum(nil), append(unhex(t, r), unhex(t, s)...))
				if got != want {
					t.Errorf("%s test %d, %s: %v, want %v", algorithm, q.TcID, g.HashAlg, got, want)
				}
				tests++
				if want {
					passes++
				}
			}
		}
		if t.Logf("%s: %d tests", algorithm, tests); tests == 0 {
			t.Error("there are no tests")
		}
	}
	if passes == 0 {
		t.Error("nothing passes")
	}
}

// TestDigests signs and verifies digests of all lengths, here and in the standard library.
func TestDigests(t *testing.T) {
	k := generate(t)
	s := std(t, k)
	for n := 0; n <= 130; n++ {
		digest := bytes.Repeat([]byte{byte(n), 255}, n)[:n]
		sig, err := ecdsa.SignASN1(rand.Reader, k, digest)
		if n == 0 {
			if err == nil || ecdsa.VerifyASN1(k.PublicKey(), digest, sig) {
				t.Error("an empty digest is signed")
			}
			continue
		}
		if err != nil || !stdecdsa.VerifyASN1(&s.PublicKey, digest, sig) || !ecdsa.VerifyASN1(k.PublicKey(), digest, sig) {
			t.Errorf("%d bytes: %x (%v)", n, sig, err)
		}
		theirs, err := stdecdsa.SignASN1(rand.Reader, s, digest)
		if err != nil || !ecdsa.VerifyASN1(k.PublicKey(), digest, theirs) {
			t.Errorf("%d bytes: a signature of crypto/ecdsa is refused (%v)", n, err)
		}
		digest[min(n, 32)-1] ^= 1
		if ecdsa.VerifyASN1(k.PublicKey(), digest, sig) {
			t.Errorf("%d bytes: another digest is accepted", n)
		}
	}
}

// TestSigner: the rules for options, and that signatures are deterministic just with a nil reader.
func TestSigner(t *testing.T) {
	k := generate(t)
	digest := make([]byte, 32)
	for _, tt := range []struct {
		name   string
		random bool
		digest []byte
		opts   crypto.SignerOpts
		ok     bool
	}{
		{"random", true, digest, crypto.SHA256, true},
		{"random, no options", true, digest, nil, true},
		{"random, no options, odd length", true, digest[:7], nil, true},
		{"random, wrong length", true, digest[:31], crypto.SHA256, false},
		{"random, no hash function", true, digest, crypto.Hash(0), false},
		{"deterministic", false, digest, crypto.SHA256, true},
		{"deterministic, other hash", false, digest, crypto.SHA512_256, true},
		{"deterministic, no options", false, digest, nil, false},
		{"deterministic, wrong length", false, digest, crypto.SHA512, false},
		{"deterministic, not linked", false, digest[:16], crypto.MD4, false},
	} {
		sign := func() []byte {
			var sig []byte
			var err error
			if tt.random {
				sig, err = k.Sign(rand.Reader, tt.digest, tt.opts)
			} else {
				sig, err = k.Sign(nil, tt.digest, tt.opts)
			}
			if (err == nil) != tt.ok || (sig != nil) != tt.ok {
				t.Errorf("%s: %x, %v", tt.name, sig, err)
			}
			return sig
		}
		a, b := sign(), sign()
		if tt.ok && bytes.Equal(a, b) == tt.random {
			t.Errorf("%s: signatures %x, %x", tt.name, a, b)
		}
		if tt.ok && !ecdsa.VerifyASN1(k.PublicKey(), tt.digest, a) {
			t.Errorf("%s: the signature is refused", tt.name)
		}
	}
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0), crypto.MD4} {
		if sig, err := k.SignMessage(nil, nil, opts); err == nil || sig != nil {
			t.Errorf("SignMessage with %v: %x", opts, sig)
		}
	}
	if sig, err := k.SignMessage(rand.Reader, []byte("m"), crypto.SHA384); err != nil || sig == nil {
		t.Errorf("SignMessage: %v", err)
	}
}

// TestDeterministic compares with the standard library for each hash function.
func TestDeterministic(t *testing.T) {
	k := generate(t)
	s := std(t, k)
	for _, h := range acvpHashes {
		digest := make([]byte, h.Size())
		for range 20 {
			rand.Read(digest)
			a, err := k.Sign(nil, digest, h)
			b, err2 := s.Sign(nil, digest, h)
			if err != nil || err2 != nil || !bytes.Equal(a, b) {
				t.Fatalf("%v: %x (%v), crypto/ecdsa has %x (%v)", h, a, err, b, err2)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	k, other := generate(t), generate(t)
	b, err := k.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b); err != nil || !again.Equal(k) || again.Equal(other) {
		t.Errorf("a private key is another after parsing (%v)", err)
	}
	for name, parse := range map[string]func() (*ecdsa.PublicKey, error){
		"uncompressed": func() (*ecdsa.PublicKey, error) {
			b, _ := k.PublicKey().Bytes()
			return ecdsa.ParseUncompressedPublicKey(ecdsa.P256(), b)
		},
		"compressed": func() (*ecdsa.PublicKey, error) {
			b, _ := k.PublicKey().BytesCompressed()
			return ecdsa.ParseCompressedPublicKey(ecdsa.P256(), b)
		},
		"crypto/ecdsa": func() (*ecdsa.PublicKey, error) { return ecdsa.PublicKeyFromStd(&std(t, k).PublicKey) },
	} {
		if p, err := parse(); err != nil || !p.Equal(k.Public()) || p.Equal(other.Public()) {
			t.Errorf("%s: the public key is another (%v)", name, err)
		}
	}
	if again, err := ecdsa.PrivateKeyFromStd(std(t, k)); err != nil || !again.Equal(k) {
		t.Errorf("a private key is another on the way to crypto/ecdsa and back (%v)", err)
	}
	wrong := *std(t, k)
	wrong.PublicKey = std(t, other).PublicKey
	p384, _ := stdecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	for i, bad := range []*stdecdsa.PrivateKey{nil, {}, {PublicKey: stdecdsa.PublicKey{Curve: elliptic.P256()}}, &wrong, p384} {
		if k, err := ecdsa.PrivateKeyFromStd(bad); k != nil || err == nil {
			t.Errorf("private key %d of crypto/ecdsa is accepted", i)
		}
	}
	for i, bad := range []*stdecdsa.PublicKey{nil, {}, {Curve: elliptic.P256()}, &p384.PublicKey} {
		if k, err := ecdsa.PublicKeyFromStd(bad); k != nil || err == nil {
			t.Errorf("public key %d of crypto/ecdsa is accepted", i)
		}
	}
	for _, c := range []ecdsa.Curve{nil, elliptic.P384()} {
		if k, err := ecdsa.GenerateKey(c, nil); k != nil || err == nil {
			t.Errorf("a key on %v", c)
		}
	}
	for _, bad := range [][]byte{nil, {4}, make([]byte, 32), params.N.Bytes(), make([]byte, 65), bytes.Repeat([]byte{255}, 65)} {
		if k, err := ecdsa.ParseRawPrivateKey(ecdsa.P256(), bad); k != nil || err == nil {
			t.Errorf("private key %x", bad)
		}
		if k, err := ecdsa.ParseUncompressedPublicKey(ecdsa.P256(), bad); k != nil || err == nil {
			t.Errorf("public key %x", bad)
		}
		if k, err := ecdsa.ParseCompressedPublicKey(ecdsa.P256(), bad); k != nil || err == nil {
			t.Errorf("compressed public key %x", bad)
		}
	}
	if e, err := k.ECDH(); err != nil || !bytes.Equal(e.Bytes(), b) {
		t.Errorf("ECDH: %v", err)
	}
	if e, err := k.PublicKey().ECDH(); err != nil || e == nil {
		t.Errorf("ECDH: %v", err)
	}
}

// TestMissingKeys: nil keys and zero values are errors.
func TestMissingKeys(t *testing.T) {
	digest := make([]byte, 32)
	for _, k := range []*ecdsa.PrivateKey{nil, {}} {
		for name, f := range map[string]func() (any, error){
			"SignASN1":    func() (any, error) { b, err := ecdsa.SignASN1(nil, k, digest); return b != nil, err },
			"SignRaw":     func() (any, error) { b, err := ecdsa.SignRaw(nil, k, digest); return b != nil, err },
			"Sign":        func() (any, error) { b, err := k.Sign(nil, digest, crypto.SHA256); return b != nil, err },
			"SignMessage": func() (any, error) { b, err := k.SignMessage(nil, digest, crypto.SHA256); return b != nil, err },
			"Bytes":       func() (any, error) { b, err := k.Bytes(); return b != nil, err },
			"ECDH":        func() (any, error) { b, err := k.ECDH(); return b != nil, err },
			"ToStd":       func() (any, error) { b, err := k.ToStd(); return b != nil, err },
			"StdSigner":   func() (any, error) { b, err := k.StdSigner(); return b != nil, err },
		} {
			if got, err := f(); err == nil || got == true {
				t.Errorf("%s: no error", name)
			}
		}
		if k.Equal(k) || k.Equal(nil) || k.Public() == nil {
			t.Error("a key without a value is equal to something")
		}
	}
	for _, p := range []*ecdsa.PublicKey{nil, {}} {
		for name, f := range map[string]func() (any, error){
			"Bytes":           func() (any, error) { b, err := p.Bytes(); return b != nil, err },
			"BytesCompressed": func() (any, error) { b, err := p.BytesCompressed(); return b != nil, err },
			"ECDH":            func() (any, error) { b, err := p.ECDH(); return b != nil, err },
			"ToStd":           func() (any, error) { b, err := p.ToStd(); return b != nil, err },
		} {
			if got, err := f(); err == nil || got == true {
				t.Errorf("%s: no error", name)
			}
		}
		if p.Equal(p) || ecdsa.VerifyRaw(p, digest, make([]byte, 64)) || ecdsa.VerifyASN1(p, digest, []byte{0x30, 0}) {
			t.Error("a key without a value is equal to something, or verifies")
		}
	}
}

// TestMalleability: with s also n − s is a signature, and no other change of one is.
func TestMalleability(t *testing.T) {
	k := generate(t)
	digest := sha256.Sum256([]byte("message"))
	sig, err := ecdsa.SignRaw(nil, k, digest[:])
	if err != nil || len(sig) != 64 {
		t.Fatal(sig, err)
	}
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	raw := func(r, s *big.Int) []byte {
		if r.BitLen() > 256 || s.BitLen() > 256 || r.Sign() < 0 || s.Sign() < 0 {
			return nil
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
	minus := new(big.Int).Sub(params.N, s)
	if !ecdsa.VerifyRaw(k.PublicKey(), digest[:], sig) || !ecdsa.VerifyRaw(k.PublicKey(), digest[:], raw(r, minus)) {
		t.Error("a signature is refused")
	}
	zero := new(big.Int)
	for i, bad := range [][]byte{nil, sig[:63], append(sig[:64:64], 0), raw(zero, s), raw(r, zero), raw(zero, zero), raw(s, r),
		raw(new(big.Int).Add(r, params.N), s), raw(r, new(big.Int).Add(s, params.N)), raw(params.N, s), raw(r, params.N),
		raw(new(big.Int).Sub(params.N, r), s)} {
		if ecdsa.VerifyRaw(k.PublicKey(), digest[:], bad) {
			t.Errorf("change %d is accepted", i)
		}
	}
	for i := range 8 * len(sig) {
		bad := bytes.Clone(sig)
		bad[i/8] ^= 1 << (i % 8)
		if ecdsa.VerifyRaw(k.PublicKey(), digest[:], bad) {
			t.Errorf("bit %d is changed, and the signature is accepted", i)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	k := generate(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				digest := sha256.Sum256([]byte{byte(i), byte(j)})
				sig, err := ecdsa.SignASN1(nil, k, digest[:])
				if err != nil || !ecdsa.VerifyASN1(k.PublicKey(), digest[:], sig) {
					t.Errorf("%x (%v)", sig, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestAllocations compares with crypto/ecdsa.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("sync.Pool drops items at random under the race detector: nothing to measure")
		return
	}
	k := generate(t)
	s, digest := std(t, k), sha256.Sum256([]byte("message"))
	sig, err := ecdsa.SignASN1(nil, k, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	ours := testing.AllocsPerRun(50, func() { ecdsa.VerifyASN1(k.PublicKey(), digest[:], sig) })
	theirs := testing.AllocsPerRun(50, func() { stdecdsa.VerifyASN1(&s.PublicKey, digest[:], sig) })
	t.Logf("VerifyASN1: %v allocations, crypto/ecdsa %v", ours, theirs)
	if ours > theirs {
		t.Errorf("VerifyASN1: more allocations than crypto/ecdsa: %v > %v", ours, theirs)
	}
}

// TestErrors: each error says whose it is.
func TestErrors(t *testing.T) {
	_, err := ecdsa.SignASN1(nil, nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "verum/ecdsa: ") {
		t.Error(err)
	}
}
