package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd515() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD515", Name: "contracted-dim-all-reduce", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "two weights of a block are sharded on the same side, so the block pays two exchanges instead of one",
		Doc: analyzers.Documentation{
			Finds: "Two products in a row whose weights are both sharded on their input dimension, or both on their output dimension, over one axis.",
			Matters: "A block whose first weight is sharded on outputs and whose second is sharded on inputs needs one all-reduce. Sharded alike, it moves a weight by all-to-all " +
				"(both on inputs) or gathers the activation (both on outputs) besides (JAX 0.10.2).",
			Example: `up = P("model", None)
down = P("model", None)
y = jax.nn.relu(x @ w_up) @ w_down
`,
			Instead: `up = P(None, "model")
down = P("model", None)
y = jax.nn.relu(x @ w_up) @ w_down
`,
			Ignore: "When the weight is shared with another block that needs this layout.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD515", func(c *cause) analyzers.Finding {
				k := c.why[0].detail.(contraction)
				advice := "shard the first weight of the block on its outputs and the second on its inputs"
				if k.layout.want != "" {
					advice = fmt.Sprintf("shard it as %s instead of %s", k.layout.want, k.layout.have)
				}
				return c.finding(fmt.Sprintf("'%s' is sharded on its %s, as is the other weight of the block '%s': an %s %s comes on top of the block's one all-reduce, %s; %s",
					c.subject("the weight"), k.side, k.other, c.opcodes(), c.over(), c.cost(), advice))
			})
		},
	}
}

// contraction is what the rule says of a weight: on which side it is sharded, like which other one, and what to write.
type contraction struct {
	side, other string
	layout      lookup
}

// explainContraction matches two forms: the all-to-all of a weight that moves its shards from inputs to outputs in front of
// a product that feeds a product with an input-sharded weight, and the all-gather of an activation between two products
// whose weights are both sharded on outputs.
func explainContraction(x *exchange) *why {
	if x.userMade() || x.primitive != "dot_general" {
		return nil
	}
	switch {
	case x.Opcode == "all-to-all":
		return x.bothOnInputs()
	case x.gathers():
		return x.bothOnOutputs()
	}
	return nil
}

func (x *exchange) bothOnInputs() *why {
	g := x.graph
	weight := x.operand()
	name := entryParameter(g, weight)
	if name == "" || !x.matrixShardedOn(weight, 0) {
		return nil
	}
	for _, first := range dots(g, x.uses()) {
		for _, second := range dots(g, g.Uses(first, elementwise)) {
			other := g.Source(g.Operand(second, 1), nil)
			if otherName := entryParameter(g, other); otherName != "" && other != weight && x.matrixShardedOn(other, 0) && x.summedLikewise(second) {
				return &why{frames: g.M.Frames(first), primitive: "dot_general", subject: name, detail: contraction{"inputs", otherName, x.swappedSpec(weight)}}
			}
		}
	}
	return nil
}

func (x *exchange) bothOnOutputs() *why {
	g := x.graph
	first := g.Source(g.Operand(x.instr, 0), elementwise)
	if first == hlomap.NoInstr || g.M.Op(first) != hlomap.OpDot || x.dimension() != len(g.Dims(x.instr))-1 {
		return nil
	}
	if x.gatheredBatch(g.Operand(x.instr, 0)) != nil {
		return nil // the axis shards the batch too: weights sharded for memory, which is no matter of pairs
	}
	up := g.Source(g.Operand(first, 1), nil)
	upName := entryParameter(g, up)
	for _, second := range dots(g, x.uses()) {
		down := g.Source(g.Operand(second, 1), nil)
		if name := entryParameter(g, down); name != "" && upName != "" && down != up && x.matrixShardedOn(up, 1) && x.matrixShardedOn(down, 1) {
			layout := lookup{}
			if spec, ok := x.parameterSpec(down); ok && len(spec) == 2 {
				layout = lookup{specText(spec), specText([][]string{spec[1], spec[0]})}
			}
			return &why{frames: g.M.Frames(second), primitive: "dot_general", subject: name, detail: contraction{"outputs", upName, layout}}
		}
	}
	return nil
}

// dots returns the products among uses that take the value as their left operand or as their right one.
func dots(g evidence.Graph, uses []evidence.Use) []hlomap.InstrID {
	var found []hlomap.InstrID
	for _, u := range uses {
		if g.M.Op(u.User) == hlomap.OpDot {
			found = append(found, u.User)
		}
	}
	return found
}

// matrixShardedOn reports whether a parameter is a matrix that is cut along dimension d only.
func (x *exchange) matrixShardedOn(i hlomap.InstrID, d int) bool {
	s, ok := x.parameterSharding(i)
	return ok && len(s.Tiles()) == 2 && tiles(s, d) > 1 && tiles(s, 1-d) == 1 && tiles(s, d) == groupSize(x.Collective)
}

// summedLikewise reports whether a product is summed over the groups of this exchange.
func (x *exchange) summedLikewise(product hlomap.InstrID) bool {
	for _, u := range x.graph.Uses(product, nil) {
		if x.graph.M.Op(u.User).Base() != hlomap.OpAllReduce {
			continue
		}
		if c := x.module.Deciding.CollectiveAt(u.User); c != nil && sameGroups(c, x.Collective) {
			return true
		}
	}
	return false
}
