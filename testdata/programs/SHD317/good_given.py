import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)
put = lambda shape, *s: jax.device_put(jnp.ones(shape), P(*s))
x, w = put((8, 16), "data", "model"), put((16, 4), "model", None)
table, ids = put((16, 4), "model", None), jax.device_put(jnp.zeros(8, int), P("data"))


@jax.jit
def f(x, w):
    y = jnp.einsum("bi,io->bo", x, w, out_sharding=P("data", None))
    z = reshard(x, P("data", None)) @ w
    return y + z


print(f(x, w), table.at[ids].get(out_sharding=P("data", None)), jnp.sum(x, 0), x * 2, jnp.concatenate([x, x], 1))
print(jnp.take(reshard(table, P()), reshard(ids, P()), axis=0))


@jax.jit
def whole(x, table, ids):
    y = table.at[ids].add(1.0, out_sharding=P("model", None))
    z = jax.lax.dynamic_index_in_dim(reshard(x, P(None, "model")), 0)
    u = jax.lax.dynamic_slice_in_dim(x, 0, 4, axis=0)
    rows = reshard(x, P("data", None))
    return y, z, u, jnp.roll(rows, 1, axis=1), rows.at[:, 0].set(0.0), jnp.roll(x, 4, axis=0)


print(whole(x, table, jnp.arange(3)))
