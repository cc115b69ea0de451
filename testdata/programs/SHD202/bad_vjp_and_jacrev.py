"""The same through vjp and through value_and_grad of a lambda with argnums."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))


def by_vjp(w, x):
    y, pull = jax.vjp(lambda w: (x * w).sum(), w)
    (g,) = pull(jnp.ones_like(y))
    return jax.lax.psum(g, "i")  # want SHD202 "i"


def both(w, b, x):
    gw, gb = jax.grad(lambda w, b: jnp.mean(x * w + b), argnums=(0, 1))(w, b)
    gw = jax.lax.pmean(gw, "i")  # want SHD202 "i"
    return gw, gb


print(jax.shard_map(by_vjp, mesh=mesh, in_specs=(P(), P("i")), out_specs=P())(jnp.float32(1), jnp.ones(8)))
print(jax.shard_map(both, mesh=mesh, in_specs=(P(), P(), P("i")), out_specs=P())(jnp.float32(1), jnp.float32(1), jnp.ones(8)))
