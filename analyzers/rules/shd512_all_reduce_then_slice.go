package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd512() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD512", Name: "all-reduce-then-slice", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a sum over devices of which each device keeps only its own part",
		Doc: analyzers.Documentation{
			Finds: "psum followed by a slice at a position computed from axis_index, with no other use of the sum.",
			Matters: "An all-reduce sends every element twice; a reduce-scatter sends it once and gives each device its part. " +
				"In automatic code backends for TPU and GPU rewrite the pair themselves, so there it is reported only where the target's own final module still has it.",
			Example: `y = jax.lax.psum(x @ w, "model")
i = jax.lax.axis_index("model")
y = jax.lax.dynamic_slice_in_dim(y, i * 8, 8)
`,
			Instead: `y = jax.lax.psum_scatter(x @ w, "model", tiled=True)
`,
			Ignore: "When the whole sum is needed as well.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD512", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("each device keeps only its part of a sum over devices (all-reduce %s, %s): "+
					"jax.lax.psum_scatter(x, '%s', scatter_dimension=%d, tiled=True) sends half as much", c.over(), c.cost(), c.axisName("axis"), c.why[0].detail))
			})
		},
	}
}

// explainReduceThenSlice matches an all-reduce whose every use is a slice at a position that depends on the partition.
func explainReduceThenSlice(x *exchange) *why {
	g := x.graph
	if x.Opcode != "all-reduce" || x.fused() || !x.userMade() && x.module.Deciding != x.module.Target {
		return nil
	}
	uses := x.uses()
	for range 2 { // a mean over devices divides the sum, and a user may scale it
		uses = scaled(g, uses)
	}
	slice, dimension := onlyPartitionSlices(g, uses)
	if slice == hlomap.NoInstr {
		return nil
	}
	return &why{frames: g.M.Frames(slice), primitive: g.Primitive(slice), detail: dimension}
}

// fused reports whether the collective stands in a fusion: TPU's reduce-scatter is a fusion of an all-reduce and a slice.
func (x *exchange) fused() bool {
	for _, w := range x.WrappedIn {
		if w.Kind == "fusion" {
			return true
		}
	}
	return false
}

// onlyPartitionSlices returns the first of the uses and the dimension it slices, if all of them are slices at positions that
// depend on the partition.
func onlyPartitionSlices(g evidence.Graph, uses []evidence.Use) (hlomap.InstrID, int) {
	first, dimension := hlomap.NoInstr, -1
	for _, u := range uses {
		if g.Op(u.User) != hlomap.OpDynamicSlice || u.Operand != 0 {
			return hlomap.NoInstr, -1
		}
		sliced := -1
		for d := range len(g.M.Operands(u.User)) - 1 {
			if g.OnPartition(g.Operand(u.User, 1+d)) {
				sliced = d
			}
		}
		if sliced < 0 {
			return hlomap.NoInstr, -1
		}
		if first == hlomap.NoInstr {
			first, dimension = u.User, sliced
		}
	}
	return first, dimension
}
