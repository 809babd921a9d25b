package main

import (
	"crypto/elliptic"
	"encoding/asn1"
	"errors"
	"math/big"
)

// A signature as ASN.1 has it.
type signature struct{ R, S *big.Int }

// der is the DER form of a signature that may be r ‖ s.
func der(sig []byte) ([]byte, error) {
	if len(sig) != 64 {
		return sig, nil
	}
	return asn1.Marshal(signature{new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])})
}

// lowS is r ‖ min(s, n − s) for a signature in DER, which is as good.
func lowS(sig []byte) ([]byte, error) {
	var v signature
	if rest, err := asn1.Unmarshal(sig, &v); err != nil || len(rest) > 0 {
		return nil, errors.New("no signature")
	}
	if t := new(big.Int).Sub(elliptic.P256().Params().N, v.S); t.Cmp(v.S) < 0 {
		v.S = t
	}
	b := make([]byte, 64)
	v.R.FillBytes(b[:32])
	v.S.FillBytes(b[32:])
	return b, nil
}
