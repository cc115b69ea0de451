package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd310() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD310", Name: "unstable-step-sharding", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a training step compiles twice because its state starts out unplaced",
		Doc: analyzers.Documentation{
			Finds:   "A jitted step without shardings that is called in a loop, rebinds its state, gets an array placed on a mesh beside it, and is first called with a state of fresh arrays that were never placed.",
			Matters: "The first call sees an array without a sharding, the second its own result with one: two compilations, which for a large model is minutes.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
step = jax.jit(lambda w, x: w - 0.1 * (x.T @ (x @ w)))
w = jnp.ones((4, 4))
for _ in range(3):
    x = jax.device_put(np.ones((8, 4), np.float32), rows)
    w = step(w, x)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
step = jax.jit(lambda w, x: w - 0.1 * (x.T @ (x @ w)))
w = jax.device_put(jnp.ones((4, 4)), NamedSharding(mesh, P()))
for _ in range(3):
    x = jax.device_put(np.ones((8, 4), np.float32), rows)
    w = step(w, x)
`,
			Ignore: "When one more compilation does not matter.",
		},
		Needles: jitNeedles(),
		Check:   checkStableSharding,
	}
}

func checkStableSharding(p *analyzers.Pass) {
	out := newOnce(p)
	first := map[flow.Ref]bool{}
	for _, e := range p.Facts().Named("call.jit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || first[e.At] {
			continue
		}
		first[e.At] = true // later iterations see the result of the first
		if t.Value(1, "in_shardings") != nil || t.Value(2, "out_shardings") != nil || e.Region.UnderJit() || !e.Context.NewKnown || e.Context.New != nil || !lexicallyInLoop(e.At) {
			continue
		}
		targets := targetsOf(e.At)
		for _, a := range e.Pos {
			text := a.At.Text()
			if !targets[text] || !unplacedState(a.Value) || !placedBeside(e, text) {
				continue
			}
			out.report(e.At, analyzers.Finding{Message: fmt.Sprintf("%s enters the first step without a sharding and leaves it with one, so the step compiles twice; device_put it with NamedSharding(mesh, P()) before the loop", text)})
		}
	}
}

// unplacedState reports whether a value holds fresh arrays of JAX and nothing that was placed.
func unplacedState(v flow.Value) bool {
	leaves, complete := flow.Leaves(v)
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if ok && (a.Host || a.Commit != flow.Fresh || a.Sharding != nil) {
			return false
		}
	}
	return complete && len(leaves) > 0
}

// placedBeside reports whether another argument is an array spread over a mesh.
func placedBeside(e *flow.Event, state string) bool {
	for _, a := range e.Pos {
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			array, ok := l.(*flow.Array)
			if ok && a.At.Text() != state && array.Commit == flow.Committed && array.Sharding != nil && array.Sharding.Spec != nil && len(array.Sharding.Spec.Axes()) > 0 {
				return true
			}
		}
	}
	return false
}
