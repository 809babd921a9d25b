// Package ecdsa implements the Elliptic Curve Digital Signature Algorithm over NIST P-256. It has the functions and methods
// of crypto/ecdsa, with opaque keys.
//
// To sign, given the nonce, and to verify is one assembly function each (internal/asm/p256), from input bytes to output
// bytes, that was proved correct, memory-safe and constant-time: `verum prove` proves it again. In that function the digest
// becomes an integer, numbers and points are checked, and r and s computed.
//
// Not proved: the derivation of nonces (RFC 6979 on crypto/sha256 and crypto/hmac), DER, the drawing of random bytes, and
// copies. They are Go code, which is to be trusted: see docs/trust.md.
//
// # Differences from crypto/ecdsa
//
//   - P-256 is the only curve so far.
//   - Keys have no exported fields. They convert to and from those of crypto/ecdsa: see [PrivateKeyFromStd],
//     [PublicKeyFromStd], [PrivateKey.ToStd], [PublicKey.ToStd], and [PrivateKey.StdSigner], which crypto/x509 and crypto/tls
//     take.
//   - [SignRaw] and [VerifyRaw] have signatures of the form r ‖ s, as in JOSE, COSE, WebCrypto and IEEE P1363.
//   - Errors, or false, for nil keys and zero values of key types, where crypto/ecdsa panics.
//   - An empty digest is refused, by signing and by verifying. [PrivateKey.Sign] with options demands a hash function and a
//     digest of its size. Go 1.27 does the same.
//   - Arguments called rand are only used for whether they are nil: random bytes come from crypto/rand.
//   - On platforms other than amd64 and arm64 there is no proved code. The package compiles, [Supported] returns false, what
//     would run such code returns an error that wraps [errors.ErrUnsupported], and no signature is valid. The same happens if
//     the environment variable VERUM_CPU, which is for tests, asks for code that the CPU cannot run.
//   - FIPS 140-3: Verum is not a validated module. When the program runs with GODEBUG=fips140=only, what would run Verum's code
//     returns an error, and no signature is valid, outside of [crypto/fips140.WithoutEnforcement].
//
// # Conduct
//
// Byte strings from outside never cause a panic. A caller may change a slice during or after the call that it was passed
// to: what is checked is a copy. Keys are immutable and safe for concurrent use. The time of signing is independent of
// the private key, the nonce and the digest, beyond the digest's length; on arm64, code runs under
// [crypto/subtle.WithDataIndependentTiming]. Memory used for computing is wiped, but for that of crypto/hmac, which RFC
// 6979 with another hash function than SHA-256 needs; keys and returned slices are the caller's. All that is given to
// verification is public, and its time may depend on it.
package ecdsa

import (
	"crypto"
	"crypto/elliptic"
	"crypto/subtle"
	"errors"
	"io"

	"verum.example/ecdh"
	"verum.example/internal/cpu"
)

// Curve is an elliptic curve. [P256] is the only one; crypto/elliptic.P256() is the same.
type Curve interface {
	Params() *elliptic.CurveParams
}

// P256 returns the curve NIST P-256 (SP 800-186, section 3.2.1.3), also known as secp256r1 and prime256v1.
func P256() Curve { return elliptic.P256() }

// Supported reports whether there is proved code for this platform, and VERUM_CPU, if it is set, names a variant that this
// CPU can run.
func Supported() bool { return cpu.Err() == nil }

var (
	errCurve   = errors.New("verum/ecdsa: the curve is not P-256")
	errPrivate = errors.New("verum/ecdsa: private key is nil or has no value")
	errPublic  = errors.New("verum/ecdsa: public key is nil or has no value")
	errEmpty   = errors.New("verum/ecdsa: the digest is empty")
)

// PublicKey is an ECDSA public key: a point of the curve other than infinity.
type PublicKey struct {
	key   *ecdh.PublicKey
	point []byte // uncompressed
}

// PrivateKey is an ECDSA private key: an integer d, 0 < d < n, with its public key [d]G.
type PrivateKey struct {
	key    *ecdh.PrivateKey
	scalar []byte
	public *PublicKey
}

var (
	_ crypto.Signer        = (*PrivateKey)(nil)
	_ crypto.MessageSigner = (*PrivateKey)(nil)
)

// GenerateKey generates a random private key. The bytes come from crypto/rand; rand is ignored, and may be nil: see
// [ecdh.Curve].
func GenerateKey(c Curve, rand io.Reader) (*PrivateKey, error) {
	return private(c, func(c ecdh.Curve) (*ecdh.PrivateKey, error) { return c.GenerateKey(rand) })
}

// ParseRawPrivateKey returns the private key with the given encoding: an integer d, 0 < d < n, as a big-endian string of
// exactly the length of n, which is 32 bytes for P-256 (SEC 1 version 2, section 2.3.6). Anything else is an error.
func ParseRawPrivateKey(c Curve, data []byte) (*PrivateKey, error) {
	return private(c, func(c ecdh.Curve) (*ecdh.PrivateKey, error) { return c.NewPrivateKey(data) })
}

// ParseUncompressedPublicKey returns the public key with the given encoding: the byte 4 and the two coordinates, big-endian,
// 65 bytes in all for P-256 (SEC 1 version 2, section 2.3.4). Anything else, and what is no point of the curve, is an error.
func ParseUncompressedPublicKey(c Curve, data []byte) (*PublicKey, error) {
	return public(c, func(c ecdh.Curve) (*ecdh.PublicKey, error) { return c.NewPublicKey(data) })
}

// ParseCompressedPublicKey is [ParseUncompressedPublicKey] for a compressed point: see [ecdh.Curve]. Not proved: that y is
// found. The result is checked by proved code.
func ParseCompressedPublicKey(c Curve, data []byte) (*PublicKey, error) {
	return public(c, func(c ecdh.Curve) (*ecdh.PublicKey, error) { return c.NewPublicKeyCompressed(data) })
}

func private(c Curve, f func(ecdh.Curve) (*ecdh.PrivateKey, error)) (*PrivateKey, error) {
	if c != P256() {
		return nil, errCurve
	}
	k, err := f(ecdh.P256())
	if err != nil {
		return nil, err
	}
	p := k.PublicKey()
	return &PrivateKey{key: k, scalar: k.Bytes(), public: &PublicKey{p, p.Bytes()}}, nil
}

func public(c Curve, f func(ecdh.Curve) (*ecdh.PublicKey, error)) (*PublicKey, error) {
	if c != P256() {
		return nil, errCurve
	}
	k, err := f(ecdh.P256())
	if err != nil {
		return nil, err
	}
	return &PublicKey{k, k.Bytes()}, nil
}

// valid reports whether the key is more than nil or a zero value.
func (pub *PublicKey) valid() bool   { return pub != nil && pub.key != nil }
func (priv *PrivateKey) valid() bool { return priv != nil && priv.key != nil }

// Bytes returns the uncompressed encoding of the key, as [ParseUncompressedPublicKey] takes it.
func (pub *PublicKey) Bytes() ([]byte, error) {
	if !pub.valid() {
		return nil, errPublic
	}
	return pub.key.Bytes(), nil
}

// BytesCompressed returns the compressed encoding of the key, as [ParseCompressedPublicKey] takes it.
func (pub *PublicKey) BytesCompressed() ([]byte, error) {
	if !pub.valid() {
		return nil, errPublic
	}
	return pub.key.BytesCompressed(), nil
}

// ECDH returns the key as one of [ecdh].
func (pub *PublicKey) ECDH() (*ecdh.PublicKey, error) {
	if !pub.valid() {
		return nil, errPublic
	}
	return pub.key, nil
}

// Equal reports whether x is the same public key.
func (pub *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	return ok && pub.valid() && other.valid() && subtle.ConstantTimeCompare(pub.point, other.point) == 1
}

// Bytes returns the encoding of the key, as [ParseRawPrivateKey] takes it.
func (priv *PrivateKey) Bytes() ([]byte, error) {
	if !priv.valid() {
		return nil, errPrivate
	}
	return priv.key.Bytes(), nil
}

// ECDH returns the key as one of [ecdh].
func (priv *PrivateKey) ECDH() (*ecdh.PrivateKey, error) {
	if !priv.valid() {
		return nil, errPrivate
	}
	return priv.key, nil
}

// Public returns the public key that belongs to priv, as a *PublicKey: see [crypto.PrivateKey].
func (priv *PrivateKey) Public() crypto.PublicKey { return priv.PublicKey() }

// PublicKey returns the public key that belongs to priv.
func (priv *PrivateKey) PublicKey() *PublicKey {
	if priv == nil {
		return nil
	}
	return priv.public
}

// Equal reports whether x is the same private key. The time it takes depends only on the types.
func (priv *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	return ok && priv.valid() && other.valid() && subtle.ConstantTimeCompare(priv.scalar, other.scalar) == 1
}

// SignASN1 signs a digest, the result of hashing a message, and returns the signature in DER: the ASN.1 type ECDSA-Sig-Value
// of SEC 1 version 2, section C.5. A digest longer than n is shortened to the length of n (FIPS 186-5, section 6.4.1); an
// empty one is an error.
//
// The nonce is derived from the private key, the digest and random bytes, so that it is a secret even if the random bytes
// are none. rand is ignored, and may be nil; for signatures that are the same each time see [PrivateKey.Sign].
func SignASN1(rand io.Reader, priv *PrivateKey, hash []byte) ([]byte, error) {
	raw, err := sign(priv, hash, 0)
	if err != nil {
		return nil, err
	}
	return encode(&raw), nil
}

// SignRaw is [SignASN1] with the signature r ‖ s, two big-endian strings of the length of n, 64 bytes in all for P-256
// (IEEE P1363; RFC 7518, section 3.4).
func SignRaw(rand io.Reader, priv *PrivateKey, hash []byte) ([]byte, error) {
	raw, err := sign(priv, hash, 0)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), raw[:]...), nil
}

// VerifyASN1 reports whether sig is a signature of the digest, in DER, that was made with the private key of pub. Nothing
// but DER is accepted.
func VerifyASN1(pub *PublicKey, hash, sig []byte) bool {
	raw, ok := decode(sig)
	return ok && verify(pub, hash, raw[:])
}

// VerifyRaw reports whether sig is a signature r ‖ s of the digest, as [SignRaw] makes it, with the private key of pub.
func VerifyRaw(pub *PublicKey, hash, sig []byte) bool { return verify(pub, hash, sig) }

// Sign is [SignASN1], as a [crypto.Signer]. If opts is not nil, opts.HashFunc() must be a hash function, and the digest have
// the size of its results.
//
// If rand is nil, the signature is deterministic: the nonce is that of RFC 6979, section 3.2, with the hash function, so that
// opts is needed. Which rand it is otherwise doesn't matter.
func (priv *PrivateKey) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	var h crypto.Hash
	if opts != nil {
		if h = opts.HashFunc(); h == 0 {
			return nil, errors.New("verum/ecdsa: the options name no hash function")
		}
		if len(digest) != h.Size() {
			return nil, errors.New("verum/ecdsa: the digest has not the size that the hash function gives")
		}
	}
	if rand != nil {
		return SignASN1(rand, priv, digest)
	}
	switch {
	case opts == nil:
		return nil, errors.New("verum/ecdsa: a deterministic signature needs options with a hash function")
	case !h.Available():
		return nil, errors.New("verum/ecdsa: the hash function is not linked into the program")
	}
	raw, err := sign(priv, digest, h)
	if err != nil {
		return nil, err
	}
	return encode(&raw), nil
}

// SignMessage hashes the message with opts.HashFunc() and signs the digest like [PrivateKey.Sign]: see
// [crypto.MessageSigner].
func (priv *PrivateKey) SignMessage(rand io.Reader, msg []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts == nil || opts.HashFunc() == 0 {
		return nil, errors.New("verum/ecdsa: the options name no hash function")
	}
	if !opts.HashFunc().Available() {
		return nil, errors.New("verum/ecdsa: the hash function is not linked into the program")
	}
	h := opts.HashFunc().New()
	h.Write(msg)
	return priv.Sign(rand, h.Sum(nil), opts)
}
