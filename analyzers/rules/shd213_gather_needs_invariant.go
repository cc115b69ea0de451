package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd213() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD213", Name: "gather-needs-invariant", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "an all_gather is returned as replicated, which the check does not believe",
		Doc: analyzers.Documentation{
			Finds: "The result of all_gather over an axis, returned from shard_map under an out_spec that leaves the axis out, without to=\"invarying\".",
			Matters: "All devices hold the same array, but all_gather is typed as varying, so a checked shard_map raises ValueError; often check_vma=False is written for that reason alone, and everything else goes unchecked too. " +
				"to=\"invarying\" says that the result is the same everywhere (since 0.10.0; jax.lax.all_gather_invariant from 0.6.2 to 0.8.1; nothing public in between).",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("model"), out_specs=P())
def full(x):
    return jax.lax.all_gather(x, "model", tiled=True)
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("model"), out_specs=P())
def full(x):
    return jax.lax.all_gather(x, "model", tiled=True, to="invarying")
`,
			FixSafety: "The fix adds to=\"invarying\" from 0.10.0 on. It changes no number and is safe.",
			Ignore:    "On releases that have no such argument, where check_vma=False is the way out.",
		},
		Needles: []string{"all_gather"},
		Check:   checkGatherInvariant,
	}
}

func checkGatherInvariant(p *analyzers.Pass) {
	out := newOnce(p)
	for m, o := range manualOutputs(p.Facts()) {
		e := o.array.Gather
		if m.Kind == "pmap" || e == nil {
			continue
		}
		gathered := flow.Axes(axesOf(e)...)
		claimed := o.claimed()
		if i := slices.IndexFunc(claimed, gathered.Has); i >= 0 {
			out.report(e.At, gatherFinding(p, e, claimed[i]))
		}
	}
}

func gatherFinding(p *analyzers.Pass, e *flow.Event, axis string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("the result of all_gather over %s is returned as replicated, but its type says that it differs along the axis; write all_gather(..., to='invarying')", quote(axis))}
	if !p.JAX.AtLeast(0, 10, 0) {
		f.Message = fmt.Sprintf("the result of all_gather over %s is returned as replicated, but its type says that it differs along the axis; JAX %s has no public way to say otherwise before 0.10.0, so it takes check_vma=False", quote(axis), p.JAX)
		return f
	}
	if edits, ok := withOwnArgument(e, "to="+quoted(e.At.File, "invarying")); ok && e.Arg(-1, "to") == nil {
		f.Fixes = fixOf("Gather to an invarying value", analyzers.Safe, edits...)
	}
	return f
}
