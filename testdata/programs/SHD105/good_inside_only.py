import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("model"))


@jax.jit
def loss(x):
    h = jax.lax.with_sharding_constraint(jnp.tanh(x), rows)
    return (h**2).sum()


@jax.jit
def padded(x):
    x = jnp.pad(x, ((0, -x.shape[0] % 8), (0, 0)))
    return jax.lax.with_sharding_constraint(x, rows)


print(loss(jnp.ones((10, 4))), padded(jnp.ones((10, 4))).shape)
