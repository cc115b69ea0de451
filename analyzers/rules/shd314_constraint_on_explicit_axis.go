package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd314() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD314", Name: "constraint-on-explicit-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError", "AssertionError"},
		JAX:     analyzers.Releases{From: "0.5.3"},
		Summary: "with_sharding_constraint names an axis of Explicit type",
		Doc: analyzers.Documentation{
			Finds:   "with_sharding_constraint whose spec names an Explicit axis of its mesh. Under a context mesh whose axes are all Explicit (JAX 0.7.1 and later) the call is an assertion, so it is reported only where the value is known to have another sharding.",
			Matters: "It raises ValueError: constraints are for Auto axes. On Explicit axes the sharding is part of the type and jax.sharding.reshard changes it.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


@jax.jit
def f(x):
    return jax.lax.with_sharding_constraint(x * 2, jax.sharding.NamedSharding(mesh, P("data")))


f(jnp.ones((8, 4)))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


@jax.jit
def f(x):
    return jax.sharding.reshard(x * 2, jax.sharding.NamedSharding(mesh, P("data")))


f(jnp.ones((8, 4)))
`,
			FixSafety: "The fix calls jax.sharding.reshard for the Explicit axes and keeps the constraint for Auto ones. It is safe: the constraint raises. reshard needs the mesh in context; where the file sets none, the fix adds jax.set_mesh where the mesh is made, which is unsafe, because arrays made after it are placed on the mesh.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"with_sharding_constraint"},
		Requires: [][]string{meshNeedles()},
		Check:    checkExplicitConstraint,
	}
}

func checkExplicitConstraint(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 5, 3) {
		return
	}
	out := newOnce(p)
	for _, place := range p.Facts().Placements {
		e := place.Event
		if place.Kind != flow.PlaceConstraint || e == nil || e.Guarded || place.Mesh == nil || place.Spec == nil {
			continue
		}
		axis := axisOfType(place.Spec, place.Mesh, flow.Explicit)
		// A mesh that got its types by default and is handed over in a NamedSharding is the subject of SHD903.
		if axis == "" || assertionHolds(p.JAX, place) || place.Mesh.ImplicitTypes && e.Context.New == nil {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("with_sharding_constraint takes Auto axes only, and %s of %s is Explicit; use jax.sharding.reshard", quote(axis), place.Mesh.Label())}
		if e.Fn.Valid() && e.Fn.File == e.At.File && flow.Exists("jax.sharding.reshard", p.JAX) {
			f.Fixes = keptExplicit(p.Facts(), place.Mesh, reshardInstead(p.Facts(), place))
		}
		out.report(e.At, f)
	}
}

// keptExplicit adds to fixes that a mesh which is Explicit by default says so: SHD903 offers to make it Auto, and the two must not be
// applied together.
func keptExplicit(facts *flow.Facts, m *flow.Mesh, fixes []analyzers.Fix) []analyzers.Fix {
	if len(fixes) == 0 || !m.ImplicitTypes || !m.Known || len(m.Axes) == 0 || writesExplicitCode(facts) {
		return fixes
	}
	w := writing(m.At.File)
	edits, ok := typedAxes(w, m, flow.Explicit)
	if !ok || w.missing {
		return fixes
	}
	for i := range fixes {
		fixes[i].Edits = append(append(fixes[i].Edits, w.imports...), edits...)
	}
	return fixes
}

// reshardInstead calls reshard for the Explicit axes of a constraint, and keeps the constraint for the others. reshard needs the mesh
// of its sharding in context (JAX 0.10.2); where none is set, the fix sets the mesh where it is made.
func reshardInstead(facts *flow.Facts, place *flow.Placement) []analyzers.Fix {
	e := place.Event
	if isKind(e.At, pyparse.KindCall) && e.At.File.Syntax.Callee(e.At.Node) == e.Fn.Node && !argumentAt(e, 1, "shardings").Valid() {
		return nil // a partial holds the sharding
	}
	reshard := spelt(e.At.File, "jax.sharding.reshard")
	const title = "Use jax.sharding.reshard"
	if place.Mesh.AllAxes(flow.Explicit) || axisOfType(place.Spec, place.Mesh, flow.Auto) == "" {
		edits := []analyzers.Edit{replaced(e.Fn, reshard)}
		if key, ok := keyOf(argumentAt(e, 1, "shardings")); ok {
			edits = append(edits, replaced(key, "out_shardings"))
		}
		switch {
		case e.Context.New != nil || e.Context.Legacy != nil || !e.Context.NewKnown:
			return fixOf(title, analyzers.Safe, edits...)
		case !place.Mesh.At.Valid() || place.Mesh.At.File != e.At.File || !isKind(targetOf(place.Mesh.At), pyparse.KindIdentifier) ||
			place.Mesh.At.File.Syntax.EnclosingFunction(place.Mesh.At.Node) != pyparse.None:
			return nil
		}
		set := spelling(e.At.File.Syntax, "jax.set_mesh")
		line, ok := lineAfter(place.Mesh.At, set+"("+targetOf(place.Mesh.At).Text()+")")
		if set == "" || !ok || !flow.Exists("jax.set_mesh", facts.Release) {
			return nil
		}
		return fixOf(title+" and set the mesh", analyzers.Unsafe, append(edits, line)...)
	}
	x, sharding := argumentAt(e, 0, "x"), argumentAt(e, 1, "shardings")
	explicit, auto := specSource(axesOfType(place, flow.Explicit), e.At), specSource(axesOfType(place, flow.Auto), e.At)
	if e.Context.New == nil || !x.Valid() || !sharding.Valid() || explicit == "" || auto == "" {
		return nil
	}
	return fixOf(title+" for the Explicit axes", analyzers.Safe, replaced(x, reshard+"("+x.Text()+", "+explicit+")"), replaced(sharding, auto))
}

// argumentAt is the expression of an argument that stands in the call itself, invalid where it is not passed.
func argumentAt(e *flow.Event, pos int, name string) flow.Ref {
	if a := e.Arg(pos, name); a != nil && a.At.Valid() && e.At.Contains(a.At) {
		return a.At
	}
	return flow.Ref{}
}

// axesOfType is a placement's spec with the axes of one type alone.
func axesOfType(place *flow.Placement, kind flow.AxisType) *flow.Spec {
	out := &flow.Spec{Known: place.Spec.Known, Open: place.Spec.Open}
	for _, entry := range place.Spec.Entries {
		kept := entry
		kept.Names = nil
		for _, n := range entry.Names {
			if a, ok := place.Mesh.Axis(n.Name); ok && a.Type == kind {
				kept.Names = append(kept.Names, n)
			}
		}
		out.Entries = append(out.Entries, kept)
	}
	return out
}

// axisOfType returns the first axis of the spec that has a type, "" when none has.
func axisOfType(spec *flow.Spec, mesh *flow.Mesh, kind flow.AxisType) string {
	for _, entry := range spec.Entries {
		for _, n := range entry.Names {
			if a, ok := mesh.Axis(n.Name); ok && a.Type == kind {
				return n.Name
			}
		}
	}
	return ""
}

// assertionHolds reports whether the constraint is an assertion, as under a context mesh of Explicit axes alone, that may
// hold.
func assertionHolds(target flow.Release, place *flow.Placement) bool {
	context := place.Event.Context.New
	if context == nil {
		return !place.Event.Context.NewKnown
	}
	if !context.AllAxes(flow.Explicit) || !target.AtLeast(0, 7, 1) {
		return false
	}
	a := place.Array
	if a == nil {
		return true
	}
	if spec, _ := placedSpec(a); spec != nil {
		same, sure := spec.Equivalent(place.Spec)
		return same || !sure
	}
	return a.Sharding != nil || a.Commit != flow.Fresh
}
