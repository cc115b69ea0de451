import functools
import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def sharded_norm(tree, axis):
    return jnp.sqrt(lax.psum(sum(jnp.sum(g**2) for g in jax.tree.leaves(tree)), axis))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("d"), P("d")), out_specs=P("d"))
def f(w, x):
    g = jax.grad(lambda w: jnp.sum(w * x))(w)
    return w - g / sharded_norm(g, "d")


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("d")), out_specs=P())
def replicated(w, x):
    g = jax.grad(lambda w: lax.pmean(jnp.sum(w * x), "d"))(w)
    return w - g / (1 + optax.global_norm(g))


@jax.jit
def plain(w, g):
    return w - g / optax.global_norm({"g": g})


print(f(jnp.ones(8), jnp.ones(8)), replicated(jnp.float32(1), jnp.ones(8)), plain(jnp.ones(3), jnp.ones(3)))
