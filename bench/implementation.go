//go:build amd64 || arm64

package main

import "verum.example/internal/asm/p256"

// implementation names the code of Verum that runs.
func implementation() string { return p256.Implementation() }
