package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd216() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD216", Name: "replicated-key-in-manual-region", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "every shard draws the same random numbers",
		Doc: analyzers.Documentation{
			Finds: "A sampler of jax.random in the body of shard_map or pmap whose key is the same along an axis, where what is computed from it is returned split over that axis. " +
				"A result that is returned as replicated, such as initial parameters, is meant to be equal and not reported; under plain jit one key for the whole batch is right.",
			Matters: "Nothing raises: a dropout mask or noise repeats on every device, so the batch holds one pattern N times. Fold the device's index into the key first.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def dropout(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x / 0.5, 0.0)
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def dropout(key, x):
    key = jax.random.fold_in(key, jax.lax.axis_index("data"))
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x / 0.5, 0.0)
`,
			FixSafety: "The fix folds the index along the axis into the key. It changes the numbers that are drawn, so it is unsafe.",
			Ignore:    "When all shards are meant to draw alike.",
		},
		Needles: []string{"shard_map", "smap", "pmap"},
		Check:   checkReplicatedKey,
	}
}

func checkReplicatedKey(p *analyzers.Pass) {
	out := newOnce(p)
	check := func(o output) {
		for _, draw := range o.array.Draws {
			if draw.Region.InManual() != o.run.Region {
				continue
			}
			if axis, ok := sameDraw(o, draw); ok {
				out.report(draw.At, sameDrawFinding(p.Facts(), draw, axis))
			}
		}
	}
	for _, o := range manualOutputs(p.Facts()) {
		check(o)
	}
	for _, m := range p.Facts().Manuals {
		for _, run := range m.Calls {
			for _, o := range mixedOutputs(run) {
				check(o)
			}
		}
	}
}

// mixedOutputs lists what the body of a pmap returns that differs along its axis. What is the same on all devices, such as initial
// parameters, is meant to be; out_specs, which would say so, pmap has none.
func mixedOutputs(run *flow.ManualRun) []output {
	if run.Map.Kind != "pmap" || len(run.Map.Axes) != 1 {
		return nil
	}
	spec := &flow.Spec{Known: true, Entries: []flow.SpecEntry{{Names: []flow.AxisName{{Name: run.Map.Axes[0]}}}}}
	var out []output
	leaves, _ := flow.Leaves(run.Result)
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && a.VarKnown && !a.VarUpper && a.Var.Has(run.Map.Axes[0]) {
			out = append(out, output{a, spec, run})
		}
	}
	return out
}

// sameDraw finds an axis over which the output is split but the key is the same.
func sameDraw(o output, draw *flow.Event) (string, bool) {
	key, ok := draw.Value(0, "key").(*flow.Array)
	drawn, isArray := draw.Result.(*flow.Array)
	if !ok || !isArray || !key.VarKnown || key.VarUpper || drawn.Rank() == 0 {
		return "", false
	}
	for _, axis := range o.spec.Axes().And(o.run.Map.Axes) {
		if !key.Var.Has(axis) && !trivial(o.run.Region, axis) {
			return axis, true
		}
	}
	return "", false
}

func sameDrawFinding(facts *flow.Facts, draw *flow.Event, axis string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("the key is the same along %s, so every shard draws the same numbers with %s; use jax.random.fold_in(key, jax.lax.axis_index(%s))", quote(axis), lastName(draw.Name), quote(axis))}
	key := draw.Arg(0, "key")
	if key != nil && key.At.Valid() && draw.At.Contains(key.At) {
		w := writing(key.At.File)
		text := fmt.Sprintf("%s(%s, %s(%s))", w.name("jax.random.fold_in"), key.At.Text(), w.name("jax.lax.axis_index"), axisSource(facts, key.At, axis))
		f.Fixes = w.fix("Fold the device's index into the key", analyzers.Unsafe, replaced(key.At, text))
	}
	return f
}
