package rules

import (
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd907() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD907", Name: "pmap-in-new-code", Severity: analyzers.Info, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.0"},
		Summary: "pmap is in maintenance; shard_map is its successor",
		Doc: analyzers.Documentation{
			Finds:   "jax.pmap. A pmap that is called under jit is a warning at that call.",
			Matters: "Since JAX 0.8.0 pmap is a wrapper of shard_map and gets no new features. Under jit its collectives and copies are compiled into the surrounding program, which is rarely what was meant; up to 0.7.2 JAX warned.",
			Example: `import jax
import jax.numpy as jnp

total = jax.pmap(lambda x: jax.lax.psum(x, "batch"), axis_name="batch")
`,
			Instead: `import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))
total = jax.shard_map(lambda x: jax.lax.psum(x, "batch"), mesh=mesh, in_specs=P("batch"), out_specs=P())
`,
			Ignore: "In code that works and is not being changed.",
		},
		Needles: []string{"pmap"},
		Check:   checkPmap,
	}
}

func checkPmap(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 0) {
		return
	}
	facts, out := p.Facts(), newOnce(p)
	underJit := map[*flow.ManualCall]bool{}
	for _, m := range facts.Manuals {
		for _, run := range m.Calls {
			if m.Kind == "pmap" && run.Call != nil && entersUnderJit(run.Call) {
				underJit[m] = true
				out.report(run.Call.At, analyzers.Finding{
					Severity: analyzers.Warning,
					Message:  "pmap is called under jit, which compiles its copies and collectives into the surrounding program; use shard_map inside jit",
				})
			}
		}
	}
	for _, m := range facts.Manuals {
		if m.Kind == "pmap" && !underJit[m] && m.Event != nil && m.Event.Name == "jax.pmap" && !oneOfSeveral(m.Event.Fn) && !forwarded(m.Event) {
			out.report(m.Event.At, analyzers.Finding{Message: "pmap gets no new features since JAX 0.8.0; write jax.shard_map with a mesh and specs (its body keeps the leading dimension)"})
		}
	}
}

// entersUnderJit reports whether a call certainly runs under jit. A function between the jit and the call that decides by an
// if whether it comes to the call may ask whether it is being traced.
func entersUnderJit(call *flow.Event) bool {
	jit := call.Region.Find(flow.JitRegion)
	if jit == nil {
		return false
	}
	direct := call.Unit != nil && jit.Call != nil && call.Unit.Call == jit.Call.At
	return direct || !asksFirst(call.At)
}

// forwarded reports whether a call hands on all that a wrapper was given to what a table of backends holds.
func forwarded(e *flow.Event) bool {
	if !isKind(e.Fn, pyparse.KindSubscript) {
		return false
	}
	args := e.At.File.Syntax.Arguments(e.At.Node)
	return len(args) > 0 && !slices.ContainsFunc(args, func(a pyparse.Argument) bool { return a.Kind == pyparse.Positional || a.Kind == pyparse.Keyword })
}

// oneOfSeveral reports whether a called expression is the target of a loop or comprehension, which names one function after the
// other.
func oneOfSeveral(callee flow.Ref) bool {
	s := callee.File.Syntax
	for n := callee.Node; n != pyparse.None; n = s.Parent(n) {
		if s.Is(n, pyparse.KindFunctionDefinition, pyparse.KindLambda) {
			return false
		}
		for c := range s.Children(n) {
			if s.Is(c, pyparse.KindForInClause) && s.Text(s.Child(c, pyparse.FieldLeft)) == callee.Text() {
				return true
			}
		}
		if s.Is(n, pyparse.KindForStatement) && s.Text(s.Child(n, pyparse.FieldLeft)) == callee.Text() {
			return true
		}
	}
	return false
}
