from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclass
class Config:
    vocab: int = 1021
    width: int = 32


cfg = Config()
mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
ROWS = NamedSharding(mesh, P("model", None))


def shard(x, s=ROWS):
    return jax.lax.with_sharding_constraint(x, s)  # want SHD105 "1021.*8"


@partial(jax.jit, static_argnums=0)
def init(cfg, key):
    table = jax.random.normal(key, (cfg.vocab, cfg.width))
    return {"table": shard(table), "scale": jnp.ones(())}


print(init.__wrapped__(cfg, jax.random.key(0))["scale"] if False else jax.jit(lambda k: {"t": shard(jax.random.normal(k, (cfg.vocab, cfg.width)))})(jax.random.key(0))["t"].sharding.is_fully_replicated)
