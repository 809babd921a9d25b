package main

import (
	"filippo.io/nistec"

	"verum.example/internal/benchmark"
)

// nistecPeer is filippo.io/nistec, the standard library's curve code as a module of its own.
func nistecPeer() peer {
	return peer{
		benchmark.Peer{Name: "nistec", Version: moduleVersion("filippo.io/nistec")},
		map[string]func(in *inputs) (call, error){
			"p256-ecdh": func(in *inputs) (call, error) {
				points, err := each(in.count(), func(i int) (*nistec.P256Point, error) { return nistec.NewP256Point().SetBytes(in.peers[i]) })
				return func(i int) ([]byte, error) {
					p, err := nistec.NewP256Point().ScalarMult(points[i], in.private[i])
					if err != nil {
						return nil, err
					}
					return p.BytesX()
				}, err
			},
			"p256-public-key": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					p, err := nistec.NewP256Point().ScalarBaseMult(in.private[i])
					if err != nil {
						return nil, err
					}
					return p.Bytes(), nil
				}, nil
			},
			"p256-validate": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					_, err := nistec.NewP256Point().SetBytes(in.peers[i])
					return nil, err
				}, nil
			},
		},
	}
}
