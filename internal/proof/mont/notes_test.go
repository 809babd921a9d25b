package mont

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	impl "verum.example/internal/impl/mont"
	spec "verum.example/internal/spec/mont"
	"verum.example/internal/tcb/machine"
)

// TestNotes: what is said at the last mark of a product is that 2^(64n) times the accumulated value is the product and a
// multiple of the modulus, and something is said at each mark.
func TestNotes(t *testing.T) {
	f := spec.P256()
	m := fmt.Sprintf("%#x", f.M)
	for op, want := range map[string]string{
		"Mul":    m + "·q + a·b = 2^256·t",
		"Sqr":    m + "·q + a·a = 2^256·t",
		"ToMont": fmt.Sprintf("%#x·a + %s·q = 2^256·t", new(big.Int).Exp(big.NewInt(2), big.NewInt(512), f.M), m),
	} {
		for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
			for _, variant := range impl.Variants(target, op) {
				p, pr, err := Program(f, op, target, variant)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := machine.Verify(p, pr); err != nil {
					t.Fatal(err)
				}
				notes := pr.(*prover).Notes()
				marks := pr.(*prover).marks
				if len(notes) != len(marks) || len(marks) < 9 {
					t.Errorf("%s, %v%s: notes at %d of %d marks", op, target, variant, len(notes), len(marks))
				}
				for mark, lines := range notes {
					if len(lines) == 0 || !strings.Contains(lines[0], " is in ") || strings.Contains(strings.Join(lines, ""), "given") {
						t.Errorf("%s, %v%s: %s: %q", op, target, variant, mark, lines)
					}
				}
				last := notes["red3"]
				if len(last) != 3 || last[1] != want || !strings.HasPrefix(last[2], "t < 0x1") {
					t.Errorf("%s, %v%s: %q, want %q", op, target, variant, last, want)
				}
			}
		}
	}
}
