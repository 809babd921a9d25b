package ecdh_test

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"crypto/fips140"
	"fmt"
	"log"

	"verum.example/ecdh"
)

// Alice and Bob agree on a secret.
func ExampleP256() {
	curve := ecdh.P256()
	alice, err := curve.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	bob, err := curve.GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}

	// Each sends the encoding of the public key to the other.
	toBob, toAlice := alice.PublicKey().Bytes(), bob.PublicKey().Bytes()

	fromBob, err := curve.NewPublicKey(toAlice)
	if err != nil {
		log.Fatal(err)
	}
	aliceSecret, err := alice.ECDH(fromBob)
	if err != nil {
		log.Fatal(err)
	}
	fromAlice, err := curve.NewPublicKey(toBob)
	if err != nil {
		log.Fatal(err)
	}
	bobSecret, err := bob.ECDH(fromAlice)
	if err != nil {
		log.Fatal(err)
	}

	// The secret is not a key yet: derive keys from it, with crypto/hkdf for example.
	fmt.Println(len(aliceSecret), bytes.Equal(aliceSecret, bobSecret))
	// Output: 32 true
}

// A compressed public key is half as long.
func ExamplePublicKey_BytesCompressed() {
	key, err := ecdh.P256().GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	short := key.PublicKey().BytesCompressed()
	public, err := ecdh.P256().NewPublicKeyCompressed(short)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(short), len(public.Bytes()), public.Equal(key.PublicKey()))
	// Output: 33 65 true
}

// A key of crypto/ecdh can be used with the proved code.
func ExamplePrivateKeyFromStd() {
	std, err := stdecdh.P256().GenerateKey(nil)
	if err != nil {
		log.Fatal(err)
	}
	key, err := ecdh.PrivateKeyFromStd(std)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Equal(key.Bytes(), std.Bytes()))
	// Output: true
}

// With GODEBUG=fips140=only, a program has to say that it wants code from outside the validated module.
func Example_fips140() {
	fips140.WithoutEnforcement(func() {
		key, err := ecdh.P256().GenerateKey(nil)
		if err != nil {
			log.Fatal(err)
		}
		secret, err := key.ECDH(key.PublicKey())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(secret))
	})
	// Output: 32
}
