package ecdh_test

import (
	"bufio"
	"bytes"
	stdecdh "crypto/ecdh"
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verum.example/ecdh"
)

// The differential test compares this package with crypto/ecdh on private keys at the edges and at random, each with a
// public key of somebody else. It has three modes:
//
//   - by default, it calls both packages;
//   - VERUM_DIFF_WRITE=FILE makes it also write the questions, with the answers of crypto/ecdh, to the file;
//   - VERUM_DIFF_READ=FILE makes it take questions and answers from the file instead of calling crypto/ecdh.
//
// So answers computed on a real CPU can be checked under an emulator:
//
//	VERUM_DIFF_WRITE=/tmp/p256.diff go test -run TestDifferential ./ecdh
//	VERUM_DIFF_READ=/tmp/p256.diff GOARCH=arm64 go test -exec qemu-aarch64-static -run TestDifferential ./ecdh
//
// With -short, there are fewer random keys. VERUM_DIFF_SEED (64 hexadecimal digits) repeats an earlier run.
const (
	diffHeader = "verum ecdh P-256 differential test 1"
	diffCases  = 10000

	shortRandom = 50 // random keys with -short
)

// diffCase is a line of the file, in hexadecimal: a private key, an uncompressed public key of somebody else, the public
// key that belongs to the private key, and the shared secret; "refused" stands for both if the private key is not valid.
type diffCase struct{ private, peer, public, secret string }

const refusedKey = "refused"

func (c diffCase) String() string {
	return strings.Join([]string{c.private, c.peer, c.public, c.secret}, " ")
}

func TestDifferential(t *testing.T) {
	var cases []diffCase
	if path := os.Getenv("VERUM_DIFF_READ"); path != "" {
		cases = readCases(t, path)
		if short := len(edgeKeys()) + shortRandom; testing.Short() && len(cases) > short {
			cases = cases[:short]
		}
		t.Logf("answers of crypto/ecdh read from %s", path)
	} else {
		cases = makeCases(t)
	}
	if path := os.Getenv("VERUM_DIFF_WRITE"); path != "" {
		writeCases(t, path, cases)
		t.Logf("answers of crypto/ecdh written to %s", path)
	}
	if !testing.Short() && len(cases) < diffCases {
		t.Errorf("only %d cases", len(cases))
	}
	valid, failures := 0, 0
	for _, c := range cases {
		got := diffCase{c.private, c.peer, refusedKey, refusedKey}
		if key, err := ecdh.P256().NewPrivateKey(unhex(t, c.private)); err == nil {
			valid++
			peer, err := ecdh.P256().NewPublicKey(unhex(t, c.peer))
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			secret, err := key.ECDH(peer)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if again, err := ecdh.P256().NewPublicKeyCompressed(peer.BytesCompressed()); err != nil || !again.Equal(peer) {
				t.Errorf("%v: compressed key: %v", c, err)
			}
			got.public, got.secret = hex.EncodeToString(key.PublicKey().Bytes()), hex.EncodeToString(secret)
		}
		if got != c {
			t.Errorf("got\n%v\ncrypto/ecdh says\n%v", got, c)
			if failures++; failures == 10 {
				t.Fatal("that is enough")
			}
		}
	}
	t.Logf("%d private keys, %d of them valid", len(cases), valid)
	if valid == 0 || valid == len(cases) {
		t.Error("no valid or no invalid private key")
	}
}

// makeCases asks crypto/ecdh.
func makeCases(t *testing.T) []diffCase {
	var seed [32]byte
	crand.Read(seed[:])
	if s := os.Getenv("VERUM_DIFF_SEED"); s != "" {
		if copy(seed[:], unhex(t, s)) != len(seed) {
			t.Fatal("VERUM_DIFF_SEED is too short")
		}
	}
	t.Logf("VERUM_DIFF_SEED=%x", seed)
	random := rand.NewChaCha8(seed)

	privates := edgeKeys()
	want := diffCases
	if testing.Short() {
		want = len(privates) + shortRandom
	}
	for len(privates) < want {
		var k [32]byte
		random.Read(k[:])
		privates = append(privates, k)
	}

	cases := make([]diffCase, 0, want)
	peers := edgePeers(t)
	for i, private := range privates {
		peer := peers[i%len(peers)]
		c := diffCase{hex.EncodeToString(private[:]), hex.EncodeToString(peer.Bytes()), refusedKey, refusedKey}
		if key, err := stdecdh.P256().NewPrivateKey(private[:]); err == nil {
			secret, err := key.ECDH(peer)
			if err != nil {
				t.Fatalf("crypto/ecdh: %v: %v", c, err)
			}
			c.public, c.secret = hex.EncodeToString(key.PublicKey().Bytes()), hex.EncodeToString(secret)
			// A public key is the peer of later cases, many times over at first.
			if len(peers) < 100 || i%2 == 0 {
				peers = append(peers, key.PublicKey())
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// edgeKeys returns 0 … 64, n−64 … n+64, 2ⁱ and n−2ⁱ, and the largest 32-byte string.
func edgeKeys() (keys [][32]byte) {
	put := func(v *big.Int) {
		var k [32]byte
		v.FillBytes(k[:])
		keys = append(keys, k)
	}
	for i := range int64(65) {
		put(big.NewInt(i))
	}
	for i := int64(-64); i <= 64; i++ {
		put(plus(params.N, i))
	}
	for i := range uint(256) {
		power := new(big.Int).Lsh(big.NewInt(1), i)
		put(power)
		if power.Cmp(params.N) < 0 {
			put(new(big.Int).Sub(params.N, power))
		}
	}
	put(plus(new(big.Int).Lsh(big.NewInt(1), 256), -1))
	return keys
}

// edgePeers returns ±G, ±2G and the two points with x = 0.
func edgePeers(t *testing.T) (peers []*stdecdh.PublicKey) {
	root := new(big.Int).ModSqrt(params.B, params.P)
	encodings := []string{join(4, new(big.Int), root), join(4, new(big.Int), new(big.Int).Sub(params.P, root))}
	for _, k := range []int64{1, 2, -1, -2} {
		var scalar [32]byte
		new(big.Int).Mod(big.NewInt(k), params.N).FillBytes(scalar[:])
		key, err := stdecdh.P256().NewPrivateKey(scalar[:])
		if err != nil {
			t.Fatal(err)
		}
		encodings = append(encodings, string(key.PublicKey().Bytes()))
	}
	for _, e := range encodings {
		peer, err := stdecdh.P256().NewPublicKey([]byte(e))
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, peer)
	}
	return peers
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
		if n, err := fmt.Sscan(lines.Text(), &c.private, &c.peer, &c.public, &c.secret); n != 4 {
			t.Fatalf("%s, line %d: %v", path, len(cases)+2, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) != count {
		t.Fatalf("%s has %d of %d cases (%v)", path, len(cases), count, err)
	}
	return cases
}
