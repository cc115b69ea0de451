package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd304() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD304", Name: "init-without-out-shardings", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a jitted initializer makes arrays on one device in a program that shards",
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
			FixSafety: "The fix passes out_shardings, or constrains what the method returns where the sharding is an attribute, with a sharding over several devices that the program uses elsewhere and that divides every output; each such sharding is one fix. It is unsafe: another layout may be meant.",
			Ignore:    "When the arrays are small, or are meant to live on one device.",
		},
		Needles:  jitNeedles(),
		Requires: [][]string{layoutNeedles()},
		Check:    checkInitSharding,
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
		out.report(t.Make.At, analyzers.Finding{
			Message: "the arrays that this jit makes depend on no sharded argument and land on one device; pass out_shardings",
			Fixes:   initFixes(p, e, t),
		})
	}
}

// initFixes gives the outputs of an initializer a sharding that the program uses and that divides them all: in the jit, or in the body
// where the sharding has no name at the jit, as in a method.
func initFixes(p *analyzers.Pass, e *flow.Event, t *flow.Transformed) []analyzers.Fix {
	var arrays []*flow.Array
	leaves, complete := flow.Leaves(e.Body)
	for _, l := range leaves {
		a, _ := flow.AsArray(l)
		arrays = append(arrays, a)
	}
	if !complete {
		return nil
	}
	fixes := alternatives("Make the arrays as", spreadTexts(p.Facts(), arrays, t.Make.At), func(text string) []analyzers.Edit {
		return jitArgument(p.JAX, t, "out_shardings="+text)
	})
	if len(fixes) > 0 {
		return fixes
	}
	fn, ok := t.Fn.(*flow.Func)
	if bound, isBound := t.Fn.(*flow.Bound); isBound {
		fn, ok = bound.Fn.(*flow.Func)
	}
	if !ok {
		return nil
	}
	value := onlyReturned(fn.At)
	constraint := ""
	if value.Valid() {
		constraint = spelling(value.File.Syntax, "jax.lax.with_sharding_constraint")
	}
	if constraint == "" {
		return nil
	}
	return alternatives("Constrain the arrays to", spreadTexts(p.Facts(), arrays, value), func(text string) []analyzers.Edit {
		return []analyzers.Edit{inserted(value, constraint+"("), appended(value, ", "+text+")")}
	})
}

// onlyReturned is the expression that a function returns, invalid where it has several return statements or returns nothing.
func onlyReturned(fn flow.Ref) flow.Ref {
	s := fn.File.Syntax
	if s.Is(fn.Node, pyparse.KindLambda) {
		return flow.Ref{File: fn.File, Node: s.Body(fn.Node)}
	}
	found := pyparse.None
	for n := range s.Descendants(s.Body(fn.Node)) {
		if !s.Is(n, pyparse.KindReturnStatement) || s.EnclosingFunction(n) != fn.Node {
			continue
		}
		if found != pyparse.None {
			return flow.Ref{}
		}
		found = n
	}
	if found == pyparse.None || len(s.ChildList(found)) != 1 || s.Is(s.FirstChild(found), pyparse.KindExpressionList) {
		return flow.Ref{}
	}
	return flow.Ref{File: fn.File, Node: s.FirstChild(found)}
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
	if initialized(e.Body) {
		return onlyFresh(e)
	}
	outputs, known := flow.Leaves(e.Body)
	if e.Body == nil || !known {
		return false
	}
	large, constructed, small, fresh := false, true, true, true
	for _, o := range outputs {
		a, ok := flow.AsArray(o)
		if !ok || a.Tree || a.Key {
			return false
		}
		large = large || a.Rank() > 0
		small = small && a.Size() >= 0 && a.Size()*itemSize(a.DType) < 1<<10
		constructed = constructed && (a.Rank() == 0 || isConstructor(a.Made))
		fresh = fresh && a.Commit == flow.Fresh && a.Sharding == nil
	}
	key, only := onlyKeys(e)
	return large && !small && (constructed || only && (key || fresh))
}

// initialized reports whether a value is the variables that the init method of a Flax module made.
func initialized(v flow.Value) bool {
	a, ok := v.(*flow.Array)
	return ok && a.Tree && a.Made != nil && strings.HasPrefix(a.Made.Name, "flax.linen.") && lastName(a.Made.Name) == "init"
}

// onlyFresh reports whether all arguments are keys and arrays that live on no mesh, as the example batch of an init does.
func onlyFresh(e *flow.Event) bool {
	for _, a := range append(append([]flow.Arg{}, e.Pos...), e.Kw...) {
		leaves, complete := flow.Leaves(a.Value)
		for _, l := range leaves {
			if x, ok := l.(*flow.Array); ok && (x.Commit != flow.Fresh || x.Sharding != nil) {
				return false
			}
		}
		if !complete {
			return false
		}
	}
	return true
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

// onlyKeys reports whether the arguments are keys, scalars and objects without arrays, and whether one is a key.
func onlyKeys(e *flow.Event) (key, only bool) {
	args := append(append([]flow.Arg{}, e.Pos...), e.Kw...)
	for _, a := range args {
		switch v := a.Value.(type) {
		case *flow.Array:
			if !v.Key && v.Rank() != 0 {
				return false, false
			}
			key = key || v.Key
		case flow.Int, flow.Float, flow.Bool, *flow.Str, flow.None, *flow.Instance:
		default:
			return false, false
		}
	}
	return key, true
}
