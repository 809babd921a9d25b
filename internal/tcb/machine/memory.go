package machine

import (
	"fmt"

	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
)

// maxCells bounds the number of places of one access at a symbolic offset.
const maxCells = 4096

// resolve splits an address into the region of its one base variable and the offset, the sum of all else modulo 2⁶⁴.
// The base is public, so the address is public if the offset is.
func (e *exec) resolve(addr logic.Term) (ri int, off logic.Term, err error) {
	if err := addr.Err(); err != nil {
		return 0, off, fmt.Errorf("address: %w", err)
	}
	if addr.Sort() != logic.BV(64) {
		return 0, off, fmt.Errorf("an address of sort %v", addr.Sort())
	}
	found := 0
	off = logic.BVUint(64, 0)
	todo := []logic.Term{addr}
	for len(todo) > 0 && found < 2 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i, ok := e.bases[t]; ok {
			ri, found = i, found+1
		} else if e.hasBase(t) {
			todo = append(todo, t.Arg(1), t.Arg(0))
		} else {
			off = logic.BVAdd(off, t)
		}
	}
	if found != 1 {
		return 0, off, fmt.Errorf("address %s is not the sum of one region's address and an offset", side(addr))
	}
	return ri, off, e.requirePublic(off, "address")
}

// hasBase tells that t is a sum, and an address is among its parts.
func (e *exec) hasBase(t logic.Term) bool {
	if t.Op() != logic.OpBVAdd {
		return false
	}
	r, ok := e.sums[t]
	for i := 0; !ok && !r && i < 2; i++ {
		_, r = e.bases[t.Arg(i)]
		r = r || e.hasBase(t.Arg(i))
	}
	e.sums[t] = r
	return r
}

// constOffset is the value of a constant offset at which n bytes are inside the region.
func (e *exec) constOffset(r *region, off logic.Term, n int) (o int, isConst bool, err error) {
	v, ok := off.Const()
	if !ok {
		return 0, false, nil
	}
	if !v.IsInt64() || n < 1 || n > r.size || v.Int64() > int64(r.size-n) {
		return 0, true, fmt.Errorf("%d bytes at offset %v are outside %s (%d bytes)", n, v, r.name, r.size)
	}
	return int(v.Int64()), true, nil
}

// place is where an access goes: count places of scale bytes' distance from offset base, chosen by m; or, in a region
// that is an Int, the Int offset at.
type place struct {
	at          logic.Term
	m           logic.Term
	base, scale int
	count       int
}

// locate resolves the offset of an access of n bytes and makes sure that it is inside the region (logic.md 31).
func (e *exec) locate(ri int, off logic.Term, n int, store bool) (place, error) {
	r := &e.regions[ri]
	if !r.whole || r.size > 0 {
		o, isConst, err := e.constOffset(r, off, n)
		if err != nil || isConst {
			return place{at: logic.N(int64(o)), base: o, count: 1}, err
		}
	}
	var x Index
	if v, ok := off.Const(); ok { // in a region of symbolic length
		x = Index{M: logic.IntConst(v), Scale: 1}
	} else {
		err := e.ask("offset "+side(off)+" in "+r.name, func() (err error) {
			x, err = e.pr.Index(Access{Where: e.where(), Region: r.name, Size: r.size, Offset: off, Width: n, Store: store, View: e.view()})
			return
		})
		if err != nil {
			return place{}, err
		}
	}
	if err := e.known(x.M, logic.Int()); err != nil {
		return place{}, fmt.Errorf("index: %w", err)
	}
	if !r.whole && (x.Count < 1 || x.Count > maxCells || x.Scale < 1 || x.Scale > r.size || x.Base < 0 || x.Base > r.size ||
		x.Base+x.Scale*(x.Count-1)+n > r.size) {
		return place{}, fmt.Errorf("index: %d places of %d bytes at %d + %d·m are not inside %s (%d bytes)", x.Count, n, x.Base, x.Scale, r.name, r.size)
	}
	if !r.whole && store && x.Scale < n {
		return place{}, fmt.Errorf("index: the places of a store of %d bytes overlap: %d bytes apart", n, x.Scale)
	}
	o := logic.Add(logic.Mul(logic.N(int64(x.Scale)), x.M), logic.N(int64(x.Base)))
	if err := e.oblige("offset is the index", logic.Eq(logic.Uint(off), o)); err != nil {
		return place{}, err
	}
	if r.whole { // 0 ≤ o because o is an unsigned value
		return place{at: o}, e.oblige("access is inside "+r.name, logic.Le(logic.Add(o, logic.N(int64(n))), r.length))
	}
	if err := e.oblige("index is natural", logic.Ge0(x.M)); err != nil {
		return place{}, err
	}
	err := e.oblige("index is in range", logic.Le(x.M, logic.N(int64(x.Count-1))))
	return place{m: x.M, base: x.Base, scale: x.Scale, count: x.Count}, err
}

func (e *exec) load(addr logic.Term, n int) (logic.Term, error) {
	if n < 1 || n > 64 {
		return logic.Term{}, fmt.Errorf("a load of %d bytes", n)
	}
	ri, off, err := e.resolve(addr)
	if err != nil {
		return logic.Term{}, err
	}
	pl, err := e.locate(ri, off, n, false)
	if err != nil {
		return logic.Term{}, err
	}
	r, m := &e.regions[ri], &e.st.mem[ri]
	if r.whole {
		return contract.LoadInt(m.whole, pl.at, n), nil
	}
	// the selection among the places, the last one by default
	var v logic.Term
	for j := pl.count - 1; j >= 0; j-- {
		o := pl.base + j*pl.scale
		t := m.load(o, n)
		if t.IsZero() {
			return t, fmt.Errorf("%s[%d:%d] is uninitialised", r.name, o, o+n)
		}
		if j == pl.count-1 {
			v = t
		} else {
			v = logic.Ite(logic.Eq(pl.m, logic.N(int64(j))), t, v)
		}
	}
	return v, nil
}

func (e *exec) store(addr, v logic.Term) error {
	if err := v.Err(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	w := v.Sort().Width()
	if w < 8 || w%8 != 0 || w > 512 {
		return fmt.Errorf("a store of a value of sort %v", v.Sort())
	}
	n := w / 8
	ri, off, err := e.resolve(addr)
	if err != nil {
		return err
	}
	r := &e.regions[ri]
	if !r.writable {
		return fmt.Errorf("store: %s is read-only", r.name)
	}
	pl, err := e.locate(ri, off, n, true)
	if err != nil {
		return err
	}
	m := &e.st.mem[ri]
	// The choice of the place may be secret, too, when the leaks explain it.
	secret := !e.isPublic(v) || !pl.at.IsZero() && !e.isPublic(pl.at) || !pl.m.IsZero() && !e.isPublic(pl.m)
	switch {
	case r.whole:
		m.whole = contract.StoreInt(m.whole, pl.at, logic.Uint(v), n)
		if secret {
			r.touch(0, 0)
		}
		return nil
	case pl.count == 1:
		m.store(pl.base, n, v)
		if secret {
			r.touch(pl.base, n)
		}
		return nil
	}
	// every place becomes v or stays; what was uninitialised may still be so
	for j := range pl.count {
		o := pl.base + j*pl.scale
		if old := m.load(o, n); old.IsZero() {
			m.store(o, n, logic.Term{})
		} else {
			m.store(o, n, logic.Ite(logic.Eq(pl.m, logic.N(int64(j))), v, old))
		}
		if secret {
			r.touch(o, n)
		}
	}
	return nil
}
