package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd316() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD316", Name: "auto-axes-keyword-array", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.7.0"},
		Summary: "an array sharded on Explicit axes is passed by keyword to a function of auto_axes",
		Doc: analyzers.Documentation{
			Finds:   "A keyword argument, other than out_sharding, of a function wrapped by jax.sharding.auto_axes whose value is an array sharded over an axis of a mesh. Scalars and replicated arrays may be passed by keyword.",
			Matters: "auto_axes casts positional arguments to Auto axes and leaves keywords as they are, so that two meshes meet inside: ValueError.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


@jax.sharding.auto_axes(out_sharding=P("data", None))
def lookup(table, ids):
    return table[ids]


table = jax.sharding.reshard(jnp.ones((64, 16)), P("model", None))
ids = jax.sharding.reshard(jnp.zeros((8,), jnp.int32), P("data"))
lookup(table, ids=ids)
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


@jax.sharding.auto_axes(out_sharding=P("data", None))
def lookup(table, ids):
    return table[ids]


table = jax.sharding.reshard(jnp.ones((64, 16)), P("model", None))
ids = jax.sharding.reshard(jnp.zeros((8,), jnp.int32), P("data"))
lookup(table, ids)
`,
			Ignore: "Never: the call raises.",
		},
		Needles: []string{"auto_axes"},
		Check:   checkAutoAxesKeywords,
	}
}

func checkAutoAxesKeywords(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("call.auto_axes") {
		for _, a := range e.Kw {
			array, ok := a.Value.(*flow.Array)
			if spec, _ := placedSpec(array); !ok || a.Name == "out_sharding" || spec == nil || len(spec.Axes()) == 0 {
				continue
			}
			out.report(keyword(a.At), analyzers.Finding{Message: fmt.Sprintf(
				"auto_axes leaves keyword arguments on Explicit axes, so the sharded array %s=%s meets Auto axes inside and raises; pass it by position", a.Name, a.At.Text())})
		}
	}
}
