//go:build amd64 || arm64

package ecdh

import (
	"bytes"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"

	"verum.example/internal/asm/p256"
	"verum.example/internal/call"
)

// p256Curve implements [Curve]. Its values are all equal.
type p256Curve struct{}

func (p256Curve) String() string { return "P-256" }

// p256Workspace holds what a function of internal/asm/p256 reads, writes and computes.
type p256Workspace struct {
	scalar, secret [32]byte
	point          [65]byte
	work           [512]uint64
}

var p256Workspaces call.Pool[p256Workspace]

// allowed returns an error if no code of ours may run: see FIPS 140-3 in the package comment, and [Supported].
func allowed() error { return call.Allowed("verum/ecdh") }

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
	p256Workspaces.Do(func(w *p256Workspace) {
		if set(&w.scalar) && p256.PublicKey(&w.point, &w.scalar, &w.work) == 1 {
			k = &PrivateKey{curve: c, scalar: bytes.Clone(w.scalar[:]), public: c.publicKey(w)}
		}
	})
	return k
}

func (c p256Curve) NewPublicKey(key []byte) (k *PublicKey, err error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	valid := true
	p256Workspaces.Do(func(w *p256Workspace) {
		if valid = call.Copy(w.point[:], key) && w.point[0] == 4; valid {
			k = c.validated(w)
		}
	})
	switch {
	case !valid:
		return nil, errors.New("verum/ecdh: invalid public key: not the encoding of an uncompressed P-256 point")
	case k == nil:
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
	// The standard library finds y. That the point is on the curve and has the given x is then checked by proved code,
	// and here.
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), encoding[:])
	if x != nil {
		p256Workspaces.Do(func(w *p256Workspace) {
			w.point[0] = 4
			x.FillBytes(w.point[1:33])
			y.FillBytes(w.point[33:])
			if [32]byte(w.point[1:33]) == [32]byte(encoding[1:]) && w.point[64]&1 == encoding[0]&1 {
				k = c.validated(w)
			}
		})
	}
	if k == nil {
		return nil, errors.New("verum/ecdh: invalid public key: no point of P-256 has this x-coordinate")
	}
	return k, nil
}

// validated returns a key with the point in w, or nil if it is not valid.
func (c p256Curve) validated(w *p256Workspace) *PublicKey {
	if p256.Validate(&w.point, &w.work) != 1 {
		return nil
	}
	return c.publicKey(w)
}

// publicKey returns a key with the point in w, which was validated or computed.
func (c p256Curve) publicKey(w *p256Workspace) *PublicKey {
	return &PublicKey{curve: c, point: bytes.Clone(w.point[:])}
}

func (p256Curve) ecdh(local *PrivateKey, remote *PublicKey) ([]byte, error) {
	if err := allowed(); err != nil {
		return nil, err
	}
	secret, ok := make([]byte, 32), false
	p256Workspaces.Do(func(w *p256Workspace) {
		ok = call.Copy(w.scalar[:], local.scalar) && call.Copy(w.point[:], remote.point) &&
			p256.ECDH(&w.secret, &w.scalar, &w.point, &w.work) == 1
		copy(secret, w.secret[:])
	})
	if !ok {
		return nil, errors.New("verum/ecdh: internal error: a key is not valid") // they are by construction
	}
	return secret, nil
}
