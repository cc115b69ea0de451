import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("samples",), axis_types=(AxisType.Auto,))

def layer(w, x):
    f = jnp.fft.rfft(x, axis=1)  # want SHD507 "'samples'.*64\.0 KiB"
    return jnp.fft.irfft(f * w, n=x.shape[1], axis=1)  # want SHD507 "'samples'.*128\.5 KiB"

@jax.jit
def step(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean(layer(w.astype(jnp.complex64), x) ** 2))(w)

w = jax.device_put(np.ones((129,), np.float32), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 256), np.float32), NamedSharding(mesh, P("samples", None)))
jax.block_until_ready(step(w, x))
