package group

import (
	"math/big"

	"verum.example/internal/proof/auto"
	"verum.example/internal/proof/number"
	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
)

// vx is the variable of noRoot.
var vx = integer("x")

// proveNoRoot: x³ + ax + b ≡ 0 (mod p) ⊢ false. Modulo the cubic, x^(p−1) is a polynomial r of degree 2, found by
// squaring and multiplying; by Fermat's theorem it is 1 (x = 0 is no root as b ≠ 0), and r − 1 has an inverse modulo
// the cubic: r − 1 ≡ 0 would give 1 ≡ 0.
func (g *Group) proveNoRoot() Theorem {
	cubic := onCurve(g.a, g.b, xy{vx, zero})
	root := rule{assume(cubic.mod(g.p)), vx}
	p, _ := g.p.Const()
	last := new(big.Int).Sub(p, big.NewInt(1))

	// raise is x^e ≡ a polynomial of degree 2, from th: x^e ≡ a product of powers, which rules replace.
	type raised struct {
		e    *big.Int
		th   Theorem
		pow  Term // x^e mod p
		poly Term
	}
	raise := func(e *big.Int, law Theorem, product Term, rules ...rule) raised {
		pow := logic.Expmod(vx, logic.IntConst(e), g.p)
		d := difference(pow, zero).add(law, pow, product, one).by(rules...).by(root)
		poly := remainder(d.rest, p)
		return raised{e, auto.Must(kernel.Cong(logic.Sub(pow, poly), g.p, Term{}, d.ms...)), pow, poly}
	}
	r := raise(big.NewInt(1), number.ExpOne(vx, g.p), vx)
	for i := last.BitLen() - 2; i >= 0; i-- {
		e := logic.IntConst(r.e)
		r = raise(new(big.Int).Lsh(r.e, 1), number.ExpAdd(vx, e, e, g.p), logic.Mul(r.pow, r.pow), rule{r.th, r.pow})
		if last.Bit(i) == 1 {
			e := logic.IntConst(r.e)
			next := new(big.Int).Add(r.e, big.NewInt(1))
			r = raise(next, number.ExpNext(vx, e, g.p), logic.Mul(vx, r.pow), rule{r.th, r.pow})
		}
	}
	none, unit := logic.Cong(vx, zero, g.p), logic.Eq(r.pow, one)
	u := g.inverse(logic.Sub(r.poly, one), p)
	if0 := difference(g.b, zero).add(root.fact, cubic.r, cubic.l, one).by(rule{assume(none), vx}).done(g.p)
	if1 := difference(one, zero).add(assume(unit), r.pow, one, u).add(r.th, r.pow, r.poly, logic.Neg(u)).
		by(root).done(g.p)
	return taut(logic.False(), number.Fermat(g.p, vx), implied(none, if0), implied(unit, if1))
}

// remainder is t with coefficients reduced modulo p.
func remainder(t Term, p *big.Int) Term {
	ms := t.Monomials()
	for i := range ms {
		ms[i].Coef.Mod(ms[i].Coef, p)
	}
	return logic.FromMonomials(ms)
}

// inverse is the polynomial u of degree 2 in vx with u·t ≡ 1 modulo the curve's cubic and p; t has degree 2. It fails
// if t and the cubic have a common divisor.
func (g *Group) inverse(t Term, p *big.Int) Term {
	a, _ := g.a.Const()
	b, _ := g.b.Const()
	// Row i has the coefficients of xⁱ·t modulo the cubic; Σ uᵢ·rowᵢ = (1, 0, 0).
	row := [3]*big.Int{new(big.Int), new(big.Int), new(big.Int)}
	for i, c := range coefficients(t, vx) {
		v, _ := c.Const()
		row[i].Mod(v, p)
	}
	var system [3][4]*big.Int // equations, one for each power of x; the last column is the right side
	for i := range 3 {
		for j, c := range row {
			system[j][i] = c
		}
		top := row[2] // x³ ≡ −ax − b
		low, mid := new(big.Int).Mul(b, top), new(big.Int).Mul(a, top)
		row = [3]*big.Int{low.Neg(low).Mod(low, p), mid.Sub(row[0], mid).Mod(mid, p), row[1]}
	}
	for j := range 3 {
		system[j][3] = big.NewInt(int64(1 - min(j, 1)))
	}
	// Gauss–Jordan elimination
	for i := range 3 {
		k := i
		for k < 3 && system[k][i].Sign() == 0 {
			k++
		}
		if k == 3 {
			fail("%s: the cubic has a root", g.name)
		}
		system[i], system[k] = system[k], system[i]
		inv := new(big.Int).ModInverse(system[i][i], p)
		for j := range system[i] {
			v := new(big.Int).Mul(system[i][j], inv)
			system[i][j] = v.Mod(v, p)
		}
		for k := range 3 {
			if f := system[k][i]; k != i {
				for j := range system[k] {
					v := new(big.Int).Mul(f, system[i][j])
					system[k][j] = v.Sub(system[k][j], v).Mod(v, p)
				}
			}
		}
	}
	u := zero
	for i := range 3 {
		u = logic.Add(u, logic.Mul(logic.IntConst(system[i][3]), power(vx, i)))
	}
	return u
}
