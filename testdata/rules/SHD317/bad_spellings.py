"""The same in other spellings."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
x = jax.device_put(jnp.ones((8, 16)), NamedSharding(mesh, P("data", "model")))
w = jax.device_put(jnp.ones((16, 32)), NamedSharding(mesh, P("model", None)))
t = jax.device_put(jnp.ones((16, 32)), NamedSharding(mesh, P("model", None)))
ids = jax.device_put(jnp.zeros((8, 4), jnp.int32), NamedSharding(mesh, P("data")))


@jax.jit
def f(x, w):
    return (x @ w).sum(), jnp.dot(x, w)  # want SHD317 "the contraction of two dimensions sharded over \'model\' has"  # want SHD317 "the contraction of two dimensions sharded over \'model\' has"


def main():
    jax.set_mesh(mesh)
    y = x @ w  # want SHD317 "the contraction of two dimensions sharded over \'model\' has"
    z = jnp.reshape(x, (128,))
    return y.sharding.spec, z.sharding.spec, t[ids].sharding.spec  # want SHD317 "the lookup with an index or a table sharded over \'model\' h"


print(f(x, w)[1].sharding.spec)
print(main())
