package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd906() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD906", Name: "pmap-result-int-index", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.0"},
		Summary: "x[0] of a pmap result runs a collective",
		Doc: analyzers.Documentation{
			Finds:   "An array that pmap returned, indexed by an integer. A function that was handed the array and decides by an if whether it comes to the index is left alone: it may ask how the array lies.",
			Matters: "Since JAX 0.8.0, where pmap is built on shard_map, the index runs an all-reduce over all devices and the result is replicated on all of them; 0.7.2 read one shard and sent nothing.",
			Example: `import jax
import numpy as np

double = jax.pmap(lambda x: x * 2)
y = double(np.ones((8, 4), np.float32))
first = y[0]
`,
			Instead: `import jax
import numpy as np

double = jax.pmap(lambda x: x * 2)
y = double(np.ones((8, 4), np.float32))
first = y.addressable_data(0)[0]
`,
			FixSafety: "addressable_data(0) is the first shard of this process with its leading dimension of 1, hence the [0] behind it. It is unsafe because the result lies on one device instead of on all.",
			Ignore:    "Outside of loops, where one more all-reduce costs nothing that matters.",
		},
		Needles: []string{"pmap"},
		Check:   checkPmapIndex,
	}
}

func checkPmapIndex(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("op.getitem") {
		a, ok := e.Recv.(*flow.Array)
		index, isInt := e.Value(0).(flow.Int)
		if !ok || !isInt || a.Tree || a.Made == nil || a.Made.Name != "call.pmap" || e.Region.Traced() {
			continue
		}
		whole := e.At.Text()
		array := flow.Ref{File: e.At.File, Node: e.At.File.Syntax.FirstChild(e.At.Node)}
		if a.Made.Func != e.Func && isParameter(e.Func, array.Text()) && asksFirst(e.At) {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("%s of a pmap result all-reduces over every device since JAX 0.8.0; write %s.addressable_data(%d)[0] to read one shard", whole, array.Text(), int64(index))}
		if index >= 0 && array.Valid() {
			f.Fixes = fixOf("Read one shard", analyzers.Unsafe, replaced(e.At, fmt.Sprintf("%s.addressable_data(%d)[0]", array.Text(), int64(index))))
		}
		out.report(e.At, f)
	}
}

// isParameter reports whether a name is that of a parameter.
func isParameter(fn *flow.Func, name string) bool {
	return fn != nil && slices.ContainsFunc(fn.Params, func(p *flow.Param) bool { return p.Name == name })
}
