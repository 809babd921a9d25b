package plusminus

import "testing"

func TestZero(t *testing.T) {
	for _, th := range Zero(vt, va, vb, vd) {
		t.Log(th)
	}
}
