package main

//lint:file-ignore SA1019 what is deprecated is measured, too

import (
	"crypto/elliptic"
	"math/big"
	"runtime"

	"verum.example/internal/benchmark"
)

// ellipticPeer is the old interface to the standard library's curves.
func ellipticPeer() peer {
	c := elliptic.P256()
	return peer{
		benchmark.Peer{Name: "elliptic", Version: "crypto/elliptic of " + runtime.Version(), Note: "deprecated; coordinates are math/big numbers"},
		map[string]func(in *inputs) (call, error){
			"p256-ecdh": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					x, y := new(big.Int).SetBytes(in.peers[i][1:33]), new(big.Int).SetBytes(in.peers[i][33:])
					x, _ = c.ScalarMult(x, y, in.private[i])
					return x.FillBytes(make([]byte, 32)), nil
				}, nil
			},
			"p256-public-key": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					x, y := c.ScalarBaseMult(in.private[i])
					return elliptic.Marshal(c, x, y), nil
				}, nil
			},
			"p256-validate": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					if x, _ := elliptic.Unmarshal(c, in.peers[i]); x == nil {
						return nil, errRefused
					}
					return nil, nil
				}, nil
			},
		},
	}
}
