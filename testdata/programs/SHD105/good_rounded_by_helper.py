import dataclasses
import math

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def round_up(n, multiple):
    return math.ceil(n / multiple) * multiple


@dataclasses.dataclass(frozen=True)
class Config:
    vocab: int = 50257
    width: int = 32
    shards: int = 8

    @property
    def padded(self):
        return round_up(self.vocab, self.shards)


config = Config()
mesh = Mesh(mesh_utils.create_device_mesh((config.shards,)), ("vocab",))


@jax.jit
def make(key):
    table = jax.random.normal(key, (config.padded, config.width))
    table = jnp.where(jnp.arange(config.padded)[:, None] < config.vocab, table, 0.0)
    return jax.lax.with_sharding_constraint(table, NamedSharding(mesh, P("vocab")))


print(make(jax.random.key(0)).sharding.is_fully_replicated)
