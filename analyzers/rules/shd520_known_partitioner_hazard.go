package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd520() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD520", Name: "known-partitioner-hazard", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a one-element write past the end of a sharded dimension is lost",
		Doc: analyzers.Documentation{
			Finds:   "dynamic_update_slice of extent 1 with a start that is known to lie at or behind the end of a dimension that is sharded. at[].set, negative starts, and larger extents at a traced start are handled right; larger extents at a constant start are lost too where they fit into one shard, and not reported.",
			Matters: "One device clamps the start and writes the last element; the partitioned program writes nothing. The numbers differ silently: seen on JAX 0.4.35, 0.6.2, 0.9.2 and 0.10.2.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("seq",))
cache = jax.device_put(np.zeros(16, np.float32), NamedSharding(mesh, P("seq")))
push = jax.jit(lambda c, v: jax.lax.dynamic_update_slice(c, v[None], (16,)))
push(cache, jnp.float32(7))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("seq",))
cache = jax.device_put(np.zeros(16, np.float32), NamedSharding(mesh, P("seq")))
push = jax.jit(lambda c, v: jax.lax.dynamic_update_slice(c, v[None], (15,)))
push(cache, jnp.float32(7))
`,
			Ignore: "Never: the two results differ.",
		},
		Needles:  []string{"dynamic_update"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkWritePastEnd,
	}
}

func checkWritePastEnd(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.dynamic_update_slice", "jax.lax.dynamic_update_slice_in_dim", "jax.lax.dynamic_update_index_in_dim") {
		into, ok := e.Value(0, "operand").(*flow.Array)
		if !ok || into.Sharding == nil || into.Sharding.Spec == nil {
			continue
		}
		update, _ := e.Value(1, "update").(*flow.Array)
		for dim, start := range startsOf(e, into) {
			size := into.Dim(dim)
			one := e.Name == "jax.lax.dynamic_update_index_in_dim" || update != nil && update.Dim(dim) == 1
			if size < 0 || start < size || !one || dim >= len(into.Sharding.Spec.Entries) || len(into.Sharding.Spec.Entries[dim].Names) == 0 {
				continue
			}
			out.report(e.At, analyzers.Finding{Message: fmt.Sprintf("start %d lies past the end of a sharded dimension of size %d: one device clamps the write to the last element, the partitioned program drops it; write jnp.minimum(start, %d)",
				start, size, size-1)})
		}
	}
}

// startsOf are the known start indices of a write, by dimension.
func startsOf(e *flow.Event, into *flow.Array) map[int]int64 {
	out := map[int]int64{}
	if e.Name != "jax.lax.dynamic_update_slice" {
		start, ok := flow.Integer(e.Value(2, "start_index", "index"))
		axis, known := flow.Integer(e.Value(3, "axis"))
		if ok && known {
			if axis < 0 {
				axis += int64(into.Rank())
			}
			out[int(axis)] = start
		}
		return out
	}
	elems, _, ok := flow.Elements(e.Value(2, "start_indices"))
	if !ok {
		return out
	}
	for dim, v := range elems {
		if start, ok := flow.Integer(v); ok {
			out[dim] = start
		}
	}
	return out
}
