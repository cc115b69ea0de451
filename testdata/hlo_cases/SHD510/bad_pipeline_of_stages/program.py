"""A GPipe schedule: stages over an axis, micro-batches handed on with ppermute, gradients through shard_map."""
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
from jax.sharding import PartitionSpec as P, AxisType

mesh = jax.make_mesh((2, 4), ("dp", "stage"), axis_types=(AxisType.Auto, AxisType.Auto))
S, M, D = 4, 8, 64


def stage_fn(w, b, x):
    return jnp.tanh(x @ w + b)  # want SHD510 "11 iterations.*'dp', 176.0 KiB.*pcast.*'?dp"


@partial(jax.shard_map, mesh=mesh, in_specs=(P("stage"), P("stage"), P(None, "dp")), out_specs=P(None, "dp"))
def pipeline(w, b, xs):
    idx = lax.axis_index("stage")
    w, b = w[0], b[0]
    state = lax.pcast(jnp.zeros_like(xs[0]), "stage", to="varying")
    outs = lax.pcast(jnp.zeros_like(xs), "stage", to="varying")

    def tick(carry, t):
        state, outs = carry
        inp = jnp.where(idx == 0, xs[jnp.clip(t, 0, M - 1)], state)
        y = stage_fn(w, b, inp)
        done = jnp.clip(t - S + 1, 0, M - 1)
        outs = jnp.where((idx == S - 1) & (t >= S - 1), outs.at[done].set(y), outs)
        state = lax.ppermute(y, "stage", [(i, (i + 1) % S) for i in range(S)])
        return (state, outs), None

    (_, outs), _ = lax.scan(tick, (state, outs), jnp.arange(M + S - 1))
    return lax.psum(jnp.where(idx == S - 1, outs, 0), "stage")


def loss(params, xs, ys):
    h = pipeline(params["w"], params["b"], xs)
    return jnp.mean((h @ params["head"] - ys) ** 2)


@jax.jit
def step(params, xs, ys):
    l, g = jax.value_and_grad(loss)(params, xs, ys)
    return jax.tree.map(lambda p, d: p - 0.01 * d, params, g), l


ns = lambda *s: jax.sharding.NamedSharding(mesh, P(*s))
params = {"w": jax.device_put(np.random.default_rng(0).normal(size=(S, D, D)).astype(np.float32) * 0.1, ns("stage")),
          "b": jax.device_put(np.zeros((S, D), np.float32), ns("stage")), "head": jax.device_put(np.ones((D, 2), np.float32), ns())}
xs, ys = jax.device_put(np.ones((M, 16, D), np.float32), ns(None, "dp")), jax.device_put(np.ones((M, 16, 2), np.float32), ns(None, "dp"))
print(step(params, xs, ys)[1])
