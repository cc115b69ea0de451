"""The loss is reduced, or the gradient is of a sharded parameter, or the check is off."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
smap = partial(jax.shard_map, mesh=mesh)


def loss(w, x):
    return lax.pmean(jnp.mean((x @ w) ** 2), "data")


@partial(smap, in_specs=(P(), P("data")), out_specs=(P(), P()))
def step(w, x):
    value, g = jax.value_and_grad(loss)(w, x)
    return value, w - 0.1 * g


@partial(smap, in_specs=(P("data"), P("data")), out_specs=P())
def sharded(w, x):
    g = jax.grad(lambda w: jnp.sum(x * w))(w)
    return lax.pmean(g.sum(), "data")


@partial(smap, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def unchecked(w, x):
    return lax.pmean(jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w), "data")


@partial(smap, in_specs=(P(), P("data")), out_specs=P())
def metrics(w, x):
    l, g = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    scaled = jax.tree.map(lambda t: t / lax.axis_size("data"), g)
    return w - scaled, lax.pmean(l, "data")


w, x = jnp.ones((4, 1)), jnp.ones((8, 4))
print(step(w, x), sharded(jnp.ones(8), jnp.ones(8)), unchecked(w, x), metrics(w, x))
