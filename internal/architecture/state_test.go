package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"testing"
)

// TestNoInit: registration is explicit; nothing runs before main.
func TestNoInit(t *testing.T) {
	fset, files := readTree(t)
	for _, f := range files {
		for _, decl := range f.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: init function", fset.Position(fn.Pos()))
			}
		}
	}
}

// TestNoPackageState: package-level variables are tables that nothing writes to. Test files may have flags.
func TestNoPackageState(t *testing.T) {
	fset, files := readTree(t)
	packages := map[string][]*ast.File{} // by folder
	for _, f := range files {
		if !f.isTest() {
			packages[f.folder()] = append(packages[f.folder()], f.file)
		}
	}
	for _, files := range packages {
		pkg, uses := resolve(fset, files)
		for _, file := range files {
			for _, ident := range written(file) {
				if v, ok := uses[ident].(*types.Var); ok && v.Parent() == pkg.Scope() {
					t.Errorf("%s: writes to the package-level variable %s", fset.Position(ident.Pos()), ident.Name)
				}
			}
		}
	}
}

// resolve finds what each identifier of a package stands for. Imports stay empty, which costs types, not scopes.
func resolve(fset *token.FileSet, files []*ast.File) (*types.Package, map[*ast.Ident]types.Object) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, FakeImportC: true, Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, files, info) // its errors are all about the imports left out
	return pkg, info.Uses
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is left out", path)
}

// written returns the variables at the root of everything that is assigned to, incremented, or has its address taken.
func written(file *ast.File) []*ast.Ident {
	var all []*ast.Ident
	add := func(e ast.Expr) {
		if ident := rootOf(e); ident != nil {
			all = append(all, ident)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					add(e)
				}
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X)
			}
		}
		return true
	})
	return all
}

func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}
