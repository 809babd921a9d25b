package vectors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// RFC6979Vector is a signature of a message with SHA-256, with the private key D.
type RFC6979Vector struct {
	Curve   string // as "P-256"
	D, R, S *big.Int
	Message string
}

// RFC6979 reads the vectors out of the standard library's test of crypto/ecdsa, the arguments of its testRFC6979: those of
// RFC 6979 appendix A.2 with SHA-256, and one message whose first candidate is not below n.
func RFC6979(t *testing.T) (vs []RFC6979Vector) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		Absent(t, "go env GOROOT: %v", err)
	}
	name := filepath.Join(strings.TrimSpace(string(out)), "src", "crypto", "ecdsa", "ecdsa_test.go")
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		Absent(t, "no vectors of RFC 6979: %v", err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "testRFC6979" || len(call.Args) != 8 {
			return true
		}
		curve := call.Args[1].(*ast.CallExpr).Fun.(*ast.SelectorExpr).Sel.Name
		text := func(i int) string {
			s, err := strconv.Unquote(call.Args[i].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		hex := func(i int) *big.Int {
			v, ok := new(big.Int).SetString(text(i), 16)
			if !ok {
				t.Fatalf("%s is not a number", text(i))
			}
			return v
		}
		vs = append(vs, RFC6979Vector{"P-" + curve[1:], hex(2), hex(6), hex(7), text(5)})
		return true
	})
	return vs
}
