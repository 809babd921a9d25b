package registry

import (
	"runtime"
	"strings"
	"testing"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/machine"
)

// prove1 proves one entry.
func prove1(t *testing.T, jobs int, f func() (machine.Verified, error)) error {
	t.Helper()
	rs, err := ProveAll([]Entry{{Name: "p256Mul", Target: machine.AMD64, Prove: f}}, jobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rs[0].Err
}

// TestGoexit: a proof that ends its goroutine has not proved anything.
func TestGoexit(t *testing.T) {
	for _, jobs := range []int{1, 2} {
		err := prove1(t, jobs, func() (machine.Verified, error) {
			runtime.Goexit()
			panic("not reached")
		})
		if err == nil || !strings.Contains(err.Error(), "did not return") {
			t.Errorf("%d jobs: %v", jobs, err)
		}
	}
}

// TestOwnContract: a routine's contract is made by the proof itself, so nothing that users read may be reported on it.
func TestOwnContract(t *testing.T) {
	c, err := machine.Internal(machine.Func{Name: "p256Mul"})
	if err != nil {
		t.Fatal(err)
	}
	err = prove1(t, 1, func() (machine.Verified, error) {
		return machine.Verify(machine.Program{Target: machine.AMD64, Contract: c, Code: machine.Block{amd64.MOVLI{D: amd64.AX}}}, nil)
	})
	if err == nil || !strings.Contains(err.Error(), "own") {
		t.Errorf("a routine is proved: %v", err)
	}
}
