package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd313() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD313", Name: "mesh-context-mismatch", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "shard_map gets another mesh than the context holds, or the context is changed inside jit",
		Doc: analyzers.Documentation{
			Finds:   "jax.shard_map(mesh=B) called under jax.set_mesh(A) where A and B differ in axis names or sizes, and set_mesh, use_mesh or get_mesh in code that is traced.",
			Matters: "Both raise ValueError at the call. device_put and constraints with a NamedSharding of another mesh are legal.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
flat = Mesh(np.array(jax.devices()), ("all",))
with jax.set_mesh(mesh):
    f = jax.shard_map(lambda x: x * 2, mesh=flat, in_specs=P("all"), out_specs=P("all"))
    f(jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    f = jax.shard_map(lambda x: x * 2, in_specs=P("data"), out_specs=P("data"))
    f(jnp.ones(8))
`,
			Ignore: "Never: the call raises.",
		},
		Needles: []string{"set_mesh", "use_mesh", "get_mesh"},
		Check:   checkMeshContext,
	}
}

func checkMeshContext(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 1) {
		return
	}
	facts, out := p.Facts(), newOnce(p)
	for _, m := range facts.Manuals {
		if m.Kind != "shard_map" || m.Legacy || m.Mesh == nil || m.Event == nil {
			continue
		}
		for _, run := range m.Calls {
			if run.Call == nil || run.Call.Region.Open() || !differentMesh(run.Call.Context.New, m.Mesh) {
				continue
			}
			at := m.Event.At
			if a := m.Event.Arg(1, "mesh"); a != nil && a.At.Valid() {
				at = keyword(a.At)
			}
			out.report(at, analyzers.Finding{Message: fmt.Sprintf("shard_map gets %s with axes %s, but the context mesh is %s with axes %s; leave mesh= out, or call it outside of set_mesh",
				m.Mesh.Label(), quotes(m.Mesh.Names()), run.Call.Context.New.Label(), quotes(run.Call.Context.New.Names()))})
		}
	}
	for _, e := range facts.Named("jax.set_mesh", "jax.sharding.use_mesh", "jax.sharding.get_mesh") {
		if e.Region.Find(flow.JitRegion, flow.ManualRegion) != nil && !e.Guarded {
			out.report(e.At, analyzers.Finding{Message: fmt.Sprintf("%s inside a function that jit traces raises ValueError; call it outside of jit, around the call", lastName(e.Name))})
		}
	}
}

// differentMesh reports whether two meshes are known to differ in their axes.
func differentMesh(a, b *flow.Mesh) bool {
	if a == nil || b == nil || !a.Known || !b.Known || a.Abstract || b.Abstract || a.Empty || b.Empty {
		return false
	}
	if len(a.Axes) != len(b.Axes) {
		return true
	}
	for i, axis := range a.Axes {
		other := b.Axes[i]
		if axis.Name != other.Name || axis.Size > 0 && other.Size > 0 && axis.Size != other.Size {
			return true
		}
	}
	return false
}
