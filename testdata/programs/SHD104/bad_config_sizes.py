"""Sizes from a dataclass with derived fields; vocabulary not padded."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclass
class ModelConfig:
    vocab: int = 50257
    heads: int = 6
    head_dim: int = 16

    @property
    def width(self):
        return self.heads * self.head_dim


cfg = ModelConfig()
mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
shard = lambda *names: NamedSharding(mesh, P(*names))


def init(key):
    k0, k1 = jax.random.split(key)
    return {
        "embed": 0.02 * jax.random.normal(k0, (cfg.vocab, cfg.width)),
        "proj": jnp.zeros((cfg.width, cfg.heads, cfg.head_dim)),
    }


SHARDINGS = {"embed": shard("model"), "proj": shard(None, None, "model")}
make = jax.jit(init, out_shardings=SHARDINGS)  # want SHD104 "50257.*4"
print(make(jax.random.key(0))["embed"].shape)
