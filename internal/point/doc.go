// Package point computes on the points of P-256 with the proved field functions of internal/asm/p256.
//
// Not yet proved: what this package does between the calls of the field functions is ordinary Go code, tested but
// not verified. It is constant-time by construction: branches and addresses depend on loop counters, lengths and
// validity of public points only, and table entries are picked by the proved masked scan. The package is temporary:
// functions proved as a whole, from input bytes to output bytes, will take its place.
package point
