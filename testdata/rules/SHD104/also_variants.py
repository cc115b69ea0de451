import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Config:
    batch: int = 12
    heads: int = 6
    dim: int = 64

    @property
    def head_dim(self):
        return self.dim // 4


cfg = Config()
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
q = np.zeros((cfg.batch, 128, cfg.heads, cfg.head_dim))
q = jax.device_put(q, NamedSharding(mesh, P(("data", "model"), None)))  # want SHD104 "12.*8"
k = jnp.einsum("bshd->bhsd", jnp.zeros((8, 128, cfg.heads, 16)))
k = jax.device_put(k, NamedSharding(mesh, P("model", "data")))  # want SHD104 "6.*4"
v = jax.device_put(jnp.concatenate([jnp.ones((6, 4)), jnp.ones((2, 4))]), NamedSharding(mesh, P("data")))


def loader(n):
    for i in range(n):
        yield np.ones((10, 3), np.float32)


for batch in loader(3):
    batch = jax.device_put(batch, NamedSharding(mesh, P("data")))  # want SHD104 "10.*4"

rest = jnp.arange(100)[90:]
rest = jax.device_put(rest, NamedSharding(mesh, P("data")))  # want SHD104 "10.*4"
total = shard_map(lambda a, b: a + b, mesh, (P("data"), P()), P("data"))
total(jnp.ones(7), jnp.float32(1.0))  # want SHD104 "7.*4"
total(jnp.ones(8), jnp.float32(1.0))


@jax.jit
def inside(x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data"))).sum()


inside(jnp.ones(9))
