//go:build !race

package ecdh_test

import (
	"bytes"
	stdecdh "crypto/ecdh"
	"testing"

	"verum.example/ecdh"
)

// TestSlicesChangeDuringTheCall lets another goroutine write to a slice while it is being parsed: a deliberate data
// race, so the race detector must not see this file. Whatever comes out must be an error or a valid key, which does not
// change afterwards and goes with its public key.
func TestSlicesChangeDuringTheCall(t *testing.T) {
	a, b := generate(t), generate(t)

	during(t, "NewPrivateKey", a.Bytes(), b.Bytes(), func(in []byte) bool {
		k, err := ecdh.P256().NewPrivateKey(in)
		if err != nil {
			return false
		}
		std, err := stdecdh.P256().NewPrivateKey(k.Bytes())
		if err != nil || !bytes.Equal(std.Bytes(), k.Bytes()) || !bytes.Equal(std.PublicKey().Bytes(), k.PublicKey().Bytes()) {
			t.Errorf("NewPrivateKey made %x with the public key %x (%v)", k.Bytes(), k.PublicKey().Bytes(), err)
		}
		return true
	})
	valid := func(name string, k *ecdh.PublicKey) {
		std, err := stdecdh.P256().NewPublicKey(k.Bytes())
		if err != nil || !bytes.Equal(std.Bytes(), k.Bytes()) {
			t.Errorf("%s made %x (%v)", name, k.Bytes(), err)
		}
	}
	during(t, "NewPublicKey", a.PublicKey().Bytes(), b.PublicKey().Bytes(), func(in []byte) bool {
		k, err := ecdh.P256().NewPublicKey(in)
		if err != nil {
			return false
		}
		valid("NewPublicKey", k)
		return true
	})
	during(t, "NewPublicKeyCompressed", a.PublicKey().BytesCompressed(), b.PublicKey().BytesCompressed(), func(in []byte) bool {
		k, err := ecdh.P256().NewPublicKeyCompressed(in)
		if err != nil {
			return false
		}
		valid("NewPublicKeyCompressed", k)
		return true
	})
}

// during calls parse on a slice that changes from a to b and back all the time, byte by byte.
func during(t *testing.T, name string, a, b []byte, parse func(in []byte) (accepted bool)) {
	in := bytes.Clone(a)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, from := range [][]byte{b, a} {
				for i := range in {
					in[i] = from[i]
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	accepted, calls := 0, 1000
	if testing.Short() {
		calls = 100
	}
	for range calls {
		if parse(in) {
			accepted++
		}
	}
	close(stop)
	<-stopped
	t.Logf("%s: %d of %d accepted", name, accepted, calls)
}
