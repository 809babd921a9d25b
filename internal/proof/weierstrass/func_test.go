package weierstrass

import (
	"bytes"
	"crypto/ecdh"
	"crypto/elliptic"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	impl "verum.example/internal/impl/weierstrass"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// TestSelect verifies the selection.
func TestSelect(t *testing.T) {
	c := selectContract("testSelect", impl.TableEntries, 20)
	for _, k := range Keys() {
		t.Run(k.Target.String()+k.Variant, func(t *testing.T) {
			generation(t)
			p, pr, err := selectProgram(c, k, impl.TableEntries, 20)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := machine.Verify(p, pr); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestDigitLemma proves that additions in the rounds of ECDH never meet equal points, and shows that this is wrong for
// digits of 6 bits: −17 is one, and −17·P = (n − 17)·P, where 64 divides n − 17.
func TestDigitLemma(t *testing.T) {
	generation(t)
	c := P256()
	l := newDigitLemma(c, impl.Window)
	if want := logic.And(l.concls(l.e, l.m, l.q)...); l.th.Concl() != want {
		t.Errorf("%v, want %v", l.th.Concl(), want)
	}
	for _, h := range l.th.Hyps() {
		if !slices.Contains(l.hyps(l.e, l.m, l.q), h) {
			t.Errorf("there is a hypothesis more: %v", h)
		}
	}
	if a := l.th.Axioms(); len(a) != 0 {
		t.Errorf("axioms %v", a)
	}
	defer func() {
		if recover() == nil {
			t.Error("the lemma is proved for 6 bits")
		}
	}()
	newDigitLemma(c, 6)
}

// vectors are private and public keys, with invalid ones among them.
func vectors(t *testing.T) (scalars, peers [][]byte) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func() []byte {
		b := make([]byte, 32)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	n := elliptic.P256().Params().N
	scalar := func(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }
	add := func(v *big.Int, c int64) { scalars = append(scalars, scalar(new(big.Int).Add(v, big.NewInt(c)))) }
	scalars = append(scalars, random())
	for _, c := range []int64{0, -1, -15, -30, -34} {
		add(n, c)
	}
	for _, c := range []int64{0, 1, 16, 17} {
		add(new(big.Int), c)
	}
	add(new(big.Int).Lsh(big.NewInt(1), 256), -1)
	k, err := ecdh.P256().NewPrivateKey(append([]byte{0}, random()[1:]...))
	if err != nil {
		t.Fatal(err)
	}
	key := k.PublicKey().Bytes()
	peers = append(peers, key)
	for _, change := range []func(b []byte){
		func(b []byte) { b[0] = 3 },
		func(b []byte) { b[64] ^= 1 },
		func(b []byte) { copy(b[1:33], bytes.Repeat([]byte{255}, 32)) },
		func(b []byte) { copy(b[33:], bytes.Repeat([]byte{255}, 32)) },
		func(b []byte) { clear(b[1:]) },
	} {
		b := bytes.Clone(key)
		change(b)
		peers = append(peers, b)
	}
	return scalars, peers
}

// runs runs a function on constants; the result is what it writes to the parameter out, "" for none.
func runs(t *testing.T, p machine.Program, out string, mem map[string][]byte) (uint64, []byte) {
	t.Helper()
	o, err := machine.Run(p, machine.Input{Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(o.Mem["work"], make([]byte, len(o.Mem["work"]))) {
		t.Error("scratch memory is not zero")
	}
	return o.Result, o.Mem[out]
}

// TestFunctionsRun runs the functions on constants and compares with the standard library.
func TestFunctionsRun(t *testing.T) {
	f := P256Functions()
	scalars, peers := vectors(t)
	std := ecdh.P256()
	for _, k := range Keys() {
		program := func(t *testing.T, g func(Key) (machine.Program, machine.Prover, error)) machine.Program {
			p, _, err := g(k)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		name := k.Target.String() + k.Variant
		// A run takes seconds: the first target gets a few, the others one. The emitted code is for the rest.
		some := func(i int) bool { return i == 0 || k == Keys()[0] && i == 2 }
		t.Run(name+"/ECDH", func(t *testing.T) {
			generation(t)
			p := program(t, f.ecdhProgram)
			try := func(d, peer []byte) {
				ok, secret := runs(t, p, "secret", map[string][]byte{"d": d, "peer": peer})
				want, wantOK := make([]byte, 32), uint64(0)
				priv, err1 := std.NewPrivateKey(d)
				pub, err2 := std.NewPublicKey(peer)
				if err1 == nil && err2 == nil {
					want, _ = priv.ECDH(pub)
					wantOK = 1
				}
				if ok != wantOK || !bytes.Equal(secret, want) {
					t.Errorf("d %x, peer %x: %d %x, want %d %x", d, peer, ok, secret, wantOK, want)
				}
			}
			for i, d := range scalars {
				if some(i) {
					try(d, peers[0])
				}
			}
			if k == Keys()[0] {
				try(scalars[0], peers[2])
			}
		})
		t.Run(name+"/PublicKey", func(t *testing.T) {
			generation(t)
			p := program(t, f.publicKeyProgram)
			for i, d := range scalars {
				if !some(i) {
					continue
				}
				ok, pub := runs(t, p, "pub", map[string][]byte{"d": d})
				want, wantOK := make([]byte, 65), uint64(0)
				if priv, err := std.NewPrivateKey(d); err == nil {
					want, wantOK = priv.PublicKey().Bytes(), 1
				}
				if ok != wantOK || !bytes.Equal(pub, want) {
					t.Errorf("d %x: %d %x, want %d %x", d, ok, pub, wantOK, want)
				}
			}
		})
		t.Run(name+"/Validate", func(t *testing.T) {
			generation(t)
			p := program(t, f.validateProgram)
			for _, peer := range peers {
				ok, _ := runs(t, p, "", map[string][]byte{"peer": peer})
				if _, err := std.NewPublicKey(peer); (ok == 1) != (err == nil) {
					t.Errorf("peer %x: %d, want %v", peer, ok, err)
				}
			}
		})
	}
}
