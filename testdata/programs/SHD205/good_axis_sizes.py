"""psum of constants is the idiom for the size; index-made values vary."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)


def f(x, w):
    n = lax.psum(1, "a")
    m = lax.psum(jnp.ones(()), "b") if False else lax.axis_size("b")
    i = lax.axis_index("a")
    one_hot = jnp.where(i == 0, w, jnp.zeros_like(w))
    chosen = lax.psum(one_hot, "a")
    mine = lax.dynamic_slice_in_dim(w, i, 1)
    return lax.psum(x.sum(), ("a", "b")) / (n * m), chosen, lax.psum(mine, "a"), lax.pmax(i, "a")


print(jax.shard_map(f, mesh=mesh, in_specs=(P("a", "b"), P()), out_specs=P())(jnp.ones((8, 4)), jnp.arange(4.0)))


def random(key):
    key = jax.random.fold_in(key, lax.axis_index("a"))
    return lax.pmean(jax.random.normal(key, (2,)), "a")


print(jax.shard_map(random, mesh=mesh, in_specs=P(), out_specs=P())(jax.random.key(0)))
one = jax.make_mesh((1,), ("z",), axis_types=(AxisType.Auto,), devices=jax.devices()[:1])
print(jax.shard_map(lambda x: lax.psum(x, "z"), mesh=one, in_specs=P(), out_specs=P())(jnp.ones(2)))
