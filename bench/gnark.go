package main

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/secp256r1"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/ecdsa"
	"github.com/consensys/gnark-crypto/ecc/secp256r1/fp"

	"verum.example/internal/benchmark"
)

// gnarkPeer is gnark-crypto. It takes no care of secrets, and signatures are r ‖ s with s ≤ n/2.
func gnarkPeer() peer {
	return peer{
		benchmark.Peer{Name: "gnark", Version: moduleVersion("github.com/consensys/gnark-crypto"), Note: "not constant-time"},
		map[string]func(in *inputs) (call, error){
			"p256-ecdh": func(in *inputs) (call, error) {
				points, err := each(in.count(), func(i int) (*secp256r1.G1Affine, error) { return gnarkPoint(in.peers[i]) })
				return func(i int) ([]byte, error) {
					var p secp256r1.G1Affine
					p.ScalarMultiplication(points[i], new(big.Int).SetBytes(in.private[i]))
					x := p.X.Bytes()
					return x[:], nil
				}, err
			},
			"p256-public-key": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					var p secp256r1.G1Affine
					p.ScalarMultiplicationBase(new(big.Int).SetBytes(in.private[i]))
					x, y := p.X.Bytes(), p.Y.Bytes()
					return append(append([]byte{4}, x[:]...), y[:]...), nil
				}, nil
			},
			"p256-validate": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					_, err := gnarkPoint(in.peers[i])
					return nil, err
				}, nil
			},
			"p256-sign": func(in *inputs) (call, error) {
				keys, err := each(in.count(), func(i int) (*ecdsa.PrivateKey, error) {
					k := new(ecdsa.PrivateKey)
					_, err := k.SetBytes(append(append([]byte{}, in.public[i][1:]...), in.private[i]...))
					return k, err
				})
				return func(i int) ([]byte, error) { return keys[i].Sign(in.digests[i], nil) }, err
			},
			"p256-verify": func(in *inputs) (call, error) {
				keys, err := each(2*in.count(), func(i int) (*ecdsa.PublicKey, error) {
					p, err := gnarkPoint(in.public[i])
					if err != nil {
						return nil, err
					}
					return &ecdsa.PublicKey{A: *p}, nil
				})
				if err != nil {
					return nil, err
				}
				sigs, err := each(2*in.count(), func(i int) ([]byte, error) { return lowS(in.signatures[i]) })
				return func(i int) ([]byte, error) {
					if ok, err := keys[i].Verify(sigs[i], in.digests[i], nil); !ok || err != nil {
						return nil, errRefused
					}
					return nil, nil
				}, err
			},
		},
	}
}

// gnarkPoint decodes 04 ‖ x ‖ y.
func gnarkPoint(b []byte) (*secp256r1.G1Affine, error) {
	x, errX := fp.BigEndian.Element((*[fp.Bytes]byte)(b[1:33]))
	y, errY := fp.BigEndian.Element((*[fp.Bytes]byte)(b[33:65]))
	p := &secp256r1.G1Affine{X: x, Y: y}
	if errX != nil || errY != nil || !p.IsOnCurve() {
		return nil, errRefused
	}
	return p, nil
}
