import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

kinds = dict(data=AxisType.Explicit, model=AxisType.Auto)
mesh = jax.make_mesh((4, 2), tuple(kinds), axis_types=tuple(kinds.values()))
jax.set_mesh(mesh)


@jax.jit
def f(x):
    x = jax.sharding.reshard(x, P("data", None))
    y = jnp.einsum("bi,io->bo", x, jnp.ones((8, 16)), out_sharding=P("data"))
    return jax.lax.with_sharding_constraint(y, P(None, "model"))


print(f(jnp.ones((8, 8))).shape)
