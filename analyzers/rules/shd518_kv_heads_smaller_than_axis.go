package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd518() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD518", Name: "kv-heads-smaller-than-axis", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a projection to fewer key/value heads than devices splits the heads themselves",
		Doc: analyzers.Documentation{
			Finds:   "A projection that is sharded over more devices than it makes heads, so that the shards cut through a head; the heads are gathered when they are repeated for the query heads.",
			Matters: "Each step pays an all-gather of the keys (and of the values) for a weight that is small. Replicated key/value weights cost a little memory and no communication (JAX 0.10.2).",
			Example: `wkv = jax.device_put(wkv, NamedSharding(mesh, P(None, "model")))  # 2 heads, 4 devices
k = jnp.repeat((x @ wkv).reshape(4, 128, 2, 32), 4, axis=2)
`,
			Instead: `wkv = jax.device_put(wkv, NamedSharding(mesh, P()))
k = jnp.repeat((x @ wkv).reshape(4, 128, 2, 32), 4, axis=2)
`,
			Ignore: "When the projection is so large that its memory matters more than the gather.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD518", func(c *cause) analyzers.Finding {
				h := c.why[0].detail.(heads)
				return c.finding(fmt.Sprintf("'%s' is sharded over %d devices but makes %d key/value heads, so the shards cut through a head and the heads are gathered here, %s; "+
					"replicate the weight (P()), or repeat the heads to a multiple of the axis before sharding", c.subject("the projection"), h.shards, h.heads, c.cost()))
			})
		},
	}
}

// heads counts what the rule compares: how many heads a projection makes and over how many devices it is sharded.
type heads struct{ heads, shards int }

// explainKVHeads matches the all-gather of the last dimension in front of a broadcast that repeats heads, behind a product
// with a weight whose output dimension is cut into more parts than it holds heads.
func explainKVHeads(x *exchange) *why {
	g, d := x.graph, x.dimension()
	dims := g.Dims(x.instr)
	if !x.gathers() || x.userMade() || len(dims) < 3 || d != len(dims)-1 {
		return nil
	}
	repeats := false
	for _, u := range x.uses() {
		// A final module may have dropped the dimension of size 1 that is repeated.
		if gathered, repeated := elements(dims), elements(g.Dims(u.User)); g.Op(u.User) == hlomap.OpBroadcast && gathered > 0 && repeated > gathered && repeated%gathered == 0 {
			repeats = true
		}
	}
	product := g.Source(g.Operand(x.instr, 0), func(op hlomap.Op) bool { return op == hlomap.OpConvert })
	if !repeats || product == hlomap.NoInstr || g.Op(product) != hlomap.OpDot {
		return nil
	}
	w, ok := x.weightOf(product)
	shape := g.Dims(g.Operand(product, w.operand))
	if !ok || len(shape) != 2 || dims[d] == 0 || x.contracted(product, w) != 1 {
		return nil
	}
	shards := x.kept(product, w)
	size := shape[0] * shape[1] / contractedSize(g, product, w)
	n := int(size) * shards / int(dims[d])
	if n < 1 || shards <= 1 || n%shards == 0 {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive, subject: w.name, detail: heads{n, shards}}
}

// elements is the product of dimensions.
func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// contractedSize returns the size of the contracted dimension of a matrix.
func contractedSize(g evidence.Graph, product hlomap.InstrID, w weight) int64 {
	attr := "rhs_contracting_dims"
	if w.operand == 0 {
		attr = "lhs_contracting_dims"
	}
	return max(1, g.Dims(g.Operand(product, w.operand))[g.Dimensions(product, attr)[0]])
}
