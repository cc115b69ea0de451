package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd904() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD904", Name: "shard-map-signature", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"TypeError", "ValueError"},
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "jax.shard_map is called as the older function was",
		Doc: analyzers.Documentation{
			Finds: "jax.shard_map with mesh or specs by position, with check_rep=, with auto=, with axis_names that are no set, or with axis_names that leave out an axis which a spec names.",
			Matters: "jax.shard_map is not jax.experimental.shard_map.shard_map under a new name: mesh and specs are keywords, check_rep became check_vma, and auto, the set of axes left to the compiler, became axis_names, " +
				"the set of axes that are manual. Each of these raises TypeError or ValueError at the call.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
f = jax.shard_map(jnp.cos, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_rep=False)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
f = jax.shard_map(jnp.cos, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False)
`,
			FixSafety: "Names of keywords are added or changed, a tuple becomes a set, auto becomes the other axes of the mesh where they are known. The call raised before; the fixes are safe.",
			Ignore:    "Never: the call raises.",
		},
		Needles: []string{"shard_map"},
		Check:   checkShardMapSignature,
	}
}

func checkShardMapSignature(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 1) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.shard_map") {
		if e.Guarded || handles(e, p.Raises) {
			continue
		}
		if len(e.Pos) > 1 {
			out.report(e.At, positionalSpecs(e))
		}
		for _, a := range e.Kw {
			switch a.Name {
			case "check_rep":
				out.reportOf(a.Name, argumentPlace(a), checkRepKept(a))
			case "auto":
				out.reportOf(a.Name, argumentPlace(a), autoKept(e, a))
			case "axis_names":
				if kind := notASet(a.Value); kind != "" {
					out.reportOf(a.Name, argumentPlace(a), axisNamesNoSet(a, kind))
				}
			}
		}
	}
	for _, m := range p.Facts().Manuals {
		if axis := leftOut(m); axis != "" {
			out.report(argumentPlace(*m.AxisArg), invertedAxes(m, axis))
		}
	}
}

// argumentPlace is the whole keyword argument.
func argumentPlace(a flow.Arg) flow.Ref { return keyword(a.At) }

func positionalSpecs(e *flow.Event) analyzers.Finding {
	f := analyzers.Finding{Message: "jax.shard_map takes mesh, in_specs and out_specs by keyword; by position it raises TypeError"}
	call, first, ok := callOf(e.Fn)
	if !ok {
		return f
	}
	if edits, ok := modernArguments(call, first); ok {
		f.Fixes = fixOf("Pass them by keyword", analyzers.Safe, edits...)
	}
	return f
}

func checkRepKept(a flow.Arg) analyzers.Finding {
	f := analyzers.Finding{Message: "jax.shard_map has no check_rep; it is called check_vma"}
	if key, ok := keyOf(a.At); ok {
		f.Fixes = fixOf("Rename to check_vma", analyzers.Safe, replaced(key, "check_vma"))
	} else if a.Entry.Valid() {
		f.Fixes = entryRenamed(a, "check_vma")
	}
	return f
}

func autoKept(e *flow.Event, a flow.Arg) analyzers.Finding {
	f := analyzers.Finding{Message: "jax.shard_map has no auto; axis_names lists the axes that are manual, which are the others"}
	left, ok := flow.Names(a.Value)
	mesh, isMesh := e.Value(1, "mesh").(*flow.Mesh)
	if !ok || !isMesh || !mesh.Known {
		return f
	}
	var manual []string
	for _, name := range mesh.Names() {
		if !holdsName(left, name) {
			manual = append(manual, name)
		}
	}
	f.Message = fmt.Sprintf("jax.shard_map has no auto; write axis_names={%s}, the axes that are manual", quotes(manual))
	if whole := argumentPlace(a); len(manual) > 0 && whole != a.At {
		f.Fixes = fixOf("Write axis_names", analyzers.Safe, replaced(whole, "axis_names={"+quotedAll(a.At.File, manual)+"}"))
	}
	return f
}

func holdsName(names []*flow.Str, name string) bool {
	for _, n := range names {
		if n.S == name {
			return true
		}
	}
	return false
}

// notASet names the type of a value that axis_names does not take.
func notASet(v flow.Value) string {
	switch v.(type) {
	case *flow.Tuple:
		return "tuple"
	case *flow.List:
		return "list"
	case *flow.Str:
		return "string"
	}
	return ""
}

func axisNamesNoSet(a flow.Arg, kind string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("axis_names of jax.shard_map has to be a set; a %s raises TypeError", kind)}
	text := "set(" + a.At.Text() + ")"
	if kind == "string" {
		text = "{" + a.At.Text() + "}"
	}
	f.Fixes = fixOf("Make it a set", analyzers.Safe, replaced(a.At, text))
	return f
}

// leftOut returns an axis of the mesh that a spec names although axis_names leaves it out.
func leftOut(m *flow.ManualCall) string {
	if m.Kind != "shard_map" || m.Legacy || m.AxisArg == nil || m.Mesh == nil || !m.Mesh.Known {
		return ""
	}
	names, ok := flow.Names(m.AxisArg.Value)
	if _, isSet := m.AxisArg.Value.(*flow.Set); !ok || !isSet {
		return ""
	}
	for _, axis := range namedBySpecs(m) {
		if _, inMesh := m.Mesh.Axis(axis); inMesh && !holdsName(names, axis) {
			return axis
		}
	}
	return ""
}

func namedBySpecs(m *flow.ManualCall) []string {
	var all flow.AxisSet
	for _, tree := range []flow.Value{m.InSpecs, m.OutSpecs} {
		leaves, _ := flow.Leaves(tree)
		for _, l := range leaves {
			if spec, ok := l.(*flow.Spec); ok {
				all = all.Union(spec.Axes())
			}
		}
	}
	return all
}

func invertedAxes(m *flow.ManualCall, axis string) analyzers.Finding {
	named := namedBySpecs(m)
	return analyzers.Finding{
		Message: fmt.Sprintf("a spec names %s, which axis_names leaves to the compiler; axis_names lists the manual axes, so write axis_names={%s}", quote(axis), quotes(named)),
		Fixes:   fixOf("Name the axes of the specs", analyzers.Unsafe, replaced(m.AxisArg.At, "{"+quotedAll(m.AxisArg.At.File, named)+"}")),
	}
}
