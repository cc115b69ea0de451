package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

func shd601() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD601", Name: "low-precision-gradient-reduction", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "gradients are summed over devices in a 16-bit type",
		Doc: analyzers.Documentation{
			Finds: "A sum of weight gradients over devices whose operand, result and reducer all are bfloat16, float16 or an 8-bit type. It is reported on the line of the operation that contracts " +
				"over the batch: the product, the bias sum or the scatter-add. Element types are read just after partitioning, or in the final module of a TPU or a GPU, which overrules it; " +
				"a CPU's final module widens every 16-bit sum and decides nothing. A sum of bfloat16 operands in float32 is no finding. " +
				"Where the program itself casts a finished gradient down for its sum, as compression does, that is said as information on the line of the cast.",
			Matters: "The partitioner puts the all-reduce directly behind the operation that contracts over the batch, before any cast that follows, so the sum has that operation's type: with float32 parameters " +
				"that are cast to bfloat16 in the forward pass, the gradients are float32 and their sums are not (JAX 0.4.35 to 0.10.2). The relative error of a sum over N shards (noise ten times the mean): " +
				"for N = 8 4.0e-3 one by one and 3.4e-3 as a tree, for 512 2.3e-2 and 3.3e-3, for 4096 1.5e-1 and 2.7e-3; in float32 below 1e-6. A float32 sum doubles the bytes on the wire. " +
				"What does not change the type: a custom_vjp around the cast only, with_sharding_constraint on the float32 gradients, optimization_barrier on the cotangent, Precision.HIGHEST, " +
				"a float32 accumulator over micro-batches, xla_allow_excess_precision=false, psum of the bfloat16 leaves.",
			Example: `def loss(params, x, y):
    p = jax.tree.map(lambda w: w.astype(jnp.bfloat16), params)
    h = jnp.tanh(x.astype(jnp.bfloat16) @ p["up"])
    return jnp.mean(((h @ p["down"]).astype(jnp.float32) - y) ** 2)
`,
			Instead: `@jax.custom_vjp
def linear(h, w):  # h bfloat16, w float32
    return h @ w.astype(jnp.bfloat16)
def forward(h, w):
    return linear(h, w), (h, w)
def backward(saved, g):
    h, w = saved
    hh, gg = h.reshape(-1, h.shape[-1]), g.reshape(-1, g.shape[-1])
    dw = jnp.dot(hh.T, gg, preferred_element_type=jnp.float32)  # bfloat16 operands, float32 sums
    return g @ w.astype(jnp.bfloat16).T, dw
linear.defvjp(forward, backward)

# or, without touching the model: one gradient per shard, summed in float32; n = mesh.shape["data"]
def gradients(params, x, y):
    split = lambda a: jax.lax.with_sharding_constraint(a.reshape(n, -1, *a.shape[1:]), NamedSharding(mesh, P("data")))
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, split(x), split(y))
    return jax.tree.map(lambda a: a.astype(jnp.float32).mean(0), g)

# or in a shard_map: cast the float32 leaves to varying first, take the local gradient, then pmean
def body(params, x, y):
    p = jax.tree.map(lambda a: jax.lax.pcast(a, "data", to="varying"), params)
    return jax.tree.map(lambda a: jax.lax.pmean(a, "data"), jax.grad(loss)(p, x, y))
`,
			FixSafety: "All fixes are unsafe: they change rounding and double the bytes of the sum. " +
				"The first rewrites the products (@, dot, matmul, einsum, dot_general), broadcast sums and lookups of the line; operands stay 16-bit, and the gradient leaves its product in the parameter's type. " +
				"It needs the float32 parameter, so there is none where the gradient is taken of a 16-bit copy, nor under vmap; with Explicit axes weights that are not sharded over the batch's axes are made reduced over them before the cast instead, which leaves biases alone. " +
				"The second, for a loss that is a mean over a sharded batch, takes one gradient per shard and averages them in float32; it holds one gradient per device until then, and a loss that mixes rows, " +
				"as batch normalization does, becomes another one. Layers of Flax (linen.Dense, nnx.Linear) get a promote_dtype and a dot_general that do what the first fix does " +
				"for the kernel; the bias is added in the library's code and stays as it is. Flax's other dense layers, convolutions and attention get a product that accumulates in float32, its lookups a float32 dtype and a cast of the rows. The third accumulates the forward product in float32: the gradient is rounded once behind its sum, and products of the backward pass become float32.",
			Ignore: "When few devices take part, or when the training was validated with these sums.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			wanted := func(d *link.Dump, r *hlomap.Reduction) bool { return !implicitPsum(d, r) }
			for _, l := range lowSums(p, wanted) {
				if l.asked {
					f := l.finding(p.Module, fmt.Sprintf("the %s cast to %s here and summed in it %s: half the bytes of a float32 sum, and rounded at every addition; "+
						"sum before the cast if that was not meant", l.gradients(), l.dtypes(), l.where()))
					f.Severity = analyzers.Info
					p.Report(f)
					continue
				}
				if l.transposedGathers(p.Module.Deciding) {
					p.Report(l.finding(p.Module, fmt.Sprintf("the %s summed in %s %s, because the sum is the transpose of an all_gather of a %s copy; "+
						"gather the parameter as it is and cast behind the all_gather, or give the all_gather a custom_vjp with a float32 psum_scatter", l.gradients(), l.dtypes(), l.where(), l.dtypes())))
					continue
				}
				f := l.finding(p.Module, fmt.Sprintf("the %s summed in %s %s, because %s %s; %s",
					l.gradients(), l.dtypes(), l.where(), l.contraction(), l.dtypes(), l.remedy()))
				f.Fixes = slices.Concat(inOwnType(p.Module, l, p.JAX), inLayers(p.Module, l, p.JAX), castBehindLookup(p.Module, l), reducedFirst(p.Module, l, p.JAX), meansOfShards(p.Module, l, p.JAX), accumulated(p.Module, l))
				p.Report(f)
			}
		},
	}
}
