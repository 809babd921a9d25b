package main

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"fmt"
	"math/rand/v2"

	"verum.example/internal/benchmark"
)

// A call does an operation with input i and gives its result, if it has one. Inputs from inputs.count() on are wrong, and
// must be refused.
type call func(i int) ([]byte, error)

// A peer is a contender: what it prepares for each of its operations, which is nil if it cannot take part.
type peer struct {
	benchmark.Peer
	ops map[string]func(in *inputs) (call, error)
}

// allPeers lists the contenders; the standard library comes first.
func allPeers() []peer {
	return []peer{stdPeer(), verumPeer(), opensslPeer(), nistecPeer(), ellipticPeer(), gnarkPeer()}
}

// An operation is something that contenders are compared by.
type operation struct {
	name, doc string
	check     func(in *inputs, c call) error
}

var operations = []operation{
	{"p256-ecdh", "shared secret with a parsed private key and a parsed public key",
		equal(func(in *inputs, i int) []byte { return in.secrets[i] })},
	{"p256-public-key", "public key, encoded, of an encoded private key",
		equal(func(in *inputs, i int) []byte { return in.public[i] })},
	{"p256-validate", "check that an encoded public key is a point of the curve",
		refuses(func(in *inputs, i int) []byte { return nil })},
	{"p256-sign", "ECDSA signature of a digest, with randomness as the contender takes it",
		func(in *inputs, c call) error { return signs(in, c, false) }},
	{"p256-sign-rfc6979", "ECDSA signature of a digest, deterministic",
		func(in *inputs, c call) error { return signs(in, c, true) }},
	{"p256-verify", "check of an ECDSA signature, with a parsed public key",
		refuses(func(in *inputs, i int) []byte { return nil })},
}

// equal checks that the results are as expected.
func equal(want func(in *inputs, i int) []byte) func(in *inputs, c call) error {
	return func(in *inputs, c call) error {
		for i := range in.count() {
			got, err := c(i)
			if err != nil {
				return err
			}
			if w := want(in, i); !bytes.Equal(got, w) {
				return fmt.Errorf("input %d gives %x, want %x", i, got, w)
			}
		}
		return nil
	}
}

// refuses is equal, and checks that wrong inputs are refused.
func refuses(want func(in *inputs, i int) []byte) func(in *inputs, c call) error {
	return func(in *inputs, c call) error {
		if err := equal(want)(in, c); err != nil {
			return err
		}
		for i := in.count(); i < 2*in.count(); i++ {
			if _, err := c(i); err == nil {
				return fmt.Errorf("input %d is accepted, and is wrong", i)
			}
		}
		return nil
	}
}

// signs checks signatures, and that they are those of RFC 6979 if they are deterministic.
func signs(in *inputs, c call, deterministic bool) error {
	for i := range in.count() {
		sig, err := c(i)
		if err != nil {
			return err
		}
		if sig, err = der(sig); err != nil {
			return err
		}
		if !ecdsa.VerifyASN1(&in.signers[i].PublicKey, in.digests[i], sig) {
			return fmt.Errorf("the signature of input %d is wrong", i)
		}
		if bytes.Equal(sig, in.signatures[i]) != deterministic {
			return fmt.Errorf("the signature of input %d is, or is not, that of RFC 6979", i)
		}
	}
	return nil
}

// inputs are the same in each run. Public keys, digests and signatures have twice as many elements as the others: those
// of the second half are wrong.
type inputs struct {
	private    [][]byte // big-endian
	public     [][]byte // of private, 04 ‖ x ‖ y
	peers      [][]byte // the other side's
	secrets    [][]byte
	digests    [][]byte
	signatures [][]byte // DER

	signers []*ecdsa.PrivateKey // of private
}

const inputCount = 16

func (in *inputs) count() int { return inputCount }

// newInputs makes the inputs, by the standard library.
func newInputs() (*inputs, error) {
	r := rand.NewChaCha8([32]byte([]byte("the inputs of Verum's benchmarks")))
	random := func() []byte {
		b := make([]byte, 32)
		r.Read(b)
		return b
	}
	in := &inputs{}
	for range inputCount {
		d := random()
		key, err := ecdh.P256().NewPrivateKey(d)
		if err != nil {
			return nil, err
		}
		other, err := ecdh.P256().NewPrivateKey(random())
		if err != nil {
			return nil, err
		}
		secret, err := key.ECDH(other.PublicKey())
		if err != nil {
			return nil, err
		}
		signer, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), d)
		if err != nil {
			return nil, err
		}
		digest := random()
		sig, err := signer.Sign(nil, digest, crypto.SHA256)
		if err != nil {
			return nil, err
		}
		in.private = append(in.private, d)
		in.public = append(in.public, key.PublicKey().Bytes())
		in.peers = append(in.peers, other.PublicKey().Bytes())
		in.secrets = append(in.secrets, secret)
		in.digests = append(in.digests, digest)
		in.signatures = append(in.signatures, sig)
		in.signers = append(in.signers, signer)
	}
	for i := range inputCount { // what is wrong: no point of the curve, the signature of something else
		x := bytes.Clone(in.peers[i])
		x[64] ^= 1
		in.peers = append(in.peers, x)
		in.public = append(in.public, in.public[i])
		in.digests = append(in.digests, in.digests[(i+1)%inputCount])
		in.signatures = append(in.signatures, in.signatures[i])
	}
	return in, nil
}

// each prepares something for each of n inputs.
func each[T any](n int, f func(i int) (T, error)) ([]T, error) {
	ts := make([]T, n)
	for i := range ts {
		var err error
		if ts[i], err = f(i); err != nil {
			return nil, err
		}
	}
	return ts, nil
}

var errRefused = errors.New("refused")
