package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd316() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD316", Name: "auto-axes-keyword-array", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		JAX:     analyzers.Releases{From: "0.7.0"},
		Summary: "an array sharded on Explicit axes is passed by keyword to a function of auto_axes",
		Doc: analyzers.Documentation{
			Finds:   "A keyword argument, other than out_sharding, of a function wrapped by jax.sharding.auto_axes whose value is an array sharded over an axis of a mesh. Scalars and replicated arrays may be passed by keyword.",
			Matters: "auto_axes casts positional arguments to Auto axes and leaves keywords as they are, so that two meshes meet inside: ValueError.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


@jax.sharding.auto_axes(out_sharding=P("data", None))
def lookup(table, ids):
    return table[ids]


table = jax.sharding.reshard(jnp.ones((64, 16)), P("model", None))
ids = jax.sharding.reshard(jnp.zeros((8,), jnp.int32), P("data"))
lookup(table, ids=ids)
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


@jax.sharding.auto_axes(out_sharding=P("data", None))
def lookup(table, ids):
    return table[ids]


table = jax.sharding.reshard(jnp.ones((64, 16)), P("model", None))
ids = jax.sharding.reshard(jnp.zeros((8,), jnp.int32), P("data"))
lookup(table, ids)
`,
			FixSafety: "The fix drops the name of the argument, and moves it to its place in the parameter list where the order differs. It is safe: without it the call raises.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"auto_axes"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkAutoAxesKeywords,
	}
}

func checkAutoAxesKeywords(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("call.auto_axes") {
		for _, a := range e.Kw {
			array, ok := a.Value.(*flow.Array)
			if spec, _ := placedSpec(array); !ok || a.Name == "out_sharding" || spec == nil || len(spec.Axes()) == 0 {
				continue
			}
			out.report(keyword(a.At), analyzers.Finding{
				Message: fmt.Sprintf("auto_axes leaves keyword arguments on Explicit axes, so the sharded array %s=%s meets Auto axes inside and raises; pass it by position", a.Name, a.At.Text()),
				Fixes:   byPosition(e, a.Name),
			})
		}
	}
}

// byPosition passes an argument by position, with those in front of it in the parameter list that are passed by keyword as well.
func byPosition(e *flow.Event, name string) []analyzers.Fix {
	t, ok := e.Callee.(*flow.Transformed)
	if !ok || e.Splat || !isKind(e.At, pyparse.KindCall) {
		return nil
	}
	params, s := parametersOf(t.Fn), e.At.File.Syntax
	index := slices.Index(params, name)
	args := s.Arguments(e.At.Node)
	if index < 0 {
		return nil
	}
	texts := make([]string, 0, len(args))
	taken := map[int]bool{}
	for i, p := range params[:index+1] {
		found := false
		for k, a := range args {
			if a.Kind == pyparse.Positional && k == i || a.Kind == pyparse.Keyword && a.Name == p {
				texts, taken[k], found = append(texts, s.Text(a.Value)), true, true
			}
		}
		if !found {
			return nil
		}
	}
	inPlace := true
	for k, a := range args {
		if taken[k] != (k <= index) || k <= index && s.Text(a.Value) != texts[k] {
			inPlace = false
		}
		if !taken[k] {
			texts = append(texts, s.Text(a.Node))
		}
	}
	title := "Pass " + name + " by position"
	if !inPlace {
		return fixOf(title, analyzers.Safe, replaced(flow.Ref{File: e.At.File, Node: s.Child(e.At.Node, pyparse.FieldArguments)}, "("+strings.Join(texts, ", ")+")"))
	}
	var edits []analyzers.Edit
	for _, a := range args[:index+1] {
		if a.Kind == pyparse.Keyword {
			edits = append(edits, replaced(flow.Ref{File: e.At.File, Node: a.Node}, s.Text(a.Value)))
		}
	}
	return fixOf(title, analyzers.Safe, edits...)
}
