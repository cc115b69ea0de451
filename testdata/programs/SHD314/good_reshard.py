import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit, AxisType.Auto))
auto = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


@jax.jit
def f(x):
    x = reshard(x, NamedSharding(mesh, P("data")))
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "model")))


@jax.jit
def g(x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(auto, P("d")))


with jax.set_mesh(mesh):
    print(f(jnp.ones((8, 4))))
print(g(jnp.ones(8)))
