package rules

import (
	"fmt"

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

// unknownName collects what meets one name: every mesh that can reach it has to lack it.
type unknownName struct {
	name  flow.AxisName
	meet  *flow.Meet
	found bool
}

func checkUnknownAxis(p *analyzers.Pass) {
	var order []flow.AxisName
	names := map[flow.AxisName]*unknownName{}
	for _, m := range p.Facts().Meets {
		for _, e := range m.Spec.Entries {
			for _, n := range e.Names {
				u := names[n]
				if u == nil {
					u = &unknownName{name: n, meet: m}
					names[n] = u
					order = append(order, n)
				}
				_, has := m.Mesh.Axis(n.Name)
				u.found = u.found || has || !m.Mesh.Known
			}
		}
	}
	out := newOnce(p)
	for _, n := range order {
		if u := names[n]; !u.found {
			out.report(n.At, unknownAxis(u))
		}
	}
}

func unknownAxis(u *unknownName) analyzers.Finding {
	mesh := u.meet.Mesh
	f := analyzers.Finding{}
	near := nearest(u.name.Name, mesh.Names())
	hint := ""
	if near != "" {
		hint = fmt.Sprintf("; did you mean %s?", quote(near))
	}
	f.Message = fmt.Sprintf("%s is no axis of %s, which has %s%s", quote(u.name.Name), mesh.Label(), quotes(mesh.Names()), hint)
	if mesh.At.Valid() {
		f.Related = []analyzers.Related{{Span: spanOf(mesh.At), Message: "the mesh is made here"}}
	}
	if !isKind(u.name.At, pyparse.KindString, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return f
	}
	used := u.meet.Spec.Axes()
	offer := func(name string) {
		f.Fixes = append(f.Fixes, analyzers.Fix{
			Title: fmt.Sprintf("Write %s", quote(name)), Safety: analyzers.Unsafe,
			Edits: []analyzers.Edit{replaced(u.name.At, literal(name, u.name.At))},
		})
	}
	if near != "" && !used.Has(near) {
		offer(near)
	}
	for _, name := range mesh.Names() {
		if name != near && !used.Has(name) {
			offer(name)
		}
	}
	return f
}
