package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd315() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD315", Name: "explicit-api-on-auto-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		JAX:     analyzers.Releases{From: "0.7.0"},
		Summary: "out_sharding or reshard names an axis of Auto type",
		Doc: analyzers.Documentation{
			Finds:   "out_sharding= or jax.sharding.reshard with a spec that names an Auto axis of the context mesh, or of the mesh of a NamedSharding.",
			Matters: "It raises ValueError. On Auto axes the compiler chooses shardings and with_sharding_constraint guides it.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    x = jax.random.normal(jax.random.key(0), (8, 4), out_sharding=P("data"))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    x = jax.jit(lambda k: jax.lax.with_sharding_constraint(jax.random.normal(k, (8, 4)), P("data")))(jax.random.key(0))
`,
			FixSafety: "The fix calls with_sharding_constraint instead of reshard, or on the result without out_sharding. It is safe: without it the call raises.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"out_sharding", "reshard"},
		Requires: [][]string{meshNeedles()},
		Check:    checkExplicitOnAuto,
	}
}

func checkExplicitOnAuto(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		a := e.Arg(-1, "out_sharding")
		api := "out_sharding"
		if e.Name == "jax.sharding.reshard" {
			a, api = e.Arg(1, "out_shardings", "out_sharding"), "reshard"
		}
		if a == nil || e.Guarded || a.Value == nil || e.Name == "jax.sharding.auto_axes" || e.Name == "jax.sharding.explicit_axes" || e.Region.InManual() != nil ||
			e.Region.Find(flow.AxesRegion) != nil {
			continue
		}
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			spec, mesh := specAndMesh(l, e)
			if spec == nil || mesh == nil {
				continue
			}
			if axis := axisOfType(spec, mesh, flow.Auto); axis != "" {
				f := analyzers.Finding{Message: fmt.Sprintf("%s takes Explicit axes only, and %s of %s is Auto; use with_sharding_constraint", api, quote(axis), mesh.Label())}
				if axisOfType(spec, mesh, flow.Explicit) == "" {
					f.Fixes = constraintInstead(e, a)
				}
				out.report(e.At, f)
			}
		}
	}
}

// constraintInstead calls with_sharding_constraint: in place of reshard, or on the result of a function that got out_sharding.
func constraintInstead(e *flow.Event, sharding *flow.Arg) []analyzers.Fix {
	if !isKind(e.At, pyparse.KindCall) || !e.At.Contains(sharding.At) {
		return nil
	}
	constraint := spelling(e.At.File.Syntax, "jax.lax.with_sharding_constraint")
	if constraint == "" {
		return nil
	}
	const title = "Use with_sharding_constraint"
	if e.Name == "jax.sharding.reshard" {
		edits := []analyzers.Edit{replaced(e.Fn, constraint)}
		if key, ok := keyOf(sharding.At); ok {
			edits = append(edits, replaced(key, "shardings"))
		}
		return fixOf(title, analyzers.Safe, edits...)
	}
	drop, ok := argumentDropped(sharding.At)
	if !ok {
		return nil
	}
	return fixOf(title, analyzers.Safe, inserted(e.At, constraint+"("), drop, appended(e.At, ", "+sharding.At.Text()+")"))
}

// specAndMesh resolves a spec or a sharding: a bare spec by the context mesh.
func specAndMesh(v flow.Value, e *flow.Event) (*flow.Spec, *flow.Mesh) {
	switch v := v.(type) {
	case *flow.Spec:
		if e.Context.NewKnown {
			return v, e.Context.New
		}
	case *flow.Sharding:
		return v.Spec, v.Mesh
	}
	return nil, nil
}
