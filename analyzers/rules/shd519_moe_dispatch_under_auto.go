package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
)

func shd519() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD519", Name: "moe-dispatch-under-auto", Severity: analyzers.Warning, Evidence: analyzers.FromBoth, Since: "0.1.0",
		Summary: "a grouped product over sharded experts gathers all tokens",
		Doc: analyzers.Documentation{
			Finds: "jax.lax.ragged_dot under automatic partitioning with experts or tokens sharded.",
			Matters: "The partitioner does not know which tokens go to which expert: it gathers all tokens, multiplies them with the local experts, " +
				"and sums the full result over the axis (JAX 0.10.2).",
			Example: `@jax.jit
def step(tokens, experts, sizes):
    return jax.lax.ragged_dot(tokens, experts, sizes)
`,
			Instead: `@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P("expert"), P("expert"), P("expert")), out_specs=P("expert"))
def step(tokens, experts, sizes):  # each device keeps its experts and the tokens routed to them
    return jax.lax.ragged_dot(tokens, experts, sizes)
`,
			Ignore: "When the tokens are few.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD519", func(c *cause) analyzers.Finding {
				f := c.finding(fmt.Sprintf("ragged_dot over sharded experts exchanges all tokens and results (%s %s, %s): send each token to its expert's device first, "+
					"and call it inside a shard_map over that axis", c.opcodes(), c.over(), c.cost()))
				f.Evidence = analyzers.FromBoth
				return f
			})
		},
	}
}

// explainRaggedDot matches the partitioner's exchanges for a ragged product. Backends without a ragged dot of their own
// lower it to masks and a plain product that no longer bear its name, so the call in the source counts too.
func explainRaggedDot(x *exchange) *why {
	if x.userMade() {
		return nil
	}
	w := &why{frames: x.Frames, primitive: "ragged_dot"}
	for _, u := range x.uses() {
		if x.graph.Op(u.User) != hlomap.OpRaggedDot {
			continue
		}
		if u.Operand > 1 {
			return nil // the sizes of the groups: a few numbers, which are needed anyhow
		}
		w.frames = x.graph.M.Frames(u.User) // TPU gathers parameters where they come in, which no line wrote
		return w
	}
	place, ok := x.module.Locate(x.Frames, "ragged_dot")
	if !ok || place.Frame > 0 {
		return nil
	}
	switch place.Expression.Callee() {
	case "ragged_dot", "ragged_dot_general":
		return w
	}
	return nil
}
