"""The EMA copy is kept on one device and then mixed with the sharded weights."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
FIRST = jax.devices()[0]


class Ema:
    def __init__(self, params, decay=0.99):
        self.decay = decay
        self.value = jax.tree.map(lambda p: jax.device_put(np.asarray(p), FIRST), params)

    def update(self, params):
        self.value = jax.tree.map(lambda e, p: self.decay * e + (1 - self.decay) * p, self.value, params)  # want SHD308 "e.*lives on one device"
        return self.value


params = {"w": jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P("fsdp")))}
print(Ema(params).update(params)["w"].shape)
