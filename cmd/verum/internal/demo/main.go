// Demo is the end of "verum prove": two parties agree on a key with P-256, on the assembly in internal/asm. It is a
// process of its own, because the prover itself links no assembly.
package main

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"errors"
	"fmt"
	"os"
	"runtime"

	"verum.example/ecdh"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	if implementation() == "" {
		fmt.Printf("There is no proved code for %s: nothing to run.\n", runtime.GOARCH)
		return nil
	}
	alice, err := ecdh.P256().GenerateKey(nil)
	if err != nil {
		return err
	}
	bob, err := ecdh.P256().GenerateKey(nil)
	if err != nil {
		return err
	}
	a, err := agree(alice, bob.PublicKey().Bytes())
	if err != nil {
		return err
	}
	b, err := agree(bob, alice.PublicKey().Bytes())
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return errors.New("the two sides have different secrets")
	}
	std, err := standard(alice.Bytes(), bob.PublicKey().Bytes())
	if err != nil {
		return err
	}
	if !bytes.Equal(a, std) {
		return errors.New("the standard library finds another secret")
	}
	fmt.Printf("P-256 key agreement on %s: both sides share %x…, and crypto/ecdh agrees.\n", implementation(), a[:8])
	return nil
}

// agree is what one side does with what the other sends.
func agree(key *ecdh.PrivateKey, remote []byte) ([]byte, error) {
	peer, err := ecdh.P256().NewPublicKey(remote)
	if err != nil {
		return nil, err
	}
	return key.ECDH(peer)
}

// standard is agree with the standard library.
func standard(key, remote []byte) ([]byte, error) {
	k, err := stdecdh.P256().NewPrivateKey(key)
	if err != nil {
		return nil, err
	}
	peer, err := stdecdh.P256().NewPublicKey(remote)
	if err != nil {
		return nil, err
	}
	return k.ECDH(peer)
}
