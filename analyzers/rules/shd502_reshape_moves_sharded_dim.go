package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
)

func shd502() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD502", Name: "reshape-moves-sharded-dim", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a reshape splits or merges a sharded dimension and moves data between devices",
		Doc: analyzers.Documentation{
			Finds: "A reshape for which the partitioner had to move data: an all-gather, an all-to-all or a permute that belongs to the reshape itself.",
			Matters: "A reshape should be free. It stays free when the axis divides the outermost factor of the dimension that is split or merged: eight heads over four devices " +
				"split without communication, six heads over four devices gather half of the array (JAX 0.10.2). A batch and sequence merge with the sequence sharded gathers the whole batch.",
			Example: `q = jax.device_put(np.ones((8, 128, 384), np.float32), NamedSharding(mesh, P("data", None, "model")))
h = q.reshape(8, 128, 6, 64)  # 6 heads over an axis of 4
`,
			Instead: `q = jax.device_put(np.ones((8, 128, 384), np.float32), NamedSharding(mesh, P("data", None, "model")))
h = q.reshape(8, 128, 8, 48)  # 8 heads over an axis of 4
`,
			Ignore: "When the array is small or the move happens once, outside of the step.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD502", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("this reshape splits or merges a sharded dimension and moves data %s (%s, %s); keep the sharded factor outermost, "+
					"or choose sizes that the axis divides", c.over(), c.opcodes(), c.cost()))
			})
		},
	}
}

// explainReshape matches data movement that the partitioner named after a reshape.
func explainReshape(x *exchange) *why {
	if x.userMade() || x.primitive != "reshape" || !x.moves() {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive}
}
