package ecdh_test

import (
	stdecdh "crypto/ecdh"
	"testing"

	"verum.example/ecdh"
)

// TestAllocations compares with crypto/ecdh.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("sync.Pool drops items at random under the race detector: nothing to measure")
		return
	}
	k, peer := generate(t), generate(t).PublicKey()
	stdKey, err := k.ToStd()
	if err != nil {
		t.Fatal(err)
	}
	stdPeer, err := peer.ToStd()
	if err != nil {
		t.Fatal(err)
	}
	scalar, encoded := k.Bytes(), peer.Bytes()
	var sum byte
	for _, op := range []struct {
		name      string
		ours, std func()
	}{
		{"ECDH",
			func() { s, _ := k.ECDH(peer); sum += s[0] },
			func() { s, _ := stdKey.ECDH(stdPeer); sum += s[0] }},
		{"GenerateKey", func() { ecdh.P256().GenerateKey(nil) }, func() { stdecdh.P256().GenerateKey(nil) }},
		{"NewPrivateKey", func() { ecdh.P256().NewPrivateKey(scalar) }, func() { stdecdh.P256().NewPrivateKey(scalar) }},
		{"NewPublicKey", func() { ecdh.P256().NewPublicKey(encoded) }, func() { stdecdh.P256().NewPublicKey(encoded) }},
		{"Bytes", func() { sum += k.Bytes()[0] }, func() { sum += stdKey.Bytes()[0] }},
		{"public Bytes", func() { sum += peer.Bytes()[0] }, func() { sum += stdPeer.Bytes()[0] }},
		{"compressed Bytes", func() { sum += peer.BytesCompressed()[0] }, func() {}},
		{"Equal", func() { k.Equal(k) }, func() { stdKey.Equal(stdKey) }},
	} {
		ours, std := testing.AllocsPerRun(50, op.ours), testing.AllocsPerRun(50, op.std)
		t.Logf("%s: %v allocations, crypto/ecdh %v", op.name, ours, std)
		if ours > std {
			t.Errorf("%s: more allocations than crypto/ecdh: %v > %v", op.name, ours, std)
		}
	}
}

func BenchmarkECDH(b *testing.B) {
	k, peer := generate(b), generate(b).PublicKey()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.ECDH(peer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGenerateKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		generate(b)
	}
}
