//go:build amd64 || arm64

package ecdh

import (
	"bytes"
	"crypto/fips140"
	"crypto/rand"
	"errors"
	"io"

	"verum.example/internal/call"
	"verum.example/internal/cpu"
	"verum.example/internal/point"
)

// p256Curve implements [Curve]. Its values are all equal.
type p256Curve struct{}

func (p256Curve) String() string { return "P-256" }

var p256Workspaces call.Pool[point.Workspace]

// allowed returns an error if no code of ours may run: see FIPS 140-3 in the package comment, and [Supported].
func allowed() error {
	if fips140.Enforced() {
		return errors.New("verum/ecdh: use of Verum, which is not a validated module, is not allowed in " +
			"FIPS 140-only mode outside of crypto/fips140.WithoutEnforcement")
	}
	return cpu.Err()
}

func (c p256Curve) GenerateKey(io.Reader) (*PrivateKey, error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	// Key Pair Generation by Testing Candidates (SP 800-56A revision 3, section 5.6.1.2.2). A candidate is rejected with
	// probability 2⁻³²: many in a row mean that the random bytes are not random.
	for range 16 {
		if k := c.newPrivateKey(func(scalar *[32]byte) bool {
			rand.Read(scalar[:])
			// crypto/ecdh does the same, for test readers that return zeros. It makes both generate the same keys from the
			// same bytes.
			scalar[1] ^= 0x42
			return true
		}); k != nil {
			return k, nil
		}
	}
	return nil, errors.New("verum/ecdh: crypto/rand returns no valid private key")
}

func (c p256Curve) NewPrivateKey(key []byte) (*PrivateKey, error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	k := c.newPrivateKey(func(scalar *[32]byte) bool { return call.Copy(scalar[:], key) })
	if k == nil {
		return nil, errors.New("verum/ecdh: invalid private key")
	}
	return k, nil
}

// newPrivateKey returns the key with the scalar that set puts into the workspace, or nil if set returns false or the
// scalar is 0 or not less than n.
func (c p256Curve) newPrivateKey(set func(scalar *[32]byte) bool) (k *PrivateKey) {
	p256Workspaces.Do(func(w *point.Workspace) {
		if set(&w.Scalar) && w.PublicKey() == 1 {
			k = &PrivateKey{curve: c, scalar: bytes.Clone(w.Scalar[:]), public: c.publicKey(w)}
		}
	})
	return k
}

func (c p256Curve) NewPublicKey(key []byte) (k *PublicKey, err error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	var encoding [65]byte
	if !call.Copy(encoding[:], key) || encoding[0] != 4 {
		return nil, errors.New("verum/ecdh: invalid public key: not the encoding of an uncompressed P-256 point")
	}
	p256Workspaces.Do(func(w *point.Workspace) {
		w.Point = [64]byte(encoding[1:])
		if w.Validate() == 1 {
			k = c.publicKey(w)
		}
	})
	if k == nil {
		return nil, errors.New("verum/ecdh: invalid public key: not a point of P-256")
	}
	return k, nil
}

func (c p256Curve) NewPublicKeyCompressed(key []byte) (k *PublicKey, err error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	var encoding [33]byte
	if !call.Copy(encoding[:], key) || encoding[0] != 2 && encoding[0] != 3 {
		return nil, errors.New("verum/ecdh: invalid public key: not the encoding of a compressed P-256 point")
	}
	p256Workspaces.Do(func(w *point.Workspace) {
		w.X = [32]byte(encoding[1:])
		if w.Decompress(uint64(encoding[0]&1)) == 1 {
			k = c.publicKey(w)
		}
	})
	if k == nil {
		return nil, errors.New("verum/ecdh: invalid public key: no point of P-256 has this x-coordinate")
	}
	return k, nil
}

// publicKey returns a key with the point in w, which was validated or computed.
func (c p256Curve) publicKey(w *point.Workspace) *PublicKey {
	encoding := make([]byte, 65)
	encoding[0] = 4
	copy(encoding[1:], w.Point[:])
	return &PublicKey{curve: c, point: encoding}
}

func (p256Curve) ecdh(local *PrivateKey, remote *PublicKey) ([]byte, error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	secret, ok := make([]byte, 32), false
	p256Workspaces.Do(func(w *point.Workspace) {
		ok = call.Copy(w.Scalar[:], local.scalar) && call.Copy(w.Point[:], remote.point[1:]) && w.SharedSecret() == 1
		if ok {
			copy(secret, w.X[:])
		}
	})
	if !ok {
		// Keys are valid by construction, and the order of the curve is prime.
		return nil, errors.New("verum/ecdh: internal error: the shared secret is the point at infinity")
	}
	return secret, nil
}
