package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd312() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD312", Name: "pspec-without-mesh-context", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"RuntimeError", "ValueError"},
		Summary: "a bare PartitionSpec is used where no mesh context gives its names meaning",
		Doc: analyzers.Documentation{
			Finds:   "A PartitionSpec without a mesh in with_sharding_constraint, device_put, jit or pjit, called where the context that the function reads is known to hold no mesh. jit and device_put read jax.set_mesh only, pjit reads `with mesh:` only, with_sharding_constraint reads both. Functions that nothing visible calls are left alone.",
			Matters: "The call raises RuntimeError, or ValueError from device_put. Since it is raised at the call and not where the spec is written, the traceback often points elsewhere.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with mesh:
    y = jax.jit(lambda x: x * 2, in_shardings=P("data"))(jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    y = jax.jit(lambda x: x * 2, in_shardings=P("data"))(np.ones(8))
`,
			FixSafety: "One fix enters the mesh with jax.set_mesh where the file writes `with mesh:`; another puts the specs into a NamedSharding on the one mesh that the program makes, where it has a name there. Both are unsafe: another mesh may be meant, and under set_mesh fresh arrays are placed on the mesh. " +
				"Under jax.set_mesh the fix calls jax.jit instead of pjit, which is safe: pjit raises there. Where the program makes no mesh, there is no fix.",
			Ignore: "Never: the call raises.",
		},
		Needles: specNeedles(),
		Check:   checkSpecContext,
	}
}

func checkSpecContext(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	for _, e := range facts.Events {
		if e.Guarded || e.Region.Open() {
			continue
		}
		switch e.Name {
		case "jax.lax.with_sharding_constraint":
			if e.Region.Find(flow.ManualRegion) != nil {
				continue // shard_map puts its own mesh into the context of its body
			}
			if mesh, known := e.Context.Mesh(); known && mesh == nil && holdsSpec(e.Value(1, "shardings")) {
				out.report(e.At, withoutContext(facts, "with_sharding_constraint finds no mesh for a bare PartitionSpec", e, e.Arg(1, "shardings")))
			}
		case "jax.device_put":
			if e.Context.New == nil && e.Context.NewKnown && holdsSpec(e.Value(1, "device")) {
				out.report(e.At, withoutContext(facts, "device_put finds no mesh for a bare PartitionSpec", e, e.Arg(1, "device")))
			}
		case "call.jit", "call.pjit":
			checkJitContext(facts, out, p.JAX, e)
		}
	}
}

// checkJitContext reports a jit or pjit with bare specs whose call finds no mesh, at the place where it was made.
func checkJitContext(facts *flow.Facts, out *once, target flow.Release, e *flow.Event) {
	t, ok := e.Callee.(*flow.Transformed)
	if !ok || t.Make == nil || !holdsSpec(t.Value(1, "in_shardings")) && !holdsSpec(t.Value(2, "out_shardings")) {
		return
	}
	if e.Name == "call.pjit" {
		if e.Context.Legacy == nil && e.Context.LegacyKnown {
			out.reportCaused(e, t.Make.At, analyzers.Finding{
				Message: "pjit resolves bare PartitionSpecs in `with mesh:` only, and this call runs outside of one; use jax.jit under jax.set_mesh(mesh), or NamedSharding(mesh, spec)",
				Fixes:   jitInstead(facts, t, e),
			})
		}
		return
	}
	if e.Context.New == nil && e.Context.NewKnown && target.AtLeast(0, 7, 1) {
		out.reportCaused(e, t.Make.At, withoutContext(facts, "jit finds no mesh for a bare PartitionSpec", e, t.Arg(1, "in_shardings"), t.Arg(2, "out_shardings")))
	}
}

// jitInstead calls jax.jit in place of pjit, under a mesh that set_mesh set. An import that nothing else uses goes.
func jitInstead(facts *flow.Facts, t *flow.Transformed, call *flow.Event) []analyzers.Fix {
	at := t.Make.Fn
	if !at.Valid() {
		at = t.Make.At
	}
	if call.Context.New == nil || !isKind(at, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return nil
	}
	name, s := lastName(at.Text()), at.File.Syntax
	jit := spelling(at.File.Syntax, "jax.jit")
	if jit == "" {
		return nil
	}
	edits := []analyzers.Edit{replaced(at, jit)}
	if symbol := s.Resolve(at.Node); isKind(at, pyparse.KindIdentifier) && symbol != nil && len(symbol.Uses) == 1 && len(symbol.Bindings) == 1 {
		for _, imp := range s.Imports {
			if imp.Bound == symbol.Name && imp.Name == name && importsIn(s, imp.Statement) == 1 {
				if statement := wholeStatement(flow.Ref{File: at.File, Node: imp.Statement}); statement.Valid() {
					edits = append(edits, lineDropped(statement))
				}
			}
		}
	}
	placed, ok := freshInputsPlaced(facts, t, call)
	if !ok {
		return nil
	}
	return fixOf("Use jax.jit", analyzers.Safe, append(edits, placed...)...)
}

// freshInputsPlaced moves the arguments of a call that would be placed on the mesh as P() because they are made under set_mesh, to what
// in_shardings say: jit refuses them otherwise. It is false where that can't be written.
func freshInputsPlaced(facts *flow.Facts, t *flow.Transformed, call *flow.Event) ([]analyzers.Edit, bool) {
	var edits []analyzers.Edit
	if t.Value(1, "in_shardings") == nil {
		return nil, true
	}
	for i, a := range call.Pos {
		array, ok := a.Value.(*flow.Array)
		if !ok || array.Host || array.Made == nil {
			continue
		}
		here, there := call.Context, array.Made.Context
		if here.NewAt != there.NewAt || here.LegacyAt != there.LegacyAt || array.Commit != flow.Fresh && len(specAxes(array)) > 0 {
			continue // made outside of the context, or placed
		}
		text, put := inShardingText(facts, t, i, call), spelling(call.At.File.Syntax, "jax.device_put")
		if text == "" || put == "" || !a.At.Valid() || !call.At.Contains(a.At) {
			return nil, false
		}
		edits = append(edits, replaced(a.At, put+"("+a.At.Text()+", "+text+")"))
	}
	return edits, true
}

// specAxes are the axes over which an array is known to be sharded.
func specAxes(a *flow.Array) flow.AxisSet {
	if a.Sharding == nil || a.Sharding.Spec == nil {
		return nil
	}
	return a.Sharding.Spec.Axes()
}

// holdsSpec reports whether a tree of shardings holds a PartitionSpec.
func holdsSpec(v flow.Value) bool {
	if v == nil {
		return false
	}
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		if _, ok := l.(*flow.Spec); ok {
			return true
		}
	}
	return false
}

func withoutContext(facts *flow.Facts, what string, e *flow.Event, shardings ...*flow.Arg) analyzers.Finding {
	advice := "call it under jax.set_mesh(mesh), or write NamedSharding(mesh, spec)"
	if e.Context.Legacy != nil {
		advice = "it does not read `with mesh:`; " + advice
	}
	f := analyzers.Finding{Message: what + "; " + advice}
	if e.Context.Legacy != nil && e.Context.LegacyKnown {
		f.Fixes = setMeshInstead(facts, e.Context.LegacyAt)
		if t, ok := e.Callee.(*flow.Transformed); ok && f.Fixes != nil {
			placed, ok := freshInputsPlaced(facts, t, e)
			f.Fixes[0].Edits = append(f.Fixes[0].Edits, placed...)
			if !ok {
				f.Fixes = nil
			}
		}
	}
	f.Fixes = append(f.Fixes, boundToMesh(facts, shardings)...)
	return f
}

// setMeshInstead enters a mesh with jax.set_mesh where a file writes `with mesh:`; nil where the program calls pjit, which does not read
// that.
func setMeshInstead(facts *flow.Facts, mesh flow.Ref) []analyzers.Fix {
	if !mesh.Valid() || len(facts.Named("call.pjit", "jax.experimental.pjit.pjit")) > 0 {
		return nil
	}
	set := spelling(mesh.File.Syntax, "jax.set_mesh")
	if set == "" || !flow.Exists("jax.set_mesh", facts.Release) {
		return nil
	}
	return fixOf("Use "+set, analyzers.Unsafe, replaced(mesh, set+"("+mesh.Text()+")"))
}

// boundToMesh puts every bare spec of the arguments into a NamedSharding on the one mesh that the program makes, if it has the axes and a
// name there.
func boundToMesh(facts *flow.Facts, shardings []*flow.Arg) []analyzers.Fix {
	mesh := onlyMesh(facts)
	if mesh == nil {
		return nil
	}
	var edits []analyzers.Edit
	for _, a := range shardings {
		if a == nil || !holdsSpec(a.Value) {
			continue
		}
		named, ok := "", a.At.Valid()
		if ok {
			named = spelling(a.At.File.Syntax, "jax.sharding.NamedSharding")
		}
		text := meshText(facts, mesh, a.At)
		if named == "" || text == "" {
			return nil
		}
		for _, at := range specPlaces(a) {
			edits = append(edits, inserted(at, named+"("+text+", "), appended(at, ")"))
		}
		if specPlaces(a) == nil || !hasAxes(mesh, a.Value) {
			return nil
		}
	}
	if edits == nil {
		return nil
	}
	return fixOf("Use NamedSharding("+mesh.Label()+", …)", analyzers.Unsafe, edits...)
}

// onlyMesh is the mesh of a program that makes one.
func onlyMesh(facts *flow.Facts) *flow.Mesh {
	var found *flow.Mesh
	for _, m := range facts.Meshes {
		if m.Maker == "" || m.Empty || m.Abstract {
			continue
		}
		if found != nil && found.At != m.At {
			return nil
		}
		found = m
	}
	return found
}

// specPlaces are the expressions in an argument that are bare specs: the argument itself, or entries of a tuple; nil where one is not
// written there.
func specPlaces(a *flow.Arg) []flow.Ref {
	if _, ok := a.Value.(*flow.Spec); ok {
		return []flow.Ref{a.At}
	}
	elems, complete, ok := flow.Elements(a.Value)
	s := a.At.File.Syntax
	nodes := s.ChildList(s.Unwrap(a.At.Node))
	if !ok || !complete || !isKind(flow.Ref{File: a.At.File, Node: s.Unwrap(a.At.Node)}, pyparse.KindTuple, pyparse.KindList) || len(nodes) != len(elems) {
		return nil
	}
	var places []flow.Ref
	for i, v := range elems {
		if _, bare := v.(*flow.Spec); bare {
			places = append(places, flow.Ref{File: a.At.File, Node: nodes[i]})
		} else if holdsSpec(v) {
			return nil
		}
	}
	return places
}

// hasAxes reports whether a mesh has every axis that the specs of a tree name.
func hasAxes(mesh *flow.Mesh, tree flow.Value) bool {
	leaves, _ := flow.Leaves(tree)
	for _, l := range leaves {
		spec, ok := l.(*flow.Spec)
		if !ok {
			continue
		}
		for _, axis := range spec.Axes() {
			if _, has := mesh.Axis(axis); !has {
				return false
			}
		}
	}
	return mesh.Known
}
