"""A GPipe schedule: microbatches move through stages in a scan."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

STAGES = 4
mesh = jax.make_mesh((STAGES, 2), ("stage", "data"), axis_types=(AxisType.Auto,) * 2)


def stage_fn(w, x):
    return jnp.tanh(x @ w)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("stage"), P(None, "data")), out_specs=P(None, "data"))
def pipeline(w, xs):
    w = w[0]
    idx = lax.axis_index("stage")
    n = xs.shape[0]
    state = lax.pcast(jnp.zeros_like(xs[0]), "stage", to="varying")
    outs = lax.pcast(jnp.zeros_like(xs), "stage", to="varying")

    def tick(carry, t):
        state, outs = carry
        inp = jnp.where(idx == 0, xs[jnp.minimum(t, n - 1)], state)
        y = stage_fn(w, inp)
        at = jnp.clip(t - (STAGES - 1), 0, n - 1)
        outs = jnp.where((idx == STAGES - 1) & (t >= STAGES - 1), outs.at[at].set(y), outs)
        state = lax.ppermute(y, "stage", [(i, i + 1) for i in range(STAGES - 1)])
        return (state, outs), None

    (_, outs), _ = lax.scan(tick, (state, outs), jnp.arange(n + STAGES - 1))
    return lax.psum(jnp.where(idx == STAGES - 1, outs, 0), "stage")


print(pipeline(jnp.ones((STAGES, 4, 4)), jnp.ones((3, 8, 4))).shape)
