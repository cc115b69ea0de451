package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd402() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD402", Name: "missing-activation-constraint", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "activations take a weight's layout and lose the batch sharding, and every product sums full activations",
		Doc: analyzers.Documentation{
			Finds: "A batch that is gathered because an operation took the layout of a weight that is sharded over the same axis, followed by products that each sum full activations over that axis.",
			Matters: "One constraint on the activation keeps the batch sharded; then weights are gathered instead. The rule compares the bytes of both and reports only where the sums cost more: " +
				"for a table of 2048 × 512 with its features sharded and two products, two all-reduces of 8 MiB against one gather of 1 MiB and an all-to-all of 1 MiB (JAX 0.10.2). " +
				"Plain FSDP weights need no constraint: the partitioner takes the cheaper side of each product by itself.",
			Example: `h = table[ids]  # table: P(None, "data"), ids: P("data")
for _ in range(2):
    h = jnp.tanh(h @ w)  # w: P("data")
`,
			Instead: `h = jax.lax.with_sharding_constraint(table[ids], NamedSharding(mesh, P("data")))
for _ in range(2):
    h = jnp.tanh(h @ w)
`,
			FixSafety: "The fix keeps the values and changes where they live; it is marked unsafe because the gain was compared in one dump and depends on the backend.",
			Ignore:    "When the batch is small against the weights. The gain was compared for this module, not run on your backend.",
		},
		CheckDump: checkLostBatch,
	}
}

// lostBatch is one sum of full activations: what gathered the batch before it and the weight whose layout won.
type lostBatch struct {
	gather hlomap.InstrID
	weight hlomap.InstrID
}

// explainLostBatch matches a sum over the groups over which a weight's contracted dimension is sharded, where the other
// operand comes from an operation that gathered a batch over the same groups.
func explainLostBatch(x *exchange) *why {
	g := x.graph
	if x.Opcode != "all-reduce" || x.userMade() || x.primitive != "dot_general" || evidence.Backward(x.OpName) || x.isGradient() {
		return nil
	}
	product := x.operand()
	if product == hlomap.NoInstr || g.Op(product) != hlomap.OpDot {
		return nil
	}
	w, ok := x.weightOf(product)
	if !ok || x.contracted(product, w) != groupSize(x.Collective) {
		return nil
	}
	gather := x.gatheredBatch(g.Operand(product, 1-w.operand))
	if gather == nil {
		return nil
	}
	return &why{frames: gather.Frames, primitive: evidence.Primitive(gather.OpName), detail: lostBatch{gather.ID, w.parameter}}
}

// isGradient reports whether the exchange reduces gradients.
func (x *exchange) isGradient() bool {
	for i := range x.Operands {
		if x.Operands[i].Role == hlomap.RoleGradient {
			return true
		}
	}
	return false
}

// gatheredBatch walks backward from an activation and returns the all-gather over the exchange's groups of an input's first
// dimension that it depends on, nil when there is none.
func (x *exchange) gatheredBatch(from hlomap.InstrID) *hlomap.Collective {
	g := x.graph
	seen := map[hlomap.InstrID]bool{}
	queue := []hlomap.InstrID{from}
	for len(queue) > 0 && len(seen) < 2000 {
		i := queue[0]
		queue = queue[1:]
		if i == hlomap.NoInstr || seen[i] {
			continue
		}
		seen[i] = true
		if g.Op(i).Base() == hlomap.OpAllGather {
			c := x.module.Deciding.CollectiveAt(i)
			if dims := g.Dimensions(i, "dimensions"); c != nil && sameGroups(c, x.Collective) && len(dims) == 1 && dims[0] == 0 && x.shardedInput(g.Operand(i, 0)) {
				return c
			}
		}
		queue = append(queue, before(g, i)...)
	}
	return nil
}

// before lists what a value is computed from: its operands, what a loop's carry holds at first, what a call is given.
func before(g evidence.Graph, i hlomap.InstrID) []hlomap.InstrID {
	switch g.Op(i) {
	case hlomap.OpGetTupleElement:
		if carry, ok := g.CarryOf(i); ok {
			return []hlomap.InstrID{g.Init(carry)}
		}
	case hlomap.OpParameter:
		if source := g.Source(i, nil); source != i {
			return []hlomap.InstrID{source}
		}
	}
	return g.M.Operands(i)
}

// shardedInput reports whether a value is computed element by element from an entry parameter whose first dimension is sharded.
func (x *exchange) shardedInput(i hlomap.InstrID) bool {
	g := x.graph
	if g.Op(i) == hlomap.OpSelect {
		i = g.Operand(i, 1)
	}
	input := g.Source(i, func(op hlomap.Op) bool { return elementwise(op) && op != hlomap.OpSelect })
	if input != hlomap.NoInstr && g.Op(input) == hlomap.OpSelect {
		return x.shardedInput(input)
	}
	sharding, ok := x.parameterSharding(input)
	return ok && entryParameter(g, input) != "" && tiles(sharding, 0) == groupSize(x.Collective)
}

func checkLostBatch(p *analyzers.DumpPass) {
	for _, c := range explained(p, "SHD402") {
		now, then := c.withAndWithout()
		if now <= then {
			continue
		}
		name := "the activation"
		if target := c.place.Expression.Target(); target != "" {
			name = "'" + target + "'"
		}
		f := c.finding(fmt.Sprintf("%s takes the layout of a weight that is sharded %s and the batch is gathered: each product then sums full activations, %s sent per device and step "+
			"where a constraint %s = with_sharding_constraint(..., P('%s')) would send about %s for gathered weights (compared in this dump, not verified on your backend)",
			name, c.over(), byteText(now), trimQuotes(name), c.axisName("data"), byteText(then)))
		f.Confidence = analyzers.Likely
		f.Fixes = c.keepBatch()
		p.Report(f)
	}
}

// keepBatch constrains the activation to the sharding that the batch had before it was gathered.
func (c *cause) keepBatch() []analyzers.Fix {
	e, axes := c.place.Expression, c.axes()
	if e.Node == pyparse.None || len(axes) == 0 {
		return nil
	}
	edits := constrained(e.File, c.place.Path, e.Start, e.End, [][]string{axes})
	if edits == nil {
		return nil
	}
	return []analyzers.Fix{{Title: "Keep the batch sharded over '" + strings.Join(axes, "', '") + "'", Safety: analyzers.Unsafe, Edits: edits}}
}

func trimQuotes(s string) string {
	if len(s) > 2 && s[0] == '\'' {
		return s[1 : len(s)-1]
	}
	return "h"
}

// withAndWithout estimates the bytes that one device sends per step now and with the batch kept sharded: an all-reduce
// sends 2(n-1)/n of the full array, a gather of a weight (n-1)/n of it, and the one all-to-all that keeps the batch
// (n-1)/n of a shard. Weights count twice where the module trains: the backward pass gathers them again.
func (c *cause) withAndWithout() (now, then int64) {
	x := c.exchanges[0]
	g, n := x.graph, int64(groupSize(x.Collective))
	counted := map[hlomap.InstrID]bool{}
	passes := int64(1)
	if d := x.module.Deciding; d.Gradients() != nil && len(d.Gradients().Parameters) > 0 {
		passes = 2
	}
	for k, e := range c.exchanges {
		times := int64(1)
		if e.Executions != nil {
			times = *e.Executions
		}
		full := g.Bytes(e.instr)
		now += times * 2 * (n - 1) * full / n
		if weight := c.why[k].detail.(lostBatch).weight; !counted[weight] {
			counted[weight] = true
			then += passes * (n - 1) * g.Bytes(weight)
		}
		if k == 0 {
			then += (n - 1) * full / n / n
		}
	}
	return now, then
}
