import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(w, batch):
    micro = batch.reshape(4, 16, 256)

    def add(total, x):
        return total + jnp.tanh(x @ w).sum(), None

    return jax.lax.scan(add, 0.0, micro)[0]


w = jax.device_put(np.ones((256, 256), np.float32), NamedSharding(mesh, P()))
print(float(step(w, jax.device_put(np.ones((64, 256), np.float32), NamedSharding(mesh, P("data"))))))
