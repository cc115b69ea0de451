package pyparse_test

import (
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// TestLoneCarriageReturns wants the tree of a file whose lines end with carriage returns alone to be that of the same file with line feeds:
// Python reads both alike.
func TestLoneCarriageReturns(t *testing.T) {
	const source = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x is None:\n        return \"\"\"a\nb\"\"\"\n    return x  # note\n\n\nmesh = 1\n"
	want := pyparse.Parse("a.py", []byte(source))
	got := pyparse.Parse("a.py", []byte(strings.ReplaceAll(source, "\n", "\r")))
	if len(got.Problems) != 0 || len(got.Nodes) != len(want.Nodes) {
		t.Fatalf("%d nodes, problems %v; with line feeds %d nodes", len(got.Nodes), got.Problems, len(want.Nodes))
	}
	for i := range want.Nodes {
		n := pyparse.NodeID(i)
		if got.KindOf(n) != want.KindOf(n) || got.Text(n) != want.Text(n) {
			t.Errorf("node %d is %q, with line feeds %q", i, got.Text(n), want.Text(n))
		}
	}
}

// TestStatementAt: a statement with a block is what stands before the block, and a function, with its decorators, all of it.
func TestStatementAt(t *testing.T) {
	const source = "x = f(\n    1,\n)\nfor a in b:  # loop\n\n    c(a)\nelse:\n    d\n\n@jit\ndef f(y):\n    with m: g(y)\n"
	file := pyparse.Parse("a.py", []byte(source))
	for at, want := range map[string]string{
		"1,":   "x = f(\n    1,\n)",
		"for":  "for a in b:  # loop",
		"c(a)": "c(a)",
		"@jit": "@jit\ndef f(y):\n    with m: g(y)",
		"def":  "@jit\ndef f(y):\n    with m: g(y)",
		"with": "with m:",
		"g(y)": "g(y)",
	} {
		from, to, ok := file.StatementAt(strings.Index(source, at))
		if !ok || source[from:to] != want {
			t.Errorf("at %q: %q, want %q", at, source[from:to], want)
		}
	}
	if _, _, ok := pyparse.Parse("a.py", []byte("# nothing\n")).StatementAt(0); ok {
		t.Error("a comment is a statement")
	}
}
