package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd209() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD209", Name: "spec-tree-mismatch", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "the specs of shard_map do not match its arguments or results",
		Doc: analyzers.Documentation{
			Finds: "A tuple of in_specs with another length than the arguments, or of out_specs than the results; strings or a list in place of specs; a tuple of out_specs around a single result; in_specs=None. " +
				"One spec for everything is a prefix and fine, and so is a None entry, which hands an argument over unsplit.",
			Matters: "JAX raises ValueError or TypeError when the function is called. in_specs=None as a whole is worse: since 0.7.1 every argument is handed over whole, and an out_spec that names an axis silently repeats the rows (128 for 16).",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def scale(x):
    return x * 3


f = jax.shard_map(scale, mesh=mesh, in_specs=(P("d"),), out_specs=(P("d"),))
f(jnp.arange(8.0))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def scale(x):
    return x * 3


f = jax.shard_map(scale, mesh=mesh, in_specs=(P("d"),), out_specs=P("d"))
f(jnp.arange(8.0))
`,
			FixSafety: "The fixes unwrap a one-element tuple, write P(...) around strings, or P() for None. They apply to code that raises or returns wrong rows, and are unsafe because another layout may be meant.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Needles: []string{"shard_map"},
		Check:   checkSpecTrees,
	}
}

func checkSpecTrees(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Manuals {
		if m.Kind != "shard_map" {
			continue
		}
		if f, ok := inSpecProblem(p, m); ok {
			out.report(m.InArg.At, f)
		}
		for _, run := range m.Calls {
			if f, ok := outSpecProblem(m, run); ok {
				out.report(m.OutArg.At, f)
			}
		}
	}
}

func inSpecProblem(p *analyzers.Pass, m *flow.ManualCall) (analyzers.Finding, bool) {
	if m.InArg == nil {
		return analyzers.Finding{}, false
	}
	spec := func() string { return spelt(m.InArg.At.File, "jax.sharding.PartitionSpec") }
	switch v := m.InArg.Value.(type) {
	case flow.None:
		outcome := "every argument is handed over whole to every device"
		if !p.JAX.AtLeast(0, 7, 1) {
			outcome = fmt.Sprintf("JAX %s refuses it", p.JAX)
		}
		f := analyzers.Finding{Message: fmt.Sprintf("in_specs=None is no replicated spec: %s; write P() for replicated arguments", outcome)}
		if named, known := namedAxes(orNone(m.OutSpecs)); known && len(named) == 0 { // else the arguments are meant to be split too
			f.Fixes = fixOf("Write "+spec()+"()", analyzers.Unsafe, replaced(m.InArg.At, spec()+"()"))
		}
		return f, true
	case *flow.List, *flow.Dict:
		return analyzers.Finding{Message: "in_specs has to be a PartitionSpec or a tuple with one entry for each argument, not a list or a dict"}, true
	case *flow.Str:
		return stringSpecs(m.InArg, spec(), "in_specs"), true
	case *flow.Tuple:
		if allStrings(v) {
			return stringSpecs(m.InArg, spec(), "in_specs"), true
		}
		return countProblem(m, v)
	}
	return analyzers.Finding{}, false
}

func allStrings(t *flow.Tuple) bool {
	strings := 0
	for _, e := range t.Elems {
		switch e.(type) {
		case *flow.Str:
			strings++
		case flow.None:
		default:
			return false
		}
	}
	return strings > 0
}

// stringSpecs is the finding for names where specs belong.
func stringSpecs(a *flow.Arg, spec, where string) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("%s holds strings, not PartitionSpecs; write P(...) around the names", where)}
	switch {
	case isKind(a.At, pyparse.KindTuple):
		f.Fixes = fixOf("Make it a "+spec, analyzers.Unsafe, replaced(a.At, spec+a.At.Text()))
	case isKind(a.At, pyparse.KindString):
		f.Fixes = fixOf("Make it a "+spec, analyzers.Unsafe, replaced(a.At, spec+"("+a.At.Text()+")"))
	}
	return f
}

// countProblem compares the number of specs with the positional parameters of the mapped function.
func countProblem(m *flow.ManualCall, t *flow.Tuple) (analyzers.Finding, bool) {
	least, most, name, ok := arity(m.Fn)
	if !ok || t.Open {
		return analyzers.Finding{}, false
	}
	n := len(t.Elems)
	if n >= least && (most < 0 || n <= most) {
		return analyzers.Finding{}, false
	}
	takes := least
	if n > most && most >= 0 {
		takes = most
	}
	return analyzers.Finding{Message: fmt.Sprintf("in_specs has %d entries, but %s takes %d arguments", n, name, takes)}, true
}

// arity is the number of positional arguments that a function needs and takes; most is -1 for any number.
func arity(fn flow.Value) (least, most int, name string, ok bool) {
	bound := 0
	keywords := map[string]bool{}
	for {
		switch f := fn.(type) {
		case *flow.Bound:
			bound++
			fn = f.Fn
			continue
		case *flow.Partial:
			bound += len(f.Pos)
			for _, a := range f.Kw {
				keywords[a.Name] = true
			}
			fn = f.Fn
			continue
		case *flow.Transformed:
			if f.Kind != "jit" && f.Kind != "checkpoint" {
				return 0, 0, "", false
			}
			fn = f.Fn
			continue
		case *flow.Func:
			return countParams(f, bound, keywords)
		}
		return 0, 0, "", false
	}
}

func countParams(f *flow.Func, bound int, keywords map[string]bool) (least, most int, name string, ok bool) {
	name = f.Name
	if name == "" {
		name = "the lambda"
	}
	for _, p := range f.Params {
		switch {
		case p.Kind == flow.VarArgs:
			most = -1 << 30
		case p.Kind == flow.KeywordOnly || p.Kind == flow.VarKwargs || keywords[p.Name]:
		case bound > 0:
			bound--
		default:
			most++
			if p.Default == nil {
				least++
			}
		}
	}
	return least, max(most, -1), name, true
}

// outSpecProblem compares a tuple of out_specs with what the body returns.
func outSpecProblem(m *flow.ManualCall, run *flow.ManualRun) (analyzers.Finding, bool) {
	if m.OutArg == nil {
		return analyzers.Finding{}, false
	}
	t, ok := m.OutArg.Value.(*flow.Tuple)
	if !ok || t.Open {
		return analyzers.Finding{}, false
	}
	if allStrings(t) {
		return stringSpecs(m.OutArg, spelt(m.OutArg.At.File, "jax.sharding.PartitionSpec"), "out_specs"), true
	}
	switch v := run.Result.(type) {
	case *flow.Array:
		if v.Tree || v.Rank() < 0 && v.Made == nil && v.Input != nil {
			return analyzers.Finding{}, false
		}
		f := analyzers.Finding{Message: fmt.Sprintf("out_specs is a tuple of %d, but the function returns one array; write the spec without the tuple", len(t.Elems))}
		if len(t.Elems) == 1 && isKind(m.OutArg.At, pyparse.KindTuple) {
			inner := flow.Ref{File: m.OutArg.At.File, Node: m.OutArg.At.File.Syntax.FirstChild(m.OutArg.At.Node)}
			f.Fixes = fixOf("Unwrap the tuple", analyzers.Unsafe, replaced(m.OutArg.At, inner.Text()))
		}
		return f, true
	case *flow.Tuple:
		if !v.Open && len(v.Elems) != len(t.Elems) {
			return analyzers.Finding{Message: fmt.Sprintf("out_specs has %d entries, but the function returns %d values", len(t.Elems), len(v.Elems))}, true
		}
	}
	return analyzers.Finding{}, false
}
