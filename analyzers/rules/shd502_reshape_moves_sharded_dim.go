package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd502() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD502", Name: "reshape-moves-sharded-dim", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a reshape splits or merges a sharded dimension and moves data between devices",
		Doc: analyzers.Documentation{
			Finds: "A reshape for which the partitioner had to move data: an all-gather, an all-to-all or a permute that belongs to the reshape itself.",
			Matters: "A reshape should be free. It stays free when the axis divides the outermost factor of the dimension that is split or merged: eight heads over four devices " +
				"split without communication, six heads over four devices gather half of the array (JAX 0.10.2). A merge of batch and sequence with the sequence sharded gathers the whole batch; " +
				"with the shards moved to the batch first, one all-to-all does: 14 680 064 bytes sent per device become 1 835 008 for 8 × 1024 × 512 float32 on eight devices.",
			Example: `q = jax.device_put(np.ones((8, 128, 384), np.float32), NamedSharding(mesh, P("data", None, "model")))
h = q.reshape(8, 128, 6, 64)  # 6 heads over an axis of 4
`,
			Instead: `q = jax.device_put(np.ones((8, 128, 384), np.float32), NamedSharding(mesh, P("data", None, "model")))
h = q.reshape(8, 128, 8, 48)  # 8 heads over an axis of 4
`,
			FixSafety: "The fix keeps the values and changes where they live; it is marked unsafe because the gain was measured on the CPU's partitioner and depends on what follows.",
			Ignore:    "When the array is small or the move happens once, outside of the step.",
		},
		CheckDump: func(p *analyzers.DumpPass) { each(p, "SHD502", describeReshape) },
	}
}

// explainReshape matches data movement that the partitioner named after a reshape.
func explainReshape(x *exchange) *why {
	if x.userMade() || x.primitive != "reshape" || !x.moves() {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive, detail: x.merge()}
}

// merge is what becomes of a merge of dimensions whose shards are moved to the outermost of them first. Sent counts the
// bytes that one device sends; it is 0 for other reshapes.
type merge struct {
	now, then int64
	alone     bool // the operand is sharded along the gathered dimension only
}

// merge recognises the gather of an inner dimension that a reshape merges with the ones outside of it, where the outermost
// of them could hold the shards instead.
func (x *exchange) merge() merge {
	g, d, n := x.graph, x.dimension(), int64(groupSize(x.Collective))
	local, whole := g.Dims(g.Operand(x.instr, 0)), g.Dims(x.instr)
	if !x.gathers() || d < 1 || n < 2 || len(local) != len(whole) || local[0]%n != 0 {
		return merge{}
	}
	merged := int64(1)
	for _, size := range whole[:d+1] {
		merged *= size
	}
	bytes := g.Bytes(g.Operand(x.instr, 0))
	for _, u := range g.M.Users(x.instr) {
		if dims := g.Dims(u); g.Op(u) == hlomap.OpReshape && len(dims) < len(whole) && len(dims) > 0 && dims[0] == merged && bytes > 0 {
			if takenByIndex(g, u) {
				return merge{} // every device needs all of it anyway
			}
			s, ok := x.parameterSharding(g.Source(g.Operand(x.instr, 0), nil))
			alone := ok && len(s.Tiles()) == len(local)
			for k := range local {
				alone = alone && (k == d || tiles(s, k) == 1)
			}
			return merge{now: bytes * (n - 1), then: bytes * (n - 1) / n, alone: alone}
		}
	}
	return merge{}
}

// takenByIndex reports whether a lookup takes pieces of an array from places that are computed, as a shuffle does.
func takenByIndex(g evidence.Graph, i hlomap.InstrID) bool {
	return slices.ContainsFunc(g.Uses(i, nil), func(u evidence.Use) bool { return g.Op(u.User) == hlomap.OpGather && u.Operand == 0 })
}

func describeReshape(c *cause) analyzers.Finding {
	m := c.why[0].detail.(merge)
	advice := "keep the sharded factor outermost, or choose sizes that the axis divides"
	if m.now > m.then {
		advice = fmt.Sprintf("move the shards to the outermost of the merged dimensions first (with_sharding_constraint before the reshape), which sends %s per device and execution instead of %s "+
			"(counted in this dump, not verified on your backend)", byteText(m.then), byteText(m.now))
	}
	f := c.finding(fmt.Sprintf("this reshape splits or merges a sharded dimension and moves data %s (%s, %s); %s", c.over(), c.opcodes(), c.cost(), advice))
	if m.now > m.then && m.alone {
		f.Fixes = c.shardOutermost()
	}
	return f
}

// shardOutermost constrains the reshaped array so that its first dimension holds the shards.
func (c *cause) shardOutermost() []analyzers.Fix {
	e, axes := c.place.Expression, c.axes()
	callee := e.File.Callee(e.Node)
	if e.Callee() != "reshape" || len(axes) == 0 || !e.File.Is(callee, pyparse.KindAttribute) {
		return nil
	}
	array := e.File.Child(callee, pyparse.FieldObject)
	if text := e.File.Text(array); text == spelling(e.File, "jax.numpy") || text == spelling(e.File, "numpy") {
		if array = e.Argument(0); array == pyparse.None {
			return nil
		}
	}
	start, end := e.File.Span(array)
	edits := constrained(e.File, c.place.Path, start, end, [][]string{axes})
	if edits == nil {
		return nil
	}
	return []analyzers.Fix{{Title: "Move the shards to the outermost dimension before the reshape", Safety: analyzers.Unsafe, Edits: edits}}
}
