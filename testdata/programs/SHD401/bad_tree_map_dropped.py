import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
row = NamedSharding(mesh, P("fsdp"))


class Trainer:
    def __init__(self, params):
        jax.device_put(params, row)  # want SHD401 "device_put"
        self.params = params

    def shard_grads(self, grads):
        jax.lax.with_sharding_constraint(grads, row)  # want SHD401 "with_sharding_constraint"
        return grads


trainer = Trainer({"w": jnp.ones((8, 4))})
print(jax.jit(trainer.shard_grads)(trainer.params)["w"].sharding)
