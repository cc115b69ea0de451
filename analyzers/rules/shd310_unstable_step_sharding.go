package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
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
			FixSafety: "The fix replicates the state over the mesh of the other argument, where it is made or in front of the loop. It is unsafe: the state may be meant to be sharded.",
			Ignore:    "When one more compilation does not matter.",
		},
		Needles:  jitNeedles(),
		Requires: [][]string{layoutNeedles()},
		Check:    checkStableSharding,
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
			beside := placedBeside(e, text)
			if !targets[text] || !unplacedState(a.Value) || beside == nil {
				continue
			}
			out.report(e.At, analyzers.Finding{Fixes: placedFirst(p.Facts(), e, a.At, beside.Sharding.Mesh), Message: fmt.Sprintf("%s enters the first step without a sharding and leaves it with one, so the step compiles twice; device_put it with NamedSharding(mesh, P()) before the loop", text)})
		}
	}
}

// unplacedState reports whether a value holds fresh arrays of JAX and nothing that was placed.
func unplacedState(v flow.Value) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if ok && (a.Host || a.Commit != flow.Fresh || a.Sharding != nil) {
			return false
		}
	}
	return flow.Covered(v) && len(leaves) > 0
}

// placedBeside is an array in another argument that is spread over a mesh, nil where there is none.
func placedBeside(e *flow.Event, state string) *flow.Array {
	for _, a := range e.Pos {
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			array, ok := l.(*flow.Array)
			if ok && a.At.Text() != state && array.Commit == flow.Committed && array.Sharding != nil && array.Sharding.Spec != nil && len(array.Sharding.Spec.Axes()) > 0 {
				return array
			}
		}
	}
	return nil
}

// placedFirst replicates a state over a mesh before the loop that updates it: where it is made, else in front of the loop.
func placedFirst(facts *flow.Facts, step *flow.Event, state flow.Ref, mesh *flow.Mesh) []analyzers.Fix {
	put := spelling(state.File.Syntax, "jax.device_put")
	if put == "" {
		return nil
	}
	if made := onlyOther(state, step.At); made.Valid() {
		if text := replicatedText(facts, mesh, made); text != "" {
			return fixOf("Place it where it is made", analyzers.Unsafe, inserted(made, put+"("), appended(made, ", "+text+")"))
		}
	}
	loop := flow.Ref{File: step.At.File, Node: loopAround(step.At)}
	text := replicatedText(facts, mesh, loop)
	if text == "" {
		return nil
	}
	line, ok := lineBefore(loop, state.Text()+" = "+put+"("+state.Text()+", "+text+")")
	if !ok {
		return nil
	}
	return fixOf("Place it before the loop", analyzers.Unsafe, line)
}

// onlyOther is the value of the one assignment to a name or attribute besides that of a call: in the scope of the name, or in the
// class of the attribute.
func onlyOther(name, call flow.Ref) flow.Ref {
	s := name.File.Syntax
	root := s.EnclosingFunction(name.Node)
	if isKind(name, pyparse.KindAttribute) {
		root = s.EnclosingClass(name.Node)
	}
	root = max(root, 0)
	found, text := pyparse.None, name.Text()
	for n := range s.Descendants(root) {
		if s.Text(n) != text || !s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) || !isTarget(s, n) || isKind(name, pyparse.KindIdentifier) && s.Resolve(n) != s.Resolve(name.Node) {
			continue
		}
		a, ok := s.Assignment(s.Parent(n))
		switch {
		case ok && s.Contains(a.Node, call.Node):
		case !ok && s.Contains(s.EnclosingStatement(n), call.Node):
		case found != pyparse.None || !ok || len(a.Targets) != 1 || a.Operator != "":
			return flow.Ref{}
		default:
			found = a.Value
		}
	}
	if found == pyparse.None || s.Is(found, pyparse.KindExpressionList) {
		return flow.Ref{}
	}
	return flow.Ref{File: name.File, Node: found}
}
