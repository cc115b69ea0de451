package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd215() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD215", Name: "untiled-collective-shape", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a collective without tiled=True adds or removes a dimension that the shapes do not allow",
		Doc: analyzers.Documentation{
			Finds: "psum_scatter or all_to_all without tiled=True on a dimension whose local size is not the axis size, and an all_gather without it whose extra dimension then meets a product with a matrix. " +
				"It takes shapes that are known from the call of the mapped function.",
			Matters: "Without tiled=True psum_scatter and all_to_all take a dimension of exactly the axis size apart and raise ValueError otherwise; all_gather stacks along a new dimension, and the next operation fails or broadcasts.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P(None, "fsdp"), out_specs=P("fsdp"))
def rows(g):
    return jax.lax.psum_scatter(g, "fsdp", scatter_dimension=0)


rows(jnp.ones((16, 64)))
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P(None, "fsdp"), out_specs=P("fsdp"))
def rows(g):
    return jax.lax.psum_scatter(g, "fsdp", scatter_dimension=0, tiled=True)


rows(jnp.ones((16, 64)))
`,
			FixSafety: "The fix adds tiled=True. It is unsafe because a dimension of the axis size may have been meant.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Needles: []string{"psum_scatter", "all_to_all", "all_gather"},
		Check:   checkUntiled,
	}
}

func checkUntiled(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, e := range facts.Named("jax.lax.psum_scatter", "jax.lax.all_to_all") {
		name, dim := "scatter_dimension", e.Value(-1, "scatter_dimension")
		if e.Name == "jax.lax.all_to_all" {
			name, dim = "split_axis", e.Value(2, "split_axis")
		} else if dim == nil {
			dim = flow.Int(0)
		}
		size, n := untiledDim(e, dim)
		if size < 0 || n <= 0 || size == n {
			continue
		}
		out.report(e.At, tiledFinding(e, fmt.Sprintf("without tiled=True the dimension of %s has to be the axis size %d, but it is %d; write tiled=True", name, n, size)))
	}
	for _, e := range facts.Named("op.matmul", "jax.numpy.matmul", "jax.numpy.dot", "jax.lax.dot") {
		if g := stackedOperand(e); g != nil {
			out.report(g.At, tiledFinding(g, "without tiled=True all_gather stacks along a new dimension, which the product that follows does not expect; write tiled=True"))
		}
	}
}

// untiled reports whether a collective is certainly not tiled.
func untiled(e *flow.Event) bool {
	v := e.Value(-1, "tiled")
	if v == nil {
		return !e.Splat
	}
	t, known := flow.Truth(v)
	return known && !t
}

// untiledDim is the size of the dimension that an untiled collective takes apart and that of its axis, -1 when unknown.
func untiledDim(e *flow.Event, dim flow.Value) (size, n int64) {
	a, ok := e.Value(0, "x").(*flow.Array)
	names := axesOf(e)
	i, known := flow.Integer(dim)
	if !ok || !untiled(e) || len(names) != 1 || !known {
		return -1, -1
	}
	return a.Dim(int(i)), e.Region.AxisSize(names[0])
}

// stackedOperand finds an operand of a product that is an untiled all_gather and would fit if it were tiled.
func stackedOperand(e *flow.Event) *flow.Event {
	if len(e.Pos) != 2 {
		return nil
	}
	a, aok := e.Pos[0].Value.(*flow.Array)
	b, bok := e.Pos[1].Value.(*flow.Array)
	if !aok || !bok || a.Rank() < 1 || b.Rank() < 1 {
		return nil
	}
	inner := func(x *flow.Array, left bool) int64 {
		if left || x.Rank() == 1 {
			return x.Dim(-1)
		}
		return x.Dim(-2)
	}
	if inner(a, true) < 0 || inner(b, false) < 0 || inner(a, true) == inner(b, false) {
		return nil
	}
	for i, x := range []*flow.Array{a, b} {
		other := []*flow.Array{b, a}[i]
		if x.Gather != nil && untiled(x.Gather) && x.Rank() == 3 && other.Rank() == 2 {
			return x.Gather
		}
	}
	return nil
}

func tiledFinding(e *flow.Event, message string) analyzers.Finding {
	f := analyzers.Finding{Message: message}
	if v := e.Arg(-1, "tiled"); v != nil {
		f.Fixes = fixOf("Write tiled=True", analyzers.Unsafe, replaced(v.At, "True"))
	} else if edits, ok := withOwnArgument(e, "tiled=True"); ok {
		f.Fixes = fixOf("Write tiled=True", analyzers.Unsafe, edits...)
	}
	return f
}
