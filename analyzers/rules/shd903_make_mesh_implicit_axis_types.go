package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd903() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD903", Name: "make-mesh-implicit-axis-types", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.1"},
		Summary: "make_mesh without axis_types makes Explicit axes, and the code around expects Auto ones",
		Doc: analyzers.Documentation{
			Finds: "jax.make_mesh without axis_types whose mesh reaches code that only works with Auto axes: with_sharding_constraint, jax.shard_map in full manual mode with arguments that are not already placed, " +
				"`with mesh:`, or an operation whose output sharding is ambiguous.",
			Matters: "Since JAX 0.9.0 the default is Explicit; 0.8.1 to 0.8.3 warn and give Auto. A constraint on an Explicit axis raises, from 0.9.1 shard_map raises for arguments with another sharding than their spec, " +
				"and a contraction of two dimensions sharded alike raises. jax.sharding.Mesh makes Auto axes in every release.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",))
f = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data"))))
f(jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
f = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data"))))
f(jnp.ones(8))
`,
			FixSafety: "The fix asks for Auto axes, which is what the call gave before 0.9.0 and what it gives where it is written today without raising. It is safe.",
			Ignore:    "When the code is being moved to explicit sharding; then reshard and out_sharding replace the constraints.",
		},
		Needles: []string{"make_mesh"},
		Check:   checkImplicitAxisTypes,
	}
}

func checkImplicitAxisTypes(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 1) {
		return
	}
	facts := p.Facts()
	if writesExplicitCode(facts) {
		return
	}
	out := newOnce(p)
	for _, m := range facts.Meshes {
		if !m.ImplicitTypes || guardedAt(facts, m.At) {
			continue
		}
		use := needsAuto(facts, m, p.JAX)
		if use == "" {
			continue
		}
		f := analyzers.Finding{
			Message: fmt.Sprintf("make_mesh without axis_types makes Explicit axes since JAX 0.9.0, but %s; write axis_types=(%s.Auto,) * %d",
				use, spelt(m.At.File, "jax.sharding.AxisType"), len(m.Axes)),
			Confidence: confidence(p.JAX),
		}
		if !p.JAX.AtLeast(0, 9, 0) {
			f.Severity = analyzers.Info
		}
		if m.Known && len(m.Axes) > 0 {
			w := writing(m.At.File)
			if edits, ok := typedAxes(w, m, flow.Auto); ok {
				f.Fixes = w.fix("Ask for Auto axes", analyzers.Safe, edits...)
			}
		}
		out.report(m.At, f)
	}
}

// axisTypes is the argument that asks for axes of one type.
func axisTypes(w *writer, m *flow.Mesh, kind flow.AxisType) string {
	written := w.name("jax.sharding.AxisType") + "." + kind.String()
	if len(m.Axes) == 1 {
		return "axis_types=(" + written + ",)"
	}
	return fmt.Sprintf("axis_types=(%s,) * %d", written, len(m.Axes))
}

// writesExplicitCode reports whether the program is written for Explicit axes.
func writesExplicitCode(facts *flow.Facts) bool {
	if len(facts.Named("jax.sharding.reshard", "jax.sharding.explicit_axes", "jax.sharding.auto_axes")) > 0 {
		return true
	}
	for _, e := range facts.Events {
		if e.Value(-1, "out_sharding") != nil {
			return true
		}
	}
	return false
}

// guardedAt reports whether the call at a node stands in a branch that tests for a name or a release.
func guardedAt(facts *flow.Facts, at flow.Ref) bool {
	for _, e := range facts.Named("jax.make_mesh") {
		if e.At == at && e.Guarded {
			return true
		}
	}
	return false
}

// needsAuto says in words what the program does with the mesh that Explicit axes do not allow; "" when nothing is known.
func needsAuto(facts *flow.Facts, m *flow.Mesh, target flow.Release) string {
	for _, place := range facts.Placements {
		if place.Kind == flow.PlaceConstraint && sameMesh(place.Mesh, m) && place.Spec != nil && len(place.Spec.Axes()) > 0 {
			return "with_sharding_constraint takes Auto axes only"
		}
	}
	for _, call := range facts.Manuals {
		if sameMesh(call.Mesh, m) && target.AtLeast(0, 9, 1) && unplacedInput(call) {
			return "jax.shard_map takes arguments on Explicit axes only when they are placed as in_specs say"
		}
	}
	for _, e := range facts.Named("with") {
		if held, ok := e.Callee.(*flow.Mesh); ok && sameMesh(held, m) {
			return "`with " + e.At.Text() + ":` is for Auto axes"
		}
	}
	for _, e := range facts.Events {
		if c := conflictOf(e, target); c != nil && sameMesh(c.mesh, m) {
			return c.what + " raises on Explicit axes"
		}
	}
	return ""
}

func sameMesh(a, b *flow.Mesh) bool {
	return a != nil && b != nil && (a == b || a.At.Valid() && a.At == b.At)
}

// unplacedInput reports whether a fully manual shard_map is called with a fresh array for a spec that names an axis.
func unplacedInput(call *flow.ManualCall) bool {
	if call.Kind != "shard_map" || call.Legacy || call.AxisArg != nil {
		return false
	}
	for _, run := range call.Calls {
		if run.Call == nil {
			continue
		}
		for i, a := range run.Call.Pos {
			array, ok := a.Value.(*flow.Array)
			if !ok || i >= len(run.Specs) || !(array.Host || array.Commit == flow.Fresh) {
				continue
			}
			if spec, ok := run.Specs[i].(*flow.Spec); ok && len(spec.Axes()) > 0 {
				return true
			}
		}
	}
	return false
}
