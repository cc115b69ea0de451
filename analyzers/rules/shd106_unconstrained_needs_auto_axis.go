package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd106() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD106", Name: "unconstrained-needs-auto-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
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
			FixSafety: "A constraint on Explicit axes gets a mesh with Auto axes. Elsewhere the fix names the axis that the spec leaves out, if there is one and it divides the dimension, or writes None, which keeps the dimension whole. " +
				"It is unsafe because it pins a layout that was left open, or changes the mesh for all that use it. A spec that a constraint uses too is left alone.",
			Ignore: "Never for code that runs: JAX refuses it.",
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

// closed writes something else for every UNCONSTRAINED entry: an axis that the spec leaves out where it is the only one and divides
// what it shards, or None. A spec that a constraint uses too has to stay as it is.
func closed(facts *flow.Facts, s *flow.Spec, m *flow.Mesh) []analyzers.Fix {
	if inConstraint(facts, s) {
		return nil
	}
	var fixes []analyzers.Fix
	if axis := leftOutAxis(facts, s, m); axis != "" {
		if edits := entriesClosed(s, func(at flow.Ref) string { return quoted(at.File, axis) }); edits != nil {
			fixes = fixOf("Write "+quote(axis), analyzers.Unsafe, edits...)
		}
	}
	if edits := entriesClosed(s, func(flow.Ref) string { return "None" }); edits != nil {
		fixes = append(fixes, fixOf("Write None", analyzers.Unsafe, edits...)...)
	}
	return fixes
}

// entriesClosed writes something else for the open entries of a spec, nil where one of them is not written by itself.
func entriesClosed(s *flow.Spec, text func(at flow.Ref) string) []analyzers.Edit {
	var edits []analyzers.Edit
	for _, e := range s.Entries {
		if e.Unconstrained {
			if !e.At.Valid() || isKind(flow.Ref{File: e.At.File, Node: e.At.File.Syntax.Parent(e.At.Node)}, pyparse.KindListSplat) || handedIn(e.At) {
				return nil
			}
			edits = append(edits, replaced(e.At, text(e.At)))
		}
	}
	return edits
}

// inConstraint reports whether with_sharding_constraint uses the spec.
func inConstraint(facts *flow.Facts, s *flow.Spec) bool {
	for _, pl := range facts.Placements {
		if pl.Kind == flow.PlaceConstraint && pl.Spec != nil && pl.Spec.At == s.At {
			return true
		}
	}
	return false
}

// leftOutAxis is the one axis of the mesh that a spec does not name, where the spec has one open entry and every array that it meets
// divides over the axis there; "" otherwise.
func leftOutAxis(facts *flow.Facts, s *flow.Spec, m *flow.Mesh) string {
	if m == nil || !m.Known {
		return ""
	}
	left := flow.Axes(m.Names()...).Minus(s.Axes())
	open := -1
	for i, e := range s.Entries {
		if e.Unconstrained && open >= 0 {
			return ""
		} else if e.Unconstrained {
			open = i
		}
	}
	if len(left) != 1 || open < 0 || m.Size(left[0]) <= 0 {
		return ""
	}
	met := false
	for _, pl := range facts.Placements {
		if pl.Spec == nil || pl.Spec.At != s.At {
			continue
		}
		if size := pl.Array.Dim(open); size < 0 || size%m.Size(left[0]) != 0 {
			return ""
		}
		met = true
	}
	if !met {
		return ""
	}
	return left[0]
}

// openFixes are the fixes for a spec that meets a mesh of Explicit axes. A constraint needs a mesh with Auto axes, whatever the spec says; a
// sharding needs a definite spec.
func openFixes(facts *flow.Facts, m *flow.Meet) []analyzers.Fix {
	if !inConstraint(facts, m.Spec) {
		return closed(facts, m.Spec, m.Mesh)
	}
	if writesExplicitCode(facts) {
		return nil
	}
	return autoFix(m.Mesh)
}

// autoFix makes the axes of a mesh Auto where the mesh is made.
func autoFix(m *flow.Mesh) []analyzers.Fix {
	if !m.Known || len(m.Axes) == 0 || !m.At.Valid() || m.Maker != "jax.make_mesh" && m.Maker != "jax.sharding.Mesh" {
		return nil
	}
	w := writing(m.At.File)
	edits, ok := typedAxes(w, m, flow.Auto)
	if !ok {
		return nil
	}
	return w.fix("Make the axes Auto", analyzers.Unsafe, edits...)
}

// typedAxes makes all axes of a mesh those of one type where the mesh is made: in place of the types that stand there, if any.
func typedAxes(w *writer, m *flow.Mesh, kind flow.AxisType) ([]analyzers.Edit, bool) {
	argument := axisTypes(w, m, kind)
	for i, a := range m.At.File.Syntax.Arguments(m.At.Node) {
		if a.Name == "axis_types" || a.Name == "" && i == 2 && m.Maker == "jax.make_mesh" {
			if handedInWithin(flow.Ref{File: m.At.File, Node: a.Value}) {
				return nil, false // the callers choose
			}
			return []analyzers.Edit{replaced(flow.Ref{File: m.At.File, Node: a.Value}, strings.TrimPrefix(argument, "axis_types="))}, true
		}
	}
	return withArgument(m.At, argument)
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
			Fixes:   openFixes(facts, m),
		})
	}
	report := func(a *flow.Arg, where string) {
		if a == nil {
			return
		}
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			s, _ := specOf(l)
			if s == nil || explicit[s] {
				continue
			}
			if _, ok := unconstrainedEntry(s); !ok {
				continue
			}
			var mesh *flow.Mesh
			if sharding, isSharding := l.(*flow.Sharding); isSharding {
				mesh = sharding.Mesh
			}
			out.report(a.At, analyzers.Finding{
				Message: fmt.Sprintf("P.UNCONSTRAINED in %s of %s: only a constraint may leave a dimension open; name an axis or write None", s, where),
				Fixes:   closed(facts, s, mesh),
			})
			return
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
