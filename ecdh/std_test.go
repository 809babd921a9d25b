package ecdh_test

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"crypto/hpke"
	"testing"

	"verum.example/ecdh"
)

func TestStd(t *testing.T) {
	k := generate(t)
	std, err := k.ToStd()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(std.Bytes(), k.Bytes()) || !bytes.Equal(std.PublicKey().Bytes(), k.PublicKey().Bytes()) {
		t.Error("a private key changed on the way to crypto/ecdh")
	}
	if back, err := ecdh.PrivateKeyFromStd(std); err != nil || !back.Equal(k) {
		t.Errorf("a private key changed on the way from crypto/ecdh (%v)", err)
	}
	public, err := k.PublicKey().ToStd()
	if err != nil {
		t.Fatal(err)
	}
	if !public.Equal(std.PublicKey()) {
		t.Error("a public key changed on the way to crypto/ecdh")
	}
	if back, err := ecdh.PublicKeyFromStd(public); err != nil || !back.Equal(k.PublicKey()) {
		t.Errorf("a public key changed on the way from crypto/ecdh (%v)", err)
	}
	for _, curve := range []stdecdh.Curve{stdecdh.P384(), stdecdh.P521(), stdecdh.X25519()} {
		other, err := curve.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ecdh.PrivateKeyFromStd(other); err == nil {
			t.Errorf("accepted a private key of %v", curve)
		}
		if _, err := ecdh.PublicKeyFromStd(other.PublicKey()); err == nil {
			t.Errorf("accepted a public key of %v", curve)
		}
	}
}

func TestStdKeyExchanger(t *testing.T) {
	k := generate(t)
	exchanger, err := k.StdKeyExchanger()
	if err != nil {
		t.Fatal(err)
	}
	if exchanger.Curve() != stdecdh.P256() || !bytes.Equal(exchanger.PublicKey().Bytes(), k.PublicKey().Bytes()) {
		t.Error("the key exchanger has another key")
	}
	peer, err := stdecdh.P384().GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, remote := range []*stdecdh.PublicKey{nil, peer.PublicKey()} {
		if _, err := exchanger.ECDH(remote); err == nil {
			t.Errorf("accepted %v", remote)
		}
	}

	// crypto/hpke encrypts to the public key with the standard library's code, and decrypts with ours.
	private, err := hpke.NewDHKEMPrivateKey(exchanger)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("to whom it may concern")
	sealed, err := hpke.Seal(private.PublicKey(), hpke.HKDFSHA256(), hpke.AES128GCM(), []byte("info"), message)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := hpke.Open(private, hpke.HKDFSHA256(), hpke.AES128GCM(), []byte("info"), sealed)
	if err != nil || !bytes.Equal(opened, message) {
		t.Errorf("opened %q (%v)", opened, err)
	}
}
