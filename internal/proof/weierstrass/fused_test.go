package weierstrass

import (
	"testing"
	"time"

	impl "verum.example/internal/impl/weierstrass"
)

// TestFusedBlocks proves what the blocks of the fused operations compute.
func TestFusedBlocks(t *testing.T) {
	c := P256()
	for _, k := range Keys() {
		for _, op := range []string{"double", "addAffine", "add"} {
			t.Run(op+"/"+k.Target.String()+k.Variant, func(t *testing.T) {
				generation(t)
				prog, err := impl.NewFused(k.Target, k.Variant, op, c.Field.M())
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				all := newBlocks(prog, c.Field.M(), c.Field.Words()).prove()
				t.Logf("%d blocks in %v", len(all), time.Since(begin))
				for _, b := range all {
					for _, th := range b.ths {
						if len(th.Hyps()) > 5 || len(th.Axioms()) > 0 {
							t.Errorf("%s: %v", b.block.Name, th)
						}
					}
				}
			})
		}
	}
}
