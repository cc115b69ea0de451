"""The reduction sits in the update, in the optimizer or in the loss."""
import functools

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)


def cross_replica(axis):
    def update(updates, state, params=None):
        return lax.pmean(updates, axis), state

    return optax.GradientTransformation(lambda p: optax.EmptyState(), update)


tx = optax.chain(cross_replica("d"), optax.sgd(0.1))


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


@functools.partial(smap, in_specs=(P(), P(), P("d")), out_specs=P())
def with_optimizer(w, s, x):
    g = jax.grad(loss)(w, x)
    u, s = tx.update(g, s)
    return optax.apply_updates(w, u)


@functools.partial(smap, in_specs=(P(), P("d")), out_specs=P())
def averaged_params(w, x):
    w = w - 0.1 * jax.grad(loss)(w, x)
    return lax.pmean(w, "d")


@functools.partial(smap, in_specs=(P("d"), P("d")), out_specs=P("d"))
def ensemble(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w[0]) ** 2))(w)


w, x = jnp.ones((4, 1)), jnp.ones((16, 4))
print(with_optimizer(w, tx.init(w), x), averaged_params(w, x), ensemble(jnp.ones((8, 4, 1)), x))
