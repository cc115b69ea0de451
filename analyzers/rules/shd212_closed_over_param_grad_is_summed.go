package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd212() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD212", Name: "closed-over-param-grad-is-summed", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "a per-device gradient comes out summed over all devices",
		Doc: analyzers.Documentation{
			Finds: "A gradient taken inside a checked shard_map with respect to a value that is the same along an axis, and returned under an out_spec that names this axis, as if every device had its own.",
			Matters: "Reverse mode sums the gradient of such a value over the axis (since 0.6.1): every device returns the same sum. Wanted were 0, 1, 2, returned were 56, 64, 56. Forward mode (jacfwd) is not affected. " +
				"With the value cast to varying first, every device gets its own gradient.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def per_sample(theta, x):
    return jax.vmap(jax.grad(lambda t, xi: t * xi), in_axes=(None, 0))(theta, x)


f = jax.shard_map(per_sample, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def per_sample(theta, x):
    theta = jax.lax.pcast(theta, "data", to="varying")
    return jax.vmap(jax.grad(lambda t, xi: t * xi), in_axes=(None, 0))(theta, x)


f = jax.shard_map(per_sample, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
`,
			FixSafety: "The fix casts the variable before it is differentiated. It changes the numbers, so it is unsafe.",
			Ignore:    "When every device is meant to return the sum.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkSummedGradient,
	}
}

func checkSummedGradient(p *analyzers.Pass) {
	out := newOnce(p)
	for m, o := range manualOutputs(p.Facts()) {
		g := o.array.Grad
		if m.Checked != flow.Yes || g == nil || g.Forward || g.Region != o.run.Region {
			continue
		}
		for _, axis := range g.Summed {
			if named, _ := o.spec.Mentions(axis); named && !o.array.Var.Has(axis) && !reduced(g.Outer, axis) && !reduced(g.Inner, axis) && !trivial(g.Region, axis) {
				out.report(g.Call.At, summedGradient(p, g, axis))
			}
		}
	}
}

func summedGradient(p *analyzers.Pass, g *flow.Gradient, axis string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("this gradient is already summed over %s, because the variable is the same along it, yet it is returned as if each device had its own; cast to varying first: jax.lax.pcast(..., %s, to='varying')",
		quote(axis), quote(axis))}
	t, ok := g.Call.Callee.(*flow.Transformed)
	if !ok || t.Value(1, "argnums") != nil || len(g.Call.Pos) == 0 {
		return f
	}
	at := g.Call.Pos[0].At
	if at.Valid() && g.Call.At.Contains(at) {
		w := writing(at.File)
		f.Fixes = w.fix("Cast the variable to varying", analyzers.Unsafe, replaced(at, varyingCast(p, w, at, []string{axis})))
	}
	return f
}
