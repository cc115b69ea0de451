package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd804() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD804", Name: "scanned-params-missing-partition-name", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "nn.scan or nn.vmap stacks annotated parameters without a name for the new dimension",
		Doc: analyzers.Documentation{
			Finds: "flax.linen.scan or flax.linen.vmap of a module whose parameters carry partitioning metadata, with an axis for 'params' in variable_axes and without nn.PARTITION_NAME in metadata_params.",
			Matters: "The transformation gives every parameter a new dimension, and its spec needs an entry for it. Flax 0.12 raises PartitioningUnspecifiedError when the module is initialized; " +
				"earlier releases shifted the specs by one dimension.",
			Example: `import flax.linen as nn


class Expert(nn.Module):
    @nn.compact
    def __call__(self, x):
        w = self.param("w", nn.with_partitioning(nn.initializers.ones_init(), (None, "model")), (4, 8))
        return x @ w


Experts = nn.vmap(Expert, variable_axes={"params": 0}, split_rngs={"params": True}, axis_size=4, in_axes=None)
`,
			Instead: `import flax.linen as nn


class Expert(nn.Module):
    @nn.compact
    def __call__(self, x):
        w = self.param("w", nn.with_partitioning(nn.initializers.ones_init(), (None, "model")), (4, 8))
        return x @ w


Experts = nn.vmap(Expert, variable_axes={"params": 0}, split_rngs={"params": True}, axis_size=4, in_axes=None,
                  metadata_params={nn.PARTITION_NAME: None})
`,
			FixSafety: "The fix leaves the new dimension unsharded. It is safe: without it the call raises.",
			Ignore:    "Never with Flax 0.12: initialization raises.",
		},
		Needles: []string{"variable_axes"},
		Check:   checkPartitionName,
	}
}

func checkPartitionName(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("flax.linen.scan", "flax.linen.vmap") {
		module := classOf(e.Value(0, "target"), 0)
		if module == nil || e.Splat || e.Guarded || !stacksParams(e.Value(1, "variable_axes")) || namesPartition(e.Value(-1, "metadata_params")) || !boxesParams(p, module) {
			continue
		}
		key := spelt(e.At.File, "flax.linen.PARTITION_NAME")
		f := analyzers.Finding{Message: fmt.Sprintf("%s stacks the annotated parameters of %s and Flax raises without a name for the new dimension; pass metadata_params={nn.PARTITION_NAME: None}, or a mesh axis",
			"nn."+lastName(e.Name), module.Name)}
		if edits, ok := withArgument(e.At, "metadata_params={"+key+": None}"); ok && e.Arg(-1, "metadata_params") == nil && spelling(e.At.File.Syntax, "flax.linen.PARTITION_NAME") != "" {
			f.Fixes = fixOf("Leave the new dimension unsharded", analyzers.Safe, edits...)
		}
		out.report(e.At, f)
	}
}

// classOf is the module class that a transformation wraps.
func classOf(v flow.Value, depth int) *flow.Class {
	switch v := v.(type) {
	case *flow.Class:
		return v
	case *flow.Transformed:
		if depth < 8 {
			return classOf(v.Fn, depth+1)
		}
	case *flow.Partial:
		if depth < 8 {
			return classOf(v.Fn, depth+1)
		}
	}
	return nil
}

// stacksParams reports whether parameters get a new dimension.
func stacksParams(axes flow.Value) bool {
	d, ok := axes.(*flow.Dict)
	if !ok {
		return false
	}
	for i, k := range d.Keys {
		if name, isStr := flow.String(k); isStr && name == "params" {
			_, isInt := flow.Integer(d.Vals[i])
			return isInt
		}
	}
	return false
}

// namesPartition reports whether metadata_params may name the new dimension.
func namesPartition(metadata flow.Value) bool {
	if metadata == nil {
		return false
	}
	d, ok := metadata.(*flow.Dict)
	if !ok || d.Open {
		return true
	}
	for _, k := range d.Keys {
		if name, isStr := flow.String(k); !isStr || name == "partition_name" {
			return true
		}
	}
	return false
}

// boxesParams reports whether a module, or one that it calls, makes parameters with partitioning metadata.
func boxesParams(p *analyzers.Pass, module *flow.Class) bool {
	for _, e := range p.Facts().Events {
		if !runsIn(e, module) {
			continue
		}
		for _, list := range [2][]flow.Arg{e.Pos, e.Kw} {
			for _, a := range list {
				if o, ok := a.Value.(*flow.Object); ok && (o.Class == "flax.linen.with_partitioning" || o.Class == "flax.linen.with_logical_partitioning") {
					return true
				}
			}
		}
	}
	return false
}

// runsIn reports whether a call is made by a method of a class or by what it calls.
func runsIn(e *flow.Event, class *flow.Class) bool {
	if e.Func != nil && e.Func.Class == class {
		return true
	}
	for u := e.Unit; u != nil; u = u.Caller {
		if u.Func != nil && u.Func.Class == class {
			return true
		}
	}
	return false
}
