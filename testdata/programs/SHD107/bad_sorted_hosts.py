"""Evaluation builds its own mesh with the devices in descending id, training does not."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Trainer:
    axis = "data"

    def __init__(self, devices=None):
        self.mesh = Mesh(np.asarray(devices or jax.devices()), (self.axis,))
        self.batch_sharding = NamedSharding(self.mesh, P(self.axis))
        self.params = jax.device_put({"w": jnp.ones((8, 4))}, NamedSharding(self.mesh, P()))

    def batch(self, x):
        return jax.device_put(x, self.batch_sharding)


class Evaluator(Trainer):
    def __init__(self):
        super().__init__(jax.devices()[::-1])


@jax.jit
def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


trainer, evaluator = Trainer(), Evaluator()
print(loss(trainer.params, evaluator.batch(jnp.ones((16, 8)))))  # want SHD107 "order"
