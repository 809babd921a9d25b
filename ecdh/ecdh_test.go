package ecdh_test

import (
	"bytes"
	"crypto"
	stdecdh "crypto/ecdh"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"math/big"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"

	"verum.example/ecdh"
	"verum.example/internal/cpu"
)

var params = elliptic.P256().Params()

// What the documentation of crypto.PublicKey and crypto.PrivateKey asks of key types.
var (
	_ interface {
		Equal(x crypto.PublicKey) bool
	} = (*ecdh.PublicKey)(nil)
	_ interface {
		Public() crypto.PublicKey
		Equal(x crypto.PrivateKey) bool
	} = (*ecdh.PrivateKey)(nil)
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func generate(t testing.TB) *ecdh.PrivateKey {
	t.Helper()
	k, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestVariant checks that VERUM_CPU decides what runs, or that nothing runs. With a value that cannot be had, only this
// test of the package is of use: VERUM_CPU=none go test -run TestVariant ./ecdh
func TestVariant(t *testing.T) {
	want := os.Getenv("VERUM_CPU")
	t.Logf("GOARCH=%s, VERUM_CPU=%q, supported: %v, variant: %q", runtime.GOARCH, want, ecdh.Supported(), cpu.Variant())
	if ecdh.Supported() {
		if want != "" && cpu.Variant() != want {
			t.Errorf("variant %q runs", cpu.Variant())
		}
		return
	}
	std, err := stdecdh.P256().NewPrivateKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() (any, error){
		"GenerateKey":            func() (any, error) { return ecdh.P256().GenerateKey(nil) },
		"NewPrivateKey":          func() (any, error) { return ecdh.P256().NewPrivateKey(std.Bytes()) },
		"NewPublicKey":           func() (any, error) { return ecdh.P256().NewPublicKey(std.PublicKey().Bytes()) },
		"NewPublicKeyCompressed": func() (any, error) { return ecdh.P256().NewPublicKeyCompressed(make([]byte, 33)) },
		"PrivateKeyFromStd":      func() (any, error) { return ecdh.PrivateKeyFromStd(std) },
		"PublicKeyFromStd":       func() (any, error) { return ecdh.PublicKeyFromStd(std.PublicKey()) },
	} {
		_, err := do()
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", name, err)
		}
		if want != "" && !strings.Contains(err.Error(), "VERUM_CPU") {
			t.Errorf("%s: error %v does not name VERUM_CPU", name, err)
		}
	}
}

func TestAgreement(t *testing.T) {
	alice, bob := generate(t), generate(t)
	a, err := alice.ECDH(bob.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	b, err := bob.ECDH(alice.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) || len(a) != 32 {
		t.Errorf("secrets %x and %x", a, b)
	}
}

// TestCAVS uses the first P-256 vector of NIST's CAVS 14.1, ECC CDH Primitive (SP 800-56A).
func TestCAVS(t *testing.T) {
	key, err := ecdh.P256().NewPrivateKey(unhex(t, "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534"))
	if err != nil {
		t.Fatal(err)
	}
	public := "04ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b23028af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141"
	if got := hex.EncodeToString(key.PublicKey().Bytes()); got != public {
		t.Errorf("public key %s", got)
	}
	peer, err := ecdh.P256().NewPublicKey(unhex(t, "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := key.ECDH(peer)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(secret); got != "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b" {
		t.Errorf("secret %s", got)
	}
}

func TestCurveIsComparable(t *testing.T) {
	if ecdh.P256() != ecdh.P256() {
		t.Error("P256() differs from P256()")
	}
	if m := map[ecdh.Curve]int{ecdh.P256(): 7}; m[ecdh.P256()] != 7 {
		t.Error("P256() is no key of a map")
	}
	k := generate(t)
	if k.Curve() != ecdh.P256() || k.PublicKey().Curve() != ecdh.P256() {
		t.Error("the curve of a key is not P256()")
	}
	if s := ecdh.P256().String(); s != "P-256" {
		t.Errorf("curve is called %q", s)
	}
}

func TestEncodings(t *testing.T) {
	for range 20 {
		k := generate(t)
		again, err := ecdh.P256().NewPrivateKey(k.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !again.Equal(k) || !again.PublicKey().Equal(k.Public()) || !bytes.Equal(again.Bytes(), k.Bytes()) {
			t.Error("a private key changed on the way through its encoding")
		}
		public, err := ecdh.P256().NewPublicKey(k.PublicKey().Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !public.Equal(k.PublicKey()) {
			t.Error("a public key changed on the way through its encoding")
		}
		x, y := new(big.Int).SetBytes(public.Bytes()[1:33]), new(big.Int).SetBytes(public.Bytes()[33:])
		short := k.PublicKey().BytesCompressed()
		if want := elliptic.MarshalCompressed(elliptic.P256(), x, y); !bytes.Equal(short, want) {
			t.Errorf("compressed encoding %x, want %x", short, want)
		}
		if public, err = ecdh.P256().NewPublicKeyCompressed(short); err != nil {
			t.Fatal(err)
		}
		if !public.Equal(k.PublicKey()) {
			t.Error("a public key changed on the way through its compressed encoding")
		}
	}
}

func TestEqual(t *testing.T) {
	a, b := generate(t), generate(t)
	std, err := a.ToStd()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []crypto.PrivateKey{b, nil, (*ecdh.PrivateKey)(nil), new(ecdh.PrivateKey), *a, std, a.PublicKey(), a.Bytes()} {
		if a.Equal(x) {
			t.Errorf("a private key equals %T", x)
		}
	}
	for _, x := range []crypto.PublicKey{b.PublicKey(), nil, (*ecdh.PublicKey)(nil), new(ecdh.PublicKey), *a.PublicKey(), std.PublicKey(), a} {
		if a.PublicKey().Equal(x) {
			t.Errorf("a public key equals %T", x)
		}
	}
	if !a.Equal(a) || !a.PublicKey().Equal(a.Public()) {
		t.Error("a key does not equal itself")
	}
	if (*ecdh.PrivateKey)(nil).Equal(a) || (*ecdh.PublicKey)(nil).Equal(a.PublicKey()) {
		t.Error("a nil key equals another")
	}
}

// TestSlicesAreCopied checks that keys and callers share no memory.
func TestSlicesAreCopied(t *testing.T) {
	k := generate(t)
	scalar, public, short := k.Bytes(), k.PublicKey().Bytes(), k.PublicKey().BytesCompressed()
	in := [][]byte{bytes.Clone(scalar), bytes.Clone(public), bytes.Clone(short)}
	private, err := ecdh.P256().NewPrivateKey(in[0])
	if err != nil {
		t.Fatal(err)
	}
	long, err := ecdh.P256().NewPublicKey(in[1])
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := ecdh.P256().NewPublicKeyCompressed(in[2])
	if err != nil {
		t.Fatal(err)
	}
	secret, err := k.ECDH(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(in, private.Bytes(), long.Bytes(), compressed.Bytes(), compressed.BytesCompressed(),
		private.PublicKey().Bytes(), bytes.Clone(secret)) {
		for i := range b {
			b[i] ^= 0xff
		}
	}
	if !bytes.Equal(private.Bytes(), scalar) || !private.PublicKey().Equal(k.PublicKey()) {
		t.Error("the private key changed")
	}
	if !bytes.Equal(long.Bytes(), public) || !bytes.Equal(compressed.Bytes(), public) {
		t.Error("a public key changed")
	}
	if again, err := private.ECDH(compressed); err != nil || !bytes.Equal(again, secret) {
		t.Errorf("the secret changed: %x (%v), was %x", again, err, secret)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	k, peer := generate(t), generate(t).PublicKey()
	want, err := k.ECDH(peer)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if got, err := k.ECDH(peer); err != nil || !bytes.Equal(got, want) {
					t.Errorf("secret %x (%v), want %x", got, err, want)
				}
				if _, err := ecdh.P256().GenerateKey(nil); err != nil {
					t.Error(err)
				}
				if _, err := ecdh.P256().NewPublicKey(peer.Bytes()); err != nil {
					t.Error(err)
				}
				if _, err := ecdh.P256().NewPublicKeyCompressed(peer.BytesCompressed()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

type brokenReader struct{ t *testing.T }

func (r brokenReader) Read([]byte) (int, error) {
	r.t.Error("GenerateKey read from the reader it was passed")
	return 0, errors.New("broken")
}

func TestGenerateKeyIgnoresItsReader(t *testing.T) {
	a, err := ecdh.P256().GenerateKey(brokenReader{t})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ecdh.P256().GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Equal(b) {
		t.Error("the same key twice")
	}
}

func TestGenerateKeyLikeTheStandardLibrary(t *testing.T) {
	for seed := range uint64(5) {
		cryptotest.SetGlobalRandom(t, seed)
		std, err := stdecdh.P256().GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		cryptotest.SetGlobalRandom(t, seed)
		if k := generate(t); !bytes.Equal(k.Bytes(), std.Bytes()) {
			t.Errorf("seed %d: key %x, crypto/ecdh generates %x", seed, k.Bytes(), std.Bytes())
		}
	}
}
