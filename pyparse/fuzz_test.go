package pyparse

import (
	"os"
	"strings"
	"testing"
)

// FuzzParse checks that no bytes make the parser panic and that every tree is sound.
func FuzzParse(f *testing.F) {
	syntax, err := os.ReadFile("testdata/syntax.txt")
	if err != nil {
		f.Fatal(err)
	}
	for i, snippet := range strings.Split(string(syntax), "---\n") {
		if i%8 == 0 {
			f.Add([]byte(snippet))
		}
	}
	for _, b := range brokenLines {
		f.Add([]byte("def f():\n    " + b.line + "\n    g()\n"))
	}
	for _, name := range []string{"testdata/suppress/forms.py", "testdata/scopes/rules.py"} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("\xef\xbb\xbf# coding: latin-1\nx = '\xe9'\r\n\x00\xff"))
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 1<<16 {
			return
		}
		file := Parse("fuzz.py", source)
		checkTree(t, file)
		checkHelpers(t, file)
	})
}

// checkHelpers calls everything that takes a node on every node.
func checkHelpers(t testing.TB, f *File) {
	t.Helper()
	for i := -1; i <= len(f.Nodes); i++ {
		n := NodeID(i)
		for _, a := range f.Arguments(n) {
			f.Text(a.Value)
		}
		for _, p := range f.Parameters(n) {
			f.Text(p.NameNode)
		}
		if s := f.StringLiteral(n); s.Exact {
			for _, p := range s.Pieces {
				if p.ContentStart > p.ContentEnd || p.ContentEnd > len(f.Source) {
					t.Fatalf("piece %+v", p)
				}
			}
		}
		if a, ok := f.Assignment(n); ok {
			for _, target := range a.Targets {
				f.TargetNames(target)
			}
		}
		_, _ = f.DottedName(n)
		_, _ = f.Int(n)
		_, _ = f.Float(n)
		_ = f.Clauses(n)
		_ = f.WithItems(n)
		_ = f.Decorators(n)
		_ = f.Docstring(n)
		_ = f.Broken(n)
		_ = f.References(f.Resolve(n))
		if scope := f.ScopeOf(n); int(scope) >= len(f.Scopes()) {
			t.Fatalf("scope %d", scope)
		}
	}
	for offset := 0; offset <= len(f.Source); offset += 1 + len(f.Source)/64 {
		if n := f.NodeAt(offset); !f.valid(n) {
			t.Fatalf("no node at %d", offset)
		}
	}
	for _, s := range f.Suppressions {
		if s.Start < 0 || s.Start >= s.End || s.End > len(f.Source) || s.ScopeStart > s.ScopeEnd {
			t.Fatalf("suppression %+v", s)
		}
	}
}
