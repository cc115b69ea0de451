import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("stack",), axis_types=(AxisType.Auto,))

@jax.jit
def precondition(a, g):
    l = jnp.linalg.cholesky(a + 1e-3 * jnp.eye(a.shape[-1]))
    return jax.scipy.linalg.solve_triangular(l, g, lower=True)

a = jax.device_put(np.stack([np.eye(32, dtype=np.float32)] * 16), NamedSharding(mesh, P("stack")))
g = jax.device_put(np.ones((16, 32, 32), np.float32), NamedSharding(mesh, P("stack")))
jax.block_until_ready(precondition(a, g))
