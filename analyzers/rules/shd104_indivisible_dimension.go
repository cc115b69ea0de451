package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd104() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD104", Name: "indivisible-dimension", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError", "IndivisibleError"},
		Summary: "a dimension does not divide evenly over the mesh axes that shard it",
		Doc: analyzers.Documentation{
			Finds: "A dimension of known size that is no multiple of the product of the axis sizes in its spec entry, where JAX demands one: device_put, in_shardings, out_shardings, the specs of shard_map, " +
				"and with_sharding_constraint outside of jit.",
			Matters: "JAX raises when the two meet (IndivisibleError since 0.9.1, ValueError before and in shard_map). Vocabulary sizes, the last batch of an epoch and the number of key-value heads are the usual causes.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
x = jnp.zeros((10, 64))
x = jax.device_put(x, NamedSharding(mesh, P("data", None)))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
x = jnp.pad(jnp.zeros((10, 64)), ((0, 2), (0, 0)))
x = jax.device_put(x, NamedSharding(mesh, P("data", None)))
`,
			FixSafety: "The fix pads the array with zeros to the next multiple, where it is handed over or, for out_shardings, where it is returned. Arrays in a tree get no fix. It is unsafe because what is computed from the array then sees the padding.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{meshNeedles(), layoutNeedles()},
		Check:    checkIndivisible,
	}
}

// uneven is a dimension that does not divide.
type uneven struct {
	dim    int
	size   int64
	shards int64
	entry  flow.SpecEntry
}

// unevenDim finds the first dimension of a placement that its spec does not divide.
func unevenDim(pl *flow.Placement) (uneven, bool) {
	if pl.Array == nil || pl.Spec == nil || pl.Mesh == nil || pl.Array.Rank() < 0 {
		return uneven{}, false
	}
	for i, e := range pl.Spec.Entries {
		if i >= pl.Array.Rank() || len(e.Names) == 0 {
			continue
		}
		shards, ok := pl.Mesh.Shards(e)
		size := pl.Array.Dim(i)
		if ok && size >= 0 && size%shards != 0 {
			return uneven{dim: i, size: size, shards: shards, entry: e}, true
		}
	}
	return uneven{}, false
}

func checkIndivisible(p *analyzers.Pass) {
	out := newOnce(p)
	for _, pl := range p.Facts().Placements {
		if pl.Kind == flow.PlaceConstraint && pl.Event.Region.Traced() || pl.Kind == flow.PlaceOutSpec {
			continue
		}
		u, ok := unevenDim(pl)
		if !ok {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("dimension %d of %s has size %d, which does not divide into the %d shards of %s; pad it to %d or choose another axis",
			u.dim, named(pl.Array, pl.Path), u.size, u.shards, u.entry, u.padded())}
		f.Fixes = padFix(p.Facts(), pl, u)
		out.report(pl.At, f)
	}
}
