"""The version is kept in a constant of another name."""
import jax
import jax.numpy as jnp

JAX_VERSION = tuple(int(p) for p in jax.__version__.split(".")[:3])
IS_OLD = JAX_VERSION < (0, 7, 1)
if IS_OLD:
    from jax.sharding import use_mesh as set_mesh
else:
    from jax import set_mesh


def replicate(x):
    if jax.__version_info__ < (0, 10):
        return jax.device_put_replicated(x, jax.devices())
    return jnp.stack([x] * jax.device_count())


print(set_mesh.__name__, replicate(jnp.ones(2)).shape)
