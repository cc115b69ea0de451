package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd309() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD309", Name: "closed-over-array", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a jitted function captures a large array instead of taking it as an argument",
		Doc: analyzers.Documentation{
			Finds:   "An array of 64 KiB or more that was made outside of a jitted function and is used inside it without being passed: a global, a variable of the enclosing function, or an argument bound by partial.",
			Matters: "The array becomes a constant of the compiled program: 2 MB of text for 512x512 floats, its sharding is ignored, and without another sharded argument the call runs on one device. With several processes it raises RuntimeError.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.device_put(np.ones((512, 512), np.float32), rows)
forward = jax.jit(lambda x: x @ params)
forward(jnp.ones((4, 512)))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.device_put(np.ones((512, 512), np.float32), rows)
forward = jax.jit(lambda p, x: x @ p)
forward(params, jnp.ones((4, 512)))
`,
			Ignore: "For constants that are meant to be folded, such as small tables.",
		},
		Needles: jitNeedles(),
		Check:   checkClosedOver,
	}
}

// closedOverLimit keeps small tables out: below it a constant costs little.
const closedOverLimit = 64 << 10

func checkClosedOver(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, e := range facts.Named("call.jit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil || e.Region.UnderJit() {
			continue
		}
		if bound, ok := t.Fn.(*flow.Partial); ok {
			for _, a := range append(append([]flow.Arg{}, bound.Pos...), bound.Kw...) {
				if array, ok := a.Value.(*flow.Array); ok && largeArray(array) && !array.Static {
					out.report(t.Make.At, closedOver(a.At.Text()))
				}
			}
		}
	}
	passed := map[*flow.Region]map[*flow.Event]bool{}
	for _, e := range facts.Events {
		jit := e.Region.Find(flow.JitRegion)
		if jit == nil || jit.Call == nil || jit.Parent.UnderJit() {
			continue
		}
		if passed[jit] == nil {
			passed[jit] = makersOf(jit.Call)
		}
		for _, a := range operandsOf(e) {
			if a.Made == nil || a.Made.Region.Traced() || passed[jit][a.Made] || !largeArray(a) || a.Static {
				continue
			}
			reportCaptured(out, e, jit, a)
		}
	}
}

// makersOf are the calls that made the arrays which a jit gets as arguments.
func makersOf(call *flow.Event) map[*flow.Event]bool {
	out := map[*flow.Event]bool{}
	args := append(append([]flow.Arg{}, call.Pos...), call.Kw...)
	if t, ok := call.Callee.(*flow.Transformed); ok {
		if bound, ok := t.Fn.(*flow.Partial); ok { // reported on its own
			args = append(append(args, bound.Pos...), bound.Kw...)
		}
	}
	for _, a := range args {
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			if array, ok := l.(*flow.Array); ok && array.Made != nil {
				out[array.Made] = true
			}
		}
	}
	return out
}

func operandsOf(e *flow.Event) []*flow.Array {
	var out []*flow.Array
	if a, ok := e.Recv.(*flow.Array); ok {
		out = append(out, a)
	}
	for _, arg := range e.Pos {
		if a, ok := arg.Value.(*flow.Array); ok {
			out = append(out, a)
		}
	}
	return out
}

func largeArray(a *flow.Array) bool {
	return a.Size() >= 0 && a.Size()*itemSize(a.DType) >= closedOverLimit
}

func closedOver(name string) analyzers.Finding {
	return analyzers.Finding{Message: fmt.Sprintf("the jitted function captures %s, which becomes a constant of the program and loses its sharding; pass it as an argument", name)}
}

// reportCaptured reports a captured array: at the use in a function that jit decorates, at the jit of a lambda.
func reportCaptured(out *once, e *flow.Event, jit *flow.Region, a *flow.Array) {
	t, ok := jit.Call.Callee.(*flow.Transformed)
	if !ok || t.Make == nil {
		return
	}
	f, isFunc := t.Fn.(*flow.Func)
	if !isFunc {
		return
	}
	name := capturedName(f, a)
	if name == "" {
		return
	}
	if isKind(f.At, pyparse.KindLambda) {
		out.report(t.Make.At, closedOver(name))
		return
	}
	if f.At.Contains(e.At) {
		out.report(e.At, closedOver(name))
	}
}

// capturedName finds the free variable of a function that holds the array; "" where none is seen.
func capturedName(f *flow.Func, a *flow.Array) string {
	s := f.At.File.Syntax
	inner := s.ScopeOpenedBy(f.At.Node)
	for n := range s.Descendants(f.At.Node) {
		if !s.Is(n, pyparse.KindIdentifier) {
			continue
		}
		symbol := s.Resolve(n)
		if symbol == nil || symbol.Scope == inner || len(symbol.Bindings) == 0 {
			continue
		}
		if a.Label == symbol.Name || boundTo(s, symbol, a) {
			return symbol.Name
		}
	}
	return ""
}

// boundTo reports whether the symbol is bound by the statement in which the array was made.
func boundTo(s *pyparse.File, symbol *pyparse.Symbol, a *flow.Array) bool {
	if a.Made == nil || !a.Made.At.Valid() || a.Made.At.File.Syntax != s {
		return false
	}
	statement := s.EnclosingStatement(a.Made.At.Node)
	for _, b := range symbol.Bindings {
		if s.Contains(statement, b.Node) {
			return true
		}
	}
	return false
}
