// Package weierstrass generates code for curves y² = x³ + ax + b over a prime field: routines for points, and the
// functions made of them. It is untrusted: proof/weierstrass verifies what it makes.
//
// Field elements are in Montgomery form, as in spec/mont: n little-endian words, v < p, standing for v·R⁻¹ mod p with
// R = 2^(64n). In memory they are 8n bytes, without padding:
//
//	point in Jacobian coordinates   X, Y, Z: x = X/Z², y = Y/Z³; Z = 0 is the point at infinity
//	cached point                    X, Y, Z, Z², Z³
//	affine point                    X, Y: (0, 0) is the point at infinity, for curves with b ≠ 0
//
// A routine keeps secrets in memory that its caller gives it, and only pointers in its frame.
package weierstrass

import (
	"fmt"
	"math/big"

	"verum.example/internal/tcb/machine"
)

// Field is a prime field or the scalars of a curve: the verified routines for one target and variant.
type Field struct {
	Name  string   // prefix of the routines' names
	M     *big.Int // the modulus
	Words int
	// Ops are the routines by the operation's name in spec/mont, such as "Mul", and Mask: see Builder.Mask.
	Ops map[string]machine.Verified
}

// Bytes is the size of an element.
func (f *Field) Bytes() int { return 8 * f.Words }

// R is R mod m, the Montgomery form of 1.
func (f *Field) R() *big.Int {
	r := new(big.Int).Lsh(big.NewInt(1), uint(64*f.Words))
	return r.Mod(r, f.M)
}

// Mul is d = x·y.
func (b *Builder) Mul(f *Field, d, x, y Ptr) { b.Do(f, "Mul", d, x, y) }

// Sqr is d = x².
func (b *Builder) Sqr(f *Field, d, x Ptr) { b.Do(f, "Sqr", d, x) }

// Add is d = x + y.
func (b *Builder) Add(f *Field, d, x, y Ptr) { b.Do(f, "Add", d, x, y) }

// Sub is d = x − y.
func (b *Builder) Sub(f *Field, d, x, y Ptr) { b.Do(f, "Sub", d, x, y) }

// Half is d = x/2.
func (b *Builder) Half(f *Field, d, x Ptr) { b.Do(f, "Half", d, x) }

// Neg is d = −x.
func (b *Builder) Neg(f *Field, d, x Ptr) { b.Do(f, "Neg", d, x) }

// CMov is d = x if the word cond is all ones, and leaves d if it is 0.
func (b *Builder) CMov(f *Field, d, x, cond Ptr) { b.Do(f, "CMov", d, x, cond) }

// CNeg is d = −x if the word cond is all ones, and x if it is 0.
func (b *Builder) CNeg(f *Field, d, x, cond Ptr) { b.Do(f, "CNeg", d, x, cond) }

// Mask sets the word d to all ones if the element x is zero, else to 0.
func (b *Builder) Mask(f *Field, d, x Ptr) { b.Do(f, Mask, d, x) }

// Mask is the operation that Field.Ops has besides those of spec/mont.
const Mask = "Mask"

// Do calls the routine of that operation with the pointers d, which it writes, and src, and marks the places before and
// after it for the proof: see Op.
func (b *Builder) Do(f *Field, op string, d Ptr, src ...Ptr) {
	v, ok := f.Ops[op]
	if !ok {
		b.fail("%s has no routine %s", f.Name, op)
		return
	}
	site := fmt.Sprintf("op%d", len(b.ops))
	b.Mark(site + ".in")
	b.Call(site, v, append([]Ptr{d}, src...)...)
	b.Mark(site)
	b.ops[site] = Op{Field: f, Name: op, Dst: d, Src: append([]Ptr(nil), src...)}
}
