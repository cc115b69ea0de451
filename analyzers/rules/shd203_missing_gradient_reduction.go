package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd203() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD203", Name: "missing-gradient-reduction", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "parameters that all devices share are updated with a gradient of one device's data",
		Doc: analyzers.Documentation{
			Finds: "In a shard_map without checks (check_vma=False, check_rep=False) or a pmap: a parameter that is the same on all devices, changed by a gradient that no psum, pmean or psum_scatter has reduced over an axis that the data is split over, and returned as replicated. " +
				"For pmap it also takes a collective over the axis elsewhere in the body, because replicas without any are an ensemble. " +
				"With a dump, in whatever way the gradient was made and reduced: the parameters of a module that all devices share and of which they compute different new values, on the line of the update. " +
				"The module before partitioning has to be among the dumps, or the one after it has to be a proto: they tell that the new value is returned as one array rather than as a part on each device.",
			Matters: "Nothing raises. With out_specs=P() the update of one shard is returned, with pmap the replicas drift apart: training sees one device's part of every batch (0.99 instead of -0.55 after one step on 8 devices). " +
				"Under plain jit and in a checked shard_map the reduction is inserted for you.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def step(w, x):
    g = jax.grad(lambda w: jnp.mean((x * w) ** 2))(w)
    return w - 0.01 * g
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def step(w, x):
    g = jax.lax.pmean(jax.grad(lambda w: jnp.mean((x * w) ** 2))(w), "data")
    return w - 0.01 * g
`,
			FixSafety: "The fix takes the mean of the gradient over the axis: of the call that returns it, or in a line of its own where the value comes along. It is unsafe because a sum may be meant.",
			Ignore:    "When each device is meant to train on its own, as in an ensemble, or until another function takes the mean of the parameters.",
		},
		Needles: []string{"shard_map", "pmap", "smap"},
		Check:   checkMissingReduction, CheckDump: checkDifferingUpdates,
	}
}

func checkMissingReduction(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, m := range facts.Manuals {
		if m.Checked != flow.No {
			continue
		}
		for _, run := range m.Calls {
			for _, u := range unreducedUpdates(facts, m, run) {
				f := analyzers.Finding{Message: fmt.Sprintf("%s is updated with the gradient of one device's part of the batch: nothing reduces it over %s; write g = jax.lax.pmean(g, %s) before the update",
					named(u.update.Param, ""), quote(u.axis), quote(u.axis))}
				f.Fixes = reduceGradient(facts, u.update.Grad, u.axis)
				out.report(u.update.Event.At, f)
			}
		}
	}
}

type unreduced struct {
	update *flow.Update
	axis   string
}

// unreducedUpdates finds the updated parameters among what a body returns.
func unreducedUpdates(facts *flow.Facts, m *flow.ManualCall, run *flow.ManualRun) []unreduced {
	var out []unreduced
	consider := func(a *flow.Array, u *flow.Update, axis string) {
		if u == nil || u.Grad.Region != run.Region || a.VarUpper || reduced(u.Grad.Outer, axis) || reduced(u.Grad.Inner, axis) || trivial(run.Region, axis) {
			return
		}
		out = append(out, unreduced{u, axis})
	}
	if m.Kind == "pmap" {
		leaves, _ := flow.Leaves(run.Result)
		for _, l := range leaves {
			a, ok := l.(*flow.Array)
			if !ok {
				continue
			}
			for _, axis := range m.Axes {
				if reducesElsewhere(facts, run, axis) {
					consider(a, a.Update, axis)
				}
			}
		}
		return out
	}
	for _, o := range outputs(run) {
		for _, axis := range o.claimed() {
			for u := o.array.Update; u != nil && u.Param.VarKnown; u = u.Param.Update { // from the last of several to the first
				if !u.Param.Var.Has(axis) {
					consider(o.array, u, axis)
					break
				}
			}
		}
	}
	return out
}

func reduced(list []*flow.Reduction, axis string) bool {
	for _, r := range list {
		if r.Axis == axis {
			return true
		}
	}
	return false
}

// reducesElsewhere reports whether the body reduces anything over the axis: then its replicas are meant to agree.
func reducesElsewhere(facts *flow.Facts, run *flow.ManualRun, axis string) bool {
	for _, e := range facts.Named("jax.lax.psum", "jax.lax.pmean") {
		if e.Region.InManual() != run.Region {
			continue
		}
		for _, n := range axesOf(e) {
			if n == axis {
				return true
			}
		}
	}
	return false
}

// reduceGradient takes the mean of a gradient: of the call that returns it alone, or in a line of its own where the call returns the value
// along with it.
func reduceGradient(facts *flow.Facts, g *flow.Gradient, axis string) []analyzers.Fix {
	t, ok := g.Call.Callee.(*flow.Transformed)
	if !ok || !g.Call.At.Valid() {
		return nil
	}
	at := g.Call.At
	w := writing(at.File)
	pmean, name := w.name("jax.lax.pmean"), axisSource(facts, at, axis)
	aux := t.Value(2, "has_aux") != nil
	if t.Kind == "grad" && !aux {
		return w.fix("Take the mean of the gradient", analyzers.Unsafe, inserted(at, pmean+"("), appended(at, ", "+name+")"))
	}
	index := 1
	if t.Kind == "grad" {
		index = 0
	} else if t.Kind != "value_and_grad" {
		return nil
	}
	target := unpackedName(at, index)
	if target == "" {
		return nil
	}
	edit, ok := lineAfter(at, fmt.Sprintf("%s = %s(%s, %s)", target, pmean, target, name))
	if !ok {
		return nil
	}
	return w.fix("Take the mean of the gradient", analyzers.Unsafe, edit)
}

// unpackedName is the name that an assignment gives to one of two values that an expression returns, "" where it unpacks them otherwise.
func unpackedName(at flow.Ref, index int) string {
	s := at.File.Syntax
	assignment := s.Parent(at.Node)
	if !s.Is(assignment, pyparse.KindAssignment) || s.Child(assignment, pyparse.FieldRight) != at.Node {
		return ""
	}
	left := s.Child(assignment, pyparse.FieldLeft)
	targets := s.ChildList(left)
	if !s.Is(left, pyparse.KindPatternList, pyparse.KindTuplePattern) || len(targets) != 2 || !s.Is(targets[index], pyparse.KindIdentifier) {
		return ""
	}
	return s.Text(targets[index])
}
