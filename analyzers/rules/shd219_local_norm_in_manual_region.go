package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd219() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD219", Name: "local-norm-in-manual-region", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a norm inside shard_map sees only one device's part of the gradient",
		Doc: analyzers.Documentation{
			Finds: "optax.global_norm, or the update of a chain with optax.clip_by_global_norm, inside the body of shard_map or pmap, of gradients that differ between devices.",
			Matters: "optax knows no mesh: the norm is that of the local part, and every device clips by another factor. Clipped to 1.0, a vector over 8 devices came out with norm 2.83. " +
				"Under jit, and for gradients that were reduced first, the norm is right.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("fsdp"), out_specs=P("fsdp"))
def clip(g):
    return g / jnp.maximum(optax.global_norm(g), 1.0)
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("fsdp"), out_specs=P("fsdp"))
def clip(g):
    n = jnp.sqrt(jax.lax.psum(jnp.vdot(g, g), "fsdp"))
    return g / jnp.maximum(n, 1.0)
`,
			FixSafety: "For global_norm of a sharded gradient the fix sums the squares over the axis. It changes the number, so it is unsafe. A gradient that is still to be reduced has no such sum.",
			Ignore:    "When each device is meant to clip its own part.",
		},
		Needles: []string{"shard_map", "smap", "pmap"},
		Check:   checkLocalNorm,
	}
}

func checkLocalNorm(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if !strings.HasPrefix(e.Name, "optax.") {
			continue
		}
		m := e.Region.InManual()
		if m == nil {
			continue
		}
		function := ""
		switch {
		case e.Name == "optax.global_norm", e.Name == "optax.tree_utils.tree_l2_norm":
			function = lastName(e.Name)
		case strings.HasSuffix(e.Name, ".update") && clips(e.Recv, 0):
			function = "clip_by_global_norm"
		default:
			continue
		}
		if part, axis := localPart(e, m); part != nil && !summedAround(p.Facts(), e, axis) {
			out.report(e.At, localNorm(p.Facts(), e, function, part, axis))
		}
	}
}

// summedAround reports whether the call stands in what a psum over the axis sums.
func summedAround(facts *flow.Facts, e *flow.Event, axis string) bool {
	for _, s := range facts.Named("jax.lax.psum") {
		if s.At.Contains(e.At) && flow.Axes(axesOf(s)...).Has(axis) {
			return true
		}
	}
	return false
}

// clips reports whether a gradient transformation is or contains clip_by_global_norm.
func clips(v flow.Value, depth int) bool {
	o, ok := v.(*flow.Object)
	if !ok || depth > 4 {
		return false
	}
	if o.Class == "optax.clip_by_global_norm" {
		return true
	}
	if o.Made == nil {
		return false
	}
	for _, list := range [2][]flow.Arg{o.Made.Pos, o.Made.Kw} {
		for _, a := range list {
			if clips(a.Value, depth+1) {
				return true
			}
			elems, _, _ := flow.Elements(a.Value)
			for _, x := range elems {
				if clips(x, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// localPart finds an array of the first argument that differs along an axis.
func localPart(e *flow.Event, m *flow.Region) (part *flow.Array, axis string) {
	leaves, _ := flow.Leaves(e.Value(0, "updates", "tree"))
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if !ok || !a.VarKnown || a.VarUpper {
			continue
		}
		for _, axis := range a.Var.And(m.Manual) {
			if !trivial(e.Region, axis) {
				return a, axis
			}
		}
	}
	return nil, ""
}

// addend reports whether an array is one device's part of a sum rather than of an array: the gradient of variables that do not differ
// along the axis.
func addend(a *flow.Array, axis string) bool {
	if a.Grad == nil {
		return false
	}
	variables := []flow.Value{a.Grad.Of}
	if a.Grad.Of == nil {
		if len(a.Grad.Call.Pos) == 0 {
			return false
		}
		variables, _ = flow.Leaves(a.Grad.Call.Pos[0].Value)
	}
	for _, v := range variables {
		if x, ok := v.(*flow.Array); !ok || !x.VarKnown || x.Var.Has(axis) {
			return false
		}
	}
	return len(variables) > 0
}

func localNorm(facts *flow.Facts, e *flow.Event, function string, part *flow.Array, axis string) analyzers.Finding {
	if addend(part, axis) {
		return analyzers.Finding{Message: fmt.Sprintf("%s takes the norm of one device's gradient, before it is reduced over %s; reduce the gradient first", function, quote(axis))}
	}
	f := analyzers.Finding{Message: fmt.Sprintf("%s takes the norm of one device's part: the gradient differs along %s; sum the squares over it, jnp.sqrt(jax.lax.psum(global_norm(g) ** 2, %s)), or reduce the gradient first",
		function, quote(axis), quote(axis))}
	if function == "global_norm" {
		w := writing(e.At.File)
		f.Fixes = w.fix("Sum the squares over "+quote(axis), analyzers.Unsafe,
			inserted(e.At, w.name("jax.numpy.sqrt")+"("+w.name("jax.lax.psum")+"("), appended(e.At, " ** 2, "+axisSource(facts, e.At, axis)+"))"))
	}
	return f
}
