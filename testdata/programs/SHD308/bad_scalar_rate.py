import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
replicated = NamedSharding(mesh, P())
params = jax.device_put({"w": np.ones((8, 8), np.float32)}, replicated)
lr = jax.device_put(jnp.float32(0.1), device=jax.devices()[1])


@jax.jit
def sgd(params, grads, lr):
    return jax.tree.map(lambda p, g: p - lr * g, params, grads)


for _ in range(2):
    params = sgd(params, params, lr)  # want SHD308 "lr"
print(params["w"].shape)
