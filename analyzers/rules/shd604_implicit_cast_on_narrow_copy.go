package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
)

func shd604() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD604", Name: "implicit-cast-on-narrow-copy", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.0"},
		Summary: "a checked shard_map sums gradients in a 16-bit type because the implicit cast to varying meets the 16-bit copy",
		Doc: analyzers.Documentation{
			Finds: "The psum that a checked shard_map inserts in the backward pass of a replicated parameter, in a 16-bit type.",
			Matters: "JAX casts a replicated value to varying where it first meets varying data. With a cast to bfloat16 in front of the product that is the bfloat16 copy, so the sum over devices, " +
				"the transpose of that cast, is bfloat16 too, one per weight (JAX 0.6.1 to 0.10.2). A pmean of the gradients afterwards comes too late, and since 0.6.1 it also leaves them as many times too large as the axis has devices.",
			Example: `def body(w, x):  # in_specs=(P(), P("data"))
    return w - 0.1 * jax.grad(loss)(w, x)  # loss casts w to bfloat16
`,
			Instead: `def body(w, x):
    g = jax.grad(loss)(jax.lax.pcast(w, "data", to="varying"), x)
    return w - 0.1 * jax.lax.pmean(g, "data")
`,
			FixSafety: "The fix is unsafe: it sums in float32, so the numbers change and the bytes of the sum double. It keeps the scale of the gradient: a psum stands for the psum that JAX inserted.",
			Ignore:    "When the training was validated with these sums.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			cast := "pcast"
			if !p.JAX.AtLeast(0, 8, 2) {
				cast = "pvary" // what it was called before
			}
			for _, l := range lowSums(p, implicitPsum) {
				gradients := numbered(l.parameters(), "gradient", "gradients")
				f := l.finding(p.Module, fmt.Sprintf("the checked shard_map sums the %s of %s in %s %s, because the %s varying only here, as a %s copy; "+
					"jax.lax.%s the float32 %s to varying before the loss and reduce the %s by hand",
					gradients, l.names(), l.dtypes(), l.where(), numbered(l.parameters(), "parameter becomes", "parameters become"), l.dtypes(), cast,
					numbered(l.parameters(), "parameter", "parameters"), gradients))
				f.Fixes = castBeforeGrad(p.Module, l, p.JAX)
				p.Report(f)
			}
		},
	}
}
