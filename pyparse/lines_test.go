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
