package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd205() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD205", Name: "collective-on-invarying-value", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a reduction over an axis along which the value is already the same",
		Doc: analyzers.Documentation{
			Finds: "psum, pmean, pmax or pmin over an axis of a manual region of a value that does not differ along it: a replicated argument, random numbers drawn outside of it, or the result of an earlier reduction. " +
				"psum of a literal is the idiom for the axis size and is not reported, neither are axes with one device. psum is an error, the others a warning.",
			Matters: "A psum multiplies by the number of devices (128 for 16 on 8 devices); pmean, pmax and pmin send data to compute what is already there. " +
				"psum over two axes of which the value differs along one only raises in a checked body since 0.8.2.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def total(x):
    loss = jax.lax.psum(jnp.sum(x), "data")
    return jax.lax.psum(loss, "data")
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
			FixSafety: "The fix drops the reduction, or one axis of a tuple that is written out. For pmean, pmax and pmin that changes no number and is safe; for psum it divides the result by the number of devices and is unsafe.",
			Ignore:    "When multiplying by the number of devices is what is wanted.",
		},
		Needles: []string{"psum", "pmean", "pmax(", "pmin("},
		Check:   checkInvarying,
	}
}

func checkInvarying(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.pmax", "jax.lax.pmin") {
		m := e.Region.InManual()
		if m == nil {
			continue
		}
		names := axesOf(e)
		for _, axis := range names {
			if !m.Manual.Has(axis) || trivial(e.Region, axis) || !invaryingOperand(e, axis) {
				continue
			}
			f := invaryingFinding(p, e, m, axis, names)
			if reducesOther(p.Facts(), e, func(o *flow.Event) bool { return invaryingOperand(o, axis) }) {
				f.Fixes = nil
			}
			out.report(e.At, f)
			break
		}
	}
}

// invaryingOperand reports whether a leaf of the operand is provably equal along the axis, and every leaf is known.
func invaryingOperand(e *flow.Event, axis string) bool {
	leaves, complete := flow.Leaves(e.Value(0, "x"))
	found := false
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if !ok || !a.VarKnown {
			return false
		}
		if a.Var.Has(axis) || a.Weak {
			continue
		}
		if a.Grad != nil && doubleReduced(e, a.Grad, axis) {
			return false // SHD202 says more
		}
		found = found || a.FromArgs || reduced(a.Reduced, axis) || drawnOutside(a)
	}
	return found && (complete || len(leaves) == 1)
}

// drawnOutside reports whether a value that the body captures holds random numbers that were drawn before, as initialized weights do:
// unlike ones and counts, nobody sums those to learn the number of devices.
func drawnOutside(a *flow.Array) bool {
	return slices.ContainsFunc(a.Draws, func(draw *flow.Event) bool { return draw.Region.InManual() == nil })
}

func invaryingFinding(p *analyzers.Pass, e *flow.Event, m *flow.Region, axis string, names []string) analyzers.Finding {
	kind := lastName(e.Name)
	a, _ := e.Value(0, "x").(*flow.Array)
	what := "the value"
	if a != nil && a.Label != "" && a.Label != "the gradient" {
		what = a.Label
	}
	if kind != "psum" {
		return analyzers.Finding{
			Severity: analyzers.Warning,
			Message:  fmt.Sprintf("%s is already the same along %s, so %s over it changes nothing and only costs an all-reduce; drop it", what, quote(axis), kind),
			Fixes:    withoutAxis(e, names, axis),
		}
	}
	effect := "the psum multiplies it by the number of devices"
	if n := e.Region.AxisSize(axis); n > 0 {
		effect = fmt.Sprintf("the psum multiplies it by %d", n)
	}
	if len(names) > 1 && m.Checked == flow.Yes && p.JAX.AtLeast(0, 8, 2) {
		effect = fmt.Sprintf("JAX %s refuses a psum over axes of which the value differs along some only", p.JAX)
	}
	f := analyzers.Finding{Message: fmt.Sprintf("%s is already the same along %s: %s; drop the axis", what, quote(axis), effect)}
	if len(names) == 1 {
		f.Fixes = dropped(e, analyzers.Unsafe)
	} else if edit, ok := axisDropped(e, names, axis); ok {
		f.Fixes = fixOf("Drop the axis "+quote(axis), analyzers.Unsafe, edit)
	}
	return f
}

// withoutAxis drops an axis from a reduction that changes nothing along it, or the whole reduction where it is the only one.
func withoutAxis(e *flow.Event, names []string, axis string) []analyzers.Fix {
	if len(names) == 1 {
		return dropped(e, analyzers.Safe)
	}
	if edit, ok := axisDropped(e, names, axis); ok {
		return fixOf("Drop the axis "+quote(axis), analyzers.Safe, edit)
	}
	return nil
}

// axisDropped leaves one name out of a tuple of axis names that is written out.
func axisDropped(e *flow.Event, names []string, axis string) (analyzers.Edit, bool) {
	arg := e.Arg(1, "axis_name")
	if arg == nil || !isKind(arg.At, pyparse.KindTuple, pyparse.KindList) || !e.At.Contains(arg.At) {
		return analyzers.Edit{}, false
	}
	nodes := arg.At.File.Syntax.ChildList(arg.At.Node)
	if len(nodes) != len(names) {
		return analyzers.Edit{}, false
	}
	var left []string
	for i, n := range nodes {
		if names[i] != axis {
			left = append(left, arg.At.File.Syntax.Text(n))
		}
	}
	if len(left) == 1 {
		return replaced(arg.At, left[0]), true
	}
	return replaced(arg.At, tupleText(left)), true
}
