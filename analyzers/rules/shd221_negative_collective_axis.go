package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd221() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD221", Name: "negative-collective-axis", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		JAX:     analyzers.Releases{To: "0.10.2"},
		Summary: "a collective gets a negative dimension, which it does not understand",
		Doc: analyzers.Documentation{
			Finds:   "A negative constant for scatter_dimension of psum_scatter, split_axis or concat_axis of all_to_all, or axis of pswapaxes. all_gather understands negative dimensions and is not reported.",
			Matters: "Up to 0.10.2 these functions pass the number on as it is, and lowering fails with a message that does not name the argument.",
			Example: `import jax


def scatter(y):
    return jax.lax.psum_scatter(y, "model", scatter_dimension=-1, tiled=True)
`,
			Instead: `import jax


def scatter(y):
    return jax.lax.psum_scatter(y, "model", scatter_dimension=y.ndim - 1, tiled=True)
`,
			FixSafety: "The fix counts from the front. The code raised before, so it is safe.",
			Ignore:    "When the file only runs on 0.11.0 or later.",
		},
		Needles: []string{"psum_scatter", "all_to_all", "pswapaxes"},
		Check:   checkNegativeAxis,
	}
}

func checkNegativeAxis(p *analyzers.Pass) {
	if p.JAX.AtLeast(0, 11, 0) {
		return
	}
	out := newOnce(p)
	facts := p.Facts()
	for _, c := range [...]struct {
		function, parameter string
		position            int
	}{
		{"psum_scatter", "scatter_dimension", -1}, {"all_to_all", "split_axis", 2}, {"all_to_all", "concat_axis", 3}, {"pswapaxes", "axis", 2},
	} {
		for _, e := range facts.Named("jax.lax." + c.function) {
			arg := e.Arg(c.position, c.parameter)
			if arg == nil {
				continue
			}
			n, ok := flow.Integer(arg.Value)
			if !ok || n >= 0 {
				continue
			}
			f := analyzers.Finding{Message: fmt.Sprintf("%s=%d: %s does not understand negative dimensions in JAX %s; count from the front, x.ndim - %d", c.parameter, n, c.function, p.JAX, -n)}
			f.Fixes = positiveAxis(e, arg, n)
			out.report(e.At, f)
		}
	}
}

func positiveAxis(e *flow.Event, arg *flow.Arg, n int64) []analyzers.Fix {
	operand := e.Arg(0, "x")
	if operand == nil || !operand.At.Valid() || !e.At.Contains(arg.At) {
		return nil
	}
	named := assignable(operand.At)
	if named && assignable(arg.At) { // a name may stand for other numbers as well
		return fixOf("Count from the front", analyzers.Safe, replaced(arg.At, arg.At.Text()+" % "+operand.At.Text()+".ndim"))
	}
	if a, ok := operand.Value.(*flow.Array); ok && int64(a.Rank()) >= -n && !handedInWithin(arg.At) {
		return fixOf("Count from the front", analyzers.Safe, replaced(arg.At, fmt.Sprint(int64(a.Rank())+n)))
	}
	if named && !handedInWithin(arg.At) {
		return fixOf("Count from the front", analyzers.Safe, replaced(arg.At, fmt.Sprintf("%s.ndim - %d", operand.At.Text(), -n)))
	}
	return nil
}
