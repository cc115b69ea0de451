package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd218() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD218", Name: "unmapped-input-defensive-psum", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "the gradient of an unchecked shard_map is reduced over axes along which nothing differs",
		Doc: analyzers.Documentation{
			Finds: "A shard_map without checks that is differentiated from outside and has a manual axis that no in_spec names.",
			Matters: "Without checks the transpose cannot know what differs, so it reduces the cotangent over every manual axis that the spec of an input leaves out: on a (4, 2) mesh one all-reduce over all 8 devices instead of groups of 4. " +
				"Checked, or with the axis not manual, it reduces over the data axis only.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
layer = jax.shard_map(lambda x, w: x @ w, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"), check_vma=False)
g = jax.grad(lambda w, x: layer(x, w).sum())(jnp.ones((64, 64)), jnp.ones((16, 64)))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
layer = jax.shard_map(lambda x, w: x @ w, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"))
g = jax.grad(lambda w, x: layer(x, w).sum())(jnp.ones((64, 64)), jnp.ones((16, 64)))
`,
			FixSafety: "The fix makes only the axes manual that the specs name. It is safe where the body uses no other axis; it is marked unsafe because that cannot always be seen. For jax.experimental.shard_map the fix turns the check on, as that of SHD206 does.",
			Ignore:    "When the gradient is small.",
		},
		Needles: []string{"check_vma", "check_rep"},
		Check:   checkDefensivePsum,
	}
}

func checkDefensivePsum(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Manuals {
		if m.Checked != flow.No || m.CheckArg == nil || !m.AxesAll || m.InSpecs == nil {
			continue
		}
		named, known := namedAxes(m.InSpecs)
		free := m.Axes.Minus(named)
		for _, run := range m.Calls {
			if !run.Differ || !known {
				continue
			}
			var axes []string
			for _, a := range free {
				if !trivial(run.Region, a) {
					axes = append(axes, a)
				}
			}
			if len(axes) > 0 {
				out.report(m.CheckArg.At, defensivePsum(p.Facts(), m, named, axes))
			}
		}
	}
}

// namedAxes collects the axes in a tree of specs.
func namedAxes(tree flow.Value) (flow.AxisSet, bool) {
	var out flow.AxisSet
	leaves, complete := flow.Leaves(tree)
	for _, l := range leaves {
		s, ok := l.(*flow.Spec)
		if !ok || !s.Complete() {
			return nil, false
		}
		out = out.Union(s.Axes())
	}
	return out, complete
}

func defensivePsum(facts *flow.Facts, m *flow.ManualCall, named flow.AxisSet, axes []string) analyzers.Finding {
	flag := m.CheckArg.Name
	if flag == "" {
		flag = "check_rep"
	}
	f := analyzers.Finding{Message: fmt.Sprintf("with %s=False the backward pass also reduces over %s, which no in_spec names and along which nothing differs; turn the check on, or make only %s manual with axis_names",
		flag, quotes(axes), quotes(named))}
	whole := keyword(m.CheckArg.At)
	if m.Legacy {
		f.Fixes = checkedAgain(facts, m) // it cannot make single axes manual since JAX 0.8.0
		return f
	}
	if len(named) == 0 || m.InArg == nil || handedInWithin(m.InArg.At) || m.AxisArg != nil || whole == m.CheckArg.At {
		return f
	}
	manual := "axis_names={" + quotedAll(whole.File, named) + "}, "
	f.Fixes = fixOf("Make only the named axes manual", analyzers.Unsafe, inserted(whole, manual))
	return f
}
