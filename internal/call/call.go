// Package call is the only way from a public package to the proved assembly, and is trusted with the part of that
// way which the proofs take for granted.
//
// The machine model assumes that memory does not change during a call, that arguments have the sizes the contracts
// give, and that no two of them overlap. A caller's slice promises none of this: another goroutine may write to it at
// any time. So a public operation copies what it was given into the fixed arrays of a workspace ([Copy]), validates
// the copy, computes on the copy, and copies the result out. It does so within [Pool.Do], which also sees to it that
// what was in the workspace does not outlive the operation.
package call

import (
	"crypto/subtle"
	"sync"
)

// A Pool hands out workspaces of type W, one to an operation at a time. The zero Pool is ready for use, by any number
// of goroutines.
//
// W is a struct of arrays of integers, without pointers. Workspaces live on the heap, which does not move: a
// goroutine's stack does when it grows, and leaves a copy of whatever secrets were on it behind.
type Pool[W any] struct {
	pool sync.Pool
}

// Do runs op on a workspace that is all zeros, and overwrites it with zeros when op is done, even by a panic. op must
// not keep a reference to it.
//
// On arm64 processors with FEAT_DIT op runs with data-independent timing
// ([crypto/subtle.WithDataIndependentTiming]). Switching costs tens of cycles, so a public operation calls Do once.
func (p *Pool[W]) Do(op func(w *W)) {
	w, ok := p.pool.Get().(*W)
	if !ok {
		w = new(W)
	}
	defer p.put(w)
	subtle.WithDataIndependentTiming(func() { op(w) })
}

// put wipes w and gives it back.
func (p *Pool[W]) put(w *W) {
	var zero W
	*w = zero
	p.pool.Put(w)
}

// Copy copies src to dst if they have the same length, and reports whether they have.
//
// dst is an array of the workspace, src belongs to the caller of the public function. src is read once: what another
// goroutine does to it later, or meanwhile, cannot make the operation see two different values.
func Copy(dst, src []byte) bool {
	if len(dst) != len(src) {
		return false
	}
	copy(dst, src)
	return true
}
