//go:build !race

package ecdsa_test

const raceEnabled = false
