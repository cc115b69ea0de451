"""A frozen configuration names the axes; the instance that is used overrides one of them."""
import dataclasses
from functools import cached_property

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sharding:
    batch: str = "data"
    heads: str = "model"
    mesh_axes: tuple[str, ...] = ("data", "model")

    @cached_property
    def mesh(self):
        return jax.make_mesh((4, 2), self.mesh_axes, axis_types=(AxisType.Auto,) * 2)

    def spec(self, *logical):
        return P(*(getattr(self, name) if name else None for name in logical))  # want SHD101 "tensor"

    def place(self, x, *logical):
        return jax.device_put(x, NamedSharding(self.mesh, self.spec(*logical)))


cfg = Sharding(heads="tensor")
q = cfg.place(jnp.ones((8, 4, 2, 8)), "batch", None, "heads")
print(q.sharding)
