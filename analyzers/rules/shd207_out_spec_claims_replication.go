package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd207() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD207", Name: "out-spec-claims-replication", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "out_specs call a value replicated that differs between devices",
		Doc: analyzers.Documentation{
			Finds: "An output of shard_map that differs along a mesh axis, because nothing reduced it, while its out_spec leaves the axis out. A mesh axis along which nothing differs need not be named.",
			Matters: "With checks JAX raises ValueError when the function is traced. Without them nothing raises and the value of one shard is returned " +
				"(an accuracy of 0.0 for 0.5).",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def total(x):
    return jnp.sum(x)
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
			FixSafety: "The fix goes on with the reduction that the value was made by: psum for a sum or a product that contracts over the axis, pmean for a mean, pmax and pmin. Other values get no fix. It is unsafe because the out_spec may be what is wrong.",
			Ignore:    "In an unchecked body, when the devices hold the same value for a reason that cannot be seen.",
		},
		Needles: []string{"shard_map", "smap"},
		Check:   checkClaimedReplication,
	}
}

func checkClaimedReplication(p *analyzers.Pass) {
	out := newOnce(p)
	for m, o := range manualOutputs(p.Facts()) {
		if m.OutArg == nil || o.array.Gather != nil || o.array.Rank() == 0 && len(o.spec.Entries) > 0 || m.Checked == flow.No && o.array.Update != nil {
			continue // SHD213, SHD210 and SHD203 say more
		}
		if m.Checked == flow.No && o.fromUnreduced(p.Facts(), m) {
			continue // SHD203 names the cause
		}
		if m.Checked == flow.No && gatheredIn(p.Facts(), o.run.Region) {
			continue // behind an all_gather values agree although their types do not say so
		}
		if axes := o.claimed(); len(axes) > 0 {
			out.report(m.OutArg.At, claimedReplication(p.Facts(), m, o, axes))
		}
	}
}

// fromUnreduced reports whether an output was computed from a gradient in a body that updates parameters without reducing theirs.
func (o output) fromUnreduced(facts *flow.Facts, m *flow.ManualCall) bool {
	slope := o.array.Slope
	return slope != nil && slope.Region == o.run.Region && len(unreducedUpdates(facts, m, o.run)) > 0
}

// gatheredIn reports whether a body gathers something.
func gatheredIn(facts *flow.Facts, region *flow.Region) bool {
	return slices.ContainsFunc(facts.Named("jax.lax.all_gather"), func(e *flow.Event) bool { return e.Region.InManual() == region })
}

func claimedReplication(facts *flow.Facts, m *flow.ManualCall, o output, axes []string) analyzers.Finding {
	outcome := "JAX refuses it"
	if m.Checked == flow.No {
		outcome = "without the check the value of one shard is returned"
	}
	f := analyzers.Finding{Message: fmt.Sprintf("%s differs along %s, but its out_spec %s calls it the same there: %s; reduce it, jax.lax.psum(..., %s), or name the axis in the spec",
		outputName(o), quotes(axes), o.spec, outcome, quote(axes[0]))}
	if made := o.array.Made; made != nil && made.At.Valid() {
		f.Related = []analyzers.Related{{Span: spanOf(made.At), Message: "the value is made here"}}
	}
	if len(axes) == 1 {
		f.Fixes = reduceOutput(facts, o, axes[0])
	}
	return f
}

// reduceOutput reduces an output as the value itself was made: a sum or a product that contracts over the axis by psum, a mean by pmean, and so
// on. What is no reduction gets no fix: whether it is to be reduced, or split by the out_spec, is open.
func reduceOutput(facts *flow.Facts, o output, axis string) []analyzers.Fix {
	at, kind := flow.Ref{}, ""
	if made := o.array.Made; made != nil && made.At.Valid() && producesInBody(made, o) {
		at, kind = made.At, reductionOf(made)
		if kind == "psum" && lastName(made.Name) != "sum" && !contracts(made, axis) {
			return nil
		}
	} else if product := productOf(facts, o); product != nil && contracts(product, axis) {
		at, kind = product.At, "psum"
	}
	if kind == "" || !at.Valid() {
		return nil
	}
	w := writing(at.File)
	title := map[string]string{"psum": "Sum it over ", "pmean": "Take its mean over ", "pmax": "Take its maximum over ", "pmin": "Take its minimum over "}[kind]
	return w.fix(title+quote(axis), analyzers.Unsafe, inserted(at, w.name("jax.lax."+kind)+"("), appended(at, ", "+axisSource(facts, at, axis)+")"))
}

// reductionOf is the collective that goes on with what a call began, "" when it is no reduction.
func reductionOf(e *flow.Event) string {
	switch lastName(e.Name) {
	case "sum", "dot", "matmul", "vdot", "inner", "count_nonzero":
		return "psum"
	case "mean":
		return "pmean"
	case "max":
		return "pmax"
	case "min":
		return "pmin"
	}
	return ""
}

// productOf is the matrix product that is returned as it is.
func productOf(facts *flow.Facts, o output) *flow.Event {
	at := returnedLeaf(o.run.Map.Fn, o.run.Result, o.array)
	for _, e := range facts.Named("op.matmul") {
		if at.Valid() && e.At == at && e.Region.InManual() == o.run.Region {
			return e
		}
	}
	return nil
}

// contracts reports whether a product sums over a dimension that an in_spec splits over the axis.
func contracts(e *flow.Event, axis string) bool {
	for i := range 2 {
		a := operandAt(e, i)
		if a == nil || a.Input == nil || a.Input.Spec == nil || a.Rank() < 1 {
			continue
		}
		dim := a.Rank() - 1
		if i == 1 {
			dim = max(a.Rank()-2, 0)
		}
		if dim < len(a.Input.Spec.Entries) {
			for _, n := range a.Input.Spec.Entries[dim].Names {
				if n.Name == axis {
					return true
				}
			}
		}
	}
	return false
}

// producesInBody reports whether the call that made the value stands in the mapped body itself.
func producesInBody(e *flow.Event, o output) bool {
	fn, ok := o.run.Map.Fn.(*flow.Func)
	return ok && fn.At.Contains(e.At)
}

func outputName(o output) string {
	if o.array.Label != "" && o.array.Label != "the gradient" {
		return o.array.Label
	}
	return "an output"
}
