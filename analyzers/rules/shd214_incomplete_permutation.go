package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd214() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD214", Name: "incomplete-permutation", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError", "IndexError"},
		Summary: "the permutation of a ppermute repeats or exceeds an index, or is an iterator used twice",
		Doc: analyzers.Documentation{
			Finds: "Pairs of ppermute in which a source or destination occurs twice or lies outside the axis, and an iterator (zip, map, a generator) as perm that was consumed before or is kept outside of the traced function. " +
				"Missing pairs are fine: who receives nothing gets zeros, which pipelines rely on.",
			Matters: "Repeated and outside indices raise. An iterator is empty the second time: every device then receives zeros, and nothing raises.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"))
def shift(u):
    return jax.lax.ppermute(u, "ring", [(i, i + 1) for i in range(8)])
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"))
def shift(u):
    return jax.lax.ppermute(u, "ring", [(i, (i + 1) % 8) for i in range(8)])
`,
			FixSafety: "For an iterator the fix makes a list of it, which is safe. For a shift by one that runs out of the axis it wraps around, or leaves the last pair out; which one is meant is a guess, so both are unsafe. Repeated indices have no fix.",
			Ignore:    "Never for code that runs: JAX refuses it, or the result is zeros.",
		},
		Needles: []string{"ppermute"},
		Check:   checkPermutation,
	}
}

func checkPermutation(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.ppermute") {
		perm := e.Arg(2, "perm")
		if perm == nil {
			continue
		}
		if it, ok := perm.Value.(*flow.Iterator); ok && e.Reused {
			out.report(e.At, reusedIterator(perm, it))
			continue
		}
		if message := permutationProblem(e, perm.Value); message != "" {
			out.report(e.At, analyzers.Finding{Message: message, Fixes: wrapFixes(e, perm)})
		}
	}
}

func reusedIterator(perm *flow.Arg, it *flow.Iterator) analyzers.Finding {
	f := analyzers.Finding{
		Severity: analyzers.Warning,
		Message:  fmt.Sprintf("perm %s is an iterator (%s) that yields its pairs once: used again it is empty and every device receives zeros; make it a list", shortText(perm.At.Text()), it.Kind),
	}
	if it.At.Valid() && isKind(it.At, pyparse.KindCall, pyparse.KindGeneratorExpression) {
		text := it.At.Text()
		if text != "" && text[0] != '(' {
			text = "(" + text + ")"
		}
		f.Fixes = fixOf("Make a list of it", analyzers.Safe, replaced(it.At, "list"+text))
	}
	return f
}

// wrapFixes changes pairs [(i, i + 1) for i in range(n)], which run out of the axis at its end: the shift wraps around, or the last pair goes.
func wrapFixes(e *flow.Event, perm *flow.Arg) []analyzers.Fix {
	names := axesOf(e)
	at := perm.At
	if isKind(at, pyparse.KindIdentifier) {
		s := at.File.Syntax
		symbol := s.Resolve(at.Node)
		if symbol == nil || len(symbol.Bindings) != 1 || !s.Is(symbol.Bindings[0].Source, pyparse.KindAssignment) {
			return nil
		}
		at = flow.Ref{File: at.File, Node: s.Child(symbol.Bindings[0].Source, pyparse.FieldRight)}
	}
	if !isKind(at, pyparse.KindListComprehension) || len(names) != 1 {
		return nil
	}
	s := at.File.Syntax
	clauses := s.Clauses(at.Node)
	pair := s.Unwrap(s.Body(at.Node))
	ends := s.ChildList(pair)
	if len(clauses) != 1 || !s.Is(pair, pyparse.KindTuple) || len(ends) != 2 {
		return nil
	}
	loop := clauses[0]
	args := s.Arguments(loop.Iter)
	if name, _ := s.DottedName(s.Callee(loop.Iter)); name != "range" || len(args) != 1 {
		return nil
	}
	variable, count := s.Text(loop.Target), args[0].Value
	one, step := s.Unwrap(ends[0]), s.Unwrap(ends[1])
	if s.Text(one) != variable || !isShift(s, step, variable) || !covers(perm, e.Region.AxisSize(names[0])) {
		return nil
	}
	size := s.Text(count)
	if bindsLoosely(flow.Ref{File: at.File, Node: count}) {
		size = "(" + size + ")"
	}
	fixes := fixOf("Wrap around", analyzers.Unsafe, replaced(flow.Ref{File: at.File, Node: step}, "("+s.Text(step)+") % "+size))
	return append(fixes, fixOf("Leave the last pair out", analyzers.Unsafe, appended(flow.Ref{File: at.File, Node: count}, " - 1"))...)
}

// isShift reports whether an expression is the variable plus one.
func isShift(s *pyparse.File, n pyparse.NodeID, variable string) bool {
	if !s.Is(n, pyparse.KindBinaryOperator) || s.Operator(n) != "+" {
		return false
	}
	left, right := s.Text(s.Child(n, pyparse.FieldLeft)), s.Text(s.Child(n, pyparse.FieldRight))
	return left == variable && right == "1" || left == "1" && right == variable
}

// covers reports whether a permutation has one pair for each device of an axis.
func covers(perm *flow.Arg, size int64) bool {
	pairs, complete, ok := flow.Elements(perm.Value)
	return ok && complete && size > 0 && int64(len(pairs)) == size
}

// permutationProblem finds a repeated index, or one outside of the axis.
func permutationProblem(e *flow.Event, v flow.Value) string {
	pairs, complete, ok := flow.Elements(v)
	if !ok || !complete {
		return ""
	}
	size := int64(-1)
	names := axesOf(e)
	if len(names) == 1 {
		size = e.Region.AxisSize(names[0])
	}
	seen := [2]map[int64]bool{{}, {}}
	words := [2]string{"source", "destination"}
	for _, p := range pairs {
		ends, all, isPair := flow.Elements(p)
		if !isPair || !all || len(ends) != 2 {
			return ""
		}
		for side, end := range ends {
			i, known := flow.Integer(end)
			if !known {
				return ""
			}
			switch {
			case size > 0 && (i >= size || i < 0):
				return fmt.Sprintf("%s %d is outside of axis %s, which has %d devices; wrap around with %% %d, or leave the pair out", words[side], i, quote(names[0]), size, size)
			case seen[side][i]:
				return fmt.Sprintf("%s %d occurs twice in perm, but ppermute sends from and to each device at most once; reduce with psum, or gather, to combine several", words[side], i)
			}
			seen[side][i] = true
		}
	}
	return ""
}
