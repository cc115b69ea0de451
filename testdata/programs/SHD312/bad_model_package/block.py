import jax
import jax.numpy as jnp
from jax.lax import with_sharding_constraint
from jax.sharding import PartitionSpec


class Block:
    activation_spec = PartitionSpec("data", "model")

    def __init__(self, width):
        self.width = width

    def init(self, key):
        return {"w": jax.random.normal(key, (self.width, self.width))}

    def apply(self, params, x):
        h = jnp.tanh(x @ params["w"])
        return with_sharding_constraint(h, self.activation_spec)  # want SHD312 "(mesh|NamedSharding)"
