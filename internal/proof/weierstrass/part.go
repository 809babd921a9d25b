package weierstrass

import "verum.example/internal/tcb/machine"

// partMemos are verified routines of which functions are made.
type partMemos struct{ decode, scalar, affine memo[machine.Verified] }

// newVerified verifies a routine once for each key.
func newVerified(f routine) memo[machine.Verified] {
	return newMemo(func(k Key) (machine.Verified, error) { return verified(f, k) })
}

// verified verifies a routine.
func verified(f routine, k Key) (machine.Verified, error) {
	p, pr, err := f(k)
	if err != nil {
		return machine.Verified{}, err
	}
	return machine.Verify(p, pr)
}

func (c *Curve) newPartMemos() partMemos {
	return partMemos{
		decode: newVerified(c.decodeProgram),
		scalar: newVerified(c.scalarProgram),
		affine: newVerified(c.affineProgram),
	}
}

// PointDecode is the routine PointDecode(q, valid, b, tmp).
func (c *Curve) PointDecode(t machine.Target, variant string) (machine.Verified, error) {
	return c.verifiedParts.decode.get(t, variant)
}

// Scalar is the routine Scalar(k, invalid, d, tmp).
func (c *Curve) Scalar(t machine.Target, variant string) (machine.Verified, error) {
	return c.verifiedParts.scalar.get(t, variant)
}

// PointAffine is the routine PointAffine(r, a, tmp).
func (c *Curve) PointAffine(t machine.Target, variant string) (machine.Verified, error) {
	return c.verifiedParts.affine.get(t, variant)
}
