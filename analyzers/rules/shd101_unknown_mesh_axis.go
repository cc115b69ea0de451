package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd101() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD101", Name: "unknown-mesh-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "a PartitionSpec names an axis that its mesh does not have",
		Doc: analyzers.Documentation{
			Finds: "A name in a PartitionSpec that is no axis of the mesh the spec meets: in NamedSharding, in a constraint under a mesh context, in the specs of shard_map and in shardings of jit. " +
				"Names are followed through constants, defaults, helpers and imports. A spec that never meets a mesh is not judged: many programs keep logical names in specs and translate them later.",
			Matters: "JAX raises ValueError as soon as the spec meets the mesh, for a sharding at once and for a bare spec only when the function is traced, which can be minutes into a job.",
			Example: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
rows = NamedSharding(mesh, P("dat"))
`,
			Instead: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
rows = NamedSharding(mesh, P("data"))
`,
			FixSafety: "The fixes put an axis of the mesh in place of the name, the most similar first. They are unsafe because which one was meant is a guess.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{meshNeedles(), layoutNeedles()},
		Check:    checkUnknownAxis,
	}
}

func checkUnknownAxis(p *analyzers.Pass) {
	var order []*unknownName
	names := map[axisUse]*unknownName{}
	for _, m := range p.Facts().Meets {
		for _, e := range m.Spec.Entries {
			for _, n := range e.Names {
				use := axisUse{n.Name, n.At}
				u := names[use]
				if u == nil {
					u = &unknownName{name: n, paths: map[string]*flow.Meet{}}
					names[use] = u
					order = append(order, u)
				}
				_, has := m.Mesh.Axis(n.Name)
				u.meets(m, has || !m.Mesh.Known)
			}
		}
	}
	out := newOnce(p)
	for _, u := range order {
		n, meet := u.name, u.missing()
		if meet == nil {
			continue
		}
		f := unknownAxis(n, meet, renamedPlace(n, order), besides(n, meet, order))
		if u.found { // another name would be wrong for the others
			f.Fixes = nil
		}
		out.report(n.At, f)
	}
}

// axisUse is an axis name and the expression that stands for it in a spec.
type axisUse struct {
	name string
	at   flow.Ref
}

// unknownName is an axis name in a spec and the ways in which the spec meets meshes: paths holds the meet of each way on which no mesh
// had the axis, nil once one had it. Meshes that one way can hold, after a branch, are alternatives; two calls are not.
type unknownName struct {
	name  flow.AxisName
	found bool // on some way
	paths map[string]*flow.Meet
	order []string
}

func (u *unknownName) meets(m *flow.Meet, has bool) {
	path := callPath(m.Event)
	_, seen := u.paths[path]
	u.found = u.found || has
	switch {
	case has:
		u.paths[path] = nil
	case !seen:
		u.paths[path] = m
	}
	if !seen {
		u.order = append(u.order, path)
	}
}

// missing is the first meet on a way on which no mesh has the axis.
func (u *unknownName) missing() *flow.Meet {
	for _, path := range u.order {
		if m := u.paths[path]; m != nil && (path != "" || !u.found) {
			return m
		}
	}
	return nil
}

// callPath names the calls by which an event was reached, innermost first. Ways that are not all visible are one.
func callPath(e *flow.Event) string {
	if e == nil || e.Region.Open() {
		return ""
	}
	var b strings.Builder
	for u := e.Unit; u != nil; u = u.Caller {
		path, start, end := u.Call.Span()
		fmt.Fprintf(&b, "%s:%d:%d ", path, start, end)
	}
	return b.String()
}

// renamedPlace is where another name belongs: the string itself where it is one of several that come to the same expression, or a setting
// that is wrong wherever it is used.
func renamedPlace(n flow.AxisName, all []*unknownName) flow.Ref {
	several, right := false, false
	for _, u := range all {
		several = several || u.name.At == n.At && u.name.Name != n.Name
		right = right || u.name.Written == n.Written && u.found
	}
	return namePlace(n.At, n.Written, several, right)
}

// besides lists the axes that stand in one spec with a name, wherever the place where it is written leads to.
func besides(n flow.AxisName, meet *flow.Meet, all []*unknownName) flow.AxisSet {
	used := meet.Spec.Axes()
	for _, u := range all {
		if u.name.Written != n.Written {
			continue
		}
		for _, m := range u.paths {
			if m != nil {
				used = used.Union(m.Spec.Axes())
			}
		}
	}
	return used
}

func unknownAxis(name flow.AxisName, meet *flow.Meet, place flow.Ref, used flow.AxisSet) analyzers.Finding {
	mesh := meet.Mesh
	f := analyzers.Finding{}
	near := nearest(name.Name, mesh.Names())
	hint := ""
	if near != "" && !used.Has(near) {
		hint = fmt.Sprintf("; did you mean %s?", quote(near))
	}
	f.Message = fmt.Sprintf("%s is no axis of %s, which has %s%s", quote(name.Name), mesh.Label(), quotes(mesh.Names()), hint)
	if mesh.At.Valid() {
		f.Related = []analyzers.Related{{Span: spanOf(mesh.At), Message: "the mesh is made here"}}
	}
	if !isKind(place, pyparse.KindString, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return f
	}
	offer := func(axis string) {
		f.Fixes = append(f.Fixes, analyzers.Fix{
			Title: fmt.Sprintf("Write %s", quote(axis)), Safety: analyzers.Unsafe,
			Edits: []analyzers.Edit{replaced(place, literal(axis, place))},
		})
	}
	if near != "" && !used.Has(near) {
		offer(near)
	}
	for _, axis := range mesh.Names() {
		if axis != near && !used.Has(axis) {
			offer(axis)
		}
	}
	return f
}
