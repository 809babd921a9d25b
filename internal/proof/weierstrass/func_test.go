package weierstrass

import (
	"bytes"
	"crypto/ecdh"
	"crypto/elliptic"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
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

// TestFunctions verifies the functions.
func TestFunctions(t *testing.T) {
	for _, f := range P256Functions().All() {
		for _, k := range Keys() {
			t.Run(f.Name+"/"+k.Target.String()+k.Variant, func(t *testing.T) {
				generation(t)
				p, pr, err := f.Program(k)
				if err != nil {
					t.Fatal(err)
				}
				v, err := machine.Verify(p, pr)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v, %d bytes of stack", v.Stats(), v.Stack())
				if v.Name() != f.Name || v.Contract().Internal() {
					t.Errorf("what is verified is %s", v.Name())
				}
				if a := v.Axioms(); len(a) != 0 {
					t.Errorf("axioms %v", a)
				}
			})
		}
	}
}

// TestFunctionsRefused alters the functions' code: the proof notices.
func TestFunctionsRefused(t *testing.T) {
	generation(t)
	f, k := P256Functions(), Keys()[1]
	validate := func(change func(machine.Seq) machine.Seq) error {
		p, pr, err := f.validateProgram(k)
		if err != nil {
			t.Fatal(err)
		}
		p.Code = change(slices.Clone(p.Code.(machine.Seq)))
		_, err = machine.Verify(p, pr)
		return err
	}
	if err := validate(func(s machine.Seq) machine.Seq { return s }); err != nil {
		t.Fatal(err)
	}
	// without the last loop, which wipes
	if err := validate(func(s machine.Seq) machine.Seq { return s[:len(s)-1] }); err == nil ||
		!strings.Contains(err.Error(), "secret") {
		t.Errorf("scratch memory is not cleared: %v", err)
	}
}

// TestFunctionsRun runs the functions on constants and compares with the standard library. A run takes a second: the
// emitted code is tested with more inputs.
func TestFunctionsRun(t *testing.T) {
	f := P256Functions()
	scalars, peers := vectors(t)
	std := ecdh.P256()
	run := map[string]func(t *testing.T, p machine.Program, d, peer []byte) bool{
		"p256ECDH": func(t *testing.T, p machine.Program, d, peer []byte) bool {
			ok, secret := runs(t, p, "secret", map[string][]byte{"d": d, "peer": peer})
			want := make([]byte, 32)
			priv, err1 := std.NewPrivateKey(d)
			pub, err2 := std.NewPublicKey(peer)
			valid := err1 == nil && err2 == nil
			if valid {
				want, _ = priv.ECDH(pub)
			}
			return valid == (ok == 1) && bytes.Equal(secret, want)
		},
		"p256PublicKey": func(t *testing.T, p machine.Program, d, _ []byte) bool {
			ok, pub := runs(t, p, "pub", map[string][]byte{"d": d})
			want := make([]byte, 65)
			priv, err := std.NewPrivateKey(d)
			if err == nil {
				want = priv.PublicKey().Bytes()
			}
			return (err == nil) == (ok == 1) && bytes.Equal(pub, want)
		},
		"p256Validate": func(t *testing.T, p machine.Program, _, peer []byte) bool {
			ok, _ := runs(t, p, "", map[string][]byte{"peer": peer})
			_, err := std.NewPublicKey(peer)
			return (err == nil) == (ok == 1)
		},
	}
	for _, fn := range f.All() {
		for i, k := range Keys() {
			t.Run(fn.Name+"/"+k.Target.String()+k.Variant, func(t *testing.T) {
				generation(t)
				p, _, err := fn.Program(k)
				if err != nil {
					t.Fatal(err)
				}
				try := func(d, peer []byte) {
					t.Helper()
					if !run[fn.Name](t, p, d, peer) {
						t.Errorf("d %x, peer %x: not what the standard library gives", d, peer)
					}
				}
				switch fn.Name {
				case "p256ECDH":
					try(scalars[0], peers[0])
					if i == 0 && !testing.Short() {
						try(scalars[1], peers[2])
					}
				case "p256PublicKey":
					try(scalars[i], nil)
					if i == 0 && !testing.Short() {
						try(scalars[5], nil) // n − 34
					}
				case "p256Validate":
					for _, peer := range peers {
						try(nil, peer)
					}
				}
			})
		}
	}
}
