package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd801() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD801", Name: "logical-constraint-noop", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a logical constraint of Flax returns its input because no mesh or no rules are active",
		Doc: analyzers.Documentation{
			Finds: "A call of flax.linen.with_logical_constraint under `with mesh:` and without mesh=, or with a mesh but without active rules or rules=. " +
				"A place that some other visible call reaches with rules is left alone, and so are missing rules where the configuration states some (logical-axis-rules).",
			Matters: "Nothing raises: the constraint returns its input and the array stays where it was. Since Flax 0.12.2 the constraint sees the mesh of jax.set_mesh only; " +
				"under `with mesh:` a result that should be spread over 8 devices was left on one.",
			Example: `import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
rules = (("batch", "data"), ("embed", None))


@jax.jit
def block(x):
    return nn.with_logical_constraint(x * 2, ("batch", "embed"))


with mesh, nn.logical_axis_rules(rules):
    block(jnp.ones((8, 4)))
`,
			Instead: `import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
rules = (("batch", "data"), ("embed", None))


@jax.jit
def block(x):
    return nn.with_logical_constraint(x * 2, ("batch", "embed"))


with jax.set_mesh(mesh), nn.logical_axis_rules(rules):
    block(jnp.ones((8, 4)))
`,
			FixSafety: "The fix writes jax.set_mesh. It is unsafe: pjit raises under set_mesh, and fresh arrays are placed on the mesh.",
			Ignore:    "With a Flax before 0.12.2, which reads `with mesh:`.",
		},
		Needles: []string{"with_logical_constraint", "linen.partitioning", "linen import partitioning"},
		Check:   checkLogicalNoop,
	}
}

// noopKind says why a logical constraint does nothing.
type noopKind uint8

const (
	constrains noopKind = iota // or nothing is known
	noRules
	legacyMesh
	noMesh
	onOneDevice // there is no mesh, and nothing has to be constrained
)

func checkLogicalNoop(p *analyzers.Pass) {
	if entersElsewhere(p) {
		return
	}
	out := newOnce(p)
	for _, events := range byPlace(p.Facts().Named("flax.linen.with_logical_constraint")) {
		all, first, idle := true, constrains, false
		for _, e := range events {
			kind := noopOf(p, e)
			if kind == legacyMesh {
				out.report(e.Context.LegacyAt, unseenMesh(p, e))
			}
			switch {
			case kind == constrains:
				all = false
			case kind == onOneDevice:
				idle = true
			case first == constrains:
				first = kind
			}
		}
		if !all || idle && first == noMesh { // the same code is meant to run without a mesh too
			continue
		}
		switch first {
		case noRules:
			out.report(events[0].At, analyzers.Finding{Message: "with_logical_constraint returns its input here because no logical axis rules are active; " +
				"call this under `with flax.linen.logical_axis_rules(rules)` or pass rules="})
		case noMesh:
			out.report(events[0].At, analyzers.Finding{Message: "with_logical_constraint returns its input here because no mesh is set; " +
				"call this under `with jax.set_mesh(mesh)` or pass mesh="})
		}
	}
}

func noopOf(p *analyzers.Pass, e *flow.Event) noopKind {
	if e.Splat || e.Guarded || e.Region.Open() || e.Region.InManual() != nil || !given(e.Value(1, "logical_axis_resources")) {
		return constrains
	}
	if jit := e.Region.Find(flow.JitRegion); jit != nil && jit.Call != nil && jit.Call.Name == "jax.eval_shape" {
		return onOneDevice // on none at all
	}
	c := e.Context
	meshGiven := given(e.Value(3, "mesh"))
	legacy := !meshGiven && c.NewKnown && c.New == nil && c.LegacyKnown && c.Legacy != nil
	if len(p.Settings.LogicalRules) == 0 && ruleless(e) { // configured rules are active in code that is not in view
		if meshGiven || c.New != nil || legacy {
			return noRules
		}
		if c.NewKnown && c.LegacyKnown {
			return onOneDevice
		}
		return constrains
	}
	switch {
	case legacy:
		return legacyMesh
	case !meshGiven && c.NewKnown && c.New == nil && c.LegacyKnown && len(p.Facts().Meshes) > 0:
		return noMesh
	}
	return constrains
}

// ruleless reports whether a logical constraint is known to have no rules.
func ruleless(e *flow.Event) bool {
	rules := e.Value(2, "rules")
	if !given(rules) {
		if e.Context.RulesUnknown {
			return false
		}
		rules = e.Context.Rules
	}
	if !given(rules) {
		return true
	}
	entries, complete, ok := flow.Elements(rules)
	return ok && complete && len(entries) == 0
}

func unseenMesh(p *analyzers.Pass, e *flow.Event) analyzers.Finding {
	at := e.Context.LegacyAt
	f := analyzers.Finding{
		Message: fmt.Sprintf("flax's with_logical_constraint does not see a mesh entered with `with %s` (since Flax 0.12.2) and returns its input; write `with jax.set_mesh(%s)` or pass mesh=",
			at.Text(), at.Text()),
		Related: []analyzers.Related{{Span: spanOf(e.At), Message: "this constraint does nothing"}},
	}
	f.Fixes = setMeshInstead(p.Facts(), at)
	return f
}
