package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd704() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD704", Name: "numpy-into-sharded-jit", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "a NumPy array meets in_shardings in a program for several processes",
		Doc: analyzers.Documentation{
			Finds:   "A call of a jitted function whose in_shardings name a mesh axis for an argument that is a NumPy array, in a program for several processes. Replicated in_shardings take NumPy arrays, and any take arrays of JAX.",
			Matters: "With several processes it raises ValueError: each process holds its own data, and jit can not know which part it is. It works with one.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
step = jax.jit(lambda v: v.sum(), in_shardings=rows)
step(np.ones((16, 3), np.float32))
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
step = jax.jit(lambda v: v.sum(), in_shardings=rows)
step(x)
`,
			FixSafety: "The fix hands the array to jax.make_array_from_process_local_data with the sharding of in_shardings. It is unsafe: it takes the array for the part of this process, where it may hold the whole batch.",
			Ignore:    "In a file that runs with one process only.",
		},
		Needles:  []string{"in_shardings"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkNumpyIntoJit,
	}
}

func checkNumpyIntoJit(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if !manyProcesses(facts) {
		return
	}
	for _, place := range facts.Placements {
		a := place.Array
		if place.Kind != flow.PlaceJitIn || place.Event.Region.Find(flow.SingleRegion) != nil || a == nil || !a.Host || place.Spec == nil || len(place.Spec.Axes()) == 0 || a.Rank() == 0 {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("%s is a NumPy array and in_shardings spread it as %s, which raises with several processes; make it with jax.make_array_from_process_local_data",
			namedArgument(place), place.Spec)}
		if place.Path == "" {
			f.Fixes = argumentPlaced(facts, place, "Make a global array of it", analyzers.Unsafe, func(value, sharding string) string {
				name := spelling(place.Event.At.File.Syntax, "jax.make_array_from_process_local_data")
				if name == "" {
					return ""
				}
				return name + "(" + sharding + ", " + value + ")"
			})
		}
		out.report(place.Event.At, f)
	}
}
