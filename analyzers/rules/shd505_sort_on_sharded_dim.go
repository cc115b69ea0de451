package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd505() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD505", Name: "sort-on-sharded-dim", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a sort or top_k runs along a sharded dimension",
		Doc: analyzers.Documentation{
			Finds: "sort, argsort or top_k along a dimension that is sharded: the partitioner makes the dimension local first.",
			Matters: "In front of top_k the dimension is gathered, so that every device receives and sorts all of it; in front of sort it is exchanged for another dimension by all-to-all where one can be cut, " +
				"and back afterwards (JAX 0.10.2). Sorting along a local dimension is free, " +
				"and k winners of each shard suffice to find the k winners of all.",
			Example: `logits = jax.lax.with_sharding_constraint(logits, NamedSharding(mesh, P("data", "model")))
values, ids = jax.lax.top_k(logits, 50)
`,
			Instead: `@jax.shard_map(mesh=mesh, in_specs=P("data", "model"), out_specs=P("data"), check_vma=False)
def top(logits):  # k winners of each shard travel, not the shards
    values, ids = jax.lax.top_k(logits, 50)
    ids = ids + jax.lax.axis_index("model") * logits.shape[-1]
    values, ids = (jax.lax.all_gather(a, "model", axis=-1, tiled=True) for a in (values, ids))
    values, winners = jax.lax.top_k(values, 50)
    return values, jnp.take_along_axis(ids, winners, -1)
`,
			Ignore: "When the dimension is short.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD505", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("%s runs along a sharded dimension, which is exchanged for it %s (%s, %s); sort along a local dimension, "+
					"or take the winners of each shard in a shard_map and sort those", c.why[0].detail, c.over(), c.opcodes(), c.cost()))
			})
		},
	}
}

// explainSort matches the all-gathers in front of a sort or top-k of which one is along the sorted dimension, and the
// all-to-alls before and after a sort that exchange its sharded dimension for another one.
func explainSort(x *exchange) *why {
	if x.Opcode == "all-to-all" && !x.userMade() {
		if op := x.sortBeside(); op != hlomap.NoInstr && x.primitive == x.graph.Primitive(op) {
			return &why{frames: x.Frames, primitive: x.primitive, detail: x.nameOf(op)}
		}
		return nil
	}
	op := x.blockedBy(sorts)
	if op == hlomap.NoInstr {
		return nil
	}
	for _, d := range gatheredDimensions(x.graph, op) {
		if d == sortedDimension(x.graph, op) {
			return &why{frames: x.Frames, primitive: x.primitive, detail: x.nameOf(op)}
		}
	}
	return nil
}

// sortBeside returns the sort that an exchange feeds or whose result it redistributes, looking through moves.
func (x *exchange) sortBeside() hlomap.InstrID {
	if op := x.operand(); op != hlomap.NoInstr && sorts(x.graph, op) {
		return op
	}
	for _, u := range x.uses() {
		if sorts(x.graph, u.User) {
			return u.User
		}
	}
	return hlomap.NoInstr
}

// blockedBy returns the operation that a gather is made for, if kind accepts it: the first use behind this gather and
// further ones. The answer is hlomap.NoInstr for anything but gathers of the partitioner, and for gathers that a sharding
// constraint asks for.
func (x *exchange) blockedBy(kind func(g evidence.Graph, i hlomap.InstrID) bool) hlomap.InstrID {
	if !x.gathers() || x.userMade() || x.primitive == "sharding_constraint" || x.primitive == "reshard" {
		return hlomap.NoInstr
	}
	for _, u := range x.graph.Uses(x.instr, throughGathers) {
		if kind(x.graph, u.User) {
			return u.User
		}
	}
	return hlomap.NoInstr
}

func sorts(g evidence.Graph, i hlomap.InstrID) bool {
	switch g.Op(i) {
	case hlomap.OpSort, hlomap.OpTopK:
		return true
	case hlomap.OpCustomCall:
		target := g.CustomCallTarget(i)
		return target == "TopK" || target == "ApproxTopK" || target == "PartialReduce"
	}
	return false
}

// sortedDimension returns the dimension that a sort or top-k works along.
func sortedDimension(g evidence.Graph, i hlomap.InstrID) int {
	if d := g.Dimensions(i, "dimensions"); g.Op(i) == hlomap.OpSort && len(d) == 1 {
		return d[0]
	}
	return len(g.Dims(g.Operand(i, 0))) - 1
}

// gatheredDimensions lists the dimensions along which the operands of an instruction were gathered directly before it.
func gatheredDimensions(g evidence.Graph, i hlomap.InstrID) []int {
	var dims []int
	for _, o := range g.M.Operands(i) {
		for range 16 {
			o = g.Source(o, nil)
			if o == hlomap.NoInstr || g.Op(o).Base() != hlomap.OpAllGather {
				break
			}
			dims = append(dims, g.Dimensions(o, "dimensions")...)
			o = g.Operand(o, 0)
		}
	}
	return dims
}

// nameOf returns what a person calls an operation: its JAX primitive, else its opcode.
func (x *exchange) nameOf(i hlomap.InstrID) string {
	if p := x.graph.Primitive(i); p != "" {
		return p
	}
	return x.graph.M.Opcode(i)
}
