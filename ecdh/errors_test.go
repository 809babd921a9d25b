package ecdh_test

import (
	stdecdh "crypto/ecdh"
	"math/big"
	"strings"
	"testing"

	"verum.example/ecdh"
)

// join returns an encoding: the prefix and the given integers, 32 bytes each, big-endian.
func join(prefix byte, coordinates ...*big.Int) string {
	out := []byte{prefix}
	for _, c := range coordinates {
		var buf [32]byte
		out = append(out, c.FillBytes(buf[:])...)
	}
	return string(out)
}

func plus(a *big.Int, b int64) *big.Int { return new(big.Int).Add(a, big.NewInt(b)) }

func TestInvalidPrivateKeys(t *testing.T) {
	n := params.N
	scalar := func(v *big.Int) string { return join(0, v)[1:] }
	max := plus(new(big.Int).Lsh(big.NewInt(1), 256), -1)
	for name, key := range map[string]string{
		"empty":              "",
		"one byte":           "\x01",
		"short":              strings.Repeat("\x01", 31),
		"long":               strings.Repeat("\x01", 33),
		"long, leading zero": "\x00" + strings.Repeat("\x01", 32),
		"very long":          strings.Repeat("\x01", 1000),
		"zero":               scalar(new(big.Int)),
		"n":                  scalar(n),
		"n+1":                scalar(plus(n, 1)),
		"p":                  scalar(params.P),
		"2^256-1":            scalar(max),
	} {
		k, err := ecdh.P256().NewPrivateKey([]byte(key))
		checkRefused(t, "private key, "+name, k == nil, err)
		if _, err := stdecdh.P256().NewPrivateKey([]byte(key)); err == nil {
			t.Errorf("crypto/ecdh accepts the private key, %s", name)
		}
	}
	if _, err := ecdh.P256().NewPrivateKey(nil); err == nil {
		t.Error("accepted a nil private key")
	}
	for name, key := range map[string]string{"1": scalar(big.NewInt(1)), "n-1": scalar(plus(n, -1))} {
		if _, err := ecdh.P256().NewPrivateKey([]byte(key)); err != nil {
			t.Errorf("private key %s: %v", name, err)
		}
	}
}

func TestInvalidPublicKeys(t *testing.T) {
	x, y, p := params.Gx, params.Gy, params.P
	zero := new(big.Int)
	root := new(big.Int).ModSqrt(params.B, p)                                                               // (0, root) is on the curve
	x5, _ := new(big.Int).SetString("d7325d7646cd60d80a92738ceb345f844cffaf35841022cab176f692de8de1d7", 16) // has y = 5
	good := join(4, x, y)
	for _, key := range []string{good, join(4, zero, root), join(4, x5, big.NewInt(5))} {
		if _, err := ecdh.P256().NewPublicKey([]byte(key)); err != nil {
			t.Errorf("%x: %v", key, err)
		}
	}
	for name, key := range map[string]string{
		"empty":                   "",
		"prefix only":             "\x04",
		"infinity":                "\x00",
		"infinity, long":          join(0, zero, zero),
		"short":                   good[:64],
		"long":                    good + "\x00",
		"without prefix":          good[1:],
		"very long":               strings.Repeat("\x04", 1000),
		"compressed, even":        join(2, x),
		"compressed, odd":         join(3, x),
		"compressed, and y":       join(3, x, y),
		"hybrid, even":            join(6, x, new(big.Int).Sub(p, y)),
		"hybrid, odd":             join(7, x, y),
		"prefix 5":                join(5, x, y),
		"x only, prefix 4":        join(4, x),
		"not on the curve, (0,0)": join(4, zero, zero),
		"not on the curve, x+1":   join(4, plus(x, 1), y),
		"not on the curve, y+1":   join(4, x, plus(y, 1)),
		"not on the curve, y=0":   join(4, x, zero),
		"not on the curve, x=y":   join(4, x, x),
		"x = p":                   join(4, p, root),
		"x = p+5":                 join(4, plus(p, 5), new(big.Int).ModSqrt(polynomial(big.NewInt(5)), p)),
		"y >= p":                  join(4, x5, plus(p, 5)),
		"all ones":                "\x04" + strings.Repeat("\xff", 64),
	} {
		k, err := ecdh.P256().NewPublicKey([]byte(key))
		checkRefused(t, "public key, "+name, k == nil, err)
		if _, err := stdecdh.P256().NewPublicKey([]byte(key)); err == nil {
			t.Errorf("crypto/ecdh accepts the public key, %s", name)
		}
	}
	if _, err := ecdh.P256().NewPublicKey(nil); err == nil {
		t.Error("accepted a nil public key")
	}
}

func TestInvalidCompressedPublicKeys(t *testing.T) {
	x, y, p := params.Gx, params.Gy, params.P
	for name, key := range map[string]string{
		"empty":            "",
		"prefix only":      "\x02",
		"infinity":         "\x00",
		"infinity, long":   join(0, new(big.Int)),
		"short":            join(2, x)[:32],
		"long":             join(2, x) + "\x00",
		"uncompressed":     join(4, x, y),
		"prefix 4":         join(4, x),
		"prefix 1":         join(1, x),
		"prefix 6":         join(6, x),
		"no such point":    join(2, noPoint(t)),
		"no such point, 3": join(3, noPoint(t)),
		"x = p":            join(2, p),
		"x = p+5":          join(2, plus(p, 5)),
		"all ones":         "\x02" + strings.Repeat("\xff", 32),
	} {
		k, err := ecdh.P256().NewPublicKeyCompressed([]byte(key))
		checkRefused(t, "compressed public key, "+name, k == nil, err)
	}
	if _, err := ecdh.P256().NewPublicKeyCompressed(nil); err == nil {
		t.Error("accepted a nil compressed public key")
	}
	for _, x := range []*big.Int{x, new(big.Int), big.NewInt(5)} {
		for prefix := byte(2); prefix <= 3; prefix++ {
			k, err := ecdh.P256().NewPublicKeyCompressed([]byte(join(prefix, x)))
			if err != nil {
				t.Errorf("x = %x: %v", x, err)
			} else if string(k.BytesCompressed()) != join(prefix, x) {
				t.Errorf("x = %x: became %x", x, k.BytesCompressed())
			}
		}
	}
}

func checkRefused(t *testing.T, what string, isNil bool, err error) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("accepted: %s", what)
	case !isNil:
		t.Errorf("%s: both a key and an error", what)
	case !strings.HasPrefix(err.Error(), "verum/ecdh: invalid "):
		t.Errorf("%s: error %q", what, err)
	}
}

// polynomial returns x³ − 3x + b mod p.
func polynomial(x *big.Int) *big.Int {
	v := new(big.Int).Mul(x, x)
	return v.Sub(v, big.NewInt(3)).Mul(v, x).Add(v, params.B).Mod(v, params.P)
}

// noPoint returns the least x that no point has.
func noPoint(t *testing.T) *big.Int {
	for x := new(big.Int); ; x = plus(x, 1) {
		if new(big.Int).ModSqrt(polynomial(x), params.P) == nil {
			return x
		}
	}
}

func TestMissingKeys(t *testing.T) {
	k := generate(t)
	for name, do := range map[string]func() (any, error){
		"ECDH with nil":                     func() (any, error) { return k.ECDH(nil) },
		"ECDH with the zero value":          func() (any, error) { return k.ECDH(new(ecdh.PublicKey)) },
		"ECDH of nil":                       func() (any, error) { return (*ecdh.PrivateKey)(nil).ECDH(k.PublicKey()) },
		"ECDH of the zero value":            func() (any, error) { return new(ecdh.PrivateKey).ECDH(k.PublicKey()) },
		"ECDH of zero values":               func() (any, error) { return new(ecdh.PrivateKey).ECDH(new(ecdh.PublicKey)) },
		"ToStd of nil":                      func() (any, error) { return (*ecdh.PrivateKey)(nil).ToStd() },
		"ToStd of the zero value":           func() (any, error) { return new(ecdh.PrivateKey).ToStd() },
		"ToStd of nil, public":              func() (any, error) { return (*ecdh.PublicKey)(nil).ToStd() },
		"ToStd of the zero value, public":   func() (any, error) { return new(ecdh.PublicKey).ToStd() },
		"StdKeyExchanger of nil":            func() (any, error) { return (*ecdh.PrivateKey)(nil).StdKeyExchanger() },
		"StdKeyExchanger of the zero value": func() (any, error) { return new(ecdh.PrivateKey).StdKeyExchanger() },
		"PrivateKeyFromStd(nil)":            func() (any, error) { return ecdh.PrivateKeyFromStd(nil) },
		"PublicKeyFromStd(nil)":             func() (any, error) { return ecdh.PublicKeyFromStd(nil) },
	} {
		if _, err := do(); err == nil || !strings.HasPrefix(err.Error(), "verum/ecdh: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if b := new(ecdh.PrivateKey).Bytes(); len(b) != 0 {
		t.Errorf("the zero value is encoded as %x", b)
	}
	if b := append(new(ecdh.PublicKey).Bytes(), new(ecdh.PublicKey).BytesCompressed()...); len(b) != 0 {
		t.Errorf("the zero values are encoded as %x", b)
	}
}
