package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd809() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD809", Name: "batchnorm-axis-name", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "BatchNorm of Flax lacks axis_name in a mapped body, or has one that nothing binds",
		Doc: analyzers.Documentation{
			Finds: "A Linen BatchNorm that computes statistics (use_running_average is False) inside shard_map or pmap, of an input that differs between devices, without axis_name; " +
				"and one with an axis_name that no mapped body around the call binds, which is an error. Initialization is left alone: there the name is not used.",
			Matters: "Without axis_name every device normalizes by its own rows, and the running statistics differ between devices (a mean of 0.01 instead of 0.15). " +
				"With it under plain jit JAX raises NameError for the unbound axis; there the statistics are global anyway.",
			Example: `import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False)(x)


model, mesh = Net(), Mesh(np.array(jax.devices()), ("data",))
x = np.ones((16, 2), np.float32)
variables = model.init(jax.random.key(0), x)
run = jax.shard_map(lambda v, x: model.apply(v, x, mutable=["batch_stats"]), mesh=mesh,
                    in_specs=(P(), P("data")), out_specs=(P("data"), P()), check_vma=False)
run(variables, x)
`,
			Instead: `import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False, axis_name="data")(x)


model, mesh = Net(), Mesh(np.array(jax.devices()), ("data",))
x = np.ones((16, 2), np.float32)
variables = model.init(jax.random.key(0), x)
run = jax.shard_map(lambda v, x: model.apply(v, x, mutable=["batch_stats"]), mesh=mesh,
                    in_specs=(P(), P("data")), out_specs=(P("data"), P()), check_vma=False)
run(variables, x)
`,
			FixSafety: "The fix adds axis_name, or leaves out one that nothing binds. It is unsafe: the statistics change, as they should, and a device group for them may be meant to be smaller, or code that is not in view may bind the axis.",
			Ignore:    "When statistics of small groups are wanted (ghost batch normalization).",
		},
		Needles: []string{"BatchNorm"},
		Check:   checkBatchNorm,
	}
}

func checkBatchNorm(p *analyzers.Pass) {
	out := newOnce(p)
	starts := initCalls(p)
	for _, e := range p.Facts().Named("flax.linen.BatchNorm.__call__") {
		norm, ok := e.Recv.(*flow.Object)
		if !ok || norm.Made == nil || norm.Made.Splat || !training(e, norm.Made) || initializing(e, starts) {
			continue
		}
		axis := norm.Made.Arg(10, "axis_name")
		if axis != nil && given(axis.Value) {
			if name, isStr := axis.Value.(*flow.Str); isStr {
				if bound, known := e.Region.Bound(name.S); !bound && known {
					out.report(keyword(axis.At), unboundStatistics(axis, name.S))
				}
			}
			continue
		}
		x, isArray := e.Value(0, "x").(*flow.Array)
		if r := e.Region.InManual(); r != nil && isArray && x.VarKnown && len(x.Var) > 0 {
			out.report(norm.Made.At, localStatistics(norm.Made, x.Var))
		}
	}
}

// initCalls are the calls that initialize a module.
func initCalls(p *analyzers.Pass) map[flow.Ref]bool {
	out := map[flow.Ref]bool{}
	for _, e := range p.Facts().Named("flax.linen.Module.init", "flax.linen.Module.init_with_output", "flax.linen.Module.lazy_init") {
		out[e.At] = true
	}
	return out
}

// initializing reports whether a call runs below one that initializes a module.
func initializing(e *flow.Event, starts map[flow.Ref]bool) bool {
	for u := e.Unit; u != nil; u = u.Caller {
		if starts[u.Call] {
			return true
		}
	}
	return false
}

// training reports whether a normalization is known to compute statistics.
func training(call, made *flow.Event) bool {
	v := call.Value(1, "use_running_average")
	if !given(v) {
		v = made.Value(0, "use_running_average")
	}
	stored, known := v.(flow.Bool)
	return known && !bool(stored)
}

func unboundStatistics(arg *flow.Arg, axis string) analyzers.Finding {
	f := analyzers.Finding{Severity: analyzers.Error, Message: fmt.Sprintf(
		"BatchNorm reduces over the axis %s, which nothing binds here: JAX raises NameError; leave axis_name out, under jit the statistics are those of the whole batch", quote(axis))}
	if edit, ok := argumentDropped(arg.At); ok {
		f.Fixes = fixOf("Leave axis_name out", analyzers.Unsafe, edit)
	}
	return f
}

func localStatistics(made *flow.Event, axes []string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("each device normalizes by the statistics of its own rows: the input differs along %s and BatchNorm has no axis_name; pass axis_name=%s",
		quotes(axes), quote(axes[0]))}
	if edits, ok := withArgument(made.At, fmt.Sprintf("axis_name=%q", axes[0])); ok && len(axes) == 1 && made.Arg(10, "axis_name") == nil {
		f.Fixes = fixOf("Reduce over "+quote(axes[0]), analyzers.Unsafe, edits...)
	}
	return f
}
