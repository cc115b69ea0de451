"""Operations on explicit axes that have no single answer."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)
put = lambda shape, *s: jax.device_put(jnp.ones(shape), P(*s))
x, w = put((8, 16), "data", "model"), put((16, 4), "model", None)
table, ids = put((16, 4), "model", None), jax.device_put(jnp.zeros(8, int), P("data"))


@jax.jit
def project(x, w):
    return jnp.einsum("bi,io->bo", x, w)  # want SHD317 "model"


@jax.jit
def embed(table, ids):
    return jnp.take(table, ids, axis=0)  # want SHD317 "out_sharding"


@jax.jit
def gram(x):
    return x.T @ x  # want SHD317 "data"


@jax.jit
def general(x, w):
    y = jax.lax.dot_general(x, w, (((1,), (0,)), ((), ())))  # want SHD317 "model"
    return y + jnp.tensordot(x, w, axes=((1,), (0,)))  # want SHD317 "model"


@jax.jit
def batched(x, w):
    return jnp.einsum("...i,io", x, w)  # want SHD317 "model"


@jax.jit
def write(x, table, ids):
    table = table.at[ids].add(1.0)  # want SHD317 "model.*out_sharding"
    return x.at[0].set(0.0), table  # want SHD317 "data.*out_sharding"


@jax.jit
def window(x, i):
    row = jax.lax.dynamic_index_in_dim(x, i, keepdims=False)  # want SHD317 "data"
    return row, jax.lax.dynamic_slice_in_dim(x, i, 2, axis=0), jnp.roll(x, 1, axis=0)  # want SHD317 "slice.*data" "roll.*data"


calls = ((project, (x, w)), (embed, (table, ids)), (gram, (x,)), (general, (x, w)), (batched, (x, w)), (write, (x, table, jnp.arange(3))), (window, (x, 1)))
for f, a in calls:
    try:
        print(f(*a))
    except Exception as e:
        print(type(e), str(e)[:100])
