package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd106() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD106", Name: "unconstrained-needs-auto-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.2"},
		Summary: "P.UNCONSTRAINED stands where JAX does not allow it",
		Doc: analyzers.Documentation{
			Finds: "P.UNCONSTRAINED in a spec for a mesh without Auto axes (jax.make_mesh makes Explicit axes by default since 0.9.0), and P.UNCONSTRAINED outside of a constraint: in in_shardings, out_shardings, device_put or the specs of shard_map.",
			Matters: "UNCONSTRAINED leaves a dimension to the partitioner. Explicit axes have no partitioner to ask, and a jit boundary or a transfer needs a definite layout. " +
				"JAX raises ValueError (device_put: KeyError since 0.8.2).",
			Example: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
free = NamedSharding(mesh, P(P.UNCONSTRAINED, "model"))
`,
			Instead: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
free = NamedSharding(mesh, P(P.UNCONSTRAINED, "model"))
`,
			FixSafety: "The fix writes None, which keeps the dimension whole. It is unsafe because it pins a layout that was left open.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{{"UNCONSTRAINED"}},
		Check:    checkUnconstrained,
	}
}

// unconstrainedEntry returns the first UNCONSTRAINED entry of a spec.
func unconstrainedEntry(s *flow.Spec) (flow.SpecEntry, bool) {
	for _, e := range s.Entries {
		if e.Unconstrained {
			return e, true
		}
	}
	return flow.SpecEntry{}, false
}

// closedEntries writes None for every UNCONSTRAINED entry.
func closedEntries(s *flow.Spec) []analyzers.Edit {
	var edits []analyzers.Edit
	for _, e := range s.Entries {
		if e.Unconstrained {
			edits = append(edits, replaced(e.At, "None"))
		}
	}
	return edits
}

func checkUnconstrained(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 2) {
		return
	}
	out := newOnce(p)
	facts := p.Facts()
	explicit := map[*flow.Spec]bool{}
	for _, m := range facts.Meets {
		e, ok := unconstrainedEntry(m.Spec)
		if !ok || !m.Mesh.AllAxes(flow.Explicit) {
			continue
		}
		explicit[m.Spec] = true
		why := "whose axes are all Explicit"
		if m.Mesh.ImplicitTypes {
			why = fmt.Sprintf("whose axes are all Explicit (the default of jax.make_mesh in JAX %s)", p.JAX)
		}
		out.report(e.At, analyzers.Finding{
			Message: fmt.Sprintf("P.UNCONSTRAINED needs an Auto axis, but it meets %s, %s; name an axis, write None, or make the mesh with axis_types=(AxisType.Auto, ...)", m.Mesh.Label(), why),
			Fixes:   fixOf("Write None", analyzers.Unsafe, closedEntries(m.Spec)...),
		})
	}
	report := func(a *flow.Arg, where string) {
		if a == nil {
			return
		}
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			if s, _ := specOf(l); s != nil && !explicit[s] {
				if _, ok := unconstrainedEntry(s); ok {
					out.report(a.At, analyzers.Finding{Message: fmt.Sprintf("P.UNCONSTRAINED in %s of %s: only a constraint may leave a dimension open; name an axis or write None", s, where)})
					return
				}
			}
		}
	}
	for _, e := range facts.Named("jax.jit", "jax.experimental.pjit.pjit") {
		report(e.Arg(-1, "in_shardings"), "in_shardings")
		report(e.Arg(-1, "out_shardings"), "out_shardings")
	}
	if p.JAX.AtLeast(0, 8, 2) {
		for _, e := range facts.Named("jax.device_put") {
			report(e.Arg(1, "device"), "device_put")
		}
	}
	for _, m := range facts.Manuals {
		report(m.InArg, "in_specs")
		report(m.OutArg, "out_specs")
	}
}
