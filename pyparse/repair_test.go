package pyparse

import (
	"fmt"
	"strings"
	"testing"
)

// brokenLines are lines as they stand while somebody types, with the calls that should be seen in them all the same.
var brokenLines = []struct {
	line  string
	calls string
}{
	{`x = P("data`, "P"},
	{`x = P("data"`, "P"},
	{`x = P("data",`, "P"},
	{`x = P('data', (`, "P"},
	{`x = NamedSharding(mesh, P("a", `, "NamedSharding P"},
	{`x = f(a, b=`, "f"},
	{`x = f(a, b=)`, "f"},
	{`x = jax.`, ""},
	{`x = jax.lax.`, ""},
	{`jax.`, ""},
	{`x = f(jax.)`, "f"},
	{`x = f(jax.).y`, "f"},
	{`x =`, ""},
	{`x = f(a) +`, "f"},
	{`x = {"a": 1, "b":`, ""},
	{`x = [1, 2`, ""},
	{`x = f(a))`, "f"},
	{`x = f(a]`, "f"},
	{`x = f"{a`, ""},
	{`x = f"{g(a`, "g"},
	{`x = """doc`, ""},
	{`if x`, ""},
	{`if f(x)`, "f"},
	{`for i in`, ""},
	{`for i in range(3`, "range"},
	{`with f(x`, "f"},
	{`def g(`, ""},
	{`def g(a, b`, ""},
	{`class A(`, ""},
	{`return f(`, "f"},
	{`@partial(jit,`, "partial"},
	{`import`, ""},
	{`from a import`, ""},
	{`from a import (b,`, ""},
	{`lambda x`, ""},
	{`x = f(lambda`, "f"},
	{`x = a if b`, ""},
	{`assert f(x,`, "f"},
	{`psum(x, axis_name=("a", "b")`, "psum"},
	{`)`, ""},
	{`x = y[`, ""},
	{`x = y[1:`, ""},
	{`x: P(`, "P"},
	{`print "a"`, ""},
	{`$$$`, ""},
	{`x = ?`, ""},
	{`except`, ""},
	{`with P("a":`, "P"},
	{`x = f(a$b)`, "f"},
}

// TestBrokenLineCostsOnlyItself puts each broken line into a program and expects every other statement to be seen whole.
func TestBrokenLineCostsOnlyItself(t *testing.T) {
	for _, c := range brokenLines {
		t.Run(c.line, func(t *testing.T) {
			source := fmt.Sprintf("import jax\nbefore(1)\n\ndef f(x):\n    first(x)\n    %s\n    second(x, y=z)\n    return third(x)\n\nclass C:\n    def m(self):\n        fourth(self)\n\nafter(2)\n", c.line)
			f := Parse("a.py", []byte(source))
			if len(f.Problems) == 0 {
				t.Error("no problem reported")
			}
			lineStart := strings.Index(source, c.line)
			lineEnd := lineStart + len(c.line)
			var outside, inside []string
			for n := range f.Descendants(0) {
				if !f.Is(n, KindCall) {
					continue
				}
				name, _ := f.DottedName(f.Callee(n))
				if start, _ := f.Span(n); start >= lineStart && start <= lineEnd {
					inside = append(inside, name)
				} else {
					outside = append(outside, name)
					if f.Broken(n) {
						t.Errorf("%s counts as broken", name)
					}
				}
			}
			if got := strings.Join(outside, " "); got != "before first second third fourth after" {
				t.Errorf("outside: %s\n%s", got, f.Tree(0))
			}
			if got := strings.Join(inside, " "); got != c.calls {
				t.Errorf("inside: %q, want %q\n%s", got, c.calls, f.Tree(0))
			}
			checkTree(t, f)
		})
	}
}

// checkTree checks what must hold of every tree, whatever the source.
func checkTree(t testing.TB, f *File) {
	t.Helper()
	for i, n := range f.Nodes {
		id := NodeID(i)
		switch p := f.Parent(id); {
		case n.Start > n.End || int(n.End) > len(f.Source):
			t.Fatalf("node %d: range %d-%d of %d", i, n.Start, n.End, len(f.Source))
		case n.Next <= uint32(i) || int(n.Next) > len(f.Nodes):
			t.Fatalf("node %d: next %d of %d", i, n.Next, len(f.Nodes))
		case p == None != (i == 0):
			t.Fatalf("node %d: parent %d", i, p)
		case p != None && (n.Start < f.Nodes[p].Start || n.End > f.Nodes[p].End || n.Next > f.Nodes[p].Next):
			t.Fatalf("node %d: %d-%d next %d leaves its parent's %d-%d next %d", i, n.Start, n.End, n.Next, f.Nodes[p].Start, f.Nodes[p].End, f.Nodes[p].Next)
		}
	}
	for _, p := range f.Problems {
		if p.Start < 0 || p.Start > p.End || p.End > len(f.Source) {
			t.Fatalf("problem %+v", p)
		}
	}
	for _, c := range f.Comments {
		if c.Start < 0 || c.Start >= c.End || c.End > len(f.Source) || f.Source[c.Start] != '#' {
			t.Fatalf("comment %+v", c)
		}
	}
}
