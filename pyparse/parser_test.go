package pyparse

import (
	"strings"
	"testing"
)

func TestParseKeepsNamesAndRoles(t *testing.T) {
	f := Parse("a.py", []byte("import jax.numpy as jnp\nx = jnp.sum(y, axis=-1)  # total\n"))
	if f.KindOf(0) != KindModule || len(f.Problems) > 0 || len(f.Comments) != 1 {
		t.Fatalf("kind %v, problems %v, comments %v", f.KindOf(0), f.Problems, f.Comments)
	}
	var calls []string
	for n := range f.Descendants(0) {
		if f.Is(n, KindCall) {
			name, _ := f.DottedName(f.Callee(n))
			calls = append(calls, name)
			axis, ok := f.Int(f.KeywordArgument(n, "axis"))
			if !ok || axis != -1 {
				t.Errorf("axis = %d, %v", axis, ok)
			}
		}
	}
	if strings.Join(calls, " ") != "jnp.sum" {
		t.Errorf("calls %q", calls)
	}
	if len(f.Imports) != 1 || f.Imports[0].Target() != "jax.numpy" || f.Imports[0].Bound != "jnp" {
		t.Errorf("imports %+v", f.Imports)
	}
}
