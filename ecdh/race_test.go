//go:build race

package ecdh_test

const raceEnabled = true
