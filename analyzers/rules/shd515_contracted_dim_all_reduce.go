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
	g, n := x.graph, groupSize(x.Collective)
	moved := g.Source(g.Operand(x.instr, 0), func(op hlomap.Op) bool { return op == hlomap.OpConvert || op == hlomap.OpDynamicSlice || x.apart(op) })
	if entryParameter(g, moved) == "" {
		return nil
	}
	for _, first := range dots(g, x.uses()) {
		w, ok := x.weightBehind(first, moved)
		if !ok || x.contracted(first, w) != n || x.kept(first, w) != 1 {
			continue
		}
		for _, second := range dots(g, g.Uses(first, elementwise)) {
			other, ok := x.weightOf(second)
			if ok && other.parameter != moved && x.contracted(second, other) == n && x.kept(second, other) == 1 && x.summedLikewise(second) {
				return &why{frames: g.M.Frames(first), primitive: "dot_general", subject: w.name, detail: contraction{"inputs", other.name, x.swappedSpec(moved)}}
			}
		}
	}
	return nil
}

// weightBehind is weightOf for a weight that an exchange stands in front of.
func (x *exchange) weightBehind(product, parameter hlomap.InstrID) (weight, bool) {
	g := x.graph
	sharding, ok := x.parameterSharding(parameter)
	for k, o := range g.M.Operands(product) {
		if g.Source(o, x.together) == x.instr {
			return weight{parameter, entryParameter(g, parameter), k, len(g.Dims(parameter)) - len(g.Dims(o)), sharding}, ok
		}
	}
	return weight{}, false
}

func (x *exchange) bothOnOutputs() *why {
	g, n := x.graph, groupSize(x.Collective)
	first := g.Source(g.Operand(x.instr, 0), elementwise)
	if first == hlomap.NoInstr || g.Op(first) != hlomap.OpDot || x.dimension() != len(g.Dims(x.instr))-1 {
		return nil
	}
	if x.gatheredBatch(g.Operand(x.instr, 0)) != nil {
		return nil // the axis shards the batch too: weights sharded for memory, which is no matter of pairs
	}
	up, ok := x.weightOf(first)
	if !ok || x.kept(first, up) != n {
		return nil
	}
	for _, second := range dots(g, x.uses()) {
		down, ok := x.weightOf(second)
		if !ok || down.parameter == up.parameter || x.kept(second, down) != n {
			continue
		}
		layout := lookup{}
		if spec, ok := x.parameterSpec(down.parameter); ok && len(spec) == 2 {
			layout = lookup{have: specText(spec), want: specText([][]string{spec[1], spec[0]})}
		}
		return &why{frames: g.M.Frames(second), primitive: "dot_general", subject: down.name, detail: contraction{"outputs", up.name, layout}}
	}
	return nil
}

// dots returns the products among uses that take the value as their left operand or as their right one.
func dots(g evidence.Graph, uses []evidence.Use) []hlomap.InstrID {
	var found []hlomap.InstrID
	for _, u := range uses {
		if g.Op(u.User) == hlomap.OpDot {
			found = append(found, u.User)
		}
	}
	return found
}

// summedLikewise reports whether a product is summed over the groups of this exchange.
func (x *exchange) summedLikewise(product hlomap.InstrID) bool {
	for _, u := range x.graph.Uses(product, nil) {
		if x.graph.Op(u.User).Base() != hlomap.OpAllReduce {
			continue
		}
		if c := x.module.Deciding.CollectiveAt(u.User); c != nil && sameGroups(c, x.Collective) {
			return true
		}
	}
	return false
}
