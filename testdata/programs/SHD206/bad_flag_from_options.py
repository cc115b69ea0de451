"""The options of all maps stand in one dictionary."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@dataclasses.dataclass(frozen=True)
class MapOptions:
    strict: bool = False


OPTIONS = MapOptions()


def manual(in_specs, out_specs):
    return functools.partial(jax.shard_map, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=OPTIONS.strict)  # want SHD206 "check_vma"


@manual((P("data", "model"), P("model")), P("data"))
def project(x, w):
    return jax.lax.psum(x @ w, "model")


@manual(P("data"), P("data"))
def normalize(x):
    return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


print(normalize(project(jnp.ones((8, 16)), jnp.ones((16, 4)))).shape)
