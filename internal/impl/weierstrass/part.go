package weierstrass

// Sizes in field elements of the temporary memory of the routines that the functions of a curve are made of.
const (
	DecodeTemps  = 4
	ScalarTemps  = 2
	MulTemps     = 104
	MulBaseTemps = 24
	AffineTemps  = 20
)
