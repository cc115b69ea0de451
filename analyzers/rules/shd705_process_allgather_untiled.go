package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd705() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD705", Name: "process-allgather-untiled", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.0"},
		Summary: "process_allgather is called without tiled=",
		Doc: analyzers.Documentation{
			Finds: "A call of jax.experimental.multihost_utils.process_allgather that does not say tiled=. It is an error when the argument is an array of a mesh, and a warning otherwise.",
			Matters: "For an array that spans processes the default raises ValueError since JAX 0.8.0, also for a replicated scalar, and it does so only in the first run with several processes. " +
				"For local arrays it stacks a new axis, which tiled=False says.",
			Example: `import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
metrics = jax.make_array_from_process_local_data(rows, np.ones((jax.local_device_count(), 2)))
gathered = process_allgather(metrics)
`,
			Instead: `import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
metrics = jax.make_array_from_process_local_data(rows, np.ones((jax.local_device_count(), 2)))
gathered = process_allgather(metrics, tiled=True)
`,
			FixSafety: "The fix adds tiled=True. It is unsafe: with one process the result loses its leading axis.",
			Ignore:    "When stacking is wanted; tiled=False says so.",
		},
		Needles: []string{"process_allgather", "multihost_utils"},
		Check:   checkUntiledAllgather,
	}
}

func checkUntiledAllgather(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.experimental.multihost_utils.process_allgather") {
		if e.Splat || e.Guarded || e.Arg(1, "tiled") != nil {
			continue
		}
		f := analyzers.Finding{Severity: analyzers.Warning, Message: "process_allgather without tiled= stacks a new axis for local arrays and raises for arrays that span processes; pass tiled=True, or tiled=False to stack"}
		leaves, _ := flow.Leaves(e.Value(0, "in_tree"))
		if !holdsDeviceArray(e.Value(0, "in_tree")) {
			continue // host values are stacked, one from each process, as it is usually meant
		}
		for _, l := range leaves {
			if a, ok := l.(*flow.Array); ok && !a.Host && a.Sharding != nil && a.Sharding.Mesh != nil && (a.Sharding.Mesh.Devices == nil || !a.Sharding.Mesh.Devices.Local) {
				f.Severity = analyzers.Error
				f.Message = "process_allgather of an array of a mesh raises without tiled=True when there are several processes (since JAX 0.8.0); pass tiled=True"
			}
		}
		if edits, ok := withOwnArgument(e, "tiled=True"); ok && e.Arg(1, "tiled") == nil {
			f.Fixes = fixOf("Pass tiled=True", analyzers.Unsafe, edits...)
		}
		out.report(e.At, f)
	}
}
