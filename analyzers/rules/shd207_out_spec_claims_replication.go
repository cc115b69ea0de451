package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd207() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD207", Name: "out-spec-claims-replication", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "out_specs call a value replicated that differs between devices",
		Doc: analyzers.Documentation{
			Finds: "An output of shard_map that differs along a mesh axis, because nothing reduced it, while its out_spec leaves the axis out. A mesh axis along which nothing differs need not be named.",
			Matters: "With checks JAX raises ValueError when the function is traced. Without them nothing raises and the value of one shard is returned " +
				"(an accuracy of 0.0 for 0.5).",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def total(x):
    return jnp.sum(x)
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def total(x):
    return jax.lax.psum(jnp.sum(x), "data")
`,
			FixSafety: "Where the value is made by one call, the fix sums it over the axis. It is unsafe because a mean may be meant.",
			Ignore:    "In an unchecked body, when the devices hold the same value for a reason that cannot be seen.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkClaimedReplication,
	}
}

func checkClaimedReplication(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Manuals {
		if m.OutArg == nil {
			continue
		}
		for _, run := range m.Calls {
			for _, o := range outputs(run) {
				if o.array.Gather != nil || o.array.Rank() == 0 && len(o.spec.Entries) > 0 || m.Checked == flow.No && o.array.Update != nil {
					continue // SHD213, SHD210 and SHD203 say more
				}
				if axes := o.claimed(); len(axes) > 0 {
					out.report(m.OutArg.At, claimedReplication(m, o, axes))
				}
			}
		}
	}
}

func claimedReplication(m *flow.ManualCall, o output, axes []string) analyzers.Finding {
	outcome := "JAX refuses it"
	if m.Checked == flow.No {
		outcome = "without the check the value of one shard is returned"
	}
	f := analyzers.Finding{Message: fmt.Sprintf("%s differs along %s, but its out_spec %s calls it the same there: %s; reduce it, jax.lax.psum(..., %s), or name the axis in the spec",
		outputName(o), quotes(axes), o.spec, outcome, quote(axes[0]))}
	made := o.array.Made
	if made == nil || !made.At.Valid() || len(axes) != 1 || made.At.File != m.OutArg.At.File || !producesInBody(made, o) {
		return f
	}
	f.Related = []analyzers.Related{{Span: spanOf(made.At), Message: "the value is made here"}}
	f.Fixes = fixOf("Sum it over "+quote(axes[0]), analyzers.Unsafe, replaced(made.At, fmt.Sprintf("%s(%s, %q)", reductionName(made.At, "psum"), made.At.Text(), axes[0])))
	return f
}

// producesInBody reports whether the call that made the value stands in the mapped body itself.
func producesInBody(e *flow.Event, o output) bool {
	fn, ok := o.run.Map.Fn.(*flow.Func)
	return ok && fn.At.Contains(e.At)
}

func outputName(o output) string {
	if o.array.Label != "" && o.array.Label != "the gradient" {
		return o.array.Label
	}
	return "an output"
}
