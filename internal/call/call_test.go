package call

import (
	"bytes"
	"sync"
	"testing"
)

type workspace struct {
	secret [32]byte
	words  [400]uint64
}

func (w *workspace) fill() {
	for i := range w.secret {
		w.secret[i] = 0xA5
	}
	for i := range w.words {
		w.words[i] = ^uint64(0)
	}
}

func TestWorkspaceIsZeroBeforeAndAfter(t *testing.T) {
	var p Pool[workspace]
	for range 100 {
		var kept *workspace
		p.Do(func(w *workspace) {
			if *w != (workspace{}) {
				t.Fatal("operation got a workspace that is not zero")
			}
			w.fill()
			kept = w
		})
		if *kept != (workspace{}) {
			t.Fatal("workspace is not zero after the operation")
		}
	}
}

func TestWorkspaceIsWipedWhenTheOperationPanics(t *testing.T) {
	var p Pool[workspace]
	var kept *workspace
	func() {
		defer func() {
			if recover() != "interrupted" {
				t.Error("the panic did not reach the caller")
			}
		}()
		p.Do(func(w *workspace) {
			w.fill()
			kept = w
			panic("interrupted")
		})
	}()
	if *kept != (workspace{}) {
		t.Error("workspace is not zero after a panic")
	}
}

func TestNestedAndConcurrentOperationsGetDifferentWorkspaces(t *testing.T) {
	var p Pool[workspace]
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 200 {
				p.Do(func(outer *workspace) {
					outer.words[0] = uint64(g)
					p.Do(func(inner *workspace) {
						if inner == outer {
							t.Error("one workspace for two operations")
						}
						inner.words[0] = 99
					})
					if outer.words[0] != uint64(g) {
						t.Error("another operation wrote to this workspace")
					}
				})
			}
		})
	}
	wg.Wait()
}

func TestDoDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Log("sync.Pool drops items at random under the race detector: nothing to measure")
		return
	}
	var p Pool[workspace]
	var sum byte
	if n := testing.AllocsPerRun(1000, func() {
		p.Do(func(w *workspace) { sum += w.secret[0] })
	}); n != 0 {
		t.Errorf("%v allocations per operation", n)
	}
}

func TestCopy(t *testing.T) {
	src := []byte{1, 2, 3, 4}
	for n := range 8 {
		dst := bytes.Repeat([]byte{9}, n)
		ok := Copy(dst, src)
		switch {
		case ok != (n == len(src)):
			t.Errorf("copying 4 bytes to %d: %v", n, ok)
		case ok && !bytes.Equal(dst, src):
			t.Errorf("copied %v", dst)
		case !ok && !bytes.Equal(dst, bytes.Repeat([]byte{9}, n)):
			t.Errorf("copied in part: %v", dst)
		}
	}
	if !Copy(nil, nil) || Copy(nil, src) || Copy(make([]byte, 4), nil) {
		t.Error("nil is not like an empty slice")
	}
}
