package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd312() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD312", Name: "pspec-without-mesh-context", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
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
			Ignore: "Never: the call raises.",
		},
		Needles: specNeedles(),
		Check:   checkSpecContext,
	}
}

func checkSpecContext(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if e.Guarded || e.Region.Open() {
			continue
		}
		switch e.Name {
		case "jax.lax.with_sharding_constraint":
			if mesh, known := e.Context.Mesh(); known && mesh == nil && holdsSpec(e.Value(1, "shardings")) {
				out.report(e.At, withoutContext("with_sharding_constraint finds no mesh for a bare PartitionSpec", e))
			}
		case "jax.device_put":
			if e.Context.New == nil && e.Context.NewKnown && holdsSpec(e.Value(1, "device")) {
				out.report(e.At, withoutContext("device_put finds no mesh for a bare PartitionSpec", e))
			}
		case "call.jit", "call.pjit":
			checkJitContext(out, p.JAX, e)
		}
	}
}

// checkJitContext reports a jit or pjit with bare specs whose call finds no mesh, at the place where it was made.
func checkJitContext(out *once, target flow.Release, e *flow.Event) {
	t, ok := e.Callee.(*flow.Transformed)
	if !ok || t.Make == nil || !holdsSpec(t.Value(1, "in_shardings")) && !holdsSpec(t.Value(2, "out_shardings")) {
		return
	}
	if e.Name == "call.pjit" {
		if e.Context.Legacy == nil && e.Context.LegacyKnown {
			out.report(t.Make.At, analyzers.Finding{Message: "pjit resolves bare PartitionSpecs in `with mesh:` only, and this call runs outside of one; use jax.jit under jax.set_mesh(mesh), or NamedSharding(mesh, spec)"})
		}
		return
	}
	if e.Context.New == nil && e.Context.NewKnown && target.AtLeast(0, 7, 1) {
		out.report(t.Make.At, withoutContext("jit finds no mesh for a bare PartitionSpec", e))
	}
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

func withoutContext(what string, e *flow.Event) analyzers.Finding {
	advice := "call it under jax.set_mesh(mesh), or write NamedSharding(mesh, spec)"
	if e.Context.Legacy != nil {
		advice = "it does not read `with mesh:`; " + advice
	}
	return analyzers.Finding{Message: what + "; " + advice}
}
