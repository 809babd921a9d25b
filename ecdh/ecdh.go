// Package ecdh implements Elliptic Curve Diffie-Hellman over NIST P-256. It has the API of crypto/ecdh: for P-256,
// switching is a change of import path.
//
// Each operation is one assembly function (internal/asm/p256), from input bytes to output bytes, which was proved correct,
// memory-safe and constant-time: `verum prove` proves it again. The Go code around it checks lengths, copies, and draws
// random bytes; it is to be trusted: see docs/trust.md.
//
// # Differences from crypto/ecdh
//
//   - P-256 is the only curve so far; P-384, P-521 and X25519 are missing.
//   - Compressed points can be read, by a method of their own, and written. NewPublicKey refuses them, as crypto/ecdh does.
//   - ECDH and the conversions return an error for a nil key, or the zero value of a key type, where crypto/ecdh panics.
//   - GenerateKey ignores its argument even if GODEBUG=cryptocustomrand=1 is set. It calls [crypto/rand.Read], so it follows
//     a program that replaces the variable crypto/rand.Reader, which crypto/ecdh does not; then crypto/rand keeps a copy
//     of the random bytes that is not wiped.
//   - On platforms other than amd64 and arm64 there is no proved code. The package compiles, [Supported] returns false,
//     and what would run such code returns an error that wraps [errors.ErrUnsupported]. The same happens if the
//     environment variable VERUM_CPU, which is for tests, asks for code that the CPU cannot run.
//   - FIPS 140-3, below.
//
// Keys convert to and from those of crypto/ecdh: see [PrivateKeyFromStd], [PublicKeyFromStd], [PrivateKey.ToStd],
// [PublicKey.ToStd], and [PrivateKey.StdKeyExchanger], which crypto/hpke takes.
//
// # FIPS 140-3
//
// Verum is not a validated cryptographic module. When the program runs with GODEBUG=fips140=only, everything here that
// would run its code returns an error. A program opts in with the standard library's own means, for the calls that it
// encloses:
//
//	fips140.WithoutEnforcement(func() {
//		secret, err = key.ECDH(peer)
//	})
//
// # Conduct
//
// Byte strings from outside never cause a panic. A caller may change a slice during or after the call that it was
// passed to: each is copied once, and what is checked is the copy. Keys are immutable and safe for concurrent use.
// Running times are independent of private keys, beyond their validity, and of shared secrets; on arm64, code runs under
// [crypto/subtle.WithDataIndependentTiming]. Memory used for computing is wiped; keys and returned slices are the
// caller's.
package ecdh

import (
	"crypto"
	"crypto/subtle"
	"errors"
	"io"

	"verum.example/internal/cpu"
)

// Curve is an elliptic curve. Values are comparable: [P256] always returns the same one.
//
// The interface has an unexported method, so that only this package implements it and methods can be added.
type Curve interface {
	// GenerateKey generates a random PrivateKey. The bytes come from crypto/rand; rand is ignored, and may be nil. In
	// tests, testing/cryptotest.SetGlobalRandom makes the key reproducible: it is the key that crypto/ecdh generates.
	GenerateKey(rand io.Reader) (*PrivateKey, error)

	// NewPrivateKey returns the private key with the given encoding: an integer d, 0 < d < n, as a big-endian string of
	// exactly the length of n, which is 32 bytes for P-256 (SEC 1 version 2, section 2.3.6). Anything else is an error.
	NewPrivateKey(key []byte) (*PrivateKey, error)

	// NewPublicKey returns the public key with the given encoding: an uncompressed point, which is the byte 4 and the two
	// coordinates, big-endian, 65 bytes in all for P-256 (SEC 1 version 2, section 2.3.4). Errors are: any other length;
	// compressed and hybrid encodings; the point at infinity; a coordinate that is not less than p; a point that is not
	// on the curve.
	NewPublicKey(key []byte) (*PublicKey, error)

	// NewPublicKeyCompressed returns the public key with the given encoding: a compressed point, which is the byte 2 (y is
	// even) or 3 (y is odd) and the x-coordinate, big-endian, 33 bytes in all for P-256 (SEC 1 version 2, section 2.3.4).
	// Errors are: any other length or first byte; an x that is not less than p; an x that no point of the curve has.
	// crypto/ecdh has no such function.
	//
	// Not proved: that y is found, which crypto/elliptic does. The result is checked by proved code: it is a point of the
	// curve, with that x and parity of y.
	NewPublicKeyCompressed(key []byte) (*PublicKey, error)

	// String returns the name of the curve, such as "P-256".
	String() string

	// ecdh computes the shared secret for two keys of this curve.
	ecdh(local *PrivateKey, remote *PublicKey) ([]byte, error)
}

// P256 returns the curve NIST P-256 (SP 800-186, section 3.2.1.3), also known as secp256r1 and prime256v1.
func P256() Curve { return p256Curve{} }

// Supported reports whether there is proved code for this platform, and VERUM_CPU, if it is set, names a variant that
// this CPU can run. If not, whatever would run proved code returns an error that wraps [errors.ErrUnsupported] and says
// which of the two it is; but where FIPS 140-only mode refuses, that error comes first.
func Supported() bool { return cpu.Err() == nil }

// PublicKey is an ECDH public key, usually a peer's, sent over the wire: a point of the curve other than infinity.
type PublicKey struct {
	curve Curve
	point []byte // uncompressed
}

// Bytes returns the uncompressed encoding of the key, as [Curve.NewPublicKey] takes it.
func (k *PublicKey) Bytes() []byte {
	// The array can be on the caller's stack after inlining.
	var buf [65]byte
	return append(buf[:0], k.point...)
}

// BytesCompressed returns the compressed encoding of the key, as [Curve.NewPublicKeyCompressed] takes it.
func (k *PublicKey) BytesCompressed() []byte {
	var buf [33]byte
	size := len(k.point) / 2
	if size == 0 {
		return buf[:0]
	}
	y := k.point[1+size:]
	return append(append(buf[:0], 2|y[size-1]&1), k.point[1:1+size]...)
}

// Curve returns the curve of the key.
func (k *PublicKey) Curve() Curve { return k.curve }

// Equal reports whether x is the same public key. The time it takes depends only on the types and curves.
func (k *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	if !ok || k == nil || other == nil {
		return false
	}
	return k.curve == other.curve && subtle.ConstantTimeCompare(k.point, other.point) == 1
}

// PrivateKey is an ECDH private key, usually kept secret: an integer d, 0 < d < n, with its public key [d]G.
type PrivateKey struct {
	curve  Curve
	scalar []byte
	public *PublicKey
}

// KeyExchanger is an opaque private key that can be used for key exchange, such as one in a hardware module.
// [PrivateKey] implements it.
type KeyExchanger interface {
	PublicKey() *PublicKey
	Curve() Curve
	ECDH(*PublicKey) ([]byte, error)
}

var _ KeyExchanger = (*PrivateKey)(nil)

// ECDH returns the secret that k shares with the owner of remote: the x-coordinate of the product of the private and
// the public key, big-endian, of the length of p, which is 32 bytes for P-256 (SEC 1 version 2, sections 3.3.1 and
// 2.3.5). The product is never infinity. The curves of the keys must be the same.
func (k *PrivateKey) ECDH(remote *PublicKey) ([]byte, error) {
	switch {
	case k == nil || k.curve == nil:
		return nil, errors.New("verum/ecdh: private key is nil or has no value")
	case remote == nil || remote.curve == nil:
		return nil, errors.New("verum/ecdh: public key is nil or has no value")
	case k.curve != remote.curve:
		return nil, errors.New("verum/ecdh: private key and public key curves do not match")
	}
	return k.curve.ecdh(k, remote)
}

// Bytes returns a copy of the encoding of the key, as [Curve.NewPrivateKey] takes it.
func (k *PrivateKey) Bytes() []byte {
	var buf [32]byte
	return append(buf[:0], k.scalar...)
}

// Curve returns the curve of the key.
func (k *PrivateKey) Curve() Curve { return k.curve }

// PublicKey returns the public key that belongs to k.
func (k *PrivateKey) PublicKey() *PublicKey { return k.public }

// Public returns the public key that belongs to k, as a *PublicKey: see [crypto.PrivateKey].
func (k *PrivateKey) Public() crypto.PublicKey { return k.public }

// Equal reports whether x is the same private key. The time it takes depends only on the types and curves.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	if !ok || k == nil || other == nil {
		return false
	}
	return k.curve == other.curve && subtle.ConstantTimeCompare(k.scalar, other.scalar) == 1
}
