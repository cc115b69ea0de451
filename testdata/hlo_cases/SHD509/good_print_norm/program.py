import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

@jax.jit
def step(w, x):
    h = jnp.tanh(x @ w)
    jax.debug.print("norm {n} first {f}", n=jnp.linalg.norm(h), f=w[0, 0])
    return h.sum(0)

w = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((512, 64), np.float32), NamedSharding(mesh, P("data")))
jax.block_until_ready(step(w, x))
