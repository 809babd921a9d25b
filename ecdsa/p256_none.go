//go:build !amd64 && !arm64

package ecdsa

import (
	"crypto"

	"verum.example/internal/cpu"
)

// There is no proved code here.

func sign(*PrivateKey, []byte, crypto.Hash) (sig [64]byte, err error) { return sig, cpu.Err() }

func verify(*PublicKey, []byte, []byte) bool { return false }
