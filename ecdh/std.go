package ecdh

import (
	stdecdh "crypto/ecdh"
	"errors"
)

// PublicKeyFromStd returns the public key of crypto/ecdh as one of this package. A nil key, and one of a curve that this
// package does not have, are errors.
func PublicKeyFromStd(key *stdecdh.PublicKey) (*PublicKey, error) {
	if key == nil || key.Curve() != stdecdh.P256() {
		return nil, errStdKey
	}
	return P256().NewPublicKey(key.Bytes())
}

// PrivateKeyFromStd returns the private key of crypto/ecdh as one of this package. A nil key, and one of a curve that
// this package does not have, are errors.
func PrivateKeyFromStd(key *stdecdh.PrivateKey) (*PrivateKey, error) {
	if key == nil || key.Curve() != stdecdh.P256() {
		return nil, errStdKey
	}
	scalar := key.Bytes()
	defer clear(scalar)
	return P256().NewPrivateKey(scalar)
}

var errStdKey = errors.New("verum/ecdh: the crypto/ecdh key is nil or not a P-256 key")

// ToStd returns the public key as one of crypto/ecdh. It runs code of the standard library only.
func (k *PublicKey) ToStd() (*stdecdh.PublicKey, error) {
	if k == nil || k.curve == nil {
		return nil, errors.New("verum/ecdh: public key is nil or has no value")
	}
	return stdecdh.P256().NewPublicKey(k.point) // the only curve there is
}

// ToStd returns the private key as one of crypto/ecdh. It runs code of the standard library only, and so does what is
// done with the result: to keep to Verum's code, use [PrivateKey.StdKeyExchanger].
func (k *PrivateKey) ToStd() (*stdecdh.PrivateKey, error) {
	if k == nil || k.curve == nil {
		return nil, errors.New("verum/ecdh: private key is nil or has no value")
	}
	return stdecdh.P256().NewPrivateKey(k.scalar) // the only curve there is
}

// StdKeyExchanger returns the private key as a [crypto/ecdh.KeyExchanger], whose ECDH method runs Verum's code. It is for
// APIs that accept private keys of others, such as crypto/hpke.NewDHKEMPrivateKey.
func (k *PrivateKey) StdKeyExchanger() (stdecdh.KeyExchanger, error) {
	if k == nil {
		return nil, errors.New("verum/ecdh: private key is nil or has no value")
	}
	public, err := k.public.ToStd()
	if err != nil {
		return nil, err
	}
	return &stdKeyExchanger{k, public}, nil
}

type stdKeyExchanger struct {
	key    *PrivateKey
	public *stdecdh.PublicKey
}

func (e *stdKeyExchanger) PublicKey() *stdecdh.PublicKey { return e.public }
func (e *stdKeyExchanger) Curve() stdecdh.Curve          { return e.public.Curve() }

func (e *stdKeyExchanger) ECDH(remote *stdecdh.PublicKey) ([]byte, error) {
	peer, err := PublicKeyFromStd(remote)
	if err != nil {
		return nil, err
	}
	return e.key.ECDH(peer)
}
