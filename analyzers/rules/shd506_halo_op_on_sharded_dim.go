package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
)

func shd506() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD506", Name: "halo-op-on-sharded-dim", Severity: analyzers.Info, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "roll, concatenate, pad or slice along a sharded dimension moves the whole array",
		Doc: analyzers.Documentation{
			Finds: "roll with a traced shift, or concatenate, pad, reverse or slice along a sharded dimension, where the partitioner moved the whole array. " +
				"Where it exchanges borders only (collective-permute) it has done well and nothing is reported.",
			Matters: "A roll by a static shift sends one border to the neighbor; a roll by a traced shift and a concatenation of a long and a short piece gather the full array, or exchange its dimensions by all-to-all and back (JAX 0.10.2).",
			Example: `x = jax.device_put(x, NamedSharding(mesh, P(None, "seq")))
y = jnp.roll(x, shift, axis=1)  # shift is an argument of the jitted function
`,
			Instead: `x = jax.device_put(x, NamedSharding(mesh, P(None, "seq")))
y = jnp.roll(x, 1, axis=1)
`,
			Ignore: "When the array is small or the operation runs once.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD506", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("%s along a sharded dimension moves the whole array %s (%s, %s); use static positions, shard another dimension, "+
					"or exchange the borders with ppermute inside a shard_map", c.why[0].detail, c.over(), c.opcodes(), c.cost()))
			})
		},
	}
}

// explainHalo matches gathers, and the all-to-alls that prepare them, of operations that mix neighbouring positions.
func explainHalo(x *exchange) *why {
	if x.userMade() || !x.gathers() && x.Opcode != "all-to-all" {
		return nil
	}
	w := &why{frames: x.Frames, primitive: x.primitive}
	if evidence.InFunction(x.OpName, func(name string) bool { return strings.HasPrefix(name, "_roll") || name == "roll" }) {
		w.detail, w.primitive = "roll", "roll"
		return w
	}
	switch x.primitive {
	case "concatenate":
		w.detail = x.primitive
		return w
	case "pad", "rev", "slice":
		w.detail = x.primitive
		if x.gathers() {
			return w
		}
	}
	return nil
}
