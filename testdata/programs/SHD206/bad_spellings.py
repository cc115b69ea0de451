"""Flags through constants, dictionaries, decorators and conditionals that agree."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np

mesh = Mesh(np.array(jax.devices()), ("d",))
CHECK = False


@dataclasses.dataclass(frozen=True)
class MapOptions:
    check_vma: bool = False
    jit: bool = True


opts = MapOptions()
a = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=CHECK)  # want SHD206 "check_vma"
b = jax.shard_map(jnp.sin, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=opts.check_vma)  # want SHD206 "check_vma"


@functools.partial(shard_map, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_rep=not True)  # want SHD206 "check_rep"
def c(x):
    return x + 1


def smap(f, **kw):
    return jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"), **{"check_vma": False, **kw})  # want SHD206 "check_vma"


d = smap(jnp.cos)
print(a(jnp.ones(8)), b(jnp.ones(8)), c(jnp.ones(8)), d(jnp.ones(8)))
