package main

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/rand"
	"runtime"

	"verum.example/internal/benchmark"
)

// stdPeer is crypto/ecdh and crypto/ecdsa.
func stdPeer() peer {
	ecdhKeys := func(in *inputs) (private []*ecdh.PrivateKey, public []*ecdh.PublicKey, err error) {
		if private, err = each(in.count(), func(i int) (*ecdh.PrivateKey, error) { return ecdh.P256().NewPrivateKey(in.private[i]) }); err != nil {
			return nil, nil, err
		}
		public, err = each(in.count(), func(i int) (*ecdh.PublicKey, error) { return ecdh.P256().NewPublicKey(in.peers[i]) })
		return private, public, err
	}
	return peer{
		benchmark.Peer{Name: benchmark.Reference, Version: "crypto/ecdh and crypto/ecdsa of " + runtime.Version()},
		map[string]func(in *inputs) (call, error){
			"p256-ecdh": func(in *inputs) (call, error) {
				private, public, err := ecdhKeys(in)
				return func(i int) ([]byte, error) { return private[i].ECDH(public[i]) }, err
			},
			"p256-public-key": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					k, err := ecdh.P256().NewPrivateKey(in.private[i])
					if err != nil {
						return nil, err
					}
					return k.PublicKey().Bytes(), nil
				}, nil
			},
			"p256-validate": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					_, err := ecdh.P256().NewPublicKey(in.peers[i])
					return nil, err
				}, nil
			},
			"p256-sign": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) { return ecdsa.SignASN1(rand.Reader, in.signers[i], in.digests[i]) }, nil
			},
			"p256-sign-rfc6979": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) { return in.signers[i].Sign(nil, in.digests[i], crypto.SHA256) }, nil
			},
			"p256-verify": func(in *inputs) (call, error) {
				return func(i int) ([]byte, error) {
					if !ecdsa.VerifyASN1(&in.signers[i%in.count()].PublicKey, in.digests[i], in.signatures[i]) {
						return nil, errRefused
					}
					return nil, nil
				}, nil
			},
		},
	}
}
