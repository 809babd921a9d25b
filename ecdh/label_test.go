package ecdh_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	label      = "\nNot yet proved: "
	unprovedAt = "verum.example/internal/point" // the package of unproved arithmetic
)

// TestUnprovedCodeIsLabelled reads the source of the package: the doc comment of an exported function, of a method of an
// exported type, or of a method of an interface that only this package implements has a line "Not yet proved: …" if and
// only if the function may run code of internal/point. The same holds for the package comment.
//
// Who calls whom is found by name, which errs on the side of the label.
func TestUnprovedCodeIsLabelled(t *testing.T) {
	var files []*ast.File
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	unproved := reach(files)
	t.Logf("names that reach %s: %v", unprovedAt, slices.Sorted(maps.Keys(unproved)))

	checked := 0
	check := func(name string, doc *ast.CommentGroup, want bool) {
		checked++
		text := "\n" + doc.Text()
		switch has := strings.Contains(text, label); {
		case want && !has:
			t.Errorf("%s runs unproved code, and its doc comment has no line %q", name, strings.TrimSpace(label))
		case !want && has:
			t.Errorf("%s runs no unproved code, but its doc comment has a line %q", name, strings.TrimSpace(label))
		}
	}
	for _, f := range files {
		if f.Doc != nil {
			check("package "+f.Name.Name, f.Doc, len(unproved) != 0)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if receiver := receiverName(d); d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) {
					check(strings.TrimPrefix(receiver+"."+d.Name.Name, "."), d.Doc, unproved[d.Name.Name])
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
						for _, method := range sealedMethods(s) {
							check(s.Name.Name+"."+method.Names[0].Name, method.Doc, unproved[method.Names[0].Name])
						}
					}
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d doc comments found", checked)
	}
}

// reach returns the names of functions, methods and unexported types of the package that lead to code of unprovedAt.
// An unexported type leads where its methods do, as it is mentioned to have them called.
func reach(files []*ast.File) map[string]bool {
	reached := map[string]bool{}
	for again := true; again; {
		again = false
		for _, f := range files {
			imports := map[string]string{}
			for _, spec := range f.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				name := filepath.Base(path)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				imports[name] = path
			}
			for _, decl := range f.Decls {
				d, ok := decl.(*ast.FuncDecl)
				if !ok || d.Body == nil || reached[d.Name.Name] || !leads(d.Body, imports, reached) {
					continue
				}
				again = true
				reached[d.Name.Name] = true
				if receiver := receiverName(d); receiver != "" && !ast.IsExported(receiver) {
					reached[receiver] = true
				}
			}
		}
	}
	return reached
}

// leads reports whether body mentions the package unprovedAt or a name reached, other than as part of an expression that
// begins with the name of another import.
func leads(body ast.Node, imports map[string]string, reached map[string]bool) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if path, ok := imports[root(n)]; ok {
				yes = yes || path == unprovedAt
				return false
			}
		case *ast.CallExpr: // the arguments count even if the function is imported
			for _, arg := range n.Args {
				yes = yes || leads(arg, imports, reached)
			}
		case *ast.Ident:
			yes = yes || reached[n.Name]
		}
		return !yes
	})
	return yes
}

// root returns the identifier that an expression such as a.B().C begins with.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	return root(e)
}

// sealedMethods returns the exported methods of an interface that has an unexported one.
func sealedMethods(s *ast.TypeSpec) (exported []*ast.Field) {
	i, ok := s.Type.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	sealed := false
	for _, m := range i.Methods.List {
		switch {
		case len(m.Names) == 0:
		case m.Names[0].IsExported():
			exported = append(exported, m)
		default:
			sealed = true
		}
	}
	if !sealed {
		return nil
	}
	return exported
}
