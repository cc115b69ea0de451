package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd304() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD304", Name: "init-without-out-shardings", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a jitted initialiser makes arrays on one device in a program that shards",
		Doc: analyzers.Documentation{
			Finds:   "A jit without out_shardings whose outputs depend on nothing but PRNG keys, scalars and shapes, and that has no constraint inside, in a program that uses shardings.",
			Matters: "Its outputs land on one device, not on all: arguments that only give shapes are pruned. A state made so fills one device, and has to be moved.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.jit(lambda key: jax.random.normal(key, (64, 64)))(jax.random.key(0))
x = jax.device_put(np.ones((8, 64), np.float32), rows)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.jit(lambda key: jax.random.normal(key, (64, 64)), out_shardings=rows)(jax.random.key(0))
x = jax.device_put(np.ones((8, 64), np.float32), rows)
`,
			Ignore: "When the arrays are small, or are meant to live on one device.",
		},
		Needles: jitNeedles(),
		Check:   checkInitSharding,
	}
}

func checkInitSharding(p *analyzers.Pass) {
	facts := p.Facts()
	if !shardsSomething(facts) {
		return
	}
	out := newOnce(p)
	for _, e := range facts.Named("call.jit", "call.pjit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil || t.Value(2, "out_shardings") != nil || t.Value(1, "in_shardings") != nil || e.Region.UnderJit() || e.Region.Open() ||
			e.Context.New != nil || !e.Context.NewKnown || e.Context.Legacy != nil || constrainedInside(facts, e) || !madeFromNothing(e) {
			continue
		}
		out.report(t.Make.At, analyzers.Finding{Message: "the arrays that this jit makes depend on no sharded argument and land on one device; pass out_shardings"})
	}
}

// shardsSomething reports whether the program places an array on a mesh.
func shardsSomething(facts *flow.Facts) bool {
	for _, place := range facts.Placements {
		if place.Spec != nil && len(place.Spec.Axes()) > 0 {
			return true
		}
	}
	return false
}

// constrainedInside reports whether a constraint stands in the body of this call.
func constrainedInside(facts *flow.Facts, call *flow.Event) bool {
	for _, place := range facts.Placements {
		for r := place.Event.Region; r != nil; r = r.Parent {
			if r.Call == call {
				return true
			}
		}
	}
	return false
}

// madeFromNothing reports whether a call returns arrays, and either all of them come from constructors or nothing but keys
// and scalars went in.
func madeFromNothing(e *flow.Event) bool {
	outputs, known := flow.Leaves(e.Body)
	if e.Body == nil || !known {
		return false
	}
	large, constructed := false, true
	for _, o := range outputs {
		a, ok := flow.AsArray(o)
		if !ok || a.Tree || a.Key {
			return false
		}
		large = large || a.Rank() > 0
		constructed = constructed && (a.Rank() == 0 || isConstructor(a.Made))
	}
	return large && (constructed || onlyKeys(e))
}

func isConstructor(e *flow.Event) bool {
	if e == nil {
		return false
	}
	switch e.Name {
	case "jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.full", "jax.numpy.empty", "jax.numpy.zeros_like", "jax.numpy.ones_like", "jax.numpy.full_like",
		"jax.numpy.eye", "jax.numpy.arange", "jax.numpy.linspace":
		return true
	}
	return strings.HasPrefix(e.Name, "jax.random.") && e.Name != "jax.random.key" && e.Name != "jax.random.PRNGKey" && e.Name != "jax.random.split"
}

// onlyKeys reports whether the arguments are keys, scalars and objects without arrays, and at least one is a key.
func onlyKeys(e *flow.Event) bool {
	key := false
	args := append(append([]flow.Arg{}, e.Pos...), e.Kw...)
	for _, a := range args {
		switch v := a.Value.(type) {
		case *flow.Array:
			if !v.Key && v.Rank() != 0 {
				return false
			}
			key = key || v.Key
		case flow.Int, flow.Float, flow.Bool, *flow.Str, flow.None, *flow.Instance:
		default:
			return false
		}
	}
	return key
}
