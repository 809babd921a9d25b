package ecdh_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"verum.example/ecdh"
	"verum.example/internal/vectors"
)

type acvpGroup struct {
	TgID                          int
	Curve                         string // ECDSA
	DomainParameterGenerationMode string // KAS-ECC-SSC
	TestType                      string
	Tests                         []acvpTest
}

// acvpTest has the fields of questions and answers. Names of fields match without regard to case.
type acvpTest struct {
	TcID   int
	QX, QY string
	Z      string

	EphemeralPrivateIut, EphemeralPublicIutX, EphemeralPublicIutY string
	EphemeralPublicServerX, EphemeralPublicServerY                string
	StaticPrivateIut, StaticPublicIutX, StaticPublicIutY          string
	StaticPublicServerX, StaticPublicServerY                      string

	TestPassed *bool
}

// acvp returns the groups of questions with the given algorithm and mode, and the answers by test number.
func acvp(t *testing.T, algorithm, mode string) (groups []acvpGroup, answers map[int]acvpTest) {
	set := 0
	for _, s := range vectors.ACVP[acvpGroup](t, "vectors", algorithm) {
		if s.Algorithm == algorithm && s.Mode == mode {
			set, groups = s.VsID, append(groups, s.TestGroups...)
		}
	}
	answers = map[int]acvpTest{}
	for _, s := range vectors.ACVP[acvpGroup](t, "expected", algorithm) {
		if s.Algorithm == algorithm && s.VsID == set {
			for _, g := range s.TestGroups {
				for _, a := range g.Tests {
					answers[a.TcID] = a
				}
			}
		}
	}
	return groups, answers
}

// acvpPoint returns the encoding of a point.
func acvpPoint(t *testing.T, x, y string) []byte {
	return append(append([]byte{4}, unhex(t, x)...), unhex(t, y)...)
}

// TestACVPKeyVer runs the P-256 groups of ECDSA keyVer: which public keys are valid.
func TestACVPKeyVer(t *testing.T) {
	groups, answers := acvp(t, "ECDSA", "keyVer")
	tests := 0
	for _, g := range groups {
		if g.Curve != "P-256" {
			continue
		}
		for _, tt := range g.Tests {
			passed := answers[tt.TcID].TestPassed
			if passed == nil {
				t.Fatalf("test %d has no answer", tt.TcID)
			}
			tests++
			if _, err := ecdh.P256().NewPublicKey(acvpPoint(t, tt.QX, tt.QY)); (err == nil) != *passed {
				t.Errorf("test %d: error %v, but testPassed is %v", tt.TcID, err, *passed)
			}
		}
	}
	t.Logf("%d tests", tests)
	if tests == 0 {
		t.Error("no P-256 group")
	}
}

// TestACVPSharedSecret runs the P-256 groups of KAS-ECC-SSC (SP 800-56A revision 3). In a group of type VAL, a test gives
// both sides' keys and a secret, and asks whether it is right. In a group of type AFT, the private key was chosen by
// whoever answered and is not in the answer: only the validity of the two public keys is tested.
func TestACVPSharedSecret(t *testing.T) {
	groups, answers := acvp(t, "KAS-ECC-SSC", "")
	tests := 0
	for _, g := range groups {
		if g.DomainParameterGenerationMode != "P-256" {
			continue
		}
		for _, tt := range g.Tests {
			answer, ok := answers[tt.TcID]
			if !ok {
				t.Fatalf("test %d has no answer", tt.TcID)
			}
			tests++
			server, serverErr := ecdh.P256().NewPublicKey(
				acvpPoint(t, tt.EphemeralPublicServerX+tt.StaticPublicServerX, tt.EphemeralPublicServerY+tt.StaticPublicServerY))
			switch g.TestType {
			case "VAL":
				if answer.TestPassed == nil {
					t.Fatalf("test %d has no verdict", tt.TcID)
				}
				passed := func() bool {
					key, err := ecdh.P256().NewPrivateKey(unhex(t, tt.EphemeralPrivateIut+tt.StaticPrivateIut))
					if err != nil || serverErr != nil {
						return false
					}
					public := acvpPoint(t, tt.EphemeralPublicIutX+tt.StaticPublicIutX, tt.EphemeralPublicIutY+tt.StaticPublicIutY)
					secret, err := key.ECDH(server)
					if err != nil {
						t.Errorf("test %d: %v", tt.TcID, err)
					}
					t.Logf("test %d: public key %v, secret %s, in question %s", tt.TcID,
						bytes.Equal(key.PublicKey().Bytes(), public), hex.EncodeToString(secret), tt.Z)
					return bytes.Equal(key.PublicKey().Bytes(), public) && bytes.Equal(secret, unhex(t, tt.Z))
				}()
				if passed != *answer.TestPassed {
					t.Errorf("test %d: %v, want %v", tt.TcID, passed, *answer.TestPassed)
				}
			case "AFT":
				if serverErr != nil {
					t.Errorf("test %d: server's key: %v", tt.TcID, serverErr)
				}
				if _, err := ecdh.P256().NewPublicKey(acvpPoint(t, answer.EphemeralPublicIutX+answer.StaticPublicIutX,
					answer.EphemeralPublicIutY+answer.StaticPublicIutY)); err != nil {
					t.Errorf("test %d: our key: %v", tt.TcID, err)
				}
			default:
				t.Fatalf("group %d: unknown type %q", g.TgID, g.TestType)
			}
		}
	}
	t.Logf("%d tests", tests)
	if tests == 0 {
		t.Error("no P-256 group")
	}
}
