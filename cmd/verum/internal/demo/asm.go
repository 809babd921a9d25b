//go:build amd64 || arm64

package main

import "verum.example/internal/asm/p256"

func implementation() string { return p256.Implementation() }
