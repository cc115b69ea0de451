package pyparse

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program returns Python source of about the given number of lines, made of functions like those of training programs.
func program(lines int) []byte {
	var b bytes.Buffer
	b.WriteString("import functools\nimport jax\nimport jax.numpy as jnp\nfrom jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n\nmesh = jax.make_mesh((4, 2), (\"data\", \"model\"))\n")
	for i := 0; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, `

@functools.partial(jax.jit, static_argnames=("config",), donate_argnums=0)
def layer_%[1]d(params, inputs, *, config=None, dtype=jnp.bfloat16):
    """Applies block %[1]d.

    Args:
      params: the block's weights, sharded over "model".
      inputs: activations of shape [batch, length, features].
    """
    # attention
    query, key, value = (jnp.einsum("bld,dhk->blhk", inputs, params[f"w_{name}"]) for name in ("q", "k", "v"))
    scale = 1.0 / jnp.sqrt(query.shape[-1])
    logits = jnp.einsum("blhk,bmhk->bhlm", query, key) * scale
    if config is not None and config.mask_kind != "none":
        mask = [[row <= column for column in range(inputs.shape[1])] for row in range(inputs.shape[1])]
        logits = jnp.where(jnp.asarray(mask)[None, None, :, :], logits, -1e9)
    weights = jax.nn.softmax(logits.astype(jnp.float32), axis=-1).astype(dtype)
    out = jnp.einsum("bhlm,bmhk->blhk", weights, value)
    out = jax.lax.with_sharding_constraint(out, NamedSharding(mesh, P("data", None, "model", None)))
    for index, (name, weight) in enumerate(sorted(params.items())):
        if name.startswith("mlp"):
            out = out + jax.lax.psum(out @ weight, axis_name="model") if index %% 2 else out
    return {"out": out, "aux": {"logits": logits, "step": %[1]d}}, params
`, i)
	}
	return b.Bytes()
}

// BenchmarkParse measures a whole parse of a file of 1,000 lines: tree, copy, parents, imports and suppressions.
func BenchmarkParse(b *testing.B) {
	source := program(1000)
	p := NewParser()
	defer p.Close()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		f, err := p.Parse(context.Background(), "a.py", source)
		if err != nil {
			b.Fatal(err)
		}
		nodes = len(f.Nodes)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}

// BenchmarkCursor measures the same with the cursor of the binding: several foreign calls a node.
func BenchmarkCursor(b *testing.B) {
	source := program(1000)
	b.SetBytes(int64(len(source)))
	nodes := 0
	for b.Loop() {
		list, _ := cursorNodes(b, source)
		nodes = len(list)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}

// BenchmarkBroken measures a file in which one line is unfinished.
func BenchmarkBroken(b *testing.B) {
	source := bytes.Replace(program(1000), []byte("    out = jnp.einsum("), []byte("    jax.lax.psum(out, \n    out = jnp.einsum("), 1)
	p := NewParser()
	defer p.Close()
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if f, err := p.Parse(context.Background(), "a.py", source); err != nil || len(f.Problems) == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkScopes measures name resolution of the same file.
func BenchmarkScopes(b *testing.B) {
	f := Parse("a.py", program(1000))
	b.ReportAllocs()
	for b.Loop() {
		buildScopes(f)
	}
}

// BenchmarkCorpus parses every .py file below the directory in SHARDLS_CORPUS, or nothing without it.
func BenchmarkCorpus(b *testing.B) {
	var sources [][]byte
	size := 0
	for _, dir := range filepath.SplitList(os.Getenv("SHARDLS_CORPUS")) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".py" {
				return err
			}
			source, err := os.ReadFile(path)
			sources = append(sources, source)
			size += len(source)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	p := NewParser()
	defer p.Close()
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, source := range sources {
			if _, err := p.Parse(context.Background(), "a.py", source); err != nil {
				b.Fatal(err)
			}
		}
	}
}
