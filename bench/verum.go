package main

import (
	"crypto"

	"verum.example/ecdh"
	"verum.example/ecdsa"

	"verum.example/internal/benchmark"
)

// verumPeer is what users of Verum call.
func verumPeer() peer {
	p := peer{Peer: benchmark.Peer{Name: benchmark.Own, Version: implementation()}}
	if !ecdh.Supported() {
		p.Note = "there is no proved code for this platform"
		return p
	}
	p.ops = map[string]func(in *inputs) (call, error){
		"p256-ecdh": func(in *inputs) (call, error) {
			private, err := each(in.count(), func(i int) (*ecdh.PrivateKey, error) { return ecdh.P256().NewPrivateKey(in.private[i]) })
			if err != nil {
				return nil, err
			}
			public, err := each(in.count(), func(i int) (*ecdh.PublicKey, error) { return ecdh.P256().NewPublicKey(in.peers[i]) })
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
			keys, err := signers(in)
			return func(i int) ([]byte, error) { return ecdsa.SignASN1(nil, keys[i], in.digests[i]) }, err
		},
		"p256-sign-rfc6979": func(in *inputs) (call, error) {
			keys, err := signers(in)
			return func(i int) ([]byte, error) { return keys[i].Sign(nil, in.digests[i], crypto.SHA256) }, err
		},
		"p256-verify": func(in *inputs) (call, error) {
			keys, err := signers(in)
			return func(i int) ([]byte, error) {
				if !ecdsa.VerifyASN1(keys[i%in.count()].PublicKey(), in.digests[i], in.signatures[i]) {
					return nil, errRefused
				}
				return nil, nil
			}, err
		},
	}
	return p
}

// signers are the keys that sign.
func signers(in *inputs) ([]*ecdsa.PrivateKey, error) {
	return each(in.count(), func(i int) (*ecdsa.PrivateKey, error) { return ecdsa.PrivateKeyFromStd(in.signers[i]) })
}
