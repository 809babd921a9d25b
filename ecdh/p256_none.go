//go:build !amd64 && !arm64

package ecdh

import (
	"io"

	"verum.example/internal/cpu"
)

// p256Curve implements [Curve] where there is no proved code: every method returns [cpu.Err].
type p256Curve struct{}

func (p256Curve) String() string                                    { return "P-256" }
func (p256Curve) GenerateKey(io.Reader) (*PrivateKey, error)        { return nil, cpu.Err() }
func (p256Curve) NewPrivateKey([]byte) (*PrivateKey, error)         { return nil, cpu.Err() }
func (p256Curve) NewPublicKey([]byte) (*PublicKey, error)           { return nil, cpu.Err() }
func (p256Curve) NewPublicKeyCompressed([]byte) (*PublicKey, error) { return nil, cpu.Err() }
func (p256Curve) ecdh(*PrivateKey, *PublicKey) ([]byte, error)      { return nil, cpu.Err() }
