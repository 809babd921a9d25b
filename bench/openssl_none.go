//go:build !(cgo && openssl)

package main

import "verum.example/internal/benchmark"

// opensslPeer is absent.
func opensslPeer() peer {
	return peer{Peer: benchmark.Peer{Name: "openssl",
		Note: "the program was built without it: -tags openssl needs cgo, a C compiler, and OpenSSL's headers (libssl-dev of Debian)"}}
}
