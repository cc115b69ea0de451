package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd220() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD220", Name: "vmap-drops-batch-sharding", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "vmap of a shard_map gathers the dimension that it maps",
		Doc: analyzers.Documentation{
			Finds: "vmap over a function made by shard_map whose mapped dimension is sharded, without spmd_axis_name; and spmd_axis_name with an axis that the inner specs use. vmap of with_sharding_constraint is harmless and not reported.",
			Matters: "The specs of the shard_map say nothing of the new dimension, so it becomes replicated and the input is all-gathered (262144 bytes per device for 8 × 128 × 64 float32, against none). " +
				"spmd_axis_name puts the axis in front of the specs; an axis that they already use raises ValueError.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
block = jax.shard_map(jnp.tanh, mesh=mesh, in_specs=P(None, "model"), out_specs=P(None, "model"))
x = jax.device_put(jnp.ones((8, 128, 64)), NamedSharding(mesh, P("data")))
y = jax.jit(jax.vmap(block))(x)
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
block = jax.shard_map(jnp.tanh, mesh=mesh, in_specs=P(None, "model"), out_specs=P(None, "model"))
x = jax.device_put(jnp.ones((8, 128, 64)), NamedSharding(mesh, P("data")))
y = jax.jit(jax.vmap(block, spmd_axis_name="data"))(x)
`,
			FixSafety: "The fix names the axis in vmap. It changes the layout and no number, so it is safe. Where the specs use the axis already it drops spmd_axis_name, which is unsafe because another axis may be meant.",
			Ignore:    "When the gathered array is small.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkVmapSharding,
	}
}

func checkVmapSharding(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, e := range facts.Named("jax.vmap") {
		t, ok := e.Result.(*flow.Transformed)
		if !ok {
			continue
		}
		if m := mappedBody(t.Fn); m != nil {
			usedTwice(out, e, t, m)
		}
	}
	for _, m := range facts.Manuals {
		for _, run := range m.Calls {
			if run.Vmap == nil {
				continue
			}
			t, ok := run.Vmap.Callee.(*flow.Transformed)
			if !ok || t.Make == nil {
				continue
			}
			if t.Arg(4, "spmd_axis_name") != nil {
				usedTwice(out, t.Make, t, m)
			} else if axes := mappedSharding(run.Vmap, t); len(axes) > 0 {
				out.report(t.Make.At, vmapFinding(t, axes))
			}
		}
	}
}

// usedTwice reports the axes that a vmap puts in front of specs that already use them.
func usedTwice(out *once, at *flow.Event, t *flow.Transformed, m *flow.ManualCall) {
	names, _ := flow.AxisNames(orNone(t.Value(4, "spmd_axis_name")))
	used, _ := namedAxes(m.InSpecs)
	for _, n := range names {
		if !used.Has(n) {
			continue
		}
		f := analyzers.Finding{Severity: analyzers.Error, Message: fmt.Sprintf("spmd_axis_name=%s puts an axis in front of the specs that they already use; JAX refuses it", quote(n))}
		if a := t.Arg(4, "spmd_axis_name"); len(names) == 1 && a.At.Valid() && at.At.Contains(a.At) {
			if edit, dropped := argumentDropped(a.At); dropped {
				f.Fixes = fixOf("Drop spmd_axis_name", analyzers.Unsafe, edit)
			}
		}
		out.report(at.At, f)
	}
}

func orNone(v flow.Value) flow.Value {
	if v == nil {
		return flow.None{}
	}
	return v
}

// mappedBody returns the shard_map that a function is, through jit.
func mappedBody(fn flow.Value) *flow.ManualCall {
	for {
		t, ok := fn.(*flow.Transformed)
		if !ok {
			return nil
		}
		if t.Kind == "shard_map" {
			return t.Map
		}
		if t.Kind != "jit" && t.Kind != "checkpoint" {
			return nil
		}
		fn = t.Fn
	}
}

// mappedSharding returns the axes that shard a mapped dimension of an argument.
func mappedSharding(e *flow.Event, t *flow.Transformed) []string {
	for i, a := range e.Pos {
		axis, known := flow.Integer(mappedAxis(t.Value(1, "in_axes"), i))
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			x, ok := l.(*flow.Array)
			if !ok || !known || axis < 0 || x.Sharding == nil || x.Sharding.Spec == nil || int(axis) >= len(x.Sharding.Spec.Entries) {
				continue
			}
			var names []string
			for _, n := range x.Sharding.Spec.Entries[axis].Names {
				names = append(names, n.Name)
			}
			if len(names) > 0 {
				return names
			}
		}
	}
	return nil
}

// mappedAxis is the entry of in_axes for argument i; the default is 0.
func mappedAxis(axes flow.Value, i int) flow.Value {
	if axes == nil {
		return flow.Int(0)
	}
	if elems, complete, ok := flow.Elements(axes); ok && complete && i < len(elems) {
		return elems[i]
	}
	return axes
}

func vmapFinding(t *flow.Transformed, axes []string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("the mapped dimension is sharded over %s, but the shard_map inside knows nothing of it, so it is gathered; write vmap(..., spmd_axis_name=%s)", quotes(axes), quote(axes[0]))}
	if edits, ok := withArgument(t.Make.At, "spmd_axis_name="+axesSource(t.Make.At.File, axes)); ok {
		f.Fixes = fixOf("Name the axis in vmap", analyzers.Safe, edits...)
	}
	return f
}
