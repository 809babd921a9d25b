package ecdsa

// Tags of ASN.1's types (X.690, section 8).
const (
	tagInteger  = 0x02
	tagSequence = 0x30
)

// encode is the DER form of the signature r ‖ s: SEQUENCE { INTEGER r, INTEGER s }.
func encode(raw *[64]byte) []byte {
	sig := make([]byte, 2, 72)
	for i := range 2 {
		v := raw[32*i : 32*i+32]
		for len(v) > 1 && v[0] == 0 {
			v = v[1:]
		}
		pad := int(v[0] >> 7) // a byte 0, lest it be negative
		sig = append(sig, tagInteger, byte(pad+len(v)))
		sig = append(append(sig, make([]byte, pad)...), v...)
	}
	sig[0], sig[1] = tagSequence, byte(len(sig)-2)
	return sig
}

// decode is the inverse of encode: it refuses whatever is not DER, negative numbers, and those of more than 32 bytes. What
// it reads it reads once.
func decode(sig []byte) (raw [64]byte, ok bool) {
	var buf [72]byte
	n := len(sig)
	if n > len(buf) {
		return raw, false
	}
	b := buf[:n]
	copy(b, sig)
	if n < 2 || b[0] != tagSequence || int(b[1]) != n-2 { // below 128: the short form of a length
		return raw, false
	}
	b = b[2:]
	for i := range 2 {
		if len(b) < 3 || b[0] != tagInteger || b[1] == 0 || int(b[1]) > len(b)-2 {
			return raw, false
		}
		v := b[2 : 2+b[1]]
		b = b[2+b[1]:]
		switch {
		case v[0] >= 0x80: // negative
			return raw, false
		case v[0] == 0 && len(v) > 1:
			if v[1] < 0x80 { // not the shortest form
				return raw, false
			}
			v = v[1:]
		}
		if len(v) > 32 {
			return raw, false
		}
		copy(raw[32*i+32-len(v):], v)
	}
	return raw, len(b) == 0
}
