package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd307() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD307", Name: "arg-sharding-mismatch", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "an array is committed to another sharding than in_shardings asks for",
		Doc: analyzers.Documentation{
			Finds:   "A call of a jitted function with in_shardings whose argument was placed with another spec on the same mesh. NumPy arrays and arrays that were never placed adapt; since set_mesh exists, an array made inside it is placed on the mesh as P().",
			Matters: "jit refuses with ValueError; it does not move committed arrays.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
step = jax.jit(lambda x: x * 2, in_shardings=NamedSharding(mesh, P("data")))
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P()))
step(x)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
step = jax.jit(lambda x: x * 2, in_shardings=NamedSharding(mesh, P("data")))
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data")))
step(x)
`,
			FixSafety: "The fix moves the argument with device_put to what in_shardings say, where that can be written at the call. It is safe: without it the call raises.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"in_shardings"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkArgumentSharding,
	}
}

func checkArgumentSharding(p *analyzers.Pass) {
	out := newOnce(p)
	for _, place := range p.Facts().Placements {
		a := place.Array
		if place.Kind != flow.PlaceJitIn || a == nil || a.Host || a.Static || a.Commit != flow.Committed || place.Event.Region.UnderJit() {
			continue
		}
		if a.Sharding == nil || a.Sharding.Spec == nil || place.Spec == nil || a.Sharding.Mesh == nil || place.Mesh == nil || differentMesh(a.Sharding.Mesh, place.Mesh) {
			continue
		}
		if same, sure := withoutTrivial(a.Sharding.Spec, place.Mesh).Equivalent(withoutTrivial(place.Spec, place.Mesh)); same || !sure {
			continue
		}
		out.report(place.Event.At, analyzers.Finding{
			Message: fmt.Sprintf("%s is placed as %s, but in_shardings asks for %s, and jit does not move placed arrays; device_put it first", namedArgument(place), a.Sharding.Spec, place.Spec),
			Fixes:   argumentPlaced(p.Facts(), place, "Move it with device_put", analyzers.Safe, devicePut(place.Event.At.File)),
		})
	}
}

// withoutTrivial is the spec without the axes of one device, which split nothing: JAX compares how the data is split.
func withoutTrivial(spec *flow.Spec, mesh *flow.Mesh) *flow.Spec {
	out := *spec
	out.Entries = make([]flow.SpecEntry, len(spec.Entries))
	for i, e := range spec.Entries {
		e.Names = slices.DeleteFunc(slices.Clone(e.Names), func(n flow.AxisName) bool { return mesh.Size(n.Name) == 1 })
		out.Entries[i] = e
	}
	return &out
}
