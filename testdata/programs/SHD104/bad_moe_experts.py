"""Six experts over an axis of four."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class MoeConfig(NamedTuple):
    experts: int = 6
    width: int = 16
    hidden: int = 32


def expert_mesh(n=4):
    return Mesh(np.array(jax.devices()).reshape(-1, n), ("data", "expert"))


def init_experts(key, cfg: MoeConfig):
    up, down = jax.random.split(key)
    return {
        "up": jax.random.normal(up, (cfg.experts, cfg.width, cfg.hidden)),
        "down": jax.random.normal(down, (cfg.experts, cfg.hidden, cfg.width)),
    }


cfg = MoeConfig()
mesh = expert_mesh()
sharding = NamedSharding(mesh, P("expert", None, None))
make = jax.jit(
    functools.partial(init_experts, cfg=cfg),
    out_shardings=sharding,  # want SHD104 "6.*4"
)
print(jax.tree.map(jnp.shape, make(jax.random.key(0))))
