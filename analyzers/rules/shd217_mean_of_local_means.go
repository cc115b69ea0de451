package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd217() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD217", Name: "mean-of-local-means", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a pmean averages ratios whose denominators differ between devices",
		Doc: analyzers.Documentation{
			Finds:   "pmean over an axis of a quotient whose denominator is a sum of local data that differs along the axis: a masked mean, tokens that are not padding, hits by count. A denominator that is a shape, or that was summed over the axis before, is fine.",
			Matters: "Nothing raises, but the mean of local means is the global mean only if all counts are equal: 7.25 for 8.67, 0.3125 for 0.643 in measured cases. Sum numerator and denominator separately.",
			Example: `from functools import partial

import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
def masked(ce, mask):
    return jax.lax.pmean((ce * mask).sum() / mask.sum(), "data")
`,
			Instead: `from functools import partial

import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
def masked(ce, mask):
    return jax.lax.psum((ce * mask).sum(), "data") / jax.lax.psum(mask.sum(), "data")
`,
			FixSafety: "The fix sums numerator and denominator over the axis; of a count that is clamped, the sum inside. It changes the number, so it is unsafe.",
			Ignore:    "When all shards hold the same number of valid elements.",
		},
		Needles: []string{"pmean"},
		Check:   checkLocalMeans,
	}
}

func checkLocalMeans(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.pmean") {
		leaves, _ := flow.Leaves(e.Value(0, "x"))
		for _, l := range leaves {
			a, ok := l.(*flow.Array)
			if !ok || a.Ratio == nil || a.Ratio.Den.Sum == nil || !a.Ratio.Den.VarKnown || a.Ratio.Den.VarUpper {
				continue
			}
			for _, axis := range axesOf(e) {
				if a.Ratio.Den.Var.Has(axis) && !trivial(e.Region, axis) {
					out.report(e.At, localMeans(e, a.Ratio, axis))
				}
			}
		}
	}
}

func localMeans(e *flow.Event, r *flow.Ratio, axis string) analyzers.Finding {
	den := r.Den.Label
	if den == "" {
		den = r.Den.Sum.At.Text()
	}
	f := analyzers.Finding{Message: fmt.Sprintf("the denominator %s is a sum over local data and differs along %s, so the pmean of the ratio is not the global mean; divide psum(numerator) by psum(denominator)", shortText(den), quote(axis))}
	f.Fixes = sumsOfBoth(e, r)
	return f
}

// sumsOfBoth sums the numerator and the denominator over the axis and divides afterwards.
func sumsOfBoth(e *flow.Event, r *flow.Ratio) []analyzers.Fix {
	at, operand, name := r.Event.At, e.Arg(0, "x"), e.Arg(1, "axis_name")
	if !isKind(at, pyparse.KindBinaryOperator) || operand == nil || name == nil || at.File != e.At.File || !operand.At.Valid() || !e.At.Contains(operand.At) || !readableAt(name.At, at) {
		return nil
	}
	s := at.File.Syntax
	left, right := flow.Ref{File: at.File, Node: s.Child(at.Node, pyparse.FieldLeft)}, flow.Ref{File: at.File, Node: s.Child(at.Node, pyparse.FieldRight)}
	sum := right
	if r.Den.Made != r.Den.Sum {
		// Clamped or padded: the sum goes inside, so that the whole count is clamped, and nothing else may read it.
		if sum = r.Den.Sum.At; !soleUse(right).Valid() || !soleUse(right).Contains(sum) || !readableAt(name.At, sum) {
			return nil
		}
	}
	w := writing(at.File)
	psum, end := w.name("jax.lax.psum")+"(", ", "+name.At.Text()+")"
	edits := []analyzers.Edit{inserted(left, psum), appended(left, end), inserted(sum, psum), appended(sum, end)}
	return w.fix("Sum numerator and denominator", analyzers.Unsafe, append(edits, leftOf(e.At, operand.At)...)...)
}
