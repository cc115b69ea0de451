package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd208() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD208", Name: "scan-carry-needs-pcast", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"TypeError"},
		JAX:     analyzers.Releases{From: "0.6.0"},
		Summary: "a loop in a checked shard_map starts from a value that is the same everywhere and becomes one that is not",
		Doc: analyzers.Documentation{
			Finds: "scan, fori_loop or while_loop inside a checked shard_map whose carry does not differ between devices at the start but does after one iteration, and cond or switch whose branches disagree in that.",
			Matters: "JAX raises TypeError: carry input and carry output (or the outputs of the branches) must have equal types, and what a value varies over is part of its type. " +
				"zeros_like(x) of a varying x is varying since 0.7.0; jnp.zeros(x.shape) never is.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def running_sum(xs):
    return jax.lax.scan(lambda acc, x: (acc + x, acc), jnp.zeros(4), xs)[1]


running_sum(jnp.ones((16, 4)))
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def running_sum(xs):
    init = jax.lax.pcast(jnp.zeros(4), "data", to="varying")
    return jax.lax.scan(lambda acc, x: (acc + x, acc), init, xs)[1]


running_sum(jnp.ones((16, 4)))
`,
			FixSafety: "The fix casts the initial value, or what the other branch of a cond returns. The cast moves no data and changes no number, so it is safe.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkCarry,
	}
}

func checkCarry(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 0) {
		return
	}
	out := newOnce(p)
	for _, c := range p.Facts().Carries {
		m := c.Event.Region.InManual()
		if m == nil || m.Checked != flow.Yes || !m.ManualAll {
			continue
		}
		if index, axes := carryDiffers(c, m); len(axes) > 0 {
			out.report(c.Event.At, carryFinding(p, c, index, axes))
		}
	}
}

// carryDiffers finds the first leaf whose varying axes change.
func carryDiffers(c *flow.Carry, m *flow.Region) (int, []string) {
	before, _ := flow.Leaves(c.Before)
	after, _ := flow.Leaves(c.After)
	if len(before) != len(after) {
		return 0, nil
	}
	for i := range before {
		b, bok := flow.AsArray(before[i])
		a, aok := flow.AsArray(after[i])
		if !bok || !aok || !a.VarKnown || !b.VarKnown || a.VarUpper || b.VarUpper {
			continue
		}
		grown := a.Var.Minus(b.Var)
		if c.Branch {
			grown = grown.Union(b.Var.Minus(a.Var))
		}
		if grown = grown.And(m.Manual); len(grown) > 0 {
			return i, grown
		}
	}
	return 0, nil
}

func carryFinding(p *analyzers.Pass, c *flow.Carry, index int, axes []string) analyzers.Finding {
	kind := lastName(c.Event.Name)
	if c.Branch {
		return analyzers.Finding{
			Message: fmt.Sprintf("the branches of %s return values of which one differs along %s and the other does not; cast it, jax.lax.pcast(x, %s, to='varying')", kind, quotes(axes), quote(axes[0])),
			Fixes:   castBranch(p, c, index, axes),
		}
	}
	f := analyzers.Finding{Message: fmt.Sprintf("the carry of %s starts the same on all devices and then differs along %s; cast the initial value, jax.lax.pcast(init, %s, to='varying')", kind, quotes(axes), quote(axes[0]))}
	position := map[string]int{"scan": 1, "fori_loop": 3, "while_loop": 2}[kind]
	init := c.Event.Arg(position, "init", "init_val")
	if init == nil {
		return f
	}
	at, ok := carryLeaf(init, index)
	if !ok {
		return f
	}
	w := writing(at.File)
	f.Fixes = w.fix("Cast the initial value to varying", analyzers.Safe, replaced(at, varyingCast(p, w, at, axes)))
	return f
}

// castBranch casts what the branch returns that differs along fewer axes: the whole value of a lambda or of a function with one return
// statement, or an element of a tuple that it writes out.
func castBranch(p *analyzers.Pass, c *flow.Carry, index int, axes []string) []analyzers.Fix {
	for i, result := range []flow.Value{c.Before, c.After} {
		leaves, _ := flow.Leaves(result)
		if index >= len(leaves) {
			return nil
		}
		a, ok := flow.AsArray(leaves[index])
		if !ok || len(flow.Axes(axes...).Minus(a.Var)) != len(axes) {
			continue
		}
		fn := branchFunction(c.Event, i)
		at := returnedLeaf(fn, result, leaves[index])
		if f, isFunc := innermost(fn); !at.Valid() || !isFunc || f.At.File != c.Event.At.File {
			return nil
		}
		w := writing(at.File)
		return w.fix("Cast the value of the other branch to varying", analyzers.Safe, replaced(at, varyingCast(p, w, at, axes)))
	}
	return nil
}

// branchFunction is the function of the first (0) or second (1) branch of cond, nil for switches, whose branches are in a list.
func branchFunction(e *flow.Event, i int) flow.Value {
	if lastName(e.Name) != "cond" {
		return nil
	}
	return e.Value(1+i, [2]string{"true_fun", "false_fun"}[i])
}

// carryLeaf finds the expression of leaf i in the initial carry: the argument itself, or an element of a tuple that is written out.
func carryLeaf(init *flow.Arg, index int) (flow.Ref, bool) {
	t, isTuple := init.Value.(*flow.Tuple)
	if !isTuple {
		leaves, _ := flow.Leaves(init.Value)
		return init.At, index == 0 && len(leaves) == 1 && init.At.Valid()
	}
	if !isKind(init.At, pyparse.KindTuple) {
		return flow.Ref{}, false
	}
	nodes := init.At.File.Syntax.ChildList(init.At.Node)
	if len(nodes) != len(t.Elems) {
		return flow.Ref{}, false
	}
	for i, e := range t.Elems {
		leaves, _ := flow.Leaves(e)
		if index < len(leaves) {
			return flow.Ref{File: init.At.File, Node: nodes[i]}, len(leaves) == 1
		}
		index -= len(leaves)
	}
	return flow.Ref{}, false
}
