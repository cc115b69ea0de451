"""A layer of frozen dataclasses constrains by a bare spec; nothing sets a mesh."""
import dataclasses

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Dense:
    width: int
    spec: P

    def init(self, key, features):
        return {"w": jax.random.normal(key, (features, self.width))}

    def __call__(self, params, x):
        return jax.lax.with_sharding_constraint(x @ params["w"], self.spec)  # want SHD312 "(mesh|NamedSharding)"


layer = Dense(width=16, spec=P("data", None))
params = layer.init(jax.random.key(0), 8)
forward = jax.jit(lambda p, x: layer(p, x))
print(forward(params, jnp.ones((4, 8))).shape)
