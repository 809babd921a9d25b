package weierstrass

import (
	"verum.example/internal/proof/point"
	spec "verum.example/internal/spec/weierstrass"
)

// Jac is the point (x/z², y/z³) of the curve, O if z ≡ 0; x, y, z are residues, not necessarily reduced.
func Jac(c spec.Curve, x, y, z Term) Term { return point.Jac(c, x, y, z) }

// Aff is the point (x, y) of the curve, O if x ≡ y ≡ 0.
func Aff(c spec.Curve, x, y Term) Term { return point.Aff(c, x, y) }
