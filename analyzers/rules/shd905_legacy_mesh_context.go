package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd905() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD905", Name: "legacy-mesh-context", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.10.1"},
		Summary: "`with mesh:` sets a context that most of JAX no longer reads",
		Doc: analyzers.Documentation{
			Finds: "A mesh used as a context manager: in a with statement, through ExitStack.enter_context, as a decorator, or entered by hand. Functions that nothing visible calls are left alone.",
			Matters: "It warns since JAX 0.10.1. jax.jit with bare specs and device_put with a spec do not see this context and raise; jax.sharding.get_abstract_mesh is empty inside it since 0.7.1, " +
				"and the logical constraints of Flax become no-ops. Only pjit and with_sharding_constraint read it.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with mesh:
    y = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("data")))(jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    y = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("data")))(jnp.ones(8))
`,
			FixSafety: "The fix writes jax.set_mesh. It is unsafe: pjit raises under set_mesh, and fresh arrays are placed on the mesh.",
			Ignore:    "While the block still calls pjit.",
		},
		Needles:  append(flow.Words(), "mesh:", "mesh,", "enter_context("),
		Requires: [][]string{meshNeedles()},
		Check:    checkLegacyContext,
	}
}

func checkLegacyContext(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 10, 1) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("with") {
		if mesh, ok := e.Callee.(*flow.Mesh); ok && !e.Guarded && !e.Region.Open() && mesh.Maker != "" {
			at := enteredMesh(e.At)
			out.report(at, legacyContext(p, at))
		}
	}
	for _, e := range p.Facts().Events {
		if mesh, ok := e.Value(0).(*flow.Mesh); ok && lastName(e.Name) == "enter_context" && !e.Guarded && !e.Region.Open() && mesh.Maker != "" {
			out.report(e.Arg(0).At, legacyContext(p, e.Arg(0).At))
		}
	}
}

// enteredMesh is the mesh in a context manager that a condition chooses, which may be contextlib.nullcontext().
func enteredMesh(at flow.Ref) flow.Ref {
	s := at.File.Syntax
	if choice := s.Unwrap(at.Node); s.Is(choice, pyparse.KindConditionalExpression) {
		parts := s.ChildList(choice)
		for i, other := range []int{2, 0} {
			if len(parts) != 3 {
				break
			}
			if name, ok := s.DottedName(s.Callee(parts[other])); ok && lastName(name) == "nullcontext" {
				return flow.Ref{File: at.File, Node: parts[2*i]}
			}
		}
	}
	return at
}

func legacyContext(p *analyzers.Pass, at flow.Ref) analyzers.Finding {
	wrapped := spelt(at.File, "jax.set_mesh") + "(" + at.Text() + ")"
	f := analyzers.Finding{
		Message: fmt.Sprintf("jit, device_put and get_abstract_mesh do not see a mesh entered with `with %s`, and JAX warns about it since 0.10.1; write `with jax.set_mesh(%s)`",
			at.Text(), at.Text()),
		Confidence: confidence(p.JAX),
	}
	// What jax.set_mesh returns is no decorator, and its __enter__ returns None (JAX 0.10.2). A call of __enter__ has one of __exit__ elsewhere.
	s := at.File.Syntax
	other := s.Is(s.Parent(at.Node), pyparse.KindAsPattern, pyparse.KindDecorator, pyparse.KindAttribute) || s.Is(s.Unwrap(at.Node), pyparse.KindConditionalExpression)
	if len(p.Facts().Named("call.pjit", "jax.experimental.pjit.pjit")) == 0 && !other {
		f.Fixes = fixOf("Use jax.set_mesh", analyzers.Unsafe, replaced(at, wrapped))
	}
	return f
}
