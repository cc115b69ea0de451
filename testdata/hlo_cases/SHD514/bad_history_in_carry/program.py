import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

@jax.jit
def run(x, n):
    def body(i, carry):
        h, hist = carry
        h = jnp.tanh(h)
        hist = hist.at[i].set(h.mean())
        return h, hist
    hist = jnp.zeros((4096, 1024))  # want SHD514 "'hist'.*16\.0 MiB"
    h, hist = jax.lax.fori_loop(0, 5, lambda i, c: (jnp.tanh(c[0]), c[1].at[i].set(c[0].mean())), (x, hist))
    return h, hist

x = jax.device_put(np.ones((1024, 64), np.float32), NamedSharding(mesh, P("data")))
jax.block_until_ready(run(x, 4))
