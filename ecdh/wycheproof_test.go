package ecdh_test

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"testing"

	"verum.example/ecdh"
	"verum.example/internal/vectors"
)

// verdict says what has to happen to a public key.
type verdict int

const (
	accepted   verdict = iota + 1 // NewPublicKey takes it, and the secret is right
	compressed                    // NewPublicKey refuses it, NewPublicKeyCompressed takes it, and the secret is right
	refused                       // both refuse it
)

// flagVerdicts decides every flag of the file. Of a test with more than one flag, the strictest counts.
var flagVerdicts = map[string]verdict{
	"Normal":               accepted,
	"AdditionChain":        accepted,
	"CVE-2017-8932":        accepted,
	"EdgeCaseDoubling":     accepted,
	"EdgeCaseEphemeralKey": accepted,
	"EdgeCaseSharedSecret": accepted,

	"CompressedPublic": compressed,
	"CompressedPoint":  compressed,

	// Not points of P-256.
	"InvalidCompressedPublic": refused,
	"InvalidCurveAttack":      refused,
	"InvalidEncoding":         refused,
	"InvalidPublic":           refused,
	"ModifiedPublicPoint":     refused,
	"WrongCurve":              refused,
	"ModifiedGroup":           refused,

	// Not DER.
	"InvalidAsn": refused,

	// Explicit curve parameters instead of the name of the curve, right or wrong.
	"UnnamedCurve":           refused,
	"UnusedParam":            refused,
	"LargeCofactor":          refused,
	"ModifiedCofactor":       refused,
	"ModifiedCurveParameter": refused,
	"ModifiedGenerator":      refused,
	"ModifiedPrime":          refused,
	"NegativeCofactor":       refused,
	"NoCofactor":             refused,
	"WeakPublicKey":          refused,
	"WrongOrder":             refused,
}

func TestWycheproof(t *testing.T) {
	var file struct {
		Algorithm     string
		NumberOfTests int
		TestGroups    []struct {
			Curve, Encoding string
			Tests           []struct {
				TcID                            int
				Comment                         string
				Flags                           []string
				Public, Private, Shared, Result string
			}
		}
	}
	vectors.Wycheproof(t, "ecdh_secp256r1_test.json", &file)
	if file.Algorithm != "ECDH" {
		t.Fatalf("the algorithm of the file is %q", file.Algorithm)
	}
	count := map[verdict]int{}
	for _, group := range file.TestGroups {
		if group.Curve != "secp256r1" || group.Encoding != "asn" {
			t.Fatalf("unknown group: curve %q, encoding %q", group.Curve, group.Encoding)
		}
		for _, tt := range group.Tests {
			want := verdict(0)
			for _, flag := range tt.Flags {
				v, ok := flagVerdicts[flag]
				if !ok {
					t.Fatalf("test %d: unknown flag %q", tt.TcID, flag)
				}
				want = max(want, v)
			}
			switch {
			case want == accepted && tt.Result == "valid":
			case want == compressed && tt.Result == "acceptable":
			case want == refused && (tt.Result == "acceptable" || tt.Result == "invalid"):
			default:
				t.Fatalf("test %d: result %q with flags %q", tt.TcID, tt.Result, tt.Flags)
			}
			count[want]++

			var long, short *ecdh.PublicKey
			point, err := parseSPKI(unhex(t, tt.Public))
			if err == nil {
				long, _ = ecdh.P256().NewPublicKey(point)
				short, _ = ecdh.P256().NewPublicKeyCompressed(point)
			}
			if (long != nil) != (want == accepted) || (short != nil) != (want == compressed) {
				t.Errorf("test %d, %s, %q: uncompressed %v, compressed %v, parsing the SPKI: %v",
					tt.TcID, tt.Comment, tt.Flags, long != nil, short != nil, err)
				continue
			}
			public := long
			if public == nil {
				public = short
			}
			if public == nil {
				continue
			}
			// Private keys are signed integers in the file.
			var scalar [32]byte
			private, err := ecdh.P256().NewPrivateKey(new(big.Int).SetBytes(unhex(t, tt.Private)).FillBytes(scalar[:]))
			if err != nil {
				t.Errorf("test %d: %v", tt.TcID, err)
				continue
			}
			secret, err := private.ECDH(public)
			if err != nil || !bytes.Equal(secret, unhex(t, tt.Shared)) {
				t.Errorf("test %d, %s: secret %x (%v), want %s", tt.TcID, tt.Comment, secret, err, tt.Shared)
			}
		}
	}
	t.Logf("%d accepted, %d accepted as compressed, %d refused", count[accepted], count[compressed], count[refused])
	if n := count[accepted] + count[compressed] + count[refused]; n != file.NumberOfTests || count[accepted] == 0 {
		t.Errorf("%d tests, the file promises %d", n, file.NumberOfTests)
	}
}

// parseSPKI returns the bit string of a SubjectPublicKeyInfo (RFC 5280, section 4.1) in DER that names P-256
// (RFC 5480, section 2.1.1.1).
func parseSPKI(der []byte) ([]byte, error) {
	var spki struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if rest, err := asn1.Unmarshal(der, &spki); err != nil || len(rest) != 0 {
		return nil, errors.Join(err, errors.New("not one SubjectPublicKeyInfo"))
	}
	var curve asn1.ObjectIdentifier
	if rest, err := asn1.Unmarshal(spki.Algorithm.Parameters.FullBytes, &curve); err != nil || len(rest) != 0 {
		return nil, errors.Join(err, errors.New("no named curve"))
	}
	if !spki.Algorithm.Algorithm.Equal(asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}) ||
		!curve.Equal(asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}) {
		return nil, errors.New("not a P-256 key")
	}
	if spki.Key.BitLength%8 != 0 {
		return nil, errors.New("not a string of bytes")
	}
	if again, err := asn1.Marshal(spki); err != nil || !bytes.Equal(again, der) {
		return nil, errors.Join(err, errors.New("not DER"))
	}
	return spki.Key.Bytes, nil
}
