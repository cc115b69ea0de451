package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
)

func shd210() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD210", Name: "rank-zero-output-named-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "a scalar is returned under an out_spec that has an entry",
		Doc: analyzers.Documentation{
			Finds:   "An output of shard_map that is provably a scalar, such as a full reduction, under a spec like P(\"data\").",
			Matters: "There is no dimension to split: JAX raises ValueError, the out_specs entry is too long.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
sums = jax.shard_map(lambda x: x.sum(), mesh=mesh, in_specs=P("data"), out_specs=P("data"))
sums(jnp.arange(16.0))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
sums = jax.shard_map(lambda x: x.sum()[None], mesh=mesh, in_specs=P("data"), out_specs=P("data"))
sums(jnp.arange(16.0))
`,
			FixSafety: "The fix adds a dimension, so that every device contributes one element. It is unsafe because a reduced scalar with P() may be meant.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkScalarOutput,
	}
}

func checkScalarOutput(p *analyzers.Pass) {
	out := newOnce(p)
	for m, o := range manualOutputs(p.Facts()) {
		if m.OutArg == nil || o.array.Rank() != 0 || !o.spec.Known || len(o.spec.Entries) == 0 {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("%s is a scalar (rank 0), but its out_spec is %s; return it with a dimension, x[None], or reduce it and write P()", outputName(o), o.spec)}
		if made := o.array.Made; made != nil && made.At.Valid() && producesInBody(made, o) {
			f.Fixes = fixOf("Add a dimension", analyzers.Unsafe, appended(made.At, "[None]"))
		}
		out.report(m.OutArg.At, f)
	}
}
