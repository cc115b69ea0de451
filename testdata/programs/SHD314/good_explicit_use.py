import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard, explicit_axes, auto_axes

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit, AxisType.Auto))
auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
EXPLICIT = False
chosen = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit if EXPLICIT else AxisType.Auto,))


@jax.jit
def f(x):
    x = reshard(x, P("data", None))
    return jax.lax.with_sharding_constraint(jnp.sin(x), P(None, "model"))


@jax.jit
def g(x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(auto, P("data")))


with jax.set_mesh(mesh):
    print(f(jnp.ones((8, 4))).shape)
print(g(jnp.ones((8, 4))).shape, jax.jit(lambda x: jax.lax.with_sharding_constraint(x, NamedSharding(chosen, P("x"))))(jnp.ones(8)).shape)
