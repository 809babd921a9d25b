//go:build race

package ecdsa_test

const raceEnabled = true
