package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd201() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD201", Name: "unbound-collective-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"NameError"},
		Summary: "a collective names an axis that nothing around it binds",
		Doc: analyzers.Documentation{
			Finds: "psum, pmean, ppermute, axis_index and the other functions that take an axis name, on a path on which no shard_map, smap, pmap or vmap(axis_name=...) binds the name. " +
				"A function that nothing in sight calls is not judged: its caller may bind the axis.",
			Matters: "JAX raises NameError, \"unbound axis name\", when the function is traced. It is what is left after a move from pmap to jit, where gradients are global and need no collective.",
			Example: `import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    g = jax.lax.pmean(g, axis_name="batch")
    return w - 0.1 * g


step(jnp.ones((4,)), jnp.ones((8, 4)))
`,
			Instead: `import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.1 * g


step(jnp.ones((4,)), jnp.ones((8, 4)))
`,
			FixSafety: "Under jit the fix drops the reduction, because values are global there; under a mapping it writes the name that is bound. Both are unsafe: what was meant is a guess.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{collectiveNeedles()},
		Check:    checkUnboundAxis,
	}
}

func checkUnboundAxis(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, c := range collectiveAxis {
		for _, e := range facts.Named("jax.lax." + c.name) {
			arg := e.Arg(c.axis, "axis_name")
			if arg == nil {
				continue
			}
			names, _ := flow.AxisNames(arg.Value)
			for _, name := range names {
				if bound, known := e.Region.Bound(name); known && !bound && !namedInSpecs(e.Region.InManual(), name) {
					out.report(e.At, unboundAxis(facts, e, arg, name))
					break
				}
			}
		}
	}
}

// namedInSpecs reports whether the specs of the map name an axis that it does not make manual: then its axis_names are wrong,
// not the collective.
func namedInSpecs(r *flow.Region, axis string) bool {
	if r == nil || r.Map == nil || r.Map.InSpecs == nil {
		return false
	}
	axes, _ := namedAxes(r.Map.InSpecs)
	return axes.Has(axis)
}

// meantAxis is the bound axis that was meant by a name: the one that is spelled alike, or the only one there is; "" where the
// name is another axis of the mesh, which is as good as any.
func meantAxis(r *flow.Region, name string, bound []string) string {
	if m := r.InManual(); m != nil && m.Mesh != nil {
		if _, ok := m.Mesh.Axis(name); ok {
			return ""
		}
	}
	if len(bound) == 1 {
		return bound[0]
	}
	return nearest(name, bound)
}

// boundElsewhere reports whether some collective uses the same string where its axis is bound.
func boundElsewhere(facts *flow.Facts, written flow.Ref) bool {
	for _, e := range facts.Events {
		if !strings.HasPrefix(e.Name, "jax.lax.") {
			continue
		}
		for _, a := range e.Pos {
			if s, ok := a.Value.(*flow.Str); ok && s.At == written {
				if bound, _ := e.Region.Bound(s.S); bound {
					return true
				}
			}
		}
	}
	return false
}

func unboundAxis(facts *flow.Facts, e *flow.Event, arg *flow.Arg, name string) analyzers.Finding {
	var bound []string
	for r := e.Region; r != nil; r = r.Parent {
		bound = append(bound, r.Binds...)
	}
	kind := lastName(e.Name)
	f := analyzers.Finding{}
	if len(bound) > 0 {
		be := "is"
		if len(bound) > 1 {
			be = "are"
		}
		f.Message = fmt.Sprintf("%s over %s, but only %s %s bound here", kind, quote(name), quotes(bound), be)
		if meant := meantAxis(e.Region, name, bound); meant != "" && e.At.Contains(arg.At) {
			var written flow.Ref
			if s, ok := arg.Value.(*flow.Str); ok {
				written = s.At
			}
			if place := namePlace(arg.At, written, false, boundElsewhere(facts, written)); isKind(place, pyparse.KindString, pyparse.KindIdentifier) {
				f.Fixes = fixOf("Write "+quote(meant), analyzers.Unsafe, replaced(place, literal(meant, place)))
			}
		}
		return f
	}
	switch {
	case e.Region.Find(flow.VmapRegion) != nil:
		f.Message = fmt.Sprintf("%s over %s, but nothing binds that axis; give vmap axis_name=%s", kind, quote(name), quote(name))
		if v := e.Region.Find(flow.VmapRegion); v.Call != nil {
			if t, ok := v.Call.Callee.(*flow.Transformed); ok && t.Make != nil {
				if edits, ok := withArgument(t.Make.At, "axis_name="+quoted(t.Make.At.File, name)); ok {
					f.Fixes = fixOf("Name the axis in vmap", analyzers.Unsafe, edits...)
				}
			}
		}
	case e.Region.Find(flow.JitRegion) != nil:
		f.Message = fmt.Sprintf("%s over %s, but nothing binds that axis: under jit values are global and need no collective; drop the call, or map the function with shard_map", kind, quote(name))
		if kind == "pmean" || kind == "psum" {
			f.Fixes = dropped(e, analyzers.Unsafe)
		}
	default:
		f.Message = fmt.Sprintf("%s over %s, but nothing binds that axis; run it inside shard_map or another mapping that does", kind, quote(name))
	}
	return f
}
