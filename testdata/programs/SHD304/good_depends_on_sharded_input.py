"""Not made from nothing: the outputs follow the sharded arguments."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def noisy(x, key):
    return x + 0.1 * jax.random.normal(key, x.shape)


@jax.jit
def loss_scale():
    return jnp.float32(2.0**15)


@jax.jit
def metrics():
    return {"loss": jnp.zeros(()), "count": jnp.zeros((), jnp.int32)}


x = jax.device_put(np.ones((8, 64), np.float32), NamedSharding(mesh, P("data")))
print(noisy(x, jax.random.key(0)).sharding.spec, loss_scale(), metrics())
