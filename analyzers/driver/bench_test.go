package driver_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/rules"
	"github.com/shardls/shardls/pyparse"
)

// trainer returns the source of a program of about the given number of lines: a mesh, a configuration, blocks of a model with their
// shardings, one step for each block under jit and shard_map, and a loop that runs them.
func trainer(lines int) []byte {
	var b bytes.Buffer
	b.WriteString(`import dataclasses
import functools

import jax
import jax.numpy as jnp
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
batch_sharding = NamedSharding(mesh, P("data"))


@dataclasses.dataclass
class Config:
    width: int = 512
    heads: int = 8
    rate: float = 1e-3


config = Config()
optimizer = optax.adam(config.rate)
`)
	block := 0
	for ; bytes.Count(b.Bytes(), []byte("\n")) < lines; block++ {
		b.WriteString(strings.ReplaceAll(trainerBlock, "BLOCK", fmt.Sprint(block)))
	}
	b.WriteString("\n\ndef main(batches):\n")
	for i := range block {
		fmt.Fprintf(&b, "    params_%[1]d, state_%[1]d = init_%[1]d(jax.random.key(%[1]d))\n", i)
		fmt.Fprintf(&b, "    for batch in batches:\n        params_%[1]d, state_%[1]d, loss = step_%[1]d(params_%[1]d, state_%[1]d, batch)\n", i)
	}
	b.WriteString("\n\nmain([jax.device_put(jnp.ones((32, 512)), batch_sharding)])\n")
	return b.Bytes()
}

const trainerBlock = `

def init_BLOCK(key):
    """Makes the parameters of block BLOCK and the state of its optimizer."""
    first, second = jax.random.split(key)
    params = {
        "up": jax.random.normal(first, (config.width, 4 * config.width)),
        "down": jax.random.normal(second, (4 * config.width, config.width)),
    }
    shardings = {"up": NamedSharding(mesh, P(None, "model")), "down": NamedSharding(mesh, P("model", None))}
    params = jax.device_put(params, shardings)
    return params, optimizer.init(params)


def layer_BLOCK(params, x, dtype=jnp.bfloat16):
    # attention without weights of its own, then the feed-forward part
    query = x.reshape(x.shape[0], config.heads, config.width // config.heads)
    logits = jnp.einsum("bhd,chd->hbc", query, query) / jnp.sqrt(query.shape[-1])
    if dtype is not None:
        logits = logits.astype(jnp.float32)
    weights = jax.nn.softmax(logits, axis=-1)
    x = x + jnp.einsum("hbc,chd->bhd", weights, query).reshape(x.shape)
    hidden = jax.nn.gelu(x @ params["up"])
    hidden = jax.lax.with_sharding_constraint(hidden, NamedSharding(mesh, P("data", "model")))
    return hidden @ params["down"]


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def statistics_BLOCK(x):
    total = jax.lax.psum(jnp.sum(x), "data")
    return {"mean": total / x.size, "most": jax.lax.pmax(jnp.max(x), "data")}


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step_BLOCK(params, state, batch):
    def loss_of(params):
        out = layer_BLOCK(params, batch)
        return jnp.mean((out - batch) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    updates, state = optimizer.update(grads, state, params)
    params = optax.apply_updates(params, updates)
    for name, value in sorted(statistics_BLOCK(batch).items()):
        jax.debug.print(name + ": {}", value)
    return params, state, loss
`

// BenchmarkRun measures what an edit of a file of 1,000 lines costs in an editor once it is parsed: interpreting it, every rule, and
// putting the findings in order.
func BenchmarkRun(b *testing.B) {
	source := trainer(1000)
	all := rules.All()
	on := map[string]analyzers.Severity{}
	for _, a := range all {
		on[a.Code] = a.Severity
	}
	file := &flow.File{Syntax: pyparse.Parse("train.py", source)}
	needles := driver.NewNeedles(all)
	in := &driver.Input{
		Analyzers: all,
		Needles:   needles,
		Program:   &flow.Program{Files: map[string]*flow.File{"train.py": file}},
		Files: []driver.File{{
			Path: "train.py", Facts: file, Settings: driver.Settings{Rules: on},
			Own: needles.Outline(source).Marks, Reach: needles.Everything(),
		}},
	}
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := driver.Run(b.Context(), in)
		if err != nil || len(r.Problems) > 0 {
			b.Fatal(err, r.Problems)
		}
	}
}
