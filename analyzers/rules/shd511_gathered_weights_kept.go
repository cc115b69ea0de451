package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
)

func shd511() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD511", Name: "gathered-weights-kept", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "the weights of all layers are gathered before the loop over layers",
		Doc: analyzers.Documentation{
			Finds: "Stacked weights that are gathered outside of the loop that takes them layer by layer.",
			Matters: "All layers are whole on every device for as long as the loop runs, and for the backward loop too: the memory that sharding saved is lost. " +
				"Gathered inside the loop body under jax.checkpoint, one layer at a time is whole; the backward pass gathers it once more.",
			Example: `def loss(stack, x):
    stack = jax.lax.with_sharding_constraint(stack, full)
    def layer(h, w):
        return jnp.tanh(h @ w), None
    return jnp.mean(jax.lax.scan(layer, x, stack)[0] ** 2)
`,
			Instead: `def loss(stack, x):
    @jax.checkpoint
    def layer(h, w):
        w = jax.lax.with_sharding_constraint(w, full)
        return jnp.tanh(h @ w), None
    return jnp.mean(jax.lax.scan(layer, x, stack)[0] ** 2)
`,
			Ignore: "When memory is not short and one gather a step is wanted.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD511", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("the weights of all layers of '%s' are gathered %s before the loop over layers, %s, and stay whole on every device until it ends; "+
					"constrain one layer's weights inside the loop body, under jax.checkpoint", c.subject("the stack"), c.over(), c.cost()))
			})
		},
	}
}

// explainKeptWeights matches the all-gather of an entry parameter outside of any loop whose result a loop takes apart along
// another dimension than the gathered one.
func explainKeptWeights(x *exchange) *why {
	g, d := x.graph, x.dimension()
	if !x.gathers() || x.userMade() || d < 0 || g.Loop(x.instr) != hlomap.NoInstr {
		return nil
	}
	name := entryParameter(g, g.Source(g.Operand(x.instr, 0), func(op hlomap.Op) bool { return op == hlomap.OpConvert }))
	if name == "" {
		return nil
	}
	for _, u := range g.Uses(x.instr, func(op hlomap.Op) bool { return op == hlomap.OpConvert }) {
		if g.Op(u.User) != hlomap.OpDynamicSlice || u.Operand != 0 || g.Loop(u.User) == hlomap.NoInstr {
			continue
		}
		if sizes := g.Dimensions(u.User, "dynamic_slice_sizes"); len(sizes) > 0 && sizes[0] == 1 && d != 0 && !isConstant(g, g.Operand(u.User, 1)) {
			return &why{frames: x.Frames, primitive: x.primitive, subject: name}
		}
	}
	return nil
}
