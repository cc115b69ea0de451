"""Made where it belongs, moved from the host, or too small to matter."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("x"))
full = NamedSharding(mesh, P())


def host_weights(shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


zeros = jnp.zeros((4096, 1024), device=rows)
weights = jax.device_put(host_weights((1024, 1024)), rows)
drawn = jax.jit(jax.random.normal, static_argnums=1, out_shardings=rows)(jax.random.key(0), (4096, 1024))
scale = jax.device_put(jnp.ones((16,)), full)
moved = jax.device_put(drawn, full)
print(zeros.sharding.spec, weights.sharding.spec, scale.sharding.spec, moved.sharding.spec)
