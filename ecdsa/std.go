package ecdsa

//lint:file-ignore SA1019 whether a key of crypto/ecdsa has a value is seen at its deprecated fields

import (
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"io"
)

var errStdKey = errors.New("verum/ecdsa: the crypto/ecdsa key is nil, has no value, or is not a P-256 key")

// PublicKeyFromStd returns the public key of crypto/ecdsa as one of this package. A nil key, and one of a curve that this
// package does not have, are errors.
func PublicKeyFromStd(key *stdecdsa.PublicKey) (*PublicKey, error) {
	if key == nil || key.Curve != elliptic.P256() || key.X == nil || key.Y == nil {
		return nil, errStdKey
	}
	b, err := key.Bytes()
	if err != nil {
		return nil, errStdKey
	}
	return ParseUncompressedPublicKey(P256(), b)
}

// PrivateKeyFromStd returns the private key of crypto/ecdsa as one of this package. A nil key, one of a curve that this
// package does not have, and one whose public key is of another private key, are errors.
func PrivateKeyFromStd(key *stdecdsa.PrivateKey) (*PrivateKey, error) {
	if key == nil || key.Curve != elliptic.P256() || key.D == nil {
		return nil, errStdKey
	}
	b, err := key.Bytes()
	if err != nil {
		return nil, errStdKey
	}
	defer clear(b)
	k, err := ParseRawPrivateKey(P256(), b)
	if err != nil {
		return nil, err
	}
	if p, err := PublicKeyFromStd(&key.PublicKey); err != nil || !p.Equal(k.public) {
		return nil, errors.New("verum/ecdsa: the public key of the crypto/ecdsa key does not belong to it")
	}
	return k, nil
}

// ToStd returns the public key as one of crypto/ecdsa. It runs code of the standard library only.
func (pub *PublicKey) ToStd() (*stdecdsa.PublicKey, error) {
	if !pub.valid() {
		return nil, errPublic
	}
	return stdecdsa.ParseUncompressedPublicKey(elliptic.P256(), pub.point)
}

// ToStd returns the private key as one of crypto/ecdsa. It runs code of the standard library only, and so does what is done
// with the result: to keep to Verum's code, use [PrivateKey.StdSigner].
func (priv *PrivateKey) ToStd() (*stdecdsa.PrivateKey, error) {
	if !priv.valid() {
		return nil, errPrivate
	}
	return stdecdsa.ParseRawPrivateKey(elliptic.P256(), priv.scalar)
}

// StdSigner returns the private key as a [crypto.Signer] whose Public method returns a *crypto/ecdsa.PublicKey, and whose
// Sign method runs Verum's code. It is for APIs that look at the type of the public key, such as crypto/x509 and crypto/tls.
// It is a [crypto.MessageSigner], too.
func (priv *PrivateKey) StdSigner() (crypto.Signer, error) {
	if !priv.valid() {
		return nil, errPrivate
	}
	public, err := priv.public.ToStd()
	if err != nil {
		return nil, err
	}
	return &stdSigner{priv, public}, nil
}

type stdSigner struct {
	key    *PrivateKey
	public *stdecdsa.PublicKey
}

func (s *stdSigner) Public() crypto.PublicKey { return s.public }

func (s *stdSigner) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return s.key.Sign(rand, digest, opts)
}

func (s *stdSigner) SignMessage(rand io.Reader, msg []byte, opts crypto.SignerOpts) ([]byte, error) {
	return s.key.SignMessage(rand, msg, opts)
}
