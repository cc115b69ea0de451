"""One axis is explicit, the other automatic; the open dimension can use the automatic one."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit, AxisType.Auto))
jax.set_mesh(mesh)


@jax.jit
def mlp(x, w):
    h = jax.nn.relu(x @ w)
    return jax.lax.with_sharding_constraint(h, P(P.UNCONSTRAINED, "model"))


print(mlp(jnp.ones((8, 16)), jnp.ones((16, 32))).shape)
