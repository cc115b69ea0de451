import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def normal(spec, rank):
    entries = list(spec) + [None] * (rank - len(spec))
    return tuple(e[0] if isinstance(e, tuple) and len(e) == 1 else e for e in entries)


def same(a, b, rank):
    return normal(a, rank) == normal(b, rank)


x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data")))
print(same(x.sharding.spec, P("data", None), 2), x.sharding.spec[0] == "data", tuple(x.sharding.spec[:1]) == ("data",))
print(x.sharding.spec == P("data"), len(x.sharding.spec) == 1, x.sharding == NamedSharding(mesh, P("data")))
