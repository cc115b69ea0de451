package link

import (
	"strings"
	"testing"

	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

func TestExpressionAt(t *testing.T) {
	source := strings.Join([]string{
		`h = jnp.tanh(x.astype(jnp.bfloat16) @ p["up"]) + b`,
		`k, v = jnp.split(x @ p["kv"], 2)`,
		`    q = jnp.einsum("bd,dh->bh", x, wq) * scale`,
		`y = table[ids]`,
		`return jax.lax.psum(`,
		`    total, "data")`,
		`é = a @ b`,
	}, "\n") + "\n"
	file := pyparse.Parse("f.py", []byte(source))
	lines := text.NewMap([]byte(source))
	tests := []struct {
		name         string
		line, column int
		primitive    string
		want         string
		target       string
	}{
		{"the product, not the cast that starts it", 1, 13, "dot_general", `x.astype(jnp.bfloat16) @ p["up"]`, "h"},
		{"the cast", 1, 13, "convert_element_type", `x.astype(jnp.bfloat16)`, "h"},
		{"the sum that the call starts", 1, 4, "add", `jnp.tanh(x.astype(jnp.bfloat16) @ p["up"]) + b`, "h"},
		{"the call", 1, 4, "tanh", `jnp.tanh(x.astype(jnp.bfloat16) @ p["up"])`, "h"},
		{"a product in an argument", 2, 17, "dot_general", `x @ p["kv"]`, "k, v"},
		{"einsum", 3, 8, "dot_general", `jnp.einsum("bd,dh->bh", x, wq)`, "q"},
		{"a lookup", 4, 4, "gather", `table[ids]`, "y"},
		{"an unknown primitive takes the smallest expression that computes", 3, 8, "", `jnp.einsum("bd,dh->bh", x, wq)`, "q"},
		{"no column: the only product of the line", 1, -1, "dot_general", `x.astype(jnp.bfloat16) @ p["up"]`, "h"},
		{"no column and nothing fits: the line without its indentation", 3, -1, "sort", `q = jnp.einsum("bd,dh->bh", x, wq) * scale`, ""},
		{"several lines", 5, 7, "psum", "jax.lax.psum(\n    total, \"data\")", ""},
		{"columns count bytes", 7, 5, "dot_general", `a @ b`, "é"},
		{"a column behind the line", 4, 900, "gather", `table[ids]`, "y"},
		{"a line behind the file", 99, 0, "add", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := expressionAt(file, lines, tt.line, tt.column, tt.primitive)
			if e.Text() != tt.want {
				t.Errorf("got %q, want %q", e.Text(), tt.want)
			}
			if e.Target() != tt.target {
				t.Errorf("assigned to %q, want %q", e.Target(), tt.target)
			}
		})
	}
}
