package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
)

func shd504() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD504", Name: "update-on-sharded-dim", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a sharded dimension is read or written at a position that is only known at run time",
		Doc: analyzers.Documentation{
			Finds: "dynamic_slice, dynamic_index_in_dim, or a dynamic_update_slice of more than one position, along a sharded dimension at a traced position.",
			Matters: "No device knows at compile time whether it holds the position, so the whole array is gathered on every device to take or change a part of it " +
				"(JAX 0.4.35 to 0.10.2). A write of exactly one position is masked and moves nothing.",
			Example: `cache = jax.device_put(cache, NamedSharding(mesh, P("data", "seq")))
row = jax.lax.dynamic_slice_in_dim(cache, pos, 1, axis=1)
`,
			Instead: `cache = jax.device_put(cache, NamedSharding(mesh, P("data", "seq")))
hit = (jnp.arange(cache.shape[1]) == pos)[None, :, None]
row = jnp.where(hit, cache, 0).sum(1, keepdims=True)  # an all-reduce of one row
`,
			Ignore: "When the array is small.",
		},
		CheckDump: func(p *analyzers.DumpPass) { each(p, "SHD504", describeUpdate) },
	}
}

// explainUpdate matches the all-gather of an array that is then sliced or updated at a traced position of the gathered
// dimension.
func explainUpdate(x *exchange) *why {
	g, d := x.graph, x.dimension()
	if !x.gathers() || x.userMade() || d < 0 {
		return nil
	}
	for _, u := range x.uses() {
		first := 1 // the index operands follow the array, and in an update the new values too
		switch g.Op(u.User) {
		case hlomap.OpDynamicSlice:
		case hlomap.OpDynamicUpdateSlice:
			first = 2
		default:
			continue
		}
		if u.Operand != 0 || len(g.Dims(x.instr)) != len(g.Dims(g.Operand(u.User, 0))) || !x.traced(g.Operand(u.User, first+d)) {
			continue
		}
		verb := "reads"
		if first == 2 {
			verb = "writes"
		}
		return &why{frames: x.Frames, primitive: x.primitive, subject: entryParameter(g, x.operand()), detail: verb}
	}
	return nil
}

// traced reports whether an index is known only at run time and is the same on every device.
func (x *exchange) traced(index hlomap.InstrID) bool {
	g := x.graph
	return index != hlomap.NoInstr && !isConstant(g, index) && !g.OnPartition(index) && g.AtPartitions(index, 1) == nil
}

func describeUpdate(c *cause) analyzers.Finding {
	array := c.subject("")
	if array == "" {
		if e := c.place.Expression; e.File != nil {
			array = e.File.Text(e.Argument(0))
		}
	}
	if array == "" {
		array = "an array"
	} else {
		array = "'" + array + "'"
	}
	return c.finding(fmt.Sprintf("this %s %s at a traced position of a dimension that is sharded: the whole array is gathered %s, %s; "+
		"compare positions with an iota and mask (jnp.where), write one position at a time, or shard another dimension", c.why[0].detail, array, c.over(), c.cost()))
}
