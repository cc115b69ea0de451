"""NNX: logical rules turned into shardings by a helper class."""
import dataclasses
import functools
from typing import Any, Callable

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

P = PartitionSpec


@dataclasses.dataclass(unsafe_hash=True)
class MeshRules:
    embed: str | None = None
    mlp: str | None = None
    data: str | None = None

    def __call__(self, *keys: str) -> tuple[str, ...]:
        return tuple(getattr(self, key) if key is not None else None for key in keys)


mesh_rules = MeshRules(embed="fsdp", mlp="tensor", data="data")
mesh = jax.make_mesh((4, 2), ("data", "tensor"), axis_types=(AxisType.Auto,) * 2)
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P(*mesh_rules("data"))))
w = jax.device_put(jnp.ones((4, 8)), NamedSharding(mesh, P(*mesh_rules("embed", "mlp"))))  # want SHD101 "fsdp"
print(x.sharding, w.sharding)
