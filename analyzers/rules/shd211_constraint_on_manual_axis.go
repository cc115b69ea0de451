package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd211() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD211", Name: "constraint-on-manual-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "a constraint inside shard_map names an axis that is manual there, or the whole mesh",
		Doc: analyzers.Documentation{
			Finds: "with_sharding_constraint in the body of shard_map, or in a function that the body calls, whose spec names a manual axis. In a checked body also a NamedSharding of the concrete mesh, whatever its spec says: there only a bare spec fits.",
			Matters: "Along a manual axis every device holds its own piece and there is nothing left to lay out. JAX raises ValueError in every release; " +
				"a NamedSharding of the full mesh is refused in checked bodies since 0.8.0.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def block(x):
    return jax.lax.with_sharding_constraint(jnp.tanh(x), NamedSharding(mesh, P("data")))
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def block(x):
    return jnp.tanh(x)
`,
			FixSafety: "The fix drops a constraint on a manual axis, which says what holds anyway, or writes the bare spec for a sharding of the mesh. Both are safe: the code raised before.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{{"with_sharding_constraint"}, {"shard_map", "smap"}},
		Check:    checkManualConstraint,
	}
}

func checkManualConstraint(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.with_sharding_constraint") {
		m := e.Region.InManual()
		if m == nil || m.Kind != flow.ManualRegion {
			continue
		}
		arg := e.Arg(1, "shardings", "axis_resources")
		if arg == nil {
			continue
		}
		leaves, _ := flow.Leaves(arg.Value)
		for _, l := range leaves {
			spec, _ := specOf(l)
			if spec != nil && spec.Known {
				if axes := spec.Axes().And(m.Manual); len(axes) > 0 {
					out.report(e.At, analyzers.Finding{
						Message: fmt.Sprintf("axis %s is manual in this shard_map, so a constraint may not name it; drop the constraint or the name", quotes(axes)),
						Fixes:   dropped(e, analyzers.Safe),
					})
					break
				}
			}
			if s, isSharding := l.(*flow.Sharding); isSharding && s.Kind == "jax.sharding.NamedSharding" && concreteMesh(p, m, s) {
				out.report(e.At, analyzers.Finding{
					Message: fmt.Sprintf("a sharding of the whole mesh does not fit inside a checked shard_map, where some of its axes are manual (JAX 0.8.0 and later); write the bare spec %s", s),
					Fixes:   bareSpec(arg, s),
				})
				break
			}
		}
	}
}

// concreteMesh reports whether a sharding was made with the mesh outside of the manual region.
func concreteMesh(p *analyzers.Pass, m *flow.Region, s *flow.Sharding) bool {
	return m.Checked == flow.Yes && p.JAX.AtLeast(0, 8, 0) && s.Mesh != nil && !s.Mesh.Abstract && s.Mesh.Maker != ""
}

// bareSpec replaces a sharding by its spec.
func bareSpec(arg *flow.Arg, s *flow.Sharding) []analyzers.Fix {
	if !arg.At.Valid() {
		return nil
	}
	if isKind(arg.At, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return fixOf("Write the bare spec", analyzers.Safe, appended(arg.At, ".spec"))
	}
	if s.At == arg.At && s.Spec != nil && arg.At.Contains(s.Spec.At) {
		return fixOf("Write the bare spec", analyzers.Safe, replaced(arg.At, s.Spec.At.Text()))
	}
	return nil
}
