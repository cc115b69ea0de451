package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd507() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD507", Name: "op-without-partition-rule", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "an operation along local dimensions gathers its batch because the partitioner has no rule for it",
		Doc: analyzers.Documentation{
			Finds: "An all-gather along a dimension that the operation behind it treats as a batch: an FFT over another axis, a decomposition of a stack of matrices, " +
				"top_k along a local dimension.",
			Matters: "Every device computes the whole batch. fft and ifft do this on JAX 0.4.35 to 0.10.2; top_k does on the CPU backend only; " +
				"eigh, cholesky, qr, svd and solve did on 0.4.35 and are local on 0.6.2 and 0.10.2. Wrapped in shard_map the operation is local.",
			Example: `x = jax.device_put(x, NamedSharding(mesh, P("data")))
y = jax.jit(lambda x: jnp.fft.fft(x, axis=-1))(x)
`,
			Instead: `x = jax.device_put(x, NamedSharding(mesh, P("data")))
fft = jax.shard_map(lambda x: jnp.fft.fft(x, axis=-1), mesh=mesh, in_specs=P("data"), out_specs=P("data"))
y = jax.jit(fft)(x)
`,
			Ignore: "When the operation is local on the backend that you run on: the dump of that backend tells.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD507", func(c *cause) analyzers.Finding {
				f := c.finding(fmt.Sprintf("the partitioner has no rule for %s here: the batch is gathered %s, %s, and every device computes all of it; wrap the call in jax.shard_map",
					c.why[0].detail, c.over(), c.cost()))
				if c.exchanges[0].module.Target == nil {
					f.Confidence = analyzers.Likely // seen on the CPU's lowering; other backends lower top_k and others differently
				}
				return f
			})
		},
	}
}

// explainUnpartitioned matches the all-gather of a batch dimension in front of an operation that the partitioner can't split.
func explainUnpartitioned(x *exchange) *why {
	op := x.blockedBy(unpartitioned)
	if op == hlomap.NoInstr {
		return nil
	}
	own := ownDimensions(x.graph, op)
	for _, d := range gatheredDimensions(x.graph, op) {
		if slices.Contains(own, d) {
			return nil // the operation itself needs this dimension whole
		}
	}
	return &why{frames: x.Frames, primitive: x.primitive, detail: x.nameOf(op)}
}

// unpartitioned reports whether an operation works on some dimensions and treats the others as a batch, yet may not be split.
func unpartitioned(g evidence.Graph, i hlomap.InstrID) bool {
	switch g.Op(i) {
	case hlomap.OpFft, hlomap.OpCholesky, hlomap.OpTriangularSolve:
		return true
	case hlomap.OpConvolution:
		groups, ok := g.M.InstrAttr(i, "feature_group_count")
		return ok && groups != "1"
	case hlomap.OpCustomCall:
		return linearAlgebra(g.CustomCallTarget(i)) && !foreign(g.Primitive(i)) || sorts(g, i)
	}
	return sorts(g, i)
}

// linearAlgebra reports whether a custom call's target is one of JAX's decompositions (jaxlib 0.4 to 0.10).
func linearAlgebra(target string) bool {
	for _, prefix := range []string{"lapack_", "cusolver", "hipsolver", "cublas_", "Eigh", "Qr", "Svd", "LuDecomposition", "Householder", "ProductOfElementary"} {
		if strings.HasPrefix(target, prefix) {
			return true
		}
	}
	return false
}

// ownDimensions lists the dimensions of operand 0 that an operation works along.
func ownDimensions(g evidence.Graph, i hlomap.InstrID) []int {
	rank := len(g.Dims(g.Operand(i, 0)))
	n := 2 // the matrices of linear algebra
	switch {
	case g.Op(i) == hlomap.OpFft:
		n = len(g.Dimensions(i, "fft_length"))
	case sorts(g, i):
		return []int{sortedDimension(g, i)}
	case g.Op(i) == hlomap.OpConvolution:
		n = rank - 1
	}
	var own []int
	for d := max(0, rank-n); d < rank; d++ {
		own = append(own, d)
	}
	return own
}
